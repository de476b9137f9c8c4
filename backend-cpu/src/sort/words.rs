//! Sorting unsigned numbers of 32 and 64 bits in place. Which of two equal ones comes first shows nowhere.

use rayon::prelude::*;

use super::{LONG, Way};

/// A number that this file sorts.
pub(super) trait Lane: Ord + Copy + Send + Sync + 'static {}

impl Lane for u32 {}
impl Lane for u64 {}

/// Sorts the numbers, and then calls `finish(part)` for parts that together are all of them.
pub(super) fn sort<L: Lane>(words: &mut [L], way: Way, finish: &(impl Fn(&mut [L]) + Sync)) {
    if way.parallel {
        words.par_sort_unstable();
        words.par_chunks_mut(LONG).for_each(finish);
    } else {
        words.sort_unstable();
        finish(words);
    }
}
