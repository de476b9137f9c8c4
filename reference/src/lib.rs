//! The reference device: plain loops over one value at a time, no threads, no SIMD, no `unsafe`.
//!
//! It is the oracle of the conformance suite, so it is written to be read: programs are interpreted
//! one instruction after the other, every instruction over all elements of a row. It names no other backend, so
//! that arrays can be tested, and used, without any other. Speed is deliberately no concern.

mod correlate;
mod factor;
mod fft;
mod fold;
mod fourier;
mod gather;
mod linalg;
#[cfg(test)]
mod recording_tests;
mod scalar;
mod simt;
mod sort;

use std::any::Any;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use ndany_core::backend::{
    Backend, Checked, CombineOrder, Correlate, DeviceProfile, FoldLeft, Fourier, FusedRowwise,
    Gather, Launch, LinearAlgebra, Map, Matmul, Memory, NthElement, PartSizes, PartitionThreeWay,
    Reduce, Scan, Scatter, Search, SegmentedReduce, Select, SimtKernels, Sort, StridedView,
    check_bytes,
};
use ndany_core::plan;
use ndany_core::program::{
    Body, Combine, Domain, Fault, Instr, Loop, Op, Prim, Program, Reduction, Reg, RegType,
};
use ndany_core::shape::size_of;
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

pub use factor::factor_one;
pub use fft::{forward as transform_forward, root as root_of_unity};
pub use fourier::transform_one;
pub use scalar::constant_step;

/// The reference device.
#[derive(Debug)]
pub struct Reference {
    poison: bool,
    profile: DeviceProfile,
}

/// Bytes in a lock, because launches write through shared handles.
#[derive(Debug)]
struct HostMemory {
    lock: RwLock<Vec<u8>>,
    bytes: usize,
}

impl Memory for HostMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn of_device(&self) -> &dyn Memory {
        self
    }
}

fn bytes_of(memory: &dyn Memory) -> &RwLock<Vec<u8>> {
    match (memory as &dyn Any).downcast_ref::<HostMemory>() {
        Some(memory) => &memory.lock,
        None => unreachable!("memory of another device"),
    }
}

fn read_lock(memory: &dyn Memory) -> RwLockReadGuard<'_, Vec<u8>> {
    bytes_of(memory).read().unwrap_or_else(PoisonError::into_inner)
}

/// Elements that a map evaluates at a time.
const BLOCK: usize = 4096;

impl Reference {
    /// A reference device; fresh memory is poisoned if `NDANY_POISON` is set.
    pub fn new() -> Self {
        Self::with_profile(DeviceProfile::SYNCHRONOUS)
    }

    /// A reference device for which core chooses algorithms as for a device with this profile.
    pub fn with_profile(profile: DeviceProfile) -> Self {
        Self { poison: std::env::var_os("NDANY_POISON").is_some(), profile }
    }

    /// Runs the rows of a launch one after the other.
    fn run(&self, launch: &Launch<'_>) -> Result<()> {
        let program = launch.program.expand();
        let (rows, row_size) = match launch.row_axes {
            0 => (size_of(&launch.shape).div_ceil(BLOCK), BLOCK),
            _ => (launch.rows(), launch.row_size()),
        };
        let total = size_of(&launch.shape);
        let mut results: Vec<Vec<(usize, [u64; 2])>> = vec![Vec::new(); program.outputs.len()];
        let fault = Cell::new(Fault::NONE);
        for row in 0..rows {
            let first = row * row_size;
            let count = row_size.min(total - first);
            let index_base = if launch.row_axes == 0 { first } else { 0 };
            let registers =
                evaluate(&program, launch, first, count, index_base, FoldOrder::PLAN, &fault);
            for (position, output) in program.outputs.iter().enumerate() {
                let place = &launch.outputs[position];
                let elements = if output.domain == Domain::Row { 1 } else { count };
                for k in 0..elements {
                    let parts = output.parts.map(|reg| at(&registers[usize::from(reg)], k));
                    results[position].push((element(place, &launch.shape, first + k), parts));
                }
            }
        }
        failed(&fault, launch)?;
        // Inputs may be outputs, so nothing is written before everything is computed.
        for ((output, place), values) in program.outputs.iter().zip(&launch.outputs).zip(results) {
            write_elements(place, output.dtype, values);
        }
        Ok(())
    }
}

