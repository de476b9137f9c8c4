//! The folder of machine code, its damages and its owners.

use std::sync::atomic::AtomicU64;

use super::*;

/// A folder of a test's own, gone with it.
#[derive(Debug)]
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name =
            format!("ndany-gpu-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
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
    let cache = Entries::new(folder.0.clone());
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
    let cache = Entries::new(folder.0.clone());
    cache.store("text", "gfx90a:sramecc+", "c", b"with");
    cache.store("text", "gfx90a:sramecc-", "c", b"without");
    assert_eq!(cache.load("text", "gfx90a:sramecc+", Some("c")), Some(b"with".to_vec()));
    assert_eq!(cache.load("text", "gfx90a:sramecc-", None), Some(b"without".to_vec()));
}

#[test]
fn damage_is_found_wherever_it_is() {
    let folder = Folder::new();
    let cache = Entries::new(folder.0.clone());
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
    Entries::new(folder.0.clone()).store("text", "sm_90", "c", b"code");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.0), 0o700);
    assert_eq!(mode(&folder.0.join("sm_90")), 0o700);
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(Entries::new(folder.0.clone()).load("text", "sm_90", Some("c")), None);
}

/// A user that owns none of the folders of these tests, and a folder of that user: root can give one away, others
/// can only take the part of another user.
#[cfg(unix)]
fn of_another(folder: &Folder) -> Entries {
    // SAFETY: it takes nothing.
    let user = unsafe { libc::geteuid() };
    if user == 0 {
        std::os::unix::fs::chown(&folder.0, Some(65_534), None).expect("root may");
    }
    let user = if user == 0 { 0 } else { user + 1 };
    Entries { folder: folder.0.clone(), user, refused: AtomicBool::new(false) }
}

#[cfg(unix)]
#[test]
fn folders_of_other_users_are_not_used() {
    let folder = Folder::new();
    Entries::new(folder.0.clone()).store("text", "sm_90", "c", b"code");
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
    let cache = Entries::new(base.clone());
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
    let cache = Entries::new(link.clone());
    cache.store("text", "sm_90", "c", b"code");
    assert_eq!(cache.load("text", "sm_90", Some("c")), Some(b"code".to_vec()));
    fs::set_permissions(folder.0.join("open"), fs::Permissions::from_mode(0o777)).expect("ours");
    assert_eq!(cache.load("text", "sm_90", Some("c")), None);
    let circle = folder.0.join("circle");
    symlink("circle", &circle).expect("a link");
    Entries::new(circle).store("text", "sm_90", "c", b"code");
    let relative = Entries::new("target".into());
    assert_eq!(relative.load("text", "sm_90", Some("c")), None);
}

#[test]
fn an_entry_under_another_name_is_not_taken() {
    let folder = Folder::new();
    let cache = Entries::new(folder.0.clone());
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
    let cache = Entries::new(folder.0.clone());
    cache.store("first", "sm_90", "c", b"code");
    let [first] = &folder.files()[..] else { panic!("one file") };
    let beside = first.parent().expect("a folder");
    // What another process of this number would call its next drafts if it went by numbers.
    let drafts: Vec<PathBuf> =
        (0..1000).map(|count| beside.join(format!(".{}-{count}", std::process::id()))).collect();
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
    let cache = Entries::new(folder.0.join("below"));
    cache.store("text", "sm_90", "c", b"code");
    assert_eq!(cache.load("text", "sm_90", Some("c")), None);
    fs::remove_file(&folder.0).unwrap();
    assert_eq!(Cache::default().load("text", "sm_90", None), None);
}

fn with_shipped(own: &Path, shipped: &Path) -> Cache {
    let (cache, shipped) = (Some(own.to_path_buf()), Some(shipped.to_path_buf()));
    Cache::of(&Settings { cache, shipped, ..Settings::default() })
}

#[test]
fn shipped_code_serves_after_the_users_own_and_is_never_written() {
    let folder = Folder::new();
    let (own, shipped) = (folder.0.join("own"), folder.0.join("shipped"));
    Entries::new(shipped.clone()).store("text", "sm_90", "theirs", b"shipped");
    let before = folder.files();
    let cache = with_shipped(&own, &shipped);
    assert_eq!(cache.load("text", "sm_90", Some("ours")), Some(b"shipped".to_vec()));
    assert_eq!(cache.load("text", "sm_90", None), Some(b"shipped".to_vec()));
    assert_eq!(cache.load("text", "sm_80", Some("theirs")), None);
    assert_eq!(cache.load("other", "sm_90", Some("theirs")), None);
    assert_eq!(folder.files(), before, "loading writes nothing");
    cache.store("text", "sm_90", "ours", b"own");
    assert_eq!(cache.load("text", "sm_90", Some("ours")), Some(b"own".to_vec()));
    assert_eq!(Entries::new(shipped).load("text", "sm_90", Some("ours")), None);
}

#[test]
fn the_compiler_at_hand_counts_first_among_shipped_code() {
    let folder = Folder::new();
    let (own, shipped) = (folder.0.join("own"), folder.0.join("shipped"));
    let names: Vec<String> = (0..8).map(|number| format!("compiler {number}")).collect();
    for name in &names {
        Entries::new(shipped.clone()).store("text", "sm_90", name, name.as_bytes());
    }
    let cache = with_shipped(&own, &shipped);
    for name in &names {
        assert_eq!(cache.load("text", "sm_90", Some(name)), Some(name.as_bytes().to_vec()));
    }
}

#[test]
fn damaged_shipped_code_is_passed_over() {
    let folder = Folder::new();
    let (own, shipped) = (folder.0.join("own"), folder.0.join("shipped"));
    Entries::new(shipped.clone()).store("text", "sm_90", "c", b"machine code");
    let [path] = &folder.files()[..] else { panic!("one file") };
    let mut damaged = fs::read(path).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(path, &damaged).unwrap();
    let cache = with_shipped(&own, &shipped);
    assert_eq!(cache.load("text", "sm_90", Some("c")), None);
    cache.store("text", "sm_90", "c", b"made anew");
    assert_eq!(cache.load("text", "sm_90", Some("c")), Some(b"made anew".to_vec()));
    assert_eq!(fs::read(path).unwrap(), damaged);
}

#[cfg(unix)]
#[test]
fn shipped_code_that_others_may_write_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let (own, shipped) = (folder.0.join("own"), folder.0.join("shipped"));
    Entries::new(shipped.clone()).store("text", "sm_90", "c", b"code");
    let set = |mode| fs::set_permissions(&shipped, fs::Permissions::from_mode(mode)).unwrap();
    let load = || with_shipped(&own, &shipped).load("text", "sm_90", Some("c"));
    assert_eq!(load(), Some(b"code".to_vec()));
    set(0o777);
    assert_eq!(load(), None);
    set(0o555);
    assert_eq!(load(), Some(b"code".to_vec()), "a folder that is read only");
    set(0o755);
}
