//! Formulas against values made outside this code, at the bound their row in the table declares.
//!
//! `data/formulas.txt` holds correctly rounded values (`conformance/oracle/formulas.py` makes it with
//! mpmath). Special values are a table here. What is not tested here: SIMD loops and devices, which
//! the conformance suite compares with the same formulas bit for bit.

use ndany_core::formulas::Formula;
use ndany_core::formulas::algebra::Native;
use ndany_core::formulas::normal::normal_pair;
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4, PI, SQRT_2};
use std::num::Wrapping;

const VALUES: &str = include_str!("data/formulas.txt");

/// A formula on bit patterns, as a loop over ordinary elements runs it, then as the loop that takes
/// the slow path does; where the first would not have asked for the second, both must agree.
fn run(formula: Formula, width: u32, args: &[u64]) -> u64 {
    macro_rules! run {
        ($float:ty, $bits:ty) => {{
            let args: Vec<$float> =
                args.iter().map(|&bits| <$float>::from_bits(bits as $bits)).collect();
            let quick = Native::<$float, false>::new();
            let common = formula.expand(&quick, &args).to_bits();
            let full = formula.expand(&Native::<$float, true>::new(), &args).to_bits();
            if !quick.flagged() {
                assert_eq!(common, full, "{} of {args:?}: common and full paths", formula.name());
            }
            u64::from(full)
        }};
    }
    if width == 32 { run!(f32, u32) } else { run!(f64, u64) }
}

/// Bits as integers in the order of the floats, so that neighbours differ by one and ±0 by none.
fn ordered(width: u32, bits: u64) -> i128 {
    let sign = 1u64 << (width - 1);
    let magnitude = i128::from(bits & (sign - 1));
    if bits & sign == 0 { magnitude } else { -magnitude }
}

fn is_nan(width: u32, bits: u64) -> bool {
    if width == 32 { f32::from_bits(bits as u32).is_nan() } else { f64::from_bits(bits).is_nan() }
}

fn bits(width: u32, value: f64) -> u64 {
    if width == 32 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
}

