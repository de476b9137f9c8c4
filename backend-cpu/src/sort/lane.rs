//! Integers as lanes of 512-bit vectors.

use std::arch::x86_64::*;

/// The truth table of `a ^ b ^ c`.
const XOR: i32 = 0x96;

/// In each lane, the one of two numbers that is not the third. If the third is the minimum this is the
/// maximum, computed on another execution unit than minima on CPUs with one such unit.
///
/// # Safety
/// AVX-512.
#[inline(always)]
pub(super) unsafe fn other(a: __m512i, b: __m512i, one: __m512i) -> __m512i {
    // SAFETY: the caller upholds this function's contract.
    unsafe { _mm512_ternarylogic_epi64::<XOR>(a, b, one) }
}

/// An integer type that fills lanes of 512-bit vectors.
pub(crate) trait Vector: Ord + Copy + Send + Sync + 'static {
    /// Lanes of a vector.
    const LANES: usize;
    /// The largest value.
    const MAX: Self;

    /// The number with these low bits.
    fn of_bits(bits: u64) -> Self;
    /// The number.
    fn bits(self) -> u64;

    /// `count` numbers from `from`, and the largest value in the other lanes.
    ///
    /// # Safety
    /// As all functions of this trait: the CPU has AVX-512 (F, DQ, BW, VL). `from` is valid for reads of
    /// `count` numbers.
    unsafe fn load_some(from: *const Self, count: usize) -> __m512i;
    /// The smaller number in each lane.
    ///
    /// # Safety
    /// AVX-512.
    unsafe fn lesser(a: __m512i, b: __m512i) -> __m512i;
    /// The larger number in each lane.
    ///
    /// # Safety
    /// AVX-512.
    unsafe fn greater(a: __m512i, b: __m512i) -> __m512i;
    /// The larger of `a` and `b` in the lanes of the mask, the smaller in the others; `less` has the smaller
    /// of each lane.
    ///
    /// # Safety
    /// AVX-512.
    unsafe fn greater_in(mask: u16, less: __m512i, a: __m512i, b: __m512i) -> __m512i;
    /// `b` where the bit of the lane is set, else `a`.
    ///
    /// # Safety
    /// AVX-512.
    unsafe fn blend(mask: u16, a: __m512i, b: __m512i) -> __m512i;
    /// Lane `i` of the result is lane `i ^ flip`.
    ///
    /// # Safety
    /// AVX-512.
    unsafe fn exchange<const FLIP: usize>(a: __m512i) -> __m512i;
    /// The number in every lane.
    ///
    /// # Safety
    /// AVX-512.
    unsafe fn splat(value: Self) -> __m512i;
    /// The lanes in which `a` is larger.
    ///
    /// # Safety
    /// AVX-512.
    unsafe fn above(a: __m512i, b: __m512i) -> u16;
    /// The lanes in which `a` is not smaller.
    ///
    /// # Safety
    /// AVX-512.
    unsafe fn not_below(a: __m512i, b: __m512i) -> u16;
    /// The lanes of the mask, packed; the remaining lanes are unspecified.
    ///
    /// # Safety
    /// AVX-512.
    unsafe fn packed(mask: u16, a: __m512i) -> __m512i;
    /// Writes the lanes of `above` before `right` and the others from `left` on. Memory between the two is
    /// overwritten.
    ///
    /// # Safety
    /// AVX-512; a vector's room from `left` on, and another, without overlap, before `right`.
    unsafe fn part(a: __m512i, above: u16, left: *mut Self, right: *mut Self);
    /// Writes the first `count` lanes.
    ///
    /// # Safety
    /// AVX-512; `to` is valid for writes of `count` numbers.
    unsafe fn store_some(to: *mut Self, count: usize, a: __m512i);
}

/// Lane numbers with some bits flipped.
const fn flipped32(flip: usize) -> [u32; 16] {
    assert!(flip < 16);
    let mut lanes = [0; 16];
    let mut i = 0;
    while i < 16 {
        lanes[i] = (i ^ flip) as u32;
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

/// For each mask of eight lanes: the lanes outside it, then the lanes inside.
static PARTED: [[u8; 8]; 256] = parted();

const fn parted() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut below, mut above, mut lane) = (0, 8 - (mask as u8).count_ones() as usize, 0);
        while lane < 8 {
            let place = if mask >> lane & 1 == 1 { &mut above } else { &mut below };
            table[mask][*place] = lane;
            *place += 1;
            lane += 1;
        }
        mask += 1;
    }
    table
}

