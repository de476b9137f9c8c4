//! The pattern `search`: places of needles in sorted rows, or how many needles have each place.
//!
//! Where rows have many needles, a block takes a stretch of those of one row and keeps the row's keys, and its own
//! counts, in shared memory if there are few ([`Form::Row`]); otherwise threads take needles as they come
//! ([`Form::Any`]). Counts are integers, so the order of their atomic additions shows nowhere.
//!
//! Arguments: rows, elements of a sorted row, needles of a row, needles of a block, stretches of a row, the steps of
//! the sorted rows and of the needles, the sorted rows, the needles, the output (counts: of zeros before).

use std::fmt::Write;

use ndany_core::DType;

use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = 256;

/// Needles of a thread.
const EACH: u32 = 8;

/// Needles that a block has at a time.
pub const TILE: usize = (BLOCK * EACH) as usize;

/// Maximum size of keys in shared memory, in bytes.
const KEY_BYTES: usize = 8 << 10;

/// Maximum number of counts in shared memory.
const MOST_COUNTS: usize = 8 << 10;

/// Most counts of one place.
const MOST_COPIES: usize = 16;

/// How needles are assigned to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A thread takes some of any row.
    Any,
    /// A block takes a stretch of one row.
    Row {
        /// Number of keys of the row in shared memory; 0: they stay in global memory.
        keys: usize,
        /// Number of counts of the block in shared memory; 0: they are added to the output one by one.
        places: usize,
    },
}

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    /// The elements.
    pub element: DType,
    /// Whether equal elements come before the needle.
    pub after_equal: bool,
    /// Whether counts are written instead of positions.
    pub counts: bool,
    /// How needles are assigned to threads.
    pub form: Form,
}

impl Form {
    /// For rows of this length, of which each block searches many needles and, with `own_counts`, counts for itself.
    pub fn row(element: DType, length: usize, own_counts: bool) -> Self {
        let keys = length.max(1).next_power_of_two();
        let keys = if keys * element.size() <= KEY_BYTES { keys } else { 0 };
        let places = (length + 1).next_power_of_two();
        Self::Row { keys, places: if own_counts && places <= MOST_COUNTS { places } else { 0 } }
    }
}

impl Kernel for Search {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        text.push_str(include_str!("device/block.h"));
        text.push_str(include_str!("device/keys.h"));
        let _ = writeln!(text, "#define THREADS {BLOCK}\n#define EACH {EACH}");
        text.push_str(include_str!("device/search.h"));
        let Self { element, after_equal, counts, form } = self;
        let element = element_of(*element);
        let _ = writeln!(text, "KERNEL({BLOCK}) search(const Args a) {{");
        let _ = match form {
            Form::Any => writeln!(text, "search_any<{element}, {after_equal}, {counts}>(a);\n}}"),
            Form::Row { keys, places } => {
                let copies = MOST_COUNTS.checked_div(*places).map_or(1, |n| n.min(MOST_COPIES));
                writeln!(
                    text,
                    "SHARED SearchShared<{element}, {keys}, {places}, {copies}> shared;\n\
                     search_row<{element}, {after_equal}, {counts}, {keys}, {places}, {copies}>(a, shared);\n}}"
                )
            }
        };
        Source::new(&text, "search")
    }
}
