//! An estimate of the 1-norm (Hager 1984; Higham 1988).

use ndany_array::{Array, DType, Error, Result};

use super::{Operator, number, run};

/// Largest number of products with the adjoint; Higham's limit.
const ROUNDS: usize = 5;

/// Columns that are looked at in a round: those in whose direction the norm rises most.
const COLUMNS: usize = 4;

/// Returns a lower bound of the largest sum of absolute values of a column, which is mostly the sum itself, as
/// `scipy.sparse.linalg.onenormest`.
///
/// The operator and its adjoint are applied up to 27 times, on the current device. Of a sparse array, [`norm`](fn@super::norm) is exact.
///
/// - **Shapes**: `(n, n) → ` a number.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: an operator that is not square, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[1.0, -7.0], [2.0, 3.0]]), ..);
/// assert_eq!(sparse::linalg::onenormest(&a)?, 10.0);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn onenormest(a: &impl Operator) -> Result<f64> {
    let shape @ [m, n] = a.shape();
    if m != n || n == 0 {
        let expected = "a square operator with elements".to_string();
        return Err(Error::Shape { op: "onenormest", expected, got: shape[..].into() });
    }
    let dtype = DType::promote(a.dtype().to_inexact(), DType::F32);
    let sum = |x: &Array| number(&x.abs().sum(..));
    let ones = || ndany_array::ones(n, dtype);
    let unit = |at: i64| {
        let mut x = ones().zeros_like();
        x.set(at as isize, 1);
        x
    };
    let mut best = a.matvec(&(ones() / n as f64)).astype(dtype);
    run(&[&best])?;
    let mut estimate = sum(&best)?;
    let mut seen: Vec<i64> = Vec::new();
    for _ in 0..ROUNDS {
        let length = best.abs();
        let signs = ndany_array::where_(length.greater(0), &best / &length, &best + 1);
        run(&[&signs])?;
        let slopes = a.rmatvec(&signs).abs();
        run(&[&slopes])?;
        let steepest: Vec<i64> = slopes.argsort(..).astype(DType::I64).flip(0).to_vec()?;
        let mut rises = false;
        for at in
            steepest.into_iter().filter(|at| !seen.contains(at)).take(COLUMNS).collect::<Vec<_>>()
        {
            seen.push(at);
            let column = a.matvec(&unit(at)).astype(dtype);
            run(&[&column])?;
            let size = sum(&column)?;
            if size > estimate {
                (estimate, best, rises) = (size, column, true);
            }
        }
        if !rises {
            break;
        }
    }
    // Signs that alternate find what the rounds cannot, as columns whose elements cancel.
    let steps = crate::support::below(n, &ones());
    let sign = steps.remainder(2).multiply(-2) + 1;
    let alternating = sign.astype(dtype) * ((steps.astype(dtype) / (n.max(2) - 1) as f64) + 1.0);
    let other = 2.0 * sum(&a.matvec(&alternating.astype(dtype)).astype(dtype))? / (3.0 * n as f64);
    Ok(estimate.max(other))
}
