//! What profilers and tests ask: ranges with names, launches, evaluation of several arrays.

use ndany::Statistics;
use ndany::profile::{Range, range};
use pyo3::prelude::*;

use crate::cell::NdArray;
use crate::error::Raised;

/// A range of a profiler, which ends with its block.
#[pyclass(module = "ndany", name = "_Range", unsendable)]
pub(crate) struct NamedRange {
    name: String,
    entered: Vec<Range>,
}

#[pymethods]
impl NamedRange {
    #[new]
    fn new(name: String) -> Self {
        NamedRange { name, entered: Vec::new() }
    }

    fn __enter__(&mut self) {
        self.entered.push(range(&self.name));
    }

    fn __exit__(&mut self, _class: Py<PyAny>, _error: Py<PyAny>, _trace: Py<PyAny>) {
        self.entered.pop();
    }
}

/// Computes what is pending for several arrays, in one launch where that is possible.
#[pyfunction]
pub(crate) fn eval_all(py: Python<'_>, arrays: Vec<Bound<'_, NdArray>>) -> PyResult<()> {
    let arrays = arrays.iter().map(|array| array.get().read(py)).collect::<PyResult<Vec<_>>>()?;
    py.detach(|| ndany::eval_all(&arrays.iter().collect::<Vec<_>>())).raised(py)
}

/// How many launches this thread has asked for so far, and how many arrays it has copied before a part was written.
#[pyfunction]
pub(crate) fn launches() -> (u64, u64) {
    let counts = Statistics::now();
    (counts.launches(), counts.copies)
}
