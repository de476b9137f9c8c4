//! Nodes and weights of Gauss's rules, Bernoulli's and Euler's numbers: computed on the host, in twice the length of float64, and rounded
//! once.
//!
//! Nodes are the eigenvalues of Jacobi's matrix (Golub & Welsch 1969) by the QL algorithm, with Newton's steps on the orthonormal
//! polynomials, whose sum of squares gives the weights. The same bits everywhere, whatever the device.

use ndany_array::Array;
use ndany_array::extend::{Computed, expect};
use ndany_core::formulas::algebra::Native;
use ndany_core::{Error, Result};

use crate::formulas::dd::Double;
use crate::formulas::gamma::beta;
use crate::formulas::{sine_and_cosine_of_half_turns, value_of_gamma};

/// √π.
const ROOT_PI: Double = Double(1.772_453_850_905_516, -7.666_586_499_825_799e-17);
/// √(2π).
const ROOT_2PI: Double = Double(2.506_628_274_631_000_7, -1.832_857_998_045_916_7e-16);
const PI: f64 = std::f64::consts::PI;

/// A rule: nodes in ascending order, and their weights.
type Rule = (Vec<f64>, Vec<f64>);

/// Jacobi's matrix of a family of polynomials: its diagonal, and the squares beside it, from number 1 on.
struct Family {
    diagonal: fn(f64, [f64; 2]) -> Double,
    square: fn(f64, [f64; 2]) -> Double,
    symmetric: bool,
}

fn d(value: f64) -> Double {
    Double::from(value)
}

fn none(_: f64, _: [f64; 2]) -> Double {
    d(0.0)
}

const LEGENDRE: Family =
    Family { diagonal: none, square: |k, _| d(k * k) / d(4.0 * k * k - 1.0), symmetric: true };
const HERMITE: Family = Family { diagonal: none, square: |k, _| d(0.5 * k), symmetric: true };
const HERMITE_NORM: Family = Family { diagonal: none, square: |k, _| d(k), symmetric: true };
const LAGUERRE: Family = Family {
    diagonal: |k, [alpha, _]| d(2.0 * k + 1.0) + d(alpha),
    square: |k, [alpha, _]| d(k) * (d(k) + d(alpha)),
    symmetric: false,
};
const GEGENBAUER: Family = Family {
    diagonal: none,
    square: |k, [alpha, _]| {
        let alpha = d(alpha);
        match k == 1.0 {
            true => d(0.5) / (d(1.0) + alpha),
            false => {
                let below = (d(k) + alpha) * (d(k - 1.0) + alpha);
                (d(k) * (d(k - 1.0) + alpha + alpha) / below).scaled(0.25)
            }
        }
    },
    symmetric: true,
};
const JACOBI: Family = Family {
    diagonal: |k, [alpha, beta]| {
        let (alpha, beta) = (d(alpha), d(beta));
        let sum = alpha + beta;
        match k == 0.0 {
            true => (beta - alpha) / (sum + d(2.0)),
            false => (beta - alpha) * sum / ((d(2.0 * k) + sum) * (d(2.0 * k + 2.0) + sum)),
        }
    },
    square: |k, [alpha, beta]| {
        let (alpha, beta) = (d(alpha), d(beta));
        let sum = alpha + beta;
        let twice = d(2.0 * k) + sum;
        let product = d(4.0 * k) * (d(k) + alpha) * (d(k) + beta);
        match k == 1.0 {
            // 1 + α + β is above and below.
            true => product / (twice * twice * (twice + d(1.0))),
            false => {
                let below = twice * twice * (twice + d(1.0)) * (twice - d(1.0));
                product * (d(k) + sum) / below
            }
        }
    },
    symmetric: false,
};

