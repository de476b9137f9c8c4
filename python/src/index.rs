//! Keys of Python as indices of the engine, and basic ones applied to layouts.

use ndany::{Error, Index};
use ndany_core::shape::Layout;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyList, PySlice, PyTuple};
use smallvec::SmallVec;

use crate::cell::NdArray;
use crate::error::Raised;
use crate::numpy;
use crate::value;

/// The items of a key.
pub(crate) type Items = SmallVec<[Index; 4]>;

/// Reads a key: one item, or a tuple of them. Arrays of other libraries go to `device`.
pub(crate) fn items_of(key: &Bound<'_, PyAny>, device: &ndany::Device) -> PyResult<Items> {
    match key.cast::<PyTuple>() {
        Ok(items) => items.iter_borrowed().map(|item| item_of(&item, device)).collect(),
        Err(_) => Ok(smallvec::smallvec![item_of(key, device)?]),
    }
}

fn item_of(item: &Bound<'_, PyAny>, device: &ndany::Device) -> PyResult<Index> {
    let py = item.py();
    if item.is_exact_instance_of::<PyInt>() {
        return position(item).map(Index::At);
    }
    if let Ok(slice) = item.cast::<PySlice>() {
        let start = bound(&slice.getattr(pyo3::intern!(py, "start"))?)?;
        let stop = bound(&slice.getattr(pyo3::intern!(py, "stop"))?)?;
        let step = bound(&slice.getattr(pyo3::intern!(py, "step"))?)?.unwrap_or(1);
        return Ok(Index::Slice { start, stop, step });
    }
    if item.is_none() {
        return Ok(Index::NewAxis);
    }
    if item.is(py.Ellipsis()) {
        return Ok(Index::Ellipsis);
    }
    if let Ok(array) = item.cast::<NdArray>() {
        return Ok(Index::from(&array.get().read(py)?));
    }
    if let Ok(truth) = item.cast::<PyBool>() {
        return Ok(Index::Bool(truth.is_true()));
    }
    if item.is_instance(numpy::class(py, numpy::Class::Generic)?)? {
        // NumPy's scalars: truth values are masks, integers positions.
        return match item.is_instance(numpy::class(py, numpy::Class::Bool)?)? {
            true => Ok(Index::Bool(item.is_truthy()?)),
            false => position(item).map(Index::At),
        };
    }
    if item.is_instance_of::<PyList>()
        || item.is_instance_of::<PyTuple>()
        || item.is_instance(numpy::class(py, numpy::Class::NdArray)?)?
    {
        let is_list = item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>();
        let array = value::array_of(item, device)?;
        // What is written out and empty has no dtype of its own.
        let array = match is_list && array.size() == 0 {
            true => ndany::checked::astype(&array, ndany::DType::I64).raised(py)?,
            false => array,
        };
        return Ok(Index::from(&array));
    }
    if item.hasattr(pyo3::intern!(py, "__index__"))? {
        return position(item).map(Index::At);
    }
    if item.hasattr(pyo3::intern!(py, "__array__"))?
        || item.try_iter().is_ok() && !item.is_instance_of::<pyo3::types::PyString>()
    {
        return Ok(Index::from(&value::array_of(item, device)?));
    }
    Err(no_index())
}

fn no_index() -> PyErr {
    PyIndexError::new_err(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices",
    )
}

/// An integer, by `__index__`.
fn integer<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    value.py().import("operator")?.call_method1("index", (value,))
}

fn position(value: &Bound<'_, PyAny>) -> PyResult<isize> {
    if let Ok(position) = value.extract::<isize>() {
        return Ok(position);
    }
    match integer(value) {
        Ok(integer) => {
            integer.extract().map_err(|_| PyIndexError::new_err("cannot fit an index into 64 bits"))
        }
        Err(_) => Err(no_index()),
    }
}

