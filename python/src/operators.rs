//! The operators of Python, straight to the engine's operations.

#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "the attribute of PyO3 writes calls of unsafe functions where a macro writes the methods; none is written here"
)]

use ndany::exchange::known_error;
use ndany::{Array, Casting, Device, Number, Operand, checked};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyList, PyString, PyTuple};

use crate::cell::NdArray;
use crate::error::Raised;
use crate::numpy::{self, Class};
use crate::{callback, site, value};

/// The other operand, `None` where it is for that one to say what the operator means.
#[inline]
fn operand(other: &Bound<'_, PyAny>, device: impl FnOnce() -> Device) -> PyResult<Option<Operand>> {
    let py = other.py();
    if let Ok(array) = other.cast::<NdArray>() {
        return Ok(Some(Operand::Array(array.get().read(py)?)));
    }
    if let Some(scalar) = value::python_number(other)? {
        return Ok(Some(Operand::Scalar(scalar)));
    }
    slow_operand(other, device())
}

fn slow_operand(other: &Bound<'_, PyAny>, device: Device) -> PyResult<Option<Operand>> {
    let py = other.py();
    if other.is_instance(numpy::class(py, Class::Generic)?)? {
        let value = value::value_of(other)?;
        let ndany::call::Value::Scalar(scalar) = value else { return Ok(None) };
        return Ok(Some(Operand::Scalar(scalar)));
    }
    if other.is_instance_of::<PyComplex>() {
        return Ok(None);
    }
    if other.is_instance_of::<PyList>()
        || other.is_instance_of::<PyTuple>()
        || other.is_instance(numpy::class(py, Class::NdArray)?)?
    {
        return value::array_of(other, &device).map(|array| Some(Operand::Array(array)));
    }
    Ok(None)
}

/// An operation by both operands.
type Binary = fn(Operand, Operand) -> ndany::Result<Array>;

/// Runs an operation. It is lazy, but may compute what is pending: other threads go on meanwhile where that takes time.
#[inline]
fn without_lock(
    py: Python<'_>,
    size: usize,
    run: impl FnOnce() -> ndany::Result<Array> + Send,
) -> ndany::Result<Array> {
    /// Elements that take longer than to give Python's lock back and to take it again.
    const MANY: usize = 4096;
    if size > MANY { py.detach(run) } else { run() }
}

/// A power, whose data may be wrong: an error that is known is raised here.
fn power(x: Operand, y: Operand) -> ndany::Result<Array> {
    let result = checked::pow(x, y)?;
    known_error(&result)?;
    Ok(result)
}

fn matmul(x: Operand, y: Operand) -> ndany::Result<Array> {
    let array = |operand| match operand {
        Operand::Array(array) => Ok(array),
        Operand::Scalar(_) => Err(ndany::Error::ArgumentValue {
            op: "matmul".to_string(),
            reason: "expected arrays of at least one axis, got a number".to_string(),
        }),
    };
    checked::matmul(&array(x)?, &array(y)?)
}

fn new<'py>(py: Python<'py>, array: ndany::Result<Array>) -> PyResult<Bound<'py, PyAny>> {
    Ok(Bound::new(py, NdArray::own(array.raised(py)?))?.into_any())
}

fn not_implemented(py: Python<'_>) -> Bound<'_, PyAny> {
    py.NotImplemented().into_bound(py)
}

/// Whether `__array_ufunc__ = None` says that the other operand takes over.
fn yields(other: &Bound<'_, PyAny>) -> bool {
    let py = other.py();
    other.getattr(intern!(py, "__array_ufunc__")).is_ok_and(|own| own.is_none())
}

#[inline]
fn binary<'py>(
    slf: &Bound<'py, NdArray>,
    other: &Bound<'py, PyAny>,
    run: impl FnOnce(Operand, Operand) -> ndany::Result<Array> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, array) = (slf.py(), slf.get().read(slf.py())?);
    let _site = site::enter(py);
    match operand(other, || array.device().clone())? {
        Some(other) => {
            new(py, without_lock(py, array.size(), || run(Operand::Array(array.clone()), other)))
        }
        None => Ok(not_implemented(py)),
    }
}

#[inline]
fn reflected<'py>(
    slf: &Bound<'py, NdArray>,
    other: &Bound<'py, PyAny>,
    run: Binary,
) -> PyResult<Bound<'py, PyAny>> {
    binary(slf, other, |own, other| run(other, own))
}

fn unary<'py>(
    slf: &Bound<'py, NdArray>,
    run: impl FnOnce(Array) -> ndany::Result<Array>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = slf.py();
    let array = slf.get().read(py)?;
    let _site = site::enter(py);
    new(py, run(array))
}

/// `a += b`: the result goes into the array, whose dtype must take its kind.
fn in_place(
    slf: &Bound<'_, NdArray>,
    other: &Bound<'_, PyAny>,
    run: Binary,
    back: &str,
) -> PyResult<()> {
    let (py, array) = (slf.py(), slf.get().read(slf.py())?);
    let _site = site::enter(py);
    if yields(other) {
        return Err(PyTypeError::new_err("operand takes no part in operations of arrays"));
    }
    let result = match operand(other, || array.device().clone())? {
        Some(other) => without_lock(py, array.size(), || run(Operand::Array(array.clone()), other))
            .raised(py)?,
        // Its own operator says what it is with an array, as that of sparse arrays.
        None => match other
            .getattr_opt(back)?
            .map(|own| callback::call(&own, &PyTuple::new(py, [slf])?))
            .transpose()?
        {
            Some(result) if result.is_instance_of::<NdArray>() => {
                result.cast::<NdArray>()?.get().read(py)?
            }
            _ => return Err(value::refused(other)),
        },
    };
    if result.shape() != array.shape() {
        return Err(PyValueError::new_err(format!(
            "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
            ndany::ShapeText::from(array.shape()),
            ndany::ShapeText::from(result.shape())
        )));
    }
    let (from, to) = (result.dtype(), array.dtype());
    if !from.can_cast(to, Casting::SameKind) {
        return Err(PyTypeError::new_err(format!(
            "Cannot cast output from dtype('{from}') to dtype('{to}') with casting rule 'same_kind'"
        )));
    }
    // The handle would keep the memory from being written in place.
    drop(array);
    slf.get().put(py, result)
}

