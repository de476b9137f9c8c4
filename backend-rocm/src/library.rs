//! AMD's libraries and where they lie.
//!
//! Their functions are tables of the project's own: hip-sys needs ROCm's headers to build and links, takes result codes
//! as enums, in which a code of a newer ROCm would be undefined behaviour, and knows one layout of the devices'
//! properties. For the same reasons it cannot serve even in a test of a machine without ROCm; instead a test has the C
//! compiler compare every signature with the vendor's own headers, where `NDANY_TEST_HIP_HEADERS` lists their folders.
//!
//! ROCm 5, 6 and 7 are served. What not all of them have is optional.

use ndany_gpu::library::{Found, LazyLibrary, LibrarySpec, SearchPaths, files};
use ndany_gpu::vendor::{api, blas, dft, rtc, solver, sparse};

use crate::blas::Rocblas;
use crate::comgr::Comgr;
use crate::compiler::Hiprtc;
use crate::driver::Amd;
use crate::fft::Hipfft;
use crate::ranges::Roctx;
use crate::solver::Hipsolver;
use crate::sparse::Hipsparse;

static PLACES: SearchPaths = SearchPaths {
    variable: "NDANY_ROCM_LIBRARIES",
    homes: &["ROCM_PATH", "HIP_PATH"],
    prefixes: &[
        "/opt/rocm/lib",
        "/opt/rocm*/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib64",
        "/usr/lib64/rocm/lib",
    ],
    wheels: if cfg!(windows) { &["_rocm_sdk_*/bin"] } else { &["_rocm_sdk_*/lib"] },
};

/// HIP.
pub(crate) static HIP: LazyLibrary<api::Api<Amd>> = LazyLibrary::new(|| LibrarySpec {
    name: "AMD's HIP (libamdhip64)",
    files: files(HIP_NAMES[0], HIP_NAMES[1]),
    beside: &[],
    places: &PLACES,
    hint: "install ROCm 5 or newer (rocminfo tells)",
});

/// HIP's own files. The name without a number is that of wheels, which bring their own; on Windows, that of ROCm 5.
const HIP_NAMES: [&[&str]; 2] = [
    &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"],
    &["amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"],
];

/// Files that have hipRTC, by generation. On Windows its name has the whole version.
const HIPRTC_NAMES: [(&str, &str); 13] = [
    ("7", "libhiprtc.so.7"),
    ("6", "libhiprtc.so.6"),
    ("6", "libamdhip64.so.6"),
    ("5", "libhiprtc.so.5"),
    ("5", "libamdhip64.so.5"),
    ("7", "hiprtc0702.dll"),
    ("7", "hiprtc0701.dll"),
    ("7", "hiprtc0700.dll"),
    ("6", "hiprtc0604.dll"),
    ("6", "hiprtc0602.dll"),
    ("6", "hiprtc0601.dll"),
    ("5", "hiprtc0507.dll"),
    ("5", "hiprtc0505.dll"),
];

/// Files of comgr.
const COMGR_NAMES: [&[&str]; 2] = [
    &["libamd_comgr.so.3", "libamd_comgr.so.2"],
    &["amd_comgr0702.dll", "amd_comgr0701.dll", "amd_comgr_3.dll", "amd_comgr_2.dll"],
];

/// The run-time compiler: of HIP's own generation if there is one. ROCm 5 has it in HIP's library, ROCm 6 there too.
pub(crate) static HIPRTC: LazyLibrary<rtc::Api<Hiprtc>> = LazyLibrary::new(|| LibrarySpec {
    name: "hipRTC (libhiprtc)",
    files: of_hip(&HIPRTC_NAMES),
    beside: if cfg!(windows) {
        &["amd_comgr", "hiprtc-builtins"]
    } else {
        &["libamd_comgr.so.", "libhiprtc-builtins.so."]
    },
    places: &PLACES,
    hint: "install ROCm's hiprtc (Debian: libhiprtc-builtins5)",
});

/// What makes hipRTC's machine code: the file that lies beside hipRTC, or that is open already because hipRTC has opened
/// it. Another one could know other architectures.
pub(crate) fn comgr() -> Option<Found<Comgr>> {
    let hiprtc = HIPRTC.get().ok()?;
    let folder = hiprtc.path.as_ref().and_then(|path| path.parent());
    ndany_gpu::library::beside(folder, &files(COMGR_NAMES[0], COMGR_NAMES[1]))
}

