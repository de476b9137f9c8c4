//! Running what is pending: claim, trace, launch, complete.

use std::sync::Arc;

use smallvec::SmallVec;

use super::node::{Cost, Expr, Fill, Node, NodeKind, pending_handles};
use super::prepared;
use super::trace::{AxisMap, Blocked, Claim, Source, Trace, registers};
use super::{Array, MAX_INPUTS, MAX_STEPS};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::launch_counts;
use crate::spans;
use ndany_core::backend::{
    Backend, Checked, FusedRowwise, Launch, Map, Origin, Reduce, StridedView,
};
use ndany_core::program::{Builder, Domain, Output, Program};
use ndany_core::shape::{self, Layout, Shape, Strides, collapse};
use ndany_core::{DType, Result};

/// Nodes besides the root that one launch writes out; more are computed before.
const MAX_EXTRA_OUTPUTS: usize = 6;

/// Computes what is pending for several arrays without waiting for the device.
///
/// Elementwise results of one shape on one device are computed in one launch, within the limits of a pending value; reductions, and
/// operations that may fail by their data, have launches of their own.
///
/// - **Errors**: the first that one of the arrays has; all are computed nevertheless.
///
/// ```
/// use ndany::prelude::*;
/// let (x, y) = (array([1.0, 2.0]), array([3.0, 5.0]));
/// let (sum, difference) = (&x + &y, &x - &y);
/// let before = ndany::Statistics::now();
/// ndany::eval_all(&[&sum, &difference])?;
/// assert_eq!(ndany::Statistics::now().since(&before).launches(), 1);
/// assert_eq!(format!("{sum} {difference}"), "[4. 7.] [-2. -3.]");
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn eval_all(arrays: &[&Array]) -> Result<()> {
    let mut waiting: SmallVec<[&Arc<Node>; 4]> = SmallVec::new();
    for node in arrays.iter().map(|array| array.node()) {
        if node.is_pending() && !waiting.iter().any(|known| Arc::ptr_eq(known, node)) {
            waiting.push(node);
        }
    }
    while waiting.len() > 1 {
        // A root on which no other one depends: a trace that meets its own root cannot go on.
        let is_free = |root: &&Arc<Node>| {
            let mut others = waiting.iter().filter(|other| !Arc::ptr_eq(other, root));
            others.all(|other| pending_handles(other, root).0 == 0)
        };
        let Some(place) = waiting.iter().position(is_free) else { break };
        let root = waiting.remove(place);
        let companions = companions(root, &waiting);
        // A failure stays on the node, and is returned below.
        let _ = evaluate_with(root, &companions);
        waiting.retain(|node| node.is_pending());
    }
    let mut outcome = Ok(());
    for array in arrays {
        let own = array.eval();
        outcome = outcome.and(own);
    }
    outcome
}

/// Those of `others` that one launch can compute along with a root.
fn companions(root: &Arc<Node>, others: &[&Arc<Node>]) -> SmallVec<[Arc<Node>; 4]> {
    let mut joined = SmallVec::new();
    let is_plain =
        |node: &Node| matches!(node.nature, NodeKind::Values) && node.cost.reductions == 0;
    if !is_plain(root) {
        return joined;
    }
    let Cost { mut steps, mut inputs, .. } = root.cost;
    for &other in others {
        let fits =
            steps + other.cost.steps <= MAX_STEPS && inputs + other.cost.inputs <= MAX_INPUTS;
        let is_alike = other.shape() == root.shape() && other.device == root.device;
        if joined.len() < MAX_EXTRA_OUTPUTS && fits && is_alike && is_plain(other) {
            (steps, inputs) = (steps + other.cost.steps, inputs + other.cost.inputs);
            joined.push(other.clone());
        }
    }
    joined
}

/// The buffer of a node, computed now if it is pending.
pub(crate) fn evaluate(node: &Arc<Node>) -> Result<Buffer> {
    evaluate_with(node, &[])
}

