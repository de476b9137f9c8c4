//! Searches for a pair with a given comparison result, or for a given boolean, in one pass that stores no
//! booleans.

use std::marker::PhantomData;

use super::Loop;
use super::each::block;
use super::extremes::tree_fold;
use super::scalars::Op2;
use super::state::Ordered;

/// Sets `out[0]` if some `f(a[i], b[i])` is the boolean at `args[2]`.
pub(super) struct AnyCompared<O>(PhantomData<O>);

/// Pairs that are compared at a time: four of the widest registers of f64.
const UNROLL: usize = 32;

impl<T: Ordered, O: Op2<In = T, Out = u8>> Loop for AnyCompared<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count` values at two addresses and one boolean, apart from the one at
        // `out`.
        let (x, y, wanted) =
            unsafe { (block::<T>(args[0], count), block::<T>(args[1], count), *args[2] != 0) };
        // As wide as the values, so that the comparison's mask needs no conversion.
        let mut found = [T::mask(false); UNROLL];
        let unwanted = T::mask(!wanted);
        let ((xs, x), (ys, y)) = (x.as_chunks::<UNROLL>(), y.as_chunks::<UNROLL>());
        for (x, y) in xs.iter().zip(ys) {
            for lane in 0..UNROLL {
                found[lane] = found[lane] | (T::mask(O::apply(x[lane], y[lane]) != 0) ^ unwanted);
            }
        }
        let many: u64 = tree_fold(found, |x, y| x | y).into();
        let few = x.iter().zip(y).any(|(&x, &y)| (O::apply(x, y) != 0) == wanted);
        // SAFETY: the caller gives one boolean at `out`, which no other code uses.
        unsafe { *out |= u8::from(few | (many != 0)) };
        false
    }
}

/// Sets `out[0]` if some `a[i]` is the boolean at `args[2]`.
pub(super) struct AnyTrue;

impl Loop for AnyTrue {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count` values and one boolean, apart from the one at `out`.
        let (values, wanted) = unsafe { (block::<u8>(args[0], count), *args[2] != 0) };
        // Bytes are combined without a branch inside a run.
        let found = values.chunks(STRETCH).any(|run| {
            run.iter().fold(0, |found, &value| found | u8::from((value != 0) == wanted)) != 0
        });
        // SAFETY: the caller gives one boolean at `out`, which no other code uses.
        unsafe { *out |= u8::from(found) };
        false
    }
}

/// Booleans that are read between checks for an early exit.
const STRETCH: usize = 1024;
