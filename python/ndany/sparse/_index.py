"""Keys of sparse arrays: positions, slices, lists and masks."""

import math
import operator

import numpy as _numpy

import ndany as _nd

from ._parts import _as_sparse, _indices, _is_foreign, _is_own, _ndarray


def _key(array, key):
    """What a key of two axes is: ``element``, ``pairs`` of positions, pairs of one position and a list of others (``line``),
    a ``part`` by rows and columns, each along its axis, or ``new``, if it may make axes."""
    items = [_item(one, array.device) for one in (key if isinstance(key, tuple) else (key,))]
    if any(item is None for item in items):
        return "new", key
    if len(items) == 1 and isinstance(items[0], tuple):
        shape, positions = items[0]
        if shape != array.shape:
            raise IndexError(f"[index] expected a mask of shape {array.shape}, got {shape}")
        return "pairs", positions
    if any(isinstance(item, tuple) for item in items):
        return "new", key
    if len(items) == 1 and isinstance(items[0], _ndarray) and items[0].ndim == 2:
        mask = items[0]
        if mask.dtype != bool:
            return "new", key
        if mask.shape != array.shape:
            raise IndexError(f"[index] expected a mask of shape {array.shape}, got {mask.shape}")
        return "pairs", mask.nonzero()
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
            return "new", key
        return "pairs" if all(listed) else "line", (rows, columns)
    if any(isinstance(item, _ndarray) and item.ndim != 1 for item in items):
        return "new", key
    return "part", tuple(items)


def _item(item, device):
    """An item of a key: a slice, an integer, ``None``, an ellipsis, positions, a mask, or the shape and the positions of a sparse mask."""
    if isinstance(item, slice) or item is None or item is Ellipsis:
        return item
    if isinstance(item, (bool, _numpy.bool_)):
        raise IndexError("[index] expected positions, slices or masks, got a truth value")
    if _is_own(item) or _is_foreign(item):
        mask = _as_sparse(item, "coo")
        if mask.dtype != bool:
            raise IndexError(f"[index] expected a mask, got a sparse array of {mask.dtype}")
        mask = mask.to_format("coo").sum_duplicates().eliminate_zeros()
        return tuple(mask.shape), [part.to_device(device).astype("int64") for part in mask.coords]
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


class _Plan:
    """What a key chooses: an integer, a slice or a list of positions for each axis, and the shape of the part."""

    __slots__ = ("index", "shape", "slices", "lists", "listed", "has_new")

    def strides(self):
        """The places from one element of the part to the next along each axis."""
        return [math.prod(self.shape[axis + 1 :]) for axis in range(len(self.shape))]


def _plan(array, key):
    """The plan of a key: positions are in range and count from 0, lists have one shape."""
    extents, device = array.shape, array.device
    items = [_item(one, device) for one in (key if isinstance(key, tuple) else (key,))]
    items = [(tuple(item.shape), list(item.nonzero())) if isinstance(item, _ndarray) and item.dtype == bool else item for item in items]
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("an index can only have a single ellipsis")
    taken = sum(_axes_of(item) for item in items)
    if taken > len(extents):
        raise IndexError(f"Too many indices for array or tuple index out of range. The key needs {taken}D. Array is {len(extents)}D")
    rest = [slice(None)] * (len(extents) - taken)
    at = next((number for number, item in enumerate(items) if item is Ellipsis), None)
    items = items + rest if at is None else [*items[:at], *rest, *items[at + 1 :]]
    plan, shape, spots = _Plan(), [], []
    plan.index, plan.slices, plan.has_new = [], {}, any(item is None for item in items)
    for item in items:
        axis = len(plan.index)
        if item is None:
            shape.append(1)
        elif isinstance(item, slice):
            plan.slices[axis] = len(shape)
            plan.index.append(item)
            shape.append(len(range(*item.indices(extents[axis]))))
        elif isinstance(item, int):
            if not -extents[axis] <= item < extents[axis]:
                raise IndexError(f"index ({item}) out of range")
            plan.index.append(item % extents[axis])
            spots.append(len(shape))
        elif isinstance(item, tuple):
            mask, positions = item
            if mask != extents[axis : axis + len(mask)]:
                raise IndexError(f"bool index has shape {mask} instead of {extents[axis : axis + len(mask)]}")
            plan.index.extend(positions)
            spots.append(len(shape))
        else:
            plan.index.append(_in_range(item, extents[axis]))
            spots.append(len(shape))
    listed = [axis for axis, item in enumerate(plan.index) if isinstance(item, _ndarray)]
    plan.lists, plan.listed = 0, ()
    if listed:
        try:
            lists = _nd.broadcast_arrays(*(plan.index[axis] for axis in listed))
        except ValueError:
            shapes = " ".join(str(plan.index[axis].shape) for axis in listed)
            raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}") from None
        for axis, one in zip(listed, lists):
            plan.index[axis] = one
        # Lists that stand together are in their place, others come first.
        plan.listed, plan.lists = lists[0].shape, spots[0] if len(set(spots)) == 1 else 0
        plan.slices = {axis: at + len(plan.listed) * (at >= plan.lists) for axis, at in plan.slices.items()}
        shape[plan.lists : plan.lists] = plan.listed
    plan.shape = tuple(shape)
    return plan


def _axes_of(item):
    """How many axes an item of a key takes."""
    if item is None or item is Ellipsis:
        return 0
    return len(item[0]) if isinstance(item, tuple) else 1


def _in_range(positions, extent):
    """Positions that count from 0."""
    positions = positions.astype("int64")
    if positions.size:
        least, largest = int(positions.min()), int(positions.max())
        if largest >= extent or least < -extent:
            raise IndexError(f"index ({largest if largest >= extent else least}) out of range")
        if least < 0:
            positions = _nd.where(positions < 0, positions + extent, positions)
    return positions
