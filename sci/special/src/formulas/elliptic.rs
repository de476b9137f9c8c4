//! Elliptic integrals: complete ones by polynomials and a logarithm, others by Carlson's symmetric forms.

use ndany_core::formulas::algebra::Algebra;

use super::coefficients::*;
use super::support::*;

/// u of a polynomial on 0 to 1/2.
#[inline(always)]
fn unit<A: Algebra>(a: &A, m: A::F) -> A::F {
    a.fma(m, a.f(4.0), a.f(-1.0))
}

/// K of m and p = 1 − m, 0 ≤ m ≤ 1, of which the smaller one may be the exact one.
#[inline(always)]
fn complete_first<A: Algebra>(a: &A, m: A::F, p: A::F) -> A::F {
    let [value] = a.branch(
        a.le(m, a.f(0.5)),
        #[inline(always)]
        |a| [horner(a, unit(a, m), &ELLIPK)],
        #[inline(always)]
        |a| {
            let u = unit(a, p);
            let factor = horner(a, u, &ELLIPK) * a.f(std::f64::consts::FRAC_1_PI);
            [horner(a, u, &ELLIPK_LOG) - log(a, p) * factor]
        },
    );
    value
}

/// K(m), of negative m by the imaginary modulus (DLMF 19.7.5).
#[inline(always)]
pub fn ellipk<A: Algebra>(a: &A, m: A::F) -> A::F {
    ellipkm1(a, a.f(1.0) - m)
}

/// K(1 − p).
#[inline(always)]
pub fn ellipkm1<A: Algebra>(a: &A, p: A::F) -> A::F {
    let one = a.f(1.0);
    let above = a.lt(one, p);
    // Of p > 1: m / (m − 1) is (p − 1)/p, and its complement 1/p.
    let q = a.select(above, one / p, p);
    let value = complete_first(a, one - q, q);
    let value = a.select(above, value * a.sqrt(q), value);
    let value = a.select(a.lt(p, a.f(0.0)), nan(a), value);
    a.select(a.eq(p, infinity(a)), a.f(0.0), value)
}

/// E(m).
#[inline(always)]
pub fn ellipe<A: Algebra>(a: &A, m: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let negative = a.lt(m, zero);
    let p = one - m;
    let q = a.select(negative, one / p, p);
    let k = one - q;
    let [value] = a.branch(
        a.le(k, a.f(0.5)),
        #[inline(always)]
        |a| [horner(a, unit(a, k), &ELLIPE)],
        #[inline(always)]
        |a| {
            let u = unit(a, q);
            let factor = q * horner(a, u, &ELLIP_DIFFERENCE) * a.f(std::f64::consts::FRAC_1_PI);
            [horner(a, u, &ELLIPE_LOG) - log(a, q + a.f(TINY)) * factor]
        },
    );
    let value = a.select(negative, value * a.sqrt(p), value);
    a.select(a.lt(one, m), nan(a), a.select(a.eq(m, -infinity(a)), infinity(a), value))
}

/// The number of duplications after which a series of degree 5 has all digits.
const ROUNDS: u32 = 40;

/// Carlson's R_F: duplication, then a series (Carlson 1995).
#[inline(always)]
pub fn elliprf<A: Algebra>(a: &A, x: A::F, y: A::F, z: A::F) -> A::F {
    let third = a.f(1.0 / 3.0);
    let mean = (x + y + z) * third;
    let spread = largest(a, [mean - x, mean - y, mean - z]);
    let state = [x, y, z, mean, spread * a.f(400.0)];
    // The scaled spread falls by 4 a step, and the mean stays; below 1 the series has all digits.
    let goes_on = |a: &A, [_, _, _, mean, spread]: [A::F; 5]| a.lt(mean, spread);
    let [x, y, z, mean, spread] = a.repeat_while(
        ROUNDS,
        state,
        goes_on,
        #[inline(always)]
        |a, [x, y, z, mean, spread]| {
            let [x, y, z, lambda] = duplicated(a, [x, y, z]);
            let quarter = a.f(0.25);
            [x, y, z, (mean + lambda) * quarter, spread * quarter]
        },
    );
    let (dx, dy) = ((mean - x) / mean, (mean - y) / mean);
    let dz = -(dx + dy);
    let e2 = dx * dy - dz * dz;
    let e3 = dx * dy * dz;
    let series = a.f(1.0) - e2 * a.f(0.1) + e3 * a.f(1.0 / 14.0) + e2 * e2 * a.f(1.0 / 24.0)
        - e2 * e3 * a.f(3.0 / 44.0)
        - e2 * e2 * e2 * a.f(5.0 / 208.0)
        + e3 * e3 * a.f(3.0 / 104.0)
        + e2 * e2 * e3 * a.f(1.0 / 16.0);
    let value = series / a.sqrt(mean);
    let zero = a.f(0.0);
    let value = a.select(is_endless(a, mean, spread), infinity(a), value);
    let negative = a.lt(x, zero) | a.lt(y, zero) | a.lt(z, zero);
    a.select(negative, nan(a), value)
}

