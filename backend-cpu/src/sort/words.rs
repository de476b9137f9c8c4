//! Sorts of unsigned 32- and 64-bit integers in place. Equal integers are indistinguishable, so the CPU level
//! may choose the algorithm.

use rayon::prelude::*;

use super::{PARALLEL_FROM, SortContext};
use crate::loops::Level;

/// An integer type that this file sorts.
#[cfg(target_arch = "x86_64")]
pub(crate) use super::lane::Vector as Lane;

/// An integer type that this file sorts.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) trait Lane: Ord + Copy + Send + Sync + 'static {
    /// The number with these low bits.
    fn of_bits(bits: u64) -> Self;
    /// The number.
    fn bits(self) -> u64;
}

#[cfg(not(target_arch = "x86_64"))]
impl Lane for u32 {
    fn of_bits(bits: u64) -> Self {
        bits as u32
    }
    fn bits(self) -> u64 {
        u64::from(self)
    }
}
#[cfg(not(target_arch = "x86_64"))]
impl Lane for u64 {
    fn of_bits(bits: u64) -> Self {
        bits
    }
    fn bits(self) -> u64 {
        self
    }
}

/// Sorts the numbers, and calls `finish(part)` for sorted parts that together are all of them.
pub(super) fn sort<L: Lane>(
    words: &mut [L],
    context: SortContext,
    finish: &(dyn Fn(&mut [L]) + Sync),
) {
    match context.level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a CPU of level v4 has AVX-512 F, BW, DQ and VL.
        Level::V4(_) => unsafe { super::vector::sort(words, context.parallel, finish) },
        #[cfg(target_arch = "x86_64")]
        Level::V3(_) => portable(words, context, finish),
        Level::V1(_) => portable(words, context, finish),
    }
}

/// The number that a sort would put at this place; the other numbers end up in unspecified order.
pub(super) fn nth<L: Lane>(words: &mut [L], place: usize, context: SortContext) -> L {
    match context.level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a CPU of level v4 has AVX-512 F, BW, DQ and VL.
        Level::V4(_) => unsafe { super::vector::nth(words, place) },
        #[cfg(target_arch = "x86_64")]
        Level::V3(_) => *words.select_nth_unstable(place).1,
        Level::V1(_) => *words.select_nth_unstable(place).1,
    }
}

fn portable<L: Lane>(words: &mut [L], context: SortContext, finish: &(dyn Fn(&mut [L]) + Sync)) {
    if context.parallel {
        words.par_sort_unstable();
    } else {
        words.sort_unstable();
    }
    each_part(words, context, finish);
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
