//! Indexing, as `crate::array::indexing`.

use super::Function;

pub(super) mod choose;
pub(super) mod index;
pub(super) mod named;
pub(super) mod positions;

pub(super) static TABLES: &[&[Function]] =
    &[choose::FUNCTIONS, index::FUNCTIONS, named::FUNCTIONS, positions::FUNCTIONS];
