//! Scans, folds from left to right and folds of segments, with what is pending in front of them.
//!
//! They run when they are asked for: nothing that follows joins their pass, so nothing is gained by
//! waiting. What is in front is traced as for any other launch, but nothing of it is written along.

use std::panic::Location;

use smallvec::SmallVec;

use super::Array;
use super::evaluate::{choose_outputs, clear, read};
use super::node::{Constant, Expr, Node};
use super::trace::{Blocked, Trace, registers};
use super::{MAX_INPUTS, MAX_STEPS};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::launch_counts;
use crate::spans;
use ndany_core::backend::{
    Checked, CombineOrder, FoldLeft, Launch, Origin, Scan, SegmentedReduce, StridedView,
};
use ndany_core::ops::lowering::LoweredValue;
use ndany_core::program::{
    Builder, Combine, Domain, Op, Output, Prim, Program, Reduction, RegType,
};
use ndany_core::shape::{self, Shape, Strides, collapse, contiguous_strides};
use ndany_core::{DType, Result};

/// What is to be folded, and how.
pub(crate) struct Fold<'a> {
    pub(crate) op: &'static str,
    /// The elements, converted to `dtype`, which is also that of the result.
    pub(crate) array: &'a Array,
    pub(crate) dtype: DType,
    /// Axes of `array` that make the row, in the order of folding.
    pub(crate) axes: SmallVec<[usize; 4]>,
    pub(crate) pattern: Pattern<'a>,
}

/// The ways to fold.
pub(crate) enum Pattern<'a> {
    /// Every running value, by the canonical plan for scans.
    Scan { combine: Prim },
    /// From left to right: every running value, or the last.
    FoldLeft {
        combine: Combine,
        start: Option<Constant>,
        /// Booleans of the shape of the array: which elements count. The combination takes them too.
        mask: Option<&'a Array>,
        store_all: bool,
    },
    /// Segments of the row, which has one axis; offsets are I64 in one dimension.
    Segments { combine: Combine, order: CombineOrder, starts: &'a Array, ends: &'a Array },
}

impl Fold<'_> {
    /// The shape of the result.
    fn shape(&self) -> Shape {
        let shape = self.array.shape();
        match &self.pattern {
            Pattern::Scan { .. } | Pattern::FoldLeft { store_all: true, .. } => {
                Shape::from_slice(shape)
            }
            Pattern::FoldLeft { store_all: false, .. } => {
                let kept = (0..shape.len()).filter(|axis| !self.axes.contains(axis));
                kept.map(|axis| shape[axis]).collect()
            }
            Pattern::Segments { starts, .. } => {
                let mut shape = Shape::from_slice(shape);
                shape[self.axes[0]] = starts.size();
                shape
            }
        }
    }

    /// Where the result lies, along the axes of the array (the row's axis counting segments).
    fn strides(&self) -> Strides {
        let mut own = contiguous_strides(&self.shape()).into_iter();
        let last = matches!(self.pattern, Pattern::FoldLeft { store_all: false, .. });
        (0..self.array.ndim())
            .map(|axis| match last && self.axes.contains(&axis) {
                true => 0,
                false => own.next().unwrap_or(0),
            })
            .collect()
    }
}

/// Runs a fold. Rows and segments are not empty, unless there are none.
#[track_caller]
pub(crate) fn fold(fold: &Fold<'_>) -> Result<Array> {
    let shape = fold.shape();
    shape::checked_size(fold.op, &shape, fold.dtype)?;
    launch_counts::count(|counts| &mut counts.operations);
    let device = fold.array.device().clone();
    let (op, dtype, location) = (fold.op, fold.dtype, Location::caller());
    let outcome = run(fold, &device, Origin { op, shape: &shape, dtype, location });
    Ok(Array::of_node(Node::done(fold.op, shape, fold.dtype, device, outcome)))
}

