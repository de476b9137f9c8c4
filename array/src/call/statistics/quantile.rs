//! Quantiles and medians.

use crate::arguments::AxisOptions;
use crate::array::{Array, QuantileMethod};
use crate::call::bind::Bound;
use crate::call::reductions::reduce::keeping;
use crate::call::support::COMPOSED;
use crate::call::ufunc::methods::{into_out, into_out_broadcast};
use crate::call::{Function, Value};
use crate::graph::Operand;
use ndany_core::{Casting, Kind, Result};

const QUANTILE: &str = "a q axis? out? overwrite_input? method? keepdims? * weights?";
const MEDIAN: &str = "a axis? out? overwrite_input? keepdims?";

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.quantile",
        parameters: QUANTILE,
        facts: COMPOSED.waits("always"),
        run: |call| quantile(call, Array::try_quantile),
    },
    Function {
        name: "np.nanquantile",
        parameters: QUANTILE,
        facts: COMPOSED.waits("always"),
        run: |call| quantile(call, Array::try_nanquantile),
    },
    Function {
        name: "np.percentile",
        parameters: QUANTILE,
        facts: COMPOSED.waits("always"),
        run: |call| quantile(call, Array::try_percentile),
    },
    Function {
        name: "np.nanpercentile",
        parameters: QUANTILE,
        facts: COMPOSED.waits("always"),
        run: |call| quantile(call, Array::try_nanpercentile),
    },
    Function {
        name: "np.median",
        parameters: MEDIAN,
        facts: COMPOSED,
        run: |call| median(call, Array::try_median),
    },
    Function {
        name: "np.nanmedian",
        parameters: MEDIAN,
        facts: COMPOSED,
        run: |call| median(call, Array::try_nanmedian),
    },
];

fn along(call: &Bound<'_>) -> Result<AxisOptions> {
    // What the input holds afterwards is not promised either way.
    call.flag("overwrite_input", false)?;
    keeping(call, call.reduced("axis")?)
}

type Quantile = fn(&Array, Operand, AxisOptions) -> Result<Array>;

fn quantile(call: &Bound<'_>, run: Quantile) -> Result<Value> {
    let name = call.text("method", "linear")?;
    let Some(method) = QuantileMethod::from_name(name) else {
        return Err(call.value_error(format!("method is {name:?}, which is none of NumPy's")));
    };
    let (a, mut options) = (call.array("a")?, along(call)?.method(method));
    let q = call.operand("q")?;
    let exact = call.op() == "np.quantile" && method == QuantileMethod::Linear && is_integral(&q);
    let between = method.is_between() && !exact;
    if call.some("weights").is_some() {
        options = options.weights(&call.array("weights")?);
    }
    let quantiles = run(&a, q, options)?;
    // What is interpolated goes out as from a ufunc, elements as they are; without NaN, they are assigned.
    match (call.op().starts_with("np.nan"), between) {
        (true, _) => into_out_broadcast(call, quantiles, 0, Casting::Unsafe),
        (false, true) => into_out_broadcast(call, quantiles, 0, Casting::SameKind),
        (false, false) => into_out(call, quantiles),
    }
    .map(Value::Array)
}

/// A share that is all or nothing.
fn is_integral(q: &Operand) -> bool {
    let kind = match q {
        Operand::Array(q) => q.dtype().kind(),
        Operand::Scalar(q) => q.kind(),
    };
    matches!(kind, Kind::Bool | Kind::Int)
}

fn median(call: &Bound<'_>, run: fn(&Array, AxisOptions) -> Result<Array>) -> Result<Value> {
    into_out(call, run(&call.array("a")?, along(call)?)?).map(Value::Array)
}
