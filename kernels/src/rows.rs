//! The patterns `reduce` and `rows`: reductions of rows by the canonical plan, and what follows from them for the
//! elements of the same row.
//!
//! A team of threads, one a lane of the plan, has a row, or one chunk of it. Between two reductions that need each
//! other a row is read again: it comes from the nearest cache. A row of many chunks is reduced in steps: each team
//! writes the state of its chunk, and a second program ([`second`]) reduces those.
//!
//! Arguments: the number of items (rows, or chunks of all rows), the extent of the row, the chunks of a row (a
//! divisor), the walk over rows, the walk through a row, the inputs, the outputs or, part by part, the states, the
//! scalars, and, if the program can fail, the address of its error word.

use std::fmt::Write;

use ndany_core::program::{Domain, Input, Instr, Op, Output, Program, Reduction, Reg, Ty};
use ndany_core::{DType, plan};

use crate::layout::Walk;
use crate::lines::{input_fields, last_fields, lift, of_element, of_row, output_fields};
use crate::text::{Code, state, type_of};
use crate::{Dialect, Kernel, Source};

/// Threads of a block, which are one team or several.
pub const BLOCK: u32 = plan::LANES as u32;

/// How much of a row a team has.
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
    pub outer: Walk,
    /// The same along the axes of the row.
    pub row: Walk,
    /// Threads of a team: [`BLOCK`], or the power of two that is not below the extent of the row.
    pub team: u32,
    /// What a team does.
    pub part: Part,
}

impl Rows {
    /// Can it fail? Then the error word's address is its last argument.
    pub fn fails(&self) -> bool {
        Code::new(&self.program).fails()
    }
}

/// The types of the states that [`Part::State`] writes, in the order of their addresses.
pub fn states(program: &Program) -> Vec<DType> {
    let tys = program.reductions.iter().flat_map(|reduction| {
        reduction.lifted.iter().map(|&reg| stored(program.instrs[usize::from(reg)].ty))
    });
    tys.collect()
}

/// The dtype whose elements are the values of a register.
fn stored(ty: Ty) -> DType {
    match ty {
        Ty::Bool => DType::Bool,
        Ty::I8 => DType::I8,
        Ty::I16 => DType::I16,
        Ty::I32 => DType::I32,
        Ty::I64 => DType::I64,
        Ty::U8 => DType::U8,
        Ty::U16 => DType::U16,
        Ty::U32 => DType::U32,
        Ty::U64 => DType::U64,
        Ty::F32 => DType::F32,
        Ty::F64 => DType::F64,
    }
}

/// The program that reduces the states of chunks: its inputs are the states, part by part, and then those inputs of
/// the first program that its row needs behind the reductions, whose positions are returned.
///
/// The program's reductions must not need each other, and its outputs be of domain `Row`.
pub fn second(program: &Program) -> (Program, Vec<usize>) {
    let domains = program.domains();
    let mut next = Program { scalars: program.scalars.clone(), ..Program::default() };
    for reduction in &program.reductions {
        let mut lifted = smallvec::SmallVec::new();
        for &reg in &reduction.lifted {
            let ty = program.instrs[usize::from(reg)].ty;
            let input = next.inputs.len() as u16;
            next.inputs.push(Input { dtype: stored(ty), domain: Domain::Element });
            lifted.push(next.instrs.len() as Reg);
            next.instrs.push(Instr { op: Op::Load { input, part: 0 }, ty, args: [0; 3] });
        }
        next.reductions.push(Reduction { lifted, combine: reduction.combine.clone() });
    }
    let mut needed = vec![false; program.instrs.len()];
    for output in &program.outputs {
        output.parts.iter().for_each(|&reg| needed[usize::from(reg)] = true);
    }
    for reg in (0..needed.len()).rev() {
        if needed[reg] {
            program.instrs[reg].args().iter().for_each(|&arg| needed[usize::from(arg)] = true);
        }
    }
    let (mut moved, mut kept) = (vec![0; needed.len()], Vec::new());
    for (reg, instr) in program.instrs.iter().enumerate() {
        if !needed[reg] || domains[reg] == Domain::Element {
            continue;
        }
        let mut instr = *instr;
        let arity = instr.op.arity();
        instr.args[..arity].iter_mut().for_each(|arg| *arg = moved[usize::from(*arg)]);
        if let Op::Load { input, part } = instr.op {
            let first = usize::from(input);
            let position = kept.iter().position(|&other| other == first).unwrap_or_else(|| {
                next.inputs.push(program.inputs[first]);
                kept.push(first);
                kept.len() - 1
            });
            let states = next.inputs.len() - kept.len();
            instr.op = Op::Load { input: (states + position) as u16, part };
        }
        moved[reg] = next.instrs.len() as Reg;
        next.instrs.push(instr);
    }
    next.outputs = program
        .outputs
        .iter()
        .map(|output| Output { parts: output.parts.map(|reg| moved[usize::from(reg)]), ..*output })
        .collect();
    (next, kept)
}

