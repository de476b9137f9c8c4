//! Is there a pair of values that compares so, or a truth value like this? One pass over them, in which no truth value is
//! written.

use std::marker::PhantomData;

use super::Loop;
use super::each::block;
use super::extremes::halved;
use super::scalars::Op2;
use super::state::Ordered;

/// `out[0] |=` is there an `i` for which `f(a[i], b[i])` is the truth value at `args[2]`?
pub(super) struct Exists<O>(PhantomData<O>);

/// Pairs that are compared at a time: four of the widest registers of f64.
const ABREAST: usize = 32;

impl<T: Ordered, O: Op2<In = T, Out = u8>> Loop for Exists<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count` values at two places and one truth value, apart from the one at `out`.
        let (x, y, wanted) =
            unsafe { (block::<T>(args[0], count), block::<T>(args[1], count), *args[2] != 0) };
        // As wide as the values, so that they take the comparison's mask as it is.
        let mut found = [T::mask(false); ABREAST];
        let unwanted = T::mask(!wanted);
        let ((xs, x), (ys, y)) = (x.as_chunks::<ABREAST>(), y.as_chunks::<ABREAST>());
        for (x, y) in xs.iter().zip(ys) {
            for lane in 0..ABREAST {
                found[lane] = found[lane] | (T::mask(O::apply(x[lane], y[lane]) != 0) ^ unwanted);
            }
        }
        let many: u64 = halved(found, |x, y| x | y).into();
        let few = x.iter().zip(y).any(|(&x, &y)| (O::apply(x, y) != 0) == wanted);
        // SAFETY: the caller gives one truth value at `out`, which nobody else uses.
        unsafe { *out |= u8::from(few | (many != 0)) };
        false
    }
}

/// `out[0] |=` is there an `i` for which `a[i]` is the truth value at `args[2]`?
pub(super) struct ExistsTruth;

impl Loop for ExistsTruth {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count` values and one truth value, apart from the one at `out`.
        let (values, wanted) = unsafe { (block::<u8>(args[0], count), *args[2] != 0) };
        // Bytes of many lanes: no branch within a run of them.
        let found = values.chunks(STRETCH).any(|run| {
            run.iter().fold(0, |found, &value| found | u8::from((value != 0) == wanted)) != 0
        });
        // SAFETY: the caller gives one truth value at `out`, which nobody else uses.
        unsafe { *out |= u8::from(found) };
        false
    }
}

/// Truth values that are looked at before one asks whether that was enough.
const STRETCH: usize = 1024;
