"""Lessons over the API: listed, read in three languages, started, and walked to their end."""

from typing import Any

import pytest

from playground.lessons import selectors as lessons
from playground.models import Cluster, LessonRun
from simulator.lessons.model import Lesson
from tests.web import Api

FIRST = "01-what-a-cycle-is"


@pytest.fixture
def started(api: Api, questions: None) -> int:
    from playground.engine import command_runner

    made = api.post(f"lessons/{FIRST}/start/")["id"]
    command_runner.apply_commands(made)
    return int(made)


def check(api: Api, cluster: int, name: str, what: str, data: Any = None, status: int = 200) -> Any:
    return api.post(f"clusters/{cluster}/lesson/checks/{name}/{what}/", data, status=status)


def test_the_list(api: Api, web: None) -> None:
    found = api.get("lessons/")
    assert [lesson["slug"] for lesson in found] == sorted(lessons.all_lessons())
    assert {(lesson["cluster"], lesson["done"]) for lesson in found} == {(None, 0)}


@pytest.mark.parametrize(
    ("asked", "language", "title"),
    [
        ("en", "en", "What one scheduling cycle is"),
        ("ko", "ko", "스케줄링 사이클이란"),
        ("zh-hans", "zh-hans", "什么是一个调度周期"),
        ("zh", "zh-hans", "什么是一个调度周期"),
        ("fr", "en", "What one scheduling cycle is"),
    ],
)
def test_languages(api: Api, web: None, asked: str, language: str, title: str) -> None:
    found = api.get(f"lessons/{FIRST}/", lang=asked)
    assert (found["language"], found["title"]) == (language, title)
    assert found["steps"][0]["blocks"][0]["html"].startswith("<p>")


def test_html_in_a_lesson_is_text() -> None:
    from playground.lessons.selectors import _rendered

    assert "<script" not in _rendered("<script>alert(1)</script> [x](javascript:alert(1))")
    assert "href" not in _rendered("[x](javascript:alert(1))")


def test_unknown_lessons_and_checks(api: Api, started: int, small: Cluster) -> None:
    api.get("lessons/nothing/", status=404)
    api.post("lessons/nothing/start/", status=404)
    api.get(f"clusters/{small.pk}/lesson/", status=404)
    check(api, started, "nothing", "begin", status=404)
    check(api, started, "who-wins", "predict", {"chosen": ["ada"]}, status=409)
    check(api, started, "web-is-placed", "look", status=409)


def test_the_answer_is_hidden_until_one_was_given(api: Api, started: int) -> None:
    asked = check(api, started, "who-is-next", "begin")
    assert (asked["kind"], asked["options"], asked["several"], asked["done"]) == (
        "pod",
        ["shop/giant", "shop/web"],
        False,
        False,
    )
    assert "right" not in asked
    assert "right" not in api.get(f"clusters/{started}/lesson/")["checks"]["who-is-next"]
    (problem,) = check(api, started, "who-is-next", "predict", {"chosen": ["shop/nobody"]}, status=400)["problems"]
    assert (problem["path"], problem["value"]) == ("chosen", "shop/nobody")
    # With two options a second try would be the answer.
    told = check(api, started, "who-is-next", "predict", {"chosen": ["shop/giant"]})
    assert (told["correct"], told["right"], told["chosen"]) == (False, ["shop/web"], ["shop/giant"])
    (why,) = told["tries"][0]["why"]
    assert why["text"] == "shop/giant came into its queue after another pod of the same priority"
    again = check(api, started, "who-is-next", "predict", {"chosen": ["shop/web"]})
    assert (again["correct"], again["chosen"]) == (False, ["shop/giant"])


