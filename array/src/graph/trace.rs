//! From pending expressions to one program.
//!
//! A trace walks back from a claimed root through everything that can be computed in the same pass:
//! elementwise operations whose elements coincide with the iteration space (under any permutation of
//! axes), and reductions over the trailing "row" whose result is broadcast back along that row. What it
//! passes it claims; what it cannot pass becomes an input, computed first if it is still pending.
//!
//! A trace never waits while it holds claims. If another thread is at work on a node it needs, it gives
//! every claim back and says so; the caller computes that node by itself, or waits for it, and starts
//! again. Waiting goes from a root to what it is made of, never the other way, so no thread waits in a
//! circle. Whatever ends a trace early, its claims go back (after a panic: fail).
//!
//! On its way it notes what `evaluate` asks for afterwards: how many handles the expressions hold on each
//! claim and source, and which sources a claim depends on. No graph is walked a second time.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Array;
use super::MAX_REDUCTIONS;
use super::kernel::TracedOutput;
use super::node::{
    Arg, Constant, Cost, Expr, KernelExpr, KernelReduction, Node, NodeKind, ReduceExpr, ReduceKind,
    Siblings, TableReduction,
};
use crate::buffer::Buffer;
use crate::scalar::Scalar;
use ndany_core::ops::lowering::LoweredValue as Value;
use ndany_core::ops::reductions::{Masked, Reduced};
use ndany_core::ops::signature;
use ndany_core::program::{Builder, Domain, Input, Op, Program, Reduction, RegType, SsaValue};
use ndany_core::shape::{Shape, Strides, contiguous_strides, zero_strides};
use ndany_core::{DType, Error, Result};

/// For each axis of a node, the axis of the iteration space it runs along; `None` for extent 1. A byte holds an
/// axis: there are at most [`MAX_NDIM`](ndany_core::shape::MAX_NDIM).
pub(super) type AxisMap = SmallVec<[Option<u8>; 8]>;

/// An array that the program reads.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) buffer: Buffer,
    pub(super) node: Arc<Node>,
    pub(super) dtype: DType,
    pub(super) offset: usize,
    pub(super) strides: Strides,
    /// Whether it is read by position.
    pub(super) gathered: bool,
    /// Handles on the node in the expressions that the trace has walked: the roots' and the claims'.
    pub(super) uses: usize,
}

/// A node that the program computes. Its expression goes back when the claim goes, if the node is pending then.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) node: Arc<Node>,
    /// There until the claim is settled.
    expr: Option<Expr>,
    pub(super) map: AxisMap,
    registers: [u16; 2],
    /// Another result of the root's operation: it is written out, as it has a handle.
    pub(super) joined: bool,
    /// Handles on the node in the expressions that the trace has walked.
    pub(super) uses: usize,
    pub(super) dependencies: Dependencies,
}

/// What a value is made of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dependencies {
    /// Positions in `Trace::sources` as bits, those from 63 on sharing the last.
    sources: u64,
    pub(super) reduces: bool,
}

impl Dependencies {
    fn add(&mut self, other: Dependencies) {
        self.sources |= other.sources;
        self.reduces |= other.reduces;
    }

    fn bit(source: usize) -> u64 {
        1 << source.min(63)
    }

    pub(super) fn reads(self, source: usize) -> bool {
        self.sources & Self::bit(source) != 0
    }
}

/// A call of a kernel whose results are in the program, all of them.
struct Called {
    siblings: Arc<Siblings>,
    map: AxisMap,
    /// The results of the body, or of what finishes a reduction.
    registers: SmallVec<[u16; 4]>,
}

/// Why a trace did not become a program.
pub(super) enum Blocked {
    /// These pending nodes must be computed first.
    Needs(Vec<Arc<Node>>),
    /// Another thread is computing this node.
    Busy(Arc<Node>),
    /// An operand has failed.
    Failed(Error),
}

