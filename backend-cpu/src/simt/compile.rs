//! A kernel as nodes: what runs each statement, and where its registers are.
//!
//! A slot has room for a register of all threads of a block. It is given to another register after the last statement of
//! the block that reads the first. Constants and what a launch gives have slots of their own, which are filled once.

use ndany_core::program::{Op, Prim, Reg, RegType};
use ndany_core::simt::{
    Atomic, Builtin, Exchange, Kernel, ParameterKind, Place, SharedArray, Statement, Variable,
    each_statement,
};
use ndany_core::{DType, program::WHOLE};
use smallvec::SmallVec;

use super::access::{Accesses, accesses};
use crate::loops::{Level, LoopFn, Loops};

/// The number of a slot.
pub(super) type Slot = u32;

/// A register as an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) slot: Slot,
    pub(super) ty: RegType,
}

/// The elements that a node reads or writes.
#[derive(Clone, Debug)]
pub(super) struct Elements {
    pub(super) place: Place,
    /// The functions for parts of its elements: for elements that are not complex, for elements.
    pub(super) accesses: Accesses,
    /// Bytes of a part.
    pub(super) size: usize,
    /// Parts of an element, and which one it is.
    pub(super) parts: usize,
    pub(super) part: usize,
    /// One register an axis, and the axis in faults.
    pub(super) at: SmallVec<[(Operand, u8); 3]>,
    /// The number of the place in faults.
    pub(super) site: u8,
}

/// What runs a statement.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Step { run: LoopFn, out: Slot, args: [Slot; 3] },
    Copy { from: Slot, to: Slot, size: usize },
    Set { from: Slot, to: Slot, size: usize },
    Load { out: Slot, elements: Elements },
    Store { value: Slot, elements: Elements },
    Atomic { out: Slot, op: Atomic, value: Slot, expected: Slot, elements: Elements, dtype: DType },
    Exchange { out: Slot, op: Exchange, value: Slot, operand: Slot, size: usize },
    If { condition: Slot, then: Vec<Node>, otherwise: Vec<Node> },
    Loop { head: Vec<Node>, condition: Slot, body: Vec<Node>, next: Vec<Node> },
    Call(Vec<Node>),
    Break,
    Continue,
    Return,
}

/// What fills a slot before the first block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fill {
    Const(u64),
    Scalar(u16, u8),
    Builtin(Builtin),
}

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(super) body: Vec<Node>,
    pub(super) slots: usize,
    /// Variables, which have the first slots, and are zero at first.
    pub(super) variables: usize,
    /// Filled once.
    pub(super) fills: Vec<(Slot, RegType, Fill)>,
    /// Filled for each block: positions of the block.
    pub(super) positions: Vec<(Slot, u8)>,
    /// Bytes of each shared array.
    pub(super) shared: Vec<usize>,
    /// The cost of a thread, in the unit of [`Threads::split`](crate::threads::Threads::split).
    pub(super) cost: usize,
}

struct Compiler<'k> {
    kernel: &'k Kernel,
    level: Level,
    /// Of each register.
    slots: Vec<Slot>,
    /// Of each variable.
    variables: Vec<Slot>,
    free: Vec<Slot>,
    count: Slot,
    fills: Vec<(Slot, RegType, Fill)>,
    positions: Vec<(Slot, u8)>,
    nodes: usize,
}

impl Compiled {
    pub(super) fn new(kernel: &Kernel, level: Level) -> Self {
        let variables = kernel.variables().len() as Slot;
        let mut compiler = Compiler {
            kernel,
            level,
            slots: vec![0; kernel.registers().len()],
            variables: (0..variables).collect(),
            free: Vec::new(),
            count: variables,
            fills: Vec::new(),
            positions: Vec::new(),
            nodes: 0,
        };
        let body = compiler.block(kernel.body());
        let bytes = |array: &SharedArray| array.size as usize * array.dtype.size();
        Self {
            body,
            slots: compiler.count as usize,
            variables: kernel.variables().len(),
            fills: compiler.fills,
            positions: compiler.positions,
            shared: kernel.shared().iter().map(bytes).collect(),
            cost: compiler.nodes,
        }
    }
}

