//! Products of matrices, and of a matrix with its transpose, of which half is computed.

use faer::linalg::matmul::{
    self,
    triangular::{self, BlockStructure},
};
use faer::{Accum, MatMut, MatRef, Par, prelude::*};
use num_complex::Complex;

use super::Matrix;

/// Edge of a tile that is copied across the diagonal: both sides use each cache line fully.
const TILE: usize = 16;

/// Maximum multiplications of a small product.
const SMALL: usize = 16 * 16 * 16;

/// Maximum depth (columns of the left matrix) that the crate `gemm` sums in one pass, whatever the number of rows and columns.
const PASS: usize = 512;

/// The number of products of parts of the depth that a product is the sum of.
///
/// On CPUs other than x86-64 with AVX2, faer's products are those of the crate `gemm`, which sums a deep product in several
/// passes. How many these are depends on rows and columns too: at most 64 of each have other passes than more. A part of a
/// product would then have other bits than the same elements of the whole. Here the depth alone decides.
fn passes(rows: usize, depth: usize, columns: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        return 1;
    }
    // Products with a vector have kernels of their own, without passes.
    if rows.min(columns) == 1 { 1 } else { depth.div_ceil(PASS).max(1) }
}

trait One {
    const ZERO: Self;
    const ONE: Self;
}
impl One for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;
}
impl One for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
}
impl One for Complex<f32> {
    const ZERO: Self = Complex::new(0.0, 0.0);
    const ONE: Self = Complex::new(1.0, 0.0);
}
impl One for Complex<f64> {
    const ZERO: Self = Complex::new(0.0, 0.0);
    const ONE: Self = Complex::new(1.0, 0.0);
}

/// Whether this output, left and right matrix belong to products that are computed many at a time.
pub fn are_small<T>([out, left, right]: &[Matrix<T>; 3]) -> bool {
    let beside = out.column_stride == 1 && right.column_stride == 1;
    beside && left.rows * left.columns * right.columns <= SMALL
}

/// # Safety
/// Every element is valid for reads.
unsafe fn view<'a, T>(matrix: Matrix<T>) -> MatRef<'a, T> {
    let Matrix { start, rows, columns, row_stride, column_stride } = matrix;
    // SAFETY: the caller upholds this.
    unsafe { MatRef::from_raw_parts(start, rows, columns, row_stride, column_stride) }
}

/// # Safety
/// Every element is valid for reads and writes, by no other code meanwhile.
unsafe fn output<'a, T>(matrix: Matrix<T>) -> MatMut<'a, T> {
    let Matrix { start, rows, columns, row_stride, column_stride } = matrix;
    // SAFETY: the caller upholds this.
    unsafe {
        MatMut::from_raw_parts_mut(start.cast_mut(), rows, columns, row_stride, column_stride)
    }
}

/// Copies a matrix to its transpose.
///
/// # Safety
/// The elements of `from` are valid for reads, those of `to` for writes by this call alone; they do not overlap; `to` has as many
/// rows as `from` has columns, and the reverse.
pub unsafe fn copy_transposed<T: Copy>(from: Matrix<T>, to: Matrix<T>) {
    // SAFETY: the caller upholds this.
    let (from, mut to) = unsafe { (view(from), output(to)) };
    for top in (0..from.nrows()).step_by(TILE) {
        for left in (0..from.ncols()).step_by(TILE) {
            for i in top..from.nrows().min(top + TILE) {
                (left..from.ncols().min(left + TILE)).for_each(|j| to[(j, i)] = from[(i, j)]);
            }
        }
    }
}

/// Copies the lower triangle to the upper.
fn mirror<T: Copy>(mut square: MatMut<'_, T>) {
    let n = square.nrows();
    for first in (0..n).step_by(TILE) {
        for left in (0..=first).step_by(TILE) {
            for i in first..n.min(first + TILE) {
                (left..i.min(left + TILE)).for_each(|j| square[(j, i)] = square[(i, j)]);
            }
        }
    }
}

macro_rules! products {
    ($($name:ident $gram:ident $many:ident $plan:ident $ty:ty;)+) => {$(
        #[doc = concat!("`out = left · right` of `", stringify!($ty), "`, on the calling thread.")]
        ///
        /// # Safety
        /// Every element of the three matrices is valid for reads, those of `out` for writes by this call alone;
        /// `out` overlaps neither operand; the shapes agree.
        pub unsafe fn $name(out: Matrix<$ty>, left: Matrix<$ty>, right: Matrix<$ty>) {
            // SAFETY: the caller upholds this.
            let (mut out, left, right) = unsafe { (output(out), view(left), view(right)) };
            let depth = left.ncols();
            let passes = passes(left.nrows(), depth, right.ncols());
            for number in 0..passes {
                // Of equal depth: a shallow pass would be computed by another kernel, if its rows and columns are few.
                let [begin, end] = [number, number + 1].map(|number| depth * number / passes);
                let (left, right) = (left.subcols(begin, end - begin), right.subrows(begin, end - begin));
                let accumulate = if number == 0 { Accum::Replace } else { Accum::Add };
                matmul::matmul(out.rb_mut(), accumulate, left, right, <$ty as One>::ONE, Par::Seq);
            }
        }

        #[doc = concat!("`out = left · leftᵀ` of `", stringify!($ty), "`: the lower triangle is computed and mirrored.")]
        ///
        /// # Safety
        /// As the product's.
        pub unsafe fn $gram(out: Matrix<$ty>, left: Matrix<$ty>) {
            // SAFETY: the caller upholds this.
            let (mut out, left) = unsafe { (output(out), view(left)) };
            triangular::matmul(
                out.rb_mut(), BlockStructure::TriangularLower, Accum::Replace,
                left, BlockStructure::Rectangular, left.transpose(), BlockStructure::Rectangular,
                <$ty as One>::ONE, Par::Seq,
            );
            mirror(out);
        }

        #[doc = concat!("Products of `", stringify!($ty), "` of matrices [that are small](are_small), with the shapes and strides of \
            these three (output, left, right); `starts` yields their addresses.")]
        ///
        /// # Safety
        /// As the product's, of each of them.
        pub unsafe fn $many([out, left, right]: [Matrix<$ty>; 3], starts: &mut dyn Iterator<Item = [*const $ty; 3]>) {
            assert!(are_small(&[out, left, right]), "rows of the output and of the right matrix lie side by side");
            // The library takes column order, in which these are the transposed matrices.
            let (m, n, k) = (right.columns, left.rows, left.columns);
            let plan = nano_gemm::Plan::$plan(m, n, k);
            let (zero, one) = (<$ty as One>::ZERO, <$ty as One>::ONE);
            for [to, a, b] in starts {
                // SAFETY: the caller upholds this; the shape is the plan's, and its columns have steps of
                // one.
                unsafe {
                    plan.execute_unchecked(
                        m, n, k, to.cast_mut(), 1, out.row_stride, b, 1, right.row_stride,
                        a, left.column_stride, left.row_stride, zero, one, false, false,
                    );
                }
            }
        }
    )+};
}

products! {
    matmul_f32 gram_f32 many_f32 new_colmajor_lhs_and_dst_f32 f32;
    matmul_f64 gram_f64 many_f64 new_colmajor_lhs_and_dst_f64 f64;
    matmul_c64 gram_c64 many_c64 new_colmajor_lhs_and_dst_c32 Complex<f32>;
    matmul_c128 gram_c128 many_c128 new_colmajor_lhs_and_dst_c64 Complex<f64>;
}
