//! Bessel functions of the orders 0 and 1, plain and modified: polynomials near 0, amplitudes in powers of 1/x beyond; those of the
//! second kind and of whole orders by their recurrences, which are stable upward.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::coefficients::*;
use super::support::*;

const FRAC_2_PI: f64 = std::f64::consts::FRAC_2_PI;

/// Where the polynomials of x² end and the amplitudes begin.
const MIDDLE: f64 = 8.0;

/// √(2/πx) (P c − Q s) and √(2/πx) (P s + Q c) of the angle x − (2n + 1) π/4, for x ≥ 8 (DLMF 10.17).
#[inline(always)]
fn oscillating<A: Algebra>(a: &A, x: A::F, [p, q]: [&[f64]; 2], first: bool) -> [A::F; 2] {
    let inverse = a.f(1.0) / x;
    let u = a.fma(inverse * inverse, a.f(128.0), a.f(-1.0));
    let (p, q) = (horner(a, u, p), horner(a, u, q) * inverse);
    let (s, c) = (sin(a, x), a.call(code::Cos, &[x]));
    // Sine and cosine of the angle times √2.
    let (sine, cosine) = if first { (-s - c, s - c) } else { (s - c, c + s) };
    let scale = a.sqrt(inverse * a.f(std::f64::consts::FRAC_1_PI));
    [scale * (p * cosine - q * sine), scale * (p * sine + q * cosine)]
}

/// u of a polynomial of x² up to 64.
#[inline(always)]
fn of_square<A: Algebra>(a: &A, x: A::F) -> A::F {
    a.fma(x * x, a.f(1.0 / 32.0), a.f(-1.0))
}

/// J₀.
#[inline(always)]
pub fn j0<A: Algebra>(a: &A, x: A::F) -> A::F {
    let size = a.abs(x);
    let [value] = a.branch(
        a.lt(size, a.f(MIDDLE)),
        #[inline(always)]
        |a| [horner(a, of_square(a, size), &J0_SERIES)],
        #[inline(always)]
        |a| [oscillating(a, size, [&P0_TAIL, &Q0_TAIL], false)[0]],
    );
    a.select(a.eq(size, infinity(a)), nan(a), value)
}

/// J₁.
#[inline(always)]
pub fn j1<A: Algebra>(a: &A, x: A::F) -> A::F {
    let size = a.abs(x);
    let [value] = a.branch(
        a.lt(size, a.f(MIDDLE)),
        #[inline(always)]
        |a| [size * horner(a, of_square(a, size), &J1_SERIES)],
        #[inline(always)]
        |a| [oscillating(a, size, [&P1_TAIL, &Q1_TAIL], true)[0]],
    );
    let value = a.select(a.eq(size, infinity(a)), nan(a), value);
    a.select(a.lt(x, a.f(0.0)), -value, value)
}

/// 2/π (γ − log 2).
const Y0_CONSTANT: f64 = -0.073_804_295_108_687_23;

/// Y₀.
#[inline(always)]
pub fn y0<A: Algebra>(a: &A, x: A::F) -> A::F {
    let [value] = a.branch(
        a.lt(x, a.f(MIDDLE)),
        #[inline(always)]
        |a| {
            let log_x = log(a, x);
            let u = of_square(a, x);
            let scaled = log_x * a.f(FRAC_2_PI);
            let value = a.fma(scaled, horner(a, u, &J0_SERIES), horner(a, u, &Y0_SERIES));
            // Near 0 by what tends to 0 beside the logarithm.
            [when(
                a,
                a.lt(x, a.f(0.75)),
                value,
                #[inline(always)]
                |a| {
                    let t = x * x;
                    let u = a.fma(t, a.f(2.0), a.f(-1.0));
                    let main = a.fma(log_x, a.f(FRAC_2_PI), a.f(Y0_CONSTANT));
                    let rest = a.fma(main, horner(a, u, &J0_SMALL), horner(a, u, &Y0_SMALL));
                    a.fma(t, rest, main)
                },
            )]
        },
        #[inline(always)]
        |a| [oscillating(a, x, [&P0_TAIL, &Q0_TAIL], false)[1]],
    );
    at_ends(a, x, value)
}

