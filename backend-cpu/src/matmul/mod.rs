//! Matrix products: floats by faer where it is compiled in, 16-bit floats by way of f32, everything else by
//! blocks of rows (`blocks`), exactly.

mod blocks;
#[cfg(feature = "linalg")]
mod sixteen;

use ndany_core::backend::{Matmul, Place};
use ndany_core::shape::{Shape, size_of};
use ndany_core::{DType, Result};
use smallvec::SmallVec;

use crate::loops::Level;
use crate::loops::products::Truth;
use crate::memory::address;
use crate::threads::Threads;

/// Matrices of a batch: first element and steps, in elements.
#[derive(Clone)]
struct Matrices<T> {
    start: *mut T,
    batch: SmallVec<[isize; 4]>,
    row: isize,
    column: isize,
}

// SAFETY: an address and numbers; each use of the address states why it is allowed.
unsafe impl<T> Send for Matrices<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Matrices<T> {}

impl<T> Matrices<T> {
    fn new(place: &Place<'_>, batch: &[usize]) -> Self {
        let axes = batch.len();
        Self {
            start: address(place.memory).cast::<T>().wrapping_add(place.offset),
            batch: SmallVec::from_slice(&place.strides[..axes]),
            row: place.strides[axes],
            column: place.strides[axes + 1],
        }
    }

    /// The first element of matrix `index` of the batch.
    fn first(&self, batch: &[usize], mut index: usize) -> *mut T {
        let mut position = 0;
        for (&extent, &stride) in batch.iter().zip(&self.batch).rev() {
            position += (index % extent) as isize * stride;
            index /= extent;
        }
        self.start.wrapping_offset(position)
    }

    /// The transposed matrices.
    fn transposed(self) -> Self {
        Self { row: self.column, column: self.row, ..self }
    }
}

/// A batch of products of matrices of one type.
struct Products<T> {
    batch: Shape,
    m: usize,
    k: usize,
    n: usize,
    left: Matrices<T>,
    right: Matrices<T>,
    out: Matrices<T>,
}

impl<T> Products<T> {
    fn new(product: &Matmul<'_>) -> Self {
        let batch = &product.batch;
        Self {
            batch: batch.clone(),
            m: product.m,
            k: product.k,
            n: product.n,
            left: Matrices::new(&product.left, batch),
            right: Matrices::new(&product.right, batch),
            out: Matrices::new(&product.out, batch),
        }
    }

    fn batches(&self) -> usize {
        size_of(&self.batch)
    }
}

/// Multiplies every pair of the batch.
pub(crate) fn matmul(product: &Matmul<'_>, level: Level, threads: &Threads) -> Result<()> {
    match product.out.dtype {
        #[cfg(feature = "linalg")]
        DType::F32 => by_faer(&Products::new(product), threads, ndany_linalg::matmul_f32),
        #[cfg(feature = "linalg")]
        DType::F64 => by_faer(&Products::new(product), threads, ndany_linalg::matmul_f64),
        #[cfg(feature = "linalg")]
        DType::C64 => by_faer(&Products::new(product), threads, ndany_linalg::matmul_c64),
        #[cfg(feature = "linalg")]
        DType::C128 => by_faer(&Products::new(product), threads, ndany_linalg::matmul_c128),
        #[cfg(feature = "linalg")]
        DType::F16 | DType::BF16 => sixteen::matmul(product, level, threads),
        #[cfg(not(feature = "linalg"))]
        DType::F32 => blocks::matmul::<f32, f32>(Products::new(product), level, threads),
        #[cfg(not(feature = "linalg"))]
        DType::F64 => blocks::matmul::<f64, f64>(Products::new(product), level, threads),
        #[cfg(not(feature = "linalg"))]
        DType::C64 => blocks::matmul::<[f32; 2], [f32; 2]>(Products::new(product), level, threads),
        #[cfg(not(feature = "linalg"))]
        DType::C128 => blocks::matmul::<[f64; 2], [f64; 2]>(Products::new(product), level, threads),
        #[cfg(not(feature = "linalg"))]
        DType::F16 => blocks::matmul::<half::f16, f32>(Products::new(product), level, threads),
        #[cfg(not(feature = "linalg"))]
        DType::BF16 => blocks::matmul::<half::bf16, f32>(Products::new(product), level, threads),
        DType::Bool => blocks::matmul::<Truth, Truth>(Products::new(product), level, threads),
        DType::I8 | DType::U8 => blocks::matmul::<u8, u16>(Products::new(product), level, threads),
        DType::I16 | DType::U16 => {
            blocks::matmul::<u16, u16>(Products::new(product), level, threads)
        }
        DType::I32 | DType::U32 => {
            blocks::matmul::<u32, u32>(Products::new(product), level, threads)
        }
        DType::I64 | DType::U64 => {
            blocks::matmul::<u64, u64>(Products::new(product), level, threads)
        }
    }
}

/// Multiplications for which a product is worth several threads.
#[cfg(feature = "linalg")]
const SHARED: usize = 1 << 20;

#[cfg(feature = "linalg")]
fn by_faer<T>(
    products: &Products<T>,
    threads: &Threads,
    multiply: unsafe fn(
        ndany_linalg::Matrix<T>,
        ndany_linalg::Matrix<T>,
        ndany_linalg::Matrix<T>,
        usize,
    ),
) -> Result<()> {
    let Products { m, k, n, .. } = *products;
    let batches = products.batches();
    let view =
        |matrices: &Matrices<T>, index: usize, rows: usize, columns: usize| ndany_linalg::Matrix {
            start: matrices.first(&products.batch, index).cast_const(),
            rows,
            columns,
            row_stride: matrices.row,
            column_stride: matrices.column,
        };
    let one = |index: usize, threads: usize| {
        // SAFETY: core places all elements in their memories; the output is fresh memory that only this
        // call writes, and matrices of a batch do not overlap in it.
        unsafe {
            multiply(
                view(&products.out, index, m, n),
                view(&products.left, index, m, k),
                view(&products.right, index, k, n),
                threads,
            );
        }
    };
    if batches < 2 * threads.count() && m * n * k > SHARED {
        threads.install(|| (0..batches).for_each(|index| one(index, threads.count())));
        return Ok(());
    }
    threads.split(batches, 1, batches * m * n * k, |begin, end| {
        (begin..end).for_each(|index| one(index, 1));
        Ok(())
    })
}
