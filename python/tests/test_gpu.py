"""Arrays on a GPU: memory stays there, is shared there, and comes to the host where it is asked for."""

import os
import subprocess
import sys

import ndany as np
import numpy
import pytest

GPUS = [name for name in np.devices() if name.partition(":")[0] in ("cuda", "hip")]
pytestmark = pytest.mark.skipif(not GPUS, reason="no GPU here")


@pytest.fixture(params=GPUS[:2])
def gpu(request):
    with np.cuda.Device(request.param):
        yield request.param


def test_arrays_stay_on_their_device(gpu):
    a = np.arange(6.0).reshape(2, 3)
    assert a.device == (a.T @ a).device == np.sin(a).device == gpu
    assert a.to_device("cpu").device == "cpu" and np.asarray([1], device="cpu").device == "cpu"
    with pytest.raises(TypeError, match="get"):
        numpy.asarray(a)
    with pytest.raises((AttributeError, BufferError, TypeError)):
        memoryview(a)
    with pytest.raises(ValueError):
        a + np.zeros(3, device="cpu")
    numpy.testing.assert_array_equal(a.get(), np.asnumpy(a))


def test_views_alias(gpu):
    a = np.arange(12).reshape(3, 4)
    b = a[1:, ::2]
    b += 100
    a.T[0] = -1
    a[[0, 2], 3] = 7
    assert a.tolist() == [[-1, 1, 2, 7], [-1, 5, 106, 7], [-1, 9, 110, 7]]


def test_exchange(gpu):
    a = np.arange(4.0)
    b = np.from_dlpack(a)
    b[0] = 9
    a[1] = 8
    assert a.tolist() == b.tolist() == [9, 8, 2, 3]
    plain = numpy.from_dlpack(a, device="cpu")
    assert plain.tolist() == [9, 8, 2, 3]
    with pytest.raises(BufferError):
        a.__dlpack__(dl_device=(1, 0), copy=False)
    kind, number = a.__dlpack_device__()
    assert kind == (2 if gpu.startswith("cuda") else 10) and number == int(gpu.partition(":")[2])
    if kind == 2:
        interface = a.__cuda_array_interface__

        class Foreign:
            __cuda_array_interface__ = interface

        shared = np.asarray(Foreign())
        shared[2] = 5
        assert a[2] == 5 and shared.device == gpu
        assert interface["version"] == 3 and interface["shape"] == (4,) and interface["typestr"] == "<f8"


def test_managed_memory_is_lent_to_the_cpu(gpu):
    program = f"""
import numpy, ndany as np
a = np.arange(6.0).reshape(2, 3) * 2
plain = numpy.from_dlpack(a[:, 1:], device="cpu", copy=False)
assert a.device == "{gpu}" and plain.tolist() == [[2, 4], [8, 10]], plain
plain[0, 0] = 50
assert a[0].tolist() == [0, 50, 4]
a[1, 2] = -1
np.cuda.Device("{gpu}").synchronize()
assert plain[1, 1] == -1
assert not numpy.shares_memory(numpy.from_dlpack(a, device="cpu", copy=True)[:, 1:], plain)
"""
    variables = dict(os.environ, NDANY_POOL="managed", NDANY_DEVICE=gpu)
    subprocess.run([sys.executable, "-P", "-c", program], env=variables, check=True, timeout=300)


def test_errors_come_with_the_value(gpu):
    with pytest.raises(IndexError):
        np.take(np.arange(3), np.asarray([5])).get()
    with pytest.raises(ValueError):
        (np.asarray([1, 2]) ** np.asarray([-1, 1])).get()


def raised(array):
    """The text of the error that reading an array raises."""
    with pytest.raises((IndexError, ValueError)) as caught:
        array.get()
    return str(caught.value)


def test_errors_name_the_line_that_made_them(gpu):
    import inspect

    def here():
        return f"asked for at {__file__}:{inspect.currentframe().f_back.f_lineno}"

    three, far = np.arange(3), np.asarray([5])
    taken, line = np.take(three, far), here()
    assert line in raised(taken) and line in raised(taken + 1) and line in raised(np.sqrt(taken[::-1]))
    power, line = np.asarray([1, 2]) ** np.asarray([-1, 1]), here()
    assert line in raised(power) and line in raised(power.sum())
    part, line = three[far], here()
    assert line in raised(part * 2)
    method, line = three.take(far), here()
    assert line in raised(method)
    # NumPy's functions pass through this package and NumPy's; the line is the caller's.
    theirs, line = numpy.take(three, far), here()
    assert line in raised(theirs)

    def function(index):
        return three[index]

    inside = function(far)
    assert f"{__file__}:{function.__code__.co_firstlineno + 1})" in raised(inside)
    # The line is said once where the traceback shows it.
    with pytest.raises(IndexError) as caught:
        np.take(three, far).get()
    assert "asked for" not in str(caught.value)


def test_copies_keep_the_device(gpu):
    import copy
    import pickle

    a = np.arange(3)
    for other in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        assert other.device == gpu and other.tolist() == [0, 1, 2]


