//! The lazy graph: elementwise operations and reductions wait until a value is needed, then run fused.
//!
//! `node` holds values, `trace` turns the pending expressions of a value into one program, `evaluate` runs it,
//! `prepared` keeps the programs of single operations, `fold` runs what leaves the graph: scans, folds from the left
//! and of segments. Shapes and dtypes are checked when an operation is asked for; only what depends on data or on the
//! device can fail later.
//!
//! Limits keep everything bounded: a pending value has at most [`MAX_STEPS`] operations and
//! [`MAX_INPUTS`] arrays that it depends on, so no walk over the graph goes deeper than that, and dropping,
//! printing or evaluating a chain of any length needs no deep stack.

pub(crate) mod evaluate;
pub(crate) mod fold;
mod handle;
pub(crate) mod kernel;
pub(crate) mod node;
pub(crate) mod order;
mod prepared;
pub(crate) mod stencil;
#[cfg(test)]
mod tests;
mod trace;

use std::cell::Cell;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use crate::device::Device;
use crate::element::Element;
use crate::launch_counts;
use crate::scalar::{Scalar, beyond_integers};
pub use handle::Array;
use ndany_core::ops::UfuncDef;
use ndany_core::ops::signature::{Ints, Returns, Signature};
use ndany_core::shape::{self, Shape};
use ndany_core::{CallSite, DType, Error, Kind, Number, Result};
use node::{Arg, Constant, Cost, Expr, MapExpr, Node, ReduceExpr, Siblings};
use order::{AxisOrder, Order, axis_order, common_order};

/// Maximum number of pending operations that a value depends on.
pub const MAX_STEPS: u32 = 64;
/// Arrays that may be read by them.
pub const MAX_INPUTS: u32 = 16;
/// Reductions that one program may contain.
pub const MAX_REDUCTIONS: u32 = 3;
/// A value that holds back more bytes than this, and far more than it will have itself, is computed at
/// once.
const MAX_PINNED: usize = 64 << 20;

/// What an operation takes: an array (borrowed or given away), a number, or a list of numbers, which becomes an array.
///
/// An array given away, whose last handle it was, lends its memory to the result.
#[derive(Clone, Debug)]
pub enum Operand {
    /// An array.
    Array(Array),
    /// A number, weak unless typed.
    Scalar(Scalar),
}

impl From<&Array> for Operand {
    fn from(array: &Array) -> Self {
        Operand::Array(array.clone())
    }
}
impl From<Array> for Operand {
    fn from(array: Array) -> Self {
        Operand::Array(array)
    }
}
impl From<&Operand> for Operand {
    fn from(operand: &Operand) -> Self {
        operand.clone()
    }
}
impl<T: Into<Scalar>> From<T> for Operand {
    fn from(scalar: T) -> Self {
        Operand::Scalar(scalar.into())
    }
}
impl<T: Element, const N: usize> From<[T; N]> for Operand {
    #[track_caller]
    fn from(values: [T; N]) -> Self {
        Operand::Array(values.into())
    }
}
impl<T: Element, const M: usize, const N: usize> From<[[T; N]; M]> for Operand {
    #[track_caller]
    fn from(values: [[T; N]; M]) -> Self {
        Operand::Array(values.into())
    }
}
impl<T: Element> From<&[T]> for Operand {
    #[track_caller]
    fn from(values: &[T]) -> Self {
        Operand::Array(values.into())
    }
}
impl<T: Element> From<Vec<T>> for Operand {
    #[track_caller]
    fn from(values: Vec<T>) -> Self {
        Operand::Array(values.into())
    }
}

impl Operand {
    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Operand::Array(array) => array.shape(),
            Operand::Scalar(_) => &[],
        }
    }

    /// The dtype, of an array or a strong scalar.
    fn strong(&self) -> Option<DType> {
        match self {
            Operand::Array(array) => Some(array.dtype()),
            Operand::Scalar(scalar) => scalar.dtype(),
        }
    }
}

/// Whether every operation runs by itself, as soon as it is called.
pub(crate) fn eager() -> bool {
    static EAGER: OnceLock<bool> = OnceLock::new();
    *EAGER.get_or_init(|| std::env::var_os("NDANY_EAGER").is_some_and(|value| value != "0"))
}

