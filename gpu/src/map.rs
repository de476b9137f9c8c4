//! Planning maps: how many neighbours a thread takes, and the arguments.

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_kernels::layout::Step;
use ndany_kernels::map::{BLOCK, Map};

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
