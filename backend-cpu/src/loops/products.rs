//! Sums of products, for matrices and for taps along a sequence: a step adds four rows of factors to four rows
//! of sums, or eight taps to a row of sums.
//!
//! The inner loop runs along whole rows in memory, so that it vectorizes at every level for every type. (Tiles
//! of sums in registers were twice as fast for some types and forty times slower for others.) With a kilobyte
//! per row the factors of a step stay in the L1 cache.

use std::marker::PhantomData;

use super::{Loop, LoopFn, Simd};

/// Bytes of a row of sums or factors.
const ROW_BYTES: usize = 1024;
/// Rows of sums, and rows of factors, of one step.
pub(crate) const STEP: usize = 4;
/// Taps of one step along a sequence: each sum is read and written once for all of them.
pub(crate) const TAPS: usize = 8;

/// The type of a sum.
pub(crate) trait Sum: Copy + Send + Sync + 'static {
    /// The empty sum.
    const ZERO: Self;
    /// The identity of addition: adding it changes no value.
    const NONE: Self;
    /// Elements of a row.
    const ROW: usize = ROW_BYTES / size_of::<Self>();
    /// `self + other`.
    fn plus(self, other: Self) -> Self;
    /// `self + a * b`.
    fn add_product(self, a: Self, b: Self) -> Self;
    /// The matrix loop: `out` holds [`STEP`] rows of sums; `args[0]` the weights, one array of [`STEP`] per
    /// row of sums for each [`STEP`] rows of factors; `args[1]` `count` rows of factors, a multiple of
    /// [`STEP`]; `args[2]` one `usize`, the used length of each row.
    fn gain<S: Simd>() -> LoopFn {
        S::compiled::<Gain<Self>>()
    }
    /// The loops along a sequence, for [`TAPS`] taps and for one: they add to `count` sums at `out` the
    /// products of the taps at `args[1]` with the elements at `args[0]`, which start under the first tap and
    /// extend by one for each further tap.
    fn along<S: Simd>() -> [LoopFn; 2] {
        [S::compiled::<Along<Self, TAPS>>(), S::compiled::<Along<Self, 1>>()]
    }
}

macro_rules! wrapping {
    ($($ty:ty),+) => {$(
        impl Sum for $ty {
            const ZERO: Self = 0;
            const NONE: Self = 0;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn add_product(self, a: Self, b: Self) -> Self {
                self.wrapping_add(a.wrapping_mul(b))
            }
        }
    )+};
}
// Wrapping products and sums do not depend on sign. SIMD has no multiplication of bytes, so bytes are widened
// to 16 bits, whose lower half is the result.
wrapping!(u16, u32, u64);

macro_rules! floats {
    ($($ty:ty),+) => {$(
        impl Sum for $ty {
            const ZERO: Self = 0.0;
            const NONE: Self = -0.0;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn add_product(self, a: Self, b: Self) -> Self {
                self + a * b
            }
        }
        impl Sum for [$ty; 2] {
            const ZERO: Self = [0.0; 2];
            const NONE: Self = [-0.0; 2];
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                [self[0] + other[0], self[1] + other[1]]
            }
            #[inline(always)]
            fn add_product(self, a: Self, b: Self) -> Self {
                [self[0] + (a[0] * b[0] - a[1] * b[1]), self[1] + (a[0] * b[1] + a[1] * b[0])]
            }
        }
    )+};
}
floats!(f32, f64);

/// A boolean as a byte: `or` of `and`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct BoolOrAnd(pub(crate) u8);

impl Sum for BoolOrAnd {
    const ZERO: Self = BoolOrAnd(0);
    const NONE: Self = BoolOrAnd(0);
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        BoolOrAnd(self.0 | other.0)
    }
    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        BoolOrAnd(self.0 | (a.0 & b.0))
    }
}

/// An element type and its accumulation type.
pub(crate) trait Factor<A>: Copy + Sync {
    fn widen(self) -> A;
    fn narrow(sum: A) -> Self;
}

