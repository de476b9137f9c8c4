//! Small arrays by a sorting network in registers: no branches depend on the numbers.
//!
//! Up to [`REGISTERS`] vectors hold the numbers; number `lane * registers + register` of the sorted order ends
//! up there. Columns (the registers' numbers in each lane) are sorted first. Then a bitonic network merges two,
//! four and more of them: it compares each number of two sorted halves with its mirror image, then with the one
//! half the size away, a quarter, and so on, and puts the smaller number first. Distances below the number of
//! registers are between registers, the others between lanes. Missing numbers count as the largest.

use std::arch::x86_64::*;

use super::lane::{Vector, other};

/// Maximum number of vectors of a network.
pub(super) const REGISTERS: usize = 16;

/// Mask of the lanes whose number has this bit.
const fn lanes_with(bit: usize) -> u16 {
    let mut mask = 0;
    let mut lane = 0;
    while lane < 16 {
        if lane & bit != 0 {
            mask |= 1 << lane;
        }
        lane += 1;
    }
    mask
}

/// Sorts up to `REGISTERS * L::LANES` numbers.
///
/// # Safety
/// AVX-512; `numbers` is good for `count`, which is not more than that.
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,bmi2,popcnt")]
pub(super) unsafe fn sort<L: Vector>(numbers: *mut L, count: usize) {
    // SAFETY: the caller's, as this function states.
    unsafe {
        match count.div_ceil(L::LANES) {
            0 => {}
            1 => network::<L, 1>(numbers, count),
            2 => network::<L, 2>(numbers, count),
            3..=4 => network::<L, 4>(numbers, count),
            5..=8 => network::<L, 8>(numbers, count),
            _ => network::<L, 16>(numbers, count),
        }
    }
}

/// [`sort`] with `R` registers.
///
/// # Safety
/// AVX-512; `numbers` is good for `count`, at most `R * L::LANES`.
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,bmi2,popcnt")]
unsafe fn network<L: Vector, const R: usize>(numbers: *mut L, count: usize) {
    // SAFETY: the caller's, as this function states.
    unsafe {
        let mut v = [_mm512_setzero_si512(); R];
        for (r, v) in v.iter_mut().enumerate() {
            let here = count.saturating_sub(r * L::LANES).min(L::LANES);
            *v = L::load_some(numbers.add((r * L::LANES).min(count)), here);
        }
        columns::<L, R>(&mut v);
        lanes::<L, R, 1, 1>(&mut v, true);
        registers::<L, R>(&mut v);
        lanes::<L, R, 3, 2>(&mut v, true);
        lanes::<L, R, 1, 1>(&mut v, false);
        registers::<L, R>(&mut v);
        lanes::<L, R, 7, 4>(&mut v, true);
        lanes::<L, R, 2, 2>(&mut v, false);
        lanes::<L, R, 1, 1>(&mut v, false);
        registers::<L, R>(&mut v);
        if L::LANES == 16 {
            lanes::<L, R, 15, 8>(&mut v, true);
            lanes::<L, R, 4, 4>(&mut v, false);
            lanes::<L, R, 2, 2>(&mut v, false);
            lanes::<L, R, 1, 1>(&mut v, false);
            registers::<L, R>(&mut v);
        }
        if R == 1 {
            let whole = [v[0]];
            std::ptr::copy_nonoverlapping(whole.as_ptr().cast(), numbers, count);
            return;
        }
        if R.is_multiple_of(L::LANES) {
            for (number, tile) in v.chunks_exact_mut(L::LANES).enumerate() {
                transpose::<L, 1>(tile);
                transpose::<L, 2>(tile);
                transpose::<L, 4>(tile);
                if L::LANES == 16 {
                    transpose::<L, 8>(tile);
                }
                for (lane, &column) in tile.iter().enumerate() {
                    let begin = (lane * R + number * L::LANES).min(count);
                    let here = (count - begin).min(L::LANES);
                    L::store_some(numbers.add(begin), here, column);
                }
            }
            return;
        }
        let columns = v.as_ptr().cast::<L>();
        for lane in 0..count.div_ceil(R) {
            for r in 0..R.min(count - lane * R) {
                *numbers.add(lane * R + r) = *columns.add(r * L::LANES + lane);
            }
        }
    }
}

/// Exchanges lanes that have this bit with registers that have it.
///
/// # Safety
/// AVX-512.
#[inline(always)]
unsafe fn transpose<L: Vector, const BIT: usize>(tile: &mut [__m512i]) {
    let later = const { lanes_with(BIT) };
    for a in 0..L::LANES {
        if a & BIT == 0 {
            let (x, y) = (tile[a], tile[a | BIT]);
            // SAFETY: the caller's: AVX-512.
            unsafe {
                tile[a] = L::blend(later, x, L::exchange::<BIT>(y));
                tile[a | BIT] = L::blend(later, L::exchange::<BIT>(x), y);
            }
        }
    }
}

