//! Elements taken out of, and put between, those of an array.

use crate::arguments::AxisOptions;
use crate::call::bind::Bound;
use crate::call::indexing::index::key_item;
use crate::call::indexing::positions::{axis, values};
use crate::call::support::COMPOSED;
use crate::call::{Function, Value};
use ndany_core::{Kind, Result};

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.delete",
        parameters: "arr obj axis?",
        facts: COMPOSED.waits("by an array"),
        run: |call| {
            let (a, index) = (call.array("arr")?, position(call)?);
            a.try_delete(index, AxisOptions::from(axis(call, None)?)).map(Value::Array)
        },
    },
    Function {
        name: "np.insert",
        parameters: "arr obj values axis?",
        facts: COMPOSED.waits("by an array"),
        run: |call| {
            let a = call.array("arr")?;
            if let Some(Value::Scalar(scalar)) = call.get("obj")
                && scalar.kind() == Kind::Float
            {
                return Err(call.type_error("obj must be integers"));
            }
            let index = position(call)?;
            let values = values(call, "values", &a)?;
            a.try_insert(index, values, AxisOptions::from(axis(call, None)?)).map(Value::Array)
        },
    },
    Function {
        name: "np.trim_zeros",
        parameters: "filt trim? axis?",
        facts: COMPOSED.waits("always").views(),
        run: trim_zeros,
    },
];

/// The positions of `delete` and `insert`.
#[track_caller]
fn position(call: &Bound<'_>) -> Result<crate::Index> {
    match call.get("obj") {
        Some(value) => key_item(call, value),
        None => Err(call.type_error("obj is missing")),
    }
}

#[track_caller]
fn trim_zeros(call: &Bound<'_>) -> Result<Value> {
    let (array, trim) = (call.array("filt")?, call.text("trim", "fb")?);
    let ends = trim.to_ascii_lowercase();
    if !matches!(ends.as_str(), "f" | "b" | "fb" | "bf") {
        return Err(call.value_error(format!("trim is made of f and b, got {trim:?}")));
    }
    let (front, back) = (ends.contains('f'), ends.contains('b'));
    let trimmed = match call.axes("axis")? {
        Some(axes) => array.try_trim_zeros(front, back, axes.as_slice()),
        None => array.try_trim_zeros(front, back, ..),
    };
    trimmed.map(Value::Array)
}
