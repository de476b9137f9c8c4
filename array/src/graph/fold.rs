//! Scans, folds from left to right and folds of segments, with what is pending in front of them.
//!
//! They run when they are asked for: nothing that follows joins their pass, so nothing is gained by
//! waiting. What is in front is traced as for any other launch, but nothing of it is written along.

use smallvec::SmallVec;

use super::evaluate::{choose_outputs, clear, read};
use super::kernel::TracedReduction;
use super::node::{Arg, Constant, Expr, Node};
use super::trace::{Blocked, Trace, registers};
use super::{Array, Launched, MAX_INPUTS, MAX_STEPS, estimate};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::launch_counts;
use crate::spans;
use ndany_core::backend::{
    Checked, CombineOrder, FoldLeft, Launch, Origin, Scan, SegmentedReduce, StridedView,
};
use ndany_core::ops::lowering::LoweredValue;
use ndany_core::program::{
    Builder, Combine, Domain, Op, Output, Prim, Program, Reduction, RegType, SsaValue,
};
use ndany_core::shape::{self, Shape, Strides, collapse, contiguous_strides};
use ndany_core::{CallSite, DType, Error, Result};

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
    let mut operands = vec![(Expr::Cast(fold.array.clone()), fold.dtype)];
    if let Pattern::FoldLeft { mask: Some(mask), .. } = fold.pattern {
        let (array, mask_cost) = (fold.array.node().cost, mask.node().cost);
        let (steps, inputs) = (array.steps + mask_cost.steps, array.inputs + mask_cost.inputs);
        if steps > MAX_STEPS || inputs > MAX_INPUTS {
            // A failure stays on the mask, and counts after one of the array.
            let _ = mask.eval();
        }
        operands.push((Expr::Cast(mask.clone()), DType::Bool));
    }
    let job = Job {
        op: fold.op,
        space: fold.array.shape(),
        axes: &fold.axes,
        operands: &operands,
        outputs: &[fold.dtype],
        strides: fold.strides(),
        shape,
        execution: match fold.pattern {
            Pattern::Scan { .. } => Execution::Scan,
            Pattern::FoldLeft { start, store_all, .. } => {
                let parts = if fold.dtype.is_complex() { 2 } else { 1 };
                Execution::FoldLeft { parts, has_initial: start.is_some(), store_all }
            }
            Pattern::Segments { order, starts, ends, .. } => {
                Execution::Segments { order, starts, ends }
            }
        },
    };
    let lift: &Lift<'_> = &|builder, trace, values| lift(fold, builder, trace, values);
    let mut results = job.run(fold.array.device(), lift);
    match results.pop() {
        Some(result) => Ok(result),
        None => unreachable!("a fold has one result"),
    }
}

/// Folds rows from left to right by a reduction made of closures. The operands have one shape and the row is their last axis, which
/// is not empty unless there are no rows.
#[track_caller]
pub(crate) fn fold_rows(
    kernel: &TracedReduction,
    together: Launched,
) -> Result<SmallVec<[Array; 2]>> {
    let Launched { shape: space, device, args, .. } = together;
    let Some((&row, kept)) = space.split_last() else { unreachable!("there is a row") };
    let operands = operands_of_rows(kernel, args, row)?;
    let _guard = device.enter();
    // All of the row is the one segment.
    let offsets = |value: usize| {
        let bits = [value as u64, 0];
        super::filled(Shape::new(), Constant { dtype: DType::I64, bits }, device.clone())
    };
    let (starts, ends) = (offsets(0), offsets(row));
    let outputs = dtypes_of(kernel);
    let mut strides = contiguous_strides(kept);
    // From segment to segment, of which there is one.
    strides.push(1);
    let job = Job {
        op: kernel.name,
        space: &space,
        axes: &[space.len() - 1],
        operands: &operands,
        outputs: &outputs,
        shape: Shape::from_slice(kept),
        strides,
        execution: Execution::Segments {
            order: CombineOrder::Left,
            starts: &starts.broadcast_view(&[1]),
            ends: &ends.broadcast_view(&[1]),
        },
    };
    let lift: &Lift<'_> = &|builder, _, values| {
        let (reduction, results) = kernel.inline(builder, &arguments_of(values), 0);
        (reduction, outputs_of(kernel, &results, Domain::Row))
    };
    Ok(job.run(&device, lift))
}

/// Scans rows along an axis by closures. The operands have one shape.
#[track_caller]
pub(crate) fn scan_rows(
    kernel: &TracedReduction,
    together: Launched,
    axis: usize,
) -> Result<SmallVec<[Array; 2]>> {
    let Launched { shape: space, device, args, .. } = together;
    let operands = operands_of_rows(kernel, args, space[axis])?;
    let outputs = dtypes_of(kernel);
    for &dtype in &outputs {
        shape::checked_size(kernel.name, &space, dtype)?;
    }
    let job = Job {
        op: kernel.name,
        space: &space,
        axes: &[axis],
        operands: &operands,
        outputs: &outputs,
        shape: space.clone(),
        strides: contiguous_strides(&space),
        execution: Execution::Scan,
    };
    let lift: &Lift<'_> = &|builder, _, values| {
        let (reduction, results) = kernel.inline_scan(builder, &arguments_of(values));
        (reduction, outputs_of(kernel, &results, Domain::Element))
    };
    Ok(job.run(&device, lift))
}

