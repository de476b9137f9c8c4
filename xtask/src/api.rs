//! Writes `docs/api.txt`: the public functions and methods of the crate `ndany`, as rustdoc's JSON has them. A change of
//! the surface is a change of this file, and there is a most that it may hold.
//!
//! Two modules have second forms of functions that are there already, made of the same declarations: `checked`, whose functions
//! return errors as values, and `numpy`, whose functions are the methods in free form under NumPy's names. Neither adds anything
//! that a reader must learn, so neither is counted. A function of `numpy` that is no other's second form would be a hole in the
//! count; the page lists them all. The methods of `kernel::Val` that arrays, or the module `special`, have under the same name
//! are second forms, too: the same table of operations, on values of kernels.
//!
//! The module `kernel::simt` has the words of functions that the attribute `kernel` makes kernels of: a language of its own, whose
//! words no program calls. They are listed and not counted, but for the methods of its `Kernel`. So is the module `exchange`, which has
//! what bindings to other languages need and programs of arrays do not.

mod docs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

/// The most functions and methods that there may be.
const MOST: usize = 800;
/// The module that the crate `ndany` exports.
const ROOT: &str = "api";
/// Its module with the forms of its functions that return errors as values, which are not counted.
const CHECKED: &str = "checked";
/// Its module with functions in free form under NumPy's names, which are listed and not counted.
const NUMPY: &str = "numpy";

/// The type whose methods are those of arrays, on values of kernels.
const VALUE: &str = "ndany::kernel::Val::";

/// The module with the words of kernels, and its type that programs use.
const WORDS: [&str; 2] = ["ndany::kernel::simt::", "ndany::kernel::simt::Kernel::"];

/// The module for bindings.
const BINDINGS: &str = "ndany::exchange::";

/// Whether a function is a word of kernels.
fn is_word(path: &str) -> bool {
    path.starts_with(WORDS[0]) && !path.starts_with(WORDS[1])
}

/// Writes the page.
pub(crate) fn write() -> Result<(), String> {
    let surface = Surface::document()?;
    let page = page(&surface.functions()?, &surface.second_forms()?)?;
    std::fs::write(path(), page).map_err(|error| format!("{}: {error}", path().display()))
}

/// Fails if the documentation of a function lacks something, and names each.
pub(crate) fn docs() -> Result<(), String> {
    let surface = Surface::document()?;
    documented(&surface, &surface.functions()?)
}

/// Fails unless the committed page is what the code has, and every function is documented.
pub(crate) fn check() -> Result<(), String> {
    let committed = std::fs::read_to_string(path())
        .map_err(|error| format!("{}: {error}", path().display()))?;
    let surface = Surface::document()?;
    let functions = surface.functions()?;
    let page = page(&functions, &surface.second_forms()?)?;
    if committed == page {
        return documented(&surface, &functions);
    }
    let lines = |text: &str| text.lines().map(String::from).collect::<BTreeSet<_>>();
    let (committed, now) = (lines(&committed), lines(&page));
    let new = now.difference(&committed).map(|line| format!("+ {line}\n"));
    let gone = committed.difference(&now).map(|line| format!("- {line}\n"));
    let differences: String = new.chain(gone).collect();
    Err(format!("docs/api.txt is not what the code has: run `cargo xtask api`\n{differences}"))
}

