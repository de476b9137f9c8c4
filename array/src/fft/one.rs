//! Transforms along one axis.

use super::task::transform;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxis};
use crate::array::Array;
use crate::declare::array_functions;
use ndany_core::Result;
use ndany_core::backend::Transformation;

array_functions! {
    mod one_axis, checked;

    /// Returns the discrete Fourier transform `y[k] = Σ x[j] exp(-2πi jk/n)` along an axis, as `np.fft.fft`.
    ///
    /// - **Shapes**: `(…, n) → (…, n)`.
    /// - **Dtypes**: float32, complex64 and 16-bit floats give complex64, all others complex128.
    /// - **Errors**: an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::{Array, Device, fft};
    /// # let _guard = Device::open("reference")?.enter();
    /// let y = fft::fft(&Array::from([1.0, 0.0, -1.0, 0.0]), ..);
    /// assert!(y.allclose(&Array::from([0.0, 2.0, 0.0, 2.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    fft / try_fft (self, along: impl IntoAxis<TransformOptions>) -> Array {
        complex("fft", Transformation::Forward, self, &along.into_axis())
    }

    /// Inverts [`fft`](crate::fft::fft()), as `np.fft.ifft`.
    ///
    /// - **Shapes**: `(…, n) → (…, n)`.
    /// - **Dtypes**: float32, complex64 and 16-bit floats give complex64, all others complex128.
    /// - **Errors**: an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([1.0, 2.0, 3.0]);
    /// assert!(fft::ifft(&fft::fft(&a, ..), ..).allclose(&a, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ifft / try_ifft (self, along: impl IntoAxis<TransformOptions>) -> Array {
        complex("ifft", Transformation::Backward, self, &along.into_axis())
    }

    /// Returns the first half of the transform of real numbers along an axis, as `np.fft.rfft`.
    ///
    /// The other half are the conjugates.
    ///
    /// - **Shapes**: `(…, n) → (…, n / 2 + 1)`.
    /// - **Dtypes**: float32 and 16-bit floats give complex64, other real numbers complex128.
    /// - **Errors**: complex numbers (TypeError), an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(fft::rfft(&array([1.0, 0.0, 0.0, 0.0]), ..).real().to_string(), "[1. 1. 1.]");
    /// ```
    rfft / try_rfft (self, along: impl IntoAxis<TransformOptions>) -> Array {
        to_half("rfft", self, &along.into_axis())
    }

    /// Inverts [`rfft`](crate::fft::rfft) and returns real numbers, as `np.fft.irfft`.
    ///
    /// By default there are two less than twice as many elements as points; an odd number must be asked for.
    ///
    /// - **Shapes**: `(…, n) → (…, 2 (n - 1))`.
    /// - **Dtypes**: complex64, float32 and 16-bit floats give float32, all others float64.
    /// - **Errors**: an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([1.0, 2.0, 3.0, 4.0]);
    /// assert!(fft::irfft(&fft::rfft(&a, ..), ..).allclose(&a, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    irfft / try_irfft (self, along: impl IntoAxis<TransformOptions>) -> Array {
        to_real("irfft", self, &along.into_axis())
    }

    /// Returns the real transform of numbers whose second half are conjugates of the first, as `np.fft.hfft`.
    ///
    /// - **Shapes**: `(…, n) → (…, 2 (n - 1))`.
    /// - **Dtypes**: complex64, float32 and 16-bit floats give float32, all others float64.
    /// - **Errors**: an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::{Array, Device, fft};
    /// # let _guard = Device::open("reference")?.enter();
    /// // Of 1, 2, 3, 2: an even signal.
    /// let y = fft::hfft(&Array::from([1.0, 2.0, 3.0]), ..);
    /// assert!(y.allclose(&Array::from([8.0, -2.0, 0.0, -2.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    hfft / try_hfft (self, along: impl IntoAxis<TransformOptions>) -> Array {
        let along = swapped(along.into_axis());
        to_real("hfft", &self.try_conjugate()?, &along)
    }

    /// Inverts [`hfft`](crate::fft::hfft), as `np.fft.ihfft`.
    ///
    /// - **Shapes**: `(…, n) → (…, n / 2 + 1)`.
    /// - **Dtypes**: float32 and 16-bit floats give complex64, other real numbers complex128.
    /// - **Errors**: complex numbers (TypeError), an axis out of range, a number of points below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(fft::ihfft(&array([4.0, 0.0, 0.0, 0.0]), ..).real().to_string(), "[1. 1. 1.]");
    /// ```
    ihfft / try_ihfft (self, along: impl IntoAxis<TransformOptions>) -> Array {
        let along = swapped(along.into_axis());
        to_half("ihfft", self, &along)?.try_conjugate()
    }
}

/// The options, with the ways of scaling exchanged.
fn swapped(options: AxisOptions) -> AxisOptions {
    let norm = options.scaling().swapped();
    options.norm(norm)
}

#[track_caller]
fn complex(
    op: &'static str,
    kind: Transformation,
    array: &Array,
    along: &AxisOptions,
) -> Result<Array> {
    let (axis, points) = along.transformed_axis(op, array)?;
    let points = points.unwrap_or(array.shape()[axis] as isize);
    let scale = along.scaling().scale(kind == Transformation::Forward, points.unsigned_abs());
    transform(op, kind, array, (axis, points), scale, None)
}

#[track_caller]
fn to_half(op: &'static str, array: &Array, along: &AxisOptions) -> Result<Array> {
    let (axis, points) = along.transformed_axis(op, array)?;
    let points = points.unwrap_or(array.shape()[axis] as isize);
    let scale = along.scaling().scale(true, points.unsigned_abs());
    transform(op, Transformation::RealToHalf, array, (axis, points), scale, None)
}

#[track_caller]
fn to_real(op: &'static str, array: &Array, along: &AxisOptions) -> Result<Array> {
    let (axis, points) = along.transformed_axis(op, array)?;
    let points = points.unwrap_or(2 * (array.shape()[axis] as isize - 1));
    let scale = along.scaling().scale(false, points.unsigned_abs());
    let real = transform(op, Transformation::HalfToReal, array, (axis, points), scale, None)?;
    as_given(array, real)
}

/// Real numbers made of 16-bit floats are such again, as in NumPy.
#[track_caller]
pub(super) fn as_given(array: &Array, real: Array) -> Result<Array> {
    match array.dtype().is_float() && array.dtype().size() == 2 {
        true => real.try_astype(array.dtype()),
        false => Ok(real),
    }
}
