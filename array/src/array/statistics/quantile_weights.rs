//! Quantiles of weighted elements: the first element up to which the weights make the share asked for, NumPy's method
//! `inverted_cdf`, the only one that takes weights.

use crate::arguments::AxisOptions;
use crate::array::Array;
use crate::array::statistics::quantile::QuantileRows;
use crate::array::ufuncs as ufunc;
use ndany_core::{DType, Error, Kind, Result};

fn wrong(op: &'static str, reason: impl Into<String>) -> Error {
    Error::ArgumentValue { op: op.to_string(), reason: reason.into() }
}

/// Weights over the array: one for each element, or one for each place along the axes, in their order.
pub(in crate::array) fn broadcast_weights(
    op: &'static str,
    array: &Array,
    weights: &Array,
    options: &AxisOptions,
) -> Result<Array> {
    if weights.dtype().is_complex() {
        let dtypes = weights.dtype().to_string();
        return Err(Error::DTypes { op, dtypes, remedy: "use real weights" });
    }
    let weights = options.broadcast_weights(op, array, weights)?;
    if weights.try_less(0)?.try_any(..)?.item::<bool>()? {
        return Err(wrong(op, "weights must not be negative"));
    }
    Ok(weights.broadcast_view(array.shape()))
}

/// Weights of a row that are added strictly from left to right.
const FEW: usize = 1 << 14;

/// Running sums of rows. A share often is one of them, and roundings then say on which side of it an element lies: NumPy's
/// are from left to right, and so are these, but for long rows, of which a device makes many sums at once.
fn running(weights: &Array) -> Result<Array> {
    let length = weights.shape().last().copied().unwrap_or(1);
    if length > FEW {
        return weights.try_cumsum(-1);
    }
    // What is subtracted one by one is in this order.
    let first = crate::array::try_arange(length)?.try_equal(0)?;
    let turned = crate::elementwise::try_where(first, weights.try_negative()?, weights)?;
    ufunc::subtract.try_accumulate(&turned, -1)?.try_negative()
}

/// The quantiles `flat` (1-d) of rows, one after another along the last axis.
pub(in crate::array) fn elements(
    op: &'static str,
    rows: &QuantileRows,
    weights: &Array,
    flat: &Array,
    options: &AxisOptions,
) -> Result<Array> {
    let order = rows.as_they_are().try_argsort(-1)?;
    let sorted = rows.sorted()?;
    let weights = QuantileRows::laid(op, weights, options)?.try_astype(DType::F64)?;
    let weights = weights.try_take_along_axis(&order, -1)?;
    // What is skipped comes after the rest and has weight 0.
    let (weights, some) = match rows.valid() {
        None => (weights, None),
        Some(valid) => {
            let counts = sorted.try_isnan()?.try_logical_not()?;
            (crate::elementwise::try_where(counts, weights, 0.0)?, Some(valid.try_greater(0)?))
        }
    };
    let sums = running(&weights)?;
    let total = sums.try_i((crate::array::Ellipsis, -1isize, crate::array::NewAxis))?;
    let shares = sums.try_divide(&total)?;
    let mut lost =
        shares.try_i((crate::array::Ellipsis, -1isize, crate::array::NewAxis))?.try_isnan()?;
    if let Some(some) = some {
        lost = lost.try_logical_and(some)?;
    }
    if lost.try_any(..)?.item::<bool>()? {
        return Err(wrong(op, "weights hold NaN or infinity, or all of them are zero"));
    }
    // NumPy compares in the dtype of the quantiles.
    let (shares, flat) = match flat.dtype().kind() {
        Kind::Float => (shares.try_astype(flat.dtype())?, flat.clone()),
        Kind::Bool | Kind::Int | Kind::Complex => (shares, flat.try_astype(DType::F64)?),
    };
    // The share 0 ends at the first element that weighs something.
    let short = shares.try_expand_dims(-2)?.try_less(flat.try_expand_dims(-1)?)?;
    let nothing = shares.try_equal(0)?.try_expand_dims(-2)?;
    let before = short.try_logical_or(nothing)?.try_count_nonzero(-1)?;
    let places = before.try_minimum(rows.length() as i64 - 1)?;
    sorted.try_take_along_axis(&places, -1)
}
