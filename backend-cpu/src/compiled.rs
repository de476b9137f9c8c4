//! Programs compiled for blocks: the loop that runs each instruction, and how often it runs.

use std::sync::{Arc, OnceLock};

use ndany_core::DType;
use ndany_core::formulas::algebra::Table;
use ndany_core::program::{
    Body, Combine, Domain, Instr, Loop, Op, Philox, Prim, Program, Reg, RegType,
};
use smallvec::SmallVec;

use crate::fused::{self, Fused};
use crate::loops::{Level, LoopFn, Loops, StateFns};
use crate::repeat::{self, CompiledLoop};

/// How an instruction is executed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Read part `part` of input `input`.
    Load { input: u16, part: u8 },
    /// A scalar argument of the launch.
    Scalar(u16),
    /// A constant.
    Const(u64),
    /// The element's position in its row.
    Index,
    /// The result of a reduction.
    Reduced { reduction: u16, part: u8 },
    /// Part `part` of the element of input `input` at a position.
    Gather { input: u16, part: u8 },
    /// A position that must be one of an operand's.
    BoundsCheck { operand: u8, axis: u8 },
    /// An argument of a body, or a register of the running state of a scan.
    Argument(u16),
    /// A word of [`CompiledProgram::philox`]. The lowest register of a block computes all four words.
    Word { philox: u16, word: u8 },
    /// One of [`CompiledProgram::fused`].
    Fused(u16),
    /// A loop over the arguments.
    Step(LoopFn),
    /// Words of a table at the positions that the argument has.
    Table(&'static Table),
    /// One of [`CompiledProgram::loops`], which repeats a step.
    Loop(u16),
    /// A register of the final state of this loop.
    LoopState { number: u16, part: u8 },
}

/// A compiled instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompiledInstr {
    pub(crate) kind: Kind,
    pub(crate) ty: RegType,
    pub(crate) args: [Reg; 3],
    pub(crate) arity: usize,
    /// Whether the loop reads a single value of each argument after the first.
    pub(crate) single: bool,
}

impl CompiledInstr {
    pub(crate) fn args(&self) -> &[Reg] {
        &self.args[..self.arity]
    }
}

/// Registers of a value of a dtype.
pub(crate) fn parts_of(dtype: DType) -> usize {
    if dtype.is_complex() { 2 } else { 1 }
}

/// A compiled program.
#[derive(Debug)]
pub(crate) struct CompiledProgram {
    pub(crate) instrs: SmallVec<[CompiledInstr; 8]>,
    /// The domain of each register.
    pub(crate) domains: SmallVec<[Domain; 8]>,
    /// For each register, how many before it have one value per row: those have slots in this order.
    pub(crate) row_slots: SmallVec<[u16; 8]>,
    /// How many registers have one value per row.
    pub(crate) row_count: usize,
    /// Blocks of random words, each computed by one loop.
    pub(crate) philox: SmallVec<[Philox; 1]>,
    /// Registers of a map that one loop computes from registers several instructions back.
    pub(crate) fused: SmallVec<[Fused; 1]>,
    loops: Option<Arc<Vec<CompiledLoop>>>,
    /// Those of [`CompiledProgram::of_row_outputs`], once they are known.
    of_row_outputs: OnceLock<SmallVec<[Reg; 16]>>,
}

