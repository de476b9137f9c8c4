//! The real NVRTC, where `NDANY_TEST_NVRTC` names the folder of its library (`cargo xtask kernels` fetches one, to
//! `target/nvrtc/nvidia/cu13/lib`): what it takes and what it refuses. No GPU is needed.

#![cfg(target_os = "linux")]

mod support;

use std::path::PathBuf;
use std::time::Instant;

use ndany_core::DType;
use ndany_core::program::{Builder, Domain, Input, Op, Output, Prim, Program, Ty};
use ndany_cuda::CudaCompiler;
use ndany_gpu::driver::{CompileError, Compiler};
use ndany_kernels::layout::{Step, Walk};
use ndany_kernels::map::Map;
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
    // max(x, 0) + x * x of f32.
    let builder = Builder::new();
    let x = builder.push(Op::Load { input: 0, part: 0 }, Ty::F32, [0; 3]).reg();
    let zero = builder.push(Op::Const(0), Ty::F32, [0; 3]).reg();
    let most = builder.push(Op::Prim(Prim::Max), Ty::F32, [x, zero, 0]).reg();
    let square = builder.push(Op::Prim(Prim::Mul), Ty::F32, [x, x, 0]).reg();
    let sum = builder.push(Op::Prim(Prim::Add), Ty::F32, [most, square, 0]).reg();
    let program = Program {
        inputs: [Input { dtype: DType::F32, domain: Domain::Element }].into_iter().collect(),
        outputs: [Output { dtype: DType::F32, parts: [sum; 2], domain: Domain::Element }]
            .into_iter()
            .collect(),
        instrs: builder.into_instrs(),
        ..Program::default()
    };
    let steps = (0..2).map(|_| [Step::One].into_iter().collect()).collect();
    let walk = Walk { axes: 1, steps, wide: false };
    let source = Map { program, walk, vector: 4 }.source(&CUDA);
    for architecture in ["sm_75", "sm_80", "sm_90", "sm_120"] {
        let began = Instant::now();
        let image = compiler.compile(&source.text, architecture).expect("machine code");
        println!("{architecture}: {} bytes in {:?}", image.len(), began.elapsed());
        assert!(image.starts_with(b"\x7fELF"), "{architecture}");
    }
    for (architecture, remedy) in [("sm_50", "an older NVRTC"), ("sm_990", "install a newer one")] {
        match compiler.compile(&source.text, architecture) {
            Err(CompileError::Architecture { remedy: found, .. }) => {
                assert!(found.contains(remedy), "{architecture}: {found}");
            }
            other => panic!("{architecture}: {other:?}"),
        }
    }
    let included = compiler.compile("#include <cuda_fp16.h>", "sm_90");
    assert!(matches!(included, Err(CompileError::Refused { .. })), "{included:?}");
}
