//! Functions over rows: rounding to decimals, `where`, running sums, logarithmic ranges.

use super::bind::Bound;
use super::{Function, Value};
use crate::array::Axes;
use crate::error::Result;
use crate::graph::elementwise;
use crate::ops::rows;

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
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
    },
    Function { name: "np.cumsum", parameters: "a axis? dtype? out=None", run: cumsum },
];

fn cumsum(call: &Bound<'_>) -> Result<Value> {
    let array = call.array("a")?;
    let mut over = match call.reduced("axis")? {
        Axes::All => crate::over(..),
        Axes::Some(axes) if axes.len() == 1 => crate::over(axes[0]),
        Axes::Some(_) => return Err(call.type_error("axis must be one integer")),
    };
    if let Some(dtype) = call.dtype("dtype")? {
        over = over.dtype(dtype);
    }
    array.try_cumsum(over).map(Value::Array)
}
