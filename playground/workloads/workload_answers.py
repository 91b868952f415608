"""The answers of the workload views."""

from typing import Literal, TypedDict

from playground.response_types import named


class WorkloadPod(TypedDict):
    """A Pod of a workload. `state` is its progress."""

    pod: str
    node: str | None
    state: Literal["pending", "starting", "ready", "ended", "failed", "stopping"]


class Revision(TypedDict):
    """A revision's Pods. `more` is the number of unlisted ones; `current` says that they belong to the target."""

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
    """The Pods of a revision by state, one entry per point; `current` is the target revision."""

    name: str
    current: bool
    ready: list[int]
    starting: list[int]
    waiting: list[int]
    ended: list[int]
    failed: list[int]


@named("Rollout")
class RolloutColumns(TypedDict):
    """The points of a rollout as columns in the order of `seq`.

    `least` and `most` are a Deployment's bounds, else null. `now` is the cluster's virtual time; nothing has changed
    since the last point.
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
    """A node group. `offers` is what a new Node has; `says` is the cluster autoscaler's last message."""

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
    """The workloads of a cluster. `more` is the number that are not listed."""

    revision: int
    actors: list[str]
    live: bool
    workloads: list[Workload]
    more: int
    steps: list[Reconcile]
    groups: list[NodeGroupState]


@named("Reconciles")
class Reconciles(TypedDict):
    """Steps of controllers.

    `whole` means that no step before them is missing; `of_nodes` names the actors that act for Nodes.
    """

    revision: int
    steps: list[Reconcile]
    whole: bool
    of_nodes: list[str]


@named("Ownerless")
class Ownerless(TypedDict):
    """The number of objects by kind whose owners are all missing."""

    counts: dict[str, int]
