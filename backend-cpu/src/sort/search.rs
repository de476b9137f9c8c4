//! Places in sorted rows, and counts of needles per place.
//!
//! The search is a branch-free bisection of several needles at a time, so that their cache misses overlap. In
//! an evenly spaced row, such as edges of a histogram, a multiplication gives the place and two comparisons
//! check it; in a row of consecutive integers, a difference is the place. With few places each range of needles
//! has its own counts, otherwise counts are atomic.

use std::sync::atomic::{AtomicI64, Ordering};

use ndany_core::Result;
use ndany_core::backend::{Found, Search};

use super::SortContext;
use super::consecutive::Consecutive;
use super::keys::{Keyed, with_keyed};
use crate::loops::Level;
use crate::memory::Address;
use crate::strided_runs::TypedView;
use crate::threads::Threads;

/// Maximum number of places for counts per range of needles.
const MIN_COUNTED: usize = 1 << 14;
/// Maximum length of a row that is tested for even spacing.
const FEW_ELEMENTS: usize = 1 << 20;

/// Needles that are bisected together.
const INTERLEAVED: usize = 16;

/// Needles whose places are counted together, in a buffer that stays in the L1 cache.
const BLOCK: usize = 512;

/// Runs a search.
pub(crate) fn search(search: &Search<'_>, level: Level, threads: &Threads) -> Result<()> {
    with_keyed!(search.sorted.dtype,
        T => run::<T>(search, level, threads),
        complex => run::<T>(search, level, threads))
}

fn run<T: Keyed>(search: &Search<'_>, level: Level, threads: &Threads) -> Result<()> {
    let [sorted, needles] = [&search.sorted, &search.needles].map(TypedView::<T>::new);
    let (length, count) = (search.length, search.count);
    for number in 0..search.rows as isize {
        // SAFETY: core names rows inside their memory and writes none of them meanwhile.
        let (sorted, needles) = unsafe {
            let sorted = sorted.at(number * search.sorted.strides[0]);
            let needles = needles.at(number * search.needles.strides[0]);
            (std::slice::from_raw_parts(sorted, length), std::slice::from_raw_parts(needles, count))
        };
        let context = SortContext { level, parallel: false };
        let row = Row::new(sorted, count, search.after_equal, context);
        write(search, number, threads, &|begin, places| {
            row.positions(&needles[begin..begin + places.len()], places);
        })?;
    }
    Ok(())
}

/// Writes the places of the needles from this one on, as many as the slice has room for.
type Places<'a> = &'a (dyn Fn(usize, &mut [u64]) + Sync);

/// Writes what is found in row `number`. It is the same for all dtypes.
fn write(search: &Search<'_>, number: isize, threads: &Threads, places: Places<'_>) -> Result<()> {
    let output = TypedView::<i64>::new(&search.output);
    let (length, count) = (search.length, search.count);
    let steps = 2 + length.checked_ilog2().unwrap_or(0) as usize;
    match search.write {
        Found::Positions => {
            let output = Address(output.at(number * count as isize).cast::<u64>());
            threads.split(count, 256, count.saturating_mul(steps), |begin, end| {
                // SAFETY: the output has a result for each needle of this stretch, which no other code uses; places are below
                // 2^63.
                let own = unsafe { std::slice::from_raw_parts_mut(output.at(begin), end - begin) };
                places(begin, own);
                Ok(())
            })
        }
        Found::Counts => {
            let counts = output.at(number * (length as isize + 1)).cast::<AtomicI64>();
            for place in 0..=length {
                // SAFETY: the output has a count for each place, which no other code uses.
                unsafe { counts.add(place).write(AtomicI64::new(0)) };
            }
            // SAFETY: all of it has just been written; threads add to it atomically.
            let counts = unsafe { std::slice::from_raw_parts(counts, length + 1) };
            threads.split(count, 4096, count.saturating_mul(steps), |begin, end| {
                count_places(counts, begin, end, places);
                Ok(())
            })
        }
    }
}

/// Adds how many of the needles `begin..end` have each place.
fn count_places(counts: &[AtomicI64], begin: usize, end: usize, places: Places<'_>) {
    let add = |place: usize, count: i64| counts[place].fetch_add(count, Ordering::Relaxed);
    let mut block = [0; BLOCK];
    let blocks = (begin..end).step_by(BLOCK).map(|begin| (begin, BLOCK.min(end - begin)));
    if counts.len() > MIN_COUNTED {
        blocks.for_each(|(begin, count)| {
            places(begin, &mut block[..count]);
            block[..count].iter().for_each(|&place| _ = add(place as usize, 1));
        });
        return;
    }
    // Adjacent needles often have one place: two sets of counts keep an addition from waiting for the
    // last.
    let mut own = vec![[0i64; 2]; counts.len()];
    blocks.for_each(|(begin, count)| {
        places(begin, &mut block[..count]);
        let (pairs, last) = block[..count].as_chunks::<2>();
        for &[even, odd] in pairs {
            own[even as usize][0] += 1;
            own[odd as usize][1] += 1;
        }
        last.iter().for_each(|&place| own[place as usize][0] += 1);
    });
    for (place, [even, odd]) in own.into_iter().enumerate() {
        if even + odd != 0 {
            add(place, even + odd);
        }
    }
}