/// The eigenvalues of a symmetric tridiagonal matrix, ascending, by the QL algorithm with implicit shifts.
fn eigenvalues(mut diagonal: Vec<f64>, mut beside: Vec<f64>) -> Vec<f64> {
    let n = diagonal.len();
    beside.push(0.0);
    for first in 0..n {
        for _ in 0..60 {
            let is_small = |&m: &usize| {
                let size = diagonal[m].abs() + diagonal[m + 1].abs();
                beside[m].abs() <= f64::EPSILON * size
            };
            let end = (first..n - 1).find(is_small).unwrap_or(n - 1);
            if end == first {
                break;
            }
            let shift = (diagonal[first + 1] - diagonal[first]) / (2.0 * beside[first]);
            let root = shift.mul_add(shift, 1.0).sqrt();
            let turned = if shift < 0.0 { shift - root } else { shift + root };
            let mut g = diagonal[end] - diagonal[first] + beside[first] / turned;
            let (mut sine, mut cosine, mut p) = (1.0, 1.0, 0.0);
            for row in (first..end).rev() {
                let (f, b) = (sine * beside[row], cosine * beside[row]);
                let length = f.mul_add(f, g * g).sqrt();
                beside[row + 1] = length;
                if length == 0.0 {
                    diagonal[row + 1] -= p;
                    break;
                }
                (sine, cosine) = (f / length, g / length);
                g = diagonal[row + 1] - p;
                let r = (diagonal[row] - g) * sine + 2.0 * cosine * b;
                p = sine * r;
                diagonal[row + 1] = g + p;
                g = cosine * r - b;
            }
            diagonal[first] -= p;
            beside[first] = g;
            beside[end] = 0.0;
        }
    }
    diagonal.sort_by(f64::total_cmp);
    diagonal
}

/// A polynomial of degree n, with the factor of the last step left out, its derivative, and the sum of squares of those below it, whose
/// scale is 2^(−600 e).
fn polynomials(x: Double, diagonal: &[Double], beside: &[Double]) -> (Double, Double, Double, i32) {
    const DOWN: f64 = 1.0 / (1u128 << 100) as f64 / (1u128 << 100) as f64 / (1u128 << 100) as f64;
    let (mut below, mut value) = (d(0.0), d(1.0));
    let (mut slope_below, mut slope) = (d(0.0), d(0.0));
    let (mut sum, mut scale) = (d(0.0), 0);
    for (k, &middle) in diagonal.iter().enumerate() {
        sum = sum + value * value;
        let left = if k == 0 { d(0.0) } else { beside[k - 1] };
        let next = (x - middle) * value - left * below;
        let next_slope = value + (x - middle) * slope - left * slope_below;
        let (next, next_slope) = match beside.get(k) {
            Some(&right) => (next / right, next_slope / right),
            None => (next, next_slope),
        };
        (below, value, slope_below, slope) = (value, next, slope, next_slope);
        if value.0.abs().max(slope.0.abs()) > 1e120 {
            for part in [&mut below, &mut value, &mut slope_below, &mut slope] {
                *part = part.scaled(DOWN);
            }
            sum = sum.scaled(DOWN).scaled(DOWN);
            scale += 1;
        }
    }
    (value, slope, sum, scale)
}

/// The rule of n points, where the weights' sum is `total`.
fn rule(n: usize, family: &Family, parameters: [f64; 2], total: Double) -> Rule {
    let diagonal: Vec<Double> = (0..n).map(|k| (family.diagonal)(k as f64, parameters)).collect();
    let beside: Vec<Double> =
        (1..n).map(|k| (family.square)(k as f64, parameters).sqrt()).collect();
    let values = |parts: &[Double]| parts.iter().map(|part| part.0).collect::<Vec<f64>>();
    let mut nodes = eigenvalues(values(&diagonal), values(&beside));
    let mut weights = vec![0.0; n];
    let own = if family.symmetric { n / 2 } else { 0 };
    for number in own..n {
        let is_middle = family.symmetric && 2 * number + 1 == n;
        let mut x = d(if is_middle { 0.0 } else { nodes[number] });
        for _ in 0..3 {
            let (value, slope, _, _) = polynomials(x, &diagonal, &beside);
            let step = value / slope;
            if is_middle || step.0.abs() <= 1e-25 * x.0.abs() {
                break;
            }
            x = x - step;
        }
        let (_, _, sum, scale) = polynomials(x, &diagonal, &beside);
        nodes[number] = x.value();
        let up = (0..2 * scale).fold(total / sum, |weight, _| weight.scaled(2.0f64.powi(-300)));
        weights[number] = up.value();
    }
    for number in 0..own {
        nodes[number] = -nodes[n - 1 - number];
        weights[number] = weights[n - 1 - number];
    }
    (nodes, weights)
}

