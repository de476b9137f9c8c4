//! Recording: what the words and operators of a kernel write down when its function runs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use ndany_core::ops::UfuncDef;
use ndany_core::ops::lowering::LoweredValue;
use ndany_core::ops::rows;
use ndany_core::ops::signature;
use ndany_core::program::{Builder, Instr, Op, Prim, Reg, RegType};
use ndany_core::simt::{
    Block, Builtin, Invalid, Kernel as Code, Parameter, ParameterKind, Parts, SharedArray,
    Statement,
};
use ndany_core::{DType, Error, Result};
use ndany_reference::constant_step;

use super::places::{View, ViewMut};
use super::value::{
    Arithmetic, Integer, Join, Literal, Mutable, Number, Pair, Place, Plain, Real, Value, Variable,
};
use crate::element::Element;
use crate::scalar::Scalar;

/// Maximum number of registers of a kernel.
const MAX_REGISTERS: usize = 60_000;

/// Maximum number of turns of a loop that is unrolled.
const MAX_UNROLLED: u64 = 64;

/// Maximum depth of calls of functions in a kernel: more is recursion.
const MAX_DEPTH: u32 = 64;

/// What is recorded of a kernel.
#[derive(Debug)]
pub struct Recorder {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    parts: Parts,
    /// Constants and built-in values, which stand in front of everything.
    first: Block,
    constants: HashMap<(RegType, u64), Reg>,
    /// The constant that a register is.
    known: HashMap<Reg, u64>,
    builtins: HashMap<Builtin, Reg>,
    /// The blocks that are open, the innermost last.
    open: Vec<Block>,
    sites: Vec<Place>,
    error: Option<Error>,
    /// Whether sums of floats may be atomic.
    unordered: bool,
    /// The functions that are being recorded, one within the other.
    depth: u32,
}

/// A call of a function that is being recorded.
#[doc(hidden)]
#[derive(Debug)]
pub struct Depth<'k>(&'k Recorder);

impl Drop for Depth<'_> {
    fn drop(&mut self) {
        self.0.state.borrow_mut().depth -= 1;
    }
}

/// Records a kernel.
pub(super) fn record(
    name: &'static str,
    unordered: bool,
    f: impl FnOnce(&Recorder),
) -> Result<Arc<Code>> {
    let parts = Parts { name, ..Parts::default() };
    let state = State { parts, open: vec![Vec::new()], unordered, ..State::default() };
    let recorder = Recorder { state: RefCell::new(state) };
    f(&recorder);
    let State { mut parts, mut first, mut open, sites, error, .. } = recorder.state.into_inner();
    if let Some(error) = error {
        return Err(error);
    }
    first.extend(open.pop().unwrap_or_default());
    parts.body = first;
    let at = |site: u16| sites.get(usize::from(site)).map_or(String::new(), |at| format!("{at}"));
    match Code::new(parts) {
        Ok(code) => Ok(Arc::new(code)),
        Err(Invalid::Divergence(found)) => {
            let (what, group) = match found.barrier {
                true => ("a barrier", "all threads of the block"),
                false => ("an exchange", "all lanes of the warp"),
            };
            let cause = match found.because {
                Some(site) => {
                    format!("the branch or loop at {} may take some of them elsewhere", at(site))
                }
                None => "some of them may have left".to_string(),
            };
            let reason =
                format!("{what} at {} has to be reached by {group}: {cause}", at(found.site));
            Err(Error::Arguments { op: name.to_string(), reason })
        }
        Err(Invalid::Malformed(malformed)) => {
            unreachable!("a recorder makes well-formed kernels: {}", malformed.0)
        }
    }
}

impl Recorder {
    /// Notes an error; the first one counts.
    pub(super) fn refuse(&self, at: Place, reason: &str) {
        let mut state = self.state.borrow_mut();
        if state.error.is_none() {
            let op = state.parts.name.to_string();
            state.error = Some(Error::Arguments { op, reason: format!("{at}: {reason}") });
        }
    }

