//! Counts and writes of parts with AVX2 or AVX-512. The parent module handles the rest of a piece, element types of one or two
//! bytes, and other CPUs.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use half::{bf16, f16};
use ndany_core::backend::Sorted;

use super::{Number, Row};
use crate::loops::{Kernel, Level, Simd, V3, V4};
use crate::sort::{Lane, Vector};

/// Elements that are compared at a time.
const GROUP: usize = 16;

/// Elements whose words are gathered per part in the L1 cache before they are written. Vectors may then be stored whole, where
/// a store under a mask would take ten cycles on AMD's CPUs.
const BLOCK: usize = 512;

/// Masks of a group's elements: below the low limit, above the high limit.
type Masks = [u16; 2];

/// Element types, with their vector comparisons at a level.
pub(super) trait Compared<S>: Copy {
    /// Whether vectors compare this type.
    const WIDE: bool;

    /// # Safety
    /// The CPU has the level, a group of elements is valid for reads, and vectors compare the type.
    unsafe fn masks(from: *const Self, low: Self, high: Self) -> Masks;
}

macro_rules! wide {
    ($level:ident: $($ty:ty as $lane:ty: $lanes:literal, $load:ident, $set:ident, $less:expr;)+) => {$(
        impl Compared<$level> for $ty {
            const WIDE: bool = true;

            #[inline(always)]
            unsafe fn masks(from: *const Self, low: Self, high: Self) -> Masks {
                let [mut all_below, mut all_above] = [0; 2];
                // SAFETY: the caller's; the vectors are a group's.
                unsafe {
                    let (low, high) = ($set(low as $lane), $set(high as $lane));
                    for begin in (0..GROUP).step_by($lanes) {
                        let x = $load(from.add(begin).cast());
                        all_below |= ($less(x, low) as u16) << begin;
                        all_above |= ($less(high, x) as u16) << begin;
                    }
                }
                [all_below, all_above & !all_below]
            }
        }
    )+};
}
wide! { V4:
    f64 as f64: 8, _mm512_loadu_pd, _mm512_set1_pd, |a, b| _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b);
    f32 as f32: 16, _mm512_loadu_ps, _mm512_set1_ps, |a, b| _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b);
    i64 as i64: 8, _mm512_loadu_epi64, _mm512_set1_epi64, |a, b| _mm512_cmplt_epi64_mask(a, b);
    u64 as i64: 8, _mm512_loadu_epi64, _mm512_set1_epi64, |a, b| _mm512_cmplt_epu64_mask(a, b);
    i32 as i32: 16, _mm512_loadu_epi32, _mm512_set1_epi32, |a, b| _mm512_cmplt_epi32_mask(a, b);
    u32 as i32: 16, _mm512_loadu_epi32, _mm512_set1_epi32, |a, b| _mm512_cmplt_epu32_mask(a, b);
}
wide! { V3:
    f64 as f64: 4, _mm256_loadu_pd, _mm256_set1_pd,
        |a, b| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a, b));
    f32 as f32: 8, _mm256_loadu_ps, _mm256_set1_ps,
        |a, b| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b));
    i64 as i64: 4, _mm256_loadu_si256, _mm256_set1_epi64x, |a, b| lanes64(_mm256_cmpgt_epi64(b, a));
    u64 as i64: 4, _mm256_loadu_si256, _mm256_set1_epi64x, |a, b| {
        let sign = _mm256_set1_epi64x(i64::MIN);
        lanes64(_mm256_cmpgt_epi64(_mm256_xor_si256(b, sign), _mm256_xor_si256(a, sign)))
    };
    i32 as i32: 8, _mm256_loadu_si256, _mm256_set1_epi32, |a, b| lanes32(_mm256_cmpgt_epi32(b, a));
    u32 as i32: 8, _mm256_loadu_si256, _mm256_set1_epi32, |a, b| {
        let sign = _mm256_set1_epi32(i32::MIN);
        lanes32(_mm256_cmpgt_epi32(_mm256_xor_si256(b, sign), _mm256_xor_si256(a, sign)))
    };
}

/// The lanes of 64 bits whose sign bit is set.
///
/// # Safety
/// AVX2.
#[inline(always)]
unsafe fn lanes64(a: __m256i) -> i32 {
    // SAFETY: the caller's.
    unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(a)) }
}

/// The lanes of 32 bits whose sign bit is set.
///
/// # Safety
/// AVX2.
#[inline(always)]
unsafe fn lanes32(a: __m256i) -> i32 {
    // SAFETY: the caller's.
    unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(a)) }
}

macro_rules! narrow {
    ($($ty:ty),+) => {$(
        impl<S> Compared<S> for $ty {
            const WIDE: bool = false;

            unsafe fn masks(_: *const Self, _: Self, _: Self) -> Masks {
                unreachable!("vectors do not compare these")
            }
        }
    )+};
}
narrow!(i8, i16, u8, u16, f16, bf16);