/// Puts the smaller number of each lane into the first of two registers.
///
/// # Safety
/// AVX-512.
#[inline(always)]
unsafe fn compare<L: Vector, const R: usize>(v: &mut [__m512i; R], a: usize, b: usize) {
    // SAFETY: the caller's: AVX-512.
    unsafe {
        let less = L::lesser(v[a], v[b]);
        (v[a], v[b]) = (less, other(v[a], v[b], less));
    }
}

/// Sorts columns: the registers' numbers in each lane. Eight take 19 comparisons, sixteen Green's 60 (Knuth,
/// "The Art of Computer Programming", volume 3, 5.3.4), where a bitonic network takes 24 and 80.
///
/// # Safety
/// AVX-512.
#[inline(always)]
unsafe fn columns<L: Vector, const R: usize>(v: &mut [__m512i; R]) {
    macro_rules! pairs {
        ($($a:literal $b:literal),+ $(,)?) => {
            // SAFETY: the caller's: AVX-512.
            unsafe { $(compare::<L, R>(v, $a, $b);)+ }
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
/// AVX-512.
#[inline(always)]
unsafe fn registers<L: Vector, const R: usize>(v: &mut [__m512i; R]) {
    let mut distance = R / 2;
    while distance > 0 {
        for a in 0..R {
            if a & distance == 0 {
                // SAFETY: the caller's: AVX-512.
                unsafe { compare::<L, R>(v, a, a | distance) };
            }
        }
        distance /= 2;
    }
}

/// Compares each number with that of lane `^ FLIP`, and of the mirrored register if `mirrored`; bit `BIT` of
/// its lane says which of the two comes later.
///
/// # Safety
/// AVX-512.
#[inline(always)]
unsafe fn lanes<L: Vector, const R: usize, const FLIP: usize, const BIT: usize>(
    v: &mut [__m512i; R],
    mirrored: bool,
) {
    let later = const { lanes_with(BIT) };
    // SAFETY: the caller's, as this function states.
    unsafe {
        if mirrored && R > 1 {
            for a in 0..R / 2 {
                let b = R - 1 - a;
                let (x, y) = (v[a], L::exchange::<FLIP>(v[b]));
                v[a] = L::greater_in(later, L::lesser(x, y), x, y);
                v[b] = L::exchange::<FLIP>(other(x, y, v[a]));
            }
        } else {
            for v in v.iter_mut() {
                let (x, y) = (*v, L::exchange::<FLIP>(*v));
                *v = L::greater_in(later, L::lesser(x, y), x, y);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::array::from_fn;

    use super::*;

    /// The zero-one principle: a network that sorts all zeros and ones sorts all numbers.
    #[test]
    fn columns_of_zeros_and_ones_are_sorted() {
        let features = [
            is_x86_feature_detected!("avx512f"),
            is_x86_feature_detected!("avx512dq"),
            is_x86_feature_detected!("avx512bw"),
            is_x86_feature_detected!("avx512vl"),
            is_x86_feature_detected!("bmi2"),
            is_x86_feature_detected!("popcnt"),
        ];
        if features.contains(&false) {
            return;
        }
        // SAFETY: this CPU has the features.
        unsafe {
            all_columns::<2>();
            all_columns::<4>();
            all_columns::<8>();
            all_columns::<16>();
        }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,bmi2,popcnt")]
    unsafe fn all_columns<const R: usize>() {
        for first in (0..1u64 << R).step_by(u64::LANES) {
            let mut columns_of: [[u64; u64::LANES]; R] =
                from_fn(|r| from_fn(|lane| ((first + lane as u64) >> r) & 1));
            // SAFETY: the caller upholds AVX-512; a vector is as wide as its eight numbers.
            unsafe {
                let mut v = columns_of.map(|lanes| _mm512_loadu_si512(lanes.as_ptr().cast()));
                columns::<u64, R>(&mut v);
                for (lanes, v) in columns_of.iter_mut().zip(v) {
                    _mm512_storeu_si512(lanes.as_mut_ptr().cast(), v);
                }
            }
            for lane in 0..u64::LANES {
                let pattern = (first + lane as u64) & ((1 << R) - 1);
                let sorted = columns_of.map(|lanes| lanes[lane]);
                assert!(sorted.is_sorted(), "{pattern:b} becomes {sorted:?}");
                assert_eq!(sorted.iter().sum::<u64>(), u64::from(pattern.count_ones()));
            }
        }
    }
}
