# Written by `python/stubs` with the signatures of NumPy 2.4.
from typing import Any

from ndany._core import function as function, ufunc as ufunc

from ndany.cuda.memory import BaseMemory as BaseMemory
from ndany.cuda.device import Device as Device
from ndany.cuda.stream import Event as Event
from ndany.cuda.stream import ExternalStream as ExternalStream
from ndany.cuda.memory import Memory as Memory
from ndany.cuda.memory import MemoryAsyncPool as MemoryAsyncPool
from ndany.cuda.memory import MemoryPointer as MemoryPointer
from ndany.cuda.memory import MemoryPool as MemoryPool
from ndany.cuda.memory import PinnedMemoryPointer as PinnedMemoryPointer
from ndany.cuda.memory import PinnedMemoryPool as PinnedMemoryPool
from ndany.cuda.stream import Stream as Stream
from ndany.cuda.memory import UnownedMemory as UnownedMemory
from ndany.cuda.memory import alloc as alloc
from ndany.cuda.memory import alloc_pinned_memory as alloc_pinned_memory
from ndany.cuda.memory import get_allocator as get_allocator
from ndany.cuda.device import get_compute_capability as get_compute_capability
from ndany.cuda.stream import get_current_stream as get_current_stream
from ndany.cuda.device import get_device_id as get_device_id
from ndany.cuda.stream import get_elapsed_time as get_elapsed_time
from ndany.cuda.memory import malloc_async as malloc_async
from ndany.cuda.memory import malloc_managed as malloc_managed
from ndany.cuda.memory import set_allocator as set_allocator
from ndany.cuda.memory import set_pinned_memory_allocator as set_pinned_memory_allocator
from ndany.cuda.memory import using_allocator as using_allocator
from ndany.cuda import device as device
def is_available() -> Any: ...
from ndany.cuda import memory as memory
from ndany.cuda import nvtx as nvtx
from ndany.cuda import runtime as runtime
from ndany.cuda import stream as stream
