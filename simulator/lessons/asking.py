"""Predictions in lessons: the engine computes each answer on a copy of the cluster, so lessons contain no answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_objects.sentences import Data, say
from scheduler_core.emulations import EMULATIONS
from simulator.explain.predictions import NO_OPTION, explain_not_moved, explain_not_next, explain_wrong_option
from simulator.explain.rerun import Rerun, next_pod, rerun
from simulator.simulation import Record
from simulator.simulation.simulation import Simulation
from simulator.upgrade.simulation_report import report_upgrade


class AskError(ValueError):
    """Error for a question that has no answer in this state; the text gives the reason."""


@dataclass(slots=True, frozen=True)
class PredictionAnswer:
    """Options of a question, of which `right` are correct: one, or `several`.

    `kind` is the type of the options: node, pod, plugin, number or word.
    """

    kind: str
    options: Sequence[str]
    right: Sequence[str]
    several: bool = False


@dataclass(slots=True, frozen=True)
class _TriedPod:
    """The cluster before an attempt, with the attempt's cycle and matrix."""

    simulation: Simulation
    cycle: Mapping[str, Any]
    matrix: Any

    @property
    def steps(self) -> Sequence[Mapping[str, Any]]:
        steps: Sequence[Mapping[str, Any]] = self.cycle["steps"]
        return steps


Ask = Callable[[_TriedPod, Mapping[str, Any]], PredictionAnswer]


def ask(simulation: Simulation, body: Mapping[str, Any]) -> PredictionAnswer:
    """Return the answer to a `predict` of checks.yaml, without changing the simulation. Raises AskError."""
    name = str(body.get("ask"))
    if name in STATE_ASKS:
        return STATE_ASKS[name](simulation, body)
    return ASKS[name](_try_pod(simulation, body.get("pod")), body)


def explain_wrong_options(
    simulation: Simulation, body: Mapping[str, Any], answer: PredictionAnswer
) -> dict[str, list[Data]]:
    """Return, for each wrong option, the reasons why it is wrong.

    The result is empty if the attempt can't be run again without other attempts, as for a pod of a group.
    """
    wrong, name = [option for option in answer.options if option not in answer.right], str(body.get("ask"))
    if name == "next_pod":
        return {option: explain_not_next(simulation, option) for option in wrong}
    if name == "lands_elsewhere":
        return {option: explain_not_moved(option) for option in wrong}
    attempt = _rerun_attempt(simulation, body.get("pod"))
    if attempt is None:
        return {}
    node = str(body.get("node", ""))
    return {option: explain_wrong_option(attempt, simulation.node_names, name, option, node) for option in wrong}


def _rerun_attempt(simulation: Simulation, pod: str | None) -> Rerun | None:
    """Run the attempt in question again, on a copy of the cluster in the state before it."""
    before = _copy(simulation)
    for _ in range(len(_cycles_until(_copy(simulation), pod, "cycle")) - 1):
        list(before.apply({"kind": "schedule_one"}))
    first = next_pod(before)
    return rerun(before, first) if first is not None and pod in (None, first) else None


def _copy(simulation: Simulation) -> Simulation:
    saved = simulation.checkpoint()
    if saved is None:
        raise AskError(say("a pod waits for its binding: what its plugin remembers cannot be copied"))
    return Simulation.restore(saved, registry=simulation.cluster.registry)


def _try_pod(simulation: Simulation, pod: str | None) -> _TriedPod:
    """Run a copy of the cluster until this pod was tried, or the next pod if none is named."""
    records = [record for record in _cycles_until(_copy(simulation), pod, "cycle", "binding") if _is_about(record, pod)]
    cycles = [record for record in records if record.data["kind"] == "cycle"]
    if not cycles:
        raise AskError(say("no Pod is ready") if pod is None else say("pod {pod} is not tried", pod=pod))
    # A pod of a group waits for the others within its cycle; the last record has its outcome.
    return _TriedPod(simulation, records[-1].data["cycle"], cycles[-1].matrix)


def _cycles_until(later: Simulation, pod: str | None, *kinds: str) -> list[Record]:
    """Return the records of these kinds until the pod was tried."""
    command = {"kind": "schedule_one"} if pod is None else {"kind": "run", "until": {"pod": pod}}
    return [record for record in later.apply(command) if record.data["kind"] in kinds]


