//! Carlson's symmetric integrals of complex numbers off the negative axis: duplication, then a series (Carlson 1995).

use ndany_core::formulas::algebra::Algebra;

use super::elliptic::{Two, next_mean, next_operand};
use super::plane::*;
use super::support::*;

/// The largest number of duplications.
const ROUNDS: u32 = 40;

/// |re| + |im|.
#[inline(always)]
fn size<A: Algebra>(a: &A, z: Pair<A>) -> A::F {
    a.abs(z.0) + a.abs(z.1)
}

/// √x √y + √y √z + √z √x, the real and the imaginary part in two floats.
#[inline(always)]
fn lambda<A: Algebra>(a: &A, [x, y, z]: [Pair<A>; 3]) -> [Two<A>; 2] {
    let ((re, re_low), (im, im_low)) = (two_sum(y.0, z.0), two_sum(y.1, z.1));
    let real = dot(a, [(x.0, re), (-x.1, im), (y.0, z.0), (-y.1, z.1)]);
    let imaginary = dot(a, [(x.0, im), (x.1, re), (y.0, z.1), (y.1, z.0)]);
    let real_low = real.1 + a.fma(x.0, re_low, -(x.1 * im_low));
    let imaginary_low = imaginary.1 + a.fma(x.0, im_low, x.1 * re_low);
    [(real.0, real_low), (imaginary.0, imaginary_low)]
}

/// (x + λ)/4.
#[inline(always)]
fn next<A: Algebra>(a: &A, x: Pair<A>, [re, im]: [Two<A>; 2]) -> Pair<A> {
    (next_operand(a, x.0, re), next_operand(a, x.1, im))
}

#[inline(always)]
fn spread<A: Algebra>(a: &A, mean: Pair<A>, operands: [Pair<A>; 3]) -> A::F {
    let [x, y, z] = operands.map(|operand| size(a, sub(a, mean, operand)));
    let [xy, _] = ordered(a, x, y);
    ordered(a, xy, z)[0]
}

/// Whether an operand is on the negative axis, or NaN.
#[inline(always)]
fn refused<A: Algebra>(a: &A, operands: [Pair<A>; 3]) -> A::B {
    let zero = a.f(0.0);
    let [x, y, z] = operands.map(|z| (a.eq(z.1, zero) & a.lt(z.0, zero)) | has_nan(a, z));
    x | y | z
}

/// x y − (value + low).
#[inline(always)]
fn residual<A: Algebra>(a: &A, [x, y]: [Pair<A>; 2], value: Pair<A>, low: Pair<A>) -> Pair<A> {
    let one = a.f(1.0);
    let re = dot(a, [(x.0, y.0), (-x.1, y.1), (-one, value.0), (-one, low.0)]);
    let im = dot(a, [(x.0, y.1), (x.1, y.0), (-one, value.1), (-one, low.1)]);
    (re.0 + re.1, im.0 + im.1)
}

/// What 1/√mean has beyond `inverse`, the rounded inverse of the rounded `root`, over it.
#[inline(always)]
fn root_rest<A: Algebra>(
    a: &A,
    root: Pair<A>,
    inverse: Pair<A>,
    mean: Pair<A>,
    mean_low: Pair<A>,
) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    // (root² − mean)/(2 mean) − (root × inverse − 1).
    let of_root = residual(a, [root, root], mean, mean_low);
    let of_root = mul(a, of_root, mul(a, inverse, inverse));
    let of_quotient = residual(a, [root, inverse], (one, zero), (zero, zero));
    sub(a, times(a, of_root, a.f(0.5)), of_quotient)
}