/// [`evaluate`], with other nodes of its shape in the same launch where nothing stands in their way.
fn evaluate_with(node: &Arc<Node>, companions: &[Arc<Node>]) -> Result<Buffer> {
    loop {
        if let Some(outcome) = node.outcome() {
            return outcome.clone();
        }
        match node.claim() {
            Some(expr) => {
                let guard = CompletionGuard { node, op: expr.op() };
                let backend = node.device.backend();
                let _span = spans::evaluate(backend, guard.op, node.shape(), node.dtype);
                run(&guard, &expr, companions);
            }
            None => {
                let _span = spans::wait(node.device.backend());
                node.wait();
            }
        }
    }
}

/// Allocates the memory of an uninitialized array, so that a failure is reported now; it is written when
/// it is read there.
pub(crate) fn reserve(node: &Arc<Node>) -> Result<()> {
    loop {
        if let Some(outcome) = node.outcome() {
            return outcome.clone().map(drop);
        }
        let Some(expr) = node.claim() else {
            node.wait();
            continue;
        };
        let mut claim = Claim::new(node.clone(), expr, AxisMap::new(), 0);
        let Expr::Fill(Fill { memory: None, .. }) = claim.expr() else { return Ok(()) };
        let (op, bytes) = (claim.expr().op(), node.layout.size() * node.dtype.size());
        match Buffer::allocate(op, node.device.backend(), bytes) {
            Ok(buffer) => {
                claim.take(buffer);
                return Ok(());
            }
            Err(error) => node.complete(op, Err(error)),
        }
    }
}

/// A claimed root. When it is dropped, the node has an outcome, after a panic too.
struct CompletionGuard<'n> {
    node: &'n Arc<Node>,
    op: &'static str,
}

impl Drop for CompletionGuard<'_> {
    fn drop(&mut self) {
        if self.node.is_pending() {
            self.node.abandon(self.op);
        }
    }
}

fn run(root: &CompletionGuard<'_>, expr: &Expr, mut companions: &[Arc<Node>]) {
    let CompletionGuard { node, op } = *root;
    if node.layout.size() == 0 {
        node.complete(op, Buffer::allocate(op, node.device.backend(), 0));
        return;
    }
    // An attempt launches, so none is made where others are to be computed along.
    if companions.is_empty()
        && let Some(outcome) = prepared::attempt(node, expr)
    {
        node.complete(op, outcome);
        return;
    }
    loop {
        match attempt(&node.device, expr, node.dtype, &Target::Node(node, companions)) {
            Ok(outcome) => {
                node.complete(op, outcome);
                return;
            }
            // What is in the way may be a companion's.
            Err(Blocked::Failed(_) | Blocked::Busy(_)) if !companions.is_empty() => {
                companions = &[]
            }
            Err(Blocked::Failed(error)) => {
                node.complete(op, Err(error));
                return;
            }
            Err(blocked) => clear(blocked),
        }
    }
}

/// Does what has to be done before the next attempt. No claims but those of roots are held here.
pub(super) fn clear(blocked: Blocked) {
    match blocked {
        Blocked::Needs(nodes) => {
            for node in nodes {
                // A failure stays on the node; the next attempt finds it there.
                let _ = evaluate(&node);
            }
        }
        Blocked::Busy(node) => {
            // If the other thread gives its claim up, this one computes the node, so that two traces
            // that want each other's nodes do not get in each other's way again and again.
            let _ = evaluate(&node);
        }
        Blocked::Failed(_) => unreachable!("dealt with by the caller"),
    }
}

/// Where the value of the root goes.
enum Target<'a> {
    /// Into a buffer of its own, which the attempt returns, and with it other nodes of its shape.
    Node(&'a Arc<Node>, &'a [Arc<Node>]),
    /// Into this window of a buffer that no other thread reads meanwhile.
    Window { buffer: &'a Buffer, layout: &'a Layout },
}

