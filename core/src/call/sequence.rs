//! Nested sequences of numbers and arrays, read as the array that NumPy makes of them.

use super::Value;
use super::bind::Bound;
use crate::array::{Array, try_full, try_zeros};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::shape::{self, Shape};

/// What a sequence holds, flat.
enum Leaf<'a> {
    Number(Scalar),
    Array(&'a Array),
}

/// `np.array(value)`.
#[track_caller]
pub(super) fn array(call: &Bound<'_>, name: &str, value: &Value) -> Result<Array> {
    let mut leaves = Vec::new();
    let shape = walk(call, name, value, 0, &mut leaves)?;
    if leaves.is_empty() {
        return try_zeros(shape.as_slice(), DType::F64);
    }
    // Python's numbers are weak among arrays' dtypes only where a ufunc meets them; an array is made of
    // their own types.
    let own = |leaf: &Leaf<'_>| match leaf {
        Leaf::Number(scalar) => scalar.natural_dtype(),
        Leaf::Array(array) => array.dtype(),
    };
    let dtype = leaves.iter().map(own).reduce(DType::promote).unwrap_or(DType::F64);
    let numbers: Option<Vec<Scalar>> = leaves
        .iter()
        .map(|leaf| match leaf {
            Leaf::Number(scalar) => Some(*scalar),
            Leaf::Array(_) => None,
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
    let parts = leaves.iter().map(|leaf| match leaf {
        Leaf::Number(scalar) => try_full((), *scalar, dtype),
        Leaf::Array(array) => Ok((*array).clone()),
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    let stacked = crate::try_stack(&parts.iter().collect::<Vec<_>>(), 0)?;
    let shape: Vec<isize> = shape.iter().map(|&extent| extent as isize).collect();
    stacked.try_astype(dtype)?.try_reshape(shape.as_slice())
}

/// Collects the leaves and returns the shape, which must be the same all over.
fn walk<'a>(
    call: &Bound<'_>,
    name: &str,
    value: &'a Value,
    depth: usize,
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
                let shape = walk(call, name, item, depth + 1, leaves)?;
                if inner.as_ref().is_some_and(|inner| *inner != shape) {
                    return Err(call.value_error(format!("{name} is a ragged sequence")));
                }
                inner = Some(shape);
            }
            let mut shape = inner.unwrap_or_default();
            shape.insert(0, items.len());
            return Ok(shape);
        }
        Value::DType(_)
        | Value::Str(_)
        | Value::None
        | Value::Slice { .. }
        | Value::NewAxis
        | Value::Ellipsis => {
            return Err(call.type_error(format!("{name} must be a sequence of numbers")));
        }
    }
    Ok(Shape::new())
}
