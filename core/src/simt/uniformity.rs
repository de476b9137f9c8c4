//! Uniformity: where threads come together.
//!
//! Every register has the widest group whose threads all have the same value of it, and every statement the widest
//! group whose threads all reach it or none of them: the grid, a block, a warp, or a thread alone. A barrier needs a block, an exchange
//! a warp. As in WGSL (section 15, "Uniformity"), this is decided by the structure of the code: a value read from memory that
//! the kernel writes counts as different in each thread.
//!
//! Variables and loops need a fixed point: what is found only narrows groups, so few passes reach it.

use super::{Builtin, Exchange, Parts, Place, Statement};
use crate::program::Reg;

/// A group of threads; a later one is within an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// All threads.
    #[default]
    Grid,
    /// The threads of a block.
    Block,
    /// The lanes of a warp.
    Warp,
    /// One thread.
    Thread,
}

/// A barrier or an exchange that some threads of a group may reach without the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Whether it is a barrier; else an exchange.
    pub barrier: bool,
    /// Its place.
    pub site: u16,
    /// The place of the branch or loop that not all of them take; `None` if what they leave is the cause.
    pub because: Option<u16>,
}

/// A group, and the branch that made it this narrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Flow {
    group: Group,
    because: Option<u16>,
}

impl Flow {
    fn and(self, other: Flow) -> Flow {
        if other.group > self.group { other } else { self }
    }
}

struct Analysis<'p> {
    parts: &'p Parts,
    registers: Vec<Group>,
    variables: Vec<Group>,
    /// Of each loop, in the order of the walk: threads that have left it, or their turn of it.
    left: Vec<Flow>,
    changed: bool,
    /// The next loop of this pass.
    next: usize,
    /// Loops around the statement, of its function.
    around: Vec<usize>,
    /// Threads that have returned from the function.
    returned: Flow,
    found: Option<Divergence>,
}

pub(super) fn check(parts: &Parts) -> Result<(), Divergence> {
    let mut analysis = Analysis {
        parts,
        registers: vec![Group::Grid; parts.registers.len()],
        variables: vec![Group::Grid; parts.variables.len()],
        left: Vec::new(),
        changed: true,
        next: 0,
        around: Vec::new(),
        returned: Flow::default(),
        found: None,
    };
    while analysis.changed {
        analysis.changed = false;
        analysis.next = 0;
        analysis.returned = Flow::default();
        analysis.found = None;
        analysis.block(&parts.body, Flow::default());
    }
    analysis.found.map_or(Ok(()), Err)
}

impl Analysis<'_> {
    fn of(&self, reg: Reg) -> Group {
        self.registers[usize::from(reg)]
    }

    fn all(&self, regs: &[Reg]) -> Group {
        regs.iter().map(|&reg| self.of(reg)).max().unwrap_or_default()
    }

    fn define(&mut self, reg: Reg, group: Group) {
        let known = &mut self.registers[usize::from(reg)];
        if group > *known {
            *known = group;
            self.changed = true;
        }
    }

    /// The threads that are where a statement is, in a block that these reach.
    fn here(&self, flow: Flow) -> Flow {
        let flow = flow.and(self.returned);
        self.around.iter().fold(flow, |flow, &number| flow.and(self.left[number]))
    }

    fn leave(&mut self, number: usize, flow: Flow) {
        let known = self.left[number].and(flow);
        if known != self.left[number] {
            self.left[number] = known;
            self.changed = true;
        }
    }

    fn meet(&mut self, barrier: bool, site: u16, flow: Flow) {
        let most = if barrier { Group::Block } else { Group::Warp };
        if flow.group > most && self.found.is_none() {
            self.found = Some(Divergence { barrier, site, because: flow.because });
        }
    }

    fn branch(&self, flow: Flow, condition: Reg, site: u16) -> Flow {
        flow.and(Flow { group: self.of(condition), because: Some(site) })
    }

    fn block(&mut self, block: &[Statement], flow: Flow) {
        for statement in block {
            self.statement(statement, self.here(flow));
        }
    }

    fn statement(&mut self, statement: &Statement, flow: Flow) {
        match statement {
            Statement::Step { result, instr } => {
                let group = self.all(&instr.args[..instr.op.arity()]);
                self.define(*result, group);
            }
            Statement::Scalar { result, .. } => self.define(*result, Group::Grid),
            Statement::Builtin { result, builtin } => {
                let group = match builtin {
                    Builtin::Thread(_) | Builtin::Lane => Group::Thread,
                    Builtin::Warp => Group::Warp,
                    Builtin::Block(_) => Group::Block,
                    Builtin::BlockSize(_)
                    | Builtin::GridSize(_)
                    | Builtin::Lanes
                    | Builtin::Extent { .. } => Group::Grid,
                };
                self.define(*result, group);
            }
            Statement::Get { result, variable } => {
                let group = self.variables[usize::from(*variable)];
                self.define(*result, group);
            }
            Statement::Set { variable, value } => {
                let group = self.of(*value).max(flow.group);
                let known = &mut self.variables[usize::from(*variable)];
                if group > *known {
                    *known = group;
                    self.changed = true;
                }
            }
            Statement::Load { result, place, at, .. } => {
                let group = match place {
                    Place::Array(_) if !self.parts.writes(*place) => self.all(at),
                    Place::Array(_) | Place::Shared(_) => Group::Thread,
                };
                self.define(*result, group);
            }
            Statement::Store { .. } => {}
            Statement::Atomic { result, .. } => self.define(*result, Group::Thread),
            Statement::Exchange { result, op, value, operand, site } => {
                self.meet(false, *site, flow);
                let group = match op {
                    Exchange::Ballot => Group::Warp,
                    // One lane's value for all of them.
                    Exchange::Lane if self.of(*operand) <= Group::Warp => Group::Warp,
                    _ if self.of(*value) <= Group::Warp => self.of(*value),
                    _ => Group::Thread,
                };
                self.define(*result, group);
            }
            Statement::If { condition, then, otherwise, site } => {
                let within = self.branch(flow, *condition, *site);
                self.block(then, within);
                self.block(otherwise, within);
            }
            Statement::Loop { head, condition, body, next, site } => {
                let number = self.next;
                self.next += 1;
                if number == self.left.len() {
                    self.left.push(Flow::default());
                }
                self.around.push(number);
                self.block(head, flow);
                let within = self.branch(self.here(flow), *condition, *site);
                self.leave(number, within);
                self.block(body, within);
                self.block(next, within);
                self.around.pop();
            }
            Statement::Call { body } => {
                let around = std::mem::take(&mut self.around);
                let returned = std::mem::take(&mut self.returned);
                self.block(body, flow);
                self.around = around;
                self.returned = returned;
            }
            Statement::Break | Statement::Continue => {
                if let Some(&number) = self.around.last() {
                    self.leave(number, flow);
                }
            }
            Statement::Return => {
                for number in self.around.clone() {
                    self.leave(number, flow);
                }
                self.returned = self.returned.and(flow);
            }
            Statement::Barrier { site } => self.meet(true, *site, flow),
        }
    }
}
