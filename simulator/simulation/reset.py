"""The reset of a cluster: it keeps users' changes and undoes everything else.

Users' changes are the objects as last submitted, cordons and the configuration. A reset undoes placements,
evictions, failed nodes, ended pods and writes of plugins, and it restores the time and the seed of the start.
"""

from collections.abc import Collection, Mapping
from typing import Any, TypedDict

from kube_objects.meta import KubeObject
from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of, with_cordon
from simulator.simulation.store import ObjectStore
from simulator.simulation.timeline import Timeline

CORDONS = "cordons"
# The command of a reset. A reset of an early trace has no `keeps` and also undoes cordons by users.
COMMAND: Mapping[str, Any] = {"kind": "reset", "keeps": [CORDONS]}
KEEPS = (CORDONS,)
# The largest number of objects that are named for one kind of change.
MOST_NAMED = 8

SubmittedObjects = Mapping[tuple[str, str], KubeObject]


def objects_after_reset(submitted: SubmittedObjects, store: ObjectStore, keeps: Collection[str]) -> list[KubeObject]:
    """Return the objects of the cluster after a reset; pods come last, as when objects are created."""
    objects = [_with_current_cordon(obj, store) if CORDONS in keeps else obj for obj in submitted.values()]
    return sorted(objects, key=lambda obj: isinstance(obj, Pod))


def _with_current_cordon(obj: KubeObject, store: ObjectStore) -> KubeObject:
    """Return a submitted Node with `spec.unschedulable` of the stored Node, which only users change."""
    if not isinstance(obj, Node):
        return obj
    live = store.get("Node", obj.key)
    if live is None or live.unschedulable == obj.unschedulable:
        return obj
    return with_cordon(obj, live.unschedulable)


class NamedObjects(TypedDict):
    """The number of some objects, and the names of the first MOST_NAMED."""

    count: int
    names: list[str]


class KeptChanges(TypedDict):
    """The nodes that users cordoned or uncordoned, by key."""

    cordoned: NamedObjects
    uncordoned: NamedObjects


class UndoneChanges(TypedDict):
    """Changes since the start: pods that were placed or ended, deleted objects, changed nodes, written objects.

    `seconds` is the elapsed virtual time. `seed` is None if it has not changed.
    """

    placed: NamedObjects
    ended: NamedObjects
    gone: NamedObjects
    nodes: NamedObjects
    written: NamedObjects
    seconds: float
    seed: dict[str, int] | None


class ResetPlan(TypedDict):
    keeps: KeptChanges
    undoes: UndoneChanges


def plan_reset(simulation: Timeline) -> ResetPlan:
    """Return the changes that a reset would keep, and those that it would undo."""
    submitted, store = simulation.submitted, simulation.cluster.store
    keeps: dict[str, list[str]] = {"cordoned": [], "uncordoned": []}
    undoes: dict[str, list[str]] = {"placed": [], "ended": [], "gone": [], "nodes": [], "written": []}
    for (kind, key), obj in submitted.items():
        live = store.get(kind, key)
        if live is None:
            undoes["gone"].append(key if kind == "Pod" else f"{kind} {key}")
        elif isinstance(obj, Node):
            if live.unschedulable != obj.unschedulable:
                keeps["cordoned" if live.unschedulable else "uncordoned"].append(key)
            if (live.taints, live.conditions) != (obj.taints, obj.conditions):
                undoes["nodes"].append(key)
        elif isinstance(obj, Pod):
            if live.finished and not obj.finished:
                undoes["ended"].append(key)
            elif live.node_name and not obj.node_name:
                undoes["placed"].append(key)
        elif live is not obj and manifest_of(live) != manifest_of(obj):
            undoes["written"].append(f"{kind} {key}")
    undoes["written"] += [f"{obj.kind} {obj.key}" for obj in store if (obj.kind, obj.key) not in submitted]
    seed = {"from": simulation.seed, "to": simulation.first_seed}
    return {
        "keeps": {"cordoned": _named(keeps["cordoned"]), "uncordoned": _named(keeps["uncordoned"])},
        "undoes": {
            "placed": _named(undoes["placed"]),
            "ended": _named(undoes["ended"]),
            "gone": _named(undoes["gone"]),
            "nodes": _named(undoes["nodes"]),
            "written": _named(undoes["written"]),
            "seconds": round(simulation.now, 6),
            "seed": seed if seed["from"] != seed["to"] else None,
        },
    }


def _named(keys: list[str]) -> NamedObjects:
    return {"count": len(keys), "names": keys[:MOST_NAMED]}
