//! Grids of positions, and functions of them.
//!
//! Grids are broadcast views of their axes: they take no memory until something is computed of them.

use smallvec::SmallVec;

use crate::Device;
use crate::arguments::{Arange, Arrays, Creation, IntoShape, OneOf, list, one_of};
use crate::array::manipulation::join::{Assembly, one_device};
use crate::array::{Array, try_arange, try_full};
use crate::declare::functions;
use crate::graph::{self, Operand};
use crate::scalar::Scalar;
use ndany_core::shape::{self, Layout, Shape};
use ndany_core::{DType, Error, Number, Result};

/// Which axis of a grid the first of its arrays runs along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Indexing {
    /// The second, as the x of a plot; the second array runs along the first.
    #[default]
    Xy,
    /// The first, as the row of a matrix.
    Ij,
    /// As `Xy`, each array with extent 1 along the axes of the others: `sparse=True` of `np.meshgrid`.
    SparseXy,
    /// As `Ij`, each array with extent 1 along the axes of the others, as `np.ogrid` and `np.ix_` make them.
    SparseIj,
}

one_of!(Indexing);

/// An axis of a grid, as a slice of `np.mgrid`.
#[derive(Clone, Copy, Debug)]
pub enum GridAxis {
    /// From a start to before a stop by a step.
    Step(Scalar, Scalar, Scalar),
    /// From a start to a stop, both included, this many positions.
    Count(Scalar, Scalar, usize),
}

/// A flat array along one of `ndim` axes, the others having extent 1.
fn along(array: &Array, axis: usize, ndim: usize) -> Result<Array> {
    let mut shape: SmallVec<[isize; 4]> = SmallVec::from_elem(1, ndim);
    shape[axis] = array.size() as isize;
    array.try_reshape(shape.as_slice())
}

/// Arrays that broadcast to one shape, broadcast to it.
fn full_grid(axes: &[Array]) -> Result<Arrays> {
    crate::array::try_broadcast_arrays(axes)
}

/// Arrays along the axes of a grid, each with extent 1 along the others; `xy` exchanges the first two axes.
fn open_meshgrid(axes: &[&Array], xy: bool) -> Result<Arrays> {
    const OP: &str = "meshgrid";
    if axes.is_empty() {
        return Ok(Arrays::default());
    }
    one_device(OP, axes)?;
    let ndim = axes.len();
    if ndim > shape::MAX_NDIM {
        return Err(Error::TooManyDimensions { op: OP, ndim });
    }
    let place = |axis: usize| match axis {
        0 | 1 if xy && ndim > 1 => 1 - axis,
        axis => axis,
    };
    axes.iter().enumerate().map(|(axis, array)| along(array, place(axis), ndim)).collect()
}

/// The positions along each axis of a shape, broadcastable to it, as `np.indices` with `sparse=True`.
pub(crate) fn open_indices(shape: &[usize], dtype: DType) -> Result<Arrays> {
    shape::checked_size("indices", shape, dtype)?;
    let axis = |(axis, &extent): (usize, &usize)| {
        along(&try_arange(Arange::of(0, extent, 1, Some(dtype)))?, axis, shape.len())
    };
    shape.iter().enumerate().map(axis).collect()
}

