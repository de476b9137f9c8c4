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
//! Deliberately absent: a limit of size. An entry is some ten kilobytes, and the folder is one of those that may be
//! emptied at any time.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use siphasher::sip128::{Hasher128, SipHasher24};

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
fn file_name(number: u128) -> String {
    format!("{number:032x}")
}

/// The folder of entries, if there is one.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
    /// The user whose files are trusted, besides root.
    user: u32,
    /// Whether a folder was refused.
    refused: AtomicBool,
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
        #[cfg(unix)]
        // SAFETY: it takes nothing and always succeeds.
        let user = unsafe { libc::geteuid() };
        #[cfg(not(unix))]
        let user = 0;
        Self::of_user(folder, user)
    }

    fn of_user(folder: Option<PathBuf>, user: u32) -> Self {
        Self { folder, user, refused: AtomicBool::new(false) }
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
        let folder = self.of_architecture(architecture)?;
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

    /// Keeps machine code.
    pub(crate) fn store(&self, text: &str, architecture: &str, compiler: &str, code: &[u8]) {
        let Some(folder) = self.of_architecture(architecture) else { return };
        let key = Key::new(text, architecture, compiler);
        let folder = folder.join(file_name(key.compiler));
        if let Err(error) = self.write(&folder, key, code) {
            tracing::debug!(folder = %folder.display(), %error, "machine code is not kept");
        }
    }

    /// Whether it exists, and machine code may be loaded from it and stored there.
    fn trusts(&self, path: &Path) -> bool {
        let Some(base) = &self.folder else { return false };
        let reason = match trust::check(path, base, self.user) {
            Ok(there) => return there,
            Err(reason) => reason,
        };
        // Once for a device: the next kernel would say the same.
        if !self.refused.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                folder = %base.display(),
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
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        if !self.trusts(folder) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        // Random, not made of the process's number: two containers that share a home may have processes of one number.
        let draft = folder.join(format!(".{}", file_name(random())));
        let mut file = fs::File::create_new(&draft)?;
        let written = file
            .write_all(&head(key, code))
            .and_then(|()| file.write_all(code))
            .and_then(|()| fs::rename(&draft, folder.join(file_name(key.text))));
        if written.is_err() {
            let _ = fs::remove_file(&draft);
        }
        written
    }
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

/// Whether another user can have put a file where it is.
#[cfg(unix)]
mod trust {
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Component, Path, PathBuf};

    /// Number of symbolic links on a path after which it is taken for a circle, as the kernel does.
    const MOST_LINKS: usize = 40;

    /// Walks a path as the kernel does, link by link, and says whether it leads anywhere. What is on it must belong to
    /// the user or to root, and be writable by its owner alone; folders above `base` may be sticky instead.
    pub(super) fn check(path: &Path, base: &Path, user: u32) -> Result<bool, String> {
        if !path.is_absolute() {
            return Err(format!("{} is relative to the working directory", path.display()));
        }
        let base = fs::canonicalize(base).unwrap_or_else(|_| base.to_path_buf());
        let mut rest: Vec<OsString> = parts(path);
        let (mut at, mut links) = (PathBuf::from("/"), 0);
        loop {
            let Ok(data) = fs::symlink_metadata(&at) else { return Ok(false) };
            let shown = at.display();
            if data.uid() != user && data.uid() != 0 {
                return Err(format!("{shown} belongs to another user"));
            }
            if data.is_symlink() {
                links += 1;
                let target = fs::read_link(&at).ok().filter(|_| links <= MOST_LINKS);
                let Some(target) = target else { return Err(format!("{shown} leads nowhere")) };
                rest.extend(parts(&target));
                match target.is_absolute() {
                    true => at = PathBuf::from("/"),
                    false => drop(at.pop()),
                }
            } else {
                let sticky = data.is_dir() && data.mode() & 0o1000 != 0 && !at.starts_with(&base);
                if data.mode() & 0o022 != 0 && !sticky {
                    return Err(format!("others than its owner may write {shown} (chmod go-w)"));
                }
            }
            match rest.pop() {
                Some(part) if part == ".." => drop(at.pop()),
                Some(part) => at.push(part),
                None => return Ok(true),
            }
        }
    }

    /// The parts of a path, the last one first.
    fn parts(path: &Path) -> Vec<OsString> {
        let part = |component: Component<'_>| match component {
            Component::Normal(name) => Some(name.to_os_string()),
            Component::ParentDir => Some("..".into()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
        };
        path.components().rev().filter_map(part).collect()
    }
}

/// The folder for caches is its user's own, by the platform's rules.
#[cfg(not(unix))]
mod trust {
    use std::path::Path;

