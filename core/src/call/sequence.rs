//! Lists and tuples as arrays, as `np.array` makes them: nested to one depth, of the dtype to which all
//! their numbers promote. Arrays may stand in them too.

use num_complex::Complex;

use super::Value;
use super::bind::Bound;
use crate::array::{Array, stack, try_full};
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::scalar::{Number, Scalar};

/// The array that a sequence is.
#[track_caller]
pub(super) fn array(call: &Bound<'_>, items: &[Value]) -> Result<Array> {
    let mut numbers = Vec::new();
    let mut shape = Vec::new();
    if numbers_of(items, 0, &mut shape, &mut numbers)? {
        return of_numbers(&numbers, &shape);
    }
    // Arrays among them: one after the other.
    let parts: Vec<Array> =
        items.iter().map(|item| element(call, item)).collect::<Result<Vec<Array>>>()?;
    if parts.iter().any(|part| part.shape() != parts[0].shape()) {
        return Err(call.value_error("a sequence whose items have different shapes"));
    }
    Ok(stack(&parts.iter().collect::<Vec<_>>(), 0))
}

#[track_caller]
fn element(call: &Bound<'_>, item: &Value) -> Result<Array> {
    match item {
        Value::Array(array) => Ok(array.clone()),
        Value::List(items) | Value::Tuple(items) => array(call, items),
        Value::Scalar(scalar) => try_full((), *scalar, scalar.natural_dtype()),
        Value::Bool(truth) => try_full((), *truth, DType::Bool),
        Value::None
        | Value::Str(_)
        | Value::DType(_)
        | Value::Ellipsis
        | Value::NewAxis
        | Value::Slice { .. } => Err(call.unsupported("a sequence of anything but numbers")),
    }
}

/// Collects the numbers of a sequence that has nothing else; false where there is something else.
fn numbers_of(
    items: &[Value],
    depth: usize,
    shape: &mut Vec<usize>,
    numbers: &mut Vec<Scalar>,
) -> Result<bool> {
    let ragged = || Error::ArgumentValue {
        op: "array".to_string(),
        reason: "a sequence whose items have different lengths".to_string(),
    };
    if depth == shape.len() {
        if !numbers.is_empty() {
            return Err(ragged());
        }
        shape.push(items.len());
    } else if shape[depth] != items.len() {
        return Err(ragged());
    }
    let last = |shape: &[usize]| shape.len() == depth + 1;
    for (position, item) in items.iter().enumerate() {
        match item {
            Value::Scalar(scalar) if last(shape) => numbers.push(*scalar),
            Value::Bool(truth) if last(shape) => numbers.push(Scalar::from(*truth)),
            Value::Scalar(_) | Value::Bool(_) => return Err(ragged()),
            Value::List(_) | Value::Tuple(_) if last(shape) && position > 0 => return Err(ragged()),
            Value::List(inner) | Value::Tuple(inner) => {
                if !numbers_of(inner, depth + 1, shape, numbers)? {
                    return Ok(false);
                }
            }
            Value::Array(_)
            | Value::None
            | Value::Str(_)
            | Value::DType(_)
            | Value::Ellipsis
            | Value::NewAxis
            | Value::Slice { .. } => return Ok(false),
        }
    }
    Ok(true)
}

#[track_caller]
fn of_numbers(numbers: &[Scalar], shape: &[usize]) -> Result<Array> {
    let dtypes = numbers.iter().map(Scalar::natural_dtype);
    let dtype = dtypes.reduce(DType::promote).unwrap_or(DType::F64);
    let int = |number: &Scalar| match number.number() {
        Number::Bool(value) => i128::from(value),
        Number::Int(value) => value,
        Number::Float(value) | Number::Complex(value, _) => value as i128,
    };
    let complex = |number: &Scalar| match number.number() {
        Number::Bool(value) => Complex::new(f64::from(u8::from(value)), 0.0),
        Number::Int(value) => Complex::new(value as f64, 0.0),
        Number::Float(value) => Complex::new(value, 0.0),
        Number::Complex(re, im) => Complex::new(re, im),
    };
    let wide = match dtype.kind() {
        Kind::Bool | Kind::Int if dtype == DType::U64 => {
            let values: Vec<u64> = numbers.iter().map(|number| int(number) as u64).collect();
            Array::try_from_slice(&values, shape)?
        }
        Kind::Bool | Kind::Int => {
            let values: Vec<i64> = numbers.iter().map(|number| int(number) as i64).collect();
            Array::try_from_slice(&values, shape)?
        }
        Kind::Float => {
            let values: Vec<f64> = numbers.iter().map(|number| complex(number).re).collect();
            Array::try_from_slice(&values, shape)?
        }
        Kind::Complex => {
            let values: Vec<Complex<f64>> = numbers.iter().map(complex).collect();
            Array::try_from_slice(&values, shape)?
        }
    };
    wide.try_astype(dtype)
}