/// Computes `expr` (of the given shape and dtype) into a window of a buffer.
///
/// The window may be read by the expression under exactly the window's own layout, and not otherwise.
pub(crate) fn evaluate_into(
    device: &Device,
    expr: &Expr,
    dtype: DType,
    buffer: &Buffer,
    layout: &Layout,
) -> Result<()> {
    if layout.size() == 0 {
        return Ok(());
    }
    let _span = spans::evaluate(device.backend(), expr.op(), &layout.shape, dtype);
    loop {
        match attempt(device, expr, dtype, &Target::Window { buffer, layout }) {
            Ok(outcome) => return outcome.map(|_| ()),
            Err(Blocked::Failed(error)) => return Err(error),
            Err(blocked) => clear(blocked),
        }
    }
}

fn space_of(expr: &Expr, target: &Target<'_>) -> Shape {
    match (expr, target) {
        (Expr::Reduce(reduce), _) => Shape::from_slice(reduce.shape()),
        (_, Target::Node(node, _)) => Shape::from_slice(node.shape()),
        (_, Target::Window { layout, .. }) => Shape::from_slice(&layout.shape),
    }
}

/// One trace and, if nothing is in its way, its launch. The inner result is the device's.
fn attempt(
    device: &Device,
    expr: &Expr,
    dtype: DType,
    target: &Target<'_>,
) -> Result<Result<Buffer>, Blocked> {
    match attempt_with(device, expr, dtype, target, device.backend().row_limit())? {
        Some(outcome) => Ok(outcome),
        // Values of a row were to be computed once per row, but the reductions that follow were
        // computed before: a map has no rows.
        None => match attempt_with(device, expr, dtype, target, 0)? {
            Some(outcome) => Ok(outcome),
            None => unreachable!("no row fits into nothing"),
        },
    }
}

/// [`attempt`], with rows of up to `row_limit` elements; `None` if there turned out to be rows without
/// reductions.
fn attempt_with(
    device: &Device,
    expr: &Expr,
    dtype: DType,
    target: &Target<'_>,
    row_limit: usize,
) -> Result<Option<Result<Buffer>>, Blocked> {
    let builder = Builder::new();
    let mut trace = Trace::new(&builder, space_of(expr, target), row_limit);
    if let Target::Node(node, _) = target {
        trace.expect(node.cost);
    }
    let value = registers(trace.root(expr, dtype)?);
    if let Target::Node(node, companions) = target {
        trace.join(node, expr, companions)?;
    }
    if trace.has_idle_rows() {
        return Ok(None);
    }
    let known = match target {
        Target::Node(node, _) if node.times_computed() > 0 => Some(expr),
        Target::Node(..) | Target::Window { .. } => None,
    };
    let plan = choose_outputs(&trace, known, MAX_EXTRA_OUTPUTS)
        .map_err(|node| Blocked::Needs(vec![node]))?;
    if trace.has_long_row() {
        // What has one value per element cannot be written along with a reduction of a long row.
        let elements = plan.written.iter().map(|&position| &trace.claims[position]);
        let elements = elements.filter(|claim| trace.domain(&claim.map) == Domain::Element);
        let needed: Vec<Arc<Node>> = elements.map(|claim| claim.node.clone()).collect();
        if !needed.is_empty() {
            return Err(Blocked::Needs(needed));
        }
    }
    let mut program = trace.program();
    builder.move_to(&mut program);
    let outcome = launch(device, &trace, &mut program, expr, dtype, value, &plan, target);
    if outcome.is_ok() {
        // Claims that were neither written out nor left had no other reader.
        trace.complete_claims(&plan.repended);
    }
    Ok(Some(outcome))
}

/// What happens to the claims of a launch.
pub(super) struct MaterializationPlan {
    /// Positions of claims whose values are written, because other handles will read them.
    written: SmallVec<[usize; 4]>,
    /// Memory for those of them that need not be written, which is taken before the launch depends on it.
    reserved: SmallVec<[(usize, Buffer); 1]>,
    /// For each claim, whether it becomes pending again and is computed again when it is read.
    pub(super) repended: SmallVec<[bool; 16]>,
}

/// Steps that may be computed again rather than written.
const CHEAP_STEPS: u32 = 8;

