//! The von Mises distribution.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;
use ndany_special::formulas::bessel::{i0e, i1e};
use ndany_special::formulas::convenience::cosm1;
use ndany_special::formulas::errors::ndtr;

use crate::family::Continuous;
use crate::words::{exp, infinity, log};

const PI: f64 = std::f64::consts::PI;
/// The concentration from which on the density is that of a normal distribution with corrections.
const NARROW: f64 = 25.0;
/// Terms of the asymptotic expansion, the last of which is below 1e-16 at [`NARROW`].
const CORRECTIONS: u32 = 20;
/// Terms of the Fourier series, at most: ratios of Bessel functions at [`NARROW`] are below 1e-18 there.
const HARMONICS: u32 = 61;

fn sin<A: Algebra>(a: &A, x: A::F) -> A::F {
    a.call(code::Sin, &[x])
}

/// The number of harmonics that a concentration below [`NARROW`] needs.
fn harmonics<A: Algebra>(a: &A, kappa: A::F) -> A::F {
    let count = a.floor(a.f(16.0) + a.f(9.0) * a.sqrt(kappa));
    a.select(a.lt(a.f(f64::from(HARMONICS)), count), a.f(f64::from(HARMONICS)), count)
}

/// The von Mises distribution on a circle. The distribution function goes on beyond one turn, as SciPy's.
pub(crate) struct Vonmises;

impl Vonmises {
    /// The probability of less than `-distance`, which is between 0 and π. Of small concentrations by the Fourier series, whose
    /// coefficients are ratios of Bessel functions by backward recurrence (Hill, "Algorithm 518: incomplete Bessel function I₀", 1977);
    /// of large ones the integral of e^(−s²/2) (1 − s²/4κ)^(−1/2) with s = 2 √κ sin(x/2), by the binomial series.
    fn tail<A: Algebra>(a: &A, distance: A::F, kappa: A::F) -> A::F {
        let [value] = a.branch(
            a.lt(kappa, a.f(NARROW)),
            |a| {
                let count = harmonics(a, kappa);
                let (s, c) = (sin(a, distance), a.call(code::Cos, &[distance]));
                let start = [
                    count,
                    a.f(0.0),
                    a.f(0.0),
                    sin(a, count * distance),
                    a.call(code::Cos, &[count * distance]),
                ];
                let [_, _, sum, ..] = a.repeat_while(
                    HARMONICS,
                    start,
                    |a, [p, ..]| a.lt(a.f(0.5), p),
                    |a, [p, ratio, sum, sine, cosine]| {
                        let ratio = kappa / (a.f(2.0) * p + kappa * ratio);
                        let sum = ratio * (sine / p + sum);
                        [p - a.f(1.0), ratio, sum, sine * c - cosine * s, cosine * c + sine * s]
                    },
                );
                let rest = a.f(0.5) - distance * a.f(0.5 / PI) - sum * a.f(1.0 / PI);
                [a.select(a.lt(rest, a.f(0.0)), a.f(0.0), rest)]
            },
            |a| {
                let reach = a.f(2.0) * a.sqrt(kappa) * sin(a, a.f(0.5) * distance);
                let square = reach * reach;
                let first = a.f((2.0 * PI).sqrt()) * ndtr(a, -reach);
                let edge = reach * exp(a, a.f(-0.5) * square);
                // The number of the term, its integral, the power of the end, the coefficient, the sum.
                let start = [a.f(1.0), first, edge, a.f(1.0), first];
                let [.., sum] = a.repeat_while(
                    CORRECTIONS,
                    start,
                    |a, [j, ..]| a.eq(j, j),
                    |a, [j, integral, edge, coefficient, sum]| {
                        let odd = a.f(2.0) * j - a.f(1.0);
                        let integral = odd * integral + edge;
                        let coefficient = coefficient * odd / (a.f(8.0) * j * kappa);
                        let sum = sum + coefficient * integral;
                        [j + a.f(1.0), integral, edge * square, coefficient, sum]
                    },
                );
                [sum / (a.f(2.0 * PI) * i0e(a, kappa) * a.sqrt(kappa))]
            },
        );
        value
    }
}

