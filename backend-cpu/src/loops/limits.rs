//! Signs and clamps: as single loops they are as fast as memory.

use std::marker::PhantomData;

use super::Loop;
use super::scalars::Op1;

/// 1, -1 or 0 by the sign of a float; a NaN stays.
pub(super) struct Sign<T>(PhantomData<T>);

macro_rules! sign {
    ($($ty:ty),+) => {$(
        impl Op1 for Sign<$ty> {
            type In = $ty;
            type Out = $ty;
            #[inline(always)]
            fn apply(x: $ty) -> $ty {
                let below = if x < 0.0 { -1.0 } else { 0.0 };
                let sign = if x > 0.0 { 1.0 } else { below };
                if x.is_nan() { x } else { sign }
            }
        }
    )+};
}
sign!(f32, f64);

/// `out[i]` is `a[i]` clamped to at least `low` and then to at most `high`, with one `low` at `args[1]` and
/// one `high` at `args[2]`. A NaN among the three is the result.
pub(super) struct Clamp<T>(PhantomData<T>);

/// # Safety
/// As [`super::LoopFn`], with one value at `args[1]` and at `args[2]`.
#[inline(always)]
unsafe fn each<T: Copy>(
    out: *mut u8,
    args: [*const u8; 3],
    count: usize,
    between: impl Fn(T, T, T) -> T,
) {
    // SAFETY: the caller upholds this; the values are plain bits, of which every pattern is a value.
    let (out, x, low, high) = unsafe {
        (
            std::slice::from_raw_parts_mut(out.cast::<T>(), count),
            std::slice::from_raw_parts(args[0].cast::<T>(), count),
            *args[1].cast::<T>(),
            *args[2].cast::<T>(),
        )
    };
    for (out, &x) in out.iter_mut().zip(x) {
        *out = between(x, low, high);
    }
}

macro_rules! between {
    ($($ty:ty)+) => {$(
        impl Loop for Clamp<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: this loop's contract, for three instructions.
                unsafe {
                    let limits: [$ty; 2] = [*args[1].cast(), *args[2].cast()];
                    // Only NaN is unequal to itself; the upper limit is applied last.
                    let is_nan = |limit: &$ty| limit.partial_cmp(limit).is_none();
                    match limits.into_iter().rev().find(is_nan) {
                        None => each::<$ty>(out, args, count, |x, low, high| {
                            let x = if x < low { low } else { x };
                            if high < x { high } else { x }
                        }),
                        Some(nan) => each::<$ty>(out, args, count, |_, _, _| nan),
                    }
                }
                false
            }
        }
    )+};
}
between!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
