//! rocBLAS as [`Blas`]: strided batches of products, of floats real and complex.
//!
//! rocBLAS goes by columns. Read by columns, memory that holds a matrix row by row holds its transpose; so instead of
//! `left · right` it is asked for `rightᵗ · leftᵗ`, whose columns are the rows wanted.
//!
//! f32 is f32 (there is no TF32 here, whatever is asked for), and 16-bit floats accumulate in f32. Sums by atomics,
//! whose order changes from run to run, are off. Deliberately absent: integers, and hipBLAS, whose function of this purpose
//! changes its meaning between versions.

use std::sync::{Mutex, OnceLock, PoisonError};

use ndany_core::DType;
use ndany_gpu::blas::{Blas, Factor, Gemm, Matrix};
use ndany_gpu::driver::{DriverError, DriverResult, Stream};

use crate::driver::Context;
use crate::library::{self, Rocblas};

/// Constants of rocBLAS's interface.
pub(crate) mod constants {
    pub(crate) const MEMORY_ERROR: u32 = 5;
    pub(crate) const NONE: u32 = 111;
    pub(crate) const TRANSPOSE: u32 = 112;
    pub(crate) const F16_R: u32 = 150;
    pub(crate) const F32_R: u32 = 151;
    pub(crate) const F64_R: u32 = 152;
    pub(crate) const F32_C: u32 = 154;
    pub(crate) const F64_C: u32 = 155;
    pub(crate) const BF16_R: u32 = 168;
    pub(crate) const ATOMICS_NOT_ALLOWED: u32 = 0;
    pub(crate) const ALGORITHM_STANDARD: u32 = 0;
    pub(crate) const FLAGS_NONE: u32 = 0;

    /// What the headers call them.
    #[cfg(test)]
    pub(crate) const NAMES: [(&str, u32); 12] = [
        ("rocblas_status_memory_error", MEMORY_ERROR),
        ("rocblas_operation_none", NONE),
        ("rocblas_operation_transpose", TRANSPOSE),
        ("rocblas_datatype_f16_r", F16_R),
        ("rocblas_datatype_f32_r", F32_R),
        ("rocblas_datatype_f64_r", F64_R),
        ("rocblas_datatype_f32_c", F32_C),
        ("rocblas_datatype_f64_c", F64_C),
        ("rocblas_datatype_bf16_r", BF16_R),
        ("rocblas_atomics_not_allowed", ATOMICS_NOT_ALLOWED),
        ("rocblas_gemm_algo_standard", ALGORITHM_STANDARD),
        ("rocblas_gemm_flags_none", FLAGS_NONE),
    ];
}
use constants::*;

/// What rocBLAS takes for itself by default.
const WORKSPACE: usize = 32 << 20;

/// rocBLAS on one device.
#[derive(Debug)]
pub(crate) struct RocmBlas {
    context: Context,
    /// Calls set the stream and the workspace first, so they come one by one.
    handle: OnceLock<Option<Mutex<u64>>>,
}

impl RocmBlas {
    pub(crate) fn new(context: Context) -> Self {
        Self { context, handle: OnceLock::new() }
    }

    fn handle(&self) -> Option<(&'static Rocblas, &Mutex<u64>)> {
        let rocblas = &library::rocblas().ok()?.symbols;
        let handle = self.handle.get_or_init(|| {
            let _current = self.context.enter("rocblas_create_handle").ok()?;
            let mut handle = 0;
            // SAFETY: it writes a handle, of the current device.
            let code = unsafe { (rocblas.rocblas_create_handle)(&mut handle) };
            if code != 0 {
                tracing::warn!(
                    code,
                    "rocBLAS is there but does not start; own kernels multiply instead"
                );
                return None;
            }
            // SAFETY: a live handle.
            unsafe { (rocblas.rocblas_set_atomics_mode)(handle, ATOMICS_NOT_ALLOWED) };
            Some(Mutex::new(handle))
        });
        Some((rocblas, handle.as_ref()?))
    }
}

