//! Faster folds along a row with the same bits: one accumulator for results that do not depend on order, early
//! exit when the result is known, and products that are not stored.

use std::fmt;

use ndany_core::program::{Combine, Domain, Known, Op, Prim, Program, Reduction, Reg, RegType};

use super::{MAX_PARTS, Reducer};
use crate::compiled::CompiledCombine;
use crate::loops::{ACCUMULATORS, Level, LocateFn, LoopFn, Loops, Search};

/// Position of an extremum of no values.
const NOT_FOUND: i64 = -1;

/// How values are folded along a row.
pub(crate) enum RowFold {
    /// By the plan's accumulators.
    Accumulators,
    /// Position of an extremum: the second register of the state is the position in the row, which is not
    /// computed for each element. `best` is the boolean after which the rest of the row may be skipped.
    Locate { locate: LocateFn, best: Option<bool> },
    /// Any order gives the same bits: one accumulator. It starts at zero for a sum, else at the first value, which is then taken twice.
    Unordered { fold: LoopFn, sums: bool },
    /// A sum of products of these registers; the products are not stored.
    Products { factors: [Reg; 2], multiply: LoopFn, fold: LoopFn },
    /// A conjunction or disjunction of booleans.
    Bool(BoolFold),
}

impl fmt::Debug for RowFold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RowFold::Accumulators => "Accumulators",
            RowFold::Locate { .. } => "Locate",
            RowFold::Unordered { .. } => "Unordered",
            RowFold::Products { .. } => "Products",
            RowFold::Bool(_) => "Bool",
        })
    }
}

/// `all` or `any` of booleans, with an early exit.
#[derive(Debug)]
pub(crate) struct BoolFold {
    /// The operands of a comparison, whose results are not stored; or the boolean, twice.
    pair: [Reg; 2],
    /// Finds what `search` says.
    exists: LoopFn,
    search: Search,
    all: bool,
    /// Whether the rest of a row may be skipped: no step of the program can fail.
    stops: bool,
}

impl BoolFold {
    fn of(program: &Program, reduction: &Reduction, level: Level) -> Option<Self> {
        let all = match reduction.combine {
            Combine::Prim(Prim::And) => true,
            Combine::Prim(Prim::Or) => false,
            _ => return None,
        };
        let instr = |reg: Reg| &program.instrs[usize::from(reg)];
        let (mut reg, mut counter) = (reduction.lifted[0], !all);
        if instr(reg).ty != RegType::Bool {
            return None;
        }
        while instr(reg).op == Op::Prim(Prim::Not) {
            (reg, counter) = (instr(reg).args[0], !counter);
        }
        let domains = program.domains();
        let varies = |reg: Reg| domains[usize::from(reg)] == Domain::Element;
        let stops = !program.fails();
        let [x, y, _] = instr(reg).args;
        let compared = match instr(reg).op {
            Op::Prim(prim) if varies(x) || varies(y) => level.exists(prim, instr(x).ty),
            _ => None,
        };
        let (pair, exists) = match compared {
            Some(exists) => ([x, y], exists),
            None if varies(reg) => ([reg; 2], level.any_true()),
            None => return None,
        };
        let search = Search { wanted: counter, uniform: pair.map(|reg| !varies(reg)) };
        Some(Self { pair, exists, search, all, stops })
    }
}

/// Whether the position of the largest or of the smallest value is wanted.
fn largest(reduction: &Reduction) -> Option<bool> {
    let Combine::Body(body) = &reduction.combine else { return None };
    match body.known {
        Some(Known::FirstLargest) => Some(true),
        Some(Known::FirstSmallest) => Some(false),
        Some(Known::Moments) | None => None,
    }
}

