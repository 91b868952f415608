"""Questions about a past moment: asked over the API, answered by a worker with the engine."""

import json
import threading
from typing import Any

import pytest
import redis
from django.conf import settings

from playground import limits
from playground.engine.heartbeat import QUESTIONS, Heartbeat
from playground.engine.heartbeat import key as sign_of_life
from playground.models import Checkpoint, Cluster, Command, Record
from playground.question_worker import answer_question
from playground.questions import ask_worker, moments, question_queue
from playground.upgrades import upgrade_questions as upgrades
from simulator.simulation import Simulation
from tests.services import wait_for
from tests.web import Api, node, pod

SPREAD = {
    "maxSkew": 1,
    "topologyKey": "topology.kubernetes.io/zone",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {},
}


@pytest.fixture
def played(api: Api, questions: None, small: Cluster) -> int:
    """The small cluster, played to the end: cycles 1 … 7 place web-0 … web-6, cycle 8 finds no node for `large`."""
    api.command(small.pk, kind="run", until="idle")
    return small.pk


def test_why_a_node_was_not_taken(api: Api, played: int) -> None:
    found = api.get(f"clusters/{played}/cycles/8/nodes/node-1/")
    assert (found["node"], found["state"]) == ("node-1", "rejected")
    fit = next(answer for answer in found["plugins"] if answer["plugin"] == "NodeResourcesFit")
    assert fit["reasons"] == ["Insufficient cpu"]
    assert any(fact["of"] == "cpu" and fact["fails"] for fact in fit["facts"])


def test_the_ledger_adds_up_to_the_recorded_total(api: Api, played: int) -> None:
    for cycle in (1, 4, 7):
        matrix = api.get(f"clusters/{played}/cycles/{cycle}/matrix/")
        for position, total in zip(matrix["feasible"], matrix["totals"], strict=True):
            name = matrix["names"][position]
            ledger = api.get(f"clusters/{played}/cycles/{cycle}/nodes/{name}/ledger/")
            assert ledger["total"]["value"] == total == sum(each["weighted"]["value"] for each in ledger["plugins"])
            assert any(each["raw"]["lines"] for each in ledger["plugins"])


def test_why_one_node_beat_another(api: Api, played: int) -> None:
    chosen = api.get(f"clusters/{played}/cycles/5/")["cycle"]["node"]
    other = next(name for name in ("node-0", "node-1", "node-2") if name != chosen)
    found = api.get(f"clusters/{played}/cycles/5/compare/", a=chosen, b=other)
    assert found["gap"] == sum(row["difference"] for row in found["plugins"])
    assert found["gap"] >= 0


def test_spread_and_the_pods_that_count(api: Api, questions: None) -> None:
    constraint = SPREAD | {"labelSelector": {"matchExpressions": [{"key": "no", "operator": "DoesNotExist"}]}}
    spread = [pod(f"s-{i}", topologySpreadConstraints=[constraint]) for i in range(4)]
    cluster = api.cluster([node("a", zone="east"), node("b", zone="west"), *spread])
    api.command(cluster, kind="run", until="idle")
    table = api.get(f"clusters/{cluster}/cycles/4/spread/")
    assert table["origin"] == "pod"
    (found,) = table["constraints"]
    assert {row["domain"]: row["pods"] for row in found["domains"]} in (
        {"east": 2, "west": 1},
        {"east": 1, "west": 2},
    )
    fuller = found["domains"][0]["domain"]
    pods = api.get(f"clusters/{cluster}/cycles/4/spread/0/pods/", domain=fuller)["pods"]
    assert [each["counts"] for each in pods] == [True, True]
    problems = api.get(f"clusters/{cluster}/cycles/4/spread/7/pods/", 404, domain=fuller)["problems"]
    assert problems[0]["path"] == "index"


def test_preemption(api: Api, questions: None) -> None:
    cluster = api.cluster([node("a", cpu="2"), node("b", cpu="2"), pod("low-0", cpu="2"), pod("low-1", cpu="2")])
    api.command(cluster, kind="run", until="idle")
    assert api.get(f"clusters/{cluster}/cycles/1/preemption/") == {"preemption": None}
    api.command(cluster, kind="create", objects=[pod("high", cpu="1", priority=100)])
    api.command(cluster, kind="schedule_one")
    found = api.get(f"clusters/{cluster}/cycles/3/preemption/")["preemption"]
    assert sorted(each["node"] for each in found["candidates"]) == ["a", "b"]
    assert [each["chosen"] for each in found["candidates"]] == [True, False]
    assert found["nominatedNode"] == found["candidates"][0]["node"]


def test_the_complete_matrix_marks_where_the_attempt_stopped(api: Api, played: int) -> None:
    recorded = api.get(f"clusters/{played}/cycles/8/matrix/")
    complete = api.get(f"clusters/{played}/cycles/8/matrix/", complete=1)
    assert "complete" not in recorded
    assert (complete["complete"], complete["evaluated"]) == (True, 3)
    assert len(complete["verdicts"]) == len(complete["filterPlugins"])
    assert {name: complete["status"][i] > 0 for i, name in enumerate(complete["names"])} == {
        name: recorded["status"][i] > 0 for i, name in enumerate(recorded["names"])
    }


