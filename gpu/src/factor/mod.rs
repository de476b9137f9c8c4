//! Factorizations: by own kernels (`own`), or by a vendor's library (`library`), whichever is faster.

mod library;
mod own;

use std::sync::Arc;

use ndany_core::Result;
use ndany_core::backend::{Factor, Factoring};

use crate::runtime::Runtime;
use crate::settings::Preference;
use crate::solver::Solver;

/// Matrices that own kernels must have at once to be ahead of a library, which does one after the other.
const TOGETHER: usize = 4;

/// Factors a batch of matrices.
pub(crate) fn factor(
    runtime: &Arc<Runtime>,
    solver: Option<&Arc<dyn Solver>>,
    asked: Preference,
    request: &Factor<'_>,
) -> Result<()> {
    let library = match asked {
        Preference::Own => false,
        Preference::Library => true,
        Preference::Auto => suits(request),
    };
    if let Some(solver) = solver.filter(|_| library)
        && runtime.starts("linalg", || solver.is_there(runtime.stream()))?
        && library::factor(runtime, solver, request)?
    {
        return Ok(());
    }
    own::factor(runtime, request)
}

/// Whether a library is faster. Beyond extents that were measured on an H100 (`benches/RESULTS.md`): of a few matrices,
/// and of many, of which each block of an own kernel has one.
fn suits(request: &Factor<'_>) -> bool {
    let [few, many] = match request.task {
        Factoring::Lu
        | Factoring::Pivots
        | Factoring::Solve { .. }
        | Factoring::Inverse
        | Factoring::Cholesky => [256, 256],
        Factoring::Qr(_) => [128, 256],
        Factoring::Svd(_) => [32, 128],
        Factoring::Eigh { .. } => [64, 128],
        // No library has it.
        Factoring::Eig { .. } => [usize::MAX; 2],
    };
    let most = if request.batch < TOGETHER { few } else { many };
    request.rows.max(request.columns) > most
}
