//! Scans along an axis.

use crate::arguments::AxisOptions;
use crate::array::Array;
use crate::call::bind::Bound;
use crate::call::support::NATIVE;
use crate::call::ufunc::methods::into_out;
use crate::call::{Function, Value};
use ndany_core::Result;

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.cumsum",
        parameters: "a axis? dtype? out?",
        facts: NATIVE,
        run: |call| scan(call, "a", Array::try_cumsum),
    },
    Function {
        name: "np.cumprod",
        parameters: "a axis? dtype? out?",
        facts: NATIVE,
        run: |call| scan(call, "a", Array::try_cumprod),
    },
    Function {
        name: "np.nancumsum",
        parameters: "a axis? dtype? out?",
        facts: NATIVE,
        run: |call| scan(call, "a", Array::try_nancumsum),
    },
    Function {
        name: "np.nancumprod",
        parameters: "a axis? dtype? out?",
        facts: NATIVE,
        run: |call| scan(call, "a", Array::try_nancumprod),
    },
    Function {
        name: "np.cumulative_sum",
        parameters: "x * axis? dtype? out? include_initial?",
        facts: NATIVE,
        run: |call| match call.flag("include_initial", false)? {
            true => scan(call, "x", |x, axis| x.try_cumulative_sum(axis.include_initial())),
            false => scan(call, "x", Array::try_cumulative_sum),
        },
    },
    Function {
        name: "np.cumulative_prod",
        parameters: "x * axis? dtype? out? include_initial?",
        facts: NATIVE,
        run: |call| match call.flag("include_initial", false)? {
            true => scan(call, "x", |x, axis| x.try_cumulative_prod(axis.include_initial())),
            false => scan(call, "x", Array::try_cumulative_prod),
        },
    },
];

/// A scan along an axis.
fn scan(
    call: &Bound<'_>,
    name: &str,
    run: fn(&Array, AxisOptions) -> Result<Array>,
) -> Result<Value> {
    let array = call.array(name)?;
    let along = match call.folded("axis")? {
        None => None,
        Some(axes) if axes.len() == 1 => Some(axes[0]),
        Some(axes) if name == "x" => {
            ndany_core::shape::axis_indices(call.op(), &axes, array.ndim())?;
            return Err(call.value_error("axis must be one integer"));
        }
        Some(_) => return Err(call.type_error("axis must be one integer")),
    };
    let options = AxisOptions::from(along).dtype_or_default(call.dtype("dtype")?);
    into_out(call, run(&array, options)?).map(Value::Array)
}
