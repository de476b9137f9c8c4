//! NVTX: ranges that NVIDIA's profilers show.
//!
//! Version 3 of NVTX is headers alone: a profiler names its library in a variable, and a program hands that library tables of
//! functions to fill in. This file has the program's half. Version 2 was a library, which CUDA 12.9 dropped; where it is
//! installed and no profiler is named, it is used.

use std::ffi::{OsString, c_char, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use ndany_core::FoundLibrary;
use ndany_core::ranges::Ranges;
use ndany_gpu::library::{Library, symbol};
use ndany_gpu::ranges::{Pop, Push, RangeFunctions, found};

use crate::library;

/// The variable by which a profiler names its library to programs of 64 bits.
const VARIABLE: &str = "NVTX_INJECTION64_PATH";

/// The exported tables, by the numbers of `NvtxExportTableID`.
const CALLBACKS: u32 = 1;
const VERSION_INFO: u32 = 3;

/// The version of NVTX whose tables these are.
const VERSION: u32 = 3;

/// The module of functions without a domain, and in it what begins and ends a range.
const CORE: usize = 1;
const RANGE_PUSH: usize = 9;
const RANGE_POP: usize = 11;

/// How many functions each module has, the unused number 0 with them: none, core, CUDA, OpenCL, the CUDA runtime, core with
/// domains, synchronization. Profilers fill in those of several.
const MODULES: [usize; 7] = [0, 16, 9, 15, 7, 16, 7];

/// A place for a function of the profiler.
type Slot = AtomicPtr<c_void>;

/// A module's places, and pointers to them as profilers take them: none for number 0, none after the last.
struct Module {
    slots: &'static [Slot],
    pointers: &'static [AtomicPtr<Slot>],
}

/// The modules; they are handed out by address, so they are made once and kept.
fn modules() -> &'static [Module] {
    static TABLES: OnceLock<Vec<Module>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let module = |count: usize| {
            let slots: Vec<Slot> = (0..count).map(|_| AtomicPtr::default()).collect();
            let slots: &'static [Slot] = slots.leak();
            let ends = |number: usize| number == 0 || number == count;
            let pointer = |number: usize| match slots.get(number) {
                Some(slot) if !ends(number) => AtomicPtr::new(std::ptr::from_ref(slot).cast_mut()),
                _ => AtomicPtr::default(),
            };
            let pointers: Vec<AtomicPtr<Slot>> = (0..=count).map(pointer).collect();
            Module { slots, pointers: pointers.leak() }
        };
        MODULES.map(module).into()
    })
}

/// `NvtxExportTableCallbacks`.
#[repr(C)]
struct Callbacks {
    bytes: usize,
    module: unsafe extern "C" fn(i32, *mut *const c_void, *mut u32) -> i32,
}

/// `NvtxExportTableVersionInfo`.
#[repr(C)]
struct VersionInfo {
    bytes: usize,
    version: u32,
    reserved: u32,
    set: unsafe extern "C" fn(u32),
}

/// Tells a profiler where a module's functions go.
///
/// # Safety
/// Results are null or may be written.
unsafe extern "C" fn module(number: i32, table: *mut *const c_void, count: *mut u32) -> i32 {
    let found = usize::try_from(number).ok().filter(|&number| number > 0);
    let Some(module) = found.and_then(|number| modules().get(number)) else { return 0 };
    if !table.is_null() {
        // SAFETY: the caller's, and not null.
        unsafe { table.write(module.pointers.as_ptr().cast()) };
    }
    if !count.is_null() {
        // SAFETY: the caller's, and not null.
        unsafe { count.write(module.slots.len() as u32) };
    }
    1
}

/// A profiler may say which version it is; nothing depends on it.
unsafe extern "C" fn set_version(_: u32) {}

/// Hands a table to a profiler.
unsafe extern "C" fn export(number: u32) -> *const c_void {
    static CALLBACK_TABLE: Callbacks = Callbacks { bytes: size_of::<Callbacks>(), module };
    static VERSION_TABLE: VersionInfo = VersionInfo {
        bytes: size_of::<VersionInfo>(),
        version: VERSION,
        reserved: 0,
        set: set_version,
    };
    match number {
        CALLBACKS => std::ptr::from_ref(&CALLBACK_TABLE).cast(),
        VERSION_INFO => std::ptr::from_ref(&VERSION_TABLE).cast(),
        _ => std::ptr::null(),
    }
}

/// What a profiler's library exports.
type Initialize = unsafe extern "C" fn(export: unsafe extern "C" fn(u32) -> *const c_void) -> i32;

