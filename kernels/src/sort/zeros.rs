//! The two zeros of floats, in sorted rows back in the order of the source.
//!
//! Arguments: elements of a row, chunks of a row, elements of a chunk, the step of the source's rows, the source, the
//! sorted rows, a number for each row (where its zeros begin), a number for each chunk (its zeros; for
//! [`ZeroPass::Write`] scanned inclusively).

use std::fmt::Write;

use ndany_core::DType;

use super::{BLOCK, begin};
use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ZeroPass {
    /// Finds out, one block per row, whether there are both zeros, and where.
    Look,
    /// Counts, one block per chunk, the zeros of rows that have both.
    Count,
    /// Writes them.
    Write,
}

/// A kernel for zeros: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Zeros {
    /// The elements.
    pub element: DType,
    /// What it does.
    pub pass: ZeroPass,
}

impl Kernel for Zeros {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = begin(dialect, include_str!("../device/sort_zeros.h"));
        let name = match self.pass {
            ZeroPass::Look => "look",
            ZeroPass::Count => "count",
            ZeroPass::Write => "write",
        };
        let _ = writeln!(
            text,
            "KERNEL({BLOCK}) sort_zeros(const Args a) {{\n\
             SHARED Sums<DIGITS> sums;\n{name}<{}>(a, sums);\n}}",
            element_of(self.element)
        );
        Source::new(&text, "sort_zeros")
    }
}