    pub(super) fn check(path: &Path, _: &Path, _: u32) -> Result<bool, String> {
        Ok(path.exists())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::atomic::AtomicU64;

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

    /// A user that owns none of the folders of these tests, and a folder of that user: root can give one away, others
    /// can only take the part of another user.
    #[cfg(unix)]
    fn of_another(folder: &Folder) -> Cache {
        // SAFETY: it takes nothing.
        let user = unsafe { libc::geteuid() };
        if user == 0 {
            std::os::unix::fs::chown(&folder.0, Some(65_534), None).expect("root may");
        }
        Cache::of_user(Some(folder.0.clone()), if user == 0 { 0 } else { user + 1 })
    }

    #[cfg(unix)]
    #[test]
    fn folders_of_other_users_are_not_used() {
        let folder = Folder::new();
        Cache::new(Some(folder.0.clone())).store("text", "sm_90", "c", b"code");
        let cache = of_another(&folder);
        assert_eq!(cache.load("text", "sm_90", Some("c")), None);
        assert_eq!(cache.load("text", "sm_90", None), None);
        cache.store("other", "sm_90", "c", b"code");
        assert_eq!(folder.files().len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn what_others_may_write_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new();
        let base = folder.0.join("above/cache");
        let cache = Cache::new(Some(base.clone()));
        cache.store("text", "sm_90", "c", b"code");
        let [file] = &folder.files()[..] else { panic!("one file") };
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
        let load = || cache.load("text", "sm_90", Some("c"));
        // The file, its two folders, the cache, and what it lies in.
        for path in file.ancestors().take(5) {
            let own = fs::metadata(path).expect("it is there").permissions().mode();
            for open in [0o002, 0o020] {
                set(path, own | open).expect("it is ours");
                assert_eq!(load(), None, "{} and {open:o}", path.display());
                let before = folder.files().len();
                if path != file {
                    cache.store("other", "sm_90", "c", b"code");
                }
                assert_eq!(folder.files().len(), before, "{} and {open:o}", path.display());
            }
            set(path, own).expect("it is ours");
            assert_eq!(load(), Some(b"code".to_vec()), "{}", path.display());
        }
        // In a sticky folder no user can rename files of others; but the cache itself must belong to this user.
        set(&folder.0.join("above"), 0o1777).expect("it is ours");
        assert_eq!(load(), Some(b"code".to_vec()));
        set(&base, 0o1777).expect("it is ours");
        assert_eq!(load(), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_with_the_same_eyes() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new();
        let [there, link] = ["open/there", "link"].map(|name| folder.0.join(name));
        fs::create_dir_all(&there).expect("a folder");
        symlink("open/there", &link).expect("a link");
        let cache = Cache::new(Some(link.clone()));
        cache.store("text", "sm_90", "c", b"code");
        assert_eq!(cache.load("text", "sm_90", Some("c")), Some(b"code".to_vec()));
        fs::set_permissions(folder.0.join("open"), fs::Permissions::from_mode(0o777))
            .expect("ours");
        assert_eq!(cache.load("text", "sm_90", Some("c")), None);
        let circle = folder.0.join("circle");
        symlink("circle", &circle).expect("a link");
        Cache::new(Some(circle)).store("text", "sm_90", "c", b"code");
        let relative = Cache::new(Some("target".into()));
        assert_eq!(relative.load("text", "sm_90", Some("c")), None);
    }

    #[test]
    fn an_entry_under_another_name_is_not_taken() {
        let folder = Folder::new();
        let cache = Cache::new(Some(folder.0.clone()));
        let names = [("one", "c"), ("two", "c"), ("one", "other c")];
        let paths = names.map(|(text, compiler)| {
            let before = folder.files();
            cache.store(text, "sm_90", compiler, text.as_bytes());
            folder.files().into_iter().find(|path| !before.contains(path)).expect("a file")
        });
        for path in &paths[1..] {
            fs::copy(&paths[0], path).expect("a copy");
        }
        assert_eq!(cache.load("one", "sm_90", Some("c")), Some(b"one".to_vec()));
        assert_eq!(cache.load("two", "sm_90", Some("c")), None);
        assert_eq!(cache.load("two", "sm_90", None), None);
        assert_eq!(cache.load("one", "sm_90", Some("other c")), None);
    }

    #[test]
    fn drafts_of_a_process_of_the_same_number_are_left_alone() {
        let folder = Folder::new();
        let cache = Cache::new(Some(folder.0.clone()));
        cache.store("first", "sm_90", "c", b"code");
        let [first] = &folder.files()[..] else { panic!("one file") };
        let beside = first.parent().expect("a folder");
        // What another process of this number would call its next drafts if it went by numbers.
        let drafts: Vec<PathBuf> = (0..1000)
            .map(|count| beside.join(format!(".{}-{count}", std::process::id())))
            .collect();
        drafts.iter().for_each(|draft| fs::write(draft, b"half").expect("a draft"));
        cache.store("second", "sm_90", "c", b"code");
        assert!(drafts.iter().all(|draft| fs::read(draft).is_ok_and(|bytes| bytes == b"half")));
        assert_eq!(cache.load("second", "sm_90", Some("c")), Some(b"code".to_vec()));
        let names: std::collections::HashSet<u128> = (0..1000).map(|_| random()).collect();
        assert_eq!(names.len(), 1000);
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
