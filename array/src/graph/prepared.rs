//! Single operations over stored arrays that all lie in C order, and reductions of the last axes of such arrays, or of what one
//! operation makes of them (`dot`): most of what small programs ask for. Their programs are kept, so that asking once more records,
//! checks and hashes nothing. Whatever is otherwise is `evaluate`'s.
//!
//! Each thread keeps its own programs: the last ones of each set, found by what the program depends on.

use std::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;

use super::kernel::TracedKernel;
use super::node::{Arg, Constant, Expr, KernelExpr, MapExpr, Node, ReduceExpr, ReduceKind};
use super::trace::{Trace, real_bits, registers};
use super::{Array, launch_counts};
use crate::buffer::Buffer;
use crate::spans;
use ndany_core::backend::{Checked, Launch, Map, PreparedProgram, Reduce, StridedView};
use ndany_core::ops::{ReductionDef, UfuncDef};
use ndany_core::program::{Builder, Domain, Output};
use ndany_core::shape::{Shape, Strides};
use ndany_core::{DType, Result};

/// Maximum number of operands of an operation whose program is kept.
const MOST_ARGS: usize = 8;

/// What a program depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    /// The address of the operation.
    op: usize,
    /// The address of the operation whose result is reduced, or 0.
    inner: usize,
    /// The dtypes of the result and of what is computed.
    result: u64,
    /// Each operand: a number or an array, which one, and its dtype.
    args: u128,
}

/// An operation that is about to be launched.
struct Call<'e> {
    key: Key,
    /// What reduces, where something does.
    reduction: Option<&'static dyn ReductionDef>,
    /// Elements of a row that is reduced; 1 if nothing is.
    row: usize,
    arrays: SmallVec<[Source<'e>; 4]>,
    scalars: SmallVec<[Number; 4]>,
}

/// A number that a launch gives.
enum Number {
    Bits(u64),
    /// A real number of the dtype that the program computes in.
    Real(f64),
}

/// An array that it reads.
struct Source<'e> {
    array: &'e Array,
    buffer: &'e Buffer,
    /// Handles on it in the expression.
    uses: usize,
}

impl Source<'_> {
    /// Whether its memory may become the result's: it is not read again, and lies as the result does.
    fn lends(&self, node: &Node) -> bool {
        let own = self.array.node();
        own.dtype == node.dtype
            && self.array.layout().offset == 0
            && own.layout.size() == node.layout.size()
            && own.is_held_by(self.uses, 0)
    }
}

impl<'e> Call<'e> {
    /// The operation, if its operands are stored, lie in C order, and nothing else is to be done with it.
    fn of(dtype: DType, expr: &'e Expr, inner: Option<&'e Expr>) -> Option<Self> {
        let key = Key { op: 0, inner: 0, result: dtype as u64, args: 0 };
        let (arrays, scalars) = (SmallVec::new(), SmallVec::new());
        let mut call = Self { key, reduction: None, row: 1, arrays, scalars };
        match expr {
            Expr::Map(map) => call.key.op = call.map(map)?,
            Expr::Kernel(own) if own.wholes.is_empty() && own.siblings.is_none() => {
                let KernelExpr { kernel, args, .. } = &**own;
                if kernel.asks_position() {
                    return None;
                }
                call.key.op = Arc::as_ptr(kernel).addr();
                call.args(args)?;
            }
            Expr::Cast(array) => call.array(0, array)?,
            Expr::Reduce(reduce) => call.reduction(reduce, inner)?,
            Expr::Fill(_) | Expr::Range { .. } | Expr::Kernel(_) => return None,
        }
        Some(call)
    }

    /// An operation of the table, whose address is returned.
    fn map(&mut self, map: &'e MapExpr) -> Option<usize> {
        let MapExpr { row, compute, args, siblings: None } = map else { return None };
        for &dtype in compute {
            self.dtype(dtype);
        }
        self.args(args)?;
        Some(std::ptr::from_ref::<UfuncDef>(row).addr())
    }

