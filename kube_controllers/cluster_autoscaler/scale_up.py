"""Scale-up: which group grows for the pods that wait, and what is said of each group.

Source: cluster-autoscaler/core/scaleup/orchestrator/orchestrator.go.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kube_controllers.cluster_autoscaler.estimator import estimate, node_of
from kube_controllers.cluster_autoscaler.expanders import Option, Settings, choose
from kube_controllers.cluster_autoscaler.groups import NodeGroup, Options, nodes_of
from kube_controllers.cluster_autoscaler.snapshot import Snapshot
from kube_controllers.objects import View
from kube_controllers.pods import is_finished
from kube_controllers.pods import node_of as node_name_of
from kube_objects.manifests import Manifest, condition, conditions, controller_of, is_deleted, name, spec
from kube_objects.sentences import say

_AT_MOST = "max node group size reached"


class Plan(NamedTuple):
    """`group` grows by `nodes` for these pods; `said` is what was found of each group that did not."""

    group: NodeGroup | None
    nodes: int
    pods: Sequence[Manifest]
    reasons: Mapping[str, str]
    left: Sequence[Manifest]


def waiting(view: View, cutoff: int) -> list[Manifest]:
    """Pods that the scheduler found no node for. Source: UnschedulablePodLister, filter-out-expendable."""
    found = []
    for pod in view.of_kind("Pod"):
        if node_name_of(pod) or is_deleted(pod) or is_finished(pod):
            continue
        scheduled = condition(conditions(pod), "PodScheduled")
        if scheduled is None or scheduled.get("status") != "False" or scheduled.get("reason") != "Unschedulable":
            continue
        if int(spec(pod).get("priority") or 0) >= cutoff:
            found.append(pod)
    return found


def without_fitting(pods: Sequence[Manifest], snapshot: Snapshot) -> list[Manifest]:
    """Those that no node takes that is there or on its way; the others are put there, the important ones first.

    Source: filterOutSchedulablePodListProcessor.
    """
    left = []
    for pod in sorted(pods, key=lambda pod: -int(spec(pod).get("priority") or 0)):
        found = snapshot.first_fit(pod, snapshot.nodes)
        if found is None:
            left.append(pod)
        else:
            snapshot.add_pod(pod, found)
    return left


def equal(pods: Sequence[Manifest]) -> list[list[Manifest]]:
    """Pods of one controller that ask for the same, together. Source: BuildPodGroups."""
    found: list[tuple[str, Manifest, list[Manifest]]] = []
    for pod in pods:
        owner = str((controller_of(pod) or {}).get("uid", ""))
        for known, first, group in found:
            if owner and known == owner and spec(first) == spec(pod):
                group.append(pod)
                break
        else:
            found.append((owner, pod, [pod]))
    return [group for _, _, group in found]


def plan(
    pods: Sequence[Manifest],
    groups: Sequence[NodeGroup],
    coming: Mapping[str, int],
    snapshot: Snapshot,
    view: View,
    options: Options,
) -> Plan:
    """Source: ScaleUp. `coming`: nodes of each group that were asked for and are not there yet."""
    reason_of: dict[str, str] = {}
    possible = []
    by_group = {group.name: group for group in groups}
    equals = equal(pods)
    for group in groups:
        size = len(nodes_of(group, view)) + coming.get(group.name, 0)
        if size >= group.most:
            reason_of[group.name] = _AT_MOST
            continue
        fitting, reasons = _fitting(equals, group, snapshot)
        if not fitting:
            reason_of[group.name] = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
            continue
        found = estimate(fitting, group.template, snapshot.copied(), group.most - size)
        if found.nodes:
            possible.append(Option(group.name, found.nodes, found.pods, group.template, group.price))
        else:
            reason_of[group.name] = say("a node more would not help")
    settings = Settings(len(view.of_kind("Node")), view.chance, options.priorities)
    best = choose(possible, options.expanders, settings)
    if best is None:
        return Plan(None, 0, (), reason_of, pods)
    for one in possible:
        if one is not best:
            reason_of[one.group] = say(
                "{expander} prefers {group}", expander=",".join(options.expanders), group=best.group
            )
    helped = {id(pod) for pod in best.pods}
    left = [pod for pod in pods if id(pod) not in helped]
    return Plan(by_group[best.group], best.nodes, best.pods, reason_of, left)


def _fitting(
    equals: Sequence[Sequence[Manifest]], group: NodeGroup, snapshot: Snapshot
) -> tuple[list[Sequence[Manifest]], Counter[str]]:
    """The pods that an empty node of the group takes, and why it does not take the others."""
    trial = snapshot.copied()
    made = node_of(group.template, f"{group.name}-template")
    trial.add_node(made)
    found, reasons = [], Counter[str]()
    for pods in equals:
        if trial.first_fit(pods[0], [name(made)]) is not None:
            found.append(pods)
        else:
            reasons[trial.why_not(pods[0], name(made))] += len(pods)
    return found, reasons
