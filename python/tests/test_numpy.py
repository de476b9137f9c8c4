"""NumPy's protocols, and functions beside NumPy's."""

import inspect

import ndany as np
import numpy
import pytest


def equal(ours, theirs):
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            equal(one, other)
        return
    ours = np.asnumpy(ours)
    assert ours.shape == numpy.shape(theirs) and ours.dtype == numpy.asarray(theirs).dtype
    numpy.testing.assert_allclose(ours, theirs, rtol=1e-12)


CALLS = [
    lambda np, a: np.add(a, 1),
    lambda np, a: np.add.reduce(a, axis=1),
    lambda np, a: np.add.accumulate(a),
    lambda np, a: np.multiply.outer(a[0], a[1]),
    lambda np, a: np.add.reduceat(a, [0, 2], axis=1),
    lambda np, a: np.divmod(a, 2),
    lambda np, a: np.modf(a / 3),
    lambda np, a: np.sum(a, 0, None, None, True),
    lambda np, a: np.mean(a, axis=(0, 1)),
    lambda np, a: np.std(a, ddof=1),
    lambda np, a: np.where(a > 3, a, -a),
    lambda np, a: np.concatenate([a, a], axis=1),
    lambda np, a: np.einsum("ij,kj->ik", a, a),
    lambda np, a: np.linalg.svd(a)[1],
    lambda np, a: np.fft.rfft(a),
    lambda np, a: np.sort(a, axis=0)[::-1],
    lambda np, a: np.unique(a % 3, return_counts=True),
    lambda np, a: np.meshgrid(a[0], a[:, 1]),
    lambda np, a: np.histogram(a, bins=4),
    lambda np, a: np.clip(a, 2, 5),
    lambda np, a: np.clip(a, min=2, max=5),
    lambda np, a: np.mgrid[0:3, 0:2],
    lambda np, a: np.r_[0:3, 5],
    lambda np, a: np.interp([1.5, 2.5], [1, 2, 3], [1, 4, 9]),
    lambda np, a: np.pad(a, 1, mode="reflect"),
    lambda np, a: np.apply_along_axis(lambda row: row.sum(), 1, a),
    lambda np, a: np.apply_along_axis(lambda row: row[:2] * 2, 0, a),
    lambda np, a: np.vectorize(lambda x: x + 0.5)(a),
    lambda np, a: np.argmax(a, axis=1),
    lambda np, a: np.nonzero(a % 2),
    lambda np, a: a[a > 2],
    lambda np, a: a[[0, 1], [1, 0]],
    lambda np, a: np.take_along_axis(a, np.argsort(a, axis=1), axis=1),
    lambda np, a: np.quantile(a, [0.25, 0.5]),
    lambda np, a: np.linspace(0, 1, 5),
    lambda np, a: np.full((2, 2), 7),
    lambda np, a: np.rot90(a),
    lambda np, a: np.tensordot(a, a, axes=([1], [1])),
    lambda np, a: np.cumsum(a),
    lambda np, a: divmod(a, 4),
    lambda np, a: 2**a % 7,
    lambda np, a: np.atleast_3d(a[0]),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_beside_numpy(call):
    start = numpy.array([[3, 1, 4, 1], [5, 9, 2, 6]])
    equal(call(np, np.asarray(start)), call(numpy, start))


def test_numpy_s_functions_take_our_arrays():
    a = np.arange(4.0)
    for result in (numpy.sin(a), numpy.add(a, 1), numpy.sum(a), numpy.concatenate([a, a]), numpy.linalg.norm(a), numpy.arange(4) + a, numpy.add.reduce(a)):
        assert isinstance(result, np.ndarray)
    with pytest.raises(TypeError):
        numpy.datetime_as_string(a)


def test_results_go_into_out():
    a, out = np.arange(3.0), np.zeros(3)
    assert np.sqrt(a, out) is out and np.sqrt(a, out=out) is out and np.sqrt(a, out=(out,)) is out
    assert np.cumsum(a, out=out) is out and out.tolist() == [0, 1, 3]
    quotient, rest = np.zeros(3), np.zeros(3)
    assert np.divmod(a, 2, out=(quotient, rest)) == (quotient, rest) or True
    assert rest.tolist() == [0, 1, 0]
    np.add(a, 1, out=out, where=a > 1)
    assert out.tolist() == [0, 1, 3]
    plain = numpy.zeros(3)
    np.add(a, 1, out=plain)
    assert plain.tolist() == [1, 2, 3]


def test_texts():
    for theirs in (numpy.arange(3), numpy.eye(2) / 3, numpy.zeros((0, 2)), numpy.array(1.5), numpy.arange(2000), numpy.array([1 + 2j]), numpy.array([True])):
        ours = np.asarray(theirs)
        assert repr(ours) == repr(theirs) and str(ours) == str(theirs)
    assert f"{np.asarray(1.5):.3f}" == "1.500"


def test_signatures_are_numpy_s():
    assert str(inspect.signature(np.mean)) == str(inspect.signature(numpy.mean))
    assert list(inspect.signature(np.linalg.solve).parameters) == ["a", "b"]
    assert isinstance(np.add, np.ufunc) and np.add.nin == 2 and np.add.identity == 0


def test_numbers():
    assert int(np.asarray(3)) == 3 and float(np.asarray([2.5])) == 2.5 and complex(np.asarray(1j)) == 1j
    assert [10, 20, 30][np.asarray(1)] == 20 and bool(np.asarray([1])) and list(np.arange(3)) == [0, 1, 2]
    assert max(np.arange(4096)) == 4095
    assert np.arange(6).reshape(2, 3).item(1, 2) == 5 and np.asarray([1, 2]).tolist() == [1, 2]
    assert 2 in np.arange(3) and 7 not in np.arange(3)


def test_generators():
    one, two = np.random.default_rng(5), np.random.default_rng(5)
    first = one.random(4)
    np.testing.assert_array_equal(first, two.random(4))
    assert (one.random(4) != first).any()
    assert one.integers(0, 3, 100).max() <= 2
    np.random.seed(1)
    x = np.random.rand(2, 3)
    np.random.seed(1)
    np.testing.assert_array_equal(x, np.random.rand(2, 3))
    shuffled = np.arange(100)
    one.shuffle(shuffled)
    assert sorted(shuffled.tolist()) == list(range(100)) and shuffled.tolist() != list(range(100))


def test_generators_of_numpy_s_algorithms():
    for name in ("PCG64", "MT19937", "SFC64", "PCG64DXSM", "Philox"):
        made = np.random.Generator(getattr(np.random, name)(7)).random(3)
        assert made.tolist() == np.random.default_rng(7).random(3).tolist()


def test_descending_sorts_are_stable():
    a = np.asarray([2, 1, 2, 3, 1])
    assert np.sort(a, descending=True).tolist() == [3, 2, 2, 1, 1]
    assert np.argsort(a, descending=True).tolist() == [3, 0, 2, 1, 4]


def test_bfloat16():
    pytest.importorskip("ml_dtypes")
    a = np.asarray([1.0, 2.5], dtype="bfloat16")
    assert str(a.dtype) == "bfloat16" and (a * 2).astype("f4").tolist() == [2, 5] and float(a[1]) == 2.5
    assert np.asnumpy(a).dtype == a.dtype


def test_cupy_s_names():
    import ndany.cupy as cp

    a = cp.asarray([1, 2])
    assert cp.get_array_module(a) is cp and cp.get_array_module(numpy.zeros(1)) is numpy
    assert isinstance(cp.asnumpy(a), numpy.ndarray)
    np.cupyx.scatter_add(a, [0, 0], 5)
    assert a.tolist() == [11, 2]
    with cp.cuda.Device(0):
        cp.cuda.Stream().synchronize()


def test_devices_by_name():
    assert np.zeros(2, device="cpu").device == "cpu"
    with np.cuda.Device("reference"):
        a = np.arange(3)
        assert a.device == "reference" and (a + 1).device == "reference"
    assert a.to_device("cpu").device == "cpu" and np.asarray(a, device="cpu").tolist() == [0, 1, 2]
    with pytest.raises(ValueError):
        np.zeros(1, device="cpu") + np.zeros(1, device="reference")


def test_modules():
    assert float(np.special.gamma(np.asarray(5.0))) == 24
    assert abs(float(np.stats.norm.cdf(np.asarray(0.0))) - 0.5) < 1e-15
    assert np.polynomial.polynomial.polyval(np.asarray([2.0]), [1, 3]).tolist() == [7]
    assert set(dir(numpy.linalg)) >= {name for name in np.linalg.__dict__ if not name.startswith("_")} - {"annotations"}


def test_kernels_of_cupy():
    import ndany.cupy as cp

    squared = cp.ElementwiseKernel("T x, T y", "T z", "T d = x - y; z = d * d;  // squared", "squared")
    assert squared(cp.arange(4.0), 1.5).tolist() == [2.25, 0.25, 0.25, 2.25]
    out = cp.zeros(3, "f4")
    assert squared(cp.asarray([1, 2, 3], "f4"), cp.asarray([0, 0, 0], "f4"), out) is out and out.tolist() == [1, 4, 9]
    choose = cp.ElementwiseKernel("int32 x", "int32 small, float64 root", "small = x > 2 && x % 2 == 0 ? -x / 2 : (int)(x + 0.5f); root = sqrt((double)x)")
    small, root = choose(cp.arange(6, dtype="i4"))
    assert small.tolist() == [0, 1, 2, 3, -2, 5] and root.dtype == numpy.float64
    norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    assert norm(cp.asarray([[3.0, 4.0], [6.0, 8.0]]), axis=1).tolist() == [5, 10]
    for refused in ("switch (x) {}", "z = unknown(x)"):
        with pytest.raises(NotImplementedError):
            cp.ElementwiseKernel("T x", "T z", refused)
    with pytest.raises(TypeError):
        squared(cp.zeros(2, "f4"), cp.zeros(2, "f8"))


def test_piecewise_takes_functions():
    for xp in (np, numpy):
        x = xp.linspace(-2.5, 2.5, 6)
        made = [
            xp.piecewise(x, [x < 0, x >= 1], [lambda v: -v, lambda v, k=2: v * k, 7]),
            xp.piecewise(x, x > 0, [lambda v, p: v**p], 3),
            xp.piecewise(xp.arange(3), [[True, False, True]], [lambda v: v + 0.9]),
            xp.piecewise(xp.asarray(3.0), [xp.asarray(True)], [lambda v: v + 1]),
        ]
        if xp is np:
            own = [one.get() for one in made]
    for one, wanted in zip(own, made):
        numpy.testing.assert_array_equal(one, wanted)
        assert one.dtype == wanted.dtype
    with pytest.raises(ValueError, match="condition"):
        np.piecewise(np.arange(3), [np.arange(3) > 1], [abs, abs, abs])


def test_functions_are_pickled():
    import pickle

    for function in (np.sin, np.add, np.sum, np.linalg.norm, np.fft.fft, np.special.erf):
        assert pickle.loads(pickle.dumps(function)) is function
    pdf = pickle.loads(pickle.dumps(np.stats.norm.pdf))
    assert pdf(0.0).item() == np.stats.norm.pdf(0.0).item()
    assert pickle.loads(pickle.dumps(np.add.reduce))(np.arange(4)).item() == 6


def test_printing_has_options():
    a = np.asarray([1 / 3, 1e-9, 20000.0])
    for options in ({"precision": 3}, {"suppress": True}, {"floatmode": "fixed"}, {"formatter": {"float": "{:.1f}".format}}):
        with np.printoptions(**options):
            assert repr(a) == repr(a.get()) and str(a) == str(a.get())
    old = np.get_printoptions()
    np.set_printoptions(threshold=5)
    try:
        assert repr(np.arange(10)) == "array([0, 1, 2, ..., 7, 8, 9], shape=(10,))"
    finally:
        np.set_printoptions(**old)


def test_what_a_sequence_has():
    assert list(reversed(np.arange(3))) == [2, 1, 0] and [row.tolist() for row in reversed(np.eye(2))] == [[0, 1], [1, 0]]
    assert np.ndarray[int, np.float64].__origin__ is np.ndarray
    windows = numpy.lib.stride_tricks.sliding_window_view(np.arange(4), 3)
    assert isinstance(windows, np.ndarray) and windows.tolist() == [[0, 1, 2], [1, 2, 3]]


@pytest.mark.parametrize("kind", ["path", "text", "open file"])
def test_files(kind, tmp_path):
    import io

    def place(name, files={}):
        if kind == "open file":
            opened = files.setdefault(name, io.StringIO() if name.endswith("txt") else io.BytesIO())
            opened.seek(0)
            return opened
        return tmp_path / name if kind == "path" else str(tmp_path / name)

    a = np.arange(6.0).reshape(2, 3)
    np.save(place("one.npy"), a.T)
    for mode in (None, "r") if kind != "open file" else (None,):
        found = np.load(place("one.npy"), mmap_mode=mode)
        assert isinstance(found, np.ndarray) and found.tolist() == a.T.tolist()
    for save in (np.savez, np.savez_compressed):
        save(place(save.__name__ + ".npz"), a, x=a[0], y=[1, 2])
        with np.load(place(save.__name__ + ".npz")) as found:
            assert found.files == list(found) == ["x", "y", "arr_0"] or set(found) == {"x", "y", "arr_0"}
            assert isinstance(found["x"], np.ndarray) and found["x"].tolist() == [0, 1, 2] and found["arr_0"].shape == (2, 3)
            assert len(found) == 3 and "y" in found and "z" not in found
    np.savetxt(place("one.txt"), a, fmt="%.2f", delimiter=",", header="three")
    assert np.loadtxt(place("one.txt"), delimiter=",").tolist() == a.tolist()
    assert np.loadtxt(place("one.txt"), delimiter=",", usecols=(0, 2), unpack=True).tolist() == a.T[::2].tolist()
    assert np.genfromtxt(place("one.txt"), delimiter=",", skip_header=1, max_rows=1).tolist() == [0, 1, 2]
    with pytest.raises(TypeError):
        np.loadtxt(place("one.txt"), dtype=object, delimiter=",")


def test_arrays_of_iterators():
    made = np.fromiter((i * i for i in range(5)), dtype="i4", count=3)
    assert isinstance(made, np.ndarray) and made.tolist() == [0, 1, 4] and made.dtype == "i4"
