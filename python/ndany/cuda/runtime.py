"""What programs ask the runtime of CUDA for, as ``cupy.cuda.runtime``."""

import re as _re

from .. import _core
from .device import Device, _gpus

# Failures of a driver are of this class.
CUDARuntimeError = RuntimeError


def __getattr__(name):
    # To know the current device opens it.
    if name == "is_hip":
        return _core.current_device().startswith("hip")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*globals(), "is_hip"]


def driverGetVersion():
    """The version of the current device's driver: 1000 times the major number and 10 times the minor one of CUDA's, and of HIP's
    10,000,000 times, 100,000 times, and the patch."""
    known = _re.search(r"driver (CUDA|HIP) (\d+)\.(\d+)(?:\.(\d+))?", _core.describe(_core.current_device()))
    if not known:
        raise CUDARuntimeError(f"{_core.current_device()} has no driver")
    major, minor, patch = (int(part or 0) for part in known.groups()[1:])
    return 1000 * major + 10 * minor if known[1] == "CUDA" else 10_000_000 * major + 100_000 * minor + patch


def runtimeGetVersion():
    """The driver's version: no library of the runtime is loaded."""
    return driverGetVersion()


def getDeviceCount():
    return len(_gpus())


def getDevice():
    return Device().id


def setDevice(device):
    """Makes a GPU current, for the rest of the thread."""
    Device(device).use()


def deviceSynchronize():
    Device().synchronize()


def memGetInfo():
    return Device().mem_info


def getDeviceProperties(device):
    """The facts about a GPU that are known here, by the names of ``cudaDeviceProp``."""
    device = Device(device)
    found = device.attributes
    names = {
        "major": "ComputeCapabilityMajor", "minor": "ComputeCapabilityMinor", "warpSize": "WarpSize", "l2CacheSize": "L2CacheSize",
        "multiProcessorCount": "MultiProcessorCount", "maxThreadsPerBlock": "MaxThreadsPerBlock", "clockRate": "ClockRate",
        "sharedMemPerBlock": "MaxSharedMemoryPerBlock", "regsPerBlock": "MaxRegistersPerBlock",
        "memoryBusWidth": "GlobalMemoryBusWidth", "memoryClockRate": "MemoryClockRate", "totalConstMem": "TotalConstantMemory",
        "pciBusID": "PciBusId", "pciDeviceID": "PciDeviceId", "pciDomainID": "PciDomainId",
    }
    properties = {name: found[own] for name, own in names.items() if own in found}
    properties["name"] = _core.describe(device.name).partition(",")[0].encode()
    return properties


def streamSynchronize(stream):
    """Waits for a stream by the driver's handle."""
    from .stream import ExternalStream, Stream

    (ExternalStream(stream) if stream else Stream.null).synchronize()
