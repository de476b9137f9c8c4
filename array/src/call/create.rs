//! Creation: NumPy's forms and defaults.

use super::bind::Bound;
use super::support::{COMPOSED, NATIVE, VIEW};
use super::{Function, Value, sequence};
use crate::arguments::Arange;
use crate::arguments::Eye;
use crate::arguments::Shape;
use crate::array::{self, Array, Like, Linspace, Order};
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::{DType, Error, Number, Result};

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.zeros",
        parameters: "shape dtype? order? * device=None like=None",
        facts: NATIVE.waits("where the shape is an array"),
        run: |call| filled(call, Scalar::from(0), None),
    },
    Function {
        name: "np.ones",
        parameters: "shape dtype? order? * device=None like=None",
        facts: NATIVE.waits("where the shape is an array"),
        run: |call| filled(call, Scalar::from(1), None),
    },
    Function {
        name: "np.empty",
        parameters: "shape dtype? order? * device=None like=None",
        facts: NATIVE,
        run: |call| filled(call, Scalar::from(0), None),
    },
    Function {
        name: "np.full",
        parameters: "shape fill_value dtype? order? * device=None like=None",
        facts: NATIVE.waits("where the shape is an array"),
        run: full,
    },
    Function {
        name: "np.zeros_like",
        parameters: "a dtype? order? subok~ shape? * device=None",
        facts: NATIVE,
        run: |call| like(call, Operand::from(0)),
    },
    Function {
        name: "np.ones_like",
        parameters: "a dtype? order? subok~ shape? * device=None",
        facts: NATIVE,
        run: |call| like(call, Operand::from(1)),
    },
    Function {
        name: "np.empty_like",
        parameters: "prototype dtype? order? subok~ shape? * device=None",
        facts: NATIVE,
        run: |call| like(call, Operand::from(0)),
    },
    Function {
        name: "np.full_like",
        parameters: "a fill_value dtype? order? subok~ shape? * device=None",
        facts: NATIVE,
        run: |call| {
            if let Some(Value::None) = call.get("fill_value") {
                let dtype = match call.dtype("dtype")? {
                    Some(dtype) => dtype,
                    None => call.array("a")?.dtype(),
                };
                return like(call, Operand::Scalar(sequence::none_as(call, "fill_value", dtype)?));
            }
            like(call, call.operand("fill_value")?)
        },
    },
    Function {
        name: "np.array",
        parameters: "object dtype? * copy? order? subok~ ndmin? like=None",
        facts: COMPOSED,
        run: |call| made(call, "object"),
    },
    Function {
        name: "np.asarray",
        parameters: "a dtype? order? * device=None copy? like=None",
        facts: VIEW,
        run: |call| made(call, "a"),
    },
    Function {
        name: "np.arange",
        parameters: "start? stop? step? dtype? * device=None like=None",
        facts: NATIVE.waits("between arrays"),
        run: arange,
    },
    Function {
        name: "np.linspace",
        parameters: "start stop num? endpoint? retstep? dtype? axis? * device=None",
        facts: COMPOSED,
        run: |call| {
            let (start, stop) = (call.operand("start")?, call.operand("stop")?);
            let (values, step) = array::ranges::try_linspace_step(start, stop, spacing(call)?)?;
            Ok(match call.flag("retstep", false)? {
                true => Value::Tuple(vec![Value::Array(values), Value::Array(step)]),
                false => Value::Array(values),
            })
        },
    },
    Function {
        name: "np.logspace",
        parameters: "start stop num? endpoint? base? dtype? axis?",
        facts: COMPOSED,
        run: |call| {
            let base = match call.get("base") {
                Some(_) => call.operand("base")?,
                None => Operand::from(10.0),
            };
            let (start, stop) = (call.operand("start")?, call.operand("stop")?);
            array::try_logspace(start, stop, base, spacing(call)?).map(Value::Array)
        },
    },
    Function {
        name: "np.geomspace",
        parameters: "start stop num? endpoint? dtype? axis?",
        facts: COMPOSED.waits("always"),
        run: |call| {
            let (start, stop) = (call.operand("start")?, call.operand("stop")?);
            array::try_geomspace(start, stop, spacing(call)?).map(Value::Array)
        },
    },
    Function {
        name: "np.eye",
        parameters: "N M? k? dtype? order? * device=None like=None",
        facts: COMPOSED,
        run: |call| {
            let rows = some_extent(call, "N")?;
            let rows = rows.ok_or_else(|| call.type_error("N must be an integer"))?;
            let columns = some_extent(call, "M")?.unwrap_or(rows);
            let dtype = call.dtype("dtype")?.unwrap_or(DType::F64);
            let diagonal = call.get("k").map_or(Ok(0), |value| call.int_of("k", value))?;
            // Far outside every diagonal is the same.
            let diagonal = diagonal.clamp(-i128::from(i64::MAX), i128::from(i64::MAX)) as isize;
            let order = plain_order(call)?;
            let eye = array::try_eye(Eye::of(rows, columns, diagonal, dtype))?;
            if order == Order::C { Ok(eye) } else { eye.try_copy_in(order) }.map(Value::Array)
        },
    },
    Function {
        name: "np.identity",
        parameters: "n dtype? * like=None",
        facts: COMPOSED,
        run: |call| {
            let size = some_extent(call, "n")?;
            let size = size.ok_or_else(|| call.type_error("n must be an integer"))?;
            let dtype = call.dtype("dtype")?.unwrap_or(DType::F64);
            array::try_eye(Eye::of(size, size, 0, dtype)).map(Value::Array)
        },
    },
];

