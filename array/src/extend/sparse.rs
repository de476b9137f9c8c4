//! Products of sparse arrays by a vendor's library, for the crate of sparse arrays.

use ndany_core::backend::{Checked, ContiguousView, SparseProduct};
use ndany_core::shape::{Layout, Shape};
use ndany_core::{DType, Error, Result};

use crate::buffer::Buffer;
use crate::graph::node::{Constant, Node};
use crate::graph::{Array, filled};
use crate::{launch_counts, s};

/// The places of the entries of a sparse array of compressed rows, which are within its shape: a library reads and writes by them.
#[derive(Clone, Debug)]
pub struct CheckedRows {
    pub(super) shape: [usize; 2],
    pub(super) indptr: Array,
    pub(super) indices: Array,
}

impl CheckedRows {
    /// Checks the places on their device, and reads the outcome. `indptr` says where each of the rows begins and the last one ends,
    /// `indices` has the column of each entry.
    ///
    /// - **Shapes**: `(rows + 1,), (n,)`.
    /// - **Dtypes**: int32 or int64, both the same.
    /// - **Errors**: other shapes or dtypes, another device, places out of the shape, rows that do not follow each other, and what
    ///   fails on the device.
    #[track_caller]
    pub fn new(shape: [usize; 2], indptr: &Array, indices: &Array) -> Result<Self> {
        let refused = |reason: &str| {
            Err(Error::ArgumentValue { op: "matmul".to_string(), reason: reason.to_string() })
        };
        let dtype = indices.dtype();
        if indptr.dtype() != dtype || !matches!(dtype, DType::I32 | DType::I64) {
            return refused("indices are of int32 or int64, all the same");
        }
        if indptr.device() != indices.device() {
            return refused("indptr and indices lie on one device");
        }
        if indptr.shape() != [shape[0] + 1] || indices.ndim() != 1 {
            return refused(
                "indptr has one element more than there are rows, and indices has one axis",
            );
        }
        // Columns and entries are counted in int64: int32 may not hold how many there are.
        let [begins, columns] = [indptr, indices].map(|part| part.astype(DType::I64));
        let rows = begins
            .i(0)
            .not_equal(0)
            .logical_or(begins.i(-1).not_equal(indices.size() as i64))
            .logical_or(begins.diff(..).less(0).any(..));
        let places = columns.less(0).logical_or(columns.greater_equal(shape[1] as i64)).any(..);
        // Both in one number, so that the device is waited for once.
        let wrong = (rows.astype(DType::I64) + places.astype(DType::I64) * 2).item::<i64>()?;
        if wrong & 1 != 0 {
            return refused(
                "indptr begins with 0, does not decrease, and ends with the number of entries",
            );
        }
        if wrong != 0 {
            return refused("indices are below the number of columns and not negative");
        }
        Ok(Self { shape, indptr: indptr.clone(), indices: indices.clone() })
    }

    /// Whether the columns of each row rise. Reads the outcome.
    #[track_caller]
    pub(super) fn rise(&self) -> Result<bool> {
        let count = self.indices.size();
        if count < 2 {
            return Ok(true);
        }
        let device = self.indices.device();
        let _guard = device.enter();
        // Rows that begin behind the last entry are empty.
        let no = Constant { dtype: DType::Bool, bits: [0; 2] };
        let mut begins = filled(Shape::from_slice(&[count + 1]), no, device.clone());
        begins.put(&self.indptr, true, ..);
        let falls = self.indices.diff(..).less_equal(0);
        let begins = begins.i(s![1..count as isize]);
        Ok(!falls.logical_and(begins.logical_not()).any(..).item::<bool>()?)
    }
}

/// An array in C order as a request takes it.
pub(super) struct Packed {
    buffer: Buffer,
    offset: usize,
}

impl Packed {
    pub(super) fn of(array: &Array) -> Result<Self> {
        let packed = array.packed()?;
        Ok(Self { buffer: packed.buffer()?, offset: packed.layout().offset })
    }

    pub(super) fn view(&self) -> ContiguousView<'_> {
        self.buffer.packed(self.offset)
    }
}

