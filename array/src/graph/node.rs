//! Nodes of the lazy graph: a value that is pending, being computed, there, or failed.
//!
//! A node's expression is taken by the thread that computes it (the claim), which gives it back if it
//! cannot; its outcome is set exactly once. The lock guards the taking only: nothing is computed under
//! it. Threads that wait for a node are woken by either.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use smallvec::SmallVec;

use super::Array;
use super::kernel::{TracedKernel, TracedReduction};
use crate::buffer::Buffer;
use crate::device::Device;
use ndany_core::backend::Origin;
use ndany_core::ops::reductions::ReductionOption;
use ndany_core::ops::{ReductionDef, UfuncDef};
use ndany_core::program::RegType;
use ndany_core::shape::{Layout, Shape};
use ndany_core::{CallSite, DType, Error, Result, float};

/// An operand of a pending expression.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    /// An array, broadcast to the shape of the node.
    Array(Array),
    /// A value of `dtype`, as the bits of its registers.
    Scalar(Constant),
}

impl Arg {
    /// The array, if it is one.
    pub(crate) fn array(&self) -> Option<&Array> {
        match self {
            Arg::Array(array) => Some(array),
            Arg::Scalar(_) => None,
        }
    }
}

/// A value of some dtype, as register bits (16-bit floats widened to f32).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constant {
    pub(crate) dtype: DType,
    pub(crate) bits: [u64; 2],
}

impl Constant {
    /// From the element's own bits.
    pub(crate) fn from_element_bits(dtype: DType, bits: [u64; 2]) -> Self {
        let size = RegType::of(dtype).size();
        let widen = |bits: u64| match float::widened(dtype, bits as u16) {
            Some(value) => u64::from(value.to_bits()),
            None if size < 8 => bits & ((1 << (8 * size)) - 1),
            None => bits,
        };
        Self { dtype, bits: bits.map(widen) }
    }

    /// Whether it is an integer below zero.
    fn is_negative_integer(&self) -> bool {
        let sign = 8 * RegType::of(self.dtype).size() - 1;
        self.dtype.is_int() && !self.dtype.is_unsigned() && self.bits[0] >> sign & 1 != 0
    }
}

/// What a pending node computes.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// The same value everywhere.
    Fill(Fill),
    /// `start + index * step` over the one axis, computed in the dtype of the two: I64, F32 or F64.
    Range { start: Constant, step: Constant },
    /// A row of the table.
    Map(MapExpr),
    /// A result of a kernel made of a closure; on the heap, since each operation moves its expression several times.
    Kernel(Box<KernelExpr>),
    /// Conversion (or a plain copy).
    Cast(Array),
    /// A reduction; its node has the kept axes only.
    Reduce(Box<ReduceExpr>),
}

/// A pending array of one value.
#[derive(Clone, Debug)]
pub(crate) struct Fill {
    pub(crate) value: Constant,
    /// Whether the array was created without values (`empty`). Then `eval` only takes its memory.
    pub(crate) blank: bool,
    /// The memory, where it is taken and not written.
    pub(crate) memory: Option<Buffer>,
}

impl From<Constant> for Fill {
    fn from(value: Constant) -> Self {
        Self { value, blank: false, memory: None }
    }
}

/// A pending elementwise operation: operand `i` is converted to `compute[i]` first.
#[derive(Clone, Debug)]
pub(crate) struct MapExpr {
    pub(crate) row: &'static UfuncDef,
    pub(crate) compute: SmallVec<[DType; 3]>,
    pub(crate) args: SmallVec<[Arg; 3]>,
    /// The nodes of an operation with two results, this one among them.
    pub(crate) siblings: Option<Arc<Siblings>>,
}

/// A pending result of a kernel: operand `i` is converted to `kernel.operands[i]` first.
#[derive(Clone, Debug)]
pub(crate) struct KernelExpr {
    pub(crate) kernel: Arc<TracedKernel>,
    /// Operands, then parameters.
    pub(crate) args: SmallVec<[Arg; 3]>,
    /// Operands that are read by position, with their numbers, in C order.
    pub(crate) wholes: SmallVec<[(u8, Array); 1]>,
    /// Which of the results this is.
    pub(crate) output: usize,
    /// The nodes of a kernel with several results.
    pub(crate) siblings: Option<Arc<Siblings>>,
}

