//! Sorts of a long row on several threads: each thread partitions parts of the row by splitters, which are quantiles of a
//! sample, and then sorts buckets, which are what all parts have between two splitters.
//!
//! These are the partitions that a quicksort begins with. Quicksort in parallel would have one thread alone for the first of
//! them, two for the second, and so on.

use ndany_core::host::filled;

use super::each;
use super::words::Lane;
use crate::memory::Address;

/// Maximum number of buckets, and the numbers of one at least.
const MAX_BUCKETS: usize = 64;
const BUCKET: usize = 1 << 12;
/// Samples for each bucket. Bucket sizes differ by a fifth then.
const SAMPLES: usize = 32;
/// Maximum numbers of a part, which fit the L2 cache.
const PART: usize = 1 << 15;

/// How numbers are sorted on one thread.
pub(super) struct OneThread<'f, L> {
    pub(super) sort: &'f (dyn Fn(&mut [L]) + Sync),
    /// Moves the numbers above a pivot to the right, and returns the number of the others.
    pub(super) partition: &'f (dyn Fn(&mut [L], L) -> usize + Sync),
}

/// The sorted quantiles of a sample that divide numbers into `buckets` (a power of two).
fn splitters<L: Lane>(numbers: &[L], buckets: usize, here: &OneThread<'_, L>) -> [L; MAX_BUCKETS] {
    let mut sample = [L::of_bits(0); MAX_BUCKETS * SAMPLES];
    let sample = &mut sample[..buckets * SAMPLES];
    for (k, chosen) in (1u64..).zip(&mut *sample) {
        // Multiples of the golden ratio: evenly spread, and in step with no pattern.
        let fraction = u128::from(k.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        *chosen = numbers[((fraction * numbers.len() as u128) >> 64) as usize];
    }
    (here.sort)(sample);
    let mut splitters = [L::of_bits(0); MAX_BUCKETS];
    for (number, splitter) in splitters.iter_mut().enumerate().take(buckets - 1) {
        *splitter = sample[(number + 1) * SAMPLES];
    }
    splitters
}

/// Partitions the numbers by the splitters, whose number is one less than that of the sizes, and writes the sizes of the
/// buckets.
fn split<L: Lane>(
    numbers: &mut [L],
    splitters: &[L],
    sizes: &mut [usize],
    here: &OneThread<'_, L>,
) {
    let middle = splitters.len() / 2;
    let Some(&pivot) = splitters.get(middle) else {
        sizes.fill(numbers.len());
        return;
    };
    let below = (here.partition)(numbers, pivot);
    let (left, right) = numbers.split_at_mut(below);
    let (left_sizes, right_sizes) = sizes.split_at_mut(middle + 1);
    split(left, &splitters[..middle], left_sizes, here);
    split(right, &splitters[middle + 1..], right_sizes, here);
}

/// Sorts the numbers on all threads of the current pool, and calls `finish` for sorted buckets that together are all of
/// them. Returns false, and has done nothing, if there is no memory for the buckets.
pub(super) fn sort<L: Lane>(
    numbers: &mut [L],
    here: &OneThread<'_, L>,
    finish: &(dyn Fn(&mut [L]) + Sync),
) -> bool {
    let length = numbers.len();
    let buckets = 1 << (length / BUCKET).clamp(2, MAX_BUCKETS).ilog2();
    let part = length.div_ceil(4 * rayon::current_num_threads()).min(PART);
    let parts = length.div_ceil(part);
    let mut gathered = Vec::<L>::new();
    let (Ok(()), Ok(mut sizes)) =
        (gathered.try_reserve_exact(length), filled(0usize, parts * buckets))
    else {
        return false;
    };
    let splitters = splitters(numbers, buckets, here);
    let (from, to) = (Address(numbers.as_mut_ptr()), Address(gathered.as_mut_ptr()));
    let counted = Address(sizes.as_mut_ptr());
    each(parts, true, &|number| {
        let begin = number * part;
        let count = part.min(length - begin);
        // SAFETY: parts are disjoint ranges of the numbers, and each has sizes of its own.
        let (own, sizes) = unsafe {
            (
                std::slice::from_raw_parts_mut(from.at(begin), count),
                std::slice::from_raw_parts_mut(counted.at(number * buckets), buckets),
            )
        };
        split(own, &splitters[..buckets - 1], sizes, here);
    });
    // Where each bucket ends; it has the numbers of all parts side by side.
    let mut ends = [0; MAX_BUCKETS];
    let mut end = 0;
    for (bucket, own) in ends.iter_mut().enumerate().take(buckets) {
        end += sizes.iter().skip(bucket).step_by(buckets).sum::<usize>();
        *own = end;
    }
    let begin = |bucket: usize| if bucket == 0 { 0 } else { ends[bucket - 1] };
    each(buckets, true, &|bucket| {
        let mut place = begin(bucket);
        for number in 0..parts {
            let sizes = &sizes[number * buckets..][..bucket + 1];
            let (before, count) = (sizes[..bucket].iter().sum::<usize>(), sizes[bucket]);
            // SAFETY: the sizes of a part add up to its length, and those of all parts to the length of both; buckets are
            // disjoint ranges of what is gathered.
            unsafe {
                let first = from.at(number * part + before);
                to.at(place).copy_from_nonoverlapping(first, count);
            }
            place += count;
        }
    });
    each(buckets, true, &|bucket| {
        let (begin, end) = (begin(bucket), ends[bucket]);
        // SAFETY: all of the bucket has been gathered; buckets are disjoint ranges of both.
        let (own, out) = unsafe {
            (
                std::slice::from_raw_parts_mut(to.at(begin), end - begin),
                std::slice::from_raw_parts_mut(from.at(begin), end - begin),
            )
        };
        (here.sort)(own);
        out.copy_from_slice(own);
        finish(out);
    });
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::words::partition_std;

    #[test]
    fn parts_are_divided_at_the_splitters() {
        for (count, buckets) in [(0, 4), (1, 8), (1000, 4), (5000, 64)] {
            let mut numbers: Vec<u64> = (0..count).map(|k| k * k * 7919 % 997 / 3).collect();
            let all = numbers.iter().sum::<u64>();
            let splitters: Vec<u64> =
                (1..buckets as u64).map(|k| 330 * k / buckets as u64).collect();
            let mut sizes = vec![usize::MAX; buckets];
            let here = OneThread { sort: &|_| {}, partition: &partition_std };
            split(&mut numbers, &splitters, &mut sizes, &here);
            assert_eq!(sizes.iter().sum::<usize>(), numbers.len());
            assert_eq!(numbers.iter().sum::<u64>(), all);
            let mut rest = numbers.as_slice();
            for (bucket, size) in sizes.into_iter().enumerate() {
                let own;
                (own, rest) = rest.split_at(size);
                let above = bucket.checked_sub(1).map(|before| splitters[before]);
                assert!(own.iter().all(|&number| above.is_none_or(|above| number > above)));
                let most = splitters.get(bucket);
                assert!(own.iter().all(|number| most.is_none_or(|most| number <= most)));
            }
        }
    }
}
