//! What is NumPy's own: its classes, and its dtypes for the engine's.

use ndany::DType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

/// Classes of NumPy by which arguments are told apart.
#[derive(Clone, Copy)]
pub(crate) enum Class {
    Generic,
    NdArray,
    DType,
    Bool,
}

static CLASSES: [(PyOnceLock<Py<PyAny>>, &str); 4] = [
    (PyOnceLock::new(), "generic"),
    (PyOnceLock::new(), "ndarray"),
    (PyOnceLock::new(), "dtype"),
    (PyOnceLock::new(), "bool"),
];

pub(crate) fn class<'py>(py: Python<'py>, class: Class) -> PyResult<&'py Bound<'py, PyAny>> {
    let (cell, name) = &CLASSES[class as usize];
    Ok(cell.get_or_try_init(py, || py.import("numpy")?.getattr(*name).map(Bound::unbind))?.bind(py))
}

/// NumPy's object for a dtype. That of `bfloat16` is of the package `ml_dtypes`.
pub(crate) fn dtype_object(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    static OBJECTS: [PyOnceLock<Py<PyAny>>; DType::ALL.len()] =
        [const { PyOnceLock::new() }; DType::ALL.len()];
    let make = || {
        let named = match dtype {
            DType::BF16 => py
                .import("ml_dtypes")
                .and_then(|module| module.getattr("bfloat16"))
                .map_err(|_| {
                    PyTypeError::new_err(
                        "the dtype bfloat16 is of the package ml_dtypes, which is not installed",
                    )
                })?,
            _ => PyString::new(py, dtype.name()).into_any(),
        };
        class(py, Class::DType)?.call1((named,)).map(Bound::unbind)
    };
    OBJECTS[dtype as usize].get_or_try_init(py, make).map(|object| object.bind(py).clone())
}

/// The engine's dtype for an object of NumPy's class `dtype`.
pub(crate) fn dtype_of(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    let py = object.py();
    let kind: char = object.getattr(pyo3::intern!(py, "kind"))?.extract()?;
    let size: usize = object.getattr(pyo3::intern!(py, "itemsize"))?.extract()?;
    let dtype = match (kind, size) {
        ('b', 1) => Some(DType::Bool),
        ('i', 1) => Some(DType::I8),
        ('i', 2) => Some(DType::I16),
        ('i', 4) => Some(DType::I32),
        ('i', 8) => Some(DType::I64),
        ('u', 1) => Some(DType::U8),
        ('u', 2) => Some(DType::U16),
        ('u', 4) => Some(DType::U32),
        ('u', 8) => Some(DType::U64),
        ('f', 2) => Some(DType::F16),
        ('f', 4) => Some(DType::F32),
        ('f', 8) => Some(DType::F64),
        ('c', 8) => Some(DType::C64),
        ('c', 16) => Some(DType::C128),
        (_, 2) if object.str()?.to_string_lossy() == "bfloat16" => Some(DType::BF16),
        _ => None,
    };
    let native = || object.getattr(pyo3::intern!(py, "isnative"))?.extract::<bool>();
    match dtype {
        Some(dtype) if native()? => Ok(dtype),
        _ => Err(PyTypeError::new_err(format!(
            "ndany has no dtype {}: objects, texts, dates, records, long floats and foreign byte orders are NumPy's alone",
            object.str()?.to_string_lossy()
        ))),
    }
}
