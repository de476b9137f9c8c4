"""Devices, streams' defaults and memory, as ``cupy.cuda``: on NVIDIA's and AMD's devices, and on the CPU where a program has no GPU."""

import time as _time

from . import _core


def _gpus():
    return [name for name in _core.devices() if name.partition(":")[0] in ("cuda", "hip")]


def is_available():
    """Whether there is a GPU."""
    return bool(_gpus())


class Device:
    """A device, by its number among the GPUs or by its name; ``with`` makes it current."""

    def __init__(self, device=None):
        if device is None:
            self.name = _core.current_device()
        elif isinstance(device, (str, Device)):
            self.name = str(device)
        else:
            gpus = _gpus()
            if not gpus and device == 0:
                self.name = _core.current_device()
            elif not 0 <= device < len(gpus):
                raise ValueError(f"no device {device}: there are {len(gpus)} GPUs")
            else:
                self.name = gpus[device]
        self._entered = []

    @property
    def id(self):
        return int(self.name.partition(":")[2] or 0) if self.name in _gpus() else 0

    def __enter__(self):
        entered = _core._Entered(self.name)
        entered.__enter__()
        self._entered.append(entered)
        return self

    def __exit__(self, *error):
        self._entered.pop().__exit__(*error)

    use = __enter__

    def synchronize(self):
        """Waits for all work of the device."""
        _core.synchronize(self.name)

    @property
    def mem_info(self):
        """Bytes of the pool that are unused, and all of its bytes."""
        live, cached = _core.memory(self.name)
        return cached, live + cached

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"<Device {self.name}: {_core.describe(self.name)}>"

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(self.name)

    def __int__(self):
        return self.id


class Stream:
    """A place in the order of a device's work. Arrays order their own work, so all streams of Python are the device's default one."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.device = Device()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    use = __enter__
    ptr = 0

    def synchronize(self):
        """Waits for all work of the device."""
        self.device.synchronize()

    def record(self, event=None):
        """An event after the work until now."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        """Work from here on comes after the event, as all work of one stream does."""

    @property
    def done(self):
        self.synchronize()
        return True


Stream.null = property(lambda self: Stream())
ExternalStream = Stream


def get_current_stream(device_id=None):
    """The stream of the current device."""
    return Stream()


class Event:
    """A moment of a device's work, by the host's clock after the work is done."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.time = None

    def record(self, stream=None):
        """Waits for the work until now, and notes the time."""
        (stream or Stream()).synchronize()
        self.time = _time.perf_counter()

    def synchronize(self):
        """The work is done when the event is recorded."""

    @property
    def done(self):
        return True


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events."""
    return 1000 * (end_event.time - start_event.time)


def _figures():
    try:
        return _core.memory(_core.current_device())
    except NotImplementedError:
        # The CPU keeps no memory for later.
        return 0, 0


class MemoryPool:
    """The pool of the current device."""

    def used_bytes(self):
        return _figures()[0]

    def free_bytes(self):
        return _figures()[1]

    def total_bytes(self):
        return sum(_figures())

    def free_all_blocks(self, stream=None):
        try:
            _core.free_memory(_core.current_device())
        except NotImplementedError:
            # The CPU keeps no memory for later.
            pass


PinnedMemoryPool = MemoryPool


class runtime:
    """What programs ask the runtime of CUDA for."""

    is_hip = bool([name for name in _core.devices() if name.startswith("hip")])

    @staticmethod
    def getDeviceCount():
        return len(_gpus())

    @staticmethod
    def deviceSynchronize():
        Device().synchronize()
