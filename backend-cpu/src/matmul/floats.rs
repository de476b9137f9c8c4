//! Products of floats by faer, in parts that one thread each computes. (The library's own threads take a tenth longer, as their
//! blocks are smaller, and several times as long for a product with its transpose.)
//!
//! - A thin matrix and a vector: loops of our own (`thin`).
//! - Few rows and columns of great depth: the depth is cut into pieces, whose products are added up from left to right.
//! - The product of a matrix with its transpose: blocks of the lower triangle, each copied across the diagonal.
//! - Everything else: a grid of rows and columns for the threads, whose parts have the bits of the whole.
//!
//! Pieces and blocks depend on the sizes alone, so the bits do not depend on the number of threads.

use std::ops::{Add, Mul, Range};
use std::sync::OnceLock;

use ndany_core::Result;
use ndany_core::host::Lack;
use num_complex::Complex;
use smallvec::SmallVec;

use super::thin::Thin;
use super::{Matrices, Products};
use crate::Cpu;
use crate::memory::{Address, lack};
use crate::threads::Threads;

/// Multiplications from which a product uses several threads.
const SHARED: usize = 1 << 20;

/// Multiplications that take as long as one step of the cost of work.
const PER_STEP: usize = 8;

/// Elements of a product with a vector that a thread sums side by side.
const ACROSS: usize = 64;

/// Rows of a matrix from which half of its product with its transpose takes less time than all of it.
const GRAM: usize = 64;

/// Units of rows times units of columns that are enough parts for all threads.
const ENOUGH: usize = 64;
/// The depth that the library sums in one pass.
const DEPTH: usize = 512;
/// Maximum number of pieces of the depth, and of elements of their products.
const MAX_PIECES: usize = 64;
const MAX_PARTIAL: usize = 1 << 19;

/// Maximum number of bands of a product with the transpose: 136 blocks.
const MAX_BANDS: usize = 16;

/// faer's products of one dtype.
pub(super) struct Faer<T> {
    /// The output, left, right.
    matmul: unsafe fn(ndany_linalg::Matrix<T>, ndany_linalg::Matrix<T>, ndany_linalg::Matrix<T>),
    /// The product of a matrix with its transpose.
    gram: unsafe fn(ndany_linalg::Matrix<T>, ndany_linalg::Matrix<T>),
    /// Products of many small matrices: their common shape and strides, and their addresses.
    many: unsafe fn([ndany_linalg::Matrix<T>; 3], &mut dyn Iterator<Item = [*const T; 3]>),
}

pub(super) const F32: Faer<f32> = Faer {
    matmul: ndany_linalg::matmul_f32,
    gram: ndany_linalg::gram_f32,
    many: ndany_linalg::many_f32,
};
pub(super) const F64: Faer<f64> = Faer {
    matmul: ndany_linalg::matmul_f64,
    gram: ndany_linalg::gram_f64,
    many: ndany_linalg::many_f64,
};
pub(super) const C64: Faer<Complex<f32>> = Faer {
    matmul: ndany_linalg::matmul_c64,
    gram: ndany_linalg::gram_c64,
    many: ndany_linalg::many_c64,
};
pub(super) const C128: Faer<Complex<f64>> = Faer {
    matmul: ndany_linalg::matmul_c128,
    gram: ndany_linalg::gram_c128,
    many: ndany_linalg::many_c128,
};

/// Parts of a product are multiples of this many rows and columns, which the library's kernels compute at
/// once for most dtypes.
const UNIT: usize = 48;

/// Minimum rows and columns of a part: the library multiplies fewer by another kernel with other roundings.
const LEAST: usize = 32;

/// The number of units of this size; the last one takes the remaining rows or columns too.
fn units(size: usize) -> usize {
    size.saturating_sub(LEAST) / UNIT + 1
}

/// Parts of a grid that a thread computes, at most: with more of them, the threads' shares differ less.
const ROUNDS: usize = 4;

/// Rows of a part whose product takes as long as packing the part's columns of the right matrix, as a fraction of a unit.
const PACKING: usize = 8;

