"""Reads of a cluster's history: records, cycles, matrices and commands."""

import json
from typing import Any, Literal, NotRequired, TypedDict

from playground.engine.thinned_records import rebuild_thinned
from playground.models import Cluster, Command, Cycle, NodeEpoch, Record
from playground.problems import Problem
from playground.response_types import Anything, named
from playground.store.batched_rows import MATRICES, RECORDS
from simulator.simulation import Matrix
from simulator.simulation.matrix import MatrixJSON

named("Matrix")(MatrixJSON)


class Records(TypedDict):
    records: list[Anything]
    last: int


class Stopped(TypedDict):
    cycle: int
    by: Anything


# The functional form, because `from` is a keyword of Python.
Timeline = TypedDict(
    "Timeline",
    {
        "from": int,
        "to": int,
        "seq": list[int],
        "t": list[float],
        "pod": list[str],
        "node": list[str | None],
        "outcome": list[str],
        "stopped": list[Stopped],
    },
)


@named("Progress")
class CommandCycles(TypedDict):
    cycles: int
    total: NotRequired[int]


@named("Command")
class CommandAnswer(TypedDict):
    number: int
    kind: str
    state: Literal["queued", "running", "done", "failed", "stopped"]
    records: int
    progress: NotRequired[CommandCycles]
    problems: NotRequired[list[Problem]]
    stopped_by: NotRequired[Anything]
    undoes: NotRequired[int]


def read_record_bodies(cluster_id: int, after: int, limit: int, upto: int | None = None) -> list[str]:
    """Return the JSON of the records from number `after` + 1 on, without gaps.

    Raise Refused, with status 410, if they were thinned out and can't be rebuilt.
    """
    thinned = _last_thinned_seq(cluster_id)
    if after < thinned:
        end = min(after + limit, thinned, thinned if upto is None else upto)
        made = [body for body, _ in rebuild_thinned(cluster_id, after + 1, end)] if end > after else []
        return made + (read_record_bodies(cluster_id, thinned, limit - len(made), upto) if end == thinned else [])
    end = after + limit if upto is None else min(after + limit, upto)
    return [text for _, text in RECORDS.iterate_range(cluster_id, after + 1, end)]


def last_seq(cluster_id: int) -> int | None:
    """Return the number of the last record, or None if there is no such cluster."""
    return Cluster.objects.filter(pk=cluster_id).values_list("revision", flat=True).first()


def seq_before_cycle(cluster_id: int, number: int) -> int:
    """Return the number of the record before a cycle's record, or of the newest record if the cycle has not run."""
    seq = Cycle.objects.filter(cluster_id=cluster_id, number=number).values_list("seq", flat=True).first()
    return seq - 1 if seq is not None else last_seq(cluster_id) or 0


def count_cycles(cluster_id: int, first: int, last: int) -> int:
    """Return the number of cycles whose record is in `first` … `last`."""
    return Cycle.objects.filter(cluster_id=cluster_id, seq__gte=first, seq__lte=last).count()


def read_timeline(cluster_id: int, first: int, upto: int, limit: int) -> Timeline:
    """Return the columns of `cycles/` for at most `limit` of the cycles `first` … `upto`."""
    cycles = Cycle.objects.filter(cluster_id=cluster_id, number__gte=first, number__lte=upto).order_by("number")
    rows = list(cycles.values_list("number", "seq", "t", "pod", "node", "outcome", "stopped_by")[:limit])
    return {
        "from": rows[0][0] if rows else first,
        "to": rows[-1][0] if rows else first - 1,
        "seq": [row[1] for row in rows],
        "t": [row[2] for row in rows],
        "pod": [row[3] for row in rows],
        "node": [row[4] or None for row in rows],
        "outcome": [row[5] for row in rows],
        "stopped": [{"cycle": row[0], "by": row[6]} for row in rows if row[6] is not None],
    }