/// What storing a value costs, in times of reading it: its lines of the cache are read before they are written.
const STORE_COST: usize = 2;

/// Decides for each claim that has other handles whether its value is written or computed again later, whichever
/// moves fewer bytes: a written value is stored once and loaded again later.
///
/// Rust keeps a temporary such as `&x * &x` in `(&x * &x).sum(..).item()` alive to the end of the
/// statement, so many of these handles will never be read: what is cheap to compute becomes pending again. A value that was
/// computed before is read by more than such a statement: it is stored as soon as the time spent on computing it again
/// reaches that of storing it. Values that are computed again only because a reader of theirs is have no new reader.
///
/// `known` is the root's expression if its value was computed before.
/// `Err` names a claim to compute by itself first, where there is no max_outputs for another output.
pub(super) fn choose_outputs(
    trace: &Trace<'_>,
    known: Option<&Expr>,
    max_outputs: usize,
) -> Result<MaterializationPlan, Arc<Node>> {
    let claims = &trace.claims;
    let place =
        |array: &Array| claims.iter().position(|claim| Arc::ptr_eq(&claim.node, array.node()));
    let mut repended: SmallVec<[bool; 16]> = SmallVec::new();
    repended.resize(claims.len(), false);
    let (written, reserved) = (SmallVec::new(), SmallVec::new());
    let mut plan = MaterializationPlan { written, reserved, repended };
    let mut any_repended = false;
    // How many handles on each claim are in expressions that were computed before: of most launches none.
    let mut known_uses: SmallVec<[usize; 16]> = SmallVec::new();
    let note_uses = |known_uses: &mut SmallVec<[usize; 16]>, expr: &Expr| {
        known_uses.resize(claims.len(), 0);
        expr.arrays(|array| place(array).into_iter().for_each(|inner| known_uses[inner] += 1));
    };
    known.into_iter().for_each(|expr| note_uses(&mut known_uses, expr));
    // Those that are made of others first, as these may turn out not to be needed.
    for (position, claim) in claims.iter().enumerate().rev() {
        let times = claim.node.times_computed();
        let has_new_reader = known_uses.get(position).is_none_or(|&known| known < claim.uses);
        if times > 0 || (!has_new_reader && claim.uses > 0) {
            note_uses(&mut known_uses, claim.expr());
        }
        // The claim itself holds one handle; the expressions of roots and claims the others. Nothing is written over
        // by this answer, so the count may be read relaxed: the claim is what keeps others from the expression.
        if Arc::strong_count(&claim.node) == 1 + claim.uses {
            continue;
        }
        let bytes = |node: &Node| node.layout.size() * node.dtype.size();
        let sources = trace.sources.iter().enumerate();
        let read: usize = sources
            .filter(|(source, _)| claim.dependencies.reads(*source))
            .map(|(_, source)| bytes(&source.node))
            .sum();
        if claim.joined && plan.written.len() < max_outputs {
            plan.written.push(position);
            continue;
        }
        let cheap = claim.node.cost.steps <= CHEAP_STEPS && !claim.dependencies.reduces;
        // Along with a reduction of a long row no value of its elements can be written: that takes a launch of its own, before it.
        // Where computing costs little beside loading, a value that no launch has computed before need not have one.
        let is_apart = || trace.has_long_row() && trace.domain(&claim.map) == Domain::Element;
        let profile = || claim.node.device.backend().profile();
        let computes_fast = || profile().steps_per_load > CHEAP_STEPS as usize;
        let repends = cheap && (read <= 2 * bytes(&claim.node) || (is_apart() && computes_fast()));
        let stored = (repends && times > 0 && has_new_reader)
            .then(|| reserve_if_worthwhile(trace, claim, read, times))
            .flatten();
        if repends && stored.is_none() {
            plan.repended[position] = true;
            any_repended = true;
        } else if plan.written.len() == max_outputs {
            return Err(claim.node.clone());
        } else {
            plan.written.push(position);
            plan.reserved.extend(stored.map(|buffer| (position, buffer)));
        }
    }
    // What goes back needs what it is made of.
    let mut grows = any_repended;
    while grows {
        grows = false;
        for (position, claim) in claims.iter().enumerate() {
            if plan.repended[position] {
                claim.expr().arrays(|array| {
                    let inner = place(array).filter(|inner| !plan.written.contains(inner));
                    if let Some(inner) = inner.filter(|&inner| !plan.repended[inner]) {
                        (plan.repended[inner], grows) = (true, true);
                    }
                });
            }
        }
    }
    Ok(plan)
}

