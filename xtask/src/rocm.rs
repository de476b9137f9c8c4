//! AMD's libraries and their headers of three releases of ROCm, as Debian packages them, beside the system.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::debian;

/// Brings HIP, hipRTC, and all that they need.
const PACKAGE: &str = "libamdhip64-dev";

/// ROCm 5.2, 5.7 and 6.4, and which headers there are.
const HEADERS: [(&str, &[&str]); 3] =
    [("bookworm", &OLDEST), ("trixie", &OF_ALL), ("sid", &OF_ALL)];
const OLDEST: [&str; 3] = ["libamdhip64-dev", "libhipsparse-dev", "librocsparse-dev"];
const OF_ALL: [&str; 9] = [
    "libamdhip64-dev",
    "librocblas-dev",
    "librocsolver-dev",
    "libhipsolver-dev",
    "libhipfft-dev",
    "librocfft-dev",
    "libhipsparse-dev",
    "librocsparse-dev",
    "librccl-dev",
];

/// The folders of headers, listed as in `PATH`.
pub(crate) fn headers() -> Result<String, String> {
    let folders: Vec<PathBuf> = HEADERS
        .iter()
        .map(|(suite, packages)| Ok(debian::alone(suite, "headers", packages)?.join("usr/include")))
        .collect::<Result<_, String>>()?;
    joined(&folders).map(|folders| folders.to_string_lossy().into_owned())
}

/// A release that programs can be run with.
pub(crate) struct Rocm {
    /// The loader of its C library.
    loader: PathBuf,
    libraries: OsString,
}

impl Rocm {
    pub(crate) fn unpacked(suite: &str) -> Result<Self, String> {
        let root = debian::with_dependencies(suite, PACKAGE)?;
        // The loader by its own name: links that begin at the system's root lead out of the packages.
        let folders: Vec<PathBuf> = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"]
            .map(|folder| root.join(folder))
            .into_iter()
            .filter(|folder| folder.is_dir())
            .collect();
        let mut loaders = folders.iter().map(|folder| folder.join("ld-linux-x86-64.so.2"));
        let loader = loaders.find(|loader| loader.is_file());
        let loader = loader.ok_or_else(|| format!("{}: there is no C library", root.display()))?;
        Ok(Self { loader, libraries: joined(&folders)? })
    }

    /// What stands in front of a program to run it with these libraries, and only these. It must not have been linked
    /// with a newer C library than theirs.
    pub(crate) fn command(&self) -> [OsString; 3] {
        [self.loader.clone().into(), "--library-path".into(), self.libraries.clone()]
    }
}

fn joined(folders: &[PathBuf]) -> Result<OsString, String> {
    std::env::join_paths(folders).map_err(|error| error.to_string())
}

/// The command of a suite's release, as a line.
pub(crate) fn line(suite: &str) -> Result<String, String> {
    let command = Rocm::unpacked(suite)?.command();
    Ok(command.map(|part| part.to_string_lossy().into_owned()).join(" "))
}
