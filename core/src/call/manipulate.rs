//! New shapes, joining and splitting, repeating and rotating.

use super::bind::Bound;
use super::create::array_as;
use super::{Function, Value, sequence};
use crate::array::{
    self, Array, Axes, Block, Cuts, Order, try_block, try_broadcast_arrays, try_concatenate_as,
};
use crate::dtype::Casting;
use crate::error::{Error, Result};
use crate::shape;

/// Hands the array `a` (or what stands in its place) to a view and returns the result.
macro_rules! view {
    ($name:literal, $parameters:literal, |$call:ident, $array:ident| $body:expr) => {
        Function {
            name: $name,
            parameters: $parameters,
            run: |$call| {
                let first = $parameters.split(' ').next().unwrap_or($parameters);
                let $array = $call.array(first)?;
                Ok(Value::Array($body))
            },
        }
    };
}

/// Hands the array to a function that gives several.
macro_rules! views {
    ($name:literal, $parameters:literal, |$call:ident, $array:ident| $body:expr) => {
        Function {
            name: $name,
            parameters: $parameters,
            run: |$call| {
                let first = $parameters.split(' ').next().unwrap_or($parameters);
                let $array = $call.array(first)?;
                Ok(several($body))
            },
        }
    };
}

pub(super) static FUNCTIONS: &[Function] = &[
    Function { name: "np.reshape", parameters: "a shape order? * copy?", run: reshape },
    view!("np.ravel", "a order?", |call, array| array.try_ravel_in(call.order(Order::C)?)?),
    view!("np.ndarray.flatten", "a order?", |call, array| array
        .try_flatten(call.order(Order::C)?)?),
    view!("np.transpose", "a axes?", |call, array| match call.axes("axes")? {
        Some(axes) => array.try_transpose(axes.as_slice())?,
        None => array.try_transpose(())?,
    }),
    view!("np.matrix_transpose", "x", |_call, array| array.try_matrix_transpose()?),
    view!("np.moveaxis", "a source destination", |call, array| {
        let axes = |name| call.axes(name).and_then(|axes| axes.ok_or_else(|| needs(call, name)));
        array.try_moveaxis(axes("source")?.as_slice(), axes("destination")?.as_slice())?
    }),
    view!("np.rollaxis", "a axis start?", |call, array| {
        let axis = call.int("axis")?.ok_or_else(|| needs(call, "axis"))?;
        array.try_rollaxis(axis, call.int("start")?.unwrap_or(0))?
    }),
    view!("np.swapaxes", "a axis1 axis2", |call, array| {
        let axis = |name| call.int(name)?.ok_or_else(|| needs(call, name));
        array.try_swapaxes(axis("axis1")?, axis("axis2")?)?
    }),
    view!("np.squeeze", "a axis?", |call, array| match call.folded("axis")? {
        Axes::Some(axes) => array.try_squeeze(axes.as_slice())?,
        Axes::All => array.try_squeeze(())?,
    }),
    view!("np.expand_dims", "a axis", |call, array| {
        let axes = call.axes("axis")?.ok_or_else(|| needs(call, "axis"))?;
        array.try_expand_dims(axes.as_slice())?
    }),
    view!("np.broadcast_to", "array shape subok=False", |call, array| {
        array.try_broadcast_to(call.shape("shape")?.as_slice())?
    }),
    Function {
        name: "np.broadcast_arrays",
        parameters: "* subok=False ...",
        run: |call| {
            let arrays = call.rest_arrays()?;
            try_broadcast_arrays(&arrays.iter().collect::<Vec<_>>()).map(several)
        },
    },
    Function {
        name: "np.atleast_1d",
        parameters: "...",
        run: |call| widened(call, Array::try_atleast_1d),
    },
    Function {
        name: "np.atleast_2d",
        parameters: "...",
        run: |call| widened(call, Array::try_atleast_2d),
    },
    Function {
        name: "np.atleast_3d",
        parameters: "...",
        run: |call| widened(call, Array::try_atleast_3d),
    },
    view!("np.flip", "m axis?", |call, array| match call.reduced("axis")? {
        Axes::All => array.try_flip(())?,
        Axes::Some(axes) => array.try_flip(axes.as_slice())?,
    }),
    view!("np.flipud", "m", |_call, array| array.try_flipud()?),
    view!("np.fliplr", "m", |_call, array| array.try_fliplr()?),
    view!("np.rot90", "m k? axes?", |call, array| {
        let axes = call.axes("axes")?;
        let axes = axes.as_ref().map_or(&[0, 1][..], |axes| axes.as_slice());
        let axes = <[isize; 2]>::try_from(axes)
            .map_err(|_| call.value_error("axes must be two different axes"))?;
        array.try_rot90(call.int("k")?.unwrap_or(1) as i64, axes)?
    }),
    view!("np.roll", "a shift axis?", |call, array| {
        let shifts = call.axes("shift")?.ok_or_else(|| needs(call, "shift"))?;
        let shifts: Vec<i64> = shifts.iter().map(|&shift| shift as i64).collect();
        array.try_roll(shifts.as_slice(), call.axes("axis")?.as_deref())?
    }),
    view!("np.tile", "A reps", |call, array| {
        let repeats = call.axes("reps")?.ok_or_else(|| needs(call, "reps"))?;
        array.try_tile(repeats.as_slice())?
    }),
    view!("np.resize", "a new_shape", |call, array| {
        let shape = call.axes("new_shape")?.ok_or_else(|| needs(call, "new_shape"))?;
        array.try_resize(shape.as_slice())?
    }),
    Function {
        name: "np.concatenate",
        parameters: "arrays axis? out=None * dtype? casting?",
        run: |call| {
            let axis = match call.get("axis") {
                Some(Value::None) => None,
                _ => Some(call.axis("axis")?.unwrap_or(0)),
            };
            // Numbers among the arrays, which have no axis, are as weak as in ufuncs.
            let arrays = match (axis, call.get("arrays")) {
                (None, Some(Value::Tuple(items) | Value::List(items))) => {
                    let operands = items.iter().map(|item| call.operand_of("arrays", item));
                    sequence::settled(call, operands.collect::<Result<_>>()?)?
                }
                _ => call.arrays("arrays")?,
            };
            join(call, &arrays, axis)
        },
    },
    Function {
        name: "np.stack",
        parameters: "arrays axis? out=None * dtype? casting?",
        run: |call| {
            let arrays = call.arrays("arrays")?;
            let axis = call.int("axis")?.unwrap_or(0);
            if let Some(first) = arrays.first()
                && let Some(other) = arrays.iter().find(|array| array.shape() != first.shape())
            {
                let expected = format!("{:?}", first.shape());
                return Err(Error::Shape { op: "stack", expected, got: other.shape().into() });
            }
            let arrays = arrays.iter().map(|array| array.try_expand_dims(axis));
            join(call, &arrays.collect::<Result<Vec<_>>>()?, Some(axis))
        },
    },
    Function {
        name: "np.vstack",
        parameters: "tup * dtype? casting?",
        run: |call| join(call, &each(call, Array::try_atleast_2d)?, Some(0)),
    },
    Function {
        name: "np.hstack",
        parameters: "tup * dtype? casting?",
        run: |call| {
            let arrays = each(call, Array::try_atleast_1d)?;
            let axis = isize::from(arrays.first().is_some_and(|array| array.ndim() > 1));
            join(call, &arrays, Some(axis))
        },
    },
    Function {
        name: "np.dstack",
        parameters: "tup",
        run: |call| {
            let arrays = each(call, Array::try_atleast_3d)?;
            array::try_dstack(&arrays.iter().collect::<Vec<_>>()).map(Value::Array)
        },
    },
    Function {
        name: "np.column_stack",
        parameters: "tup",
        run: |call| {
            let arrays = call.arrays("tup")?;
            array::try_column_stack(&arrays.iter().collect::<Vec<_>>()).map(Value::Array)
        },
    },
    view!("np.repeat", "a repeats axis?", |call, array| {
        let times = call.some("repeats").ok_or_else(|| needs(call, "repeats"))?;
        let axis = call.axis("axis")?;
        match times {
            Value::Tuple(_) | Value::List(_) | Value::Array(_) => {
                array.try_repeat_each(&call.array("repeats")?, axis)?
            }
            one => array.try_repeat(call.count("repeats", one)?, axis)?,
        }
    }),
    Function {
        name: "np.append",
        parameters: "arr values axis?",
        run: |call| {
            let (array, values) = (call.array("arr")?, call.array("values")?);
            array::try_append(&array, &values, call.some_int("axis")?).map(Value::Array)
        },
    },
    Function {
        name: "np.block",
        parameters: "arrays",
        run: |call| {
            let blocks = call.some("arrays").map(|value| blocks(call, value)).transpose()?;
            let blocks = blocks.ok_or_else(|| call.type_error("arrays must be nested lists"))?;
            try_block(&blocks).map(Value::Array)
        },
    },
    views!("np.split", "ary indices_or_sections axis?", |call, array| {
        array.try_split(cuts(call)?, call.int("axis")?.unwrap_or(0))?
    }),
    views!("np.array_split", "ary indices_or_sections axis?", |call, array| {
        array.try_array_split(cuts(call)?, call.int("axis")?.unwrap_or(0))?
    }),
    views!("np.hsplit", "ary indices_or_sections", |call, array| array.try_hsplit(cuts(call)?)?),
    views!("np.vsplit", "ary indices_or_sections", |call, array| array.try_vsplit(cuts(call)?)?),
    views!("np.dsplit", "ary indices_or_sections", |call, array| array.try_dsplit(cuts(call)?)?),
    views!("np.unstack", "x * axis?", |call, array| {
        array.try_unstack(call.int("axis")?.unwrap_or(0))?
    }),
    view!("np.copy", "a order? subok=False", |call, array| {
        array.try_copy_in(call.order(Order::K)?)?
    }),
    Function {
        name: "np.ascontiguousarray",
        parameters: "a dtype? * like=None",
        run: |call| {
            let array = array_as(call, "a", call.dtype("dtype")?)?;
            array.try_ascontiguousarray().map(Value::Array)
        },
    },
    Function {
        name: "np.asfortranarray",
        parameters: "a dtype? * like=None",
        run: |call| {
            let array = array_as(call, "a", call.dtype("dtype")?)?;
            array.try_asfortranarray().map(Value::Array)
        },
    },
];

