//! Judges one outcome against what was expected.
//!
//! Works on `HostArray`s only, so that it shares no code with the engine it judges. dtype, shape and
//! the number of results are compared before any value, whatever the tolerance says.

use std::fmt::Write;

use crate::distribution;
use crate::host::{Dtype, HostArray, Part, int_value};
use crate::property;
use crate::tolerance::Tolerance;

/// What a call came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// One array.
    Array(HostArray),
    /// Several.
    List(Vec<HostArray>),
    /// An error of this class.
    Error {
        /// NumPy's name of the class.
        class: String,
        /// Its text.
        message: String,
    },
    /// The engine does not do this.
    Unsupported(String),
}

/// What it should have come to, with the files read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedValue {
    /// One array.
    Array(HostArray),
    /// Several.
    List(Vec<HostArray>),
    /// An error of one of these classes.
    Error(Vec<String>),
}

/// How an outcome differs from what was wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Mismatch {
    #[error("{which}expected dtype {expected}, got {got}")]
    Dtype { which: String, expected: Dtype, got: Dtype },
    #[error("{which}expected shape {expected:?}, got {got:?}")]
    Shape { which: String, expected: Vec<usize>, got: Vec<usize> },
    #[error("expected {expected} results, got {got}")]
    Count { expected: usize, got: usize },
    #[error(transparent)]
    Element(Box<ElementMismatch>),
    #[error("expected {expected}, got {class}: {message}")]
    UnexpectedError { expected: String, class: String, message: String },
    #[error("expected an error of class {expected}, got {got}")]
    NoError { expected: String, got: String },
    #[error("expected an error of class {expected}, got {class}: {message}")]
    ErrorClass { expected: String, class: String, message: String },
    #[error("check {check:?}: {reason}")]
    Check { check: String, reason: String },
    #[error("the engine does not do this: {0}")]
    Unsupported(String),
}

/// The first element that differs, and how many do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{which}element {at}: expected {expected}, got {got}{detail} ({wrong} of {total} elements differ)"
)]
#[allow(missing_docs)]
pub struct ElementMismatch {
    pub which: String,
    pub at: String,
    pub expected: String,
    pub got: String,
    pub detail: String,
    pub wrong: usize,
    pub total: usize,
}

/// Judges an outcome. `operand` is the first array argument: properties are stated of it.
pub fn judge(
    op: &str,
    operand: Option<&HostArray>,
    outcome: &Outcome,
    wanted: &ExpectedValue,
    tolerance: &Tolerance,
) -> Result<(), Mismatch> {
    if let Outcome::Unsupported(reason) = outcome {
        return Err(Mismatch::Unsupported(reason.clone()));
    }
    if let ExpectedValue::Error(classes) = wanted {
        return judge_error(classes, outcome);
    }
    let got: Vec<&HostArray> = match outcome {
        Outcome::Array(array) => vec![array],
        Outcome::List(arrays) => arrays.iter().collect(),
        Outcome::Error { class, message } => {
            return Err(Mismatch::UnexpectedError {
                expected: describe_expected(wanted),
                class: class.clone(),
                message: message.clone(),
            });
        }
        Outcome::Unsupported(_) => unreachable!("returned above"),
    };
    let expected: Vec<&HostArray> = match wanted {
        ExpectedValue::Array(array) => vec![array],
        ExpectedValue::List(arrays) => arrays.iter().collect(),
        ExpectedValue::Error(_) => unreachable!("returned above"),
    };
    if let Tolerance::Property { checks, rtol } = tolerance {
        return property::judge(op, operand, &got, &expected, checks, *rtol);
    }
    let forms_agree =
        matches!(outcome, Outcome::Array(_)) == matches!(wanted, ExpectedValue::Array(_));
    if got.len() != expected.len() || !forms_agree {
        return Err(Mismatch::Count { expected: expected.len(), got: got.len() });
    }
    for (position, (got, expected)) in got.iter().zip(&expected).enumerate() {
        let which = match wanted {
            ExpectedValue::List(_) => format!("result {position}: "),
            ExpectedValue::Array(_) | ExpectedValue::Error(_) => String::new(),
        };
        if let Tolerance::Distribution(wanted) = tolerance {
            distribution::judge(got, expected, wanted)?;
            continue;
        }
        if let Tolerance::Reordered = tolerance {
            distribution::reordered(got, expected)?;
            continue;
        }
        same_form(&which, got, expected)?;
        same_values(&which, got, expected, tolerance)?;
    }
    Ok(())
}

