//! The capacity of random channels with several antennas.
//!
//! ```python
//! _, l = np.linalg.slogdet(np.eye(n) + g*h@h.conj().mT)
//! s = np.linalg.svd(h, compute_uv=False)
//! ```
//!
//! The size is the number of channels.
use ndany::prelude::*;

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let batch = size.unwrap_or(50);
    let n = 4;
    let g = 10.0 / n as f64;

    let mut rng = random::default_rng(5);
    let re = rng.standard_normal((batch, n, n));
    let im = rng.standard_normal((batch, n, n));
    let h = (re + Complex64::I * im) / 2.0_f64.sqrt();

    let gram = h.matmul(h.conj().matrix_transpose());
    let (_, l) = linalg::slogdet(eye(n) + g * gram).into();

    let s = linalg::svdvals(&h);
    let sum = (g * s.pow(2)).log1p().sum(-1);

    // Both ways give the same capacity.
    assert!(l.allclose(&sum, ..)?);
    // The mean lies near 10.94 bits for four antennas at 10 dB.
    let bits: f64 = (l / 2.0_f64.ln()).mean(..).item()?;
    assert!((bits - 10.94).abs() < 8.0 / (batch as f64).sqrt(), "capacity {bits}");
    Ok(())
}
