//! Devices: their names, which is current, and their memory.

use ndany::exchange::{MemorySource, MemorySourceGuard, allocate_from};
use ndany::{Device, DeviceGuard};
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
pub(crate) fn current_device(py: Python<'_>) -> String {
    py.detach(|| Device::current().name())
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

/// Gives the pool's unused memory back to the system.
#[pyfunction]
pub(crate) fn free_memory(py: Python<'_>, device: &Bound<'_, PyAny>) -> PyResult<usize> {
    let device = device_of(device)?;
    py.detach(|| device.free_memory()).raised(py)
}

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
