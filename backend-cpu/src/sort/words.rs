//! Sorts of unsigned 32- and 64-bit integers in place. Equal integers are indistinguishable, so the CPU level
//! may choose the algorithm.

use rayon::prelude::*;

use super::buckets::{self, OneThread};
#[cfg(target_arch = "x86_64")]
use super::vector;
use super::{PARALLEL_FROM, SortContext};
use crate::loops::Level;

pub(crate) use super::lane::Lane;

/// Sorts the numbers, and calls `finish(part)` for sorted parts that together are all of them.
pub(super) fn sort<L: Lane>(
    words: &mut [L],
    context: SortContext,
    finish: &(dyn Fn(&mut [L]) + Sync),
) {
    let here = |words: &mut [L], finish: &dyn Fn(&mut [L])| match context.level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU has the level.
        Level::V4(_) => unsafe { vector::sort::<L::Avx512>(words, finish) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::V3(_) => unsafe { vector::sort::<L::Avx2>(words, finish) },
        Level::V1(_) => sort_std(words, finish),
    };
    let partition = |words: &mut [L], pivot: L| match context.level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::V4(_) if words.len() >= vector::least::<L::Avx512>() => unsafe {
            vector::partition::<L::Avx512, false>(words, pivot)
        },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::V3(_) if words.len() >= vector::least::<L::Avx2>() => unsafe {
            vector::partition::<L::Avx2, false>(words, pivot)
        },
        #[cfg(target_arch = "x86_64")]
        Level::V4(_) | Level::V3(_) => partition_std(words, pivot),
        Level::V1(_) => partition_std(words, pivot),
    };
    let own = OneThread { sort: &|words| here(words, &|_| {}), partition: &partition };
    let shared = context.parallel && words.len() >= PARALLEL_FROM;
    if !(shared && buckets::sort(words, &own, finish)) {
        here(words, finish);
    }
}

/// Moves the numbers above a pivot to the right, and returns the number of the others.
pub(super) fn partition_std<L: Lane>(words: &mut [L], pivot: L) -> usize {
    let mut left = 0;
    for k in 0..words.len() {
        // Without a branch, which would be mispredicted every other time.
        words.swap(left, k);
        left += usize::from(words[left] <= pivot);
    }
    left
}

fn sort_std<L: Lane>(words: &mut [L], finish: &dyn Fn(&mut [L])) {
    words.sort_unstable();
    finish(words);
}

/// The number that a sort would put at this place; the other numbers end up in unspecified order.
pub(super) fn nth<L: Lane>(words: &mut [L], place: usize, context: SortContext) -> L {
    match context.level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU has the level.
        Level::V4(_) => unsafe { vector::nth::<L::Avx512>(words, place) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::V3(_) => unsafe { vector::nth::<L::Avx2>(words, place) },
        Level::V1(_) => *words.select_nth_unstable(place).1,
    }
}

/// Calls `work(part)` for parts that together are all of the numbers.
pub(super) fn each_part<L: Lane>(
    words: &mut [L],
    context: SortContext,
    work: &(dyn Fn(&mut [L]) + Sync),
) {
    match context.parallel {
        true => words.par_chunks_mut(PARALLEL_FROM).for_each(work),
        false => work(words),
    }
}
