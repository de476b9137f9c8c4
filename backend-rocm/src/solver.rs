//! What is hipSOLVER's own: the names of its functions, and its numbers. It stands in front of rocSOLVER.

use ndany_gpu::library::LazyLibrary;
use ndany_gpu::vendor::solver::{Api, Names, Polar, Workspace};
use ndany_gpu::vendor::{Factorizations, dense};

use crate::driver::Amd;
use crate::library;

ndany_gpu::names! {
    pub(crate) const NAMES: solver;
    create: hipsolverDnCreate,
    set_stream: hipsolverSetStream | hipsolverDnSetStream,
}

ndany_gpu::names! {
    pub(crate) const SINGLES: dense;
    potrf_workspace: hipsolverDnSpotrf_bufferSize,
    potrf: hipsolverDnSpotrf,
    getrf_workspace: hipsolverDnSgetrf_bufferSize,
    getrf: hipsolverDnSgetrf,
    getrs: hipsolverDnSgetrs,
    geqrf_workspace: hipsolverDnSgeqrf_bufferSize,
    geqrf: hipsolverDnSgeqrf,
    orgqr_workspace: hipsolverDnSorgqr_bufferSize,
    orgqr: hipsolverDnSorgqr,
    syevd_workspace: hipsolverDnSsyevd_bufferSize,
    syevd: hipsolverDnSsyevd,
    gesvd_workspace: hipsolverDnSgesvd_bufferSize,
    gesvd: hipsolverDnSgesvd,
}

ndany_gpu::names! {
    pub(crate) const DOUBLES: dense;
    potrf_workspace: hipsolverDnDpotrf_bufferSize,
    potrf: hipsolverDnDpotrf,
    getrf_workspace: hipsolverDnDgetrf_bufferSize,
    getrf: hipsolverDnDgetrf,
    getrs: hipsolverDnDgetrs,
    geqrf_workspace: hipsolverDnDgeqrf_bufferSize,
    geqrf: hipsolverDnDgeqrf,
    orgqr_workspace: hipsolverDnDorgqr_bufferSize,
    orgqr: hipsolverDnDorgqr,
    syevd_workspace: hipsolverDnDsyevd_bufferSize,
    syevd: hipsolverDnDsyevd,
    gesvd_workspace: hipsolverDnDgesvd_bufferSize,
    gesvd: hipsolverDnDgesvd,
}

ndany_gpu::names! {
    pub(crate) const COMPLEX_SINGLES: dense;
    potrf_workspace: hipsolverDnCpotrf_bufferSize,
    potrf: hipsolverDnCpotrf,
    getrf_workspace: hipsolverDnCgetrf_bufferSize,
    getrf: hipsolverDnCgetrf,
    getrs: hipsolverDnCgetrs,
    geqrf_workspace: hipsolverDnCgeqrf_bufferSize,
    geqrf: hipsolverDnCgeqrf,
    orgqr_workspace: hipsolverDnCungqr_bufferSize,
    orgqr: hipsolverDnCungqr,
    syevd_workspace: hipsolverDnCheevd_bufferSize,
    syevd: hipsolverDnCheevd,
    gesvd_workspace: hipsolverDnCgesvd_bufferSize,
    gesvd: hipsolverDnCgesvd,
}

ndany_gpu::names! {
    pub(crate) const COMPLEX_DOUBLES: dense;
    potrf_workspace: hipsolverDnZpotrf_bufferSize,
    potrf: hipsolverDnZpotrf,
    getrf_workspace: hipsolverDnZgetrf_bufferSize,
    getrf: hipsolverDnZgetrf,
    getrs: hipsolverDnZgetrs,
    geqrf_workspace: hipsolverDnZgeqrf_bufferSize,
    geqrf: hipsolverDnZgeqrf,
    orgqr_workspace: hipsolverDnZungqr_bufferSize,
    orgqr: hipsolverDnZungqr,
    syevd_workspace: hipsolverDnZheevd_bufferSize,
    syevd: hipsolverDnZheevd,
    gesvd_workspace: hipsolverDnZgesvd_bufferSize,
    gesvd: hipsolverDnZgesvd,
}

ndany_gpu::symbols! {
    /// Nothing that other libraries do not have alike.
    pub struct Own {}
}

/// AMD's library for factorizations.
#[derive(Debug)]
pub struct Hipsolver;

// SAFETY: the names are those of the vendor's headers, with which a test compares signatures and numbers.
unsafe impl Factorizations for Hipsolver {
    type Vendor = Amd;
    type Own = Own;

    const NAME: &'static str = "hipSOLVER";
    const NAMES: Names = NAMES;
    const DENSE: [dense::Names; 4] = [SINGLES, DOUBLES, COMPLEX_SINGLES, COMPLEX_DOUBLES];
    const MEMORY_ERROR: u32 = 2;
    const HALVES: [u32; 2] = [122, 121];
    const AS_IT_IS: u32 = 111;
    const EIGEN: [u32; 2] = [201, 202];

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::HIPSOLVER
    }

    fn version(_: &Own) -> String {
        "not told".to_string()
    }

    fn polar_workspaces(_: &Own, _: &Polar) -> Option<Result<[usize; 2], u32>> {
        None
    }

    unsafe fn polar(_: &Own, _: &Polar, _: [Workspace; 2], _: *mut f64) -> u32 {
        NOT_SUPPORTED
    }
}

/// What it says of a function that it has not.
const NOT_SUPPORTED: u32 = 7;

/// What the headers call the numbers.
#[cfg(test)]
pub(crate) const CONSTANTS: [(&str, u32); 7] = [
    ("HIPSOLVER_STATUS_ALLOC_FAILED", Hipsolver::MEMORY_ERROR),
    ("HIPSOLVER_STATUS_NOT_SUPPORTED", NOT_SUPPORTED),
    ("HIPSOLVER_FILL_MODE_LOWER", Hipsolver::HALVES[0]),
    ("HIPSOLVER_FILL_MODE_UPPER", Hipsolver::HALVES[1]),
    ("HIPSOLVER_OP_N", Hipsolver::AS_IT_IS),
    ("HIPSOLVER_EIG_MODE_NOVECTOR", Hipsolver::EIGEN[0]),
    ("HIPSOLVER_EIG_MODE_VECTOR", Hipsolver::EIGEN[1]),
];
