//! Planning partitions of rows: a block each.

use std::sync::Arc;

use ndany_core::Result;
use ndany_core::backend::{Partition as Wanted, Sorted};
use ndany_kernels::partition::{BLOCK, Partition};

use crate::driver::Driver;
use crate::job::Job;
use crate::operand::{Arguments, Operand};
use crate::runtime::Runtime;

pub(crate) fn partition<D: Driver>(runtime: &Arc<Runtime<D>>, wanted: &Wanted<'_>) -> Result<()> {
    let job = Job::begin(runtime, [wanted.source.memory], [wanted.output.memory], &[], None)?;
    let [source, output] = [&wanted.source, &wanted.output].map(Operand::new::<D>);
    let positions = wanted.write == Sorted::Positions;
    let kernel = Partition { element: source.dtype, positions };
    let mut words = Arguments::default();
    words.extend([wanted.length, wanted.place].map(|word| word as u64));
    words.push(source.strides[0] as i64 as u64);
    words.extend([source.address, output.address]);
    job.launch(&kernel, wanted.rows, BLOCK, &words)
}
