//! The price of a European call option by Monte Carlo.
//!
//! ```python
//! s = s0*np.exp(d + v*rng.standard_normal(n))
//! p = np.exp(-r*t)*np.maximum(s - k, 0)
//! price, error = p.mean(), p.std(ddof=1)/np.sqrt(n)
//! ```
//!
//! The size is the number of samples.
use ndany::prelude::*;
use std::f64::consts::SQRT_2;

/// The distribution function of the standard normal law.
fn normal_cdf(x: f64) -> ndany::Result<f64> {
    (0.5 * (1.0 + special::erf(x / SQRT_2))).item()
}

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let n = size.unwrap_or(100_000);
    let (s0, k, r, sigma, t) = (100.0_f64, 105.0_f64, 0.03_f64, 0.2_f64, 1.5_f64);
    let d = (r - sigma * sigma / 2.0) * t;
    let v = sigma * t.sqrt();
    let discount = (-r * t).exp();

    let mut rng = random::default_rng(11);
    let z = rng.standard_normal(n);
    let s = s0 * (d + v * z).exp();
    let p = discount * (s - k).maximum(0.0);
    let price: f64 = p.mean(..).item()?;
    let error = p.std(over(..).ddof(1)).item::<f64>()? / (n as f64).sqrt();

    // The formula of Black and Scholes gives the exact price.
    let d1 = ((s0 / k).ln() + (r + sigma * sigma / 2.0) * t) / v;
    let exact = s0 * normal_cdf(d1)? - k * discount * normal_cdf(d1 - v)?;
    assert!((price - exact).abs() < 4.0 * error, "{price} +- {error}, exact {exact}");
    Ok(())
}
