//! Windows of signal processing.

use super::bind::Bound;
use super::support::COMPOSED;
use super::{Function, Value};
use crate::array::{self};
use ndany_core::Result;

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.bartlett",
        parameters: "M",
        facts: COMPOSED,
        run: |call| array::try_bartlett(call.point_count()?).map(Value::Array),
    },
    Function {
        name: "np.blackman",
        parameters: "M",
        facts: COMPOSED,
        run: |call| array::try_blackman(call.point_count()?).map(Value::Array),
    },
    Function {
        name: "np.hamming",
        parameters: "M",
        facts: COMPOSED,
        run: |call| array::try_hamming(call.point_count()?).map(Value::Array),
    },
    Function {
        name: "np.hanning",
        parameters: "M",
        facts: COMPOSED,
        run: |call| array::try_hanning(call.point_count()?).map(Value::Array),
    },
    Function {
        name: "np.kaiser",
        parameters: "M beta",
        facts: COMPOSED,
        run: |call| {
            let beta =
                call.float("beta")?.ok_or_else(|| call.type_error("beta must be a number"))?;
            array::try_kaiser(call.point_count()?, beta).map(Value::Array)
        },
    },
];

impl Bound<'_> {
    /// The number of points of a window.
    fn point_count(&self) -> Result<f64> {
        self.float("M")?.ok_or_else(|| self.type_error("M must be a number"))
    }
}