/// The number of parts of rows and of columns that these threads compute in the least time.
fn grid([rows, columns]: [usize; 2], threads: usize) -> [usize; 2] {
    let [rows, columns] = [rows, columns].map(units);
    let ways = (1..=ROUNDS).flat_map(|rounds| {
        let parts = rounds * threads;
        (1..=parts.min(rows)).map(move |down| [down, (parts / down).min(columns)])
    });
    let time = |&[down, across]: &[usize; 2]| {
        let (tall, wide) = (rows.div_ceil(down), columns.div_ceil(across));
        (down * across).div_ceil(threads) * wide * (PACKING * tall + 1)
    };
    ways.min_by_key(time).unwrap_or([1, 1])
}

/// Part `number` of `size` rows or columns.
fn cut(size: usize, parts: usize, number: usize) -> Range<usize> {
    let end = |number: usize| match number == parts {
        true => size,
        false => units(size) * number / parts * UNIT,
    };
    end(number)..end(number + 1)
}

/// The number of pieces of the depth: a power of two, so that as many threads have equal shares.
fn pieces([m, k, n]: [usize; 3]) -> usize {
    if k < 2 * DEPTH || m * n > MAX_PARTIAL / 2 || units(m) * units(n) >= ENOUGH {
        return 1;
    }
    let most = (MAX_PARTIAL / (m * n)).min(MAX_PIECES);
    k.div_ceil(DEPTH).next_power_of_two().min(1 << most.ilog2())
}

/// A block of a product: its rows and columns.
type Block = [Range<usize>; 2];

/// The blocks of a product with the transpose, those on the diagonal last: they take half the time of the others.
fn lower_triangle(m: usize) -> SmallVec<[Block; 16]> {
    let bands = (units(m) / 2).clamp(1, MAX_BANDS);
    let below = (0..bands).flat_map(|band| (0..band).map(move |left| [band, left]));
    let diagonal = (0..bands).map(|band| [band, band]);
    below.chain(diagonal).map(|block| block.map(|band| cut(m, bands, band))).collect()
}

impl<T> Products<T> {
    /// Minimum number of elements that go together in a product with a vector (on the right), so that parts
    /// have the bits of the whole: each sum along a matrix is independent; sums across one are grouped so
    /// that memory is read in runs.
    fn unit(&self) -> usize {
        let Self { m, left, right, out, .. } = self;
        match ((left.row, out.row), (left.column, right.row)) {
            ((1, 1), _) => ACROSS,
            (_, (1, 1)) => 1,
            _ => *m,
        }
    }
}

/// A rectangle of matrix `index` of a batch.
fn part<T>(
    matrices: &Matrices<T>,
    batch: &[usize],
    index: usize,
    rows: &Range<usize>,
    columns: &Range<usize>,
) -> ndany_linalg::Matrix<T> {
    let Matrices { row, column, .. } = *matrices;
    let first = rows.start as isize * row + columns.start as isize * column;
    ndany_linalg::Matrix {
        start: matrices.first(batch, index).wrapping_offset(first).cast_const(),
        rows: rows.len(),
        columns: columns.len(),
        row_stride: row,
        column_stride: column,
    }
}

