//! New shapes, joining and splitting, repeating and rotating.

use crate::arguments::{Arrays, AxisOptions, Shape};
use crate::array::{
    self, Array, Block, Cuts, Order, try_block, try_broadcast_arrays, try_concatenate_as,
};
use crate::call::bind::Bound;
use crate::call::creation::create::array_as;
use crate::call::support::{COMPOSED, NATIVE, VIEW};
use crate::call::{Function, Value, sequence};
use ndany_core::{Casting, DType, Error, Number, Result, shape};

/// Hands the array `a` (or what stands in its place) to a view and returns the result.
macro_rules! view {
    ($name:literal, $parameters:literal, $facts:expr, |$call:ident, $array:ident| $body:expr) => {
        Function {
            name: $name,
            parameters: $parameters,
            facts: $facts,
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
    ($name:literal, $parameters:literal, $facts:expr, |$call:ident, $array:ident| $body:expr) => {
        Function {
            name: $name,
            parameters: $parameters,
            facts: $facts,
            run: |$call| {
                let first = $parameters.split(' ').next().unwrap_or($parameters);
                let $array = $call.array(first)?;
                Ok(several($body))
            },
        }
    };
}

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.reshape",
        parameters: "a shape order? * copy?",
        facts: VIEW.waits("where the shape is an array"),
        run: reshape,
    },
    view!("np.ravel", "a order?", VIEW, |call, array| array.try_ravel_in(call.order(Order::C)?)?),
    view!("np.ndarray.flatten", "a order?", COMPOSED, |call, array| array
        .try_ravel_in(call.order(Order::C)?)?),
    view!("np.transpose", "a axes?", VIEW, |call, array| match call.some("axes") {
        Some(axes) => array.try_transpose(call.numbers("axes", axes)?.as_slice())?,
        None => array.try_transpose(..)?,
    }),
    view!("np.matrix_transpose", "x", VIEW, |_call, array| array.try_matrix_transpose()?),
    view!("np.moveaxis", "a source destination", VIEW, |call, array| {
        let axes = |name| call.axes(name).and_then(|axes| axes.ok_or_else(|| needs(call, name)));
        array.try_moveaxis(axes("source")?.as_slice(), axes("destination")?.as_slice())?
    }),
    view!("np.rollaxis", "a axis start?", VIEW, |call, array| {
        let axis = call.int("axis")?.ok_or_else(|| needs(call, "axis"))?;
        array.try_rollaxis(axis, call.int("start")?.unwrap_or(0))?
    }),
    view!("np.swapaxes", "a axis1 axis2", VIEW, |call, array| {
        let axis = |name| call.int(name)?.ok_or_else(|| needs(call, name));
        array.try_swapaxes(axis("axis1")?, axis("axis2")?)?
    }),
    view!("np.squeeze", "a axis?", VIEW, |call, array| match call.folded("axis")? {
        Some(axes) => {
            // An axis by itself may be one that a 0-d array has not, those in a tuple may not.
            if let Some(Value::Tuple(_)) = call.get("axis") {
                shape::axis_indices("squeeze", &axes, array.ndim())?;
            }
            array.try_squeeze(axes.as_slice())?
        }
        None => array.try_squeeze(..)?,
    }),
    view!("np.expand_dims", "a axis", VIEW, |call, array| {
        let axes = call.axes("axis")?.ok_or_else(|| needs(call, "axis"))?;
        array.try_expand_dims(axes.as_slice())?
    }),
    view!(
        "np.broadcast_to",
        "array shape subok~",
        VIEW.waits("where the shape is an array"),
        |call, array| array.try_broadcast_to(call.shape("shape")?.as_slice())?
    ),
    Function {
        name: "np.broadcast_arrays",
        parameters: "* subok~ ...",
        facts: VIEW,
        run: |call| {
            let arrays = call.rest_arrays()?;
            try_broadcast_arrays(&arrays.iter().collect::<Vec<_>>()).map(several)
        },
    },
    Function {
        name: "np.atleast_1d",
        parameters: "...",
        facts: VIEW,
        run: |call| widened(call, Array::try_atleast_1d),
    },
    Function {
        name: "np.atleast_2d",
        parameters: "...",
        facts: VIEW,
        run: |call| widened(call, Array::try_atleast_2d),
    },
    Function {
        name: "np.atleast_3d",
        parameters: "...",
        facts: VIEW,
        run: |call| widened(call, Array::try_atleast_3d),
    },
    view!("np.flip", "m axis?", VIEW, |call, array| match call.reduced("axis")? {
        None => array.try_flip(..)?,
        Some(axes) => array.try_flip(axes.as_slice())?,
    }),
    view!("np.flipud", "m", VIEW, |_call, array| array.try_flipud()?),
    view!("np.fliplr", "m", VIEW, |_call, array| array.try_fliplr()?),
    view!("np.rot90", "m k? axes?", VIEW, |call, array| {
        let axes = call.axes("axes")?;
        let axes = axes.as_ref().map_or(&[0, 1][..], |axes| axes.as_slice());
        let axes = <[isize; 2]>::try_from(axes)
            .map_err(|_| call.value_error("axes must be two different axes"))?;
        array.try_rot90(turns(call)?, axes)?
    }),
    view!("np.roll", "a shift axis?", COMPOSED.waits("by an array"), |call, array| {
        // Every extent divides the size, so nothing is lost.
        let size = array.size().max(1) as i128;
        let shifts = truncated(call, "shift")?;
        let shifts: Vec<i64> = shifts.iter().map(|shift| shift.rem_euclid(size) as i64).collect();
        array.try_roll(shifts.as_slice(), AxisOptions::new(call.axes("axis")?))?
    }),
    view!("np.tile", "A reps", COMPOSED, |call, array| {
        let repeats = call.axes("reps")?.ok_or_else(|| needs(call, "reps"))?;
        array.try_tile(repeats.as_slice())?
    }),
    view!(
        "np.resize",
        "a new_shape",
        COMPOSED.waits("where the shape is an array"),
        |call, array| {
            let shape = call.some("new_shape").ok_or_else(|| needs(call, "new_shape"))?;
            if let Value::Array(_) = shape {
                call.sequence("new_shape")?;
            }
            let shape = call.numbers("new_shape", shape)?;
            array.try_resize(shape.as_slice())?
        }
    ),
    Function {
        name: "np.concatenate",
        parameters: "arrays axis? out? * dtype? casting?",
        facts: NATIVE,
        run: |call| {
            let axis = match call.get("axis") {
                Some(Value::None) => None,
                _ => Some(call.axis("axis")?.unwrap_or(0)),
            };
            // Numbers among the arrays, which have no axis, are as weak as in ufuncs.
            let arrays = match (axis, call.get("arrays")) {
                // An array to write into has the dtype; numbers are converted to it then.
                (None, Some(Value::Tuple(items) | Value::List(items)))
                    if call.some("out").is_none() =>
                {
                    let operands = items.iter().map(|item| call.operand_of("arrays", item));
                    sequence::promoted(call, operands.collect::<Result<_>>()?)?
                }
                _ => call.arrays("arrays")?,
            };
            join(call, &arrays, axis)
        },
    },
    Function {
        name: "np.stack",
        parameters: "arrays axis? out? * dtype? casting?",
        facts: COMPOSED,
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
        facts: COMPOSED,
        run: |call| join(call, &each(call, Array::try_atleast_2d)?, Some(0)),
    },
    Function {
        name: "np.hstack",
        parameters: "tup * dtype? casting?",
        facts: COMPOSED,
        run: |call| {
            let arrays = each(call, Array::try_atleast_1d)?;
            let axis = isize::from(arrays.first().is_some_and(|array| array.ndim() > 1));
            join(call, &arrays, Some(axis))
        },
    },
    Function {
        name: "np.dstack",
        parameters: "tup",
        facts: COMPOSED,
        run: |call| {
            let arrays = each(call, Array::try_atleast_3d)?;
            array::try_dstack(&arrays.iter().collect::<Vec<_>>()).map(Value::Array)
        },
    },
    Function {
        name: "np.column_stack",
        parameters: "tup",
        facts: COMPOSED,
        run: |call| {
            let arrays = call.arrays("tup")?;
            array::try_column_stack(&arrays.iter().collect::<Vec<_>>()).map(Value::Array)
        },
    },
    view!("np.repeat", "a repeats axis?", COMPOSED.waits("by an array"), |call, array| {
        let times = call.some("repeats").ok_or_else(|| needs(call, "repeats"))?;
        let axis = call.axis("axis")?;
        match times {
            // What stands in a list becomes an integer.
            Value::Tuple(_) | Value::List(_) => {
                let times = call.array("repeats")?.try_astype(DType::I64)?;
                array.try_repeat(&times, AxisOptions::from(axis))?
            }
            Value::Array(_) => {
                array.try_repeat(&call.array("repeats")?, AxisOptions::from(axis))?
            }
            one => {
                // Nothing, repeated less than not at all, is nothing.
                let extent = axis.map_or(array.size(), |axis| extent_of(&array, axis));
                let times = call.truncated("repeats", one)?;
                let times =
                    Value::from(Number::Int(if extent == 0 { times.max(0) } else { times }));
                array.try_repeat(call.count("repeats", &times)?, AxisOptions::from(axis))?
            }
        }
    }),
    Function {
        name: "np.append",
        parameters: "arr values axis?",
        facts: COMPOSED,
        run: |call| {
            let (array, values) = (call.array("arr")?, call.array("values")?);
            array::try_append(&array, &values, AxisOptions::from(call.axis("axis")?))
                .map(Value::Array)
        },
    },
    Function {
        name: "np.block",
        parameters: "arrays",
        facts: COMPOSED,
        run: |call| {
            let blocks = call.some("arrays").map(|value| blocks(call, value)).transpose()?;
            let blocks = blocks.ok_or_else(|| call.type_error("arrays must be nested lists"))?;
            try_block(&blocks).map(Value::Array)
        },
    },
    views!(
        "np.split",
        "ary indices_or_sections axis?",
        VIEW.waits("at an array"),
        |call, array| {
            integer_parts(call)?;
            array.try_split(cuts(call)?, call.int("axis")?.unwrap_or(0))?
        }
    ),
    views!(
        "np.array_split",
        "ary indices_or_sections axis?",
        VIEW.waits("at an array"),
        |call, array| array.try_array_split(cuts(call)?, call.int("axis")?.unwrap_or(0))?
    ),
    views!("np.hsplit", "ary indices_or_sections", VIEW, |call, array| array
        .try_hsplit(cuts(call)?)?),
    views!("np.vsplit", "ary indices_or_sections", VIEW, |call, array| array
        .try_vsplit(cuts(call)?)?),
    views!("np.dsplit", "ary indices_or_sections", VIEW, |call, array| array
        .try_dsplit(cuts(call)?)?),
    views!("np.unstack", "x * axis?", VIEW, |call, array| {
        array.try_unstack(call.int("axis")?.unwrap_or(0))?
    }),
    view!("np.copy", "a order? subok~", NATIVE, |call, array| {
        array.try_copy_in(call.order(Order::K)?)?
    }),
    Function {
        name: "np.ascontiguousarray",
        parameters: "a dtype? * like=None",
        facts: COMPOSED.views(),
        run: |call| {
            let array = array_as(call, "a", call.dtype("dtype")?)?;
            array.try_ascontiguousarray().map(Value::Array)
        },
    },
    Function {
        name: "np.asfortranarray",
        parameters: "a dtype? * like=None",
        facts: COMPOSED.views(),
        run: |call| {
            let array = array_as(call, "a", call.dtype("dtype")?)?;
            array.try_asfortranarray().map(Value::Array)
        },
    },
];

