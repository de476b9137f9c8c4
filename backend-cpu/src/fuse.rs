//! Runs of steps that have a loop of their own: found by their shape, after a program was made ready.
//!
//! The last step of a run gets the loop, and reads what the first read; steps between that nobody else reads are not run.

use ndany_core::program::{Domain, Instr, Op, Prim, Reg, Ty};

use crate::code::{Kind, Ready};
use crate::loops::{Level, Loops};

/// Gives the runs of a program their loops. `domains` tells which registers are the same for every element of a map.
pub(crate) fn fuse(instrs: &[Instr], domains: &[Domain], ready: &mut [Ready], level: Level) {
    for position in 0..instrs.len() {
        let (reg, ty) = (position as Reg, instrs[position].ty);
        if let Some(x) = sign(instrs, reg) {
            let kind = Kind::Step(level.sign(ty));
            ready[position] = Ready { kind, ty, args: [x, 0, 0], arity: 1, single: false };
        } else if let Some(args) = between(instrs, reg)
            && args[1..].iter().all(|&limit| domains[usize::from(limit)] == Domain::Row)
        {
            let kind = Kind::Step(level.between(ty));
            ready[position] = Ready { kind, ty, args, arity: 3, single: true };
        }
    }
}

/// The arguments of a register that is made by this primitive.
fn made_by(instrs: &[Instr], reg: Reg, prim: Prim) -> Option<[Reg; 3]> {
    let instr = &instrs[usize::from(reg)];
    (instr.op == Op::Prim(prim)).then_some(instr.args)
}

/// Is it this constant, or what is left of one with its sign changed?
fn is_constant(instrs: &[Instr], reg: Reg, value: f64) -> bool {
    let Instr { op, ty, args } = instrs[usize::from(reg)];
    match (op, ty) {
        (Op::Const(bits), Ty::F32) => bits == u64::from((value as f32).to_bits()),
        (Op::Const(bits), Ty::F64) => bits == value.to_bits(),
        (Op::Prim(Prim::Neg), _) => is_constant(instrs, args[0], -value),
        _ => false,
    }
}

/// The float of which a register is the sign, as `np.sign` has it: 1 above zero, -1 below, else 0, and NaN of NaN.
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

/// The value and its limits, the lower first, where a register is the smaller of one and the larger of the other.
fn between(instrs: &[Instr], reg: Reg) -> Option<[Reg; 3]> {
    let [larger, high, _] = made_by(instrs, reg, Prim::Min)?;
    let [x, low, _] = made_by(instrs, larger, Prim::Max)?;
    (instrs[usize::from(reg)].ty != Ty::Bool).then_some([x, low, high])
}
