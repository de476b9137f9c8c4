//! Reads `golden-1` manifests into cases, and says which case is at fault when it cannot.
//!
//! Everything that can be known without running is checked here: forms, names, tolerances, and that
//! every array is there. Arrays themselves are read where the case runs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::argument::Argument;
use crate::arrays::{ArchiveError, Arrays};
use crate::tolerance::Tolerance;

/// What a case must produce.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// One array, in this file.
    Array(String),
    /// Several arrays.
    List(Vec<String>),
    /// An error of one of these classes.
    Error(Vec<String>),
}

/// One golden case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Unique name.
    pub id: String,
    /// Group in the tables.
    pub family: String,
    /// NumPy's name of the operation.
    pub op: String,
    /// Positional arguments.
    pub args: Vec<Argument>,
    /// Keyword arguments.
    pub kwargs: Vec<(String, Argument)>,
    /// What must come out.
    pub expected: Expected,
    /// How near it must be.
    pub tolerance: Tolerance,
    /// The case as it was read: what a worker is sent.
    pub raw: Json,
    /// Where its arrays are.
    pub arrays: Arc<Arrays>,
}

/// Why a folder of cases cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// The manifest cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The manifest is not JSON.
    #[error("{path} is not JSON: {source}")]
    Json {
        /// The file.
        path: PathBuf,
        /// Where it goes wrong.
        source: serde_json::Error,
    },
    /// Another format, or no header at all.
    #[error("{path}: {reason}")]
    Header {
        /// The file.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// An archive of arrays that cannot be used.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Cases at fault, each with its reason.
    #[error("{} bad cases:\n{}", .0.len(), listing(.0))]
    Cases(Vec<CaseError>),
}

fn listing(errors: &[CaseError]) -> String {
    let mut lines: Vec<String> = errors.iter().take(20).map(|error| format!("  {error}")).collect();
    if errors.len() > 20 {
        lines.push(format!("  … and {} more", errors.len() - 20));
    }
    lines.join("\n")
}

/// One case at fault.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("case {case}: {reason}")]
pub struct CaseError {
    /// Its id, or its position when it has none.
    pub case: String,
    /// What is wrong.
    pub reason: String,
}

/// Reads `folder/manifest.json` or, where there is none, every `*.json` of the folder in order of their
/// names, and checks every case.
pub fn load(folder: &Path) -> Result<Vec<Case>, ManifestError> {
    let (mut cases, mut errors, mut ids) = (Vec::new(), Vec::new(), HashSet::new());
    for path in manifests(folder)? {
        let listed = listed(&path)?;
        let arrays = Arc::new(Arrays::beside(&path)?);
        let mut known_files = HashSet::new();
        for (position, raw) in listed.iter().enumerate() {
            let parsed = parse_case(raw, position, &arrays).and_then(|case| {
                let fail = |reason| CaseError { case: case.id.clone(), reason };
                if !ids.insert(case.id.clone()) {
                    return Err(fail("the id is used twice".to_owned()));
                }
                for file in files_of(&case) {
                    // Many cases share inputs: one look is enough for each.
                    if !known_files.contains(file) {
                        arrays.check(file).map_err(fail)?;
                        known_files.insert(file.to_owned());
                    }
                }
                Ok(case)
            });
            match parsed {
                Ok(case) => cases.push(case),
                Err(error) => errors.push(error),
            }
        }
    }
    if errors.is_empty() { Ok(cases) } else { Err(ManifestError::Cases(errors)) }
}

