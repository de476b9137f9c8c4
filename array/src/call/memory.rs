//! The shapes and memory of arrays: broadcasting, strides, what two arrays share.

use super::bind::Bound;
use super::support::VIEW;
use super::{Function, Value};
use crate::array::{self, Array};
use crate::scalar::Scalar;
use ndany_core::Result;

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.ndim",
        parameters: "a",
        facts: VIEW,
        run: |call| Ok(count(shape_of(call)?.len())),
    },
    Function {
        name: "np.shape",
        parameters: "a",
        facts: VIEW,
        run: |call| Ok(extents(&shape_of(call)?)),
    },
    Function {
        name: "np.size",
        parameters: "a axis?",
        facts: VIEW,
        run: |call| {
            let shape = shape_of(call)?;
            match call.axes("axis")? {
                None => Ok(count(shape.iter().product())),
                Some(axes) => {
                    let axes = ndany_core::shape::axis_indices("size", &axes, shape.len())?;
                    Ok(count(axes.iter().map(|&axis| shape[axis]).product()))
                }
            }
        },
    },
    Function {
        name: "np.broadcast_shapes",
        parameters: "...",
        facts: VIEW,
        run: |call| {
            let shapes = call.rest.iter().map(|value| {
                let items = call.ints("a shape", value)?;
                let extent = |&item: &isize| {
                    usize::try_from(item).map_err(|_| call.value_error("a negative extent"))
                };
                items.iter().map(extent).collect::<Result<Vec<usize>>>()
            });
            let shapes = shapes.collect::<Result<Vec<_>>>()?;
            let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
            Ok(extents(&array::try_broadcast_shapes(&shapes)?))
        },
    },
    Function {
        // The shape, which is what a broadcast object knows.
        name: "np.broadcast",
        parameters: "first ...",
        facts: VIEW,
        run: |call| {
            let arrays = call.get("first").into_iter().chain(call.rest);
            let arrays = arrays.map(|value| call.array_of("an array", value));
            let arrays = arrays.collect::<Result<Vec<_>>>()?;
            let shapes: Vec<&[usize]> = arrays.iter().map(Array::shape).collect();
            Ok(extents(&array::try_broadcast_shapes(&shapes)?))
        },
    },
    Function {
        name: "np.isfortran",
        parameters: "a",
        facts: VIEW,
        run: |call| Ok(Value::Bool(call.array("a")?.isfortran())),
    },
    Function {
        name: "np.shares_memory",
        parameters: "a b max_work=None",
        facts: VIEW,
        run: |call| Ok(Value::Bool(call.array("a")?.shares_memory(&call.array("b")?))),
    },
    Function {
        name: "np.may_share_memory",
        parameters: "a b max_work=None",
        facts: VIEW,
        run: |call| Ok(Value::Bool(call.array("a")?.may_share_memory(&call.array("b")?))),
    },
    Function {
        name: "np.ndarray.view",
        parameters: "a dtype?",
        facts: VIEW,
        run: |call| {
            let a = call.array("a")?;
            let dtype = call.dtype("dtype")?.unwrap_or(a.dtype());
            a.try_view(dtype).map(Value::Array)
        },
    },
    Function {
        name: "np.lib.array_utils.byte_bounds",
        parameters: "a",
        facts: VIEW,
        run: |call| {
            let (low, high) = call.array("a")?.byte_bounds();
            Ok(extents(&[low, high]))
        },
    },
    Function {
        name: "np.lib.stride_tricks.as_strided",
        parameters: "x shape? strides? subok~ writeable~",
        facts: VIEW,
        run: |call| {
            let x = call.array("x")?;
            let shape = match call.some("shape") {
                Some(_) => call.shape("shape")?,
                None => x.shape().into(),
            };
            let size = x.dtype().size() as isize;
            let empty = shape.contains(&0);
            let strides = match call.some("strides") {
                None => x.strides().to_vec(),
                // NumPy counts bytes. An axis of one element makes no step, and none is made
                // where there are no elements.
                Some(value) => call
                    .ints("strides", value)?
                    .iter()
                    .enumerate()
                    .map(|(axis, &bytes)| match bytes % size {
                        0 => Ok(bytes / size),
                        _ if empty || shape.get(axis) == Some(&1) => Ok(0),
                        _ => Err(call.unsupported(format!(
                            "strides are whole elements: expected a multiple of {size} bytes, got {bytes}"
                        ))),
                    })
                    .collect::<Result<_>>()?,
            };
            x.try_as_strided(&shape, &strides).map(Value::Array)
        },
    },
];

/// The shape of the argument; one object, such as `None`, has no axes.
fn shape_of(call: &Bound<'_>) -> Result<Vec<usize>> {
    match call.get("a") {
        Some(Value::None) => Ok(Vec::new()),
        _ => Ok(call.array("a")?.shape().to_vec()),
    }
}

fn count(count: usize) -> Value {
    Value::Scalar(Scalar::from(count))
}

fn extents(shape: &[usize]) -> Value {
    Value::Tuple(shape.iter().map(|&extent| count(extent)).collect())
}
