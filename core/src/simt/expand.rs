//! Formulas of a kernel written out in primitives.

use super::{Block, Kernel, Parts, Statement};
use crate::program::{Builder, Instr, Op, Reg, RegType};

impl Kernel {
    /// The same kernel with every formula written out.
    pub fn expand(&self) -> Kernel {
        let mut parts = self.parts.clone();
        let body = std::mem::take(&mut parts.body);
        parts.body = block(body, &mut parts);
        Kernel::of(parts)
    }
}

fn block(statements: Block, parts: &mut Parts) -> Block {
    let mut out = Vec::with_capacity(statements.len());
    for statement in statements {
        match statement {
            Statement::Step { result, instr } => match instr.op {
                Op::Call(formula) => {
                    let builder = Builder::expanding();
                    let arguments: Vec<_> = (0..formula.arity())
                        .map(|number| builder.push(Op::Argument(number as u16), instr.ty, [0; 3]))
                        .collect();
                    let value = builder.formula(formula, &arguments).reg();
                    let (instrs, _) = builder.into_parts();
                    splice(&instrs, &instr.args, value, result, parts, &mut out);
                }
                _ => out.push(Statement::Step { result, instr }),
            },
            Statement::If { condition, then, otherwise, site } => {
                let (then, otherwise) = (block(then, parts), block(otherwise, parts));
                out.push(Statement::If { condition, then, otherwise, site });
            }
            Statement::Loop { head, condition, body, next, site } => {
                let [head, body, next] = [head, body, next].map(|part| block(part, parts));
                out.push(Statement::Loop { head, condition, body, next, site });
            }
            Statement::Call { body } => out.push(Statement::Call { body: block(body, parts) }),
            other => out.push(other),
        }
    }
    out
}

/// Adds instructions whose arguments are registers of the kernel; their result `value` becomes the register `result`.
fn splice(
    instrs: &[Instr],
    arguments: &[Reg],
    value: Reg,
    result: Reg,
    parts: &mut Parts,
    out: &mut Block,
) {
    let mut moved: Vec<Reg> = Vec::with_capacity(instrs.len());
    for (position, instr) in instrs.iter().enumerate() {
        if let Op::Argument(number) = instr.op {
            moved.push(arguments[usize::from(number)]);
            continue;
        }
        let mut instr = *instr;
        for at in 0..instr.op.arity() {
            instr.args[at] = moved[usize::from(instr.args[at])];
        }
        let reg = match position == usize::from(value) {
            true => result,
            false => fresh(parts, instr.ty),
        };
        moved.push(reg);
        out.push(Statement::Step { result: reg, instr });
    }
    // A formula that is one of its arguments.
    if let Op::Argument(number) = instrs[usize::from(value)].op {
        let (ty, args) = (instrs[usize::from(value)].ty, [arguments[usize::from(number)], 0, 0]);
        let instr = Instr { op: Op::Bitcast { from: ty }, ty, args };
        out.push(Statement::Step { result, instr });
    }
}

fn fresh(parts: &mut Parts, ty: RegType) -> Reg {
    parts.registers.push(ty);
    (parts.registers.len() - 1) as Reg
}
