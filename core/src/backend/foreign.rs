//! Memory that crosses the border: of another library, used here; and of this engine, used by another library.

use std::any::Any;
use std::fmt;

/// What keeps foreign memory alive: the memory is valid until this is dropped.
pub type Owner = Box<dyn Any + Send>;

/// Memory that another library has allocated. Nothing here writes it.
pub struct ForeignMemory {
    /// The first byte, as the device sees it.
    pub address: u64,
    /// Number of bytes, at least one.
    pub bytes: usize,
    /// Dropped when no work uses the memory any more.
    pub owner: Owner,
}

impl ForeignMemory {
    /// Where a backend's memory begins that has its first byte at a multiple of `alignment`, and how many bytes lie before
    /// the address then. The bytes before it are not used, but words around the first element may be read.
    pub fn aligned(&self, alignment: u64) -> (u64, usize) {
        let before = self.address % alignment;
        (self.address - before, before as usize)
    }
}

impl fmt::Debug for ForeignMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, bytes, owner: _ } = self;
        write!(f, "ForeignMemory({bytes} bytes at {address:#x})")
    }
}

/// What another library does with memory that is lent to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads.
    Read,
    /// It reads and writes.
    Write,
}