impl<T: Copy + Add<Output = T> + Mul<Output = T>> Faer<T> {
    pub(super) fn multiply(
        &self,
        products: &Products<T>,
        threads: &Threads,
        cpu: &Cpu,
    ) -> Result<()> {
        let Products { m, k, n, .. } = *products;
        if m == 1 && n > 1 {
            // A part of one column would use another kernel than a part of several.
            return self.multiply(&products.transposed(), threads, cpu);
        }
        let batches = products.batches();
        let few = batches < 2 * threads.count();
        if let Some(thin) = Thin::of(products) {
            // SAFETY: `Checked` places all elements in their memories; the output is fresh memory that only this call writes, and
            // matrices of a batch, and their rows, do not overlap in it.
            let part = |index, begin, end| unsafe { thin.multiply(products, index, begin, end) };
            if few && thin == Thin::Rows {
                return (0..batches).try_for_each(|index| {
                    threads.split(m, 1, m * k, |begin, end| {
                        part(index, begin, end);
                        Ok(())
                    })
                });
            }
            return threads.split(batches, 1, batches * m * k, |begin, end| {
                (begin..end).for_each(|index| part(index, 0, m));
                Ok(())
            });
        }
        let like = || {
            let whole = |matrices: &Matrices<T>, rows: usize, columns: usize| {
                part(matrices, &products.batch, 0, &(0..rows), &(0..columns))
            };
            [whole(&products.out, m, n), whole(&products.left, m, k), whole(&products.right, k, n)]
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
                // SAFETY: `Checked` places all elements in their memories; the output is fresh memory that only this
                // call writes, and matrices of a batch do not overlap in it.
                unsafe { (self.many)(like(), &mut starts) };
                Ok(())
            });
        }
        if few && n == 1 {
            // The library would split sums into as many parts as there are threads.
            return (0..batches).try_for_each(|index| {
                threads.split(m, products.unit(), m * k, |begin, end| {
                    let job = Job { faer: self, products, index, out: &products.out, cpu };
                    job.block(&[begin..end, 0..1], 0..k, false)
                })
            });
        }
        let job = |index| Job { faer: self, products, index, out: &products.out, cpu };
        if few && m * n * k > SHARED {
            return (0..batches).try_for_each(|index| job(index).in_parts(Some(threads)));
        }
        threads.split(batches, 1, batches * m * n * k, |begin, end| {
            (begin..end).try_for_each(|index| job(index).in_parts(None))
        })
    }
}

/// One product of a batch.
struct Job<'j, T> {
    faer: &'j Faer<T>,
    products: &'j Products<T>,
    index: usize,
    /// The output, or the products of pieces in its place.
    out: &'j Matrices<T>,
    cpu: &'j Cpu,
}

