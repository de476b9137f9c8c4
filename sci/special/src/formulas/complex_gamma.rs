//! Gamma functions of complex numbers.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::gamma::{DIGAMMA_TAIL, LOG_ROOT_2PI, ROOT};
use super::plane::*;
use super::support::*;

const PI: f64 = std::f64::consts::PI;

/// log Γ(2 + w) = (1 − γ) w + Σ (−1)^n (ζ(n) − 1) w^n / n (DLMF 5.7.3): its terms from n = 2 on.
const ABOUT_2: [f64; 38] = [
    0.3224670334241132,
    -0.0673523010531981,
    0.020580808427784546,
    -0.007385551028673986,
    0.0028905103307415234,
    -0.001192753911703261,
    0.0005096695247430425,
    -0.00022315475845357939,
    9.945751278180853e-05,
    -4.492623673813314e-05,
    2.050721277567069e-05,
    -9.439488275268397e-06,
    4.374866789907488e-06,
    -2.039215753801366e-06,
    9.55141213040742e-07,
    -4.492469198764566e-07,
    2.1207184805554665e-07,
    -1.0043224823968099e-07,
    4.7698101693639804e-08,
    -2.2711094608943164e-08,
    1.0838659214896955e-08,
    -5.183475041970047e-09,
    2.4836745438024785e-09,
    -1.1921401405860912e-09,
    5.731367241678862e-10,
    -2.7595228851242334e-10,
    1.330476437424449e-10,
    -6.4229645638381e-11,
    3.1044247747322276e-11,
    -1.5021384080754142e-11,
    7.275974480239079e-12,
    -3.527742476575915e-12,
    1.711991790559618e-12,
    -8.315385841420285e-13,
    4.04220052528944e-13,
    -1.9664756310966165e-13,
    9.573630387838556e-14,
    -4.6640760264283744e-14,
];

/// From this real part, or size of the imaginary one, on, Stirling's series is taken as it is.
const LARGE: f64 = 7.0;

/// log Γ of x ≥ 0, or of |y| ≥ 7: the series about 2, with logarithms of w and 1 + w at 0 and 1; else Stirling's series beyond 7, from
/// which the product z (z + 1) … is taken (Hare 1997; DLMF 5.11.1). The argument of the product is counted in turns.
fn loggamma_of_right<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let near = |center: f64, radius2: f64| a.lt(norm(a, (z.0 - a.f(center), z.1)), a.f(radius2));
    let (at_two, at_one, at_zero) = (near(2.0, 0.5), near(1.0, 0.25), near(0.0, 0.25));
    either(
        a,
        at_two | at_one | at_zero,
        |a| {
            let center = a.select(at_one, one, a.f(2.0));
            let w = (z.0 - a.select(at_zero, zero, center), z.1);
            let tail = mul(a, horner_of_pair(a, w, &ABOUT_2), w);
            let value = mul(a, (tail.0 + a.f(1.0 - EULER), tail.1), w);
            let value = either(a, at_one | at_zero, |a| sub(a, value, clog1p(a, w)), |_| value);
            either(a, at_zero, |a| sub(a, value, clog(a, w)), |_| value)
        },
        |a| {
            // The mirror image has the same product.
            let height = a.abs(z.1);
            let start = [z.0, one, zero, zero];
            let goes_on =
                |a: &A, [x, ..]: [A::F; 4]| a.lt(x, a.f(LARGE)) & a.lt(height, a.f(LARGE));
            let [x, re, im, turns] = a.repeat_while(8, start, goes_on, |a, [x, re, im, turns]| {
                let (next_re, next_im) = mul(a, (re, im), (x, height));
                let turned = a.le(a.f(0.0), im) & a.lt(next_im, a.f(0.0));
                [x + a.f(1.0), next_re, next_im, a.select(turned, turns + a.f(1.0), turns)]
            });
            let shifted = a.lt(z.0, x);
            let stirling = stirling(a, (x, z.1));
            either(
                a,
                shifted,
                |a| {
                    let (re, im) = clog(a, (re, im));
                    let im = a.fma(a.f(2.0 * PI), turns, im);
                    sub(a, stirling, (re, signed_as(a, im, z.1)))
                },
                |_| stirling,
            )
        },
    )
}

/// The negative of `x` where `of` is negative.
#[inline(always)]
fn signed_as<A: Algebra>(a: &A, x: A::F, of: A::F) -> A::F {
    a.select(is_negative(a, of), -x, x)
}

/// (z − 1/2) log z − z + log √(2π) and Stirling's series.
fn stirling<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    const TERMS: [f64; 9] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
        -3617.0 / 122_400.0,
        43867.0 / 244_188.0,
    ];
    let log = clog(a, z);
    let inverse = div(a, pair(a, 1.0, 0.0), z);
    let rest = mul(a, horner_of_pair(a, mul(a, inverse, inverse), &TERMS), inverse);
    // z (log z − 1) − log z / 2.
    let main = mul(a, z, (log.0 - a.f(1.0), log.1));
    let half = times(a, log, a.f(0.5));
    let sum = sub(a, main, half);
    (sum.0 + (rest.0 + a.f(LOG_ROOT_2PI)), sum.1 + rest.1)
}

/// A whole number at or below 0?
#[inline(always)]
fn is_pole<A: Algebra>(a: &A, (x, y): Pair<A>) -> A::B {
    a.eq(y, a.f(0.0)) & a.le(x, a.f(0.0)) & is_whole(a, x)
}

