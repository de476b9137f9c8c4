//! Which crate may import which, and which room of a crate (a module at its root) which room: the layers of the project, held
//! by tests that read manifests and sources.
//!
//! What counts in a source is a path that begins with `crate::`. Comments, documentation and unit tests do not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each crate that others import, or that backends are made of, with the crates of the project that it may import. Tests may
/// import more.
const CRATES: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("reference", &["ndany-core"]),
    ("macros", &[]),
    ("array", &["ndany-core", "ndany-macros", "ndany-reference"]),
    ("dlpack", &["ndany-array", "ndany-core"]),
    ("kernels", &["ndany-core"]),
    ("gpu", &["ndany-core", "ndany-kernels", "ndany-reference"]),
    ("backend-cuda", &["ndany-core", "ndany-gpu", "ndany-kernels"]),
    ("backend-rocm", &["ndany-core", "ndany-gpu", "ndany-kernels"]),
    ("backend-cpu/linalg", &[]),
    ("backend-cpu/fft", &[]),
    ("backend-cpu", &["ndany-core", "ndany-fft", "ndany-linalg", "ndany-reference"]),
    ("sci/special", &["ndany-array", "ndany-core"]),
    ("sci/stats", &["ndany-array", "ndany-core", "ndany-special"]),
    ("sci/sparse", &["ndany-array", "ndany-core"]),
    // It imports the facade, too, whose name is the prefix of all others.
    ("python", &["ndany-core"]),
    (
        ".",
        &[
            "ndany-array",
            "ndany-core",
            "ndany-cpu",
            "ndany-cuda",
            "ndany-dlpack",
            "ndany-rocm",
            "ndany-special",
            "ndany-sparse",
            "ndany-stats",
        ],
    ),
];

/// The rooms of a crate.
struct Layers {
    /// The folder of its sources.
    sources: &'static str,
    /// The rooms; each may import those above it in this list.
    order: &'static [&'static str],
}

const CORE: Layers = Layers {
    sources: "core/src",
    order: &[
        "plan",
        "report",
        "ranges",
        "dry_run",
        "formulas",
        "dtype",
        "float",
        "number",
        "call_site",
        "error",
        "names",
        "limits",
        "shape",
        "program",
        "simt",
        "ops",
        "backend",
        "host",
        "provider",
    ],
};

