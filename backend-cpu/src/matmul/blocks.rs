//! Blocked matrix products: exact for integers and booleans, and the products of floats without faer.
//!
//! A block of sums is computed from packed blocks of weights (the left matrix) and factors (the right matrix)
//! that fit the caches. With few rows or few elements, packing costs more than it saves: rows are summed in
//! place.

use ndany_core::Result;
use ndany_core::host::filled;

use super::{Matrices, Products};
use crate::loops::products::{Factor, STEP, Sum};
use crate::loops::{Level, Loops};
use crate::memory::lack;
use crate::threads::Threads;

/// Rows of a block of sums.
const ROWS: usize = 64;
/// Rows of a block of factors: 32 KiB.
const DEPTH: usize = 32;
/// Minimum rows, and minimum multiplications, for packing.
const FEW_ROWS: usize = 4;
const SMALL: usize = 1 << 12;

pub(super) fn matmul<T: Factor<A>, A: Sum>(
    mut products: Products<T>,
    level: Level,
    threads: &Threads,
) -> Result<()> {
    if products.n < products.m && products.n < FEW_ROWS {
        // The transposed product has few rows.
        let Products { m, n, left, right, out, .. } = products;
        products = Products {
            m: n,
            n: m,
            left: right.transposed(),
            right: left.transposed(),
            out: out.transposed(),
            ..products
        };
    }
    let Products { m, k, n, .. } = products;
    if m < FEW_ROWS || m * n * k <= SMALL {
        by_rows(&products, threads)
    } else {
        by_blocks(&products, level, threads)
    }
}

/// # Safety
/// The element lies in the memory of the matrices, and nothing writes it.
#[inline(always)]
unsafe fn read<T: Factor<A>, A>(from: *mut T, offset: isize) -> A {
    // SAFETY: the caller upholds this.
    unsafe { from.offset(offset).read() }.widen()
}

/// Packed blocks of one thread.
struct Blocks<A> {
    sums: Vec<A>,
    weights: Vec<A>,
    factors: Vec<A>,
}

fn by_blocks<T: Factor<A>, A: Sum>(
    products: &Products<T>,
    level: Level,
    threads: &Threads,
) -> Result<()> {
    let Products { m, k, n, .. } = *products;
    let (down, across) = (m.div_ceil(ROWS), n.div_ceil(A::ROW));
    let blocks = products.batches() * down * across;
    threads.split(blocks, 1, blocks * ROWS * A::ROW.min(n) * k / 8, |begin, end| {
        let mut own = Blocks {
            sums: filled(A::ZERO, ROWS * A::ROW).map_err(lack)?,
            weights: filled(A::ZERO, ROWS * DEPTH).map_err(lack)?,
            factors: filled(A::ZERO, DEPTH * A::ROW).map_err(lack)?,
        };
        for block in begin..end {
            let (index, inside) = (block / (down * across), block % (down * across));
            let first = [inside / across * ROWS, inside % across * A::ROW];
            let extents = [ROWS.min(m - first[0]), A::ROW.min(n - first[1])];
            one_block(products, index, first, extents, &mut own, level);
        }
        Ok(())
    })
}

fn one_block<T: Factor<A>, A: Sum>(
    products: &Products<T>,
    index: usize,
    [top, start]: [usize; 2],
    [rows, columns]: [usize; 2],
    own: &mut Blocks<A>,
    level: Level,
) {
    let gain = level.gain::<A>();
    let corner = |matrices: &Matrices<T>, row: usize, column: usize| {
        let offset = row as isize * matrices.row + column as isize * matrices.column;
        matrices.first(&products.batch, index).wrapping_offset(offset)
    };
    own.sums.fill(A::ZERO);
    for depth in (0..products.k).step_by(DEPTH) {
        let count = DEPTH.min(products.k - depth);
        let padded = count.next_multiple_of(STEP);
        let (weights, factors) =
            (corner(&products.left, top, depth), corner(&products.right, depth, start));
        // SAFETY: rows, depths and columns are inside the matrices, which `Checked` places in their memories.
        unsafe {
            pack_weights(weights, &products.left, [rows, count], &mut own.weights);
            pack_factors(factors, &products.right, [count, columns], &mut own.factors);
        }
        for group in 0..rows.div_ceil(STEP) {
            // SAFETY: `Sum::gain` takes STEP rows of sums (the block has a multiple of them), `padded` rows
            // of factors, as many weights for each row, and a number of columns up to a row.
            unsafe {
                gain(
                    own.sums.as_mut_ptr().add(group * STEP * A::ROW).cast(),
                    [
                        own.weights.as_ptr().add(group * STEP * DEPTH).cast(),
                        own.factors.as_ptr().cast(),
                        (&raw const columns).cast(),
                    ],
                    padded,
                );
            }
        }
    }
    let out = corner(&products.out, top, start);
    for row in 0..rows {
        let sums = &own.sums[row * A::ROW..][..columns];
        // SAFETY: as above; this thread alone has the output's elements of this block.
        unsafe { write(out.offset(row as isize * products.out.row), products.out.column, sums) };
    }
}

