//! Reductions.

use crate::call::bind::Bound;
use crate::call::support::{COMPOSED, NATIVE};
use crate::call::ufunc::methods::into_out;
use crate::call::{Function, Value};
use smallvec::SmallVec;

use crate::arguments::AxisOptions;
use crate::array::Array;
use crate::array::ufuncs as ufunc;
use crate::graph::Operand;
use ndany_core::ops::reductions::{self as table, Reduce, ReductionDef};
use ndany_core::{Casting, DType, Kind, Result};

/// How a reduction is asked for on an array.
type Reduction = fn(&Array, AxisOptions) -> Result<Array>;

/// Entries that hand a call to a reduction.
macro_rules! reductions {
    ($($name:literal $facts:expr, $parameters:literal $row:ident $run:path;)+) => {
        pub(in crate::call) static FUNCTIONS: &[Function] = &[$(
            Function { name: $name, parameters: $parameters, facts: $facts, run: |call| reduce(call, &table::$row, $run) },
        )+];
    };
}

reductions! {
    "np.sum" NATIVE, "a axis? dtype? out? keepdims? initial? where?" SUM Array::try_sum;
    "np.prod" NATIVE, "a axis? dtype? out? keepdims? initial? where?" PROD Array::try_prod;
    "np.min" NATIVE, "a axis? out? keepdims? initial? where?" MIN Array::try_min;
    "np.max" NATIVE, "a axis? out? keepdims? initial? where?" MAX Array::try_max;
    "np.any" NATIVE, "a axis? out? keepdims? * where?" ANY Array::try_any;
    "np.all" NATIVE, "a axis? out? keepdims? * where?" ALL Array::try_all;
    "np.argmin" NATIVE, "a axis? out? * keepdims?" ARGMIN Array::try_argmin;
    "np.argmax" NATIVE, "a axis? out? * keepdims?" ARGMAX Array::try_argmax;
    "np.mean" NATIVE, "a axis? dtype? out? keepdims? * where?" MEAN Array::try_mean;
    "np.var" NATIVE, "a axis? dtype? out? ddof? keepdims? * where? mean? correction?" VAR Array::try_var;
    "np.std" NATIVE, "a axis? dtype? out? ddof? keepdims? * where? mean? correction?" STD Array::try_std;
    "np.nansum" NATIVE, "a axis? dtype? out? keepdims? initial? where?" SUM Array::try_nansum;
    "np.nanprod" NATIVE, "a axis? dtype? out? keepdims? initial? where?" PROD Array::try_nanprod;
    "np.nanmin" NATIVE, "a axis? out? keepdims? initial? where?" MIN Array::try_nanmin;
    "np.nanmax" NATIVE, "a axis? out? keepdims? initial? where?" MAX Array::try_nanmax;
    "np.nanargmin" COMPOSED.waits("for floats"), "a axis? out? * keepdims?" ARGMIN Array::try_nanargmin;
    "np.nanargmax" COMPOSED.waits("for floats"), "a axis? out? * keepdims?" ARGMAX Array::try_nanargmax;
    "np.nanmean" COMPOSED, "a axis? dtype? out? keepdims? * where?" MEAN Array::try_nanmean;
    "np.nanvar" COMPOSED, "a axis? dtype? out? ddof? keepdims? * where? mean? correction?" VAR Array::try_nanvar;
    "np.nanstd" COMPOSED, "a axis? dtype? out? ddof? keepdims? * where? mean? correction?" STD Array::try_nanstd;
}

