//! Matrix products: floats by faer where it is compiled in, everything else by loops that run along the
//! rows of the right matrix.

use half::{bf16, f16};
use ndany_core::backend::{Matmul, Place};
use ndany_core::shape::size_of;
use ndany_core::{DType, Result};

use crate::memory::address;
use crate::threads::Threads;

/// A matrix of a batch: first element and steps, in elements.
#[derive(Clone, Copy)]
struct Matrix<T> {
    start: *mut T,
    row: isize,
    column: isize,
}

// SAFETY: an address and numbers; each use of the address states why it is allowed.
unsafe impl<T> Send for Matrix<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Matrix<T> {}

fn matrix<T>(place: &Place<'_>, batch: &[usize], mut index: usize) -> Matrix<T> {
    let axes = batch.len();
    let mut position = place.offset as isize;
    for (&extent, &stride) in batch.iter().zip(&place.strides[..axes]).rev() {
        position += (index % extent) as isize * stride;
        index /= extent;
    }
    let start = address(place.memory).cast::<T>().wrapping_offset(position);
    Matrix { start, row: place.strides[axes], column: place.strides[axes + 1] }
}

/// Multiplies every pair of the batch.
pub(crate) fn matmul(product: &Matmul<'_>, threads: &Threads) -> Result<()> {
    match product.out.dtype {
        #[cfg(feature = "linalg")]
        DType::F32 => by_faer(product, threads, ndany_linalg::matmul_f32),
        #[cfg(feature = "linalg")]
        DType::F64 => by_faer(product, threads, ndany_linalg::matmul_f64),
        #[cfg(feature = "linalg")]
        DType::C64 => by_faer(product, threads, ndany_linalg::matmul_c64),
        #[cfg(feature = "linalg")]
        DType::C128 => by_faer(product, threads, ndany_linalg::matmul_c128),
        #[cfg(not(feature = "linalg"))]
        DType::F32 => by_rows::<f32, f32>(product, threads),
        #[cfg(not(feature = "linalg"))]
        DType::F64 => by_rows::<f64, f64>(product, threads),
        #[cfg(not(feature = "linalg"))]
        DType::C64 => by_rows::<[f32; 2], [f32; 2]>(product, threads),
        #[cfg(not(feature = "linalg"))]
        DType::C128 => by_rows::<[f64; 2], [f64; 2]>(product, threads),
        DType::F16 => by_rows::<f16, f32>(product, threads),
        DType::BF16 => by_rows::<bf16, f32>(product, threads),
        DType::Bool => by_rows::<Truth, Truth>(product, threads),
        // Wrapping products and sums do not know signs.
        DType::I8 | DType::U8 => by_rows::<u8, u8>(product, threads),
        DType::I16 | DType::U16 => by_rows::<u16, u16>(product, threads),
        DType::I32 | DType::U32 => by_rows::<u32, u32>(product, threads),
        DType::I64 | DType::U64 => by_rows::<u64, u64>(product, threads),
    }
}

#[cfg(feature = "linalg")]
fn by_faer<T>(
    product: &Matmul<'_>,
    threads: &Threads,
    multiply: unsafe fn(
        ndany_linalg::Matrix<T>,
        ndany_linalg::Matrix<T>,
        ndany_linalg::Matrix<T>,
        usize,
    ),
) -> Result<()> {
    let Matmul { m, k, n, .. } = *product;
    let batches = size_of(&product.batch);
    let view = |place: &Place<'_>, index: usize, rows: usize, columns: usize| {
        let Matrix { start, row, column } = matrix::<T>(place, &product.batch, index);
        ndany_linalg::Matrix {
            start: start.cast_const(),
            rows,
            columns,
            row_stride: row,
            column_stride: column,
        }
    };
    let one = |index: usize, threads: usize| {
        // SAFETY: core places all elements in their memories; the output is fresh memory that only this
        // call writes, and matrices of a batch do not overlap in it.
        unsafe {
            multiply(
                view(&product.out, index, m, n),
                view(&product.left, index, m, k),
                view(&product.right, index, k, n),
                threads,
            );
        }
    };
    if batches < 2 * threads.count() && m * n * k > 1 << 15 {
        threads.install(|| (0..batches).for_each(|index| one(index, threads.count())));
        return Ok(());
    }
    threads.split(batches, 1, batches * m * n * k, |begin, end| {
        (begin..end).for_each(|index| one(index, 1));
        Ok(())
    })
}

