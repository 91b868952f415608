"""Export of a cluster as a scenario: its start, and every command that has records."""

from typing import Any

from playground.engine import history_reads
from playground.models import Cluster, Command, CommandState, SchedulerConfig
from simulator.exchange.scenario import Scenario, write

_PAGE = 1000


def export_scenario(cluster: Cluster) -> str:
    """Return the file's text. Running it gives the same records as the cluster has."""
    return write(scenario_of(cluster))


def scenario_of(cluster: Cluster, upto: int | None = None) -> Scenario:
    """Return the scenario of a cluster, up to the record `upto`; None is all of it."""
    first = SchedulerConfig.objects.get(cluster=cluster, version=1)
    scenario = Scenario(cluster.name, first.emulates, cluster.seed, first.yaml)
    executed = Command.objects.filter(cluster=cluster).exclude(state=CommandState.QUEUED).order_by("number")
    seq = 0
    for command in executed.iterator(50):
        # A rejected command, or one that was stopped before its start, has no records.
        if not command.records or (upto is not None and seq >= upto):
            continue
        last = seq + command.records
        is_whole = command.state == CommandState.DONE and (upto is None or last <= upto)
        payload = command.payload if is_whole else _part(cluster, command, seq, min(last, upto or last))
        # The change must apply even if another scheduler has placed the objects elsewhere.
        written = {name: value for name, value in payload.items() if name != "unchanged"}
        scenario.commands.append(written | ({"overwrite": True} if "read" in written else {}))
        seq = last
    return scenario


def _part(cluster: Cluster, command: Command, before: int, last: int) -> dict[str, Any]:
    """Return the payload of an unfinished command, or of one that is cut at the record `last`: a shorter run."""
    if command.kind != "run":
        return dict(command.payload)
    cycles = history_reads.count_cycles(cluster.pk, before + 1, last)
    return {"kind": "run", "until": {"cycles": cycles}}


def export_trace(cluster: Cluster) -> str:
    """Return all records as JSON lines. Raises Refused, 410, for a history that can't be rebuilt."""
    lines: list[str] = []
    while page := history_reads.read_record_bodies(cluster.pk, len(lines), _PAGE):
        lines += page
    return "".join(f"{line}\n" for line in lines)
