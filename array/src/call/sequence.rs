//! Nested sequences of numbers and arrays, read as the array that NumPy makes of them.

use super::Value;
use super::bind::Bound;
use super::indexing::index;
use crate::array::{Array, try_full, try_zeros};
use crate::graph::{self, Operand};
use crate::scalar::Scalar;
use ndany_core::shape::{self, Shape};
use ndany_core::{DType, Error, Kind, Result};

/// Operands of a function that is no ufunc, as arrays.
#[track_caller]
pub(super) fn promoted(call: &Bound<'_>, mut operands: Vec<Operand>) -> Result<Vec<Array>> {
    graph::promote_scalars(call.op(), &mut operands)?;
    let array = |operand| match operand {
        Operand::Array(array) => Ok(array),
        Operand::Scalar(scalar) => try_full((), scalar, scalar.natural_dtype()),
    };
    operands.into_iter().map(array).collect()
}

/// What a sequence holds, flat.
enum Leaf<'a> {
    Number(Scalar),
    Array(&'a Array),
    /// No number. A sequence that is ragged as well is said to be that.
    Other,
}

/// What `None` becomes where a dtype is asked for: no number among floats, false among truth values.
pub(super) fn none_as(call: &Bound<'_>, name: &str, dtype: DType) -> Result<Scalar> {
    match dtype.kind() {
        Kind::Bool => Ok(Scalar::from(false)),
        Kind::Int => Err(call.type_error(format!("{name} must be a number, got None"))),
        Kind::Float => Ok(Scalar::from(f64::NAN)),
        Kind::Complex => Ok(Scalar::weak_complex(f64::NAN, f64::NAN)),
    }
}

/// `np.array(value)`.
#[track_caller]
pub(super) fn array(call: &Bound<'_>, name: &str, value: &Value) -> Result<Array> {
    made(call, name, value, None)
}

/// `np.array(value, dtype)`, which asks of each number whether the dtype takes it.
#[track_caller]
pub(super) fn array_as(call: &Bound<'_>, name: &str, value: &Value, dtype: DType) -> Result<Array> {
    made(call, name, value, Some(dtype))
}

#[track_caller]
fn made(call: &Bound<'_>, name: &str, value: &Value, wanted: Option<DType>) -> Result<Array> {
    let mut leaves = Vec::new();
    let shape = walk(call, name, value, 0, wanted, &mut leaves)?;
    if leaves.iter().any(|leaf| matches!(leaf, Leaf::Other)) {
        return Err(call.type_error(format!("{name} must be a sequence of numbers")));
    }
    if leaves.is_empty() {
        return try_zeros(shape.as_slice(), wanted.unwrap_or(DType::F64));
    }
    // Python's numbers are weak among arrays' dtypes only where a ufunc meets them; an array is made of
    // their own types, as NumPy does one after the other.
    let own = |leaf: &Leaf<'_>| match leaf {
        Leaf::Number(scalar) => scalar.natural_dtype(),
        Leaf::Array(array) => array.dtype(),
        Leaf::Other => unreachable!("refused above"),
    };
    let promoted = leaves.iter().map(own).reduce(DType::promote);
    let dtype = wanted.or(promoted).unwrap_or(DType::F64);
    if wanted.is_some() {
        for leaf in &leaves {
            if let Leaf::Number(scalar) = leaf {
                index::assignable(call, scalar, dtype)?;
            }
        }
    }
    let numbers: Option<Vec<Scalar>> = leaves
        .iter()
        .map(|leaf| match leaf {
            Leaf::Number(scalar) => Some(*scalar),
            Leaf::Array(_) | Leaf::Other => None,
        })
        .collect();
    if let Some(numbers) = numbers {
        let size = dtype.size();
        let mut bytes = vec![0; numbers.len() * size];
        for (number, bytes) in numbers.iter().zip(bytes.chunks_exact_mut(size)) {
            let part = dtype.part().size();
            for (bits, bytes) in
                number.bits_as("array", dtype)?.iter().zip(bytes.chunks_exact_mut(part))
            {
                bytes.copy_from_slice(&bits.to_le_bytes()[..part]);
            }
        }
        return Array::from_bytes(dtype, &shape, &bytes, &crate::Device::current());
    }
    // A list of numbers may stand beside an array.
    let parts = leaves.iter().map(|leaf| match leaf {
        Leaf::Number(scalar) => try_full(1, *scalar, dtype),
        // Each by itself: on the way through another dtype values could be lost.
        Leaf::Array(array) => array.try_astype(wanted.unwrap_or(array.dtype()))?.try_ravel(),
        Leaf::Other => unreachable!("refused above"),
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    let joined = crate::checked::concatenate(&parts.iter().collect::<Vec<_>>(), 0)?;
    let shape: Vec<isize> = shape.iter().map(|&extent| extent as isize).collect();
    joined.try_astype(dtype)?.try_reshape(shape.as_slice())
}

/// Collects the leaves and returns the shape, which must be the same all over.
fn walk<'a>(
    call: &Bound<'_>,
    name: &str,
    value: &'a Value,
    depth: usize,
    wanted: Option<DType>,
    leaves: &mut Vec<Leaf<'a>>,
) -> Result<Shape> {
    if depth > shape::MAX_NDIM {
        return Err(Error::TooManyDimensions { op: call.op(), ndim: depth });
    }
    match value {
        Value::Scalar(scalar) => leaves.push(Leaf::Number(*scalar)),
        Value::Bool(flag) => leaves.push(Leaf::Number(Scalar::from(*flag))),
        Value::Array(array) => {
            leaves.push(Leaf::Array(array));
            return Ok(Shape::from_slice(array.shape()));
        }
        Value::Tuple(items) | Value::List(items) => {
            let mut inner: Option<Shape> = None;
            for item in items {
                let shape = walk(call, name, item, depth + 1, wanted, leaves)?;
                if inner.as_ref().is_some_and(|inner| *inner != shape) {
                    return Err(call.value_error(format!("{name} is a ragged sequence")));
                }
                inner = Some(shape);
            }
            let mut shape = inner.unwrap_or_default();
            shape.insert(0, items.len());
            return Ok(shape);
        }
        Value::None if wanted.is_some() => {
            let dtype = wanted.unwrap_or(DType::F64);
            leaves.push(Leaf::Number(none_as(call, name, dtype)?));
        }
        Value::DType(_)
        | Value::Str(_)
        | Value::None
        | Value::Slice { .. }
        | Value::NewAxis
        | Value::Ellipsis => leaves.push(Leaf::Other),
    }
    Ok(Shape::new())
}
