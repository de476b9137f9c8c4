//! Locally optimal block preconditioned conjugate gradients (Knyazev 2001).

use ndany_array::{Array, DType, Error, Result, concatenate, s, stack};

use super::small;
use super::{Iteration, Operator, combinations, gram, run};

/// Returns the largest eigenvalues of a real symmetric operator, the largest first, and their vectors in columns, as
/// `scipy.sparse.linalg.lobpcg`; of `-A` they are the smallest ones.
///
/// It starts from the columns of `x`, as many as are found, and ends where the norms of all residuals are at most `atol`, or `rtol` times
/// the eigenvalue (1e-5 at first), or after `maxiter` steps (20). The small problem of a step is read and solved on the host. A
/// preconditioner stands for the inverse of the operator.
///
/// - **Shapes**: `(n, n), (n, k) → (k,), (n, k)`.
/// - **Dtypes**: real ones; integers are computed in float64.
/// - **Errors**: other shapes, complex numbers, more than `n / 3` columns, columns that depend on each other.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::diags_array([&arange(1..101).astype(F64)], [0i64], ..).to_csr();
/// let start = Generator::new(1).random((100, 2));
/// let options = sparse::linalg::Iteration::new().maxiter(200);
/// let (values, _) = sparse::linalg::lobpcg(&a, &start, options)?;
/// assert_eq!(format!("{values:.3}"), "[100.  99.]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn lobpcg(
    a: &impl Operator,
    x: &Array,
    options: impl Into<Iteration>,
) -> Result<(Array, Array)> {
    const OP: &str = "lobpcg";
    let (options, [m, n]) = (options.into(), a.shape());
    let k = match *x.shape() {
        [rows, columns] if m == n && rows == n && columns > 0 && 3 * columns <= n => columns,
        _ => {
            let expected = format!("a square operator and up to {} vectors of {n} elements", n / 3);
            return Err(Error::Shape { op: OP, expected, got: x.shape().into() });
        }
    };
    let dtype = DType::promote(DType::promote(a.dtype(), x.dtype()).to_inexact(), DType::F32);
    if dtype.is_complex() {
        let reason = "expected real numbers, got complex ones".to_string();
        return Err(Error::ArgumentValue { op: OP.to_string(), reason });
    }
    // Vectors are rows here.
    let apply = |rows: &Array| -> Result<Array> {
        let images: Vec<Array> =
            (0..rows.shape()[0]).map(|row| a.matvec(&rows.i(s![row, ..])).astype(dtype)).collect();
        let images = stack(&images, 0);
        run(&[&images])?;
        Ok(images)
    };
    let dependent = || Error::ArgumentValue {
        op: OP.to_string(),
        reason: "the vectors depend on each other".to_string(),
    };
    let mut space = x.astype(dtype).t();
    let mut images = apply(&space)?;
    let mut values = vec![0.0; k];
    let mut sizes = k;
    for step in 0..=options.maxiter.unwrap_or(20) {
        // The best vectors of the space, which has those of before, residuals and directions.
        let gram_of = |other: &Array| -> Result<Vec<Vec<f64>>> {
            let flat: Vec<f64> = gram(&space, other).astype(DType::F64).ravel().to_vec()?;
            Ok(flat.chunks(sizes).map(<[f64]>::to_vec).collect())
        };
        let (found, vectors) = small::generalized(&gram_of(&images)?, &gram_of(&space)?);
        if found.len() < k || found.iter().any(|value| value.is_nan()) {
            return Err(dependent());
        }
        let best: Vec<usize> = (0..found.len()).rev().take(k).collect();
        values = best.iter().map(|&i| found[i]).collect();
        let combine = |first: usize, of: &Array| {
            let flat: Vec<f64> = best.iter().flat_map(|&i| vectors[i][first..].to_vec()).collect();
            let _guard = of.device().enter();
            let small = Array::from(flat.as_slice()).reshape((k, sizes - first));
            combinations(&small.astype(dtype), &of.i(s![first as isize.., ..]))
        };
        let [best_x, image_x] = [&space, &images].map(|of| combine(0, of));
        // What was added to the vectors is the next direction.
        let directions = (sizes > k).then(|| [&space, &images].map(|of| combine(k, of)));
        let scale = {
            let _guard = x.device().enter();
            Array::from(values.as_slice()).astype(dtype).reshape((k, 1))
        };
        let residuals = &image_x - &scale * &best_x;
        run(&[&best_x, &image_x, &residuals])?;
        let norms: Vec<f64> = residuals.square().sum(1).sqrt().astype(DType::F64).to_vec()?;
        let small_enough =
            |(norm, value): (&f64, &f64)| *norm <= options.atol.max(options.rtol * value.abs());
        if norms.iter().zip(&values).all(small_enough) || step == options.maxiter.unwrap_or(20) {
            space = best_x;
            break;
        }
        let residuals = match &options.preconditioner {
            None => residuals,
            Some(inverse) => {
                let rows: Vec<Array> = (0..k)
                    .map(|row| inverse.matvec(&residuals.i(s![row, ..])).astype(dtype))
                    .collect();
                stack(&rows, 0)
            }
        };
        // Of the vectors' own space nothing is left in residuals.
        let part = gram(&residuals, &best_x);
        run(&[&part])?;
        let rest = &residuals - combinations(&part, &best_x);
        run(&[&rest])?;
        let image_rest = apply(&rest)?;
        (space, images) = match directions {
            None => (concatenate([&best_x, &rest], 0), concatenate([&image_x, &image_rest], 0)),
            Some([p, image_p]) => (
                concatenate([&best_x, &rest, &p], 0),
                concatenate([&image_x, &image_rest, &image_p], 0),
            ),
        };
        sizes = space.shape()[0];
        run(&[&space, &images])?;
    }
    let values = {
        let _guard = x.device().enter();
        Array::from(values.as_slice()).astype(dtype)
    };
    Ok((values, space.t()))
}