impl Kernel for Rows {
    fn source(&self, dialect: &Dialect) -> Source {
        let code = Code::new(&self.program);
        let mut text = Source::begin(dialect);
        text.push_str(include_str!("device/team.h"));
        text.push_str(&code.tables());
        (0..code.stage_count()).for_each(|stage| state(&mut text, &code, stage));
        self.arguments(&code, &mut text);
        let mut printer =
            Printer { kernel: self, code: &code, needed: code.needed(), out: &mut text };
        printer.kernel();
        Source { text, entry: "rows" }
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
    out: &'k mut String,
}

impl Printer<'_> {
    fn kernel(&mut self) {
        let Rows { team, part, .. } = *self.kernel;
        let (item, position) = (self.kernel.outer.position(), self.kernel.row.position());
        let (code, program) = (self.code, &self.code.program);
        let teams = BLOCK / team;
        // Threads without an item of their own go along with the last one: the block exchanges states.
        let _ = writeln!(
            self.out,
            "KERNEL({BLOCK}) rows(const Args a) {{\n\
             u32 error = 0;\n\
             const u32 lane = thread() % {team};\n\
             const {item} own = ({item})block_x() * {teams} + thread() / {team};\n\
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
                    "const State{stage} result{stage} = broadcast<State{stage}, {team}>(state{stage}, lane, room{stage});"
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
            self.out.push_str("if (active && error != 0) *a.error = 1;\n");
        }
        self.out.push_str("}\n");
    }

    /// The state of the row (or chunk) in lane 0.
    fn stage(&mut self, stage: u32) {
        let (team, part) = (self.kernel.team, self.kernel.part);
        let position = self.kernel.row.position();
        let _ = writeln!(self.out, "SHARED Room<State{stage}, {team}> room{stage};");
        lift(self.code, &self.kernel.row, stage, self.out);
        let _ = match part {
            Part::Chunk | Part::State => writeln!(
                self.out,
                "const State{stage} state{stage} = reduce_chunk<State{stage}, {team}, {position}>(\
                 lift{stage}, begin, extent - begin < CHUNK ? (u32)(extent - begin) : CHUNK, lane, room{stage}, error);"
            ),
            Part::Chunks => writeln!(
                self.out,
                "SHARED Levels<State{stage}> levels{stage};\n\
                 const State{stage} state{stage} = reduce_row<State{stage}, {position}>(\
                 lift{stage}, 0, extent, lane, room{stage}, levels{stage}, error);"
            ),
        };
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
        let (team, position) = (self.kernel.team, self.kernel.row.position());
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
            "#pragma unroll 4\nfor ({position} p = lane; p < extent; p += {team}) {{"
        );
        let roots = outputs.iter().flat_map(|(_, output)| output.parts);
        of_element(self.code, &self.kernel.row, roots, true, self.out);
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
