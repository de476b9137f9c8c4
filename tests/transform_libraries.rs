//! Fourier transforms by a vendor's library, on the software GPU: a library of the same shape in C stands for it.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::fft::Norm;
use ndany::{Array, DType, Device, Generator, along, fft, over};
use num_complex::Complex64;
use support::{Folder, SearchVariables, process_among, task};

const CUDA: SearchVariables =
    SearchVariables { libraries: "NDANY_CUDA_LIBRARIES", homes: ["CUDA_PATH", "CUDA_HOME"] };
const ROCM: SearchVariables =
    SearchVariables { libraries: "NDANY_ROCM_LIBRARIES", homes: ["ROCM_PATH", "HIP_PATH"] };

fn run(
    places: &SearchVariables,
    files: [&str; 3],
    words: [&str; 3],
    device: &str,
    asked: &str,
) -> String {
    let [driver, compiler, library] = files;
    let [prefix, wait, handle] = words;
    let folder = Folder::of_one_software_gpu("transforms", &[driver, compiler]);
    let there = folder.0.join(driver);
    let text = format!(
        "#define PREFIX {prefix}\n#define WAIT \"{wait}\"\n#define HANDLE {handle}\n#define DRIVER {there:?}\n{}",
        include_str!("transform_libraries.c")
    );
    folder.compile(library, &text);
    process_among(places, device, Some(&folder.0), &[("NDANY_FFT", asked)])
}

fn with_cuda(asked: &str) -> String {
    let files = ["libcuda.so.1", "libnvrtc.so.13", "libcufft.so.12"];
    run(&CUDA, files, ["cufft", "cuStreamSynchronize", "int"], "cuda:0", asked)
}

fn with_rocm(asked: &str) -> String {
    let files = ["libamdhip64.so.6", "libhiprtc.so.6", "libhipfft.so.0"];
    run(&ROCM, files, ["hipfft", "hipStreamSynchronize", "void*"], "hip:0", asked)
}

#[test]
fn libraries_transform_where_they_are_asked() {
    for text in [with_cuda("library"), with_rocm("library")] {
        for name in ["ExecC2C", "ExecR2C", "ExecC2R", "ExecZ2Z", "ExecD2Z", "ExecZ2D"] {
            assert!(text.contains(&format!("{name} of 256")), "{name}\n{text}");
        }
        assert!(!text.contains("of 13\n"), "{text}");
        // What is transformed along a further axis is written for that.
        assert!(text.contains("beside of 30\n") && !text.contains("beside of 5000\n"), "{text}");
        // Plans are many, and not all are kept.
        assert!(text.contains("destroyed"), "{text}");
    }
}

#[test]
fn libraries_transform_by_default() {
    let text = with_cuda("");
    assert!(text.contains("ExecC2C of 30\n") && text.contains("ExecC2C of 256\n"), "{text}");
}

#[test]
fn own_kernels_transform_where_they_are_asked() {
    let text = with_rocm("own");
    assert!(!text.contains("Exec"), "{text}");
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    let (device, cpu) =
        (Device::open(&task()).expect("a device"), Device::open("cpu").expect("the CPU"));
    let _guard = cpu.enter();
    let mut rng = Generator::new(1);
    let check = |made: Array, expected: Array, bound: f64| {
        let made = made.to_device(&cpu).expect("a copy");
        assert_eq!((made.dtype(), made.shape()), (expected.dtype(), expected.shape()));
        let apart = (made - &expected).abs().max(..).astype(DType::F64).item::<f64>();
        let apart = apart.expect("a number");
        assert!(apart < bound, "{apart:e} of {} {}", expected.dtype(), expected.shape()[1]);
    };
    for (real, complex, bound) in [(DType::F32, DType::C64, 1e-4), (DType::F64, DType::C128, 1e-12)]
    {
        for n in [1, 2, 13, 30, 31, 256] {
            let x = rng.normal(0.0, 1.0, (3, n)).astype(real);
            let z = (&x + rng.normal(0.0, 1.0, (3, n)) * Complex64::I).astype(complex);
            let half = z.i((.., ..n / 2 + 1)).copy();
            let there = |array: &Array| array.to_device(&device).expect("a copy");
            check(fft::fft(there(&z), ..), fft::fft(&z, ..), bound);
            check(fft::ifft(there(&z), ..), fft::ifft(&z, ..), bound);
            check(
                fft::rfft(there(&x), along(1).norm(Norm::Ortho)),
                fft::rfft(&x, along(1).norm(Norm::Ortho)),
                bound,
            );
            let given = there(&half);
            check(fft::irfft(&given, along(1).n(n)), fft::irfft(&half, along(1).n(n)), bound);
            // What was given stays.
            check(given, half, 1e-30);
        }
    }
    // Along several axes, some of which lie next to each other, and of lengths that are not written beside others.
    for shape in [&[12, 30][..], &[3, 4, 30], &[30, 13], &[2, 5000]] {
        let x = rng.normal(0.0, 1.0, shape);
        let z = (&x + rng.normal(0.0, 1.0, shape) * Complex64::I).astype(DType::C128);
        let there = |array: &Array| array.to_device(&device).expect("a copy");
        let bound = 1e-9;
        check(fft::fftn(there(&z), ..), fft::fftn(&z, ..), bound);
        check(fft::ifft2(there(&z), ..), fft::ifft2(&z, ..), bound);
        check(fft::fftn(there(&z), over([0, 1])), fft::fftn(&z, over([0, 1])), bound);
        check(fft::fft2(there(&z.t()), ..), fft::fft2(z.t(), ..), bound);
        check(fft::rfftn(there(&x), ..), fft::rfftn(&x, ..), bound);
        check(fft::irfft2(there(&z), ..), fft::irfft2(&z, ..), bound);
    }
    let z = ndany::ones((1100, 2), DType::C64).to_device(&device).expect("a copy");
    for rows in 1..1100 {
        fft::fft(z.i(..rows), ..).eval().expect("a transform");
    }
}
