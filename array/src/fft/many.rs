//! Transforms along several axes, one after the other. What they are multiplied by comes with the last.

use super::one::as_given;
use super::task::transform;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxes};
use crate::array::Array;
use crate::declare::array_functions;
use ndany_core::backend::Transformation;
use ndany_core::{Error, Result};

array_functions! {
    mod many_axes, checked;

    /// Returns the discrete Fourier transform along all axes, or those given, as `np.fft.fftn`.
    ///
    /// - **Shapes**: `(m, n) → (m, n)`.
    /// - **Dtypes**: float32, complex64 and 16-bit floats give complex64, all others complex128.
    /// - **Errors**: an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::{Array, Device, fft};
    /// # let _guard = Device::open("reference")?.enter();
    /// let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// assert!(fft::fftn(&x, ..).real().allclose(&Array::from([[10.0f32, -2.0], [-4.0, 0.0]]), ..)?);
    /// assert!(fft::ifftn(&fft::fftn(&x, ..), ..).real().allclose(&x, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    fftn / try_fftn (self, along: impl IntoAxes<TransformOptions>) -> Array {
        complex("fftn", Transformation::Forward, self, &along.into_axes(), None)
    }

    /// Inverts [`fftn`](crate::fft::fftn), as `np.fft.ifftn`.
    ///
    /// - **Shapes**: `(m, n) → (m, n)`.
    /// - **Dtypes**: float32, complex64 and 16-bit floats give complex64, all others complex128.
    /// - **Errors**: an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([[1.0, 2.0], [3.0, 4.0]]);
    /// assert!(fft::ifftn(&fft::fftn(&a, ..), ..).allclose(&a, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ifftn / try_ifftn (self, along: impl IntoAxes<TransformOptions>) -> Array {
        complex("ifftn", Transformation::Backward, self, &along.into_axes(), None)
    }

    /// Returns the discrete Fourier transform along the last two axes, as `np.fft.fft2`.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m, n)`.
    /// - **Dtypes**: float32, complex64 and 16-bit floats give complex64, all others complex128.
    /// - **Errors**: fewer than two axes, an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(fft::fft2(&array([[1.0, 2.0], [3.0, 4.0]]), ..).real().to_string(), "[[10. -2.]\n [-4.  0.]]");
    /// ```
    fft2 / try_fft2 (self, along: impl IntoAxes<TransformOptions>) -> Array {
        complex("fft2", Transformation::Forward, self, &along.into_axes(), Some(2))
    }

    /// Inverts [`fft2`](crate::fft::fft2), as `np.fft.ifft2`.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m, n)`.
    /// - **Dtypes**: float32, complex64 and 16-bit floats give complex64, all others complex128.
    /// - **Errors**: fewer than two axes, an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([[1.0, 2.0], [3.0, 4.0]]);
    /// assert!(fft::ifft2(&fft::fft2(&a, ..), ..).allclose(&a, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ifft2 / try_ifft2 (self, along: impl IntoAxes<TransformOptions>) -> Array {
        complex("ifft2", Transformation::Backward, self, &along.into_axes(), Some(2))
    }

    /// Returns the transform of real numbers along all axes, or those given, as `np.fft.rfftn`.
    ///
    /// The last axis has its first half only.
    ///
    /// - **Shapes**: `(m, n) → (m, n / 2 + 1)`.
    /// - **Dtypes**: float32 and 16-bit floats give complex64, other real numbers complex128.
    /// - **Errors**: complex numbers (TypeError), an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(fft::rfftn(&array([[1.0, 2.0], [3.0, 4.0]]), ..).real().to_string(), "[[10. -2.]\n [-4.  0.]]");
    /// ```
    rfftn / try_rfftn (self, along: impl IntoAxes<TransformOptions>) -> Array {
        to_half("rfftn", self, &along.into_axes(), None)
    }

    /// Inverts [`rfftn`](crate::fft::rfftn) and returns real numbers, as `np.fft.irfftn`.
    ///
    /// The last axis has by default two less than twice as many elements as there are points.
    ///
    /// - **Shapes**: `(m, n) → (m, 2 (n - 1))`.
    /// - **Dtypes**: complex64, float32 and 16-bit floats give float32, all others float64.
    /// - **Errors**: an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([[1.0, 2.0], [3.0, 4.0]]);
    /// assert!(fft::irfftn(&fft::rfftn(&a, ..), ..).allclose(&a, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    irfftn / try_irfftn (self, along: impl IntoAxes<TransformOptions>) -> Array {
        to_real("irfftn", self, &along.into_axes(), None)
    }

    /// Returns the transform of real numbers along the last two axes, as `np.fft.rfft2`.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m, n / 2 + 1)`.
    /// - **Dtypes**: float32 and 16-bit floats give complex64, other real numbers complex128.
    /// - **Errors**: complex numbers (TypeError), fewer than two axes, a number of points below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(fft::rfft2(&array([[1.0, 2.0], [3.0, 4.0]]), ..).real().to_string(), "[[10. -2.]\n [-4.  0.]]");
    /// ```
    rfft2 / try_rfft2 (self, along: impl IntoAxes<TransformOptions>) -> Array {
        to_half("rfft2", self, &along.into_axes(), Some(2))
    }

    /// Inverts [`rfft2`](crate::fft::rfft2) and returns real numbers, as `np.fft.irfft2`.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m, 2 (n - 1))`.
    /// - **Dtypes**: complex64, float32 and 16-bit floats give float32, all others float64.
    /// - **Errors**: fewer than two axes, a number of points below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([[1.0, 2.0], [3.0, 4.0]]);
    /// assert!(fft::irfft2(&fft::rfft2(&a, ..), ..).allclose(&a, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    irfft2 / try_irfft2 (self, along: impl IntoAxes<TransformOptions>) -> Array {
        to_real("irfft2", self, &along.into_axes(), Some(2))
    }
}