impl Default for Reference {
    fn default() -> Self {
        Self::new()
    }
}

/// The error of a launch, if an element had no result.
fn failed(fault: &Cell<Fault>, launch: &Launch<'_>) -> Result<()> {
    fault.get().outcome(&launch.program, &launch.scalars)
}

/// A register over a row: one value, or one an element.
#[inline]
fn at(register: &[u64], k: usize) -> u64 {
    if register.len() == 1 { register[0] } else { register[k] }
}

/// Position in memory of element `index` (C order) of an iteration space.
fn element(place: &StridedView<'_>, shape: &[usize], mut index: usize) -> usize {
    let mut position = place.offset as isize;
    for (&extent, &stride) in shape.iter().zip(&place.strides).rev() {
        position += (index % extent) as isize * stride;
        index /= extent;
    }
    position as usize
}

fn write_elements(
    place: &StridedView<'_>,
    dtype: DType,
    values: impl IntoIterator<Item = (usize, [u64; 2])>,
) {
    let mut bytes = bytes_of(place.memory).write().unwrap_or_else(PoisonError::into_inner);
    let size = dtype.size();
    for (position, parts) in values {
        scalar::store(dtype, parts, &mut bytes[position * size..][..size]);
    }
}

/// The registers of the state of a reduction: most have one, and a long row has many states, so few are allocated.
type State = SmallVec<[u64; 2]>;

/// How the reductions of a program combine their elements.
#[derive(Clone, Copy)]
struct FoldOrder {
    order: CombineOrder,
    /// From the left: registers of the state, and whether the last of `lifted` are what it starts from.
    parts: usize,
    has_initial: bool,
}

impl FoldOrder {
    const PLAN: FoldOrder = FoldOrder { order: CombineOrder::Plan, parts: 0, has_initial: false };

    /// Folds elements from left to right and returns each state.
    fn left(
        &self,
        reduction: &Reduction,
        program: &Program,
        elements: &[State],
        fault: &Cell<Fault>,
    ) -> Vec<State> {
        let mut all: Vec<State> = Vec::with_capacity(elements.len());
        for element in elements {
            let (given, start) = match self.has_initial {
                true => element.split_at(element.len() - self.parts),
                false => element.split_at(self.parts),
            };
            all.push(match all.last() {
                Some(state) => combine(reduction, program, state, given, fault),
                None if self.has_initial => combine(reduction, program, start, given, fault),
                None => given.into(),
            });
        }
        all
    }
}

