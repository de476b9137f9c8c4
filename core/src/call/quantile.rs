//! Quantiles and medians.

use super::bind::Bound;
use super::{Function, Value};
use crate::array::{Array, Axes, Over, QuantileMethod, over};
use crate::error::Result;
use crate::graph::Operand;

const QUANTILE: &str = "a q axis? out=None overwrite_input? method? keepdims? * weights?";
const MEDIAN: &str = "a axis? out=None overwrite_input? keepdims?";

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.quantile",
        parameters: QUANTILE,
        run: |call| quantile(call, Array::try_quantile_by),
    },
    Function {
        name: "np.nanquantile",
        parameters: QUANTILE,
        run: |call| quantile(call, Array::try_nanquantile),
    },
    Function {
        name: "np.percentile",
        parameters: QUANTILE,
        run: |call| quantile(call, Array::try_percentile),
    },
    Function {
        name: "np.nanpercentile",
        parameters: QUANTILE,
        run: |call| quantile(call, Array::try_nanpercentile),
    },
    Function { name: "np.median", parameters: MEDIAN, run: |call| median(call, Array::try_median) },
    Function {
        name: "np.nanmedian",
        parameters: MEDIAN,
        run: |call| median(call, Array::try_nanmedian),
    },
];

fn along(call: &Bound<'_>) -> Result<Over> {
    // What the input holds afterwards is not promised either way.
    call.flag("overwrite_input", false)?;
    let over = match call.reduced("axis")? {
        Axes::All => over(..),
        Axes::Some(axes) => over(axes.as_slice()),
    };
    Ok(if call.flag("keepdims", false)? { over.keepdims() } else { over })
}

fn quantile(
    call: &Bound<'_>,
    run: fn(&Array, Operand, Over, QuantileMethod) -> Result<Array>,
) -> Result<Value> {
    let name = call.text("method", "linear")?;
    let Some(method) = QuantileMethod::from_name(name) else {
        return Err(call.value_error(format!("method is {name:?}, which is none of NumPy's")));
    };
    if call.some("weights").is_some() {
        return Err(match method {
            QuantileMethod::InvertedCdf => call.unsupported("weights"),
            _ => call.value_error("weights go with the method \"inverted_cdf\" only"),
        });
    }
    let q = match call.get("q") {
        Some(Value::Tuple(items) | Value::List(items)) => {
            let mut numbers = Vec::new();
            for item in items {
                let Value::Scalar(number) = item else {
                    return Err(call.unsupported("q of what is no number"));
                };
                numbers.push(crate::array::try_full(1, *number, number.natural_dtype())?);
            }
            let nothing = crate::array::try_zeros(0, crate::DType::F64)?;
            let numbers: Vec<&Array> = numbers.iter().collect();
            Operand::Array(if numbers.is_empty() {
                nothing
            } else {
                crate::array::try_concatenate(&numbers, 0)?
            })
        }
        _ => call.operand("q")?,
    };
    run(&call.array("a")?, q, along(call)?, method).map(Value::Array)
}

fn median(call: &Bound<'_>, run: fn(&Array, Over) -> Result<Array>) -> Result<Value> {
    run(&call.array("a")?, along(call)?).map(Value::Array)
}
