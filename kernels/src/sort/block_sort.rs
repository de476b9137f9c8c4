//! Short rows: a block sorts some of them in its registers and shared memory.
//!
//! Arguments: rows, elements of a row, rows of a block, the step of the source's rows, the length of a row as a
//! divisor, the source, the output.

use std::fmt::Write;

use ndany_core::DType;

use super::{BLOCK, begin};
use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

/// Most elements of a thread.
const MOST_EACH: u32 = 16;

/// Most rows of a block: one digit names them.
const MOST_TOGETHER: usize = BLOCK as usize;

/// A kernel for short rows: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockSort {
    /// The elements.
    pub element: DType,
    /// Whether positions are written instead of elements.
    pub positions: bool,
    /// Elements of a thread.
    each: u32,
}

impl BlockSort {
    /// The longest row.
    pub const LONGEST: usize = (BLOCK * MOST_EACH) as usize;

    /// For rows of this length, and how many of them a block takes; there are to be `blocks` or more if rows suffice.
    pub fn new(
        element: DType,
        positions: bool,
        rows: usize,
        length: usize,
        blocks: usize,
    ) -> (Self, usize) {
        let fair = rows.div_ceil(blocks).min(Self::LONGEST / length).clamp(1, MOST_TOGETHER);
        let each = ((fair * length).div_ceil(BLOCK as usize) as u32).next_power_of_two();
        let together = ((BLOCK * each) as usize / length).min(MOST_TOGETHER);
        (Self { element, positions, each }, together)
    }
}

impl Kernel for BlockSort {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = begin(dialect, include_str!("../device/sort_block.h"));
        let Self { element, positions, each } = self;
        let element = element_of(*element);
        let _ = writeln!(
            text,
            "KERNEL({BLOCK}) sort_block(const Args a) {{\n\
             SHARED BlockSortShared<Keyed<{element}>::Key, {each}> shared;\n\
             block_sort_rows<{element}, {positions}, {each}>(a, shared);\n}}"
        );
        Source::new(&text, "sort_block")
    }
}
