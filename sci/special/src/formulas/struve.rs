//! Struve functions: the power series in two floats, and beyond it a Bessel function and an asymptotic sum.

use ndany_core::formulas::algebra::Algebra;

use super::bessel_order::{iv, second};
use super::bessel_uniform::with_exponent;
use super::gamma::{gammasgn, stirling_rest};
use super::support::*;

/// 2/√π.
const TWO_OVER_ROOT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;

/// (x/2)^(v + 1) / (Γ(3/2) Γ(v + 3/2)), the first term of the series; 0 at the poles of Γ. Far from v = 0 by Stirling's series, whose
/// exponent is in two floats, and the reflection of Γ.
fn first_term<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    let half = a.f(0.5) * x;
    let (at, at_low) = two_sum(v, a.f(1.5));
    let pole = a.le(at, a.f(0.0)) & is_whole(a, at);
    let [value] = a.branch(
        within(a, at, -7.0, 8.0),
        |a| [pow(a, half, v + a.f(1.0)) / gamma(a, at)],
        |a| {
            let mirrored = a.lt(at, a.f(0.0));
            let (other, other_low) = two_sum(a.f(-0.5), -v);
            let size = a.select(mirrored, other, at);
            let value = power_over_gamma(a, size, a.select(mirrored, other_low, at_low), half);
            let near = a.rint(at);
            let sine = sin(a, ((at - near) + at_low) * a.f(std::f64::consts::PI));
            let sine = a.select(is_odd(a, near), -sine, sine);
            let reflected = sine * a.f(std::f64::consts::FRAC_1_PI) / value;
            [a.select(mirrored, reflected, value)]
        },
    );
    a.select(pole, a.f(0.0), value * a.f(TWO_OVER_ROOT_PI))
}

/// (x/2)^(at − 1/2) / Γ(at) of at ≥ 7: √(at/2π) (x/2)^(−1/2) e^(at (1 + log(x/2 at))) and the rest of Stirling's series.
fn power_over_gamma<A: Algebra>(a: &A, at: A::F, at_low: A::F, half: A::F) -> A::F {
    let (log, log_low, tiny) = log_of_quotient(a, half, at, |base| -(base * at_low));
    let (sum, low) = two_sum(a.f(1.0), log);
    let product = at * sum;
    let low = a.fma(at, low + log_low, a.fma(at, sum, -product));
    let low = a.fma(at_low, sum, low);
    let scale = a.sqrt(at * a.f(0.5 * std::f64::consts::FRAC_1_PI) / half);
    let value = scale * exp(a, -stirling_rest(a, at));
    let value = with_exponent(a, a.fma(value, low, value), product, a.f(0.0));
    a.select(tiny, a.f(0.0), value)
}

/// Σ t^k / ((3/2)(5/2)… (v + 3/2)(v + 5/2)…) of t = ∓x²/4 (DLMF 11.2.1, 11.2.2). Its terms may be larger than the sum by as
/// many digits as a float has, so they and the sum are of two floats.
fn series<A: Algebra>(a: &A, v: A::F, x: A::F, sign: f64) -> A::F {
    let quarter = a.f(0.25 * sign);
    let square = x * x;
    let (t, t_low) = (quarter * square, quarter * a.fma(x, x, -square));
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let goes_on = |a: &A, [k, term, _, sum, _]: [A::F; 5]| {
        a.lt(k, a.f(2.0)) | a.lt(a.f(1e-18) * a.abs(sum), a.abs(term))
    };
    let start = [zero, one, zero, one, zero];
    let [.., sum, low] = a.repeat_while(400, start, goes_on, |a, [k, term, term_low, sum, low]| {
        let k = k + a.f(1.0);
        let own = k + a.f(0.5);
        let (other, other_low) = two_sum(v, own);
        let product = own * other;
        let product_low = a.fma(own, other, -product) + own * other_low;
        let ratio = t / product;
        let ratio_low = (a.fma(-ratio, product, t) + (t_low - ratio * product_low)) / product;
        let next = term * ratio;
        let next_low = a.fma(term, ratio, -next) + a.fma(term, ratio_low, term_low * ratio);
        let (sum, rest) = two_sum(sum, next);
        [k, next, next_low, sum, low + (rest + next_low)]
    });
    sum + low
}

/// Σ Γ(k + 1/2) Γ(v + 1/2) / (Γ(1/2) Γ(v + 1/2 − k)) (±4/x²)^k while terms fall (DLMF 11.6.1, 11.6.2).
fn tail<A: Algebra>(a: &A, v: A::F, x: A::F, sign: f64) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let factor = a.f(4.0 * sign) / x / x;
    let goes_on = |a: &A, [_, term, sum, last]: [A::F; 4]| {
        // Terms of v below x fall from the start but for the last ones.
        let falls = a.le(a.abs(term), last);
        falls & a.lt(a.f(1e-17) * a.abs(sum), a.abs(term))
    };
    let start = [zero, one, one, infinity(a)];
    let [_, term, sum, last] = a.repeat_while(400, start, goes_on, |a, [k, term, sum, _]| {
        let below = k + a.f(0.5);
        let next = term * below * (v - below) * factor;
        [k + a.f(1.0), next, sum + next, a.abs(term)]
    });
    // A term that rose is left out.
    a.select(a.lt(last, a.abs(term)), sum - term, sum)
}

