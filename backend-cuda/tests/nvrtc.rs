//! The real NVRTC, where `NDANY_TEST_NVRTC` names the folder of its library (`cargo xtask kernels` fetches one, to
//! `target/nvrtc/nvidia/cu13/lib`): what it takes and what it refuses. No GPU is needed.

#![cfg(target_os = "linux")]

#[path = "../../gpu/tests/support/kernel.rs"]
mod kernel;
mod support;

use std::path::PathBuf;
use std::time::Instant;

use ndany_cuda::CudaCompiler;
use ndany_gpu::driver::{CompileError, Compiler};
use ndany_kernels::{CUDA, Kernel};
use support::process;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("NDANY_TEST_NVRTC").map(PathBuf::from);
    if folder.is_none() {
        println!("NDANY_TEST_NVRTC is not set: nothing is tried");
    }
    folder
}

#[test]
fn a_map_compiles_for_every_architecture() {
    if let Some(folder) = folder() {
        print!("{}", process("alone", Some(&folder), &[]));
    }
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let compiler = CudaCompiler::open().expect("NVRTC");
    let source = kernel::map().source(&CUDA);
    for architecture in ["sm_75", "sm_80", "sm_90", "sm_120"] {
        let began = Instant::now();
        let image = compiler.compile(&source.text, architecture).expect("machine code");
        println!("{architecture}: {} bytes in {:?}", image.len(), began.elapsed());
        assert!(image.starts_with(b"\x7fELF"), "{architecture}");
    }
    for (architecture, hint) in [("sm_50", "an older NVRTC"), ("sm_990", "install a newer one")] {
        match compiler.compile(&source.text, architecture) {
            Err(CompileError::Architecture { hint: found, .. }) => {
                assert!(found.contains(hint), "{architecture}: {found}");
            }
            other => panic!("{architecture}: {other:?}"),
        }
    }
    let included = compiler.compile("#include <cuda_fp16.h>", "sm_90");
    assert!(matches!(included, Err(CompileError::Refused { .. })), "{included:?}");
}
