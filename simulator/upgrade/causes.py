"""Causes of a difference: the plugins that make two versions decide differently about a pod in the same state."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from scheduler_core.cache.column_types import IntColumn
from scheduler_core.framework.diagnosis import Diagnosis
from simulator.upgrade.changes import FRAMEWORK
from simulator.upgrade.cluster import VersionAnswer

Columns = Mapping[str, IntColumn]
PREEMPTION = "DefaultPreemption"
# Plugins of old versions → the plugins that have their scores now.
SUCCESSORS = dict.fromkeys(
    ("NodeResourcesLeastAllocated", "NodeResourcesMostAllocated", "RequestedToCapacityRatio"), "NodeResourcesFit"
)


class ScoreComparison:
    """Weighted scores of both versions, by plugin, for the nodes that are feasible in both."""

    def __init__(self, old: VersionAnswer, new: VersionAnswer) -> None:
        self.rows, self.old, self.new = _common_scores(old, new)

    def differing(self) -> list[str]:
        """Return the plugins that rank nodes differently; a constant offset for all nodes does not count."""
        zeros = np.zeros(len(self.rows), np.int64)
        plugins = []
        for name in {**self.old, **self.new} if len(self.rows) else ():
            offsets = self.new.get(name, zeros) - self.old.get(name, zeros)
            if offsets.min() != offsets.max():
                plugins.append(name)
        return plugins

    def deciding(self, row: int) -> list[str]:
        """Return the plugins whose new scores alone would make the row's node lose its first place.

        If no plugin alone does, return all that differ.
        """
        differing = self.differing()
        position = np.flatnonzero(self.rows == row)
        if not len(position):
            return differing
        zeros = np.zeros(len(self.rows), np.int64)
        total = sum(self.old.values(), zeros)
        decisive = []
        for name in differing:
            changed = total - self.old.get(name, zeros) + self.new.get(name, zeros)
            if changed[position[0]] < changed.max():
                decisive.append(name)
        return decisive or differing


def _common_scores(old: VersionAnswer, new: VersionAnswer) -> tuple[IntColumn, Columns, Columns]:
    nothing: tuple[IntColumn, Columns, Columns] = (np.zeros(0, np.int64), {}, {})
    if old.cycle is None or new.cycle is None:
        return nothing
    a, b = old.cycle.attempt, new.cycle.attempt
    if a.feasible is None or b.feasible is None or a.totals is None or b.totals is None:
        return nothing
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


def placement_causes(old: VersionAnswer, new: VersionAnswer, rows: Mapping[str, int]) -> list[str]:
    """Return the plugins because of which the old version's node is not among the new version's best.

    `rows`: node → row of the table.
    """
    assert old.node is not None and new.cycle is not None
    diagnosis = new.cycle.attempt.diagnosis
    if diagnosis.statuses.has(old.node):
        return [diagnosis.statuses[old.node].plugin]
    scores = ScoreComparison(old, new)
    plugins = scores.deciding(rows[old.node])
    if plugins:
        return plugins
    return verdict_causes(old, new)


def verdict_causes(old: VersionAnswer, new: VersionAnswer) -> list[str]:
    """Return the plugins because of which only one version finds a node or may try the pod, or the messages differ."""
    if old.cycle is None or new.cycle is None:
        return sorted({answer.gated_by for answer in (old, new) if answer.gated_by}) or [FRAMEWORK]
    placed, other = (old, new) if new.node is None else (new, old)
    if placed.node is not None:
        assert placed.cycle is not None and other.cycle is not None
        return _rejecting_plugins(other.cycle.attempt.diagnosis, placed)
    mine, theirs = old.cycle.attempt.diagnosis, new.cycle.attempt.diagnosis
    a, b = _reasons(mine), _reasons(theirs)
    plugins = {plugin for plugin, reason in a.keys() | b.keys() if a[plugin, reason] != b[plugin, reason]}
    if mine.pre_filter_message != theirs.pre_filter_message:
        statuses = (old.cycle.attempt.pre_filter.status, new.cycle.attempt.pre_filter.status)
        plugins |= {status.plugin for status in statuses if not status.is_success}
    if not plugins and (old.outcome == "preempts") != (new.outcome == "preempts"):
        return [PREEMPTION]
    if not plugins and mine.post_filter_message != theirs.post_filter_message:
        both = mine.post_filter_message and theirs.post_filter_message
        return [PREEMPTION if both else FRAMEWORK]
    return sorted(plugins - {""}) or [FRAMEWORK]


def _rejecting_plugins(diagnosis: Diagnosis, placed: VersionAnswer) -> list[str]:
    """Return the plugins that reject nodes which are feasible in the other version."""
    assert placed.cycle is not None and placed.cycle.attempt.feasible is not None
    names = placed.cycle.attempt.feasible.names
    plugins = {diagnosis.statuses[name].plugin for name in names}
    return sorted(plugins - {""}) or sorted(diagnosis.unschedulable_plugins) or [FRAMEWORK]


def _reasons(diagnosis: Diagnosis) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for status, nodes in diagnosis.statuses.tally().items():
        for reason in status.reasons:
            counts[status.plugin, reason] += nodes
    return counts
