//! Orthogonal polynomials of whole degree, and associated Legendre functions, by their recurrences. Degrees that are not whole, negative, or above 1000 give NaN.

use ndany_core::formulas::algebra::Algebra;

use super::support::*;

/// The highest degree.
const MOST: u32 = 1000;

/// p(n) of p(0) = 1, p(1) = `first`, and a step from (k, p(k), p(k − 1)) to p(k + 1).
#[inline(always)]
fn by_recurrence<A: Algebra>(
    a: &A,
    n: A::F,
    first: A::F,
    next: impl Fn(&A, A::F, A::F, A::F) -> A::F,
) -> A::F {
    let one = a.f(1.0);
    let goes_on = |a: &A, [k, _, _]: [A::F; 3]| a.lt(k, n);
    let [_, value, _] = a.repeat_while(
        MOST,
        [one, first, one],
        goes_on,
        #[inline(always)]
        |a, [k, value, before]| [k + a.f(1.0), next(a, k, value, before), value],
    );
    let value = a.select(a.eq(n, a.f(0.0)), one, value);
    let valid = within(a, n, 0.0, f64::from(MOST)) & is_whole(a, n);
    a.select(valid & a.eq(first, first), value, nan(a))
}

/// Legendre's.
#[inline(always)]
pub fn legendre<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
    by_recurrence(
        a,
        n,
        x,
        #[inline(always)]
        |a, k, value, before| {
            let k1 = k + a.f(1.0);
            ((k + k1) * x * value - k * before) / k1
        },
    )
}

/// Chebyshev's of the first kind.
#[inline(always)]
pub fn chebyt<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
    by_recurrence(
        a,
        n,
        x,
        #[inline(always)]
        |a, _, value, before| a.f(2.0) * x * value - before,
    )
}

/// Chebyshev's of the second kind.
#[inline(always)]
pub fn chebyu<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
    by_recurrence(
        a,
        n,
        a.f(2.0) * x,
        #[inline(always)]
        |a, _, value, before| a.f(2.0) * x * value - before,
    )
}

/// Hermite's of the physicists.
#[inline(always)]
pub fn hermite<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
    by_recurrence(
        a,
        n,
        a.f(2.0) * x,
        #[inline(always)]
        |a, k, value, before| a.f(2.0) * (x * value - k * before),
    )
}

/// Hermite's of the probabilists.
#[inline(always)]
pub fn hermitenorm<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
    by_recurrence(
        a,
        n,
        x,
        #[inline(always)]
        |_, k, value, before| x * value - k * before,
    )
}

/// Laguerre's of order α.
#[inline(always)]
pub fn genlaguerre<A: Algebra>(a: &A, n: A::F, alpha: A::F, x: A::F) -> A::F {
    let first = alpha + a.f(1.0) - x;
    by_recurrence(
        a,
        n,
        first,
        #[inline(always)]
        |a, k, value, before| {
            let k1 = k + a.f(1.0);
            ((k + k1 + alpha - x) * value - (k + alpha) * before) / k1
        },
    )
}

/// Laguerre's.
#[inline(always)]
pub fn laguerre<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
    genlaguerre(a, n, a.f(0.0), x)
}

/// Gegenbauer's of order α.
#[inline(always)]
pub fn gegenbauer<A: Algebra>(a: &A, n: A::F, alpha: A::F, x: A::F) -> A::F {
    let first = a.f(2.0) * alpha * x;
    by_recurrence(
        a,
        n,
        first,
        #[inline(always)]
        |a, k, value, before| {
            let two = a.f(2.0);
            (two * (k + alpha) * x * value - (k + two * alpha - a.f(1.0)) * before) / (k + a.f(1.0))
        },
    )
}

/// Jacobi's of orders α and β.
#[inline(always)]
pub fn jacobi<A: Algebra>(a: &A, n: A::F, alpha: A::F, beta: A::F, x: A::F) -> A::F {
    let (one, two) = (a.f(1.0), a.f(2.0));
    let sum = alpha + beta;
    let first = alpha + one + (sum + two) * (x - one) * a.f(0.5);
    by_recurrence(
        a,
        n,
        first,
        #[inline(always)]
        |a, k, value, before| {
            let (one, two) = (a.f(1.0), a.f(2.0));
            let c = k + k + sum;
            let lead = two * (k + one) * (k + sum + one) * c;
            let middle = (c + one) * ((alpha * alpha - beta * beta) + c * (c + two) * x);
            let last = two * (k + alpha) * (k + beta) * (c + two);
            (middle * value - last * before) / lead
        },
    )
}

/// The associated Legendre function of whole order m and degree v, with Condon's and Shortley's phase: from P(m, m) upward in the
/// degree (DLMF 14.7, 14.10).
#[inline(always)]
pub fn lpmv<A: Algebra>(a: &A, m: A::F, v: A::F, x: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let order = a.abs(m);
    // (−1)^m (2m − 1)!! (1 − x²)^(m/2).
    let root = a.sqrt((one - x) * (one + x));
    let goes_on = |a: &A, [k, _]: [A::F; 2]| a.lt(k, order);
    let [_, start] = a.repeat_while(
        MOST,
        [zero, one],
        goes_on,
        #[inline(always)]
        |a, [k, value]| [k + a.f(1.0), -value * root * (k + k + a.f(1.0))],
    );
    let first = x * start * (order + order + one);
    let goes_on = |a: &A, [k, _, _]: [A::F; 3]| a.lt(k, v);
    let state = [order + one, first, start];
    let [_, value, _] = a.repeat_while(
        MOST,
        state,
        goes_on,
        #[inline(always)]
        |a, [k, value, before]| {
            let k1 = k + a.f(1.0);
            [k1, ((k + k1) * x * value - (k + order) * before) / (k1 - order), value]
        },
    );
    let value = a.select(a.eq(v, order), start, value);
    let value = a.select(a.lt(v, order), zero, value);
    // Of negative orders: (−1)^m (v − m)!/(v + m)! times it.
    let value = when(
        a,
        a.lt(m, zero) & a.le(order, v),
        value,
        #[inline(always)]
        |a| {
            let goes_on = |a: &A, [k, _]: [A::F; 2]| a.le(k, order);
            let state = [a.f(1.0) - order, value];
            let [_, scaled] = a.repeat_while(
                2 * MOST,
                state,
                goes_on,
                #[inline(always)]
                |a, [k, value]| [k + a.f(1.0), value / (v + k)],
            );
            a.select(is_odd(a, order), -scaled, scaled)
        },
    );
    let whole = is_whole(a, m) & is_whole(a, v) & within(a, v, 0.0, f64::from(MOST));
    let inside = a.le(a.abs(x), one) & a.le(order, a.f(f64::from(MOST)));
    a.select(whole & inside, value, nan(a))
}
