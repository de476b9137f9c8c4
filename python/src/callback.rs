//! Calls of a user's functions from the engine.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Stops a thread for ever when it is dropped.
struct Stop;

impl Drop for Stop {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

type Call = unsafe extern "C-unwind" fn(
    *mut ffi::PyObject,
    *mut ffi::PyObject,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// Calls a function that may run Python's code.
///
/// When the interpreter ends, Python up to 3.13 ends a daemon thread in the midst of its code by `pthread_exit`, which unwinds the
/// thread's stack without Python's lock. Frames of Rust would release references and the lock then, which are not theirs any more, and
/// a frame that catches panics ends the process. So the thread stops here until the process ends, as Python 3.14 stops it itself.
pub(crate) fn call<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let object_call: unsafe extern "C" fn(_, _, _) -> _ = ffi::PyObject_Call;
    // SAFETY: both are functions of C with the same parameters, whose ABIs are compatible: the second one may unwind. It is read as what
    // may have changed, since the compiler takes a call of the function that it knows for one that does not unwind.
    let object_call = unsafe { std::ptr::from_ref(&object_call).cast::<Call>().read_volatile() };
    let stop = Stop;
    // SAFETY: the thread is attached, the arguments are a tuple, and there are none by name.
    let result =
        unsafe { object_call(function.as_ptr(), arguments.as_ptr(), std::ptr::null_mut()) };
    std::mem::forget(stop);
    // SAFETY: the call returns a reference of its own, or null with an exception.
    unsafe { Bound::from_owned_ptr_or_err(function.py(), result) }
}