/// Calls `f` with each register that a statement reads, those of statements within it included.
fn reads(statement: &Statement, f: &mut impl FnMut(Reg)) {
    each_statement(std::slice::from_ref(statement), &mut |statement| match statement {
        Statement::Step { instr, .. } => {
            instr.args[..instr.op.arity()].iter().for_each(|&arg| f(arg))
        }
        Statement::Load { at, .. } => at.iter().for_each(|&reg| f(reg)),
        Statement::Store { at, value, .. } => at.iter().chain([value]).for_each(|&reg| f(reg)),
        Statement::Atomic { at, value, expected, .. } => {
            at.iter().chain([value, expected]).for_each(|&reg| f(reg));
        }
        Statement::Exchange { value, operand, .. } => {
            [value, operand].into_iter().for_each(|&reg| f(reg))
        }
        Statement::Set { value, .. } => f(*value),
        Statement::If { condition, .. } | Statement::Loop { condition, .. } => f(*condition),
        Statement::Scalar { .. }
        | Statement::Builtin { .. }
        | Statement::Get { .. }
        | Statement::Call { .. }
        | Statement::Break
        | Statement::Continue
        | Statement::Return
        | Statement::Barrier { .. } => {}
    });
}

/// Whether a statement, or one within it, writes a variable.
fn sets(statement: &Statement, variable: Variable) -> bool {
    let mut found = false;
    each_statement(std::slice::from_ref(statement), &mut |statement| {
        found |=
            matches!(statement, Statement::Set { variable: written, .. } if *written == variable);
    });
    found
}

