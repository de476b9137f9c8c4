//! Making arrays: from Rust values, and filled. Ranges are in `ranges`, grids in `grids`.

use crate::arguments::options::*;
use crate::arguments::{Arange, Creation, Eye, IntoShape, ShapeOptions};
use crate::array::{Array, Order};
use crate::buffer::Buffer;
use crate::declare::{array_functions, expect, functions};
use crate::device::Device;
use crate::element::Element;
use crate::graph;
use crate::graph::node::{Constant, Expr, Fill, Node};
use crate::scalar::Scalar;
use ndany_core::shape::{self, Shape};
use ndany_core::{CallSite, DType, Error, Result};

impl Array {
    /// Makes an array from the bytes of its elements, little-endian and in C order, as `np.frombuffer` and `reshape`.
    ///
    /// Booleans are the bytes 0 and 1; any other byte counts as true and is stored as 1.
    ///
    /// - **Shapes**: `bytes → shape`.
    /// - **Dtypes**: the given one.
    /// - **Errors**: bytes that do not fill the shape, a shape that is too large, no memory left on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = Array::from_bytes(U16, &[2], &[1, 0, 2, 0], &Device::current())?;
    /// assert_eq!(a.to_string(), "[1 2]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
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
        match dtype == DType::Bool && bytes.iter().any(|&byte| byte > 1) {
            // Programs compute with booleans as they are stored, so other bytes would count as themselves.
            true => {
                let truths: Vec<u8> = bytes.iter().map(|&byte| u8::from(byte != 0)).collect();
                device.backend().write(buffer.memory(), &truths)?;
            }
            false => device.backend().write(buffer.memory(), bytes)?,
        }
        let shape = Shape::from_slice(shape);
        let node = Node::done("from_bytes", shape, dtype, device.clone(), Ok(buffer));
        Ok(Array::of_node(node))
    }

    /// Makes an array of a shape from values in C order on the thread's current device, as `np.array(…).reshape`.
    ///
    /// The CPU takes the memory over as it is; other devices copy.
    ///
    /// - **Shapes**: `values → shape`.
    /// - **Dtypes**: that of the Rust type.
    /// - **Errors**: values that do not fill the shape, a shape that is too large, no memory left on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = Array::try_from_vec(vec![1, 2, 3, 4], (2, 2))?;
    /// assert_eq!(a.to_string(), "[[1 2]\n [3 4]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn try_from_vec<T: Element>(values: Vec<T>, shape: impl IntoShape) -> Result<Array> {
        const OP: &str = "from_vec";
        let shape = shape.into_shape().extents(OP)?;
        if values.len() != shape::checked_size(OP, &shape, T::DTYPE)? {
            let (len, shape) = (values.len(), shape.as_slice().into());
            return Err(Error::Length { op: OP, len, shape });
        }
        let device = Device::current();
        let buffer = Buffer::of_values(OP, device.backend(), values)?;
        Ok(Array::of_node(Node::done(OP, shape, T::DTYPE, device, Ok(buffer))))
    }

    /// Makes an array of a shape from values in C order on the thread's current device, as `np.array(…).reshape`.
    ///
    /// - **Shapes**: `values → shape`.
    /// - **Dtypes**: that of the Rust type.
    /// - **Errors**: values that do not fill the shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = Array::from_vec(vec![1, 2, 3, 4], (2, 2));
    /// assert_eq!(a.to_string(), "[[1 2]\n [3 4]]");
    /// ```
    ///
    /// # Panics
    /// Where [`Array::try_from_vec`] errs.
    #[track_caller]
    pub fn from_vec<T: Element>(values: Vec<T>, shape: impl IntoShape) -> Array {
        expect(Array::try_from_vec(values, shape))
    }

    /// Makes an array of a shape from a copy of values in C order on the thread's current device.
    ///
    /// - **Shapes**: `values → shape`.
    /// - **Dtypes**: that of the Rust type.
    /// - **Errors**: values that do not fill the shape, a shape that is too large, no memory left on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = Array::try_from_slice(&[1.5, 2.5], 2)?;
    /// assert_eq!(a.to_string(), "[1.5 2.5]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn try_from_slice<T: Element>(values: &[T], shape: impl IntoShape) -> Result<Array> {
        const OP: &str = "from_slice";
        let shape = shape.into_shape().extents(OP)?;
        if values.len() != shape::checked_size(OP, &shape, T::DTYPE)? {
            let (len, shape) = (values.len(), shape.as_slice().into());
            return Err(Error::Length { op: OP, len, shape });
        }
        Array::from_bytes(T::DTYPE, &shape, &T::as_bytes(values), &Device::current())
    }

    /// Makes an array of a shape from a copy of values in C order on the thread's current device.
    ///
    /// - **Shapes**: `values → shape`.
    /// - **Dtypes**: that of the Rust type.
    /// - **Errors**: values that do not fill the shape.
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

    /// Makes a 0-d array of one number, as `np.array(number)`.
    ///
    /// - **Shapes**: `() → ()`.
    /// - **Dtypes**: that of the number's Rust type.
    /// - **Errors**: no number is refused.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = Array::scalar(2.5);
    /// assert_eq!((a.ndim(), a.item::<f64>()?), (0, 2.5));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn scalar(value: impl Into<Scalar>) -> Array {
        let scalar = value.into();
        expect(try_full((), scalar, scalar.natural_dtype()))
    }
}

