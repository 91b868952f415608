"""What a class is asked about is held back from followers until they have answered: on every address they may read."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from playground.models import Cluster
from tests.api.classes.test_class_attacks import READABLE, READABLE_ELSEWHERE
from tests.class_room import change, join, opened
from tests.web import Api, node, pod

# The last cycle evicts `low`, so that nodes, pods, lanes, objects and Events all tell it.
LOW = pod("low", cpu="3")
OBJECTS = [node("n"), node("m", cpu="1"), pod("p", cpu="500m"), LOW]
HIGH = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
URGENT = pod("urgent", cpu="3", priorityClassName="high")
CYCLE = 3
# What else names something that only the outcome touches.
MORE = {
    f"cycles/{CYCLE}/{rest}"
    for rest in (
        "",
        "matrix/",
        "matrix/?complete=true",
        "reasons/",
        "nodes/n/",
        "nodes/n/ledger/",
        "compare/?a=n&b=m",
        "claims/",
        "nodes/n/claims/",
        "spread/",
        "spread/0/pods/?domain=z",
        "preemption/",
        "timings/",
    )
} | {
    "cycles/2/",
    f"nodes/?cycle={CYCLE}",
    f"nodes/n/devices/?cycle={CYCLE}",
    f"devices/?nodes=n&cycle={CYCLE}",
    f"groups/default/g/?cycle={CYCLE}",
    f"owners/?cycle={CYCLE}",
    f"nodes/?cycle={CYCLE - 1}",
    f"queue/?cycle={CYCLE}&within=true",
    "queue/?lane=active&offset=0",
    "node-changes/?since=99999",
    "records/?after=0&limit=1000",
    "pods/?nodes=n,m",
    *(f"pods/default/{name}/{rest}" for name in ("low", "urgent") for rest in ("", "moves/")),
    *(f"objects/Pod/default%2F{name}/" for name in ("low", "urgent")),
    "source/?kind=Pod&key=default/urgent",
    "nodes/m/",
}


@pytest.fixture
def teacher(make_user: Callable[[str], Any]) -> Api:
    return Api(make_user("teacher"))


@pytest.fixture
def shown(teacher: Api, questions: None) -> int:
    """A cluster whose next attempt evicts a pod."""
    made = teacher.cluster([HIGH, *OBJECTS])
    teacher.command(made, kind="run", until={"cycles": 2})
    teacher.command(made, kind="create", objects=[URGENT])
    return made


def seen(who: Api, cluster: int) -> dict[str, tuple[int, bytes]]:
    """Everything that a follower may read."""
    paths = READABLE | READABLE_ELSEWHERE | MORE
    found = {path: who.client.get(f"/api/v1/clusters/{cluster}/{path}") for path in sorted(paths)}
    return {path: (answer.status_code, answer.content) for path, answer in found.items()}


def told(before: dict[str, tuple[int, bytes]], now: dict[str, tuple[int, bytes]]) -> Iterator[str]:
    """The addresses that tell something that they did not tell before."""
    for path, answer in now.items():
        # How long an answer took is measured anew each time.
        if answer[0] != 409 and answer != before[path] and "timings" not in path:
            yield path


def asked(teacher: Api, cluster: int, **question: Any) -> str:
    taught = opened(teacher, cluster)
    teacher.post(f"classes/{taught['id']}/questions/", {"ask": "chosen_node"} | question, 201)
    return f"classes/{taught['id']}"


def test_what_comes_next_is_told_to_who_has_answered(teacher: Api, shown: int) -> None:
    code = opened(teacher, shown)["code"]
    ada, bob = join(code, "Ada"), join(code, "Bob")
    here = asked(teacher, shown)
    before = seen(ada, shown)
    ada.post(f"{here}/questions/1/answer/", {"chosen": ["m"]})
    # While nobody knows it can be changed.
    ada.post(f"{here}/questions/1/answer/", {"chosen": ["n"]})
    teacher.command(shown, kind="run", until={"cycles": 1})
    assert Cluster.objects.get(pk=shown).cycle == CYCLE
    assert list(told(before, seen(bob, shown))) == []
    # A test that compares nothing would pass as well: the outcome is told in most of these places.
    open_to = set(told(before, seen(ada, shown)))
    expected = {"", "records/", "cycles/", "queue/", "objects/", "pods/default/low/", f"cycles/{CYCLE}/matrix/"}
    assert expected <= open_to
    assert "low" not in ada.client.get(f"/api/v1/clusters/{shown}/objects/?kind=Pod").content.decode()
    # Who has seen it does not change their mind; who has not answered still may.
    ada.post(f"{here}/questions/1/answer/", {"chosen": ["m"]}, 409)
    bob.post(f"{here}/questions/1/answer/", {"chosen": ["m"]})
    assert set(told(before, seen(bob, shown))) == open_to


def test_the_teacher_shows_it_to_everybody(teacher: Api, shown: int) -> None:
    code = opened(teacher, shown)["code"]
    ada = join(code, "Ada")
    here = asked(teacher, shown)
    teacher.command(shown, kind="run", until={"cycles": 1})
    late = join(code, "late")
    for follower in (ada, late):
        refused = follower.get(f"clusters/{shown}/cycles/{CYCLE}/", 409)["problems"][0]
        assert refused["rule"] == "the class is asked about this"
        assert follower.get(f"clusters/{shown}/")["cycle"] == CYCLE - 1
    assert teacher.get(f"clusters/{shown}/cycles/{CYCLE}/")["cycle"]["number"] == CYCLE
    teacher.post(f"{here}/questions/close/")
    for follower in (ada, late):
        assert follower.get(f"clusters/{shown}/cycles/{CYCLE}/")["cycle"]["number"] == CYCLE


def test_a_cycle_that_has_run_leaves_until_it_is_answered(teacher: Api, shown: int) -> None:
    ada = join(opened(teacher, shown)["code"], "Ada")
    # What can be known before the cycle is what the answers said then.
    before = seen(ada, shown)
    teacher.command(shown, kind="run", until={"cycles": 1})
    here = asked(teacher, shown, cycle=CYCLE)
    assert list(told(before, seen(ada, shown))) == []
    ada.post(f"{here}/questions/1/answer/", {"chosen": ["n"]})
    assert ada.get(f"clusters/{shown}/")["cycle"] == CYCLE


def test_where_the_teacher_points_is_held_back_too(teacher: Api, shown: int) -> None:
    from playground.models import Classroom

    ada = join(opened(teacher, shown)["code"], "Ada")
    here = asked(teacher, shown)
    moment = {"cluster": shown, "cycle": CYCLE, "step": 9, "pinned": {"node": "n"}}
    Classroom.objects.update(moment=moment)
    assert ada.get(f"{here}/")["moment"] is None
    assert teacher.get(f"{here}/")["moment"] == moment
    assert ada.post(f"{here}/questions/1/answer/", {"chosen": ["n"]})["moment"] == moment
    # An earlier cycle tells nothing.
    bob = join(opened(teacher, shown)["code"], "Bob")
    Classroom.objects.update(moment={**moment, "cycle": CYCLE - 1})
    assert bob.get(f"{here}/")["moment"]["cycle"] == CYCLE - 1


def test_another_cluster_ends_the_question(teacher: Api, shown: int) -> None:
    code = opened(teacher, shown)["code"]
    ada = join(code, "Ada")
    here = asked(teacher, shown)
    branch = teacher.post(f"clusters/{shown}/branches/", {"at": "now"}, 201)["id"]
    change(teacher, int(here.rpartition("/")[2]), cluster=branch)
    assert ada.get(f"{here}/")["question"]["open"] is False
    teacher.command(branch, kind="run", until={"cycles": 1})
    assert ada.get(f"clusters/{branch}/")["cycle"] == CYCLE
