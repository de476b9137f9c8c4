//! Further discrete families: uniform, two-sided and truncated geometric, Zipf, logarithmic, beta-binomial.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;
use ndany_special::formulas::gamma::{betaln, zeta};

use super::closed::from_raw;
use super::discrete::{TERMS, entropy_by_sum, is_whole, near};
use crate::family::Discrete;
use crate::words::{exp, expm1, infinity, log, log1p, nan, pow};

/// Whole numbers from `low` up to, not including, `high`, of equal probability.
pub(crate) struct Randint;
impl Discrete for Randint {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(p[0], p[1]) & is_whole(a, p[0]) & is_whole(a, p[1])
    }
    fn support<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 2] {
        [p[0], p[1] - a.f(1.0)]
    }
    fn logpmf<A: Algebra>(a: &A, _: A::F, p: &[A::F]) -> A::F {
        -log(a, p[1] - p[0])
    }
    fn pmf<A: Algebra>(a: &A, _: A::F, p: &[A::F]) -> A::F {
        a.f(1.0) / (p[1] - p[0])
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        (k - p[0] + a.f(1.0)) / (p[1] - p[0])
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        (p[1] - a.f(1.0) - k) / (p[1] - p[0])
    }
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        p[0] + q * (p[1] - p[0]) - a.f(2.0)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let one = a.f(1.0);
        let count = p[1] - p[0];
        let square = count * count;
        let var = (square - one) * a.f(1.0 / 12.0);
        let kurtosis = a.f(-1.2) * (square + one) / (square - one);
        [a.f(0.5) * (p[0] + p[1] - one), var, a.f(0.0), kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        log(a, p[1] - p[0])
    }
}

/// The difference of two geometric variates.
pub(crate) struct Dlaplace;
impl Discrete for Dlaplace {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [-infinity(a), infinity(a)]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        log(a, a.call(code::Tanh, &[a.f(0.5) * p[0]])) - p[0] * a.abs(k)
    }
    fn pmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        a.call(code::Tanh, &[a.f(0.5) * p[0]]) * exp(a, -p[0] * a.abs(k))
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        Self::sf(a, -k - a.f(1.0), p)
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        let (zero, one) = (a.f(0.0), a.f(1.0));
        let left = a.lt(k, zero);
        let distance = a.select(left, -k, k + one);
        let tail = exp(a, -p[0] * distance) / (one + exp(a, -p[0]));
        a.select(left, one - tail, tail)
    }
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let lower = a.lt(q, a.f(0.5));
        let tail = a.select(lower, q, a.f(1.0) - q);
        let distance = log(a, tail * (a.f(1.0) + exp(a, -p[0]))) / p[0];
        let distance = a.floor(distance);
        a.select(lower, distance, -distance)
    }
    fn first<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        Self::guess(a, q, p) - a.f(3.0)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        // By e^−a, which does not overflow.
        let (e, rest) = (exp(a, -p[0]), expm1(a, -p[0]));
        let var = a.f(2.0) * e / (rest * rest);
        // e^2a + 10 e^a + 1 over 2 e^a.
        let kurtosis = a.f(0.5) * ((e + a.f(10.0)) * e + a.f(1.0)) / e - a.f(3.0);
        [a.f(0.0), var, a.f(0.0), kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let tanh = a.call(code::Tanh, &[a.f(0.5) * p[0]]);
        // a / sinh a.
        let e = exp(a, -p[0]);
        let part = a.f(-2.0) * p[0] * e / expm1(a, a.f(-2.0) * p[0]);
        part - log(a, tanh)
    }
}

/// A geometric distribution of exponent `lambda_` from 0 on.
pub(crate) struct Planck;
impl Discrete for Planck {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        log(a, -expm1(a, -p[0])) - p[0] * k
    }
    fn pmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        -expm1(a, -p[0]) * exp(a, -p[0] * k)
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        -expm1(a, -p[0] * (k + a.f(1.0)))
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        exp(a, -p[0] * (k + a.f(1.0)))
    }
    fn logsf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        -p[0] * (k + a.f(1.0))
    }
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -log1p(a, -q) / p[0] - a.f(2.0)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let rest = expm1(a, -p[0]);
        let cosh = |x: A::F| a.call(code::Cosh, &[x]);
        let var = exp(a, -p[0]) / (rest * rest);
        let skew = a.f(2.0) * cosh(a.f(0.5) * p[0]);
        let kurtosis = a.f(4.0) + a.f(2.0) * cosh(p[0]);
        [a.f(1.0) / expm1(a, p[0]), var, skew, kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let part = -expm1(a, -p[0]);
        p[0] * exp(a, -p[0]) / part - log(a, part)
    }
}