/// Lets a profiler's library fill in its functions.
fn inject(path: OsString) -> Result<(RangeFunctions, FoundLibrary), String> {
    let path = PathBuf::from(path);
    let named = |reason: String| format!("{VARIABLE} names {}: {reason}", path.display());
    if !path.is_absolute() {
        return Err(named("not opened, it is no absolute path".to_string()));
    }
    // SAFETY: a library that the user's profiler has named, which runs its initializers.
    let library = unsafe { Library::new(&path) }.map_err(|error| named(error.to_string()))?;
    // SAFETY: NVTX documents this function under this name.
    let initialize: Option<Initialize> = unsafe { symbol(&library, "InitializeInjectionNvtx2\0") };
    let initialize =
        initialize.ok_or_else(|| named("it has no InitializeInjectionNvtx2".to_string()))?;
    // What it fills in is called until the process ends.
    std::mem::forget(library);
    // SAFETY: `export` gives the tables that NVTX 3 documents, which live as long as the process.
    if unsafe { initialize(export) } == 0 {
        return Err(named("InitializeInjectionNvtx2 failed".to_string()));
    }
    let function = |number: usize| {
        let function = modules()[CORE].slots[number].load(Ordering::Acquire);
        (!function.is_null()).then_some(function)
    };
    let (push, pop) = function(RANGE_PUSH)
        .zip(function(RANGE_POP))
        .ok_or_else(|| named("it shows no ranges".to_string()))?;
    // SAFETY: the profiler has filled in `nvtxRangePushA` and `nvtxRangePop` at these numbers.
    let functions = unsafe {
        RangeFunctions::new(
            std::mem::transmute::<*mut c_void, Push>(push),
            std::mem::transmute::<*mut c_void, Pop>(pop),
        )
    };
    Ok((functions, FoundLibrary { version: "NVTX 3".to_string(), path: Some(path.clone()) }))
}

ndany_gpu::symbols! {
    /// NVTX 2.
    pub(crate) struct NvToolsExt {
        fn nvtxRangePushA(name: *const c_char) -> i32;
        fn nvtxRangePop() -> i32;
    }
}

/// The profiler's library, if one is named, else that of NVTX 2.
pub(crate) fn ranges() -> Ranges {
    let tool = match std::env::var_os(VARIABLE) {
        Some(path) => inject(path),
        None => library::NVTX
            .get()
            .map_err(|absent| format!("{VARIABLE} is not set; {absent}"))
            .map(|library| {
                let NvToolsExt { nvtxRangePushA, nvtxRangePop } = library.symbols;
                // SAFETY: the functions that NVTX documents under these names, of a library that stays open.
                let functions = unsafe { RangeFunctions::new(nvtxRangePushA, nvtxRangePop) };
                (
                    functions,
                    FoundLibrary { version: "NVTX 2".to_string(), path: library.path.clone() },
                )
            }),
    };
    found("NVTX", "ranges in NVIDIA's profilers", tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profilers_get_the_tables_that_nvtx_documents() {
        // SAFETY: numbers, and places of this frame.
        unsafe {
            assert!(export(0).is_null() && export(2).is_null());
            let callbacks = &*export(CALLBACKS).cast::<Callbacks>();
            assert_eq!(callbacks.bytes, 16);
            assert_eq!((*export(VERSION_INFO).cast::<VersionInfo>()).bytes, 24);
            let (mut table, mut count) = (std::ptr::null(), 0);
            assert_eq!((callbacks.module)(0, &mut table, &mut count), 0);
            assert_eq!((callbacks.module)(7, &mut table, &mut count), 0);
            for number in 1..7 {
                assert_eq!((callbacks.module)(number, &mut table, &mut count), 1);
                let count = count as usize;
                let pointers = std::slice::from_raw_parts(table.cast::<*const c_void>(), count + 1);
                assert!(pointers[0].is_null() && pointers[count].is_null());
                assert!(pointers[1..count].iter().all(|pointer| !pointer.is_null()));
            }
        }
    }

    #[test]
    fn a_library_that_is_named_and_wrong_says_why() {
        for (path, reason) in [
            ("tool.so", "not opened, it is no absolute path"),
            ("/nowhere/tool.so", "/nowhere/tool.so"),
        ] {
            let error = inject(path.into()).expect_err("no library");
            assert!(error.starts_with(&format!("{VARIABLE} names {path}: ")), "{error}");
            assert!(error.contains(reason), "{error}");
        }
    }
}
