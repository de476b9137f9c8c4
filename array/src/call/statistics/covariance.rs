//! Covariances, correlations, phases, bits: what has options of its own.

use crate::array::Covariance;
use crate::call::bind::Bound;
use crate::call::support::COMPOSED;
use crate::call::{Function, Value};
use ndany_core::Result;

pub(in crate::call) static FUNCTIONS: &[Function] = &[
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
