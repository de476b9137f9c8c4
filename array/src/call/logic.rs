//! Comparison of whole arrays.

use super::support::COMPOSED;

use super::bind::Bound;
use super::{Function, Value};
use crate::array::{Tolerance, isclose};
use ndany_core::Result;

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.isclose",
        parameters: "a b rtol? atol? equal_nan?",
        facts: COMPOSED,
        run: |call| close(call).map(Value::Array),
    },
    Function {
        name: "np.allclose",
        parameters: "a b rtol? atol? equal_nan?",
        facts: COMPOSED.waits("always"),
        run: |call| close(call)?.try_all(..)?.item::<bool>().map(Value::Bool),
    },
    Function {
        name: "np.array_equal",
        parameters: "a1 a2 equal_nan?",
        facts: COMPOSED.waits("where shapes are alike"),
        run: |call| {
            let left = call.array("a1")?;
            let right = call.array_beside("a2", left.dtype())?;
            match call.flag("equal_nan", false)? {
                true => left.array_equal_nan(&right).map(Value::Bool),
                false => left.array_equal(&right).map(Value::Bool),
            }
        },
    },
    Function {
        name: "np.array_equiv",
        parameters: "a1 a2",
        facts: COMPOSED.waits("where shapes go together"),
        run: |call| call.array("a1")?.array_equiv(&call.array("a2")?).map(Value::Bool),
    },
];

fn close(call: &Bound<'_>) -> Result<crate::Array> {
    let mut within = Tolerance::new();
    if let Some(rtol) = call.some_operand("rtol")? {
        within = within.rtol(rtol);
    }
    if let Some(atol) = call.some_operand("atol")? {
        within = within.atol(atol);
    }
    if call.flag("equal_nan", false)? {
        within = within.equal_nan();
    }
    isclose(call.operand("a")?, call.operand("b")?, within)
}
