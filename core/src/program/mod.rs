//! Programs: what the engine asks a backend to compute for each element.
//!
//! A program is straight-line code in single assignment form over a few dozen primitives with exact
//! meaning. Complex numbers are pairs of registers, f16 and bf16 live in 32-bit registers and are
//! rounded by explicit steps, so a backend needs to know eleven register types and nothing else.
//! Reductions inside a program (`sum`, `max`, …) turn values of elements into values of a row.
//!
//! Sizes, strides and addresses are deliberately absent: they belong to the launch. Two programs that
//! compare equal need one kernel.
//!
//! A [`Loop`] repeats a step while a condition holds. It is bounded, and its result depends on the element alone: a
//! backend that computes many elements together freezes those that are done.

mod builder;
mod check;
mod fault;
mod gathers;
mod hash;
mod narrow;
mod open;
mod region;
mod weight;

use std::sync::Arc;

use smallvec::SmallVec;

pub use builder::{Builder, SsaValue, Words};
pub(crate) use check::is_step_of;
pub use fault::{Fault, WHOLE};
pub use narrow::NarrowPositions;
pub use open::{BlockFn, OpenFormula};
pub use region::{State, TooManyOperands};

use crate::dtype::DType;
use crate::formulas::Formula;
use crate::formulas::algebra::Table;

/// Type of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum RegType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl RegType {
    /// The register type that holds (a part of) an element of `dtype`.
    pub const fn of(dtype: DType) -> RegType {
        match dtype {
            DType::Bool => RegType::Bool,
            DType::I8 => RegType::I8,
            DType::I16 => RegType::I16,
            DType::I32 => RegType::I32,
            DType::I64 => RegType::I64,
            DType::U8 => RegType::U8,
            DType::U16 => RegType::U16,
            DType::U32 => RegType::U32,
            DType::U64 => RegType::U64,
            DType::F16 | DType::BF16 | DType::F32 | DType::C64 => RegType::F32,
            DType::F64 | DType::C128 => RegType::F64,
        }
    }

    /// A float?
    pub const fn is_float(self) -> bool {
        matches!(self, RegType::F32 | RegType::F64)
    }

    /// A signed integer?
    pub const fn is_signed(self) -> bool {
        matches!(self, RegType::I8 | RegType::I16 | RegType::I32 | RegType::I64)
    }

    /// Bytes of a register.
    pub const fn size(self) -> usize {
        match self {
            RegType::Bool | RegType::I8 | RegType::U8 => 1,
            RegType::I16 | RegType::U16 => 2,
            RegType::I32 | RegType::U32 | RegType::F32 => 4,
            RegType::I64 | RegType::U64 | RegType::F64 => 8,
        }
    }

    /// The integer (or truth) value of a register of a type that is no float.
    pub fn integer(self, bits: u64) -> i128 {
        match self {
            RegType::I8 => i128::from(bits as i8),
            RegType::I16 => i128::from(bits as i16),
            RegType::I32 => i128::from(bits as i32),
            RegType::I64 => i128::from(bits as i64),
            _ => i128::from(bits),
        }
    }

    /// The bits that belong to the type.
    pub fn trimmed(self, bits: u64) -> u64 {
        match self {
            RegType::Bool => bits & 1,
            _ if self.size() == 8 => bits,
            _ => bits & ((1 << (8 * self.size())) - 1),
        }
    }

    /// The unsigned integer as wide as this type.
    pub const fn bits_type(self) -> RegType {
        match self.size() {
            1 => RegType::U8,
            2 => RegType::U16,
            4 => RegType::U32,
            _ => RegType::U64,
        }
    }
}

