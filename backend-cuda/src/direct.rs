//! cuDSS, NVIDIA's library for direct solutions of sparse systems: the names of its functions, its numbers, its calls.
//!
//! It is no part of CUDA's toolkit, and no other bindings of it are known, with which tests could compare: names, signatures and numbers
//! are those of `cudss.h` of release 1.0. Releases before it, whose files have the number 0, have other signatures.
//!
//! Pivots are chosen within blocks of the array. Where one is too small the library replaces it, and says how many: then an array does
//! not count as factorized. Of the orders of sums it is told to take one that is always the same.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndany_core::{DType, LibraryReport};
use ndany_gpu::direct::{DirectArray, DirectSolver, Phase, System};
use ndany_gpu::driver::{DriverError, DriverResult, Stream};
use ndany_gpu::vendor::api::Context;
use ndany_gpu::vendor::found;

use crate::driver::Nvidia;
use crate::library;

ndany_gpu::symbols! {
    /// Its functions.
    pub(crate) struct Cudss {
        fn cudssCreate(handle: *mut u64) -> u32;
        fn cudssSetStream(handle: u64, stream: u64) -> u32;
        fn cudssGetProperty(kind: u32, value: *mut i32) -> u32;
        fn cudssConfigCreate(config: *mut u64) -> u32;
        fn cudssConfigSet(config: u64, parameter: u32, value: *const i32, bytes: usize) -> u32;
        fn cudssConfigDestroy(config: u64) -> u32;
        fn cudssDataCreate(handle: u64, data: *mut u64) -> u32;
        fn cudssDataGet(
            handle: u64, data: u64, parameter: u32, value: *mut i32, bytes: usize, written: *mut usize,
        ) -> u32;
        fn cudssDataDestroy(handle: u64, data: u64) -> u32;
        fn cudssMatrixCreateCsr(
            made: *mut u64, rows: i64, columns: i64, entries: i64, begins: u64, ends: u64, indices: u64, values: u64,
            offset_type: u32, index_type: u32, value_type: u32, kind: u32, view: u32, base: u32,
        ) -> u32;
        fn cudssMatrixCreateDn(
            made: *mut u64, rows: i64, columns: i64, leading: i64, values: u64, value_type: u32, layout: u32,
        ) -> u32;
        fn cudssMatrixSetValues(matrix: u64, values: u64) -> u32;
        fn cudssMatrixSetCsrPointers(
            matrix: u64, begins: u64, ends: u64, indices: u64, values: u64,
        ) -> u32;
        fn cudssMatrixDestroy(matrix: u64) -> u32;
        fn cudssExecute(
            handle: u64, phase: i32, config: u64, data: u64, matrix: u64, solution: u64, right: u64,
        ) -> u32;
    }
}

/// Numbers of `cudss_data_types.h`.
mod numbers {
    /// `cudssStatus_t`.
    pub const NOT_INITIALIZED: u32 = 1;
    pub const ALLOC_FAILED: u32 = 2;
    /// `cudssPhase_t`: reordering with symbolic factorization, the factorizations, and all parts of a solution.
    pub const ANALYSIS: i32 = 3;
    pub const FACTORIZATION: i32 = 1 << 2;
    pub const REFACTORIZATION: i32 = 1 << 3;
    pub const SOLVE: i32 = 0x3f << 4;
    /// `cudssConfigParam_t`.
    pub const SOLVE_MODE: u32 = 4;
    pub const DETERMINISTIC_MODE: u32 = 24;
    /// `cudssSolveMode_t`.
    pub const AS_IT_IS: i32 = 0;
    pub const TRANSPOSE: i32 = 1;
    pub const CONJUGATE_TRANSPOSE: i32 = 2;
    /// `cudssDataParam_t`.
    pub const INFO: u32 = 0;
    pub const PIVOTS: u32 = 2;
    /// `cudssMatrixType_t`, `cudssMatrixViewType_t`, `cudssIndexBase_t`, `cudssLayout_t`.
    pub const GENERAL: u32 = 0;
    pub const FULL: u32 = 0;
    pub const BASE_ZERO: u32 = 0;
    pub const BY_COLUMNS: u32 = 0;
    /// `cudaDataType_t`.
    pub const R_64F: u32 = 1;
    pub const C_64F: u32 = 5;
    pub const R_32I: u32 = 10;
    pub const R_64I: u32 = 24;
}
use numbers::*;

