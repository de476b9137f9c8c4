//! Manipulation, as `crate::array::manipulation`.

use super::Function;

pub(super) mod edit;
pub(super) mod manipulate;
pub(super) mod pad;

pub(super) static TABLES: &[&[Function]] =
    &[edit::FUNCTIONS, manipulate::FUNCTIONS, pad::FUNCTIONS];
