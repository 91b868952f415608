"""Questions to predict: the engine answers each on a copy of the cluster, so no answer is ever written down."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_objects.sentences import Data, say
from scheduler_core.emulations import EMULATIONS
from simulator.explain.predictions import NOBODY, why_not, why_not_elsewhere, why_not_next
from simulator.explain.rerun import Rerun, next_pod, rerun
from simulator.simulation import Record
from simulator.simulation.simulation import Simulation
from simulator.upgrade.of_simulation import upgrade_of


class AskError(ValueError):
    """The question makes no sense at this moment; the text says why."""


@dataclass(slots=True, frozen=True)
class Answer:
    """`right` are the options to pick, one or `several`; `kind` is what they are: node, pod, plugin, number or word."""

    kind: str
    options: Sequence[str]
    right: Sequence[str]
    several: bool = False


@dataclass(slots=True, frozen=True)
class _Moment:
    """The cluster as it is, and what it will have done when the pod in question has been tried."""

    simulation: Simulation
    cycle: Mapping[str, Any]
    matrix: Any

    @property
    def steps(self) -> Sequence[Mapping[str, Any]]:
        steps: Sequence[Mapping[str, Any]] = self.cycle["steps"]
        return steps


Ask = Callable[[_Moment, Mapping[str, Any]], Answer]


def ask(simulation: Simulation, body: Mapping[str, Any]) -> Answer:
    """Answer a `predict` of checks.yaml. Raises AskError. The simulation stays as it is."""
    name = str(body.get("ask"))
    if name in AT_REST:
        return AT_REST[name](simulation, body)
    return ASKS[name](_try(simulation, body.get("pod")), body)


def why_wrong(simulation: Simulation, body: Mapping[str, Any], answer: Answer) -> dict[str, list[Data]]:
    """By option that is not right: why it is not. Empty where the attempt cannot be run again by itself."""
    wrong, name = [option for option in answer.options if option not in answer.right], str(body.get("ask"))
    if name == "next_pod":
        return {option: why_not_next(simulation, option) for option in wrong}
    if name == "lands_elsewhere":
        return {option: why_not_elsewhere(option) for option in wrong}
    again = _again(simulation, body.get("pod"))
    if again is None:
        return {}
    node = str(body.get("node", ""))
    return {option: why_not(again, simulation.node_names, name, option, node) for option in wrong}


def _again(simulation: Simulation, pod: str | None) -> Rerun | None:
    """The attempt that is asked about, on a copy of the cluster that still is as that attempt meets it."""
    before = _copy(simulation)
    for _ in range(len(_tried(_copy(simulation), pod, "cycle")) - 1):
        list(before.apply({"kind": "schedule_one"}))
    first = next_pod(before)
    return rerun(before, first) if first is not None and pod in (None, first) else None


def _copy(simulation: Simulation) -> Simulation:
    saved = simulation.checkpoint()
    if saved is None:
        raise AskError(say("a pod waits for its binding: what its plugin remembers cannot be copied"))
    return Simulation.restore(saved, registry=simulation.cluster.registry)


def _try(simulation: Simulation, pod: str | None) -> _Moment:
    """Let a copy of the cluster go on until this pod was tried, or the next one if none is named."""
    found = [record for record in _tried(_copy(simulation), pod, "cycle", "binding") if _is_about(record, pod)]
    tried = [record for record in found if record.data["kind"] == "cycle"]
    if not tried:
        raise AskError(say("no pod can be popped") if pod is None else say("pod {pod} is not tried", pod=pod))
    # A member of a group waits for the others within its cycle; what came of it is said at their end.
    return _Moment(simulation, found[-1].data["cycle"], tried[-1].matrix)


def _tried(later: Simulation, pod: str | None, *kinds: str) -> list[Record]:
    """The cycles until the pod was tried."""
    command = {"kind": "schedule_one"} if pod is None else {"kind": "run", "until": {"pod": pod}}
    return [record for record in later.apply(command) if record.data["kind"] in kinds]


def _is_about(record: Record, pod: str | None) -> bool:
    return pod in (None, record.data["cycle"]["pod"])


def _next_pod(simulation: Simulation, body: Mapping[str, Any]) -> Answer:
    waiting = simulation.cluster.queue.active() or simulation.cluster.queue.backoff()
    if not waiting:
        raise AskError(say("no pod can be popped"))
    options = sorted(queued.pod.key for queued in waiting)
    return Answer("pod", options, [waiting[0].pod.key])


def _lands_elsewhere(simulation: Simulation, body: Mapping[str, Any]) -> Answer:
    """The pods that are on another node at the end if `version` places them all."""
    report = upgrade_of(simulation, EMULATIONS[body["version"]])
    options = sorted(pod.key for pod in simulation.cluster.store.list("Pod"))
    return Answer("pod", options, sorted(moved.pod for moved in report.moved), several=True)


def _chosen_node(moment: _Moment, body: Mapping[str, Any]) -> Answer:
    return Answer("node", [*moment.simulation.node_names, NOBODY], [moment.cycle["node"] or NOBODY])


def _nominated_node(moment: _Moment, body: Mapping[str, Any]) -> Answer:
    return Answer("node", [*moment.simulation.node_names, NOBODY], [moment.cycle.get("nominated") or NOBODY])


def _outcome(moment: _Moment, body: Mapping[str, Any]) -> Answer:
    return Answer("word", ["scheduled", "unschedulable"], [moment.cycle["outcome"]])


def _victims(moment: _Moment, body: Mapping[str, Any]) -> Answer:
    """Among the pods that run and are less important."""
    pods = moment.simulation.cluster.store.list("Pod")
    options = sorted(pod.key for pod in pods if pod.node_name and pod.priority < moment.cycle["priority"])
    found = [
        victim
        for step in moment.steps
        if step["point"] == "PostFilter"
        for victim in (step.get("data") or {}).get("victims", ())
    ]
    return Answer("pod", options, sorted(found), several=True)


def _rejected_by(moment: _Moment, body: Mapping[str, Any]) -> Answer:
    """The first plugin that rejects a node, as the scheduler stops asking there."""
    node = str(body.get("node"))
    if moment.matrix is None:
        raise AskError(say("no node was looked at"))
    looked_at = [moment.simulation.node_names[row] for row in moment.matrix.rows.tolist()]
    if node not in looked_at:
        raise AskError(say("node {node} was not looked at", node=node))
    status = moment.matrix.statuses[moment.matrix.status[looked_at.index(node)]]
    return Answer("plugin", [*moment.matrix.filter_plugins, NOBODY], [status.plugin or NOBODY])


def _feasible(moment: _Moment, body: Mapping[str, Any]) -> Answer:
    return _number(moment.cycle["nodes"]["feasible"], body)


def _evaluated(moment: _Moment, body: Mapping[str, Any]) -> Answer:
    return _number(moment.cycle["nodes"]["evaluated"], body)


def _number(right: int, body: Mapping[str, Any]) -> Answer:
    options = [str(option) for option in body.get("options", ())]
    if str(right) not in options:
        raise AskError(f"the answer is {right}, which is none of the options {', '.join(options) or '(none)'}")
    return Answer("number", options, [str(right)])


# What is asked of the cluster as it is.
AT_REST: Mapping[str, Callable[[Simulation, Mapping[str, Any]], Answer]] = {
    "next_pod": _next_pod,
    "lands_elsewhere": _lands_elsewhere,
}
# What is asked of an attempt.
ASKS: Mapping[str, Ask] = {
    "chosen_node": _chosen_node,
    "nominated_node": _nominated_node,
    "outcome": _outcome,
    "victims": _victims,
    "rejected_by": _rejected_by,
    "feasible_nodes": _feasible,
    "evaluated_nodes": _evaluated,
}
