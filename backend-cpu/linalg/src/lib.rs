//! Linear algebra by `faer`, in a crate of its own so that its generic code is compiled once, optimized
//! in every profile, and left out by those who do not want it.
//!
//! Functions here take plain slices and strides. Nothing of ndany is known.

pub mod factor;

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul};
use num_complex::Complex;

/// A matrix as it lies in memory.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<T> {
    /// The element of row 0 and column 0.
    pub start: *const T,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Elements from one row to the next.
    pub row_stride: isize,
    /// Elements from one column to the next.
    pub column_stride: isize,
}

macro_rules! products {
    ($($name:ident $ty:ty;)+) => {$(
        #[doc = concat!("`out = left · right` of `", stringify!($ty), "`, on the calling rayon pool.")]
        ///
        /// # Safety
        /// Every element of the three matrices is good for reading, those of `out` for writing by nobody
        /// else meanwhile; `out` overlaps neither operand; the shapes agree.
        pub unsafe fn $name(out: Matrix<$ty>, left: Matrix<$ty>, right: Matrix<$ty>, threads: usize) {
            let parallel = if threads > 1 { Par::rayon(threads) } else { Par::Seq };
            // SAFETY: the caller's promise.
            let (left, right) = unsafe { (view(left), view(right)) };
            // SAFETY: the caller's promise; nobody else writes or reads `out`.
            let out = unsafe {
                MatMut::from_raw_parts_mut(
                    out.start.cast_mut(), out.rows, out.columns, out.row_stride, out.column_stride,
                )
            };
            matmul::matmul(out, Accum::Replace, left, right, one(), parallel);
        }
    )+};
}

trait One {
    const ONE: Self;
}
impl One for f32 {
    const ONE: f32 = 1.0;
}
impl One for f64 {
    const ONE: f64 = 1.0;
}
impl One for Complex<f32> {
    const ONE: Self = Complex::new(1.0, 0.0);
}
impl One for Complex<f64> {
    const ONE: Self = Complex::new(1.0, 0.0);
}

fn one<T: One>() -> T {
    T::ONE
}

/// # Safety
/// As the products above.
unsafe fn view<'a, T>(matrix: Matrix<T>) -> MatRef<'a, T> {
    // SAFETY: the caller's promise.
    unsafe {
        MatRef::from_raw_parts(
            matrix.start,
            matrix.rows,
            matrix.columns,
            matrix.row_stride,
            matrix.column_stride,
        )
    }
}

products! {
    matmul_f32 f32;
    matmul_f64 f64;
    matmul_c64 Complex<f32>;
    matmul_c128 Complex<f64>;
}
