//! Sums of products over chosen axes of two arrays: `tensordot`, and the helpers of the whole family.

use smallvec::SmallVec;

use super::super::Array;
use super::{accumulator, beside, together};
use crate::arguments::{IntoAxes, over};
use crate::declare::array_functions;
use crate::graph::Operand;
use ndany_core::shape::Shape;
use ndany_core::{DType, Error, Result};

/// Which axes `tensordot` sums over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contracted {
    /// The last `n` axes of the left operand with the first `n` of the right one.
    Last(usize),
    /// These of the left operand with those of the right one, pair by pair.
    Pairs(SmallVec<[isize; 4]>, SmallVec<[isize; 4]>),
}

impl From<usize> for Contracted {
    fn from(count: usize) -> Self {
        Contracted::Last(count)
    }
}
impl From<i32> for Contracted {
    /// A negative number counts as none, as in NumPy.
    fn from(count: i32) -> Self {
        Contracted::Last(count.max(0) as usize)
    }
}
impl From<(isize, isize)> for Contracted {
    fn from((left, right): (isize, isize)) -> Self {
        Contracted::Pairs(SmallVec::from_slice(&[left]), SmallVec::from_slice(&[right]))
    }
}
impl<const N: usize> From<([isize; N], [isize; N])> for Contracted {
    fn from((left, right): ([isize; N], [isize; N])) -> Self {
        Contracted::Pairs(SmallVec::from_slice(&left), SmallVec::from_slice(&right))
    }
}
impl From<(&[isize], &[isize])> for Contracted {
    fn from((left, right): (&[isize], &[isize])) -> Self {
        Contracted::Pairs(SmallVec::from_slice(left), SmallVec::from_slice(right))
    }
}

array_functions! {
    checked tensordots, free free_tensordots;

    /// Sums the products over pairs of axes, as `np.tensordot`.
    ///
    /// The other axes of the left operand come first, then those of the right one. `axes` is a count of last and first axes, or a
    /// pair of lists: `([1, 0], [0, 1])`.
    ///
    /// - **Shapes**: `(a, b), (b, c) → (a, c)` for 1.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: paired extents that differ, an axis out of range (IndexError) or given twice, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).tensordot(&eye(2), 2).to_string(), "5.0");
    /// ```
    tensordot / try_tensordot (self, other: impl Into<Operand>, axes: impl Into<Contracted>) -> Array {
        const OP: &str = "tensordot";
        let other = beside(self, other.into())?;
        let (left, right) = match axes.into() {
            Contracted::Last(count) => {
                let count = count as isize;
                ((-count..0).collect(), (0..count).collect())
            }
            Contracted::Pairs(left, right) => (left, right),
        };
        if left.len() != right.len() {
            let reason = format!("{} axes on the left and {} on the right", left.len(), right.len());
            return Err(Error::ArgumentValue { op: OP.to_string(), reason });
        }
        let (left, right) = (tuple_indices(OP, &left, self)?, tuple_indices(OP, &right, &other)?);
        contract(OP, self, &other, &left, &right)
    }
}

/// Axes as NumPy looks them up in a shape: out of range is an IndexError.
fn tuple_indices(op: &'static str, axes: &[isize], array: &Array) -> Result<SmallVec<[usize; 4]>> {
    ndany_core::shape::axis_indices(op, axes, array.ndim()).map_err(|error| match error {
        Error::Axis { axis, ndim, .. } => Error::Index { op, index: axis, axis: 0, size: ndim },
        other => other,
    })
}

/// The contraction of axes that are valid and distinct.
#[track_caller]
pub(crate) fn contract(
    op: &'static str,
    left: &Array,
    right: &Array,
    left_axes: &[usize],
    right_axes: &[usize],
) -> Result<Array> {
    together(op, left, right)?;
    let extents = |array: &Array, axes: &[usize]| -> Shape {
        axes.iter().map(|&axis| array.shape()[axis]).collect()
    };
    if extents(left, left_axes) != extents(right, right_axes) {
        return Err(misaligned(op, left, right));
    }
    let rest = |array: &Array, axes: &[usize]| -> SmallVec<[usize; 4]> {
        (0..array.ndim()).filter(|axis| !axes.contains(axis)).collect()
    };
    let (left_rest, right_rest) = (rest(left, left_axes), rest(right, right_axes));
    let dtype = DType::promote(left.dtype(), right.dtype());
    let shape: Shape =
        [extents(left, &left_rest), extents(right, &right_rest)].into_iter().flatten().collect();
    ndany_core::shape::checked_size(op, &shape, dtype)?;
    let ordered = |array: &Array, first: &[usize], second: &[usize]| {
        let order: SmallVec<[usize; 4]> = first.iter().chain(second).copied().collect();
        array.with_layout(array.layout().permute(&order))
    };
    if left_rest.is_empty() && right_rest.is_empty() {
        let (left, right) = (ordered(left, left_axes, &[]), ordered(right, right_axes, &[]));
        return sum_of_products(&left, &right, .., dtype);
    }
    let size = |array: &Array, axes: &[usize]| extents(array, axes).iter().product::<usize>();
    let inner = size(left, left_axes);
    let (rows, columns) = (size(left, &left_rest), size(right, &right_rest));
    let left = ordered(left, &left_rest, left_axes).try_reshape([rows, inner])?;
    let right = ordered(right, right_axes, &right_rest).try_reshape([inner, columns])?;
    left.try_matmul(&right)?.try_reshape(shape.as_slice())
}

pub(super) fn misaligned(op: &'static str, left: &Array, right: &Array) -> Error {
    Error::Shape {
        op,
        expected: format!("summed axes as long as those of {:?}", left.shape()),
        got: right.shape().into(),
    }
}

/// `sum(left * right)` over some axes of what the two broadcast to, in one launch: 16-bit floats multiply
/// and add up in f32, integers wrap in `dtype`.
#[track_caller]
pub(crate) fn sum_of_products(
    left: &Array,
    right: &Array,
    axes: impl IntoAxes,
    dtype: DType,
) -> Result<Array> {
    let wide = accumulator(dtype);
    let product = left.try_astype(wide)?.try_multiply(right.try_astype(wide)?)?;
    product.try_sum(over(axes).dtype(wide))?.try_astype(dtype)
}
