//! The pattern `select`: what a mask shows, packed.
//!
//! A block has [`CHUNK`] neighbours of the space, a warp the same part of them each, whose lanes read neighbours and
//! write neighbours. A first kernel counts what each block will write; these counts are scanned; a second kernel writes
//! after what comes before its block.
//!
//! Arguments: the number of elements, the index map (of the mask and, if there is one, the source), the mask, the
//! source, the output, the counts (written by [`Pass::Count`], read, scanned inclusively, by [`Pass::Write`]), and how
//! many elements the output has, beyond which nothing is written.

use std::fmt::Write;

use ndany_core::DType;

use crate::layout::IndexMap;
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
    pub index_map: IndexMap,
}

impl Kernel for Select {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        let element = self.source.map_or("i64", element_of);
        text.push_str("struct Args {\nu64 count;\n");
        self.index_map.fields(&mut text, "map");
        let _ = writeln!(
            text,
            "const boolean* mask;\nconst {element}* source;\n{element}* out;\ni64* counts;\ni64 capacity;\n}};"
        );
        let position = self.index_map.position();
        let _ = writeln!(
            text,
            "KERNEL({BLOCK}) select(const Args a) {{\n\
             SHARED u32 totals[{BLOCK} / LANES];\n\
             const u32 lane = thread() % LANES, warp = thread() / LANES;\n\
             const {position} first = ({position})block_x() * {CHUNK} + warp * (LANES * {EACH}) + lane;\n\
             bool shown[{EACH}];\n\
             #pragma unroll\n\
             for (u32 k = 0; k < {EACH}; k++) {{\n\
             const {position} p = first + k * LANES;\n\
             shown[k] = false;\n\
             if (p < a.count) {{"
        );
        self.index_map.offsets(&mut text, "map", "p");
        let _ = writeln!(
            text,
            "shown[k] = get<0>(a.mask[map_at0]);\n}}\n}}\n\
             lane_mask with[{EACH}];\n\
             u32 own = 0;\n\
             #pragma unroll\n\
             for (u32 k = 0; k < {EACH}; k++) {{\n\
             with[k] = ballot(shown[k]);\n\
             own += ones(with[k]);\n\
             }}\n\
             if (lane == 0) totals[warp] = own;\n\
             barrier();\n\
             u32 before = 0, total = 0;\n\
             #pragma unroll\n\
             for (u32 w = 0; w < {BLOCK} / LANES; w++) {{\n\
             if (w == warp) before = total;\n\
             total += totals[w];\n\
             }}"
        );
        match self.pass {
            Pass::Count => text.push_str("if (thread() == 0) a.counts[block_x()] = total;\n}\n"),
            Pass::Write => {
                text.push_str(
                    "i64 to = (block_x() > 0 ? a.counts[block_x() - 1] : 0) + before;\n\
                     const lane_mask below = ((lane_mask)1 << lane) - 1;\n",
                );
                let _ = writeln!(
                    text,
                    "{element} values[{EACH}];\n\
                     #pragma unroll\n\
                     for (u32 k = 0; k < {EACH}; k++) {{\n\
                     const {position} p = first + k * LANES;\n\
                     if (shown[k]) {{"
                );
                match self.source {
                    Some(_) => {
                        self.index_map.offsets(&mut text, "map", "p");
                        text.push_str("values[k] = a.source[map_at1];\n");
                    }
                    None => text.push_str("values[k] = (i64)p;\n"),
                }
                let _ = writeln!(
                    text,
                    "}}\n}}\n\
                     #pragma unroll\n\
                     for (u32 k = 0; k < {EACH}; k++) {{\n\
                     const i64 at = to + ones(with[k] & below);\n\
                     if (shown[k] && at < a.capacity) a.out[at] = values[k];\n\
                     to += ones(with[k]);\n\
                     }}\n\
                     }}"
                );
            }
        }
        Source::new(&text, "select")
    }
}
