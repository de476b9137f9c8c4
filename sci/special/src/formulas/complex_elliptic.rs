//! Carlson's symmetric integrals of complex numbers off the negative axis: duplication, then a series (Carlson 1995).

use ndany_core::formulas::algebra::Algebra;

use super::plane::*;
use super::support::*;

/// The largest number of duplications.
const ROUNDS: u32 = 40;

/// |re| + |im|.
#[inline(always)]
fn size<A: Algebra>(a: &A, z: Pair<A>) -> A::F {
    a.abs(z.0) + a.abs(z.1)
}

/// √x √y + √y √z + √z √x.
#[inline(always)]
fn lambda<A: Algebra>(a: &A, [x, y, z]: [Pair<A>; 3]) -> Pair<A> {
    let [x, y, z] = [x, y, z].map(|operand| csqrt(a, operand));
    add(a, mul(a, x, add(a, y, z)), mul(a, y, z))
}

#[inline(always)]
fn quarter<A: Algebra>(a: &A, x: Pair<A>, lambda: Pair<A>) -> Pair<A> {
    times(a, add(a, x, lambda), a.f(0.25))
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

/// R_F.
pub fn elliprf<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>, z: Pair<A>) -> Pair<A> {
    let mean = times(a, add(a, x, add(a, y, z)), a.f(1.0 / 3.0));
    let wide = spread(a, mean, [x, y, z]) * a.f(600.0);
    let start = [x.0, x.1, y.0, y.1, z.0, z.1, mean.0, mean.1, wide];
    let goes_on = |a: &A, s: [A::F; 9]| a.lt(size(a, (s[6], s[7])), s[8]);
    let [xr, xi, yr, yi, _, _, mr, mi, _] =
        a.repeat_while(ROUNDS, start, goes_on, |a, [xr, xi, yr, yi, zr, zi, mr, mi, wide]| {
            let lambda = lambda(a, [(xr, xi), (yr, yi), (zr, zi)]);
            let [x, y, z, mean] =
                [(xr, xi), (yr, yi), (zr, zi), (mr, mi)].map(|operand| quarter(a, operand, lambda));
            [x.0, x.1, y.0, y.1, z.0, z.1, mean.0, mean.1, wide * a.f(0.25)]
        });
    let mean = (mr, mi);
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
    let value = div(a, (a.f(1.0) + sum.0, sum.1), csqrt(a, mean));
    choose(a, refused(a, [x, y, z]), (nan(a), nan(a)), value)
}

/// R_D.
pub fn elliprd<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>, z: Pair<A>) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let mean = times(a, add(a, add(a, x, y), times(a, z, a.f(3.0))), a.f(0.2));
    let wide = spread(a, mean, [x, y, z]) * a.f(700.0);
    let start = [x.0, x.1, y.0, y.1, z.0, z.1, mean.0, mean.1, zero, zero, one];
    let goes_on = |a: &A, s: [A::F; 11]| a.lt(size(a, (s[6], s[7])), wide * s[10]);
    let [xr, xi, yr, yi, _, _, mr, mi, sr, si, scale] = a.repeat_while(
        ROUNDS,
        start,
        goes_on,
        |a, [xr, xi, yr, yi, zr, zi, mr, mi, sr, si, scale]| {
            let lambda = lambda(a, [(xr, xi), (yr, yi), (zr, zi)]);
            let below = mul(a, csqrt(a, (zr, zi)), add(a, (zr, zi), lambda));
            let share = div(a, (scale, a.f(0.0)), below);
            let [x, y, z, mean] =
                [(xr, xi), (yr, yi), (zr, zi), (mr, mi)].map(|operand| quarter(a, operand, lambda));
            let (sr, si) = (sr + share.0, si + share.1);
            [x.0, x.1, y.0, y.1, z.0, z.1, mean.0, mean.1, sr, si, scale * a.f(0.25)]
        },
    );
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
    let last = div(a, (one + sum.0, sum.1), mul(a, mean, csqrt(a, mean)));
    let value = add(a, times(a, (sr, si), a.f(3.0)), times(a, last, scale));
    choose(a, refused(a, [x, y, z]), (nan(a), nan(a)), value)
}

/// R_C(x, y) = R_F(x, y, y).
pub fn elliprc<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>) -> Pair<A> {
    elliprf(a, x, y, y)
}
