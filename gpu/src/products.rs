//! Plans matrix products on a vendor's library: which of them it can do, as they lie.
//!
//! A library wants each matrix row by row or column by column, and one step from a product of the batch to the next.
//! Batches that step otherwise (broadcast along some axes) are several calls. What does not fit at all is left to the
//! project's own kernel, and nothing is copied.

use std::sync::Arc;

use ndany_core::backend::{Matmul, StridedView};
use ndany_core::shape::Strides;
use ndany_core::{DType, Result};

use crate::blas::{Blas, Gemm, Matrix};
use crate::graph::LibraryCall;
use crate::job::Job;
use crate::operand::Operand;

/// Most calls for one product: beyond, one launch of the own kernel is quicker.
const MOST_CALLS: usize = 256;

/// The calls that make a product; none if a library cannot.
pub(crate) fn plan(product: &Matmul<'_>, tf32: bool) -> Vec<Gemm> {
    let operand = |place: &StridedView<'_>| {
        let operand = Operand::new(place);
        (operand.address, operand.strides)
    };
    let operands = [&product.left, &product.right, &product.out].map(operand);
    calls(&product.batch, [product.m, product.k, product.n], product.out.dtype, &operands, tf32)
}

/// Runs them.
pub(crate) fn run(job: &Job<'_>, blas: &Arc<dyn Blas>, gemms: Vec<Gemm>) -> Result<()> {
    let workspace = job.scratch(blas.workspace())?;
    for gemm in gemms {
        let gemm = Gemm { workspace: workspace.address(), ..gemm };
        job.runtime.library(&LibraryCall::Product { blas: blas.clone(), gemm })?;
    }
    Ok(())
}

/// Addresses and strides of left, right and out over batch, rows, columns.
fn calls(
    batch: &[usize],
    [m, k, n]: [usize; 3],
    dtype: DType,
    operands: &[(u64, Strides); 3],
    tf32: bool,
) -> Vec<Gemm> {
    if !(dtype.is_float() || dtype.is_complex()) {
        return Vec::new();
    }
    let extents = [[m, k], [k, n], [m, n]];
    let matrix = |which: usize| {
        let (address, strides) = &operands[which];
        lie(*address, extents[which], [strides[batch.len()], strides[batch.len() + 1]])
    };
    let (Some(left), Some(right), Some(out)) = (matrix(0), matrix(1), matrix(2)) else {
        return Vec::new();
    };
    if out.transposed {
        return Vec::new();
    }
    // The trailing axes that one step walks through for all three operands.
    let mut first = batch.len();
    let mut inner = 1;
    let mut steps = [0isize; 3];
    while first > 0 {
        let here = [0, 1, 2].map(|which| operands[which].1[first - 1]);
        let fits = inner == 1 || (0..3).all(|which| here[which] == steps[which] * inner as isize);
        if !fits {
            break;
        }
        if inner == 1 {
            steps = here;
        }
        inner *= batch[first - 1];
        first -= 1;
    }
    let count: usize = batch[..first].iter().product();
    if count > MOST_CALLS || steps.iter().any(|&step| step < 0) {
        return Vec::new();
    }
    let gemm = |position: usize| {
        let mut offsets = [0isize; 3];
        let mut rest = position;
        for axis in (0..first).rev() {
            let at = (rest % batch[axis]) as isize;
            rest /= batch[axis];
            for (offset, (_, strides)) in offsets.iter_mut().zip(operands) {
                *offset += at * strides[axis];
            }
        }
        let [left, right, out] = [(left, 0), (right, 1), (out, 2)].map(|(matrix, which)| {
            let bytes = offsets[which] * dtype.size() as isize;
            let address = matrix.address.wrapping_add_signed(bytes as i64);
            Matrix { address, step: steps[which] as usize, ..matrix }
        });
        Gemm { dtype, m, k, n, batch: inner, left, right, out, workspace: 0, tf32 }
    };
    (0..count).map(gemm).collect()
}

