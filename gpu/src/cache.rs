//! Machine code on disk: what was compiled once is not compiled by the next process.
//!
//! A file is found by its text, architecture and compiler: `ARCHITECTURE/COMPILER/TEXT`, the last two as hashes. It
//! starts with a head that tells a whole file from a damaged one, and appears whole because it is renamed into place.
//! Folders are made for their owner alone; a folder that anybody may write is not used, for machine code is run. All
//! of this is a convenience: whatever fails here costs a compilation and is no error.
//!
//! Deliberately absent: a limit of size. An entry is some ten kilobytes, and the folder is one of those that may be
//! emptied at any time.

use std::fs;
use std::hash::Hasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use siphasher::sip128::{Hasher128, SipHasher24};

/// The first bytes of an entry; the last of them counts versions of the format.
const MAGIC: [u8; 8] = *b"ndanyc\0\x01";

/// Bytes in front of the machine code: magic, length, checksum.
const HEAD: usize = 8 + 8 + 16;

/// The folder of entries, if there is one.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

/// 128 bits that differ for different texts.
fn hash(parts: &[&[u8]]) -> u128 {
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
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder: folder.filter(|folder| is_safe(folder)) }
    }

    fn path(&self, text: &str, architecture: &str, compiler: &str) -> Option<PathBuf> {
        let entry = self
            .of_architecture(architecture)?
            .join(format!("{:032x}", hash(&[compiler.as_bytes()])));
        Some(entry.join(file_name(text, architecture)))
    }

    fn of_architecture(&self, architecture: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(folder_name(architecture)))
    }

    /// The machine code of a text; by any compiler, if none is named.
    pub(crate) fn load(
        &self,
        text: &str,
        architecture: &str,
        compiler: Option<&str>,
    ) -> Option<Vec<u8>> {
        if let Some(compiler) = compiler {
            return read(&self.path(text, architecture, compiler)?);
        }
        let compilers = fs::read_dir(self.of_architecture(architecture)?).ok()?;
        let mut compilers: Vec<PathBuf> = compilers.flatten().map(|entry| entry.path()).collect();
        compilers.sort();
        compilers.iter().find_map(|folder| read(&folder.join(file_name(text, architecture))))
    }

    /// Keeps machine code.
    pub(crate) fn store(&self, text: &str, architecture: &str, compiler: &str, code: &[u8]) {
        let Some(path) = self.path(text, architecture, compiler) else { return };
        if let Err(error) = write(&path, code) {
            tracing::debug!(path = %path.display(), %error, "machine code is not kept");
        }
    }
}

fn file_name(text: &str, architecture: &str) -> String {
    format!("{:032x}", hash(&[text.as_bytes(), architecture.as_bytes()]))
}

/// Is a folder (which need not be there yet) one that not everybody may write?
fn is_safe(folder: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let open = fs::metadata(folder).is_ok_and(|data| data.permissions().mode() & 0o002 != 0);
        if open {
            tracing::warn!(
                folder = %folder.display(),
                "anybody may write this folder: machine code is neither kept there nor taken from it"
            );
        }
        !open
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        true
    }
}

/// What a whole entry holds.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => {
            tracing::debug!(path = %path.display(), %error, "machine code cannot be read");
            return None;
        }
    };
    let whole = bytes.len() > HEAD && bytes[..HEAD] == head(&bytes[HEAD..]);
    if !whole {
        tracing::debug!(path = %path.display(), "machine code is damaged and made anew");
        return None;
    }
    bytes.drain(..HEAD);
    Some(bytes)
}

fn head(code: &[u8]) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&MAGIC);
    head[8..16].copy_from_slice(&(code.len() as u64).to_le_bytes());
    head[16..].copy_from_slice(&hash(&[code]).to_le_bytes());
    head
}

