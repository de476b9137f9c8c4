//! Programs with reductions cut into steps, where one kernel cannot do all of one: rows of many chunks, and rows whose
//! neighbours lie far apart, which are better reduced and mapped by kernels made for that.
//!
//! What passes from step to step are states of reductions, as arrays of one element a row (or a chunk of one).

use std::cell::RefCell;
use std::sync::Arc;

use ndany_core::DType;
use ndany_core::program::{
    Domain, Input, Instr, Loop, Op, Output, Program, Reduction, Reg, RegType,
};
use smallvec::SmallVec;

use crate::text::Code;

/// What an input of a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// An input of the whole program.
    Input(usize),
    /// A part of the state of a reduction, computed by a step before.
    State {
        /// The reduction.
        reduction: usize,
        /// The part.
        part: usize,
    },
}

/// A part of a program that runs by itself.
#[derive(Clone, Debug)]
pub struct Cut {
    /// What it computes.
    pub program: Program,
    /// What its inputs are.
    pub inputs: Vec<From>,
    /// Of the last steps: which outputs of the whole program its outputs are.
    pub outputs: Vec<usize>,
}

/// The dtype whose elements are the values of a register.
pub(crate) fn stored(ty: RegType) -> DType {
    match ty {
        RegType::Bool => DType::Bool,
        RegType::I8 => DType::I8,
        RegType::I16 => DType::I16,
        RegType::I32 => DType::I32,
        RegType::I64 => DType::I64,
        RegType::U8 => DType::U8,
        RegType::U16 => DType::U16,
        RegType::U32 => DType::U32,
        RegType::U64 => DType::U64,
        RegType::F32 => DType::F32,
        RegType::F64 => DType::F64,
    }
}

/// The types of the states of all reductions, part by part.
pub fn states(program: &Program) -> Vec<DType> {
    let tys = program.reductions.iter().flat_map(|reduction| {
        reduction.lifted.iter().map(|&reg| stored(program.instrs[usize::from(reg)].ty))
    });
    tys.collect()
}

/// Copies what registers are made of into a program of their own.
struct Cutter<'p> {
    whole: &'p Program,
    cut: Cut,
    moved: Vec<Option<Reg>>,
    /// Where the step has a reduction of the whole program itself.
    own: Vec<Option<u16>>,
}

impl<'p> Cutter<'p> {
    fn new(whole: &'p Program) -> Self {
        let program = Program { scalars: whole.scalars.clone(), ..Program::default() };
        let cut = Cut { program, inputs: Vec::new(), outputs: Vec::new() };
        let moved = vec![None; whole.instrs.len()];
        Self { whole, cut, moved, own: vec![None; whole.reductions.len()] }
    }

    fn push(&mut self, op: Op, ty: RegType) -> Reg {
        self.cut.program.instrs.push(Instr { op, ty, args: [0; 3] });
        (self.cut.program.instrs.len() - 1) as Reg
    }

    fn input(&mut self, from: From, input: Input) -> u16 {
        let known = self.cut.inputs.iter().position(|&other| other == from);
        known.unwrap_or_else(|| {
            self.cut.inputs.push(from);
            self.cut.program.inputs.push(input);
            self.cut.inputs.len() - 1
        }) as u16
    }

    /// The registers and all that they are made of. States of reductions that the step does not have are loaded.
    fn carry(&mut self, roots: impl IntoIterator<Item = Reg>) {
        let mut needed = vec![false; self.whole.instrs.len()];
        roots.into_iter().for_each(|reg| needed[usize::from(reg)] = true);
        for reg in (0..needed.len()).rev().filter(|&reg| self.moved[reg].is_none()) {
            if needed[reg] {
                let args = self.whole.args(reg as Reg);
                args.iter().for_each(|&arg| needed[usize::from(arg)] = true);
            }
        }
        for (reg, needed) in needed.into_iter().enumerate() {
            if !needed || self.moved[reg].is_some() {
                continue;
            }
            let mut instr = self.whole.instrs[reg];
            for position in 0..instr.op.arity() {
                instr.args[position] = self.at(instr.args[position]);
            }
            match &mut instr.op {
                Op::Load { input, .. } | Op::Gather { input, .. } => {
                    let first = usize::from(*input);
                    *input = self.input(From::Input(first), self.whole.inputs[first]);
                }
                Op::Reduced { reduction, part } => match self.own[usize::from(*reduction)] {
                    Some(own) => *reduction = own,
                    None => {
                        let from = From::State {
                            reduction: usize::from(*reduction),
                            part: usize::from(*part),
                        };
                        let input = Input { dtype: stored(instr.ty), domain: Domain::Row };
                        instr.op = Op::Load { input: self.input(from, input), part: 0 };
                    }
                },
                Op::Scalar(_)
                | Op::Const(_)
                | Op::Index
                | Op::Argument(_)
                | Op::Running(_)
                | Op::Prim(_)
                | Op::Cast { .. }
                | Op::Bitcast { .. }
                | Op::Table(_)
                | Op::Call(_)
                | Op::CallOpen(_)
                | Op::CallResult(_)
                | Op::BoundsCheck { .. }
                | Op::LoopState(_) => {}
                Op::Loop(number) => {
                    let whole = &self.whole.loops[usize::from(*number)];
                    let operands = whole.operands.iter().map(|&reg| self.at(reg)).collect();
                    let whole = self.with_own_inputs(whole);
                    *number = self.cut.program.loops.len() as u16;
                    self.cut.program.loops.push(Arc::new(Loop { operands, ..whole }));
                }
            }
            self.cut.program.instrs.push(instr);
            self.moved[reg] = Some((self.cut.program.instrs.len() - 1) as Reg);
        }
    }