/// The nodes of an operation with several results, known once all of them are there.
pub(crate) type Siblings = OnceLock<SmallVec<[Weak<Node>; 2]>>;

impl MapExpr {
    /// Whether an element may have no result. A number as exponent says by itself whether it is negative.
    pub(super) fn may_fail(&self) -> bool {
        let exponent = match self.args.get(1) {
            Some(Arg::Scalar(exponent)) => Some(exponent),
            Some(Arg::Array(_)) | None => None,
        };
        self.row.may_fail(self.compute[0]) && exponent.is_none_or(Constant::is_negative_integer)
    }
}

/// A pending reduction.
#[derive(Clone, Debug)]
pub(crate) struct ReduceExpr {
    pub(crate) kind: ReduceKind,
    /// What is reduced. Arrays have one shape.
    pub(crate) args: SmallVec<[Arg; 2]>,
    /// Reduced axes of these arrays, increasing.
    pub(crate) axes: SmallVec<[usize; 4]>,
}

/// What a reduction computes.
#[derive(Clone, Debug)]
pub(crate) enum ReduceKind {
    /// A definition of the table.
    Table(TableReduction),
    /// A result of a reduction made of closures.
    Kernel(KernelReduction),
}

/// A reduction of the table: of its first operand, where the second, if there is one, is true.
#[derive(Clone, Debug)]
pub(crate) struct TableReduction {
    pub(crate) row: &'static dyn ReductionDef,
    /// To which elements are converted first.
    pub(crate) input: DType,
    pub(crate) initial: Option<Constant>,
    pub(crate) correction: f64,
}

impl TableReduction {
    /// What the result over rows of `size` elements depends on beside them: the size, and what is taken off it.
    pub(crate) fn facts(&self, size: usize) -> SmallVec<[f64; 2]> {
        let facts = self.row.facts();
        let size = facts.counts.then_some(size as f64);
        let correction = facts.takes(ReductionOption::Ddof).then_some(self.correction);
        size.into_iter().chain(correction).collect()
    }
}

/// A result of a reduction made of closures: operand `i` is converted to `kernel.operands[i]` first.
#[derive(Clone, Debug)]
pub(crate) struct KernelReduction {
    pub(crate) kernel: Arc<TracedReduction>,
    /// Which of the results this is.
    pub(crate) output: usize,
    /// The nodes of a reduction with several results.
    pub(crate) siblings: Option<Arc<Siblings>>,
}

impl ReduceExpr {
    /// The shape of what is reduced.
    pub(crate) fn shape(&self) -> &[usize] {
        let arrays = self.args.iter().find_map(Arg::array);
        arrays.map_or(&[], Array::shape)
    }

    /// How many elements make one result.
    pub(crate) fn row_size(&self) -> usize {
        self.axes.iter().map(|&axis| self.shape()[axis]).product()
    }
}

