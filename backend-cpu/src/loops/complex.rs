//! Loops over packed complex numbers: see `crate::complex_map`.

use std::marker::PhantomData;

use ndany_core::formulas::algebra::Native;
use ndany_core::formulas::complex;
use ndany_core::ops::Formula;

use super::Loop;
use super::each::{block, block_mut};

/// `(a, b) * (c, d) = (a * c - b * d, a * d + b * c)`, in packed pairs.
pub(super) struct ComplexProduct<T>(PhantomData<T>);

/// `(a, b) / (c, d)`, in packed pairs.
pub(super) struct ComplexQuotient<T>(PhantomData<T>);

/// A loop over two inputs; `$join` combines two pairs into one.
macro_rules! joined {
    ($name:ident: $($ty:ty),+; $join:expr) => {$(
        impl Loop for $name<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: `LoopFn`'s contract: aligned, `count` pairs each, no overlap with `out`.
                let (out, x, y) = unsafe {
                    (
                        block_mut::<$ty>(out, 2 * count),
                        block::<$ty>(args[0], 2 * count),
                        block::<$ty>(args[1], 2 * count),
                    )
                };
                let algebra = Native::<$ty, true, true>::new();
                let pairs = x.chunks_exact(2).zip(y.chunks_exact(2));
                for (out, (x, y)) in out.chunks_exact_mut(2).zip(pairs) {
                    (out[0], out[1]) = $join(&algebra, (x[0], x[1]), (y[0], y[1]));
                }
                false
            }
        }
    )+};
}
joined!(ComplexProduct: f32, f64; |_: &_, (a, b), (c, d)| (a * c - b * d, a * d + b * c));
joined!(ComplexQuotient: f32, f64; complex::div);

/// `(a, -b)` of `(a, b)`, in packed pairs.
pub(super) struct Conjugate<T>(PhantomData<T>);

macro_rules! conjugate {
    ($($ty:ty),+) => {$(
        impl Loop for Conjugate<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: `LoopFn`'s contract: aligned, `count` pairs each, no overlap with `out`.
                let (out, pairs) = unsafe {
                    (block_mut::<$ty>(out, 2 * count), block::<$ty>(args[0], 2 * count))
                };
                for (out, pair) in out.chunks_exact_mut(2).zip(pairs.chunks_exact(2)) {
                    out[0] = pair[0];
                    out[1] = -pair[1];
                }
                false
            }
        }
    )+};
}
conjugate!(f32, f64);

/// The absolute value of `(a, b)`, from packed pairs.
pub(super) struct ComplexAbs<T>(PhantomData<T>);

macro_rules! length {
    ($($ty:ty),+) => {$(
        impl Loop for ComplexAbs<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: `LoopFn`'s contract: aligned, `count` pairs and values, no overlap with `out`.
                let (out, pairs) = unsafe {
                    (block_mut::<$ty>(out, count), block::<$ty>(args[0], 2 * count))
                };
                let common = Native::<$ty, false, true>::new();
                for (out, pair) in out.iter_mut().zip(pairs.chunks_exact(2)) {
                    *out = Formula::Hypot.expand(&common, &[pair[0], pair[1]]);
                }
                if common.flagged() {
                    let slow = Native::<$ty, true, true>::new();
                    for (out, pair) in out.iter_mut().zip(pairs.chunks_exact(2)) {
                        *out = Formula::Hypot.expand(&slow, &[pair[0], pair[1]]);
                    }
                }
                false
            }
        }
    )+};
}
length!(f32, f64);
