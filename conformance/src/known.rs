//! Known failures as data: what fails, why, and where it is being dealt with.
//!
//! A case that is listed and passes fails the run, so the list stays true.

use std::path::Path;

use serde::Deserialize;

/// One entry.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Id of a case, or a pattern in which `*` stands for any text.
    pub case: String,
    /// Pattern of the devices it concerns; all of them when absent.
    #[serde(default = "any")]
    pub device: String,
    /// Why it fails.
    pub reason: String,
    /// Where it is being dealt with.
    pub issue: String,
}

fn any() -> String {
    "*".to_owned()
}

/// Why the list cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KnownError {
    /// It cannot be read.
    #[error("cannot read known failures {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is not a list of entries.
    #[error("known failures {path}: {source}")]
    Json {
        /// The file.
        path: String,
        /// Where it goes wrong.
        source: serde_json::Error,
    },
    /// An entry that explains nothing.
    #[error("known failures {path}: {case:?} has no reason or no issue")]
    Unexplained {
        /// The file.
        path: String,
        /// The entry.
        case: String,
    },
}

/// Reads the list.
pub fn load(path: &Path) -> Result<Vec<Known>, KnownError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|source| KnownError::Read { path: name.clone(), source })?;
    let list: Vec<Known> = serde_json::from_str(&text)
        .map_err(|source| KnownError::Json { path: name.clone(), source })?;
    match list.iter().find(|known| known.reason.is_empty() || known.issue.is_empty()) {
        Some(known) => Err(KnownError::Unexplained { path: name, case: known.case.clone() }),
        None => Ok(list),
    }
}

/// The entry that concerns this case on this device.
pub fn find<'a>(list: &'a [Known], id: &str, device: &str) -> Option<&'a Known> {
    list.iter().find(|known| matches(&known.case, id) && matches(&known.device, device))
}

/// Whether any entry is for this case, on any device.
pub fn concerns(list: &[Known], id: &str) -> bool {
    list.iter().any(|known| matches(&known.case, id))
}

/// Whether a pattern with `*` matches a text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        assert!(matches("a/b", "a/b"));
        assert!(!matches("a/b", "a/bc"));
        assert!(matches("a/*", "a/bc"));
        assert!(matches("*float16*", "x/float16/strided"));
        assert!(matches("a*b*c", "a-b-b-c"));
        assert!(!matches("a*b*c", "a-c-b"));
        assert!(!matches("ab*ba", "aba"));
    }
}
