//! Short names for formulas that distributions use often.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;
use ndany_special::formulas::apart;

macro_rules! words {
    ($($name:ident $formula:ident;)+) => {$(
        pub(crate) fn $name<A: Algebra>(a: &A, x: A::F) -> A::F {
            a.call(code::$formula, &[x])
        }
    )+};
}
words! {
    exp Exp;
    expm1 Expm1;
    log Log;
    log1p Log1p;
    tan Tan;
    expit Expit;
    logit Logit;
}

/// log |Γ|, once in a GPU's kernel: it is long.
pub(crate) fn gammaln<A: Algebra>(a: &A, x: A::F) -> A::F {
    apart(a, [x], |a, [x]| [a.call(code::Lgamma, &[x])])[0]
}

/// Γ, once in a GPU's kernel, too.
pub(crate) fn gamma<A: Algebra>(a: &A, x: A::F) -> A::F {
    apart(a, [x], |a, [x]| [a.call(code::Gamma, &[x])])[0]
}

pub(crate) fn pow<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    a.call(code::Pow, &[x, y])
}

/// x log y, which is 0 where x is.
pub(crate) fn xlogy<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    a.call(code::Xlogy, &[x, y])
}

/// x log(1 + y), which is 0 where x is.
pub(crate) fn xlog1py<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    a.call(code::Xlog1py, &[x, y])
}

pub(crate) fn nan<A: Algebra>(a: &A) -> A::F {
    a.f(f64::NAN)
}

pub(crate) fn infinity<A: Algebra>(a: &A) -> A::F {
    a.f(f64::INFINITY)
}
