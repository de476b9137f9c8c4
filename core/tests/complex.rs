//! Complex formulas against values made outside this code.
//!
//! `data/complex.txt` is made by `conformance/oracle/complex_formulas.py`: correctly rounded values
//! by mpmath, promised bits by definition, special values by NumPy. Functions with a bound are measured
//! as points of the plane.

use ndany_core::formulas::algebra::{Algebra, Native};
use ndany_core::formulas::complex::{self, BOUNDS, Pair};
use ndany_core::formulas::complex_inverse;

const VALUES: &str = include_str!("data/complex.txt");

fn call<A: Algebra>(a: &A, name: &str, args: &[A::F]) -> Pair<A> {
    let z = (args[0], args[1]);
    match name {
        "abs" => (complex::abs(a, z), a.f(0.0)),
        "exp" => complex::exp(a, z),
        "expm1" => complex::expm1(a, z),
        "log" => complex::log(a, z),
        "log1p" => complex::log1p(a, z),
        "sqrt" => complex::sqrt(a, z),
        "sin" => complex::sin(a, z),
        "cos" => complex::cos(a, z),
        "sinh" => complex::sinh(a, z),
        "cosh" => complex::cosh(a, z),
        "tanh" => complex::tanh(a, z),
        "tan" => complex_inverse::tan(a, z),
        "log2" => complex_inverse::log2(a, z),
        "log10" => complex_inverse::log10(a, z),
        "asin" => complex_inverse::asin(a, z),
        "acos" => complex_inverse::acos(a, z),
        "atan" => complex_inverse::atan(a, z),
        "asinh" => complex_inverse::asinh(a, z),
        "acosh" => complex_inverse::acosh(a, z),
        "atanh" => complex_inverse::atanh(a, z),
        "mul" => complex::mul(a, z, (args[2], args[3])),
        "div" => complex::div(a, z, (args[2], args[3])),
        "power" => complex::power(a, z, (args[2], args[3])),
        _ => panic!("no complex formula {name}"),
    }
}

/// Both parts, widened (which is exact), from the loop with slow paths; where the loop without them
/// does not ask for them, it must give the same.
fn run(name: &str, width: u32, args: &[f64]) -> [f64; 2] {
    macro_rules! run {
        ($float:ty) => {{
            let args: Vec<$float> = args.iter().map(|&x| x as $float).collect();
            let quick = Native::<$float, false>::new();
            let common = call(&quick, name, &args);
            let full = call(&Native::<$float, true>::new(), name, &args);
            if !quick.flagged() {
                assert_eq!(common.0.to_bits(), full.0.to_bits(), "{name} of {args:?}");
                assert_eq!(common.1.to_bits(), full.1.to_bits(), "{name} of {args:?}");
            }
            [f64::from(full.0), f64::from(full.1)]
        }};
    }
    if width == 32 { run!(f32) } else { run!(f64) }
}

/// Distance of two points in units of the last place of the length of the second.
fn distance(width: u32, got: [f64; 2], expected: [f64; 2]) -> f64 {
    let (mantissa, least) = if width == 32 { (23, -126) } else { (52, -1022) };
    // Away from the ends of the format, so that lengths are neither infinite nor short of bits.
    let small = expected[0].abs().max(expected[1].abs()) < 1.0;
    let (scale, shift) = if small { (8.0, 3) } else { (0.125, -3) };
    let length = (expected[0] * scale).hypot(expected[1] * scale);
    let exponent = ((length.to_bits() >> 52) as i32 - 1023 - shift).max(least);
    let apart = ((got[0] - expected[0]) * scale).hypot((got[1] - expected[1]) * scale);
    apart / 2f64.powi(exponent) * 2f64.powi(mantissa) / scale
}

fn bound(name: &str) -> f64 {
    let (_, ulp) = BOUNDS.iter().find(|(known, _)| *known == name).expect(name);
    // The value in the file is rounded itself: up to half a unit in each part.
    f64::from(*ulp) + 0.75
}

