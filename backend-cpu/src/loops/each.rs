//! Elementwise loops.

use std::marker::PhantomData;

use super::Loop;
use super::scalars::*;

/// `out[i] = f(a[i])`.
pub(super) struct Unary<O>(PhantomData<O>);

impl<O: Op1> Loop for Unary<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: `LoopFn`'s contract: aligned, `count` values each, no overlap with `out`.
        let (out, x) = unsafe { (block_mut::<O::Out>(out, count), block::<O::In>(args[0], count)) };
        for (out, &x) in out.iter_mut().zip(x) {
            *out = O::apply(x);
        }
        false
    }
}

/// `out[i] = value`, with the value at `args[0]`.
pub(super) struct Fill<T>(PhantomData<T>);

impl<T: Copy> Loop for Fill<T> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: `Loops::fill`'s contract: `count` values at `out`, one at `args[0]`, all aligned.
        let (out, value) = unsafe { (block_mut::<T>(out, count), *args[0].cast::<T>()) };
        out.fill(value);
        false
    }
}

/// `out[i] = first + i`, in i64, with the first at `args[0]`.
pub(super) struct Iota;

impl Loop for Iota {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: `Loops::iota`'s contract: `count` values at `out`, one at `args[0]`, all aligned.
        let (out, first) = unsafe { (block_mut::<i64>(out, count), *args[0].cast::<i64>()) };
        for (out, position) in out.iter_mut().zip(first..) {
            *out = position;
        }
        false
    }
}

/// `out[i] = a[2 * i + P]`: one part of complex numbers.
pub(super) struct Deinterleave<T, const P: usize>(PhantomData<T>);

impl<T: Copy, const P: usize> Loop for Deinterleave<T, P> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: `Loops::deinterleave`'s contract: aligned, `count` values and as many pairs, no overlap.
        let (out, pairs) = unsafe { (block_mut::<T>(out, count), block::<T>(args[0], 2 * count)) };
        for (out, pair) in out.iter_mut().zip(pairs.chunks_exact(2)) {
            *out = pair[P];
        }
        false
    }
}

/// `out[2 * i] = a[i]` and `out[2 * i + 1] = b[i]`: complex numbers from their parts.
pub(super) struct Interleave<T>(PhantomData<T>);

impl<T: Copy> Loop for Interleave<T> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: `Loops::interleave`'s contract: aligned, `count` values each and as many pairs, no overlap.
        let (out, x, y) = unsafe {
            (block_mut::<T>(out, 2 * count), block::<T>(args[0], count), block::<T>(args[1], count))
        };
        for ((pair, &x), &y) in out.chunks_exact_mut(2).zip(x).zip(y) {
            pair[0] = x;
            pair[1] = y;
        }
        false
    }
}

/// `out[i] = f(a[i], b[i])`.
pub(super) struct Binary<O>(PhantomData<O>);

impl<O: Op2> Loop for Binary<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: `LoopFn`'s contract: aligned, `count` values each, no overlap with `out`.
        let (out, x, y) = unsafe {
            (
                block_mut::<O::Out>(out, count),
                block::<O::In>(args[0], count),
                block::<O::In>(args[1], count),
            )
        };
        for ((out, &x), &y) in out.iter_mut().zip(x).zip(y) {
            *out = O::apply(x, y);
        }
        false
    }
}

/// `out[i] = a[i] ? b[i] : c[i]`.
pub(super) struct Select<T>(PhantomData<T>);

macro_rules! select {
    ($($ty:ty),+) => {$(
        impl Loop for Select<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: `LoopFn`'s contract: aligned, `count` values each, no overlap with `out`.
                let (out, condition, yes, no) = unsafe {
                    (
                        block_mut::<$ty>(out, count),
                        block::<u8>(args[0], count),
                        block::<$ty>(args[1], count),
                        block::<$ty>(args[2], count),
                    )
                };
                let values = yes.iter().zip(no);
                for ((out, &condition), (&yes, &no)) in out.iter_mut().zip(condition).zip(values) {
                    // By bit masks: the compiler turns `if` into a selection of addresses and a gather of
                    // loads.
                    let mask = <$ty>::from(condition != 0).wrapping_neg();
                    *out = (yes & mask) | (no & !mask);
                }
                false
            }
        }
    )+};
}
select!(u8, u16, u32, u64);

/// `out[i] = a[i] * b[i] + c[i]`, rounded once.
pub(super) struct Fma<T>(PhantomData<T>);

macro_rules! fma {
    ($($ty:ty),+) => {$(
        impl Loop for Fma<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: `LoopFn`'s contract: aligned, `count` values each, no overlap with `out`.
                let (out, x, y, z) = unsafe {
                    (
                        block_mut::<$ty>(out, count),
                        block::<$ty>(args[0], count),
                        block::<$ty>(args[1], count),
                        block::<$ty>(args[2], count),
                    )
                };
                for (((out, &x), &y), &z) in out.iter_mut().zip(x).zip(y).zip(z) {
                    *out = x.mul_add(y, z);
                }
                false
            }
        }
    )+};
}
fma!(f32, f64);

/// A reinterpretation of the same bits.
pub(super) struct Reinterpret<T>(PhantomData<T>);

impl<T: Copy> Op1 for Reinterpret<T> {
    type In = T;
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x
    }
}

/// `out[i] = a[i] ^ b[i]` of integers, wrapping; a negative exponent fails.
pub(super) struct IntPow<T>(PhantomData<T>);

macro_rules! int_pow {
    ($($ty:ty),+) => {$(
        impl Loop for IntPow<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: `LoopFn`'s contract: aligned, `count` values each, no overlap with `out`.
                let (out, base, exponent) = unsafe {
                    (block_mut::<$ty>(out, count), block::<$ty>(args[0], count), block::<$ty>(args[1], count))
                };
                let mut fault = false;
                for ((out, &base), &exponent) in out.iter_mut().zip(base).zip(exponent) {
                    #[allow(unused_comparisons)]
                    let negative = exponent < 0;
                    fault |= negative;
                    let (mut power, mut base, mut rest): ($ty, $ty, $ty) = (1, base, exponent);
                    while rest > 0 {
                        if rest & 1 == 1 {
                            power = power.wrapping_mul(base);
                        }
                        base = base.wrapping_mul(base);
                        rest >>= 1;
                    }
                    *out = power;
                }
                fault
            }
        }
    )+};
}
int_pow!(i8, i16, i32, i64, u8, u16, u32, u64);

/// # Safety
/// `start` is aligned and valid for reads of `count` values while the result lives.
#[inline(always)]
pub(super) unsafe fn block<'a, T>(start: *const u8, count: usize) -> &'a [T] {
    // SAFETY: the caller upholds this.
    unsafe { std::slice::from_raw_parts(start.cast(), count) }
}

/// # Safety
/// `start` is aligned and valid for writes of `count` values, by this reference alone, while the result
/// lives.
#[inline(always)]
pub(super) unsafe fn block_mut<'a, T>(start: *mut u8, count: usize) -> &'a mut [T] {
    // SAFETY: the caller upholds this. The values are plain bits, of which every pattern is a value.
    unsafe { std::slice::from_raw_parts_mut(start.cast(), count) }
}
