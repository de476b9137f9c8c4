//! The C functions. Each vendor's files translate numbers, pointers and errors, and decide nothing.
//!
//! A function is declared once, by `exports!`: that counts its calls, injects faults, traces, and puts it into a table
//! by its name.

pub mod control;
mod copies;
pub mod cuda;
pub mod hip;
pub mod hiprtc;
mod launches;
pub mod nvrtc;
pub(crate) mod rtc;
pub mod shared;
mod waits;

use std::ffi::{CStr, c_char};

use crate::device::Machine;
use crate::failure::{Failure, Result};
use crate::inject::{self, Wish};
use crate::settings::{Settings, TraceLevel};

/// A function by its name.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    /// As the library exports it.
    pub name: &'static str,
    /// Where it is.
    pub address: *const (),
}

// SAFETY: the address of a function.
unsafe impl Sync for Export {}

/// Declares C functions that return a number: `code` makes it of a failure.
macro_rules! exports {
    ($table:ident, $code:path; $($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As the vendor documents it.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> u32 {
                $crate::exports::call(stringify!($name), $code, || $body)
            }
        )*
        /// The functions of this file.
        pub static $table: &[$crate::exports::Export] = &[
            $($crate::exports::Export { name: stringify!($name), address: $name as *const () }),*
        ];
    };
}
pub(crate) use exports;

/// One call of an export.
pub(crate) fn call(
    name: &'static str,
    code: fn(&Failure) -> u32,
    work: impl FnOnce() -> Result<()>,
) -> u32 {
    let (number, wish) = inject::take(name);
    let done = match wish {
        Some(Wish::Code(code)) => Err(Failure::Injected(code)),
        Some(Wish::Lost) => {
            Machine::lose();
            work()
        }
        None => work(),
    };
    if done.as_ref().is_err_and(Failure::is_misuse) {
        inject::misuse();
    }
    match (Settings::get().trace, &done) {
        (TraceLevel::Nothing, _) | (TraceLevel::Errors, Ok(()) | Err(Failure::NotReady)) => {}
        (TraceLevel::Calls, Ok(())) => eprintln!("softgpu: {name} ({number})"),
        (TraceLevel::Errors | TraceLevel::Calls, Err(error)) => {
            eprintln!("softgpu: {name} ({number}): {error}")
        }
    }
    match done {
        Ok(()) => 0,
        Err(Failure::Injected(code)) => code,
        Err(failure) => code(&failure),
    }
}

/// Stores a result where the caller wants it.
///
/// # Safety
/// `to` is null or may be written.
pub(crate) unsafe fn put<T>(to: *mut T, value: T) -> Result<()> {
    if to.is_null() {
        return Err(Failure::InvalidValue("a null pointer for a result"));
    }
    // SAFETY: the caller's, and not null.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// A C string.
///
/// # Safety
/// `text` is null or a C string.
pub(crate) unsafe fn text(text: *const c_char) -> Result<String> {
    if text.is_null() {
        return Err(Failure::InvalidValue("a null pointer for a text"));
    }
    // SAFETY: the caller's, and not null.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
