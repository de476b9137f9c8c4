//! Sums of exponentials.

use crate::call::reductions::reduce::{geometry, options};
use crate::call::support::{COMPOSED, NATIVE};
use crate::call::{Function, Value};

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "sp.special.logsumexp",
        parameters: "a axis? b=None keepdims? return_sign=False",
        facts: NATIVE,
        run: |call| {
            let array = call.array("a")?;
            let options = options(call, &array, geometry(call)?)?;
            array.try_logsumexp(options).map(Value::Array)
        },
    },
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
