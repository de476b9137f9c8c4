//! Where quantiles lie in a sorted row: NumPy's thirteen methods, nine of them those of Hyndman & Fan, "Sample
//! quantiles in statistical packages", The American Statistician 50 (1996).

pub use crate::arguments::choices::QuantileMethod;
use crate::array::Array;
use crate::graph::Operand;
use ndany_core::{DType, Kind, Result};

impl QuantileMethod {
    const ALL: [(&'static str, QuantileMethod); 13] = [
        ("inverted_cdf", QuantileMethod::InvertedCdf),
        ("averaged_inverted_cdf", QuantileMethod::AveragedInvertedCdf),
        ("closest_observation", QuantileMethod::ClosestObservation),
        ("interpolated_inverted_cdf", QuantileMethod::InterpolatedInvertedCdf),
        ("hazen", QuantileMethod::Hazen),
        ("weibull", QuantileMethod::Weibull),
        ("linear", QuantileMethod::Linear),
        ("median_unbiased", QuantileMethod::MedianUnbiased),
        ("normal_unbiased", QuantileMethod::NormalUnbiased),
        ("lower", QuantileMethod::Lower),
        ("higher", QuantileMethod::Higher),
        ("midpoint", QuantileMethod::Midpoint),
        ("nearest", QuantileMethod::Nearest),
    ];

    /// The method that NumPy calls `name`.
    pub(crate) fn from_name(name: &str) -> Option<QuantileMethod> {
        QuantileMethod::ALL.iter().find(|(known, _)| *known == name).map(|(_, method)| *method)
    }

    /// Whether it interpolates between elements.
    #[cfg(feature = "call")]
    pub(crate) fn is_between(self) -> bool {
        match self {
            QuantileMethod::InvertedCdf
            | QuantileMethod::ClosestObservation
            | QuantileMethod::Lower
            | QuantileMethod::Higher
            | QuantileMethod::Nearest => false,
            QuantileMethod::AveragedInvertedCdf
            | QuantileMethod::InterpolatedInvertedCdf
            | QuantileMethod::Hazen
            | QuantileMethod::Weibull
            | QuantileMethod::Linear
            | QuantileMethod::MedianUnbiased
            | QuantileMethod::NormalUnbiased
            | QuantileMethod::Midpoint => true,
        }
    }
}

/// Where a quantile lies.
pub(in crate::array) struct QuantilePosition {
    /// The position of an element (I64).
    pub(in crate::array) before: Array,
    /// The position of another one, and how far the quantile is on the way there; without it the quantile
    /// is the element.
    pub(in crate::array) share: Option<(Array, Array)>,
}

/// Where the quantiles `q` (1-d) lie in rows of `count` elements (a number, or I64 with a last axis of 1).
pub(in crate::array) fn place(
    method: QuantileMethod,
    count: &Operand,
    q: &Array,
) -> Result<QuantilePosition> {
    let exact = matches!(q.dtype().kind(), Kind::Bool | Kind::Int);
    if exact && method == QuantileMethod::Linear {
        // All, or nothing: NumPy takes the elements as they are.
        let before = q.try_astype(DType::I64)?.try_multiply(last(count)?)?;
        return Ok(QuantilePosition { before, share: None });
    }
    let q = if exact { q.try_astype(DType::F64)? } else { q.clone() };
    let count = match count {
        Operand::Array(count) => Operand::Array(count.try_astype(q.dtype())?),
        Operand::Scalar(_) => count.clone(),
    };
    let scaled = q.try_multiply(&count)?;
    let linear = q.try_multiply(last(&count)?)?;
    let virtual_index = |alpha: f64, beta: f64| {
        let shift = q.try_multiply(1.0 - alpha - beta)?.try_add(alpha)?;
        scaled.try_add(shift)?.try_subtract(1)
    };
    let discrete = |before: Array| {
        Ok(QuantilePosition { before: before.try_astype(DType::I64)?, share: None })
    };
    let index = match method {
        QuantileMethod::InvertedCdf => {
            let index = scaled.try_subtract(1)?;
            let floor = index.try_floor()?;
            let place =
                crate::elementwise::try_where(index.try_equal(&floor)?, &floor, floor.try_add(1)?)?;
            return discrete(place.try_maximum(0)?);
        }
        QuantileMethod::ClosestObservation => {
            let index = scaled.try_subtract(1)?.try_subtract(0.5)?;
            let floor = index.try_floor()?;
            let odd = floor.try_remainder(2)?.try_equal(1)?;
            let stays = index.try_equal(&floor)?.try_logical_and(odd)?;
            let place = crate::elementwise::try_where(stays, &floor, floor.try_add(1)?)?;
            return discrete(place.try_maximum(0)?);
        }
        QuantileMethod::Lower => return discrete(linear.try_floor()?),
        QuantileMethod::Higher => return discrete(linear.try_ceil()?),
        QuantileMethod::Nearest => return discrete(linear.try_rint()?),
        QuantileMethod::AveragedInvertedCdf => scaled.try_subtract(1)?,
        QuantileMethod::InterpolatedInvertedCdf => virtual_index(0.0, 1.0)?,
        QuantileMethod::Hazen => virtual_index(0.5, 0.5)?,
        QuantileMethod::Weibull => virtual_index(0.0, 0.0)?,
        QuantileMethod::Linear => linear,
        QuantileMethod::MedianUnbiased => virtual_index(1.0 / 3.0, 1.0 / 3.0)?,
        QuantileMethod::NormalUnbiased => virtual_index(3.0 / 8.0, 3.0 / 8.0)?,
        QuantileMethod::Midpoint => {
            linear.try_floor()?.try_add(linear.try_ceil()?)?.try_multiply(0.5)?
        }
    };
    let floor = index.try_floor()?;
    let share = index.try_subtract(&floor)?;
    let share = match method {
        QuantileMethod::AveragedInvertedCdf => {
            let share = share.try_equal(0)?;
            crate::elementwise::try_where(share, 0.5, 1.0)?.try_astype(q.dtype())?
        }
        QuantileMethod::Midpoint => {
            crate::elementwise::try_where(share.try_equal(0)?, 0.0, 0.5)?.try_astype(q.dtype())?
        }
        QuantileMethod::InterpolatedInvertedCdf
        | QuantileMethod::Hazen
        | QuantileMethod::Weibull
        | QuantileMethod::Linear
        | QuantileMethod::MedianUnbiased
        | QuantileMethod::NormalUnbiased => share,
        QuantileMethod::InvertedCdf
        | QuantileMethod::ClosestObservation
        | QuantileMethod::Lower
        | QuantileMethod::Higher
        | QuantileMethod::Nearest => unreachable!("found above"),
    };
    // Beyond either end there is one element only.
    let end = last(&count)?;
    let bounded = |place: Array| -> Result<Array> {
        let place = match &end {
            Operand::Array(end) => {
                crate::elementwise::try_where(index.try_greater_equal(end)?, end, place)?
            }
            Operand::Scalar(_) => {
                crate::elementwise::try_where(index.try_greater_equal(&end)?, &end, place)?
            }
        };
        crate::elementwise::try_where(index.try_less(0)?, 0, place)?.try_astype(DType::I64)
    };
    let after = bounded(floor.try_add(1)?)?;
    Ok(QuantilePosition { before: bounded(floor)?, share: Some((after, share)) })
}

/// The position of the last of `count` elements.
fn last(count: &Operand) -> Result<Operand> {
    match count {
        Operand::Array(count) => Ok(Operand::Array(count.try_subtract(1)?)),
        Operand::Scalar(count) => match count.number() {
            crate::Number::Int(count) => Ok(Operand::from(count as i64 - 1)),
            crate::Number::Bool(_) | crate::Number::Float(_) | crate::Number::Complex(..) => {
                unreachable!("a number of elements")
            }
        },
    }
}
