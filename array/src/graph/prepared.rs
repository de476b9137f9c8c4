//! Single operations over stored arrays that all lie in C order: most of what small programs ask for. Their programs are kept, so
//! that asking once more records, checks and hashes nothing. Whatever is otherwise is `evaluate`'s.
//!
//! Each thread keeps its own programs: the last ones of each set, found by what the program depends on.

use std::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;

use super::kernel::TracedKernel;
use super::node::{Arg, Constant, Expr, KernelExpr, MapExpr, Node};
use super::trace::{Trace, registers};
use super::{Array, launch_counts};
use crate::buffer::Buffer;
use crate::spans;
use ndany_core::backend::{Checked, Launch, Map, PreparedProgram, StridedView};
use ndany_core::ops::UfuncDef;
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
    /// The dtypes of the result and of what is computed.
    result: u64,
    /// Each operand: a number or an array, which one, and its dtype.
    args: u128,
}

/// An operation that is about to be launched.
struct Call<'e> {
    key: Key,
    arrays: SmallVec<[Source<'e>; 4]>,
    scalars: SmallVec<[u64; 4]>,
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
    fn of(dtype: DType, expr: &'e Expr) -> Option<Self> {
        let key = Key { op: 0, result: dtype as u64, args: 0 };
        let mut call = Self { key, arrays: SmallVec::new(), scalars: SmallVec::new() };
        match expr {
            Expr::Map(MapExpr { row, compute, args, siblings: None }) => {
                call.key.op = std::ptr::from_ref::<UfuncDef>(row).addr();
                for &dtype in compute {
                    call.key.result = call.key.result << 8 | dtype as u64;
                }
                call.args(args)?;
            }
            Expr::Kernel(own) if own.wholes.is_empty() && own.siblings.is_none() => {
                let KernelExpr { kernel, args, .. } = &**own;
                if kernel.asks_position() {
                    return None;
                }
                call.key.op = Arc::as_ptr(kernel).addr();
                call.args(args)?;
            }
            Expr::Cast(array) => call.array(0, array)?,
            Expr::Fill(_)
            | Expr::Range { .. }
            | Expr::Map(_)
            | Expr::Kernel(_)
            | Expr::Reduce(_) => return None,
        }
        Some(call)
    }

    fn args(&mut self, args: &'e [Arg]) -> Option<()> {
        if args.len() > MOST_ARGS {
            return None;
        }
        for (position, arg) in args.iter().enumerate() {
            match arg {
                Arg::Array(array) => self.array(position, array)?,
                Arg::Scalar(Constant { dtype, bits }) => {
                    self.note(position, 0x80 | *dtype as u128);
                    let parts = if dtype.is_complex() { 2 } else { 1 };
                    self.scalars.extend_from_slice(&bits[..parts]);
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
        let words = [self.op as u64, self.result, self.args as u64, (self.args >> 64) as u64];
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
    /// Keeps the address of a kernel from being another one's.
    _kernel: Option<Arc<TracedKernel>>,
    program: Arc<PreparedProgram>,
}

/// Sets of programs, and programs of a set.
const SETS: usize = 64;
const WAYS: usize = 4;

thread_local! {
    /// The programs that the thread keeps: of each set the last ones.
    static KEPT: RefCell<Vec<Vec<Entry>>> = const { RefCell::new(Vec::new()) };
}

/// The program of an operation, recorded if it is not there.
fn program(node: &Node, expr: &Expr, call: &Call<'_>) -> Option<Arc<PreparedProgram>> {
    let set = call.key.set();
    let find = |kept: &RefCell<Vec<Vec<Entry>>>| {
        let kept = kept.borrow();
        let entry = kept.get(set)?.iter().find(|entry| entry.key == call.key)?;
        Some(entry.program.clone())
    };
    // A thread that ends has none.
    match KEPT.try_with(find).ok()? {
        Some(known) => Some(known),
        None => {
            let program = Arc::new(record(node, expr, call)?);
            let kernel = match expr {
                Expr::Kernel(own) => Some(own.kernel.clone()),
                Expr::Fill(_)
                | Expr::Range { .. }
                | Expr::Map(_)
                | Expr::Cast(_)
                | Expr::Reduce(_) => None,
            };
            let entry = Entry { key: call.key, _kernel: kernel, program: program.clone() };
            KEPT.with_borrow_mut(|kept| {
                if kept.is_empty() {
                    kept.resize_with(SETS, Vec::new);
                }
                let own = &mut kept[set];
                // What goes is dropped after the borrow ends, since a kernel is dropped with it.
                let oldest = (own.len() == WAYS).then(|| own.remove(0));
                own.push(entry);
                oldest
            });
            Some(program)
        }
    }
}

/// Records the program as `evaluate` does.
fn record(node: &Node, expr: &Expr, call: &Call<'_>) -> Option<PreparedProgram> {
    let builder = Builder::new();
    let mut trace = Trace::new(&builder, Shape::from_slice(node.shape()), 0);
    let value = registers(trace.root(expr, node.dtype).ok()?);
    // Its inputs and numbers are those of the call, which are given with every launch.
    let is_plain = trace.claims.is_empty()
        && trace.sources.len() == call.arrays.len()
        && trace.scalars.len() == call.scalars.len();
    if !is_plain {
        return None;
    }
    let mut program = trace.program();
    builder.move_to(&mut program);
    program.outputs.push(Output { dtype: node.dtype, parts: value, domain: Domain::Element });
    PreparedProgram::new(program).ok()
}

/// Computes a claimed node, if it is a single operation over stored arrays in C order.
pub(super) fn attempt(node: &Arc<Node>, expr: &Expr) -> Option<Result<Buffer>> {
    let call = Call::of(node.dtype, expr)?;
    let program = program(node, expr, &call)?;
    Some(launch(node, expr, &program, call))
}

fn launch(
    node: &Arc<Node>,
    expr: &Expr,
    prepared: &PreparedProgram,
    call: Call<'_>,
) -> Result<Buffer> {
    let (op, backend, size) = (expr.op(), node.device.backend(), node.layout.size());
    let Call { arrays, scalars, .. } = call;
    let result = match arrays.iter().find(|source| source.lends(node)) {
        Some(Source { buffer, .. }) => (*buffer).clone(),
        None => Buffer::allocate(op, backend, size * node.dtype.size())?,
    };
    // One axis, or none of a single element, as axes collapse.
    let (mut shape, mut walk) = (Shape::new(), Strides::new());
    if size > 1 {
        shape.push(size);
        walk.push(1);
    }
    let (inputs, outputs, made_of) = (SmallVec::new(), SmallVec::new(), Vec::new());
    let mut launch = Launch {
        program: prepared.program(),
        prepared: Some(prepared),
        shape,
        row_axes: 0,
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
    launch.outputs.push(StridedView { memory: result.memory(), dtype, offset: 0, strides: walk });
    launch_counts::count(|counts| &mut counts.maps);
    let _span = spans::launch(backend, "map", &launch.shape, &launch.program);
    backend.map(Checked::new(&Map { launch: &launch })?)?;
    drop(launch);
    Ok(result)
}

#[cfg(test)]
mod tests;