/// A step that every backend implements, with one meaning to the last bit.
///
/// Unless said otherwise arguments and result have the type of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prim {
    /// `a + b`: floats round to nearest even, integers wrap.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a / b`: integers truncate, `x / 0 = 0`, `min / -1 = min`.
    Div,
    /// Remainder with the sign of `a`, exact (C's `fmod`); integers: `x % 0 = 0`, `min % -1 = 0`.
    Rem,
    /// `a^b` of integers, wrapping; a negative exponent is the error [`crate::Error::NegativePower`],
    /// also of an element that a later `Select` would discard, as in NumPy.
    IntPow,
    /// The smaller; NaN wins, -0.0 is less than +0.0.
    Min,
    /// The larger; NaN wins, +0.0 is more than -0.0.
    Max,
    /// Bitwise (logical for bool) and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// `a << b`; counts outside the width give 0.
    Shl,
    /// `a >> b`, arithmetic for signed types; counts outside the width give 0 or all sign bits.
    Shr,
    /// High half of the double-width product (U32 and U64).
    MulHigh,
    /// Greatest common divisor of unsigned integers; of 0 and `b` it is `b`.
    Gcd,
    /// `-a`: flips the sign bit of floats, wraps for integers.
    Neg,
    /// Absolute value: clears the sign bit of floats, wraps for integers.
    Abs,
    /// Bitwise (logical for bool) complement.
    Not,
    /// Square root, rounded to nearest even.
    Sqrt,
    /// Largest integer not above.
    Floor,
    /// Smallest integer not below.
    Ceil,
    /// Toward zero.
    Trunc,
    /// Nearest integer, halves to even.
    Rint,
    /// Rounds an F32 to the nearest f16 value (ties to even, overflow to infinity), kept in F32.
    RoundF16,
    /// Rounds an F32 to the nearest bf16 value, kept in F32.
    RoundBf16,
    /// Rounds an **F64** argument once to the nearest f16 value, kept in F32.
    NarrowF16,
    /// Rounds an **F64** argument once to the nearest bf16 value, kept in F32.
    NarrowBf16,
    /// `a * b + c`, rounded once.
    Fma,
    /// `a < b` as Bool; false where either is NaN. Arguments share any type.
    Lt,
    /// `a <= b` as Bool.
    Le,
    /// `a == b` as Bool.
    Eq,
    /// `a ? b : c`, where `a` is Bool.
    Select,
    /// As `Select`, where `a` almost never holds: a backend may branch around what only `b` needs.
    SelectSlowPath,
}

impl Prim {
    /// The rounding of a register to the values of a narrow float, from the register's own type.
    pub const fn rounding(dtype: DType) -> Option<Prim> {
        match dtype {
            DType::F16 => Some(Prim::RoundF16),
            DType::BF16 => Some(Prim::RoundBf16),
            _ => None,
        }
    }

    /// The rounding of an f64 to the values of a narrow float.
    pub const fn narrowing(dtype: DType) -> Option<Prim> {
        match dtype {
            DType::F16 => Some(Prim::NarrowF16),
            DType::BF16 => Some(Prim::NarrowBf16),
            _ => None,
        }
    }

    /// Every primitive.
    pub const ALL: [Prim; 33] = {
        use Prim::*;
        [
            Add,
            Sub,
            Mul,
            Div,
            Rem,
            IntPow,
            Min,
            Max,
            And,
            Or,
            Xor,
            Shl,
            Shr,
            MulHigh,
            Gcd,
            Neg,
            Abs,
            Not,
            Sqrt,
            Floor,
            Ceil,
            Trunc,
            Rint,
            RoundF16,
            RoundBf16,
            NarrowF16,
            NarrowBf16,
            Fma,
            Lt,
            Le,
            Eq,
            Select,
            SelectSlowPath,
        ]
    };

    /// Whether reductions and scans may combine by it.
    pub const fn combines(self) -> bool {
        use Prim::*;
        matches!(self, Add | Mul | Min | Max | And | Or | Xor)
    }

    /// Number of arguments.
    #[inline]
    pub const fn arity(self) -> usize {
        use Prim::*;
        match self {
            Neg | Abs | Not | Sqrt | Floor | Ceil | Trunc | Rint | RoundF16 | RoundBf16
            | NarrowF16 | NarrowBf16 => 1,
            Add | Sub | Mul | Div | Rem | IntPow | Min | Max | And | Or | Xor | Shl | Shr
            | MulHigh | Gcd | Lt | Le | Eq => 2,
            Fma | Select | SelectSlowPath => 3,
        }
    }
}

