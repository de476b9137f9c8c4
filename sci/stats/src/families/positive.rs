//! Families of what is not negative, made of the normal and the gamma distribution: χ, Maxwell, two-sided gamma, Lévy, inverse Gauss; and
//! the sum of a normal and an exponential variable.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;
use ndany_special::formulas::errors::{log_ndtr, ndtr, ndtri};
use ndany_special::formulas::gamma::digamma;
use ndany_special::formulas::incomplete::shared::{gammainc, gammaincc, gammainccinv, gammaincinv};
use ndany_special::formulas::integrals::exp1;

use super::gamma::Gamma;
use super::normal::LOG_ROOT_2PI;
use crate::family::Continuous;
use crate::words::{exp, gammaln, infinity, log, log1p, nan, pow, xlogy};

const LN_2: f64 = std::f64::consts::LN_2;
const PI: f64 = std::f64::consts::PI;
/// Euler's constant.
const EULER: f64 = 0.577_215_664_901_532_9;

/// The root of a χ² variable.
pub(crate) struct Chi;
impl Continuous for Chi {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let half = a.f(0.5) * p[0];
        a.f(LN_2) - a.f(LN_2) * half - gammaln(a, half) + xlogy(a, p[0] - a.f(1.0), z)
            - a.f(0.5) * z * z
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        gammainc(a, a.f(0.5) * p[0], a.f(0.5) * z * z)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        gammaincc(a, a.f(0.5) * p[0], a.f(0.5) * z * z)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        a.sqrt(a.f(2.0) * gammaincinv(a, a.f(0.5) * p[0], q))
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        a.sqrt(a.f(2.0) * gammainccinv(a, a.f(0.5) * p[0], q))
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let (df, one, two) = (p[0], a.f(1.0), a.f(2.0));
        let half = a.f(0.5) * df;
        let mean = a.f(2f64.sqrt()) * exp(a, gammaln(a, half + a.f(0.5)) - gammaln(a, half));
        let square = mean * mean;
        let var = df - square;
        let skew = mean * (two * square + one - two * df) / (var * a.sqrt(var));
        let fourth = two * df * (one - df) - a.f(6.0) * square * square
            + a.f(4.0) * square * (two * df - one);
        [mean, var, skew, fourth / (var * var)]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let half = a.f(0.5) * p[0];
        let part = p[0] - a.f(LN_2) - (p[0] - a.f(1.0)) * digamma(a, half);
        gammaln(a, half) + a.f(0.5) * part
    }
}

/// The length of three normal variables.
pub(crate) struct Maxwell;
impl Continuous for Maxwell {
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(0.5 * libm::log(2.0 / PI)) + a.f(2.0) * log(a, z) - a.f(0.5) * z * z
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f((2.0 / PI).sqrt()) * z * z * exp(a, a.f(-0.5) * z * z)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        gammainc(a, a.f(1.5), a.f(0.5) * z * z)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        gammaincc(a, a.f(1.5), a.f(0.5) * z * z)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        a.sqrt(a.f(2.0) * gammaincinv(a, a.f(1.5), q))
    }
    fn isf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        a.sqrt(a.f(2.0) * gammainccinv(a, a.f(1.5), q))
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        let rest = 3.0 * PI - 8.0;
        [
            a.f(2.0 * (2.0 / PI).sqrt()),
            a.f(3.0 - 8.0 / PI),
            a.f(2f64.sqrt() * (32.0 - 10.0 * PI) / (rest * rest.sqrt())),
            a.f((-12.0 * PI * PI + 160.0 * PI - 384.0) / (rest * rest)),
        ]
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(EULER + LOG_ROOT_2PI - 0.5)
    }
}