const ARRAY: Layers = Layers {
    sources: "array/src",
    order: &[
        "element",
        "scalar",
        "launch_counts",
        "spans",
        "attempt",
        "recording",
        "buffer",
        "device",
        "io",
        "graph",
        "declare",
        "dtypes",
        "arguments",
        "extend",
        "elementwise",
        "array",
        "exchange",
        "kernel",
        "einsum",
        "linalg",
        "fft",
        "polynomial",
        "random",
        "capture",
        "special",
        "profile",
        "checked",
        "numpy",
        "call",
    ],
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn crates_import_what_is_below_them() {
    for (folder, allowed) in CRATES {
        let manifest = text(&root().join(folder).join("Cargo.toml"));
        let mut section = "";
        let mut imports = BTreeSet::new();
        for line in manifest.lines() {
            if line.starts_with('[') {
                section = line;
            } else if section.ends_with("dependencies]")
                && !section.contains("dev-")
                && !section.contains("build-")
                && line.starts_with("ndany-")
            {
                imports.insert(line.split([' ', '.', '=']).next().unwrap_or(line));
            }
        }
        assert_eq!(imports, allowed.iter().copied().collect(), "the crate in {folder}");
    }
}

/// The crates of the project that a build of the facade with these features compiles.
fn built(features: &[&str]) -> BTreeSet<String> {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--package", "ndany", "--edges", "normal"])
        .args(["--prefix", "none", "--format", "{p}"])
        .args(features.iter().map(|feature| format!("--features={feature}")))
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("names");
    let names = text.lines().filter_map(|line| line.split(' ').next());
    names.filter(|name| name.starts_with("ndany-")).map(str::to_string).collect()
}

#[test]
fn a_default_build_has_nothing_of_the_crates_over_scipy() {
    let default = built(&[]);
    assert!(default.contains("ndany-core"), "{default:?}");
    let expected = [
        ("special", ["ndany-special"].as_slice()),
        ("stats", &["ndany-special", "ndany-stats"]),
        ("sparse", &["ndany-macros", "ndany-sparse"]),
    ];
    for (feature, adds) in expected {
        let with = built(&[feature]);
        let more: Vec<&str> = with.difference(&default).map(String::as_str).collect();
        assert_eq!(more, adds, "what the feature {feature} adds");
    }
}

#[test]
fn rooms_import_what_is_below_them() {
    for layers in [CORE, ARRAY] {
        let imports = imports(&root().join(layers.sources));
        let rooms: BTreeSet<&str> = imports.keys().map(String::as_str).collect();
        assert_eq!(rooms, layers.order.iter().copied().collect(), "rooms of {}", layers.sources);
        let place = |room: &str| layers.order.iter().position(|other| *other == room);
        for (room, others) in &imports {
            let above: Vec<_> = others.iter().filter(|other| place(other) > place(room)).collect();
            assert!(above.is_empty(), "{}: {room} imports {above:?}", layers.sources);
        }
    }
}

/// The rooms that each room of a crate imports.
fn imports(sources: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let lib = text(&sources.join("lib.rs"));
    let declared = lib.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    let mut rooms: BTreeMap<String, BTreeSet<String>> =
        declared.map(|room| (room.to_string(), BTreeSet::new())).collect();
    // A name at the root of the crate stands for the room that has it.
    let mut named = BTreeMap::new();
    for path in paths(&code(&lib)) {
        if let [room, .., name] = path.as_slice()
            && rooms.contains_key(room)
        {
            named.insert(name.clone(), room.clone());
        }
    }
    for (room, others) in &mut rooms {
        let mut files = vec![sources.join(format!("{room}.rs")), sources.join(room)];
        while let Some(file) = files.pop() {
            if file.is_dir() {
                let entries = std::fs::read_dir(&file).expect("a folder").flatten();
                files.extend(entries.map(|entry| entry.path()));
            } else if file.extension().is_some_and(|end| end == "rs")
                && !file.ends_with("tests.rs")
                && file.is_file()
            {
                others.extend(paths(&code(&text(&file))).into_iter().filter_map(|path| {
                    path.into_iter().next().map(|first| named.get(&first).cloned().unwrap_or(first))
                }));
            }
        }
        others.remove(room);
    }
    let known: BTreeSet<String> = rooms.keys().cloned().collect();
    for others in rooms.values_mut() {
        others.retain(|other| known.contains(other));
    }
    rooms
}

/// A source without comments, documentation, texts and its module of tests.
fn code(source: &str) -> String {
    let mut kept = String::new();
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.ends_with('{')) {
            lines.by_ref().find(|line| *line == "}");
        } else if !line.trim_start().starts_with("//") && !line.trim_start().starts_with("#[doc") {
            // What stands between quotes is text: documentation in macros.
            kept.extend(line.split('"').step_by(2));
            kept.push('\n');
        }
    }
    kept
}

/// The paths that begin with `crate::`, without that; each branch of braces is one.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (place, begin) in code.match_indices("crate::") {
        branches(&code[place + begin.len()..], Vec::new(), &mut found);
    }
    found
}

/// Reads a path, or braces with paths, at the beginning of the text, and returns what comes after it.
fn branches<'t>(text: &'t str, mut path: Vec<String>, found: &mut Vec<Vec<String>>) -> &'t str {
    let mut rest = text.trim_start();
    loop {
        if let Some(mut inner) = rest.strip_prefix('{') {
            loop {
                inner = branches(inner, path.clone(), found).trim_start();
                match inner.strip_prefix(',') {
                    Some(next) => inner = next,
                    None => return inner.strip_prefix('}').unwrap_or(inner),
                }
            }
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if end > 0 {
            path.push(rest[..end].to_string());
        }
        rest = &rest[end..];
        match rest.strip_prefix("::") {
            Some(next) => rest = next,
            None => break,
        }
    }
    // `as` and another name.
    if let Some(renamed) = rest.strip_prefix(" as ") {
        let end = renamed.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(renamed.len());
        if let Some(last) = path.last_mut() {
            *last = renamed[..end].to_string();
        }
        rest = &renamed[end..];
    }
    if !path.is_empty() {
        found.push(path);
    }
    rest
}

#[test]
fn paths_are_read_branch_by_branch() {
    let code = code(
        "use crate::{a::{B, c as D}, e};\n// crate::f\nfn g() { $crate::h::i() }\n#[cfg(test)]\nmod tests {\n    use crate::j;\n}\n",
    );
    let paths: Vec<String> = paths(&code).iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["a::B", "a::D", "e", "h::i"]);
}
