//! Signatures and constants against the vendor's own headers, by the C compiler, where `NDANY_TEST_HIP_HEADERS` lists
//! folders of them (`cargo xtask headers` fetches those of three releases). With `CI=true` each library, and each
//! function that not all releases have, must be in one of them at least.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use ndany_core::backend::IPC_BYTES;
use ndany_gpu::vendor::Factorizations;
use ndany_gpu::vendor::attributes::{ROWS, Row};

use crate::solver::Hipsolver;
use crate::{blas, compiler, driver, fft, solver, sparse};

/// What is used of a library.
struct Used {
    name: &'static str,
    header: &'static str,
    /// Name, whether all releases have it, bytes of result and arguments.
    functions: Vec<(&'static str, bool, Vec<usize>)>,
    constants: Vec<(&'static str, u32)>,
}

/// The attributes of devices by HIP's names.
fn attributes() -> impl Iterator<Item = (&'static str, u32)> {
    let name = |row: &Row| format!("hipDeviceAttribute{}", row.hip_name);
    ROWS.iter().map(move |row| (&*name(row).leak(), row.hip))
}

fn used() -> [Used; 6] {
    [
        Used {
            name: "HIP",
            header: "hip/hip_runtime_api.h",
            functions: [driver::NAMES.signatures::<i32>(), driver::Own::signatures()].concat(),
            constants: driver::CONSTANTS.into_iter().chain(attributes()).collect(),
        },
        Used {
            name: "hipRTC",
            header: "hip/hiprtc.h",
            functions: [compiler::NAMES.signatures(), compiler::Own::signatures()].concat(),
            constants: Vec::new(),
        },
        Used {
            name: "rocBLAS",
            header: "rocblas/rocblas.h",
            functions: [blas::NAMES.signatures(), blas::Own::signatures()].concat(),
            constants: blas::CONSTANTS.to_vec(),
        },
        Used {
            name: "hipFFT",
            header: "hipfft/hipfft.h",
            functions: fft::NAMES.signatures::<u64>(),
            constants: fft::CONSTANTS.to_vec(),
        },
        Used {
            name: "hipSOLVER",
            header: "hipsolver/hipsolver.h",
            functions: std::iter::once(solver::NAMES.signatures())
                .chain(Hipsolver::DENSE.map(|names| names.signatures()))
                .flatten()
                .collect(),
            constants: solver::CONSTANTS.to_vec(),
        },
        Used {
            name: "hipSPARSE",
            header: "hipsparse/hipsparse.h",
            functions: sparse::NAMES.signatures(),
            constants: sparse::CONSTANTS.to_vec(),
        },
    ]
}

/// What the C compiler prints for a text, which must be right.
fn compile(folder: &Path, language: &str, flags: &[&str], text: &str) -> String {
    let source = std::env::temp_dir().join(format!("ndany-rocm-{}.{language}", std::process::id()));
    std::fs::write(&source, text).expect("a file of the test");
    let output = Command::new(if language == "c" { "cc" } else { "c++" })
        .args(flags)
        .args(["-w", "-D__HIP_PLATFORM_AMD__", "-isystem"])
        .arg(folder)
        .arg(&source)
        .output()
        .expect("a C compiler");
    std::fs::remove_file(&source).expect("the file of the test");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} ({language}): {errors}", folder.display());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Names in front of a parenthesis.
fn declared(text: &str) -> BTreeSet<&str> {
    let ends = text.split('(').map(str::trim_end);
    ends.filter_map(|end| end.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()).collect()
}

/// Compares a library's functions and constants; the names of the functions compared.
fn agree(folder: &Path, used: &Used) -> Vec<&'static str> {
    let include = format!("#include <hip/hip_runtime_api.h>\n#include <{}>\n", used.header);
    let headers = compile(folder, "c", &["-E", "-P"], &include);
    let there = declared(&headers);
    let mut c = include.clone();
    // In C, which has no arguments by default, their number is compared, and in C++ their sizes.
    let mut cpp = include
        + "template <unsigned long N> struct Any { template <class T, class = char[sizeof(T) == N ? 1 : -1]>\n\
           operator T() const; };\n";
    // What a release lacks is optional.
    let compared =
        used.functions.iter().filter(|(name, needed, _)| *needed || there.contains(name));
    let compared = compared.map(|(name, _, sizes)| {
        let (result, arguments) = sizes.split_first().expect("a result");
        // A handle for other processes is the one structure that is passed by value.
        let zero = |&bytes: &usize| match bytes {
            IPC_BYTES => "(hipIpcMemHandle_t){ 0 }",
            _ => "0",
        };
        let zeros = arguments.iter().map(zero).collect::<Vec<_>>().join(", ");
        let _ = writeln!(c, "_Static_assert(sizeof({name}({zeros})) == {result}, \"{name}\");");
        let any: Vec<String> = arguments.iter().map(|bytes| format!("Any<{bytes}>()")).collect();
        let any = any.join(", ");
        let _ = writeln!(cpp, "static_assert(sizeof({name}({any})) == {result}, \"{name}\");");
        *name
    });
    let compared = compared.collect();
    // Without a sign: one of HIP's numbers is -1.
    for (name, value) in &used.constants {
        let _ = writeln!(c, "_Static_assert({name} == {value}u, \"{name}\");");
    }
    if used.name == "HIP" {
        let (name, since) = ("hipIpcMemLazyEnablePeerAccess", "hipGetDevicePropertiesR0600");
        let value = u32::from(headers.contains(since));
        let _ = writeln!(c, "_Static_assert({name} == {value}u, \"{name}\");");
    }
    compile(folder, "c", &["-fsyntax-only"], &c);
    compile(folder, "cpp", &["-fsyntax-only"], &cpp);
    compared
}

#[test]
fn signatures_and_constants_are_those_of_the_headers() {
    let listed = std::env::var_os("NDANY_TEST_HIP_HEADERS").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&listed).collect();
    if listed.is_empty() {
        return println!("NDANY_TEST_HIP_HEADERS is not set: nothing is compared");
    }
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    for folder in &folders {
        assert!(folder.join("hip").is_dir(), "no headers of HIP in {}", folder.display());
    }
    for used in used() {
        let mut missing: BTreeSet<&str> = used.functions.iter().map(|(name, ..)| *name).collect();
        for folder in folders.iter().filter(|folder| folder.join(used.header).exists()) {
            let compared = agree(folder, &used);
            missing.retain(|name| !compared.contains(name));
            println!(
                "{}: {} of {} functions and {} constants are those of {}",
                used.name,
                compared.len(),
                used.functions.len(),
                used.constants.len(),
                folder.join(used.header).display()
            );
        }
        println!("{}: not compared: {missing:?}", used.name);
        assert!(missing.is_empty() || !is_ci, "{}: in no header: {missing:?}", used.name);
    }
}

