//! Orthogonal polynomials and associated Legendre functions: of whole degrees up to 1000 by their recurrences; of other degrees by
//! hypergeometric or trigonometric functions, of which the polynomials are special cases.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::hypergeometric::{gammas, hyp1f1, hyp2f1_of_parts};
use super::plane::sincos_pi;
use super::support::*;

/// The highest degree.
const MOST: u32 = 1000;

// Of functions with `WHOLE` the caller knows that the recurrence reaches the degree: they have the same values and less code.

/// Whether the recurrences reach a degree.
#[inline(always)]
pub(crate) fn is_degree<A: Algebra>(a: &A, n: A::F) -> A::B {
    within(a, n, 0.0, f64::from(MOST)) & is_whole(a, n)
}

/// The value of whole degrees, and what `general` computes of others.
#[inline(always)]
pub(crate) fn of_degree<A: Algebra, const WHOLE: bool>(
    a: &A,
    n: A::F,
    value: A::F,
    general: impl Fn(&A) -> A::F,
) -> A::F {
    if WHOLE { value } else { when(a, !is_degree(a, n), value, general) }
}

/// −n − 1 of degrees below −1/2: both have one Legendre function.
#[inline(always)]
fn reflected_degree<A: Algebra>(a: &A, n: A::F) -> A::F {
    a.select(a.lt(n, a.f(-0.5)), -n - a.f(1.0), n)
}

/// Γ(p)/(Γ(q) Γ(r)), the binomial coefficient of p − 1 and q − 1 where p + 1 = q + r.
pub(crate) fn gamma_quotient<A: Algebra>(a: &A, operands: [A::F; 3]) -> A::F {
    let [p, q, r] = gammas(a, operands);
    p / q / r
}

/// Gauss's function of (1 − x)/2.
fn gauss<A: Algebra>(a: &A, parameters: [A::F; 3], x: A::F) -> A::F {
    let (one, half) = (a.f(1.0), a.f(0.5));
    hyp2f1_of_parts(a, parameters, [half * (one - x), half * (one + x)])
}

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
    a.select(is_degree(a, n) & a.eq(first, first), value, nan(a))
}

/// Legendre's (DLMF 14.3.1, 14.9.5).
#[inline(always)]
pub fn legendre<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, x: A::F) -> A::F {
    let n = reflected_degree(a, n);
    let value = whole_legendre(a, n, x);
    of_degree::<A, WHOLE>(a, n, value, |a| {
        let one = a.f(1.0);
        gauss(a, [-n, n + one, one], x)
    })
}

/// Legendre's of whole degree.
#[inline(always)]
pub(crate) fn whole_legendre<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
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

/// Chebyshev's of the first kind, whose degrees n and −n are one.
#[inline(always)]
pub fn chebyt<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, x: A::F) -> A::F {
    let n = a.abs(n);
    let value = by_recurrence(
        a,
        n,
        x,
        #[inline(always)]
        |a, _, value, before| a.fma(a.f(2.0) * x, value, -before),
    );
    // cos(n arccos x), cosh(n arcosh x).
    of_degree::<A, WHOLE>(a, n, value, |a| {
        let [size, angle] = angle(a, x);
        let beyond = of_parity(a, n, x, a.call(code::Cosh, &[n * angle]));
        let [_, value] = turned(a, n, x, n * angle);
        a.select(a.le(size, a.f(1.0)), value, beyond)
    })
}

/// |x|, and its arccosine up to 1, its arcosh beyond.
fn angle<A: Algebra>(a: &A, x: A::F) -> [A::F; 2] {
    let one = a.f(1.0);
    let size = a.abs(x);
    let inside = a.le(size, one);
    let (below, beyond) = (a.select(inside, size, one), a.select(inside, one, size));
    let (below, beyond) = (a.call(code::Acos, &[below]), a.call(code::Acosh, &[beyond]));
    [size, a.select(inside, below, beyond)]
}

/// The sine and the cosine of an angle; of negative x those of πn less the angle, the sine with the opposite sign.
fn turned<A: Algebra>(a: &A, n: A::F, x: A::F, angle: A::F) -> [A::F; 2] {
    let (s, c) = (sin(a, angle), a.call(code::Cos, &[angle]));
    let [sine, cosine] = sincos_pi(a, n);
    let (turned_s, turned_c) = (cosine * s - sine * c, a.fma(cosine, c, sine * s));
    let negative = a.lt(x, a.f(0.0));
    [a.select(negative, turned_s, s), a.select(negative, turned_c, c)]
}

/// The value at x of a function of parity n that has this value at |x|: none of negative x where n is not whole.
fn of_parity<A: Algebra>(a: &A, n: A::F, x: A::F, value: A::F) -> A::F {
    let turned = a.select(is_odd(a, n), -value, value);
    let turned = a.select(is_whole(a, n), turned, nan(a));
    a.select(a.lt(x, a.f(0.0)), turned, value)
}

