//! Functions over the rows that stand on formulas.

use super::{Function, Value};

pub(super) static FUNCTIONS: &[Function] = &[Function {
    name: "np.angle",
    parameters: "z deg?",
    run: |call| call.array("z")?.try_angle(call.flag("deg", false)?).map(Value::Array),
}];
