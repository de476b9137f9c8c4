//! Finding and opening a vendor's libraries when the program runs: where they may lie, what was tried, what was found.
//!
//! A library is looked for in the folders of an explicit variable, in the vendor's home, on the loader's own path, in
//! the usual prefixes, and in the wheels that Python environments carry. Absence is a value that says what was tried
//! and how to mend it. A file that opens but lacks a function is passed over like one that does not open, so a broken
//! copy earlier in the search path does not hide a complete one that comes later.
//!
//! Nothing is loaded from the working directory, where any user may put a file of the right name. Elements of variables
//! that are empty or relative are dropped, and a bare name is not given to the loader where its own variable
//! (`LD_LIBRARY_PATH`) has such an element that holds the file.
//!
//! Deliberately absent: closing a library again (what was opened stays until the process ends), and running Python.

use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use libloading::Library;

/// Where a vendor's libraries may lie.
#[derive(Clone, Copy, Debug)]
pub struct SearchPaths {
    /// An environment variable that lists folders; it goes first.
    pub variable: &'static str,
    /// Environment variables that name a home, whose `lib64` and `lib` (`bin` on Windows) are looked into.
    pub homes: &'static [&'static str],
    /// Folders; a `*` stands for any part of a name.
    pub prefixes: &'static [&'static str],
    /// Folders of wheels below `site-packages`, likewise.
    pub wheels: &'static [&'static str],
}

/// A library to look for.
#[derive(Clone, Debug)]
pub struct LibrarySpec {
    /// What people call it: `NVRTC`.
    pub name: &'static str,
    /// Names of its file, the best first.
    pub files: Vec<&'static str>,
    /// Starts of the names of files beside it that it opens by itself, which its own search may miss.
    pub beside: &'static [&'static str],
    /// Where.
    pub places: &'static SearchPaths,
    /// How to get it.
    pub hint: &'static str,
}

/// Names of a library's files on this system, of those that it has on Unix and on Windows.
pub fn files(unix: &[&'static str], windows: &[&'static str]) -> Vec<&'static str> {
    if cfg!(windows) { windows.to_vec() } else { unix.to_vec() }
}

/// Where libraries lie below a vendor's home.
const BELOW_HOME: &[&str] =
    if cfg!(windows) { &["bin/x64", "bin", "lib"] } else { &["lib64", "lib"] };

/// Where packages lie below the home of a Python environment.
const SITE_PACKAGES: &[&str] = if cfg!(windows) {
    &["Lib/site-packages"]
} else {
    &["lib/python3*/site-packages", "lib/python3*/dist-packages"]
};

/// A library that is open, as a table of its functions.
#[derive(Debug)]
pub struct Found<S> {
    /// Its functions.
    pub symbols: S,
    /// The file, where the loader says so.
    pub path: Option<PathBuf>,
}

/// A library that is not there, or not whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is not usable: tried {}; {hint}", tried.join("; "))]
pub struct Absent {
    /// Product name.
    pub name: &'static str,
    /// Where it was looked for and what came of it.
    pub tried: Vec<String>,
    /// What the user can do about it.
    pub hint: String,
}

/// A library that opens but lacks a function that must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it has no {function}")]
pub struct Incomplete {
    /// The first one that is missing.
    pub function: &'static str,
}

/// A table of functions; [`symbols!`](crate::symbols) makes one.
pub trait Symbols: Sized {
    /// Takes the functions from a library.
    ///
    /// # Errors
    /// One that must be there is missing.
    fn load(library: &Library) -> Result<Self, Incomplete>;

    /// An address inside the library, if the table has any.
    fn anchor(&self) -> Option<*const c_void>;
}

/// No functions: of a library that no vendor has any alone of.
impl Symbols for () {
    fn load(_: &Library) -> Result<Self, Incomplete> {
        Ok(())
    }

    fn anchor(&self) -> Option<*const c_void> {
        None
    }
}

