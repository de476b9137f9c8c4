//! States of reductions in the plan's accumulators: folding blocks of values into them, and combining them.

mod along;
mod streaming;

use ndany_core::plan::CHUNK;
use ndany_core::program::{Combine, Fault, Prim, Reduction, RegType};
use smallvec::SmallVec;

use crate::compiled::{CompiledCombine, CompiledInstr, Kind};
use crate::gathered::power;
use crate::loops::{ACCUMULATORS, Level, LoopFn, Loops};
use crate::strided_cursor::splat;
use along::RowFold;

pub(crate) use streaming::Streaming;

/// A compiled reduction.
#[derive(Debug)]
pub(crate) struct Reducer {
    pub(crate) lifted: SmallVec<[u16; 4]>,
    /// Type of each register of the state.
    pub(crate) types: SmallVec<[RegType; 4]>,
    combining: CompiledCombine,
    along: RowFold,
}

/// Maximum number of registers of a reduction's state.
pub(crate) const MAX_PARTS: usize = 4;

/// Bytes of a body's temporaries, for blocks of `width` values.
fn body_bytes(instrs: &[CompiledInstr], width: usize) -> usize {
    instrs.len() * width * 8
}

impl Reducer {
    pub(crate) fn new(
        reduction: &Reduction,
        types: impl Iterator<Item = RegType>,
        level: Level,
    ) -> Self {
        let types: SmallVec<[RegType; 4]> = types.collect();
        let combining = CompiledCombine::new(&reduction.combine, types[0], level);
        let lifted = reduction.lifted.iter().copied().collect();
        Self { lifted, types, combining, along: RowFold::Accumulators }
    }

    /// The loop that adds several rows at a time. Only sums of floats with one register have it.
    pub(crate) fn sum_of_rows(&self, reduction: &Reduction, level: Level) -> Option<LoopFn> {
        let sums = matches!(reduction.combine, Combine::Prim(Prim::Add)) && self.parts() == 1;
        (sums && self.types[0].is_float()).then(|| level.sum_of_rows(self.types[0]))
    }

    /// Whether the result has the same bits in every order of the values (except which NaN it is).
    pub(crate) fn is_order_free(&self) -> bool {
        let whole = self.types.iter().all(|ty| !ty.is_float());
        matches!(&self.combining, CompiledCombine::Prim { unordered, .. } if whole || unordered.is_some())
    }

    /// How values are folded along a row.
    pub(crate) fn row_fold(&self) -> &RowFold {
        &self.along
    }

    /// Number of registers of the state.
    pub(crate) fn parts(&self) -> usize {
        self.types.len()
    }

    /// Bytes of temporaries that [`Reducer::combine`] needs for blocks of `width` values.
    pub(crate) fn temporaries(&self, width: usize) -> usize {
        match &self.combining {
            CompiledCombine::Prim { .. } | CompiledCombine::Known(_) => 0,
            CompiledCombine::Body { instrs, .. } => body_bytes(instrs, width),
        }
    }

