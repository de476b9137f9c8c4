//! How values are folded along a row where there is a quicker way to the same bits than lane by lane: one lane for what has
//! the same answer in every order, an end as soon as the answer is known, and products that nobody writes.

use ndany_core::program::{Combine, Domain, Instr, Op, Prim, Program, Reduction, Reg, Ty};

use super::{MAX_PARTS, Reducer};
use crate::code::Combining;
use crate::loops::{LANES, Level, LocateFn, LoopFn, Loops};

/// Position of a best of nothing.
const NOWHERE: i64 = -1;

/// How values are folded along a row, where there is a quicker way to the same bits than lane by lane.
#[derive(Debug)]
pub(super) enum Along {
    /// There is none.
    Lanes,
    /// The second register of the state is the position in the row, which then need not be computed.
    Locate(LocateFn),
    /// Any order will do.
    Extreme(LoopFn),
    /// The values are products, which need not be written: of these registers, by these loops.
    Products { factors: [Reg; 2], multiply: LoopFn, fold: LoopFn },
    /// The result is `all`, as long as no value is the other truth value.
    Truths(Truths),
}

/// How truth values join along a row, until the result is known.
#[derive(Debug)]
pub(super) struct Truths {
    /// What is compared, where values are comparisons, which then need not be written; else the value, twice.
    pair: [Reg; 2],
    /// Finds a pair that compares as `counter`.
    exists: LoopFn,
    counter: bool,
    all: bool,
    /// May what comes after the answer be left out? Not what may have no answer itself.
    stops: bool,
}

impl Truths {
    fn of(program: &Program, reduction: &Reduction, level: Level) -> Option<Self> {
        let all = match reduction.combine {
            Combine::Prim(Prim::And) => true,
            Combine::Prim(Prim::Or) => false,
            _ => return None,
        };
        let instr = |reg: Reg| &program.instrs[usize::from(reg)];
        let (mut reg, mut counter) = (reduction.lifted[0], !all);
        if instr(reg).ty != Ty::Bool {
            return None;
        }
        while instr(reg).op == Op::Prim(Prim::Not) {
            (reg, counter) = (instr(reg).args[0], !counter);
        }
        let domains = program.domains();
        let varies = |&reg: &Reg| domains[usize::from(reg)] == Domain::Element;
        let stops = !program.instrs.iter().any(Instr::fails);
        let [x, y, _] = instr(reg).args;
        let compared = match instr(reg).op {
            Op::Prim(prim) if [x, y].iter().all(varies) => level.exists(prim, instr(x).ty),
            _ => None,
        };
        match compared {
            Some(exists) => Some(Self { pair: [x, y], exists, counter, all, stops }),
            None => varies(&reg).then(|| Self {
                pair: [reg; 2],
                exists: level.exists_truth(),
                counter,
                all,
                stops,
            }),
        }
    }
}

