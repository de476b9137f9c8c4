//! The patterns `gather` and `scatter`: elements that move by positions.
//!
//! A position out of range writes its rank in C order into the deferred error, so that the first one counts; a kernel
//! of one thread ([`Action::Report`]) then puts its value and its axis beside it. A scatter looks at all positions
//! first and writes nothing where one is bad. Of several writers of an element the last one wins: all put their rank
//! into a table, by the element's place or, where the array is much larger than what is written, by its hash; the
//! largest rank stays and its owner writes.
//!
//! Arguments: the number of elements, the index map (of the array that positions index, then of the other one, then of
//! each array of positions), the addresses of these arrays, for each array of positions the extent and the stride of
//! its axis, the address of the deferred error (its words: the complement of the rank, the value, the number of the
//! array), and for [`Action::Claim`] and [`Action::Write`] the lowest offset of the array, the table of ranks, that of
//! keys and its slots.

use std::fmt::Write;

use ndany_core::DType;
use ndany_core::program::Prim;

use crate::layout::IndexMap;
use crate::text::{combine_elements, element_of};
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = 256;

/// Elements of a thread: loads that are under way together.
pub const EACH: u32 = 4;

/// What a kernel does with each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Reads it at its positions.
    Gather,
    /// Looks at its positions.
    Check,
    /// Puts the value and the axis of the first bad position into the deferred error.
    Report,
    /// Puts its rank into the table.
    Claim(Table),
    /// Writes it, if its rank is in the table.
    Write(Table),
    /// Combines it into what is there.
    Combine(Prim),
}

/// How the table finds an element of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// By its place.
    Place,
    /// By a hash of its place.
    Hash,
}

/// A kernel of the patterns: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GatherScatter {
    /// What it does.
    pub action: Action,
    /// The elements; of those that only move the size counts.
    pub dtype: DType,
    /// I64, or, of a gather, I32.
    pub position_dtype: DType,
    /// The array that positions index, the other one, the arrays of positions.
    pub index_map: IndexMap,
}

/// Elements that are only moved are unsigned numbers of their size.
pub fn moved(dtype: DType) -> DType {
    match dtype.size() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        8 => DType::U64,
        _ => DType::C128,
    }
}

impl Kernel for GatherScatter {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        if let Action::Combine(prim) = self.action {
            combine_elements(&mut text, prim, self.dtype);
        }
        text.push_str(include_str!("device/gather_scatter.h"));
        self.arguments(&mut text);
        match self.action {
            Action::Report => self.report(&mut text),
            Action::Gather => self.gather(&mut text),
            Action::Check | Action::Claim(_) | Action::Write(_) | Action::Combine(_) => {
                self.body(&mut text)
            }
        }
        Source::new(&text, "gather_scatter")
    }
}

impl GatherScatter {
    fn positions(&self) -> usize {
        self.index_map.steps.len() - 2
    }

    fn arguments(&self, out: &mut String) {
        let element = element_of(self.dtype);
        out.push_str("struct Args {\nu64 count;\n");
        self.index_map.fields(out, "map");
        let _ = writeln!(out, "{element}* array;\n{element}* other;");
        let position = element_of(self.position_dtype);
        (0..self.positions()).for_each(|k| {
            let _ = writeln!(out, "const {position}* positions{k};");
        });
        (0..self.positions()).for_each(|k| {
            let _ = writeln!(out, "i64 extent{k};\ni64 stride{k};");
        });
        out.push_str("u64* deferred;\n");
        if let Action::Claim(_) | Action::Write(_) = self.action {
            out.push_str("i64 lowest;\nu64* ranks;\nu64* keys;\nu64 slots;\n");
        }
        out.push_str("};\n");
    }

