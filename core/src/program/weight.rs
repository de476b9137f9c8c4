//! How much work code is: the number of its steps, with formulas written out.

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::{Body, Builder, Instr, Loop, Op, Program, Reg, RegType, SsaValue};
use crate::formulas::Formula;

/// Number of instructions of a formula written out, at most.
fn steps_of(formula: Formula) -> usize {
    static STEPS: [OnceLock<usize>; Formula::ALL.len()] =
        [const { OnceLock::new() }; Formula::ALL.len()];
    *STEPS[formula as usize].get_or_init(|| {
        let builder = Builder::expanding();
        let arguments: SmallVec<[SsaValue<'_>; 3]> = (0..formula.arity())
            .map(|number| builder.push(Op::Argument(number as u16), RegType::F64, [0; 3]))
            .collect();
        builder.formula(formula, &arguments);
        builder.len()
    })
}

impl Instr {
    /// About how many steps it is; a loop counts by itself.
    fn weight(&self) -> usize {
        match self.op {
            Op::Call(formula) => steps_of(formula),
            Op::CallOpen(formula) => formula.weight(self.ty),
            _ => 1,
        }
    }
}

/// About how many steps these instructions and loops have, those of formulas that they call included; a loop counts once.
fn weight(instrs: &[Instr], loops: &[Arc<Loop>]) -> usize {
    let loops = loops.iter().map(|own| own.weight());
    instrs.iter().map(Instr::weight).sum::<usize>() + loops.sum::<usize>()
}

impl Body {
    /// About how many steps it has, those of formulas that it calls included; a loop counts once.
    pub fn weight(&self) -> usize {
        weight(&self.instrs, &self.loops)
    }
}

impl Program {
    /// About how many steps an element has, those of formulas that it calls included; a loop counts once.
    pub fn weight(&self) -> usize {
        weight(&self.instrs, &self.loops)
    }
}

impl Loop {
    /// About how many steps it has, taken once.
    fn weight(&self) -> usize {
        self.condition.weight() + self.step.weight()
    }
}

impl Builder {
    /// About how many steps compute these registers, those of formulas included; a loop counts once. Loads and numbers are no
    /// steps.
    pub fn weight_of(&self, registers: &[Reg]) -> usize {
        let (instrs, loops) = (self.instrs.borrow(), self.loops.borrow());
        let mut needed: SmallVec<[bool; 64]> = SmallVec::from_elem(false, instrs.len());
        registers.iter().for_each(|&reg| needed[usize::from(reg)] = true);
        let mut weight = 0;
        // What a step needs stands before it.
        for (position, instr) in instrs.iter().enumerate().rev() {
            if !needed[position] {
                continue;
            }
            weight += match instr.op {
                Op::Load { .. } | Op::Scalar(_) | Op::Const(_) | Op::Reduced { .. } => 0,
                Op::CallResult(_) | Op::LoopState(_) => 0,
                Op::Loop(number) => loops[usize::from(number)].weight(),
                _ => instr.weight(),
            };
            instr.args(&loops).iter().for_each(|&arg| needed[usize::from(arg)] = true);
        }
        weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_of_a_register_is_that_of_what_it_needs() {
        let builder = Builder::new();
        let load = |input| builder.push(Op::Load { input, part: 0 }, RegType::F64, [0; 3]);
        let (x, y) = (load(0), load(1));
        let sum = x + y;
        let exp = builder.formula(Formula::Exp, &[sum]);
        let product = exp * exp;
        let _other = y * y;
        let weight = |value: SsaValue<'_>| builder.weight_of(&[value.reg(); 2]);
        assert_eq!(weight(x), 0);
        assert_eq!(weight(sum), 1);
        assert_eq!(weight(exp), 1 + steps_of(Formula::Exp));
        assert_eq!(weight(product), 2 + steps_of(Formula::Exp));
        assert!(steps_of(Formula::Exp) > 10);
    }
}
