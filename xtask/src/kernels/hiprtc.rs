//! hipRTC of several releases of ROCm, as Debian packages it, which needs no GPU either.
//!
//! The packages are unpacked beside the system and run on their own C library. Each compilation is a process of its own
//! (this program again), because the compiler ends the process on an architecture that it does not know, and on its own
//! bugs. Most of them are of many kernels at once; what is refused together is tried one by one, to name who it was.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use ndany_gpu::driver::Compiler;
use ndany_kernels::{Dialect, HIP_32, HIP_64};
use ndany_rocm::RocmCompiler;

use super::batch::{self, Kernel};
use super::{Options, collect, in_parallel, verdict};
use crate::{debian, oracle};

/// A suite of Debian, and for which architectures its hipRTC compiles here.
pub(super) struct Release {
    suite: &'static str,
    targets: &'static [(&'static str, &'static Dialect)],
}

/// ROCm 5.2: CDNA 2 with 64 lanes, RDNA 2 with 32.
pub(super) const STABLE: [Release; 1] =
    [Release { suite: "bookworm", targets: &[("gfx90a", &HIP_64), ("gfx1030", &HIP_32)] }];

/// ROCm 5.7: CDNA 3 and RDNA 3; ROCm 6.4: RDNA 4.
pub(super) const NEWER: [Release; 2] = [
    Release { suite: "trixie", targets: &[("gfx942", &HIP_64), ("gfx1100", &HIP_32)] },
    Release { suite: "sid", targets: &[("gfx1201", &HIP_32)] },
];

/// Brings hipRTC and all that it needs.
const PACKAGE: &str = "libamdhip64-dev";

/// A kernel takes some 20 ms more in a batch than the batch without it, a batch by itself half a second.
const KERNELS_OF_A_BATCH: usize = 100;

const WRONG: &str = "extern \"C\" __global__ void wrong(int* x) { *x = undeclared; }";

/// Compiles the kernels of HIP's dialects, and prints how many and how long.
pub(super) fn run(options: &Options, releases: &[Release]) -> Result<(), String> {
    for release in releases {
        let began = Instant::now();
        let hiprtc = Hiprtc::unpacked(release.suite)?;
        println!("hipRTC of {} unpacked in {:.1} s", release.suite, began.elapsed().as_secs_f64());
        for &(architecture, dialect) in release.targets {
            let kernels = collect(options, architecture, dialect, "hip")?;
            let kernels: Vec<Kernel<'_>> =
                kernels.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            hiprtc.refusals(architecture, &kernels)?;
            hiprtc.compile(architecture, dialect, &kernels)?;
        }
    }
    Ok(())
}

/// In a process of its own: compiles a text with the hipRTC that is found; prints the compiler's version and how many
/// kernels the machine code has.
pub(crate) fn one(architecture: &str, path: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let compiler = RocmCompiler::open().map_err(|error| error.to_string())?;
    let image = compiler.compile(&text, architecture).map_err(|error| error.to_string())?;
    // Each has a descriptor, which is named after it.
    let names = image.split(|&byte| byte == 0).filter(|name| name.ends_with(b".kd"));
    let names: std::collections::BTreeSet<&[u8]> = names.collect();
    println!("{}\n{}", compiler.version(), names.len());
    Ok(())
}

/// The compiler of a release.
struct Hiprtc {
    /// The loader of its C library.
    loader: PathBuf,
    libraries: Vec<PathBuf>,
    /// For texts.
    folder: PathBuf,
}

