//! New shapes and joining.

use super::bind::Bound;
use super::{Function, Value};
use crate::array::{Array, Axes, try_concatenate, try_stack};
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};

/// Hands the array `a` to a view and returns the result.
macro_rules! view {
    ($name:literal, $parameters:literal, |$call:ident, $array:ident| $body:expr) => {
        Function {
            name: $name,
            parameters: $parameters,
            run: |$call| {
                let $array = $call.array("a")?;
                Ok(Value::Array($body))
            },
        }
    };
}

pub(super) static FUNCTIONS: &[Function] = &[
    Function { name: "np.reshape", parameters: "a shape order? * copy=None", run: reshape },
    view!("np.ravel", "a order?", |call, array| match order(call)? {
        Order::C => array.try_ravel()?,
        Order::Fortran => array.try_transpose(())?.try_ravel()?,
    }),
    view!("np.transpose", "a axes?", |call, array| match call.axes("axes")? {
        Some(axes) => array.try_transpose(axes.as_slice())?,
        None => array.try_transpose(())?,
    }),
    view!("np.moveaxis", "a source destination", |call, array| {
        let axes = |name| call.axes(name).and_then(|axes| axes.ok_or_else(|| needs(call, name)));
        array.try_moveaxis(axes("source")?.as_slice(), axes("destination")?.as_slice())?
    }),
    view!("np.swapaxes", "a axis1 axis2", |call, array| {
        let axis = |name| call.int(name)?.ok_or_else(|| needs(call, name));
        array.try_swapaxes(axis("axis1")?, axis("axis2")?)?
    }),
    view!("np.squeeze", "a axis?", |call, array| match call.axes("axis")? {
        Some(axes) => array.try_squeeze(axes.as_slice())?,
        None => array.try_squeeze(())?,
    }),
    view!("np.expand_dims", "a axis", |call, array| {
        let axes = call.axes("axis")?.ok_or_else(|| needs(call, "axis"))?;
        array.try_expand_dims(axes.as_slice())?
    }),
    Function {
        name: "np.broadcast_to",
        parameters: "array shape subok=False",
        run: |call| {
            let (array, shape) = (call.array("array")?, call.shape("shape")?);
            array.try_broadcast_to(shape.as_slice()).map(Value::Array)
        },
    },
    Function {
        name: "np.flip",
        parameters: "m axis?",
        run: |call| {
            let array = call.array("m")?;
            Ok(Value::Array(match call.reduced("axis")? {
                Axes::All => array.try_flip(())?,
                Axes::Some(axes) => array.try_flip(axes.as_slice())?,
            }))
        },
    },
    Function { name: "np.flipud", parameters: "m", run: |call| flipped(call, 0) },
    Function { name: "np.fliplr", parameters: "m", run: |call| flipped(call, 1) },
    Function {
        name: "np.concatenate",
        parameters: "arrays axis? out=None * dtype? casting=same_kind",
        run: |call| {
            let arrays = call.arrays("arrays")?;
            match call.get("axis") {
                Some(Value::None) => {
                    let flat =
                        arrays.iter().map(Array::try_ravel).collect::<Result<Vec<Array>>>()?;
                    join(call, &flat, 0)
                }
                _ => join(call, &arrays, call.int("axis")?.unwrap_or(0)),
            }
        },
    },
    Function {
        name: "np.stack",
        parameters: "arrays axis? out=None * dtype? casting=same_kind",
        run: |call| {
            let arrays = converted(call, &call.arrays("arrays")?)?;
            let axis = call.int("axis")?.unwrap_or(0);
            try_stack(&arrays.iter().collect::<Vec<_>>(), axis).map(Value::Array)
        },
    },
    Function {
        name: "np.vstack",
        parameters: "tup * dtype? casting=same_kind",
        run: |call| join(call, &at_least(call, 2)?, 0),
    },
    Function {
        name: "np.hstack",
        parameters: "tup * dtype? casting=same_kind",
        run: |call| {
            let arrays = at_least(call, 1)?;
            let axis = isize::from(arrays.first().is_some_and(|array| array.ndim() > 1));
            join(call, &arrays, axis)
        },
    },
    Function {
        name: "np.dstack",
        parameters: "tup",
        run: |call| join(call, &at_least(call, 3)?, 2),
    },
];

fn needs(call: &Bound<'_>, name: &str) -> Error {
    call.type_error(format!("{name} must be an integer, or a tuple of them"))
}

enum Order {
    C,
    Fortran,
}

fn order(call: &Bound<'_>) -> Result<Order> {
    match call.text("order", "C")? {
        "C" => Ok(Order::C),
        "F" => Ok(Order::Fortran),
        "A" | "K" => Err(call.unsupported("an order that depends on strides")),
        other => Err(call.value_error(format!("order is {other:?}: expected \"C\" or \"F\""))),
    }
}

fn reshape(call: &Bound<'_>) -> Result<Value> {
    let array = call.array("a")?;
    let value = call.some("shape").ok_or_else(|| needs(call, "shape"))?;
    let mut shape = call.ints("shape", value)?;
    Ok(Value::Array(match order(call)? {
        Order::C => array.try_reshape(shape.as_slice())?,
        // Counting the first axis fastest is C order of everything reversed.
        Order::Fortran => {
            shape.reverse();
            array.try_transpose(())?.try_reshape(shape.as_slice())?.try_transpose(())?
        }
    }))
}

fn flipped(call: &Bound<'_>, axis: usize) -> Result<Value> {
    let array = call.array("m")?;
    if array.ndim() <= axis {
        return Err(call.value_error(format!(
            "expected at least {} dimensions, got {}",
            axis + 1,
            array.ndim()
        )));
    }
    array.try_flip(axis as isize).map(Value::Array)
}

fn join(call: &Bound<'_>, arrays: &[Array], axis: isize) -> Result<Value> {
    let arrays = converted(call, arrays)?;
    try_concatenate(&arrays.iter().collect::<Vec<_>>(), axis).map(Value::Array)
}

/// The arrays in the dtype asked for, if one was, where NumPy's rule "same_kind" allows it.
fn converted(call: &Bound<'_>, arrays: &[Array]) -> Result<Vec<Array>> {
    // `dstack` has no dtype.
    let Some(dtype) = call.dtype("dtype")? else { return Ok(arrays.to_vec()) };
    let same_kind = |from: DType| match (from.kind(), dtype.kind()) {
        (Kind::Int, Kind::Int) => from.is_unsigned() || !dtype.is_unsigned(),
        (from, to) => from <= to,
    };
    match arrays.iter().find(|array| !same_kind(array.dtype())) {
        Some(array) => {
            Err(call
                .type_error(format!("{} to {dtype} is no conversion within a kind", array.dtype())))
        }
        None => arrays.iter().map(|array| array.try_astype(dtype)).collect(),
    }
}

/// The arrays of `tup` with at least this many dimensions, as `np.atleast_1d`, `_2d` and `_3d`.
fn at_least(call: &Bound<'_>, ndim: usize) -> Result<Vec<Array>> {
    let widen = |array: Array| -> Result<Array> {
        match (ndim, array.ndim()) {
            (3, 0) => array.try_expand_dims([0, 1, 2]),
            (3, 1) => array.try_expand_dims([0, 2]),
            (3, 2) => array.try_expand_dims(2),
            (2, 0) => array.try_expand_dims([0, 1]),
            (2, 1) | (1, 0) => array.try_expand_dims(0),
            _ => Ok(array),
        }
    };
    call.arrays("tup")?.into_iter().map(widen).collect()
}
