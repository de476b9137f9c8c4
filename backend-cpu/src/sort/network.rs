//! Small arrays by a sorting network in registers: no branches depend on the numbers.
//!
//! Up to [`REGISTERS`] vectors hold the numbers; number `lane * registers + register` of the sorted order ends
//! up there. Columns (the registers' numbers in each lane) are sorted first. Then a bitonic network merges two,
//! four and more of them: it compares each number of two sorted halves with its mirror image, then with the one
//! half the size away, a quarter, and so on, and puts the smaller number first. Distances below the number of
//! registers are between registers, the others between lanes. Missing numbers count as the largest.

use super::lane::{Lane, Vector};
use crate::loops::{Kernel, Simd};

/// Maximum number of vectors of a network.
pub(super) const REGISTERS: usize = 16;

/// Sorts up to `REGISTERS * V::LANES` numbers.
///
/// # Safety
/// The vector's level; `numbers` is good for `count`, which is not more than that.
#[inline(always)]
pub(super) unsafe fn sort<V: Vector>(numbers: *mut V::Number, count: usize) {
    // SAFETY: the caller's, as this function states.
    unsafe {
        match count.div_ceil(V::LANES) {
            0 => {}
            1 => V::Level::run(Network::<V, 1> { numbers, count }),
            2 => V::Level::run(Network::<V, 2> { numbers, count }),
            3..=4 => V::Level::run(Network::<V, 4> { numbers, count }),
            5..=8 => V::Level::run(Network::<V, 8> { numbers, count }),
            _ => V::Level::run(Network::<V, 16> { numbers, count }),
        }
    }
}

/// [`sort`] with `R` registers, which hold the `count` numbers.
struct Network<V: Vector, const R: usize> {
    numbers: *mut V::Number,
    count: usize,
}

impl<V: Vector, const R: usize> Kernel for Network<V, R> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { numbers, count } = self;
        // SAFETY: the caller upholds the level; all places are among the `count` numbers, or one past them where no
        // number is read or written.
        unsafe {
            let mut v = [V::splat(V::Number::MAX); R];
            for (r, v) in v.iter_mut().enumerate() {
                let here = count.saturating_sub(r * V::LANES).min(V::LANES);
                *v = V::load_some(numbers.add((r * V::LANES).min(count)), here);
            }
            columns::<V, R>(&mut v);
            lanes::<V, R, 1, 1>(&mut v, true);
            registers::<V, R>(&mut v);
            lanes::<V, R, 3, 2>(&mut v, true);
            lanes::<V, R, 1, 1>(&mut v, false);
            registers::<V, R>(&mut v);
            if V::LANES >= 8 {
                lanes::<V, R, 7, 4>(&mut v, true);
                lanes::<V, R, 2, 2>(&mut v, false);
                lanes::<V, R, 1, 1>(&mut v, false);
                registers::<V, R>(&mut v);
            }
            if V::LANES >= 16 {
                lanes::<V, R, 15, 8>(&mut v, true);
                lanes::<V, R, 4, 4>(&mut v, false);
                lanes::<V, R, 2, 2>(&mut v, false);
                lanes::<V, R, 1, 1>(&mut v, false);
                registers::<V, R>(&mut v);
            }
            if R == 1 {
                v[0].store_some(numbers, count);
                return;
            }
            if R.is_multiple_of(V::LANES) {
                for (number, tile) in v.chunks_exact_mut(V::LANES).enumerate() {
                    transpose::<V, 1>(tile);
                    transpose::<V, 2>(tile);
                    if V::LANES >= 8 {
                        transpose::<V, 4>(tile);
                    }
                    if V::LANES >= 16 {
                        transpose::<V, 8>(tile);
                    }
                    for (lane, &column) in tile.iter().enumerate() {
                        let begin = (lane * R + number * V::LANES).min(count);
                        let here = (count - begin).min(V::LANES);
                        column.store_some(numbers.add(begin), here);
                    }
                }
                return;
            }
            // A vector is as wide as its numbers.
            let mut stored = v;
            let columns = stored.as_mut_ptr().cast::<V::Number>();
            for (r, column) in v.into_iter().enumerate() {
                column.store(columns.add(r * V::LANES));
            }
            for lane in 0..count.div_ceil(R) {
                for r in 0..R.min(count - lane * R) {
                    *numbers.add(lane * R + r) = *columns.add(r * V::LANES + lane);
                }
            }
        }
    }
}

