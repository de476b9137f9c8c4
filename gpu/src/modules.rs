//! From kernels to functions of the device: in memory by the kernel's value, on disk by its text, else compiled.
//!
//! A launch pays for hashing the kernel once and for one look under a lock that readers share; it says which kernel it
//! wants by a [`Request`], which may borrow what the kernel would own. The first thread that asks for a kernel compiles
//! it; threads that ask for the same one wait, and no others do. A failure is not kept, so the next launch tries again.
//!
//! Deliberately absent: unloading. Kernels are as many as the programs that a process has, and small.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Instant;

use foldhash::fast::RandomState;
use ndany_core::{Error, Result};
use ndany_kernels::{Dialect, Kernel, Source};
use smallvec::SmallVec;

use crate::cache::Cache;
use crate::checked::CheckedDriver;
use crate::driver::{CompileError, Compiler, DriverError, Function, Module};
use crate::texts::Text;

mod raw;
pub(crate) use raw::{NOT_FOUND, RawFunction, RawModule, RawModules, packed};

/// What a kernel has come to.
type Slot = OnceLock<Result<Function>>;

/// A kernel that was asked for.
struct Entry {
    kernel: Box<dyn Any + Send + Sync>,
    slot: Arc<Slot>,
}

/// Kernels by hash.
type Known = HashMap<u64, SmallVec<[Entry; 1]>, RandomState>;

/// The machine code of one device.
pub(crate) struct Modules {
    compiler: Result<(Box<dyn Compiler>, String), CompileError>,
    cache: Cache,
    hasher: RandomState,
    known: RwLock<Known>,
    loaded: Mutex<Vec<Module>>,
}

impl fmt::Debug for Modules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernels = self.known.read().unwrap_or_else(PoisonError::into_inner).len();
        write!(f, "Modules({kernels} kernels)")
    }
}

/// Which kernel a launch wants.
pub(crate) trait Request {
    /// The pattern.
    type Kernel: Kernel;

    /// Hashes everything that the kernel's text depends on, in whichever order.
    fn hash_into<H: Hasher>(&self, state: &mut H);

    /// Whether it is this one.
    fn is(&self, kernel: &Self::Kernel) -> bool;

    /// Makes it, when it is wanted for the first time.
    fn kernel(&self) -> Self::Kernel;
}

impl<K: Kernel> Request for K {
    type Kernel = K;

    fn hash_into<H: Hasher>(&self, state: &mut H) {
        self.hash(state);
    }

    fn is(&self, kernel: &K) -> bool {
        self == kernel
    }

    fn kernel(&self) -> K {
        self.clone()
    }
}

fn find<'k, R: Request>(known: &'k Known, hash: u64, request: &R) -> Option<&'k Arc<Slot>> {
    let kernel = |entry: &'k Entry| entry.kernel.downcast_ref::<R::Kernel>();
    let same = |entry: &&'k Entry| kernel(entry).is_some_and(|kernel| request.is(kernel));
    known.get(&hash)?.iter().find(same).map(|entry| &entry.slot)
}

/// A request whose kernel was not found: what is done then is compiled once for all kernels.
trait Missing {
    fn find(&self, known: &Known, hash: u64) -> Option<Arc<Slot>>;
    fn kernel(&self) -> Box<dyn Any + Send + Sync>;
    fn source(&self, dialect: &Dialect) -> Source;
}

struct Wanted<'r, R> {
    request: &'r R,
}

impl<R: Request> Missing for Wanted<'_, R> {
    fn find(&self, known: &Known, hash: u64) -> Option<Arc<Slot>> {
        find(known, hash, self.request).cloned()
    }

    fn kernel(&self) -> Box<dyn Any + Send + Sync> {
        Box::new(self.request.kernel())
    }

    fn source(&self, dialect: &Dialect) -> Source {
        self.request.kernel().source(dialect)
    }
}

impl Modules {
    pub(crate) fn new(compiler: Result<Box<dyn Compiler>, CompileError>, cache: Cache) -> Self {
        let compiler = compiler.map(|compiler| {
            let version = compiler.version();
            (compiler, version)
        });
        let (hasher, known, loaded) = Default::default();
        Self { compiler, cache, hasher, known, loaded }
    }

