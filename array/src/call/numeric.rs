//! `np.where`, in both of its forms.

use super::support::NATIVE;
use super::{Function, Value, sequence};
use crate::graph::{Operand, elementwise};
use ndany_core::ops::rows;

pub(super) static FUNCTIONS: &[Function] = &[Function {
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
            let mut operands = [condition, operand("x")?, operand("y")?];
            sequence::settle(call, &mut operands[1..])?;
            elementwise(&rows::WHERE, &mut operands).map(Value::Array)
        }
        (None, None) => {
            let positions = call.array("condition")?.try_nonzero()?;
            Ok(Value::Tuple(positions.into_iter().map(Value::Array).collect()))
        }
        _ => Err(call.value_error("expected both x and y, or neither")),
    },
}];
