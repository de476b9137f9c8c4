//! Errors that a kernel finds while it runs: words that stay zero if all goes well.

use std::fmt;
use std::sync::Arc;

use ndany_core::Error;

use crate::driver::Address;

/// The error words of a launch: what each says is between its kernels and its `explain`.
pub(crate) type FaultWords = [u64; 4];

/// Makes an error of what the kernel wrote.
type Explain = dyn Fn(&FaultWords) -> Error + Send + Sync;

/// The error words of one launch.
#[derive(Clone)]
pub(crate) struct Fault(Arc<Word>);

struct Word {
    address: Address,
    explain: Box<Explain>,
}

impl Fault {
    pub(crate) fn new(
        address: Address,
        explain: impl Fn(&FaultWords) -> Error + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Word { address, explain: Box::new(explain) }))
    }

    /// The words in memory that the device reaches, zeros before the launch.
    pub(crate) fn address(&self) -> Address {
        self.0.address
    }

    /// The error that words other than zeros stand for.
    pub(crate) fn explain(&self, words: &FaultWords) -> Error {
        (self.0.explain)(words)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fault({:#x})", self.0.address)
    }
}
