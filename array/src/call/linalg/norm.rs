//! Norms.

use crate::arguments::AxisOptions;
use crate::call::bind::Bound;
use crate::call::reductions::reduce::geometry;
use crate::call::support::COMPOSED;
use crate::call::{Function, Value};
use crate::linalg::Norm;
use ndany_core::{Number, Result};

pub(in crate::call) static FUNCTIONS: &[Function] = &[
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

/// The kind of a norm.
pub(in crate::call) fn order(call: &Bound<'_>, name: &str, default: Norm) -> Result<Norm> {
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