/// cuDSS on one device.
#[derive(Clone, Debug)]
pub(crate) struct Solver {
    context: Context<Nvidia>,
    /// Made when it is first asked for. One call uses it at a time: each sets its stream first.
    handle: Arc<Mutex<Option<u64>>>,
}

/// What is destroyed when it goes.
#[derive(Debug)]
struct Destroyed {
    at: u64,
    destroy: unsafe extern "C" fn(u64) -> u32,
}

impl Drop for Destroyed {
    fn drop(&mut self) {
        // SAFETY: a live description or configuration, numbers of the host, without another user: the data that knew it are gone, or are
        // used no more.
        unsafe { (self.destroy)(self.at) };
    }
}

/// An array that the library knows. Its data refer to the configuration and to the descriptions of all phases, so these stay, and get the
/// addresses of each call.
#[derive(Debug)]
struct Known {
    solver: Solver,
    data: u64,
    config: Destroyed,
    /// The array, the right side and the solution, from the first phase on.
    described: Option<[Destroyed; 3]>,
}

fn check(call: &'static str, code: u32) -> DriverResult<()> {
    match code {
        0 => Ok(()),
        ALLOC_FAILED => Err(DriverError::OutOfMemory { call }),
        code => Err(DriverError::Call { call, code, text: String::new() }),
    }
}

/// What a function makes.
fn made(
    call: &'static str,
    destroy: unsafe extern "C" fn(u64) -> u32,
    make: impl FnOnce(*mut u64) -> u32,
) -> DriverResult<Destroyed> {
    let mut at = 0;
    check(call, make(&mut at))?;
    Ok(Destroyed { at, destroy })
}

impl Solver {
    /// For a device; opens nothing yet.
    pub(crate) fn new(context: Context<Nvidia>) -> Self {
        Self { context, handle: Arc::default() }
    }

    fn functions() -> DriverResult<&'static Cudss> {
        let found = library::CUDSS.get();
        found.map(|found| &found.symbols).map_err(|_| DriverError::Missing { call: "cuDSS" })
    }

    /// The handle, which others do not use meanwhile; the device's context is current.
    fn handle(&self, f: &Cudss) -> DriverResult<(u64, MutexGuard<'_, Option<u64>>)> {
        let mut held = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handle) = *held {
            return Ok((handle, held));
        }
        let mut handle = 0;
        // SAFETY: it writes a handle of the current device.
        match unsafe { (f.cudssCreate)(&mut handle) } {
            NOT_INITIALIZED => return Err(DriverError::OutOfMemory { call: "cudssCreate" }),
            code => check("cudssCreate", code)?,
        }
        *held = Some(handle);
        Ok((handle, held))
    }
}

