//! The exponential of an array times vectors (Al-Mohy & Higham 2011).

use ndany_array::{Array, DType, Error, Result};

use super::{Norm, norm, number, run};
use crate::Sparse;

/// Terms of the series, and the largest 1-norm for which as many have a backward error of 2⁻⁵³; table 3.1 of the paper.
const TERMS: [(usize, f64); 12] = [
    (3, 1.39e-5),
    (5, 2.4e-3),
    (10, 1.44e-1),
    (15, 6.41e-1),
    (20, 1.44),
    (25, 2.43),
    (30, 3.54),
    (35, 4.7),
    (40, 6.0),
    (45, 7.2),
    (50, 8.5),
    (55, 9.9),
];

/// Returns `exp(t A) b`, as `scipy.sparse.linalg.expm_multiply`; the exponential itself is never made.
///
/// The mean of the diagonal is taken out, and the time cut into steps, each of which is a series in products with the array. Their
/// number is that of the 1-norm, which is read.
///
/// - **Shapes**: `(n, n), (n,) → (n,)`, `(n, n), (n, k) → (n, k)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, a norm or a time that is not finite, more than a million products.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[0.0, 1.0], [0.0, 0.0]]), ..);
/// assert_eq!(format!("{:.6}", sparse::linalg::expm_multiply(&a, &array([1.0, 2.0]), 3.0)?), "[7. 2.]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn expm_multiply(a: &Sparse, b: &Array, t: f64) -> Result<Array> {
    const OP: &str = "expm_multiply";
    let [m, n] = a.shape();
    if m != n || !(1..=2).contains(&b.ndim()) || b.shape()[0] != n {
        let expected = format!("a square array and a vector or matrix of its {n} rows");
        return Err(Error::Shape { op: OP, expected, got: b.shape().into() });
    }
    let dtype = DType::promote(DType::promote(a.dtype(), b.dtype()).to_inexact(), DType::F32);
    let b = b.astype(dtype);
    if b.size() == 0 {
        return Ok(b);
    }
    let a = a.astype(DType::promote(a.dtype().to_inexact(), DType::F32)).to_csr();
    let mean = a.trace(0) / n as f64;
    run(&[&mean])?;
    // The diagonal less its mean.
    let identity = {
        let _guard = b.device().enter();
        crate::eye_array((n, n)).to_csr().astype(a.dtype())
    };
    let shifted = &a - identity.with_data(identity.data() * &mean);
    let size = number(&norm(&shifted, Norm::One))? * t.abs();
    let wrong = |reason: String| Err(Error::ArgumentValue { op: OP.to_string(), reason });
    if !size.is_finite() {
        return wrong(format!("expected a finite norm and time, got {size} for their product"));
    }
    let cost = |&(terms, limit): &(usize, f64)| (size / limit).ceil().max(1.0) * terms as f64;
    let best = TERMS.iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
    let Some(best @ &(terms, limit)) = best else { return Ok(b) };
    if cost(best) > 1e6 {
        return wrong(format!(
            "the 1-norm times the time, {size}, needs more than a million products"
        ));
    }
    let steps = (size / limit).ceil().max(1.0);
    let factor = (mean * (t / steps)).exp().astype(dtype);
    run(&[&factor])?;
    let mut f = b;
    for _ in 0..steps as usize {
        let mut term = f.clone();
        for number in 1..=terms {
            term = shifted.matmul(&term) * (t / (steps * number as f64));
            f = &f + &term;
            run(&[&term, &f])?;
        }
        f = &f * &factor;
        run(&[&f])?;
    }
    Ok(f)
}
