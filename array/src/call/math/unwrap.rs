//! Phases without jumps.

use crate::arguments::AxisOptions;
use crate::call::support::COMPOSED;
use crate::call::{Function, Value};

pub(in crate::call) static FUNCTIONS: &[Function] = &[Function {
    name: "np.unwrap",
    parameters: "p discont? axis? * period?",
    facts: COMPOSED,
    run: |call| {
        let mut options = AxisOptions::from(Some(call.axis("axis")?.unwrap_or(-1)));
        if let Some(period) = call.scalar("period")? {
            options = options.period(period);
        }
        if let Some(jump) = call.float("discont")? {
            options = options.discont(jump);
        }
        call.array("p")?.try_unwrap_phase(options).map(Value::Array)
    },
}];