/// Products of matrices.
pub(crate) static ROCBLAS: LazyLibrary<blas::Api<Rocblas>> = LazyLibrary::new(|| LibrarySpec {
    name: "rocBLAS (librocblas)",
    // It counts by itself.
    files: of_hip(&[
        ("7", "librocblas.so.5"),
        ("6", "librocblas.so.4"),
        ("5", "librocblas.so.0"),
        ("", "rocblas.dll"),
    ]),
    beside: &[],
    places: &PLACES,
    hint: "install ROCm's rocblas",
});

/// Fourier transforms: the same number in all generations.
pub(crate) static HIPFFT: LazyLibrary<dft::Api<Hipfft>> = LazyLibrary::new(|| LibrarySpec {
    name: "hipFFT (libhipfft)",
    files: files(&["libhipfft.so.0"], &["hipfft.dll"]),
    beside: if cfg!(windows) { &["rocfft"] } else { &["librocfft.so."] },
    places: &PLACES,
    hint: "install ROCm's hipfft and rocfft",
});

/// Factorizations.
pub(crate) static HIPSOLVER: LazyLibrary<solver::Api<Hipsolver>> =
    LazyLibrary::new(|| LibrarySpec {
        name: "hipSOLVER (libhipsolver)",
        files: of_hip(&[
            ("7", "libhipsolver.so.1"),
            ("6", "libhipsolver.so.0"),
            ("5", "libhipsolver.so.0"),
            ("", "hipsolver.dll"),
        ]),
        beside: if cfg!(windows) {
            &["rocblas", "rocsolver"]
        } else {
            &["librocblas.so.", "librocsolver.so."]
        },
        places: &PLACES,
        hint: "install ROCm's hipsolver and rocsolver",
    });

/// Products of sparse arrays.
pub(crate) static HIPSPARSE: LazyLibrary<sparse::Api<Hipsparse>> =
    LazyLibrary::new(|| LibrarySpec {
        name: "hipSPARSE (libhipsparse)",
        // It counts by itself.
        files: of_hip(&[
            ("7", "libhipsparse.so.4"),
            ("6", "libhipsparse.so.1"),
            ("5", "libhipsparse.so.0"),
            ("", "hipsparse.dll"),
        ]),
        beside: if cfg!(windows) { &["rocsparse"] } else { &["librocsparse.so."] },
        places: &PLACES,
        hint: "install ROCm's hipsparse and rocsparse",
    });

/// Ranges of profilers, by rocTX: that of the newer profiler, else that of the older one.
pub(crate) static ROCTX: LazyLibrary<Roctx> = LazyLibrary::new(|| LibrarySpec {
    name: "rocTX (librocprofiler-sdk-roctx, libroctx64)",
    files: files(
        &[
            "librocprofiler-sdk-roctx.so.1",
            "librocprofiler-sdk-roctx.so.0",
            "libroctx64.so.4",
            "libroctx64.so",
        ],
        &[],
    ),
    beside: &[],
    places: &PLACES,
    hint: "install ROCm's rocprofiler-sdk or roctracer",
});

/// This system's files of these, by the generation of ROCm that they are of (none where a name serves all): that of HIP
/// itself first, because two generations do not go together in one process.
fn of_hip(files: &[(&str, &'static str)]) -> Vec<&'static str> {
    let path = HIP.get().ok().and_then(|found| found.path.as_ref()?.to_str());
    ordered(files, path.and_then(generation), cfg!(windows))
}

fn ordered(files: &[(&str, &'static str)], hip: Option<&str>, windows: bool) -> Vec<&'static str> {
    let mut files = files.to_vec();
    files.retain(|(_, file)| file.ends_with(".dll") == windows);
    files.sort_by_key(|&(generation, _)| Some(generation) != hip);
    files.into_iter().map(|(_, file)| file).collect()
}

/// The generation in the name of HIP's file: `libamdhip64.so.6.4`, `amdhip64_6.dll`.
fn generation(path: &str) -> Option<&str> {
    let version = match path.strip_suffix(".dll") {
        Some(name) => name.rsplit_once('_')?.1,
        None => path.rsplit_once(".so.")?.1,
    };
    version.split('.').next()
}

#[cfg(test)]
mod tests;
