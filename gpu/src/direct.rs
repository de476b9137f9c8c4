//! Factorizations of sparse arrays by a vendor's library: what the backend asks for where there is one.
//!
//! The library keeps an array's analysis and its factors in memory of its own. Here that is memory of the device that each call
//! writes, and it is given back after the last of them. A library may work for an array in the stream in which it was analyzed, whatever
//! stream a later call names (cuDSS 1.0 does), so all phases are in the default stream, which waits for operands, and for which others
//! wait. The library is opened at the first question, not with the device. Deliberately absent: calls in a recording of a graph.

use std::cell::RefCell;
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndany_core::backend::{
    self, Checked, ForeignMemory, Memory, Owner, SparseFactor, SparseMatrix, SparseSystem, refusals,
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

    /// Begins with an array.
    fn create(&self) -> DriverResult<Box<dyn DirectArray>>;
}

/// What a library keeps of an array. It is dropped when no work uses it any more.
pub trait DirectArray: Debug + Send {
    /// Submits a phase to the stream, and may wait for it; `false` where factors have replaced pivots.
    ///
    /// # Safety
    /// As of [`Driver`](crate::driver::Driver): the memory is alive, and what is written has no other user. The places are well formed
    /// and the same in all phases, and so is the stream. The phases before were submitted.
    unsafe fn execute(
        &mut self,
        phase: Phase,
        system: &System,
        stream: Stream,
    ) -> DriverResult<bool>;
}

/// What a library keeps of an array, and the number of the values that it factorized last, if that ended well.
struct State {
    array: Box<dyn DirectArray>,
    factored: Option<u64>,
}

/// An array that was analyzed.
struct Factor {
    runtime: Arc<Runtime>,
    /// What the library keeps, as memory that calls write. It is the last to hold the state.
    kept: Arc<GpuMemory>,
    state: Arc<Mutex<State>>,
}

impl Factor {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
    fn is_there(&self) -> Result<bool> {
        let (Some(solver), runtime) = (&self.direct, self.runtime()) else { return Ok(false) };
        // What others do in its place reads values, which neither has.
        if dry_run::is_active() || graph::active(runtime) {
            return Ok(false);
        }
        runtime.starts("splu", || solver.is_there())
    }

    fn analyze(&self, matrix: Checked<&SparseMatrix<'_>>) -> Result<Option<Arc<dyn SparseFactor>>> {
        if !<Self as backend::DirectSolver>::is_there(self)? {
            return Ok(None);
        }
        let (Some(solver), runtime) = (&self.direct, self.runtime()) else { return Ok(None) };
        let Some(array) = runtime.direct(|_| solver.create())? else { return Ok(None) };
        let state = Arc::new(Mutex::new(State { array, factored: None }));
        // An address that no memory of the device has.
        let (address, owner): (u64, Owner) = (Arc::as_ptr(&state) as u64, Box::new(state.clone()));
        let (kept, _) = runtime.foreign(ForeignMemory { address, bytes: 1, owner });
        let factor = Factor { runtime: runtime.clone(), kept, state };
        let _here = runtime.streams().enter_default();
        let reads = [matrix.indptr, matrix.indices, matrix.values].map(|view| view.memory);
        let written: [&dyn Memory; 1] = [&*factor.kept];
        Job::begin(runtime, reads, written, &[], None)?;
        // SAFETY: the request holds the memory, and its positions are well formed by the rules of providers; it is the first phase.
        let analyzed =
            unsafe { factor.execute(&mut factor.state(), Phase::Analyze, &system(*matrix)) };
        Ok((analyzed? == Some(true)).then(|| Arc::new(factor) as _))
    }
}

impl Factor {
    /// Submits a phase; nothing where the library refuses.
    ///
    /// # Safety
    /// As of [`DirectArray::execute`].
    unsafe fn execute(
        &self,
        state: &mut State,
        phase: Phase,
        system: &System,
    ) -> Result<Option<bool>> {
        let stream = self.runtime.stream();
        let array = RefCell::new(&mut state.array);
        // SAFETY: the caller's.
        self.runtime.direct(|_| unsafe { array.borrow_mut().execute(phase, system, stream) })
    }
}

impl SparseFactor for Factor {
    fn solve(&self, request: Checked<&SparseSystem<'_>>) -> Result<bool> {
        let Self { runtime, kept, .. } = self;
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
        let mut state = self.state();
        let _here = runtime.streams().enter_default();
        let reads = [matrix.indptr, matrix.indices, matrix.values, right].map(|view| view.memory);
        let written: [&dyn Memory; 2] = [out.memory, &**kept];
        let _job = Job::begin(runtime, reads, written, &[], None)?;
        if state.factored != Some(values) {
            let phase = match state.factored.take() {
                Some(_) => Phase::Refactorize,
                None => Phase::Factorize,
            };
            // SAFETY: the request holds the memory; positions are those that were analyzed, as core's trait says; `kept` puts this stream
            // behind the phases before.
            if unsafe { self.execute(&mut state, phase, &system) }? != Some(true) {
                return Ok(false);
            }
            state.factored = Some(values);
        }
        // SAFETY: as above.
        Ok(unsafe { self.execute(&mut state, Phase::Solve, &system) }? == Some(true))
    }
}
