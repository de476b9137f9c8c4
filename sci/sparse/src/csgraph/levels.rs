//! Breadth-first search by levels as kernels of threads, for GPUs: three launches a level, whose texts do not depend on its size.

use std::iter::repeat;
use std::sync::LazyLock;

use ndany_array::extend::guess;
use ndany_array::kernel::Init;
use ndany_array::kernel::simt::*;
use ndany_array::{Array, DType, Result, along, s};

use super::paths::NOBODY;
use crate::Sparse;
use crate::threads::{last_not_above, last_not_above_by_warp, launch, narrow, suits};

/// Threads of a block.
const BLOCK: u32 = 256;

/// Edges of a block of [`claim`].
const EDGES: u32 = 1024;

/// A claim on a node that a level before has found: no edge has a smaller number.
const FOUND: i32 = -1;

/// What a search starts with: the node `start` is the first of `order`, `lengths` has the number of its edges after a zero, and it is
/// found, unlike all others. The edges of a node are its entries in `indices` and, if `both` is 1, those in the transposed array after
/// them.
#[kernel]
fn begin(
    indptr: &[i32],
    back_indptr: &[i32],
    start: u32,
    both: i32,
    order: &mut [i32],
    lengths: &mut [i32],
    before: &mut [i32],
    claims: &mut [i32],
) {
    let node = global_x();
    if node < before.len() {
        before[node] = NOBODY;
        claims[node] = if node == start { FOUND } else { i32::MAX };
        if node == start {
            let own = indptr[node + 1] - indptr[node];
            order[0] = node as i32;
            lengths[0] = 0;
            lengths[1] = own + both * (back_indptr[node + 1] - back_indptr[node]);
        }
    }
}

/// Lets the edges of a level claim the nodes to which they lead: the first one, by node of the level and then by entry, keeps the node.
///
/// The nodes of the level stand in `order` from `first` on. Edges of its node `i` are `starts[i] .. starts[i + 1]`. A block searches the
/// nodes of its first and last edge, and its threads only between those, so nodes with many edges are divided among threads.
#[kernel]
fn claim(
    starts: &[i32],
    order: &[i32],
    first: u32,
    indptr: &[i32],
    indices: &[i32],
    back_indptr: &[i32],
    back_indices: &[i32],
    parents: &mut [i32],
    targets: &mut [i32],
    claims: &mut [i32],
) {
    let (start, count) = (block_x() * EDGES, starts.len() - 1);
    let stop = (start + EDGES).min(targets.len());
    let lowest = last_not_above_by_warp(&starts, start, 0u32, count);
    let highest = last_not_above_by_warp(&starts, stop - 1, lowest, count);
    let mut e = start + thread_x();
    while e < stop {
        let at = last_not_above(&starts, e, lowest, highest + 1);
        let parent = order[first + at];
        let (entry, edge) = (indptr[parent] as u32, e - starts[at] as u32);
        let own = indptr[parent + 1] as u32 - entry;
        let mut target = 0i32;
        if edge < own {
            target = indices[entry + edge];
        } else {
            target = back_indices[back_indptr[parent] as u32 + (edge - own)];
        }
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

/// Enters the nodes that edges keep into the next level, which stands in `order` from `first` on, in the order of the edges: the node,
/// the number of its edges (after a zero), and the node before it. `places` is how many edges up to each one keep a node.
#[kernel]
fn enter(
    targets: &[i32],
    parents: &[i32],
    places: &[i32],
    indptr: &[i32],
    back_indptr: &[i32],
    first: u32,
    both: i32,
    lengths: &mut [i32],
    order: &mut [i32],
    before: &mut [i32],
    claims: &mut [i32],
) {
    let e = global_x();
    if e < targets.len() {
        let place = places[e];
        let mut ahead = 0i32;
        if e > 0 {
            ahead = places[e - 1];
        } else {
            lengths[0] = 0;
        }
        if place > ahead {
            let node = targets[e];
            let own = indptr[node + 1] - indptr[node];
            order[first + ahead as u32] = node;
            lengths[place] = own + both * (back_indptr[node + 1] - back_indptr[node]);
            before[node] = parents[e];
            claims[node] = FOUND;
        }
    }
}

static BEGIN: LazyLock<Kernel> = LazyLock::new(begin);
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

/// The nodes that paths from a node reach, the nearest first, and the node before each, as int32, where these kernels find them. An edge
/// goes both ways unless the search is `directed`.
#[track_caller]
pub(super) fn breadth_first(
    graph: &Sparse,
    start: usize,
    directed: bool,
) -> Result<Option<(Array, Array)>> {
    let ([nodes, _], own) = (graph.shape(), graph.to_csr());
    let indices = own.indices();
    if indices.dtype() != DType::I32 || indices.size() == 0 || !suits(&indices) {
        return Ok(None);
    }
    if !directed && i32::try_from(2 * indices.size()).is_err() {
        return Ok(None);
    }
    let (device, indptr) = (indices.device(), narrow(&own.indptr()));
    // Entries of the transposed array lead back.
    let back = own.transpose();
    let (both, back_indptr, back_indices) = match directed {
        true => (0i32, indptr.clone(), indices.clone()),
        false => (1i32, back.rows().narrow_indptr(), back.rows().indices.clone()),
    };
    let blocks = |size: usize| size.div_ceil(BLOCK as usize);
    let (of_nodes, of_two) = (([nodes], Init::Uninit), ([2], Init::Uninit));
    let arguments =
        (&indptr, &back_indptr, start as u32, both, of_nodes, of_two, of_nodes, of_nodes);
    let made = launch(&BEGIN, device, blocks(nodes), BLOCK, arguments)?;
    let Ok([mut order, mut lengths, mut before, mut claims]) = <[Array; 4]>::try_from(made) else {
        return Ok(None);
    };
    // The nodes of the level are those from `first` to `end`.
    let (mut first, mut end) = (0, 1);
    let all = indices.size() * (1 + both as usize);
    // Levels have a few edges and nodes at first, and may have all.
    for guessed in [all.min(4), all].into_iter().chain(repeat(0)) {
        let (starts, count) = summed(&lengths, guessed)?;
        if count == 0 {
            break;
        }
        let of_edges = ([count], Init::Uninit);
        let arguments = (
            &starts,
            &order,
            first as u32,
            &indptr,
            &indices,
            &back_indptr,
            &back_indices,
            of_edges,
            of_edges,
            &mut claims,
        );
        let made = launch(&CLAIM, device, count.div_ceil(EDGES as usize), BLOCK, arguments)?;
        let Ok([parents, targets]) = <[Array; 2]>::try_from(made) else { return Ok(None) };
        let made = launch(&KEEP, device, blocks(count), BLOCK, (&targets, &claims, of_edges))?;
        let Ok([finds]) = <[Array; 1]>::try_from(made) else { return Ok(None) };
        let (places, found) = summed(&finds, guessed.min(nodes - 1))?;
        if found == 0 {
            break;
        }
        let arguments = (
            &targets,
            &parents,
            &places,
            &indptr,
            &back_indptr,
            end as u32,
            both,
            ([found + 1], Init::Uninit),
            &mut order,
            &mut before,
            &mut claims,
        );
        let made = launch(&ENTER, device, blocks(count), BLOCK, arguments)?;
        let Ok([next_lengths]) = <[Array; 1]>::try_from(made) else { return Ok(None) };
        lengths = next_lengths;
        (first, end) = (end, end + found);
    }
    Ok(Some((order.i(s![..end as isize]), before)))
}
