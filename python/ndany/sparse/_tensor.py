"""Sparse arrays of any number of axes: places in C order, broadcasting, products, and parts by position, all on the device."""

import math

import numpy as _numpy

import ndany as _nd

from ._parts import _ndarray, _Sparse


def _places(coords, shape):
    """The number of each entry's place in C order."""
    found, stride = None, 1
    for coord, extent in zip(reversed(coords), reversed(shape)):
        term = coord.astype("int64") * stride
        found, stride = (term if found is None else found + term), stride * extent
    return found


def _unraveled(places, shape):
    """The coordinates of places in C order."""
    coords = []
    for extent in reversed(shape):
        # Without places nothing is divided.
        extent = max(extent, 1)
        rest = places // extent
        coords.append(places - rest * extent)
        places = rest
    return coords[::-1]


def _along(places, shape, first, end):
    """The place along the axes from ``first`` to ``end`` of places in C order, of which there is one at least."""
    if end < len(shape):
        places = places // math.prod(shape[end:])
    return places % math.prod(shape[first:end]) if first else places


def _narrow(indices, extent):
    """Indices below an extent in 32 bits where they fit, with which products are faster."""
    return indices.astype("int32") if extent < 2**31 else indices


def _at_places(data, places, shape):
    """The coordinates of a shape, of values and their places in C order."""
    return _Sparse.coordinates(data, [places], (math.prod(shape),)).shaped(shape)


def _matrix(value):
    """An array of two axes as it is, others as one row of all elements."""
    return value if value.ndim == 2 else value.shaped((1, math.prod(value.shape)))


def _permuted(x, order):
    """The axes of a sparse or a dense array in another order."""
    return x.transpose(order) if isinstance(x, _ndarray) else x.permuted(order)


def _shaped(x, shape):
    """The elements of a sparse or a dense array in another shape."""
    return x.reshape(shape) if isinstance(x, _ndarray) else x.shaped(shape)


def _parted(value, axes):
    """Two axes of a sparse array, the second one made of these axes and the first one of the others, whose extents come, too."""
    kept = [axis for axis in range(value.ndim) if axis not in axes]
    extents = [value.shape[axis] for axis in kept]
    columns = math.prod(value.shape[axis] for axis in axes)
    return value.permuted(kept + list(axes)).shaped((math.prod(extents), columns)), extents


def _summed(name, value, axes):
    """The ``sum``, the ``mean`` or ``count_nonzero`` along axes, ``None`` for all."""
    kept = [] if axes is None else [axis for axis in range(value.ndim) if axis not in axes]
    if name == "count_nonzero":
        value = value.sum_duplicates()
        value = value.with_data(value.data != 0)
    dtype = value.dtype
    if name == "mean" and dtype.kind in "iub":
        dtype = _numpy.dtype("float64")
    if name == "mean" and dtype.itemsize == 2:
        # Sums of 16 bits in 32.
        value = value.astype("float32")
    elif name == "mean":
        value = value.astype(dtype)
    sums = value.sum_axes(axes) if kept else value.data.sum()
    if name != "mean":
        return sums
    return (sums / math.prod(extent for axis, extent in enumerate(value.shape) if axis not in kept)).astype(dtype)


_EXTREMES = {"max": "maximum", "min": "minimum", "nanmax": "fmax", "nanmin": "fmin"}


def _extreme_of_stored(name, value, axes):
    """The extremes of stored elements along axes, ``None`` for all; where nothing is stored, zero."""
    if any(value.shape[axis] == 0 for axis in (range(value.ndim) if axes is None else axes)):
        raise ValueError("zero-size array to reduction operation")
    function = getattr(_nd, _EXTREMES[name])
    if axes is None:
        data = value.to_format("coo").sum_duplicates().data
        return function.reduce(data) if data.size else _nd.zeros((), dtype=data.dtype, device=value.device)
    matrix, kept = _parted(value, axes)
    own = matrix.to_format("csr").sum_duplicates()
    begins = own.indptr.astype("int64")
    rows = _nd.flatnonzero(begins[1:] != begins[:-1])
    # Each row with entries ends where the next one begins.
    values = function.reduceat(own.data, begins[rows]) if rows.size else own.data
    stored = _nd.flatnonzero(values)
    return _at_places(values[stored], rows[stored], kept)


