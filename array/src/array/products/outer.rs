//! Products of every element with every other one, and the cross product.

use smallvec::SmallVec;

use super::super::Array;
use super::{beside, together};
use crate::arguments::IntoAxis;
use crate::arguments::options::CrossAxis;
use crate::array::try_stack;
use crate::declare::array_functions;
use crate::graph::Operand;
use ndany_core::shape::{Shape, axis_index};
use ndany_core::{Error, Result};

array_functions! {
    checked outers, free free_outers;

    /// Multiplies every element of one operand with every element of the other, as `np.outer`.
    ///
    /// - **Shapes**: `(…), (…) → (m, n)`, both flattened.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).outer(&array([3, 4])).to_string(), "[[3 4]\n [6 8]]");
    /// ```
    outer / try_outer (self, other: impl Into<Operand>) -> Array {
        let other = beside(self, other.into())?;
        self.try_ravel()?.try_expand_dims(1)?.try_multiply(other.try_ravel()?.try_expand_dims(0)?)
    }

    /// Returns the Kronecker product, as `np.kron`.
    ///
    /// Each element of the left operand multiplies the whole right one. Missing leading axes count as 1.
    ///
    /// - **Shapes**: `(a, b), (c, d) → (a · c, b · d)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).kron(&array([1, 1])).to_string(), "[1 1 2 2]");
    /// ```
    kron / try_kron (self, other: impl Into<Operand>) -> Array {
        let other = beside(self, other.into())?;
        let ndim = self.ndim().max(other.ndim());
        let padded = |array: &Array, blocks: bool| -> Shape {
            let missing = ndim - array.ndim();
            let extents = std::iter::repeat_n(1, missing).chain(array.shape().iter().copied());
            extents.flat_map(|extent| if blocks { [extent, 1] } else { [1, extent] }).collect()
        };
        let left = self.try_reshape(padded(self, true).as_slice())?;
        let right = other.try_reshape(padded(&other, false).as_slice())?;
        let product = left.try_multiply(&right)?;
        let shape: Shape = product.shape().chunks_exact(2).map(|pair| pair[0] * pair[1]).collect();
        product.try_reshape(shape.as_slice())
    }

    /// Returns the cross product of vectors along an axis, the last one for `..`, as `np.cross`.
    ///
    /// `along(0)` is the axis of both operands and of the result. Vectors of two components have no third one, and two of these give its component alone.
    ///
    /// - **Shapes**: `(…, 3), (…, 3) → (…, 3)`, `(…, 2), (…, 2) → (…)`.
    /// - **Dtypes**: numbers; operands promote as NumPy's.
    /// - **Errors**: other numbers of components, an axis out of range, shapes that do not broadcast, operands on two
    ///   devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 0, 0]).cross(&array([0, 1, 0]), ..).to_string(), "[0 0 1]");
    /// ```
    cross / try_cross (self, other: impl Into<Operand>, axis: impl IntoAxis<CrossAxis>) -> Array {
        let axis = axis.into_axis().one("cross")?;
        self.try_cross_along(other, axis, axis, axis)
    }
}

impl Array {
    /// [`Array::cross`] along chosen axes of the left and right operand and of the result, NumPy's `axisa`,
    /// `axisb` and `axisc`.
    #[track_caller]
    pub(crate) fn try_cross_along(
        &self,
        other: impl Into<Operand>,
        left_axis: isize,
        right_axis: isize,
        axis: isize,
    ) -> Result<Array> {
        const OP: &str = "cross";
        let other = beside(self, other.into())?;
        together(OP, self, &other)?;
        let (x, y) = (components(OP, self, left_axis)?, components(OP, &other, right_axis)?);
        let difference = |i: usize, j: usize| {
            // A missing component is zero: its products are left out, as NumPy leaves them out.
            let one = |a: &Option<Array>, b: &Option<Array>| match (a, b) {
                (Some(a), Some(b)) => a.try_multiply(b).map(Some),
                (None, _) | (_, None) => Ok(None),
            };
            match (one(&x[i], &y[j])?, one(&x[j], &y[i])?) {
                (Some(plus), Some(minus)) => plus.try_subtract(minus).map(Some),
                (Some(plus), None) => Ok(Some(plus)),
                (None, Some(minus)) => minus.try_negative().map(Some),
                (None, None) => Ok(None),
            }
        };
        let third = difference(0, 1)?;
        let parts: SmallVec<[Array; 3]> =
            [difference(1, 2)?, difference(2, 0)?, third].into_iter().flatten().collect();
        match parts.as_slice() {
            [only] => Ok(only.clone()),
            parts => {
                let axis = axis_index(OP, axis, parts[0].ndim() + 1)?;
                try_stack(&parts.iter().collect::<SmallVec<[&Array; 3]>>(), axis as isize)
            }
        }
    }
}

/// The components of vectors along an axis; two-dimensional ones have no third.
#[track_caller]
fn components(op: &'static str, array: &Array, axis: isize) -> Result<[Option<Array>; 3]> {
    let wrong = |expected: &str| Error::Shape {
        op,
        expected: expected.to_string(),
        got: array.shape().into(),
    };
    if array.ndim() == 0 {
        return Err(wrong("at least one axis"));
    }
    let axis = axis_index(op, axis, array.ndim())?;
    let extent = array.shape()[axis];
    if !(2..=3).contains(&extent) {
        return Err(wrong("two or three components"));
    }
    let moved = array.try_moveaxis(axis as isize, 0isize)?;
    let part = |index: usize| moved.try_i(index);
    Ok([Some(part(0)?), Some(part(1)?), if extent == 3 { Some(part(2)?) } else { None }])
}