    /// The function of a kernel.
    pub(crate) fn function<R: Request>(
        &self,
        checked: &CheckedDriver,
        request: &R,
    ) -> Result<Function> {
        let mut hasher = self.hasher.build_hasher();
        TypeId::of::<R::Kernel>().hash(&mut hasher);
        request.hash_into(&mut hasher);
        let hash = hasher.finish();
        {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            let made = find(&known, hash, request).and_then(|slot| slot.get());
            if let Some(Ok(function)) = made {
                return Ok(*function);
            }
        }
        self.first(checked, &Wanted { request }, hash)
    }

    /// The function of a kernel that is not compiled yet, or that another thread compiles.
    #[cold]
    fn first(&self, checked: &CheckedDriver, wanted: &dyn Missing, hash: u64) -> Result<Function> {
        let slot = {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            wanted.find(&known, hash).unwrap_or_else(|| {
                let slot = Arc::new(Slot::new());
                let entry = Entry { kernel: wanted.kernel(), slot: slot.clone() };
                known.entry(hash).or_default().push(entry);
                slot
            })
        };
        let made =
            slot.get_or_init(|| self.make(checked, &wanted.source(checked.driver().dialect())));
        if made.is_err() {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            if let Some(same) = known.get_mut(&hash) {
                same.retain(|entry| !Arc::ptr_eq(&entry.slot, &slot));
            }
        }
        made.clone()
    }

    /// Loads machine code from disk or from the compiler.
    fn make(&self, checked: &CheckedDriver, source: &Source) -> Result<Function> {
        let architecture = &checked.driver().properties().architecture;
        let device = checked.driver().name();
        let _span =
            tracing::debug_span!("compile", device, kernel = source.entry, architecture).entered();
        self.cache.record(|| Text::new(checked.driver().dialect(), &source.text, None));
        let version = self.compiler.as_ref().ok().map(|(_, version)| version.as_str());
        if let Some(image) = self.cache.load(&source.text, architecture, version) {
            match self.load(checked, source, &image) {
                Ok(function) => {
                    tracing::debug!(bytes = image.len(), "loaded from disk");
                    return Ok(function);
                }
                // A whole file, and yet not what this driver takes.
                Err(DriverError::Call { .. }) if self.compiler.is_ok() => {}
                Err(error) => return Err(checked.error("load", error)),
            }
        }
        let failed = |error: &CompileError| Error::Device {
            op: "compile",
            device: device.to_string(),
            reason: error.to_string(),
        };
        let (compiler, version) = self.compiler.as_ref().map_err(failed)?;
        let begun = Instant::now();
        let image = compiler.compile(&source.text, architecture).map_err(|error| failed(&error))?;
        tracing::debug!(bytes = image.len(), took = ?begun.elapsed(), "compiled");
        let function =
            self.load(checked, source, &image).map_err(|error| checked.error("load", error))?;
        self.cache.store(&source.text, architecture, version, &image);
        Ok(function)
    }

    fn load(
        &self,
        checked: &CheckedDriver,
        source: &Source,
        image: &[u8],
    ) -> Result<Function, DriverError> {
        let module = checked.attempt("load", |driver| driver.load(image))?;
        // SAFETY: the module is loaded and stays so.
        let function =
            checked.attempt("load", |driver| unsafe { driver.function(module, source.entry) });
        match function {
            Ok(_) => self.loaded.lock().unwrap_or_else(PoisonError::into_inner).push(module),
            // SAFETY: the module has no other user.
            Err(_) => checked.quietly(|driver| unsafe { driver.unload(module) }),
        }
        function
    }

    /// Unloads everything; nothing is under way.
    pub(crate) fn close(&mut self, checked: &CheckedDriver) {
        let loaded = self.loaded.get_mut().unwrap_or_else(PoisonError::into_inner);
        for module in loaded.drain(..) {
            // SAFETY: there are no further launches.
            checked.quietly(|driver| unsafe { driver.unload(module) });
        }
    }
}

#[cfg(test)]
mod tests;