macro_rules! operators {
    ($($forth:ident $back:ident $into:ident $run:expr;)+) => {
        #[pymethods]
        impl NdArray {
            $(
                fn $forth<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                    binary(slf, other, $run)
                }
                fn $back<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                    reflected(slf, other, $run)
                }
                fn $into(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
                    in_place(slf, other, $run, stringify!($back))
                }
            )+

            fn __pow__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                modulus: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                match modulus.is_none() {
                    true => binary(slf, other, power),
                    false => Ok(not_implemented(slf.py())),
                }
            }
            fn __rpow__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                modulus: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                match modulus.is_none() {
                    true => reflected(slf, other, power),
                    false => Ok(not_implemented(slf.py())),
                }
            }
            fn __ipow__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>, _modulus: &Bound<'_, PyAny>) -> PyResult<()> {
                in_place(slf, other, power, "__rpow__")
            }
            fn __divmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                let (whole, rest) = (binary(slf, other, checked::floor_divide)?, binary(slf, other, checked::remainder)?);
                match whole.is(slf.py().NotImplemented()) {
                    true => Ok(whole),
                    false => Ok(PyTuple::new(slf.py(), [whole, rest])?.into_any()),
                }
            }
            fn __rdivmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                let (whole, rest) =
                    (reflected(slf, other, checked::floor_divide)?, reflected(slf, other, checked::remainder)?);
                match whole.is(slf.py().NotImplemented()) {
                    true => Ok(whole),
                    false => Ok(PyTuple::new(slf.py(), [whole, rest])?.into_any()),
                }
            }

            fn __richcmp__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                compare: CompareOp,
            ) -> PyResult<Bound<'py, PyAny>> {
                let run: Binary = match compare {
                    CompareOp::Lt => checked::less,
                    CompareOp::Le => checked::less_equal,
                    CompareOp::Eq => checked::equal,
                    CompareOp::Ne => checked::not_equal,
                    CompareOp::Gt => checked::greater,
                    CompareOp::Ge => checked::greater_equal,
                };
                let unequal = matches!(compare, CompareOp::Ne);
                let equality = unequal || matches!(compare, CompareOp::Eq);
                // Nothing that is no number equals one.
                if equality && (other.is_none() || other.is_instance_of::<PyString>() || other.is_instance_of::<PyBytes>()) {
                    let array = slf.get().read(slf.py())?;
                    let _guard = array.device().enter();
                    return new(slf.py(), checked::full(array.shape(), unequal, ndany::DType::Bool));
                }
                binary(slf, other, run)
            }
            fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                unary(slf, checked::negative)
            }
            fn __pos__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                unary(slf, checked::positive)
            }
            fn __abs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                unary(slf, checked::abs)
            }
            fn __invert__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                unary(slf, checked::bitwise_invert)
            }

            fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                match real_number(self, py, "int")? {
                    Number::Float(value) => py.get_type::<pyo3::types::PyInt>().call1((value,)),
                    number => py.get_type::<pyo3::types::PyInt>().call1((value::number_to_python(py, number)?,)),
                }
            }
            fn __float__(&self, py: Python<'_>) -> PyResult<f64> {
                value::number_to_python(py, real_number(self, py, "float")?)?.extract()
            }
            fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                let number = value::number_to_python(py, number(self, py)?)?;
                py.get_type::<PyComplex>().call1((number,))
            }
            fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                let array = self.read(py)?;
                match array.dtype().is_int() && array.ndim() == 0 {
                    true => value::number_to_python(py, value::number_in(py, &array)?),
                    false => Err(PyTypeError::new_err("only integer scalar arrays can be converted to a scalar index")),
                }
            }
        }
    };
}

fn number(array: &NdArray, py: Python<'_>) -> PyResult<Number> {
    let array = array.read(py)?;
    match array.size() {
        1 => value::number_in(py, &array),
        _ => Err(PyTypeError::new_err(
            "only arrays of one element can be converted to Python scalars",
        )),
    }
}

fn real_number(array: &NdArray, py: Python<'_>, kind: &str) -> PyResult<Number> {
    match number(array, py)? {
        Number::Complex(..) => Err(PyTypeError::new_err(format!(
            "{kind}() argument must be a string or a real number, not 'complex'"
        ))),
        real => Ok(real),
    }
}

operators! {
    __add__ __radd__ __iadd__ checked::add;
    __sub__ __rsub__ __isub__ checked::subtract;
    __mul__ __rmul__ __imul__ checked::multiply;
    __truediv__ __rtruediv__ __itruediv__ checked::divide;
    __floordiv__ __rfloordiv__ __ifloordiv__ checked::floor_divide;
    __mod__ __rmod__ __imod__ checked::remainder;
    __and__ __rand__ __iand__ checked::bitwise_and;
    __or__ __ror__ __ior__ checked::bitwise_or;
    __xor__ __rxor__ __ixor__ checked::bitwise_xor;
    __lshift__ __rlshift__ __ilshift__ checked::bitwise_left_shift;
    __rshift__ __rrshift__ __irshift__ checked::bitwise_right_shift;
    __matmul__ __rmatmul__ __imatmul__ matmul;
}
