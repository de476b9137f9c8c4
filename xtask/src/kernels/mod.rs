//! Compiles kernels with the vendors' own run-time compilers for several architectures, on a machine without a GPU.
//!
//! The kernels are those that a recording device is asked for; NVRTC comes from its wheel, hipRTC from Debian's packages.
//! What this proves is that the text is right for the compilers, not that it computes what it should: the software GPU
//! proves that.

mod batch;
mod chosen;
mod closures;
mod forward;
mod hiprtc;
mod nvrtc;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use ndany::Device;
use ndany_gpu::recording::{Kernels, Recording};
use ndany_kernels::Dialect;

use crate::oracle;

pub(crate) use hiprtc::one as compile_one;

/// What every compiler must refuse, or its silence about the rest says nothing.
const WRONG: &str = "extern \"C\" __global__ void wrong(int* x) { *x = undeclared; }";

/// What the command line asks for.
#[derive(Debug, Default)]
pub(crate) struct Options {
    all: bool,
    keep: Option<PathBuf>,
    /// What names of kernels begin with, if not all are wanted.
    only: Option<String>,
    /// Compiles one kernel in this number for each architecture, other ones for each; 0 asks for all.
    every: usize,
    cuda: bool,
    hip: bool,
    hip_newer: bool,
    /// HIP's text, as it runs on an NVIDIA card.
    forward: bool,
}

impl Options {
    pub(crate) fn parse(options: &[&str]) -> Result<Self, String> {
        let mut parsed = Self::default();
        let mut rest = options.iter();
        while let Some(option) = rest.next() {
            match *option {
                "--all" => parsed.all = true,
                "--keep" => {
                    parsed.keep = Some(rest.next().ok_or("--keep needs a folder")?.into());
                }
                "--only" => {
                    let start = rest.next().ok_or("--only needs the start of kernels' names")?;
                    parsed.only = Some(start.to_string());
                }
                "--every" => {
                    let number = rest.next().and_then(|number| number.parse().ok());
                    parsed.every = number.ok_or("--every needs a number")?;
                }
                "--cuda" => parsed.cuda = true,
                "--hip" => parsed.hip = true,
                "--hip-newer" => parsed.hip_newer = true,
                "--forward" => parsed.forward = true,
                other => return Err(format!("unknown option {other}")),
            }
        }
        if !parsed.cuda && !parsed.hip && !parsed.hip_newer && !parsed.forward {
            (parsed.cuda, parsed.hip) = (true, true);
        }
        Ok(parsed)
    }
}

/// Collects kernels, compiles them, and prints how many and how long.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    if options.cuda {
        nvrtc::run(options)?;
    }
    if options.hip {
        hiprtc::run(options, &hiprtc::STABLE, options.every)?;
    }
    if options.hip_newer {
        hiprtc::run(options, &hiprtc::NEWER, options.every)?;
    }
    if options.forward {
        forward::run(options)?;
    }
    Ok(())
}

/// The kernels that a device of this architecture is asked for, written to the folder of `--keep` too.
fn collect(
    options: &Options,
    architecture: &str,
    dialect: &'static Dialect,
    extension: &str,
) -> Result<Kernels, String> {
    let began = Instant::now();
    let (backend, recording) =
        Recording::device(architecture, dialect).map_err(|error| error.to_string())?;
    let missing = {
        let _guard = Device::custom(backend).enter();
        chosen::evaluate(options.all)
    };
    let mut kernels = recording.kernels();
    kernels.append(&mut chosen::selecting(dialect));
    kernels.append(&mut chosen::dividing(dialect));
    kernels.append(&mut chosen::sorting_pairs(dialect));
    kernels.append(&mut chosen::around_libraries(dialect));
    kernels.append(&mut chosen::raw(dialect));
    kernels.append(&mut chosen::simt(dialect));
    let patterns = patterns()?;
    let entries: BTreeSet<&str> = kernels.iter().map(|(name, _)| name.as_str()).collect();
    if let Some(none) = patterns.iter().find(|pattern| !entries.contains(pattern.as_str())) {
        return Err(format!("no kernel of the pattern {none} was asked for"));
    }
    if let Some(start) = &options.only {
        kernels.retain(|(name, _)| name.starts_with(start));
        if kernels.is_empty() {
            return Err(format!("no kernel's name begins with {start}"));
        }
    }
    println!(
        "{} kernels of {} patterns, {} bytes, collected for {architecture} in {:.1} s; {missing} expressions are not on \
         GPUs yet",
        kernels.len(),
        patterns.len(),
        kernels.iter().map(|(_, text)| text.len()).sum::<usize>(),
        began.elapsed().as_secs_f64()
    );
    if let Some(folder) = &options.keep {
        keep(&folder.join(architecture), &kernels, extension)?;
    }
    Ok(kernels)
}

/// The first kernel of each pattern, and of the others one in `every`, other ones for each offset. All if `every` is 0.
fn part(kernels: &Kernels, every: usize, offset: usize) -> Kernels {
    let mut patterns = BTreeSet::new();
    let chosen = kernels.iter().enumerate().filter(|(number, (name, _))| {
        let first = patterns.insert(name.as_str());
        first || every == 0 || (number + offset).is_multiple_of(every)
    });
    chosen.map(|(_, kernel)| kernel.clone()).collect()
}

/// The names of kernels in the sources of `ndany-kernels`: one per pattern.
fn patterns() -> Result<BTreeSet<String>, String> {
    let mut folders = vec![oracle::repository().join("kernels/src")];
    let mut patterns = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).map_err(failed)?;
            for before in ["entry: \"", "Source::new(&text, \""] {
                let names = text.split(before).skip(1).filter_map(|rest| rest.split('"').next());
                patterns.extend(names.map(str::to_string));
            }
        }
    }
    Ok(patterns)
}

/// Writes the texts to a folder, for reading.
fn keep(folder: &Path, kernels: &Kernels, extension: &str) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (number, (name, text)) in kernels.iter().enumerate() {
        let path = folder.join(format!("{number:04}-{name}.{extension}"));
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Does jobs on as many threads as there are processors, in order; how many threads, and the results in that order.
fn in_parallel<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> (usize, Vec<R>) {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs.len())));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(number) else { break };
                    let result = work(job);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    (threads, results.into_iter().map(|(_, result)| result).collect())
}

/// Prints the first refusals.
fn verdict(count: usize, refused: &[String]) -> Result<(), String> {
    for error in refused.iter().take(5) {
        eprintln!("{error}");
    }
    match refused.len() {
        0 => Ok(()),
        refused => Err(format!("{refused} of {count} do not compile")),
    }
}
