"""What several plugins share: state that never changes, columns by code, normalisation, taints.

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
class Constant(Generic[T]):
    """CycleState data that no added or removed pod changes, so that copies may share it."""

    value: T

    def clone(self) -> Self:
        return self


def by_code(codes: CodeColumn, size: int, dtype: type[Scalar], value: Callable[[int], object]) -> NDArray[Scalar]:
    """`value(code)` for each node, called once for each code that occurs; codes are -1 and up, below `size`."""
    lookup = np.zeros(size + 1, dtype)  # the last entry is also entry -1
    for code in (np.flatnonzero(np.bincount(codes + 1)) - 1).tolist():
        lookup[code] = value(code)
    return lookup[codes]


def default_normalize(scores: IntColumn, reverse: bool = False) -> IntColumn:
    """Non-negative scores as a share of the highest, 0…100; `reverse` makes the lowest best.

    Source: DefaultNormalizeScore.
    """
    most = max(highest(scores), 0) if len(scores) else 0
    shares = MAX_NODE_SCORE * scores // most if most else scores.copy()
    return MAX_NODE_SCORE - shares if reverse else shares


def untolerated_taint(pod: Pod, taints: Iterable[Taint]) -> Taint | None:
    """The first taint with effect NoSchedule or NoExecute that `pod` does not tolerate.

    Source: FindMatchingUntoleratedTaint with DoNotScheduleTaintsFilterFunc.
    """
    for taint in taints:
        if taint.effect in (NO_SCHEDULE, NO_EXECUTE) and not pod.tolerates(taint):
            return taint
    return None
