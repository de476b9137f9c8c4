//! Quicksort with vectors, and a sorting network below a few hundred numbers.
//!
//! A partition reads vectors from both ends into registers and compares all lanes with the pivot at once. It
//! packs those that are not above it to the left and the others to the right, into memory that has been read
//! before.

use super::lane::{Lane, Vector};
use super::network::{self, REGISTERS};
use crate::loops::{Kernel, Simd};

/// Vectors that are read at a time.
const UNROLL: usize = 8;
/// Maximum numbers that are sorted and finished at a time.
const CACHED: usize = 1 << 16;
/// Maximum number of samples of a pivot.
const SAMPLE: usize = 64;
/// The middle sample.
const MIDDLE: usize = SAMPLE / 2;

/// Sorts, and calls `finish` for parts that together are the whole slice, each sorted and in its place.
///
/// # Safety
/// The CPU has the vector's level.
pub(super) unsafe fn sort<V: Vector>(numbers: &mut [V::Number], finish: &dyn Fn(&mut [V::Number])) {
    // SAFETY: the caller's: the level.
    unsafe { sort_parts::<V>(numbers, depth(numbers.len()), finish) };
}

/// Sorts by partitions, and finishes parts while the cache has them.
///
/// # Safety
/// The vector's level.
unsafe fn sort_parts<V: Vector>(
    numbers: &mut [V::Number],
    depth: u32,
    finish: &dyn Fn(&mut [V::Number]),
) {
    if numbers.len() <= CACHED || depth == 0 {
        // SAFETY: the caller's: the level.
        unsafe { quicksort::<V>(numbers, depth) };
        finish(numbers);
        return;
    }
    // SAFETY: the caller's: the level.
    unsafe {
        let (left, equal, right) = parts::<V>(numbers);
        finish(equal);
        sort_parts::<V>(left, depth - 1, finish);
        sort_parts::<V>(right, depth - 1, finish);
    }
}

/// Numbers to sort, numbers in place, and numbers to sort, in this order.
type Parts<'a, L> = (&'a mut [L], &'a mut [L], &'a mut [L]);

/// Partitions about a pivot.
///
/// # Safety
/// The vector's level.
unsafe fn parts<V: Vector>(numbers: &mut [V::Number]) -> Parts<'_, V::Number> {
    // SAFETY: the caller's: the level.
    unsafe {
        let pivot = pivot::<V>(numbers);
        let middle = partition::<V, false>(numbers, pivot);
        if middle < numbers.len() {
            let (left, right) = numbers.split_at_mut(middle);
            return (left, &mut [], right);
        }
        // None is above the pivot: a second partition puts those equal to it on the right, in place.
        let middle = partition::<V, true>(numbers, pivot);
        let (left, equal) = numbers.split_at_mut(middle);
        (left, equal, &mut [])
    }
}

/// Sorts by partitions.
///
/// # Safety
/// The vector's level.
unsafe fn quicksort<V: Vector>(mut numbers: &mut [V::Number], mut depth: u32) {
    while numbers.len() > REGISTERS * V::LANES {
        if depth == 0 {
            numbers.sort_unstable();
            return;
        }
        depth -= 1;
        // SAFETY: the caller's: the level.
        let (left, _, right) = unsafe { parts::<V>(numbers) };
        // SAFETY: the caller's: the level.
        unsafe { quicksort::<V>(left, depth) };
        numbers = right;
    }
    // SAFETY: the caller's: the level.
    unsafe { network::sort::<V>(numbers.as_mut_ptr(), numbers.len()) };
}

/// The number that a sort would put at this place: partitions the part that holds the place until a network
/// sorts it.
///
/// # Safety
/// The vector's level.
pub(super) unsafe fn nth<V: Vector>(numbers: &mut [V::Number], place: usize) -> V::Number {
    let depth = depth(numbers.len());
    // SAFETY: the caller's: the level.
    unsafe { select::<V>(numbers, place, depth) }
}