/// The version of the library.
pub(crate) fn version(rocblas: &Rocblas) -> String {
    let mut text = [0u8; 256];
    // SAFETY: it writes at most as many bytes as are said to be there.
    unsafe { (rocblas.rocblas_get_version_string)(text.as_mut_ptr(), text.len()) };
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// The numbers of a dtype and of the type to compute in; nothing for what rocBLAS does not multiply.
fn types(dtype: DType) -> Option<[u32; 2]> {
    match dtype {
        DType::F16 => Some([F16_R, F32_R]),
        DType::BF16 => Some([BF16_R, F32_R]),
        DType::F32 => Some([F32_R; 2]),
        DType::F64 => Some([F64_R; 2]),
        DType::C64 => Some([F32_C; 2]),
        DType::C128 => Some([F64_C; 2]),
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

impl Blas for RocmBlas {
    fn is_there(&self) -> bool {
        self.handle().is_some()
    }

    fn workspace(&self) -> usize {
        WORKSPACE
    }

    unsafe fn gemm(&self, gemm: &Gemm, stream: Stream) -> DriverResult<()> {
        let call = "rocblas_gemm_strided_batched_ex";
        let (Some((rocblas, handle)), Some([dtype, compute])) = (self.handle(), types(gemm.dtype))
        else {
            return Err(DriverError::Missing { call });
        };
        let _current = self.context.enter(call)?;
        let handle = *handle.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: a live handle; the caller vouches for the stream.
        let code = unsafe { (rocblas.rocblas_set_stream)(handle, stream.0) };
        check(rocblas, "rocblas_set_stream", code)?;
        // SAFETY: the caller vouches for the memory.
        let code = unsafe { (rocblas.rocblas_set_workspace)(handle, gemm.workspace, WORKSPACE) };
        check(rocblas, "rocblas_set_workspace", code)?;
        let [one, zero] = [1.0, 0.0].map(|value| Factor::of(gemm.dtype, value));
        let operation = |matrix: &Matrix| if matrix.transposed { TRANSPOSE } else { NONE };
        let Gemm { left, right, out, m, k, n, batch, .. } = *gemm;
        // Both functions take the same but for the width of these. Read by columns the right matrix is the first.
        macro_rules! multiply {
            ($function:expr, $sizes:expr) => {{
                let [n, m, k, b, a, c, batch] = $sizes;
                let [b_step, a_step, c_step] = [right, left, out].map(|matrix| matrix.step as i64);
                let [b_at, a_at, c_at] = [right, left, out].map(|matrix| matrix.address);
                let (one, zero) = (one.as_ptr(), zero.as_ptr());
                let [first, second] = [right, left].map(|matrix| operation(&matrix));
                // SAFETY: the caller vouches for the matrices; the factors outlive the call, which reads them at once.
                #[rustfmt::skip]
                let code = unsafe {
                    $function(
                        handle, first, second, n, m, k, one, b_at, dtype, b, b_step, a_at, dtype, a, a_step,
                        zero, c_at, dtype, c, c_step, c_at, dtype, c, c_step,
                        batch, compute, ALGORITHM_STANDARD, 0, FLAGS_NONE,
                    )
                };
                code
            }};
        }
        let sizes = [n, m, k, right.leading, left.leading, out.leading, batch];
        let code = if sizes.iter().all(|&size| i32::try_from(size).is_ok()) {
            multiply!((rocblas.rocblas_gemm_strided_batched_ex), sizes.map(|size| size as i32))
        } else {
            let call = "rocblas_gemm_strided_batched_ex_64";
            let wide = rocblas.rocblas_gemm_strided_batched_ex_64;
            let wide = wide.ok_or(DriverError::Missing { call })?;
            multiply!(wide, sizes.map(|size| size as i64))
        };
        check(rocblas, call, code)
    }
}

fn check(rocblas: &Rocblas, call: &'static str, code: u32) -> DriverResult<()> {
    match code {
        0 => Ok(()),
        MEMORY_ERROR => Err(DriverError::OutOfMemory { call }),
        _ => {
            let text = rocblas.rocblas_status_to_string.map(|function| {
                // SAFETY: it takes any number, and gives a constant text.
                unsafe { std::ffi::CStr::from_ptr(function(code).cast()) }
            });
            let text = text.map_or_else(String::new, |text| text.to_string_lossy().into_owned());
            Err(DriverError::Call { call, code, text })
        }
    }
}
