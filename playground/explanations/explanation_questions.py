"""The engine's handlers of questions that explain a cycle: thin wrappers around `simulator.explain`."""

from collections.abc import Callable, Mapping
from typing import Any, TypedDict, TypeVar

from kube_objects.sentences import say
from kube_objects.serialize import manifest_of
from kube_objects.text.hints import did_you_mean
from playground.problems import Refused, problem
from playground.questions.moments import NOT_FOUND, Moment
from scheduler_core.facts.attempt_context import UnknownNodeError
from simulator.explain.arithmetic import ExplainedLedger
from simulator.explain.arithmetic import ledger as engine_ledger
from simulator.explain.compare import ExplainedComparison
from simulator.explain.compare import compare as engine_compare
from simulator.explain.devices.claims import (
    ExplainedAllocation,
    ExplainedClaims,
    explain_allocation,
    explain_claims,
)
from simulator.explain.devices.inventory import (
    ExplainedDevices,
    ExplainedNodeDevices,
    devices_of_node,
    devices_of_nodes,
)
from simulator.explain.gang import ExplainedGroup, UnknownGroupError, explain_group
from simulator.explain.node import ExplainedNode, explain_node
from simulator.explain.preemption import ExplainedPreemption, explain_preemption
from simulator.explain.spread import ExplainedSpread, ExplainedSpreadPod, UnknownConstraintError, spread_table
from simulator.explain.spread import spread_pods as engine_spread_pods
from simulator.explain.times import ExplainedTimings, times_of_rerun

Arguments = Mapping[str, Any]
Found = TypeVar("Found")


class ExplainedSpreadPods(TypedDict):
    pods: list[ExplainedSpreadPod]


class ExplainedPreemptionOrNone(TypedDict):
    preemption: ExplainedPreemption | None


def node(moment: Moment, arguments: Arguments) -> ExplainedNode:
    """Explain why a Node is feasible or not, with the values of every Filter plugin."""
    return _about_nodes(moment, lambda: explain_node(moment.attempt.context, arguments["node"]))


def ledger(moment: Moment, arguments: Arguments) -> ExplainedLedger:
    """Return the breakdown of a Node's total score."""
    return _about_nodes(moment, lambda: engine_ledger(moment.attempt.context, arguments["node"]))


def compare(moment: Moment, arguments: Arguments) -> ExplainedComparison:
    """Explain why one Node beat another."""
    return _about_nodes(moment, lambda: engine_compare(moment.attempt.context, arguments["a"], arguments["b"]))


def spread(moment: Moment, arguments: Arguments) -> ExplainedSpread:
    """Return the Pod's topology spread constraints, domain by domain."""
    return spread_table(moment.attempt.context)


def spread_pods(moment: Moment, arguments: Arguments) -> ExplainedSpreadPods:
    """Return the Pods of a constraint's domain, and why each counts or not."""
    try:
        return {"pods": engine_spread_pods(moment.attempt.context, arguments["index"], arguments["domain"])}
    except UnknownConstraintError as error:
        raise Refused([problem("index", str(error), arguments["index"])], NOT_FOUND) from error


def claims(moment: Moment, arguments: Arguments) -> ExplainedClaims:
    """Return the Pod's claims, and their results on the Nodes that were visited first."""
    return explain_claims(moment.attempt.context)


def allocation(moment: Moment, arguments: Arguments) -> ExplainedAllocation:
    """Return the allocator's search for the Pod's claims on one Node, step by step."""
    return _about_nodes(moment, lambda: explain_allocation(moment.attempt.context, arguments["node"]))


def devices(moment: Moment, arguments: Arguments) -> ExplainedDevices:
    """Return a summary of the devices of several Nodes."""
    return devices_of_nodes(moment.simulation, arguments["nodes"])


def node_devices(moment: Moment, arguments: Arguments) -> ExplainedNodeDevices:
    """Return all devices of a Node with their Pods and claims."""
    inventory = devices_of_node(moment.simulation, arguments["node"])
    return {"node": arguments["node"], "pools": [], "omitted": 0} if inventory is None else inventory


def group(moment: Moment, arguments: Arguments) -> ExplainedGroup:
    """Explain why the Pods of a Pod group wait."""
    try:
        return explain_group(moment.simulation, arguments["group"])
    except UnknownGroupError as error:
        raise Refused([problem("group", say("no such pod group"), error.key)], NOT_FOUND) from error


def preemption(moment: Moment, arguments: Arguments) -> ExplainedPreemptionOrNone:
    """Return candidates, victims and the deciding criterion; null if preemption did not run."""
    again = moment.attempt
    return {"preemption": explain_preemption(again.context, again.cycle["steps"])}


def pod(moment: Moment, arguments: Arguments) -> Any:
    """Return a Pod's manifest as the cycle found it; null if there was no such Pod."""
    stored = moment.simulation.cluster.store.get("Pod", arguments["pod"])
    return {"manifest": None if stored is None else manifest_of(stored)}


def complete(moment: Moment, arguments: Arguments) -> Any:
    """Return the matrix of every plugin on every Node."""
    matrix = moment.complete
    if matrix is None:
        raise Refused([problem("", say("no profile schedules this pod"))], NOT_FOUND)
    return matrix.to_json(moment.simulation.node_names)


def timings(moment: Moment, arguments: Arguments) -> ExplainedTimings:
    """Return how long each step took when the cycle ran again. Records hold no durations, so that they stay equal."""
    return times_of_rerun(moment.attempt)


def _about_nodes(moment: Moment, ask: Callable[[], Found]) -> Found:
    try:
        return ask()
    except UnknownNodeError as error:
        hint = did_you_mean(error.name, moment.simulation.node_names)
        raise Refused([problem("node", str(error), error.name, hint or "")], NOT_FOUND) from error
