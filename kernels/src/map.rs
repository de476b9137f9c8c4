//! The pattern `map`: a program without reductions over every element.
//!
//! A thread takes `vector` neighbours along the innermost axis, so that what lies contiguously moves in pieces of 16
//! bytes. Arguments: the position of the first element, the number of vectors, where rows are stacked the number of vectors of a row
//! and of tiles along it, the index map, the address of each input
//! and output, the scalars, and, if the program can fail, the address of its error word.

use std::fmt::Write;

use ndany_core::program::{Op, Program};
use smallvec::SmallVec;

use crate::layout::{IndexMap, Stride};
use crate::lines::{input_fields, last_fields, output_fields};
use crate::text::{Code, element_of, type_of};
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = 256;

/// Blocks that are to fit a processor where steps repeat, which is how many registers a thread may have. Regions that few elements lie
/// in hold most registers; what does not fit is in memory while such a region runs. Of 21 special functions measured on an H200 that
/// made eight 6 to 40 % faster and two 2 % slower.
const BLOCKS_BESIDE: u32 = 4;

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// What to compute.
    pub program: Program,
    /// Inputs, then outputs.
    pub index_map: IndexMap,
    /// Neighbours along the innermost axis that a thread takes: a power of two that divides its extent; 1 if some
    /// array steps by `Any` along it, or an output lies where pieces may not.
    pub vector: u32,
    /// Inputs whose elements are loaded one by one, as bits: those that do not lie where pieces may.
    pub apart: u64,
    /// Which of those lie a few elements beside another input, in the order in which they are read.
    pub shifts: Shifts,
    /// Whether a block takes [several rows](TILE) of the innermost axis, for inputs that are views of neighbouring rows: what one of
    /// its threads loads, others find in the cache.
    pub stacked: bool,
}

/// Vectors of a row, and rows, that a block takes where rows are stacked.
pub const TILE: [u32; 2] = [32, BLOCK / 32];

/// Inputs that lie beside others, each at most once.
pub type Shifts = SmallVec<[Shift; 4]>;

/// An input whose element `k` is element `k + by` of another input in the same memory: neighbours that the thread has read of that
/// one are not loaded again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shift {
    /// The input, which is one of [`Map::apart`].
    pub input: u8,
    /// The other one, which is read before it.
    pub of: u16,
    /// How many elements it lies after the other one; less than [`Map::vector`] before or after it.
    pub by: i8,
}

impl Kernel for Map {
    fn source(&self, dialect: &Dialect) -> Source {
        let code = Code::new(&self.program);
        let mut text = Source::begin(dialect);
        text.push_str(&code.declarations());
        self.arguments(&code, &mut text);
        self.body(&code, &mut text);
        Source::new(&text, "map")
    }
}

impl Map {
    fn arguments(&self, code: &Code, out: &mut String) {
        out.push_str("struct Args {\nu64 first;\nu64 count;\n");
        if self.stacked {
            let divisor = if self.index_map.wide { "u64" } else { "Divisor" };
            let _ = writeln!(out, "u64 columns;\n{divisor} tiles;");
        }
        self.index_map.fields(out, "map");
        input_fields(code, out);
        output_fields(code, out);
        last_fields(code, out);
        out.push_str("};\n");
    }

    /// Lines that take the elements of an input from another one's, and load the others.
    fn read_beside(&self, shift: &Shift, out: &mut String) {
        let Shift { input, of, by } = *shift;
        for k in 0..self.vector {
            let at = i64::from(k) + i64::from(by);
            let _ = match (0..i64::from(self.vector)).contains(&at) {
                true => writeln!(out, "in{input}.at[{k}] = in{of}.at[{at}];"),
                false => writeln!(out, "in{input}.at[{k}] = a.input{input}[map_at{input} + {k}];"),
            };
        }
    }