/// Planck's distribution of numbers below `N`.
pub(crate) struct Boltzmann;
impl Discrete for Boltzmann {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0]) & a.lt(a.f(0.0), p[1]) & is_whole(a, p[1])
    }
    fn support<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), p[1] - a.f(1.0)]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        log(a, expm1(a, -p[0]) / expm1(a, -p[0] * p[1])) - p[0] * k
    }
    fn pmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        expm1(a, -p[0]) / expm1(a, -p[0] * p[1]) * exp(a, -p[0] * k)
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        expm1(a, -p[0] * (k + a.f(1.0))) / expm1(a, -p[0] * p[1])
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        let next = k + a.f(1.0);
        exp(a, -p[0] * next) * expm1(a, -p[0] * (p[1] - next)) / expm1(a, -p[0] * p[1])
    }
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -log1p(a, q * expm1(a, -p[0] * p[1])) / p[0] - a.f(2.0)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let (one, four) = (a.f(1.0), a.f(4.0));
        let count = p[1];
        let (z, z_n) = (exp(a, -p[0]), exp(a, -p[0] * count));
        let (rest, rest_n) = (-expm1(a, -p[0]), -expm1(a, -p[0] * count));
        let mean = z / rest - count * z_n / rest_n;
        let (square, square_n) = (rest * rest, rest_n * rest_n);
        // The cumulants of the whole less those of the part from N on.
        let n2 = count * count * z_n;
        let second = z / square - n2 / square_n;
        let third =
            z * (one + z) / (square * rest) - n2 * count * (one + z_n) / (square_n * rest_n);
        let fourth = z * (one + four * z + z * z) / (square * square)
            - n2 * count * count * (one + four * z_n + z_n * z_n) / (square_n * square_n);
        // Where both are nearly the same: their series, by Bernoulli's numbers.
        let (rate, square) = (p[0], p[0] * p[0]);
        let n = count * count;
        let [d2, d4, d6, d8] = [n, n * n, n * n * n, n * n * n * n].map(|power| power - one);
        let even = |first: f64, second: f64, third: f64, [x, y, z]: [A::F; 3]| {
            a.f(first) * x + square * (a.f(second) * y + square * (a.f(third) * z))
        };
        let mean_near = a.f(0.5) * (count - one)
            - rate * even(1.0 / 12.0, -1.0 / 720.0, 1.0 / 30240.0, [d2, d4, d6]);
        let second_near = even(1.0 / 12.0, -1.0 / 240.0, 1.0 / 6048.0, [d2, d4, d6]);
        let third_near = rate * even(1.0 / 120.0, -1.0 / 1512.0, 1.0 / 28800.0, [d4, d6, d8]);
        let fourth_near = even(-1.0 / 120.0, 1.0 / 504.0, -1.0 / 5760.0, [d4, d6, d8]);
        let is_near = a.lt(rate * count, a.f(0.1));
        let mean = a.select(is_near, mean_near, mean);
        let second = a.select(is_near, second_near, second);
        let third = a.select(is_near, third_near, third);
        let fourth = a.select(is_near, fourth_near, fourth);
        [mean, second, third / (second * a.sqrt(second)), fourth / (second * second)]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        p[0] * Self::moments(a, p)[0] - Self::logpmf(a, a.f(0.0), p)
    }
}

