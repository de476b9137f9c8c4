"""Devices, streams, events and memory, as ``cupy.cuda``: on NVIDIA's and AMD's devices, and on the CPU where a program has no GPU."""

import threading as _threading

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
        _sources.apply()
        return self

    def __exit__(self, *error):
        self._entered.pop().__exit__(*error)
        _sources.apply()

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


class _Sources(_threading.local):
    """Where a thread's memory comes from: what `set_allocator` has set, and what it has entered by `using_allocator`."""

    def __init__(self):
        # The devices whose memory is managed now.
        self.own, self.entered, self.managed = None, [], {}

    @property
    def current(self):
        return self.entered[-1] if self.entered else self.own

    def apply(self):
        """Tells the current device; others are told when they become current."""
        is_managed = _is_managed(self.current)
        if not is_managed and not self.managed:
            return
        name = _core.current_device()
        if is_managed and name not in self.managed:
            self.managed[name] = _core._Managed(name)
        elif not is_managed and name in self.managed:
            self.managed.pop(name).close()


_sources = _Sources()


class _Current(_threading.local):
    """The streams that a thread has entered, the last one on top."""

    def __init__(self):
        self.entered = []


_current = _Current()


class _Default:
    """The default stream as the current one: those that are entered on its device are left meanwhile."""

    def __init__(self, device):
        self.left = [one for one in _current.entered if one.own and one.stream.device == device]
        for one in reversed(self.left):
            one.own.leave()
            one.own = None

    def leave(self):
        for one in self.left:
            one.own = _core._EnteredStream(one.stream._own)


class _Entry:
    """A stream that a thread has entered, by a block or by `use`."""

    def __init__(self, stream, is_used):
        self.stream, self.is_used, self.device = stream, is_used, stream.device.name
        self.own = _core._EnteredStream(stream._own) if stream._own else None
        self.default = None if stream._own else _Default(stream.device)

    def leave(self):
        (self.own or self.default).leave()


def _leave(count):
    """Leaves streams until `count` are entered."""
    while len(_current.entered) > count:
        _current.entered.pop().leave()


class Stream:
    """A queue of a device's work. Arrays order their own work, also between streams; what is evaluated in a block ``with stream:`` is
    in the stream. `Stream.null` is the device's default one. On the CPU a stream changes nothing."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self._device = self._own = None
        if not (null or ptds):
            self._device = Device()
            self._own = _core._Stream(self._device.name, 0 if priority is None else priority)

    @property
    def device(self):
        return self._device or Device()

    @property
    def device_id(self):
        return self.device.id

    @property
    def ptr(self):
        """The driver's handle; 0 of the default stream."""
        return self._own.ptr if self._own else 0

    def __enter__(self):
        _current.entered.append(_Entry(self, False))
        return self

    def __exit__(self, *error):
        own = [at for at, one in enumerate(_current.entered) if one.stream is self and not one.is_used]
        if own:
            _leave(own[-1])

    def use(self):
        """Makes this the thread's current stream until another one is used."""
        if _current.entered and _current.entered[-1].is_used:
            _leave(len(_current.entered) - 1)
        _current.entered.append(_Entry(self, True))
        return self

    def synchronize(self):
        """Waits for all work of the stream; of the default one for all work of the device."""
        self._own.synchronize() if self._own else self.device.synchronize()

    def record(self, event=None):
        """An event after the work until now."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        """Work from here on comes after the event."""
        if event._own is None:
            return
        self._own.wait(event._own) if self._own else event.synchronize()

    def launch_host_func(self, callback, arg):
        """Calls ``callback(arg)`` on a thread of the driver when the work until now is done; it must not use arrays."""
        if self._own:
            self._own.then(callback, arg)
        else:
            self.synchronize()
            callback(arg)

    @property
    def done(self):
        """Whether the stream has no work left; of the default one it is waited for."""
        if self._own:
            return self._own.is_idle()
        self.synchronize()
        return True

    def __eq__(self, other):
        return isinstance(other, Stream) and (self is other or self.ptr == other.ptr and self.device == other.device)

    def __hash__(self):
        return hash((self.ptr, self.device))

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr} of {self.device}>"


class ExternalStream(Stream):
    """The stream of another library by the driver's handle, which lives as long as this object."""

    def __init__(self, ptr, device_id=-1):
        self._device = Device() if device_id == -1 else Device(device_id)
        self._own = _core._Stream.external(self._device.name, ptr)


Stream.null = Stream(null=True)


def get_current_stream(device_id=None):
    """The thread's current stream, that of the device's default work if none is entered."""
    name = _core.current_device() if device_id is None else Device(device_id).name
    for entry in reversed(_current.entered):
        if entry.device == name:
            return entry.stream
    return Stream.null


def _current_handle(name):
    """The driver's handle of the thread's current stream of a device, 0 of the default one."""
    return next((entry.stream.ptr for entry in reversed(_current.entered) if entry.device == name), 0)


