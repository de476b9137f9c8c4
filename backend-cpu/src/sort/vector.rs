//! Quicksort with 512-bit vectors, and a sorting network below a few hundred numbers.
//!
//! A partition reads vectors from both ends into registers and compares all lanes with the pivot at once. It
//! packs those that are not above it to the left and the others to the right, into memory that has been read
//! before.

use std::arch::x86_64::*;

use super::lane::Vector;
use super::network::{self, REGISTERS};

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
/// The CPU has AVX-512 (F, DQ, BW, VL).
pub(super) unsafe fn sort<L: Vector>(numbers: &mut [L], finish: &dyn Fn(&mut [L])) {
    // SAFETY: the caller's: AVX-512.
    unsafe { sort_parts(numbers, depth(numbers.len()), finish) };
}

/// Sorts by partitions, and finishes parts while the cache has them.
///
/// # Safety
/// AVX-512.
unsafe fn sort_parts<L: Vector>(numbers: &mut [L], depth: u32, finish: &dyn Fn(&mut [L])) {
    if numbers.len() <= CACHED || depth == 0 {
        // SAFETY: the caller's: AVX-512.
        unsafe { quicksort(numbers, depth) };
        finish(numbers);
        return;
    }
    // SAFETY: the caller's: AVX-512.
    unsafe {
        let (left, equal, right) = parts(numbers);
        finish(equal);
        sort_parts(left, depth - 1, finish);
        sort_parts(right, depth - 1, finish);
    }
}

/// Partitions into numbers to sort, numbers in place, and numbers to sort, in this order.
///
/// # Safety
/// AVX-512.
unsafe fn parts<L: Vector>(numbers: &mut [L]) -> (&mut [L], &mut [L], &mut [L]) {
    // SAFETY: the caller's: AVX-512.
    unsafe {
        let pivot = pivot(numbers);
        let middle = partition::<L, false>(numbers, pivot);
        if middle < numbers.len() {
            let (left, right) = numbers.split_at_mut(middle);
            return (left, &mut [], right);
        }
        // None is above the pivot: a second partition puts those equal to it on the right, in place.
        let middle = partition::<L, true>(numbers, pivot);
        let (left, equal) = numbers.split_at_mut(middle);
        (left, equal, &mut [])
    }
}

/// Sorts by partitions.
///
/// # Safety
/// AVX-512.
unsafe fn quicksort<L: Vector>(mut numbers: &mut [L], mut depth: u32) {
    while numbers.len() > REGISTERS * L::LANES {
        if depth == 0 {
            numbers.sort_unstable();
            return;
        }
        depth -= 1;
        // SAFETY: the caller's: AVX-512.
        let (left, _, right) = unsafe { parts(numbers) };
        // SAFETY: the caller's: AVX-512.
        unsafe { quicksort(left, depth) };
        numbers = right;
    }
    // SAFETY: the caller's: AVX-512.
    unsafe { network::sort(numbers.as_mut_ptr(), numbers.len()) };
}

