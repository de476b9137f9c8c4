//! A number as people write it.

use crate::scalar::Scalar;

use ndany_core::{DType, Kind, Number};

/// A number that `dtype` can hold, as NumPy's text reader takes it: no underscores, no hexadecimal digits, booleans
/// as integers.
pub(super) fn strict(text: &str, dtype: DType) -> Option<Scalar> {
    let text = text.trim();
    match dtype.kind() {
        Kind::Bool => text.parse::<i64>().ok().map(|value| Scalar::from(value != 0)),
        Kind::Int => {
            let (low, high) = dtype.int_range();
            let value: i128 = text.parse().ok()?;
            (low..=high).contains(&value).then(|| Scalar::weak_int(value))
        }
        Kind::Float => text.parse::<f64>().ok().map(Scalar::from),
        Kind::Complex => complex(text).map(|(re, im)| Scalar::weak_complex(re, im)),
    }
}

/// As `genfromtxt` takes it: underscores between digits, booleans as words, narrow integers by way of floats.
pub(super) fn lenient(text: &str, dtype: DType) -> Option<Scalar> {
    let text = without_underscores(text.trim())?;
    match dtype {
        DType::Bool => match text.to_ascii_uppercase().as_str() {
            "TRUE" => Some(Scalar::from(true)),
            "FALSE" => Some(Scalar::from(false)),
            _ => None,
        },
        DType::I8 | DType::I16 | DType::I32 | DType::U8 | DType::U16 | DType::U32 => {
            let value: f64 = text.parse().ok()?;
            value.is_finite().then(|| Scalar::weak_int(value as i128))
        }
        _ => strict(&text, dtype),
    }
}

/// Python allows one underscore between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let sound =
        |(at, &byte): (usize, &u8)| byte != b'_' || digit(at.checked_sub(1)) && digit(Some(at + 1));
    bytes.iter().enumerate().all(sound).then(|| text.replace('_', ""))
}

/// `1`, `2j`, `1+2j`, `(1-2j)`.
fn complex(text: &str) -> Option<(f64, f64)> {
    let text = match text.strip_prefix('(') {
        Some(inner) => inner.strip_suffix(')')?.trim(),
        None => text,
    };
    let Some(text) = text.strip_suffix(['j', 'J']) else {
        return text.parse().ok().map(|re| (re, 0.0));
    };
    // The sign in the middle, which is no exponent's.
    let bytes = text.as_bytes();
    let sign = (1..bytes.len())
        .rev()
        .find(|&at| matches!(bytes[at], b'+' | b'-') && !matches!(bytes[at - 1], b'e' | b'E'));
    let imaginary = |text: &str| match text {
        "" | "+" => Some(1.0),
        "-" => Some(-1.0),
        text => text.parse().ok(),
    };
    match sign {
        Some(at) => Some((text[..at].parse().ok()?, imaginary(&text[at..])?)),
        None => Some((0.0, imaginary(text)?)),
    }
}

/// Adds the bytes of a number.
pub(super) fn push(
    op: &'static str,
    value: Scalar,
    dtype: DType,
    bytes: &mut Vec<u8>,
) -> crate::Result<()> {
    let value = match (value.number(), dtype.kind()) {
        // A float between, as Python's `int` of it.
        (Number::Float(value), Kind::Int) => Scalar::weak_int(value as i128),
        _ => value,
    };
    let (part, parts) = (dtype.part().size(), if dtype.is_complex() { 2 } else { 1 });
    for bits in &value.bits_as(op, dtype)?[..parts] {
        bytes.extend_from_slice(&bits.to_le_bytes()[..part]);
    }
    Ok(())
}