/// An argument that the function does not take.
pub(crate) fn refused<T>(op: &str, reason: &str) -> Result<T> {
    Err(Error::ArgumentValue { op: op.to_string(), reason: reason.to_string() })
}

fn positive(op: &str, n: usize) -> Result<()> {
    if n == 0 { refused(op, "expected a number of points above 0") } else { Ok(()) }
}

/// Chebyshev's rules by their angles.
fn chebyshev(n: usize, second: bool) -> Rule {
    let algebra = Native::<f64, true>::new();
    let mut nodes = vec![0.0; n];
    let mut weights = vec![PI / n as f64; n];
    for number in 0..n {
        let from_middle = 2.0 * number as f64 - (n as f64 - 1.0);
        let divisor = 2.0 * (n as f64 + f64::from(u8::from(second)));
        let turns = |part: f64| sine_and_cosine_of_half_turns(&algebra, part / divisor)[0];
        nodes[number] = turns(from_middle);
        if second {
            // The angle from the nearer end.
            let from_end = 2.0 * (number.min(n - 1 - number) as f64 + 1.0);
            let sine = turns(from_end);
            weights[number] = PI * (sine * sine) / (n as f64 + 1.0);
        }
    }
    (nodes, weights)
}

/// Jacobi's rule with the total weight 2^(α + β + 1) B(α + 1, β + 1).
fn jacobi(n: usize, alpha: f64, beta_: f64) -> Rule {
    let algebra = Native::<f64, true>::new();
    let total = two_to(alpha + beta_ + 1.0) * beta(&algebra, alpha + 1.0, beta_ + 1.0);
    rule(n, &JACOBI, [alpha, beta_], d(total))
}

/// 2^x.
fn two_to(x: f64) -> f64 {
    let algebra = Native::<f64, true>::new();
    crate::formulas::power(&algebra, 2.0, x)
}

/// A rule on −1 to 1 as one on 0 to 1.
fn shifted((nodes, weights): Rule, factor: f64) -> Rule {
    let nodes = nodes.into_iter().map(|x| 0.5 * (x + 1.0)).collect();
    (nodes, weights.into_iter().map(|weight| weight * factor).collect())
}

fn doubled((nodes, weights): Rule) -> Rule {
    let twice = |values: Vec<f64>| values.into_iter().map(|value| 2.0 * value).collect();
    (twice(nodes), twice(weights))
}

/// A number of points, or an order, of a call by name.
pub(crate) fn count(op: &str, n: f64) -> Result<usize> {
    match (0.0..4_294_967_296.0).contains(&n) && n.floor() == n {
        true => Ok(n as usize),
        false => refused(op, "expected a whole number that is not negative"),
    }
}

fn arrays((nodes, weights): Rule) -> [Array; 2] {
    [Array::from(nodes.as_slice()), Array::from(weights.as_slice())]
}