def _broadcast(value, shape):
    """A sparse array, repeated along new axes and along those of one element, in coordinates."""
    own = (1,) * (len(shape) - value.ndim) + tuple(value.shape)
    if own == tuple(shape):
        return value.shaped(shape)
    value = value.to_format("coo")
    repeats = [extent if extent != one else 1 for one, extent in zip(own, shape)]
    count = math.prod(repeats)
    own_places = _places(_unraveled(value.along(0, value.ndim).astype("int64"), own), shape)
    copies = _places(_unraveled(_nd.arange(count, device=value.device), repeats), shape)
    places = (copies.reshape(-1, 1) + own_places).reshape(-1)
    return _at_places(_nd.broadcast_to(value.data, (count, value.nnz)).reshape(-1), places, shape)


# ---- Products ----

def _product(a, b):
    """The matrix product of two arrays, of which one is sparse at least: over the last axis and the last but one, others broadcast."""
    sparse, other = (a, b) if isinstance(a, _Sparse) else (b, a)
    if sparse.ndim == 2 and (other.ndim == 2 or (other.ndim == 1 and isinstance(other, _ndarray))):
        return a.matmul(b) if sparse is a else b.rmatmul(a)
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise ValueError(f"matmul: dimension mismatch with signature (n,..,k={a.shape[-1]}),(k={inner},..,m)->(n,..,m)")
    if a.ndim == b.ndim == 1 and isinstance(a, _Sparse) and isinstance(b, _Sparse):
        return _contracted(a, b, [0], [0])
    left = a if a.ndim > 1 else _shaped(a, (1, a.shape[0]))
    right = b if b.ndim > 1 else _shaped(b, (b.shape[0], 1))
    product = _stacked(left, right)
    shape = list(product.shape)
    if b.ndim == 1:
        del shape[-1]
    if a.ndim == 1:
        del shape[len(shape) - (1 if b.ndim == 1 else 2)]
    return product if shape == list(product.shape) else _shaped(product, shape)


