//! Places in sorted rows, by bisection without branches: needles do not depend on each other, so the CPU
//! works on several at a time while their cache lines come.

use ndany_core::Result;
use ndany_core::backend::Search;

use super::Address;
use super::keys::{Keyed, with_keyed};
use crate::threads::Threads;

/// Runs a search.
pub(crate) fn search(search: &Search<'_>, threads: &Threads) -> Result<()> {
    with_keyed!(search.sorted.dtype, T => run::<T>(search, threads), complex => run::<T>(search, threads))
}

fn run<T: Keyed>(search: &Search<'_>, threads: &Threads) -> Result<()> {
    let [sorted, needles, output] =
        [&search.sorted, &search.needles, &search.output].map(Address::of);
    let (length, count) = (search.length, search.count);
    let steps = 2 + length.checked_ilog2().unwrap_or(0) as usize;
    let total = search.rows * count;
    threads.split(total, 256, total.saturating_mul(steps), |begin, end| {
        let mut at = begin;
        while at < end {
            let (row, first) = (at / count, at % count);
            let last = count.min(first + (end - at));
            // SAFETY: core names rows inside their memory; the needles of a stretch are disjoint from
            // those of the others, and so are their results.
            unsafe {
                let sorted = sorted.at::<T>(row as isize * search.sorted.strides[0]);
                let sorted = std::slice::from_raw_parts(sorted, length);
                let needles = needles.at::<T>(row as isize * search.needles.strides[0]);
                for k in first..last {
                    let needle = (*needles.add(k)).key();
                    let place = if search.after_equal {
                        bisect(sorted, |key| key <= needle)
                    } else {
                        bisect(sorted, |key| key < needle)
                    };
                    *output.at::<i64>((row * count + k) as isize) = place as i64;
                }
            }
            at += last - first;
        }
        Ok(())
    })
}

/// How many elements come before, in a row where those that do come first.
#[inline(always)]
fn bisect<T: Keyed>(sorted: &[T], before: impl Fn(T::Key) -> bool) -> usize {
    let (mut begin, mut size) = (0, sorted.len());
    while size > 1 {
        let half = size / 2;
        // SAFETY: `begin + size` is at most the length, and `half` less than `size`.
        let middle = unsafe { sorted.get_unchecked(begin + half - 1) };
        begin = std::hint::select_unpredictable(before(middle.key()), begin + half, begin);
        size -= half;
    }
    begin + usize::from(sorted.get(begin).is_some_and(|last| size == 1 && before(last.key())))
}
