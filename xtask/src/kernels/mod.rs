//! Compiles kernels with the real NVRTC for several architectures, on a machine without a GPU.
//!
//! The kernels are those that a recording device is asked for; NVRTC comes from its wheel. What this proves is that
//! the text is right for the compiler, not that it computes what it should: the software GPU proves that.

mod chosen;
mod forward;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ndany::Device;
use ndany_cuda::CudaCompiler;
use ndany_gpu::driver::{CompileError, Compiler};
use ndany_gpu::recording::{Kernels, Recording};
use ndany_kernels::{CUDA, Dialect};

use crate::oracle;

const WHEEL: &str = "nvidia-cuda-nvrtc==13.0.88";

/// Turing, Ampere, Hopper, Blackwell.
const ARCHITECTURES: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_120"];

/// What the command line asks for.
#[derive(Debug, Default)]
pub(crate) struct Options {
    all: bool,
    /// HIP's text, as it runs on an NVIDIA card.
    forward: bool,
    keep: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(options: &[&str]) -> Result<Self, String> {
        let mut parsed = Self::default();
        let mut rest = options.iter();
        while let Some(option) = rest.next() {
            match *option {
                "--all" => parsed.all = true,
                "--forward" => parsed.forward = true,
                "--keep" => {
                    parsed.keep = Some(rest.next().ok_or("--keep needs a folder")?.into());
                }
                other => return Err(format!("unknown option {other}")),
            }
        }
        Ok(parsed)
    }
}

/// Collects kernels, compiles them, and prints how many and how long.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    // The compiler is looked for where the environment says, which is read when the process starts.
    if std::env::var_os("NDANY_CUDA_LIBRARIES").is_none() {
        let mut places = vec![("NDANY_CUDA_LIBRARIES", wheel()?)];
        if options.forward {
            places.push(forward::place()?);
        }
        return again_with(&places);
    }
    if options.forward {
        return forward::run(options);
    }
    let compiler = CudaCompiler::open().map_err(|error| error.to_string())?;
    refusals(&compiler)?;
    let kernels = collect(options, ARCHITECTURES[0], &CUDA)?;
    compile(&compiler, &ARCHITECTURES, &kernels)
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

fn again_with(places: &[(&str, PathBuf)]) -> Result<(), String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let status = Command::new(this)
        .args(std::env::args_os().skip(1))
        .envs(places.iter().cloned())
        .status()
        .map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err("kernels do not compile".to_string()) }
}

/// The compiler must refuse what is wrong, or its silence about the rest says nothing.
fn refusals(compiler: &CudaCompiler) -> Result<(), String> {
    refuses(compiler, "sm_90")?;
    match compiler.compile("", "sm_20") {
        Err(CompileError::Architecture { .. }) => Ok(()),
        other => Err(format!("an old architecture must be refused as such, got {other:?}")),
    }
}

fn refuses(compiler: &impl Compiler, architecture: &str) -> Result<(), String> {
    let wrong = "extern \"C\" __global__ void wrong(int* x) { *x = undeclared; }";
    match compiler.compile(wrong, architecture) {
        Err(CompileError::Refused { log, .. }) if log.contains("undeclared") => Ok(()),
        other => Err(format!("a wrong text must be refused with its name, got {other:?}")),
    }
}

/// The kernels that a device of this architecture and dialect is asked for.
fn collect(
    options: &Options,
    architecture: &str,
    dialect: &'static Dialect,
) -> Result<Kernels, String> {
    let began = Instant::now();
    let (backend, recording) =
        Recording::device(architecture, dialect).map_err(|error| error.to_string())?;
    let _guard = Device::custom(backend).enter();
    let missing = chosen::evaluate(options.all);
    let kernels = recording.kernels();
    println!(
        "{} kernels of {} bytes collected in {:.1} s; {missing} expressions are not on GPUs yet",
        kernels.len(),
        kernels.iter().map(|(_, text)| text.len()).sum::<usize>(),
        began.elapsed().as_secs_f64()
    );
    if let Some(folder) = &options.keep {
        keep(folder, &kernels)?;
    }
    Ok(kernels)
}

/// Writes the texts to a folder, for reading.
fn keep(folder: &Path, kernels: &Kernels) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (number, (name, text)) in kernels.iter().enumerate() {
        let path = folder.join(format!("{number:04}-{name}.cu"));
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn compile(
    compiler: &impl Compiler,
    architectures: &[&str],
    kernels: &Kernels,
) -> Result<(), String> {
    let began = Instant::now();
    let jobs: Vec<(&String, &String, &str)> = kernels
        .iter()
        .flat_map(|(name, text)| architectures.iter().map(move |&target| (name, text, target)))
        .collect();
    let (next, refused, times) = (AtomicUsize::new(0), Mutex::default(), Mutex::default());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((name, text, architecture)) =
                    jobs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let start = Instant::now();
                    let image = compiler.compile(text, architecture);
                    lock::<Vec<f64>>(&times).push(start.elapsed().as_secs_f64());
                    match image {
                        Ok(image) if image.starts_with(b"\x7fELF") => {}
                        Ok(_) => {
                            lock::<Vec<String>>(&refused).push(format!("{name}: no machine code"))
                        }
                        Err(error) => lock(&refused).push(format!("{name}: {error}")),
                    }
                }
            });
        }
    });
    let (refused, mut times) = (lock(&refused).clone(), lock(&times).clone());
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
    for error in refused.iter().take(5) {
        eprintln!("{error}");
    }
    match refused.len() {
        0 if kernels.is_empty() => Err("no kernels".to_string()),
        0 => Ok(()),
        count => Err(format!("{count} of {} do not compile", jobs.len())),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
