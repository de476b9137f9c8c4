//! What a closure records in: the program of one kernel, and what went wrong in it.

use std::cell::{Cell, RefCell};

use ndany_core::ops::UfuncDef;
use ndany_core::ops::lowering::LoweredValue;
use ndany_core::ops::signature;
use ndany_core::program::{Builder, Loop, Op, RegType, SsaValue, State};
use ndany_core::{DType, Error, Kind, Result};
use smallvec::SmallVec;

use super::params::Param;
use super::stencil::CheckedReads;
use super::val::{KernelOperand, Val};
use crate::graph::kernel::Fact;
use crate::graph::stencil::Read;
use crate::graph::{Operand, constant, resolve};
use crate::scalar::Scalar;

/// Maximum number of instructions of a kernel, formulas counting as one.
const MAX_INSTRS: usize = 4096;

/// Code of a kernel that a closure records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// An elementwise kernel.
    Elementwise,
    /// The state of an element of a reduction.
    Lift,
    /// Two states of a reduction as one.
    Combine,
    /// The results of a reduction.
    Finish,
    /// The results of a scan at an element.
    Running,
    /// A stencil.
    Stencil,
}

/// The kernel that a closure records. Its methods make values that are no operand: numbers, positions, parameters, the state
/// of loops.
#[derive(Debug)]
pub struct Scope {
    pub(super) builder: Builder,
    name: &'static str,
    pub(super) part: Part,
    params: SmallVec<[Param; 2]>,
    /// The value of each parameter.
    given: RefCell<SmallVec<[(SsaValueParts, DType); 2]>>,
    /// What was known beforehand that the closure would ask of the launch, and the register of each.
    facts: RefCell<SmallVec<[(Fact, u16); 2]>>,
    /// What else it asked for.
    asked: RefCell<SmallVec<[Fact; 2]>>,
    error: RefCell<Option<Error>>,
    /// The loops that are being recorded, each with a number of its own; 0 is the kernel.
    open: RefCell<SmallVec<[u32; 4]>>,
    regions: Cell<u32>,
    /// The number of axes of a stencil.
    pub(super) axes: Cell<usize>,
    /// What was known beforehand that a stencil would read, and the registers of each.
    pub(super) reads: RefCell<Vec<(Read, SsaValueParts)>>,
    /// What else it reads.
    pub(super) wanted: RefCell<Vec<Read>>,
    /// What its reads are made of, where each is checked.
    pub(super) checked_reads: RefCell<Option<CheckedReads>>,
}

/// Registers of a value, which a scope keeps without borrowing itself.
type SsaValueParts = [u16; 2];

impl Scope {
    pub(super) fn new(name: &'static str, part: Part, params: &[Param]) -> Self {
        Self {
            builder: Builder::new(),
            name,
            part,
            params: params.iter().copied().collect(),
            given: RefCell::default(),
            facts: RefCell::default(),
            asked: RefCell::default(),
            error: RefCell::default(),
            open: RefCell::new(SmallVec::from_slice(&[0])),
            regions: Cell::new(0),
            axes: Cell::new(0),
            reads: RefCell::default(),
            wanted: RefCell::default(),
            checked_reads: RefCell::default(),
        }
    }

    /// Notes an error; the first one counts.
    pub(super) fn fail(&self, error: Error) {
        self.error.borrow_mut().get_or_insert(error);
    }

    pub(super) fn take_error(&self) -> Option<Error> {
        self.error.take()
    }

    /// What the closure asked of the launch and was not given.
    pub(super) fn take_asked(&self) -> SmallVec<[Fact; 2]> {
        self.asked.take()
    }

    pub(super) fn refuse(&self, reason: String) {
        self.fail(Error::Arguments { op: self.name.to_string(), reason });
    }

    /// The loop that is being recorded.
    pub(super) fn region(&self) -> u32 {
        self.open.borrow().last().copied().unwrap_or(0)
    }

    /// A value of this scope.
    pub(super) fn val<'k>(&'k self, value: LoweredValue<'k>, dtype: DType) -> Val<'k> {
        Val { scope: self, value, dtype, region: self.region(), operand: None }
    }