/// Zipf's distribution.
pub(crate) struct Zipf;
impl Discrete for Zipf {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(1.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(1.0), infinity(a)]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        -p[0] * log(a, k) - log(a, zeta(a, p[0], a.f(1.0)))
    }
    fn pmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        pow(a, k, -p[0]) / zeta(a, p[0], a.f(1.0))
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        a.f(1.0) - Self::sf(a, k, p)
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        zeta(a, p[0], k + a.f(1.0)) / zeta(a, p[0], a.f(1.0))
    }
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        // What is above k has some k^(1 − a).
        let distance = exp(a, log1p(a, -q) / (a.f(1.0) - p[0]));
        a.select(a.lt(distance, a.f(1e15)), a.f(0.5) * distance, a.f(1e15))
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let (shape, one) = (p[0], a.f(1.0));
        let all = zeta(a, shape, one);
        let above =
            |k: f64, value: A::F, other: A::F| a.select(a.lt(a.f(k + 1.0), shape), value, other);
        let raw = [1.0, 2.0, 3.0, 4.0].map(|k| zeta(a, shape - a.f(k), one) / all);
        let [mean, var, skew, kurtosis] = from_raw(a, raw);
        [
            above(1.0, mean, infinity(a)),
            above(2.0, var, above(1.0, infinity(a), nan(a))),
            above(3.0, skew, above(2.0, infinity(a), nan(a))),
            above(4.0, kurtosis, above(3.0, infinity(a), nan(a))),
        ]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        // −ζ'(s) = Σ log k / k^s: 127 terms, then Euler's and Maclaurin's formula.
        const FIRST: f64 = 128.0;
        let (s, one) = (p[0], a.f(1.0));
        let [_, sum] = a.repeat_while(
            FIRST as u32,
            [a.f(2.0), a.f(0.0)],
            |a, [k, _]| a.lt(k, a.f(FIRST)),
            |a, [k, sum]| {
                let log_k = log(a, k);
                [k + a.f(1.0), sum + log_k * exp(a, -s * log_k)]
            },
        );
        let log_n = a.f(libm::log(FIRST));
        let power = exp(a, -s * log_n);
        let less = s - one;
        let integral = a.f(FIRST) * power * (log_n + one / less) / less;
        let slope = (one - s * log_n) * a.f(1.0 / FIRST);
        let third = (a.f(3.0) * s * s + a.f(6.0) * s + a.f(2.0)
            - s * (s + one) * (s + a.f(2.0)) * log_n)
            * a.f(1.0 / (FIRST * FIRST * FIRST));
        let edge = power * (a.f(0.5) * log_n - slope * a.f(1.0 / 12.0) + third * a.f(1.0 / 720.0));
        let all = zeta(a, s, one);
        s * (sum + integral + edge) / all + log(a, all)
    }
}

/// The logarithmic distribution.
pub(crate) struct Logser;
impl Logser {
    /// Whether the sums have an end within [`TERMS`], of which each power is e^(−40) of the first.
    fn ends<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(p[0], a.f(1.0 - 41.0 / TERMS as f64))
    }
    /// The sum of the probabilities from `k` on: each is made of the one before. NaN where there are more than [`TERMS`].
    fn from<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        let start = [k, Self::pmf(a, k, p), a.f(0.0)];
        let fits = Self::ends(a, p);
        let goes_on = |a: &A, [_, term, sum]: [A::F; 3]| a.lt(a.f(1e-17) * sum, term) & fits;
        let [_, term, sum] = a.repeat_while(TERMS, start, goes_on, |a, [k, term, sum]| {
            let next = k + a.f(1.0);
            [next, term * (p[0] * k / next), sum + term]
        });
        a.select(a.lt(a.f(1e-17) * sum, term), nan(a), sum)
    }
}
impl Discrete for Logser {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0]) & a.lt(p[0], a.f(1.0))
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(1.0), infinity(a)]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        k * log(a, p[0]) - log(a, -k * log1p(a, -p[0]))
    }
    fn pmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        -pow(a, p[0], k) / (k * log1p(a, -p[0]))
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        a.f(1.0) - Self::sf(a, k, p)
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        Self::from(a, k + a.f(1.0), p)
    }
    fn guess<A: Algebra>(a: &A, _: A::F, _: &[A::F]) -> A::F {
        a.f(1.0)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let (one, shape) = (a.f(1.0), p[0]);
        let rest = one - shape;
        let m1 = -shape / (rest * log1p(a, -shape));
        let m2 = m1 / rest;
        let m3 = m2 * (one + shape) / rest;
        let m4 = m2 * (one + shape * (a.f(4.0) + shape)) / (rest * rest);
        from_raw(a, [m1, m2, m3, m4])
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        // −log of a probability is −k log p + log k + log(−log(1 − p)); the middle part is a sum.
        let all = log(a, -log1p(a, -p[0]));
        let mean = Self::moments(a, p)[0];
        let start = [a.f(2.0), Self::pmf(a, a.f(2.0), p), a.f(0.0)];
        let fits = Self::ends(a, p);
        let goes_on = |a: &A, [_, term, sum]: [A::F; 3]| a.lt(a.f(1e-18) * sum, term) & fits;
        let [_, term, sum] = a.repeat_while(TERMS, start, goes_on, |a, [k, term, sum]| {
            let next = k + a.f(1.0);
            [next, term * (p[0] * k / next), sum + term * log(a, k)]
        });
        let sum = a.select(a.lt(a.f(1e-18) * sum, term), nan(a), sum);
        all - mean * log(a, p[0]) + sum
    }
}

