//! Integers that are sorted, and the vectors whose lanes they are.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(target_arch = "x86_64")]
use crate::loops::Simd;

/// An integer type that is sorted.
pub(crate) trait Lane: Ord + Copy + Send + Sync + std::fmt::Debug + 'static {
    /// Its vectors of 256 bits, for CPUs of level v3.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Vector<Number = Self>;
    /// Its vectors of 512 bits, for CPUs of level v4.
    #[cfg(target_arch = "x86_64")]
    type Avx512: Vector<Number = Self>;

    /// The largest value.
    const MAX: Self;

    /// The number with these low bits.
    fn of_bits(bits: u64) -> Self;
    /// The number.
    fn bits(self) -> u64;
}

macro_rules! lanes {
    ($($ty:ident: $avx2:ident, $avx512:ident;)+) => {$(
        impl Lane for $ty {
            #[cfg(target_arch = "x86_64")]
            type Avx2 = avx2::$avx2;
            #[cfg(target_arch = "x86_64")]
            type Avx512 = avx512::$avx512;

            const MAX: Self = $ty::MAX;

            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                bits as $ty
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(self)
            }
        }
    )+};
}
lanes! {
    u32: U32x8, U32x16;
    u64: U64x4, U64x8;
}

/// A vector register of integers.
///
/// A register may hold its numbers in another form than memory does: `load` and `store` translate.
///
/// # Safety
/// Every function of this trait requires a CPU of the vector's level. The functions are inlined into code that is compiled
/// for that level, so that vectors stay in registers.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Vector: Copy {
    /// The type of a lane.
    type Number: Lane;
    /// The level that has the instructions.
    type Level: Simd;
    /// Lanes of a vector.
    const LANES: usize;
    /// The mask of all lanes.
    const ALL: u32 = (1 << Self::LANES) - 1;

    /// The numbers from `from` on.
    ///
    /// # Safety
    /// The level; `from` is valid for reads of a vector.
    unsafe fn load(from: *const Self::Number) -> Self;
    /// `count` numbers from `from` on, and the largest value in the other lanes.
    ///
    /// # Safety
    /// The level; `from` is valid for reads of `count` numbers, which fit a vector.
    unsafe fn load_some(from: *const Self::Number, count: usize) -> Self;
    /// The number in every lane.
    ///
    /// # Safety
    /// The level.
    unsafe fn splat(number: Self::Number) -> Self;
    /// Writes all lanes.
    ///
    /// # Safety
    /// The level; `to` is valid for writes of a vector.
    unsafe fn store(self, to: *mut Self::Number);
    /// Writes the first `count` lanes.
    ///
    /// # Safety
    /// The level; `to` is valid for writes of `count` numbers, which fit a vector.
    unsafe fn store_some(self, to: *mut Self::Number, count: usize);
    /// The smaller number of each lane, and the larger.
    ///
    /// # Safety
    /// The level.
    unsafe fn sorted(self, other: Self) -> [Self; 2];
    /// Where the lane number has the bit `BIT`, the larger number of each lane, elsewhere the smaller; and the other of
    /// the two.
    ///
    /// # Safety
    /// The level.
    unsafe fn sorted_by_lane<const BIT: usize>(self, other: Self) -> [Self; 2];
    /// The lanes of `other` where the lane number has the bit `BIT`, and the lanes of `self` elsewhere.
    ///
    /// # Safety
    /// The level.
    unsafe fn blend<const BIT: usize>(self, other: Self) -> Self;
    /// Lane `i` of the result is lane `i ^ FLIP`.
    ///
    /// # Safety
    /// The level.
    unsafe fn exchange<const FLIP: usize>(self) -> Self;
    /// The mask of lanes in which `self` is larger.
    ///
    /// # Safety
    /// The level.
    unsafe fn above(self, other: Self) -> u32;
    /// The mask of lanes in which `self` is not smaller.
    ///
    /// # Safety
    /// The level.
    unsafe fn not_below(self, other: Self) -> u32;
    /// The lanes of the mask, packed; the remaining lanes are unspecified.
    ///
    /// # Safety
    /// The level.
    unsafe fn packed(self, mask: u32) -> Self;
    /// Writes the lanes of `above` before `right`, and the others from `left` on. The rest of a vector from `left` on
    /// and of one before `right` is overwritten.
    ///
    /// # Safety
    /// The level; a vector from `left` on and another before `right` may be written. They are the same place, or do
    /// not overlap.
    unsafe fn part(self, above: u32, left: *mut Self::Number, right: *mut Self::Number);
}

/// For each mask of eight lanes: the lanes outside it, then the lanes inside.
#[cfg(target_arch = "x86_64")]
static PARTED: [[u8; 8]; 256] = parted();

#[cfg(target_arch = "x86_64")]
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

/// Mask of the lanes whose number has this bit.
#[cfg(target_arch = "x86_64")]
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

/// Calls a test that is generic over the vector for each vector that the CPU has.
#[cfg(all(test, target_arch = "x86_64"))]
macro_rules! each_vector {
    ($test:ident) => {
        if $crate::loops::Level::named("v3").is_some() {
            $test::<<u32 as $crate::sort::lane::Lane>::Avx2>();
            $test::<<u64 as $crate::sort::lane::Lane>::Avx2>();
        }
        if $crate::loops::Level::named("v4").is_some() {
            $test::<<u32 as $crate::sort::lane::Lane>::Avx512>();
            $test::<<u64 as $crate::sort::lane::Lane>::Avx512>();
        }
    };
}
#[cfg(all(test, target_arch = "x86_64"))]
pub(super) use each_vector;
