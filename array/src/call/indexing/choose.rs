//! `np.where`, in both of its forms.

use super::positions::{mode, operands};
use crate::array;
use crate::call::bind::Bound;
use crate::call::support::{COMPOSED, NATIVE};
use crate::call::{Function, Value};
use crate::elementwise::try_where;
use crate::graph::Operand;
use ndany_core::Result;

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.where",
        parameters: "condition x? y?",
        facts: NATIVE.waits("with one operand"),
        run: |call| match (call.get("x"), call.get("y")) {
            (Some(_), Some(_)) => {
                let operand = |name| call.operand(name);
                let condition = match call.some("condition") {
                    Some(_) => operand("condition")?,
                    None => Operand::from(false),
                };
                try_where(condition, operand("x")?, operand("y")?).map(Value::Array)
            }
            (None, None) => {
                let positions = call.array("condition")?.try_nonzero()?;
                Ok(Value::Tuple(positions.into_iter().map(Value::Array).collect()))
            }
            _ => Err(call.value_error("expected both x and y, or neither")),
        },
    },
    Function {
        name: "np.choose",
        parameters: "a choices out? mode?",
        facts: NATIVE.waits("where mode is raise"),
        run: |call| {
            let choices = operands(call, "choices")?;
            let chosen = call.array("a")?.try_choose(&choices, mode(call)?)?;
            let Some(out) = call.out()? else { return Ok(Value::Array(chosen)) };
            if out.shape() != chosen.shape() {
                // NumPy's class for this one function.
                return Err(call.type_error(call.other_shape(&chosen, &out)));
            }
            chosen.try_astype(out.dtype()).map(Value::Array)
        },
    },
    Function {
        name: "np.select",
        parameters: "condlist choicelist default?",
        facts: COMPOSED,
        run: |call| {
            let (conditions, choices) = (call.arrays("condlist")?, operands(call, "choicelist")?);
            let default = match call.get("default") {
                None => Operand::from(0),
                Some(_) => call.operand("default")?,
            };
            array::try_select(&conditions, choices, default).map(Value::Array)
        },
    },
    Function {
        name: "np.piecewise",
        parameters: "x condlist funclist",
        facts: COMPOSED.waits("where values are arrays"),
        run: piecewise,
    },
];

#[track_caller]
fn piecewise(call: &Bound<'_>) -> Result<Value> {
    let x = call.array("x")?;
    let single = match call.get("condlist") {
        Some(Value::Array(condition)) => condition.ndim() <= 1 && x.ndim() != 0,
        Some(Value::List(items) | Value::Tuple(items)) => {
            let first = items.first();
            x.ndim() != 0 && matches!(first, Some(Value::Scalar(_) | Value::Bool(_)))
        }
        _ => true,
    };
    let conditions = if single { vec![call.array("condlist")?] } else { call.arrays("condlist")? };
    x.try_piecewise(&conditions, &operands(call, "funclist")?).map(Value::Array)
}