#[test]
fn values_are_within_the_declared_bounds() {
    let mut lines = 0;
    for line in VALUES.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (kind, name, width) = (words[0], words[1], words[2].parse().expect(line));
        let numbers: Vec<f64> = words[3..]
            .iter()
            .map(|word| match width {
                32 => f64::from(f32::from_bits(u32::from_str_radix(word, 16).expect(line))),
                _ => f64::from_bits(u64::from_str_radix(word, 16).expect(line)),
            })
            .collect();
        let (args, expected) = numbers.split_at(numbers.len() - 2);
        let expected = [expected[0], expected[1]];
        let got = run(name, width, args);
        lines += 1;
        match kind {
            "bits" => assert_eq!(got, expected, "{line}"),
            "near" => {
                let apart = distance(width, got, expected);
                assert!(apart <= bound(name), "{line}: {args:?} got {got:?}, {apart} units off");
            }
            "special" => same_specials(name, args, got, expected),
            _ => panic!("{line}"),
        }
    }
    assert!(lines > 3000);
}

/// NaNs, infinities and zeros are where NumPy has them. Beside a NaN, C99 leaves the sign of a zero or
/// an infinity open.
fn same_specials(name: &str, args: &[f64], got: [f64; 2], expected: [f64; 2]) {
    let open = expected.iter().any(|x| x.is_nan());
    for (got, expected) in got.into_iter().zip(expected) {
        let same = if expected.is_nan() {
            got.is_nan()
        } else if expected == 0.0 || expected.is_infinite() {
            got == expected && got.is_sign_positive() == expected.is_sign_positive()
                || open && got.abs() == expected.abs()
        } else {
            (got - expected).abs() <= expected.abs() * 1e-15
        };
        assert!(same, "{name} of {args:?}: {got:?}, not {expected:?}");
    }
}

#[test]
fn quotients_by_zero_are_infinite_or_nan() {
    let got = run("div", 64, &[1.0, -2.0, 0.0, 0.0]);
    assert_eq!(got, [f64::INFINITY, f64::NEG_INFINITY]);
    let got = run("div", 32, &[0.0, 1.0, -0.0, 0.0]);
    assert!(got[0].is_nan() && got[1] == f64::INFINITY);
}

#[test]
fn whole_powers_multiply() {
    for width in [32, 64] {
        assert_eq!(run("power", width, &[1.0, 2.0, 2.0, 0.0]), [-3.0, 4.0]);
        assert_eq!(run("power", width, &[0.0, 1.0, 3.0, 0.0]), [0.0, -1.0]);
        assert_eq!(run("power", width, &[0.0, 1.0, 99.0, 0.0]), [0.0, -1.0]);
        assert_eq!(run("power", width, &[2.0, 0.0, -2.0, 0.0]), [0.25, 0.0]);
        assert_eq!(run("power", width, &[1.5, -2.5, 1.0, 0.0]), [1.5, -2.5]);
        assert_eq!(run("power", width, &[0.0, 0.0, 0.0, 0.0]), [1.0, 0.0]);
        assert_eq!(run("power", width, &[f64::NAN, 0.0, 0.0, 0.0]), [1.0, 0.0]);
        assert_eq!(run("power", width, &[0.0, 0.0, 2.5, 1.0]), [0.0, 0.0]);
        assert!(run("power", width, &[0.0, 0.0, -1.0, 0.0])[0].is_nan());
    }
}

#[test]
fn other_powers_are_near() {
    // i^i = e^(-π/2), and (-1)^(1/2) = i.
    for width in [32, 64] {
        let expected = [(-std::f64::consts::FRAC_PI_2).exp(), 0.0];
        assert!(distance(width, run("power", width, &[0.0, 1.0, 0.0, 1.0]), expected) < 4.0);
        let got = run("power", width, &[-1.0, 0.0, 0.5, 0.0]);
        assert!(distance(width, got, [0.0, 1.0]) < 4.0);
    }
}
