//! Mathematics beyond elementwise operations, as `crate::array::math`.

use super::Function;

pub(super) mod difference;
pub(super) mod elementary;
pub(super) mod limits;
pub(super) mod unwrap;

pub(super) static TABLES: &[&[Function]] =
    &[difference::FUNCTIONS, elementary::FUNCTIONS, limits::FUNCTIONS, unwrap::FUNCTIONS];