def test_timings_are_those_of_a_rerun(api: Api, played: int) -> None:
    found = api.get(f"clusters/{played}/cycles/2/timings/")
    assert found["measured"] == "rerun"
    steps = api.get(f"clusters/{played}/cycles/2/")["cycle"]["steps"]
    shown = [(step["point"], step["plugin"], step["code"]) for step in found["steps"]]
    recorded = [(step["point"], step.get("plugin", ""), step["code"]) for step in steps]
    assert shown == recorded[1 : len(shown) + 1]
    assert shown[-1][0] == "SelectHost"
    assert sum(step["seconds"] for step in found["steps"]) > 0


NOWHERE = [
    # path, status, where the problem is
    ("cycles/99/nodes/node-0/", 404, ""),
    ("cycles/8/nodes/nod-1/", 404, "node"),
    ("cycles/8/nodes/nod-1/ledger/", 404, "node"),
    ("cycles/99/spread/", 404, ""),
    ("cycles/99/matrix/?complete=1", 404, ""),
    ("cycles/8/compare/?a=node-1", 400, "b"),
    ("cycles/8/compare/?a=node-1&b=%0B", 404, "node"),
]


@pytest.mark.parametrize(("path", "status", "where"), NOWHERE)
def test_what_is_not_there(api: Api, played: int, path: str, status: int, where: str) -> None:
    problems = api.get(f"clusters/{played}/{path}", status)["problems"]
    assert [problem["path"] for problem in problems] == [where]


def test_a_question_changes_nothing(api: Api, played: int) -> None:
    def stored() -> list[Any]:
        return [list(model.objects.order_by("pk").values()) for model in (Cluster, Record, Command, Checkpoint)]

    before = stored()
    for path in ("nodes/node-0/", "nodes/node-0/ledger/", "matrix/?complete=1", "preemption/", "spread/"):
        api.get(f"clusters/{played}/cycles/8/{path}")
    assert stored() == before


