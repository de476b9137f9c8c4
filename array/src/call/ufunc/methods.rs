//! The methods of ufuncs: `reduce`, `accumulate`, `outer`, `reduceat` of every row of two operands.

use smallvec::SmallVec;

use crate::arguments::AxisOptions;
use crate::array::Array;
use crate::array::ufunc::Ufunc;
use crate::array::ufunc::at::UnaryUfunc;
use crate::call::Value;
use crate::call::bind::Bound;
use crate::call::parameters::Parameters;
use crate::call::reductions::reduce;
use crate::elementwise::{Method, MethodKind};
use ndany_core::ops::signature::Signature;
use ndany_core::{Casting, DType, Error, Result, shape};

/// The parameters of a method. Those of `outer` by keyword are the operation's.
pub(in crate::call) fn parameters(kind: MethodKind) -> &'static str {
    match kind {
        MethodKind::Reduce => "array axis? dtype? out? keepdims? initial? where?",
        MethodKind::Accumulate => "array axis? dtype? out?",
        MethodKind::Reduceat => "array indices axis? dtype? out?",
        MethodKind::Outer => "A B * out? where? dtype? casting? order? subok~ sig? signature?",
        MethodKind::At | MethodKind::UnaryAt => "a! indices b?",
        MethodKind::BinaryOnly => "array ...",
    }
}

/// Calls a method.
#[track_caller]
pub(in crate::call) fn method(
    method: &'static Method,
    parameters: &Parameters,
    args: &[Value],
    kwargs: &[(String, Value)],
    target: Option<&mut Array>,
) -> Result<Value> {
    match method.kind {
        MethodKind::Outer => return outer(method, parameters, args, kwargs),
        MethodKind::BinaryOnly => {
            let call = Bound::new(method.name, parameters, args, &[])?;
            return Err(call.value_error("only operations of two operands have this method"));
        }
        MethodKind::Reduce
        | MethodKind::Accumulate
        | MethodKind::Reduceat
        | MethodKind::At
        | MethodKind::UnaryAt => {}
    }
    let call = &Bound::new(method.name, parameters, args, kwargs)?;
    if matches!(method.kind, MethodKind::At | MethodKind::UnaryAt) {
        call.target.set(target);
        return at(method, call);
    }
    let (mut array, handle) = (call.array("array")?, Ufunc::new(method.row));
    let mut over = options(call, &array)?;
    if let (Some(out), None) = (out(call)?, call.dtype("dtype")?) {
        // The array that takes the result has a say in what is computed, but for truth values.
        let dtype = DType::promote(out.dtype(), array.dtype());
        let compares = method.row.signature == Signature::TRUTH;
        let truth = method.row.is_logical() || (compares && array.dtype() == DType::Bool);
        if !truth {
            array = array.try_astype(dtype)?;
        }
        if method.row.widens() {
            over = over.dtype(dtype);
        }
    }
    let result = match method.kind {
        MethodKind::Reduce => handle.try_reduce(&array, over)?,
        MethodKind::Accumulate => handle.try_accumulate(&array, over)?,
        MethodKind::Reduceat => handle.try_reduceat(&array, &call.array("indices")?, over)?,
        MethodKind::Outer | MethodKind::At | MethodKind::UnaryAt | MethodKind::BinaryOnly => {
            unreachable!("called above")
        }
    };
    into_out(call, result).map(Value::Array)
}

/// Changes elements at an index by the operation.
#[track_caller]
fn at(method: &'static Method, call: &Bound<'_>) -> Result<Value> {
    let indices = call.get("indices").unwrap_or(&Value::None);
    let indices = crate::call::indexing::index::key_of(call, indices)?;
    let indices = indices.as_slice();
    match (method.kind, call.get("b")) {
        (MethodKind::UnaryAt, Some(_)) => {
            Err(call.value_error("an operation of one operand takes no second one"))
        }
        (MethodKind::UnaryAt, None) => {
            call.change(|array| UnaryUfunc::new(method.row).try_at(array, indices))
        }
        (_, Some(_)) => {
            // As NumPy does here, numbers become arrays: they are not weak.
            let values = call.array("b")?;
            call.change(|array| Ufunc::new(method.row).try_at(array, indices, &values))
        }
        (_, None) => Err(call.value_error("a second operand is needed")),
    }
}

