//! Checks that the parts of a kernel fit each other: registers are defined before they are used, types agree, and what is
//! named is there. Unsafe code of backends relies on it.

use super::{Atomic, Builtin, Exchange, MAX_DEPTH, ParameterKind, Parts, Place, Statement};
use crate::dtype::DType;
use crate::program::{Op, Prim, Reg, RegType, is_step_of};

/// Maximum number of places with elements, each of which has a number in a fault.
const MAX_PLACES: usize = 128;

/// What does not fit: the statement, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub String);

/// The registers that are visible.
struct Visible<'p> {
    parts: &'p Parts,
    defined: Vec<bool>,
    /// In the order in which they were defined.
    order: Vec<Reg>,
    loops: usize,
}

pub(super) fn check(parts: &Parts) -> Result<(), Malformed> {
    let refuse = |reason: &str| Err(Malformed(reason.to_string()));
    if parts.parameters.len() + parts.shared.len() > MAX_PLACES {
        return refuse("more than 128 parameters and shared arrays");
    }
    for parameter in &parts.parameters {
        let sound = match parameter.kind {
            ParameterKind::Scalar(_) => true,
            ParameterKind::Array { rank, .. } => (1..=3).contains(&rank),
        };
        if !sound {
            return Err(Malformed(format!("{parameter:?}")));
        }
    }
    if !parts.shared.iter().all(|array| array.size > 0) {
        return refuse("a shared array without elements");
    }
    let mut visible =
        Visible { parts, defined: vec![false; parts.registers.len()], order: Vec::new(), loops: 0 };
    visible.block(&parts.body, MAX_DEPTH)
}

/// Whether numbers of a dtype have a part.
fn has(dtype: DType, part: u8) -> bool {
    part <= u8::from(dtype.is_complex())
}

