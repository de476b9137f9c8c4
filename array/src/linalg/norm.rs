//! Norms of vectors and matrices: reductions, of elements or of singular values.

use smallvec::SmallVec;

use super::singular_values;
pub use crate::arguments::choices::linalg::Norm;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxes, over};
use crate::array::{Array, squares};
use crate::declare::array_functions;
use ndany_core::ops::reductions as table;
use ndany_core::shape::Shape;
use ndany_core::{DType, Error, Result};

array_functions! {
    mod norms, checked;

    /// Returns a norm over one axis (of vectors) or two (of matrices), as `np.linalg.norm`.
    ///
    /// `..` are all axes, and with the default norm an array of any dimensions counts as one vector. The option `ord` says which
    /// norm.
    ///
    /// - **Shapes**: `(m, n) → (m,)` over axis 1, `()` over `..`.
    /// - **Dtypes**: floats keep theirs, complex numbers give the dtype of their parts, bool and integers float64.
    /// - **Errors**: more than two axes, an axis out of range or given twice, a norm that vectors or matrices do not have.
    ///
    /// ```
    /// use ndany::{Array, Device, linalg, over};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[3.0, 4.0], [6.0, 8.0]]);
    /// assert_eq!(linalg::norm(&a, over(1)).to_vec::<f64>()?, [5.0, 10.0]);
    /// assert_eq!(linalg::norm(&a, over(..).ord(f64::INFINITY)).item::<f64>()?, 14.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    norm / try_norm (self, axes: impl IntoAxes<NormOptions>) -> Array {
        let options = axes.into_axes();
        norm(self, options.given_ord().unwrap_or_default(), &options)
    }

    /// Returns a norm of vectors along any number of axes, as `np.linalg.vector_norm`.
    ///
    /// - **Shapes**: `(m, n) → (m,)` over axis 1, `()` over `..`.
    /// - **Dtypes**: floats keep theirs, complex numbers give the dtype of their parts, bool and integers float64.
    /// - **Errors**: an axis out of range or given twice, a norm that vectors do not have.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::vector_norm(&array([3.0, 4.0]), ..).to_string(), "5.0");
    /// ```
    vector_norm / try_vector_norm (self, axes: impl IntoAxes<NormOptions>) -> Array {
        let options = axes.into_axes();
        let kind = options.given_ord().unwrap_or_default();
        let axes = match options.axes_in_order(OP, self.ndim())? {
            Some(axes) => axes,
            None => (0..self.ndim()).collect(),
        };
        let signed: SmallVec<[isize; 4]> = axes.iter().map(|&axis| axis as isize).collect();
        let front: SmallVec<[isize; 4]> = (0..axes.len() as isize).collect();
        let moved = self.try_moveaxis(signed.as_slice(), front.as_slice())?;
        let length: usize = moved.shape()[..axes.len()].iter().product();
        let mut shape = Shape::from_slice(&[length]);
        shape.extend_from_slice(&moved.shape()[axes.len()..]);
        let norms = norm(&moved.try_reshape(shape.as_slice())?, kind, &AxisOptions::from(Some(0)))?;
        if options.keepdims { norms.try_expand_dims(signed.as_slice()) } else { Ok(norms) }
    }

    /// Returns a norm of matrices in the last two axes (`..`) or two others, as `np.linalg.matrix_norm`.
    ///
    /// - **Shapes**: `(…, m, n) → (…)`.
    /// - **Dtypes**: floats keep theirs, complex numbers give the dtype of their parts, bool and integers float64.
    /// - **Errors**: a number of axes that is not 2, a norm that matrices do not have.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::matrix_norm(&array([[3.0, 0.0], [0.0, 4.0]]), ..).to_string(), "5.0");
    /// ```
    matrix_norm / try_matrix_norm (self, axes: impl IntoAxes<NormOptions>) -> Array {
        let mut options = axes.into_axes();
        let axes = options.axes.get_or_insert_with(|| SmallVec::from_slice(&[-2, -1]));
        if axes.len() != 2 {
            return Err(value_error("a matrix has two axes"));
        }
        norm(self, options.given_ord().unwrap_or_default(), &options)
    }
}

const OP: &str = "norm";

fn value_error(reason: &str) -> Error {
    Error::ArgumentValue { op: OP.to_string(), reason: reason.to_string() }
}