/// The dtype to which operands promote (NEP 50).
pub(crate) fn promote(operands: &[Operand]) -> DType {
    let strong = DType::promote_all(operands.iter().filter_map(Operand::strong));
    let weak = operands.iter().filter_map(|operand| match operand {
        Operand::Scalar(scalar) if scalar.dtype().is_none() => Some(scalar),
        Operand::Scalar(_) | Operand::Array(_) => None,
    });
    match strong {
        Some(dtype) => weak.fold(dtype, |dtype, scalar| scalar.promote_with(dtype)),
        None => DType::promote_all(weak.map(Scalar::natural_dtype)).unwrap_or(DType::F64),
    }
}

/// Gives weak numbers among the operands of a function that is no ufunc the dtype to which all promote, as by a cast: an integer
/// that it cannot hold wraps.
pub(crate) fn promote_scalars(op: &'static str, operands: &mut [Operand]) -> Result<()> {
    let is_weak = |operand: &Operand| operand.strong().is_none();
    if !operands.iter().any(is_weak) {
        return Ok(());
    }
    let dtype = promote(operands);
    for operand in operands {
        let Operand::Scalar(scalar) = operand else { continue };
        if let (None, Number::Int(value)) = (scalar.dtype(), scalar.number())
            && dtype.is_int()
            && beyond_integers(value).is_some()
        {
            return Err(Error::WeakOverflow { op, value, dtype });
        }
        *scalar = Scalar::typed(scalar.dtype().unwrap_or(dtype), *scalar);
    }
    Ok(())
}

/// As [`promote`], for operations that have loops over floats only: NumPy takes the first to which every operand converts
/// safely, so int8 beside uint8 is float16, and not what int16 would be.
fn promote_to_float(operands: &[Operand]) -> DType {
    let common = promote(operands);
    let strong = || operands.iter().filter_map(Operand::strong);
    if common.kind() != Kind::Int || strong().all(|dtype| dtype.kind() != Kind::Int) {
        return common;
    }
    strong().map(DType::to_inexact).reduce(DType::promote).unwrap_or(common)
}

/// The one device of the operands; without arrays, the thread's current one.
pub(crate) fn device_of(op: &'static str, operands: &[Operand]) -> Result<Device> {
    let mut found: Option<&Device> = None;
    for operand in operands {
        if let Operand::Array(array) = operand {
            match found {
                Some(device) if device != array.device() => {
                    let (left, right) = (device.name(), array.device().name());
                    return Err(Error::TwoDevices { op, left, right });
                }
                _ => found = Some(array.device()),
            }
        }
    }
    Ok(found.cloned().unwrap_or_else(Device::current))
}

/// Asks for the two results of one operation. Each knows of the other, so that one launch computes both.
#[track_caller]
pub(crate) fn pair(
    rows: [&'static UfuncDef; 2],
    operands: &mut [Operand],
) -> Result<(Array, Array)> {
    let siblings = Arc::new(Siblings::new());
    let mut copies: SmallVec<[Operand; 2]> = operands.iter().cloned().collect();
    let result = |row: &'static UfuncDef, operands: &mut [Operand]| {
        let (dtypes, output) = resolve(row, operands)?;
        elementwise_as(row, operands, dtypes, output, Some(siblings.clone()))
    };
    let (first, second) = (result(rows[0], operands)?, result(rows[1], &mut copies)?);
    introduce(&siblings, &[&first, &second]);
    Ok((first, second))
}