/// An extent that may be missing or `None`.
fn some_extent(call: &Bound<'_>, name: &str) -> Result<Option<usize>> {
    call.some(name).map(|value| call.extent(name, value)).transpose()
}

/// C or F, as functions take it that make an array of nothing.
pub(super) fn plain_order(call: &Bound<'_>) -> Result<Order> {
    match call.order(Order::C)? {
        order @ (Order::C | Order::F) => Ok(order),
        Order::A | Order::K => Err(call.value_error("only C or F order is permitted")),
    }
}

fn filled(call: &Bound<'_>, value: Scalar, dtype: Option<DType>) -> Result<Value> {
    let dtype = call.dtype("dtype")?.or(dtype).unwrap_or(DType::F64);
    let (shape, order) = (call.shape("shape")?, plain_order(call)?);
    array::try_full(Shape::new(&shape[..]).order(order), value, dtype).map(Value::Array)
}

fn full(call: &Bound<'_>) -> Result<Value> {
    if let (Some(Value::None), Some(dtype)) = (call.get("fill_value"), call.dtype("dtype")?) {
        return filled(call, sequence::none_as(call, "fill_value", dtype)?, None);
    }
    match call.operand("fill_value")? {
        Operand::Scalar(scalar) => filled(call, scalar, Some(scalar.natural_dtype())),
        Operand::Array(values) => {
            let dtype = call.dtype("dtype")?.unwrap_or(values.dtype());
            let spread = values.try_broadcast_to(call.shape("shape")?.as_slice())?;
            spread.try_astype(dtype)?.try_copy_in(plain_order(call)?).map(Value::Array)
        }
    }
}

fn like(call: &Bound<'_>, value: Operand) -> Result<Value> {
    let model = call.array(if call.get("a").is_some() { "a" } else { "prototype" })?;
    let like = Like {
        dtype: call.dtype("dtype")?,
        order: call.order(Order::K)?,
        shape: call.some("shape").map(|_| call.shape("shape")).transpose()?,
    };
    Ok(Value::Array(match value {
        Operand::Scalar(value) => model.try_full_like_as(value, like)?,
        Operand::Array(values) => {
            let blank = model.try_full_like_as(false, like)?;
            let spread = values.try_broadcast_to(blank.shape())?.try_astype(blank.dtype())?;
            // As the blank lies.
            let mut made = blank.try_copy_in(Order::K)?;
            made.set(crate::Ellipsis, &spread)?;
            made
        }
    }))
}

