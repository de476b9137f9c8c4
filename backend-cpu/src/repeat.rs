//! Loops of programs: a state of registers, repeated over blocks of elements.
//!
//! All elements of a block take a step together. Elements whose condition does not hold keep their state: a select puts it
//! back, and as soon as half of a block is done, the others move together and only they go on. So the time of a block
//! follows the elements that are at work, and an element that is done costs nothing in the end. The result of an element
//! depends on that element alone.

use std::sync::{Arc, PoisonError, RwLock};

use ndany_core::formulas::algebra::Table;
use ndany_core::program::{BlockFn, OpenFormula};
use ndany_core::program::{Body, Fault, Instr, Loop, Op, Prim, Reg, RegType};
use smallvec::SmallVec;

use crate::compiled::{CompiledInstr, Kind, compiled};
use crate::gathered::{GatheredInput, by_position, power};
use crate::interpreter::assign_slots;
use crate::loops::{Level, LoopFn, Loops};
use crate::products::SumOfProducts;
use crate::strided_cursor::splat;

/// Elements that take steps together: few enough that their registers stay in the first cache.
const WIDTH: usize = 256;

/// Bytes of a register of a block.
const SLOT: usize = WIDTH * 8;

type Pointers = SmallVec<[*mut u8; 8]>;

/// A compiled loop.
#[derive(Debug)]
pub(crate) struct CompiledLoop {
    /// Registers of the program around it: the initial state, then values that stay as they are.
    pub(crate) operands: SmallVec<[Reg; 8]>,
    /// Bytes of each operand's values; those of the state come first.
    sizes: SmallVec<[usize; 8]>,
    /// Bytes of each result's values.
    result_sizes: SmallVec<[usize; 4]>,
    work: Work,
}

/// What a compiled loop does with a block.
#[derive(Debug)]
enum Work {
    /// Repeats a step.
    Repeat(Box<Repeat>),
    /// Adds products, or repeats the step for dtypes that are not known.
    Sum(SumOfProducts, Box<Repeat>),
    /// Runs the steps of a formula of another crate once.
    Call(Arc<CompiledBody>),
    /// Runs the code of such a formula, which needs what this level has.
    Code(BlockFn),
}

/// A step that is repeated.
#[derive(Debug)]
struct Repeat {
    /// For each register of the state: the loop that selects between two values.
    selects: SmallVec<[LoopFn; 8]>,
    limit: u32,
    condition: CompiledBody,
    step: CompiledBody,
    /// Steps may have no answer: only elements that take them may compute them.
    fails: bool,
}

/// The code of a condition or a step.
#[derive(Debug)]
struct CompiledBody {
    instrs: SmallVec<[CompiledInstr; 8]>,
    loops: Vec<CompiledLoop>,
    /// Where the results of each nested loop begin, from the end of the slots on.
    loop_bytes: Vec<usize>,
    /// The slot of each register. An argument has none.
    slots: SmallVec<[u16; 16]>,
    slot_count: usize,
    results: SmallVec<[Reg; 4]>,
}

/// Compiles the loops of instructions, and after them the formulas of other crates that these call, in order.
pub(crate) fn loops(instrs: &[Instr], loops: &[Arc<Loop>], level: Level) -> Vec<CompiledLoop> {
    let types = |reg: Reg| instrs[usize::from(reg)].ty;
    let calls = instrs.iter().filter_map(|instr| match instr.op {
        Op::CallOpen(formula) => Some(CompiledLoop::call(formula, instr, level)),
        _ => None,
    });
    loops.iter().map(|own| CompiledLoop::new(own, types, level)).chain(calls).collect()
}

/// The code of formulas of other crates, compiled once for each type and level.
static FORMULAS: RwLock<Vec<FormulaCode>> = RwLock::new(Vec::new());

/// A formula, the type that it is computed in, the name of a level, and the code.
type FormulaCode = (&'static OpenFormula, RegType, &'static str, Arc<CompiledBody>);

fn formula_code(formula: &'static OpenFormula, ty: RegType, level: Level) -> Arc<CompiledBody> {
    let known = FORMULAS.read().unwrap_or_else(PoisonError::into_inner);
    let found = known.iter().find(|(own, own_ty, name, _)| {
        std::ptr::eq(*own, formula) && *own_ty == ty && *name == level.name()
    });
    if let Some((.., code)) = found {
        return code.clone();
    }
    drop(known);
    // No lock is held here: a formula may call another. Two threads may both compile it.
    let code = Arc::new(CompiledBody::new(formula.body(ty), level));
    let mut known = FORMULAS.write().unwrap_or_else(PoisonError::into_inner);
    known.push((formula, ty, level.name(), code.clone()));
    code
}

