"""Scale-up: the choice of the group that grows for unschedulable Pods, with a reason for each other group.

Source: cluster-autoscaler/core/scaleup/orchestrator/orchestrator.go.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kube_controllers.cluster_autoscaler.estimator import estimate, node_from_template
from kube_controllers.cluster_autoscaler.expanders import Option, Settings, choose
from kube_controllers.cluster_autoscaler.node_groups import NodeGroup, Options, nodes_of
from kube_controllers.cluster_autoscaler.snapshot import Snapshot
from kube_controllers.objects import View
from kube_controllers.pods import is_finished
from kube_controllers.pods import node_of as node_name_of
from kube_objects.manifests import Manifest, condition, conditions, controller_of, is_deleted, name, spec
from kube_objects.sentences import say

_AT_MOST = "max node group size reached"


class ScaleUpPlan(NamedTuple):
    """The group that grows by `nodes` for `pods`, the reasons of the other groups, and the Pods that are left."""

    group: NodeGroup | None
    nodes: int
    pods: Sequence[Manifest]
    reasons: Mapping[str, str]
    left: Sequence[Manifest]


def unschedulable_pods(view: View, cutoff: int) -> list[Manifest]:
    """Return the Pods without a feasible Node. Source: UnschedulablePodLister, filter-out-expendable."""
    unschedulable = []
    for pod in view.of_kind("Pod"):
        if node_name_of(pod) or is_deleted(pod) or is_finished(pod):
            continue
        scheduled = condition(conditions(pod), "PodScheduled")
        if scheduled is None or scheduled.get("status") != "False" or scheduled.get("reason") != "Unschedulable":
            continue
        if int(spec(pod).get("priority") or 0) >= cutoff:
            unschedulable.append(pod)
    return unschedulable


def filter_out_schedulable(pods: Sequence[Manifest], snapshot: Snapshot) -> list[Manifest]:
    """Return the Pods that fit on no existing or provisioning Node; place the others, the highest priority first.

    Source: filterOutSchedulablePodListProcessor.
    """
    left = []
    for pod in sorted(pods, key=lambda pod: -int(spec(pod).get("priority") or 0)):
        node = snapshot.first_fit(pod, snapshot.nodes)
        if node is None:
            left.append(pod)
        else:
            snapshot.add_pod(pod, node)
    return left


def group_equal_pods(pods: Sequence[Manifest]) -> list[list[Manifest]]:
    """Return groups of Pods with the same controller and spec. Source: BuildPodGroups."""
    groups: list[tuple[str, Manifest, list[Manifest]]] = []
    for pod in pods:
        owner = str((controller_of(pod) or {}).get("uid", ""))
        for known, first, group in groups:
            if owner and known == owner and spec(first) == spec(pod):
                group.append(pod)
                break
        else:
            groups.append((owner, pod, [pod]))
    return [group for _, _, group in groups]


def plan_scale_up(
    pods: Sequence[Manifest],
    groups: Sequence[NodeGroup],
    coming: Mapping[str, int],
    snapshot: Snapshot,
    view: View,
    options: Options,
) -> ScaleUpPlan:
    """Return the plan for the unschedulable Pods. `coming` has the number of Nodes of each group that are being
    provisioned.

    Source: ScaleUp.
    """
    reason_of: dict[str, str] = {}
    possible = []
    by_group = {group.name: group for group in groups}
    equals = group_equal_pods(pods)
    for group in groups:
        size = len(nodes_of(group, view)) + coming.get(group.name, 0)
        if size >= group.most:
            reason_of[group.name] = _AT_MOST
            continue
        fitting, reasons = _fitting(equals, group, snapshot)
        if not fitting:
            reason_of[group.name] = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
            continue
        needed = estimate(fitting, group.template, snapshot.copied(), group.most - size)
        if needed.nodes:
            possible.append(Option(group.name, needed.nodes, needed.pods, group.template, group.price))
        else:
            reason_of[group.name] = say("another node would not help")
    settings = Settings(len(view.of_kind("Node")), view.chance, options.priorities)
    best = choose(possible, options.expanders, settings)
    if best is None:
        return ScaleUpPlan(None, 0, (), reason_of, pods)
    for option in possible:
        if option is not best:
            reason_of[option.group] = say(
                "{expander} prefers {group}", expander=",".join(options.expanders), group=best.group
            )
    helped = {id(pod) for pod in best.pods}
    left = [pod for pod in pods if id(pod) not in helped]
    return ScaleUpPlan(by_group[best.group], best.nodes, best.pods, reason_of, left)


def _fitting(
    equals: Sequence[Sequence[Manifest]], group: NodeGroup, snapshot: Snapshot
) -> tuple[list[Sequence[Manifest]], Counter[str]]:
    """Return the groups of Pods that fit on an empty Node of the node group, and the reasons of the others."""
    trial = snapshot.copied()
    empty_node = node_from_template(group.template, f"{group.name}-template")
    trial.add_node(empty_node)
    fitting, reasons = [], Counter[str]()
    for pods in equals:
        if trial.first_fit(pods[0], [name(empty_node)]) is not None:
            fitting.append(pods)
        else:
            reasons[trial.why_not(pods[0], name(empty_node))] += len(pods)
    return fitting, reasons