/// A function of a library by its name, which ends with a zero.
///
/// # Safety
/// `T` is a function pointer of the signature that the library's documentation gives the function.
pub unsafe fn symbol<T: Copy>(library: &Library, name: &'static str) -> Option<T> {
    // SAFETY: the caller's.
    unsafe { library.get::<T>(name.as_bytes()) }.ok().map(|symbol| *symbol)
}

/// Declares a table of a library's functions: those that must be there, then those that may be missing.
///
/// After `checked by` stands a module with bindings of someone else's making, in whose signatures (in test builds only)
/// each function must have as many arguments, each of the same size. If there are no such bindings, `signatures` gives
/// tests of the vendor's headers the sizes.
#[macro_export]
macro_rules! symbols {
    ($(#[$meta:meta])* $vis:vis struct $table:ident {
        $(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $result:ty;)*
        $(optional fn $maybe:ident($($margs:ident: $mty:ty),* $(,)?) -> $mresult:ty;)*
    }) => {
        $(#[$meta])*
        #[allow(non_snake_case)]
        $vis struct $table {
            $($vis $name: unsafe extern "C" fn($($ty),*) -> $result,)*
            $($vis $maybe: Option<unsafe extern "C" fn($($mty),*) -> $mresult>,)*
        }

        impl $crate::library::Symbols for $table {
            fn load(
                library: &$crate::library::Library,
            ) -> Result<Self, $crate::library::Incomplete> {
                // SAFETY: these are the vendor's signatures, and a test compares them with other bindings.
                unsafe {
                    Ok(Self {
                        $($name: $crate::library::symbol(library, concat!(stringify!($name), "\0"))
                            .ok_or($crate::library::Incomplete { function: stringify!($name) })?,)*
                        $($maybe: $crate::library::symbol(library, concat!(stringify!($maybe), "\0")),)*
                    })
                }
            }

            fn anchor(&self) -> Option<*const std::ffi::c_void> {
                let needed: &[*const std::ffi::c_void] = &[$(self.$name as *const std::ffi::c_void),*];
                needed.first().copied()
            }
        }

        impl std::fmt::Debug for $table {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($table)).finish_non_exhaustive()
            }
        }

        #[cfg(test)]
        #[allow(dead_code, reason = "for tables that no bindings check")]
        impl $table {
            /// The functions, whether each must be there, and the bytes of its result and its arguments.
            pub(crate) fn signatures() -> Vec<(&'static str, bool, Vec<usize>)> {
                vec![
                    $((stringify!($name), true, vec![size_of::<$result>(), $(size_of::<$ty>()),*]),)*
                    $((stringify!($maybe), false, vec![size_of::<$mresult>(), $(size_of::<$mty>()),*]),)*
                ]
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis struct $table:ident checked by $bindings:ident {
        $(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $result:ty;)*
        $(optional fn $maybe:ident($($margs:ident: $mty:ty),* $(,)?) -> $mresult:ty;)*
    }) => {
        $crate::symbols! {
            $(#[$meta])* $vis struct $table {
                $(fn $name($($arg: $ty),*) -> $result;)*
                $(optional fn $maybe($($margs: $mty),*) -> $mresult;)*
            }
        }

        #[cfg(test)]
        impl $table {
            /// Number of functions, all of which the other bindings give the same arguments.
            fn signatures_agree() -> usize {
                // Bits of one type as the other. It compiles only for types of one size, and that is the test:
                // nothing here ever runs.
                fn same<A, B>(value: A) -> B {
                    const { assert!(size_of::<A>() == size_of::<B>(), "a signature differs") };
                    // SAFETY: never called.
                    unsafe { std::mem::transmute_copy(&value) }
                }
                let mut count = 0;
                $({
                    let check: fn($($ty),*) -> $result = |$($arg),*| {
                        // SAFETY: never called.
                        unsafe { same($bindings::$name($(same($arg)),*)) }
                    };
                    count += usize::from(!std::hint::black_box(check as *const ()).is_null());
                })*
                $({
                    let check: fn($($mty),*) -> $mresult = |$($margs),*| {
                        // SAFETY: never called.
                        unsafe { same($bindings::$maybe($(same($margs)),*)) }
                    };
                    count += usize::from(!std::hint::black_box(check as *const ()).is_null());
                })*
                count
            }
        }
    };
}

/// A library that is looked for once in a process, when it is first asked for.
#[derive(Debug)]
pub struct LazyLibrary<S> {
    spec: fn() -> LibrarySpec,
    found: OnceLock<Result<Found<S>, Absent>>,
}

impl<S: Symbols> LazyLibrary<S> {
    /// Not looked for yet; what is wanted may depend on what other searches came to.
    pub const fn new(spec: fn() -> LibrarySpec) -> Self {
        Self { spec, found: OnceLock::new() }
    }

    /// What the search came to.
    pub fn get(&self) -> Result<&Found<S>, &Absent> {
        self.found.get_or_init(|| (self.spec)().find()).as_ref()
    }
}

impl LibrarySpec {
    /// Opens the first file that is whole.
    pub fn find<S: Symbols>(&self) -> Result<Found<S>, Absent> {
        let mut search = Search { spec: self, tried: Vec::new() };
        let places = self.places;
        let listed = Folders::listed(places.variable);
        if let Some(found) = search.folders(&listed.source, &listed.absolute) {
            return Ok(found);
        }
        for &home in places.homes {
            let home = Folders::home(home, BELOW_HOME);
            if let Some(found) = search.folders(&home.source, &home.absolute) {
                return Ok(found);
            }
        }
        if let Some(found) = search.loader() {
            return Ok(found);
        }
        let prefixes: Vec<PathBuf> =
            places.prefixes.iter().flat_map(|prefix| expand(Path::new(prefix))).collect();
        let usual = format!("{} (nothing there)", places.prefixes.join(", "));
        if let Some(found) = search.folders(&usual, &prefixes) {
            return Ok(found);
        }
        if !places.wheels.is_empty() {
            let packages = site_packages();
            let wheels: Vec<PathBuf> = packages
                .iter()
                .flat_map(|packages| places.wheels.iter().map(|wheel| packages.join(wheel)))
                .flat_map(|pattern| expand(&pattern))
                .collect();
            let usual = format!("Python's packages ({})", places.wheels.join(", "));
            if let Some(found) = search.folders(&usual, &wheels) {
                return Ok(found);
            }
        }
        let hint = format!("{}, or list its folder in {}", self.hint, places.variable);
        Err(Absent { name: self.name, tried: search.tried, hint })
    }
}

/// A library that another one uses: of these files the first that lies in that one's folder, else the first that is
/// open already.
pub fn beside<S: Symbols>(folder: Option<&Path>, files: &[&str]) -> Option<Found<S>> {
    let there = folder.into_iter().flat_map(|folder| files.iter().map(|file| folder.join(file)));
    let there = there.filter(|path| path.is_absolute() && path.is_file());
    for path in there {
        if let Ok(symbols) = open(&path) {
            return Some(Found { symbols, path: Some(path) });
        }
    }
    #[cfg(unix)]
    for &file in files {
        use libloading::os::unix::{Library as Handle, RTLD_LAZY};
        // SAFETY: nothing is loaded, so no initializer runs.
        let open = unsafe { Handle::open(Some(file), RTLD_LAZY | libc::RTLD_NOLOAD) };
        let Ok(library) = open.map(Library::from) else { continue };
        if let Ok(symbols) = S::load(&library) {
            // Its functions are kept, so it is never closed.
            std::mem::forget(library);
            let path = symbols.anchor().and_then(file_of);
            return Some(Found { symbols, path });
        }
    }
    None
}

/// The folders that an environment variable names.
#[derive(Debug, Default, PartialEq, Eq)]
struct Folders {
    /// Absolute ones, in order.
    absolute: Vec<PathBuf>,
    /// Empty and relative ones, which mean something below the working directory.
    relative: Vec<PathBuf>,
    /// The variable and what it says, for people.
    source: String,
}

impl Folders {
    fn of(variable: &str, value: Option<Vec<PathBuf>>) -> Self {
        let (absolute, relative): (Vec<PathBuf>, Vec<PathBuf>) =
            value.iter().flatten().cloned().partition(|folder| folder.is_absolute());
        let source = match (&value, absolute.is_empty()) {
            (None, _) => format!("{variable} (not set)"),
            (Some(_), true) => format!("{variable} (no absolute path)"),
            (Some(_), false) => format!("{variable} ({})", names(&absolute)),
        };
        Self { absolute, relative, source }
    }

    /// Of a variable that lists folders.
    fn listed(variable: &str) -> Self {
        let value = std::env::var_os(variable);
        Self::of(variable, value.map(|value| std::env::split_paths(&value).collect()))
    }

    /// Of the loader's own variable, in which semicolons separate as colons do.
    fn of_loader() -> Self {
        let variable = "LD_LIBRARY_PATH";
        let parts = |path: PathBuf| match path.to_str() {
            Some(text) => text.split(';').map(PathBuf::from).collect(),
            None => vec![path],
        };
        let value = std::env::var_os(variable);
        Self::of(
            variable,
            value.map(|value| std::env::split_paths(&value).flat_map(parts).collect()),
        )
    }

    /// Folders of these names in the one folder that a variable names.
    fn home(variable: &str, below: &[&str]) -> Self {
        let value = std::env::var_os(variable).map(PathBuf::from);
        let folders = |home: PathBuf| below.iter().map(|name| home.join(name)).collect();
        Self::of(variable, value.map(folders))
    }
}

/// Would the loader find a file of this name by an element of its own variable that is empty or relative? The loader
/// takes an empty one for the working directory, and looks into some folders below each.
fn is_in_working_directory(loader: &Folders, file: &str) -> bool {
    let below = ["", "glibc-hwcaps/*", "tls", "tls/*", "x86_64", "haswell", "haswell/*"];
    loader.relative.iter().any(|folder| {
        let folder = Path::new(".").join(folder);
        below.iter().any(|below| !expand(&folder.join(below).join(file)).is_empty())
    })
}

/// A search under way.
struct Search<'a> {
    spec: &'a LibrarySpec,
    tried: Vec<String>,
}