def test_a_wrong_answer_is_told_why_and_tried_again(api: Api, started: int) -> None:
    asked = check(api, started, "who-wins", "begin")
    assert set(asked) & {"right", "reasons"} == set()
    first = check(api, started, "who-wins", "predict", {"chosen": ["eve"]})
    assert (first["done"], first["correct"], "right" in first, "reasons" in first) == (False, False, False, False)
    text = " ".join(sentence["text"] for sentence in first["tries"][0]["why"])
    assert "NodeUnschedulable rejected eve" in text
    assert "bob" not in text
    # The same answer again, from a second page, is no second try.
    assert check(api, started, "who-wins", "predict", {"chosen": ["eve"]}) == first
    second = check(api, started, "who-wins", "predict", {"chosen": ["bob"]})
    assert (second["done"], second["right"], [each["correct"] for each in second["tries"]]) == (
        True,
        ["bob"],
        [False, True],
    )
    # The first answer counts.
    assert (second["correct"], second["chosen"]) == (False, ["eve"])


def test_two_wrong_answers_are_the_end(api: Api, started: int) -> None:
    check(api, started, "who-wins", "begin")
    check(api, started, "who-wins", "predict", {"chosen": ["ada"]})
    told = check(api, started, "who-wins", "predict", {"chosen": ["(none)"]})
    assert (told["done"], told["right"]) == (True, ["bob"])
    whys = [[sentence["text"] for sentence in each["why"]] for each in told["tries"]]
    assert whys[0] == [
        "ada could take the pod, but another node has 50 points more",
        "NodeResourcesFit gives that one 50 more",
    ]
    assert whys[1] == ["2 nodes could take the pod"]


def test_what_shows_the_answer(api: Api, web: None) -> None:
    def shows(slug: str) -> dict[str, str | None]:
        blocks = [block for step in api.get(f"lessons/{slug}/")["steps"] for block in step["blocks"]]
        return {
            block["argument"]: block["show"] and block["show"]["by"] for block in blocks if block["kind"] == "predict"
        }

    assert shows(FIRST) == {"who-is-next": "queue", "who-wins": "run"}
    assert shows("02-reading-the-message") == {"who-stops-old": None, "who-stops-gpu": "run"}
    # Running it would bind the pod that the task is about.
    assert shows("05-how-a-score-is-made") == {"first-winner": "run", "second-winner": None}


def test_a_wait_looks_at_what_came_after_it(api: Api, started: int) -> None:
    check(api, started, "web-is-placed", "begin")
    assert not check(api, started, "web-is-placed", "look")["done"]
    api.command(started, kind="schedule_one")
    assert check(api, started, "web-is-placed", "look")["done"]
    # What came before the lesson was restarted does not count.
    api.post(f"clusters/{started}/lesson/restart/")
    from playground.engine import command_runner

    command_runner.apply_commands(started)
    check(api, started, "web-is-placed", "begin")
    assert not check(api, started, "web-is-placed", "look")["done"]


def test_a_reader_who_is_ahead_has_missed_nothing(api: Api, started: int) -> None:
    check(api, started, "web-is-placed", "begin")
    api.command(started, kind="run", until="idle")
    first = check(api, started, "web-is-placed", "look")
    second = check(api, started, "giant-fails", "begin")
    assert second["since"] == first["since"] < api.get(f"clusters/{started}/")["revision"]
    assert check(api, started, "giant-fails", "look")["done"]
    # The same record does not fulfil two checks, and a question about what has happened cannot be asked.
    assert check(api, started, "giant-fails", "look")["since"] > first["since"]
    (problem,) = check(api, started, "who-wins", "begin", status=409)["problems"]
    assert "is not tried" in problem["rule"]


def test_a_busy_cluster_is_asked_later(api: Api, started: int) -> None:
    api.post(f"clusters/{started}/commands/", {"kind": "schedule_one"})
    (problem,) = check(api, started, "who-is-next", "begin", status=409)["problems"]
    assert "still running" in problem["rule"]


