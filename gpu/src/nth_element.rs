//! Plans partitions about nth elements: one block per row.

use std::sync::Arc;

use ndany_core::Result;
use ndany_core::backend::{NthElement as Wanted, Sorted};
use ndany_kernels::nth_element::{BLOCK, NthElement};

use crate::driver::Driver;
use crate::job::Job;
use crate::operand::{Arguments, Operand};
use crate::runtime::Runtime;

pub(crate) fn nth_element<D: Driver>(runtime: &Arc<Runtime<D>>, wanted: &Wanted<'_>) -> Result<()> {
    let job = Job::begin(runtime, [wanted.source.memory], [wanted.output.memory], &[], None)?;
    let [source, output] = [&wanted.source, &wanted.output].map(Operand::new::<D>);
    let positions = wanted.write == Sorted::Positions;
    let kernel = NthElement { element: source.dtype, positions };
    let mut words = Arguments::default();
    words.extend([wanted.length, wanted.place].map(|word| word as u64));
    words.push(source.strides[0] as i64 as u64);
    words.extend([source.address, output.address]);
    job.launch(&kernel, wanted.rows, BLOCK, &words)
}
