//! Comparing whole arrays: equal within a tolerance, equal under broadcasting, real but for rounding.
//!
//! `isclose` is lazy; what answers with one bool reads it from the device, and so returns a `Result`.

use std::ops::RangeFull;

use super::Array;
use crate::declare::array_functions;
use crate::dtype::DType;
use crate::error::Result;
use crate::graph::{Operand, elementwise};
use crate::ops::rows;
use crate::scalar::{Number, Scalar};
use crate::shape;

/// How far two numbers may be apart to count as close: `|x - y| <= atol + rtol * |y|`. `..` stands for
/// NumPy's defaults, 1e-5 relative and 1e-8 absolute, with NaN close to nothing; a number is `rtol`, a pair `rtol` and `atol`.
#[derive(Clone, Debug)]
pub struct Tolerance {
    rtol: Operand,
    atol: Operand,
    equal_nan: bool,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::new()
    }
}

impl Tolerance {
    /// NumPy's defaults.
    pub fn new() -> Self {
        Tolerance { rtol: 1e-5.into(), atol: 1e-8.into(), equal_nan: false }
    }

    /// The part relative to the second operand.
    pub fn rtol(mut self, rtol: impl Into<Operand>) -> Self {
        self.rtol = rtol.into();
        self
    }

    /// The absolute part.
    pub fn atol(mut self, atol: impl Into<Operand>) -> Self {
        self.atol = atol.into();
        self
    }

    /// NaN is close to NaN.
    pub fn equal_nan(mut self) -> Self {
        self.equal_nan = true;
        self
    }
}

impl From<RangeFull> for Tolerance {
    fn from(_: RangeFull) -> Self {
        Tolerance::new()
    }
}

/// The relative part; the absolute one is NumPy's default.
impl From<f64> for Tolerance {
    fn from(rtol: f64) -> Self {
        Tolerance::new().rtol(rtol)
    }
}
/// The relative and the absolute part.
impl From<(f64, f64)> for Tolerance {
    fn from((rtol, atol): (f64, f64)) -> Self {
        Tolerance::new().rtol(rtol).atol(atol)
    }
}

array_functions! {
    checked closeness;

    /// Is each element within a tolerance of the other operand's, as `np.isclose`? Infinities are close to
    /// themselves only. Not symmetric: the relative part goes by `other`.
    ///
    /// ```
    /// use ndany::{Array, Device, Tolerance};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([1.0, 2.0]);
    /// let b = Array::from([1.0 + 1e-9, 2.1]);
    /// assert_eq!(a.isclose(&b, ..).to_vec::<bool>()?, [true, false]);
    /// assert!(a.allclose(&b, 0.1)? && a.allclose(&b, Tolerance::new().atol(0.2))?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    isclose / try_isclose (self, other: impl Into<Operand>, within: impl Into<Tolerance>) -> Array {
        isclose(self.into(), other.into(), within.into())
    }
}

/// The value of a number that has no dtype of its own.
fn plain(operand: &Operand) -> Option<f64> {
    match operand {
        Operand::Scalar(scalar) if scalar.dtype().is_none() => match scalar.number() {
            Number::Bool(value) => Some(f64::from(u8::from(value))),
            Number::Int(value) => Some(value as f64),
            Number::Float(value) => Some(value),
            Number::Complex(..) => None,
        },
        Operand::Scalar(_) | Operand::Array(_) => None,
    }
}

