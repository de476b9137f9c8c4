//! Writing programs: terms with operators, which record instructions instead of computing.
//!
//! Equal instructions are recorded once. A builder made by [`Builder::expanding`] writes formulas out;
//! any other keeps them whole.

use std::cell::{Cell, RefCell};
use std::hash::{Hash, Hasher};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};
use std::sync::Arc;

use smallvec::SmallVec;

use super::OpenFormula;
use super::hash::Mix;
use super::{Body, Expansion, Instr, Loop, Op, Prim, Program, Reg, RegType, State};
use crate::dtype::DType;
use crate::float;
use crate::formulas::algebra::{Algebra, Table};
use crate::formulas::{Code, Formula, Visitor};

/// Records instructions.
#[derive(Debug, Default)]
pub struct Builder {
    pub(super) instrs: RefCell<Vec<Instr>>,
    pub(super) loops: RefCell<Vec<Arc<Loop>>>,
    seen: RefCell<Seen>,
    /// Loads and gathers of 16-bit floats: values of the format as they come.
    narrow: RefCell<Vec<(Reg, DType)>>,
    /// Arguments of loops so far. While a loop is recorded, they count down from the highest number.
    region_arguments: Cell<u16>,
    expanding: bool,
}

impl Builder {
    /// A builder that keeps formulas whole.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder that writes formulas out in primitives.
    pub fn expanding() -> Self {
        Self { expanding: true, ..Self::default() }
    }

    /// The instructions recorded, and the loops that they run.
    pub fn into_parts(self) -> (Vec<Instr>, Vec<Arc<Loop>>) {
        (self.instrs.into_inner(), self.loops.into_inner())
    }

    /// Moves what was recorded into a program. Values of this builder may still exist; it must record no more.
    #[inline]
    pub fn move_to(&self, program: &mut Program) {
        program.instrs = self.instrs.take();
        program.loops = self.loops.take();
    }

    /// Number of instructions recorded so far.
    pub fn len(&self) -> usize {
        self.instrs.borrow().len()
    }

