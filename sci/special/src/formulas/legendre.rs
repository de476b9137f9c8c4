//! Associated Legendre functions of whole degree and order, normalized ones, and polynomials on 0 to 1 or by halves; Dirichlet's kernel.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::orthogonal::{
    chebyt, chebyu, gamma_quotient, jacobi, legendre, of_degree, whole_legendre, whole_lpmv,
};
use super::support::*;

/// The highest degree.
const MOST: u32 = 1000;

/// Legendre's function of degree n and order m with Condon's and Shortley's phase: beyond −1 to 1 of order 0 alone.
pub fn assoc_legendre_p<A: Algebra>(a: &A, n: A::F, m: A::F, z: A::F) -> A::F {
    let value = whole_lpmv(a, m, n, z);
    let beyond = a.lt(a.f(1.0), a.abs(z));
    let value = when(a, beyond & a.eq(m, a.f(0.0)), value, |a| whole_legendre(a, n, z));
    let none = a.lt(n, a.abs(m)) & is_whole(a, n) & is_whole(a, m) & a.eq(z, z);
    a.select(none, a.f(0.0), value)
}

/// The same of cos θ, of norm 1 over the sphere: from the order's own degree upward, with the normalized recurrence.
pub fn sph_legendre_p<A: Algebra>(a: &A, n: A::F, m: A::F, theta: A::F) -> A::F {
    let zero = a.f(0.0);
    let order = a.abs(m);
    let (sine, x) = (a.abs(sin(a, theta)), a.call(code::Cos, &[theta]));
    let goes_on = |a: &A, [k, _]: [A::F; 2]| a.lt(k, order);
    // 1/√(4π).
    let state = [zero, a.f(0.282_094_791_773_878_14)];
    let [_, start] = a.repeat_while(MOST, state, goes_on, |a, [k, value]| {
        let k = k + a.f(1.0);
        let twice = k + k;
        [k, -value * sine * a.sqrt((twice + a.f(1.0)) / twice)]
    });
    let square = order * order;
    let goes_on = |a: &A, [k, ..]: [A::F; 4]| a.lt(k, n);
    let [_, value, ..] = a.repeat_while(
        MOST,
        [order, start, zero, zero],
        goes_on,
        |a, [k, value, before, factor]| {
            let k = k + a.f(1.0);
            let next = a.sqrt((a.f(4.0) * k * k - a.f(1.0)) / (k * k - square));
            // The factor of the value before is 1 over the last one.
            let last = a.select(a.eq(factor, a.f(0.0)), a.f(0.0), before / factor);
            [k, next * (x * value - last), value, next]
        },
    );
    let value = a.select(is_odd(a, m) & a.lt(m, zero), -value, value);
    let value = a.select(a.lt(n, order), zero, value);
    let whole = is_whole(a, n) & is_whole(a, m);
    let inside = a.le(n, a.f(f64::from(MOST))) & a.le(order, a.f(f64::from(MOST)));
    a.select(whole & inside & a.eq(x, x), value, nan(a))
}

/// Legendre's polynomial on 0 to 1.
pub fn sh_legendre<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, x: A::F) -> A::F {
    legendre::<A, WHOLE>(a, n, a.fma(x, a.f(2.0), a.f(-1.0)))
}

/// Chebyshev's polynomial of the first kind on 0 to 1.
pub fn sh_chebyt<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, x: A::F) -> A::F {
    chebyt::<A, WHOLE>(a, n, a.fma(x, a.f(2.0), a.f(-1.0)))
}

/// Chebyshev's polynomial of the second kind on 0 to 1.
pub fn sh_chebyu<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, x: A::F) -> A::F {
    chebyu::<A, WHOLE>(a, n, a.fma(x, a.f(2.0), a.f(-1.0)))
}

/// Jacobi's polynomial on 0 to 1, with 1 before the highest power.
pub fn sh_jacobi<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, p: A::F, q: A::F, x: A::F) -> A::F {
    let one = a.f(1.0);
    let value = jacobi::<A, WHOLE>(a, n, p - q, q - one, a.fma(x, a.f(2.0), -one));
    // The binomial coefficient of 2n + p − 1 and n.
    let goes_on = |a: &A, [k, _]: [A::F; 2]| a.lt(k, n);
    let [_, leading] = a.repeat_while(MOST, [a.f(0.0), one], goes_on, |a, [k, product]| {
        let k = k + a.f(1.0);
        [k, product * ((n + p - a.f(1.0) + k) / k)]
    });
    let leading = of_degree::<A, WHOLE>(a, n, leading, |a| {
        gamma_quotient(a, [n + n + p, n + a.f(1.0), n + p])
    });
    value / leading
}

/// 2 T(x/2).
pub fn chebyc<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, x: A::F) -> A::F {
    a.f(2.0) * chebyt::<A, WHOLE>(a, n, a.f(0.5) * x)
}

/// U(x/2).
pub fn chebys<A: Algebra, const WHOLE: bool>(a: &A, n: A::F, x: A::F) -> A::F {
    chebyu::<A, WHOLE>(a, n, a.f(0.5) * x)
}

/// sin(nx/2) / (n sin(x/2)) of whole n, by the distance of x from the nearest whole turn.
pub fn diric<A: Algebra>(a: &A, x: A::F, n: A::F) -> A::F {
    let (one, half) = (a.f(1.0), a.f(0.5));
    let turns = a.rint(x * a.f(1.0 / std::f64::consts::TAU));
    let left = a.fma(turns, a.f(-std::f64::consts::TAU), x);
    let left = half * a.fma(turns, a.f(-2.4492935982947064e-16), left);
    let value = sin(a, n * left) / (n * sin(a, left));
    let tiny = a.lt(a.abs(left) * n, a.f(1e-9));
    let value = a.select(tiny, one, value);
    let flipped = is_odd(a, turns) & !is_odd(a, n);
    let value = a.select(flipped, -value, value);
    let valid = is_whole(a, n) & a.lt(a.f(0.0), n) & a.lt(a.abs(x), infinity(a));
    a.select(valid, value, nan(a))
}