def test_the_same_moment_is_not_brought_up_again(api: Api, played: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first = answer_question.answer_question("ledger", played, 5, {"node": "node-0"})
    applied: list[Any] = []
    monkeypatch.setattr(Simulation, "apply", lambda *command: applied.append(command))
    assert answer_question.answer_question("ledger", played, 5, {"node": "node-0"}) == first
    assert answer_question.answer_question("node", played, 5, {"node": "node-1"}).status == 200
    assert applied == []


def test_moments_in_any_order_are_those_of_a_fresh_start(api: Api, played: int) -> None:
    def answers(cycle: int) -> bytes:
        return answer_question.answer_question("ledger", played, cycle, {"node": "node-2"}).body

    fresh = {}
    for cycle in range(1, 9):
        moments.forget_all_moments()
        fresh[cycle] = answers(cycle)
    moments.forget_all_moments()
    for cycle in (3, 5, 4, 8, 1, 2, 7, 6, 8, 3, 3, 1):
        assert answers(cycle) == fresh[cycle], cycle
    assert len(moments._cache) <= moments.CACHE_SIZE


def test_a_draft_can_be_tried_at_a_moment(api: Api, played: int) -> None:
    """What the profile editor asks: the same pod at the same moment under another configuration."""
    moment = moments.load_moment(played, 8)
    before = moment.simulation.checkpoint()
    draft = moment.rerun(
        "default/large", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration"
    )
    assert draft.cycle["message"] == moment.attempt.cycle["message"]
    assert moment.simulation.checkpoint() == before
    assert moments.load_moment(played, None).rerun("default/large").cycle["outcome"] == "unschedulable"


def test_an_attempt_that_comes_out_otherwise_is_not_explained(api: Api, played: int) -> None:
    record = Record.objects.get(cluster=played, cycle=8)
    body = json.loads(record.body)
    body["cycle"]["steps"][2]["code"] = "Error"
    Record.objects.filter(pk=record.pk).update(body=json.dumps(body))
    problems = api.get(f"clusters/{played}/cycles/8/nodes/node-0/", 409)["problems"]
    assert problems[0]["rule"] == "this attempt cannot be explained: run again, it comes out otherwise"


def test_a_worker_that_is_just_starting_is_waited_for(
    api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked before its first sign of life, a question is answered after it."""
    api.command(small.pk, kind="schedule_one")
    looks = [threading.Event(), threading.Event()]

    def alive(*_: Any) -> list[str]:
        first, second = looks
        (second if first.is_set() else first).set()
        return ["host:1"] if second.is_set() else []

    def answer() -> None:
        with redis.Redis.from_url(settings.REDIS_URL) as broker:
            waiting = wait_for(lambda: question_queue.dequeue(broker), "the question")
            assert looks[1].wait(60)
            broker.rpush(waiting.key, b'200\n{"at": "last"}')

    monkeypatch.setattr(ask_worker, "START_SECONDS", 0.1)
    monkeypatch.setattr(ask_worker.workers, "list_alive", alive)
    starting = threading.Thread(target=answer)
    starting.start()
    assert api.get(f"clusters/{small.pk}/cycles/1/nodes/node-0/") == {"at": "last"}
    starting.join()


def test_without_a_worker_the_error_says_so(api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_worker, "START_SECONDS", 1)
    api.command(small.pk, kind="schedule_one")
    (problem,) = api.get(f"clusters/{small.pk}/cycles/1/nodes/node-0/", 503)["problems"]
    assert problem["rule"] == "no question worker is running"
    # One that lives but does not answer is another case.
    monkeypatch.setattr(ask_worker, "PATIENCE_SECONDS", 1)
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        broker.zadd(sign_of_life(QUESTIONS), {"host:1": broker.time()[0]})
        try:
            (problem,) = api.get(f"clusters/{small.pk}/cycles/1/nodes/node-0/", 503)["problems"]
        finally:
            broker.delete(sign_of_life(QUESTIONS))
    assert problem["rule"] == "no answer came within 1 s"


def test_the_workers_are_told_apart(web: None) -> None:
    heartbeat = Heartbeat("answers:1", QUESTIONS)
    heartbeat.start()
    try:
        with redis.Redis.from_url(settings.REDIS_URL) as broker:
            done = threading.Event()
            for _ in range(100):
                if ask_worker.workers.list_alive(broker, QUESTIONS):
                    break
                done.wait(0.02)
            assert ask_worker.workers.list_alive(broker, QUESTIONS) == ["answers:1"]
            assert ask_worker.workers.list_alive(broker) == []
    finally:
        heartbeat.stop()


def test_limits(api: Api, played: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_worker, "QUESTIONS_AT_A_TIME", 0)
    assert api.get(f"clusters/{played}/cycles/8/spread/", 429)["problems"]
    monkeypatch.undo()
    monkeypatch.setattr(answer_question, "ANSWER_BYTES", 100)
    assert api.get(f"clusters/{played}/cycles/8/nodes/node-0/", 413)["problems"]
    monkeypatch.undo()
    monkeypatch.setattr(moments, "QUESTION_RECORDS", 3)
    moments.forget_all_moments()
    (problem,) = api.get(f"clusters/{played}/cycles/8/spread/", 410)["problems"]
    assert "there is no checkpoint near" in problem["rule"]
    monkeypatch.undo()
    assert api.get(f"clusters/{played}/cycles/8/spread/")["constraints"] == []
    assert limits.QUESTIONS_AT_A_TIME >= 4


def test_others_cannot_ask(make_user: Any, questions: None) -> None:
    owner, other = Api(make_user("owner")), Api(make_user("other"))
    cluster = owner.cluster([node("a"), pod("p")])
    owner.command(cluster, kind="schedule_one")
    for path in ("reasons/", "nodes/a/", "nodes/a/ledger/", "compare/?a=a&b=a", "spread/", "preemption/", "timings/"):
        owner.get(f"clusters/{cluster}/cycles/1/{path}")
        other.get(f"clusters/{cluster}/cycles/1/{path}", 404)


def test_what_an_upgrade_would_change(api: Api, played: int) -> None:
    found = api.get(f"clusters/{played}/upgrade/", to="v1.34.1")
    assert (found["old"], found["new"], found["pods"], found["errors"]) == ("v1.36.3", "v1.34.1", 8, [])
    assert all(group["changes"] and group["counts"] for group in found["groups"])
    same = api.get(f"clusters/{played}/upgrade/", to="v1.36.3")
    assert (same["groups"], same["moved"]) == ([], [])
    refused = api.get(f"clusters/{played}/upgrade/", to="v1.36.3", gates="Foo=true", status=400)
    assert [each["path"] for each in refused["problems"]] == ["gates"]


def test_an_upgrades_report_is_made_in_parts(api: Api, played: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = api.get(f"clusters/{played}/upgrade/", to="v1.34.1")
    upgrades._running.clear()
    # An attempt each time.
    monkeypatch.setattr(upgrades, "UPGRADE_SLICE_SECONDS", -1)
    path = f"clusters/{played}/upgrade/part/"
    part = api.get(path, to="v1.34.1")
    assert (part["finished"], part["attempts"], part["expected"], part["report"]) == (False, 1, 16, None)
    # A cluster that goes on meanwhile does not begin it anew.
    api.command(played, kind="advance_clock", seconds=1)
    seen = [part["attempts"]]
    while not part["finished"]:
        part = api.get(path, to="v1.34.1", revision=part["revision"])
        seen.append(part["attempts"])
    assert seen == [*range(1, 17), 16]
    assert part["report"] == whole
    # The same once more is there already; of another record it is another one.
    assert api.get(path, to="v1.34.1", revision=part["revision"])["finished"]
    assert not api.get(path, to="v1.34.1")["finished"]
    refused = api.get(path, to="v1.36.3", gates="Foo=true", status=400)
    assert [each["path"] for each in refused["problems"]] == ["gates"]
