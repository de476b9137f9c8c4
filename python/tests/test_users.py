"""What programs written for NumPy do with arrays, beside calls of functions."""

import io
import math

import ndany as np
import numpy
import pytest


@pytest.fixture(autouse=True)
def on_the_host():
    with np.cuda.Device("cpu"):
        yield


def test_elements_are_rounded_as_numbers():
    mean = np.asarray([1.25, 2.5]).mean()
    assert round(mean, 1) == round(1.875, 1) and round(mean) == 2 and isinstance(round(mean), int)
    assert round(np.asarray(7)) == 7 and math.trunc(mean) == 1 and math.floor(mean) == 1 and math.ceil(mean) == 2
    for function in (round, math.trunc):
        with pytest.raises(TypeError, match="__"):
            function(np.ones(2))


def test_einsum_path_is_numpy_s():
    shapes = (8, 3), (3, 9), (9, 2)
    ours = np.einsum_path("ij,jk,kl->il", *map(np.zeros, shapes), optimize="optimal")
    theirs = numpy.einsum_path("ij,jk,kl->il", *map(numpy.zeros, shapes), optimize="optimal")
    assert ours == theirs
    assert np.einsum_path(np.ones((2, 3)), [0, 1], np.ones((3, 4)), [1, 2])[0] == ["einsum_path", (0, 1)]
    # No memory is asked for.
    huge = np.broadcast_to(np.ones(1), (2**40,))
    assert np.einsum_path("i,i", huge, huge)[0] == ["einsum_path", (0, 1)]
    operands = [np.ones(shape) for shape in shapes]
    assert (np.einsum("ij,jk,kl->il", *operands, optimize=ours[0]) == 27).all()


def test_vectorize_decorates():
    @np.vectorize(otypes=[float])
    def half(x):
        return x / 2

    @np.vectorize(signature="(n)->()")
    def first(row):
        return row[0]

    assert half(np.arange(3)).tolist() == [0, 0.5, 1] and first(np.arange(6).reshape(2, 3)).tolist() == [0, 3]
    assert isinstance(half(np.arange(3)), np.ndarray)


def test_limits_have_all_of_numpy_s_attributes():
    names = "bits eps epsneg iexp machep max maxexp min minexp negep nexp nmant precision resolution smallest_normal smallest_subnormal tiny"
    for dtype in ("float16", "float32", "float64", "complex64"):
        for name in names.split():
            assert getattr(np.finfo(dtype), name) == getattr(numpy.finfo(dtype), name), (dtype, name)
    assert np.finfo(np.bfloat16).nmant == 7
    with pytest.raises(AttributeError, match="nonsense"):
        np.finfo(float).nonsense
    with pytest.raises(ValueError):
        np.finfo(int)


def test_files_that_are_not_there_or_hold_other_dtypes(tmp_path):
    for read in (np.load, np.fromfile, np.loadtxt):
        with pytest.raises(FileNotFoundError, match="nothing"):
            read(tmp_path / "nothing.npy")
    with pytest.raises(FileNotFoundError):
        np.save(tmp_path / "nothing" / "a.npy", np.zeros(1))
    numpy.save(tmp_path / "objects.npy", numpy.array([None]))
    with pytest.raises((TypeError, ValueError), match="[Oo]bject"):
        np.load(tmp_path / "objects.npy")
    numpy.save(tmp_path / "texts.npy", numpy.array(["a"]))
    with pytest.raises(TypeError, match="U1"):
        np.load(tmp_path / "texts.npy")
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    with np.load(tmp_path / "a.npz") as opened:
        assert opened.f.x.tolist() == opened["x"].tolist() == [0, 1, 2] and dir(opened.f) == ["x"]
        with pytest.raises(KeyError):
            opened["y"]
        with pytest.raises(AttributeError):
            opened.f.y


@pytest.mark.parametrize("dtype", [">f8", ">i4", ">c16", "<f4", "|u1"])
def test_bytes_of_any_order_are_read(tmp_path, dtype):
    plain = numpy.arange(1, 5).astype(dtype)
    plain.tofile(tmp_path / "raw")
    numpy.save(tmp_path / "a.npy", plain)
    with open(tmp_path / "raw", "rb") as opened:
        read = np.fromfile(opened, dtype)
    for one in (read, np.fromfile(tmp_path / "raw", dtype), np.frombuffer(plain.tobytes(), dtype), np.load(tmp_path / "a.npy")):
        assert one.tolist() == plain.tolist() and one.dtype == plain.dtype.newbyteorder("=")