/// Whether an order is a negative odd multiple of 1/2, of which the sum is 0.
fn is_half<A: Algebra>(a: &A, v: A::F) -> A::B {
    a.lt(v, a.f(0.0)) & is_whole(a, v + a.f(0.5))
}

/// A function of x > 0 at all x: at 0, and of negative x, where the order is whole.
fn of_all<A: Algebra>(a: &A, v: A::F, x: A::F, value: A::F) -> A::F {
    let zero = a.f(0.0);
    let order = v + a.f(1.0);
    let start = a.select(a.eq(order, zero), a.f(std::f64::consts::FRAC_2_PI), zero);
    let at = v + a.f(1.5);
    let endless = a.lt(order, zero) & !is_whole(a, at);
    let endless = endless | (a.lt(order, zero) & a.lt(zero, at));
    let start = a.select(endless, gammasgn(a, at) * infinity(a), start);
    let value = a.select(a.eq(x, zero), start, value);
    let left = a.lt(x, zero);
    let value = a.select(left & !is_odd(a, v), -value, value);
    a.select((left & !is_whole(a, v)) | !a.lt(a.abs(v), infinity(a)), nan(a), value)
}

/// Struve's H. Of x > 37, and not far below the order, it is Y and an asymptotic sum, which goes downward to negative orders
/// (DLMF 11.4.23). NaN of x > 160 below the order, and of x > 37 where the order is below −1000.
pub fn struve<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    let (size, zero, one) = (a.abs(x), a.f(0.0), a.f(1.0));
    let half = is_half(a, v);
    let negative = a.lt(v, zero);
    let least = a.fma(a.select(negative, zero, v), a.f(1.0 / 6.0), a.f(37.0));
    let far = (a.le(least, size) & a.le(v, size)) | half;
    let steps = a.select(far & negative, -a.floor(v), zero);
    let order = v + steps;
    let first = first_term(a, order, size);
    let [value] = a.branch(
        far,
        |a| {
            let above = first / size;
            let scale = a.fma(a.f(2.0), order, one) / size;
            let start = [zero, above * scale * tail(a, order, size, 1.0)];
            let next = above * tail(a, order + one, size, 1.0);
            let goes_on = |a: &A, state: [A::F; 4]| a.lt(state[0], steps);
            let start = [start[0], start[1], next, above];
            let [_, sum, ..] = a.repeat_while(1000, start, goes_on, |a, [k, sum, above, term]| {
                let order = order - k;
                let twice = a.f(2.0) / size;
                let below = a.fma(twice * order, sum, term - above);
                [k + a.f(1.0), below, sum, term * twice * (order + a.f(0.5))]
            });
            // Of large orders the sum alone has all digits.
            let y = a.select(a.lt(a.f(200.0), v), zero, second(a, v, size, false));
            [y + a.select(half, zero, sum)]
        },
        |a| {
            let value = first * series(a, v, size, -1.0);
            // Beyond, the terms are larger than 10^16 times the sum.
            [a.select(a.lt(size, a.f(160.0)), value, nan(a))]
        },
    );
    let limit = a.select(a.lt(a.f(1.0), v), size, nan(a));
    let value = a.select(a.lt(size, infinity(a)), value, limit);
    of_all(a, v, x, value)
}

/// The modified Struve function L: of x > 37, and orders that are not large beside it, I of the order −v and an asymptotic sum.
/// NaN of x > 60 and orders beside −x: from −x (1.4 + x/300) to −x (1 − x/1000).
pub fn modstruve<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    let size = a.abs(x);
    let first = first_term(a, v, size);
    let half = is_half(a, v);
    let weight = a.select(a.lt(v, a.f(0.0)), a.f(-1.3), a.f(1.0 / 6.0));
    let far = a.le(a.fma(weight, v, a.f(37.0)), size) & a.le(v, size);
    let [value] = a.branch(
        far | half,
        |a| {
            let scale = a.fma(a.f(2.0), v, a.f(1.0)) / size / size;
            let sum = first * scale * tail(a, v, size, -1.0);
            let i = iv(a, -v, size);
            let plain = half | a.eq(i, infinity(a));
            [a.select(plain, i, i - sum)]
        },
        |a| {
            // The sum is less than 10^−16 of terms of x > 60 beside −v.
            let low = a.fma(size, a.f(-0.001), a.f(1.0)) * size;
            let high = a.fma(size, a.f(1.0 / 300.0), a.f(1.4)) * size;
            let beside = a.lt(low, -v) & a.lt(-v, high);
            let value = first * series(a, v, size, 1.0);
            [a.select(a.lt(a.f(60.0), size) & beside, nan(a), value)]
        },
    );
    let value = a.select(a.lt(size, infinity(a)), value, size);
    of_all(a, v, x, value)
}
