//! The pattern `reduce` where neighbours in memory belong to neighbouring rows (a sum over the first axis): the same
//! plan as in `rows`, with threads side by side over the rows so that they read neighbours.
//!
//! A block has [`Columns::across`] rows and one chunk of each; a thread holds several of a chunk's lanes. Arguments:
//! the number of rows along the innermost axis in front of the row (the columns), the blocks that column_block them (a
//! divisor), the chunks of a row (a divisor), the extent of the row, the index map over rows, the index map through a
//! row, the inputs, the outputs or, part by part, the states (of chunk `c` of row `r` at `r * chunks + c`), the
//! scalars, and, if the program can fail, the address of its error word.

use std::fmt::Write;

use ndany_core::plan;
use ndany_core::program::Program;

use crate::layout::IndexMap;
use crate::lines::{input_fields, last_fields, lift, of_row, output_fields};
use crate::row_cache::RowCache;
use crate::steps::states;
use crate::text::{Code, state, type_of};
use crate::{Dialect, Kernel, Source};

/// Lanes that a thread holds of a row that has several threads; of states of more than 8 bytes half as many.
const HELD: usize = 16;

/// The most elements of rows that have one thread each. The reads of a group of [`GROUP`] lanes do not wait for each other.
const SHORT: [usize; 4] = [4, 8, 16, 32];

/// Lanes whose elements a thread reads together.
const GROUP: usize = 8;

/// Bytes of lanes that a thread holds at most of a row of its own: half of its registers.
const MOST_HELD: usize = 256;

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Columns {
    /// What to compute.
    pub program: Program,
    /// Inputs, then outputs (none if states are written) over the axes in front of the row.
    pub outer: IndexMap,
    /// The same along the axes of the row.
    pub row: IndexMap,
    /// The power of two that is not below the extent of rows that have one thread each.
    pub short: Option<usize>,
    /// Lanes of the plan that other rows have, whose threads hold them together: the power of two that is not below the extent of
    /// the row, from 32 to all.
    pub lanes: usize,
    /// Whether the states of chunks are written.
    pub states: bool,
}

impl Columns {
    /// The kernel for rows of this extent.
    pub fn new(
        program: Program,
        outer: IndexMap,
        row: IndexMap,
        extent: usize,
        states: bool,
    ) -> Self {
        let bytes = state_bytes(&program);
        let one_thread =
            |held: &usize| extent <= *held && (*held <= HELD || held * bytes <= MOST_HELD);
        let short = SHORT.into_iter().find(one_thread);
        let lanes = match short {
            Some(_) => plan::ACCUMULATORS,
            None => extent.next_power_of_two().clamp(2 * HELD, plan::ACCUMULATORS),
        };
        Columns { program, outer, row, short, lanes, states }
    }

    /// Rows of a block.
    pub fn across(&self) -> usize {
        if self.short.is_some() { 128 } else { 32 }
    }

    /// Lanes that a thread holds.
    fn held(&self) -> usize {
        match self.short {
            Some(lanes) => lanes.min(GROUP),
            None if state_bytes(&self.program) > 8 => HELD / 2,
            None => HELD,
        }
    }

    /// Threads of a row.
    fn down(&self) -> usize {
        if self.short.is_some() { 1 } else { self.lanes / self.held() }
    }

    /// Threads of a block.
    pub fn block(&self) -> u32 {
        (self.across() * self.down()) as u32
    }
}

fn state_bytes(program: &Program) -> usize {
    states(program).iter().map(|dtype| dtype.size()).sum()
}

impl Kernel for Columns {
    fn source(&self, dialect: &Dialect) -> Source {
        let code = Code::new(&self.program);
        let mut text = Source::begin(dialect);
        text.push_str(include_str!("device/columns.h"));
        text.push_str(&code.declarations());
        state(&mut text, &code, 0);
        self.arguments(&code, &mut text);
        self.body(&code, &mut text);
        Source::new(&text, "columns")
    }
}

impl Columns {
    fn arguments(&self, code: &Code, out: &mut String) {
        let divisor = if self.outer.wide { "u64" } else { "Divisor" };
        let _ = writeln!(
            out,
            "struct Args {{\nu64 columns;\n{divisor} column_blocks;\n{divisor} chunks;\nu64 extent;"
        );
        self.outer.fields(out, "outer");
        self.row.fields(out, "row");
        input_fields(code, out);
        if self.states {
            for field in code.state_fields(0) {
                let _ = writeln!(out, "{}* {};", type_of(field.ty), field.name());
            }
        } else {
            output_fields(code, out);
        }
        last_fields(code, out);
        out.push_str("};\n");
    }

