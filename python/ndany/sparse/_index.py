"""Keys of sparse arrays: positions, slices, lists and masks."""

import operator

import numpy as _numpy

import ndany as _nd

from ._parts import _as_sparse, _indices, _is_foreign, _is_own, _ndarray


def _key(array, key):
    """What an index is: ``element``, ``pairs`` of positions, or a ``part`` by rows and columns, each along its axis."""
    if _is_own(key) or _is_foreign(key):
        mask = _as_sparse(key)
        if mask.dtype != bool:
            raise IndexError(f"[index] expected a mask, got a sparse array of {mask.dtype}")
        if mask.shape != array.shape:
            raise IndexError(f"[index] expected a mask of shape {array.shape}, got {mask.shape}")
        return "pairs", mask.find()[:2]
    items = key if isinstance(key, tuple) else (key,)
    items = [_item(one, array.device) for one in items]
    if len(items) == 1 and isinstance(items[0], _ndarray) and items[0].ndim == 2:
        mask = items[0]
        if mask.dtype != bool:
            raise IndexError("[index] expected two lists of positions, got one of two axes")
        if mask.shape != array.shape:
            raise IndexError(f"[index] expected a mask of shape {array.shape}, got {mask.shape}")
        return "pairs", mask.nonzero()
    if any(item is None for item in items):
        raise IndexError("[index] a sparse array has two axes, and no new one")
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("[index] an index can only have a single ellipsis")
    if Ellipsis in [item if item is Ellipsis else None for item in items]:
        at = next(number for number, item in enumerate(items) if item is Ellipsis)
        items[at : at + 1] = [slice(None)] * max(3 - len(items), 0)
    if len(items) > 2:
        raise IndexError(f"[index] expected at most two items, got {len(items)}")
    items += [slice(None)] * (2 - len(items))
    rows, columns = items
    if isinstance(rows, int) and isinstance(columns, int):
        return "element", (rows, columns)
    listed = [isinstance(item, _ndarray) for item in items]
    if any(listed) and all(isinstance(item, (int, _ndarray)) for item in items):
        rows, columns = (_positions(item, array.device) for item in items)
        if rows.ndim == 2 and columns.ndim == 2 and rows.shape[1] == 1 and columns.shape[0] == 1:
            return "part", (rows.reshape(-1), columns.reshape(-1))
        try:
            rows, columns = _nd.broadcast_arrays(rows, columns)
        except ValueError as error:
            raise IndexError(str(error)) from None
        if rows.ndim > 2:
            raise IndexError("[index] expected lists of positions of one or two axes")
        return "pairs", (rows, columns)
    for item in items:
        if isinstance(item, _ndarray) and item.ndim != 1:
            raise IndexError("[index] expected one axis of positions")
    return "part", tuple(items)


def _item(item, device):
    if isinstance(item, slice) or item is None or item is Ellipsis:
        return item
    if isinstance(item, (bool, _numpy.bool_)):
        raise IndexError("[index] expected positions, slices or masks, got a truth value")
    try:
        return operator.index(item)
    except TypeError:
        pass
    if isinstance(item, (float, complex, str, bytes)):
        raise IndexError(f"[index] expected positions, slices or masks, got {item!r}")
    listed = _indices(item)
    if listed.dtype.kind not in "iub":
        raise IndexError(f"[index] expected positions or a mask, got an array of {listed.dtype}")
    return listed.to_device(device)


def _positions(item, device):
    """Positions of an integer, a list or a mask."""
    if isinstance(item, int):
        return _nd.asarray(item, device=device)
    return _nd.flatnonzero(item) if item.dtype == bool else item