    fn site(&self, at: Place) -> u16 {
        let sites = &mut self.state.borrow_mut().sites;
        sites.push(at);
        u16::try_from(sites.len() - 1).unwrap_or(u16::MAX)
    }

    pub(super) fn push(&self, statement: Statement) {
        if let Some(block) = self.state.borrow_mut().open.last_mut() {
            block.push(statement);
        }
    }

    /// A register that the next statement defines.
    pub(super) fn register(&self, ty: RegType) -> Reg {
        let mut state = self.state.borrow_mut();
        if state.parts.registers.len() >= MAX_REGISTERS {
            if state.error.is_none() {
                let (op, reason) =
                    (state.parts.name.to_string(), "the kernel is too long".to_string());
                state.error = Some(Error::Arguments { op, reason });
            }
            // There will be no kernel, so types need not agree any more.
        } else {
            state.parts.registers.push(ty);
        }
        (state.parts.registers.len() - 1) as Reg
    }

    /// Records statements apart.
    fn within<R>(&self, f: impl FnOnce() -> R) -> (Block, R) {
        self.state.borrow_mut().open.push(Vec::new());
        let result = f();
        (self.state.borrow_mut().open.pop().unwrap_or_default(), result)
    }

    fn constant_of(&self, ty: RegType, bits: u64) -> Reg {
        if let Some(&known) = self.state.borrow().constants.get(&(ty, bits)) {
            return known;
        }
        let reg = self.register(ty);
        let state = &mut *self.state.borrow_mut();
        let instr = Instr { op: Op::Const(bits), ty, args: [0; 3] };
        state.first.push(Statement::Step { result: reg, instr });
        state.constants.insert((ty, bits), reg);
        state.known.insert(reg, bits);
        reg
    }

