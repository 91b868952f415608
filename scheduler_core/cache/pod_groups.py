"""PodGroups: where the pods of each group are, as the scheduler knows: not scheduled, assumed, or assigned to a node.

Source: pkg/scheduler/backend/cache/podgroupstate.go, cache.go (v1.36).
"""

from dataclasses import dataclass, field

from kube_objects.pod import Pod


@dataclass(slots=True)
class PodGroupState:
    """Pods by uid. A pod is in `pods`, and in one of the three others."""

    pods: dict[str, Pod] = field(default_factory=dict)
    unscheduled: set[str] = field(default_factory=set)
    assumed: set[str] = field(default_factory=set)
    assigned: set[str] = field(default_factory=set)

    def _leave(self, uid: str) -> None:
        for where in (self.unscheduled, self.assumed, self.assigned):
            where.discard(uid)

    def put(self, pod: Pod) -> None:
        """A pod was seen, or a new version of it; one that is assumed stays so until it is seen on its node."""
        is_new = pod.uid not in self.pods
        self.pods[pod.uid] = pod
        if pod.node_name:
            self._leave(pod.uid)
            self.assigned.add(pod.uid)
        elif is_new:
            self.unscheduled.add(pod.uid)

    def remove(self, uid: str) -> None:
        self.pods.pop(uid, None)
        self._leave(uid)

    def assume(self, uid: str) -> None:
        """A pod that is gone meanwhile is passed over."""
        if uid in self.pods:
            self._leave(uid)
            (self.assigned if self.pods[uid].node_name else self.assumed).add(uid)

    def forget(self, uid: str) -> None:
        """Undo `assume`."""
        if uid in self.pods:
            self._leave(uid)
            (self.assigned if self.pods[uid].node_name else self.unscheduled).add(uid)

    @property
    def scheduled_count(self) -> int:
        return len(self.assumed) + len(self.assigned)

    def unscheduled_pods(self) -> list[Pod]:
        """Oldest ones first (upstream's order is that of a map)."""
        waiting = [pod for uid, pod in self.pods.items() if uid in self.unscheduled]
        return sorted(waiting, key=lambda pod: pod.creation_timestamp or 0.0)


class PodGroups:
    """By namespace and name. `enabled` is false where the feature gate is off: then nothing is kept."""

    def __init__(self) -> None:
        self.enabled = False
        self._groups: dict[tuple[str, str], PodGroupState] = {}

    def copied(self) -> "PodGroups":
        """Another one that knows the same, to go its own way."""
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

    def _of(self, pod: Pod) -> PodGroupState:
        return self._groups.setdefault((pod.namespace, pod.scheduling_group), PodGroupState())

    def put(self, pod: Pod) -> None:
        if self._is_member(pod):
            self._of(pod).put(pod)

    def remove(self, pod: Pod) -> None:
        if self._is_member(pod):
            group = self._of(pod)
            group.remove(pod.uid)
            if not group.pods:
                del self._groups[pod.namespace, pod.scheduling_group]

    def assume(self, pod: Pod) -> None:
        if self._is_member(pod):
            self._of(pod).assume(pod.uid)

    def forget(self, pod: Pod) -> None:
        if self._is_member(pod):
            self._of(pod).forget(pod.uid)