def test_streams_and_events(gpu):
    stream, other = np.cuda.Stream(), np.cuda.Stream(priority=-1)
    assert np.cuda.get_current_stream() is np.cuda.Stream.null and np.cuda.Stream.null.ptr == 0
    assert stream.ptr and stream.ptr != other.ptr and stream.device == gpu
    start, end = np.cuda.Event(), np.cuda.Event()
    with stream:
        assert np.cuda.get_current_stream() is stream
        start.record()
        a = np.arange(1000.0) + 1
        a._eval()
        with other:
            assert np.cuda.get_current_stream() is other
            b = a * 2
            b._eval()
        assert np.cuda.get_current_stream() is stream
        with np.cuda.Stream.null:
            assert np.cuda.get_current_stream() is np.cuda.Stream.null
            (b + 1)._eval()
        assert np.cuda.get_current_stream() is stream
        end.record()
    assert np.cuda.get_current_stream() is np.cuda.Stream.null
    other.wait_event(end)
    end.synchronize()
    assert end.done and np.cuda.get_elapsed_time(start, end) >= 0
    assert float(b.sum()) == 1001000.0
    calls = []
    stream.launch_host_func(calls.append, 7)
    stream.synchronize()
    assert calls == [7] and stream.done
    stream.use()
    other.use()
    assert np.cuda.get_current_stream() is other
    with stream:
        pass
    assert np.cuda.get_current_stream() is other
    np.cuda.Stream.null.use()
    assert np.cuda.get_current_stream() is np.cuda.Stream.null
    event = np.cuda.Stream.null.record()
    event.synchronize()
    with pytest.raises(ValueError):
        np.cuda.get_elapsed_time(np.cuda.Event(), event)


def test_addresses(gpu):
    a = np.arange(12.0).reshape(3, 4)
    pointer, part = a.data, a[1:, 2:].data
    assert pointer.ptr == pointer.mem.ptr == int(pointer) and part.ptr == pointer.ptr + 48 and part.mem.ptr == pointer.ptr
    assert pointer.mem.size == 96 and pointer.device == gpu and pointer.device_id == np.cuda.Device(gpu).id
    if gpu.startswith("cuda"):
        assert a.__cuda_array_interface__["data"][0] == pointer.ptr


def test_sparse_arrays(gpu):
    from ndany import sparse
    from ndany.sparse import csgraph, linalg

    values = numpy.diag(numpy.full(50, 4.0)) + numpy.diag(numpy.full(49, -1.0), 1) + numpy.diag(numpy.full(49, -1.0), -1)
    a, b = sparse.csr_array(values), numpy.linspace(0, 1, 50)
    assert a.device == gpu and a.data.device == gpu
    with np.cuda.Device("cpu"):
        there = sparse.csr_array(values)
        bits = (there @ b).tobytes(), (there @ there).tobsr((5, 5)).data.tobytes()
    assert ((a @ b).tobytes(), (a @ a).tobsr((5, 5)).data.tobytes()) == bits
    x, info = linalg.cg(a, b, M=linalg.ic0(a), rtol=1e-12)
    assert info == 0 and x.device == gpu
    numpy.testing.assert_allclose(x.get(), numpy.linalg.solve(values, b), rtol=1e-10)
    operator = linalg.LinearOperator(a.shape, lambda v: a @ v, dtype=float)
    assert linalg.gmres(operator, np.asarray(b), rtol=1e-12)[1] == 0
    a[3, 4] = 7
    a.data[0] = 9
    assert float(a[3, 4]) == 7 and float(a[0, 0]) == 9
    assert csgraph.connected_components(a)[0] == 1
    assert a.to_device("cpu").device.startswith("cpu")


SCALE = r"""
extern "C" __global__ void scale(float* x, const float* y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += a * y[i];
}
__constant__ double coefficients[2];
template <typename T> __global__ void line(T* x, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = coefficients[0] + coefficients[1] * x[i];
}
"""


def test_raw_kernels(gpu):
    import ndany.cupy as cp

    x, y = np.arange(10, dtype="float32"), np.ones(10, dtype="float32")
    kernel = cp.RawKernel(SCALE, "scale")
    kernel((1,), (32,), (x, y, 2.5, 10))
    numpy.testing.assert_array_equal(x.get(), numpy.arange(10, dtype="f4") + 2.5)
    # A view: its part alone is written.
    kernel(1, 32, (x[2:5], y[:3], numpy.float32(1), numpy.int32(3)))
    expected = numpy.arange(10, dtype="f4") + 2.5
    expected[2:5] += 1
    numpy.testing.assert_array_equal(x.get(), expected)
    # What is pending is computed first, and other handles keep their value.
    pending = y * 3
    before = pending.copy()
    kernel((1, 1, 1), (16, 1, 1), (pending, y, 1.0, 10))
    assert before.tolist() == [3] * 10 and pending.tolist() == [4] * 10
    # Memory that another array shares is written in place.
    shared = np.from_dlpack(y)
    kernel(1, 16, (y, x, 0.0, 10))
    kernel(1, 16, (y, before, 1.0, 10))
    assert y.tolist() == shared.tolist() == [4] * 10
    assert kernel.max_threads_per_block >= 32 and set(kernel.attributes) >= {"num_regs", "local_size_bytes"}


