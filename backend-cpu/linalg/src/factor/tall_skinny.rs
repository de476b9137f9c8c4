//! Operations on columns of real numbers, four at a time: sums of them, products with them, and both in one
//! pass.
//!
//! A matrix of a million numbers exceeds a core's own caches, so memory bandwidth limits it: all operations on
//! a column run while it is cached. Rows start at multiples of [`WIDE`] where callers can arrange it, which
//! aligns a column's cache lines.

use std::array::from_fn;

use faer::traits::pulp::{Arch, Simd, WithSimd};
use faer::{Mat, MatRef};

use super::interleaved_batch::Real;

/// Numbers of the longest cache line.
pub(super) const WIDE: usize = 16;
/// Columns of a pass.
const FOUR: usize = 4;

/// A real type with SIMD vectors.
pub(super) trait Wide: Real {
    type Vector<S: Simd>: Copy;

    fn vectors<S: Simd>(x: &[Self]) -> (&[Self::Vector<S>], &[Self]);
    fn vectors_mut<S: Simd>(x: &mut [Self]) -> (&mut [Self::Vector<S>], &mut [Self]);
    fn splat<S: Simd>(simd: S, x: Self) -> Self::Vector<S>;
    /// `sum + x * y`, fused or not, as is faster on the CPU.
    fn more<S: Simd>(
        simd: S,
        sum: Self::Vector<S>,
        x: Self::Vector<S>,
        y: Self::Vector<S>,
    ) -> Self::Vector<S>;
    fn total<S: Simd>(simd: S, x: Self::Vector<S>) -> Self;
}

macro_rules! wide {
    ($($ty:ident $vector:ident $split:ident $split_mut:ident $splat:ident $more:ident $total:ident;)+) => {$(
        impl Wide for $ty {
            type Vector<S: Simd> = S::$vector;

            #[inline(always)]
            fn vectors<S: Simd>(x: &[Self]) -> (&[S::$vector], &[Self]) {
                S::$split(x)
            }
            #[inline(always)]
            fn vectors_mut<S: Simd>(x: &mut [Self]) -> (&mut [S::$vector], &mut [Self]) {
                S::$split_mut(x)
            }
            #[inline(always)]
            fn splat<S: Simd>(simd: S, x: Self) -> S::$vector {
                simd.$splat(x)
            }
            #[inline(always)]
            fn more<S: Simd>(simd: S, sum: S::$vector, x: S::$vector, y: S::$vector) -> S::$vector {
                simd.$more(x, y, sum)
            }
            #[inline(always)]
            fn total<S: Simd>(simd: S, x: S::$vector) -> Self {
                simd.$total(x)
            }
        }
    )+};
}

wide! {
    f32 f32s as_simd_f32s as_mut_simd_f32s splat_f32s mul_add_e_f32s reduce_sum_f32s;
    f64 f64s as_simd_f64s as_mut_simd_f64s splat_f64s mul_add_e_f64s reduce_sum_f64s;
}

/// Runs the code compiled for this CPU.
pub(super) fn dispatch<W: WithSimd>(work: W) -> W::Output {
    Arch::new().dispatch(work)
}

/// The first row of this row's cache line.
pub(super) fn line(row: usize) -> usize {
    row / WIDE * WIDE
}

/// A column of a column-order matrix.
#[inline(always)]
pub(super) fn column<'a, P: Real>(matrix: MatRef<'a, P>, j: usize) -> &'a [P] {
    match matrix.col(j).try_as_col_major() {
        Some(column) => column.as_slice(),
        None => unreachable!("matrices lie in columns here"),
    }
}

/// Four columns from `first` on, from a row on; the last is repeated if there are fewer.
#[inline(always)]
fn four<'a, P: Real>(
    matrix: MatRef<'a, P>,
    first: usize,
    end: usize,
    row: usize,
) -> [&'a [P]; FOUR] {
    from_fn(|c| &column(matrix, (first + c).min(end - 1))[row..])
}

/// The factors of the four columns: zero for repeated ones.
#[inline(always)]
fn factors<P: Real>(first: usize, end: usize, of: impl Fn(usize) -> P) -> [P; FOUR] {
    from_fn(|c| if first + c < end { of(first + c) } else { P::ZERO })
}

// Code that uses a CPU's vectors is in plain loops here: a closure that is not inlined is compiled without
// those features.

