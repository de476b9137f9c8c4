//! Matrix products: floats by faer if that feature is on, 16-bit floats through f32, everything else by blocks
//! of rows (`blocks`), exactly.

mod blocks;
#[cfg(feature = "linalg")]
mod sixteen;

#[cfg(feature = "linalg")]
use std::{ops::Range, sync::OnceLock};

use ndany_core::backend::{Matmul, StridedView};
use ndany_core::shape::{Shape, size_of};
use ndany_core::{DType, Result};
#[cfg(feature = "linalg")]
use num_complex::Complex;
use smallvec::SmallVec;

use crate::Cpu;
use crate::loops::products::BoolOrAnd;
use crate::memory::address;
#[cfg(feature = "linalg")]
use crate::threads::Threads;

/// Matrices of a batch: address of the first element and strides in elements.
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
    fn new(place: &StridedView<'_>, batch: &[usize]) -> Self {
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
        let Some((&outermost, inner)) = self.batch.split_first() else { return self.start };
        let mut position = 0;
        for (&extent, &stride) in batch[1..].iter().zip(inner).rev() {
            position += (index % extent) as isize * stride;
            index /= extent;
        }
        // The outermost axis needs no division, whose time would show in a small product.
        self.start.wrapping_offset(position + index as isize * outermost)
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

    /// The transposed products.
    #[cfg(feature = "linalg")]
    fn transposed(&self) -> Self
    where
        T: Copy,
    {
        Self {
            batch: self.batch.clone(),
            m: self.n,
            k: self.k,
            n: self.m,
            left: self.right.clone().transposed(),
            right: self.left.clone().transposed(),
            out: self.out.clone().transposed(),
        }
    }

    /// Minimum number of elements that go together in a product with a vector (on the right), so that parts
    /// have the bits of the whole: each sum along a matrix is independent; sums across one are grouped so
    /// that memory is read in runs.
    #[cfg(feature = "linalg")]
    fn unit(&self) -> usize {
        let Self { m, left, right, out, .. } = self;
        match ((left.row, out.row), (left.column, right.row)) {
            ((1, 1), _) => ACROSS,
            (_, (1, 1)) => 1,
            _ => *m,
        }
    }

    /// Whether each right matrix is the transpose of the left one.
    #[cfg(feature = "linalg")]
    fn of_one_matrix(&self) -> bool {
        let (left, right) = (&self.left, &self.right);
        let lies = (left.start, left.row, left.column) == (right.start, right.column, right.row);
        lies && left.batch == right.batch && self.m == self.n
    }
}