/// How a matrix lies, if it lies row by row or column by column.
fn lie(address: u64, [rows, columns]: [usize; 2], [down, across]: [isize; 2]) -> Option<Matrix> {
    let by_rows = |rows: usize, columns: usize, down: isize, across: isize| {
        // A step along an axis of one element says nothing.
        let neighbours = across == 1 || columns == 1;
        match usize::try_from(down) {
            _ if !neighbours => None,
            _ if rows == 1 => Some(columns),
            Ok(leading) if leading >= columns => Some(leading),
            _ => None,
        }
    };
    let found = |leading: Option<usize>, transposed: bool| {
        leading.map(|leading| Matrix { address, leading, step: 0, transposed })
    };
    found(by_rows(rows, columns, down, across), false)
        .or_else(|| found(by_rows(columns, rows, across, down), true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(address: u64, strides: &[isize]) -> (u64, Strides) {
        (address, Strides::from_slice(strides))
    }

    #[test]
    fn matrices_lie_by_rows_or_by_columns_or_neither() {
        let lies = |extents, strides| {
            lie(0, extents, strides).map(|matrix| (matrix.leading, matrix.transposed))
        };
        assert_eq!(lies([3, 4], [4, 1]), Some((4, false)));
        assert_eq!(lies([3, 4], [10, 1]), Some((10, false)));
        assert_eq!(lies([3, 4], [1, 3]), Some((3, true)));
        // A row, a column, and one element, whatever the strides of axes of extent 1.
        assert_eq!(lies([1, 4], [0, 1]), Some((4, false)));
        assert_eq!(lies([3, 1], [1, 0]), Some((1, false)));
        assert_eq!(lies([3, 1], [7, -5]), Some((7, false)));
        assert_eq!(lies([1, 4], [9, 3]), Some((3, true)));
        assert_eq!(lies([1, 1], [0, 0]), Some((1, false)));
        // Every other column, rows from the last, one row for all, one column for all.
        assert_eq!(lies([3, 4], [8, 2]), None);
        assert_eq!(lies([3, 4], [-4, 1]), None);
        assert_eq!(lies([3, 4], [0, 1]), None);
        assert_eq!(lies([3, 4], [1, 0]), None);
    }

    #[test]
    fn a_batch_of_one_step_is_one_call() {
        let operands = [
            operand(1000, &[24, 12, 4, 1]),
            operand(2000, &[0, 0, 1, 4]),
            operand(3000, &[30, 15, 5, 1]),
        ];
        let calls = calls(&[7, 2], [3, 4, 5], DType::F32, &operands, false);
        let [gemm] = calls.as_slice() else { panic!("{} calls", calls.len()) };
        assert_eq!((gemm.batch, gemm.left.step, gemm.right.step, gemm.out.step), (14, 12, 0, 15));
        assert_eq!((gemm.left.leading, gemm.right.leading, gemm.out.leading), (4, 4, 5));
        assert_eq!([gemm.left.transposed, gemm.right.transposed], [false, true]);
    }

    #[test]
    fn a_batch_of_several_steps_is_several_calls() {
        // The left varies along the first axis only, the right along the second.
        let operands = [
            operand(1000, &[12, 0, 4, 1]),
            operand(2000, &[0, 20, 5, 1]),
            operand(3000, &[30, 15, 5, 1]),
        ];
        let found = calls(&[3, 2], [3, 4, 5], DType::F64, &operands, false);
        let addresses: Vec<[u64; 3]> = found
            .iter()
            .map(|gemm| [gemm.left.address, gemm.right.address, gemm.out.address])
            .collect();
        assert_eq!(addresses, [[1000, 2000, 3000], [1096, 2000, 3240], [1192, 2000, 3480]]);
        assert!(found.iter().all(|gemm| (gemm.batch, gemm.right.step) == (2, 20)));
        assert_eq!(calls(&[1000, 2], [3, 4, 5], DType::F64, &operands, false), []);
        assert_eq!(calls(&[3, 2], [3, 4, 5], DType::I64, &operands, false), []);
    }
}
