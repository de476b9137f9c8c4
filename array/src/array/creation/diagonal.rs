//! Diagonals and triangles, and windows that slide: views where strides can say it, else masks that
//! fuse with what follows.

use crate::arguments::Arange;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, Eye, Integers, IntoAxes};
use crate::array::manipulation::join::Assembly;
use crate::array::manipulation::manipulate::needs_axes;
use crate::array::{Array, try_arange};
use crate::declare::{array_functions, functions};
use crate::elementwise::try_where;
use crate::graph;
use crate::scalar::Scalar;
use ndany_core::shape::{self, Layout, Shape, axis_index};
use ndany_core::{DType, Error, Result};

array_functions! {
    checked diagonal, free free_diagonal;

    /// Returns the elements at `(i, i + k)` of two axes (`..`: the first two), as `np.diagonal`; a view.
    ///
    /// - **Shapes**: `(m, n, …) → (…, d)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: fewer than two axes, axes that are equal or out of range.
    ///
    /// ```
    /// use ndany::{Device, arange};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = arange(12).reshape((3, 4));
    /// assert_eq!(a.diagonal(1, ..).to_vec::<i64>()?, [1, 6, 11]);
    /// assert_eq!(a.diagonal(1, (1, 0)).to_vec::<i64>()?, [4, 9]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    diagonal / try_diagonal (self, k: isize, axes: impl IntoAxes) -> Array {
        let [first, second] = two_axes("diagonal", &axes.into_axes())?;
        self.diagonal_of(k, first, second)
    }

    /// Returns the diagonal of a matrix (a view), or a matrix with a 1-d array as its diagonal, as `np.diag`.
    ///
    /// - **Shapes**: `(m, n) → (d,)`, `(n,) → (n, n)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: neither one nor two axes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).diag(0).to_string(), "[1 4]");
    /// ```
    diag / try_diag (self, offset: isize) -> Array {
        match self.ndim() {
            1 => self.try_diagflat(offset),
            2 => self.diagonal_of(offset, 0, 1),
            _ => {
                let expected = "one or two axes".to_string();
                Err(Error::Shape { op: "diag", expected, got: self.shape().into() })
            }
        }
    }

    /// Returns a matrix with the elements in C order as a diagonal and zeros elsewhere, as `np.diagflat`.
    ///
    /// - **Shapes**: `(…) → (n, n)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a matrix that is too large.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).diagflat(0).to_string(), "[[1 0]\n [0 2]]");
    /// ```
    diagflat / try_diagflat (self, offset: isize) -> Array {
        const OP: &str = "diagflat";
        let flat = self.try_ravel()?;
        let (size, skipped) = (flat.size(), offset.unsigned_abs());
        let extent = size.saturating_add(skipped);
        let zero = graph::constant(OP, &Scalar::from(false), self.dtype())?;
        let mut matrix = Assembly::new(OP, &[extent, extent], self.dtype(), self.device(), None)?;
        matrix.fill(&matrix.layout().clone(), zero);
        let start = if offset >= 0 { skipped } else { skipped * extent };
        let diagonal = Layout {
            shape: Shape::from_slice(&[size]),
            strides: smallvec::smallvec![extent as isize + 1],
            offset: start,
        };
        matrix.put(&diagonal, &flat);
        Ok(matrix.finish())
    }

    /// Sums the `k`-th diagonal of two axes (`..`: the first two), as `np.trace`.
    ///
    /// - **Shapes**: `(m, n, …) → (…)`.
    /// - **Dtypes**: as [`Array::sum`](crate::Array::sum): bool and integers give 64 bits, or that of the option `dtype`.
    /// - **Errors**: fewer than two axes, axes that are equal or out of range.
    ///
    /// ```
    /// use ndany::{DType, Device, eye, over};
    /// # let _guard = Device::open("reference")?.enter();
    /// assert_eq!(eye(3).trace(0, ..).item::<f64>()?, 3.0);
    /// assert_eq!(eye(3).trace(1, over((0, 1)).dtype(DType::F32)).item::<f32>()?, 0.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    trace / try_trace (self, k: isize, axes: impl IntoAxes<TraceOptions>) -> Array {
        let options = axes.into_axes();
        let [first, second] = two_axes("trace", &options)?;
        let along = AxisOptions::from(Some(-1)).dtype_or_default(options.dtype);
        self.diagonal_of(k, first, second)?.try_sum(along)
    }

    /// Returns the lower triangle of the last two axes, with zeros above the `offset`-th diagonal, as `np.tril`.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m, n)`, `(n,) → (n, n)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a 0-d array.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).tril(0).to_string(), "[[1 0]\n [3 4]]");
    /// ```
    tril / try_tril (self, offset: isize) -> Array {
        let (rows, columns) = triangle_of("tril", self)?;
        let _guard = self.device().enter();
        let zero = Scalar::typed(self.dtype(), false);
        try_where(at_or_below(rows, columns, offset)?, self, zero)
    }

    /// Returns the upper triangle of the last two axes, with zeros below the `offset`-th diagonal, as `np.triu`.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m, n)`, `(n,) → (n, n)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a 0-d array.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).triu(0).to_string(), "[[1 2]\n [0 4]]");
    /// ```
    triu / try_triu (self, offset: isize) -> Array {
        let (rows, columns) = triangle_of("triu", self)?;
        let _guard = self.device().enter();
        let zero = Scalar::typed(self.dtype(), false);
        try_where(at_or_below(rows, columns, offset.saturating_sub(1))?, zero, self)
    }

    /// Returns every window of these extents, as `np.lib.stride_tricks.sliding_window_view`; a view.
    ///
    /// The windows' axes come last; `..` takes windows along all axes.
    ///
    /// - **Shapes**: `(n,) → (n - w + 1, w)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: windows that are larger than the array or negative, numbers of extents and axes that differ, more than
    ///   64 axes.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([1, 2, 3, 4]);
    /// assert_eq!(a.sliding_window_view(2, ..).sum(-1).to_vec::<i64>()?, [3, 5, 7]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    sliding_window_view / try_sliding_window_view (self, window: impl Integers, axes: impl IntoAxes) -> Array {
        const OP: &str = "sliding_window_view";
        let window = window.integers();
        if window.iter().any(|&extent| extent < 0) {
            return Err(Error::Range { op: OP, reason: "a negative extent of a window" });
        }
        let axes: Vec<usize> = match axes.into_axes().axes {
            None => (0..self.ndim()).collect(),
            // An axis may be given twice.
            Some(axes) => axes.iter().map(|&axis| axis_index(OP, axis, self.ndim())).collect::<Result<_>>()?,
        };
        if axes.len() != window.len() {
            let (left, right) = (window.len(), axes.len());
            return Err(Error::Lengths { op: OP, left, right });
        }
        if self.ndim() + axes.len() > shape::MAX_NDIM {
            return Err(Error::TooManyDimensions { op: OP, ndim: self.ndim() + axes.len() });
        }
        let mut layout = self.layout().clone();
        for (&axis, &extent) in axes.iter().zip(&window) {
            let extent = extent as usize;
            let left = (layout.shape[axis] + 1).checked_sub(extent).filter(|_| layout.shape[axis] >= extent);
            layout.shape[axis] = left.ok_or_else(|| {
                let expected = format!("at least {extent} elements along axis {axis}");
                Error::Shape { op: OP, expected, got: self.shape().into() }
            })?;
        }
        for (&axis, &extent) in axes.iter().zip(&window) {
            layout.shape.push(extent as usize);
            layout.strides.push(self.layout().strides[axis]);
        }
        shape::checked_size(OP, &layout.shape, self.dtype())?;
        Ok(self.with_layout(layout))
    }

    /// Views the array's memory with any extents and strides, as `np.lib.stride_tricks.as_strided`.
    ///
    /// Strides count in elements, from the array's first element on.
    ///
    /// - **Shapes**: `(…) → shape`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: strides that leave the array's memory, lists of different lengths.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(arange(4).as_strided(&[3, 2], &[1, 1]).to_string(), "[[0 1]\n [1 2]\n [2 3]]");
    /// ```
    as_strided / try_as_strided (self, shape: &[usize], strides: &[isize]) -> Array {
        const OP: &str = "as_strided";
        if shape.len() != strides.len() {
            return Err(Error::Lengths { op: OP, left: shape.len(), right: strides.len() });
        }
        let size = shape::checked_size(OP, shape, self.dtype())?;
        let offset = self.layout().offset;
        let (mut low, mut high) = (offset as i128, offset as i128);
        for (&extent, &stride) in shape.iter().zip(strides) {
            let reach = stride as i128 * (extent as i128 - 1);
            if reach < 0 { low += reach } else { high += reach }
        }
        let held = shape::size_of(self.node().shape()) as i128;
        if size > 0 && (low < 0 || high >= held) {
            return Err(Error::Range { op: OP, reason: "steps that leave the array's memory" });
        }
        let strides = shape::Strides::from_slice(strides);
        Ok(self.with_layout(Layout { shape: Shape::from_slice(shape), strides, offset }))
    }

    /// Returns the powers of a 1-d array as columns, as `np.vander`.
    ///
    /// The highest power comes first, or last with `increasing`. Without `columns` the matrix is square.
    ///
    /// - **Shapes**: `(n,) → (n, columns)`.
    /// - **Dtypes**: any; integers and bool give int64.
    /// - **Errors**: an array that is not 1-d.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3]).vander(None, false).to_string(), "[[1 1 1]\n [4 2 1]\n [9 3 1]]");
    /// ```
    vander / try_vander (self, columns: impl Into<Option<usize>>, increasing: bool) -> Array {
        let columns = columns.into();
        const OP: &str = "vander";
        if self.ndim() != 1 {
            let expected = "one axis".to_string();
            return Err(Error::Shape { op: OP, expected, got: self.shape().into() });
        }
        let (rows, dtype) = (self.size(), DType::promote(self.dtype(), DType::I64));
        let columns = columns.unwrap_or(rows);
        let mut matrix = Assembly::new(OP, &[rows, columns], dtype, self.device(), None)?;
        let base = self.try_astype(dtype)?;
        let mut power: Option<Array> = None;
        for exponent in 0..columns {
            let column = if increasing { exponent } else { columns - 1 - exponent };
            let window = matrix.window(&[0, column], &[rows, 1]);
            power = Some(match power {
                None => {
                    matrix.fill(&window, graph::constant(OP, &Scalar::from(true), dtype)?);
                    base.clone()
                }
                Some(power) => {
                    matrix.put(&window, &power.try_expand_dims(1)?);
                    // NumPy multiplies on from column to column. Computed now, or each column would
                    // compute those before it again; a failure comes out in the column.
                    let next = power.try_multiply(&base)?;
                    let _ = next.eval();
                    next
                }
            });
        }
        Ok(matrix.finish())
    }
}

