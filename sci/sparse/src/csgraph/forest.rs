//! Rounds of Borůvka's algorithm as kernels of threads, for GPUs: a round reads the edges once, without sums of lists and sorts.
//!
//! Edges stand by weight, so the lighter of two has the smaller number. What threads read while others change it is only a reason to
//! leave an atomic operation out: its outcome is the same whatever they see.

use std::sync::LazyLock;

use ndany_array::kernel::Init;
use ndany_array::kernel::simt::*;
use ndany_array::{Array, DType, Result};

use crate::support::{below, zeros_on};
use crate::threads::{launch, narrow, suits};

/// Threads of a block.
const BLOCK: u32 = 256;

/// Steps of [`follow`].
const STEPS: u32 = 15;

/// Finds the lightest edge of each tree to another one: `best` has, at the root, the number of edges less that of the edge, and 0 where
/// there is none.
#[kernel]
fn lightest(from: &[i32], to: &[i32], tree: &[i32], best: &mut [i32]) {
    let e = global_x();
    if e < from.len() {
        let (a, b) = (tree[from[e]], tree[to[e]]);
        let lightness = (from.len() - e) as i32;
        if a != b {
            if best[a] < lightness {
                best.atomic_max(a, lightness);
            }
            if best[b] < lightness {
                best.atomic_max(b, lightness);
            }
        }
    }
}

/// Where the lightest edge of each tree leads: `next` is the root at its other end, or its own. The edge is chosen; `order` says which
/// entry it is. `joined` becomes 1 where there is one.
#[kernel]
fn hook(
    from: &[i32],
    to: &[i32],
    tree: &[i32],
    best: &[i32],
    order: &[i32],
    next: &mut [i32],
    chosen: &mut [bool],
    joined: &mut [i32],
) {
    let root = global_x();
    if root < best.len() {
        let own = root as i32;
        let mut other = own;
        if best[root] > 0 {
            let e = from.len() - best[root] as u32;
            let a = tree[from[e]];
            other = if a == own { tree[to[e]] } else { a };
            // Of two trees that take the same edge, one chooses it.
            if best[other] != best[root] || own < other {
                chosen[order[e]] = true;
            }
            if joined[0] == 0 {
                joined.atomic_max(0, 1);
            }
        }
        next[root] = other;
    }
}

/// Makes the first of two trees that lead to each other a root.
#[kernel]
fn cut(next: &[i32], parent: &mut [i32]) {
    let root = global_x();
    if root < next.len() {
        let (own, other) = (root as i32, next[root]);
        let is_first = next[other] == own && own < other;
        parent[root] = if is_first { own } else { other };
    }
}

/// Goes on towards the root, by as many steps again and [`STEPS`] times that.
#[kernel]
fn follow(parent: &[i32], further: &mut [i32]) {
    let node = global_x();
    if node < parent.len() {
        let (mut at, mut above, mut step) = (parent[node], 0i32, 0u32);
        while step < STEPS {
            above = parent[at];
            step = if above == at { STEPS } else { step + 1 };
            at = above;
        }
        further[node] = at;
    }
}

/// The tree of each node, whose root has become part of another tree.
#[kernel]
fn relabel(tree: &[i32], roots: &[i32], joined: &mut [i32]) {
    let node = global_x();
    if node < tree.len() {
        joined[node] = roots[tree[node]];
    }
}

static LIGHTEST: LazyLock<Kernel> = LazyLock::new(lightest);
static HOOK: LazyLock<Kernel> = LazyLock::new(hook);
static CUT: LazyLock<Kernel> = LazyLock::new(cut);
static FOLLOW: LazyLock<Kernel> = LazyLock::new(follow);
static RELABEL: LazyLock<Kernel> = LazyLock::new(relabel);

/// Which entries are edges of the spanning trees of least weight, where these kernels find them. `order` sorts the entries by weight,
/// `ends` are the nodes that each joins.
#[track_caller]
pub(super) fn spanning_edges(
    order: &Array,
    ends: [&Array; 2],
    nodes: usize,
) -> Result<Option<Array>> {
    let count = order.size();
    if !suits(order) || count == 0 || i32::try_from(nodes).is_err() {
        return Ok(None);
    }
    let device = order.device();
    let order = narrow(order);
    let [from, to] = ends.map(|ends| narrow(&ends.take(&order, ..)));
    let mut tree = narrow(&below(nodes, &order));
    let mut chosen = zeros_on(count, DType::Bool, &order);
    let blocks = |size: usize| size.div_ceil(BLOCK as usize);
    let of_nodes = ([nodes], Init::Uninit);
    // The paths of a round: a launch multiplies their steps by one more than `STEPS`.
    let launches = (usize::BITS - nodes.leading_zeros()).div_ceil((STEPS + 1).ilog2());
    loop {
        let arguments = (&from, &to, &tree, ([nodes], Init::Zeros));
        let best = launch(&LIGHTEST, device, blocks(count), BLOCK, arguments)?;
        let Ok([best]) = <[Array; 1]>::try_from(best) else { return Ok(None) };
        let joined = ([1], Init::Zeros);
        let arguments = (&from, &to, &tree, &best, &order, of_nodes, &mut chosen, joined);
        let made = launch(&HOOK, device, blocks(nodes), BLOCK, arguments)?;
        let Ok([next, joined]) = <[Array; 2]>::try_from(made) else { return Ok(None) };
        let over_nodes = |kernel, arguments: (&Array, _)| -> Result<Option<Array>> {
            Ok(launch(kernel, device, blocks(nodes), BLOCK, arguments)?.pop())
        };
        let Some(mut roots) = over_nodes(&CUT, (&next, of_nodes))? else { return Ok(None) };
        for _ in 0..launches {
            let Some(further) = over_nodes(&FOLLOW, (&roots, of_nodes))? else { return Ok(None) };
            roots = further;
        }
        let arguments = (&tree, &roots, of_nodes);
        let Some(relabelled) = launch(&RELABEL, device, blocks(nodes), BLOCK, arguments)?.pop()
        else {
            return Ok(None);
        };
        tree = relabelled;
        // Each round at least halves the trees that edges join.
        if joined.i(0).item::<i32>()? == 0 {
            return Ok(Some(chosen));
        }
    }
}
