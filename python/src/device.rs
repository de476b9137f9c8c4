//! Devices: their names, which is current, and their memory.

use ndany::exchange::{MemorySource, MemorySourceGuard, allocate_from};
use ndany::{Attribute, Device, DeviceGuard, attempt};
use pyo3::prelude::*;

use crate::error::Raised;
use crate::function::device_of;

/// The names of all devices, the best first; opens none.
#[pyfunction]
pub(crate) fn devices() -> Vec<String> {
    Device::all()
}

/// The name of the device on which this thread makes arrays.
#[pyfunction]
pub(crate) fn current_device(py: Python<'_>) -> PyResult<String> {
    py.detach(|| attempt(|| Device::current().name())).raised(py)
}

/// That device. The one that `NDANY_DEVICE` names may not open, or be lost.
pub(crate) fn current(py: Python<'_>) -> PyResult<Device> {
    attempt(Device::current).raised(py)
}

/// Waits for all work of a device.
#[pyfunction]
pub(crate) fn synchronize(py: Python<'_>, device: &Bound<'_, PyAny>) -> PyResult<()> {
    let device = device_of(device)?;
    py.detach(|| device.synchronize()).raised(py)
}

/// Bytes of a device's pool: that arrays hold, and that are kept for later ones.
#[pyfunction]
pub(crate) fn memory(py: Python<'_>, device: &Bound<'_, PyAny>) -> PyResult<(usize, usize)> {
    let figures = device_of(device)?.memory().raised(py)?;
    Ok((figures.live, figures.reserved - figures.live))
}

/// The free bytes of a device, within the limit of its pool.
#[pyfunction]
pub(crate) fn free_memory(py: Python<'_>, device: &Bound<'_, PyAny>) -> PyResult<usize> {
    let device = device_of(device)?;
    py.detach(|| device.free_memory()).raised(py)
}

/// Gives the pool's unused memory back to the system.
#[pyfunction]
pub(crate) fn release_memory(py: Python<'_>, device: &Bound<'_, PyAny>) -> PyResult<()> {
    let device = device_of(device)?;
    py.detach(|| device.release_memory()).raised(py)
}

/// Limits the bytes that a device's pool may hold; None takes the limit away.
#[pyfunction]
pub(crate) fn limit_memory(
    py: Python<'_>,
    device: &Bound<'_, PyAny>,
    bytes: Option<usize>,
) -> PyResult<()> {
    device_of(device)?.limit_memory(bytes).raised(py)
}

/// The facts about a device that its driver tells, by CuPy's names.
#[pyfunction]
pub(crate) fn attributes(
    py: Python<'_>,
    device: &Bound<'_, PyAny>,
) -> PyResult<Vec<(&'static str, u64)>> {
    let device = device_of(device)?;
    let known = |(name, attribute): &(&'static str, Attribute)| {
        let value = device.attribute(*attribute).ok()?;
        Some((*name, value))
    };
    Ok(py.detach(|| ATTRIBUTES.iter().filter_map(known).collect()))
}

/// Where a device is plugged in.
#[pyfunction]
pub(crate) fn pci_bus_id(py: Python<'_>, device: &Bound<'_, PyAny>) -> PyResult<String> {
    device_of(device)?.pci_bus_id().raised(py)
}

