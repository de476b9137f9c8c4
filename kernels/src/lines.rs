//! The lines of a program that several patterns print alike: what has one value per row, and what has one an element.

use std::collections::BTreeMap;
use std::fmt::Write;

use ndany_core::program::{Domain, Op, Reg};

use crate::branches::{self, Scope};
use crate::layout::IndexMap;
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
    let loads =
        |reg: usize| here[reg] && matches!(instrs[reg].op, Op::Load { .. }) && !is_found[reg];
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
                let _ = writeln!(
                    out,
                    "const {ty} r{reg} = get<{part}>(a.input{input}[outer_at{input} + row_at{input}]);"
                );
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
