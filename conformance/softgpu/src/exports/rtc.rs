//! Programs of run-time compilers, for every vendor's functions.

use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::{put, text};
use crate::compiler::{Image, Options, Refusal, compile};
use crate::failure::{Failure, Result};
use crate::{inject, leaks};

/// What compilers call what went wrong, all of them alike.
pub(super) const INVALID_INPUT: u32 = 3;
pub(super) const INVALID_PROGRAM: u32 = 4;
pub(super) const INVALID_OPTION: u32 = 5;
pub(super) const COMPILATION: u32 = 6;

/// The number of a failure that has no number of its own.
pub(super) fn code(failure: &Failure) -> u32 {
    match failure {
        Failure::Injected(code) => *code,
        Failure::InvalidHandle(_) => INVALID_PROGRAM,
        _ => INVALID_INPUT,
    }
}

/// A text, and what came of it.
#[derive(Debug, Default)]
pub(super) struct Program {
    source: String,
    /// The call that made it.
    call: u64,
    /// Instances of templates, as C strings.
    expressions: Vec<CString>,
    pub(super) image: Vec<u8>,
    pub(super) log: Vec<u8>,
}

static PROGRAMS: LazyLock<Mutex<HashMap<u64, Program>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU64 = AtomicU64::new(0x2000);

fn programs() -> MutexGuard<'static, HashMap<u64, Program>> {
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The calls that made leaked programs.
pub(crate) fn leaks() -> Vec<u64> {
    let mut calls: Vec<u64> = programs().values().map(|program| program.call).collect();
    calls.sort_unstable();
    calls
}

/// Forgets all programs.
pub(super) fn clear() {
    programs().clear();
}

fn with<T>(program: u64, work: impl FnOnce(&mut Program) -> Result<T>) -> Result<T> {
    work(programs().get_mut(&program).ok_or(Failure::InvalidHandle("program"))?)
}

/// A part of a program.
///
/// # Safety
/// As many bytes can be written as `size` says.
pub(super) unsafe fn output(
    program: u64,
    to: *mut c_char,
    pick: impl FnOnce(&Program) -> &[u8],
) -> Result<()> {
    with(program, |program| {
        let bytes = pick(program);
        if to.is_null() {
            return Err(Failure::InvalidValue("a null pointer for a result"));
        }
        // SAFETY: the caller's: as many bytes as the function of the size says.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    })
}

/// Its bytes.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn size(
    program: u64,
    to: *mut usize,
    pick: impl FnOnce(&Program) -> &[u8],
) -> Result<()> {
    let size = with(program, |program| Ok(pick(program).len()))?;
    // SAFETY: the caller's.
    unsafe { put(to, size) }
}

/// A program of a text; headers are not taken.
///
/// # Safety
/// A C string, and a result that can be written.
pub(super) unsafe fn create(to: *mut u64, source: *const c_char, headers: i32) -> Result<()> {
    if headers != 0 {
        return Err(Failure::InvalidValue("the software GPU takes no headers"));
    }
    // SAFETY: the caller's.
    let source = unsafe { text(source) }?;
    let handle = NEXT.fetch_add(16, Ordering::Relaxed);
    leaks::watch();
    let (call, log) = (inject::number(), vec![0]);
    programs().insert(handle, Program { source, call, log, ..Program::default() });
    // SAFETY: the caller's.
    unsafe { put(to, handle) }
}

/// Compiles it; whether that worked is in the log.
///
/// # Safety
/// A list of this number of pointers to C strings.
pub(super) unsafe fn build(
    program: u64,
    count: i32,
    given: *const *const c_char,
    options: impl FnOnce(&[String]) -> std::result::Result<Options, String>,
) -> Result<()> {
    let (source, expressions) = with(program, |program| {
        let texts = program.expressions.iter().map(|text| text.to_string_lossy().into_owned());
        Ok((program.source.clone(), texts.collect::<Vec<String>>()))
    })?;
    // SAFETY: the caller's.
    let given = (0..count.max(0) as usize).map(|k| unsafe { text(*given.add(k)) });
    let given = given.collect::<Result<Vec<String>>>()?;
    let (done, log) = match options(&given) {
        Err(log) => (Err(Failure::Injected(INVALID_OPTION)), format!("error: {log}\n")),
        Ok(options) => {
            match compile(&source, &Options { expressions, ..options }).as_ref().map(Image::bytes) {
                Ok(image) => (Ok(image), String::new()),
                Err(Refusal(log)) => (Err(Failure::Injected(COMPILATION)), log.clone()),
            }
        }
    };
    with(program, |program| {
        program.log = [log.as_bytes(), &[0]].concat();
        program.image = done?;
        Ok(())
    })
}

/// Adds the name of an instance of a template.
///
/// # Safety
/// A C string.
pub(super) unsafe fn add(program: u64, name: *const c_char) -> Result<()> {
    // SAFETY: the caller's.
    let name = CString::new(unsafe { text(name) }?).unwrap_or_default();
    with(program, |program| {
        program.expressions.push(name);
        Ok(())
    })
}

/// What an instance is called in the machine code: as it was added.
///
/// # Safety
/// A C string, and a result that can be written.
pub(super) unsafe fn lowered(
    program: u64,
    name: *const c_char,
    to: *mut *const c_char,
) -> Result<()> {
    // SAFETY: the caller's.
    let name = unsafe { text(name) }?;
    let found = with(program, |program| {
        let known = program.expressions.iter().find(|known| known.to_bytes() == name.as_bytes());
        let known = known.ok_or(Failure::InvalidValue("a name that was not added"))?;
        if program.image.is_empty() {
            return Err(Failure::InvalidValue("a program that is not compiled"));
        }
        // Where the text is does not change with the program.
        Ok(known.as_ptr() as usize)
    })?;
    // SAFETY: the caller's.
    unsafe { put(to, found as *const c_char) }
}

/// Forgets a program.
///
/// # Safety
/// Null, or a handle that can be read and written.
pub(super) unsafe fn destroy(program: *mut u64) -> Result<()> {
    if program.is_null() {
        return Err(Failure::InvalidHandle("program"));
    }
    // SAFETY: the caller's, and not null.
    let handle = unsafe { program.replace(0) };
    programs().remove(&handle).map(|_| ()).ok_or(Failure::InvalidHandle("program"))
}