impl Hiprtc {
    fn unpacked(suite: &str) -> Result<Self, String> {
        let root = debian::whole(suite, PACKAGE)?;
        // Either may be a link into the other; links that begin at the system's root lead out of the packages.
        let libraries: Vec<PathBuf> = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"]
            .map(|folder| root.join(folder))
            .into_iter()
            .filter(|folder| folder.is_dir())
            .collect();
        let loaders = libraries.iter().map(|folder| folder.join("ld-linux-x86-64.so.2"));
        let loader = loaders.into_iter().find(|loader| loader.is_file());
        let loader = loader.ok_or_else(|| format!("{}: there is no C library", root.display()))?;
        let folder = oracle::target().with_file_name("kernels").join(suite);
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { loader, libraries, folder })
    }

    /// Compiles all, or says which do not.
    fn compile(
        &self,
        architecture: &str,
        dialect: &Dialect,
        kernels: &[Kernel<'_>],
    ) -> Result<(), String> {
        let began = Instant::now();
        let groups = batch::groups(kernels, KERNELS_OF_A_BATCH);
        let jobs: Vec<(usize, &Vec<Kernel<'_>>)> = groups.iter().enumerate().collect();
        let (processes, results) = in_parallel(&jobs, |(number, group)| {
            self.group(architecture, &format!("{number:02}"), group)
        });
        let (mut versions, mut refused) = (std::collections::BTreeSet::new(), Vec::new());
        for result in results {
            match result {
                Ok(version) => drop(versions.insert(version)),
                Err(errors) => refused.extend(errors),
            }
        }
        println!(
            "{}: {} kernels for {architecture} with {} lanes in {:.1} s, {} at once, {processes} processes; {} refused",
            versions.into_iter().collect::<Vec<_>>().join(", "),
            kernels.len(),
            dialect.lanes,
            began.elapsed().as_secs_f64(),
            groups.iter().map(Vec::len).max().unwrap_or(0),
            refused.len()
        );
        verdict(kernels.len(), &refused)
    }

    /// Compiles kernels at once; the compiler's version, or who was refused and why.
    fn group(
        &self,
        architecture: &str,
        name: &str,
        kernels: &[Kernel<'_>],
    ) -> Result<String, Vec<String>> {
        let together = batch::together(kernels);
        let error = match self.text(architecture, name, &together, kernels.len()) {
            Ok(version) => return Ok(version),
            Err(error) => error,
        };
        let alone = kernels.iter().enumerate().filter_map(|(number, (kernel, text))| {
            let name = format!("{name}-{number:03}-{kernel}");
            let error = self.text(architecture, &name, text, 1).err()?;
            Some(format!("{kernel} for {architecture}: {error}"))
        });
        let refused: Vec<String> = alone.collect();
        match refused.is_empty() {
            true => Err(vec![format!("{name} for {architecture}, only together: {error}")]),
            false => Err(refused),
        }
    }

    /// Compiles a text of so many kernels in a process of its own.
    fn text(
        &self,
        architecture: &str,
        name: &str,
        text: &str,
        kernels: usize,
    ) -> Result<String, String> {
        let path = self.folder.join(format!("{architecture}-{name}.hip"));
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        std::fs::write(&path, text).map_err(|error| failed(&error))?;
        let this = std::env::current_exe().map_err(|error| failed(&error))?;
        let libraries = std::env::join_paths(&self.libraries).map_err(|error| failed(&error))?;
        let output = Command::new(&self.loader)
            .arg("--library-path")
            .arg(&libraries)
            .arg(this)
            .args([Path::new("hiprtc"), Path::new(architecture), &path])
            .env("NDANY_ROCM_LIBRARIES", &libraries)
            .env_remove("LD_LIBRARY_PATH")
            .output()
            .map_err(|error| failed(&error))?;
        let (printed, log) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        if !output.status.success() {
            let log: String = log.chars().take(2000).collect();
            return Err(failed(&format!("{}: {log}", output.status)));
        }
        match printed.lines().collect::<Vec<_>>()[..] {
            [version, count] if count == kernels.to_string() => Ok(version.to_string()),
            _ => Err(failed(&format!("{kernels} kernels in machine code expected, got {printed}"))),
        }
    }

    /// The compiler must refuse what is wrong, and it must be known who it was, or silence about the rest says nothing.
    fn refusals(&self, architecture: &str, kernels: &[Kernel<'_>]) -> Result<(), String> {
        let [first, .., last] = kernels else { return Err("too few kernels".to_string()) };
        match self.group(architecture, "wrong", &[*first, ("wrong", WRONG), *last]) {
            Err(refused) if refused.len() == 1 => match refused[0].contains("'undeclared'") {
                true if refused[0].starts_with("wrong for ") => Ok(()),
                _ => Err(format!("a wrong text must be refused with its name, got {refused:?}")),
            },
            other => Err(format!("a wrong text alone must be refused, got {other:?}")),
        }
    }
}