/// A number of a slice. What is beyond 64 bits is the end, as in Python.
fn bound(value: &Bound<'_, PyAny>) -> PyResult<Option<isize>> {
    if value.is_none() {
        return Ok(None);
    }
    if let Ok(position) = value.extract::<isize>() {
        return Ok(Some(position));
    }
    let integer = integer(value).map_err(|_| {
        PyTypeError::new_err("slice indices must be integers or None or have an __index__ method")
    })?;
    let beyond = || if integer.lt(0).unwrap_or(false) { isize::MIN } else { isize::MAX };
    Ok(Some(integer.extract().unwrap_or_else(|_| beyond())))
}

/// Whether an index names elements by a layout alone.
pub(crate) fn is_basic(items: &[Index]) -> bool {
    items.iter().all(|item| match item {
        Index::At(_) | Index::Slice { .. } | Index::NewAxis | Index::Ellipsis => true,
        Index::Array(_) | Index::List(_) | Index::Bool(_) => false,
    })
}

/// The part of a layout that a basic index names.
pub(crate) fn apply(layout: &Layout, items: &[Index]) -> ndany::Result<Layout> {
    const OP: &str = "index";
    let ndim = layout.shape.len();
    let form = |reason| Error::IndexForm { op: OP, reason, ndim };
    let used =
        items.iter().filter(|item| matches!(item, Index::At(_) | Index::Slice { .. })).count();
    if used > ndim {
        return Err(form("too many indices"));
    }
    if items.iter().filter(|item| matches!(item, Index::Ellipsis)).count() > 1 {
        return Err(form("an index can only have a single ellipsis"));
    }
    let mut part =
        Layout { shape: SmallVec::new(), strides: SmallVec::new(), offset: layout.offset };
    let mut offset = layout.offset as isize;
    let mut axis = 0;
    let keep = |part: &mut Layout, axis: usize| {
        part.shape.push(layout.shape[axis]);
        part.strides.push(layout.strides[axis]);
    };
    for item in items {
        match item {
            Index::At(position) => {
                let (size, index) = (layout.shape[axis], *position);
                let from_front = if index < 0 { index + size as isize } else { index };
                if from_front < 0 || from_front >= size as isize {
                    return Err(Error::Index { op: OP, index, axis, size });
                }
                offset += from_front * layout.strides[axis];
                axis += 1;
            }
            Index::Slice { start, stop, step } => {
                let (first, count) = steps(*start, *stop, *step, layout.shape[axis])
                    .ok_or(Error::ZeroStep { op: OP })?;
                if count > 0 {
                    offset += first * layout.strides[axis];
                }
                part.shape.push(count);
                part.strides.push(layout.strides[axis].wrapping_mul(*step));
                axis += 1;
            }
            Index::NewAxis => {
                part.shape.push(1);
                part.strides.push(0);
            }
            Index::Ellipsis => {
                for _ in used..ndim {
                    keep(&mut part, axis);
                    axis += 1;
                }
            }
            Index::Array(_) | Index::List(_) | Index::Bool(_) => {
                return Err(form("an index array in a basic index"));
            }
        }
    }
    for axis in axis..ndim {
        keep(&mut part, axis);
    }
    if part.shape.len() > ndany_core::shape::MAX_NDIM {
        return Err(Error::TooManyDimensions { op: OP, ndim: part.shape.len() });
    }
    // What has no elements lies nowhere.
    part.offset = if part.shape.contains(&0) { layout.offset } else { offset as usize };
    Ok(part)
}

/// First position and number of positions of a slice, as Python counts them; `None` for a step of zero.
fn steps(
    start: Option<isize>,
    stop: Option<isize>,
    step: isize,
    size: usize,
) -> Option<(isize, usize)> {
    let size = size as isize;
    let (low, high) = if step < 0 { (-1, size - 1) } else { (0, size) };
    let clip = |position: isize| {
        let counted = if position < 0 { position.saturating_add(size) } else { position };
        counted.clamp(low, high)
    };
    let (first, last) = match step {
        0 => return None,
        1.. => (start.map_or(low, clip), stop.map_or(high, clip)),
        _ => (start.map_or(high, clip), stop.map_or(low, clip)),
    };
    let distance = if step > 0 { last - first } else { first - last };
    let count = if distance > 0 { (distance - 1) as usize / step.unsigned_abs() + 1 } else { 0 };
    Some((first, count))
}
