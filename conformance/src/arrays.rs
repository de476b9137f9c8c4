//! Where the arrays of cases are: files of a folder, or entries of a zip archive, which is read in place.
//!
//! A name is a path as the manifest states it, relative to the folder and never out of it. In an archive it is a key:
//! nothing is unpacked. What is wrong with an archive as a whole is an error when it is opened, before any case runs.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use zip::ZipArchive;
use zip::read::{ArchiveOffset, Config};

/// No array of a case is longer: a worker has less memory.
const LONGEST: u64 = 1 << 30;

/// The arrays that one manifest names.
#[derive(Debug)]
pub struct Arrays {
    folder: PathBuf,
    archive: Option<Archive>,
}

/// A zip archive, open.
#[derive(Debug)]
struct Archive {
    /// Its name in the folder.
    name: String,
    zip: Mutex<ZipArchive<BufReader<File>>>,
    /// Positions in the archive by name; directories left out.
    entries: HashMap<String, usize>,
}

/// An archive that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct ArchiveError {
    /// The archive.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

impl Arrays {
    /// The arrays of a manifest: in the archive of its name (`a.zip` for `a.json`), in `data.zip`, or in files.
    pub fn beside(manifest: &Path) -> Result<Self, ArchiveError> {
        let folder = manifest.parent().unwrap_or(Path::new(""));
        let own = manifest.with_extension("zip");
        let own = own.file_name().map(|name| name.to_string_lossy().into_owned());
        let found = own.into_iter().chain(["data.zip".to_owned()]);
        let found = found.into_iter().find(|name| folder.join(name).is_file());
        Self::open(folder, found.as_deref())
    }

    /// The arrays in an archive of the folder, or in its files.
    pub fn open(folder: &Path, archive: Option<&str>) -> Result<Self, ArchiveError> {
        let archive = archive.map(|name| Archive::open(folder, name)).transpose()?;
        Ok(Self { folder: folder.to_owned(), archive })
    }

    /// The archive's name in the folder, if there is one.
    pub fn archive(&self) -> Option<&str> {
        self.archive.as_ref().map(|archive| archive.name.as_str())
    }

    /// The names of everything in the archive; none of a folder.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.archive.iter().flat_map(|archive| archive.entries.keys().map(String::as_str))
    }

    /// Whether the array is there; its bytes are not looked at.
    pub fn check(&self, file: &str) -> Result<(), String> {
        match &self.archive {
            Some(archive) => archive.position(file).map(drop),
            None => resolve(&self.folder, file).map(drop),
        }
    }

    /// The bytes of an array's file.
    pub fn read(&self, file: &str) -> Result<Vec<u8>, String> {
        match &self.archive {
            Some(archive) => archive.read(file),
            None => std::fs::read(resolve(&self.folder, file)?)
                .map_err(|error| format!("{file}: {error}")),
        }
    }
}

impl Archive {
    fn open(folder: &Path, name: &str) -> Result<Self, ArchiveError> {
        let path = folder.join(name);
        let failed = |reason: String| ArchiveError { path: path.clone(), reason };
        let file = File::open(&path).map_err(|error| failed(error.to_string()))?;
        // A fixed offset keeps the crate from searching the whole file for a directory.
        let config = Config { archive_offset: ArchiveOffset::Known(0) };
        let zip = ZipArchive::with_config(config, BufReader::new(file))
            .map_err(|error| failed(format!("not a whole zip archive: {error}")))?;
        if zip.has_duplicate_names() {
            return Err(failed("two entries have the same name".to_owned()));
        }
        let mut entries = HashMap::with_capacity(zip.len());
        for (position, entry) in zip.file_names().enumerate() {
            let entry = entry.map_err(|error| failed(error.to_string()))?;
            if !is_plain(&entry) {
                return Err(failed(format!("entry {entry:?} leaves the folder of the cases")));
            }
            if !entry.ends_with('/') {
                entries.insert(entry.into_owned(), position);
            }
        }
        Ok(Self { name: name.to_owned(), zip: Mutex::new(zip), entries })
    }

    fn position(&self, file: &str) -> Result<usize, String> {
        if !is_plain(file) {
            return Err(leaves(file));
        }
        // Archives that were packed inside of `data` have names without it.
        let short = || self.entries.get(file.strip_prefix("data/")?);
        let position = self.entries.get(file).or_else(short);
        position.copied().ok_or_else(|| format!("file {file:?} is not in {}", self.name))
    }

    fn read(&self, file: &str) -> Result<Vec<u8>, String> {
        let position = self.position(file)?;
        let failed = |error: &dyn std::fmt::Display| format!("{file} in {}: {error}", self.name);
        // A panic of another reader leaves the archive whole: each read seeks first.
        let mut zip = self.zip.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entry = zip.by_index(position).map_err(|error| failed(&error))?;
        let size = entry.size();
        if size > LONGEST {
            return Err(failed(&format!("expected at most {LONGEST} bytes, got {size}")));
        }
        // Memory comes as the bytes do, and one byte too many is seen.
        let mut bytes = Vec::new();
        entry.by_ref().take(size + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        if bytes.len() as u64 != size {
            return Err(failed(&format!("expected {size} bytes, got {}", bytes.len())));
        }
        Ok(bytes)
    }
}

/// Whether a path has nothing but names, forward slashes between them.
fn is_plain(file: &str) -> bool {
    let normal = |part| matches!(part, Component::Normal(_));
    !file.is_empty() && !file.contains(['\\', '\0']) && Path::new(file).components().all(normal)
}

fn leaves(file: &str) -> String {
    format!("path {file:?} leaves the folder of the cases")
}

/// The path of a file of the folder; refuses paths that leave it, by name or by link.
fn resolve(folder: &Path, file: &str) -> Result<PathBuf, String> {
    if !is_plain(file) {
        return Err(leaves(file));
    }
    let missing = |error| format!("file {file:?}: {error}");
    let path = folder.join(file).canonicalize().map_err(missing)?;
    if !path.starts_with(folder.canonicalize().map_err(missing)?) {
        return Err(format!("path {file:?} leaves the folder of the cases through a link"));
    }
    if !path.is_file() {
        return Err(format!("{file:?} is not a file"));
    }
    Ok(path)
}