/// A gamma variable of either sign.
pub(crate) struct Dgamma;
impl Continuous for Dgamma {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Gamma::logpdf(a, a.abs(z), p) - a.f(LN_2)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Self::sf(a, -z, p)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let tail = a.f(0.5) * gammaincc(a, p[0], a.abs(z));
        a.select(a.lt(z, a.f(0.0)), a.f(1.0) - tail, tail)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -Self::isf(a, q, p)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let right = a.lt(q, a.f(0.5));
        let tail = a.f(2.0) * a.select(right, q, a.f(1.0) - q);
        let size = gammainccinv(a, p[0], tail);
        a.select(right, size, -size)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let var = p[0] * (p[0] + a.f(1.0));
        let kurtosis = (p[0] + a.f(2.0)) * (p[0] + a.f(3.0)) / var - a.f(3.0);
        [a.f(0.0), var, a.f(0.0), kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        Gamma::entropy(a, p) + a.f(LN_2)
    }
}

/// The inverse of the square of a normal variable.
pub(crate) struct Levy;
impl Continuous for Levy {
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        let inside = -a.f(LOG_ROOT_2PI) - a.f(1.5) * log(a, z) - a.f(0.5) / z;
        a.select(a.eq(z, a.f(0.0)), -infinity(a), inside)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.call(code::Erfc, &[a.sqrt(a.f(0.5) / a.abs(z))])
    }
    fn sf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.call(code::Erf, &[a.sqrt(a.f(0.5) / a.abs(z))])
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        let root = ndtri(a, a.f(0.5) * q);
        a.f(1.0) / (root * root)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, _: &[A::F]) -> A::F {
        let root = ndany_special::formulas::errors::erfinv(a, q);
        a.f(0.5) / (root * root)
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        [infinity(a), infinity(a), nan(a), nan(a)]
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f((1.0 + 3.0 * EULER + libm::log(16.0 * PI)) / 2.0)
    }
}

/// The inverse Gaussian distribution.
pub(crate) struct Invgauss;
impl Invgauss {
    /// The logarithms of the two parts of a distribution function: the first of the side asked for, and that which is added (below) or
    /// taken away (above).
    fn parts<A: Algebra>(a: &A, z: A::F, mu: A::F, side: f64) -> (A::F, A::F) {
        let root = a.f(1.0) / a.sqrt(z);
        let first = log_ndtr(a, a.f(side) * root * (z / mu - a.f(1.0)));
        let second = a.f(2.0) / mu + log_ndtr(a, -root * (z / mu + a.f(1.0)));
        (first, second)
    }
}
impl Continuous for Invgauss {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let distance = (z - p[0]) / p[0];
        let inside = -a.f(LOG_ROOT_2PI) - a.f(1.5) * log(a, z) - a.f(0.5) * distance * distance / z;
        a.select(a.eq(z, a.f(0.0)), -infinity(a), inside)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        exp(a, Self::logcdf(a, z, p))
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        exp(a, Self::logsf(a, z, p))
    }
    fn logcdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let (first, second) = Self::parts(a, z, p[0], 1.0);
        let value = first + log1p(a, exp(a, second - first));
        let value = a.select(a.lt(a.f(0.0), value), a.f(0.0), value);
        let value = a.select(a.eq(z, infinity(a)), a.f(0.0), value);
        a.select(a.eq(z, a.f(0.0)), -infinity(a), value)
    }
    fn logsf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let (first, second) = Self::parts(a, z, p[0], -1.0);
        let value = first + log1p(a, -exp(a, second - first));
        let value = a.select(a.eq(z, infinity(a)), -infinity(a), value);
        a.select(a.eq(z, a.f(0.0)), a.f(0.0), value)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let [low, high] = Self::reach(a, p[0]);
        let t = crate::search::quantile(a, q, [low, high], |a, t| {
            let z = exp(a, t);
            [Self::cdf(a, z, p), Self::pdf(a, z, p) * z]
        });
        exp(a, t)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let [low, high] = Self::reach(a, p[0]);
        let t = crate::search::quantile(a, q, [-high, -low], |a, t| {
            let z = exp(a, -t);
            [Self::sf(a, z, p), Self::pdf(a, z, p) * z]
        });
        exp(a, -t)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        [p[0], p[0] * p[0] * p[0], a.f(3.0) * a.sqrt(p[0]), a.f(15.0) * p[0]]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let r = a.f(2.0) / p[0];
        // e^r E₁(r): of large r by its asymptotic series.
        let v = a.f(1.0) / r;
        let series = (1..=12).rev().fold(a.f(1.0), |sum, k| a.f(1.0) - a.f(f64::from(k)) * v * sum);
        let large = a.lt(a.f(200.0), r);
        let near = a.select(large, a.f(1.0), r);
        let scaled = a.select(large, v * series, exp(a, near) * exp1(a, near));
        a.f(0.5 + LOG_ROOT_2PI) + a.f(1.5) * (log(a, p[0]) - scaled)
    }
}
impl Invgauss {
    /// Logarithms between which all quantiles are.
    fn reach<A: Algebra>(a: &A, mu: A::F) -> [A::F; 2] {
        let least = a.select(a.lt(mu, a.f(1.0)), mu, a.f(1.0));
        [log(a, least) - a.f(9.0), log(a, mu + a.f(2000.0) * mu * mu) + a.f(3.0)]
    }
}

