//! Positions that follow from shapes: of diagonals and triangles, of cross products, and between flat
//! positions and coordinates.

use crate::arguments::options::*;
use crate::arguments::{self, Arrays, Eye, Integers, IntoShape, list};
use crate::array::Order;
use crate::array::indexing::gather::coordinates;
use crate::array::indexing::take::IndexModes;
use crate::array::{Array, try_arange, try_tri};
use crate::declare::{array_functions, functions};
use ndany_core::shape::{self, Shape};
use ndany_core::{DType, Error, Kind, Result};

fn value_error(op: &'static str, reason: impl Into<String>) -> Error {
    Error::ArgumentValue { op: op.to_string(), reason: reason.into() }
}

/// Whole numbers as I64, for functions that take nothing else.
#[track_caller]
fn to_integers(op: &'static str, array: &Array) -> Result<Array> {
    match array.dtype().kind() {
        Kind::Bool | Kind::Int => array.try_astype(DType::I64),
        Kind::Float | Kind::Complex => {
            let dtypes = format!("positions of {}", array.dtype());
            Err(Error::DTypes { op, dtypes, remedy: "positions are integers" })
        }
    }
}

fn square(op: &'static str, array: &Array) -> Result<usize> {
    let shape = array.shape();
    let wrong = |expected: &str| {
        Err(Error::Shape { op, expected: expected.to_string(), got: shape.into() })
    };
    match shape {
        [] | [_] => wrong("at least two axes"),
        [first, rest @ ..] if rest.iter().any(|extent| extent != first) => {
            wrong("axes of one extent")
        }
        [first, ..] => Ok(*first),
    }
}

fn matrix(op: &'static str, array: &Array) -> Result<[usize; 2]> {
    match *array.shape() {
        [rows, columns] => Ok([rows, columns]),
        _ => {
            let expected = "two axes".to_string();
            Err(Error::Shape { op, expected, got: array.shape().into() })
        }
    }
}

array_functions! {
    checked places, free free_places;

    /// Returns the positions of the main diagonal, an array for each axis, as `np.diag_indices_from`.
    ///
    /// - **Shapes**: `(n, n) → (n,), (n,)`.
    /// - **Dtypes**: any; the results are int64.
    /// - **Errors**: fewer than two axes, extents that differ.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(eye(2).diag_indices_from()[0].to_string(), "[0 1]");
    /// ```
    diag_indices_from / try_diag_indices_from (self) -> Arrays {
        let extent = square("diag_indices_from", self)?;
        let _guard = self.device().enter();
        try_diag_indices(extent, self.ndim())
    }

    /// Returns the positions at and below the `k`-th diagonal of this matrix, as `np.tril_indices_from`.
    ///
    /// - **Shapes**: `(m, n) → (count,), (count,)`.
    /// - **Dtypes**: any; the results are int64.
    /// - **Errors**: an array that is no matrix.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(eye(2).tril_indices_from(0)[1].to_string(), "[0 0 1]");
    /// ```
    tril_indices_from / try_tril_indices_from (self, k: isize) -> Arrays {
        let [rows, columns] = matrix("tril_indices_from", self)?;
        let _guard = self.device().enter();
        try_tril_indices([rows, columns], k)
    }

    /// Returns the positions at and above the `k`-th diagonal of this matrix, as `np.triu_indices_from`.
    ///
    /// - **Shapes**: `(m, n) → (count,), (count,)`.
    /// - **Dtypes**: any; the results are int64.
    /// - **Errors**: an array that is no matrix.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(eye(2).triu_indices_from(0)[1].to_string(), "[0 1 1]");
    /// ```
    triu_indices_from / try_triu_indices_from (self, k: isize) -> Arrays {
        let [rows, columns] = matrix("triu_indices_from", self)?;
        let _guard = self.device().enter();
        try_triu_indices([rows, columns], k)
    }

    /// Returns the coordinates of flat positions, an array for each axis of a shape, as `np.unravel_index`.
    ///
    /// - **Shapes**: `(…) → (…), (…)` for a shape of two axes.
    /// - **Dtypes**: integers; the results are int64.
    /// - **Errors**: positions that are no integers, a position outside of the shape (ValueError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 5]).unravel_index((2, 3))[1].to_string(), "[1 2]");
    /// ```
    unravel_index / try_unravel_index (self, shape: impl IntoShape<OrderedShape>) -> Arrays {
        const OP: &str = "unravel_index";
        let options = shape.into_shape();
        let (shape, order) = (options.extents(OP)?, options.order);
        let shape = shape.as_slice();
        let index = to_integers(OP, self)?;
        if shape.is_empty() && index.ndim() > 0 {
            return Err(value_error(OP, "several positions in an array without axes"));
        }
        let size = shape::checked_size(OP, shape, DType::U8)?;
        let outside = index.try_less(0)?.try_logical_or(index.try_greater_equal(size as i64)?)?;
        if index.size() > 0 && outside.try_any(..)?.item::<bool>()? {
            let error = || value_error(OP, format!("a position outside {size} elements"));
            if shape.is_empty() {
                return Err(error());
            }
            let failed = || {
                let error = error();
                Array::failed(OP, Shape::from_slice(self.shape()), DType::I64, self.device(), error)
            };
            return Ok(shape.iter().map(|_| failed()).collect());
        }
        if order == Order::F {
            let reversed: Shape = shape.iter().rev().copied().collect();
            let mut found = coordinates(&index, &reversed)?;
            found.reverse();
            return Ok(found.into());
        }
        coordinates(&index, shape).map(Arrays::from)
    }
}

