//! [`Library`]: the [`Solver`] made of a vendor's library for factorizations, of the shape of cuSOLVER's.
//!
//! Deliberately absent: its functions for batches, which take few shapes, and its own iterations and tolerances.

use std::ffi::c_void;
use std::fmt;

use ndany_core::DType;
use ndany_core::backend::Vectors;

use super::api::{Context, Vendor};
use super::dense;
use super::handle::{self, Handles, LockedHandle};
use super::table::{self, Named, NamedBy, Table, functions};
use crate::driver::{Address, DriverError, DriverResult, Stream};
use crate::library::{Incomplete, LazyLibrary, Library as File, Symbols};
use crate::solver::{Pointers, Solver, SolverStep};

functions! {
    /// What such libraries have besides the functions of the dtypes.
    pub struct Functions {
        fn create(handle: *mut u64);
        fn set_stream(handle: u64, stream: u64);
    }
}

/// What every vendor's library has.
#[derive(Debug)]
pub struct Tables {
    /// Whatever the dtype.
    pub common: Functions,
    /// For F32, F64, C64 and C128.
    pub dense: [dense::Functions; 4],
}

impl Table for Tables {
    type Names = (Names, [dense::Names; 4]);

    unsafe fn load(library: &File, names: &Self::Names) -> Result<Self, Incomplete> {
        let (common, [singles, doubles, complex_singles, complex_doubles]) = names;
        // SAFETY: the caller's.
        let load = |names| unsafe { dense::Functions::load(library, names) };
        let dense =
            [load(singles)?, load(doubles)?, load(complex_singles)?, load(complex_doubles)?];
        // SAFETY: as above.
        let common = unsafe { Functions::load(library, common) }?;
        Ok(Self { common, dense })
    }

    fn anchor(&self) -> *const c_void {
        self.common.anchor()
    }
}

/// A vendor's library.
pub type Api<S> = table::Api<S, Tables, <S as Factorizations>::Own>;

// SAFETY: an implementation of `Factorizations` guarantees its names.
unsafe impl<S: Factorizations> NamedBy<Tables> for S {
    const NAMES: (Names, [dense::Names; 4]) = (<S as Factorizations>::NAMES, S::DENSE);
}

/// What is a vendor's own about its library.
///
/// # Safety
/// Names are those of the vendor's functions with the signatures of [`Functions`] and [`dense::Functions`].
pub unsafe trait Factorizations: fmt::Debug + Send + Sync + Sized + 'static {
    /// Whose it is.
    type Vendor: Vendor;
    /// What no other vendor has alike.
    type Own: Symbols + Send + Sync;

    /// Product name.
    const NAME: &'static str;
    /// What it calls its functions.
    const NAMES: Names;
    /// What it calls those of F32, F64, C64 and C128.
    const DENSE: [dense::Names; 4];
    /// Its code for too little memory.
    const MEMORY_ERROR: u32;
    /// Its numbers for the lower triangle and the upper one.
    const HALVES: [u32; 2];
    /// Its number for a matrix as it is.
    const AS_IT_IS: u32;
    /// Its numbers for eigenvalues alone, and with vectors.
    const EIGEN: [u32; 2];

    /// The library.
    fn library() -> &'static LazyLibrary<Api<Self>>;

    /// Its version.
    fn version(own: &Self::Own) -> String;

    /// Bytes that a polar decomposition works in, on the device and on the host; its code where it refuses, nothing
    /// where it has none.
    fn polar_workspaces(own: &Self::Own, polar: &Polar) -> Option<Result<[usize; 2], u32>>;

    /// Decomposes.
    ///
    /// # Safety
    /// The handle and all memory are alive until the stream is past it.
    unsafe fn polar(
        own: &Self::Own,
        polar: &Polar,
        workspaces: [Workspace; 2],
        error: *mut f64,
    ) -> u32;
}

/// A polar decomposition that is asked for.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "as the step calls them")]
pub struct Polar {
    pub handle: u64,
    pub dtype: DType,
    pub m: i64,
    pub n: i64,
    pub places: Pointers,
}

/// Memory to work in: an address and bytes.
pub type Workspace = (u64, usize);

/// A vendor's library on one device.
#[derive(Debug)]
pub struct Library<S: Factorizations> {
    context: Context<S::Vendor>,
    /// One for each stream: what such a library keeps on the device besides the workspace that it is given is not
    /// documented, and work of two streams that runs at the same time must not share it.
    handles: Handles,
}

/// A size as the library takes it.
fn size(call: &'static str, size: usize) -> DriverResult<i32> {
    let text = || format!("an extent of {size} is too large for it");
    i32::try_from(size).map_err(|_| DriverError::Call { call, code: 0, text: text() })
}

