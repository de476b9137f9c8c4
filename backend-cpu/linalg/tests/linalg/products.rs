//! Products.

use ndany_linalg::{Matrix, gram_f64, matmul_f64};

/// Of integers, so that every order of addition has the same result.
#[test]
fn half_of_a_product_is_all_of_it() {
    for (n, k) in [(1, 1), (3, 5), (16, 1), (17, 4), (48, 33), (130, 7)] {
        let left: Vec<f64> = (0..n * k).map(|at| ((at * at * 7 + at) % 23) as f64 - 11.0).collect();
        // In row order and in column order.
        for (row_stride, column_stride) in [(k as isize, 1), (1, n as isize)] {
            let matrix =
                Matrix { start: left.as_ptr(), rows: n, columns: k, row_stride, column_stride };
            let turned = Matrix {
                rows: k,
                columns: n,
                row_stride: column_stride,
                column_stride: row_stride,
                ..matrix
            };
            let [mut half, mut whole] = [0, 1].map(|_| vec![f64::NAN; n * n]);
            let square = |out: &mut [f64]| Matrix {
                start: out.as_mut_ptr().cast_const(),
                rows: n,
                columns: n,
                row_stride: n as isize,
                column_stride: 1,
            };
            // SAFETY: the vectors have these elements.
            unsafe {
                gram_f64(square(&mut half), matrix);
                matmul_f64(square(&mut whole), matrix, turned);
            }
            assert!(half == whole, "{n} rows of {k}");
        }
    }
}
