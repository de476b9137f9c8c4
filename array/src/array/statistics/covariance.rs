//! Covariances and correlations of variables: a product of matrices after a weighted mean.

use std::ops::RangeFull;

use crate::arguments::AxisOptions;
use crate::array::{Array, try_concatenate, try_zeros};
use crate::declare::array_functions;
use ndany_core::{DType, Error, Kind, Result};

/// Which observations a covariance is of, and by what it is divided.
#[derive(Clone, Debug, Default)]
pub struct Covariance {
    more: Option<Array>,
    columns: bool,
    biased: bool,
    correction: Option<i64>,
    frequencies: Option<Array>,
    weights: Option<Array>,
    dtype: Option<DType>,
}

impl Covariance {
    /// Starts the options of [`Array::cov`](crate::Array::cov) with NumPy's defaults.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, 2.0, 3.0]).cov(ndany::Covariance::new()).to_string(), "1.0");
    /// ```
    pub fn new() -> Self {
        Covariance::default()
    }

    /// Appends more variables with as many observations, as `y` of `np.cov`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = array([1.0, 2.0, 3.0]);
    /// assert_eq!(x.cov(ndany::Covariance::new().with(&x)).to_string(), "[[1. 1.]\n [1. 1.]]");
    /// ```
    pub fn with(mut self, more: &Array) -> Self {
        self.more = Some(more.clone());
        self
    }

    /// Lets columns be variables, as `rowvar=False` of `np.cov`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1.0], [2.0], [3.0]]).cov(ndany::Covariance::new().columns()).to_string(), "1.0");
    /// ```
    pub fn columns(mut self) -> Self {
        self.columns = true;
        self
    }

    /// Divides by the number of observations, not by one less (NumPy's `bias=True`).
    #[cfg(feature = "call")]
    pub(crate) fn biased(mut self) -> Self {
        self.biased = true;
        self
    }

    /// Divides by the number of observations less `correction`, as `ddof` of `np.cov`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, 3.0]).cov(ndany::Covariance::new().ddof(0)).to_string(), "1.0");
    /// ```
    pub fn ddof(mut self, correction: i64) -> Self {
        self.correction = Some(correction);
        self
    }

    /// Sets how often each observation counts, as whole numbers, as `fweights` of `np.cov`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, 3.0]).cov(ndany::Covariance::new().ddof(0).frequencies(&array([1, 1]))).to_string(), "1.0");
    /// ```
    pub fn frequencies(mut self, frequencies: &Array) -> Self {
        self.frequencies = Some(frequencies.clone());
        self
    }

    /// Sets the weight of each observation, as `aweights` of `np.cov`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, 3.0]).cov(ndany::Covariance::new().ddof(0).weights(&array([1.0, 1.0]))).to_string(), "1.0");
    /// ```
    pub fn weights(mut self, weights: &Array) -> Self {
        self.weights = Some(weights.clone());
        self
    }

    /// Computes in this dtype, as `dtype` of `np.cov`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, 3.0]).cov(ndany::Covariance::new().dtype(F32)).dtype(), F32);
    /// ```
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }
}

impl From<RangeFull> for Covariance {
    fn from(_: RangeFull) -> Self {
        Covariance::new()
    }
}

array_functions! {
    checked covariances, free free_covariances;

    /// Returns the covariances of variables, a row for each, as `np.cov`.
    ///
    /// A column is an observation. Weights wait for the device.
    ///
    /// - **Shapes**: `(k, n) → (k, k)`, `(n,) → ()`.
    /// - **Dtypes**: at least float64, unless the option `dtype` is given.
    /// - **Errors**: more than two axes, weights of another length, negative weights.
    ///
    /// ```
    /// use ndany::{Array, Device, Covariance};
    /// # let _guard = Device::open("reference")?.enter();
    /// let x = Array::from([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]);
    /// assert_eq!(x.cov(..).to_vec::<f64>()?, [1.0, -1.0, -1.0, 1.0]);
    /// assert_eq!(x.i(0).cov(Covariance::new().ddof(0)).item::<f64>()?, 2.0 / 3.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    cov / try_cov (self, options: impl Into<Covariance>) -> Array {
        of_variables("cov", self, &options.into())?.try_squeeze(..)
    }

    /// Returns the correlation coefficients of variables, a row for each, as `np.corrcoef`.
    ///
    /// They are covariances over both standard deviations, between -1 and 1, so that the number divided by drops out.
    ///
    /// - **Shapes**: `(k, n) → (k, k)`, `(n,) → ()`.
    /// - **Dtypes**: at least float64, unless the option `dtype` is given.
    /// - **Errors**: more than two axes, numbers of observations that differ.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1.0, 2.0], [2.0, 1.0]]).corrcoef(..).to_string(), "[[ 1. -1.]\n [-1.  1.]]");
    /// ```
    corrcoef / try_corrcoef (self, options: impl Into<Covariance>) -> Array {
        let covariances = of_variables("corrcoef", self, &options.into())?.try_squeeze(..)?;
        if covariances.ndim() == 0 {
            return covariances.try_divide(&covariances);
        }
        let deviations = covariances.try_diag(0)?.try_real()?.try_sqrt()?;
        let relative = covariances.try_divide(deviations.try_expand_dims(1)?)?.try_divide(&deviations)?;
        if !relative.dtype().is_complex() {
            return relative.try_clip(-1.0, 1.0);
        }
        let (re, im) = (relative.try_real()?.try_clip(-1.0, 1.0)?, relative.try_imag()?.try_clip(-1.0, 1.0)?);
        crate::array::complex_of(&re, &im)
    }
}

