//! Small arrays by a sorting network in registers: no branches that depend on the numbers.
//!
//! Up to [`REGISTERS`] vectors hold the numbers; number `lane * registers + register` of the sorted order
//! ends up there. A bitonic network in which every comparison puts the smaller number first: merging two
//! sorted halves compares each number with its mirror image, and then with the one half the size away, a
//! quarter, and so on. Distances below the number of registers are between registers, the others between
//! lanes. Missing numbers count as the largest.

use std::arch::x86_64::*;

/// Vectors that a network takes at most.
pub(super) const REGISTERS: usize = 16;

/// A number as a lane of a vector of 512 bits.
pub(crate) trait Vector: Ord + Copy + Send + Sync + 'static {
    /// Lanes of a vector.
    const LANES: usize;
    /// The largest number.
    const MOST: Self;

    /// The number with these low bits.
    fn of_bits(bits: u64) -> Self;
    /// The number.
    fn bits(self) -> u64;

    /// `count` numbers from `from`, the largest one in the other lanes.
    ///
    /// # Safety
    /// As all functions of this trait: the CPU has AVX-512 (F, DQ, BW, VL). `from` is good for `count`.
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
    /// The lanes of the mask, one after the other, and then anything.
    ///
    /// # Safety
    /// AVX-512.
    unsafe fn packed(mask: u16, a: __m512i) -> __m512i;
    /// Writes the lanes of `above` before `right` and the others from `left` on, and between the two what comes.
    ///
    /// # Safety
    /// AVX-512; a vector's room from `left` on, and one that does not overlap it before `right`.
    unsafe fn part(a: __m512i, above: u16, left: *mut Self, right: *mut Self);
    /// Writes the first `count` lanes.
    ///
    /// # Safety
    /// AVX-512; `to` is good for `count` numbers.
    unsafe fn store_some(to: *mut Self, count: usize, a: __m512i);
}

/// Lane numbers with some bits flipped.
const fn flipped32(flip: usize) -> [u32; 16] {
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

/// For each mask of eight lanes: those that are not in it, and then those that are.
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

impl Vector for u32 {
    const LANES: usize = 16;
    const MOST: Self = u32::MAX;

    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        bits as u32
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self)
    }

    #[inline(always)]
    unsafe fn load_some(from: *const Self, count: usize) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe {
            _mm512_mask_loadu_epi32(
                _mm512_set1_epi32(-1),
                (1u32 << count).wrapping_sub(1) as u16,
                from.cast(),
            )
        }
    }
    #[inline(always)]
    unsafe fn lesser(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_min_epu32(a, b) }
    }
    #[inline(always)]
    unsafe fn greater(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_max_epu32(a, b) }
    }
    #[inline(always)]
    unsafe fn blend(mask: u16, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_mask_blend_epi32(mask, a, b) }
    }
    #[inline(always)]
    unsafe fn exchange<const FLIP: usize>(a: __m512i) -> __m512i {
        const { assert!(FLIP < 16) };
        let lanes = const { flipped32(FLIP) };
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_permutexvar_epi32(_mm512_loadu_si512(lanes.as_ptr().cast()), a) }
    }
    #[inline(always)]
    unsafe fn splat(value: Self) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_set1_epi32(value as i32) }
    }
    #[inline(always)]
    unsafe fn above(a: __m512i, b: __m512i) -> u16 {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_cmpgt_epu32_mask(a, b) }
    }
    #[inline(always)]
    unsafe fn not_below(a: __m512i, b: __m512i) -> u16 {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_cmpge_epu32_mask(a, b) }
    }
    #[inline(always)]
    unsafe fn packed(mask: u16, a: __m512i) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_maskz_compress_epi32(mask, a) }
    }
    #[inline(always)]
    unsafe fn part(a: __m512i, above: u16, left: *mut Self, right: *mut Self) {
        let count = above.count_ones() as usize;
        // SAFETY: the caller's, as this function states.
        unsafe {
            _mm512_storeu_si512(left.cast(), Self::packed(!above, a));
            Self::store_some(right.sub(count), count, Self::packed(above, a));
        }
    }
    #[inline(always)]
    unsafe fn store_some(to: *mut Self, count: usize, a: __m512i) {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_mask_storeu_epi32(to.cast(), (1u32 << count).wrapping_sub(1) as u16, a) }
    }
}

