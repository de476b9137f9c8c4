"""Types for annotations, as ``numpy.typing``; ``NDArray`` is an array of ndany, of elements of a class."""

from typing import Any, TypeVar

import numpy as _numpy
from numpy.typing import ArrayLike, DTypeLike

from ._core import ndarray as _ndarray

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]

_Scalar = TypeVar("_Scalar", bound=_numpy.generic)
NDArray = _ndarray[Any, _numpy.dtype[_Scalar]]
