//! Makes the golden cases: a Python environment with pinned packages, and the generator in it.
//!
//! What the cases are is the generator's (`conformance/oracle/generate.py`), which writes manifests and a file for each
//! array; `pack` makes few files of these. This file only sees to it that the same versions make the same bytes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::pack::{self, PackError};

/// The kernels with which NumPy's OpenBLAS multiplies: it has others, with other last bits, for each kind of processor. These
/// run wherever AVX2 is.
const BLAS: &str = "Haswell";

/// The dispatch targets that NumPy's loops leave alone: its elementary functions have other last bits with AVX-512. What is
/// left (x86-64-v3) runs wherever AVX2 is.
const NUMPY_WITHOUT: &str = "X86_V4 AVX512_ICL AVX512_SPR";

/// Why there are no golden cases.
#[derive(Debug)]
pub(crate) enum OracleError {
    /// A program that does not start.
    Start(String, std::io::Error),
    /// A program that fails.
    Failed(String),
    /// A folder that cannot be read or made.
    Folder(PathBuf, std::io::Error),
    /// Cases that cannot be packed.
    Pack(PackError),
    /// Files that come out differently.
    Differ(Vec<String>),
}

impl std::fmt::Display for OracleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OracleError::Start(program, error) => write!(f, "{program} does not start: {error}"),
            OracleError::Failed(program) => write!(f, "{program} failed"),
            OracleError::Folder(path, error) => write!(f, "{}: {error}", path.display()),
            OracleError::Pack(error) => error.fmt(f),
            OracleError::Differ(files) => {
                let shown =
                    files.iter().take(20).map(String::as_str).collect::<Vec<_>>().join(", ");
                write!(f, "{} files differ from what the generator makes: {shown}", files.len())
            }
        }
    }
}

impl From<PackError> for OracleError {
    fn from(error: PackError) -> Self {
        OracleError::Pack(error)
    }
}

/// Writes `conformance/golden`, or only these parts of it.
pub(crate) fn make(parts: &[&str]) -> Result<(), OracleError> {
    generate(&repository().join("conformance/golden"), parts)
}

/// Makes the cases again in the target folder and compares every byte.
pub(crate) fn check() -> Result<(), OracleError> {
    let again = target().join("golden");
    generate(&again, &[])?;
    let (committed, made) = (files(&repository().join("conformance/golden"))?, files(&again)?);
    let differing: Vec<String> = committed
        .keys()
        .chain(made.keys())
        .filter(|name| committed.get(*name) != made.get(*name))
        .cloned()
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    if differing.is_empty() { Ok(()) } else { Err(OracleError::Differ(differing)) }
}

/// Writes the table of errors of special functions; `evaluate` is the example that computes them.
pub(crate) fn accuracy(evaluate: &str) -> Result<(), OracleError> {
    let script = repository().join("conformance/oracle/accuracy.py");
    let output = Command::new(environment()?)
        .args([script.as_os_str(), evaluate.as_ref()])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| OracleError::Start("python".to_string(), error))?;
    if !output.status.success() {
        return Err(OracleError::Failed(script.display().to_string()));
    }
    let page = repository().join("docs/special.md");
    std::fs::write(&page, output.stdout).map_err(|error| OracleError::Folder(page, error))
}

pub(crate) fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The folder of what the oracle needs.
pub(crate) fn target() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    folder.unwrap_or_else(|| repository().join("target")).join("oracle")
}

/// An interpreter that has the pinned packages.
pub(crate) fn python() -> Result<String, String> {
    let python = environment().map_err(|error| error.to_string())?;
    Ok(python.to_string_lossy().into_owned())
}

/// Makes these parts, or all and nothing else: the cases in files of the target folder, packed in `golden`.
fn generate(golden: &Path, parts: &[&str]) -> Result<(), OracleError> {
    let script = repository().join("conformance/oracle/generate.py");
    let cases = target().join("cases");
    let mut arguments = vec![script.as_os_str(), cases.as_os_str()];
    arguments.extend(parts.iter().map(OsStr::new));
    run(environment()?.as_os_str(), &arguments)?;
    let made: Vec<String> = match parts {
        [] => files(&cases)?
            .into_keys()
            .filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()))
            .collect(),
        parts => parts.iter().map(|part| part.to_string()).collect(),
    };
    let failed = |error| OracleError::Folder(golden.to_path_buf(), error);
    if parts.is_empty() && golden.exists() {
        std::fs::remove_dir_all(golden).map_err(failed)?;
    }
    std::fs::create_dir_all(golden).map_err(failed)?;
    made.iter().try_for_each(|part| Ok(pack::part(&cases, part, golden)?))
}

/// Makes the environment where it is missing, and returns its interpreter.
pub(crate) fn interpreter() -> Result<PathBuf, OracleError> {
    let environment = target().join("venv");
    let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !python.exists() {
        run(OsStr::new("python3"), &["-m".as_ref(), "venv".as_ref(), environment.as_os_str()])?;
    }
    Ok(python)
}

/// The same with the pinned packages.
fn environment() -> Result<PathBuf, OracleError> {
    let python = interpreter()?;
    let requirements = repository().join("conformance/oracle/requirements.txt");
    let pip =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"].map(OsStr::new);
    run(python.as_os_str(), &[&pip[..], &[requirements.as_os_str()]].concat())?;
    Ok(python)
}

fn run(program: &OsStr, arguments: &[&OsStr]) -> Result<(), OracleError> {
    let name = || program.to_string_lossy().into_owned();
    let status = Command::new(program)
        .args(arguments)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("OPENBLAS_CORETYPE", BLAS)
        .env("NPY_DISABLE_CPU_FEATURES", NUMPY_WITHOUT)
        .status()
        .map_err(|error| OracleError::Start(name(), error))?;
    if status.success() { Ok(()) } else { Err(OracleError::Failed(name())) }
}

/// Every file below a folder, by its path inside it.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, OracleError> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(path) = waiting.pop() {
        let failed = |error| OracleError::Folder(path.clone(), error);
        if path.is_dir() {
            for entry in std::fs::read_dir(&path).map_err(failed)? {
                waiting.push(entry.map_err(failed)?.path());
            }
        } else {
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).map_err(failed)?;
            found.insert(name, bytes);
        }
    }
    Ok(found)
}
