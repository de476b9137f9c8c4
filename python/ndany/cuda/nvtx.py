"""Ranges with names in the profilers, as ``cupy.cuda.nvtx``."""

import threading as _threading

from .. import _core

_open = _threading.local()


def RangePush(message, id_color=-1):
    """Begins a range, which ends with `RangePop`."""
    ranges = _open.__dict__.setdefault("ranges", [])
    ranges.append(_core._Range(message))
    ranges[-1].__enter__()


def RangePop():
    """Ends the range that was begun last."""
    ranges = _open.__dict__.setdefault("ranges", [])
    if ranges:
        ranges.pop().__exit__(None, None, None)


def Mark(message, id_color=-1):
    """Marks a moment: a range that ends where it begins."""
    RangePush(message)
    RangePop()


def MarkC(message, color=0):
    """As `Mark`: profilers choose the colour."""
    Mark(message)


def RangePushC(message, color=0):
    """As `RangePush`: profilers choose the colour."""
    RangePush(message)
