"""The types of columns (one value per node), and their lowest and highest value."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

BoolColumn = NDArray[np.bool_]
IntColumn = NDArray[np.int64]
CodeColumn = NDArray[np.int32]


# argmin and argmax are faster than min and max, because numpy vectorizes them.


def lowest(column: NDArray[np.integer[Any]]) -> int:
    """Return the lowest value of a column that has at least one."""
    return int(column.item(column.argmin()))


def highest(column: NDArray[np.integer[Any]]) -> int:
    """Return the highest value of a column that has at least one."""
    return int(column.item(column.argmax()))
