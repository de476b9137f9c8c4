//! Memory that arrays and other libraries use together, for bindings to other languages and exchanges as DLPack.
//!
//! [`ForeignArray`] is memory of another library, which becomes an array without a copy; [`Export`] is memory of an array in the hands
//! of others. [`View`] is a part of an array's memory under a layout, by which a binding builds views that alias as NumPy's do.
//! [`allocate_from`] says where memory of arrays comes from: managed memory, an allocator of the program's own. [`IpcHandle`] is an
//! array as other processes of the machine can use it.
//! [`CallSite`] is the line of a binding's program that errors name.
//!
//! Arrays are values: a write never shows in another array. Memory that others write, too, is **pinned**, the exception to this rule. A write
//! to a pinned array, or through a view of it, goes into the memory that it has; what is made of it is computed before the call that asks for it
//! returns, since its values may change after. Memory of an array is pinned while an [`Export`] that may write lives, memory of
//! another library from its import on.

#![allow(unsafe_code, reason = "the caller's promise about memory is passed on to the backend")]

mod foreign;
mod interface;
mod ipc;
mod lent;
mod memory;
mod view;

pub use foreign::ForeignArray;
pub use interface::ArrayInterface;
pub use ipc::IpcHandle;
pub use lent::Export;
pub use memory::{
    Allocator, AllocatorError, MemoryAdvice, MemoryPlace, MemorySource, MemorySourceGuard, advise,
    allocate_from, prefetch,
};
pub use view::View;

pub use ndany_core::shape::{Layout, Shape, Strides};
pub use ndany_core::{CallSite, CallSiteGuard};

use crate::array::Array;
use crate::graph::node::NodeKind;
use ndany_core::Result;

/// Returns whether the array's value is still to be computed.
///
/// - **Errors**: none.
///
/// ```
/// use ndany::exchange::is_pending;
/// use ndany::prelude::*;
/// let a = array([1, 2]) + 1;
/// assert!(is_pending(&a));
/// a.eval()?;
/// assert!(!is_pending(&a));
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn is_pending(array: &Array) -> bool {
    array.node().is_pending()
}

/// Returns the error that a read of the array would give, as far as it is known without waiting for a device.
///
/// On devices whose calls return when their work is done, an operation that may fail by its data (a power of integers) is computed
/// for the answer. So a binding raises errors of data in the call that makes them, as NumPy does; [calls by name](mod@crate::call) do so.
///
/// - **Errors**: the array's.
///
/// ```
/// use ndany::exchange::known_error;
/// use ndany::prelude::*;
/// # let _guard = Device::open("reference")?.enter();
/// let row = array([1, 2]);
/// assert!(known_error(&row.take(array([7i64]), ..)).is_err_and(|error| error.class() == "IndexError"));
/// assert!(known_error(&row.pow(array([0, -1]))).is_err());
/// assert!(known_error(&row.pow(array([0, 1]))).is_ok());
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn known_error(array: &Array) -> Result<()> {
    let node = array.node();
    let fails_by_itself = matches!(node.nature, NodeKind::Fallible);
    if fails_by_itself && node.is_pending() && array.device().backend().profile().is_synchronous {
        return array.eval();
    }
    match node.outcome() {
        Some(Err(error)) => Err(error.clone()),
        Some(Ok(_)) | None => Ok(()),
    }
}
