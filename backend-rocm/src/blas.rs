//! What is rocBLAS's own: its functions, its numbers, and how it is asked for strided batches of products.
//!
//! f32 is f32 (there is no TF32 here, whatever is asked for), and 16-bit floats accumulate in f32. Sums by atomics,
//! whose order changes from run to run, are off. Deliberately absent: hipBLAS, whose function of this purpose changes its
//! meaning between versions.

use ndany_gpu::library::LazyLibrary;
use ndany_gpu::vendor::Products;
use ndany_gpu::vendor::blas::{Api, BlasOperand, Columns, Names, TypesOf};

use crate::driver::Amd;
use crate::library;

ndany_gpu::names! {
    pub(crate) const NAMES: blas;
    create: rocblas_create_handle,
    set_stream: rocblas_set_stream,
    set_workspace: rocblas_set_workspace,
    set_mode: rocblas_set_atomics_mode,
}

ndany_gpu::symbols! {
    /// What other libraries do not have alike.
    pub struct Own {
        fn rocblas_get_version_string(text: *mut u8, bytes: usize) -> u32;
        fn rocblas_gemm_strided_batched_ex(
            handle: u64, of_a: u32, of_b: u32, m: i32, n: i32, k: i32, alpha: *const u8,
            a: u64, type_a: u32, lead_a: i32, step_a: i64, b: u64, type_b: u32, lead_b: i32, step_b: i64,
            beta: *const u8, c: u64, type_c: u32, lead_c: i32, step_c: i64,
            d: u64, type_d: u32, lead_d: i32, step_d: i64,
            batch: i32, compute: u32, algorithm: u32, solution: i32, flags: u32,
        ) -> u32;
        // Of ROCm 6 and newer.
        optional fn rocblas_gemm_strided_batched_ex_64(
            handle: u64, of_a: u32, of_b: u32, m: i64, n: i64, k: i64, alpha: *const u8,
            a: u64, type_a: u32, lead_a: i64, step_a: i64, b: u64, type_b: u32, lead_b: i64, step_b: i64,
            beta: *const u8, c: u64, type_c: u32, lead_c: i64, step_c: i64,
            d: u64, type_d: u32, lead_d: i64, step_d: i64,
            batch: i64, compute: u32, algorithm: u32, solution: i32, flags: u32,
        ) -> u32;
        optional fn rocblas_status_to_string(code: u32) -> *const u8;
    }
}

mod numbers {
    pub(super) const F16_R: u32 = 150;
    pub(super) const F32_R: u32 = 151;
    pub(super) const F64_R: u32 = 152;
    pub(super) const F32_C: u32 = 154;
    pub(super) const F64_C: u32 = 155;
    pub(super) const BF16_R: u32 = 168;
}
use numbers::*;

const ALGORITHM_STANDARD: u32 = 0;
const FLAGS_NONE: u32 = 0;

/// AMD's library for products of matrices.
#[derive(Debug)]
pub struct Rocblas;

/// Hands columns on; both functions take the same but for the width of sizes. What is read and what is written is one.
macro_rules! multiply {
    ($function:expr, $columns:expr) => {{
        let Columns { handle, m, n, k, batch, first, second, out, dtype: t, compute, one, zero } = *$columns;
        let [BlasOperand { at: a, leading: al, step: sa, .. }, BlasOperand { at: b, leading: bl, step: sb, .. }] =
            [first, second];
        let BlasOperand { at: c, leading: cl, step: sc, .. } = out;
        // SAFETY: the caller's.
        #[rustfmt::skip]
        let code = unsafe {
            $function(
                handle, first.operation, second.operation, m, n, k, one, a, t, al, sa, b, t, bl, sb,
                zero, c, t, cl, sc, c, t, cl, sc, batch, compute, ALGORITHM_STANDARD, 0, FLAGS_NONE,
            )
        };
        code
    }};
}

// SAFETY: a test compares signatures and numbers with the vendor's headers.
unsafe impl Products for Rocblas {
    type Vendor = Amd;
    type Own = Own;

    const NAME: &'static str = "rocBLAS";
    const NAMES: Names = NAMES;
    /// Atomics are not allowed.
    const MODE: u32 = 0;
    /// What rocBLAS takes for itself by default.
    const WORKSPACE: usize = 32 << 20;
    const MEMORY_ERROR: u32 = 5;
    const OPERATIONS: [u32; 2] = [111, 112];
    const TYPES: TypesOf = TypesOf {
        f16: [F16_R, F32_R],
        bf16: [BF16_R, F32_R],
        f32: [F32_R; 2],
        f64: [F64_R; 2],
        c64: [F32_C; 2],
        c128: [F64_C; 2],
    };
    const TF32: Option<u32> = None;
    const CALLS: [&'static str; 2] =
        ["rocblas_gemm_strided_batched_ex", "rocblas_gemm_strided_batched_ex_64"];

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::ROCBLAS
    }

    fn version(own: &Own) -> String {
        let mut text = [0u8; 256];
        // SAFETY: it writes at most as many bytes as are said to be there.
        unsafe { (own.rocblas_get_version_string)(text.as_mut_ptr(), text.len()) };
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }

    fn error_strings(own: &Own) -> Option<unsafe extern "C" fn(u32) -> *const u8> {
        own.rocblas_status_to_string
    }

    unsafe fn multiply(own: &Own, columns: &Columns<i32>) -> u32 {
        multiply!((own.rocblas_gemm_strided_batched_ex), columns)
    }

    unsafe fn multiply_wide(own: &Own, columns: &Columns<i64>) -> Option<u32> {
        let function = own.rocblas_gemm_strided_batched_ex_64?;
        Some(multiply!(function, columns))
    }
}

/// What the headers call the numbers.
#[cfg(test)]
pub(crate) const CONSTANTS: [(&str, u32); 12] = [
    ("rocblas_status_memory_error", Rocblas::MEMORY_ERROR),
    ("rocblas_operation_none", Rocblas::OPERATIONS[0]),
    ("rocblas_operation_transpose", Rocblas::OPERATIONS[1]),
    ("rocblas_datatype_f16_r", F16_R),
    ("rocblas_datatype_f32_r", F32_R),
    ("rocblas_datatype_f64_r", F64_R),
    ("rocblas_datatype_f32_c", F32_C),
    ("rocblas_datatype_f64_c", F64_C),
    ("rocblas_datatype_bf16_r", BF16_R),
    ("rocblas_atomics_not_allowed", Rocblas::MODE),
    ("rocblas_gemm_algo_standard", ALGORITHM_STANDARD),
    ("rocblas_gemm_flags_none", FLAGS_NONE),
];
