"""Scale-down: the Nodes that have been hardly used for long enough, and whose Pods fit elsewhere.

Source: cluster-autoscaler/core/scaledown/planner, eligibility, unneeded.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kube_controllers.cluster_autoscaler.drainability import pods_to_move
from kube_controllers.cluster_autoscaler.node_groups import NodeGroup, Options, nodes_of
from kube_controllers.cluster_autoscaler.snapshot import Snapshot
from kube_controllers.cluster_autoscaler.utilization import utilization
from kube_controllers.objects import View
from kube_objects.manifests import Manifest, annotations, is_deleted, name, spec, with_spec
from kube_objects.sentences import say

DISABLED = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler"
# Empty Nodes removed in one scan. Source: max-empty-bulk-delete.
EMPTY_AT_ONCE = 10


class Candidate(NamedTuple):
    """A removable Node, its utilization (0 to 1), and the Pods to evict."""

    node: Manifest
    used: float
    pods: Sequence[Manifest]


class ScaleDownReview(NamedTuple):
    """The removable Nodes, and the reasons of the others by name."""

    candidates: list[Candidate]
    reasons: dict[str, str]


def find_candidates(groups: Sequence[NodeGroup], snapshot: Snapshot, view: View, options: Options) -> ScaleDownReview:
    """Return the Nodes that are not needed, and the reasons for all others. It moves Pods in `snapshot`."""
    removable: list[Candidate] = []
    reasons: dict[str, str] = {}
    taken: set[str] = set()  # Nodes that would receive Pods of removed Nodes
    for group in groups:
        nodes = nodes_of(group, view)
        spare = len(nodes) - group.least
        for node in nodes:
            if is_deleted(node) or is_being_removed(node):
                spare -= 1
                continue
            candidate, reason = _review_node(node, snapshot, view, options, taken)
            if candidate is None:
                reasons[name(node)] = reason
            elif spare <= 0:
                reasons[name(node)] = say("its group {group} has its minimum size", group=group.name)
            else:
                spare -= 1
                removable.append(candidate)
    return ScaleDownReview(removable, reasons)


def _review_node(
    node: Manifest, snapshot: Snapshot, view: View, options: Options, taken: set[str]
) -> tuple[Candidate | None, str]:
    if annotations(node).get(DISABLED) == "true":
        return None, say("an annotation forbids scale-down")
    pods = view.pods_on(name(node))
    used = utilization(node, pods, view.now)
    if used is None:
        return None, say("it reports no resources")
    if used >= options.threshold:
        return None, say("{percent} % of it is used", percent=round(used * 100))
    moving = pods_to_move(pods, view, options.rules)
    if moving.blocked:
        return None, moving.blocked
    if name(node) in taken and moving.pods:
        return None, say("it receives Pods from nodes that are removed")
    trial = snapshot.copied()
    trial.remove_node(name(node))
    places = []
    for pod in moving.pods:
        moved = with_spec(pod, nodeName="")
        place = trial.first_fit(moved, trial.nodes)
        if place is None:
            return None, say("no other node fits Pod {pod}", pod=name(pod))
        trial.add_pod(moved, place)
        places.append((moved, place))
    snapshot.remove_node(name(node))
    for moved, place in places:
        snapshot.add_pod(moved, place)
        taken.add(place)
    return Candidate(node, used, moving.pods), ""


def is_being_removed(node: Manifest) -> bool:
    return any(taint.get("key") == TO_BE_DELETED for taint in spec(node).get("taints") or ())


def choose_due(
    candidates: Sequence[Candidate], since: Mapping[str, float], now: float, options: Options
) -> list[Candidate]:
    """Return the candidates that were unneeded for long enough: several empty ones, or else one with Pods."""
    ready = [candidate for candidate in candidates if now - since.get(name(candidate.node), now) >= options.unneeded]
    empty = [candidate for candidate in ready if not candidate.pods][:EMPTY_AT_ONCE]
    return empty or ready[:1]
