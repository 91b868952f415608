"""What a pod of a group waits for: which of its gang are there, which have their room, and which are missing."""

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
_NOBODY = "—"
_MOST_NAMES = 20


class ExplainedGroup(TypedDict):
    """`waits` is empty for a group that nothing keeps waiting as a group."""

    group: str
    waits: list[Data]


class UnknownGroupError(LookupError):
    """There is no such pod group, and no pod that names it."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def explain_gang(simulation: Simulation, pod: Pod) -> list[Data]:
    """Why a pod of a gang waits, as far as that is the gang's doing; nothing of other pods."""
    cluster = simulation.cluster
    if not cluster.traits.pod_groups or not pod.scheduling_group or pod.node_name:
        return []
    key = f"{pod.namespace}/{pod.scheduling_group}"
    group = cluster.store.get("PodGroup", key)
    if not isinstance(group, PodGroup):
        return [NO_GROUP(group=key)]
    return list(_missing(simulation, pod, key, group.min_count or 0))


def explain_group(simulation: Simulation, key: str) -> ExplainedGroup:
    """Why the group `namespace/name` waits: what its pod that is furthest waits for. Raises UnknownGroupError."""
    cluster = simulation.cluster
    namespace, _, name = key.partition("/")
    pods = [pod for pod in cluster.store.list("Pod") if (pod.namespace, pod.scheduling_group) == (namespace, name)]
    if not pods and cluster.store.get("PodGroup", key) is None:
        raise UnknownGroupError(key)
    # Who is at Permit has its room, and is told how long it keeps it.
    pending = sorted(
        (pod for pod in pods if not pod.node_name), key=lambda pod: pod.uid not in cluster.scheduler.waiting
    )
    return {"group": key, "waits": explain_gang(simulation, pending[0]) if pending else []}


def _missing(simulation: Simulation, pod: Pod, key: str, least: int) -> Iterator[Data]:
    cluster = simulation.cluster
    known = cluster.cache.pod_groups.get(pod.namespace, pod.scheduling_group)
    members = [] if known is None else list(known.pods.values())
    unplaced = [] if known is None else known.unscheduled_pods()
    placed = len(members) - len(unplaced)
    if len(members) < least:
        yield TO_COME(count=least - len(members), group=key, least=least, pods=_names(members))
    elif placed < least:
        yield TO_PLACE(count=least - placed, group=key, least=least, placed=placed, pods=_names(unplaced))
    waiting = cluster.scheduler.waiting.get(pod.uid)
    if waiting is not None and waiting.point == "Permit":
        yield UNTIL(time=f"{waiting.next_deadline:.0f}")


def _names(pods: Sequence[Pod]) -> str:
    names = [pod.name for pod in pods[:_MOST_NAMES]]
    return ", ".join([*names, *(["…"] if len(pods) > _MOST_NAMES else [])]) or _NOBODY
