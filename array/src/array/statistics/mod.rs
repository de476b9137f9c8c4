//! Statistics: averages, counts, quantiles, covariances, histograms.

pub(crate) mod bin_rules;
pub(crate) mod bincount;
pub(crate) mod covariance;
pub(crate) mod edges;
pub(crate) mod histogram;
pub(crate) mod histogram_dd;
pub(crate) mod quantile;
pub(crate) mod quantile_method;
pub(crate) mod quantile_weights;
pub(crate) mod summary;
pub(crate) mod weighted_bincount;
