//! What tests of every vendor's backend need, each of which includes this file: folders of libraries, and processes of
//! their own, because a library stays loaded and what was found is remembered.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The variables by which a vendor's libraries are found.
pub struct SearchVariables {
    /// Folders that come first.
    pub libraries: &'static str,
    /// Where the vendor's software may be.
    pub homes: [&'static str; 2],
}

/// Names of the libraries of all vendors.
pub const LIBRARIES: [&str; 4] =
    ["libcuda.so.1", "libnvrtc.so.13", "libamdhip64.so.6", "libhiprtc.so.6"];

/// Runs the test `alone` in a process of its own that finds the libraries of all vendors in this folder; see
/// [`process_among`].
pub fn process_of_all_vendors(folder: &Folder, task: &str, variables: &[(&str, &str)]) -> String {
    let search =
        SearchVariables { libraries: "NDANY_CUDA_LIBRARIES", homes: ["CUDA_PATH", "ROCM_PATH"] };
    let rocm = folder.0.to_string_lossy().into_owned();
    let variables = [variables, &[("NDANY_ROCM_LIBRARIES", &*rocm)]].concat();
    process_among(&search, task, Some(&folder.0), &variables)
}

/// A folder of its own that is removed when it goes.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ndany-{name}-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder for a test");
        Self(path)
    }

    /// The software GPU under these names.
    pub fn of_software_gpu(name: &str, libraries: &[&str]) -> Self {
        Self::new(name).with("libndany_softgpu.so", libraries)
    }

    /// And a library of this repository under these.
    pub fn with(self, library: &str, names: &[&str]) -> Self {
        let built = std::env::current_exe().expect("this program");
        let library = built.with_file_name(library);
        assert!(library.exists(), "cargo builds {} with this test", library.display());
        for name in names {
            // A copy each: one file under two names would be one library.
            std::fs::copy(&library, self.0.join(name)).expect("a copy");
        }
        self
    }

    /// The same as one library under all these names, so that calls of all functions are counted together.
    pub fn of_one_software_gpu(name: &str, libraries: &[&str]) -> Self {
        let folder = Self::of_software_gpu(name, &libraries[..1]);
        for name in &libraries[1..] {
            std::fs::hard_link(folder.0.join(libraries[0]), folder.0.join(name)).expect("a link");
        }
        folder
    }

    /// A library made of C.
    pub fn compile(&self, name: &str, text: &str) {
        let source = self.0.join(name).with_extension("c");
        std::fs::write(&source, text).expect("a file of the test");
        let status = Command::new("cc")
            .args(["-O2", "-shared", "-fPIC", "-w", "-o"])
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
pub fn process_among(
    search: &SearchVariables,
    task: &str,
    libraries: Option<&Path>,
    variables: &[(&str, &str)],
) -> String {
    process_within(None, search, task, libraries, variables)
}

/// The same in a working directory.
pub fn process_within(
    directory: Option<&Path>,
    search: &SearchVariables,
    task: &str,
    libraries: Option<&Path>,
    variables: &[(&str, &str)],
) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "alone", "--ignored", "--nocapture", "--test-threads=1"]);
    let others = ["LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", search.libraries];
    for name in search.homes.into_iter().chain(others) {
        command.env_remove(name);
    }
    // Nor are there kernels from other runs, or other Pythons.
    let home = Folder::new(&format!("home-{task}"));
    command.env("HOME", &home.0).env("XDG_CACHE_HOME", &home.0).env("PATH", "/usr/bin:/bin");
    command.env("NDANY_TEST_TASK", task);
    if let Some(folder) = libraries {
        command.env(search.libraries, folder);
    }
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let output = command.envs(variables.iter().copied()).output().expect("this program again");
    let [text, errors] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{task} ended with {}\n{text}\n{errors}", output.status);
    // A name that no test has would be a success of nothing.
    assert!(text.contains("1 passed"), "no test named `alone` ran\n{text}\n{errors}");
    text + &errors
}

/// A test that does the same with each of many takes each of how many: `NDANY_TEST_EVERY`, all if nothing is said. A slow machine takes
/// a sample.
pub fn every() -> usize {
    let said = std::env::var("NDANY_TEST_EVERY").ok();
    said.and_then(|said| said.parse().ok()).filter(|&every| every > 0).unwrap_or(1)
}

/// What the child is to do.
pub fn task() -> String {
    std::env::var("NDANY_TEST_TASK").unwrap_or_default()
}
