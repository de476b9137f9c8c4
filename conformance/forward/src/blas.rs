//! rocBLAS's products of matrices in front of cuBLAS's. Handles are the same.
//!
//! The device is the thread's current context, which each of HIP's functions has left there. What is added to may not be
//! another matrix than what is written: cuBLAS has one argument for both.

use std::ffi::c_char;
use std::sync::OnceLock;

use crate::cuda::of_the_driver;
use crate::library::{find, functions};
use crate::{Done, exports, same};

functions! {
    /// cuBLAS.
    Cublas {
        fn cublasCreate_v2(*mut u64);
        fn cublasGetProperty(u32, *mut i32);
        fn cublasSetStream_v2(u64, u64);
        fn cublasSetWorkspace_v2(u64, u64, usize);
        fn cublasSetAtomicsMode(u64, u32);
        fn cublasSetMathMode(u64, u32);
        fn cublasGemmStridedBatchedEx(
            u64, u32, u32, i32, i32, i32, *const u8, u64, u32, i32, i64, u64, u32, i32, i64,
            *const u8, u64, u32, i32, i64, i32, u32, i32,
        );
        optional fn cublasGemmStridedBatchedEx_64(
            u64, u32, u32, i64, i64, i64, *const u8, u64, u32, i64, i64, u64, u32, i64, i64,
            *const u8, u64, u32, i64, i64, i64, u32, i32,
        );
    }
}

// What rocBLAS calls a result.
const INVALID_HANDLE: u32 = 1;
const NOT_IMPLEMENTED: u32 = 2;
const MEMORY_ERROR: u32 = 5;
const INTERNAL_ERROR: u32 = 6;
const INVALID_VALUE: u32 = 11;

/// A result of cuBLAS as one of rocBLAS.
fn check(code: u32) -> Done {
    Err(match code {
        0 => return Ok(()),
        1 => INVALID_HANDLE,
        3 => MEMORY_ERROR,
        7 => INVALID_VALUE,
        8 | 15 => NOT_IMPLEMENTED,
        _ => INTERNAL_ERROR,
    })
}

/// The library; looked for by the first call.
fn cublas() -> Done<&'static Cublas> {
    static CUBLAS: OnceLock<Result<Cublas, String>> = OnceLock::new();
    let found = CUBLAS.get_or_init(|| {
        let files = of_the_driver(["libcublas.so.13", "libcublas.so.12"]);
        find(&files, Some("libcublasLt.so."), Cublas::load)
    });
    found.as_ref().map_err(|_| INTERNAL_ERROR)
}

/// Partial sums of 16-bit products stay f32, as in rocBLAS.
const FULL_SUMS: u32 = 16;
/// cuBLAS chooses how.
const ALGORITHM: i32 = -1;

fn operation(rocblas: u32) -> Done<u32> {
    match rocblas {
        111..=113 => Ok(rocblas - 111),
        _ => Err(INVALID_VALUE),
    }
}

/// A type of elements: 16, 32 and 64 bits, complex ones, and bfloat16.
fn element(rocblas: u32) -> Done<u32> {
    match rocblas {
        150 => Ok(2),
        151 => Ok(0),
        152 => Ok(1),
        154 => Ok(4),
        155 => Ok(5),
        168 => Ok(14),
        _ => Err(NOT_IMPLEMENTED),
    }
}

/// A type to compute in: f32 or f64, of complex numbers too.
fn compute(rocblas: u32) -> Done<u32> {
    match rocblas {
        151 | 154 => Ok(68),
        152 | 155 => Ok(70),
        _ => Err(NOT_IMPLEMENTED),
    }
}

same! {
    cublas, check;
    /// Products are submitted to a stream.
    fn rocblas_set_stream(handle: u64, stream: u64) = cublasSetStream_v2;
    /// Memory that products may use.
    fn rocblas_set_workspace(handle: u64, memory: u64, bytes: usize) = cublasSetWorkspace_v2;
    /// Whether sums may change their order from run to run.
    fn rocblas_set_atomics_mode(handle: u64, mode: u32) = cublasSetAtomicsMode;
}