/// [`nth`] with at most this many partitions.
///
/// # Safety
/// The vector's level.
unsafe fn select<V: Vector>(
    mut numbers: &mut [V::Number],
    mut place: usize,
    mut depth: u32,
) -> V::Number {
    while numbers.len() > REGISTERS * V::LANES {
        if depth == 0 {
            return *numbers.select_nth_unstable(place).1;
        }
        depth -= 1;
        // SAFETY: the caller's: the level.
        let (left, equal, right) = unsafe { parts::<V>(numbers) };
        let (before, inside) = (left.len(), equal.len());
        if place < before {
            numbers = left;
        } else if place < before + inside {
            return equal[place - before];
        } else {
            place -= before + inside;
            numbers = right;
        }
    }
    // SAFETY: the caller upholds the level; the count is the slice's length.
    unsafe { network::sort::<V>(numbers.as_mut_ptr(), numbers.len()) };
    numbers[place]
}

/// Depth beyond which pivots have been bad.
fn depth(count: usize) -> u32 {
    2 * (usize::BITS - count.leading_zeros())
}

/// A pivot near the middle: the median of evenly spaced samples. The slice is larger than a network.
///
/// # Safety
/// The vector's level.
unsafe fn pivot<V: Vector>(numbers: &[V::Number]) -> V::Number {
    let few = numbers.len() < 4096;
    let rank = rank(numbers.len(), REGISTERS * V::LANES);
    if few && rank == MIDDLE {
        // SAFETY: the caller's: the level.
        return unsafe { V::Level::run(Median::<V> { numbers }) };
    }
    let count = if few { SAMPLE / 4 } else { SAMPLE };
    let mut sample = [V::Number::MAX; SAMPLE];
    let step = numbers.len() / count;
    for (k, chosen) in sample[..count].iter_mut().enumerate() {
        *chosen = numbers[k * step + step / 2];
    }
    // SAFETY: the caller's: the level.
    unsafe { network::sort::<V>(sample.as_mut_ptr(), count) };
    sample[rank * count / SAMPLE]
}

/// The median of medians: of three numbers in each lane of vectors from three places. In small slices,
/// collecting single samples would cost as much as a partition.
struct Median<'a, V: Vector> {
    numbers: &'a [V::Number],
}

impl<V: Vector> Kernel for Median<'_, V> {
    type Output = V::Number;

    #[inline(always)]
    unsafe fn run(self) -> V::Number {
        let quarter = self.numbers.len() / 4;
        assert!(quarter >= V::LANES, "there is more than a network's worth");
        let mut medians = [V::Number::MAX; 16];
        // SAFETY: the caller upholds the level; the three places are a quarter apart and from the ends, which is
        // more than half a vector; there are at most 16 lanes.
        unsafe {
            let around =
                |place: usize| V::load(self.numbers.as_ptr().add(place * quarter - V::LANES / 2));
            let [less, more] = around(1).sorted(around(2));
            let [less_of_more, _] = more.sorted(around(3));
            let [_, middle] = less.sorted(less_of_more);
            middle.store(medians.as_mut_ptr());
            network::sort::<V>(medians.as_mut_ptr(), V::LANES);
        }
        medians[V::LANES / 2]
    }
}

/// The rank of the pivot among [`SAMPLE`] samples: the middle, except that little more than a network's worth
/// of numbers is split into a full network and less than half of one, since a network's cost follows its
/// registers.
fn rank(count: usize, network: usize) -> usize {
    let spare = count.saturating_sub(network);
    if 3 * spare < network { MIDDLE * (spare + network / 2) / count } else { MIDDLE }
}

/// Numbers that [`partition`] takes at least.
pub(super) const fn least<V: Vector>() -> usize {
    2 * UNROLL * V::LANES + 1
}

/// Moves numbers above the pivot (with `EQUAL` those not below it) to the right and returns how many are on
/// the left. The slice has at least [`least`] numbers.
///
/// # Safety
/// The vector's level.
pub(super) unsafe fn partition<V: Vector, const EQUAL: bool>(
    numbers: &mut [V::Number],
    pivot: V::Number,
) -> usize {
    // SAFETY: the caller's: the level.
    unsafe { V::Level::run(Partition::<V, EQUAL> { numbers, pivot }) }
}

/// [`partition`].
struct Partition<'a, V: Vector, const EQUAL: bool> {
    numbers: &'a mut [V::Number],
    pivot: V::Number,
}

