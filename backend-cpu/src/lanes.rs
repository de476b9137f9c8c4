//! States of reductions in lanes: folding blocks into them and combining them, as the plan says.

use ndany_core::plan::CHUNK;
use ndany_core::program::{Combine, Domain, Instr, Op, Prim, Program, Reduction, Reg, Ty};
use smallvec::SmallVec;

use crate::code::{Combining, Kind, Ready};
use crate::loops::{LANES, Level, LocateFn, LoopFn, Loops};
use crate::memory::{ALIGN, Scratch};
use crate::walk::splat;

/// A reduction made ready.
#[derive(Debug)]
pub(crate) struct Reducer {
    pub(crate) lifted: SmallVec<[u16; 4]>,
    /// Type of each register of the state.
    pub(crate) types: SmallVec<[Ty; 4]>,
    combining: Combining,
    along: Along,
}

/// How values are folded along a row, where there is a quicker way to the same bits than lane by lane.
#[derive(Debug)]
enum Along {
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
struct Truths {
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

/// Widest state of any reduction, in registers.
pub(crate) const MAX_PARTS: usize = 4;
/// Position of a best of nothing.
const NOWHERE: i64 = -1;

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

/// The reduction of one row whose values come block by block.
#[derive(Debug)]
pub(crate) struct Streaming<'r> {
    reducer: &'r Reducer,
    /// Holds what the pointers below point to.
    _scratch: Scratch,
    lanes: [*mut u8; MAX_PARTS],
    chunks: [*mut u8; MAX_PARTS],
    temporary: *mut u8,
    /// Lanes that hold something, values of the chunk so far, chunks complete.
    filled: usize,
    values: usize,
    complete: usize,
}

impl<'r> Streaming<'r> {
    /// For rows of up to `row` values.
    pub(crate) fn new(reducer: &'r Reducer, row: usize) -> Self {
        let chunk_bytes = (row.div_ceil(CHUNK) * 8).next_multiple_of(ALIGN);
        let part_bytes = LANES * 8 + chunk_bytes;
        let scratch = Scratch::new(reducer.parts() * part_bytes + reducer.temporaries(LANES));
        let start = scratch.address();
        let mut lanes = [std::ptr::null_mut(); MAX_PARTS];
        let mut chunks = lanes;
        for part in 0..reducer.parts() {
            lanes[part] = start.wrapping_add(part * part_bytes);
            chunks[part] = lanes[part].wrapping_add(LANES * 8);
        }
        let temporary = start.wrapping_add(reducer.parts() * part_bytes);
        Self {
            reducer,
            _scratch: scratch,
            lanes,
            chunks,
            temporary,
            filled: 0,
            values: 0,
            complete: 0,
        }
    }

    /// Where the result is after [`Streaming::finish`].
    pub(crate) fn result(&self) -> [*mut u8; MAX_PARTS] {
        self.chunks
    }

    /// Takes the next `count` values of each part; all blocks of a row but the last are multiples of
    /// LANES and divide a chunk.
    ///
    /// # Safety
    /// Each pointer of a part is aligned and good for `count` values of its type.
    pub(crate) unsafe fn feed(&mut self, values: &[*mut u8; MAX_PARTS], count: usize) {
        // SAFETY: the caller's promise; lanes and temporaries are this value's own.
        self.filled =
            unsafe { self.reducer.fold(&self.lanes, values, count, self.filled, self.temporary) };
        self.values += count;
        if self.values == CHUNK {
            self.close();
        }
    }

    /// Completes a chunk.
    fn close(&mut self) {
        let state = self.reducer.offset(&self.chunks, self.complete);
        // SAFETY: all memory is this value's own, laid out in `new`.
        unsafe {
            self.reducer.gather(&self.lanes, self.filled, 1, self.temporary);
            self.reducer.copy(&self.lanes, &state, 1);
        }
        (self.filled, self.values) = (0, 0);
        self.complete += 1;
    }

    /// Completes the row and makes ready for the next.
    pub(crate) fn finish(&mut self) {
        if self.values > 0 {
            self.close();
        }
        let count = self.complete;
        self.complete = 0;
        // SAFETY: as in `close`.
        unsafe { self.reducer.reduce_states(&self.chunks, count, &self.lanes, self.temporary) };
    }
}