fn run(fold: &Fold<'_>, device: &Device, origin: Origin<'_>) -> Result<Buffer> {
    if shape::size_of(origin.shape) == 0 {
        return Buffer::allocate(fold.op, device.backend(), 0);
    }
    let offsets = match &fold.pattern {
        Pattern::Segments { starts, ends, .. } => Some([starts.buffer()?, ends.buffer()?]),
        Pattern::Scan { .. } | Pattern::FoldLeft { .. } => None,
    };
    let mut operands = vec![Expr::Cast(fold.array.clone())];
    if let Pattern::FoldLeft { mask: Some(mask), .. } = fold.pattern {
        let (behind, beside) = (fold.array.node().cost, mask.node().cost);
        let (steps, inputs) = (behind.steps + beside.steps, behind.inputs + beside.inputs);
        if steps > MAX_STEPS || inputs > MAX_INPUTS {
            // A failure stays on the mask, and counts after one of the array.
            let _ = mask.eval();
        }
        operands.push(Expr::Cast(mask.clone()));
    }
    loop {
        match attempt(fold, device, &operands, offsets.as_ref(), origin) {
            Ok(outcome) => return outcome,
            Err(Blocked::Failed(error)) => return Err(error),
            Err(blocked) => clear(blocked),
        }
    }
}

/// One trace and, if nothing is in its way, its launch. The inner result is the device's.
fn attempt(
    fold: &Fold<'_>,
    device: &Device,
    operands: &[Expr],
    offsets: Option<&[Buffer; 2]>,
    origin: Origin<'_>,
) -> Result<Result<Buffer>, Blocked> {
    let builder = Builder::new();
    let space = Shape::from_slice(fold.array.shape());
    let mut trace = Trace::new(&builder, space, device.backend().row_limit());
    trace.row = Some(fold.axes.clone());
    trace.reduces = false;
    let values = trace.operands(operands, &[fold.dtype, DType::Bool])?;
    // Nothing but the result is written.
    let plan = choose_outputs(&trace, 0).map_err(|node| Blocked::Needs(vec![node]))?;
    let (reduction, output) = lift(fold, &builder, &mut trace, &values);
    let mut program = trace.program();
    program.reductions.push(reduction);
    program.outputs.push(output);
    builder.move_to(&mut program);
    let bytes = shape::size_of(&fold.shape()) * fold.dtype.size();
    let outcome = Buffer::allocate(fold.op, device.backend(), bytes).and_then(|buffer| {
        dispatch(fold, device, &trace, Checked::new(&program)?, &buffer, offsets, origin)?;
        Ok(buffer)
    });
    if outcome.is_ok() {
        trace.complete_claims(&plan.repended);
    }
    Ok(outcome)
}

/// The reduction of the program, and what comes out of it.
fn lift<'b>(
    fold: &Fold<'_>,
    builder: &'b Builder,
    trace: &mut Trace<'b>,
    values: &[LoweredValue<'b>],
) -> (Reduction, Output) {
    let dtype = fold.dtype;
    let parts = if dtype.is_complex() { 2 } else { 1 };
    let value = registers(values[0]);
    let mut lifted = SmallVec::from_slice(&value[..parts]);
    let elements = Output { dtype, parts: value, domain: Domain::Element };
    // The last state, as a value of the row.
    let last = || {
        let part = |part| {
            let op = Op::Reduced { reduction: 0, part };
            builder.push(op, RegType::of(dtype), [0; 3]).round_to(dtype).reg()
        };
        Output { dtype, parts: [part(0), part(parts as u8 - 1)], domain: Domain::Row }
    };
    let (combine, output) = match &fold.pattern {
        Pattern::Scan { combine } => (Combine::Prim(*combine), elements),
        Pattern::FoldLeft { combine, start, mask, store_all } => {
            lifted.extend(mask.map(|_| registers(values[1])[0]));
            let start = start.map(|start| registers(trace.scalar(start)));
            lifted.extend(start.iter().flat_map(|start| start[..parts].iter().copied()));
            (combine.clone(), if *store_all { elements } else { last() })
        }
        Pattern::Segments { combine, .. } => (combine.clone(), last()),
    };
    (Reduction { lifted, combine }, output)
}

