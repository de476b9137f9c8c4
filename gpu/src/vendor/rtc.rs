//! [`Rtc`]: the [`Compiler`] made of the functions of a run-time compiler.
//!
//! Deliberately absent: headers, and which architectures a compiler knows; a [`Toolchain`] says that.

use std::ffi::{CStr, CString};
use std::fmt;
use std::path::PathBuf;

use super::table::{self, NamedBy, functions};
use crate::driver::{CompileError, CompileRequest, CompiledModule, Compiler};
use crate::library::{CopiedLibrary, Found, LazyLibrary, Symbols};

functions! {
    /// The functions of such a compiler.
    pub struct Functions {
        fn version(major: *mut i32, minor: *mut i32);
        fn create(
            program: *mut u64, source: *const u8, name: *const u8, count: i32, headers: *const *const u8,
            names: *const *const u8
        );
        fn destroy(program: *mut u64);
        fn compile(program: u64, count: i32, options: *const *const u8);
        fn log_size(program: u64, bytes: *mut usize);
        fn log(program: u64, log: *mut u8);
        fn image_size(program: u64, bytes: *mut usize);
        fn image(program: u64, image: *mut u8);
        optional fn add_expression(program: u64, name: *const u8);
        optional fn lowered_name(program: u64, name: *const u8, lowered: *mut *const u8);
    }
}

/// A vendor's compiler: its functions, and those that no other vendor has alike.
pub type Api<T> = table::Api<T, Functions, <T as Toolchain>::Own>;

// SAFETY: an implementation of `Toolchain` guarantees its names.
unsafe impl<T: Toolchain> NamedBy<Functions> for T {
    const NAMES: Names = <T as Toolchain>::NAMES;
}

/// What is a vendor's own about its run-time compiler.
///
/// # Safety
/// Names are those of the vendor's functions with the signatures of [`Functions`] and the meaning of NVRTC's.
pub unsafe trait Toolchain: fmt::Debug + Send + Sync + Sized + 'static {
    /// Functions that no other vendor has alike.
    type Own: Symbols + Send + Sync;

    /// Product name.
    const NAME: &'static str;
    /// What it calls its functions.
    const NAMES: Names;
    /// What keeps the bits: no contraction, no fast-math, divisions and roots rounded, nothing flushed.
    const FLAGS: &'static [&'static CStr];
    /// Of these flags the one against contraction, and the one for it.
    const CONTRACTION: [&'static CStr; 2];
    /// The flag whose value is the architecture's name.
    const TARGET: &'static str;
    /// What its errors call a text.
    const FILE: &'static CStr;
    /// Whether threads wait for each other inside of the library, so that each needs a copy of it.
    const LOCKS: bool;

    /// Its library.
    fn library() -> &'static LazyLibrary<Api<Self>>;

    /// What this process learns of it.
    fn new(api: &Api<Self>) -> Self;

    /// The version, which tells machine code of one release from another's; `number` is what the interface says.
    fn version(found: &Found<Api<Self>>, number: String) -> String;

    /// The function of the library that names a code.
    fn error_strings(own: &Self::Own) -> Option<unsafe extern "C" fn(u32) -> *const u8>;

    /// Whether it may be asked for an architecture. `compiles` asks it for one with the smallest of texts.
    fn knows(&self, architecture: &str, compiles: &dyn Fn() -> bool) -> bool;

    /// Whether a refusal says that the architecture is unknown.
    fn refuses_architecture(log: &str) -> bool;

    /// How to get to one that knows an architecture.
    fn hint(&self, architecture: &str) -> String;
}

/// What a compilation came to.
#[derive(Debug)]
struct Compiled {
    /// Machine code, or what the compiler calls the failure.
    image: Result<CompiledModule, String>,
    /// What it remarks.
    log: String,
}

/// A program, given back when it goes.
struct Program<'a> {
    functions: &'a Functions,
    handle: u64,
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `create` and not given back before.
        unsafe { (self.functions.destroy.function)(&mut self.handle) };
    }
}

