//! Generators of random numbers as objects.

use std::sync::{Mutex, PoisonError};

use ndany::call::{Value, draw};
use ndany::{Generator, attempt};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyTuple};

use crate::error::Raised;
use crate::function::is_no_value;
use crate::site;
use crate::value::{self, to_python, value_of};

/// A generator: its seed, its stream, and how much has been drawn.
#[pyclass(module = "ndany", name = "_Generator", subclass, frozen)]
pub(crate) struct Random {
    generator: Mutex<Generator>,
}

impl Random {
    fn of(generator: Generator) -> Self {
        Random { generator: Mutex::new(generator) }
    }

    /// Lends the generator, which others wait for meanwhile.
    pub(crate) fn lend<T>(&self, py: Python<'_>, draw: impl FnOnce(&mut Generator) -> T) -> T {
        let mut generator =
            self.generator.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        draw(&mut generator)
    }
}

#[pymethods]
impl Random {
    #[new]
    #[pyo3(signature = (seed=None))]
    fn new(seed: Option<u64>) -> Self {
        Self::of(ndany::random::default_rng(seed))
    }

    /// Draws by the name of a method.
    #[pyo3(signature = (name, *args, **kwargs))]
    fn _draw<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let args = args.iter().map(|arg| value_of(&arg)).collect::<PyResult<Vec<_>>>()?;
        let mut named = Vec::new();
        for (key, item) in kwargs.into_iter().flatten() {
            let key: String = key.extract()?;
            if is_no_value(&item)? {
                continue;
            }
            let value = match key.as_str() {
                "dtype" if !item.is_none() => Value::DType(value::dtype_named(&item)?),
                _ => value_of(&item)?,
            };
            named.push((key, value));
        }
        let mut generator =
            self.generator.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let generator = &mut *generator;
        let _site = site::enter(py);
        let drawn = py.detach(|| attempt(|| draw(generator, name, &args, &named))?);
        to_python(py, drawn.raised(py)?)
    }

    /// Generators of streams of their own.
    fn _spawn(&self, py: Python<'_>, count: usize) -> Vec<Random> {
        let mut generator =
            self.generator.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        generator.spawn(count).into_iter().map(Random::of).collect()
    }

    /// Seed, stream and position.
    #[getter]
    fn _state(&self, py: Python<'_>) -> (u64, u32, u64) {
        let generator = self.generator.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        (generator.seed(), generator.stream_number(), generator.position())
    }

    fn _set_state(&self, py: Python<'_>, state: (u64, u32, u64)) {
        let mut generator =
            self.generator.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        *generator = Generator::new(state.0).stream(state.1).at(state.2);
    }
}
