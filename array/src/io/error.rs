//! What can be wrong with an array file, and how its text is quoted.

pub use ndany_core::IoError;

/// Untrusted text as an error shows it: escaped and cut.
pub(super) fn quoted(text: &[u8]) -> String {
    const SHOWN: usize = 80;
    let cut = &text[..text.len().min(SHOWN)];
    let dots = if text.len() > SHOWN { "..." } else { "" };
    let mut shown = String::new();
    for c in String::from_utf8_lossy(cut).chars() {
        match c {
            // Quotes belong to the text of a header and do no harm.
            '\'' | '"' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    shown + dots
}
