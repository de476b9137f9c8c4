"""Memory and its pools, as ``cupy.cuda.memory``."""

import math
import threading as _threading

from .. import _core
from .device import Device, _on_change


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
_on_change.append(_sources.apply)


class BaseMemory:
    """Memory of a device, from an address on."""

    def __init__(self, ptr, size, device):
        self.ptr, self.size, self.device = ptr, size, device

    device_id = property(lambda self: self.device.id)

    def __int__(self):
        return self.ptr


class Memory(BaseMemory):
    """Memory of which an array is a part, lent while this object lives."""

    def __init__(self, exported, device):
        self._exported = exported
        super().__init__(*exported._memory, Device(device))


class UnownedMemory(BaseMemory):
    """Memory that belongs to another library, by its address; the owner lives as long as this object."""

    def __init__(self, ptr, size, owner, device_id=-1):
        super().__init__(ptr, size, Device() if device_id == -1 else Device(device_id))
        self._owner = owner


class _Arranged:
    """A part of memory by the names of the array interface, which keeps the memory alive."""

    def __init__(self, pointer, address, shape, dtype, strides):
        self._pointer, self.dtype = pointer, dtype
        interface = {"version": 3, "shape": shape, "typestr": dtype.str, "strides": strides, "data": (address, False)}
        self.__array_interface__ = self.__cuda_array_interface__ = interface


class MemoryPointer:
    """An address in memory of a device, as ``cupy.cuda.MemoryPointer``; ``ndarray(shape, dtype, pointer)`` is an array from there on."""

    def __init__(self, mem, offset):
        self.mem, self.ptr = mem, mem.ptr + offset

    device = property(lambda self: self.mem.device)
    device_id = property(lambda self: self.mem.device_id)

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    def __sub__(self, offset):
        return self + -offset

    def _arranged(self, shape, dtype, offset, strides, order):
        """The interface of an array that begins here, and its device."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if strides is None:
            extents = shape[::-1] if order in ("F", "f") else shape
            strides = [dtype.itemsize * math.prod(extents[at + 1:]) for at in range(len(extents))]
            strides = strides[::-1] if order in ("F", "f") else strides
        first = self.ptr - self.mem.ptr + offset
        ends = [stride * max(extent - 1, 0) for extent, stride in zip(shape, strides, strict=True)]
        low = first + sum(end for end in ends if end < 0)
        high = first + sum(end for end in ends if end > 0) + (dtype.itemsize if 0 not in shape else 0)
        if low < 0 or high > self.mem.size:
            raise ValueError(f"an array from byte {low} to {high} does not fit memory of {self.mem.size} bytes")
        return _Arranged(self, self.ptr + offset, shape, dtype, tuple(strides)), self.device.name

    def __repr__(self):
        return f"<MemoryPointer {self.ptr:#x} of {self.device}>"


def _pointer_to(array):
    """The address of an array's first element."""
    exported = array._exported()
    memory = Memory(exported, array.device)
    return MemoryPointer(memory, exported._address - memory.ptr)


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
            _core.release_memory(_core.current_device())
        except NotImplementedError:
            # The CPU keeps no memory for later.
            pass

    def set_limit(self, size=None, fraction=None):
        """Limits the bytes of the pool, or the part of the device's memory that it may hold; 0 takes the limit away."""
        if (size is None) == (fraction is None):
            raise ValueError("set_limit: expected either size or fraction")
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"set_limit: expected a fraction from 0 to 1, got {fraction}")
            size = int(Device().mem_info[1] * fraction)
        if size < 0:
            raise ValueError(f"set_limit: expected a size of at least 0, got {size}")
        name = _core.current_device()
        _core.limit_memory(name, size or None)
        _limits[name] = size

    def get_limit(self):
        """The limit that `set_limit` has set, 0 without one."""
        return _limits.get(_core.current_device(), 0)


# What `set_limit` has set, by the names of devices.
_limits = {}


class MemoryAsyncPool(MemoryPool):
    """The pool of the current device, whose blocks are ordered by streams as those of the driver's pools."""

    def __init__(self, pool_handles="current"):
        super().__init__()


# Memory that is short raises Python's own class.
OutOfMemoryError = MemoryError


class PinnedMemoryPool:
    """The host's memory for copies: the engine keeps what copies pass through, so this pool is always empty."""

    def malloc(self, size):
        return alloc_pinned_memory(size)

    def n_free_blocks(self):
        return 0

    def free_all_blocks(self):
        """Nothing is kept."""


class PinnedMemoryPointer(bytearray):
    """Memory of the host as a buffer, for ``numpy.frombuffer``. Copies to GPUs take it as any other memory."""

    @property
    def size(self):
        return len(self)


def alloc_pinned_memory(size):
    """Memory of the host, as ``cupy.cuda.alloc_pinned_memory``."""
    return PinnedMemoryPointer(size)


def _is_managed(allocator):
    """Whether a function of this module gives managed memory."""
    if allocator is None or allocator is _from_pool or allocator is malloc_async:
        return False
    if allocator is malloc_managed:
        return True
    pool = getattr(allocator, "__self__", None)
    if isinstance(pool, MemoryPool) and allocator == pool.malloc:
        return pool._managed
    raise TypeError("allocator: expected malloc_managed, or the malloc of a MemoryPool; one of the program's own would run "
                    "while the engine holds its locks")


def _allocate(allocator, size):
    from .. import empty

    with using_allocator(allocator):
        array = empty(size, "uint8")
        array._eval()
    return _pointer_to(array)


def malloc_managed(size):
    """Managed memory of `size` bytes, which the driver moves between the device and the host, as ``cupy.cuda.malloc_managed``."""
    return _allocate(malloc_managed, size)


def alloc(size):
    """Memory of `size` bytes from the thread's allocator, as ``cupy.cuda.alloc``."""
    return _allocate(get_allocator(), size)


def malloc_async(size):
    """Memory of `size` bytes of the device's pool, whose blocks are ordered by streams, as ``cupy.cuda.malloc_async``."""
    return _allocate(None, size)


def set_pinned_memory_allocator(allocator=None):
    """Takes an allocator as ``cupy.cuda.set_pinned_memory_allocator`` does; copies keep what they pass through, whatever it is."""
    if not (allocator is None or callable(allocator)):
        raise TypeError(f"allocator: expected a function or None, got {type(allocator).__name__}")


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
