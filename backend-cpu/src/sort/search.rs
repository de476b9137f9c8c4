//! Places in sorted rows, and how many needles have each.
//!
//! By bisection without branches: needles do not depend on each other, so the CPU works on several at a
//! time while their cache lines come. Where a row is evenly spaced, as the edges of a histogram are, a
//! multiplication says where to look, and two comparisons whether that was right. Counts are added up by
//! each stretch of needles for itself if there are few places, else with atomic additions.

use std::sync::atomic::{AtomicI64, Ordering};

use ndany_core::Result;
use ndany_core::backend::{Found, Search};

use super::Address;
use super::keys::{Keyed, with_keyed};
use crate::threads::Threads;

/// Places up to which a stretch of needles counts for itself.
const FEW_PLACES: usize = 1 << 14;
/// Elements of a row up to which it is looked at whether it is evenly spaced.
const FEW_ELEMENTS: usize = 1 << 20;

/// Runs a search.
pub(crate) fn search(search: &Search<'_>, threads: &Threads) -> Result<()> {
    with_keyed!(search.sorted.dtype, T => run::<T>(search, threads), complex => run::<T>(search, threads))
}

fn run<T: Keyed>(search: &Search<'_>, threads: &Threads) -> Result<()> {
    let [sorted, needles, output] =
        [&search.sorted, &search.needles, &search.output].map(Address::of);
    let (length, count) = (search.length, search.count);
    let steps = 2 + length.checked_ilog2().unwrap_or(0) as usize;
    for number in 0..search.rows as isize {
        // SAFETY: core names rows inside their memory, and writes to none of them meanwhile.
        let (sorted, needles) = unsafe {
            let sorted = sorted.at::<T>(number * search.sorted.strides[0]);
            let needles = needles.at::<T>(number * search.needles.strides[0]);
            (std::slice::from_raw_parts(sorted, length), std::slice::from_raw_parts(needles, count))
        };
        let row = Row::new(sorted, count);
        match search.write {
            Found::Places => {
                let output = Address(output.at::<i64>(number * count as isize).cast());
                threads.split(count, 256, count.saturating_mul(steps), |begin, end| {
                    let mut next = begin as isize;
                    row.places(&needles[begin..end], search.after_equal, |place| {
                        // SAFETY: a result for each needle of this stretch.
                        unsafe { *output.at::<i64>(next) = place as i64 };
                        next += 1;
                    });
                    Ok(())
                })?;
            }
            Found::Counts => {
                let counts = output.at::<AtomicI64>(number * (length as isize + 1));
                for place in 0..=length {
                    // SAFETY: the output has a count for each place, which nobody else uses.
                    unsafe { counts.add(place).write(AtomicI64::new(0)) };
                }
                // SAFETY: all of it was written just now; threads add to it atomically.
                let counts = unsafe { std::slice::from_raw_parts(counts, length + 1) };
                threads.split(count, 4096, count.saturating_mul(steps), |begin, end| {
                    row.count(&needles[begin..end], search.after_equal, counts);
                    Ok(())
                })?;
            }
        }
    }
    Ok(())
}

/// A sorted row, and how to look things up in it.
struct Row<'s, T: Keyed> {
    sorted: &'s [T],
    even: Option<Even<T::Key>>,
}

/// Element `i` lies nearer to `first + i / scale` than half a step.
struct Even<K> {
    first: f64,
    scale: f64,
    keys: Vec<K>,
}

impl<'s, T: Keyed> Row<'s, T> {
    fn new(sorted: &'s [T], needles: usize) -> Self {
        let few = (8..=FEW_ELEMENTS).contains(&sorted.len()) && sorted.len() * 4 <= needles;
        Self { sorted, even: if few { Even::of(sorted) } else { None } }
    }