/// Rows and columns of the matrix whose triangle is asked for.
fn triangle_of(op: &'static str, array: &Array) -> Result<(usize, usize)> {
    match *array.shape() {
        [] => {
            let reason = "a 0-d array has no triangle".to_string();
            Err(Error::Arguments { op: op.to_string(), reason })
        }
        [size] => {
            shape::checked_size(op, &[size, size], array.dtype())?;
            Ok((size, size))
        }
        [.., rows, columns] => Ok((rows, columns)),
    }
}

/// True at and below a diagonal.
fn at_or_below(rows: usize, columns: usize, offset: isize) -> Result<Array> {
    // The narrower the numbers, the less there is to compare.
    let dtype = match rows.saturating_add(columns) {
        0..=0x7fff => DType::I16,
        0x8000..=0x7fff_ffff => DType::I32,
        _ => DType::I64,
    };
    let column = |size: usize, start: i64| {
        try_arange(Arange::of(start, start.saturating_add(size as i64), 1, Some(dtype)))
    };
    // Beyond the corners every offset says the same.
    let offset = (offset as i64).clamp(-(rows as i64), columns as i64);
    column(rows, offset)?.try_expand_dims(1)?.try_greater_equal(&column(columns, 0)?)
}

impl Array {
    /// The elements at `(i, i + offset)` of two axes, as a last axis after the others.
    #[track_caller]
    fn diagonal_of(&self, offset: isize, axis1: isize, axis2: isize) -> Result<Array> {
        const OP: &str = "diagonal";
        needs_axes(OP, self, 2)?;
        let first = axis_index(OP, axis1, self.ndim())?;
        let second = axis_index(OP, axis2, self.ndim())?;
        if first == second {
            return Err(Error::AxisTwice { op: OP, axis: first });
        }
        let (rows, columns) = (self.shape()[first], self.shape()[second]);
        let skipped = offset.unsigned_abs();
        let (length, axis) = match offset {
            0.. => (rows.min(columns.saturating_sub(skipped)), second),
            _ => (rows.saturating_sub(skipped).min(columns), first),
        };
        let others: Vec<usize> = (0..self.ndim()).filter(|&a| a != first && a != second).collect();
        let layout = self.layout();
        let mut diagonal = layout.permute(&others);
        diagonal.shape.push(length);
        diagonal.strides.push(layout.strides[first].wrapping_add(layout.strides[second]));
        if length > 0 {
            let start = layout.offset as isize + skipped as isize * layout.strides[axis];
            diagonal.offset = start as usize;
        }
        Ok(self.with_layout(diagonal))
    }
}