fn several(arrays: Arrays) -> Value {
    Value::List(arrays.into_iter().map(Value::Array).collect())
}

fn needs(call: &Bound<'_>, name: &str) -> Error {
    call.type_error(format!("{name} must be an integer, or a tuple of them"))
}

fn reshape(call: &Bound<'_>) -> Result<Value> {
    let array = call.array("a")?;
    let shape = match call.some("shape") {
        Some(value) => call.numbers("shape", value)?,
        None => array.shape().iter().map(|&extent| extent as isize).collect(),
    };
    let reshaped = array.try_reshape(Shape::new(&shape[..]).order(call.order(Order::C)?))?;
    if let Some(Value::Str(_)) = call.get("copy") {
        return Err(call.value_error("copy must be a truth value or None, got a text"));
    }
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
        Err(arrays) => several(arrays.into()),
    })
}

fn each(call: &Bound<'_>, change: impl Fn(&Array) -> Result<Array>) -> Result<Vec<Array>> {
    call.arrays("tup")?.iter().map(change).collect()
}

fn join(call: &Bound<'_>, arrays: &[Array], axis: Option<isize>) -> Result<Value> {
    let casting = call.casting("same_kind")?;
    let arrays: Vec<&Array> = arrays.iter().collect();
    let (out, dtype) = (call.out()?, call.dtype("dtype")?);
    let Some(out) = out else {
        return try_concatenate_as(&arrays, axis, dtype, casting).map(Value::Array);
    };
    if dtype.is_some() {
        return Err(call.type_error("out has a dtype: expected out or dtype, got both"));
    }
    let joined = try_concatenate_as(&arrays, axis, Some(out.dtype()), casting);
    // NumPy finds another shape before a dtype.
    let joined = match joined {
        Err(Error::DTypes { .. }) => {
            let joined = try_concatenate_as(&arrays, axis, Some(out.dtype()), Casting::Unsafe)?;
            if joined.shape() == out.shape() {
                try_concatenate_as(&arrays, axis, Some(out.dtype()), casting)?
            } else {
                joined
            }
        }
        other => other?,
    };
    if joined.shape() != out.shape() {
        return Err(call.value_error(call.other_shape(&joined, &out)));
    }
    Ok(Value::Array(joined))
}

