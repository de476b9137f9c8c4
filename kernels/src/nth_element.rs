//! The pattern `nth_element`: a stable partition of each row about the element that a sort puts at a position.
//!
//! A block has a row. It counts the digits of keys, from the highest on, among the keys that begin as the one at the
//! place does, until it knows that one, and then writes the parts tile by tile, as in `partition_three_way`.
//!
//! Arguments: the length of a row, the place, the step of the source's rows, the source, the output.

use std::fmt::Write;

use ndany_core::DType;

use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = 256;

/// Elements of a thread in a tile.
const EACH: u32 = 8;

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NthElement {
    /// The elements, real numbers.
    pub element: DType,
    /// Whether positions are written instead of elements.
    pub positions: bool,
}

impl Kernel for NthElement {
    fn source(&self, dialect: &Dialect) -> Source {
        let Self { element, positions } = self;
        let mut text = Source::begin(dialect);
        text.push_str(include_str!("device/keys.h"));
        text.push_str(include_str!("device/block.h"));
        let _ = writeln!(text, "#define THREADS {BLOCK}\n#define EACH {EACH}");
        text.push_str(include_str!("device/parts.h"));
        text.push_str(include_str!("device/nth_element.h"));
        let element = element_of(*element);
        let _ = writeln!(
            text,
            "KERNEL({BLOCK}) nth_element(const Args a) {{\n\
             SHARED NthElementShared shared;\n\
             nth_element_rows<{element}, {positions}>(a, shared);\n}}"
        );
        Source::new(&text, "nth_element")
    }
}