/// The dtype in which each operand of an operation is computed, and that of the result.
pub(crate) fn resolve(
    row: &'static UfuncDef,
    operands: &[Operand],
) -> Result<(SmallVec<[DType; 3]>, DType)> {
    let op = row.name;
    let refused = |remedy| Error::DTypes { op, dtypes: dtype_list(operands), remedy };
    // The first operand of three is a condition: it takes no part in promotion. Nor does an exponent.
    let conditions = usize::from(row.arity == 3);
    let promoted = operands.len() - usize::from(row.signature.exponent);
    // NumPy takes the first loop that suits the exponent: a weak number beside it is float16.
    let weak_beside_exponent = row.signature.exponent
        && operands[0].strong().is_none()
        && operands[promoted].strong().is_some();
    let common = match weak_beside_exponent {
        true => DType::F16,
        false if row.signature.ints == Ints::AsFloat => {
            promote_to_float(&operands[conditions..promoted])
        }
        false => promote(&operands[conditions..promoted]),
    };
    let (compute, output) = row.signature.resolve(op, common).map_err(|error| match error {
        Error::DTypes { remedy, .. } => refused(remedy),
        other => other,
    })?;
    let mut dtypes: SmallVec<[DType; 3]> = SmallVec::from_elem(compute, operands.len());
    dtypes[..conditions].fill(DType::Bool);
    for (operand, dtype) in operands.iter().zip(&mut dtypes).skip(promoted) {
        let own = match operand {
            Operand::Array(array) => array.dtype(),
            Operand::Scalar(scalar) => scalar.natural_dtype(),
        };
        if DType::promote(own, DType::I64) != DType::I64 {
            return Err(refused("the exponent must be an integer that int64 holds"));
        }
        *dtype = DType::I64;
    }
    if row.arity == 2 && row.signature == Signature::TRUTH {
        if let Some(value) = weak_beyond_int64(operands) {
            return Err(Error::WeakOverflow { op: row.name, value, dtype: DType::I64 });
        }
        compare_dtypes(operands, &mut dtypes);
    }
    Ok((dtypes, output))
}

/// Asks for an elementwise operation, with dtypes decided by the caller: operand `i` is converted to `dtypes[i]`. The result
/// may be one of several of its operation.
#[track_caller]
pub(crate) fn elementwise_as(
    row: &'static UfuncDef,
    operands: &mut [Operand],
    dtypes: SmallVec<[DType; 3]>,
    output: DType,
    siblings: Option<Arc<Siblings>>,
) -> Result<Array> {
    let by_value = compares_integers(row, operands);
    if by_value {
        for (operand, &dtype) in operands.iter_mut().zip(&dtypes) {
            if let Operand::Scalar(scalar) = operand {
                *scalar = beyond(scalar, dtype);
            }
        }
    }
    debug_assert!(row.signature.returns != Returns::Bool || output == DType::Bool);
    let Launched { shape, device, args, axes } = launched(row.name, operands, &dtypes, output)?;
    let expr = Expr::Map(MapExpr { row, compute: dtypes, args, siblings });
    let result = submit(shape, output, device, CallSite::caller(), expr);
    Ok(result.unordered(axes.as_deref()))
}

/// What operands are together: the shape that they broadcast to, their device, and themselves in that shape.
pub(crate) struct Launched {
    pub(crate) shape: Shape,
    pub(crate) device: Device,
    pub(crate) args: SmallVec<[Arg; 3]>,
    /// The axes of the result in the order of `shape`, if that is not theirs.
    pub(crate) axes: Option<AxisOrder>,
}

/// The operands of an operation together: operand `i` will be converted to `dtypes[i]`. They are taken out of the slice.
/// The result lies as they do: its node is C-ordered over the axes in their order.
#[inline]
pub(crate) fn launched(
    op: &'static str,
    operands: &mut [Operand],
    dtypes: &[DType],
    output: DType,
) -> Result<Launched> {
    let mut together = in_order(op, operands, dtypes, output)?;
    let layouts = together.args.iter().filter_map(|arg| match arg {
        Arg::Array(array) => Some(array.layout()),
        Arg::Scalar(_) => None,
    });
    together.axes = common_order(together.shape.len(), layouts);
    if let Some(axes) = &together.axes {
        for arg in &mut together.args {
            if let Arg::Array(array) = arg {
                *array = array.with_layout(array.layout().permute(axes));
            }
        }
        together.shape = axes.iter().map(|&axis| together.shape[axis]).collect();
    }
    Ok(together)
}

