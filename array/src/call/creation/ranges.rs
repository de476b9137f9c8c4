//! Numerical ranges.

use crate::arguments::Arange;
use crate::array;
use crate::array::{Linspace, Logspace};
use crate::call::bind::Bound;
use crate::call::support::{COMPOSED, NATIVE};
use crate::call::{Function, Value, sequence};
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::Result;

pub(in crate::call) static FUNCTIONS: &[Function] = &[
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
            let (values, step) =
                array::creation::ranges::try_linspace_step(start, stop, spacing(call)?)?;
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
            let spacing = Logspace::new(spacing(call)?).base(base);
            array::try_logspace(start, stop, spacing).map(Value::Array)
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
];

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
    array::try_arange(Arange::of(start, stop, step, call.dtype("dtype")?)).map(Value::Array)
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
