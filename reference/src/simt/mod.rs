//! Kernels of threads and blocks, one thread after the other.
//!
//! A thread runs until it waits: at a barrier, or at an exchange. When all threads of a block wait, they go on. What
//! they read and write is watched: two threads that race, and a read of shared memory that no thread has written, are errors.

mod flat;
mod watch;

use std::cell::Cell;

use ndany_core::backend::{Checked, LaunchLimits, SimtArgument, SimtKernels, SimtLaunch};
use ndany_core::program::{Fault, Op as ProgramOp, Prim, Reg, RegType};
use ndany_core::simt::{
    Atomic, Builtin, Exchange, Kernel, ParameterKind, Place, Statement, position,
};
use ndany_core::{DType, Error, Result};

use crate::{Reference, bytes_of, read_lock, scalar};
use flat::{Code, Op};
use watch::{Access, Race, Watch};

/// Lanes of a warp.
const LANES: usize = 32;

/// A thread and where it is.
struct Thread {
    position: [u32; 3],
    number: usize,
    next: usize,
    registers: Vec<u64>,
    variables: Vec<u64>,
    waits: Waits,
}

/// Why a thread does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    No,
    Barrier,
    Exchange,
    Forever,
}

/// A launch that runs.
struct Run<'l, 'a> {
    launch: &'l SimtLaunch<'a>,
    kernel: &'l Kernel,
    code: Code<'l>,
    /// The bytes of each argument that is an array.
    arrays: Vec<Vec<u8>>,
    fault: Cell<Fault>,
    watch: Watch,
}

/// A block that runs.
struct BlockState {
    position: [u32; 3],
    number: u64,
    /// Barriers that it has passed.
    epoch: u32,
    shared: Vec<Vec<u8>>,
}

impl SimtKernels for Reference {
    fn limits(&self) -> &LaunchLimits {
        &LaunchLimits::HOST
    }

    fn launch(&self, launch: Checked<&SimtLaunch<'_>>) -> Result<()> {
        let launch: &SimtLaunch<'_> = &launch;
        let kernel = launch.kernel.expand();
        let arrays = launch.arguments.iter().zip(kernel.parameters());
        let arrays = arrays.map(|(argument, parameter)| match (argument, parameter.kind) {
            (SimtArgument::Array { memory, offset, shape }, ParameterKind::Array { dtype, .. }) => {
                let (first, bytes) = span(*offset, shape, dtype);
                read_lock(*memory)[first..first + bytes].to_vec()
            }
            _ => Vec::new(),
        });
        let mut run = Run {
            launch,
            kernel: &kernel,
            code: Code::of(&kernel),
            arrays: arrays.collect(),
            fault: Cell::new(Fault::NONE),
            watch: Watch::default(),
        };
        let [x, y, z] = launch.grid;
        let positions =
            (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])));
        for (number, position) in positions.enumerate() {
            run.block(position, number as u64)?;
        }
        let fault = run.fault.get();
        for ((argument, parameter), bytes) in
            launch.arguments.iter().zip(kernel.parameters()).zip(&run.arrays)
        {
            if let (
                SimtArgument::Array { memory, offset, shape },
                ParameterKind::Array { dtype, writes: true, .. },
            ) = (argument, parameter.kind)
            {
                let (first, _) = span(*offset, shape, dtype);
                let mut memory =
                    bytes_of(*memory).write().unwrap_or_else(std::sync::PoisonError::into_inner);
                memory[first..first + bytes.len()].copy_from_slice(bytes);
            }
        }
        debug_assert!(
            fault == Fault::NONE || !launch.stays_inside(LANES as u32),
            "{}: an access that was proven to be inside is not",
            kernel.name()
        );
        match fault.of_position() {
            Some((operand, axis, position)) => {
                let extent = |argument, axis| launch.extent(argument, axis);
                Err(kernel.out_of_bounds(operand, axis, position, extent))
            }
            None => Ok(()),
        }
    }
}

