//! Faster folds along a row with the same bits: one accumulator for results that do not depend on order, early
//! exit when the result is known, and products that are not stored.

use std::fmt;

use ndany_core::program::{Combine, Domain, Op, Prim, Program, Reduction, Reg, RegType};

use super::{MAX_PARTS, Reducer};
use crate::compiled::CompiledCombine;
use crate::loops::{ACCUMULATORS, Level, LocateFn, LoopFn, Loops};

/// Position of an extremum of no values.
const NOT_FOUND: i64 = -1;

/// How values are folded along a row.
pub(crate) enum RowFold {
    /// By the plan's accumulators.
    Accumulators,
    /// Position of an extremum: the second register of the state is the position in the row, which is not
    /// computed for each element.
    Locate(LocateFn),
    /// Any order gives the same bits: one accumulator.
    Extreme(LoopFn),
    /// A sum of products of these registers; the products are not stored.
    Products { factors: [Reg; 2], multiply: LoopFn, fold: LoopFn },
    /// A conjunction or disjunction of booleans.
    Bool(BoolFold),
}

impl fmt::Debug for RowFold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RowFold::Accumulators => "Accumulators",
            RowFold::Locate(_) => "Locate",
            RowFold::Extreme(_) => "Extreme",
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
    /// Finds a pair whose comparison yields `counter`.
    exists: LoopFn,
    counter: bool,
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
        let varies = |&reg: &Reg| domains[usize::from(reg)] == Domain::Element;
        let stops = !program.fails();
        let [x, y, _] = instr(reg).args;
        let compared = match instr(reg).op {
            // What does not vary stands in a block as often as there are values.
            Op::Prim(prim) if [x, y].iter().any(varies) => level.exists(prim, instr(x).ty),
            _ => None,
        };
        match compared {
            Some(exists) => Some(Self { pair: [x, y], exists, counter, all, stops }),
            None => varies(&reg).then(|| Self {
                pair: [reg; 2],
                exists: level.any_true(),
                counter,
                all,
                stops,
            }),
        }
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
                Some(locate) if instr(self.lifted[1]).op == Op::Index => RowFold::Locate(locate),
                _ => RowFold::Accumulators,
            },
            &CompiledCombine::Prim { extreme: Some(extreme), .. } if self.parts() == 1 => {
                RowFold::Extreme(extreme)
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
            RowFold::Locate(_) => &self.lifted[..1],
            RowFold::Products { factors, .. } => factors,
            RowFold::Bool(truths) => &truths.pair,
            RowFold::Accumulators | RowFold::Extreme(_) => &self.lifted,
        }
    }

    /// Starts a chunk of a row. With `follows`, the accumulators hold the state after the chunk before, and a
    /// chunk without a better value keeps it.
    ///
    /// # Safety
    /// As [`Reducer::fold`].
    pub(crate) unsafe fn begin_along(&self, accumulators: &[*mut u8; MAX_PARTS], follows: bool) {
        match &self.along {
            RowFold::Locate(_) if !follows => {
                // SAFETY: the caller upholds this; the second part of such a state is an i64.
                unsafe { accumulators[1].cast::<i64>().write(NOT_FOUND) };
            }
            // SAFETY: the caller upholds this; the state is a boolean.
            RowFold::Bool(BoolFold { all, .. }) if !follows => unsafe {
                *accumulators[0] = u8::from(*all)
            },
            RowFold::Locate(_)
            | RowFold::Accumulators
            | RowFold::Extreme(_)
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
            RowFold::Accumulators
            | RowFold::Locate(_)
            | RowFold::Extreme(_)
            | RowFold::Products { .. } => false,
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
            RowFold::Locate(locate) => {
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
            RowFold::Extreme(extreme) => {
                // SAFETY: the caller upholds this.
                unsafe {
                    if filled == 0 {
                        std::ptr::copy_nonoverlapping(
                            values[0],
                            accumulators[0],
                            self.types[0].size(),
                        );
                    }
                    extreme(accumulators[0], [values[0].cast_const(); 3], count);
                }
            }
            RowFold::Bool(BoolFold { exists, counter, all, .. }) => {
                let (mut found, counter) = (0, u8::from(*counter));
                let args = [values[0].cast_const(), values[1].cast_const(), &raw const counter];
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
            RowFold::Locate(_) | RowFold::Extreme(_) | RowFold::Bool(_) => {}
            RowFold::Accumulators | RowFold::Products { .. } => {
                // SAFETY: the caller upholds this.
                unsafe { self.gather(accumulators, filled, 1, temporary) };
            }
        }
    }
}