    /// A reduction of the table over all elements, or over the last axes, of an array or of the result of `inner`.
    fn reduction(&mut self, reduce: &'e ReduceExpr, inner: Option<&'e Expr>) -> Option<()> {
        let (ReduceKind::Table(table), [Arg::Array(array)]) = (&reduce.kind, &*reduce.args) else {
            return None;
        };
        let kept = array.ndim() - reduce.axes.len();
        let last = reduce.axes.iter().enumerate().all(|(place, &axis)| axis == kept + place);
        self.row = reduce.row_size();
        // A row of one element is no row.
        if !last || self.row < 2 {
            return None;
        }
        self.key.op = std::ptr::from_ref(table.row).addr();
        self.reduction = Some(table.row);
        let initial = table.initial.map_or(0, |initial| 0x80 | initial.dtype as u64);
        self.key.result = (self.key.result << 8 | table.input as u64) << 8 | initial;
        match inner {
            // What may fail is computed by itself: its error is that of no other value.
            Some(Expr::Map(map)) if !map.may_fail() => {
                self.dtype(array.dtype());
                self.key.inner = self.map(map)?;
            }
            Some(_) => return None,
            None => self.array(0, array)?,
        }
        self.scalars.extend(table.facts(self.row).into_iter().map(Number::Real));
        table.initial.iter().for_each(|initial| self.scalar(initial));
        Some(())
    }

    /// Notes a dtype of what is computed.
    fn dtype(&mut self, dtype: DType) {
        self.key.result = self.key.result << 8 | dtype as u64;
    }

    fn scalar(&mut self, Constant { dtype, bits }: &Constant) {
        let parts = if dtype.is_complex() { 2 } else { 1 };
        self.scalars.extend(bits[..parts].iter().copied().map(Number::Bits));
    }

    fn args(&mut self, args: &'e [Arg]) -> Option<()> {
        if args.len() > MOST_ARGS {
            return None;
        }
        for (position, arg) in args.iter().enumerate() {
            match arg {
                Arg::Array(array) => self.array(position, array)?,
                Arg::Scalar(constant) => {
                    self.note(position, 0x80 | constant.dtype as u128);
                    self.scalar(constant);
                }
            }
        }
        Some(())
    }

    /// An operand. One that is there twice is read once.
    fn array(&mut self, position: usize, array: &'e Array) -> Option<()> {
        let node = array.node();
        let Some(Ok(buffer)) = node.outcome() else { return None };
        let layout = array.layout();
        if !layout.is_contiguous() {
            return None;
        }
        let same = |known: &Source<'_>| {
            Arc::ptr_eq(known.array.node(), node) && known.array.layout().offset == layout.offset
        };
        let source = match self.arrays.iter().position(same) {
            Some(source) => {
                self.arrays[source].uses += 1;
                source
            }
            None => {
                self.arrays.push(Source { array, buffer, uses: 1 });
                self.arrays.len() - 1
            }
        };
        self.note(position, (source as u128) << 8 | array.dtype() as u128);
        Some(())
    }

    fn note(&mut self, position: usize, word: u128) {
        self.key.args |= word << (16 * position);
    }
}

impl Key {
    /// The number of the set that its program is in.
    fn set(&self) -> usize {
        let args = [self.args as u64, (self.args >> 64) as u64];
        let words = [self.op as u64 ^ (self.inner as u64) << 24, self.result, args[0], args[1]];
        let mix = |hash: u64, word: u64| {
            (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        let hash = words.into_iter().fold(0, mix);
        // The upper bits are the good ones.
        (hash >> 32) as usize % SETS
    }
}

/// A program that is kept.
struct Entry {
    key: Key,
    reduction: Option<&'static dyn ReductionDef>,
    /// Keeps the address of a kernel from being another one's.
    _kernel: Option<Arc<TracedKernel>>,
    program: Arc<PreparedProgram>,
}

impl Entry {
    fn is_of(&self, call: &Call<'_>) -> bool {
        let is_same = match (self.reduction, call.reduction) {
            (None, None) => true,
            // Definitions without data have one address, and are told apart by their functions.
            #[allow(
                ambiguous_wide_pointer_comparisons,
                reason = "equal functions compute the same"
            )]
            (Some(own), Some(other)) => std::ptr::eq(own, other),
            (None, Some(_)) | (Some(_), None) => false,
        };
        self.key == call.key && is_same
    }
}

