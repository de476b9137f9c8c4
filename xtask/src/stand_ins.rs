//! Builds the libraries that stand in for vendors' ones, and lays each out as those are found: a folder for the loader's
//! path.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A library of this repository, and the names under which programs look for the vendors' ones that it stands for.
#[derive(Debug)]
pub(crate) struct Library {
    package: &'static str,
    file: &'static str,
    folder: &'static str,
    names: &'static [&'static str],
}

/// The software GPU: CUDA's two libraries, and HIP's.
pub(crate) const SOFTGPU: Library = Library {
    package: "ndany-softgpu",
    file: "libndany_softgpu.so",
    folder: "softgpu",
    names: &[
        "libcuda.so.1",
        "libcuda.so",
        "libnvrtc.so.13",
        "libnvrtc.so",
        "libamdhip64.so.6",
        "libamdhip64.so",
        "libhiprtc.so.6",
        "libhiprtc.so",
    ],
};

/// HIP in front of CUDA: HIP's alone, so that CUDA's own are found after it; and rocBLAS in a folder below, so that it
/// is found only if that folder is listed too.
pub(crate) const FORWARD: Library = Library {
    package: "ndany-forward",
    file: "libndany_forward.so",
    folder: "forward",
    names: &["libamdhip64.so.6", "libhiprtc.so.6", "rocblas/librocblas.so.4"],
};

impl Library {
    /// Builds it; the folder to put on `LD_LIBRARY_PATH`.
    pub(crate) fn prepare(&self) -> Result<PathBuf, String> {
        let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let root = root.canonicalize().map_err(|error| format!("the repository: {error}"))?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        // Libraries that are built already lie in the folder NDANY_BUILT.
        let built = match std::env::var_os("NDANY_BUILT") {
            Some(folder) => PathBuf::from(folder),
            None => {
                self.build(&root)?;
                target.join("release")
            }
        };
        let folder = target.join(self.folder);
        let library = built.join(self.file);
        for name in self.names {
            let path = folder.join(name);
            // A program that runs keeps the old file; so do not write into it.
            let fresh = path.with_extension("fresh");
            std::fs::create_dir_all(path.parent().unwrap_or(&folder))
                .and_then(|()| std::fs::copy(&library, &fresh))
                .and_then(|_| std::fs::rename(&fresh, &path))
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(folder)
    }

    fn build(&self, root: &Path) -> Result<(), String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["build", "--release", "--quiet", "-p", self.package, "--manifest-path"])
            .arg(root.join("Cargo.toml"))
            .status();
        match built.map_err(|error| format!("cargo: {error}"))?.success() {
            true => Ok(()),
            false => Err(format!("{} does not build", self.package)),
        }
    }
}
