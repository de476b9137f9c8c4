//! The line of the user's program that asks for an operation, which errors name that come later.

use std::sync::{Mutex, PoisonError};

use ndany::exchange::{CallSite, CallSiteGuard};
use pyo3::prelude::*;
use pyo3::sync::{MutexExt, PyOnceLock};
use pyo3::{ffi, intern};

/// Places that are remembered: to find the line of an instruction takes as long as the function is.
const REMEMBERED: usize = 256;

/// What is known of an instruction.
struct Known {
    /// Held, so that its address is no other code's.
    code: Py<PyAny>,
    instruction: i64,
    /// `None` in the package itself and in NumPy: their caller is meant.
    site: Option<CallSite>,
}

static KNOWN: Mutex<[Option<Known>; REMEMBERED]> = Mutex::new([const { None }; REMEMBERED]);

/// The folders whose lines are not the user's.
fn folders(py: Python<'_>) -> PyResult<&'static [String]> {
    static FOLDERS: PyOnceLock<Vec<String>> = PyOnceLock::new();
    let found = FOLDERS.get_or_try_init(py, || {
        let folder = |name: &str| {
            let mut folder: String =
                py.import(name)?.getattr("__path__")?.get_item(0)?.extract()?;
            folder.push(std::path::MAIN_SEPARATOR);
            Ok::<_, PyErr>(folder)
        };
        Ok::<_, PyErr>(vec![folder("ndany")?, folder("numpy")?])
    })?;
    Ok(found)
}

/// The line that a frame is at, `None` in the package.
fn line_of(frame: &Bound<'_, PyAny>, code: &Bound<'_, PyAny>) -> PyResult<Option<CallSite>> {
    let py = frame.py();
    let file: String = code.getattr(intern!(py, "co_filename"))?.extract()?;
    if folders(py)?.iter().any(|folder| file.starts_with(folder)) {
        return Ok(None);
    }
    let line: Option<u32> = frame.getattr(intern!(py, "f_lineno"))?.extract()?;
    Ok(Some(CallSite::of_program(&file, line.unwrap_or(0))))
}

/// [`line_of`], as it is remembered.
fn known_line_of(frame: &Bound<'_, PyAny>) -> PyResult<Option<CallSite>> {
    let py = frame.py();
    // SAFETY: the frame is one, and the thread is attached; the call returns a reference of its own, which is never null.
    let code =
        unsafe { Bound::from_owned_ptr(py, ffi::PyFrame_GetCode(frame.as_ptr().cast()).cast()) };
    let instruction: i64 = frame.getattr(intern!(py, "f_lasti"))?.extract()?;
    let place =
        (code.as_ptr().addr() >> 4).wrapping_mul(31).wrapping_add(instruction as usize >> 1);
    let place = place % REMEMBERED;
    {
        let known = KNOWN.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &known[place]
            && known.code.is(&code)
            && known.instruction == instruction
        {
            return Ok(known.site);
        }
    }
    let site = line_of(frame, &code)?;
    let new = Known { code: code.unbind(), instruction, site };
    let mut known = KNOWN.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
    let before = known[place].replace(new);
    // Code that is dropped may run functions of Python.
    drop(known);
    drop(before);
    Ok(site)
}

/// The line of the user's program that runs on this thread.
pub(crate) fn here(py: Python<'_>) -> Option<CallSite> {
    // SAFETY: the thread is attached; the frame is borrowed from the interpreter, and null where no code of Python runs.
    let frame = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyEval_GetFrame().cast()) };
    let mut frame: Option<Bound<'_, PyAny>> = frame;
    while let Some(current) = frame {
        // What has no line has no place, which is no error of the program.
        if let Some(site) = known_line_of(&current).ok()? {
            return Some(site);
        }
        frame = current.getattr(intern!(py, "f_back")).ok().filter(|frame| !frame.is_none());
    }
    None
}

/// Makes the user's line the place of what this thread asks the engine for, while the guard lives.
pub(crate) fn enter(py: Python<'_>) -> Option<CallSiteGuard> {
    here(py).map(CallSite::enter)
}