/// R_F.
pub fn elliprf<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>, z: Pair<A>) -> Pair<A> {
    let mean = times(a, add(a, x, add(a, y, z)), a.f(1.0 / 3.0));
    let wide = spread(a, mean, [x, y, z]) * a.f(120.0);
    let zero = a.f(0.0);
    let start = [x.0, x.1, y.0, y.1, z.0, z.1, mean.0, mean.1, zero, zero, wide];
    let goes_on = |a: &A, s: [A::F; 11]| a.lt(size(a, (s[6], s[7])), s[10]);
    let [xr, xi, yr, yi, _, _, mr, mi, mr_low, mi_low, _] = a.repeat_while(
        ROUNDS,
        start,
        goes_on,
        |a, [xr, xi, yr, yi, zr, zi, mr, mi, mr_low, mi_low, wide]| {
            let operands = [(xr, xi), (yr, yi), (zr, zi)];
            let lambda = lambda(a, operands.map(|operand| csqrt(a, operand)));
            let [x, y, z] = operands.map(|operand| next(a, operand, lambda));
            let (mr, mr_low) = next_mean(a, mr, mr_low, lambda[0]);
            let (mi, mi_low) = next_mean(a, mi, mi_low, lambda[1]);
            [x.0, x.1, y.0, y.1, z.0, z.1, mr, mi, mr_low, mi_low, wide * a.f(0.25)]
        },
    );
    let mean = (mr, mi);
    let mean_low = (mr_low, mi_low);
    let distance = |operand: Pair<A>| div(a, sub(a, mean, operand), mean);
    let (dx, dy) = (distance((xr, xi)), distance((yr, yi)));
    let dz = minus(a, add(a, dx, dy));
    let xy = mul(a, dx, dy);
    let e2 = sub(a, xy, mul(a, dz, dz));
    let e3 = mul(a, xy, dz);
    let square = mul(a, e2, e2);
    let term = |value: Pair<A>, factor: f64| times(a, value, a.f(factor));
    let sum = add(a, term(e2, -0.1), term(e3, 1.0 / 14.0));
    let sum = add(a, sum, term(square, 1.0 / 24.0));
    let sum = add(a, sum, term(mul(a, e2, e3), -3.0 / 44.0));
    let sum = add(a, sum, term(mul(a, square, e2), -5.0 / 208.0));
    let sum = add(a, sum, term(mul(a, e3, e3), 3.0 / 104.0));
    let sum = add(a, sum, term(mul(a, square, e3), 1.0 / 16.0));
    // The roundings of the root and of the mean.
    let root = csqrt(a, mean);
    let inverse = div(a, (a.f(1.0), zero), root);
    let rest = add(a, sum, root_rest(a, root, inverse, mean, mean_low));
    let value = add(a, mul(a, inverse, rest), inverse);
    choose(a, refused(a, [x, y, z]), (nan(a), nan(a)), value)
}

/// (x + y + 3 z)/5, the real and the imaginary part in two floats.
#[inline(always)]
fn weighted_mean<A: Algebra>(a: &A, [x, y, z]: [Pair<A>; 3]) -> [Two<A>; 2] {
    let mean = |x: A::F, y: A::F, z: A::F| {
        let (one, three) = (a.f(1.0), a.f(3.0));
        let (sum, low) = dot(a, [(x, one), (y, one), (z, three)]);
        let mean = (sum + low) * a.f(0.2);
        (mean, (a.fma(mean, a.f(-5.0), sum) + low) * a.f(0.2))
    };
    [mean(x.0, y.0, z.0), mean(x.1, y.1, z.1)]
}