#[test]
fn values_are_within_the_declared_bound() {
    let mut seen = BTreeMap::new();
    for line in VALUES.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let formula = *Formula::ALL.iter().find(|f| f.name() == words[0]).expect(line);
        let width: u32 = words[1].parse().expect(line);
        let numbers: Vec<u64> =
            words[2..].iter().map(|word| u64::from_str_radix(word, 16).expect(line)).collect();
        let (expected, args) = numbers.split_last().expect(line);
        let got = run(formula, width, args);
        assert_eq!(is_nan(width, got), is_nan(width, *expected), "{line}: got {got:x}");
        let distance = (ordered(width, got) - ordered(width, *expected)).unsigned_abs();
        assert!(distance <= u128::from(formula.ulp(width)), "{line}: got {got:x}");
        *seen.entry((formula, width)).or_insert(0) += 1;
    }
    for &formula in Formula::ALL {
        for width in [32, 64] {
            let count = seen.get(&(formula, width)).copied().unwrap_or(0);
            assert!(count >= 200, "{} {width} has {count} values", formula.name());
        }
    }
}

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Arguments and results that are the same in both formats, to the bit.
const SPECIAL: &[(Formula, &[f64], f64)] = &[
    (Formula::Exp, &[0.0], 1.0),
    (Formula::Exp, &[-0.0], 1.0),
    (Formula::Exp, &[INF], INF),
    (Formula::Exp, &[-INF], 0.0),
    (Formula::Exp, &[NAN], NAN),
    (Formula::Exp, &[1e30], INF),
    (Formula::Exp, &[-1e30], 0.0),
    (Formula::Exp, &[1e-30], 1.0),
    (Formula::Exp2, &[0.0], 1.0),
    (Formula::Exp2, &[10.0], 1024.0),
    (Formula::Exp2, &[-3.0], 0.125),
    (Formula::Exp2, &[INF], INF),
    (Formula::Exp2, &[-INF], 0.0),
    (Formula::Exp2, &[NAN], NAN),
    (Formula::Exp2, &[1e30], INF),
    (Formula::Exp2, &[-1e30], 0.0),
    (Formula::Expm1, &[0.0], 0.0),
    (Formula::Expm1, &[-0.0], -0.0),
    (Formula::Expm1, &[INF], INF),
    (Formula::Expm1, &[-INF], -1.0),
    (Formula::Expm1, &[NAN], NAN),
    (Formula::Expm1, &[1e30], INF),
    (Formula::Expm1, &[-1e30], -1.0),
    (Formula::Log, &[0.0], -INF),
    (Formula::Log, &[-0.0], -INF),
    (Formula::Log, &[1.0], 0.0),
    (Formula::Log, &[INF], INF),
    (Formula::Log, &[-INF], NAN),
    (Formula::Log, &[-1.0], NAN),
    (Formula::Log, &[-1e-30], NAN),
    (Formula::Log, &[NAN], NAN),
    (Formula::Log1p, &[0.0], 0.0),
    (Formula::Log1p, &[-0.0], -0.0),
    (Formula::Log1p, &[-1.0], -INF),
    (Formula::Log1p, &[-1.5], NAN),
    (Formula::Log1p, &[INF], INF),
    (Formula::Log1p, &[-INF], NAN),
    (Formula::Log1p, &[NAN], NAN),
    (Formula::Sin, &[0.0], 0.0),
    (Formula::Sin, &[-0.0], -0.0),
    (Formula::Sin, &[INF], NAN),
    (Formula::Sin, &[-INF], NAN),
    (Formula::Sin, &[NAN], NAN),
    (Formula::Cos, &[0.0], 1.0),
    (Formula::Cos, &[-0.0], 1.0),
    (Formula::Cos, &[INF], NAN),
    (Formula::Cos, &[-INF], NAN),
    (Formula::Cos, &[NAN], NAN),
    (Formula::Tanh, &[0.0], 0.0),
    (Formula::Tanh, &[-0.0], -0.0),
    (Formula::Tanh, &[INF], 1.0),
    (Formula::Tanh, &[-INF], -1.0),
    (Formula::Tanh, &[NAN], NAN),
    (Formula::Tanh, &[1e30], 1.0),
    (Formula::Sinh, &[0.0], 0.0),
    (Formula::Sinh, &[-0.0], -0.0),
    (Formula::Sinh, &[INF], INF),
    (Formula::Sinh, &[-INF], -INF),
    (Formula::Sinh, &[-1e30], -INF),
    (Formula::Sinh, &[NAN], NAN),
    (Formula::Cosh, &[0.0], 1.0),
    (Formula::Cosh, &[-0.0], 1.0),
    (Formula::Cosh, &[INF], INF),
    (Formula::Cosh, &[-INF], INF),
    (Formula::Cosh, &[-1e30], INF),
    (Formula::Cosh, &[NAN], NAN),
    // Zeros to a power: odd whole exponents keep the sign.
    (Formula::Pow, &[0.0, -1.0], INF),
    (Formula::Pow, &[-0.0, -1.0], -INF),
    (Formula::Pow, &[-0.0, -3.0], -INF),
    (Formula::Pow, &[0.0, -2.0], INF),
    (Formula::Pow, &[-0.0, -2.0], INF),
    (Formula::Pow, &[-0.0, -2.5], INF),
    (Formula::Pow, &[-0.0, -INF], INF),
    (Formula::Pow, &[0.0, 3.0], 0.0),
    (Formula::Pow, &[-0.0, 3.0], -0.0),
    (Formula::Pow, &[-0.0, 2.0], 0.0),
    (Formula::Pow, &[-0.0, 2.5], 0.0),
    (Formula::Pow, &[-0.0, INF], 0.0),
    // Infinite exponents.
    (Formula::Pow, &[-1.0, INF], 1.0),
    (Formula::Pow, &[-1.0, -INF], 1.0),
    (Formula::Pow, &[0.5, -INF], INF),
    (Formula::Pow, &[-0.5, -INF], INF),
    (Formula::Pow, &[2.0, -INF], 0.0),
    (Formula::Pow, &[-2.0, -INF], 0.0),
    (Formula::Pow, &[0.5, INF], 0.0),
    (Formula::Pow, &[2.0, INF], INF),
    (Formula::Pow, &[-2.0, INF], INF),
    // Infinite bases.
    (Formula::Pow, &[-INF, -1.0], -0.0),
    (Formula::Pow, &[-INF, -2.0], 0.0),
    (Formula::Pow, &[-INF, -2.5], 0.0),
    (Formula::Pow, &[-INF, 3.0], -INF),
    (Formula::Pow, &[-INF, 2.0], INF),
    (Formula::Pow, &[-INF, 2.5], INF),
    (Formula::Pow, &[INF, -0.5], 0.0),
    (Formula::Pow, &[INF, 0.5], INF),
    (Formula::Pow, &[INF, INF], INF),
    (Formula::Pow, &[-INF, -INF], 0.0),
    // 1 and 0 win over NaN.
    (Formula::Pow, &[1.0, NAN], 1.0),
    (Formula::Pow, &[1.0, INF], 1.0),
    (Formula::Pow, &[NAN, 0.0], 1.0),
    (Formula::Pow, &[NAN, -0.0], 1.0),
    (Formula::Pow, &[INF, 0.0], 1.0),
    (Formula::Pow, &[0.0, -0.0], 1.0),
    (Formula::Pow, &[NAN, 1.0], NAN),
    (Formula::Pow, &[2.0, NAN], NAN),
    (Formula::Pow, &[NAN, NAN], NAN),
    // Negative bases.
    (Formula::Pow, &[-8.0, 0.5], NAN),
    (Formula::Pow, &[-8.0, 3.0], -512.0),
    (Formula::Pow, &[-8.0, -2.0], 0.015625),
    (Formula::Pow, &[-1.0, 4194303.0], -1.0),
    (Formula::Pow, &[-1.0, 4194303.5], NAN),
    (Formula::Pow, &[-1.0, 4194305.0], -1.0),
    (Formula::Pow, &[-1.0, 8388609.0], -1.0),
    (Formula::Pow, &[-1.0, 16777216.0], 1.0),
    (Formula::Pow, &[-1.0, 1e30], 1.0),
    (Formula::Pow, &[-2.0, 1e30], INF),
    (Formula::Pow, &[-2.0, -1e30], 0.0),
    (Formula::Pow, &[2.0, 10.0], 1024.0),
    (Formula::Hypot, &[3.0, -4.0], 5.0),
    (Formula::Hypot, &[0.0, -0.0], 0.0),
    (Formula::Hypot, &[0.0, -7.0], 7.0),
    (Formula::Hypot, &[1e-30, 0.0], 1e-30),
    (Formula::Hypot, &[INF, NAN], INF),
    (Formula::Hypot, &[NAN, -INF], INF),
    (Formula::Hypot, &[-INF, 1.0], INF),
    (Formula::Hypot, &[NAN, 1.0], NAN),
    (Formula::Hypot, &[0.0, NAN], NAN),
    (Formula::Atan2, &[0.0, 0.0], 0.0),
    (Formula::Atan2, &[-0.0, 0.0], -0.0),
    (Formula::Atan2, &[0.0, -0.0], PI),
    (Formula::Atan2, &[-0.0, -0.0], -PI),
    (Formula::Atan2, &[0.0, -1.0], PI),
    (Formula::Atan2, &[-0.0, -1.0], -PI),
    (Formula::Atan2, &[-0.0, 1.0], -0.0),
    (Formula::Atan2, &[1.0, 0.0], FRAC_PI_2),
    (Formula::Atan2, &[-1.0, -0.0], -FRAC_PI_2),
    (Formula::Atan2, &[1.0, 1.0], FRAC_PI_4),
    (Formula::Atan2, &[INF, INF], FRAC_PI_4),
    (Formula::Atan2, &[-INF, INF], -FRAC_PI_4),
    (Formula::Atan2, &[INF, -INF], 3.0 * FRAC_PI_4),
    (Formula::Atan2, &[-INF, -INF], -3.0 * FRAC_PI_4),
    (Formula::Atan2, &[INF, 1.0], FRAC_PI_2),
    (Formula::Atan2, &[-INF, -1.0], -FRAC_PI_2),
    (Formula::Atan2, &[1.0, INF], 0.0),
    (Formula::Atan2, &[-1.0, INF], -0.0),
    (Formula::Atan2, &[1.0, -INF], PI),
    (Formula::Atan2, &[-1.0, -INF], -PI),
    (Formula::Atan2, &[NAN, INF], NAN),
    (Formula::Atan2, &[INF, NAN], NAN),
    (Formula::Atan2, &[0.0, NAN], NAN),
    (Formula::Log2, &[0.0], -INF),
    (Formula::Log2, &[-0.0], -INF),
    (Formula::Log2, &[1.0], 0.0),
    (Formula::Log2, &[1024.0], 10.0),
    (Formula::Log2, &[0.125], -3.0),
    (Formula::Log2, &[INF], INF),
    (Formula::Log2, &[-1.0], NAN),
    (Formula::Log10, &[0.0], -INF),
    (Formula::Log10, &[1.0], 0.0),
    (Formula::Log10, &[1000.0], 3.0),
    (Formula::Log10, &[1e10], 10.0),
    (Formula::Log10, &[INF], INF),
    (Formula::Log10, &[-INF], NAN),
    (Formula::Tan, &[0.0], 0.0),
    (Formula::Tan, &[-0.0], -0.0),
    (Formula::Tan, &[INF], NAN),
    (Formula::Tan, &[-INF], NAN),
    (Formula::Asin, &[0.0], 0.0),
    (Formula::Asin, &[-0.0], -0.0),
    (Formula::Asin, &[1.0], FRAC_PI_2),
    (Formula::Asin, &[-1.0], -FRAC_PI_2),
    (Formula::Asin, &[1.5], NAN),
    (Formula::Asin, &[-INF], NAN),
    (Formula::Acos, &[1.0], 0.0),
    (Formula::Acos, &[0.0], FRAC_PI_2),
    (Formula::Acos, &[-0.0], FRAC_PI_2),
    (Formula::Acos, &[-1.0], PI),
    (Formula::Acos, &[-1.5], NAN),
    (Formula::Acos, &[INF], NAN),
    (Formula::Atan, &[0.0], 0.0),
    (Formula::Atan, &[-0.0], -0.0),
    (Formula::Atan, &[1.0], FRAC_PI_4),
    (Formula::Atan, &[INF], FRAC_PI_2),
    (Formula::Atan, &[-INF], -FRAC_PI_2),
    (Formula::Asinh, &[0.0], 0.0),
    (Formula::Asinh, &[-0.0], -0.0),
    (Formula::Asinh, &[INF], INF),
    (Formula::Asinh, &[-INF], -INF),
    (Formula::Acosh, &[1.0], 0.0),
    (Formula::Acosh, &[0.5], NAN),
    (Formula::Acosh, &[-2.0], NAN),
    (Formula::Acosh, &[-INF], NAN),
    (Formula::Acosh, &[INF], INF),
    (Formula::Atanh, &[0.0], 0.0),
    (Formula::Atanh, &[-0.0], -0.0),
    (Formula::Atanh, &[1.0], INF),
    (Formula::Atanh, &[-1.0], -INF),
    (Formula::Atanh, &[1.5], NAN),
    (Formula::Atanh, &[-INF], NAN),
    (Formula::Cbrt, &[0.0], 0.0),
    (Formula::Cbrt, &[-0.0], -0.0),
    (Formula::Cbrt, &[-27.0], -3.0),
    (Formula::Cbrt, &[INF], INF),
    (Formula::Cbrt, &[-INF], -INF),
    (Formula::Sinc, &[0.0], 1.0),
    (Formula::Sinc, &[-0.0], 1.0),
    (Formula::Sinc, &[INF], NAN),
    (Formula::Sinc, &[1e-30], 1.0),
    (Formula::LogAddExp, &[INF, INF], INF),
    (Formula::LogAddExp, &[-INF, -INF], -INF),
    (Formula::LogAddExp, &[INF, -INF], INF),
    (Formula::LogAddExp, &[-INF, 2.5], 2.5),
    (Formula::LogAddExp, &[INF, 2.5], INF),
    (Formula::LogAddExp, &[NAN, 1.0], NAN),
    (Formula::LogAddExp, &[1.0, NAN], NAN),
    (Formula::LogAddExp, &[INF, NAN], NAN),
    (Formula::LogAddExp2, &[3.0, 3.0], 4.0),
    (Formula::LogAddExp2, &[INF, INF], INF),
    (Formula::LogAddExp2, &[-INF, -INF], -INF),
    (Formula::LogAddExp2, &[-INF, 2.5], 2.5),
    (Formula::LogAddExp2, &[2.5, INF], INF),
    (Formula::LogAddExp2, &[NAN, 1.0], NAN),
    (Formula::LogAddExp2, &[-INF, NAN], NAN),
    (Formula::Expit, &[0.0], 0.5),
    (Formula::Expit, &[INF], 1.0),
    (Formula::Expit, &[-INF], 0.0),
    (Formula::Logit, &[0.0], -INF),
    (Formula::Logit, &[1.0], INF),
    (Formula::Logit, &[0.5], 0.0),
    (Formula::Logit, &[-1.0], NAN),
    (Formula::Logit, &[2.0], NAN),
    (Formula::Xlogy, &[0.0, 0.0], 0.0),
    (Formula::Xlogy, &[0.0, -1.0], 0.0),
    (Formula::Xlogy, &[0.0, INF], 0.0),
    (Formula::Xlogy, &[0.0, NAN], NAN),
    (Formula::Xlogy, &[2.0, 0.0], -INF),
    (Formula::Xlogy, &[NAN, 1.0], NAN),
    (Formula::Xlog1py, &[0.0, -1.0], 0.0),
    (Formula::Xlog1py, &[0.0, NAN], NAN),
    (Formula::Xlog1py, &[2.0, -1.0], -INF),
    (Formula::Erf, &[0.0], 0.0),
    (Formula::Erf, &[-0.0], -0.0),
    (Formula::Erf, &[INF], 1.0),
    (Formula::Erf, &[-INF], -1.0),
    (Formula::Erf, &[-9.0], -1.0),
    (Formula::Erfc, &[0.0], 1.0),
    (Formula::Erfc, &[-0.0], 1.0),
    (Formula::Erfc, &[INF], 0.0),
    (Formula::Erfc, &[-INF], 2.0),
    (Formula::Erfc, &[1000.0], 0.0),
    (Formula::Gamma, &[0.0], INF),
    (Formula::Gamma, &[-0.0], -INF),
    (Formula::Gamma, &[1.0], 1.0),
    (Formula::Gamma, &[2.0], 1.0),
    (Formula::Gamma, &[5.0], 24.0),
    (Formula::Gamma, &[11.0], 3628800.0),
    (Formula::Gamma, &[-1.0], NAN),
    (Formula::Gamma, &[-100.0], NAN),
    (Formula::Gamma, &[-1e30], NAN),
    (Formula::Gamma, &[1e30], INF),
    (Formula::Gamma, &[INF], INF),
    (Formula::Gamma, &[-INF], NAN),
    (Formula::Lgamma, &[0.0], INF),
    (Formula::Lgamma, &[-0.0], INF),
    (Formula::Lgamma, &[1.0], 0.0),
    (Formula::Lgamma, &[2.0], 0.0),
    (Formula::Lgamma, &[-1.0], INF),
    (Formula::Lgamma, &[-1e30], INF),
    (Formula::Lgamma, &[INF], INF),
    // As SciPy has it.
    (Formula::Lgamma, &[-INF], -INF),
    (Formula::I0, &[0.0], 1.0),
    (Formula::I0, &[-0.0], 1.0),
    // As NumPy and SciPy have it.
    (Formula::I0, &[INF], NAN),
    (Formula::I0, &[-INF], NAN),
    (Formula::I0, &[1e30], INF),
];

