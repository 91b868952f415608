"""Queueing hints for pods that hard spread constraints rejected.

Source: pkg/scheduler/framework/plugins/podtopologyspread/plugin.go.
"""

from collections.abc import Callable, Sequence

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.framework.events import QueueingHint
from scheduler_core.plugins.pod_topology_spread.constraints import Constraint


def after_pod_change(
    constraints: Sequence[Constraint],
    pod: Pod,
    old: Pod | None,
    new: Pod | None,
    involved: Callable[[Pod, Pod], bool],
) -> QueueingHint:
    """Return Queue if a matching pod was added or deleted, a pod's match changed, or the rejected pod's tolerations
    did.
    """
    if not all(involved(changed, pod) for changed in (old, new) if changed is not None):
        return QueueingHint.SKIP
    if old is not None and new is not None:
        more_tolerant = new.uid == pod.uid and new.tolerations != old.tolerations
        if more_tolerant and any(constraint.honor_taints for constraint in constraints):
            return QueueingHint.QUEUE
        return _queue_if(any(c.selects(old.labels) != c.selects(new.labels) for c in constraints))
    changed = new if new is not None else old
    return _queue_if(changed is not None and any(constraint.selects(changed.labels) for constraint in constraints))


def after_node_change(constraints: Sequence[Constraint], old: Node | None, new: Node | None) -> QueueingHint:
    """Return Queue if a node's domains changed, or the taints of a node that is in all domains did."""
    if old is None or new is None:
        return _queue_if(_in_all_domains(old, constraints) or _in_all_domains(new, constraints))
    if _in_all_domains(old, constraints) != _in_all_domains(new, constraints):
        return QueueingHint.QUEUE
    moved = any(old.labels.get(c.topology_key) != new.labels.get(c.topology_key) for c in constraints)
    return _queue_if(_in_all_domains(new, constraints) and (moved or old.taints != new.taints))


def involved(changed: Pod, pod: Pod) -> bool:
    """Return True for the rejected pod itself, and for assigned pods in its namespace."""
    return changed.uid == pod.uid or (bool(changed.node_name) and changed.namespace == pod.namespace)


def involved_or_nominated(changed: Pod, pod: Pod) -> bool:
    return involved(changed, pod) or (bool(changed.nominated_node_name) and changed.namespace == pod.namespace)


def _in_all_domains(node: Node | None, constraints: Sequence[Constraint]) -> bool:
    return node is not None and all(constraint.topology_key in node.labels for constraint in constraints)


def _queue_if(helps: bool) -> QueueingHint:
    return QueueingHint.QUEUE if helps else QueueingHint.SKIP
