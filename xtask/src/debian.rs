//! Packages of a suite of Debian, whatever the machine runs: downloaded with an apt state of their own and unpacked
//! into the target folder. Nothing is installed, root is not needed, and what is there is not fetched again (remove
//! `target/debian` for that).
//!
//! The archive is the one that the machine's apt knows; a machine of another distribution names one in
//! `NDANY_DEBIAN_ARCHIVE`. Deliberately absent: configuring packages, and any architecture but x86-64.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::oracle;

const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// A package with everything that it depends on, the C library included; the folder that is its root.
pub(crate) fn with_dependencies(suite: &str, package: &str) -> Result<PathBuf, String> {
    let state = State::of(suite)?;
    state.unpacked("whole", &[package], |apt| {
        apt.args(["install", "--download-only", "--assume-yes", "--no-install-recommends"]);
    })
}

/// These packages alone, in a folder of this name, which is their root.
pub(crate) fn alone(suite: &str, name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let state = State::of(suite)?;
    state.unpacked(name, packages, |apt| {
        apt.arg("download");
    })
}

/// What apt knows of a suite.
struct State {
    suite: String,
    folder: PathBuf,
}

impl State {
    fn of(suite: &str) -> Result<Self, String> {
        let folder = oracle::target().with_file_name("debian").join(suite);
        make(&folder)?;
        let folder = folder.canonicalize().map_err(at(&folder))?;
        Ok(Self { suite: suite.to_string(), folder })
    }

    /// Packages, fetched by what is added to apt's command line, in a folder of this name.
    fn unpacked(
        &self,
        name: &str,
        packages: &[&str],
        command: impl FnOnce(&mut Command),
    ) -> Result<PathBuf, String> {
        let (root, list) = (self.folder.join(name), self.folder.join(format!("{name}.txt")));
        // The list is written last.
        let wanted = packages.join(" ");
        if std::fs::read_to_string(&list).is_ok_and(|there| there == wanted) {
            return Ok(root);
        }
        self.update()?;
        let archives = self.folder.join("cache/archives");
        let mut apt = self.apt("apt-get")?;
        // `download` writes where it is started, `install` into the cache: one folder.
        command(apt.current_dir(&archives));
        succeeds(apt.args(packages), &format!("packages of {}", self.suite))?;
        if root.exists() {
            std::fs::remove_dir_all(&root).map_err(at(&root))?;
        }
        for entry in std::fs::read_dir(&archives).map_err(at(&archives))? {
            let package = entry.map_err(at(&archives))?.path();
            if package.extension().is_some_and(|extension| extension == "deb") {
                let mut unpack = Command::new("dpkg");
                unpack.arg("-x").arg(&package).arg(&root);
                succeeds(&mut unpack, &package.display().to_string())?;
                std::fs::remove_file(&package).map_err(at(&package))?;
            }
        }
        std::fs::write(&list, wanted).map_err(at(&list))?;
        Ok(root)
    }

    fn update(&self) -> Result<(), String> {
        for part in ["lists/partial", "cache/archives/partial"] {
            make(&self.folder.join(part))?;
        }
        let keys =
            if Path::new(KEYS).exists() { format!("[signed-by={KEYS}] ") } else { String::new() };
        let sources = self.folder.join("sources.list");
        let line = format!("deb {keys}{} {} main\n", archive()?, self.suite);
        std::fs::write(&sources, line).map_err(at(&sources))?;
        // No package is installed as far as this state goes, so each brings all that it needs.
        let status = self.folder.join("status");
        std::fs::write(&status, "").map_err(at(&status))?;
        succeeds(
            self.apt("apt-get")?.arg("update"),
            &format!("the packages' list of {}", self.suite),
        )
    }

    fn apt(&self, program: &str) -> Result<Command, String> {
        let mut apt = Command::new(program);
        apt.args(["-qq", "-o", "Dir::Etc::sourceparts=/dev/null", "-o", "APT::Sandbox::User=root"]);
        apt.args(["-o", "APT::Architecture=amd64", "-o", "APT::Architectures=amd64"]);
        apt.args(["-o", "Acquire::Retries=3"]);
        // Lists of programs with pictures are not wanted.
        apt.args(["-o", "Acquire::Languages=none"]);
        apt.args(["-o", "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false"]);
        for (key, file) in [
            ("Dir::Etc::sourcelist", "sources.list"),
            ("Dir::State::lists", "lists"),
            ("Dir::State::status", "status"),
            ("Dir::Cache", "cache"),
        ] {
            let mut option = OsString::from(format!("{key}="));
            option.push(self.folder.join(file));
            apt.arg("-o").arg(option);
        }
        Ok(apt)
    }
}

/// Where Debian's packages are.
fn archive() -> Result<String, String> {
    let variable = "NDANY_DEBIAN_ARCHIVE";
    if let Ok(named) = std::env::var(variable) {
        return Ok(named);
    }
    let format = ["indextargets", "--format", "$(LABEL) $(REPO_URI)", "Created-By: Packages"];
    let known = Command::new("apt-get").args(format).output();
    let known = known.map_err(|error| format!("apt-get: {error}"))?;
    let known = String::from_utf8_lossy(&known.stdout);
    let archive = known.lines().find_map(|line| line.strip_prefix("Debian "));
    archive.map(str::to_string).ok_or_else(|| {
        format!("apt of this machine knows no archive of Debian (see apt-get update): name one in {variable}")
    })
}

fn make(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(at(folder))
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// Runs a program whose output, which may be what its caller prints, goes nowhere; errors do.
fn succeeds(command: &mut Command, what: &str) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: {program} ended with {status}")),
        Err(error) => Err(format!("{what}: {program}: {error}")),
    }
}
