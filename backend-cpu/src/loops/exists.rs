//! Searches for a pair with a given comparison result, or for a given boolean, in one pass that stores no
//! booleans and ends after the first find.

use std::marker::PhantomData;

use super::each::block;
use super::extremes::tree_fold;
use super::scalars::Op2;
use super::state::{Ordered, find};
use super::{Locate, Loop};
use crate::accumulators::MAX_PARTS;

/// What a search looks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    /// The boolean that is looked for.
    pub(crate) wanted: bool,
    /// Whether an operand of the comparison is the same for all pairs. Its block then holds as many values as there are
    /// pairs, or [`BLOCK`](crate::interpreter::BLOCK), if that is less.
    pub(crate) uniform: [bool; 2],
}

/// Sets `out[0]` if some `f(a[i], b[i])` is the boolean of the [`Search`] at `args[2]`.
pub(super) struct AnyCompared<O>(PhantomData<O>);

/// Pairs that are compared at a time: four of the widest registers of f64.
const UNROLL: usize = 32;

/// Pairs that are compared between checks for an early exit.
const PAIRS: usize = 2048;

impl<T: Ordered, O: Op2<In = T, Out = u8>> Loop for AnyCompared<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives a `Search` at `args[2]`, apart from the boolean at `out`.
        let search = unsafe { &*args[2].cast::<Search>() };
        // As wide as the values, so that the comparison's mask needs no conversion.
        let unwanted = T::mask(!search.wanted);
        let [x_step, y_step] = search.uniform.map(|uniform| if uniform { 0 } else { UNROLL });
        let (x, y) = (args[0].cast::<T>(), args[1].cast::<T>());
        let runs = count / UNROLL;
        let mut found = false;
        for first in (0..runs).step_by(PAIRS / UNROLL) {
            let mut lanes = [T::mask(false); UNROLL];
            for run in first..runs.min(first + PAIRS / UNROLL) {
                // SAFETY: the caller gives `count` values at both addresses, or a run of an operand that is the same for
                // all pairs, which has no step.
                let (x, y) = unsafe {
                    (
                        &*x.add(run * x_step).cast::<[T; UNROLL]>(),
                        &*y.add(run * y_step).cast::<[T; UNROLL]>(),
                    )
                };
                for lane in 0..UNROLL {
                    lanes[lane] =
                        lanes[lane] | (T::mask(O::apply(x[lane], y[lane]) != 0) ^ unwanted);
                }
            }
            let many: u64 = tree_fold(lanes, |x, y| x | y).into();
            if many != 0 {
                found = true;
                break;
            }
        }
        // Fewer pairs than a run.
        // SAFETY: as above.
        let (x, y) = unsafe {
            (
                block(x.add(runs * x_step).cast(), count % UNROLL),
                block(y.add(runs * y_step).cast(), count % UNROLL),
            )
        };
        let few = |(&x, &y): (&T, &T)| (O::apply(x, y) != 0) == search.wanted;
        found = found || x.iter().zip(y).any(few);
        // SAFETY: the caller gives one boolean at `out`, which no other code uses.
        unsafe { *out |= u8::from(found) };
        false
    }
}

/// Sets `out[0]` if some `a[i]` is the boolean of the [`Search`] at `args[2]`.
pub(super) struct AnyTrue;

impl Loop for AnyTrue {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count` values and a `Search`, apart from the boolean at `out`.
        let (values, search) = unsafe { (block::<u8>(args[0], count), &*args[2].cast::<Search>()) };
        // One value is looked for at a time, since the compiler vectorizes no comparison with a boolean.
        let found = match search.wanted {
            true => find(values, |value| value != 0),
            false => find(values, |value| value == 0),
        };
        // SAFETY: the caller gives one boolean at `out`, which no other code uses.
        unsafe { *out |= u8::from(found.is_some()) };
        false
    }
}

/// The position of the first boolean of a row that is `WANTED`.
pub(super) struct FirstTruth<const WANTED: bool>;

impl<const WANTED: bool> Locate for FirstTruth<WANTED> {
    #[inline(always)]
    unsafe fn locate(state: &[*mut u8; MAX_PARTS], values: *const u8, count: usize, first: i64) {
        // SAFETY: the caller gives one boolean, one i64 and `count` booleans, aligned; the state does not overlap the values.
        let (state, position, values) =
            unsafe { (&mut *state[0], &mut *state[1].cast::<i64>(), block::<u8>(values, count)) };
        if (*state != 0) == WANTED {
            return;
        }
        if let Some(place) = find(values, |value| (value != 0) == WANTED) {
            (*state, *position) = (values[place], first + place as i64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scalars::{Eq, Lt};
    use super::*;

    /// Whether a comparison of `x` and `y`, or of their first values, has the result that is wanted.
    fn any<O: Op2<In = f64, Out = u8>>(x: &[f64], y: &[f64], count: usize, search: Search) -> bool {
        let mut found = 0;
        let args = [x.as_ptr().cast(), y.as_ptr().cast(), (&raw const search).cast()];
        // SAFETY: `count` values at both addresses, or some of one that is uniform.
        unsafe { AnyCompared::<O>::run(&raw mut found, args, count) };
        found != 0
    }

    #[test]
    fn comparisons_with_one_number_read_a_run_of_it() {
        let one = [0.5; UNROLL];
        for count in [1, UNROLL - 1, UNROLL, UNROLL + 1, PAIRS, PAIRS + 1, 3 * PAIRS + 7] {
            for place in [0, count / 2, count - 1] {
                let mut values = vec![1.0; count];
                values[place] = 0.25;
                let less = Search { wanted: true, uniform: [false, true] };
                assert!(any::<Lt<f64>>(&values, &one, count, less), "{place} of {count}");
                let least = Search { wanted: false, uniform: [true, false] };
                assert!(any::<Lt<f64>>(&one, &values, count, least), "{place} of {count}");
                assert!(!any::<Eq<f64>>(&values, &one, count, less), "{count}");
                let both = Search { wanted: false, uniform: [false; 2] };
                assert!(!any::<Eq<f64>>(&values, &values, count, both), "{count}");
            }
        }
    }

    #[test]
    fn first_truths() {
        for count in [1, 1023, 1024, 1025, 5000] {
            for place in [0, count / 2, count - 1] {
                let mut values = vec![0u8; count];
                values[place..].fill(1);
                let (mut value, mut position) = (0u8, -5i64);
                let state = crate::loops::located(&raw mut value, &raw mut position);
                // SAFETY: a boolean, a position and `count` booleans.
                unsafe { FirstTruth::<true>::locate(&state, values.as_ptr(), count, 10) };
                assert_eq!((value, position), (1, 10 + place as i64), "of {count}");
                // A state that is true stays.
                // SAFETY: as above.
                unsafe { FirstTruth::<true>::locate(&state, values.as_ptr(), count, 20) };
                assert_eq!(position, 10 + place as i64);
            }
        }
    }
}
