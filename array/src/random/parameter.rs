//! Parameters of distributions: what they must be, and how they come to a program.
//!
//! Numbers are looked at by the host, arrays by a reduction on their device, whose one boolean is read: so an
//! array of parameters makes a draw wait, and an impossible one is NumPy's ValueError in the call itself. NaN passes
//! where NumPy lets it pass, and gives NaN.

use super::wrong;
use crate::array::Array;
use crate::array::products::accumulator;
use crate::elementwise::checked_binary;
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::shape::{Shape, broadcast};
use ndany_core::{DType, Error, Number, Result};

/// What a parameter must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Must {
    /// Anything, or NaN.
    BeReal,
    /// At least 0, or NaN.
    NotBeNegative,
    /// Above 0, or NaN.
    BePositive,
    /// From 0 to 1.
    BeProbability,
    /// Above 0, up to 1.
    BeLikely,
    /// From 0 up to, not including, 1.
    NotBeCertain,
    /// Above 1.
    BeAboveOne,
    /// From 0 on, and a count that an int64 holds with what may come beside it.
    BeMean,
}

/// The largest mean of a Poisson distribution, as NumPy has it: ten deviations below 2⁶³.
pub(super) const LARGEST_MEAN: f64 = 9.223_372_006_484_771e18;

impl Must {
    fn text(self) -> &'static str {
        match self {
            Must::BeReal => "a real number",
            Must::NotBeNegative => "at least 0",
            Must::BePositive => "above 0",
            Must::BeProbability => "from 0 to 1",
            Must::BeLikely => "above 0 and at most 1",
            Must::NotBeCertain => "at least 0 and below 1",
            Must::BeAboveOne => "above 1",
            Must::BeMean => "from 0 to 9.223372006484771e18",
        }
    }

    fn holds(self, value: f64) -> bool {
        match self {
            Must::BeReal => true,
            Must::NotBeNegative => value >= 0.0 || value.is_nan(),
            Must::BePositive => value > 0.0 || value.is_nan(),
            Must::BeProbability => (0.0..=1.0).contains(&value),
            Must::BeLikely => value > 0.0 && value <= 1.0,
            Must::NotBeCertain => (0.0..1.0).contains(&value),
            Must::BeAboveOne => value > 1.0,
            Must::BeMean => (0.0..=LARGEST_MEAN).contains(&value),
        }
    }

    /// Where an array is not as it must be; `None` where it always is.
    #[track_caller]
    fn broken(self, array: &Array) -> Result<Option<Array>> {
        let within = |low: Array, high: Array| low.try_logical_and(high)?.try_logical_not();
        Ok(Some(match self {
            Must::BeReal => return Ok(None),
            Must::NotBeNegative => array.try_less(0)?,
            Must::BePositive => array.try_less_equal(0)?,
            Must::BeProbability => within(array.try_greater_equal(0)?, array.try_less_equal(1)?)?,
            Must::BeLikely => within(array.try_greater(0)?, array.try_less_equal(1)?)?,
            Must::NotBeCertain => within(array.try_greater_equal(0)?, array.try_less(1)?)?,
            Must::BeAboveOne => array.try_greater(1)?.try_logical_not()?,
            Must::BeMean => {
                let wide = array.try_astype(DType::F64)?;
                within(wide.try_greater_equal(0)?, wide.try_less_equal(LARGEST_MEAN)?)?
            }
        }))
    }
}

/// Refuses a parameter that is not as it must be.
#[track_caller]
pub(super) fn check(
    op: &'static str,
    name: &'static str,
    operand: &Operand,
    must: Must,
) -> Result<()> {
    match operand {
        Operand::Scalar(scalar) => {
            let value = real(op, scalar)?;
            if !must.holds(value) {
                return Err(wrong(op, format!("{name} is {value}, and must be {}", must.text())));
            }
        }
        Operand::Array(array) => {
            if array.dtype().is_complex() {
                return Err(complex(op, array.dtype()));
            }
            if let Some(broken) = must.broken(array)?
                && broken.try_any(..)?.item::<bool>()?
            {
                return Err(wrong(op, format!("some of {name} are not {}", must.text())));
            }
        }
    }
    Ok(())
}

/// Refuses floats where only whole numbers make sense.
pub(super) fn require_integers(op: &'static str, operand: &Operand) -> Result<()> {
    let dtype = match operand {
        Operand::Scalar(scalar) => scalar.natural_dtype(),
        Operand::Array(array) => array.dtype(),
    };
    if dtype.is_int() || dtype == DType::Bool {
        return Ok(());
    }
    Err(Error::DTypes { op, dtypes: dtype.to_string(), remedy: "give whole numbers" })
}

fn complex(op: &'static str, dtype: DType) -> Error {
    Error::DTypes { op, dtypes: dtype.to_string(), remedy: "give a real number" }
}

/// A real parameter.
pub(super) fn real(op: &'static str, scalar: &Scalar) -> Result<f64> {
    match scalar.number() {
        Number::Bool(value) => Ok(f64::from(u8::from(value))),
        Number::Int(value) => Ok(value as f64),
        Number::Float(value) => Ok(value),
        Number::Complex(..) => Err(complex(op, DType::C128)),
    }
}

/// A number, if it is one.
pub(super) fn number(op: &'static str, operand: &Operand) -> Result<Option<f64>> {
    match operand {
        Operand::Scalar(scalar) => real(op, scalar).map(Some),
        Operand::Array(_) => Ok(None),
    }
}

/// Register bits of a number in the type that a program computes in.
pub(super) fn bits(op: &'static str, scalar: &Scalar, dtype: DType) -> Result<u64> {
    match (scalar.number(), accumulator(dtype)) {
        (Number::Int(value), DType::U64) => Ok(value as u64),
        (_, DType::F32) => Ok(u64::from((real(op, scalar)? as f32).to_bits())),
        _ => Ok(real(op, scalar)?.to_bits()),
    }
}

/// A parameter times a number; a number stays one.
#[track_caller]
pub(super) fn times(op: &'static str, operand: &Operand, factor: f64) -> Result<Operand> {
    match number(op, operand)? {
        Some(value) => Ok(Operand::from(value * factor)),
        None => checked_binary::multiply(operand, factor).map(Operand::Array),
    }
}

/// The difference of two parameters; of two numbers it is one.
#[track_caller]
pub(super) fn minus(op: &'static str, left: &Operand, right: &Operand) -> Result<Operand> {
    match (number(op, left)?, number(op, right)?) {
        (Some(left), Some(right)) => Ok(Operand::from(left - right)),
        _ => checked_binary::subtract(left, right).map(Operand::Array),
    }
}

/// A parameter along the elements of a draw: it must not be larger.
pub(super) fn broadcast_parameter(op: &'static str, array: &Array, shape: &Shape) -> Result<Array> {
    if broadcast(op, array.shape(), shape)? != *shape {
        let (left, right) = (array.shape().into(), shape.as_slice().into());
        return Err(Error::Broadcast { op, left, right });
    }
    Ok(array.broadcast_view(shape))
}