fn documented(surface: &Surface, functions: &BTreeMap<String, Id>) -> Result<(), String> {
    let mut lacking = String::new();
    for (path, id) in functions.iter().filter(|(path, _)| !is_word(path)) {
        let krate = &surface.crates[id.krate];
        let item = krate.items.get(&id.number);
        let faults = item.map_or(Vec::new(), |item| docs::faults(krate, item));
        if !faults.is_empty() {
            lacking.push_str(&format!("{path}: {}\n", faults.join(", ")));
        }
    }
    if lacking.is_empty() {
        return Ok(());
    }
    Err(format!("functions whose documentation lacks something (see CONTRIBUTING.md)\n{lacking}"))
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn path() -> PathBuf {
    root().join("docs/api.txt")
}

fn page(all: &BTreeMap<String, Id>, second: &BTreeMap<String, Id>) -> Result<String, String> {
    let is_second = |path: &&String| {
        path.strip_prefix(VALUE).is_some_and(|name| {
            let known = |of: &&str| all.contains_key(&format!("ndany::{of}::{name}"));
            ["Array", "special"].iter().any(known)
        })
    };
    let (words, functions): (Vec<&String>, Vec<&String>) =
        all.keys().partition(|path| is_word(path));
    let (values, functions): (Vec<&String>, Vec<&String>) =
        functions.into_iter().partition(is_second);
    let (bindings, functions): (Vec<&String>, Vec<&String>) =
        functions.into_iter().partition(|path| path.starts_with(BINDINGS));
    let count = functions.len();
    if count > MOST {
        return Err(format!("{count} public functions and methods: at most {MOST} are allowed"));
    }
    let lines =
        |paths: &[&String]| -> String { paths.iter().map(|path| format!("{path}\n")).collect() };
    let second: Vec<&String> = second.keys().collect();
    Ok(format!(
        "# {count} public functions and methods of the crate ndany. Made by `cargo xtask api`.\n{}\
         # {} second forms in the module `numpy`, which are not counted.\n{}\
         # {} second forms as methods of `kernel::Val`, which are not counted.\n{}\
         # {} words of kernels of threads and blocks, which are not counted.\n{}\
         # {} functions of the module `exchange` for bindings, which are not counted.\n{}",
        lines(&functions),
        second.len(),
        lines(&second),
        values.len(),
        lines(&values),
        words.len(),
        lines(&words),
        bindings.len(),
        lines(&bindings),
    ))
}

/// The crates whose items the crate `ndany` exports, each after those that it imports, with their features.
const CRATES: [(&str, &str); 2] = [("ndany-core", ""), ("ndany-array", "call,macros,ndarray,npz")];

/// The variable that has this program run in the place of rustdoc.
const AS_RUSTDOC: &str = "NDANY_XTASK_AS_RUSTDOC";

/// Runs rustdoc with what is not stable, if cargo has started this program in its place.
pub(crate) fn as_rustdoc() -> Option<ExitCode> {
    std::env::var_os(AS_RUSTDOC)?;
    let mut rustdoc = Command::new("rustdoc");
    let status = rustdoc.args(std::env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1").status();
    Some(match status {
        Ok(status) => ExitCode::from(status.code().map_or(1, |code| code.clamp(0, 255) as u8)),
        Err(error) => {
            eprintln!("rustdoc does not start: {error}");
            ExitCode::FAILURE
        }
    })
}

/// rustdoc's JSON of a crate.
struct Crate {
    items: Value,
    /// The paths of items by number, those of other crates among them.
    paths: Value,
    root: String,
}

impl Crate {
    fn document(package: &str, features: &str) -> Result<Self, String> {
        let cargo = std::env::var("CARGO").unwrap_or("cargo".to_string());
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
        let own = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
        let status = Command::new(cargo)
            // As of CI's other builds that run nothing: macros take longer to optimize than to run.
            .args(["rustdoc", "--config", "profile.dev.package.\"*\".opt-level=0"])
            .args(["-p", package, "--lib", "--features", features])
            .args(["--", "-Z", "unstable-options", "--output-format", "json"])
            // The format is not stable yet, so rustdoc is told by this program that it may be used. Cargo is not: dependencies that
            // look at RUSTC_BOOTSTRAP would be built again, now and at the next build without it.
            .env("RUSTDOC", own)
            .env(AS_RUSTDOC, "1")
            .env("CARGO_TARGET_DIR", &target)
            .current_dir(root())
            .status()
            .map_err(|error| format!("cargo rustdoc: {error}"))?;
        if !status.success() {
            return Err(format!("cargo rustdoc: {status}"));
        }
        let path = target.join(format!("doc/{}.json", package.replace('-', "_")));
        let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut json: Value = serde_json::from_slice(&text)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let root = json["root"].to_string();
        Ok(Self { items: json["index"].take(), paths: json["paths"].take(), root })
    }

    /// The item of a number; none if it is another crate's.
    fn item(&self, id: &Value) -> Option<&Value> {
        self.items.get(id.to_string())
    }
}

/// An item: the place of its crate in [`CRATES`], and its number there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Id {
    krate: usize,
    number: String,
}

/// The items of [`CRATES`].
struct Surface {
    crates: Vec<Crate>,
}

impl Surface {
    fn document() -> Result<Self, String> {
        let documents = CRATES.map(|(package, features)| Crate::document(package, features));
        Ok(Self { crates: documents.into_iter().collect::<Result<_, _>>()? })
    }

    fn item(&self, id: &Id) -> Option<&Value> {
        self.crates[id.krate].items.get(&id.number)
    }

    /// What an item of `krate` calls by this number: an item of that crate, or of one before it.
    fn id(&self, krate: usize, number: &Value) -> Option<Id> {
        let number = number.to_string();
        if self.crates[krate].items.get(&number).is_some() {
            return Some(Id { krate, number });
        }
        let path = &self.crates[krate].paths.get(&number)?;
        (0..krate).find_map(|krate| {
            let Crate { items, paths, .. } = &self.crates[krate];
            let same = |(number, own): &(&String, &Value)| {
                own["path"] == path["path"]
                    && own["kind"] == path["kind"]
                    && items.get(*number).is_some()
            };
            let (number, _) = paths.as_object()?.iter().find(same)?;
            Some(Id { krate, number: number.clone() })
        })
    }

    /// The ids of the items of a module, a trait or an `impl`.
    fn children(&self, id: &Id, kind: &str) -> Vec<Id> {
        let items = self.item(id).into_iter().flat_map(|item| children(item, kind));
        items.filter_map(|child| self.id(id.krate, child)).collect()
    }

    /// The path of each function and method, once (the shortest, and the first of those), and its item.
    fn functions(&self) -> Result<BTreeMap<String, Id>, String> {
        let mut found = Found::default();
        self.walk(&self.module(ROOT)?, "ndany", &mut found);
        Ok(found.paths())
    }

    /// The functions of the module of second forms that are not among [`functions`](Self::functions).
    fn second_forms(&self) -> Result<BTreeMap<String, Id>, String> {
        let counted: BTreeSet<Id> = self.functions()?.into_values().collect();
        let mut found = Found::default();
        self.walk(&self.module(NUMPY)?, &format!("ndany::{NUMPY}"), &mut found);
        found.functions.retain(|id, _| !counted.contains(id));
        Ok(found.paths())
    }

    /// A module at the root of the last crate.
    fn module(&self, name: &str) -> Result<Id, String> {
        let krate = self.crates.len() - 1;
        let root = Id { krate, number: self.crates[krate].root.clone() };
        let named = |id: &Id| self.item(id).is_some_and(|item| item["name"] == name);
        let module = self.children(&root, "module").into_iter().find(named);
        module.ok_or_else(|| format!("rustdoc's JSON has no module {name}"))
    }

    /// What a module has, by whatever name.
    fn walk(&self, module: &Id, path: &str, found: &mut Found) {
        if !found.modules.insert((module.clone(), path.to_string())) {
            return;
        }
        for id in self.children(module, "module") {
            let Some(child) = self.item(&id) else { continue };
            if child["visibility"] != "public" {
                continue;
            }
            let Some(used) = child["inner"].get("use") else {
                self.named(&id, path, &child["name"], found);
                continue;
            };
            let Some(target) = self.id(id.krate, &used["id"]) else { continue };
            if used["is_glob"] == true {
                self.walk(&target, path, found);
            } else {
                self.named(&target, path, &used["name"], found);
            }
        }
    }

    /// An item under a name.
    fn named(&self, id: &Id, path: &str, name: &Value, found: &mut Found) {
        let (Some(item), Some(name)) = (self.item(id), name.as_str()) else { return };
        let path = format!("{path}::{name}");
        let inner = &item["inner"];
        if inner.get("module").is_some() {
            // By its own name: the prelude has one of them under another.
            if ![CHECKED, NUMPY].map(Value::from).contains(&item["name"]) {
                self.walk(id, &path, found);
            }
        } else if let Some(used) = inner.get("use") {
            let path = path.rsplit_once("::").map_or("", |(parent, _)| parent);
            if let Some(target) = self.id(id.krate, &used["id"]) {
                self.named(&target, path, &Value::from(name), found);
            }
        } else if inner.get("function").is_some() {
            found.add(id, path);
        } else if inner.get("trait").is_some() {
            for method in self.children(id, "trait") {
                self.method(&method, &path, found);
            }
        } else {
            for kind in ["struct", "enum", "union"] {
                let blocks = inner[kind]["impls"].as_array().into_iter().flatten();
                for block in blocks.filter_map(|block| self.id(id.krate, block)) {
                    let Some(item) = self.item(&block) else { continue };
                    if item["inner"]["impl"]["trait"].is_null() {
                        for method in self.children(&block, "impl") {
                            let public = |item: &Value| item["visibility"] == "public";
                            if self.item(&method).is_some_and(public) {
                                self.method(&method, &path, found);
                            }
                        }
                    }
                }
            }
        }
    }

    fn method(&self, id: &Id, path: &str, found: &mut Found) {
        let Some(item) = self.item(id) else { return };
        if let (true, Some(name)) = (item["inner"].get("function").is_some(), item["name"].as_str())
        {
            found.add(id, format!("{path}::{name}"));
        }
    }
}

/// The numbers of the items of a module, a trait or an `impl`.
fn children<'a>(item: &'a Value, kind: &str) -> impl Iterator<Item = &'a Value> {
    item["inner"][kind]["items"].as_array().into_iter().flatten()
}

#[derive(Default)]
struct Found {
    /// Modules that were walked, under which paths.
    modules: BTreeSet<(Id, String)>,
    /// The paths of each function.
    functions: BTreeMap<Id, BTreeSet<String>>,
}

impl Found {
    /// The path of each function, once: the shortest, and the first of those.
    fn paths(self) -> BTreeMap<String, Id> {
        let mut paths = BTreeMap::new();
        for (id, names) in self.functions {
            let shortest =
                names.into_iter().min_by_key(|name| (name.matches("::").count(), name.clone()));
            paths.extend(shortest.map(|name| (name, id)));
        }
        paths
    }

    fn add(&mut self, id: &Id, path: String) {
        self.functions.entry(id.clone()).or_default().insert(path);
    }
}
