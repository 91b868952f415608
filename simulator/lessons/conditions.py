"""Conditions of lessons: the record that a `wait` expects, and the state that a `task` requires, reached in any way."""

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from scheduler_core.emulations import EMULATIONS
from simulator.simulation.simulation import Simulation
from simulator.upgrade.simulation_report import report_upgrade

# ── wait: fields of a record ──

# Fields of an attempt that `wait` compares for equality.
OF_CYCLE = ("outcome", "node", "nominated")
WAIT_FIELDS = ("record", "pod", *OF_CYCLE, "event", "lane")


def meets(record: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return True if a record is the one that a `wait` expects. `pod` may be a pattern such as `shop/web-*`.

    `event` is the reason of a Kubernetes Event in the record, `lane` a queue to which the pod moves.
    """
    cycle = record.get("cycle", {})
    if "record" in wanted and record["kind"] != wanted["record"]:
        return False
    pod = wanted.get("pod", "*")
    if "lane" in wanted:
        return any(fnmatchcase(move["pod"], pod) and move["to"] == wanted["lane"] for move in record.get("moves", ()))
    if "event" in wanted:
        return any(
            event["reason"] == wanted["event"] and fnmatchcase(event["object"], pod)
            for event in record.get("events", ())
        )
    if "pod" in wanted and not fnmatchcase(cycle.get("pod", ""), pod):
        return False
    return all(cycle.get(name) == wanted[name] for name in OF_CYCLE if name in wanted)


# ── task: the state of the cluster ──

Condition = Callable[[Simulation, Mapping[str, Any], Mapping[str, Any]], bool]


def unmet_conditions(
    simulation: Simulation, conditions: Sequence[Mapping[str, Any]], baseline: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """Return the conditions of a task that do not hold.

    `baseline` is the result of `store_baseline` at the task's start.
    """
    return [
        condition
        for condition in conditions
        if not CONDITIONS[condition_name(condition)](simulation, condition, baseline)
    ]


def condition_name(condition: Mapping[str, Any]) -> str:
    """Return the name of a condition, which is one of its fields."""
    return next((name for name in condition if name in CONDITIONS), "")


def store_baseline(simulation: Simulation, conditions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the values with which `unchanged` conditions compare later, as JSON."""
    return {
        _unchanged_key(condition): _part(simulation, condition["unchanged"], condition["path"])
        for condition in conditions
        if "unchanged" in condition
    }


def _pods(simulation: Simulation, pattern: str) -> list[Pod]:
    return [pod for pod in simulation.cluster.store.list("Pod") if fnmatchcase(pod.key, pattern)]


def _scheduled(simulation: Simulation, condition: Mapping[str, Any], baseline: Mapping[str, Any]) -> bool:
    """Return True if every matching pod has a node, one of `nodes` if set.

    There must be `count` such pods, or at least one.
    """
    pods = _pods(simulation, condition["scheduled"])
    nodes = condition.get("nodes")
    count = condition.get("count")
    return (
        bool(pods)
        and all(pod.node_name and (nodes is None or pod.node_name in nodes) for pod in pods)
        and (count is None or len(pods) == count)
    )


def _pending(simulation: Simulation, condition: Mapping[str, Any], baseline: Mapping[str, Any]) -> bool:
    pods = _pods(simulation, condition["pending"])
    return bool(pods) and not any(pod.node_name for pod in pods)


def _gone(simulation: Simulation, condition: Mapping[str, Any], baseline: Mapping[str, Any]) -> bool:
    return not _pods(simulation, condition["gone"])


def _lane(simulation: Simulation, condition: Mapping[str, Any], baseline: Mapping[str, Any]) -> bool:
    pods = _pods(simulation, condition["pod"])
    queue = simulation.cluster.queue
    return bool(pods) and all(queue.where(pod.key).value == condition["lane"] for pod in pods)


def _unchanged(simulation: Simulation, condition: Mapping[str, Any], baseline: Mapping[str, Any]) -> bool:
    now = _part(simulation, condition["unchanged"], condition["path"])
    return bool(now == baseline.get(_unchanged_key(condition)))


def _skew(simulation: Simulation, condition: Mapping[str, Any], baseline: Mapping[str, Any]) -> bool:
    """Return True if the skew of matching pods over the values of `key` is at most `at_most`."""
    nodes = {node.name: node.labels[condition["key"]] for node in _nodes(simulation) if condition["key"] in node.labels}
    counts = dict.fromkeys(nodes.values(), 0)
    for pod in _pods(simulation, condition["skew"]):
        if pod.node_name in nodes:
            counts[nodes[pod.node_name]] += 1
    return bool(counts) and max(counts.values()) - min(counts.values()) <= condition["at_most"]


def _nodes(simulation: Simulation) -> Sequence[Any]:
    return simulation.cluster.store.list("Node")


def _weight(simulation: Simulation, condition: Mapping[str, Any], baseline: Mapping[str, Any]) -> bool:
    """Return True if the plugin's weight in the first profile is at least `above`.

    A plugin that does not score has weight 0.
    """
    framework = next(iter(simulation.cluster.scheduler.frameworks.values()))
    return bool(framework.weights.get(condition["weight"], 0) >= condition["above"])


def _stays_under(simulation: Simulation, condition: Mapping[str, Any], baseline: Mapping[str, Any]) -> bool:
    """Return True if no pod ends on another node under this version, with the current configuration."""
    report = report_upgrade(simulation, EMULATIONS[condition["stays_under"]])
    return not report.errors and not report.moved


def _unchanged_key(condition: Mapping[str, Any]) -> str:
    return f"{condition['unchanged']}#{condition['path']}"


def _part(simulation: Simulation, identity: str, path: str) -> Any:
    """Return the part of an object at `path`, such as `spec.containers`, or None."""
    kind, _, key = identity.partition(" ")
    obj = simulation.cluster.store.get(kind, key)
    part: Any = None if obj is None else manifest_of(obj)
    for name in path.split("."):
        part = part.get(name) if isinstance(part, Mapping) else None
    return part


CONDITIONS: Mapping[str, Condition] = {
    "scheduled": _scheduled,
    "pending": _pending,
    "gone": _gone,
    "lane": _lane,
    "unchanged": _unchanged,
    "skew": _skew,
    "weight": _weight,
    "stays_under": _stays_under,
}
# Additional fields of each condition; fields in capitals are required.
CONDITION_FIELDS: Mapping[str, Mapping[str, type]] = {
    "scheduled": {"nodes": list, "count": int},
    "pending": {},
    "gone": {},
    "lane": {"POD": str},
    "unchanged": {"PATH": str},
    "skew": {"KEY": str, "AT_MOST": int},
    "weight": {"ABOVE": int},
    "stays_under": {},
}
