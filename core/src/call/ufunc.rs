//! Functions beside the rows: limits, rounding, closeness, and the rows with two results.

use super::bind::Bound;
use super::{Function, Value};
use crate::array::{NonFinite, isclose, tolerance};
use crate::error::Result;
use crate::graph::{Operand, pair};
use crate::ops::{PAIRS, PairRow};

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.clip",
        parameters: "a a_min? a_max? out=None * min? max? where=True dtype? casting=same_kind order=K subok=True",
        run: clip,
    },
    Function {
        name: "np.round",
        parameters: "a decimals? out=None",
        run: |call| {
            let decimals = call.int("decimals")?.unwrap_or(0);
            let decimals = decimals.clamp(-(1 << 20), 1 << 20) as i32;
            call.array("a")?.try_round(decimals).map(Value::Array)
        },
    },
    Function {
        name: "np.nan_to_num",
        parameters: "x copy? nan? posinf? neginf?",
        run: |call| {
            // Values have no aliases here, so a copy and its absence look the same.
            call.flag("copy", true)?;
            let nan = match call.get("nan") {
                Some(Value::None) => return Err(call.type_error("nan must be a number")),
                _ => some_operand(call, "nan")?,
            };
            let (posinf, neginf) = (some_operand(call, "posinf")?, some_operand(call, "neginf")?);
            call.array("x")?.try_nan_to_num(NonFinite { nan, posinf, neginf }).map(Value::Array)
        },
    },
    Function {
        name: "np.isclose",
        parameters: "a b rtol? atol? equal_nan?",
        run: |call| close(call).map(Value::Array),
    },
    Function {
        name: "np.allclose",
        parameters: "a b rtol? atol? equal_nan?",
        run: |call| close(call)?.try_all(..)?.item::<bool>().map(Value::Bool),
    },
    Function {
        name: "np.array_equal",
        parameters: "a1 a2 equal_nan?",
        run: |call| {
            let (left, right) = (call.array("a1")?, call.array("a2")?);
            match call.flag("equal_nan", false)? {
                true => left.array_equal_nan(&right).map(Value::Bool),
                false => left.array_equal(&right).map(Value::Bool),
            }
        },
    },
    Function {
        name: "np.array_equiv",
        parameters: "a1 a2",
        run: |call| call.array("a1")?.array_equiv(&call.array("a2")?).map(Value::Bool),
    },
    Function {
        name: "np.real_if_close",
        parameters: "a tol?",
        run: |call| {
            let tolerance = call.float("tol")?.unwrap_or(100.0);
            call.array("a")?.real_if_close(tolerance).map(Value::Array)
        },
    },
];

/// An operand that may be missing.
fn some_operand(call: &Bound<'_>, name: &str) -> Result<Option<Operand>> {
    call.some(name).map(|_| call.operand(name)).transpose()
}

fn close(call: &Bound<'_>) -> Result<crate::Array> {
    let mut within = tolerance();
    if let Some(rtol) = some_operand(call, "rtol")? {
        within = within.rtol(rtol);
    }
    if let Some(atol) = some_operand(call, "atol")? {
        within = within.atol(atol);
    }
    if call.flag("equal_nan", false)? {
        within = within.equal_nan();
    }
    isclose(call.operand("a")?, call.operand("b")?, within)
}

fn clip(call: &Bound<'_>) -> Result<Value> {
    let array = call.array("a")?;
    let by_position = (call.get("a_min"), call.get("a_max"));
    let limits = match (by_position, call.get("min").or(call.get("max"))) {
        ((None, None), _) => ["min", "max"],
        ((Some(_), Some(_)), None) => ["a_min", "a_max"],
        ((Some(_), Some(_)), Some(_)) => {
            return Err(call.value_error("give a_min and a_max, or min and max"));
        }
        _ => return Err(call.type_error("expected both a_min and a_max")),
    };
    let [low, high] = [some_operand(call, limits[0])?, some_operand(call, limits[1])?];
    let clipped = match call.dtype("dtype")? {
        Some(dtype) => array.try_astype(dtype)?.try_clip(low, high)?,
        None => array.try_clip(low, high)?,
    };
    Ok(Value::Array(clipped))
}

/// The operation with two results that NumPy calls `name`.
pub(super) fn pair_by_name(name: &str) -> Option<&'static PairRow> {
    PAIRS.iter().copied().find(|row| row.numpy == name)
}

/// An operation with two results, called as a NumPy ufunc.
#[track_caller]
pub(super) fn call_pair(
    row: &'static PairRow,
    args: &[Value],
    kwargs: &[(String, Value)],
) -> Result<Value> {
    let parameters = match row.arity {
        1 => "x1 * out=None where=True dtype=None casting=same_kind order=K subok=True",
        _ => "x1 x2 * out=None where=True dtype=None casting=same_kind order=K subok=True",
    };
    let call = Bound::new(row.numpy, parameters, args, kwargs)?;
    let mut operands = ["x1", "x2"][..row.arity]
        .iter()
        .map(|name| call.operand(name))
        .collect::<Result<Vec<Operand>>>()?;
    let (first, second) = pair(row.rows, &mut operands)?;
    Ok(Value::Tuple(vec![Value::Array(first), Value::Array(second)]))
}