    /// The next argument of the kernel, of this dtype: an operand or a parameter.
    pub(super) fn argument(&self, first: &mut u16, dtype: DType) -> Val<'_> {
        let mut term = || {
            *first += 1;
            self.builder.push(Op::Argument(*first - 1), RegType::of(dtype), [0; 3])
        };
        let value = match dtype.is_complex() {
            true => LoweredValue::Complex(term(), term()),
            false => LoweredValue::Real(term().mark(dtype)),
        };
        self.val(value, dtype)
    }

    /// Makes the parameters arguments, after the operands, and what is asked of the launch, after those. All of it stands
    /// before what the closure records, so that loops find it around them.
    pub(super) fn give_numbers(&self, first: &mut u16, facts: &[Fact]) {
        for param in &self.params {
            let value = self.argument(first, param.dtype).value;
            self.given.borrow_mut().push((value.registers(), param.dtype));
        }
        for &fact in facts {
            let value = match fact {
                Fact::Index => self.builder.push(Op::Index, RegType::I64, [0; 3]),
                Fact::Size
                | Fact::Extent(_)
                | Fact::Inner(_)
                | Fact::OperandSize(_)
                | Fact::OperandExtent { .. }
                | Fact::Elements(_) => self.argument(first, DType::I64).value.real(),
            };
            self.facts.borrow_mut().push((fact, value.reg()));
        }
    }

    /// A value that was recorded before the closure ran. It belongs to the kernel, whatever loop asks for it.
    pub(super) fn given_value(&self, parts: SsaValueParts, dtype: DType) -> Val<'_> {
        let [re, im] = parts.map(|reg| self.builder.term(reg));
        let value = match dtype.is_complex() {
            true => LoweredValue::Complex(re, im),
            false => LoweredValue::Real(re),
        };
        Val { scope: self, value, dtype, region: 0, operand: None }
    }

    /// What the closure asks of the launch. Where it was not known that it would, it will be recorded again.
    pub(super) fn fact(&self, fact: Fact) -> Val<'_> {
        let known = self.facts.borrow().iter().find(|known| known.0 == fact).copied();
        let value = match known {
            Some((_, register)) => LoweredValue::Real(self.builder.term(register)),
            None => {
                let mut asked = self.asked.borrow_mut();
                if !asked.contains(&fact) {
                    asked.push(fact);
                }
                self.placeholder(DType::I64).value
            }
        };
        // It belongs to the kernel, whatever loop asks for it.
        Val { scope: self, value, dtype: DType::I64, region: 0, operand: None }
    }

    /// Refuses what only these parts have.
    pub(super) fn only_in(&self, parts: &[Part], what: &str, remedy: &str) -> bool {
        let fits = parts.contains(&self.part);
        if !fits {
            let part = match self.part {
                Part::Elementwise => "an elementwise kernel",
                Part::Lift => "the state of an element",
                Part::Combine => "a combination of two states",
                Part::Finish => "the results of a row",
                Part::Running => "the results of a scan",
                Part::Stencil => "a stencil",
            };
            self.refuse(format!("{part} has no {what}: {remedy}"));
        }
        fits
    }

    /// Stands in for a value where an error was noted.
    pub(super) fn placeholder(&self, dtype: DType) -> Val<'_> {
        let zero = self.builder.int(RegType::of(dtype), 0);
        let value = if dtype.is_complex() {
            LoweredValue::Complex(zero, zero)
        } else {
            LoweredValue::Real(zero)
        };
        self.val(value, dtype)
    }

    /// Makes a value of a number, of the dtype that `np.array(number)` has, or that of a typed scalar.
    ///
    /// A number needs no value of its own beside another: `2 * x`. This is for states of loops and for results.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let ones = elementwise("ones", |k, [_x]| [k.value(1), k.value(Scalar::typed(F32, 1))]);
    /// let [a, b] = ones.call([&array([5, 6])]);
    /// assert_eq!((a.dtype(), b.dtype()), (I64, F32));
    /// ```
    pub fn value(&self, number: impl Into<Scalar>) -> Val<'_> {
        let number = number.into();
        self.number(&number, number.natural_dtype())
    }

    /// A number as a value of a dtype.
    pub(super) fn number(&self, number: &Scalar, dtype: DType) -> Val<'_> {
        match constant(self.name, number, dtype) {
            Ok(constant) => {
                let ty = RegType::of(dtype);
                let [re, im] = constant.bits.map(|bits| self.builder.constant(ty, bits));
                let value = if dtype.is_complex() {
                    LoweredValue::Complex(re, im)
                } else {
                    LoweredValue::Real(re)
                };
                self.val(value, dtype)
            }
            Err(error) => {
                self.fail(error);
                self.placeholder(dtype)
            }
        }
    }

    /// Returns the position of the element in the result, in C order, as int64.
    ///
    /// In a reduction it is the position in the row of elements that make one result. An elementwise kernel that asks for it is
    /// computed by itself, so it does not fuse with what is made of its results.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let weighted = elementwise("weighted", |k, [x]| [x * k.index()]);
    /// let [y] = weighted.call([&array([[1, 1], [1, 1]])]);
    /// assert_eq!(y.to_string(), "[[0 1]\n [2 3]]");
    /// ```
    pub fn index(&self) -> Val<'_> {
        match self.only_in(
            &[Part::Elementwise, Part::Lift, Part::Running],
            "index",
            "ask where elements are lifted",
        ) {
            true => self.fact(Fact::Index),
            false => self.placeholder(DType::I64),
        }
    }

    /// Returns the number of elements of the result, as int64; in a reduction, of the row that makes one result.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let share = elementwise("share", |k, [x]| [x / k.size()]);
    /// assert_eq!(share.call([&array([2.0, 6.0])])[0].to_string(), "[1. 3.]");
    /// ```
    pub fn size(&self) -> Val<'_> {
        match self.only_in(
            &[Part::Elementwise, Part::Lift, Part::Finish, Part::Running, Part::Stencil],
            "size",
            "count in a value of the state",
        ) {
            true => self.fact(Fact::Size),
            false => self.placeholder(DType::I64),
        }
    }

    /// Returns the extent of an axis of the result, as int64; the last axis is -1.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// // The position on a grid from 0 to 1 along the columns.
    /// let grid = elementwise("grid", |k, [x]| [x + k.coordinate(1) / (k.extent(1) - 1)]);
    /// let [y] = grid.call([&zeros((2, 3), ..)]);
    /// assert_eq!(y.to_string(), "[[0.  0.5 1. ]\n [0.  0.5 1. ]]");
    /// ```
    pub fn extent(&self, axis: isize) -> Val<'_> {
        match self.only_in(
            &[Part::Elementwise, Part::Stencil],
            "extents",
            "ask for the size of the row",
        ) {
            true => self.fact(Fact::Extent(axis)),
            false => self.placeholder(DType::I64),
        }
    }

    /// Returns the position of the element along an axis of the result, as int64.
    ///
    /// Axes may count from the last one, which is -1. A kernel that asks for it is computed by itself, so it does not fuse with what is made of its results.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let lower = elementwise("lower", |k, [x]| [k.coordinate(0).less(k.coordinate(1)).select(0, x)]);
    /// assert_eq!(lower.call([&array([[1, 2], [3, 4]])])[0].to_string(), "[[1 0]\n [3 4]]");
    /// ```
    pub fn coordinate(&self, axis: isize) -> Val<'_> {
        if !self.only_in(&[Part::Elementwise], "coordinates", "ask for the position in the row") {
            return self.placeholder(DType::I64);
        }
        let [index, inner, extent] =
            [Fact::Index, Fact::Inner(axis), Fact::Extent(axis)].map(|fact| self.fact(fact));
        // None of them is negative, and a division is shorter without signs.
        let [index, inner, extent] =
            [index, inner, extent].map(|value| value.value.real().bitcast(RegType::U64));
        // The first axis has no other before it, the last one no other after it.
        let position = match axis {
            0 => index / inner,
            -1 => index % extent,
            _ => index / inner % extent,
        };
        let position = position.bitcast(RegType::I64);
        self.val(LoweredValue::Real(position), DType::I64)
    }

    /// Returns the value of a parameter, which [`Elementwise::param`](super::Elementwise::param) declares.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let scaled = elementwise("scaled", |k, [x]| [x * k.param("by")]).param("by", F64, 3);
    /// assert_eq!(scaled.call([&array([1.0, 2.0])])[0].to_string(), "[3. 6.]");
    /// ```
    pub fn param(&self, name: &str) -> Val<'_> {
        let parts = [Part::Elementwise, Part::Lift, Part::Finish, Part::Running, Part::Stencil];
        if !self.only_in(&parts, "parameters", "make it a value of the state") {
            return self.placeholder(DType::F64);
        }
        match self.params.iter().position(|param| param.name == name) {
            Some(position) => {
                let (parts, dtype) = self.given.borrow()[position];
                self.given_value(parts, dtype)
            }
            None => {
                self.refuse(format!("there is no parameter {name:?}: declare it with param"));
                self.placeholder(DType::F64)
            }
        }
    }

    /// Repeats a step while a condition of the state holds, at most `limit` times, and returns the final state.
    ///
    /// The state is up to twelve values (complex numbers count twice). A step keeps their dtypes. Closures may use any value
    /// made before the loop; a value made in the loop is lost after it, unless it is in the state.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// // Newton's iteration for the square root.
    /// let root = elementwise("root", |k, [a]| {
    ///     let [x, _] = k.repeat_while(
    ///         50,
    ///         [a, a.zero()],
    ///         |[x, before]| x.not_equal(before),
    ///         |[x, _]| [(x + a / x) / 2, x],
    ///     );
    ///     [x]
    /// });
    /// let [x] = root.call([&array([4.0, 2.0])]);
    /// assert_eq!(x.to_string(), "[2.         1.41421356]");
    /// ```
    pub fn repeat_while<'k, const S: usize>(
        &'k self,
        limit: u32,
        state: [Val<'k>; S],
        condition: impl FnOnce([Val<'k>; S]) -> Val<'k>,
        step: impl FnOnce([Val<'k>; S]) -> [Val<'k>; S],
    ) -> [Val<'k>; S] {
        let state = state.map(|value| self.usable(value));
        let parts = [Part::Elementwise, Part::Lift, Part::Finish, Part::Running, Part::Stencil];
        if !self.only_in(&parts, "loops", "states meet in many places") {
            return state;
        }
        let dtypes = state.map(|value| value.dtype);
        let initial: State<'k> = state.iter().flat_map(|value| value.terms()).collect();
        if !(1..=Loop::MAX_STATE).contains(&initial.len()) {
            let (most, got) = (Loop::MAX_STATE, initial.len());
            self.refuse(format!("a loop has a state of 1 to {most} numbers, got {got}"));
            return state;
        }
        if self.open.borrow().len() > Loop::MAX_DEPTH {
            self.refuse(format!("at most {} loops may be within each other", Loop::MAX_DEPTH));
            return state;
        }
        let values = |terms: &[SsaValue<'k>]| -> [Val<'k>; S] {
            let mut terms = terms.iter().copied();
            dtypes.map(|dtype| match (terms.next(), dtype.is_complex()) {
                (Some(re), true) => {
                    let im = terms.next().unwrap_or(re);
                    self.val(LoweredValue::Complex(re, im), dtype)
                }
                // Each step rounds, and so did what the state began with.
                (Some(term), false) => self.val(LoweredValue::Real(term.mark(dtype)), dtype),
                (None, _) => self.placeholder(dtype),
            })
        };
        let recorded = self.builder.repeat_while(
            limit,
            &initial,
            |terms| {
                let _region = self.enter();
                let holds = self.usable(condition(values(terms)));
                match holds.dtype {
                    DType::Bool => holds.value.real(),
                    dtype => {
                        self.refuse(format!("a condition is bool, not {dtype}: compare"));
                        self.placeholder(DType::Bool).value.real()
                    }
                }
            },
            |terms| {
                let _region = self.enter();
                let next = step(values(terms)).map(|value| self.usable(value));
                let mut all = State::new();
                for (position, (value, dtype)) in next.into_iter().zip(dtypes).enumerate() {
                    if value.dtype == dtype {
                        all.extend(value.terms());
                        continue;
                    }
                    self.refuse(format!(
                        "value {position} of the state is {dtype}, the step makes it {}: convert with astype",
                        value.dtype
                    ));
                    all.extend(self.placeholder(dtype).terms());
                }
                all
            },
        );
        match recorded {
            Ok(terms) => values(&terms),
            Err(error) => {
                let most = Loop::MAX_OPERANDS;
                self.refuse(format!(
                    "a loop reads at most {most} values from around it, got {}",
                    error.0
                ));
                state
            }
        }
    }

    /// Begins a loop, which ends when the guard is dropped.
    fn enter(&self) -> Region<'_> {
        self.regions.set(self.regions.get() + 1);
        self.open.borrow_mut().push(self.regions.get());
        Region(self)
    }

    /// The value, or a placeholder if it was made in a loop that has ended.
    pub(super) fn usable<'k>(&'k self, value: Val<'k>) -> Val<'k> {
        if let Some(operand) = value.operand {
            self.refuse(format!("operand {operand} is whole: read it at a position, with at"));
            return self.placeholder(value.dtype);
        }
        if self.open.borrow().contains(&value.region) {
            return value;
        }
        self.refuse("a value made in a loop is used after it: put it in the state".to_string());
        self.placeholder(value.dtype)
    }

    /// Records an operation of the table.
    pub(super) fn apply<'k>(
        &'k self,
        row: &'static UfuncDef,
        operands: &[KernelOperand<'k>],
    ) -> Val<'k> {
        match self.try_apply(row, operands) {
            Ok(value) => value,
            Err(error) => {
                self.fail(error);
                let dtype = operands.iter().find_map(|operand| match operand {
                    KernelOperand::Val(value) => Some(value.dtype),
                    KernelOperand::Scalar(_) => None,
                });
                let truth = matches!(row.signature.returns, signature::Returns::Bool);
                self.placeholder(if truth { DType::Bool } else { dtype.unwrap_or(DType::F64) })
            }
        }
    }

    fn try_apply<'k>(
        &'k self,
        row: &'static UfuncDef,
        operands: &[KernelOperand<'k>],
    ) -> Result<Val<'k>> {
        if self.builder.len() > MAX_INSTRS {
            let reason = format!("a kernel has at most {MAX_INSTRS} operations");
            return Err(Error::Arguments { op: self.name.to_string(), reason });
        }
        // Dtypes are those of arrays and numbers.
        let stand_ins: SmallVec<[Operand; 3]> = operands
            .iter()
            .map(|operand| match operand {
                KernelOperand::Val(value) => Operand::Scalar(Scalar::typed(value.dtype, 0)),
                KernelOperand::Scalar(scalar) => Operand::Scalar(*scalar),
            })
            .collect();
        let (dtypes, output) = resolve(row, &stand_ins)?;
        let values: SmallVec<[LoweredValue<'k>; 3]> = operands
            .iter()
            .zip(&dtypes)
            .map(|(operand, &dtype)| match operand {
                KernelOperand::Val(value) => {
                    let value = self.usable(*value);
                    signature::cast(value.value, value.dtype, dtype)
                }
                KernelOperand::Scalar(scalar) => self.number(scalar, dtype).value,
            })
            .collect();
        let value = match (row.lower)(&self.builder, dtypes[0], &values) {
            LoweredValue::Real(term) => LoweredValue::Real(term.round_to(output)),
            complex @ LoweredValue::Complex(..) => complex,
        };
        Ok(self.val(value, output))
    }

    /// The value in another dtype, as `astype` converts it.
    pub(super) fn convert<'k>(&'k self, value: Val<'k>, dtype: DType) -> Val<'k> {
        let value = self.usable(value);
        self.val(signature::cast(value.value, value.dtype, dtype), dtype)
    }

    /// One of two values, by a boolean.
    pub(super) fn choose<'k>(
        &'k self,
        condition: Val<'k>,
        yes: KernelOperand<'k>,
        no: KernelOperand<'k>,
    ) -> Val<'k> {
        let condition = match condition.dtype.kind() {
            Kind::Bool => condition,
            _ => self.convert(condition, DType::Bool),
        };
        self.apply(&ndany_core::ops::rows::WHERE, &[condition.into(), yes, no])
    }
}

/// A loop that is being recorded.
struct Region<'k>(&'k Scope);

impl Drop for Region<'_> {
    fn drop(&mut self) {
        self.0.open.borrow_mut().pop();
    }
}