/// Chebyshev's of the second kind: that of degree −n − 2 is the negative one of n.
#[inline(always)]
pub fn chebyu<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, x: A::F) -> A::F {
    let below = a.lt(n, a.f(-1.0));
    let n = a.select(below, -n - a.f(2.0), n);
    let value = by_recurrence(
        a,
        n,
        a.f(2.0) * x,
        #[inline(always)]
        |a, _, value, before| a.fma(a.f(2.0) * x, value, -before),
    );
    // sin((n + 1) θ)/sin θ of x = cos θ, sinh((n + 1) η)/sinh η of x = cosh η.
    let value = of_degree::<A, WHOLE>(a, n, value, |a| {
        let one = a.f(1.0);
        let order = n + one;
        let [size, angle] = angle(a, x);
        let divisor = a.sqrt(a.abs((one - size) * (one + size)));
        let beyond = of_parity(a, n, x, a.call(code::Sinh, &[order * angle]) / divisor);
        let [value, _] = turned(a, n, x, order * angle);
        let value = a.select(a.le(size, one), value / divisor, beyond);
        // At 1, and at −1 of whole degrees, where the others are infinite.
        let end = a.eq(x, one) | (a.eq(size, one) & is_whole(a, n));
        // No negative zero of degree −1.
        a.select(end, of_parity(a, n, x, order), value) + a.f(0.0)
    });
    a.select(below, -value, value)
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

/// Laguerre's of order α (DLMF 18.11.2).
#[inline(always)]
pub fn genlaguerre<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, alpha: A::F, x: A::F) -> A::F {
    let first = alpha + a.f(1.0) - x;
    let value = by_recurrence(
        a,
        n,
        first,
        #[inline(always)]
        |a, k, value, before| {
            let k1 = k + a.f(1.0);
            ((k + k1 + alpha - x) * value - (k + alpha) * before) / k1
        },
    );
    of_degree::<A, WHOLE>(a, n, value, |a| {
        let (up, below) = (n + a.f(1.0), alpha + a.f(1.0));
        gamma_quotient(a, [up + alpha, up, below]) * hyp1f1(a, -n, below, x)
    })
}

/// Laguerre's.
#[inline(always)]
pub fn laguerre<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, x: A::F) -> A::F {
    genlaguerre::<A, WHOLE>(a, n, a.f(0.0), x)
}

/// Gegenbauer's of order α (DLMF 18.5.9).
#[inline(always)]
pub fn gegenbauer<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, alpha: A::F, x: A::F) -> A::F {
    let first = a.f(2.0) * alpha * x;
    let value = by_recurrence(
        a,
        n,
        first,
        #[inline(always)]
        |a, k, value, before| {
            let two = a.f(2.0);
            (two * (k + alpha) * x * value - (k + two * alpha - a.f(1.0)) * before) / (k + a.f(1.0))
        },
    );
    of_degree::<A, WHOLE>(a, n, value, |a| {
        let sum = n + (alpha + alpha);
        let series = gauss(a, [-n, sum, alpha + a.f(0.5)], x);
        gamma_quotient(a, [sum, n + a.f(1.0), alpha + alpha]) * series
    })
}

/// Jacobi's of orders α and β (DLMF 18.5.7).
#[inline(always)]
pub fn jacobi<A: Algebra, const WHOLE: bool>(
    a: &A,
    n: A::F,
    alpha: A::F,
    beta: A::F,
    x: A::F,
) -> A::F {
    let (one, two) = (a.f(1.0), a.f(2.0));
    let sum = alpha + beta;
    let first = alpha + one + (sum + two) * (x - one) * a.f(0.5);
    let value = by_recurrence(
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
    );
    // Where a divisor of the recurrence is 0.
    let singular = is_whole(a, sum) & a.le(sum, a.f(-2.0)) & is_degree(a, n);
    let value = when(a, singular, value, |a| jacobi_sum(a, n, [alpha, beta], x));
    of_degree::<A, WHOLE>(a, n, value, |a| {
        let one = a.f(1.0);
        let series = gauss(a, [-n, n + sum + one, alpha + one], x);
        gamma_quotient(a, [n + alpha + one, n + one, alpha + one]) * series
    })
}

