//! Sequences of instructions that one loop computes, recognized by their shape: signs and clamps in every
//! program; in maps over elements in order also ranges (`arange`, with or without another value in one place)
//! and packing and unpacking of bits.
//!
//! Each instruction is a pass over a block. Where values are small, or a map does little per byte, these passes
//! dominate its time. The last instruction of a sequence runs the loop and reads the operands of the first.
//! Instructions between them that nothing else reads are not run.

use ndany_core::program::{Domain, Instr, Op, Prim, Program, Reg, RegType};
use smallvec::{SmallVec, smallvec};

use crate::compiled::{CompiledInstr, Kind};
use crate::loops::{Level, LoopFn, Loops, Sources};

/// A register that a fused loop computes.
#[derive(Debug)]
pub(crate) struct Fused {
    /// Its operands, in the loop's order.
    pub(crate) sources: SmallVec<[Reg; Sources::MAX]>,
    pub(crate) run: LoopFn,
}

/// A program with how often each register is computed.
#[derive(Clone, Copy)]
struct Steps<'p> {
    program: &'p Program,
    domains: &'p [Domain],
}

impl Steps<'_> {
    fn at(&self, reg: Reg) -> &Instr {
        &self.program.instrs[usize::from(reg)]
    }

    /// Whether the register is the same for every element.
    fn once(&self, reg: Reg) -> bool {
        self.domains[usize::from(reg)] == Domain::Row
    }

    /// The arguments of this primitive, if the second is the same for every element.
    fn by(&self, reg: Reg, prim: Prim) -> Option<[Reg; 2]> {
        let instr = self.at(reg);
        let [x, y, _] = instr.args;
        (instr.op == Op::Prim(prim) && self.once(y)).then_some([x, y])
    }

    /// Start and step of a range.
    fn range(&self, reg: Reg) -> Option<[Reg; 2]> {
        let sum = self.at(reg);
        let [start, product, _] = sum.args;
        if sum.op != Op::Prim(Prim::Add) || !self.once(start) {
            return None;
        }
        let [index, step] = self.by(product, Prim::Mul)?;
        let counts = match (self.at(index).op, sum.ty) {
            (Op::Index, RegType::I64) => true,
            (Op::Cast { from: RegType::I64 }, RegType::F32 | RegType::F64) => {
                self.at(self.at(index).args[0]).op == Op::Index
            }
            _ => false,
        };
        counts.then_some([start, step])
    }
}

impl Fused {
    /// The fused loop of a register, if its instructions have one.
    pub(crate) fn of(
        program: &Program,
        domains: &[Domain],
        reg: Reg,
        level: Level,
    ) -> Option<Fused> {
        let steps = Steps { program, domains };
        let instr = steps.at(reg);
        match instr.op {
            Op::Prim(Prim::Add) => {
                let sources = SmallVec::from_slice(&steps.range(reg)?);
                Some(Fused { sources, run: level.range(instr.ty, false) })
            }
            Op::Prim(Prim::Select) => {
                let [condition, other, range] = instr.args;
                let [start, step] = steps.range(range).filter(|_| steps.once(other))?;
                let [key, wanted] = steps.by(condition, Prim::Eq)?;
                let [first, stride] =
                    steps.range(key).filter(|_| steps.at(key).ty == RegType::I64)?;
                let sources = smallvec![start, step, other, first, stride, wanted];
                Some(Fused { sources, run: level.range(instr.ty, true) })
            }
            Op::Prim(Prim::And) if instr.ty == RegType::U64 => {
                let [shifted, mask] = steps.by(reg, Prim::And)?;
                let [product, shift] = steps.by(shifted, Prim::Shr)?;
                let [word, factor] = steps.by(product, Prim::Mul)?;
                let byte = steps.at(word);
                (byte.op == Op::Cast { from: RegType::U8 }).then(|| Fused {
                    sources: smallvec![byte.args[0], factor, shift, mask],
                    run: level.bits(true),
                })
            }
            Op::Cast { from: RegType::U64 } if instr.ty == RegType::U8 => {
                let [product, shift] = steps.by(instr.args[0], Prim::Shr)?;
                let [word, factor] = steps.by(product, Prim::Mul)?;
                let sources = smallvec![word, factor, shift];
                Some(Fused { sources, run: level.bits(false) })
            }
            _ => None,
        }
    }
}