/// As [`launched`], with the axes of the result in their own order. It is compiled into its callers: what it returns would be moved
/// by each of them, in every small operation.
#[inline(always)]
pub(crate) fn in_order(
    op: &'static str,
    operands: &mut [Operand],
    dtypes: &[DType],
    output: DType,
) -> Result<Launched> {
    let device = device_of(op, operands)?;
    let mut shape = operands.first().map_or(Shape::new(), |first| Shape::from_slice(first.shape()));
    for operand in operands.iter().skip(1) {
        // Numbers, and arrays of the one shape, are most of what there is.
        if !operand.shape().is_empty() && operand.shape() != shape.as_slice() {
            shape = shape::broadcast(op, &shape, operand.shape())?;
        }
    }
    shape::checked_size(op, &shape, output)?;
    let mut args: SmallVec<[Arg; 3]> = SmallVec::new();
    for (operand, &dtype) in operands.iter_mut().zip(dtypes) {
        args.push(match std::mem::replace(operand, Operand::Scalar(Scalar::weak_bool(false))) {
            Operand::Array(array) if array.shape() == shape.as_slice() => Arg::Array(array),
            Operand::Array(array) => Arg::Array(array.broadcast_view(&shape)),
            Operand::Scalar(scalar) => Arg::Scalar(constant(op, &scalar, dtype)?),
        });
    }
    Ok(Launched { shape, device, args, axes: None })
}

fn dtype_list(operands: &[Operand]) -> String {
    let names: Vec<String> = operands
        .iter()
        .map(|operand| match operand {
            Operand::Array(array) => array.dtype().to_string(),
            Operand::Scalar(scalar) => scalar.natural_dtype().to_string(),
        })
        .collect();
    names.join(" and ")
}

pub(crate) fn constant(op: &'static str, scalar: &Scalar, dtype: DType) -> Result<Constant> {
    Ok(Constant::from_element_bits(dtype, scalar.bits_as(op, dtype)?))
}

/// Whether this is a comparison whose arrays hold integers only.
fn compares_integers(row: &UfuncDef, operands: &[Operand]) -> bool {
    let mut strong = operands.iter().filter_map(Operand::strong);
    row.arity == 2
        && row.signature == Signature::TRUTH
        && strong.all(|dtype| matches!(dtype.kind(), Kind::Int | Kind::Bool))
}

/// A weak integer that is compared with integers as f64 is beyond all of them (see [`compare_dtypes`]); rounded it
/// might equal the largest, so it becomes an infinity.
fn beyond(scalar: &Scalar, dtype: DType) -> Scalar {
    match (scalar.dtype(), scalar.number()) {
        (None, Number::Int(value)) if dtype == DType::F64 => {
            beyond_integers(value).map_or(*scalar, Scalar::weak_float)
        }
        _ => *scalar,
    }
}

/// The weak integer that meets booleans in int64, and is beyond it: NumPy compares these two in that dtype.
fn weak_beyond_int64(operands: &[Operand]) -> Option<i128> {
    let mut strong = operands.iter().filter_map(Operand::strong).peekable();
    strong.peek()?;
    let weak = operands.iter().find_map(|operand| match operand {
        Operand::Scalar(scalar) if scalar.dtype().is_none() => match scalar.number() {
            Number::Int(value) => Some(value),
            Number::Bool(_) | Number::Float(_) | Number::Complex(..) => None,
        },
        Operand::Scalar(_) | Operand::Array(_) => None,
    });
    let beyond = |value: &i128| i64::try_from(*value).is_err();
    weak.filter(beyond).filter(|_| strong.all(|dtype| dtype == DType::Bool))
}

/// NumPy compares integers by value: int64 with uint64 not through float64, and a weak integer that the
/// array's dtype cannot hold without an error.
fn compare_dtypes(operands: &[Operand], dtypes: &mut [DType]) {
    let own = |operand: &Operand| match operand {
        Operand::Array(array) => array.dtype(),
        Operand::Scalar(scalar) => match (scalar.dtype(), scalar.number()) {
            (Some(dtype), _) => dtype,
            (None, Number::Int(value)) => {
                let fits = |dtype: DType| {
                    let (low, high) = dtype.int_range();
                    (low..=high).contains(&value)
                };
                [dtypes[0], DType::I64, DType::U64]
                    .into_iter()
                    .find(|&dtype| !dtype.is_int() || fits(dtype))
                    .unwrap_or(DType::F64)
            }
            (None, _) => dtypes[0],
        },
    };
    let (left, right) = (own(&operands[0]), own(&operands[1]));
    let common = DType::promote(left, right);
    let wide = |dtype: DType| if dtype.is_unsigned() { DType::U64 } else { DType::I64 };
    if left.is_int() && right.is_int() && common.kind() == Kind::Float {
        dtypes.copy_from_slice(&[wide(left), wide(right)]);
    } else if dtypes[0].is_int() {
        dtypes.fill(common);
    }
}

