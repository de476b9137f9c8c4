//! Scans, counts, averages, areas and norms.

use super::bind::Bound;
use super::methods::into_out;
use super::reduce::{geometry, keeping};
use super::support::{COMPOSED, NATIVE};
use super::{Function, Value};
use crate::arguments::AxisOptions;
use crate::array::Array;
use crate::array::summary::trapezoid;
use crate::graph::Operand;
use crate::linalg::Norm;
use ndany_core::{Number, Result};

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.cumsum",
        parameters: "a axis? dtype? out?",
        facts: NATIVE,
        run: |call| scan(call, "a", Array::try_cumsum),
    },
    Function {
        name: "np.cumprod",
        parameters: "a axis? dtype? out?",
        facts: NATIVE,
        run: |call| scan(call, "a", Array::try_cumprod),
    },
    Function {
        name: "np.nancumsum",
        parameters: "a axis? dtype? out?",
        facts: NATIVE,
        run: |call| scan(call, "a", Array::try_nancumsum),
    },
    Function {
        name: "np.nancumprod",
        parameters: "a axis? dtype? out?",
        facts: NATIVE,
        run: |call| scan(call, "a", Array::try_nancumprod),
    },
    Function {
        name: "np.cumulative_sum",
        parameters: "x * axis? dtype? out? include_initial?",
        facts: NATIVE,
        run: |call| match call.flag("include_initial", false)? {
            true => scan(call, "x", |x, axis| x.try_cumulative_sum(axis.include_initial())),
            false => scan(call, "x", Array::try_cumulative_sum),
        },
    },
    Function {
        name: "np.cumulative_prod",
        parameters: "x * axis? dtype? out? include_initial?",
        facts: NATIVE,
        run: |call| match call.flag("include_initial", false)? {
            true => scan(call, "x", |x, axis| x.try_cumulative_prod(axis.include_initial())),
            false => scan(call, "x", Array::try_cumulative_prod),
        },
    },
    Function {
        name: "np.count_nonzero",
        parameters: "a axis? * keepdims?",
        facts: NATIVE,
        run: |call| call.array("a")?.try_count_nonzero(geometry(call)?).map(Value::Array),
    },
    Function {
        name: "np.ptp",
        parameters: "a axis? out? keepdims?",
        facts: COMPOSED,
        run: |call| {
            let span = call.array("a")?.try_ptp(geometry(call)?)?;
            into_out(call, span).map(Value::Array)
        },
    },
    Function {
        name: "np.average",
        parameters: "a axis? weights? returned? * keepdims?",
        facts: COMPOSED.waits("with weights"),
        run: average,
    },
    Function { name: "np.trapezoid", parameters: "y x? dx? axis?", facts: COMPOSED, run: area },
    Function {
        name: "np.linalg.norm",
        parameters: "x ord? axis? keepdims?",
        facts: COMPOSED.waits("by singular values"),
        run: |call| {
            let kind = order(call, "ord", Norm::Default)?;
            call.array("x")?.try_norm(geometry(call)?.ord(kind)).map(Value::Array)
        },
    },
    Function {
        name: "np.linalg.matrix_norm",
        parameters: "x * keepdims? ord?",
        facts: COMPOSED.waits("by singular values"),
        run: |call| {
            let (kind, keepdims) =
                (order(call, "ord", Norm::Frobenius)?, call.flag("keepdims", false)?);
            let last = AxisOptions::default().ord(kind);
            let options = if keepdims { last.keepdims() } else { last };
            call.array("x")?.try_matrix_norm(options).map(Value::Array)
        },
    },
    Function {
        name: "np.linalg.vector_norm",
        parameters: "x * axis? keepdims? ord?",
        facts: COMPOSED,
        run: |call| {
            let kind = order(call, "ord", Norm::Order(2.0))?;
            call.array("x")?.try_vector_norm(geometry(call)?.ord(kind)).map(Value::Array)
        },
    },
];

/// A scan along an axis.
fn scan(
    call: &Bound<'_>,
    name: &str,
    run: fn(&Array, AxisOptions) -> Result<Array>,
) -> Result<Value> {
    let array = call.array(name)?;
    let along = match call.folded("axis")? {
        None => None,
        Some(axes) if axes.len() == 1 => Some(axes[0]),
        Some(axes) if name == "x" => {
            ndany_core::shape::axis_indices(call.op(), &axes, array.ndim())?;
            return Err(call.value_error("axis must be one integer"));
        }
        Some(_) => return Err(call.type_error("axis must be one integer")),
    };
    let options = AxisOptions::from(along).dtype_or_default(call.dtype("dtype")?);
    into_out(call, run(&array, options)?).map(Value::Array)
}

fn average(call: &Bound<'_>) -> Result<Value> {
    let weights = match call.some("weights") {
        None => None,
        Some(_) => Some(call.array("weights")?),
    };
    let mut options = keeping(call, call.reduced("axis")?)?;
    if let Some(weights) = &weights {
        options = options.weights(weights);
    }
    let (average, total) = call.array("a")?.average_and_weights(&options)?;
    Ok(match call.flag("returned", false)? {
        true => Value::Tuple(vec![Value::Array(average), Value::Array(total)]),
        false => Value::Array(average),
    })
}

fn area(call: &Bound<'_>) -> Result<Value> {
    let (y, axis) = (call.array("y")?, call.axis("axis")?.unwrap_or(-1));
    if call.some("x").is_some() {
        return y.try_trapezoid(call.array("x")?, axis).map(Value::Array);
    }
    let distance = match call.some("dx") {
        None => Operand::from(1.0),
        Some(_) => call.operand("dx")?,
    };
    let axis = ndany_core::shape::axis_index("trapezoid", axis, y.ndim())?;
    trapezoid(&y, distance, axis).map(Value::Array)
}

/// The kind of a norm.
pub(super) fn order(call: &Bound<'_>, name: &str, default: Norm) -> Result<Norm> {
    Ok(match call.get(name) {
        None => default,
        Some(Value::None) => Norm::Default,
        Some(Value::Str(name)) => match name.as_str() {
            "fro" | "f" => Norm::Frobenius,
            "nuc" => Norm::Nuclear,
            other => return Err(call.value_error(format!("there is no norm {other:?}"))),
        },
        Some(Value::Scalar(scalar)) => match scalar.number() {
            Number::Int(order) => Norm::Order(order as f64),
            Number::Float(order) => Norm::Order(order),
            Number::Bool(_) | Number::Complex(..) => {
                return Err(call.unsupported("an order of this type"));
            }
        },
        Some(_) => return Err(call.unsupported("an order of this type")),
    })
}
