//! What tests of the backend need: folders of libraries, and processes of their own, because a library stays loaded
//! and what was found is remembered.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

ndany_core::providers![ndany_rocm::PROVIDER];

/// A folder of its own that is removed when it goes.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ndany-rocm-{name}-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder for a test");
        Self(path)
    }

    /// A library made of C.
    pub fn compile(&self, name: &str, text: &str) {
        let source = self.0.join(name).with_extension("c");
        std::fs::write(&source, text).expect("a file of the test");
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-w", "-o"])
            .arg(self.0.join(name))
            .arg(&source)
            .status()
            .expect("a C compiler");
        assert!(status.success(), "{name} does not compile");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the test `alone` of this program in a process of its own, in which only this folder has libraries; what it
/// printed, errors last.
pub fn process(task: &str, libraries: Option<&Path>, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "alone", "--ignored", "--nocapture", "--test-threads=1"]);
    for name in ["LD_LIBRARY_PATH", "ROCM_PATH", "HIP_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"] {
        command.env_remove(name);
    }
    // Nor are there kernels from other runs, or other Pythons.
    let home = Folder::new(&format!("home-{task}"));
    command.env("HOME", &home.0).env("XDG_CACHE_HOME", &home.0).env("PATH", "/usr/bin:/bin");
    command.env("NDANY_TEST_TASK", task).env_remove("NDANY_ROCM_LIBRARIES");
    if let Some(folder) = libraries {
        command.env("NDANY_ROCM_LIBRARIES", folder);
    }
    let output = command.envs(variables.iter().copied()).output().expect("this program again");
    let [text, errors] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{task} ended with {}\n{text}\n{errors}", output.status);
    text + &errors
}

/// What the child is to do.
pub fn task() -> String {
    std::env::var("NDANY_TEST_TASK").unwrap_or_default()
}