    /// Nothing recorded yet?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Records an instruction, or finds the equal one that is there.
    #[inline]
    pub fn push(&self, op: Op, ty: RegType, args: [Reg; 3]) -> SsaValue<'_> {
        self.value(self.record(op, ty, args))
    }

    // A formula is a hundred operations and more, and is compiled for two formats. So what records an operation is never
    // inlined, and takes and returns registers: the compiler then sees that all values have one builder.

    #[inline(never)]
    fn record(&self, op: Op, ty: RegType, args: [Reg; 3]) -> Reg {
        let instr = Instr { op, ty, args };
        let mut instrs = self.instrs.borrow_mut();
        match self.seen.borrow_mut().find_or_add(&instrs, &instr) {
            Some(reg) => reg,
            None => {
                if instrs.is_empty() {
                    instrs.reserve(USUAL);
                }
                instrs.push(instr);
                (instrs.len() - 1) as Reg
            }
        }
    }

    /// [`Builder::prim`] of registers; those past the arity are 0.
    #[inline(never)]
    fn record_prim(&self, prim: Prim, x: Reg, y: Reg, z: Reg) -> Reg {
        let args = [x, y, z];
        let ty = match prim {
            Prim::Lt | Prim::Le | Prim::Eq => RegType::Bool,
            Prim::NarrowF16 | Prim::NarrowBf16 => RegType::F32,
            _ => self.type_of(args[prim.arity() - 1]),
        };
        self.record(Op::Prim(prim), ty, args)
    }

    #[inline(never)]
    fn record_int(&self, ty: RegType, value: i64) -> Reg {
        let bits = match ty {
            RegType::F32 => u64::from((value as f32).to_bits()),
            RegType::F64 => (value as f64).to_bits(),
            RegType::Bool => u64::from(value != 0),
            _ => ty.trimmed(value as u64),
        };
        self.record(Op::Const(bits), ty, [0; 3])
    }

    #[inline(never)]
    fn record_float(&self, ty: RegType, value: f64) -> Reg {
        let bits = match ty {
            RegType::F32 => u64::from((value as f32).to_bits()),
            RegType::F64 => value.to_bits(),
            _ => unreachable!("a float constant of {ty:?}"),
        };
        self.record(Op::Const(bits), ty, [0; 3])
    }

    #[inline(never)]
    fn record_cast(&self, value: Reg, ty: RegType) -> Reg {
        let from = self.type_of(value);
        if from == ty { value } else { self.record(Op::Cast { from }, ty, [value, 0, 0]) }
    }

    #[inline(never)]
    fn record_bitcast(&self, value: Reg, ty: RegType) -> Reg {
        let from = self.type_of(value);
        assert_eq!(from.size(), ty.size(), "bit cast between widths");
        if from == ty { value } else { self.record(Op::Bitcast { from }, ty, [value, 0, 0]) }
    }

    /// The value shifted by a constant.
    #[inline(never)]
    fn record_shift(&self, prim: Prim, value: Reg, count: usize) -> Reg {
        let count = self.record_int(self.type_of(value), count as i64);
        self.record_prim(prim, value, count, 0)
    }

    fn value(&self, reg: Reg) -> SsaValue<'_> {
        SsaValue { builder: self, reg }
    }

    fn type_of(&self, reg: Reg) -> RegType {
        self.instrs.borrow()[usize::from(reg)].ty
    }

    /// Records the instructions of a program, or of a body on these arguments; returns the new register of each. Formulas that
    /// are written out are passed to `expanded`.
    pub(super) fn replay_all(
        &self,
        instrs: &[Instr],
        loops: &[Arc<Loop>],
        arguments: Option<&[SsaValue<'_>]>,
        mut expanded: impl FnMut(Expansion),
    ) -> Vec<Reg> {
        let mut map: Vec<Reg> = Vec::with_capacity(instrs.len());
        // The results of each formula of another crate that is written out.
        let mut written: Vec<(usize, SmallVec<[Reg; 4]>)> = Vec::new();
        for (position, instr) in instrs.iter().enumerate() {
            let mut args = [0; 3];
            for (new, &old) in args.iter_mut().zip(&instr.args[..instr.op.arity()]) {
                *new = map[usize::from(old)];
            }
            let result = match (instr.op, arguments) {
                (Op::Loop(number), _) => self.replay_loop(&loops[usize::from(number)], &map).reg,
                (Op::Argument(number), Some(arguments)) => arguments[usize::from(number)].reg,
                (Op::Call(formula), _) if self.expanding => {
                    let (first, args) =
                        (self.len(), SmallVec::from_slice(&args[..formula.arity()]));
                    let terms = self.terms(&args);
                    let result = self.formula(formula, &terms).reg;
                    let (name, registers) = (formula.name(), first..self.len());
                    let results = SmallVec::from_slice(&[result]);
                    expanded(Expansion { name, registers, args, results });
                    result
                }
                (Op::CallOpen(formula), _) if self.expanding => {
                    let (first, args) = (self.len(), SmallVec::from_slice(&args[..formula.arity]));
                    let body = formula.body(instr.ty);
                    let results = self.inline(body, &self.terms(&args));
                    let results: SmallVec<[Reg; 4]> = results.iter().map(|term| term.reg).collect();
                    written.push((position, results.clone()));
                    let (name, registers) = (formula.name, first..self.len());
                    let result = results[0];
                    expanded(Expansion { name, registers, args, results });
                    result
                }
                (Op::CallResult(number), _) if self.expanding => {
                    let call = usize::from(instr.args[0]);
                    match written.iter().find(|(position, _)| *position == call) {
                        Some((_, results)) => results[usize::from(number)],
                        None => unreachable!("a result stands after its call"),
                    }
                }
                (op, _) => self.push(op, instr.ty, args).reg,
            };
            map.push(result);
        }
        map
    }

    /// Records a loop of another program, whose registers are `map` here.
    fn replay_loop(&self, own: &Loop, map: &[Reg]) -> SsaValue<'_> {
        let operands = own.operands.iter().map(|&reg| map[usize::from(reg)]).collect();
        let own = match self.expanding {
            true => own.expand_on(operands),
            false => Loop { operands, ..own.clone() },
        };
        self.push_loop(own)
    }

    /// Records the code of a body on these arguments; returns its results.
    pub fn inline<'b>(
        &'b self,
        body: &Body,
        arguments: &[SsaValue<'b>],
    ) -> SmallVec<[SsaValue<'b>; 4]> {
        let map = self.replay_all(&body.instrs, &body.loops, Some(arguments), |_| {});
        let result = |&reg: &Reg| SsaValue { builder: self, reg: map[usize::from(reg)] };
        body.results.iter().map(result).collect()
    }

    /// Records a loop, or finds the equal one.
    pub(super) fn push_loop(&self, own: Loop) -> SsaValue<'_> {
        let known = self.loops.borrow().iter().position(|known| **known == own);
        let number = known.unwrap_or_else(|| {
            let mut loops = self.loops.borrow_mut();
            loops.push(Arc::new(own));
            loops.len() - 1
        });
        self.push(Op::Loop(number as u16), RegType::Bool, [0; 3])
    }

    /// Number of loops recorded so far.
    pub(super) fn loop_count(&self) -> usize {
        self.loops.borrow().len()
    }

    /// An argument of a region of a loop, for a value of its state: a register of its own.
    pub(super) fn region_argument<'b>(&'b self, value: SsaValue<'b>) -> SsaValue<'b> {
        self.region_arguments.set(self.region_arguments.get() + 1);
        let op = Op::Argument(u16::MAX - self.region_arguments.get());
        self.push(op, value.ty(), [0; 3])
    }

    /// Takes what was recorded from these instructions and loops on.
    pub(super) fn cut(&self, instrs: usize, loops: usize) -> (Vec<Instr>, Vec<Arc<Loop>>) {
        let cut =
            (self.instrs.borrow_mut().split_off(instrs), self.loops.borrow_mut().split_off(loops));
        self.narrow.borrow_mut().retain(|&(reg, _)| usize::from(reg) < instrs);
        *self.seen.borrow_mut() = Seen::of(&self.instrs.borrow());
        cut
    }

    fn terms(&self, regs: &[Reg]) -> SmallVec<[SsaValue<'_>; 3]> {
        regs.iter().map(|&reg| SsaValue { builder: self, reg }).collect()
    }

    /// Whether the register is known to hold a value of the 16-bit float `dtype`.
    fn holds(&self, reg: Reg, dtype: DType) -> bool {
        let Instr { op, args, .. } = self.instrs.borrow()[usize::from(reg)];
        let all = |regs: &[Reg]| regs.iter().all(|&reg| self.holds(reg, dtype));
        match op {
            Op::Load { .. } | Op::Argument(_) | Op::LoopState(_) | Op::Gather { .. } => {
                self.narrow.borrow().contains(&(reg, dtype))
            }
            Op::Prim(prim) if Prim::rounding(dtype) == Some(prim) => true,
            Op::Prim(prim) if Prim::narrowing(dtype) == Some(prim) => true,
            // Steps that keep the format's values inside the format.
            Op::Prim(Prim::Neg | Prim::Abs) => all(&args[..1]),
            Op::Prim(Prim::Floor | Prim::Ceil | Prim::Trunc | Prim::Rint) => all(&args[..1]),
            Op::Prim(Prim::Min | Prim::Max) => all(&args[..2]),
            Op::Prim(Prim::Select | Prim::SelectSlowPath) => all(&args[1..]),
            _ => false,
        }
    }

    /// The term of a register that is there.
    pub fn term(&self, reg: Reg) -> SsaValue<'_> {
        assert!(usize::from(reg) < self.len(), "register {reg} is not defined");
        SsaValue { builder: self, reg }
    }

    /// A primitive whose result has the type of its last argument (Bool for comparisons, F32 for
    /// roundings to 16 bits).
    pub fn prim<'b>(&'b self, prim: Prim, args: &[SsaValue<'b>]) -> SsaValue<'b> {
        assert_eq!(args.len(), prim.arity(), "arity of {prim:?}");
        let [x, y, z] = [0, 1, 2].map(|k| args.get(k).map_or(0, |term| term.reg));
        self.value(self.record_prim(prim, x, y, z))
    }

    /// A constant, given by its bits.
    pub fn constant(&self, ty: RegType, bits: u64) -> SsaValue<'_> {
        self.push(Op::Const(bits), ty, [0; 3])
    }

    /// A small integer as a constant of any type.
    #[inline]
    pub fn int(&self, ty: RegType, value: i64) -> SsaValue<'_> {
        self.value(self.record_int(ty, value))
    }

    /// A float constant, rounded to `ty`.
    #[inline]
    pub fn float(&self, ty: RegType, value: f64) -> SsaValue<'_> {
        self.value(self.record_float(ty, value))
    }

    /// A formula of floats, kept whole or written out.
    pub fn formula<'b>(&'b self, formula: Formula, args: &[SsaValue<'b>]) -> SsaValue<'b> {
        let ty = args[0].ty();
        if self.expanding {
            return match ty {
                RegType::F32 => formula.visit(Expanded(&Words::<32>(self), args)),
                _ => formula.visit(Expanded(&Words::<64>(self), args)),
            };
        }
        let mut regs = [0; 3];
        for (reg, term) in regs.iter_mut().zip(args) {
            *reg = term.reg;
        }
        self.push(Op::Call(formula), ty, regs)
    }

    /// A formula of another crate, kept whole or written out. Operands are of a type in which it is defined; so are the results.
    pub fn open_formula<'b>(
        &'b self,
        formula: &'static OpenFormula,
        args: &[SsaValue<'b>],
    ) -> State<'b> {
        let ty = args[0].ty();
        if self.expanding || args.len() > OpenFormula::MAX_WHOLE {
            return self.inline(formula.body(ty), args).into_iter().collect();
        }
        let mut regs = [0; 3];
        for (reg, term) in regs.iter_mut().zip(args) {
            *reg = term.reg;
        }
        let call = self.push(Op::CallOpen(formula), ty, regs).reg;
        let result = |number| self.push(Op::CallResult(number as u8), ty, [call, 0, 0]);
        (0..formula.results).map(result).collect()
    }
}

