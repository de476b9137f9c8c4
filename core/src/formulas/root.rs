//! The cube root.
//!
//! x = 2^3q m with m in [0.35, 2.83), and its root by Newton's iteration without a division: r ≈ m^(-1/3)
//! starts from a polynomial and takes one step, y = m r², and the remainder m − y³, which fma gives
//! almost exactly, repairs y (Markstein, IA-64 and Elementary Functions, 2000, chapter 9).

use super::algebra::Algebra;
use super::exp::scale;
use super::format::{Format, infinity, polynomial, two_to, with_sign};
use super::log::{LOG32, LOG64, Log, split};

/// m^(-1/3) for √½ ≤ m < √2, good to 2^-14.7, from `conformance/oracle/minimax.py cbrt`.
const SEED: [f64; 5] = [
    1.874515175819397,
    -1.861815333366394,
    1.561281681060791,
    -0.702370285987854,
    0.12836533784866333,
];

#[inline(always)]
fn cbrt<A: Algebra>(a: &A, x: A::F, c: &Log) -> A::F {
    let format = Format::of(A::WIDTH);
    let (one, third) = (a.f(1.0), a.f(1.0 / 3.0));
    let y = a.abs(x);
    let span = a.u(format.infinity - format.normal);
    let special = !a.lt_u(a.bits(y) - a.u(format.normal), span);
    // The lift is a power of 8.
    let lifted = a.slow_path(special, |a| y * a.f(two_to(c.lift)), y);
    let (k, m) = split(a, a.bits(lifted), c);
    let magic = a.f(format.magic);
    let shifted = a.fma(k, third, magic);
    let rest = a.fma(shifted - magic, a.f(-3.0), k);
    let (zero, m) = (a.f(0.0), a.float(m));
    let up = a.lt(zero, rest);
    let down = a.lt(rest, zero);
    let seed = polynomial(a, m, &SEED);
    let factor = a.select(up, a.f(0.7937005259840998), one);
    let r = seed * a.select(down, a.f(1.2599210498948732), factor);
    let m = m * a.select(down, a.f(0.5), a.select(up, a.f(2.0), one));
    // 1 − m r³, whose square matters in f64 only.
    let h = a.fma(-(m * r), r * r, one);
    let step = if A::WIDTH == 32 { third } else { a.fma(h, a.f(2.0 / 9.0), third) };
    let r = a.fma(r * h, step, r);
    let root = m * r * r;
    let square = root * root;
    let square_low = a.fma(root, root, -square);
    let remainder = a.fma(-square_low, root, a.fma(-square, root, m));
    let root = a.fma(remainder, r * r * third, root);
    let value = scale(a, root, shifted);
    let value = a.slow_path(
        special,
        #[inline(always)]
        |a| {
            let still = a.eq(y, zero) | !a.lt(y, infinity(a));
            a.select(still, y, value * a.f(two_to(-c.lift / 3)))
        },
        value,
    );
    with_sign(a, value, x)
}

/// ∛x.
/// Measured: at most 0.501 ulp over 2.5·10^8 inputs, every 17th of all.
#[inline(always)]
pub fn cbrt32<A: Algebra>(a: &A, x: A::F) -> A::F {
    cbrt(a, x, &LOG32)
}

/// ∛x.
/// Measured: at most 0.501 ulp over 2·10^5 random inputs or more.
#[inline(always)]
pub fn cbrt64<A: Algebra>(a: &A, x: A::F) -> A::F {
    cbrt(a, x, &LOG64)
}
