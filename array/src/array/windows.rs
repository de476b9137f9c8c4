//! Windows of signal processing.

use crate::arguments::Arange;
use crate::array::creation::grids::real;
use crate::array::{Array, try_arange, try_full, try_ones};
use crate::declare::functions;
use crate::elementwise::try_where;
use crate::scalar::Scalar;
use ndany_core::{DType, Result};

functions! {
    /// Returns the triangular window, which rises from 0 to 1 and falls again, as `np.bartlett`.
    ///
    /// - **Shapes**: `() → (count,)`.
    /// - **Dtypes**: float64.
    /// - **Errors**: a complex number of points.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::bartlett(5).to_string(), "[0.  0.5 1.  0.5 0. ]");
    /// ```
    bartlett / try_bartlett (count: impl Into<Scalar>) -> Array {
        window(count.into(), |n, last| {
            let slope = n.try_divide(last)?;
            let (up, down) = (slope.try_add(1.0)?, slope.try_negative()?.try_add(1.0)?);
            try_where(n.try_less_equal(0)?, up, down)
        })
    }

    /// Returns the Blackman window, as `np.blackman`.
    ///
    /// - **Shapes**: `() → (count,)`.
    /// - **Dtypes**: float64.
    /// - **Errors**: a complex number of points.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::blackman(3).round(2).abs().to_string(), "[0. 1. 0.]");
    /// ```
    blackman / try_blackman (count: impl Into<Scalar>) -> Array {
        use std::f64::consts::PI;
        window(count.into(), |n, last| {
            let once = n.try_multiply(PI)?.try_divide(last)?.try_cos()?;
            let twice = n.try_multiply(2.0 * PI)?.try_divide(last)?.try_cos()?;
            once.try_multiply(0.5)?.try_add(0.42)?.try_add(twice.try_multiply(0.08)?)
        })
    }

    /// Returns the Hamming window, as `np.hamming`.
    ///
    /// - **Shapes**: `() → (count,)`.
    /// - **Dtypes**: float64.
    /// - **Errors**: a complex number of points.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::hamming(3).to_string(), "[0.08 1.   0.08]");
    /// ```
    hamming / try_hamming (count: impl Into<Scalar>) -> Array {
        window(count.into(), |n, last| cosine(n, last)?.try_multiply(0.46)?.try_add(0.54))
    }

    /// Returns the Hann window, as `np.hanning`.
    ///
    /// - **Shapes**: `() → (count,)`.
    /// - **Dtypes**: float64.
    /// - **Errors**: a complex number of points.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::hanning(5).to_string(), "[0.  0.5 1.  0.5 0. ]");
    /// ```
    hanning / try_hanning (count: impl Into<Scalar>) -> Array {
        window(count.into(), |n, last| cosine(n, last)?.try_multiply(0.5)?.try_add(0.5))
    }

    /// Returns the Kaiser window of shape `beta`, as `np.kaiser`.
    ///
    /// A `beta` of 0 is a rectangle, 8.6 is close to the Blackman window.
    ///
    /// - **Shapes**: `() → (count,)`.
    /// - **Dtypes**: float64.
    /// - **Errors**: a complex number of points.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::kaiser(3, 0).to_string(), "[1. 1. 1.]");
    /// ```
    kaiser / try_kaiser (count: impl Into<Scalar>, beta: impl Into<Scalar>) -> Array {
        let (count, beta) = (real("kaiser", count.into())?, real("kaiser", beta.into())?);
        if count == 1.0 {
            return try_ones(1, DType::F64);
        }
        let middle = (count - 1.0) / 2.0;
        let place = try_arange(Arange::of(0.0, count, 1.0, Some(DType::F64)))?.try_subtract(middle)?.try_divide(middle)?;
        let height = place.try_square()?.try_negative()?.try_add(1.0)?.try_sqrt()?.try_multiply(beta)?.try_i0()?;
        height.try_divide(try_full((), beta, DType::F64)?.try_i0()?)
    }
}

/// The cosine of half a turn of which `n / last` is passed.
fn cosine(n: &Array, last: f64) -> Result<Array> {
    n.try_multiply(std::f64::consts::PI)?.try_divide(last)?.try_cos()
}

/// A window over `count` points, of `1 - count, 3 - count, …` and the last position.
fn window(count: Scalar, shape: impl FnOnce(&Array, f64) -> Result<Array>) -> Result<Array> {
    let count = real("window", count)?;
    if count < 1.0 {
        return try_ones(0, DType::F64);
    }
    if count == 1.0 {
        return try_ones(1, DType::F64);
    }
    shape(&try_arange(Arange::of(1.0 - count, count, 2.0, Some(DType::F64)))?, count - 1.0)
}
