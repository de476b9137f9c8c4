//! Reductions and scans, as `crate::array::reductions`.

use super::Function;

pub(super) mod reduce;
pub(super) mod scan;

pub(super) static TABLES: &[&[Function]] = &[reduce::FUNCTIONS, scan::FUNCTIONS];
