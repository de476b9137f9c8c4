//! From kernels to functions of the device: in memory by the kernel's value, on disk by its text, else compiled.
//!
//! A launch pays for hashing the kernel once and for one look under a lock that readers share; it says which kernel it
//! wants by a [`Request`], which may borrow what the kernel would own. The first thread that asks for a kernel compiles
//! it, or has a thread of `ahead` compile it and is given a [`PendingFunction`]; threads that ask for the same one wait, and no
//! others do. A failure is not kept, so the next launch tries again.
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

mod ahead;
mod raw;
pub(crate) use raw::{NOT_FOUND, RawFunction, RawModule, RawModules, packed};

use ahead::{Image, Threads};

/// Free bytes of a device that is not near its end: many times the machine code of a program, and stacks of threads.
const ROOM_FOR_CODE: usize = 128 << 20;

/// What a kernel has come to.
#[derive(Debug, Default)]
struct Slot {
    function: OnceLock<Result<Function>>,
    /// Its machine code, where another thread compiles it.
    image: Arc<Image>,
}

/// A function as a launch gets it.
#[derive(Debug)]
pub(crate) enum Lookup {
    /// It is loaded.
    Ready(Function),
    /// It is being compiled.
    Pending(PendingFunction),
}

impl Lookup {
    /// The function, once it is loaded.
    pub(crate) fn wait(self, modules: &Modules, checked: &CheckedDriver) -> Result<Function> {
        match self {
            Self::Ready(function) => Ok(function),
            Self::Pending(pending) => modules.wait(checked, &pending),
        }
    }
}

/// A function that is being compiled.
#[derive(Debug)]
pub(crate) struct PendingFunction {
    hash: u64,
    slot: Arc<Slot>,
    source: Arc<Source>,
}

/// Why a kernel is compiled.
#[derive(Clone, Copy, Debug)]
enum Wish {
    /// A launch waits for it.
    Launch,
    /// A dry run has asked for it.
    DryRun,
}

impl Wish {
    /// As spans have it.
    fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::DryRun => "dry_run",
        }
    }
}

/// A kernel that was asked for.
struct Entry {
    kernel: Box<dyn Any + Send + Sync>,
    slot: Arc<Slot>,
}

/// Kernels by hash.
type Known = HashMap<u64, SmallVec<[Entry; 1]>, RandomState>;

/// What a prepared program has come to: the function of a launch that nothing else matters to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PreparedFunction {
    /// The function.
    pub(crate) function: Function,
    /// How many neighbours a thread of it takes.
    pub(crate) vector: usize,
}

/// Functions by the numbers of prepared programs, each in the place that its number has.
#[derive(Debug)]
struct PreparedFunctions(RwLock<Vec<Option<(u64, PreparedFunction)>>>);

impl PreparedFunctions {
    /// Places; the latest number of a place has it.
    const PLACES: usize = 1024;

    fn new() -> Self {
        Self(RwLock::new(vec![None; Self::PLACES]))
    }

    fn get(&self, number: u64) -> Option<PreparedFunction> {
        let functions = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (own, function) = functions[number as usize % Self::PLACES]?;
        (own == number).then_some(function)
    }

    fn set(&self, number: u64, function: PreparedFunction) {
        let mut functions = self.0.write().unwrap_or_else(PoisonError::into_inner);
        functions[number as usize % Self::PLACES] = Some((number, function));
    }
}

/// The machine code of one device.
pub(crate) struct Modules {
    compiler: Result<(Arc<dyn Compiler>, String), CompileError>,
    cache: Arc<Cache>,
    threads: Threads,
    hasher: RandomState,
    known: RwLock<Known>,
    prepared: PreparedFunctions,
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

/// A function whose text is there.
fn pending(
    checked: &CheckedDriver,
    wanted: &dyn Missing,
    hash: u64,
    slot: Arc<Slot>,
) -> PendingFunction {
    let source = slot.image.source();
    let source = source.unwrap_or_else(|| Arc::new(wanted.source(checked.driver().dialect())));
    PendingFunction { hash, slot, source }
}

impl Modules {
    /// At most `threads` threads compile what is [asked for ahead](Self::begin).
    pub(crate) fn new(
        compiler: Result<Box<dyn Compiler>, CompileError>,
        cache: Cache,
        threads: usize,
    ) -> Self {
        let compiler = compiler.map(|compiler| {
            let version = compiler.version();
            (Arc::from(compiler), version)
        });
        let (hasher, known, loaded) = Default::default();
        let (cache, threads) = (Arc::new(cache), Threads::new(threads));
        let prepared = PreparedFunctions::new();
        Self { compiler, cache, threads, hasher, known, prepared, loaded }
    }