/// The sum of a standard normal variable and an exponential one of mean `K`.
pub(crate) struct Exponnorm;
impl Exponnorm {
    /// The logarithm of the density times `K`, which is the difference of the distribution functions of the normal variable and of the sum.
    fn log_part<A: Algebra>(a: &A, z: A::F, rate: A::F) -> A::F {
        rate * (a.f(0.5) * rate - z) + log_ndtr(a, z - rate)
    }
    fn reach<A: Algebra>(a: &A, k: A::F) -> [A::F; 2] {
        [a.f(-40.0), a.f(40.0) + a.f(760.0) * k]
    }
}
impl Continuous for Exponnorm {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Self::log_part(a, z, a.f(1.0) / p[0]) - log(a, p[0])
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let value = ndtr(a, z) - exp(a, Self::log_part(a, z, a.f(1.0) / p[0]));
        let value = a.select(a.lt(value, a.f(0.0)), a.f(0.0), value);
        let value = a.select(a.eq(z, infinity(a)), a.f(1.0), value);
        a.select(a.eq(z, -infinity(a)), a.f(0.0), value)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let value = ndtr(a, -z) + exp(a, Self::log_part(a, z, a.f(1.0) / p[0]));
        let value = a.select(a.eq(z, infinity(a)), a.f(0.0), value);
        a.select(a.eq(z, -infinity(a)), a.f(1.0), value)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        crate::search::quantile(a, q, Self::reach(a, p[0]), |a, z| {
            [Self::cdf(a, z, p), Self::pdf(a, z, p)]
        })
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let [low, high] = Self::reach(a, p[0]);
        -crate::search::quantile(a, q, [-high, -low], |a, z| {
            [Self::sf(a, -z, p), Self::pdf(a, -z, p)]
        })
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let square = p[0] * p[0];
        let var = a.f(1.0) + square;
        let skew = a.f(2.0) * p[0] * square / (var * a.sqrt(var));
        [p[0], var, skew, a.f(6.0) * square * square / (var * var)]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        // −∫ f log f with x = t + K e^t, whose steps grow with the tail of the exponential variable.
        const POINTS: u32 = 1024;
        let (low, high) = (-9.0, 9.0);
        let step = (high - low) / f64::from(POINTS);
        let [_, sum] = a.repeat_while(
            POINTS,
            [a.f(0.0), a.f(0.0)],
            |a, [_, sum]| a.eq(sum, sum),
            |a, [k, sum]| {
                let t = a.f(low) + (k + a.f(0.5)) * a.f(step);
                let stretched = p[0] * exp(a, t);
                let log_density = Self::logpdf(a, t + stretched, p);
                let term = exp(a, log_density) * log_density;
                let term = a.select(a.eq(term, term), term, a.f(0.0));
                [k + a.f(1.0), sum - term * (a.f(1.0) + stretched)]
            },
        );
        sum * a.f(step)
    }
}

