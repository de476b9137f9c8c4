//! Equality to the last bit, all NaNs being one value.

use std::fmt;

use ndany::{DType, Kind};

use crate::run::Outcome;

/// The first position where two outcomes differ.
pub struct Difference(String);

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub fn difference(want: &Outcome, have: &Outcome) -> Option<Difference> {
    match (want, have) {
        (Outcome::Failed(_, want), Outcome::Failed(_, have)) if want == have => None,
        (Outcome::Bytes(number, dtype, shape, want), Outcome::Bytes(_, dtype2, shape2, have)) => {
            if (dtype, shape) != (dtype2, shape2) {
                let text =
                    format!("%{number}: expected {dtype} {shape:?}, got {dtype2} {shape2:?}");
                return Some(Difference(text));
            }
            bytes(*dtype, want, have).map(|text| Difference(format!("%{number} {text}")))
        }
        (want, have) => {
            let text = |outcome: &Outcome| match outcome {
                Outcome::Bytes(_, dtype, shape, _) => format!("{dtype} {shape:?}"),
                Outcome::Failed(_, class) => class.clone(),
            };
            let number = want.value();
            Some(Difference(format!("%{number}: expected {}, got {}", text(want), text(have))))
        }
    }
}

fn bytes(dtype: DType, want: &[u8], have: &[u8]) -> Option<String> {
    let size = dtype.part().size();
    let parts = dtype.size() / size;
    let pairs = want.chunks_exact(size).zip(have.chunks_exact(size)).enumerate();
    for (position, (want, have)) in pairs {
        if want != have && !(is_nan(dtype, want) && is_nan(dtype, have)) {
            let (element, part) = (position / parts, position % parts);
            let (want, have) = (word(want), word(have));
            return Some(format!(
                "element {element} part {part} of {dtype}: expected {want:#x}, got {have:#x}"
            ));
        }
    }
    None
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn is_nan(dtype: DType, bytes: &[u8]) -> bool {
    let word = word(bytes);
    match (dtype.kind(), dtype.part()) {
        (Kind::Bool | Kind::Int, _) => false,
        (_, DType::F16) => half::f16::from_bits(word as u16).is_nan(),
        (_, DType::BF16) => half::bf16::from_bits(word as u16).is_nan(),
        (_, DType::F32) => f32::from_bits(word as u32).is_nan(),
        (_, _) => f64::from_bits(word).is_nan(),
    }
}
