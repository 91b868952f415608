"""Diagnosis: why no node fits, and the FailedScheduling message.

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


class NodeToStatus(Mapping[str, Status]):
    """Each node's status by name: the evaluated nodes' own, and `absent` for all others.

    Stored as a column, `codes[row]` indexing `statuses` (−1 = absent), because thousands of nodes share few statuses.
    Source: pkg/scheduler/framework/interface.go NodeToStatus.
    """

    def __init__(self, rows: Mapping[str, int]) -> None:
        self._rows = rows
        self.statuses: list[Status] = []
        self.absent = ABSENT
        self._codes: CodeColumn | None = None  # built on first use: pods that find a node don't need it
        self._pending: list[tuple[NDArray[np.int64], CodeColumn, int]] = []  # results that are not in `_codes` yet
        self._unknown: dict[str, Status] = {}  # names from an extender that no node has

    @property
    def codes(self) -> CodeColumn:
        if self._codes is None:
            self._codes = np.full(len(self._rows), -1, np.int32)
        for rows, codes, first in self._pending:
            failed = np.flatnonzero(codes)
            self._codes[rows[failed]] = codes[failed] + first
        self._pending.clear()
        return self._codes

    def set(self, name: str, status: Status) -> None:
        row = self._rows.get(name)
        if row is None:
            self._unknown[name] = status
        else:
            self.codes[row] = len(self.statuses)
            self.statuses.append(status)

    def set_rows(self, rows: NDArray[np.int64], codes: CodeColumn, statuses: Sequence[Status]) -> None:
        """Set node `rows[i]` to `statuses[codes[i]]`, unless the code is 0 (success)."""
        self._pending.append((rows, codes, len(self.statuses)))
        self.statuses += statuses

    def __getitem__(self, name: str) -> Status:
        row = self._rows.get(name)
        if row is None:
            return self._unknown[name]
        code = self.codes[row]
        return self.absent if code < 0 else self.statuses[code]

    def __iter__(self) -> Iterator[str]:
        yield from self._rows
        yield from self._unknown

    def __len__(self) -> int:
        return len(self._rows) + len(self._unknown)

    @property
    def explicit(self) -> int:
        """Return how many nodes have a status of their own."""
        if self._codes is None and len(self.statuses) <= 1:
            in_rows = 0  # the first one is Success
        elif self._codes is None and len(self._pending) == 1:
            in_rows = int(np.count_nonzero(self._pending[0][1]))
        else:
            in_rows = int(np.count_nonzero(self.codes >= 0))
        return in_rows + len(self._unknown)

    def has(self, name: str) -> bool:
        """Return True if the node has a status of its own."""
        row = self._rows.get(name)
        return name in self._unknown if row is None else bool(self.codes[row] >= 0)

    def tally(self) -> Counter[Status]:
        """Return how many nodes have each status, without absent ones."""
        counts = np.bincount(self.codes + 1, minlength=len(self.statuses) + 1)[1:].tolist()
        tally: Counter[Status] = Counter(self._unknown.values())
        for status, count in zip(self.statuses, counts, strict=True):
            if count:
                tally[status] += count
        return tally

    def rows_with(self, code: Code) -> NDArray[np.int64]:
        """Return the rows of the nodes, absent ones included, whose status has `code`."""
        has_code = np.array([*(status.code == code for status in self.statuses), self.absent.code == code])
        return np.flatnonzero(has_code[self.codes])  # −1 reads the last entry


@dataclass(slots=True)
class Diagnosis:
    """The nodes' statuses, the plugins that rejected the pod, and the messages of PreFilter and PostFilter."""

    statuses: NodeToStatus
    total_nodes: int
    unschedulable_plugins: set[str] = field(default_factory=set)
    pending_plugins: set[str] = field(default_factory=set)
    pre_filter_message: str = ""
    post_filter_message: str = ""

    def add_all_plugin_statuses(self) -> None:
        """Call `add_plugin_status` for the status of every node."""
        for status in self.statuses.tally():
            self.add_plugin_status(status)

    def add_plugin_status(self, status: Status) -> None:
        """Remember the plugin that rejected the pod; its events may requeue it. Source: AddPluginStatus."""
        if status.plugin and status.is_rejected:
            self.unschedulable_plugins.update((status.plugin, *status.others))
            if status.code == Code.PENDING:
                self.pending_plugins.add(status.plugin)

    @property
    def message(self) -> str:
        """Return the FailedScheduling message, `0/5 nodes are available: …`."""
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
        """Return how many nodes gave each reason."""
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
    """Return the diagnosis of a pod that Reserve or Permit rejected on its chosen node."""
    diagnosis = Diagnosis(NodeToStatus({node_name: 0}), 1)
    diagnosis.statuses.set(node_name, status)
    diagnosis.add_plugin_status(status)
    return diagnosis


class FitError(Exception):
    """Raised if no node fits; carries the diagnosis."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        super().__init__()
        self.diagnosis = diagnosis

    def __str__(self) -> str:
        return self.diagnosis.message


class SchedulingError(Exception):
    """Raised if an internal error ended the attempt; preemption isn't tried. The message is upstream's."""


NO_NODES = "no nodes available to schedule pods"


class NoNodesError(SchedulingError):
    def __init__(self) -> None:
        super().__init__(NO_NODES)
