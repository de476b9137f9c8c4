//! Logistic regression by gradient descent.
//!
//! ```python
//! p = 1/(1 + np.exp(-x@w))
//! w -= rate*x.T@(p - y)/n
//! ```
//!
//! The size is the number of samples.
use ndany::prelude::*;

fn sigmoid(z: &Array) -> Array {
    1.0 / (1.0 + (-z).exp())
}

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let n = size.unwrap_or(4000);
    let rate = 1.0;

    let mut rng = random::default_rng(7);
    let x = rng.standard_normal((n, 4));
    let truth = Array::from([1.0, -2.0, 0.5, 1.5]);
    let chance = rng.random(n);
    let y = chance.less(sigmoid(&x.matmul(&truth))).astype(F64);

    let mut w = zeros(4, ..);
    for _ in 0..200 {
        let p = sigmoid(&x.matmul(&w));
        w -= rate * x.t().matmul(&(p - &y)) / n as f64;
    }

    // The gradient vanishes at the optimum.
    let p = sigmoid(&x.matmul(&w));
    let gradient = x.t().matmul(&(&p - &y)) / n as f64;
    let norm: f64 = linalg::norm(&gradient, ..).item()?;
    assert!(norm < 1e-2, "gradient {norm}");

    // The model predicts most of the labels.
    let right = p.greater(0.5).equal(y.greater(0.5));
    let accuracy: f64 = right.mean(..).item()?;
    assert!(accuracy > 0.75, "accuracy {accuracy}");
    Ok(())
}
