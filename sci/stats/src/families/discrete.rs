//! Discrete families: binomial, Poisson, Bernoulli, negative binomial, geometric, hypergeometric.

use ndany_core::formulas::algebra::Algebra;
use ndany_special::formulas::gamma::betaln;
use ndany_special::formulas::incomplete::shared::{betainc, gammainc, gammaincc};

use crate::family::Discrete;
use crate::words::{exp, expm1, gammaln, infinity, log, log1p, xlog1py, xlogy};

/// A whole number?
pub(crate) fn is_whole<A: Algebra>(a: &A, x: A::F) -> A::B {
    a.eq(a.floor(x), x)
}

/// Whether a probability is one.
fn is_part<A: Algebra>(a: &A, p: A::F) -> A::B {
    a.le(a.f(0.0), p) & a.le(p, a.f(1.0))
}

/// Standard deviations from the mean outside of which all probabilities together are below 1e-30.
const SPREAD: f64 = 14.0;
/// Terms of a sum over probabilities, at most.
pub(crate) const TERMS: u32 = 1 << 15;

/// The entropy of a family by its probabilities: a sum over what is near the mean. NaN where there are more than [`TERMS`].
pub(crate) fn entropy_by_sum<D: Discrete, A: Algebra>(a: &A, p: &[A::F]) -> A::F {
    let [mean, var, ..] = D::moments(a, p);
    let [low, high] = D::support(a, p);
    let reach = a.f(SPREAD) * a.sqrt(var) + a.f(60.0);
    let (first, last) = (a.floor(mean - reach), a.floor(mean + reach));
    let first = a.select(a.lt(first, low), low, first);
    let last = a.select(a.lt(high, last), high, last);
    // Nothing is added up where not all can be.
    let fits = a.lt(last - first, a.f(f64::from(TERMS)));
    let goes_on = |a: &A, [k, _]: [A::F; 2]| a.le(k, last) & fits;
    let [k, sum] = a.repeat_while(TERMS, [first, a.f(0.0)], goes_on, |a, [k, sum]| {
        let log_p = D::logpmf(a, k, p);
        let term = exp(a, log_p) * log_p;
        let term = a.select(a.eq(exp(a, log_p), a.f(0.0)), a.f(0.0), term);
        [k + a.f(1.0), sum - term]
    });
    a.select(fits & a.lt(last, k), sum, a.f(f64::NAN))
}

/// A number near a quantile: that of a normal distribution, roughly.
pub(crate) fn near<A: Algebra>(a: &A, q: A::F, mean: A::F, var: A::F) -> A::F {
    let side = a.select(a.lt(q, a.f(0.5)), a.f(-1.0), a.f(1.0));
    let tail = a.select(a.lt(q, a.f(0.5)), q, a.f(1.0) - q);
    let distance = a.sqrt(a.f(-2.0) * log(a, tail + a.f(f64::MIN_POSITIVE))) * a.f(0.7);
    mean + side * distance * a.sqrt(var)
}

pub(crate) struct Binom;
impl Discrete for Binom {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.le(a.f(0.0), p[0]) & is_whole(a, p[0]) & is_part(a, p[1])
    }
    fn support<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), p[0]]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        let one = a.f(1.0);
        let rest = p[0] - k;
        // log C(n, k) by the beta function, whose error does not grow with n.
        let ways = -betaln(a, rest + one, k + one) - log1p(a, p[0]);
        ways + xlogy(a, k, p[1]) + xlog1py(a, rest, -p[1])
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        let inside = betainc(a, p[0] - k, k + a.f(1.0), a.f(1.0) - p[1]);
        a.select(a.le(p[0], k), a.f(1.0), inside)
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        let inside = betainc(a, k + a.f(1.0), p[0] - k, p[1]);
        a.select(a.le(p[0], k), a.f(0.0), inside)
    }
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let mean = p[0] * p[1];
        near(a, q, mean, mean * (a.f(1.0) - p[1]))
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let other = a.f(1.0) - p[1];
        let mean = p[0] * p[1];
        let var = mean * other;
        let kurtosis = (a.f(1.0) - a.f(6.0) * p[1] * other) / var;
        [mean, var, (other - p[1]) / a.sqrt(var), kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        entropy_by_sum::<Self, A>(a, p)
    }
}

