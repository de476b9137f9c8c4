//! Statements as operations with jumps, so that a thread is a number and its registers.

use ndany_core::program::{Instr, Reg};
use ndany_core::simt::{Atomic, Builtin, Exchange, Kernel, Place, Position, Statement, Variable};

/// An operation; what it means is that of its [`Statement`].
#[derive(Clone, Debug)]
pub(super) enum Op {
    Step {
        result: Reg,
        instr: Instr,
    },
    Scalar {
        result: Reg,
        parameter: u16,
    },
    Builtin {
        result: Reg,
        builtin: Builtin,
    },
    Get {
        result: Reg,
        variable: Variable,
    },
    Set {
        variable: Variable,
        value: Reg,
    },
    Load {
        result: Reg,
        place: Place,
        at: Position,
    },
    Store {
        place: Place,
        at: Position,
        value: Reg,
    },
    Atomic {
        result: Reg,
        op: Atomic,
        place: Place,
        at: Position,
        value: Reg,
        expected: Reg,
    },
    Exchange {
        result: Reg,
        op: Exchange,
        value: Reg,
        operand: Reg,
    },
    Barrier,
    /// Goes on at an operation.
    Jump(usize),
    /// Goes on there if the condition does not hold.
    JumpUnless {
        condition: Reg,
        to: usize,
    },
    /// Ends the thread.
    End,
}

/// The operations of a kernel.
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
}

/// Jumps out of what encloses a statement, whose ends are not known yet.
#[derive(Default)]
struct Open {
    breaks: Vec<usize>,
    continues: Vec<usize>,
    returns: Vec<usize>,
}

impl Code {
    pub(super) fn of(kernel: &Kernel) -> Code {
        let mut code = Code { ops: Vec::new() };
        let mut open = Open::default();
        code.block(kernel.body(), &mut open);
        let end = code.ops.len();
        code.ops.push(Op::End);
        code.close(&open.returns, end);
        code
    }

    fn close(&mut self, jumps: &[usize], end: usize) {
        for &jump in jumps {
            match &mut self.ops[jump] {
                Op::Jump(to) | Op::JumpUnless { to, .. } => *to = end,
                other => unreachable!("{other:?} is no jump"),
            }
        }
    }

    /// Adds a jump whose end is not known yet.
    fn jump(&mut self) -> usize {
        self.ops.push(Op::Jump(0));
        self.ops.len() - 1
    }

    fn jump_unless(&mut self, condition: Reg) -> usize {
        self.ops.push(Op::JumpUnless { condition, to: 0 });
        self.ops.len() - 1
    }

    fn block(&mut self, block: &[Statement], open: &mut Open) {
        for statement in block {
            self.statement(statement, open);
        }
    }

    fn statement(&mut self, statement: &Statement, open: &mut Open) {
        let op = match statement.clone() {
            Statement::Step { result, instr } => Op::Step { result, instr },
            Statement::Scalar { result, parameter } => Op::Scalar { result, parameter },
            Statement::Builtin { result, builtin } => Op::Builtin { result, builtin },
            Statement::Get { result, variable } => Op::Get { result, variable },
            Statement::Set { variable, value } => Op::Set { variable, value },
            Statement::Load { result, place, at } => Op::Load { result, place, at },
            Statement::Store { place, at, value } => Op::Store { place, at, value },
            Statement::Atomic { result, op, place, at, value, expected } => {
                Op::Atomic { result, op, place, at, value, expected }
            }
            Statement::Exchange { result, op, value, operand, .. } => {
                Op::Exchange { result, op, value, operand }
            }
            Statement::Barrier { .. } => Op::Barrier,
            Statement::Break => return open.breaks.push(self.jump()),
            Statement::Continue => return open.continues.push(self.jump()),
            Statement::Return => return open.returns.push(self.jump()),
            Statement::If { condition, then, otherwise, .. } => {
                let unless = self.jump_unless(condition);
                self.block(&then, open);
                let past = self.jump();
                self.close(&[unless], self.ops.len());
                self.block(&otherwise, open);
                return self.close(&[past], self.ops.len());
            }
            Statement::Loop { head, condition, body, next, .. } => {
                let first = self.ops.len();
                let mut within =
                    Open { returns: std::mem::take(&mut open.returns), ..Open::default() };
                self.block(&head, &mut within);
                let unless = self.jump_unless(condition);
                self.block(&body, &mut within);
                self.close(&within.continues, self.ops.len());
                self.block(&next, &mut within);
                self.ops.push(Op::Jump(first));
                let end = self.ops.len();
                self.close(&[unless], end);
                self.close(&within.breaks, end);
                open.returns = within.returns;
                return;
            }
            Statement::Call { body } => {
                let mut within = Open::default();
                self.block(&body, &mut within);
                return self.close(&within.returns, self.ops.len());
            }
        };
        self.ops.push(op);
    }
}
