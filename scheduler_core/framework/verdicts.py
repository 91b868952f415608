"""Verdicts: one Filter plugin's result for many nodes, as codes into a short list of statuses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from scheduler_core.cache.column_types import BoolColumn, CodeColumn
from scheduler_core.framework.status import SUCCESS, Status


@dataclass(slots=True)
class Verdicts:
    """The result of one Filter plugin.

    `codes[i]` (int32, one per node) indexes `statuses`; index 0 is always Success.
    """

    codes: CodeColumn
    statuses: list[Status]

    @classmethod
    def all_pass(cls, size: int) -> Self:
        return cls(np.zeros(size, np.int32), [SUCCESS])

    @classmethod
    def reject(cls, rejected: BoolColumn, reason: str, resolvable: bool = True) -> Self:
        """Return verdicts in which the nodes where `rejected` is true fail with `reason`.

        `resolvable`: evicting pods could help (Unschedulable); otherwise UnschedulableAndUnresolvable.
        """
        status = Status.unschedulable(reason) if resolvable else Status.unresolvable(reason)
        return cls(rejected.astype(np.int32), [SUCCESS, status])

    @classmethod
    def same(cls, size: int, status: Status) -> Self:
        """Return verdicts in which every node gets `status`."""
        if status.is_success:
            return cls.all_pass(size)
        return cls(np.ones(size, np.int32), [SUCCESS, status])

    @classmethod
    def from_statuses(cls, answers: Sequence[Status]) -> Self:
        """Return verdicts for one status per node; equal ones are stored once."""
        index: dict[Status, int] = {SUCCESS: 0}
        codes = np.fromiter((index.setdefault(s, len(index)) for s in answers), np.int32, len(answers))
        return cls(codes, list(index))

    @property
    def passed(self) -> BoolColumn:
        passed: BoolColumn = self.codes == 0
        return passed

    def status(self, i: int) -> Status:
        return self.statuses[int(self.codes[i])]
