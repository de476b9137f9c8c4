//! Plans factorizations: one block per matrix, and what each block works on.

use std::sync::Arc;

use ndany_core::backend::{self, Factoring, Vectors};
use ndany_core::{DType, Result};
use ndany_kernels::factor::{Factor, Task};

use crate::job::Job;
use crate::operand::{Arguments, first};
use crate::runtime::Runtime;

/// Maximum number of blocks per multiprocessor if each needs memory of its own.
const BLOCKS_EACH: usize = 4;

/// Bytes that blocks may have together, if that is more than one of them needs.
const MOST_BYTES: usize = 256 << 20;

/// What kernels call it.
fn task_of(task: Factoring) -> Task {
    match task {
        Factoring::Lu | Factoring::Pivots => Task::Lu,
        Factoring::Cholesky => Task::Cholesky,
        // Without right sides they are those of the identity.
        Factoring::Solve { .. } | Factoring::Inverse => Task::Solve,
        Factoring::Qr(_) => Task::Qr,
        Factoring::Svd(_) => Task::Svd,
        Factoring::Eigh { .. } => Task::Eigh,
        Factoring::Eig { .. } => Task::Eig,
    }
}

/// Factors by own kernels.
pub(crate) fn factor(runtime: &Arc<Runtime>, request: &backend::Factor<'_>) -> Result<()> {
    let task = task_of(request.task);
    let (m, n, dtype) = (request.rows, request.columns, request.dtype);
    let reads = request.inputs.iter().map(|place| place.memory);
    let writes = request.outputs.iter().chain([&request.status]).map(|place| place.memory);
    let job = Job::begin(runtime, reads, writes, &[], None)?;
    let (right, choice, columns) = match request.task {
        Factoring::Lu => (0, true, n),
        Factoring::Pivots | Factoring::Cholesky => (0, false, n),
        Factoring::Solve { right, shared } => (right, shared, right),
        Factoring::Inverse => (n, false, n),
        Factoring::Qr(Vectors::None) | Factoring::Svd(Vectors::None) => (0, false, 0),
        Factoring::Qr(Vectors::Reduced) | Factoring::Svd(Vectors::Reduced) => (0, true, m.min(n)),
        Factoring::Qr(Vectors::Full) => (0, true, m),
        Factoring::Svd(Vectors::Full) => (0, true, m.max(n)),
        Factoring::Eigh { vectors } | Factoring::Eig { vectors } => {
            (0, vectors, if vectors { n } else { 0 })
        }
    };
    let need = task.need(m, n, right, columns);
    let kernel = Factor::new(task, dtype, m.max(n), need);
    let (blocks, work) = match kernel.in_shared {
        0 => {
            let bytes = need * task.element(dtype).size();
            let most = runtime.driver().properties().multiprocessors as usize * BLOCKS_EACH;
            let blocks = request.batch.min(most).min((MOST_BYTES / bytes).max(1));
            (blocks, Some(job.scratch(blocks * bytes)?))
        }
        _ => (request.batch.min(1 << 30), None),
    };
    let made = request.output_dtypes();
    let given = |number: usize| request.inputs.get(number).map_or(0, |place| first(place, dtype));
    let out =
        |number: usize| request.outputs.get(number).map_or(0, |place| first(place, made[number]));
    let mut arguments = Arguments::default();
    let counts = [request.batch, m, n, right, usize::from(choice), columns, need];
    arguments.extend(counts.map(|count| count as u64));
    arguments.places([0, 1].map(given));
    arguments.places([0, 1, 2].map(out));
    arguments.address(first(&request.status, DType::I32));
    arguments.address(work.as_ref().map_or(0, |work| work.address()));
    job.launch(&kernel, blocks, kernel.threads, &arguments)
}
