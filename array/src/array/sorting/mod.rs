//! Sorting, partitions, and searches in sorted rows.

pub(crate) mod partition;
pub(crate) mod sample_select;
pub(crate) mod search;
pub(crate) mod sort;
