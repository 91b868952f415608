"""InterPodAffinity's differences in v1.36.

Source (v1.36.3): pkg/scheduler/framework/plugins.
"""

from kube_objects.pod import Pod
from scheduler_core.framework.events import QueueingHint
from scheduler_core.plugins.inter_pod_affinity import plugin as inter_pod_affinity
from scheduler_core.plugins.inter_pod_affinity.hints import is_placed_or_nominated, lost_anti_affinity, terms_changed


class InterPodAffinity(inter_pod_affinity.InterPodAffinity):
    """The plugin in v1.36: its hint also counts nominated pods, and changes of the waiting pod's own labels."""

    def after_pod_change(self, pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
        if old is not None and new is not None and new.uid == pod.uid:
            return QueueingHint.QUEUE
        if not all(is_placed_or_nominated(changed) for changed in (old, new) if changed is not None):
            return QueueingHint.SKIP
        helps = terms_changed(pod, old, new) or (old is not None and new is None and lost_anti_affinity(pod, old))
        return QueueingHint.QUEUE if helps else QueueingHint.SKIP
