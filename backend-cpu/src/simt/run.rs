//! Runs the nodes of a kernel for the threads of a block.

use std::sync::atomic::{AtomicU64, Ordering};

use ndany_core::Result;
use ndany_core::program::{Fault, RegType};
use ndany_core::simt::{Builtin, Exchange, Place, position};

use super::LANES;
use super::access::{OUTSIDE, atomic};
use super::compile::{Compiled, Elements, Fill, Node, Operand, Slot};
use crate::memory::{ALIGN, Scratch};
use crate::strided_cursor::{bits, splat};

/// An array of a launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    pub(super) start: *mut u8,
    pub(super) extents: [usize; 3],
}

impl Array {
    /// Stands in for a number.
    pub(super) const NONE: Array = Array { start: std::ptr::null_mut(), extents: [0; 3] };
}

/// A launch: what all blocks share.
pub(super) struct Launched<'l> {
    pub(super) code: &'l Compiled,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) threads: usize,
    /// Both parts; of what is not complex the first counts.
    pub(super) scalars: &'l [[u64; 2]],
    pub(super) arrays: &'l [Array],
    pub(super) fault: &'l AtomicU64,
}

// SAFETY: the addresses are of arrays that the caller of the launch holds; each use of them states why it is allowed.
unsafe impl Sync for Launched<'_> {}

/// Why a thread of the block is not running.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    No = 0,
    Turn = 1,
    Loop = 2,
    Call = 3,
}

/// The threads for which statements run: 1 of each that does, and how many these are.
#[derive(Debug, Default)]
struct Mask {
    lanes: Vec<u8>,
    active: usize,
}

/// What a thread of the host runs blocks with.
pub(super) struct State<'l> {
    launched: &'l Launched<'l>,
    scratch: Scratch,
    /// Bytes of a slot.
    slot: usize,
    /// First byte of each shared array.
    shared: Vec<usize>,
    /// First byte of the linear positions of an access.
    positions: usize,
    left: Vec<u8>,
    /// How often threads have left something.
    leaves: usize,
    spare: Vec<Mask>,
}

impl<'l> Launched<'l> {
    /// What a thread of the host needs, with everything in it that does not depend on the block.
    pub(super) fn state(&'l self) -> Result<State<'l>> {
        let slot = (self.threads * 8).next_multiple_of(ALIGN);
        let mut bytes = self.code.slots * slot;
        let positions = bytes;
        bytes += slot;
        let mut shared = Vec::with_capacity(self.code.shared.len());
        for &size in &self.code.shared {
            shared.push(bytes);
            bytes += size.next_multiple_of(ALIGN);
        }
        let scratch = Scratch::new(bytes)?;
        // SAFETY: the scratch has this number of bytes. Registers of threads that do not run are read, too.
        unsafe { scratch.address().write_bytes(0, bytes) };
        let left = vec![Left::No as u8; self.threads];
        let state = State {
            launched: self,
            scratch,
            slot,
            shared,
            positions,
            left,
            leaves: 0,
            spare: Vec::new(),
        };
        for &(slot, ty, fill) in &self.code.fills {
            state.fill(slot, ty, fill);
        }
        Ok(state)
    }
}

impl State<'_> {
    fn at(&self, slot: Slot) -> *mut u8 {
        // SAFETY: the scratch has every slot.
        unsafe { self.scratch.address().add(slot as usize * self.slot) }
    }

