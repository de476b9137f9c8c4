"""Memory goes to other libraries and comes from them: the same addresses, writes on both sides."""

import copy
import ctypes
import gc
import pickle
import threading
import weakref

import ndany as np
import numpy
import pytest

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


@pytest.fixture(autouse=True)
def on_the_host():
    with np.cuda.Device("cpu"):
        yield


def test_numpy_sees_the_memory():
    a = np.arange(6).reshape(2, 3)
    plain = numpy.asarray(a)
    plain[0, 1] = 50
    a[1] += 1
    a += 100
    assert a.tolist() == plain.tolist() == [[100, 150, 102], [104, 105, 106]]
    assert numpy.asarray(a).ctypes.data == plain.ctypes.data
    part = numpy.asarray(a[:, ::-2])
    part[...] = 0
    assert a.tolist() == [[0, 150, 0], [0, 105, 0]]


def test_numpy_s_memory_is_seen():
    plain = numpy.arange(6.0).reshape(2, 3)
    a = np.from_dlpack(plain)
    doubled = a * 2
    plain[0] = 7
    assert a.tolist() == plain.tolist()
    assert doubled.tolist() == [[0, 2, 4], [6, 8, 10]]
    a[1] = -1
    a += 1
    assert plain.tolist() == [[8, 8, 8], [0, 0, 0]]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", ["0-d", "empty", "negative", "offset", "transposed"])
def test_there_and_back(dtype, form):
    start = numpy.arange(24).reshape(4, 6).astype(dtype)
    key = {"0-d": (1, 2), "empty": (slice(0, 0),), "negative": (slice(None, None, -1),), "offset": (slice(1, 3), slice(2, None, 2)), "transposed": ()}[form]
    a = np.asarray(start)[key]
    a, start = (a.T, start[key].T) if form == "transposed" else (a, start[key])
    for other in (numpy.asarray(a), numpy.from_dlpack(a), a.get()):
        assert other.dtype == start.dtype and other.shape == start.shape
        numpy.testing.assert_array_equal(other, start)
    np.testing.assert_array_equal(np.from_dlpack(numpy.array(start)), start)
    assert memoryview(a).shape == start.shape


def test_owners_are_let_go():
    gone = []
    for _ in range(200):
        plain = numpy.zeros(100)
        weakref.finalize(plain, gone.append, 1)
        a = np.from_dlpack(plain)
        b = a + 1
        del plain, a
        b.sum().item()
    gc.collect()
    np.zeros(1).item()
    gc.collect()
    assert len(gone) == 200


def test_copies_and_pickles():
    a = np.arange(6.0).reshape(2, 3).T
    for other in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a)), a.copy()):
        assert other.dtype == a.dtype
        np.testing.assert_array_equal(other, a)
        other[0] = -1
        assert a[0, 0] == 0


