//! The error function and its complement.
//!
//! erf x = x + x E(x²) near zero. Beyond, erfc y = e^(−y²) (c + q C(q)) / (1 + 2y) with q = (y − k) / (y + k), which
//! maps all that matters to a short interval (Shepherd & Laframboise, "Chebyshev approximation of
//! (1 + 2x) exp(x²) erfc x in 0 ≤ x < ∞", 1981); y² and its exponential are sums of two floats, and so is
//! the result.

use super::algebra::Algebra;
use super::exp::exp_parts;
use super::format::{polynomial, with_sign};

/// The constants of one format.
struct Error<const N: usize, const M: usize> {
    /// E, from `conformance/oracle/minimax.py erf`.
    near: [f64; N],
    /// C, from `conformance/oracle/minimax.py erfc_narrow` or `erfc_wide`.
    far: [f64; M],
    /// k.
    middle: f64,
    /// c = (1 + 2k) e^(k²) erfc k, in two parts.
    start: [f64; 2],
    /// erfc is a normal number up to the first, and zero from the second on.
    ends: [f64; 2],
}

/// f32: E is good to 2^-29.3 of erf, C to 2^-30.6 of erfc.
const ERROR32: Error<7, 10> = Error {
    near: [
        0.12837916612625122,
        -0.3761262595653534,
        0.11283578723669052,
        -0.026853347197175026,
        0.005187162198126316,
        -0.0007997853681445122,
        7.806912617525086e-05,
    ],
    far: [
        -0.1356211006641388,
        -0.047562334686517715,
        0.129644975066185,
        -0.11927217245101929,
        0.06831074506044388,
        -0.023785941302776337,
        0.00250789406709373,
        0.001949505414813757,
        -0.0006965897628106177,
        -0.00018562757759355009,
    ],
    middle: 3.0,
    start: [1.2530080080032349, 5.026649478965381e-08],
    ends: [9.1875, 10.5],
};

/// f64: E is good to 2^-56.3 of erf, C to 2^-60.3 of erfc.
const ERROR64: Error<13, 22> = Error {
    near: [
        0.1283791670955126,
        -0.376126389031841,
        0.11283791670971138,
        -0.026866170648048218,
        0.005223977652961731,
        -0.00085483285574621,
        0.0001205538721038223,
        -1.4926911252522102e-05,
        1.6481619838682814e-06,
        -1.6563923987155816e-07,
        1.6064387717379323e-08,
        -1.6682661526139132e-09,
        1.4744772314553002e-10,
    ],
    far: [
        -0.1396211168405625,
        0.015379652102619918,
        0.06809705425468968,
        -0.10103906603631335,
        0.09373283499849362,
        -0.06633036581202696,
        0.03716751553445796,
        -0.016197734059915016,
        0.005031970012395355,
        -0.0007577732748647415,
        -0.00019925693025304753,
        0.00015062162245402399,
        -2.4398185693804157e-05,
        -1.1221911717880804e-05,
        5.7067924076102316e-06,
        2.936904316427862e-07,
        -8.199345678350972e-07,
        7.461623083957362e-08,
        1.0359949415974292e-07,
        -1.7782969610852697e-08,
        -9.770806040896466e-09,
        1.7599900129110271e-09,
    ],
    middle: 4.0,
    start: [1.2329951186255526, -4.625318921008717e-17],
    ends: [26.54, 28.0],
};

/// e^(y²) erfc y, and −y², each as a sum of two floats.
struct Far<A: Algebra> {
    ratio: (A::F, A::F),
    exponent: (A::F, A::F),
}

#[inline(always)]
fn far_of<A: Algebra, const N: usize, const M: usize>(a: &A, y: A::F, c: &Error<N, M>) -> Far<A> {
    let (one, middle) = (a.f(1.0), a.f(c.middle));
    let q = (y - middle) / (y + middle);
    let rise = q * polynomial(a, q, &c.far);
    let start = a.f(c.start[0]);
    let value = start + rise;
    let value_low = ((start - value) + rise) + a.f(c.start[1]);
    let twice = y + y;
    let below = twice + one;
    let below_low = (twice - below) + one;
    let inverse = one / below;
    let ratio = value * inverse;
    let rest = a.fma(-ratio, below, value) + a.fma(-ratio, below_low, value_low);
    let ratio_low = rest * inverse;
    let square = y * y;
    Far { ratio: (ratio, ratio_low), exponent: (-square, -a.fma(y, y, -square)) }
}