    fn body(&self, out: &mut String) {
        let position = self.index_map.position();
        let _ = writeln!(out, "KERNEL({BLOCK}) gather_scatter(const Args a) {{");
        if self.action != Action::Check {
            // They come after the check.
            out.push_str("if (a.deferred[0] != 0) return;\n");
        }
        let _ = writeln!(
            out,
            "const {position} first = ({position})block_x() * {} + thread();\n\
             #pragma unroll\n\
             for (u32 k = 0; k < {EACH}; k++) {{\n\
             const {position} p = first + k * {BLOCK};\n\
             if (p < a.count) {{",
            BLOCK * EACH
        );
        self.index_map.offsets(out, "map", "p");
        out.push_str("i64 at = map_at0;\nu32 bad = 0;\n");
        self.resolve(out, "at", "bad");
        match self.action {
            Action::Check => {
                let rank = self.rank("bad");
                let _ = writeln!(out, "if (bad != 0) atomic_max(&a.deferred[0], {rank});");
            }
            Action::Claim(table) => {
                self.slot(out, table);
                out.push_str("atomic_max(&a.ranks[slot], (u64)p + 1);\n");
            }
            Action::Write(table) => {
                self.slot(out, table);
                out.push_str("if (a.ranks[slot] == (u64)p + 1) a.array[at] = a.other[map_at1];\n");
            }
            Action::Combine(_) => out.push_str("combine_at(&a.array[at], a.other[map_at1]);\n"),
            Action::Gather | Action::Report => unreachable!("a kernel of its own"),
        }
        out.push_str("}\n}\n}\n");
    }

    /// Adds what the positions say to an offset, and puts the number of the first bad one, from 1 on, into a variable.
    fn resolve(&self, out: &mut String, at: &str, bad: &str) {
        for k in (0..self.positions()).rev() {
            let _ = writeln!(
                out,
                "i64 position{k} = a.positions{k}[map_at{}];\n\
                 if (!resolve(position{k}, a.extent{k})) {bad} = {};\n\
                 {at} += position{k} * a.stride{k};",
                2 + k,
                k + 1
            );
        }
    }

    /// The word of the deferred error for the first bad position of element `p`.
    fn rank(&self, bad: &str) -> String {
        format!("~((u64)p * {} + ({bad} - 1))", self.positions())
    }

    /// All positions of a thread are read before its elements, and these before the first one is written: what is read may not
    /// wait for what is written, of which the compiler cannot know that it lies elsewhere.
    fn gather(&self, out: &mut String) {
        let (position, offset) = (self.index_map.position(), self.index_map.offset());
        let element = element_of(self.dtype);
        let begin = format!(
            "#pragma unroll\n\
             for (u32 k = 0; k < {EACH}; k++) {{\n\
             const {position} p = first + k * {BLOCK};\n"
        );
        let _ = writeln!(
            out,
            "KERNEL({BLOCK}) gather_scatter(const Args a) {{\n\
             const {position} first = ({position})block_x() * {} + thread();\n\
             i64 at[{EACH}];\n{offset} to[{EACH}];\nu32 bad[{EACH}];\n\
             {begin}at[k] = 0;\nto[k] = 0;\nbad[k] = 0;\n\
             if (p < a.count) {{",
            BLOCK * EACH
        );
        self.index_map.offsets(out, "map", "p");
        out.push_str("at[k] = map_at0;\nto[k] = map_at1;\n");
        self.resolve(out, "at[k]", "bad[k]");
        let rank = self.rank("bad[k]");
        let _ = writeln!(
            out,
            "}}\n}}\n\
             {element} value[{EACH}];\n\
             {begin}if (p < a.count && bad[k] == 0) value[k] = a.array[at[k]];\n}}\n\
             {begin}if (p < a.count) {{\n\
             if (bad[k] != 0) atomic_max(&a.deferred[0], {rank});\n\
             else a.other[to[k]] = value[k];\n}}\n}}\n}}"
        );
    }

    fn slot(&self, out: &mut String, table: Table) {
        out.push_str(match table {
            Table::Place => "const u64 slot = (u64)(at - a.lowest);\n",
            Table::Hash => "const u64 slot = slot_of(a.keys, a.slots, (u64)(at - a.lowest) + 1);\n",
        });
    }

    fn report(&self, out: &mut String) {
        let position = self.index_map.position();
        let count = self.positions();
        let _ = writeln!(
            out,
            "KERNEL(32) gather_scatter(const Args a) {{\n\
             if (thread() != 0 || a.deferred[0] == 0) return;\n\
             const u64 rank = ~a.deferred[0];\n\
             const {position} p = ({position})(rank / {count});\n\
             const u32 which = (u32)(rank % {count});"
        );
        self.index_map.offsets(out, "map", "p");
        for k in 0..count {
            let _ = writeln!(
                out,
                "if (which == {k}) a.deferred[1] = (u64)(i64)a.positions{k}[map_at{}];",
                2 + k
            );
        }
        out.push_str("a.deferred[2] = which;\n}\n");
    }
}
