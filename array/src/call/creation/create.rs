//! Creation: NumPy's forms and defaults.

use crate::arguments::{Eye, Shape};
use crate::array;
use crate::array::{Array, Like, Order};
use crate::call::bind::Bound;
use crate::call::support::{COMPOSED, NATIVE, VIEW};
use crate::call::{Function, Value, sequence};
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::{DType, Result};

pub(in crate::call) static FUNCTIONS: &[Function] = &[
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
    Function {
        name: "np.asarray_chkfinite",
        parameters: "a dtype? order?",
        facts: COMPOSED.waits("for floats").views(),
        run: |call| {
            // As np.asarray: of a sequence each number must have a value in the dtype.
            let a = array_as(call, "a", call.dtype("dtype")?)?;
            let a = a.try_astype_in(a.dtype(), call.order(Order::K)?)?;
            a.asarray_chkfinite().map(Value::Array)
        },
    },
    Function {
        name: "np.require",
        parameters: "a dtype? requirements? * like=None",
        facts: COMPOSED.views(),
        run: require,
    },
];

/// An extent that may be missing or `None`.
fn some_extent(call: &Bound<'_>, name: &str) -> Result<Option<usize>> {
    call.some(name).map(|value| call.extent(name, value)).transpose()
}

/// C or F, as functions take it that make an array of nothing.
pub(in crate::call) fn plain_order(call: &Bound<'_>) -> Result<Order> {
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
            made.try_set(crate::Ellipsis, &spread)?;
            made
        }
    }))
}

/// An argument as an array of a dtype, where there is one: of numbers each must have a value in it.
#[track_caller]
pub(in crate::call) fn array_as(
    call: &Bound<'_>,
    name: &str,
    dtype: Option<DType>,
) -> Result<Array> {
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

fn require(call: &Bound<'_>) -> Result<Value> {
    let named = |item: &Value| match item {
        Value::Str(text) => Ok(text.to_ascii_uppercase()),
        _ => Err(call.type_error("requirements must be texts")),
    };
    let named: Vec<String> = match call.some("requirements") {
        None => Vec::new(),
        Some(Value::List(items) | Value::Tuple(items)) => {
            items.iter().map(named).collect::<Result<_>>()?
        }
        // A text is a sequence of letters.
        Some(text) => named(text)?.chars().map(String::from).collect(),
    };
    let mut order = Order::A;
    for name in &named {
        let wanted = match name.as_str() {
            "C" | "C_CONTIGUOUS" | "CONTIGUOUS" => Order::C,
            "F" | "F_CONTIGUOUS" | "FORTRAN" => Order::F,
            // Arrays are values: they own what they hold, and may be written.
            "A" | "ALIGNED" | "W" | "WRITEABLE" | "O" | "OWNDATA" | "E" | "ENSUREARRAY" => continue,
            other => return Err(call.value_error(format!("there is no requirement {other:?}"))),
        };
        if order != Order::A && order != wanted {
            return Err(call.value_error("C and F order exclude each other"));
        }
        order = wanted;
    }
    let order = if order == Order::A { Order::K } else { order };
    call.array("a")?.try_require(call.dtype("dtype")?, order).map(Value::Array)
}
