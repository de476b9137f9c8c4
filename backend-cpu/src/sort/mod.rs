//! Sorting rows: everything becomes unsigned numbers that are sorted in place, in the output's own memory.
//!
//! - Values of four or eight bytes turn into their keys, are sorted without regard to stability (equal
//!   keys are equal values, but for the two zeros, which are put right afterwards) and turn back.
//! - Values of one or two bytes in long rows are counted.
//! - Positions are sorted with the key above and the position below in one 64-bit word: no two are equal,
//!   so the order is stable. Where 64 bits do not hold both (see `positions`) the lower bits of the keys
//!   decide afterwards among those whose upper bits agree.
//! - Complex numbers have keys of more than 64 bits and are compared.
//!
//! `keys` makes the keys, `words` sorts the numbers (with AVX2 or AVX-512 `vector` and `network`, over the `lane`s of a vector;
//! on several threads in `buckets`), `nth` sorts as little as says what stands at one place, `search` looks up places, in rows of `consecutive` integers by their
//! differences. Threads take rows, or the parts of a long row.

mod buckets;
mod consecutive;
mod keys;
mod lane;
#[cfg(target_arch = "x86_64")]
mod network;
mod nth;
mod positions;
mod search;
mod values;
#[cfg(target_arch = "x86_64")]
mod vector;
mod words;

pub(crate) use keys::{BF16, F16, F32, F64, Keyed, Word};
#[cfg(target_arch = "x86_64")]
pub(crate) use lane::{Lane, Vector};
pub(crate) use nth::Nth;
pub(crate) use search::search;

use ndany_core::backend::{Sort, Sorted};
use ndany_core::{Error, Result};
use rayon::prelude::*;

use crate::loops::{Level, Loop, LoopFn, Simd};
use crate::strided_runs::TypedView;
use crate::threads::Threads;
use keys::with_keyed;

/// Minimum elements of a row that several threads sort.
const PARALLEL_FROM: usize = 1 << 16;

/// How one row is sorted: the CPU level, and whether rayon's threads may be used.
#[derive(Clone, Copy)]
struct SortContext {
    level: Level,
    parallel: bool,
}

impl SortContext {
    /// A loop at this level.
    fn compiled<L: Loop>(self) -> LoopFn {
        match self.level {
            Level::V1(_) => crate::loops::V1::compiled::<L>(),
            #[cfg(target_arch = "x86_64")]
            Level::V3(_) => crate::loops::V3::compiled::<L>(),
            #[cfg(target_arch = "x86_64")]
            Level::V4(_) => crate::loops::V4::compiled::<L>(),
        }
    }
}

/// Runs a sort.
pub(crate) fn sort(sort: &Sort<'_>, level: Level, threads: &Threads) -> Result<()> {
    match sort.write {
        Sorted::Values => with_keyed!(sort.source.dtype,
            T => each_row(sort, level, threads, values::sort::<T>),
            complex => each_row(sort, level, threads, compare_values::<T>)),
        Sorted::Positions => with_keyed!(sort.source.dtype,
            T => each_row(sort, level, threads, positions::sort::<T>),
            complex => each_row(sort, level, threads, compare_positions::<T>)),
    }
}

/// Calls `row` for each row: on several threads if there are several rows or one long row.
fn each_row<T: Keyed, O: 'static>(
    sort: &Sort<'_>,
    level: Level,
    threads: &Threads,
    row: impl Fn(&[T], *mut O, SortContext) -> Result<()> + Sync,
) -> Result<()> {
    let (source, output) = (TypedView::<T>::new(&sort.source), TypedView::<O>::new(&sort.output));
    let (length, step) = (sort.length, sort.source.strides[0]);
    let run = |number: usize, parallel: bool| {
        // SAFETY: core names rows inside their memory, all of whose bytes are elements of the dtype `T`
        // stands for, and writes none of them while the launch runs.
        let source =
            unsafe { std::slice::from_raw_parts(source.at(number as isize * step), length) };
        row(source, output.at((number * length) as isize), SortContext { level, parallel })
    };
    if length >= PARALLEL_FROM && sort.rows < 4 * threads.count() && threads.count() > 1 {
        return threads.install(|| (0..sort.rows).try_for_each(|number| run(number, true)));
    }
    // A step for each bit of a row's length.
    let cost = sort.rows.saturating_mul(length) * (2 + length.ilog2() as usize);
    threads.split(sort.rows, (4096 / length).max(1), cost, |begin, end| {
        (begin..end).try_for_each(|number| run(number, false))
    })
}

/// Calls `work` for each number below `count`, on the current pool's threads if `parallel`.
fn each(count: usize, parallel: bool, work: &(dyn Fn(usize) + Sync)) {
    match parallel {
        true => (0..count).into_par_iter().for_each(work),
        false => (0..count).for_each(work),
    }
}

/// Chunk `number` of a row.
fn chunk<T>(source: &[T], number: usize, size: usize) -> &[T] {
    &source[number * size..source.len().min((number + 1) * size)]
}

/// Positions by comparisons of keys; equal keys are ordered by position.
fn compared<T: Keyed>(source: &[T], context: SortContext) -> Result<Vec<(T::Key, u64)>> {
    let mut pairs = Vec::new();
    pairs.try_reserve_exact(source.len()).map_err(|_| Error::OutOfMemory {
        op: "sort",
        device: "cpu".to_string(),
        requested: source.len() * size_of::<(T::Key, u64)>(),
        memory: None,
    })?;
    pairs.extend(source.iter().zip(0..).map(|(&element, position)| (element.key(), position)));
    if context.parallel {
        pairs.par_sort_unstable();
    } else {
        pairs.sort_unstable();
    }
    Ok(pairs)
}

fn compare_positions<T: Keyed>(source: &[T], output: *mut i64, context: SortContext) -> Result<()> {
    for (k, (_, position)) in compared(source, context)?.into_iter().enumerate() {
        // SAFETY: the output has room for a row of positions, and no other code uses it.
        unsafe { output.add(k).write(position as i64) };
    }
    Ok(())
}

fn compare_values<T: Keyed>(source: &[T], output: *mut T, context: SortContext) -> Result<()> {
    for (k, (_, position)) in compared(source, context)?.into_iter().enumerate() {
        // SAFETY: the output has room for a row of elements, and no other code uses it.
        unsafe { output.add(k).write(source[position as usize]) };
    }
    Ok(())
}
