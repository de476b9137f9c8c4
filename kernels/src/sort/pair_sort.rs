//! Long rows of keys of four bytes with which words go along, so that nothing is read at random after the sort.
//!
//! Arguments: those of a [`RadixSort`](super::RadixSort), whose places are records between passes ([`RECORD`] bytes each) and whose
//! output is the keys; then the number of passes, the words of four bytes and the wide ones, and where both go to.
//! [`DigitCounts`](super::DigitCounts) counts the digits.

use std::fmt::Write;

use super::radix_sort::{begin_radix, word_type};
use super::{BLOCK, DIGIT_BITS};
use crate::{Dialect, Kernel, Source};

/// Bytes of a key and its words between passes.
pub const RECORD: usize = 16;

/// The kernel that moves keys and their words to their places in the order of a digit: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PairSort {
    /// Bytes of a wide word: four or eight.
    pub wide: usize,
    /// Whether this is the first pass, which reads the source.
    pub is_first: bool,
    /// Bytes of a count.
    pub word: usize,
}

impl PairSort {
    /// Passes of keys of which so many bits decide.
    pub fn passes(bits: u32) -> usize {
        (bits as usize).div_ceil(DIGIT_BITS).clamp(1, size_of::<u32>())
    }

    /// Keys of a thread: as many as fit 48 KiB of shared memory, for long runs of one digit.
    pub const EACH: usize = 11;
}

impl Kernel for PairSort {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = begin_radix(dialect);
        text.push_str(include_str!("../device/sort_pairs.h"));
        let wide = if self.wide == size_of::<u32>() { "u32" } else { "u64" };
        let (word, each, is_first) = (word_type(self.word), Self::EACH, self.is_first);
        let _ = writeln!(
            text,
            "KERNEL_BESIDE({BLOCK}, 3) sort_pairs(const PairArgs a) {{\n\
             SHARED PairShared<{word}, {each}> shared;\n\
             move_pairs<{wide}, {is_first}, {word}, {each}>(a, shared);\n}}"
        );
        Source::new(&text, "sort_pairs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_fits_what_every_card_gives_a_block() {
        // As in `PairShared`: a tile's number, sums of warps of 32 lanes, where digits go, and the records.
        let words = 1 + BLOCK as usize / 32 + BLOCK as usize;
        let shared = words * size_of::<u64>() + BLOCK as usize * PairSort::EACH * RECORD;
        assert!(shared <= 48 << 10, "{shared} bytes");
    }
}