/// Replaces signs and clamps by their loops. `domains` tells which registers are the same for every element
/// of a map.
pub(crate) fn fuse_runs(
    instrs: &[Instr],
    domains: &[Domain],
    compiled: &mut [CompiledInstr],
    level: Level,
) {
    for position in 0..instrs.len() {
        let (reg, ty) = (position as Reg, instrs[position].ty);
        if let Some(x) = sign(instrs, reg) {
            let kind = Kind::Step(level.sign(ty));
            compiled[position] =
                CompiledInstr { kind, ty, args: [x, 0, 0], arity: 1, single: false };
        } else if let Some(args) = clamp(instrs, reg)
            && args[1..].iter().all(|&limit| domains[usize::from(limit)] == Domain::Row)
        {
            let kind = Kind::Step(level.clamp(ty));
            compiled[position] = CompiledInstr { kind, ty, args, arity: 3, single: true };
        }
    }
}

/// The arguments of a register that this primitive computes.
fn made_by(instrs: &[Instr], reg: Reg, prim: Prim) -> Option<[Reg; 3]> {
    let instr = &instrs[usize::from(reg)];
    (instr.op == Op::Prim(prim)).then_some(instr.args)
}

/// Whether a register is this constant, or a negation of the opposite constant.
fn is_constant(instrs: &[Instr], reg: Reg, value: f64) -> bool {
    let Instr { op, ty, args } = instrs[usize::from(reg)];
    match (op, ty) {
        (Op::Const(bits), RegType::F32) => bits == u64::from((value as f32).to_bits()),
        (Op::Const(bits), RegType::F64) => bits == value.to_bits(),
        (Op::Prim(Prim::Neg), _) => is_constant(instrs, args[0], -value),
        _ => false,
    }
}

/// The float whose sign the register is, as in `np.sign`: 1 above zero, -1 below, else 0; NaN for NaN.
fn sign(instrs: &[Instr], reg: Reg) -> Option<Reg> {
    let [number, signed, x] = made_by(instrs, reg, Prim::Select)?;
    let [same, again, _] = made_by(instrs, number, Prim::Eq)?;
    let [above, one, rest] = made_by(instrs, signed, Prim::Select)?;
    let [zero, larger, _] = made_by(instrs, above, Prim::Lt)?;
    let [below, minus, neither] = made_by(instrs, rest, Prim::Select)?;
    let [smaller, zero_again, _] = made_by(instrs, below, Prim::Lt)?;
    let constants = [(zero, 0.0), (zero_again, 0.0), (neither, 0.0), (one, 1.0), (minus, -1.0)];
    let found = [same, again, larger, smaller].iter().all(|&other| other == x)
        && constants.iter().all(|&(reg, value)| is_constant(instrs, reg, value));
    found.then_some(x)
}

/// The value, the lower and the upper limit, if the register is `np.clip`: of integers a minimum of a
/// maximum, of floats a selection by comparisons.
fn clamp(instrs: &[Instr], reg: Reg) -> Option<[Reg; 3]> {
    match instrs[usize::from(reg)].ty {
        RegType::Bool => None,
        ty if ty.is_float() => {
            let (high, inner) = limit_of(instrs, reg, |high, x| [high, x])?;
            let (low, x) = limit_of(instrs, inner, |low, x| [x, low])?;
            Some([x, low, high])
        }
        _ => {
            let [larger, high, _] = made_by(instrs, reg, Prim::Min)?;
            let [x, low, _] = made_by(instrs, larger, Prim::Max)?;
            Some([x, low, high])
        }
    }
}

/// The limit and the value, if the register selects the limit where the first of `order` is less than the
/// second or the limit is NaN, and the value elsewhere.
fn limit_of(instrs: &[Instr], reg: Reg, order: fn(Reg, Reg) -> [Reg; 2]) -> Option<(Reg, Reg)> {
    let [outside, limit, x] = made_by(instrs, reg, Prim::Select)?;
    let [beyond, nan, _] = made_by(instrs, outside, Prim::Or)?;
    let [left, right, _] = made_by(instrs, beyond, Prim::Lt)?;
    let [number, _, _] = made_by(instrs, nan, Prim::Not)?;
    let [same, again, _] = made_by(instrs, number, Prim::Eq)?;
    ([left, right] == order(limit, x) && same == limit && again == limit).then_some((limit, x))
}