impl Reducer {
    /// Finds the quickest way along the rows of this reduction's program.
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
            Combining::Known(known) => match known.locate {
                Some(locate) if instr(self.lifted[1]).op == Op::Index => Along::Locate(locate),
                _ => Along::Lanes,
            },
            &Combining::Prim { extreme: Some(extreme), .. } if self.parts() == 1 => {
                Along::Extreme(extreme)
            }
            Combining::Prim { .. }
                if sums && value.ty.is_float() && value.op == Op::Prim(Prim::Mul) =>
            {
                let (domains, ty) = (program.domains(), value.ty);
                let factors = [value.args[0], value.args[1]];
                match factors.iter().all(|&reg| domains[usize::from(reg)] == Domain::Element) {
                    true => Along::Products {
                        factors,
                        multiply: level.step(&value.op, ty, ty),
                        fold: level.sum_of_products(ty),
                    },
                    false => Along::Lanes,
                }
            }
            Combining::Prim { .. } => {
                Truths::of(program, reduction, level).map_or(Along::Lanes, Along::Truths)
            }
            Combining::Body { .. } => Along::Lanes,
        };
        self
    }

    /// The registers that [`Reducer::fold_along`] reads.
    pub(crate) fn read_along(&self) -> &[Reg] {
        match &self.along {
            Along::Locate(_) => &self.lifted[..1],
            Along::Products { factors, .. } => factors,
            Along::Truths(truths) => &truths.pair,
            Along::Lanes | Along::Extreme(_) => &self.lifted,
        }
    }

    /// Begins a chunk along a row: `follows` says that the lanes hold what the chunk before left there. A best that is
    /// none in the row need not be found: the state may go on as it is.
    ///
    /// # Safety
    /// As [`Reducer::fold`].
    pub(crate) unsafe fn begin_along(&self, lanes: &[*mut u8; MAX_PARTS], follows: bool) {
        match &self.along {
            Along::Locate(_) if !follows => {
                // SAFETY: the caller's promise; the second part of such a state is an i64.
                unsafe { lanes[1].cast::<i64>().write(NOWHERE) };
            }
            // SAFETY: the caller's promise; the state is a truth value.
            Along::Truths(Truths { all, .. }) if !follows => unsafe { *lanes[0] = u8::from(*all) },
            Along::Locate(_)
            | Along::Lanes
            | Along::Extreme(_)
            | Along::Products { .. }
            | Along::Truths(_) => {}
        }
    }

    /// Does the rest of the row not matter any more?
    ///
    /// # Safety
    /// As [`Reducer::begin_along`], which went before it.
    pub(crate) unsafe fn is_known(&self, lanes: &[*mut u8; MAX_PARTS]) -> bool {
        match &self.along {
            // SAFETY: the caller's promise; the state is a truth value.
            Along::Truths(truths) => unsafe { truths.stops && (*lanes[0] != 0) != truths.all },
            Along::Lanes | Along::Locate(_) | Along::Extreme(_) | Along::Products { .. } => false,
        }
    }

    /// As [`Reducer::fold`], of values whose position in the row is `position` and on. Of the values only
    /// those of [`Reducer::read_along`] are read. [`Reducer::begin_along`] goes before it, and
    /// [`Reducer::gather_along`] completes it.
    ///
    /// # Safety
    /// As [`Reducer::fold`].
    pub(crate) unsafe fn fold_along(
        &self,
        lanes: &[*mut u8; MAX_PARTS],
        values: &[*mut u8; MAX_PARTS],
        count: usize,
        filled: usize,
        temporary: *mut u8,
        position: usize,
    ) -> usize {
        let done = if filled < LANES { count.min(LANES) } else { 0 };
        match &self.along {
            // SAFETY: the caller's promise.
            Along::Lanes => unsafe {
                return self.fold(lanes, values, count, filled, temporary);
            },
            // One lane is enough for what has the same answer in every order.
            Along::Locate(locate) => {
                let position = position as i64;
                // SAFETY: the caller's promise; the second part of such a state is an i64.
                unsafe {
                    if *lanes[1].cast::<i64>() == NOWHERE {
                        std::ptr::copy_nonoverlapping(values[0], lanes[0], self.types[0].size());
                        lanes[1].cast::<i64>().write(position);
                    }
                    locate(lanes, values[0], count, position);
                }
            }
            Along::Extreme(extreme) => {
                // SAFETY: the caller's promise.
                unsafe {
                    if filled == 0 {
                        std::ptr::copy_nonoverlapping(values[0], lanes[0], self.types[0].size());
                    }
                    extreme(lanes[0], [values[0].cast_const(); 3], count);
                }
            }
            Along::Truths(Truths { exists, counter, all, .. }) => {
                let (mut found, counter) = (0, u8::from(*counter));
                let args = [values[0].cast_const(), values[1].cast_const(), &raw const counter];
                // SAFETY: the caller's promise; the state is a truth value.
                unsafe {
                    exists(&raw mut found, args, count);
                    if found != 0 {
                        *lanes[0] = u8::from(!all);
                    }
                }
            }
            Along::Products { multiply, fold, .. } => {
                let factors = |first: usize| {
                    let first = first * self.types[0].size();
                    [values[0], values[1], std::ptr::null_mut()]
                        .map(|factor| factor.wrapping_add(first).cast_const())
                };
                // SAFETY: the caller's promise; the lanes are full before the second loop.
                unsafe {
                    if done > 0 {
                        multiply(lanes[0], factors(0), done);
                    }
                    if done < count {
                        fold(lanes[0], factors(done), count - done);
                    }
                }
            }
        }
        filled.max(done)
    }

    /// Combines what [`Reducer::fold_along`] left into lane 0.
    ///
    /// # Safety
    /// As [`Reducer::gather`] with one row.
    pub(crate) unsafe fn gather_along(
        &self,
        lanes: &[*mut u8; MAX_PARTS],
        filled: usize,
        temporary: *mut u8,
    ) {
        match &self.along {
            Along::Locate(_) | Along::Extreme(_) | Along::Truths(_) => {}
            Along::Lanes | Along::Products { .. } => {
                // SAFETY: the caller's promise.
                unsafe { self.gather(lanes, filled, 1, temporary) };
            }
        }
    }
}
