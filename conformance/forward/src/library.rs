//! Opening a library and taking its functions.
//!
//! Names of files are those of CUDA's libraries, and functions are looked for in what was opened and nowhere else: this
//! library has other names and none of those functions, so it cannot find itself.

use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// Declares a table of a library's functions; an `optional` one may be missing.
macro_rules! functions {
    ($(#[$meta:meta])* $table:ident {
        $(fn $name:ident($($ty:ty),* $(,)?);)*
        $(optional fn $maybe:ident($($mty:ty),* $(,)?);)*
    }) => {
        $(#[$meta])*
        pub(crate) struct $table {
            $(pub(crate) $name: unsafe extern "C" fn($($ty),*) -> u32,)*
            $(pub(crate) $maybe: Option<unsafe extern "C" fn($($mty),*) -> u32>,)*
        }

        impl $table {
            /// Takes them; what is missing is an error.
            pub(crate) fn load(library: &libloading::os::unix::Library) -> Result<Self, String> {
                // SAFETY: the vendor's signatures.
                unsafe {
                    Ok(Self {
                        $($name: *library
                            .get(concat!(stringify!($name), "\0").as_bytes())
                            .map_err(|error| error.to_string())?,)*
                        $($maybe: library
                            .get(concat!(stringify!($maybe), "\0").as_bytes())
                            .ok()
                            .map(|symbol| *symbol),)*
                    })
                }
            }
        }
    };
}
pub(crate) use functions;

/// Opens a file, or a name that the loader looks for; it stays open.
fn open(name: &Path) -> Result<Library, String> {
    // SAFETY: a library of the vendor, which the user installed under its name.
    let opened = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) };
    opened.map_err(|error| {
        std::error::Error::source(&error).map_or(error.to_string(), ToString::to_string)
    })
}

/// Folders that the variable `NDANY_CUDA_LIBRARIES` lists, which the CUDA backend looks into first too.
fn listed() -> Vec<PathBuf> {
    let listed = std::env::var_os("NDANY_CUDA_LIBRARIES");
    listed.iter().flat_map(std::env::split_paths).collect()
}

/// Where a toolkit lies, or the driver where the loader is not told.
fn usual() -> Vec<PathBuf> {
    let homes = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os);
    let homes = homes.map(PathBuf::from).chain([PathBuf::from("/usr/local/cuda")]);
    let drivers =
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib", "/usr/local/nvidia/lib64"];
    let toolkits = homes.flat_map(|home| [home.join("lib64"), home.join("lib")]);
    toolkits.chain(drivers.map(PathBuf::from)).collect()
}

/// Opens the first of these files that is whole, in the listed folders, by the loader, or in the usual folders; the best
/// name in all folders first, as the CUDA backend does.
pub(crate) fn find<T>(
    files: &[&str],
    beside: Option<&str>,
    load: impl Fn(&Library) -> Result<T, String>,
) -> Result<T, String> {
    let mut tried = Vec::new();
    // The loader's own place is a name without a folder.
    for folders in [listed(), vec![PathBuf::new()], usual()] {
        for (file, folder) in files.iter().flat_map(|file| folders.iter().map(move |at| (file, at)))
        {
            let path = folder.join(file);
            let is_named = folder.as_os_str().is_empty();
            if !is_named && !path.is_file() {
                continue;
            }
            if let (false, Some(start)) = (is_named, beside) {
                open_beside(folder, start);
            }
            match open(&path).and_then(|library| load(&library).map(|table| (library, table))) {
                Ok((library, table)) => {
                    // Its functions are kept, so it is never closed.
                    std::mem::forget(library);
                    return Ok(table);
                }
                Err(reason) => tried.push(reason),
            }
        }
    }
    Err(tried.join("; "))
}

/// Opens what the library will ask the loader for by name, so that the loader has it.
fn open_beside(folder: &Path, start: &str) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(start)
            && let Ok(library) = open(&entry.path())
        {
            std::mem::forget(library);
        }
    }
}