pub(crate) struct Poisson;
impl Discrete for Poisson {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.le(a.f(0.0), p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        xlogy(a, k, p[0]) - gammaln(a, k + a.f(1.0)) - p[0]
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        gammaincc(a, k + a.f(1.0), p[0])
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        gammainc(a, k + a.f(1.0), p[0])
    }
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        near(a, q, p[0], p[0])
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        [p[0], p[0], a.f(1.0) / a.sqrt(p[0]), a.f(1.0) / p[0]]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        entropy_by_sum::<Self, A>(a, p)
    }
}

pub(crate) struct Bernoulli;
impl Discrete for Bernoulli {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        is_part(a, p[0])
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), a.f(1.0)]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        a.select(a.lt(a.f(0.5), k), log(a, p[0]), log1p(a, -p[0]))
    }
    fn pmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        a.select(a.lt(a.f(0.5), k), p[0], a.f(1.0) - p[0])
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        a.select(a.lt(k, a.f(1.0)), a.f(1.0) - p[0], a.f(1.0))
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        a.select(a.lt(k, a.f(1.0)), p[0], a.f(0.0))
    }
    fn guess<A: Algebra>(a: &A, _: A::F, _: &[A::F]) -> A::F {
        a.f(0.0)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        Binom::moments(a, &[a.f(1.0), p[0]])
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let other = a.f(1.0) - p[0];
        -xlogy(a, p[0], p[0]) - xlog1py(a, other, -p[0])
    }
}

/// Failures before `n` successes, each of probability `p`.
pub(crate) struct Nbinom;
impl Discrete for Nbinom {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0]) & a.lt(a.f(0.0), p[1]) & a.le(p[1], a.f(1.0))
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(0.0), infinity(a)]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        // log C(k + n − 1, k) by the beta function.
        let ways = -betaln(a, k + a.f(1.0), p[0]) - log(a, k + p[0]);
        ways + p[0] * log(a, p[1]) + xlog1py(a, k, -p[1])
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        betainc(a, p[0], k + a.f(1.0), p[1])
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        betainc(a, k + a.f(1.0), p[0], a.f(1.0) - p[1])
    }
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let mean = p[0] * (a.f(1.0) - p[1]) / p[1];
        near(a, q, mean, mean / p[1])
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let (one, other) = (a.f(1.0), a.f(1.0) - p[1]);
        let mean = p[0] * other / p[1];
        let skew = (one + other) / a.sqrt(p[0] * other);
        let kurtosis = a.f(6.0) / p[0] + p[1] * p[1] / (p[0] * other);
        [mean, mean / p[1], skew, kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        entropy_by_sum::<Self, A>(a, p)
    }
}

/// Trials until the first success.
pub(crate) struct Geom;
impl Discrete for Geom {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.lt(a.f(0.0), p[0]) & a.le(p[0], a.f(1.0))
    }
    fn support<A: Algebra>(a: &A, _: &[A::F]) -> [A::F; 2] {
        [a.f(1.0), infinity(a)]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        xlog1py(a, k - a.f(1.0), -p[0]) + log(a, p[0])
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        -expm1(a, log1p(a, -p[0]) * k)
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        exp(a, log1p(a, -p[0]) * k)
    }
    fn logsf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        log1p(a, -p[0]) * k
    }
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        log1p(a, -q) / log1p(a, -p[0])
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let (one, other) = (a.f(1.0), a.f(1.0) - p[0]);
        let var = other / (p[0] * p[0]);
        let kurtosis = a.f(6.0) + p[0] * p[0] / other;
        [one / p[0], var, (one + other) / a.sqrt(other), kurtosis]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let other = a.f(1.0) - p[0];
        -log(a, p[0]) - xlog1py(a, other, -p[0]) / p[0]
    }
}

