//! Factorizations by plain loops, in complex numbers of 64 bits a part whatever the dtype: what the reference device
//! does, and a CPU without a library of linear algebra.
//!
//! Written to be read. Real matrices stay real: every operation on zero imaginary parts leaves them zero. Speed is
//! deliberately no concern.

mod eig;
mod jacobi;
mod triangular;

use num_complex::Complex64 as C;

use ndany_core::backend::{Factoring, Vectors};

/// Steps after which an iteration counts as one that does not settle, for each value sought.
const MAX_ITERATIONS: usize = 60;

/// A matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dense {
    rows: usize,
    columns: usize,
    at: Vec<C>,
}

impl std::ops::Index<(usize, usize)> for Dense {
    type Output = C;
    fn index(&self, (row, column): (usize, usize)) -> &C {
        &self.at[row * self.columns + column]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Dense {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut C {
        &mut self.at[row * self.columns + column]
    }
}

impl Dense {
    pub(crate) fn new(rows: usize, columns: usize, at: Vec<C>) -> Self {
        debug_assert_eq!(rows * columns, at.len());
        Self { rows, columns, at }
    }

    fn zeros(rows: usize, columns: usize) -> Self {
        Self::new(rows, columns, vec![C::ZERO; rows * columns])
    }

    fn identity(n: usize) -> Self {
        let mut identity = Self::zeros(n, n);
        (0..n).for_each(|i| identity[(i, i)] = C::ONE);
        identity
    }

    fn adjoint(&self) -> Self {
        let mut adjoint = Self::zeros(self.columns, self.rows);
        for i in 0..self.rows {
            for j in 0..self.columns {
                adjoint[(j, i)] = self[(i, j)].conj();
            }
        }
        adjoint
    }

    /// Its first rows and columns.
    fn corner(&self, rows: usize, columns: usize) -> Self {
        let at = (0..rows).flat_map(|i| (0..columns).map(move |j| self[(i, j)])).collect();
        Self::new(rows, columns, at)
    }

    fn column(&self, j: usize) -> Vec<C> {
        (0..self.rows).map(|i| self[(i, j)]).collect()
    }

    /// The product of two matrices.
    fn times(&self, other: &Self) -> Self {
        let mut product = Self::zeros(self.rows, other.columns);
        for i in 0..self.rows {
            for k in 0..self.columns {
                let factor = self[(i, k)];
                for j in 0..other.columns {
                    product[(i, j)] += factor * other[(k, j)];
                }
            }
        }
        product
    }

    /// Divided by the power of two at or below its largest part, so that squares are numbers, and that power (1 for
    /// zeros); nothing for NaN and infinities.
    fn scaled(mut self) -> Option<(Self, f64)> {
        let largest = largest(&self.at);
        let power = f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits());
        let scale = if largest == 0.0 { 1.0 } else { power.max(f64::MIN_POSITIVE) };
        self.at.iter_mut().for_each(|x| *x /= scale);
        largest.is_finite().then_some((self, scale))
    }
}

/// The scalar product of two columns, the first conjugated.
fn dot(x: &[C], y: &[C]) -> C {
    x.iter().zip(y).map(|(x, y)| x.conj() * y).sum()
}

/// Smith's division (1962): the divisor's square need not be a number.
fn quotient(x: C, y: C) -> C {
    if y.re.abs() >= y.im.abs() {
        let ratio = y.im / y.re;
        let size = y.re + y.im * ratio;
        C::new((x.re + x.im * ratio) / size, (x.im - x.re * ratio) / size)
    } else {
        let ratio = y.re / y.im;
        let size = y.re * ratio + y.im;
        C::new((x.re * ratio + x.im) / size, (x.im * ratio - x.re) / size)
    }
}

/// By its largest part, so that squares are numbers; NaN where one is.
fn length(x: &[C]) -> f64 {
    let largest = largest(x);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    x.iter().map(|x| (x / largest).norm_sqr()).sum::<f64>().sqrt() * largest
}

/// The largest part of a number, or NaN where there is one.
fn largest(x: &[C]) -> f64 {
    x.iter()
        .flat_map(|x| [x.re.abs(), x.im.abs()])
        .fold(0.0, |most, x| if x.is_nan() || x > most { x } else { most })
}

/// Does a task for one matrix: its outputs, packed, and LAPACK's `info`. `digits` is the roundoff of the dtype; `real`
/// says that the matrix is of real numbers.
pub(crate) fn factor(task: Factoring, inputs: Vec<Dense>, real: bool) -> (Vec<Vec<C>>, i32) {
    let mut inputs = inputs.into_iter();
    let (Some(a), b) = (inputs.next(), inputs.next()) else {
        unreachable!("every task has a matrix")
    };
    let numbers = |values: Vec<f64>| values.into_iter().map(C::from).collect::<Vec<C>>();
    match task {
        Factoring::Lu => {
            let (lu, pivots, status) = triangular::lu(a);
            (vec![lu.at, numbers(pivots.iter().map(|&p| p as f64).collect())], status)
        }
        Factoring::Pivots => {
            let (lu, pivots, status) = triangular::lu(a);
            let diagonal = (0..lu.rows).map(|i| lu[(i, i)]).collect();
            (vec![diagonal, numbers(pivots.iter().map(|&p| p as f64).collect())], status)
        }
        Factoring::Cholesky => {
            let (l, status) = triangular::cholesky(a);
            (vec![l.at], status)
        }
        Factoring::Solve { .. } => {
            let Some(b) = b else { unreachable!("a system has a right side") };
            let (x, status) = triangular::solve(a, b);
            (vec![x.at], status)
        }
        Factoring::Inverse => {
            let identity = Dense::identity(a.rows);
            let (x, status) = triangular::solve(a, identity);
            (vec![x.at], status)
        }
        Factoring::Qr(vectors) => {
            let (q, r) = triangular::qr(a, vectors == Vectors::Full);
            (if vectors == Vectors::None { vec![r.at] } else { vec![q.at, r.at] }, 0)
        }
        Factoring::Svd(vectors) => match jacobi::svd(a, vectors == Vectors::Full) {
            None => (vec![], 1),
            Some((u, s, vh)) => match vectors {
                Vectors::None => (vec![numbers(s)], 0),
                Vectors::Reduced | Vectors::Full => (vec![u.at, numbers(s), vh.at], 0),
            },
        },
        Factoring::Eigh { vectors } => match jacobi::eigh(a) {
            None => (vec![], 1),
            Some((w, _)) if !vectors => (vec![numbers(w)], 0),
            Some((w, v)) => (vec![numbers(w), v.at], 0),
        },
        Factoring::Eig { vectors } => match eig::eig(a, vectors, real) {
            None => (vec![], 1),
            Some((w, _)) if !vectors => (vec![w], 0),
            Some((w, v)) => (vec![w, v.at], 0),
        },
    }
}

#[cfg(test)]
mod tests;
