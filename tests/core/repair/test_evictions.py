"""What the scheduler itself would evict: once they are gone, other things may keep the pod out."""

from typing import Any

from scheduler_core.edits.costs import COSTS, Prices
from simulator.repair.finder import MINIMUM
from tests.conformance.testing import make_pod
from tests.core.repair.test_rules import found, node, pod, told

HOST = "kubernetes.io/hostname"
NEAR = f"Prefer, not demand, to be near the pods of the affinity term 1 ({HOST})"


def only(*kinds: str) -> Prices:
    return Prices({kind: None for kind in COSTS if kind not in kinds})


def big(name: str, priority: int) -> Any:
    """It fills the node; the pod wants to be near it."""
    return make_pod(name).node("a").label("app", "near").cpu("2").priority(priority).manifest()


def test_who_would_be_evicted_is_who_the_pod_has_to_be_near() -> None:
    objects = [node().manifest(), big("r", 0), pod().priority(5).affinity(HOST, {"app": "near"}).manifest()]
    _, repairs = found(objects, only("soften"))
    assert told(repairs[0]) == {NEAR}
    assert repairs[0].claim == MINIMUM


def test_a_higher_priority_evicts_who_the_pod_has_to_be_near() -> None:
    objects = [node().manifest(), big("r", 7), pod().affinity(HOST, {"app": "near"}).manifest()]
    _, repairs = found(objects, only("soften", "raise_priority"))
    assert told(repairs[0]) == {NEAR, "Give it a new priority class repair-8 (8); pods evicted: 1"}
    assert repairs[0].claim == MINIMUM


def test_preemption_once_enabled_evicts_who_the_pod_has_to_be_near() -> None:
    config = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler, plugins: {postFilter: {disabled: [{name: "*"}]}}}]
"""
    objects = [node().manifest(), big("r", 0), pod().priority(5).affinity(HOST, {"app": "near"}).manifest()]
    _, repairs = found(objects, only("soften", "enable_plugin"), config)
    assert NEAR in told(repairs[0])
    assert len(repairs[0].edits) == 2
    assert repairs[0].claim == MINIMUM