impl Search<'_> {
    /// Looks into folders, for the best name in all of them first; `source` says what they are if it is in none.
    fn folders<S: Symbols>(&mut self, source: &str, folders: &[PathBuf]) -> Option<Found<S>> {
        let tried = self.tried.len();
        for file in &self.spec.files {
            for folder in folders {
                let path = folder.join(file);
                // Only absolute paths are given to the loader.
                if !path.is_absolute() || !path.is_file() {
                    continue;
                }
                self.open_beside(folder);
                match open(&path) {
                    Ok(symbols) => return Some(Found { symbols, path: Some(path) }),
                    Err(reason) => self.tried.push(format!("{}: {reason}", path.display())),
                }
            }
        }
        if self.tried.len() == tried {
            self.tried.push(source.to_string());
        }
        None
    }

    fn loader<S: Symbols>(&mut self) -> Option<Found<S>> {
        let own = Folders::of_loader();
        for file in &self.spec.files {
            if is_in_working_directory(&own, file) {
                let reason = "LD_LIBRARY_PATH has an empty or relative element that holds it";
                self.tried.push(format!("the loader's path ({file}: not opened, {reason})"));
                continue;
            }
            match open::<S>(Path::new(file)) {
                Ok(symbols) => {
                    let path = symbols.anchor().and_then(file_of);
                    return Some(Found { symbols, path });
                }
                Err(reason) if reason.contains(file) => {
                    self.tried.push(format!("the loader's path ({reason})"));
                }
                Err(reason) => self.tried.push(format!("the loader's path ({file}: {reason})")),
            }
        }
        // What the loader would have found in the other elements.
        if own.relative.is_empty() { None } else { self.folders(&own.source, &own.absolute) }
    }

    /// Opens what the library will ask the loader for by name, so that the loader has it.
    fn open_beside(&self, folder: &Path) {
        for start in self.spec.beside {
            for path in expand(&folder.join(format!("{start}*"))) {
                // SAFETY: as in `open`.
                if let Ok(library) = unsafe { Library::new(&path) } {
                    std::mem::forget(library);
                }
            }
        }
    }
}