    /// The function of a kernel.
    #[cfg(test)]
    pub(crate) fn function<R: Request>(
        &self,
        checked: &CheckedDriver,
        request: &R,
    ) -> Result<Function> {
        self.look_up(checked, request, false)?.wait(self, checked)
    }

    /// The function of a kernel; if it has to be compiled, another thread does that where `ahead` asks for it and there may be
    /// several.
    #[inline]
    pub(crate) fn look_up<R: Request>(
        &self,
        checked: &CheckedDriver,
        request: &R,
        ahead: bool,
    ) -> Result<Lookup> {
        let hash = self.hash_of(request);
        {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            let made = find(&known, hash, request).and_then(|slot| slot.function.get());
            if let Some(Ok(function)) = made {
                return Ok(Lookup::Ready(*function));
            }
        }
        self.first(checked, &Wanted { request }, hash, ahead)
    }

    /// The function of a prepared program, once it has been [kept](Self::keep_prepared).
    #[inline]
    pub(crate) fn prepared(&self, number: u64) -> Option<PreparedFunction> {
        self.prepared.get(number)
    }

    /// Keeps the function of a prepared program.
    #[cold]
    pub(crate) fn keep_prepared(&self, number: u64, function: PreparedFunction) {
        self.prepared.set(number, function);
    }

    #[inline]
    fn hash_of<R: Request>(&self, request: &R) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        TypeId::of::<R::Kernel>().hash(&mut hasher);
        request.hash_into(&mut hasher);
        hasher.finish()
    }

