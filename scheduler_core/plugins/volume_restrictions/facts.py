"""VolumeRestrictions' facts: the pods that use an exclusive disk or PVC.

Source: pkg/scheduler/framework/plugins/volumerestrictions.
"""

from collections.abc import Iterator

from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import Fact, first_pod_keys
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.plugins.volume_restrictions import plugin as volume_restrictions
from scheduler_core.plugins.volumes import named_claims

IN_USE = Template("this claim may be used by one pod only (ReadWriteOncePod), and {pods} use it")
DISK = Template("{pods} on the node use this disk too, and it cannot be shared")
DISK_FREE = Template("no pod on the node uses this disk in a way that excludes others")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    return [*_claims_in_use(context, state), *_disks(context, node)]


def _claims_in_use(context: AttemptContext, state: CycleState) -> Iterator[Fact]:
    data: volume_restrictions.State | None = state.find(volume_restrictions.PRE_FILTER)
    if data is None or data.users <= 0:
        return
    for name in sorted(data.claims):
        nodes = context.nodes.claim_users(f"{context.pod.namespace}/{name}")
        users = [pod for host in nodes for pod in context.node(host).pods if name in named_claims(pod)]
        if users:
            pods = first_pod_keys(users)
            yield Fact(IN_USE(pods=", ".join(pods)), name, True, {"pods": pods, "nodes": sorted(nodes)})


def _disks(context: AttemptContext, node: NodeView) -> Iterator[Fact]:
    for disk in volume_restrictions.list_inline_disks(context.pod):
        pods = first_pod_keys(pod for pod in node.pods if volume_restrictions.have_conflict([disk], [pod]))
        what = DISK(pods=", ".join(pods)) if pods else DISK_FREE()
        yield Fact(what, disk.name, bool(pods), {"pods": pods})