    fn body(&self, code: &Code, out: &mut String) {
        let program = &code.program;
        let (vector, position) = (self.vector, self.index_map.position());
        let inputs = program.inputs.len();
        let inner =
            |array: usize| self.index_map.steps[array].last().copied().unwrap_or(Stride::Zero);
        let needed = code.needed();
        let head = match self.program.repeats() {
            true => format!("KERNEL_BESIDE({BLOCK}, {BLOCKS_BESIDE})"),
            false => format!("KERNEL({BLOCK})"),
        };
        let _ = writeln!(out, "{head} map(const Args a) {{");
        let [columns, rows] = TILE;
        let _ = match self.stacked {
            false => writeln!(
                out,
                "const {position} vector = ({position})block_x() * {BLOCK} + thread();"
            ),
            // A row after the last one is after all vectors.
            true => writeln!(
                out,
                "const {position} band = divide(({position})block_x(), a.tiles);\n\
                 const {position} tile = ({position})block_x() - band * extent_of(a.tiles);\n\
                 const {position} column = tile * {columns} + thread() % {columns};\n\
                 if (column >= a.columns) return;\n\
                 const {position} row = band * {rows} + thread() / {columns};\n\
                 const {position} vector = row * ({position})a.columns + column;"
            ),
        };
        let _ = writeln!(
            out,
            "if (vector >= a.count) return;\n\
             const {position} first = ({position})a.first + vector * {vector};"
        );
        if code.fails() {
            out.push_str("u64 error = 0;\n");
        }
        self.index_map.offsets(out, "map", "first");
        // All loads stand in front of all steps, so that they are under way together.
        let mut read = vec![false; inputs];
        for (instr, &needed) in program.instrs.iter().zip(&needed) {
            if let (Op::Load { input, .. }, true) = (instr.op, needed) {
                read[usize::from(input)] = true;
            }
        }
        let shift_of = |array: usize| {
            let shift = self.shifts.iter().find(|shift| usize::from(shift.input) == array);
            shift.filter(|shift| read[usize::from(shift.of)])
        };
        // Those that lie beside others come after them.
        let shifted = self.shifts.iter().map(|shift| usize::from(shift.input));
        let whole = (0..inputs).filter(|array| shifted.clone().all(|other| other != *array));
        for array in whole.chain(shifted.clone()).filter(|&array| read[array]) {
            match inner(array) {
                Stride::Zero => {
                    let _ = writeln!(out, "const auto in{array} = a.input{array}[map_at{array}];");
                }
                Stride::One | Stride::Any if array < 64 && self.apart >> array & 1 == 1 => {
                    let element = element_of(program.inputs[array].dtype);
                    let _ = writeln!(out, "Pack<{element}, {vector}> in{array};");
                    match shift_of(array) {
                        Some(shift) => self.read_beside(shift, out),
                        None => {
                            let _ = writeln!(
                                out,
                                "#pragma unroll\n\
                                 for (u32 k = 0; k < {vector}; k++) in{array}.at[k] = a.input{array}[map_at{array} + k];"
                            );
                        }
                    }
                }
                Stride::One | Stride::Any => {
                    let _ = writeln!(
                        out,
                        "const auto in{array} = load<{vector}>(a.input{array} + map_at{array});"
                    );
                }
            }
        }
        for (k, output) in program.outputs.iter().enumerate() {
            let _ = writeln!(out, "Pack<{}, {vector}> out{k};", element_of(output.dtype));
        }
        // What is the same for all neighbours.
        let _ = writeln!(out, "#pragma unroll\nfor (u32 k = 0; k < {vector}; k++) {{");
        let steps = code.steps();
        code.lines(&needed, out, |out, reg| {
            let instr = &program.instrs[reg];
            match instr.op {
                Op::Load { input, part } => {
                    let array = usize::from(input);
                    let element = match inner(array) {
                        Stride::Zero => format!("in{array}"),
                        Stride::One | Stride::Any => format!("in{array}.at[k]"),
                    };
                    let ty = type_of(instr.ty);
                    let _ = writeln!(out, "const {ty} r{reg} = get<{part}>({element});");
                }
                Op::Index => {
                    let _ = writeln!(out, "const i64 r{reg} = (i64)first + k;");
                }
                _ => steps.line(out, reg, "r"),
            }
        });
        for (k, output) in program.outputs.iter().enumerate() {
            let [real, imaginary] = output.parts;
            let _ = writeln!(out, "put(out{k}.at[k], r{real}, r{imaginary});");
        }
        out.push_str("}\n");
        for k in 0..program.outputs.len() {
            let _ = writeln!(out, "store<{vector}>(a.output{k} + map_at{}, out{k});", inputs + k);
        }
        if code.fails() {
            out.push_str("if (error != 0) atomic_max(a.error, error);\n");
        }
        out.push_str("}\n");
    }
}
