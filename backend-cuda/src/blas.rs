//! cuBLAS as [`Blas`]: strided batches of products, of floats real and complex.
//!
//! cuBLAS goes by columns. Read by columns, memory that holds a matrix row by row holds its transpose; so instead of
//! `left · right` it is asked for `rightᵗ · leftᵗ`, whose columns are the rows wanted.
//!
//! f32 is f32 unless TF32 is asked for, and 16-bit floats accumulate in f32. Deliberately absent: integers.

use std::sync::{Mutex, OnceLock, PoisonError};

use ndany_core::DType;
use ndany_gpu::blas::{Blas, Factor, Gemm};
use ndany_gpu::driver::{DriverError, DriverResult, Stream};

use crate::driver::Context;
use crate::library::{self, Cublas};

mod constants {
    pub(super) const ALLOC_FAILED: u32 = 3;
    /// Partial sums of 16-bit products stay f32.
    pub(super) const DISALLOW_REDUCED_PRECISION_REDUCTION: u32 = 16;
    pub(super) const COMPUTE_32F: u32 = 68;
    pub(super) const COMPUTE_64F: u32 = 70;
    pub(super) const COMPUTE_32F_FAST_TF32: u32 = 77;
    pub(super) const R_32F: u32 = 0;
    pub(super) const R_64F: u32 = 1;
    pub(super) const R_16F: u32 = 2;
    pub(super) const C_32F: u32 = 4;
    pub(super) const C_64F: u32 = 5;
    pub(super) const R_16BF: u32 = 14;
    pub(super) const ALGORITHM_DEFAULT: i32 = -1;
}
use constants::*;

/// What NVIDIA recommends for a Hopper and newer; older ones make use of less.
const WORKSPACE: usize = 32 << 20;

/// cuBLAS on one device.
#[derive(Debug)]
pub(crate) struct CudaBlas {
    context: Context,
    /// Calls set the stream and the workspace first, so they come one by one.
    handle: OnceLock<Option<Mutex<u64>>>,
}

impl CudaBlas {
    pub(crate) fn new(context: Context) -> Self {
        Self { context, handle: OnceLock::new() }
    }

    fn handle(&self) -> Option<(&'static Cublas, &Mutex<u64>)> {
        let cublas = &library::cublas().ok()?.symbols;
        let handle = self.handle.get_or_init(|| {
            let _current = self.context.enter("cublasCreate_v2").ok()?;
            let mut handle = 0;
            // SAFETY: it writes a handle, of the current context.
            let code = unsafe { (cublas.cublasCreate_v2)(&mut handle) };
            if code != 0 {
                tracing::warn!(
                    code,
                    "cuBLAS is there but does not start; own kernels multiply instead"
                );
                return None;
            }
            // SAFETY: a live handle. Where the mode is unknown the default stays, which is right for all but 16 bits.
            unsafe { (cublas.cublasSetMathMode)(handle, DISALLOW_REDUCED_PRECISION_REDUCTION) };
            Some(Mutex::new(handle))
        });
        Some((cublas, handle.as_ref()?))
    }
}

/// The version of the library.
pub(crate) fn version(cublas: &Cublas) -> String {
    let [major, minor, patch] = [0, 1, 2].map(|kind| {
        let mut value = 0;
        // SAFETY: it writes a number.
        unsafe { (cublas.cublasGetProperty)(kind, &mut value) };
        value
    });
    format!("{major}.{minor}.{patch}")
}

/// The numbers of a dtype and of the type to compute in; nothing for what cuBLAS does not multiply.
fn types(dtype: DType, tf32: bool) -> Option<[u32; 2]> {
    let single = if tf32 { COMPUTE_32F_FAST_TF32 } else { COMPUTE_32F };
    match dtype {
        DType::F16 => Some([R_16F, COMPUTE_32F]),
        DType::BF16 => Some([R_16BF, COMPUTE_32F]),
        DType::F32 => Some([R_32F, single]),
        DType::F64 => Some([R_64F, COMPUTE_64F]),
        DType::C64 => Some([C_32F, single]),
        DType::C128 => Some([C_64F, COMPUTE_64F]),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => None,
    }
}

impl Blas for CudaBlas {
    fn is_there(&self) -> bool {
        self.handle().is_some()
    }

    fn workspace(&self) -> usize {
        WORKSPACE
    }