/// The number that a sort would put at this place: partitions the part that holds the place until a network
/// sorts it.
///
/// # Safety
/// AVX-512.
pub(super) unsafe fn nth<L: Vector>(mut numbers: &mut [L], mut place: usize) -> L {
    let mut depth = depth(numbers.len());
    while numbers.len() > REGISTERS * L::LANES {
        if depth == 0 {
            return *numbers.select_nth_unstable(place).1;
        }
        depth -= 1;
        // SAFETY: the caller's: AVX-512.
        let (left, equal, right) = unsafe { parts(numbers) };
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
    // SAFETY: the caller upholds AVX-512; the count is the slice's length.
    unsafe { network::sort(numbers.as_mut_ptr(), numbers.len()) };
    numbers[place]
}

/// Depth beyond which pivots have been bad.
fn depth(count: usize) -> u32 {
    2 * (usize::BITS - count.leading_zeros())
}

/// A pivot near the middle: the median of evenly spaced samples. The slice is larger than a network.
///
/// # Safety
/// AVX-512.
unsafe fn pivot<L: Vector>(numbers: &[L]) -> L {
    let few = numbers.len() < 4096;
    let rank = rank(numbers.len(), REGISTERS * L::LANES);
    if few && rank == MIDDLE {
        // SAFETY: the caller's: AVX-512.
        return unsafe { median(numbers) };
    }
    let count = if few { SAMPLE / 4 } else { SAMPLE };
    let mut sample = [L::MAX; SAMPLE];
    let step = numbers.len() / count;
    for (k, chosen) in sample[..count].iter_mut().enumerate() {
        *chosen = numbers[k * step + step / 2];
    }
    // SAFETY: the caller's: AVX-512.
    unsafe { network::sort(sample.as_mut_ptr(), count) };
    sample[rank * count / SAMPLE]
}

/// The median of medians: of three numbers in each lane of vectors from three places. In small slices,
/// collecting single samples would cost as much as a partition.
///
/// # Safety
/// AVX-512.
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,bmi2,popcnt")]
unsafe fn median<L: Vector>(numbers: &[L]) -> L {
    let quarter = numbers.len() / 4;
    assert!(quarter >= L::LANES, "there is more than a network's worth");
    let mut medians = [L::MAX; 16];
    // SAFETY: the caller upholds AVX-512; the three places are a quarter apart and from the ends, which is
    // more than half a vector; there are at most 16 lanes.
    unsafe {
        let around = |place: usize| {
            _mm512_loadu_si512(numbers.as_ptr().add(place * quarter - L::LANES / 2).cast())
        };
        let (a, b, c) = (around(1), around(2), around(3));
        let (less, more) = (L::lesser(a, b), L::greater(a, b));
        let middle = L::greater(less, L::lesser(more, c));
        _mm512_storeu_si512(medians.as_mut_ptr().cast(), middle);
        network::sort(medians.as_mut_ptr(), L::LANES);
    }
    medians[L::LANES / 2]
}

/// The rank of the pivot among [`SAMPLE`] samples: the middle, except that little more than a network's worth
/// of numbers is split into a full network and less than half of one, since a network's cost follows its
/// registers.
fn rank(count: usize, network: usize) -> usize {
    let spare = count.saturating_sub(network);
    if 3 * spare < network { MIDDLE * (spare + network / 2) / count } else { MIDDLE }
}

/// Numbers that [`partition`] takes at least.
pub(super) const fn least<L: Vector>() -> usize {
    2 * UNROLL * L::LANES + 1
}

/// Moves numbers above the pivot (with `EQUAL` those not below it) to the right and returns how many are on
/// the left. The slice is longer than two blocks.
///
/// # Safety
/// AVX-512.
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,bmi2,popcnt")]
pub(super) unsafe fn partition<L: Vector, const EQUAL: bool>(numbers: &mut [L], pivot: L) -> usize {
    let block = UNROLL * L::LANES;
    assert!(numbers.len() >= least::<L>(), "the network sorts fewer");
    let start = numbers.as_mut_ptr();
    // SAFETY: the caller upholds AVX-512. Reads go from both ends to the middle, inside the slice. Writes go
    // where reads have been: two blocks more are read than written, of which at least one is on the side that
    // is not read next, and one comes to the other by reading; a block writes no more than that.
    unsafe {
        let pivot = L::splat(pivot);
        let mut end = numbers.len();
        let mut sides = Sides::<L, EQUAL> { start, left: 0, right: numbers.len(), pivot };
        let every = ((1u32 << L::LANES) - 1) as u16;
        let load = |from: usize| -> [__m512i; UNROLL] {
            std::array::from_fn(|k| _mm512_loadu_si512(start.add(from + k * L::LANES).cast()))
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
        while end - begin >= L::LANES {
            let from = if sides.left_is_tighter(begin, end) {
                begin += L::LANES;
                begin - L::LANES
            } else {
                end -= L::LANES;
                end
            };
            sides.place_all(_mm512_loadu_si512(start.add(from).cast()));
        }
        let left = end - begin;
        if left > 0 {
            sides.place(L::load_some(start.add(begin), left), ((1u32 << left) - 1) as u16);
        }
        // All but the very last vector have room for two.
        for vector in first.into_iter().chain(last[..UNROLL - 1].iter().copied()) {
            sides.place_all(vector);
        }
        sides.place(last[UNROLL - 1], every);
        sides.left
    }
}

/// The write positions of a partition: everything before `left` and from `right` on is written.
struct Sides<L, const EQUAL: bool> {
    start: *mut L,
    left: usize,
    right: usize,
    pivot: __m512i,
}

impl<L: Vector, const EQUAL: bool> Sides<L, EQUAL> {
    /// Writes the lanes of `valid` to their sides.
    ///
    /// # Safety
    /// AVX-512; there is room for these lanes on both sides.
    #[inline(always)]
    unsafe fn place(&mut self, vector: __m512i, valid: u16) {
        // SAFETY: the caller's.
        unsafe {
            let above =
                if EQUAL { L::not_below(vector, self.pivot) } else { L::above(vector, self.pivot) };
            let (above, below) = (above & valid, !above & valid);
            let count = above.count_ones() as usize;
            self.right -= count;
            L::store_some(self.start.add(self.right), count, L::packed(above, vector));
            let count = below.count_ones() as usize;
            L::store_some(self.start.add(self.left), count, L::packed(below, vector));
            self.left += count;
        }
    }

    /// [`Sides::place`] for all lanes, with room for a whole vector on either side.
    ///
    /// # Safety
    /// As [`Sides::place`].
    #[inline(always)]
    unsafe fn place_all(&mut self, vector: __m512i) {
        // SAFETY: the caller's.
        unsafe {
            let above =
                if EQUAL { L::not_below(vector, self.pivot) } else { L::above(vector, self.pivot) };
            let count = above.count_ones() as usize;
            L::part(vector, above, self.start.add(self.left), self.start.add(self.right));
            self.right -= count;
            self.left += L::LANES - count;
        }
    }

    /// Whether there is less room on the left than on the right, if everything outside `begin..end` has been
    /// read.
    #[inline(always)]
    fn left_is_tighter(&self, begin: usize, end: usize) -> bool {
        begin - self.left <= self.right - end
    }
}