/// Declares rules: documentation, name, parameters, an example, and what computes it from the name and the parameters; then the table for
/// calls by name.
macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident($($arg:ident),*) = $numpy:literal, [$($example:expr),*] => [$nodes:literal, $weights:literal], $body:expr;)+) => {
        $(
            #[doc = concat!($($doc),+, ": nodes and weights, as `scipy.special.", stringify!($name), "`.")]
            ///
            /// Computed on the host, and copied to the current device.
            ///
            /// - **Shapes**: `(n), (n)`.
            /// - **Dtypes**: float64.
            /// - **Errors**: refuses 0 points, and parameters for which the weight has no integral. Panics;
            ///   [`attempt`](fn@ndany_array::attempt) returns the error.
            ///
            /// ```
            /// use ndany::prelude::*;
            #[doc = concat!("let [x, w] = special::", stringify!($name), "(", $(stringify!($example), ", "),* , ");")]
            #[doc = concat!("assert_eq!([x.to_string(), w.to_string()], [\"", $nodes, "\", \"", $weights, "\"]);")]
            /// ```
            #[doc(alias = $numpy)]
            #[track_caller]
            pub fn $name(n: usize $(, $arg: f64)*) -> [Array; 2] {
                arrays(expect($name::made(n, &[$($arg),*])))
            }

            #[allow(non_snake_case)]
            mod $name {
                use super::*;

                pub(super) fn made(n: usize, parameters: &[f64]) -> Result<Rule> {
                    let &[$($arg),*] = parameters else { unreachable!("parameters of {}", $numpy) };
                    positive(stringify!($name), n)?;
                    let body: fn(&'static str, usize, [f64; 2]) -> Result<Rule> = $body;
                    let mut all = [0.0; 2];
                    all[..parameters.len()].copy_from_slice(&[$($arg),*]);
                    body(stringify!($name), n, all)
                }

                pub(super) static COMPUTED: Computed = Computed {
                    numpy: $numpy,
                    parameters: concat!("n ", $(stringify!($arg), " ",)* "mu=False"),
                    run: |values| {
                        let n = count(stringify!($name), values[0])?;
                        Ok(arrays(made(n, &values[1..])?).into())
                    },
                };
            }
        )+

        /// What is computed on the host.
        pub(crate) static COMPUTED: &[&Computed] = &[&BERNOULLI_NUMBERS, &EULER_NUMBERS, $(&$name::COMPUTED),+];
    };
}

