//! Small dense problems of the host: the same bits wherever the large ones are.

/// Steps of the implicit QL method for one eigenvalue at most; it takes two or so.
const STEPS: usize = 60;

/// The eigenvalues of a symmetric matrix, the least first, and its eigenvectors in rows: a tridiagonal matrix by Householder's
/// reflections, then implicit QL steps (Golub & Van Loan, *Matrix Computations*, 8.3). A matrix with NaN has no order of them.
pub(super) fn symmetric(a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let (mut diagonal, mut beside, mut vectors) = tridiagonal(a);
    for first in 0..n {
        for _ in 0..STEPS {
            let end = end_of_block(&diagonal, &beside, first);
            if end == first {
                break;
            }
            step(&mut diagonal, &mut beside, &mut vectors, first, end);
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| diagonal[i].total_cmp(&diagonal[j]));
    let values = order.iter().map(|&i| diagonal[i]).collect();
    (values, order.into_iter().map(|i| std::mem::take(&mut vectors[i])).collect())
}

/// The diagonal and the elements beside it of `Q A Qᵀ`, and `Q`.
fn tridiagonal(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut q: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for k in 0..n.saturating_sub(2) {
        // A reflection of the rows after `k` that leaves one element of column `k` below the diagonal.
        let mut v: Vec<f64> = (k + 1..n).map(|i| a[i][k]).collect();
        let size = v.iter().fold(0.0, |size: f64, x| libm::hypot(size, *x));
        if v[1..].iter().all(|&x| x == 0.0) {
            continue;
        }
        v[0] += if v[0] < 0.0 { -size } else { size };
        let scale = 2.0 / v.iter().map(|x| x * x).sum::<f64>();
        let reflect = |row: &mut [f64]| {
            let along: f64 = row.iter().zip(&v).map(|(x, v)| x * v).sum();
            row.iter_mut().zip(&v).for_each(|(x, v)| *x -= scale * along * v);
        };
        a.iter_mut().for_each(|row| reflect(&mut row[k + 1..]));
        for matrix in [&mut a, &mut q] {
            let mut along = vec![0.0; n];
            for (row, v) in matrix[k + 1..].iter().zip(&v) {
                along.iter_mut().zip(row).for_each(|(sum, x)| *sum += v * x);
            }
            for (row, v) in matrix[k + 1..].iter_mut().zip(&v) {
                row.iter_mut().zip(&along).for_each(|(x, along)| *x -= scale * v * along);
            }
        }
    }
    let diagonal = (0..n).map(|i| a[i][i]).collect();
    let beside = (1..n).map(|i| a[i][i - 1]).collect();
    (diagonal, beside, q)
}

/// Where the block that begins at `first` ends: the first position behind which the element beside the diagonal does not count.
fn end_of_block(diagonal: &[f64], beside: &[f64], first: usize) -> usize {
    let ends = |&i: &usize| {
        let size = diagonal[i].abs() + diagonal[i + 1].abs();
        let own = beside[i].abs();
        // NaN ends a block, too.
        own <= f64::EPSILON * size || own.is_nan() || size.is_nan()
    };
    (first..beside.len()).find(ends).unwrap_or(beside.len())
}

/// An implicit QL step of the block from `first` to `end`, with Wilkinson's shift.
fn step(
    diagonal: &mut [f64],
    beside: &mut [f64],
    vectors: &mut [Vec<f64>],
    first: usize,
    end: usize,
) {
    let half = (diagonal[first + 1] - diagonal[first]) / (2.0 * beside[first]);
    let root = libm::hypot(half, 1.0);
    let shift = diagonal[first] - beside[first] / (half + if half < 0.0 { -root } else { root });
    // The rotations chase an element from the end of the block to its beginning.
    let (mut cos, mut sin, mut taken) = (1.0, 1.0, 0.0);
    let mut moved = diagonal[end] - shift;
    for i in (first..end).rev() {
        let (f, b) = (sin * beside[i], cos * beside[i]);
        let size = libm::hypot(f, moved);
        if i + 1 < end {
            beside[i + 1] = size;
        }
        if size == 0.0 {
            // The block falls apart here.
            diagonal[i + 1] -= taken;
            return;
        }
        (sin, cos) = (f / size, moved / size);
        let next = diagonal[i + 1] - taken;
        let turned = (diagonal[i] - next) * sin + 2.0 * cos * b;
        taken = sin * turned;
        diagonal[i + 1] = next + taken;
        moved = cos * turned - b;
        let [low, high] = &mut vectors[i..i + 2] else { return };
        for (x, y) in low.iter_mut().zip(high) {
            (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
        }
    }
    diagonal[first] -= taken;
    beside[first] = moved;
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

    /// What `A v - value v` and the products of the vectors come to at most.
    fn check(a: &[Vec<f64>], tolerance: f64) {
        let (values, vectors) = symmetric(a.to_vec());
        assert!(values.is_sorted(), "{values:?}");
        let product = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
        for (number, (value, vector)) in values.iter().zip(&vectors).enumerate() {
            for (row, x) in a.iter().zip(vector) {
                assert!((product(row, vector) - value * x).abs() <= tolerance, "{value}");
            }
            for (other, own) in vectors.iter().enumerate() {
                let expected = f64::from(u8::from(other == number));
                assert!((product(own, vector) - expected).abs() < 1e-14 * a.len() as f64);
            }
        }
    }

    #[test]
    fn eigenvalues_of_matrices_with_structure_are_found() {
        // An arrow in front of a band, as a restart leaves it.
        let next = |i: usize| if i < 13 { 13 } else { i + 1 };
        let arrow = |i: usize, j: usize| match (i.min(j), i.max(j)) {
            (low, high) if low == high => (low % 7) as f64 - 3.0 * (low as f64).sqrt(),
            (low, high) if next(low) == high => 0.5 + 0.1 * low as f64,
            _ => 0.0,
        };
        let of = |n: usize, entry: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
        };
        check(&of(20, &arrow), 1e-12);
        // Equal eigenvalues, blocks, nothing at all, one element, none.
        check(&of(9, &|i, j| f64::from(u8::from(i == j)) * 3.0), 0.0);
        check(&of(9, &|i, j| f64::from(u8::from(i / 3 == j / 3))), 1e-14);
        check(&of(5, &|_, _| 0.0), 0.0);
        check(&of(8, &|i, j| f64::from(u8::from(i + j == 7))), 1e-14);
        check(&of(1, &|_, _| -2.0), 0.0);
        check(&[], 0.0);
        // Wilkinson's matrix, whose eigenvalues lie close together, and a graded one.
        check(
            &of(21, &|i, j| {
                if i == j {
                    (10.0 - i as f64).abs()
                } else {
                    f64::from(u8::from(i.abs_diff(j) == 1))
                }
            }),
            1e-13,
        );
        check(&of(12, &|i, j| 10f64.powi(-((i + j) as i32))), 1e-14);
    }

    #[test]
    fn nothing_is_endless_where_there_is_no_number() {
        let (values, _) = symmetric(vec![vec![f64::NAN, 1.0, 2.0], vec![1.0; 3], vec![2.0; 3]]);
        assert!(values.iter().any(|value| value.is_nan()));
        let (values, _) = symmetric(vec![vec![f64::INFINITY, 1.0], vec![1.0, 0.0]]);
        assert_eq!(values.len(), 2);
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
