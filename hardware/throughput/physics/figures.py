"""Numbers of one deployment or, element by element, of many."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Figures: TypeAlias = "float | Array"
