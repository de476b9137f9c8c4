"""Sparse arrays against SciPy's, value for value. Bits are SciPy's where docs/sparse.md promises them; else the tolerance is that of
the definition."""

import os
import pickle

import ndany as np
import numpy
import pytest

try:
    import scipy.sparse as scipy_sparse
    import scipy.sparse.csgraph as scipy_csgraph
    import scipy.sparse.linalg as scipy_linalg
except ImportError:
    if os.environ.get("CI") == "true":
        raise
    pytest.skip("SciPy is not installed", allow_module_level=True)

from ndany import sparse
from ndany.sparse import csgraph, linalg

FORMATS = ["csr", "csc", "coo", "dia", "bsr"]
DTYPES = ["bool", "int32", "int64", "uint8", "float32", "float64", "complex64", "complex128"]


@pytest.fixture(autouse=True)
def device():
    with np.cuda.Device(os.environ.get("NDANY_DEVICE", "cpu")):
        yield


def dense(shape=(5, 7), dtype="float64", seed=0, density=0.4):
    rng = numpy.random.default_rng(seed)
    values = rng.integers(-9, 10, shape) + (1j * rng.integers(-9, 10, shape) if numpy.dtype(dtype).kind == "c" else 0)
    if numpy.dtype(dtype).kind in "fc":
        values = values / 8
    values = numpy.where(rng.random(shape) < density, values, 0)
    return (numpy.abs(values) if numpy.dtype(dtype).kind == "u" else values).astype(dtype)


def both(format="csr", **given):
    """An array of ndany and the same one of SciPy."""
    values = dense(**given)
    return getattr(sparse, format + "_array")(values), getattr(scipy_sparse, format + "_array")(values)


def plain(x):
    if isinstance(x, sparse.sparray):
        return x.toarray().get()
    if isinstance(x, np.ndarray):
        return x.get()
    return x.toarray() if scipy_sparse.issparse(x) else numpy.asarray(x)


def same(own, theirs, tolerance=0, dtype=True):
    own, theirs = plain(own), plain(theirs)
    assert own.shape == theirs.shape
    if dtype:
        assert own.dtype == theirs.dtype
    if tolerance:
        numpy.testing.assert_allclose(own, theirs, rtol=tolerance, atol=tolerance)
    else:
        numpy.testing.assert_array_equal(own, theirs)


# ---- Construction ----

@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("format", FORMATS)
def test_from_dense(format, dtype):
    own, theirs = both(format, dtype=dtype)
    same(own, theirs)
    assert isinstance(own, getattr(sparse, format + "_array"))
    assert (own.format, own.shape, own.ndim, own.nnz, own.dtype) == (format, theirs.shape, 2, theirs.nnz, theirs.dtype)
    same(own.data, theirs.data)
    if format in ("csr", "csc", "bsr"):
        same(own.indices, theirs.indices)
        same(own.indptr, theirs.indptr)
    if format == "coo":
        same(own.row, theirs.row)
        same(own.col, theirs.col)
    if format == "dia":
        same(own.offsets, theirs.offsets)


def test_from_parts():
    data, indices, indptr = [1.0, 2, 3, 4], [2, 0, 1, 1], [0, 1, 3, 4]
    for name in ("csr_array", "csc_array"):
        for given in ({}, {"shape": (3, 3)}, {"dtype": "float32"}):
            own = getattr(sparse, name)((data, indices, indptr), **given)
            theirs = getattr(scipy_sparse, name)((data, indices, indptr), **given)
            same(own, theirs)
            assert own.has_sorted_indices == theirs.has_sorted_indices
            assert own.indices.dtype == "int32"
            wide = getattr(sparse, name)((np.asarray(data), np.asarray(indices), np.asarray(indptr)), **given)
            assert np.asarray(indices).dtype == "int64" and wide.indices.dtype == wide.indptr.dtype == "int32"
            same(wide, theirs)
    rows, columns = [0, 2, 0, 0], [1, 1, 1, 3]
    for name in ("csr_array", "csc_array", "coo_array"):
        same(getattr(sparse, name)((data, (rows, columns))), getattr(scipy_sparse, name)((data, (rows, columns))))
    assert sparse.coo_array((data, (np.asarray(rows), np.asarray(columns)))).row.dtype == "int32"
    own = sparse.coo_array((data, (rows, columns)), shape=(4, 5))
    assert own.nnz == 4 and not own.has_canonical_format
    own.sum_duplicates()
    assert own.nnz == 3 and own.has_canonical_format
    same(sparse.dia_array(([[1, 2, 3], [4, 5, 6]], [0, 1]), shape=(3, 3)), scipy_sparse.dia_array(([[1, 2, 3], [4, 5, 6]], [0, 1]), shape=(3, 3)))
    blocks = numpy.arange(8.0).reshape(2, 2, 2)
    same(sparse.bsr_array((blocks, [1, 0], [0, 1, 2])), scipy_sparse.bsr_array((blocks, [1, 0], [0, 1, 2])))


@pytest.mark.parametrize("format", FORMATS)
def test_from_a_shape_and_from_sparse(format):
    make, theirs = getattr(sparse, format + "_array"), getattr(scipy_sparse, format + "_array")
    empty = make((3, 4))
    assert (empty.shape, empty.nnz, empty.dtype) == ((3, 4), 0, theirs((3, 4)).dtype)
    same(make((3, 4), dtype="int16"), theirs((3, 4), dtype="int16"))
    for other in FORMATS:
        own, reference = both(other)
        same(make(own), theirs(reference))
        same(make(reference), theirs(reference))
        same(make(own, dtype="complex64"), theirs(reference, dtype="complex64"))
    scipy_lil = scipy_sparse.lil_array(dense())
    same(make(scipy_lil), scipy_lil)


@pytest.mark.parametrize("format", FORMATS)
def test_to_scipy_and_back(format):
    own, theirs = both(format)
    back = own.get()
    assert type(back) is type(theirs)
    same(own, back)
    same(getattr(sparse, format + "_array")(back), theirs)


def test_parts_of_scipy():
    theirs = scipy_sparse.csr_array(dense())
    copied, shared = sparse.csr_array(theirs), sparse.csr_array(theirs, copy=False)
    again, before = shared.copy(), theirs.toarray()
    theirs.data[0] = 77
    same(copied, before)
    same(again, before)
    if copied.device == "cpu":
        same(shared, theirs)
    # SciPy sorts its indices in place.
    unsorted = scipy_sparse.csr_array(([1.0, 2, 3], [2, 0, 1], [0, 3]), shape=(1, 3))
    own, before = sparse.csr_array(unsorted), unsorted.toarray()
    unsorted.sort_indices()
    same(own, before)


BAD = [
    lambda s: s.csr_array(([1.0], [0, 1], [0, 1]), shape=(1, 9)),
    lambda s: s.coo_array(([1.0], ([0], [9])), shape=(1, 3)),
    lambda s: s.coo_array(([1.0], ([0, 1], [0]))),
    lambda s: s.csr_array(5),
    lambda s: s.csr_array("x"),
    lambda s: s.csr_array((1, 2, 3, 4)),
    lambda s: s.csr_array(numpy.zeros((2, 3)), shape=(3, 2)),
    lambda s: s.csr_array(numpy.zeros((2, 3, 4))),
    lambda s: s.dia_array(([[1, 2]], [0, 1]), shape=(2, 2)),
    lambda s: s.eye_array(3).asformat("xyz"),
    lambda s: s.eye_array(3) + s.eye_array(4),
    lambda s: s.eye_array(3) * numpy.ones((4, 4)),
    lambda s: s.eye_array(3) @ numpy.ones(4),
    lambda s: s.eye_array(3) @ 2,
    lambda s: s.eye_array(3) + 1,
    lambda s: s.eye_array(3).tocsr()[5, 0],
    lambda s: s.eye_array(3).tocsr()[[0, 7], [0, 1]],
    lambda s: s.eye_array(3).tocsr()[0, 1, 2],
    lambda s: s.eye_array(3).tocsr()[1.5],
    lambda s: s.eye_array(3).tocsr().__setitem__((0, 3), 1),
    lambda s: s.eye_array(3).tocsr() ** 0,
    lambda s: len(s.eye_array(3)),
    lambda s: bool(s.eye_array(3)),
    lambda s: s.eye_array(3).tocsr().transpose((0, 1)),
    lambda s: s.eye_array(3).astype(bool).tocsr().__neg__(),
    lambda s: s.eye_array(3).sum(axis=5),
    lambda s: s.eye_array(3) // 2,
    lambda s: 2 / s.eye_array(3),
    lambda s: s.random_array((3, 3), density=2),
    lambda s: s.hstack([s.eye_array(2), s.eye_array(3)]),
    lambda s: s.eye_array(3).setdiag(1, k=5),
    lambda s: s.eye_array(3, k=7),
    lambda s: s.eye_array(3).tocsr()[[0, 1], [0, 1, 2]],
    lambda s: s.eye_array(3).tocsr()[[True, False]],
    lambda s: s.eye_array(3).tocsr()[::0],
    lambda s: s.eye_array(3) @ None,
    lambda s: s.eye_array(3) < numpy.ones(4),
    lambda s: s.diags_array([1.0, 2.0], offsets=0, shape=(3, 3)),
    lambda s: s.diags_array([[1.0], [2.0]], offsets=[0, 0]),
    lambda s: s.vstack([]),
    lambda s: s.csr_array((-1, 2)),
    lambda s: numpy.cos(s.eye_array(3)),
]


@pytest.mark.parametrize("wrong", BAD)
def test_bad_input(wrong):
    with pytest.raises(Exception) as theirs:
        wrong(scipy_sparse)
    with pytest.raises(theirs.type):
        wrong(sparse)


def test_indices_out_of_range_are_refused():
    # SciPy takes these, and reads what is not there.
    for given in [([1.0], [9], [0, 1]), ([1.0], [-1], [0, 1]), ([1.0], [0], [0, 2])]:
        with pytest.raises(ValueError):
            sparse.csr_array(given, shape=(1, 3))


def test_what_the_engine_lacks_is_said():
    own = sparse.csr_array(dense())
    with pytest.raises(ValueError, match="read-only"):
        own.indices[0] = 1
    for name in ("todok", "tolil", "dok_array", "lil_array"):
        assert not hasattr(own, name) and not hasattr(sparse, name)


# ---- Conversions ----

@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("format", FORMATS)
def test_conversions(format, to):
    own, theirs = both(format, shape=(6, 4))
    made, reference = getattr(own, "to" + to)(), getattr(theirs, "to" + to)()
    assert made.format == to
    same(made, reference)
    same(own.asformat(to), theirs.asformat(to))
    same(own.T, theirs.T)
    assert own.T.format == theirs.T.format
    same(own.astype("float32"), theirs.astype("float32"))
    same(own.conj(), theirs.conj())
    same(own.toarray(order="F"), theirs.toarray(order="F"))


def test_blocks():
    own, theirs = both("csr", shape=(6, 4))
    same(own.tobsr((3, 2)), theirs.tobsr((3, 2)))
    assert own.tobsr((3, 2)).blocksize == (3, 2)
    whole = numpy.kron(numpy.eye(3), numpy.ones((2, 2)))
    assert sparse.bsr_array(whole).blocksize == scipy_sparse.bsr_array(whole).blocksize == (2, 2)
    assert sparse.bsr_array(whole, blocksize=(3, 3)).blocksize == (3, 3)


@pytest.mark.parametrize("format", FORMATS)
def test_text(format):
    own, theirs = both(format)
    assert repr(own) == repr(theirs)
    text, reference = str(own).split("\n"), str(theirs).split("\n")
    # SciPy shows the entries of diagonals one diagonal after the other.
    assert (sorted(text) == sorted(reference)) if format == "dia" else (text == reference)
    assert repr(sparse.csr_array((2, 3))) == repr(scipy_sparse.csr_array((2, 3)))