/// A formula written out. Each is a function of its own: as one, all of them take the compiler several times as long.
struct Expanded<'w, 'b, A>(&'w A, &'w [SsaValue<'b>]);

impl<'b, A: Algebra<F = SsaValue<'b>>> Visitor for Expanded<'_, 'b, A> {
    type Output = SsaValue<'b>;

    #[inline(never)]
    fn visit<C: Code>(self) -> SsaValue<'b> {
        C::expand(self.0, self.1)
    }
}

/// Most registers of a program; the last number says that there is none.
const MOST: usize = Reg::MAX as usize;

const NONE: Reg = Reg::MAX;

/// Registers of most programs.
const USUAL: usize = 32;

/// Instructions by hash: of each hash the last register, and of each register the one before it. Programs are made
/// anew at every launch, so this is in place and its hash is a few multiplications.
#[derive(Debug)]
struct Seen {
    last: [Reg; 64],
    before: SmallVec<[Reg; 64]>,
}

impl Default for Seen {
    fn default() -> Self {
        Self { last: [NONE; 64], before: SmallVec::new() }
    }
}

impl Seen {
    /// All of these.
    fn of(instrs: &[Instr]) -> Self {
        let mut seen = Self::default();
        (0..instrs.len()).for_each(|reg| {
            let known = seen.find_or_add(&instrs[..reg], &instrs[reg]);
            debug_assert!(known.is_none(), "each is recorded once");
        });
        seen
    }

    /// The register of an instruction; if there is none, it gets the next.
    fn find_or_add(&mut self, instrs: &[Instr], instr: &Instr) -> Option<Reg> {
        let mut mix = Mix::default();
        instr.hash(&mut mix);
        let last = &mut self.last[(mix.finish() >> 58) as usize];
        let mut reg = *last;
        while reg != NONE {
            if instrs[usize::from(reg)] == *instr {
                return Some(reg);
            }
            reg = self.before[usize::from(reg)];
        }
        assert!(instrs.len() < MOST, "tapes are limited far below 65,536 steps");
        self.before.push(*last);
        *last = instrs.len() as Reg;
        None
    }
}

/// A value of the program that is being written.
#[derive(Clone, Copy, Debug)]
pub struct SsaValue<'b> {
    builder: &'b Builder,
    reg: Reg,
}