impl Program<'_> {
    /// What expressions are called in the machine code.
    fn names(&self, expressions: &[CString]) -> Result<Vec<String>, u32> {
        let Some(lowered_name) = self.functions.lowered_name.function else {
            return Ok(Vec::new());
        };
        let name = |expression: &CString| {
            let mut text = std::ptr::null();
            // SAFETY: the program is alive and compiled; it writes the address of a text that lives as long.
            match unsafe { lowered_name(self.handle, expression.as_ptr().cast(), &mut text) } {
                // SAFETY: so it is a text.
                0 => Ok(unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned()),
                code => Err(code),
            }
        };
        expressions.iter().map(name).collect()
    }

    /// Bytes of which the first function tells the number and the second the values.
    fn bytes(
        &self,
        size: unsafe extern "C" fn(u64, *mut usize) -> u32,
        get: unsafe extern "C" fn(u64, *mut u8) -> u32,
    ) -> Result<Vec<u8>, u32> {
        let mut length = 0;
        // SAFETY: the program is alive; it writes a number.
        let code = unsafe { size(self.handle, &mut length) };
        if code != 0 {
            return Err(code);
        }
        let mut bytes = vec![0; length];
        // SAFETY: it writes as many bytes as it has just said.
        match unsafe { get(self.handle, bytes.as_mut_ptr()) } {
            0 => Ok(bytes),
            code => Err(code),
        }
    }
}

/// The functions of the process's library, or of a copy that goes with its compiler.
#[derive(Debug)]
enum Opened<T: Toolchain> {
    Shared(&'static Api<T>),
    Copy(Box<CopiedLibrary<Api<T>>>),
}

/// The run-time compiler of a vendor.
#[derive(Debug)]
pub struct Rtc<T: Toolchain> {
    toolchain: T,
    api: Opened<T>,
    path: Option<PathBuf>,
    version: String,
}

impl<T: Toolchain> Rtc<T> {
    /// Finds the compiler.
    ///
    /// # Errors
    /// [`CompileError::Absent`], with what was tried and how to mend it.
    pub fn open() -> Result<Self, CompileError> {
        let found = T::library().get();
        let found = found.map_err(|absent| CompileError::Absent { reason: absent.to_string() })?;
        let (api, path) = (&found.symbols, found.path.clone());
        let version = format!("{} {}", T::NAME, T::version(found, api.version()));
        Ok(Self { toolchain: T::new(api), api: Opened::Shared(api), path, version })
    }

    /// The library's file, where the loader says so.
    pub fn path(&self) -> Option<&PathBuf> {
        self.path.as_ref()
    }

    fn api(&self) -> &Api<T> {
        match &self.api {
            Opened::Shared(api) => api,
            Opened::Copy(copy) => &copy.symbols,
        }
    }

    fn run(&self, source: &str, architecture: &str, request: &CompileRequest<'_>) -> Compiled {
        let target = CString::new(format!("{}{architecture}", T::TARGET)).unwrap_or_default();
        let [against, contracts] = T::CONTRACTION;
        let flag = |flag: &&'static CStr| match request.contract && **flag == *against {
            true => contracts,
            false => flag,
        };
        let own: Vec<CString> =
            request.options.iter().map(|text| CString::new(&**text).unwrap_or_default()).collect();
        let flags = T::FLAGS.iter().map(flag).chain([&*target]);
        let flags = flags.chain(own.iter().map(|option| &**option));
        let flags: Vec<*const u8> = flags.map(|flag| flag.as_ptr().cast()).collect();
        self.api().compile(source, &flags, request.expressions)
    }

    fn unknown(&self, architecture: &str) -> CompileError {
        CompileError::Architecture {
            compiler: self.version.clone(),
            architecture: architecture.to_string(),
            hint: self.toolchain.hint(architecture),
        }
    }
}

impl<T: Toolchain> Compiler for Rtc<T> {
    /// Machine code kept under it was made with the same flags.
    fn version(&self) -> String {
        let flags: Vec<_> = T::FLAGS.iter().map(|flag| flag.to_string_lossy()).collect();
        format!("{} {}", self.version, flags.join(" "))
    }

    fn another(&self) -> Option<Box<dyn Compiler>> {
        let path = self.path.as_ref().filter(|_| T::LOCKS)?;
        let copied = CopiedLibrary::<Api<T>>::open(path);
        let copy =
            copied.inspect_err(|reason| tracing::debug!(reason, "no copy of {}", T::NAME)).ok()?;
        let toolchain = T::new(&copy.symbols);
        let (api, path, version) =
            (Opened::Copy(Box::new(copy)), Some(path.clone()), self.version.clone());
        Some(Box::new(Self { toolchain, api, path, version }))
    }

