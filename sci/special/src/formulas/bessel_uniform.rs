//! Debye's expansions of Bessel functions of large orders, with exponents and phases in two floats.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::bessel_order_tables::*;
use super::support::*;

const PI: f64 = std::f64::consts::PI;

/// m e^(e + shift), by halves of the exponent.
pub(crate) fn with_exponent<A: Algebra>(a: &A, value: A::F, e: A::F, shift: A::F) -> A::F {
    let (sum, rest) = two_sum(e, shift);
    let half = exp(a, sum * a.f(0.5));
    let exact = a.fma(value, rest, value);
    let exact = a.select(a.lt(a.abs(value), infinity(a)), exact, value);
    let value = half * exact * half;
    let value = a.select(a.lt(half, infinity(a)), value, exact * half);
    a.select(a.eq(half, a.f(0.0)), half, value)
}

/// √|v² ± x²| as a sum of two floats.
pub(crate) fn radius<A: Algebra>(a: &A, v: A::F, x: A::F, sign: f64) -> [A::F; 2] {
    let (own, other) = (v * v, a.f(sign) * x * x);
    let (square, lost) = two_sum(own, other);
    let lost = lost + a.fma(v, v, -own) + a.fma(a.f(sign) * x, x, -other);
    let below = a.lt(square, a.f(0.0));
    let (square, lost) = (a.abs(square), a.select(below, -lost, lost));
    let r = a.sqrt(square);
    [r, a.f(0.5) * (a.fma(-r, r, square) + lost) / r]
}

/// r + v log(x/(v + r)) as a sum of two floats.
pub(crate) fn eta<A: Algebra>(a: &A, v: A::F, x: A::F, [r, r_low]: [A::F; 2]) -> [A::F; 2] {
    let (sum, sum_low) = two_sum(v, r);
    let (log, log_low, tiny) = log_of_quotient(a, x, sum, |base| -(base * (sum_low + r_low)));
    let log = a.select(tiny, a.f(-700.0), log);
    let product = v * log;
    let (total, rest) = two_sum(product, r);
    let rest = rest + a.fma(v, log, -product) + a.fma(v, log_low, r_low);
    [total, a.select(tiny, a.f(0.0), rest)]
}

/// The sums of U(k) p^k/v^k over even and odd k, of p² and p/v; of imaginary p the `sign` is −1, and the second sum is over i.
pub(crate) fn debye<A: Algebra>(a: &A, square: A::F, inverse: A::F, sign: A::F) -> [A::F; 2] {
    let step = sign * inverse * inverse;
    let mut sums = [a.f(0.0); 2];
    for (k, terms) in DEBYE.iter().enumerate().rev() {
        let value = horner(a, square, terms);
        sums[k % 2] = a.fma(sums[k % 2], step, value);
    }
    [sums[0], sums[1] * inverse]
}

/// Whether Debye's expansions of so many terms have all digits: |v² − x²|^(3/2) is at least 144 v².
pub(crate) fn debye_holds<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::B {
    let distance = a.abs(v - x) / v * (v + x) / v;
    a.le(a.f(144.0) / v, distance * a.sqrt(distance))
}

/// J and Y of an order by Debye's expansions (DLMF 10.19.3, 10.19.6), x not beside it.
fn large<A: Algebra>(a: &A, v: A::F, x: A::F) -> [A::F; 2] {
    let [r, r_low] = radius(a, v, x, -1.0);
    // Where squares overflow, x is the root.
    let huge = a.lt(a.f(1e150), x);
    let (r, r_low) = (a.select(huge, x, r), a.select(huge, a.f(0.0), r_low));
    let p = v / r;
    let sign = a.select(a.lt(x, v), a.f(1.0), a.f(-1.0));
    let [even, odd] = debye(a, sign * p * p, a.f(1.0) / r, sign);
    let scale = a.sqrt(a.f(2.0 / PI) / r);
    a.branch(
        a.lt(x, v),
        |a| {
            let [eta, rest] = eta(a, v, x, [r, r_low]);
            let (first, second) = (a.f(0.5) * scale * (even + odd), -scale * (even - odd));
            let first = with_exponent(a, a.fma(first, rest, first), eta, a.f(0.0));
            [first, with_exponent(a, a.fma(-second, rest, second), -eta, a.f(0.0))]
        },
        |a| {
            // The phase r − v arctan t − π/4, t = r/v. Of small t it is v (t − arctan t), and its derivative by r is t²/(1 + t²).
            let t = r / v;
            let square = t * t;
            let own = v * (t * square) * horner(a, a.f(2.0) * square - a.f(1.0), &ARC_REST);
            let rest = a.fma(-t, v, r) + r_low;
            let own_low = rest * square / (square + a.f(1.0));
            let beta = a.call(code::Atan2, &[r, v]);
            let product = v * beta;
            let (phase, low) = two_sum(r, -product);
            let low = low + (r_low - a.fma(v, beta, -product));
            let near = a.lt(t, a.f(1.0));
            let (phase, low) = (a.select(near, own, phase), a.select(near, own_low, low));
            let (s, c) = (sin(a, phase), a.call(code::Cos, &[phase]));
            // Of large phases the second part is no small angle.
            let (s_low, c_low) = (sin(a, low), a.call(code::Cos, &[low]));
            let (s, c) = (a.fma(c, s_low, s * c_low), a.fma(-s, s_low, c * c_low));
            let (s, c) = (s - c, c + s);
            let scale = scale * a.f(std::f64::consts::FRAC_1_SQRT_2);
            [scale * a.fma(c, even, s * odd), scale * a.fma(s, even, -(c * odd))]
        },
    )
}

/// J and Y of two neighbouring orders, as J, J, Y, Y.
pub(crate) fn large_pair<A: Algebra>(a: &A, v: A::F, x: A::F) -> [A::F; 4] {
    let zero = a.f(0.0);
    let goes_on = |a: &A, state: [A::F; 5]| a.lt(state[0], a.f(2.0));
    let start = [zero, zero, zero, zero, zero];
    let [_, j1, j0, y1, y0] = a.repeat_while(2, start, goes_on, |a, [k, j, _, y, _]| {
        let [j1, y1] = large(a, v + k, x);
        [k + a.f(1.0), j1, j, y1, y]
    });
    [j0, j1, y0, y1]
}
