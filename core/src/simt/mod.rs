//! Kernels of threads and blocks: what a user's own SIMT kernel is made of.
//!
//! A [`Kernel`] is structured code that every thread of a grid runs. Its steps are those of programs
//! ([`Op`](crate::program::Op)), so they have one meaning to the last bit. Around them are variables, branches, loops,
//! shared memory, barriers, atomics and exchanges between the lanes of a warp.
//!
//! A register is defined by one statement and visible after it in its block and in the blocks within. What changes is
//! in variables, each of which a thread has for itself, zero at first.
//!
//! # Meaning
//! - Accesses are checked. A read out of bounds gives zero, a write does nothing, and both are a [`Fault`](crate::program::Fault).
//! - Between two barriers, threads of a block run in any order; so do blocks. Without races the result does not depend
//!   on it: two accesses race if one of them writes, they are of different threads, nothing orders them, and not both are
//!   atomic. A read that races gives some value; nothing else is affected.
//! - Shared memory is not initialized.
//! - A barrier stands where all threads of a block come together, an exchange where all lanes of a warp do:
//!   [`Kernel::new`] refuses any other (see `uniformity`).
//!
//! A complex number is two registers; an element of it is read and written part by part.
//!
//! Deliberately absent: arrays of a thread, recursion, and barriers of a whole grid.

mod check;
mod expand;
mod ranges;
mod uniformity;

use std::hash::{DefaultHasher, Hash, Hasher};

use smallvec::SmallVec;

pub use check::Malformed;
pub use ranges::Known;
pub use uniformity::Divergence;

use crate::dtype::DType;
use crate::error::Error;
use crate::program::{Instr, Reg, RegType, WHOLE};

/// A variable of a thread: its number in [`Parts::variables`].
pub type Variable = u16;

/// Statements in order.
pub type Block = Vec<Statement>;

/// A kernel that is well-formed, and whose barriers and exchanges are reached together.
#[derive(Debug)]
pub struct Kernel {
    parts: Parts,
    hash: u64,
    exchanges: bool,
    proofs: ranges::Proofs,
}

/// What a kernel is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parts {
    /// Its name.
    pub name: &'static str,
    /// What a launch gives it, in order.
    pub parameters: Vec<Parameter>,
    /// The shared arrays of a block.
    pub shared: Vec<SharedArray>,
    /// The types of the variables.
    pub variables: Vec<RegType>,
    /// The types of the registers.
    pub registers: Vec<RegType>,
    /// What a thread does.
    pub body: Block,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: ParameterKind,
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    /// A number.
    Scalar(DType),
    /// An array in C order.
    Array {
        /// Type of the elements.
        dtype: DType,
        /// Number of axes.
        rank: u8,
        /// Whether the kernel may write it.
        writes: bool,
    },
}

/// An array in the shared memory of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedArray {
    /// Type of the elements.
    pub dtype: DType,
    /// Number of elements.
    pub size: u32,
}

/// A value that a thread, its block or its launch has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// Position of the thread in its block along x, y or z, as U32.
    Thread(u8),
    /// Position of the block in the grid, as U32.
    Block(u8),
    /// Threads of a block, as U32.
    BlockSize(u8),
    /// Blocks of the grid, as U32.
    GridSize(u8),
    /// Lanes of a warp, as U32.
    Lanes,
    /// Position of the thread in its warp, as U32. Threads are counted along x, then y, then z.
    Lane,
    /// Position of the warp in its block, as U32.
    Warp,
    /// Extent of an axis of an array, as I64.
    Extent {
        /// The parameter.
        parameter: u16,
        /// The axis.
        axis: u8,
    },
}

impl Builtin {
    /// The type of its register.
    pub fn ty(self) -> RegType {
        match self {
            Builtin::Extent { .. } => RegType::I64,
            _ => RegType::U32,
        }
    }
}

/// Where elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// In an array: the number of its parameter.
    Array(u16),
    /// In shared memory.
    Shared(u16),
}

/// The position of an element: registers of integers, one an axis.
pub type Position = SmallVec<[Reg; 3]>;

/// An atomic operation: reads an element, writes a new one, and gives what was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atomic {
    /// The sum. Integers wrap; that of floats depends on the order of the threads.
    Add,
    /// The smaller integer.
    Min,
    /// The larger integer.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The operand.
    Exchange,
    /// The operand where the element equals [`Statement::Atomic::expected`], by its bits.
    CompareExchange,
}

/// How lanes of a warp exchange values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Exchange {
    /// The value of the lane `operand` further down (with a higher number); its own where there is none.
    Down,
    /// The value of the lane `operand` further up; its own where there is none.
    Up,
    /// The value of the lane whose number is the own one, exclusive or `operand`; its own where there is none.
    Xor,
    /// The value of the lane `operand`, modulo the lanes.
    Lane,
    /// The lanes whose value is true, as bits of a U64. There is no operand.
    Ballot,
}

