//! States of reductions in lanes: folding blocks into them and combining them, as the plan says.

mod along;
mod streaming;

use ndany_core::plan::CHUNK;
use ndany_core::program::{Combine, Prim, Reduction, Ty};
use smallvec::SmallVec;

use crate::code::{Combining, Kind, Ready};
use crate::loops::{LANES, Level, LoopFn, Loops};
use crate::walk::splat;
use along::Along;

pub(crate) use streaming::Streaming;

/// A reduction made ready.
#[derive(Debug)]
pub(crate) struct Reducer {
    pub(crate) lifted: SmallVec<[u16; 4]>,
    /// Type of each register of the state.
    pub(crate) types: SmallVec<[Ty; 4]>,
    combining: Combining,
    along: Along,
}

/// Widest state of any reduction, in registers.
pub(crate) const MAX_PARTS: usize = 4;

/// Bytes that a body's temporaries take, for blocks of `width` values.
fn body_bytes(instrs: &[Ready], width: usize) -> usize {
    instrs.len() * width * 8
}

impl Reducer {
    pub(crate) fn new(
        reduction: &Reduction,
        types: impl Iterator<Item = Ty>,
        level: Level,
    ) -> Self {
        let types: SmallVec<[Ty; 4]> = types.collect();
        let combining = Combining::new(&reduction.combine, types[0], level);
        let lifted = reduction.lifted.iter().copied().collect();
        Self { lifted, types, combining, along: Along::Lanes }
    }

    /// The loop that adds several rows at a time, where that is how states combine.
    pub(crate) fn sum_of_rows(&self, reduction: &Reduction, level: Level) -> Option<LoopFn> {
        let sums = matches!(reduction.combine, Combine::Prim(Prim::Add)) && self.parts() == 1;
        (sums && self.types[0].is_float()).then(|| level.sum_of_rows(self.types[0]))
    }

    /// Is the result the same, to the last bit (but for which NaN it is), in whatever order values come?
    pub(crate) fn in_any_order(&self) -> bool {
        let whole = self.types.iter().all(|ty| !ty.is_float());
        matches!(&self.combining, Combining::Prim { extreme, .. } if whole || extreme.is_some())
    }

    /// Registers of the state.
    pub(crate) fn parts(&self) -> usize {
        self.types.len()
    }

    /// Bytes of temporaries that [`Reducer::combine`] needs for blocks of `width` values.
    pub(crate) fn temporaries(&self, width: usize) -> usize {
        match &self.combining {
            Combining::Prim { .. } | Combining::Known(_) => 0,
            Combining::Body { instrs, .. } => body_bytes(instrs, width),
        }
    }

    /// `left[i] = combine(left[i], right[i])` for `count` states; returns whether one had no answer. The
    /// right side may have more registers than the state, which the body then takes as arguments too.
    ///
    /// # Safety
    /// Each pointer of a part is aligned and good for `count` values of its type, `temporary` for
    /// [`Reducer::temporaries`] bytes of `count`; left, right and temporary do not overlap.
    pub(crate) unsafe fn combine(
        &self,
        left: &[*mut u8; MAX_PARTS],
        right: &[*mut u8; MAX_PARTS],
        count: usize,
        temporary: *mut u8,
    ) -> bool {
        let mut fault = false;
        match &self.combining {
            Combining::Prim { accumulate, .. } => {
                for part in 0..self.parts() {
                    let args = [right[part].cast_const(), std::ptr::null(), std::ptr::null()];
                    // SAFETY: the caller's promise.
                    fault |= unsafe { accumulate(left[part], args, count) };
                }
            }
            // SAFETY: the caller's promise.
            Combining::Known(known) => unsafe { (known.combine)(left, right, count) },
            Combining::Body { instrs, results } => {
                let mut registers: SmallVec<[*mut u8; 32]> = SmallVec::new();
                for (position, ready) in instrs.iter().enumerate() {
                    // SAFETY: the temporaries hold `count` values of 8 bytes for each instruction.
                    let out = unsafe { temporary.add(position * count * 8) };
                    registers.push(match ready.kind {
                        Kind::Argument(argument) => {
                            let argument = usize::from(argument);
                            let parts = self.parts();
                            if argument < parts { left[argument] } else { right[argument - parts] }
                        }
                        Kind::Const(bits) => {
                            // SAFETY: as above.
                            unsafe { splat(out, ready.ty.size(), bits, count) };
                            out
                        }
                        Kind::Step(run) => {
                            let args = ready.args.map(|arg| {
                                registers
                                    .get(usize::from(arg))
                                    .map_or(std::ptr::null(), |reg| reg.cast_const())
                            });
                            // SAFETY: as above; the arguments are earlier registers.
                            fault |= unsafe { run(out, args, count) };
                            out
                        }
                        Kind::Load { .. }
                        | Kind::Scalar(_)
                        | Kind::Index
                        | Kind::Word { .. }
                        | Kind::Fused(_)
                        | Kind::Reduced { .. } => {
                            unreachable!("a body has arguments and steps")
                        }
                    });
                }
                // All results before the first is written: one may be an argument of another.
                for (part, &result) in results.iter().enumerate() {
                    let (from, size) = (registers[usize::from(result)], self.types[part].size());
                    if from == left[part] {
                        continue;
                    }
                    // SAFETY: as above. A result that is an argument is copied over the left state only
                    // where no later part reads it, since bodies return computed values.
                    unsafe { std::ptr::copy(from, left[part], count * size) };
                }
            }
        }
        fault
    }

