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
use crate::text::{Code, state, type_of};
use crate::{Dialect, Kernel, Source};

/// Lanes of the plan whose elements a thread reads together.
const TOGETHER: usize = 8;

/// Threads of a block at least.
const BLOCK: usize = 128;

/// Rows of a block at least: neighbours that a warp reads together.
const ACROSS: usize = 32;

/// Threads of a row, unless that has fewer lanes for each than a thread reads together: few numbers, so that few kernels differ.
const DOWN: [usize; 3] = [1, 4, 16];

/// Threads from which on the device is busy.
const MANY_THREADS: usize = 1 << 19;

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Columns {
    /// What to compute.
    pub program: Program,
    /// Inputs, then outputs (none if states are written) over the axes in front of the row.
    pub outer: IndexMap,
    /// The same along the axes of the row.
    pub row: IndexMap,
    /// Lanes of the plan: the power of two that is not below the extent of the row, from 4 to all.
    pub lanes: usize,
    /// Threads of a row.
    pub down: usize,
    /// Whether the states of chunks are written.
    pub states: bool,
}

impl Columns {
    /// The kernel for so many rows of this extent.
    pub fn new(
        program: Program,
        outer: IndexMap,
        row: IndexMap,
        rows: usize,
        extent: usize,
        states: bool,
    ) -> Self {
        let lanes = extent.next_power_of_two().clamp(4, plan::ACCUMULATORS);
        let threads = rows * extent.div_ceil(plan::CHUNK);
        let wanted = MANY_THREADS.div_ceil(threads.max(1));
        let down = DOWN.into_iter().find(|&down| down >= wanted).unwrap_or(DOWN[DOWN.len() - 1]);
        let down = down.min(lanes / TOGETHER).max(1);
        Columns { program, outer, row, lanes, down, states }
    }

    /// Rows of a block.
    pub fn across(&self) -> usize {
        (BLOCK / self.down).max(ACROSS)
    }

    /// Threads of a block.
    pub fn block(&self) -> u32 {
        (self.across() * self.down) as u32
    }
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
        let (across, down, block) = (self.across(), self.down, self.block());
        let (chunk, lanes) = (plan::CHUNK, self.lanes);
        let of_thread = lanes / down;
        let bits = (of_thread / of_thread.min(TOGETHER)).ilog2();
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
        let _ = writeln!(
            out,
            "const State0 mine = reduce_lanes<State0, {lanes}, {down}, {bits}, {position}>(lift0, begin, count, y, error);\n\
             const State0 result0 = fold_lines<State0, {across}, {down}>(mine, x, y, count, stack, error);\n\
             if (active && y == 0) {{"
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_threads_that_keep_a_device_busy() {
        let of = |rows: usize, extent: usize| {
            let map = || IndexMap { axes: 1, steps: Default::default(), wide: false };
            let kernel = Columns::new(Program::default(), map(), map(), rows, extent, false);
            (kernel.lanes, kernel.down, kernel.across())
        };
        assert_eq!(of(1 << 20, 3), (4, 1, 128));
        assert_eq!(of(1 << 20, 40), (64, 1, 128));
        assert_eq!(of(1 << 17, 300), (128, 4, 32));
        assert_eq!(of(1 << 14, 4096), (128, 16, 32));
        assert_eq!(of(1 << 16, 1000), (128, 16, 32));
        // A thread has eight lanes, or all.
        assert_eq!(of(100, 4), (4, 1, 128));
        assert_eq!(of(100, 10), (16, 2, 64));
        // Each chunk has threads of its own.
        assert_eq!(of(1 << 14, 40 * 4096), (128, 1, 128));
    }
}