impl Vector for u64 {
    const LANES: usize = 8;
    const MOST: Self = u64::MAX;

    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        bits
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        self
    }

    #[inline(always)]
    unsafe fn load_some(from: *const Self, count: usize) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe {
            _mm512_mask_loadu_epi64(
                _mm512_set1_epi64(-1),
                (1u32 << count).wrapping_sub(1) as u8,
                from.cast(),
            )
        }
    }
    #[inline(always)]
    unsafe fn lesser(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_min_epu64(a, b) }
    }
    #[inline(always)]
    unsafe fn greater(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_max_epu64(a, b) }
    }
    #[inline(always)]
    unsafe fn blend(mask: u16, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_mask_blend_epi64(mask as u8, a, b) }
    }
    #[inline(always)]
    unsafe fn exchange<const FLIP: usize>(a: __m512i) -> __m512i {
        let lanes = const { flipped64(FLIP) };
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_permutexvar_epi64(_mm512_loadu_si512(lanes.as_ptr().cast()), a) }
    }
    #[inline(always)]
    unsafe fn splat(value: Self) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_set1_epi64(value as i64) }
    }
    #[inline(always)]
    unsafe fn above(a: __m512i, b: __m512i) -> u16 {
        // SAFETY: the caller's, as this function states.
        unsafe { u16::from(_mm512_cmpgt_epu64_mask(a, b)) }
    }
    #[inline(always)]
    unsafe fn not_below(a: __m512i, b: __m512i) -> u16 {
        // SAFETY: the caller's, as this function states.
        unsafe { u16::from(_mm512_cmpge_epu64_mask(a, b)) }
    }
    #[inline(always)]
    unsafe fn packed(mask: u16, a: __m512i) -> __m512i {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_maskz_compress_epi64(mask as u8, a) }
    }
    /// One permutation by a table costs half of packing twice; for 16 lanes the table were too long.
    #[inline(always)]
    unsafe fn part(a: __m512i, above: u16, left: *mut Self, right: *mut Self) {
        // SAFETY: the caller's, as this function states; a mask of eight lanes is less than 256.
        unsafe {
            let lanes = _mm_loadl_epi64(PARTED[usize::from(above as u8)].as_ptr().cast());
            let parted = _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(lanes), a);
            _mm512_storeu_si512(left.cast(), parted);
            _mm512_storeu_si512(right.sub(Self::LANES).cast(), parted);
        }
    }
    #[inline(always)]
    unsafe fn store_some(to: *mut Self, count: usize, a: __m512i) {
        // SAFETY: the caller's, as this function states.
        unsafe { _mm512_mask_storeu_epi64(to.cast(), (1u32 << count).wrapping_sub(1) as u8, a) }
    }
}

/// Lanes whose number has this bit.
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
        // Columns: the registers' numbers in each lane.
        registers::<L, R, 2>(&mut v, true);
        registers::<L, R, 4>(&mut v, true);
        registers::<L, R, 8>(&mut v, true);
        registers::<L, R, 16>(&mut v, true);
        // Then pairs of columns, of those, and so on.
        lanes::<L, R, 1, 1>(&mut v, true);
        registers::<L, R, R>(&mut v, false);
        lanes::<L, R, 3, 2>(&mut v, true);
        lanes::<L, R, 1, 1>(&mut v, false);
        registers::<L, R, R>(&mut v, false);
        lanes::<L, R, 7, 4>(&mut v, true);
        lanes::<L, R, 2, 2>(&mut v, false);
        lanes::<L, R, 1, 1>(&mut v, false);
        registers::<L, R, R>(&mut v, false);
        if L::LANES == 16 {
            lanes::<L, R, 15, 8>(&mut v, true);
            lanes::<L, R, 4, 4>(&mut v, false);
            lanes::<L, R, 2, 2>(&mut v, false);
            lanes::<L, R, 1, 1>(&mut v, false);
            registers::<L, R, R>(&mut v, false);
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

/// Lanes with this bit change places with the registers that have it.
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

/// One merge of blocks of `K` registers: with their mirror images first, or half the block away.
///
/// # Safety
/// AVX-512.
#[inline(always)]
unsafe fn registers<L: Vector, const R: usize, const K: usize>(
    v: &mut [__m512i; R],
    mirrored: bool,
) {
    if K > R {
        return;
    }
    let mut compare = |a: usize, b: usize| {
        // SAFETY: the caller's: AVX-512.
        (v[a], v[b]) = unsafe { (L::lesser(v[a], v[b]), L::greater(v[a], v[b])) };
    };
    let mut distance = K / 2;
    if mirrored {
        for a in 0..R {
            if a % K < K / 2 {
                compare(a, a ^ (K - 1));
            }
        }
        distance = K / 4;
    }
    while distance > 0 {
        for a in 0..R {
            if a & distance == 0 {
                compare(a, a | distance);
            }
        }
        distance /= 2;
    }
}

/// One comparison of each number with that of lane `^ FLIP`, and of the mirrored register if `mirrored`;
/// `BIT` of its lane says which of the two is the later one.
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
                let other = L::exchange::<FLIP>(v[b]);
                let (less, more) = (L::lesser(v[a], other), L::greater(v[a], other));
                v[a] = L::blend(later, less, more);
                v[b] = L::exchange::<FLIP>(L::blend(later, more, less));
            }
        } else {
            for v in v.iter_mut() {
                let other = L::exchange::<FLIP>(*v);
                *v = L::blend(later, L::lesser(*v, other), L::greater(*v, other));
            }
        }
    }
}
