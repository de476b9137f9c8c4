//! NVRTC of its wheel, which needs no GPU.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use ndany_cuda::CudaCompiler;
use ndany_gpu::driver::{CompileError, Compiler};
use ndany_kernels::CUDA;

use super::{Options, collect, in_parallel, verdict};
use crate::oracle;

const WHEEL: &str = "nvidia-cuda-nvrtc==13.0.88";

/// Turing, Ampere, Hopper, Blackwell.
const ARCHITECTURES: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_120"];

/// Compiles the kernels of CUDA's dialect, and prints how many and how long.
pub(super) fn run(options: &Options) -> Result<(), String> {
    // The compiler is looked for where the environment says, which is read when the process starts.
    if std::env::var_os("NDANY_CUDA_LIBRARIES").is_none() {
        return again_with_wheel(options);
    }
    let compiler = CudaCompiler::open().map_err(|error| error.to_string())?;
    refusals(&compiler)?;
    let kernels = collect(options, "sm_90", &CUDA, "cu")?;
    let began = Instant::now();
    let jobs: Vec<(&String, &String, &str)> = kernels
        .iter()
        .flat_map(|(name, text)| ARCHITECTURES.map(|architecture| (name, text, architecture)))
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
        ARCHITECTURES.join(", "),
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

fn again_with_wheel(options: &Options) -> Result<(), String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut again = Command::new(this);
    again.args(["kernels", "--cuda"]).args(options.all.then_some("--all"));
    if let Some(folder) = &options.keep {
        again.arg("--keep").arg(folder);
    }
    let status =
        again.env("NDANY_CUDA_LIBRARIES", wheel()?).status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err("kernels do not compile for CUDA".to_string()) }
}

/// The compiler must refuse what is wrong, or its silence about the rest says nothing.
fn refusals(compiler: &CudaCompiler) -> Result<(), String> {
    let wrong = "extern \"C\" __global__ void wrong(int* x) { *x = undeclared; }";
    match compiler.compile(wrong, "sm_90") {
        Err(CompileError::Refused { log, .. }) if log.contains("undeclared") => {}
        other => return Err(format!("a wrong text must be refused with its name, got {other:?}")),
    }
    match compiler.compile("", "sm_20") {
        Err(CompileError::Architecture { .. }) => Ok(()),
        other => Err(format!("an old architecture must be refused as such, got {other:?}")),
    }
}
