//! Plans correlations: one block per tile of results.

use std::sync::Arc;

use ndany_core::Result;
use ndany_core::backend;
use ndany_kernels::correlate::Correlate;

use crate::job::Job;
use crate::operand::{Arguments, first};
use crate::runtime::Runtime;

pub(crate) fn correlate(runtime: &Arc<Runtime>, request: &backend::Correlate<'_>) -> Result<()> {
    let backend::Correlate { dtype, length, taps, outputs, before, .. } = *request;
    let reads = [request.long.memory, request.short.memory];
    let job = Job::begin(runtime, reads, [request.output.memory], &[], None)?;
    let large = Correlate { element: dtype, few: false };
    // Every processor is to have two blocks to go round between.
    let few =
        outputs.div_ceil(large.tile()) < 2 * runtime.driver().properties().multiprocessors as usize;
    let kernel = Correlate { few, ..large };
    let mut arguments = Arguments::default();
    arguments.extend([length, taps, outputs, before].map(|word| word as u64));
    arguments
        .places([&request.long, &request.short, &request.output].map(|place| first(place, dtype)));
    job.launch(&kernel, outputs.div_ceil(kernel.tile()), kernel.block(), &arguments)
}
