//! Writes `docs/support.md`: what there is of NumPy's names, and how each is computed on which device.
//!
//! Names, means and waits are the engine's own (`ndany::call::support`). Kinds of dtypes are those of arrays in golden
//! cases that expect a result: what is not tested is not claimed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};

use ndany::call::support::{Means, State, entries, first_name, means, others, synchronizes};
use ndany::io::npz;
use ndany::{DType, Kind};

use crate::pack;
use crate::sources::Sources;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What stands for means on the CPU, on CUDA and on HIP.
fn on_devices(means: Means) -> [&'static str; 3] {
    match means {
        Means::Native => ["kernel"; 3],
        Means::Library => ["faer", "cuBLAS", "rocBLAS"],
        Means::Factored => FACTORED,
        Means::Transformed => TRANSFORMED,
        Means::Composed => ["composed"; 3],
        Means::View => ["view"; 3],
        Means::Host => ["host"; 3],
    }
}

/// Factorizations of large matrices; small ones are the GPU's own kernels' everywhere.
const FACTORED: [&str; 3] = ["faer", "cuSOLVER", "hipSOLVER"];
/// Transforms, likewise.
const TRANSFORMED: [&str; 3] = ["rustfft", "cuFFT", "hipFFT"];

/// The page as it should be.
pub(crate) fn page() -> Result<String, String> {
    let kinds = kinds(&root().join("conformance/golden"))?;
    let sources = Sources::read(&root())?;
    let mut page = String::from(HEAD);
    let entries = entries();
    let mut pages: Vec<&str> = entries.iter().map(|entry| entry.page).collect();
    pages.dedup();
    page.push_str("| page | names | there on cpu | cuda | hip | absent, with a reason |\n|---|---|---|---|---|---|\n");
    let mut sums = [0; 5];
    for title in &pages {
        let mut counts = [0; 5];
        for entry in entries.iter().filter(|entry| entry.page == *title) {
            let there = match entry.state {
                State::Callable(_) | State::Rust(..) => true,
                State::Absent(_) | State::Unknown => false,
            };
            // What is there is there on every device.
            let marks = [true, there, there, there, !there];
            counts.iter_mut().zip(marks).for_each(|(count, mark)| *count += usize::from(mark));
        }
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        let [names, cpu, cuda, hip, absent] = counts;
        // A String never fails to grow by a write.
        let _ =
            writeln!(page, "| [{title}](#{title}) | {names} | {cpu} | {cuda} | {hip} | {absent} |");
    }
    let [names, cpu, cuda, hip, absent] = sums;
    let _ = writeln!(page, "| all | {names} | {cpu} | {cuda} | {hip} | {absent} |");
    for title in &pages {
        let _ = write!(page, "\n## {title}\n\n{COLUMNS}");
        for entry in entries.iter().filter(|entry| entry.page == *title) {
            match entry.state {
                State::Callable(name) => line(&mut page, entry.name, name, &kinds, &sources)?,
                State::Rust(path, words) => {
                    let words =
                        if words.is_empty() { "takes closures or makes values" } else { words };
                    let _ = writeln!(page, "| `{}` | `{path}` | {words} | | | | |", entry.name);
                }
                State::Absent(reason) => {
                    let _ = writeln!(page, "| `{}` | absent: {reason} | | | | | |", entry.name);
                }
                State::Unknown => return Err(format!("{} cannot be called", entry.name)),
            }
        }
    }
    let _ = write!(
        page,
        "\n## beyond these pages\n\nEvery ufunc has `reduce`, `accumulate`, `outer`, `reduceat` and `at` besides, as NumPy.\n\n{COLUMNS}"
    );
    let mut rest = others();
    rest.sort_unstable();
    for name in rest {
        line(&mut page, name, name, &kinds, &sources)?;
    }
    Ok(page)
}

const HEAD: &str = "# Table of support

Made by `cargo xtask support` from the engine's own tables. The pages are those of CuPy's reference; a name is a method,
a form in the module `checked` that returns a `Result`, and can be called by NumPy's name through `ndany::call`.