/// The products of columns with a vector.
#[inline(always)]
fn dot_four<P: Wide, S: Simd>(simd: S, columns: [&[P]; FOUR], v: &[P]) -> [P; FOUR] {
    let columns = columns.map(|column| P::vectors::<S>(&column[..v.len()]));
    let (chunks, rest) = P::vectors::<S>(v);
    let mut sums = [P::splat(simd, P::ZERO); FOUR];
    for (k, &v) in chunks.iter().enumerate() {
        for (sum, column) in sums.iter_mut().zip(&columns) {
            *sum = P::more(simd, *sum, column.0[k], v);
        }
    }
    totals(simd, sums, columns.map(|column| column.1), rest)
}

/// Adds multiples of columns to a vector.
#[inline(always)]
fn add_four<P: Wide, S: Simd>(simd: S, columns: [&[P]; FOUR], by: [P; FOUR], to: &mut [P]) {
    let columns = columns.map(|column| P::vectors::<S>(&column[..to.len()]));
    let (chunks, rest) = P::vectors_mut::<S>(to);
    let many = by.map(|by| P::splat(simd, by));
    for (k, to) in chunks.iter_mut().enumerate() {
        *to = (0..FOUR).fold(*to, |to, c| P::more(simd, to, columns[c].0[k], many[c]));
    }
    for (k, to) in rest.iter_mut().enumerate() {
        *to = (0..FOUR).fold(*to, |to, c| to + columns[c].1[k] * by[c]);
    }
}

/// Dot products and multiples in one pass.
#[inline(always)]
fn both_four<P: Wide, S: Simd>(
    simd: S,
    columns: [&[P]; FOUR],
    v: &[P],
    by: [P; FOUR],
    to: &mut [P],
) -> [P; FOUR] {
    let columns = columns.map(|column| P::vectors::<S>(&column[..v.len()]));
    let ((chunks, rest), (tos, rests)) = (P::vectors::<S>(v), P::vectors_mut::<S>(to));
    let mut sums = [P::splat(simd, P::ZERO); FOUR];
    let many = by.map(|by| P::splat(simd, by));
    for (k, (&v, to)) in chunks.iter().zip(tos).enumerate() {
        let mut here = [v; FOUR];
        for ((here, column), sum) in here.iter_mut().zip(&columns).zip(&mut sums) {
            *here = column.0[k];
            *sum = P::more(simd, *sum, *here, v);
        }
        *to = (0..FOUR).fold(*to, |to, c| P::more(simd, to, here[c], many[c]));
    }
    for (k, to) in rests.iter_mut().enumerate() {
        *to = (0..FOUR).fold(*to, |to, c| to + columns[c].1[k] * by[c]);
    }
    totals(simd, sums, columns.map(|column| column.1), rest)
}

/// The totals of vectors of sums and of the columns' remainders.
#[inline(always)]
fn totals<P: Wide, S: Simd>(
    simd: S,
    sums: [P::Vector<S>; FOUR],
    ends: [&[P]; FOUR],
    end: &[P],
) -> [P; FOUR] {
    let mut totals = [P::ZERO; FOUR];
    for ((total, sum), of) in totals.iter_mut().zip(sums).zip(ends) {
        *total = P::total(simd, sum) + short(of, end);
    }
    totals
}

#[inline(always)]
fn short<P: Real>(x: &[P], y: &[P]) -> P {
    x.iter().zip(y).fold(P::ZERO, |sum, (&x, &y)| sum + x * y)
}

/// The dot product of two vectors of one length.
pub(super) fn product<P: Wide>(x: &[P], y: &[P]) -> P {
    struct Product<'a, P>(&'a [P], &'a [P]);
    impl<P: Wide> WithSimd for Product<'_, P> {
        type Output = P;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> P {
            let ((x, end_x), (y, end_y)) = (P::vectors::<S>(self.0), P::vectors::<S>(self.1));
            let mut sums = [P::splat(simd, P::ZERO); FOUR];
            for (x, y) in x.chunks(FOUR).zip(y.chunks(FOUR)) {
                for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
                    *sum = P::more(simd, *sum, x, y);
                }
            }
            let mut total = short(end_x, end_y);
            for sum in sums {
                total += P::total(simd, sum);
            }
            total
        }
    }
    dispatch(Product(x, y))
}

/// The products of columns from `first` on with a vector, from a row on, as many as `to` holds.
#[inline(always)]
fn some_dots<P: Wide, S: Simd>(
    simd: S,
    matrix: MatRef<'_, P>,
    first: usize,
    row: usize,
    v: &[P],
    made: &mut [P],
) {
    let end = first + made.len();
    for (first, made) in (first..end).step_by(FOUR).zip(made.chunks_mut(FOUR)) {
        let products = dot_four(simd, four(matrix, first, end, row), &v[row..]);
        made.copy_from_slice(&products[..made.len()]);
    }
}

