"""Scale-down: nodes that are hardly used, and whose pods fit elsewhere, for long enough.

Source: cluster-autoscaler/core/scaledown/planner, eligibility, unneeded.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kube_controllers.cluster_autoscaler.drainability import leaving
from kube_controllers.cluster_autoscaler.groups import NodeGroup, Options, nodes_of
from kube_controllers.cluster_autoscaler.snapshot import Snapshot
from kube_controllers.cluster_autoscaler.utilization import utilization
from kube_controllers.objects import View
from kube_objects.manifests import Manifest, annotations, is_deleted, name, spec, with_spec
from kube_objects.sentences import say

DISABLED = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler"
# So many empty nodes go at once. Source: max-empty-bulk-delete.
EMPTY_AT_ONCE = 10


class Candidate(NamedTuple):
    """A node that could go, the part of it that is used, and the pods that would be evicted."""

    node: Manifest
    used: float
    pods: Sequence[Manifest]


class Found(NamedTuple):
    candidates: list[Candidate]
    reasons: dict[str, str]


def candidates(groups: Sequence[NodeGroup], snapshot: Snapshot, view: View, options: Options) -> Found:
    """Nodes that are not needed: `said` tells of the others why they are. `snapshot` is changed."""
    found: list[Candidate] = []
    reasons: dict[str, str] = {}
    taken: set[str] = set()  # nodes that would have to take pods of others
    for group in groups:
        nodes = nodes_of(group, view)
        spare = len(nodes) - group.least
        for node in nodes:
            if is_deleted(node) or is_going(node):
                spare -= 1
                continue
            candidate, reason = _judged(node, snapshot, view, options, taken)
            if candidate is None:
                reasons[name(node)] = reason
            elif spare <= 0:
                reasons[name(node)] = say("its group {group} has its least size", group=group.name)
            else:
                spare -= 1
                found.append(candidate)
    return Found(found, reasons)


def _judged(
    node: Manifest, snapshot: Snapshot, view: View, options: Options, taken: set[str]
) -> tuple[Candidate | None, str]:
    if annotations(node).get(DISABLED) == "true":
        return None, say("it is annotated to stay")
    pods = view.pods_on(name(node))
    used = utilization(node, pods, view.now)
    if used is None:
        return None, say("it does not say what it has")
    if used >= options.threshold:
        return None, say("{percent} % of it are used", percent=round(used * 100))
    going = leaving(pods, view, options.rules)
    if going.blocked:
        return None, going.blocked
    if name(node) in taken and going.pods:
        return None, say("it takes pods of nodes that go")
    trial = snapshot.copied()
    trial.remove_node(name(node))
    places = []
    for pod in going.pods:
        moved = with_spec(pod, nodeName="")
        place = trial.first_fit(moved, trial.nodes)
        if place is None:
            return None, say("pod {pod} would find no other node", pod=name(pod))
        trial.add_pod(moved, place)
        places.append((moved, place))
    snapshot.remove_node(name(node))
    for moved, place in places:
        snapshot.add_pod(moved, place)
        taken.add(place)
    return Candidate(node, used, going.pods), ""


def is_going(node: Manifest) -> bool:
    return any(one.get("key") == TO_BE_DELETED for one in spec(node).get("taints") or ())


def due(found: Sequence[Candidate], since: Mapping[str, float], now: float, options: Options) -> list[Candidate]:
    """Those that were not needed for long enough: some empty ones, or else one that is not."""
    ready = [one for one in found if now - since.get(name(one.node), now) >= options.unneeded]
    empty = [one for one in ready if not one.pods][:EMPTY_AT_ONCE]
    return empty or ready[:1]
