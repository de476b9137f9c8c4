//! Vendors whose interfaces have the shape of CUDA's, as AMD's have: other names, the same arguments in the same order.
//!
//! Such a vendor is six descriptions: [`Vendor`] of its driver, [`Toolchain`] of its run-time compiler, and of its
//! libraries [`Products`], [`Transforms`], [`Factorizations`] and [`SparseMatrices`]. Each lists names of functions
//! ([`names!`](crate::names!)) and numbers, and says what the vendor does in its own way. What is made of them for all
//! vendors alike stands in one file each:
//!
//! - `table`: functions under names of a vendor's own, found in a library and compared with other bindings
//! - `api`: the driver's functions, and a thread's way to a device
//! - `device`: [`Device`], the [`Driver`](crate::driver::Driver) over such a table
//! - `control`: its [`ControlDriver`](crate::driver::ControlDriver), whose functions may be missing
//! - `graphs`: its [`GraphDriver`](crate::driver::GraphDriver), likewise
//! - `attributes`: numbers of a device's attributes
//! - `rtc`: [`Rtc`], the [`Compiler`](crate::driver::Compiler)
//! - `blas`: [`Library`](blas::Library), the [`Blas`](crate::blas::Blas)
//! - `dft`: [`Library`](dft::Library), the [`Dft`](crate::dft::Dft)
//! - `solver` (and `dense`, its table for each dtype): [`Library`](solver::Library), the
//!   [`Solver`](crate::solver::Solver)
//! - `sparse`: [`Library`](sparse::Library), the [`Sparse`](crate::sparse::Sparse)
//! - `handle`: what such libraries are called by, and their codes
//! - `platform`: [`VendorPlatform`], the [`Platform`](crate::platform::Platform)
//!
//! Deliberately absent: anything that one vendor alone has.

pub mod api;
pub mod attributes;
pub mod blas;
mod control;
pub mod dense;
pub mod device;
pub mod dft;
mod graphs;
mod handle;
mod platform;
pub mod rtc;
pub mod solver;
pub mod sparse;
pub mod table;

pub use api::Vendor;
pub use blas::Products;
pub use device::Device;
pub use dft::Transforms;
pub use platform::{State, VendorPlatform, found};
pub use rtc::{Rtc, Toolchain};
pub use solver::Factorizations;
pub use sparse::SparseMatrices;
