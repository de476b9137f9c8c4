//! Functions given as closures, applied along axes.
//!
//! A closure gets arrays and gives arrays, so what it says is lazy and fused as ever; it is called for arrays, not for
//! elements, and nothing crosses to the host. Deliberately absent: `np.frompyfunc`, whose results are Python objects.

use super::{Array, try_ones, try_stack};
use crate::arguments::Arrays;
use crate::arguments::{IntoAxes, IntoAxis, IntoShape};
use crate::declare::{array_functions, expect, functions};
use ndany_core::shape::{Shape, axis_index, axis_indices};
use ndany_core::{DType, Error, Result};

array_functions! {
    checked functional, free free_functional;

    /// Calls a function with every 1-d slice along an axis, as `np.apply_along_axis`.
    ///
    /// The results, of one shape and dtype for all, take the place of the axis. The function is called once for each slice, so a
    /// function that takes axes itself is far faster.
    ///
    /// - **Shapes**: `(m, n) → (m, …)` for axis 1.
    /// - **Dtypes**: any; the result has that of the function's results.
    /// - **Errors**: a 0-d or empty array, an axis out of range, results of different shapes.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[8, 1, 7], [4, 3, 9]]);
    /// let spans = a.apply_along_axis(1, |row| row.max(..) - row.min(..));
    /// assert_eq!(spans.to_vec::<i32>()?, [7, 6]);
    /// assert_eq!(a.apply_along_axis(0, |row| row.sort(0)).to_string(), "[[4 1 7]\n [8 3 9]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    apply_along_axis / try_apply_along_axis (self, axis: impl IntoAxis, function: impl FnMut(&Array) -> Array) -> Array {
        const OP: &str = "apply_along_axis";
        let mut function = function;
        let axis = axis_index(OP, axis.into_axis().one(OP)?, self.ndim())?;
        let last = self.try_moveaxis(axis as isize, -1isize)?;
        let outer = Shape::from_slice(&last.shape()[..self.ndim() - 1]);
        let count = ndany_core::shape::size_of(&outer);
        if count == 0 {
            let expected = "an extent of at least 1 along every other axis".to_string();
            return Err(Error::Shape { op: OP, expected, got: self.shape().into() });
        }
        let mut made = Vec::with_capacity(count);
        for index in ndindex(outer.as_slice()) {
            let items: Vec<super::Index> = index.iter().map(|&at| super::Index::At(at as isize)).collect();
            made.push(function(&last.try_i(items.as_slice())?));
        }
        let stacked = try_stack(&made.iter().collect::<Vec<_>>(), 0)?;
        let results = &stacked.shape()[1..];
        let mut shape = outer.clone();
        shape.extend_from_slice(results);
        let after = shape.len() - outer.len();
        let whole = stacked.try_reshape(shape.as_slice())?;
        let source: Vec<isize> = (outer.len()..outer.len() + after).map(|axis| axis as isize).collect();
        let target: Vec<isize> = (axis..axis + after).map(|axis| axis as isize).collect();
        whole.try_moveaxis(source.as_slice(), target.as_slice())
    }

    /// Calls a function of an array and an axis for each of these axes in turn, as `np.apply_over_axes`.
    ///
    /// An axis that it removes comes back with extent 1. Reductions over the axes at once are faster:
    /// `a.sum(over([0, 2]).keepdims())`.
    ///
    /// - **Shapes**: `(m, n) → (1, 1)` for a reduction over both axes.
    /// - **Dtypes**: any; the result has that of the function's results.
    /// - **Errors**: an axis out of range, results with another number of axes.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1, 2], [3, 4]]);
    /// assert_eq!(a.apply_over_axes([0, 1], |a, axis| a.sum(axis)).shape(), [1, 1]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    apply_over_axes / try_apply_over_axes (self, axes: impl IntoAxes, function: impl FnMut(&Array, isize) -> Array) -> Array {
        const OP: &str = "apply_over_axes";
        let mut function = function;
        let axes = match axes.into_axes().axes {
            None => (0..self.ndim()).collect(),
            Some(axes) => axis_indices(OP, &axes, self.ndim())?,
        };
        let mut value = self.clone();
        for axis in axes {
            let ndim = value.ndim();
            let next = function(&value, axis as isize);
            value = if next.ndim() + 1 == ndim { next.try_expand_dims(axis as isize)? } else { next };
            if value.ndim() != ndim {
                let expected = format!("{ndim} axes, or one less, from the function");
                return Err(Error::Shape { op: OP, expected, got: value.shape().into() });
            }
        }
        Ok(value)
    }
}

