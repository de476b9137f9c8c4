"""Errors have NumPy's classes, and come at the line that made them on the CPU."""

import ndany as np
import numpy
import pytest


@pytest.fixture(autouse=True)
def on_the_host():
    with np.cuda.Device("cpu"):
        yield


CASES = [
    (lambda: np.asarray([1.0, 2.0])[[7]], IndexError),
    (lambda: np.asarray([1.0, 2.0])[5], IndexError),
    (lambda: np.zeros(0)[[0]], IndexError),
    (lambda: np.asarray([1, 2]) ** -1, ValueError),
    (lambda: np.asarray([1, 2]) ** np.asarray([1, -1]), ValueError),
    (lambda: np.take(np.arange(3), [3]), IndexError),
    (lambda: np.zeros(3) + np.zeros(4), ValueError),
    (lambda: np.zeros(3).reshape(2, 2), ValueError),
    (lambda: np.zeros(3).sum(axis=1), numpy.exceptions.AxisError),
    (lambda: np.linalg.inv(np.zeros((2, 2))), numpy.linalg.LinAlgError),
    (lambda: np.linalg.cholesky(-np.eye(2)), numpy.linalg.LinAlgError),
    (lambda: np.asarray(["a"]), TypeError),
    (lambda: np.asarray([object()]), TypeError),
    (lambda: np.asarray(numpy.array(["2000-01-01"], "M8[D]")), TypeError),
    (lambda: np.zeros(3, dtype=object), TypeError),
    (lambda: np.zeros(3, dtype="i4,f4"), TypeError),
    (lambda: np.zeros(3, dtype="U5"), TypeError),
    (lambda: np.zeros(3, "i4,f4"), TypeError),
    (lambda: np.full(3, 1, "M8[D]"), TypeError),
    (lambda: np.sum([1, 2], 0, "O"), TypeError),
    (lambda: bool(np.zeros(2)), ValueError),
    (lambda: int(np.zeros(2)), TypeError),
    (lambda: np.zeros(2)["a"], IndexError),
    (lambda: np.zeros(2)[1.5], IndexError),
    (lambda: np.asarray([1], "u1") + 300, OverflowError),
    (lambda: np.zeros((2, 3)) @ np.zeros((2, 3)), ValueError),
    (lambda: np.arange(3).__iadd__(0.5), TypeError),
    (lambda: np.arange(3).__setitem__(0, float("nan")), ValueError),
    (lambda: np.arange(3).__setitem__(0, 1j), TypeError),
    (lambda: np.put(np.arange(3), [9], [1]), IndexError),
    (lambda: np.zeros(3).no_such_attribute, AttributeError),
    (lambda: np.no_such_function, AttributeError),
    (lambda: hash(np.zeros(3)), TypeError),
    (lambda: len(np.zeros(())), TypeError),
    (lambda: np.zeros(3, device="cuda:99"), ValueError),
    (lambda: np.sum([1, 2], nonsense=3), TypeError),
    (lambda: np.sum(np.zeros(2), device="cpu"), TypeError),
]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_class(case):
    make, kind = case
    with pytest.raises(kind):
        make()


def test_what_is_refused_is_named():
    with pytest.raises(TypeError, match="object|builtins"):
        np.add(np.zeros(2), object())
    with pytest.raises(TypeError, match="datetime64"):
        np.asarray(numpy.array(["2000-01-01"], "M8[D]"))
    for call, given in (
        (lambda: np.where(np.ones(2) > 0, "a", "b"), 'the text "a"'), (lambda: np.sin(None), "None"),
        (lambda: np.sum("abc"), 'the text "abc"'), (lambda: np.arange(3).__setitem__(0, "x"), 'the text "x"'),
    ):
        with pytest.raises(TypeError, match=given):
            call()


def test_a_failed_write_changes_nothing():
    a = np.arange(4)
    for key, value in (([9], 1), (slice(0, 2), [1, 2, 3]), (0, float("inf"))):
        with pytest.raises((IndexError, ValueError, OverflowError)):
            a[key] = value
    assert a.tolist() == [0, 1, 2, 3]


def test_raw_kernels_want_a_gpu():
    import ndany.cupy as cp

    kernel = cp.RawKernel('extern "C" __global__ void one(float* x) { x[0] = 1; }', "one")
    with np.cuda.Device("cpu"), pytest.raises(NotImplementedError, match="GPU"):
        kernel((1,), (1,), (np.zeros(1, "float32", device="cpu"),))


def line_of(function, offset):
    """A file and line as errors name them."""
    return f"{__file__}:{function.__code__.co_firstlineno + offset}"


def test_an_error_that_comes_later_names_the_line_that_made_it():
    def made():
        return np.sqrt(np.ones(2**52))

    # No memory is asked for before a value is.
    huge = made()
    with pytest.raises(MemoryError) as caught:
        huge.get()
    assert f"asked for at {line_of(made, 1)})" in str(caught.value)


LATE = [
    lambda a: a + 1,
    lambda a: 1 - a,
    lambda a: a * a,
    lambda a: a / 2,
    lambda a: a // 2,
    lambda a: a % 2,
    lambda a: a**2.5,
    lambda a: 2**a,
    lambda a: divmod(a, 2)[1],
    lambda a: -a,
    lambda a: abs(a),
    lambda a: a < 1,
    lambda a: a == 1,
    lambda a: ~(a > 0),
    lambda a: (a > 0) & True,
]


@pytest.mark.parametrize("made", LATE, ids=range(len(LATE)))
def test_an_operator_s_error_that_comes_later_names_its_line(made):
    result = made(np.broadcast_to(np.ones(1), (2**52,)))
    with pytest.raises(MemoryError) as caught:
        result.get()
    assert f"asked for at {line_of(made, 0)})" in str(caught.value)


def test_an_operator_in_place_names_its_line():
    a = np.broadcast_to(np.ones(1), (2**52,)) * 1.0

    def changed(a):
        a += 1

    changed(a)
    with pytest.raises(MemoryError) as caught:
        a.get()
    assert f"asked for at {line_of(changed, 1)})" in str(caught.value)


def test_an_error_at_its_own_line_has_numpy_s_text():
    with pytest.raises(IndexError) as caught:
        np.take(np.arange(3), [3])
    assert "asked for" not in str(caught.value)
    with pytest.raises(ValueError) as caught:
        np.asarray([1, 2]) ** np.asarray([1, -1])
    assert "asked for" not in str(caught.value)
