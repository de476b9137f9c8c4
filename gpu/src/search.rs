//! Plans searches: a block has many needles of one row, or threads take needles as they come.

use std::sync::Arc;

use ndany_core::backend::{self, Found};
use ndany_core::{DType, Result};
use ndany_kernels::search::{BLOCK, Form, Search, TILE};

use crate::job::Job;
use crate::operand::{Arguments, Operand};
use crate::runtime::Runtime;

/// Blocks that a processor is to have to choose from.
const BLOCKS_EACH: usize = 16;

pub(crate) fn search(runtime: &Arc<Runtime>, request: &backend::Search<'_>) -> Result<()> {
    let backend::Search { rows, length, count, after_equal, .. } = *request;
    let reads = [request.needles.memory, request.sorted.memory];
    let job = Job::begin(runtime, reads, [request.output.memory], &[], None)?;
    let [sorted, needles, output] =
        [&request.sorted, &request.needles, &request.output].map(Operand::new);
    let counts = request.write == Found::Counts;
    if counts {
        job.fill(output.address, 0, rows * (length + 1) * DType::I64.size())?;
    }
    let (form, stretch, blocks) = match rows == 1 || count >= TILE {
        false => (Form::Any, TILE, (rows * count).div_ceil(TILE)),
        true => {
            let blocks = runtime.driver().properties().multiprocessors as usize * BLOCKS_EACH;
            let stretch = count.div_ceil(blocks.div_ceil(rows)).next_multiple_of(TILE);
            // A block's own counts are worth it where it has more needles than there are places.
            let form = Form::row(sorted.dtype, length, counts && count.min(stretch) > length);
            (form, stretch, rows * count.div_ceil(stretch))
        }
    };
    let kernel = Search { element: sorted.dtype, after_equal, counts, form };
    let mut arguments = Arguments::default();
    arguments
        .extend([rows, length, count, stretch, count.div_ceil(stretch)].map(|word| word as u64));
    arguments.extend([sorted.strides[0], needles.strides[0]].map(|step| step as i64 as u64));
    arguments.addresses([&sorted, &needles, &output]);
    job.launch(&kernel, blocks, BLOCK, &arguments)
}