- *kernel*: kernels of the engine's own, the same text for CUDA and HIP; loops on the CPU.
- *faer*, *rustfft*, *cuBLAS*, *rocBLAS*, *cuFFT*, *hipFFT*: a library, where it is found; products and transforms have
  kernels of their own besides.
- *composed*: of the above, nothing crosses to the host.
- *view*: another look at the same memory, or what is known without the values.
- *host*: texts, files and bytes of the host, which the function is about.
- *synchronizes*: the call waits for the device, because the data say what comes out or whether it is an error. The
  conformance suite counts what golden cases wait for, and compares.

Dtypes are kinds (b: bool, i: integers, f: floats, c: complex) of arrays in golden cases that expect a result. The last
column names the file that declares the function.

";
const COLUMNS: &str =
    "| name | cpu | cuda | hip | dtypes | synchronizes | source |\n|---|---|---|---|---|---|---|\n";

fn line(
    page: &mut String,
    shown: &str,
    name: &str,
    kinds: &BTreeMap<String, BTreeSet<char>>,
    sources: &Sources,
) -> Result<(), String> {
    let [cpu, cuda, hip] = on_devices(means(name));
    let mut tested = kinds.get(name).cloned().unwrap_or_default();
    tested.extend(kinds.get(first_name(name)).into_iter().flatten());
    let tested: String = tested.iter().collect();
    let waits = match synchronizes(name) {
        None | Some("never") => "",
        Some("always") => "yes",
        Some(when) => when,
    };
    let file =
        sources.file(first_name(name)).ok_or_else(|| format!("no source declares {name}"))?;
    let shortest = file.trim_start_matches("array/src/").trim_start_matches("array/");
    let source = format!("[{shortest}](../{file})");
    let _ =
        writeln!(page, "| `{shown}` | {cpu} | {cuda} | {hip} | {tested} | {waits} | {source} |");
    Ok(())
}

/// The kinds of dtypes with which golden cases call each function for a result. The files have one case a line.
fn kinds(golden: &Path) -> Result<BTreeMap<String, BTreeSet<char>>, String> {
    let mut kinds: BTreeMap<String, BTreeSet<char>> = BTreeMap::new();
    let failed = |path: &Path, error: &dyn Display| format!("{}: {error}", path.display());
    let mut manifests: Vec<PathBuf> = std::fs::read_dir(golden)
        .map_err(|error| failed(golden, &error))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    manifests.sort();
    for path in manifests {
        let text = std::fs::read_to_string(&path).map_err(|error| failed(&path, &error))?;
        let archive = path.with_extension("zip");
        let mut arrays = npz::Reader::open(&archive).map_err(|error| failed(&archive, &error))?;
        let mut known: HashMap<&str, char> = HashMap::new();
        for case in text.lines().filter(|line| line.starts_with("{\"id\"")) {
            let Some((arguments, expected)) = case.split_once("\"expected\":{") else { continue };
            if expected.starts_with("\"error\"") {
                continue;
            }
            let Some(name) = between(arguments, "\"op\":\"", "\"") else { continue };
            let of_name = kinds.entry(name.to_string()).or_default();
            for file in pack::arrays(arguments) {
                let kind = match known.get(file) {
                    Some(kind) => *kind,
                    None => {
                        let array = arrays.read(file).map_err(|error| failed(&archive, &error))?;
                        *known.entry(file).or_insert(letter(array.dtype))
                    }
                };
                of_name.insert(kind);
            }
        }
    }
    Ok(kinds)
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.split_once(before)?.1.split_once(after).map(|(inner, _)| inner)
}

/// The letter of a dtype's kind in the table.
fn letter(dtype: DType) -> char {
    match dtype.kind() {
        Kind::Bool => 'b',
        Kind::Int => 'i',
        Kind::Float => 'f',
        Kind::Complex => 'c',
    }
}

fn path() -> PathBuf {
    root().join("docs/support.md")
}

/// Writes the page.
pub(crate) fn write() -> Result<(), String> {
    std::fs::write(path(), page()?).map_err(|error| format!("docs/support.md: {error}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_page_is_what_the_tables_say() {
        let committed = std::fs::read_to_string(super::path()).unwrap_or_default();
        assert_eq!(committed, super::page().expect("a page"), "run `cargo xtask support`");
    }
}
