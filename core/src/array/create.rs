//! Making arrays: from Rust values, filled, and numerical ranges.

use std::panic::Location;

use super::Array;
use crate::backend::Buffer;
use crate::device::Device;
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::graph;
use crate::graph::node::{Expr, Node};
use crate::scalar::Scalar;
use crate::shape::{self, Shape};
use crate::twins::expect;

/// What names a shape: an extent, an array, slice or tuple of extents.
pub trait IntoShape {
    /// The extents.
    fn into_shape(self) -> Shape;
}

impl IntoShape for usize {
    fn into_shape(self) -> Shape {
        Shape::from_slice(&[self])
    }
}
impl IntoShape for () {
    fn into_shape(self) -> Shape {
        Shape::new()
    }
}
impl IntoShape for &[usize] {
    fn into_shape(self) -> Shape {
        Shape::from_slice(self)
    }
}
impl IntoShape for Vec<usize> {
    fn into_shape(self) -> Shape {
        Shape::from_vec(self)
    }
}
impl<const N: usize> IntoShape for [usize; N] {
    fn into_shape(self) -> Shape {
        Shape::from_slice(&self)
    }
}
impl<const N: usize> IntoShape for &[usize; N] {
    fn into_shape(self) -> Shape {
        Shape::from_slice(self)
    }
}
impl IntoShape for (usize,) {
    fn into_shape(self) -> Shape {
        Shape::from_slice(&[self.0])
    }
}
impl IntoShape for (usize, usize) {
    fn into_shape(self) -> Shape {
        Shape::from_slice(&[self.0, self.1])
    }
}
impl IntoShape for (usize, usize, usize) {
    fn into_shape(self) -> Shape {
        Shape::from_slice(&[self.0, self.1, self.2])
    }
}

impl Array {
    /// An array of a dtype and shape from the bytes of its elements, little-endian, in C order.
    ///
    /// # Errors
    /// The bytes do not fill the shape; the shape is too large; the device has no memory left.
    #[track_caller]
    pub fn from_bytes(
        dtype: DType,
        shape: &[usize],
        bytes: &[u8],
        device: &Device,
    ) -> Result<Array> {
        let size = shape::checked_size("from_bytes", shape, dtype)?;
        if bytes.len() != size * dtype.size() {
            let len = bytes.len() / dtype.size();
            return Err(Error::Length { op: "from_bytes", len, shape: shape.into() });
        }
        let buffer = Buffer::allocate("from_bytes", device.backend(), bytes.len())?;
        device.backend().write(buffer.memory(), bytes)?;
        let shape = Shape::from_slice(shape);
        let node = Node::done("from_bytes", shape, dtype, device.clone(), Ok(buffer));
        Ok(Array::of_node(node))
    }

    /// An array of this shape from values in C order, on the thread's current device.
    ///
    /// # Errors
    /// As [`Array::from_bytes`].
    #[track_caller]
    pub fn try_from_slice<T: Element>(values: &[T], shape: impl IntoShape) -> Result<Array> {
        let shape = shape.into_shape();
        if values.len() != shape::checked_size("from_slice", &shape, T::DTYPE)? {
            let (len, shape) = (values.len(), shape.as_slice().into());
            return Err(Error::Length { op: "from_slice", len, shape });
        }
        let size = T::DTYPE.size();
        let mut bytes = vec![0; values.len() * size];
        for (value, bytes) in values.iter().zip(bytes.chunks_exact_mut(size)) {
            value.write(bytes);
        }
        Array::from_bytes(T::DTYPE, &shape, &bytes, &Device::current())
    }

    /// [`Array::try_from_slice`], panicking.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from_slice(&[1, 2, 3, 4, 5, 6], (2, 3));
    /// assert_eq!(a.shape(), [2, 3]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`Array::try_from_slice`] errs.
    #[track_caller]
    pub fn from_slice<T: Element>(values: &[T], shape: impl IntoShape) -> Array {
        expect(Array::try_from_slice(values, shape))
    }

    /// A 0-d array of one value.
    #[track_caller]
    pub fn scalar(value: impl Into<Scalar>) -> Array {
        let scalar = value.into();
        expect(try_full((), scalar, scalar.natural_dtype()))
    }
}