    /// A number of the program as a value.
    #[track_caller]
    pub fn constant<T: Number>(&self, number: T) -> Value<'_, T> {
        let scalar = Scalar::typed(T::DTYPE, number);
        self.scalar_constant(&scalar, T::DTYPE, Location::caller())
    }

    fn scalar_constant<T: Number>(&self, scalar: &Scalar, dtype: DType, at: Place) -> Value<'_, T> {
        let bits = match scalar.bits_as("constant", dtype) {
            Ok(bits) => bits.map(|bits| register_bits(dtype, bits)),
            Err(error) => {
                self.refuse(at, &error.to_string());
                [0; 2]
            }
        };
        self.of_each_part(|part| self.constant_of(RegType::of(dtype), bits[part]))
    }

    /// A number of the source as a value of a dtype.
    #[track_caller]
    pub(super) fn literal<T: Number>(&self, literal: Literal, dtype: DType) -> Value<'_, T> {
        let at = Location::caller();
        let float = dtype.is_float() || dtype.is_complex();
        let scalar = match literal {
            Literal::Float(_) if !float => {
                self.refuse(
                    at,
                    &format!("a float literal meets a value of {dtype}: convert with `as`"),
                );
                Scalar::from(0)
            }
            Literal::Float(value) => Scalar::from(value),
            Literal::Int(value) => match (i64::try_from(value), u64::try_from(value)) {
                (Ok(value), _) if dtype == DType::Bool => Scalar::from(value != 0),
                (Ok(value), _) => Scalar::from(value),
                (_, Ok(value)) => Scalar::typed(DType::U64, value),
                _ => {
                    self.refuse(at, &format!("the literal {value} is out of range"));
                    Scalar::from(0)
                }
            },
        };
        self.scalar_constant(&scalar, dtype, at)
    }

    /// A value that a thread, its block or its launch has.
    pub(super) fn builtin<T: Number>(&self, builtin: Builtin) -> Value<'_, T> {
        let known = self.state.borrow().builtins.get(&builtin).copied();
        let reg = known.unwrap_or_else(|| {
            let reg = self.register(builtin.ty());
            let state = &mut *self.state.borrow_mut();
            state.first.push(Statement::Builtin { result: reg, builtin });
            state.builtins.insert(builtin, reg);
            reg
        });
        Value::of(self, reg)
    }

    fn known(&self, reg: Reg) -> Option<u64> {
        self.state.borrow().known.get(&reg).copied()
    }

    /// Records a step.
    pub(super) fn step(&self, op: Op, ty: RegType, args: &[Reg]) -> Reg {
        let mut all = [0; 3];
        all[..args.len()].copy_from_slice(args);
        let result = self.register(ty);
        self.push(Statement::Step { result, instr: Instr { op, ty, args: all } });
        result
    }

    /// Records a primitive; of constant integers the result is one, too.
    pub(super) fn prim(&self, prim: Prim, ty: RegType, args: &[Reg]) -> Reg {
        if let &[a, b] = args
            && let (Some(a_bits), Some(b_bits)) = (self.known(a), self.known(b))
            && let Some(bits) = folded(Op::Prim(prim), ty, self.type_of(a), [a_bits, b_bits])
        {
            return self.constant_of(ty, bits);
        }
        self.step(Op::Prim(prim), ty, args)
    }

    fn type_of(&self, reg: Reg) -> RegType {
        self.state.borrow().parts.registers[usize::from(reg)]
    }

    /// The value rounded to a 16-bit float, if the dtype is one.
    pub(super) fn rounded(&self, reg: Reg, dtype: DType) -> Reg {
        match Prim::rounding(dtype) {
            Some(rounding) => self.step(Op::Prim(rounding), RegType::F32, &[reg]),
            None => reg,
        }
    }

    /// Records an operation of the tables on values of a dtype.
    pub(super) fn apply<R: Number>(
        &self,
        row: &'static UfuncDef,
        args: &[Reg],
        dtype: DType,
    ) -> Value<'_, R> {
        let builder = Builder::new();
        let values: Vec<LoweredValue<'_>> = (0..args.len())
            .map(|number| {
                let term = builder.push(Op::Argument(number as u16), RegType::of(dtype), [0; 3]);
                LoweredValue::Real(term.mark(dtype))
            })
            .collect();
        let result = (row.lower)(&builder, dtype, &values).real().round_to(R::DTYPE);
        let reg = result.reg();
        Value::of(self, self.splice(builder, reg, args))
    }

    /// Records an operation of the tables on complex values; its result is complex, or real if its type is.
    pub(super) fn apply_complex<R: Number>(
        &self,
        row: &'static UfuncDef,
        args: &[[Reg; 2]],
        dtype: DType,
    ) -> Value<'_, R> {
        let builder = Builder::new();
        let term =
            |number: usize| builder.push(Op::Argument(number as u16), RegType::of(dtype), [0; 3]);
        let values: Vec<LoweredValue<'_>> = (0..args.len())
            .map(|number| LoweredValue::Complex(term(2 * number), term(2 * number + 1)))
            .collect();
        let wanted = match (row.lower)(&builder, dtype, &values) {
            LoweredValue::Complex(re, im) => [re.reg(), im.reg()],
            LoweredValue::Real(value) => [value.reg(); 2],
        };
        Value::of_parts(self, self.splice_all(builder, wanted, &args.concat()))
    }

    /// The value whose parts this makes: both of a complex number, else the first.
    pub(super) fn of_each_part<'k, T: Number>(
        &'k self,
        mut make: impl FnMut(usize) -> Reg,
    ) -> Value<'k, T> {
        let re = make(0);
        let im = if T::DTYPE.is_complex() { make(1) } else { re };
        Value::of_parts(self, [re, im])
    }

    /// Records the instructions of a program of arguments; returns the register of one of them.
    fn splice(&self, builder: Builder, wanted: Reg, args: &[Reg]) -> Reg {
        let [reg] = self.splice_all(builder, [wanted], args);
        reg
    }

    /// The same of several.
    fn splice_all<const N: usize>(
        &self,
        builder: Builder,
        wanted: [Reg; N],
        args: &[Reg],
    ) -> [Reg; N] {
        let (instrs, loops) = builder.into_parts();
        debug_assert!(loops.is_empty(), "operations of the tables have no loops");
        let mut moved: Vec<Reg> = Vec::with_capacity(instrs.len());
        for instr in instrs {
            let reg = match instr.op {
                Op::Argument(number) => args[usize::from(number)],
                Op::Const(bits) => self.constant_of(instr.ty, bits),
                op => {
                    let args: Vec<Reg> = instr.args[..op.arity()]
                        .iter()
                        .map(|&arg| moved[usize::from(arg)])
                        .collect();
                    self.step(op, instr.ty, &args)
                }
            };
            moved.push(reg);
        }
        wanted.map(|reg| moved[usize::from(reg)])
    }

    /// An operator: a primitive of real numbers, the operation of the table of complex ones.
    #[track_caller]
    fn arithmetic<'k, P: Pair<'k>>(
        &'k self,
        prim: Prim,
        row: &'static UfuncDef,
        operands: P,
    ) -> Value<'k, P::Number> {
        let dtype = P::Number::DTYPE;
        match dtype.is_complex() {
            true => self.apply_complex(row, &operands.pair(self).map(Value::parts), dtype),
            false => self.two(prim, operands),
        }
    }

    #[track_caller]
    fn are_equal<'k, P: Pair<'k>>(&'k self, operands: P) -> Value<'k, bool> {
        let dtype = P::Number::DTYPE;
        match dtype.is_complex() {
            true => self.apply_complex(&rows::equal, &operands.pair(self).map(Value::parts), dtype),
            false => self.compared(Prim::Eq, operands, false),
        }
    }

    #[track_caller]
    fn two<'k, P: Pair<'k>>(&'k self, prim: Prim, operands: P) -> Value<'k, P::Number> {
        let [a, b] = operands.pair(self);
        let dtype = P::Number::DTYPE;
        let reg = self.prim(prim, RegType::of(dtype), &[a.reg, b.reg]);
        Value::of(self, self.rounded(reg, dtype))
    }

    #[track_caller]
    fn compared<'k, P: Pair<'k>>(
        &'k self,
        prim: Prim,
        operands: P,
        swapped: bool,
    ) -> Value<'k, bool> {
        let [a, b] = operands.pair(self);
        let args = if swapped { [b.reg, a.reg] } else { [a.reg, b.reg] };
        Value::of(self, self.prim(prim, RegType::Bool, &args))
    }

    /// Another type, as Rust's `as`: floats to integers truncate and saturate, integers wrap.
    pub fn cast<'k, A: Plain, B: Plain>(&'k self, value: Value<'k, A>) -> Value<'k, B> {
        if A::DTYPE == B::DTYPE {
            return Value::of(self, value.reg);
        }
        if let Some(bits) = self.known(value.reg)
            && let (from, to) = (RegType::of(A::DTYPE), RegType::of(B::DTYPE))
            && let Some(bits) = folded(Op::Cast { from }, to, from, [bits, 0])
        {
            return Value::of(self, self.constant_of(RegType::of(B::DTYPE), bits));
        }
        let builder = Builder::new();
        let term = builder.push(Op::Argument(0), RegType::of(A::DTYPE), [0; 3]).mark(A::DTYPE);
        let reg = signature::cast(LoweredValue::Real(term), A::DTYPE, B::DTYPE).real().reg();
        Value::of(self, self.splice(builder, reg, &[value.reg]))
    }

    /// What `let mut` makes.
    pub fn mutable<'k, M: Mutable<'k>>(&'k self, value: M) -> M::Variable {
        value.mutable(self)
    }

    /// A variable with a value.
    pub(super) fn variable<'k, T: Number>(&'k self, value: Value<'k, T>) -> Variable<'k, T> {
        let (number, im) = {
            let variables = &mut self.state.borrow_mut().parts.variables;
            let number = variables.len() as u16;
            let parts = 1 + u16::from(T::DTYPE.is_complex());
            variables.extend((0..parts).map(|_| RegType::of(T::DTYPE)));
            (number, number + parts - 1)
        };
        let variable = Variable { k: self, number, im, ty: PhantomData };
        self.write(variable, value);
        variable
    }

    pub(super) fn read<'k, T: Number>(&'k self, variable: Variable<'k, T>) -> Value<'k, T> {
        self.of_each_part(|part| {
            let result = self.register(RegType::of(T::DTYPE));
            let variable = [variable.number, variable.im][part];
            self.push(Statement::Get { result, variable });
            result
        })
    }

    pub(super) fn write<'k, T: Number>(&'k self, variable: Variable<'k, T>, value: Value<'k, T>) {
        self.push(Statement::Set { variable: variable.number, value: value.reg });
        if T::DTYPE.is_complex() {
            self.push(Statement::Set { variable: variable.im, value: value.im });
        }
    }
}

