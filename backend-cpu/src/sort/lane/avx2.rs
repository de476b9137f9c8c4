//! Vectors of 256 bits (AVX2).
//!
//! AVX2 lacks what sorts need most, so table permutations stand in for compressions, and comparisons with blends for extrema
//! of 64-bit integers. Those compare as signed numbers: registers hold 64-bit numbers with the sign bit flipped.

use std::arch::x86_64::*;

use super::{PARTED, Vector};
use crate::loops::V3;

/// Lanes of 32 bits to move, for each mask of four lanes of 64 bits: the lanes outside the mask, then the lanes inside.
static PARTED64: [[u32; 8]; 16] = parted64();

const fn parted64() -> [[u32; 8]; 16] {
    let mut table = [[0; 8]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut below, mut above, mut lane) = (0, 4 - (mask as u8).count_ones() as usize, 0);
        while lane < 4 {
            let place = if mask >> lane & 1 == 1 { &mut above } else { &mut below };
            table[mask][2 * *place] = 2 * lane;
            table[mask][2 * *place + 1] = 2 * lane + 1;
            *place += 1;
            lane += 1;
        }
        mask += 1;
    }
    table
}

/// Words of 32 bits for masks of the first `count`: eight from `8 - count` on.
static FIRST: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// The mask of the first `words` words of 32 bits.
///
/// # Safety
/// AVX2; at most eight words.
#[inline(always)]
unsafe fn first(words: usize) -> __m256i {
    // SAFETY: the caller's; eight words from one of the first nine places are in the table.
    unsafe { _mm256_loadu_si256(FIRST.as_ptr().add(8 - words).cast()) }
}

/// Word `i` of 32 bits of the result is word `i ^ flip`, for the constants that networks use.
///
/// # Safety
/// AVX2.
#[inline(always)]
unsafe fn exchange(a: __m256i, flip: usize) -> __m256i {
    // SAFETY: the caller's.
    unsafe {
        match flip {
            1 => _mm256_shuffle_epi32::<0b10_11_00_01>(a),
            2 => _mm256_shuffle_epi32::<0b01_00_11_10>(a),
            3 => _mm256_shuffle_epi32::<0b00_01_10_11>(a),
            4 => _mm256_permute2x128_si256::<1>(a, a),
            6 => _mm256_permute4x64_epi64::<0b00_01_10_11>(a),
            7 => {
                let halves = _mm256_permute2x128_si256::<1>(a, a);
                _mm256_shuffle_epi32::<0b00_01_10_11>(halves)
            }
            _ => a,
        }
    }
}

/// The words of 32 bits of `b` whose number has this bit, and those of `a` elsewhere.
///
/// # Safety
/// AVX2.
#[inline(always)]
unsafe fn blend(a: __m256i, b: __m256i, bit: usize) -> __m256i {
    // SAFETY: the caller's.
    unsafe {
        match bit {
            1 => _mm256_blend_epi32::<0b1010_1010>(a, b),
            2 => _mm256_blend_epi32::<0b1100_1100>(a, b),
            4 => _mm256_blend_epi32::<0b1111_0000>(a, b),
            _ => a,
        }
    }
}