impl CompiledLoop {
    fn new(own: &Loop, types: impl Fn(Reg) -> RegType, level: Level) -> Self {
        let all: SmallVec<[RegType; 8]> = own.operands.iter().map(|&reg| types(reg)).collect();
        let state = &all[..usize::from(own.state)];
        let repeat = Box::new(Repeat {
            selects: state
                .iter()
                .map(|&ty| level.step(&Op::Prim(Prim::Select), ty, RegType::Bool))
                .collect(),
            limit: own.limit,
            condition: CompiledBody::new(&own.condition, level),
            step: CompiledBody::new(&own.step, level),
            fails: own.fails(),
        });
        Self {
            operands: own.operands.clone(),
            sizes: all.iter().map(|ty| ty.size()).collect(),
            result_sizes: state.iter().map(|ty| ty.size()).collect(),
            work: match SumOfProducts::of(own, &all) {
                Some(sum) => Work::Sum(sum, repeat),
                None => Work::Repeat(repeat),
            },
        }
    }

    /// A call of a formula of another crate.
    fn call(formula: &'static OpenFormula, instr: &Instr, level: Level) -> Self {
        let size = instr.ty.size();
        Self {
            operands: SmallVec::from_slice(&instr.args[..formula.arity]),
            sizes: SmallVec::from_elem(size, formula.arity),
            result_sizes: SmallVec::from_elem(size, formula.results),
            work: match formula.code {
                Some(code) if instr.ty == RegType::F64 && level.is_fused() => Work::Code(code),
                _ => Work::Call(formula_code(formula, instr.ty, level)),
            },
        }
    }

    /// Number of results.
    fn results(&self) -> usize {
        self.result_sizes.len()
    }

    /// Bytes of memory that runs over at most `count` elements need. The results come first, `count * 8` bytes each.
    pub(crate) fn bytes(&self, count: usize) -> usize {
        let results = self.results() * count * 8;
        match &self.work {
            Work::Repeat(repeat) | Work::Sum(_, repeat) => {
                let own = self.results() + self.operands.len() + 2;
                results + own * SLOT + repeat.condition.bytes() + repeat.step.bytes()
            }
            Work::Call(code) => results + code.bytes(),
            Work::Code(_) => results,
        }
    }

    /// The address of a register of the final state in memory for at most `count` elements.
    pub(crate) fn result(&self, memory: *mut u8, part: u8, count: usize) -> *mut u8 {
        memory.wrapping_add(usize::from(part) * count * 8)
    }

    /// Runs the loop for `count` elements, in memory for `capacity`. The results lie as [`CompiledLoop::result`] says of
    /// the capacity. Returns the fault of elements that failed.
    ///
    /// # Safety
    /// Each operand is good for reads of `count` values of its type, which is at most `capacity`; `memory`, aligned to 64, is
    /// good for writes of [`CompiledLoop::bytes`] of `capacity`; they do not overlap. As many elements of the inputs as their
    /// sizes say are in memory that nothing writes meanwhile.
    pub(crate) unsafe fn run(
        &self,
        inputs: &[GatheredInput],
        operands: &[*const u8],
        count: usize,
        capacity: usize,
        memory: *mut u8,
    ) -> Fault {
        let work = memory.wrapping_add(self.results() * capacity * 8);
        let mut fault = Fault::NONE;
        let mut begin = 0;
        while begin < count {
            let width = WIDTH.min(count - begin);
            let at = |address: *const u8, size: usize| address.wrapping_add(begin * size);
            let block: SmallVec<[*const u8; 8]> = operands
                .iter()
                .zip(&self.sizes)
                .map(|(&operand, &size)| at(operand, size))
                .collect();
            let results: Pointers = (0..self.results())
                .map(|part| {
                    let result = self.result(memory, part as u8, capacity);
                    result.wrapping_add(begin * self.result_sizes[part])
                })
                .collect();
            // SAFETY: the block lies within the operands and results; the rest of the memory is for the work. Code of formulas is
            // run at levels alone that have what it needs.
            let of_block = unsafe {
                match &self.work {
                    Work::Repeat(repeat) => {
                        repeat.run_block(&self.sizes, inputs, &block, &results, width, work)
                    }
                    Work::Sum(sum, repeat) => match sum.run(inputs, &block, &results, width) {
                        true => Fault::NONE,
                        false => {
                            repeat.run_block(&self.sizes, inputs, &block, &results, width, work)
                        }
                    },
                    Work::Call(code) => {
                        let fault = code.run(inputs, &block, width, work);
                        for (part, result) in results.iter().enumerate() {
                            let from = code.result(part, &block, work);
                            from.copy_to_nonoverlapping(*result, width * self.result_sizes[part]);
                        }
                        fault
                    }
                    Work::Code(code) => {
                        let operands: SmallVec<[&[f64]; 4]> = block
                            .iter()
                            .map(|address| std::slice::from_raw_parts(address.cast(), width))
                            .collect();
                        let mut results: SmallVec<[&mut [f64]; 4]> = results
                            .iter()
                            .map(|address| std::slice::from_raw_parts_mut(address.cast(), width))
                            .collect();
                        code(&operands, &mut results);
                        Fault::NONE
                    }
                }
            };
            fault = fault.or(of_block);
            begin += width;
        }
        fault
    }
}

