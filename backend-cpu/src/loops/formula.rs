//! Loops over formulas, compiled for each formula.

use std::marker::PhantomData;

use ndany_core::formulas::algebra::{Algebra, Native};
use ndany_core::formulas::{Code, Visitor};

use super::each::{block, block_mut};
use super::{Loop, LoopFn, Simd};

/// Builds the loop over a formula, in f64 or in f32.
pub(super) struct Formulas<S> {
    wide: bool,
    level: PhantomData<S>,
}

impl<S> Formulas<S> {
    pub(super) fn new(wide: bool) -> Self {
        Self { wide, level: PhantomData }
    }
}

impl<S: Simd> Visitor for Formulas<S> {
    type Output = LoopFn;
    fn visit<C: Code>(self) -> LoopFn {
        // Decided at compile time: the other branches are not compiled.
        if const { !S::FUSED } {
            compiled::<S, OneByOne<C, f32>, OneByOne<C, f64>>(self.wide)
        } else if const { C::FORMULA.is_long() } {
            compiled::<S::Long, WithFallback<C, f32>, WithFallback<C, f64>>(self.wide)
        } else {
            compiled::<S, WithFallback<C, f32>, WithFallback<C, f64>>(self.wide)
        }
    }
}

fn compiled<S: Simd, Narrow: Loop, Wide: Loop>(wide: bool) -> LoopFn {
    if wide { S::compiled::<Wide>() } else { S::compiled::<Narrow>() }
}

/// A formula without its slow paths. Runs with a value that needs one are computed again with them.
struct WithFallback<C, T>(PhantomData<(C, T)>);

/// Values that are computed again if one of them needs a slow path.
const STRETCH: usize = 128;

/// A formula for CPUs without fused multiply-add, which is a call of a function there: in vectors, all the rest would be moving
/// values to these calls and back.
struct OneByOne<C, T>(PhantomData<(C, T)>);

macro_rules! formula {
    ($($ty:ty),+) => {$(
        impl<C: Code> Loop for WithFallback<C, $ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: `LoopFn`'s contract: aligned, `count` values each, no overlap with `out`.
                let out = unsafe { block_mut::<$ty>(out, count) };
                for (stretch, out) in out.chunks_mut(STRETCH).enumerate() {
                    // Unused arguments may be any address.
                    let first = stretch * STRETCH;
                    let [x, y, z] = args;
                    let args = [
                        x.cast::<$ty>().wrapping_add(first).cast(),
                        y.cast::<$ty>().wrapping_add(first).cast(),
                        z.cast(),
                    ];
                    let usual = Native::<$ty, false, true>::new();
                    // SAFETY: as above; `all` reads as many arguments as the formula has.
                    unsafe { all::<C, _, $ty>(&usual, out, args) };
                    if usual.flagged() {
                        // SAFETY: as above.
                        unsafe { all::<C, _, $ty>(&Native::<$ty, true, true>::new(), out, args) };
                    }
                }
                false
            }
        }

        impl<C: Code> Loop for OneByOne<C, $ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                #[inline(never)]
                fn one<C: Code>(x: $ty, y: $ty) -> $ty {
                    let algebra = Native::<$ty, true, false>::new();
                    C::expand(&algebra, &[x, y][..C::FORMULA.arity()])
                }
                for k in 0..count {
                    // SAFETY: `LoopFn`'s contract: aligned, `count` values each, for as many arguments as the formula has; no
                    // overlap with `out`.
                    unsafe {
                        let x = *args[0].cast::<$ty>().add(k);
                        let y = if C::FORMULA.arity() == 1 { x } else { *args[1].cast::<$ty>().add(k) };
                        *out.cast::<$ty>().add(k) = one::<C>(x, y);
                    }
                }
                false
            }
        }
    )+};
}
formula!(f32, f64);

/// # Safety
/// The arguments that the formula takes are aligned and valid for reads of `out.len()` values.
#[inline(always)]
unsafe fn all<C: Code, A: Algebra<F = T>, T: Copy>(
    algebra: &A,
    out: &mut [T],
    args: [*const u8; 3],
) {
    let count = out.len();
    // SAFETY: the caller upholds this; every formula takes at least one argument.
    let x = unsafe { block::<T>(args[0], count) };
    if C::FORMULA.arity() == 1 {
        for (out, &x) in out.iter_mut().zip(x) {
            *out = C::expand(algebra, &[x]);
        }
    } else {
        // SAFETY: the caller upholds this, for a formula of two arguments.
        let y = unsafe { block::<T>(args[1], count) };
        for ((out, &x), &y) in out.iter_mut().zip(x).zip(y) {
            *out = C::expand(algebra, &[x, y]);
        }
    }
}
