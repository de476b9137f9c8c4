//! Matrix products: floats by faer if that feature is on (`floats`), 16-bit floats through f32, everything else by blocks
//! of rows (`blocks`), exactly.

mod blocks;
#[cfg(feature = "linalg")]
mod floats;
#[cfg(feature = "linalg")]
mod sixteen;
#[cfg(feature = "linalg")]
mod thin;

#[cfg(feature = "linalg")]
use floats::{C64, C128, F32, F64};
use ndany_core::backend::{Matmul, StridedView};
use ndany_core::shape::{Shape, size_of};
use ndany_core::{DType, Result};
use smallvec::SmallVec;

use crate::Cpu;
use crate::loops::products::BoolOrAnd;
use crate::memory::address;

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
        // With their transposes, and of more depth than rows and columns: as few as none, some and many parts.
        let (square, deep, low) = (of(&[200, 151]), of(&[70, 2001]), of(&[3, 20, 5003]));
        let own: [Array; 6] = [
            square.matmul(square.transpose(..)),
            square.transpose(..).matmul(&square),
            deep.matmul(deep.transpose(..)),
            deep.matmul(of(&[2001, 60])),
            low.matmul(low.swapaxes(-1, -2)),
            low.i(0).matmul(of(&[5003, 12]).i(s![.., ..;-1])),
        ];
        // Thin ones and a vector, on both sides of what is short and long.
        let points = of(&[40_009, 9]);
        let thin = (1..=9).flat_map(|k| {
            let few = points.i(s![.., ..k]).copy();
            let backwards = of(&[40_009]).i(s![..;-1]);
            [
                few.matmul(of(&[k as usize])),
                points.i(s![..;-3, ..k]).matmul(of(&[k as usize]).i(s![..;-1])),
                few.i(..9000).transpose(..).matmul(backwards.i(..9000)),
                few.transpose(..).matmul(backwards),
                few.i(..30_000).reshape((6, 5000, k as usize)).matmul(of(&[k as usize])),
            ]
        });
        let all = made.into_iter().chain(cut).chain(own).chain(thin);
        all.map(|made| made.astype(DType::C128).to_vec().expect("numbers")).collect()
    }

    #[test]
    fn products_do_not_depend_on_threads() {
        for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
            let one = products("cpu:threads=1", dtype);
            // Under an emulator the reference's loops take minutes, and golden cases compare with it.
            let emulated = std::env::var_os("NDANY_TEST_EMULATED").is_some();
            for &threads in if emulated { &[8][..] } else { &[2, 3, 8, 16] } {
                assert!(products(&format!("cpu:threads={threads}"), dtype) == one, "{dtype}");
            }
            if emulated {
                continue;
            }
            let expected = products("reference", dtype);
            for (x, y) in one.iter().flatten().zip(expected.iter().flatten()) {
                assert!((x - y).norm() < 1e-3 + 1e-5 * y.norm(), "{x} and {y} of {dtype}");
            }
        }
    }
}
