"""Diagnosis: why no node was found, and the text that says so.

Source: pkg/scheduler/framework/types.go Diagnosis, FitError.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scheduler_core.cache.column_types import CodeColumn
from scheduler_core.framework.status import Code, Status

ABSENT = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)


class NodeStatuses(Mapping[str, Status]):
    """Every node's status by name: the evaluated ones', and `absent` for all others.

    Kept as a column, `codes[row]` indexing `statuses` (−1 = absent), since thousands of nodes share few statuses.
    Source: pkg/scheduler/framework/interface.go NodeToStatus.
    """

    def __init__(self, rows: Mapping[str, int]) -> None:
        self._rows = rows
        self.statuses: list[Status] = []
        self.absent = ABSENT
        self._codes: CodeColumn | None = None  # made when it is looked at: for a pod that is placed nobody does
        self._found: list[tuple[NDArray[np.int64], CodeColumn, int]] = []  # what is not in it yet
        self._elsewhere: dict[str, Status] = {}  # names that an extender spoke of and that are no nodes

    @property
    def codes(self) -> CodeColumn:
        if self._codes is None:
            self._codes = np.full(len(self._rows), -1, np.int32)
        for rows, codes, first in self._found:
            failed = np.flatnonzero(codes)
            self._codes[rows[failed]] = codes[failed] + first
        self._found.clear()
        return self._codes

    def set(self, name: str, status: Status) -> None:
        row = self._rows.get(name)
        if row is None:
            self._elsewhere[name] = status
        else:
            self.codes[row] = len(self.statuses)
            self.statuses.append(status)

    def set_rows(self, rows: NDArray[np.int64], codes: CodeColumn, statuses: Sequence[Status]) -> None:
        """Node `rows[i]` has `statuses[codes[i]]`, unless the code is 0: success is no reason to remember."""
        self._found.append((rows, codes, len(self.statuses)))
        self.statuses += statuses

    def __getitem__(self, name: str) -> Status:
        row = self._rows.get(name)
        if row is None:
            return self._elsewhere[name]
        code = self.codes[row]
        return self.absent if code < 0 else self.statuses[code]

    def __iter__(self) -> Iterator[str]:
        yield from self._rows
        yield from self._elsewhere

    def __len__(self) -> int:
        return len(self._rows) + len(self._elsewhere)

    @property
    def explicit(self) -> int:
        """How many nodes have a status of their own."""
        if self._codes is None and len(self.statuses) <= 1:
            in_rows = 0  # the first one is Success
        elif self._codes is None and len(self._found) == 1:
            in_rows = int(np.count_nonzero(self._found[0][1]))
        else:
            in_rows = int(np.count_nonzero(self.codes >= 0))
        return in_rows + len(self._elsewhere)

    def has(self, name: str) -> bool:
        """Whether the node has a status of its own."""
        row = self._rows.get(name)
        return name in self._elsewhere if row is None else bool(self.codes[row] >= 0)

    def tally(self) -> Counter[Status]:
        """How many nodes have each status, absent ones not counted."""
        counts = np.bincount(self.codes + 1, minlength=len(self.statuses) + 1)[1:].tolist()
        tally: Counter[Status] = Counter(self._elsewhere.values())
        for status, count in zip(self.statuses, counts, strict=True):
            if count:
                tally[status] += count
        return tally

    def rows_with(self, code: Code) -> NDArray[np.int64]:
        """Rows of the nodes, absent ones included, whose status has `code`."""
        wanted = np.array([*(status.code == code for status in self.statuses), self.absent.code == code])
        return np.flatnonzero(wanted[self.codes])  # −1 reads the last entry


@dataclass(slots=True)
class Diagnosis:
    statuses: NodeStatuses
    total_nodes: int
    unschedulable_plugins: set[str] = field(default_factory=set)
    pending_plugins: set[str] = field(default_factory=set)
    pre_filter_message: str = ""
    post_filter_message: str = ""

    def add_all_plugin_statuses(self) -> None:
        """`add_plugin_status` for the status of every node."""
        for status in self.statuses.tally():
            self.add_plugin_status(status)

    def add_plugin_status(self, status: Status) -> None:
        """Remember the plugin that rejected the pod: only events that it registered will retry the pod."""
        if status.plugin and status.is_rejected:
            self.unschedulable_plugins.update((status.plugin, *status.others))
            if status.code == Code.PENDING:
                self.pending_plugins.add(status.plugin)

    @property
    def message(self) -> str:
        """The FailedScheduling text, `0/5 nodes are available: …`."""
        parts = [f"0/{self.total_nodes} nodes are available:"]
        if self.pre_filter_message:
            parts.append(f"{self.pre_filter_message}.")
        else:
            # Sorted as strings, counts included: "19 …" comes before "3 …".
            reasons = sorted(f"{count} {reason}" for reason, count in self.reasons().items())
            if reasons:
                parts.append(f"{', '.join(reasons)}.")
        if self.post_filter_message:
            parts.append(self.post_filter_message)
        return " ".join(parts)

    def reasons(self) -> Counter[str]:
        """How many nodes gave each reason."""
        counts: Counter[str] = Counter()
        for status, nodes in self.statuses.tally().items():
            for reason in status.reasons:
                counts[reason] += nodes
        rest = self.total_nodes - self.statuses.explicit
        if rest > 0:
            for reason in self.statuses.absent.reasons:
                counts[reason] += rest
        return counts


def node_diagnosis(node_name: str, status: Status) -> Diagnosis:
    """The diagnosis of a pod that was rejected after a node had been chosen (Reserve, Permit)."""
    diagnosis = Diagnosis(NodeStatuses({node_name: 0}), 1)
    diagnosis.statuses.set(node_name, status)
    diagnosis.add_plugin_status(status)
    return diagnosis


class FitError(Exception):
    """No node fits; carries the diagnosis."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        super().__init__()
        self.diagnosis = diagnosis

    def __str__(self) -> str:
        return self.diagnosis.message


class SchedulingError(Exception):
    """The attempt ended in an internal error; no preemption is tried. The text is upstream's."""


NO_NODES = "no nodes available to schedule pods"


class NoNodesError(SchedulingError):
    def __init__(self) -> None:
        super().__init__(NO_NODES)
