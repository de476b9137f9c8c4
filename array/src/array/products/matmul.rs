//! Matrix products.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::declare::array_functions;
use crate::graph::Operand;
use crate::graph::node::Node;
use crate::launch_counts;
use ndany_core::backend::{Checked, Matmul, StridedView};
use ndany_core::shape::{self, Layout, Shape, size_of};
use ndany_core::{DType, Error, Result};

array_functions! {
    checked matmul, free free_matmul;

    /// Returns the matrix product, as `np.matmul`.
    ///
    /// The last two axes are matrices, the others broadcast; a 1-d operand is a row or a column whose axis goes again. Integers
    /// wrap; 16-bit floats accumulate in float32. Floats are within `k` roundings of the exact sums; the order of summation is the
    /// device's.
    ///
    /// - **Shapes**: `(…, m, k), (…, k, n) → (…, m, n)`, `(k,), (k,) → ()`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: a 0-d operand, inner extents that differ, other axes that do not broadcast, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).matmul(&array([1, 1])).to_string(), "[3 7]");
    /// ```
    matmul / try_matmul (self, other: impl Into<Operand>) -> Array {
        const OP: &str = "matmul";
        let other = match other.into() {
            Operand::Array(array) => array,
            Operand::Scalar(_) => return Err(mismatch(self.shape(), &[])),
        };
        if self.device() != other.device() {
            let (left, right) = (self.device().name(), other.device().name());
            return Err(Error::TwoDevices { op: OP, left, right });
        }
        if self.ndim() == 0 || other.ndim() == 0 {
            return Err(mismatch(self.shape(), other.shape()));
        }
        let dtype = DType::promote(self.dtype(), other.dtype());
        let left = if self.ndim() == 1 { self.try_expand_dims(0)? } else { self.clone() };
        let right = if other.ndim() == 1 { other.try_expand_dims(1)? } else { other.clone() };
        let (outer_left, [m, k]) = split(left.shape());
        let (outer_right, [inner, n]) = split(right.shape());
        if k != inner {
            return Err(mismatch(self.shape(), other.shape()));
        }
        let batch = shape::broadcast(OP, outer_left, outer_right)?;
        let full = |rows: usize, columns: usize| -> Shape { batch.iter().copied().chain([rows, columns]).collect() };
        let shape = full(m, n);
        shape::checked_size(OP, &shape, dtype)?;
        let left = left.try_astype(dtype)?.broadcast_view(&full(m, k));
        let right = right.try_astype(dtype)?.broadcast_view(&full(k, n));
        launch_counts::count(|counts| &mut counts.operations);
        let outcome = multiply(&left, &right, &batch, [m, k, n], dtype);
        let product = Array::of_node(Node::done(OP, shape, dtype, self.device().clone(), outcome));
        let product = if self.ndim() == 1 { product.try_squeeze(-2)? } else { product };
        if other.ndim() == 1 { product.try_squeeze(-1) } else { Ok(product) }
    }
}

fn mismatch(left: &[usize], right: &[usize]) -> Error {
    Error::Shape {
        op: "matmul",
        expected: format!("a right operand whose rows are the columns of {left:?}"),
        got: right.into(),
    }
}

fn split(shape: &[usize]) -> (&[usize], [usize; 2]) {
    let (outer, inner) = shape.split_at(shape.len() - 2);
    (outer, [inner[0], inner[1]])
}

fn multiply(
    left: &Array,
    right: &Array,
    batch: &Shape,
    [m, k, n]: [usize; 3],
    dtype: DType,
) -> Result<Buffer> {
    let device = left.device();
    let size = size_of(batch) * m * n;
    if size > 0 && k == 0 {
        // Sums over nothing.
        let _guard = device.enter();
        let shape: Shape = batch.iter().copied().chain([m, n]).collect();
        return crate::array::try_zeros(shape.as_slice(), dtype)?.buffer();
    }
    if size == 0 {
        return Buffer::allocate("matmul", device.backend(), 0);
    }
    let (left_buffer, right_buffer) = (left.buffer()?, right.buffer()?);
    let out = Buffer::allocate("matmul", device.backend(), size * dtype.size())?;
    let out_layout = Layout::contiguous(&batch.iter().copied().chain([m, n]).collect::<Shape>());
    let product = Matmul {
        batch: batch.clone(),
        m,
        k,
        n,
        left: place(&left_buffer, dtype, left.layout()),
        right: place(&right_buffer, dtype, right.layout()),
        out: place(&out, dtype, &out_layout),
    };
    launch_counts::count(|counts| &mut counts.products);
    let span = crate::spans::launch_of(device.backend(), "matmul", &[m, k, n]);
    let multiplied = Checked::new(&product).and_then(|product| device.backend().matmul(product));
    drop(span);
    multiplied.map_err(|error| error.of_memory_for("matmul"))?;
    drop(product);
    Ok(out)
}

fn place<'a>(buffer: &'a Buffer, dtype: DType, layout: &Layout) -> StridedView<'a> {
    StridedView {
        memory: buffer.memory(),
        dtype,
        offset: layout.offset,
        strides: layout.strides.clone(),
    }
}

#[cfg(test)]
mod tests {
    use crate::checked::eye as try_eye;
    use crate::{Array, DType, Device, Result, zeros};

    fn class(result: Result<Array>) -> &'static str {
        result.map_or_else(|error| error.class(), |_| "no error")
    }

    #[test]
    fn views_too_large_in_a_wider_dtype_are_errors() {
        let _guard = Device::open("reference").expect("always there").enter();
        // 2^62 bytes as they are, 2^63 in float64, in which they are multiplied.
        let view = |dtype: DType, shape: [usize; 2]| zeros((), dtype).broadcast_to(shape);
        let (left, right) = (view(DType::I32, [1, 1 << 60]), view(DType::F32, [1 << 60, 1]));
        assert_eq!(class(left.try_matmul(&right)), "ValueError");
        assert_eq!(class(left.try_dot(&right)), "ValueError");
    }

    #[test]
    fn diagonals_too_large_are_errors() {
        let _guard = Device::open("reference").expect("always there").enter();
        for (rows, columns) in [(1 << 60, 1), (1 << 62, 0), (usize::MAX, usize::MAX)] {
            let error = class(try_eye(crate::arguments::Eye::of(rows, columns, 0, DType::Bool)));
            assert_eq!(error, "ValueError", "{rows} by {columns}");
        }
    }
}
