//! Ranges: whether all accesses of a launch lie inside their places, so that none can be a fault.
//!
//! Every integer register and variable has an interval of the values that it may have, given the extents, the blocks and the
//! integers of a launch. A branch narrows the operands of its condition; what two ways give is joined; a loop is walked until its
//! variables stay, with bounds that grow widened to those of the type. What is read from memory or exchanged may be anything.
//! The result is safe: a kernel that is not understood is one whose accesses may be faults.

use std::sync::{Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use super::{Builtin, Kernel, ParameterKind, Parts, Place, Statement};
use crate::program::{Op, Prim, Reg, RegType};

/// Maximum number of statements that are walked.
const BUDGET: usize = 4096;

/// Passes over a loop before bounds that grow are widened.
const PASSES: usize = 2;

/// Launches whose outcome a kernel keeps.
const KEPT: usize = 4;

/// Numbers of launches that were tried in vain before numbers are not asked any more.
const VAIN: u32 = 8;

/// What a launch says of a kernel's integers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Lanes of a warp.
    pub lanes: u32,
    /// Extents of the arrays, in order.
    pub extents: SmallVec<[u64; 8]>,
    /// Register bits of the numbers, in order. Where they are absent a number may be anything.
    pub numbers: SmallVec<[u64; 4]>,
}

/// Outcomes of launches, for those that follow.
#[derive(Debug, Default)]
pub(super) struct Proofs(Mutex<Found>);

#[derive(Debug, Default)]
struct Found {
    outcomes: Vec<(Known, bool)>,
    /// The outcome that is replaced next.
    oldest: usize,
    /// Launches whose numbers proved nothing since some did.
    vain: u32,
}

impl Proofs {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outcome(&self, kernel: &Kernel, known: &Known) -> bool {
        let same = |(other, _): &&(Known, bool)| other == known;
        if let Some((_, outcome)) = self.found().outcomes.iter().find(same) {
            return *outcome;
        }
        let outcome = kernel.is_inside(known);
        let mut found = self.found();
        let entry = (known.clone(), outcome);
        match found.outcomes.len() < KEPT {
            true => found.outcomes.push(entry),
            false => {
                let oldest = found.oldest;
                found.outcomes[oldest] = entry;
                found.oldest = (oldest + 1) % KEPT;
            }
        }
        outcome
    }
}

/// The smallest and the largest value of an integer register.
type Range = (i128, i128);

fn every(ty: RegType) -> Range {
    let bits = 8 * ty.size() as u32;
    match ty {
        RegType::Bool => (0, 1),
        _ if ty.is_signed() => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (0, (1 << bits) - 1),
    }
}

fn is_integer(ty: RegType) -> bool {
    ty != RegType::Bool && !ty.is_float()
}

/// A range if the type has all of it: else arithmetic may have wrapped.
fn wrapped(ty: RegType, range: Range) -> Range {
    let every = every(ty);
    if every.0 <= range.0 && range.1 <= every.1 { range } else { every }
}

fn join(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

/// What is known of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Variable {
    range: Range,
    /// Another number after each change.
    version: u32,
    /// The register that was written last, on all ways.
    value: Option<Reg>,
    /// A condition that holds where the variable, a Bool, is true.
    implied: Option<Reg>,
}

/// What is known at a statement.
#[derive(Clone, Debug)]
struct State {
    registers: Vec<Range>,
    variables: Vec<Variable>,
}

/// Where a register comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Other,
    Step(Op, [Reg; 3]),
    Variable { variable: u16, version: u32, value: Option<Reg>, implied: Option<Reg> },
}

/// The states of a block's ends.
#[derive(Default)]
struct Ends {
    leaves: Vec<State>,
    turns: Vec<State>,
    returns: Vec<State>,
}

/// Ends the analysis: an access may be a fault, or there is too much to walk.
struct Unknown;

/// What is known of an argument.
struct Argument {
    /// Register bits of a number.
    number: Option<u64>,
    /// Position of an array's first extent.
    first: usize,
}

struct Analysis<'k> {
    parts: &'k Parts,
    known: &'k Known,
    arguments: Vec<Argument>,
    sources: Vec<Source>,
    versions: u32,
    budget: usize,
}