/// Y₁.
#[inline(always)]
pub fn y1<A: Algebra>(a: &A, x: A::F) -> A::F {
    let [value] = a.branch(
        a.lt(x, a.f(MIDDLE)),
        #[inline(always)]
        |a| {
            let u = of_square(a, x);
            let log_x = log(a, x) * a.f(FRAC_2_PI);
            let regular = x * a.fma(log_x, horner(a, u, &J1_SERIES), horner(a, u, &Y1_SERIES));
            [regular - a.f(FRAC_2_PI) / x]
        },
        #[inline(always)]
        |a| [oscillating(a, x, [&P1_TAIL, &Q1_TAIL], true)[1]],
    );
    at_ends(a, x, value)
}

/// A function of the second kind at 0, at infinity (NaN, as in SciPy), and below 0.
#[inline(always)]
fn at_ends<A: Algebra>(a: &A, x: A::F, value: A::F) -> A::F {
    let value = a.select(a.eq(x, infinity(a)), nan(a), value);
    let value = a.select(a.eq(x, a.f(0.0)), -infinity(a), value);
    a.select(a.lt(x, a.f(0.0)), nan(a), value)
}

/// e^−|x| I of an order: a polynomial up to 8, beyond one of 1/x of √x times it.
#[inline(always)]
fn scaled_i<A: Algebra>(a: &A, x: A::F, series: &[f64], tail: &[f64], odd: bool) -> A::F {
    let size = a.abs(x);
    let [value] = a.branch(
        a.le(size, a.f(8.0)),
        #[inline(always)]
        |a| {
            let value = horner(a, a.fma(size, a.f(0.25), a.f(-1.0)), series);
            [if odd { size * value } else { value }]
        },
        #[inline(always)]
        |a| {
            let u = a.fma(a.f(1.0) / size, a.f(16.0), a.f(-1.0));
            [horner(a, u, tail) / a.sqrt(size)]
        },
    );
    if odd { a.select(a.lt(x, a.f(0.0)), -value, value) } else { value }
}

/// e^−|x| I₀.
#[inline(always)]
pub fn i0e<A: Algebra>(a: &A, x: A::F) -> A::F {
    scaled_i(a, x, &I0E_SERIES, &I0E_TAIL, false)
}

/// e^−|x| I₁.
#[inline(always)]
pub fn i1e<A: Algebra>(a: &A, x: A::F) -> A::F {
    scaled_i(a, x, &I1E_SERIES, &I1E_TAIL, true)
}

/// I₁.
#[inline(always)]
pub fn i1<A: Algebra>(a: &A, x: A::F) -> A::F {
    // In halves, which do not overflow before the value does.
    let half = exp(a, a.f(0.5) * a.abs(x));
    let value = half * i1e(a, x) * half;
    a.select(a.eq(a.abs(x), infinity(a)), x, value)
}

/// e^x K of the orders 0 and 1, or K where `plain`.
#[inline(always)]
fn k_of<A: Algebra>(a: &A, x: A::F, second: bool, plain: bool) -> A::F {
    let [value] = a.branch(
        a.le(x, a.f(1.0)),
        #[inline(always)]
        |a| {
            let u = a.fma(x * x, a.f(2.0), a.f(-1.0));
            let log_x = log(a, x);
            let value = if second {
                let regular = a.fma(log_x, horner(a, u, &I1_SERIES), horner(a, u, &K1_SERIES));
                a.fma(x, regular, a.f(1.0) / x)
            } else {
                a.fma(-log_x, horner(a, u, &I0_SERIES), horner(a, u, &K0_SERIES))
            };
            [if plain { value } else { value * exp(a, x) }]
        },
        #[inline(always)]
        |a| {
            let u = a.fma(a.f(1.0) / x, a.f(2.0), a.f(-1.0));
            let tail: &[f64] = if second { &K1E_TAIL } else { &K0E_TAIL };
            let value = horner(a, u, tail) / a.sqrt(x);
            [if plain { value * exp(a, -x) } else { value }]
        },
    );
    let value = a.select(a.eq(x, infinity(a)), a.f(0.0), value);
    let value = a.select(a.eq(x, a.f(0.0)), infinity(a), value);
    a.select(a.lt(x, a.f(0.0)), nan(a), value)
}