/// Jacobi's polynomial of whole degree and any orders by its sum of products of two binomial coefficients and powers
/// (DLMF 18.5.8).
fn jacobi_sum<A: Algebra>(a: &A, n: A::F, [alpha, beta]: [A::F; 2], x: A::F) -> A::F {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let (below, above) = (half * (x - one), half * (x + one));
    // The coefficient of n + α and n.
    let goes_on = |a: &A, [k, _]: [A::F; 2]| a.lt(k, n);
    let [_, start] = a.repeat_while(MOST, [zero, one], goes_on, |a, [k, product]| {
        let k = k + a.f(1.0);
        [k, product * (alpha + k) / k]
    });
    let goes_on = |a: &A, [s, ..]: [A::F; 4]| a.le(s, n);
    let state = [zero, start, one, zero];
    let [.., sum] = a.repeat_while(MOST + 1, state, goes_on, |a, [s, first, second, sum]| {
        let next = s + a.f(1.0);
        let sum = a.fma(sum, above, first * second);
        // Up to s = −α the first coefficients are 0; that one is 1.
        let divisor = alpha + next;
        let first = a.select(a.eq(divisor, a.f(0.0)), a.f(1.0), first * (n - s) / divisor);
        [next, first, second * (n + beta - s) / next * below, sum]
    });
    a.select(a.eq(x, x), sum, nan(a))
}

/// The associated Legendre function of whole order m, with Condon's and Shortley's phase. Beyond −1 to 1 it is that of order 0 alone.
/// Degrees that are not whole have Gauss's function (DLMF 14.3.4, 14.9.3); v and −v − 1 are one.
#[inline(always)]
pub fn lpmv<A: Algebra>(a: &A, m: A::F, v: A::F, x: A::F) -> A::F {
    let v = reflected_degree(a, v);
    let (one, order) = (a.f(1.0), a.abs(m));
    let value = whole_lpmv(a, m, v, x);
    // Negative orders beyond the degree.
    let value = a.select(a.lt(m, a.f(0.0)) & a.lt(v, order), nan(a), value);
    let plain = is_degree(a, v) & a.le(a.abs(x), one);
    let value = when(a, !plain, value, |a| {
        let (zero, one) = (a.f(0.0), a.f(1.0));
        // Of whole degrees by the parity, of which order 0 alone is asked for.
        let turned = is_whole(a, v) & a.lt(x, zero);
        let x = a.select(turned, -x, x);
        // (−1)^m Γ(v + m + 1)/Γ(v − m + 1) (1 − x²)^(m/2)/(2^m m!), at −1 its sign; of negative orders without the quotient.
        let root = a.sqrt((one - x) * (one + x));
        let root = a.select(a.eq(x, -one), one, root);
        let plain = a.lt(m, zero);
        let goes_on = |a: &A, [k, _]: [A::F; 2]| a.lt(k, order);
        let [_, factor] = a.repeat_while(MOST, [zero, one], goes_on, |a, [k, product]| {
            let k = k + a.f(1.0);
            let quotient = -(v + k) * (v - k + a.f(1.0));
            let factor = a.select(plain, a.f(1.0), quotient);
            [k, product * (root / (k + k)) * factor]
        });
        let value = factor * gauss(a, [order - v, order + v + one, order + one], x);
        a.select(turned & is_odd(a, v), -value, value)
    });
    let inside = a.le(a.abs(x), one) | (a.eq(m, a.f(0.0)) & a.eq(x, x));
    let valid = is_whole(a, m) & a.le(order, a.f(f64::from(MOST)));
    a.select(inside & valid, value, nan(a))
}

/// The same of whole degrees from −1 to 1, 0 of degrees below the order: from P(m, m) upward in the degree (DLMF 14.7, 14.10).
#[inline(always)]
pub(crate) fn whole_lpmv<A: Algebra>(a: &A, m: A::F, v: A::F, x: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let order = a.abs(m);
    // (−1)^m (2m − 1)!! (1 − x²)^(m/2), with the roundings of the root and of the products made good.
    let square = x * x;
    let (under, under_low) = two_sum(one, -square);
    let under_low = under_low - a.fma(x, x, -square);
    let root = a.sqrt(under);
    let root_low = (a.fma(-root, root, under) + under_low) / (root + root + a.f(TINY));
    let goes_on = |a: &A, [k, _, _]: [A::F; 3]| a.lt(k, order);
    let [_, start, start_low] = a.repeat_while(
        MOST,
        [zero, one, zero],
        goes_on,
        #[inline(always)]
        |a, [k, value, low]| {
            let odd = k + k + a.f(1.0);
            let factor = -root * odd;
            let factor_low = a.fma(-root, odd, -factor) - root_low * odd;
            let next = value * factor;
            let lost = a.fma(value, factor, -next);
            [k + a.f(1.0), next, a.fma(low, factor, a.fma(value, factor_low, lost))]
        },
    );
    // Of infinite ones there is no rest.
    let start = a.select(a.lt(a.abs(start), infinity(a)), start + start_low, start);
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
            [k1, a.fma((k + k1) * x, value, -((k + order) * before)) / (k1 - order), value]
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
    let whole = is_whole(a, m) & is_degree(a, v);
    let inside = a.le(a.abs(x), one) & a.le(order, a.f(f64::from(MOST)));
    a.select(whole & inside, value, nan(a))
}