/// Packs weights: for each STEP rows and each STEP depths, the weights of these depths for each row.
///
/// # Safety
/// `rows` times `count` elements from `from` on lie in the memory of the matrices.
unsafe fn pack_weights<T: Factor<A>, A: Sum>(
    from: *mut T,
    matrices: &Matrices<T>,
    [rows, count]: [usize; 2],
    weights: &mut [A],
) {
    for row in 0..rows.next_multiple_of(STEP) {
        let group = &mut weights[row / STEP * STEP * DEPTH..][..STEP * DEPTH];
        for depth in 0..count.next_multiple_of(STEP) {
            let weight = match row < rows && depth < count {
                // SAFETY: the caller upholds this.
                true => unsafe {
                    read(from, row as isize * matrices.row + depth as isize * matrices.column)
                },
                false => A::ZERO,
            };
            group[depth / STEP * STEP * STEP + row % STEP * STEP + depth % STEP] = weight;
        }
    }
}

/// Packs rows of factors, padded with zero rows to a multiple of STEP.
///
/// # Safety
/// `count` times `columns` elements from `from` on lie in the memory of the matrices.
unsafe fn pack_factors<T: Factor<A>, A: Sum>(
    from: *mut T,
    matrices: &Matrices<T>,
    [count, columns]: [usize; 2],
    factors: &mut [A],
) {
    for (depth, row) in
        factors.chunks_exact_mut(A::ROW).enumerate().take(count.next_multiple_of(STEP))
    {
        let row = &mut row[..columns];
        if depth >= count {
            row.fill(A::ZERO);
            continue;
        }
        // SAFETY: the caller upholds this.
        unsafe { unpack(from.offset(depth as isize * matrices.row), matrices.column, row) };
    }
}

/// Reads a row.
///
/// # Safety
/// `row.len()` elements lie at these steps in the memory, and nothing writes them.
#[inline(never)]
unsafe fn unpack<T: Factor<A>, A: Copy>(from: *mut T, step: isize, row: &mut [A]) {
    if step == 1 {
        // SAFETY: the caller upholds this.
        let elements = unsafe { std::slice::from_raw_parts(from.cast_const(), row.len()) };
        row.iter_mut().zip(elements).for_each(|(to, &from)| *to = from.widen());
        return;
    }
    for (position, to) in row.iter_mut().enumerate() {
        // SAFETY: the caller upholds this.
        *to = unsafe { read(from, position as isize * step) };
    }
}

/// Writes a row of sums.
///
/// # Safety
/// `sums.len()` elements lie at these steps in the memory, and no other code uses them.
#[inline(always)]
unsafe fn write<T: Factor<A>, A: Copy>(to: *mut T, step: isize, sums: &[A]) {
    for (position, &sum) in sums.iter().enumerate() {
        // SAFETY: the caller upholds this.
        unsafe { to.offset(position as isize * step).write(T::narrow(sum)) };
    }
}

/// Runs of a row of the result, each as a sum of runs of the right matrix's rows or, if its columns are
/// contiguous, of products along them.
fn by_rows<T: Factor<A>, A: Sum>(products: &Products<T>, threads: &Threads) -> Result<()> {
    let Products { m, k, n, .. } = *products;
    let (left, right, out) = (&products.left, &products.right, &products.out);
    let along_columns = right.row == 1 && right.column != 1 && k > 1;
    let width = if along_columns { 64 } else { 4 * A::ROW };
    let across = n.div_ceil(width);
    let stretches = products.batches() * m * across;
    threads.split(stretches, 1, products.batches() * m * n * k, |begin, end| {
        let mut sums = filled(A::ZERO, width.min(n)).map_err(lack)?;
        let many = if along_columns { k } else { width.min(n) };
        let mut factors = filled(A::ZERO, many).map_err(lack)?;
        let mut weights = filled(A::ZERO, k).map_err(lack)?;
        let mut known = usize::MAX;
        for stretch in begin..end {
            let (row, start) = (stretch / across, stretch % across * width);
            let (index, row) = (row / m, row % m);
            let [x, y, z] =
                [left, right, out].map(|matrices| matrices.first(&products.batch, index));
            // SAFETY: row, depth and column are inside the matrices, which `Checked` places in their memories; one
            // thread has each run of the output.
            unsafe {
                if known != stretch / across {
                    unpack(x.offset(row as isize * left.row), left.column, &mut weights);
                    known = stretch / across;
                }
                let y = y.offset(start as isize * right.column);
                let sums = &mut sums[..width.min(n - start)];
                sums.fill(A::ZERO);
                if along_columns {
                    for (column, sum) in sums.iter_mut().enumerate() {
                        unpack(y.offset(column as isize * right.column), 1, &mut factors);
                        *sum = weights
                            .iter()
                            .zip(&factors)
                            .fold(A::ZERO, |sum, (&a, &b)| sum.add_product(a, b));
                    }
                } else {
                    let factors = &mut factors[..sums.len()];
                    for (depth, &weight) in weights.iter().enumerate() {
                        unpack(y.offset(depth as isize * right.row), right.column, factors);
                        for (sum, &factor) in sums.iter_mut().zip(&*factors) {
                            *sum = sum.add_product(weight, factor);
                        }
                    }
                }
                let z = z.offset(row as isize * out.row + start as isize * out.column);
                write(z, out.column, sums);
            }
        }
        Ok(())
    })
}