/// Of two operands that are 0 the spread stays beside the mean.
#[inline(always)]
fn is_endless<A: Algebra>(a: &A, mean: A::F, spread: A::F) -> A::B {
    a.lt(mean, spread) | a.eq(mean, a.f(0.0))
}

#[inline(always)]
fn largest<A: Algebra>(a: &A, values: [A::F; 3]) -> A::F {
    let [x, y, z] = values.map(|value| a.abs(value));
    let xy = a.select(a.lt(x, y), y, x);
    a.select(a.lt(xy, z), z, xy)
}

/// The next arguments of a duplication, and λ.
#[inline(always)]
fn duplicated<A: Algebra>(a: &A, [x, y, z]: [A::F; 3]) -> [A::F; 4] {
    let (rx, ry, rz) = (a.sqrt(x), a.sqrt(y), a.sqrt(z));
    let lambda = rx * ry + ry * rz + rz * rx;
    let quarter = a.f(0.25);
    [(x + lambda) * quarter, (y + lambda) * quarter, (z + lambda) * quarter, lambda]
}

/// Carlson's R_D.
#[inline(always)]
pub fn elliprd<A: Algebra>(a: &A, x: A::F, y: A::F, z: A::F) -> A::F {
    let mean = (x + y + a.f(3.0) * z) * a.f(0.2);
    let spread = largest(a, [mean - x, mean - y, mean - z]);
    let one = a.f(1.0);
    let state = [x, y, z, mean, spread * a.f(500.0), a.f(0.0), one];
    let goes_on = |a: &A, state: [A::F; 7]| a.lt(state[3], state[4]);
    let [x, y, z, mean, spread, sum, scale] = a.repeat_while(
        ROUNDS,
        state,
        goes_on,
        #[inline(always)]
        |a, [x, y, z, mean, spread, sum, scale]| {
            let root = a.sqrt(z);
            let [x2, y2, z2, lambda] = duplicated(a, [x, y, z]);
            let sum = sum + scale / (root * (z + lambda));
            let quarter = a.f(0.25);
            [x2, y2, z2, (mean + lambda) * quarter, spread * quarter, sum, scale * quarter]
        },
    );
    let (dx, dy) = ((mean - x) / mean, (mean - y) / mean);
    let dz = -(dx + dy) * a.f(1.0 / 3.0);
    let xy = dx * dy;
    let zz = dz * dz;
    let e2 = xy - a.f(6.0) * zz;
    let e3 = (a.f(3.0) * xy - a.f(8.0) * zz) * dz;
    let e4 = a.f(3.0) * (xy - zz) * zz;
    let e5 = xy * zz * dz;
    let series = carlson_series(a, [e2, e3, e4, e5]);
    let value = a.f(3.0) * sum + scale * series / (mean * a.sqrt(mean));
    let zero = a.f(0.0);
    let value = a.select(is_endless(a, mean, spread), infinity(a), value);
    let negative = a.lt(x, zero) | a.lt(y, zero) | a.lt(z, zero);
    a.select(negative, nan(a), value)
}