impl Repeat {
    /// Runs the loop for a block of at most [`WIDTH`] elements.
    ///
    /// # Safety
    /// As [`CompiledLoop::run`], for this block; `work` is good for the bytes after the results.
    unsafe fn run_block(
        &self,
        sizes: &[usize],
        inputs: &[GatheredInput],
        operands: &[*const u8],
        results: &[*mut u8],
        width: usize,
        work: *mut u8,
    ) -> Fault {
        let state_count = self.selects.len();
        let slot = |number: usize| work.wrapping_add(number * SLOT);
        // Two sets of registers for the state, which change places; one for the other operands; the lanes.
        let [mut state, mut spare]: [Pointers; 2] =
            [0, 1].map(|set| (0..state_count).map(|part| slot(set * state_count + part)).collect());
        let mut fixed: SmallVec<[*const u8; 8]> = SmallVec::from_slice(&operands[state_count..]);
        let lanes: *mut u16 = slot(state_count + operands.len()).cast();
        let mask = slot(state_count + operands.len() + 1);
        let bodies = slot(state_count + operands.len() + 2);
        let (condition_memory, step_memory) = (bodies, bodies.wrapping_add(self.condition.bytes()));
        let mut fault = Fault::NONE;
        // SAFETY: slots hold WIDTH values of any size, of which the first `active` are used; operands and results hold
        // `width` values. Slots, operands and results are apart from each other.
        unsafe {
            for part in 0..state_count {
                state[part].copy_from_nonoverlapping(operands[part], width * sizes[part]);
            }
            // Elements at work; `lanes` names them once they are not the whole block.
            let (mut active, mut moved) = (width, false);
            for _ in 0..self.limit {
                let arguments = arguments(&state, &fixed);
                fault = fault.or(self.condition.run(inputs, &arguments, active, condition_memory));
                // The condition may be a register of the state, which moves below.
                let holds = self.condition.result(0, &arguments, condition_memory);
                mask.copy_from_nonoverlapping(holds, active);
                let holds = mask.cast_const();
                let left = std::slice::from_raw_parts(holds, active)
                    .iter()
                    .map(|&holds| usize::from(holds))
                    .sum::<usize>();
                if left == 0 {
                    break;
                }
                if left < active && (self.fails || 2 * left <= active) {
                    if !moved {
                        (0..active).for_each(|lane| *lanes.add(lane) = lane as u16);
                        // The other operands move, too, and get memory of their own.
                        for (number, address) in fixed.iter_mut().enumerate() {
                            let size = sizes[state_count + number];
                            let own = slot(2 * state_count + number);
                            own.copy_from_nonoverlapping(*address, active * size);
                            *address = own.cast_const();
                        }
                        moved = true;
                    }
                    for part in 0..state_count {
                        let done = |lane: usize| *holds.add(lane) == 0;
                        put(sizes[part], results[part], state[part], lanes, active, done);
                    }
                    for part in 0..state_count {
                        compress(sizes[part], state[part], holds, active);
                    }
                    for (number, &address) in fixed.iter().enumerate() {
                        compress(sizes[state_count + number], address.cast_mut(), holds, active);
                    }
                    compress(2, lanes.cast(), holds, active);
                    active = left;
                    let arguments = self::arguments(&state, &fixed);
                    fault = fault.or(self.step.run(inputs, &arguments, active, step_memory));
                    for part in 0..state_count {
                        let next = self.step.result(part, &arguments, step_memory);
                        spare[part].copy_from_nonoverlapping(next, active * sizes[part]);
                    }
                } else {
                    fault = fault.or(self.step.run(inputs, &arguments, active, step_memory));
                    for part in 0..state_count {
                        let next = self.step.result(part, &arguments, step_memory);
                        if left == active {
                            spare[part].copy_from_nonoverlapping(next, active * sizes[part]);
                        } else {
                            let args = [holds, next, state[part].cast_const()];
                            self.selects[part](spare[part], args, active);
                        }
                    }
                }
                std::mem::swap(&mut state, &mut spare);
            }
            for part in 0..state_count {
                if moved {
                    put(sizes[part], results[part], state[part], lanes, active, |_| true);
                } else {
                    results[part].copy_from_nonoverlapping(state[part], width * sizes[part]);
                }
            }
        }
        fault
    }
}