rules! {
    /// Returns the Gauss–Legendre rule of `n` points on −1 to 1
    roots_legendre() = "sp.special.roots_legendre", [2] => ["[-0.57735027  0.57735027]", "[1. 1.]"], |_, n, _| Ok(rule(n, &LEGENDRE, [0.0; 2], d(2.0)));
    /// Returns the Gauss–Hermite rule of `n` points for the weight `e^-x²`
    roots_hermite() = "sp.special.roots_hermite", [2] => ["[-0.70710678  0.70710678]", "[0.88622693 0.88622693]"], |_, n, _| Ok(rule(n, &HERMITE, [0.0; 2], ROOT_PI));
    /// Returns the Gauss–Hermite rule of `n` points for the weight `e^(-x²/2)`
    roots_hermitenorm() = "sp.special.roots_hermitenorm", [2] => ["[-1.  1.]", "[1.25331414 1.25331414]"], |_, n, _| Ok(rule(n, &HERMITE_NORM, [0.0; 2], ROOT_2PI));
    /// Returns the Gauss–Laguerre rule of `n` points for the weight `e^-x` on the positive axis
    roots_laguerre() = "sp.special.roots_laguerre", [2] => ["[0.58578644 3.41421356]", "[0.85355339 0.14644661]"], |_, n, _| Ok(rule(n, &LAGUERRE, [0.0; 2], d(1.0)));
    /// Returns the generalized Gauss–Laguerre rule of `n` points for the weight `x^α e^-x` on the positive axis
    roots_genlaguerre(alpha) = "sp.special.roots_genlaguerre", [2, 1.0] => ["[1.26794919 4.73205081]", "[0.78867513 0.21132487]"], |op, n, [alpha, _]| {
        if alpha.is_nan() || alpha <= -1.0 {
            return refused(op, "expected alpha above -1");
        }
        let total = value_of_gamma(&Native::<f64, true>::new(), alpha + 1.0);
        Ok(rule(n, &LAGUERRE, [alpha, 0.0], d(total)))
    };
    /// Returns the Gauss–Chebyshev rule of the first kind of `n` points, for the weight `1/√(1 - x²)`
    roots_chebyt() = "sp.special.roots_chebyt", [2] => ["[-0.70710678  0.70710678]", "[1.57079633 1.57079633]"], |_, n, _| Ok(chebyshev(n, false));
    /// Returns the Gauss–Chebyshev rule of the second kind of `n` points, for the weight `√(1 - x²)`
    roots_chebyu() = "sp.special.roots_chebyu", [2] => ["[-0.5  0.5]", "[0.78539816 0.78539816]"], |_, n, _| Ok(chebyshev(n, true));
    /// Returns the Gauss–Chebyshev rule of the first kind of `n` points on −2 to 2
    roots_chebyc() = "sp.special.roots_chebyc", [2] => ["[-1.41421356  1.41421356]", "[3.14159265 3.14159265]"], |_, n, _| Ok(doubled(chebyshev(n, false)));
    /// Returns the Gauss–Chebyshev rule of the second kind of `n` points on −2 to 2
    roots_chebys() = "sp.special.roots_chebys", [2] => ["[-1.  1.]", "[1.57079633 1.57079633]"], |_, n, _| Ok(doubled(chebyshev(n, true)));
    /// Returns the Gauss–Jacobi rule of `n` points, for the weight `(1 - x)^α (1 + x)^β`
    roots_jacobi(alpha, beta) = "sp.special.roots_jacobi", [2, 1.0, 0.0] => ["[-0.68989795  0.28989795]", "[1.27216553 0.72783447]"], |op, n, [alpha, beta]| {
        if !(alpha > -1.0 && beta > -1.0) {
            return refused(op, "expected alpha and beta above -1");
        }
        Ok(jacobi(n, alpha, beta))
    };
    /// Returns the Gauss–Gegenbauer rule of `n` points, for the weight `(1 - x²)^(α - 1/2)`
    roots_gegenbauer(alpha) = "sp.special.roots_gegenbauer", [2, 1.0] => ["[-0.5  0.5]", "[0.78539816 0.78539816]"], |op, n, [alpha, _]| {
        if alpha.is_nan() || alpha <= -0.5 {
            return refused(op, "expected alpha above -1/2");
        }
        if alpha == 0.0 {
            return Ok(chebyshev(n, false));
        }
        let total = beta(&Native::<f64, true>::new(), alpha + 0.5, 0.5);
        Ok(rule(n, &GEGENBAUER, [alpha, 0.0], d(total)))
    };
    /// Returns the Gauss–Legendre rule of `n` points on 0 to 1
    roots_sh_legendre() = "sp.special.roots_sh_legendre", [2] => ["[0.21132487 0.78867513]", "[0.5 0.5]"], |_, n, _| Ok(shifted(rule(n, &LEGENDRE, [0.0; 2], d(2.0)), 0.5));
    /// Returns the Gauss–Chebyshev rule of the first kind of `n` points on 0 to 1
    roots_sh_chebyt() = "sp.special.roots_sh_chebyt", [2] => ["[0.14644661 0.85355339]", "[1.57079633 1.57079633]"], |_, n, _| Ok(shifted(chebyshev(n, false), 1.0));
    /// Returns the Gauss–Chebyshev rule of the second kind of `n` points on 0 to 1
    roots_sh_chebyu() = "sp.special.roots_sh_chebyu", [2] => ["[0.25 0.75]", "[0.19634954 0.19634954]"], |_, n, _| Ok(shifted(chebyshev(n, true), 0.25));
    /// Returns the Gauss–Jacobi rule of `n` points on 0 to 1, for the weight `(1 - x)^(p - q) x^(q - 1)`
    roots_sh_jacobi(p, q) = "sp.special.roots_sh_jacobi", [2, 2.0, 1.0] => ["[0.15505103 0.64494897]", "[0.31804138 0.18195862]"], |op, n, [p, q]| {
        if !(p - q > -1.0 && q > 0.0) {
            return refused(op, "expected p - q above -1 and q above 0");
        }
        Ok(shifted(jacobi(n, p - q, q - 1.0), 1.0 / two_to(p)))
    };
}