/// First byte of an array, and how many there are.
fn span(offset: usize, shape: &[usize], dtype: DType) -> (usize, usize) {
    let elements: usize = shape.iter().product();
    (offset * dtype.size(), elements * dtype.size())
}

impl Run<'_, '_> {
    fn block(&mut self, position: [u32; 3], number: u64) -> Result<()> {
        let [sx, sy, sz] = self.launch.block;
        let places =
            (0..sz).flat_map(|z| (0..sy).flat_map(move |y| (0..sx).map(move |x| [x, y, z])));
        let thread = |(number, position)| Thread {
            position,
            number,
            next: 0,
            registers: vec![0; self.kernel.registers().len()],
            variables: vec![0; self.kernel.variables().len()],
            waits: Waits::No,
        };
        let mut threads: Vec<Thread> = places.enumerate().map(thread).collect();
        let shared = self.kernel.shared().iter();
        let shared =
            shared.map(|array| vec![0; array.size as usize * array.dtype.size()]).collect();
        let mut block = BlockState { position, number, epoch: 0, shared };
        self.watch.begin_block();
        loop {
            for thread in &mut threads {
                while thread.waits == Waits::No {
                    self.step(&mut block, thread)?;
                }
            }
            if threads.iter().all(|thread| thread.waits == Waits::Forever) {
                return Ok(());
            }
            let mut moved = false;
            for warp in threads.chunks_mut(LANES) {
                let at = warp.iter().map(|thread| (thread.waits, thread.next));
                let exchanges =
                    at.clone().all(|at| at.0 == Waits::Exchange && at.1 == warp[0].next);
                if exchanges {
                    self.exchange(warp);
                    moved = true;
                }
            }
            if moved {
                continue;
            }
            let waiting = threads.iter().filter(|thread| thread.waits != Waits::Forever);
            if waiting.clone().all(|thread| thread.waits == Waits::Barrier) {
                block.epoch += 1;
                for thread in &mut threads {
                    if thread.waits == Waits::Barrier {
                        (thread.waits, thread.next) = (Waits::No, thread.next + 1);
                    }
                }
                continue;
            }
            let reason = format!(
                "threads of block {position:?} wait for others that never come: a barrier or an exchange that not all reach"
            );
            return Err(Error::Launch { op: self.kernel.name(), reason });
        }
    }

    /// Lanes of a warp that all wait at an exchange give and take.
    fn exchange(&self, warp: &mut [Thread]) {
        let Op::Run(&Statement::Exchange { result, op, value, operand, .. }) =
            self.code.ops[warp[0].next]
        else {
            unreachable!("they wait at an exchange")
        };
        let given: Vec<u64> =
            warp.iter().map(|thread| thread.registers[usize::from(value)]).collect();
        for (lane, thread) in warp.iter_mut().enumerate() {
            let by = thread.registers[usize::from(operand)] as usize;
            let own = |from: Option<usize>| {
                given[from.filter(|&from| from < given.len() && from < LANES).unwrap_or(lane)]
            };
            thread.registers[usize::from(result)] = match op {
                Exchange::Down => own(lane.checked_add(by)),
                Exchange::Up => own(lane.checked_sub(by)),
                Exchange::Xor => own(Some(lane ^ by)),
                Exchange::Lane => own(Some(by % LANES)),
                Exchange::Ballot => {
                    given.iter().enumerate().fold(0, |bits, (lane, &holds)| bits | holds << lane)
                }
            };
            (thread.waits, thread.next) = (Waits::No, thread.next + 1);
        }
    }

    /// The position of an element in its place, or the fault of one that is out of bounds.
    fn position(&self, thread: &Thread, place: Place, at: &[u16]) -> Option<usize> {
        let mut linear = 0usize;
        for (axis, &reg) in at.iter().enumerate() {
            let ty = self.kernel.registers()[usize::from(reg)];
            let bits = thread.registers[usize::from(reg)];
            let extent = match place {
                Place::Array(number) => self.launch.extent(usize::from(number), axis),
                Place::Shared(number) => self.kernel.shared()[usize::from(number)].size as usize,
            };
            let position = position(ty, bits);
            match usize::try_from(position).ok().filter(|&position| position < extent) {
                Some(position) => linear = linear * extent + position,
                None => {
                    let (site, axis) =
                        (self.kernel.site_of(place), self.kernel.axis_of(place, axis));
                    self.fault.set(self.fault.get().or(Fault::position(site, axis, position)));
                    return None;
                }
            }
        }
        Some(linear)
    }