impl<T: Copy + Add<Output = T>> Job<'_, T> {
    /// Computes the product, on one thread if none are given.
    fn in_parts(&self, threads: Option<&Threads>) -> Result<()> {
        let Products { m, k, n, .. } = *self.products;
        let gram = m >= GRAM && self.products.of_one_matrix();
        let shared = m * n * k > SHARED && n > 1;
        let pieces = if shared { pieces([m, k, n]) } else { 1 };
        let blocks = match gram {
            true if shared => lower_triangle(m),
            true => SmallVec::from_iter([[0..m, 0..n]]),
            false => {
                let parts = threads.map_or(1, |threads| threads.count().div_ceil(pieces));
                let [down, across] = grid([m, n], parts);
                let block =
                    |number| [cut(m, down, number / across), cut(n, across, number % across)];
                (0..down * across).map(block).collect()
            }
        };
        if pieces == 1 {
            return self.each(threads, &blocks, 1, |block, _| self.block(block, 0..k, gram));
        }
        let bytes = pieces * m * n * size_of::<T>();
        let memory = self.cpu.pool.take(bytes).ok_or_else(|| lack(Lack(bytes)))?;
        let partial = Address(memory.address().cast::<T>());
        self.each(threads, &blocks, pieces, |block, piece| {
            let out = Matrices {
                start: partial.at(piece * m * n),
                batch: SmallVec::from_elem(0, self.products.batch.len()),
                row: n as isize,
                column: 1,
            };
            let job = Job { out: &out, ..*self };
            job.block(block, k * piece / pieces..k * (piece + 1) / pieces, gram)
        })?;
        let out = part(self.out, &self.products.batch, self.index, &(0..m), &(0..n));
        let to = Address(out.start.cast_mut());
        let add = |begin: usize, end: usize| {
            for row in begin..end {
                // SAFETY: the products of the pieces have been written, and this thread alone has this row of them and of the
                // output.
                unsafe {
                    let of = |piece: usize| partial.at((piece * m + row) * n);
                    let sums = std::slice::from_raw_parts_mut(of(0), n);
                    for piece in 1..pieces {
                        let more = std::slice::from_raw_parts(of(piece).cast_const(), n);
                        sums.iter_mut().zip(more).for_each(|(sum, &more)| *sum = *sum + more);
                    }
                    let to = to.at(0).offset(row as isize * out.row_stride);
                    for (column, &sum) in sums.iter().enumerate() {
                        to.offset(column as isize * out.column_stride).write(sum);
                    }
                }
            }
            Ok(())
        };
        match threads {
            Some(threads) => threads.split(m, 1, pieces * m * n, add),
            None => add(0, m),
        }
    }

    /// Calls `work` for each block of each piece. Returns the first error.
    fn each(
        &self,
        threads: Option<&Threads>,
        blocks: &[Block],
        pieces: usize,
        work: impl Fn(&Block, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let count = blocks.len() * pieces;
        let one = |number: usize| work(&blocks[number / pieces], number % pieces);
        let Some(threads) = threads else { return (0..count).try_for_each(one) };
        let Products { m, k, n, .. } = *self.products;
        let failure = OnceLock::new();
        threads.for_each(count, m * n * k / PER_STEP, |number| {
            one(number).unwrap_or_else(|error| drop(failure.set(error)));
        });
        failure.into_inner().map_or(Ok(()), Err)
    }

    /// Computes a block of the product of this part of the depth. Of the product with the transpose, also the block
    /// across the diagonal.
    fn block(&self, [rows, columns]: &Block, depth: Range<usize>, gram: bool) -> Result<()> {
        self.cpu.prepare()?;
        let (products, index) = (self.products, self.index);
        let place = |matrices: &Matrices<T>, rows: &Range<usize>, columns: &Range<usize>| {
            part(matrices, &products.batch, index, rows, columns)
        };
        let out = place(self.out, rows, columns);
        let left = place(&products.left, rows, &depth);
        // SAFETY: `Checked` places all elements in their memories; the output is fresh memory that only this
        // call writes, and matrices of a batch, and their blocks, do not overlap in it.
        unsafe {
            if gram && rows == columns {
                (self.faer.gram)(out, left);
                return Ok(());
            }
            (self.faer.matmul)(out, left, place(&products.right, &depth, columns));
            if gram {
                ndany_linalg::copy_transposed(out, place(self.out, columns, rows));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest time of a thread, over the time of equal shares.
    fn imbalance(sizes: [usize; 2], threads: usize) -> f64 {
        let [rows, columns] = sizes.map(units);
        let [down, across] = grid(sizes, threads);
        let longest = rows.div_ceil(down) * columns.div_ceil(across);
        let rounds = (down * across).div_ceil(threads);
        (rounds * longest * threads) as f64 / (rows * columns) as f64
    }

    #[test]
    fn threads_have_about_equal_shares() {
        assert_eq!(grid([1000, 1000], 1), [1, 1]);
        for (sizes, threads) in [([1000, 1000], 2), ([1000, 1000], 16), ([2000, 300], 8)] {
            let imbalance = imbalance(sizes, threads);
            assert!((1.0..1.2).contains(&imbalance), "{sizes:?}, {threads}: {imbalance}");
        }
    }

    #[test]
    fn parts_are_the_whole() {
        for size in [1, 31, 33, 80, 81, 330, 1000] {
            for parts in 1..=units(size) {
                let mut end = 0;
                for number in 0..parts {
                    let range = cut(size, parts, number);
                    assert!(
                        range.start == end && (parts == 1 || range.len() >= LEAST),
                        "{range:?}"
                    );
                    end = range.end;
                }
                assert_eq!(end, size);
            }
        }
    }

    #[test]
    fn pieces_are_equal_shares_of_great_depth_alone() {
        assert_eq!(pieces([100, 10_000, 100]), 32);
        assert_eq!(pieces([10, 100_000, 10]), MAX_PIECES);
        assert_eq!(pieces([100, 2 * DEPTH - 1, 100]), 1);
        assert_eq!(pieces([1000, 100_000, 1000]), 1);
        let rows = 300;
        assert!(pieces([rows, 1 << 20, rows]) * rows * rows <= MAX_PARTIAL);
    }

    #[test]
    fn blocks_are_the_lower_triangle() {
        for m in [64, 200, 330, 1000, 3000] {
            let mut seen = vec![0; m * m];
            for [rows, columns] in lower_triangle(m) {
                for row in rows.clone() {
                    for column in columns.clone() {
                        seen[row * m + column] += 1;
                        if rows != columns {
                            seen[column * m + row] += 1;
                        }
                    }
                }
            }
            assert!(seen.iter().all(|&times| times == 1), "{m}");
        }
    }
}