/// The bits of a real number of a register of this type: F32, or else F64.
pub(super) fn real_bits(ty: RegType, value: f64) -> u64 {
    match ty {
        RegType::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

pub(super) struct Trace<'b> {
    builder: &'b Builder,
    /// Extents of the iteration space.
    pub(super) space: Shape,
    /// The axes of the row, in the order of reduction, once a reduction has said which.
    pub(super) row: Option<SmallVec<[usize; 4]>>,
    row_limit: usize,
    /// Whether reductions may be computed in the same launch. A scan's program has the scan alone.
    pub(super) reduces: bool,
    /// Whether a row may be agreed on. It may not where the root asks for positions, which count in the whole space.
    has_rows: bool,
    pub(super) sources: SmallVec<[Source; 2]>,
    pub(super) scalars: SmallVec<[(RegType, u64); 4]>,
    /// Each after the claims that it is made of.
    pub(super) claims: Vec<Claim>,
    /// The dependencies of the value that is being traced, so far.
    dependencies: Dependencies,
    reductions: Vec<Reduction>,
    /// Calls of kernels that have several results.
    called: SmallVec<[Called; 1]>,
    needs: Vec<Arc<Node>>,
    busy: Option<Arc<Node>>,
    failed: Option<Error>,
}

impl<'b> Trace<'b> {
    /// A trace over the iteration space of a root: the node's shape, or what a reduction reduces.
    pub(super) fn new(builder: &'b Builder, space: Shape, row_limit: usize) -> Self {
        Self {
            builder,
            space,
            row: None,
            row_limit,
            reduces: true,
            has_rows: true,
            sources: SmallVec::new(),
            scalars: SmallVec::new(),
            claims: Vec::new(),
            dependencies: Dependencies::default(),
            reductions: Vec::new(),
            called: SmallVec::new(),
            needs: Vec::new(),
            busy: None,
            failed: None,
        }
    }

    /// Traces what a fold takes of each element: one value an operand.
    pub(super) fn operands(
        &mut self,
        operands: &[(Expr, DType)],
    ) -> Result<Vec<Value<'b>>, Blocked> {
        let map = self.identity(|_| true);
        let operands = operands.iter();
        let values =
            operands.map(|(expr, dtype)| self.expression(expr, *dtype, &map, false)).collect();
        self.unobstructed(values)
    }

    /// Traces the root. Claims go back when the trace does.
    pub(super) fn root(&mut self, expr: &Expr, dtype: DType) -> Result<Value<'b>, Blocked> {
        let map: AxisMap = match expr {
            Expr::Reduce(reduce) => {
                self.row = Some(reduce.axes.clone());
                // Another reduction of the same row would have to keep it on chip.
                self.reduces = self.row_size() <= self.row_limit;
                self.identity(|axis| !reduce.axes.contains(&axis))
            }
            Expr::Fill(_) | Expr::Range { .. } | Expr::Map(_) | Expr::Kernel(_) | Expr::Cast(_) => {
                self.has_rows = !expr.asks_position();
                self.identity(|_| true)
            }
        };
        let value = self.expression(expr, dtype, &map, true);
        self.unobstructed(value)
    }

    /// What was traced, if nothing stood in the way.
    fn unobstructed<T>(&mut self, traced: T) -> Result<T, Blocked> {
        if let Some(error) = self.failed.take() {
            return Err(Blocked::Failed(error));
        }
        if let Some(node) = self.busy.take() {
            return Err(Blocked::Busy(node));
        }
        if !self.needs.is_empty() {
            return Err(Blocked::Needs(std::mem::take(&mut self.needs)));
        }
        Ok(traced)
    }

    /// Reserves memory for the dependencies of a root of this cost.
    pub(super) fn expect(&mut self, cost: Cost) {
        self.claims.reserve((cost.steps as usize).saturating_sub(1));
    }

    fn identity(&self, keep: impl Fn(usize) -> bool) -> AxisMap {
        let mut map = AxisMap::new();
        for (axis, &extent) in self.space.iter().enumerate() {
            if keep(axis) {
                map.push((extent != 1).then_some(axis as u8));
            }
        }
        map
    }

    /// The launch is done and every claim that has a reader is complete or in `back`: those go back.
    pub(super) fn complete_claims(&mut self, back: &[bool]) {
        for (claim, &back) in self.claims.iter_mut().zip(back) {
            match back {
                true => claim.node.note_computed(),
                false => claim.expr = None,
            }
        }
    }

    /// About how many steps compute a claim from what is read.
    pub(super) fn weight_of(&self, claim: &Claim) -> usize {
        self.builder.weight_of(&claim.registers)
    }

    fn row_size(&self) -> usize {
        self.row_axes().iter().map(|&axis| self.space[axis]).product()
    }

    /// Whether the row is longer than the limit of a launch that returns to its elements.
    pub(super) fn has_long_row(&self) -> bool {
        self.row.is_some() && self.row_size() > self.row_limit
    }

    /// Whether a row was set, but nothing was reduced along it.
    pub(super) fn has_idle_rows(&self) -> bool {
        self.row.is_some() && self.reductions.is_empty()
    }

    /// The row's axes where it has been fixed.
    fn row_axes(&self) -> &[usize] {
        self.row.as_deref().unwrap_or(&[])
    }

    /// The value of an expression whose node lies along `map`.
    fn expression(&mut self, expr: &Expr, dtype: DType, map: &AxisMap, is_root: bool) -> Value<'b> {
        match expr {
            Expr::Fill(fill) => self.scalar(fill.value),
            Expr::Range { start, step } => self.range(*start, *step, dtype),
            Expr::Cast(array) => {
                let value = self.array(array, map);
                signature::cast(value, array.dtype(), dtype)
            }
            Expr::Map(expr) => {
                let mut values: SmallVec<[Value<'b>; 3]> = SmallVec::new();
                for (arg, &compute) in expr.args.iter().zip(&expr.compute) {
                    values.push(match arg {
                        Arg::Array(array) => {
                            let value = self.array(array, map);
                            signature::cast(value, array.dtype(), compute)
                        }
                        Arg::Scalar(constant) => self.scalar(*constant),
                    });
                }
                match (expr.row.lower)(self.builder, expr.compute[0], &values) {
                    Value::Real(term) => Value::Real(term.round_to(dtype)),
                    complex @ Value::Complex(..) => complex,
                }
            }
            Expr::Kernel(expr) => self.kernel(expr, map),
            Expr::Reduce(reduce) => self.reduce(reduce, dtype, map, is_root),
        }
    }

    /// A result of a kernel, whose code is recorded here, once for all of its results.
    fn kernel(&mut self, expr: &KernelExpr, map: &AxisMap) -> Value<'b> {
        let output = &expr.kernel.outputs[expr.output];
        let arrays = self.operand_arrays(&expr.args, &expr.kernel.operands, map);
        let wholes: SmallVec<[(u8, u16); 2]> =
            expr.wholes.iter().map(|(operand, array)| (*operand, self.whole(array))).collect();
        if let Some(value) = self.known_result(expr.siblings.as_ref(), map, output) {
            return value;
        }
        let arguments = self.arguments(&expr.args, arrays);
        let body = &expr.kernel.body;
        let results = match wholes.as_slice() {
            [] => self.builder.inline(body, &arguments),
            wholes => {
                let input = |operand: u16| {
                    let own = wholes.iter().find(|(whole, _)| u16::from(*whole) == operand);
                    own.map_or(u16::MAX, |&(_, input)| input)
                };
                self.builder.inline(&body.with_inputs(&input), &arguments)
            }
        };
        self.called(expr.siblings.as_ref(), map, &results, output)
    }

    /// The arrays among the operands, converted. They are walked for each result of a kernel: each holds handles on them.
    fn operand_arrays(
        &mut self,
        args: &[Arg],
        dtypes: &[DType],
        map: &AxisMap,
    ) -> SmallVec<[Value<'b>; 4]> {
        let mut arrays: SmallVec<[Value<'b>; 4]> = SmallVec::new();
        for (arg, &dtype) in args.iter().zip(dtypes) {
            if let Arg::Array(array) = arg {
                let value = self.array(array, map);
                arrays.push(signature::cast(value, array.dtype(), dtype));
            }
        }
        arrays
    }

    /// The registers of all operands, of which `arrays` are the arrays.
    fn arguments(
        &mut self,
        args: &[Arg],
        arrays: SmallVec<[Value<'b>; 4]>,
    ) -> SmallVec<[SsaValue<'b>; 8]> {
        let mut arguments: SmallVec<[SsaValue<'b>; 8]> = SmallVec::new();
        let mut arrays = arrays.into_iter();
        for arg in args {
            let value = match arg {
                Arg::Array(_) => arrays.next(),
                Arg::Scalar(constant) => Some(self.scalar(*constant)),
            };
            match value {
                Some(Value::Real(term)) => arguments.push(term),
                Some(Value::Complex(re, im)) => arguments.extend([re, im]),
                None => unreachable!("a value for each array"),
            }
        }
        arguments
    }

    /// The result of a kernel whose code is recorded already, for another of its results.
    fn known_result(
        &self,
        siblings: Option<&Arc<Siblings>>,
        map: &AxisMap,
        output: &TracedOutput,
    ) -> Option<Value<'b>> {
        let siblings = siblings?;
        let is_same =
            |called: &&Called| Arc::ptr_eq(siblings, &called.siblings) && called.map == *map;
        let called = self.called.iter().find(is_same)?;
        Some(self.output(&called.registers, output))
    }

    /// Notes the results of a kernel for its other nodes, and returns the one that is asked for.
    fn called(
        &mut self,
        siblings: Option<&Arc<Siblings>>,
        map: &AxisMap,
        results: &[SsaValue<'b>],
        output: &TracedOutput,
    ) -> Value<'b> {
        let registers: SmallVec<[u16; 4]> = results.iter().map(|term| term.reg()).collect();
        let value = self.output(&registers, output);
        if let Some(siblings) = siblings.cloned() {
            self.called.push(Called { siblings, map: map.clone(), registers });
        }
        value
    }

    /// One of the results of a kernel.
    fn output(&self, results: &[u16], output: &TracedOutput) -> Value<'b> {
        let at = |part: usize| self.builder.term(results[output.first + part]);
        match output.dtype.is_complex() {
            true => Value::Complex(at(0), at(1)),
            false => Value::Real(at(0)),
        }
    }

    pub(super) fn scalar(&mut self, constant: Constant) -> Value<'b> {
        let ty = RegType::of(constant.dtype);
        let mut term = |bits| {
            // Each has a place of its own: were equal ones merged, the program would depend on values.
            self.scalars.push((ty, bits));
            let index = self.scalars.len() - 1;
            self.builder.push(Op::Scalar(index as u16), ty, [0; 3])
        };
        match constant.dtype.is_complex() {
            true => Value::Complex(term(constant.bits[0]), term(constant.bits[1])),
            false => Value::Real(term(constant.bits[0]).mark(constant.dtype)),
        }
    }

    /// `start + index * step`, in the dtype of the two, as NumPy's `arange` fills.
    fn range(&mut self, start: Constant, step: Constant, dtype: DType) -> Value<'b> {
        let index = self.builder.push(Op::Index, RegType::I64, [0; 3]);
        let compute = start.dtype;
        let (start, step) = (self.scalar(start), self.scalar(step));
        let real = start.real() + index.cast(RegType::of(compute)) * step.real();
        signature::cast(Value::Real(real), compute, dtype)
    }

    /// The value of an operand of a node that lies along `map`.
    fn array(&mut self, array: &Array, map: &AxisMap) -> Value<'b> {
        let node = array.node();
        if let Some(outcome) = node.outcome() {
            return match outcome {
                Ok(buffer) => self.load(buffer, array, map),
                Err(error) => self.fail(error.clone(), node.dtype),
            };
        }
        if let NodeKind::Constant { value, .. } = node.nature {
            return self.scalar(value);
        }
        // Claimed by this trace already: its value, or, lying otherwise, a buffer of its own.
        if let Some(position) = self.claims.iter().rposition(|claim| Arc::ptr_eq(&claim.node, node))
        {
            let own = coincide(array, map);
            let claim = &mut self.claims[position];
            claim.uses += 1;
            let (registers, same) = (claim.registers, own.as_ref() == Some(&claim.map));
            self.dependencies.add(claim.dependencies);
            return if same { self.value(registers, node.dtype) } else { self.need(node) };
        }
        match self.pass(array, map) {
            Some(own) => self.inline(node, own),
            None => self.need(node),
        }
    }

    /// A value that stands in while an obstacle is on its way out.
    fn placeholder(&self, dtype: DType) -> Value<'b> {
        let zero = self.builder.int(RegType::of(dtype), 0);
        if dtype.is_complex() { Value::Complex(zero, zero) } else { Value::Real(zero) }
    }

    /// An operand has failed. Of several errors the first counts, in the order in which operations read their
    /// operands: what may yet fail before it is computed first.
    fn fail(&mut self, error: Error, dtype: DType) -> Value<'b> {
        if self.needs.is_empty() && self.busy.is_none() {
            self.failed.get_or_insert(error);
        }
        self.placeholder(dtype)
    }

    fn need(&mut self, node: &Arc<Node>) -> Value<'b> {
        if !self.needs.iter().any(|needed| Arc::ptr_eq(needed, node)) {
            self.needs.push(node.clone());
        }
        self.placeholder(node.dtype)
    }

    /// The input that an array is which is read by position. It has values before the launch.
    fn whole(&mut self, array: &Array) -> u16 {
        let node = array.node();
        match node.outcome() {
            Some(Ok(buffer)) => {
                let input = self.source(buffer, array, zero_strides(self.space.len()));
                self.sources[usize::from(input)].gathered = true;
                input
            }
            Some(Err(error)) => {
                self.fail(error.clone(), node.dtype);
                0
            }
            None => {
                self.need(node);
                0
            }
        }
    }

    fn load(&mut self, buffer: &Buffer, array: &Array, map: &AxisMap) -> Value<'b> {
        let layout = array.layout();
        let mut strides = zero_strides(self.space.len());
        for (axis, target) in map.iter().enumerate() {
            if let Some(target) = target {
                strides[usize::from(*target)] = layout.strides[axis];
            }
        }
        let node = array.node();
        let input = self.source(buffer, array, strides);
        let ty = RegType::of(node.dtype);
        let part = |part| self.builder.push(Op::Load { input, part }, ty, [0; 3]).mark(node.dtype);
        match node.dtype.is_complex() {
            true => Value::Complex(part(0), part(1)),
            false => Value::Real(part(0)),
        }
    }

    /// The input that an array is along these strides.
    fn source(&mut self, buffer: &Buffer, array: &Array, strides: Strides) -> u16 {
        let (node, offset) = (array.node(), array.layout().offset);
        let position = self.sources.iter().position(|known| {
            Arc::ptr_eq(&known.node, node) && known.offset == offset && known.strides == strides
        });
        let input = position.unwrap_or_else(|| {
            self.sources.push(Source {
                buffer: buffer.clone(),
                node: node.clone(),
                dtype: node.dtype,
                offset,
                strides,
                gathered: false,
                uses: 0,
            });
            self.sources.len() - 1
        });
        self.sources[input].uses += 1;
        self.dependencies.sources |= Dependencies::bit(input);
        input as u16
    }

    /// How the pending node of `array` lies in the iteration space, if it can be computed there.
    fn pass(&mut self, array: &Array, map: &AxisMap) -> Option<AxisMap> {
        let node = array.node();
        let own = coincide(array, map)?;
        let mut missing: SmallVec<[usize; 4]> = SmallVec::new();
        for (axis, &extent) in self.space.iter().enumerate() {
            if extent != 1 && !own.contains(&Some(axis as u8)) {
                missing.push(axis);
            }
        }
        match node.nature {
            // The index of a range counts elements of the whole space, which must be the node's own, and be
            // one row where there are rows: over no axes each element is a row.
            NodeKind::Range => {
                let whole = own.as_slice() == self.identity(|_| true).as_slice();
                let no_axes = self.row.as_ref().is_some_and(|row| row.is_empty());
                if !whole || no_axes {
                    return None;
                }
            }
            NodeKind::Reduced => {
                let extents = node.peek(|expr| match expr {
                    Expr::Reduce(reduce) => Some(reduced_extents(reduce)),
                    Expr::Fill(_)
                    | Expr::Range { .. }
                    | Expr::Map(_)
                    | Expr::Kernel(_)
                    | Expr::Cast(_) => None,
                });
                let along: SmallVec<[usize; 4]> =
                    missing.iter().map(|&axis| self.space[axis]).collect();
                let room = self.reduces
                    && self.has_rows
                    && self.reductions.len() < MAX_REDUCTIONS as usize;
                let fits = room && along == extents.flatten()?;
                return (fits && self.fix_row(&missing)).then_some(own);
            }
            NodeKind::Fallible | NodeKind::Positioned => return None,
            NodeKind::Constant { .. } | NodeKind::Values => {}
        }
        if missing.is_empty() {
            return Some(own);
        }
        // Computed once a row, if it depends on reductions of that row; else not again and again.
        (node.cost.reductions > 0 && self.fix_row(&missing)).then_some(own)
    }

    /// Agrees on the axes of the row, if they are short enough to stay on chip.
    fn fix_row(&mut self, axes: &[usize]) -> bool {
        match &self.row {
            Some(row) => row.iter().filter(|&&axis| self.space[axis] != 1).eq(axes.iter()),
            None => {
                let size: usize = axes.iter().map(|&axis| self.space[axis]).product();
                let fits = self.has_rows && !axes.is_empty() && size <= self.row_limit;
                if fits {
                    self.row = Some(SmallVec::from_slice(axes));
                }
                fits
            }
        }
    }

    /// Computes a pending node in this program.
    fn inline(&mut self, node: &Arc<Node>, map: AxisMap) -> Value<'b> {
        let Some(expr) = node.claim() else {
            if node.is_pending() {
                self.busy.get_or_insert_with(|| node.clone());
            } else {
                // It became ready in between: the next trace reads it.
                return self.need(node);
            }
            return self.placeholder(node.dtype);
        };
        self.claim(Claim::new(node.clone(), expr, map, 1))
    }

    /// Walks the operands of a claim, whose expression becomes pending again if one of them blocks the trace.
    fn claim(&mut self, mut claim: Claim) -> Value<'b> {
        let before = std::mem::take(&mut self.dependencies);
        let value = self.expression(claim.expr(), claim.node.dtype, &claim.map, false);
        claim.registers = registers(value);
        claim.dependencies = self.dependencies;
        self.dependencies.add(before);
        self.claims.push(claim);
        value
    }

    /// Computes the other results of the root's operation along with it, where no other thread computes them, and companions of its
    /// shape. The results are made of the root's own operands, so nothing new can stand in the way of these.
    pub(super) fn join(
        &mut self,
        root: &Arc<Node>,
        expr: &Expr,
        companions: &[Arc<Node>],
    ) -> Result<(), Blocked> {
        // An error is that of the result whose elements have no value, so each is computed by itself.
        if matches!(root.nature, NodeKind::Fallible) {
            return Ok(());
        }
        let siblings = expr.pending_siblings().filter(|node| !Arc::ptr_eq(node, root));
        for node in siblings.chain(companions.iter().cloned()) {
            // The root, or another companion, may be made of it.
            if let Some(claim) = self.claims.iter_mut().find(|own| Arc::ptr_eq(&own.node, &node)) {
                claim.joined = true;
            } else if let Some(expr) = node.claim() {
                let map = match &expr {
                    Expr::Reduce(reduce) => self.identity(|axis| !reduce.axes.contains(&axis)),
                    Expr::Fill(_)
                    | Expr::Range { .. }
                    | Expr::Map(_)
                    | Expr::Kernel(_)
                    | Expr::Cast(_) => self.identity(|_| true),
                };
                let mut claim = Claim::new(node, expr, map, 0);
                claim.joined = true;
                self.claim(claim);
            }
        }
        self.unobstructed(())
    }

    fn value(&self, registers: [u16; 2], dtype: DType) -> Value<'b> {
        let [first, second] = registers.map(|reg| self.builder.term(reg));
        if dtype.is_complex() { Value::Complex(first, second) } else { Value::Real(first) }
    }

    /// A reduction along the row; `map` is where its kept axes lie.
    fn reduce(
        &mut self,
        reduce: &ReduceExpr,
        dtype: DType,
        map: &AxisMap,
        is_root: bool,
    ) -> Value<'b> {
        debug_assert!(!is_root || self.row.is_some());
        // Axes of the operands: kept ones lie where the node does, reduced ones along the row.
        let row: SmallVec<[usize; 4]> = self.row_axes().iter().copied().collect();
        let along = row.iter().copied().filter(|&axis| self.space[axis] != 1);
        let mut along = along.map(|axis| axis as u8);
        let mut kept = map.iter();
        let operand: AxisMap = reduce
            .shape()
            .iter()
            .enumerate()
            .map(|(axis, &extent)| match reduce.axes.contains(&axis) {
                true if extent == 1 => None,
                true => along.next(),
                false => kept.next().copied().flatten(),
            })
            .collect();
        let (args, size) = (reduce.args.as_slice(), reduce.row_size());
        match &reduce.kind {
            ReduceKind::Table(table) => self.table_reduction(table, args, size, dtype, &operand),
            ReduceKind::Kernel(own) => self.kernel_reduction(own, args, map, &operand),
        }
    }

    /// A reduction made of closures, whose code is recorded here, once for all of its results.
    fn kernel_reduction(
        &mut self,
        own: &KernelReduction,
        args: &[Arg],
        map: &AxisMap,
        operand: &AxisMap,
    ) -> Value<'b> {
        let KernelReduction { kernel, siblings, .. } = own;
        let output = &kernel.outputs[own.output];
        let arrays = self.operand_arrays(args, &kernel.operands, operand);
        self.dependencies.reduces = true;
        if let Some(value) = self.known_result(siblings.as_ref(), map, output) {
            return value;
        }
        let arguments = self.arguments(args, arrays);
        let (reduction, results) = kernel.inline(self.builder, &arguments, self.reductions.len());
        self.reductions.push(reduction);
        self.called(siblings.as_ref(), map, &results, output)
    }

    /// A reduction of the table over `size` elements.
    fn table_reduction(
        &mut self,
        reduce: &TableReduction,
        args: &[Arg],
        size: usize,
        dtype: DType,
        operand: &AxisMap,
    ) -> Value<'b> {
        let mut arrays = args.iter().filter_map(Arg::array);
        let Some(array) = arrays.next() else { unreachable!("an array is reduced") };
        let value = self.array(array, operand);
        let value = signature::cast(value, array.dtype(), reduce.input);
        let mask = arrays.next().map(|mask| self.array(mask, operand).real());
        let masked = mask.and_then(|_| self.masked(reduce));
        let lifted = reduce.row.lifted(value, reduce.input, mask, masked);
        let mut states: SmallVec<[SsaValue<'b>; 8]> = SmallVec::new();
        self.dependencies.reduces = true;
        for (terms, combine) in lifted {
            let number = self.reductions.len() as u16;
            self.reductions
                .push(Reduction { lifted: terms.iter().map(|term| term.reg()).collect(), combine });
            for (part, term) in terms.iter().enumerate() {
                let op = Op::Reduced { reduction: number, part: part as u8 };
                states.push(self.builder.push(op, term.ty(), [0; 3]));
            }
        }
        let ty = states[0].ty();
        let dtype_of_facts = if ty == RegType::F32 { DType::F32 } else { DType::F64 };
        let facts = reduce.facts(size);
        let mut facts = facts.into_iter().map(|fact| {
            let bits = [real_bits(ty, fact), 0];
            self.scalar(Constant { dtype: dtype_of_facts, bits }).real()
        });
        let counts = reduce.row.facts();
        let size = counts.counts.then(|| facts.next()).flatten();
        let correction = facts.next();
        drop(facts);
        let (complex, masked) = (reduce.input.is_complex(), mask.is_some());
        let reduced = Reduced { states: &states, complex, masked, size, correction };
        let finished = reduce.row.finished(&reduced, reduce.input);
        let finished = match reduce.initial {
            Some(initial) => {
                let initial = self.scalar(initial);
                reduce.row.with_initial(self.builder, reduce.input, finished, initial)
            }
            None => finished,
        };
        match finished {
            Value::Real(term) => Value::Real(term.round_to(dtype)),
            complex @ Value::Complex(..) => complex,
        }
    }

    /// What a masked element counts as, if it counts as something.
    fn masked(&mut self, reduce: &TableReduction) -> Option<Value<'b>> {
        match reduce.row.masked_as(reduce.input) {
            Masked::Identity(dtype, identity) => {
                let real = self.builder.int(RegType::of(dtype), identity);
                Some(match dtype.is_complex() {
                    true => Value::Complex(real, real.zero()),
                    false => Value::Real(real),
                })
            }
            Masked::Initial => {
                let start = reduce.row.start(reduce.input).and_then(|start| {
                    let start = Scalar::strong(start);
                    super::constant(reduce.row.name(), &start, reduce.input).ok()
                });
                start.or(reduce.initial).map(|value| self.scalar(value))
            }
            Masked::Weightless => None,
        }
    }

    /// The sources that a claim is made of, in the order in which its operations read them.
    pub(super) fn sources_of(&self, claim: usize) -> SmallVec<[u16; 8]> {
        let mut found = SmallVec::new();
        self.sources_behind(claim, &mut SmallVec::from_elem(false, self.claims.len()), &mut found);
        found
    }

    fn sources_behind(
        &self,
        claim: usize,
        seen: &mut SmallVec<[bool; 16]>,
        found: &mut SmallVec<[u16; 8]>,
    ) {
        if std::mem::replace(&mut seen[claim], true) {
            return;
        }
        self.claims[claim].expr().arrays(|array| {
            let is_operand = |node: &Arc<Node>| Arc::ptr_eq(node, array.node());
            match self.claims.iter().position(|inner| is_operand(&inner.node)) {
                Some(inner) => self.sources_behind(inner, seen, found),
                None => {
                    for (source, own) in self.sources.iter().enumerate() {
                        if is_operand(&own.node) && !found.contains(&(source as u16)) {
                            found.push(source as u16);
                        }
                    }
                }
            }
        });
    }

    /// Where the results of a claim lie: along its own axes, in C order.
    pub(super) fn result_strides(&self, map: &AxisMap, shape: &[usize]) -> Strides {
        let mut strides: Strides = SmallVec::from_elem(0, self.space.len());
        for (axis, stride) in contiguous_strides(shape).into_iter().enumerate() {
            if let Some(target) = map[axis] {
                strides[usize::from(target)] = stride;
            }
        }
        strides
    }

    /// Whether a value along `map` is one value per row.
    pub(super) fn domain(&self, map: &AxisMap) -> Domain {
        let varies = |axis: &usize| self.space[*axis] != 1 && map.contains(&Some(*axis as u8));
        let has_row = self.row_axes().iter().any(|&axis| self.space[axis] != 1);
        if has_row && !self.row_axes().iter().any(varies) { Domain::Row } else { Domain::Element }
    }

    /// The program without its outputs.
    pub(super) fn program(&mut self) -> Program {
        let mut program = Program::default();
        for source in &self.sources {
            let varies = self.row_axes().iter().any(|&axis| source.strides[axis] != 0);
            let has_row = !self.row_axes().is_empty();
            let domain = if has_row && !varies { Domain::Row } else { Domain::Element };
            program.inputs.push(Input { dtype: source.dtype, domain });
        }
        program.scalars.extend(self.scalars.iter().map(|(ty, _)| *ty));
        program.reductions = std::mem::take(&mut self.reductions);
        program
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let Some(expr) = self.expr.take().filter(|_| self.node.is_pending()) else { return };
        match std::thread::panicking() {
            // What the claim is made of may have been written over.
            true => self.node.abandon(expr.op()),
            false => self.node.put_back(expr),
        }
    }
}

