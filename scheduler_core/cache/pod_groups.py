"""PodGroups: the pods of each group, unscheduled, assumed, or assigned to a node.

Source: pkg/scheduler/backend/cache/podgroupstate.go, cache.go (v1.36).
"""

from dataclasses import dataclass, field

from kube_objects.pod import Pod


@dataclass(slots=True)
class PodGroupState:
    """The pods of one group by uid. Each pod is in `pods` and in one of the three sets."""

    pods: dict[str, Pod] = field(default_factory=dict)
    unscheduled: set[str] = field(default_factory=set)
    assumed: set[str] = field(default_factory=set)
    assigned: set[str] = field(default_factory=set)

    def _leave_sets(self, uid: str) -> None:
        for uids in (self.unscheduled, self.assumed, self.assigned):
            uids.discard(uid)

    def put(self, pod: Pod) -> None:
        """Add or update a pod; an assumed pod stays assumed until it is observed on its node."""
        is_new = pod.uid not in self.pods
        self.pods[pod.uid] = pod
        if pod.node_name:
            self._leave_sets(pod.uid)
            self.assigned.add(pod.uid)
        elif is_new:
            self.unscheduled.add(pod.uid)

    def remove(self, uid: str) -> None:
        self.pods.pop(uid, None)
        self._leave_sets(uid)

    def assume(self, uid: str) -> None:
        """Mark a pod as assumed; a pod that was deleted in the meantime is ignored."""
        if uid in self.pods:
            self._leave_sets(uid)
            (self.assigned if self.pods[uid].node_name else self.assumed).add(uid)

    def forget(self, uid: str) -> None:
        """Undo `assume`."""
        if uid in self.pods:
            self._leave_sets(uid)
            (self.assigned if self.pods[uid].node_name else self.unscheduled).add(uid)

    @property
    def scheduled_count(self) -> int:
        return len(self.assumed) + len(self.assigned)

    def unscheduled_pods(self) -> list[Pod]:
        """Return the unscheduled pods, oldest first (upstream's order is that of a map)."""
        pods = [pod for uid, pod in self.pods.items() if uid in self.unscheduled]
        return sorted(pods, key=lambda pod: pod.creation_timestamp or 0.0)


class PodGroups:
    """The state of all groups by namespace and name.

    `enabled` is false if the feature gate is off; nothing is stored then.
    """

    def __init__(self) -> None:
        self.enabled = False
        self._groups: dict[tuple[str, str], PodGroupState] = {}

    def copied(self) -> "PodGroups":
        """Return an independent copy."""
        copy = PodGroups()
        copy.enabled = self.enabled
        for name, state in self._groups.items():
            places = (set(state.unscheduled), set(state.assumed), set(state.assigned))
            copy._groups[name] = PodGroupState(dict(state.pods), *places)
        return copy

    def get(self, namespace: str, name: str) -> PodGroupState | None:
        return self._groups.get((namespace, name))

    def _is_member(self, pod: Pod) -> bool:
        return self.enabled and bool(pod.scheduling_group)

    def _state_of(self, pod: Pod) -> PodGroupState:
        return self._groups.setdefault((pod.namespace, pod.scheduling_group), PodGroupState())

    def put(self, pod: Pod) -> None:
        if self._is_member(pod):
            self._state_of(pod).put(pod)

    def remove(self, pod: Pod) -> None:
        if self._is_member(pod):
            group = self._state_of(pod)
            group.remove(pod.uid)
            if not group.pods:
                del self._groups[pod.namespace, pod.scheduling_group]

    def assume(self, pod: Pod) -> None:
        if self._is_member(pod):
            self._state_of(pod).assume(pod.uid)

    def forget(self, pod: Pod) -> None:
        if self._is_member(pod):
            self._state_of(pod).forget(pod.uid)