/// The series of R_D and R_J beside equal operands, by the elementary symmetric functions of the distances of the operands from
/// their mean (DLMF 19.36.2).
#[inline(always)]
pub(crate) fn carlson_series<A: Algebra>(a: &A, [e2, e3, e4, e5]: [A::F; 4]) -> A::F {
    a.f(1.0) - e2 * a.f(3.0 / 14.0) + e3 * a.f(1.0 / 6.0) + e2 * e2 * a.f(9.0 / 88.0)
        - e4 * a.f(3.0 / 22.0)
        - e2 * e3 * a.f(9.0 / 52.0)
        + e5 * a.f(3.0 / 26.0)
        - e2 * e2 * e2 * a.f(1.0 / 16.0)
        + e3 * e3 * a.f(3.0 / 40.0)
        + e2 * e4 * a.f(3.0 / 20.0)
        + e2 * e2 * e3 * a.f(45.0 / 272.0)
        - (e3 * e4 + e2 * e5) * a.f(9.0 / 68.0)
}

/// Legendre's F(φ, m): R_F of the angle's rest, and 2K for each half turn.
#[inline(always)]
pub fn ellipkinc<A: Algebra>(a: &A, phi: A::F, m: A::F) -> A::F {
    let (turns, s, c2, d2) = rest(a, phi, m);
    let value = s * elliprf(a, c2, d2, a.f(1.0));
    let none = a.eq(turns, a.f(0.0));
    let value = when(
        a,
        !none,
        value,
        #[inline(always)]
        |a| value + a.f(2.0) * turns * ellipk(a, m),
    );
    a.select(a.lt(a.f(1.0), m * s * s), nan(a), value)
}

/// Legendre's E(φ, m).
#[inline(always)]
pub fn ellipeinc<A: Algebra>(a: &A, phi: A::F, m: A::F) -> A::F {
    let (turns, s, c2, d2) = rest(a, phi, m);
    let one = a.f(1.0);
    let first = s * elliprf(a, c2, d2, one);
    let value = first - m * s * s * s * elliprd(a, c2, d2, one) * a.f(1.0 / 3.0);
    let none = a.eq(turns, a.f(0.0));
    let value = when(
        a,
        !none,
        value,
        #[inline(always)]
        |a| value + a.f(2.0) * turns * ellipe(a, m),
    );
    a.select(a.lt(one, m * s * s), nan(a), value)
}

/// Half turns of an angle; of what is left the sine, the squared cosine, and 1 − m sin².
#[inline(always)]
fn rest<A: Algebra>(a: &A, phi: A::F, m: A::F) -> (A::F, A::F, A::F, A::F) {
    let turns = a.rint(phi * a.f(std::f64::consts::FRAC_1_PI));
    let left = a.fma(turns, a.f(-std::f64::consts::PI), phi);
    let left = a.fma(turns, a.f(-1.2246467991473532e-16), left);
    let s = sin(a, left);
    let c = a.call(ndany_core::formulas::code::Cos, &[left]);
    (turns, s, c * c, a.f(1.0) - m * s * s)
}

/// Carlson's R_C(x, y), NaN of y = 0.
#[inline(always)]
pub fn elliprc<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let value = elliprf(a, x, y, y);
    // Of negative y Cauchy's principal value.
    let value = when(
        a,
        a.lt(y, a.f(0.0)),
        value,
        #[inline(always)]
        |a| {
            let sum = x - y;
            a.sqrt(x / sum) * elliprf(a, sum, -y, -y)
        },
    );
    a.select(a.eq(y, a.f(0.0)), nan(a), value)
}

/// Carlson's R_G.
#[inline(always)]
pub fn elliprg<A: Algebra>(a: &A, x: A::F, y: A::F, z: A::F) -> A::F {
    // The middle one stands last, which avoids cancellation.
    let [high, low] = ordered(a, x, y);
    let last = a.select(a.lt(z, low), low, a.select(a.lt(high, z), high, z));
    let smallest = a.select(a.lt(z, low), z, low);
    let biggest = a.select(a.lt(high, z), z, high);
    let (p, q) = (biggest, smallest);
    let value = a.f(0.5)
        * (last * elliprf(a, p, q, last)
            + (p - last) * (last - q) * elliprd(a, p, q, last) * a.f(1.0 / 3.0)
            + a.sqrt(p * q / last));
    // Of one operand that is not 0.
    let value = a.select(a.eq(last, a.f(0.0)), a.f(0.5) * a.sqrt(biggest), value);
    a.select(a.lt(smallest, a.f(0.0)), nan(a), value)
}