/// An argument as an array of a dtype, where there is one: of numbers each must have a value in it.
#[track_caller]
pub(super) fn array_as(call: &Bound<'_>, name: &str, dtype: Option<DType>) -> Result<Array> {
    let (Some(dtype), Some(value)) = (dtype, call.get(name)) else { return call.array(name) };
    match value {
        // A number that has a dtype is an array of it, which is cast.
        Value::Scalar(scalar) if scalar.dtype().is_some() => call.array(name)?.try_astype(dtype),
        Value::Scalar(_) | Value::Bool(_) | Value::Tuple(_) | Value::List(_) | Value::None => {
            sequence::array_as(call, name, value, dtype)
        }
        _ => call.array(name)?.try_astype(dtype),
    }
}

/// `np.array` and `np.asarray`: an array, or nested sequences of numbers, as an array of a dtype, an
/// order and a least number of dimensions.
fn made(call: &Bound<'_>, name: &str) -> Result<Value> {
    let dtype = call.dtype("dtype")?;
    let is_array = matches!(call.get(name), Some(Value::Array(_)));
    let given = array_as(call, name, dtype.filter(|_| !is_array))?;
    let order = call.order(Order::K)?;
    let mut made = given.try_astype_in(dtype.unwrap_or(given.dtype()), order)?;
    let copied = !is_array || !std::sync::Arc::ptr_eq(given.node(), made.node());
    if let Some(Value::Str(_)) = call.get("copy") {
        return Err(call.value_error("copy must be a truth value or None, got a text"));
    }
    if call.some("copy").is_some() && !call.flag("copy", true)? && copied {
        return Err(call.value_error("a copy is needed: allow one"));
    }
    if let Some(least) = call.some_int("ndmin")? {
        while (made.ndim() as isize) < least {
            made = made.try_expand_dims(0)?;
        }
    }
    Ok(Value::Array(made))
}

/// `arange(stop)`, `arange(start, stop)`, `arange(start, stop, step)`.
fn arange(call: &Bound<'_>) -> Result<Value> {
    for name in ["start", "stop", "step"] {
        if let Some(list @ (Value::List(_) | Value::Tuple(_))) = call.get(name) {
            // A ragged sequence is said before one that is no number.
            sequence::array(call, name, list)?;
        }
    }
    let (first, second) = (call.scalar("start")?, call.scalar("stop")?);
    let (start, stop) = match (first, second) {
        (start, Some(stop)) => match (start, call.get("start")) {
            (None, Some(_)) => return Err(call.type_error("start must be a number")),
            (start, _) => (start.unwrap_or(Scalar::from(0)), stop),
        },
        (Some(stop), None) if call.by_position > 0 => (Scalar::from(0), stop),
        (_, None) => return Err(call.type_error("stop is missing")),
    };
    let step = call.scalar("step")?.unwrap_or(Scalar::from(1));
    let zero = match step.number() {
        Number::Int(value) => value == 0,
        Number::Bool(value) => !value,
        Number::Float(value) => value == 0.0,
        Number::Complex(..) => false,
    };
    if zero && step.dtype().is_none() {
        // NumPy divides Python numbers here, and reports what that reports.
        return Err(Error::ZeroDivision { op: "arange" });
    }
    let dtype = call.dtype("dtype")?;
    let range = array::try_arange(Arange::of(start, stop, step, dtype))?;
    match (dtype, range.size()) {
        (Some(DType::Bool), 3..) => Err(call.type_error("no range of more than two truth values")),
        _ => Ok(Value::Array(range)),
    }
}

/// The parameters that `linspace` and its kin share.
fn spacing(call: &Bound<'_>) -> Result<Linspace> {
    Ok(Linspace {
        count: call.get("num").map_or(Ok(50), |value| call.count("num", value))?,
        endpoint: call.flag("endpoint", true)?,
        dtype: call.dtype("dtype")?,
        axis: call.int("axis")?.unwrap_or(0),
    })
}
