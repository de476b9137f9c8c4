//! NVIDIA's libraries and where they lie.
//!
//! Their functions are tables of the project's own, on addresses that the loader gives, rather than cudarc's, because
//! 1. cudarc panics when a library or a function is missing;
//! 2. it asks the loader for the unversioned names first, so what it opens may be another file than the one that was
//!    found and checked (a stub of a toolkit, an NVRTC of another version), and nobody can tell it otherwise;
//! 3. its result codes are enums, and a code that a newer driver invents would be undefined behaviour. Here it is a
//!    number.
//!
//! Tests compare every signature and constant with cudarc's.

use ndany_gpu::library::{LazyLibrary, LibrarySpec, SearchPaths, files};
use ndany_gpu::vendor::{api, blas, dft, rtc, solver};

use crate::blas::Cublas;
use crate::compiler::Nvrtc;
use crate::driver::Nvidia;
use crate::fft::Cufft;
use crate::solver::Cusolver;

/// The driver comes with the kernel module, not with the toolkit, whose copies are stubs.
static DRIVER_PLACES: SearchPaths = SearchPaths {
    variable: "NDANY_CUDA_LIBRARIES",
    homes: &[],
    prefixes: &[
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib/wsl/lib",
        "/usr/local/nvidia/lib64",
        "/run/opengl-driver/lib",
    ],
    wheels: &[],
};

static TOOLKIT_PLACES: SearchPaths = SearchPaths {
    variable: "NDANY_CUDA_LIBRARIES",
    homes: &["CUDA_PATH", "CUDA_HOME"],
    prefixes: &[
        "/usr/local/cuda/lib64",
        "/usr/local/cuda*/lib64",
        "/opt/cuda/lib64",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
    ],
    wheels: if cfg!(windows) {
        &["nvidia/cu13/bin/x86_64", "nvidia/*/bin"]
    } else {
        &["nvidia/cu13/lib", "nvidia/*/lib"]
    },
};

/// The driver.
pub(crate) static CUDA: LazyLibrary<api::Api<Nvidia>> = LazyLibrary::new(|| LibrarySpec {
    name: "the NVIDIA driver (libcuda)",
    files: files(&["libcuda.so.1"], &["nvcuda.dll"]),
    beside: &[],
    places: &DRIVER_PLACES,
    hint: "install the NVIDIA driver, of CUDA 12 or newer (nvidia-smi tells)",
});

/// The run-time compiler: of the driver's own generation if there is one, because a driver may refuse what a newer
/// one makes.
pub(crate) static NVRTC: LazyLibrary<rtc::Api<Nvrtc>> = LazyLibrary::new(|| LibrarySpec {
    name: "NVRTC (libnvrtc)",
    files: of_the_driver(
        ["libnvrtc.so.13", "libnvrtc.so.12"],
        ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"],
    ),
    beside: &["libnvrtc-builtins.so.", "nvrtc-builtins64_"],
    places: &TOOLKIT_PLACES,
    hint: "install CUDA's toolkit, or `pip install nvidia-cuda-nvrtc`",
});

/// Products of matrices.
pub(crate) static CUBLAS: LazyLibrary<blas::Api<Cublas>> = LazyLibrary::new(|| LibrarySpec {
    name: "cuBLAS (libcublas)",
    files: of_the_driver(
        ["libcublas.so.13", "libcublas.so.12"],
        ["cublas64_13.dll", "cublas64_12.dll"],
    ),
    beside: &["libcublasLt.so.", "cublasLt64_"],
    places: &TOOLKIT_PLACES,
    hint: "install CUDA's toolkit, or `pip install nvidia-cublas`",
});

/// Fourier transforms. It counts by itself.
pub(crate) static CUFFT: LazyLibrary<dft::Api<Cufft>> = LazyLibrary::new(|| LibrarySpec {
    name: "cuFFT (libcufft)",
    files: of_the_driver(
        ["libcufft.so.12", "libcufft.so.11"],
        ["cufft64_12.dll", "cufft64_11.dll"],
    ),
    beside: &[],
    places: &TOOLKIT_PLACES,
    hint: "install CUDA's toolkit, or `pip install nvidia-cufft`",
});

/// Factorizations. It counts by itself, and needs cuBLAS and cuSPARSE beside it.
pub(crate) static CUSOLVER: LazyLibrary<solver::Api<Cusolver>> = LazyLibrary::new(|| LibrarySpec {
    name: "cuSOLVER (libcusolver)",
    files: of_the_driver(
        ["libcusolver.so.12", "libcusolver.so.11"],
        ["cusolver64_12.dll", "cusolver64_11.dll"],
    ),
    beside: if cfg!(windows) {
        &["nvJitLink_", "cublasLt64_", "cublas64_", "cusparse64_"]
    } else {
        &["libnvJitLink.so.", "libcublasLt.so.", "libcublas.so.", "libcusparse.so."]
    },
    places: &TOOLKIT_PLACES,
    hint: "install CUDA's toolkit, or `pip install nvidia-cusolver`",
});

/// The names of a library of CUDA 13 and 12, that of the driver's generation first.
fn of_the_driver(unix: [&'static str; 2], windows: [&'static str; 2]) -> Vec<&'static str> {
    let mut names = files(&unix, &windows);
    let mut version = 0;
    if let Ok(found) = CUDA.get() {
        // SAFETY: it writes a number, and may be called before all other functions.
        unsafe { (found.symbols.functions.version.function)(&mut version) };
    }
    if (1..13000).contains(&version) {
        names.reverse();
    }
    names
}

/// A library's version, by the function that says its three numbers.
pub(crate) fn version(property: unsafe extern "C" fn(u32, *mut i32) -> u32) -> String {
    let [major, minor, patch] = [0, 1, 2].map(|kind| {
        let mut value = 0;
        // SAFETY: it writes a number.
        unsafe { property(kind, &mut value) };
        value
    });
    format!("{major}.{minor}.{patch}")
}