fn names(folders: &[PathBuf]) -> String {
    let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    names.join(", ")
}

/// Opens a file and takes its functions.
fn open<S: Symbols>(path: &Path) -> Result<S, String> {
    // SAFETY: opening runs the initializers of a library of the vendor, which the user installed under its name.
    let library = unsafe { Library::new(path) }.map_err(|error| {
        // The loader's message follows "dlopen failed".
        std::error::Error::source(&error).map_or(error.to_string(), ToString::to_string)
    })?;
    let symbols = S::load(&library).map_err(|error| error.to_string())?;
    // Its functions are kept, so it is never closed.
    std::mem::forget(library);
    Ok(symbols)
}

/// A library opened once more, with variables of its own: from a copy of its file in memory, because the loader opens no file
/// twice. What the library opens by name has to be open by now. It is closed when this goes.
#[derive(Debug)]
pub(crate) struct CopiedLibrary<S> {
    /// Its functions, which are called by nobody else.
    pub(crate) symbols: S,
    _library: Library,
}

impl<S: Symbols> CopiedLibrary<S> {
    /// Opens a copy.
    #[cfg(target_os = "linux")]
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
        // SAFETY: a text that ends with a zero; the descriptor that it gives is nobody else's.
        let created = unsafe { libc::memfd_create(c"ndany".as_ptr(), libc::MFD_CLOEXEC) };
        if created < 0 {
            return Err(std::io::Error::last_os_error().to_string());
        }
        // SAFETY: as above.
        let mut copy = std::fs::File::from(unsafe { OwnedFd::from_raw_fd(created) });
        std::fs::File::open(path)
            .and_then(|mut file| std::io::copy(&mut file, &mut copy))
            .map_err(|error| error.to_string())?;
        // SAFETY: opening runs the initializers of a library of the vendor, which is open by its own name.
        let library = unsafe { Library::new(format!("/proc/self/fd/{}", copy.as_raw_fd())) };
        let library = library.map_err(|error| error.to_string())?;
        let symbols = S::load(&library).map_err(|error| error.to_string())?;
        Ok(Self { symbols, _library: library })
    }

    /// There is no memory that the loader opens.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn open(_: &Path) -> Result<Self, String> {
        Err("this system opens files only".to_string())
    }
}

