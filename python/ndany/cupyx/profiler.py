"""Times of functions, and ranges with names in the profilers of NVIDIA and AMD, as ``cupyx.profiler``."""

import functools
import math
import numbers
import time

import numpy

from .. import _core, cuda
from .._fuse import arrays_in


class _Timings:
    """The times of all runs of a function, in seconds; it prints as CuPy's, in microseconds."""

    def __init__(self, name, cpu_times, gpu_times, devices):
        self.name, self.cpu_times, self.gpu_times, self._devices = name, cpu_times, gpu_times, devices

    @staticmethod
    def _summary(label, times):
        micros = times * 1e6
        text = f"{label}:{micros.mean():9.03f} us"
        if micros.size > 1:
            text += f"   +/-{micros.std():6.03f} (min:{micros.min():9.03f} / max:{micros.max():9.03f}) us"
        return "    " + text

    def to_str(self, show_gpu=False):
        """A line of text, with the times of GPUs if they are asked for."""
        parts = [self._summary("CPU", self.cpu_times)]
        if show_gpu:
            for device, times in zip(self._devices, self.gpu_times):
                if device.name.startswith(("cuda", "hip")):
                    parts.append(self._summary(f"GPU-{device.id}", times))
        return f"{self.name:<20s}:{' '.join(parts)}"

    def __str__(self):
        return self.to_str(show_gpu=True)

    def __repr__(self):
        return f"<times of {self}>"


def _expect(holds, name, kind):
    if not holds:
        raise ValueError(f"`{name}` should be {kind}")


def benchmark(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10, max_duration=math.inf, devices=None):
    """Measures ``func(*args, **kwargs)``, as ``cupyx.profiler.benchmark``.

    The result has ``cpu_times``, seconds of each run on the host, and ``gpu_times``, a row of seconds for each device, between events
    before and after the run; on the CPU's device, where a call returns when its work is done, these are times of the host, too, and
    they are not printed. Arrays that the function returns or is given are computed as part of its run.
    """
    name = getattr(func, "__name__", type(func).__name__) if name is None else name
    devices = (cuda.Device(),) if devices is None else devices
    for holds, which, kind in [
        (callable(func), "func", "a callable object"), (isinstance(args, tuple), "args", "of tuple type"),
        (isinstance(kwargs, dict), "kwargs", "of dict type"), (isinstance(n_repeat, int), "n_repeat", "an integer"),
        (isinstance(name, str), "name", "a string"), (isinstance(n_warmup, int), "n_warmup", "an integer"),
        (isinstance(max_duration, numbers.Real), "max_duration", "given in seconds"),
        (isinstance(devices, tuple), "devices", "of tuple type"), (n_repeat > 0, "n_repeat", "at least one"),
    ]:
        _expect(holds, which, kind)
    devices = tuple(cuda.Device(device) for device in devices)
    given = arrays_in((args, kwargs))

    def run():
        _core.eval_all(given + arrays_in(func(*args, **kwargs)))

    for _ in range(n_warmup):
        run()
    for device in devices:
        device.synchronize()
    cpu_times, gpu_times, total = [], [[] for _ in devices], 0.0
    for _ in range(n_repeat):
        starts = [_event(device) for device in devices]
        begun = time.perf_counter()
        run()
        cpu_times.append(time.perf_counter() - begun)
        ends = [_event(device) for device in devices]
        for times, start, end in zip(gpu_times, starts, ends):
            times.append(cuda.get_elapsed_time(start, end) / 1000)
        total += time.perf_counter() - begun
        if total > max_duration:
            break
    return _Timings(name, numpy.asarray(cpu_times), numpy.asarray(gpu_times).reshape(len(devices), -1), devices)


def _event(device):
    """An event in the current stream of a device."""
    with device:
        event = cuda.Event()
        event.record()
        return event


class time_range:
    """A range with a name in a profiler's picture: a block's, or each call's of a function that it decorates.

    NVIDIA's profilers take it by NVTX, AMD's by rocTX; without a profiler it costs next to nothing. Ranges have no colors here.
    """

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if color_id is not None and argb_color is not None:
            raise ValueError("expected a color_id or an argb_color, got both")
        self.message, self.sync, self._entered = message, sync, []

    def __enter__(self):
        if self.message is None:
            raise ValueError("a block needs a message")
        if self.sync:
            cuda.Device().synchronize()
        entered = _core._Range(self.message)
        entered.__enter__()
        self._entered.append(entered)
        return self

    def __exit__(self, *error):
        if self.sync:
            cuda.Device().synchronize()
        self._entered.pop().__exit__(*error)

    def __call__(self, func):
        message = func.__name__ if self.message is None else self.message

        @functools.wraps(func)
        def inner(*args, **kwargs):
            with time_range(message, sync=self.sync):
                return func(*args, **kwargs)

        return inner


def profile():
    """A block that a profiler is to show: a range named ``cupyx.profiler.profile``, with the device idle before and after it.

    CuPy's switches the profiler on and off; here the profiler is told the range, as by
    ``nsys profile -c nvtx -p cupyx.profiler.profile -e NSYS_NVTX_PROFILER_REGISTER_ONLY=0``.
    """
    return time_range("cupyx.profiler.profile", sync=True)
