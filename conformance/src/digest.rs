//! A fingerprint of an outcome: equal exactly when the bits are equal, all NaNs being one value.
//!
//! Two runs, or two devices, are compared by it without sending arrays between processes. It is
//! FNV-1a of 128 bits: no defence against malice, none needed.

use std::fmt::Write;

use crate::compare::{Outcome, is_nan};
use crate::host::{HostArray, Part};

/// The fingerprint, as 32 hexadecimal digits. Of an error class and text count; of one about memory, which each device
/// words by its own amounts, the class.
pub fn digest(outcome: &Outcome) -> String {
    let mut state = Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    match outcome {
        Outcome::Array(array) => {
            state.text("array");
            state.array(array);
        }
        Outcome::List(arrays) => {
            state.text("list");
            state.number(arrays.len() as u64);
            arrays.iter().for_each(|array| state.array(array));
        }
        Outcome::Error { class, message } => {
            state.text("error");
            state.text(class);
            if class != "MemoryError" {
                state.text(message);
            }
        }
        Outcome::Unsupported(_) => state.text("unsupported"),
    }
    let mut text = String::new();
    let _ = write!(text, "{:032x}", state.0);
    text
}

struct Fnv(u128);

impl Fnv {
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
    }

    fn number(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        text.bytes().for_each(|byte| self.byte(byte));
    }

    fn array(&mut self, array: &HostArray) {
        self.text(array.dtype().name());
        self.number(array.shape().len() as u64);
        array.shape().iter().for_each(|&extent| self.number(extent as u64));
        for bits in array.part_bits() {
            let nan = match array.dtype().part() {
                Part::Float { size, significand } => is_nan(bits, 8 * size as u32, significand),
                Part::Bool | Part::Int(_) | Part::Uint(_) => false,
            };
            // No finite number, of any width, has these 64 bits.
            self.number(if nan { u64::MAX } else { bits });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Dtype;

    fn of(values: &[f64]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let array = HostArray::new(Dtype::Float64, vec![values.len()], bytes).expect("fills");
        digest(&Outcome::Array(array))
    }

    #[test]
    fn texts_of_errors_count() {
        let of = |class: &str, message: &str| {
            digest(&Outcome::Error { class: class.to_owned(), message: message.to_owned() })
        };
        assert_eq!(of("IndexError", "[take] out"), of("IndexError", "[take] out"));
        assert_ne!(of("IndexError", "[take] out"), of("IndexError", "[index] out"));
        assert_ne!(of("IndexError", "out"), of("ValueError", "out"));
        assert_eq!(of("MemoryError", "16 free"), of("MemoryError", "8 free"));
    }

    #[test]
    fn bits_count_and_nans_do_not() {
        assert_eq!(of(&[1.0, f64::NAN]), of(&[1.0, -f64::NAN]));
        assert_ne!(of(&[0.0]), of(&[-0.0]));
        assert_ne!(of(&[1.0, 2.0]), of(&[2.0, 1.0]));
        assert_ne!(of(&[1.0]), of(&[1.0f64.next_up()]));
        let empty = |shape: Vec<usize>| {
            digest(&Outcome::Array(HostArray::new(Dtype::Int8, shape, vec![]).expect("fills")))
        };
        assert_ne!(empty(vec![0, 1]), empty(vec![1, 0]));
    }
}
