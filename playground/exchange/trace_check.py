"""Verification of a trace: whether a cluster has exactly the same records."""

from itertools import zip_longest
from typing import TypedDict

from playground.engine import history_reads

_PAGE = 1000


class TraceCheck(TypedDict):
    records: int
    same: bool
    differs_at: int | None


def check_trace(cluster_id: int, text: str) -> TraceCheck:
    """Compare a trace with a cluster; `differs_at` is the first record that differs or is missing."""
    lines = [line for line in text.split("\n") if line.strip()]
    for start in range(0, max(len(lines), 1), _PAGE):
        given = lines[start : start + _PAGE]
        stored = history_reads.read_record_bodies(cluster_id, start, len(given))
        for offset, (line, body) in enumerate(zip_longest(given, stored)):
            if line != body:
                return {"records": len(lines), "same": False, "differs_at": start + offset + 1}
    more = history_reads.read_record_bodies(cluster_id, len(lines), 1)
    return {"records": len(lines), "same": not more, "differs_at": len(lines) + 1 if more else None}
