//! Spherical Bessel functions of whole orders: recurrences from elementary functions, and Wronskians.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::bessel_order::ratio;
use super::bessel_uniform::with_exponent;
use super::support::*;

/// The highest order.
const MOST: u32 = 1000;

/// A value of a whole order 0 to 1000 and of a number; NaN of others.
fn of_whole<A: Algebra>(a: &A, n: A::F, z: A::F, value: A::F) -> A::F {
    let valid = is_whole(a, n) & within(a, n, 0.0, f64::from(MOST));
    a.select(valid & a.eq(z, z), value, nan(a))
}

/// The function of the first kind: upward while the order is below z; above, from that of the second kind, the continued fraction
/// of two neighbours and the Wronskian (DLMF 10.50.1, 10.51.1).
pub fn spherical_jn<A: Algebra>(a: &A, n: A::F, z: A::F) -> A::F {
    let (one, zero) = (a.f(1.0), a.f(0.0));
    let size = a.abs(z);
    let inverse = one / size;
    let (s, c) = (sin(a, size), a.call(code::Cos, &[size]));
    let zeroth = s / size;
    // z times the function of the second kind.
    let (y0, y1) = (-c, -c * inverse - s);
    let start = [one, (zeroth - c) * inverse, y1, zeroth, y0];
    let goes_on = |a: &A, state: [A::F; 5]| a.lt(state[0], n) & a.lt(a.abs(state[2]), infinity(a));
    let [_, j, y, _, y_below] = a.repeat_while(MOST, start, goes_on, |a, [k, j, y, j0, y0]| {
        let factor = (k + k + a.f(1.0)) / size;
        [k + a.f(1.0), a.fma(factor, j, -j0), a.fma(factor, y, -y0), j, y]
    });
    let value = a.select(a.eq(n, zero), zeroth, j);
    let value = when(a, a.lt(size, n) & a.lt(zero, n), value, |a| {
        let terms = a.floor(a.sqrt(size) * a.f(2.0)) + a.f(20.0);
        let ratio = ratio(a, n + a.f(0.5), size, terms, 1.0);
        let rest = a.fma(size, ratio, -(n + n + a.f(1.0)));
        // Scaled, so that only y itself overflows, where j is 0.
        let scale = a.f(1.0 / (1u64 << 40) as f64);
        let value = scale / a.fma(rest, y * scale, size * (y_below * scale));
        a.select(a.lt(a.abs(y), infinity(a)), value, a.f(0.0))
    });
    let at_zero = a.select(a.eq(n, zero), one, zero);
    let value = a.select(a.eq(size, zero), at_zero, value);
    let value = a.select(a.eq(size, infinity(a)), zero, value);
    let value = a.select(a.lt(z, zero) & is_odd(a, n), -value, value);
    of_whole(a, n, z, value)
}

/// z e^z times the modified function of the second kind, of n − 1 and n; of order 0 that is the second.
fn upward<A: Algebra>(a: &A, n: A::F, z: A::F) -> [A::F; 2] {
    let half_pi = a.f(std::f64::consts::FRAC_PI_2);
    let one = a.f(1.0);
    // k(−1) is k(0).
    let start = [a.f(0.0), half_pi, half_pi];
    let goes_on = |a: &A, state: [A::F; 3]| a.lt(state[0], n) & a.lt(a.abs(state[1]), infinity(a));
    let [_, value, below] = a.repeat_while(MOST, start, goes_on, |a, [k, value, below]| {
        [k + one, a.fma((k + k + one) / z, value, below), value]
    });
    [below, value]
}

/// The modified function of the first kind, from that of the second kind, the continued fraction of two neighbours and the Wronskian.
pub fn spherical_in<A: Algebra>(a: &A, n: A::F, z: A::F) -> A::F {
    let (one, zero) = (a.f(1.0), a.f(0.0));
    let size = a.abs(z);
    let [below, value] = upward(a, n, size);
    let terms = a.floor(a.sqrt(size * a.f(40.0))) + a.f(12.0);
    let ratio = ratio(a, n + a.f(0.5), size, terms, -1.0);
    let scale = a.f(1.0 / (1u64 << 40) as f64);
    let (at, below) = (value * scale, below * scale);
    let sum = a.fma(a.fma(size, ratio, n + n + one), at, size * below);
    let result = a.f(std::f64::consts::FRAC_PI_2) * scale / sum;
    let result = with_exponent(a, result, size, zero);
    let result = a.select(a.lt(value, infinity(a)), result, zero);
    let at_zero = a.select(a.eq(n, zero), one, zero);
    let result = a.select(a.eq(size, zero), at_zero, result);
    let result = a.select(a.eq(size, infinity(a)), size, result);
    let result = a.select(a.lt(z, zero) & is_odd(a, n), -result, result);
    of_whole(a, n, z, result)
}

/// The modified function of the second kind, upward, in which it is stable. Of negative z it is the value of the same polynomial.
pub fn spherical_kn<A: Algebra>(a: &A, n: A::F, z: A::F) -> A::F {
    let zero = a.f(0.0);
    let [_, value] = upward(a, n, z);
    let result = with_exponent(a, value / z, -z, zero);
    let result = a.select(a.eq(z, zero), infinity(a), result);
    let result = a.select(a.eq(z, infinity(a)), zero, result);
    let result = a.select(a.eq(z, -infinity(a)), z, result);
    of_whole(a, n, z, result)
}