def test_threads_write_parts_of_one_array():
    whole = np.zeros((8, 1000))

    def work(part):
        for step in range(50):
            whole[part] += part
            whole[part, ::2] = whole[part, ::2] + 1

    threads = [threading.Thread(target=work, args=(part,)) for part in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = numpy.arange(8.0)[:, None] * 50 + numpy.where(numpy.arange(1000) % 2, 0, 50)
    np.testing.assert_array_equal(whole, expected)


def test_threads_share_cells():
    shared, failures = [np.arange(10) for _ in range(3)], []

    def work(seed):
        try:
            for step in range(2000):
                one = shared[(seed + step) % 3]
                one[step % 10] = step
                (one + 1)[2:5].sum()
                one.reshape(2, 5)[1] = step
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_capsules_are_consumed_once():
    a = np.arange(4)
    for version in (None, (0, 8), (1, 0), (1, 2)):
        capsule = a.__dlpack__(max_version=version)
        b = np._core.from_capsule(capsule)
        b[0] += 1
        with pytest.raises(ValueError, match="consumed"):
            np._core.from_capsule(capsule)
    assert a[0] == 4
    # Nobody takes these.
    for _ in range(100):
        a.__dlpack__()
        a.__dlpack__(max_version=(1, 0))


def test_copies_are_made_when_asked_for():
    a = np.arange(4)
    for shares, copy_ in ((False, True), (True, False), (True, None)):
        b = numpy.from_dlpack(a, copy=copy_) if copy_ is not None else numpy.from_dlpack(a)
        assert (b.ctypes.data == numpy.asarray(a).ctypes.data) == shares
    other = np.from_dlpack(numpy.arange(3), copy=True)
    assert other.tolist() == [0, 1, 2]
    assert np.asarray(numpy.arange(3.0), copy=False).tolist() == [0, 1, 2]


def test_what_cannot_be_exchanged():
    a = np.arange(4)
    with pytest.raises(ValueError):
        a.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        a.__dlpack__(dl_device=(2, 99), copy=False)
    with pytest.raises((ValueError, TypeError)):
        np._core.from_capsule(3)
    with pytest.raises(AttributeError):
        a.__cuda_array_interface__
    repeated = np.broadcast_to(np.arange(3), (2, 3))
    plain = numpy.from_dlpack(repeated)
    assert plain.tolist() == [[0, 1, 2]] * 2


def test_bfloat16_there_and_back():
    pytest.importorskip("ml_dtypes")
    a = np.asarray([1.0, 2.5], dtype="bfloat16")
    b = np.from_dlpack(a)
    b[0] = 4
    assert a.dtype == b.dtype and a.astype(float).tolist() == [4.0, 2.5]


def in_threads(work, rounds):
    """Does the work so many times in each of four threads."""
    failures = []

    def run():
        try:
            for _ in range(rounds):
                work()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_exchanges_of_many_threads():
    shared = np.zeros(64)

    def exchange():
        plain = numpy.from_dlpack(shared)
        back = np.from_dlpack(plain)
        assert back.size == 64

    in_threads(exchange, 2500)
    shared += 1
    assert shared.sum().item() == 64


def test_objects_with_dlpack_are_shared_and_copied():
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    plain = numpy.arange(3.0)
    shared, copied = np.asarray(Foreign(plain)), np.array(Foreign(plain))
    plain[0] = 7
    assert shared.tolist() == [7, 1, 2] and copied.tolist() == [0, 1, 2]
    assert np.asarray(Foreign(plain), dtype="f4").dtype == "f4"


def test_arrays_by_their_constructor():
    a = np.ndarray((2, 3), "i4", order="F")
    assert a.shape == (2, 3) and a.flags.f_contiguous and a.dtype == "i4"
    memory = numpy.arange(6)
    b = np.ndarray((2, 2), int, buffer=memory, offset=8, strides=(16, 8))
    b[0, 0] = 50
    assert memory.tolist() == [0, 50, 2, 3, 4, 5]


class Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class Tensor(ctypes.Structure):
    """DLTensor of dlpack.h."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    """DLManagedTensorVersioned of dlpack.h."""


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = [
    ("version", Version), ("manager_ctx", ctypes.c_void_p), ("deleter", DELETER), ("flags", ctypes.c_uint64), ("tensor", Tensor),
]
SET_ERROR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
OUT = ctypes.POINTER(ctypes.POINTER(Managed))


class Table(ctypes.Structure):
    """DLPackExchangeAPI of dlpack.h 1.3. Functions that raise exceptions are called with Python's lock."""

    _fields_ = [
        ("version", Version), ("previous", ctypes.c_void_p),
        ("allocate", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Tensor), OUT, ctypes.c_void_p, SET_ERROR)),
        ("from_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, OUT)),
        ("to_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.POINTER(Managed), ctypes.POINTER(ctypes.py_object))),
        ("for_a_call", ctypes.c_void_p),
        ("current_stream", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))),
    ]


# Set once: threads share the function.
in_capsule = ctypes.pythonapi.PyCapsule_GetPointer
in_capsule.restype, in_capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def table():
    return Table.from_address(in_capsule(np.ndarray.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))


def managed(array):
    out = ctypes.POINTER(Managed)()
    assert table().from_object(array, ctypes.byref(out)) == 0
    return out


def test_the_table_of_c_functions():
    api = table()
    assert (api.version.major, api.version.minor, api.previous, api.for_a_call) == (1, 3, None, None)
    assert np.ndarray.__dlpack_c_exchange_api__ is type(np.zeros(1)).__dlpack_c_exchange_api__
    stream = ctypes.c_void_p(7)
    assert api.current_stream(1, 0, ctypes.byref(stream)) == 0 and stream.value is None
    with pytest.raises(BufferError):
        api.current_stream(4, 0, ctypes.byref(stream))


def test_tensors_by_the_table_share_memory():
    a = np.arange(12, dtype="f4").reshape(3, 4)
    part = a[1:, ::2]
    tensor = managed(part)
    own = tensor.contents.tensor
    address = numpy.asarray(a).__array_interface__["data"][0]
    assert own.data + own.byte_offset == address + 16 and (own.device_type, own.device_id) == (1, 0)
    assert own.shape[:own.ndim] == [2, 2] and own.strides[:own.ndim] == [4, 2] and (own.code, own.bits, own.lanes) == (2, 32, 1)
    assert tensor.contents.version.major == 1 and tensor.contents.flags == 0
    back = ctypes.py_object()
    assert table().to_object(tensor, ctypes.byref(back)) == 0
    assert isinstance(back.value, np.ndarray) and back.value.tolist() == [[4, 6], [8, 10]]
    back.value[0, 0] = 99
    a[2, 2] = 77
    assert a[1, 0] == 99 and back.value[1, 1] == 77
    # What is pending is computed, and what nobody may write says so.
    tensor = managed(np.arange(3) * 2)
    assert ctypes.cast(tensor.contents.tensor.data, ctypes.POINTER(ctypes.c_int64))[:3] == [0, 2, 4]
    tensor.contents.deleter(tensor)
    tensor = managed(np.broadcast_to(np.arange(3), (2, 3)))
    assert tensor.contents.flags & 1
    tensor.contents.deleter(tensor)