/// [`Row::count_each`], compiled for a level.
struct Count<'r, T> {
    row: &'r Row<'r, T>,
    elements: &'r [T],
}

impl<T: Number> Kernel for Count<'_, T> {
    type Output = Option<[usize; 2]>;

    #[inline(always)]
    unsafe fn run(self) -> Self::Output {
        self.row.count_each(self.elements)
    }
}

/// [`Row::count_each`] at the row's level.
pub(super) fn count<T: Number>(row: &Row<'_, T>, elements: &[T]) -> Option<[usize; 2]> {
    match row.level {
        // SAFETY: the CPU has the level.
        Level::V4(_) => unsafe { V4::run(Count { row, elements }) },
        // SAFETY: as above.
        Level::V3(_) => unsafe { V3::run(Count { row, elements }) },
        Level::V1(_) => row.count_each(elements),
    }
}

/// Writes the words of complete groups of elements to the next place of their parts. Returns the number of elements.
///
/// # Safety
/// Each part has places for all its words, and a word is an element or an I64 as the row states.
pub(super) unsafe fn part<T: Number, W>(
    row: &Row<'_, T>,
    elements: &[T],
    first: usize,
    next: &mut [*mut W; 3],
) -> usize {
    if !<T as Compared<V4>>::WIDE {
        return 0;
    }
    // SAFETY: the CPU has the level, and vectors compare these elements; the caller upholds the rest.
    unsafe {
        match (row.level, size_of::<W>()) {
            (Level::V4(_), 8) => part_as::<T, <u64 as Lane>::Avx512, W>(row, elements, first, next),
            (Level::V4(_), _) => part_as::<T, <u32 as Lane>::Avx512, W>(row, elements, first, next),
            (Level::V3(_), 8) => part_as::<T, <u64 as Lane>::Avx2, W>(row, elements, first, next),
            (Level::V3(_), _) => part_as::<T, <u32 as Lane>::Avx2, W>(row, elements, first, next),
            (Level::V1(_), _) => 0,
        }
    }
}

/// [`part`] with words in the lanes of a vector.
///
/// # Safety
/// As [`part`]; the CPU has the vector's level, vectors compare the elements, and lanes are of the words' size.
unsafe fn part_as<T: Number + Compared<V::Level>, V: Vector, W>(
    row: &Row<'_, T>,
    elements: &[T],
    first: usize,
    next: &mut [*mut W; 3],
) -> usize {
    assert_eq!(size_of::<W>(), size_of::<V::Number>(), "lanes hold words");
    let (done, mut places) = (elements.len() / GROUP * GROUP, next.map(<*mut W>::cast));
    let elements = &elements[..done];
    // SAFETY: the caller's.
    unsafe { V::Level::run(Part::<T, V> { row, elements, first, next: &mut places }) };
    *next = places.map(<*mut V::Number>::cast);
    done
}

/// [`part`] of whole groups.
struct Part<'r, T, V: Vector> {
    row: &'r Row<'r, T>,
    elements: &'r [T],
    first: usize,
    next: &'r mut [*mut V::Number; 3],
}

impl<T: Number + Compared<V::Level>, V: Vector> Kernel for Part<'_, T, V> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Self { row, elements, mut first, next } = self;
        let mut gathered = [[const { MaybeUninit::<V::Number>::uninit() }; BLOCK + GROUP]; 3];
        let mut positions = [V::Number::MAX; BLOCK];
        for block in elements.chunks(BLOCK) {
            let words = match row.write {
                Sorted::Values => block.as_ptr().cast(),
                Sorted::Positions => {
                    for (position, at) in positions.iter_mut().zip(first as u64..) {
                        *position = V::Number::of_bits(at);
                    }
                    positions.as_ptr()
                }
            };
            let starts = gathered.each_mut().map(|part| part.as_mut_ptr().cast::<V::Number>());
            let mut ends = starts;
            for at in (0..block.len()).step_by(GROUP) {
                // SAFETY: the caller upholds the level; a block is of whole groups, and has a word for each element. A part
                // has at most `at` words before, and a vector's room after these.
                unsafe {
                    let [below, above] =
                        <T as Compared<V::Level>>::masks(block.as_ptr().add(at), row.low, row.high)
                            .map(u32::from);
                    for begin in (0..GROUP).step_by(V::LANES) {
                        let vector = V::load(words.add(at + begin));
                        for (end, mask) in ends.iter_mut().zip([below, !(below | above), above]) {
                            let mask = mask >> begin & V::ALL;
                            vector.packed(mask).store(*end);
                            *end = end.add(mask.count_ones() as usize);
                        }
                    }
                }
            }
            for ((next, start), end) in next.iter_mut().zip(starts).zip(ends) {
                // SAFETY: the words from `start` to `end` have been written, and the part has places for them.
                unsafe {
                    let count = end.offset_from_unsigned(start);
                    next.copy_from_nonoverlapping(start, count);
                    *next = next.add(count);
                }
            }
            first += block.len();
        }
    }
}
