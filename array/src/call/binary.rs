//! Truth values packed as bits, and digits in another base.

use super::bind::Bound;
use super::io::integer;
use super::support::{COMPOSED, HOST};
use super::{Function, Value};
use crate::arguments::AxisOptions;
use crate::array;
use crate::array::BitOrder;
use ndany_core::Result;

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.packbits",
        parameters: "a axis? bitorder?",
        facts: COMPOSED,
        run: |call| {
            let (axis, order) = (call.some_int("axis")?, bit_order(call)?);
            call.array("a")?.try_packbits(AxisOptions::from(axis), order).map(Value::Array)
        },
    },
    Function {
        name: "np.unpackbits",
        parameters: "a axis? count? bitorder?",
        facts: COMPOSED,
        run: |call| {
            let (axis, count) = (call.some_int("axis")?, call.some_int("count")?);
            let order = bit_order(call)?;
            call.array("a")?.try_unpackbits(AxisOptions::from(axis), count, order).map(Value::Array)
        },
    },
    Function {
        name: "np.binary_repr",
        parameters: "num width?",
        facts: HOST,
        run: |call| {
            let width = call.some_count("width")?;
            array::try_binary_repr(integer(call, "num")?, width).map(Value::Str)
        },
    },
    Function {
        name: "np.base_repr",
        parameters: "number base? padding?",
        facts: HOST,
        run: |call| {
            let base = u32::try_from(call.count_or("base", 2)?).unwrap_or(u32::MAX);
            let padding = call.count_or("padding", 0)?;
            array::try_base_repr(integer(call, "number")?, base, padding).map(Value::Str)
        },
    },
];

fn bit_order(call: &Bound<'_>) -> Result<BitOrder> {
    let name = call.text("bitorder", "big")?;
    BitOrder::from_name(name)
        .ok_or_else(|| call.value_error(format!("bitorder is {name:?}, not big or little")))
}
