"""Which plugins are to blame for it that two versions, asked at the same moment, say different things about a pod."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from scheduler_core.cache.column_types import IntColumn
from scheduler_core.framework.diagnosis import Diagnosis
from simulator.upgrade.changes import FRAMEWORK
from simulator.upgrade.cluster import Answer

Columns = Mapping[str, IntColumn]
PREEMPTION = "DefaultPreemption"
# What older plugins scored, and which plugin does so today.
SUCCESSORS = dict.fromkeys(
    ("NodeResourcesLeastAllocated", "NodeResourcesMostAllocated", "RequestedToCapacityRatio"), "NodeResourcesFit"
)


class Scored:
    """The weighted scores of both, by plugin, of the nodes that are feasible to both."""

    def __init__(self, old: Answer, new: Answer) -> None:
        self.rows, self.old, self.new = _common(old, new)

    def differing(self) -> list[str]:
        """Plugins that order the nodes otherwise: not those that give all of them so much more, or less."""
        nothing = np.zeros(len(self.rows), np.int64)
        found = []
        for name in {**self.old, **self.new} if len(self.rows) else ():
            more = self.new.get(name, nothing) - self.old.get(name, nothing)
            if more.min() != more.max():
                found.append(name)
        return found

    def deciding(self, row: int) -> list[str]:
        """Those by whose new scores alone the node of a row would no longer be the best; all, if none does alone."""
        differing = self.differing()
        position = np.flatnonzero(self.rows == row)
        if not len(position):
            return differing
        nothing = np.zeros(len(self.rows), np.int64)
        total = sum(self.old.values(), nothing)
        alone = []
        for name in differing:
            changed = total - self.old.get(name, nothing) + self.new.get(name, nothing)
            if changed[position[0]] < changed.max():
                alone.append(name)
        return alone or differing


def _common(old: Answer, new: Answer) -> tuple[IntColumn, Columns, Columns]:
    nobody: tuple[IntColumn, Columns, Columns] = (np.zeros(0, np.int64), {}, {})
    if old.cycle is None or new.cycle is None:
        return nobody
    a, b = old.cycle.attempt, new.cycle.attempt
    if a.feasible is None or b.feasible is None or a.totals is None or b.totals is None:
        return nobody
    if np.array_equal(a.feasible.row_numbers, b.feasible.row_numbers):
        rows = a.feasible.row_numbers
        mine = theirs = np.arange(len(rows))
    else:
        rows, mine, theirs = np.intersect1d(a.feasible.row_numbers, b.feasible.row_numbers, return_indices=True)
    columns = []
    for attempt, positions in ((a, mine), (b, theirs)):
        scores = attempt.scores
        weighted: dict[str, IntColumn] = {}
        for i, name in enumerate(scores.plugins):
            known_as = SUCCESSORS.get(name, name)
            column = scores.normalized[i][positions] * scores.weights[i]
            weighted[known_as] = weighted[known_as] + column if known_as in weighted else column
        columns.append(weighted)
    return rows, columns[0], columns[1]


def of_placement(old: Answer, new: Answer, rows: Mapping[str, int]) -> list[str]:
    """Why the node that the one took is not among the best of the other. `rows`: node → row of the table."""
    assert old.node is not None and new.cycle is not None
    diagnosis = new.cycle.attempt.diagnosis
    if diagnosis.statuses.has(old.node):
        return [diagnosis.statuses[old.node].plugin]
    scored = Scored(old, new)
    found = scored.deciding(rows[old.node])
    if found:
        return found
    return of_verdict(old, new)


def of_verdict(old: Answer, new: Answer) -> list[str]:
    """Why one finds a node, or may try at all, and the other not; or why they say different things."""
    if old.cycle is None or new.cycle is None:
        return sorted({each.gated_by for each in (old, new) if each.gated_by}) or [FRAMEWORK]
    placed, other = (old, new) if new.node is None else (new, old)
    if placed.node is not None:
        assert placed.cycle is not None and other.cycle is not None
        return _against(other.cycle.attempt.diagnosis, placed)
    mine, theirs = old.cycle.attempt.diagnosis, new.cycle.attempt.diagnosis
    a, b = _reasons(mine), _reasons(theirs)
    found = {plugin for plugin, reason in a.keys() | b.keys() if a[plugin, reason] != b[plugin, reason]}
    if mine.pre_filter_message != theirs.pre_filter_message:
        statuses = (old.cycle.attempt.pre_filter.status, new.cycle.attempt.pre_filter.status)
        found |= {status.plugin for status in statuses if not status.is_success}
    if not found and (old.outcome == "preempts") != (new.outcome == "preempts"):
        return [PREEMPTION]
    if not found and mine.post_filter_message != theirs.post_filter_message:
        both = mine.post_filter_message and theirs.post_filter_message
        return [PREEMPTION if both else FRAMEWORK]
    return sorted(found - {""}) or [FRAMEWORK]


def _against(diagnosis: Diagnosis, placed: Answer) -> list[str]:
    """The plugins that keep a pod off the nodes which it fits on for the other version."""
    assert placed.cycle is not None and placed.cycle.attempt.feasible is not None
    names = placed.cycle.attempt.feasible.names
    found = {diagnosis.statuses[name].plugin for name in names}
    return sorted(found - {""}) or sorted(diagnosis.unschedulable_plugins) or [FRAMEWORK]


def _reasons(diagnosis: Diagnosis) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for status, nodes in diagnosis.statuses.tally().items():
        for reason in status.reasons:
            counts[status.plugin, reason] += nodes
    return counts
