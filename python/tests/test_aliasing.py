"""Views alias as NumPy's do: each form is a function that runs on arrays of both, and both must end equal."""

import random

import ndany
import numpy
import pytest


def in_place_of_a_slice(np, a):
    b = a[1:3]
    b += 1


def item_of_a_row(np, a):
    a[0][1] = 5


def rows_of_a_loop(np, a):
    for row in a:
        row *= 2


def sort_of_a_column(np, a):
    a[:, 0].sort()


def transposed(np, a):
    a.T[0] = 9


def raveled(np, a):
    a.ravel()[0] = 9


def flat_item(np, a):
    a.flat[1] = 9


def flat_all(np, a):
    a.flat = [1, 2, 3]


def reshaped(np, a):
    a.reshape(6, 2)[1] = 7


def new_axis_and_backwards(np, a):
    a[None, ::-1][..., 0] = 3


def out_in_a_part(np, a):
    np.add(a[0], 1, out=a[1])


def swapped(np, a):
    a.swapaxes(0, 1)[2] -= 4


def moved(np, a):
    np.moveaxis(a.reshape(2, 2, 3), 0, 2)[1, 0, 1] = 100


def view_of_a_view(np, a):
    a[1:][:, ::2][0] = -1


def flipped(np, a):
    np.flip(a, 1)[:, 0] = 11


def split_part(np, a):
    np.split(a, 2)[1][...] = 0


def squeezed(np, a):
    a[:, None].squeeze(1)[2] = 8


def expanded(np, a):
    np.expand_dims(a, 0)[0, 3, 2] = 8


def as_strided(np, a):
    np.lib.stride_tricks.as_strided(a, (2, 2), (a.strides[0] * 2, a.strides[1]))[1] = 50


def windows(np, a):
    np.lib.stride_tricks.sliding_window_view(a[0], 2, writeable=True)[1, 0] = 6


def filled(np, a):
    a[2:].fill(4)


def copied_into(np, a):
    np.copyto(a[::2], 6)


def accumulated(np, a):
    np.add.at(a[1], [0, 0, 2], 1)


def put(np, a):
    a[:, 1].put([0, 2], [7, 8])


def read_before_write(np, a):
    b = a[0] * 2
    a[0] = 1
    a[1] = b


def overlapping(np, a):
    a[1:] = a[:-1]


def masked(np, a):
    a[1:][a[1:] > 3] = 0