impl<'b> SsaValue<'b> {
    /// Its register.
    pub fn reg(self) -> Reg {
        self.reg
    }

    /// The builder it belongs to.
    pub fn builder(self) -> &'b Builder {
        self.builder
    }

    /// Its type.
    pub fn ty(self) -> RegType {
        self.builder.type_of(self.reg)
    }

    /// The instruction that defines it.
    pub fn instr(self) -> Instr {
        self.builder.instrs.borrow()[usize::from(self.reg)]
    }

    /// Converted to another register type (see [`Op::Cast`]).
    #[inline]
    pub fn cast(self, ty: RegType) -> SsaValue<'b> {
        self.builder.value(self.builder.record_cast(self.reg, ty))
    }

    /// The same bits under another type.
    #[inline]
    pub fn bitcast(self, ty: RegType) -> SsaValue<'b> {
        self.builder.value(self.builder.record_bitcast(self.reg, ty))
    }

    /// Rounded to the values of `dtype`, where that is a 16-bit float kept in F32.
    #[inline]
    pub fn round_to(self, dtype: DType) -> SsaValue<'b> {
        let Some(prim) = Prim::rounding(dtype) else { return self };
        if self.builder.holds(self.reg, dtype) { self } else { self.unary(prim) }
    }

    /// Notes that the value, a load or the state of a loop, is one of the 16-bit float `dtype`'s.
    #[inline]
    pub fn mark(self, dtype: DType) -> SsaValue<'b> {
        if float::is_narrow(dtype) {
            self.builder.narrow.borrow_mut().push((self.reg, dtype));
        }
        self
    }

    /// [`Builder::prim`] of one argument.
    #[inline]
    fn unary(self, prim: Prim) -> SsaValue<'b> {
        self.builder.value(self.builder.record_prim(prim, self.reg, 0, 0))
    }

    /// [`Builder::prim`] of two arguments.
    #[inline]
    fn binary(self, prim: Prim, other: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.value(self.builder.record_prim(prim, self.reg, other.reg, 0))
    }

    /// [`Builder::prim`] of three arguments.
    #[inline]
    fn ternary(self, prim: Prim, second: SsaValue<'b>, third: SsaValue<'b>) -> SsaValue<'b> {
        self.builder.value(self.builder.record_prim(prim, self.reg, second.reg, third.reg))
    }

    /// Shifted by a constant.
    #[inline]
    fn shifted(self, prim: Prim, count: usize) -> SsaValue<'b> {
        self.builder.value(self.builder.record_shift(prim, self.reg, count))
    }

    /// `self < other`.
    pub fn lt(self, other: SsaValue<'b>) -> SsaValue<'b> {
        self.binary(Prim::Lt, other)
    }

    /// `self <= other`.
    pub fn le(self, other: SsaValue<'b>) -> SsaValue<'b> {
        self.binary(Prim::Le, other)
    }

    /// `self == other`.
    pub fn equals(self, other: SsaValue<'b>) -> SsaValue<'b> {
        self.binary(Prim::Eq, other)
    }

    /// `self ? yes : no`.
    pub fn select(self, yes: SsaValue<'b>, no: SsaValue<'b>) -> SsaValue<'b> {
        self.ternary(Prim::Select, yes, no)
    }

    /// A zero of the same type.
    pub fn zero(self) -> SsaValue<'b> {
        self.builder.int(self.ty(), 0)
    }

    /// A one of the same type.
    pub fn one(self) -> SsaValue<'b> {
        self.builder.int(self.ty(), 1)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $prim:ident),+) => {$(
        impl<'b> $trait for SsaValue<'b> {
            type Output = SsaValue<'b>;
            fn $method(self, other: SsaValue<'b>) -> SsaValue<'b> {
                self.binary(Prim::$prim, other)
            }
        }
    )+};
}
operators!(Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, Rem rem Rem, BitAnd bitand And,
    BitOr bitor Or, BitXor bitxor Xor);