impl Reducer {
    /// Chooses the fastest fold along the rows of this reduction's program.
    pub(crate) fn along_rows(
        mut self,
        program: &Program,
        reduction: &Reduction,
        level: Level,
    ) -> Self {
        let instr = |reg: Reg| &program.instrs[usize::from(reg)];
        let value = instr(self.lifted[0]);
        let sums = matches!(reduction.combine, Combine::Prim(Prim::Add)) && self.parts() == 1;
        self.along = match &self.combining {
            CompiledCombine::Known(known) => match known.locate {
                Some(locate) if instr(self.lifted[1]).op == Op::Index => {
                    let stops = value.ty == RegType::Bool && !program.fails();
                    let best = largest(reduction).filter(|_| stops);
                    RowFold::Locate { locate, best }
                }
                _ => RowFold::Accumulators,
            },
            &CompiledCombine::Prim { unordered: Some(unordered), .. } if self.parts() == 1 => {
                RowFold::Unordered { fold: unordered, sums }
            }
            CompiledCombine::Prim { .. }
                if sums && value.ty.is_float() && value.op == Op::Prim(Prim::Mul) =>
            {
                let (domains, ty) = (program.domains(), value.ty);
                let factors = [value.args[0], value.args[1]];
                match factors.iter().all(|&reg| domains[usize::from(reg)] == Domain::Element) {
                    true => RowFold::Products {
                        factors,
                        multiply: level.step(&value.op, ty, ty),
                        fold: level.sum_of_products(ty),
                    },
                    false => RowFold::Accumulators,
                }
            }
            CompiledCombine::Prim { .. } => {
                BoolFold::of(program, reduction, level).map_or(RowFold::Accumulators, RowFold::Bool)
            }
            CompiledCombine::Body { .. } => RowFold::Accumulators,
        };
        self
    }

    /// The registers that [`Reducer::fold_along`] reads.
    pub(crate) fn read_along(&self) -> &[Reg] {
        match &self.along {
            RowFold::Locate { .. } => &self.lifted[..1],
            RowFold::Products { factors, .. } => factors,
            RowFold::Bool(truths) => &truths.pair,
            RowFold::Accumulators | RowFold::Unordered { .. } => &self.lifted,
        }
    }

    /// Whether one state may take a run of any length: the result has the same bits in every order (except which NaN it is).
    pub(crate) fn takes_any_run(&self) -> bool {
        match &self.along {
            RowFold::Locate { .. } | RowFold::Unordered { .. } | RowFold::Bool(_) => true,
            RowFold::Accumulators | RowFold::Products { .. } => false,
        }
    }

    /// Whether [`Reducer::is_known`] may hold.
    pub(crate) fn stops(&self) -> bool {
        match &self.along {
            RowFold::Locate { best, .. } => best.is_some(),
            RowFold::Bool(truths) => truths.stops,
            RowFold::Accumulators | RowFold::Unordered { .. } | RowFold::Products { .. } => false,
        }
    }

    /// Whether registers of the row may hold fewer values than [`Reducer::fold_along`] is given.
    pub(crate) fn reads_uniform_runs(&self, varies: impl Fn(Reg) -> bool) -> bool {
        matches!(self.along, RowFold::Bool(_)) || self.read_along().iter().all(|&reg| varies(reg))
    }

    /// Starts a run of a row. With `follows`, the accumulators hold the state after the run before, and a
    /// run without a better value keeps it.
    ///
    /// # Safety
    /// As [`Reducer::fold`].
    pub(crate) unsafe fn begin_along(&self, accumulators: &[*mut u8; MAX_PARTS], follows: bool) {
        match &self.along {
            RowFold::Locate { .. } if !follows => {
                // SAFETY: the caller upholds this; the second part of such a state is an i64.
                unsafe { accumulators[1].cast::<i64>().write(NOT_FOUND) };
            }
            // SAFETY: the caller upholds this; the state is a boolean.
            RowFold::Bool(BoolFold { all, .. }) if !follows => unsafe {
                *accumulators[0] = u8::from(*all)
            },
            RowFold::Locate { .. }
            | RowFold::Accumulators
            | RowFold::Unordered { .. }
            | RowFold::Products { .. }
            | RowFold::Bool(_) => {}
        }
    }

    /// Whether the rest of the row cannot change the result.
    ///
    /// # Safety
    /// As [`Reducer::begin_along`], which is called before it.
    pub(crate) unsafe fn is_known(&self, accumulators: &[*mut u8; MAX_PARTS]) -> bool {
        match &self.along {
            // SAFETY: the caller upholds this; the state is a boolean.
            RowFold::Bool(truths) => unsafe {
                truths.stops && (*accumulators[0] != 0) != truths.all
            },
            // SAFETY: the caller upholds this; the state is a boolean, if there is a best one, and a position.
            RowFold::Locate { best: Some(best), .. } => unsafe {
                *accumulators[1].cast::<i64>() != NOT_FOUND && (*accumulators[0] != 0) == *best
            },
            RowFold::Accumulators
            | RowFold::Locate { best: None, .. }
            | RowFold::Unordered { .. }
            | RowFold::Products { .. } => false,
        }
    }

