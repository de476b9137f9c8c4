//! Checks that a program is well-formed: every register is defined before it is used, types agree, and every input, scalar and
//! reduction that is named is there.
//!
//! Programs of small operations are made anew at every launch, so this is one pass over the instructions, and what is
//! wrong is worded elsewhere. Only programs with reductions need to know which registers vary along the row.

use std::sync::Arc;

use smallvec::SmallVec;

use super::OpenFormula;
use super::{
    Body, Combine, Domain, Instr, Known, Loop, Op, Output, Philox, Prim, Program, Reduction, Reg,
    RegType,
};
use crate::error::{Error, Result};

const MAX_STATE: usize = Reduction::MAX_STATE;

/// Maximum number of registers that an element lifts: a state, a mask, and what a fold starts from.
const MAX_LIFTED: usize = 2 * MAX_STATE + 1;

/// Operands whose positions can be checked: the fault of each has a word of its own.
const MAX_CHECKED: u8 = 128;

/// What is not well-formed.
#[derive(Clone, Copy, Debug)]
enum Malformed {
    Instr(usize),
    Output(usize),
    Reduction(usize),
    Philox,
    Size,
}

impl Program {
    /// The error of the first thing that is not well-formed.
    #[inline]
    pub(crate) fn well_formed(&self) -> Result<()> {
        match self.first_malformed() {
            None => Ok(()),
            Some(malformed) => Err(self.refusal(malformed)),
        }
    }

    fn first_malformed(&self) -> Option<Malformed> {
        let instrs = self.instrs.as_slice();
        if instrs.len() > usize::from(Reg::MAX) {
            return Some(Malformed::Instr(usize::from(Reg::MAX)));
        }
        for (position, instr) in instrs.iter().enumerate() {
            let sound = match instr.op {
                Op::Load { input, part } => {
                    self.inputs.get(usize::from(input)).is_some_and(|input| {
                        instr.ty == RegType::of(input.dtype)
                            && part <= u8::from(input.dtype.is_complex())
                    })
                }
                Op::Scalar(scalar) => self.scalars.get(usize::from(scalar)) == Some(&instr.ty),
                Op::Index => instr.ty == RegType::I64,
                Op::Reduced { reduction, part } => self.is_reduced(position, reduction, part),
                Op::Running(part) => {
                    self.reductions.len() == 1 && self.is_reduced(position, 0, part)
                }
                Op::Argument(_) => false,
                Op::Gather { input, part } => {
                    self.is_gather(instr, &instrs[..position], input, part)
                }
                Op::Loop(_) | Op::LoopState(_) | Op::CallResult(_) => {
                    self.runs(instr, &instrs[..position], &self.loops, Loop::MAX_DEPTH)
                }
                Op::Const(_)
                | Op::Prim(_)
                | Op::Cast { .. }
                | Op::Bitcast { .. }
                | Op::Table(_)
                | Op::BoundsCheck { .. }
                | Op::Call(_)
                | Op::CallOpen(_) => is_step(instr, &instrs[..position]),
            };
            if !sound {
                return Some(Malformed::Instr(position));
            }
        }
        if self.gathers() && self.has_other_sizes() {
            return Some(Malformed::Size);
        }
        for (number, output) in self.outputs.iter().enumerate() {
            let ([real, imaginary], ty) = (output.parts, RegType::of(output.dtype));
            if !self.has(real, ty) || real != imaginary && !self.has(imaginary, ty) {
                return Some(Malformed::Output(number));
            }
        }
        match (self.reductions.is_empty(), self.philox.is_empty()) {
            (true, true) => None,
            (true, false) => {
                let words = self.philox.iter().all(|philox| self.has_words(philox));
                (!words).then_some(Malformed::Philox)
            }
            (false, _) => self.malformed_rows(),
        }
    }

    /// Whether a position is read or checked below what is no scalar of the launch.
    #[cold]
    fn has_other_sizes(&self) -> bool {
        let mut other = false;
        self.each_size(&mut |_, size| other |= size.is_none());
        other
    }

    /// Whether there is a register of this type.
    #[inline]
    fn has(&self, reg: Reg, ty: RegType) -> bool {
        value_type(&self.instrs, reg) == Some(ty)
    }