/// Implements a type by its instructions, its masks and its lane count; `$own` is specific to it.
macro_rules! vector {
    ($ty:ident: $lanes:literal lanes, masks $mask:ident, numbers $flipped:ident, $load:ident $store:ident $splat:ident $min:ident
     $max:ident $logic:ident $blend:ident $permute:ident $above:ident $not_below:ident $pack:ident; $($own:tt)+) => {
        impl Vector for $ty {
            const LANES: usize = $lanes;
            const MAX: Self = $ty::MAX;

            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                bits as $ty
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            unsafe fn load_some(from: *const Self, count: usize) -> __m512i {
                // SAFETY: the caller's, as this function states.
                unsafe { $load($splat(-1), (1u32 << count).wrapping_sub(1) as $mask, from.cast()) }
            }
            #[inline(always)]
            unsafe fn lesser(a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the caller's, as this function states.
                unsafe { $min(a, b) }
            }
            #[inline(always)]
            unsafe fn greater(a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the caller's, as this function states.
                unsafe { $max(a, b) }
            }
            #[inline(always)]
            unsafe fn greater_in(mask: u16, less: __m512i, a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the caller's, as this function states.
                unsafe { $logic::<XOR>(less, mask as $mask, a, b) }
            }
            #[inline(always)]
            unsafe fn blend(mask: u16, a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the caller's, as this function states.
                unsafe { $blend(mask as $mask, a, b) }
            }
            #[inline(always)]
            unsafe fn exchange<const FLIP: usize>(a: __m512i) -> __m512i {
                let lanes = const { $flipped(FLIP) };
                // SAFETY: the caller's, as this function states.
                unsafe { $permute(_mm512_loadu_si512(lanes.as_ptr().cast()), a) }
            }
            #[inline(always)]
            unsafe fn splat(value: Self) -> __m512i {
                // SAFETY: the caller's, as this function states.
                unsafe { $splat(value.cast_signed()) }
            }
            #[inline(always)]
            unsafe fn above(a: __m512i, b: __m512i) -> u16 {
                // SAFETY: the caller's, as this function states.
                unsafe { u16::from($above(a, b)) }
            }
            #[inline(always)]
            unsafe fn not_below(a: __m512i, b: __m512i) -> u16 {
                // SAFETY: the caller's, as this function states.
                unsafe { u16::from($not_below(a, b)) }
            }
            #[inline(always)]
            unsafe fn packed(mask: u16, a: __m512i) -> __m512i {
                // SAFETY: the caller's, as this function states.
                unsafe { $pack(mask as $mask, a) }
            }
            #[inline(always)]
            unsafe fn store_some(to: *mut Self, count: usize, a: __m512i) {
                // SAFETY: the caller's, as this function states.
                unsafe { $store(to.cast(), (1u32 << count).wrapping_sub(1) as $mask, a) }
            }

            $($own)+
        }
    };
}

vector! {
    u32: 16 lanes, masks u16, numbers flipped32,
    _mm512_mask_loadu_epi32 _mm512_mask_storeu_epi32 _mm512_set1_epi32
    _mm512_min_epu32 _mm512_max_epu32 _mm512_mask_ternarylogic_epi32
    _mm512_mask_blend_epi32 _mm512_permutexvar_epi32 _mm512_cmpgt_epu32_mask
    _mm512_cmpge_epu32_mask _mm512_maskz_compress_epi32;

    #[inline(always)]
    unsafe fn part(a: __m512i, above: u16, left: *mut Self, right: *mut Self) {
        let count = above.count_ones() as usize;
        // SAFETY: the caller's, as this function states.
        unsafe {
            _mm512_storeu_si512(left.cast(), Self::packed(!above, a));
            Self::store_some(right.sub(count), count, Self::packed(above, a));
        }
    }
}

vector! {
    u64: 8 lanes, masks u8, numbers flipped64,
    _mm512_mask_loadu_epi64 _mm512_mask_storeu_epi64 _mm512_set1_epi64
    _mm512_min_epu64 _mm512_max_epu64 _mm512_mask_ternarylogic_epi64
    _mm512_mask_blend_epi64 _mm512_permutexvar_epi64 _mm512_cmpgt_epu64_mask
    _mm512_cmpge_epu64_mask _mm512_maskz_compress_epi64;

    /// One table permutation costs half of two compressions; a table for 16 lanes would be too large.
    #[inline(always)]
    unsafe fn part(a: __m512i, above: u16, left: *mut Self, right: *mut Self) {
        // SAFETY: the caller upholds this function's contract; a mask of eight lanes is less than 256.
        unsafe {
            let lanes = _mm_loadl_epi64(PARTED[usize::from(above as u8)].as_ptr().cast());
            let parted = _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(lanes), a);
            _mm512_storeu_si512(left.cast(), parted);
            _mm512_storeu_si512(right.sub(Self::LANES).cast(), parted);
        }
    }
}