/// Asks for a reduction. `axes` are sorted and valid; empty rows have been dealt with.
pub(crate) fn reduction(
    mut reduce: ReduceExpr,
    output: DType,
    device: Device,
    origin: CallSite,
) -> Array {
    let axes = order_kept_axes(&mut reduce);
    let shape = reduce
        .shape()
        .iter()
        .enumerate()
        .filter(|(axis, _)| !reduce.axes.contains(axis))
        .map(|(_, &extent)| extent)
        .collect();
    submit(shape, output, device, origin, Expr::Reduce(Box::new(reduce))).unordered(axes.as_deref())
}

/// An array whose elements have one value.
#[track_caller]
pub(crate) fn filled(shape: Shape, constant: Constant, device: Device) -> Array {
    submit(shape, constant.dtype, device, CallSite::caller(), Expr::Fill(constant.into()))
}

/// Puts the kept axes of a reduction in the order in which they lie, so that its result lies so, too.
/// The reduced ones, whose order is that of the combination, stay as they are among themselves.
fn order_kept_axes(reduce: &mut ReduceExpr) -> Option<AxisOrder> {
    let ndim = reduce.shape().len();
    if ndim < reduce.axes.len() + 2 {
        return None;
    }
    let kept: AxisOrder = (0..ndim).filter(|axis| !reduce.axes.contains(axis)).collect();
    let arrays = reduce.args.iter().filter_map(Arg::array);
    let layouts: SmallVec<[_; 2]> = arrays.map(|array| array.layout().permute(&kept)).collect();
    let axes = common_order(kept.len(), layouts.iter())?;
    let first = kept.len();
    let order: AxisOrder =
        axes.iter().map(|&axis| kept[axis]).chain(reduce.axes.iter().copied()).collect();
    for arg in &mut reduce.args {
        if let Arg::Array(array) = arg {
            *array = array.with_layout(array.layout().permute(&order));
        }
    }
    reduce.axes = (first..order.len()).collect();
    Some(axes)
}

/// Asks for a conversion (or a copy, where the dtype stays) that lies in an order.
pub(crate) fn cast(array: &Array, dtype: DType, order: Order, origin: CallSite) -> Array {
    let axes = axis_order(array.layout(), order);
    let operand = match &axes {
        Some(axes) => array.with_layout(array.layout().permute(axes)),
        None => array.clone(),
    };
    let (shape, device) = (Shape::from_slice(operand.shape()), array.device().clone());
    submit(shape, dtype, device, origin, Expr::Cast(operand)).unordered(axes.as_deref())
}

thread_local! {
    /// Whether what is asked for is written before anything else can happen to the memory that it reads.
    static WRITTEN_AT_ONCE: Cell<bool> = const { Cell::new(false) };
}

/// Asks for a value that the caller writes into pinned memory before its call returns: it may wait until then, although it reads memory
/// that others may write.
pub(crate) fn written_at_once<T>(ask: impl FnOnce() -> T) -> T {
    /// Sets the flag back, after a panic too.
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            WRITTEN_AT_ONCE.set(self.0);
        }
    }
    let _reset = Reset(WRITTEN_AT_ONCE.replace(true));
    ask()
}

/// Makes a pending node, within the limits, and computes it at once where that is asked for.
pub(crate) fn submit(
    shape: Shape,
    dtype: DType,
    device: Device,
    origin: CallSite,
    expr: Expr,
) -> Array {
    if !matches!(expr, Expr::Fill(_)) {
        launch_counts::count(|counts| &mut counts.operations);
    }
    let cost = cost_within_limits(&expr);
    let waits = expr.is_alone() || !is_due(&expr, cost, &shape, dtype, &device);
    let node = Node::pending(shape, dtype, device, origin, cost, expr);
    if !waits {
        // A failure stays on the node and comes out where the value is read.
        let _ = evaluate::evaluate(&node);
    }
    Array::of_node(node)
}