impl Claim {
    /// A claim on a node whose expression was taken.
    pub(super) fn new(node: Arc<Node>, expr: Expr, map: AxisMap, uses: usize) -> Self {
        let dependencies = Dependencies::default();
        Self { node, expr: Some(expr), map, registers: [0; 2], joined: false, uses, dependencies }
    }

    /// Memory was taken for an array of one value, which goes back with it.
    pub(super) fn take(&mut self, buffer: Buffer) {
        if let Some(Expr::Fill(fill)) = &mut self.expr {
            fill.memory = Some(buffer);
        }
    }

    pub(super) fn expr(&self) -> &Expr {
        match &self.expr {
            Some(expr) => expr,
            None => unreachable!("no one asks for what is settled"),
        }
    }

    pub(super) fn registers(&self) -> [u16; 2] {
        self.registers
    }
}

/// The registers of a value, twice the same for a real one.
pub(super) fn registers(value: Value<'_>) -> [u16; 2] {
    match value {
        Value::Real(term) => [term.reg(); 2],
        Value::Complex(re, im) => [re.reg(), im.reg()],
    }
}

fn reduced_extents(reduce: &ReduceExpr) -> SmallVec<[usize; 4]> {
    let extents = reduce.axes.iter().map(|&axis| reduce.shape()[axis]);
    extents.filter(|&extent| extent != 1).collect()
}

