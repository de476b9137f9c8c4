//! `np.where`, in both of its forms.

use super::{Function, Value};
use crate::graph::elementwise;
use crate::ops::rows;

pub(super) static FUNCTIONS: &[Function] = &[Function {
    name: "np.where",
    parameters: "condition x? y?",
    run: |call| match (call.get("x"), call.get("y")) {
        (Some(_), Some(_)) => {
            let operand = |name| call.operand(name);
            let mut operands = [operand("condition")?, operand("x")?, operand("y")?];
            elementwise(&rows::WHERE, &mut operands).map(Value::Array)
        }
        (None, None) => {
            let positions = call.array("condition")?.try_nonzero()?;
            Ok(Value::Tuple(positions.into_iter().map(Value::Array).collect()))
        }
        _ => Err(call.value_error("expected both x and y, or neither")),
    },
}];