/// Compiles instructions one by one; the loops that they run, `loops` many, are compiled apart. Formulas of other crates that
/// they call count as loops after these.
pub(crate) fn compiled(
    instrs: &[Instr],
    loops: usize,
    level: Level,
) -> SmallVec<[CompiledInstr; 8]> {
    // The numbers of calls, by the registers that stand for them.
    let mut calls: SmallVec<[(Reg, u16); 2]> = SmallVec::new();
    instrs
        .iter()
        .enumerate()
        .map(|(position, instr)| {
            let kind = match instr.op {
                Op::Load { input, part } => Kind::Load { input, part },
                Op::Scalar(index) => Kind::Scalar(index),
                Op::Const(bits) => Kind::Const(bits),
                Op::Index => Kind::Index,
                Op::Reduced { reduction, part } => Kind::Reduced { reduction, part },
                Op::Gather { input, part } => Kind::Gather { input, part },
                Op::BoundsCheck { operand, axis } => Kind::BoundsCheck { operand, axis },
                Op::Argument(position) => Kind::Argument(position),
                // The scan says where it is.
                Op::Running(part) => Kind::Argument(u16::from(part)),
                Op::Loop(number) => Kind::Loop(number),
                Op::LoopState(part) => match instrs[usize::from(instr.args[0])].op {
                    Op::Loop(number) => Kind::LoopState { number, part },
                    _ => unreachable!("the argument runs a loop"),
                },
                Op::CallOpen(_) => {
                    let number = (loops + calls.len()) as u16;
                    calls.push((position as Reg, number));
                    Kind::Loop(number)
                }
                Op::CallResult(part) => match calls.iter().find(|(reg, _)| *reg == instr.args[0]) {
                    Some(&(_, number)) => Kind::LoopState { number, part },
                    None => unreachable!("the argument is a call"),
                },
                Op::Table(table) => Kind::Table(table),
                Op::Prim(_) | Op::Cast { .. } | Op::Bitcast { .. } | Op::Call(_) => {
                    let args = &instr.args[..instr.op.arity()];
                    let arg = args.first().map_or(instr.ty, |&arg| instrs[usize::from(arg)].ty);
                    Kind::Step(level.step(&instr.op, instr.ty, arg))
                }
            };
            let arity = instr.op.arity();
            CompiledInstr { kind, ty: instr.ty, args: instr.args, arity, single: false }
        })
        .collect()
}

/// For each register the number of registers of the row before it, and their number.
fn row_slots(domains: &[Domain]) -> (SmallVec<[u16; 8]>, usize) {
    let mut count = 0;
    let mut slots = SmallVec::with_capacity(domains.len());
    for &domain in domains {
        slots.push(count as u16);
        count += usize::from(domain == Domain::Row);
    }
    (slots, count)
}

/// The register of a block's first word.
fn first(philox: &Philox) -> Reg {
    philox.words.into_iter().fold(Reg::MAX, Reg::min)
}

impl CompiledProgram {
    pub(crate) fn new(program: &Program, level: Level) -> Self {
        // In a map, only registers that do not vary by element are computed once.
        let of_map = map_domains(program);
        let mut instrs = compiled(&program.instrs, program.loops.len(), level);
        fused::fuse_runs(&program.instrs, &of_map, &mut instrs, level);
        let domains = if program.reductions.is_empty() { of_map } else { program.domains().into() };
        let known = program.philox.iter().filter(|known| {
            program.reductions.is_empty() && domains[usize::from(first(known))] == Domain::Element
        });
        let philox: SmallVec<[Philox; 1]> = known.copied().collect();
        for (number, known) in philox.iter().enumerate() {
            for (word, &reg) in known.words.iter().enumerate() {
                let compiled = &mut instrs[usize::from(reg)];
                compiled.kind = Kind::Word { philox: number as u16, word: word as u8 };
                (compiled.args, compiled.arity) = ([first(known), 0, 0], 1);
            }
        }
        let loops = repeat::loops(&program.instrs, &program.loops, level);
        let loops = (!loops.is_empty()).then(|| Arc::new(loops));
        let (row_slots, row_count) = row_slots(&domains);
        let (fused, of_row_outputs) = (SmallVec::new(), OnceLock::new());
        Self { instrs, domains, row_slots, row_count, philox, fused, loops, of_row_outputs }
    }

    /// Compiles a map over elements in order.
    pub(crate) fn of_map(program: &Program, level: Level) -> Self {
        let mut code = Self::new(program, level);
        for reg in 0..program.instrs.len() {
            // Registers that do not vary by element are computed once, instruction by instruction.
            if code.domains[reg] == Domain::Element
                && let Some(fused) = Fused::of(program, &code.domains, reg as Reg, level)
            {
                code.instrs[reg].kind = Kind::Fused(code.fused.len() as u16);
                code.fused.push(fused);
            }
        }
        code
    }