impl Expr {
    /// The operation that was asked for.
    pub(crate) fn op(&self) -> &'static str {
        match self {
            Expr::Fill(_) => "full",
            Expr::Range { .. } => "arange",
            Expr::Map(map) => map.row.name,
            Expr::Kernel(expr) => expr.kernel.name,
            Expr::Cast(_) => "astype",
            Expr::Reduce(reduce) => match &reduce.kind {
                ReduceKind::Table(table) => table.row.name(),
                ReduceKind::Kernel(own) => own.kernel.name,
            },
        }
    }

    /// How many operations it counts as.
    pub(crate) fn steps(&self) -> u32 {
        match self {
            Expr::Kernel(expr) => expr.kernel.steps,
            Expr::Reduce(reduce) => match &reduce.kind {
                ReduceKind::Table(_) => 1,
                ReduceKind::Kernel(own) => own.kernel.steps,
            },
            Expr::Fill(_) | Expr::Range { .. } | Expr::Map(_) | Expr::Cast(_) => 1,
        }
    }

    /// Whether values are made of positions in the whole of the result.
    pub(crate) fn asks_position(&self) -> bool {
        matches!(self, Expr::Kernel(expr) if expr.kernel.asks_position())
    }

    /// The results of the operation, if it has several.
    fn siblings(&self) -> Option<&Siblings> {
        match self {
            Expr::Map(map) => map.siblings.as_deref(),
            Expr::Kernel(expr) => expr.siblings.as_deref(),
            Expr::Reduce(reduce) => match &reduce.kind {
                ReduceKind::Table(_) => None,
                ReduceKind::Kernel(own) => own.siblings.as_deref(),
            },
            Expr::Fill(_) | Expr::Range { .. } | Expr::Cast(_) => None,
        }
    }

    /// Whether the operation has several results, which do not know of each other yet.
    pub(crate) fn is_alone(&self) -> bool {
        self.siblings().is_some_and(|siblings| siblings.get().is_none())
    }

    /// The results of the operation that are still pending and have a handle, this one among them.
    pub(crate) fn pending_siblings(&self) -> impl Iterator<Item = Arc<Node>> {
        let nodes = self.siblings().and_then(|siblings| siblings.get()).into_iter().flatten();
        nodes.filter_map(Weak::upgrade).filter(|node| node.is_pending())
    }

    /// Calls `f` with each array that the expression reads.
    pub(crate) fn arrays<'a>(&'a self, mut f: impl FnMut(&'a Array)) {
        match self {
            Expr::Fill(_) | Expr::Range { .. } => {}
            Expr::Map(MapExpr { args, .. }) => args.iter().filter_map(Arg::array).for_each(f),
            Expr::Kernel(expr) => {
                let KernelExpr { args, wholes, .. } = &**expr;
                let wholes = wholes.iter().map(|(_, array)| array);
                args.iter().filter_map(Arg::array).chain(wholes).for_each(f);
            }
            Expr::Cast(array) => f(array),
            Expr::Reduce(reduce) => reduce.args.iter().filter_map(Arg::array).for_each(f),
        }
    }
}

/// What is known of a node's values however far they are computed, and so without a lock.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeKind {
    /// The same everywhere; `blank` as in [`Fill`].
    Constant { value: Constant, blank: bool },
    /// Steps along the one axis.
    Range,
    /// Of a reduction.
    Reduced,
    /// Of an operation of which some element may have no answer. It is computed by itself, so that the
    /// error of its launch is its own and no other value's.
    Fallible,
    /// Of a kernel that asks for positions. It is computed by itself, since positions count in its own shape.
    Positioned,
    /// Any others.
    Values,
}

impl NodeKind {
    fn of(expr: &Expr) -> Self {
        match expr {
            Expr::Fill(fill) => NodeKind::Constant { value: fill.value, blank: fill.blank },
            Expr::Range { .. } => NodeKind::Range,
            Expr::Reduce(reduce) => match &reduce.kind {
                ReduceKind::Kernel(own) if own.kernel.fails => NodeKind::Fallible,
                ReduceKind::Table(_) | ReduceKind::Kernel(_) => NodeKind::Reduced,
            },
            Expr::Map(map) if map.may_fail() => NodeKind::Fallible,
            Expr::Kernel(expr) if expr.kernel.fails => NodeKind::Fallible,
            Expr::Kernel(expr) if expr.kernel.asks_position() => NodeKind::Positioned,
            Expr::Map(_) | Expr::Kernel(_) | Expr::Cast(_) => NodeKind::Values,
        }
    }
}

/// How much a pending node holds back.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// Operations waiting (at least; shared ones may be counted twice).
    pub(crate) steps: u32,
    /// Arrays they read.
    pub(crate) inputs: u32,
    /// Reductions among the operations.
    pub(crate) reductions: u32,
    /// Bytes of those arrays.
    pub(crate) pinned: usize,
}

/// What a thread takes that computes a node.
#[derive(Debug)]
struct Claimable {
    /// Gone while a thread is at work, and once the outcome is there.
    expr: Option<Expr>,
    /// Threads that wait for that thread. Ringing costs a system call, so it is done for them only.
    waiting: usize,
}

