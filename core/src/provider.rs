//! How backends are named to an engine that names none of them.

use std::sync::Arc;

use crate::backend::Backend;
use crate::error::Result;
use crate::ranges::Ranges;
use crate::report::Report;

/// What a vendor crate gives to [`providers!`](crate::providers).
#[derive(Clone, Copy, Debug)]
pub struct Provider {
    /// The part of a device name before the colon: `cpu`, `cuda`, `hip`.
    pub name: &'static str,
    /// Opens the device whose name goes on, after the colon, with `options`.
    ///
    /// # Safety
    /// What a request names is checked before a backend runs it ([`Checked`](crate::backend::Checked)); no check sees the
    /// following rules of the [seam](crate::backend). The code that opens a backend upholds them in every call of it:
    ///
    /// - Memory that a call writes is used by no other call meanwhile, on no thread, but as the seam's rule of aliasing says:
    ///   an input is the memory of an output only under the same layout and dtype, and every element of an output, and of all
    ///   outputs together, is another one.
    /// - Memory is read only where it has been written, and holds 0 or 1 where it is read as [`DType::Bool`](crate::DType).
    /// - [`Positions::bounds_checked`](crate::backend::Positions::bounds_checked) is set only where no position is out of range.
    /// - The positions of a [`SparseProduct`](crate::backend::SparseProduct) are in range.
    /// - Text of a user's own ([`RawKernels::launch`](crate::backend::RawKernels::launch)) is launched only where the user has
    ///   vouched for it.
    /// - An allocator given to [`Pool::enter`](crate::backend::Pool::enter) gives memory of the device, of as many bytes as were
    ///   asked for, with no other user until it is given back.
    /// - A handle given to [`Control::external`](crate::backend::Control::external) is that of a stream of the device, which
    ///   lives as long as the result.
    pub open: unsafe fn(options: &str) -> Result<Arc<dyn Backend>>,
    /// Names of the devices that are there, the best first; opens nothing.
    pub discover: fn() -> Vec<String>,
    /// A report for users; opens no device.
    pub report: fn() -> Report,
    /// Looks for the library of the vendor's profilers, if there are such; opens no device.
    pub ranges: Option<fn() -> Ranges>,
}

/// Tells the crate of arrays which backends are compiled in. Written once in a program: the facade crate `ndany` does
/// it, and so does a test that uses arrays without the facade.
///
/// It defines the symbols that devices and calls by name refer to, so a backend cannot be forgotten by the linker and
/// nothing runs before `main`. The symbols carry the version: two versions of the engine in one program have providers of
/// their own, and neither calls those of the other.
///
/// After a semicolon stand the tables of crates that add functions (`ndany_array::extend::Table`).
#[macro_export]
macro_rules! providers {
    ($($provider:expr),* $(,)? $(; $($table:expr),* $(,)?)?) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub extern "Rust" fn __ndany_tables_0_1() -> &'static [$crate::AnyTable] {
            static TABLES: &[$crate::AnyTable] = &[$($($table),*)?];
            TABLES
        }


        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub extern "Rust" fn __ndany_providers_0_1() -> &'static [$crate::Provider] {
            static PROVIDERS: &[$crate::Provider] = &[$($provider),*];
            PROVIDERS
        }
    };
}

/// A table of functions that another crate adds, of a type that this crate does not know.
pub type AnyTable = &'static (dyn std::any::Any + Send + Sync);

/// The symbol's version is the crate's: a change of it is a change of both.
const _: () = {
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    assert!(matches!((major.as_bytes(), minor.as_bytes()), (b"0", b"1")), "rename the symbol");
};