fn several(arrays: Vec<Array>) -> Value {
    Value::List(arrays.into_iter().map(Value::Array).collect())
}

fn needs(call: &Bound<'_>, name: &str) -> Error {
    call.type_error(format!("{name} must be an integer, or a tuple of them"))
}

fn reshape(call: &Bound<'_>) -> Result<Value> {
    let array = call.array("a")?;
    let value = call.some("shape").ok_or_else(|| needs(call, "shape"))?;
    let shape = call.ints("shape", value)?;
    let reshaped = array.try_reshape_in(shape.as_slice(), call.order(Order::C)?)?;
    // Arrays being values, a copy differs by its memory only; but a view can be insisted on.
    let copied = !std::sync::Arc::ptr_eq(reshaped.node(), array.node());
    match call.some("copy") {
        Some(_) if !call.flag("copy", true)? && copied => {
            Err(call.value_error("no view of this shape is possible: allow a copy"))
        }
        Some(_) if call.flag("copy", true)? && !copied => reshaped.try_copy().map(Value::Array),
        _ => Ok(Value::Array(reshaped)),
    }
}

/// The arrays given by position, each changed; one alone comes back alone.
fn widened(call: &Bound<'_>, change: impl Fn(&Array) -> Result<Array>) -> Result<Value> {
    let arrays = call.rest_arrays()?.iter().map(change).collect::<Result<Vec<_>>>()?;
    Ok(match <[Array; 1]>::try_from(arrays) {
        Ok([one]) => Value::Array(one),
        Err(arrays) => several(arrays),
    })
}

