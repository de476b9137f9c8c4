//! Clusters of points by k-means.
//!
//! ```python
//! l = ((x[:,None] - c)**2).sum(-1).argmin(1)
//! c = np.concatenate([x[l == j].mean(0, keepdims=True) for j in range(k)])
//! ```
//!
//! The size is the number of points in one cluster.
use ndany::prelude::*;

/// For each point, the index of the nearest centre.
fn nearest(x: &Array, c: &Array) -> Array {
    (x.i(s![.., NewAxis]) - c).pow(2).sum(-1).argmin(1)
}

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let n = size.unwrap_or(200);
    let means = Array::from([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]);
    let k = means.shape()[0];

    let mut rng = random::default_rng(1);
    let noise = rng.standard_normal((k, n, 2));
    let x = (means.i(s![.., NewAxis]) + 0.3 * noise).reshape((k * n, 2));

    // One point of each group is a first centre.
    let mut c = x.i(s![..;n as isize]);
    for _ in 0..10 {
        let l = nearest(&x, &c);
        c = concatenate((0..k).map(|j| x.i(l.equal(j)).mean(over(0).keepdims())), 0);
    }

    // The centres lie near the true means, and the groups are equal.
    let distance: f64 = (&c - means).abs().max(..).item()?;
    assert!(distance < 0.2, "distance {distance}");
    let counts: Vec<i64> = nearest(&x, &c).bincount(..).to_vec()?;
    assert_eq!(counts, vec![n as i64; k]);
    Ok(())
}