/// Successes among `N` draws without replacement from `M` objects of which `n` are successes.
pub(crate) struct Hypergeom;
impl Discrete for Hypergeom {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        let [all, good, drawn] = [p[0], p[1], p[2]];
        let zero = a.f(0.0);
        let whole = is_whole(a, all) & is_whole(a, good) & is_whole(a, drawn);
        whole & a.le(zero, good) & a.le(zero, drawn) & a.le(good, all) & a.le(drawn, all)
    }
    fn support<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 2] {
        let low = p[2] - (p[0] - p[1]);
        let low = a.select(a.lt(low, a.f(0.0)), a.f(0.0), low);
        [low, a.select(a.lt(p[1], p[2]), p[1], p[2])]
    }
    fn logpmf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        let [all, good, drawn] = [p[0], p[1], p[2]];
        let (one, bad) = (a.f(1.0), all - good);
        betaln(a, good + one, one)
            + betaln(a, bad + one, one)
            + betaln(a, all - drawn + one, drawn + one)
            - betaln(a, k + one, good - k + one)
            - betaln(a, drawn - k + one, bad - drawn + k + one)
            - betaln(a, all + one, one)
    }
    fn cdf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        sum_down(a, k, p)[0]
    }
    fn sf<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> A::F {
        // More than k successes are fewer than N − k failures.
        sum_down(a, p[2] - k - a.f(1.0), &[p[0], p[0] - p[1], p[2]])[0]
    }
    fn parts<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> [A::F; 2] {
        sum_down(a, k, p)
    }
    fn guess<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let [mean, var, ..] = Self::moments(a, p);
        near(a, q, mean, var)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let [all, good, drawn] = [p[0], p[1], p[2]];
        let [one, two, three, six] = [1.0, 2.0, 3.0, 6.0].map(|k| a.f(k));
        let (bad, left) = (all - good, all - drawn);
        let share = good / all;
        let mean = drawn * share;
        let var = left * drawn * good * bad / (all * all * (all - one));
        let skew = (bad - good) * a.sqrt(all - one) * (left - drawn)
            / (a.sqrt(drawn * good * bad * left) * (all - two));
        let upper =
            (all - one) * all * all * (all * (all + one) - six * good * bad - six * drawn * left)
                + six * drawn * good * bad * left * (a.f(5.0) * all - six);
        let lower = drawn * good * bad * left * (all - two) * (all - three);
        [mean, var, skew, upper / lower]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        entropy_by_sum::<Self, A>(a, p)
    }
}

/// The probability of at most `k` successes: terms from `k` on down, each made of the one before, until they add nothing. Where
/// these are the larger part, one less those above. And the probability of more.
fn sum_down<A: Algebra>(a: &A, k: A::F, p: &[A::F]) -> [A::F; 2] {
    let [all, good, drawn] = [p[0], p[1], p[2]];
    let (one, bad) = (a.f(1.0), all - good);
    let [low, high] = Hypergeom::support(a, p);
    let mean = drawn * good / all;
    let down = a.lt(k, mean);
    let first = a.select(down, k, k + one);
    let start = exp(a, Hypergeom::logpmf(a, first, p));
    let start = a.select(a.lt(high, first) | a.lt(first, low), a.f(0.0), start);
    let goes_on = |a: &A, [_, term, sum]: [A::F; 3]| a.lt(a.f(1e-18) * sum, term);
    let [.., sum] =
        a.repeat_while(TERMS, [first, start, a.f(0.0)], goes_on, |a, [at, term, sum]| {
            let (up, at_down) = (at + a.f(1.0), at - a.f(1.0));
            let grows = (good - at) * (drawn - at) / (up * (bad - drawn + up));
            let falls = at * (bad - drawn + at) / ((good - at_down) * (drawn - at_down));
            let next = a.select(down, at_down, up);
            let ratio = a.select(down, falls, grows);
            [next, a.select(a.eq(term, a.f(0.0)), term, term * ratio), sum + term]
        });
    [a.select(down, sum, one - sum), a.select(down, one - sum, sum)]
}
