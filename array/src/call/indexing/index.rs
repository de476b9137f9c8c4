//! Indexing on both sides, conversion, copies, and comparison of whole arrays.

use crate::call::support::NATIVE;
use smallvec::SmallVec;

use crate::array::{Index, Order};
use crate::call::bind::Bound;
use crate::call::{Function, Value, sequence};
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::{DType, Error, Kind, Number, Result};

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "getitem",
        parameters: "a ...",
        facts: NATIVE.waits("by a mask").views(),
        run: |call| {
            let array = call.array("a")?;
            array.try_i(key(call)?.as_slice()).map(Value::Array)
        },
    },
    Function {
        // The changed array is the result; the one that was given keeps its values.
        name: "setitem",
        parameters: "a! value ...",
        facts: NATIVE.waits("by a mask"),
        run: |call| {
            let key = key(call)?;
            call.change(|array| {
                let value = written(call, "value", array.dtype()).and_then(|value| {
                    if let Operand::Scalar(scalar) = &value {
                        assignable(call, scalar, array.dtype())?;
                    }
                    Ok(value)
                });
                // A key that is none is said first.
                match value {
                    Ok(value) => array.try_set(key.as_slice(), value),
                    Err(error) => Err(array.try_i(key.as_slice()).err().unwrap_or(error)),
                }
            })
        },
    },
    Function {
        name: "astype",
        parameters: "a dtype order? casting? subok~ copy?",
        facts: NATIVE,
        run: astype,
    },
];

fn astype(call: &Bound<'_>) -> Result<Value> {
    let array = match call.get("a") {
        // As NumPy, which takes arrays and its own numbers.
        Some(Value::List(_) | Value::Tuple(_) | Value::Bool(_)) => {
            return Err(call.type_error("a must be an array"));
        }
        Some(Value::Scalar(number)) if number.dtype().is_none() => {
            return Err(call.type_error("a must be an array"));
        }
        _ => call.array("a")?,
    };
    let to = call.dtype("dtype")?.ok_or_else(|| call.type_error("dtype must be a dtype"))?;
    // Arrays being values, a copy cannot be told from its absence.
    call.flag("copy", true)?;
    let (from, rule) = (array.dtype(), call.casting("unsafe")?);
    if !from.can_cast(to, rule) {
        let dtypes = format!("{from} becoming {to} by the rule {rule:?}");
        return Err(Error::DTypes { op: call.op(), dtypes, remedy: "ask for another rule" });
    }
    array.try_astype_in(to, call.order(Order::K)?).map(Value::Array)
}

/// The items of a key that is one argument.
pub(in crate::call) fn key_of(call: &Bound<'_>, value: &Value) -> Result<SmallVec<[Index; 4]>> {
    let items = match value {
        Value::Tuple(items) => items.as_slice(),
        item => std::slice::from_ref(item),
    };
    items.iter().map(|item| key_item(call, item)).collect()
}

/// The items of a key: the arguments after the others, or one tuple of them.
fn key(call: &Bound<'_>) -> Result<SmallVec<[Index; 4]>> {
    let items = match call.rest {
        [Value::Tuple(items)] => items.as_slice(),
        items => items,
    };
    items.iter().map(|item| key_item(call, item)).collect()
}

pub(in crate::call) fn key_item(call: &Bound<'_>, item: &Value) -> Result<Index> {
    let bad = || Error::IndexForm { op: call.op(), reason: "an item is no index", ndim: 0 };
    match item {
        Value::None | Value::NewAxis => Ok(Index::NewAxis),
        Value::Ellipsis => Ok(Index::Ellipsis),
        Value::Slice { start, stop, step } => Ok(Index::Slice {
            start: bound(call, *start)?,
            stop: bound(call, *stop)?,
            step: bound(call, *step)?.unwrap_or(1),
        }),
        Value::Scalar(scalar) => match scalar.number() {
            Number::Int(value) => isize::try_from(value).map(Index::At).map_err(|_| bad()),
            Number::Bool(truth) => Ok(Index::Bool(truth)),
            Number::Float(_) | Number::Complex(..) => Err(bad()),
        },
        Value::Bool(truth) => Ok(Index::Bool(*truth)),
        Value::Array(array) => Ok(Index::from(array)),
        // A list without items has no dtype of its own and may stand for no positions.
        Value::List(_) | Value::Tuple(_) => {
            let array = sequence::array(call, "key", item).map_err(|error| match error {
                Error::Arguments { .. } => bad(),
                other => other,
            })?;
            let holds = array.size() > 0;
            Ok(Index::from(if holds { array } else { array.try_astype(DType::I64)? }))
        }
        Value::Str(_) | Value::DType(_) => Err(bad()),
    }
}

/// A number of a slice. Those beyond all positions stand for the ends, as in Python.
fn bound(call: &Bound<'_>, number: Option<Scalar>) -> Result<Option<isize>> {
    let Some(scalar) = number else { return Ok(None) };
    match scalar.number() {
        Number::Int(value) => {
            Ok(Some(value.clamp(isize::MIN as i128, isize::MAX as i128) as isize))
        }
        Number::Bool(truth) if scalar.dtype().is_none() => Ok(Some(isize::from(truth))),
        Number::Bool(_) | Number::Float(_) | Number::Complex(..) => {
            Err(call.type_error("the numbers of a slice must be integers"))
        }
    }
}

/// A value to be written into an array of this dtype: of a list each number is converted by itself.
#[track_caller]
pub(in crate::call) fn written(call: &Bound<'_>, name: &str, dtype: DType) -> Result<Operand> {
    match call.get(name) {
        Some(list @ (Value::Tuple(_) | Value::List(_))) => {
            sequence::array_as(call, name, list, dtype).map(Operand::Array)
        }
        Some(Value::None) => sequence::none_as(call, name, dtype)
            .map(|value| Operand::Scalar(Scalar::typed(dtype, value))),
        _ => call.operand(name),
    }
}

/// Refuses what Python refuses to convert: `int(nan)`, `int(inf)`, `float(1j)`, and integers that the dtype
/// cannot hold. NumPy's own real numbers become Python's only on the way to signed integers.
pub(in crate::call) fn assignable(call: &Bound<'_>, scalar: &Scalar, dtype: DType) -> Result<()> {
    let own = scalar.dtype().is_some();
    if own && (!dtype.is_int() || dtype.is_unsigned()) {
        return Ok(());
    }
    match (scalar.number(), dtype.kind()) {
        (Number::Float(value), Kind::Int) if value.is_nan() => {
            Err(call.value_error("NaN has no value as an integer"))
        }
        (Number::Float(value), Kind::Int) => {
            // What exceeds i128 saturates, which is out of range all the same.
            let (low, high) = dtype.int_range();
            match (low..=high).contains(&(value as i128)) {
                true => Ok(()),
                false => Err(Error::ArgumentOverflow { op: call.op().to_string(), value }),
            }
        }
        (Number::Int(value), Kind::Int) => {
            let (low, high) = dtype.int_range();
            match (low..=high).contains(&value) {
                true => Ok(()),
                false => Err(Error::WeakOverflow { op: call.op(), value, dtype }),
            }
        }
        (Number::Complex(..), Kind::Int | Kind::Float) if !own => {
            Err(call.type_error("a complex number has no value as a real one"))
        }
        _ => Ok(()),
    }
}
