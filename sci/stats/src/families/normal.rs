//! The normal distribution and what is made of it.

use ndany_core::formulas::algebra::Algebra;
use ndany_special::formulas::errors::{log_ndtr, ndtr, ndtri, owens_t};

use crate::family::Continuous;
use crate::words::{exp, expm1, infinity, log, log1p};

/// log √(2π).
pub(crate) const LOG_ROOT_2PI: f64 = 0.918_938_533_204_672_8;
/// 1 / √(2π).
const DENSITY: f64 = 0.398_942_280_401_432_7;
/// √(2/π).
const ROOT_2_PI: f64 = 0.797_884_560_802_865_4;

/// The standard normal density.
pub(crate) fn density<A: Algebra>(a: &A, z: A::F) -> A::F {
    a.f(DENSITY) * exp(a, a.f(-0.5) * z * z)
}

pub(crate) struct Norm;
impl Continuous for Norm {
    fn logpdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(-0.5) * z * z - a.f(LOG_ROOT_2PI)
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        density(a, z)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        ndtr(a, z)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        ndtr(a, -z)
    }
    fn logcdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        log_ndtr(a, z)
    }
    fn logsf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        log_ndtr(a, -z)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        ndtri(a, q)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        -ndtri(a, q)
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        [a.f(0.0), a.f(1.0), a.f(0.0), a.f(0.0)]
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(LOG_ROOT_2PI + 0.5)
    }
}

pub(crate) struct Lognorm;
impl Continuous for Lognorm {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let log_z = log(a, z);
        let t = log_z / p[0];
        let inside = a.f(-0.5) * t * t - log_z - log(a, p[0]) - a.f(LOG_ROOT_2PI);
        a.select(a.eq(z, a.f(0.0)), -infinity(a), inside)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        ndtr(a, log(a, z) / p[0])
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        ndtr(a, -log(a, z) / p[0])
    }
    fn logcdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        log_ndtr(a, log(a, z) / p[0])
    }
    fn logsf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        log_ndtr(a, -log(a, z) / p[0])
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        exp(a, p[0] * ndtri(a, q))
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        exp(a, -p[0] * ndtri(a, q))
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let square = p[0] * p[0];
        let (e, rest) = (exp(a, square), expm1(a, square));
        let skew = a.sqrt(rest) * (e + a.f(2.0));
        // e⁴ + 2e³ + 3e² − 6, which is 0 at e = 1.
        let kurtosis = rest * (((e + a.f(3.0)) * e + a.f(6.0)) * e + a.f(6.0));
        [exp(a, a.f(0.5) * square), rest * e, skew, kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        a.f(LOG_ROOT_2PI + 0.5) + log(a, p[0])
    }
}

pub(crate) struct Halfnorm;
impl Continuous for Halfnorm {
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(-0.5) * z * z + a.f(libm::log(ROOT_2_PI))
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(2.0) * density(a, z)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.call(ndany_core::formulas::code::Erf, &[z * a.f(std::f64::consts::FRAC_1_SQRT_2)])
    }
    fn sf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(2.0) * ndtr(a, -z)
    }
    fn logsf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(std::f64::consts::LN_2) + log_ndtr(a, -z)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        ndtri(a, a.f(0.5) + a.f(0.5) * q)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        -ndtri(a, a.f(0.5) * q)
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        let pi = std::f64::consts::PI;
        let rest = pi - 2.0;
        [
            a.f(ROOT_2_PI),
            a.f(1.0 - 2.0 / pi),
            a.f(2f64.sqrt() * (4.0 - pi) / (rest * rest.sqrt())),
            a.f(8.0 * (pi - 3.0) / (rest * rest)),
        ]
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(LOG_ROOT_2PI + 0.5 - std::f64::consts::LN_2)
    }
}

/// The probability of a standard normal variable between two ends, by the tail in which they are.
fn between<A: Algebra>(a: &A, low: A::F, high: A::F) -> A::F {
    let right = a.lt(a.f(0.0), low);
    let (from, to) = (a.select(right, -high, low), a.select(right, -low, high));
    ndtr(a, to) - ndtr(a, from)
}

/// The logarithm of [`between`].
fn log_between<A: Algebra>(a: &A, low: A::F, high: A::F) -> A::F {
    let right = a.lt(a.f(0.0), low);
    let (from, to) = (a.select(right, -high, low), a.select(right, -low, high));
    let (from, to) = (log_ndtr(a, from), log_ndtr(a, to));
    to + log1p(a, -exp(a, from - to))
}