impl Kernel {
    /// Whether every access of a launch is known to lie inside its place. What was found of the latest launches is kept.
    pub fn stays_inside(&self, mut known: Known) -> bool {
        // Numbers may be others at each launch, so they are asked last.
        let numbers = std::mem::take(&mut known.numbers);
        if self.proofs.outcome(self, &known) {
            return true;
        }
        if numbers.is_empty() || self.proofs.found().vain == VAIN {
            return false;
        }
        known.numbers = numbers;
        let inside = self.proofs.outcome(self, &known);
        let mut found = self.proofs.found();
        found.vain = if inside { 0 } else { (found.vain + 1).min(VAIN) };
        inside
    }

    fn is_inside(&self, known: &Known) -> bool {
        let parts = &self.parts;
        let (mut numbers, mut first) = (known.numbers.iter(), 0);
        let arguments = parts.parameters.iter().map(|parameter| match parameter.kind {
            ParameterKind::Scalar(_) => Argument { number: numbers.next().copied(), first },
            ParameterKind::Array { rank, .. } => {
                let argument = Argument { number: None, first };
                first += usize::from(rank);
                argument
            }
        });
        let mut analysis = Analysis {
            parts,
            known,
            arguments: arguments.collect(),
            sources: vec![Source::Other; parts.registers.len()],
            versions: 0,
            budget: BUDGET,
        };
        let zero = Variable { range: (0, 0), version: 0, value: None, implied: None };
        let state = State {
            registers: vec![(0, 0); parts.registers.len()],
            variables: vec![zero; parts.variables.len()],
        };
        analysis.block(&parts.body, Some(state), &mut Ends::default()).is_ok()
    }
}