@pytest.mark.parametrize("format", FORMATS)
def test_copies(format):
    own, theirs = both(format)
    copied = own.copy()
    own.data *= 2
    same(copied, theirs)
    same(own, theirs * 2)
    same(pickle.loads(pickle.dumps(own)), own)


# ---- Values that change ----

@pytest.mark.parametrize("format", FORMATS)
def test_data_is_live(format):
    own, theirs = both(format)
    for one in (own, theirs):
        one.data[...] = one.data * 3
        one.data[0] += 1
    same(own, theirs)
    same(own @ numpy.arange(7.0), theirs @ numpy.arange(7.0))
    own.data, theirs.data = own.data + 1, theirs.data + 1
    same(own, theirs)
    same(own.T @ numpy.arange(5.0), theirs.T @ numpy.arange(5.0))
    own *= 2
    theirs *= 2
    own /= 4
    theirs /= 4
    same(own, theirs)


def test_changes_in_place():
    data, rows, columns = [1.0, 0, 3, -3, 5], [0, 1, 2, 2, 0], [2, 1, 0, 0, 0]
    for format in ("csr", "csc", "coo"):
        own = getattr(sparse, format + "_array")((data, (rows, columns)), shape=(3, 4))
        theirs = getattr(scipy_sparse, format + "_array")((data, (rows, columns)), shape=(3, 4))
        for name in ("sum_duplicates", "eliminate_zeros"):
            getattr(own, name)()
            getattr(theirs, name)()
            assert own.nnz == theirs.nnz
            same(own, theirs)
    own = sparse.csr_array(([1.0, 2, 3], [2, 0, 1], [0, 3]), shape=(1, 3))
    assert not own.has_sorted_indices
    own.sort_indices()
    assert own.has_sorted_indices and own.indices.tolist() == [0, 1, 2] and own.data.tolist() == [2, 3, 1]


@pytest.mark.parametrize("values, k", [(3, 0), ([1, 2, 3], 0), (7, 2), ([1, 2], -3), ([9], 1)])
def test_setdiag(values, k):
    own, theirs = both("csr")
    own.setdiag(values, k)
    theirs.setdiag(values, k)
    same(own, theirs)


# ---- Operators ----

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex128"])
@pytest.mark.parametrize("format", FORMATS)
def test_operators_of_two(format, dtype):
    (a, x), (b, y) = both(format, dtype=dtype), both("csc" if format == "csr" else "csr", dtype=dtype, seed=1)
    for f in (
        lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p.multiply(q), lambda p, q: p == q,
        lambda p, q: p != q, lambda p, q: p @ q.T, lambda p, q: p.dot(q.T),
    ):
        same(f(a, b), f(x, y))
        same(f(a, y), f(x, y))
    for f in (lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p == q, lambda p, q: p @ q.T):
        same(f(x, b), f(x, y))
    if dtype != "complex128":
        for f in (lambda p, q: p.maximum(q), lambda p, q: p.minimum(q), lambda p, q: p < q, lambda p, q: p > q):
            same(f(a, b), f(x, y))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", FORMATS)
def test_operators_with_dense(format):
    (a, x), d = both(format), dense(seed=2)
    for e in (d, np.asarray(d)):
        for f in (
            lambda p, q: p + q, lambda p, q: q + p, lambda p, q: p - q, lambda p, q: q - p, lambda p, q: p * q, lambda p, q: q * p,
            lambda p, q: p == q, lambda p, q: p < q, lambda p, q: q >= p, lambda p, q: p.multiply(q[0]), lambda p, q: p.maximum(q),
            lambda p, q: p @ q.T, lambda p, q: q.T @ p, lambda p, q: p @ q[0], lambda p, q: q[:, 0] @ p,
        ):
            result = f(a, e)
            same(result, f(x, d))
            assert isinstance(result, (np.ndarray, sparse.sparray))
    with numpy.errstate(all="ignore"):
        same(a / sparse.csr_array(d), x / scipy_sparse.csr_array(d))
        same(a / (abs(d) + 1), x / (abs(d) + 1))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", FORMATS)
def test_operators_with_numbers(format):
    a, x = both(format)
    for f in (
        lambda p: p * 2, lambda p: 2 * p, lambda p: numpy.float64(0.5) * p, lambda p: p / 4, lambda p: p**2, lambda p: -p, abs,
        lambda p: p + 0, lambda p: 0 - p, lambda p: p == 0.5, lambda p: p != 0, lambda p: p > 0.25, lambda p: p < 0.25,
        lambda p: 0.25 >= p, lambda p: p.power(3), lambda p: p.dot(2), lambda p: p.maximum(0), lambda p: p.minimum(0),
        lambda p: p.maximum(0.5), lambda p: p.multiply(3), lambda p: p * 1j,
    ):
        same(f(a), f(x))


def test_operators_in_place():
    a, x = both()
    own, theirs = a, x
    a += a
    x = x + x
    same(a, x)
    same(own, theirs)
    d = numpy.ones((5, 7))
    d += own
    same(d, theirs.toarray() + 1)
    d = np.ones((5, 7))
    d += own
    d -= 2 * own
    same(d, 1 - theirs.toarray())
    with pytest.raises(TypeError):
        d *= own
    with pytest.raises(TypeError):
        numpy.add(numpy.ones((5, 7), int), own, out=numpy.ones((5, 7), int))


def test_functions_of_numpy():
    own, theirs = both()
    for f in (numpy.sin, numpy.abs, numpy.negative, numpy.conjugate, lambda p: numpy.add(p, p)):
        same(f(own), f(theirs), 1e-15)
    same(numpy.matmul(own, own.T), theirs @ theirs.T)


@pytest.mark.parametrize(
    "name", "sqrt sin tan sinh tanh expm1 log1p floor ceil trunc rint sign deg2rad rad2deg arcsin arctan arcsinh arctanh".split()
)
def test_elementwise(name):
    values = numpy.abs(dense()) / 16
    own, theirs = sparse.csr_array(values), scipy_sparse.csr_array(values)
    same(getattr(own, name)(), getattr(theirs, name)(), 1e-15)


def test_products_have_the_bits_of_scipy():
    rng = numpy.random.default_rng(3)
    for dtype in ("float32", "float64", "complex128"):
        values = numpy.where(rng.random((200, 150)) < 0.2, rng.standard_normal((200, 150)), 0).astype(dtype)
        a, x = sparse.csr_array(values), scipy_sparse.csr_array(values)
        v, w = rng.standard_normal(150).astype(dtype), rng.standard_normal((150, 3)).astype(dtype)
        # Rows of at most 64 entries.
        assert numpy.diff(x.indptr).max() <= 64
        same(a @ v, x @ v)
        same(a @ np.asarray(w), x @ w)
        product, reference = a @ a.T, x @ x.T
        reference.sort_indices()
        same(product.indices, reference.indices)
        same(product.data, reference.data)


# ---- Reductions ----

@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("format", FORMATS)
def test_reductions(format, axis):
    own, theirs = both(format)
    for name in ("sum", "mean"):
        same(getattr(own, name)(axis), getattr(theirs, name)(axis), 1e-15)
    reference = theirs.tocsr()
    for name in ("min", "max", "argmin", "argmax", "count_nonzero"):
        same(getattr(own, name)(axis), getattr(reference, name)(axis), dtype=False)
    values = dense()
    values[1:3, ::2] = numpy.nan
    holes, reference = getattr(sparse, f"{format}_array")(values), scipy_sparse.csr_array(values)
    for name in ("nanmin", "nanmax"):
        same(getattr(holes, name)(axis), getattr(reference, name)(axis), dtype=False)
    same(own.sum(axis, dtype="float32"), theirs.sum(axis, dtype="float32"), 1e-6)


def test_diagonals():
    own, theirs = both()
    for k in (-4, -1, 0, 2, 6):
        same(own.diagonal(k), theirs.diagonal(k))
        same(own.trace(k), theirs.trace(k))
    rows, columns = own.nonzero()
    same(rows, theirs.nonzero()[0])
    same(columns, theirs.nonzero()[1])


# ---- Parts ----

@pytest.mark.parametrize(
    "key",
    [
        (2, 3), (-1, -2), (slice(1, 4), slice(None)), (slice(None, None, -2), slice(2, 6, 3)), slice(0, 2), [3, 0, 3], Ellipsis,
        (slice(None), [1, 1, 5]), ([0, 2], [1, 3]), ([4, -1], slice(1, 3)), numpy.ix_([0, 2, 1], [3, 1]), (slice(3, 3), slice(None)),
        numpy.array([True, False, True, True, False]), (slice(None), numpy.arange(7) % 2 == 0), ([[0, 1]], [[2, 3]]), (Ellipsis, [2]),
    ],
)
def test_parts(key):
    for format in ("csr", "csc"):
        own, theirs = both(format)
        same(own[key], theirs[key])
    own = both("coo")[0]
    same(own[key], theirs[key])


def test_parts_by_masks():
    own, theirs = both()
    same(own[own > 0.5], theirs[theirs > 0.5])
    same(own[dense() != 0], theirs[dense() != 0])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "key, value",
    [
        ((1, 2), 5), ((-1, 0), 0), ((slice(None), 1), numpy.arange(5.0).reshape(5, 1)), (0, 7), (slice(1, 3), 0), (([0, 1], [0, 1]), [8, 9]),
        (([0, 0], [3, 3]), [8, 9]), ((slice(0, 2), [1, 4]), numpy.ones((2, 2))), (numpy.ix_([0, 2], [1, 3]), [[1, 2], [3, 4]]),
        (numpy.array([True, False, True, True, False]), 2), ((slice(0, 2), slice(0, 2)), scipy_sparse.csr_array([[1, 0], [0, 2.0]])),
    ],
)
def test_assignment(key, value):
    for format in ("csr", "csc"):
        own, theirs = both(format)
        own[key] = value
        theirs[key] = value
        same(own, theirs)
        assert own.format == format


@pytest.mark.filterwarnings("ignore")
def test_assignment_by_masks():
    own, theirs = both()
    own[own > 0.5] = 0
    theirs[theirs > 0.5] = 0
    same(own, theirs)


