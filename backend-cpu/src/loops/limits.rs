//! Signs, and values brought between two limits: runs of steps that are as quick as memory where they are one loop.

use std::marker::PhantomData;

use super::Loop;
use super::scalars::{Max, Min, Op1, Op2};

/// 1, -1 or 0 by the sign of a float; NaN as it is.
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

/// `out[i]` is the smaller of `high` and the larger of `a[i]` and `low`, with one `low` at `args[1]` and one `high` at
/// `args[2]`.
pub(super) struct Between<T>(PhantomData<T>);

/// # Safety
/// As [`super::LoopFn`], with one value at `args[1]` and at `args[2]`.
#[inline(always)]
unsafe fn each<T: Copy>(
    out: *mut u8,
    args: [*const u8; 3],
    count: usize,
    between: impl Fn(T, T, T) -> T,
) {
    // SAFETY: the caller's promise; the values are plain bits, of which every pattern is a value.
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
    ($($ty:ty, $plain:expr;)+) => {$(
        impl Loop for Between<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: this loop's contract.
                let limits: [$ty; 2] = unsafe { [*args[1].cast(), *args[2].cast()] };
                let plain: fn($ty) -> bool = $plain;
                // SAFETY: this loop's contract, twice.
                unsafe {
                    if limits.into_iter().all(plain) {
                        each::<$ty>(out, args, count, |x, low, high| {
                            let x = if x <= low { low } else { x };
                            if high < x { high } else { x }
                        });
                    } else {
                        each::<$ty>(out, args, count, |x, low, high| {
                            Min::<$ty>::apply(Max::<$ty>::apply(x, low), high)
                        });
                    }
                }
                false
            }
        }
    )+};
}
// With a limit that is a number and not -0.0 there is no choice between equals and NaN to be made: only 0.0 is not
// less than -0.0, and the comparison with `low` gives 0.0 of the two.
between! {
    i8, |_| true;
    i16, |_| true;
    i32, |_| true;
    i64, |_| true;
    u8, |_| true;
    u16, |_| true;
    u32, |_| true;
    u64, |_| true;
    f32, |x| !x.is_nan() && x.to_bits() != (-0.0f32).to_bits();
    f64, |x| !x.is_nan() && x.to_bits() != (-0.0f64).to_bits();
}