/// Multiplies every pair of the batch.
pub(crate) fn matmul(product: &Matmul<'_>, cpu: &Cpu) -> Result<()> {
    let (level, threads) = (cpu.level, &cpu.threads);
    match product.out.dtype {
        #[cfg(feature = "linalg")]
        DType::F32 => F32.multiply(&Products::new(product), threads, cpu),
        #[cfg(feature = "linalg")]
        DType::F64 => F64.multiply(&Products::new(product), threads, cpu),
        #[cfg(feature = "linalg")]
        DType::C64 => C64.multiply(&Products::new(product), threads, cpu),
        #[cfg(feature = "linalg")]
        DType::C128 => C128.multiply(&Products::new(product), threads, cpu),
        #[cfg(feature = "linalg")]
        DType::F16 | DType::BF16 => sixteen::matmul(product, cpu),
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
        DType::Bool => {
            blocks::matmul::<BoolOrAnd, BoolOrAnd>(Products::new(product), level, threads)
        }
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

/// Multiplications from which a product uses several threads.
#[cfg(feature = "linalg")]
const SHARED: usize = 1 << 20;

/// Elements of a product with a vector that a thread sums side by side.
#[cfg(feature = "linalg")]
const ACROSS: usize = 64;

/// Rows of a matrix from which half of its product with its transpose takes less time than all of it.
#[cfg(feature = "linalg")]
const GRAM: usize = 64;

/// faer's products of one dtype.
#[cfg(feature = "linalg")]
struct Faer<T> {
    /// The output, left, right, threads.
    matmul:
        unsafe fn(ndany_linalg::Matrix<T>, ndany_linalg::Matrix<T>, ndany_linalg::Matrix<T>, usize),
    /// The product of a matrix with its transpose.
    gram: unsafe fn(ndany_linalg::Matrix<T>, ndany_linalg::Matrix<T>, usize),
    /// Products of many small matrices: their common shape and strides, and their addresses.
    many: unsafe fn([ndany_linalg::Matrix<T>; 3], &mut dyn Iterator<Item = [*const T; 3]>),
}

#[cfg(feature = "linalg")]
const F32: Faer<f32> = Faer {
    matmul: ndany_linalg::matmul_f32,
    gram: ndany_linalg::gram_f32,
    many: ndany_linalg::many_f32,
};
#[cfg(feature = "linalg")]
const F64: Faer<f64> = Faer {
    matmul: ndany_linalg::matmul_f64,
    gram: ndany_linalg::gram_f64,
    many: ndany_linalg::many_f64,
};
#[cfg(feature = "linalg")]
const C64: Faer<Complex<f32>> = Faer {
    matmul: ndany_linalg::matmul_c64,
    gram: ndany_linalg::gram_c64,
    many: ndany_linalg::many_c64,
};
#[cfg(feature = "linalg")]
const C128: Faer<Complex<f64>> = Faer {
    matmul: ndany_linalg::matmul_c128,
    gram: ndany_linalg::gram_c128,
    many: ndany_linalg::many_c128,
};

/// Parts of a product are multiples of this many rows and columns, which the library's kernels compute at
/// once for most dtypes.
#[cfg(feature = "linalg")]
const UNIT: usize = 48;

/// Minimum rows and columns of a part: the library multiplies fewer by another kernel with other roundings.
#[cfg(feature = "linalg")]
const LEAST: usize = 32;

/// The number of units of this size; the last one takes the remaining rows or columns too.
#[cfg(feature = "linalg")]
fn units(size: usize) -> usize {
    size.saturating_sub(LEAST) / UNIT + 1
}

/// The number of parts of rows and of columns for these threads, so that the largest part is as small as
/// possible; among equals the one with the fewest parts of rows, since each part packs its columns of the
/// right matrix by itself.
#[cfg(feature = "linalg")]
fn grid([rows, columns]: [usize; 2], threads: usize) -> [usize; 2] {
    let [rows, columns] = [rows, columns].map(units);
    let ways = (1..=threads.min(rows)).map(|down| [down, (threads / down).min(columns)]);
    let largest = |way: &[usize; 2]| rows.div_ceil(way[0]) * columns.div_ceil(way[1]);
    ways.min_by_key(largest).unwrap_or([1, 1])
}

/// Part `number` of `size` rows or columns.
#[cfg(feature = "linalg")]
fn cut(size: usize, parts: usize, number: usize) -> Range<usize> {
    let end = |number: usize| match number == parts {
        true => size,
        false => units(size) * number / parts * UNIT,
    };
    end(number)..end(number + 1)
}

#[cfg(feature = "linalg")]
impl<T: Copy> Faer<T> {
    fn multiply(&self, products: &Products<T>, threads: &Threads, cpu: &Cpu) -> Result<()> {
        let Products { m, k, n, .. } = *products;
        if m == 1 && n > 1 {
            // A part of one column would use another kernel than a part of several.
            return self.multiply(&products.transposed(), threads, cpu);
        }
        let (batches, gram) = (products.batches(), m >= GRAM && products.of_one_matrix());
        let part = |matrices: &Matrices<T>,
                    index: usize,
                    rows: Range<usize>,
                    columns: Range<usize>| {
            let Matrices { row, column, .. } = *matrices;
            let first = rows.start as isize * row + columns.start as isize * column;
            ndany_linalg::Matrix {
                start: matrices.first(&products.batch, index).wrapping_offset(first).cast_const(),
                rows: rows.len(),
                columns: columns.len(),
                row_stride: row,
                column_stride: column,
            }
        };
        let one = |index: usize,
                   rows: Range<usize>,
                   columns: Range<usize>,
                   threads: usize|
         -> Result<()> {
            cpu.prepare()?;
            let out = part(&products.out, index, rows.clone(), columns.clone());
            let left = part(&products.left, index, rows, 0..k);
            // SAFETY: `Checked` places all elements in their memories; the output is fresh memory that only this
            // call writes, and matrices of a batch, and their parts, do not overlap in it.
            unsafe {
                match gram {
                    true => (self.gram)(out, left, threads),
                    false => {
                        let right = part(&products.right, index, 0..k, columns);
                        (self.matmul)(out, left, right, threads)
                    }
                }
            }
            Ok(())
        };
        let like = || {
            let (out, left) =
                (part(&products.out, 0, 0..m, 0..n), part(&products.left, 0, 0..m, 0..k));
            [out, left, part(&products.right, 0, 0..k, 0..n)]
        };
        if batches > 1 && ndany_linalg::are_small(&like()) {
            return threads.split(batches, 1, batches * m * n * k, |begin, end| {
                let first = |matrices: &Matrices<T>, index| {
                    matrices.first(&products.batch, index).cast_const()
                };
                let mut starts = (begin..end).map(|index| {
                    [&products.out, &products.left, &products.right]
                        .map(|matrices| first(matrices, index))
                });
                // SAFETY: as above.
                unsafe { (self.many)(like(), &mut starts) };
                Ok(())
            });
        }
        if batches < 2 * threads.count() && n == 1 {
            // The library would split sums into as many parts as there are threads.
            return (0..batches).try_for_each(|index| {
                threads
                    .split(m, products.unit(), m * k, |begin, end| one(index, begin..end, 0..1, 1))
            });
        }
        if batches < 2 * threads.count() && m * n * k > SHARED {
            for index in 0..batches {
                if gram {
                    threads.install(|| one(index, 0..m, 0..n, threads.count()))?;
                    continue;
                }
                // The library's own threads process smaller blocks in another order, which takes a tenth
                // longer.
                let [bands, across] = grid([m, n], threads.count());
                let failure = OnceLock::new();
                threads.for_each(bands * across, |part| {
                    let rows = cut(m, bands, part / across);
                    let done = one(index, rows, cut(n, across, part % across), 1);
                    done.unwrap_or_else(|error| drop(failure.set(error)));
                });
                failure.into_inner().map_or(Ok(()), Err)?;
            }
            return Ok(());
        }
        threads.split(batches, 1, batches * m * n * k, |begin, end| {
            (begin..end).try_for_each(|index| one(index, 0..m, 0..n, 1))
        })
    }
}

#[cfg(all(test, feature = "linalg"))]
mod tests {
    use ndany_array::{Array, DType, Device, Generator, s};
    use num_complex::Complex;

    /// Products of matrices and vectors, on either side, in row and column order, and of two matrices; of
    /// many small ones, repeated, transposed and reversed.
    fn products(device: &str, dtype: DType) -> Vec<Vec<Complex<f64>>> {
        let _guard = Device::open(device).expect("always there").enter();
        let mut rng = Generator::new(1);
        let mut of = |shape: &[usize]| rng.standard_normal(shape).astype(dtype);
        let (matrix, batch) = (of(&[1037, 601]), of(&[2, 600, 301]));
        let (long, short) = (of(&[1037]), of(&[601]));
        let [wide, narrow, tall] =
            [[16, 20_000], [17, 20_000], [70_000, 3]].map(|shape| of(&shape));
        let of_wide = of(&[20_000]);
        let turned = matrix.transpose(..);
        let (few, fewer) = (of(&[7, 5, 3, 4]), of(&[5, 4, 6]));
        let made: [Array; 17] = [
            matrix.matmul(&short),
            turned.matmul(&long),
            long.matmul(&matrix),
            short.matmul(&turned),
            matrix.matmul(short.flip(0)),
            batch.matmul(of(&[301])),
            of_wide.matmul(wide.transpose(..)),
            of_wide.matmul(narrow.transpose(..)),
            of_wide.matmul(wide.transpose(..).copy()),
            narrow.matmul(&of_wide),
            narrow.i(s![.., ..;2]).matmul(of_wide.i(..10_000)),
            of(&[70_000]).matmul(&tall),
            of(&[1, 70_000]).matmul(of(&[70_000, 1])).i(0),
            few.matmul(&fewer),
            few.swapaxes(-1, -2).matmul(of(&[3, 6])),
            few.flip(-1).matmul(fewer.flip(-2)),
            fewer.matmul(fewer.swapaxes(-1, -2)),
        ];
        let (left, right) = (of(&[150, 601]), of(&[601, 110]));
        let cut: [Array; 9] = [
            left.matmul(&right),
            right.transpose(..).matmul(left.transpose(..)),
            right.matmul(of(&[3, 110, 61])),
            of(&[3000, 8]).matmul(left.i(s![..8, ..120])),
            left.i(..5).matmul(of(&[601, 700])),
            left.i(..49).matmul(right.i(s![.., ..48])),
            of(&[48, 601]).matmul(left.i(..49).transpose(..)),
            left.i(..50).matmul(right.i(s![.., ..50])),
            left.i(..82).matmul(right.i(s![.., ..83])),
        ];
        let all = made.into_iter().chain(cut);
        all.map(|made| made.astype(DType::C128).to_vec().expect("numbers")).collect()
    }

    #[test]
    fn products_do_not_depend_on_threads() {
        for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
            let one = products("cpu:threads=1", dtype);
            // Under an emulator the reference's loops take minutes, and golden cases compare with it.
            let emulated = std::env::var_os("NDANY_TEST_EMULATED").is_some();
            for &threads in if emulated { &[8][..] } else { &[2, 3, 8] } {
                assert!(products(&format!("cpu:threads={threads}"), dtype) == one, "{dtype}");
            }
            if emulated {
                continue;
            }
            let expected = products("reference", dtype);
            for (x, y) in one.iter().flatten().zip(expected.iter().flatten()) {
                assert!((x - y).norm() < 1e-3, "{x} and {y} of {dtype}");
            }
        }
    }
}