/// B(0), B(2), … of Bernoulli's numbers up to B(14), and E(0), E(2), … of Euler's up to E(12): beyond, the zeta functions are near 1.
const BERNOULLI: [(f64, f64); 8] = [
    (1.0, 1.0),
    (1.0, 6.0),
    (-1.0, 30.0),
    (1.0, 42.0),
    (-1.0, 30.0),
    (5.0, 66.0),
    (-691.0, 2730.0),
    (7.0, 6.0),
];
const EULER: [f64; 7] = [1.0, -1.0, 5.0, -61.0, 1385.0, -50521.0, 2_702_765.0];

/// Σ ±j^−power over the first numbers, or the odd ones with alternating signs.
fn zeta(power: usize, odd: bool) -> f64 {
    let step = if odd { 2 } else { 1 };
    let mut sum = 0.0;
    for (number, j) in (1..17).step_by(step).enumerate().collect::<Vec<_>>().into_iter().rev() {
        let product = (0..power).fold(1.0, |product, _| product * f64::from(j));
        let sign = if odd && number % 2 == 1 { -1.0 } else { 1.0 };
        sum += sign / product;
    }
    sum
}

/// The factor (2k)! x^(−2k).
fn factorial_over_power(k: usize, square: Double) -> Double {
    let pairs = (1..=k).map(|m| d((2 * m * (2 * m - 1)) as f64));
    pairs.fold(d(1.0), |product, pair| product * pair / square)
}

/// Returns Bernoulli's numbers up to number `n`, as `scipy.special.bernoulli`.
///
/// Computed on the host, and copied to the current device.
///
/// - **Shapes**: `(n + 1)`.
/// - **Dtypes**: float64.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(special::bernoulli(4).to_string(), "[ 1.         -0.5         0.16666667  0.         -0.03333333]");
/// ```
#[doc(alias = "sp.special.bernoulli")]
#[track_caller]
pub fn bernoulli(n: usize) -> Array {
    Array::from(bernoulli_numbers(n).as_slice())
}

static BERNOULLI_NUMBERS: Computed = Computed {
    numpy: "sp.special.bernoulli",
    parameters: "n",
    run: |values| Ok(vec![bernoulli(count("bernoulli", values[0])?)]),
};

fn bernoulli_numbers(n: usize) -> Vec<f64> {
    // (2π)².
    let square = Double(39.478_417_604_357_43, 2.506_118_203_495_884_5e-15);
    let value = |number: usize| match (number, BERNOULLI.get(number / 2)) {
        (1, _) => -0.5,
        (odd, _) if odd % 2 == 1 => 0.0,
        (_, Some(&(above, below))) => above / below,
        (_, None) => {
            let size = factorial_over_power(number / 2, square) * d(2.0 * zeta(number, false));
            if number.is_multiple_of(4) { -size.value() } else { size.value() }
        }
    };
    (0..=n).map(value).collect()
}

/// Returns Euler's numbers up to number `n`, as `scipy.special.euler`.
///
/// Computed on the host, and copied to the current device.
///
/// - **Shapes**: `(n + 1)`.
/// - **Dtypes**: float64.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(special::euler(4).to_string(), "[ 1.  0. -1.  0.  5.]");
/// ```
#[doc(alias = "sp.special.euler")]
#[track_caller]
pub fn euler(n: usize) -> Array {
    Array::from(euler_numbers(n).as_slice())
}

static EULER_NUMBERS: Computed = Computed {
    numpy: "sp.special.euler",
    parameters: "n",
    run: |values| Ok(vec![euler(count("euler", values[0])?)]),
};

fn euler_numbers(n: usize) -> Vec<f64> {
    // (π/2)² and 4/π.
    let square = Double(2.467_401_100_272_339_5, 1.566_323_877_184_927_8e-16);
    let first = Double(1.273_239_544_735_162_8, -7.871_470_670_072_994e-17);
    let value = |number: usize| match EULER.get(number / 2) {
        _ if number % 2 == 1 => 0.0,
        Some(&known) => known,
        None => {
            let size = factorial_over_power(number / 2, square) * first;
            let size = (size * d(zeta(number + 1, true))).value();
            if number % 4 == 2 { -size } else { size }
        }
    };
    (0..=n).map(value).collect()
}
