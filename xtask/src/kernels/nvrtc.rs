//! NVRTC of its wheel, which needs no GPU.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use ndany_cuda::CudaCompiler;
use ndany_gpu::driver::{CompileError, Compiler};
use ndany_gpu::recording::Kernels;
use ndany_kernels::CUDA;

use super::{Options, WRONG, collect, in_parallel, part, verdict};
use crate::oracle;

const WHEEL: &str = "nvidia-cuda-nvrtc==13.0.88";

/// Turing, Ampere, Hopper, Blackwell.
const ARCHITECTURES: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_120"];

/// Compiles the kernels of CUDA's dialect, and prints how many and how long.
pub(super) fn run(options: &Options) -> Result<(), String> {
    if !has_nvrtc() {
        return again(options, "--cuda", &[]);
    }
    let compiler = CudaCompiler::open().map_err(|error| error.to_string())?;
    refusals(&compiler)?;
    let kernels = collect(options, "sm_90", &CUDA, "cu")?;
    for (offset, architecture) in ARCHITECTURES.iter().enumerate() {
        compile(&compiler, &[architecture], &part(&kernels, options.every, offset))?;
    }
    Ok(())
}

/// Compiles each kernel for each architecture.
pub(super) fn compile(
    compiler: &impl Compiler,
    architectures: &[&str],
    kernels: &Kernels,
) -> Result<(), String> {
    let began = Instant::now();
    let jobs: Vec<(&String, &String, &str)> = kernels
        .iter()
        .flat_map(|(name, text)| architectures.iter().map(move |&target| (name, text, target)))
        .collect();
    let (threads, results) = in_parallel(&jobs, |(name, text, architecture)| {
        let start = Instant::now();
        let refused = match compiler.compile(text, architecture) {
            Ok(image) if image.starts_with(b"\x7fELF") => None,
            Ok(_) => Some(format!("{name}: no machine code")),
            Err(error) => Some(format!("{name}: {error}")),
        };
        (start.elapsed().as_secs_f64(), refused)
    });
    let (mut times, refused): (Vec<f64>, Vec<_>) = results.into_iter().unzip();
    times.sort_by(f64::total_cmp);
    let at = |part: usize| {
        times.get(times.len().saturating_sub(1) * part / 100).map_or(0.0, |time| time * 1e3)
    };
    println!(
        "{}: {} kernels for each of {} in {:.1} s on {threads} threads; one takes {:.0} ms (half of them), {:.0} ms \
         (95 of 100), {:.0} ms (all)",
        compiler.version(),
        kernels.len(),
        architectures.join(", "),
        began.elapsed().as_secs_f64(),
        at(50),
        at(95),
        at(100)
    );
    verdict(jobs.len(), &refused.into_iter().flatten().collect::<Vec<_>>())
}

/// The folder of NVRTC's libraries, from its wheel.
fn wheel() -> Result<PathBuf, String> {
    let folder = oracle::target().with_file_name("nvrtc");
    let libraries = folder.join("nvidia/cu13/lib");
    if !libraries.join("libnvrtc.so.13").exists() {
        let pip = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--target",
        ];
        let python = oracle::interpreter().map_err(|error| error.to_string())?;
        let status = Command::new(python).args(pip).arg(&folder).arg(WHEEL).status();
        if !status.is_ok_and(|status| status.success()) {
            return Err(format!("pip does not install {WHEEL}"));
        }
    }
    Ok(libraries)
}

/// Whether the location of NVRTC is given. It is looked for where the environment says, which is read when a process starts.
pub(super) fn has_nvrtc() -> bool {
    std::env::var_os("NDANY_CUDA_LIBRARIES").is_some()
}

/// This program again for one of the compilers, told where NVRTC is, and what else.
pub(super) fn again(
    options: &Options,
    compiler: &str,
    places: &[(&str, PathBuf)],
) -> Result<(), String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut again = Command::new(this);
    again.args(["kernels", compiler]).args(options.all.then_some("--all"));
    if let Some(folder) = &options.keep {
        again.arg("--keep").arg(folder);
    }
    if let Some(start) = &options.only {
        again.arg("--only").arg(start);
    }
    if options.every != 0 {
        again.args(["--every", &options.every.to_string()]);
    }
    let status = again
        .env("NDANY_CUDA_LIBRARIES", wheel()?)
        .envs(places.iter().cloned())
        .status()
        .map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("kernels {compiler} do not compile")) }
}

/// The compiler must refuse what is wrong, or its silence about the rest says nothing.
fn refusals(compiler: &CudaCompiler) -> Result<(), String> {
    refuses(compiler, "sm_90")?;
    match compiler.compile("", "sm_20") {
        Err(CompileError::Architecture { .. }) => Ok(()),
        other => Err(format!("an old architecture must be refused as such, got {other:?}")),
    }
}

pub(super) fn refuses(compiler: &impl Compiler, architecture: &str) -> Result<(), String> {
    match compiler.compile(WRONG, architecture) {
        Err(CompileError::Refused { log, .. }) if log.contains("undeclared") => Ok(()),
        other => Err(format!("a wrong text must be refused with its name, got {other:?}")),
    }
}