/// All registers of a program over `count` elements from `first`; a value of the row has length 1.
fn evaluate(
    program: &Program,
    launch: &Launch<'_>,
    first: usize,
    count: usize,
    index_base: usize,
    fold: FoldOrder,
    fault: &Cell<Fault>,
) -> Vec<Vec<u64>> {
    let inputs: Vec<_> = launch.inputs.iter().map(|place| read_lock(place.memory)).collect();
    let elements = Elements { launch, inputs: &inputs, fault };
    let domains = program.domains();
    let mut registers: Vec<Vec<u64>> = Vec::with_capacity(program.instrs.len());
    let mut reduced: Vec<Option<State>> = vec![None; program.reductions.len()];
    // The state of a scan at each element.
    let mut running: Vec<State> = Vec::new();
    // The final states of each element, by the register that runs the loop.
    let mut looped: HashMap<usize, Vec<Vec<u64>>> = HashMap::new();
    let needed = needed(program);
    for ((instr, domain), needed) in program.instrs.iter().zip(domains).zip(needed) {
        if !needed {
            // No result is made of it, so it has no fault.
            registers.push(Vec::new());
            continue;
        }
        let length = if domain == Domain::Row { 1 } else { count };
        let values = match instr.op {
            Op::Load { input, part } => {
                let place = &launch.inputs[usize::from(input)];
                let (size, bytes) = (place.dtype.size(), &inputs[usize::from(input)]);
                let load = |k| {
                    let position = element(place, &launch.shape, first + k);
                    scalar::load(place.dtype, &bytes[position * size..][..size], part)
                };
                (0..length).map(load).collect()
            }
            Op::Scalar(index) => vec![launch.scalars[usize::from(index)]],
            Op::Index => (index_base..index_base + count).map(|index| index as u64).collect(),
            Op::Reduced { reduction, part } => {
                let number = usize::from(reduction);
                if reduced[number].is_none() {
                    let reduction = &program.reductions[number];
                    let elements = states(reduction, &registers, count);
                    reduced[number] = Some(match fold.order {
                        CombineOrder::Plan => {
                            plan::reduce(&elements, |a, b| join(reduction, program, a, b))
                        }
                        CombineOrder::Left => {
                            let all = fold.left(reduction, program, &elements, fault);
                            all[all.len() - 1].clone()
                        }
                    });
                }
                match &reduced[number] {
                    Some(state) => vec![state[usize::from(part)]],
                    None => unreachable!("reduced above"),
                }
            }
            Op::Running(part) => {
                if running.is_empty() {
                    let reduction = &program.reductions[0];
                    let elements = states(reduction, &registers, count);
                    running = plan::scan(&elements, &mut |a, b| join(reduction, program, a, b));
                }
                running.iter().map(|state| state[usize::from(part)]).collect()
            }
            Op::Loop(number) => {
                let own = &program.loops[usize::from(number)];
                let states = (0..length).map(|k| {
                    let operand = |&reg: &Reg| at(&registers[usize::from(reg)], k);
                    elements.run_loop(own, own.operands.iter().map(operand).collect())
                });
                looped.insert(registers.len(), states.collect());
                Vec::new()
            }
            Op::LoopState(part) => {
                let states = &looped[&usize::from(instr.args[0])];
                states.iter().map(|state| state[usize::from(part)]).collect()
            }
            Op::Const(_)
            | Op::Prim(_)
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Table(_)
            | Op::Gather { .. }
            | Op::BoundsCheck { .. } => {
                let given = instr.args(&program.loops);
                let arg_ty =
                    given.first().map_or(instr.ty, |&arg| program.instrs[usize::from(arg)].ty);
                (0..length)
                    .map(|k| {
                        let value = |&arg: &Reg| at(&registers[usize::from(arg)], k);
                        let nth = |argument: usize| given.get(argument).map_or(0, value);
                        elements.step(instr, arg_ty, [nth(0), nth(1), nth(2)])
                    })
                    .collect()
            }
            Op::Argument(_) | Op::Call(_) | Op::CallOpen(_) | Op::CallResult(_) => {
                unreachable!("not in an expanded program")
            }
        };
        registers.push(values);
    }
    registers
}

/// Which registers outputs and reductions are made of.
fn needed(program: &Program) -> Vec<bool> {
    let mut needed = vec![false; program.instrs.len()];
    let lifted = program.reductions.iter().flat_map(|reduction| &reduction.lifted);
    for &reg in program.outputs.iter().flat_map(|output| &output.parts).chain(lifted) {
        needed[usize::from(reg)] = true;
    }
    for reg in (0..needed.len()).rev() {
        if needed[reg] {
            program.args(reg as Reg).iter().for_each(|&arg| needed[usize::from(arg)] = true);
        }
    }
    needed
}

/// The state of each element of a row.
fn states(reduction: &Reduction, registers: &[Vec<u64>], count: usize) -> Vec<State> {
    (0..count)
        .map(|k| reduction.lifted.iter().map(|&reg| at(&registers[usize::from(reg)], k)).collect())
        .collect()
}

fn combine(
    reduction: &Reduction,
    program: &Program,
    a: &[u64],
    b: &[u64],
    fault: &Cell<Fault>,
) -> State {
    match &reduction.combine {
        Combine::Prim(prim) => {
            let ty = program.instrs[usize::from(reduction.lifted[0])].ty;
            a.iter().zip(b).map(|(&a, &b)| combine_prim(*prim, ty, a, b)).collect()
        }
        Combine::Body(body) => {
            let arguments: SmallVec<[u64; 8]> = a.iter().chain(b).copied().collect();
            run_body(body, &arguments, |instr, arg_ty, args| {
                scalar::step(&instr.op, instr.ty, arg_ty, args, fault)
            })
        }
    }
}