/// The file that has this address.
fn file_of(address: *const c_void) -> Option<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        // SAFETY: all fields are pointers, for which zero is a value.
        let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
        // SAFETY: the function takes any address and writes the structure.
        if unsafe { libc::dladdr(address, &mut info) } == 0 || info.dli_fname.is_null() {
            return None;
        }
        // SAFETY: a name that the loader keeps as long as the library is open, which is forever.
        let name = unsafe { CStr::from_ptr(info.dli_fname) };
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes()));
        Some(std::fs::canonicalize(&path).unwrap_or(path))
    }
    #[cfg(not(unix))]
    {
        let _ = (address, CStr::from_bytes_with_nul(b"\0"));
        None
    }
}

/// Paths that exist under a pattern whose parts may hold one `*` each, the last names first: newer versions.
fn expand(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let name = part.as_os_str().to_string_lossy().into_owned();
        found = match name.split_once('*') {
            None => found.into_iter().map(|path| path.join(part)).collect(),
            Some((start, end)) => {
                let fits = |name: &str| {
                    name.len() >= start.len() + end.len()
                        && name.starts_with(start)
                        && name.ends_with(end)
                };
                found
                    .into_iter()
                    .flat_map(|path| {
                        let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
                        let mut names: Vec<_> = entries
                            .map(|entry| entry.file_name())
                            .filter(|name| fits(&name.to_string_lossy()))
                            .collect();
                        names.sort();
                        names.into_iter().rev().map(move |name| path.join(name))
                    })
                    .collect()
            }
        };
    }
    found.retain(|path| path.exists());
    found
}