/// The product with a vector or a matrix by a library of the device, which adds in any order; nothing where the device has no library,
/// or where it refuses the dtypes or the product. Pending operands are computed first. `rows` is called where there is a library.
///
/// - **Shapes**: `(m, n), (n,) → (m,)`, `(m, n), (n, k) → (m, k)`; `values` has one for each entry. No extent is 0, and there are entries.
/// - **Dtypes**: values and `x` of one of float32, float64, complex64 and complex128.
/// - **Errors**: what fails on the device, and what `rows` returns.
#[track_caller]
pub fn unordered_product<'a>(
    rows: impl FnOnce() -> Result<&'a CheckedRows>,
    values: &Array,
    x: &Array,
) -> Result<Option<Array>> {
    let (device, dtype) = (x.device(), x.dtype());
    let suits = matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128)
        && (values.dtype(), values.device()) == (dtype, device);
    let Some(sparse) = device.backend().sparse().filter(|_| suits) else { return Ok(None) };
    let CheckedRows { shape: [rows, columns], indptr, indices } = rows()?;
    let (rows, columns, index_dtype) = (*rows, *columns, indices.dtype());
    let width = x.shape().get(1).copied();
    let extents = [rows, columns, indices.size(), width.unwrap_or(1)];
    let meet = indices.device() == device
        && values.shape() == indices.shape()
        && (1..=2).contains(&x.ndim())
        && x.shape()[0] == columns;
    if !meet || extents.contains(&0) {
        return Ok(None);
    }
    let [indptr, indices, values, right] = [indptr, indices, values, x].map(Packed::of);
    let (indptr, indices, values, right) = (indptr?, indices?, values?, right?);
    let shape = match width {
        None => Shape::from_slice(&[rows]),
        Some(width) if sparse.writes_columns() => Shape::from_slice(&[width, rows]),
        Some(width) => Shape::from_slice(&[rows, width]),
    };
    let op = "matmul";
    let size = ndany_core::shape::checked_size(op, &shape, dtype)?;
    let of_memory = |error: Error| error.of_memory_for(op);
    let out = Buffer::allocate(op, device.backend(), size * dtype.size())?;
    let layout = Layout::contiguous(&shape);
    let product = SparseProduct {
        dtype,
        index_dtype,
        rows,
        columns,
        entries: extents[2],
        width,
        indptr: indptr.view(),
        indices: indices.view(),
        values: values.view(),
        right: right.view(),
        out: out.packed(0),
    };
    let span = crate::spans::launch_of(device.backend(), op, &extents);
    let multiplied = Checked::new(&product).and_then(|product| sparse.multiply(product));
    drop(span);
    if !multiplied.map_err(of_memory)? {
        return Ok(None);
    }
    launch_counts::count(|counts| &mut counts.products);
    let made = Array::of_node(Node::done(op, layout.shape, dtype, device.clone(), Ok(out)));
    Ok(Some(if width.is_some() && sparse.writes_columns() { made.t() } else { made }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_outside_of_their_array_are_refused() {
        let of = |values: &[i32]| Array::from(values);
        let checked = |indptr: &[i32], indices: &[i32]| {
            CheckedRows::new([3, 4], &of(indptr), &of(indices)).map(drop)
        };
        assert!(checked(&[0, 2, 2, 3], &[3, 0, 1]).is_ok());
        assert!(checked(&[0, 0, 0, 0], &[]).is_ok());
        for (indptr, indices) in [
            (&[0, 2, 2, 3][..], &[4, 0, 1][..]),
            (&[0, 2, 2, 3], &[0, -1, 1]),
            (&[0, 2, 1, 3], &[0, 1, 1]),
            (&[1, 2, 2, 3], &[0, 1, 1]),
            (&[0, 2, 2, 4], &[0, 1, 1]),
            (&[0, 2, 3], &[0, 1, 1]),
        ] {
            let refused = checked(indptr, indices).expect_err("places are wrong");
            assert!(refused.to_string().contains("[matmul]"), "{refused}");
        }
        let wide = of(&[0, 2, 2, 3]).astype(DType::I64);
        assert!(CheckedRows::new([3, 4], &wide, &of(&[0, 1, 1])).is_err());
    }
}
