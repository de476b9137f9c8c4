//! What is cuBLAS's own: its functions, its numbers, and how it is asked for strided batches of products.
//!
//! f32 is f32 unless TF32 is asked for, and 16-bit floats accumulate in f32.

use ndany_gpu::library::LazyLibrary;
use ndany_gpu::vendor::Products;
use ndany_gpu::vendor::blas::{Api, BlasOperand, Columns, Names, TypesOf};

use crate::driver::Nvidia;
use crate::library;

#[cfg(test)]
use cudarc::cublas::sys as bindings;

ndany_gpu::names! {
    const NAMES: blas, compared with bindings by signatures_are_those_of_other_bindings;
    create: cublasCreate_v2,
    set_stream: cublasSetStream_v2,
    set_workspace: cublasSetWorkspace_v2,
    set_mode: cublasSetMathMode,
}

ndany_gpu::symbols! {
    /// What other libraries do not have alike.
    pub struct Own checked by bindings {
        fn cublasGetProperty(kind: u32, value: *mut i32) -> u32;
        fn cublasGemmStridedBatchedEx(
            handle: u64, transpose_a: u32, transpose_b: u32, m: i32, n: i32, k: i32, alpha: *const u8,
            a: u64, a_type: u32, a_leading: i32, a_step: i64, b: u64, b_type: u32, b_leading: i32, b_step: i64,
            beta: *const u8, c: u64, c_type: u32, c_leading: i32, c_step: i64,
            batch: i32, compute: u32, algorithm: i32,
        ) -> u32;
        optional fn cublasGetStatusString(code: u32) -> *const u8;
        optional fn cublasGemmStridedBatchedEx_64(
            handle: u64, transpose_a: u32, transpose_b: u32, m: i64, n: i64, k: i64, alpha: *const u8,
            a: u64, a_type: u32, a_leading: i64, a_step: i64, b: u64, b_type: u32, b_leading: i64, b_step: i64,
            beta: *const u8, c: u64, c_type: u32, c_leading: i64, c_step: i64,
            batch: i64, compute: u32, algorithm: i32,
        ) -> u32;
    }
}

/// NVIDIA's numbers for dtypes and for what is computed in.
pub(crate) mod numbers {
    pub(crate) const COMPUTE_32F: u32 = 68;
    pub(crate) const COMPUTE_64F: u32 = 70;
    pub(crate) const COMPUTE_32F_FAST_TF32: u32 = 77;
    pub(crate) const R_32F: u32 = 0;
    pub(crate) const R_64F: u32 = 1;
    pub(crate) const R_16F: u32 = 2;
    pub(crate) const C_32F: u32 = 4;
    pub(crate) const C_64F: u32 = 5;
    pub(crate) const R_16BF: u32 = 14;
}
use numbers::*;

const ALGORITHM_DEFAULT: i32 = -1;

/// NVIDIA's library for products of matrices.
#[derive(Debug)]
pub struct Cublas;

/// Hands columns on; both functions take the same but for the width of sizes.
macro_rules! multiply {
    ($function:expr, $columns:expr) => {{
        let Columns { handle, m, n, k, batch, first, second, out, dtype, compute, one, zero } = *$columns;
        let BlasOperand { at: a, leading: a_leading, step: a_step, operation: of_a } = first;
        let BlasOperand { at: b, leading: b_leading, step: b_step, operation: of_b } = second;
        let BlasOperand { at: c, leading: c_leading, step: c_step, .. } = out;
        // SAFETY: the caller's.
        #[rustfmt::skip]
        let code = unsafe {
            $function(
                handle, of_a, of_b, m, n, k, one, a, dtype, a_leading, a_step, b, dtype, b_leading, b_step,
                zero, c, dtype, c_leading, c_step, batch, compute, ALGORITHM_DEFAULT,
            )
        };
        code
    }};
}

// SAFETY: tests compare signatures and numbers with bindings of another project.
unsafe impl Products for Cublas {
    type Vendor = Nvidia;
    type Own = Own;

    const NAME: &'static str = "cuBLAS";
    const NAMES: Names = NAMES;
    /// Partial sums of 16-bit products stay f32. A cuBLAS that does not know the mode does so for all else.
    const MODE: u32 = 16;
    /// What NVIDIA recommends for a Hopper and newer; older ones make use of less.
    const WORKSPACE: usize = 32 << 20;
    const MEMORY_ERROR: u32 = 3;
    const OPERATIONS: [u32; 2] = [0, 1];
    const TYPES: TypesOf = TypesOf {
        f16: [R_16F, COMPUTE_32F],
        bf16: [R_16BF, COMPUTE_32F],
        f32: [R_32F, COMPUTE_32F],
        f64: [R_64F, COMPUTE_64F],
        c64: [C_32F, COMPUTE_32F],
        c128: [C_64F, COMPUTE_64F],
    };
    const TF32: Option<u32> = Some(COMPUTE_32F_FAST_TF32);
    const CALLS: [&'static str; 2] =
        ["cublasGemmStridedBatchedEx", "cublasGemmStridedBatchedEx_64"];

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::CUBLAS
    }

    fn version(own: &Own) -> String {
        library::version(own.cublasGetProperty)
    }

    fn error_strings(own: &Own) -> Option<unsafe extern "C" fn(u32) -> *const u8> {
        own.cublasGetStatusString
    }

    unsafe fn multiply(own: &Own, columns: &Columns<i32>) -> u32 {
        multiply!((own.cublasGemmStridedBatchedEx), columns)
    }

    unsafe fn multiply_wide(own: &Own, columns: &Columns<i64>) -> Option<u32> {
        let function = own.cublasGemmStridedBatchedEx_64?;
        Some(multiply!(function, columns))
    }
}

#[cfg(test)]
mod tests {
    use cudarc::cublas::sys;

    use ndany_gpu::vendor::Products;

    use super::{ALGORITHM_DEFAULT, Cublas, numbers};

    #[test]
    fn constants_are_those_of_other_bindings() {
        use sys::cublasComputeType_t as Compute;
        use sys::cudaDataType_t as Data;
        let pairs = [
            (Cublas::MEMORY_ERROR, sys::cublasStatus_t::CUBLAS_STATUS_ALLOC_FAILED as u32),
            (
                Cublas::MODE,
                sys::cublasMath_t::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION as u32,
            ),
            (numbers::COMPUTE_32F, Compute::CUBLAS_COMPUTE_32F as u32),
            (numbers::COMPUTE_64F, Compute::CUBLAS_COMPUTE_64F as u32),
            (numbers::COMPUTE_32F_FAST_TF32, Compute::CUBLAS_COMPUTE_32F_FAST_TF32 as u32),
            (numbers::R_32F, Data::CUDA_R_32F as u32),
            (numbers::R_64F, Data::CUDA_R_64F as u32),
            (numbers::R_16F, Data::CUDA_R_16F as u32),
            (numbers::C_32F, Data::CUDA_C_32F as u32),
            (numbers::C_64F, Data::CUDA_C_64F as u32),
            (numbers::R_16BF, Data::CUDA_R_16BF as u32),
        ];
        for (ours, theirs) in pairs {
            assert_eq!(ours, theirs);
        }
        assert_eq!(ALGORITHM_DEFAULT, sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT as i32);
        let operations = [
            sys::cublasOperation_t::CUBLAS_OP_N as u32,
            sys::cublasOperation_t::CUBLAS_OP_T as u32,
        ];
        assert_eq!(Cublas::OPERATIONS, operations);
    }
}
