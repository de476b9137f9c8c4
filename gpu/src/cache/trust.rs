//! Whether another user can have put a file where it is.

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
