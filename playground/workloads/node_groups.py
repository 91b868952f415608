"""The current state of node groups: size, limits, resources of a new Node, and the autoscaler's last message."""

from collections.abc import Sequence

from kube_controllers.cluster_autoscaler.node_groups import GROUP, GROUP_LABEL, NodeGroup, group_of
from kube_objects.manifests import condition, conditions, labels, name, status
from playground.models import ClusterObject
from playground.workloads import controller_steps
from playground.workloads.workload_answers import NodeGroupState

MOST_GROUPS, _MOST_NODES, _MOST_STEPS = 50, 20_000, 200
_AUTOSCALER = "cluster-autoscaler"


def describe_node_groups(cluster_id: int) -> list[NodeGroupState]:
    stored = ClusterObject.objects.filter(cluster_id=cluster_id)
    groups = list(stored.filter(kind=GROUP).order_by("key").values_list("manifest", flat=True)[:MOST_GROUPS])
    if not groups:
        return []
    sizes: dict[str, list[bool]] = {}
    for node in stored.filter(kind="Node").values_list("manifest", flat=True)[:_MOST_NODES].iterator():
        ready = condition(conditions(node), "Ready")
        sizes.setdefault(labels(node).get(GROUP_LABEL, ""), []).append(ready is None or ready.get("status") == "True")
    newest = controller_steps.newest_steps(cluster_id, _MOST_STEPS, _MOST_STEPS)
    reasons = [step["reason"] for step in newest if step["actor"] == _AUTOSCALER]
    return [_describe_node_group(manifest, sizes.get(name(manifest), []), reasons) for manifest in groups]


def _describe_node_group(manifest: dict[str, object], nodes: Sequence[bool], reasons: Sequence[str]) -> NodeGroupState:
    wrong = ""
    try:
        group = group_of(manifest)
    except ValueError as error:
        group, wrong = NodeGroup(name(manifest), {"status": {"allocatable": {}}}, 0, 0, None, 0.0), str(error)
    return {
        "name": group.name,
        "nodes": len(nodes),
        "ready": sum(nodes),
        "least": group.least,
        "most": group.most,
        "price": group.price,
        "provision_seconds": group.provision_seconds,
        "offers": {resource: str(amount) for resource, amount in status(group.template)["allocatable"].items()},
        "says": wrong or next((reason for reason in reasons if group.name in reason), None),
    }
