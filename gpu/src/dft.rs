//! Fourier transforms by a vendor's library: what the backend asks for where there is one.
//!
//! The library is opened at the first question, not with the device. Deliberately absent: transforms along several axes
//! at once, scaling, and transforms to real numbers of input that is to stay: core and this crate's kernels do these.

use std::fmt::Debug;

use ndany_core::DType;
use ndany_core::backend::Transformation;

use crate::driver::{Address, DriverResult, Stream};

/// What a plan depends on. Rows lie packed, one after the other where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// What to do.
    pub kind: Transformation,
    /// Of a number's parts: F32 or F64.
    pub part: DType,
    /// Points.
    pub length: usize,
    /// Rows.
    pub rows: usize,
    /// Whether results lie side by side: the first elements of all rows, then the second ones.
    pub across: bool,
}

/// A vendor's library for Fourier transforms on one device.
pub trait Dft: Debug + Send + Sync {
    /// Whether the library is present. Opens it at the first call; if it is missing the backend uses its own kernels.
    fn is_there(&self) -> bool;

    /// Makes the plan if it is not there, and says how many bytes of workspace it wants.
    fn workspace(&self, plan: &Plan) -> DriverResult<usize>;

    /// Gives back what is kept for the next transforms, because memory is short; `false` where nothing is. May wait for
    /// the device.
    fn release(&self) -> bool;

    /// Submits transforms to the stream; only where the library [is there](Dft::is_there). What is read may be
    /// spoiled where the transform is to real numbers.
    ///
    /// # Safety
    /// As of [`Driver`](crate::driver::Driver): the memory is alive, and what is written has no other user, and the
    /// workspace, until the stream is past it.
    unsafe fn transform(
        &self,
        plan: &Plan,
        from: Address,
        to: Address,
        workspace: Address,
        stream: Stream,
    ) -> DriverResult<()>;
}
