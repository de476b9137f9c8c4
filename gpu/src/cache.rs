//! Machine code on disk: what was compiled once is not compiled by the next process.
//!
//! A file is found by its text, architecture and compiler: `ARCHITECTURE/COMPILER/TEXT`, the last two as hashes. It
//! starts with a head that tells a whole file from a damaged one and one kernel's code from another's, and appears
//! whole because it is renamed into place. All of this is a convenience: whatever fails here costs a compilation and is
//! no error.
//!
//! Machine code is run, so it is taken only from where only the user and root can have put it: the file, its folder and
//! every folder above must belong to one of the two and be writable by its owner alone. Folders above the cache may be
//! writable by others if they are sticky, as `/tmp` is: then other users cannot rename what lies in them. This is
//! looked at for every file, since folders come and go while the process runs.
//!
//! An application may bring machine code along: a second folder of the same form, which is looked at after the user's own, under
//! the same checks, and is never written. There a compiler of any version may have made an entry, since whether it serves is the
//! driver's to say. The texts of kernels can be recorded in a third folder, to be compiled for other architectures
//! ([`texts`](crate::texts)).
//!
//! Deliberately absent: a limit of size. An entry is some ten kilobytes, and the folder is one of those that may be
//! emptied at any time.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use siphasher::sip128::{Hasher128, SipHasher24};

use crate::settings::Settings;
use crate::texts::Text;

/// The first bytes of an entry; the last of them counts versions of the format.
const MAGIC: [u8; 8] = *b"ndanyc\0\x02";

/// Bytes in front of the machine code: magic, length, checksum, key.
const HEAD: usize = 8 + 8 + 16 + KEY;

/// Bytes of a [`Key`].
const KEY: usize = 16 + 16;

/// What an entry is found by, as it stands in the entry too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    /// Text and architecture.
    text: u128,
    compiler: u128,
}

impl Key {
    fn new(text: &str, architecture: &str, compiler: &str) -> Self {
        Self {
            text: hash(&[text.as_bytes(), architecture.as_bytes()]),
            compiler: hash(&[compiler.as_bytes()]),
        }
    }

    fn bytes(self) -> [u8; KEY] {
        let mut bytes = [0; KEY];
        bytes[..16].copy_from_slice(&self.text.to_le_bytes());
        bytes[16..].copy_from_slice(&self.compiler.to_le_bytes());
        bytes
    }
}

/// A number as the name of a file.
pub(crate) fn file_name(number: u128) -> String {
    format!("{number:032x}")
}

/// Where machine code of one device is looked for and kept.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// The user's own folder.
    own: Option<Entries>,
    /// The folder that came with the application.
    shipped: Option<Entries>,
    /// The folder of texts.
    texts: Option<PathBuf>,
}

/// A folder of entries.
#[derive(Debug)]
struct Entries {
    folder: PathBuf,
    /// The user whose files are trusted, besides root.
    user: u32,
    /// Whether something in it was refused.
    refused: AtomicBool,
}