    /// Whether the instruction is a part of a reduction that is complete before it.
    #[cold]
    fn is_reduced(&self, position: usize, reduction: u16, part: u8) -> bool {
        let Some(reduction) = self.reductions.get(usize::from(reduction)) else { return false };
        let before = |&reg: &Reg| usize::from(reg) < position;
        let part =
            reduction.lifted.get(usize::from(part)).filter(|_| reduction.lifted.iter().all(before));
        part.is_some_and(|&reg| self.has(reg, self.instrs[position].ty))
    }

    fn has_words(&self, philox: &Philox) -> bool {
        let Philox { sources, words } = philox;
        let first = words.iter().min();
        sources.iter().chain(words).all(|&reg| self.has(reg, RegType::U32))
            && sources.iter().all(|reg| Some(reg) < first)
    }

    /// What is wrong of reductions, and of what there is once per row.
    fn malformed_rows(&self) -> Option<Malformed> {
        for (number, reduction) in self.reductions.iter().enumerate() {
            if !self.is_reduction(reduction) {
                return Some(Malformed::Reduction(number));
            }
        }
        if !self.philox.is_empty() {
            return Some(Malformed::Philox);
        }
        // What comes out of a row has one value per row: mostly a reduction's, else whatever is made of such values.
        let is_reduced =
            |&reg: &Reg| matches!(self.instrs[usize::from(reg)].op, Op::Reduced { .. });
        let unclear =
            |output: &Output| output.domain == Domain::Row && !output.parts.iter().all(is_reduced);
        if !self.outputs.iter().any(unclear) {
            return None;
        }
        let varies = self.varying();
        let once = |&reg: &Reg| !varies[usize::from(reg)];
        let sound = |output: &Output| !unclear(output) || output.parts.iter().all(once);
        let malformed = self.outputs.iter().position(|output| !sound(output));
        malformed.map(Malformed::Output)
    }

    /// Which registers vary along the row: those that [`Program::domains`] says are of elements.
    fn varying(&self) -> SmallVec<[bool; 64]> {
        let mut varies: SmallVec<[bool; 64]> = SmallVec::from_elem(false, self.instrs.len());
        for (position, instr) in self.instrs.iter().enumerate() {
            varies[position] = match instr.op {
                Op::Load { input, .. } => self.inputs[usize::from(input)].domain == Domain::Element,
                Op::Index | Op::Running(_) => true,
                _ => instr.args(&self.loops).iter().any(|&arg| varies[usize::from(arg)]),
            };
        }
        varies
    }

    fn is_reduction(&self, reduction: &Reduction) -> bool {
        let Reduction { lifted, combine } = reduction;
        let mut types: SmallVec<[RegType; MAX_STATE]> = SmallVec::new();
        for &reg in lifted {
            let Some(ty) = value_type(&self.instrs, reg) else { return false };
            types.push(ty);
        }
        match combine {
            Combine::Prim(prim) => (1..=MAX_STATE).contains(&types.len()) && prim.combines(),
            Combine::Body(body) => self.joins(body, &types),
        }
    }

    #[cold]
    #[inline(never)]
    fn refusal(&self, malformed: Malformed) -> Error {
        let reason = match malformed {
            Malformed::Instr(position) => match self.instrs.get(position) {
                Some(instr) => format!("instruction {position} is not well-formed: {instr:?}"),
                None => {
                    format!("{} instructions: expected {} at most", self.instrs.len(), Reg::MAX)
                }
            },
            Malformed::Output(number) => {
                let output = self.outputs[number];
                format!("output {number} is no register of its dtype and domain: {output:?}")
            }
            Malformed::Reduction(number) => {
                format!("reduction {number} does not combine its states")
            }
            Malformed::Size => "a number of elements is no scalar".to_string(),
            Malformed::Philox => "random words are not registers of a map".to_string(),
        };
        Error::Launch { op: "program", reason }
    }