fn dispatch(
    fold: &Fold<'_>,
    device: &Device,
    trace: &Trace<'_>,
    program: Checked<&Program>,
    buffer: &Buffer,
    offsets: Option<&[Buffer; 2]>,
    origin: Origin<'_>,
) -> Result<()> {
    // The row's axes go last, in the order of folding.
    let outer = (0..trace.space.len()).filter(|axis| !fold.axes.contains(axis));
    let order: SmallVec<[usize; 8]> = outer.chain(fold.axes.iter().copied()).collect();
    let permute =
        |strides: &Strides| -> Strides { order.iter().map(|&axis| strides[axis]).collect() };
    let mut shape: Shape = order.iter().map(|&axis| trace.space[axis]).collect();
    let mut walks: SmallVec<[Strides; 8]> = trace
        .sources
        .iter()
        .map(|source| permute(&source.strides))
        .chain([permute(&fold.strides())])
        .collect();
    let row_axes = match &fold.pattern {
        Pattern::Scan { .. } | Pattern::FoldLeft { .. } => {
            match collapse(&mut shape, &mut walks, fold.axes.len()) {
                0 => {
                    // A row of one element keeps an axis.
                    shape.push(1);
                    walks.iter_mut().for_each(|strides| strides.push(0));
                    1
                }
                axes => axes,
            }
        }
        // Along the row's axis the output steps through segments, so that it is kept as it is.
        Pattern::Segments { .. } => {
            let row = shape.pop().unwrap_or(1);
            let steps: SmallVec<[isize; 8]> =
                walks.iter_mut().map(|strides| strides.pop().unwrap_or(0)).collect();
            collapse(&mut shape, &mut walks, 0);
            shape.push(row);
            walks.iter_mut().zip(steps).for_each(|(strides, step)| strides.push(step));
            1
        }
    };
    let mut walks = walks.into_iter();
    let mut inputs = SmallVec::new();
    read(trace, &mut walks, &mut inputs);
    let outputs = walks
        .map(|strides| StridedView {
            memory: buffer.memory(),
            dtype: fold.dtype,
            offset: 0,
            strides,
        })
        .collect();
    let scalars = trace.scalars.iter().map(|&(_, bits)| bits).collect();
    let (made_of, origin) = (Vec::new(), Some(origin));
    let launch = Launch { program, shape, row_axes, inputs, scalars, outputs, made_of, origin };
    let backend = device.backend();
    let pattern = match fold.pattern {
        Pattern::Scan { .. } => "scan",
        Pattern::FoldLeft { .. } => "fold_left",
        Pattern::Segments { .. } => "segmented_reduce",
    };
    let _span = spans::launch(backend, pattern, &launch.shape, &program);
    match (&fold.pattern, offsets) {
        (Pattern::Scan { .. }, _) => {
            launch_counts::count(|counts| &mut counts.scans);
            backend.scan(Checked::new(&Scan { launch })?)
        }
        (Pattern::FoldLeft { start, store_all, .. }, _) => {
            launch_counts::count(|counts| &mut counts.folds);
            let parts = if fold.dtype.is_complex() { 2 } else { 1 };
            let fold_left =
                FoldLeft { launch, parts, has_initial: start.is_some(), store_all: *store_all };
            backend.fold_left(Checked::new(&fold_left)?)
        }
        (Pattern::Segments { order, starts, ends, .. }, Some([from, to])) => {
            launch_counts::count(|counts| &mut counts.folds);
            let (starts, ends) = (offsets_place(starts, from), offsets_place(ends, to));
            let segments = fold.shape()[fold.axes[0]];
            let reduce = SegmentedReduce { launch, order: *order, segments, starts, ends };
            backend.segmented_reduce(Checked::new(&reduce)?)
        }
        (Pattern::Segments { .. }, None) => unreachable!("offsets were read before"),
    }
}

fn offsets_place<'b>(array: &Array, buffer: &'b Buffer) -> StridedView<'b> {
    let layout = array.layout();
    StridedView {
        memory: buffer.memory(),
        dtype: DType::I64,
        offset: layout.offset,
        strides: layout.strides.clone(),
    }
}