    fn fill(&self, slot: Slot, ty: RegType, fill: Fill) {
        let Launched { threads, block: [x, y, _], .. } = *self.launched;
        let (out, size) = (self.at(slot), ty.size());
        let each = |value: &dyn Fn(usize) -> usize| {
            for lane in 0..threads {
                // SAFETY: a slot has room for a register of each thread.
                unsafe { out.cast::<u32>().add(lane).write(value(lane) as u32) };
            }
        };
        // SAFETY: as above.
        let all = |value: u64| unsafe { splat(out, size, value, threads) };
        let (x, y) = (x as usize, y as usize);
        match fill {
            Fill::Const(value) => all(value),
            Fill::Scalar(number, part) => {
                all(self.launched.scalars[usize::from(number)][usize::from(part)])
            }
            Fill::Builtin(builtin) => match builtin {
                Builtin::Thread(0) => each(&|lane| lane % x),
                Builtin::Thread(1) => each(&|lane| lane / x % y),
                Builtin::Thread(_) => each(&|lane| lane / x / y),
                Builtin::Block(_) => unreachable!("it is another for each block"),
                Builtin::BlockSize(axis) => all(u64::from(self.launched.block[usize::from(axis)])),
                Builtin::GridSize(axis) => all(u64::from(self.launched.grid[usize::from(axis)])),
                Builtin::Lanes => all(LANES as u64),
                Builtin::Lane => each(&|lane| lane % LANES),
                Builtin::Warp => each(&|lane| lane / LANES),
                Builtin::Extent { parameter, axis } => {
                    let array = &self.launched.arrays[usize::from(parameter)];
                    all(array.extents[usize::from(axis)] as u64);
                }
            },
        }
    }

    /// Runs a block of the launch.
    ///
    /// # Safety
    /// Elements below the extents of arrays lie in their memory; what the kernel writes is accessed by nothing else but
    /// other blocks of the launch.
    pub(super) unsafe fn run(&mut self, number: usize) {
        let [gx, gy, _] = self.launched.grid.map(|extent| extent as usize);
        let position = [number % gx, number / gx % gy, number / gx / gy];
        let threads = self.launched.threads;
        // SAFETY: variables have the first slots.
        unsafe { self.at(0).write_bytes(0, self.launched.code.variables * self.slot) };
        for &(slot, axis) in &self.launched.code.positions {
            let value = position[usize::from(axis)] as u64;
            // SAFETY: a slot has room for a register of each thread.
            unsafe { splat(self.at(slot), 4, value, threads) };
        }
        let mut live = self.mask();
        live.lanes.fill(1);
        live.active = threads;
        // SAFETY: the caller upholds this.
        unsafe { self.nodes(&self.launched.code.body, &mut live) };
        self.spare.push(live);
        self.left.fill(Left::No as u8);
    }

    /// A mask of no thread in particular.
    fn mask(&mut self) -> Mask {
        self.spare
            .pop()
            .unwrap_or_else(|| Mask { lanes: vec![0; self.launched.threads], active: 0 })
    }

    fn copy_of(&mut self, mask: &Mask) -> Mask {
        let mut copy = self.mask();
        copy.lanes.copy_from_slice(&mask.lanes);
        copy.active = mask.active;
        copy
    }

    /// The threads of a mask for which a condition holds, or does not.
    fn part(&mut self, mask: &Mask, condition: Slot, holds: bool) -> Mask {
        let mut part = self.mask();
        // SAFETY: a register of booleans is a byte for each thread, 0 or 1.
        let condition =
            unsafe { std::slice::from_raw_parts(self.at(condition), self.launched.threads) };
        let flip = u8::from(!holds);
        let mut active = 0;
        for ((out, &lane), &condition) in part.lanes.iter_mut().zip(&mask.lanes).zip(condition) {
            *out = lane & (condition ^ flip);
            active += usize::from(*out);
        }
        part.active = active;
        part
    }

    /// Drops threads that have left something.
    fn drop_left(&self, mask: &mut Mask) {
        let mut active = 0;
        for (lane, &left) in mask.lanes.iter_mut().zip(&self.left) {
            *lane &= u8::from(left == Left::No as u8);
            active += usize::from(*lane);
        }
        mask.active = active;
    }

    /// Threads of a mask leave something.
    fn leave(&mut self, mask: &mut Mask, what: Left) {
        for (left, lane) in self.left.iter_mut().zip(&mut mask.lanes) {
            if *lane != 0 {
                *left = what as u8;
                *lane = 0;
            }
        }
        mask.active = 0;
        self.leaves += 1;
    }

    /// Threads of a mask that have left something are back.
    fn back(&mut self, mask: &Mask, from: Left) {
        for (left, &lane) in self.left.iter_mut().zip(&mask.lanes) {
            if lane != 0 && *left == from as u8 {
                *left = Left::No as u8;
            }
        }
    }

