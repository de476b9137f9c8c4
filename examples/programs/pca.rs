//! The principal components of a table.
//!
//! ```python
//! x -= x.mean(0)
//! u, s, vh = np.linalg.svd(x, full_matrices=False)
//! y = x @ vh[:k].T
//! ```
//!
//! The size is the number of rows.
use ndany::prelude::*;

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let n = size.unwrap_or(300);
    let (columns, k) = (8, 2);

    // Two hidden factors make eight columns, with a little noise.
    let mut rng = random::default_rng(8);
    let factors = rng.standard_normal((n, k));
    let mixing = rng.standard_normal((k, columns));
    let noise = rng.standard_normal((n, columns));
    let mut x = factors.dot(&mixing) + 0.01 * noise + 5.0;

    x -= x.mean(0);
    let (u, s, vh) = linalg::svd_thin(&x).into();
    let y = x.dot(vh.i(..k).t());
    assert_eq!(y.shape(), [n, k]);

    // The left vectors give the same coordinates.
    assert!(y.allclose(&(u.i(s![.., ..k]) * s.i(..k)), ..)?);
    // Two components hold nearly all of the variance.
    let kept: f64 = (y.var(0).sum(..) / x.var(0).sum(..)).item()?;
    assert!(kept > 0.99, "kept {kept}");
    // The components have no correlation.
    let cross: f64 = y.t().dot(&y).i((0, 1)).item()?;
    assert!(cross.abs() < 1e-6, "cross {cross}");
    Ok(())
}
