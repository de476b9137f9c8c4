//! Transforms along one axis.

use super::along::Along;
use super::task::transform;
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
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let y = Array::from([1.0, 0.0, -1.0, 0.0]).fft(..);
    /// assert!(y.allclose(&Array::from([0.0, 2.0, 0.0, 2.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    fft / try_fft (self, along: impl Into<Along>) -> Array {
        complex("fft", Transformation::Forward, self, &along.into())
    }

    /// The inverse of [`fft`](crate::fft::fft()). As `np.fft.ifft`.
    ifft / try_ifft (self, along: impl Into<Along>) -> Array {
        complex("ifft", Transformation::Backward, self, &along.into())
    }

    /// The first half, n/2 + 1 points, of the transform of real numbers: the rest are their conjugates. Complex numbers are
    /// a `TypeError`. As `np.fft.rfft`.
    rfft / try_rfft (self, along: impl Into<Along>) -> Array {
        to_half("rfft", self, &along.into())
    }

    /// The inverse of [`rfft`](crate::fft::rfft): real numbers, by default two less than twice as many as there are points;
    /// an odd number must be asked for. As `np.fft.irfft`.
    irfft / try_irfft (self, along: impl Into<Along>) -> Array {
        to_real("irfft", self, &along.into())
    }

    /// The transform of numbers of which the first half is given, the rest being their conjugates: a real spectrum. As
    /// `np.fft.hfft`.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// // Of 1, 2, 3, 2: an even signal.
    /// let y = Array::from([1.0, 2.0, 3.0]).hfft(..);
    /// assert!(y.allclose(&Array::from([8.0, -2.0, 0.0, -2.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    hfft / try_hfft (self, along: impl Into<Along>) -> Array {
        let mut along = along.into();
        along.norm = along.norm.swapped();
        to_real("hfft", &self.try_conjugate()?, &along)
    }

    /// The inverse of [`hfft`](crate::fft::hfft). As `np.fft.ihfft`.
    ihfft / try_ihfft (self, along: impl Into<Along>) -> Array {
        let mut along = along.into();
        along.norm = along.norm.swapped();
        to_half("ihfft", self, &along)?.try_conjugate()
    }
}

#[track_caller]
fn complex(op: &'static str, kind: Transformation, array: &Array, along: &Along) -> Result<Array> {
    let (axis, points) = along.one(op, array)?;
    let points = points.unwrap_or(array.shape()[axis] as isize);
    let scale = along.norm.scale(kind == Transformation::Forward, points.unsigned_abs());
    transform(op, kind, array, (axis, points), scale)
}

#[track_caller]
fn to_half(op: &'static str, array: &Array, along: &Along) -> Result<Array> {
    let (axis, points) = along.one(op, array)?;
    let points = points.unwrap_or(array.shape()[axis] as isize);
    let scale = along.norm.scale(true, points.unsigned_abs());
    transform(op, Transformation::RealToHalf, array, (axis, points), scale)
}

#[track_caller]
fn to_real(op: &'static str, array: &Array, along: &Along) -> Result<Array> {
    let (axis, points) = along.one(op, array)?;
    let points = points.unwrap_or(2 * (array.shape()[axis] as isize - 1));
    let scale = along.norm.scale(false, points.unsigned_abs());
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