impl<T: Element> From<Vec<T>> for Array {
    #[track_caller]
    fn from(values: Vec<T>) -> Self {
        Array::from_slice(&values, values.len())
    }
}
impl<T: Element> From<&[T]> for Array {
    #[track_caller]
    fn from(values: &[T]) -> Self {
        Array::from_slice(values, values.len())
    }
}
impl<T: Element, const N: usize> From<[T; N]> for Array {
    #[track_caller]
    fn from(values: [T; N]) -> Self {
        Array::from_slice(&values, N)
    }
}
impl<T: Element, const M: usize, const N: usize> From<[[T; N]; M]> for Array {
    #[track_caller]
    fn from(values: [[T; N]; M]) -> Self {
        Array::from_slice(values.as_flattened(), [M, N])
    }
}
impl<T: Element, const L: usize, const M: usize, const N: usize> From<[[[T; N]; M]; L]> for Array {
    #[track_caller]
    fn from(values: [[[T; N]; M]; L]) -> Self {
        Array::from_slice(values.as_flattened().as_flattened(), [L, M, N])
    }
}

/// A new array of this shape filled with `value`, as `np.full`; takes no memory until it is needed.
///
/// # Panics
/// Where [`try_full`] errs.
#[track_caller]
pub fn full(shape: impl IntoShape, value: impl Into<Scalar>, dtype: DType) -> Array {
    expect(try_full(shape, value, dtype))
}

/// [`full`], with a shape too large or a weak integer out of range as errors.
#[track_caller]
pub fn try_full(shape: impl IntoShape, value: impl Into<Scalar>, dtype: DType) -> Result<Array> {
    filled("full", shape.into_shape(), value.into(), dtype)
}

#[track_caller]
fn filled(op: &'static str, shape: Shape, value: Scalar, dtype: DType) -> Result<Array> {
    shape::checked_size(op, &shape, dtype)?;
    let constant = graph::constant(op, &value, dtype)?;
    Ok(graph::submit(shape, dtype, Device::current(), Location::caller(), Expr::Fill(constant)))
}

/// Zeros, as `np.zeros`.
///
/// # Panics
/// Where [`try_zeros`] errs.
#[track_caller]
pub fn zeros(shape: impl IntoShape, dtype: DType) -> Array {
    expect(try_zeros(shape, dtype))
}

/// [`zeros`], with a shape that is too large as an error.
#[track_caller]
pub fn try_zeros(shape: impl IntoShape, dtype: DType) -> Result<Array> {
    filled("zeros", shape.into_shape(), Scalar::from(false), dtype)
}

/// Ones, as `np.ones`.
///
/// # Panics
/// Where [`try_ones`] errs.
#[track_caller]
pub fn ones(shape: impl IntoShape, dtype: DType) -> Array {
    expect(try_ones(shape, dtype))
}

/// [`ones`], with a shape that is too large as an error.
#[track_caller]
pub fn try_ones(shape: impl IntoShape, dtype: DType) -> Result<Array> {
    filled("ones", shape.into_shape(), Scalar::from(true), dtype)
}

/// Ones on a diagonal, zeros elsewhere, as `np.eye`.
///
/// # Panics
/// Where [`try_eye`] errs.
#[track_caller]
pub fn eye(rows: usize, columns: usize, diagonal: isize, dtype: DType) -> Array {
    expect(try_eye(rows, columns, diagonal, dtype))
}

/// [`eye`], with errors as values.
#[track_caller]
pub fn try_eye(rows: usize, columns: usize, diagonal: isize, dtype: DType) -> Result<Array> {
    shape::checked_size("eye", &[rows, columns], dtype)?;
    let row = super::try_arange(0, rows, 1, Some(DType::I64))?.i((.., super::NewAxis));
    let column = super::try_arange(0, columns, 1, Some(DType::I64))?;
    Ok((row + diagonal).equal(column).astype(dtype))
}

/// The identity matrix, as `np.identity`.
///
/// # Panics
/// The matrix is too large.
#[track_caller]
pub fn identity(size: usize, dtype: DType) -> Array {
    eye(size, size, 0, dtype)
}