/// The dtypes of the results.
fn dtypes_of(kernel: &TracedReduction) -> SmallVec<[DType; 2]> {
    kernel.outputs.iter().map(|output| output.dtype).collect()
}

/// The registers of operands, one after the other.
fn arguments_of<'b>(values: &[LoweredValue<'b>]) -> SmallVec<[SsaValue<'b>; 8]> {
    values.iter().flat_map(|value| value.terms()).collect()
}

/// What is written: these results of a kernel.
fn outputs_of(
    kernel: &TracedReduction,
    results: &[SsaValue<'_>],
    domain: Domain,
) -> SmallVec<[Output; 2]> {
    kernel.outputs.iter().map(|output| output.written(results, domain)).collect()
}

/// What is traced of the arguments of a kernel, and of its facts over a row of this many elements.
fn operands_of_rows(
    kernel: &TracedReduction,
    args: SmallVec<[Arg; 3]>,
    row: usize,
) -> Result<Vec<(Expr, DType)>> {
    let mut operands: Vec<(Expr, DType)> = Vec::with_capacity(args.len());
    let facts = kernel.facts.iter().map(|fact| fact.argument(kernel.name, &[row], &[]));
    let facts = facts.collect::<Result<SmallVec<[Option<Arg>; 2]>>>()?;
    for arg in args.into_iter().chain(facts.into_iter().flatten()) {
        operands.push(match arg {
            Arg::Array(array) => {
                let dtype = kernel.operands[operands.len()];
                (Expr::Cast(array), dtype)
            }
            Arg::Scalar(constant) => (Expr::Fill(constant.into()), constant.dtype),
        });
    }
    let arrays = || operands.iter().filter(|(expr, _)| matches!(expr, Expr::Cast(_)));
    let costs = arrays().map(|(expr, _)| estimate(expr));
    let (steps, inputs) =
        costs.fold((0, 0), |(steps, inputs), cost| (steps + cost.steps, inputs + cost.inputs));
    if steps > MAX_STEPS || inputs > MAX_INPUTS {
        for (expr, _) in arrays() {
            // A failure stays on the operand, where the trace finds it.
            expr.arrays(|array| drop(array.eval()));
        }
    }
    Ok(operands)
}

/// The reduction of a fold's program, and what comes out of it, from the values of the operands.
type Lift<'f> = dyn for<'b> Fn(
        &'b Builder,
        &mut Trace<'b>,
        &[LoweredValue<'b>],
    ) -> (Reduction, SmallVec<[Output; 2]>)
    + 'f;

/// A fold as it is launched.
struct Job<'a> {
    op: &'static str,
    /// The shape of the operands.
    space: &'a [usize],
    axes: &'a [usize],
    /// What is traced, and the dtype that it is converted to.
    operands: &'a [(Expr, DType)],
    /// The dtypes of the results, which all have this shape.
    outputs: &'a [DType],
    shape: Shape,
    /// Where they lie, along the axes of the operands (the row's axis counting segments).
    strides: Strides,
    execution: Execution<'a>,
}

/// What is launched.
enum Execution<'a> {
    Scan,
    FoldLeft { parts: usize, has_initial: bool, store_all: bool },
    Segments { order: CombineOrder, starts: &'a Array, ends: &'a Array },
}