macro_rules! themselves {
    ($($ty:ty),+) => {$(
        impl Factor<$ty> for $ty {
            #[inline(always)]
            fn widen(self) -> $ty {
                self
            }
            #[inline(always)]
            fn narrow(sum: $ty) -> $ty {
                sum
            }
        }
    )+};
}
themselves!(u16, u32, u64, f32, f64, [f32; 2], [f64; 2], BoolOrAnd);

impl Factor<u16> for u8 {
    #[inline(always)]
    fn widen(self) -> u16 {
        u16::from(self)
    }
    #[inline(always)]
    fn narrow(sum: u16) -> u8 {
        sum as u8
    }
}
impl Factor<f32> for half::f16 {
    fn widen(self) -> f32 {
        self.to_f32()
    }
    fn narrow(sum: f32) -> half::f16 {
        ndany_core::float::f32_to_f16(sum)
    }
}
impl Factor<f32> for half::bf16 {
    fn widen(self) -> f32 {
        self.to_f32()
    }
    fn narrow(sum: f32) -> half::bf16 {
        ndany_core::float::f32_to_bf16(sum)
    }
}

/// See [`Sum::gain`].
pub(crate) struct Gain<T>(PhantomData<T>);

impl<T: Sum> Loop for Gain<T> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the contract of `Sum::gain`.
        let (weights, used) = unsafe {
            let weights =
                std::slice::from_raw_parts(args[0].cast::<[[T; STEP]; STEP]>(), count / STEP);
            (weights, args[2].cast::<usize>().read())
        };
        let [s0, s1, s2, s3] = [0, 1, 2, 3].map(|index| {
            // SAFETY: as above; rows do not overlap.
            unsafe { std::slice::from_raw_parts_mut(out.cast::<T>().add(index * T::ROW), used) }
        });
        for (step, &[w0, w1, w2, w3]) in weights.iter().enumerate() {
            let [f0, f1, f2, f3] = [0, 1, 2, 3].map(|index| {
                let row = (step * STEP + index) * T::ROW;
                // SAFETY: as above.
                unsafe { std::slice::from_raw_parts(args[1].cast::<T>().add(row), used) }
            });
            let sums = s0.iter_mut().zip(s1.iter_mut()).zip(s2.iter_mut().zip(s3.iter_mut()));
            let factors = f0.iter().zip(f1).zip(f2.iter().zip(f3));
            for (((s0, s1), (s2, s3)), ((&f0, &f1), (&f2, &f3))) in sums.zip(factors) {
                let f = [f0, f1, f2, f3];
                *s0 = four(*s0, w0, f);
                *s1 = four(*s1, w1, f);
                *s2 = four(*s2, w2, f);
                *s3 = four(*s3, w3, f);
            }
        }
        false
    }
}

#[inline(always)]
fn four<T: Sum>(sum: T, w: [T; STEP], f: [T; STEP]) -> T {
    let sum = sum.add_product(w[0], f[0]).add_product(w[1], f[1]);
    sum.add_product(w[2], f[2]).add_product(w[3], f[3])
}

/// See [`Sum::along`].
pub(crate) struct Along<T, const COUNT: usize>(PhantomData<T>);

impl<T: Sum, const COUNT: usize> Loop for Along<T, COUNT> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the contract of `Sum::along`; sums and elements do not overlap.
        let (sums, elements, taps) = unsafe {
            (
                std::slice::from_raw_parts_mut(out.cast::<T>(), count),
                std::slice::from_raw_parts(args[0].cast::<T>(), count + COUNT - 1),
                args[1].cast::<[T; COUNT]>().read(),
            )
        };
        for (sum, under) in sums.iter_mut().zip(elements.windows(COUNT)) {
            let products = under.iter().zip(taps);
            *sum = products.fold(*sum, |sum, (&element, tap)| sum.add_product(element, tap));
        }
        false
    }
}
