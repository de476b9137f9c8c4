//! How backends are named to an engine that names none of them.

use std::sync::Arc;

use crate::backend::Backend;
use crate::error::Result;
use crate::report::Report;

/// What a vendor crate gives to [`providers!`](crate::providers).
#[derive(Clone, Copy, Debug)]
pub struct Provider {
    /// The part of a device name before the colon: `cpu`, `cuda`, `hip`.
    pub name: &'static str,
    /// Opens the device whose name goes on, after the colon, with `options`.
    pub open: fn(options: &str) -> Result<Arc<dyn Backend>>,
    /// Names of the devices that are there, the best first; opens nothing.
    pub discover: fn() -> Vec<String>,
    /// What there is, for a person; opens no device.
    pub report: fn() -> Report,
}

/// Tells the crate of arrays which backends are compiled in. Written once in a program: the facade crate `ndany` does
/// it, and so does a test that uses arrays without the facade.
///
/// It defines the one symbol that devices refer to, so a backend cannot be forgotten by the linker and
/// nothing runs before `main`. The symbol carries the version: two versions of the engine in one program have providers of
/// their own, and neither calls those of the other.
#[macro_export]
macro_rules! providers {
    ($($provider:expr),* $(,)?) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub extern "Rust" fn __ndany_providers_0_1() -> &'static [$crate::Provider] {
            static PROVIDERS: &[$crate::Provider] = &[$($provider),*];
            PROVIDERS
        }
    };
}

/// The symbol's version is the crate's: a change of it is a change of both.
const _: () = {
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    assert!(matches!((major.as_bytes(), minor.as_bytes()), (b"0", b"1")), "rename the symbol");
};
