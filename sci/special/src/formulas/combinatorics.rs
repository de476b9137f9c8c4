//! Factorials, combinations and permutations; rounding to whole numbers.

use ndany_core::formulas::algebra::Algebra;

use super::gamma::{binom, poch};
use super::support::*;

/// n! = Γ(n + 1), 0 of negative n.
pub fn factorial<A: Algebra>(a: &A, n: A::F) -> A::F {
    let value = gamma(a, n + a.f(1.0));
    a.select(a.lt(n, a.f(0.0)), a.f(0.0), value)
}

/// n (n − k) (n − 2k) … down to the last positive one, with the roundings of the products made good; 0 of negative n, NaN unless n and k are
/// whole and k is positive.
pub fn factorialk<A: Algebra>(a: &A, n: A::F, k: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let goes_on =
        |a: &A, [m, product, _]: [A::F; 3]| a.lt(a.f(0.0), m) & a.lt(product, infinity(a));
    let [_, product, rest] =
        a.repeat_while(180, [n, one, zero], goes_on, |a, [m, product, rest]| {
            let next = product * m;
            [m - k, next, a.fma(rest, m, a.fma(product, m, -next))]
        });
    let value = a.select(a.lt(product, infinity(a)), product + rest, product);
    let value = a.select(a.lt(n, zero), zero, value);
    let valid = is_whole(a, n) & is_whole(a, k) & a.lt(zero, k) & !a.is_nan(n);
    a.select(valid, value, nan(a))
}

/// n!!.
pub fn factorial2<A: Algebra>(a: &A, n: A::F) -> A::F {
    factorialk(a, n, a.f(2.0))
}

/// Whether so many may be chosen: 0 ≤ k ≤ n.
#[inline(always)]
fn may<A: Algebra>(a: &A, n: A::F, k: A::F) -> A::B {
    a.le(a.f(0.0), k) & a.le(k, n)
}

#[inline(always)]
fn numbers<A: Algebra>(a: &A, n: A::F, k: A::F, value: A::F) -> A::F {
    let value = a.select(may(a, n, k), value, a.f(0.0));
    a.select(a.eq(n, n) & a.eq(k, k), value, nan(a))
}

/// The binomial coefficient, 0 where not so many may be chosen.
pub fn comb<A: Algebra>(a: &A, n: A::F, k: A::F) -> A::F {
    numbers(a, n, k, binom(a, n, k))
}

/// Combinations with repetition: of n + k − 1.
pub fn comb_with_repetition<A: Algebra>(a: &A, n: A::F, k: A::F) -> A::F {
    let value = comb(a, n + k - a.f(1.0), k);
    // Nothing of nothing is one way.
    let none = a.eq(n, a.f(0.0)) & a.eq(k, a.f(0.0));
    a.select(none, a.f(1.0), value)
}

/// Γ(n + 1)/Γ(n − k + 1), 0 where not so many may be chosen.
pub fn perm<A: Algebra>(a: &A, n: A::F, k: A::F) -> A::F {
    let is_choice = may(a, n, k);
    let (own, count) = (a.select(is_choice, n, a.f(1.0)), a.select(is_choice, k, a.f(1.0)));
    numbers(a, n, k, poch(a, own - count + a.f(1.0), count))
}

/// The nearest whole number, of two the even one; only zeros stay negative zeros.
pub fn round<A: Algebra>(a: &A, x: A::F) -> A::F {
    let zero = a.f(0.0);
    a.select(a.eq(x, zero), x, a.rint(x) + zero)
}