fn norm(array: &Array, kind: Norm, options: &AxisOptions) -> Result<Array> {
    let x = array.as_floats()?;
    let given = options.axes_in_order(OP, x.ndim())?;
    if given.is_none() && kind == Norm::Default {
        // As NumPy's product of the vector with itself, whose sum is not rounded to 16 bits on the way.
        let out = x.dtype().part();
        let wide = if out.size() == 2 { x.try_astype(DType::F32)? } else { x };
        let squares = squares(&wide)?.reduce(&table::SUM, options.geometry())?;
        return squares.try_astype(out)?.try_sqrt();
    }
    let axes = given.unwrap_or_else(|| (0..x.ndim()).collect());
    match *axes.as_slice() {
        [_] => vectors(&x, kind, options.geometry()),
        [row, column] => matrices(&x, kind, [row, column], options),
        _ => Err(value_error("a norm goes over one axis or two")),
    }
}

fn vectors(x: &Array, kind: Norm, axis: AxisOptions) -> Result<Array> {
    let order = match kind {
        Norm::Default => 2.0,
        Norm::Order(order) => order,
        Norm::Frobenius | Norm::Nuclear => return Err(value_error("no norm of vectors")),
    };
    if order == 2.0 {
        return squares(x)?.reduce(&table::SUM, axis)?.try_sqrt();
    }
    if order == 0.0 {
        let counted = x.try_not_equal(0)?.try_astype(x.dtype().part())?;
        return counted.reduce(&table::SUM, axis);
    }
    let magnitudes = x.try_absolute()?;
    if order == f64::INFINITY {
        magnitudes.reduce(&table::MAX, axis.initial(0.into()))
    } else if order == f64::NEG_INFINITY {
        magnitudes.reduce(&table::MIN, axis)
    } else if order == 1.0 {
        magnitudes.reduce(&table::SUM, axis)
    } else {
        magnitudes.try_power(order)?.reduce(&table::SUM, axis)?.try_power(1.0 / order)
    }
}

fn matrices(
    x: &Array,
    kind: Norm,
    [row, column]: [usize; 2],
    options: &AxisOptions,
) -> Result<Array> {
    let (summed, rest, largest) = match kind {
        Norm::Default | Norm::Frobenius => {
            return squares(x)?.reduce(&table::SUM, options.geometry())?.try_sqrt();
        }
        Norm::Nuclear => return spectral(x, [row, column], options, &table::SUM, None),
        // Of no singular values the largest is 0, and there is no smallest.
        Norm::Order(2.0) => return spectral(x, [row, column], options, &table::MAX, Some(0)),
        Norm::Order(-2.0) => return spectral(x, [row, column], options, &table::MIN, None),
        Norm::Order(order) if order.abs() == 1.0 => (row, column, order > 0.0),
        Norm::Order(order) if order.is_infinite() => (column, row, order > 0.0),
        Norm::Order(_) => return Err(value_error("no norm of matrices")),
    };
    // Axes stay until the end, so that their numbers do.
    let sums = x.try_absolute()?.reduce(&table::SUM, over(summed).keepdims())?;
    let extremum = match largest {
        true => sums.reduce(&table::MAX, over(rest).keepdims().initial(0))?,
        false => sums.reduce(&table::MIN, over(rest).keepdims())?,
    };
    match options.keepdims {
        true => Ok(extremum),
        false => extremum.try_squeeze([row as isize, column as isize]),
    }
}

/// A norm by singular values: their sum, the largest or the smallest.
fn spectral(
    x: &Array,
    axes: [usize; 2],
    options: &AxisOptions,
    reduction: &'static dyn table::ReductionDef,
    initial: Option<i64>,
) -> Result<Array> {
    let axes = axes.map(|axis| axis as isize);
    let values = singular_values(OP, &x.try_moveaxis(axes, [-2, -1])?)?;
    let last = AxisOptions::from(Some(-1));
    let last = match initial {
        Some(initial) => last.initial(initial.into()),
        None => last,
    };
    let norm = values.reduce(reduction, last)?;
    let mut sorted = axes;
    sorted.sort_unstable();
    if options.keepdims { norm.try_expand_dims(sorted) } else { Ok(norm) }
}