    /// Runs nodes for the threads of a mask, which loses those that leave.
    ///
    /// # Safety
    /// As [`State::run`].
    unsafe fn nodes(&mut self, nodes: &[Node], live: &mut Mask) {
        for node in nodes {
            if live.active == 0 {
                return;
            }
            // SAFETY: the caller upholds this.
            unsafe { self.node(node, live) };
        }
    }

    /// # Safety
    /// As [`State::run`].
    unsafe fn node(&mut self, node: &Node, live: &mut Mask) {
        let threads = self.launched.threads;
        match node {
            Node::Step { run, out, args } => {
                let args = args.map(|arg| self.at(arg).cast_const());
                // SAFETY: slots hold a register of each thread, and that of the result is no argument's.
                unsafe { run(self.at(*out), args, threads) };
            }
            Node::Copy { from, to, size } => {
                // SAFETY: as above.
                unsafe { self.at(*to).copy_from_nonoverlapping(self.at(*from), threads * size) };
            }
            Node::Set { from, to, size } => {
                // SAFETY: as above.
                unsafe { set(self.at(*from), self.at(*to), *size, live, threads) };
            }
            Node::Load { out, elements } => {
                self.locate(elements, live);
                let positions = self.positions();
                // SAFETY: positions are below the extents; the caller upholds the rest.
                unsafe {
                    (elements.accesses.load)(
                        self.start(elements),
                        positions,
                        self.at(*out),
                        threads,
                    );
                }
            }
            Node::Store { value, elements } => {
                self.locate(elements, live);
                let (positions, mask) = (self.positions(), live.lanes.as_ptr());
                // SAFETY: as above.
                unsafe {
                    let (start, value) = (self.start(elements), self.at(*value));
                    (elements.accesses.store)(start, positions, value, mask, threads);
                }
            }
            Node::Atomic { out, op, value, expected, elements, dtype } => {
                self.locate(elements, live);
                let (start, positions) = (self.start(elements), self.positions());
                let (out, size) = (self.at(*out), elements.size);
                for (lane, _) in live.lanes.iter().enumerate().filter(|&(_, &lane)| lane != 0) {
                    // SAFETY: as above; elements and registers of these dtypes have one size.
                    unsafe {
                        let position = *positions.add(lane);
                        let [value, expected] = [*value, *expected]
                            .map(|slot| bits(self.at(slot).add(lane * size), size));
                        let was = match position {
                            OUTSIDE => 0,
                            _ => {
                                let at = start.add(position as usize * size);
                                atomic(at, *op, *dtype, value, expected)
                            }
                        };
                        splat(out.add(lane * size), size, was, 1);
                    }
                }
            }
            Node::Exchange { out, op, value, operand, size } => {
                // SAFETY: slots hold a register of each thread.
                unsafe { self.exchange(*out, *op, *value, *operand, *size) };
            }
            Node::If { condition, then, otherwise } => {
                let leaves = self.leaves;
                let mut within = self.part(live, *condition, true);
                let all = within.active == live.active;
                if within.active > 0 {
                    // SAFETY: the caller upholds this.
                    unsafe { self.nodes(then, &mut within) };
                }
                self.spare.push(within);
                if !all && !otherwise.is_empty() {
                    let mut within = self.part(live, *condition, false);
                    // SAFETY: the caller upholds this.
                    unsafe { self.nodes(otherwise, &mut within) };
                    self.spare.push(within);
                }
                if self.leaves != leaves {
                    self.drop_left(live);
                }
            }
            Node::Loop { head, condition, body, next } => {
                let leaves = self.leaves;
                let mut turning = self.copy_of(live);
                loop {
                    // SAFETY: the caller upholds this.
                    unsafe { self.nodes(head, &mut turning) };
                    let within = self.part(&turning, *condition, true);
                    self.spare.push(std::mem::replace(&mut turning, within));
                    if turning.active == 0 {
                        break;
                    }
                    let (before, mut within) = (self.leaves, self.copy_of(&turning));
                    // SAFETY: the caller upholds this.
                    unsafe { self.nodes(body, &mut within) };
                    self.spare.push(within);
                    if self.leaves != before {
                        self.back(&turning, Left::Turn);
                        self.drop_left(&mut turning);
                    }
                    // SAFETY: the caller upholds this.
                    unsafe { self.nodes(next, &mut turning) };
                }
                self.spare.push(turning);
                if self.leaves != leaves {
                    self.back(live, Left::Loop);
                    self.drop_left(live);
                }
            }
            Node::Call(body) => {
                let leaves = self.leaves;
                let mut within = self.copy_of(live);
                // SAFETY: the caller upholds this.
                unsafe { self.nodes(body, &mut within) };
                self.spare.push(within);
                if self.leaves != leaves {
                    self.back(live, Left::Call);
                }
            }
            Node::Break => self.leave(live, Left::Loop),
            Node::Continue => self.leave(live, Left::Turn),
            Node::Return => self.leave(live, Left::Call),
        }
    }

