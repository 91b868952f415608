"""The answer of `workloads/`."""

from typing import Literal, TypedDict

from playground.shapes import named


class WorkloadPod(TypedDict):
    """`state`: where it is on its way."""

    pod: str
    node: str | None
    state: Literal["pending", "starting", "ready", "ended", "failed", "stopping"]


class Revision(TypedDict):
    """`more` pods are not listed; `current`: those that are to stay."""

    name: str
    current: bool
    pods: list[WorkloadPod]
    more: int


class Workload(TypedDict):
    kind: str
    namespace: str
    name: str
    state: Literal["complete", "rolling", "stuck", "idle"]
    says: str
    why: str | None
    revisions: list[Revision]


class Reconcile(TypedDict):
    seq: int
    t: float
    actor: str
    kind: str
    key: str
    reason: str


class RolloutRevision(TypedDict):
    """Pods of a revision by what they are counted as, an entry a point; `current`: those that are to stay now."""

    name: str
    current: bool
    ready: list[int]
    starting: list[int]
    waiting: list[int]
    ended: list[int]
    failed: list[int]


@named("Rollout")
class RolloutColumns(TypedDict):
    """Columns: one entry a point, in the order of `seq`; `least` and `most` are a Deployment's bounds, else null.

    `now` is the virtual time of the cluster: until then all is as at the last point.
    """

    revision: int
    now: float
    seq: list[int]
    t: list[float]
    wanted: list[int | None]
    least: list[int | None]
    most: list[int | None]
    revisions: list[RolloutRevision]


class NodeGroupState(TypedDict):
    """`offers`: what a node more has; `says`: what the cluster autoscaler said of it last."""

    name: str
    nodes: int
    ready: int
    least: int
    most: int
    price: float | None
    provision_seconds: float
    offers: dict[str, str]
    says: str | None


@named("Workloads")
class Workloads(TypedDict):
    """`more` workloads are not listed."""

    revision: int
    actors: list[str]
    live: bool
    workloads: list[Workload]
    more: int
    steps: list[Reconcile]
    groups: list[NodeGroupState]


@named("Reconciles")
class Reconciles(TypedDict):
    """`whole`: there are no others before these; `of_nodes`: the actors among them that act for nodes."""

    revision: int
    steps: list[Reconcile]
    whole: bool
    of_nodes: list[str]


@named("Ownerless")
class Ownerless(TypedDict):
    """How many objects of each kind have owners of which none is in the cluster."""

    counts: dict[str, int]
