//! Reductions over rows, over columns, and over all.

use std::ops::RangeFull;

use ndany_array::extend::{Ahead, expect};
use ndany_array::{Array, DType, Kind, along, ufunc, where_};

use crate::array::{Sparse, Storage};
use crate::host::{self, Runs};
use crate::kernels::{ENTRIES, LARGEST, LARGEST_AT, LEAST, LEAST_AT};
use crate::support::{below, init, refuse, tail, zeros_on};

/// The axis of a reduction of a sparse array: 0 or 1, counted from the end if negative, or `..` for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along(Option<isize>);

impl From<RangeFull> for Along {
    fn from(_: RangeFull) -> Self {
        Along(None)
    }
}
impl From<i32> for Along {
    fn from(axis: i32) -> Self {
        Along(Some(axis as isize))
    }
}
impl From<isize> for Along {
    fn from(axis: isize) -> Self {
        Along(Some(axis))
    }
}

impl Along {
    /// The axis, or none for both.
    #[track_caller]
    fn axis(self, op: &'static str) -> Option<usize> {
        let axis = self.0?;
        match axis {
            0 | -2 => Some(0),
            1 | -1 => Some(1),
            _ => ndany_array::extend::expect(Err(ndany_array::Error::Axis { op, axis, ndim: 2 })),
        }
    }
}

impl Sparse {
    /// Returns the sums of elements along an axis, or of all for `..`, as `sum` of SciPy, in the order of [`Sparse::matmul`].
    ///
    /// Sums along the axis that is not compressed keep what [`Sparse::rmatmul`] keeps, but on the CPU.
    ///
    /// - **Shapes**: `(m, n) → (n,)` along axis 0, `(m,)` along axis 1, `()` of all; dense.
    /// - **Dtypes**: as [`Array::sum`]: bool and integers give 64 bits.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 0], [2, 3]]), ..);
    /// assert_eq!((a.sum(0).to_string(), a.sum(..).to_string()), ("[3 3]".into(), "6".into()));
    /// ```
    #[track_caller]
    pub fn sum(&self, axis: impl Into<Along>) -> Array {
        let axis = axis.into().axis("sum");
        static KERNELS: Ahead = Ahead::new();
        KERNELS.ask(self, axis, |own, axis| own.summed(axis).eval());
        self.summed(axis)
    }

    #[track_caller]
    fn summed(&self, axis: Option<usize>) -> Array {
        let dtype = zeros_on(1, self.dtype(), self.values()).sum(..).dtype();
        let own = self.astype(dtype);
        let ones = |count: usize| zeros_on(count, dtype, self.values()) + 1;
        let sums = |of: &Sparse| {
            let rows = match &of.storage {
                // Entries of a row lie together.
                Storage::Compressed { by_columns: false, .. } => None,
                Storage::Compressed { indices, .. } => Some(indices.clone()),
                _ => Some(of.places()[0].clone()),
            };
            let count = of.shape[0];
            let on_host = |rows: Array| expect(host::run_sums(&rows, &of.flat_values(), count));
            match rows.and_then(on_host) {
                Some(Runs { sums, first: None }) => sums,
                Some(Runs { sums, first: Some(first) }) => {
                    ufunc::add.reduceat(&sums, &first, along(0).dtype(dtype))
                }
                None => of.matmul((ones(of.shape[1])).astype(dtype)),
            }
        };
        match axis {
            Some(1) => sums(&own),
            Some(_) => sums(&own.transpose()),
            None => sums(&own).sum(..),
        }
    }

    /// Returns the means of elements along an axis, or of all for `..`, as `mean` of SciPy; zeros count.
    ///
    /// - **Shapes**: as [`Sparse::sum`].
    /// - **Dtypes**: bool and integers give float64, float16 sums in float32.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 0], [2, 3]]), ..);
    /// assert_eq!((a.mean(1).to_string(), a.mean(..).to_string()), ("[0.5 2.5]".into(), "1.5".into()));
    /// ```
    #[track_caller]
    pub fn mean(&self, axis: impl Into<Along>) -> Array {
        let (axis, [m, n]) = (axis.into(), self.shape);
        let count = match axis.axis("mean") {
            Some(1) => n,
            Some(_) => m,
            None => m * n,
        };
        let (own, dtype) = match self.dtype() {
            dtype @ (DType::F16 | DType::BF16) => (self.astype(DType::F32), dtype),
            dtype if matches!(dtype.kind(), Kind::Int | Kind::Bool) => {
                (self.astype(DType::F64), DType::F64)
            }
            dtype => (self.clone(), dtype),
        };
        (own.sum(axis) / count as f64).astype(dtype)
    }

