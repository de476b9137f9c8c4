//! Small dense problems of the host: the same bits wherever the large ones are.

/// Sweeps over all pairs of rows at most: Jacobi's method converges quadratically after a few.
const SWEEPS: usize = 30;

/// The eigenvalues of a symmetric matrix, the least first, and its eigenvectors in rows, by Jacobi's rotations.
pub(super) fn symmetric(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..SWEEPS {
        if is_diagonal(&a) {
            break;
        }
        sweep(&mut a, &mut vectors);
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let values = order.iter().map(|&i| a[i][i]).collect();
    (values, order.into_iter().map(|i| std::mem::take(&mut vectors[i])).collect())
}

/// Whether nothing is left beside the diagonal that counts, or all is NaN.
fn is_diagonal(a: &[Vec<f64>]) -> bool {
    let square = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
    let size: f64 = a.iter().map(|row| square(row)).sum();
    let off: f64 = a.iter().enumerate().map(|(i, row)| square(&row[..i])).sum();
    off.is_nan() || off <= size * f64::EPSILON * f64::EPSILON * 1e-4
}

/// Turns each pair of rows, and of columns, so that nothing is left between them.
fn sweep(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>]) {
    let n = a.len();
    for p in 0..n {
        for q in p + 1..n {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + libm::hypot(theta, 1.0));
            let cos = 1.0 / libm::hypot(t, 1.0);
            let sin = t * cos;
            for row in &mut *a {
                (row[p], row[q]) = (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
            }
            rotate(a, p, q, cos, sin);
            // What rounding leaves would be turned again and again.
            (a[p][q], a[q][p]) = (0.0, 0.0);
            rotate(vectors, p, q, cos, sin);
        }
    }
}

/// Rotates two rows.
fn rotate(rows: &mut [Vec<f64>], p: usize, q: usize, cos: f64, sin: f64) {
    for column in 0..rows[p].len() {
        let (x, y) = (rows[p][column], rows[q][column]);
        (rows[p][column], rows[q][column]) = (cos * x - sin * y, sin * x + cos * y);
    }
}

/// The eigenvalues of `A x = λ B x`, of which `B` is positive but for rounding, the least first, and coefficients of the vectors in
/// rows. Directions in which `B` is nearly zero are left out.
pub(super) fn generalized(a: &[Vec<f64>], b: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
    // Scaled to ones on the diagonal, so that small directions are seen beside large ones.
    let n = a.len();
    let scale: Vec<f64> = (0..n).map(|i| b[i][i].max(f64::MIN_POSITIVE).sqrt().recip()).collect();
    let scaled = |m: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let entry = |i: usize, j: usize| 0.5 * (m[i][j] + m[j][i]) * scale[i] * scale[j];
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    };
    let (weights, directions) = symmetric(scaled(b));
    let largest = weights.last().copied().unwrap_or(0.0);
    let kept: Vec<Vec<f64>> = weights
        .iter()
        .zip(&directions)
        .filter(|(weight, _)| **weight > largest * 1e-10)
        .map(|(weight, direction)| direction.iter().map(|x| x / weight.sqrt()).collect())
        .collect();
    let own = scaled(a);
    let project = |x: &Vec<f64>, y: &Vec<f64>| -> f64 {
        (0..n).map(|i| x[i] * (0..n).map(|j| own[i][j] * y[j]).sum::<f64>()).sum()
    };
    let projected = kept.iter().map(|x| kept.iter().map(|y| project(x, y)).collect()).collect();
    let (values, inner) = symmetric(projected);
    let vectors = inner.iter().map(|coefficients| {
        let of = |j: usize| kept.iter().zip(coefficients).map(|(x, c)| x[j] * c).sum::<f64>();
        (0..n).map(|j| of(j) * scale[j]).collect()
    });
    (values, vectors.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_sweeps_are_enough() {
        // An arrow in front of a band, as a restart leaves it.
        let n = 20;
        let next = |i: usize| if i < 13 { 13 } else { i + 1 };
        let entry = |i: usize, j: usize| match (i.min(j), i.max(j)) {
            (low, high) if low == high => (low % 7) as f64 - 3.0 * (low as f64).sqrt(),
            (low, high) if next(low) == high => 0.5 + 0.1 * low as f64,
            _ => 0.0,
        };
        let of = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
        };
        let mut a = of(&entry);
        let mut vectors = of(&|i, j| f64::from(u8::from(i == j)));
        for _ in 0..8 {
            sweep(&mut a, &mut vectors);
        }
        assert!(is_diagonal(&a));
    }

    #[test]
    fn eigenvectors_are_those_of_the_matrix() {
        let a: Vec<Vec<f64>> = (0..7)
            .map(|i: i32| {
                (0..7).map(|j: i32| 1.0 / f64::from(i + j + 1) - f64::from(i * j % 3)).collect()
            })
            .collect();
        let a: Vec<Vec<f64>> =
            (0..7).map(|i| (0..7).map(|j| a[i][j] + a[j][i]).collect()).collect();
        let (values, vectors) = symmetric(a.clone());
        assert!(values.is_sorted());
        for (value, vector) in values.iter().zip(&vectors) {
            for i in 0..7 {
                let image: f64 = (0..7).map(|j| a[i][j] * vector[j]).sum();
                assert!((image - value * vector[i]).abs() < 1e-13, "{image} {value}");
            }
        }
        let b: Vec<Vec<f64>> = (0..7)
            .map(|i| (0..7).map(|j| if i == j { 2.0 + i as f64 } else { 0.5 }).collect())
            .collect();
        let (values, vectors) = generalized(&a, &b);
        assert_eq!(values.len(), 7);
        for (value, vector) in values.iter().zip(&vectors) {
            for i in 0..7 {
                let image: f64 = (0..7).map(|j| (a[i][j] - value * b[i][j]) * vector[j]).sum();
                assert!(image.abs() < 1e-12, "{image}");
            }
        }
    }
}
