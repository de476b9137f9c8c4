//! Softmax and its logarithm, as `crate::special`.

use crate::call::reductions::reduce::geometry;
use crate::call::support::COMPOSED;
use crate::call::{Function, Value};

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "sp.special.softmax",
        parameters: "x axis?",
        facts: COMPOSED,
        run: |call| call.array("x")?.try_softmax(geometry(call)?).map(Value::Array),
    },
    Function {
        name: "sp.special.log_softmax",
        parameters: "x axis?",
        facts: COMPOSED,
        run: |call| call.array("x")?.try_log_softmax(geometry(call)?).map(Value::Array),
    },
];
