//! Kernel text to machine code of the host: the text after `shim.h`, through the C++ compiler on the path.
//!
//! What was compiled once is kept in a folder under a hash of everything that it depends on. A program that keeps images keeps
//! them by the text, and by what the vendor's compiler says of itself, which does not tell one software GPU from another:
//! so an image says what built it, and one of another build is refused as damaged (and then compiled anew). Arithmetic is compiled as
//! the options ask: without contraction if they forbid it, never with fast-math.

mod image;
mod scan;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

pub use image::Image;

use crate::failure::Failure;
use crate::settings::Settings;

/// What stands in front of every text.
const SHIM: &str = include_str!("shim.h");

/// What every text is compiled with.
const FLAGS: [&str; 15] = [
    "-O1",
    "-std=c++17",
    "-fPIC",
    "-shared",
    "-nostdlib",
    "-pipe",
    "-w",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-fwrapv",
    // A large frame touches the page below the stack instead of jumping over it.
    "-fstack-clash-protection",
];

/// What may be asked of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// `sm_90`.
    pub architecture: String,
    /// Lanes of a warp.
    pub lanes: u32,
    /// Whether `a * b + c` may become one operation.
    pub contract: bool,
    /// `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Instances of templates that the machine code has to have.
    pub expressions: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            architecture: "sm_75".to_owned(),
            lanes: 32,
            contract: true,
            defines: Vec::new(),
            expressions: Vec::new(),
        }
    }
}

/// A compiler of the host.
#[derive(Debug)]
struct Host {
    program: &'static str,
    version: String,
    /// For what this machine has.
    machine: &'static str,
}

/// Why there is no machine code, in words for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Host {
    /// What has a check called in front of each access, if the settings ask for that.
    fn checks(&self) -> &'static [&'static str] {
        match (Settings::get().bytes, self.version.contains("clang")) {
            (false, _) => &[],
            // It calls functions for all sizes, and has nothing to say about stacks and globals.
            (true, false) => &["-DSOFTGPU_CHECK", "-fsanitize=kernel-address"],
            (true, true) => &[
                "-DSOFTGPU_CHECK",
                "-fsanitize=kernel-address",
                "-mllvm",
                "-asan-instrumentation-with-call-threshold=0",
                "-mllvm",
                "-asan-stack=0",
                "-mllvm",
                "-asan-globals=0",
            ],
        }
    }
}

fn host() -> Result<&'static Host, Refusal> {
    static HOST: OnceLock<Option<Host>> = OnceLock::new();
    let found = HOST.get_or_init(|| {
        ["g++", "c++", "clang++"].into_iter().find_map(|program| {
            let Ran { success, output, .. } =
                run(Command::new(program).arg("--version"), "").ok()?;
            let version = output.lines().next()?.to_owned();
            let fused = std::arch::is_x86_feature_detected!("fma")
                && std::arch::is_x86_feature_detected!("avx2");
            let machine = if fused { "-march=x86-64-v3" } else { "-march=x86-64" };
            success.unwrap_or(true).then_some(Host { program, version, machine })
        })
    });
    found.as_ref().ok_or_else(|| {
        Refusal("the software GPU found no C++ compiler: install g++, c++ or clang++".to_owned())
    })
}

/// By what images are compiled, apart from the options that the vendor's compiler is given. A process has one host and one
/// set of settings, so this is computed once.
fn build_of(host: &Host) -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let own = hash(&[SHIM, &FLAGS.join(" "), env!("CARGO_PKG_VERSION")]);
        format!("{} {} {} {own:032x}", host.version, host.machine, host.checks().join(" "))
    })
}

