"""A cluster as a scenario: what it starts from, and every command that left a trace."""

from typing import Any

from playground.engine import history
from playground.models import Cluster, Command, CommandState, SchedulerConfig
from simulator.exchange.scenario import Scenario, write

_PAGE = 1000


def exported(cluster: Cluster) -> str:
    """The file's text. Playing it gives the records that the cluster has."""
    return write(of(cluster))


def of(cluster: Cluster, upto: int | None = None) -> Scenario:
    """The scenario of a cluster, up to the record `upto`; None is all of it."""
    first = SchedulerConfig.objects.get(cluster=cluster, version=1)
    scenario = Scenario(cluster.name, first.emulates, cluster.seed, first.yaml)
    given = Command.objects.filter(cluster=cluster).exclude(state=CommandState.QUEUED).order_by("number")
    seq = 0
    for command in given.iterator(50):
        # What was refused, or stopped before it began, left no trace.
        if not command.records or (upto is not None and seq >= upto):
            continue
        last = seq + command.records
        is_whole = command.state == CommandState.DONE and (upto is None or last <= upto)
        payload = command.payload if is_whole else _part(cluster, command, seq, min(last, upto or last))
        # Another scheduler may have placed the objects elsewhere by then: the change applies all the same.
        written = {name: value for name, value in payload.items() if name != "unchanged"}
        scenario.commands.append(written | ({"overwrite": True} if "read" in written else {}))
        seq = last
    return scenario


def _part(cluster: Cluster, command: Command, before: int, last: int) -> dict[str, Any]:
    """A run that was stopped, is not over, or is cut: as many cycles as it made up to the record `last`."""
    if command.kind != "run":
        return dict(command.payload)
    cycles = history.count_cycles(cluster.pk, before + 1, last)
    return {"kind": "run", "until": {"cycles": cycles}}


def trace(cluster: Cluster) -> str:
    """All records as JSON lines. Raises Refused, 410, for a past that cannot be made again."""
    lines: list[str] = []
    while page := history.bodies(cluster.pk, len(lines), _PAGE):
        lines += page
    return "".join(f"{line}\n" for line in lines)