/// erfc y as a sum of two floats, for normal results.
#[inline(always)]
fn complement<A: Algebra, const N: usize, const M: usize>(
    a: &A,
    y: A::F,
    c: &Error<N, M>,
) -> (A::F, A::F) {
    let Far { ratio, exponent } = far_of(a, y, c);
    let (power, power_low) = exp_parts(a, exponent.0, exponent.1);
    let value = power * ratio.0;
    let low = a.fma(power, ratio.0, -value);
    (value, a.fma(power_low, ratio.0, a.fma(power, ratio.1, low)))
}

/// x, or `most` where it is larger; a NaN stays.
#[inline(always)]
fn at_most<A: Algebra>(a: &A, x: A::F, most: f64) -> A::F {
    a.select(a.lt(a.f(most), x), a.f(most), x)
}

#[inline(always)]
fn erf<A: Algebra, const N: usize, const M: usize>(a: &A, x: A::F, c: &Error<N, M>) -> A::F {
    let one = a.f(1.0);
    let y = a.abs(x);
    let near = a.fma(y, polynomial(a, y * y, &c.near), y);
    // From 6 on the result is 1.
    let (rest, rest_low) = complement(a, at_most(a, y, 6.0), c);
    let sum = one - rest;
    let far = sum + (((one - sum) - rest) - rest_low);
    with_sign(a, a.select(a.lt(y, a.f(0.75)), near, far), x)
}

#[inline(always)]
fn erfc<A: Algebra, const N: usize, const M: usize>(a: &A, x: A::F, c: &Error<N, M>) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let y = a.abs(x);
    let sum = one - x;
    let near = sum + (((one - sum) - x) - x * polynomial(a, x * x, &c.near));
    let [normal, end] = c.ends;
    let (value, low) = complement(a, at_most(a, y, normal), c);
    // On the left, 2 less that of |x|.
    let left = a.lt(x, zero);
    let base = a.select(left, a.f(2.0), zero);
    let value = a.select(left, -value, value);
    let low = a.select(left, -low, low);
    let sum = base + value;
    let far = sum + (((base - sum) + value) + low);
    let value = a.select(a.lt(y, a.f(0.5)), near, far);
    a.slow_path(
        a.lt(a.f(normal), x),
        #[inline(always)]
        |a| {
            let Far { ratio, exponent } = far_of(a, at_most(a, y, end), c);
            let half = a.f(0.5);
            let (power, power_low) = exp_parts(a, exponent.0 * half, exponent.1 * half);
            let once = power * ratio.0;
            let low = a.fma(power, ratio.0, -once);
            let low = a.fma(power_low, ratio.0, a.fma(power, ratio.1, low));
            a.fma(once, power, a.fma(low, power, once * power_low))
        },
        value,
    )
}

/// erf x.
/// Measured: at most 0.69 ulp over inputs spread evenly among all 2^32.
#[inline(always)]
pub fn erf32<A: Algebra>(a: &A, x: A::F) -> A::F {
    erf(a, x, &ERROR32)
}

/// erf x.
/// Measured: at most 0.76 ulp over 2·10^5 random inputs or more.
#[inline(always)]
pub fn erf64<A: Algebra>(a: &A, x: A::F) -> A::F {
    erf(a, x, &ERROR64)
}

/// 1 − erf x.
/// Measured: at most 1.32 ulp over inputs spread evenly among all 2^32.
#[inline(always)]
pub fn erfc32<A: Algebra>(a: &A, x: A::F) -> A::F {
    erfc(a, x, &ERROR32)
}

/// 1 − erf x.
/// Measured: at most 1.35 ulp over 2·10^5 random inputs or more.
#[inline(always)]
pub fn erfc64<A: Algebra>(a: &A, x: A::F) -> A::F {
    erfc(a, x, &ERROR64)
}