#[test]
fn special_values_are_exact() {
    for &(formula, args, expected) in SPECIAL {
        for width in [32, 64] {
            let words: Vec<u64> = args.iter().map(|&value| bits(width, value)).collect();
            let got = run(formula, width, &words);
            let name = formula.name();
            if expected.is_nan() {
                assert!(is_nan(width, got), "{name} {width} of {args:?}: got {got:x}");
            } else {
                assert_eq!(got, bits(width, expected), "{name} {width} of {args:?}");
            }
        }
    }
}

#[test]
fn a_nan_stays_whatever_its_bits() {
    for &formula in Formula::ALL.iter().filter(|formula| formula.arity() == 1) {
        for width in [32, 64] {
            let infinity = bits(width, INF);
            let sign = 1 << (width - 1);
            for nan in [infinity + 1, infinity | (infinity >> 3), sign - 1] {
                for word in [nan, nan | sign] {
                    let got = run(formula, width, &[word]);
                    assert!(is_nan(width, got), "{} {width} of {word:x}", formula.name());
                }
            }
        }
    }
}

#[test]
fn the_least_numbers_pass_through_where_the_slope_is_one() {
    let formulas = [
        Formula::Expm1,
        Formula::Log1p,
        Formula::Sin,
        Formula::Tanh,
        Formula::Sinh,
        Formula::Tan,
        Formula::Asin,
        Formula::Atan,
        Formula::Asinh,
        Formula::Atanh,
    ];
    for formula in formulas {
        for width in [32, 64] {
            let normal = if width == 32 { 0x0080_0000 } else { 0x0010_0000_0000_0000 };
            for word in [1, 2, 3, normal - 1, normal, normal + 1] {
                for word in [word, word | 1 << (width - 1)] {
                    assert_eq!(run(formula, width, &[word]), word, "{} {width}", formula.name());
                }
            }
        }
    }
}