/// [`combine`], of what may be combined in any order: that never fails.
fn join(reduction: &Reduction, program: &Program, a: &[u64], b: &[u64]) -> State {
    let fault = Cell::new(Fault::NONE);
    let state = combine(reduction, program, a, b, &fault);
    assert_eq!(fault.get(), Fault::NONE, "no combination in any order fails");
    state
}

fn combine_prim(prim: Prim, ty: RegType, a: u64, b: u64) -> u64 {
    let fault = Cell::new(Fault::NONE);
    let value = scalar::prim(prim, ty, [a, b, 0], &fault);
    assert_eq!(fault.get(), Fault::NONE, "no combination fails");
    value
}

/// The product of two elements, as registers of their parts.
fn product(dtype: DType, a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    let real = |prim, a, b| combine_prim(prim, RegType::of(dtype), a, b);
    match dtype {
        DType::Bool => [real(Prim::And, a[0], b[0]); 2],
        DType::C64 | DType::C128 => {
            let [ac, bd] = [real(Prim::Mul, a[0], b[0]), real(Prim::Mul, a[1], b[1])];
            let [ad, bc] = [real(Prim::Mul, a[0], b[1]), real(Prim::Mul, a[1], b[0])];
            [real(Prim::Sub, ac, bd), real(Prim::Add, ad, bc)]
        }
        _ => [real(Prim::Mul, a[0], b[0]); 2],
    }
}

/// The sum of two elements, likewise: both parts of one that is real are the same.
fn sum(dtype: DType, a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    let add = if dtype == DType::Bool { Prim::Or } else { Prim::Add };
    let part = |part: usize| combine_prim(add, RegType::of(dtype), a[part], b[part]);
    let real = part(0);
    [real, if dtype.is_complex() { part(1) } else { real }]
}

/// The results of a body on these arguments. `step` computes an instruction, of which it gets the type of the first argument,
/// from its arguments.
fn run_body(
    body: &Body,
    arguments: &[u64],
    step: impl Fn(&Instr, RegType, [u64; 3]) -> u64,
) -> State {
    let mut registers = Registers::new();
    let no_loops = |_: &Loop, _| unreachable!("a combination has no loops");
    run_body_in(&mut registers, body, arguments, step, no_loops);
    body.results.iter().map(|&reg| registers[usize::from(reg)]).collect()
}

/// The registers of a body: a combination runs one for each pair of elements, and has few.
type Registers = SmallVec<[u64; 16]>;

/// Fills the registers of a body; what they held before is gone. `run` computes the final state of a loop from its operands.
fn run_body_in(
    registers: &mut Registers,
    body: &Body,
    arguments: &[u64],
    step: impl Fn(&Instr, RegType, [u64; 3]) -> u64,
    run: impl Fn(&Loop, Vec<u64>) -> Vec<u64>,
) {
    registers.clear();
    registers.reserve(body.instrs.len());
    // The final states of loops, by the register that runs the loop. Most bodies have no loop, and none has many.
    let mut looped: Vec<(Reg, Vec<u64>)> = Vec::new();
    for instr in &body.instrs {
        let value = |&arg: &Reg| registers[usize::from(arg)];
        let given = instr.args(&body.loops);
        let next = match instr.op {
            Op::Argument(position) => arguments[usize::from(position)],
            Op::Loop(number) => {
                let operands = given.iter().map(value).collect();
                let state = run(&body.loops[usize::from(number)], operands);
                looped.push((registers.len() as Reg, state));
                0
            }
            Op::LoopState(part) => match looped.iter().find(|(reg, _)| *reg == given[0]) {
                Some((_, state)) => state[usize::from(part)],
                None => unreachable!("a loop runs before its state is read"),
            },
            _ => {
                let nth = |argument: usize| given.get(argument).map_or(0, value);
                let args = [nth(0), nth(1), nth(2)];
                let arg_ty =
                    given.first().map_or(instr.ty, |&arg| body.instrs[usize::from(arg)].ty);
                step(instr, arg_ty, args)
            }
        };
        registers.push(next);
    }
}

