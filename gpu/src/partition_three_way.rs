//! Plans three-way partitions: count, scan the counts, write, and return the sizes of the parts.

use std::sync::Arc;

use ndany_core::backend::{self, PartSizes, Sorted, StridedView};
use ndany_core::{DType, Result};
use ndany_kernels::partition_three_way::{BLOCK, CHUNK, COUNTS, PartitionThreeWay, Pass};

use crate::job::Job;
use crate::operand::{Arguments, Operand};
use crate::runtime::Runtime;
use crate::scan::running_sums;

/// Waits for the sizes of the parts.
pub(crate) fn partition_three_way(
    runtime: &Arc<Runtime>,
    request: &backend::PartitionThreeWay<'_>,
) -> Result<Option<PartSizes>> {
    let element = request.source.dtype;
    if element == DType::Bool || element.is_complex() {
        return Ok(None);
    }
    let ends = runtime.allocate(COUNTS * DType::I64.size())?;
    let limits = [&request.low, &request.high];
    let reads = limits.into_iter().flatten().chain([&request.source]).map(|place| place.memory);
    let job = Job::begin(runtime, reads, [request.output.memory, &*ends], &[], None)?;
    let count = request.length;
    let blocks = count.div_ceil(CHUNK);
    let counts = job.scratch(COUNTS * blocks * DType::I64.size())?;
    let address = |place: &StridedView<'_>| Operand::new(place).address;
    let run = |pass: Pass, counts: u64| {
        let positions = request.write == Sorted::Positions;
        let kernel = PartitionThreeWay { pass, element, positions };
        let mut arguments = Arguments::default();
        arguments.extend([count as u64, blocks as u64]);
        arguments.address(address(&request.source));
        arguments.places(limits.map(|limit| limit.as_ref().map_or(0, address)));
        arguments.places([address(&request.output), counts, ends.address()]);
        job.launch(&kernel, blocks, BLOCK, &arguments)
    };
    run(Pass::Count, counts.address())?;
    let scanned = running_sums(&job, counts.address(), COUNTS * blocks)?;
    run(Pass::Write, scanned.address())?;
    let mut bytes = [0; COUNTS * size_of::<i64>()];
    runtime.read(&ends, 0, &mut bytes)?;
    let mut numbers = bytes.as_chunks().0.iter().map(|&number| i64::from_le_bytes(number) as usize);
    let [below, within, _, nans] = std::array::from_fn(|_| numbers.next().unwrap_or_default());
    Ok((nans == 0).then(|| PartSizes { below, inside: within - below }))
}
