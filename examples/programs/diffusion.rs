//! Diffusion in a periodic box.
//!
//! ```python
//! for a in range(3):
//!     d += np.roll(u, 1, a) + np.roll(u, -1, a) - 2*u
//! u += c*d
//! ```
//!
//! The size is the number of grid points on one side.
use ndany::prelude::*;

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let n = size.unwrap_or(24);
    let c = 0.1;

    let mut rng = random::default_rng(9);
    let mut u = rng.random((n, n, n));
    let total: f64 = u.sum(..).item()?;
    let spread: f64 = u.var(..).item()?;

    for _ in 0..50 {
        let mut d = u.zeros_like();
        for a in 0..3 {
            d += u.roll(1, a) + u.roll(-1, a) - 2 * &u;
        }
        u += c * d;
    }

    // The total stays, and the values come together.
    let end: f64 = u.sum(..).item()?;
    assert!((end - total).abs() < 1e-9 * total, "{total} became {end}");
    assert!(u.var(..).item::<f64>()? < 0.1 * spread);
    Ok(())
}
