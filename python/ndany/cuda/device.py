"""Devices, as ``cupy.cuda.device``: NVIDIA's and AMD's, and the CPU where a program has no GPU."""

import os

from .. import _core

# What is to be called when another device becomes current.
_on_change = []


def _changed():
    for call in _on_change:
        call()


def _gpus():
    return [name for name in _core.devices() if name.partition(":")[0] in ("cuda", "hip")]


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
        _changed()
        return self

    def __exit__(self, *error):
        self._entered.pop().__exit__(*error)
        _changed()

    use = __enter__

    def synchronize(self):
        """Waits for all work of the device."""
        _core.synchronize(self.name)

    @property
    def mem_info(self):
        """The free bytes, and all: of a GPU the free ones and those of its pool, without what other programs hold."""
        if self.name not in _gpus():
            page = os.sysconf("SC_PAGE_SIZE")
            return page * os.sysconf("SC_AVPHYS_PAGES"), page * os.sysconf("SC_PHYS_PAGES")
        free = _core.free_memory(self.name)
        return free, free + sum(_core.memory(self.name))

    @property
    def attributes(self):
        """What the driver tells of a GPU, by CuPy's names."""
        return dict(_core.attributes(self.name))

    @property
    def compute_capability(self):
        """Major and minor version of a GPU's architecture, as ``"90"``."""
        found = self.attributes
        if not found:
            raise NotImplementedError(f"{self.name} has no driver")
        return f"{found['ComputeCapabilityMajor']}{found['ComputeCapabilityMinor']}"

    @property
    def pci_bus_id(self):
        """Where a GPU is plugged in."""
        return _core.pci_bus_id(self.name)

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


def get_device_id():
    """The number of the current device among the GPUs, 0 on the CPU."""
    return Device().id


def get_compute_capability():
    """That of the current device."""
    return Device().compute_capability
