//! Quantiles by search: where a distribution function that has no inverse in closed form takes a value.

use ndany_core::formulas::algebra::Algebra;

/// Rounds of a search, enough for 64 bisections of any range and the Newton steps between them.
const ROUNDS: u32 = 160;

/// Where a function that grows takes the value `q`: Newton's steps within a bracket, which is halved where a step leaves it.
/// `at` returns the function and its derivative.
pub(crate) fn quantile<A: Algebra>(
    a: &A,
    q: A::F,
    [low, high]: [A::F; 2],
    at: impl Fn(&A, A::F) -> [A::F; 2],
) -> A::F {
    let half = a.f(0.5);
    // The bracket, the point, and the size of the last step.
    let state = [low, high, half * (low + high), high - low];
    let goes_on = |a: &A, [low, high, z, step]: [A::F; 4]| {
        let tiny = a.f(2f64.powi(-52)) * a.abs(z) + a.f(f64::MIN_POSITIVE);
        a.lt(tiny, a.abs(step)) & a.lt(low, high)
    };
    let [.., z, _] = a.repeat_while(ROUNDS, state, goes_on, |a, [low, high, z, _]| {
        let [value, slope] = at(a, z);
        let above = a.lt(q, value);
        let (low, high) = (a.select(above, low, z), a.select(above, z, high));
        let next = z - (value - q) / slope;
        let inside = a.lt(low, next) & a.lt(next, high);
        let done = a.le(a.abs(next - z), a.f(2.0 * f64::EPSILON) * a.abs(z));
        let next = a.select(inside, next, a.f(0.5) * (low + high));
        let next = a.select(done, z, next);
        [low, high, next, next - z]
    });
    z
}

/// The least integer from `first` on at which a distribution function is at least `q`: the width of steps doubles until one is
/// found, and what is between is halved.
pub(crate) fn integer<A: Algebra>(
    a: &A,
    q: A::F,
    first: A::F,
    guess: A::F,
    cdf: impl Fn(&A, A::F) -> A::F,
) -> A::F {
    let one = a.f(1.0);
    let below = first - one;
    let start = a.select(a.lt(guess, first), first, a.floor(guess));
    // A number below, a number that is not below (once `found` is 1), the width of the next step.
    let state = [below, below, start - below, a.f(0.0)];
    let goes_on = |a: &A, [low, high, _, found]: [A::F; 4]| {
        a.lt(found, a.f(0.5)) | a.lt(low + a.f(1.0), high)
    };
    let [_, high, ..] = a.repeat_while(ROUNDS, state, goes_on, |a, [low, high, width, found]| {
        let is_found = a.lt(a.f(0.5), found);
        let at = a.select(is_found, a.floor(a.f(0.5) * (low + high)), low + width);
        // A quantile is the probability that was rounded: what is equal but for its last bits is equal.
        let enough = a.le(q * a.f(1.0 - 4.0 * f64::EPSILON), cdf(a, at));
        [
            a.select(enough, low, at),
            a.select(enough, at, high),
            a.f(2.0) * width,
            a.select(enough, a.f(1.0), found),
        ]
    });
    high
}
