//! The capability of direct solvers of sparse systems: a vendor's library factorizes an array on the device, and solves by its factors.
//!
//! A device may lack it, and a library may refuse an array; then the caller factorizes it otherwise. Results carry a bound, not promised
//! bits. Such libraries choose pivots within a part of the array alone, so what a factor is good for is the caller's to check.
//!
//! Deliberately absent: batches, and right sides that are sparse.

use std::fmt::Debug;
use std::sync::Arc;

use super::checked::{Check, Refusal};
use super::{Checked, ContiguousView};
use crate::dtype::DType;
use crate::error::Result;

/// What checks say that they refuse.
const REFUSAL: Refusal = Refusal("splu");

/// A square sparse array of compressed rows. No extent is 0.
///
/// No check reads positions: that `indptr` begins with 0, does not decrease and ends with the number of entries, that indices are
/// below the number of rows, and that those of a row rise, is of the rules of [`Provider::open`](crate::Provider::open).
#[derive(Clone, Copy, Debug)]
pub struct SparseMatrix<'a> {
    /// Of the values: F64 or C128.
    pub dtype: DType,
    /// Of `indptr` and `indices`: I32 or I64.
    pub index_dtype: DType,
    /// Rows, and columns.
    pub rows: usize,
    /// Entries.
    pub entries: usize,
    /// Where each row begins and the last one ends: an element more than rows.
    pub indptr: ContiguousView<'a>,
    /// The column of each entry.
    pub indices: ContiguousView<'a>,
    /// The value of each entry.
    pub values: ContiguousView<'a>,
}

/// Systems of equations of one array.
#[derive(Clone, Copy, Debug)]
pub struct SparseSystem<'a> {
    /// The array that was analyzed, with these or other values.
    pub matrix: SparseMatrix<'a>,
    /// The number of the values: those of one number are the same, and are factorized once.
    pub values: u64,
    /// Whether the array is transposed, and conjugated.
    pub is_adjoint: bool,
    /// Right sides.
    pub columns: usize,
    /// The right sides, one after the other, of the dtype of the values.
    pub right: ContiguousView<'a>,
    /// The solutions, likewise.
    pub out: ContiguousView<'a>,
}

/// A device whose library factorizes sparse arrays.
pub trait DirectSolver: Debug {
    /// Whether the library is there and may be asked now. Opens it at the first call.
    fn is_there(&self) -> Result<bool>;

    /// Analyzes the places of an array; nothing where there is no library, or it refuses such an array.
    fn analyze(&self, matrix: Checked<&SparseMatrix<'_>>) -> Result<Option<Arc<dyn SparseFactor>>>;
}

/// An array that was analyzed, and the factors of the values that were factorized last.
pub trait SparseFactor: Debug + Send + Sync {
    /// Solves systems; factorizes the array first where its values are others than before. `false` where the library refuses it, or met
    /// a pivot that it had to replace. Then `out` says nothing.
    ///
    /// The request's memory is of the device that made it, and its places are those that were analyzed.
    fn solve(&self, system: Checked<&SparseSystem<'_>>) -> Result<bool>;
}

impl Check for SparseMatrix<'_> {
    fn check(&self) -> Result<()> {
        let Self { dtype, index_dtype, rows, entries, .. } = *self;
        REFUSAL.shape(&[rows])?;
        REFUSAL.shape(&[entries])?;
        REFUSAL.unless(matches!(dtype, DType::F64 | DType::C128), || {
            format!("dtype of values: expected f64 or c128, got {dtype}")
        })?;
        REFUSAL.unless(matches!(index_dtype, DType::I32 | DType::I64), || {
            format!("dtype of indices: expected i32 or i64, got {index_dtype}")
        })?;
        REFUSAL.pieces("indptr", &self.indptr, [1, rows.saturating_add(1)], index_dtype)?;
        REFUSAL.pieces("indices", &self.indices, [1, entries], index_dtype)?;
        REFUSAL.pieces("values", &self.values, [1, entries], dtype)
    }
}

impl Check for SparseSystem<'_> {
    fn check(&self) -> Result<()> {
        self.matrix.check()?;
        let SparseMatrix { dtype, rows, .. } = self.matrix;
        REFUSAL.shape(&[self.columns, rows])?;
        REFUSAL.pieces("right", &self.right, [self.columns, rows], dtype)?;
        REFUSAL.pieces("out", &self.out, [self.columns, rows], dtype)
    }
}
