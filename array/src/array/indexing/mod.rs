//! Indexing: basic and advanced indices, reads and writes at positions and under masks, and positions that follow from shapes.

pub(crate) mod advanced_index;
pub(crate) mod choose;
pub(crate) mod fancy;
pub(crate) mod gather;
pub(crate) mod index;
pub(crate) mod index_tricks;
#[cfg(feature = "call")]
pub(crate) mod named;
pub(crate) mod put;
pub(crate) mod take;
pub(crate) mod window;
