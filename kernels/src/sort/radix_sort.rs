//! Long rows: one kernel that counts all digits of the keys, and one for each digit that moves the items of a tile.
//!
//! Arguments of both: elements of a row, chunks of a row for [`DigitCounts`], elements of a chunk, tiles of a row
//! ([`RadixSort::tile`]), the number of the pass, the step of the source's rows, the source, the places in whose order to
//! take it, keys (of even and of odd passes), places (of even and of odd passes), the output, the counts by row, pass and
//! digit, what tiles have posted (in even and in odd passes) by row, tile and digit, two words for the range of the keys,
//! how many tiles are taken by pass, and two words a row about its zeros. Counts and what tiles post are words of
//! [`word`] bytes. All but the odd passes' words are zeros before the first kernel.

use std::fmt::Write;

use ndany_core::DType;

use super::{BLOCK, begin, key_size};
use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

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

/// What the last pass makes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum To {
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

/// Bytes of a count in rows of this length; two bits of it say what it counts.
pub fn word(length: usize) -> usize {
    if length < 1 << 30 { size_of::<u32>() } else { size_of::<u64>() }
}

/// The type of a count of so many bytes.
pub(super) fn word_type(word: usize) -> &'static str {
    if word == size_of::<u32>() { "u32" } else { "u64" }
}

/// What stands in front of both kernels.
pub(super) fn begin_radix(dialect: &Dialect) -> String {
    begin(dialect, include_str!("../device/sort_radix.h"))
}

/// The kernel that counts the digits of the keys of a chunk: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DigitCounts {
    /// The elements.
    pub element: DType,
    /// Which part of their key.
    pub part: usize,
    /// Whether places go along with the keys.
    pub carries: bool,
    /// Bytes of a count.
    pub word: usize,
}

impl Kernel for DigitCounts {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = begin_radix(dialect);
        let Self { element, part, carries, word } = self;
        let (element, word) = (element_of(*element), word_type(*word));
        let _ = writeln!(
            text,
            "KERNEL({BLOCK}) sort_count(const Args a) {{\n\
             SHARED DigitCounts<Keyed<{element}>::Key> shared;\n\
             count_digits<{element}, {carries}, {part}, {word}>(a, shared);\n}}"
        );
        Source::new(&text, "sort_count")
    }
}

/// The kernel that moves the items of a tile to their places in the order of a digit: everything its text depends on.
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
    /// What the last pass makes of them.
    pub to: To,
    /// Bytes of a count.
    pub word: usize,
    /// Elements of a thread.
    pub each: usize,
}

/// Elements of a thread of a short sort.
const FEW: usize = 8;

/// Blocks that are to fit a processor, which is how many registers a thread may have.
fn beside(element: DType, places: PositionWidth) -> u32 {
    if key_size(element) > 4 && places != PositionWidth::None { 2 } else { 3 }
}

impl RadixSort {
    /// Elements of a thread where there are enough for all processors: the more, the longer the runs of one digit that are
    /// written together, as long as keys and ranks fit its registers, and keys or places of a block 48 KiB of shared memory.
    pub fn most_each(element: DType, places: PositionWidth) -> usize {
        match key_size(element).max(places.size()) {
            0..=4 if places == PositionWidth::None => 32,
            0..=4 => 28,
            _ => 16,
        }
    }

    /// Elements of a thread in `rows` rows of a length: few where tiles of most would be fewer than `least`, and processors
    /// idle. Such a sort is quicker with few, and its kernels are compiled in a third of the time.
    pub fn each(
        element: DType,
        places: PositionWidth,
        [rows, length]: [usize; 2],
        least: usize,
    ) -> usize {
        let most = Self::most_each(element, places);
        let tiles = rows.saturating_mul(length.div_ceil(Self::tile(most)));
        if tiles < least { FEW } else { most }
    }

    /// Items that a block has at a time.
    pub fn tile(each: usize) -> usize {
        BLOCK as usize * each
    }
}

impl Kernel for RadixSort {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = begin_radix(dialect);
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
            To::Words => "TO_WORDS",
            To::Positions => "TO_POSITIONS",
            To::Elements => "TO_ELEMENTS",
            To::Places => "TO_PLACES",
        };
        let (each, beside) = (self.each, beside(self.element, self.places));
        let word = word_type(self.word);
        let _ = writeln!(
            text,
            "typedef Row<{element}, {places}, {from}, {to}, {}> Own;\n\
             KERNEL_BESIDE({BLOCK}, {beside}) sort_radix(const Args a) {{\n\
             SHARED MoveShared<Own, {word}, {each}> shared;\nmove_items<Own, {word}, {each}>(a, shared);\n}}",
            self.part
        );
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
                // As in `MoveShared`: a tile's number, sums of warps of 32 lanes, where digits go, and the items.
                let words = 1 + BLOCK as usize / 32 + BLOCK as usize;
                let most = RadixSort::most_each(element, places);
                let shared = words * size_of::<u64>() + RadixSort::tile(most) * item;
                assert!(shared <= 48 << 10, "{shared} bytes of {element:?} and {places:?}");
            }
        }
    }
}
