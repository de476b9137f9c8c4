//! Functions of entropy, losses, transformations of Box and Cox, angles in degrees, and means.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::support::*;

/// The arithmetic-geometric mean (Gauss's iteration, which doubles the digits at each step); NaN of numbers of two signs.
#[inline(always)]
pub fn agm<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let zero = a.f(0.0);
    let negative = a.lt(x, zero) | a.lt(y, zero);
    let other = (a.lt(x, zero) & a.lt(zero, y)) | (a.lt(y, zero) & a.lt(zero, x));
    let apart = |a: &A, [x, y]: [A::F; 2]| a.lt(a.abs(x) * a.f(2.0f64.powi(-26)), a.abs(x - y));
    let step = |a: &A, [x, y]: [A::F; 2]| [x * a.f(0.5) + y * a.f(0.5), a.sqrt(x) * a.sqrt(y)];
    let (p, q) = (a.abs(x), a.abs(y));
    let [p, q] = a.repeat_while(64, [p, q], apart, step);
    let mean = p * a.f(0.5) + q * a.f(0.5);
    let mean = a.select(negative, -mean, mean);
    let none = a.eq(x, zero) | a.eq(y, zero);
    let endless = (a.eq(x, zero) & a.eq(a.abs(y), infinity(a)))
        | (a.eq(y, zero) & a.eq(a.abs(x), infinity(a)));
    let mean = a.select(none, zero, mean);
    a.select(other | endless | !a.eq(x, x) | !a.eq(y, y), nan(a), mean)
}

/// x log(x/y) of positive x and y; 0 where x is 0 and y is not negative; else ∞.
#[inline(always)]
pub fn rel_entr<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let zero = a.f(0.0);
    let positive = a.lt(zero, x) & a.lt(zero, y);
    let value = x * log_of_ratio(a, x, y);
    let value = a.select(positive, value, infinity(a));
    let value = a.select(a.eq(x, zero) & a.le(zero, y), zero, value);
    a.select(a.eq(x, x) & a.eq(y, y), value, nan(a))
}

/// log(x/y): by the relative difference where both are near each other, by two logarithms where the ratio is no usual float.
#[inline(always)]
fn log_of_ratio<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let ratio = x / y;
    let near = a.lt(a.f(0.5), ratio) & a.lt(ratio, a.f(2.0));
    let usual = a.lt(a.f(1e-300), ratio) & a.lt(ratio, a.f(1e300));
    let value = log(a, ratio);
    let value = when(
        a,
        near,
        value,
        #[inline(always)]
        |a| log1p(a, (x - y) / y),
    );
    when(
        a,
        !usual,
        value,
        #[inline(always)]
        |a| log(a, x) - log(a, y),
    )
}

/// x log(x/y) − x + y.
#[inline(always)]
pub fn kl_div<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let zero = a.f(0.0);
    let positive = a.lt(zero, x) & a.lt(zero, y);
    // −x (log(1 + d) − d) of d = (y − x)/x, where they are near each other.
    let distance = (y - x) / x;
    let plain = x * log_of_ratio(a, x, y) - x + y;
    let value = when(
        a,
        a.lt(a.abs(distance), a.f(0.5)),
        plain,
        #[inline(always)]
        |a| -x * super::gamma::log1pmx(a, distance),
    );
    let value = a.select(positive, value, infinity(a));
    let value = a.select(a.eq(x, zero) & a.le(zero, y), y, value);
    a.select(a.eq(x, x) & a.eq(y, y), value, nan(a))
}

/// Huber's loss: r²/2 up to δ, then a line; ∞ of negative δ.
#[inline(always)]
pub fn huber<A: Algebra>(a: &A, delta: A::F, r: A::F) -> A::F {
    let (half, size) = (a.f(0.5), a.abs(r));
    let value = a.select(a.le(size, delta), half * r * r, delta * (size - half * delta));
    let value = a.select(a.lt(delta, a.f(0.0)), infinity(a), value);
    a.select(a.eq(delta, delta), value, nan(a))
}

/// The smooth form of Huber's loss: δ² (√(1 + (r/δ)²) − 1).
#[inline(always)]
pub fn pseudo_huber<A: Algebra>(a: &A, delta: A::F, r: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let v = r / delta;
    let square = v * v;
    // √(1 + s) − 1 is s / (1 + √(1 + s)).
    let value = delta * delta * (square / (one + a.sqrt(one + square)));
    let value = a.select(a.lt(a.f(1e150), a.abs(v)), delta * a.abs(r), value);
    let value = a.select(a.eq(delta, zero) | a.eq(r, zero), zero, value);
    let value = a.select(a.lt(delta, zero), infinity(a), value);
    a.select(a.eq(delta, delta) & a.eq(r, r), value, nan(a))
}

/// (x^λ − 1)/λ, log x for λ = 0.
#[inline(always)]
pub fn boxcox<A: Algebra>(a: &A, x: A::F, lambda: A::F) -> A::F {
    transformed(a, log(a, x), lambda)
}

/// The same of 1 + x.
#[inline(always)]
pub fn boxcox1p<A: Algebra>(a: &A, x: A::F, lambda: A::F) -> A::F {
    transformed(a, log1p(a, x), lambda)
}

/// (e^(λ l) − 1)/λ.
#[inline(always)]
fn transformed<A: Algebra>(a: &A, logarithm: A::F, lambda: A::F) -> A::F {
    let value = expm1(a, lambda * logarithm) / lambda;
    let flat = a.lt(a.abs(lambda), a.f(1e-19))
        | (a.lt(a.abs(logarithm), a.f(1e-289)) & a.lt(a.abs(lambda), a.f(1e273)));
    a.select(flat, logarithm, value)
}