    /// Notes an access; returns an error if it races, or reads what was not written.
    fn access(
        &mut self,
        block: &BlockState,
        thread: &Thread,
        place: Place,
        element: usize,
        access: Access,
    ) -> Result<()> {
        if let Place::Array(number) = place
            && let ParameterKind::Array { writes: false, .. } =
                self.kernel.parameters()[usize::from(number)].kind
        {
            return Ok(());
        }
        let by = watch::ThreadAt { block: block.number, thread: thread.number, epoch: block.epoch };
        let Err(race) = self.watch.access(place, element, access, by) else { return Ok(()) };
        let what = match place {
            Place::Array(number) => self.kernel.parameters()[usize::from(number)].name.to_string(),
            Place::Shared(number) => format!("shared array {number}"),
        };
        let thread = thread.position;
        let reason = match race {
            Race::With(other) => format!(
                "thread {thread:?} of block {:?} and thread {} of block {} race for element {element} of {what}: expected a \
                 barrier between them, or atomics",
                block.position, other.thread, other.block
            ),
            Race::Unwritten => format!(
                "thread {thread:?} of block {:?} reads element {element} of {what}, which no thread has written",
                block.position
            ),
        };
        Err(Error::Launch { op: self.kernel.name(), reason })
    }

    /// The bytes of an element.
    fn bytes<'b>(
        &'b mut self,
        block: &'b mut BlockState,
        place: Place,
        element: usize,
    ) -> &'b mut [u8] {
        let size = self.kernel.dtype(place).size();
        let all = match place {
            Place::Array(number) => &mut self.arrays[usize::from(number)],
            Place::Shared(number) => &mut block.shared[usize::from(number)],
        };
        &mut all[element * size..][..size]
    }

    fn load(&mut self, block: &mut BlockState, place: Place, element: usize, part: u8) -> u64 {
        let dtype = self.kernel.dtype(place);
        scalar::load(dtype, self.bytes(block, place, element), part)
    }

    fn store(
        &mut self,
        block: &mut BlockState,
        place: Place,
        element: usize,
        part: u8,
        value: u64,
    ) {
        let dtype = self.kernel.dtype(place);
        let size = dtype.part().size();
        let bytes = &mut self.bytes(block, place, element)[usize::from(part) * size..][..size];
        // A part of a complex number is a number of its own dtype.
        let stored = if dtype.is_complex() { dtype.part() } else { dtype };
        scalar::store(stored, [value; 2], bytes);
    }

    /// Runs one operation of a thread.
    fn step(&mut self, block: &mut BlockState, thread: &mut Thread) -> Result<()> {
        let mut next = thread.next + 1;
        match self.code.ops[thread.next] {
            Op::Run(Statement::Exchange { .. }) => {
                (thread.waits, next) = (Waits::Exchange, thread.next);
            }
            Op::Run(Statement::Barrier { .. }) => {
                (thread.waits, next) = (Waits::Barrier, thread.next);
            }
            Op::Run(statement) => self.run(block, thread, statement)?,
            Op::Jump(to) => next = to,
            Op::JumpUnless { condition, to } => {
                if thread.registers[usize::from(condition)] == 0 {
                    next = to;
                }
            }
            Op::End => thread.waits = Waits::Forever,
        }
        thread.next = next;
        Ok(())
    }

    /// Does what a statement says for which no thread waits.
    fn run(
        &mut self,
        block: &mut BlockState,
        thread: &mut Thread,
        statement: &Statement,
    ) -> Result<()> {
        let types = self.kernel.registers();
        let (result, value) = match statement {
            Statement::Step { result, instr } => {
                let register = |arg: Reg| thread.registers.get(usize::from(arg)).copied();
                let args = instr.args.map(|arg| register(arg).unwrap_or(0));
                let arg_ty = match instr.op {
                    ProgramOp::Prim(Prim::Select | Prim::SelectSlowPath) => instr.ty,
                    _ if instr.op.arity() == 0 => instr.ty,
                    _ => types[usize::from(instr.args[0])],
                };
                (result, scalar::step(&instr.op, instr.ty, arg_ty, args, &self.fault))
            }
            Statement::Scalar { result, parameter, part } => {
                match self.launch.arguments[usize::from(*parameter)] {
                    SimtArgument::Scalar(bits) => (result, bits),
                    SimtArgument::Complex(bits) => (result, bits[usize::from(*part)]),
                    SimtArgument::Array { .. } => unreachable!("a launch was checked"),
                }
            }
            Statement::Builtin { result, builtin } => {
                (result, self.builtin(block, thread, *builtin))
            }
            Statement::Get { result, variable } => {
                (result, thread.variables[usize::from(*variable)])
            }
            Statement::Set { variable, value } => {
                thread.variables[usize::from(*variable)] = thread.registers[usize::from(*value)];
                return Ok(());
            }
            Statement::Load { result, place, part, at } => {
                match self.position(thread, *place, at) {
                    Some(element) => {
                        self.access(block, thread, *place, element, Access::Read)?;
                        (result, self.load(block, *place, element, *part))
                    }
                    None => (result, 0),
                }
            }
            Statement::Store { place, part, at, value } => {
                if let Some(element) = self.position(thread, *place, at) {
                    self.access(block, thread, *place, element, Access::Write)?;
                    let value = thread.registers[usize::from(*value)];
                    self.store(block, *place, element, *part, value);
                }
                return Ok(());
            }
            Statement::Atomic { result, op, place, at, value, expected } => {
                match self.position(thread, *place, at) {
                    Some(element) => {
                        self.access(block, thread, *place, element, Access::Atomic)?;
                        let [value, expected] =
                            [value, expected].map(|&reg| thread.registers[usize::from(reg)]);
                        let old = self.load(block, *place, element, 0);
                        let ty = RegType::of(self.kernel.dtype(*place));
                        let new = atomic(*op, ty, old, value, expected);
                        self.store(block, *place, element, 0, new);
                        (result, old)
                    }
                    None => (result, 0),
                }
            }
            other => unreachable!("{other:?} is jumps, or is waited at"),
        };
        thread.registers[usize::from(*result)] = value;
        Ok(())
    }

    fn builtin(&self, block: &BlockState, thread: &Thread, builtin: Builtin) -> u64 {
        let along = |extents: [u32; 3], axis: u8| u64::from(extents[usize::from(axis)]);
        match builtin {
            Builtin::Thread(axis) => along(thread.position, axis),
            Builtin::Block(axis) => along(block.position, axis),
            Builtin::BlockSize(axis) => along(self.launch.block, axis),
            Builtin::GridSize(axis) => along(self.launch.grid, axis),
            Builtin::Lanes => LANES as u64,
            Builtin::Lane => (thread.number % LANES) as u64,
            Builtin::Warp => (thread.number / LANES) as u64,
            Builtin::Extent { parameter, axis } => {
                self.launch.extent(usize::from(parameter), usize::from(axis)) as u64
            }
        }
    }
}

/// The new element of an atomic operation.
fn atomic(op: Atomic, ty: RegType, old: u64, value: u64, expected: u64) -> u64 {
    let none = Cell::new(Fault::NONE);
    let prim = |prim| scalar::prim(prim, ty, [old, value, 0], &none);
    match op {
        Atomic::Add => prim(Prim::Add),
        Atomic::Min => prim(Prim::Min),
        Atomic::Max => prim(Prim::Max),
        Atomic::And => prim(Prim::And),
        Atomic::Or => prim(Prim::Or),
        Atomic::Xor => prim(Prim::Xor),
        Atomic::Exchange => value,
        Atomic::CompareExchange => {
            if old == expected {
                value
            } else {
                old
            }
        }
    }
}
