//! The methods of ufuncs: `reduce`, `accumulate`, `outer`, `reduceat` of every row of two operands.

use super::bind::Bound;
use super::Value;
use crate::array::ufunc::Ufunc;
use crate::array::{Array, Axes, Over, over};
use crate::dtype::{DType, Kind};
use crate::error::{Result, ShapeText};
use crate::ops::rows::{Method, MethodKind};

/// Calls a method.
#[track_caller]
pub(super) fn method(
    method: &'static Method,
    args: &[Value],
    kwargs: &[(String, Value)],
) -> Result<Value> {
    let parameters = match method.kind {
        MethodKind::Reduce => "array axis? dtype? out? keepdims? initial? where?",
        MethodKind::Accumulate => "array axis? dtype? out?",
        MethodKind::Reduceat => "array indices axis? dtype? out?",
        MethodKind::Outer => return outer(method, args, kwargs),
    };
    let call = &Bound::new(method.name, parameters, args, kwargs)?;
    let (array, handle) = (call.array("array")?, Ufunc::new(method.row));
    let over = options(call, &array)?;
    let result = match method.kind {
        MethodKind::Reduce => handle.try_reduce(&array, over)?,
        MethodKind::Accumulate => handle.try_accumulate(&array, over)?,
        MethodKind::Reduceat => handle.try_reduceat(&array, &call.array("indices")?, over)?,
        MethodKind::Outer => unreachable!("called above"),
    };
    into_out(call, result).map(Value::Array)
}

/// The call of the operation itself, on a first operand with as many axes behind it as the second has.
#[track_caller]
fn outer(method: &'static Method, args: &[Value], kwargs: &[(String, Value)]) -> Result<Value> {
    let call = Bound::new(method.name, "A B", args, &[])?;
    let (first, second) = (call.array("A")?, call.array("B")?);
    let behind: Vec<isize> = (0..second.ndim()).map(|axis| (first.ndim() + axis) as isize).collect();
    let first = match args[0] {
        // A number stays weak.
        Value::Scalar(_) | Value::Bool(_) => args[0].clone(),
        _ => Value::Array(first.try_expand_dims(behind.as_slice())?),
    };
    super::ufunc(method.row, &[first, args[1].clone()], kwargs)
}

/// Axis 0 unless another is given, and the other options.
#[track_caller]
fn options(call: &Bound<'_>, array: &Array) -> Result<Over> {
    let mut options = match call.get("axis") {
        None => over(0),
        Some(_) => match call.reduced("axis")? {
            Axes::All => over(..),
            Axes::Some(axes) => over(axes.as_slice()),
        },
    };
    if call.flag("keepdims", false)? {
        options = options.keepdims();
    }
    let out = out(call)?.map(|out| out.dtype());
    if let Some(dtype) = call.dtype("dtype")?.or(out) {
        options = options.dtype(dtype);
    }
    options = match (call.get("initial"), call.scalar("initial")?) {
        (Some(Value::None), _) => options.from_first(),
        (_, Some(initial)) => options.initial(initial),
        (_, None) => options,
    };
    Ok(match super::reduce::mask(call, array)? {
        Some(mask) => options.where_(&mask),
        None => options,
    })
}

/// The array in which a result goes, if there is one.
fn out(call: &Bound<'_>) -> Result<Option<Array>> {
    match call.some("out") {
        None => Ok(None),
        Some(Value::Array(out)) => Ok(Some(out.clone())),
        Some(Value::Tuple(items)) => match items.as_slice() {
            [Value::Array(out)] => Ok(Some(out.clone())),
            [Value::None] => Ok(None),
            _ => Err(call.value_error("out must hold one array")),
        },
        Some(_) => Err(call.type_error("out must be an array")),
    }
}

/// The result as the array given as `out` holds it then.
fn into_out(call: &Bound<'_>, result: Array) -> Result<Array> {
    let Some(out) = out(call)? else { return Ok(result) };
    if out.shape() != result.shape() {
        let (needed, got) = (ShapeText::from(result.shape()), ShapeText::from(out.shape()));
        return Err(call.value_error(format!("out has the wrong shape: expected {needed}, got {got}")));
    }
    if !same_kind(result.dtype(), out.dtype()) {
        let (from, to) = (result.dtype(), out.dtype());
        return Err(call.type_error(format!("cannot cast {from} to {to} with casting same_kind")));
    }
    result.try_astype(out.dtype())
}

/// May values of one dtype be stored as another under NumPy's rule `same_kind`?
fn same_kind(from: DType, to: DType) -> bool {
    let rank = |dtype: DType| match dtype.kind() {
        Kind::Bool => 0,
        Kind::Int if dtype.is_unsigned() => 1,
        Kind::Int => 2,
        Kind::Float => 3,
        Kind::Complex => 4,
    };
    rank(from) <= rank(to)
}
