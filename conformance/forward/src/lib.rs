//! HIP and hipRTC in front of the real CUDA driver and NVRTC, so that the whole ROCm backend runs on an NVIDIA card.
//!
//! - `cuda`, `nvrtc`: the functions forwarded to, found once
//! - `context`: a thread's device, and the primary context that calls about it need
//! - `device`, `memory`, `order`, `modules`, `rtc`: HIP's functions; nearly all are CUDA's by another name
//! - `blas`: rocBLAS's products in front of cuBLAS's
//! - `codes`: errors by HIP's numbers
//! - `prelude.h`: HIP's words for kernels, in NVRTC's
//!
//! A call costs one look at the thread's current context on top of CUDA's: there is no lock and no memory of its own.
//! Deliberately absent: what the backend does not use. The README says what a
//! run on it proves. It exists for Linux; elsewhere the crate is empty.

#![cfg(target_os = "linux")]
#![allow(non_snake_case, reason = "the names are the vendors'")]

pub mod blas;
pub mod codes;
mod context;
mod cuda;
pub mod device;
mod library;
pub mod memory;
pub mod modules;
mod nvrtc;
pub mod order;
pub mod rtc;

/// What a call comes to: nothing, or HIP's number of the failure.
type Done<T = ()> = Result<T, u32>;

/// Declares C functions that are others under another name: `$table` gives the functions forwarded to, `$check` says what
/// their results are here.
macro_rules! same {
    ($table:path, $check:path; $($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) = $behind:ident;)*) => {
        $crate::exports! {
            $(
                $(#[$doc])*
                fn $name($($arg: $ty),*) {
                    // SAFETY: the caller follows HIP's documentation of the function, and CUDA's function asks for the same.
                    $check(unsafe { ($table()?.$behind)($($arg),*) })
                }
            )*
        }
    };
}
use same;

/// Declares C functions that return a number: 0, or that of the failure.
macro_rules! exports {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As the vendor documents it.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> u32 {
                let work = || -> $crate::Done { $body };
                work().err().unwrap_or(0)
            }
        )*
    };
}
use exports;

/// Stores a result where the caller wants it.
///
/// # Safety
/// `to` is null or may be written.
unsafe fn put<T>(to: *mut T, value: T) -> Done {
    if to.is_null() {
        return Err(codes::INVALID_VALUE);
    }
    // SAFETY: the caller's, and not null.
    unsafe { to.write_unaligned(value) };
    Ok(())
}