    /// Calls `found` with the place of each needle.
    #[inline(always)]
    fn places(&self, needles: &[T], after_equal: bool, mut found: impl FnMut(usize)) {
        match (&self.even, after_equal) {
            (Some(even), true) => {
                needles.iter().for_each(|n| found(even.place(*n, |key, n| key <= n)))
            }
            (Some(even), false) => {
                needles.iter().for_each(|n| found(even.place(*n, |key, n| key < n)))
            }
            (None, true) => {
                needles.iter().for_each(|n| found(bisect(self.sorted, *n, |key, n| key <= n)))
            }
            (None, false) => {
                needles.iter().for_each(|n| found(bisect(self.sorted, *n, |key, n| key < n)))
            }
        }
    }

    fn count(&self, needles: &[T], after_equal: bool, counts: &[AtomicI64]) {
        if counts.len() > FEW_PLACES {
            self.places(needles, after_equal, |place| {
                counts[place].fetch_add(1, Ordering::Relaxed);
            });
            return;
        }
        // Neighbours often go to one place; two tables, so that one addition does not wait for the last.
        let mut own = vec![0i64; 2 * counts.len()];
        let mut table = 0;
        self.places(needles, after_equal, |place| {
            own[table + place] += 1;
            table = counts.len() - table;
        });
        for (place, count) in counts.iter().enumerate() {
            let sum = own[place] + own[place + counts.len()];
            if sum != 0 {
                count.fetch_add(sum, Ordering::Relaxed);
            }
        }
    }
}

impl<K: Ord + Copy> Even<K> {
    fn of<T: Keyed<Key = K>>(sorted: &[T]) -> Option<Self> {
        let (first, last) = (sorted[0].number(), sorted[sorted.len() - 1].number());
        let scale = (sorted.len() - 1) as f64 / (last - first);
        let near =
            |(i, element): (usize, &T)| ((element.number() - first) * scale - i as f64).abs() < 0.5;
        let even = scale.is_finite() && scale > 0.0 && sorted.iter().enumerate().all(near);
        even.then(|| Self {
            first,
            scale,
            keys: sorted.iter().map(|element| element.key()).collect(),
        })
    }

    #[inline(always)]
    fn place<T: Keyed<Key = K>>(&self, needle: T, before: impl Fn(K, K) -> bool) -> usize {
        let last = self.keys.len() - 1;
        // NaN goes to 0, and then the long way.
        let near = ((needle.number() - self.first) * self.scale).max(0.0).min(last as f64);
        // SAFETY: it is between 0 and the number of elements, and no NaN.
        let near = unsafe { near.to_int_unchecked::<i64>() } as usize;
        let needle = needle.key();
        // SAFETY: `near` is at most `last`, and one less or more is checked.
        let comes_before = |i: usize| before(unsafe { *self.keys.get_unchecked(i) }, needle);
        let place = near + usize::from(comes_before(near));
        let low = place == 0 || comes_before(place - 1);
        let high = place > last || !comes_before(place);
        match (low, high) {
            (true, true) => place,
            // One step off; if that is not enough, bisect what is left.
            (true, false) => place + self.keys[place..].partition_point(|&key| before(key, needle)),
            (false, _) => self.keys[..place].partition_point(|&key| before(key, needle)),
        }
    }
}

/// How many elements come before, in a row where those that do come first.
#[inline(always)]
fn bisect<T: Keyed>(sorted: &[T], needle: T, before: impl Fn(T::Key, T::Key) -> bool) -> usize {
    let needle = needle.key();
    let (mut begin, mut size) = (0, sorted.len());
    while size > 1 {
        let half = size / 2;
        // SAFETY: `begin + size` is at most the length, and `half` less than `size`.
        let middle = unsafe { sorted.get_unchecked(begin + half - 1) };
        begin = std::hint::select_unpredictable(before(middle.key(), needle), begin + half, begin);
        size -= half;
    }
    begin
        + usize::from(sorted.get(begin).is_some_and(|last| size == 1 && before(last.key(), needle)))
}
