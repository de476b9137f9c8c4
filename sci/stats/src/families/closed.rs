//! Families whose quantiles are elementary functions.

use ndany_core::formulas::algebra::Algebra;

use crate::family::Continuous;
use crate::words::{exp, expit, expm1, gamma, infinity, log, log1p, logit, nan, pow, tan, xlogy};

/// Euler's constant.
const EULER: f64 = 0.577_215_664_901_532_9;
#[cfg(test)]
/// ζ(3).
const ZETA3: f64 = 1.202_056_903_159_594_3;
/// π²/6.
const PI2_6: f64 = 1.644_934_066_848_226_4;
/// The skewness of Gumbel's distribution, 12 √6 ζ(3) / π³.
const GUMBEL_SKEW: f64 = 1.139_547_099_404_648_7;

fn constant<A: Algebra, const N: usize>(a: &A, values: [f64; N]) -> [A::F; N] {
    values.map(|value| a.f(value))
}

pub(crate) struct Uniform;
impl Continuous for Uniform {
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        constant(a, [0.0, 1.0])
    }
    fn logpdf<A: Algebra>(a: &A, _: A::F, _: &[A::F]) -> A::F {
        a.f(0.0)
    }
    fn pdf<A: Algebra>(a: &A, _: A::F, _: &[A::F]) -> A::F {
        a.f(1.0)
    }
    fn cdf<A: Algebra>(_: &A, z: A::F, _: &[A::F]) -> A::F {
        z
    }
    fn sf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(1.0) - z
    }
    fn ppf<A: Algebra>(_: &A, q: A::F, _: &[A::F]) -> A::F {
        q
    }
    fn isf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        a.f(1.0) - q
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        constant(a, [0.5, 1.0 / 12.0, 0.0, -1.2])
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(0.0)
    }
}

pub(crate) struct Expon;
impl Continuous for Expon {
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(_: &A, z: A::F, _: &[A::F]) -> A::F {
        -z
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        -expm1(a, -z)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        exp(a, -z)
    }
    fn logsf<A: Algebra>(_: &A, z: A::F, _: &[A::F]) -> A::F {
        -z
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        -log1p(a, -q)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        -log(a, q)
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        constant(a, [1.0, 1.0, 2.0, 6.0])
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(1.0)
    }
}

pub(crate) struct Laplace;
impl Continuous for Laplace {
    fn logpdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        -a.abs(z) - a.f(std::f64::consts::LN_2)
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(0.5) * exp(a, -a.abs(z))
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        let half = a.f(0.5) * exp(a, -a.abs(z));
        a.select(a.lt(z, a.f(0.0)), half, a.f(1.0) - half)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Self::cdf(a, -z, p)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        let lower = a.lt(q, a.f(0.5));
        let distance = log(a, a.f(2.0) * a.select(lower, q, a.f(1.0) - q));
        a.select(lower, distance, -distance)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -Self::ppf(a, q, p)
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        constant(a, [0.0, 2.0, 0.0, 3.0])
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(1.0 + std::f64::consts::LN_2)
    }
}

pub(crate) struct Logistic;
impl Continuous for Logistic {
    fn logpdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        let size = a.abs(z);
        -size - a.f(2.0) * log1p(a, exp(a, -size))
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        expit(a, z)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        expit(a, -z)
    }
    fn logcdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        let rest = log1p(a, exp(a, -a.abs(z)));
        a.select(a.lt(z, a.f(0.0)), z - rest, -rest)
    }
    fn logsf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Self::logcdf(a, -z, p)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        logit(a, q)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        -logit(a, q)
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        constant(a, [0.0, 2.0 * PI2_6, 0.0, 1.2])
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(2.0)
    }
}

/// log(1 + z²), where the square may overflow.
pub(crate) fn log_of_one_and_square<A: Algebra>(a: &A, z: A::F) -> A::F {
    let size = a.abs(z);
    let far = a.lt(a.f(1e10), size);
    let square = a.select(far, a.f(0.0), size * size);
    a.select(far, a.f(2.0) * log(a, size), log1p(a, square))
}

pub(crate) struct Cauchy;
impl Continuous for Cauchy {
    fn logpdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        -a.f(libm::log(std::f64::consts::PI)) - log_of_one_and_square(a, z)
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(std::f64::consts::FRAC_1_PI) / (a.f(1.0) + z * z)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Self::sf(a, -z, p)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        // The angle of the point (z, 1), which has no cancellation in either tail.
        a.call(ndany_core::formulas::code::Atan2, &[a.f(1.0), z]) * a.f(std::f64::consts::FRAC_1_PI)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        let lower = a.lt(q, a.f(0.5));
        let tail = a.select(lower, q, a.f(1.0) - q);
        let distance = a.f(1.0) / tan(a, a.f(std::f64::consts::PI) * tail);
        let distance = a.select(a.eq(tail, a.f(0.5)), a.f(0.0), distance);
        a.select(lower, -distance, distance)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -Self::ppf(a, q, p)
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        [nan(a); 4]
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(libm::log(4.0 * std::f64::consts::PI))
    }
}