impl<V: Vector, const EQUAL: bool> Kernel for Partition<'_, V, EQUAL> {
    type Output = usize;

    #[inline(always)]
    unsafe fn run(self) -> usize {
        let Self { numbers, pivot } = self;
        let block = UNROLL * V::LANES;
        assert!(numbers.len() >= least::<V>(), "the network sorts fewer");
        let start = numbers.as_mut_ptr();
        // SAFETY: the caller upholds the level. Reads go from both ends to the middle, inside the slice. Writes go
        // where reads have been: two blocks more are read than written, of which at least one is on the side that
        // is not read next, and one comes to the other by reading; a block writes no more than that.
        unsafe {
            let pivot = V::splat(pivot);
            let mut end = numbers.len();
            let mut sides = Sides::<V, EQUAL> { start, left: 0, right: numbers.len(), pivot };
            let load = |from: usize| -> [V; UNROLL] {
                std::array::from_fn(|k| V::load(start.add(from + k * V::LANES)))
            };
            let (first, last) = (load(0), load(end - block));
            let mut begin = block;
            end -= block;
            while end - begin >= block {
                // The side with less room is read next, so that both have a block's room.
                let vectors = if sides.left_is_tighter(begin, end) {
                    begin += block;
                    load(begin - block)
                } else {
                    end -= block;
                    load(end)
                };
                for vector in vectors {
                    sides.place_all(vector);
                }
            }
            while end - begin >= V::LANES {
                let from = if sides.left_is_tighter(begin, end) {
                    begin += V::LANES;
                    begin - V::LANES
                } else {
                    end -= V::LANES;
                    end
                };
                sides.place_all(V::load(start.add(from)));
            }
            let count = end - begin;
            if count > 0 {
                sides.place_some(V::load_some(start.add(begin), count), count);
            }
            // Exactly these vectors are unwritten: the last one fills the vector between the two sides.
            for vector in first.into_iter().chain(last) {
                sides.place_all(vector);
            }
            sides.left
        }
    }
}

/// The write positions of a partition: everything before `left` and from `right` on is written.
struct Sides<V: Vector, const EQUAL: bool> {
    start: *mut V::Number,
    left: usize,
    right: usize,
    pivot: V,
}

impl<V: Vector, const EQUAL: bool> Sides<V, EQUAL> {
    /// The lanes that belong on the right.
    ///
    /// # Safety
    /// The vector's level.
    #[inline(always)]
    unsafe fn above(&self, vector: V) -> u32 {
        // SAFETY: the caller's: the level.
        unsafe { if EQUAL { vector.not_below(self.pivot) } else { vector.above(self.pivot) } }
    }

    /// Writes the first `count` lanes to their sides.
    ///
    /// # Safety
    /// The vector's level; there is room for these lanes on both sides.
    #[inline(always)]
    unsafe fn place_some(&mut self, vector: V, count: usize) {
        // SAFETY: the caller's.
        unsafe {
            let (above, valid) = (self.above(vector), (1u32 << count) - 1);
            let (above, below) = (above & valid, !above & valid);
            let count = above.count_ones() as usize;
            self.right -= count;
            vector.packed(above).store_some(self.start.add(self.right), count);
            let count = below.count_ones() as usize;
            vector.packed(below).store_some(self.start.add(self.left), count);
            self.left += count;
        }
    }

    /// Writes all lanes to their sides.
    ///
    /// # Safety
    /// The vector's level; there is room for a whole vector on either side, or for this one between them.
    #[inline(always)]
    unsafe fn place_all(&mut self, vector: V) {
        // SAFETY: the caller's.
        unsafe {
            let above = self.above(vector);
            let count = above.count_ones() as usize;
            vector.part(above, self.start.add(self.left), self.start.add(self.right));
            self.right -= count;
            self.left += V::LANES - count;
        }
    }

