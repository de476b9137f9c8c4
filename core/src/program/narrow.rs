//! Positions in 32 bits: programs whose arithmetic of positions needs no more, for devices where 64 bits cost several times as
//! much.
//!
//! Which registers are narrowed depends on the program alone, so that there are two texts at most. Whether they may be depends on
//! the launch: an analysis of ranges, from the number of elements and the scalars, says whether each of them fits. Values stay
//! what they are: a narrow register is the same integer in fewer bits.
//!
//! A register is a *position* if it is made of the index, of integer scalars and of constants by addition, multiplication by what
//! is the same for all elements, division and the like. What is converted from 32 bits or fewer is *short*: it fits, but sums of
//! it may not, so it only takes part in what cannot make it longer.

use smallvec::SmallVec;

use super::{Builder, Op, Prim, Program, Reg, RegType, SsaValue};

/// What is known of a register without a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Neither a position nor short.
    Other,
    /// Fits into 32 bits, whatever the launch.
    Short,
    /// A position that differs between elements.
    Position,
    /// A position that is the same for all elements.
    Uniform,
}

impl Class {
    fn is_narrow(self) -> bool {
        self != Class::Other
    }

    fn is_position(self) -> bool {
        matches!(self, Class::Position | Class::Uniform)
    }

    /// The class of what is made of two positions.
    fn with(self, other: Class) -> Class {
        match (self, other) {
            (Class::Uniform, Class::Uniform) => Class::Uniform,
            _ if self.is_position() && other.is_position() => Class::Position,
            _ => Class::Other,
        }
    }

    /// The class of one of two values.
    fn or(self, other: Class) -> Class {
        match self.with(other) {
            Class::Other if self.is_narrow() && other.is_narrow() => Class::Short,
            class => class,
        }
    }
}

/// The smallest and the largest value of a register of 64 bits, whose bits count as signed.
type Range = (i128, i128);

const NARROW: Range = (i32::MIN as i128, i32::MAX as i128);

fn is_wide_integer(ty: RegType) -> bool {
    matches!(ty, RegType::I64 | RegType::U64)
}

/// A program with positions in 32 bits, and what it takes for them to fit.
#[derive(Debug)]
pub struct NarrowPositions {
    classes: Vec<Class>,
    program: Program,
}

impl NarrowPositions {
    /// The program, which takes the same operands and scalars.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Whether it computes the same as `wide`, of which it was made, at this number of elements and these scalars.
    pub fn fit(&self, wide: &Program, elements: usize, scalars: &[u64]) -> bool {
        wide.fits(&self.classes, elements, scalars)
    }
}

impl Program {
    /// The same program with positions in 32 bits; `None` if it has none worth it. It is for maps.
    pub fn narrow_positions(&self) -> Option<NarrowPositions> {
        if !self.reductions.is_empty() || !self.philox.is_empty() {
            return None;
        }
        let classes = self.classes();
        let narrow = |ops: fn(Prim) -> bool| {
            self.instrs.iter().zip(&classes).any(|(instr, class)| match instr.op {
                Op::Prim(prim) => class.is_narrow() && ops(prim),
                _ => false,
            })
        };
        // Additions alone gain little.
        let divides = || narrow(|prim| matches!(prim, Prim::Div | Prim::Rem));
        let worth = divides() || self.gathers() && narrow(|_| true);
        worth.then(|| NarrowPositions { program: self.rewritten(&classes), classes })
    }

