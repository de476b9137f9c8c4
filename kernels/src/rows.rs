//! The patterns `reduce` and `fused_rowwise`: reductions of rows by the canonical plan, and what follows from them for
//! the elements of the same row.
//!
//! A group of threads, one per lane of the plan, has a row, or one chunk of it. Between two reductions that need each
//! other what is needed of a row stays on chip (`row_cache.rs`), or else is read again, from the nearest cache. A row
//! of many chunks is reduced in steps: each group writes the state of its chunk, and another step
//! ([`crate::steps::of_chunks`]) reduces those.
//!
//! Arguments: the number of items (rows, or chunks of all rows), the extent of the row, the chunks of a row (a
//! divisor), the index map over rows, the index map through a row, the inputs, the outputs or, part by part, the
//! states, the scalars, and, if the program can fail, the address of its error word.

use std::fmt::Write;

use ndany_core::plan;
use ndany_core::program::{Domain, Output, Program};

use crate::layout::IndexMap;
use crate::lines::{
    input_fields, last_fields, lift, of_element, of_row, output_fields, read_and_lift,
};
use crate::row_cache::RowCache;
use crate::text::{Code, state, type_of};
use crate::{Dialect, Kernel, Source};

/// Threads of a block, which are one group or several.
pub const BLOCK: u32 = plan::ACCUMULATORS as u32;

/// Packs that come in together, of each input.
const PACKS_TOGETHER: u32 = 4;

/// How much of a row a group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// All of it: one chunk.
    Chunk,
    /// All of it: several chunks, one after the other.
    Chunks,
    /// One chunk, whose states are written.
    State,
}

/// A kernel of the patterns: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rows {
    /// What to compute.
    pub program: Program,
    /// Inputs, then outputs (none for [`Part::State`]) over the axes in front of the row.
    pub outer: IndexMap,
    /// The same along the axes of the row.
    pub row: IndexMap,
    /// Threads of a group: a power of two that a warp has, or [`BLOCK`].
    pub group: u32,
    /// Lanes of the plan that a thread has; a group has as many as the row has elements, if those are fewer than the plan's.
    pub each: u32,
    /// Neighbours that a thread reads at once, of each input that has neighbours along the row: 1, or a power of two of which the
    /// extent and the strides in front of the row are multiples.
    pub pack: u32,
    /// What a group does.
    pub part: Part,
    /// Most elements of a row of [`Part::Chunk`] in this kernel, a power of two: passes share memory for this many.
    pub capacity: usize,
}

impl Kernel for Rows {
    fn source(&self, dialect: &Dialect) -> Source {
        assert!(
            self.group <= dialect.warp_size || self.group == BLOCK,
            "a group is in a warp or the block"
        );
        let code = Code::new(&self.program);
        assert!(self.pack == 1 || code.stage_count() == 1, "packs are read once");
        let mut text = Source::begin(dialect);
        let _ = writeln!(text, "#define AHEAD {}", code.ahead());
        text.push_str(include_str!("device/thread_group.h"));
        text.push_str(&code.declarations());
        (0..code.stage_count()).for_each(|stage| state(&mut text, &code, stage));
        self.arguments(&code, &mut text);
        let keep = match self.part {
            Part::Chunk if self.group == BLOCK => RowCache::plan(&code, self.capacity),
            Part::Chunk | Part::Chunks | Part::State => RowCache::nothing(code.stage_count()),
        };
        let (needed, out) = (code.needed(), &mut text);
        let mut printer = Printer { kernel: self, code: &code, needed, keep, out };
        printer.kernel();
        Source::new(&text, "rows")
    }
}

impl Rows {
    fn arguments(&self, code: &Code, out: &mut String) {
        let divisor = if self.outer.wide { "u64" } else { "Divisor" };
        let _ = writeln!(out, "struct Args {{\nu64 items;\nu64 extent;\n{divisor} chunks;");
        self.outer.fields(out, "outer");
        self.row.fields(out, "row");
        input_fields(code, out);
        if self.part == Part::State {
            for field in code.state_fields(0) {
                let _ = writeln!(out, "{}* {};", type_of(field.ty), field.name());
            }
        } else {
            output_fields(code, out);
        }
        last_fields(code, out);
        out.push_str("};\n");
    }
}

struct Printer<'k> {
    kernel: &'k Rows,
    code: &'k Code,
    needed: Vec<bool>,
    keep: RowCache,
    out: &'k mut String,
}

