//! The Mandelbrot set on a complex grid.
//!
//! ```python
//! c = x + 1j*y[:,None]
//! z = z*z + c
//! count += np.abs(z) <= 2
//! ```
//!
//! The size is the number of grid points on one side.
use ndany::prelude::*;

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let n = size.unwrap_or(128);
    let steps = 60;

    let x = linspace(-2.0, 0.5, n);
    let y = linspace(-1.25, 1.25, n);
    let c = &x + Complex64::I * y.i(s![.., NewAxis]);
    assert_eq!(c.dtype(), C128);

    let mut z = c.zeros_like();
    let mut count = zeros((n, n), I64);
    for _ in 0..steps {
        z = &z * &z + &c;
        count += z.abs().less_equal(2.0);
    }

    // The area of the set is about 1.5066. A finite count gives a little more.
    let inside: i64 = count.equal(steps).sum(..).item()?;
    let area = inside as f64 * (2.5 / (n - 1) as f64).powi(2);
    assert!((area - 1.5066).abs() < 0.2, "area {area}");
    Ok(())
}
