//! Signatures and constants against the vendor's own headers, by the C compiler, where `NDANY_TEST_HIP_HEADERS` lists
//! folders of them (Debian's packages `libamdhip64-dev` and `librocblas-dev`, unpacked, have them in `usr/include`).

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::{blas, compiler, driver};

/// In C, which has no arguments by default, the numbers of arguments are compared, and in C++ their sizes.
fn compile(folder: &Path, language: &str, text: &str) {
    let source = std::env::temp_dir().join(format!("ndany-rocm-{}.{language}", std::process::id()));
    std::fs::write(&source, text).expect("a file of the test");
    let compiler = if language == "c" { "cc" } else { "c++" };
    let output = Command::new(compiler)
        .args(["-fsyntax-only", "-w", "-D__HIP_PLATFORM_AMD__", "-isystem"])
        .arg(folder)
        .arg(&source)
        .output()
        .expect("a C compiler");
    std::fs::remove_file(&source).expect("the file of the test");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} ({language}): {errors}", folder.display());
}

fn agree(folder: &Path) -> usize {
    let has = |name: &str| folder.join(name).exists();
    let mut functions = driver::NAMES.signatures::<i32>();
    functions.extend(driver::Own::signatures());
    let mut includes = "#include <hip/hip_runtime_api.h>\n#include <hip/hiprtc.h>\n".to_string();
    functions.extend(compiler::NAMES.signatures());
    functions.extend(compiler::Own::signatures());
    let mut constants = driver::CONSTANTS.to_vec();
    if has("rocblas/rocblas.h") {
        includes.push_str("#include <rocblas/rocblas.h>\n");
        functions.extend(blas::NAMES.signatures());
        functions.extend(blas::Own::signatures());
        constants.extend(blas::CONSTANTS);
    }
    let read = |name| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let declared =
        ["hip/hip_runtime_api.h", "hip/hiprtc.h", "rocblas/internal/rocblas-functions.h"]
            .map(read)
            .concat()
            + &read("rocblas/internal/rocblas-auxiliary.h");
    // What a version lacks is optional.
    functions.retain(|(name, needed, _)| *needed || declared.contains(&format!(" {name}(")));
    let mut c = includes.clone();
    let mut cpp = includes
        + "template <unsigned long N> struct Any { template <class T, class = char[sizeof(T) == N ? 1 : -1]>\n\
           operator T() const; };\n";
    for (name, _, sizes) in &functions {
        let (result, arguments) = sizes.split_first().expect("a result");
        let zeros = vec!["0"; arguments.len()].join(", ");
        let _ = writeln!(c, "_Static_assert(sizeof({name}({zeros})) == {result}, \"{name}\");");
        let any: Vec<String> = arguments.iter().map(|bytes| format!("Any<{bytes}>()")).collect();
        let any = any.join(", ");
        let _ = writeln!(cpp, "static_assert(sizeof({name}({any})) == {result}, \"{name}\");");
    }
    for (name, value) in &constants {
        let _ = writeln!(c, "_Static_assert({name} == {value}, \"{name}\");");
    }
    compile(folder, "c", &c);
    compile(folder, "cpp", &cpp);
    functions.len() + constants.len()
}

#[test]
fn signatures_and_constants_are_those_of_the_headers() {
    let listed = std::env::var_os("NDANY_TEST_HIP_HEADERS").unwrap_or_default();
    for folder in std::env::split_paths(&listed).filter(|folder| !folder.as_os_str().is_empty()) {
        assert!(folder.join("hip").is_dir(), "no headers of HIP in {}", folder.display());
        println!("{}: {} agree", folder.display(), agree(&folder));
    }
    if listed.is_empty() {
        println!("NDANY_TEST_HIP_HEADERS is not set: nothing is compared");
    }
}