def test_functions_pad():
    def pad_with(row, width, axis, options):
        row[:width[0]] = options.get("padder", 10)
        row[-width[1]:] = axis

    for width in (2, ((1, 2), (2, 1))):
        for options in ({}, {"padder": 7}):
            theirs = numpy.pad(numpy.arange(6).reshape(2, 3), width, pad_with, **options)
            ours = np.pad(np.arange(6).reshape(2, 3), width, pad_with, **options)
            assert ours.tolist() == theirs.tolist()
    assert np.pad([1, 2], (1, 0)).tolist() == [0, 1, 2]
    for width in ({-1: (1, 2)}, {0: 1}, {}):
        assert np.pad(np.ones((2, 2)), width).tolist() == numpy.pad(numpy.ones((2, 2)), width).tolist()


def test_shuffles_of_lists_and_numpy_s_arrays():
    for shuffle in (np.random.default_rng(3).shuffle, np.random.RandomState(3).shuffle, np.random.shuffle):
        cards, plain, own = list("abcdefghij"), numpy.arange(20).reshape(10, 2), np.arange(10)
        shuffle(cards)
        shuffle(plain)
        shuffle(own)
        assert sorted(cards) == list("abcdefghij") and cards != list("abcdefghij")
        assert (plain[:, 1] == plain[:, 0] + 1).all() and sorted(plain[:, 0].tolist()) == list(range(0, 20, 2))
        assert sorted(own.tolist()) == list(range(10))
    columns = numpy.arange(20).reshape(2, 10)
    np.random.default_rng(3).shuffle(columns, axis=1)
    assert (columns[1] == columns[0] + 10).all()
    with pytest.raises(TypeError, match="tuple"):
        np.random.default_rng(3).shuffle((1, 2))


@pytest.mark.parametrize("module", [numpy, np])
def test_the_flag_writeable(module):
    a = module.arange(4.0)
    earlier = a[1:]
    a.flags.writeable = False
    view = a[:2]
    writes = [
        lambda: a.__setitem__(0, 9), lambda: a.__iadd__(1), lambda: module.add(a, 1, out=a), lambda: a.sort(), lambda: a.fill(2),
        lambda: view.__setitem__(0, 9), lambda: view.T.__setitem__(0, 9), lambda: module.copyto(a, 3),
    ]
    for write in writes:
        with pytest.raises(ValueError, match="read-only"):
            write()
    assert a.tolist() == [0, 1, 2, 3] and not view.flags.writeable and not a.flags["W"]
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
        view.flags.writeable = True
    # Views keep the flag with which they were made.
    earlier[0] = 7
    a.flags["WRITEABLE"] = True
    a[0] = 5
    assert a.tolist() == [5, 7, 2, 3] and a.copy().flags.writeable
    a.setflags(write=False)
    assert not a.flags.writeable and a.copy().flags.writeable and (a + 1).flags.writeable
    with pytest.raises(ValueError):
        module.broadcast_to(module.asarray(memoryview(b"abcd")), (2, 4)).setflags(write=True)


def test_flags_that_cannot_be_changed_say_so():
    a = np.zeros(3)
    with pytest.raises(AttributeError):
        a.flags.c_contiguous = False
    with pytest.raises(KeyError):
        a.flags["C"] = False
    assert a.flags.writeable and io.StringIO(repr(a.flags)).readline() == "  C_CONTIGUOUS : True\n"


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint8", "bool", "complex128"])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_descending_sorts(dtype, axis):
    plain = numpy.random.default_rng(4).integers(0, 4, (7, 9)).astype(dtype)
    if plain.dtype.kind == "f":
        plain[::3, ::2] = numpy.nan

    def places(row):
        # Python's sort keeps the order of equal elements; NaN is last.
        return sorted(range(len(row)), key=lambda at: (bool(numpy.isnan(row[at])), -row[at].real.astype(float)))

    flat, along = (plain.ravel(), 0) if axis is None else (plain, axis)
    order = numpy.apply_along_axis(places, along, flat)
    a = np.asarray(plain)
    np.testing.assert_array_equal(np.argsort(a, axis=axis, descending=True), order)
    down = numpy.take_along_axis(flat, order, along)
    np.testing.assert_array_equal(np.sort(a, axis=axis, descending=True), down)
    own = np.asarray(flat)
    own.sort(axis=along, descending=True)
    np.testing.assert_array_equal(own, down)


def test_texts_of_arrays_by_options_and_functions():
    plain = numpy.array([[0.123456, 2.5], [1e-9, 3.0]])
    a = np.asarray(plain)
    formats = {"float": lambda x: f"<{x:.1f}>"}
    assert np.array2string(a, formatter=formats) == numpy.array2string(plain, formatter=formats)
    for name in ("array2string", "array_repr", "array_str"):
        assert getattr(np, name)(a) == getattr(numpy, name)(plain)
        assert getattr(np, name)(a, precision=2) == getattr(numpy, name)(plain, precision=2)
        with np.printoptions(precision=3, suppress=True, formatter=None):
            assert getattr(np, name)(a) == getattr(numpy, name)(plain) != np.array_str(a, precision=8)
    with np.printoptions(formatter=formats):
        assert str(a) == str(plain)
