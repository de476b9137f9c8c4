//! Plans partitions about nth elements: one block per row.

use std::sync::Arc;

use ndany_core::Result;
use ndany_core::backend::{self, Sorted};
use ndany_kernels::nth_element::{BLOCK, NthElement};

use crate::job::Job;
use crate::operand::{Arguments, Operand};
use crate::runtime::Runtime;

pub(crate) fn nth_element(runtime: &Arc<Runtime>, request: &backend::NthElement<'_>) -> Result<()> {
    let job = Job::begin(runtime, [request.source.memory], [request.output.memory], &[], None)?;
    let [source, output] = [&request.source, &request.output].map(Operand::new);
    let positions = request.write == Sorted::Positions;
    let kernel = NthElement { element: source.dtype, positions };
    let mut arguments = Arguments::default();
    arguments.extend([request.length, request.place].map(|word| word as u64));
    arguments.push(source.strides[0] as i64 as u64);
    arguments.places([source.address, output.address]);
    job.launch(&kernel, request.rows, BLOCK, &arguments)
}
