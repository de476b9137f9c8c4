//! Reductions.

use super::bind::Bound;
use super::{Function, Value};
use crate::array::{Array, Axes, Over, over};
use crate::dtype::{DType, Kind};
use crate::error::Result;
use crate::ops::reductions::{self as table, Reduce, ReductionRow};

/// Entries that hand a call to a row of the reductions.
macro_rules! reductions {
    ($($name:literal $parameters:literal $row:ident;)+) => {
        pub(super) static FUNCTIONS: &[Function] = &[$(
            Function { name: $name, parameters: $parameters, run: |call| reduce(call, &table::$row) },
        )+];
    };
}

reductions! {
    "np.sum" "a axis? dtype? out=None keepdims? initial? where?" SUM;
    "np.prod" "a axis? dtype? out=None keepdims? initial? where?" PROD;
    "np.min" "a axis? out=None keepdims? initial? where?" MIN;
    "np.max" "a axis? out=None keepdims? initial? where?" MAX;
    "np.any" "a axis? out=None keepdims? * where?" ANY;
    "np.all" "a axis? out=None keepdims? * where?" ALL;
    "np.argmin" "a axis? out=None * keepdims?" ARGMIN;
    "np.argmax" "a axis? out=None * keepdims?" ARGMAX;
    "np.mean" "a axis? dtype? out=None keepdims? * where?" MEAN;
    "np.var" "a axis? dtype? out=None ddof? keepdims? * where? mean=None correction?" VAR;
    "np.std" "a axis? dtype? out=None ddof? keepdims? * where? mean=None correction?" STD;
}

fn reduce(call: &Bound<'_>, row: &'static ReductionRow) -> Result<Value> {
    let array = call.array("a")?;
    let axes = call.reduced("axis")?;
    let positions = matches!(row.kind, Reduce::ArgMin | Reduce::ArgMax);
    if positions && matches!(call.get("axis"), Some(Value::Tuple(_) | Value::List(_))) {
        return Err(call.type_error("axis must be one integer"));
    }
    let mut over = match axes {
        Axes::All => over(..),
        Axes::Some(axes) => over(axes.as_slice()),
    };
    if call.flag("keepdims", false)? {
        over = over.keepdims();
    }
    if let Some(dtype) = call.dtype("dtype")? {
        let averages = matches!(row.kind, Reduce::Mean | Reduce::Var | Reduce::Std);
        if averages && !matches!(dtype.kind(), Kind::Float | Kind::Complex) {
            return Err(call.unsupported("an average in an integer dtype"));
        }
        over = over.dtype(dtype);
    }
    let extremum = matches!(row.kind, Reduce::Min | Reduce::Max);
    match (call.get("initial"), call.scalar("initial")?) {
        // "No identity": an extremum has none anyway.
        (Some(Value::None), _) if extremum || !row.takes_initial() => {}
        (Some(Value::None), _) => return Err(call.unsupported("no initial value at all")),
        (_, Some(initial)) => over = over.initial(initial),
        (_, None) => {}
    }
    if let Some(mask) = mask(call, &array)? {
        over = over.where_(&mask);
    }
    array.reduce(row, corrected(call, over)?).map(Value::Array)
}

/// The mask, if there is one that says something.
pub(super) fn mask(call: &Bound<'_>, array: &Array) -> Result<Option<Array>> {
    match call.get("where") {
        None => Ok(None),
        Some(Value::Array(mask)) if mask.dtype() == DType::Bool => Ok(Some(mask.clone())),
        Some(Value::Array(_)) => Err(call.type_error("where must be of dtype bool")),
        Some(_) if call.flag("where", true)? => Ok(None),
        Some(_) => {
            let _guard = array.device().enter();
            crate::array::try_full((), false, DType::Bool).map(Some)
        }
    }
}

/// `ddof` and `correction`, two names of one number.
fn corrected(call: &Bound<'_>, over: Over) -> Result<Over> {
    match (call.float("ddof")?, call.float("correction")?) {
        (Some(ddof), Some(_)) if ddof != 0.0 => {
            Err(call.value_error("ddof and correction are the same: give one"))
        }
        (_, Some(correction)) => Ok(over.correction(correction)),
        (Some(ddof), None) => Ok(over.correction(ddof)),
        (None, None) => Ok(over),
    }
}