functions! {
    /// Makes arrays of coordinates from those of each axis, as `np.meshgrid`.
    ///
    /// - **Shapes**: `(m,), (n,) → (n, m), (n, m)`, `(m, n)` for `Indexing::Ij`, `(1, m), (n, 1)` for `Indexing::SparseXy`, `(m, 1),
    ///   (1, n)` for `Indexing::SparseIj`; views.
    /// - **Dtypes**: any; each result has that of its axis.
    /// - **Errors**: axes of more than one dimension, more than 64 axes.
    ///
    /// ```
    /// use ndany::{Device, arange, meshgrid};
    /// # let _guard = Device::open("reference")?.enter();
    /// let grid = meshgrid([arange(3), arange(2)], ..);
    /// assert_eq!((&grid[0] + &grid[1] * 10).to_string(), "[[ 0  1  2]\n [10 11 12]]");
    /// let open = meshgrid([arange(3), arange(2)], ndany::Indexing::SparseXy);
    /// assert_eq!((open[0].shape(), open[1].shape()), (&[1, 3][..], &[2, 1][..]));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    meshgrid / try_meshgrid (axes: impl IntoIterator<Item: AsRef<Array>>, indexing: impl OneOf<Indexing>) -> Arrays {
        list!(axes);
        match indexing.or(Indexing::Xy) {
            Indexing::Xy => full_grid(&open_meshgrid(axes, true)?),
            Indexing::Ij => full_grid(&open_meshgrid(axes, false)?),
            Indexing::SparseXy => open_meshgrid(axes, true),
            Indexing::SparseIj => open_meshgrid(axes, false),
        }
    }

    /// Returns the positions along each axis at every element of a shape, stacked, as `np.indices`.
    ///
    /// What `sparse=True` is there, broadcastable arrays, [`ogrid`] makes.
    ///
    /// - **Shapes**: `(m, n) → (2, m, n)`.
    /// - **Dtypes**: the given one, `..` for int64.
    /// - **Errors**: a shape that is too large or negative.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::indices((2, 2), ..).i(0).to_string(), "[[0 0]\n [1 1]]");
    /// ```
    indices / try_indices (shape: impl IntoShape, dtype: impl Into<Creation>) -> Array {
        let dtype = dtype.into().or(DType::I64);
        let shape = shape.into_shape().extents("indices")?;
        let axes = open_indices(&shape, dtype)?;
        stacked("indices", &axes, &shape, dtype)
    }

    /// Makes an array by a function of the positions along each axis, as `np.fromfunction`.
    ///
    /// The function is called once, with an array of positions for each axis. Its operations stay lazy and are fused.
    ///
    /// - **Shapes**: `shape →` what the function returns.
    /// - **Dtypes**: of the positions: the given one, `..` for float64.
    /// - **Errors**: a shape that is too large or negative.
    ///
    /// ```
    /// use ndany::{DType, Device, fromfunction};
    /// # let _guard = Device::open("reference")?.enter();
    /// let table = fromfunction((2, 3), DType::I64, |at| &at[0] * 10 + &at[1]);
    /// assert_eq!(table.to_string(), "[[ 0  1  2]\n [10 11 12]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    fromfunction / try_fromfunction (shape: impl IntoShape, dtype: impl Into<Creation>, function: impl FnOnce(&[Array]) -> Array) -> Array {
        let dtype = dtype.into().or(DType::F64);
        let shape = shape.into_shape().extents("indices")?;
        Ok(function(&full_grid(&open_indices(&shape, dtype)?)?))
    }

    /// Returns coordinates along slices, each broadcastable to the grid, as `np.ogrid`.
    ///
    /// - **Shapes**: `m, n elements → (m, 1), (1, n)`.
    /// - **Dtypes**: int64, or float64 where a number is a float.
    /// - **Errors**: a step of zero, more than 64 axes.
    ///
    /// ```
    /// use ndany::{GridAxis, prelude::*};
    /// let grid = ndany::ogrid(&[GridAxis::Step(0.into(), 2.into(), 1.into()), GridAxis::Step(0.into(), 3.into(), 1.into())]);
    /// assert_eq!((&grid[0] * 10 + &grid[1]).to_string(), "[[ 0  1  2]\n [10 11 12]]");
    /// ```
    ogrid / try_ogrid (axes: &[GridAxis]) -> Arrays {
        // All axes have the dtype to which their numbers promote. Positions are counted, and the count is scaled.
        let numbers = axes.iter().flat_map(|axis| match *axis {
            GridAxis::Step(start, stop, step) => [start, stop, step],
            GridAxis::Count(start, stop, _) => [start, stop, Scalar::weak_float(1.0)],
        });
        let numbers = numbers.chain([Scalar::weak_int(0)]).map(Operand::Scalar);
        let dtype = graph::promote(&numbers.collect::<Vec<_>>());
        let axis = |(axis, range): (usize, &GridAxis)| {
            let (count, start, step): (Scalar, Scalar, Operand) = match *range {
                GridAxis::Step(start, stop, step) => {
                    (steps(start, stop, step)?.into(), start, Operand::Scalar(step))
                }
                GridAxis::Count(start, stop, count) => {
                    let step = match count {
                        1 => Operand::Scalar(Scalar::weak_int(1)),
                        // In the dtype of the ends, which may be wider than the grid's.
                        _ => {
                            let ends = graph::promote(&[start, stop].map(Operand::Scalar));
                            let span = number(stop, ends)?.try_subtract(Scalar::typed(ends, start))?;
                            span.try_divide(count as f64 - 1.0)?.into()
                        }
                    };
                    (count.into(), start, step)
                }
            };
            let step = match step {
                Operand::Array(step) => step.try_astype(dtype)?,
                Operand::Scalar(step) => number(step, dtype)?,
            };
            let index = try_arange(Arange::of(0, count, 1, Some(dtype)))?;
            along(&index.try_multiply(step)?.try_add(Scalar::typed(dtype, start))?, axis, axes.len())
        };
        axes.iter().enumerate().map(axis).collect()
    }

    /// Returns coordinates along slices at every position of the grid, stacked, as `np.mgrid`.
    ///
    /// - **Shapes**: `m, n elements → (2, m, n)`.
    /// - **Dtypes**: int64, or float64 where a number is a float.
    /// - **Errors**: a step of zero, more than 63 axes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let axis = ndany::GridAxis::Step(0.into(), 2.into(), 1.into());
    /// assert_eq!(ndany::mgrid(&[axis, axis]).i(1).to_string(), "[[0 1]\n [0 1]]");
    /// ```
    mgrid / try_mgrid (axes: &[GridAxis]) -> Array {
        for axis in axes {
            if let GridAxis::Step(start, stop, step) = *axis && steps(start, stop, step)? < 0.0 {
                return Err(Error::Range { op: "mgrid", reason: "the number of elements is negative" });
            }
        }
        let open = try_ogrid(axes)?;
        let mut shape = Shape::new();
        for axis in &open {
            shape = shape::broadcast("mgrid", &shape, axis.shape())?;
        }
        let dtype = open.first().map_or(DType::F64, Array::dtype);
        stacked("mgrid", &open, &shape, dtype)
    }
}

