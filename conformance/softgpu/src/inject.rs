//! Faults on demand, and how often each function was called.
//!
//! `NDANY_SOFTGPU_FAIL=cuMemAlloc_v2:3:2,cuLaunchKernel:1:719` makes the third allocation end with 2 and the first
//! launch with 719, without doing anything. `ndany_softgpu_fail` asks for the same from code, counted from then on.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

#[derive(Debug, Default)]
struct Book {
    calls: HashMap<String, u64>,
    /// At which call of a function, and what it returns.
    faults: HashMap<String, Vec<(u64, u32)>>,
}

static BOOK: LazyLock<Mutex<Book>> = LazyLock::new(|| {
    let mut book = Book::default();
    for wish in std::env::var("NDANY_SOFTGPU_FAIL").unwrap_or_default().split(',') {
        match parse(wish) {
            Some((name, nth, code)) => book.faults.entry(name).or_default().push((nth, code)),
            None if wish.is_empty() => {}
            None => {
                eprintln!("softgpu: NDANY_SOFTGPU_FAIL: expected FUNCTION:NTH:CODE, got {wish}")
            }
        }
    }
    Mutex::new(book)
});

fn parse(wish: &str) -> Option<(String, u64, u32)> {
    let mut parts = wish.trim().split(':');
    let (name, nth, code) = (parts.next()?, parts.next()?, parts.next()?);
    (parts.next().is_none() && !name.is_empty()).then_some((
        name.to_owned(),
        nth.parse().ok()?,
        code.parse().ok()?,
    ))
}

/// Counts a call; the code that it shall end with, if any.
pub fn take(name: &str) -> Option<u32> {
    let mut book = BOOK.lock().unwrap_or_else(PoisonError::into_inner);
    if !book.calls.contains_key(name) {
        book.calls.insert(name.to_owned(), 0);
    }
    let count = book.calls.get_mut(name)?;
    *count += 1;
    let count = *count;
    let faults = book.faults.get_mut(name)?;
    let at = faults.iter().position(|&(nth, _)| nth == count)?;
    Some(faults.swap_remove(at).1)
}

/// Makes the `nth` call from now on (1 is the next) end with a code.
pub fn fail(name: &str, nth: u64, code: u32) {
    let mut book = BOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let calls = book.calls.get(name).copied().unwrap_or(0);
    book.faults.entry(name.to_owned()).or_default().push((calls + nth, code));
}

/// How often a function was called.
pub fn calls(name: &str) -> u64 {
    BOOK.lock().unwrap_or_else(PoisonError::into_inner).calls.get(name).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_call_from_now_fails_once() {
        assert_eq!(take("a"), None);
        fail("a", 2, 700);
        assert_eq!([take("a"), take("a"), take("a")], [None, Some(700), None]);
        assert_eq!(calls("a"), 4);
        assert_eq!(calls("never"), 0);
    }

    #[test]
    fn wishes_are_three_parts() {
        assert_eq!(parse("cuMemAlloc_v2:3:2"), Some(("cuMemAlloc_v2".to_owned(), 3, 2)));
        assert_eq!(parse("cuMemAlloc_v2:3"), None);
        assert_eq!(parse("cuMemAlloc_v2:3:2:1"), None);
        assert_eq!(parse(":3:2"), None);
    }
}
