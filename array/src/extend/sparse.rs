//! Products of sparse arrays by a vendor's library, for the crate of sparse arrays.

use ndany_core::backend::{Checked, SparseProduct};
use ndany_core::shape::{Layout, Shape};
use ndany_core::{DType, Error, Result};

use crate::buffer::Buffer;
use crate::graph::Array;
use crate::graph::node::Node;
use crate::launch_counts;

/// The parts of a sparse array of compressed rows.
#[derive(Clone, Copy, Debug)]
pub struct CompressedRows<'a> {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// Where each row begins and the last one ends. It begins with 0, does not decrease, and ends with the number of entries: the caller
    /// has checked it.
    pub indptr: &'a Array,
    /// The column of each entry, below the number of columns: the caller has checked it. Of the dtype of `indptr`.
    pub indices: &'a Array,
    /// The value of each entry.
    pub values: &'a Array,
}

/// An array in C order as a request takes it.
struct Packed {
    buffer: Buffer,
    offset: usize,
}

impl Packed {
    fn of(array: &Array) -> Result<Self> {
        let packed = array.packed()?;
        Ok(Self { buffer: packed.buffer()?, offset: packed.layout().offset })
    }
}

/// The product with a vector or a matrix by a library of the device, which adds in any order; nothing where the device has no library,
/// or where it refuses the dtypes or the product. Pending operands are computed first.
///
/// - **Shapes**: `(m, n), (n,) → (m,)`, `(m, n), (n, k) → (m, k)`; no extent is 0, and there are entries.
/// - **Dtypes**: values and `x` of one of float32, float64, complex64 and complex128; indices of int32 or int64.
/// - **Errors**: what fails on the device.
#[track_caller]
pub fn unordered_product(a: CompressedRows<'_>, x: &Array) -> Result<Option<Array>> {
    let CompressedRows { shape: [rows, columns], indptr, indices, values } = a;
    let (device, dtype, index_dtype) = (x.device(), x.dtype(), indices.dtype());
    let width = x.shape().get(1).copied();
    let extents = [rows, columns, indices.size(), width.unwrap_or(1)];
    let suits = matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128)
        && matches!(index_dtype, DType::I32 | DType::I64)
        && (values.dtype(), indptr.dtype()) == (dtype, index_dtype)
        && [indptr, indices, values].iter().all(|part| part.device() == device)
        && !extents.contains(&0);
    let Some(sparse) = device.backend().sparse().filter(|_| suits) else { return Ok(None) };
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
        indptr: indptr.buffer.packed(indptr.offset),
        indices: indices.buffer.packed(indices.offset),
        values: values.buffer.packed(values.offset),
        right: right.buffer.packed(right.offset),
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