fn check<S: Factorizations>(call: &Named<impl Copy>, code: u32) -> DriverResult<()> {
    handle::check(call.name, code, S::MEMORY_ERROR)
}

impl<S: Factorizations> Library<S> {
    /// For a device; opens nothing yet.
    pub fn new(context: Context<S::Vendor>) -> Self {
        Self { context, handles: Handles::default() }
    }

    fn hold(&self, stream: Stream) -> DriverResult<Option<(&'static Api<S>, LockedHandle<'_>)>> {
        let Ok(found) = S::library().get() else { return Ok(None) };
        let api = &found.symbols;
        let create = &api.functions.common.create;
        // SAFETY: an implementation of `Factorizations` guarantees the function.
        let held = unsafe {
            let starts = (S::NAME, S::MEMORY_ERROR);
            self.handles.hold(&self.context, create, starts, stream.0, |_| ())
        };
        Ok(held?.map(|held| (api, held)))
    }

    /// Bytes that a polar decomposition works in.
    fn workspaces(api: &Api<S>, polar: &Polar) -> DriverResult<[usize; 2]> {
        let missing = DriverError::Call { call: S::NAME, code: 0, text: "it has no such".into() };
        let workspaces = S::polar_workspaces(&api.own, polar).ok_or(missing)?;
        workspaces.map_err(|code| DriverError::Call { call: S::NAME, code, text: String::new() })
    }

    /// Decomposes; `false` where values had to be shifted, as the library does near a singular matrix.
    ///
    /// # Safety
    /// As of [`Solver::run`]; the device's context is current.
    unsafe fn polar(
        &self,
        api: &Api<S>,
        polar: &Polar,
        workspace: (Address, usize),
        stream: Stream,
    ) -> DriverResult<bool> {
        let [_, bytes] = Self::workspaces(api, polar)?;
        let mut host = vec![0u64; bytes.div_ceil(8)];
        let mut shift = f64::NAN;
        let wait = &self.context.api.functions.wait_for_stream;
        // SAFETY: the caller vouches for the device's memory; the host's outlives the wait.
        unsafe {
            let workspaces = [workspace, (host.as_mut_ptr() as u64, bytes)];
            let code = S::polar(&api.own, polar, workspaces, &mut shift);
            let waited = (wait.function)(stream.0);
            handle::check(S::NAME, code, S::MEMORY_ERROR)?;
            self.context.api.check(wait.name, waited)?;
        }
        Ok(shift == 0.0)
    }
}

fn polar(handle: u64, dtype: DType, [m, n]: [usize; 2], places: Pointers) -> Polar {
    Polar { handle, dtype, m: m as i64, n: n as i64, places }
}

/// The functions of a dtype.
fn of<S: Factorizations>(api: &Api<S>, dtype: DType) -> &dense::Functions {
    let [singles, doubles, complex_singles, complex_doubles] = &api.functions.dense;
    match (dtype.part() == DType::F32, dtype.is_complex()) {
        (true, false) => singles,
        (false, false) => doubles,
        (true, true) => complex_singles,
        (false, true) => complex_doubles,
    }
}

/// LAPACK's letters for singular vectors.
fn letter(vectors: Vectors) -> i8 {
    let letter = match vectors {
        Vectors::None => b'N',
        Vectors::Reduced => b'S',
        Vectors::Full => b'A',
    };
    letter.cast_signed()
}

impl<S: Factorizations> Solver for Library<S> {
    fn is_there(&self, stream: Stream) -> DriverResult<bool> {
        Ok(self.hold(stream)?.is_some())
    }

