//! What several formulas use: polynomials, products of two floats, elementary functions by short names.

use ndany_core::formulas::algebra::{Algebra, Float};
use ndany_core::formulas::code;
use ndany_core::formulas::power::log_parts;

macro_rules! words {
    ($($name:ident $formula:ident;)+) => {$(
        #[inline(always)]
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
    sin Sin;
    tan Tan;
    erfc Erfc;
}

macro_rules! functions {
    ($($name:ident $formula:ident;)+) => {$(
        /// Once in a GPU's kernel: it is long.
        #[inline(always)]
        pub(crate) fn $name<A: Algebra>(a: &A, x: A::F) -> A::F {
            apart(
                a,
                [x],
                #[inline(always)]
                |a, [x]| [a.call(code::$formula, &[x])],
            )[0]
        }
    )+};
}
functions! {
    gamma Gamma;
    gammaln Lgamma;
}

#[inline(always)]
pub(crate) fn pow<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    a.call(code::Pow, &[x, y])
}

/// A polynomial by Horner's scheme, the lowest degree first.
#[inline(always)]
pub(crate) fn horner<A: Algebra>(a: &A, u: A::F, coefficients: &[f64]) -> A::F {
    let mut terms = coefficients.iter().rev();
    let highest = a.f(terms.next().copied().unwrap_or(0.0));
    terms.fold(highest, |sum, &c| a.fma(sum, u, a.f(c)))
}

/// `new` where a condition holds, which is computed for blocks alone that have such elements; else the value.
#[inline(always)]
pub(crate) fn when<A: Algebra>(
    a: &A,
    condition: A::B,
    value: A::F,
    new: impl Fn(&A) -> A::F,
) -> A::F {
    a.repeat_while(
        1,
        [value],
        #[inline(always)]
        |_, _| condition,
        #[inline(always)]
        |a, _| [new(a)],
    )[0]
}

/// What `f` makes of the values, which a GPU's kernel has once, as a function, where it is used several times.
#[inline(always)]
pub fn apart<A: Algebra, const N: usize>(
    a: &A,
    values: [A::F; N],
    f: impl Fn(&A, [A::F; N]) -> [A::F; N],
) -> [A::F; N] {
    a.repeat_while(
        1,
        values,
        #[inline(always)]
        |a, _| a.eq(a.f(1.0), a.f(1.0)),
        f,
    )
}

/// log x as such a function.
#[inline(always)]
pub(crate) fn log_apart<A: Algebra>(a: &A, x: A::F) -> A::F {
    apart(
        a,
        [x],
        #[inline(always)]
        |a, [x]| [log(a, x)],
    )[0]
}

/// log(1 + x) as such a function.
#[inline(always)]
pub(crate) fn log1p_apart<A: Algebra>(a: &A, x: A::F) -> A::F {
    apart(
        a,
        [x],
        #[inline(always)]
        |a, [x]| [log1p(a, x)],
    )[0]
}

/// e^x as such a function.
#[inline(always)]
pub(crate) fn exp_apart<A: Algebra>(a: &A, x: A::F) -> A::F {
    apart(
        a,
        [x],
        #[inline(always)]
        |a, [x]| [exp(a, x)],
    )[0]
}

/// e^(sign x²) with the rounding of x² made good.
#[inline(always)]
pub(crate) fn exp_of_square<A: Algebra>(a: &A, x: A::F, sign: f64) -> A::F {
    let square = x * x;
    let rest = a.fma(x, x, -square);
    let value = exp(a, a.f(sign) * square);
    // Where the square is infinite, so is the exponential, or it is 0.
    let rest = a.select(a.lt(square, a.f(1e10)), rest, a.f(0.0));
    let exact = a.fma(value, a.f(sign) * rest, value);
    a.select(a.lt(value, infinity(a)), exact, value)
}

/// The larger and the smaller of two numbers; of a NaN, the second and the first.
#[inline(always)]
pub(crate) fn ordered<A: Algebra>(a: &A, x: A::F, y: A::F) -> [A::F; 2] {
    let above = a.lt(y, x);
    [a.select(above, x, y), a.select(above, y, x)]
}

/// The nearest float to zero that is no zero, so that divisions and logarithms of a sum with it have a value.
pub(crate) const TINY: f64 = 1e-300;

#[inline(always)]
pub(crate) fn nan<A: Algebra>(a: &A) -> A::F {
    a.f(f64::NAN)
}

#[inline(always)]
pub(crate) fn infinity<A: Algebra>(a: &A) -> A::F {
    a.f(f64::INFINITY)
}

/// A whole number?
#[inline(always)]
pub(crate) fn is_whole<A: Algebra>(a: &A, x: A::F) -> A::B {
    a.eq(a.floor(x), x)
}

/// The whole part, rounded toward zero.
#[inline(always)]
pub(crate) fn truncated<A: Algebra>(a: &A, x: A::F) -> A::F {
    let size = a.floor(a.abs(x));
    a.select(a.lt(x, a.f(0.0)), -size, size)
}

/// Whether `x` is one of the two ends or between them.
#[inline(always)]
pub(crate) fn within<A: Algebra>(a: &A, x: A::F, low: f64, high: f64) -> A::B {
    a.le(a.f(low), x) & a.le(x, a.f(high))
}

/// Whether a whole number is odd.
#[inline(always)]
pub(crate) fn is_odd<A: Algebra>(a: &A, n: A::F) -> A::B {
    let half = n * a.f(0.5);
    !a.eq(a.floor(half), half)
}

/// Euler's constant.
pub(crate) const EULER: f64 = 0.577_215_664_901_532_9;

/// A sum with its rounding error (Knuth).
#[inline(always)]
pub(crate) fn two_sum<F: Float>(x: F, y: F) -> (F, F) {
    let sum = x + y;
    let part = sum - x;
    (sum, (x - (sum - part)) + (y - part))
}

/// log((high + low)/divisor) as a sum of two floats, and whether the quotient is next to nothing: then the logarithm is 0.
#[inline(always)]
pub(crate) fn log_of_quotient<A: Algebra>(
    a: &A,
    high: A::F,
    divisor: A::F,
    low: impl FnOnce(A::F) -> A::F,
) -> (A::F, A::F, A::B) {
    let quotient = high / divisor;
    let correction = (a.fma(-quotient, divisor, high) + low(quotient)) / high;
    let tiny = a.lt(quotient, a.f(TINY));
    let (log, log_low) = log_parts(a, a.select(tiny, a.f(1.0), quotient));
    (log, log_low + correction, tiny)
}
