//! The capability of linear algebra: batches of matrices factored, and systems solved.
//!
//! A device may lack it. Everything that NumPy's `linalg` has is composed from these few by core. Matrices lie packed:
//! element after element in C order, one matrix after the other. Results carry a bound, not promised bits; where a
//! factorization is not unique (signs, phases, bases of equal values) any is right.
//!
//! Deliberately absent: 16-bit floats, and options by which LAPACK's functions save memory.

use std::fmt::Debug;

use super::checked::{Check, Refusal};
use super::{Checked, ContiguousView};
use crate::dtype::DType;
use crate::error::Result;

/// What is asked of each matrix, with its inputs and outputs. `a` is m by n, `k` the smaller of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Factoring {
    /// `a` → L below the diagonal (ones on it) and U, m by n; k row exchanges as I32, as LAPACK says them: row i was
    /// exchanged with row `pivots[i]`, counted from 1. Rows are exchanged for the largest pivot.
    Lu,
    /// `a` (square) → the diagonal of U (n) and n exchanges as above, of an LU of the matrix or of its transpose: what
    /// a determinant is made of.
    Pivots,
    /// `a` (square, of which the lower triangle counts, Hermitian) → L, n by n, zero above the diagonal.
    Cholesky,
    /// `a` (square), `b` (n by `right`) → x with `a x = b`, n by `right`.
    Solve {
        /// Columns of `b`.
        right: usize,
        /// Whether `b` is one matrix for the whole batch.
        shared: bool,
    },
    /// `a` (square) → x with `a x` the identity, n by n.
    Inverse,
    /// `a` → q (m by k) and r (k by n); with a full q m by m and m by n; without q only r (k by n).
    Qr(Vectors),
    /// `a` → singular values (k, of the parts' dtype), largest first; with vectors u and the adjoint of v in front and
    /// after: m by k and k by n, or m by m and n by n.
    Svd(Vectors),
    /// `a` (square, of which the lower triangle counts, Hermitian) → eigenvalues (n, of the parts' dtype), ascending;
    /// then, with vectors, n by n: a vector a column, of length 1.
    Eigh {
        /// The vectors too?
        vectors: bool,
    },
    /// `a` (square) → eigenvalues (n, complex); then, with vectors, n by n complex: a vector a column, of length 1.
    /// Eigenvalues of a real matrix that are real have an imaginary part of zero.
    Eig {
        /// The vectors too?
        vectors: bool,
    },
}

impl Factoring {
    /// Elements of each input's and each output's matrices, in the order of the task, where `a` is m by n.
    pub fn sizes(self, m: usize, n: usize) -> (Vec<usize>, Vec<usize>) {
        let k = m.min(n);
        match self {
            Factoring::Lu => (vec![m * n], vec![m * n, k]),
            Factoring::Pivots => (vec![n * n], vec![n; 2]),
            Factoring::Cholesky | Factoring::Inverse => (vec![n * n], vec![n * n]),
            Factoring::Solve { right, .. } => (vec![n * n, n * right], vec![n * right]),
            Factoring::Qr(Vectors::None) => (vec![m * n], vec![k * n]),
            Factoring::Qr(Vectors::Reduced) => (vec![m * n], vec![m * k, k * n]),
            Factoring::Qr(Vectors::Full) => (vec![m * n], vec![m * m, m * n]),
            Factoring::Svd(Vectors::None) => (vec![m * n], vec![k]),
            Factoring::Svd(Vectors::Reduced) => (vec![m * n], vec![m * k, k, k * n]),
            Factoring::Svd(Vectors::Full) => (vec![m * n], vec![m * m, k, n * n]),
            Factoring::Eigh { vectors: false } | Factoring::Eig { vectors: false } => {
                (vec![n * n], vec![n])
            }
            Factoring::Eigh { vectors: true } | Factoring::Eig { vectors: true } => {
                (vec![n * n], vec![n, n * n])
            }
        }
    }

    /// The dtypes of the outputs, where `a` is of this one.
    pub fn output_dtypes(self, whole: DType) -> Vec<DType> {
        let part = whole.part();
        let complex = if part == DType::F32 { DType::C64 } else { DType::C128 };
        match self {
            Factoring::Lu | Factoring::Pivots => vec![whole, DType::I32],
            Factoring::Cholesky | Factoring::Solve { .. } | Factoring::Inverse => vec![whole],
            Factoring::Qr(Vectors::None) => vec![whole],
            Factoring::Qr(_) => vec![whole; 2],
            Factoring::Svd(Vectors::None) => vec![part],
            Factoring::Svd(_) => vec![whole, part, whole],
            Factoring::Eigh { vectors: false } => vec![part],
            Factoring::Eigh { vectors: true } => vec![part, whole],
            Factoring::Eig { vectors: false } => vec![complex],
            Factoring::Eig { vectors: true } => vec![complex; 2],
        }
    }
}

/// Which singular vectors, or columns of q, are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vectors {
    /// None.
    None,
    /// As many as the smaller extent.
    Reduced,
    /// Whole bases.
    Full,
}

