//! The pattern `partition_three_way`: the elements of a row below two limits, within them, and above them, each part in
//! the order of the row.
//!
//! A block has [`CHUNK`] neighbours, a warp the same part of them each, as in `select`. A first kernel counts what each
//! block has for each part, part by part, so that a scan of all counts says where each block's parts begin; a second
//! kernel writes. NaNs, which count for a part too, are counted after the parts.
//!
//! Arguments: the number of elements, the number of blocks, the row, the two limits (0 where there is none), the
//! output, the counts (written by [`Pass::Count`], read, scanned inclusively, by [`Pass::Write`]), the ends of the
//! parts and the number of NaNs (written by [`Pass::Write`]).

use std::fmt::Write;

use ndany_core::DType;

pub use crate::select::Pass;
use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = 256;

/// Elements of a thread.
const EACH: u32 = 16;

/// Elements of a block.
pub const CHUNK: usize = (BLOCK * EACH) as usize;

/// What a block counts: elements of the three parts, and NaNs, each of which is of a part too.
pub const COUNTS: usize = 4;

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PartitionThreeWay {
    /// What it does.
    pub pass: Pass,
    /// The elements, real numbers.
    pub element: DType,
    /// Whether positions are written instead of elements.
    pub positions: bool,
}

impl Kernel for PartitionThreeWay {
    fn source(&self, dialect: &Dialect) -> Source {
        let Self { pass, element, positions } = self;
        let mut text = Source::begin(dialect);
        text.push_str(include_str!("device/keys.h"));
        let _ = writeln!(text, "#define THREADS {BLOCK}\n#define EACH {EACH}");
        text.push_str(include_str!("device/parts.h"));
        text.push_str(include_str!("device/partition_three_way.h"));
        let element = element_of(*element);
        let _ = writeln!(
            text,
            "KERNEL({BLOCK}) partition_three_way(const Args a) {{\nSHARED PartsShared shared;"
        );
        let _ = match pass {
            Pass::Count => writeln!(text, "partition_three_way_count<{element}>(a, shared);\n}}"),
            Pass::Write => {
                writeln!(text, "partition_three_way_write<{element}, {positions}>(a, shared);\n}}")
            }
        };
        Source::new(&text, "partition_three_way")
    }
}
