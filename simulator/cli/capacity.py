"""Capacity commands: copies of a pod that fit, nodes to add, drainable nodes, and effects of failures."""

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from itertools import chain
from typing import Any

from kube_objects.node import Node
from simulator.cli import playing
from simulator.cli.errors import OK, InputError
from simulator.cli.input.inputs import read_scenario, unknown_name_error
from simulator.cli.repair import run_scenario
from simulator.repair import capacity
from simulator.simulation import Simulation

NOT_ALL = 1
ZONE = "topology.kubernetes.io/zone"
# Number of names in a line of text.
_FEW = 8


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scenario", nargs="+", metavar="SCENARIO", help="a YAML or JSON file, as kubectl prints it; - reads stdin"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text (docs/how-to/plan-capacity.md)")
    playing.add_arguments(parser)


def capacity_add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 at least one copy fits, 1 no copy fits, 2 invalid input"
    parser.add_argument("--pod", required=True, metavar="FILE", help="the manifest of the Pod to copy")
    parser.add_argument(
        "--limit", type=int, default=capacity.MOST_COPIES, metavar="N", help="stop after N copies (default %(default)s)"
    )
    _common(parser)


def capacity_run(arguments: argparse.Namespace) -> int:
    """Raises InputError."""
    manifests = read_scenario([arguments.pod]).manifests
    pods = [manifest for manifest in manifests if manifest.get("kind") == "Pod"]
    if len(pods) != 1:
        raise InputError([f"--pod {arguments.pod}: must contain exactly one Pod, but contains {len(pods)}"])
    result = capacity.count_copies(run_scenario(arguments), pods[0], arguments.limit)
    lines = [f"{result.placed} copies fit"]
    lines += [
        f"  {count} on {node}" for node, count in sorted(result.nodes.items(), key=lambda entry: (-entry[1], entry[0]))
    ]
    lines += [f"the next copy does not fit: {result.stopped}"] if result.stopped else []
    _print(arguments.json, result.as_dict(), lines)
    return OK if result.placed else NOT_ALL


def add_nodes_add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 all pending Pods get a node, 1 some stay pending, 2 invalid input"
    group = "a node type to add: copies of NODE at PRICE each (may be repeated; default: each existing shape at 1)"
    parser.add_argument("--group", action="append", default=[], metavar="NODE[=PRICE]", help=group)
    _common(parser)


def add_nodes_run(arguments: argparse.Namespace) -> int:
    """Raises InputError."""
    simulation = run_scenario(arguments)
    groups = [_group(simulation, option) for option in arguments.group] or None
    waited = capacity.pending_pods(simulation)
    addition = capacity.add_nodes(simulation, groups)
    lines = [f"{count} nodes like {node}" for node, count in addition.nodes.items()] or ["no nodes to add"]
    lines += [f"price {addition.price:g}; {addition.placed} of {len(waited)} pending pods are placed"] if waited else []
    lines += [f"still pending: {_few(addition.pending)}"] if addition.pending else []
    _print(arguments.json, asdict(addition), lines)
    return NOT_ALL if addition.pending else OK


def _group(simulation: Simulation, option: str) -> capacity.Group:
    name, _, price = option.partition("=")
    node = simulation.cluster.store.get("Node", name)
    if not isinstance(node, Node):
        raise unknown_name_error("--group", f"there is no node {name}", name, simulation.node_names)
    try:
        cost = float(price or 1)
    except ValueError:
        cost = -1.0
    if not 0 < cost < 1e12:
        raise InputError([f"--group {option}: the price must be a number above 0"])
    return capacity.Group(node, cost)


def drainable_add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 at least one node is drainable, 1 no node is, 2 invalid input"
    _common(parser)


def drainable_run(arguments: argparse.Namespace) -> int:
    """Raises InputError."""
    drained = list(capacity.drainable_nodes(run_scenario(arguments)))
    lines = [f"{i}. {node.node}: {len(node.moved)} pods get another node" for i, node in enumerate(drained, 1)]
    _print(arguments.json, [asdict(node) for node in drained], lines or ["no node is drainable"])
    return OK if drained else NOT_ALL


def failures_add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 every Pod gets another node, 1 some Pods do not, 2 invalid input"
    by = f"the topology key of the domains that fail, one at a time; default: single nodes (zones: {ZONE})"
    parser.add_argument("--by", metavar="KEY", help=by)
    _common(parser)


def failures_run(arguments: argparse.Namespace) -> int:
    """Raises InputError."""
    simulation = run_scenario(arguments)
    failed = list(capacity.simulate_failures(simulation, arguments.by))
    if not failed and arguments.by:
        keys = dict.fromkeys(chain.from_iterable(node.labels for node in simulation.cluster.store.list("Node")))
        raise unknown_name_error("--by", f"no node has the label {arguments.by}", arguments.by, keys)
    lines = [
        f"{failure.what}: {failure.nodes} nodes, {failure.lost} pods; "
        + (f"pending: {_few(failure.pending)}" if failure.pending else "all get another node")
        for failure in failed
    ]
    _print(arguments.json, [asdict(failure) for failure in failed], lines)
    return NOT_ALL if any(failure.pending for failure in failed) else OK


def _few(keys: list[str]) -> str:
    more = f" and {len(keys) - _FEW} more" if len(keys) > _FEW else ""
    return ", ".join(keys[:_FEW]) + more


def _print(as_json: bool, data: Mapping[str, Any] | list[Any], lines: Iterable[str]) -> None:
    print(json.dumps(data, ensure_ascii=False, indent=1) if as_json else "\n".join(lines))
