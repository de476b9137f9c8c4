//! Compiles kernels for GPUs that are not there, so that an application can bring them along.
//!
//!     NDANY_CACHE_TEXTS=$PWD/texts my-application          # once, on any GPU of the vendor: records what it asks for
//!     cargo run --release --example compile_kernels -- --texts texts --into ndany-kernels --for sm_80,sm_90
//!
//! The folder goes beside the program, or anywhere if `NDANY_CACHE_SHIPPED` names it. The compiler is NVRTC for `sm_…` and
//! hipRTC for `gfx…`; neither needs a card.

#[path = "support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::process::ExitCode;

use ndany_cuda::CudaCompiler;
use ndany_gpu::compile_texts;
use ndany_gpu::driver::{CompileError, Compiler};
use ndany_kernels::{CUDA, Dialect, HIP_32, HIP_64};
use ndany_rocm::RocmCompiler;
use support::{Outcome, failure};

/// A dialect, which architectures have it, and their compiler.
struct Vendor {
    dialect: &'static Dialect,
    has: fn(&str) -> bool,
    compiler: fn() -> Result<Box<dyn Compiler>, CompileError>,
}

/// Accelerators of AMD, whose wavefronts have 64 lanes, are `gfx9…`.
const VENDORS: [Vendor; 3] = [
    Vendor { dialect: &CUDA, has: |name| name.starts_with("sm_"), compiler: nvrtc },
    Vendor { dialect: &HIP_64, has: |name| name.starts_with("gfx9"), compiler: hiprtc },
    Vendor {
        dialect: &HIP_32,
        has: |name| name.starts_with("gfx") && !name.starts_with("gfx9"),
        compiler: hiprtc,
    },
];

fn nvrtc() -> Result<Box<dyn Compiler>, CompileError> {
    Ok(Box::new(CudaCompiler::open()?))
}

fn hiprtc() -> Result<Box<dyn Compiler>, CompileError> {
    Ok(Box::new(RocmCompiler::open()?))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("compile_kernels: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut option = |name: &str| {
        let given = support::option(&mut arguments, name)?;
        given.ok_or_else(|| failure(format!("{name} is missing")))
    };
    let (texts, into) = (PathBuf::from(option("--texts")?), PathBuf::from(option("--into")?));
    let names = option("--for")?;
    support::expect_no_more(
        &arguments,
        "compile_kernels --texts FOLDER --into FOLDER --for NAMES",
    )?;
    let names: Vec<String> = names.split(',').map(str::to_string).collect();
    if let Some(other) = names.iter().find(|name| !VENDORS.iter().any(|vendor| (vendor.has)(name)))
    {
        return Err(failure(format!("--for {other}: expected sm_… or gfx…")));
    }
    let mut refused = 0;
    for Vendor { dialect, has, compiler } in VENDORS {
        let own: Vec<String> = names.iter().filter(|name| has(name)).cloned().collect();
        if own.is_empty() {
            continue;
        }
        let compiler = compiler()?;
        let done = compile_texts(compiler.as_ref(), dialect, &texts, &own, &into)?;
        if done.compiled + done.kept + done.refused.len() == 0 {
            let (names, texts) = (own.join(", "), texts.display());
            return Err(failure(format!("{texts} has no text of a kernel for {names}")));
        }
        println!(
            "{}: {} compiled by {}, {} there, {} files passed over",
            own.join(", "),
            done.compiled,
            compiler.version(),
            done.kept,
            done.passed_over
        );
        done.refused.iter().for_each(|reason| eprintln!("{reason}"));
        refused += done.refused.len();
    }
    match refused {
        0 => Ok(()),
        count => Err(failure(format!("{count} texts are not compiled"))),
    }
}