impl<T: Element> From<Vec<T>> for Array {
    #[track_caller]
    fn from(values: Vec<T>) -> Self {
        let len = values.len();
        Array::from_vec(values, len)
    }
}
impl<T: Element> From<Vec<Vec<T>>> for Array {
    /// # Panics
    /// The rows differ in length.
    #[track_caller]
    fn from(rows: Vec<Vec<T>>) -> Self {
        array(rows)
    }
}
impl<T: Element> FromIterator<T> for Array {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Array::from(values.into_iter().collect::<Vec<T>>())
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

/// Values nested in arrays, slices and `Vec`s: what [`array()`] makes an array of.
pub trait Nested {
    /// The type of the values.
    type Item: Element;

    /// The extents, taken from the first item at each depth.
    #[doc(hidden)]
    fn extents(&self, shape: &mut Shape);

    /// Adds the values to `values`, if everything has the extents `shape`.
    #[doc(hidden)]
    fn collect(self, shape: &[usize], values: &mut Vec<Self::Item>) -> bool;
}

impl<T: Element> Nested for T {
    type Item = T;
    fn extents(&self, _: &mut Shape) {}
    fn collect(self, shape: &[usize], values: &mut Vec<T>) -> bool {
        values.push(self);
        shape.is_empty()
    }
}

macro_rules! nested {
    ($([$($generics:tt)*] $ty:ty, $inner:ident, |$items:ident| $iter:expr;)+) => {$(
        impl<$($generics)*> Nested for $ty {
            type Item = $inner::Item;
            fn extents(&self, shape: &mut Shape) {
                shape.push(self.len());
                if let Some(first) = self.first() {
                    first.extents(shape);
                }
            }
            fn collect(self, shape: &[usize], values: &mut Vec<$inner::Item>) -> bool {
                let Some((&extent, inner)) = shape.split_first() else { return false };
                let $items = self;
                $items.len() == extent && $iter.all(|item| item.collect(inner, values))
            }
        }
    )+};
}
nested! {
    [N: Nested] Vec<N>, N, |items| items.into_iter();
    [N: Nested, const M: usize] [N; M], N, |items| items.into_iter();
    [N: Nested + Clone] &[N], N, |items| items.iter().cloned();
}

functions! {
    /// Makes an array from nested arrays, slices or `Vec`s of values, or from one value, as `np.array`.
    ///
    /// - **Shapes**: nesting depth `n` gives `n` axes.
    /// - **Dtypes**: that of the Rust type.
    /// - **Errors**: lists of different lengths.
    ///
    /// ```
    /// use ndany::{Device, array};
    /// # let _guard = Device::open("reference")?.enter();
    /// let rows: Vec<Vec<f32>> = vec![vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]];
    /// assert_eq!(array(rows).shape(), [3, 2]);
    /// assert!(ndany::checked::array(vec![vec![1, 2], vec![3]]).is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    array / try_array (values: impl Nested) -> Array {
        let (mut shape, mut flat) = (Shape::new(), Vec::new());
        values.extents(&mut shape);
        match values.collect(&shape, &mut flat) {
            true => Array::try_from_vec(flat, shape.as_slice()),
            false => Err(Error::Nesting { op: "array" }),
        }
    }

    /// Makes an array whose values are unspecified, as `np.empty`.
    ///
    /// Memory is taken when it is needed, or by [`Array::eval`](crate::Array::eval), and holds zeros then.
    ///
    /// - **Shapes**: `shape → shape`.
    /// - **Dtypes**: the given one, `..` for float64.
    /// - **Errors**: a shape that is too large or negative.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::empty((2, 3), F32).shape(), [2, 3]);
    /// ```
    empty / try_empty (shape: impl IntoShape<OrderedShape>, dtype: impl Into<Creation>) -> Array {
        filled_in(EMPTY, shape.into_shape(), Scalar::from(false), dtype.into())
    }
}

