//! The pattern `map` where some inputs are transposed against the outputs: their neighbours step along another axis.
//!
//! A block has a square of the two axes. A transposed input passes through shared memory: read along its own
//! neighbours, used along those of the outputs. The program must not ask for positions. Arguments: the extents along
//! the outputs' neighbours (x) and across (y), the tiles of each (divisors), the index map over the other axes, the
//! strides of each array along x and y, the addresses of inputs and outputs, the scalars, and, if the program can fail,
//! its error word's address.

use std::fmt::Write;

use ndany_core::program::{Op, Program};

use crate::layout::IndexMap;
use crate::lines::{input_fields, last_fields, output_fields};
use crate::text::{Code, element_of, type_of};
use crate::{Dialect, Kernel, Source};

/// Threads of a block.
pub const BLOCK: u32 = 256;

/// Elements along each side of a block's square.
pub const SIDE: usize = 32;

/// Most bytes of elements that pass through shared memory, over all inputs.
pub const MOST_BYTES: usize = 40;

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tiles {
    /// What to compute.
    pub program: Program,
    /// Inputs, then outputs, over the axes that are neither x nor y.
    pub outer: IndexMap,
    /// Which inputs are transposed.
    pub transposed: Vec<bool>,
}

impl Kernel for Tiles {
    fn source(&self, dialect: &Dialect) -> Source {
        let code = Code::new(&self.program);
        let mut text = Source::begin(dialect);
        text.push_str(&code.declarations());
        let divisor = if self.outer.wide { "u64" } else { "Divisor" };
        let _ =
            writeln!(text, "struct Args {{\nu64 extent_x, extent_y;\n{divisor} tiles_x, tiles_y;");
        self.outer.fields(&mut text, "outer");
        for array in 0..self.outer.steps.len() {
            let _ = writeln!(text, "i64 x{array}, y{array};");
        }
        input_fields(&code, &mut text);
        output_fields(&code, &mut text);
        last_fields(&code, &mut text);
        text.push_str("};\n");
        self.body(&code, &mut text);
        Source::new(&text, "tiles")
    }
}

impl Tiles {
    fn body(&self, code: &Code, out: &mut String) {
        let program = &code.program;
        let item = self.outer.position();
        let offset = if self.outer.wide { "i64" } else { "i32" };
        let inputs = program.inputs.len();
        let lines = BLOCK as usize / SIDE;
        let _ = writeln!(
            out,
            "KERNEL({BLOCK}) tiles(const Args a) {{\n\
             u64 error = 0;\n\
             const u32 tx = thread() % {SIDE}, ty = thread() / {SIDE};\n\
             const {item} row = divide(({item})block_x(), a.tiles_x);\n\
             const {item} x0 = (({item})block_x() - row * extent_of(a.tiles_x)) * {SIDE};\n\
             const {item} number = divide(row, a.tiles_y);\n\
             const {item} y0 = (row - number * extent_of(a.tiles_y)) * {SIDE};"
        );
        self.outer.offsets(out, "outer", "number");
        let transposed: Vec<usize> = (0..inputs).filter(|&array| self.transposed[array]).collect();
        for &array in &transposed {
            let element = element_of(program.inputs[array].dtype);
            let _ = writeln!(out, "SHARED {element} tile{array}[{SIDE}][{SIDE} + 1];");
        }
        // Here the fastest threads go along y.
        let _ = writeln!(
            out,
            "#pragma unroll\n\
             for (u32 k = ty; k < {SIDE}; k += {lines}) {{\n\
             const {item} x = x0 + k, y = y0 + tx;\n\
             if (x < a.extent_x && y < a.extent_y) {{"
        );
        for &array in &transposed {
            let _ = writeln!(
                out,
                "tile{array}[k][tx] = a.input{array}[outer_at{array} + ({offset})x * ({offset})a.x{array} + ({offset})y];"
            );
        }
        let _ = writeln!(
            out,
            "}}\n}}\nbarrier();\n\
             #pragma unroll\n\
             for (u32 k = ty; k < {SIDE}; k += {lines}) {{\n\
             const {item} x = x0 + tx, y = y0 + k;\n\
             if (x < a.extent_x && y < a.extent_y) {{"
        );
        let at = |array: usize| {
            format!(
                "outer_at{array} + ({offset})x * ({offset})a.x{array} + ({offset})y * ({offset})a.y{array}"
            )
        };
        let needed = code.needed();
        let steps = code.steps();
        code.lines(&needed, out, |out, reg| {
            let instr = &program.instrs[reg];
            match instr.op {
                Op::Load { input, part } => {
                    let array = usize::from(input);
                    let element = match self.transposed[array] {
                        true => format!("tile{array}[tx][k]"),
                        false => format!("a.input{array}[{}]", at(array)),
                    };
                    let ty = type_of(instr.ty);
                    let _ = writeln!(out, "const {ty} r{reg} = get<{part}>({element});");
                }
                _ => steps.line(out, reg, "r"),
            }
        });
        for (k, output) in program.outputs.iter().enumerate() {
            let [real, imaginary] = output.parts;
            let _ = writeln!(out, "put(a.output{k}[{}], r{real}, r{imaginary});", at(inputs + k));
        }
        out.push_str("}\n}\n");
        if code.fails() {
            out.push_str("if (error != 0) atomic_max(a.error, error);\n");
        }
        out.push_str("}\n");
    }
}
