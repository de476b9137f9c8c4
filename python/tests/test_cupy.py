"""What only CuPy has: functions as one kernel, and times of functions."""

import ndany.cupy as cp
import numpy
import pytest
from ndany import _core, cupyx
from ndany.cupyx.profiler import benchmark, profile, time_range


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


def test_a_benchmark_has_times_and_prints_them():
    runs = []

    def work(x, *, by=1):
        runs.append(by)
        return cp.sqrt(x) * by, {"sum": x.sum()}

    times = benchmark(work, (cp.arange(1000.0),), {"by": 3}, n_repeat=7, n_warmup=2)
    assert runs == [3] * 9 and times.name == "work"
    assert times.cpu_times.shape == (7,) and times.gpu_times.shape == (1, 7)
    assert (times.cpu_times > 0).all() and (times.gpu_times > 0).all()
    text = str(times)
    assert text.startswith("work                :    CPU:") and " us   +/-" in text and "(min:" in text and "/ max:" in text
    on_gpu = cp.cuda.is_available()
    assert ("GPU-0:" in text) == on_gpu and "GPU" not in times.to_str()
    once = benchmark(work, (cp.arange(3.0),), n_repeat=1, n_warmup=0, name="once")
    assert "+/-" not in str(once) and str(once).startswith("once")
    limited = benchmark(work, (cp.arange(3.0),), max_duration=0.0, n_repeat=50)
    assert limited.cpu_times.size == 1
    both = benchmark(work, (cp.arange(3.0),), n_repeat=3, devices=(0, cp.cuda.Device("cpu")))
    assert both.gpu_times.shape == (2, 3)
    for wrong in ({"func": 3}, {"args": [1]}, {"kwargs": 1}, {"n_repeat": 1.5}, {"n_repeat": 0}, {"devices": 0}, {"name": 1},
                  {"n_warmup": "a"}, {"max_duration": "long"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            benchmark(**{"func": work, "args": (cp.arange(3.0),), **wrong})


def test_a_benchmark_computes_what_is_pending():
    def lazily(x):
        x += 1

    x = cp.zeros(10)
    before = _core.launches()[0]
    benchmark(lazily, (x,), n_repeat=5, n_warmup=0)
    assert _core.launches()[0] - before >= 5 and x.tolist() == [5] * 10


def test_ranges_nest_and_decorate():
    @time_range()
    def inner_range(x):
        with time_range("block", color_id=2, sync=True), time_range("inside", argb_color=0xFF00FF00):
            return x + 1

    with profile():
        assert inner_range(cp.asarray([1])).tolist() == [2]
    assert inner_range.__name__ == "inner_range"
    with pytest.raises(ValueError), time_range():
        pass
    with pytest.raises(ValueError):
        time_range("both", color_id=1, argb_color=1)
    with pytest.raises(ZeroDivisionError), time_range("fails"):
        1 / 0


def test_scatters():
    a = cp.asarray([1.0, 2.0, 3.0])
    cupyx.scatter_add(a, [0, 0], 5)
    cupyx.scatter_max(a, [1, 1], cp.asarray([7, 4]))
    cupyx.scatter_min(a, [2], 1)
    assert a.tolist() == [11, 7, 1] and cupyx.rsqrt(cp.asarray([4.0])).tolist() == [0.5]


def test_allocators():
    cuda = cp.cuda
    managed = cuda.MemoryPool(cuda.malloc_managed)
    assert cuda.get_allocator()(64).mem.size >= 64
    for allocator in (cuda.malloc_managed, managed.malloc, cuda.MemoryPool().malloc, None):
        with cuda.using_allocator(allocator):
            a = cp.arange(1000.0) * 2
            a.sum()
            with pytest.raises(ValueError, match="using_allocator"):
                cuda.set_allocator(None)
        cuda.set_allocator(allocator)
        try:
            assert cuda.get_allocator() == (allocator or cuda.get_allocator())
            b = a + 1
            assert b.sum().item() == 1000.0 * 999 + 1000
        finally:
            cuda.set_allocator(None)
        assert a[3].item() == 6 and b[3].item() == 7
    assert cuda.malloc_managed(100).mem.size >= 100 and cuda.alloc(10).mem.size >= 10
    for wrong in (lambda size: None, len, 3):
        with pytest.raises(TypeError, match="malloc_managed"):
            cuda.set_allocator(wrong)
    with pytest.raises(NotImplementedError):
        managed.used_bytes()


def test_a_pool_gives_back_what_is_unused():
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.used_bytes()
    a = cp.asarray(numpy.arange(100_000.0))
    a._eval()
    held = pool.used_bytes()
    # Nothing is counted on the CPU.
    assert held == 0 if _core.current_device() == "cpu" else held >= before + a.nbytes
    assert held <= pool.total_bytes()
    del a
    cp.cuda.Device().synchronize()
    pool.free_all_blocks()
    assert pool.used_bytes() <= before
    pinned = cp.get_default_pinned_memory_pool()
    pinned.free_all_blocks()
    assert pinned.n_free_blocks() == 0


@pytest.mark.skipif(cp.cuda.is_available(), reason="the CPU has no limit")
def test_the_cpu_refuses_a_limit():
    with pytest.raises(NotImplementedError):
        cp.get_default_memory_pool().set_limit(size=2**30)


def test_limits_are_checked():
    pool = cp.get_default_memory_pool()
    for wrong in ({}, {"size": 1, "fraction": 0.5}, {"size": -1}, {"fraction": 2}):
        with pytest.raises(ValueError, match="set_limit"):
            pool.set_limit(**wrong)
    assert pool.get_limit() == 0


def test_memory_of_the_host():
    memory = cp.cuda.alloc_pinned_memory(80)
    array = numpy.frombuffer(memory, numpy.float64, 10)
    array[:] = numpy.arange(10)
    assert memory.size == 80 and cp.asarray(array).tolist() == list(range(10))
    made = cupyx.zeros_pinned((2, 3), "f4")
    assert made.tolist() == cupyx.zeros_like_pinned(made).tolist() and made.dtype == "f4"
    assert cupyx.empty_pinned(3).shape == (3,) and cupyx.empty_like_pinned(made).shape == (2, 3)


def test_states_of_cupyx():
    with cupyx.allow_synchronize(False), cupyx.errstate(linalg="raise"):
        assert cp.arange(3).sum().item() == 3 and cupyx.geterr()["linalg"] == "raise"
    with pytest.raises(NotImplementedError, match="linalg"):
        cupyx.seterr(linalg="ignore")


def test_what_the_runtime_tells():
    runtime = cp.cuda.runtime
    assert runtime.getDevice() == cp.cuda.get_device_id() == cp.cuda.Device().id == 0
    free, total = runtime.memGetInfo()
    assert 0 < free <= total and runtime.getDeviceProperties(0)["name"]
    runtime.deviceSynchronize()
    runtime.streamSynchronize(0)
    cp.cuda.nvtx.RangePush("outer")
    cp.cuda.nvtx.RangePushC("inner", 3)
    for _ in range(3):
        cp.cuda.nvtx.RangePop()
    assert cp.cuda.stream.get_current_stream() == cp.cuda.get_current_stream() and cp.cuda.memory.alloc is cp.cuda.alloc


def test_modules_of_scipy():
    import scipy

    from ndany.cupyx.scipy import fft, linalg, sparse, special, stats
    from ndany.cupyx.scipy.sparse import csgraph, linalg as solvers

    x = cp.asarray([1.0, 2.0, 5.0])
    assert cupyx.scipy.get_array_module(x) is cupyx.scipy and cupyx.scipy.get_array_module(x.get()) is scipy
    numpy.testing.assert_allclose(special.gammaln(x).get(), numpy.log([1.0, 1.0, 24.0]), atol=1e-15)
    numpy.testing.assert_allclose(fft.ifft(fft.fft(x)).get(), x.get(), atol=1e-15)
    numpy.testing.assert_allclose(linalg.expm(cp.diag(x)).get(), numpy.diag(numpy.exp(x.get())))
    numpy.testing.assert_allclose(stats.norm.cdf(cp.zeros(1)).get(), 0.5)
    a = sparse.diags_array([x], offsets=[0], format="csr")
    assert cupyx.scipy.get_array_module(a) is cupyx.scipy
    numpy.testing.assert_allclose(solvers.spsolve(a, x).get(), 1)
    assert csgraph.connected_components(a)[0] == 3


def test_arrays_over_a_pointer():
    memory = numpy.arange(12.0)
    mem = cp.cuda.UnownedMemory(memory.ctypes.data, memory.nbytes, memory)
    if cp.cuda.is_available():
        mem = cp.cuda.alloc(96).mem
        cp.ndarray(12, float, cp.cuda.MemoryPointer(mem, 0))[...] = cp.asarray(memory)
    pointer = cp.cuda.MemoryPointer(mem, 16)
    assert int(pointer) == mem.ptr + 16 == (pointer + 8 - 8).ptr and pointer.device == cp.cuda.Device()
    a = cp.ndarray((2, 3), cp.float64, pointer)
    assert a.tolist() == [[2, 3, 4], [5, 6, 7]]
    assert cp.ndarray((2, 3), cp.float64, memptr=pointer, order="F").tolist() == [[2, 4, 6], [3, 5, 7]]
    assert cp.ndarray((3,), cp.float64, pointer, strides=(-8,)).tolist() == [2, 1, 0]
    a[1] = -1
    assert cp.ndarray(12, float, cp.cuda.MemoryPointer(mem, 0))[5:8].tolist() == [-1, -1, -1]
    for shape, offset in (((11,), 0), ((3,), 72), ((2,), -24)):
        with pytest.raises(ValueError, match="fit"):
            cp.ndarray(shape, float, pointer + offset)
    assert cp.ndarray((0, 5), float, pointer).shape == (0, 5)


def test_functions_keep_results():
    calls = []

    @cp.memoize(for_each_device=True)
    def made(x, y=1):
        calls.append(x)
        return x + y

    assert made(1) == made(1) == 2 and made(1, y=3) == 4 and calls == [1, 1]
    cp.clear_memo()
    assert made(1) == 2 and len(calls) == 3


def test_methods_of_cupy():
    a = cp.zeros(3)
    a.scatter_add([0, 0, 2], 1)
    a.scatter_max([1], 7)
    a.scatter_min([0], 1)
    assert a.tolist() == [1, 7, 1]
    assert cp.fromDlpack(a.toDlpack()).tolist() == a.tolist() and cp.is_available() == cp.cuda.is_available()


def test_devices_of_arrays_are_names_with_numbers():
    x = cp.arange(3)
    assert x.device == str(x.device) == cp.cuda.Device().name and isinstance(x.device, str)
    assert x.device.id == cp.cuda.Device(x.device).id == int(x.device)
    before = cp.cuda.Device()
    with x.device as entered, x.device:
        assert cp.cuda.Device() == x.device == entered
    assert cp.cuda.Device() == before
    x.device.synchronize()
    with pytest.raises(RuntimeError):
        x.device.__exit__()
    import pickle

    assert cp.sparse.csr_array((3, 3)).device is x.device
    assert pickle.loads(pickle.dumps(x.device)).id == x.device.id


def test_random_numbers_of_a_dtype():
    draws = {
        "rand": (3,), "randn": (3,), "random_sample": (3,), "normal": (0, 1, 3), "uniform": (0, 1, 3), "exponential": (1, 3),
        "poisson": (4, 3), "standard_normal": (3,), "random": (3,), "standard_gamma": (2, 3), "lognormal": (0, 1, 3),
    }
    for name, args in draws.items():
        draw = getattr(cp.random, name)
        cp.random.seed(7)
        plain = draw(*args)
        cp.random.seed(7)
        single = draw(*args, dtype=cp.float32)
        assert single.dtype == "float32" and plain.dtype != "float32" and single.shape == plain.shape == (3,), name
    cp.random.seed(7)
    by_place = cp.random.uniform(0, 1, 3, cp.float32)
    cp.random.seed(7)
    numpy.testing.assert_allclose(cp.asnumpy(by_place), cp.asnumpy(cp.random.uniform(0, 1, 3)), rtol=1e-6)
    # NumPy's functions take none, and the generator is one.
    with pytest.raises(TypeError):
        __import__("ndany").random.normal(0, 1, 3, dtype=cp.float32)
    assert cp.random.Generator is __import__("ndany").random.Generator
    assert cp.random.rand.__doc__ and cp.random.default_rng(3).random(2).tolist() == __import__("ndany").random.default_rng(3).random(2).tolist()


def test_allocators_that_the_engine_s_pool_stands_for():
    pool = cp.cuda.MemoryAsyncPool()
    for allocator in (pool.malloc, cp.cuda.malloc_async, cp.cuda.MemoryPool().malloc, None):
        cp.cuda.set_allocator(allocator)
        assert cp.zeros(3).sum().item() == 0
    cp.cuda.set_pinned_memory_allocator(cp.cuda.PinnedMemoryPool().malloc)
    cp.cuda.set_pinned_memory_allocator()
    with pytest.raises(TypeError):
        cp.cuda.set_pinned_memory_allocator(3)
    assert pool.used_bytes() >= 0


def test_errors_have_cupy_s_names():
    with pytest.raises(cp.cuda.memory.OutOfMemoryError):
        cp.sqrt(cp.broadcast_to(cp.ones(1), (2**52,))).get()
    assert issubclass(cp.cuda.runtime.CUDARuntimeError, Exception)


def test_streams_call_back_and_ranges_mark():
    called = []
    stream = cp.cuda.Stream()
    stream.add_callback(lambda *given: called.append(given), "given")
    stream.synchronize()
    assert called == [(stream, 0, "given")]
    cp.cuda.nvtx.Mark("here")
    cp.cuda.nvtx.MarkC("here", 3)


def test_versions_of_the_driver():
    gpus = [name for name in cp.devices() if name.startswith(("cuda", "hip"))]
    if not gpus:
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
            cp.cuda.runtime.driverGetVersion()
        return
    with cp.cuda.Device(0):
        assert cp.cuda.runtime.driverGetVersion() >= (12000 if gpus[0].startswith("cuda") else 5_00_00000)
        assert cp.cuda.runtime.runtimeGetVersion() <= cp.cuda.runtime.driverGetVersion()


def test_raw_kernels_are_compiled_when_asked_to():
    kernel = cp.RawKernel('extern "C" __global__ void one(float* x) { x[0] = 1; }', "one")
    module = cp.RawModule(code='extern "C" __global__ void one(float* x) { x[0] = 1; }')
    if not cp.is_available():
        for compiled in (kernel, module):
            with pytest.raises(NotImplementedError, match="GPU"):
                compiled.compile()
        return
    with cp.cuda.Device(0):
        kernel.compile()
        module.compile()
        x = cp.zeros(2, "f4")
        kernel((1,), (1,), (x,), stream=cp.cuda.Stream())
        assert x.tolist() == [1, 0]
