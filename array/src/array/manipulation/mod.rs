//! Manipulation: other shapes, axes and memory orders, joining, splitting, repeating, rotating, padding, insertion.

pub(crate) mod edit;
pub(crate) mod join;
pub(crate) mod manipulate;
pub(crate) mod order;
pub(crate) mod pad;
pub(crate) mod split;
pub(crate) mod tile;
