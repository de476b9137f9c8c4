//! Families over the incomplete beta function.

use ndany_core::formulas::algebra::Algebra;
use ndany_special::formulas::gamma::{betaln, digamma};
use ndany_special::formulas::incomplete::shared::{betainc, betaincc, betainccinv, betaincinv};
use ndany_special::formulas::statistical::{stdtr, stdtrit};

use crate::family::Continuous;
use crate::words::{infinity, log, log1p, nan, xlog1py, xlogy};

pub(crate) struct Beta;
impl Continuous for Beta {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0]) & a.lt(a.f(0.0), p[1])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), a.f(1.0)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let one = a.f(1.0);
        xlog1py(a, p[1] - one, -z) + xlogy(a, p[0] - one, z) - betaln(a, p[0], p[1])
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        betainc(a, p[0], p[1], z)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        betaincc(a, p[0], p[1], z)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        betaincinv(a, p[0], p[1], q)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        betainccinv(a, p[0], p[1], q)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let (x, y) = (p[0], p[1]);
        let [one, two, three] = [1.0, 2.0, 3.0].map(|k| a.f(k));
        let sum = x + y;
        let var = x * y / (sum * sum * (sum + one));
        let skew = two * (y - x) * a.sqrt(sum + one) / ((sum + two) * a.sqrt(x * y));
        let difference = (x - y) * (x - y) * (sum + one) - x * y * (sum + two);
        let kurtosis = a.f(6.0) * difference / (x * y * (sum + two) * (sum + three));
        [x / sum, var, skew, kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let (x, y, one) = (p[0], p[1], a.f(1.0));
        betaln(a, x, y) - (x - one) * digamma(a, x) - (y - one) * digamma(a, y)
            + (x + y - a.f(2.0)) * digamma(a, x + y)
    }
}

/// Student's t.
pub(crate) struct T;
impl Continuous for T {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0])
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let half = a.f(0.5);
        -half * (p[0] + a.f(1.0)) * log1p(a, z * z / p[0])
            - half * log(a, p[0])
            - betaln(a, half, half * p[0])
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        stdtr(a, p[0], z)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        stdtr(a, p[0], -z)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        stdtrit(a, p[0], q)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -stdtrit(a, p[0], q)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let df = p[0];
        let above =
            |limit: f64, value: A::F, other: A::F| a.select(a.lt(a.f(limit), df), value, other);
        let var = above(1.0, above(2.0, df / (df - a.f(2.0)), infinity(a)), nan(a));
        let kurtosis = above(2.0, above(4.0, a.f(6.0) / (df - a.f(4.0)), infinity(a)), nan(a));
        // Of a normal distribution, which infinitely many degrees of freedom make.
        let endless = a.eq(df, infinity(a));
        let var = a.select(endless, a.f(1.0), var);
        let mean = above(1.0, a.f(0.0), infinity(a));
        [mean, var, above(3.0, a.f(0.0), nan(a)), kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let half = a.f(0.5);
        let upper = half * (p[0] + a.f(1.0));
        upper * (digamma(a, upper) - digamma(a, half * p[0]))
            + half * log(a, p[0])
            + betaln(a, half * p[0], half)
    }
}

pub(crate) struct F;
impl Continuous for F {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0]) & a.lt(a.f(0.0), p[1])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let (m, n, half) = (p[0], p[1], a.f(0.5));
        let (hm, hn) = (half * m, half * n);
        hn * log(a, n) + hm * log(a, m) + xlogy(a, hm - a.f(1.0), z)
            - (hm + hn) * log(a, n + m * z)
            - betaln(a, hm, hn)
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let (hm, hn, y) = share(a, z, p);
        betainc(a, hm, hn, y)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let half = a.f(0.5);
        // The other share, which is exact where it is small.
        betainc(a, half * p[1], half * p[0], p[1] / (p[1] + p[0] * z))
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let half = a.f(0.5);
        // By the share that is the smaller one: the ratio of both is the quantile.
        let y = betaincinv(a, half * p[0], half * p[1], q);
        let rest = betainccinv(a, half * p[1], half * p[0], q);
        let of_y = y / (a.f(1.0) - y);
        let of_rest = (a.f(1.0) - rest) / rest;
        a.select(a.lt(y, half), of_y, of_rest) * p[1] / p[0]
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        a.f(1.0) / Self::ppf(a, q, &[p[1], p[0]])
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let (m, n) = (p[0], p[1]);
        let minus = |k: f64| n - a.f(k);
        let above =
            |limit: f64, value: A::F, other: A::F| a.select(a.lt(a.f(limit), n), value, other);
        let sum = m + minus(2.0);
        let mean = n / minus(2.0);
        let var = a.f(2.0) * n * n * sum / (m * minus(2.0) * minus(2.0) * minus(4.0));
        let skew = (a.f(2.0) * m + minus(2.0)) * a.sqrt(a.f(8.0) * minus(4.0))
            / (minus(6.0) * a.sqrt(m * sum));
        let square = minus(2.0) * minus(2.0);
        let upper = m * (a.f(5.0) * n - a.f(22.0)) * sum + minus(4.0) * square;
        let kurtosis = a.f(12.0) * upper / (m * minus(6.0) * minus(8.0) * sum);
        [
            above(2.0, mean, infinity(a)),
            above(4.0, var, infinity(a)),
            above(6.0, skew, nan(a)),
            above(8.0, kurtosis, nan(a)),
        ]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let (half, one) = (a.f(0.5), a.f(1.0));
        let (hm, hn) = (half * p[0], half * p[1]);
        log(a, p[1] / p[0]) + betaln(a, hm, hn) + (one - hm) * digamma(a, hm)
            - (one + hn) * digamma(a, hn)
            + (hm + hn) * digamma(a, hm + hn)
    }
}

/// Half the degrees of freedom, and the share of the first variable.
fn share<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> (A::F, A::F, A::F) {
    let product = p[0] * z;
    let y = a.select(a.eq(z, infinity(a)), a.f(1.0), product / (p[1] + product));
    (a.f(0.5) * p[0], a.f(0.5) * p[1], y)
}
