//! Values of Python as values of the engine, and back.

use ndany::call::Value;
use ndany::{Array, DType, Device, Number, Scalar};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyNotImplementedError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyComplex, PyDict, PyFloat, PyInt, PyList, PyRange, PySlice, PyString,
    PyTuple, PyType,
};

use crate::cell::NdArray;
use crate::device::current;
use crate::error::Raised;
use crate::numpy::{self, Class};

/// An argument of a function.
pub(crate) fn value_of(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = value.py();
    if let Ok(array) = value.cast::<NdArray>() {
        return Ok(Value::Array(array.get().read(py)?));
    }
    if value.is_none() {
        return Ok(Value::None);
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if let Some(scalar) = python_number(value)? {
        return Ok(Value::Scalar(scalar));
    }
    if value.is_exact_instance_of::<PyString>() {
        return Ok(Value::Str(value.extract()?));
    }
    if let Ok(items) = value.cast::<PyTuple>() {
        return items.iter().map(|item| value_of(&item)).collect::<PyResult<_>>().map(Value::Tuple);
    }
    if let Ok(items) = value.cast::<PyList>() {
        return items.iter().map(|item| value_of(&item)).collect::<PyResult<_>>().map(Value::List);
    }
    if let Ok(slice) = value.cast::<PySlice>() {
        let part = |name: &Bound<'_, PyString>| -> PyResult<Option<Scalar>> {
            let part = slice.getattr(name)?;
            match value_of(&part)? {
                Value::None => Ok(None),
                Value::Bool(truth) => Ok(Some(Scalar::from(truth))),
                Value::Scalar(scalar) => Ok(Some(scalar)),
                Value::Array(array) if array.size() == 1 => {
                    Ok(Some(Scalar::from(number_in(py, &array)?)))
                }
                _ => Err(PyTypeError::new_err("the parts of a slice must be numbers")),
            }
        };
        let (start, stop) = (part(intern!(py, "start"))?, part(intern!(py, "stop"))?);
        return Ok(Value::Slice { start, stop, step: part(intern!(py, "step"))? });
    }
    if value.is(py.Ellipsis()) {
        return Ok(Value::Ellipsis);
    }
    if value.is_instance(numpy::class(py, Class::Generic)?)? {
        return scalar_of(value).map(Value::Scalar);
    }
    if value.is_instance(numpy::class(py, Class::NdArray)?)? {
        return array_of(value, &current(py)?).map(Value::Array);
    }
    if value.is_instance(numpy::class(py, Class::DType)?)? {
        return numpy::dtype_of(value).map(Value::DType);
    }
    if value.is_instance_of::<PyType>() {
        let dtype = numpy::class(py, Class::DType)?.call1((value,))?;
        return numpy::dtype_of(&dtype).map(Value::DType);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::Str(text.extract()?));
    }
    if value.is_instance_of::<PyRange>() {
        let items = value.try_iter()?.map(|item| value_of(&item?)).collect::<PyResult<_>>()?;
        return Ok(Value::List(items));
    }
    if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyComplex>() {
        return number_of(value).map(|number| Value::Scalar(Scalar::from(number)));
    }
    if value.hasattr(intern!(py, "__array__"))?
        || value.hasattr(intern!(py, "__array_interface__"))?
        || value.hasattr(intern!(py, "__cuda_array_interface__"))?
        || value.hasattr(intern!(py, "__dlpack__"))?
    {
        return array_of(value, &current(py)?).map(Value::Array);
    }
    if value.hasattr(intern!(py, "__index__"))? {
        return value_of(&py.import("operator")?.call_method1("index", (value,))?);
    }
    Err(refused(value))
}

/// The refusal of what is no array and no number.
pub(crate) fn refused(value: &Bound<'_, PyAny>) -> PyErr {
    match value.get_type().fully_qualified_name() {
        Ok(name) => PyTypeError::new_err(format!("ndany has no arrays of {name}")),
        Err(error) => error,
    }
}

/// A number of Python's own classes, which is weak.
#[inline]
pub(crate) fn python_number(value: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if value.is_exact_instance_of::<PyFloat>() {
        return Ok(Some(Scalar::weak_float(value.extract()?)));
    }
    if value.is_instance_of::<PyInt>() {
        // A truth value is an integer of Python's.
        return match value.cast::<PyBool>() {
            Ok(truth) => Ok(Some(Scalar::weak_bool(truth.is_true()))),
            Err(_) => integer(value).map(|integer| Some(Scalar::weak_int(integer))),
        };
    }
    if value.is_exact_instance_of::<PyComplex>() {
        let complex = value.cast::<PyComplex>()?;
        return Ok(Some(Scalar::weak_complex(complex.real(), complex.imag())));
    }
    Ok(None)
}

