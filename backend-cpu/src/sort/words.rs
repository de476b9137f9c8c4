//! Sorting unsigned numbers of 32 and 64 bits in place. Which of two equal ones comes first shows nowhere,
//! so the level of the CPU may choose how.

use rayon::prelude::*;

use super::{LONG, Way};
use crate::loops::Level;

/// A number that this file sorts.
#[cfg(target_arch = "x86_64")]
pub(crate) use super::lane::Vector as Lane;

/// A number that this file sorts.
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
pub(super) fn sort<L: Lane>(words: &mut [L], way: Way, finish: &(dyn Fn(&mut [L]) + Sync)) {
    match way.level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a CPU of level v4 has AVX-512 F, BW, DQ and VL.
        Level::V4(_) => unsafe { super::vector::sort(words, way.parallel, finish) },
        #[cfg(target_arch = "x86_64")]
        Level::V3(_) => portable(words, way, finish),
        Level::V1(_) => portable(words, way, finish),
    }
}

/// The number that a sort would put at this place; what else it moves is in no order.
pub(super) fn nth<L: Lane>(words: &mut [L], place: usize, way: Way) -> L {
    match way.level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a CPU of level v4 has AVX-512 F, BW, DQ and VL.
        Level::V4(_) => unsafe { super::vector::nth(words, place) },
        #[cfg(target_arch = "x86_64")]
        Level::V3(_) => *words.select_nth_unstable(place).1,
        Level::V1(_) => *words.select_nth_unstable(place).1,
    }
}

fn portable<L: Lane>(words: &mut [L], way: Way, finish: &(dyn Fn(&mut [L]) + Sync)) {
    if way.parallel {
        words.par_sort_unstable();
    } else {
        words.sort_unstable();
    }
    each_part(words, way, finish);
}

/// Calls `work(part)` for parts that together are all of the numbers.
pub(super) fn each_part<L: Lane>(words: &mut [L], way: Way, work: &(dyn Fn(&mut [L]) + Sync)) {
    match way.parallel {
        true => words.par_chunks_mut(LONG).for_each(work),
        false => work(words),
    }
}