/// A number as an array without axes.
fn number(scalar: Scalar, dtype: DType) -> Result<Array> {
    try_full((), Scalar::typed(dtype, scalar), dtype)
}

/// The number of positions from a start to before a stop.
fn steps(start: Scalar, stop: Scalar, step: Scalar) -> Result<f64> {
    let [start, stop, step] = [real("mgrid", start)?, real("mgrid", stop)?, real("mgrid", step)?];
    Ok(((stop - start) / step).ceil())
}

pub(in crate::array) fn real(op: &'static str, scalar: Scalar) -> Result<f64> {
    match scalar.number() {
        Number::Bool(value) => Ok(f64::from(u8::from(value))),
        Number::Int(value) => Ok(value as f64),
        Number::Float(value) => Ok(value),
        Number::Complex(..) => {
            Err(Error::Range { op, reason: "expected real numbers, got a complex one" })
        }
    }
}

/// Arrays broadcast to one shape, along a new first axis.
fn stacked(op: &'static str, axes: &[Array], shape: &Shape, dtype: DType) -> Result<Array> {
    let mut whole = Shape::from_slice(&[axes.len()]);
    whole.extend_from_slice(shape);
    let mut grid = Assembly::new(op, &whole, dtype, &Device::current(), None)?;
    for (position, axis) in axes.iter().enumerate() {
        let window =
            Layout { offset: position * shape::size_of(shape), ..Layout::contiguous(shape) };
        grid.put(&window, &axis.try_broadcast_to(shape.as_slice())?);
    }
    Ok(grid.finish())
}