fn reduce(call: &Bound<'_>, row: &'static ReductionDef, run: Reduction) -> Result<Value> {
    let array = call.array("a")?;
    let positions = matches!(row.kind, Reduce::ArgMin | Reduce::ArgMax);
    if positions && matches!(call.get("axis"), Some(Value::Tuple(_) | Value::List(_))) {
        return Err(call.type_error("axis must be one integer"));
    }
    let mut options = match one_of_none(call, &array) && call.op().starts_with("np.nan") {
        // NumPy adds up here, which takes the axis that a 0-d array has not; its mean does not.
        true => AxisOptions::default(),
        false => geometry(call)?,
    };
    let averages = matches!(row.kind, Reduce::Mean | Reduce::Var | Reduce::Std);
    let mut whole = None;
    if let Some(dtype) = call.dtype("dtype")? {
        match dtype.kind() {
            Kind::Bool | Kind::Int if averages => whole = Some(dtype),
            Kind::Bool | Kind::Int | Kind::Float | Kind::Complex => options = options.dtype(dtype),
        }
    }
    let extremum = matches!(row.kind, Reduce::Min | Reduce::Max);
    match (call.get("initial"), call.scalar("initial")?) {
        // "No identity": an extremum has none anyway.
        (Some(Value::None), _) if extremum || !row.takes_initial() => {}
        (Some(Value::None), _) => return from_first(call, row, &array, options),
        (_, Some(initial)) => options = options.initial(initial),
        (_, None) => {}
    }
    if let Some(mask) = mask(call, &array)? {
        options = options.where_(&mask);
    }
    let mut options = corrected(call, options)?;
    if call.some("mean").is_some() {
        let mean = match call.operand("mean")? {
            Operand::Array(mean) => mean,
            // A plain number takes the dtype of the elements.
            Operand::Scalar(mean) => {
                let _guard = array.device().enter();
                let own = row.dtypes(array.dtype(), None)?.input;
                crate::array::try_full((), mean, mean.promote_with(own))?
            }
        };
        options = options.mean(&mean);
    }
    let inexact = |dtype: DType| matches!(dtype.kind(), Kind::Float | Kind::Complex);
    if let Some(Value::Array(out)) = call.some("out")
        && averages
        && call.op().starts_with("np.nan")
        && !inexact(out.dtype())
        && (inexact(array.dtype()) || row.kind == Reduce::Std)
    {
        return Err(call.type_error("an average of floats goes into an array of floats"));
    }
    let result = match whole {
        Some(dtype) => integer_mean(call, &array, row, dtype, options)?,
        None => run(&array, options)?,
    };
    if positions
        && let Some(Value::Array(out)) = call.some("out")
        && !out.dtype().can_cast(DType::I64, Casting::Safe)
    {
        return Err(call.type_error("positions go into an array of integers that int64 holds"));
    }
    into_out(call, result).map(Value::Array)
}

/// Whether the axis is one that ufuncs accept for a 0-d array, of numbers that may be NaN.
fn one_of_none(call: &Bound<'_>, array: &Array) -> bool {
    let floats = matches!(array.dtype().kind(), Kind::Float | Kind::Complex);
    let single = matches!(call.get("axis"), Some(Value::Scalar(_)));
    let axis = || matches!(call.int("axis"), Ok(Some(0 | -1)));
    array.ndim() == 0 && floats && single && axis()
}

/// A sum or product that starts from its first element.
fn from_first(
    call: &Bound<'_>,
    row: &'static ReductionDef,
    array: &Array,
    mut options: AxisOptions,
) -> Result<Value> {
    let product = row.kind == Reduce::Prod;
    let array = match call.op().starts_with("np.nan") {
        true => &array.without_nan(f64::from(u8::from(product)))?,
        false => array,
    };
    if let Some(mask) = mask(call, array)? {
        options = options.where_(&mask);
    }
    let fold = if product { &ufunc::multiply } else { &ufunc::add };
    into_out(call, fold.try_reduce(array, options.initial_none())?).map(Value::Array)
}

/// A mean asked for in an integer dtype: of elements converted to it, and converted again.
fn integer_mean(
    call: &Bound<'_>,
    array: &Array,
    row: &'static ReductionDef,
    dtype: DType,
    options: AxisOptions,
) -> Result<Array> {
    let skips_nan = call.op().starts_with("np.nan");
    if skips_nan && !matches!(array.dtype().kind(), Kind::Bool | Kind::Int) {
        return Err(call.type_error("the mean of floats needs a float dtype"));
    }
    if row.kind != Reduce::Mean || !dtype.is_int() {
        return Err(call.unsupported("this average in this dtype"));
    }
    let counted = {
        let _guard = array.device().enter();
        crate::array::try_full(array.shape(), 1, DType::I64)?.try_sum(options.clone())?
    };
    array.try_sum(options.dtype(dtype))?.try_divide(counted)?.try_astype(dtype)
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
pub(in crate::call) fn mask(call: &Bound<'_>, array: &Array) -> Result<Option<Array>> {
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
