//! Errors of the engine as exceptions of NumPy's classes.

use ndany::Error;
use ndany_core::IoError;
use pyo3::exceptions::{
    PyIndexError, PyMemoryError, PyNotImplementedError, PyOSError, PyOverflowError, PyRuntimeError,
    PyTypeError, PyValueError, PyZeroDivisionError,
};
use pyo3::prelude::*;

use crate::site;

/// The exception of a class that NumPy defines.
fn numpy_exception(py: Python<'_>, module: &str, name: &str, text: String) -> PyErr {
    let class = py.import(module).and_then(|module| module.getattr(name));
    match class.and_then(|class| class.call1((text,))) {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}

/// The exception of a failure with a file.
fn file_exception(error: &Error, text: String) -> PyErr {
    let code = match error {
        Error::Failed { source, .. } => return file_exception(source, text),
        Error::Io(error) => match &**error {
            IoError::Open { source, .. } | IoError::Create { source, .. } => source.raw_os_error(),
            IoError::Read(source) | IoError::Write(source) => source.raw_os_error(),
            IoError::UnsupportedDescr { .. } => return PyTypeError::new_err(text),
            _ => None,
        },
        _ => None,
    };
    match code {
        // Python makes `FileNotFoundError` and its like of the system's number.
        Some(code) => PyOSError::new_err((code, text)),
        None => PyOSError::new_err(text),
    }
}

/// The exception of the class that NumPy raises for this error.
#[cold]
pub(crate) fn raise(py: Python<'_>, error: Error) -> PyErr {
    let class = error.class();
    let text = match &error {
        // What an earlier line has asked for names that line.
        Error::Failed { origin, .. }
            if origin.is_of_program() && site::here(py) != Some(*origin) =>
        {
            error.to_string()
        }
        // The traceback shows the line; a place in this crate tells a user of Python nothing.
        Error::Failed { source, .. } => source.to_string(),
        error => error.to_string(),
    };
    match class {
        "ValueError" => PyValueError::new_err(text),
        "TypeError" => PyTypeError::new_err(text),
        "IndexError" => PyIndexError::new_err(text),
        "OverflowError" => PyOverflowError::new_err(text),
        "ZeroDivisionError" => PyZeroDivisionError::new_err(text),
        "MemoryError" => PyMemoryError::new_err(text),
        "NotImplementedError" => PyNotImplementedError::new_err(text),
        "OSError" => file_exception(&error, text),
        "AxisError" => numpy_exception(py, "numpy.exceptions", "AxisError", text),
        "LinAlgError" => numpy_exception(py, "numpy.linalg", "LinAlgError", text),
        _ => PyRuntimeError::new_err(text),
    }
}

/// A result of the engine as one of Python.
pub(crate) trait Raised<T> {
    fn raised(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> Raised<T> for ndany::Result<T> {
    #[inline]
    fn raised(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raise(py, error))
    }
}
