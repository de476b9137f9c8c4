//! Vectors of 512 bits (AVX-512 F, BW, DQ and VL).

use std::arch::x86_64::*;

use super::{PARTED, Vector, lanes_with};
use crate::loops::V4;

/// The truth table of `a ^ b ^ c`.
const XOR: i32 = 0x96;

/// Lane numbers with some bits flipped.
const fn flipped32(flip: usize) -> [u32; 16] {
    let mut lanes = [0; 16];
    let mut i = 0;
    while i < 16 {
        lanes[i] = (i ^ (flip & 15)) as u32;
        i += 1;
    }
    lanes
}

const fn flipped64(flip: usize) -> [u64; 8] {
    let mut lanes = [0; 8];
    let mut i = 0;
    while i < 8 {
        lanes[i] = (i ^ (flip & 7)) as u64;
        i += 1;
    }
    lanes
}

/// In each lane, the one of two numbers that is not the third. If the third is the minimum this is the
/// maximum, computed on another execution unit than minima on CPUs with one such unit.
///
/// # Safety
/// AVX-512.
#[inline(always)]
unsafe fn other(a: __m512i, b: __m512i, one: __m512i) -> __m512i {
    // SAFETY: the caller upholds this function's contract.
    unsafe { _mm512_ternarylogic_epi64::<XOR>(a, b, one) }
}

/// Implements a vector by its instructions, its masks and its lane count; `$own` is specific to it.
macro_rules! vector {
    ($(#[$meta:meta])* $name:ident of $lanes:literal $ty:ident, masks $mask:ident, numbers $flipped:ident, $load:ident
     $store:ident $splat:ident $min:ident $logic:ident $blend:ident $permute:ident $above:ident $not_below:ident
     $pack:ident; $($own:tt)+) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name(__m512i);

        impl Vector for $name {
            type Number = $ty;
            type Level = V4;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(from: *const $ty) -> Self {
                // SAFETY: the caller's.
                Self(unsafe { _mm512_loadu_si512(from.cast()) })
            }
            #[inline(always)]
            unsafe fn load_some(from: *const $ty, count: usize) -> Self {
                let mask = (1u32 << count).wrapping_sub(1) as $mask;
                // SAFETY: the caller's; only the lanes of the mask are read.
                Self(unsafe { $load($splat(-1), mask, from.cast()) })
            }
            #[inline(always)]
            unsafe fn splat(number: $ty) -> Self {
                // SAFETY: the caller's.
                Self(unsafe { $splat(number.cast_signed()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $ty) {
                // SAFETY: the caller's.
                unsafe { _mm512_storeu_si512(to.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn store_some(self, to: *mut $ty, count: usize) {
                // SAFETY: the caller's; only the lanes of the mask are written.
                unsafe { $store(to.cast(), (1u32 << count).wrapping_sub(1) as $mask, self.0) }
            }
            #[inline(always)]
            unsafe fn sorted(self, other_one: Self) -> [Self; 2] {
                // SAFETY: the caller's.
                unsafe {
                    let less = $min(self.0, other_one.0);
                    [Self(less), Self(other(self.0, other_one.0, less))]
                }
            }
            #[inline(always)]
            unsafe fn sorted_by_lane<const BIT: usize>(self, other_one: Self) -> [Self; 2] {
                let (a, b, later) = (self.0, other_one.0, const { lanes_with(BIT) });
                // SAFETY: the caller's.
                unsafe {
                    let first = $logic::<XOR>($min(a, b), later as $mask, a, b);
                    [Self(first), Self(other(a, b, first))]
                }
            }
            #[inline(always)]
            unsafe fn blend<const BIT: usize>(self, other_one: Self) -> Self {
                let later = const { lanes_with(BIT) };
                // SAFETY: the caller's.
                Self(unsafe { $blend(later as $mask, self.0, other_one.0) })
            }
            #[inline(always)]
            unsafe fn exchange<const FLIP: usize>(self) -> Self {
                let lanes = const { $flipped(FLIP) };
                // SAFETY: the caller's.
                Self(unsafe { $permute(_mm512_loadu_si512(lanes.as_ptr().cast()), self.0) })
            }
            #[inline(always)]
            unsafe fn above(self, other_one: Self) -> u32 {
                // SAFETY: the caller's.
                u32::from(unsafe { $above(self.0, other_one.0) })
            }
            #[inline(always)]
            unsafe fn not_below(self, other_one: Self) -> u32 {
                // SAFETY: the caller's.
                u32::from(unsafe { $not_below(self.0, other_one.0) })
            }
            #[inline(always)]
            unsafe fn packed(self, mask: u32) -> Self {
                // SAFETY: the caller's.
                Self(unsafe { $pack(mask as $mask, self.0) })
            }

            $($own)+
        }
    };
}

vector! {
    /// Sixteen u32.
    U32x16 of 16 u32, masks u16, numbers flipped32,
    _mm512_mask_loadu_epi32 _mm512_mask_storeu_epi32 _mm512_set1_epi32
    _mm512_min_epu32 _mm512_mask_ternarylogic_epi32
    _mm512_mask_blend_epi32 _mm512_permutexvar_epi32 _mm512_cmpgt_epu32_mask
    _mm512_cmpge_epu32_mask _mm512_maskz_compress_epi32;

    #[inline(always)]
    unsafe fn part(self, above: u32, left: *mut u32, right: *mut u32) {
        let count = above.count_ones() as usize;
        // SAFETY: the caller's.
        unsafe {
            self.packed(!above).store(left);
            self.packed(above).store_some(right.sub(count), count);
        }
    }
}

vector! {
    /// Eight u64.
    U64x8 of 8 u64, masks u8, numbers flipped64,
    _mm512_mask_loadu_epi64 _mm512_mask_storeu_epi64 _mm512_set1_epi64
    _mm512_min_epu64 _mm512_mask_ternarylogic_epi64
    _mm512_mask_blend_epi64 _mm512_permutexvar_epi64 _mm512_cmpgt_epu64_mask
    _mm512_cmpge_epu64_mask _mm512_maskz_compress_epi64;

    /// One table permutation costs half of two compressions; a table for 16 lanes would be too large.
    #[inline(always)]
    unsafe fn part(self, above: u32, left: *mut u64, right: *mut u64) {
        // SAFETY: the caller's; a row of the table is eight bytes.
        unsafe {
            let lanes = _mm_loadl_epi64(PARTED[usize::from(above as u8)].as_ptr().cast());
            let parted = Self(_mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(lanes), self.0));
            parted.store(left);
            parted.store(right.sub(Self::LANES));
        }
    }
}