/// A register: the position of the instruction that defines it.
pub type Reg = u16;

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Real (`part` 0) or imaginary (`part` 1) part of this element of an input.
    Load {
        /// Position in [`Program::inputs`].
        input: u16,
        /// 0 or 1.
        part: u8,
    },
    /// A value given with the launch, as register bits.
    Scalar(u16),
    /// Bits of a constant.
    Const(u64),
    /// Position of the element in its row (in the whole iteration of a map), C order, as I64. A backend may
    /// count in fewer bits where the row is short enough.
    Index,
    /// Argument of a [`Body`].
    Argument(u16),
    /// Part of the element of an input at a position, the first argument: in C order from the offset of the input on,
    /// whatever its strides. The second argument is how many elements there are, a scalar of the launch; a position outside
    /// of these reads zeros.
    Gather {
        /// Position in [`Program::inputs`] (in what is not in a program yet, an operand).
        input: u16,
        /// 0 or 1.
        part: u8,
    },
    /// The first argument, a position, if it is at least 0 and below the second, a scalar of the launch. Any other is the error
    /// [`crate::Error::Position`], and gives 0.
    BoundsCheck {
        /// The operand that is read there, for the error.
        operand: u8,
        /// Its axis, or [`WHOLE`].
        axis: u8,
    },
    /// A primitive.
    Prim(Prim),
    /// Conversion: int to int wraps, float to int truncates and saturates and NaN gives 0, anything
    /// to bool is `!= 0`, the rest rounds to nearest even.
    Cast {
        /// Type of the argument.
        from: RegType,
    },
    /// The same bits under a type of the same width.
    Bitcast {
        /// Type of the argument.
        from: RegType,
    },
    /// A word of a constant table; indices past the end read the last word.
    Table(&'static Table),
    /// A formula kept whole: [`Program::expand`] writes it out.
    Call(Formula),
    /// A formula of another crate kept whole. The type is that of its operands and results; the register has no value that
    /// anything but [`Op::CallResult`] may read.
    CallOpen(&'static OpenFormula),
    /// Result of this number of the formula that the argument calls.
    CallResult(u8),
    /// Result `part` of a reduction: one value for the row.
    Reduced {
        /// Position in [`Program::reductions`].
        reduction: u16,
        /// Which register of its state.
        part: u8,
    },
    /// Register of this number of the running state of the program's one reduction: the elements of the row up to this one,
    /// combined. Scans alone have it.
    Running(u8),
    /// Runs a loop of [`Program::loops`] (in a body, of [`Body::loops`]) on its operands. The register, a Bool, has no value
    /// that anything but [`Op::LoopState`] may read.
    Loop(u16),
    /// Register `part` of the final state of the loop that the argument runs.
    LoopState(u8),
}

impl Op {
    /// How many of an instruction's `args` count.
    #[inline]
    pub const fn arity(&self) -> usize {
        match self {
            Op::Load { .. } | Op::Scalar(_) | Op::Const(_) | Op::Index | Op::Argument(_) => 0,
            Op::Reduced { .. } | Op::Running(_) | Op::Loop(_) => 0,
            Op::LoopState(_) | Op::CallResult(_) => 1,
            Op::CallOpen(formula) => formula.arity,
            Op::Prim(prim) => prim.arity(),
            Op::Cast { .. } | Op::Bitcast { .. } | Op::Table(_) => 1,
            Op::Gather { .. } | Op::BoundsCheck { .. } => 2,
            Op::Call(formula) => formula.arity(),
        }
    }
}

/// One step: an operation, the type of its result, its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instr {
    /// What to do.
    pub op: Op,
    /// Type of the result.
    pub ty: RegType,
    /// Arguments; those past the arity are 0.
    pub args: [Reg; 3],
}

impl Instr {
    /// The registers that it reads: its arguments, or the operands of the loop that it runs, one of `loops`.
    #[inline]
    pub fn args<'i>(&'i self, loops: &'i [Arc<Loop>]) -> &'i [Reg] {
        match self.op {
            Op::Loop(number) => &loops[usize::from(number)].operands,
            op => &self.args[..op.arity()],
        }
    }

    /// Whether an element may have no result, which is an error of the launch. `loops` are those that it may run.
    pub fn fails(&self, loops: &[Arc<Loop>]) -> bool {
        match self.op {
            Op::Prim(Prim::IntPow) | Op::BoundsCheck { .. } => true,
            Op::Loop(number) => loops[usize::from(number)].fails(),
            _ => false,
        }
    }
}

