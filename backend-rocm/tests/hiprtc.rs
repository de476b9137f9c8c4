//! The real hipRTC, where it is installed: what it takes and what it refuses. No GPU is needed. `.ci/rocm` runs this with
//! hipRTC of three releases; `cargo xtask kernels` compiles many kernels.

#![cfg(target_os = "linux")]

#[path = "../../gpu/tests/support/kernel.rs"]
mod kernel;
mod support;

use std::time::Instant;

use ndany_gpu::driver::{CompileError, Compiler};
use ndany_kernels::{HIP_32, HIP_64, Kernel};
use ndany_rocm::RocmCompiler;
use support::process;

/// An unknown architecture must not end the process, so this has one of its own.
#[test]
fn a_kernel_compiles_and_unknown_architectures_do_not_abort() {
    print!("{}", process("alone", None, &[]));
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let compiler = match RocmCompiler::open() {
        Ok(compiler) => compiler,
        Err(error) => return println!("nothing is tried: {error}"),
    };
    println!("{} of {:?}", compiler.version(), compiler.path());
    let map = kernel::map();
    for (architecture, dialect) in [("gfx906", &HIP_64), ("gfx90a", &HIP_64), ("gfx1030", &HIP_32)]
    {
        let began = Instant::now();
        let source = map.source(dialect);
        let image = compiler.compile(&source.text, architecture).expect("machine code");
        println!("{architecture}: {} bytes in {:?}", image.len(), began.elapsed());
        // Bare, or in a bundle of images.
        let bundle = image.starts_with(b"__CLANG_OFFLOAD_BUNDLE__");
        assert!(bundle || image.starts_with(b"\x7fELF"), "{architecture}: {:?}", &image[..24]);
    }
    // Known to hipRTC of ROCm 5 and not to the table: a child must find out.
    let image = compiler.compile(&map.source(&HIP_64).text, "gfx902");
    assert!(image.is_ok(), "{image:?}");
    let source = map.source(&HIP_32);
    // The first is newer than some of what is installed, the last two than all.
    for architecture in ["gfx1201", "gfx9999", "gfx1", "sm_90"] {
        let began = Instant::now();
        match compiler.compile(&source.text, architecture) {
            Ok(image) => {
                assert_eq!(architecture, "gfx1201");
                println!("{architecture}: {} bytes", image.len());
            }
            Err(CompileError::Architecture { hint, .. }) => {
                assert!(hint.contains("install a newer ROCm"), "{hint}");
                println!("{architecture}: is not known, in {:?}", began.elapsed());
            }
            Err(error) => panic!("{architecture}: {error}"),
        }
    }
    let included = compiler.compile("#include <no_such_file.h>", "gfx90a");
    assert!(matches!(included, Err(CompileError::Refused { .. })), "{included:?}");
}