/// dtype and shape.
pub(crate) fn same_form(
    which: &str,
    got: &HostArray,
    expected: &HostArray,
) -> Result<(), Mismatch> {
    if got.dtype() != expected.dtype() {
        let (expected, got) = (expected.dtype(), got.dtype());
        return Err(Mismatch::Dtype { which: which.to_owned(), expected, got });
    }
    if got.shape() != expected.shape() {
        let (expected, got) = (expected.shape().to_vec(), got.shape().to_vec());
        return Err(Mismatch::Shape { which: which.to_owned(), expected, got });
    }
    Ok(())
}

fn judge_error(classes: &[String], outcome: &Outcome) -> Result<(), Mismatch> {
    let expected = classes.join(" or ");
    match outcome {
        Outcome::Error { class, message } => {
            if classes.iter().any(|wanted| is_a(class, wanted)) {
                return Ok(());
            }
            Err(Mismatch::ErrorClass { expected, class: class.clone(), message: message.clone() })
        }
        Outcome::Array(array) => Err(Mismatch::NoError { expected, got: array.preview(8) }),
        Outcome::List(arrays) => {
            Err(Mismatch::NoError { expected, got: format!("{} arrays", arrays.len()) })
        }
        Outcome::Unsupported(_) => unreachable!("judged by the caller"),
    }
}

/// Whether this class is the expected one, or derived from it in NumPy.
fn is_a(class: &str, wanted: &str) -> bool {
    let parents: &[&str] = match class {
        "AxisError" => &["ValueError", "IndexError"],
        "LinAlgError" => &["ValueError"],
        "UFuncTypeError" => &["TypeError"],
        _ => &[],
    };
    class == wanted || parents.contains(&wanted)
}

fn describe_expected(wanted: &ExpectedValue) -> String {
    match wanted {
        ExpectedValue::Array(array) => array.preview(4),
        ExpectedValue::List(arrays) => format!("{} arrays", arrays.len()),
        ExpectedValue::Error(classes) => classes.join(" or "),
    }
}

fn same_values(
    which: &str,
    got: &HostArray,
    expected: &HostArray,
    tolerance: &Tolerance,
) -> Result<(), Mismatch> {
    let differing: Vec<usize> = match tolerance {
        Tolerance::Exact { signed_zero } => differing_parts(got, expected, 0, *signed_zero),
        Tolerance::Ulp { ulp, signed_zero } => differing_parts(got, expected, *ulp, *signed_zero),
        Tolerance::Allclose { rtol, atol } => far_elements(got, expected, *rtol, *atol),
        Tolerance::Property { .. } | Tolerance::Distribution(_) | Tolerance::Reordered => {
            unreachable!("judged by the caller")
        }
    };
    let Some(&first) = differing.first() else { return Ok(()) };
    Err(Mismatch::Element(Box::new(ElementMismatch {
        which: which.to_owned(),
        at: position_text(first, got.shape()),
        expected: expected.element_text(first),
        got: got.element_text(first),
        detail: detail(got, expected, first),
        wrong: differing.len(),
        total: got.len(),
    })))
}

/// Elements of which a part differs by more than `ulp` steps.
fn differing_parts(
    got: &HostArray,
    expected: &HostArray,
    ulp: u64,
    signed_zero: bool,
) -> Vec<usize> {
    let (part, parts) = (got.dtype().part(), got.dtype().parts());
    let mut differing: Vec<usize> = got
        .part_bits()
        .zip(expected.part_bits())
        .enumerate()
        .filter(|&(_, (got, expected))| !part_near(part, got, expected, ulp, signed_zero))
        .map(|(index, _)| index / parts)
        .collect();
    differing.dedup();
    differing
}