/// Whether a value is computed once per element or once per row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Domain {
    /// Once a row.
    Row,
    /// Once an element.
    Element,
}

/// An array read by a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// Its dtype.
    pub dtype: DType,
    /// `Row` where it does not vary along the row.
    pub domain: Domain,
}

/// An array written by a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// Its dtype; a 16-bit float takes an F32 register that already holds one of its values.
    pub dtype: DType,
    /// Registers of the real and the imaginary part (equal for a real dtype).
    pub parts: [Reg; 2],
    /// `Row` where the row has one value.
    pub domain: Domain,
}

/// How two partial states of a reduction become one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// One primitive for which [`Prim::combines`] holds, applied to each register of the state.
    Prim(Prim),
    /// Straight-line code: arguments are the left state, then the right one.
    Body(Arc<Body>),
}

impl Combine {
    /// The same with every formula written out.
    fn expand(&self) -> Combine {
        match self {
            Combine::Body(body) if body.has_formulas() => Combine::Body(Arc::new(body.expand())),
            Combine::Prim(_) | Combine::Body(_) => self.clone(),
        }
    }
}

/// Straight-line code outside a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Body {
    /// Instructions; loads and reductions do not occur, and [`Op::Gather`] in loops alone.
    pub instrs: Vec<Instr>,
    /// The loops that they run.
    pub loops: Vec<Arc<Loop>>,
    /// What it returns.
    pub results: SmallVec<[Reg; 4]>,
    /// What it computes, for backends that have code of their own for it. The instructions are the
    /// meaning, to the last bit.
    pub known: Option<Known>,
}

impl Body {
    /// Whether it, or a loop of it, calls a formula.
    fn has_formulas(&self) -> bool {
        let is_call = |instr: &Instr| matches!(instr.op, Op::Call(_) | Op::CallOpen(_));
        let calls = self.instrs.iter().any(is_call);
        calls || self.loops.iter().any(|own| own.has_formulas())
    }

    /// The same with every formula written out.
    fn expand(&self) -> Body {
        let builder = Builder::expanding();
        let map = builder.replay_all(&self.instrs, &self.loops, None, |_| {});
        let results = self.results.iter().map(|&reg| map[usize::from(reg)]).collect();
        let known = self.known;
        let (instrs, loops) = builder.into_parts();
        Body { instrs, loops, results, known }
    }

    /// Whether it may have no result for some arguments.
    pub fn fails(&self) -> bool {
        self.instrs.iter().any(|instr| instr.fails(&self.loops))
    }
}

/// A loop: while the condition holds of the state, and fewer than `limit` steps were taken, a step makes the next state.
///
/// An element whose condition does not hold keeps its state, and steps that it does not take have no errors. So its result
/// does not depend on the elements computed along with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loop {
    /// The initial state, then values that stay as they are. They are the arguments of both bodies, in this order.
    pub operands: SmallVec<[Reg; 8]>,
    /// Number of registers of the state.
    pub state: u8,
    /// Maximum number of steps.
    pub limit: u32,
    /// Whether to take a step: one Bool.
    pub condition: Body,
    /// The next state.
    pub step: Body,
}

impl Loop {
    /// Maximum number of registers of a state.
    pub const MAX_STATE: usize = 12;
    /// Maximum number of operands.
    pub const MAX_OPERANDS: usize = 32;
    /// Maximum number of loops within each other. A branch is a loop, too, and formulas that take others bring theirs.
    pub const MAX_DEPTH: usize = 8;

    /// Whether a step, or the condition, may have no result.
    pub fn fails(&self) -> bool {
        self.condition.fails() || self.step.fails()
    }

    fn has_formulas(&self) -> bool {
        self.condition.has_formulas() || self.step.has_formulas()
    }

    /// The same with every formula written out, on other operands.
    fn expand_on(&self, operands: SmallVec<[Reg; 8]>) -> Loop {
        let (condition, step) = (self.condition.expand(), self.step.expand());
        Loop { operands, condition, step, ..*self }
    }
}