/// Exchanges lanes that have this bit with registers that have it.
///
/// # Safety
/// The vector's level.
#[inline(always)]
unsafe fn transpose<V: Vector, const BIT: usize>(tile: &mut [V]) {
    for a in 0..V::LANES {
        if a & BIT == 0 {
            let (x, y) = (tile[a], tile[a | BIT]);
            // SAFETY: the caller's: the level.
            unsafe {
                tile[a] = x.blend::<BIT>(y.exchange::<BIT>());
                tile[a | BIT] = x.exchange::<BIT>().blend::<BIT>(y);
            }
        }
    }
}

/// Puts the smaller number of each lane into the first of two registers.
///
/// # Safety
/// The vector's level.
#[inline(always)]
unsafe fn compare<V: Vector, const R: usize>(v: &mut [V; R], a: usize, b: usize) {
    // SAFETY: the caller's: the level.
    [v[a], v[b]] = unsafe { v[a].sorted(v[b]) };
}

/// Sorts columns: the registers' numbers in each lane. Eight take 19 comparisons, sixteen Green's 60 (Knuth,
/// "The Art of Computer Programming", volume 3, 5.3.4), where a bitonic network takes 24 and 80.
///
/// # Safety
/// The vector's level.
#[inline(always)]
unsafe fn columns<V: Vector, const R: usize>(v: &mut [V; R]) {
    macro_rules! pairs {
        ($($a:literal $b:literal),+ $(,)?) => {
            // SAFETY: the caller's: the level.
            unsafe { $(compare::<V, R>(v, $a, $b);)+ }
        };
    }
    match R {
        16 => pairs!(
            0 1, 2 3, 4 5, 6 7, 8 9, 10 11, 12 13, 14 15,
            0 2, 1 3, 4 6, 5 7, 8 10, 9 11, 12 14, 13 15,
            0 4, 1 5, 2 6, 3 7, 8 12, 9 13, 10 14, 11 15,
            0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15,
            5 10, 6 9, 3 12, 13 14, 4 8, 7 11, 1 2,
            1 4, 7 13, 2 8, 11 14,
            2 4, 5 6, 9 10, 11 13, 3 8, 7 12,
            6 8, 10 12, 3 5, 7 9,
            3 4, 5 6, 7 8, 9 10, 11 12,
            6 7, 8 9,
        ),
        8 => pairs!(
            0 2, 1 3, 4 6, 5 7, 0 4, 1 5, 2 6, 3 7, 0 1, 2 3, 4 5, 6 7, 2 4, 3 5, 1 4, 3 6, 1 2, 3 4, 5 6,
        ),
        4 => pairs!(0 2, 1 3, 0 1, 2 3, 1 2),
        2 => pairs!(0 1),
        _ => {}
    }
}

/// Sorts bitonic columns. Plain loops let the compiler unroll; registers indexed in loops that are not
/// unrolled are kept in memory.
///
/// # Safety
/// The vector's level.
#[inline(always)]
unsafe fn registers<V: Vector, const R: usize>(v: &mut [V; R]) {
    let mut distance = R / 2;
    while distance > 0 {
        for a in 0..R {
            if a & distance == 0 {
                // SAFETY: the caller's: the level.
                unsafe { compare::<V, R>(v, a, a | distance) };
            }
        }
        distance /= 2;
    }
}