    /// Has other threads compile a kernel for which nobody waits yet, unless it is known or on disk. What fails is the error of
    /// the launch that wants it.
    pub(crate) fn ask<R: Request>(&self, checked: &CheckedDriver, request: &R) {
        let hash = self.hash_of(request);
        let is_known = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            find(&known, hash, request).is_some()
        };
        if !is_known {
            self.ask_first(checked, &Wanted { request }, hash);
        }
    }

    #[cold]
    fn ask_first(&self, checked: &CheckedDriver, wanted: &dyn Missing, hash: u64) {
        let slot = self.slot(wanted, hash);
        if slot.function.get().is_none() {
            let pending = pending(checked, wanted, hash, slot);
            let _ = self.compile_ahead(checked, &pending, Wish::DryRun);
        }
    }

    /// Whether [what is asked for](Self::ask) is compiled while the caller goes on.
    pub(crate) fn compile_ahead_of_launches(&self) -> bool {
        self.threads.are_several() && self.compiler.is_ok()
    }

    /// What a kernel has come to; it is known from now on.
    fn slot(&self, wanted: &dyn Missing, hash: u64) -> Arc<Slot> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        wanted.find(&known, hash).unwrap_or_else(|| {
            let slot = Arc::new(Slot::default());
            let entry = Entry { kernel: wanted.kernel(), slot: slot.clone() };
            known.entry(hash).or_default().push(entry);
            slot
        })
    }

    /// The function of a kernel that is not compiled yet, or that another thread compiles.
    #[cold]
    fn first(
        &self,
        checked: &CheckedDriver,
        wanted: &dyn Missing,
        hash: u64,
        ahead: bool,
    ) -> Result<Lookup> {
        let slot = self.slot(wanted, hash);
        if let Some(Ok(function)) = slot.function.get() {
            return Ok(Lookup::Ready(*function));
        }
        let pending = pending(checked, wanted, hash, slot);
        let ahead = ahead && self.threads.are_several();
        match ahead && self.compile_ahead(checked, &pending, Wish::Launch)? {
            true => Ok(Lookup::Pending(pending)),
            false => self.wait(checked, &pending).map(Lookup::Ready),
        }
    }

    /// Waits for a function: for the thread that compiles it, or by compiling it.
    fn wait(&self, checked: &CheckedDriver, pending: &PendingFunction) -> Result<Function> {
        let PendingFunction { hash, slot, source } = pending;
        let made = slot.function.get_or_init(|| self.make(checked, &slot.image, source));
        if made.is_err() {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            if let Some(same) = known.get_mut(hash) {
                same.retain(|entry| !Arc::ptr_eq(&entry.slot, slot));
            }
        }
        made.clone()
    }

    /// Has another thread compile what is not on disk; `false` if the function is there, or nothing can compile it.
    fn compile_ahead(
        &self,
        checked: &CheckedDriver,
        pending: &PendingFunction,
        wish: Wish,
    ) -> Result<bool> {
        let PendingFunction { slot, source, .. } = pending;
        let Ok((compiler, version)) = &self.compiler else { return Ok(false) };
        let Some(promise) = slot.image.begin(source) else { return Ok(true) };
        if let Some(function) = self.stored(checked, source)? {
            // A thread that waits for the machine code holds the slot meanwhile, and loads it from disk now.
            drop(promise);
            let _ = slot.function.set(Ok(function));
            return Ok(false);
        }
        // What waits uses memory that the pool has free, so none can be freed for machine code then.
        let memory = checked.attempt_beside("memory", |driver| driver.memory());
        if !memory.is_ok_and(|[free, _]| free >= ROOM_FOR_CODE) {
            return Ok(false);
        }
        let device = checked.driver().name().to_string();
        let architecture = checked.driver().properties().architecture.clone();
        let (cache, version) = (self.cache.clone(), version.clone());
        self.threads.submit(compiler, source.text.len(), move |compiler| {
            promise.fulfil(|source| {
                let code = compiled(compiler, &device, source, &architecture, wish)?;
                // What is asked for and never launched is not compiled by the next process either.
                cache.store(&source.text, &architecture, &version, &code);
                Ok(code)
            });
        });
        Ok(true)
    }

    /// Loads machine code from disk or from the compiler.
    fn make(&self, checked: &CheckedDriver, image: &Image, source: &Source) -> Result<Function> {
        let architecture = &checked.driver().properties().architecture;
        let device = checked.driver().name();
        let failed = |error: &CompileError| Error::Device {
            op: "compile",
            device: device.to_string(),
            reason: error.to_string(),
        };
        match image.wait() {
            // The thread that compiled it has stored it.
            Some(Ok(code)) => {
                let function = self.load(checked, source, &code);
                let function = function.map_err(|error| checked.error("load", error))?;
                image.forget();
                Ok(function)
            }
            Some(Err(error)) => {
                image.forget();
                Err(failed(&error))
            }
            None => {
                if let Some(function) = self.stored(checked, source)? {
                    return Ok(function);
                }
                let (compiler, version) = self.compiler.as_ref().map_err(failed)?;
                let code = compiled(&**compiler, device, source, architecture, Wish::Launch)
                    .map_err(|error| failed(&error))?;
                let function = self.load(checked, source, &code);
                let function = function.map_err(|error| checked.error("load", error))?;
                self.cache.store(&source.text, architecture, version, &code);
                Ok(function)
            }
        }
    }

    /// Loads machine code from disk, if it is there.
    fn stored(&self, checked: &CheckedDriver, source: &Source) -> Result<Option<Function>> {
        let architecture = &checked.driver().properties().architecture;
        self.cache.record(|| Text::new(checked.driver().dialect(), &source.text, None));
        let version = self.compiler.as_ref().ok().map(|(_, version)| version.as_str());
        let Some(image) = self.cache.load(&source.text, architecture, version) else {
            return Ok(None);
        };
        match self.load(checked, source, &image) {
            Ok(function) => {
                tracing::debug!(bytes = image.len(), "loaded from disk");
                Ok(Some(function))
            }
            // A whole file, and yet not what this driver takes.
            Err(DriverError::Call { .. }) if self.compiler.is_ok() => Ok(None),
            Err(error) => Err(checked.error("load", error)),
        }
    }

    fn load(
        &self,
        checked: &CheckedDriver,
        source: &Source,
        image: &[u8],
    ) -> Result<Function, DriverError> {
        let module = checked.attempt_beside("load", |driver| driver.load(image))?;
        // SAFETY: the module is loaded and stays so.
        let function = checked
            .attempt_beside("load", |driver| unsafe { driver.function(module, source.entry) });
        match function {
            Ok(_) => self.loaded.lock().unwrap_or_else(PoisonError::into_inner).push(module),
            // SAFETY: the module has no other user.
            Err(_) => checked.quietly_beside(|driver| unsafe { driver.unload(module) }),
        }
        function
    }

    /// Unloads everything; nothing is under way.
    pub(crate) fn close(&self, checked: &CheckedDriver) {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        for module in loaded.drain(..) {
            // SAFETY: there are no further launches.
            checked.quietly(|driver| unsafe { driver.unload(module) });
        }
    }
}

/// Compiles a text.
fn compiled(
    compiler: &dyn Compiler,
    device: &str,
    source: &Source,
    architecture: &str,
    wish: Wish,
) -> Result<Vec<u8>, CompileError> {
    let (kernel, wanted_by) = (source.entry, wish.name());
    let _span = tracing::debug_span!("compile", device, kernel, architecture, wanted_by).entered();
    let begun = Instant::now();
    let code = compiler.compile(&source.text, architecture)?;
    tracing::debug!(bytes = code.len(), took = ?begun.elapsed(), "compiled");
    Ok(code)
}

#[cfg(test)]
mod tests;
