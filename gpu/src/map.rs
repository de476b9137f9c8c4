//! Planning maps: how many neighbours a thread takes, and the arguments.

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::program::Op;
use ndany_kernels::layout::Step;
use ndany_kernels::map::{BLOCK, Map};
use ndany_kernels::tiles::{self, MOST_BYTES, SIDE, Tiles};

use crate::driver::Driver;
use crate::job::Job;
use crate::operand::{Operand, Words, is_wide, walk};

/// Most neighbours of a thread: more would cost registers and bring no wider pieces.
const MOST: usize = 8;

/// Bytes that move at once.
const PIECE: usize = 16;

pub(crate) fn map<D: Driver>(job: &Job<'_, D>, launch: &Launch<'_>) -> Result<()> {
    let places = launch.inputs.iter().chain(&launch.outputs);
    let operands: Vec<Operand> = places.map(Operand::new::<D>).collect();
    if let Some(plan) = Across::of(launch, &operands) {
        return tiles(job, launch, &operands, &plan);
    }
    let size: usize = launch.shape.iter().product();
    let wide = is_wide(&launch.shape, &operands);
    let vector = neighbours(&launch.shape, &operands);
    let whole = size / vector * vector;
    // What is left over of a single axis is less than a vector.
    for (first, count, vector) in [(0, whole / vector, vector), (whole, size - whole, 1)] {
        if count > 0 {
            run(job, launch, &operands, wide, first, count, vector)?;
        }
    }
    Ok(())
}

fn run<D: Driver>(
    job: &Job<'_, D>,
    launch: &Launch<'_>,
    operands: &[Operand],
    wide: bool,
    first: usize,
    count: usize,
    vector: usize,
) -> Result<()> {
    let (walk, strides) = walk(&launch.shape, operands, 0..launch.shape.len(), wide);
    let kernel = Map { program: launch.program.clone(), walk, vector: vector as u32 };
    let mut words = Words::default();
    words.extend([first as u64, count as u64]);
    words.extend(strides.as_slice().iter().copied());
    words.addresses(operands);
    job.run(&kernel, count.div_ceil(BLOCK as usize), BLOCK, words)
}

/// How many neighbours along the innermost axis may move together.
fn neighbours(shape: &[usize], operands: &[Operand]) -> usize {
    let Some(last) = shape.len().checked_sub(1) else { return 1 };
    let moving = || operands.iter().filter(|operand| operand.strides[last] != 0);
    if moving().any(|operand| Step::of(operand.strides[last]) != Step::One) {
        return 1;
    }
    let largest = moving().map(|operand| operand.dtype.size()).max().unwrap_or(PIECE);
    let mut vector = (PIECE / largest).clamp(1, MOST);
    let fits = |vector: usize| {
        let aligned = |operand: &Operand| {
            let piece = (operand.dtype.size() * vector).min(PIECE);
            let steps = operand.strides[..last].iter();
            operand.address % piece as u64 == 0
                && steps
                    .clone()
                    .all(|&stride| stride.unsigned_abs() * operand.dtype.size() % piece == 0)
        };
        (last == 0 || shape[last] % vector == 0) && moving().all(aligned)
    };
    while !fits(vector) {
        vector /= 2;
    }
    vector
}

/// Extents from which on it pays to turn what lies across.
const LONG: usize = 16;

/// A map some of whose inputs lie across its outputs.
struct Across {
    /// The axis along which these inputs have neighbours.
    axis: usize,
    inputs: Vec<bool>,
}

impl Across {
    fn of(launch: &Launch<'_>, operands: &[Operand]) -> Option<Self> {
        let last = launch.shape.len().checked_sub(1)?;
        let (inputs, outputs) = operands.split_at(launch.inputs.len());
        let asks_position = launch.program.instrs.iter().any(|instr| instr.op == Op::Index);
        let long = |axis: usize| launch.shape[axis] >= LONG;
        if asks_position || !long(last) || outputs.iter().any(|output| output.strides[last] != 1) {
            return None;
        }
        // An input that steps along x anyhow, and along some other axis from neighbour to neighbour.
        let axis_of = |input: &Operand| match input.strides[last] {
            0 | 1 => None,
            _ => (0..last).find(|&axis| input.strides[axis] == 1 && long(axis)),
        };
        let axis = inputs.iter().find_map(axis_of)?;
        let mut bytes = 0;
        let mut turns = |input: &Operand| {
            let fits = axis_of(input) == Some(axis) && bytes + input.dtype.size() <= MOST_BYTES;
            bytes += if fits { input.dtype.size() } else { 0 };
            fits
        };
        Some(Self { axis, inputs: inputs.iter().map(&mut turns).collect() })
    }
}

fn tiles<D: Driver>(
    job: &Job<'_, D>,
    launch: &Launch<'_>,
    operands: &[Operand],
    plan: &Across,
) -> Result<()> {
    let last = launch.shape.len() - 1;
    let others: Vec<usize> = (0..last).filter(|&axis| axis != plan.axis).collect();
    let wide = is_wide(&launch.shape, operands);
    let shape: Vec<usize> = others.iter().map(|&axis| launch.shape[axis]).collect();
    let along = |operand: &Operand| {
        let strides: Vec<isize> = others.iter().map(|&axis| operand.strides[axis]).collect();
        operand.along(&strides)
    };
    let over_others: Vec<Operand> = operands.iter().map(along).collect();
    let (outer, strides) = walk(&shape, &over_others, 0..shape.len(), wide);
    let kernel = Tiles { program: launch.program.clone(), outer, across: plan.inputs.clone() };
    let [x, y] = [last, plan.axis].map(|axis| launch.shape[axis]);
    let [tiles_x, tiles_y] = [x, y].map(|extent| extent.div_ceil(SIDE));
    let mut words = Words::default();
    words.extend([x as u64, y as u64]);
    words.divisor(tiles_x, wide);
    words.divisor(tiles_y, wide);
    words.extend(strides.as_slice().iter().copied());
    for operand in operands {
        words.extend([last, plan.axis].map(|axis| operand.strides[axis] as i64 as u64));
    }
    words.addresses(operands);
    let blocks = tiles_x * tiles_y * shape.iter().product::<usize>();
    job.run(&kernel, blocks, tiles::BLOCK, words)
}
