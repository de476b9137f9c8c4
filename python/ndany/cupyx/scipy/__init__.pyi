# Written by `python/stubs`.
from typing import Any

from ndany._core import function as function, ufunc as ufunc

def get_array_module(*args) -> Any: ...