EDGES = [
    lambda s: s.csr_array((0, 0)).toarray(), lambda s: s.csr_array((0, 3)).sum(0), lambda s: s.csr_array((0, 3)).sum(1),
    lambda s: s.csr_array((0, 3)) @ numpy.ones(3), lambda s: s.csr_array((3, 0)) @ numpy.ones(0), lambda s: s.csr_array((3, 0)).T,
    lambda s: s.csr_array((2, 2)).max(), lambda s: s.csr_array((0, 2)).todia(), lambda s: s.csr_array((4, 4)).tobsr((2, 2)),
    lambda s: s.csr_array((2, 3)) + s.csr_array((2, 3)), lambda s: s.csr_array((2, 3)) @ s.csr_array((3, 2)),
    lambda s: s.csr_array((2, 3)) == s.csr_array((2, 3)), lambda s: s.csr_array([[1, 2]], dtype="u1") - s.csr_array([[2, 1]], dtype="u1"),
    lambda s: s.csr_array([[True, False], [True, True]]) @ s.csr_array([[True, False], [True, True]]),
    lambda s: s.csr_array([[1, 2]], dtype="i1") * 2.5, lambda s: s.csr_array([[1, 2]], dtype="f4") * numpy.float64(2),
    lambda s: s.csr_array([[2.0, 0]]) ** -1, lambda s: s.csr_array([[1, 2]]).power(2, dtype="f4"), lambda s: s.csr_array([[1j, 2]]).imag,
    lambda s: s.csr_array([[1, 2], [3, 4]], dtype="f4").mean(), lambda s: s.csr_array([[1, 2], [3, 4]], dtype="i4").sum(0),
    lambda s: s.csr_array([[numpy.inf, 2], [0, 0]]) * s.csr_array([[0, 1.0], [0, 0]]), lambda s: s.csr_array([[numpy.inf, 0]]) @ numpy.array([0, 1.0]),
    lambda s: s.csr_array([[1, 2]]).multiply([[2], [3]]), lambda s: s.csr_array([[1], [2]]).multiply(s.csr_array([[1, 2]])),
    lambda s: s.csr_array([[1, 2]]) * s.csr_array([[3]]), lambda s: [1, 1] @ s.csr_array([[1, 2], [3, 4]]),
    lambda s: s.csr_array([[1, 2], [3, 4]])[[]], lambda s: s.csr_array([[1, 2], [3, 4]])[[], []], lambda s: s.csr_array([[1, 2], [3, 4]])[0:0],
    lambda s: s.csr_array([[1, 2], [3, 4]])[numpy.array(1), numpy.array(0)], lambda s: s.coo_array(([], ([], [])), shape=(2, 2)),
    lambda s: s.csr_array(([1.0, 2.0], [0, 0], [0, 2])), lambda s: s.hstack([s.csr_array([[1, 2]]), numpy.array([[3]])]),
    lambda s: s.csr_array(numpy.arange(6).reshape(2, 3, order="F")[:, ::-1]),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f", EDGES)
def test_edges(f):
    same(f(sparse), f(scipy_sparse))


# ---- Functions ----

@pytest.mark.parametrize(
    "f",
    [
        lambda s, a, b: s.eye_array(3), lambda s, a, b: s.eye_array(3, 5, k=1), lambda s, a, b: s.eye_array(4, 3, k=-2, dtype="int32"),
        lambda s, a, b: s.identity(4, format="csr"), lambda s, a, b: s.diags_array([1.0, 2, 3]),
        lambda s, a, b: s.diags_array([[1, 2, 3], [4, 5]], offsets=[0, 1], dtype=None), lambda s, a, b: s.diags_array([[1.0], [2.0]], offsets=[-1, 2], shape=(5, 5)),
        lambda s, a, b: s.kron(a, b), lambda s, a, b: s.hstack([a, b]), lambda s, a, b: s.vstack([a, b], format="csc"),
        lambda s, a, b: s.block_array([[a, None], [None, b]]), lambda s, a, b: s.block_diag([a, b, [[5.0]]]), lambda s, a, b: s.tril(a),
        lambda s, a, b: s.triu(a, 2), lambda s, a, b: s.tril(a, -1, format="csr"), lambda s, a, b: s.kronsum(a[:, :5], b[:3, :3]),
        lambda s, a, b: s.swapaxes(a, 0, 1), lambda s, a, b: s.swapaxes(a, 0, -2), lambda s, a, b: s.permute_dims(a),
        lambda s, a, b: s.permute_dims(a, (0, 1)), lambda s, a, b: a.reshape(7, 5), lambda s, a, b: a.reshape((1, -1)),
    ],
)
def test_functions(f):
    (a, x), (b, y) = both(), both(seed=1)
    own, theirs = f(sparse, a, b), f(scipy_sparse, x, y)
    same(own, theirs)


def test_axes_and_shapes_that_are_refused():
    a = sparse.csr_array(dense())
    for wrong in (
        lambda: a.reshape(7, 6), lambda: a.reshape(4, -1), lambda: a.reshape(36), lambda: a.reshape(-5, -7), lambda: a.reshape(5, 7, order="K"),
        lambda: sparse.swapaxes(a, 0, 2), lambda: sparse.permute_dims(a, (0, 0)), lambda: sparse.kronsum(a, a),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_find_and_issparse():
    own, theirs = both()
    found, reference = sparse.find(own), scipy_sparse.find(theirs)
    order = numpy.lexsort(reference[1::-1])
    for part, other in zip(found, reference):
        same(part, other[order])
    assert sparse.issparse(own) and not sparse.issparse(theirs) and not sparse.issparse(numpy.ones(3))


def test_random():
    a = sparse.random_array((40, 30), density=0.1, rng=3)
    assert (a.nnz, a.format, a.shape, a.dtype) == (120, "coo", (40, 30), "float64")
    same(a, sparse.random_array((40, 30), density=0.1, rng=np.random.default_rng(3)))
    assert sparse.random_array((9, 9), density=0.5, dtype="int8", format="csr").dtype == "int8"
    ones = sparse.random_array((10, 8), density=0.5, data_sampler=lambda size: numpy.ones(size))
    assert ones.sum() == ones.nnz == 40


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("format", FORMATS)
def test_files(tmp_path, format, compressed):
    own, theirs = both(format)
    sparse.save_npz(tmp_path / "own", own, compressed)
    scipy_sparse.save_npz(tmp_path / "theirs.npz", theirs, compressed)
    for name in ("own.npz", "theirs.npz"):
        same(sparse.load_npz(tmp_path / name), theirs)
        same(scipy_sparse.load_npz(tmp_path / name), theirs)
    with pytest.raises(OSError):
        sparse.load_npz(tmp_path / "none.npz")


# ---- One axis, and more than two ----

SHAPES = [(0,), (1,), (9,), (1, 3, 1), (2, 3, 4), (2, 0, 3), (3, 1, 2, 4)]


def alike(own, theirs, tolerance=0):
    """The same elements, dtype and format; numbers may be arrays without axes."""
    same(own, theirs, tolerance)
    if scipy_sparse.issparse(theirs):
        assert type(own).__name__ == type(theirs).__name__
    else:
        assert isinstance(own, np.ndarray)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_any_axes_from_dense(shape, dtype):
    own, theirs = both("coo", shape=shape, dtype=dtype)
    alike(own, theirs)
    assert (own.shape, own.ndim, own.nnz, own.size, own.dtype) == (shape, len(shape), theirs.nnz, theirs.size, theirs.dtype)
    same(own.data, theirs.data)
    assert len(own.coords) == len(shape)
    for part, other in zip(own.coords, theirs.coords):
        same(part, other)
    same(own.row, theirs.row)
    same(own.col, theirs.col)
    alike(sparse.coo_array(theirs), theirs)
    back = own.get()
    assert type(back) is type(theirs) and back.shape == shape
    same(own, back)
    same(pickle.loads(pickle.dumps(own)), theirs)
    assert own.has_canonical_format and repr(own) == repr(theirs) and str(own) == str(theirs)
    alike(sparse.coo_array(shape, dtype=dtype), scipy_sparse.coo_array(shape, dtype=dtype))
    for order in "CF":
        assert own.toarray(order).flags[f"{order}_CONTIGUOUS"]
    copied = own.copy()
    own.data[...] = 0
    same(copied, theirs)
    same(own, numpy.zeros(shape, dtype))
    assert own.nnz == theirs.nnz
    own.eliminate_zeros()
    assert own.nnz == 0


@pytest.mark.parametrize("wide", [False, True])
def test_any_axes_from_coordinates(wide):
    data = [1.0, 2, 3, 4]
    for coords, shape in (
        (([3, 0, 3, 1],), (6,)), (([3, 0, 3, 1],), None), (([0, 1, 0, 1], [2, 0, 2, 1], [1, 1, 1, 0]), (2, 4, 3)),
        (([0, 1, 0, 1], [2, 0, 2, 1], [1, 1, 1, 0]), None), (([0] * 4, [0] * 4, [1] * 4, [0] * 4), (1, 1, 2, 1)),
    ):
        given = tuple(np.asarray(part) for part in coords) if wide else coords
        own, theirs = sparse.coo_array((data, given), shape), scipy_sparse.coo_array((data, coords), shape)
        alike(own, theirs)
        assert own.nnz == 4 and not own.has_canonical_format
        for part, other in zip(own.coords, theirs.coords):
            same(part, other, dtype=len(coords) > 1)
        for one in (own, theirs):
            one.sum_duplicates()
        assert own.nnz == theirs.nnz and own.has_canonical_format
        same(own.data, theirs.data)
        for part, other in zip(own.coords, theirs.coords):
            same(part, other, dtype=len(coords) > 1)
    alike(sparse.coo_array(([], ([],)), shape=(0,)), scipy_sparse.coo_array(([], ([],)), shape=(0,)))
    own = sparse.coo_array((data, (np.asarray([0, 1, 0, 1]),) * 3), shape=(2, 2, 2))
    own.coords = [1, 0, 0, 0], own.coords[1], own.coords[2]
    assert [part.tolist() for part in own.coords] == [[1, 0, 0, 0], [0, 1, 0, 1], [0, 1, 0, 1]]
    # More places than memory has room for.
    far = sparse.coo_array((data, ([5, 7, 2**40, 5],) * 1), shape=(2**41,))
    assert far.sum() == 10 and far.mean() == 10 / 2**41 and far.count_nonzero() == 3 and far.max() == 5
    assert far[2**40] == 3 and far[5] == 5 and far[[7, 5]].toarray().tolist() == [2, 5]
    assert (far + far)[4:8].toarray().tolist() == [0, 10, 0, 4] and far.argmax() == 5
    assert far.reshape(2**20, 2, 2**20).sum((0, 2)).tolist() == [10, 0] and far.reshape(2, 2**20, 2**20).max((1, 2)).toarray().tolist() == [5, 3]
    assert far @ far == 25 + 4 + 9 and far.reshape(2**20, 2**21)[0].nnz == 3


def test_one_axis_of_compressed_rows():
    values = dense((9,))
    own, theirs = sparse.csr_array(values), scipy_sparse.csr_array(values)
    alike(own, theirs)
    same(own.indices, theirs.indices)
    same(own.indptr, theirs.indptr)
    assert repr(own) == repr(theirs) and str(own) == str(theirs) and own.has_sorted_indices
    for make in (
        lambda s: s.csr_array((5,)), lambda s: s.csr_array(([1, 2], ([0, 3],)), shape=(5,)),
        lambda s: s.csr_array(([1, 2], [3, 0], [0, 2]), shape=(5,)), lambda s: s.csr_array(s.coo_array(values)),
        lambda s: s.coo_array(s.csr_array(values)), lambda s: s.coo_array(values).tocsr(), lambda s: s.csr_array(values).tocoo(),
        lambda s: s.csr_array(values).T, lambda s: s.csr_array(values).astype("float32"), lambda s: s.csr_array(([1, 2, 4], ([3, 0, 3],))),
        lambda s: -s.csr_array(values), lambda s: s.csr_array(values).copy(), lambda s: s.csr_array(values).sin(),
    ):
        alike(make(sparse), make(scipy_sparse), 1e-15)
    alike(sparse.csr_array(theirs), theirs)
    assert type(own.get()) is type(theirs)
    same(own.get(), theirs)
    same(pickle.loads(pickle.dumps(own)), theirs)
    assert type(pickle.loads(pickle.dumps(own))) is sparse.csr_array
    own.data *= 2
    own.sum_duplicates()
    same(own, theirs * 2)
    own.indices = own.indices[::-1]
    assert not own.has_sorted_indices
    own.sort_indices()
    assert own.has_sorted_indices


ANY_AXES_BAD = [
    lambda s, v, t: s.coo_array(5), lambda s, v, t: s.csc_array((5,)), lambda s, v, t: s.dia_array((5,)),
    lambda s, v, t: s.csc_array([1, 2]), lambda s, v, t: s.dia_array([1, 2]), lambda s, v, t: s.bsr_array([1, 2]),
    lambda s, v, t: s.csr_array(numpy.ones((2, 3, 4))), lambda s, v, t: s.csr_array((2, 3, 4)), lambda s, v, t: s.csr_array(t),
    lambda s, v, t: s.csc_array(v), lambda s, v, t: s.csc_array(t), lambda s, v, t: s.coo_array(([1, 2], [0, 3]), shape=(5,)),
    lambda s, v, t: s.coo_array(([1, 2], ([0, 3], [1, 1], [2, 2])), shape=(4, 2)),
    lambda s, v, t: s.coo_array(([1, 2], ([0, 9],)), shape=(5,)), lambda s, v, t: s.coo_array(([1, 2], ([0, -1],)), shape=(5,)),
    lambda s, v, t: s.coo_array(([], ([],))), lambda s, v, t: s.coo_array((2, -1, 3)),
    lambda s, v, t: s.coo_array(numpy.ones((2, 3, 4)), shape=(2, 3, 5)), lambda s, v, t: v.tocsc(), lambda s, v, t: v.todia(),
    lambda s, v, t: v.tobsr(), lambda s, v, t: v.tocsr().tocsc(), lambda s, v, t: t.tocsr(), lambda s, v, t: t.todia(),
    lambda s, v, t: t.asformat("bsr"), lambda s, v, t: t.asformat("csr"), lambda s, v, t: t.reshape(5, 5),
    lambda s, v, t: t.reshape(-1, -1), lambda s, v, t: t.reshape(5, -1), lambda s, v, t: t.transpose((1, 0)),
    lambda s, v, t: t.transpose((0, 0, 1)), lambda s, v, t: t.transpose(axes=0), lambda s, v, t: v.sum(1), lambda s, v, t: v.sum(()),
    lambda s, v, t: t.sum((0, 0)), lambda s, v, t: t.sum(3), lambda s, v, t: t.sum(-4), lambda s, v, t: t.sum(1.5),
    lambda s, v, t: t.max(3), lambda s, v, t: t.max(0, out=numpy.zeros((3, 4))), lambda s, v, t: t.argmax(0, out=numpy.zeros((3, 4))),
    lambda s, v, t: s.coo_array((0,)).max(), lambda s, v, t: s.coo_array((2, 0, 3)).max(1),
    lambda s, v, t: s.coo_array((2, 0, 3)).argmax(1), lambda s, v, t: t.diagonal(), lambda s, v, t: v.diagonal(),
    lambda s, v, t: t.trace(), lambda s, v, t: v.setdiag(1), lambda s, v, t: v + s.coo_array([1, 2, 3]), lambda s, v, t: v + numpy.ones(3),
    lambda s, v, t: t * numpy.ones(4), lambda s, v, t: t * v, lambda s, v, t: v * t, lambda s, v, t: t + 1, lambda s, v, t: t**0,
    lambda s, v, t: 2 / v, lambda s, v, t: v < t, lambda s, v, t: s.csr_array(numpy.ones((3, 4))) + v,
    lambda s, v, t: v + s.csr_array(numpy.ones((3, 4))), lambda s, v, t: t @ t, lambda s, v, t: t @ numpy.ones((3, 4, 5)),
    lambda s, v, t: t @ numpy.ones(3), lambda s, v, t: t @ numpy.ones((5, 5)), lambda s, v, t: v @ t, lambda s, v, t: v @ numpy.ones(3),
    lambda s, v, t: numpy.ones(3) @ v, lambda s, v, t: v @ 2, lambda s, v, t: t @ 2, lambda s, v, t: t.dot(t),
    lambda s, v, t: t.dot(numpy.ones(3)), lambda s, v, t: t.tensordot(t), lambda s, v, t: t.tensordot(t, axes=1),
    lambda s, v, t: t.tensordot(t, axes=0), lambda s, v, t: t.tensordot(t, axes=4),
    lambda s, v, t: t.tensordot(t.toarray(), axes=([0, 1], [0, 2])), lambda s, v, t: t.tensordot(t, axes=([0, 1], [0])),
    lambda s, v, t: t.tensordot(t, axes=([0, 5], [0, 5])), lambda s, v, t: t.tensordot(t, axes="a"),
    lambda s, v, t: t.tensordot(t, axes=(1, 2, 3)), lambda s, v, t: v[4], lambda s, v, t: v[-5], lambda s, v, t: v[0, 0],
    lambda s, v, t: v[1.5], lambda s, v, t: t[0, 1, 2, 3], lambda s, v, t: t[[5]], lambda s, v, t: t[..., ...],
    lambda s, v, t: t[t.toarray()[0] > 0], lambda s, v, t: t[[0, 1], [0, 1, 2]], lambda s, v, t: v.tocsr()[[[[0]]]],
    lambda s, v, t: s.csr_array(numpy.ones((3, 4)))[3], lambda s, v, t: s.csr_array(numpy.ones((3, 4)))[:, -5], lambda s, v, t: len(v),
    lambda s, v, t: s.csr_array(numpy.ones((3, 4)))[None], lambda s, v, t: bool(v), lambda s, v, t: bool(s.coo_array([[[5]]])),
    lambda s, v, t: s.csr_array(numpy.ones((3, 4)))[[[0, 1]]], lambda s, v, t: v.__setitem__(4, 1),
    lambda s, v, t: t.__setitem__((0, 0), [1, 2]), lambda s, v, t: s.hstack([t, t]), lambda s, v, t: s.vstack([v, numpy.ones((1, 5))]),
    lambda s, v, t: s.kronsum(v, v), lambda s, v, t: s.tril(v), lambda s, v, t: s.permute_dims(t, (0, 0, 1)),
    lambda s, v, t: s.permute_dims(t, (0, 1)), lambda s, v, t: s.swapaxes(t, 0, 3), lambda s, v, t: s.expand_dims(v, axis=3),
    lambda s, v, t: s.random_array((3, 4, 5), density=0.5, format="csr"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("wrong", ANY_AXES_BAD)
def test_any_axes_bad_input(wrong):
    (v, x), (t, y) = both("coo", shape=(4,)), both("coo", shape=(2, 3, 4))
    with pytest.raises(Exception) as theirs:
        wrong(scipy_sparse, x, y)
    with pytest.raises(theirs.type):
        wrong(sparse, v, t)


@pytest.mark.parametrize("order", "CF")
def test_any_axes_to_any_shape(order):
    for shape, others in (
        ((12,), [(12,), (3, 4), (-1,), (2, 3, -1), (1, 12)]), ((3, 4), [(12,), (4, 3), (2, 1, 6)]),
        ((2, 3, 4), [(24,), (4, 6), (2, 3, 4), (1, 2, -1, 2)]), ((2, 0, 3), [(0,), (0, 5), (3, 0, 1)]),
    ):
        own, theirs = both("coo", shape=shape)
        for other in others:
            alike(own.reshape(other, order=order), theirs.reshape(other, order=order))
            alike(own.reshape(*other, order=order, copy=True), theirs.reshape(*other, order=order, copy=True))
    for format in FORMATS:
        own, theirs = both(format, shape=(3, 4))
        for other in ((12,), (2, 6), (2, 2, 3)):
            alike(own.reshape(other, order=order), theirs.reshape(other, order=order))


def test_any_axes_in_another_order():
    for shape in SHAPES:
        own, theirs = both("coo", shape=shape)
        alike(own.T, theirs.T)
        for axes in (range(len(shape)), range(len(shape))[::-1], range(-1, len(shape) - 1)):
            alike(own.transpose(tuple(axes)), theirs.transpose(tuple(axes)))
            alike(sparse.permute_dims(own, tuple(axes)), scipy_sparse.coo_array(numpy.transpose(theirs.toarray(), tuple(axes))))
        alike(sparse.swapaxes(own, 0, -1), scipy_sparse.swapaxes(theirs, 0, -1))
        for axis in range(-len(shape) - 1, len(shape) + 1):
            same(sparse.expand_dims(own, axis=axis), numpy.expand_dims(theirs.toarray(), axis))
    own, theirs = both("coo", shape=(2, 3, 4))
    same(own.mT, theirs.toarray().swapaxes(1, 2))
    for format in FORMATS:
        own, theirs = both(format)
        alike(sparse.expand_dims(own, axis=1), scipy_sparse.expand_dims(theirs, axis=1))


AXES = [
    ((9,), [None, 0, -1, (0,)]), ((2, 3, 4), [None, 0, 1, -1, (0, 2), (2, 0), (-1, 1), (0, 1, 2), (1,)]),
    ((3, 1, 2, 4), [0, (1, 3), (0, 1, 2)]), ((1, 3, 1), [1, 0]),
]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape, axes", AXES)
def test_any_axes_reductions(shape, axes, dtype):
    own, theirs = both("coo", shape=shape, dtype=dtype)
    values = theirs.toarray()
    for axis in axes:
        alike(own.sum(axis), numpy.asarray(values.sum(axis)), 1e-6 if dtype == "float32" else 1e-15)
        same(own.mean(axis), numpy.asarray(values.mean(axis)), 1e-6 if dtype == "float32" else 1e-15, dtype=False)
        same(own.count_nonzero(axis), numpy.asarray(numpy.count_nonzero(values, axis)))
        if dtype == "complex128":
            continue
        for name in ("max", "min", "nanmax", "nanmin"):
            reference = getattr(theirs, name)(axis)
            found = getattr(own, name)(axis)
            alike(found, reference)
            assert not scipy_sparse.issparse(reference) or found.nnz == reference.nnz
        for name in ("argmax", "argmin"):
            # The first of equal ones; SciPy's place of a zero that is stored is another one.
            same(getattr(own, name)(axis), flat_position(getattr(numpy, name), values, axis))


@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin"])
def test_extremes_of_stored_elements(name):
    for shape, axes in (((9,), [None, 0]), ((5, 7), [None, 0, 1]), ((2, 3, 4), [None, 0, (0, 2), (2, 1)]), ((3, 4, 1), [1, 2])):
        for density in (0.3, 0.0, 1.0):
            for format in FORMATS[:3] if len(shape) == 2 else ["coo"]:
                own, theirs = both(format, shape=shape, density=density)
                for axis in axes:
                    found, reference = getattr(own, name)(axis, explicit=True), getattr(theirs, name)(axis, explicit=True)
                    alike(found, reference)
                    assert not scipy_sparse.issparse(reference) or found.nnz == reference.nnz
    values, places = [1.0, -3, numpy.nan, 0, -2, -2], ([0, 0, 1, 2, 3, 3], [1, 1, 0, 2, 0, 1])
    own, theirs = sparse.coo_array((values, places), shape=(5, 3)), scipy_sparse.coo_array((values, places), shape=(5, 3))
    for axis in (None, 0, 1):
        alike(getattr(own, name)(axis, explicit=True), getattr(theirs, name)(axis, explicit=True))
    for make in (sparse.coo_array, scipy_sparse.coo_array):
        with pytest.raises(ValueError):
            getattr(make((2, 0, 3)), name)(1, explicit=True)


def test_any_axes_reductions_of_16_bits():
    values = numpy.full((3, 200, 40), 24.0, "float16")
    own = sparse.coo_array(values)
    # The sum of all is beyond float16, and the mean is not.
    for axis in (None, 0, (0, 2)):
        mean = own.mean(axis)
        assert mean.dtype == "float16" and (mean.get() == 24).all()
    assert own.sum(0).dtype == "float16" and (own.sum(0).get() == 72).all()
    assert (own.max(0).toarray().get() == 24).all()


def flat_position(function, values, axis):
    """The position of an extreme along several axes, in C order of these."""
    if axis is None or not isinstance(axis, tuple):
        return numpy.asarray(function(values, axis))
    axes = [one % values.ndim for one in axis]
    if len(axes) == values.ndim:
        return numpy.asarray(function(values))
    kept = [one for one in range(values.ndim) if one not in axes]
    turned = values.transpose(kept + axes)
    return function(turned.reshape([values.shape[one] for one in kept] + [-1]), -1)


@pytest.mark.parametrize("format", FORMATS)
def test_extremes_along_an_axis_are_sparse(format):
    own, theirs = both(format)
    for name in ("max", "min", "nanmax", "nanmin"):
        for axis in (0, 1, -1, (1,)):
            found, reference = getattr(own, name)(axis), getattr(theirs.tocsr(), name)(axis)
            alike(found, reference)
            assert found.nnz == reference.nnz and found.ndim == 1
        assert getattr(own, name)().ndim == getattr(own, name)((0, 1)).ndim == 0
    values = dense((3, 4))
    values[0, 1] = numpy.nan
    alike(sparse.csr_array(values).max(1), scipy_sparse.csr_array(values).max(1))
    for axis in (0, 1):
        alike(sparse.coo_array((2, 0, 3)).max(axis if axis == 0 else 2), scipy_sparse.coo_array((2, 0, 3)).max(axis if axis == 0 else 2))
    same(own.sum((0, 1)), numpy.asarray(theirs.sum()))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(0,), (1,), (9,), (2, 3, 4), (3, 1, 2, 4)])
def test_any_axes_operators(shape, dtype):
    (a, x), (b, y), d = both("coo", shape=shape, dtype=dtype), both("coo", shape=shape, dtype=dtype, seed=1), dense(shape, dtype, seed=2)
    for f in (
        lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p.multiply(q),
    ):
        alike(f(a, b), f(x, y))
        same(f(a, y), f(x, y))
    for f in (lambda p, q: p == q, lambda p, q: p != q):
        same(f(a, b), f(x, y))
    for f in (
        lambda p, q: p + q, lambda p, q: q + p, lambda p, q: p - q, lambda p, q: q - p, lambda p, q: p * q, lambda p, q: q * p,
        lambda p, q: p == q,
    ):
        # SciPy's result has another class where the dense array has one element.
        check = same if shape == (1,) else alike
        check(f(a, d), f(x, d))
        check(f(a, np.asarray(d)), f(x, d))
    for f in (
        lambda p: p * 2, lambda p: 3 * p, lambda p: -p, abs, lambda p: p + 0, lambda p: p**2, lambda p: p.power(3),
        lambda p: p.conj(), lambda p: p.real, lambda p: p.dot(2),
    ):
        alike(f(a), f(x))
    # Division by a number keeps float32 and complex64 here.
    same(a / 4, x / 4, dtype=False)
    for f in (lambda p: p == 0.5, lambda p: p != 0, lambda p: p.astype("complex64"), lambda p: p.imag):
        same(f(a), f(x))
    same(a / (d + 20), x / (d + 20), 1e-6 if dtype == "float32" else 1e-15, dtype=False)
    if dtype != "complex128":
        with numpy.errstate(all="ignore"):
            same(a / b, numpy.asarray(x / y), 1e-6 if dtype == "float32" else 1e-15, dtype=False)
        for f in (lambda p, q: p.maximum(q), lambda p, q: p.minimum(q), lambda p, q: p < q, lambda p, q: p >= q):
            same(f(a, b), f(x, y))
            alike(f(a, d), f(x, d))
        for f in (lambda p: p.maximum(0), lambda p: p.maximum(1), lambda p: p > 0.25, lambda p: p <= 0, lambda p: p.sign(), numpy.abs):
            same(f(a), f(x))
    a *= 2
    same(a, x * 2)
    assert (a == sparse.coo_array((77,))) is False and (a != sparse.coo_array((7, 7, 7))) is True
    if dtype == "float64":
        for name in ("sqrt", "sin", "expm1", "arctan", "floor", "rint"):
            alike(getattr(abs(b), name)(), getattr(abs(y), name)(), 1e-15)


@pytest.mark.filterwarnings("ignore")
def test_one_axis_with_two():
    (v, x), (w, y), m = both("coo", shape=(4,)), both("csr", shape=(4,), seed=1), dense((3, 4), seed=2)
    for f in (
        lambda s, p, q, m: p + q, lambda s, p, q, m: q - p, lambda s, p, q, m: p * q, lambda s, p, q, m: p * s.csr_array(m),
        lambda s, p, q, m: s.csr_array(m) * p, lambda s, p, q, m: s.csr_array(m) * q, lambda s, p, q, m: p * m, lambda s, p, q, m: m * q,
        lambda s, p, q, m: p * numpy.ones((2, 3, 4)), lambda s, p, q, m: s.csr_array(m) * numpy.ones((2, 3, 4)),
        lambda s, p, q, m: s.csr_array(m) * numpy.arange(4.0), lambda s, p, q, m: p.maximum(q), lambda s, p, q, m: q >= p,
        lambda s, p, q, m: s.csr_array(m) + numpy.ones(4), lambda s, p, q, m: s.csc_array(m.T) * s.coo_array([[2.0, 0, 3]]),
    ):
        same(f(sparse, v, w, m), f(scipy_sparse, x, y, m))


PRODUCTS = [
    lambda s, v, m, t: v @ v, lambda s, v, m, t: v @ v.tocsr(), lambda s, v, m, t: v @ v.toarray(), lambda s, v, m, t: v.toarray() @ v,
    lambda s, v, m, t: v @ m.T, lambda s, v, m, t: v @ m.T.toarray(), lambda s, v, m, t: m @ v, lambda s, v, m, t: m.tocsr() @ v.tocsr(),
    lambda s, v, m, t: m.tocsc() @ v, lambda s, v, m, t: m.toarray() @ v, lambda s, v, m, t: v.tocsr() @ m.T.tocsc(),
    lambda s, v, m, t: v.dot(v), lambda s, v, m, t: v.dot(m.T), lambda s, v, m, t: m.dot(v), lambda s, v, m, t: t @ v,
    lambda s, v, m, t: t @ v.toarray(), lambda s, v, m, t: t @ v.toarray().reshape(4, 1), lambda s, v, m, t: t @ m.T,
    lambda s, v, m, t: t @ m.T.toarray(), lambda s, v, m, t: t @ t.transpose((0, 2, 1)),
    lambda s, v, m, t: t @ t.transpose((0, 2, 1)).toarray(), lambda s, v, m, t: t @ t[:1].transpose((0, 2, 1)),
    lambda s, v, m, t: t[:1] @ t.transpose((0, 2, 1)), lambda s, v, m, t: t[:1] @ t.transpose((0, 2, 1)).toarray(),
    lambda s, v, m, t: t @ numpy.ones((3, 2, 4, 5)), lambda s, v, m, t: t[None] @ numpy.ones((3, 1, 4, 5)),
    lambda s, v, m, t: numpy.arange(3.0) @ t, lambda s, v, m, t: numpy.ones((5, 3)) @ t, lambda s, v, m, t: numpy.ones((2, 5, 3)) @ t,
    lambda s, v, m, t: m.toarray()[:, :3] @ t, lambda s, v, m, t: s.coo_array([1.0, 0, 3]) @ t, lambda s, v, m, t: m[:, :3] @ t,
    lambda s, v, m, t: t.dot(v), lambda s, v, m, t: t.dot(v.toarray()), lambda s, v, m, t: t.dot(m.T),
    lambda s, v, m, t: t.dot(m.T.toarray()), lambda s, v, m, t: t.dot(t.transpose((0, 2, 1))),
    lambda s, v, m, t: t.dot(numpy.ones((5, 4, 2))), lambda s, v, m, t: v.dot(t.transpose((0, 2, 1))),
    lambda s, v, m, t: v.dot(numpy.ones((2, 4, 3))), lambda s, v, m, t: t.tensordot(t.transpose((1, 2, 0))),
    lambda s, v, m, t: t.tensordot(t, axes=([0, 1], [0, 1])), lambda s, v, m, t: t.tensordot(t, axes=3),
    lambda s, v, m, t: t.tensordot(t.toarray(), axes=3), lambda s, v, m, t: t.tensordot(t.toarray(), axes=([1, 0], [1, 0])),
    lambda s, v, m, t: t.tensordot(numpy.arange(120.0).reshape(4, 3, 5, 2), axes=([1, 2], [1, 0])),
    lambda s, v, m, t: t.tensordot(v, axes=1), lambda s, v, m, t: t.tensordot(v.toarray(), axes=1),
    lambda s, v, m, t: v.tensordot(t, axes=([0], [2])), lambda s, v, m, t: v.tensordot(v, axes=1), lambda s, v, m, t: m.tensordot(m),
    lambda s, v, m, t: m.tensordot(m, axes=([0], [-2])), lambda s, v, m, t: m.tensordot(m.toarray(), axes=([0, 1], [0, 1])),
    lambda s, v, m, t: t.tensordot(t.toarray().tolist(), axes=([0, 1, 2], [0, 1, 2])),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["int32", "float64", "complex64"])
@pytest.mark.parametrize("f", PRODUCTS)
def test_any_axes_products(f, dtype):
    pairs = [both("coo", shape=shape, dtype=dtype, density=0.9) for shape in ((4,), (3, 4), (2, 3, 4))]
    reference = f(scipy_sparse, *(theirs for _, theirs in pairs))
    found = f(sparse, *(own for own, _ in pairs))
    same(found, reference, 1e-6 if dtype == "complex64" else 1e-14)
    assert sparse.issparse(found) == scipy_sparse.issparse(reference)


def test_any_axes_products_of_duplicates_and_of_nothing():
    given = [1.0, 2, 3], ([0, 1, 0], [1, 0, 1], [2, 2, 2])
    own, theirs = sparse.coo_array(given, shape=(2, 2, 3)), scipy_sparse.coo_array(given, shape=(2, 2, 3))
    v, m, t = dense((3,), density=1), dense((3, 2), density=1), dense((2, 3, 2), density=1)
    for other in (v, m, t):
        same(own @ other, theirs @ other)
        same(own @ sparse.coo_array(other), theirs @ scipy_sparse.coo_array(other))
    same(own.max((0, 1)), theirs.max((0, 1)))
    same(own.sum(0), theirs.sum(0))
    same(own[:, 1], theirs[:, 1])
    for shape in ((2, 0, 3), (0, 2, 3), (2, 3, 0)):
        own, dense_one = sparse.coo_array(shape), numpy.zeros(shape)
        same(own @ numpy.ones((shape[-1], 4)), dense_one @ numpy.ones((shape[-1], 4)))
        same(own @ sparse.coo_array((shape[0], shape[-1], 4)), dense_one @ numpy.zeros((shape[0], shape[-1], 4)))
    same(sparse.coo_array((0,)) @ sparse.coo_array((0,)), numpy.asarray(0.0))


TENSOR_KEYS = [
    0, -1, (0, 1), (1, -1, 2), (slice(None), 1), (slice(None), slice(None), 1), (Ellipsis, 1), (0, Ellipsis, 1), (0, None, 1), None,
    (slice(None), [0, 1]), ([0, 1], [0, 1]), ([0, 1], slice(None), [0, 1]), (0, slice(None), [0, 3]), (0, [0, 2]),
    (slice(None), 0, [0, 1]), [[0, 1], [1, 0]], ([0, 1], [0, 1], [2, 3]), (slice(None), [[0], [1]], [0, 3]),
    (slice(None, None, -1), slice(1, None), slice(None, None, 2)), (1, slice(None, None, -1)), slice(2, 0), [], [1, 1, 0],
    (slice(0, 1), [], 0), (Ellipsis, [-1, 0, 2, 2]), (None, 1, None, [2, 0]), numpy.array([True, False]),
    (slice(None), numpy.array([True, False, True])), numpy.arange(6).reshape(2, 3) % 2 == 0, numpy.arange(24).reshape(2, 3, 4) % 5 == 0,
    Ellipsis, (slice(None), slice(-1, -9, -2), slice(-2, None)),
]


@pytest.mark.parametrize("key", TENSOR_KEYS)
def test_any_axes_parts(key):
    own, theirs = both("coo", shape=(2, 3, 4), density=0.6)
    found, reference = own[key], theirs.toarray()[key]
    same(found, reference)
    assert sparse.issparse(found) == (reference.ndim > 0)
    assert not sparse.issparse(found) or found.format == "coo"
    # Entries that come twice stay two, or are added.
    places = tuple(numpy.concatenate([part, part]) for part in theirs.coords)
    twice = sparse.coo_array((numpy.concatenate([theirs.data, theirs.data]), places), shape=(2, 3, 4))
    same(twice[key], 2 * reference)


@pytest.mark.parametrize("format", ["coo", "csr"])
def test_one_axis_parts(format):
    own, theirs = both(format, shape=(6,), density=0.6)
    for key in (
        0, 3, -1, slice(1, 3), slice(None, None, -1), slice(None, None, 2), [0, 1], [[0, 1], [3, 2]], numpy.arange(6) > 2, None, (slice(None), None),
        (1, None), Ellipsis, [], [0, 0, 5], slice(4, 2), [-1, -6],
    ):
        alike(own[key], theirs[key])
    alike(own[own > 0], theirs[theirs > 0])
    assert [float(one) for one in own] == list(theirs.toarray())


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_positions_leave_one_axis(format):
    own, theirs = both(format, shape=(4, 6))
    mask = numpy.arange(6) % 2 == 0
    for key in (
        0, -1, (slice(None), 1), (0, slice(None)), (0, slice(1, None)), (slice(None, None, -1), -1), (0, [1, 2]), (0, [[1, 2], [0, 0]]),
        ([0, 1], 1), ([[0, 1]], 1), (0, mask), (Ellipsis, 0), (0, Ellipsis), (None, 0), (0, None), (slice(None), None, 0),
        (0, Ellipsis, 0), (1, []), ([0, 3], [1, 4]), (2, slice(4, 1)), [0, 1], (slice(None), [1, 1]), slice(None, None, -1),
        (slice(1, 3), [3, 0]), dense((4, 6)) > 0.5, numpy.ix_([0, 2], [5, 1]),
    ):
        alike(own[key], theirs[key])
    alike(own[own > 0.5], theirs[theirs > 0.5])
    same(own[0, 1, None], theirs.toarray()[0, 1, None])
    rows = list(own)
    assert len(rows) == 4
    for at, row in enumerate(rows):
        same(row, theirs.toarray()[at])


@pytest.mark.parametrize("format", ["dia", "bsr"])
def test_positions_leave_one_axis_of_other_formats(format):
    own, theirs = both(format, shape=(4, 6))
    for key in (0, -1, (slice(None), 1), (2, slice(1, 3)), (0, [1, 2]), (2, 3)):
        same(own[key], theirs.toarray()[key])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "key, value",
    [
        ((1, 2, 3), 5), (0, 7.0), ((slice(None), 1), numpy.arange(8.0).reshape(2, 4)), (slice(0, 1), 0), ((Ellipsis, [0, 3]), [1.0, 0]),
        (([0, 1], [2, 1]), 3), ((slice(None), slice(None, None, 2), -1), [[1], [2]]), (numpy.arange(24).reshape(2, 3, 4) % 3 == 0, 9),
        ((0, slice(None), [1, 2]), 4), (([0, 1], slice(None), [1, 2]), numpy.arange(6.0).reshape(2, 3)), ((0, 0), numpy.ones((1, 4))),
        ((0, [], 0), 1), (None, 2), ((-1, -1), [4, 3, 2, 1]),
    ],
)
def test_any_axes_assignment(key, value):
    own, theirs = both("coo", shape=(2, 3, 4))
    theirs = theirs.toarray()
    own[key] = value
    theirs[key] = value
    same(own, theirs)
    assert own.nnz == numpy.count_nonzero(theirs) and own.format == "coo"


@pytest.mark.filterwarnings("ignore")
def test_assignment_of_and_to_one_axis():
    for format in ("coo", "csr"):
        own, theirs = both(format, shape=(6,))
        reference = theirs.toarray()
        for key, value in (
            (2, 9.0), (-1, 0), (slice(1, 4), 2), ([0, 5], [3.0, 4]), (numpy.arange(6) % 2 == 0, 1), (slice(0, 0), 3), ([1, 1], [5, 6]),
        ):
            own[key] = value
            reference[key] = value
            same(own, reference)
        own[1:3] = sparse.coo_array([7.0, 0])
        reference[1:3] = 7, 0
        same(own, reference)
        own[own > 2] = 0
        reference[reference > 2] = 0
        same(own, reference)
        assert own.format == format
    for format in ("csr", "csc", "coo"):
        own, theirs = both(format, shape=(4, 3))
        reference = theirs.toarray()
        own[1] = sparse.coo_array([1.0, 0, 2])
        own[:, 2] = numpy.arange(4.0)
        own[0, :] = [5.0, 6, 7]
        reference[1], reference[:, 2], reference[0] = [1, 0, 2], numpy.arange(4.0), [5, 6, 7]
        same(own, reference)
        own[:, 0] = sparse.csr_array([1.0, 0, 0, 4])
        reference[:, 0] = 1, 0, 0, 4
        same(own, reference)


def random_key(rng, shape):
    """Positions, slices, lists of one shape and masks of the first axes, and new axes among them."""
    key, lists = [], [(2,), (3,), (2, 2), (1,)][rng.integers(4)]
    for extent in shape[: rng.integers(len(shape) + 1)]:
        kind = rng.integers(4)
        if kind == 0:
            key.append(int(rng.integers(-extent, extent)))
        elif kind == 1:
            first, last = (None if rng.random() < 0.3 else int(rng.integers(-extent - 1, extent + 2)) for _ in range(2))
            key.append(slice(first, last, [None, 1, -1, 2, -2][rng.integers(5)]))
        elif kind == 2:
            key.append(rng.integers(-extent, extent, lists if rng.random() < 0.7 else (1,) * len(lists)))
        else:
            alone = not any(isinstance(item, numpy.ndarray) for item in key)
            key.append(rng.random(extent) < 0.5 if alone and len(lists) == 1 else slice(None))
    if rng.random() < 0.3:
        key.insert(rng.integers(len(key) + 1), None)
    return tuple(key)


@pytest.mark.parametrize("seed", range(10))
def test_random_keys_are_those_of_numpy(seed):
    rng, tried = numpy.random.default_rng(seed), 0
    for _ in range(30):
        shape = [(5,), (3, 4), (2, 3, 4), (2, 1, 3, 2)][rng.integers(4)]
        values, key = dense(shape, seed=rng.integers(99)), random_key(rng, shape)
        try:
            reference = values[key]
        except IndexError:
            # A mask of another length than the lists, which are refused alike.
            with pytest.raises(IndexError):
                sparse.coo_array(values)[key]
            continue
        tried += 1
        value = rng.integers(0, 9, reference.shape) / 2 if rng.random() < 0.5 else 2.5
        for format in ("coo", "csr", "csc")[: 3 if len(shape) == 2 else 2 if len(shape) == 1 else 1]:
            own, changed = getattr(sparse, format + "_array")(values), values.copy()
            if format != "coo" and reference.ndim > 2:
                with pytest.raises(IndexError):
                    own[key]
            else:
                same(own[key], reference)
            own[key] = value
            changed[key] = value
            same(own, changed)
    assert tried > 10


@pytest.mark.parametrize("seed", range(10))
def test_random_products_are_those_of_numpy(seed):
    rng = numpy.random.default_rng(seed)
    for _ in range(20):
        n, k, p = (int(one) for one in rng.integers(0, 5, 3))
        batch = [int(one) for one in rng.integers(0, 4, rng.integers(3))]
        other = [1 if rng.random() < 0.5 else one for one in batch][rng.integers(len(batch) + 1) :]
        a = dense((*batch, n, k) if rng.random() < 0.7 else (k,), seed=rng.integers(99))
        b = dense((*other, k, p) if rng.random() < 0.7 else (k,), seed=rng.integers(99))
        x, y = sparse.coo_array(a), sparse.coo_array(b)
        # Quarters and sums of few products are exact.
        for left, right in ((x, y), (x, b), (a, y)):
            same(left @ right, numpy.asarray(a @ b))
        for right in (y, b):
            same(x.dot(right), numpy.asarray(a.dot(b)))
        shape = [int(one) for one in rng.integers(1, 4, rng.integers(1, 5))]
        axes = [int(axis) for axis in rng.permutation(len(shape))[: rng.integers(1, len(shape) + 1)]]
        extents = [shape[axis] for axis in axes] + [int(one) for one in rng.integers(1, 4, rng.integers(3))]
        order = [int(axis) for axis in rng.permutation(len(extents))]
        a, b = dense(shape, seed=rng.integers(99)), dense([extents[axis] for axis in order], seed=rng.integers(99))
        others = [order.index(axis) for axis in range(len(axes))]
        for right in (sparse.coo_array(b), b):
            same(sparse.coo_array(a).tensordot(right, (axes, others)), numpy.asarray(numpy.tensordot(a, b, (axes, others))))
        same(sparse.kron(sparse.coo_array(a), sparse.coo_array(b)), numpy.kron(a, b))
        for name in ("sum", "max", "min"):
            same(getattr(sparse.coo_array(a), name)(tuple(axes)), numpy.asarray(getattr(a, name)(tuple(axes))))


@pytest.mark.parametrize(
    "f",
    [
        lambda s, v, m, t: s.hstack([v, v]), lambda s, v, m, t: s.vstack([v, v.tocsr()]), lambda s, v, m, t: s.vstack([v, m]),
        lambda s, v, m, t: s.block_array([[v]]), lambda s, v, m, t: s.block_diag([v, m]), lambda s, v, m, t: s.kron(v, v),
        lambda s, v, m, t: s.kron(m, v), lambda s, v, m, t: s.kron(v, t), lambda s, v, m, t: s.kron(t, t), lambda s, v, m, t: s.kron(m, t),
        lambda s, v, m, t: s.kron(t, m.tocsr()), lambda s, v, m, t: s.linalg.norm(v), lambda s, v, m, t: s.linalg.norm(t),
        lambda s, v, m, t: s.linalg.norm(m, numpy.inf, 1), lambda s, v, m, t: s.linalg.norm(m, -numpy.inf, 0),
        lambda s, v, m, t: s.linalg.spsolve(s.csc_array(numpy.eye(4) * 2), v), lambda s, v, m, t: s.find(v)[1],
        lambda s, v, m, t: s.find(v)[2], lambda s, v, m, t: v.nonzero()[0], lambda s, v, m, t: t.nonzero()[1],
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_any_axes_functions(f):
    pairs = [both("coo", shape=shape) for shape in ((4,), (3, 4), (2, 3, 4))]
    same(f(sparse, *(own for own, _ in pairs)), f(scipy_sparse, *(theirs for _, theirs in pairs)), 1e-15)


def test_any_axes_random():
    for shape, format in (((40,), "coo"), ((40,), "csr"), ((4, 5, 6), "coo"), ((0,), "coo")):
        own = sparse.random_array(shape, density=0.25, rng=3, format=format)
        assert (own.shape, own.format, own.nnz) == (shape, format, round(0.25 * numpy.prod(shape)))
        assert len(numpy.unique(numpy.ravel_multi_index([part.get() for part in own.tocoo().coords], shape or (1,)))) == own.nnz


@pytest.mark.parametrize("compressed", [True, False])
def test_any_axes_files(tmp_path, compressed):
    for number, (format, shape) in enumerate([("coo", (9,)), ("csr", (9,)), ("coo", (2, 3, 4)), ("coo", (2, 0, 3))]):
        own, theirs = both(format, shape=shape)
        names = [tmp_path / f"{number}own.npz", tmp_path / f"{number}theirs.npz"]
        sparse.save_npz(names[0], own, compressed)
        scipy_sparse.save_npz(names[1], theirs, compressed)
        for name in names:
            alike(sparse.load_npz(name), theirs)
            same(scipy_sparse.load_npz(name), theirs)
            assert scipy_sparse.load_npz(name).format == format
    numpy.savez(tmp_path / "bad.npz", format=b"coo", shape=(3,), data=[1.0], coords=[[5]], _is_array=True)
    numpy.savez(tmp_path / "worse.npz", format=b"dia", shape=(3,), data=[1.0], _is_array=True)
    numpy.savez(tmp_path / "worst.npz", format=b"coo", shape=(3,), data=[1.0], row=[1], _is_array=True)
    for name in ("bad", "worse", "worst"):
        with pytest.raises(ValueError):
            sparse.load_npz(tmp_path / f"{name}.npz")


def test_solvers_take_two_axes():
    for one in (sparse.coo_array([1.0, 2]), sparse.coo_array(numpy.ones((2, 2, 2)))):
        for f in (
            lambda a: linalg.cg(a, numpy.ones(2)), linalg.splu, linalg.expm, linalg.eigsh, csgraph.connected_components, csgraph.laplacian,
            sparse.tril,
        ):
            with pytest.raises(ValueError):
                f(one)


# ---- Solvers ----

def system(n=40, symmetric=True):
    main, off = numpy.full(n, 4.0), numpy.full(n - 1, -1.0)
    values = numpy.diag(main) + numpy.diag(off, 1) + numpy.diag(off * (1 if symmetric else 0.5), -1)
    return sparse.csr_array(values), scipy_sparse.csr_array(values), numpy.linspace(1, 2, n)


@pytest.mark.parametrize("name", "cg cgs bicg bicgstab gcrotmk gmres lgmres minres qmr tfqmr".split())
def test_iterations(name):
    a, x, b = system(symmetric=name in ("cg", "minres"))
    solve = getattr(linalg, name)
    found, info = solve(a, b, rtol=1e-10)
    assert info == 0 and isinstance(found, np.ndarray)
    numpy.testing.assert_allclose(found.get(), numpy.linalg.solve(x.toarray(), b), rtol=1e-8)
    # An operator of functions, a matrix of one column, a start, and too few steps.
    operator = linalg.LinearOperator(a.shape, matvec=lambda v: a @ v, rmatvec=lambda v: a.T @ v, dtype=float)
    same(solve(operator, b[:, None], rtol=1e-10)[0], found)
    assert solve(a, b, found, rtol=1e-6)[1] == 0
    limit = {"restart": 1} if name == "gmres" else {"inner_m": 1} if name == "lgmres" else {"m": 1} if name == "gcrotmk" else {}
    assert solve(a, b, rtol=1e-14, maxiter=1, **limit)[1] > 0
    # A dense matrix and one of SciPy.
    numpy.testing.assert_allclose(solve(x, b, rtol=1e-10)[0].get(), found.get(), rtol=1e-8)
    numpy.testing.assert_allclose(solve(x.toarray(), b, rtol=1e-10)[0].get(), found.get(), rtol=1e-8)
    with pytest.raises(ValueError):
        solve(a, numpy.ones(41))


def test_preconditioners():
    a, x, b = system()
    factors = linalg.spilu(a)
    for inverse in (
        linalg.LinearOperator(a.shape, factors.solve, dtype=float), factors, linalg.splu(a), linalg.spilu(a, fill_factor=1), linalg.ic0(a),
        linalg.jacobi(a), numpy.eye(40), sparse.eye_array(40),
    ):
        found, info = linalg.cg(a, b, rtol=1e-10, M=inverse)
        assert info == 0
        numpy.testing.assert_allclose(found.get(), numpy.linalg.solve(x.toarray(), b), rtol=1e-8)


def test_exceptions_of_operators():
    class Wrong(Exception):
        pass

    def fail(v):
        raise Wrong("here")

    operator = linalg.LinearOperator((4, 4), matvec=fail, dtype=float)
    with pytest.raises(Wrong, match="here"):
        linalg.cg(operator, numpy.ones(4))
    with pytest.raises(ValueError, match="shape"):
        linalg.cg(linalg.LinearOperator((4, 4), matvec=lambda v: v[:2], dtype=float), numpy.ones(4))
    assert linalg.cg(linalg.LinearOperator((4, 4), matvec=lambda v: 2 * v), numpy.ones(4))[1] == 0


def test_operators():
    values = dense((4, 4), "complex128")
    own, theirs = linalg.aslinearoperator(sparse.csr_array(values)), scipy_linalg.aslinearoperator(scipy_sparse.csr_array(values))
    v, m = numpy.arange(4) + 1j, dense((4, 2), "complex128", seed=5)
    for f in (
        lambda o: o @ v, lambda o: o.matvec(v), lambda o: o.rmatvec(v), lambda o: o @ m, lambda o: o.rmatmat(m), lambda o: o.H @ v,
        lambda o: o.T @ v, lambda o: (o + o) @ v, lambda o: (2j * o) @ v, lambda o: (o @ o) @ v, lambda o: (-o) @ v, lambda o: (o**3) @ v,
        lambda o: (o - o * 2) @ v, lambda o: (2j * o).H @ v,
    ):
        same(f(own), f(theirs), 1e-14)
    assert own.shape == theirs.shape and own.dtype == theirs.dtype

    class Twice(linalg.LinearOperator):
        def __init__(self, dtype):
            super().__init__(dtype, (3, 3))

        def _matvec(self, x):
            return 2 * x

    for dtype in (float, None):
        assert (Twice(dtype) @ numpy.ones(3)).tolist() == [2, 2, 2] and Twice(dtype).dtype == "float64"


def test_laplacians_of_grids():
    for shape in ((4,), (2, 3), (3, 2, 4)):
        for boundary in ("dirichlet", "neumann", "periodic"):
            own = linalg.LaplacianNd(shape, boundary_conditions=boundary)
            theirs = scipy_linalg.LaplacianNd(shape, boundary_conditions=boundary)
            same(own.toarray(), theirs.toarray())
            same(own.tosparse().toarray(), theirs.tosparse().toarray())
            same(own.eigenvalues(), theirs.eigenvalues(), 1e-14)
            same(own.eigenvalues(2), theirs.eigenvalues()[-2:], 1e-14)
            x = numpy.arange(own.shape[0])
            same(own @ x, theirs @ x)
    with pytest.raises(ValueError):
        linalg.LaplacianNd((2, 0))
    with pytest.raises(ValueError):
        linalg.LaplacianNd((2, 2), boundary_conditions="open")


@pytest.mark.parametrize("damp", [0.0, 0.5])
@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_least_squares(name, damp):
    values = dense((30, 5), density=0.9)
    b = numpy.linspace(-1, 1, 30)
    own = getattr(linalg, name)(sparse.csr_array(values), b, damp, atol=1e-12, btol=1e-12)
    theirs = getattr(scipy_linalg, name)(scipy_sparse.csr_array(values), b, damp, atol=1e-12, btol=1e-12)
    same(own[0], theirs[0], 1e-8)
    assert own[1] == 2 and own[2] > 0
    numpy.testing.assert_allclose(own[3], numpy.linalg.norm(values @ theirs[0] - b), rtol=1e-8)
    operator = linalg.LinearOperator(values.shape, lambda v: np.asarray(values) @ v, lambda v: np.asarray(values).T @ v, dtype=float)
    same(getattr(linalg, name)(operator, b, damp, atol=1e-12, btol=1e-12)[0], theirs[0], 1e-8)
    assert getattr(linalg, name)(sparse.csr_array(values), numpy.zeros(30))[1] == 0


def test_eigenvalues():
    a, x, _ = system()
    for given in ({}, {"which": "SA"}, {"which": "LA", "k": 3}, {"sigma": 3.1, "k": 2}):
        values, vectors = linalg.eigsh(a, **given)
        reference = numpy.sort(scipy_linalg.eigsh(x, **given)[0])
        numpy.testing.assert_allclose(values.get(), reference, rtol=1e-9)
        numpy.testing.assert_allclose((a @ vectors).get(), (vectors * values).get(), atol=1e-7)
    same(linalg.eigsh(a, return_eigenvectors=False), linalg.eigsh(a)[0])
    with pytest.raises(ValueError):
        linalg.eigsh(a, which="XX")
    with pytest.raises(ValueError):
        linalg.eigsh(a, which="LI")
    wind = a + sparse.diags_array([numpy.linspace(0, 9, 40), numpy.linspace(1, 3, 39)], offsets=[0, 1])
    exact = numpy.linalg.eigvals(wind.toarray().get())
    for given, key in (
        ({}, abs), ({"which": "SM", "k": 2}, lambda x: -abs(x)), ({"which": "LR", "k": 3}, lambda x: x.real),
        ({"which": "SR"}, lambda x: -x.real), ({"sigma": 3.1, "k": 2}, lambda x: -abs(x - 3.1)),
        ({"sigma": 3 + 1j, "k": 3}, lambda x: -abs(x - 3 - 1j)),
    ):
        values, vectors = linalg.eigs(wind, **given)
        numpy.testing.assert_allclose(key(values.get()), numpy.sort(key(exact))[::-1][: given.get("k", 6)], rtol=1e-9)
        numpy.testing.assert_allclose((wind @ vectors).get(), (vectors * values).get(), atol=1e-9)
    same(linalg.eigs(wind, return_eigenvectors=False), linalg.eigs(wind)[0])
    turn = linalg.LinearOperator((12, 12), lambda x: np.roll(x, 1), dtype=float)
    numpy.testing.assert_allclose((linalg.eigs(turn, 10, v0=numpy.eye(12)[0])[0] ** 12).get(), 1, rtol=1e-12)
    with pytest.raises(ValueError):
        linalg.eigs(turn, sigma=1.0)
    with pytest.raises(ValueError):
        linalg.eigs(wind, 40)
    weights = sparse.diags_array([numpy.linspace(1, 3, 40), numpy.full(39, 0.2), numpy.full(39, 0.2)], offsets=[0, 1, -1]).tocsr()
    theirs = scipy_sparse.csr_array(weights.toarray().get())
    for given in ({}, {"which": "SA", "k": 3}, {"sigma": 2.1, "k": 2}):
        values, vectors = linalg.eigsh(a, M=weights, **given)
        numpy.testing.assert_allclose(values.get(), numpy.sort(scipy_linalg.eigsh(x, M=theirs, **given)[0]), rtol=1e-9)
        numpy.testing.assert_allclose((a @ vectors).get(), (weights @ vectors * values).get(), atol=1e-7)
        numpy.testing.assert_allclose((vectors.T @ (weights @ vectors)).get(), numpy.eye(values.size), atol=1e-9)
    for given in ({}, {"sigma": 2 + 1j, "k": 3}):
        values, vectors = linalg.eigs(wind, M=weights, **given)
        numpy.testing.assert_allclose((wind @ vectors).get(), (weights @ vectors * values).get(), atol=1e-8)
    map_of_weights = linalg.aslinearoperator(weights)
    solver = linalg.LinearOperator((40, 40), linalg.splu(weights).solve, dtype=float)
    same(linalg.eigsh(a, M=map_of_weights, Minv=solver)[0], linalg.eigsh(a, M=weights)[0], 1e-12)
    with pytest.raises(ValueError):
        linalg.eigsh(a, M=map_of_weights)
    with pytest.raises(ValueError):
        linalg.eigsh(a, Minv=solver)
    wide, theirs = both(shape=(9, 20))
    u, s, vt = linalg.svds(wide, 3)
    numpy.testing.assert_allclose(s.get(), numpy.linalg.svd(theirs.toarray())[1][:3], rtol=1e-9)
    numpy.testing.assert_allclose((wide @ vt.T).get(), (u * s).get(), atol=1e-9)
    start = numpy.random.default_rng(0).random((40, 2))
    for largest in (True, False):
        values, vectors = linalg.lobpcg(a, start, maxiter=200, tol=1e-7, largest=largest)
        exact = numpy.linalg.eigvalsh(x.toarray())
        numpy.testing.assert_allclose(values.get(), exact[:-3:-1] if largest else exact[:2], rtol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_factorizations():
    values = dense((8, 8), density=0.6) + 5 * numpy.eye(8)
    a, x, b = sparse.csc_array(values), scipy_sparse.csc_array(values), dense((8, 3), seed=4)
    same(linalg.spsolve(a, b), scipy_linalg.spsolve(x, b), 1e-12)
    same(linalg.spsolve(a, b[:, 0]), scipy_linalg.spsolve(x, b[:, 0]), 1e-12)
    same(linalg.spsolve(a, b[:, :1]), scipy_linalg.spsolve(x, b[:, :1]), 1e-12)
    same(linalg.spsolve(a, sparse.csr_array(b)), scipy_linalg.spsolve(x, scipy_sparse.csr_array(b)), 1e-12)
    lu, reference = linalg.splu(a), scipy_linalg.splu(x)
    for trans in "NTH":
        same(lu.solve(b, trans), reference.solve(b, trans), 1e-12)
    same(lu.refactor(2 * a).solve(b), reference.solve(b) / 2, 1e-12)
    with pytest.raises(ValueError):
        linalg.spilu(a).refactor(a)
    same(linalg.factorized(a)(b[:, 0]), scipy_linalg.factorized(x)(b[:, 0]), 1e-12)
    lower = numpy.tril(values)
    same(linalg.spsolve_triangular(sparse.csr_array(lower), b), scipy_linalg.spsolve_triangular(scipy_sparse.csr_array(lower), b), 1e-12)
    upper = numpy.triu(values)
    same(
        linalg.spsolve_triangular(sparse.csr_array(upper), b, lower=False),
        scipy_linalg.spsolve_triangular(scipy_sparse.csr_array(upper), b, lower=False), 1e-12,
    )
    with pytest.raises(numpy.linalg.LinAlgError):
        linalg.splu(sparse.csc_array(numpy.zeros((2, 2))))
    with pytest.raises(ValueError):
        linalg.spsolve(sparse.csr_array(dense()), b)


def test_exponentials_powers_and_norms():
    values = dense((6, 6)) / 4
    a, x, b = sparse.csr_array(values), scipy_sparse.csr_array(values), numpy.linspace(0, 1, 6)
    same(linalg.expm_multiply(a, b), scipy_linalg.expm_multiply(x, b), 1e-12)
    given = {"start": 0, "stop": 2, "num": 4, "endpoint": False}
    same(linalg.expm_multiply(a, b, **given), scipy_linalg.expm_multiply(x, b, **given), 1e-10)
    same(linalg.expm(a).toarray(), scipy_linalg.expm(x).toarray(), 1e-13)
    well = sparse.csc_array(values + numpy.eye(6))
    same(linalg.inv(well).toarray(), numpy.linalg.inv(values + numpy.eye(6)), 1e-11)
    assert linalg.inv(well).format == "csc" and linalg.expm(a).format == "csr"
    for wrong in (lambda: linalg.inv(sparse.csr_array((2, 3))), lambda: linalg.expm(sparse.csr_array((2, 3)))):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(np.linalg.LinAlgError):
        linalg.inv(sparse.csr_array(numpy.ones((2, 2))))
    assert linalg.spbandwidth(a) == scipy_linalg.spbandwidth(x)
    for k in (0, 1, -1):
        part = sparse.triu(a, k) if k >= 0 else sparse.tril(a, k)
        assert linalg.is_sptriangular(part) == scipy_linalg.is_sptriangular(part.get())
    same(linalg.matrix_power(a, 3), scipy_linalg.matrix_power(x, 3), 1e-14)
    for ord in (None, "fro", 1, -1, numpy.inf, -numpy.inf):
        same(linalg.norm(a, ord), scipy_linalg.norm(x, ord), 1e-14)
    for axis in (0, 1):
        for ord in (None, 1, 2, numpy.inf, -numpy.inf):
            same(linalg.norm(a, ord, axis), scipy_linalg.norm(x, ord, axis), 1e-14)
    assert linalg.onenormest(a) == pytest.approx(float(scipy_linalg.norm(x, 1)))


# ---- Graphs ----

def graph(n=12, seed=0):
    rng = numpy.random.default_rng(seed)
    values = numpy.where(rng.random((n, n)) < 0.2, rng.permutation(n * n).reshape(n, n) + 1.0, 0)
    numpy.fill_diagonal(values, 0)
    return values


@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("directed", [True, False])
def test_paths(directed, kind):
    values = graph()
    own = sparse.csr_array(values) if kind == "sparse" else values
    for name in ("dijkstra", "bellman_ford", "floyd_warshall", "johnson", "shortest_path"):
        for unweighted in (False, True):
            given = {"directed": directed, "unweighted": unweighted}
            same(getattr(csgraph, name)(own, **given), getattr(scipy_csgraph, name)(values, **given))
        distances, before = getattr(csgraph, name)(own, directed=directed, return_predecessors=True)
        same(before, getattr(scipy_csgraph, name)(values, directed=directed, return_predecessors=True)[1])
    for indices in (3, [0, 5], -1):
        same(csgraph.dijkstra(own, directed, indices), scipy_csgraph.dijkstra(values, directed, indices))
    limited = {"limit": 100.0, "return_predecessors": True}
    for part, other in zip(csgraph.dijkstra(own, directed, **limited), scipy_csgraph.dijkstra(values, directed, **limited)):
        same(part, other)
    for method in ("D", "BF", "FW", "J"):
        same(csgraph.shortest_path(own, method, directed), scipy_csgraph.shortest_path(values, method, directed))
    with pytest.raises(ValueError):
        csgraph.dijkstra(own, indices=12)
    with pytest.raises(ValueError):
        csgraph.bellman_ford(-values)


def test_searches_and_trees():
    values = graph()
    own, theirs = sparse.csr_array(values), scipy_sparse.csr_array(values)
    for directed in (True, False):
        for part, other in zip(csgraph.breadth_first_order(own, 0, directed), scipy_csgraph.breadth_first_order(theirs, 0, directed)):
            same(part, other)
        for connection in ("weak", "strong"):
            count, labels = csgraph.connected_components(own, directed, connection)
            reference, groups = scipy_csgraph.connected_components(theirs, directed, connection)
            assert count == reference == len(set(zip(labels.tolist(), groups.tolist())))
    for part, other in zip(csgraph.depth_first_order(own, 0), scipy_csgraph.depth_first_order(theirs, 0)):
        same(part, other)
    same(csgraph.breadth_first_tree(own, 0), scipy_csgraph.breadth_first_tree(theirs, 0))
    same(csgraph.depth_first_tree(own, 0), scipy_csgraph.depth_first_tree(theirs, 0))
    distances, before = csgraph.shortest_path(own, return_predecessors=True)
    same(csgraph.reconstruct_path(own, before[0]), scipy_csgraph.reconstruct_path(theirs, before[0].get()))
    same(csgraph.construct_dist_matrix(own, before), distances, 1e-15)
    same(csgraph.minimum_spanning_tree(own), scipy_csgraph.minimum_spanning_tree(theirs))
    with pytest.raises(IndexError):
        csgraph.breadth_first_order(own, 12)


def test_several_paths():
    values = graph()
    theirs = scipy_sparse.csr_array(values)
    theirs.indices, theirs.indptr = theirs.indices.astype("int32"), theirs.indptr.astype("int32")
    for part, other in zip(
        csgraph.yen(sparse.csr_array(values), 0, 7, 4, return_predecessors=True),
        scipy_csgraph.yen(theirs, 0, 7, 4, return_predecessors=True),
    ):
        same(part, other, 1e-15)
    with pytest.raises(ValueError):
        csgraph.yen(values, 0, 7, 0)
    with pytest.raises(IndexError):
        csgraph.yen(values, 0, 12, 1)


def test_dense_graphs():
    values = graph()
    values[0, :3] = numpy.nan, numpy.inf, -1
    for null in (0, -1):
        same(csgraph.csgraph_from_dense(values, null), scipy_csgraph.csgraph_from_dense(values, null))
        own = csgraph.csgraph_from_dense(values, null)
        same(csgraph.csgraph_to_dense(own, null), scipy_csgraph.csgraph_to_dense(scipy_csgraph.csgraph_from_dense(values, null), null))
    with pytest.raises(ValueError):
        csgraph.csgraph_from_dense(numpy.ones((2, 3)))


def test_laplacians():
    values = graph()
    for given in ({}, {"normed": True}, {"use_out_degree": True}, {"symmetrized": True}):
        own, diagonal = csgraph.laplacian(sparse.csr_array(values), return_diag=True, **given)
        theirs, reference = scipy_csgraph.laplacian(scipy_sparse.csr_array(values), return_diag=True, **given)
        same(own, theirs, 1e-15)
        same(diagonal, reference, 1e-15)
        same(csgraph.laplacian(values, **given), scipy_csgraph.laplacian(values, **given), 1e-15)


def test_orders_matchings_and_flows():
    values = graph()
    own, theirs = sparse.csr_array(values), scipy_sparse.csr_array(values)
    assert sorted(csgraph.reverse_cuthill_mckee(own).tolist()) == list(range(12))
    assert csgraph.structural_rank(own) == scipy_csgraph.structural_rank(theirs)
    for perm_type in ("row", "column"):
        found = csgraph.maximum_bipartite_matching(own, perm_type).get()
        reference = scipy_csgraph.maximum_bipartite_matching(theirs, perm_type)
        assert (found >= 0).sum() == (reference >= 0).sum()
        other = values if perm_type == "column" else values.T
        assert all(other[one, to] for one, to in enumerate(found) if to >= 0)
        assert len(set(found[found >= 0])) == (found >= 0).sum()
    full = values + numpy.eye(12) * 900
    for maximize in (False, True):
        for given in (full, full[:5], full[:, :5]):
            found = csgraph.min_weight_full_bipartite_matching(sparse.csr_array(given), maximize)
            reference = scipy_csgraph.min_weight_full_bipartite_matching(scipy_sparse.csr_array(given), maximize)
            for part, other in zip(found, reference):
                same(part, other, dtype=False)
    with pytest.raises(ValueError):
        csgraph.min_weight_full_bipartite_matching(sparse.csr_array((2, 2)))
    capacities = values.astype("int32")
    found = csgraph.maximum_flow(sparse.csr_array(capacities), 0, 11)
    reference = scipy_csgraph.maximum_flow(scipy_sparse.csr_array(capacities), 0, 11)
    assert found.flow_value == reference.flow_value
    flow = plain(found.flow)
    assert (flow == -flow.T).all() and (flow <= capacities).all() and flow[0].sum() == found.flow_value
    assert (flow[1:11].sum(1) == 0).all()
