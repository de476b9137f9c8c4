//! The place in a program that asked for an operation.
//!
//! Functions of Rust know their caller. A binding to another language calls them from one place of its own, so it says which
//! line of its user's program runs ([`CallSite::enter`]), and errors name that line.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The place of a call that asked for an operation: of Rust's source, or of a program that a binding runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CallSite(Place);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Rust(&'static Location<'static>),
    Program(&'static Line),
}

/// A line of a program.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Line {
    file: String,
    line: u32,
}

thread_local! {
    /// The line that a binding runs on this thread.
    static CURRENT: Cell<Option<&'static Line>> = const { Cell::new(None) };
}

/// Every line that was named, by file. Nodes and errors keep a reference each, so a line lives as long as the process.
static LINES: LazyLock<Mutex<HashMap<String, Vec<&'static Line>>>> = LazyLock::new(Mutex::default);

impl CallSite {
    /// Returns a line of a program that a binding runs.
    ///
    /// Each line is kept until the process ends, once.
    ///
    /// ```
    /// let site = ndany::exchange::CallSite::of_program("model.py", 7);
    /// assert_eq!(site.to_string(), "model.py:7");
    /// assert_eq!(site, ndany::exchange::CallSite::of_program("model.py", 7));
    /// ```
    pub fn of_program(file: &str, line: u32) -> CallSite {
        let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        if !lines.contains_key(file) {
            lines.insert(file.to_string(), Vec::new());
        }
        let Some(own) = lines.get_mut(file) else { unreachable!("inserted above") };
        let place = own.binary_search_by_key(&line, |known| known.line);
        let known = place.unwrap_or_else(|place| {
            own.insert(place, Box::leak(Box::new(Line { file: file.to_string(), line })));
            place
        });
        CallSite(Place::Program(own[known]))
    }

    /// Makes this the place of the operations that this thread asks for while the guard lives.
    ///
    /// ```
    /// use ndany::exchange::CallSite;
    /// use ndany::prelude::*;
    /// let site = CallSite::of_program("model.py", 7).enter();
    /// let taken = array([1, 2]).take(array([5i64]), ..);
    /// drop(site);
    /// assert!(taken.to_vec::<i32>().unwrap_err().to_string().contains("asked for at model.py:7"));
    /// ```
    #[must_use = "operations have this place while the guard lives"]
    pub fn enter(self) -> CallSiteGuard {
        let line = match self.0 {
            Place::Program(line) => Some(line),
            // Functions of Rust find their caller themselves.
            Place::Rust(_) => None,
        };
        CallSiteGuard { before: CURRENT.replace(line), only_here: PhantomData }
    }

    /// Returns the line that a binding runs on this thread, else the function's caller in Rust.
    ///
    /// ```
    /// assert!(ndany::exchange::CallSite::caller().to_string().contains(".rs:"));
    /// ```
    #[track_caller]
    #[inline]
    pub fn caller() -> CallSite {
        match CURRENT.get() {
            Some(line) => CallSite(Place::Program(line)),
            None => CallSite(Place::Rust(Location::caller())),
        }
    }

    /// Returns whether it is a line of a program that a binding runs.
    ///
    /// ```
    /// assert!(!ndany::exchange::CallSite::caller().is_of_program());
    /// ```
    pub fn is_of_program(self) -> bool {
        matches!(self.0, Place::Program(_))
    }
}

impl fmt::Display for CallSite {
    /// `file:line` of a program, `file:line:column` of Rust.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Place::Rust(location) => location.fmt(f),
            Place::Program(Line { file, line }) => write!(f, "{file}:{line}"),
        }
    }
}

impl fmt::Debug for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallSite({self})")
    }
}

/// Ends the place of [`CallSite::enter`] when it is dropped.
#[derive(Debug)]
pub struct CallSiteGuard {
    before: Option<&'static Line>,
    /// The place belongs to its thread.
    only_here: PhantomData<*const ()>,
}

impl Drop for CallSiteGuard {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_nested_and_belong_to_a_thread() {
        let rust = CallSite::caller();
        assert!(rust.to_string().contains("call_site.rs:") && !rust.is_of_program());
        let outer = CallSite::of_program("a.py", 3).enter();
        let inner = CallSite::of_program("b.py", 1).enter();
        assert_eq!(CallSite::caller().to_string(), "b.py:1");
        let elsewhere = std::thread::spawn(|| CallSite::caller().is_of_program());
        assert!(!elsewhere.join().expect("a thread"));
        drop(inner);
        assert_eq!(CallSite::caller(), CallSite::of_program("a.py", 3));
        drop(rust.enter());
        drop(outer);
        assert!(!CallSite::caller().is_of_program());
    }

    #[test]
    fn a_line_is_kept_once() {
        let lines = [7, 3, 7, 5].map(|line| CallSite::of_program("kept.py", line));
        assert_eq!(lines[0], lines[2]);
        assert_ne!(lines[0], lines[1]);
        let all = LINES.lock().expect("not poisoned");
        assert_eq!(all["kept.py"].iter().map(|line| line.line).collect::<Vec<_>>(), [3, 5, 7]);
    }
}