fn part_near(part: Part, got: u64, expected: u64, ulp: u64, signed_zero: bool) -> bool {
    if got == expected {
        return true;
    }
    // Integers and bools have no roundings to forgive: a ulp is nothing to them.
    let Part::Float { size, significand } = part else { return false };
    let bits = 8 * size as u32;
    let (got_nan, expected_nan) =
        (is_nan(got, bits, significand), is_nan(expected, bits, significand));
    if got_nan || expected_nan {
        return got_nan && expected_nan;
    }
    let magnitude = |value: u64| value & !(1 << (bits - 1));
    if magnitude(got) == 0 && magnitude(expected) == 0 {
        return !signed_zero;
    }
    if ulp == 0 {
        return false;
    }
    // Infinity is the step after the largest number, which is where an overflow rounds to.
    let step = |value: u64| {
        let distance = i128::from(magnitude(value));
        if value >> (bits - 1) == 1 { -distance } else { distance }
    };
    (step(got) - step(expected)).unsigned_abs() <= u128::from(ulp)
}

/// Whether this pattern of `bits` bits, with the given number of stored significand bits, is a NaN.
pub(crate) fn is_nan(value: u64, bits: u32, significand: u32) -> bool {
    let infinity = ((1u64 << (bits - 1)) - 1) >> significand << significand;
    value & !(1 << (bits - 1)) > infinity
}

/// Elements outside `atol + rtol * |expected|`.
fn far_elements(got: &HostArray, expected: &HostArray, rtol: f64, atol: f64) -> Vec<usize> {
    if let Part::Bool = got.dtype().part() {
        return differing_parts(got, expected, 0, true);
    }
    if let Part::Int(_) | Part::Uint(_) = got.dtype().part() {
        return far_integers(got, expected, rtol, atol);
    }
    let pairs = got.complex_values().into_iter().zip(expected.complex_values());
    pairs
        .enumerate()
        .filter(|&(_, (got, expected))| !element_near(got, expected, rtol, atol))
        .map(|(index, _)| index)
        .collect()
}

fn element_near(got: (f64, f64), expected: (f64, f64), rtol: f64, atol: f64) -> bool {
    let finite = |value: (f64, f64)| value.0.is_finite() && value.1.is_finite();
    if finite(got) && finite(expected) {
        let distance = (got.0 - expected.0).hypot(got.1 - expected.1);
        return distance <= atol + rtol * expected.0.hypot(expected.1);
    }
    // An infinite bound would accept everything, so each part stands for itself here.
    let part = |got: f64, expected: f64| {
        if got.is_finite() && expected.is_finite() {
            (got - expected).abs() <= atol + rtol * expected.abs()
        } else {
            got == expected || (got.is_nan() && expected.is_nan())
        }
    };
    part(got.0, expected.0) && part(got.1, expected.1)
}

/// 64-bit integers do not fit a double, so their distance is taken exactly.
fn far_integers(got: &HostArray, expected: &HostArray, rtol: f64, atol: f64) -> Vec<usize> {
    let part = got.dtype().part();
    let value = |bits: u64| match part {
        Part::Int(size) => i128::from(int_value(size, bits)),
        Part::Bool | Part::Uint(_) | Part::Float { .. } => i128::from(bits),
    };
    let pairs = got.part_bits().map(value).zip(expected.part_bits().map(value));
    pairs
        .enumerate()
        .filter(|&(_, (got, expected))| {
            (got - expected).unsigned_abs() as f64 > atol + rtol * (expected as f64).abs()
        })
        .map(|(index, _)| index)
        .collect()
}

/// What a person wants to know besides the two values.
fn detail(got: &HostArray, expected: &HostArray, index: usize) -> String {
    let Part::Float { size, significand } = got.dtype().part() else { return String::new() };
    let (bits, parts) = (8 * size as u32, got.dtype().parts());
    let mut text = String::new();
    let pairs = got.part_bits().zip(expected.part_bits()).skip(index * parts).take(parts);
    for (got, expected) in pairs.filter(|(got, expected)| got != expected) {
        let width = 2 * size;
        let _ = write!(text, ", bits {expected:0width$x} and {got:0width$x}");
        let same_sign = got >> (bits - 1) == expected >> (bits - 1);
        let nan = is_nan(got, bits, significand) || is_nan(expected, bits, significand);
        if same_sign && !nan {
            let _ = write!(text, ", {} ulp", got.abs_diff(expected));
        }
    }
    text
}

fn position_text(index: usize, shape: &[usize]) -> String {
    let mut rest = index;
    let mut coordinates = vec![0; shape.len()];
    for (coordinate, &extent) in coordinates.iter_mut().zip(shape).rev() {
        *coordinate = rest % extent;
        rest /= extent;
    }
    format!("{coordinates:?}")
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