    /// The registers that a register is computed from.
    pub(crate) fn args(&self, reg: Reg) -> &[Reg] {
        let compiled = &self.instrs[usize::from(reg)];
        match compiled.kind {
            Kind::Word { philox, .. } if compiled.args[0] == reg => {
                &self.philox[usize::from(philox)].sources
            }
            Kind::Fused(number) => &self.fused[usize::from(number)].sources,
            Kind::Loop(number) => &self.loops()[usize::from(number)].operands,
            _ => compiled.args(),
        }
    }

    /// The loops that repeat steps.
    pub(crate) fn loops(&self) -> &[CompiledLoop] {
        self.loops.as_ref().map_or(&[], |loops| loops.as_slice())
    }

    /// The same instructions for a map over the rows of a program: a value per row there is an element here.
    pub(crate) fn over_rows(&self, program: &Program) -> Self {
        let domains = map_domains(program);
        let (row_slots, row_count) = row_slots(&domains);
        Self {
            instrs: self.instrs.clone(),
            domains,
            row_slots,
            row_count,
            philox: SmallVec::new(),
            fused: SmallVec::new(),
            loops: self.loops.clone(),
            of_row_outputs: OnceLock::new(),
        }
    }

    /// The registers by which outputs of one value per row are computed; `program` is what was compiled.
    pub(crate) fn of_row_outputs(&self, program: &Program) -> &[Reg] {
        self.of_row_outputs.get_or_init(|| {
            let outputs = program.outputs.iter().filter(|output| output.domain == Domain::Row);
            let wanted = outputs.flat_map(|output| &output.parts[..parts_of(output.dtype)]);
            self.closure(wanted.copied(), Domain::Row, |_| false)
        })
    }

    /// The registers to run, in order, so that `wanted` are computed: those of `domain` that are not yet
    /// `available`.
    pub(crate) fn closure(
        &self,
        wanted: impl IntoIterator<Item = Reg>,
        domain: Domain,
        available: impl Fn(Reg) -> bool,
    ) -> SmallVec<[Reg; 16]> {
        let mut needed: SmallVec<[bool; 32]> = SmallVec::from_elem(false, self.instrs.len());
        for reg in wanted {
            needed[usize::from(reg)] = true;
        }
        let mut order: SmallVec<[Reg; 16]> = SmallVec::new();
        for position in (0..self.instrs.len()).rev() {
            let reg = position as Reg;
            if !needed[position] || available(reg) {
                continue;
            }
            for &arg in self.args(reg) {
                needed[usize::from(arg)] = true;
            }
            if self.domains[position] == domain {
                order.push(reg);
            }
        }
        order.reverse();
        order
    }
}

/// Bytes of the widest vector register.
const VECTOR: usize = 64;

/// The cost of computing these registers for `elements` elements, in the unit of
/// [`Threads::split`](crate::threads::Threads::split). `besides` is the bytes per element that other work costs.
pub(crate) fn cost(program: &Program, regs: &[Reg], besides: usize, elements: usize) -> usize {
    cost_of(bytes_per_element(program, regs) + besides, elements)
}

/// The cost of work that takes as long as computing so many bytes for each of `elements` elements.
pub(crate) fn cost_of(bytes: usize, elements: usize) -> usize {
    elements.saturating_mul(bytes) / VECTOR
}

/// The bytes that computing these registers for an element costs. A primitive computes a vector of elements per step; a
/// formula or an integer power costs nearly a step per element.
pub(crate) fn bytes_per_element(program: &Program, regs: &[Reg]) -> usize {
    let one = |&reg: &Reg| {
        let instr = &program.instrs[usize::from(reg)];
        match instr.op {
            Op::Call(_) | Op::Table(_) | Op::Prim(Prim::IntPow | Prim::Gcd) => VECTOR,
            Op::Gather { .. } => VECTOR,
            Op::Loop(number) => cost_of_loop(&program.loops[usize::from(number)]),
            Op::CallOpen(formula) => 8 * formula.weight(instr.ty),
            _ => instr.ty.size(),
        }
    };
    regs.iter().map(one).sum()
}

/// Steps of a loop that are counted on, where the limit is higher.
const USUAL_STEPS: usize = 32;

fn cost_of_loop(own: &Loop) -> usize {
    let steps = (own.limit as usize).min(USUAL_STEPS);
    steps * 8 * (own.condition.instrs.len() + own.step.instrs.len())
}

