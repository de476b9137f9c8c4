//! Sums of values by key.
//!
//! ```python
//! v, i = np.unique_inverse(k)
//! t = np.zeros(len(v))
//! np.add.at(t, i, x)
//! ```
//!
//! The size is the number of rows.
use ndany::prelude::*;

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let n = size.unwrap_or(10_000);

    let mut rng = random::default_rng(4);
    let k = 10 * rng.integers(0..12, n);
    let x = rng.random(n);

    let (v, i) = k.unique_inverse(..).into();
    let mut t = zeros(v.size(), ..);
    ufunc::add.at(&mut t, &i, &x);

    // The inverse gives the keys back.
    assert!(v.take(&i, ..).array_equal(&k)?);
    // The sums of all groups give the whole sum.
    let difference: f64 = (t.sum(..) - x.sum(..)).item()?;
    assert!(difference.abs() < 1e-6, "difference {difference}");
    // A mask gives the same sum for each group.
    let keys: Vec<i64> = v.to_vec()?;
    for (j, key) in keys.iter().enumerate() {
        let sum: f64 = x.i(k.equal(*key)).sum(..).item()?;
        let group: f64 = t.i(j).item()?;
        assert!((group - sum).abs() < 1e-9, "key {key}: {group}, {sum}");
    }
    Ok(())
}