    /// Folds `count` values of each part into the lanes, of which the first `filled` hold something;
    /// values start at lane 0. Returns how many lanes hold something then.
    ///
    /// # Safety
    /// As [`Reducer::combine`], with LANES values in each lane array and `count` in each value array.
    pub(crate) unsafe fn fold(
        &self,
        lanes: &[*mut u8; MAX_PARTS],
        values: &[*mut u8; MAX_PARTS],
        count: usize,
        filled: usize,
        temporary: *mut u8,
    ) -> usize {
        let mut done = 0;
        if filled < LANES {
            // The first run of a chunk: lanes start from their first element.
            debug_assert_eq!(filled, 0, "a run starts at lane 0 of a fresh chunk");
            done = count.min(LANES);
            for (part, ty) in self.types.iter().enumerate() {
                // SAFETY: the caller's promise.
                unsafe {
                    std::ptr::copy_nonoverlapping(values[part], lanes[part], done * ty.size())
                };
            }
        }
        let filled = filled.max(done);
        match &self.combining {
            Combining::Prim { fold, .. } if done < count => {
                for (part, ty) in self.types.iter().enumerate() {
                    // SAFETY: the caller's promise; lanes are full, as more than LANES values came before.
                    unsafe {
                        let rest = values[part].add(done * ty.size()).cast_const();
                        fold(lanes[part], [rest, std::ptr::null(), std::ptr::null()], count - done);
                    }
                }
            }
            Combining::Known(known) if done < count => {
                // SAFETY: the caller's promise; as above.
                unsafe { (known.fold)(lanes, &self.offset(values, done), count - done) };
            }
            Combining::Prim { .. } | Combining::Known(_) => {}
            Combining::Body { .. } => {
                while done < count {
                    let run = (count - done).min(LANES);
                    let right = self.offset(values, done);
                    // SAFETY: the caller's promise.
                    unsafe { self.combine(lanes, &right, run, temporary) };
                    done += run;
                }
            }
        }
        filled
    }

    /// Reduces `count` states, by the plan, into the first of them.
    ///
    /// # Safety
    /// As [`Reducer::fold`], with `count` values in each array of `states`.
    pub(crate) unsafe fn reduce_states(
        &self,
        states: &[*mut u8; MAX_PARTS],
        mut count: usize,
        lanes: &[*mut u8; MAX_PARTS],
        temporary: *mut u8,
    ) {
        while count > 1 {
            for chunk in 0..count.div_ceil(CHUNK) {
                let values = self.offset(states, chunk * CHUNK);
                let size = CHUNK.min(count - chunk * CHUNK);
                // SAFETY: the caller's promise; place `chunk` is written after every state up to and
                // past it has been read.
                unsafe {
                    let filled = self.fold(lanes, &values, size, 0, temporary);
                    self.gather(lanes, filled, 1, temporary);
                    self.copy(lanes, &self.offset(states, chunk), 1);
                }
            }
            count = count.div_ceil(CHUNK);
        }
    }

    /// Copies `count` states.
    ///
    /// # Safety
    /// Each pointer of a part is good for `count` values of its type, without overlap.
    pub(crate) unsafe fn copy(
        &self,
        from: &[*mut u8; MAX_PARTS],
        to: &[*mut u8; MAX_PARTS],
        count: usize,
    ) {
        for (part, ty) in self.types.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { std::ptr::copy_nonoverlapping(from[part], to[part], count * ty.size()) };
        }
    }

    /// The pointers of a state array, `elements` further on.
    pub(crate) fn offset(
        &self,
        states: &[*mut u8; MAX_PARTS],
        elements: usize,
    ) -> [*mut u8; MAX_PARTS] {
        let mut moved = *states;
        for (pointer, ty) in moved.iter_mut().zip(&self.types) {
            *pointer = pointer.wrapping_add(elements * ty.size());
        }
        moved
    }

    /// Combines the lanes that hold something into lane 0, by halves. Each lane is `width` states, for
    /// as many rows side by side.
    ///
    /// # Safety
    /// As [`Reducer::combine`], with `filled * width` values in each lane array and temporaries for
    /// LANES.
    pub(crate) unsafe fn gather(
        &self,
        lanes: &[*mut u8; MAX_PARTS],
        filled: usize,
        width: usize,
        temporary: *mut u8,
    ) {
        if let Combining::Prim { halves: Some(halves), .. } = &self.combining
            && filled == LANES
            && width == 1
        {
            for lanes in &lanes[..self.parts()] {
                // SAFETY: the caller's promise.
                unsafe { halves(*lanes, [std::ptr::null(); 3], LANES) };
            }
            return;
        }
        let mut step = LANES / 2;
        while step > 0 {
            if filled > step {
                let count = step.min(filled - step);
                // In pieces, so that temporaries stay small however wide a lane is.
                let mut done = 0;
                while done < count * width {
                    let piece = (count * width - done).min(LANES);
                    let left = self.offset(lanes, done);
                    let right = self.offset(lanes, step * width + done);
                    // SAFETY: the caller's promise; lanes below and from `step` on do not overlap.
                    unsafe { self.combine(&left, &right, piece, temporary) };
                    done += piece;
                }
            }
            step /= 2;
        }
    }
}
