//! Breadth-first search by levels as kernels of threads, for GPUs: three launches a level, whose texts do not depend on its size.

use std::iter::repeat;
use std::sync::LazyLock;

use ndany_array::extend::{expect, guess};
use ndany_array::kernel::Init;
use ndany_array::kernel::simt::*;
use ndany_array::{Array, DType, Result, along, concatenate, s};

use super::paths::NOBODY;
use crate::rows::Rows;
use crate::support::zeros_on;
use crate::threads::{last_not_above, launch, narrow, suits};

/// Threads of a block.
const BLOCK: u32 = 256;

/// Edges of a block of [`claim`].
const EDGES: u32 = 1024;

/// A claim on a node that a level before has found: no edge has a smaller number.
const FOUND: i32 = -1;

/// Lets the edges of a level claim the nodes to which they lead: the first one, by node of the level and then by entry, keeps the node.
///
/// Edges of node `i` of the level are `starts[i] .. starts[i + 1]`. A block searches the nodes of its first and last edge, and its
/// threads only between those, so nodes with many edges are divided among threads.
#[kernel]
fn claim(
    starts: &[i32],
    level: &[i32],
    indptr: &[i32],
    indices: &[i32],
    parents: &mut [i32],
    targets: &mut [i32],
    claims: &mut [i32],
) {
    let (start, count) = (block_x() * EDGES, starts.len() - 1);
    let stop = (start + EDGES).min(targets.len());
    let first = last_not_above(&starts, start, 0u32, count);
    let last = last_not_above(&starts, stop - 1, first, count);
    let mut e = start + thread_x();
    while e < stop {
        let at = last_not_above(&starts, e, first, last + 1);
        let parent = level[at];
        let target = indices[indptr[parent] as u32 + (e - starts[at] as u32)];
        parents[e] = parent;
        targets[e] = target;
        claims.atomic_min(target, e as i32);
        e += BLOCK;
    }
}

/// Tells which edges keep the nodes that they claimed: 1 for each of these, 0 for others.
#[kernel]
fn keep(targets: &[i32], claims: &[i32], finds: &mut [i32]) {
    let e = global_x();
    if e < targets.len() {
        finds[e] = (claims[targets[e]] == e as i32) as i32;
    }
}

/// Enters the nodes that edges keep into the next level, in the order of the edges: the node, the number of its edges (after a zero),
/// and the node before it. `places` is how many edges up to each one keep a node.
#[kernel]
fn enter(
    targets: &[i32],
    parents: &[i32],
    places: &[i32],
    indptr: &[i32],
    next: &mut [i32],
    lengths: &mut [i32],
    before: &mut [i32],
    claims: &mut [i32],
) {
    let e = global_x();
    if e < targets.len() {
        let place = places[e];
        let mut ahead = 0i32;
        if e > 0 {
            ahead = places[e - 1];
        }
        if place > ahead {
            let node = targets[e];
            next[ahead] = node;
            lengths[place] = indptr[node + 1] - indptr[node];
            before[node] = parents[e];
            claims[node] = FOUND;
        }
    }
}

static CLAIM: LazyLock<Kernel> = LazyLock::new(claim);
static KEEP: LazyLock<Kernel> = LazyLock::new(keep);
static ENTER: LazyLock<Kernel> = LazyLock::new(enter);

/// Sums up to each element, and that of all, which is read; in a dry run a guess of it.
#[track_caller]
fn summed(counts: &Array, guessed: usize) -> Result<(Array, usize)> {
    let sums = counts.cumsum(along(0).dtype(DType::I32));
    let all: i32 = sums.i(s![-1]).item()?;
    Ok((sums, guess(all as usize, guessed)))
}

/// The nodes that paths from a node reach, the nearest first, and the node before each of `nodes`, as int32, where these kernels find
/// them.
#[track_caller]
pub(super) fn breadth_first(
    rows: &Rows,
    start: usize,
    nodes: usize,
) -> Result<Option<(Array, Array)>> {
    let indices = &rows.indices;
    if indices.dtype() != DType::I32 || indices.size() == 0 || !suits(indices) {
        return Ok(None);
    }
    let device = indices.device();
    let indptr = narrow(&rows.indptr);
    let mut level = zeros_on(1, DType::I32, indices) + start as i32;
    let mut before = zeros_on(nodes, DType::I32, indices) + NOBODY;
    let mut claims = zeros_on(nodes, DType::I32, indices) + i32::MAX;
    claims.put(start as i64, FOUND, ..);
    let edges = indptr.take(start as i64 + 1, ..) - indptr.take(start as i64, ..);
    let mut lengths = concatenate([zeros_on(1, DType::I32, indices), edges.reshape(1)], 0);
    let mut order = vec![level.clone()];
    // Levels have a few edges and nodes at first, and may have all.
    for level_edges in [indices.size().min(4), indices.size()].into_iter().chain(repeat(0)) {
        let (starts, count) = summed(&lengths, level_edges)?;
        if count == 0 {
            break;
        }
        let of_edges = ([count], Init::Uninit);
        let arguments = (&starts, &level, &indptr, indices, of_edges, of_edges, &mut claims);
        let made = launch(&CLAIM, device, count.div_ceil(EDGES as usize), BLOCK, arguments)?;
        let Ok([parents, targets]) = <[Array; 2]>::try_from(made) else { return Ok(None) };
        let blocks = count.div_ceil(BLOCK as usize);
        let made = launch(&KEEP, device, blocks, BLOCK, (&targets, &claims, of_edges))?;
        let Ok([finds]) = <[Array; 1]>::try_from(made) else { return Ok(None) };
        let (places, found) = summed(&finds, level_edges.min(nodes))?;
        if found == 0 {
            break;
        }
        let (of_next, and_zero) = (([found], Init::Uninit), ([found + 1], Init::Zeros));
        let arguments =
            (&targets, &parents, &places, &indptr, of_next, and_zero, &mut before, &mut claims);
        let made = launch(&ENTER, device, blocks, BLOCK, arguments)?;
        let Ok([next, next_lengths]) = <[Array; 2]>::try_from(made) else { return Ok(None) };
        order.push(next.clone());
        (level, lengths) = (next, next_lengths);
    }
    let order = concatenate(&order, 0);
    expect(order.eval());
    Ok(Some((order, before)))
}
