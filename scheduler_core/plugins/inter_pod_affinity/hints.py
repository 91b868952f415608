"""Queueing hints for pods that required pod affinity or anti-affinity rejected.

Source: pkg/scheduler/framework/plugins/interpodaffinity/plugin.go.
"""

from kube_objects.affinity import PodAffinity
from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.framework.events import QueueingHint
from scheduler_core.plugins.inter_pod_affinity.terms import IncomingTerm, incoming_terms, matches_all


def after_pod_change(pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
    """Return Queue if an assigned pod matches all affinity terms now, or no longer all anti-affinity terms."""
    if not all(changed.node_name for changed in (old, new) if changed is not None):
        return QueueingHint.SKIP
    return QueueingHint.QUEUE if terms_changed(pod, old, new) else QueueingHint.SKIP


def terms_changed(pod: Pod, old: Pod | None, new: Pod | None) -> bool:
    """Return True if the change makes the pod match the affinity terms, or no longer the anti-affinity terms."""
    affinity, anti_affinity = _terms(pod.pod_affinity), _terms(pod.pod_anti_affinity)
    if new is not None and matches_all(affinity, new) and (old is None or not matches_all(affinity, old)):
        return True
    was_repelled = old is not None and matches_all(anti_affinity, old)
    return was_repelled and (new is None or not matches_all(anti_affinity, new))


def lost_anti_affinity(pod: Pod, gone: Pod) -> bool:
    """Return True if the deleted pod's own anti-affinity matched `pod`."""
    return matches_all(_terms(gone.pod_anti_affinity), pod)


def is_placed_or_nominated(pod: Pod) -> bool:
    return bool(pod.node_name or pod.nominated_node_name)


def after_node_change(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    """Return Queue if a node joined a domain that affinity needs, or left one that anti-affinity excludes."""
    for term in _terms(pod.pod_affinity):
        after = new.labels.get(term.topology_key)
        if after is not None and (old is None or old.labels.get(term.topology_key) != after):
            return QueueingHint.QUEUE
    for term in _terms(pod.pod_anti_affinity):
        before = None if old is None else old.labels.get(term.topology_key)
        # A new node may help with any labels: without the topology key anti-affinity doesn't apply.
        if old is None or (before is not None and new.labels.get(term.topology_key) != before):
            return QueueingHint.QUEUE
    return QueueingHint.SKIP


def _terms(affinity: PodAffinity | None) -> list[IncomingTerm]:
    """Return the terms; hints don't resolve namespace selectors."""
    return incoming_terms(affinity.required, None) if affinity is not None else []
