//! Factorizations of sparse arrays by a vendor's library: what the backend asks for where there is one.
//!
//! The library keeps an array's analysis and its factors in memory of its own. Here that memory is a [`GpuMemory`] that each call
//! writes: so calls in several streams follow each other, and it is given back after the last of them. The library is opened at the
//! first question, not with the device. Deliberately absent: calls in a recording of a graph.

use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::backend::{
    self, Checked, ForeignMemory, SparseFactor, SparseMatrix, SparseSystem, refusals,
};
use ndany_core::dry_run;
use ndany_core::{DType, Result};

use crate::GpuBackend;
use crate::driver::{Address, DriverResult, Stream};
use crate::graph;
use crate::job::Job;
use crate::memory::GpuMemory;
use crate::operand::first;
use crate::runtime::Runtime;

/// A square array of compressed rows, and systems of equations of it. No extent is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "as core's requests call them")]
pub struct System {
    pub dtype: DType,
    pub index_dtype: DType,
    pub rows: usize,
    pub entries: usize,
    pub indptr: Address,
    pub indices: Address,
    pub values: Address,
    pub is_adjoint: bool,
    /// Right sides, each of which follows the one before.
    pub columns: usize,
    pub right: Address,
    pub out: Address,
}

/// What is done with an array that a library knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Its places are analyzed.
    Analyze,
    /// It is factorized, for the first time.
    Factorize,
    /// It is factorized with other values.
    Refactorize,
    /// Systems are solved.
    Solve,
}

/// A vendor's library for direct solutions on one device.
pub trait DirectSolver: Debug + Send + Sync {
    /// Whether the library is present. Opens it at the first call; if it is missing the caller factorizes otherwise. A library that
    /// finds no memory to start in is an error, and is asked again the next time.
    fn is_there(&self) -> DriverResult<bool>;

    /// Begins with an array: the number by which calls name it.
    fn create(&self) -> DriverResult<u64>;

    /// Submits a phase to the stream, and may wait for it; `false` where factors have replaced pivots.
    ///
    /// # Safety
    /// As of [`Driver`](crate::driver::Driver): the memory is alive, and what is written has no other user. The places are well formed
    /// and the same in all phases of an array. The array is alive, no other thread uses it, and the phases before were submitted.
    unsafe fn execute(
        &self,
        array: u64,
        phase: Phase,
        system: &System,
        stream: Stream,
    ) -> DriverResult<bool>;

    /// Ends with an array.
    ///
    /// # Safety
    /// The array is alive, and no work uses it any more.
    unsafe fn destroy(&self, array: u64);
}

/// What a library keeps of an array.
struct Kept {
    solver: Arc<dyn DirectSolver>,
    array: u64,
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: the array is this owner's alone, which is dropped after all work that uses it.
        unsafe { self.solver.destroy(self.array) };
    }
}

/// An array that was analyzed.
struct Factor {
    runtime: Arc<Runtime>,
    solver: Arc<dyn DirectSolver>,
    array: u64,
    /// What the library keeps, as memory that calls write.
    kept: Arc<GpuMemory>,
    /// The number of the values that were factorized last, if that ended well.
    factored: Mutex<Option<u64>>,
}

impl Debug for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Factor").field("kept", &self.kept).finish()
    }
}

/// The addresses of an array.
fn system(matrix: &SparseMatrix<'_>) -> System {
    let SparseMatrix { dtype, index_dtype, rows, entries, .. } = *matrix;
    System {
        dtype,
        index_dtype,
        rows,
        entries,
        indptr: first(&matrix.indptr, index_dtype),
        indices: first(&matrix.indices, index_dtype),
        values: first(&matrix.values, dtype),
        is_adjoint: false,
        // Only solutions read and write sides; a library wants addresses.
        columns: 1,
        right: first(&matrix.values, dtype),
        out: first(&matrix.values, dtype),
    }
}

impl backend::DirectSolver for GpuBackend {
    fn analyze(&self, matrix: Checked<&SparseMatrix<'_>>) -> Result<Option<Arc<dyn SparseFactor>>> {
        let (Some(solver), runtime) = (&self.direct, self.runtime()) else { return Ok(None) };
        // What others do in its place reads values, which neither has.
        if dry_run::is_active() || graph::active(runtime) {
            return Ok(None);
        }
        if !runtime.starts("splu", || solver.is_there())? {
            return Ok(None);
        }
        let Some(array) = runtime.direct(|_| solver.create())? else { return Ok(None) };
        let owner: Box<dyn Any + Send> = Box::new(Kept { solver: solver.clone(), array });
        let kept = ForeignMemory { address: array, bytes: 1, owner };
        let (kept, _) = runtime.foreign(kept);
        let reads = [matrix.indptr, matrix.indices, matrix.values].map(|view| view.memory);
        Job::begin(runtime, reads, [&*kept as &dyn backend::Memory], &[], None)?;
        let (stream, system) = (runtime.stream(), system(*matrix));
        // SAFETY: the request holds the memory, and its positions are well formed by the rules of providers; nothing else knows the array.
        let analyzed = runtime
            .direct(|_| unsafe { solver.execute(array, Phase::Analyze, &system, stream) })?;
        if analyzed != Some(true) {
            return Ok(None);
        }
        let (runtime, solver) = (runtime.clone(), solver.clone());
        let factor = Factor { runtime, solver, array, kept, factored: Mutex::default() };
        Ok(Some(Arc::new(factor)))
    }
}

impl SparseFactor for Factor {
    fn solve(&self, request: Checked<&SparseSystem<'_>>) -> Result<bool> {
        let Self { runtime, solver, array, kept, .. } = self;
        if dry_run::is_active() {
            return Ok(true);
        }
        graph::refuse(runtime, "solve", refusals::FACTORS)?;
        let SparseSystem { matrix, values, is_adjoint, columns, right, out } = **request;
        let system = System {
            is_adjoint,
            columns,
            right: first(&right, matrix.dtype),
            out: first(&out, matrix.dtype),
            ..system(&matrix)
        };
        let mut factored = self.factored.lock().unwrap_or_else(PoisonError::into_inner);
        let reads = [matrix.indptr, matrix.indices, matrix.values, right].map(|view| view.memory);
        let _job = Job::begin(runtime, reads, [out.memory, &**kept], &[], None)?;
        let stream = runtime.stream();
        let execute = |phase| {
            // SAFETY: the request holds the memory; positions are those that were analyzed, as core's trait says; the lock keeps others
            // away from the array, and `kept` puts this stream behind the one before.
            runtime.direct(|_| unsafe { solver.execute(*array, phase, &system, stream) })
        };
        if *factored != Some(values) {
            let phase =
                if factored.take().is_some() { Phase::Refactorize } else { Phase::Factorize };
            if execute(phase)? != Some(true) {
                return Ok(false);
            }
            *factored = Some(values);
        }
        Ok(execute(Phase::Solve)? == Some(true))
    }
}