class Event:
    """A place in the work of a stream, which has a time once the work before it is done."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._own = None

    def record(self, stream=None):
        """Takes its place after the work that a stream has now, the current one unless another one is given."""
        stream = stream or get_current_stream()
        if stream._own:
            self._own = stream._own.record()
            return
        if get_current_stream(stream.device)._own:
            # The engine records in the current stream; after all work of the device is after that of the default stream, too.
            stream.synchronize()
        self._own = _core._Event(stream.device.name)

    def synchronize(self):
        """Waits for the work before the event."""
        if self._own is not None:
            self._own.synchronize()

    @property
    def done(self):
        """Whether the work before the event is done."""
        return self._own is None or self._own.is_completed()


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events, which are waited for."""
    if start_event._own is None or end_event._own is None:
        raise ValueError("[get_elapsed_time] expected recorded events, got one without a place")
    return 1000 * end_event._own.elapsed_since(start_event._own)


class _Memory:
    """Memory of a device of which an array is a part, lent while this object lives."""

    def __init__(self, exported, device):
        self._exported, self.device = exported, Device(device)
        self.ptr, self.size = exported._memory

    device_id = property(lambda self: self.device.id)


class MemoryPointer:
    """The address of an array's first element on a GPU, in its memory."""

    def __init__(self, array):
        exported = array._exported()
        self.ptr, self.mem = exported._address, _Memory(exported, array.device)

    device = property(lambda self: self.mem.device)
    device_id = property(lambda self: self.mem.device_id)

    def __int__(self):
        return self.ptr

    def __repr__(self):
        return f"<MemoryPointer {self.ptr:#x} of {self.device}>"


def _figures():
    try:
        return _core.memory(_core.current_device())
    except NotImplementedError:
        # The CPU keeps no memory for later.
        return 0, 0


class MemoryPool:
    """The pool of the current device; with `malloc_managed` its pool of managed memory, which the engine does not count."""

    def __init__(self, allocator=None):
        self._managed = _is_managed(allocator)

    def malloc(self, size):
        """Memory of `size` bytes, which lives as long as what is returned."""
        return _allocate(self.malloc, size)

    def _figures(self):
        if self._managed:
            raise NotImplementedError("the bytes of managed memory are not counted")
        return _figures()

    def used_bytes(self):
        return self._figures()[0]

    def free_bytes(self):
        return self._figures()[1]

    def total_bytes(self):
        return sum(self._figures())

    def free_all_blocks(self, stream=None):
        if self._managed:
            raise NotImplementedError("managed memory is kept until the process ends, or memory is short")
        try:
            _core.free_memory(_core.current_device())
        except NotImplementedError:
            # The CPU keeps no memory for later.
            pass


PinnedMemoryPool = MemoryPool


def _is_managed(allocator):
    """Whether a function of this module gives managed memory."""
    if allocator is None or allocator is _from_pool:
        return False
    if allocator is malloc_managed:
        return True
    pool = getattr(allocator, "__self__", None)
    if isinstance(pool, MemoryPool) and allocator == pool.malloc:
        return pool._managed
    raise TypeError("allocator: expected malloc_managed, or the malloc of a MemoryPool; one of the program's own would run "
                    "while the engine holds its locks")


def _allocate(allocator, size):
    from . import empty

    with using_allocator(allocator):
        array = empty(size, "uint8")
        array._eval()
    return MemoryPointer(array)


def malloc_managed(size):
    """Managed memory of `size` bytes, which the driver moves between the device and the host, as ``cupy.cuda.malloc_managed``."""
    return _allocate(malloc_managed, size)


def alloc(size):
    """Memory of `size` bytes from the thread's allocator, as ``cupy.cuda.alloc``."""
    return _allocate(get_allocator(), size)


def _from_pool(size):
    """Memory of the device's pool."""
    return _allocate(None, size)


def get_allocator():
    """What the thread's memory comes from, as ``cupy.cuda.get_allocator``."""
    return _sources.current or _from_pool


def set_allocator(allocator=None):
    """Takes the memory of this thread's arrays from `malloc_managed`, or from a pool's `malloc`, as ``cupy.cuda.set_allocator``. There is
    no memory beside the pools: None is the device's pool."""
    if _sources.entered:
        raise ValueError("the allocator of a thread cannot be set in a block of using_allocator")
    _is_managed(allocator)
    _sources.own = allocator
    _sources.apply()


class using_allocator:
    """The allocator of this thread in a block, as ``cupy.cuda.using_allocator``. Arrays get their memory where they are computed."""

    def __init__(self, allocator=None):
        _is_managed(allocator)
        self.allocator = allocator

    def __enter__(self):
        _sources.entered.append(self.allocator)
        _sources.apply()

    def __exit__(self, *error):
        _sources.entered.pop()
        _sources.apply()


class runtime:
    """What programs ask the runtime of CUDA for."""

    is_hip = bool([name for name in _core.devices() if name.startswith("hip")])

    @staticmethod
    def getDeviceCount():
        return len(_gpus())

    @staticmethod
    def deviceSynchronize():
        Device().synchronize()
