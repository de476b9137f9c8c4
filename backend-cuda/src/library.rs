//! NVIDIA's libraries and where they lie.
//!
//! Their functions are tables of the project's own, on addresses that the loader gives, rather than cudarc's, because
//! 1. cudarc panics when a library or a function is missing;
//! 2. it asks the loader for the unversioned names first, so what it opens may be another file than the one that was
//!    found and checked (a stub of a toolkit, an NVRTC of another version), and there is no other way to tell;
//! 3. its result codes are enums, and a code that a newer driver invents would be undefined behaviour. Here it is a
//!    number.
//!
//! Tests compare every signature and constant with cudarc's.

use ndany_gpu::library::{LazyLibrary, LibrarySpec, SearchPaths, files};
use ndany_gpu::vendor::{api, blas, dft, rtc, solver, sparse};

use crate::blas::Cublas;
use crate::compiler::Nvrtc;
use crate::direct::Cudss;
use crate::driver::Nvidia;
use crate::fft::Cufft;
use crate::ranges::NvToolsExt;
use crate::solver::Cusolver;
use crate::sparse::Cusparse;

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

/// Names of a library's files: of CUDA 13 and of CUDA 12, on Unix and on Windows.
struct Names {
    unix: [&'static str; 2],
    windows: [&'static str; 2],
}

const NVRTC_NAMES: Names = Names {
    unix: ["libnvrtc.so.13", "libnvrtc.so.12"],
    windows: ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"],
};
const CUBLAS_NAMES: Names = Names {
    unix: ["libcublas.so.13", "libcublas.so.12"],
    windows: ["cublas64_13.dll", "cublas64_12.dll"],
};
/// It counts by itself.
const CUFFT_NAMES: Names = Names {
    unix: ["libcufft.so.12", "libcufft.so.11"],
    windows: ["cufft64_12.dll", "cufft64_11.dll"],
};
/// It counts by itself.
const CUSOLVER_NAMES: Names = Names {
    unix: ["libcusolver.so.12", "libcusolver.so.11"],
    windows: ["cusolver64_12.dll", "cusolver64_11.dll"],
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
    files: of_the_driver(&NVRTC_NAMES),
    beside: &["libnvrtc-builtins.so.", "nvrtc-builtins64_"],
    places: &TOOLKIT_PLACES,
    hint: "install CUDA's toolkit, or `pip install nvidia-cuda-nvrtc`",
});

/// Products of matrices.
pub(crate) static CUBLAS: LazyLibrary<blas::Api<Cublas>> = LazyLibrary::new(|| LibrarySpec {
    name: "cuBLAS (libcublas)",
    files: of_the_driver(&CUBLAS_NAMES),
    beside: &["libcublasLt.so.", "cublasLt64_"],
    places: &TOOLKIT_PLACES,
    hint: "install CUDA's toolkit, or `pip install nvidia-cublas`",
});

/// Fourier transforms.
pub(crate) static CUFFT: LazyLibrary<dft::Api<Cufft>> = LazyLibrary::new(|| LibrarySpec {
    name: "cuFFT (libcufft)",
    files: of_the_driver(&CUFFT_NAMES),
    beside: &[],
    places: &TOOLKIT_PLACES,
    hint: "install CUDA's toolkit, or `pip install nvidia-cufft`",
});

/// Factorizations. It needs cuBLAS and cuSPARSE beside it.
pub(crate) static CUSOLVER: LazyLibrary<solver::Api<Cusolver>> = LazyLibrary::new(|| LibrarySpec {
    name: "cuSOLVER (libcusolver)",
    files: of_the_driver(&CUSOLVER_NAMES),
    beside: if cfg!(windows) {
        &["nvJitLink_", "cublasLt64_", "cublas64_", "cusparse64_"]
    } else {
        &["libnvJitLink.so.", "libcublasLt.so.", "libcublas.so.", "libcusparse.so."]
    },
    places: &TOOLKIT_PLACES,
    hint: "install CUDA's toolkit, or `pip install nvidia-cusolver`",
});

/// Products of sparse arrays.
pub(crate) static CUSPARSE: LazyLibrary<sparse::Api<Cusparse>> = LazyLibrary::new(|| LibrarySpec {
    name: "cuSPARSE (libcusparse)",
    // CUDA 12 and 13 have one number.
    files: files(&["libcusparse.so.12"], &["cusparse64_12.dll"]),
    beside: if cfg!(windows) { &["nvJitLink_"] } else { &["libnvJitLink.so."] },
    places: &TOOLKIT_PLACES,
    hint: "install CUDA's toolkit, or `pip install nvidia-cusparse`",
});

/// Factorizations of sparse arrays. It is no part of the toolkit, and needs its cuBLAS and its NVRTC, whose folders the loader knows once
/// they are open.
pub(crate) static CUDSS: LazyLibrary<Cudss> = LazyLibrary::new(|| {
    let _ = (CUBLAS.get(), NVRTC.get());
    LibrarySpec {
        name: "cuDSS (libcudss)",
        files: files(&["libcudss.so.1"], &["cudss64_1.dll"]),
        beside: &[],
        places: &TOOLKIT_PLACES,
        hint: "install NVIDIA cuDSS 1, or `pip install nvidia-cudss-cu13`",
    }
});

/// Ranges of profilers, by NVTX 2.
pub(crate) static NVTX: LazyLibrary<NvToolsExt> = LazyLibrary::new(|| LibrarySpec {
    name: "NVTX 2 (libnvToolsExt)",
    files: files(&["libnvToolsExt.so.1"], &["nvToolsExt64_1.dll"]),
    beside: &[],
    places: &TOOLKIT_PLACES,
    hint: "run the program under a profiler that takes NVTX 3, such as nsys",
});

/// The names of a library of CUDA 13 and 12, that of the driver's generation first.
fn of_the_driver(names: &Names) -> Vec<&'static str> {
    let mut names = files(&names.unix, &names.windows);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows has the numbers of Unix in names of its own; a toolkit of either is found by both.
    #[test]
    fn windows_names_have_the_numbers_of_unix() {
        for (names, dot) in
            [(NVRTC_NAMES, "0_0"), (CUBLAS_NAMES, ""), (CUFFT_NAMES, ""), (CUSOLVER_NAMES, "")]
        {
            for (unix, windows) in names.unix.into_iter().zip(names.windows) {
                let (name, number) = unix.split_once(".so.").expect("a number");
                let name = name.strip_prefix("lib").expect("a library");
                assert_eq!(windows, format!("{name}64_{number}{dot}.dll"));
            }
        }
    }

    /// What lies in `bin/x64` of CUDA 13.0's toolkit on Windows, and beside the driver.
    #[test]
    fn names_are_those_of_this_system() {
        let specs = [NVRTC_NAMES, CUBLAS_NAMES, CUFFT_NAMES, CUSOLVER_NAMES];
        let found = specs.each_ref().map(of_the_driver);
        let of_13 = match cfg!(windows) {
            true => ["nvrtc64_130_0.dll", "cublas64_13.dll", "cufft64_12.dll", "cusolver64_12.dll"],
            false => ["libnvrtc.so.13", "libcublas.so.13", "libcufft.so.12", "libcusolver.so.12"],
        };
        for (names, of_13) in found.iter().zip(of_13) {
            assert!(names.len() == 2 && names.contains(&of_13), "{names:?} lacks {of_13}");
        }
    }
}