array_functions! {
    checked likes, free free_likes;

    /// Makes an array of the same shape, dtype and memory order filled with a number, as `np.full_like`.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an integer that the dtype cannot hold.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).full_like(7).to_string(), "[7 7]");
    /// ```
    full_like / try_full_like (self, value: impl Into<Scalar>) -> Array {
        self.try_full_like_as(value, Like::default())
    }

    /// Makes zeros of the same shape, dtype and memory order, as `np.zeros_like`.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).zeros_like().to_string(), "[0 0]");
    /// ```
    zeros_like / try_zeros_like (self) -> Array {
        self.try_full_like(false)
    }

    /// Makes ones of the same shape, dtype and memory order, as `np.ones_like`.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.5, 2.5]).ones_like().to_string(), "[1. 1.]");
    /// ```
    ones_like / try_ones_like (self) -> Array {
        self.try_full_like(true)
    }

    /// Makes an array of the same shape, dtype and memory order with unspecified values, as `np.empty_like`.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.5, 2.5]).empty_like().dtype(), F64);
    /// ```
    empty_like / try_empty_like (self) -> Array {
        self.try_full_like(false)
    }
}

impl Array {
    /// [`Array::full_like`] with another dtype, order or shape.
    #[track_caller]
    pub(crate) fn try_full_like_as(&self, value: impl Into<Scalar>, like: Like) -> Result<Array> {
        let shape = like.shape.unwrap_or_else(|| Shape::from_slice(self.shape()));
        let dtype = like.dtype.unwrap_or(self.dtype());
        // An order that depends on how the array lies says nothing of other axes.
        let order = match like.order {
            Order::K if shape.len() != self.ndim() => Order::C,
            order => order,
        };
        let axes = match order {
            Order::F => Some((0..shape.len()).rev().collect()),
            Order::A if self.is_f_contiguous() && !self.is_c_contiguous() => {
                Some((0..shape.len()).rev().collect())
            }
            Order::K => crate::array::axis_order(self.layout(), Order::K),
            Order::A | Order::C => None,
        };
        let shape = match &axes {
            Some(axes) => axes.iter().map(|&axis| shape[axis]).collect(),
            None => shape,
        };
        let _guard = self.device().enter();
        Ok(filled("full_like", shape, value.into(), dtype)?.unordered(axes.as_deref()))
    }
}

/// In what an array differs from the one that it is made like.
#[derive(Clone, Debug)]
pub struct Like {
    /// Another dtype.
    pub dtype: Option<DType>,
    /// The order; [`Order::K`] for that of the model.
    pub order: Order,
    /// Another shape.
    pub shape: Option<Shape>,
}

impl Default for Like {
    fn default() -> Self {
        Self { dtype: None, order: Order::K, shape: None }
    }
}

/// Makes an array filled with a number, as `np.full`.
///
/// It takes no memory until it is needed. The option `order` of the shape says how it lies in memory.
///
/// - **Shapes**: `shape → shape`.
/// - **Dtypes**: the given one, `..` for that of the number.
/// - **Errors**: a shape that is too large or negative, an integer that the dtype cannot hold.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(full((2, 2), 7, ..).to_string(), "[[7 7]\n [7 7]]");
/// ```
///
/// # Panics
/// Where [`checked::full`](fn@crate::checked::full) returns an error.
#[track_caller]
pub fn full(
    shape: impl IntoShape<OrderedShape>,
    value: impl Into<Scalar>,
    dtype: impl Into<Creation>,
) -> Array {
    expect(try_full(shape, value, dtype))
}

/// [`full`], with a shape too large or a weak integer out of range as errors.
#[track_caller]
pub fn try_full(
    shape: impl IntoShape<OrderedShape>,
    value: impl Into<Scalar>,
    dtype: impl Into<Creation>,
) -> Result<Array> {
    let value = value.into();
    let dtype = dtype.into().or(value.natural_dtype());
    filled_in("full", shape.into_shape(), value, dtype.into())
}

/// A new array, lying in the order that the options say.
#[track_caller]
#[inline]
fn filled_in(
    op: &'static str,
    options: ShapeOptions,
    value: Scalar,
    dtype: Creation,
) -> Result<Array> {
    let dtype = dtype.or(DType::F64);
    let mut shape = options.extents(op)?;
    let axes = match options.order {
        Order::F => {
            shape.reverse();
            Some((0..shape.len()).rev().collect::<crate::array::AxisOrder>())
        }
        Order::C | Order::A | Order::K => None,
    };
    Ok(filled(op, shape, value, dtype)?.unordered(axes.as_deref()))
}