impl Printer<'_> {
    fn kernel(&mut self) {
        let Rows { group, part, .. } = *self.kernel;
        let (item, position) = (self.kernel.outer.position(), self.kernel.row.position());
        let (code, program) = (self.code, &self.code.program);
        let groups = BLOCK / group;
        // Threads without an item of their own go along with the last one: the block exchanges states.
        let _ = writeln!(
            self.out,
            "KERNEL({BLOCK}) rows(const Args a) {{\n\
             u64 error = 0;\n\
             const u32 lane = thread() % {group};\n\
             const {item} own = ({item})block_x() * {groups} + thread() / {group};\n\
             const bool active = own < a.items;\n\
             const {item} item = active ? own : ({item})a.items - 1;\n\
             const {position} extent = ({position})a.extent;"
        );
        match part {
            Part::State => {
                let _ = writeln!(
                    self.out,
                    "const {item} number = divide(item, a.chunks);\n\
                     const {position} begin = ({position})(item - number * extent_of(a.chunks)) * {};",
                    plan::CHUNK
                );
            }
            Part::Chunk => {
                let _ =
                    writeln!(self.out, "const {item} number = item;\nconst {position} begin = 0;");
            }
            Part::Chunks => {
                let _ = writeln!(self.out, "const {item} number = item;");
            }
        }
        self.out.push_str(&self.keep.declare(self.kernel.capacity));
        self.kernel.outer.offsets(self.out, "outer", "number");
        of_row(code, &self.needed, 0, self.out);
        let stages = if part == Part::State { 1 } else { code.stage_count() };
        for stage in 0..stages {
            self.stage(stage);
            if part == Part::State {
                self.write_states();
            } else {
                let _ = writeln!(
                    self.out,
                    "const State{stage} result{stage} = broadcast<State{stage}, {group}>(state{stage}, lane, shared{stage});"
                );
                of_row(code, &self.needed, stage + 1, self.out);
            }
        }
        if part != Part::State {
            self.write_row();
            if program.outputs.iter().any(|output| output.domain == Domain::Element) {
                self.write_elements();
            }
        }
        if code.fails() {
            self.out.push_str("if (active && error != 0) atomic_max(a.error, error);\n");
        }
        self.out.push_str("}\n");
    }

    /// The state of the row (or chunk) in lane 0.
    fn stage(&mut self, stage: u32) {
        let (group, part) = (self.kernel.group, self.kernel.part);
        let position = self.kernel.row.position();
        let _ = writeln!(self.out, "SHARED GroupShared<State{stage}, {group}> shared{stage};");
        if self.kernel.pack > 1 {
            return self.stage_of_packs();
        }
        lift(self.code, &self.kernel.row, stage, &self.keep, self.out);
        let _ = match part {
            Part::Chunk if self.kernel.each > 1 => writeln!(
                self.out,
                "const State{stage} state{stage} = reduce_in_warp<State{stage}, {group}, {}, {position}>(\
                 lift{stage}, begin, extent, lane, shared{stage}, error);",
                self.kernel.each
            ),
            Part::Chunk | Part::State => writeln!(
                self.out,
                "const State{stage} state{stage} = reduce_chunk<State{stage}, {group}, {position}>(\
                 lift{stage}, begin, extent - begin < CHUNK ? (u32)(extent - begin) : CHUNK, lane, shared{stage}, error);"
            ),
            Part::Chunks => writeln!(
                self.out,
                "SHARED Levels<State{stage}> levels{stage};\n\
                 const State{stage} state{stage} = reduce_row<State{stage}, {position}>(\
                 lift{stage}, 0, extent, lane, shared{stage}, levels{stage}, error);"
            ),
        };
    }

    /// The same of the only stage, from packs of neighbours.
    fn stage_of_packs(&mut self) {
        let Rows { group, each, pack, .. } = *self.kernel;
        let position = self.kernel.row.position();
        read_and_lift(self.code, &self.kernel.row, pack, self.out);
        let packs = each / pack;
        let is_long = (group * each) as usize == plan::ACCUMULATORS;
        let runs = if is_long { (PACKS_TOGETHER / packs).max(1) } else { 1 };
        let _ = writeln!(
            self.out,
            "const State0 state0 = reduce_packs<State0, Read, {group}, {pack}, {packs}, {runs}, {position}>(\
             read0, lift0, begin, extent - begin < CHUNK ? (u32)(extent - begin) : CHUNK, lane, shared0, error);"
        );
    }

    fn write_states(&mut self) {
        self.out.push_str("if (active && lane == 0) {\n");
        for field in self.code.state_fields(0) {
            let name = field.name();
            let _ = writeln!(self.out, "a.{name}[item] = state0.{name};");
        }
        self.out.push_str("}\n");
    }

    fn write_row(&mut self) {
        let inputs = self.code.program.inputs.len();
        let outputs = self.code.program.outputs.iter().enumerate();
        self.out.push_str("if (active && lane == 0) {\n");
        for (k, output) in outputs.filter(|(_, output)| output.domain == Domain::Row) {
            let [real, imaginary] = output.parts;
            let _ = writeln!(
                self.out,
                "put(a.output{k}[outer_at{}], r{real}, r{imaginary});",
                inputs + k
            );
        }
        self.out.push_str("}\n");
    }

    fn write_elements(&mut self) {
        let (group, position) = (self.kernel.group, self.kernel.row.position());
        let inputs = self.code.program.inputs.len();
        let outputs: Vec<(usize, Output)> = self
            .code
            .program
            .outputs
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, output)| output.domain == Domain::Element)
            .collect();
        let _ = writeln!(
            self.out,
            "#pragma unroll 4\nfor ({position} p = lane; p < extent; p += {group}) {{"
        );
        let roots = outputs.iter().flat_map(|(_, output)| output.parts);
        let Some(found) = self.keep.found.last() else { unreachable!("one a pass") };
        of_element(self.code, &self.kernel.row, roots, found, true, self.out);
        self.out.push_str("if (active) {\n");
        for (k, output) in outputs {
            let [real, imaginary] = output.parts;
            let array = inputs + k;
            let _ = writeln!(
                self.out,
                "put(a.output{k}[outer_at{array} + row_at{array}], r{real}, r{imaginary});"
            );
        }
        self.out.push_str("}\n}\n");
    }
}