/// A value of the graph.
#[derive(Debug)]
pub(crate) struct Node {
    /// C order over its own axes.
    pub(crate) layout: Layout,
    pub(crate) dtype: DType,
    pub(crate) device: Device,
    pub(crate) origin: CallSite,
    pub(crate) cost: Cost,
    pub(crate) nature: NodeKind,
    /// How many launches have computed the value without storing it.
    recomputed: AtomicU32,
    claimable: Mutex<Claimable>,
    /// Notified, if a thread waits, when the expression comes back and when the outcome is there.
    changed: Condvar,
    outcome: OnceLock<Result<Buffer>>,
}

impl Node {
    pub(crate) fn pending(
        shape: Shape,
        dtype: DType,
        device: Device,
        origin: CallSite,
        cost: Cost,
        expr: Expr,
    ) -> Arc<Self> {
        Arc::new(Self {
            layout: Layout::contiguous(&shape),
            dtype,
            device,
            origin,
            cost,
            nature: NodeKind::of(&expr),
            recomputed: AtomicU32::new(0),
            claimable: Mutex::new(Claimable { expr: Some(expr), waiting: 0 }),
            changed: Condvar::new(),
            outcome: OnceLock::new(),
        })
    }

    /// A node whose outcome is known; a failure is marked with its origin.
    #[track_caller]
    pub(crate) fn done(
        op: &'static str,
        shape: Shape,
        dtype: DType,
        device: Device,
        outcome: Result<Buffer>,
    ) -> Arc<Self> {
        let origin = CallSite::caller();
        let outcome = outcome.map_err(|error| {
            let location = origin;
            Origin { op, shape: &shape, dtype, location, meaning: None }.failed(error)
        });
        Arc::new(Self {
            layout: Layout::contiguous(&shape),
            dtype,
            device,
            origin,
            cost: Cost::default(),
            nature: NodeKind::Values,
            recomputed: AtomicU32::new(0),
            claimable: Mutex::new(Claimable { expr: None, waiting: 0 }),
            changed: Condvar::new(),
            outcome: OnceLock::from(outcome),
        })
    }

    /// Whether these are all handles on the node, so that its memory may be overwritten, which never holds of
    /// memory that others use, too. `handles` counts those
    /// that the caller knows of and through which it does not read any more.
    ///
    /// A `true` orders what follows after every read through handles that were dropped: dropping one is a
    /// release on the count of handles, and the fence makes the load that saw the last of these drops an acquire
    /// (`Arc::strong_count` by itself is relaxed, and a later write could happen at the time of the read). No new handle can
    /// be made meanwhile: that takes a handle, and all of them are the caller's. The weak ones of
    /// [`Siblings`] are only asked whether their node is pending, and give no way to its memory.
    ///
    /// A recorded graph holds the memory of what its closure has captured, and no handle on the node. So `buffers`, the
    /// handles on the memory that the caller knows of beside the node's own, have to be all of them, too.
    pub(crate) fn is_held_by(self: &Arc<Self>, handles: usize, buffers: usize) -> bool {
        let memory_alone = || match self.outcome() {
            Some(Ok(buffer)) => {
                buffer.is_of_arrays() && Arc::strong_count(buffer.handle()) == 1 + buffers
            }
            Some(Err(_)) | None => true,
        };
        let alone = Arc::strong_count(self) == handles && memory_alone();
        if alone {
            acquire_handles(self);
        }
        alone
    }

    /// Whether others write its memory as well as arrays do, so that no write replaces it by a copy.
    pub(crate) fn is_pinned(&self) -> bool {
        matches!(self.outcome(), Some(Ok(buffer)) if buffer.is_pinned())
    }

    /// Whether others may write its memory at any time.
    #[inline]
    pub(crate) fn is_exposed(&self) -> bool {
        matches!(self.outcome(), Some(Ok(buffer)) if buffer.is_exposed())
    }