/// The operation whose values are not used (`empty`).
const EMPTY: &str = "empty";

#[track_caller]
fn filled(op: &'static str, shape: Shape, value: Scalar, dtype: DType) -> Result<Array> {
    shape::checked_size(op, &shape, dtype)?;
    let blank = op == EMPTY;
    // A value of no interest is zero, which needs no conversion.
    let constant = match blank {
        true => Constant { dtype, bits: [0; 2] },
        false => graph::constant(op, &value, dtype)?,
    };
    let fill = Fill { blank, ..Fill::from(constant) };
    Ok(graph::submit(shape, dtype, Device::current(), CallSite::caller(), Expr::Fill(fill)))
}

/// Makes an array of zeros, as `np.zeros`.
///
/// - **Shapes**: `shape → shape`.
/// - **Dtypes**: the given one, `..` for float64.
/// - **Errors**: a shape that is too large or negative.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(zeros(3, ..).to_string(), "[0. 0. 0.]");
/// ```
///
/// # Panics
/// Where [`checked::zeros`](fn@crate::checked::zeros) returns an error.
#[track_caller]
pub fn zeros(shape: impl IntoShape<OrderedShape>, dtype: impl Into<Creation>) -> Array {
    expect(try_zeros(shape, dtype))
}

/// [`zeros`], with a shape that is too large as an error.
#[track_caller]
pub fn try_zeros(shape: impl IntoShape<OrderedShape>, dtype: impl Into<Creation>) -> Result<Array> {
    filled_in("zeros", shape.into_shape(), Scalar::from(false), dtype.into())
}

/// Makes an array of ones, as `np.ones`.
///
/// - **Shapes**: `shape → shape`.
/// - **Dtypes**: the given one, `..` for float64.
/// - **Errors**: a shape that is too large or negative.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(ones(3, I32).to_string(), "[1 1 1]");
/// ```
///
/// # Panics
/// Where [`checked::ones`](fn@crate::checked::ones) returns an error.
#[track_caller]
pub fn ones(shape: impl IntoShape<OrderedShape>, dtype: impl Into<Creation>) -> Array {
    expect(try_ones(shape, dtype))
}

/// [`ones`], with a shape that is too large as an error.
#[track_caller]
pub fn try_ones(shape: impl IntoShape<OrderedShape>, dtype: impl Into<Creation>) -> Result<Array> {
    filled_in("ones", shape.into_shape(), Scalar::from(true), dtype.into())
}

/// Makes a matrix with ones on a diagonal and zeros elsewhere, as `np.eye`.
///
/// Takes an extent, `(rows, columns)`, or an [`Eye`] with options.
///
/// - **Shapes**: `n → (n, n)`, `(m, n) → (m, n)`.
/// - **Dtypes**: float64, or that of the option `dtype`.
/// - **Errors**: extents that are not one or two, negative or too large.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(eye(2).to_string(), "[[1. 0.]\n [0. 1.]]");
/// ```
///
/// # Panics
/// Where [`checked::eye`](fn@crate::checked::eye) returns an error.
#[track_caller]
pub fn eye(matrix: impl Into<Eye>) -> Array {
    expect(try_eye(matrix))
}

/// [`eye`], with extents that are not one or two, negative or too large as errors.
#[track_caller]
pub fn try_eye(matrix: impl Into<Eye>) -> Result<Array> {
    let matrix = matrix.into();
    let ([rows, columns], dtype) = (matrix.matrix("eye")?, matrix.dtype.unwrap_or(DType::F64));
    shape::checked_size("eye", &[rows, columns], dtype)?;
    let count = |extent| crate::array::try_arange(Arange::of(0, extent, 1, Some(DType::I64)));
    let row = count(rows)?.try_i((.., crate::array::NewAxis))?;
    row.try_add(matrix.k)?.try_equal(count(columns)?)?.try_astype(dtype)
}

/// Makes the identity matrix, as `np.identity`.
///
/// - **Shapes**: `n → (n, n)`.
/// - **Dtypes**: the given one, `..` for float64.
/// - **Errors**: a matrix that is too large.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(identity(2, I32).to_string(), "[[1 0]\n [0 1]]");
/// ```
///
/// # Panics
/// Where one of these is met.
#[track_caller]
pub fn identity(size: usize, dtype: impl Into<Creation>) -> Array {
    eye(Eye::of(size, size, 0, dtype.into().or(DType::F64)))
}