/// The parameters of a kernel.
impl Recorder {
    fn parameter(&self, name: &'static str, kind: ParameterKind) -> u16 {
        let parameters = &mut self.state.borrow_mut().parts.parameters;
        parameters.push(Parameter { name, kind });
        (parameters.len() - 1) as u16
    }

    /// A number that a launch gives.
    pub fn scalar<T: Number>(&self, name: &'static str) -> Value<'_, T> {
        let parameter = self.parameter(name, ParameterKind::Scalar(T::DTYPE));
        self.of_each_part(|part| {
            let result = self.register(RegType::of(T::DTYPE));
            let scalar = Statement::Scalar { result, parameter, part: part as u8 };
            self.state.borrow_mut().first.push(scalar);
            result
        })
    }

    /// An array that the kernel reads.
    pub fn input<T: Number, const RANK: usize>(&self, name: &'static str) -> View<'_, T, RANK> {
        let kind = ParameterKind::Array { dtype: T::DTYPE, rank: RANK as u8, writes: false };
        View::array(self, self.parameter(name, kind))
    }

    /// An array that the kernel reads and writes.
    pub fn output<T: Number, const RANK: usize>(&self, name: &'static str) -> ViewMut<'_, T, RANK> {
        let kind = ParameterKind::Array { dtype: T::DTYPE, rank: RANK as u8, writes: true };
        ViewMut::array(self, self.parameter(name, kind))
    }

    /// An array in the shared memory of the block.
    pub(super) fn shared_array<T: Number>(&self, size: u32, at: Place) -> ViewMut<'_, T, 1> {
        if size == 0 {
            self.refuse(at, "a shared array without elements");
        }
        let number = {
            let shared = &mut self.state.borrow_mut().parts.shared;
            shared.push(SharedArray { dtype: T::DTYPE, size: size.max(1) });
            (shared.len() - 1) as u16
        };
        ViewMut::shared(self, number)
    }

    pub(super) fn shared_size(&self, number: u16) -> u32 {
        self.state.borrow().parts.shared[usize::from(number)].size
    }

    /// Whether sums of floats may be atomic.
    pub(super) fn is_unordered(&self) -> bool {
        self.state.borrow().unordered
    }
}

/// Operators.
impl Recorder {
    /// `a + b`.
    #[track_caller]
    pub fn add<'k, P: Pair<'k, Number: Arithmetic>>(&'k self, operands: P) -> Value<'k, P::Number> {
        self.arithmetic(Prim::Add, &rows::add, operands)
    }
    /// `a - b`.
    #[track_caller]
    pub fn sub<'k, P: Pair<'k, Number: Arithmetic>>(&'k self, operands: P) -> Value<'k, P::Number> {
        self.arithmetic(Prim::Sub, &rows::subtract, operands)
    }
    /// `a * b`.
    #[track_caller]
    pub fn mul<'k, P: Pair<'k, Number: Arithmetic>>(&'k self, operands: P) -> Value<'k, P::Number> {
        self.arithmetic(Prim::Mul, &rows::multiply, operands)
    }
    /// `a / b`; integers truncate, and by zero it is 0.
    #[track_caller]
    pub fn div<'k, P: Pair<'k, Number: Arithmetic>>(&'k self, operands: P) -> Value<'k, P::Number> {
        self.arithmetic(Prim::Div, &rows::divide, operands)
    }
    /// `a % b`, with the sign of `a`; of integers by zero it is 0.
    #[track_caller]
    pub fn rem<'k, P: Pair<'k, Number: Real>>(&'k self, operands: P) -> Value<'k, P::Number> {
        self.two(Prim::Rem, operands)
    }
    /// `a & b`.
    #[track_caller]
    pub fn bitand<'k, P: Pair<'k, Number: Plain>>(&'k self, operands: P) -> Value<'k, P::Number> {
        self.bitwise(Prim::And, operands)
    }
    /// `a | b`.
    #[track_caller]
    pub fn bitor<'k, P: Pair<'k, Number: Plain>>(&'k self, operands: P) -> Value<'k, P::Number> {
        self.bitwise(Prim::Or, operands)
    }
    /// `a ^ b`.
    #[track_caller]
    pub fn bitxor<'k, P: Pair<'k, Number: Plain>>(&'k self, operands: P) -> Value<'k, P::Number> {
        self.bitwise(Prim::Xor, operands)
    }
    /// `a << b`; counts outside of the width give 0.
    #[track_caller]
    pub fn shl<'k, P: Pair<'k, Number: Integer>>(&'k self, operands: P) -> Value<'k, P::Number> {
        self.two(Prim::Shl, operands)
    }
    /// `a >> b`; counts outside of the width give 0, or -1.
    #[track_caller]
    pub fn shr<'k, P: Pair<'k, Number: Integer>>(&'k self, operands: P) -> Value<'k, P::Number> {
        self.two(Prim::Shr, operands)
    }
    /// `a < b`.
    #[track_caller]
    pub fn lt<'k, P: Pair<'k, Number: Plain>>(&'k self, operands: P) -> Value<'k, bool> {
        self.compared(Prim::Lt, operands, false)
    }
    /// `a <= b`.
    #[track_caller]
    pub fn le<'k, P: Pair<'k, Number: Plain>>(&'k self, operands: P) -> Value<'k, bool> {
        self.compared(Prim::Le, operands, false)
    }
    /// `a > b`.
    #[track_caller]
    pub fn gt<'k, P: Pair<'k, Number: Plain>>(&'k self, operands: P) -> Value<'k, bool> {
        self.compared(Prim::Lt, operands, true)
    }
    /// `a >= b`.
    #[track_caller]
    pub fn ge<'k, P: Pair<'k, Number: Plain>>(&'k self, operands: P) -> Value<'k, bool> {
        self.compared(Prim::Le, operands, true)
    }
    /// `a == b`.
    #[track_caller]
    pub fn eq<'k, P: Pair<'k>>(&'k self, operands: P) -> Value<'k, bool> {
        self.are_equal(operands)
    }
    /// `a != b`.
    #[track_caller]
    pub fn ne<'k, P: Pair<'k>>(&'k self, operands: P) -> Value<'k, bool> {
        let equal = self.are_equal(operands);
        self.not(equal)
    }
    /// `-a`.
    pub fn neg<'k, T: Arithmetic>(&'k self, value: Value<'k, T>) -> Value<'k, T> {
        if T::DTYPE.is_complex() {
            return self.apply_complex(&rows::negative, &[value.parts()], T::DTYPE);
        }
        Value::of(self, self.prim(Prim::Neg, RegType::of(T::DTYPE), &[value.reg]))
    }
    /// `!a`.
    #[track_caller]
    pub fn not<'k, T: Plain>(&'k self, value: Value<'k, T>) -> Value<'k, T> {
        let ty = RegType::of(T::DTYPE);
        if ty.is_float() {
            self.refuse(Location::caller(), "`!` of a float");
            return value;
        }
        Value::of(self, self.prim(Prim::Not, ty, &[value.reg]))
    }

    #[track_caller]
    fn bitwise<'k, P: Pair<'k>>(&'k self, prim: Prim, operands: P) -> Value<'k, P::Number> {
        let [a, b] = operands.pair(self);
        let ty = RegType::of(P::Number::DTYPE);
        if ty.is_float() {
            self.refuse(Location::caller(), "a bitwise operation of floats");
            return a;
        }
        Value::of(self, self.prim(prim, ty, &[a.reg, b.reg]))
    }

    /// `a && b`: `b` is computed where `a` holds.
    #[track_caller]
    pub fn and<'k>(
        &'k self,
        a: Value<'k, bool>,
        b: impl FnOnce() -> Value<'k, bool>,
    ) -> Value<'k, bool> {
        self.short(a, b, true)
    }

    /// `a || b`: `b` is computed where `a` does not hold.
    #[track_caller]
    pub fn or<'k>(
        &'k self,
        a: Value<'k, bool>,
        b: impl FnOnce() -> Value<'k, bool>,
    ) -> Value<'k, bool> {
        self.short(a, b, false)
    }

    #[track_caller]
    fn short<'k>(
        &'k self,
        a: Value<'k, bool>,
        b: impl FnOnce() -> Value<'k, bool>,
        and: bool,
    ) -> Value<'k, bool> {
        let at = Location::caller();
        let (block, b) = self.within(b);
        let pure = block
            .iter()
            .all(|statement| matches!(statement, Statement::Step { .. } | Statement::Get { .. }));
        if pure {
            block.into_iter().for_each(|statement| self.push(statement));
            let prim = if and { Prim::And } else { Prim::Or };
            return Value::of(self, self.prim(prim, RegType::Bool, &[a.reg, b.reg]));
        }
        let result = self.variable(a);
        let mut block = block;
        block.push(Statement::Set { variable: result.number, value: b.reg });
        let (then, otherwise) = if and { (block, Vec::new()) } else { (Vec::new(), block) };
        let site = self.site(at);
        self.push(Statement::If { condition: a.reg, then, otherwise, site });
        result.get()
    }
}

/// Control.
impl Recorder {
    /// `if condition { then }`.
    #[track_caller]
    pub fn when<'k>(&'k self, condition: Value<'k, bool>, then: impl FnOnce()) {
        let site = self.site(Location::caller());
        let (then, ()) = self.within(then);
        self.push(Statement::If { condition: condition.reg, then, otherwise: Vec::new(), site });
    }

    /// `if condition { then } else { otherwise }`.
    #[track_caller]
    pub fn either<'k, A: Join<'k, B>, B>(
        &'k self,
        condition: Value<'k, bool>,
        then: impl FnOnce() -> A,
        otherwise: impl FnOnce() -> B,
    ) -> A::Joined {
        let site = self.site(Location::caller());
        let (then, kept) = self.within(|| then().keep_first(self));
        let (otherwise, ()) = self.within(|| A::keep_second(otherwise(), kept, self));
        self.push(Statement::If { condition: condition.reg, then, otherwise, site });
        A::joined(kept)
    }

    /// `while condition { body }`.
    #[track_caller]
    pub fn repeat<'k>(&'k self, condition: impl FnOnce() -> Value<'k, bool>, body: impl FnOnce()) {
        let site = self.site(Location::caller());
        let (head, condition) = self.within(condition);
        let (body, ()) = self.within(body);
        let next = Vec::new();
        self.push(Statement::Loop { head, condition: condition.reg, body, next, site });
    }

    /// `for i in a..b { body(i) }`; in steps where there is a step. It is unrolled where `unroll` says that it may, and the ends are
    /// known.
    #[track_caller]
    pub fn range<'k, P: Pair<'k, Number: Integer>>(
        &'k self,
        ends: P,
        step: Option<Value<'k, P::Number>>,
        unroll: bool,
        mut body: impl FnMut(Value<'k, P::Number>),
    ) {
        let at = Location::caller();
        let [first, end] = ends.pair(self);
        let ty = RegType::of(P::Number::DTYPE);
        let step = step.unwrap_or_else(|| P::Number::one(self));
        let known = [first, end, step].map(|value| self.known(value.reg));
        if let ([Some(first), Some(end), Some(step)], true) = (known, unroll) {
            let [first, end, step] = [first, end, step].map(|bits| ty.integer(bits));
            let turns = match (step > 0, first < end) {
                (true, true) => ((end - first + step - 1) / step) as u64,
                (true, false) => 0,
                (false, _) => {
                    self.refuse(at, "a range by a step that is not positive");
                    0
                }
            };
            if turns <= MAX_UNROLLED {
                for turn in 0..turns {
                    let bits = ty.trimmed((first + i128::from(turn) * step) as u64);
                    body(Value::of(self, self.constant_of(ty, bits)));
                }
                return;
            }
        }
        let site = self.site(at);
        let counter = self.variable(first);
        let (head, condition) = self.within(|| self.lt((counter.get(), end)));
        let (body, ()) = self.within(|| body(counter.get()));
        let (next, ()) = self.within(|| counter.set(self.add_any(counter.get(), step)));
        self.push(Statement::Loop { head, condition: condition.reg, body, next, site });
    }

    fn add_any<'k, T: Number>(&'k self, a: Value<'k, T>, b: Value<'k, T>) -> Value<'k, T> {
        Value::of(self, self.prim(Prim::Add, RegType::of(T::DTYPE), &[a.reg, b.reg]))
    }

    /// The body of a function: [`Recorder::leave`] leaves it and nothing more.
    pub fn call<R>(&self, body: impl FnOnce() -> R) -> R {
        let (body, result) = self.within(body);
        self.push(Statement::Call { body });
        result
    }

    /// Enters a function; `None` if functions call each other without end, or the kernel has an error already, so that
    /// recording ends.
    #[doc(hidden)]
    #[track_caller]
    pub fn enter(&self) -> Option<Depth<'_>> {
        if self.state.borrow().depth >= MAX_DEPTH {
            let reason = "functions of a kernel do not call themselves, nor each other in a circle";
            self.refuse(Location::caller(), reason);
        }
        let mut state = self.state.borrow_mut();
        if state.error.is_some() {
            return None;
        }
        state.depth += 1;
        Some(Depth(self))
    }

    /// `break`.
    pub fn stop(&self) {
        self.push(Statement::Break);
    }

    /// `continue`.
    pub fn skip(&self) {
        self.push(Statement::Continue);
    }

    /// `return`.
    pub fn leave(&self) {
        self.push(Statement::Return);
    }

    pub(super) fn barrier_at(&self, at: Place) {
        let site = self.site(at);
        self.push(Statement::Barrier { site });
    }

    pub(super) fn exchanged(
        &self,
        op: ndany_core::simt::Exchange,
        ty: RegType,
        value: Reg,
        operand: Reg,
        at: Place,
    ) -> Reg {
        let site = self.site(at);
        let result = self.register(ty);
        self.push(Statement::Exchange { result, op, value, operand, site });
        result
    }
}

/// The register bits of an element's bits: 16-bit floats are 32-bit ones.
pub(super) fn register_bits(dtype: DType, bits: u64) -> u64 {
    ndany_core::float::widened(dtype, bits as u16).map_or(bits, |wide| u64::from(wide.to_bits()))
}

/// A step on constant integers whose result is a boolean or an integer, too: what the reference makes of it.
fn folded(op: Op, ty: RegType, from: RegType, args: [u64; 2]) -> Option<u64> {
    let whole = |ty: RegType| !ty.is_float() && ty != RegType::Bool;
    let folds = whole(from) && !ty.is_float();
    folds.then(|| constant_step(&op, ty, from, [args[0], args[1], 0]))
}
