//! The capability of sparse products that are not bound to an order of additions: a vendor's library does them.
//!
//! A device may lack it, and a library may refuse a product; then the caller multiplies by kernels of its own, whose order is promised.
//! Results carry a bound, not promised bits, and may differ from run to run.
//!
//! Deliberately absent: products of two sparse arrays, and of the transposed array, which libraries add by atomics.

use std::fmt::Debug;

use super::checked::{Check, Refusal};
use super::{Checked, ContiguousView};
use crate::dtype::DType;
use crate::error::Result;

/// A sparse array of compressed rows times a dense vector or matrix. No extent is 0.
///
/// No check reads positions: that `indptr` begins with 0, does not decrease and ends with the number of entries, and that indices are
/// below the number of columns, is of the rules of [`Provider::open`](crate::Provider::open).
#[derive(Clone, Copy, Debug)]
pub struct SparseProduct<'a> {
    /// Of all values: F32, F64, C64 or C128.
    pub dtype: DType,
    /// Of `indptr` and `indices`: I32 or I64.
    pub index_dtype: DType,
    /// Rows of the array.
    pub rows: usize,
    /// Its columns, and the rows of the right operand.
    pub columns: usize,
    /// Its entries.
    pub entries: usize,
    /// Columns of the right operand; nothing where it is a vector.
    pub width: Option<usize>,
    /// Where each row begins and the last one ends: an element more than rows.
    pub indptr: ContiguousView<'a>,
    /// The column of each entry.
    pub indices: ContiguousView<'a>,
    /// The value of each entry.
    pub values: ContiguousView<'a>,
    /// The right operand, row by row.
    pub right: ContiguousView<'a>,
    /// The result, in the order of [`SparseProducts::writes_columns`].
    pub out: ContiguousView<'a>,
}

impl SparseProduct<'_> {
    /// Columns of the right operand.
    pub fn lanes(&self) -> usize {
        self.width.unwrap_or(1)
    }
}

/// A device whose libraries multiply sparse arrays.
pub trait SparseProducts: Debug {
    /// Whether a result that is a matrix lies column by column.
    fn writes_columns(&self) -> bool;

    /// Multiplies; `false` where there is no library, or it refuses such a product. Then nothing is done.
    fn multiply(&self, product: Checked<&SparseProduct<'_>>) -> Result<bool>;
}

impl Check for SparseProduct<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("matmul");
        let Self { dtype, index_dtype, rows, columns, entries, .. } = *self;
        let lanes = self.lanes();
        refusal.shape(&[rows, lanes])?;
        refusal.shape(&[columns, lanes])?;
        refusal.shape(&[entries])?;
        refusal.unless(dtype.part().is_float() && dtype.part().size() >= 4, || {
            format!("dtype of values: expected f32, f64, c64 or c128, got {dtype}")
        })?;
        refusal.unless(matches!(index_dtype, DType::I32 | DType::I64), || {
            format!("dtype of indices: expected i32 or i64, got {index_dtype}")
        })?;
        refusal.pieces("indptr", &self.indptr, [1, rows.saturating_add(1)], index_dtype)?;
        refusal.pieces("indices", &self.indices, [1, entries], index_dtype)?;
        refusal.pieces("values", &self.values, [1, entries], dtype)?;
        refusal.pieces("right", &self.right, [columns, lanes], dtype)?;
        refusal.pieces("out", &self.out, [rows, lanes], dtype)
    }
}