/// Sets of programs, and programs of a set.
const SETS: usize = 64;
const WAYS: usize = 4;

thread_local! {
    /// The programs that the thread keeps: of each set the last ones.
    static KEPT: RefCell<Vec<Vec<Entry>>> = const { RefCell::new(Vec::new()) };
}

/// The program of an operation, if it is there.
fn kept(call: &Call<'_>) -> Option<Arc<PreparedProgram>> {
    let find = |kept: &RefCell<Vec<Vec<Entry>>>| {
        let kept = kept.borrow();
        let entry = kept.get(call.key.set())?.iter().find(|entry| entry.is_of(call))?;
        Some(entry.program.clone())
    };
    // A thread that ends has none.
    KEPT.try_with(find).ok()?
}

/// Keeps a program.
fn keep(entry: Entry) {
    let set = entry.key.set();
    let replaced = KEPT.try_with(|kept| {
        let mut kept = kept.borrow_mut();
        if kept.is_empty() {
            kept.resize_with(SETS, Vec::new);
        }
        let own = &mut kept[set];
        // What goes is dropped after the borrow ends, since a kernel is dropped with it.
        let oldest = (own.len() == WAYS).then(|| own.remove(0));
        own.push(entry);
        oldest
    });
    drop(replaced);
}

/// What a recorded program must have to be that of a call.
struct Form {
    key: Key,
    reduction: Option<&'static dyn ReductionDef>,
    reduces: bool,
    arrays: usize,
    scalars: usize,
}

impl Form {
    fn of(call: &Call<'_>) -> Self {
        let Call { key, reduction, row, ref arrays, ref scalars } = *call;
        Self { key, reduction, reduces: row > 1, arrays: arrays.len(), scalars: scalars.len() }
    }

    /// Records the program as `evaluate` does, and keeps it.
    fn record(self, node: &Node, expr: &Expr) -> Option<Arc<PreparedProgram>> {
        let Self { key, reduction, reduces, arrays, scalars } = self;
        let builder = Builder::new();
        let mut trace = Trace::new(&builder, space_of(node, expr), 0);
        let value = registers(trace.root(expr, node.dtype).ok()?);
        // Its inputs and numbers are those of the call, which are given with every launch.
        let is_plain = trace.claims.len() == usize::from(key.inner != 0)
            && trace.sources.len() == arrays
            && trace.scalars.len() == scalars;
        if !is_plain {
            return None;
        }
        let mut program = trace.program();
        builder.move_to(&mut program);
        let domain = if reduces { Domain::Row } else { Domain::Element };
        program.outputs.push(Output { dtype: node.dtype, parts: value, domain });
        if program.is_staged() {
            return None;
        }
        let program = Arc::new(PreparedProgram::new(program).ok()?);
        let kernel = match expr {
            Expr::Kernel(own) => Some(own.kernel.clone()),
            Expr::Fill(_) | Expr::Range { .. } | Expr::Map(_) | Expr::Cast(_) | Expr::Reduce(_) => {
                None
            }
        };
        keep(Entry { key, reduction, _kernel: kernel, program: program.clone() });
        Some(program)
    }
}

/// The space over which a node is computed.
fn space_of(node: &Node, expr: &Expr) -> Shape {
    Shape::from_slice(match expr {
        Expr::Reduce(reduce) => reduce.shape(),
        Expr::Fill(_) | Expr::Range { .. } | Expr::Map(_) | Expr::Kernel(_) | Expr::Cast(_) => {
            node.shape()
        }
    })
}

/// What is reduced, where it is pending and nothing else will read it. It is claimed; its expression goes back if it is not computed.
struct Inner {
    node: Arc<Node>,
    expr: Option<Expr>,
}