/// Refuses an image that this software GPU would compile in another way. Where there is no compiler, nothing better is
/// to be had.
pub fn check(image: &Image) -> Result<(), Failure> {
    match host().map(build_of) {
        Ok(build) if build != image.build => Err(Failure::InvalidImage(format!(
            "it was compiled by {}, and would be by {build}",
            image.build
        ))),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// How many images a process keeps in memory.
const KEPT: usize = 64;

/// Machine code of a text. The images of the latest texts stay in memory: a program that opens a device again and again
/// compiles the same few texts each time, and the search for their kernels takes longer than a small workload.
pub fn compile(source: &str, options: &Options) -> Result<Image, Refusal> {
    static LATEST: OnceLock<Mutex<HashMap<(String, Options), Image>>> = OnceLock::new();
    let latest =
        || LATEST.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let key = (source.to_owned(), options.clone());
    if let Some(image) = latest().get(&key) {
        return Ok(image.clone());
    }
    let image = compile_or_read(source, options)?;
    let mut latest = latest();
    if latest.len() >= KEPT {
        latest.clear();
    }
    latest.insert(key, image.clone());
    Ok(image)
}

/// The same, from the compiler or from the folder of what it compiled.
fn compile_or_read(source: &str, options: &Options) -> Result<Image, Refusal> {
    let host = host()?;
    let text = [SHIM, &scan::prepare(source, &options.expressions)].concat();
    let mut flags = FLAGS.to_vec();
    flags.extend(host.checks());
    flags.push(host.machine);
    flags.push(if options.contract { "-ffp-contract=fast" } else { "-ffp-contract=off" });
    let lanes = format!("SOFTGPU_LANES={}", options.lanes);
    let defines = options.defines.iter().chain([&lanes]);
    let defines: Vec<String> = defines.map(|define| format!("-D{define}")).collect();
    flags.extend(defines.iter().map(String::as_str));
    let key = hash(&[&host.version, &flags.join(" "), &text]);
    let path = Settings::get().cache.join(format!("{key:032x}.so"));
    let code = match std::fs::read(&path) {
        Ok(code) => code,
        Err(_) => build(host, &flags, &text, &path)?,
    };
    Ok(Image {
        architecture: options.architecture.clone(),
        build: build_of(host).to_owned(),
        code,
        source: source.to_owned(),
    })
}

/// What a program came to.
struct Ran {
    /// `None` where it cannot be known: the process ignores SIGCHLD, or waits for all children in a thread of its own.
    success: Option<bool>,
    output: String,
    errors: String,
}

/// Runs a program to its end, with this as its input.
fn run(command: &mut Command, input: &str) -> std::io::Result<Ran> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A compiler that stops reading says why on its standard error.
        let _ = stdin.write_all(input.as_bytes());
    }
    // One after the other: none of these programs says much on its output.
    let text = |from: Option<&mut dyn Read>| {
        let mut bytes = Vec::new();
        from.map_or(Ok(0), |from| from.read_to_end(&mut bytes))?;
        std::io::Result::Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let errors = text(child.stderr.as_mut().map(|from| from as &mut dyn Read))?;
    let output = text(child.stdout.as_mut().map(|from| from as &mut dyn Read))?;
    let success = match child.wait() {
        Ok(status) => Some(status.success()),
        Err(error) if error.raw_os_error() == Some(libc::ECHILD) => None,
        Err(error) => return Err(error),
    };
    Ok(Ran { success, output, errors })
}

fn build(host: &Host, flags: &[&str], text: &str, path: &Path) -> Result<Vec<u8>, Refusal> {
    let failed = |what: &str, error: std::io::Error| Refusal(format!("{what}: {error}"));
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| failed("the cache's folder", error))?;
    let fresh = temporary(path);
    let mut command = Command::new(host.program);
    command.args(flags).args(["-x", "c++", "-", "-lm", "-lgcc", "-o"]).arg(&fresh);
    let Ran { success, errors, .. } =
        run(&mut command, text).map_err(|error| failed(host.program, error))?;
    // A failed compilation leaves no file.
    if !success.unwrap_or_else(|| fresh.exists()) {
        return Err(Refusal(errors));
    }
    let code = std::fs::read(&fresh).map_err(|error| failed("what was compiled", error))?;
    // The first writer wins; the bytes are the same.
    std::fs::rename(&fresh, path).map_err(|error| failed("the cache's folder", error))?;
    Ok(code)
}

/// A unique name in the same folder, not even another copy of this library in the process: the loader
/// takes files of one name for one library.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let (count, copy) = (COUNT.fetch_add(1, Ordering::Relaxed), &raw const COUNT as usize);
    path.with_extension(format!("{}-{copy:x}-{count}.tmp", std::process::id()))
}

/// FNV-1a of 128 bits.
fn hash(parts: &[&str]) -> u128 {
    let step = |hash: u128, byte: u8| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    };
    parts
        .iter()
        .flat_map(|part| part.bytes().chain([0]))
        .fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_line_of_the_kernel() {
        let wrong = "extern \"C\" __global__ void k(int* x) {\n  x[0] = nothing;\n}\n";
        let Refusal(log) = compile(wrong, &Options::default()).unwrap_err();
        assert!(log.contains("kernel.cu:2") && log.contains("nothing"), "{log}");
    }

    #[test]
    fn an_image_that_is_kept_is_that_of_its_options() {
        let text = "extern \"C\" __global__ void k(int* x) { x[0] = BY; }";
        let of = |by: u32| {
            let defines = vec![format!("BY={by}")];
            compile(text, &Options { defines, ..Options::default() }).unwrap()
        };
        let first = of(1);
        assert_eq!(first, of(1));
        assert_ne!(first.code, of(2).code);
    }

    #[test]
    fn images_of_another_build_are_refused() {
        let text = "extern \"C\" __global__ void k(int* x) { x[0] = 1; }";
        let image = compile(text, &Options::default()).unwrap();
        assert_eq!(check(&image), Ok(()));
        let other = Image { build: image.build.replace("-march", "-m"), ..image };
        let error = check(&other).unwrap_err().to_string();
        assert!(error.contains("it was compiled by"), "{error}");
    }

    #[test]
    fn hashes_are_those_of_the_algorithm() {
        // The published value of FNV-1a for "a" is of one byte; ours also takes the zero after each part.
        assert_eq!(hash(&[]), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
    }
}