    /// The class of each register.
    fn classes(&self) -> Vec<Class> {
        let mut classes: Vec<Class> = Vec::with_capacity(self.instrs.len());
        for instr in &self.instrs {
            let arg = |position: usize| classes[usize::from(instr.args[position])];
            let class = match instr.op {
                _ if !is_wide_integer(instr.ty) => Class::Other,
                Op::Index => Class::Position,
                Op::Scalar(_) if instr.ty == RegType::I64 => Class::Uniform,
                Op::Const(bits) if i32::try_from(bits as i64).is_ok() => Class::Uniform,
                Op::BoundsCheck { .. } => Class::Position,
                Op::Bitcast { from } if is_wide_integer(from) => arg(0),
                Op::Cast { from } => match from {
                    RegType::Bool | RegType::U8 | RegType::U16 => Class::Short,
                    RegType::I8 | RegType::I16 | RegType::I32 if instr.ty == RegType::I64 => {
                        Class::Short
                    }
                    _ => Class::Other,
                },
                Op::Prim(prim) => match prim {
                    Prim::Add | Prim::Sub | Prim::Div => arg(0).with(arg(1)),
                    Prim::Mul if [arg(0), arg(1)].contains(&Class::Uniform) => arg(0).with(arg(1)),
                    Prim::Rem if arg(0).is_narrow() && arg(1).is_position() => {
                        match arg(0).with(arg(1)) {
                            Class::Uniform => Class::Uniform,
                            _ => Class::Position,
                        }
                    }
                    Prim::Min | Prim::Max => arg(0).or(arg(1)),
                    Prim::Select | Prim::SelectSlowPath => match arg(1).or(arg(2)) {
                        Class::Uniform => Class::Position,
                        class => class,
                    },
                    _ => Class::Other,
                },
                _ => Class::Other,
            };
            classes.push(class);
        }
        classes
    }

    /// Whether all narrow registers hold what fits into 32 bits.
    fn fits(&self, classes: &[Class], elements: usize, scalars: &[u64]) -> bool {
        let mut ranges: Vec<Range> = Vec::with_capacity(self.instrs.len());
        for (instr, class) in self.instrs.iter().zip(classes) {
            if !class.is_narrow() {
                ranges.push(NARROW);
                continue;
            }
            let arg = |position: usize| ranges[usize::from(instr.args[position])];
            // Without a sign only what is not negative is what its bits are with one.
            let counts = |position: usize| instr.ty == RegType::I64 || arg(position).0 >= 0;
            let range = match instr.op {
                Op::Index => (0, elements.max(1) as i128 - 1),
                Op::Scalar(number) => {
                    let value = i128::from(scalars[usize::from(number)] as i64);
                    (value, value)
                }
                Op::Const(bits) => (i128::from(bits as i64), i128::from(bits as i64)),
                Op::BoundsCheck { .. } => {
                    // The bound is a scalar of the launch.
                    let (_, most) = arg(1);
                    (0, most.max(1) - 1)
                }
                Op::Bitcast { .. } => arg(0),
                Op::Cast { from } => match from {
                    RegType::Bool => (0, 1),
                    RegType::U8 => (0, 255),
                    RegType::U16 => (0, 65535),
                    _ => NARROW,
                },
                Op::Prim(prim) => {
                    let (a, b) = (arg(0), arg(1));
                    match prim {
                        Prim::Add => (a.0 + b.0, a.1 + b.1),
                        Prim::Sub => (a.0 - b.1, a.1 - b.0),
                        Prim::Mul => extremes([a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1]),
                        // The quotient is no further from zero than the dividend, or its opposite.
                        Prim::Div if counts(0) && counts(1) => {
                            let most = a.0.abs().max(a.1.abs());
                            let least = if a.0 >= 0 && b.0 >= 0 { 0 } else { -most };
                            match b.0 > 0 && a.0 >= 0 {
                                true => (a.0 / b.1, a.1 / b.0),
                                false => (least, most),
                            }
                        }
                        Prim::Rem if counts(0) && counts(1) => {
                            let most = (b.0.abs().max(b.1.abs()) - 1).max(0);
                            let most = most.min(a.0.abs().max(a.1.abs()));
                            (if a.0 < 0 { -most } else { 0 }, if a.1 > 0 { most } else { 0 })
                        }
                        Prim::Min if counts(0) && counts(1) => (a.0.min(b.0), a.1.min(b.1)),
                        Prim::Max if counts(0) && counts(1) => (a.0.max(b.0), a.1.max(b.1)),
                        Prim::Select | Prim::SelectSlowPath => {
                            let (yes, no) = (arg(1), arg(2));
                            (yes.0.min(no.0), yes.1.max(no.1))
                        }
                        _ => return false,
                    }
                }
                _ => return false,
            };
            if range.0 < NARROW.0 || range.1 > NARROW.1 {
                return false;
            }
            ranges.push(range);
        }
        true
    }