/// R_D.
pub fn elliprd<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>, z: Pair<A>) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let [(mr, _), (mi, _)] = weighted_mean(a, [x, y, z]);
    let wide = spread(a, (mr, mi), [x, y, z]) * a.f(200.0);
    let start = [x.0, x.1, y.0, y.1, z.0, z.1, zero, zero, zero, zero, one];
    let goes_on = |a: &A, [xr, xi, yr, yi, zr, zi, .., scale]: [A::F; 11]| {
        let mean = |x: A::F, y: A::F, z: A::F| a.fma(z, a.f(3.0), x + y) * a.f(0.2);
        a.lt(size(a, (mean(xr, yr, zr), mean(xi, yi, zi))), wide * scale)
    };
    // The sum has low parts.
    let [xr, xi, yr, yi, zr, zi, sr, si, sr_low, si_low, scale] = a.repeat_while(
        ROUNDS,
        start,
        goes_on,
        |a, [xr, xi, yr, yi, zr, zi, sr, si, sr_low, si_low, scale]| {
            let (zero, one) = (a.f(0.0), a.f(1.0));
            let operands = [(xr, xi), (yr, yi), (zr, zi)];
            let roots = operands.map(|operand| csqrt(a, operand));
            let lambda = lambda(a, roots);
            let [x, y, z] = operands.map(|operand| next(a, operand, lambda));
            // z is now (z + λ)/4, and the share is the scale over it and √z of before.
            let scale = scale * a.f(0.25);
            let root = roots[2];
            let product = mul(a, root, z);
            let share = div(a, (one, zero), product);
            // The roundings of the product, of the root, as (root² − z before)/2 z/root, and of the quotient.
            let lost = residual(a, [root, z], product, (zero, zero));
            let of_root = residual(a, [root, root], operands[2], (zero, zero));
            let over = mul(a, mul(a, of_root, mul(a, share, z)), times(a, z, a.f(0.5)));
            let of_share = residual(a, [share, product], (one, zero), (zero, zero));
            let rest = add(a, of_share, mul(a, share, sub(a, lost, over)));
            let low = mul(a, minus(a, share), rest);
            // Beyond the range there is none.
            let low = choose(a, a.lt(size(a, low), infinity(a)), low, (zero, zero));
            let (sr, lost_r) = two_sum(sr, share.0 * scale);
            let (si, lost_i) = two_sum(si, share.1 * scale);
            let sr_low = sr_low + a.fma(scale, low.0, lost_r);
            let si_low = si_low + a.fma(scale, low.1, lost_i);
            [x.0, x.1, y.0, y.1, z.0, z.1, sr, si, sr_low, si_low, scale]
        },
    );
    let [(mr, mr_low), (mi, mi_low)] = weighted_mean(a, [(xr, xi), (yr, yi), (zr, zi)]);
    let mean = (mr, mi);
    let distance = |operand: Pair<A>| div(a, sub(a, mean, operand), mean);
    let (dx, dy) = (distance((xr, xi)), distance((yr, yi)));
    let dz = times(a, add(a, dx, dy), a.f(-1.0 / 3.0));
    let term = |value: Pair<A>, factor: f64| times(a, value, a.f(factor));
    let (xy, zz) = (mul(a, dx, dy), mul(a, dz, dz));
    let e2 = sub(a, xy, term(zz, 6.0));
    let e3 = mul(a, sub(a, term(xy, 3.0), term(zz, 8.0)), dz);
    let e4 = term(mul(a, sub(a, xy, zz), zz), 3.0);
    let e5 = mul(a, mul(a, xy, zz), dz);
    let square = mul(a, e2, e2);
    let sum = add(a, term(e2, -3.0 / 14.0), term(e3, 1.0 / 6.0));
    let sum = add(a, sum, term(square, 9.0 / 88.0));
    let sum = add(a, sum, term(e4, -3.0 / 22.0));
    let sum = add(a, sum, term(mul(a, e2, e3), -9.0 / 52.0));
    let sum = add(a, sum, term(e5, 3.0 / 26.0));
    let sum = add(a, sum, term(mul(a, square, e2), -1.0 / 16.0));
    let sum = add(a, sum, term(mul(a, e3, e3), 3.0 / 40.0));
    let sum = add(a, sum, term(mul(a, e2, e4), 3.0 / 20.0));
    let sum = add(a, sum, term(mul(a, square, e3), 45.0 / 272.0));
    let mixed = add(a, mul(a, e3, e4), mul(a, e2, e5));
    let sum = add(a, sum, term(mixed, -9.0 / 68.0));
    let root = csqrt(a, mean);
    let inverse = div(a, (one, zero), root);
    let rest = times(a, root_rest(a, root, inverse, mean, (mr_low, mi_low)), a.f(3.0));
    let cube = mul(a, mul(a, inverse, inverse), inverse);
    let last = mul(a, cube, add(a, sum, rest));
    let three = a.f(3.0);
    let part = |sum: A::F, sum_low: A::F, cube: A::F, last: A::F| {
        let (cube, last) = (cube * scale, last * scale);
        let rest = a.fma(three, sum_low, last);
        a.fma(three, sum, cube + rest)
    };
    let value = (part(sr, sr_low, cube.0, last.0), part(si, si_low, cube.1, last.1));
    choose(a, refused(a, [x, y, z]), (nan(a), nan(a)), value)
}

/// R_C(x, y) = R_F(x, y, y).
pub fn elliprc<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>) -> Pair<A> {
    elliprf(a, x, y, y)
}
