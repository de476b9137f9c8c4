//! rocBLAS's products on a cuBLAS of the host, written here in C: numbers and the order of arguments.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../../../gpu/tests/support/mod.rs"]
mod support;

use std::ffi::CStr;

use ndany_forward::blas::*;
use support::Folder;

/// Each function takes what the test gives and nothing else. A product writes how many there are where its result goes.
const CUBLAS: &str = r#"
typedef unsigned long long u64;
int cublasCreate_v2(u64* handle) { *handle = 77; return 0; }
int cublasGetProperty(int kind, int* value) { *value = 13 - kind; return 0; }
int cublasSetStream_v2(u64 handle, u64 stream) { return handle == 77 && stream == 5 ? 0 : 13; }
int cublasSetWorkspace_v2(u64 handle, u64 memory, u64 bytes) { return memory == 4096 && bytes == 32 ? 0 : 3; }
int cublasSetAtomicsMode(u64 handle, int mode) { return mode; }
int cublasSetMathMode(u64 handle, int mode) { return mode == 16 ? 0 : 15; }
int cublasGemmStridedBatchedEx(u64 handle, int of_a, int of_b, int m, int n, int k, const float* alpha,
                               void* a, int ta, int la, long long sa, void* b, int tb, int lb, long long sb,
                               const float* beta, int* c, int tc, int lc, long long sc, int batch, int compute, int how) {
    if (handle != 77 || of_a != 1 || of_b != 0 || m != 2 || n != 3 || k != 4 || *alpha != 1 || *beta != 0) return 7;
    if (a != (void*)8 || la != 10 || sa != 11 || b != (void*)9 || lb != 12 || sb != 13) return 7;
    if (ta != tb || tb != tc || lc != 14 || sc != 15 || how != -1) return 7;
    *c = 100 * tc + compute;
    return batch == 6 ? 0 : 15;
}
"#;

#[test]
fn products_are_cublas_products() {
    let folder = Folder::of_software_gpu("blas", &["libcuda.so.1"]);
    folder.compile("libcublas.so.13", CUBLAS);
    // SAFETY: the only test of this program, before anything reads the environment.
    unsafe { std::env::set_var("NDANY_CUDA_LIBRARIES", &folder.0) };
    let mut handle = 0;
    let mut version = [7u8; 10];
    // SAFETY: numbers, and results that are written.
    unsafe {
        assert_eq!((rocblas_create_handle(&mut handle), handle), (0, 77));
        assert_eq!(rocblas_set_stream(handle, 5), 0);
        assert_eq!(rocblas_set_workspace(handle, 4096, 32), 0);
        assert_eq!(rocblas_set_atomics_mode(handle, 0), 0);
        assert_eq!(rocblas_get_version_string(version.as_mut_ptr(), version.len()), 0);
    }
    assert_eq!(CStr::from_bytes_until_nul(&version), Ok(c"cuBLAS 13"));
    // What goes wrong has rocBLAS's numbers: an internal error, no memory.
    // SAFETY: numbers.
    let wrong = unsafe { [rocblas_set_stream(handle, 6), rocblas_set_workspace(handle, 0, 32)] };
    assert_eq!(wrong, [6, 5]);

    let (one, zero) = (1f32.to_ne_bytes(), 0f32.to_ne_bytes());
    let multiply = |types: [u32; 2], batch: i32, apart: u64| {
        let mut result = 0i32;
        let to = (&raw mut result) as u64;
        let [t, compute] = types;
        // SAFETY: factors, and a result that is written; other addresses are only compared.
        #[rustfmt::skip]
        let code = unsafe {
            rocblas_gemm_strided_batched_ex(
                handle, 112, 111, 2, 3, 4, one.as_ptr(), 8, t, 10, 11, 9, t, 12, 13,
                zero.as_ptr(), to, t, 14, 15, to + apart, t, 14, 15, batch, compute, 0, 0, 0,
            )
        };
        (code, result)
    };
    // f16, bfloat16, f32, f64, complex numbers of both, each with what it computes in.
    let types = [[150, 151], [168, 151], [151; 2], [152; 2], [154; 2], [155; 2]];
    let results = [268, 1468, 68, 170, 468, 570];
    assert_eq!(types.map(|types| multiply(types, 6, 0)), results.map(|result| (0, result)));
    // Refused by cuBLAS; written elsewhere than what is added; a type of integers.
    assert_eq!(multiply([151; 2], 1, 0).0, 2);
    assert_eq!(multiply([151; 2], 6, 8), (2, 0));
    assert_eq!(multiply([160; 2], 6, 0), (2, 0));
}