/// The arguments of a body: the state, then what stays as it is.
fn arguments(state: &[*mut u8], fixed: &[*const u8]) -> SmallVec<[*const u8; 16]> {
    state.iter().map(|address| address.cast_const()).chain(fixed.iter().copied()).collect()
}

impl CompiledBody {
    fn new(body: &Body, level: Level) -> Self {
        let instrs = compiled(&body.instrs, body.loops.len(), level);
        let loops = loops(&body.instrs, &body.loops, level);
        let mut end = 0;
        let loop_bytes = loops
            .iter()
            .map(|own| {
                end += own.bytes(WIDTH);
                end - own.bytes(WIDTH)
            })
            .collect();
        let regs: SmallVec<[Reg; 16]> = (0..instrs.len() as Reg).collect();
        // What has memory of its own.
        let elsewhere = |reg: Reg| {
            let op = body.instrs[usize::from(reg)].op;
            matches!(
                op,
                Op::Argument(_)
                    | Op::Loop(_)
                    | Op::LoopState(_)
                    | Op::CallOpen(_)
                    | Op::CallResult(_)
            )
        };
        let args = |reg: Reg| body.instrs[usize::from(reg)].args(&body.loops);
        let (slots, slot_count) = assign_slots(&regs, args, &body.results, elsewhere, instrs.len());
        let results = body.results.iter().copied().collect();
        Self { instrs, loops, loop_bytes, slots, slot_count, results }
    }

    /// Bytes of memory that it needs.
    fn bytes(&self) -> usize {
        let nested: usize = self.loops.iter().map(|own| own.bytes(WIDTH)).sum();
        self.slot_count * SLOT + nested
    }

    /// Where a register is: an argument, a slot, or the result of a nested loop.
    fn address(&self, reg: Reg, arguments: &[*const u8], memory: *mut u8) -> *const u8 {
        let position = usize::from(reg);
        let instr = &self.instrs[position];
        match instr.kind {
            Kind::Argument(argument) => arguments[usize::from(argument)],
            Kind::LoopState { part, number } => {
                let own = &self.loops[usize::from(number)];
                own.result(self.nested(number, memory), part, WIDTH).cast_const()
            }
            Kind::Loop(number) => self.nested(number, memory).cast_const(),
            _ => memory.wrapping_add(usize::from(self.slots[position]) * SLOT).cast_const(),
        }
    }

    /// The memory of a nested loop.
    fn nested(&self, number: u16, memory: *mut u8) -> *mut u8 {
        memory.wrapping_add(self.slot_count * SLOT + self.loop_bytes[usize::from(number)])
    }

    fn result(&self, part: usize, arguments: &[*const u8], memory: *mut u8) -> *const u8 {
        self.address(self.results[part], arguments, memory)
    }