/// The products of the first columns with a vector, from a row on.
pub(super) fn dots<P: Wide>(matrix: &Mat<P>, count: usize, row: usize, v: &[P]) -> Vec<P> {
    struct Dots<'a, P>(MatRef<'a, P>, usize, usize, &'a [P]);
    impl<P: Wide> WithSimd for Dots<'_, P> {
        type Output = Vec<P>;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Vec<P> {
            let Self(matrix, count, row, v) = self;
            let mut made = vec![P::ZERO; count];
            some_dots(simd, matrix, 0, row, v, &mut made);
            made
        }
    }
    dispatch(Dots(matrix.as_ref(), count, row, v))
}

/// Adds multiples of the first columns to a vector, from a row on.
pub(super) fn add<P: Wide>(
    matrix: &Mat<P>,
    count: usize,
    row: usize,
    by: impl Fn(usize) -> P,
    to: &mut [P],
) {
    struct Add<'a, P, B>(MatRef<'a, P>, usize, usize, B, &'a mut [P]);
    impl<P: Wide, B: Fn(usize) -> P> WithSimd for Add<'_, P, B> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let Self(matrix, count, row, by, to) = self;
            for first in (0..count).step_by(FOUR) {
                let by = factors(first, count, &by);
                add_four(simd, four(matrix, first, count, row), by, &mut to[row..]);
            }
        }
    }
    dispatch(Add(matrix.as_ref(), count, row, by, to));
}

/// A range of columns in a bidiagonalization step: each column's product with the left vector is the row's
/// next element, and with that factor the column is added to the sum.
pub(super) struct Bidiagonal<'a, P> {
    pub(super) matrix: MatRef<'a, P>,
    /// The row, and the first of these columns.
    pub(super) row: usize,
    pub(super) first: usize,
    /// The reflection that makes the column zero below the row.
    pub(super) v: &'a [P],
    pub(super) tau: P,
    /// The updates that are not yet applied to the matrix: to the products, to the row.
    pub(super) late: [&'a [P]; 2],
    /// The reflection's update of each column, and the row before it.
    pub(super) taken: &'a mut [P],
    pub(super) left: &'a mut [P],
    /// The sum of the columns multiplied by `left`.
    pub(super) sum: &'a mut [P],
}

impl<P: Wide> WithSimd for Bidiagonal<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (matrix, from, end) = (self.matrix, line(self.row), self.first + self.taken.len());
        self.sum[from..].fill(P::ZERO);
        for first in (self.first..end).step_by(FOUR) {
            let columns = four(matrix, first, end, from);
            let products = dot_four(simd, columns, &self.v[from..]);
            let mut by = [P::ZERO; FOUR];
            for j in first..end.min(first + FOUR) {
                let [product, row] = self.late.map(|late| late[j]);
                let taken = self.tau * (products[j - first] - product);
                let left = columns[j - first][self.row - from] - row - taken;
                (self.taken[j - self.first], self.left[j - self.first]) = (taken, left);
                by[j - first] = left;
            }
            add_four(simd, columns, by, &mut self.sum[from..]);
        }
    }
}

/// A range of columns of the lower half of a symmetric matrix, as a part of its product with a vector.
pub(super) struct Symmetric<'a, P> {
    pub(super) matrix: MatRef<'a, P>,
    /// The columns, from a multiple of [`WIDE`] up to `end`.
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) v: &'a [P],
    /// The partial product, from row 0 on.
    pub(super) sum: &'a mut [P],
    /// Columns of a panel that are also multiplied by the vector, from a row on, as many as products.
    pub(super) panel: (MatRef<'a, P>, usize),
    pub(super) row: usize,
    pub(super) products: &'a mut [P],
}

impl<P: Wide> WithSimd for Symmetric<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { matrix, first, end, v, sum, panel, row, products } = self;
        some_dots(simd, panel.0, panel.1, row, v, products);
        sum[first..].fill(P::ZERO);
        for begin in (first..end).step_by(WIDE) {
            let below = end.min(begin + WIDE);
            // The triangle on the diagonal.
            for j in begin..below {
                let column = column(matrix, j);
                sum[j] += column[j] * v[j];
                for i in j + 1..below {
                    sum[j] += column[i] * v[i];
                    sum[i] += column[i] * v[j];
                }
            }
            for j in (begin..below).step_by(FOUR) {
                let by = factors(j, below, |j| v[j]);
                let columns = four(matrix, j, below, below);
                let products = both_four(simd, columns, &v[below..], by, &mut sum[below..]);
                (j..below.min(j + FOUR)).for_each(|i| sum[i] += products[i - j]);
            }
        }
    }
}
