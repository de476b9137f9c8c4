//! Which file of the project has a function of NumPy's, for the table of support.

use std::collections::BTreeMap;
use std::path::Path;

/// Files by the functions that they declare. Paths are relative to the project's folder.
pub(crate) struct Sources {
    /// By a Rust name: files of arrays that declare a function or a method of this name.
    rust: BTreeMap<String, Vec<String>>,
    /// By a full NumPy name: the file with the row of an elementwise operation, or with the form for calls by name,
    /// which stands there without its namespace where a macro adds that.
    rows: BTreeMap<String, String>,
    calls: BTreeMap<String, String>,
}

/// Namespaces of NumPy and SciPy that have a folder of their own.
const FOLDERS: [(&str, &str); 8] = [
    ("np.linalg.", "array/src/linalg/"),
    ("sp.linalg.", "array/src/linalg/"),
    ("np.fft.", "array/src/fft/"),
    ("fft.", "array/src/fft/"),
    ("np.random.", "array/src/random/"),
    ("np.polynomial.", "array/src/polynomial/"),
    ("np.poly", "array/src/polynomial/"),
    ("np.einsum", "array/src/einsum/"),
];

impl Sources {
    /// Reads the sources of arrays and of elementwise operations.
    pub(crate) fn read(root: &Path) -> Result<Sources, String> {
        let mut sources =
            Sources { rust: BTreeMap::new(), rows: BTreeMap::new(), calls: BTreeMap::new() };
        for folder in ["array/src", "core/src/ops", "sci/special/src"] {
            sources.read_folder(root, folder)?;
        }
        Ok(sources)
    }

    fn read_folder(&mut self, root: &Path, folder: &str) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{folder}: {error}");
        let entries = std::fs::read_dir(root.join(folder)).map_err(failed)?;
        let mut entries: Vec<_> =
            entries.collect::<Result<Vec<_>, _>>().map_err(failed)?.into_iter().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let path = format!("{folder}/{}", name.to_string_lossy());
            if entry.path().is_dir() {
                self.read_folder(root, &path)?;
            } else if path.ends_with(".rs") && !path.ends_with("tests.rs") {
                let text = std::fs::read_to_string(entry.path()).map_err(failed)?;
                self.read_file(&path, &text);
            }
        }
        Ok(())
    }

    fn read_file(&mut self, path: &str, text: &str) {
        let by_name = path.starts_with("array/src/call/");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            if by_name || path.starts_with("core/") || path.starts_with("sci/") {
                let names = if by_name { &mut self.calls } else { &mut self.rows };
                // What stands between quotation marks.
                for quoted in line.split('"').skip(1).step_by(2) {
                    names.entry(quoted.to_string()).or_insert_with(|| path.to_string());
                }
            } else if let Some(name) = declared(line) {
                let files = self.rust.entry(name.to_string()).or_default();
                if files.last().is_none_or(|last| last != path) {
                    files.push(path.to_string());
                }
            }
        }
    }

    /// The file of a function that can be called by this NumPy name.
    pub(crate) fn file(&self, name: &str) -> Option<&str> {
        if let Some(file) = self.rows.get(name) {
            return Some(file);
        }
        // A method of a distribution follows from its family.
        if name.starts_with("sp.stats.") {
            return Some("sci/stats/src/lib.rs");
        }
        let short = name.rsplit('.').next().unwrap_or(name);
        let folder = FOLDERS.iter().find(|(prefix, _)| name.starts_with(prefix));
        let folder = folder.map_or("array/src/array/", |(_, folder)| folder);
        let files = self.rust.get(short).map_or(&[][..], Vec::as_slice);
        let of_room = files.iter().find(|file| file.starts_with(folder));
        let only = files.first().filter(|_| files.len() == 1);
        let by_name = self.calls.get(name).or_else(|| self.calls.get(short));
        of_room.or(only).or(by_name).map(String::as_str)
    }
}

/// The public function or method that a line declares.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let name = match line.strip_prefix("pub fn ") {
        Some(rest) => rest.split(['(', '<']).next()?,
        // `array_functions!` and `functions!` have the name and its checked form.
        None => {
            let (name, rest) = line.split_once(" / try_")?;
            rest.starts_with(name).then_some(name)?
        }
    };
    let name = name.trim();
    (!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_in_the_room_of_its_subject() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let sources = Sources::read(&root).expect("sources");
        for (name, file) in [
            ("np.median", "array/src/array/statistics/quantile.rs"),
            ("np.exp", "core/src/ops/rows.rs"),
            ("np.divmod", "core/src/ops/pairs.rs"),
            ("np.concatenate", "array/src/array/manipulation/join.rs"),
            ("np.linalg.norm", "array/src/linalg/norm.rs"),
            ("np.matmul", "array/src/array/products/matmul.rs"),
            ("np.r_", "array/src/call/indexing/named.rs"),
        ] {
            assert_eq!(sources.file(name), Some(file), "{name}");
        }
        assert_eq!(sources.file("np.nothing_of_the_kind"), None);
    }

    #[test]
    fn declarations_are_distinguished_from_other_lines() {
        assert_eq!(declared("    sum / try_sum (self, axes: Axes) -> Array {"), Some("sum"));
        assert_eq!(declared("pub fn zeros<S>(shape: S) -> Array {"), Some("zeros"));
        assert_eq!(declared("    let half = a / try_b;"), None);
        assert_eq!(declared("fn private() {}"), None);
    }
}