    /// Writes the state of a run that is skipped, since an earlier run has the result: it changes no state that it is combined with.
    /// [`Reducer::stops`] holds.
    ///
    /// # Safety
    /// As [`Reducer::begin_along`].
    pub(crate) unsafe fn skip_along(&self, accumulators: &[*mut u8; MAX_PARTS]) {
        match &self.along {
            // SAFETY: the caller upholds this; the state is a boolean.
            RowFold::Bool(truths) => unsafe { *accumulators[0] = u8::from(!truths.all) },
            // SAFETY: the caller upholds this; the state is a boolean and a position. Of equal values the earlier one counts.
            RowFold::Locate { best: Some(best), .. } => unsafe {
                *accumulators[0] = u8::from(*best);
                accumulators[1].cast::<i64>().write(i64::MAX);
            },
            RowFold::Accumulators
            | RowFold::Locate { best: None, .. }
            | RowFold::Unordered { .. }
            | RowFold::Products { .. } => unreachable!("every value counts"),
        }
    }

    /// As [`Reducer::fold`], for values whose positions in the row start at `position`. It reads only the
    /// values of [`Reducer::read_along`]. [`Reducer::begin_along`] is called before it and
    /// [`Reducer::gather_along`] after the last call.
    ///
    /// # Safety
    /// As [`Reducer::fold`].
    pub(crate) unsafe fn fold_along(
        &self,
        accumulators: &[*mut u8; MAX_PARTS],
        values: &[*mut u8; MAX_PARTS],
        count: usize,
        filled: usize,
        temporary: *mut u8,
        position: usize,
    ) -> usize {
        let done = if filled < ACCUMULATORS { count.min(ACCUMULATORS) } else { 0 };
        match &self.along {
            // SAFETY: the caller upholds this.
            RowFold::Accumulators => unsafe {
                return self.fold(accumulators, values, count, filled, temporary);
            },
            // One accumulator suffices for a result that does not depend on order.
            RowFold::Locate { locate, .. } => {
                let position = position as i64;
                // SAFETY: the caller upholds this; the second part of such a state is an i64.
                unsafe {
                    if *accumulators[1].cast::<i64>() == NOT_FOUND {
                        std::ptr::copy_nonoverlapping(
                            values[0],
                            accumulators[0],
                            self.types[0].size(),
                        );
                        accumulators[1].cast::<i64>().write(position);
                    }
                    locate(accumulators, values[0], count, position);
                }
            }
            RowFold::Unordered { fold, sums } => {
                let size = self.types[0].size();
                // SAFETY: the caller upholds this.
                unsafe {
                    match (filled, sums) {
                        (0, true) => accumulators[0].write_bytes(0, size),
                        (0, false) => values[0].copy_to_nonoverlapping(accumulators[0], size),
                        _ => {}
                    }
                    fold(accumulators[0], [values[0].cast_const(); 3], count);
                }
            }
            RowFold::Bool(BoolFold { exists, search, all, .. }) => {
                let mut found = 0;
                let search: *const Search = search;
                let args = [values[0].cast_const(), values[1].cast_const(), search.cast()];
                // SAFETY: the caller upholds this; the state is a boolean.
                unsafe {
                    exists(&raw mut found, args, count);
                    if found != 0 {
                        *accumulators[0] = u8::from(!all);
                    }
                }
            }
            RowFold::Products { multiply, fold, .. } => {
                let factors = |first: usize| {
                    let first = first * self.types[0].size();
                    [values[0], values[1], std::ptr::null_mut()]
                        .map(|factor| factor.wrapping_add(first).cast_const())
                };
                // SAFETY: the caller upholds this; the lanes are full before the second loop.
                unsafe {
                    if done > 0 {
                        multiply(accumulators[0], factors(0), done);
                    }
                    if done < count {
                        fold(accumulators[0], factors(done), count - done);
                    }
                }
            }
        }
        filled.max(done)
    }

    /// Combines the result of [`Reducer::fold_along`] into accumulator 0.
    ///
    /// # Safety
    /// As [`Reducer::gather`] with one row.
    pub(crate) unsafe fn gather_along(
        &self,
        accumulators: &[*mut u8; MAX_PARTS],
        filled: usize,
        temporary: *mut u8,
    ) {
        match &self.along {
            RowFold::Locate { .. } | RowFold::Unordered { .. } | RowFold::Bool(_) => {}
            RowFold::Accumulators | RowFold::Products { .. } => {
                // SAFETY: the caller upholds this.
                unsafe { self.gather(accumulators, filled, 1, temporary) };
            }
        }
    }
}
