//! Extrema of floats by one comparison per value.
//!
//! The definition of an extremum has rare cases: NaN wins (or loses), and -0.0 is less than +0.0. The extremum
//! of a run is found without them, and again with them if they turn out to matter. An extremum does not depend
//! on order, so it needs one value where the plan has several accumulators.

use std::marker::PhantomData;

use super::Loop;
use super::scalars::{Max, MaxNumber, Min, MinNumber, Op2};
use super::state::Ordered;

/// The extremum of `start` and the values, without NaN, and on request whether the values have a NaN. `N`
/// values are compared at a time.
#[inline(always)]
pub(super) fn best<T: Ordered, const LARGEST: bool, const NANS: bool, const N: usize>(
    start: T,
    values: &[T],
) -> (T, bool) {
    let better = |best: T, x: T| {
        let beats = if LARGEST { best.less(x) } else { x.less(best) };
        if beats { x } else { best }
    };
    let mut bests = [start; N];
    // As wide as the values, so that the comparison's mask needs no conversion.
    let mut nans = [T::mask(false); N];
    let mut pairs = values.chunks_exact(2 * N);
    for pair in &mut pairs {
        let (first, second) = pair.split_at(N);
        for lane in 0..N {
            let (x, y) = (first[lane], second[lane]);
            if NANS {
                nans[lane] = nans[lane] | T::mask(x.is_nan() | y.is_nan());
            }
            bests[lane] = better(better(bests[lane], x), y);
        }
    }
    let (rest, last) = (pairs.remainder(), values.last_chunk::<N>());
    // The rest, one run at a time. The last run overlaps earlier values, which does not change an extremum.
    for run in [rest.first_chunk::<N>(), last.filter(|_| !rest.is_empty())].into_iter().flatten() {
        for lane in 0..N {
            if NANS {
                nans[lane] = nans[lane] | T::mask(run[lane].is_nan());
            }
            bests[lane] = better(bests[lane], run[lane]);
        }
    }
    let (best, any): (T, u64) = (tree_fold(bests, better), tree_fold(nans, |x, y| x | y).into());
    // Fewer values than a run.
    let few = if last.is_none() { rest } else { &[] }.iter();
    few.fold((best, any != 0), |(best, any), &x| (better(best, x), any | NANS & x.is_nan()))
}

/// Combines an array, whose length is a power of two up to 128, by halves.
///
/// The halves are written out: a loop over them would keep the array in memory where it was made, too, and not in registers.
#[inline(always)]
pub(super) fn tree_fold<V: Copy, const N: usize>(mut lanes: [V; N], join: impl Fn(V, V) -> V) -> V {
    const { assert!(N.is_power_of_two() && N <= 128) };
    macro_rules! halve {
        ($($width:literal)+) => {$(
            if N > $width {
                for lane in 0..$width {
                    lanes[lane] = join(lanes[lane], lanes[$width + lane]);
                }
            }
        )+};
    }
    halve!(64 32 16 8 4 2 1);
    lanes[0]
}

/// Floats that are compared at a time.
const LANES: usize = 16;

/// An extremum of floats.
pub(super) trait Extremum: Op2 {
    /// Whether it is the maximum.
    const LARGEST: bool;
    /// Whether one NaN makes the result NaN.
    const NAN_WINS: bool;
    /// The value that every other number beats.
    const WORST: Self::In;
    /// Zero, which has two signs.
    const ZERO: Self::In;
}

macro_rules! extrema {
    ($($ty:ty),+) => {$(
        extrema! { $ty: Max, true, true, NEG_INFINITY; }
        extrema! { $ty: MaxNumber, true, false, NEG_INFINITY; }
        extrema! { $ty: Min, false, true, INFINITY; }
        extrema! { $ty: MinNumber, false, false, INFINITY; }
    )+};
    ($ty:ty: $name:ident, $largest:expr, $nan_wins:expr, $worst:ident;) => {
        impl Extremum for $name<$ty> {
            const LARGEST: bool = $largest;
            const NAN_WINS: bool = $nan_wins;
            const WORST: $ty = <$ty>::$worst;
            const ZERO: $ty = 0.0;
        }
    };
}
extrema!(f32, f64);

/// `out[0] = f(out[0], a[i])` for every `i`, in any order.
pub(super) struct Extreme<O>(PhantomData<O>);

/// Evaluates an expression with the number of lanes that are compared or combined at a time: two or four vector registers of 32 bytes. With
/// twice as many, the compiler keeps them in memory from one run to the next, which takes twice as long.
macro_rules! by_lanes {
    ($T:ty, $lanes:ident => $call:expr) => {
        match size_of::<$T>() {
            4 | 8 => {
                const $lanes: usize = 16;
                $call
            }
            2 => {
                const $lanes: usize = 32;
                $call
            }
            _ => {
                const $lanes: usize = 64;
                $call
            }
        }
    };
}
pub(super) use by_lanes;

impl<T: Ordered, O: Extremum + Op2<In = T, Out = T>> Loop for Extreme<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives one value at `out`, aligned, which no other code uses.
        let state = unsafe { &mut *out.cast::<T>() };
        // SAFETY: the caller gives `count` values at `args[0]`, aligned, which do not overlap `out`.
        let values = unsafe { std::slice::from_raw_parts(args[0].cast::<T>(), count) };
        let (found, nan) = match (O::LARGEST, O::NAN_WINS) {
            (true, true) => best::<T, true, true, LANES>(O::WORST, values),
            (true, false) => best::<T, true, false, LANES>(O::WORST, values),
            (false, true) => best::<T, false, true, LANES>(O::WORST, values),
            (false, false) => best::<T, false, false, LANES>(O::WORST, values),
        };
        // The initial value may remain if all values were NaN.
        if !nan && !found.equal(O::ZERO) && !found.equal(O::WORST) {
            *state = O::apply(*state, found);
            return false;
        }
        let mut lanes = [*state; LANES];
        for run in values.chunks(LANES) {
            for (lane, &x) in lanes.iter_mut().zip(run) {
                *lane = O::apply(*lane, x);
            }
        }
        *state = lanes.into_iter().fold(*state, O::apply);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare<O: Extremum + Op2<In = f64, Out = f64>>() {
        let special = [f64::NAN, 0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 3.0, -3.0];
        for length in [0usize, 1, 31, 32, 63, 64, 65, 127, 128, 129, 200, 4096] {
            for filler in special {
                for other in special {
                    for at in [0, length / 2, length.saturating_sub(1)] {
                        for start in special {
                            let mut values = vec![filler; length];
                            if let Some(value) = values.get_mut(at) {
                                *value = other;
                            }
                            let mut quick = start;
                            let args = [values.as_ptr().cast(), std::ptr::null(), std::ptr::null()];
                            // SAFETY: one value to fold into, and `count` values.
                            unsafe { Extreme::<O>::run((&raw mut quick).cast(), args, length) };
                            let plain = values.iter().fold(start, |best, &x| O::apply(best, x));
                            let same = quick.to_bits() == plain.to_bits()
                                || quick.is_nan() && plain.is_nan();
                            assert!(same, "{start} {filler} {other} {length}: {quick} {plain}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn extremes_are_those_of_a_fold() {
        compare::<Max<f64>>();
        compare::<MaxNumber<f64>>();
        compare::<Min<f64>>();
        compare::<MinNumber<f64>>();
    }
}
