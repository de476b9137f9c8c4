//! Transforms along several axes, one after the other. What they are multiplied by comes with the last.

use super::one::as_given;
use super::task::transform;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxes};
use crate::array::Array;
use crate::backend::Transformation;
use crate::declare::array_functions;
use crate::error::{Error, Result};

array_functions! {
    mod many_axes, checked;

    /// The transform along all axes, or those that are given. As `np.fft.fftn`.
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

    /// The inverse of [`fftn`](crate::fft::fftn). As `np.fft.ifftn`.
    ifftn / try_ifftn (self, along: impl IntoAxes<TransformOptions>) -> Array {
        complex("ifftn", Transformation::Backward, self, &along.into_axes(), None)
    }

    /// The transform along the last two axes. As `np.fft.fft2`.
    fft2 / try_fft2 (self, along: impl IntoAxes<TransformOptions>) -> Array {
        complex("fft2", Transformation::Forward, self, &along.into_axes(), Some(2))
    }

    /// The inverse of [`fft2`](crate::fft::fft2). As `np.fft.ifft2`.
    ifft2 / try_ifft2 (self, along: impl IntoAxes<TransformOptions>) -> Array {
        complex("ifft2", Transformation::Backward, self, &along.into_axes(), Some(2))
    }

    /// The transform of real numbers along all axes, or those that are given, of which the last has its first half only.
    /// Complex numbers are a `TypeError`. As `np.fft.rfftn`.
    rfftn / try_rfftn (self, along: impl IntoAxes<TransformOptions>) -> Array {
        to_half("rfftn", self, &along.into_axes(), None)
    }

    /// The inverse of [`rfftn`](crate::fft::rfftn): real numbers, along the last axis by default two less than twice as
    /// many as there are points. As `np.fft.irfftn`.
    irfftn / try_irfftn (self, along: impl IntoAxes<TransformOptions>) -> Array {
        to_real("irfftn", self, &along.into_axes(), None)
    }

    /// The transform of real numbers along the last two axes. As `np.fft.rfft2`.
    rfft2 / try_rfft2 (self, along: impl IntoAxes<TransformOptions>) -> Array {
        to_half("rfft2", self, &along.into_axes(), Some(2))
    }

    /// The inverse of [`rfft2`](crate::fft::rfft2). As `np.fft.irfft2`.
    irfft2 / try_irfft2 (self, along: impl IntoAxes<TransformOptions>) -> Array {
        to_real("irfft2", self, &along.into_axes(), Some(2))
    }
}

/// Complex transforms along axes in this order, multiplied by `scale` in the end.
#[track_caller]
fn chain(
    op: &'static str,
    kind: Transformation,
    array: &Array,
    axes: impl ExactSizeIterator<Item = (usize, isize)>,
    scale: f64,
) -> Result<Array> {
    let mut left = axes.len();
    let mut result = array.clone();
    for axis in axes {
        left -= 1;
        result = transform(op, kind, &result, axis, if left == 0 { scale } else { 1.0 })?;
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
    chain(op, kind, array, axes.into_iter().rev(), scale)
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
    let half = transform(op, Transformation::RealToHalf, array, last, own)?;
    chain(op, Transformation::Forward, &half, rest.iter().rev().copied(), scale)
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
    let whole = chain(op, Transformation::Backward, array, rest.iter().copied(), 1.0)?;
    let real = transform(op, Transformation::HalfToReal, &whole, last, scale)?;
    as_given(&whole, real)
}
