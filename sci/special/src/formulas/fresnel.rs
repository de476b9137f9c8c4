//! Fresnel's integrals, the hyperbolic sine and cosine integrals, Spence's function.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::fresnel_tables::*;
use super::integrals::{exp1_of_positive, expi_of_positive};
use super::support::*;

/// S and C: the series up to 3/2, then the auxiliary functions f and g (DLMF 7.5.3, 7.5.4). The phase πx²/2 is reduced by the exact
/// square.
pub fn fresnel<A: Algebra>(a: &A, x: A::F) -> [A::F; 2] {
    let size = a.abs(x);
    let square = size * size;
    let [s, c] = a.branch(
        a.le(size, a.f(1.5)),
        |a| {
            let t = square * square;
            let middle = 1.5f64.powi(4) / 2.0;
            let u = a.fma(t, a.f(1.0 / middle), a.f(-1.0));
            [size * square * horner(a, u, &FRESNEL_S), size * horner(a, u, &FRESNEL_C)]
        },
        |a| {
            let one = a.f(1.0);
            // From here on both integrals are 1/2 to the last digit.
            let size = a.select(a.lt(size, a.f(1e17)), size, a.f(1e17));
            let square = size * size;
            let rest = a.fma(size, size, -square);
            let within_turn = |part: A::F| part - a.f(4.0) * a.rint(part * a.f(0.25));
            let quarters = within_turn(within_turn(square) + within_turn(rest));
            let angle = a.f(std::f64::consts::FRAC_PI_2) * quarters;
            let (sine, cosine) = (sin(a, angle), a.call(code::Cos, &[angle]));
            let v = one / square;
            let v = v * v;
            let far = 1.0 / 2.25f64.powi(4);
            let near = 1.0 / 1.5f64.powi(4);
            let [f, g] = a.branch(
                a.lt(v, a.f(far)),
                |a| {
                    let u = a.fma(v, a.f(2.0 / far), a.f(-1.0));
                    [horner(a, u, &FRESNEL_F_FAR), horner(a, u, &FRESNEL_G_FAR)]
                },
                |a| {
                    let u = (v - a.f(0.5 * (near + far))) * a.f(2.0 / (near - far));
                    [horner(a, u, &FRESNEL_F_NEAR), horner(a, u, &FRESNEL_G_NEAR)]
                },
            );
            let scaled = a.f(std::f64::consts::FRAC_1_PI) / size;
            let f = f * scaled;
            let g = g * (scaled * a.f(std::f64::consts::FRAC_1_PI) / square);
            let half = a.f(0.5);
            [half - (f * cosine + g * sine), half + (f * sine - g * cosine)]
        },
    );
    let negative = a.lt(x, a.f(0.0));
    let at = |value: A::F| a.select(a.eq(x, x), a.select(negative, -value, value), x);
    [at(s), at(c)]
}

/// Shi and Chi: series up to 4, Chi about its zero; then by the exponential integrals of x and −x (DLMF 6.5.5, 6.5.6).
pub fn shichi<A: Algebra>(a: &A, x: A::F) -> [A::F; 2] {
    let size = a.abs(x);
    let [shi, chi] = a.branch(
        a.le(size, a.f(4.0)),
        |a| {
            let shi = size * horner(a, a.fma(size * size, a.f(0.125), a.f(-1.0)), &SHI_SERIES);
            let distance = (size - a.f(CHI_ROOT.0)) - a.f(CHI_ROOT.1);
            let ratio = distance * a.f(1.0 / CHI_ROOT.0);
            let logarithm = log(a, size * a.f(1.0 / CHI_ROOT.0));
            let logarithm = when(a, a.lt(a.abs(ratio), a.f(0.4)), logarithm, |a| log1p(a, ratio));
            let regular = horner(a, a.fma(size, a.f(0.5), a.f(-1.0)), &CHI_SERIES);
            [shi, a.fma(distance, regular, logarithm)]
        },
        |a| {
            let half = a.f(0.5);
            let (up, down) = (half * expi_of_positive(a, size), half * exp1_of_positive(a, size));
            // E₁ of infinity is no number there.
            let down = a.select(a.lt(size, a.f(700.0)), down, a.f(0.0));
            [up + down, up - down]
        },
    );
    [a.select(a.lt(x, a.f(0.0)), -shi, shi), chi]
}

/// B(2k)/(2k + 1)!, k ≥ 1.
const SPENCE: [f64; 10] = [
    1.0 / 36.0,
    -1.0 / 3600.0,
    1.0 / 211_680.0,
    -1.0 / 10_886_400.0,
    1.0 / 526_901_760.0,
    -4.064_761_645_144_225_5e-11,
    8.921_691_020_456_452e-13,
    -1.993_929_586_072_107_5e-14,
    4.518_980_029_619_918e-16,
    -1.035_651_761_218_124_7e-17,
];

/// Spence's function, the dilogarithm of 1 − z: Debye's series in log z between 1/2 and 2, and the reflections to 1 − z and 1/z
/// (DLMF 25.12.6, 25.12.4).
pub fn spence<A: Algebra>(a: &A, z: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let above = a.lt(a.f(2.0), z);
    let w = a.select(above, one / z, z);
    let reflected = a.lt(w, a.f(0.5));
    let log_w = log(a, a.select(a.eq(w, zero), one, w));
    let log_other = log1p(a, -a.select(reflected, w, zero));
    let u = -a.select(reflected, log_other, log_w);
    let square = u * u;
    let series = a.fma(u * square, horner(a, square, &SPENCE), a.fma(square, a.f(-0.25), u));
    let pi = std::f64::consts::PI;
    let mirrored = a.f(pi * pi / 6.0) - log_w * log_other - series;
    let value = a.select(reflected, mirrored, series);
    let value = a.select(above, a.f(-0.5) * log_w * log_w - value, value);
    let value = a.select(a.eq(z, one), zero, value);
    let valid = a.le(zero, z) & a.lt(z, infinity(a));
    a.select(valid, value, nan(a))
}
