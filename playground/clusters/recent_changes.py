"""The recent changes by users, which make verdicts of earlier cycles outdated."""

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from django.db.models import F, Sum, Window

from kube_objects.kinds.table import KINDS
from kube_objects.sentences import unpacked
from playground.models import FOREVER, BeforeChange, Command, CommandState, Cycle
from playground.store.versions import pods_at

MOST_CHANGES = 30
# A change of more objects counts as a change of everything.
MOST_OBJECTS = 200


class Concerned(TypedDict):
    nodes: list[str]
    pods: list[str]
    everything: bool


class RecentChange(Concerned):
    number: int
    what: str
    seq: int
    cycle: int | None


class RecentChanges(TypedDict):
    changes: list[RecentChange]


def list_recent_changes(cluster_id: int, upto: int | None = None) -> RecentChanges:
    """Return the last changes by users, newest first: `{changes: [{number, what, seq, cycle, nodes, pods,
    everything}]}`.

    `seq` is the change's last record and `cycle` the last cycle before it. `nodes` and `pods` are the objects that it
    concerns, including the Nodes of these Pods. `everything` is true for a configuration, for other kinds that
    scheduling reads, and for very many objects. `upto` is the last record to read.
    """
    of_cluster = Command.objects.filter(cluster_id=cluster_id)
    if not of_cluster.exclude(what="").exclude(author="").exists():
        return {"changes": []}
    counted = of_cluster.annotate(seq=Window(Sum("records"), order_by=F("number").asc())).order_by("-number")
    rows = counted.values_list("number", "what", "author", "state", "seq")
    newest = FOREVER if upto is None else upto
    shown = [row for row in rows if row[1] and row[2] and row[3] == CommandState.DONE and row[4] <= newest]
    shown = shown[:MOST_CHANGES]
    before = BeforeChange.objects.filter(cluster_id=cluster_id, number__in=[row[0] for row in shown])
    bodies = {one.number: one.body for one in before}
    answer: list[RecentChange] = []
    for number, what, _, _, seq in shown:
        last = (
            Cycle.objects.filter(cluster_id=cluster_id, seq__lt=seq)
            .order_by("-number")
            .values_list("number", flat=True)
        )
        about = _concerned(cluster_id, bodies.get(number, {}), upto)
        answer.append({"number": number, "what": unpacked(what), "seq": seq, "cycle": last.first(), **about})
    return {"changes": answer}


def _concerned(cluster_id: int, body: Mapping[str, Any], upto: int | None) -> Concerned:
    changed = body.get("objects", [])
    # Other kinds, such as ConfigMaps and Deployments, don't affect scheduling.
    objects = [item for item in changed if item[0] in KINDS]
    kinds = {kind for kind, _, _ in objects}
    if not changed or len(objects) > MOST_OBJECTS or kinds - {"Node", "Pod"}:
        return {"nodes": [], "pods": [], "everything": True}
    pods = [key for kind, key, _ in objects if kind == "Pod"]
    placed = pods_at(cluster_id, upto).filter(pod__in=pods).exclude(node="").order_by("pk")
    nodes = [key for kind, key, _ in objects if kind == "Node"]
    nodes += [*_nodes_of(manifest for _, _, manifest in objects), *placed.values_list("node", flat=True)]
    return {"nodes": list(dict.fromkeys(nodes)), "pods": pods, "everything": False}


def _nodes_of(manifests: Iterable[Mapping[str, Any] | None]) -> Iterable[str]:
    for manifest in manifests:
        name = ((manifest or {}).get("spec") or {}).get("nodeName")
        if name:
            yield str(name)
