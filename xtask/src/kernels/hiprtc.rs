//! hipRTC of several releases of ROCm, as Debian packages it, which needs no GPU either.
//!
//! Each compilation is a process of its own (this program again), because the compiler ends the process on an
//! architecture that it does not know, and on its own bugs. Most of them are of many kernels at once; what is refused
//! together is tried one by one, to name the one that ended it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use ndany_gpu::driver::Compiler;
use ndany_kernels::{Dialect, HIP_32, HIP_64};
use ndany_rocm::RocmCompiler;

use super::batch::{self, Kernel};
use super::{Options, WRONG, collect, in_parallel, part, verdict};
use crate::oracle;
use crate::rocm::Rocm;

/// A suite of Debian, and for which architectures its hipRTC compiles here.
pub(super) struct Release {
    suite: &'static str,
    targets: &'static [(&'static str, &'static Dialect)],
    /// Whether [`FATAL`] ends its process.
    has_fatal: bool,
}

/// ROCm 5.2: CDNA 2 with 64 lanes, RDNA 2 with 32.
pub(super) const STABLE: [Release; 1] = [Release {
    suite: "bookworm",
    targets: &[("gfx90a", &HIP_64), ("gfx1030", &HIP_32)],
    has_fatal: true,
}];

/// ROCm 5.7: CDNA 3 and RDNA 3; ROCm 6.4: RDNA 4.
pub(super) const NEWER: [Release; 2] = [
    Release {
        suite: "trixie",
        targets: &[("gfx942", &HIP_64), ("gfx1100", &HIP_32)],
        has_fatal: true,
    },
    Release { suite: "sid", targets: &[("gfx1201", &HIP_32)], has_fatal: false },
];

/// A text by itself takes half a second, and a kernel more in it 50 ms.
const KERNELS_OF_A_BATCH: usize = 100;

/// LLVM has had a division of this width for GPUs since its version 18, and aborted before.
const FATAL: &str = "extern \"C\" __global__ void fatal(__int128* x) { x[0] = x[1] / x[2]; }";

/// Compiles the kernels of HIP's dialects, or one in `every`, and prints how many and how long.
pub(super) fn run(options: &Options, releases: &[Release], every: usize) -> Result<(), String> {
    let mut offset = 0;
    for release in releases {
        let began = Instant::now();
        let hiprtc = Hiprtc::unpacked(release.suite)?;
        let seconds = began.elapsed().as_secs_f64();
        let version = hiprtc.version(release.targets[0].0)?;
        println!("{version}, of {}, unpacked in {seconds:.1} s", release.suite);
        for &(architecture, dialect) in release.targets {
            let kernels = part(&collect(options, architecture, dialect, "hip")?, every, offset);
            offset += 1;
            let kernels: Vec<Kernel<'_>> =
                kernels.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            hiprtc.refusals(architecture, &kernels, release.has_fatal)?;
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
    rocm: Rocm,
    /// For texts.
    folder: PathBuf,
}

impl Hiprtc {
    fn unpacked(suite: &str) -> Result<Self, String> {
        let rocm = Rocm::unpacked(suite)?;
        let folder = oracle::target().with_file_name("kernels").join(suite);
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { rocm, folder })
    }

    /// What the compiler says of itself, after one text that is right.
    fn version(&self, architecture: &str) -> Result<String, String> {
        self.text(architecture, "right", "extern \"C\" __global__ void right() {}", 1)
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
        let refused = results.into_iter().flat_map(|result| result.err().unwrap_or_default());
        let refused: Vec<String> = refused.collect();
        println!(
            "{} kernels for {architecture} with {} lanes in {:.1} s, up to {} at once, {processes} processes; {} refused",
            kernels.len(),
            dialect.warp_size,
            began.elapsed().as_secs_f64(),
            groups.iter().map(Vec::len).max().unwrap_or(0),
            refused.len()
        );
        verdict(kernels.len(), &refused)
    }

    /// Compiles kernels at once, or says which was refused and why.
    fn group(
        &self,
        architecture: &str,
        name: &str,
        kernels: &[Kernel<'_>],
    ) -> Result<(), Vec<String>> {
        let together = batch::together(kernels);
        let Err(error) = self.text(architecture, name, &together, kernels.len()) else {
            return Ok(());
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

    /// Compiles a text of `count` kernels in a process of its own; the compiler's version.
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
        // A process that ends itself leaves no file of its memory.
        let output = Command::new("sh")
            .args(["-c", "ulimit -c 0; exec \"$0\" \"$@\""])
            .args(self.rocm.command())
            .arg(this)
            .args([Path::new("hiprtc"), Path::new(architecture), &path])
            .env_remove("LD_LIBRARY_PATH")
            .env_remove("NDANY_ROCM_LIBRARIES")
            .output()
            .map_err(|error| failed(&error))?;
        let (printed, log) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            let log: String = log.chars().take(2000).collect();
            return Err(failed(&format!("{}: {log}", output.status)));
        }
        match printed.lines().collect::<Vec<_>>()[..] {
            [version, count] if count == kernels.to_string() => Ok(version.to_string()),
            _ => Err(failed(&format!("{kernels} kernels in machine code expected, got {printed}"))),
        }
    }

    /// The compiler must refuse what is wrong and may end its process, and in both cases it must be known which kernel it was,
    /// or silence about the rest says nothing.
    fn refusals(
        &self,
        architecture: &str,
        kernels: &[Kernel<'_>],
        has_fatal: bool,
    ) -> Result<(), String> {
        let [first, .., last] = kernels else { return Err("too few kernels".to_string()) };
        let mut group = vec![*first, ("wrong", WRONG), *last];
        let mut expected = vec![["wrong for ", "'undeclared'"]];
        if has_fatal {
            group.push(("fatal", FATAL));
            expected.push(["fatal for ", "signal: 6"]);
        }
        let refused = self.group(architecture, "refusals", &group).err().unwrap_or_default();
        let as_expected = refused.len() == expected.len()
            && refused.iter().zip(&expected).all(|(refused, [start, word])| {
                refused.starts_with(start) && refused.contains(word)
            });
        match as_expected {
            true => Ok(()),
            false => Err(format!("what is wrong must be refused by name, got {refused:?}")),
        }
    }
}
