//! Families over the incomplete gamma function.

use ndany_core::formulas::algebra::Algebra;
use ndany_special::formulas::gamma::digamma;
use ndany_special::formulas::incomplete::shared::{gammainc, gammaincc, gammainccinv, gammaincinv};

use crate::family::Continuous;
use crate::words::{exp, gammaln, infinity, log, nan, pow, xlogy};

pub(crate) struct Gamma;
impl Continuous for Gamma {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        xlogy(a, p[0] - a.f(1.0), z) - z - gammaln(a, p[0])
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        gammainc(a, p[0], z)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        gammaincc(a, p[0], z)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        gammaincinv(a, p[0], q)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        gammainccinv(a, p[0], q)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        [p[0], p[0], a.f(2.0) / a.sqrt(p[0]), a.f(6.0) / p[0]]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        p[0] + gammaln(a, p[0]) + (a.f(1.0) - p[0]) * digamma(a, p[0])
    }
}

pub(crate) struct Chi2;
impl Chi2 {
    fn half<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 1] {
        [p[0] * a.f(0.5)]
    }
}
impl Continuous for Chi2 {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Gamma::logpdf(a, z * a.f(0.5), &Self::half(a, p)) - a.f(std::f64::consts::LN_2)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Gamma::cdf(a, z * a.f(0.5), &Self::half(a, p))
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Gamma::sf(a, z * a.f(0.5), &Self::half(a, p))
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        a.f(2.0) * Gamma::ppf(a, q, &Self::half(a, p))
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        a.f(2.0) * Gamma::isf(a, q, &Self::half(a, p))
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        [p[0], a.f(2.0) * p[0], a.sqrt(a.f(8.0) / p[0]), a.f(12.0) / p[0]]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        Gamma::entropy(a, &Self::half(a, p)) + a.f(std::f64::consts::LN_2)
    }
}

pub(crate) struct Invgamma;
impl Continuous for Invgamma {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let one = a.f(1.0);
        let inside = -(p[0] + one) * log(a, z) - gammaln(a, p[0]) - one / z;
        a.select(a.eq(z, a.f(0.0)), -infinity(a), inside)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        gammaincc(a, p[0], a.f(1.0) / z)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        gammainc(a, p[0], a.f(1.0) / z)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        a.f(1.0) / gammainccinv(a, p[0], q)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        a.f(1.0) / gammaincinv(a, p[0], q)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let shape = p[0];
        let minus = |k: f64| shape - a.f(k);
        let above =
            |limit: f64, value: A::F, other: A::F| a.select(a.lt(a.f(limit), shape), value, other);
        let square = minus(1.0) * minus(1.0);
        [
            above(1.0, a.f(1.0) / minus(1.0), infinity(a)),
            above(2.0, a.f(1.0) / (square * minus(2.0)), infinity(a)),
            above(3.0, a.f(4.0) * a.sqrt(minus(2.0)) / minus(3.0), nan(a)),
            above(
                4.0,
                a.f(6.0) * (a.f(5.0) * shape - a.f(11.0)) / (minus(3.0) * minus(4.0)),
                nan(a),
            ),
        ]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        p[0] - (p[0] + a.f(1.0)) * digamma(a, p[0]) + gammaln(a, p[0])
    }
}

/// The generalized normal distribution.
pub(crate) struct Gennorm;
impl Continuous for Gennorm {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let inverse = a.f(1.0) / p[0];
        log(a, a.f(0.5) * p[0]) - gammaln(a, inverse) - pow(a, a.abs(z), p[0])
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Self::sf(a, -z, p)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let tail = a.f(0.5) * gammaincc(a, a.f(1.0) / p[0], pow(a, a.abs(z), p[0]));
        a.select(a.lt(z, a.f(0.0)), a.f(1.0) - tail, tail)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -Self::isf(a, q, p)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let inverse = a.f(1.0) / p[0];
        let right = a.lt(q, a.f(0.5));
        let tail = a.f(2.0) * a.select(right, q, a.f(1.0) - q);
        let size = pow(a, gammainccinv(a, inverse, tail), inverse);
        a.select(right, size, -size)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let of = |k: f64| gammaln(a, a.f(k) / p[0]);
        let (g1, g3, g5) = (of(1.0), of(3.0), of(5.0));
        let kurtosis = exp(a, g5 + g1 - a.f(2.0) * g3) - a.f(3.0);
        [a.f(0.0), exp(a, g3 - g1), a.f(0.0), kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let inverse = a.f(1.0) / p[0];
        inverse - log(a, a.f(0.5) * p[0]) + gammaln(a, inverse)
    }
}
