"""Questions about a cycle that explain it: thin wrappers around `simulator.explain`."""

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
    """Why, or why not, this node: every filter plugin with its numbers."""
    return _about_nodes(moment, lambda: explain_node(moment.attempt.scene, arguments["node"]))


def ledger(moment: Moment, arguments: Arguments) -> ExplainedLedger:
    """How one node's total is made."""
    return _about_nodes(moment, lambda: engine_ledger(moment.attempt.scene, arguments["node"]))


def compare(moment: Moment, arguments: Arguments) -> ExplainedComparison:
    """Why one node beat another."""
    return _about_nodes(moment, lambda: engine_compare(moment.attempt.scene, arguments["a"], arguments["b"]))


def spread(moment: Moment, arguments: Arguments) -> ExplainedSpread:
    """The spread constraints of the pod, domain by domain."""
    return spread_table(moment.attempt.scene)


def spread_pods(moment: Moment, arguments: Arguments) -> ExplainedSpreadPods:
    """The pods of one domain of a constraint, and why each counts or not."""
    try:
        return {"pods": engine_spread_pods(moment.attempt.scene, arguments["index"], arguments["domain"])}
    except UnknownConstraintError as error:
        raise Refused([problem("index", str(error), arguments["index"])], NOT_FOUND) from error


def claims(moment: Moment, arguments: Arguments) -> ExplainedClaims:
    """The pod's claims, and what became of them on the nodes that were visited first."""
    return explain_claims(moment.attempt.scene)


def allocation(moment: Moment, arguments: Arguments) -> ExplainedAllocation:
    """The allocator's search for the pod's claims on one node, step by step."""
    return _about_nodes(moment, lambda: explain_allocation(moment.attempt.scene, arguments["node"]))


def devices(moment: Moment, arguments: Arguments) -> ExplainedDevices:
    """The devices of several nodes in short."""
    return devices_of_nodes(moment.simulation, arguments["nodes"])


def node_devices(moment: Moment, arguments: Arguments) -> ExplainedNodeDevices:
    """All devices of one node, with who has them."""
    found = devices_of_node(moment.simulation, arguments["node"])
    return {"node": arguments["node"], "pools": [], "omitted": 0} if found is None else found


def group(moment: Moment, arguments: Arguments) -> ExplainedGroup:
    """Why the pods of a group wait together."""
    try:
        return explain_group(moment.simulation, arguments["group"])
    except UnknownGroupError as error:
        raise Refused([problem("group", say("there is no such pod group"), error.key)], NOT_FOUND) from error


def preemption(moment: Moment, arguments: Arguments) -> ExplainedPreemptionOrNone:
    """Candidates, victims and what decided; null if preemption did not run."""
    again = moment.attempt
    return {"preemption": explain_preemption(again.scene, again.cycle["steps"])}


def pod(moment: Moment, arguments: Arguments) -> Any:
    """The manifest of a pod, as the cycle found it; null if there was no such pod."""
    found = moment.simulation.cluster.store.get("Pod", arguments["pod"])
    return {"manifest": None if found is None else manifest_of(found)}


def complete(moment: Moment, arguments: Arguments) -> Any:
    """The matrix of every plugin on every node."""
    matrix = moment.complete
    if matrix is None:
        raise Refused([problem("", say("no profile schedules this pod"))], NOT_FOUND)
    return matrix.to_json(moment.simulation.node_names)


def timings(moment: Moment, arguments: Arguments) -> ExplainedTimings:
    """How long each step took when the cycle was run again: the records hold no durations, so that they stay equal."""
    return times_of_rerun(moment.attempt)


def _about_nodes(moment: Moment, ask: Callable[[], Found]) -> Found:
    try:
        return ask()
    except UnknownNodeError as error:
        hint = did_you_mean(error.name, moment.simulation.node_names)
        raise Refused([problem("node", str(error), error.name, hint or "")], NOT_FOUND) from error