/// Compares each number with that of lane `^ FLIP`, and of the mirrored register if `mirrored`; bit `BIT` of
/// its lane says which of the two comes later.
///
/// # Safety
/// The vector's level.
#[inline(always)]
unsafe fn lanes<V: Vector, const R: usize, const FLIP: usize, const BIT: usize>(
    v: &mut [V; R],
    mirrored: bool,
) {
    // SAFETY: the caller's, as this function states.
    unsafe {
        if mirrored && R > 1 {
            for a in 0..R / 2 {
                let b = R - 1 - a;
                let [first, second] = v[a].sorted_by_lane::<BIT>(v[b].exchange::<FLIP>());
                (v[a], v[b]) = (first, second.exchange::<FLIP>());
            }
        } else {
            for v in v.iter_mut() {
                [*v, _] = v.sorted_by_lane::<BIT>(v.exchange::<FLIP>());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::array::from_fn;

    use super::*;
    use crate::sort::lane::each_vector;

    /// Sorts columns of zeros and ones: column `first + lane` has the bits of its number.
    struct ColumnsOfBits<V: Vector, const R: usize> {
        first: u64,
        columns_of: [[V::Number; R]; 16],
    }

    impl<V: Vector, const R: usize> Kernel for ColumnsOfBits<V, R> {
        type Output = [[V::Number; R]; 16];

        #[inline(always)]
        unsafe fn run(self) -> Self::Output {
            let Self { first, mut columns_of } = self;
            let bit = |lane: usize, r: usize| V::Number::of_bits((first + lane as u64) >> r & 1);
            // SAFETY: the caller upholds the level; a vector has at most 16 lanes.
            unsafe {
                let mut v: [V; R] = from_fn(|r| {
                    let row: [V::Number; 16] = from_fn(|lane| bit(lane, r));
                    V::load(row.as_ptr())
                });
                columns::<V, R>(&mut v);
                for (r, v) in v.into_iter().enumerate() {
                    let mut row = [V::Number::MAX; 16];
                    v.store(row.as_mut_ptr());
                    columns_of.iter_mut().zip(row).for_each(|(column, number)| column[r] = number);
                }
            }
            columns_of
        }
    }

    /// The zero-one principle: a network that sorts all zeros and ones sorts all numbers.
    #[test]
    fn columns_of_zeros_and_ones_are_sorted() {
        fn all_columns<V: Vector, const R: usize>() {
            for first in (0..1u64 << R).step_by(V::LANES) {
                let columns_of = [[V::Number::MAX; R]; 16];
                // SAFETY: `each_vector` calls this for vectors that the CPU has.
                let sorted = unsafe { V::Level::run(ColumnsOfBits::<V, R> { first, columns_of }) };
                for (column, pattern) in sorted[..V::LANES].iter().zip(first..) {
                    let pattern = pattern & ((1 << R) - 1);
                    assert!(column.is_sorted(), "{pattern:b} becomes {column:?}");
                    let ones = column.iter().map(|number| number.bits()).sum::<u64>();
                    assert_eq!(ones, u64::from(pattern.count_ones()));
                }
            }
        }
        fn all<V: Vector>() {
            all_columns::<V, 2>();
            all_columns::<V, 4>();
            all_columns::<V, 8>();
            all_columns::<V, 16>();
        }
        each_vector!(all);
    }

    #[test]
    fn all_lengths_are_sorted() {
        fn all<V: Vector>() {
            let random = |k: usize| (k as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16;
            for count in 0..=REGISTERS * V::LANES {
                let patterns: [&dyn Fn(usize) -> u64; 6] = [
                    &random,
                    &|k| u64::from(random(k) % 3 != 0) * u64::MAX,
                    &|k| random(k) % 5 + (1 << 31),
                    &|k| k as u64,
                    &|k| (count - k) as u64,
                    &|k| if k % 2 == 0 { 1 << 63 } else { random(k) << 33 },
                ];
                for pattern in patterns {
                    let mut numbers: Vec<_> = (0..count + 2)
                        .map(|k| V::Number::of_bits(pattern(k % count.max(1))))
                        .collect();
                    let mut expected = numbers.clone();
                    expected[1..=count].sort_unstable();
                    // SAFETY: `each_vector` calls this for vectors that the CPU has; there are more numbers.
                    unsafe { sort::<V>(numbers[1..].as_mut_ptr(), count) };
                    assert_eq!(numbers, expected, "{count} in lanes of {}", V::LANES);
                }
            }
        }
        each_vector!(all);
    }
}