#[test]
fn declarations_are_seen() {
    let header = "int first(void);\nextern int (*second) (int);\nchar* third (const char*);";
    assert_eq!(declared(header), BTreeSet::from(["", "first", "int", "third"]));
}

#[test]
fn the_generation_of_hip_is_in_its_name() {
    for (path, generation) in [
        ("/opt/rocm/lib/libamdhip64.so.6.4.43483", Some("6")),
        ("/opt/rocm/lib/libamdhip64.so", None),
        ("C:/Windows/System32/amdhip64_7.dll", Some("7")),
        ("C:/Windows/System32/amdhip64.dll", None),
    ] {
        assert_eq!(super::generation(path), generation, "{path}");
    }
    // Each system has its own names.
    let names = super::of_hip(&[("6", "librocblas.so.4"), ("", "rocblas.dll")]);
    assert_eq!(names, if cfg!(windows) { ["rocblas.dll"] } else { ["librocblas.so.4"] });
}

#[test]
fn windows_names_have_generation_and_version() {
    for name in super::HIP_NAMES[1].iter().filter(|name| **name != "amdhip64.dll") {
        assert!(super::generation(name).is_some(), "{name}");
    }
    for (generation, name) in super::HIPRTC_NAMES.iter().filter(|(_, name)| name.ends_with(".dll"))
    {
        let version = name.strip_prefix("hiprtc").and_then(|name| name.strip_suffix(".dll"));
        let version = version.unwrap_or_else(|| panic!("{name}"));
        assert!(version.len() == 4 && version.starts_with(&format!("0{generation}")), "{name}");
    }
    // That of HIP's own generation first, and the newest of these.
    for (hip, first) in [("7", "hiprtc0702.dll"), ("6", "hiprtc0604.dll"), ("5", "hiprtc0507.dll")]
    {
        let names = super::ordered(&super::HIPRTC_NAMES, Some(hip), true);
        assert_eq!(names[0], first);
        assert!(names.len() == 8 && names.iter().all(|name| name.ends_with(".dll")), "{names:?}");
    }
}