    /// Returns the least elements along an axis, or of all for `..`, as `min` of SciPy; zeros count. The result is dense.
    ///
    /// - **Shapes**: as [`Sparse::sum`].
    /// - **Dtypes**: real ones; that of the array.
    /// - **Errors**: an axis out of range, no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 0], [2, 3]]), ..);
    /// assert_eq!((a.min(1).to_string(), a.min(..).to_string()), ("[0 2]".into(), "0".into()));
    /// ```
    #[track_caller]
    pub fn min(&self, axis: impl Into<Along>) -> Array {
        self.extreme("min", axis.into().axis("min"), false)
    }

    /// Returns the largest elements along an axis, or of all for `..`, as `max` of SciPy; zeros count. The result is dense.
    ///
    /// - **Shapes**: as [`Sparse::sum`].
    /// - **Dtypes**: real ones; that of the array.
    /// - **Errors**: an axis out of range, no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[-1, 0], [2, 3]]), ..);
    /// assert_eq!((a.max(1).to_string(), a.max(..).to_string()), ("[0 3]".into(), "3".into()));
    /// ```
    #[track_caller]
    pub fn max(&self, axis: impl Into<Along>) -> Array {
        self.extreme("max", axis.into().axis("max"), true)
    }

    /// Returns the least elements along an axis, or of all for `..`, without NaN, as `nanmin` of SciPy; zeros count. The result is dense.
    ///
    /// Where all elements are NaN, so is the result.
    ///
    /// - **Shapes**: as [`Sparse::sum`].
    /// - **Dtypes**: real ones; that of the array.
    /// - **Errors**: an axis out of range, no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[7.0, f64::NAN], [2.0, 3.0]]), ..);
    /// assert_eq!(a.nanmin(1).to_string(), "[7. 2.]");
    /// ```
    #[track_caller]
    pub fn nanmin(&self, axis: impl Into<Along>) -> Array {
        self.extreme_but_nan("nanmin", axis.into(), false)
    }

    /// Returns the largest elements along an axis, or of all for `..`, without NaN, as `nanmax` of SciPy; zeros count. The result is dense.
    ///
    /// Where all elements are NaN, so is the result.
    ///
    /// - **Shapes**: as [`Sparse::sum`].
    /// - **Dtypes**: real ones; that of the array.
    /// - **Errors**: an axis out of range, no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[-7.0, f64::NAN], [2.0, 3.0]]), ..);
    /// assert_eq!(a.nanmax(1).to_string(), "[-7.  3.]");
    /// ```
    #[track_caller]
    pub fn nanmax(&self, axis: impl Into<Along>) -> Array {
        self.extreme_but_nan("nanmax", axis.into(), true)
    }

    #[track_caller]
    fn extreme_but_nan(&self, op: &'static str, along: Along, is_largest: bool) -> Array {
        let axis = along.axis(op);
        if !self.dtype().is_float() {
            return self.extreme(op, axis, is_largest);
        }
        let own = self.sum_duplicates();
        let is_nan = own.values().isnan();
        let beyond = if is_largest { f64::NEG_INFINITY } else { f64::INFINITY };
        let without = own.with_data(where_(&is_nan, beyond, own.values()));
        let extremes = without.extreme(op, axis, is_largest);
        let count = axis.map_or(self.shape[0] * self.shape[1], |axis| self.shape[axis]);
        let all = own.with_data(is_nan).sum(along).equal(count as i64);
        where_(all, f64::NAN, extremes)
    }

    #[track_caller]
    fn extreme(&self, op: &str, axis: Option<usize>, is_largest: bool) -> Array {
        let [m, n] = self.shape;
        if axis.map_or(m * n, |axis| self.shape[axis]) == 0 {
            return refuse(op, format!("no elements along the axis of {m} by {n}"));
        }
        let Some(axis) = axis else {
            let rows = self.extreme(op, Some(1), is_largest);
            return if is_largest { rows.max(..) } else { rows.min(..) };
        };
        if axis == 0 {
            return self.to_csr().transpose().extreme(op, Some(1), is_largest);
        }
        if self.nnz() == 0 {
            return zeros_on(m, self.dtype(), self.values());
        }
        let own = self.sum_duplicates();
        let rows = own.rows();
        let kernel = if is_largest { &LARGEST } else { &LEAST };
        let (begin, end) = (init(&rows.indptr), tail(&rows.indptr));
        let [extremes] = kernel.call((begin, end, n as i64, own.row_values()));
        extremes
    }

