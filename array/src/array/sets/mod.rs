//! Sets: the different elements of an array, and which elements are in both of two arrays, in either, or in one.

pub(crate) mod integer_table;
pub(crate) mod membership;
pub(crate) mod unique;