    /// `left[i] = combine(left[i], right[i])` for `count` states. Returns whether an element failed. The
    /// right side may have more registers than the state; the body then takes these as arguments too.
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
    ) -> Fault {
        let mut failed = false;
        match &self.combining {
            CompiledCombine::Prim { accumulate, .. } => {
                for part in 0..self.parts() {
                    let args = [right[part].cast_const(), std::ptr::null(), std::ptr::null()];
                    // SAFETY: the caller upholds this.
                    failed |= unsafe { accumulate(left[part], args, count) };
                }
            }
            // SAFETY: the caller upholds this.
            CompiledCombine::Known(known) => unsafe {
                (known.combine)(left, right, count, known.flips)
            },
            CompiledCombine::Body { instrs, results } => {
                let mut registers: SmallVec<[*mut u8; 32]> = SmallVec::new();
                for (position, compiled) in instrs.iter().enumerate() {
                    // SAFETY: the temporaries hold `count` values of 8 bytes for each instruction.
                    let out = unsafe { temporary.add(position * count * 8) };
                    registers.push(match compiled.kind {
                        Kind::Argument(argument) => {
                            let argument = usize::from(argument);
                            let parts = self.parts();
                            let moves = |(part, &result): (usize, &u16)| {
                                usize::from(result) == position && part != argument
                            };
                            match argument.checked_sub(parts) {
                                Some(argument) => right[argument],
                                // A value that another part of the state takes is kept until it is read.
                                None if results.iter().enumerate().any(moves) => {
                                    let size = compiled.ty.size();
                                    // SAFETY: as above, of `count` values of the state.
                                    unsafe {
                                        std::ptr::copy_nonoverlapping(
                                            left[argument],
                                            out,
                                            count * size,
                                        );
                                    }
                                    out
                                }
                                None => left[argument],
                            }
                        }
                        Kind::Const(bits) => {
                            // SAFETY: as above.
                            unsafe { splat(out, compiled.ty.size(), bits, count) };
                            out
                        }
                        Kind::Step(run) => {
                            let args = compiled.args.map(|arg| {
                                registers
                                    .get(usize::from(arg))
                                    .map_or(std::ptr::null(), |reg| reg.cast_const())
                            });
                            // SAFETY: as above; the arguments are earlier registers.
                            failed |= unsafe { run(out, args, count) };
                            out
                        }
                        Kind::Load { .. }
                        | Kind::Scalar(_)
                        | Kind::Index
                        | Kind::Word { .. }
                        | Kind::Fused(_)
                        | Kind::Gather { .. }
                        | Kind::BoundsCheck { .. }
                        | Kind::Loop(_)
                        | Kind::Table(_)
                        | Kind::LoopState { .. }
                        | Kind::Reduced { .. } => {
                            unreachable!("a body has arguments and steps")
                        }
                    });
                }
                // All results are computed before the first is written: a result may be an argument of
                // another.
                for (part, &result) in results.iter().enumerate() {
                    let (from, size) = (registers[usize::from(result)], self.types[part].size());
                    if from == left[part] {
                        continue;
                    }
                    // SAFETY: as above. No result is a part of the left state but that which it becomes.
                    unsafe { std::ptr::copy(from, left[part], count * size) };
                }
            }
        }
        power(failed)
    }

    /// Folds `count` values of each part into the accumulators, of which the first `filled` hold a value.
    /// Value 0 goes to accumulator 0. Returns how many accumulators hold a value afterwards.
    ///
    /// # Safety
    /// As [`Reducer::combine`], with ACCUMULATORS values in each accumulator array and `count` in each value
    /// array.
    pub(crate) unsafe fn fold(
        &self,
        accumulators: &[*mut u8; MAX_PARTS],
        values: &[*mut u8; MAX_PARTS],
        count: usize,
        filled: usize,
        temporary: *mut u8,
    ) -> usize {
        let mut done = 0;
        if filled < ACCUMULATORS {
            // The first run of a chunk initializes the accumulators.
            debug_assert_eq!(filled, 0, "a run starts at accumulator 0 of a fresh chunk");
            done = count.min(ACCUMULATORS);
            for (part, ty) in self.types.iter().enumerate() {
                // SAFETY: the caller upholds this.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        values[part],
                        accumulators[part],
                        done * ty.size(),
                    )
                };
            }
        }
        let filled = filled.max(done);
        match &self.combining {
            CompiledCombine::Prim { fold, .. } if done < count => {
                for (part, ty) in self.types.iter().enumerate() {
                    // SAFETY: the caller upholds this; the accumulators are full, as more than ACCUMULATORS
                    // values came before.
                    unsafe {
                        let rest = values[part].add(done * ty.size()).cast_const();
                        fold(
                            accumulators[part],
                            [rest, std::ptr::null(), std::ptr::null()],
                            count - done,
                        );
                    }
                }
            }
            CompiledCombine::Known(known) if done < count => {
                // SAFETY: the caller upholds this; as above.
                unsafe {
                    let rest = self.offset(values, done);
                    (known.fold)(accumulators, &rest, count - done, known.flips);
                }
            }
            CompiledCombine::Prim { .. } | CompiledCombine::Known(_) => {}
            CompiledCombine::Body { .. } => {
                while done < count {
                    let run = (count - done).min(ACCUMULATORS);
                    let right = self.offset(values, done);
                    // SAFETY: the caller upholds this.
                    unsafe { self.combine(accumulators, &right, run, temporary) };
                    done += run;
                }
            }
        }
        filled
    }

    /// Reduces `count` states by the canonical plan into the first of them.
    ///
    /// # Safety
    /// As [`Reducer::fold`], with `count` values in each array of `states`.
    pub(crate) unsafe fn reduce_states(
        &self,
        states: &[*mut u8; MAX_PARTS],
        mut count: usize,
        accumulators: &[*mut u8; MAX_PARTS],
        temporary: *mut u8,
    ) {
        while count > 1 {
            for chunk in 0..count.div_ceil(CHUNK) {
                let values = self.offset(states, chunk * CHUNK);
                let size = CHUNK.min(count - chunk * CHUNK);
                // SAFETY: the caller upholds this; state `chunk` is written after every state up to and
                // including it has been read.
                unsafe {
                    let filled = self.fold(accumulators, &values, size, 0, temporary);
                    self.gather(accumulators, filled, 1, temporary);
                    self.copy(accumulators, &self.offset(states, chunk), 1);
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
            // SAFETY: the caller upholds this.
            unsafe { std::ptr::copy_nonoverlapping(from[part], to[part], count * ty.size()) };
        }
    }

    /// The pointers of a state array, advanced by `elements`.
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

    /// Combines the accumulators that hold a value into accumulator 0, as a tree. Each accumulator is `width`
    /// states, one for each of that many adjacent rows.
    ///
    /// # Safety
    /// As [`Reducer::combine`], with `filled * width` values in each accumulator array and temporaries for
    /// ACCUMULATORS.
    pub(crate) unsafe fn gather(
        &self,
        accumulators: &[*mut u8; MAX_PARTS],
        filled: usize,
        width: usize,
        temporary: *mut u8,
    ) {
        if let CompiledCombine::Prim { tree_fold: Some(tree_fold), .. } = &self.combining
            && filled == ACCUMULATORS
            && width == 1
        {
            for accumulators in &accumulators[..self.parts()] {
                // SAFETY: the caller upholds this.
                unsafe { tree_fold(*accumulators, [std::ptr::null(); 3], ACCUMULATORS) };
            }
            return;
        }
        let mut step = ACCUMULATORS / 2;
        while step > 0 {
            if filled > step {
                let count = step.min(filled - step);
                // At most ACCUMULATORS states at a time, so that temporaries stay small however wide an
                // accumulator is.
                let mut done = 0;
                while done < count * width {
                    let piece = (count * width - done).min(ACCUMULATORS);
                    let left = self.offset(accumulators, done);
                    let right = self.offset(accumulators, step * width + done);
                    // SAFETY: the caller upholds this; accumulators below `step` and from `step` on do not
                    // overlap.
                    unsafe { self.combine(&left, &right, piece, temporary) };
                    done += piece;
                }
            }
            step /= 2;
        }
    }
}
