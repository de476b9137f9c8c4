"""Streams and events, as ``cupy.cuda.stream``."""

import threading as _threading

from .. import _core
from .device import Device


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

    def add_callback(self, callback, arg):
        """Calls ``callback(stream, error, arg)`` as `launch_host_func` does; the error is 0."""
        self.launch_host_func(lambda given: callback(self, 0, given), arg)

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
