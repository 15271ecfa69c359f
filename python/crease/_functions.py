# SPDX-License-Identifier: MIT
"""What a problem file calls by name: functions of the caller, for a smooth term or for a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SmoothFunctions:
    """A smooth term: both get one array for each of its own blocks; grad returns that of block i."""

    value: Callable[[Sequence[Array]], float]
    grad: Callable[[Sequence[Array], int], Array]
    shapes: Sequence[Tuple[int, ...]]  # of its own blocks


@dataclass(frozen=True)
class MapFunctions:
    """A linear map: y = A x and x = A' y, in the shapes of its block and of its range."""

    apply: Callable[[Array], Array]
    adjoint: Callable[[Array], Array]
    domain: Tuple[int, ...]
    range: Tuple[int, ...]