/// The normal distribution between two ends.
pub(crate) struct Truncnorm;
impl Continuous for Truncnorm {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(p[0], p[1])
    }
    fn support<A: Algebra>(_: &A, p: &[A::F]) -> [A::F; 2] {
        [p[0], p[1]]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Norm::logpdf(a, z, &[]) - log_between(a, p[0], p[1])
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        exp(a, Self::logcdf(a, z, p))
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        exp(a, Self::logsf(a, z, p))
    }
    fn logcdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let inside = log_between(a, p[0], z) - log_between(a, p[0], p[1]);
        a.select(a.le(z, p[0]), -infinity(a), inside)
    }
    fn logsf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let inside = log_between(a, z, p[1]) - log_between(a, p[0], p[1]);
        a.select(a.le(p[1], z), -infinity(a), inside)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        // In the left half as it is; in the right half mirrored, where small probabilities stay.
        let right = a.lt(a.f(0.0), p[0]);
        let (low, part) = (a.select(right, -p[1], p[0]), a.select(right, a.f(1.0) - q, q));
        let z = ndtri(a, ndtr(a, low) + part * between(a, p[0], p[1]));
        let z = a.select(right, -z, z);
        let z = a.select(a.lt(z, p[0]), p[0], z);
        a.select(a.lt(p[1], z), p[1], z)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -Self::ppf(a, q, &[-p[1], -p[0]])
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let all = log_between(a, p[0], p[1]);
        let at = |end: A::F| exp(a, Norm::logpdf(a, end, &[]) - all);
        let (low, high) = (at(p[0]), at(p[1]));
        // z φ(z) is 0 at infinity.
        let times = |end: A::F, value: A::F| a.select(a.eq(value, a.f(0.0)), a.f(0.0), end * value);
        let (l1, h1) = (times(p[0], low), times(p[1], high));
        let (l2, h2) = (times(p[0], l1), times(p[1], h1));
        let (l3, h3) = (times(p[0], l2), times(p[1], h2));
        let m1 = low - high;
        let m2 = a.f(1.0) + l1 - h1;
        let m3 = a.f(2.0) * m1 + l2 - h2;
        let m4 = a.f(3.0) * m2 + l3 - h3;
        super::closed::from_raw(a, [m1, m2, m3, m4])
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let all = log_between(a, p[0], p[1]);
        let at = |end: A::F| {
            let value = exp(a, Norm::logpdf(a, end, &[]) - all);
            a.select(a.eq(value, a.f(0.0)), a.f(0.0), end * value)
        };
        a.f(LOG_ROOT_2PI + 0.5) + all + a.f(0.5) * (at(p[0]) - at(p[1]))
    }
}

/// The skew normal distribution (Azzalini 1985).
pub(crate) struct Skewnorm;
impl Continuous for Skewnorm {
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        a.f(std::f64::consts::LN_2) + Norm::logpdf(a, z, &[]) + log_ndtr(a, p[0] * z)
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        a.f(2.0) * density(a, z) * ndtr(a, p[0] * z)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let value = ndtr(a, z) - a.f(2.0) * owens_t(a, z, p[0]);
        a.select(a.lt(value, a.f(0.0)), a.f(0.0), value)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Self::cdf(a, -z, &[-p[0]])
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        crate::search::quantile(a, q, [a.f(-40.0), a.f(40.0)], |a, z| {
            [Self::cdf(a, z, p), Self::pdf(a, z, p)]
        })
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -Self::ppf(a, q, &[-p[0]])
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let delta = p[0] / a.sqrt(a.f(1.0) + p[0] * p[0]);
        let mean = a.f(ROOT_2_PI) * delta;
        let square = mean * mean;
        let var = a.f(1.0) - square;
        let pi = std::f64::consts::PI;
        let skew = a.f((4.0 - pi) / 2.0) * mean * square / (var * a.sqrt(var));
        let kurtosis = a.f(2.0 * (pi - 3.0)) * square * square / (var * var);
        [mean, var, skew, kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        // −∫ f log f by Simpson's rule over the part of the line that has all but 1e-17 of it.
        const POINTS: u32 = 2048;
        let (low, step) = (-9.0, 18.0 / f64::from(POINTS));
        let [_, sum] = a.repeat_while(
            POINTS,
            [a.f(0.0), a.f(0.0)],
            |a, [_, sum]| a.eq(sum, sum),
            |a, [k, sum]| {
                let z = a.f(low) + (k + a.f(0.5)) * a.f(step);
                let log_density = Self::logpdf(a, z, p);
                [k + a.f(1.0), sum - exp(a, log_density) * log_density]
            },
        );
        sum * a.f(step)
    }
}