/// A statement. `site` is the number of the place in the user's source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// Computes a register from others.
    Step {
        /// The register.
        result: Reg,
        /// Constants, primitives, casts, tables and formulas.
        instr: Instr,
    },
    /// A number that the launch gives.
    Scalar {
        /// The register.
        result: Reg,
        /// The parameter.
        parameter: u16,
        /// 0, or 1 for the imaginary part of a complex number.
        part: u8,
    },
    /// A built-in value.
    Builtin {
        /// The register.
        result: Reg,
        /// The value.
        builtin: Builtin,
    },
    /// Reads a variable.
    Get {
        /// The register.
        result: Reg,
        /// The variable.
        variable: Variable,
    },
    /// Writes a variable.
    Set {
        /// The variable.
        variable: Variable,
        /// Its new value.
        value: Reg,
    },
    /// Reads an element.
    Load {
        /// The register.
        result: Reg,
        /// Where it is.
        place: Place,
        /// 0, or 1 for the imaginary part of a complex element.
        part: u8,
        /// Its position.
        at: Position,
    },
    /// Writes an element.
    Store {
        /// Where it is.
        place: Place,
        /// 0, or 1 for the imaginary part of a complex element.
        part: u8,
        /// Its position.
        at: Position,
        /// Its new value.
        value: Reg,
    },
    /// Changes an element atomically.
    Atomic {
        /// What was read.
        result: Reg,
        /// What it does.
        op: Atomic,
        /// Where the element is.
        place: Place,
        /// Its position.
        at: Position,
        /// The operand.
        value: Reg,
        /// What [`Atomic::CompareExchange`] compares with; else the operand once more.
        expected: Reg,
    },
    /// Exchanges values between the lanes of a warp.
    Exchange {
        /// What the lane gets.
        result: Reg,
        /// How.
        op: Exchange,
        /// What the lane gives.
        value: Reg,
        /// A U32; for [`Exchange::Ballot`] the value once more.
        operand: Reg,
        /// Its place.
        site: u16,
    },
    /// Runs one of two blocks.
    If {
        /// A Bool.
        condition: Reg,
        /// What runs where it holds.
        then: Block,
        /// What runs where it does not.
        otherwise: Block,
        /// Its place.
        site: u16,
    },
    /// Runs `head`, and if the condition holds `body` and `next`, again and again.
    Loop {
        /// What computes the condition.
        head: Block,
        /// A Bool that is visible at the end of `head`.
        condition: Reg,
        /// What repeats.
        body: Block,
        /// What follows the body, also after [`Statement::Continue`].
        next: Block,
        /// Its place.
        site: u16,
    },
    /// A part that [`Statement::Return`] leaves: the body of a function.
    Call {
        /// What it does.
        body: Block,
    },
    /// Leaves the innermost loop.
    Break,
    /// Goes on with the innermost loop.
    Continue,
    /// Leaves the innermost call, or the kernel.
    Return,
    /// Waits until all threads of the block are here. What they wrote before is seen after it.
    Barrier {
        /// Its place.
        site: u16,
    },
}

impl Statement {
    /// The blocks in it, in the order in which they run.
    pub fn blocks(&self) -> [&[Statement]; 3] {
        match self {
            Statement::If { then, otherwise, .. } => [then, otherwise, &[]],
            Statement::Loop { head, body, next, .. } => [head, body, next],
            Statement::Call { body } => [body, &[], &[]],
            _ => [&[]; 3],
        }
    }
}

/// Calls `f` with each statement, those within others after the one that they are in.
pub fn each_statement<'s>(block: &'s [Statement], f: &mut impl FnMut(&'s Statement)) {
    for statement in block {
        f(statement);
        statement.blocks().into_iter().for_each(|within| each_statement(within, f));
    }
}

/// The position in a register of an integer; what is beyond the largest one is that one, which no array has.
pub fn position(ty: RegType, bits: u64) -> i64 {
    i64::try_from(ty.integer(bits)).unwrap_or(i64::MAX)
}

/// Maximum number of loops, branches and calls within each other.
pub const MAX_DEPTH: usize = 32;

impl Kernel {
    /// A kernel of these parts.
    ///
    /// # Errors
    /// [`Invalid`]: they are not well-formed, or threads may not come together where they have to.
    pub fn new(parts: Parts) -> Result<Kernel, Invalid> {
        check::check(&parts).map_err(Invalid::Malformed)?;
        uniformity::check(&parts).map_err(Invalid::Divergence)?;
        Ok(Self::of(parts))
    }

