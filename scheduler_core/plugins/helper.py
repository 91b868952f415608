"""Helpers that several plugins share: constant state, columns by code, score normalization, taints.

Source: pkg/scheduler/framework/plugins/helper, component-helpers/scheduling/corev1/helpers.go.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from kube_objects.taints import NO_EXECUTE, NO_SCHEDULE, Taint
from scheduler_core.cache.column_types import CodeColumn, IntColumn, highest
from scheduler_core.framework.interface import MAX_NODE_SCORE

T = TypeVar("T")
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(slots=True, frozen=True)
class ConstantState(Generic[T]):
    """CycleState data that AddPod and RemovePod don't change, so that clones share it."""

    value: T

    def clone(self) -> Self:
        return self


def column_by_code(
    codes: CodeColumn, size: int, dtype: type[Scalar], value: Callable[[int], object]
) -> NDArray[Scalar]:
    """Return `value(code)` for each node; it is called once per occurring code, from -1 to `size` - 1."""
    lookup = np.zeros(size + 1, dtype)  # the last entry is also entry -1
    for code in (np.flatnonzero(np.bincount(codes + 1)) - 1).tolist():
        lookup[code] = value(code)
    return lookup[codes]


def default_normalize(scores: IntColumn, reverse: bool = False) -> IntColumn:
    """Return non-negative scores as a share of the highest, 0…100; `reverse` gives the lowest score 100.

    Source: DefaultNormalizeScore.
    """
    max_score = max(highest(scores), 0) if len(scores) else 0
    shares = MAX_NODE_SCORE * scores // max_score if max_score else scores.copy()
    return MAX_NODE_SCORE - shares if reverse else shares


def untolerated_taint(pod: Pod, taints: Iterable[Taint]) -> Taint | None:
    """Return the first NoSchedule or NoExecute taint that `pod` doesn't tolerate, or None.

    Source: FindMatchingUntoleratedTaint with DoNotScheduleTaintsFilterFunc.
    """
    for taint in taints:
        if taint.effect in (NO_SCHEDULE, NO_EXECUTE) and not pod.tolerates(taint):
            return taint
    return None