const ATTRIBUTES: &[(&str, Attribute)] = &[
    ("AsyncEngineCount", Attribute::AsyncEngineCount),
    ("CanMapHostMemory", Attribute::CanMapHostMemory),
    ("ClockRate", Attribute::ClockRate),
    ("ComputeCapabilityMajor", Attribute::ComputeCapabilityMajor),
    ("ComputeCapabilityMinor", Attribute::ComputeCapabilityMinor),
    ("ConcurrentKernels", Attribute::ConcurrentKernels),
    ("ConcurrentManagedAccess", Attribute::ConcurrentManagedAccess),
    ("CooperativeLaunch", Attribute::CooperativeLaunch),
    ("EccEnabled", Attribute::EccEnabled),
    ("GlobalMemoryBusWidth", Attribute::MemoryBusWidth),
    ("Integrated", Attribute::Integrated),
    ("KernelExecTimeout", Attribute::KernelExecTimeout),
    ("L2CacheSize", Attribute::L2CacheSize),
    ("ManagedMemory", Attribute::ManagedMemory),
    ("MaxBlockDimX", Attribute::MaxBlockDimX),
    ("MaxBlockDimY", Attribute::MaxBlockDimY),
    ("MaxBlockDimZ", Attribute::MaxBlockDimZ),
    ("MaxBlocksPerMultiprocessor", Attribute::MaxBlocksPerMultiprocessor),
    ("MaxGridDimX", Attribute::MaxGridDimX),
    ("MaxGridDimY", Attribute::MaxGridDimY),
    ("MaxGridDimZ", Attribute::MaxGridDimZ),
    ("MaxRegistersPerBlock", Attribute::MaxRegistersPerBlock),
    ("MaxRegistersPerMultiprocessor", Attribute::MaxRegistersPerMultiprocessor),
    ("MaxSharedMemoryPerBlock", Attribute::MaxSharedMemoryPerBlock),
    ("MaxSharedMemoryPerBlockOptin", Attribute::MaxSharedMemoryPerBlockOptin),
    ("MaxSharedMemoryPerMultiprocessor", Attribute::MaxSharedMemoryPerMultiprocessor),
    ("MaxThreadsPerBlock", Attribute::MaxThreadsPerBlock),
    ("MaxThreadsPerMultiProcessor", Attribute::MaxThreadsPerMultiprocessor),
    ("MemoryClockRate", Attribute::MemoryClockRate),
    ("MemoryPoolsSupported", Attribute::MemoryPoolsSupported),
    ("MultiProcessorCount", Attribute::MultiprocessorCount),
    ("PciBusId", Attribute::PciBusId),
    ("PciDeviceId", Attribute::PciDeviceId),
    ("PciDomainId", Attribute::PciDomainId),
    ("StreamPrioritiesSupported", Attribute::StreamPrioritiesSupported),
    ("TotalConstantMemory", Attribute::TotalConstantMemory),
    ("UnifiedAddressing", Attribute::UnifiedAddressing),
    ("WarpSize", Attribute::WarpSize),
];

/// A sentence about a device.
#[pyfunction]
pub(crate) fn describe(device: &Bound<'_, PyAny>) -> PyResult<String> {
    device_of(device).map(|device| device.description())
}

/// A device that is current in a thread while its block runs.
#[pyclass(module = "ndany", name = "_Entered", unsendable)]
pub(crate) struct Entered {
    name: Py<PyAny>,
    guards: Vec<DeviceGuard>,
}

#[pymethods]
impl Entered {
    #[new]
    fn new(name: Py<PyAny>) -> Self {
        Entered { name, guards: Vec::new() }
    }

    fn __enter__(mut slf: PyRefMut<'_, Self>) -> PyResult<()> {
        let device = device_of(slf.name.clone_ref(slf.py()).bind(slf.py()))?;
        slf.guards.push(device.enter());
        Ok(())
    }

    fn __exit__(&mut self, _class: Py<PyAny>, _error: Py<PyAny>, _trace: Py<PyAny>) {
        self.guards.pop();
    }
}

/// Managed memory for what a thread computes on a device, until it is closed.
#[pyclass(module = "ndany", name = "_Managed", unsendable)]
pub(crate) struct Managed(Option<MemorySourceGuard>);

#[pymethods]
impl Managed {
    #[new]
    fn new(py: Python<'_>, device: &Bound<'_, PyAny>) -> PyResult<Self> {
        let device = device_of(device)?;
        allocate_from(&device, MemorySource::Managed).raised(py).map(|guard| Managed(Some(guard)))
    }

    /// Memory comes from the device's pool again.
    fn close(&mut self) {
        self.0 = None;
    }
}
