//! The pattern `select`: what a mask shows, packed.
//!
//! A block has [`CHUNK`] neighbours of the space, a thread sixteen of them. A first kernel counts what each block will
//! write; these counts are scanned; a second kernel writes behind what comes before its block.
//!
//! Arguments: the number of elements, the walk (of the mask and, if there is one, the source), the mask, the source, the
//! output, the counts (written by [`Pass::Count`], read, scanned inclusively, by [`Pass::Write`]).

use std::fmt::Write;

use ndany_core::DType;

use crate::layout::Walk;
use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = 256;

/// Elements of a thread.
const EACH: u32 = 16;

/// Elements of a block.
pub const CHUNK: usize = (BLOCK * EACH) as usize;

/// What a kernel does with its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Counts those that the mask shows.
    Count,
    /// Writes them.
    Write,
}

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Select {
    /// What it does.
    pub pass: Pass,
    /// The source's elements, of which only the size counts; without a source, positions are picked.
    pub source: Option<DType>,
    /// The mask, then the source.
    pub walk: Walk,
}

impl Kernel for Select {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        text.push_str(include_str!("device/block.h"));
        let element = self.source.map_or("i64", element_of);
        text.push_str("struct Args {\nu64 count;\n");
        self.walk.fields(&mut text, "walk");
        let _ = writeln!(
            text,
            "const boolean* mask;\nconst {element}* source;\n{element}* out;\ni64* counts;\n}};"
        );
        let position = self.walk.position();
        let _ = writeln!(
            text,
            "KERNEL({BLOCK}) select(const Args a) {{\n\
             SHARED Sums<{BLOCK}> sums;\n\
             const {position} first = ({position})block_x() * {CHUNK} + thread() * {EACH};\n\
             u32 shown = 0;\n\
             for (u32 k = 0; k < {EACH}; k++) {{\n\
             const {position} p = first + k;\n\
             if (p < a.count) {{"
        );
        self.walk.offsets(&mut text, "walk", "p");
        text.push_str(
            "shown |= (u32)get<0>(a.mask[walk_at0]) << k;\n}\n}\n\
             u32 total;\n\
             const u32 before = sum_before(ones(shown), total, sums);\n",
        );
        match self.pass {
            Pass::Count => {
                text.push_str("if (thread() == 0) a.counts[block_x()] = total;\n}\n");
            }
            Pass::Write => {
                let _ = writeln!(
                    text,
                    "i64 to = (block_x() > 0 ? a.counts[block_x() - 1] : 0) + before;\n\
                     for (u32 k = 0; k < {EACH}; k++) {{\n\
                     const {position} p = first + k;\n\
                     if (shown >> k & 1) {{"
                );
                match self.source {
                    Some(_) => {
                        self.walk.offsets(&mut text, "walk", "p");
                        text.push_str("a.out[to++] = a.source[walk_at1];\n");
                    }
                    None => text.push_str("a.out[to++] = (i64)p;\n"),
                }
                text.push_str("}\n}\n}\n");
            }
        }
        Source { text, entry: "select" }
    }
}