/// Whether an operation is computed before the call that asks for it returns.
fn is_due(expr: &Expr, cost: Cost, shape: &[usize], dtype: DType, device: &Device) -> bool {
    let own = shape::size_of(shape).saturating_mul(dtype.size());
    // A short row may yet be fused with what follows; a long one gains nothing by waiting.
    let waits = match expr {
        Expr::Reduce(reduce) => reduce.row_size() <= device.backend().row_limit(),
        Expr::Fill(_) | Expr::Range { .. } | Expr::Map(_) | Expr::Kernel(_) | Expr::Cast(_) => true,
    };
    let hoards = cost.pinned > MAX_PINNED
        && cost.pinned / 16 > own
        && (!waits || cost.pinned > 16 * MAX_PINNED);
    // What others may write at any time is read before the call returns.
    let mut exposed = false;
    expr.arrays(|array| exposed |= array.node().is_exposed());
    (exposed && !WRITTEN_AT_ONCE.get()) || eager() || hoards
}

/// Tells the results of an operation of each other. What is due is computed now, all results in one launch.
pub(crate) fn introduce(siblings: &Siblings, results: &[&Array]) {
    // Never set before: the call that made the results made it.
    let _ = siblings.set(results.iter().map(|result| Arc::downgrade(result.node())).collect());
    for node in results.iter().map(|result| result.node()) {
        let is_due = |expr: &Expr| is_due(expr, node.cost, node.shape(), node.dtype, &node.device);
        if node.peek(is_due) == Some(true) {
            let _ = evaluate::evaluate(node);
        }
    }
}

/// The cost of an expression; operands are computed first where it would pass the limits.
fn cost_within_limits(expr: &Expr) -> Cost {
    let mut cost = estimate(expr);
    if cost.steps > MAX_STEPS || cost.inputs > MAX_INPUTS {
        cost = measure(expr);
    }
    if cost.steps > MAX_STEPS || cost.inputs > MAX_INPUTS || cost.reductions > MAX_REDUCTIONS {
        expr.arrays(|array| {
            let _ = evaluate::evaluate(array.node());
        });
        cost = estimate(expr);
    }
    cost
}

/// Adds up the operands' costs; shared ones count each time.
fn estimate(expr: &Expr) -> Cost {
    let mut cost = Cost { steps: expr.steps(), ..Cost::default() };
    cost.reductions = u32::from(matches!(expr, Expr::Reduce(_)));
    expr.arrays(|array| {
        let node = array.node();
        if node.is_pending() {
            cost.steps += node.cost.steps;
            cost.inputs += node.cost.inputs;
            cost.reductions += node.cost.reductions;
            cost.pinned = cost.pinned.saturating_add(node.cost.pinned);
        } else {
            cost.inputs += 1;
            cost.pinned = cost.pinned.saturating_add(node.layout.size() * node.dtype.size());
        }
    });
    cost
}

/// Walks the pending operands of an expression and counts shared nodes once.
fn measure(expr: &Expr) -> Cost {
    let mut cost = Cost { steps: expr.steps(), ..Cost::default() };
    cost.reductions = u32::from(matches!(expr, Expr::Reduce(_)));
    let mut seen: Vec<Arc<Node>> = Vec::new();
    let mut next = 0;
    let visit = |array: &Array, seen: &mut Vec<Arc<Node>>| {
        if !seen.iter().any(|node| Arc::ptr_eq(node, array.node())) {
            seen.push(array.node().clone());
        }
    };
    expr.arrays(|array| visit(array, &mut seen));
    while next < seen.len() {
        let node = seen[next].clone();
        next += 1;
        let walked = node.peek(|expr| {
            expr.arrays(|array| visit(array, &mut seen));
            (expr.steps(), matches!(expr, Expr::Reduce(_)))
        });
        match walked {
            Some((steps, reduces)) => {
                cost.steps += steps;
                cost.reductions += u32::from(reduces);
            }
            None => {
                cost.inputs += 1;
                cost.pinned += node.layout.size() * node.dtype.size();
            }
        }
    }
    cost
}
