//! Comparing whole arrays: equal within a tolerance, equal under broadcasting, real but for rounding.
//!
//! `isclose` is lazy; what answers with one bool reads it from the device, and so returns a `Result`.

use std::ops::RangeFull;

use super::Array;
use crate::declare::array_functions;
use crate::elementwise::elementwise;
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::ops::rows;
use ndany_core::shape;
use ndany_core::{DType, Number, Result};

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
    /// Starts the options of [`Array::isclose`](crate::Array::isclose) with NumPy's defaults, `rtol=1e-5` and `atol=1e-8`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0]).isclose(&array([1.1]), ndany::Tolerance::new()).to_string(), "[False]");
    /// ```
    pub fn new() -> Self {
        Tolerance { rtol: 1e-5.into(), atol: 1e-8.into(), equal_nan: false }
    }

    /// Sets the tolerance relative to the second operand, as `rtol` of `np.isclose`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0]).isclose(&array([1.1]), ndany::Tolerance::new().rtol(0.2)).to_string(), "[ True]");
    /// ```
    pub fn rtol(mut self, rtol: impl Into<Operand>) -> Self {
        self.rtol = rtol.into();
        self
    }

    /// Sets the absolute tolerance, as `atol` of `np.isclose`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0]).isclose(&array([1.1]), ndany::Tolerance::new().atol(0.2)).to_string(), "[ True]");
    /// ```
    pub fn atol(mut self, atol: impl Into<Operand>) -> Self {
        self.atol = atol.into();
        self
    }

    /// Lets NaN be close to NaN, as `equal_nan` of `np.isclose`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = array([f64::NAN]);
    /// assert_eq!(x.isclose(&x, ndany::Tolerance::new().equal_nan()).to_string(), "[ True]");
    /// ```
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
    checked closeness, free free_closeness;

    /// Tests whether each element is within a tolerance of the other operand's, as `np.isclose`.
    ///
    /// Infinities are close to themselves only. The test is not symmetric: the relative part goes by `other`.
    ///
    /// - **Shapes**: `(…), (…) → (…)`, broadcast.
    /// - **Dtypes**: any; the result is bool.
    /// - **Errors**: shapes that do not broadcast, operands on two devices.
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

/// Whether all of these are true. Their handles are dropped before that is computed: a value with other handles might be read later, and would be
/// written.
#[track_caller]
pub(super) fn all_of(truths: Array) -> Result<bool> {
    let all = truths.try_all(..)?;
    drop(truths);
    all.item::<bool>()
}

impl Array {
    /// Tests whether all elements are within a tolerance, as `np.allclose`; waits for the device.
    ///
    /// - **Errors**: those of [`checked::isclose`](fn@crate::checked::isclose), what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(array([1.0, 2.0]).allclose(&array([1.0, 2.0 + 1e-9]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn allclose(
        &self,
        other: impl Into<Operand>,
        within: impl Into<Tolerance>,
    ) -> Result<bool> {
        all_of(self.try_isclose(other, within)?)
    }

    /// Tests whether all elements are equal once the shapes are broadcast, as `np.array_equiv`; waits for the device.
    ///
    /// Shapes that do not broadcast are not equivalent.
    ///
    /// - **Errors**: operands on two devices, what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(array([[1, 2], [1, 2]]).array_equiv(&array([1, 2]))?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn array_equiv(&self, other: impl Into<Operand>) -> Result<bool> {
        let other = other.into();
        match shape::broadcast("array_equiv", self.shape(), other.shape()) {
            Ok(_) => all_of(self.try_equal(other)?),
            Err(_) => Ok(false),
        }
    }

    /// Tests whether shapes and all elements are equal, NaN to NaN, as `np.array_equal(…, equal_nan=True)`.
    ///
    /// Waits for the device.
    ///
    /// - **Errors**: operands on two devices, what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = array([1.0, f64::NAN]);
    /// assert!(x.array_equal_nan(&x)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn array_equal_nan(&self, other: &Array) -> Result<bool> {
        if self.shape() != other.shape() {
            return Ok(false);
        }
        let both_nan = self.try_isnan()?.try_logical_and(other.try_isnan()?)?;
        all_of(self.try_equal(other)?.try_logical_or(both_nan)?)
    }

    /// Returns the real part if all imaginary parts are small, else the array, as `np.real_if_close`.
    ///
    /// Small is below `tolerance`, which counts in distances from 1 to the next number of the dtype where it is above 1. NumPy's
    /// default is 100. Waits for the device.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; complex numbers give the dtype of their parts, or stay.
    /// - **Errors**: what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([Complex64::new(2.0, 1e-20)]).real_if_close(100.0)?.to_string(), "[2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
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
