//! Streams and events of devices.

use std::sync::Arc;

use ndany::{Priority, StreamGuard};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::callback;
use crate::error::Raised;
use crate::function::device_of;

/// A queue of work of a device.
#[pyclass(module = "ndany", name = "_Stream", frozen)]
pub(crate) struct Stream {
    stream: Arc<ndany::Stream>,
}

#[pymethods]
impl Stream {
    /// A new stream; numbers below zero are urgent, as CUDA counts priorities.
    #[new]
    fn new(py: Python<'_>, device: &Bound<'_, PyAny>, priority: i64) -> PyResult<Self> {
        let device = device_of(device)?;
        let priority = match priority {
            ..0 => Priority::High,
            0 => Priority::Normal,
            1.. => Priority::Low,
        };
        let stream = py.detach(|| device.stream(priority)).raised(py)?;
        Ok(Stream { stream: Arc::new(stream) })
    }

    /// The stream of another library with this handle.
    #[staticmethod]
    fn external(py: Python<'_>, device: &Bound<'_, PyAny>, handle: u64) -> PyResult<Self> {
        let device = device_of(device)?;
        // SAFETY: who names a handle says that it is a stream of the device, which lives as long as the result.
        let stream =
            py.detach(|| unsafe { ndany::Stream::external(&device, handle) }).raised(py)?;
        Ok(Stream { stream: Arc::new(stream) })
    }

    /// The vendor's handle, 0 on devices without streams.
    #[getter]
    fn ptr(&self) -> u64 {
        self.stream.native().unwrap_or(0)
    }

    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.stream.synchronize()).raised(py)
    }

    fn is_idle(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| self.stream.is_idle()).raised(py)
    }

    fn record(&self, py: Python<'_>) -> PyResult<Event> {
        py.detach(|| self.stream.record()).raised(py).map(|event| Event { event })
    }

    fn wait(&self, py: Python<'_>, event: &Bound<'_, Event>) -> PyResult<()> {
        let event = &event.get().event;
        py.detach(|| self.stream.wait(event)).raised(py)
    }

    /// Calls a function of Python when the stream has done what it has now. Its exceptions are shown, and nothing else.
    fn then(&self, py: Python<'_>, function: Py<PyAny>, argument: Py<PyAny>) -> PyResult<()> {
        let call = move || {
            Python::attach(|py| {
                let function = function.bind(py);
                let called = PyTuple::new(py, [argument])
                    .and_then(|arguments| callback::call(function, &arguments));
                if let Err(error) = called {
                    error.write_unraisable(py, Some(function));
                }
            });
        };
        py.detach(|| self.stream.then(call)).raised(py)
    }
}

/// A stream that is a thread's current one while its block runs.
#[pyclass(module = "ndany", name = "_EnteredStream", unsendable)]
pub(crate) struct EnteredStream {
    /// Dropped before the stream that it borrows.
    guard: Option<StreamGuard<'static>>,
    _stream: Arc<ndany::Stream>,
}

#[pymethods]
impl EnteredStream {
    #[new]
    fn new(stream: &Bound<'_, Stream>) -> Self {
        let stream = stream.get().stream.clone();
        // SAFETY: the stream is in an `Arc`, which does not move it and outlives the guard: fields are dropped in their order.
        let borrowed: &'static ndany::Stream = unsafe { &*Arc::as_ptr(&stream) };
        EnteredStream { guard: Some(borrowed.enter()), _stream: stream }
    }

    /// Makes the stream before it current again.
    fn leave(&mut self) {
        self.guard = None;
    }
}

/// A place in the work of a stream.
#[pyclass(module = "ndany", name = "_Event", frozen)]
pub(crate) struct Event {
    event: ndany::Event,
}

#[pymethods]
impl Event {
    /// An event in the thread's current stream of a device.
    #[new]
    fn new(py: Python<'_>, device: &Bound<'_, PyAny>) -> PyResult<Self> {
        let device = device_of(device)?;
        py.detach(|| device.record()).raised(py).map(|event| Event { event })
    }

    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.event.synchronize()).raised(py)
    }

    fn is_completed(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| self.event.is_completed()).raised(py)
    }

    /// Seconds from the completion of another event to that of this one.
    fn elapsed_since(&self, py: Python<'_>, earlier: &Bound<'_, Event>) -> PyResult<f64> {
        let earlier = &earlier.get().event;
        py.detach(|| self.event.elapsed_since(earlier)).raised(py)
    }
}