fn write(path: &Path, code: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Some(folder) = path.parent() else { return Ok(()) };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let draft = folder.join(format!(".{}-{count}", std::process::id()));
    let written = fs::File::create_new(&draft).and_then(|mut file| {
        file.write_all(&head(code))?;
        file.write_all(code)?;
        drop(file);
        fs::rename(&draft, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A folder of a test's own, gone with it.
    #[derive(Debug)]
    pub(crate) struct Folder(pub(crate) PathBuf);

    impl Folder {
        pub(crate) fn new() -> Self {
            static COUNT: AtomicU64 = AtomicU64::new(0);
            let name = format!(
                "ndany-gpu-{}-{}",
                std::process::id(),
                COUNT.fetch_add(1, Ordering::Relaxed)
            );
            let folder = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&folder);
            Self(folder)
        }

        /// All files in it.
        pub(crate) fn files(&self) -> Vec<PathBuf> {
            let mut files = Vec::new();
            let mut folders = vec![self.0.clone()];
            while let Some(folder) = folders.pop() {
                for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                    match entry.path() {
                        path if path.is_dir() => folders.push(path),
                        path => files.push(path),
                    }
                }
            }
            files
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_is_stored_is_found_by_all_of_its_key() {
        let folder = Folder::new();
        let cache = Cache::new(Some(folder.0.clone()));
        cache.store("text", "sm_90", "compiler 1", b"code");
        assert_eq!(cache.load("text", "sm_90", Some("compiler 1")), Some(b"code".to_vec()));
        assert_eq!(cache.load("other", "sm_90", Some("compiler 1")), None);
        assert_eq!(cache.load("text", "sm_80", Some("compiler 1")), None);
        assert_eq!(cache.load("text", "sm_90", Some("compiler 2")), None);
        cache.store("text", "sm_90", "compiler 1", b"new code");
        assert_eq!(cache.load("text", "sm_90", None), Some(b"new code".to_vec()));
        assert_eq!(folder.files().len(), 1);
    }

    #[test]
    fn architectures_with_features_are_folders_of_their_own() {
        let folder = Folder::new();
        let cache = Cache::new(Some(folder.0.clone()));
        cache.store("text", "gfx90a:sramecc+", "c", b"with");
        cache.store("text", "gfx90a:sramecc-", "c", b"without");
        assert_eq!(cache.load("text", "gfx90a:sramecc+", Some("c")), Some(b"with".to_vec()));
        assert_eq!(cache.load("text", "gfx90a:sramecc-", None), Some(b"without".to_vec()));
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let folder = Folder::new();
        let cache = Cache::new(Some(folder.0.clone()));
        cache.store("text", "sm_90", "c", b"machine code");
        let [path] = &folder.files()[..] else { panic!("one file") };
        let whole = fs::read(path).unwrap();
        let load = || cache.load("text", "sm_90", Some("c"));
        for k in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[k] ^= 0x40;
            fs::write(path, &damaged).unwrap();
            assert_eq!(load(), None, "byte {k} differs");
            fs::write(path, &whole[..k]).unwrap();
            assert_eq!(load(), None, "ends at byte {k}");
        }
        fs::write(path, &whole).unwrap();
        assert_eq!(load(), Some(b"machine code".to_vec()));
    }

    #[cfg(unix)]
    #[test]
    fn folders_are_their_owners() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new();
        Cache::new(Some(folder.0.clone())).store("text", "sm_90", "c", b"code");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder.0), 0o700);
        assert_eq!(mode(&folder.0.join("sm_90")), 0o700);
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(Cache::new(Some(folder.0.clone())).load("text", "sm_90", Some("c")), None);
    }

    #[test]
    fn a_folder_that_cannot_be_is_no_error() {
        let folder = Folder::new();
        fs::write(&folder.0, b"a file").unwrap();
        let cache = Cache::new(Some(folder.0.join("below")));
        cache.store("text", "sm_90", "c", b"code");
        assert_eq!(cache.load("text", "sm_90", Some("c")), None);
        fs::remove_file(&folder.0).unwrap();
        assert_eq!(Cache::new(None).load("text", "sm_90", None), None);
    }
}