    unsafe fn gemm(&self, gemm: &Gemm, stream: Stream) -> DriverResult<()> {
        let call = "cublasGemmStridedBatchedEx";
        let (Some((cublas, handle)), Some([dtype, compute])) =
            (self.handle(), types(gemm.dtype, gemm.tf32))
        else {
            return Err(DriverError::Missing { call });
        };
        let check = |call, code| check(cublas, call, code);
        let _current = self.context.enter(call)?;
        let handle = *handle.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: a live handle; the caller vouches for the stream.
        let code = unsafe { (cublas.cublasSetStream_v2)(handle, stream.0) };
        check("cublasSetStream_v2", code)?;
        // Behind the stream, which sets it back. SAFETY: the caller vouches for the memory.
        let code = unsafe { (cublas.cublasSetWorkspace_v2)(handle, gemm.workspace, WORKSPACE) };
        check("cublasSetWorkspace_v2", code)?;
        let [one, zero] = [1.0, 0.0].map(|value| Factor::of(gemm.dtype, value));
        let Gemm { left, right, out, m, k, n, batch, .. } = *gemm;
        // Both functions take the same but for the width of these. Read by columns the right matrix is the first.
        macro_rules! multiply {
            ($function:expr, $sizes:expr) => {{
                let [n, m, k, b, a, c, batch] = $sizes;
                let [b_step, a_step, c_step] = [right, left, out].map(|matrix| matrix.step as i64);
                let [b_at, a_at, c_at] = [right, left, out].map(|matrix| matrix.address);
                let (one, zero) = (one.as_ptr(), zero.as_ptr());
                let [first, second] = [right, left].map(|matrix| u32::from(matrix.transposed));
                // SAFETY: the caller vouches for the matrices; the factors outlive the call, which reads them at once.
                #[rustfmt::skip]
                let code = unsafe {
                    $function(
                        handle, first, second, n, m, k, one, b_at, dtype, b, b_step, a_at, dtype, a, a_step,
                        zero, c_at, dtype, c, c_step, batch, compute, ALGORITHM_DEFAULT,
                    )
                };
                code
            }};
        }
        let sizes = [n, m, k, right.leading, left.leading, out.leading, batch];
        let code = if sizes.iter().all(|&size| i32::try_from(size).is_ok()) {
            multiply!((cublas.cublasGemmStridedBatchedEx), sizes.map(|size| size as i32))
        } else {
            let call = "cublasGemmStridedBatchedEx_64";
            let wide = cublas.cublasGemmStridedBatchedEx_64.ok_or(DriverError::Missing { call })?;
            multiply!(wide, sizes.map(|size| size as i64))
        };
        check(call, code)
    }
}

fn check(cublas: &Cublas, call: &'static str, code: u32) -> DriverResult<()> {
    match code {
        0 => Ok(()),
        ALLOC_FAILED => Err(DriverError::OutOfMemory { call }),
        _ => {
            let text = cublas.cublasGetStatusString.map(|function| {
                // SAFETY: it takes any number, and gives a constant text.
                unsafe { std::ffi::CStr::from_ptr(function(code).cast()) }
            });
            let text = text.map_or_else(String::new, |text| text.to_string_lossy().into_owned());
            Err(DriverError::Call { call, code, text })
        }
    }
}

#[cfg(test)]
mod tests {
    use cudarc::cublas::sys;

    use super::constants;

    #[test]
    fn constants_are_those_of_other_bindings() {
        use sys::cublasComputeType_t as Compute;
        use sys::cudaDataType_t as Data;
        let pairs = [
            (constants::ALLOC_FAILED, sys::cublasStatus_t::CUBLAS_STATUS_ALLOC_FAILED as u32),
            (
                constants::DISALLOW_REDUCED_PRECISION_REDUCTION,
                sys::cublasMath_t::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION as u32,
            ),
            (constants::COMPUTE_32F, Compute::CUBLAS_COMPUTE_32F as u32),
            (constants::COMPUTE_64F, Compute::CUBLAS_COMPUTE_64F as u32),
            (constants::COMPUTE_32F_FAST_TF32, Compute::CUBLAS_COMPUTE_32F_FAST_TF32 as u32),
            (constants::R_32F, Data::CUDA_R_32F as u32),
            (constants::R_64F, Data::CUDA_R_64F as u32),
            (constants::R_16F, Data::CUDA_R_16F as u32),
            (constants::C_32F, Data::CUDA_C_32F as u32),
            (constants::C_64F, Data::CUDA_C_64F as u32),
            (constants::R_16BF, Data::CUDA_R_16BF as u32),
        ];
        for (ours, theirs) in pairs {
            assert_eq!(ours, theirs);
        }
        assert_eq!(constants::ALGORITHM_DEFAULT, sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT as i32);
        // No transposition and transposition.
        assert_eq!(u32::from(false), sys::cublasOperation_t::CUBLAS_OP_N as u32);
        assert_eq!(u32::from(true), sys::cublasOperation_t::CUBLAS_OP_T as u32);
    }
}