fn cuts(call: &Bound<'_>) -> Result<Cuts> {
    const NAME: &str = "indices_or_sections";
    Ok(match call.some(NAME) {
        Some(Value::Tuple(_) | Value::List(_)) => {
            Cuts::Before(call.axes(NAME)?.unwrap_or_default())
        }
        Some(Value::Array(array)) if array.ndim() > 0 => {
            Cuts::Before(call.axes(NAME)?.unwrap_or_default())
        }
        Some(one) => {
            let parts = call.truncated(NAME, one)?;
            Cuts::Parts(isize::try_from(parts).unwrap_or(isize::MAX))
        }
        None => return Err(needs(call, NAME)),
    })
}

/// Equal parts are a whole number of them.
fn integer_parts(call: &Bound<'_>) -> Result<()> {
    match call.get("indices_or_sections") {
        Some(Value::Scalar(scalar)) => match scalar.number() {
            Number::Float(parts) if parts != parts.trunc() => {
                Err(call.value_error("the parts would not be equal"))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Quarters of a turn; NumPy takes parts of one for three of them.
fn turns(call: &Bound<'_>) -> Result<i64> {
    match call.get("k") {
        None => Ok(1),
        Some(Value::Scalar(scalar)) if matches!(scalar.number(), Number::Float(_)) => {
            let turns = call.float("k")?.unwrap_or(1.0).rem_euclid(4.0);
            Ok(if turns == turns.trunc() { turns as i64 } else { 3 })
        }
        Some(value) => Ok(call.int_of("k", value)?.rem_euclid(4) as i64),
    }
}

/// One or several truncated numbers.
fn truncated(call: &Bound<'_>, name: &'static str) -> Result<Vec<i128>> {
    match call.some(name) {
        Some(Value::Tuple(items) | Value::List(items)) => {
            items.iter().map(|item| call.truncated(name, item)).collect()
        }
        Some(Value::Array(array)) if array.ndim() == 1 => {
            let values = array.try_astype(DType::I64)?.to_vec::<i64>()?;
            Ok(values.into_iter().map(i128::from).collect())
        }
        Some(one) => Ok(vec![call.truncated(name, one)?]),
        None => Err(needs(call, name)),
    }
}

/// The extent of an axis, where there is such an axis.
fn extent_of(array: &Array, axis: isize) -> usize {
    shape::axis_index("repeat", axis, array.ndim()).map_or(1, |axis| array.shape()[axis])
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