/// Complex transforms along axes in this order, multiplied by `scale` in the end, before one along the axis `then`, if any.
#[track_caller]
fn chain(
    op: &'static str,
    kind: Transformation,
    array: &Array,
    axes: impl Iterator<Item = (usize, isize)>,
    scale: f64,
    then: Option<usize>,
) -> Result<Array> {
    let mut axes = axes.peekable();
    let mut result = array.clone();
    while let Some(axis) = axes.next() {
        let next = axes.peek().map(|&(next, _)| next);
        let own = if next.is_none() { scale } else { 1.0 };
        result = transform(op, kind, &result, axis, own, next.or(then))?;
    }
    Ok(result)
}

fn scale(along: &AxisOptions, forward: bool, axes: &[(usize, isize)]) -> f64 {
    axes.iter().map(|(_, points)| along.scaling().scale(forward, points.unsigned_abs())).product()
}

#[track_caller]
fn complex(
    op: &'static str,
    kind: Transformation,
    array: &Array,
    along: &AxisOptions,
    default: Option<usize>,
) -> Result<Array> {
    let axes = along.each(op, array, default, false)?;
    let scale = scale(along, kind == Transformation::Forward, &axes);
    chain(op, kind, array, axes.into_iter().rev(), scale, None)
}

#[track_caller]
fn to_half(
    op: &'static str,
    array: &Array,
    along: &AxisOptions,
    default: Option<usize>,
) -> Result<Array> {
    let axes = along.each(op, array, default, false)?;
    let scale = scale(along, true, &axes);
    let Some((&last, rest)) = axes.split_last() else {
        return Err(Error::Axis { op, axis: -1, ndim: 0 });
    };
    let own = if rest.is_empty() { scale } else { 1.0 };
    let half = transform(
        op,
        Transformation::RealToHalf,
        array,
        last,
        own,
        rest.last().map(|&(next, _)| next),
    )?;
    chain(op, Transformation::Forward, &half, rest.iter().rev().copied(), scale, None)
}

#[track_caller]
fn to_real(
    op: &'static str,
    array: &Array,
    along: &AxisOptions,
    default: Option<usize>,
) -> Result<Array> {
    let axes = along.each(op, array, default, true)?;
    let scale = scale(along, false, &axes);
    let Some((&last, rest)) = axes.split_last() else {
        return Err(Error::Axis { op, axis: -1, ndim: 0 });
    };
    let whole =
        chain(op, Transformation::Backward, array, rest.iter().copied(), 1.0, Some(last.0))?;
    let real = transform(op, Transformation::HalfToReal, &whole, last, scale, None)?;
    as_given(&whole, real)
}
