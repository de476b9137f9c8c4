//! A linear convolution by the Fourier transform.
//!
//! ```python
//! y = np.fft.irfft(np.fft.rfft(x, n)*np.fft.rfft(k, n), n)
//! ```
//!
//! The size is the length of the signal.
use ndany::prelude::*;

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let length = size.unwrap_or(1000);

    let mut rng = random::default_rng(2);
    let x = rng.standard_normal(length);
    let k = (-0.2 * arange(31)).exp();
    let k = &k / k.sum(..);

    let n = x.size() + k.size() - 1;
    let padded = along(-1).n(n);
    let y = fft::irfft(fft::rfft(&x, &padded) * fft::rfft(&k, &padded), &padded);

    // The direct convolution gives the same values.
    let direct = x.convolve(&k, ndany::Overlap::Full);
    assert_eq!(y.shape(), [n]);
    assert!(y.allclose(&direct, ..)?);
    // The kernel has the sum one, and so the sum of the signal stays.
    let difference: f64 = (y.sum(..) - x.sum(..)).item()?;
    assert!(difference.abs() < 1e-9, "difference {difference}");
    Ok(())
}