/// An integer; beyond 127 bits it saturates, which is beyond every dtype too.
fn integer(value: &Bound<'_, PyAny>) -> PyResult<i128> {
    if let Ok(small) = value.extract::<i64>() {
        return Ok(i128::from(small));
    }
    match value.extract::<i128>() {
        Ok(integer) => Ok(integer),
        Err(_) if value.lt(0)? => Ok(i128::MIN),
        Err(_) => Ok(i128::MAX),
    }
}

/// A number of NumPy's, which has a dtype.
pub(crate) fn scalar_of(value: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    let py = value.py();
    let dtype = numpy::dtype_of(&value.getattr(intern!(py, "dtype"))?)?;
    let item = match dtype {
        DType::BF16 => value.call_method0(intern!(py, "__float__"))?,
        _ => value.call_method0(intern!(py, "item"))?,
    };
    Ok(Scalar::typed(dtype, number_of(&item)?))
}

pub(crate) fn number_of(value: &Bound<'_, PyAny>) -> PyResult<Number> {
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Number::Bool(truth.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return integer(value).map(Number::Int);
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Number::Float(value.extract()?));
    }
    if let Ok(complex) = value.cast::<PyComplex>() {
        return Ok(Number::Complex(complex.real(), complex.imag()));
    }
    Err(refused(value))
}

/// The dtype that an object names: one of NumPy's, a type, a text.
pub(crate) fn dtype_named(value: &Bound<'_, PyAny>) -> PyResult<DType> {
    let py = value.py();
    let class = numpy::class(py, Class::DType)?;
    if value.is_instance(class)? {
        return numpy::dtype_of(value);
    }
    if let Ok(text) = value.cast::<PyString>()
        && text.to_string_lossy() == "bfloat16"
    {
        return Ok(DType::BF16);
    }
    numpy::dtype_of(&class.call1((value,))?)
}

/// A copy of what NumPy makes an array of, on a device.
pub(crate) fn array_of(value: &Bound<'_, PyAny>, device: &Device) -> PyResult<Array> {
    let py = value.py();
    if let Ok(array) = value.cast::<NdArray>() {
        return array.get().read(py);
    }
    let numpy_module = py.import(intern!(py, "numpy"))?;
    let array = match value.is_instance(numpy::class(py, Class::NdArray)?)? {
        true => value.clone(),
        false => numpy_module.call_method1(intern!(py, "asarray"), (value,))?,
    };
    let object = array.getattr(intern!(py, "dtype"))?;
    let dtype = match numpy::dtype_of(&object) {
        Ok(dtype) => dtype,
        // Another byte order is that of files; the values are the same.
        Err(error) => {
            let native = object.call_method1("newbyteorder", ("=",))?;
            let dtype = numpy::dtype_of(&native).map_err(|_| error)?;
            let array = array.call_method1("astype", (native,))?;
            return array_from(&array, dtype, device);
        }
    };
    array_from(&array, dtype, device)
}

/// A copy of an array of NumPy's, in Fortran's order where that is its own.
fn array_from(array: &Bound<'_, PyAny>, dtype: DType, device: &Device) -> PyResult<Array> {
    let py = array.py();
    let flags = array.getattr(intern!(py, "flags"))?;
    if flags.getattr(intern!(py, "fnc"))?.is_truthy()? {
        let transposed = array_from(&array.getattr(intern!(py, "T"))?, dtype, device)?;
        return ndany::checked::transpose(&transposed, ..).raised(py);
    }
    let shape: Vec<usize> = array.getattr(intern!(py, "shape"))?.extract()?;
    let bytes = match flags.getattr(intern!(py, "c_contiguous"))?.is_truthy()? {
        true => array.clone(),
        false => py.import("numpy")?.call_method1("ascontiguousarray", (array,))?,
    };
    let bytes = bytes.call_method1(intern!(py, "reshape"), (-1,))?;
    let bytes = bytes.call_method1(intern!(py, "view"), ("u1",))?;
    let buffer = PyBuffer::<u8>::get(&bytes)?;
    // SAFETY: the bytes lie in C order, and the buffer is held until after the copy. Python code that writes the memory in another
    // thread at the same time would give bytes of either state, as for NumPy.
    let bytes =
        unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast::<u8>(), buffer.len_bytes()) };
    Array::from_bytes(dtype, &shape, bytes, device).raised(py)
}

