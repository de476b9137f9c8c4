//! Errors that a kernel finds while it runs: words that stay zero if all goes well.

use std::fmt;
use std::sync::Arc;

use ndany_core::Error;

use crate::driver::Address;

/// Makes an error of what the kernel wrote.
type Explain = dyn Fn(u64) -> Error + Send + Sync;

/// The error word of one launch.
#[derive(Clone)]
pub(crate) struct Fault(Arc<Word>);

struct Word {
    address: Address,
    explain: Box<Explain>,
}

impl Fault {
    pub(crate) fn new(
        address: Address,
        explain: impl Fn(u64) -> Error + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Word { address, explain: Box::new(explain) }))
    }

    /// Eight bytes of device memory, aligned to eight, zero before the launch.
    pub(crate) fn address(&self) -> Address {
        self.0.address
    }

    /// The error that a value other than zero stands for.
    pub(crate) fn explain(&self, value: u64) -> Error {
        (self.0.explain)(value)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fault({:#x})", self.0.address)
    }
}
