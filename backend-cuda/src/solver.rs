//! What is cuSOLVER's own: the names of its functions, its numbers.

use ndany_core::DType;
use ndany_gpu::library::LazyLibrary;
use ndany_gpu::solver::Pointers;
use ndany_gpu::vendor::solver::{Api, Names, Polar, Workspace};
use ndany_gpu::vendor::{Factorizations, dense};

use crate::blas::numbers::{C_32F, C_64F, R_32F, R_64F};
use crate::driver::Nvidia;
use crate::library;

#[cfg(test)]
use cudarc::cusolver::sys as bindings;

ndany_gpu::names! {
    const NAMES: solver, compared with bindings by signatures_are_those_of_other_bindings;
    create: cusolverDnCreate,
    set_stream: cusolverDnSetStream,
}

ndany_gpu::names! {
    const SINGLES: dense, compared with bindings by signatures_of_singles;
    potrf_workspace: cusolverDnSpotrf_bufferSize,
    potrf: cusolverDnSpotrf,
    getrf_workspace: cusolverDnSgetrf_bufferSize,
    getrf: cusolverDnSgetrf,
    getrs: cusolverDnSgetrs,
    geqrf_workspace: cusolverDnSgeqrf_bufferSize,
    geqrf: cusolverDnSgeqrf,
    orgqr_workspace: cusolverDnSorgqr_bufferSize,
    orgqr: cusolverDnSorgqr,
    syevd_workspace: cusolverDnSsyevd_bufferSize,
    syevd: cusolverDnSsyevd,
    gesvd_workspace: cusolverDnSgesvd_bufferSize,
    gesvd: cusolverDnSgesvd,
}

ndany_gpu::names! {
    const DOUBLES: dense, compared with bindings by signatures_of_doubles;
    potrf_workspace: cusolverDnDpotrf_bufferSize,
    potrf: cusolverDnDpotrf,
    getrf_workspace: cusolverDnDgetrf_bufferSize,
    getrf: cusolverDnDgetrf,
    getrs: cusolverDnDgetrs,
    geqrf_workspace: cusolverDnDgeqrf_bufferSize,
    geqrf: cusolverDnDgeqrf,
    orgqr_workspace: cusolverDnDorgqr_bufferSize,
    orgqr: cusolverDnDorgqr,
    syevd_workspace: cusolverDnDsyevd_bufferSize,
    syevd: cusolverDnDsyevd,
    gesvd_workspace: cusolverDnDgesvd_bufferSize,
    gesvd: cusolverDnDgesvd,
}

ndany_gpu::names! {
    const COMPLEX_SINGLES: dense, compared with bindings by signatures_of_complex_singles;
    potrf_workspace: cusolverDnCpotrf_bufferSize,
    potrf: cusolverDnCpotrf,
    getrf_workspace: cusolverDnCgetrf_bufferSize,
    getrf: cusolverDnCgetrf,
    getrs: cusolverDnCgetrs,
    geqrf_workspace: cusolverDnCgeqrf_bufferSize,
    geqrf: cusolverDnCgeqrf,
    orgqr_workspace: cusolverDnCungqr_bufferSize,
    orgqr: cusolverDnCungqr,
    syevd_workspace: cusolverDnCheevd_bufferSize,
    syevd: cusolverDnCheevd,
    gesvd_workspace: cusolverDnCgesvd_bufferSize,
    gesvd: cusolverDnCgesvd,
}

ndany_gpu::names! {
    const COMPLEX_DOUBLES: dense, compared with bindings by signatures_of_complex_doubles;
    potrf_workspace: cusolverDnZpotrf_bufferSize,
    potrf: cusolverDnZpotrf,
    getrf_workspace: cusolverDnZgetrf_bufferSize,
    getrf: cusolverDnZgetrf,
    getrs: cusolverDnZgetrs,
    geqrf_workspace: cusolverDnZgeqrf_bufferSize,
    geqrf: cusolverDnZgeqrf,
    orgqr_workspace: cusolverDnZungqr_bufferSize,
    orgqr: cusolverDnZungqr,
    syevd_workspace: cusolverDnZheevd_bufferSize,
    syevd: cusolverDnZheevd,
    gesvd_workspace: cusolverDnZgesvd_bufferSize,
    gesvd: cusolverDnZgesvd,
}

ndany_gpu::symbols! {
    /// What other libraries do not have alike.
    pub struct Own checked by bindings {
        fn cusolverGetProperty(kind: u32, value: *mut i32) -> u32;
        optional fn cusolverDnCreateParams(params: *mut u64) -> u32;
        optional fn cusolverDnDestroyParams(params: u64) -> u32;
        optional fn cusolverDnXgesvdp_bufferSize(
            handle: u64, params: u64, vectors: u32, reduced: i32, m: i64, n: i64, a_type: u32, a: u64,
            a_leading: i64, s_type: u32, s: u64, u_type: u32, u: u64, u_leading: i64, v_type: u32, v: u64,
            v_leading: i64, compute: u32, device_bytes: *mut usize, host_bytes: *mut usize,
        ) -> u32;
        optional fn cusolverDnXgesvdp(
            handle: u64, params: u64, vectors: u32, reduced: i32, m: i64, n: i64, a_type: u32, a: u64,
            a_leading: i64, s_type: u32, s: u64, u_type: u32, u: u64, u_leading: i64, v_type: u32, v: u64,
            v_leading: i64, compute: u32, device: u64, device_bytes: usize, host: u64, host_bytes: usize,
            info: u64, error: *mut f64,
        ) -> u32;
    }
}