impl<'b> Neg for SsaValue<'b> {
    type Output = SsaValue<'b>;
    fn neg(self) -> SsaValue<'b> {
        self.unary(Prim::Neg)
    }
}
impl<'b> Not for SsaValue<'b> {
    type Output = SsaValue<'b>;
    fn not(self) -> SsaValue<'b> {
        self.unary(Prim::Not)
    }
}
impl<'b> Shl<usize> for SsaValue<'b> {
    type Output = SsaValue<'b>;
    fn shl(self, count: usize) -> SsaValue<'b> {
        self.shifted(Prim::Shl, count)
    }
}
impl<'b> Shr<usize> for SsaValue<'b> {
    type Output = SsaValue<'b>;
    fn shr(self, count: usize) -> SsaValue<'b> {
        self.shifted(Prim::Shr, count)
    }
}

/// The vocabulary of formulas, recorded: `WIDTH` is 32 or 64.
#[derive(Clone, Copy, Debug)]
pub struct Words<'b, const WIDTH: u32>(pub &'b Builder);

impl<const WIDTH: u32> Words<'_, WIDTH> {
    const FLOAT: RegType = if WIDTH == 32 { RegType::F32 } else { RegType::F64 };
    const UNSIGNED: RegType = if WIDTH == 32 { RegType::U32 } else { RegType::U64 };
    const SIGNED: RegType = if WIDTH == 32 { RegType::I32 } else { RegType::I64 };

    fn count<'b>(&self, count: SsaValue<'b>) -> SsaValue<'b> {
        count & count.builder.int(Self::UNSIGNED, i64::from(WIDTH) - 1)
    }
}

