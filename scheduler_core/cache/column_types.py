"""The types of columns: one value a node."""

import numpy as np
from numpy.typing import NDArray

BoolColumn = NDArray[np.bool_]
IntColumn = NDArray[np.int64]
CodeColumn = NDArray[np.int32]