/// Hands a decomposition on; the query of workspace sizes and the decomposition take the same, and then their own.
macro_rules! gesvdp {
    ($function:ident($polar:expr, $params:expr), $($rest:expr),*) => {{
        let Polar { handle, dtype, m, n, places: Pointers { a, b, c, d, .. } } = *$polar;
        let [whole, part] = types(dtype);
        #[rustfmt::skip]
        let code = $function(
            handle, $params, VECTORS, REDUCED, m, n, whole, a, m, part, b, whole, c, m, whole, d, n, whole, $($rest),*
        );
        code
    }};
}

/// NVIDIA's library for factorizations.
#[derive(Debug)]
pub struct Cusolver;

// SAFETY: tests compare signatures and numbers with bindings of another project.
unsafe impl Factorizations for Cusolver {
    type Vendor = Nvidia;
    type Own = Own;

    const NAME: &'static str = "cuSOLVER";
    const NAMES: Names = NAMES;
    const DENSE: [dense::Names; 4] = [SINGLES, DOUBLES, COMPLEX_SINGLES, COMPLEX_DOUBLES];
    const MEMORY_ERROR: u32 = 2;
    const HALVES: [u32; 2] = [0, 1];
    const AS_IT_IS: u32 = 0;
    const EIGEN: [u32; 2] = [0, 1];

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::CUSOLVER
    }

    fn version(own: &Own) -> String {
        library::version(own.cusolverGetProperty)
    }

    fn polar_workspaces(own: &Own, polar: &Polar) -> Option<Result<[usize; 2], u32>> {
        let (query, _) = (own.cusolverDnXgesvdp_bufferSize?, own.cusolverDnXgesvdp?);
        let (mut device, mut host) = (0, 0);
        // SAFETY: a live handle; it writes two numbers and reads no matrix.
        let code = with_params(own, |params| unsafe {
            gesvdp!(query(polar, params), &mut device, &mut host)
        });
        Some(if code == 0 { Ok([device, host]) } else { Err(code) })
    }

    unsafe fn polar(own: &Own, polar: &Polar, workspaces: [Workspace; 2], error: *mut f64) -> u32 {
        let Some(gesvdp) = own.cusolverDnXgesvdp else { return NOT_SUPPORTED };
        let [(device, device_bytes), (host, host_bytes)] = workspaces;
        let info = polar.places.status;
        // SAFETY: the caller's.
        with_params(own, |params| unsafe {
            gesvdp!(gesvdp(polar, params), device, device_bytes, host, host_bytes, info, error)
        })
    }
}

/// Calls what takes parameters, which hold defaults alone; the first code that is not 0.
fn with_params(own: &Own, call: impl FnOnce(u64) -> u32) -> u32 {
    let functions = (own.cusolverDnCreateParams, own.cusolverDnDestroyParams);
    let (Some(create), Some(destroy)) = functions else { return NOT_SUPPORTED };
    let mut params = 0;
    // SAFETY: it writes a handle.
    let made = unsafe { create(&mut params) };
    if made != 0 {
        return made;
    }
    let code = call(params);
    // SAFETY: a live handle that no other code has.
    unsafe { destroy(params) };
    code
}

/// Both bases are always asked for, and have memory: without memory cuSOLVER 12.0 failed where it was asked for none. As many
/// vectors as values.
const VECTORS: u32 = 1;
const REDUCED: i32 = 1;

/// What it says of a function that it has not.
const NOT_SUPPORTED: u32 = 9;

/// Numbers of a dtype and of its parts.
fn types(dtype: DType) -> [u32; 2] {
    match (dtype.part() == DType::F32, dtype.is_complex()) {
        (true, false) => [R_32F, R_32F],
        (false, false) => [R_64F, R_64F],
        (true, true) => [C_32F, R_32F],
        (false, true) => [C_64F, R_64F],
    }
}

#[cfg(test)]
mod tests {
    use cudarc::cusolver::sys;
    use ndany_core::DType;
    use ndany_gpu::vendor::Factorizations;

    use super::{Cusolver, types as types_of};

    #[test]
    fn constants_are_those_of_other_bindings() {
        use sys::{
            cublasFillMode_t as Half, cublasOperation_t as Operation, cudaDataType as Type,
            cusolverEigMode_t as Mode,
        };
        let modes = [Mode::CUSOLVER_EIG_MODE_NOVECTOR, Mode::CUSOLVER_EIG_MODE_VECTOR];
        assert_eq!(Cusolver::EIGEN, modes.map(|mode| mode as u32));
        let halves = [Half::CUBLAS_FILL_MODE_LOWER, Half::CUBLAS_FILL_MODE_UPPER];
        assert_eq!(Cusolver::HALVES, halves.map(|half| half as u32));
        let types = [Type::CUDA_R_32F, Type::CUDA_R_64F, Type::CUDA_C_32F, Type::CUDA_C_64F];
        let dtypes = [DType::F32, DType::F64, DType::C64, DType::C128];
        assert_eq!(dtypes.map(|dtype| types_of(dtype)[0]), types.map(|known| known as u32));
        let refused = sys::cusolverStatus_t::CUSOLVER_STATUS_NOT_SUPPORTED as u32;
        assert_eq!(super::NOT_SUPPORTED, refused);
        assert_eq!(Cusolver::AS_IT_IS, Operation::CUBLAS_OP_N as u32);
        let memory = sys::cusolverStatus_t::CUSOLVER_STATUS_ALLOC_FAILED as u32;
        assert_eq!(Cusolver::MEMORY_ERROR, memory);
    }
}
