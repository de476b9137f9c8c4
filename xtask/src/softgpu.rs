//! Builds the software GPU and lays it out as the vendors' libraries are found: a folder for the loader's path.

use std::path::PathBuf;
use std::process::Command;

/// The names under which programs look for CUDA's two libraries, and for HIP's.
const NAMES: [&str; 8] = [
    "libcuda.so.1",
    "libcuda.so",
    "libnvrtc.so.13",
    "libnvrtc.so",
    "libamdhip64.so.6",
    "libamdhip64.so",
    "libhiprtc.so.6",
    "libhiprtc.so",
];

/// Builds the library; the folder to put on `LD_LIBRARY_PATH`.
pub(crate) fn prepare() -> Result<PathBuf, String> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let root = root.canonicalize().map_err(|error| format!("the repository: {error}"))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "-p", "ndany-softgpu", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .status();
    if !built.map_err(|error| format!("cargo: {error}"))?.success() {
        return Err("the software GPU does not build".to_owned());
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = target.join("softgpu");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let library = target.join("release/libndany_softgpu.so");
    for name in NAMES {
        let path = folder.join(name);
        // A program that runs keeps the old file; so do not write into it.
        let fresh = path.with_extension("fresh");
        std::fs::copy(&library, &fresh)
            .and_then(|_| std::fs::rename(&fresh, &path))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(folder)
}
