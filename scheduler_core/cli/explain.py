"""Say why a pod does not fit, or why it gets its node; or what a pasted FailedScheduling text means."""

import argparse
import json
import sys
from collections.abc import Iterable
from typing import Any

from scheduler_core.cli import explain_text
from scheduler_core.cli.inputs import STDIN, InputError, read_input, read_plugins
from scheduler_core.cli.run import BAD_INPUT, OK, add_config_arguments
from scheduler_core.explain.arithmetic import ledger
from scheduler_core.explain.compare import compare
from scheduler_core.explain.decoder import MAX_CHARACTERS, decode
from scheduler_core.explain.node import explain_node
from scheduler_core.explain.preemption import explain_preemption
from scheduler_core.explain.reasons import reason_tree
from scheduler_core.explain.rerun import Rerun, RerunError, next_pod, rerun
from scheduler_core.explain.scene import UnknownNodeError
from scheduler_core.explain.spread import spread_table
from scheduler_core.objects.read import did_you_mean
from scheduler_core.simulation import Simulation

NOT_PLACED = NOT_RECOGNISED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "exit status: 0 the pod gets a node, or every part of the text is known; 1 it does not, or some part is not; "
        "2 the input cannot be used"
    )
    what = parser.add_mutually_exclusive_group(required=True)
    scenario = "YAML or JSON as kubectl prints it, with nodes and pods; - is stdin (may be repeated)"
    what.add_argument("--scenario", action="append", metavar="FILE", help=scenario)
    what.add_argument("--decode", metavar="TEXT", help="a FailedScheduling text as it was pasted; - is stdin")
    parser.add_argument("--pod", metavar="NS/POD", help="the pod of the scenario to explain; without NS/ in default")
    parser.add_argument("--node", metavar="NODE", help="also explain the pod on this node")
    against = "compare --node with this node instead of the chosen one"
    parser.add_argument("--against", metavar="NODE", help=against)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="breaks ties (default 0)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text (docs/explain.md)")
    add_config_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Exit status as in the help."""
    try:
        return _decode(arguments) if arguments.decode is not None else _explain(arguments)
    except InputError as error:
        for line in error.lines:
            print(line, file=sys.stderr)
        return BAD_INPUT


def _decode(arguments: argparse.Namespace) -> int:
    text = sys.stdin.read(MAX_CHARACTERS) if arguments.decode == STDIN else arguments.decode
    found = decode(text)
    _show(found, explain_text.decoded(found), arguments.json)
    return OK if found["recognised"] else NOT_RECOGNISED


def _explain(arguments: argparse.Namespace) -> int:
    if arguments.pod is None:
        raise InputError(["--pod: is required with --scenario"])
    if arguments.against is not None and arguments.node is None:
        raise InputError(["--against: is compared with --node, which is missing"])
    registry = read_plugins(arguments.plugins)
    given = read_input(arguments.config, arguments.scenario, registry)
    simulation = Simulation.create(
        seed=arguments.seed, config=given.configured.text, registry=registry, record_steps=False
    )
    for _ in given.scenario.create_in(simulation):
        pass
    key = arguments.pod if "/" in arguments.pod else f"default/{arguments.pod}"
    before = _until_its_turn(simulation, key)
    if before:
        _show({"pod": key, "why": before}, [f"{key}: {before}"], arguments.json)
        pod = simulation.cluster.find_pod(key)
        return OK if pod is not None and pod.node_name else NOT_PLACED
    try:
        again = rerun(simulation, key)
    except RerunError as error:
        raise InputError([f"--pod: {error}"]) from error
    told = _whole(simulation, again, arguments.node, arguments.against)
    _show(told, explain_text.explained(told), arguments.json)
    return OK if again.cycle["node"] is not None else NOT_PLACED


def _until_its_turn(simulation: Simulation, key: str) -> str:
    """Schedule the pods that come before it. What there is to say if it never gets a turn, else ""."""
    cluster = simulation.cluster
    pod = cluster.find_pod(key)
    if pod is None:
        names = [found.key for found in cluster.store.list("Pod")]
        hint = did_you_mean(key, names)
        raise InputError([f"--pod: there is no pod {key} in the scenario" + (f"; {hint}" if hint else "")])
    if pod.node_name:
        return f"runs on {pod.node_name} already: the scheduler has nothing to decide"
    while (following := next_pod(simulation)) is not None and following != key:
        for _ in simulation.apply({"kind": "schedule_one"}):
            pass
    queued = cluster.queue.find(key)
    if queued is not None and queued.gated:
        return f"is gated by {queued.gating_plugin}: the scheduler does not try it"
    return ""


def _whole(simulation: Simulation, again: Rerun, node: str | None, against: str | None) -> dict[str, Any]:
    """All that there is to say of the attempt, and of one node, against another or the chosen one."""
    cycle, scene = again.cycle, again.scene
    told: dict[str, Any] = {
        "pod": cycle["pod"],
        "profile": cycle["profile"],
        "tree": reason_tree(cycle, again.matrix, simulation.node_names),
        "preemption": explain_preemption(scene, cycle["steps"]),
        "spread": spread_table(scene),
        "ledger": ledger(scene, cycle["node"]) if cycle["node"] else None,
    }
    if node is not None:
        try:
            told["node"] = explain_node(scene, node)
            told["nodeLedger"] = ledger(scene, node)
        except UnknownNodeError as error:
            raise _no_node(simulation, "--node", node) from error
        try:
            other = against or cycle["node"]
            told["compare"] = compare(scene, other, node) if other not in (None, node) else None
        except UnknownNodeError as error:
            raise _no_node(simulation, "--against", str(against)) from error
    return told


def _no_node(simulation: Simulation, option: str, name: str) -> InputError:
    hint = did_you_mean(name, simulation.node_names)
    return InputError([f"{option}: there is no node {name!r}" + (f"; {hint}" if hint else "")])


def _show(data: dict[str, Any], lines: Iterable[str], as_json: bool) -> None:
    if as_json:
        print(json.dumps(data, ensure_ascii=False, indent=1))
        return
    for line in lines:
        print(line)