/// The call of the operation itself, on a first operand with as many axes after it as the second has.
#[track_caller]
fn outer(
    method: &'static Method,
    parameters: &Parameters,
    args: &[Value],
    kwargs: &[(String, Value)],
) -> Result<Value> {
    let call = Bound::new(method.name, parameters, args, &[])?;
    let (first, second) = (call.array("A")?, call.array("B")?);
    let after: Vec<isize> = (0..second.ndim()).map(|axis| (first.ndim() + axis) as isize).collect();
    // As NumPy does here, numbers become arrays: they are not weak.
    let operands = [first.try_expand_dims(after.as_slice())?, second].map(Value::Array);
    let row = method.row;
    let parameters = Parameters::parse(crate::call::ufunc::parameters(row.arity, 1));
    crate::call::ufunc::call_ufunc(row.numpy, &parameters, &[row], &operands, kwargs)
}

/// Axis 0 unless another is given, and the other options.
#[track_caller]
fn options(call: &Bound<'_>, array: &Array) -> Result<AxisOptions> {
    let axes = match call.get("axis") {
        None => Some(SmallVec::from_slice(&[0])),
        Some(_) => call.folded("axis")?,
    };
    reduce::options(call, array, reduce::keeping(call, axes)?)
}

/// Whether `out` may be an ellipsis. NumPy takes it where a ufunc is called.
fn takes_ellipsis(op: &str) -> bool {
    let methods = [".reduce", ".accumulate", ".reduceat"];
    methods.iter().any(|method| op.ends_with(method))
        || matches!(
            op,
            "np.matmul" | "np.matvec" | "np.vecmat" | "np.vecdot" | "np.nanmin" | "np.nanmax"
        )
}

/// The array in which a result goes, if there is one.
fn out(call: &Bound<'_>) -> Result<Option<Array>> {
    match call.some("out") {
        None => Ok(None),
        Some(Value::Array(out)) => Ok(Some(out.clone())),
        // Methods of ufuncs give arrays in place of numbers then, which all results are here.
        Some(Value::Ellipsis) if takes_ellipsis(call.op()) => Ok(None),
        Some(Value::Tuple(items)) => match items.as_slice() {
            [Value::Array(out)] => Ok(Some(out.clone())),
            [Value::None] => Ok(None),
            [_] => Err(call.type_error("out must be an array")),
            _ => Err(call.value_error("out must hold one array")),
        },
        Some(_) => Err(call.type_error("out must be an array")),
    }
}

/// The result as the array given as `out` holds it then: converted, as NumPy does here, without a rule.
pub(in crate::call) fn into_out(call: &Bound<'_>, result: Array) -> Result<Array> {
    let Some(out) = out(call)? else { return Ok(result) };
    if out.shape() != result.shape() {
        return Err(call.value_error(call.other_shape(&result, &out)));
    }
    result.try_astype(out.dtype())
}

/// The same where the array may have more in front of the last `own` axes of the result, and along axes of extent 1: it is
/// filled.
pub(in crate::call) fn into_out_broadcast(
    call: &Bound<'_>,
    result: Array,
    own: usize,
    rule: Casting,
) -> Result<Array> {
    if let Some(out) = out(call)?
        && out.shape() != result.shape()
        && let (Some(first), Some(from)) =
            (out.ndim().checked_sub(own), result.ndim().checked_sub(own))
        && out.shape()[first..] == result.shape()[from..]
        && shape::broadcast(call.op(), out.shape(), result.shape())
            .is_ok_and(|both| both.as_slice() == out.shape())
    {
        let spread = result.try_broadcast_to(out.shape())?.try_copy()?;
        return into_out_by(call, spread, rule);
    }
    into_out_by(call, result, rule)
}

/// The same where a rule says what may be converted.
pub(in crate::call) fn into_out_by(
    call: &Bound<'_>,
    result: Array,
    rule: Casting,
) -> Result<Array> {
    if let Some(out) = out(call)?
        && !result.dtype().can_cast(out.dtype(), rule)
    {
        let dtypes = format!("a result of {} in an array of {}", result.dtype(), out.dtype());
        return Err(Error::DTypes { op: call.op(), dtypes, remedy: "take another array as out" });
    }
    into_out(call, result)
}