@pytest.mark.parametrize("lesson", lessons.all_lessons().values(), ids=lambda lesson: lesson.slug)
def test_every_lesson_can_be_walked(api: Api, questions: None, lesson: Lesson) -> None:
    """As a reader does: begin each step's checks, answer, follow the model, look."""
    from playground.engine import command_runner

    cluster = api.post(f"lessons/{lesson.slug}/start/")["id"]
    command_runner.apply_commands(cluster)
    for step in lesson.texts["en"].steps:
        for directive in step.directives:
            found = lesson.checks.get(directive.argument)
            if found is None:
                continue
            begun = check(api, cluster, found.id, "begin")
            if found.form == "predict":
                assert set(begun) & {"right", "reasons"} == set()
                told = check(api, cluster, found.id, "predict", {"chosen": begun["options"][:1]})
                if not told["done"]:
                    assert told["tries"][0]["why"], found.id
                    told = check(api, cluster, found.id, "predict", {"chosen": begun["options"][1:2]})
                assert told["done"]
                assert sorted(told["right"]) == sorted(set(told["right"]) & set(begun["options"]))
            model = found.model or ([] if found.form == "predict" else [{"kind": "schedule_one"}])
            for command in model:
                assert api.command(cluster, **command)["state"] == "done"
            if found.form != "predict":
                assert check(api, cluster, found.id, "look")["done"], found.id
    (mine,) = [each for each in api.get("lessons/") if each["slug"] == lesson.slug]
    assert (mine["cluster"], mine["done"], mine["solved"]) == (cluster, mine["total"], True)
    # What was solved stays solved when the cluster goes.
    owner = Cluster.objects.get(pk=cluster).owner_id
    (before,) = lessons.solved_by(owner, "en")
    api.delete(f"clusters/{cluster}/")
    assert lessons.solved_by(owner, "en") == [before]
    forms = [found.form for found in lesson.checks.values()]
    assert (before["asked"], before["tasks"]) == (forms.count("predict"), forms.count("task"))


def test_a_walk_of_an_older_release_counts(api: Api, started: int) -> None:
    """It ended before the playground wrote down when: it is solved, on a day that nobody knows."""
    checks = {
        name: {"form": found.form, "since": 0, "done": True}
        | ({"correct": name == "who-wins"} if found.form == "predict" else {})
        for name, found in lessons.all_lessons()[FIRST].checks.items()
    }
    LessonRun.objects.filter(cluster=started).update(checks=checks)
    (one,) = lessons.solved_by(Cluster.objects.get(pk=started).owner_id, "ko")
    assert (one["slug"], one["title"], one["solved"], one["right"]) == (FIRST, "스케줄링 사이클이란", None, 1)
    assert [lesson["slug"] for lesson in api.get("lessons/") if lesson["solved"]] == [FIRST]
    page = api.client.get("/certificate/", headers={"Accept-Language": "ko"}).content.decode()
    assert "스케줄링 사이클이란" in page
    assert f"1 / {one['asked']}" in page


def test_a_certificate_of_nothing_says_what_to_do(api: Api, web: None) -> None:
    assert "Finish a lesson to see it here" in api.client.get("/certificate/").content.decode()


def test_the_map_begins_with_the_first_lesson(api: Api, web: None) -> None:
    rows = api.get("lessons/")
    assert [row["slug"] for row in rows if not row["after"]] == [FIRST]


def test_others_see_nothing(make_user: Any, questions: None) -> None:
    owner, attacker = Api(make_user("owner")), Api(make_user("attacker"))
    cluster = owner.post(f"lessons/{FIRST}/start/")["id"]
    attacker.get(f"clusters/{cluster}/lesson/", status=404)
    attacker.post(f"clusters/{cluster}/lesson/restart/", status=404)
    check(attacker, cluster, "who-is-next", "begin", status=404)
    assert all(lesson["cluster"] is None for lesson in attacker.get("lessons/"))


def test_a_start_that_is_refused_leaves_nothing(api: Api, web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from playground import limits

    monkeypatch.setattr(limits, "CLUSTERS_PER_USER", 0)
    api.post(f"lessons/{FIRST}/start/", status=409)
    assert not LessonRun.objects.exists()