/// A sorted row with its spacing.
struct Row<'s, T: Keyed> {
    sorted: &'s [T],
    after_equal: bool,
    spacing: Spacing<T::Key>,
}

/// The spacing of a row's elements.
enum Spacing<K> {
    /// Unknown.
    Any,
    Even(Even<K>),
    /// Consecutive integers.
    Consecutive(Consecutive),
}

/// Element `i` lies within half a step of `first + i / scale`.
struct Even<K> {
    first: f64,
    scale: f64,
    keys: Vec<K>,
}

impl<'s, T: Keyed> Row<'s, T> {
    fn new(sorted: &'s [T], needles: usize, after_equal: bool, context: SortContext) -> Self {
        let few = (8..=FEW_ELEMENTS).contains(&sorted.len()) && sorted.len() * 4 <= needles;
        let consecutive = match sorted.len() <= needles {
            true => Consecutive::of(sorted, after_equal, context),
            false => None,
        };
        let spacing = match consecutive {
            Some(row) => Spacing::Consecutive(row),
            None => few.then(|| Even::of(sorted)).flatten().map_or(Spacing::Any, Spacing::Even),
        };
        Self { sorted, after_equal, spacing }
    }

    /// Writes the place of each needle.
    fn positions(&self, needles: &[T], places: &mut [u64]) {
        match &self.spacing {
            Spacing::Consecutive(row) => row.positions(needles, places),
            Spacing::Even(even) => {
                for (place, &needle) in places.iter_mut().zip(needles) {
                    *place = even.place(needle, self.after_equal) as u64;
                }
            }
            Spacing::Any => self.bisect_all(needles, places),
        }
    }

    fn bisect_all(&self, needles: &[T], places: &mut [u64]) {
        let (groups, rest) = needles.as_chunks::<INTERLEAVED>();
        let (places, last) = places.as_chunks_mut::<INTERLEAVED>();
        for (places, group) in places.iter_mut().zip(groups) {
            let keys = std::array::from_fn(|k| group[k].key());
            *places = bisect::<T, INTERLEAVED>(self.sorted, keys, self.after_equal);
        }
        for (place, needle) in last.iter_mut().zip(rest) {
            [*place] = bisect(self.sorted, [needle.key()], self.after_equal);
        }
    }
}

/// Whether an element with this key precedes the needle.
#[inline(always)]
fn before<K: Ord>(key: K, needle: K, after_equal: bool) -> bool {
    if after_equal { key <= needle } else { key < needle }
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
    fn place<T: Keyed<Key = K>>(&self, needle: T, after_equal: bool) -> usize {
        let last = self.keys.len() - 1;
        // NaN becomes 0 and fails the checks below.
        let near = ((needle.number() - self.first) * self.scale).max(0.0).min(last as f64);
        // SAFETY: it is between 0 and the number of elements, and not NaN.
        let near = unsafe { near.to_int_unchecked::<i64>() } as usize;
        let needle = needle.key();
        // SAFETY: `near` is at most `last`, and one less or more is checked.
        let comes_before =
            |i: usize| before(unsafe { *self.keys.get_unchecked(i) }, needle, after_equal);
        let place = near + usize::from(comes_before(near));
        let low = place == 0 || comes_before(place - 1);
        let high = place > last || !comes_before(place);
        match (low, high) {
            (true, true) => place,
            // One step off; otherwise bisect the rest.
            (true, false) => {
                place + self.keys[place..].partition_point(|&key| before(key, needle, after_equal))
            }
            (false, _) => {
                self.keys[..place].partition_point(|&key| before(key, needle, after_equal))
            }
        }
    }
}

/// The number of elements that precede each needle, in a row where those that do come first. The needles
/// advance together, so that their memory accesses overlap.
#[inline(always)]
fn bisect<T: Keyed, const N: usize>(
    sorted: &[T],
    needles: [T::Key; N],
    after_equal: bool,
) -> [u64; N] {
    let (mut begin, mut size) = ([0; N], sorted.len());
    if size == 0 {
        return [0; N];
    }
    // SAFETY: each `begin + size` is at most the length, and `half` less than `size`.
    let comes_before =
        |i: usize, needle| unsafe { before(sorted.get_unchecked(i).key(), needle, after_equal) };
    while size > 1 {
        let half = size / 2;
        for k in 0..N {
            let further = comes_before(begin[k] + half - 1, needles[k]);
            begin[k] = std::hint::select_unpredictable(further, begin[k] + half, begin[k]);
        }
        size -= half;
    }
    std::array::from_fn(|k| begin[k] as u64 + u64::from(comes_before(begin[k], needles[k])))
}
