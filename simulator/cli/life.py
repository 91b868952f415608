"""Life command: a pod's attempts in a scenario, and its moves in the queue with event and hint."""

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Any

from scheduler_core.facts.quantities import format_amount
from simulator.cli import playing
from simulator.cli.errors import OK
from simulator.cli.input.inputs import full_key, unknown_name_error
from simulator.cli.output.outcomes import STATUS
from simulator.explain.pod_history import PodHistory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 success, 2 invalid input"
    scenario = "a YAML or JSON file with Nodes and Pods, as kubectl prints it; - reads stdin (may be repeated)"
    parser.add_argument("--scenario", action="append", required=True, metavar="FILE", help=scenario)
    parser.add_argument(
        "--pod", required=True, metavar="NS/POD", help="the Pod to follow; without NS/ in the namespace default"
    )
    as_json = "print JSON instead of text (docs/reference/explanation-json.md)"
    parser.add_argument("--json", action="store_true", help=as_json)
    playing.add_arguments(parser)
    playing.add_until_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status. Raises InputError."""
    life = _follow(arguments)
    if arguments.json:
        print(json.dumps(life, ensure_ascii=False, indent=1))
    else:
        print(*_lines(life), sep="\n")
    return OK


def _follow(arguments: argparse.Namespace) -> dict[str, Any]:
    life = PodHistory(full_key(arguments.pod))
    pods: dict[str, None] = {}
    for record in playing.prepare(arguments, record_steps=False).records(arguments.until):
        life.add_record(record)
        pods |= dict.fromkeys(record.lanes)
    if not life.seen:
        raise unknown_name_error("--pod", f"there is no pod {life.key} in the scenario", life.key, pods)
    return life.describe()


def _lines(pod_life: Mapping[str, Any]) -> Iterator[str]:
    on = f" on {pod_life['node']}" if pod_life["node"] else ""
    yield f"{pod_life['pod']}: {STATUS[pod_life['lane']]}{on}"
    requests = [f"{name} {format_amount(name, value)}" for name, value in pod_life["requests"].items() if value]
    yield f"  requests {', '.join(requests) or 'nothing'}"
    yield ""
    yield "attempts" if pod_life["cycles"] else "not tried yet"
    for cycle in pod_life["cycles"]:
        became = f"{cycle['outcome']} on {cycle['node']}" if cycle["node"] else cycle["outcome"]
        yield f"  cycle {cycle['number']}: {became}" + (f": {cycle['message']}" if cycle["message"] else "")
    yield ""
    yield "queue moves and Events"
    # Within one record, queue moves come before the Event.
    life = sorted([*pod_life["moves"], *pod_life["events"]], key=lambda entry: (entry["seq"], "reason" in entry))
    for entry in life:
        yield f"  {entry['t']:>9.3f} s  {_event(entry) if 'reason' in entry else _move(entry)}"


def _event(event: Mapping[str, Any]) -> str:
    return f"{event['type']} {event['reason']}: {event['message']}"


def _move(move: Mapping[str, Any]) -> str:
    way = f"stays in {move['to']}" if move["from"] == move["to"] else f"{move['from']} → {move['to']}"
    cause = ": ".join(filter(None, (move["plugin"], move["hint"])))
    why = ", ".join(filter(None, (move["event"], cause)))
    cycle = "" if move["cycle"] is None else f"  (cycle {move['cycle']})"
    return f"{way}  {why}{cycle}"