def _stacked(a, b):
    """The products of matrices along all axes but the last two."""
    (m, k), p = a.shape[-2:], b.shape[-1]
    if isinstance(a, _ndarray):
        if a.ndim == b.ndim == 2:
            return b.rmatmul(a)
        return _turned(_stacked(_turned(b), _turned(a)))
    if b.ndim == 2:
        rows = a if a.ndim == 2 else a.shaped((math.prod(a.shape[:-1]), k))
        product = rows.matmul(b)
        return product if a.ndim == 2 else _shaped(product, (*a.shape[:-1], p))
    try:
        batch = _numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError("Batch dimensions are not broadcastable") from None
    count = math.prod(batch)
    left = _along_diagonal(_broadcast(a, (*batch, m, k)))
    if isinstance(b, _ndarray):
        b = _nd.broadcast_to(b, (*batch, k, p)).reshape(count * k, p)
        return left.matmul(b).reshape(*batch, m, p)
    product = left.matmul(_along_diagonal(_broadcast(b, (*batch, k, p)))).to_format("coo")
    rows, columns = (part.astype("int64") for part in product.coords)
    return _at_places(product.data, rows * p + columns - rows // max(m, 1) * p, (*batch, m, p))


def _turned(x):
    """The last two axes exchanged."""
    return _permuted(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


def _along_diagonal(value):
    """The matrices of the last two axes along the diagonal of one matrix."""
    *batch, m, n = value.shape
    places, count = value.along(0, value.ndim).astype("int64"), math.prod(batch)
    rows = places // max(n, 1)
    columns = places - rows * n + rows // max(m, 1) * n
    coords = [_narrow(part, count * max(m, n)) for part in (rows, columns)]
    return _Sparse.coordinates(value.data, coords, (count * m, count * n))


def _contracted(a, b, axes, others):
    """The sums of products of a sparse array and another one along axes of both."""
    for x, listed in ((a, axes), (b, others)):
        if len(set(listed)) != len(listed):
            raise ValueError(f"[tensordot] expected each axis once, got {tuple(listed)}")
    if [a.shape[axis] for axis in axes] != [b.shape[axis] for axis in others]:
        raise ValueError("sizes of the corresponding axes must match")
    left, kept = _parted(a, axes)
    rest = [axis for axis in range(b.ndim) if axis not in others]
    extents = [b.shape[axis] for axis in rest]
    right = _shaped(_permuted(b, [*others, *rest]), (left.shape[1], math.prod(extents)))
    if kept or extents:
        return _shaped(left.matmul(right), (*kept, *extents))
    # A row may have more columns than memory has room for rows.
    right = _shaped(right, (1, left.shape[1]))
    return left.multiply(right).data.sum().astype(_numpy.result_type(a.dtype, b.dtype))


# ---- Parts by position ----

def _in_run(places, shape, first, end, start, count):
    """Whether places are at ``count`` positions from ``start`` along the axes from ``first`` to ``end``."""
    if first == 0:
        # What is in front of all others is a range of places, for which nothing is divided.
        behind = math.prod(shape[end:])
        start, count = start * behind, count * behind
    else:
        places = _along(places, shape, first, end)
    if count == 1:
        return places == start
    return (places >= start) & (places < start + count)


def _runs(plan, shape):
    """Neighbouring axes of a key that are dealt with as one: all positions of each, or one position of each; others alone.

    Each is its first axis, the end of its axes, and ``None``, the position, or what the key has."""
    found = []
    for axis, (item, extent) in enumerate(zip(plan.index, shape)):
        first, end, before = found[-1] if found else (0, 0, slice(None))
        if isinstance(item, slice) and item.indices(extent) == (0, extent, 1):
            item = None
            joins = before is None and plan.slices[axis] == plan.slices[axis - 1] + 1
        else:
            joins = isinstance(item, int) and isinstance(before, int)
        if joins:
            found[-1] = (first, axis + 1, None if item is None else before * extent + item)
        else:
            found.append((axis, axis + 1, item))
    return found


def _taken(value, plan):
    """The elements that a key chooses, in coordinates: entries in the range of slices, and those whose coordinates are listed."""
    data, shape = value.data, value.shape
    if not data.size:
        return _at_places(data.copy(), _nd.zeros(0, dtype="int64", device=value.device), plan.shape)
    within, runs = value.along(0, value.ndim), _runs(plan, shape)
    kept = None
    for first, end, item in runs:
        if item is None or isinstance(item, _ndarray):
            continue
        if isinstance(item, int):
            mask = _in_run(within, shape, first, end, item, 1)
        else:
            start, stop, step = item.indices(shape[first])
            count = len(range(start, stop, step))
            if step == 1:
                mask = _in_run(within, shape, first, end, start, count)
            else:
                steps = (_along(within, shape, first, end) - start) // step
                mask = (steps >= 0) & (steps < count) & (steps * step == _along(within, shape, first, end) - start)
        kept = mask if kept is None else kept & mask
    if kept is not None:
        at = _nd.flatnonzero(kept)
        data, within = data[at], within[at]
        if not data.size:
            return _at_places(data, at, plan.shape)
    places, own, wanted = _nd.zeros(data.size, dtype="int64", device=value.device), None, None
    strides = plan.strides()
    for first, end, item in runs:
        if isinstance(item, int):
            continue
        along = _along(within, shape, first, end).astype("int64")
        if isinstance(item, _ndarray):
            own = along if own is None else own * shape[first] + along
            wanted = item if wanted is None else wanted * shape[first] + item
            continue
        if item is not None:
            start, _, step = item.indices(shape[first])
            along = (along - start) // step
        places = places + along * strides[plan.slices[end - 1]]
    if own is not None:
        # Each listed position has the entries of one stretch of those that are sorted by the listed axes.
        order = _nd.argsort(own, stable=True)
        ordered, wanted = own[order], wanted.reshape(-1)
        begin = _nd.searchsorted(ordered, wanted, side="left")
        counts = _nd.searchsorted(ordered, wanted, side="right") - begin
        number = _nd.repeat(_nd.arange(wanted.size, device=value.device), counts)
        before = _nd.cumsum(counts) - counts
        entry = order[_nd.arange(number.size, device=value.device) - before[number] + begin[number]]
        data = data[entry]
        places = places[entry] + number * strides[plan.lists + len(plan.listed) - 1] if plan.listed else places[entry]
    elif kept is None:
        data = data.copy()
    return _at_places(data, places, plan.shape)


def _chosen_places(plan, extents, device):
    """The places of all elements that a key chooses, in the shape of the part."""
    count, places = len(plan.shape), _nd.zeros((1,) * len(plan.shape), dtype="int64", device=device)
    for axis, (item, extent) in enumerate(zip(plan.index, extents)):
        stride = math.prod(extents[axis + 1 :])
        if isinstance(item, int):
            places = places + item * stride
            continue
        if isinstance(item, slice):
            along, at = _nd.arange(*item.indices(extent), device=device), plan.slices[axis]
        else:
            along, at = item, plan.lists
        places = places + (along * stride).reshape(along.shape + (1,) * (count - at - along.ndim))
    return _nd.broadcast_to(places, plan.shape)
