//! Elliptic integrals: complete ones by polynomials and a logarithm, others by Carlson's symmetric forms.

use ndany_core::formulas::algebra::Algebra;

use super::coefficients::*;
use super::support::*;

/// u of a polynomial on 0 to 1/2.
#[inline(always)]
fn unit<A: Algebra>(a: &A, m: A::F) -> A::F {
    a.fma(m, a.f(4.0), a.f(-1.0))
}

/// π/2 in two floats.
const FRAC_PI_2: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17);

/// K of m and p = 1 − m, 0 ≤ m ≤ 1, of which the smaller one may be the exact one.
#[inline(always)]
fn complete_first<A: Algebra>(a: &A, m: A::F, p: A::F) -> A::F {
    // (K(x) / π − 1/2) / x of the smaller of both.
    let is_low = a.le(m, a.f(0.5));
    let u = unit(a, a.select(is_low, m, p));
    let factor = horner(a, u, &ELLIPK_FACTOR);
    let [value] = a.branch(
        is_low,
        #[inline(always)]
        |a| {
            let pi = a.f(std::f64::consts::PI);
            [a.f(FRAC_PI_2.0) + a.fma(pi, m * factor, a.f(FRAC_PI_2.1))]
        },
        #[inline(always)]
        |a| {
            // log 4 − log(p)/2, and what tends to 0 with p.
            let log_p = log(a, p);
            let (main, lost) = two_sum(a.f(-0.5) * log_p, a.f(2.0 * std::f64::consts::LN_2));
            let rest = a.fma(-log_p, factor, horner(a, u, &ELLIPK_LOG));
            let value = main + a.fma(p, rest, lost);
            [a.select(a.eq(p, a.f(0.0)), infinity(a), value)]
        },
    );
    value
}

/// K(m), of negative m by the imaginary modulus (DLMF 19.7.5).
#[inline(always)]
pub fn ellipk<A: Algebra>(a: &A, m: A::F) -> A::F {
    first_of_complements(a, m, two_sum(a.f(1.0), -m))
}

/// K(1 − p).
#[inline(always)]
pub fn ellipkm1<A: Algebra>(a: &A, p: A::F) -> A::F {
    first_of_complements(a, a.f(1.0) - p, (p, a.f(0.0)))
}

