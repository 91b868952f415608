"""A pod that waits is changed as the playground can, as a cluster would, created again, or moved by hand."""

from typing import Any

import pytest

from kube_objects import pod_update
from simulator.simulation import CommandError, Simulation
from tests.conformance.testing import make_pod
from tests.core.simulation.test_upkeep import cluster, do, manifest, node

TYPO = {"key": "dedicatd", "operator": "Equal", "value": "gold", "effect": "NoSchedule"}
GOLD = {**TYPO, "key": "dedicated"}


def web(*tolerations: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    made = dict(make_pod("web").cpu("1").manifest())
    return {
        **made,
        "metadata": {**made["metadata"], **metadata},
        "spec": {**made["spec"], "tolerations": list(tolerations)},
    }


@pytest.fixture
def waiting() -> Simulation:
    """A pod with a typo in its toleration, in Unschedulable."""
    tainted = dict(node("a").manifest())
    tainted["spec"] = {"taints": [{"key": "dedicated", "value": "gold", "effect": "NoSchedule"}]}
    simulation = cluster(tainted, web(TYPO))
    assert simulation.cluster.queue.where("default/web").value == "unschedulable"
    return simulation


def where(simulation: Simulation) -> str:
    return simulation.cluster.queue.where("default/web").value


def test_a_corrected_toleration_is_no_event_as_the_api_server_would_refuse_it(waiting: Simulation) -> None:
    """Upstream compares how many tolerations there are: one that is corrected in place cannot happen there."""
    with pytest.raises(CommandError) as refused:
        do(waiting, "update", objects=[web(GOLD)], as_cluster=True)
    (problem,) = refused.value.problems
    assert (problem.path, problem.rule) == ("objects[0].spec.tolerations", f"Forbidden: {pod_update.TOLERATIONS}")
    do(waiting, "update", objects=[web(GOLD)])
    assert where(waiting) == "unschedulable"


def test_a_toleration_that_is_added_moves_the_pod(waiting: Simulation) -> None:
    (record,) = do(waiting, "update", objects=[web(TYPO, GOLD)], as_cluster=True)
    (move,) = record.data["moves"]
    assert (move["event"], move["plugin"], move["hint"]) == (
        "UnschedulablePodUpdatePodToleration",
        "TaintToleration",
        "Queue",
    )
    assert where(waiting) == move["to"] == "backoff"


def test_created_again_the_pod_waits_anew(waiting: Simulation) -> None:
    old = manifest(waiting, "Pod", "default/web").uid
    (record,) = do(waiting, "recreate", objects=[web(GOLD)])
    assert record.data["kind"] == "objects" and [change[0] for change in record.manifests] == ["update"]
    assert where(waiting) == "active" and manifest(waiting, "Pod", "default/web").uid not in ("", old)
    (attempt,) = do(waiting, "run", until="idle")
    assert (attempt.data["cycle"]["outcome"], attempt.data["cycle"]["attempt"]) == ("scheduled", 1)
    # One that was placed loses its node; a reset goes back to the pod as it was created last.
    uid = manifest(waiting, "Pod", "default/web").uid
    do(waiting, "recreate", objects=[dict(manifest(waiting, "Pod", "default/web").manifest)])
    assert manifest(waiting, "Pod", "default/web").node_name == ""
    assert manifest(waiting, "Pod", "default/web").uid != uid
    do(waiting, "reset")
    assert manifest(waiting, "Pod", "default/web").tolerations[0].key == "dedicated"


def test_moved_by_hand_it_is_tried_again(waiting: Simulation) -> None:
    (record,) = do(waiting, "activate", pod="default/web")
    assert record.data["kind"] == "activate" and record.data["pod"] == "default/web"
    (move,) = record.data["moves"]
    assert (move["from"], move["to"], move["event"]) == ("unschedulable", "active", "ForceActivate")
    assert record.lanes["default/web"]["lane"] == "active"


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("moving no pod", {"kind": "activate", "pod": "default/nobody"}, "no such Pod"),
    ("moving a gated one", {"kind": "activate", "pod": "default/gated"}, "it is gated"),
    ("moving one that is placed", {"kind": "activate", "pod": "default/placed"}, "is in no queue"),
    (
        "creating again what is not there",
        {"kind": "recreate", "objects": [web(GOLD, name="new")]},
        "no such Pod",
    ),
    ("creating a node again", {"kind": "recreate", "objects": [dict(node("a").manifest())]}, "must be Pod"),
    ("creating twice", {"kind": "recreate", "objects": [web(GOLD), web(GOLD)]}, "appears twice"),
    ("no truth value", {"kind": "update", "objects": [web(GOLD)], "as_cluster": "yes"}, "must be true or false"),
]


@pytest.mark.parametrize(("command", "rule"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_cannot_be_done(waiting: Simulation, command: dict[str, Any], rule: str) -> None:
    gated = dict(make_pod("gated").manifest())
    gated["spec"] = {**gated["spec"], "schedulingGates": [{"name": "wait"}]}
    do(waiting, "create", objects=[dict(node("b").manifest()), gated, dict(make_pod("placed").cpu("1").manifest())])
    do(waiting, "run", until={"pod": "default/placed"})
    before = waiting.seq
    with pytest.raises(CommandError) as refused:
        list(waiting.apply(command))
    assert rule in refused.value.problems[0].rule and waiting.seq == before
