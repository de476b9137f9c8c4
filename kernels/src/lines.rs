//! The lines of a program that several patterns print alike: what has one value per row, and what has one an element.

use std::collections::BTreeMap;
use std::fmt::Write;

use ndany_core::program::{Domain, Op, Reg};

use crate::branches::{self, Scope};
use crate::layout::{IndexMap, Stride};
use crate::row_cache::{RowCache, Slot};
use crate::text::{Code, element_of, type_of};

/// The fields of inputs.
pub(crate) fn input_fields(code: &Code, out: &mut String) {
    for (k, input) in code.program.inputs.iter().enumerate() {
        let _ = writeln!(out, "const {}* input{k};", element_of(input.dtype));
    }
}

/// The fields of outputs.
pub(crate) fn output_fields(code: &Code, out: &mut String) {
    for (k, output) in code.program.outputs.iter().enumerate() {
        let _ = writeln!(out, "{}* output{k};", element_of(output.dtype));
    }
}

/// The fields that come last: scalars and, if the program can fail, its error word.
pub(crate) fn last_fields(code: &Code, out: &mut String) {
    (0..code.program.scalars.len()).for_each(|k| {
        let _ = writeln!(out, "u64 scalar{k};");
    });
    if code.fails() {
        out.push_str("u64* error;\n");
    }
}

/// The registers that have one value per row and can be computed once `stage` stages are done, their results being in
/// `result0`, `result1`, ….
pub(crate) fn of_row(code: &Code, needed: &[bool], stage: u32, out: &mut String) {
    let steps = code.steps();
    let mut register = code.naming(true, |out: &mut String, reg| {
        let instr = &code.program.instrs[reg];
        let ty = type_of(instr.ty);
        match instr.op {
            Op::Load { input, part } => {
                let _ = writeln!(
                    out,
                    "const {ty} r{reg} = get<{part}>(a.input{input}[outer_at{input}]);"
                );
            }
            Op::Reduced { reduction, part } => {
                let _ = writeln!(
                    out,
                    "const {ty} r{reg} = result{}.part{reduction}_{part};",
                    stage - 1
                );
            }
            _ => steps.line(out, reg, "r"),
        }
    });
    for (reg, &needed) in needed.iter().enumerate() {
        if needed && code.domains[reg] == Domain::Row && code.stages[reg] == stage {
            register(out, reg);
        }
    }
}

/// What `roots` are made of at position `p` of the row; with `placed` also the offsets of all arrays there. Registers
/// found in slots are taken from there.
pub(crate) fn of_element(
    code: &Code,
    row: &IndexMap,
    roots: impl IntoIterator<Item = Reg>,
    found: &BTreeMap<Reg, Slot>,
    placed: bool,
    out: &mut String,
) {
    of_read_element(code, row, roots, found, placed, |_| None, out);
}

/// The same where `read` says what an element of an input is called if it has been read.
fn of_read_element(
    code: &Code,
    row: &IndexMap,
    roots: impl IntoIterator<Item = Reg>,
    found: &BTreeMap<Reg, Slot>,
    placed: bool,
    read: impl Fn(u16) -> Option<String>,
    out: &mut String,
) {
    let (instrs, loops) = (&code.program.instrs, &code.program.loops);
    let roots: Vec<Reg> = roots.into_iter().collect();
    let dependencies =
        code.dependencies_except(roots.iter().copied(), |reg| found.contains_key(&reg));
    let of_elements = |reg: usize| dependencies[reg] && code.domains[reg] == Domain::Element;
    let here: Vec<bool> = (0..dependencies.len()).map(of_elements).collect();
    let is_found: Vec<bool> =
        (0..dependencies.len()).map(|reg| found.contains_key(&(reg as Reg))).collect();
    let mut asked = vec![false; dependencies.len()];
    roots.iter().for_each(|&reg| asked[usize::from(reg)] = true);
    let loads = |reg: usize| {
        let from_memory = |op| matches!(op, Op::Load { input, .. } if read(input).is_none());
        here[reg] && !is_found[reg] && from_memory(instrs[reg].op)
    };
    if placed || (0..dependencies.len()).any(loads) {
        row.offsets(out, "row", "p");
    }
    let scope = Scope { instrs, loops, here: &here, found: &is_found, asked: &asked };
    let steps = code.steps();
    let mut register = code.naming(false, |out: &mut String, reg: usize| {
        let instr = &instrs[reg];
        let ty = type_of(instr.ty);
        if let Some(slot) = found.get(&(reg as Reg)) {
            let _ = writeln!(out, "const {ty} r{reg} = {}[p];", slot.name());
            return;
        }
        match instr.op {
            Op::Load { input, part } => {
                let in_memory = || format!("a.input{input}[outer_at{input} + row_at{input}]");
                let element = read(input).unwrap_or_else(in_memory);
                let _ = writeln!(out, "const {ty} r{reg} = get<{part}>({element});");
            }
            Op::Index => {
                let _ = writeln!(out, "const i64 r{reg} = (i64)p;");
            }
            _ => steps.line(out, reg, "r"),
        }
    });
    branches::print(&branches::arrange(scope), instrs, out, "r", &mut register);
}