/// K of m and p = 1 − m.
#[inline(always)]
fn first_of_complements<A: Algebra>(a: &A, m: A::F, (p, p_low): Two<A>) -> A::F {
    let is_beyond = a.lt(a.f(1.0), p);
    let unchanged = [m, p, a.f(1.0), a.f(0.0)];
    let [m, complement, root, rest] = a.branch(
        is_beyond,
        #[inline(always)]
        |a| {
            // m / (m − 1), and its complement 1/p.
            let (root, rest) = inverse_root(a, (p, p_low));
            let inverse = root * root;
            [-m * inverse, inverse, root, rest]
        },
        #[inline(always)]
        |_| unchanged,
    );
    let value = complete_first(a, m, complement);
    let value = when(
        a,
        is_beyond,
        value,
        #[inline(always)]
        |a| {
            let scaled = value * root;
            a.select(a.eq(p, infinity(a)), a.f(0.0), a.fma(scaled, rest, scaled))
        },
    );
    a.select(a.lt(p, a.f(0.0)), nan(a), value)
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

/// The largest number of duplications.
const ROUNDS: u32 = 40;

/// Carlson's R_F: duplication with λ and the mean in two floats, then a series (Carlson 1995).
#[inline(always)]
pub fn elliprf<A: Algebra>(a: &A, x: A::F, y: A::F, z: A::F) -> A::F {
    let zero = a.f(0.0);
    let mean = (x + y + z) * a.f(1.0 / 3.0);
    let spread = largest(a, [mean - x, mean - y, mean - z]);
    let state = [x, y, z, mean, zero, spread * a.f(16.0)];
    // The scaled spread falls by 4 a step, and the mean stays; below 1 the series has all digits.
    let goes_on = |a: &A, [_, _, _, mean, _, spread]: [A::F; 6]| a.lt(mean, spread);
    let [x, y, z, mean, mean_low, spread] = a.repeat_while(
        ROUNDS,
        state,
        goes_on,
        #[inline(always)]
        |a, [x, y, z, mean, mean_low, spread]| {
            let lambda = lambda(a, [x, y, z].map(|operand| a.sqrt(operand)));
            let [x, y, z] = [x, y, z].map(|operand| next_operand(a, operand, lambda));
            let (mean, mean_low) = next_mean(a, mean, mean_low, lambda);
            [x, y, z, mean, mean_low, spread * a.f(0.25)]
        },
    );
    let (root, rest) = inverse_root(a, (mean, mean_low));
    let inverse = root * root;
    let (dx, dy) = ((mean - x) * inverse, (mean - y) * inverse);
    let dz = -(dx + dy);
    let e2 = dx * dy - dz * dz;
    let e3 = dx * dy * dz;
    // The terms up to the eleventh degree (DLMF 19.19.7, 19.36.1), without the first, which is 1.
    let of_e2 =
        horner(a, e2, &[-1.0 / 10.0, 1.0 / 24.0, -5.0 / 208.0, 35.0 / 2176.0, -3.0 / 256.0]);
    let of_e3 =
        horner(a, e2, &[1.0 / 14.0, -3.0 / 44.0, 1.0 / 16.0, -35.0 / 608.0, 315.0 / 5888.0]);
    let of_square = horner(a, e2, &[3.0 / 104.0, -15.0 / 272.0, 5.0 / 64.0]);
    let of_cube = horner(a, e2, &[5.0 / 304.0, -35.0 / 736.0]);
    let by_e3 = a.fma(e3, a.fma(e3, of_cube, of_square), of_e3);
    let series = a.fma(e2, of_e2, e3 * by_e3);
    let value = a.fma(root, series + rest, root);
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

/// A sum of two floats.
pub(crate) type Two<A> = (<A as Algebra>::F, <A as Algebra>::F);

/// λ of a duplication in two parts, by the roots of the operands.
#[inline(always)]
pub(crate) fn lambda<A: Algebra>(a: &A, [rx, ry, rz]: [A::F; 3]) -> Two<A> {
    let (sum, sum_low) = two_sum(rx, ry);
    let (first, second) = (rx * ry, sum * rz);
    let lows = a.fma(rx, ry, -first) + a.fma(sum_low, rz, a.fma(sum, rz, -second));
    let (high, low) = two_sum(first, second);
    (high, low + lows)
}

/// (x + λ)/4, rounded once but for the low part of λ.
#[inline(always)]
pub(crate) fn next_operand<A: Algebra>(a: &A, x: A::F, (high, low): Two<A>) -> A::F {
    let (sum, rest) = two_sum(x, high);
    (sum + (rest + low)) * a.f(0.25)
}

/// The mean of the next arguments, in two parts.
#[inline(always)]
pub(crate) fn next_mean<A: Algebra>(
    a: &A,
    mean: A::F,
    mean_low: A::F,
    (high, low): Two<A>,
) -> Two<A> {
    let (sum, rest) = two_sum(mean, high);
    let quarter = a.f(0.25);
    (sum * quarter, (rest + (mean_low + low)) * quarter)
}

/// 1/√mean of a mean in two parts, and what it lacks, over it.
#[inline(always)]
pub(crate) fn inverse_root<A: Algebra>(a: &A, (mean, mean_low): Two<A>) -> Two<A> {
    let one = a.f(1.0);
    let root = a.sqrt(mean);
    let inverse = one / root;
    let root_rest = a.fma(-root, root, mean) + mean_low;
    let rest = a.fma(a.f(-0.5) * inverse * inverse, root_rest, a.fma(-inverse, root, one));
    (inverse, rest)
}

/// Carlson's R_D: duplication with λ and the mean in two floats, then a series (Carlson 1995).
#[inline(always)]
pub fn elliprd<A: Algebra>(a: &A, x: A::F, y: A::F, z: A::F) -> A::F {
    let (zero, one, three) = (a.f(0.0), a.f(1.0), a.f(3.0));
    let mean = (x + y + three * z) * a.f(0.2);
    let spread = largest(a, [mean - x, mean - y, mean - z]);
    let state = [x, y, z, mean, zero, spread * a.f(48.0), zero, zero, one];
    let goes_on = |a: &A, state: [A::F; 9]| a.lt(state[3], state[5]);
    let [x, y, z, mean, mean_low, spread, sum, sum_low, scale] = a.repeat_while(
        ROUNDS,
        state,
        goes_on,
        #[inline(always)]
        |a, [x, y, z, mean, mean_low, spread, sum, sum_low, scale]| {
            let roots = [x, y, z].map(|operand| a.sqrt(operand));
            let root = roots[2];
            let lambda = lambda(a, roots);
            let before = z;
            let [x, y, z] = [x, y, z].map(|operand| next_operand(a, operand, lambda));
            let (mean, mean_low) = next_mean(a, mean, mean_low, lambda);
            // z is now (z + λ)/4.
            let quarter = a.f(0.25);
            let scale = scale * quarter;
            let product = root * z;
            let inverse = a.f(1.0) / product;
            // What the inverse lacks by the roundings of the root, of the product and of the quotient.
            let root_rest = a.fma(-root, root, before) * (a.f(0.5) * inverse * z);
            let rest = a.fma(root_rest, z, a.fma(root, z, -product));
            let low = inverse * (a.fma(-inverse, product, a.f(1.0)) - inverse * rest);
            let (sum, lost) = two_sum(sum, scale * inverse);
            let sum_low = sum_low + a.fma(scale, low, lost);
            [x, y, z, mean, mean_low, spread * quarter, sum, sum_low, scale]
        },
    );
    let (root, rest) = inverse_root(a, (mean, mean_low));
    let inverse = root * root;
    let (dx, dy) = ((mean - x) * inverse, (mean - y) * inverse);
    let dz = -(dx + dy) * a.f(1.0 / 3.0);
    let xy = dx * dy;
    let zz = dz * dz;
    let e2 = xy - a.f(6.0) * zz;
    let e3 = (three * xy - a.f(8.0) * zz) * dz;
    let e4 = three * (xy - zz) * zz;
    let e5 = xy * zz * dz;
    let series = carlson_series(a, [e2, e3, e4, e5]);
    let tail = carlson_tail(a, scale, root, a.fma(three, rest, series));
    let value = a.fma(three, sum, a.fma(three, sum_low, tail));
    let value = a.select(a.eq(sum, infinity(a)), sum, value);
    let value = a.select(is_endless(a, mean, spread), infinity(a), value);
    let negative = a.lt(x, zero) | a.lt(y, zero) | a.lt(z, zero);
    a.select(negative, nan(a), value)
}

/// scale root³ (1 + rest).
#[inline(always)]
pub(crate) fn carlson_tail<A: Algebra>(a: &A, scale: A::F, root: A::F, rest: A::F) -> A::F {
    let square = root * root;
    let rest = a.fma(a.fma(root, root, -square), a.f(1.0) / square, rest);
    let cube = scale * root * square;
    a.fma(cube, rest, cube)
}

/// The series of R_D and R_J beside equal operands without its first term, which is 1, by the elementary symmetric functions of the
/// distances of the operands from their mean: the terms up to the ninth degree (DLMF 19.19.7, 19.36.2).
#[inline(always)]
pub(crate) fn carlson_series<A: Algebra>(a: &A, [e2, e3, e4, e5]: [A::F; 4]) -> A::F {
    let of_e2 = horner(a, e2, &[-3.0 / 14.0, 9.0 / 88.0, -1.0 / 16.0, 105.0 / 2432.0]);
    let of_e3 = horner(a, e2, &[1.0 / 6.0, -9.0 / 52.0, 45.0 / 272.0, -5.0 / 32.0]);
    let of_square = horner(a, e2, &[3.0 / 40.0, -45.0 / 304.0]);
    let of_e4 = horner(a, e2, &[-3.0 / 22.0, 3.0 / 20.0, -45.0 / 304.0]);
    let of_e5 = horner(a, e2, &[3.0 / 26.0, -9.0 / 68.0, 15.0 / 112.0]);
    let of_e34 = a.fma(e2, a.f(15.0 / 56.0), a.f(-9.0 / 68.0));
    let by_e3 = a.fma(e3, a.fma(e3, a.f(5.0 / 112.0), of_square), of_e3);
    let by_e4 = a.fma(e4, a.f(9.0 / 152.0), a.fma(e3, of_e34, of_e4));
    let by_e5 = a.fma(e3, a.f(9.0 / 76.0), a.fma(e4, a.f(-3.0 / 28.0), of_e5));
    a.fma(e2, of_e2, a.fma(e3, by_e3, a.fma(e4, by_e4, e5 * by_e5)))
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
    // (p − last) (last − q) R_D and the sum with a third of it in two floats.
    let ((left, left_low), (right, right_low)) = (two_sum(p, -last), two_sum(last, -q));
    let product = left * right;
    let product_low = a.fma(left, right, -product) + a.fma(left, right_low, left_low * right);
    let of_d = elliprd(a, p, q, last);
    let first = product * of_d;
    let first_low = a.fma(product, of_d, -first) + product_low * of_d;
    let third = a.f(1.0 / 3.0);
    let main = first * third;
    let main_low = (a.fma(a.f(-3.0), main, first) + first_low) * third;
    let rest = a.fma(last, elliprf(a, p, q, last), a.sqrt(p * q / last));
    let (sum, lost) = two_sum(main, rest);
    let value = a.f(0.5) * (sum + (lost + main_low));
    // Of one operand that is not 0.
    let value = a.select(a.eq(last, a.f(0.0)), a.f(0.5) * a.sqrt(biggest), value);
    a.select(a.lt(smallest, a.f(0.0)), nan(a), value)
}