functions! {
    /// Returns the positions of the main diagonal of an array of `ndim` equal extents, as `np.diag_indices`.
    ///
    /// - **Shapes**: `() → (extent,), …`, `ndim` of them.
    /// - **Dtypes**: int64.
    /// - **Errors**: more than 64 axes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::diag_indices(3, 2)[1].to_string(), "[0 1 2]");
    /// ```
    diag_indices / try_diag_indices (extent: usize, ndim: usize) -> Arrays {
        Ok(vec![try_arange(extent as i64)?; ndim].into())
    }

    /// Returns the positions at and below the `k`-th diagonal of a matrix, as `np.tril_indices`.
    ///
    /// Takes one extent or `(rows, columns)`.
    ///
    /// - **Shapes**: `() → (count,), (count,)`.
    /// - **Dtypes**: int64.
    /// - **Errors**: extents that are not one or two, or negative.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::tril_indices(2, 0)[0].to_string(), "[0 1 1]");
    /// ```
    tril_indices / try_tril_indices (extents: impl Integers, k: isize) -> Arrays {
        let [rows, columns] = arguments::matrix("tril_indices", &extents.integers())?;
        try_tri(Eye::of(rows, columns, k, DType::Bool))?.try_nonzero()
    }

    /// Returns the positions at and above the `k`-th diagonal of a matrix, as `np.triu_indices`.
    ///
    /// Takes one extent or `(rows, columns)`.
    ///
    /// - **Shapes**: `() → (count,), (count,)`.
    /// - **Dtypes**: int64.
    /// - **Errors**: extents that are not one or two, or negative.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::triu_indices(2, 0)[0].to_string(), "[0 0 1]");
    /// ```
    triu_indices / try_triu_indices (extents: impl Integers, k: isize) -> Arrays {
        let [rows, columns] = arguments::matrix("triu_indices", &extents.integers())?;
        try_tri(Eye::of(rows, columns, k.saturating_sub(1), DType::Bool))?.try_logical_not()?.try_nonzero()
    }

    /// Returns index arrays for the cross product of positions or masks, one for each axis, as `np.ix_`.
    ///
    /// `a.i((&ix[0], &ix[1]))` is the part of `a` in these rows and columns.
    ///
    /// - **Shapes**: `(m,), (n,) → (m, 1), (1, n)`.
    /// - **Dtypes**: integers stay, a bool mask gives the int64 positions of its true elements.
    /// - **Errors**: sequences that are not 1-d.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let ix = ndany::ix_([array([0, 1]), array([2])]);
    /// assert_eq!(arange(6).reshape((2, 3)).i((&ix[0], &ix[1])).to_string(), "[[2]\n [5]]");
    /// ```
    ix_ / try_ix_ (sequences: impl IntoIterator<Item: AsRef<Array>>) -> Arrays {
        list!(sequences);
        let ndim = sequences.len();
        let axis = |(number, sequence): (usize, &&Array)| {
            if sequence.ndim() != 1 {
                let expected = "positions of one dimension".to_string();
                return Err(Error::Shape { op: "ix_", expected, got: sequence.shape().into() });
            }
            let positions = match sequence.dtype() {
                DType::Bool => sequence.try_flatnonzero()?,
                _ => (*sequence).clone(),
            };
            let mut own: Vec<isize> = vec![1; ndim];
            own[number] = positions.size() as isize;
            positions.try_reshape(own.as_slice())
        };
        sequences.iter().enumerate().map(axis).collect()
    }

    /// Returns the flat positions of coordinates in an array of a shape, as `np.ravel_multi_index`.
    ///
    /// - **Shapes**: `(…), (…) → (…)`, broadcast; one array of coordinates for each axis of the shape.
    /// - **Dtypes**: integers; the result is int64.
    /// - **Errors**: a number of coordinates or modes that is not that of the axes, shapes that do not broadcast; a
    ///   coordinate outside (ValueError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::ravel_multi_index([array([0, 1]), array([1, 2])], (2, 3), ndany::IndexMode::Raise).to_string(), "[1 5]");
    /// ```
    ravel_multi_index / try_ravel_multi_index (coordinates: impl IntoIterator<Item: AsRef<Array>>, shape: impl IntoShape<OrderedShape>, modes: impl Into<IndexModes>) -> Array {
        const OP: &str = "ravel_multi_index";
        list!(coordinates);
        let (options, modes) = (shape.into_shape(), modes.into());
        let (shape, order) = (options.extents(OP)?, options.order);
        let (shape, modes) = (shape.as_slice(), modes.of_axes(shape.len()));
        if coordinates.len() != shape.len() || modes.len() != shape.len() {
            return Err(value_error(OP, format!("{} coordinates and {} modes for {} axes", coordinates.len(), modes.len(), shape.len())));
        }
        shape::checked_size(OP, shape, DType::U8)?;
        let steps = match order {
            Order::F => {
                let reversed: Shape = shape.iter().rev().copied().collect();
                shape::contiguous_strides(&reversed).iter().rev().copied().collect()
            }
            Order::C | Order::A | Order::K => shape::contiguous_strides(shape),
        };
        let mut flat: Option<Array> = None;
        let mut outside: Option<Array> = None;
        for (axis, coordinate) in coordinates.iter().enumerate() {
            let (mode, extent) = (modes[axis], shape[axis] as i64);
            let coordinate = mode.resolve(&to_integers(OP, coordinate)?, shape[axis])?;
            let wrong = coordinate.try_less(0)?.try_logical_or(coordinate.try_greater_equal(extent)?)?;
            let part = coordinate.try_multiply(steps[axis] as i64)?;
            outside = Some(match outside {
                Some(outside) => outside.try_logical_or(wrong)?,
                None => wrong,
            });
            flat = Some(match flat {
                Some(flat) => flat.try_add(part)?,
                None => part,
            });
        }
        let (Some(flat), Some(outside)) = (flat, outside) else {
            // The only element of an array without axes.
            return crate::array::try_zeros((), DType::I64);
        };
        if outside.size() > 0 && outside.try_any(..)?.item::<bool>()? {
            let error = value_error(OP, format!("a coordinate outside shape {shape:?}"));
            return Ok(Array::failed(OP, Shape::from_slice(flat.shape()), DType::I64, flat.device(), error));
        }
        Ok(flat)
    }
}
