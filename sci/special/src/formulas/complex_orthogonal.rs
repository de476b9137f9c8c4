//! Orthogonal polynomials of whole degree at complex points, by their recurrences. Degrees that are not whole, negative, or above 1000 give
//! NaN.

use ndany_core::formulas::algebra::Algebra;

use super::plane::*;
use super::support::*;

/// The highest degree.
const MOST: u32 = 1000;

/// p(n) of p(0) = 1, p(1) = `first` and p(k + 1) = (s x + t) p(k) − u p(k − 1), where `next` says s, t and u of k.
#[inline(always)]
fn by_recurrence<A: Algebra>(
    a: &A,
    n: A::F,
    x: Pair<A>,
    first: Pair<A>,
    next: impl Fn(&A, A::F) -> [A::F; 3],
) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let goes_on = |a: &A, state: [A::F; 5]| a.lt(state[0], n);
    let start = [one, first.0, first.1, one, zero];
    let [_, re, im, _, _] = a.repeat_while(MOST, start, goes_on, |a, [k, re, im, lr, li]| {
        let [s, t, u] = next(a, k);
        let (pr, pi) = mul(a, (a.fma(s, x.0, t), s * x.1), (re, im));
        [k + a.f(1.0), a.fma(-u, lr, pr), a.fma(-u, li, pi), re, im]
    });
    let value = choose(a, a.eq(n, zero), (one, zero), (re, im));
    let valid = within(a, n, 0.0, f64::from(MOST)) & is_whole(a, n) & !has_nan(a, first);
    choose(a, valid, value, (nan(a), nan(a)))
}

/// 2x − 1.
#[inline(always)]
fn shifted<A: Algebra>(a: &A, x: Pair<A>) -> Pair<A> {
    (a.fma(x.0, a.f(2.0), a.f(-1.0)), x.1 + x.1)
}

#[inline(always)]
fn halved<A: Algebra>(a: &A, x: Pair<A>) -> Pair<A> {
    times(a, x, a.f(0.5))
}

/// Legendre's.
pub fn legendre<A: Algebra>(a: &A, n: A::F, x: Pair<A>) -> Pair<A> {
    by_recurrence(a, n, x, x, |a, k| {
        let next = k + a.f(1.0);
        [(k + next) / next, a.f(0.0), k / next]
    })
}

/// Chebyshev's of the first kind.
pub fn chebyt<A: Algebra>(a: &A, n: A::F, x: Pair<A>) -> Pair<A> {
    by_recurrence(a, n, x, x, |a, _| [a.f(2.0), a.f(0.0), a.f(1.0)])
}

/// Chebyshev's of the second kind.
pub fn chebyu<A: Algebra>(a: &A, n: A::F, x: Pair<A>) -> Pair<A> {
    by_recurrence(a, n, x, (x.0 + x.0, x.1 + x.1), |a, _| [a.f(2.0), a.f(0.0), a.f(1.0)])
}

/// 2 T(x/2).
pub fn chebyc<A: Algebra>(a: &A, n: A::F, x: Pair<A>) -> Pair<A> {
    times(a, chebyt(a, n, halved(a, x)), a.f(2.0))
}

/// U(x/2).
pub fn chebys<A: Algebra>(a: &A, n: A::F, x: Pair<A>) -> Pair<A> {
    chebyu(a, n, halved(a, x))
}

/// Gegenbauer's.
pub fn gegenbauer<A: Algebra>(a: &A, n: A::F, alpha: A::F, x: Pair<A>) -> Pair<A> {
    by_recurrence(a, n, x, times(a, x, alpha + alpha), |a, k| {
        let next = k + a.f(1.0);
        let sum = k + alpha;
        [(sum + sum) / next, a.f(0.0), (sum + alpha - a.f(1.0)) / next]
    })
}

/// Laguerre's generalized ones.
pub fn genlaguerre<A: Algebra>(a: &A, n: A::F, alpha: A::F, x: Pair<A>) -> Pair<A> {
    // The differences of neighbours are the states, which lose less: L(k + 1) − L(k) is ((k + α) (L(k) − L(k − 1)) − x L(k))/(k + 1).
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let start = [one, one + alpha - x.0, -x.1, alpha - x.0, -x.1];
    let goes_on = |a: &A, state: [A::F; 5]| a.lt(state[0], n);
    let [_, re, im, _, _] = a.repeat_while(MOST, start, goes_on, |a, [k, re, im, dr, di]| {
        let (next, sum) = (k + a.f(1.0), k + alpha);
        let (pr, pi) = mul(a, x, (re, im));
        let (dr, di) = (a.fma(sum, dr, -pr) / next, a.fma(sum, di, -pi) / next);
        [next, re + dr, im + di, dr, di]
    });
    let value = choose(a, a.eq(n, zero), (one, zero), (re, im));
    let valid =
        within(a, n, 0.0, f64::from(MOST)) & is_whole(a, n) & !has_nan(a, x) & !a.is_nan(alpha);
    choose(a, valid, value, (nan(a), nan(a)))
}

/// Laguerre's.
pub fn laguerre<A: Algebra>(a: &A, n: A::F, x: Pair<A>) -> Pair<A> {
    genlaguerre(a, n, a.f(0.0), x)
}

/// Jacobi's (DLMF 18.9.2).
pub fn jacobi<A: Algebra>(a: &A, n: A::F, alpha: A::F, beta: A::F, x: Pair<A>) -> Pair<A> {
    let (one, two, half) = (a.f(1.0), a.f(2.0), a.f(0.5));
    let both = alpha + beta;
    let slope = half * (both + two);
    let first = (a.fma(slope, x.0 - one, alpha + one), slope * x.1);
    let difference = (alpha - beta) * both;
    by_recurrence(a, n, x, first, |a, k| {
        let next = k + a.f(1.0);
        let sum = k + k + both;
        let below = a.f(2.0) * next * (next + both) * sum;
        let middle = sum + a.f(1.0);
        let upper = middle + a.f(1.0);
        let u = a.f(2.0) * (k + alpha) * (k + beta) * upper / below;
        [middle * upper * sum / below, middle * difference / below, u]
    })
}

/// Legendre's on 0 to 1.
pub fn sh_legendre<A: Algebra>(a: &A, n: A::F, x: Pair<A>) -> Pair<A> {
    legendre(a, n, shifted(a, x))
}

/// Chebyshev's of the first kind on 0 to 1.
pub fn sh_chebyt<A: Algebra>(a: &A, n: A::F, x: Pair<A>) -> Pair<A> {
    chebyt(a, n, shifted(a, x))
}

/// Chebyshev's of the second kind on 0 to 1.
pub fn sh_chebyu<A: Algebra>(a: &A, n: A::F, x: Pair<A>) -> Pair<A> {
    chebyu(a, n, shifted(a, x))
}

/// Jacobi's on 0 to 1, with 1 before the highest power.
pub fn sh_jacobi<A: Algebra>(a: &A, n: A::F, p: A::F, q: A::F, x: Pair<A>) -> Pair<A> {
    let one = a.f(1.0);
    let value = jacobi(a, n, p - q, q - one, shifted(a, x));
    // The binomial coefficient of 2n + p − 1 and n.
    let goes_on = |a: &A, state: [A::F; 2]| a.lt(state[0], n);
    let [_, leading] = a.repeat_while(MOST, [a.f(0.0), one], goes_on, |a, [k, product]| {
        let k = k + a.f(1.0);
        [k, product * ((n + p - a.f(1.0) + k) / k)]
    });
    times(a, value, one / leading)
}
