//! Fourier transforms, as `numpy.fft`.
//!
//! Transforms go along one axis ([`fft()`], [`rfft`], [`hfft`] and their inverses), along two or along all
//! ([`fft2`], [`fftn`] and theirs), over any length; the argument says along which axes; its options
//! say how long (`n`) and how results are scaled (`norm`).
//! f32 and narrower floats are transformed in f32, everything else in f64. Results carry a bound instead of promised bits, since
//! devices transform by their vendors' libraries. Nothing waits for the device.
//!
//! Axes but the last are transformed as copies whose rows they are; results are views of those.
//! To have a result in memory that is there (NumPy's `out=`), copy it: [`Array::copyto`](crate::Array::copyto).
//!
//! ```
//! use ndany::fft::{self, Norm};
//! use ndany::{Array, Device, along};
//! # let _guard = Device::open("reference")?.enter();
//! let x = Array::from([1.0, 2.0, 3.0, 4.0]);
//! let y = fft::rfft(&x, ..);
//! assert!(y.real().allclose(&Array::from([10.0, -2.0, -2.0]), ..)?);
//! assert!(fft::irfft(&y, ..).allclose(&x, ..)?);
//! // Eight points along the axis, the last four zero, so that lengths stay what they are.
//! let y = fft::fft(&x, along(0).n(8).norm(Norm::Ortho));
//! assert_eq!(y.shape(), [8]);
//! assert!((y.abs().square().sum(..).item::<f64>()? - 30.0).abs() < 1e-12);
//! assert_eq!(fft::rfftfreq(4, 0.5).to_vec::<f64>()?, [0.0, 0.5, 1.0]);
//! # Ok::<(), ndany::Error>(())
//! ```

mod along;
mod frequencies;
mod many;
mod one;
mod task;

pub use along::Norm;
pub use frequencies::shifts::*;
#[cfg(feature = "call")]
pub(crate) use frequencies::waves;
pub use frequencies::{fftfreq, rfftfreq};
pub use many::many_axes::*;
pub use one::one_axis::*;

/// The functions with errors as values, for [`crate::checked`].
pub(crate) mod checked {
    pub use super::frequencies::checked::*;
    pub use super::frequencies::{try_fftfreq as fftfreq, try_rfftfreq as rfftfreq};
    pub use super::many::checked::*;
    pub use super::one::checked::*;
}