impl Inner {
    fn claim(expr: &Expr) -> Option<Self> {
        let Expr::Reduce(reduce) = expr else { return None };
        let [Arg::Array(array)] = &*reduce.args else { return None };
        let node = array.node();
        let is_own = node.is_pending() && Arc::strong_count(node) == 1;
        // All of it in its order, so that its operands are what is walked.
        let is_whole = array.layout().offset == 0
            && array.layout().is_contiguous()
            && array.shape() == node.shape();
        if !is_own || !is_whole {
            return None;
        }
        let expr = node.claim()?;
        Some(Self { node: node.clone(), expr: Some(expr) })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(expr) = self.expr.take() {
            self.node.put_back(expr);
        }
    }
}

/// Computes a claimed node, if it is such an operation.
pub(super) fn attempt(node: &Arc<Node>, expr: &Expr) -> Option<Result<Buffer>> {
    let mut inner = Inner::claim(expr);
    let call = Call::of(node.dtype, expr, inner.as_ref().and_then(|inner| inner.expr.as_ref()))?;
    let program = match kept(&call) {
        Some(program) => program,
        None if inner.is_some() => {
            // The record claims what is reduced by itself, and so does what computes the node this time.
            let form = Form::of(&call);
            drop(call);
            drop(inner);
            form.record(node, expr);
            return None;
        }
        None => Form::of(&call).record(node, expr)?,
    };
    let outcome = launch(node, expr, &program, call);
    if let (Ok(_), Some(inner)) = (&outcome, &mut inner) {
        inner.expr = None;
    }
    Some(outcome)
}

fn launch(
    node: &Arc<Node>,
    expr: &Expr,
    prepared: &PreparedProgram,
    call: Call<'_>,
) -> Result<Buffer> {
    let (op, backend, size) = (expr.op(), node.device.backend(), node.layout.size());
    let Call { row, arrays, scalars, .. } = call;
    let result = match arrays.iter().find(|source| source.lends(node)) {
        Some(Source { buffer, .. }) => (*buffer).clone(),
        None => Buffer::allocate(op, backend, size * node.dtype.size())?,
    };
    // One axis, or none of a single element, as axes collapse; then that of a row.
    let (mut shape, mut walk, mut out) = (Shape::new(), Strides::new(), Strides::new());
    if size > 1 {
        shape.push(size);
        walk.push(row as isize);
        out.push(1);
    }
    if row > 1 {
        shape.push(row);
        walk.push(1);
        out.push(0);
    }
    let scalars = prepared.program().scalars.iter().zip(scalars);
    let scalars = scalars.map(|(&ty, number)| match number {
        Number::Bits(bits) => bits,
        Number::Real(value) => real_bits(ty, value),
    });
    let scalars = scalars.collect();
    let (inputs, outputs, made_of) = (SmallVec::new(), SmallVec::new(), Vec::new());
    let mut launch = Launch {
        program: prepared.program(),
        prepared: Some(prepared),
        shape,
        row_axes: usize::from(row > 1),
        inputs,
        scalars,
        outputs,
        made_of,
        origin: Some(node.origin(op)),
        slot: None,
    };
    for Source { array, buffer, .. } in &arrays {
        let (dtype, offset) = (array.dtype(), array.layout().offset);
        let memory = buffer.memory();
        launch.inputs.push(StridedView { memory, dtype, offset, strides: walk.clone() });
    }
    let dtype = node.dtype;
    launch.outputs.push(StridedView { memory: result.memory(), dtype, offset: 0, strides: out });
    if row > 1 {
        launch_counts::count(|counts| &mut counts.reductions);
        let _span = spans::launch(backend, "reduce", &launch.shape, &launch.program);
        backend.reduce(Checked::new(&Reduce { launch: &launch })?)?;
    } else {
        launch_counts::count(|counts| &mut counts.maps);
        let _span = spans::launch(backend, "map", &launch.shape, &launch.program);
        backend.map(Checked::new(&Map { launch: &launch })?)?;
    }
    drop(launch);
    Ok(result)
}

#[cfg(test)]
mod tests;
