//! Statistics, as `crate::array::statistics`.

use super::Function;

pub(super) mod covariance;
pub(super) mod histogram;
pub(super) mod quantile;
pub(super) mod summary;

pub(super) static TABLES: &[&[Function]] =
    &[covariance::FUNCTIONS, histogram::FUNCTIONS, quantile::FUNCTIONS, summary::FUNCTIONS];
