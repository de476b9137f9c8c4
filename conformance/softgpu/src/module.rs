//! Loaded machine code: a shared library of its own for each module, so that what a module declares is its own.

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::compiler::{Image, temporary};
use crate::failure::{Failure, Result};
use crate::run::{Hooks, Local, ThreadPosition};
use crate::settings::Settings;

/// As `shim.h` writes it.
#[repr(C)]
struct Row {
    name: *const c_char,
    run: Option<Entry>,
    sizes: *const u32,
    count: u32,
    threads: u32,
}

/// A variable, as `shim.h` writes it.
#[repr(C)]
struct GlobalRow {
    name: *const c_char,
    at: *mut c_void,
    bytes: u64,
    constant: u64,
}

/// A variable of a module.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    /// Whether it cannot be written.
    pub constant: bool,
}

/// Runs one thread of a kernel: its argument points to pointers to the parameters.
pub type Entry = unsafe extern "C" fn(*const *mut c_void);

/// A kernel.
#[derive(Debug)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// One thread of it.
    pub entry: Entry,
    /// Bytes of each parameter.
    pub sizes: Vec<usize>,
    /// The most threads of its blocks.
    pub threads: u32,
    /// The module's own place of a thread, on the calling thread.
    pub place: unsafe extern "C" fn() -> *mut ThreadPosition,
    /// Where its module's shared memory is.
    pub local: Option<Local>,
    /// Bytes of static shared memory of its module.
    pub shared: u32,
}

/// A module: the library lives as long as any of its kernels.
#[derive(Debug)]
pub struct Module {
    kernels: Vec<Arc<Kernel>>,
    globals: Vec<Global>,
    _library: Library,
}

impl Module {
    /// Loads an image.
    pub fn load(image: &Image, hooks: Hooks) -> Result<Arc<Self>> {
        let bad = |error: &dyn std::fmt::Display| Failure::InvalidImage(error.to_string());
        let cache = &Settings::get().cache;
        let folder = std::fs::create_dir_all(cache)
            .map_or_else(|_| std::env::temp_dir(), |()| cache.clone());
        let path = temporary(&folder.join("module"));
        std::fs::write(&path, &image.code).map_err(|error| bad(&error))?;
        // SAFETY: what this crate's compiler made has no constructors and no destructors.
        let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
        // A leftover file costs space and nothing else.
        let _ = std::fs::remove_file(&path);
        let library = library.map_err(|error| bad(&error))?;
        // SAFETY: the types are those of `shim.h`; no code of the module runs yet.
        unsafe {
            let place = *library.get(b"softgpu_where").map_err(|error| bad(&error))?;
            let table = library.get::<*mut Hooks>(b"softgpu_hooks").map_err(|error| bad(&error))?;
            table.write(hooks);
            let rows =
                library.get::<*const Row>(b"softgpu_kernels").map_err(|error| bad(&error))?;
            let local = Local::of(place);
            let shared = local.map_or(0, Local::shared);
            let mut kernels = Vec::new();
            for k in 0.. {
                let row = &*rows.add(k);
                let Some(entry) = row.run else { break };
                kernels.push(Arc::new(Kernel {
                    name: CStr::from_ptr(row.name).to_string_lossy().into_owned(),
                    entry,
                    sizes: (0..row.count as usize).map(|p| *row.sizes.add(p) as usize).collect(),
                    threads: row.threads,
                    place,
                    local,
                    shared: shared as u32,
                }));
            }
            let rows =
                library.get::<*const GlobalRow>(b"softgpu_globals").map_err(|error| bad(&error))?;
            let mut globals = Vec::new();
            for k in 0.. {
                let row = &*rows.add(k);
                if row.name.is_null() {
                    break;
                }
                let name = CStr::from_ptr(row.name).to_string_lossy().into_owned();
                let (address, bytes, constant) = (row.at as u64, row.bytes, row.constant != 0);
                globals.push(Global { name, address, bytes, constant });
            }
            Ok(Arc::new(Self { kernels, globals, _library: library }))
        }
    }

    /// A variable by its name.
    pub fn global(&self, name: &str) -> Result<&Global> {
        let found = self.globals.iter().find(|global| global.name == name);
        found.ok_or_else(|| Failure::NotFound(format!("variable {name}")))
    }

    /// Its variables.
    pub fn globals(&self) -> &[Global] {
        &self.globals
    }

    /// Whether one of its variables holds the range.
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        self.globals.iter().any(|global| {
            address >= global.address && address + bytes <= global.address + global.bytes
        })
    }

    /// A kernel by its name.
    pub fn kernel(&self, name: &str) -> Result<Arc<Kernel>> {
        let found = self.kernels.iter().find(|kernel| kernel.name == name);
        found.cloned().ok_or_else(|| Failure::NotFound(format!("kernel {name}")))
    }
}
