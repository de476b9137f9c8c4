//! Extremes of floats, folded by one comparison a value.
//!
//! The meaning of an extremum has rare parts: NaN wins (or loses), and -0.0 is less than +0.0. The best of a run is
//! found without them; where it turns out that they matter, the run is folded again as [`Fold`] does. An extremum is
//! the same in whatever order one looks for it, so the run's goes into one lane.

use std::marker::PhantomData;

use super::fold::Fold;
use super::scalars::{Max, MaxNumber, Min, MinNumber, Op2};
use super::{LANES, Loop};

/// An extremum of floats.
pub(super) trait Extremum: Op2 {
    /// Is one NaN enough for NaN?
    const NAN_WINS: bool;
    /// What every number but itself beats.
    const WORST: Self::In;
    /// Of which there are two.
    const ZERO: Self::In;
    /// Is it better? NaN neither beats nor is beaten.
    fn beats(x: Self::In, best: Self::In) -> bool;
}

macro_rules! extrema {
    ($($ty:ty),+) => {$(
        extrema! { $ty: Max, true, NEG_INFINITY, >; }
        extrema! { $ty: MaxNumber, false, NEG_INFINITY, >; }
        extrema! { $ty: Min, true, INFINITY, <; }
        extrema! { $ty: MinNumber, false, INFINITY, <; }
    )+};
    ($ty:ty: $name:ident, $nan_wins:expr, $worst:ident, $beats:tt;) => {
        impl Extremum for $name<$ty> {
            const NAN_WINS: bool = $nan_wins;
            const WORST: $ty = <$ty>::$worst;
            const ZERO: $ty = 0.0;
            #[inline(always)]
            fn beats(x: $ty, best: $ty) -> bool { x $beats best }
        }
    };
}
extrema!(f32, f64);

/// As [`Fold`], in another order.
pub(super) struct FoldExtreme<O>(PhantomData<O>);

/// Values that are compared at a time.
const ABREAST: usize = 32;

impl<T: Copy + PartialEq, O: Extremum + Op2<In = T, Out = T>> Loop for FoldExtreme<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count` values at `args[0]`, aligned, which do not overlap `out`.
        let values = unsafe { std::slice::from_raw_parts(args[0].cast::<T>(), count) };
        match Self::quick(values) {
            Some(found) => {
                // SAFETY: the caller gives LANES values at `out`, aligned, and nobody else uses them.
                let lanes = unsafe { &mut *out.cast::<[T; LANES]>() };
                lanes[0] = O::apply(lanes[0], found);
                false
            }
            // SAFETY: the caller's promise.
            None => unsafe { Fold::<O>::run(out, args, count) },
        }
    }
}

impl<T: Copy + PartialEq, O: Extremum + Op2<In = T, Out = T>> FoldExtreme<O> {
    /// The best of these values, if no rare part of the meaning has a say in it.
    #[inline(always)]
    fn quick(values: &[T]) -> Option<T> {
        let better = |best: T, x: T| if O::beats(x, best) { x } else { best };
        #[allow(clippy::eq_op)]
        let is_nan = |x: T| x != x;
        let mut bests = [O::WORST; ABREAST];
        // As wide as the widest float, so that it takes the comparison's mask as it is.
        let mut nans = [0u64; ABREAST];
        let mut pairs = values.chunks_exact(2 * ABREAST);
        for pair in &mut pairs {
            let (first, second) = pair.split_at(ABREAST);
            for lane in 0..ABREAST {
                if O::NAN_WINS {
                    let nan = is_nan(first[lane]) | is_nan(second[lane]);
                    nans[lane] |= 0u64.wrapping_sub(nan.into());
                }
                bests[lane] = better(better(bests[lane], first[lane]), second[lane]);
            }
        }
        let mut nan = nans.iter().fold(0, |any, &nan| any | nan) != 0;
        let mut width = ABREAST;
        while width > 1 {
            width /= 2;
            for lane in 0..width {
                bests[lane] = better(bests[lane], bests[width + lane]);
            }
        }
        let mut best = bests[0];
        for &x in pairs.remainder() {
            nan |= O::NAN_WINS & is_nan(x);
            best = better(best, x);
        }
        // The worst of all may stand for values that were NaN only.
        let clear = best != O::ZERO && best != O::WORST;
        (clear && !nan).then_some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folds values behind lanes that hold `start`, and combines the lanes.
    fn folded<L: Loop, O: Op2<In = f64, Out = f64>>(start: f64, values: &[f64]) -> f64 {
        let mut lanes = [start; LANES];
        let args = [values.as_ptr().cast(), std::ptr::null(), std::ptr::null()];
        // SAFETY: LANES values to fold into, and as many values as are said.
        unsafe { L::run(lanes.as_mut_ptr().cast(), args, values.len()) };
        lanes.into_iter().reduce(O::apply).expect("lanes")
    }

    fn compare<O: Extremum + Op2<In = f64, Out = f64>>() {
        let special = [f64::NAN, 0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 3.0, -3.0];
        for length in [0, 1, 31, 32, 63, 64, 65, 127, 128, 129, 200, 4096] {
            for filler in special {
                for other in special {
                    for at in [0, length / 2, length.saturating_sub(1)] {
                        for start in special {
                            let mut values = vec![filler; length];
                            if let Some(value) = values.get_mut(at) {
                                *value = other;
                            }
                            let quick = folded::<FoldExtreme<O>, O>(start, &values);
                            let plain = folded::<Fold<O>, O>(start, &values);
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
