//! Quotients and remainders of integers by float division: a processor divides eight floats in the time of one
//! or two integers.
//!
//! Let x and y be integers that floats represent exactly. If x / y lies below an integer, then so does its
//! rounded value: the distance is at least 1 / |y|, more than half the spacing of floats there. So truncation
//! is exact, and so are the product with y, at most |x|, and the remainder. Runs with larger numbers use
//! integer division.

use std::marker::PhantomData;

use super::Loop;
use super::scalars::{Div, Op2, Rem};

/// Truncated quotients, or with `REST` remainders with the sign of the dividend; 0 for a zero divisor.
pub(super) struct IntDivision<T, const REST: bool>(PhantomData<T>);

/// Numbers that are checked together.
const STRETCH: usize = 128;
/// 1.5 · 2^52: adding an integer of magnitude up to 2^51 puts it into the last bits of the float.
const SHIFT: f64 = 6_755_399_441_055_744.0;
const SHIFT_BITS: u64 = SHIFT.to_bits();

#[inline(always)]
fn to_float(x: i64) -> f64 {
    f64::from_bits(SHIFT_BITS.wrapping_add(x as u64)) - SHIFT
}

#[inline(always)]
fn of_float(x: f64) -> i64 {
    (x + SHIFT).to_bits().wrapping_sub(SHIFT_BITS) as i64
}

macro_rules! ratio {
    ($($ty:ty, |$x:ident| $far:expr;)+) => {$(
        impl<const REST: bool> Loop for IntDivision<$ty, REST> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: `LoopFn`'s contract: aligned, `count` values each, no overlap with `out`.
                let (out, x, y) = unsafe {
                    (
                        std::slice::from_raw_parts_mut(out.cast::<$ty>(), count),
                        std::slice::from_raw_parts(args[0].cast::<$ty>(), count),
                        std::slice::from_raw_parts(args[1].cast::<$ty>(), count),
                    )
                };
                // Nonzero if a number may be too large.
                let far = |$x: $ty| -> u64 { $far };
                let stretches = x.chunks(STRETCH).zip(y.chunks(STRETCH));
                for (out, (x, y)) in out.chunks_mut(STRETCH).zip(stretches) {
                    let any = x.iter().zip(y).fold(0, |any, (&x, &y)| any | far(x) | far(y));
                    for ((out, &x), &y) in out.iter_mut().zip(x).zip(y) {
                        *out = if any == 0 {
                            let (dividend, divisor) = (to_float(x as i64), to_float(y as i64));
                            let quotient = (dividend / divisor).trunc();
                            let found = if REST { dividend - quotient * divisor } else { quotient };
                            if y == 0 { 0 } else { of_float(found) as $ty }
                        } else if REST {
                            Rem::<$ty>::apply(x, y)
                        } else {
                            Div::<$ty>::apply(x, y)
                        };
                    }
                }
                false
            }
        }
    )+};
}
ratio! {
    i32, |_x| 0;
    u32, |_x| 0;
    i64, |x| (x as u64).wrapping_add(1 << 50) >> 51;
    u64, |x| x >> 50;
}
