"""Devices, streams, events and memory, as ``cupy.cuda``: on NVIDIA's and AMD's devices, and on the CPU where a program has no GPU."""

from . import device, memory, nvtx, runtime, stream  # noqa: F401
from .device import Device, get_compute_capability, get_device_id, _gpus  # noqa: F401
from .memory import (  # noqa: F401
    BaseMemory, Memory, MemoryAsyncPool, MemoryPointer, MemoryPool, PinnedMemoryPointer, PinnedMemoryPool, UnownedMemory, alloc,
    alloc_pinned_memory, get_allocator, malloc_async, malloc_managed, set_allocator, set_pinned_memory_allocator, using_allocator,
)
from .stream import Event, ExternalStream, Stream, _current_handle, get_current_stream, get_elapsed_time  # noqa: F401


def is_available():
    """Whether there is a GPU."""
    return bool(_gpus())