/// A batch of matrices to factor. No extent is 0.
#[derive(Clone, Debug)]
pub struct Factor<'a> {
    /// What to do.
    pub task: Factoring,
    /// Of the matrices: F32, F64, C64 or C128.
    pub dtype: DType,
    /// Number of matrices.
    pub batch: usize,
    /// Rows of `a`.
    pub rows: usize,
    /// Columns of `a`.
    pub columns: usize,
    /// As the task says. They are not changed.
    pub inputs: &'a [ContiguousView<'a>],
    /// As the task says; none is an input.
    pub outputs: &'a [ContiguousView<'a>],
    /// An I32 for each matrix: 0 where all went well; LAPACK's `info` otherwise: the first pivot that is zero, the
    /// first leading minor that is not positive (counted from 1), or anything but 0 where an iteration does not settle.
    /// The outputs of such a matrix are unspecified.
    pub status: ContiguousView<'a>,
}

impl Factor<'_> {
    /// The smaller of rows and columns.
    pub fn least(&self) -> usize {
        self.rows.min(self.columns)
    }

    /// Which matrix of an input goes with the matrix `a` of a number.
    pub fn place(&self, input: usize, number: usize) -> usize {
        match self.task {
            Factoring::Solve { shared: true, .. } if input == 1 => 0,
            Factoring::Solve { .. }
            | Factoring::Lu
            | Factoring::Pivots
            | Factoring::Inverse
            | Factoring::Cholesky
            | Factoring::Qr(_)
            | Factoring::Svd(_)
            | Factoring::Eigh { .. }
            | Factoring::Eig { .. } => number,
        }
    }

    /// Elements of each input's and each output's matrices, in the order of the task.
    pub fn sizes(&self) -> (Vec<usize>, Vec<usize>) {
        self.task.sizes(self.rows, self.columns)
    }

    /// About how much one matrix of the batch takes of the host's memory beside its inputs and outputs, rather more
    /// than less, where an element at work has `size` bytes: copies of both, for singular and eigenvalues the bases and
    /// the workspace of divide and conquer, and panels of up to 256 rows and columns.
    pub fn host_bytes(&self, size: usize) -> usize {
        let (taken, made) = self.sizes();
        let all = taken.iter().chain(&made).fold(0usize, |sum, &size| sum.saturating_add(size));
        let squares = match self.task {
            Factoring::Lu | Factoring::Pivots | Factoring::Cholesky | Factoring::Inverse => 0,
            Factoring::Solve { .. } | Factoring::Qr(_) => 0,
            Factoring::Svd(_) | Factoring::Eigh { .. } => 8,
            Factoring::Eig { .. } => 12,
        };
        let short = self.rows.min(self.columns);
        let squares = short.saturating_mul(short).saturating_mul(squares);
        let panels = (self.rows + self.columns).saturating_mul(600);
        let elements = all.saturating_mul(2).saturating_add(squares).saturating_add(panels);
        elements.saturating_mul(size)
    }

    /// The dtypes of the outputs.
    pub fn output_dtypes(&self) -> Vec<DType> {
        self.task.output_dtypes(self.dtype)
    }
}

/// A device that does linear algebra.
pub trait LinearAlgebra: Debug {
    /// Whether the device supports this. If not, core returns `Unsupported`, or uses another algorithm.
    fn can(&self, task: Factoring) -> bool;

    /// Factors a batch of matrices.
    fn factor(&self, factor: Checked<&Factor<'_>>) -> Result<()>;
}

impl Factoring {
    /// Whether `a` must have as many rows as columns.
    fn is_square(self) -> bool {
        match self {
            Factoring::Lu | Factoring::Qr(_) | Factoring::Svd(_) => false,
            Factoring::Pivots
            | Factoring::Cholesky
            | Factoring::Solve { .. }
            | Factoring::Inverse
            | Factoring::Eigh { .. }
            | Factoring::Eig { .. } => true,
        }
    }
}

impl Check for Factor<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("factor");
        let Self { task, dtype, batch, rows, columns, inputs, outputs, ref status } = *self;
        let right = match task {
            Factoring::Solve { right, .. } => right,
            _ => 1,
        };
        // Products of two of these overflow nothing.
        let countable = [rows, columns, right].iter().all(|&extent| u32::try_from(extent).is_ok());
        let square = rows == columns || !task.is_square();
        refusal.unless(countable && square, || {
            format!("{task:?} of {rows} by {columns}: expected fewer than 2^32, and as many where it is of squares")
        })?;
        refusal.shape(&[batch, rows, columns, right])?;
        let real = matches!(dtype.part(), DType::F32 | DType::F64);
        refusal.unless(real, || format!("dtype: expected f32, f64, c64 or c128, got {dtype}"))?;
        let (taken, made) = self.sizes();
        let counts = (inputs.len(), outputs.len());
        refusal.unless(counts == (taken.len(), made.len()), || {
            format!("inputs and outputs: expected {:?}, got {counts:?}", (taken.len(), made.len()))
        })?;
        for (number, (view, &elements)) in inputs.iter().zip(&taken).enumerate() {
            let matrices = self.place(number, batch - 1) + 1;
            refusal.pieces(&format!("input {number}"), view, [matrices, elements], dtype)?;
        }
        let made = made.iter().zip(self.output_dtypes());
        for (number, (view, (&elements, dtype))) in outputs.iter().zip(made).enumerate() {
            refusal.pieces(&format!("output {number}"), view, [batch, elements], dtype)?;
        }
        refusal.pieces("status", status, [batch, 1], DType::I32)
    }
}