/// A function of position `p` that gives the state of one element, and puts away what later passes want.
///
/// A slot may hold another value in this pass than in the last, so an element is put away once: a call that is not
/// `live` stores nothing, and its error is not kept.
pub(crate) fn lift(code: &Code, row: &IndexMap, stage: u32, keep: &RowCache, out: &mut String) {
    let fields = code.state_fields(stage);
    let _ = writeln!(
        out,
        "const auto lift{stage} = [&](const {} p, const bool live, u64& error) -> State{stage} {{",
        row.position()
    );
    let pass = stage as usize;
    let lifted = fields.iter().map(|field| field.lifted);
    let roots = lifted.chain(keep.left[pass].iter().map(|&(reg, _)| reg));
    of_element(code, row, roots, &keep.found[pass], false, out);
    for (reg, slot) in &keep.left[pass] {
        let _ = writeln!(out, "if (live) {}[p] = r{reg};", slot.name());
    }
    let parts: Vec<String> = fields.iter().map(|field| format!("r{}", field.lifted)).collect();
    let _ = writeln!(out, "return State{stage}{{ {} }};\n}};", parts.join(", "));
}

/// Whether an input lies as neighbours along a row.
fn is_packed(row: &IndexMap, input: usize) -> bool {
    matches!(row.steps[input].as_slice(), [Stride::One])
}

/// Whether an input varies along a row.
fn is_moving(row: &IndexMap, input: usize) -> bool {
    row.steps[input].iter().any(|step| *step != Stride::Zero)
}

/// What a thread reads at once of each input that varies along the row: `pack` neighbours. Inputs that lie otherwise must not vary. Then
/// follow a function `read0` that reads neighbours from position `p` on, and a function `lift0` that gives the state of element `k` of
/// them, which is at position `p`. So reads stand in front of all that may branch. There is one stage of reductions.
pub(crate) fn read_and_lift(code: &Code, row: &IndexMap, pack: u32, out: &mut String) {
    let position = row.position();
    let inputs = code.program.inputs.iter().enumerate();
    let moving: Vec<(usize, &str)> = inputs
        .filter(|&(k, _)| is_moving(row, k))
        .map(|(k, input)| (k, element_of(input.dtype)))
        .collect();
    assert!(moving.iter().all(|&(k, _)| is_packed(row, k)), "neighbours are read");
    out.push_str("struct Read {\n");
    for (k, element) in &moving {
        let _ = writeln!(out, "Pack<{element}, {pack}> input{k};");
    }
    let _ = writeln!(out, "}};\nconst auto read0 = [&](const {position} p) -> Read {{");
    row.offsets(out, "row", "p");
    let packs: Vec<String> = moving
        .iter()
        .map(|(k, _)| format!("load<{pack}>(a.input{k} + (outer_at{k} + row_at{k}))"))
        .collect();
    let _ = writeln!(
        out,
        "return Read{{ {} }};\n}};\n\
         const auto lift0 = [&](const Read& read, const u32 k, const {position} p, u64& error) -> State0 {{",
        packs.join(", ")
    );
    let is_read = |input: u16| is_moving(row, usize::from(input));
    let read = |input: u16| is_read(input).then(|| format!("read.input{input}.at[k]"));
    let fields = code.state_fields(0);
    let roots = fields.iter().map(|field| field.lifted);
    of_read_element(code, row, roots, &BTreeMap::new(), false, read, out);
    let parts: Vec<String> = fields.iter().map(|field| format!("r{}", field.lifted)).collect();
    let _ = writeln!(out, "return State0{{ {} }};\n}};", parts.join(", "));
}