impl Visible<'_> {
    fn block(&mut self, block: &[Statement], depth: usize) -> Result<(), Malformed> {
        let before = self.order.len();
        self.statements(block, depth)?;
        self.hide(before);
        Ok(())
    }

    /// Forgets what was defined after the first `before` registers.
    fn hide(&mut self, before: usize) {
        for reg in self.order.drain(before..) {
            self.defined[usize::from(reg)] = false;
        }
    }

    fn statements(&mut self, block: &[Statement], depth: usize) -> Result<(), Malformed> {
        for statement in block {
            let sound = depth > 0 && self.is_sound(statement, depth)?;
            if !sound {
                return Err(Malformed(format!("{statement:?}")));
            }
        }
        Ok(())
    }

    /// The type of a register that is visible.
    fn ty(&self, reg: Reg) -> Option<RegType> {
        let number = usize::from(reg);
        self.defined.get(number)?.then(|| self.parts.registers[number])
    }

    fn is(&self, reg: Reg, ty: RegType) -> bool {
        self.ty(reg) == Some(ty)
    }

    /// Defines a register, once.
    fn define(&mut self, reg: Reg, ty: RegType) -> bool {
        let number = usize::from(reg);
        let fresh = self.parts.registers.get(number) == Some(&ty) && !self.defined[number];
        if fresh {
            self.defined[number] = true;
            self.order.push(reg);
        }
        fresh
    }

    /// Whether registers are a position in a place.
    fn is_position(&self, place: Place, at: &[Reg]) -> bool {
        let integer =
            |&reg: &Reg| self.ty(reg).is_some_and(|ty| ty != RegType::Bool && !ty.is_float());
        self.parts.rank(place) == Some(at.len()) && at.iter().all(integer)
    }

    /// The type of a part of the elements of a place.
    fn element(&self, place: Place, part: u8) -> Option<RegType> {
        self.parts.dtype(place).filter(|&dtype| has(dtype, part)).map(RegType::of)
    }

    fn is_sound(&mut self, statement: &Statement, depth: usize) -> Result<bool, Malformed> {
        Ok(match statement {
            Statement::Step { result, instr } => {
                // A negative exponent would be an error of threads that do not come here. Formulas of other crates have loops.
                let allowed = !matches!(
                    instr.op,
                    Op::Prim(Prim::IntPow) | Op::BoundsCheck { .. } | Op::CallOpen(_)
                );
                allowed && is_step_of(instr, |reg| self.ty(reg)) && self.define(*result, instr.ty)
            }
            Statement::Scalar { result, parameter, part } => {
                let parameter = self.parts.parameters.get(usize::from(*parameter));
                match parameter.map(|parameter| parameter.kind) {
                    Some(ParameterKind::Scalar(dtype)) => {
                        has(dtype, *part) && self.define(*result, RegType::of(dtype))
                    }
                    _ => false,
                }
            }
            Statement::Builtin { result, builtin } => {
                let there = match *builtin {
                    Builtin::Thread(axis)
                    | Builtin::Block(axis)
                    | Builtin::BlockSize(axis)
                    | Builtin::GridSize(axis) => axis < 3,
                    Builtin::Lanes | Builtin::Lane | Builtin::Warp => true,
                    Builtin::Extent { parameter, axis } => {
                        let rank = self.parts.rank(Place::Array(parameter));
                        rank.is_some_and(|rank| usize::from(axis) < rank)
                    }
                };
                there && self.define(*result, builtin.ty())
            }
            Statement::Get { result, variable } => {
                match self.parts.variables.get(usize::from(*variable)) {
                    Some(&ty) => self.define(*result, ty),
                    None => false,
                }
            }
            Statement::Set { variable, value } => {
                let ty = self.parts.variables.get(usize::from(*variable)).copied();
                ty.is_some() && self.ty(*value) == ty
            }
            Statement::Load { result, place, part, at } => match self.element(*place, *part) {
                Some(ty) => self.is_position(*place, at) && self.define(*result, ty),
                None => false,
            },
            Statement::Store { place, part, at, value } => {
                let element = self.element(*place, *part);
                self.parts.writes(*place)
                    && self.is_position(*place, at)
                    && element.is_some()
                    && element == self.ty(*value)
            }
            Statement::Atomic { result, op, place, at, value, expected } => {
                let dtype = self.parts.dtype(*place);
                let kind = dtype.is_some_and(|dtype| op.takes(dtype));
                let ty = dtype.map(RegType::of);
                kind && self.parts.writes(*place)
                    && self.is_position(*place, at)
                    && self.ty(*value) == ty
                    && self.ty(*expected) == ty
                    && ty.is_some_and(|ty| self.define(*result, ty))
            }
            Statement::Exchange { result, op, value, operand, .. } => match op {
                Exchange::Ballot => {
                    self.is(*value, RegType::Bool)
                        && self.is(*operand, RegType::Bool)
                        && self.define(*result, RegType::U64)
                }
                _ => match self.ty(*value) {
                    Some(ty) => self.is(*operand, RegType::U32) && self.define(*result, ty),
                    None => false,
                },
            },
            Statement::If { condition, then, otherwise, .. } => {
                let sound = self.is(*condition, RegType::Bool);
                self.block(then, depth - 1)?;
                self.block(otherwise, depth - 1)?;
                sound
            }
            Statement::Loop { head, condition, body, next, .. } => {
                let before = self.order.len();
                // A head is no part of the loop that it decides about.
                let loops = std::mem::take(&mut self.loops);
                self.statements(head, depth - 1)?;
                let sound = self.is(*condition, RegType::Bool);
                self.loops = loops + 1;
                // What the body defines is not there after a `Continue`.
                self.block(body, depth - 1)?;
                self.loops = 0;
                self.block(next, depth - 1)?;
                self.loops = loops;
                self.hide(before);
                sound
            }
            Statement::Call { body } => {
                let loops = std::mem::take(&mut self.loops);
                self.block(body, depth - 1)?;
                self.loops = loops;
                true
            }
            Statement::Break | Statement::Continue => self.loops > 0,
            Statement::Return | Statement::Barrier { .. } => true,
        })
    }
}

impl Atomic {
    /// Whether elements of a dtype can be changed by it: those of 32 and 64 bits, floats by sums and exchanges alone.
    pub fn takes(self, dtype: DType) -> bool {
        match dtype {
            DType::I32 | DType::U32 | DType::I64 | DType::U64 => true,
            DType::F32 | DType::F64 => matches!(self, Atomic::Add | Atomic::Exchange),
            _ => false,
        }
    }
}