/// Folders of packages of the Python environments that this process can know of.
fn site_packages() -> Vec<PathBuf> {
    let home = |name: &str, below: &str| Folders::home(name, &[below]).absolute;
    let mut homes: Vec<PathBuf> =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().flat_map(|name| home(name, "")).collect();
    // Environments whose Python is on the path, entered or not. On Windows it lies in the home itself, or below it.
    let python = if cfg!(windows) { "python.exe" } else { "python3" };
    for folder in Folders::listed("PATH").absolute {
        if folder.join(python).exists() {
            homes.extend(folder.parent().map(Path::to_path_buf));
            homes.extend(cfg!(windows).then_some(folder));
        }
    }
    homes.extend(home("HOME", ".local"));
    homes.push(PathBuf::from("/usr/local"));
    let mut packages: Vec<PathBuf> = Vec::new();
    for home in homes {
        for &below in SITE_PACKAGES {
            for folder in expand(&home.join(below)) {
                if !packages.contains(&folder) {
                    packages.push(folder);
                }
            }
        }
    }
    packages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_gives_what_exists_the_newest_first() {
        let base = std::env::temp_dir().join(format!("ndany-places-{}", std::process::id()));
        for folder in ["cuda-12.9/lib64", "cuda-13.0/lib64", "cuda-13.1", "other/lib64"] {
            std::fs::create_dir_all(base.join(folder)).expect("a folder for a test");
        }
        let found = expand(&base.join("cuda*/lib64"));
        assert_eq!(found, [base.join("cuda-13.0/lib64"), base.join("cuda-12.9/lib64")]);
        assert_eq!(expand(&base.join("nothing/*")), Vec::<PathBuf>::new());
        std::fs::remove_dir_all(&base).expect("the folder of the test");
    }

    #[test]
    fn empty_and_relative_folders_are_no_places() {
        let [absolute, empty, relative] = ["/opt/lib", "", "lib"].map(PathBuf::from);
        let value = vec![empty.clone(), absolute.clone(), relative.clone()];
        let folders = Folders::of("NAME", Some(value));
        assert_eq!(folders.absolute, [absolute]);
        assert_eq!(folders.relative, [empty.clone(), relative]);
        assert_eq!(folders.source, "NAME (/opt/lib)");
        assert_eq!(Folders::of("NAME", Some(vec![empty])).source, "NAME (no absolute path)");
        assert_eq!(Folders::of("NAME", None).source, "NAME (not set)");
    }

    crate::symbols! {
        struct Absolute checked by bindings {
            fn ndany_no_such_function(x: i32) -> i32;
        }
    }

    mod bindings {
        /// Stands for a vendor's function.
        pub(super) unsafe fn ndany_no_such_function(x: i32) -> i32 {
            x
        }
    }

    #[test]
    fn a_library_without_the_function_is_named_with_it() {
        static PLACES: SearchPaths = SearchPaths {
            variable: "NDANY_NO_SUCH_VARIABLE",
            homes: &[],
            prefixes: &["/nonexistent/lib"],
            wheels: &["nvidia/*/lib"],
        };
        let spec = LibrarySpec {
            name: "the C library",
            files: vec!["libc.so.6", "libndany-none.so.1"],
            beside: &[],
            places: &PLACES,
            hint: "install it",
        };
        let error = spec.find::<Absolute>().expect_err("no such function").to_string();
        if cfg!(target_os = "linux") {
            assert!(error.contains("it has no ndany_no_such_function"), "{error}");
            // SAFETY: the C library is open already.
            let library = unsafe { Library::new("libc.so.6") }.expect("the C library");
            let error = Absolute::load(&library).expect_err("no such function");
            assert_eq!(error, Incomplete { function: "ndany_no_such_function" });
        }
        assert!(error.contains("libndany-none.so.1"), "{error}");
        assert!(error.contains("NDANY_NO_SUCH_VARIABLE (not set)"), "{error}");
        assert!(error.ends_with("install it, or list its folder in NDANY_NO_SUCH_VARIABLE"));
        assert_eq!(Absolute::signatures_agree(), 1);
    }
}
