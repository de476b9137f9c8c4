"""What only CuPy has: functions as one kernel."""

import ndany.cupy as cp
import numpy
import pytest
from ndany import _core


def launches(function, *args, **kwargs):
    """The results of a call, and how many launches it takes to compute them with the arguments."""
    arrays = [one for one in args if isinstance(one, cp.ndarray)]
    for array in arrays:
        array._eval()
    before = _core.launches()[0]
    results = function(*args, **kwargs)
    for array in [*(results if isinstance(results, tuple) else [results]), *arrays]:
        if array is not None:
            array._eval()
    return results, _core.launches()[0] - before


def inputs():
    return cp.arange(6.0).reshape(2, 3) + 0, cp.ones((2, 3)) * 2


@cp.fuse
def plain(x, y):
    return cp.sqrt(x * x + y) - 1


@cp.fuse()
def with_parentheses(x, y):
    return cp.where(x > y, x, -y) * 2


@cp.fuse(kernel_name="named")
def with_name(x, y, *, scale=2.0):
    return (x - y) * scale


@cp.fuse()
def two_results(x, y):
    both = x + y
    return both, both * 2 - x


@cp.fuse()
def several_results(x, y):
    return x + y, x - y, cp.exp(x), x > y


@cp.fuse()
def changes_arguments(x, y):
    x += y
    y *= x
    return x - y


@cp.fuse()
def changes_one(x, y):
    x += y * 3


@cp.fuse()
def inner(x):
    return x * x


@cp.fuse()
def of_others(x, y):
    return inner(x) + inner(y), inner(x) - 1


@cp.fuse()
def reduced(x, y):
    return cp.sum((x - y) ** 2, axis=1)


FUSED = [plain, with_parentheses, with_name, two_results, several_results, changes_arguments, changes_one, of_others, reduced]


@pytest.mark.parametrize("function", FUSED, ids=lambda function: function.__name__)
def test_a_fused_function_is_one_launch(function):
    x, y = inputs()
    own = [x.get(), y.get()]
    results, count = launches(function, x, y)
    assert count == 1
    theirs = NUMPY.get(function, function)(*own)
    if not isinstance(theirs, tuple):
        results, theirs = (results,), (theirs,)
    for ours, expected in zip(results, theirs, strict=True):
        if expected is not None:
            numpy.testing.assert_allclose(ours.get(), expected, rtol=1e-14)
    numpy.testing.assert_array_equal(x.get(), own[0])
    numpy.testing.assert_array_equal(y.get(), own[1])


# Of functions that name CuPy's, NumPy's.
NUMPY = {
    plain: lambda x, y: numpy.sqrt(x * x + y) - 1,
    with_parentheses: lambda x, y: numpy.where(x > y, x, -y) * 2,
    several_results: lambda x, y: (x + y, x - y, numpy.exp(x), x > y),
    reduced: lambda x, y: numpy.sum((x - y) ** 2, axis=1),
}


def test_what_a_fused_function_is():
    assert plain.__name__ == "plain" and with_name.kernel_name == "named" and plain.kernel_name == "plain"
    assert with_name(cp.asarray([3.0]), 1, scale=5).tolist() == [10]
    assert inner(4) == 16 and inner(numpy.arange(3)).tolist() == [0, 1, 4]
    assert cp.fuse(lambda x: x + 1, kernel_name="next")(cp.asarray([1])).tolist() == [2]
    assert float(plain(cp.asarray(2.0), numpy.float64(5))) == 2

    class Model:
        @cp.fuse()
        def scaled(self, x):
            return x * 3, x + 1

    first, second = Model().scaled(cp.arange(3))
    assert first.tolist() == [0, 3, 6] and second.tolist() == [1, 2, 3]
    with pytest.raises(ValueError):
        two_results(cp.zeros(3), cp.zeros(4))


def test_results_of_different_shapes_and_errors_stay_apart():
    @cp.fuse()
    def mixed(x, at):
        return x + 1, x.sum(), x[:1] * 2, cp.asarray([1, 2]) ** at

    x = cp.arange(4.0)
    with pytest.raises(ValueError):
        mixed(x, cp.asarray([1, -1]))[3].tolist()
    plus, total, first, power = mixed(x, cp.asarray([1, 2]))
    assert plus.tolist() == [1, 2, 3, 4] and float(total) == 6 and first.tolist() == [0] and power.tolist() == [1, 4]


def test_fused_writes_into_a_view_show_in_the_whole():
    whole = cp.zeros((3, 4))
    changes_one(whole[1], cp.arange(4.0))
    assert whole.tolist() == [[0] * 4, [0, 3, 6, 9], [0] * 4]