    /// A loop of the whole program, which reads inputs of the step by position.
    fn with_own_inputs(&mut self, whole: &Loop) -> Loop {
        if !whole.gathers() {
            return whole.clone();
        }
        // Each input that the loop reads is one of the step before the loop is renumbered.
        let numbers = RefCell::new(self);
        whole.with_inputs(&|input| {
            let cutter = &mut *numbers.borrow_mut();
            let first = usize::from(input);
            cutter.input(From::Input(first), cutter.whole.inputs[first])
        })
    }

    fn at(&self, reg: Reg) -> Reg {
        match self.moved[usize::from(reg)] {
            Some(moved) => moved,
            None => unreachable!("arguments stand before what is made of them"),
        }
    }

    fn reduction(&mut self, number: usize, lifted: SmallVec<[Reg; 4]>) {
        let combine = self.whole.reductions[number].combine.clone();
        self.own[number] = Some(self.cut.program.reductions.len() as u16);
        self.cut.program.reductions.push(Reduction { lifted, combine });
    }

    /// All reductions, of states that a step before has written: they are the first inputs, part by part.
    fn reload(&mut self) {
        let whole = self.whole;
        for (number, reduction) in whole.reductions.iter().enumerate() {
            let mut lifted = SmallVec::new();
            for (part, &reg) in reduction.lifted.iter().enumerate() {
                let ty = whole.instrs[usize::from(reg)].ty;
                let input = Input { dtype: stored(ty), domain: Domain::Element };
                let input = self.input(From::State { reduction: number, part }, input);
                lifted.push(self.push(Op::Load { input, part: 0 }, ty));
            }
            self.reduction(number, lifted);
        }
    }

    /// Outputs of the whole program.
    fn outputs(&mut self, which: impl Iterator<Item = usize>) {
        for number in which {
            let output = self.whole.outputs[number];
            self.carry(output.parts);
            let parts = output.parts.map(|reg| self.at(reg));
            self.cut.program.outputs.push(Output { parts, ..output });
            self.cut.outputs.push(number);
        }
    }
}

/// The step that reduces the states of chunks as a row of their own, which are its first inputs, part by part.
///
/// The program's reductions must not need each other, and its outputs be of domain `Row`.
pub fn of_chunks(program: &Program) -> Cut {
    let mut cutter = Cutter::new(program);
    cutter.reload();
    cutter.outputs(0..program.outputs.len());
    cutter.cut
}

/// A program of the pattern `fused_rowwise` as reductions, whose outputs are the states, part by part, of the
/// reductions named, and maps after them, over the elements and over the rows.
pub struct Stages {
    /// One step a stage.
    pub reductions: Vec<(Cut, Vec<usize>)>,
    /// What has one value per element.
    pub elements: Option<Cut>,
    /// What has one value per row. Its program runs over the axes in front of the row.
    pub rows: Option<Cut>,
}

/// Cuts a program of the pattern `fused_rowwise` into [`Stages`]; `None` if positions in the row are asked for by what
/// would be a map, where positions count otherwise.
pub fn stages(program: &Program) -> Option<Stages> {
    let code = Code::uncut(program);
    let mut reductions = Vec::new();
    for stage in 0..code.stage_count() {
        let mut cutter = Cutter::new(program);
        let numbers: Vec<usize> = code.reductions_of(stage).collect();
        for &number in &numbers {
            let lifted = &program.reductions[number].lifted;
            cutter.carry(lifted.iter().copied());
            let lifted = lifted.iter().map(|&reg| cutter.at(reg)).collect();
            cutter.reduction(number, lifted);
        }
        for &number in &numbers {
            for (part, &reg) in program.reductions[number].lifted.iter().enumerate() {
                let ty = program.instrs[usize::from(reg)].ty;
                let reduction = cutter.own[number].unwrap_or_default();
                let reg = cutter.push(Op::Reduced { reduction, part: part as u8 }, ty);
                cutter.cut.program.outputs.push(Output {
                    dtype: stored(ty),
                    parts: [reg; 2],
                    domain: Domain::Row,
                });
            }
        }
        reductions.push((cutter.cut, numbers));
    }
    let last = |domain: Domain| {
        let mut cutter = Cutter::new(program);
        let outputs = program.outputs.iter().enumerate();
        cutter.outputs(outputs.filter(|(_, output)| output.domain == domain).map(|(k, _)| k));
        (!cutter.cut.outputs.is_empty()).then_some(cutter.cut)
    };
    let (elements, rows) = (last(Domain::Element), last(Domain::Row));
    let asks = |cut: &Cut| cut.program.instrs.iter().any(|instr| instr.op == Op::Index);
    match elements.as_ref().is_some_and(asks) {
        true => None,
        false => Some(Stages { reductions, elements, rows }),
    }
}