/// Memory for a claim that `times` launches have computed without storing it, if storing it now costs no more than they did. The
/// claim reads `read` bytes of memory.
///
/// Without memory for it a value is computed again, as if it had no other handle: its readers need none.
fn reserve_if_worthwhile(
    trace: &Trace<'_>,
    claim: &Claim,
    read: usize,
    times: u32,
) -> Option<Buffer> {
    let (node, backend) = (&claim.node, claim.node.device.backend());
    let bytes = node.layout.size() * node.dtype.size();
    // Steps take as long as loading these bytes. A device computes and loads at the same time.
    let computed = bytes.saturating_mul(trace.weight_of(claim)) / backend.profile().steps_per_load;
    let wasted = read.max(computed).saturating_sub(bytes);
    let worthwhile = wasted.saturating_mul(times as usize) >= STORE_COST * bytes;
    worthwhile.then(|| Buffer::allocate(claim.expr().op(), backend, bytes).ok()).flatten()
}

/// A result of a launch: what is written, and where.
struct Written {
    buffer: Buffer,
    dtype: DType,
    offset: usize,
    strides: Strides,
    parts: [u16; 2],
    domain: Domain,
}

#[allow(clippy::too_many_arguments)]
fn launch(
    device: &Device,
    trace: &Trace<'_>,
    program: &mut Program,
    root: &Expr,
    dtype: DType,
    value: [u16; 2],
    plan: &MaterializationPlan,
    target: &Target<'_>,
) -> Result<Buffer> {
    let extra = plan.written.as_slice();
    let mut written: SmallVec<[Written; 2]> = SmallVec::new();
    // Where elements may have no answer, other values computed here may have to be computed again.
    let closed = !extra.is_empty() && program.fails();
    let mut donor = Donor { trace, root, repended: &plan.repended, closed, taken: SmallVec::new() };
    let mut begun = false;
    let fresh = |bytes| Buffer::allocate(root.op(), device.backend(), bytes);
    let own_result =
        |strides: &Strides, domain, shape: &[usize], dtype, donor: &mut Donor<'_, '_>| match donor
            .find(dtype, shape, strides, domain)
        {
            Some(buffer) => Ok(buffer),
            None => fresh(shape::size_of(shape) * dtype.size()),
        };
    let reserved = |position: usize| {
        let own = plan.reserved.iter().find(|(reserved, _)| *reserved == position);
        own.map(|(_, buffer)| buffer.clone())
    };
    let prepared = (|| -> Result<()> {
        let (layout, domain) = root_layout(trace, root, target);
        let buffer = match target {
            Target::Window { buffer, .. } => (*buffer).clone(),
            Target::Node(..) if let Expr::Fill(Fill { memory: Some(buffer), .. }) = root => {
                buffer.clone()
            }
            Target::Node(node, _) => {
                own_result(&layout.strides, domain, node.shape(), dtype, &mut donor)?
            }
        };
        let (offset, strides) = (layout.offset, layout.strides);
        written.push(Written { buffer, dtype, offset, strides, parts: value, domain });
        for &position in extra {
            let Claim { node, map, .. } = &trace.claims[position];
            let (strides, domain) = (trace.result_strides(map, node.shape()), trace.domain(map));
            let buffer = match reserved(position) {
                Some(buffer) => buffer,
                None => own_result(&strides, domain, node.shape(), node.dtype, &mut donor)?,
            };
            let parts = trace.claims[position].registers();
            written.push(Written { buffer, dtype: node.dtype, offset: 0, strides, parts, domain });
        }
        Ok(())
    })();
    let outcome = prepared.and_then(|()| {
        for &Written { dtype, parts, domain, .. } in &written {
            program.outputs.push(Output { dtype, parts, domain });
        }
        begun = true;
        let made_of = match extra {
            [] => Vec::new(),
            _ => std::iter::once((0..trace.sources.len() as u16).collect())
                .chain(extra.iter().map(|&position| trace.sources_of(position)))
                .collect(),
        };
        let origin = match target {
            Target::Node(node, _) => Some(node.origin(root.op())),
            Target::Window { .. } => None,
        };
        let program = Checked::new(&*program)?;
        dispatch(device.backend(), trace, program, &written, made_of, origin)
    });
    match &outcome {
        Ok(()) => {
            for (result, &position) in written.iter().skip(1).zip(extra) {
                let claim = &trace.claims[position];
                claim.node.complete(claim.expr().op(), Ok(result.buffer.clone()));
            }
        }
        // Their inputs may have been written over.
        Err(error) if begun && !donor.taken.is_empty() => {
            for &position in extra {
                let claim = &trace.claims[position];
                claim.node.complete(claim.expr().op(), Err(error.clone()));
            }
        }
        // The root has failed; the others go back and may yet be computed.
        Err(_) => {}
    }
    outcome.map(|()| written.swap_remove(0).buffer)
}