exports! {
    /// A handle, of the thread's device.
    fn rocblas_create_handle(handle: *mut u64) {
        let cublas = cublas()?;
        // SAFETY: the caller's: it writes the handle.
        check(unsafe { (cublas.cublasCreate_v2)(handle) })?;
        // SAFETY: so it is one.
        check(unsafe { (cublas.cublasSetMathMode)(*handle, FULL_SUMS) })
    }
    /// The version, cut off where the caller's memory ends.
    fn rocblas_get_version_string(text: *mut u8, bytes: usize) {
        let mut version = [0; 3];
        for (kind, value) in (0..).zip(&mut version) {
            // SAFETY: it writes a number.
            check(unsafe { (cublas()?.cublasGetProperty)(kind, value) })?;
        }
        let [major, minor, patch] = version;
        let words = format!("cuBLAS {major}.{minor}.{patch}");
        let kept = words.len().min(bytes.checked_sub(1).ok_or(INVALID_VALUE)?);
        // SAFETY: the caller's: that many bytes.
        unsafe {
            text.copy_from_nonoverlapping(words.as_ptr(), kept);
            text.add(kept).write(0);
        }
        Ok(())
    }
    /// Products of a batch of matrices.
    fn rocblas_gemm_strided_batched_ex(
        handle: u64, of_a: u32, of_b: u32, m: i32, n: i32, k: i32, alpha: *const u8,
        a: u64, a_type: u32, a_leading: i32, a_step: i64, b: u64, b_type: u32, b_leading: i32, b_step: i64,
        beta: *const u8, c: u64, c_type: u32, c_leading: i32, c_step: i64,
        d: u64, d_type: u32, d_leading: i32, d_step: i64,
        batch: i32, compute_type: u32, _algorithm: u32, _solution: i32, _flags: u32,
    ) {
        if (c, c_type, c_leading, c_step) != (d, d_type, d_leading, d_step) {
            return Err(NOT_IMPLEMENTED);
        }
        // SAFETY: the caller's.
        check(unsafe {
            (cublas()?.cublasGemmStridedBatchedEx)(
                handle, operation(of_a)?, operation(of_b)?, m, n, k, alpha,
                a, element(a_type)?, a_leading, a_step, b, element(b_type)?, b_leading, b_step,
                beta, c, element(c_type)?, c_leading, c_step, batch, compute(compute_type)?, ALGORITHM,
            )
        })
    }
    /// The same with sizes of 64 bits.
    fn rocblas_gemm_strided_batched_ex_64(
        handle: u64, of_a: u32, of_b: u32, m: i64, n: i64, k: i64, alpha: *const u8,
        a: u64, a_type: u32, a_leading: i64, a_step: i64, b: u64, b_type: u32, b_leading: i64, b_step: i64,
        beta: *const u8, c: u64, c_type: u32, c_leading: i64, c_step: i64,
        d: u64, d_type: u32, d_leading: i64, d_step: i64,
        batch: i64, compute_type: u32, _algorithm: u32, _solution: i32, _flags: u32,
    ) {
        if (c, c_type, c_leading, c_step) != (d, d_type, d_leading, d_step) {
            return Err(NOT_IMPLEMENTED);
        }
        let multiply = cublas()?.cublasGemmStridedBatchedEx_64.ok_or(NOT_IMPLEMENTED)?;
        // SAFETY: the caller's.
        check(unsafe {
            multiply(
                handle, operation(of_a)?, operation(of_b)?, m, n, k, alpha,
                a, element(a_type)?, a_leading, a_step, b, element(b_type)?, b_leading, b_step,
                beta, c, element(c_type)?, c_leading, c_step, batch, compute(compute_type)?, ALGORITHM,
            )
        })
    }
}

/// The name of a result.
#[unsafe(no_mangle)]
pub extern "C" fn rocblas_status_to_string(code: u32) -> *const c_char {
    match code {
        0 => c"rocblas_status_success",
        INVALID_HANDLE => c"rocblas_status_invalid_handle",
        NOT_IMPLEMENTED => c"rocblas_status_not_implemented",
        MEMORY_ERROR => c"rocblas_status_memory_error",
        INTERNAL_ERROR => c"rocblas_status_internal_error",
        INVALID_VALUE => c"rocblas_status_invalid_value",
        _ => c"<undefined rocblas_status value>",
    }
    .as_ptr()
}