    /// Returns the position of the least element along an axis, or of all in C order for `..`, as `argmin` of SciPy; zeros count.
    ///
    /// Of equal elements the first one counts, and a NaN before all.
    ///
    /// - **Shapes**: as [`Sparse::sum`].
    /// - **Dtypes**: real ones; positions are int64.
    /// - **Errors**: an axis out of range, no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 0, -2], [0, 3, 0]]), ..);
    /// assert_eq!((a.argmin(1).to_string(), a.argmin(..).to_string()), ("[2 0]".into(), "2".into()));
    /// ```
    #[track_caller]
    pub fn argmin(&self, axis: impl Into<Along>) -> Array {
        self.extreme_at("argmin", axis.into().axis("argmin"), false)
    }

    /// Returns the position of the largest element along an axis, or of all in C order for `..`, as `argmax` of SciPy; zeros count.
    ///
    /// Of equal elements the first one counts, and a NaN before all.
    ///
    /// - **Shapes**: as [`Sparse::sum`].
    /// - **Dtypes**: real ones; positions are int64.
    /// - **Errors**: an axis out of range, no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 0, -2], [0, 3, 0]]), ..);
    /// assert_eq!((a.argmax(1).to_string(), a.argmax(..).to_string()), ("[0 1]".into(), "4".into()));
    /// ```
    #[track_caller]
    pub fn argmax(&self, axis: impl Into<Along>) -> Array {
        self.extreme_at("argmax", axis.into().axis("argmax"), true)
    }

    #[track_caller]
    fn extreme_at(&self, op: &str, axis: Option<usize>, is_largest: bool) -> Array {
        let [m, n] = self.shape;
        if axis.map_or(m * n, |axis| self.shape[axis]) == 0 {
            return refuse(op, format!("no elements along the axis of {m} by {n}"));
        }
        if axis == Some(0) {
            return self.to_csr().transpose().extreme_at(op, Some(1), is_largest);
        }
        if self.nnz() == 0 {
            let count = if axis.is_some() { m } else { 1 };
            let zeros = zeros_on(count, DType::I64, self.values());
            return if axis.is_some() { zeros } else { zeros.i(0) };
        }
        let own = self.to_csr().sum_duplicates();
        let rows = own.rows();
        let kernel = if is_largest { &LARGEST_AT } else { &LEAST_AT };
        let (begin, end) = (init(&rows.indptr), tail(&rows.indptr));
        let [columns] = kernel.call((begin, end, n as i64, &rows.indices, own.row_values()));
        if axis.is_some() {
            return columns;
        }
        // The first row that has the best of all.
        let best = own.extreme(op, Some(1), is_largest);
        let row = if is_largest { best.argmax(..) } else { best.argmin(..) };
        let row = row.astype(DType::I64);
        &row * n as i64 + columns.take(&row, ..)
    }

    /// Returns the elements of a diagonal, as `diagonal` of SciPy; `k` above 0 is above the main one.
    ///
    /// - **Shapes**: `(min(m, n),)` of the main one.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: a diagonal beyond the array has no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 5], [2, 3]]), ..);
    /// assert_eq!((a.diagonal(0).to_string(), a.diagonal(1).to_string()), ("[1 3]".into(), "[5]".into()));
    /// ```
    #[track_caller]
    pub fn diagonal(&self, k: isize) -> Array {
        let [m, n] = self.shape.map(|extent| extent as isize);
        let (row, column) = ((-k).max(0), k.max(0));
        let count = (m - row).min(n - column).max(0) as usize;
        if count == 0 || self.nnz() == 0 {
            return zeros_on(count, self.dtype(), self.values());
        }
        let rows = self.rows();
        let part = |from: isize| {
            let from = row + from;
            rows.indptr.i(ndany_array::s![from..from + count as isize])
        };
        let columns = below(count, &rows.indptr) + column as i64;
        let [sums] = ENTRIES.call((part(0), part(1), columns, &rows.indices, self.row_values()));
        sums
    }

    /// Returns the sum of a diagonal, as `trace` of SciPy.
    ///
    /// - **Shapes**: `()`.
    /// - **Dtypes**: as [`Array::sum`].
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::eye_array(4).trace(0).to_string(), "4.0");
    /// ```
    #[track_caller]
    pub fn trace(&self, k: isize) -> Array {
        self.diagonal(k).sum(..)
    }

    /// Counts the elements that are not zero along an axis, or of all for `..`, as `count_nonzero` of SciPy.
    ///
    /// - **Shapes**: as [`Sparse::sum`].
    /// - **Dtypes**: int64.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 0], [2, 3]]), ..);
    /// assert_eq!(a.count_nonzero(0).to_string(), "[2 1]");
    /// ```
    #[track_caller]
    pub fn count_nonzero(&self, axis: impl Into<Along>) -> Array {
        let own = self.sum_duplicates();
        own.with_data(own.values().not_equal(0)).sum(axis)
    }
}
