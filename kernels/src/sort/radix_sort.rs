//! Long rows: for each digit of the keys one kernel that counts and one that moves, by chunks of some tiles.
//!
//! Arguments: elements of a row, chunks of a row, elements of a chunk (a multiple of [`RadixSort::tile`]), the number
//! of the pass, the step of the source's rows, the source, the places in whose order to take it, keys (of even and of
//! odd passes), places (of even and of odd passes), the output, the counts by row, digit and chunk (written by
//! [`Pass::Count`], read, scanned inclusively, by [`Pass::Move`]), and two words for the range of the keys, of zeros
//! before the first pass.

use std::fmt::Write;

use ndany_core::DType;

use super::{BLOCK, begin, key_size};
use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

/// Blocks of [`Pass::Move`] that are to fit a processor, which is how many registers a thread may have.
const BESIDE: u32 = 2;

/// What a kernel does with the items of its chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Counts their digits.
    Count,
    /// Puts them in order.
    Move,
}

/// Where items come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum From {
    /// The source.
    Source,
    /// The source, in the order that places give.
    Taken,
    /// Keys, and their places, of the pass before.
    Keys,
}

/// What becomes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum To {
    /// Keys, and their places, for the next pass.
    Keys,
    /// The elements that the keys stand for: the output.
    Words,
    /// Their positions as I64: the output.
    Positions,
    /// The elements of the source at their places: the output.
    Elements,
    /// Their positions in the width of the pass: the source of the next part's keys.
    Places,
}

/// How places are carried along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PositionWidth {
    /// Not at all: keys tell what elements are.
    None,
    /// As numbers of four bytes.
    Narrow,
    /// As numbers of eight bytes.
    Wide,
}

impl PositionWidth {
    /// Their bytes.
    pub fn size(self) -> usize {
        match self {
            PositionWidth::None => 0,
            PositionWidth::Narrow => size_of::<u32>(),
            PositionWidth::Wide => size_of::<u64>(),
        }
    }
}

/// A kernel for long rows: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RadixSort {
    /// The elements.
    pub element: DType,
    /// Which part of their key, the least significant first.
    pub part: usize,
    /// What goes along with the keys.
    pub places: PositionWidth,
    /// Where items come from.
    pub from: From,
    /// What becomes of them.
    pub to: To,
    /// What the kernel does.
    pub pass: Pass,
}

/// Elements of a thread: the more, the longer the runs of one digit that are written together, as long as keys and
/// ranks fit its registers, and keys or places of a block 48 KiB of shared memory.
fn each(element: DType, places: PositionWidth) -> usize {
    if key_size(element).max(places.size()) <= 4 { 28 } else { 16 }
}

impl RadixSort {
    /// Items that a block has at a time.
    pub fn tile(element: DType, places: PositionWidth) -> usize {
        BLOCK as usize * each(element, places)
    }
}

impl Kernel for RadixSort {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = begin(dialect, include_str!("../device/sort_radix.h"));
        let element = element_of(self.element);
        let places = match self.places {
            PositionWidth::None => "Nothing",
            PositionWidth::Narrow => "u32",
            PositionWidth::Wide => "u64",
        };
        let from = match self.from {
            From::Source => "SOURCE",
            From::Taken => "TAKEN",
            From::Keys => "KEYS",
        };
        let to = match self.to {
            To::Keys => "TO_KEYS",
            To::Words => "TO_WORDS",
            To::Positions => "TO_POSITIONS",
            To::Elements => "TO_ELEMENTS",
            To::Places => "TO_PLACES",
        };
        let _ =
            writeln!(text, "typedef Chunk<{element}, {places}, {from}, {to}, {}> Own;", self.part);
        let _ = match self.pass {
            Pass::Count => writeln!(
                text,
                "KERNEL({BLOCK}) sort_radix(const Args a) {{\n\
                 SHARED u32 counts[DIGITS * COPIES];\ncount_digits<Own>(a, counts);\n}}"
            ),
            Pass::Move => {
                let each = each(self.element, self.places);
                writeln!(
                    text,
                    "KERNEL_BESIDE({BLOCK}, {BESIDE}) sort_radix(const Args a) {{\n\
                     SHARED MoveShared<Own, {each}> shared;\nmove_items<Own, {each}>(a, shared);\n}}"
                )
            }
        };
        Source::new(&text, "sort_radix")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_fits_what_every_card_gives_a_block() {
        for element in DType::ALL {
            for places in [PositionWidth::None, PositionWidth::Narrow, PositionWidth::Wide] {
                let item = key_size(element).max(places.size());
                // As in `MoveShared`: where digits go, and the items.
                let shared =
                    BLOCK as usize * size_of::<u64>() + RadixSort::tile(element, places) * item;
                assert!(shared <= 48 << 10, "{shared} bytes of {element:?} and {places:?}");
            }
        }
    }
}
