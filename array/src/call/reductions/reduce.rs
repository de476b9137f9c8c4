//! Reductions.

use crate::call::bind::Bound;
use crate::call::support::{COMPOSED, NATIVE};
use crate::call::ufunc::methods::into_out;
use crate::call::{Function, Value};
use smallvec::SmallVec;

use crate::arguments::AxisOptions;
use crate::array::Array;
use ndany_core::{Casting, DType, Kind, Result};

/// A reduction of an array.
type Reduction = fn(&Array, AxisOptions) -> Result<Array>;

/// Entries that hand a call to a reduction.
macro_rules! reductions {
    ($($name:literal $facts:expr, $parameters:literal $convert:ident $run:path;)+) => {
        pub(in crate::call) static FUNCTIONS: &[Function] = &[$(
            Function { name: $name, parameters: $parameters, facts: $facts, run: |call| $convert(call, $run) },
        )+];
    };
}

reductions! {
    "np.sum" NATIVE, "a axis? dtype? out? keepdims? initial? where?" reduce Array::try_sum;
    "np.prod" NATIVE, "a axis? dtype? out? keepdims? initial? where?" reduce Array::try_prod;
    "np.min" NATIVE, "a axis? out? keepdims? initial? where?" reduce Array::try_min;
    "np.max" NATIVE, "a axis? out? keepdims? initial? where?" reduce Array::try_max;
    "np.any" NATIVE, "a axis? out? keepdims? * where?" reduce Array::try_any;
    "np.all" NATIVE, "a axis? out? keepdims? * where?" reduce Array::try_all;
    "np.argmin" NATIVE, "a axis? out? * keepdims?" position Array::try_argmin;
    "np.argmax" NATIVE, "a axis? out? * keepdims?" position Array::try_argmax;
    "np.mean" NATIVE, "a axis? dtype? out? keepdims? * where?" reduce Array::try_mean;
    "np.var" NATIVE, "a axis? dtype? out? ddof? keepdims? * where? mean? correction?" reduce Array::try_var;
    "np.std" NATIVE, "a axis? dtype? out? ddof? keepdims? * where? mean? correction?" reduce Array::try_std;
    "sp.special.logsumexp" NATIVE, "a axis? b=None keepdims? return_sign=False" reduce Array::try_logsumexp;
    "np.nansum" NATIVE, "a axis? dtype? out? keepdims? initial? where?" reduce Array::try_nansum;
    "np.nanprod" NATIVE, "a axis? dtype? out? keepdims? initial? where?" reduce Array::try_nanprod;
    "np.nanmin" NATIVE, "a axis? out? keepdims? initial? where?" reduce Array::try_nanmin;
    "np.nanmax" NATIVE, "a axis? out? keepdims? initial? where?" reduce Array::try_nanmax;
    "np.nanargmin" COMPOSED.waits("for floats"), "a axis? out? * keepdims?" position Array::try_nanargmin;
    "np.nanargmax" COMPOSED.waits("for floats"), "a axis? out? * keepdims?" position Array::try_nanargmax;
    "np.nanmean" COMPOSED, "a axis? dtype? out? keepdims? * where?" nan_average Array::try_nanmean;
    "np.nanvar" COMPOSED, "a axis? dtype? out? ddof? keepdims? * where? mean? correction?" nan_average Array::try_nanvar;
    "np.nanstd" COMPOSED, "a axis? dtype? out? ddof? keepdims? * where? mean? correction?" nan_average Array::try_nanstd;
}

fn reduce(call: &Bound<'_>, run: Reduction) -> Result<Value> {
    let array = call.array("a")?;
    into_out(call, run(&array, options(call, &array, geometry(call)?)?)?).map(Value::Array)
}

/// A reduction to positions, along one axis or all.
fn position(call: &Bound<'_>, run: Reduction) -> Result<Value> {
    let array = call.array("a")?;
    if let Some(Value::Tuple(_) | Value::List(_)) = call.get("axis") {
        return Err(call.type_error("axis must be one integer"));
    }
    let positions = run(&array, options(call, &array, geometry(call)?)?)?;
    match call.some("out") {
        Some(Value::Array(out)) if !out.dtype().can_cast(DType::I64, Casting::Safe) => {
            Err(call.type_error("positions go into an array of integers that int64 holds"))
        }
        _ => into_out(call, positions).map(Value::Array),
    }
}

/// An average that passes over NaN. NumPy computes it in the array given as `out`, and takes the root there.
fn nan_average(call: &Bound<'_>, run: Reduction) -> Result<Value> {
    let inexact = |array: &Array| matches!(array.dtype().kind(), Kind::Float | Kind::Complex);
    match call.some("out") {
        Some(Value::Array(out))
            if !inexact(out) && (call.op() == "np.nanstd" || inexact(&call.array("a")?)) =>
        {
            Err(call.type_error("an average of floats goes into an array of floats"))
        }
        _ => reduce(call, run),
    }
}

/// Axes with the options that are given.
pub(in crate::call) fn options(
    call: &Bound<'_>,
    array: &Array,
    mut options: AxisOptions,
) -> Result<AxisOptions> {
    if let Some(dtype) = call.dtype("dtype")? {
        options = options.dtype(dtype);
    }
    options = match (call.get("initial"), call.scalar("initial")?) {
        (Some(Value::None), _) => options.initial_none(),
        (_, Some(initial)) => options.initial(initial),
        (_, None) => options,
    };
    if let Some(mask) = mask(call, array)? {
        options = options.where_(&mask);
    }
    options = corrected(call, options)?;
    if call.some("mean").is_some() {
        options = options.mean(call.operand("mean")?);
    }
    Ok(options)
}

/// The axes, and whether they stay.
pub(in crate::call) fn geometry(call: &Bound<'_>) -> Result<AxisOptions> {
    keeping(call, call.folded("axis")?)
}

/// These axes, and whether they stay.
pub(in crate::call) fn keeping(
    call: &Bound<'_>,
    axes: Option<SmallVec<[isize; 4]>>,
) -> Result<AxisOptions> {
    let options = AxisOptions::new(axes);
    Ok(if call.flag("keepdims", false)? { options.keepdims() } else { options })
}

/// The mask, on the array's device.
fn mask(call: &Bound<'_>, array: &Array) -> Result<Option<Array>> {
    let _guard = array.device().enter();
    call.mask("where")
}

/// `ddof` and `correction`, two names of one number.
fn corrected(call: &Bound<'_>, options: AxisOptions) -> Result<AxisOptions> {
    match (call.float("ddof")?, call.float("correction")?) {
        (Some(ddof), Some(_)) if ddof != 0.0 => {
            Err(call.value_error("ddof and correction are the same: give one"))
        }
        (_, Some(correction)) => Ok(options.ddof(correction)),
        (Some(ddof), None) => Ok(options.ddof(ddof)),
        (None, None) => Ok(options),
    }
}
