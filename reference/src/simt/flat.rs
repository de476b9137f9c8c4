//! Statements as operations with jumps, so that a thread is a number and its registers.

use ndany_core::program::Reg;
use ndany_core::simt::{Kernel, Statement};

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op<'k> {
    /// Does what a statement without other statements says.
    Run(&'k Statement),
    /// Goes on at an operation.
    Jump(usize),
    /// Goes on there if the condition does not hold.
    JumpUnless { condition: Reg, to: usize },
    /// Ends the thread.
    End,
}

/// The operations of a kernel.
pub(super) struct Code<'k> {
    pub(super) ops: Vec<Op<'k>>,
}

/// Jumps out of what encloses a statement, whose ends are not known yet.
#[derive(Default)]
struct Open {
    breaks: Vec<usize>,
    continues: Vec<usize>,
    returns: Vec<usize>,
}

impl<'k> Code<'k> {
    pub(super) fn of(kernel: &'k Kernel) -> Self {
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

    fn block(&mut self, block: &'k [Statement], open: &mut Open) {
        for statement in block {
            self.statement(statement, open);
        }
    }

    fn statement(&mut self, statement: &'k Statement, open: &mut Open) {
        match statement {
            Statement::Break => open.breaks.push(self.jump()),
            Statement::Continue => open.continues.push(self.jump()),
            Statement::Return => open.returns.push(self.jump()),
            Statement::If { condition, then, otherwise, .. } => {
                let unless = self.jump_unless(*condition);
                self.block(then, open);
                let past = self.jump();
                self.close(&[unless], self.ops.len());
                self.block(otherwise, open);
                self.close(&[past], self.ops.len());
            }
            Statement::Loop { head, condition, body, next, .. } => {
                let first = self.ops.len();
                let returns = std::mem::take(&mut open.returns);
                let mut within = Open { returns, ..Open::default() };
                self.block(head, &mut within);
                let unless = self.jump_unless(*condition);
                self.block(body, &mut within);
                self.close(&within.continues, self.ops.len());
                self.block(next, &mut within);
                self.ops.push(Op::Jump(first));
                let end = self.ops.len();
                self.close(&[unless], end);
                self.close(&within.breaks, end);
                open.returns = within.returns;
            }
            Statement::Call { body } => {
                let mut within = Open::default();
                self.block(body, &mut within);
                self.close(&within.returns, self.ops.len());
            }
            plain => self.ops.push(Op::Run(plain)),
        }
    }
}