    fn of(parts: Parts) -> Kernel {
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        let mut exchanges = false;
        each_statement(&parts.body, &mut |statement| {
            exchanges |= matches!(statement, Statement::Exchange { .. });
        });
        Kernel { parts, hash: hasher.finish(), exchanges, proofs: ranges::Proofs::default() }
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        self.parts.name
    }

    /// What a launch gives it.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parts.parameters
    }

    /// The shared arrays of a block.
    pub fn shared(&self) -> &[SharedArray] {
        &self.parts.shared
    }

    /// The types of the variables.
    pub fn variables(&self) -> &[RegType] {
        &self.parts.variables
    }

    /// The types of the registers.
    pub fn registers(&self) -> &[RegType] {
        &self.parts.registers
    }

    /// What a thread does.
    pub fn body(&self) -> &[Statement] {
        &self.parts.body
    }

    /// The dtype of the elements of a place.
    pub fn dtype(&self, place: Place) -> DType {
        self.parts.dtype(place).unwrap_or(DType::Bool)
    }

    /// Bytes of the shared arrays of a block, each of which begins at a multiple of 8.
    pub fn shared_bytes(&self) -> usize {
        let bytes =
            |array: &SharedArray| (array.size as usize * array.dtype.size()).next_multiple_of(8);
        self.shared().iter().map(bytes).sum()
    }

    /// Whether lanes exchange values, so that blocks have to be of whole warps.
    pub fn exchanges(&self) -> bool {
        self.exchanges
    }

    /// Whether a launch gives it integers.
    pub fn takes_integers(&self) -> bool {
        self.parameters().iter().any(|parameter| match parameter.kind {
            ParameterKind::Scalar(dtype) => !dtype.is_float() && !dtype.is_complex(),
            ParameterKind::Array { .. } => false,
        })
    }

    /// The number of a place in faults: that of the parameter, or after these that of the shared array.
    pub fn site_of(&self, place: Place) -> u8 {
        let number = match place {
            Place::Array(parameter) => usize::from(parameter),
            Place::Shared(number) => self.parts.parameters.len() + usize::from(number),
        };
        number as u8
    }

    /// The axis in faults of a position.
    pub fn axis_of(&self, place: Place, axis: usize) -> u8 {
        match self.parts.rank(place) {
            Some(1) | None => WHOLE,
            Some(_) => axis as u8,
        }
    }

    /// The error of a position that is out of bounds. `extent` says how far an axis of an array goes.
    pub fn out_of_bounds(
        &self,
        number: usize,
        axis: u8,
        position: i64,
        extent: impl Fn(usize, usize) -> usize,
    ) -> Error {
        let along = match axis {
            WHOLE => String::new(),
            axis => format!(" along axis {axis}"),
        };
        let axis = if axis == WHOLE { 0 } else { usize::from(axis) };
        let (what, extent) = match self.parts.parameters.get(number) {
            Some(parameter) => (parameter.name.to_string(), extent(number, axis)),
            None => {
                let shared = number - self.parts.parameters.len();
                let size = self.parts.shared.get(shared).map_or(0, |array| array.size as usize);
                (format!("shared array {shared}"), size)
            }
        };
        let reason = format!("index {position} of {what}{along} is out of bounds for {extent}");
        Error::Launch { op: self.name(), reason }
    }
}

impl Parts {
    /// The dtype of the elements of a place, if there is such a place.
    fn dtype(&self, place: Place) -> Option<DType> {
        match place {
            Place::Array(number) => match self.parameters.get(usize::from(number))?.kind {
                ParameterKind::Array { dtype, .. } => Some(dtype),
                ParameterKind::Scalar(_) => None,
            },
            Place::Shared(number) => Some(self.shared.get(usize::from(number))?.dtype),
        }
    }

    /// The number of axes of a place.
    fn rank(&self, place: Place) -> Option<usize> {
        match place {
            Place::Array(number) => match self.parameters.get(usize::from(number))?.kind {
                ParameterKind::Array { rank, .. } => Some(usize::from(rank)),
                ParameterKind::Scalar(_) => None,
            },
            Place::Shared(number) => self.shared.get(usize::from(number)).map(|_| 1),
        }
    }

    /// Whether the kernel may write a place.
    fn writes(&self, place: Place) -> bool {
        match place {
            Place::Array(number) => matches!(
                self.parameters.get(usize::from(number)).map(|parameter| parameter.kind),
                Some(ParameterKind::Array { writes: true, .. })
            ),
            Place::Shared(_) => true,
        }
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.hash == other.hash && self.parts == other.parts
    }
}

impl Eq for Kernel {}

impl Hash for Kernel {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Why there is no such kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// The parts do not fit each other: a bug of what made them.
    Malformed(Malformed),
    /// Threads may not come together where they have to.
    Divergence(Divergence),
}

#[cfg(test)]
mod tests;