/// Where a formula changes its path (both formats), a rising function must not step down. (cosh is too
/// flat there for one unit of the last place to keep it rising.)
const EDGES: &[(Formula, &[f64])] = &[
    (Formula::Exp, &[-87.25, 87.25, -708.0, 708.0, -87.34, -708.4, 0.34657359, -0.34657359]),
    (Formula::Expm1, &[-87.25, 87.25, 708.0, 0.40546511, -0.28768207, -17.3, -37.4]),
    (Formula::Log, &[FRAC_1_SQRT_2, SQRT_2, 1.0, 1.1754944e-38, 2.2250738585072014e-308]),
    (Formula::Log1p, &[-0.29289322, 0.41421356, 1.2676506e30, -1e-9, 3.0]),
    (Formula::Sinh, &[0.34657359, 1.0397208, -1.0397208, 7.97119, 18.367749, 87.25, 708.0]),
    (Formula::Log2, &[FRAC_1_SQRT_2, SQRT_2, 1.0, 1.1754944e-38, 2.2250738585072014e-308]),
    (Formula::Log10, &[FRAC_1_SQRT_2, SQRT_2, 1.0, 1.1754944e-38, 2.2250738585072014e-308]),
    (Formula::Asin, &[0.5, -0.5]),
    (Formula::Atan, &[0.41421356, 2.41421356, 1.0, -1.0]),
    (Formula::Asinh, &[0.353553, 1.152921504606847e18]),
    (Formula::Acosh, &[1.06066, 1.152921504606847e18]),
    (Formula::Atanh, &[0.171572, -0.171572]),
    (Formula::Cbrt, &[SQRT_2, 2.82842712, 1.1754944e-38, 2.2250738585072014e-308]),
    (Formula::Erf, &[0.75, -0.75]),
    (Formula::Expit, &[-87.25, -708.0]),
    (Formula::Gamma, &[32.0, 168.0, 4.0, 8.0]),
    (Formula::Tanh, &[9.0109, 10.0, 19.0615, 20.0, 0.1732868, 0.2, 0.97, 1.0, 1.2130075]),
];

