//! Faults on demand, and what was called.
//!
//! `NDANY_SOFTGPU_FAIL=cuMemAlloc_v2:3:2,*:17:719` makes the third allocation end with 2, and the 17th call of all with
//! 719, without doing anything. `lost` in the place of a code loses the devices: from that call on, each one that needs a
//! device ends with 719, until the device is reset. `ndany_softgpu_fail` asks for the same from code, counted from then on.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// All functions together.
pub const ANY: &str = "*";

/// Names of calls that are kept, the first ones.
const KEPT: usize = 1 << 20;

/// What a call shall come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// It ends with this code and does nothing.
    Code(u32),
    /// The devices are lost before it begins.
    Lost,
}

#[derive(Debug, Default)]
struct Registry {
    calls: HashMap<String, u64>,
    /// At which call of a function, and what it comes to.
    faults: HashMap<String, Vec<(u64, Wish)>>,
    names: Vec<&'static str>,
    total: u64,
    /// Calls that were wrong by themselves.
    misuses: u64,
}

thread_local! {
    /// The number of this thread's call, counted from 1.
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(|| {
    let mut registry = Registry::default();
    for wish in std::env::var("NDANY_SOFTGPU_FAIL").unwrap_or_default().split(',') {
        match parse(wish) {
            Some((name, nth, wish)) => registry.faults.entry(name).or_default().push((nth, wish)),
            None if wish.is_empty() => {}
            None => eprintln!(
                "softgpu: NDANY_SOFTGPU_FAIL: expected FUNCTION:NTH:CODE or FUNCTION:NTH:lost, got {wish}"
            ),
        }
    }
    Mutex::new(registry)
});

fn parse(wish: &str) -> Option<(String, u64, Wish)> {
    let mut parts = wish.trim().split(':');
    let (name, nth, what) = (parts.next()?, parts.next()?, parts.next()?);
    let wish = match what {
        "lost" => Wish::Lost,
        code => Wish::Code(code.parse().ok()?),
    };
    let whole = parts.next().is_none() && !name.is_empty();
    whole.then_some((name.to_owned(), nth.parse().ok()?, wish))
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    fn wish(&mut self, name: &str, nth: u64) -> Option<Wish> {
        let faults = self.faults.get_mut(name)?;
        let at = faults.iter().position(|&(wanted, _)| wanted == nth)?;
        Some(faults.swap_remove(at).1)
    }

    fn count(&self, name: &str) -> u64 {
        match name {
            ANY => self.total,
            name => self.calls.get(name).copied().unwrap_or(0),
        }
    }
}

/// Counts a call; its number among all, and what it shall come to, if anything.
pub fn take(name: &'static str) -> (u64, Option<Wish>) {
    let mut registry = registry();
    if !registry.calls.contains_key(name) {
        registry.calls.insert(name.to_owned(), 0);
    }
    let own = registry.calls.get_mut(name).map_or(0, |count| {
        *count += 1;
        *count
    });
    registry.total += 1;
    if registry.names.len() < KEPT {
        registry.names.push(name);
    }
    let total = registry.total;
    NUMBER.set(total);
    (total, registry.wish(name, own).or_else(|| registry.wish(ANY, total)))
}

/// The number of this thread's last call.
pub fn number() -> u64 {
    NUMBER.get()
}

/// Which function the call of a number was of, if it is among the first million.
pub fn name(number: u64) -> Option<&'static str> {
    registry().names.get(usize::try_from(number.checked_sub(1)?).ok()?).copied()
}

/// Makes the `nth` call from now on (1 is the next) of a function, or of [`ANY`], come to this.
pub fn fail(name: &str, nth: u64, wish: Wish) {
    let mut registry = registry();
    let nth = registry.count(name) + nth;
    registry.faults.entry(name.to_owned()).or_default().push((nth, wish));
}

/// Takes back what was asked for and has not happened; how much that was.
pub fn forgive() -> u64 {
    registry().faults.drain().map(|(_, faults)| faults.len() as u64).sum()
}

/// How often a function, or [`ANY`], was called.
pub fn calls(name: &str) -> u64 {
    registry().count(name)
}

/// Notes a call that was wrong by itself.
pub fn misuse() {
    registry().misuses += 1;
}

/// How many there were.
pub fn misuses() -> u64 {
    registry().misuses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_call_from_now_fails_once() {
        let wish = |name| take(name).1;
        assert_eq!(wish("a"), None);
        fail("a", 2, Wish::Code(700));
        assert_eq!([wish("a"), wish("a"), wish("a")], [None, Some(Wish::Code(700)), None]);
        assert_eq!((calls("a"), calls("never")), (4, 0));
        // Counted over all functions; no other test of this binary calls any.
        fail(ANY, 2, Wish::Lost);
        fail(ANY, 100, Wish::Lost);
        let before = calls(ANY);
        assert_eq!([wish("b"), wish("a"), wish("b")], [None, Some(Wish::Lost), None]);
        assert_eq!((number(), calls(ANY), name(number())), (before + 3, before + 3, Some("b")));
        assert_eq!((forgive(), forgive()), (1, 0));
    }

    #[test]
    fn wishes_are_three_parts() {
        let allocation = |wish| Some(("cuMemAlloc_v2".to_owned(), 3, wish));
        assert_eq!(parse("cuMemAlloc_v2:3:2"), allocation(Wish::Code(2)));
        assert_eq!(parse("cuMemAlloc_v2:3:lost"), allocation(Wish::Lost));
        assert_eq!(parse("*:17:719"), Some(("*".to_owned(), 17, Wish::Code(719))));
        assert_eq!(parse("cuMemAlloc_v2:3"), None);
        assert_eq!(parse("cuMemAlloc_v2:3:2:1"), None);
        assert_eq!(parse(":3:2"), None);
    }
}
