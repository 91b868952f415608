"""Pods that have to go, and what is told of it: taints, budgets. What upstream's source makes of it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kube_controllers.contract import PutObject
from kube_controllers.disruption.stale import StaleDisruptionController
from kube_controllers.taint_eviction import TaintEvictionController
from kube_objects.manifests import format_time, name
from tests.core.controllers.chaos import template, workload
from tests.core.controllers.recordings.sequence_replay import Played, Step
from tests.core.controllers.upstream_cases import view_of

APPLY, READY, TAINT = "kubectl apply -f w.yaml", {"kubelet": "ready"}, "kubectl taint node --all k=v:NoExecute"
_TOLERATES = {"key": "k", "operator": "Exists", "effect": "NoExecute"}


def a_pod(**toleration: Any) -> dict[str, Any]:
    inside = {**template("web")["spec"], "tolerations": [_TOLERATES | toleration]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": inside}


# Source: pkg/controller/tainteviction/taint_eviction.go processPodOnNode, handleNodeUpdate, handlePodUpdate
CANCELLED = "Pod/web TaintManagerEviction 1: Cancelling deletion of Pod default/web"
MARKED = "Pod/web TaintManagerEviction 1: Marking for deletion Pod default/web"
PATIENT = a_pod(tolerationSeconds=9)
TAINTS: Mapping[str, tuple[Sequence[Step], Mapping[str, Any], Sequence[str]]] = {
    "a taint that goes in time": ([APPLY, TAINT, 3.0, "kubectl taint node --all k-"], PATIENT, [CANCELLED]),
    "a pod that goes in time": ([APPLY, TAINT, 3.0, "kubectl delete pod web"], PATIENT, [CANCELLED]),
    "a pod that goes at once": ([APPLY, "kubectl delete pod web"], PATIENT, []),
    "a pod that stays for ever": ([APPLY, TAINT, 3.0, "kubectl taint node --all k-"], a_pod(), []),
    "the time has come": ([APPLY, TAINT, 9.0], PATIENT, [MARKED]),
    "another taint, which is not tolerated": (
        [APPLY, TAINT, "kubectl taint node --all other=v:NoExecute"],
        PATIENT,
        [CANCELLED, MARKED],
    ),
    "another taint, which is tolerated for longer": (
        [APPLY, TAINT, 3.0, "kubectl taint node --all node.kubernetes.io/not-ready=v:NoExecute", 5.0],
        PATIENT,
        [MARKED],
    ),
    "a taint that comes again": (
        [APPLY, TAINT, 3.0, "kubectl taint node --all k-", TAINT, 5.0],
        PATIENT,
        [],
    ),
}


@pytest.mark.parametrize("named", TAINTS)
def test_taints(named: str) -> None:
    steps, pod, told = TAINTS[named]
    assert Played(steps, pod).told() == told


@pytest.mark.parametrize(
    ("named", "looked_at", "until"),
    [
        ("a taint that has just come counts from now, not from its whole second", 1000.9, 1009.9),
        ("one that was there counts from when it came", 1004.5, 1009.0),
        ("one whose time is over is not waited for", 1010.0, None),
    ],
)
def test_patience(named: str, looked_at: float, until: float | None) -> None:
    taint = {"key": "k", "value": "v", "effect": "NoExecute", "timeAdded": format_time(1000.0)}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}, "spec": {"taints": [taint]}}
    given = a_pod(tolerationSeconds=9)
    pod = {**given, "metadata": {"name": "web", "namespace": "default", "uid": "u"}}
    pod["spec"]["nodeName"] = "node-1"
    assert TaintEvictionController().reconcile(pod, view_of(node, pod, now=looked_at)).requeue_at == until, named


@pytest.mark.parametrize(
    ("named", "found", "deleted", "want"),
    [
        ("it is waited for", {"lastTransitionTime": format_time(900.0)}, False, (1020.0, None)),
        ("two minutes ago", {"lastTransitionTime": format_time(800.0)}, False, (None, "False")),
        ("nobody knows when", {}, False, (None, "False")),
        ("its kubelet takes its time", {"reason": "TerminationByKubelet"}, False, (None, None)),
        ("one that goes", {}, True, (None, None)),
    ],
)
def test_a_pod_that_was_to_be_disrupted(
    named: str, found: dict[str, str], deleted: bool, want: tuple[float | None, str | None]
) -> None:
    about = {"name": "web", "namespace": "default", "uid": "u"} | (
        {"deletionTimestamp": format_time(990.0), "finalizers": ["example.com/keep"]} if deleted else {}
    )
    pod = {**a_pod(), "metadata": about}
    pod["status"] = {"phase": "Running", "conditions": [{"type": "DisruptionTarget", "status": "True", **found}]}
    outcome = StaleDisruptionController().reconcile(pod, view_of(pod, now=1000.0))
    written = [change.obj["status"]["conditions"][0] for change in outcome.changes if isinstance(change, PutObject)]
    assert (outcome.requeue_at, written[0]["status"] if written else None) == want, named


def a_budget(**wanted: Any) -> dict[str, Any]:
    spec = {"selector": {"matchLabels": {"app": "web"}}, **wanted}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": spec}


# Source: pkg/controller/disruption/disruption.go getScaleController
NOT_SCALED: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any], str]] = {
    "a share of daemons": (
        workload("DaemonSet", "web"),
        a_budget(maxUnavailable="50%"),
        "daemonsets.apps does not implement the scale subresource",
    ),
    "all daemons but one": (
        workload("DaemonSet", "web"),
        a_budget(maxUnavailable=1),
        "daemonsets.apps does not implement the scale subresource",
    ),
    "a number of daemons": (workload("DaemonSet", "web"), a_budget(minAvailable=1), ""),
}


@pytest.mark.parametrize("named", NOT_SCALED)
def test_budgets_of_what_has_no_scale(named: str) -> None:
    owner, budget, why = NOT_SCALED[named]
    played = Played([APPLY], owner, budget)
    found = played.events("CalculateExpectedPodCountFailed")
    assert set(found) == ({f"Failed to calculate the number of expected pods: {why}"} if why else set())


def test_of_several_budgets_one_is_said_to_be_chosen() -> None:
    """Source: disruption.go getPdbForPod. All are counted, and the Eviction API takes none of such pods."""
    wants = {"selector": {"matchLabels": {"app": "web"}}, "maxUnavailable": 1}
    budgets = [
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": named}, "spec": wants}
        for named in ("one", "two")
    ]
    played = Played([APPLY, READY], workload("Deployment", "web", replicas=3), *budgets)
    told = played.events("MultiplePodDisruptionBudgets")
    (replica_set,) = played.player.life.manager.objects.of_kind("ReplicaSet")
    start = f'Pod "default"/"{name(replica_set)}-<rand>" matches multiple PodDisruptionBudgets.  Chose '
    assert len(told) == 3
    assert {one.removeprefix(start) for one in told} <= {'"one" arbitrarily.', '"two" arbitrarily.'}
    counted = [
        one["status"]["currentHealthy"] for one in played.player.life.manager.objects.of_kind("PodDisruptionBudget")
    ]
    assert counted == [3, 3]