/// Combinations of states that occur again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Known {
    /// Of two (value, position): the one with the smaller value, NaN being the smallest of all; of equals
    /// the one with the smaller position. Values are real.
    FirstSmallest,
    /// The same with the larger value, NaN being the largest of all.
    FirstLargest,
    /// Of two (count, mean, sum of squared distances): those of both together (Chan, Golub & LeVeque 1979).
    Moments,
}

/// Words of Philox4x32-10 among the registers of a program, for backends that have code of their own for them. The
/// instructions are the meaning, to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Philox {
    /// The four words of the counter, then the two of the key, all U32.
    pub sources: [Reg; 6],
    /// The four random words.
    pub words: [Reg; 4],
}

impl Philox {
    /// Rounds that the authors recommend, and everything here uses.
    pub const ROUNDS: usize = 10;
    /// What the first and the third word are multiplied by.
    pub const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
    /// What is added to the key after each round: the golden ratio and √3 − 1.
    pub const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
}

/// A formula that was written out in primitives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// The name of the formula.
    pub name: &'static str,
    /// The registers that it added to the expanded program. Those that were there already are not among them.
    pub registers: std::ops::Range<usize>,
    /// Its arguments in the expanded program.
    pub args: SmallVec<[Reg; 3]>,
    /// Its results in the expanded program.
    pub results: SmallVec<[Reg; 4]>,
}

/// A reduction over the row, by the canonical plan (`crate::plan`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reduction {
    /// Registers of each element's own state; one that is the same for the whole row (the count of 1 that
    /// a variance starts from) may be of domain `Row`.
    pub lifted: SmallVec<[Reg; 4]>,
    /// How states combine.
    pub combine: Combine,
}

impl Reduction {
    /// Maximum number of registers of a state.
    pub const MAX_STATE: usize = 4;
}

/// In which order the elements of a segment are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CombineOrder {
    /// By the canonical plan (`crate::plan`), each segment as a row of its own.
    Plan,
    /// From left to right, starting from the first element.
    Left,
}

/// Straight-line code over the elements of an iteration space, with reductions over its rows.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Program {
    /// Arrays read.
    pub inputs: SmallVec<[Input; 4]>,
    /// Types of the values given with the launch.
    pub scalars: SmallVec<[RegType; 4]>,
    /// Steps, each after what it needs.
    pub instrs: Vec<Instr>,
    /// The loops that they run.
    pub loops: Vec<Arc<Loop>>,
    /// Reductions; one is complete before the first `Reduced` that names it.
    pub reductions: Vec<Reduction>,
    /// Arrays written.
    pub outputs: SmallVec<[Output; 2]>,
    /// Random words among the registers of a map.
    pub philox: SmallVec<[Philox; 1]>,
}

impl Program {
    /// The registers that a register is computed from.
    #[inline]
    pub fn args(&self, reg: Reg) -> &[Reg] {
        self.instrs[usize::from(reg)].args(&self.loops)
    }

    /// Whether an element may have no result, which is an error of the launch.
    pub fn fails(&self) -> bool {
        self.instrs.iter().any(|instr| instr.fails(&self.loops))
    }

    /// The domain of each register.
    pub fn domains(&self) -> Vec<Domain> {
        let mut domains: Vec<Domain> = Vec::with_capacity(self.instrs.len());
        for instr in &self.instrs {
            let domain = match instr.op {
                Op::Load { input, .. } => self.inputs[usize::from(input)].domain,
                Op::Index | Op::Running(_) => Domain::Element,
                Op::Scalar(_) | Op::Const(_) | Op::Reduced { .. } | Op::Argument(_) => Domain::Row,
                Op::Prim(_)
                | Op::Cast { .. }
                | Op::Bitcast { .. }
                | Op::Table(_)
                | Op::Call(_)
                | Op::CallOpen(_)
                | Op::CallResult(_)
                | Op::Gather { .. }
                | Op::BoundsCheck { .. }
                | Op::Loop(_)
                | Op::LoopState(_) => {
                    let args = instr.args(&self.loops).iter();
                    args.map(|&arg| domains[usize::from(arg)]).max().unwrap_or(Domain::Row)
                }
            };
            domains.push(domain);
        }
        domains
    }

    /// Whether running states of a scan are read.
    pub fn reads_running_states(&self) -> bool {
        self.instrs.iter().any(|instr| matches!(instr.op, Op::Running(_)))
    }

