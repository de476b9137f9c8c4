//! Types in kernels are rustc's: the errors that it shows, and where. rustc compiles one file against the library that this program
//! is linked with, which takes about a second; nothing is built for it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Compiles a file as a library, without writing one.
fn rustc(library: &Path, source: &Path, folder: &Path) -> Output {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let dependencies = library.parent().expect("a folder");
    Command::new(rustc)
        .args(["--edition=2024", "--crate-type=lib", "--crate-name=wrong", "--emit=metadata"])
        .args(["--error-format=short", "--color=never", "-Awarnings"])
        .arg("--out-dir")
        .arg(folder)
        .arg("-L")
        .arg(format!("dependency={}", dependencies.display()))
        .arg("--extern")
        .arg(format!("ndany={}", library.display()))
        .arg(source)
        .output()
        .expect("rustc, which has compiled this program")
}

/// The library `ndany` that was built last and has the attributes.
fn library(folder: &Path) -> PathBuf {
    let built = std::env::current_exe().expect("this program");
    let entries = std::fs::read_dir(built.parent().expect("a folder")).expect("a folder");
    let mut libraries: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("libndany-") && name.ends_with(".rlib")
        })
        .collect();
    libraries.sort_by_key(|path| std::fs::metadata(path).and_then(|of| of.modified()).ok());
    let probe = folder.join("probe.rs");
    let text =
        "use ndany::kernel::simt::*; #[kernel] pub fn f(n: u32, y: &mut [u32]) { y[0] = n; }";
    std::fs::write(&probe, text).expect("a file");
    let mut failed = String::new();
    for path in libraries.into_iter().rev() {
        let output = rustc(&path, &probe, folder);
        if output.status.success() {
            return path;
        }
        failed = String::from_utf8_lossy(&output.stderr).into_owned();
    }
    panic!("no library ndany that compiles a kernel: {failed}")
}

#[test]
fn wrong_types_are_found_at_their_places() {
    let folder = std::env::temp_dir().join(format!("ndany-types-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("simt/wrong_types.rs");
    let output = rustc(&library(&folder), &source, &folder);
    std::fs::remove_dir_all(&folder).expect("the folder");
    // Names stand with the path by which rustc found them.
    let errors = String::from_utf8(output.stderr).expect("text");
    let prefixes = ["ndany", "ndany_array"].map(|of| format!("{of}::kernel::simt::"));
    let errors = prefixes.iter().fold(errors, |errors, prefix| {
        errors.replace(&format!("{prefix}recording::"), "").replace(prefix, "")
    });
    // `path:line:column: error[E0277]: text`, one line an error.
    let mut found: Vec<(usize, &str)> = errors
        .lines()
        .filter(|line| line.contains(": error"))
        .filter_map(|line| {
            let rest = line.split_once(".rs:")?.1;
            let (number, text) = rest.split_once(':')?;
            Some((number.parse().ok()?, text))
        })
        .collect();
    let text = std::fs::read_to_string(&source).expect("the file");
    let mut wrong = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let Some((_, wanted)) = line.split_once("//~ ") else { continue };
        match found.iter().position(|(at, text)| *at == number && text.contains(wanted)) {
            Some(at) => drop(found.remove(at)),
            None => wrong.push(format!("line {number}: expected `{wanted}`")),
        }
    }
    wrong.extend(found.iter().map(|(number, text)| format!("line {number}: got{text}")));
    assert!(wrong.is_empty(), "{}\n{errors}", wrong.join("\n"));
    assert!(text.matches("//~ ").count() >= 20);
}