fn each(call: &Bound<'_>, change: impl Fn(&Array) -> Result<Array>) -> Result<Vec<Array>> {
    call.arrays("tup")?.iter().map(change).collect()
}

fn join(call: &Bound<'_>, arrays: &[Array], axis: Option<isize>) -> Result<Value> {
    let casting = call.text("casting", "same_kind")?;
    let casting = Casting::from_name(casting)
        .ok_or_else(|| call.value_error(format!("no rule of casting is called {casting:?}")))?;
    let arrays: Vec<&Array> = arrays.iter().collect();
    try_concatenate_as(&arrays, axis, call.dtype("dtype")?, casting).map(Value::Array)
}

fn cuts(call: &Bound<'_>) -> Result<Cuts> {
    const NAME: &str = "indices_or_sections";
    Ok(match call.some(NAME) {
        Some(Value::Tuple(_) | Value::List(_) | Value::Array(_)) => {
            Cuts::Before(call.axes(NAME)?.unwrap_or_default())
        }
        _ => Cuts::Parts(call.int(NAME)?.ok_or_else(|| needs(call, NAME))?),
    })
}

/// Nested lists of arrays and numbers.
fn blocks(call: &Bound<'_>, value: &Value) -> Result<Block> {
    // No array has more axes; deeper lists could only exhaust the stack.
    fn at(call: &Bound<'_>, value: &Value, depth: usize) -> Result<Block> {
        match value {
            _ if depth > shape::MAX_NDIM => {
                Err(Error::TooManyDimensions { op: "block", ndim: depth })
            }
            Value::List(items) => {
                let items = items.iter().map(|item| at(call, item, depth + 1));
                Ok(Block::List(items.collect::<Result<_>>()?))
            }
            Value::Tuple(_) => Err(call.type_error("blocks are nested in lists, not in tuples")),
            one => call.array_of("arrays", one).map(Block::Array),
        }
    }
    at(call, value, 0)
}
