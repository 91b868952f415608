"""Explain command: why a pod does not fit or gets its node, or the meaning of a FailedScheduling text."""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from scheduler_core.facts.attempt_context import AttemptContext, UnknownNodeError
from simulator.cli import playing
from simulator.cli.errors import OK, InputError
from simulator.cli.input.inputs import STDIN, full_key, unknown_name_error
from simulator.cli.language import translate_answer
from simulator.cli.output import devices, explanation, matrix, times
from simulator.explain.arithmetic import ledger
from simulator.explain.compare import compare
from simulator.explain.decoder import MAX_CHARACTERS, decode
from simulator.explain.devices.claims import explain_allocation, explain_claims
from simulator.explain.devices.inventory import devices_of_node, devices_of_nodes
from simulator.explain.gang import explain_gang
from simulator.explain.glossary import glossary
from simulator.explain.node import explain_node
from simulator.explain.preemption import explain_preemption
from simulator.explain.reasons import reason_tree
from simulator.explain.rerun import Rerun, RerunError, next_pod, rerun
from simulator.explain.spread import spread_pods, spread_table
from simulator.explain.times import times_of_rerun
from simulator.simulation import Simulation

NOT_PLACED = NOT_RECOGNISED = 1
# Options about a scenario's pod → default.
OF_A_POD = {
    "pod": None,
    "node": None,
    "against": None,
    "domain": None,
    "devices": False,
    "complete": False,
    "timings": False,
}
# Number of nodes whose devices are listed.
MOST_NODES = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "exit status: 0 the Pod gets a node, or the whole text is known; 1 the Pod gets no node, or a part is unknown; "
        "2 invalid input"
    )
    what = parser.add_mutually_exclusive_group(required=True)
    scenario = "a YAML or JSON file with Nodes and Pods, as kubectl prints it; - reads stdin (may be repeated)"
    what.add_argument("--scenario", action="append", metavar="FILE", help=scenario)
    what.add_argument("--decode", metavar="TEXT", help="explain a FailedScheduling message; - reads it from stdin")
    word = "define a plugin, extension point, status code, queue or queueing hint; without NAME: define all of them"
    what.add_argument("--what", nargs="?", const="", metavar="NAME", help=word)
    parser.add_argument("--pod", metavar="NS/POD", help="the Pod to explain; without NS/ in the namespace default")
    parser.add_argument("--node", metavar="NODE", help="also explain the result on this node")
    against = "compare --node with this node instead of the chosen one"
    parser.add_argument("--against", metavar="NODE", help=against)
    domain = "also list the Pods in this domain of the spread constraints, and which of them count"
    parser.add_argument("--domain", metavar="DOMAIN", help=domain)
    devices = "also list the devices of all nodes, or with --node the details and users of its devices"
    parser.add_argument("--devices", action="store_true", help=devices)
    everything = "also show the result of every plugin on every node, with marks where kube-scheduler skips the plugin"
    parser.add_argument("--complete", action="store_true", help=everything)
    timings = "also print the time of each extension point and plugin"
    parser.add_argument("--timings", action="store_true", help=timings)
    as_json = "print JSON instead of text (docs/reference/explanation-json.md)"
    parser.add_argument("--json", action="store_true", help=as_json)
    playing.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status. Raises InputError."""
    if arguments.scenario is not None:
        return _explain(arguments)
    if lost := [f"--{name}" for name, default in OF_A_POD.items() if getattr(arguments, name) != default]:
        raise InputError(f"{option}: needs --scenario" for option in lost)
    return _decode(arguments) if arguments.decode is not None else _look_up(arguments)


def _decode(arguments: argparse.Namespace) -> int:
    text = sys.stdin.read(MAX_CHARACTERS) if arguments.decode == STDIN else arguments.decode
    decoded = translate_answer(decode(text))
    _show(decoded, explanation.decoded_lines(decoded), arguments.json)
    return OK if decoded["recognised"] else NOT_RECOGNISED


def _look_up(arguments: argparse.Namespace) -> int:
    entries = [entry for entry in translate_answer(glossary()) if arguments.what in ("", entry["name"])]
    if not entries:
        names = (entry["name"] for entry in glossary())
        raise unknown_name_error("--what", f"unknown name {arguments.what!r}", arguments.what, names)
    _show(entries, explanation.glossary_lines(entries), arguments.json)
    return OK


def _explain(arguments: argparse.Namespace) -> int:
    if arguments.pod is None:
        raise InputError(["--pod: is required with --scenario"])
    if arguments.against is not None and arguments.node is None:
        raise InputError(["--against: needs --node"])
    play = playing.prepare(arguments, record_steps=False, clock=time.perf_counter if arguments.timings else None)
    for _ in play.beginning():
        pass
    simulation, key = play.simulation, full_key(arguments.pod)
    before = _schedule_pods_before(simulation, key)
    if before:
        pod = simulation.cluster.find_pod(key)
        gang = [] if pod is None else translate_answer(explain_gang(simulation, pod))
        before_it = {"pod": key, "why": before, **({"gang": gang} if gang else {})}
        lines = [f"{key}: {before}", *(f"  {sentence['text']}" for sentence in gang)]
        _show(before_it, lines, arguments.json)
        return OK if pod is not None and pod.node_name else NOT_PLACED
    try:
        attempt = rerun(simulation, key, with_complete=arguments.complete)
    except RerunError as error:
        raise InputError([f"--pod: {error}"]) from error
    whole = translate_answer(_explanation(simulation, attempt, arguments))
    _show(whole, _lines(whole, attempt.cycle["node"]), arguments.json)
    return OK if attempt.cycle["node"] is not None else NOT_PLACED


def _lines(whole: dict[str, Any], chosen: str | None) -> Iterator[str]:
    yield from explanation.explanation_lines(whole)
    yield from devices.lines(whole)
    if "complete" in whole:
        yield from chain([""], matrix.table(whole["complete"], chosen))
    if "timings" in whole:
        yield from chain([""], times.rerun_lines(whole["timings"]))


def _schedule_pods_before(simulation: Simulation, key: str) -> str:
    """Schedule the pods before this one; return why the scheduler will not try it, "" if it will."""
    cluster = simulation.cluster
    pod = cluster.find_pod(key)
    if pod is None:
        pods = (other.key for other in cluster.store.list("Pod"))
        raise unknown_name_error("--pod", f"there is no pod {key} in the scenario", key, pods)
    if pod.node_name:
        return f"already runs on {pod.node_name}, so there is nothing to schedule"
    while (following := next_pod(simulation)) is not None and following != key:
        for _ in simulation.apply({"kind": "schedule_one"}):
            pass
    queued = cluster.queue.find(key)
    waiting = cluster.scheduler.waiting.get(pod.uid)
    if waiting is not None:
        return f"has a node, and waits at {waiting.point} for {', '.join(waiting.pending_plugins)}"
    if queued is not None and queued.gated:
        return f"is gated by {queued.gating_plugin}, so the scheduler does not try it"
    return ""


def _explanation(simulation: Simulation, attempt: Rerun, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return all explanations of the attempt that the options ask for."""
    cycle, context, node = attempt.cycle, attempt.context, arguments.node
    whole: dict[str, Any] = {
        "pod": cycle["pod"],
        "profile": cycle["profile"],
        "tree": reason_tree(cycle, attempt.matrix, simulation.node_names),
        "preemption": explain_preemption(context, cycle["steps"]),
        "spread": spread_table(context),
        "claims": explain_claims(context),
        "ledger": ledger(context, cycle["node"]) if cycle["node"] else None,
    }
    if arguments.domain is not None:
        whole["domain"] = _domain(context, whole["spread"]["constraints"], arguments.domain)
    if arguments.devices:
        names = simulation.node_names[:MOST_NODES]
        whole["devices"] = devices_of_node(simulation, node) if node else devices_of_nodes(simulation, names)
    if attempt.complete is not None:
        whole["complete"] = attempt.complete.to_json(simulation.node_names)
    if arguments.timings:
        whole["timings"] = times_of_rerun(attempt)
    if node is not None:
        try:
            whole["node"] = explain_node(context, node)
            whole["allocation"] = explain_allocation(context, node)
            whole["nodeLedger"] = ledger(context, node)
        except UnknownNodeError as error:
            raise _no_node(simulation, "--node", node) from error
        try:
            other = arguments.against or cycle["node"]
            whole["compare"] = compare(context, other, node) if other not in (None, node) else None
        except UnknownNodeError as error:
            raise _no_node(simulation, "--against", arguments.against) from error
    return whole


def _domain(context: AttemptContext, constraints: list[dict[str, Any]], domain: str) -> dict[str, Any]:
    """Return the pods of a domain for each constraint whose topology key has this value."""
    values = {constraint["index"]: context.nodes.label_values(constraint["topologyKey"]) for constraint in constraints}
    having = [constraint for constraint in constraints if domain in values[constraint["index"]]]
    if not having:
        rule = f"no spread constraint of the pod has the domain {domain!r}"
        raise unknown_name_error("--domain", rule, domain, chain.from_iterable(values.values()))
    return {
        "domain": domain,
        "constraints": [
            {
                "index": constraint["index"],
                "topologyKey": constraint["topologyKey"],
                "pods": spread_pods(context, constraint["index"], domain),
            }
            for constraint in having
        ],
    }


def _no_node(simulation: Simulation, option: str, name: str) -> InputError:
    return unknown_name_error(option, f"there is no node {name!r}", name, simulation.node_names)


def _show(data: Any, lines: Iterable[str], as_json: bool) -> None:
    if as_json:
        print(json.dumps(data, ensure_ascii=False, indent=1))
        return
    for line in lines:
        print(line)