impl<'b, const WIDTH: u32> Algebra for Words<'b, WIDTH> {
    const WIDTH: u32 = WIDTH;
    type F = SsaValue<'b>;
    type U = SsaValue<'b>;
    type B = SsaValue<'b>;

    fn f(&self, value: f64) -> SsaValue<'b> {
        self.0.float(Self::FLOAT, value)
    }
    fn u(&self, value: u64) -> SsaValue<'b> {
        self.0.int(Self::UNSIGNED, value as i64)
    }
    fn fma(&self, x: SsaValue<'b>, y: SsaValue<'b>, z: SsaValue<'b>) -> SsaValue<'b> {
        x.ternary(Prim::Fma, y, z)
    }
    fn sqrt(&self, x: SsaValue<'b>) -> SsaValue<'b> {
        x.unary(Prim::Sqrt)
    }
    fn abs(&self, x: SsaValue<'b>) -> SsaValue<'b> {
        x.unary(Prim::Abs)
    }
    fn lt(&self, x: SsaValue<'b>, y: SsaValue<'b>) -> SsaValue<'b> {
        x.lt(y)
    }
    fn le(&self, x: SsaValue<'b>, y: SsaValue<'b>) -> SsaValue<'b> {
        x.le(y)
    }
    fn eq(&self, x: SsaValue<'b>, y: SsaValue<'b>) -> SsaValue<'b> {
        x.equals(y)
    }
    fn select(&self, condition: SsaValue<'b>, yes: SsaValue<'b>, no: SsaValue<'b>) -> SsaValue<'b> {
        condition.select(yes, no)
    }
    fn select_u(
        &self,
        condition: SsaValue<'b>,
        yes: SsaValue<'b>,
        no: SsaValue<'b>,
    ) -> SsaValue<'b> {
        condition.select(yes, no)
    }
    fn slow_path(
        &self,
        condition: SsaValue<'b>,
        slow: impl FnOnce(&Self) -> SsaValue<'b>,
        common: SsaValue<'b>,
    ) -> SsaValue<'b> {
        let slow = slow(self);
        condition.ternary(Prim::SelectSlowPath, slow, common)
    }
    fn branch<const N: usize>(
        &self,
        condition: SsaValue<'b>,
        yes: impl Fn(&Self) -> [SsaValue<'b>; N],
        no: impl Fn(&Self) -> [SsaValue<'b>; N],
    ) -> [SsaValue<'b>; N] {
        // A loop of one step at most is a branch: elements that do not take it keep their state.
        let state = [self.f(0.0); N];
        let state = self.repeat_while(1, state, |_, _| condition, |own, _| yes(own));
        self.repeat_while(1, state, |_, _| !condition, |own, _| no(own))
    }
    fn repeat_while<const N: usize>(
        &self,
        limit: u32,
        state: [SsaValue<'b>; N],
        condition: impl Fn(&Self, [SsaValue<'b>; N]) -> SsaValue<'b>,
        step: impl Fn(&Self, [SsaValue<'b>; N]) -> [SsaValue<'b>; N],
    ) -> [SsaValue<'b>; N] {
        fn all<'b, const N: usize>(values: &[SsaValue<'b>]) -> [SsaValue<'b>; N] {
            match values.try_into() {
                Ok(values) => values,
                Err(_) => unreachable!("as many values as the state has"),
            }
        }
        let last = self.0.repeat_while(
            limit,
            &state,
            |state| condition(self, all(state)),
            |state| State::from_slice(&step(self, all(state))),
        );
        match last {
            Ok(last) => all(&last),
            Err(error) => unreachable!("a formula is tested where it is declared: {error:?}"),
        }
    }
    fn rint(&self, x: SsaValue<'b>) -> SsaValue<'b> {
        x.unary(Prim::Rint)
    }
    fn floor(&self, x: SsaValue<'b>) -> SsaValue<'b> {
        x.unary(Prim::Floor)
    }
    fn bits(&self, x: SsaValue<'b>) -> SsaValue<'b> {
        x.bitcast(Self::UNSIGNED)
    }
    fn float(&self, x: SsaValue<'b>) -> SsaValue<'b> {
        x.bitcast(Self::FLOAT)
    }
    fn lt_u(&self, x: SsaValue<'b>, y: SsaValue<'b>) -> SsaValue<'b> {
        x.lt(y)
    }
    fn eq_u(&self, x: SsaValue<'b>, y: SsaValue<'b>) -> SsaValue<'b> {
        x.equals(y)
    }
    fn shl(&self, x: SsaValue<'b>, count: SsaValue<'b>) -> SsaValue<'b> {
        x.binary(Prim::Shl, self.count(count))
    }
    fn shr(&self, x: SsaValue<'b>, count: SsaValue<'b>) -> SsaValue<'b> {
        x.binary(Prim::Shr, self.count(count))
    }
    fn mul_high(&self, x: SsaValue<'b>, y: SsaValue<'b>) -> SsaValue<'b> {
        x.binary(Prim::MulHigh, y)
    }
    fn from_int(&self, x: SsaValue<'b>) -> SsaValue<'b> {
        x.bitcast(Self::SIGNED).cast(Self::FLOAT)
    }
    fn table(&self, table: &'static Table, index: SsaValue<'b>) -> SsaValue<'b> {
        self.0.push(Op::Table(table), Self::UNSIGNED, [index.reg, 0, 0])
    }
    fn call<C: Code>(&self, _: C, args: &[SsaValue<'b>]) -> SsaValue<'b> {
        self.0.formula(C::FORMULA, args)
    }
}