functions! {
    /// Calls a function of arrays once with operands broadcast to one shape, in place of `np.vectorize`.
    ///
    /// The function is written with operations on arrays, [`where_`](fn@crate::where_) in place of `if`.
    ///
    /// - **Shapes**: `(…), (…) → (…)`, broadcast.
    /// - **Dtypes**: any; the result has that of the function's result.
    /// - **Errors**: shapes that do not broadcast.
    ///
    /// ```
    /// use ndany::{Array, Device, vectorize, where_};
    /// # let _guard = Device::open("reference")?.enter();
    /// let (a, b) = (Array::from([[1], [4]]), Array::from([2, 3]));
    /// let distance = vectorize([&a, &b], |x| where_(x[0].greater(&x[1]), &x[0] - &x[1], &x[0] + &x[1]));
    /// assert_eq!(distance.to_vec::<i32>()?, [3, 4, 2, 1]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    vectorize / try_vectorize (operands: impl IntoIterator<Item: AsRef<Array>>, function: impl FnOnce(&[Array]) -> Array) -> Array {
        Ok(function(&super::try_broadcast_arrays(operands)?))
    }

    /// Returns the positions that a function such as [`Array::triu`] leaves of a matrix of ones, as `np.mask_indices`.
    ///
    /// Waits for the device.
    ///
    /// - **Shapes**: `() → (count,), (count,)`.
    /// - **Dtypes**: the results are int64.
    /// - **Errors**: what failed on the way.
    ///
    /// ```
    /// use ndany::{Device, mask_indices};
    /// # let _guard = Device::open("reference")?.enter();
    /// let upper = mask_indices(3, |ones| ones.triu(1));
    /// assert_eq!(upper[0].to_vec::<i64>()?, [0, 0, 1]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    mask_indices / try_mask_indices (extent: usize, function: impl FnOnce(&Array) -> Array) -> Arrays {
        function(&try_ones((extent, extent), DType::I64)?).try_not_equal(0)?.try_nonzero()
    }
}

/// Iterates over the indices of a shape in C order, as `np.ndindex`.
///
/// ```
/// let indices: Vec<_> = ndany::ndindex([2, 2]).map(|index| index.to_vec()).collect();
/// assert_eq!(indices, [[0, 0], [0, 1], [1, 0], [1, 1]]);
/// ```
pub fn ndindex(shape: impl IntoShape) -> impl Iterator<Item = Shape> {
    let shape = expect(shape.into_shape().extents("ndindex"));
    let size = ndany_core::shape::size_of(&shape);
    (0..size).map(move |mut position| {
        let mut index = shape.clone();
        for (at, &extent) in index.iter_mut().zip(&shape).rev() {
            *at = position % extent;
            position /= extent;
        }
        index
    })
}

impl Array {
    /// Iterates over the elements with their indices in C order, as `np.ndenumerate`.
    ///
    /// The elements are copied to the host first, all at once.
    ///
    /// - **Errors**: a `T` that is not the dtype's Rust type, what failed on the way.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1.5, 2.5]]);
    /// let all: Vec<_> = a.ndenumerate::<f64>()?.collect();
    /// assert_eq!((all[1].0.as_slice(), all[1].1), (&[0, 1][..], 2.5));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn ndenumerate<T: crate::Element>(
        &self,
    ) -> Result<impl Iterator<Item = (Shape, T)> + use<T>> {
        Ok(ndindex(self.shape().to_vec()).zip(self.to_vec::<T>()?))
    }
}
