//! `np.linalg`, as `crate::linalg`.

use super::Function;

pub(super) mod decompositions;
pub(super) mod norm;

pub(super) static TABLES: &[&[Function]] =
    &[decompositions::PLAIN, decompositions::FUNCTIONS, norm::FUNCTIONS];