/// A copy as an array of NumPy's.
pub(crate) fn to_numpy<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    let numpy_module = py.import(intern!(py, "numpy"))?;
    let fortran = array.is_f_contiguous() && !array.is_c_contiguous();
    let laid = match fortran {
        true => ndany::checked::transpose(array, ..).raised(py)?,
        false => array.clone(),
    };
    let bytes = py.detach(|| laid.to_bytes()).raised(py)?;
    let memory = PyByteArray::new(py, &bytes);
    let kwargs = PyDict::new(py);
    kwargs.set_item("dtype", numpy::dtype_object(py, array.dtype())?)?;
    let flat = match bytes.is_empty() {
        true => numpy_module.call_method("empty", (0,), Some(&kwargs))?,
        false => numpy_module.call_method(intern!(py, "frombuffer"), (memory,), Some(&kwargs))?,
    };
    let shaped = flat.call_method1(intern!(py, "reshape"), (PyTuple::new(py, laid.shape())?,))?;
    match fortran {
        true => shaped.getattr(intern!(py, "T")),
        false => Ok(shaped),
    }
}

/// The one element of an array.
pub(crate) fn number_in(py: Python<'_>, array: &Array) -> PyResult<Number> {
    let bytes = py.detach(|| array.to_bytes()).raised(py)?;
    let word = |from: usize, len: usize| {
        let mut word = [0; 8];
        word[..len].copy_from_slice(&bytes[from..from + len]);
        u64::from_le_bytes(word)
    };
    let (dtype, size) = (array.dtype(), array.dtype().size());
    let single = |from: usize| f64::from(f32::from_bits(word(from, 4) as u32));
    Ok(match dtype {
        DType::Bool => Number::Bool(word(0, 1) != 0),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => Number::Int(i128::from(word(0, size))),
        DType::I8 => Number::Int(i128::from(word(0, 1) as i8)),
        DType::I16 => Number::Int(i128::from(word(0, 2) as i16)),
        DType::I32 => Number::Int(i128::from(word(0, 4) as i32)),
        DType::I64 => Number::Int(i128::from(word(0, 8) as i64)),
        DType::F32 => Number::Float(single(0)),
        DType::F64 => Number::Float(f64::from_bits(word(0, 8))),
        DType::F16 | DType::BF16 => {
            let wide = ndany::checked::astype(array, DType::F64).raised(py)?;
            return number_in(py, &wide);
        }
        DType::C64 => Number::Complex(single(0), single(4)),
        DType::C128 => Number::Complex(f64::from_bits(word(0, 8)), f64::from_bits(word(8, 8))),
    })
}

/// A number as one of Python's own.
pub(crate) fn number_to_python(py: Python<'_>, number: Number) -> PyResult<Bound<'_, PyAny>> {
    Ok(match number {
        Number::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
        Number::Int(value) => value.into_pyobject(py)?.into_any(),
        Number::Float(value) => PyFloat::new(py, value).into_any(),
        Number::Complex(re, im) => PyComplex::from_doubles(py, re, im).into_any(),
    })
}

/// A result of a function.
pub(crate) fn to_python(py: Python<'_>, value: Value) -> PyResult<Bound<'_, PyAny>> {
    Ok(match value {
        Value::Array(array) => Bound::new(py, NdArray::own(array))?.into_any(),
        Value::Scalar(scalar) => number_to_python(py, scalar.number())?,
        Value::DType(dtype) => numpy::dtype_object(py, dtype)?,
        Value::Str(text) => PyString::new(py, &text).into_any(),
        Value::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
        Value::None => py.None().into_bound(py),
        Value::Tuple(items) => {
            let items = items.into_iter().map(|item| to_python(py, item));
            PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        Value::List(items) => {
            let items = items.into_iter().map(|item| to_python(py, item));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        Value::Slice { .. } | Value::NewAxis | Value::Ellipsis => {
            return Err(PyNotImplementedError::new_err("an item of an index as a result"));
        }
    })
}
