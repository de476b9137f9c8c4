//! What is there of the names that CuPy's reference has, and how each is computed: the table of support, as data.
//!
//! `names.txt` beside this file lists the names by page. How a function is computed, and when a call waits for the device,
//! is part of its declaration.

use super::{ALIASES, Callable, names, resolve};
use crate::elementwise::{METHODS, UNARY_METHODS};

static NAMES: &str = include_str!("names.txt");

/// A name of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The page.
    pub page: &'static str,
    /// The name, as the page has it.
    pub name: &'static str,
    /// What there is of it.
    pub state: State,
}

/// What there is of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// [`call`](super::call()) knows it, under this name.
    Callable(&'static str),
    /// Rust has it, there and by these words.
    Rust(&'static str, &'static str),
    /// It is not there, for this reason.
    Absent(&'static str),
    /// The list says that it is there, and it is not: a mistake of the list, which a test finds.
    Unknown,
}

/// How a function is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// By kernels of its own: rows, reductions, scans, sorts, gathers, draws.
    Native,
    /// By a library: cuBLAS or rocBLAS, faer on the CPU; own kernels of the same function where it is missing.
    Library,
    /// By factorizations, a library's or the project's own kernels.
    Factored,
    /// By transforms of Fourier's, which are a library's, where there is one.
    Transformed,
    /// Of functions that are native or a library's.
    Composed,
    /// Another look at the same memory, or nothing but what is known of an array without its values.
    View,
    /// On the host, which it is about: texts and files.
    Host,
}

/// Names under which a page's functions can be called.
fn prefixes(page: &str) -> &'static [&'static str] {
    match page {
        "linalg" => &["np.linalg.", "np."],
        "fft" => &["np.fft."],
        "random" => &["np.random."],
        "ext" => &["cupyx."],
        _ => &["np."],
    }
}

/// Returns every name of CuPy's pages, in their order, with how ndany supports it.
///
/// ```
/// use ndany::prelude::*;
/// assert!(ndany::call::support::entries().iter().any(|entry| entry.name == "exp"));
/// ```
pub fn entries() -> Vec<Entry> {
    let callable: std::collections::HashSet<&'static str> = names().collect();
    let find = |name: &str| callable.get(name).copied();
    let mut page = "";
    let mut all = Vec::new();
    for line in NAMES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(title) = line.strip_prefix('[') {
            page = title.trim_end_matches(']');
            continue;
        }
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let usual = || {
            let mut names = prefixes(page).iter().map(|prefix| find(&format!("{prefix}{name}")));
            names.find_map(|found| found)
        };
        let state = match (rest.split_once(' '), rest) {
            (Some(("=", what)), _) => {
                let (path, words) = what.split_once(" | ").unwrap_or((what, ""));
                State::Rust(path, words)
            }
            (Some(("-", reason)), _) => State::Absent(reason),
            (Some(("?", reason)), _) => usual().map_or(State::Absent(reason), State::Callable),
            (_, "") => usual().map_or(State::Unknown, State::Callable),
            (_, other) => find(other).map_or(State::Unknown, State::Callable),
        };
        all.push(Entry { page, name, state });
    }
    all
}

/// Returns the functions that can be called and that no page has, methods of ufuncs aside.
///
/// ```
/// use ndany::prelude::*;
/// assert!(!ndany::call::support::others().is_empty());
/// ```
pub fn others() -> Vec<&'static str> {
    let paged: std::collections::HashSet<&'static str> = entries()
        .iter()
        .filter_map(|entry| match entry.state {
            State::Callable(name) => Some(name),
            State::Rust(..) | State::Absent(_) | State::Unknown => None,
        })
        .collect();
    let method = |name: &str| METHODS.iter().chain(UNARY_METHODS).any(|method| method.name == name);
    names().filter(|name| !paged.contains(name) && !method(name)).collect()
}

/// Returns the first of a function's several names, under which it stands in tables and golden cases.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(ndany::call::support::first_name("np.abs"), "np.absolute");
/// ```
pub fn first_name(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, known)| known)
}

/// How a function is computed, and when a call of it waits for the device: stated where the function is declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    means: Means,
    /// In which case a call waits.
    waits: Option<&'static str>,
    /// Whether NumPy's result is a view of an argument where one is possible.
    views: bool,
}

pub(super) const NATIVE: Facts = Facts::new(Means::Native);
pub(super) const LIBRARY: Facts = Facts::new(Means::Library);
pub(super) const FACTORED: Facts = Facts::new(Means::Factored);
pub(super) const TRANSFORMED: Facts = Facts::new(Means::Transformed);
pub(super) const COMPOSED: Facts = Facts::new(Means::Composed);
pub(super) const VIEW: Facts = Facts::new(Means::View);
pub(super) const HOST: Facts = Facts::new(Means::Host);

impl Facts {
    const fn new(means: Means) -> Facts {
        Facts { means, waits: None, views: matches!(means, Means::View) }
    }

    /// The same of a function whose result is a view of an argument where NumPy's is.
    pub(super) const fn views(self) -> Facts {
        Facts { views: true, ..self }
    }

    pub(super) fn gives_views(self) -> bool {
        self.views
    }

    pub(super) fn means(self) -> Means {
        self.means
    }

    pub(super) fn when_it_waits(self) -> Option<&'static str> {
        self.waits
    }

    /// The same of a function that waits in this case.
    pub(super) const fn waits(self, case: &'static str) -> Facts {
        Facts { waits: Some(case), ..self }
    }
}

/// Returns how a function that can be called is computed.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(ndany::call::support::means("np.exp"), ndany::call::support::Means::Native);
/// ```
pub fn means(name: &str) -> Means {
    resolve(name).map_or(Means::Native, Callable::means)
}

/// Says when a call waits for the device; `None` if it never does.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(ndany::call::support::synchronizes("np.exp"), None);
/// ```
pub fn synchronizes(name: &str) -> Option<&'static str> {
    resolve(name).ok().and_then(Callable::waits)
}