fn map_domains(program: &Program) -> SmallVec<[Domain; 8]> {
    let mut domains: SmallVec<[Domain; 8]> = SmallVec::with_capacity(program.instrs.len());
    for instr in &program.instrs {
        domains.push(match instr.op {
            Op::Load { .. } | Op::Index | Op::Reduced { .. } | Op::Running(_) => Domain::Element,
            Op::Scalar(_) | Op::Const(_) | Op::Argument(_) => Domain::Row,
            Op::Prim(_)
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Table(_)
            | Op::Call(_)
            | Op::CallOpen(_)
            | Op::CallResult(_)
            | Op::Gather { .. }
            | Op::BoundsCheck { .. }
            | Op::Loop(_)
            | Op::LoopState(_) => {
                let args = instr.args(&program.loops).iter();
                args.map(|&arg| domains[usize::from(arg)]).max().unwrap_or(Domain::Row)
            }
        });
    }
    domains
}

/// The compiled combination of two states.
#[derive(Debug)]
pub(crate) enum CompiledCombine {
    /// One register, one primitive.
    Prim {
        /// `LoopFn` of [`Loops::fold`].
        fold: LoopFn,
        /// `LoopFn` of [`Loops::accumulate`].
        accumulate: LoopFn,
        /// `LoopFn` of [`Loops::unordered`].
        unordered: Option<LoopFn>,
        /// `LoopFn` of [`Loops::tree_fold`].
        tree_fold: Option<LoopFn>,
    },
    /// Several registers, by code made for just this.
    Known(StateFns),
    /// Several registers, by a specialized loop.
    Body {
        /// Its instructions.
        instrs: Vec<CompiledInstr>,
        /// The registers that it returns.
        results: Vec<Reg>,
    },
}

impl CompiledCombine {
    pub(crate) fn new(combine: &Combine, ty: RegType, level: Level) -> Self {
        match combine {
            Combine::Prim(prim) => CompiledCombine::Prim {
                fold: level.fold(*prim, ty),
                accumulate: level.accumulate(*prim, ty),
                unordered: level.unordered(*prim, ty),
                tree_fold: level.tree_fold(*prim, ty),
            },
            Combine::Body(body) => {
                if let Some(largest) = extremum_of_numbers(body) {
                    let [fold, accumulate, unordered] = level.of_numbers(largest, ty);
                    return CompiledCombine::Prim {
                        fold,
                        accumulate,
                        unordered: Some(unordered),
                        tree_fold: None,
                    };
                }
                let Body { instrs, loops: _, results, known } = body.as_ref();
                if let Some(known) = known {
                    return CompiledCombine::Known(level.known(*known, ty));
                }
                CompiledCombine::Body {
                    instrs: compiled(instrs, 0, level).into_vec(),
                    results: results.to_vec(),
                }
            }
        }
    }
}

/// Whether this body is `fmax` (true) or `fmin` (false) of its two arguments, as in reductions that skip NaN.
/// Step by step it takes ten times as long.
fn extremum_of_numbers(body: &Body) -> Option<bool> {
    let at = |reg: Reg| &body.instrs[usize::from(reg)];
    // The third argument of a select that yields `other` where `value` is NaN.
    let unless_nan = |reg: Reg, value: Reg, other: Reg| {
        let select = at(reg);
        let nan = at(select.args[0]);
        let number = at(nan.args[0]);
        let passes = select.op == Op::Prim(Prim::Select)
            && select.args[1] == other
            && nan.op == Op::Prim(Prim::Not)
            && number.op == Op::Prim(Prim::Eq)
            && number.args[..2] == [value; 2];
        passes.then_some(select.args[2])
    };
    let &[result] = body.results.as_slice() else { return None };
    let arguments = body.instrs.iter().take_while(|instr| matches!(instr.op, Op::Argument(_)));
    if arguments.count() != 2 {
        return None;
    }
    let better = at(unless_nan(unless_nan(result, 1, 0)?, 0, 1)?);
    match better.op {
        Op::Prim(prim @ (Prim::Min | Prim::Max)) if better.args[..2] == [0, 1] => {
            Some(prim == Prim::Max)
        }
        _ => None,
    }
}