    fn rewritten(&self, classes: &[Class]) -> Program {
        let builder = Builder::new();
        let mut rewriting =
            Rewriting { program: self, classes, builder: &builder, moved: Vec::new() };
        (0..self.instrs.len()).for_each(|reg| rewriting.instr(reg));
        let new = |reg: Reg| rewriting.wide(reg).reg();
        let outputs = self
            .outputs
            .iter()
            .map(|output| super::Output { parts: output.parts.map(new), ..*output })
            .collect();
        let mut program = Program {
            inputs: self.inputs.clone(),
            scalars: self.scalars.clone(),
            outputs,
            ..Program::default()
        };
        builder.move_to(&mut program);
        program
    }
}

fn extremes(values: [i128; 4]) -> Range {
    let [first, rest @ ..] = values;
    rest.into_iter().fold((first, first), |(low, high), value| (low.min(value), high.max(value)))
}

/// A program that is written anew.
struct Rewriting<'r, 'b> {
    program: &'r Program,
    classes: &'r [Class],
    builder: &'b Builder,
    /// Each register: as an I32 if it is narrow.
    moved: Vec<SsaValue<'b>>,
}

impl<'b> Rewriting<'_, 'b> {
    fn is_narrow(&self, reg: Reg) -> bool {
        self.classes[usize::from(reg)].is_narrow()
    }

    /// A register in its own type.
    fn wide(&self, reg: Reg) -> SsaValue<'b> {
        let (moved, instr) = (self.moved[usize::from(reg)], self.program.instrs[usize::from(reg)]);
        match instr.op {
            Op::Const(_) | Op::Scalar(_) => self.builder.push(instr.op, instr.ty, [0; 3]),
            _ if self.is_narrow(reg) => moved.cast(RegType::I64).bitcast(instr.ty),
            _ => moved,
        }
    }

    /// A narrow register, in 32 bits with the sign of its own type.
    fn narrow(&self, reg: Reg) -> SsaValue<'b> {
        let moved = self.moved[usize::from(reg)];
        match self.program.instrs[usize::from(reg)].ty {
            RegType::U64 => moved.bitcast(RegType::U32),
            _ => moved,
        }
    }

    fn instr(&mut self, reg: usize) {
        let instr = self.program.instrs[reg];
        let arg = |position: usize| instr.args[position];
        let builder = self.builder;
        let value = match instr.op {
            Op::Const(bits) if self.is_narrow(reg as Reg) => builder.int(RegType::I32, bits as i64),
            Op::Bitcast { .. } if self.is_narrow(reg as Reg) => self.moved[usize::from(arg(0))],
            // From 32 bits with a sign, and from fewer.
            Op::Cast { .. } if self.is_narrow(reg as Reg) => self.wide(arg(0)).cast(RegType::I32),
            Op::Prim(prim @ (Prim::Select | Prim::SelectSlowPath))
                if self.is_narrow(reg as Reg) =>
            {
                let (yes, no) = (self.moved[usize::from(arg(1))], self.moved[usize::from(arg(2))]);
                builder.prim(prim, &[self.wide(arg(0)), yes, no])
            }
            Op::Prim(prim) if self.is_narrow(reg as Reg) => {
                let value = builder.prim(prim, &[self.narrow(arg(0)), self.narrow(arg(1))]);
                value.bitcast(RegType::I32)
            }
            // Bits that are extended by their sign compare as they did, with a sign or without.
            Op::Prim(prim @ (Prim::Lt | Prim::Le | Prim::Eq))
                if self.is_narrow(arg(0)) && self.is_narrow(arg(1)) =>
            {
                builder.prim(prim, &[self.narrow(arg(0)), self.narrow(arg(1))])
            }
            Op::Loop(number) => {
                let own = &self.program.loops[usize::from(number)];
                let operands: SmallVec<[Reg; 8]> =
                    own.operands.iter().map(|&reg| self.wide(reg).reg()).collect();
                builder.push_loop(super::Loop { operands, ..own.as_ref().clone() })
            }
            op => {
                let mut args = [0; 3];
                for (position, new) in args.iter_mut().enumerate().take(op.arity()) {
                    *new = self.wide(arg(position)).reg();
                }
                let value = builder.push(op, instr.ty, args);
                if self.is_narrow(reg as Reg) { value.cast(RegType::I32) } else { value }
            }
        };
        self.moved.push(value);
    }
}

#[cfg(test)]
mod tests;
