//! Plans gathers and scatters.

use ndany_core::backend::{Gather, Origin, Positions, Scatter, StridedView};
use ndany_core::{DType, Error, Result};
use ndany_kernels::gather_scatter::{Action, BLOCK, EACH, GatherScatter, Table, moved};
use smallvec::SmallVec;

use crate::deferred::DeferredError;
use crate::job::Job;
use crate::operand::{Arguments, Operand, index_map, is_wide};
use crate::runtime::Runtime;

use std::sync::Arc;

/// An array of this many times as many elements as are written has its table by hash.
const SPARSE: usize = 8;

/// A launch of either pattern.
struct Move<'m> {
    shape: &'m [usize],
    positions: &'m [Positions<'m>],
    /// The array that positions index, the other one, the positions.
    operands: Vec<Operand>,
}

impl<'m> Move<'m> {
    fn new(
        shape: &'m [usize],
        array: &StridedView<'_>,
        other: &StridedView<'_>,
        positions: &'m [Positions<'m>],
    ) -> Self {
        let places = [array, other].into_iter().chain(positions.iter().map(|own| &own.place));
        Self { shape, positions, operands: places.map(Operand::new).collect() }
    }

    fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// The lowest offset of the array that can be reached, and how many elements there are from it on.
    fn reach(&self) -> (isize, usize) {
        let walked = self.shape.iter().zip(&self.operands[0].strides);
        let walked = walked.map(|(&extent, &stride)| (extent, stride));
        let named = self.positions.iter().map(|own| (own.extent, own.stride));
        let (mut lowest, mut highest) = (0isize, 0isize);
        for (extent, stride) in walked.chain(named) {
            let far = (extent.max(1) - 1) as isize * stride;
            lowest += far.min(0);
            highest += far.max(0);
        }
        (lowest, (highest - lowest) as usize + 1)
    }

    fn run(
        &self,
        job: &Job<'_>,
        action: Action,
        dtype: DType,
        table: Option<(isize, u64, u64, u64)>,
    ) -> Result<()> {
        let wide = is_wide(self.shape, &self.operands);
        let mut arguments = Arguments::default();
        arguments.push(self.count() as u64);
        let axes = 0..self.shape.len();
        let index_map = index_map(self.shape, &self.operands, axes, wide, &mut arguments);
        let position_dtype = self.positions.first().map_or(DType::I64, |own| own.place.dtype);
        let kernel = GatherScatter { action, dtype, position_dtype, index_map };
        arguments.addresses(&self.operands);
        for own in self.positions {
            arguments.extend([own.extent as u64, own.stride as i64 as u64]);
        }
        arguments.places(job.error_word());
        if let Some((lowest, ranks, keys, slots)) = table {
            arguments.push(lowest as i64 as u64);
            arguments.places([ranks, keys]);
            arguments.push(slots);
        }
        let (blocks, block) = match action {
            Action::Report => (1, 32),
            Action::Gather
            | Action::Check
            | Action::Claim(_)
            | Action::Write(_)
            | Action::Combine(_) => (self.count().div_ceil((BLOCK * EACH) as usize), BLOCK),
        };
        job.launch(&kernel, blocks, block, &arguments)
    }
}

/// The deferred error of positions: which of them was first out of range.
fn deferred(
    runtime: &Arc<Runtime>,
    positions: &[Positions<'_>],
    origin: Origin<'_>,
) -> Result<Option<DeferredError>> {
    let (op, failed) = (origin.op, origin.keep());
    let axes: SmallVec<[(usize, usize); 2]> =
        positions.iter().map(|own| (own.axis, own.extent)).collect();
    runtime.deferred_if_launched(move |words| {
        let (axis, size) = axes[(words[2] as usize).min(axes.len() - 1)];
        failed(Error::Index { op, index: words[1] as i64 as isize, axis, size })
    })
}

pub(crate) fn gather(runtime: &Arc<Runtime>, request: &Gather<'_>) -> Result<()> {
    let Gather { shape, source, positions, out, origin } = request;
    let indices = positions.iter().map(|own| own.place.memory);
    let reads = [source.memory].into_iter().chain(indices);
    let deferred = deferred(runtime, positions, *origin)?;
    let job = Job::begin(runtime, reads, [out.memory], &[], deferred)?;
    let moving = Move::new(shape, source, out, positions);
    moving.run(&job, Action::Gather, moved(source.dtype), None)?;
    moving.run(&job, Action::Report, moved(source.dtype), None)
}

pub(crate) fn scatter(runtime: &Arc<Runtime>, request: &Scatter<'_>) -> Result<()> {
    let Scatter { shape, target, positions, values, combine, origin } = request;
    let indices = positions.iter().map(|own| own.place.memory);
    let reads = [values.memory].into_iter().chain(indices).chain([target.memory]);
    let deferred = deferred(runtime, positions, *origin)?;
    let job = Job::begin(runtime, reads, [target.memory], &[], deferred)?;
    let moving = Move::new(shape, target, values, positions);
    let dtype = moved(target.dtype);
    moving.run(&job, Action::Check, dtype, None)?;
    moving.run(&job, Action::Report, dtype, None)?;
    if let Some(prim) = combine {
        return moving.run(&job, Action::Combine(*prim), target.dtype, None);
    }
    let (lowest, span) = moving.reach();
    let count = moving.count();
    let (table, slots) = match span / SPARSE > count {
        true => (Table::Hash, (2 * count).next_power_of_two()),
        false => (Table::Place, span),
    };
    let ranks = job.cleared(slots * size_of::<u64>())?;
    let keys = match table {
        Table::Hash => Some(job.cleared(slots * size_of::<u64>())?),
        Table::Place => None,
    };
    let keys_address = keys.as_ref().map_or(0, |keys| keys.address());
    let named = Some((lowest, ranks.address(), keys_address, slots as u64));
    moving.run(&job, Action::Claim(table), dtype, named)?;
    moving.run(&job, Action::Write(table), dtype, named)
}