    /// Whether a reduction needs the result of another.
    pub fn is_staged(&self) -> bool {
        // One reduction has no other.
        if self.reductions.len() < 2 {
            return false;
        }
        let mut after: Vec<bool> = Vec::with_capacity(self.instrs.len());
        for instr in &self.instrs {
            let reduced = matches!(instr.op, Op::Reduced { .. });
            let args = instr.args(&self.loops);
            after.push(reduced || args.iter().any(|&arg| after[usize::from(arg)]));
        }
        let mut lifted = self.reductions.iter().flat_map(|reduction| &reduction.lifted);
        lifted.any(|&reg| after[usize::from(reg)])
    }

    /// Whether it has loops or branches, or calls a formula that repeats steps.
    #[inline]
    pub fn repeats(&self) -> bool {
        let calls = |instr: &Instr| match instr.op {
            Op::CallOpen(formula) => formula.repeats(instr.ty),
            _ => false,
        };
        !self.loops.is_empty() || self.instrs.iter().any(calls)
    }

    /// The same program with every [`Op::Call`] and [`Op::CallOpen`] written out in primitives.
    pub fn expand(&self) -> Program {
        self.expand_with(|_| {})
    }

    /// The same as [`Program::expand`]; passes each formula that is written out to `expanded`, in order.
    pub fn expand_with(&self, expanded: impl FnMut(Expansion)) -> Program {
        let builder = Builder::expanding();
        let map = builder.replay_all(&self.instrs, &self.loops, None, expanded);
        let reductions = self
            .reductions
            .iter()
            .map(|reduction| Reduction {
                lifted: reduction.lifted.iter().map(|&reg| map[usize::from(reg)]).collect(),
                combine: reduction.combine.expand(),
            })
            .collect();
        let outputs = self
            .outputs
            .iter()
            .map(|output| Output {
                parts: output.parts.map(|reg| map[usize::from(reg)]),
                ..*output
            })
            .collect();
        let new = |reg: Reg| map[usize::from(reg)];
        let philox = self
            .philox
            .iter()
            .map(|known| Philox { sources: known.sources.map(new), words: known.words.map(new) })
            .collect();
        let (instrs, loops) = builder.into_parts();
        Program {
            inputs: self.inputs.clone(),
            scalars: self.scalars.clone(),
            instrs,
            loops,
            reductions,
            outputs,
            philox,
        }
    }
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_instrs(f, &self.instrs, &self.loops, "")?;
        for (number, reduction) in self.reductions.iter().enumerate() {
            writeln!(f, "reduction {number}: {:?} by {:?}", reduction.lifted, reduction.combine)?;
        }
        for output in &self.outputs {
            writeln!(f, "out {} {:?} = {:?}", output.dtype, output.domain, output.parts)?;
        }
        Ok(())
    }
}

fn write_instrs(
    f: &mut std::fmt::Formatter<'_>,
    instrs: &[Instr],
    loops: &[Arc<Loop>],
    indent: &str,
) -> std::fmt::Result {
    for (number, instr) in instrs.iter().enumerate() {
        write!(f, "{indent}%{number}: {:?} = ", instr.ty)?;
        match instr.op {
            Op::Prim(prim) => write!(f, "{prim:?}")?,
            Op::Call(formula) => f.write_str(formula.name())?,
            Op::CallOpen(formula) => f.write_str(formula.name)?,
            Op::Const(bits) => write!(f, "const {bits:#x}")?,
            Op::Table(table) => write!(f, "table {}", table.name)?,
            Op::Loop(own) => write!(f, "loop of at most {}", loops[usize::from(own)].limit)?,
            other => write!(f, "{other:?}")?,
        }
        for arg in instr.args(loops) {
            write!(f, " %{arg}")?;
        }
        writeln!(f)?;
        if let Op::Loop(own) = instr.op {
            let own = &loops[usize::from(own)];
            for (word, body) in [("while", &own.condition), ("next", &own.step)] {
                write_instrs(f, &body.instrs, &body.loops, &format!("{indent}    "))?;
                writeln!(f, "{indent}  {word} {:?}", body.results)?;
            }
        }
    }
    Ok(())
}