def test_tensors_are_allocated_by_the_table():
    prototype, out, errors = managed(np.zeros((2, 5), "u2")), ctypes.POINTER(Managed)(), []
    told = SET_ERROR(lambda context, kind, message: errors.append((context, kind, message)))
    assert table().allocate(ctypes.byref(prototype.contents.tensor), ctypes.byref(out), None, told) == 0
    made = ctypes.py_object()
    assert table().to_object(out, ctypes.byref(made)) == 0
    assert made.value.tolist() == [[0] * 5] * 2 and made.value.dtype == "u2"
    for name, value, message in (("lanes", 4, b"one number in an element"), ("bits", 12, b""), ("device_type", 4, b"type 4")):
        wrong = Tensor.from_buffer_copy(prototype.contents.tensor)
        setattr(wrong, name, value)
        assert table().allocate(ctypes.byref(wrong), ctypes.byref(out), 5, told) == -1
        context, kind, text = errors.pop()
        assert context == 5 and kind == b"BufferError" and message in text
    wrong = Tensor.from_buffer_copy(prototype.contents.tensor)
    wrong.shape = (ctypes.c_int64 * 2)(-1, 3)
    assert table().allocate(ctypes.byref(wrong), ctypes.byref(out), None, told) == -1 and not errors[1:]
    prototype.contents.deleter(prototype)


def test_the_table_refuses_what_is_no_array():
    out = ctypes.POINTER(Managed)()
    for wrong in (None, 3, numpy.zeros(3)):
        with pytest.raises(TypeError, match="ndany"):
            table().from_object(wrong, ctypes.byref(out))
    with np.cuda.Device("reference"), pytest.raises(BufferError):
        table().from_object(np.zeros(3), ctypes.byref(out))
    with pytest.raises(BufferError):
        table().to_object(None, ctypes.byref(ctypes.py_object()))


def test_rounds_of_many_threads_by_the_table():
    shared = np.arange(64)

    def exchange():
        back = ctypes.py_object()
        assert table().to_object(managed(shared), ctypes.byref(back)) == 0 and back.value.size == 64

    in_threads(exchange, 1000)
    shared += 1
    assert shared[63] == 64


def test_what_shares_memory_with_numpy_s_arrays_is_known():
    a = np.arange(6.0)
    # Nothing was lent.
    assert not numpy.may_share_memory(a, numpy.arange(6.0)) and not np.shares_memory(a, np.arange(6.0))
    seen = numpy.asarray(a)
    assert numpy.may_share_memory(seen, a) and np.may_share_memory(a, seen)
    assert numpy.shares_memory(seen[:3], a[2:]) and not np.shares_memory(a[:2], seen[2:])
    assert np.shares_memory(a[::2], a[4:]) and not np.shares_memory(a[::2], a[1::2])
    assert np.shares_memory(np.from_dlpack(seen), np.from_dlpack(seen[1:]))
    assert not np.may_share_memory(a, numpy.arange(6.0))


def capsule_of(change=lambda managed: None):
    """A capsule of another producer's tensor, and what its deleter was called with."""
    numbers, shape, calls = (ctypes.c_float * 4)(1, 2, 3, 4), (ctypes.c_int64 * 1)(4), []

    def delete(pointer):
        calls.append(ctypes.addressof(pointer.contents))

    made = Managed()
    made.version.major, made.version.minor, made.deleter = 1, 0, DELETER(delete)
    tensor = made.tensor
    tensor.data, tensor.device_type, tensor.ndim = ctypes.addressof(numbers), 1, 1
    tensor.code, tensor.bits, tensor.lanes = 2, 32, 1
    tensor.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
    change(made)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(made), b"dltensor_versioned", None), calls, (made, numbers, shape)


def test_tensors_of_others_are_let_go_once():
    capsule, calls, alive = capsule_of()
    a = np._core.from_capsule(capsule)
    assert a.tolist() == [1, 2, 3, 4] and not calls
    alive[1][0] = 9
    b = a[1:]
    assert a.tolist()[0] == 9
    with pytest.raises(ValueError, match="consumed"):
        np._core.from_capsule(capsule)
    del a
    assert not calls
    del b
    gc.collect()
    assert calls == [ctypes.addressof(alive[0])]


def changed(**fields):
    def change(managed):
        for name, value in fields.items():
            setattr(managed.tensor if hasattr(managed.tensor, name) else managed.version, name, value)

    return change


@pytest.mark.parametrize("fields", [
    {"major": 2}, {"lanes": 4}, {"bits": 12}, {"code": 3, "bits": 64}, {"device_type": 4}, {"device_type": 2, "device_id": 99}, {"ndim": 99},
], ids=str)
def test_tensors_that_are_refused_are_let_go_once(fields):
    capsule, calls, alive = capsule_of(changed(**fields))
    with pytest.raises(BufferError):
        np._core.from_capsule(capsule)
    gc.collect()
    assert calls == [ctypes.addressof(alive[0])]
    with pytest.raises(ValueError, match="consumed"):
        np._core.from_capsule(capsule)