/// What the instructions of an element may read and note.
struct Elements<'e, 'l> {
    launch: &'e Launch<'l>,
    /// The bytes of each input.
    inputs: &'e [RwLockReadGuard<'e, Vec<u8>>],
    fault: &'e Cell<Fault>,
}

impl Elements<'_, '_> {
    /// The value of an instruction, of its arguments.
    #[inline]
    fn step(&self, instr: &Instr, arg_ty: RegType, args: [u64; 3]) -> u64 {
        let Op::Gather { input, part } = instr.op else {
            return scalar::step(&instr.op, instr.ty, arg_ty, args, self.fault);
        };
        let place = &self.launch.inputs[usize::from(input)];
        let [position, size] = [args[0], args[1]].map(|bits| bits as i64);
        if !(0..size).contains(&position) {
            return 0;
        }
        let (size, first) = (place.dtype.size(), place.offset + position as usize);
        scalar::load(place.dtype, &self.inputs[usize::from(input)][first * size..][..size], part)
    }

    /// The final state of a loop on these operands.
    fn run_loop(&self, own: &Loop, mut operands: Vec<u64>) -> Vec<u64> {
        let step = |instr: &Instr, arg_ty, args| self.step(instr, arg_ty, args);
        let run = |own: &Loop, operands| self.run_loop(own, operands);
        // All iterations use the same memory: to allocate it anew took longer than to compute.
        let mut registers = Registers::new();
        let state = usize::from(own.state);
        for _ in 0..own.limit {
            run_body_in(&mut registers, &own.condition, &operands, step, run);
            if registers[usize::from(own.condition.results[0])] == 0 {
                break;
            }
            run_body_in(&mut registers, &own.step, &operands, step, run);
            let next = own.step.results.iter().map(|&reg| registers[usize::from(reg)]);
            operands[..state].iter_mut().zip(next).for_each(|(slot, value)| *slot = value);
        }
        operands.truncate(state);
        operands
    }
}

impl Backend for Reference {
    fn name(&self) -> String {
        "reference".to_string()
    }

    fn description(&self) -> String {
        "reference: plain loops, one value at a time".to_string()
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(bytes).map_err(|_| Error::OutOfMemory {
            op: "allocate",
            device: self.name(),
            requested: bytes,
            memory: None,
        })?;
        memory.resize(bytes, if self.poison { 0xFF } else { 0 });
        Ok(Arc::new(HostMemory { lock: RwLock::new(memory), bytes }))
    }