pub(crate) struct Pareto;
impl Continuous for Pareto {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(1.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        log(a, p[0]) - (p[0] + a.f(1.0)) * log(a, z)
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        p[0] * pow(a, z, -p[0] - a.f(1.0))
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        -expm1(a, -p[0] * log(a, z))
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        pow(a, z, -p[0])
    }
    fn logsf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        -p[0] * log(a, z)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        exp(a, -log1p(a, -q) / p[0])
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        pow(a, q, -a.f(1.0) / p[0])
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let b = p[0];
        let above =
            |limit: f64, value: A::F, other: A::F| a.select(a.lt(a.f(limit), b), value, other);
        let [one, two] = constant(a, [1.0, 2.0]);
        let mean = above(1.0, b / (b - one), infinity(a));
        let var = above(2.0, b / ((b - one) * (b - one) * (b - two)), infinity(a));
        let skew = two * (b + one) * a.sqrt(b - two) / ((b - a.f(3.0)) * a.sqrt(b));
        let kurtosis = a.f(6.0) * (((b + one) * b - a.f(6.0)) * b - two)
            / (b * (b - a.f(3.0)) * (b - a.f(4.0)));
        [mean, var, above(3.0, skew, nan(a)), above(4.0, kurtosis, nan(a))]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        a.f(1.0) + a.f(1.0) / p[0] - log(a, p[0])
    }
}

pub(crate) struct WeibullMin;
impl Continuous for WeibullMin {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        log(a, p[0]) + xlogy(a, p[0] - a.f(1.0), z) - pow(a, z, p[0])
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        -expm1(a, -pow(a, z, p[0]))
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        exp(a, -pow(a, z, p[0]))
    }
    fn logsf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        -pow(a, z, p[0])
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        pow(a, -log1p(a, -q), a.f(1.0) / p[0])
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        pow(a, -log(a, q), a.f(1.0) / p[0])
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let of = |k: f64| gamma(a, a.f(1.0) + a.f(k) / p[0]);
        let [g1, g2, g3, g4] = [of(1.0), of(2.0), of(3.0), of(4.0)];
        from_raw(a, [g1, g2, g3, g4])
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        a.f(EULER) - a.f(EULER) / p[0] - log(a, p[0]) + a.f(1.0)
    }
}

/// Mean, variance, skewness and excess kurtosis of the first four moments about zero.
pub(crate) fn from_raw<A: Algebra>(a: &A, [m1, m2, m3, m4]: [A::F; 4]) -> [A::F; 4] {
    let square = m1 * m1;
    let var = m2 - square;
    let third = m3 - a.f(3.0) * m1 * m2 + a.f(2.0) * square * m1;
    let fourth = m4 - a.f(4.0) * m1 * m3 + a.f(6.0) * square * m2 - a.f(3.0) * square * square;
    [m1, var, third / (var * a.sqrt(var)), fourth / (var * var) - a.f(3.0)]
}

pub(crate) struct GumbelR;
impl Continuous for GumbelR {
    fn logpdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        -z - exp(a, -z)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        exp(a, -exp(a, -z))
    }
    fn sf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        -expm1(a, -exp(a, -z))
    }
    fn logcdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        -exp(a, -z)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        -log(a, -log(a, q))
    }
    fn isf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        -log(a, -log1p(a, -q))
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        constant(a, [EULER, PI2_6, GUMBEL_SKEW, 2.4])
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(EULER + 1.0)
    }
}

pub(crate) struct GumbelL;
impl Continuous for GumbelL {
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        GumbelR::logpdf(a, -z, p)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        GumbelR::sf(a, -z, p)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        GumbelR::cdf(a, -z, p)
    }
    fn logsf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        GumbelR::logcdf(a, -z, p)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -GumbelR::isf(a, q, p)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -GumbelR::ppf(a, q, p)
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        constant(a, [-EULER, PI2_6, -GUMBEL_SKEW, 2.4])
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(EULER + 1.0)
    }
}

pub(crate) struct Rayleigh;
impl Continuous for Rayleigh {
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        log(a, z) - a.f(0.5) * z * z
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        z * exp(a, a.f(-0.5) * z * z)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        -expm1(a, a.f(-0.5) * z * z)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        exp(a, a.f(-0.5) * z * z)
    }
    fn logsf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(-0.5) * z * z
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        a.sqrt(a.f(-2.0) * log1p(a, -q))
    }
    fn isf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        a.sqrt(a.f(-2.0) * log(a, q))
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        let pi = std::f64::consts::PI;
        let spread = 4.0 - pi;
        constant(
            a,
            [
                (pi / 2.0).sqrt(),
                spread / 2.0,
                2.0 * (pi - 3.0) * pi.sqrt() / (spread * spread.sqrt()),
                6.0 * pi / spread - 16.0 / (spread * spread),
            ],
        )
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(EULER / 2.0 + 1.0 - 0.5 * std::f64::consts::LN_2)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn constants_are_what_their_names_say() {
        let pi = std::f64::consts::PI;
        assert!(
            (super::GUMBEL_SKEW - 12.0 * 6f64.sqrt() * super::ZETA3 / pi.powi(3)).abs() < 1e-15
        );
        assert!((super::PI2_6 - pi * pi / 6.0).abs() < 1e-15);
    }
}
