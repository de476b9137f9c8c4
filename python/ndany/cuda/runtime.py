"""What programs ask the runtime of CUDA for, as ``cupy.cuda.runtime``."""

from .. import _core
from .device import Device, _gpus


def __getattr__(name):
    # To know the current device opens it.
    if name == "is_hip":
        return _core.current_device().startswith("hip")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*globals(), "is_hip"]


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