/// Where the root's own value lies in its buffer, along the axes of the space.
fn root_layout(trace: &Trace<'_>, root: &Expr, target: &Target<'_>) -> (Layout, Domain) {
    match (root, target) {
        (_, Target::Window { layout, .. }) => ((*layout).clone(), Domain::Element),
        (Expr::Reduce(reduce), Target::Node(node, _)) => {
            let mut kept = node.layout.strides.iter().copied();
            let strides = (0..trace.space.len())
                .map(|axis| if reduce.axes.contains(&axis) { 0 } else { kept.next().unwrap_or(0) })
                .collect();
            let shape = Shape::from_slice(&trace.space);
            let layout = Layout { shape, strides, offset: 0 };
            // A row of one element is no row once axes collapse; its one value is the element's.
            let long = reduce.axes.iter().any(|&axis| trace.space[axis] != 1);
            (layout, if long { Domain::Row } else { Domain::Element })
        }
        (_, Target::Node(..)) => (Layout::contiguous(&trace.space), Domain::Element),
    }
}

/// Looks for an input whose memory is not read again and whose elements lie as the result's do.
struct Donor<'t, 'b> {
    trace: &'t Trace<'b>,
    root: &'t Expr,
    /// Claims that go back and will read their sources again.
    repended: &'t [bool],
    /// No memory may be taken.
    closed: bool,
    taken: SmallVec<[usize; 2]>,
}

impl Donor<'_, '_> {
    fn find(
        &mut self,
        dtype: DType,
        shape: &[usize],
        strides: &Strides,
        domain: Domain,
    ) -> Option<Buffer> {
        if domain == Domain::Row || self.closed {
            return None;
        }
        let sources = &self.trace.sources;
        let position = (0..sources.len()).find(|&position| {
            let source = &sources[position];
            let same_place = source.dtype == dtype
                && !source.gathered
                && source.offset == 0
                && source.node.layout.size() == shape::size_of(shape)
                && walks_alike(&self.trace.space, &source.strides, strides);
            let other_views = sources
                .iter()
                .enumerate()
                .any(|(other, view)| other != position && Arc::ptr_eq(&view.node, &source.node));
            same_place && !other_views && !self.taken.contains(&position) && self.is_last(position)
        })?;
        self.taken.push(position);
        Some(sources[position].buffer.clone())
    }