/// Implements a vector; `$words` is the number of words of 32 bits of a lane, `$form` the function between memory and
/// registers (its own inverse).
macro_rules! vector {
    ($(#[$meta:meta])* $name:ident of $lanes:literal $ty:ident: $words:literal words, $form:ident, $splat:ident,
     $load:ident $store:ident; $($own:tt)+) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name(__m256i);

        impl Vector for $name {
            type Number = $ty;
            type Level = V3;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(from: *const $ty) -> Self {
                // SAFETY: the caller's.
                unsafe { Self($form(_mm256_loadu_si256(from.cast()))) }
            }
            #[inline(always)]
            unsafe fn load_some(from: *const $ty, count: usize) -> Self {
                // SAFETY: the caller's; only the lanes of the mask are read.
                unsafe {
                    let mask = first($words * count);
                    let others = _mm256_xor_si256(mask, _mm256_set1_epi32(-1));
                    Self($form(_mm256_or_si256($load(from.cast(), mask), others)))
                }
            }
            #[inline(always)]
            unsafe fn splat(number: $ty) -> Self {
                // SAFETY: the caller's.
                unsafe { Self($form($splat(number.cast_signed()))) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $ty) {
                // SAFETY: the caller's.
                unsafe { _mm256_storeu_si256(to.cast(), $form(self.0)) }
            }
            /// A store under a mask takes some ten cycles on AMD's CPUs.
            #[inline(always)]
            unsafe fn store_some(self, to: *mut $ty, count: usize) {
                // SAFETY: the caller's; only the lanes of the mask are written.
                unsafe {
                    match count {
                        0 => {}
                        $lanes => self.store(to),
                        _ => $store(to.cast(), first($words * count), $form(self.0)),
                    }
                }
            }
            #[inline(always)]
            unsafe fn blend<const BIT: usize>(self, other: Self) -> Self {
                // SAFETY: the caller's.
                Self(unsafe { blend(self.0, other.0, $words * BIT) })
            }
            #[inline(always)]
            unsafe fn exchange<const FLIP: usize>(self) -> Self {
                // SAFETY: the caller's.
                Self(unsafe { exchange(self.0, $words * FLIP) })
            }
            #[inline(always)]
            unsafe fn packed(self, mask: u32) -> Self {
                // SAFETY: the caller's.
                unsafe { self.parted(!mask & Self::ALL) }
            }
            #[inline(always)]
            unsafe fn part(self, above: u32, left: *mut $ty, right: *mut $ty) {
                // SAFETY: the caller's.
                unsafe {
                    let parted = self.parted(above);
                    parted.store(left);
                    parted.store(right.sub(Self::LANES));
                }
            }

            $($own)+
        }
    };
}

/// Numbers of 32 bits are in registers as in memory.
///
/// # Safety
/// None.
#[inline(always)]
unsafe fn as_is(a: __m256i) -> __m256i {
    a
}

/// Flips the sign bits of lanes of 64 bits.
///
/// # Safety
/// AVX2.
#[inline(always)]
unsafe fn with_sign(a: __m256i) -> __m256i {
    // SAFETY: the caller's.
    unsafe { _mm256_xor_si256(a, _mm256_set1_epi64x(i64::MIN)) }
}

vector! {
    /// Eight u32.
    U32x8 of 8 u32: 1 words, as_is, _mm256_set1_epi32, _mm256_maskload_epi32 _mm256_maskstore_epi32;

    #[inline(always)]
    unsafe fn sorted(self, other: Self) -> [Self; 2] {
        // SAFETY: the caller's.
        unsafe { [Self(_mm256_min_epu32(self.0, other.0)), Self(_mm256_max_epu32(self.0, other.0))] }
    }
    #[inline(always)]
    unsafe fn sorted_by_lane<const BIT: usize>(self, other: Self) -> [Self; 2] {
        // SAFETY: the caller's.
        unsafe {
            let [less, more] = self.sorted(other);
            [less.blend::<BIT>(more), more.blend::<BIT>(less)]
        }
    }
    #[inline(always)]
    unsafe fn above(self, other: Self) -> u32 {
        // SAFETY: the caller's.
        unsafe { other.not_below(self) ^ Self::ALL }
    }
    /// AVX2 has no unsigned comparison, but maxima.
    #[inline(always)]
    unsafe fn not_below(self, other: Self) -> u32 {
        // SAFETY: the caller's.
        unsafe {
            let more = _mm256_max_epu32(self.0, other.0);
            let equal = _mm256_cmpeq_epi32(more, self.0);
            _mm256_movemask_ps(_mm256_castsi256_ps(equal)).cast_unsigned()
        }
    }
}

impl U32x8 {
    /// The lanes outside the mask, then the lanes inside.
    ///
    /// # Safety
    /// AVX2.
    #[inline(always)]
    unsafe fn parted(self, mask: u32) -> Self {
        // SAFETY: the caller's; a row of the table is eight bytes.
        unsafe {
            let lanes = _mm_loadl_epi64(PARTED[usize::from(mask as u8)].as_ptr().cast());
            Self(_mm256_permutevar8x32_epi32(self.0, _mm256_cvtepu8_epi32(lanes)))
        }
    }
}

vector! {
    /// Four u64, with the sign bit flipped in registers.
    U64x4 of 4 u64: 2 words, with_sign, _mm256_set1_epi64x, _mm256_maskload_epi64 _mm256_maskstore_epi64;

    #[inline(always)]
    unsafe fn sorted(self, other: Self) -> [Self; 2] {
        let (a, b) = (self.0, other.0);
        // SAFETY: the caller's.
        unsafe {
            let above = _mm256_cmpgt_epi64(a, b);
            [Self(_mm256_blendv_epi8(a, b, above)), Self(_mm256_blendv_epi8(b, a, above))]
        }
    }
    #[inline(always)]
    unsafe fn sorted_by_lane<const BIT: usize>(self, other: Self) -> [Self; 2] {
        let (a, b) = (self.0, other.0);
        // SAFETY: the caller's.
        unsafe {
            let later = blend(_mm256_setzero_si256(), _mm256_set1_epi32(-1), 2 * BIT);
            let exchanged = _mm256_xor_si256(_mm256_cmpgt_epi64(a, b), later);
            [Self(_mm256_blendv_epi8(a, b, exchanged)), Self(_mm256_blendv_epi8(b, a, exchanged))]
        }
    }
    #[inline(always)]
    unsafe fn above(self, other: Self) -> u32 {
        // SAFETY: the caller's.
        unsafe {
            let above = _mm256_cmpgt_epi64(self.0, other.0);
            _mm256_movemask_pd(_mm256_castsi256_pd(above)).cast_unsigned()
        }
    }
    #[inline(always)]
    unsafe fn not_below(self, other: Self) -> u32 {
        // SAFETY: the caller's.
        unsafe { other.above(self) ^ Self::ALL }
    }
}

impl U64x4 {
    /// The lanes outside the mask, then the lanes inside.
    ///
    /// # Safety
    /// AVX2.
    #[inline(always)]
    unsafe fn parted(self, mask: u32) -> Self {
        // SAFETY: the caller's; a row of the table is a vector.
        unsafe {
            let words = _mm256_loadu_si256(PARTED64[mask as usize & 15].as_ptr().cast());
            Self(_mm256_permutevar8x32_epi32(self.0, words))
        }
    }
}