#[track_caller]
fn of_variables(op: &'static str, array: &Array, options: &Covariance) -> Result<Array> {
    let two = |array: &Array| match array.ndim() {
        0..=2 => Ok(()),
        _ => {
            let expected = "at most two axes".to_string();
            Err(Error::Shape { op, expected, got: array.shape().into() })
        }
    };
    two(array)?;
    let mut dtype = DType::promote(array.dtype(), DType::F64);
    if let Some(more) = &options.more {
        two(more)?;
        dtype = DType::promote(dtype, more.dtype());
    }
    let dtype = options.dtype.unwrap_or(dtype);
    let rows = |array: &Array, turned: bool| {
        let array = array.try_astype(dtype)?.try_atleast_2d()?;
        if turned { array.try_transpose(..) } else { Ok(array) }
    };
    let _guard = array.device().enter();
    let mut x = rows(array, options.columns && array.ndim() != 1)?;
    if x.shape()[0] == 0 {
        // As NumPy, whatever the dtype asked for.
        return try_zeros((0, 0), DType::F64);
    }
    if let Some(more) = &options.more {
        let wide = more.ndim() < 2 || more.shape()[0] == 1;
        x = try_concatenate(&[&x, &rows(more, options.columns && !wide)?], 0)?;
    }
    let observations = x.shape()[1];
    let correction = options.correction.unwrap_or(i64::from(!options.biased));
    let frequencies = options.frequencies.as_ref().map(|f| weights(op, f, observations, true));
    let weight = options.weights.as_ref().map(|w| weights(op, w, observations, false));
    let (frequencies, weight) = (frequencies.transpose()?, weight.transpose()?);
    if matches!(dtype.kind(), Kind::Bool | Kind::Int) {
        let (dtypes, remedy) = (dtype.to_string(), "ask for a float dtype");
        return Err(Error::DTypes { op, dtypes, remedy });
    }
    let both = match (&frequencies, &weight) {
        (Some(frequencies), Some(weight)) => Some(frequencies.try_multiply(weight)?),
        (one, other) => one.clone().or_else(|| other.clone()),
    };
    let (mean, total) = x.average_and_weights(&match &both {
        Some(both) => AxisOptions::from(Some(1)).weights(both),
        None => AxisOptions::from(Some(1)),
    })?;
    let divisor = match &both {
        None => observations as f64 - correction as f64,
        Some(both) => {
            let total = total.try_real()?.try_astype(DType::F64)?.try_i(0)?.item::<f64>()?;
            match &weight {
                _ if correction == 0 => total,
                None => total - correction as f64,
                Some(weight) => {
                    let squares = both.try_multiply(weight)?.try_sum(..)?.item::<f64>()?;
                    total - correction as f64 * squares / total
                }
            }
        }
    };
    // As NumPy, which warns of it: no degrees of freedom give infinities.
    let scale = 1.0 / divisor.max(0.0);
    let x = x.try_subtract(mean.try_expand_dims(1)?)?;
    let other = match &both {
        None => x.clone(),
        Some(both) => x.try_multiply(both)?,
    };
    let other = other.try_transpose(..)?;
    let other = if other.dtype().is_complex() { other.try_conjugate()? } else { other };
    x.try_matmul(&other)?.try_astype(dtype)?.try_multiply(scale)
}

/// Weights as float64, checked. Waits for the device.
fn weights(op: &'static str, weights: &Array, count: usize, whole: bool) -> Result<Array> {
    if weights.shape() != [count] {
        let got = weights.shape().into();
        return Err(Error::Observations { op, expected: count, got });
    }
    let weights = weights.try_astype(DType::F64)?;
    if whole && !weights.try_equal(weights.try_rint()?)?.try_all(..)?.item::<bool>()? {
        let reason = "frequencies must be whole numbers".to_string();
        return Err(Error::Arguments { op: op.to_string(), reason });
    }
    if weights.try_less(0)?.try_any(..)?.item::<bool>()? {
        let reason = "weights must not be negative".to_string();
        return Err(Error::ArgumentValue { op: op.to_string(), reason });
    }
    Ok(weights)
}
