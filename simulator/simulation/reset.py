"""Reset: the one rule of what goes back to its start, and what stays.

What people made of the objects stays: each as it was given last, cordons, and the configuration. What has happened to
them since is undone: placements, evictions, failed nodes, ended pods, what plugins wrote; and time and the seed.
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
# A reset as it is posted today. One without `keeps`, of an earlier trace, also lifts the cordons made by hand.
COMMAND: Mapping[str, Any] = {"kind": "reset", "keeps": [CORDONS]}
KEEPS = (CORDONS,)
# Objects of one kind of change that are named.
MOST_NAMED = 8

Given = Mapping[tuple[str, str], KubeObject]


def objects_after(given: Given, store: ObjectStore, keeps: Collection[str]) -> list[KubeObject]:
    """What a reset puts into the new cluster; pods come last, as when they were given."""
    found = [_cordoned_as_now(obj, store) if CORDONS in keeps else obj for obj in given.values()]
    return sorted(found, key=lambda obj: isinstance(obj, Pod))


def _cordoned_as_now(obj: KubeObject, store: ObjectStore) -> KubeObject:
    """Only people cordon and uncordon, so what a node says of it by now is what they want."""
    if not isinstance(obj, Node):
        return obj
    live = store.get("Node", obj.key)
    if live is None or live.unschedulable == obj.unschedulable:
        return obj
    return with_cordon(obj, live.unschedulable)


class Named(TypedDict):
    """Objects by name, the first few of them."""

    count: int
    names: list[str]


class Keeps(TypedDict):
    cordoned: Named
    uncordoned: Named


class Undoes(TypedDict):
    placed: Named
    ended: Named
    gone: Named
    nodes: Named
    written: Named
    seconds: float
    seed: dict[str, int] | None


class Plan(TypedDict):
    keeps: Keeps
    undoes: Undoes


def plan(simulation: Timeline) -> Plan:
    """Return the changes that a reset would keep, and those that it would undo."""
    given, store = simulation.given, simulation.cluster.store
    keeps: dict[str, list[str]] = {"cordoned": [], "uncordoned": []}
    undoes: dict[str, list[str]] = {"placed": [], "ended": [], "gone": [], "nodes": [], "written": []}
    for (kind, key), obj in given.items():
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
    undoes["written"] += [f"{obj.kind} {obj.key}" for obj in store if (obj.kind, obj.key) not in given]
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


def _named(keys: list[str]) -> Named:
    return {"count": len(keys), "names": keys[:MOST_NAMED]}
