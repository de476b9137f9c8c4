//! The two zeros of floats, in sorted rows back in the order of the source.
//!
//! Arguments: elements of a row, chunks of a row, elements of a chunk, the step of the source's rows, the source, the
//! sorted rows, two words a row that say which zeros it has, how many chunks of a row are taken, and what chunks post by row
//! and chunk, in words of [`word`](super::word) bytes; the last two are zeros before the kernel.

use std::fmt::Write;

use ndany_core::DType;

use super::radix_sort::word_type;
use super::{BLOCK, begin};
use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

/// The kernel for zeros, a block a chunk: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Zeros {
    /// The elements.
    pub element: DType,
    /// Bytes of a count.
    pub word: usize,
}

impl Kernel for Zeros {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = begin(dialect, include_str!("../device/sort_zeros.h"));
        let (element, word) = (element_of(self.element), word_type(self.word));
        let _ = writeln!(
            text,
            "KERNEL({BLOCK}) sort_zeros(const Args a) {{\n\
             SHARED ZerosShared<{word}> shared;\nzeros<{element}, {word}>(a, shared);\n}}"
        );
        Source::new(&text, "sort_zeros")
    }
}