    /// The first element of a place.
    fn start(&self, elements: &Elements) -> *mut u8 {
        match elements.place {
            Place::Array(number) => self.launched.arrays[usize::from(number)].start,
            // SAFETY: the scratch has every shared array.
            Place::Shared(number) => unsafe {
                self.scratch.address().add(self.shared[usize::from(number)])
            },
        }
    }

    fn positions(&self) -> *mut u64 {
        // SAFETY: the scratch has a position for each thread there.
        unsafe { self.scratch.address().add(self.positions).cast() }
    }

    /// Computes the linear position of each thread, in parts; notes a fault of those in the mask that are out of bounds.
    fn locate(&mut self, elements: &Elements, live: &Mask) {
        let threads = self.launched.threads;
        let extents = match elements.place {
            Place::Array(number) => self.launched.arrays[usize::from(number)].extents,
            Place::Shared(number) => {
                let bytes = self.launched.code.shared[usize::from(number)];
                [bytes / (elements.size * elements.parts), 1, 1]
            }
        };
        // SAFETY: there is a position for each thread.
        let out = unsafe { std::slice::from_raw_parts_mut(self.positions(), threads) };
        for (number, (&(operand, _), &extent)) in elements.at.iter().zip(&extents).enumerate() {
            let outside = match operand.ty {
                RegType::U32 => {
                    along::<u32>(self.at(operand.slot), out, extent as u64, number == 0)
                }
                RegType::I32 => {
                    along::<i32>(self.at(operand.slot), out, extent as u64, number == 0)
                }
                RegType::U64 => {
                    along::<u64>(self.at(operand.slot), out, extent as u64, number == 0)
                }
                _ => along::<i64>(self.at(operand.slot), out, extent as u64, number == 0),
            };
            if outside {
                self.note(elements, &extents, number, live);
            }
        }
        if elements.parts > 1 {
            for position in out.iter_mut().filter(|position| **position != OUTSIDE) {
                *position = *position * elements.parts as u64 + elements.part as u64;
            }
        }
    }

    /// Notes the positions out of bounds along axis `number` of the threads in a mask, but of those that an axis before has noted.
    #[cold]
    fn note(&self, elements: &Elements, extents: &[usize; 3], number: usize, live: &Mask) {
        let position_of = |operand: Operand, lane: usize| {
            let (from, size) = (self.at(operand.slot), operand.ty.size());
            // SAFETY: a register has a value for each thread.
            position(operand.ty, unsafe { bits(from.add(lane * size), size) })
        };
        let outside = |axis: usize, lane: usize| {
            let position = position_of(elements.at[axis].0, lane);
            (position as u64 >= extents[axis] as u64).then_some(position)
        };
        for (lane, _) in live.lanes.iter().enumerate().filter(|&(_, &lane)| lane != 0) {
            let noted = (0..number).any(|before| outside(before, lane).is_some());
            if let (false, Some(position)) = (noted, outside(number, lane)) {
                let fault = Fault::position(elements.site, elements.at[number].1, position);
                self.launched.fault.fetch_max(fault.word(), Ordering::Relaxed);
            }
        }
    }