/// The axis of the space along which each axis of a C-ordered node runs, when the array (a view of it,
/// lying along `map`) shows every element of the node and steps through its axes as they are.
fn coincide(array: &Array, map: &AxisMap) -> Option<AxisMap> {
    let (layout, node) = (array.layout(), &array.node().layout);
    if layout.offset != 0 || layout.size() == 0 {
        return None;
    }
    let (shape, strides) = (&node.shape, &node.strides);
    if std::ptr::eq(layout, node) {
        let own = AxisMap::from_slice(map);
        debug_assert!(own.iter().zip(shape).all(|(axis, &extent)| axis.is_none() == (extent == 1)));
        return Some(own);
    }
    let mut used: SmallVec<[bool; 8]> = SmallVec::from_elem(false, layout.shape.len());
    let mut own: AxisMap = SmallVec::new();
    for (&extent, &stride) in shape.iter().zip(strides) {
        if extent == 1 {
            own.push(None);
            continue;
        }
        let axis = (0..layout.shape.len()).find(|&axis| {
            !used[axis] && layout.strides[axis] == stride && layout.shape[axis] == extent
        })?;
        used[axis] = true;
        own.push(Some(map[axis]?));
    }
    let rest = (0..layout.shape.len())
        .all(|axis| used[axis] || layout.shape[axis] == 1 || layout.strides[axis] == 0);
    rest.then_some(own)
}