    /// Whether a body combines two states of these types, or a state and an element's values, to a state. A fold that starts
    /// from values of the row lifts them after the element's (see [`FoldLeft`](crate::backend::FoldLeft)).
    fn joins(&self, body: &Body, lifted: &[RegType]) -> bool {
        let parts = body.results.len();
        if !(1..=MAX_STATE).contains(&parts) || !(parts..=MAX_LIFTED).contains(&lifted.len()) {
            return false;
        }
        let (element, state) = lifted.split_at(lifted.len() - parts);
        let element = if element.is_empty() { lifted } else { element };
        let argument = |position: usize| match position.checked_sub(parts) {
            None => Some(state[position]),
            Some(position) => element.get(position).copied(),
        };
        let known = match body.known {
            None => true,
            Some(Known::FirstSmallest | Known::FirstLargest) => {
                matches!(lifted, [_, RegType::I64]) && parts == 2
            }
            Some(Known::Moments) => {
                parts == 3 && matches!(lifted, [a, b, c] if a.is_float() && a == b && b == c)
            }
        };
        // A combination has no loops: states meet in an order that costs no more than a step. Nor does it read operands.
        let other = |instr: &Instr| {
            matches!(instr.op, Op::Gather { .. } | Op::BoundsCheck { .. } | Op::CallOpen(_))
        };
        known
            && body.loops.is_empty()
            && !body.instrs.iter().any(other)
            && self.computes(body, argument, state, Loop::MAX_DEPTH)
    }

    /// Whether a body is code of arguments of these types, whose results have the types `returned`. Its loops may have `depth`
    /// loops within each other.
    fn computes(
        &self,
        body: &Body,
        argument: impl Fn(usize) -> Option<RegType>,
        returned: &[RegType],
        depth: usize,
    ) -> bool {
        let instrs = || {
            body.instrs.iter().enumerate().all(|(position, instr)| match instr.op {
                Op::Argument(number) => argument(usize::from(number)) == Some(instr.ty),
                Op::Load { .. } | Op::Scalar(_) | Op::Index => false,
                Op::Reduced { .. } | Op::Running(_) => false,
                Op::Gather { input, part } => {
                    self.is_gather(instr, &body.instrs[..position], input, part)
                }
                Op::Loop(_) | Op::LoopState(_) | Op::CallResult(_) => {
                    self.runs(instr, &body.instrs[..position], &body.loops, depth)
                }
                _ => is_step(instr, &body.instrs[..position]),
            })
        };
        let results = || {
            body.results.len() == returned.len()
                && body
                    .results
                    .iter()
                    .zip(returned)
                    .all(|(&reg, &ty)| value_type(&body.instrs, reg) == Some(ty))
        };
        body.instrs.len() <= usize::from(Reg::MAX) && instrs() && results()
    }

    /// Whether the instruction reads a part of an input at a position. That the number of elements is a scalar, which the
    /// memory of the input holds, is a check of the launch.
    #[cold]
    fn is_gather(&self, instr: &Instr, before: &[Instr], input: u16, part: u8) -> bool {
        let Some(input) = self.inputs.get(usize::from(input)) else { return false };
        instr.ty == RegType::of(input.dtype)
            && part <= u8::from(input.dtype.is_complex())
            && instr.args[..2].iter().all(|&arg| value_type(before, arg) == Some(RegType::I64))
    }

    /// Whether the instruction runs a loop on registers before it, or reads a part of the state of one, or a result of a formula.
    #[cold]
    fn runs(&self, instr: &Instr, before: &[Instr], loops: &[Arc<Loop>], depth: usize) -> bool {
        let loop_of = |instr: &Instr| match instr.op {
            Op::Loop(number) => loops.get(usize::from(number)),
            _ => None,
        };
        match instr.op {
            Op::Loop(_) => loop_of(instr)
                .is_some_and(|own| instr.ty == RegType::Bool && self.is_loop(own, before, depth)),
            Op::LoopState(part) => {
                let own = before.get(usize::from(instr.args[0])).and_then(loop_of);
                // The loop was looked at where it is run.
                own.is_some_and(|own| {
                    let part = usize::from(part);
                    let operand = own.operands.get(part).map(|&reg| before[usize::from(reg)].ty);
                    part < usize::from(own.state) && operand == Some(instr.ty)
                })
            }
            Op::CallResult(result) => {
                before.get(usize::from(instr.args[0])).is_some_and(|call| match call.op {
                    Op::CallOpen(formula) => {
                        usize::from(result) < formula.results && call.ty == instr.ty
                    }
                    _ => false,
                })
            }
            _ => false,
        }
    }