impl Continuous for Vonmises {
    fn valid<A: Algebra>(a: &A, p: &[A::F]) -> A::B {
        a.le(a.f(0.0), p[0])
    }
    fn logpdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        p[0] * cosm1(a, z) - log(a, a.f(2.0 * PI) * i0e(a, p[0]))
    }
    fn pdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        exp(a, p[0] * cosm1(a, z)) / (a.f(2.0 * PI) * i0e(a, p[0]))
    }
    fn cdf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        let turns = a.rint(z * a.f(0.5 / PI));
        let angle = z - turns * a.f(2.0 * PI);
        let angle = a.select(a.eq(a.abs(z), infinity(a)), a.f(0.0), angle);
        let tail = Self::tail(a, a.abs(angle), p[0]);
        let value = turns + a.select(a.lt(a.f(0.0), angle), a.f(1.0) - tail, tail);
        let value = a.select(a.eq(z, infinity(a)), a.f(1.0), value);
        a.select(a.eq(z, -infinity(a)), a.f(0.0), value)
    }
    fn sf<A: Algebra>(a: &A, z: A::F, p: &[A::F]) -> A::F {
        Self::cdf(a, -z, p)
    }
    fn ppf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        let lower = a.lt(q, a.f(0.5));
        let part = a.select(lower, q, a.f(1.0) - q);
        let z = crate::search::quantile(a, part, [a.f(-PI), a.f(0.0)], |a, z| {
            [Self::tail(a, -z, p[0]), Self::pdf(a, z, p)]
        });
        let z = a.select(a.eq(part, a.f(0.5)), a.f(0.0), z);
        a.select(lower, z, -z)
    }
    fn isf<A: Algebra>(a: &A, q: A::F, p: &[A::F]) -> A::F {
        -Self::ppf(a, q, p)
    }
    fn moments<A: Algebra>(a: &A, p: &[A::F]) -> [A::F; 4] {
        let kappa = p[0];
        let [second, fourth] = a.branch(
            a.lt(kappa, a.f(NARROW)),
            |a| {
                // The Fourier series of x² and x⁴, whose coefficients are the same ratios.
                let start = [harmonics(a, kappa), a.f(0.0), a.f(0.0), a.f(0.0)];
                let [_, _, second, fourth] = a.repeat_while(
                    HARMONICS,
                    start,
                    |a, [number, ..]| a.lt(a.f(0.5), number),
                    |a, [number, ratio, second, fourth]| {
                        let ratio = kappa / (a.f(2.0) * number + kappa * ratio);
                        let square = number * number;
                        // Signs alternate: each is that of the next one less.
                        let of_second = a.f(-4.0) / square;
                        let of_fourth = (a.f(48.0) / square - a.f(8.0 * PI * PI)) / square;
                        [
                            number - a.f(1.0),
                            ratio,
                            ratio * (of_second - second),
                            ratio * (of_fourth - fourth),
                        ]
                    },
                );
                [second + a.f(PI * PI / 3.0), fourth + a.f(PI * PI * PI * PI / 5.0)]
            },
            |a| {
                // The trapezoidal rule, whose error over a density without an end is below any rounding.
                let step = a.f(0.5) / a.sqrt(kappa);
                let start = [a.f(1.0), a.f(0.5), a.f(0.0), a.f(0.0)];
                let [_, all, second, fourth] = a.repeat_while(
                    26,
                    start,
                    |a, [k, ..]| a.eq(k, k),
                    |a, [k, all, second, fourth]| {
                        let t = k * step;
                        let square = t * t;
                        let weight = exp(a, kappa * cosm1(a, t));
                        [
                            k + a.f(1.0),
                            all + weight,
                            second + weight * square,
                            fourth + weight * square * square,
                        ]
                    },
                );
                [second / all, fourth / all]
            },
        );
        [a.f(0.0), second, a.f(0.0), fourth / (second * second) - a.f(3.0)]
    }
    fn entropy<A: Algebra>(a: &A, p: &[A::F]) -> A::F {
        let scaled = i0e(a, p[0]);
        p[0] * ((scaled - i1e(a, p[0])) / scaled) + log(a, a.f(2.0 * PI) * scaled)
    }
}
