//! The 2-D heat equation with fixed borders.
//!
//! ```python
//! u[1:-1,1:-1] += c*(u[:-2,1:-1] + u[2:,1:-1] + u[1:-1,:-2] + u[1:-1,2:] - 4*u[1:-1,1:-1])
//! ```
//!
//! The size is the number of grid points on one side.
use ndany::prelude::*;
use std::f64::consts::PI;

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let n = size.unwrap_or(64);
    let steps = 100;
    let c = 0.2;

    // The first sine mode is zero at the borders.
    let s = (PI * linspace(0.0, 1.0, n)).sin();
    let start = s.outer(&s);

    let mut u = start.copy();
    for _ in 0..steps {
        let change =
            u.i(s![..-2, 1..-1]) + u.i(s![2.., 1..-1]) + u.i(s![1..-1, ..-2]) + u.i(s![1..-1, 2..])
                - 4.0 * u.i(s![1..-1, 1..-1]);
        *u.view_mut(s![1..-1, 1..-1]) += c * change;
    }

    // The mode keeps its shape. Each step multiplies it by one factor.
    let factor = 1.0 + c * (4.0 * (PI / (n - 1) as f64).cos() - 4.0);
    let expected = start * factor.powi(steps);
    assert!(u.allclose(&expected, ..)?);
    Ok(())
}
