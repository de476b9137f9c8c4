//! Counts of contiguous booleans: bytes are summed as bytes before they are widened.
//!
//! Indexing by a mask counts its true elements first, so most of that indexing calls this.

use ndany_core::backend::Launch;
use ndany_core::program::{Combine, Op, Prim, RegType};
use ndany_core::shape::size_of;
use ndany_core::{DType, Result};
use std::sync::atomic::{AtomicI64, Ordering};

use crate::strided_runs::{StridedRuns, TypedView};
use crate::threads::Threads;

/// Booleans that one task counts.
const PIECE: usize = 1 << 16;

/// Whether a reduction counts the true elements of one row, as I64.
pub(crate) fn applies(launch: &Launch<'_>) -> bool {
    let program = launch.program;
    let ([input], [output], [reduction]) =
        (&*launch.inputs, &*launch.outputs, program.reductions.as_slice())
    else {
        return false;
    };
    let counts = [
        (Op::Load { input: 0, part: 0 }, RegType::Bool),
        (Op::Cast { from: RegType::Bool }, RegType::I64),
        (Op::Reduced { reduction: 0, part: 0 }, RegType::I64),
    ];
    program.instrs.iter().map(|instr| (instr.op, instr.ty)).eq(counts)
        && launch.rows() == 1
        && launch.shape.len() == launch.row_axes
        && reduction.combine == Combine::Prim(Prim::Add)
        && *reduction.lifted == [1]
        && input.strides.last() == Some(&1)
        && output.dtype == DType::I64
}

/// Runs a reduction for which [`applies`] holds.
pub(crate) fn count_row(launch: &Launch<'_>, threads: &Threads) -> Result<()> {
    let (input, output) = (&launch.inputs[0], &launch.outputs[0]);
    let mask = TypedView::<u8>::new(input);
    let runs = StridedRuns::new(&launch.shape, [mask.strides()]);
    let size = size_of(&launch.shape);
    let total = AtomicI64::new(0);
    threads.split(size, PIECE, size / 8, |begin, end| {
        let mut counted = 0;
        let visited: Result<(), std::convert::Infallible> =
            runs.for_each(begin, end, |offsets, length| {
                // SAFETY: `Checked` places every element of the space in the input's memory.
                counted += unsafe { count(mask.at(offsets[0]), 1, length) };
                Ok(())
            });
        let Ok(()) = visited;
        total.fetch_add(counted as i64, Ordering::Relaxed);
        Ok(())
    })?;
    // SAFETY: `Checked` places the one result there, and no other code uses it meanwhile.
    unsafe { *TypedView::<i64>::new(output).at(0) = total.into_inner() };
    Ok(())
}

/// The number of true values among `length` booleans, `step` apart.
///
/// # Safety
/// They are valid for reads.
pub(crate) unsafe fn count(start: *const u8, step: isize, length: usize) -> usize {
    // SAFETY: the caller upholds this.
    unsafe {
        if step == 1 {
            let bytes = std::slice::from_raw_parts(start, length);
            // 128 at a time, so that a byte can hold the count.
            let count = |bytes: &[u8]| bytes.iter().map(|&byte| u8::from(byte != 0)).sum::<u8>();
            return bytes.chunks(128).map(|bytes| usize::from(count(bytes))).sum();
        }
        (0..length as isize).map(|item| usize::from(*start.offset(item * step) != 0)).sum()
    }
}