    fn write(&self, memory: &dyn Memory, bytes: &[u8]) -> Result<()> {
        check_bytes("write", memory, 0, bytes.len())?;
        let mut memory = bytes_of(memory).write().unwrap_or_else(PoisonError::into_inner);
        memory[..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, memory: &dyn Memory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        check_bytes("read", memory, offset, bytes.len())?;
        bytes.copy_from_slice(&read_lock(memory)[offset..][..bytes.len()]);
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn profile(&self) -> DeviceProfile {
        self.profile
    }

    fn row_limit(&self) -> usize {
        usize::MAX
    }

    fn map(&self, map: Checked<&Map<'_, '_>>) -> Result<()> {
        self.run(map.launch)
    }

    fn reduce(&self, reduce: Checked<&Reduce<'_, '_>>) -> Result<()> {
        self.run(reduce.launch)
    }

    fn fused_rowwise(&self, rows: Checked<&FusedRowwise<'_, '_>>) -> Result<()> {
        self.run(rows.launch)
    }

    fn scan(&self, scan: Checked<&Scan<'_>>) -> Result<()> {
        let launch = &scan.launch;
        if launch.program.reads_running_states() {
            return self.run(launch);
        }
        let program = launch.program.expand();
        let (reduction, place) = (&program.reductions[0], &launch.outputs[0]);
        let row_size = launch.row_size();
        let (mut values, fault) = (Vec::new(), Cell::new(Fault::NONE));
        for row in 0..launch.rows() {
            let first = row * row_size;
            let registers = evaluate(&program, launch, first, row_size, 0, FoldOrder::PLAN, &fault);
            let elements = states(reduction, &registers, row_size);
            let scanned = plan::scan(&elements, &mut |a, b| join(reduction, &program, a, b));
            for (k, state) in scanned.iter().enumerate() {
                let parts = [state[0], state[state.len() - 1]];
                values.push((element(place, &launch.shape, first + k), parts));
            }
        }
        failed(&fault, launch)?;
        write_elements(place, program.outputs[0].dtype, values);
        Ok(())
    }

    fn segmented_reduce(&self, reduce: Checked<&SegmentedReduce<'_>>) -> Result<()> {
        fold::segmented_reduce(&reduce)
    }

    fn fold_left(&self, fold_left: Checked<&FoldLeft<'_>>) -> Result<()> {
        fold::fold_left(&fold_left)
    }

    fn sort(&self, sort: Checked<&Sort<'_>>) -> Result<()> {
        sort::sort(&sort);
        Ok(())
    }

    fn partition_three_way(
        &self,
        partition: Checked<&PartitionThreeWay<'_>>,
    ) -> Result<Option<PartSizes>> {
        Ok(sort::partition_three_way(&partition))
    }

    fn nth_element(&self, nth_element: Checked<&NthElement<'_>>) -> Result<()> {
        sort::nth_element(&nth_element);
        Ok(())
    }

    fn search(&self, search: Checked<&Search<'_>>) -> Result<()> {
        sort::search(&search);
        Ok(())
    }

    fn correlate(&self, correlate: Checked<&Correlate<'_>>) -> Result<()> {
        correlate::correlate(&correlate);
        Ok(())
    }

    fn linear_algebra(&self) -> Option<&dyn LinearAlgebra> {
        Some(self)
    }

    fn fourier(&self) -> Option<&dyn Fourier> {
        Some(self)
    }

    fn simt(&self) -> Option<&dyn SimtKernels> {
        Some(self)
    }

    fn matmul(&self, request: Checked<&Matmul<'_>>) -> Result<()> {
        let dtype = request.out.dtype;
        let shape = |rows, columns| {
            let mut shape = request.batch.clone();
            shape.extend([rows, columns]);
            shape
        };
        let (left_shape, right_shape) = (shape(request.m, request.k), shape(request.k, request.n));
        let out_shape = shape(request.m, request.n);
        let mut values = Vec::new();
        {
            let (left, right) = (read_lock(request.left.memory), read_lock(request.right.memory));
            // The elements of one matrix: each is read once, and used in many sums.
            let elements_of = |place: &StridedView<'_>, bytes: &[u8], shape: &[usize], batch| {
                let size = shape[shape.len() - 2] * shape[shape.len() - 1];
                let load = |index| {
                    let position = element(place, shape, index);
                    let one = &bytes[position * dtype.size()..][..dtype.size()];
                    [0, if dtype.is_complex() { 1 } else { 0 }]
                        .map(|part| scalar::load(dtype, one, part))
                };
                (batch * size..(batch + 1) * size).map(load).collect::<Vec<[u64; 2]>>()
            };
            for batch in 0..size_of(&request.batch) {
                let a = elements_of(&request.left, &left, &left_shape, batch);
                let b = elements_of(&request.right, &right, &right_shape, batch);
                for (i, j) in (0..request.m).flat_map(|i| (0..request.n).map(move |j| (i, j))) {
                    let mut total = [0; 2];
                    for k in 0..request.k {
                        let (a, b) = (a[i * request.k + k], b[k * request.n + j]);
                        total = sum(dtype, total, product(dtype, a, b));
                    }
                    let index = (batch * request.m + i) * request.n + j;
                    values.push((element(&request.out, &out_shape, index), total));
                }
            }
        }
        write_elements(&request.out, dtype, values);
        Ok(())
    }

    fn gather(&self, gather: Checked<&Gather<'_>>) -> Result<()> {
        gather::gather(&gather)
    }

    fn scatter(&self, scatter: Checked<&Scatter<'_>>) -> Result<()> {
        gather::scatter(&scatter)
    }

    fn select(&self, select: Checked<&Select<'_>>) -> Result<()> {
        gather::select(&select)
    }
}
