//! NVIDIA's libraries where memory is short: stand-ins in C, on the software GPU.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use ndany_array::{Array, DType, Device, fft, identity, linalg, ones, zeros};
use support::{Folder, process, task};

const DRIVER: [&str; 2] = ["libcuda.so.1", "libnvrtc.so.13"];

/// A library for products that starts at the second attempt, or never.
const PRODUCTS: &str = r#"
#include <stdio.h>
int cublasCreate_v2(void **handle) {
    static int asked = 0;
    fprintf(stderr, "asked to start\n");
    *handle = &asked;
    return ++asked < BEGINS ? CODE : 0;
}
int cublasSetStream_v2(void *handle, void *stream) { return 0; }
int cublasSetWorkspace_v2(void *handle, void *memory, size_t bytes) { return 0; }
int cublasSetMathMode(void *handle, int mode) { return 0; }
int cublasGetProperty(int kind, int *value) { *value = 13 * !kind; return 0; }
int cublasGemmStridedBatchedEx(void *handle) { fprintf(stderr, "a product\n"); return 0; }
"#;

/// A library for transforms whose plans hold 96 MiB of the device each; it transforms nothing.
const TRANSFORMS: &str = r#"
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
static unsigned long long held[64];
static int made = 0;
static void *driver(const char *name) { return dlsym(dlopen(DRIVER, RTLD_NOW), name); }
int cufftGetVersion(int *version) { *version = 1; return 0; }
int cufftCreate(int *plan) { *plan = ++made; return 0; }
int cufftDestroy(int plan) {
    fprintf(stderr, "a plan goes\n");
    return held[plan] ? ((int (*)(unsigned long long))driver("cuMemFree_v2"))(held[plan]) : 0;
}
int cufftSetAutoAllocation(int plan, int automatic) { return 0; }
int cufftMakePlanMany64(int plan, int rank, long long *length, long long *from, long long from_step, long long from_row,
                        long long *to, long long to_step, long long to_row, int kind, long long rows, size_t *workspace) {
    *workspace = 256;
    return ((int (*)(unsigned long long *, size_t))driver("cuMemAlloc_v2"))(&held[plan], 96 << 20) ? 2 : 0;
}
int cufftSetStream(int plan, void *stream) { return 0; }
int cufftSetWorkArea(int plan, void *memory) { return 0; }
int cufftExecC2C() { fprintf(stderr, "a transform\n"); return 0; }
int cufftExecZ2Z() { return 0; }
int cufftExecR2C() { return 0; }
int cufftExecD2Z() { return 0; }
int cufftExecC2R() { return 0; }
int cufftExecZ2D() { return 0; }
"#;

fn products(begins: u32, code: u32) -> String {
    let folder = Folder::of_one_software_gpu("short", &DRIVER);
    let text = format!("#define BEGINS {begins}\n#define CODE {code}\n{PRODUCTS}");
    folder.compile("libcublas.so.13", &text);
    process("products", Some(&folder.0), &[])
}

/// 3 is cuBLAS's code for too little memory, 1 what it says when it cannot set itself up.
#[test]
fn a_library_that_found_no_memory_is_asked_again() {
    for code in [3, 1] {
        // At once, with what the pool kept given back.
        let text = products(2, code);
        assert_eq!(text.matches("asked to start").count(), 2, "{text}");
        assert_eq!(text.matches("a product\n").count(), 3, "{text}");
        // Own kernels do the first product; the second finds the library.
        let text = products(4, code);
        assert_eq!(text.matches("asked to start").count(), 4, "{text}");
        assert_eq!(text.matches("a product\n").count(), 2, "{text}");
        // It never starts, and the products are right.
        let text = products(1000, code);
        assert_eq!(text.matches("a product\n").count(), 0, "{text}");
        assert_eq!(text.matches("of own kernels: 64").count(), 3, "{text}");
    }
}

#[test]
fn plans_go_where_memory_is_short() {
    let folder = Folder::of_one_software_gpu("plans", &DRIVER);
    let there = folder.0.join(DRIVER[0]);
    folder.compile("libcufft.so.12", &format!("#define DRIVER {there:?}\n{TRANSFORMS}"));
    let variables = [("NDANY_FFT", "library"), ("NDANY_SOFTGPU_MEMORY", "268435456")];
    let text = process("plans", Some(&folder.0), &variables);
    assert!(text.contains("200 MiB of zeros: 0"), "{text}");
    // Two plans were kept for an array; the third and the fourth drove each other out.
    assert!(text.matches("a plan goes").count() >= 2, "{text}");
    assert_eq!(text.matches("a transform").count(), 4, "{text}");
}

/// What a library for factorizations keeps on the device by itself is of one stream.
#[test]
fn streams_share_no_handle_for_factorizations() {
    let folder = Folder::of_one_software_gpu("streams", &DRIVER);
    let there = folder.0.join(DRIVER[0]);
    let words = "#define PREFIX cusolverDn\n#define WAIT \"cuStreamSynchronize\"\n\
                 #define UPPER 1\n#define VECTORS 1\n#define POLAR";
    let text = include_str!("../../tests/factor_libraries.c");
    folder.compile("libcusolver.so.12", &format!("#define DRIVER {there:?}\n{words}\n{text}"));
    let text = process("streams", Some(&folder.0), &[("NDANY_LINALG", "library")]);
    assert_eq!(text.matches("Dpotrf of 3").count(), 6, "{text}");
    assert!(!text.contains("a handle of two streams"), "{text}");
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    let device = Device::open("cuda:0").expect("a device");
    let _guard = device.enter();
    if task() == "streams" {
        let streams = [(); 2].map(|()| device.stream(..).expect("a stream"));
        let matrix: Array = identity(3, DType::F64) * 4.0;
        for _ in 0..2 {
            linalg::cholesky(&matrix).eval().expect("a factor");
            for stream in &streams {
                let _here = stream.enter();
                linalg::cholesky(&matrix).eval().expect("a factor");
            }
        }
        return;
    }
    if task() == "products" {
        let a = ones((64, 64), DType::F64);
        for _ in 0..3 {
            let product = a.matmul(&a).to_vec::<f64>().expect("a product");
            // The stand-in writes nothing.
            println!("of own kernels: {}", product[0]);
        }
        return;
    }
    let transform = |length: usize| {
        let z: Array = ones((2, length), DType::C64);
        fft::fft(&z, ..).eval().expect("a transform");
    };
    transform(64);
    transform(65);
    let large = zeros(200 << 20, DType::U8);
    let sum: u64 = large.max(..).astype(DType::U64).item().expect("room for it");
    println!("200 MiB of zeros: {sum}");
    drop(large);
    device.release_memory().expect("it is given back");
    let held = zeros(100 << 20, DType::U8);
    held.eval().expect("room for it");
    transform(66);
    transform(67);
}
