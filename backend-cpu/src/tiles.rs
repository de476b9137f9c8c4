//! Maps with operands of different orders, as in `a + a.T` or a transposed copy, in square tiles.
//!
//! In the order of one operand, each step through the other touches another cache line, and lines that are a
//! power of two apart evict each other before their neighbours are used. A tile uses all elements of a line
//! while it is cached. The space is split into tiles, its edges into further launches; the computed values do
//! not change. Only one pair of axes is tiled.

use ndany_core::backend::{Launch, StridedView};
use ndany_core::program::Op;
use ndany_core::shape::size_of;
use smallvec::SmallVec;

use crate::interpreter::BLOCK;

/// Edge of a tile: a block is one tile.
const EDGE: usize = 32;
const _: () = assert!(EDGE * EDGE == BLOCK);
/// Smaller launches stay in the cache anyway.
const FROM: usize = 1 << 14;
/// Bytes of a cache line.
const LINE: usize = 64;

/// The axis that is tiled together with the last one, or `None` if tiles are no faster.
pub(crate) fn axis(launch: &Launch<'_>) -> Option<usize> {
    let last = launch.shape.len().checked_sub(1)?;
    if size_of(&launch.shape) < FROM || launch.shape[last] < EDGE {
        return None;
    }
    // Positions count elements in the order of the whole space.
    if launch.program.instrs.iter().any(|instr| instr.op == Op::Index) {
        return None;
    }
    launch.inputs.iter().chain(&launch.outputs).find_map(|place| across(launch, place))
}

/// The launches that a map becomes, with tiles of `axis` and the last one.
pub(crate) fn split<'a>(launch: &Launch<'a>, axis: usize) -> SmallVec<[Launch<'a>; 3]> {
    let last = launch.shape.len() - 1;
    let (rows, columns) = (launch.shape[axis], launch.shape[last]);
    let (whole_rows, whole_columns) = (rows / EDGE * EDGE, columns / EDGE * EDGE);
    let mut launches = SmallVec::new();
    launches.push(tiled(&part(&part(launch, axis, 0, whole_rows), last, 0, whole_columns), axis));
    if whole_columns < columns {
        let upper = part(launch, axis, 0, whole_rows);
        launches.push(part(&upper, last, whole_columns, columns));
    }
    if whole_rows < rows {
        launches.push(part(launch, axis, whole_rows, rows));
    }
    launches
}

/// The axis with the smallest stride of an operand, if it is not the last axis.
fn across(launch: &Launch<'_>, place: &StridedView<'_>) -> Option<usize> {
    let last = launch.shape.len() - 1;
    let bytes = |axis: usize| place.strides[axis].unsigned_abs() * place.dtype.size();
    if bytes(last) < LINE {
        return None;
    }
    (0..last).find(|&axis| launch.shape[axis] >= EDGE && (1..LINE).contains(&bytes(axis)))
}

/// The launch over `begin..end` of one axis.
fn part<'a>(launch: &Launch<'a>, axis: usize, begin: usize, end: usize) -> Launch<'a> {
    let mut launch = launch.clone();
    launch.shape[axis] = end - begin;
    for place in launch.inputs.iter_mut().chain(&mut launch.outputs) {
        place.offset = place.offset.wrapping_add_signed(begin as isize * place.strides[axis]);
    }
    launch
}

/// The launch with `axis` and the last axis split in two, so that its last two axes are a tile.
fn tiled<'a>(launch: &Launch<'a>, axis: usize) -> Launch<'a> {
    let mut launch = launch.clone();
    let last = launch.shape.len() - 1;
    launch.shape[axis] /= EDGE;
    launch.shape[last] /= EDGE;
    launch.shape.extend([EDGE, EDGE]);
    for place in launch.inputs.iter_mut().chain(&mut launch.outputs) {
        let (down, right) = (place.strides[axis], place.strides[last]);
        place.strides[axis] *= EDGE as isize;
        place.strides[last] *= EDGE as isize;
        place.strides.extend([down, right]);
    }
    launch
}