impl Analysis<'_> {
    fn version(&mut self) -> u32 {
        self.versions += 1;
        self.versions
    }

    /// Walks a block; returns the state after it, if anything comes there.
    fn block(
        &mut self,
        block: &[Statement],
        mut state: Option<State>,
        ends: &mut Ends,
    ) -> Result<Option<State>, Unknown> {
        for statement in block {
            let Some(before) = state else { return Ok(None) };
            self.budget = self.budget.checked_sub(1).ok_or(Unknown)?;
            state = self.statement(statement, before, ends)?;
        }
        Ok(state)
    }

    fn statement(
        &mut self,
        statement: &Statement,
        mut state: State,
        ends: &mut Ends,
    ) -> Result<Option<State>, Unknown> {
        let mut source = Source::Other;
        let defined = match statement {
            Statement::Step { result, instr } => {
                source = Source::Step(instr.op, instr.args);
                Some((*result, self.step(instr.op, instr.ty, instr.args, &state)))
            }
            Statement::Scalar { result, parameter, .. } => {
                let ty = self.ty(*result);
                let range = match self.arguments[usize::from(*parameter)].number {
                    Some(bits) if !ty.is_float() => {
                        let value = ty.integer(bits);
                        (value, value)
                    }
                    _ => every(ty),
                };
                Some((*result, range))
            }
            Statement::Builtin { result, builtin } => Some((*result, self.builtin(*builtin))),
            Statement::Get { result, variable } => {
                let of = &state.variables[usize::from(*variable)];
                source = Source::Variable {
                    variable: *variable,
                    version: of.version,
                    value: of.value,
                    implied: of.implied,
                };
                Some((*result, of.range))
            }
            Statement::Set { variable, value } => {
                let version = self.version();
                let range = state.registers[usize::from(*value)];
                state.variables[usize::from(*variable)] =
                    Variable { range, version, value: Some(*value), implied: None };
                None
            }
            Statement::Load { result, place, at, .. } => {
                self.inside(*place, at, &state)?;
                Some((*result, every(self.ty(*result))))
            }
            Statement::Store { place, at, .. } => {
                self.inside(*place, at, &state)?;
                None
            }
            Statement::Atomic { result, place, at, .. } => {
                self.inside(*place, at, &state)?;
                Some((*result, every(self.ty(*result))))
            }
            Statement::Exchange { result, .. } => Some((*result, every(self.ty(*result)))),
            Statement::If { condition, then, otherwise, .. } => {
                let (mut yes, mut no) = (state.clone(), state);
                let yes = self.assume(*condition, true, &mut yes).then_some(yes);
                let no = self.assume(*condition, false, &mut no).then_some(no);
                let yes = self.block(then, yes, ends)?;
                let no = self.block(otherwise, no, ends)?;
                return Ok(match (yes, no) {
                    (Some(yes), Some(no)) => Some(self.joined(yes, no, Some(*condition))),
                    (one, other) => one.or(other),
                });
            }
            Statement::Loop { head, condition, body, next, .. } => {
                return self.repeat(head, *condition, [body, next], state, ends);
            }
            Statement::Call { body } => {
                let mut own = Ends::default();
                let end = self.block(body, Some(state), &mut own)?;
                return Ok(self.all(own.returns.into_iter().chain(end)));
            }
            Statement::Break => {
                ends.leaves.push(state);
                return Ok(None);
            }
            Statement::Continue => {
                ends.turns.push(state);
                return Ok(None);
            }
            Statement::Return => {
                ends.returns.push(state);
                return Ok(None);
            }
            Statement::Barrier { .. } => None,
        };
        if let Some((result, range)) = defined {
            state.registers[usize::from(result)] = range;
            self.sources[usize::from(result)] = source;
        }
        Ok(Some(state))
    }

    /// Walks a loop until what is known of variables at its head stays.
    fn repeat(
        &mut self,
        head: &[Statement],
        condition: Reg,
        [body, next]: [&[Statement]; 2],
        mut state: State,
        ends: &mut Ends,
    ) -> Result<Option<State>, Unknown> {
        // What registers before the loop are stays; what they and variables had in common does not.
        for variable in &mut state.variables {
            (variable.version, variable.value, variable.implied) = (self.version(), None, None);
        }
        for pass in 0.. {
            let mut own = Ends::default();
            let Some(begun) = self.block(head, Some(state.clone()), &mut own)? else {
                ends.returns.append(&mut own.returns);
                return Ok(None);
            };
            let (mut turn, mut done) = (begun.clone(), begun);
            let turn = self.assume(condition, true, &mut turn).then_some(turn);
            let done = self.assume(condition, false, &mut done).then_some(done);
            let end = self.block(body, turn, &mut own)?;
            let turns = std::mem::take(&mut own.turns);
            let end = self.all(turns.into_iter().chain(end));
            let end = self.block(next, end, &mut own)?;
            let mut stays = true;
            if let Some(end) = end {
                let types = &self.parts.variables;
                for ((now, then), &ty) in state.variables.iter_mut().zip(&end.variables).zip(types)
                {
                    let mut grown = join(now.range, then.range);
                    if grown == now.range {
                        continue;
                    }
                    stays = false;
                    if pass >= PASSES {
                        let every = every(ty);
                        grown.0 = if grown.0 < now.range.0 { every.0 } else { grown.0 };
                        grown.1 = if grown.1 > now.range.1 { every.1 } else { grown.1 };
                    }
                    now.range = grown;
                }
            }
            if stays {
                ends.returns.append(&mut own.returns);
                return Ok(self.all(own.leaves.into_iter().chain(done)));
            }
        }
        Ok(None)
    }

    fn all(&mut self, states: impl Iterator<Item = State>) -> Option<State> {
        states.reduce(|a, b| self.joined(a, b, None))
    }

    /// What is known where two ways meet: after a branch, that with the condition comes first.
    fn joined(&mut self, mut yes: State, no: State, condition: Option<Reg>) -> State {
        for (a, b) in yes.registers.iter_mut().zip(no.registers) {
            *a = join(*a, b);
        }
        for number in 0..yes.variables.len() {
            let (a, b) = (&yes.variables[number], &no.variables[number]);
            if a == b {
                continue;
            }
            let same = a.version == b.version;
            let implied = match b.range {
                // False on the other way: where it is true the condition holds.
                (0, 0) if !same => condition,
                _ if a.implied == b.implied => a.implied,
                _ => None,
            };
            let (range, value) =
                (join(a.range, b.range), if a.value == b.value { a.value } else { None });
            let version = if same { a.version } else { self.version() };
            yes.variables[number] = Variable { range, version, value, implied };
        }
        yes
    }

    /// Narrows what is known by a condition; returns whether it can be so at all.
    fn assume(&self, condition: Reg, holds: bool, state: &mut State) -> bool {
        let bit = i128::from(holds);
        if !self.narrow(condition, (bit, bit), state) {
            return false;
        }
        match self.sources[usize::from(condition)] {
            Source::Step(Op::Prim(prim), [a, b, _]) => {
                let of_bools = self.ty(a) == RegType::Bool;
                match prim {
                    Prim::And if of_bools && holds => {
                        self.assume(a, true, state) && self.assume(b, true, state)
                    }
                    Prim::Or if of_bools && !holds => {
                        self.assume(a, false, state) && self.assume(b, false, state)
                    }
                    Prim::Not if of_bools => self.assume(a, !holds, state),
                    Prim::Lt | Prim::Le | Prim::Eq if is_integer(self.ty(a)) => {
                        self.compare(prim, holds, [a, b], state)
                    }
                    _ => true,
                }
            }
            Source::Variable { value, implied, .. } => {
                value.is_none_or(|value| self.assume(value, holds, state))
                    && implied.is_none_or(|cause| !holds || self.assume(cause, true, state))
            }
            _ => true,
        }
    }

    fn compare(&self, prim: Prim, holds: bool, [a, b]: [Reg; 2], state: &mut State) -> bool {
        let (x, y) = (state.registers[usize::from(a)], state.registers[usize::from(b)]);
        let (to_x, to_y) = match (prim, holds) {
            (Prim::Lt, true) => ((x.0, y.1 - 1), (x.0 + 1, y.1)),
            (Prim::Lt, false) => ((y.0, x.1), (y.0, x.1)),
            (Prim::Le, true) => ((x.0, y.1), (x.0, y.1)),
            (Prim::Le, false) => ((y.0 + 1, x.1), (y.0, x.1 - 1)),
            (_, true) => (y, x),
            (_, false) => {
                // Another number than the only one at an end.
                let without = |range: Range, other: Range| match other.0 == other.1 {
                    true if range.0 == other.0 => (range.0 + 1, range.1),
                    true if range.1 == other.0 => (range.0, range.1 - 1),
                    _ => range,
                };
                (without(x, y), without(y, x))
            }
        };
        self.narrow(a, to_x, state) && self.narrow(b, to_y, state)
    }

    /// Narrows a register, and what it is a copy of; returns whether anything is left.
    fn narrow(&self, reg: Reg, to: Range, state: &mut State) -> bool {
        let own = &mut state.registers[usize::from(reg)];
        *own = (own.0.max(to.0), own.1.min(to.1));
        let own = *own;
        if own.0 > own.1 {
            return false;
        }
        for variable in &mut state.variables {
            if variable.value == Some(reg) {
                variable.range = (variable.range.0.max(own.0), variable.range.1.min(own.1));
            }
        }
        match self.sources[usize::from(reg)] {
            Source::Step(Op::Cast { from } | Op::Bitcast { from }, [of, ..]) => {
                let ty = self.ty(reg);
                let before = state.registers[usize::from(of)];
                // A conversion that keeps the number.
                let keeps = is_integer(from) && is_integer(ty) && wrapped(ty, before) == before;
                !keeps || self.narrow(of, own, state)
            }
            Source::Variable { variable, version, .. } => {
                let variable = &mut state.variables[usize::from(variable)];
                if variable.version == version {
                    variable.range = (variable.range.0.max(own.0), variable.range.1.min(own.1));
                }
                true
            }
            _ => true,
        }
    }

    fn ty(&self, reg: Reg) -> RegType {
        self.parts.registers[usize::from(reg)]
    }

    fn extent(&self, place: Place, axis: usize) -> i128 {
        match place {
            Place::Array(number) => {
                let first = self.arguments[usize::from(number)].first;
                i128::from(self.known.extents.get(first + axis).copied().unwrap_or(0))
            }
            Place::Shared(number) => i128::from(self.parts.shared[usize::from(number)].size),
        }
    }

    fn inside(&self, place: Place, at: &[Reg], state: &State) -> Result<(), Unknown> {
        let inside = at.iter().enumerate().all(|(axis, &reg)| {
            let (least, most) = state.registers[usize::from(reg)];
            least >= 0 && most < self.extent(place, axis)
        });
        if inside { Ok(()) } else { Err(Unknown) }
    }

    fn builtin(&self, builtin: Builtin) -> Range {
        let &Known { grid, block, lanes, .. } = self.known;
        let (below, only) = (|n: u32| (0, i128::from(n.max(1)) - 1), |n: i128| (n, n));
        match builtin {
            Builtin::Thread(axis) => below(block[usize::from(axis)]),
            Builtin::Block(axis) => below(grid[usize::from(axis)]),
            Builtin::BlockSize(axis) => only(block[usize::from(axis)].into()),
            Builtin::GridSize(axis) => only(grid[usize::from(axis)].into()),
            Builtin::Lanes => only(lanes.into()),
            Builtin::Lane => below(lanes),
            Builtin::Warp => below(block.iter().product::<u32>().div_ceil(lanes.max(1))),
            Builtin::Extent { parameter, axis } => {
                only(self.extent(Place::Array(parameter), axis.into()))
            }
        }
    }

    fn step(&self, op: Op, ty: RegType, args: [Reg; 3], state: &State) -> Range {
        if ty.is_float() {
            return every(ty);
        }
        let arg = |position: usize| state.registers[usize::from(args[position])];
        match op {
            Op::Const(bits) => (ty.integer(bits), ty.integer(bits)),
            Op::Cast { from } | Op::Bitcast { from } if !from.is_float() && is_integer(ty) => {
                wrapped(ty, arg(0))
            }
            Op::Prim(Prim::Select | Prim::SelectSlowPath) => join(arg(1), arg(2)),
            Op::Prim(prim) if is_integer(ty) => {
                wrapped(ty, arithmetic(prim, ty, arg(0), || arg(1)))
            }
            _ => every(ty),
        }
    }
}