    fn body(&self, code: &Code, out: &mut String) {
        let (item, position) = (self.outer.position(), self.row.position());
        let (across, down, block) = (self.across(), self.down(), self.block());
        let held = self.held();
        let (chunk, lanes) = (plan::CHUNK, plan::ACCUMULATORS);
        let needed = code.needed();
        let _ = writeln!(
            out,
            "KERNEL({block}) columns(const Args a) {{\n\
             u64 error = 0;\n\
             SHARED Stack<State0, {across}, {down}> stack;\n\
             const u32 x = thread() % {across}, y = thread() / {across};\n\
             const {item} column_block = divide(({item})block_x(), a.chunks);\n\
             const {item} number_of_chunk = ({item})block_x() - column_block * extent_of(a.chunks);\n\
             const {item} other = divide(column_block, a.column_blocks);\n\
             const {item} own = (column_block - other * extent_of(a.column_blocks)) * {across} + x;\n\
             const bool active = own < a.columns;\n\
             const {item} number = other * ({item})a.columns + (active ? own : ({item})a.columns - 1);\n\
             const {position} extent = ({position})a.extent;\n\
             const {position} begin = ({position})number_of_chunk * {chunk};\n\
             const u32 count = extent - begin < {chunk} ? (u32)(extent - begin) : {chunk};"
        );
        self.outer.offsets(out, "outer", "number");
        of_row(code, &needed, 0, out);
        lift(code, &self.row, 0, &RowCache::nothing(1), out);
        let _ = writeln!(out, "State0 held[{held}];");
        out.push_str(&match self.short {
            // The row has no other chunk, and the chunk no second run.
            Some(lanes) => short(lanes),
            None => format!(
                "const u32 first = y * {held};\n\
                 #pragma unroll\n\
                 for (u32 k = 0; k < {held}; k++) held[k] = lift0(begin + (first + k < count ? first + k : 0), true, error);\n\
                 u32 run = {lanes};\n\
                 for (; run + {lanes} <= count; run += {lanes}) {{\n\
                 State0 next[{held}];\n\
                 #pragma unroll\n\
                 for (u32 k = 0; k < {held}; k++) next[k] = lift0(begin + run + first + k, true, error);\n\
                 #pragma unroll\n\
                 for (u32 k = 0; k < {held}; k++) held[k] = combine(held[k], next[k], error);\n\
                 }}\n\
                 #pragma unroll\n\
                 for (u32 k = 0; k < {held}; k++) {{\n\
                 if (run + first + k < count) held[k] = combine(held[k], lift0(begin + run + first + k, true, error), error);\n\
                 }}\n"
            ),
        });
        let _ = writeln!(
            out,
            "fold_lanes<State0, {across}, {down}, {held}>(held, x, y, count, stack, error);\n\
             if (active && y == 0) {{\n\
             const State0 result0 = held[0];"
        );
        if self.states {
            for field in code.state_fields(0) {
                let name = field.name();
                let _ = writeln!(
                    out,
                    "a.{name}[(u64)number * extent_of(a.chunks) + number_of_chunk] = result0.{name};"
                );
            }
        } else {
            of_row(code, &needed, 1, out);
            let inputs = code.program.inputs.len();
            for (k, output) in code.program.outputs.iter().enumerate() {
                let [real, imaginary] = output.parts;
                let array = inputs + k;
                let _ = writeln!(out, "put(a.output{k}[outer_at{array}], r{real}, r{imaginary});");
            }
        }
        out.push_str("}\n");
        if code.fails() {
            out.push_str("if (active && error != 0) atomic_max(a.error, error);\n");
        }
        out.push_str("}\n");
    }
}

/// The lines that read a short row of more than half of so many lanes, and combine its groups as the plan does.
fn short(lanes: usize) -> String {
    let held = lanes.min(GROUP);
    let read = |place: String| {
        format!("#pragma unroll\nfor (u32 k = 0; k < {held}; k++) {place}, true, error);\n")
    };
    // Lanes that are not there read the first one.
    let last = |to: &str, first: usize| {
        read(format!("{to}[k] = lift0({first} + k < count ? {first} + k : 0"))
    };
    let combined = |to: &str, from: &str, first: usize| {
        format!(
            "#pragma unroll\n\
             for (u32 k = 0; k < {held}; k++) {{\n\
             if ({first} + k < count) {to}[k] = combine({to}[k], {from}[k], error);\n\
             }}\n"
        )
    };
    let mut out = match lanes > GROUP {
        false => return last("held", 0),
        true => read("held[k] = lift0(k".to_string()),
    };
    let _ = writeln!(out, "State0 next[{held}];");
    out.push_str(&last("next", lanes / 2));
    out.push_str(&combined("held", "next", lanes / 2));
    if lanes > 2 * GROUP {
        let _ = writeln!(out, "State0 upper[{held}];");
        out.push_str(&read(format!("upper[k] = lift0({GROUP} + k")));
        let _ = writeln!(out, "if ({} < count) {{", 3 * GROUP);
        out.push_str(&last("next", 3 * GROUP));
        out.push_str(&combined("upper", "next", 3 * GROUP));
        out.push_str("}\n");
        out.push_str(&combined("held", "upper", GROUP));
    }
    out
}
