//! The pattern `sort`: rows by the digits of their keys, which are unsigned numbers in the pattern's order.
//!
//! Rows that fit a block are sorted in it ([`BlockSort`]), longer ones pass by pass ([`RadixSort`]); where those leave
//! the two zeros of floats apart, [`Zeros`] puts them back into the order of the source. Everything is stable, so of
//! complex numbers of 16 bytes the lower part of the key is sorted first and the upper one afterwards. Words go along with keys of four bytes in [`PairSort`].
//!
//! Deliberately absent: anything that the host would have to wait for.

mod block_sort;
mod pair_sort;
mod radix_sort;
mod zeros;

pub use block_sort::BlockSort;
use ndany_core::DType;
pub use pair_sort::{PairSort, RECORD};
pub use radix_sort::{DigitCounts, From, PositionWidth, RadixSort, To, word};
pub use zeros::Zeros;

use crate::{Dialect, Source};

/// Threads of a block, and values of a digit.
pub const BLOCK: u32 = 256;

/// Bits of a digit.
const DIGIT_BITS: usize = 8;

/// The bytes of a key.
fn key_size(element: DType) -> usize {
    element.size().min(size_of::<u64>())
}

/// How many keys, sorted one after the other, make the order of a dtype.
pub fn parts(element: DType) -> usize {
    element.size() / key_size(element)
}

/// How many digits a key has.
pub fn digits(element: DType) -> usize {
    8 * key_size(element) / DIGIT_BITS
}

/// Whether equal elements may have different bits, and keys determine elements.
pub fn has_zeros(element: DType) -> bool {
    element.is_float()
}

/// What stands in front of each kernel of the pattern.
fn begin(dialect: &Dialect, own: &str) -> String {
    let mut text = Source::begin(dialect);
    text.push_str(include_str!("../device/block.h"));
    text.push_str(include_str!("../device/keys.h"));
    text.push_str(include_str!("../device/radix.h"));
    text.push_str(include_str!("../device/look_back.h"));
    text.push_str(own);
    text
}