def read_cycle(cluster_id: int, number: int) -> dict[str, Any] | None:
    """Return the record of a cycle, or None.

    After a wait at Permit it includes the changes of its `binding` records, which are also listed under `bindings`.
    """
    seq = seq_of_cycle(cluster_id, number)
    if seq is None:
        return None
    is_thinned = seq <= _last_thinned_seq(cluster_id)
    text = rebuild_thinned(cluster_id, seq, seq)[0][0] if is_thinned else RECORDS.get_many(cluster_id, [seq])[seq]
    late = [body for _, body in Record.objects.select_bindings(cluster_id=cluster_id, cycle=number)]
    first, *bindings = [json.loads(each) for each in (text, *late)]
    for late in bindings:
        merged = {**first["cycle"], **late["cycle"], "steps": first["cycle"]["steps"] + late["cycle"]["steps"]}
        first = {**first, "cycle": merged}
        for name in ("moves", "events", "writes"):
            if name in late:
                first[name] = first.get(name, []) + late[name]
    return first


def last_seq_of_cycle(cluster_id: int, number: int) -> int | None:
    """Return the number of the last stored record about a cycle. A wait at Permit may end long after the cycle."""
    late = [seq for seq, _ in Record.objects.select_bindings(cluster_id=cluster_id, cycle=number)]
    return late[-1] if late else _stored_seq(cluster_id, number)


def _stored_seq(cluster_id: int, number: int) -> int | None:
    """Return the number of a cycle's record, or None if it was thinned out."""
    seq = seq_of_cycle(cluster_id, number)
    return None if seq is None or seq <= _last_thinned_seq(cluster_id) else seq


def seq_of_cycle(cluster_id: int, number: int) -> int | None:
    """Return the number of a cycle's record, or None."""
    return Cycle.objects.filter(cluster_id=cluster_id, number=number).values_list("seq", flat=True).first()


def pod_of_cycle(cluster_id: int, number: int) -> str | None:
    """Return the key of the Pod that a cycle tried to schedule, or None."""
    return Cycle.objects.filter(cluster_id=cluster_id, number=number).values_list("pod", flat=True).first()


def read_matrix(cluster_id: int, number: int) -> MatrixJSON | None:
    """Return the matrix of a cycle in the API's form, or None if the cycle filtered no Nodes."""
    found = read_stored_matrix(cluster_id, number)
    return None if found is None else matrix_json(cluster_id, found)


def read_stored_matrix(cluster_id: int, number: int) -> Matrix | None:
    """Return the matrix of a cycle, rebuilt if it was thinned out. Return None if the cycle filtered no Nodes."""
    if stored := MATRICES.get_many(cluster_id, [number]):
        return Matrix.from_plain(stored[number])
    seq = seq_of_cycle(cluster_id, number)
    if seq is None or seq > _last_thinned_seq(cluster_id):
        return None
    return rebuild_thinned(cluster_id, seq, seq)[0][1].matrix


def _last_thinned_seq(cluster_id: int) -> int:
    """Return the number of the last record that was thinned out."""
    return Cluster.objects.filter(pk=cluster_id).values_list("thinned", flat=True).first() or 0


def matrix_json(cluster_id: int, found: Matrix) -> MatrixJSON:
    """Return a matrix with the names of its Nodes instead of their indexes in the epoch's list."""
    names = NodeEpoch.objects.values_list("names", flat=True).get(cluster_id=cluster_id, epoch=found.epoch)
    return found.to_json(names)


def read_command(cluster_id: int, number: int) -> CommandAnswer | None:
    """Return the answer of `commands/{number}/`, or None."""
    row = Command.objects.filter(cluster_id=cluster_id, number=number).defer("payload").first()
    if row is None:
        return None
    answer: CommandAnswer = {
        "number": row.number,
        "kind": row.kind,
        "state": row.state,  # type: ignore[typeddict-item]  # one of CommandState
        "records": row.records,
    }
    if row.kind == "run":
        answer["progress"] = {"cycles": row.cycles}
        if row.total is not None:
            answer["progress"]["total"] = row.total
    if row.stopped_by:
        answer["stopped_by"] = row.stopped_by
    if undone := row.undoes or row.redoes:
        answer["undoes"] = undone
    if row.problems:
        answer["problems"] = row.problems
    return answer