impl Compiler<'_> {
    fn take(&mut self) -> Slot {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }

    /// A slot that is never given to another register.
    fn keep(&mut self) -> Slot {
        self.count += 1;
        self.count - 1
    }

    fn define(&mut self, reg: Reg) -> Slot {
        let slot = self.take();
        self.slots[usize::from(reg)] = slot;
        slot
    }

    fn slot(&self, reg: Reg) -> Slot {
        self.slots[usize::from(reg)]
    }

    fn ty(&self, reg: Reg) -> RegType {
        self.kernel.registers()[usize::from(reg)]
    }

    fn block(&mut self, block: &[Statement]) -> Vec<Node> {
        let (nodes, own) = self.statements(block, false);
        self.free.extend(own);
        nodes
    }

    /// The nodes of a block, and the slots of its registers that are still in use: all of them if it is the `head` of a
    /// loop, whose body may read them.
    fn statements(&mut self, block: &[Statement], head: bool) -> (Vec<Node>, Vec<Slot>) {
        let mut last: Vec<(Reg, usize)> = Vec::new();
        let mut position = vec![usize::MAX; self.slots.len()];
        for (number, statement) in block.iter().enumerate() {
            reads(statement, &mut |reg| match position[usize::from(reg)] {
                usize::MAX => {
                    position[usize::from(reg)] = last.len();
                    last.push((reg, number));
                }
                known => last[known].1 = number,
            });
        }
        let last_read = |reg: Reg| match position[usize::from(reg)] {
            usize::MAX => None,
            known => Some(last[known].1),
        };
        // The registers whose slots are free after each statement.
        let mut dying: Vec<Vec<Slot>> = vec![Vec::new(); block.len()];
        let mut own: Vec<Slot> = Vec::new();
        let mut nodes = Vec::with_capacity(block.len());
        for (number, statement) in block.iter().enumerate() {
            self.nodes += 1;
            let mut made: Option<(Reg, Slot)> = None;
            let mut define = |compiler: &mut Self, reg: Reg| {
                let slot = compiler.define(reg);
                made = Some((reg, slot));
                slot
            };
            match statement {
                Statement::Step { result, instr } => match instr.op {
                    Op::Const(bits) => self.fill(*result, Fill::Const(bits)),
                    _ => {
                        let args = instr
                            .args
                            .map(|arg| self.slots.get(usize::from(arg)).copied().unwrap_or(0));
                        let arg_ty = match instr.op {
                            Op::Prim(Prim::Select | Prim::SelectSlowPath) => RegType::Bool,
                            _ => self.ty(instr.args[0]),
                        };
                        let run = self.level.step(&instr.op, instr.ty, arg_ty);
                        let out = define(self, *result);
                        nodes.push(Node::Step { run, out, args });
                    }
                },
                Statement::Scalar { result, parameter, part } => {
                    self.fill(*result, Fill::Scalar(*parameter, *part))
                }
                Statement::Builtin { result, builtin: Builtin::Block(axis) } => {
                    let slot = self.keep();
                    self.slots[usize::from(*result)] = slot;
                    self.positions.push((slot, *axis));
                }
                Statement::Builtin { result, builtin } => {
                    self.fill(*result, Fill::Builtin(*builtin))
                }
                Statement::Get { result, variable } => {
                    let slot = self.variables[usize::from(*variable)];
                    let until = last_read(*result).unwrap_or(number);
                    // While nothing writes the variable, the register is it.
                    let mut meanwhile = block[number + 1..=until].iter();
                    let changes = meanwhile.any(|statement| sets(statement, *variable));
                    if changes || head {
                        let (to, size) = (define(self, *result), self.ty(*result).size());
                        nodes.push(Node::Copy { from: slot, to, size });
                    } else {
                        self.slots[usize::from(*result)] = slot;
                    }
                }
                Statement::Set { variable, value } => {
                    let (from, to) = (self.slot(*value), self.variables[usize::from(*variable)]);
                    if from != to {
                        nodes.push(Node::Set { from, to, size: self.ty(*value).size() });
                    }
                }
                Statement::Load { result, place, part, at } => {
                    let elements = self.elements(*place, *part, at, &mut nodes);
                    let out = define(self, *result);
                    nodes.push(Node::Load { out, elements });
                }
                Statement::Store { place, part, at, value } => {
                    let elements = self.elements(*place, *part, at, &mut nodes);
                    nodes.push(Node::Store { value: self.slot(*value), elements });
                }
                Statement::Atomic { result, op, place, at, value, expected } => {
                    let elements = self.elements(*place, 0, at, &mut nodes);
                    let [value, expected] = [*value, *expected].map(|reg| self.slot(reg));
                    let (out, dtype) = (define(self, *result), self.kernel.dtype(*place));
                    nodes.push(Node::Atomic { out, op: *op, value, expected, elements, dtype });
                }
                Statement::Exchange { result, op, value, operand, .. } => {
                    let size = self.ty(*value).size();
                    let [value, operand] = [*value, *operand].map(|reg| self.slot(reg));
                    let out = define(self, *result);
                    nodes.push(Node::Exchange { out, op: *op, value, operand, size });
                }
                Statement::If { condition, then, otherwise, .. } => {
                    let condition = self.slot(*condition);
                    let (then, otherwise) = (self.block(then), self.block(otherwise));
                    nodes.push(Node::If { condition, then, otherwise });
                }
                Statement::Loop { head, condition, body, next, .. } => {
                    // What the head computes is there until the end of the loop.
                    let (head, held) = self.statements(head, true);
                    let condition = self.slot(*condition);
                    let (body, next) = (self.block(body), self.block(next));
                    self.free.extend(held);
                    nodes.push(Node::Loop { head, condition, body, next });
                }
                Statement::Call { body } => {
                    let body = self.block(body);
                    nodes.push(Node::Call(body));
                }
                Statement::Break => nodes.push(Node::Break),
                Statement::Continue => nodes.push(Node::Continue),
                Statement::Return => nodes.push(Node::Return),
                Statement::Barrier { .. } => {}
            }
            if let Some((reg, slot)) = made {
                match last_read(reg) {
                    Some(end) if end > number && !head => dying[end].push(slot),
                    // Nothing in this block reads it: what encloses the block may, at its end (the condition of a loop).
                    _ => own.push(slot),
                }
            }
            let freed = std::mem::take(&mut dying[number]);
            self.free.extend(freed);
        }
        (nodes, own)
    }

    fn fill(&mut self, result: Reg, fill: Fill) {
        let slot = self.keep();
        self.slots[usize::from(result)] = slot;
        self.fills.push((slot, self.ty(result), fill));
    }

    fn elements(&mut self, place: Place, part: u8, at: &[Reg], nodes: &mut Vec<Node>) -> Elements {
        let dtype = self.kernel.dtype(place);
        let (dtype, parts) = match dtype.is_complex() {
            true => (dtype.part(), 2),
            false => (dtype, 1),
        };
        let contended = match place {
            Place::Array(number) => {
                let kind = self.kernel.parameters()[usize::from(number)].kind;
                matches!(kind, ParameterKind::Array { writes: true, .. })
            }
            Place::Shared(_) => false,
        };
        let mut positions = SmallVec::new();
        for (axis, &reg) in at.iter().enumerate() {
            let ty = self.ty(reg);
            let mut operand = Operand { slot: self.slot(reg), ty };
            if ty.size() < 4 {
                let run = self.level.step(&Op::Cast { from: ty }, RegType::I64, ty);
                let out = self.keep();
                nodes.push(Node::Step { run, out, args: [operand.slot; 3] });
                operand = Operand { slot: out, ty: RegType::I64 };
            }
            let axis = match at.len() {
                1 => WHOLE,
                _ => axis as u8,
            };
            positions.push((operand, axis));
        }
        let site = self.kernel.site_of(place);
        let (accesses, size) = (accesses(dtype, contended), dtype.size());
        Elements { place, accesses, size, parts, part: usize::from(part), at: positions, site }
    }
}