FORMS = [form for form in list(globals().values()) if callable(form) and getattr(form, "__code__", None) and form.__code__.co_varnames[:2] == ("np", "a")]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("pending", [False, True], ids=["evaluated", "pending"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_form(form, pending, order):
    start = numpy.array([[5, 1, 4], [2, 9, 0], [3, 3, 7], [6, 8, 1]], order=order)
    theirs, ours = start.copy(order), ndany.asarray(start)
    if pending:
        theirs, ours = theirs * 3 - 1, ours * 3 - 1
    form(numpy, theirs)
    form(ndany, ours)
    ndany.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("part", ["real", "imag"])
def test_parts_of_complex_numbers(part):
    theirs = numpy.array([1 + 2j, 3 - 4j, 0j])
    ours = ndany.asarray(theirs)
    for a in (theirs, ours):
        getattr(a, part)[1:] = 9
        setattr(a, part, getattr(a, part) + 1)
    ndany.testing.assert_array_equal(ours, theirs)


def test_bytes_of_another_dtype():
    theirs = numpy.array([1.0, -2.0, 0.0], "f4")
    ours = ndany.asarray(theirs)
    for a in (theirs, ours):
        a.view("i4")[1] = 0x40000000
    ndany.testing.assert_array_equal(ours, theirs)


def test_broadcast_views_are_read_only():
    view = ndany.broadcast_to(ndany.arange(3), (2, 3))
    with pytest.raises(ValueError):
        view[0] = 1


class Program:
    """A random program of views, writes, operations in place and results written into parts."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def key(self, shape):
        """A basic index with at least one element left."""
        items = []
        for extent in shape:
            kind = self.random.randrange(5)
            if kind == 0 and len(shape) > 1:
                items.append(self.random.randrange(-extent, extent))
            elif kind == 1 and extent > 1:
                start = self.random.randrange(extent)
                items.append(slice(start, None, self.random.choice([1, 2])))
            elif kind == 2:
                items.append(slice(None, None, -1))
            else:
                items.append(slice(None))
        if self.random.randrange(6) == 0:
            items.insert(self.random.randrange(len(items) + 1), None)
        # With an ellipsis, NumPy's result is an array also where no axis is left.
        return (*items, ...)

    @staticmethod
    def write_at(np, a, choices):
        """Writes at index arrays and masks, by each of the functions that change an array."""
        size, kind, value = a.size, choices.randrange(9), choices.randrange(-9, 9)
        places = np.asarray([choices.randrange(-size, size) for _ in range(3)])
        if kind == 0:
            np.put(a, places, [value, value + 1])
        elif kind == 1:
            np.put(a, places + 2 * size, value, mode="wrap")
        elif kind == 2:
            np.putmask(a, a % 3 == 0, a * 2 + value)
        elif kind == 3:
            np.place(a, a % 4 == 1, np.asarray([value, 7]))
        elif kind == 4:
            np.copyto(a, value, where=a > 5)
        elif a.ndim:
            rows = [choices.randrange(a.shape[0]) for _ in range(3)]
            if kind == 5:
                a[rows] = a[rows[::-1]] + value
                a[rows[0]] = value
            elif kind == 6:
                np.add.at(a, (rows,), a[:1] % 5)
            elif kind == 7:
                a[a % 5 == 2] = value
            else:
                a[rows, ...] = a[:1]

    def step(self, pairs):
        theirs, ours = self.random.choice(pairs)
        kind = self.random.randrange(12)
        if kind == 0 and theirs.ndim:
            key = self.key(theirs.shape)
            pairs.append((theirs[key], ours[key]))
        elif kind == 1:
            pairs.append((theirs.T, ours.T))
        elif kind == 2:
            shape = (-1,) if theirs.ndim != 1 or theirs.size % 2 else (2, -1)
            pairs.append((theirs.reshape(shape), ours.reshape(shape)))
        elif kind == 3 and theirs.ndim:
            key, value = self.key(theirs.shape), self.random.randrange(-9, 9)
            theirs[key] = value
            ours[key] = value
        elif kind == 4:
            value = self.random.randrange(1, 4)
            theirs += value
            ours += value
        elif kind == 5:
            # Without axes, NumPy's results are no arrays.
            pairs.append((numpy.asarray(theirs * 2 - 1), ours * 2 - 1))
        elif kind == 6:
            same = [pair for pair in pairs if pair[0].shape == theirs.shape]
            other = self.random.choice(same)
            source = (other[0] // 2, other[1] // 2)
            numpy.subtract(source[0], 3, out=theirs)
            ndany.subtract(source[1], 3, out=ours)
        elif kind == 7:
            same = [pair for pair in pairs if pair[0].shape == theirs.shape]
            other = self.random.choice(same)
            theirs[...] = other[0]
            ours[...] = other[1]
        elif kind == 8 and theirs.ndim:
            axis = self.random.randrange(theirs.ndim)
            theirs.sort(axis)
            ours.sort(axis)
        elif kind == 9:
            seed = self.random.randrange(10**6)
            self.write_at(numpy, theirs, random.Random(seed))
            self.write_at(ndany, ours, random.Random(seed))
        else:
            theirs %= 1000
            ours %= 1000
        if len(pairs) > 12:
            del pairs[self.random.randrange(2, len(pairs))]


@pytest.mark.parametrize("seed", range(8))
def test_random_program(seed):
    program = Program(seed)
    starts = [numpy.arange(24).reshape(4, 6), numpy.arange(12).reshape(2, 3, 2)]
    pairs = [(start.copy(), ndany.asarray(start)) for start in starts]
    for step in range(1000):
        program.step(pairs)
        if step % 50 == 49:
            for theirs, ours in pairs:
                ndany.testing.assert_array_equal(ours, theirs, err_msg=f"step {step}")


def copies(change, *arrays):
    """How many arrays are copied as a whole, and how many launches there are, while a function changes the first array."""
    arrays[0]._eval()
    before = ndany._core.launches()
    change(*arrays)
    arrays[0]._eval()
    after = ndany._core.launches()
    return after[1] - before[1], after[0] - before[0]


SMALL_WRITES = [
    lambda a, at: a.__setitem__(at, 5),
    lambda a, at: a.__setitem__(at, ndany.arange(10.0)),
    lambda a, at: a.__setitem__(at, a[:10]),
    lambda a, at: a.__setitem__(at, a[at] * 2),
    lambda a, at: a[1000:].__setitem__(at, 5),
    lambda a, at: a[::-2].__setitem__(at, a[:10]),
    lambda a, at: a.reshape(-1, 2)[:, 1].__setitem__(at, 5),
    lambda a, at: ndany.put(a, at, 5),
    lambda a, at: a.put(at, ndany.arange(3)),
    lambda a, at: ndany.put(a[500:], at, 5),
    lambda a, at: ndany.put(a=a, ind=at, v=5),
    lambda a, at: ndany.add.at(a, at, 1),
    lambda a, at: ndany.negative.at(a[5:], at),
    lambda a, at: ndany.put_along_axis(a, at, 3, 0),
    lambda a, at: ndany.fill_diagonal(a.reshape(-1, 10)[:10], 3),
    lambda a, at: ndany.cupyx.scatter_add(a, at, 2),
]


@pytest.mark.parametrize("number", range(len(SMALL_WRITES)))
@pytest.mark.parametrize("kind", ["own", "lent", "of NumPy"])
def test_small_writes_touch_what_they_write(number, kind):
    size = 200_000
    plain, at = numpy.arange(size, dtype=float), numpy.arange(10) * 37
    a, places = ndany.arange(size, dtype=float), ndany.asarray(at)
    if kind != "own" and not a.device.startswith("cpu"):
        pytest.skip("NumPy's memory is the host's")
    if kind == "lent":
        memory = numpy.asarray(a)
    elif kind == "of NumPy":
        memory = plain.copy()
        a = ndany.from_dlpack(memory)
    assert copies(SMALL_WRITES[number], a, places)[0] == 0
    fresh = ndany.arange(size, dtype=float) + 0
    SMALL_WRITES[number](fresh, places)
    ndany.testing.assert_array_equal(a, fresh)
    assert (a != ndany.asarray(plain)).any()
    if kind != "own":
        numpy.testing.assert_array_equal(memory, fresh.get())


def test_small_writes_take_no_memory():
    import resource

    a, at = ndany.zeros(5_000_000), ndany.arange(10)
    a[at] = 1
    a._eval()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for step in range(20):
        ndany.put(a, at, step)
        a[1:][at] = step
        ndany.add.at(a, at, 1)
    assert a[:11].tolist() == [20.0] * 10 + [19.0]
    # One copy is 40 MB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_other_handles_keep_their_values():
    a = ndany.arange(6.0)
    later, at = a + 1, ndany.asarray([0, 5])
    for change in (lambda: ndany.put(a, at, 9), lambda: a[1:].__setitem__([0], 9), lambda: ndany.add.at(a[::-1], at, 1)):
        kept = a * 1
        expected = kept.copy()
        change()
        assert kept.tolist() == expected.tolist()
    assert later.tolist() == [1, 2, 3, 4, 5, 6] and a.tolist() == [10, 9, 2, 3, 4, 10]


def test_a_failed_write_through_a_view_changes_nothing():
    # On GPUs such an error comes when the array is read.
    a = ndany.arange(6.0, device="cpu")
    for change in (lambda: ndany.put(a, [9], 1), lambda: ndany.put(a[2:], [9], 1), lambda: a[2:].__setitem__([4], 1),
                   lambda: ndany.add.at(a[2:], [0, 9], 1), lambda: ndany.put(ndany.broadcast_to(a, (2, 6)), [0], 1)):
        with pytest.raises((IndexError, ValueError)):
            change()
        assert a.tolist() == [0, 1, 2, 3, 4, 5]


def writes_at_masks(np):
    """Writes at masks, stored and pending, into arrays and views of them, some of whose values lie in the array itself."""
    a = np.arange(6000.0).reshape(60, 100)
    few = np.zeros((60, 100), dtype=bool)
    few[7, 3] = few[7, 90] = few[59, 99] = True
    a[few] = -1
    a[a > 5900] = 0
    np.copyto(a, a[::-1] + 1, where=few)
    np.copyto(a[5:50, 2::3], a[10:55, 1::3], where=few[5:50, 2::3])
    part = a[1:40, 2:77]
    part[few[1:40, 2:77]] = 5
    part[part < 300] *= 2
    np.putmask(part, part > 2000, part[::-1])
    a.T[few.T] = 9
    a[:, 0][a[:, 0] > 3] = 4
    b = a.astype(complex)
    b.imag[few] = 2
    b[few] += 1j
    mine = np.asarray([True, False] * 50)
    mine[mine] = False
    return a, b, mine


def test_writes_at_masks_go_where_numpy_s_go():
    for own, wanted in zip(writes_at_masks(ndany), writes_at_masks(numpy)):
        numpy.testing.assert_array_equal(own.get(), wanted)


def test_writes_at_masks_stay_in_shared_memory():
    shared = numpy.arange(5000.0)
    a = ndany.from_dlpack(shared)
    expected = shared.copy()
    few = numpy.zeros(5000, dtype=bool)
    few[[3, 64, 4999]] = True
    for array, mask, xp in ((a, ndany.asarray(few), ndany), (expected, few, numpy)):
        array[mask] = -1
        xp.copyto(array, array[::-1], where=mask)
        xp.copyto(array[1:], array[:-1], where=array[1:] > 4000)
        array[10:20][mask[60:70]] = 7
        array[array < 100] *= 3
    numpy.testing.assert_array_equal(shared, expected)