/// The inverse of [`boxcox`].
#[inline(always)]
pub fn inv_boxcox<A: Algebra>(a: &A, y: A::F, lambda: A::F) -> A::F {
    exp(a, log_of_inverse(a, y, lambda))
}

/// The inverse of [`boxcox1p`].
#[inline(always)]
pub fn inv_boxcox1p<A: Algebra>(a: &A, y: A::F, lambda: A::F) -> A::F {
    expm1(a, log_of_inverse(a, y, lambda))
}

#[inline(always)]
fn log_of_inverse<A: Algebra>(a: &A, y: A::F, lambda: A::F) -> A::F {
    let product = lambda * y;
    let value = log1p(a, product) / lambda;
    a.select(a.eq(lambda, a.f(0.0)) | a.lt(a.abs(product), a.f(1e-154)), y, value)
}

/// log of 1/(1 + e^−x).
#[inline(always)]
pub fn log_expit<A: Algebra>(a: &A, x: A::F) -> A::F {
    -a.call(code::LogAddExp, &[a.f(0.0), -x])
}

/// log(1 + e^x).
#[inline(always)]
pub fn softplus<A: Algebra>(a: &A, x: A::F) -> A::F {
    a.call(code::LogAddExp, &[x, a.f(0.0)])
}

/// (e^x − 1)/x.
#[inline(always)]
pub fn exprel<A: Algebra>(a: &A, x: A::F) -> A::F {
    let value = expm1(a, x) / x;
    let value = a.select(a.lt(a.abs(x), a.f(1e-16)), a.f(1.0), value);
    a.select(a.lt(a.f(717.0), x), infinity(a), value)
}

/// cos x − 1, by the sine of half the angle.
#[inline(always)]
pub fn cosm1<A: Algebra>(a: &A, x: A::F) -> A::F {
    let s = sin(a, a.f(0.5) * x);
    // The sum makes the zero positive.
    a.fma(a.f(-2.0) * s, s, a.f(0.0))
}

/// x^y − 1, by the logarithm where it is small.
#[inline(always)]
pub fn powm1<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let plain = pow(a, x, y) - a.f(1.0);
    let exponent = y * log(a, x);
    let near = a.lt(a.f(0.0), x) & a.lt(a.abs(exponent), a.f(0.7));
    when(
        a,
        near,
        plain,
        #[inline(always)]
        |a| {
            // log x by its distance from 1 where that is the smaller number.
            let close = a.lt(a.abs(x - a.f(1.0)), a.f(0.5));
            let exponent = a.select(close, y * log1p(a, x - a.f(1.0)), exponent);
            expm1(a, exponent)
        },
    )
}

/// An angle in degrees as one from −45 to 45 and a quarter turn of 0 to 3.
#[inline(always)]
fn quarters<A: Algebra>(a: &A, x: A::F) -> (A::F, A::F) {
    // The remainder by whole turns is exact.
    let turns = a.rint(x * a.f(1.0 / 360.0));
    let x = a.fma(turns, a.f(-360.0), x);
    let quarter = a.rint(x * a.f(1.0 / 90.0));
    let rest = a.fma(quarter, a.f(-90.0), x);
    let quarter = a.select(a.lt(quarter, a.f(0.0)), quarter + a.f(4.0), quarter);
    (rest * a.f(std::f64::consts::PI / 180.0), quarter)
}

/// The sine of an angle in degrees.
#[inline(always)]
pub fn sindg<A: Algebra>(a: &A, x: A::F) -> A::F {
    let (angle, quarter) = quarters(a, x);
    by_quarter(a, angle, quarter)
}

/// The cosine of an angle in degrees.
#[inline(always)]
pub fn cosdg<A: Algebra>(a: &A, x: A::F) -> A::F {
    let (angle, quarter) = quarters(a, x);
    by_quarter(a, angle, quarter + a.f(1.0))
}

#[inline(always)]
fn by_quarter<A: Algebra>(a: &A, angle: A::F, quarter: A::F) -> A::F {
    let quarter = a.select(a.lt(a.f(3.5), quarter), quarter - a.f(4.0), quarter);
    let odd = a.eq(quarter, a.f(1.0)) | a.eq(quarter, a.f(3.0));
    let value = a.select(odd, a.call(code::Cos, &[angle]), sin(a, angle));
    let value = a.select(a.lt(a.f(1.5), quarter), -value, value);
    // No sign of zero is asked for.
    a.select(a.eq(value, a.f(0.0)), a.f(0.0), value)
}

/// The tangent of an angle in degrees.
#[inline(always)]
pub fn tandg<A: Algebra>(a: &A, x: A::F) -> A::F {
    sindg(a, x) / cosdg(a, x)
}

/// The cotangent of an angle in degrees.
#[inline(always)]
pub fn cotdg<A: Algebra>(a: &A, x: A::F) -> A::F {
    cosdg(a, x) / sindg(a, x)
}

/// An angle in degrees, minutes and seconds as radians.
#[inline(always)]
pub fn radian<A: Algebra>(a: &A, d: A::F, m: A::F, s: A::F) -> A::F {
    let seconds = (d * a.f(60.0) + m) * a.f(60.0) + s;
    seconds * a.f(std::f64::consts::PI / 648_000.0)
}
