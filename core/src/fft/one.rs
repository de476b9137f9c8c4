//! Transforms along one axis.

use super::task::transform;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxis};
use crate::array::Array;
use crate::backend::Transformation;
use crate::declare::array_functions;
use crate::error::Result;

array_functions! {
    mod one_axis, checked;

    /// The discrete Fourier transform along an axis, `y[k] = Σ x[j] exp(-2πi jk/n)`: complex64 of f32, complex64 and 16-bit
    /// floats, else complex128. As `np.fft.fft`.
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

    /// The inverse of [`fft`](crate::fft::fft()). As `np.fft.ifft`.
    ifft / try_ifft (self, along: impl IntoAxis<TransformOptions>) -> Array {
        complex("ifft", Transformation::Backward, self, &along.into_axis())
    }

    /// The first half, n/2 + 1 points, of the transform of real numbers: the rest are their conjugates. Complex numbers are
    /// a `TypeError`. As `np.fft.rfft`.
    rfft / try_rfft (self, along: impl IntoAxis<TransformOptions>) -> Array {
        to_half("rfft", self, &along.into_axis())
    }

    /// The inverse of [`rfft`](crate::fft::rfft): real numbers, by default two less than twice as many as there are points;
    /// an odd number must be asked for. As `np.fft.irfft`.
    irfft / try_irfft (self, along: impl IntoAxis<TransformOptions>) -> Array {
        to_real("irfft", self, &along.into_axis())
    }

    /// The transform of numbers of which the first half is given, the rest being their conjugates: a real spectrum. As
    /// `np.fft.hfft`.
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

    /// The inverse of [`hfft`](crate::fft::hfft). As `np.fft.ihfft`.
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
    transform(op, kind, array, (axis, points), scale)
}

#[track_caller]
fn to_half(op: &'static str, array: &Array, along: &AxisOptions) -> Result<Array> {
    let (axis, points) = along.transformed_axis(op, array)?;
    let points = points.unwrap_or(array.shape()[axis] as isize);
    let scale = along.scaling().scale(true, points.unsigned_abs());
    transform(op, Transformation::RealToHalf, array, (axis, points), scale)
}

#[track_caller]
fn to_real(op: &'static str, array: &Array, along: &AxisOptions) -> Result<Array> {
    let (axis, points) = along.transformed_axis(op, array)?;
    let points = points.unwrap_or(2 * (array.shape()[axis] as isize - 1));
    let scale = along.scaling().scale(false, points.unsigned_abs());
    let real = transform(op, Transformation::HalfToReal, array, (axis, points), scale)?;
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