def _is_about(record: Record, pod: str | None) -> bool:
    return pod in (None, record.data["cycle"]["pod"])


def _next_pod(simulation: Simulation, body: Mapping[str, Any]) -> PredictionAnswer:
    waiting = simulation.cluster.queue.active() or simulation.cluster.queue.backoff()
    if not waiting:
        raise AskError(say("no Pod is ready"))
    options = sorted(queued.pod.key for queued in waiting)
    return PredictionAnswer("pod", options, [waiting[0].pod.key])


def _lands_elsewhere(simulation: Simulation, body: Mapping[str, Any]) -> PredictionAnswer:
    """Return the pods that end on another node if `version` places them all."""
    report = report_upgrade(simulation, EMULATIONS[body["version"]])
    options = sorted(pod.key for pod in simulation.cluster.store.list("Pod"))
    return PredictionAnswer("pod", options, sorted(moved.pod for moved in report.moved), several=True)


def _chosen_node(tried: _TriedPod, body: Mapping[str, Any]) -> PredictionAnswer:
    return PredictionAnswer("node", [*tried.simulation.node_names, NO_OPTION], [tried.cycle["node"] or NO_OPTION])


def _nominated_node(tried: _TriedPod, body: Mapping[str, Any]) -> PredictionAnswer:
    return PredictionAnswer(
        "node", [*tried.simulation.node_names, NO_OPTION], [tried.cycle.get("nominated") or NO_OPTION]
    )


def _outcome(tried: _TriedPod, body: Mapping[str, Any]) -> PredictionAnswer:
    return PredictionAnswer("word", ["scheduled", "unschedulable"], [tried.cycle["outcome"]])


def _victims(tried: _TriedPod, body: Mapping[str, Any]) -> PredictionAnswer:
    """Return the victims, among the running pods of lower priority."""
    pods = tried.simulation.cluster.store.list("Pod")
    options = sorted(pod.key for pod in pods if pod.node_name and pod.priority < tried.cycle["priority"])
    victims = [
        victim
        for step in tried.steps
        if step["point"] == "PostFilter"
        for victim in (step.get("data") or {}).get("victims", ())
    ]
    return PredictionAnswer("pod", options, sorted(victims), several=True)


def _rejected_by(tried: _TriedPod, body: Mapping[str, Any]) -> PredictionAnswer:
    """Return the first plugin that rejects a node, where the scheduler stops asking."""
    node = str(body.get("node"))
    if tried.matrix is None:
        raise AskError(say("no node was evaluated"))
    evaluated = [tried.simulation.node_names[row] for row in tried.matrix.rows.tolist()]
    if node not in evaluated:
        raise AskError(say("node {node} was not evaluated", node=node))
    status = tried.matrix.statuses[tried.matrix.status[evaluated.index(node)]]
    return PredictionAnswer("plugin", [*tried.matrix.filter_plugins, NO_OPTION], [status.plugin or NO_OPTION])


def _feasible(tried: _TriedPod, body: Mapping[str, Any]) -> PredictionAnswer:
    return _number(tried.cycle["nodes"]["feasible"], body)


def _evaluated(tried: _TriedPod, body: Mapping[str, Any]) -> PredictionAnswer:
    return _number(tried.cycle["nodes"]["evaluated"], body)


def _number(right: int, body: Mapping[str, Any]) -> PredictionAnswer:
    options = [str(option) for option in body.get("options", ())]
    if str(right) not in options:
        raise AskError(f"the answer is {right}, which is not one of the options {', '.join(options) or '(none)'}")
    return PredictionAnswer("number", options, [str(right)])


# Questions about the present state, by their name in checks.yaml.
STATE_ASKS: Mapping[str, Callable[[Simulation, Mapping[str, Any]], PredictionAnswer]] = {
    "next_pod": _next_pod,
    "lands_elsewhere": _lands_elsewhere,
}
# Questions about the next attempt, by their name in checks.yaml.
ASKS: Mapping[str, Ask] = {
    "chosen_node": _chosen_node,
    "nominated_node": _nominated_node,
    "outcome": _outcome,
    "victims": _victims,
    "rejected_by": _rejected_by,
    "feasible_nodes": _feasible,
    "evaluated_nodes": _evaluated,
}
