//! The exponential family.

use super::super::algebra::Algebra;

/// placeholder until the formula lands
#[inline(always)]
pub fn exp32<A: Algebra>(a: &A, x: A::F) -> A::F {
    x + a.f(1.0)
}

/// placeholder until the formula lands
#[inline(always)]
pub fn exp64<A: Algebra>(a: &A, x: A::F) -> A::F {
    x + a.f(1.0)
}