    fn compile(&self, source: &str, architecture: &str) -> Result<Vec<u8>, CompileError> {
        let compiled = self.compile_with(source, architecture, &CompileRequest::default())?;
        Ok(compiled.image)
    }

    fn compile_with(
        &self,
        source: &str,
        architecture: &str,
        request: &CompileRequest<'_>,
    ) -> Result<CompiledModule, CompileError> {
        let compiles = || {
            let text = "extern \"C\" __global__ void empty() {}";
            self.run(text, architecture, &CompileRequest::default()).image.is_ok()
        };
        if !self.toolchain.knows(architecture, &compiles) {
            return Err(self.unknown(architecture));
        }
        let Compiled { image, log } = self.run(source, architecture, request);
        if image.is_ok() && !log.is_empty() {
            tracing::debug!(architecture, log, "the compiler has remarks on a kernel");
        }
        image.map_err(|words| {
            if T::refuses_architecture(&log) {
                return self.unknown(architecture);
            }
            let path = self.path.as_ref().map(|path| format!("{}: ", path.display()));
            CompileError::Refused {
                compiler: self.version.clone(),
                architecture: architecture.to_string(),
                log: format!("{}{words}: {log}", path.unwrap_or_default()),
            }
        })
    }
}

impl<T: Toolchain> Api<T> {
    /// The version that the interface says.
    pub fn version(&self) -> String {
        let [mut major, mut minor] = [0; 2];
        // SAFETY: it writes two numbers.
        unsafe { (self.functions.version.function)(&mut major, &mut minor) };
        format!("{major}.{minor}")
    }

    /// Compiles a text.
    fn compile(&self, source: &str, flags: &[*const u8], expressions: &[String]) -> Compiled {
        let Ok(text) = CString::new(source) else {
            let image = Err("the text holds a zero".to_string());
            return Compiled { image, log: String::new() };
        };
        let functions = &self.functions;
        let (text, name) = (text.as_ptr().cast(), T::FILE.as_ptr().cast());
        let (mut handle, none) = (0, std::ptr::null());
        // SAFETY: texts end with zeros and outlive the call; there are no headers; it writes the handle.
        let code = unsafe { (functions.create.function)(&mut handle, text, name, 0, none, none) };
        if code != 0 {
            // There is none to give back.
            return Compiled { image: Err(self.error_strings(code)), log: String::new() };
        }
        let program = Program { functions, handle };
        let expressions: Vec<CString> =
            expressions.iter().map(|text| CString::new(&**text).unwrap_or_default()).collect();
        for expression in &expressions {
            let Some(add) = functions.add_expression.function else {
                let image = Err("it has no names of templates: update it".to_string());
                return Compiled { image, log: String::new() };
            };
            // SAFETY: the program is alive and not compiled yet; the text ends with a zero and is copied.
            let code = unsafe { add(handle, expression.as_ptr().cast()) };
            if code != 0 {
                return Compiled { image: Err(self.error_strings(code)), log: String::new() };
            }
        }
        let count = flags.len() as i32;
        // SAFETY: the program is alive, and so are as many flags as are said to be.
        let code = unsafe { (functions.compile.function)(handle, count, flags.as_ptr()) };
        let log = program.bytes(functions.log_size.function, functions.log.function);
        let log = String::from_utf8_lossy(&log.unwrap_or_default())
            .trim_end_matches(['\0', '\n'])
            .to_string();
        let image = match code {
            0 => program.bytes(functions.image_size.function, functions.image.function).and_then(
                |image| Ok(CompiledModule { image, names: program.names(&expressions)? }),
            ),
            _ => Err(code),
        };
        Compiled { image: image.map_err(|code| self.error_strings(code)), log }
    }

    fn error_strings(&self, code: u32) -> String {
        let Some(function) = T::error_strings(&self.own) else { return format!("error {code}") };
        // SAFETY: it takes any number, and gives a constant text or nothing.
        let text = unsafe { function(code) };
        match text.is_null() {
            true => format!("error {code}"),
            // SAFETY: a constant text.
            false => unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned(),
        }
    }
}
