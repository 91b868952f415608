"""Classes: open, join, point, ask, answer, fork, end. What followers may not do is in `test_class_attacks`."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from playground import limits
from playground.accounts import guests
from playground.engine import command_runner
from playground.models import ClassAnswer, Classroom, Cluster, Follower, Guest
from tests.class_room import change, join, leave, opened, turned_away
from tests.web import Api, node, pod


@pytest.fixture
def teacher(make_user: Callable[[str], Any]) -> Api:
    return Api(make_user("teacher"))


@pytest.fixture
def shown(teacher: Api) -> int:
    """A cluster with a run behind it, and one pod that waits."""
    made = teacher.cluster([node("n-1"), node("n-2", cpu="1"), pod("p-1"), pod("p-2", cpu="3")])
    teacher.command(made, kind="run", until={"cycles": 1})
    return made


def test_a_class_from_beginning_to_end(teacher: Api, shown: int) -> None:
    taught = opened(teacher, shown)
    assert (taught["role"], taught["locked"], taught["followers"], taught["question"]) == ("teacher", False, [], None)
    assert len(taught["code"]) == limits.CLASS_CODE
    # Once more: the same class.
    assert opened(teacher, shown)["code"] == taught["code"]
    ada = join(taught["code"], "Ada")
    seen = ada.get(f"classes/{taught['id']}/")
    assert (seen["role"], seen["me"]["name"], seen["cluster"]) == ("follower", "Ada", shown)
    assert "code" not in seen
    assert "followers" not in seen
    assert [each["name"] for each in teacher.get(f"classes/{taught['id']}/")["followers"]] == ["Ada"]
    assert ada.get(f"clusters/{shown}/")["id"] == shown
    teacher.delete(f"classes/{taught['id']}/")
    ada.get(f"classes/{taught['id']}/", 404)
    ada.get(f"clusters/{shown}/", 404)
    assert teacher.get("classes/") == []


@pytest.mark.parametrize("typed", ["{}", " {} ", "{0[0]}{0[1]}-{0[2]}{0[3]}{0[4]}{0[5]}{0[6]}{0[7]}"])
def test_codes_as_people_type_them(teacher: Api, shown: int, typed: str) -> None:
    code = opened(teacher, shown)["code"]
    assert join(typed.format(code).lower(), "Ada").get("classes/")[0]["cluster"] == shown


def test_the_page_knows_its_class(teacher: Api, shown: int) -> None:
    taught = opened(teacher, shown)
    ada = join(taught["code"], "Ada")
    for client in (teacher.client, ada.client):
        assert f'data-class="{taught["id"]}"' in client.get("/").content.decode()
    form = Client().get(f"/join/{taught['code']}/").content.decode()
    assert f'value="{taught["code"]}"' in form


def test_somebody_with_an_account_follows_as_themselves(
    teacher: Api, shown: int, make_user: Callable[[str], Any]
) -> None:
    code = opened(teacher, shown)["code"]
    grace = Api(make_user("grace"))
    own = grace.cluster()
    join(code, "Grace", grace)
    assert [each["id"] for each in grace.get("clusters/")] == [own]
    assert grace.get(f"clusters/{shown}/")["id"] == shown
    assert not Guest.objects.exists()


def test_leaving_and_coming_back(teacher: Api, shown: int) -> None:
    taught = opened(teacher, shown)
    ada = join(taught["code"], "Ada")
    change(teacher, taught["id"], pointer=Follower.objects.get().pk)
    leave(ada, taught["id"])
    ada.get(f"clusters/{shown}/", 404)
    assert teacher.get(f"classes/{taught['id']}/")["pointer"] is None
    join(taught["code"], "Ada L.", ada)
    assert [each["name"] for each in teacher.get(f"classes/{taught['id']}/")["followers"]] == ["Ada L."]
    # Shown out by the teacher there is no way back.
    teacher.delete(f"classes/{taught['id']}/followers/{Follower.objects.get().pk}/")
    ada.get(f"clusters/{shown}/", 404)
    answer = ada.client.post("/join/", {"code": taught["code"], "name": "Ada"}, headers=ada.headers)
    assert answer.status_code == 409


QUESTIONS = [
    # what is asked, the options, the right answer, its pod
    ({"ask": "chosen_node"}, ["n-1", "n-2", "(none)"], ["n-1"], "default/p-2"),
    ({"ask": "outcome"}, ["scheduled", "unschedulable"], ["scheduled"], "default/p-2"),
    ({"ask": "next_pod"}, ["default/p-2"], ["default/p-2"], None),
    ({"ask": "rejected_by", "node": "n-2"}, None, ["NodeResourcesFit"], "default/p-2"),
    ({"ask": "chosen_node", "cycle": 1}, ["n-1", "n-2", "(none)"], ["n-1"], "default/p-1"),
]


@pytest.mark.parametrize(("asked", "options", "right", "about"), QUESTIONS, ids=[str(case[0]) for case in QUESTIONS])
def test_the_engine_answers(
    teacher: Api, shown: int, questions: None, asked: dict[str, Any], options: Any, right: Any, about: str | None
) -> None:
    taught = opened(teacher, shown)
    question = teacher.post(f"classes/{taught['id']}/questions/", asked, 201)["question"]
    assert question["open"]
    # Not even the teacher's page has the answer while it is open: it may be on a wall.
    assert question["right"] is None
    assert question["pod"] == about
    assert options is None or question["options"] == options
    assert teacher.post(f"classes/{taught['id']}/questions/close/", status=200)["question"]["right"] == right


def test_answers_are_counted_and_may_change_until_the_end(teacher: Api, shown: int, questions: None) -> None:
    taught = opened(teacher, shown)
    here = f"classes/{taught['id']}"
    ada, bob = join(taught["code"], "Ada"), join(taught["code"], "Bob")
    teacher.post(f"{here}/questions/", {"ask": "chosen_node"}, 201)
    seen = ada.post(f"{here}/questions/1/answer/", {"chosen": ["n-2"]})
    # Who answers sees nothing of the others, nor what is right.
    assert (seen["question"]["counts"], seen["question"]["right"], seen["me"]["chosen"]) == (None, None, ["n-2"])
    ada.post(f"{here}/questions/1/answer/", {"chosen": ["n-1"]})
    bob.post(f"{here}/questions/1/answer/", {"chosen": ["n-2"]})
    live = teacher.get(f"{here}/")
    assert (live["question"]["answers"], live["question"]["counts"]) == (2, [1, 1, 0])
    assert [each["answered"] for each in live["followers"]] == [True, True]
    teacher.post(f"{here}/questions/close/")
    over = ada.get(f"{here}/")["question"]
    assert (over["right"], over["counts"], over["right_answers"]) == (["n-1"], [1, 1, 0], 1)
    ada.post(f"{here}/questions/1/answer/", {"chosen": ["n-2"]}, 409)
    assert ClassAnswer.objects.count() == 2


WRONG = [["n-9"], [], ["n-1", "n-2"], ["<script>"]]


@pytest.mark.parametrize("chosen", WRONG, ids=str)
def test_answers_that_are_none(teacher: Api, shown: int, questions: None, chosen: list[str]) -> None:
    taught = opened(teacher, shown)
    ada = join(taught["code"], "Ada")
    teacher.post(f"classes/{taught['id']}/questions/", {"ask": "chosen_node"}, 201)
    problems = ada.post(f"classes/{taught['id']}/questions/1/answer/", {"chosen": chosen}, 400)["problems"]
    assert problems[0]["path"] == "chosen"


def test_what_cannot_be_asked(teacher: Api, questions: None) -> None:
    empty = teacher.cluster([node("n-1")])
    taught = opened(teacher, empty)
    asked = teacher.post(f"classes/{taught['id']}/questions/", {"ask": "chosen_node"}, 409)
    # Told to people as it is: no field of theirs is wrong.
    assert asked["problems"][0]["path"] == ""
    assert asked["problems"][0]["rule"] == "nothing can be asked here: no Pod is ready"
    ambiguous = [{"ask": "outcome", "check": "c"}, {"ask": "rejected_by"}, {"ask": "outcome", "node": "n"}]
    for body in ({}, {"ask": "x"}, *ambiguous):
        teacher.post(f"classes/{taught['id']}/questions/", body, 400)
    teacher.post(f"classes/{taught['id']}/questions/", {"check": "c"}, 404)


def test_a_prediction_of_the_lesson(teacher: Api, questions: None) -> None:
    made = teacher.post("lessons/01-what-a-cycle-is/start/")["id"]
    command_runner.apply_commands(made)
    taught = opened(teacher, made)
    lesson = teacher.get("lessons/01-what-a-cycle-is/")
    check = next(
        block["argument"] for step in lesson["steps"] for block in step["blocks"] if block["kind"] == "predict"
    )
    question = teacher.post(f"classes/{taught['id']}/questions/", {"check": check}, 201)["question"]
    assert (question["lesson"], question["check"]) == ("01-what-a-cycle-is", check)
    assert question["options"]


def test_a_fork_is_the_followers_own(teacher: Api, shown: int) -> None:
    taught = opened(teacher, shown)
    ada = join(taught["code"], "Ada")
    made = ada.post(f"classes/{taught['id']}/fork/", {"at": {"cycle": 1}}, 201)
    command_runner.apply_commands(made["id"])
    mine, theirs = ada.get(f"clusters/{made['id']}/cycles/1/"), teacher.get(f"clusters/{shown}/cycles/1/")
    assert mine == theirs
    assert made["owner"].startswith("guest-")
    # Nothing ties it to the teacher's, who may delete that.
    assert Cluster.objects.get(pk=made["id"]).parent_id is None
    assert ada.command(made["id"], kind="schedule_one")["state"] == "done"
    teacher.delete(f"clusters/{shown}/")
    assert ada.get(f"clusters/{made['id']}/")["cycle"] == 2
    assert ada.get("classes/") == []


def test_no_fork_while_it_is_locked_or_asked(teacher: Api, shown: int, questions: None) -> None:
    taught = opened(teacher, shown)
    here = f"classes/{taught['id']}/"
    ada = join(taught["code"], "Ada")
    change(teacher, taught["id"], locked=True)
    assert "locked" in ada.post(f"{here}fork/", {"at": "now"}, 409)["problems"][0]["rule"]
    change(teacher, taught["id"], locked=False)
    teacher.post(f"{here}questions/", {"ask": "outcome"}, 201)
    assert "question" in ada.post(f"{here}fork/", {"at": "now"}, 409)["problems"][0]["rule"]


def test_another_cluster_and_only_that(teacher: Api, shown: int) -> None:
    taught = opened(teacher, shown)
    ada = join(taught["code"], "Ada")
    branch = teacher.post(f"clusters/{shown}/branches/", {"at": "now"}, 201)["id"]
    ada.get(f"clusters/{branch}/", 404)
    ada.get(f"clusters/{shown}/branches/", 404)
    assert opened(teacher, branch)["id"] == taught["id"]
    assert ada.get(f"clusters/{branch}/")["id"] == branch
    ada.get(f"clusters/{shown}/", 404)


def test_a_forgotten_class_ends_by_itself(teacher: Api, shown: int) -> None:
    taught = opened(teacher, shown)
    ada = join(taught["code"], "Ada")
    Classroom.objects.update(created=timezone.now() - timedelta(hours=limits.CLASS_HOURS, minutes=1))
    ada.get(f"clusters/{shown}/", 404)
    ada.get(f"classes/{taught['id']}/", 404)
    assert opened(teacher, shown)["id"] != taught["id"]


def test_who_left_takes_no_place(teacher: Api, shown: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CLASS_FOLLOWERS", 2)
    taught = opened(teacher, shown)
    ada, _ = join(taught["code"], "Ada"), join(taught["code"], "Bob")
    assert turned_away(taught["code"], "Eve") == 409
    leave(ada, taught["id"])
    join(taught["code"], "Eve")
    # Who comes back needs a place like anybody else.
    again = ada.client.post("/join/", {"code": taught["code"], "name": "Ada"}, headers=ada.headers)
    assert again.status_code == 409


def test_guests_of_an_address_are_limited(teacher: Api, shown: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "GUESTS_PER_ADDRESS", 2)
    cache.clear()
    taught = opened(teacher, shown)
    join(taught["code"], "Ada")
    join(taught["code"], "Bob")
    assert turned_away(taught["code"], "Eve") == 429
    assert Guest.objects.count() == 2


def test_guests_open_no_classes(teacher: Api, shown: int) -> None:
    taught = opened(teacher, shown)
    ada = join(taught["code"], "Ada")
    own = ada.post(f"classes/{taught['id']}/fork/", {"at": "now"}, 201)["id"]
    assert ada.post("classes/", {"cluster": own}, 403)["problems"][0]["rule"] == "guests cannot create classes"


def test_guests_end_with_their_class(teacher: Api, shown: int) -> None:
    taught = opened(teacher, shown)
    ada = join(taught["code"], "Ada")
    ada.post(f"classes/{taught['id']}/fork/", {"at": "now"}, 201)
    assert guests.delete_ended_guests() == 0
    teacher.delete(f"classes/{taught['id']}/")
    assert guests.delete_ended_guests() == 1
    ada.get("clusters/", 403)
    assert [cluster.pk for cluster in Cluster.objects.all()] == [shown]


def test_guests_are_cleared_away(teacher: Api, shown: int) -> None:
    taught = opened(teacher, shown)
    ada = join(taught["code"], "Ada")
    ada.post(f"classes/{taught['id']}/fork/", {"at": "now"}, 201)
    assert guests.delete_ended_guests() == 0
    Guest.objects.update(created=timezone.now() - timedelta(days=limits.GUEST_DAYS, minutes=1))
    assert guests.delete_ended_guests() == 1
    assert [cluster.pk for cluster in Cluster.objects.all()] == [shown]
    assert not Follower.objects.exists()


def test_a_local_playground_can_follow_in_another_browser(web: None) -> None:
    """There everybody is the one local user, until a browser joins a class."""
    local = Api()
    made = local.cluster([node("n-1")])
    taught = opened(local, made)
    again = local.client.post("/join/", {"code": taught["code"], "name": "Ada"}, headers=local.headers)
    assert again.status_code == 409
    ada = join(taught["code"], "Ada")
    assert ada.get(f"classes/{taught['id']}/")["role"] == "follower"
    ada.post(f"clusters/{made}/commands/", {"kind": "reset"}, 404)
    leave(ada, taught["id"])
    assert [each["id"] for each in Api().get("clusters/")] == [made]