/// The manifests of a folder, at least one.
fn manifests(folder: &Path) -> Result<Vec<PathBuf>, ManifestError> {
    let one = folder.join("manifest.json");
    if one.is_file() {
        return Ok(vec![one]);
    }
    let read = |source| ManifestError::Read { path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found.sort();
    let nothing = || ManifestError::Header {
        path: folder.to_owned(),
        reason: "no manifest.json and no other .json file".to_owned(),
    };
    if found.is_empty() { Err(nothing()) } else { Ok(found) }
}

/// The cases of one manifest, not yet parsed.
fn listed(path: &Path) -> Result<Vec<Json>, ManifestError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ManifestError::Read { path: path.to_owned(), source })?;
    let mut json: Json = serde_json::from_str(&text)
        .map_err(|source| ManifestError::Json { path: path.to_owned(), source })?;
    let header = |reason: String| ManifestError::Header { path: path.to_owned(), reason };
    match json.get("format").and_then(Json::as_str) {
        Some("golden-1") => {}
        Some(other) => return Err(header(format!("format {other:?}, expected \"golden-1\""))),
        None => return Err(header("no \"format\"".to_owned())),
    }
    let stated = json.get("n_cases").and_then(Json::as_u64);
    let Some(Json::Array(listed)) = json.get_mut("cases").map(Json::take) else {
        return Err(header("no list of \"cases\"".to_owned()));
    };
    match stated {
        Some(stated) if stated != listed.len() as u64 => {
            Err(header(format!("n_cases says {stated}, the list has {}", listed.len())))
        }
        Some(_) | None => Ok(listed),
    }
}

/// One case from its JSON; `position` names it when it has no id.
pub fn parse_case(raw: &Json, position: usize, arrays: &Arc<Arrays>) -> Result<Case, CaseError> {
    let id = raw.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
    let name = if id.is_empty() { format!("number {position}") } else { id.clone() };
    let inner = || -> Result<Case, String> {
        let object = raw.as_object().ok_or("not an object")?;
        if id.is_empty() {
            return Err("no id".to_owned());
        }
        let kwargs = match object.get("kwargs") {
            None => Vec::new(),
            Some(Json::Object(kwargs)) => kwargs
                .iter()
                .map(|(key, value)| Ok((key.clone(), Argument::parse(value)?)))
                .collect::<Result<_, String>>()?,
            Some(_) => return Err("kwargs is not an object".to_owned()),
        };
        Ok(Case {
            id: id.clone(),
            family: text(object, "family")?,
            op: text(object, "op")?,
            args: list(object, "args")?.iter().map(Argument::parse).collect::<Result<_, _>>()?,
            kwargs,
            expected: parse_expected(object.get("expected").ok_or("no expected")?)?,
            tolerance: Tolerance::parse(object.get("tolerance").ok_or("no tolerance")?)?,
            raw: raw.clone(),
            arrays: Arc::clone(arrays),
        })
    };
    inner().map_err(|reason| CaseError { case: name, reason })
}

fn text(object: &Map<String, Json>, key: &str) -> Result<String, String> {
    let text = object.get(key).and_then(Json::as_str).ok_or(format!("no {key}"))?;
    if text.is_empty() { Err(format!("empty {key}")) } else { Ok(text.to_owned()) }
}

fn list<'a>(object: &'a Map<String, Json>, key: &str) -> Result<&'a [Json], String> {
    Ok(object.get(key).and_then(Json::as_array).ok_or(format!("no list of {key}"))?)
}

fn parse_expected(json: &Json) -> Result<Expected, String> {
    let file = |json: &Json| {
        let path = json.get("npy").and_then(Json::as_str);
        path.map(str::to_owned).ok_or(format!("expected: {json} names no npy file"))
    };
    if json.get("npy").is_some() {
        Ok(Expected::Array(file(json)?))
    } else if let Some(list) = json.get("list") {
        let list = list.as_array().ok_or("expected: list is not a list")?;
        Ok(Expected::List(list.iter().map(file).collect::<Result<_, _>>()?))
    } else if let Some(classes) = json.get("error") {
        let classes: Option<Vec<String>> = classes
            .as_array()
            .map(|names| names.iter().filter_map(Json::as_str).map(str::to_owned).collect());
        match classes {
            Some(classes) if !classes.is_empty() => Ok(Expected::Error(classes)),
            Some(_) | None => Err("expected: error names no class".to_owned()),
        }
    } else {
        Err(format!("expected: unknown form {json}"))
    }
}

/// The name of every array of a case.
pub fn files_of(case: &Case) -> Vec<&str> {
    let mut files = Vec::new();
    let arguments = case.args.iter().chain(case.kwargs.iter().map(|(_, argument)| argument));
    arguments.for_each(|argument| argument.files(&mut files));
    match &case.expected {
        Expected::Array(file) => files.push(file),
        Expected::List(list) => files.extend(list.iter().map(String::as_str)),
        Expected::Error(_) => {}
    }
    files
}
