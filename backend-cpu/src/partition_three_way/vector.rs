//! Eight elements of four or eight bytes at a time, by AVX-512. The parent module handles the rest of a piece,
//! other element types and other CPUs.

use std::arch::x86_64::*;

use half::{bf16, f16};
use ndany_core::backend::Sorted;

use super::{Number, Row};
use crate::loops::Level;

/// Elements of a vector step.
const VECTOR: usize = 8;

/// Masks of eight elements: below the low limit, above the high limit, unordered.
type Masks = [u8; 3];

/// Element types, with their vector comparisons.
pub(super) trait Compared: Copy {
    /// Whether vectors compare this type.
    const WIDE: bool;

    /// # Safety
    /// The CPU has AVX-512, eight elements are valid for reads, and vectors compare the type.
    unsafe fn masks(from: *const Self, low: Self, high: Self) -> Masks;
}

macro_rules! wide {
    ($($ty:ty as $lane:ty: $load:ident, $set:ident, $less:expr, $unordered:expr;)+) => {$(
        impl Compared for $ty {
            const WIDE: bool = true;

            #[inline(always)]
            unsafe fn masks(from: *const Self, low: Self, high: Self) -> Masks {
                // SAFETY: the caller upholds this.
                unsafe {
                    let x = $load(from.cast::<$lane>());
                    let (low, high) = ($set(low as $lane), $set(high as $lane));
                    let below = $less(x, low);
                    [below, $less(high, x) & !below, $unordered(x)]
                }
            }
        }
    )+};
}
wide! {
    f64 as f64: _mm512_loadu_pd, _mm512_set1_pd,
        |a, b| _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b), |x| _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(x, x);
    f32 as f32: _mm256_loadu_ps, _mm256_set1_ps,
        |a, b| _mm256_cmp_ps_mask::<_CMP_LT_OQ>(a, b), |x| _mm256_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
    i64 as i64: _mm512_loadu_epi64, _mm512_set1_epi64, |a, b| _mm512_cmplt_epi64_mask(a, b), |_| 0;
    u64 as i64: _mm512_loadu_epi64, _mm512_set1_epi64, |a, b| _mm512_cmplt_epu64_mask(a, b), |_| 0;
    i32 as i32: _mm256_loadu_epi32, _mm256_set1_epi32, |a, b| _mm256_cmplt_epi32_mask(a, b), |_| 0;
    u32 as i32: _mm256_loadu_epi32, _mm256_set1_epi32, |a, b| _mm256_cmplt_epu32_mask(a, b), |_| 0;
}

macro_rules! narrow {
    ($($ty:ty),+) => {$(
        impl Compared for $ty {
            const WIDE: bool = false;

            unsafe fn masks(_: *const Self, _: Self, _: Self) -> Masks {
                unreachable!("vectors do not compare these")
            }
        }
    )+};
}
narrow!(i8, i16, u8, u16, f16, bf16);

/// The number of elements in complete groups of eight, and how many of them are below, above and unordered.
pub(super) fn count<T: Number>(row: &Row<'_, T>, elements: &[T]) -> (usize, [usize; 3]) {
    match row.level {
        // SAFETY: the level implies AVX-512, and vectors compare these elements.
        Level::V4(_) if T::WIDE => unsafe { count_groups(row, elements) },
        _ => (0, [0; 3]),
    }
}

/// # Safety
/// The CPU has AVX-512, and vectors compare the elements.
#[target_feature(enable = "avx512f,avx512vl,popcnt")]
unsafe fn count_groups<T: Number>(row: &Row<'_, T>, elements: &[T]) -> (usize, [usize; 3]) {
    let mut counts = [0; 3];
    let groups = elements.chunks_exact(VECTOR);
    let done = elements.len() - groups.remainder().len();
    for group in groups {
        // SAFETY: the caller upholds this; a group has eight elements.
        let masks = unsafe { T::masks(group.as_ptr(), row.low, row.high) };
        for (count, mask) in counts.iter_mut().zip(masks) {
            *count += mask.count_ones() as usize;
        }
    }
    (done, counts)
}

/// Writes the words of complete groups of eight elements to the next place of their parts. Returns the number
/// of elements.
///
/// # Safety
/// Each part has places for all its words, and a word is an element or an I64 as the row states.
pub(super) unsafe fn part<T: Number, W: Copy>(
    row: &Row<'_, T>,
    elements: &[T],
    first: usize,
    next: &mut [*mut W; 3],
) -> usize {
    let Level::V4(_) = row.level else { return 0 };
    if !T::WIDE {
        return 0;
    }
    // SAFETY: the level implies AVX-512, and vectors compare these elements; the caller upholds the rest.
    unsafe {
        match row.write {
            Sorted::Positions => part_groups(row, elements, next, |at| {
                let first = _mm512_set1_epi64((first + at) as i64);
                _mm512_add_epi64(first, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7))
            }),
            Sorted::Values if size_of::<T>() == 8 => {
                let from = elements.as_ptr().cast::<i64>();
                part_groups(row, elements, next, |at| _mm512_loadu_epi64(from.add(at)))
            }
            Sorted::Values => {
                let from = elements.as_ptr().cast::<i32>();
                part_groups(row, elements, next, |at| _mm256_loadu_epi32(from.add(at)))
            }
        }
    }
}

/// Eight words.
trait Words: Copy {
    /// Writes the words under a mask contiguously. Returns their number.
    ///
    /// # Safety
    /// The CPU has AVX-512; that many words may be written.
    unsafe fn keep<W>(self, shown: u8, to: *mut W) -> usize;
}

macro_rules! words {
    ($($ty:ty: $compress:ident, $store:ident;)+) => {$(
        impl Words for $ty {
            #[inline(always)]
            unsafe fn keep<W>(self, shown: u8, to: *mut W) -> usize {
                let count = shown.count_ones();
                // SAFETY: the caller upholds this. A store that compresses would be many times as slow on
                // some CPUs.
                unsafe { $store(to.cast(), ((1_u32 << count) - 1) as u8, $compress(shown, self)) };
                count as usize
            }
        }
    )+};
}
words! {
    __m512i: _mm512_maskz_compress_epi64, _mm512_mask_storeu_epi64;
    __m256i: _mm256_maskz_compress_epi32, _mm256_mask_storeu_epi32;
}

/// # Safety
/// The CPU has AVX-512, and vectors compare the elements; each part has places for all its words; `words`
/// accepts the start of every group and returns words of the size of `W`.
#[target_feature(enable = "avx512f,avx512vl,popcnt,bmi2")]
unsafe fn part_groups<T: Number, V: Words, W>(
    row: &Row<'_, T>,
    elements: &[T],
    next: &mut [*mut W; 3],
    words: impl Fn(usize) -> V,
) -> usize {
    let done = elements.len() / VECTOR * VECTOR;
    let [mut below, mut inside, mut above] = *next;
    for at in (0..done).step_by(VECTOR) {
        // SAFETY: the caller upholds this.
        unsafe {
            let [under, over, _] = T::masks(elements.as_ptr().add(at), row.low, row.high);
            let words = words(at);
            below = below.add(words.keep(under, below));
            above = above.add(words.keep(over, above));
            // Unordered elements are rare, but not rare enough to predict a branch on each group.
            inside = inside.add(words.keep(!(under | over), inside));
        }
    }
    *next = [below, inside, above];
    done
}