    fn workspace(&self, step: &SolverStep, dtype: DType, stream: Stream) -> DriverResult<usize> {
        let Some((api, held)) = self.hold(stream)? else {
            return Err(DriverError::Missing { call: S::NAME });
        };
        let _current = self.context.enter(S::NAME)?;
        let handle = held.handle;
        let d = of(api, dtype);
        let mut elements = 0;
        let elements_of = &mut elements;
        let i = |extent| size(S::NAME, extent);
        // SAFETY: a live handle; the functions write a number and read no matrix.
        unsafe {
            match *step {
                SolverStep::Cholesky { n } => {
                    let f = &d.potrf_workspace;
                    check::<S>(
                        f,
                        (f.function)(handle, S::HALVES[0], i(n)?, 0, i(n)?, elements_of),
                    )?;
                }
                SolverStep::Lu { m, n } => {
                    let f = &d.getrf_workspace;
                    check::<S>(f, (f.function)(handle, i(m)?, i(n)?, 0, i(m)?, elements_of))?;
                }
                SolverStep::Solve { .. } => {}
                SolverStep::Reflect { m, n } => {
                    let f = &d.geqrf_workspace;
                    check::<S>(f, (f.function)(handle, i(m)?, i(n)?, 0, i(m)?, elements_of))?;
                }
                SolverStep::Basis { m, columns, count } => {
                    let f = &d.orgqr_workspace;
                    let sizes = [i(m)?, i(columns)?, i(count)?];
                    let [m, columns, count] = sizes;
                    check::<S>(f, (f.function)(handle, m, columns, count, 0, m, 0, elements_of))?;
                }
                SolverStep::Eigh { n, vectors } => {
                    let (f, vectors) = (&d.syevd_workspace, S::EIGEN[usize::from(vectors)]);
                    check::<S>(
                        f,
                        (f.function)(
                            handle,
                            vectors,
                            S::HALVES[1],
                            i(n)?,
                            0,
                            i(n)?,
                            0,
                            elements_of,
                        ),
                    )?;
                }
                SolverStep::Svd { m, n, .. } => {
                    let f = &d.gesvd_workspace;
                    check::<S>(f, (f.function)(handle, i(m)?, i(n)?, elements_of))?;
                }
                SolverStep::Polar { m, n } => {
                    let polar = polar(handle, dtype, [m, n], Pointers::default());
                    let [device, _] = Self::workspaces(api, &polar)?;
                    return Ok(device);
                }
            }
        }
        Ok(usize::try_from(elements).unwrap_or(0) * dtype.size())
    }

    unsafe fn run(
        &self,
        step: &SolverStep,
        dtype: DType,
        places: &Pointers,
        workspace: (Address, usize),
        stream: Stream,
    ) -> DriverResult<bool> {
        let Some((api, held)) = self.hold(stream)? else {
            return Err(DriverError::Missing { call: S::NAME });
        };
        let _current = self.context.enter(S::NAME)?;
        let handle = held.handle;
        let d = of(api, dtype);
        let set_stream = &api.functions.common.set_stream;
        let Pointers { a, b, c, d: right, status } = *places;
        let (work, elements) = (workspace.0, size(S::NAME, workspace.1 / dtype.size())?);
        let i = |extent| size(S::NAME, extent);
        // SAFETY: a live handle; the caller vouches for the stream and the memory.
        unsafe {
            check::<S>(set_stream, (set_stream.function)(handle, stream.0))?;
            match *step {
                SolverStep::Cholesky { n } => {
                    let (f, n) = (&d.potrf, i(n)?);
                    check::<S>(
                        f,
                        (f.function)(handle, S::HALVES[0], n, a, n, work, elements, status),
                    )
                }
                SolverStep::Lu { m, n } => {
                    let (f, m) = (&d.getrf, i(m)?);
                    check::<S>(f, (f.function)(handle, m, i(n)?, a, m, work, b, status))
                }
                SolverStep::Solve { n, right } => {
                    let (f, n, how) = (&d.getrs, i(n)?, S::AS_IT_IS);
                    check::<S>(f, (f.function)(handle, how, n, i(right)?, a, n, b, c, n, status))
                }
                SolverStep::Reflect { m, n } => {
                    let (f, m) = (&d.geqrf, i(m)?);
                    check::<S>(f, (f.function)(handle, m, i(n)?, a, m, b, work, elements, status))
                }
                SolverStep::Basis { m, columns, count } => {
                    let (f, m, columns, count) = (&d.orgqr, i(m)?, i(columns)?, i(count)?);
                    let code =
                        (f.function)(handle, m, columns, count, a, m, b, work, elements, status);
                    check::<S>(f, code)
                }
                SolverStep::Eigh { n, vectors } => {
                    let (f, n, vectors) = (&d.syevd, i(n)?, S::EIGEN[usize::from(vectors)]);
                    let code = (f.function)(
                        handle,
                        vectors,
                        S::HALVES[1],
                        n,
                        a,
                        n,
                        b,
                        work,
                        elements,
                        status,
                    );
                    check::<S>(f, code)
                }
                SolverStep::Svd { m, n, vectors } => {
                    let (f, m, n, letter) = (&d.gesvd, i(m)?, i(n)?, letter(vectors));
                    let code = (f.function)(
                        handle, letter, letter, m, n, a, m, b, c, m, right, n, work, elements, 0,
                        status,
                    );
                    check::<S>(f, code)
                }
                SolverStep::Polar { m, n } => {
                    let polar = polar(handle, dtype, [m, n], *places);
                    return self.polar(api, &polar, workspace, stream);
                }
            }?;
        }
        Ok(true)
    }
}