    /// Runs the code for `count` elements, at most [`WIDTH`]. Returns the fault of those that failed.
    ///
    /// # Safety
    /// Arguments are good for reads of `count` values, `memory` for writes of [`CompiledBody::bytes`]; they do not overlap. As
    /// many elements of the inputs as their sizes say are in memory that nothing writes meanwhile.
    unsafe fn run(
        &self,
        inputs: &[GatheredInput],
        arguments: &[*const u8],
        count: usize,
        memory: *mut u8,
    ) -> Fault {
        let mut fault = Fault::NONE;
        for (position, instr) in self.instrs.iter().enumerate() {
            let out = self.address(position as Reg, arguments, memory).cast_mut();
            match instr.kind {
                Kind::Argument(_) | Kind::LoopState { .. } => {}
                // SAFETY: a slot holds WIDTH values of any size.
                Kind::Const(bits) => unsafe { splat(out, instr.ty.size(), bits, count) },
                Kind::Step(run) => {
                    let mut args = [std::ptr::null(); 3];
                    for (address, &arg) in args.iter_mut().zip(instr.args()) {
                        *address = self.address(arg, arguments, memory);
                    }
                    // SAFETY: as above; arguments were computed before this step, and a slot is free for others only after
                    // the last step that reads it.
                    fault = fault.or(power(unsafe { run(out, args, count) }));
                }
                Kind::Table(table) => {
                    let index = self.address(instr.args[0], arguments, memory);
                    // SAFETY: as above.
                    unsafe { look_up(table, instr.ty.size(), out, index, count) };
                }
                Kind::Gather { .. } | Kind::BoundsCheck { .. } => {
                    let args = [0, 1].map(|k| self.address(instr.args[k], arguments, memory));
                    // SAFETY: as above; `Checked` places elements below the size in the memory of the input.
                    fault = fault.or(unsafe { by_position(instr.kind, inputs, args, count, out) });
                }
                Kind::Loop(number) => {
                    let own = &self.loops[usize::from(number)];
                    let operands: SmallVec<[*const u8; 8]> = own
                        .operands
                        .iter()
                        .map(|&reg| self.address(reg, arguments, memory))
                        .collect();
                    let nested = self.nested(number, memory);
                    // SAFETY: operands are registers computed before; the loop has memory of its own for WIDTH elements.
                    fault = fault.or(unsafe { own.run(inputs, &operands, count, WIDTH, nested) });
                }
                Kind::Load { .. }
                | Kind::Scalar(_)
                | Kind::Index
                | Kind::Word { .. }
                | Kind::Fused(_)
                | Kind::Reduced { .. } => unreachable!("a body has arguments and steps"),
            }
        }
        fault
    }
}

/// Words of a table: an index past its end reads the last one.
///
/// # Safety
/// `index` is good for reads of `count` words of `size` bytes, 4 or 8, and `out` for writes of as many; they do not overlap.
pub(crate) unsafe fn look_up(
    table: &Table,
    size: usize,
    out: *mut u8,
    index: *const u8,
    count: usize,
) {
    let last = table.words.len() - 1;
    for element in 0..count {
        // SAFETY: the caller upholds this.
        unsafe {
            match size {
                4 => {
                    let at = (*index.cast::<u32>().add(element) as usize).min(last);
                    *out.cast::<u32>().add(element) = table.words[at] as u32;
                }
                _ => {
                    let at = usize::try_from(*index.cast::<u64>().add(element));
                    let at = at.unwrap_or(last).min(last);
                    *out.cast::<u64>().add(element) = table.words[at];
                }
            }
        }
    }
}

/// Calls `$f` with the unsigned integer of this many bytes.
macro_rules! by_size {
    ($size:expr, $f:ident($($arg:expr),*)) => {
        match $size {
            1 => $f::<u8>($($arg),*),
            2 => $f::<u16>($($arg),*),
            4 => $f::<u32>($($arg),*),
            _ => $f::<u64>($($arg),*),
        }
    };
}

/// Writes the values of those elements that `chosen` names to their lanes.
///
/// # Safety
/// `from` and `lanes` are good for reads of `count` values; lanes are positions within `to`.
unsafe fn put(
    size: usize,
    to: *mut u8,
    from: *mut u8,
    lanes: *const u16,
    count: usize,
    chosen: impl Fn(usize) -> bool,
) {
    unsafe fn typed<T: Copy>(
        to: *mut u8,
        from: *mut u8,
        lanes: *const u16,
        count: usize,
        chosen: impl Fn(usize) -> bool,
    ) {
        for element in (0..count).filter(|&element| chosen(element)) {
            // SAFETY: the caller of `put` upholds this.
            unsafe {
                let lane = usize::from(*lanes.add(element));
                *to.cast::<T>().add(lane) = *from.cast::<T>().add(element);
            }
        }
    }
    // SAFETY: as above.
    unsafe { by_size!(size, typed(to, from, lanes, count, chosen)) }
}

/// Moves the values for which `holds` is 1 together, to the front.
///
/// # Safety
/// `values` is good for `count` values of `size` bytes, `holds` for `count` bytes.
unsafe fn compress(size: usize, values: *mut u8, holds: *const u8, count: usize) {
    unsafe fn typed<T: Copy>(values: *mut u8, holds: *const u8, count: usize) {
        let values = values.cast::<T>();
        let mut next = 0;
        for element in 0..count {
            // SAFETY: the caller of `compress` upholds this; `next` is at most `element`.
            unsafe {
                *values.add(next) = *values.add(element);
                next += usize::from(*holds.add(element));
            }
        }
    }
    // SAFETY: as above.
    unsafe { by_size!(size, typed(values, holds, count)) }
}