#[test]
fn rising_functions_rise_across_their_edges() {
    for &(formula, edges) in EDGES {
        for &edge in edges {
            for width in [32, 64] {
                let middle = bits(width, edge);
                if middle & (bits(width, INF) - 1) < 600 {
                    continue;
                }
                // Up in bits is up in value for positive numbers and down for negative ones.
                let mut last = None;
                for step in 0..1000 {
                    let word = middle - 500 + step;
                    let got = ordered(width, run(formula, width, &[word]));
                    let got = if edge < 0.0 { -got } else { got };
                    if let Some(last) = last {
                        assert!(got >= last, "{} {width} at {word:x}", formula.name());
                    }
                    last = Some(got);
                }
            }
        }
    }
}

#[test]
fn normal_pairs_are_those_of_their_words() {
    // The words of corners, and others that spread over all: of the logarithm, and of each octant of the angle.
    let corners = [0u32, 1, 2, 0x1fff_ffff, 0x2000_0000, 0x3fff_ffff, 0x4000_0000, 0x6000_0001];
    let corners = corners.iter().flat_map(|&word| [word, !word, word ^ 0x8000_0000]);
    let spread = (0..2000u32).map(|k| k.wrapping_mul(0x9e37_79b9));
    let words: Vec<u32> = corners.chain(spread).collect();
    for (number, &word) in words.iter().enumerate() {
        let turn = words[(number * 7 + 3) % words.len()];
        // A word of 64 bits of the same leading bits.
        let [wide, wide_turn] = [word, turn].map(|word| u64::from(word) << 32 | 0x8000_0001);
        let f32s = {
            let unit = (word as f32 + 0.5).min(4_294_967_040.0);
            let rest = (turn << 2) as i32 as f32;
            normal_pair(&Native::<f32, false>::new(), unit, Wrapping(turn), rest)
        };
        let f64s = {
            let unit = (wide as f64 + 0.5).min(18_446_744_073_709_549_568.0);
            let rest = (wide_turn << 2) as i64 as f64;
            normal_pair(&Native::<f64, false>::new(), unit, Wrapping(wide_turn), rest)
        };
        // u as the formula has it, the angle of all bits. Each of seven operations rounds once.
        let expected = |u: f64, part: f64| {
            let (radius, angle) = ((-2.0 * u.ln()).sqrt(), 2.0 * PI * part);
            (radius, [radius * angle.cos(), radius * angle.sin()])
        };
        let unit = f64::from((word as f32 + 0.5).min(4_294_967_040.0)) * 0.5f64.powi(32);
        let (radius, pair) = expected(unit, f64::from(turn) * 0.5f64.powi(32));
        for (found, expected) in f32s.into_iter().zip(pair) {
            let error = (f64::from(found) - expected).abs();
            assert!(error <= 8.0 * f64::from(f32::EPSILON) * radius, "{word:x} {turn:x}: {found}");
        }
        let unit = (wide as f64 + 0.5).min(18_446_744_073_709_549_568.0) * 0.5f64.powi(64);
        let (radius, pair) = expected(unit, wide_turn as f64 * 0.5f64.powi(64));
        for (found, expected) in f64s.into_iter().zip(pair) {
            let error = (found - expected).abs();
            assert!(error <= 8.0 * f64::EPSILON * radius, "{wide:x} {wide_turn:x}: {found}");
        }
    }
}