/// The range of a result that did not wrap; all of the type's, where the operation is not followed.
fn arithmetic(prim: Prim, ty: RegType, a: Range, b: impl Fn() -> Range) -> Range {
    let every = every(ty);
    let width = 8 * ty.size() as i128;
    let positive = |b: Range| b.0 > 0;
    let natural = |b: Range| a.0 >= 0 && b.0 >= 0;
    match prim {
        Prim::Neg => return (-a.1, -a.0),
        Prim::Abs if a.0 >= 0 => return a,
        Prim::Abs | Prim::Not | Prim::Sqrt => return every,
        _ => {}
    }
    let b = b();
    match prim {
        Prim::Add => (a.0 + b.0, a.1 + b.1),
        Prim::Sub => (a.0 - b.1, a.1 - b.0),
        Prim::Mul => {
            let all = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
            let Some(all) = all
                .map(|(x, y)| x.checked_mul(y))
                .into_iter()
                .collect::<Option<SmallVec<[i128; 4]>>>()
            else {
                return every;
            };
            all[1..].iter().fold((all[0], all[0]), |range, &x| join(range, (x, x)))
        }
        Prim::Div if a.0 >= 0 && positive(b) => (a.0 / b.1, a.1 / b.0),
        Prim::Div if natural(b) => (0, a.1),
        Prim::Rem if natural(b) => (0, a.1.min((b.1 - 1).max(0))),
        Prim::Min => (a.0.min(b.0), a.1.min(b.1)),
        Prim::Max => (a.0.max(b.0), a.1.max(b.1)),
        Prim::And if natural(b) => (0, a.1.min(b.1)),
        Prim::And if a.0 >= 0 => (0, a.1),
        Prim::And if b.0 >= 0 => (0, b.1),
        Prim::Or | Prim::Xor if natural(b) => {
            (0, (a.1.max(b.1) as u128 + 1).next_power_of_two() as i128 - 1)
        }
        Prim::Shr if natural(b) => (a.0 >> b.1.min(width), a.1 >> b.0.min(width)),
        Prim::Shl if natural(b) && b.1 < width => (a.0 << b.0, a.1 << b.1),
        _ => every,
    }
}