/// The analytic continuation of log Γ from the positive axis, with a cut on the negative one: by reflection where x < 0 and |y| < 7
/// (Hare 1997).
pub fn loggamma<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let reflected = a.lt(z.0, zero) & a.lt(a.abs(z.1), a.f(LARGE));
    let value = loggamma_of_right(a, choose(a, reflected, (one - z.0, -z.1), z));
    let value = either(
        a,
        reflected,
        |a| {
            let [sine, cosine] = sincos_pi(a, z.0);
            let y = a.f(PI) * z.1;
            let wave = (sine * a.call(code::Cosh, &[y]), cosine * a.call(code::Sinh, &[y]));
            let (re, im) = clog(a, wave);
            let turn = signed(a, a.f(2.0 * PI), z.1) * a.floor(a.fma(a.f(0.5), z.0, a.f(0.25)));
            (a.f(1.144_729_885_849_400_2) - re - value.0, turn - im - value.1)
        },
        |_| value,
    );
    choose(a, is_pole(a, z), (nan(a), nan(a)), value)
}

/// e^(s log Γ); of real numbers it is real.
#[inline(always)]
fn power_of_gamma<A: Algebra>(a: &A, z: Pair<A>, sign: f64) -> Pair<A> {
    let value = times(a, loggamma(a, z), a.f(sign));
    let (re, im) = cexp(a, value);
    (re, a.select(a.eq(z.1, a.f(0.0)), z.1, im))
}

/// Γ = e^(log Γ), NaN at the poles.
pub fn gamma<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    choose(a, is_pole(a, z), (nan(a), nan(a)), power_of_gamma(a, z, 1.0))
}

/// 1/Γ = e^(−log Γ), 0 at the poles of Γ.
pub fn rgamma<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    choose(a, is_pole(a, z), pair(a, 0.0, 0.0), power_of_gamma(a, z, -1.0))
}

/// Taylor's series of ψ at its zero, the terms (−1)^(n + 1) ζ(n + 1, x) from n = 1 on.
const ABOUT_ROOT: [f64; 35] = [
    0.9676722454476212,
    -0.4427631689835921,
    0.258499760955651,
    -0.16394270544240652,
    0.10782405069126237,
    -0.07219956125645471,
    0.04880428816414311,
    -0.03316112647484736,
    0.022597648232218104,
    -0.01542476590494896,
    0.010538791616612175,
    -0.007204534386356869,
    0.004926781395729853,
    -0.003369801655439328,
    0.002305126326734928,
    -0.0015769367714301972,
    0.0010788252019162967,
    -0.0007380709389960052,
    0.000504953265834602,
    -0.0003454680251063077,
    0.00023635601564027053,
    -0.00016170622091974803,
    0.0001106337276874741,
    -7.569179582195066e-05,
    5.178575795222081e-05,
    -3.5430070947659604e-05,
    2.424006611860132e-05,
    -1.6584242271854135e-05,
    1.134638458466385e-05,
    -7.762817668462094e-06,
    5.3110609208898636e-06,
    -3.6336507898010456e-06,
    2.486022733129538e-06,
    -1.7008538854332607e-06,
    1.1636675363548843e-06,
];

/// ψ: Taylor's series about the zero on the right, elsewhere the recurrence up to 10 and the asymptotic series (DLMF 5.11.2); of
/// negative x the reflection.
pub fn digamma<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let reflected = a.lt(z.0, zero);
    let right = choose(a, reflected, (one - z.0, -z.1), z);
    let from_root = ((right.0 - a.f(ROOT.0)) - a.f(ROOT.1), right.1);
    let value = either(
        a,
        a.lt(norm(a, from_root), a.f(0.25)),
        |a| mul(a, horner_of_pair(a, from_root, &ABOUT_ROOT), from_root),
        |a| {
            let (x, y) = right;
            let goes_on = |a: &A, [x, ..]: [A::F; 3]| a.lt(a.fma(x, x, y * y), a.f(100.0));
            let [x, re, im] = a.repeat_while(11, [x, zero, zero], goes_on, |a, [x, re, im]| {
                let inverse = div(a, pair(a, 1.0, 0.0), (x, y));
                [x + a.f(1.0), re - inverse.0, im - inverse.1]
            });
            let log = clog(a, (x, y));
            let inverse = div(a, pair(a, 1.0, 0.0), (x, y));
            let square = mul(a, inverse, inverse);
            let tail = mul(a, horner_of_pair(a, square, &DIGAMMA_TAIL), square);
            let half = times(a, inverse, a.f(0.5));
            (re + (log.0 - half.0 - tail.0), im + (log.1 - half.1 - tail.1))
        },
    );
    let value = either(
        a,
        reflected,
        |a| {
            // π cot πz; far from the axis it is ∓iπ.
            let [sine, cosine] = sincos_pi(a, z.0);
            let height = a.abs(z.1);
            let height = a.select(a.lt(height, a.f(20.0)), height, a.f(20.0));
            let y = signed(a, a.f(PI) * height, z.1);
            let (odd, even) = (a.call(code::Sinh, &[y]), a.call(code::Cosh, &[y]));
            let scale = a.f(PI) / a.fma(sine, sine, odd * odd);
            (value.0 - sine * cosine * scale, value.1 + odd * even * scale)
        },
        |_| value,
    );
    choose(a, is_pole(a, z) | has_nan(a, z), (nan(a), nan(a)), value)
}