/// Successes among `n` trials whose probability has a beta distribution.
pub(crate) struct Betabinom;
impl Betabinom {
    /// The probability of at most `k`: the sum of all terms, from the first one. NaN where there are more than [`TERMS`].
    fn below<A: Algebra>(a: &A, k: A::F, [n, x, y]: [A::F; 3]) -> A::F {
        let one = a.f(1.0);
        let start = exp(a, betaln(a, x, n + y) - betaln(a, x, y));
        let fits = a.lt(k, a.f(f64::from(TERMS)));
        let goes_on = |a: &A, [at, ..]: [A::F; 3]| a.le(at, k) & fits;
        let state = [a.f(0.0), start, a.f(0.0)];
        let [at, _, sum] = a.repeat_while(TERMS, state, goes_on, |_, [at, term, sum]| {
            let ratio = (n - at) * (at + x) / ((at + one) * (n - at - one + y));
            [at + one, term * ratio, sum + term]
        });
        a.select(fits & !a.le(at, k), sum, nan(a))
    }
}
impl Discrete for Betabinom {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        let zero = a.f(0.0);
        a.le(zero, p[0]) & is_whole(a, p[0]) & a.lt(zero, p[1]) & a.lt(zero, p[2])
    }
    fn support<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), p[0]]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        let one = a.f(1.0);
        let rest = p[0] - k;
        let ways = -betaln(a, rest + one, k + one) - log1p(a, p[0]);
        ways + betaln(a, k + p[1], rest + p[2]) - betaln(a, p[1], p[2])
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        Self::parts(a, k, p)[0]
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        Self::parts(a, k, p)[1]
    }
    fn parts<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> [A::F; 2] {
        // By the side that has fewer terms.
        let one = a.f(1.0);
        let left = a.lt(k, a.f(0.5) * p[0]);
        let rest = p[0] - k - one;
        let (x, y) = (a.select(left, p[1], p[2]), a.select(left, p[2], p[1]));
        let part = Self::below(a, a.select(left, k, rest), [p[0], x, y]);
        [a.select(left, part, one - part), a.select(left, one - part, part)]
    }
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let [mean, var, ..] = Self::moments(a, p);
        near(a, q, mean, var)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let [one, two, three, six] = [1.0, 2.0, 3.0, 6.0].map(|k| a.f(k));
        let (n, x, y) = (p[0], p[1], p[2]);
        let sum = x + y;
        let (e, f) = (x / sum, y / sum);
        let mean = n * e;
        let var = n * (sum + n) * e * f / (sum + one);
        let skew = (sum + two * n) * (y - x) / (a.sqrt(var) * (sum + two) * sum);
        let upper = sum * (sum - one + six * n) + three * x * y * (n - two) + six * n * n
            - three * e * y * n * (six - n)
            - a.f(18.0) * e * f * n * n;
        let upper = upper * sum * sum * (one + sum);
        let lower = n * x * y * (sum + two) * (sum + three) * (sum + n);
        [mean, var, skew, upper / lower - three]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        entropy_by_sum::<Self, A>(a, p)
    }
}
