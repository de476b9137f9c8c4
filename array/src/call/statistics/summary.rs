//! Scans, counts, averages, areas and norms.

use crate::array::statistics::summary::trapezoid;
use crate::call::bind::Bound;
use crate::call::reductions::reduce::{geometry, keeping};
use crate::call::support::{COMPOSED, NATIVE};
use crate::call::ufunc::methods::into_out;
use crate::call::{Function, Value};
use crate::graph::Operand;
use ndany_core::Result;

pub(in crate::call) static FUNCTIONS: &[Function] = &[
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
];

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