/// What has an equally distributed logarithm between those of `a` and `b`.
pub(crate) struct Loguniform;
impl Continuous for Loguniform {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0]) & a.lt(p[0], p[1])
    }
    fn support<A: Algebra>(_: &A, p: &[A::F]) -> [A::F; 2] {
        [p[0], p[1]]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        -log(a, z) - log(a, log(a, p[1] / p[0]))
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        a.f(1.0) / (z * log(a, p[1] / p[0]))
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        log(a, z / p[0]) / log(a, p[1] / p[0])
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        log(a, p[1] / z) / log(a, p[1] / p[0])
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        p[0] * pow(a, p[1] / p[0], q)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        p[1] * pow(a, p[0] / p[1], q)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        // Of the variable over `a`.
        let ratio = p[1] / p[0];
        let width = log(a, ratio);
        let of = |k: f64| crate::words::expm1(a, a.f(k) * width) / (a.f(k) * width);
        let [mean, var, skew, kurtosis] =
            super::closed::from_raw(a, [of(1.0), of(2.0), of(3.0), of(4.0)]);
        [p[0] * mean, p[0] * p[0] * var, skew, kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        a.f(0.5) * (log(a, p[0]) + log(a, p[1])) + log(a, log(a, p[1] / p[0]))
    }
}

/// A triangle from 0 to 1 whose top is at `c`.
pub(crate) struct Triang;
impl Continuous for Triang {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.le(a.f(0.0), p[0]) & a.le(p[0], a.f(1.0))
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), a.f(1.0)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        log(a, Self::pdf(a, z, p))
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let one = a.f(1.0);
        let (left, right) = (a.f(2.0) * z / p[0], a.f(2.0) * (one - z) / (one - p[0]));
        let value = a.select(a.lt(z, p[0]), left, right);
        a.select(a.eq(p[0], one), a.f(2.0) * z, value)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let one = a.f(1.0);
        let rest = one - z;
        let right = one - rest * rest / (one - p[0]);
        let value = a.select(a.lt(z, p[0]), z * z / p[0], right);
        let value = a.select(a.eq(p[0], one), z * z, value);
        a.select(a.eq(p[0], a.f(0.0)), z * (a.f(2.0) - z), value)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Self::cdf(a, a.f(1.0) - z, &[a.f(1.0) - p[0]])
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let one = a.f(1.0);
        let right = one - a.sqrt((one - p[0]) * (one - q));
        a.select(a.lt(q, p[0]), a.sqrt(p[0] * q), right)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        a.f(1.0) - Self::ppf(a, q, &[a.f(1.0) - p[0]])
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let (c, one) = (p[0], a.f(1.0));
        let size = one - c + c * c;
        let skew = a.f(2f64.sqrt()) * (a.f(2.0) * c - one) * (c + one) * (c - a.f(2.0))
            / (a.f(5.0) * size * a.sqrt(size));
        [(c + one) * a.f(1.0 / 3.0), size * a.f(1.0 / 18.0), skew, a.f(-0.6)]
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(0.5 - LN_2)
    }
}

/// The absolute value of a Cauchy variable.
pub(crate) struct Halfcauchy;
impl Continuous for Halfcauchy {
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(libm::log(2.0 / PI)) - super::closed::log_of_one_and_square(a, z)
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.f(2.0 / PI) / (a.f(1.0) + z * z)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.call(code::Atan2, &[z, a.f(1.0)]) * a.f(2.0 / PI)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, _: &[A::F]) -> A::F {
        a.call(code::Atan2, &[a.f(1.0), z]) * a.f(2.0 / PI)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let near = a.lt(q, a.f(0.5));
        let angle = a.f(0.5 * PI) * a.select(near, q, a.f(1.0) - q);
        let tan = crate::words::tan(a, angle);
        let _ = p;
        a.select(near, tan, a.f(1.0) / tan)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        a.f(1.0) / Self::ppf(a, q, p)
    }
    fn moments<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 4] {
        [infinity(a), infinity(a), nan(a), nan(a)]
    }
    fn entropy<A: Algebra>(a: &A, _: &[A::F]) -> A::F {
        a.f(libm::log(2.0 * PI))
    }
}
