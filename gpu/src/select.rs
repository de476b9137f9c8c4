//! Planning selections: count, scan the counts, write.

use ndany_core::backend::Select as Wanted;
use ndany_core::{DType, Result};
use ndany_kernels::moving::moved;
use ndany_kernels::select::{BLOCK, CHUNK, Pass, Select};

use crate::driver::Driver;
use crate::job::Job;
use crate::operand::{Arguments, Operand, is_wide, walk};
use crate::scan::running_sums;

pub(crate) fn select<D: Driver>(job: &Job<'_, D>, wanted: &Wanted<'_>) -> Result<()> {
    let places = [Some(&wanted.mask), wanted.source.as_ref()];
    let operands: Vec<Operand> = places.into_iter().flatten().map(Operand::new::<D>).collect();
    let count: usize = wanted.shape.iter().product();
    let blocks = count.div_ceil(CHUNK);
    let counts = job.scratch(blocks * DType::I64.size())?;
    let source = wanted.source.as_ref().map(|place| moved(place.dtype));
    let wide = is_wide(&wanted.shape, &operands);
    let (walk, strides) = walk(&wanted.shape, &operands, 0..wanted.shape.len(), wide);
    let out = Operand::new::<D>(&wanted.out);
    let run = |pass: Pass, counts: u64| {
        let kernel = Select { pass, source, walk: walk.clone() };
        let mut words = Arguments::default();
        words.push(count as u64);
        words.append(&strides);
        words.push(operands[0].address);
        words.push(operands.get(1).map_or(0, |source| source.address));
        words.extend([out.address, counts, wanted.count as u64]);
        job.launch(&kernel, blocks, BLOCK, &words)
    };
    run(Pass::Count, counts.address())?;
    let scanned = running_sums(job, counts.address(), blocks)?;
    run(Pass::Write, scanned.address())
}
