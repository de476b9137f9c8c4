//! Products of vectors and of what they are the last axis of.

use super::super::Array;
use super::contract::{contract, misaligned, sum_of_products};
use super::{beside, conjugated, together};
use crate::arguments::IntoAxis;
use crate::arguments::options::LastAxis;
use crate::declare::array_functions;
use crate::graph::Operand;
use ndany_core::shape::axis_index;
use ndany_core::{DType, Error};

array_functions! {
    checked inner_products, free free_inner_products;

    /// Returns the dot product, as `np.dot`.
    ///
    /// Two vectors give their inner product, two matrices their matrix product, a number scales. Otherwise it sums over the last
    /// axis of the left operand and the last but one (or only one) of the right operand.
    ///
    /// - **Shapes**: `(n,), (n,) → ()`, `(m, k), (k, n) → (m, n)`, `(a, b, k), (c, k, d) → (a, b, c, d)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: extents that differ, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).dot(&array([3, 4])).to_string(), "11");
    /// ```
    dot / try_dot (self, other: impl Into<Operand>) -> Array {
        let other = beside(self, other.into())?;
        match (self.ndim(), other.ndim()) {
            (0, _) | (_, 0) => self.try_multiply(&other),
            (left, right) => contract("dot", self, &other, &[left - 1], &[right.max(2) - 2]),
        }
    }

    /// Returns the inner product of all elements in C order, the left ones conjugated, as `np.vdot`.
    ///
    /// - **Shapes**: `(…), (…) → ()`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: sizes that differ, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2]]).vdot(&array([3, 4])).to_string(), "11");
    /// ```
    vdot / try_vdot (self, other: impl Into<Operand>) -> Array {
        let other = beside(self, other.into())?;
        together("vdot", self, &other)?;
        if self.size() != other.size() {
            return Err(misaligned("vdot", self, &other));
        }
        let dtype = DType::promote(self.dtype(), other.dtype());
        let left = conjugated(self)?;
        if left.shape() == other.shape() {
            return sum_of_products(&left, &other, .., dtype);
        }
        sum_of_products(&left.try_ravel()?, &other.try_ravel()?, .., dtype)
    }

    /// Sums the products over the last axis of both operands, as `np.inner`; a number scales.
    ///
    /// - **Shapes**: `(a, k), (b, k) → (a, b)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: extents that differ, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).inner(&array([1, 1])).to_string(), "[3 7]");
    /// ```
    inner / try_inner (self, other: impl Into<Operand>) -> Array {
        let other = beside(self, other.into())?;
        match (self.ndim(), other.ndim()) {
            (0, _) | (_, 0) => self.try_multiply(&other),
            (left, right) => contract("inner", self, &other, &[left - 1], &[right - 1]),
        }
    }

    /// Sums the products over one axis, the left operand conjugated, as `np.vecdot`.
    ///
    /// The axis is counted in each operand (`-1` in NumPy).
    ///
    /// - **Shapes**: `(…, n), (…, n) → (…)`, other axes broadcast.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: a 0-d operand, an axis out of range, extents that differ, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).vecdot(&array([1, 1]), -1).to_string(), "[3 7]");
    /// ```
    vecdot / try_vecdot (self, other: impl Into<Operand>, axis: impl IntoAxis<LastAxis>) -> Array {
        const OP: &str = "vecdot";
        let axis = axis.into_axis().one(OP)?;
        let other = beside(self, other.into())?;
        together(OP, self, &other)?;
        let last = |array: &Array| match array.ndim() {
            0 => Err(too_few(OP, 1, array)),
            ndim => {
                let axis = axis_index(OP, axis, ndim)?;
                array.try_moveaxis(axis as isize, -1isize)
            }
        };
        let (left, right) = (last(&conjugated(self)?)?, last(&other)?);
        if left.shape().last() != right.shape().last() {
            return Err(misaligned(OP, self, &other));
        }
        let dtype = DType::promote(left.dtype(), right.dtype());
        sum_of_products(&left, &right, -1, dtype)
    }

    /// Multiplies matrices of the last two axes by vectors of the last axis, as `np.matvec`.
    ///
    /// - **Shapes**: `(…, m, n), (…, n) → (…, m)`, other axes broadcast.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: too few axes, extents that differ, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).matvec(&array([1, 1])).to_string(), "[3 7]");
    /// ```
    matvec / try_matvec (self, other: impl Into<Operand>) -> Array {
        const OP: &str = "matvec";
        let vector = beside(self, other.into())?;
        if self.ndim() < 2 {
            return Err(too_few(OP, 2, self));
        }
        if vector.ndim() < 1 {
            return Err(too_few(OP, 1, &vector));
        }
        self.try_matmul(vector.try_expand_dims(-1)?)?.try_squeeze(-1)
    }

    /// Multiplies conjugated vectors of the last axis by matrices of the last two axes, as `np.vecmat`.
    ///
    /// - **Shapes**: `(…, m), (…, m, n) → (…, n)`, other axes broadcast.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: too few axes, extents that differ, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 1]).vecmat(&array([[1, 2], [3, 4]])).to_string(), "[4 6]");
    /// ```
    vecmat / try_vecmat (self, other: impl Into<Operand>) -> Array {
        const OP: &str = "vecmat";
        let matrix = beside(self, other.into())?;
        if self.ndim() < 1 {
            return Err(too_few(OP, 1, self));
        }
        if matrix.ndim() < 2 {
            return Err(too_few(OP, 2, &matrix));
        }
        conjugated(self)?.try_expand_dims(-2)?.try_matmul(&matrix)?.try_squeeze(-2)
    }
}

fn too_few(op: &'static str, axes: usize, array: &Array) -> Error {
    let expected = if axes == 1 { "at least 1 axis" } else { "at least 2 axes" };
    Error::Shape { op, expected: expected.to_string(), got: array.shape().into() }
}