/// K₀.
#[inline(always)]
pub fn k0<A: Algebra>(a: &A, x: A::F) -> A::F {
    k_of(a, x, false, true)
}

/// e^x K₀.
#[inline(always)]
pub fn k0e<A: Algebra>(a: &A, x: A::F) -> A::F {
    k_of(a, x, false, false)
}

/// K₁.
#[inline(always)]
pub fn k1<A: Algebra>(a: &A, x: A::F) -> A::F {
    k_of(a, x, true, true)
}

/// e^x K₁.
#[inline(always)]
pub fn k1e<A: Algebra>(a: &A, x: A::F) -> A::F {
    k_of(a, x, true, false)
}

/// The highest whole order.
const MOST: u32 = 1000;

/// f(n) of f(0), f(1) and a step from (k, f(k), f(k − 1)) to f(k + 1); a value that is infinite ends the recurrence.
#[inline(always)]
fn upward<A: Algebra>(
    a: &A,
    n: A::F,
    [zeroth, first]: [A::F; 2],
    next: impl Fn(&A, A::F, A::F, A::F) -> A::F,
) -> A::F {
    let goes_on = |a: &A, [k, value, _]: [A::F; 3]| a.lt(k, n) & a.lt(a.abs(value), infinity(a));
    let state = [a.f(1.0), first, zeroth];
    let [_, value, _] = a.repeat_while(
        MOST,
        state,
        goes_on,
        #[inline(always)]
        |a, [k, value, before]| [k + a.f(1.0), next(a, k, value, before), value],
    );
    a.select(a.eq(n, a.f(0.0)), zeroth, value)
}

/// Y of the whole part of an order, negative ones by reflection.
#[inline(always)]
pub fn yn<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
    let size = a.floor(a.abs(n));
    let value = upward(
        a,
        size,
        [y0(a, x), y1(a, x)],
        #[inline(always)]
        |_, k, value, before| (k + k) / x * value - before,
    );
    // Where it is −∞ a step would make no number.
    let value = a.select(a.eq(x, a.f(0.0)), -infinity(a), value);
    let value = a.select(is_odd(a, size) & a.lt(n, a.f(0.0)), -value, value);
    a.select(a.le(size, a.f(f64::from(MOST))), value, nan(a))
}

/// K of the whole part of an order.
#[inline(always)]
pub fn kn<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
    let size = a.floor(a.abs(n));
    let value = upward(
        a,
        size,
        [k0(a, x), k1(a, x)],
        #[inline(always)]
        |a, k, value, before| a.fma((k + k) / x, value, before),
    );
    let value = a.select(a.eq(x, a.f(0.0)), infinity(a), value);
    a.select(a.le(size, a.f(f64::from(MOST))), value, nan(a))
}

/// The spherical function of the second kind of a whole order.
#[inline(always)]
pub fn spherical_yn<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
    let size = a.abs(x);
    let (s, c) = (sin(a, size), a.call(code::Cos, &[size]));
    let zeroth = -(c / size);
    let first = (zeroth - s) / size;
    let value = upward(
        a,
        n,
        [zeroth, first],
        #[inline(always)]
        |a, k, value, before| a.fma((k + k + a.f(1.0)) / size, value, -before),
    );
    let value = a.select(a.eq(size, infinity(a)), a.f(0.0), value);
    let value = a.select(a.eq(size, a.f(0.0)), -infinity(a), value);
    // y(n, −x) = (−1)^(n + 1) y(n, x).
    let value = a.select(a.lt(x, a.f(0.0)) & !is_odd(a, n), -value, value);
    let valid = is_whole(a, n) & within(a, n, 0.0, f64::from(MOST));
    a.select(valid & a.eq(x, x), value, nan(a))
}