    /// Extents of its axes.
    pub(crate) fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// What an error of `op`, whose result this is, says of it.
    pub(crate) fn origin(&self, op: &'static str) -> Origin<'_> {
        Origin { op, shape: self.shape(), dtype: self.dtype, location: self.origin, meaning: None }
    }

    fn claimable(&self) -> MutexGuard<'_, Claimable> {
        self.claimable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes waiting threads; the guard proves that none of them is just about to wait.
    fn ring(&self, claimable: &MutexGuard<'_, Claimable>) {
        if claimable.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// Takes the expression: the caller must complete the node, or put the expression back.
    pub(crate) fn claim(&self) -> Option<Expr> {
        self.claimable().expr.take()
    }

    /// Undoes a claim.
    pub(crate) fn put_back(&self, expr: Expr) {
        let mut claimable = self.claimable();
        claimable.expr = Some(expr);
        self.ring(&claimable);
    }

    /// How many launches have computed the value of a pending node without storing it.
    pub(crate) fn times_computed(&self) -> u32 {
        // A hint for what is worth storing: no other memory depends on it.
        self.recomputed.load(Ordering::Relaxed)
    }

    /// Notes that a launch has computed the value without storing it.
    pub(crate) fn note_computed(&self) {
        self.recomputed.fetch_add(1, Ordering::Relaxed);
    }

    /// Looks at the expression of a pending node, without claiming it.
    pub(crate) fn peek<T>(&self, look: impl FnOnce(&Expr) -> T) -> Option<T> {
        self.claimable().expr.as_ref().map(look)
    }

    pub(crate) fn outcome(&self) -> Option<&Result<Buffer>> {
        self.outcome.get()
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.outcome.get().is_none()
    }

    /// Sets the outcome of `op`; the first one counts.
    pub(crate) fn complete(&self, op: &'static str, outcome: Result<Buffer>) {
        let outcome = outcome.map_err(|error| self.origin(op).failed(error));
        // A second outcome could only come from a bug; keeping the first keeps readers consistent.
        let _ = self.outcome.set(outcome);
        self.ring(&self.claimable());
    }

    /// The outcome of a node whose computation panicked.
    pub(crate) fn abandon(&self, op: &'static str) {
        let device = self.device.name();
        let reason = "a panic while it was at work".to_string();
        self.complete(op, Err(Error::Device { op, device, reason }));
    }

    /// Waits until another thread has completed the node or given up its claim.
    pub(crate) fn wait(&self) {
        let mut claimable = self.claimable();
        while claimable.expr.is_none() && self.outcome.get().is_none() {
            claimable.waiting += 1;
            claimable = self.changed.wait(claimable).unwrap_or_else(PoisonError::into_inner);
            claimable.waiting -= 1;
        }
    }
}

/// How many handles on `node` the pending expressions hold that `value` is made of, and which of these nodes hold them.
pub(crate) fn pending_handles(value: &Arc<Node>, node: &Arc<Node>) -> (usize, Vec<Arc<Node>>) {
    let (mut handles, mut holders) = (0, Vec::new());
    // The graph of a value is bounded, and so is this list.
    let mut all = vec![value.clone()];
    let mut next = 0;
    while next < all.len() {
        let current = all[next].clone();
        next += 1;
        let before = handles;
        current.peek(|expr| {
            expr.arrays(|array| {
                let inner = array.node();
                if Arc::ptr_eq(inner, node) {
                    handles += 1;
                } else if inner.is_pending() && !all.iter().any(|known| Arc::ptr_eq(known, inner)) {
                    all.push(inner.clone());
                }
            });
        });
        if handles > before {
            holders.push(current);
        }
    }
    (handles, holders)
}

/// Makes the load of a count of handles an acquire.
#[cfg(not(ndany_tsan))]
fn acquire_handles(_: &Arc<Node>) {
    std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
}

/// ThreadSanitizer does not model fences, so builds for it read the count once more by an operation that is an acquire
/// by itself: upgrading a weak handle.
#[cfg(ndany_tsan)]
fn acquire_handles(node: &Arc<Node>) {
    drop(Arc::downgrade(node).upgrade());
}