    fn is_loop(&self, own: &Loop, before: &[Instr], depth: usize) -> bool {
        let state = usize::from(own.state);
        let mut types: SmallVec<[RegType; 16]> = SmallVec::new();
        for &reg in &own.operands {
            let Some(ty) = value_type(before, reg) else { return false };
            types.push(ty);
        }
        let argument = |number: usize| types.get(number).copied();
        (1..=Loop::MAX_STATE).contains(&state)
            && (state..=Loop::MAX_OPERANDS).contains(&types.len())
            && depth > 0
            && own.condition.known.is_none()
            && own.step.known.is_none()
            && self.computes(&own.condition, argument, &[RegType::Bool], depth - 1)
            && self.computes(&own.step, argument, &types[..state], depth - 1)
    }
}

impl Body {
    /// Whether it reads no argument from this one on.
    pub(crate) fn reads_fewer_than(&self, arguments: usize) -> bool {
        self.instrs.iter().all(|instr| match instr.op {
            Op::Argument(number) => usize::from(number) < arguments,
            _ => true,
        })
    }
}

/// The type of a register that has a value.
#[inline(always)]
fn value_type(before: &[Instr], reg: Reg) -> Option<RegType> {
    let instr = before.get(usize::from(reg))?;
    (!matches!(instr.op, Op::Loop(_) | Op::CallOpen(_))).then_some(instr.ty)
}

/// Whether the arguments of an instruction are among those before it, of the types that it takes.
#[inline(always)]
fn is_step(instr: &Instr, before: &[Instr]) -> bool {
    is_step_of(instr, |reg| value_type(before, reg))
}

/// Whether the arguments of an instruction have the types that it takes. `type_of` says that of a register that is there.
#[inline(always)]
pub(crate) fn is_step_of(instr: &Instr, type_of: impl Fn(Reg) -> Option<RegType>) -> bool {
    let ty = instr.ty;
    let is = |number: usize, wanted: RegType| type_of(instr.args[number]) == Some(wanted);
    let first = || type_of(instr.args[0]);
    match instr.op {
        Op::Const(bits) => ty != RegType::Bool || bits < 2,
        Op::Prim(prim) => match prim {
            Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::Div
            | Prim::Rem
            | Prim::IntPow
            | Prim::Min
            | Prim::Max
            | Prim::And
            | Prim::Or
            | Prim::Xor
            | Prim::Shl
            | Prim::Shr
            | Prim::MulHigh
            | Prim::Gcd => is(0, ty) && is(1, ty),
            Prim::Neg
            | Prim::Abs
            | Prim::Not
            | Prim::Sqrt
            | Prim::Floor
            | Prim::Ceil
            | Prim::Trunc
            | Prim::Rint
            | Prim::RoundF16
            | Prim::RoundBf16 => is(0, ty),
            Prim::NarrowF16 | Prim::NarrowBf16 => ty == RegType::F32 && is(0, RegType::F64),
            Prim::Fma => is(0, ty) && is(1, ty) && is(2, ty),
            Prim::Lt | Prim::Le | Prim::Eq => {
                ty == RegType::Bool && first().is_some_and(|first| is(1, first))
            }
            Prim::Select | Prim::SelectSlowPath => is(0, RegType::Bool) && is(1, ty) && is(2, ty),
        },
        Op::Cast { from } => is(0, from),
        Op::Bitcast { from } => is(0, from) && from.size() == ty.size() && ty != RegType::Bool,
        Op::Table(table) => {
            matches!(ty, RegType::U32 | RegType::U64) && is(0, ty) && !table.words.is_empty()
        }
        Op::Call(formula) => ty.is_float() && (0..formula.arity()).all(|number| is(number, ty)),
        Op::CallOpen(formula) => {
            formula.is_defined_in(ty)
                && formula.arity <= OpenFormula::MAX_WHOLE
                && (0..formula.arity).all(|number| is(number, ty))
        }
        Op::BoundsCheck { operand, .. } => {
            operand < MAX_CHECKED && ty == RegType::I64 && is(0, ty) && is(1, ty)
        }
        Op::Load { .. }
        | Op::Scalar(_)
        | Op::Index
        | Op::Argument(_)
        | Op::Gather { .. }
        | Op::Reduced { .. }
        | Op::Running(_)
        | Op::Loop(_)
        | Op::LoopState(_)
        | Op::CallResult(_) => false,
    }
}
