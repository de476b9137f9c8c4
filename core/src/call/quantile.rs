//! Quantiles and medians.

use super::bind::Bound;
use super::methods::{into_out, into_out_spread};
use super::reduce::keeping;
use super::{Function, Value};
use crate::array::{Array, Over, QuantileMethod};
use crate::dtype::{Casting, Kind};
use crate::error::Result;
use crate::graph::Operand;

const QUANTILE: &str = "a q axis? out? overwrite_input? method? keepdims? * weights?";
const MEDIAN: &str = "a axis? out? overwrite_input? keepdims?";

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.quantile",
        parameters: QUANTILE,
        run: |call| quantile(call, Array::try_quantile_by, Array::try_quantile_weighted),
    },
    Function {
        name: "np.nanquantile",
        parameters: QUANTILE,
        run: |call| quantile(call, Array::try_nanquantile, Array::try_nanquantile_weighted),
    },
    Function {
        name: "np.percentile",
        parameters: QUANTILE,
        run: |call| quantile(call, Array::try_percentile, Array::try_percentile_weighted),
    },
    Function {
        name: "np.nanpercentile",
        parameters: QUANTILE,
        run: |call| quantile(call, Array::try_nanpercentile, Array::try_nanpercentile_weighted),
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
    keeping(call, call.reduced("axis")?)
}

type ByMethod = fn(&Array, Operand, Over, QuantileMethod) -> Result<Array>;
type Weighted = fn(&Array, Operand, Over, &Array) -> Result<Array>;

fn quantile(call: &Bound<'_>, run: ByMethod, weighted: Weighted) -> Result<Value> {
    let name = call.text("method", "linear")?;
    if call.some("weights").is_some() && name != "inverted_cdf" {
        return Err(call.value_error("weights go with the method \"inverted_cdf\" only"));
    }
    let Some(method) = QuantileMethod::from_name(name) else {
        return Err(call.value_error(format!("method is {name:?}, which is none of NumPy's")));
    };
    let (a, over) = (call.array("a")?, along(call)?);
    let q = call.operand("q")?;
    let exact = call.op() == "np.quantile" && method == QuantileMethod::Linear && whole(&q);
    let between = method.is_between() && !exact;
    let quantiles = match call.some("weights") {
        Some(_) => weighted(&a, q, over, &call.array("weights")?),
        None => run(&a, q, over, method),
    }?;
    // What is interpolated goes out as from a ufunc, elements as they are; without NaN, they are assigned.
    match (call.op().starts_with("np.nan"), between) {
        (true, _) => into_out_spread(call, quantiles, 0, Casting::Unsafe),
        (false, true) => into_out_spread(call, quantiles, 0, Casting::SameKind),
        (false, false) => into_out(call, quantiles),
    }
    .map(Value::Array)
}

/// A share that is all or nothing.
fn whole(q: &Operand) -> bool {
    let kind = match q {
        Operand::Array(q) => q.dtype().kind(),
        Operand::Scalar(q) => q.kind(),
    };
    matches!(kind, Kind::Bool | Kind::Int)
}

fn median(call: &Bound<'_>, run: fn(&Array, Over) -> Result<Array>) -> Result<Value> {
    into_out(call, run(&call.array("a")?, along(call)?)?).map(Value::Array)
}
