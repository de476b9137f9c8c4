//! Creation, as `crate::array::creation`.

use super::Function;

pub(super) mod create;
pub(super) mod diagonal;
pub(super) mod grids;
pub(super) mod ranges;

pub(super) static TABLES: &[&[Function]] =
    &[create::FUNCTIONS, diagonal::FUNCTIONS, grids::FUNCTIONS, ranges::FUNCTIONS];
