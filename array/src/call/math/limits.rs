//! Limits, rounding, and what replaces values that are not finite.

use crate::call::support::{COMPOSED, NATIVE};
use crate::call::ufunc::Options;

use crate::array::NonFinite;
use crate::call::bind::Bound;
use crate::call::{Function, Value};
use crate::graph::Operand;
use ndany_core::Result;

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.clip",
        parameters: "a a_min? a_max? out? * min? max? where? dtype? casting? order? subok~ signature?",
        facts: NATIVE,
        run: clip,
    },
    Function {
        name: "np.round",
        parameters: "a decimals? out?",
        facts: NATIVE,
        run: |call| {
            let decimals = call.int("decimals")?.unwrap_or(0);
            let decimals = decimals.clamp(-(1 << 20), 1 << 20) as i32;
            let (rounded, options) = (call.array("a")?.try_round(decimals)?, Options::of(call, 1)?);
            options.delivered("round", rounded, options.outs[0].clone()).map(Value::Array)
        },
    },
    Function {
        name: "np.nan_to_num",
        parameters: "x copy? nan? posinf? neginf?",
        facts: NATIVE,
        run: |call| {
            // Values have no aliases here, so a copy and its absence look the same.
            call.flag("copy", true)?;
            let nan = match call.get("nan") {
                Some(Value::None) => return Err(call.type_error("nan must be a number")),
                _ => call.some_operand("nan")?,
            };
            let (posinf, neginf) = (call.some_operand("posinf")?, call.some_operand("neginf")?);
            call.array("x")?.try_nan_to_num(NonFinite { nan, posinf, neginf }).map(Value::Array)
        },
    },
    Function {
        name: "np.real_if_close",
        parameters: "a tol?",
        facts: COMPOSED.waits("for complex numbers").views(),
        run: |call| {
            let tolerance = call.float("tol")?.unwrap_or(100.0);
            call.array("a")?.real_if_close(tolerance).map(Value::Array)
        },
    },
];

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
    let [low, high] = [call.some_operand(limits[0])?, call.some_operand(limits[1])?];
    let options = Options::of(call, 1)?;
    let clipped = match options.dtype {
        Some(dtype) => {
            let given = [Some(Operand::from(&array)), low.clone(), high.clone()];
            if !given.iter().flatten().all(|given| options.admits(given, dtype)) {
                return Err(call.type_error("ask for another rule of casting"));
            }
            array.try_astype(dtype)?.try_clip(low, high)?.try_astype(dtype)?
        }
        None => array.try_clip(low, high)?,
    };
    options.delivered("clip", clipped, options.outs[0].clone()).map(Value::Array)
}