    /// Whether there is less room on the left than on the right, if everything outside `begin..end` has been
    /// read.
    #[inline(always)]
    fn left_is_tighter(&self, begin: usize, end: usize) -> bool {
        begin - self.left <= self.right - end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::lane::each_vector;

    /// Pseudorandom bits.
    fn random(k: usize) -> u64 {
        let mixed = (k as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
    }

    /// Rows of one length: random, few values, ends of the range, one value, sorted, reversed, saw teeth, and runs.
    fn rows<L: Lane>(count: usize) -> Vec<Vec<L>> {
        let patterns: [&dyn Fn(usize) -> u64; 9] = [
            &random,
            &|k| random(k) % 4,
            &|k| {
                [0, u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 31, (1 << 31) - 1]
                    [random(k) as usize % 6]
            },
            &|_| u64::MAX,
            &|_| 7,
            &|k| k as u64,
            &|k| (count - k) as u64,
            &|k| k as u64 % 17,
            &|k| (k / 13) as u64 ^ 5,
        ];
        patterns.iter().map(|of| (0..count).map(|k| L::of_bits(of(k))).collect()).collect()
    }

    const LENGTHS: [usize; 9] =
        [700, 1023, 1024, 1025, 4095, 4097, 9999, CACHED + 1, 3 * CACHED + 77];

    #[test]
    fn sorts_are_those_of_the_standard_library() {
        fn all<V: Vector>() {
            for count in (0..600).chain(LENGTHS) {
                for mut row in rows::<V::Number>(count) {
                    let mut expected = row.clone();
                    expected.sort_unstable();
                    let finished = std::cell::Cell::new(0);
                    let finish = |part: &mut [V::Number]| {
                        assert!(part.is_sorted());
                        finished.set(finished.get() + part.len());
                    };
                    // SAFETY: `each_vector` calls this for vectors that the CPU has.
                    unsafe { sort::<V>(&mut row, &finish) };
                    assert!(row == expected, "{count} numbers in lanes of {}", V::LANES);
                    assert_eq!(finished.get(), count);
                }
            }
        }
        each_vector!(all);
    }

    #[test]
    fn every_place_has_what_a_sort_puts_there() {
        fn all<V: Vector>() {
            let check = |count: usize, step: usize| {
                for row in rows::<V::Number>(count) {
                    let mut sorted = row.clone();
                    sorted.sort_unstable();
                    for place in (0..count).step_by(step) {
                        let mut row = row.clone();
                        // SAFETY: `each_vector` calls this for vectors that the CPU has.
                        let found = unsafe { nth::<V>(&mut row, place) };
                        assert!(found == sorted[place], "{place} of {count}");
                        row.sort_unstable();
                        assert!(row == sorted, "{count} numbers are kept");
                    }
                }
            };
            (1..20).chain([100, 257, 300]).for_each(|count| check(count, 1));
            LENGTHS.iter().for_each(|&count| check(count, count / 3));
        }
        each_vector!(all);
    }

    #[test]
    fn partitions_are_about_the_pivot() {
        fn check<V: Vector, const EQUAL: bool>() {
            for count in (least::<V>()..least::<V>() + 300).chain(LENGTHS) {
                for row in rows::<V::Number>(count) {
                    let mut sorted = row.clone();
                    sorted.sort_unstable();
                    let ends = [V::Number::of_bits(0), V::Number::MAX];
                    for pivot in ends.into_iter().chain([row[count / 2], row[0]]) {
                        let mut row = row.clone();
                        // SAFETY: `each_vector` calls this for vectors that the CPU has.
                        let left = unsafe { partition::<V, EQUAL>(&mut row, pivot) };
                        let is_left = |number: &V::Number| {
                            if EQUAL { *number < pivot } else { *number <= pivot }
                        };
                        assert!(row[..left].iter().all(is_left), "{count} about {pivot:?}");
                        assert!(!row[left..].iter().any(is_left), "{count} about {pivot:?}");
                        row.sort_unstable();
                        assert!(row == sorted, "{count} numbers are kept");
                    }
                }
            }
        }
        fn all<V: Vector>() {
            check::<V, false>();
            check::<V, true>();
        }
        each_vector!(all);
    }

    /// Samples of the first partition are the smallest numbers, and depths are used up before everything is sorted.
    #[test]
    fn bad_pivots_are_given_up() {
        fn all<V: Vector>() {
            let count = 1 << 17;
            let step = count / SAMPLE;
            let of = |k: usize| if k % step == step / 2 { k as u64 } else { u64::MAX - k as u64 };
            let row: Vec<_> = (0..count).map(|k| V::Number::of_bits(of(k))).collect();
            let mut expected = row.clone();
            expected.sort_unstable();
            for depth in [0, 1, 2, 40] {
                let mut sorted = row.clone();
                // SAFETY: `each_vector` calls this for vectors that the CPU has.
                unsafe { sort_parts::<V>(&mut sorted, depth, &|_| {}) };
                assert!(sorted == expected, "depth {depth}");
                // SAFETY: as above.
                let middle = unsafe { select::<V>(&mut row.clone(), count / 2, depth) };
                assert!(middle == expected[count / 2], "depth {depth}");
            }
        }
        each_vector!(all);
    }
}