    /// Whether only the expressions of this launch hold the array.
    fn is_last(&self, position: usize) -> bool {
        let Source { node, uses, .. } = &self.trace.sources[position];
        if self.repended.iter().all(|repended| !repended) {
            return node.is_held_by(1 + uses, 1);
        }
        let mut own = 1;
        let mut count = |expr: &Expr| {
            expr.arrays(|array| own += usize::from(Arc::ptr_eq(array.node(), node)));
        };
        count(self.root);
        let claims = self.trace.claims.iter().zip(self.repended);
        claims.filter(|(_, repended)| !**repended).for_each(|(claim, _)| count(claim.expr()));
        node.is_held_by(own, 1)
    }
}

fn walks_alike(space: &[usize], a: &Strides, b: &Strides) -> bool {
    (0..space.len()).all(|axis| space[axis] == 1 || a[axis] == b[axis])
}

/// The arrays that a trace reads, each along the next of these walks.
pub(super) fn read<'t>(
    trace: &'t Trace<'_>,
    walks: &mut impl Iterator<Item = Strides>,
    places: &mut SmallVec<[StridedView<'t>; 4]>,
) {
    for (&Source { ref buffer, dtype, offset, .. }, strides) in trace.sources.iter().zip(walks) {
        places.push(StridedView { memory: buffer.memory(), dtype, offset, strides });
    }
}

fn dispatch(
    backend: &dyn Backend,
    trace: &Trace<'_>,
    program: Checked<&Program>,
    written: &[Written],
    made_of: Vec<SmallVec<[u16; 8]>>,
    origin: Option<Origin<'_>>,
) -> Result<()> {
    let (mut shape, mut walks) = (Shape::from_slice(&trace.space), SmallVec::<[Strides; 8]>::new());
    for source in &trace.sources {
        walks.push(Strides::from_slice(&source.strides));
    }
    for result in written {
        walks.push(Strides::from_slice(&result.strides));
    }
    let row = trace.row.as_deref().unwrap_or(&[]);
    if !row.is_empty() {
        // The row's axes go last, in the order of reduction.
        let outer = (0..trace.space.len()).filter(|axis| !row.contains(axis));
        let order: SmallVec<[usize; 8]> = outer.chain(row.iter().copied()).collect();
        shape = order.iter().map(|&axis| shape[axis]).collect();
        for strides in &mut walks {
            *strides = order.iter().map(|&axis| strides[axis]).collect();
        }
    }
    let mut row_axes = collapse(&mut shape, &mut walks, row.len());
    if row_axes == 0 && !program.reductions.is_empty() {
        // Rows of one element keep one axis, so that a reduction always has a row.
        shape.push(1);
        walks.iter_mut().for_each(|strides| strides.push(0));
        row_axes = 1;
    }
    let scalars = trace.scalars.iter().map(|&(_, bits)| bits).collect();
    let (inputs, outputs) = (SmallVec::new(), SmallVec::new());
    let mut launch = Launch {
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
    // The views go where they stay: a launch is some hundred bytes.
    let mut walks = walks.iter_mut().map(std::mem::take);
    read(trace, &mut walks, &mut launch.inputs);
    for (&Written { ref buffer, dtype, offset, .. }, strides) in written.iter().zip(walks) {
        launch.outputs.push(StridedView { memory: buffer.memory(), dtype, offset, strides });
    }
    let elementwise_outputs = program.outputs.iter().any(|output| output.domain == Domain::Element);
    if program.reductions.is_empty() {
        launch_counts::count(|counts| &mut counts.maps);
        let _span = spans::launch(backend, "map", &launch.shape, &program);
        backend.map(Checked::new(&Map { launch: &launch })?)
    } else if !elementwise_outputs && !program.is_staged() {
        launch_counts::count(|counts| &mut counts.reductions);
        let _span = spans::launch(backend, "reduce", &launch.shape, &program);
        backend.reduce(Checked::new(&Reduce { launch: &launch })?)
    } else {
        launch_counts::count(|counts| &mut counts.rows);
        let _span = spans::launch(backend, "fused_rowwise", &launch.shape, &program);
        backend.fused_rowwise(Checked::new(&FusedRowwise { launch: &launch })?)
    }
}