impl Job<'_> {
    /// Runs it. What fails stays with the results.
    #[track_caller]
    fn run(&self, device: &Device, lift: &Lift<'_>) -> SmallVec<[Array; 2]> {
        launch_counts::count(|counts| &mut counts.operations);
        let (op, shape, location) = (self.op, self.shape.as_slice(), CallSite::caller());
        let origin = Origin { op, shape, dtype: self.outputs[0], location, meaning: None };
        let outcome = self.outcome(device, lift, origin);
        // Not a closure, in which the caller would be this line.
        let mut results = SmallVec::new();
        for (number, &dtype) in self.outputs.iter().enumerate() {
            let buffer = outcome.as_ref().map(|buffers| buffers[number].clone());
            let (shape, device) = (self.shape.clone(), device.clone());
            let node = Node::done(op, shape, dtype, device, buffer.map_err(Error::clone));
            results.push(Array::of_node(node));
        }
        results
    }

    fn outcome(
        &self,
        device: &Device,
        lift: &Lift<'_>,
        origin: Origin<'_>,
    ) -> Result<SmallVec<[Buffer; 2]>> {
        if shape::size_of(&self.shape) == 0 {
            let nothing = |_: &DType| Buffer::allocate(self.op, device.backend(), 0);
            return self.outputs.iter().map(nothing).collect();
        }
        let offsets = match &self.execution {
            Execution::Segments { starts, ends, .. } => Some([starts.buffer()?, ends.buffer()?]),
            Execution::Scan | Execution::FoldLeft { .. } => None,
        };
        loop {
            match self.attempt(device, lift, offsets.as_ref(), origin) {
                Ok(outcome) => return outcome,
                Err(Blocked::Failed(error)) => return Err(error),
                Err(blocked) => clear(blocked),
            }
        }
    }

    /// One trace and, if nothing is in its way, its launch. The inner result is the device's.
    fn attempt(
        &self,
        device: &Device,
        lift: &Lift<'_>,
        offsets: Option<&[Buffer; 2]>,
        origin: Origin<'_>,
    ) -> Result<Result<SmallVec<[Buffer; 2]>>, Blocked> {
        let builder = Builder::new();
        let space = Shape::from_slice(self.space);
        let mut trace = Trace::new(&builder, space, device.backend().row_limit());
        trace.row = Some(self.axes.into());
        trace.reduces = false;
        let values = trace.operands(self.operands)?;
        // Nothing but the results is written.
        let plan = choose_outputs(&trace, None, 0).map_err(|node| Blocked::Needs(vec![node]))?;
        let (reduction, outputs) = lift(&builder, &mut trace, &values);
        let mut program = trace.program();
        program.reductions.push(reduction);
        program.outputs = outputs;
        builder.move_to(&mut program);
        let size = shape::size_of(&self.shape);
        let allocate =
            |dtype: &DType| Buffer::allocate(self.op, device.backend(), size * dtype.size());
        let buffers: Result<SmallVec<[Buffer; 2]>> = self.outputs.iter().map(allocate).collect();
        let outcome = buffers.and_then(|buffers| {
            self.dispatch(device, &trace, Checked::new(&program)?, &buffers, offsets, origin)?;
            Ok(buffers)
        });
        if outcome.is_ok() {
            trace.complete_claims(&plan.repended);
        }
        Ok(outcome)
    }

    fn dispatch(
        &self,
        device: &Device,
        trace: &Trace<'_>,
        program: Checked<&Program>,
        buffers: &[Buffer],
        offsets: Option<&[Buffer; 2]>,
        origin: Origin<'_>,
    ) -> Result<()> {
        // The row's axes go last, in the order of folding.
        let outer = (0..trace.space.len()).filter(|axis| !self.axes.contains(axis));
        let order: SmallVec<[usize; 8]> = outer.chain(self.axes.iter().copied()).collect();
        let permute =
            |strides: &Strides| -> Strides { order.iter().map(|&axis| strides[axis]).collect() };
        let mut shape: Shape = order.iter().map(|&axis| trace.space[axis]).collect();
        let mut walks: SmallVec<[Strides; 8]> = trace
            .sources
            .iter()
            .map(|source| permute(&source.strides))
            .chain(buffers.iter().map(|_| permute(&self.strides)))
            .collect();
        let row_axes = match &self.execution {
            Execution::Scan | Execution::FoldLeft { .. } => {
                match collapse(&mut shape, &mut walks, self.axes.len()) {
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
            Execution::Segments { .. } => {
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
            .zip(buffers.iter().zip(self.outputs))
            .map(|(strides, (buffer, &dtype))| StridedView {
                memory: buffer.memory(),
                dtype,
                offset: 0,
                strides,
            })
            .collect();
        let scalars = trace.scalars.iter().map(|&(_, bits)| bits).collect();
        let (made_of, origin) = (Vec::new(), Some(origin));
        let launch = Launch {
            program,
            prepared: None,
            shape,
            row_axes,
            inputs,
            scalars,
            outputs,
            made_of,
            origin,
            slot: None,
        };
        let backend = device.backend();
        let pattern = match self.execution {
            Execution::Scan => "scan",
            Execution::FoldLeft { .. } => "fold_left",
            Execution::Segments { .. } => "segmented_reduce",
        };
        let _span = spans::launch(backend, pattern, &launch.shape, &program);
        match (&self.execution, offsets) {
            (Execution::Scan, _) => {
                launch_counts::count(|counts| &mut counts.scans);
                backend.scan(Checked::new(&Scan { launch })?)
            }
            (&Execution::FoldLeft { parts, has_initial, store_all }, _) => {
                launch_counts::count(|counts| &mut counts.folds);
                let fold_left = FoldLeft { launch, parts, has_initial, store_all };
                backend.fold_left(Checked::new(&fold_left)?)
            }
            (Execution::Segments { order, starts, ends }, Some([from, to])) => {
                launch_counts::count(|counts| &mut counts.folds);
                let segments = starts.size();
                let (starts, ends) = (offsets_place(starts, from), offsets_place(ends, to));
                let reduce = SegmentedReduce { launch, order: *order, segments, starts, ends };
                backend.segmented_reduce(Checked::new(&reduce)?)
            }
            (Execution::Segments { .. }, None) => unreachable!("offsets were read before"),
        }
    }
}

/// The reduction of a fold of the table's, and what comes out of it.
fn lift<'b>(
    fold: &Fold<'_>,
    builder: &'b Builder,
    trace: &mut Trace<'b>,
    values: &[LoweredValue<'b>],
) -> (Reduction, SmallVec<[Output; 2]>) {
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
    (Reduction { lifted, combine }, SmallVec::from_slice(&[output]))
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