    /// # Safety
    /// The slots hold registers of these sizes.
    unsafe fn exchange(
        &mut self,
        out: Slot,
        op: Exchange,
        value: Slot,
        operand: Slot,
        size: usize,
    ) {
        let threads = self.launched.threads;
        let [out, value, operand] = [out, value, operand].map(|slot| self.at(slot));
        for first in (0..threads).step_by(LANES) {
            let lanes = LANES.min(threads - first);
            if op == Exchange::Ballot {
                // SAFETY: the caller upholds this.
                let holds = |lane| u64::from(unsafe { *value.add(first + lane) });
                let word = (0..lanes).fold(0, |word, lane| word | holds(lane) << lane);
                // SAFETY: the caller upholds this.
                unsafe { splat(out.add(8 * first), 8, word, lanes) };
                continue;
            }
            for lane in 0..lanes {
                // SAFETY: the caller upholds this.
                let by = unsafe { *operand.cast::<u32>().add(first + lane) } as usize;
                let from = match op {
                    Exchange::Down => lane.checked_add(by),
                    Exchange::Up => lane.checked_sub(by),
                    Exchange::Xor => Some(lane ^ by),
                    Exchange::Lane | Exchange::Ballot => Some(by % LANES),
                };
                let from = first + from.filter(|&from| from < lanes).unwrap_or(lane);
                // SAFETY: the caller upholds this; both are registers of threads of the block.
                unsafe {
                    let given = value.add(from * size);
                    out.add((first + lane) * size).copy_from_nonoverlapping(given, size);
                }
            }
        }
    }
}

/// An integer as a position: negative ones are beyond every extent.
trait Coordinate: Copy {
    fn position(self) -> u64;
}
impl Coordinate for u32 {
    fn position(self) -> u64 {
        u64::from(self)
    }
}
impl Coordinate for i32 {
    fn position(self) -> u64 {
        i64::from(self) as u64
    }
}
impl Coordinate for u64 {
    fn position(self) -> u64 {
        self
    }
}
impl Coordinate for i64 {
    fn position(self) -> u64 {
        self as u64
    }
}

/// Adds an axis to linear positions; says whether one is out of bounds.
fn along<C: Coordinate>(from: *const u8, out: &mut [u64], extent: u64, first: bool) -> bool {
    // SAFETY: a register has a value for each thread.
    let from = unsafe { std::slice::from_raw_parts(from.cast::<C>(), out.len()) };
    let mut outside = false;
    if first {
        for (out, &at) in out.iter_mut().zip(from) {
            let position = at.position();
            let within = position < extent;
            *out = if within { position } else { OUTSIDE };
            outside |= !within;
        }
    } else {
        for (out, &at) in out.iter_mut().zip(from) {
            let position = at.position();
            let within = position < extent;
            let linear = out.wrapping_mul(extent).wrapping_add(position);
            *out = if within && *out != OUTSIDE { linear } else { OUTSIDE };
            outside |= !within;
        }
    }
    outside
}

/// Copies a register to a variable for the threads of a mask.
///
/// # Safety
/// Both have a value of this size for each thread.
unsafe fn set(from: *const u8, to: *mut u8, size: usize, live: &Mask, threads: usize) {
    if live.active == threads {
        // SAFETY: the caller upholds this; a variable is no register.
        unsafe { to.copy_from_nonoverlapping(from, threads * size) };
        return;
    }
    // SAFETY: the caller upholds this.
    unsafe {
        match size {
            1 => set_where::<u8>(from, to, &live.lanes),
            2 => set_where::<u16>(from, to, &live.lanes),
            4 => set_where::<u32>(from, to, &live.lanes),
            _ => set_where::<u64>(from, to, &live.lanes),
        }
    }
}

/// # Safety
/// As [`set`].
unsafe fn set_where<T: Copy>(from: *const u8, to: *mut u8, lanes: &[u8]) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    for (number, &lane) in lanes.iter().enumerate() {
        // SAFETY: the caller upholds this.
        unsafe {
            let old = *to.add(number);
            *to.add(number) = if lane != 0 { *from.add(number) } else { old };
        }
    }
}
