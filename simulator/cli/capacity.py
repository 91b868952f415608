"""How much fits at all: copies of a pod, nodes to add, nodes that can go, what breaks when something fails."""

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from itertools import chain
from typing import Any

from kube_objects.node import Node
from simulator.cli import playing
from simulator.cli.errors import OK, InputError
from simulator.cli.input.inputs import read_scenario, unknown
from simulator.cli.repair import played
from simulator.repair import capacity
from simulator.simulation import Simulation

NOT_ALL = 1
ZONE = "topology.kubernetes.io/zone"
# Names that are listed in a line of text.
_FEW = 8


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", nargs="+", metavar="SCENARIO", help="YAML or JSON as kubectl prints it; - is stdin")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text (docs/capacity.md)")
    playing.add_arguments(parser)


def capacity_add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 some fit, 1 none does, 2 the input cannot be used"
    parser.add_argument("--pod", required=True, metavar="FILE", help="a manifest of the pod whose copies are placed")
    parser.add_argument(
        "--limit", type=int, default=capacity.MOST_COPIES, metavar="N", help="stop after so many copies"
    )
    _common(parser)


def capacity_run(arguments: argparse.Namespace) -> int:
    """Raises InputError."""
    pods = [one for one in read_scenario([arguments.pod]).manifests if one.get("kind") == "Pod"]
    if len(pods) != 1:
        raise InputError([f"--pod {arguments.pod}: must hold one Pod, and holds {len(pods)}"])
    found = capacity.capacity(played(arguments), pods[0], arguments.limit)
    lines = [f"{found.placed} copies fit"]
    lines += [
        f"  {count} on {node}" for node, count in sorted(found.nodes.items(), key=lambda entry: (-entry[1], entry[0]))
    ]
    lines += [f"the next one does not: {found.stopped}"] if found.stopped else []
    _print(arguments.json, found.as_dict(), lines)
    return OK if found.placed else NOT_ALL


def add_nodes_add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 all that waits is placed, 1 not all of it, 2 the input cannot be used"
    group = "nodes that can be had: like this one, for this price each (may be repeated; default: each shape, for 1)"
    parser.add_argument("--group", action="append", default=[], metavar="NODE[=PRICE]", help=group)
    _common(parser)


def add_nodes_run(arguments: argparse.Namespace) -> int:
    """Raises InputError."""
    simulation = played(arguments)
    groups = [_group(simulation, given) for given in arguments.group] or None
    waited = capacity.waiting(simulation)
    found = capacity.add_nodes(simulation, groups)
    lines = [f"{count} nodes like {node}" for node, count in found.nodes.items()] or ["no node has to be added"]
    lines += [f"for {found.price:g}; {found.placed} of {len(waited)} pods that wait are placed"] if waited else []
    lines += [f"still pending: {_few(found.pending)}"] if found.pending else []
    _print(arguments.json, asdict(found), lines)
    return NOT_ALL if found.pending else OK


def _group(simulation: Simulation, given: str) -> capacity.Group:
    name, _, price = given.partition("=")
    node = simulation.cluster.store.get("Node", name)
    if not isinstance(node, Node):
        raise unknown("--group", f"there is no node {name}", name, simulation.node_names)
    try:
        cost = float(price or 1)
    except ValueError:
        cost = -1.0
    if not 0 < cost < 1e12:
        raise InputError([f"--group {given}: the price must be a number above 0"])
    return capacity.Group(node, cost)


def drainable_add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 some node can go, 1 none can, 2 the input cannot be used"
    _common(parser)


def drainable_run(arguments: argparse.Namespace) -> int:
    """Raises InputError."""
    found = list(capacity.drainable(played(arguments)))
    lines = [f"{i}. {one.node}: {len(one.moved)} pods find another node" for i, one in enumerate(found, 1)]
    _print(arguments.json, [asdict(one) for one in found], lines or ["no node can go"])
    return OK if found else NOT_ALL


def failures_add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 every pod finds another node, 1 some do not, 2 the input cannot be used"
    by = f"what fails: a topology key, each of its values by itself; without it each node (zones: {ZONE})"
    parser.add_argument("--by", metavar="KEY", help=by)
    _common(parser)


def failures_run(arguments: argparse.Namespace) -> int:
    """Raises InputError."""
    simulation = played(arguments)
    found = list(capacity.failures(simulation, arguments.by))
    if not found and arguments.by:
        keys = dict.fromkeys(chain.from_iterable(node.labels for node in simulation.cluster.store.list("Node")))
        raise unknown("--by", f"no node has the label {arguments.by}", arguments.by, keys)
    lines = [
        f"{one.what}: {one.nodes} nodes, {one.lost} pods; "
        + (f"pending: {_few(one.pending)}" if one.pending else "all find another node")
        for one in found
    ]
    _print(arguments.json, [asdict(one) for one in found], lines)
    return NOT_ALL if any(one.pending for one in found) else OK


def _few(keys: list[str]) -> str:
    more = f" and {len(keys) - _FEW} more" if len(keys) > _FEW else ""
    return ", ".join(keys[:_FEW]) + more


def _print(as_json: bool, data: Mapping[str, Any] | list[Any], lines: Iterable[str]) -> None:
    print(json.dumps(data, ensure_ascii=False, indent=1) if as_json else "\n".join(lines))
