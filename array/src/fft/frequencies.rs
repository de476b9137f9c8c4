//! What goes with transforms: the frequencies of their points, and zero in the middle.

use crate::arguments::IntoAxes;
use crate::array::{Array, try_arange, try_concatenate};
use crate::declare::{array_functions, functions};
use ndany_core::{Error, Result};

functions! {
    /// Returns the frequencies of the points of a transform, as `np.fft.fftfreq`.
    ///
    /// They go from zero up, then from the most negative on. `spacing` is the distance of the samples.
    ///
    /// - **Shapes**: `() → (samples,)`.
    /// - **Dtypes**: float64.
    /// - **Errors**: no samples.
    ///
    /// ```
    /// use ndany::{Device, fft};
    /// # let _guard = Device::open("reference")?.enter();
    /// assert_eq!(fft::fftfreq(5, 0.1).to_vec::<f64>()?, [0.0, 2.0, 4.0, -4.0, -2.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    fftfreq / try_fftfreq (samples: usize, spacing: f64) -> Array {
        let unit = unit("fftfreq", samples, spacing)?;
        waves(samples, false)?.try_multiply(unit)
    }

    /// Returns the frequencies of the points of a transform of real numbers, as `np.fft.rfftfreq`.
    ///
    /// - **Shapes**: `() → (samples / 2 + 1,)`.
    /// - **Dtypes**: float64.
    /// - **Errors**: no samples.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(fft::rfftfreq(4, 1.0).to_string(), "[0.   0.25 0.5 ]");
    /// ```
    rfftfreq / try_rfftfreq (samples: usize, spacing: f64) -> Array {
        let unit = unit("rfftfreq", samples, spacing)?;
        waves(samples, true)?.try_multiply(unit)
    }
}

/// How often waves go up and down within all samples: the frequencies before they are divided by a duration.
pub(crate) fn waves(samples: usize, half: bool) -> Result<Array> {
    let samples = samples as i64;
    if half {
        return try_arange((0i64, samples / 2 + 1, 1i64));
    }
    let up = try_arange((0i64, (samples - 1) / 2 + 1, 1i64))?;
    try_concatenate(&[&up, &try_arange((-(samples / 2), 0i64, 1i64))?], 0)
}

fn unit(op: &'static str, samples: usize, spacing: f64) -> Result<f64> {
    let whole = samples as f64 * spacing;
    if whole == 0.0 {
        return Err(Error::NoFrequencies { op, samples, spacing });
    }
    Ok(1.0 / whole)
}

array_functions! {
    mod shifts, checked;

    /// Moves frequency zero to the middle of the axes (`..`: all), as `np.fft.fftshift`.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::{Device, fft};
    /// # let _guard = Device::open("reference")?.enter();
    /// let frequencies = fft::fftfreq(4, 0.25);
    /// assert_eq!(fft::fftshift(&frequencies, ..).to_vec::<f64>()?, [-2.0, -1.0, 0.0, 1.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    fftshift / try_fftshift (self, axes: impl IntoAxes) -> Array {
        shifted("fftshift", self, axes, |extent| extent / 2)
    }

    /// Inverts [`fftshift`](crate::fft::fftshift), from which it differs for odd extents, as `np.fft.ifftshift`.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(fft::ifftshift(&array([-1, 0, 1]), ..).to_string(), "[ 0  1 -1]");
    /// ```
    ifftshift / try_ifftshift (self, axes: impl IntoAxes) -> Array {
        shifted("ifftshift", self, axes, |extent| -(extent / 2))
    }
}

fn shifted(
    op: &'static str,
    array: &Array,
    axes: impl IntoAxes,
    shift: impl Fn(i64) -> i64,
) -> Result<Array> {
    let axes = match axes.into_axes().axes {
        Some(axes) if axes.is_empty() => return Ok(array.clone()),
        Some(axes) => axes,
        None if array.ndim() == 0 => {
            let expected = "at least one axis to shift".to_string();
            return Err(Error::Shape { op, expected, got: array.shape().into() });
        }
        None => (0..array.ndim() as isize).collect(),
    };
    let extents = axes.iter().map(|&axis| {
        Ok(array.shape()[ndany_core::shape::axis_index(op, axis, array.ndim())?] as i64)
    });
    let shifts: Vec<i64> = extents.map(|extent| extent.map(&shift)).collect::<Result<_>>()?;
    array.try_roll(shifts.as_slice(), &axes[..])
}

#[cfg(test)]
mod tests {
    use crate::{Array, checked};

    /// `np.fft.fftshift(1.0)` has no axis to shift.
    #[test]
    fn a_number_is_not_shifted() {
        let number = Array::scalar(1.0);
        let error = checked::fftshift(&number, ..).expect_err("no axis");
        assert_eq!(error.class(), "ValueError");
    }
}
