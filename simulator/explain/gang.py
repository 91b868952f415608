"""Explanation of a waiting gang: how many of its pods exist, how many have a node, and how many are missing."""

from collections.abc import Iterator, Sequence
from typing import TypedDict

from kube_objects.kinds.scheduling.pod_group import PodGroup
from kube_objects.pod import Pod
from kube_objects.sentences import Data, Template, plural
from simulator.simulation import Simulation

NO_GROUP = Template("the pod group {group} does not exist: its pods are not tried before it does")
TO_COME = plural(
    "{count} pod of the gang {group} has still to come: {least} are asked for, there are {pods}",
    "{count} pods of the gang {group} have still to come: {least} are asked for, there are {pods}",
)
TO_PLACE = plural(
    "{count} pod more of the gang {group} needs room: of {least} that are asked for {placed} have it, {pods} have not",
    "{count} pods more of the gang {group} need room: of {least} that are asked for {placed} have it, {pods} have not",
)
UNTIL = Template("it waits at Permit until {time} s of the virtual clock, then it gives its room back")
_NO_PODS = "—"
_MOST_NAMES = 20


class ExplainedGroup(TypedDict):
    """A pod group's reasons for waiting; `waits` is empty if the group itself does not make its pods wait."""

    group: str
    waits: list[Data]


class UnknownGroupError(LookupError):
    """Error for a pod group that does not exist and that no pod names."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def explain_gang(simulation: Simulation, pod: Pod) -> list[Data]:
    """Return the reasons why a pod's gang makes it wait; none for a pod without a gang."""
    cluster = simulation.cluster
    if not cluster.traits.pod_groups or not pod.scheduling_group or pod.node_name:
        return []
    key = f"{pod.namespace}/{pod.scheduling_group}"
    group = cluster.store.get("PodGroup", key)
    if not isinstance(group, PodGroup):
        return [NO_GROUP(group=key)]
    return list(_waiting_reasons(simulation, pod, key, group.min_count or 0))


def explain_group(simulation: Simulation, key: str) -> ExplainedGroup:
    """Return the reasons why the group `namespace/name` waits, taken from its pod that got furthest.

    Raises UnknownGroupError.
    """
    cluster = simulation.cluster
    namespace, _, name = key.partition("/")
    pods = [pod for pod in cluster.store.list("Pod") if (pod.namespace, pod.scheduling_group) == (namespace, name)]
    if not pods and cluster.store.get("PodGroup", key) is None:
        raise UnknownGroupError(key)
    # A pod at Permit got furthest: its reasons include when its wait ends.
    pending = sorted(
        (pod for pod in pods if not pod.node_name), key=lambda pod: pod.uid not in cluster.scheduler.waiting
    )
    return {"group": key, "waits": explain_gang(simulation, pending[0]) if pending else []}


def _waiting_reasons(simulation: Simulation, pod: Pod, key: str, min_count: int) -> Iterator[Data]:
    cluster = simulation.cluster
    group_state = cluster.cache.pod_groups.get(pod.namespace, pod.scheduling_group)
    members = [] if group_state is None else list(group_state.pods.values())
    unplaced = [] if group_state is None else group_state.unscheduled_pods()
    placed = len(members) - len(unplaced)
    if len(members) < min_count:
        yield TO_COME(count=min_count - len(members), group=key, least=min_count, pods=_names(members))
    elif placed < min_count:
        yield TO_PLACE(count=min_count - placed, group=key, least=min_count, placed=placed, pods=_names(unplaced))
    waiting = cluster.scheduler.waiting.get(pod.uid)
    if waiting is not None and waiting.point == "Permit":
        yield UNTIL(time=f"{waiting.next_deadline:.0f}")


def _names(pods: Sequence[Pod]) -> str:
    names = [pod.name for pod in pods[:_MOST_NAMES]]
    return ", ".join([*names, *(["…"] if len(pods) > _MOST_NAMES else [])]) or _NO_PODS