/// `isclose` of any two operands.
#[track_caller]
pub(crate) fn isclose(x: Operand, y: Operand, within: Tolerance) -> Result<Array> {
    // An integer has no distance that its dtype always holds.
    let y = match y {
        Operand::Array(y) => {
            let dtype = Scalar::weak_float(1.0).promote_with(y.dtype());
            Operand::Array(y.try_astype(dtype)?)
        }
        Operand::Scalar(scalar) => Operand::Scalar(match (scalar.dtype(), scalar.number()) {
            (Some(dtype), _) => Scalar::typed(Scalar::weak_float(1.0).promote_with(dtype), scalar),
            (None, Number::Int(value)) => Scalar::weak_float(value as f64),
            (None, _) => scalar,
        }),
    };
    let two = |row, x: &Operand, y: &Operand| elementwise(row, &mut [x.clone(), y.clone()]);
    let one = |row, x: &Operand| elementwise(row, &mut [x.clone()]);
    let distance = two(&rows::subtract, &x, &y)?.try_absolute()?;
    let near = match [&y, &within.rtol, &within.atol].map(plain) {
        // Of three plain numbers the reach is one as well, which takes the dtype of the distance.
        [Some(y), Some(rtol), Some(atol)] => distance.try_less_equal(atol + rtol * y.abs())?,
        _ => {
            let size = one(&rows::absolute, &y)?;
            let reach = size.try_multiply(&within.rtol)?.try_add(&within.atol)?;
            distance.try_less_equal(&reach)?
        }
    };
    let near = near.try_logical_and(one(&rows::isfinite, &y)?)?;
    let close = near.try_logical_or(two(&rows::equal, &x, &y)?)?;
    if !within.equal_nan {
        return Ok(close);
    }
    let both_nan = one(&rows::isnan, &x)?.try_logical_and(one(&rows::isnan, &y)?)?;
    close.try_logical_or(both_nan)
}

/// Are all of these true? They are given up before that is computed: what somebody holds might be wanted later, and would be
/// written.
#[track_caller]
pub(super) fn all_of(truths: Array) -> Result<bool> {
    let all = truths.try_all(..)?;
    drop(truths);
    all.item::<bool>()
}

impl Array {
    /// Are all elements close, as `np.allclose`? See [`Array::isclose`].
    ///
    /// # Errors
    /// As [`checked::isclose`](crate::checked::isclose); what failed on the way.
    #[track_caller]
    pub fn allclose(
        &self,
        other: impl Into<Operand>,
        within: impl Into<Tolerance>,
    ) -> Result<bool> {
        all_of(self.try_isclose(other, within)?)
    }

    /// Are all elements equal once the shapes are broadcast, as `np.array_equiv`? Shapes that do not
    /// broadcast are not equivalent.
    ///
    /// # Errors
    /// The arrays are on two devices; what failed on the way.
    #[track_caller]
    pub fn array_equiv(&self, other: &Array) -> Result<bool> {
        match shape::broadcast("array_equiv", self.shape(), other.shape()) {
            Ok(_) => all_of(self.try_equal(other)?),
            Err(_) => Ok(false),
        }
    }

    /// As [`Array::array_equal`], with NaN equal to NaN: `np.array_equal` with `equal_nan=True`.
    ///
    /// # Errors
    /// The arrays are on two devices; what failed on the way.
    #[track_caller]
    pub fn array_equal_nan(&self, other: &Array) -> Result<bool> {
        if self.shape() != other.shape() {
            return Ok(false);
        }
        let both_nan = self.try_isnan()?.try_logical_and(other.try_isnan()?)?;
        all_of(self.try_equal(other)?.try_logical_or(both_nan)?)
    }

    /// The real part, if all imaginary parts are smaller than `tolerance` (times the distance from 1 to
    /// the next number of the dtype, where it is above 1), else the array itself, as
    /// `np.real_if_close`, whose default is 100.
    ///
    /// # Errors
    /// What failed on the way.
    #[track_caller]
    pub fn real_if_close(&self, tolerance: f64) -> Result<Array> {
        let epsilon = match self.dtype() {
            DType::C64 => f64::from(f32::EPSILON),
            DType::C128 => f64::EPSILON,
            _ => return Ok(self.clone()),
        };
        let limit = if tolerance > 1.0 { epsilon * tolerance } else { tolerance };
        let small = self.try_imag()?.try_absolute()?.try_less(limit)?;
        if small.try_all(..)?.item::<bool>()? { self.try_real() } else { Ok(self.clone()) }
    }
}
