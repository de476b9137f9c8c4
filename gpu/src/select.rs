//! Plans selections: count, scan the counts, write.

use ndany_core::backend;
use ndany_core::{DType, Result};
use ndany_kernels::gather_scatter::moved;
use ndany_kernels::select::{BLOCK, CHUNK, Pass, Select};

use crate::job::Job;
use crate::operand::{Arguments, Operand, index_map, is_wide};
use crate::scan::running_sums;

pub(crate) fn select(job: &Job<'_>, request: &backend::Select<'_>) -> Result<()> {
    let places = [Some(&request.mask), request.source.as_ref()];
    let operands: Vec<Operand> = places.into_iter().flatten().map(Operand::new).collect();
    let count: usize = request.shape.iter().product();
    let blocks = count.div_ceil(CHUNK);
    let counts = job.scratch(blocks * DType::I64.size())?;
    let source = request.source.as_ref().map(|place| moved(place.dtype));
    let wide = is_wide(&request.shape, &operands);
    let mut strides = Arguments::default();
    let axes = 0..request.shape.len();
    let index_map = index_map(&request.shape, &operands, axes, wide, &mut strides);
    let out = Operand::new(&request.out);
    let run = |pass: Pass, counts: u64| {
        let kernel = Select { pass, source, index_map: index_map.clone() };
        let mut arguments = Arguments::default();
        arguments.push(count as u64);
        arguments.append(&strides);
        let source = operands.get(1).map_or(0, |source| source.address);
        arguments.places([operands[0].address, source, out.address, counts]);
        arguments.push(request.count as u64);
        job.launch(&kernel, blocks, BLOCK, &arguments)
    };
    run(Pass::Count, counts.address())?;
    let scanned = running_sums(job, counts.address(), blocks)?;
    run(Pass::Write, scanned.address())
}
