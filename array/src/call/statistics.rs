//! Covariances, correlations, phases, bits: what has options of its own.

use super::bind::Bound;
use super::support::COMPOSED;
use super::{Function, Value};
use crate::arguments::AxisOptions;
use crate::array::{BitOrder, Covariance};
use ndany_core::Result;

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.cov",
        parameters: "m y? rowvar? bias? ddof? fweights? aweights? * dtype?",
        facts: COMPOSED.waits("with weights"),
        run: |call| {
            let mut options = variables(call)?;
            if call.flag("bias", false)? {
                options = options.biased();
            }
            if let Some(ddof) = call.float("ddof")? {
                if ddof.fract() != 0.0 {
                    return Err(call.value_error(format!("ddof is {ddof}, not a whole number")));
                }
                options = options.ddof(ddof as i64);
            }
            if call.some("fweights").is_some() {
                options = options.frequencies(&call.array("fweights")?);
            }
            if call.some("aweights").is_some() {
                options = options.weights(&call.array("aweights")?);
            }
            call.array("m")?.try_cov(options).map(Value::Array)
        },
    },
    Function {
        name: "np.corrcoef",
        parameters: "x y? rowvar? * dtype?",
        facts: COMPOSED,
        run: |call| call.array("x")?.try_corrcoef(variables(call)?).map(Value::Array),
    },
    Function {
        name: "np.unwrap",
        parameters: "p discont? axis? * period?",
        facts: COMPOSED,
        run: |call| {
            let mut options = AxisOptions::from(Some(call.axis("axis")?.unwrap_or(-1)));
            if let Some(period) = call.scalar("period")? {
                options = options.period(period);
            }
            if let Some(jump) = call.float("discont")? {
                options = options.discont(jump);
            }
            call.array("p")?.try_unwrap_phase(options).map(Value::Array)
        },
    },
    Function {
        name: "np.packbits",
        parameters: "a axis? bitorder?",
        facts: COMPOSED,
        run: |call| {
            let (axis, order) = (call.some_int("axis")?, bit_order(call)?);
            call.array("a")?.try_packbits(AxisOptions::from(axis), order).map(Value::Array)
        },
    },
    Function {
        name: "np.unpackbits",
        parameters: "a axis? count? bitorder?",
        facts: COMPOSED,
        run: |call| {
            let (axis, count) = (call.some_int("axis")?, call.some_int("count")?);
            let order = bit_order(call)?;
            call.array("a")?.try_unpackbits(AxisOptions::from(axis), count, order).map(Value::Array)
        },
    },
];

fn variables(call: &Bound<'_>) -> Result<Covariance> {
    let mut options = Covariance::new();
    if call.some("y").is_some() {
        options = options.with(&call.array("y")?);
    }
    if !call.flag("rowvar", true)? {
        options = options.columns();
    }
    Ok(match call.dtype("dtype")? {
        Some(dtype) => options.dtype(dtype),
        None => options,
    })
}

fn bit_order(call: &Bound<'_>) -> Result<BitOrder> {
    let name = call.text("bitorder", "big")?;
    BitOrder::from_name(name)
        .ok_or_else(|| call.value_error(format!("bitorder is {name:?}, not big or little")))
}