/// An element and what it is multiplied in.
trait Factor<A>: Copy {
    fn widen(self) -> A;
    fn narrow(sum: A) -> Self;
}

/// What sums are kept in.
trait Accumulate: Copy {
    const ZERO: Self;
    fn add_product(self, a: Self, b: Self) -> Self;
}

macro_rules! wrapping {
    ($($ty:ty),+) => {$(
        impl Accumulate for $ty {
            const ZERO: Self = 0;
            #[inline(always)]
            fn add_product(self, a: Self, b: Self) -> Self {
                self.wrapping_add(a.wrapping_mul(b))
            }
        }
    )+};
}
wrapping!(u8, u16, u32, u64);

macro_rules! floats {
    ($($ty:ty),+) => {$(
        impl Accumulate for $ty {
            const ZERO: Self = 0.0;
            #[inline(always)]
            fn add_product(self, a: Self, b: Self) -> Self {
                self + a * b
            }
        }
        impl Accumulate for [$ty; 2] {
            const ZERO: Self = [0.0; 2];
            #[inline(always)]
            fn add_product(self, a: Self, b: Self) -> Self {
                [self[0] + (a[0] * b[0] - a[1] * b[1]), self[1] + (a[0] * b[1] + a[1] * b[0])]
            }
        }
    )+};
}
floats!(f32, f64);

/// A truth value as a byte: `or` of `and`.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Truth(u8);

impl Accumulate for Truth {
    const ZERO: Self = Truth(0);
    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        Truth(self.0 | (a.0 & b.0))
    }
}

impl<T: Accumulate> Factor<T> for T {
    #[inline(always)]
    fn widen(self) -> T {
        self
    }
    #[inline(always)]
    fn narrow(sum: T) -> T {
        sum
    }
}
impl Factor<f32> for f16 {
    fn widen(self) -> f32 {
        self.to_f32()
    }
    fn narrow(sum: f32) -> f16 {
        ndany_core::program::round::f32_to_f16(sum)
    }
}
impl Factor<f32> for bf16 {
    fn widen(self) -> f32 {
        self.to_f32()
    }
    fn narrow(sum: f32) -> bf16 {
        ndany_core::program::round::f32_to_bf16(sum)
    }
}

/// Each row of the result as the sum of the right matrix's rows, weighed by the left row's elements.
fn by_rows<T: Factor<A>, A: Accumulate + Send + Sync>(
    product: &Matmul<'_>,
    threads: &Threads,
) -> Result<()> {
    let Matmul { m, k, n, .. } = *product;
    let rows = size_of(&product.batch) * m;
    threads.split(rows, 1, rows * n * k, |begin, end| {
        let mut sums = vec![A::ZERO; n];
        let mut factors = vec![A::ZERO; n];
        for item in begin..end {
            let (index, row) = (item / m, (item % m) as isize);
            let left = matrix::<T>(&product.left, &product.batch, index);
            let right = matrix::<T>(&product.right, &product.batch, index);
            let out = matrix::<T>(&product.out, &product.batch, index);
            sums.fill(A::ZERO);
            for inner in 0..k as isize {
                // SAFETY: row, inner and column are inside the matrices, which core places in their
                // memories; rows of the output belong to one worker.
                let weight =
                    unsafe { left.start.offset(row * left.row + inner * left.column).read() }
                        .widen();
                for (column, factor) in factors.iter_mut().enumerate() {
                    // SAFETY: as above.
                    *factor = unsafe {
                        right
                            .start
                            .offset(inner * right.row + column as isize * right.column)
                            .read()
                    }
                    .widen();
                }
                for (sum, &factor) in sums.iter_mut().zip(&factors) {
                    *sum = sum.add_product(weight, factor);
                }
            }
            for (column, &sum) in sums.iter().enumerate() {
                // SAFETY: as above.
                unsafe {
                    out.start
                        .offset(row * out.row + column as isize * out.column)
                        .write(T::narrow(sum))
                };
            }
        }
        Ok(())
    })
}