/// 128 bits that differ for different texts.
pub(crate) fn hash(parts: &[&[u8]]) -> u128 {
    let mut hasher = SipHasher24::new();
    for part in parts {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
    hasher.finish128().as_u128()
}

/// Names of folders are letters and digits everywhere.
fn folder_name(architecture: &str) -> String {
    architecture.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

impl Cache {
    /// The folders that the settings name.
    pub(crate) fn of(settings: &Settings) -> Self {
        let entries = |folder: &Option<PathBuf>| folder.clone().map(Entries::new);
        let (own, shipped) = (entries(&settings.cache), entries(&settings.shipped));
        Self { own, shipped, texts: settings.texts.clone() }
    }

    /// The machine code of a text; by any compiler, if none is named.
    pub(crate) fn load(
        &self,
        text: &str,
        architecture: &str,
        compiler: Option<&str>,
    ) -> Option<Vec<u8>> {
        let own = || self.own.as_ref()?.load(text, architecture, compiler);
        let shipped = || {
            let shipped = self.shipped.as_ref()?;
            let exact = compiler.and_then(|_| shipped.load(text, architecture, compiler));
            exact.or_else(|| shipped.load(text, architecture, None))
        };
        own().or_else(shipped)
    }

    /// Keeps machine code.
    pub(crate) fn store(&self, text: &str, architecture: &str, compiler: &str, code: &[u8]) {
        if let Some(own) = &self.own {
            own.store(text, architecture, compiler, code);
        }
    }

    /// Records a text that a device needs, if texts are recorded.
    pub(crate) fn record(&self, text: impl FnOnce() -> Text) {
        let Some(folder) = &self.texts else { return };
        if let Err(error) = text().write(folder) {
            tracing::warn!(folder = %folder.display(), %error, "the text of a kernel is not recorded");
        }
    }
}

impl Entries {
    fn new(folder: PathBuf) -> Self {
        #[cfg(unix)]
        // SAFETY: it takes nothing and always succeeds.
        let user = unsafe { libc::geteuid() };
        #[cfg(not(unix))]
        let user = 0;
        Self { folder, user, refused: AtomicBool::new(false) }
    }

    fn of_architecture(&self, architecture: &str) -> PathBuf {
        self.folder.join(folder_name(architecture))
    }

    fn load(&self, text: &str, architecture: &str, compiler: Option<&str>) -> Option<Vec<u8>> {
        let folder = self.of_architecture(architecture);
        if let Some(compiler) = compiler {
            let key = Key::new(text, architecture, compiler);
            return self.read(&folder.join(file_name(key.compiler)), key);
        }
        let text = Key::new(text, architecture, "").text;
        let mut compilers: Vec<(PathBuf, Key)> = fs::read_dir(folder)
            .ok()?
            .flatten()
            .filter_map(|entry| {
                let compiler = u128::from_str_radix(entry.file_name().to_str()?, 16).ok()?;
                Some((entry.path(), Key { text, compiler }))
            })
            .collect();
        compilers.sort_by_key(|(_, key)| key.compiler);
        compilers.iter().find_map(|(folder, key)| self.read(folder, *key))
    }

    fn store(&self, text: &str, architecture: &str, compiler: &str, code: &[u8]) {
        let key = Key::new(text, architecture, compiler);
        let folder = self.of_architecture(architecture).join(file_name(key.compiler));
        if let Err(error) = self.write(&folder, key, code) {
            tracing::debug!(folder = %folder.display(), %error, "machine code is not kept");
        }
    }

    /// Whether it exists, and machine code may be loaded from it and stored there.
    fn trusts(&self, path: &Path) -> bool {
        let reason = match trust::check(path, &self.folder, self.user) {
            Ok(there) => return there,
            Err(reason) => reason,
        };
        // Once for a device: the next kernel would say the same.
        if !self.refused.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                folder = %self.folder.display(),
                "{reason}: machine code is neither kept in the cache nor taken from it"
            );
        }
        false
    }

    /// What a whole entry holds.
    fn read(&self, folder: &Path, key: Key) -> Option<Vec<u8>> {
        let path = folder.join(file_name(key.text));
        // First: what is trusted cannot be exchanged by others afterwards.
        if !self.trusts(&path) {
            return None;
        }
        let mut bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                tracing::debug!(path = %path.display(), %error, "machine code cannot be read");
                return None;
            }
        };
        if bytes.len() <= HEAD || bytes[..HEAD] != head(key, &bytes[HEAD..]) {
            tracing::debug!(path = %path.display(), "machine code is damaged or another kernel's and made anew");
            return None;
        }
        bytes.drain(..HEAD);
        Some(bytes)
    }

    fn write(&self, folder: &Path, key: Key, code: &[u8]) -> io::Result<()> {
        create_folder(folder)?;
        if !self.trusts(folder) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        publish(folder, &file_name(key.text), &[&head(key, code), code])
    }
}

/// Makes a folder that is its owner's alone, and those above it.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a file that appears whole.
pub(crate) fn publish(folder: &Path, name: &str, parts: &[&[u8]]) -> io::Result<()> {
    // Random, not made of the process's number: two containers that share a home may have processes of one number.
    let draft = folder.join(format!(".{}", file_name(random())));
    let mut file = fs::File::create_new(&draft)?;
    let written = parts.iter().try_for_each(|part| file.write_all(part));
    let written = written.and_then(|()| fs::rename(&draft, folder.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

fn head(key: Key, code: &[u8]) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&MAGIC);
    head[8..16].copy_from_slice(&(code.len() as u64).to_le_bytes());
    head[16..32].copy_from_slice(&hash(&[code]).to_le_bytes());
    head[32..].copy_from_slice(&key.bytes());
    head
}

/// 128 bits that no other process can foresee.
fn random() -> u128 {
    // Each state has keys of its own, seeded by the system.
    let word = || u128::from(RandomState::new().hash_one(std::process::id()));
    word() << 64 | word()
}

#[cfg(unix)]
mod trust;

/// The folder for caches is its user's own, by the platform's rules.
#[cfg(not(unix))]
mod trust {
    use std::path::Path;

    pub(super) fn check(path: &Path, _: &Path, _: u32) -> Result<bool, String> {
        Ok(path.exists())
    }
}

#[cfg(test)]
pub(crate) mod tests;