impl DirectSolver for Solver {
    fn is_there(&self) -> DriverResult<bool> {
        let Ok(f) = Self::functions() else { return Ok(false) };
        let _current = self.context.enter("cuDSS")?;
        match self.handle(f) {
            Ok(_) => Ok(true),
            // It does not start here.
            Err(DriverError::Call { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn create(&self) -> DriverResult<Box<dyn DirectArray>> {
        let f = Self::functions()?;
        let _current = self.context.enter("cuDSS")?;
        let config = made("cudssConfigCreate", f.cudssConfigDestroy, |to| {
            // SAFETY: it writes a number.
            unsafe { (f.cudssConfigCreate)(to) }
        })?;
        set(f, &config, DETERMINISTIC_MODE, 1)?;
        let (handle, _held) = self.handle(f)?;
        let mut data = 0;
        // SAFETY: a live handle.
        check("cudssDataCreate", unsafe { (f.cudssDataCreate)(handle, &mut data) })?;
        Ok(Box::new(Known { solver: self.clone(), data, config, described: None }))
    }
}

/// Sets a number of a configuration.
fn set(f: &Cudss, config: &Destroyed, parameter: u32, value: i32) -> DriverResult<()> {
    // SAFETY: a live configuration; it reads one number.
    let code = unsafe { (f.cudssConfigSet)(config.at, parameter, &value, size_of::<i32>()) };
    check("cudssConfigSet", code)
}

/// Descriptions of an array and of its first sides.
fn describe(f: &Cudss, system: &System) -> DriverResult<[Destroyed; 3]> {
    let &System { indptr, indices, values, .. } = system;
    let value_type = if system.dtype == DType::C128 { C_64F } else { R_64F };
    let index_type = if system.index_dtype == DType::I64 { R_64I } else { R_32I };
    let [rows, entries] = [system.rows, system.entries].map(|extent| extent as i64);
    let matrix = made("cudssMatrixCreateCsr", f.cudssMatrixDestroy, |to| {
        // SAFETY: it writes a number, and reads no memory of the device; without `ends` rows end where the next begins.
        unsafe {
            (f.cudssMatrixCreateCsr)(
                to, rows, rows, entries, indptr, 0, indices, values, index_type, index_type,
                value_type, GENERAL, FULL, BASE_ZERO,
            )
        }
    })?;
    let side = |at| {
        made("cudssMatrixCreateDn", f.cudssMatrixDestroy, |to| {
            // SAFETY: as above.
            unsafe { (f.cudssMatrixCreateDn)(to, rows, 1, rows, at, value_type, BY_COLUMNS) }
        })
    };
    Ok([matrix, side(system.right)?, side(system.out)?])
}

impl DirectArray for Known {
    unsafe fn execute(
        &mut self,
        phase: Phase,
        system: &System,
        stream: Stream,
    ) -> DriverResult<bool> {
        let Self { solver, data, config, described } = self;
        let f = Solver::functions()?;
        let _current = solver.context.enter("cuDSS")?;
        let (handle, _held) = solver.handle(f)?;
        // SAFETY: a live handle; the caller vouches for the stream.
        check("cudssSetStream", unsafe { (f.cudssSetStream)(handle, stream.0) })?;
        let mode = match (system.is_adjoint, system.dtype) {
            (false, _) => AS_IT_IS,
            (true, DType::C128) => CONJUGATE_TRANSPOSE,
            // Arrays of real numbers are refused with the other one.
            (true, _) => TRANSPOSE,
        };
        set(f, config, SOLVE_MODE, mode)?;
        let [matrix, right, out] = match described {
            Some(described) => described,
            None => described.insert(describe(f, system)?),
        };
        let &System { indptr, indices, values, .. } = system;
        // SAFETY: a live description; it reads no memory of the device.
        let code = unsafe { (f.cudssMatrixSetCsrPointers)(matrix.at, indptr, 0, indices, values) };
        check("cudssMatrixSetCsrPointers", code)?;
        let number = match phase {
            Phase::Analyze => ANALYSIS,
            Phase::Factorize => FACTORIZATION,
            Phase::Refactorize => REFACTORIZATION,
            Phase::Solve => SOLVE,
        };
        // Solutions of several right sides at a time have no fixed order of sums.
        let columns = if phase == Phase::Solve { system.columns } else { 1 };
        let column = system.rows as u64 * system.dtype.size() as u64;
        for nth in 0..columns as u64 {
            for (side, first) in [(&*right, system.right), (&*out, system.out)] {
                // SAFETY: as above.
                let code = unsafe { (f.cudssMatrixSetValues)(side.at, first + nth * column) };
                check("cudssMatrixSetValues", code)?;
            }
            // SAFETY: live descriptions; the caller vouches for the memory, the places and the order of the phases.
            let code = unsafe {
                (f.cudssExecute)(handle, number, config.at, *data, matrix.at, out.at, right.at)
            };
            check("cudssExecute", code)?;
        }
        if !matches!(phase, Phase::Factorize | Phase::Refactorize) {
            return Ok(true);
        }
        for parameter in [INFO, PIVOTS] {
            let (mut value, mut written) = (0, 0);
            // SAFETY: it writes a number of these bytes, and waits for the stream where it has to.
            let code = unsafe {
                let bytes = size_of::<i32>();
                (f.cudssDataGet)(handle, *data, parameter, &mut value, bytes, &mut written)
            };
            check("cudssDataGet", code)?;
            if value != 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        let Ok(f) = Solver::functions() else { return };
        // A process that ends, or a child of a fork, leaves it.
        let Ok(_current) = self.solver.context.enter("cudssDataDestroy") else { return };
        let Ok((handle, _held)) = self.solver.handle(f) else { return };
        // SAFETY: the data are this one's alone, and by the rules of `DirectArray` no work uses them any more.
        unsafe { (f.cudssDataDestroy)(handle, self.data) };
    }
}

/// What there is.
pub(crate) fn report() -> LibraryReport {
    LibraryReport {
        name: "cuDSS",
        purpose: "factorizations of sparse arrays (`splu`)",
        without: "sparse arrays are factorized on the host",
        found: found(library::CUDSS.get(), |f| library::version(f.cudssGetProperty)),
    }
}