def test_raw_modules(gpu):
    import ndany.cupy as cp

    module = cp.RawModule(code=SCALE, name_expressions=["line<double>"])
    module.write("coefficients", numpy.array([1.0, 10.0]))
    assert module.read("coefficients", "float64").tolist() == [1, 10]
    x = np.arange(3.0)
    module.get_function("line<double>")((1,), (8,), (x, 3))
    assert x.tolist() == [1, 11, 21]
    with pytest.raises((ValueError, TypeError), match="name_expression"):
        module.get_function("line<float>")((1,), (8,), (x, 3))
    with pytest.raises((ValueError, TypeError), match="8 bytes|16 bytes"):
        module.write("coefficients", numpy.array([1.0]))


def test_raw_kernels_refuse(gpu):
    import ndany.cupy as cp

    kernel = cp.RawKernel(SCALE, "scale")
    x = np.arange(12, dtype="float32")
    for arguments, message in [
        ((x, x, 1.0, 12), "share memory"),
        ((x[:4], x[2:6], 1.0, 4), "share memory"),
        ((x.reshape(3, 4).T, np.ones(12, "float32"), 1.0, 12), "C order"),
        ((x, "text", 1.0, 12), "arrays and numbers"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            kernel((1,), (32,), arguments)
    with pytest.raises((ValueError, RuntimeError), match="threads"):
        kernel((1,), (1 << 20,), (x, np.ones(12, "float32"), 1.0, 12))
    with pytest.raises(ValueError, match="one to three"):
        kernel((1, 1, 1, 1), (32,), (x, np.ones(12, "float32"), 1.0, 12))
    with pytest.raises((ValueError, TypeError), match="nowhere"):
        cp.RawKernel('extern "C" __global__ void wrong(float* x) { x[0] = nowhere; }', "wrong")((1,), (1,), (x,))
    assert x.tolist() == list(range(12))
    with pytest.raises(TypeError):
        cp.RawModule()


def test_the_table_of_c_functions(gpu):
    import ctypes

    import test_exchange

    table, a, stream = test_exchange.table(), np.arange(6.0) + 1, np.cuda.Stream()
    tensor = test_exchange.managed(a)
    kind = tensor.contents.tensor.device_type
    assert (kind, tensor.contents.tensor.device_id) == a.__dlpack_device__() and tensor.contents.tensor.data == a.data.ptr
    handle, back = ctypes.c_void_p(), ctypes.py_object()
    with stream:
        assert table.current_stream(kind, 0, ctypes.byref(handle)) == 0 and handle.value == stream.ptr
        assert table.to_object(tensor, ctypes.byref(back)) == 0
    assert table.current_stream(kind, 0, ctypes.byref(handle)) == 0 and not handle.value
    back.value[0] = 50
    assert a.tolist() == [50, 2, 3, 4, 5, 6] and back.value.device == gpu


def test_managed_memory(gpu):
    pool = np.cuda.MemoryPool()
    before = pool.used_bytes()
    with np.cuda.using_allocator(np.cuda.malloc_managed):
        a = np.zeros(1 << 18, dtype="f4") + 3
        a._eval()
        # The device's pool does not know of it.
        assert pool.used_bytes() - before < a.nbytes
        with np.cuda.using_allocator(None):
            b = a * 2
            b._eval()
            assert pool.used_bytes() - before >= b.nbytes
    assert a.data.ptr and b.sum().item() == 6 << 18
    c = a + b
    c._eval()
    assert pool.used_bytes() - before >= b.nbytes + c.nbytes and c[5].item() == 9


def test_limits_of_memory(gpu):
    pool = np.cuda.MemoryPool()
    pool.free_all_blocks()
    before = pool.total_bytes()
    a = np.zeros(1 << 20) + 1
    a._eval()
    assert pool.used_bytes() >= 8 << 20 and np.cuda.Device().mem_info[0] > 0
    pool.set_limit(size=pool.total_bytes())
    try:
        assert pool.get_limit() == pool.total_bytes()
        # More than the pool has left.
        size = pool.free_bytes() // 8 + (1 << 20)
        with pytest.raises(MemoryError):
            (np.zeros(size) + a[0])._eval()
    finally:
        pool.set_limit(size=0)
    assert pool.get_limit() == 0 and (np.zeros(size) + a[0]).sum().item() == size
    del a
    np.cuda.Device().synchronize()
    pool.free_all_blocks()
    assert pool.total_bytes() <= max(before, 1 << 22)


def test_what_the_driver_tells(gpu):
    device = np.cuda.Device()
    found = device.attributes
    assert found["WarpSize"] in (32, 64) and found["MultiProcessorCount"] > 0
    if gpu.startswith("cuda"):
        assert device.compute_capability == f"{found['ComputeCapabilityMajor']}{found['ComputeCapabilityMinor']}"
    assert device.pci_bus_id.count(":") == 2
    properties = np.cuda.runtime.getDeviceProperties(gpu)
    assert properties["warpSize"] == found["WarpSize"] and isinstance(properties["name"], bytes)