/// The two axes of a diagonal: the first two where none are given.
fn two_axes(op: &'static str, options: &AxisOptions) -> Result<[isize; 2]> {
    match options.axes.as_deref() {
        None => Ok([0, 1]),
        Some(&[first, second]) => Ok([first, second]),
        Some(_) => Err(Error::Range { op, reason: "a diagonal has two axes" }),
    }
}

functions! {
    /// Makes a matrix of ones at and below a diagonal and zeros above it, as `np.tri`.
    ///
    /// Takes an extent, `(rows, columns)`, or an [`Eye`] with options.
    ///
    /// - **Shapes**: `n → (n, n)`, `(m, n) → (m, n)`.
    /// - **Dtypes**: float64, or that of the option `dtype`.
    /// - **Errors**: extents that are not one or two, negative or too large.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::tri(2).to_string(), "[[1. 0.]\n [1. 1.]]");
    /// ```
    tri / try_tri (matrix: impl Into<Eye>) -> Array {
        let matrix = matrix.into();
        let ([rows, columns], dtype) = (matrix.matrix("tri")?, matrix.dtype.unwrap_or(DType::F64));
        shape::checked_size("tri", &[rows, columns], dtype)?;
        at_or_below(rows, columns, matrix.k)?.try_astype(dtype)
    }
}

#[cfg(test)]
mod tests {
    use crate::arguments::Eye;
    use crate::array::try_tri;
    use crate::{DType, Device};

    /// Around the extents from which on places are counted in wider numbers.
    #[test]
    fn long_rows_of_triangles_end_where_they_should() {
        let _guard = Device::open("reference").expect("always there").enter();
        for columns in [1, 5, 32_764, 32_765, 32_766, 40_000] {
            let last = columns as isize;
            for offset in [-5, -1, 0, 1, last - 2, last - 1, last + 7] {
                let made = try_tri(Eye::of(2, columns, offset, DType::U8)).expect("two rows");
                let counts = made.astype(DType::I64).sum(-1).to_vec::<i64>().expect("numbers");
                let expected = [1, 2].map(|end| (end + offset).clamp(0, last) as i64);
                assert_eq!(counts, expected, "{columns} columns, offset {offset}");
            }
        }
    }
}
