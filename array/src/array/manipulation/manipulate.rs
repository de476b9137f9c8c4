//! New shapes and axes for the same elements: views wherever strides can say it.
//!
//! Joining is in `join`, its contrary in `split`; what counts in Fortran order in `order`.

use smallvec::SmallVec;

use crate::arguments::options::*;
use crate::arguments::{Arrays, list};
use crate::arguments::{IntoAxes, IntoAxis, IntoShape};
use crate::array::{Array, Order};
use crate::declare::{array_functions, functions};
use ndany_core::shape::{self, Layout, Shape, axis_index, axis_indices, size_of};
use ndany_core::{DType, Error, Result, ShapeText};

impl Array {
    /// The same elements in C order under another shape, of which one extent may be -1.
    #[track_caller]
    pub(in crate::array) fn reshaped(&self, asked: &[isize]) -> Result<Array> {
        let failure = || Error::Reshape {
            op: "reshape",
            from: self.shape().into(),
            size: self.size(),
            to: ShapeText(asked.to_vec()).to_string(),
        };
        let inferred = asked.iter().filter(|&&extent| extent < 0).count();
        if inferred > 1 {
            return Err(failure());
        }
        let known: SmallVec<[usize; 4]> =
            asked.iter().filter(|&&extent| extent >= 0).map(|&extent| extent as usize).collect();
        let known = shape::checked_size("reshape", &known, DType::U8)?;
        let rest = match (inferred, known) {
            (0, _) => 1,
            (_, 0) => return Err(failure()),
            (_, known) => self.size() / known,
        };
        let shape: Shape =
            asked.iter().map(|&extent| if extent < 0 { rest } else { extent as usize }).collect();
        shape::checked_size("reshape", &shape, self.dtype())?;
        if size_of(&shape) != self.size() {
            return Err(failure());
        }
        Ok(match self.layout().reshape(&shape) {
            Some(layout) => self.with_layout(layout),
            None => {
                let copy = self.try_copy()?;
                copy.with_layout(Layout::contiguous(&shape))
            }
        })
    }
}

array_functions! {
    checked manipulate, free free_manipulate;

    /// Returns the same elements in another shape, as `np.reshape`.
    ///
    /// One extent may be -1, which stands for what is left. Elements are read and placed in C order, or in the order of the
    /// option `order`: in [`Order::F`] the first axis counts fastest; [`Order::A`] is F where the array lies so; [`Order::K`], as
    /// near to how the array lies as can be, is for one axis only. The result is a view where strides can express it.
    ///
    /// - **Shapes**: `(…) → shape`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a shape of another size, several extents of -1.
    ///
    /// ```
    /// use ndany::{Array, Device, Order, Shape};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(a.reshape((3, -1)).to_vec::<i32>()?, [1, 2, 3, 4, 5, 6]);
    /// assert_eq!(a.reshape(Shape::new((3, 2)).order(Order::F)).to_vec::<i32>()?, [1, 5, 4, 3, 2, 6]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    reshape / try_reshape (self, shape: impl IntoShape<OrderedShape>) -> Array {
        let options = shape.into_shape();
        match options.order {
            Order::C => self.reshaped(&options.asked),
            order => self.reshaped_in(&options.asked, order),
        }
    }

    /// Returns the elements in C order as one axis, as `np.ravel`; a view where strides can express it.
    ///
    /// - **Shapes**: `(m, n) → (m · n,)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).ravel().to_string(), "[1 2 3 4]");
    /// ```
    ravel / try_ravel (self) -> Array {
        self.reshaped(&[-1])
    }

    /// Permutes the axes, or reverses them (`..`), as `np.transpose`; a view.
    ///
    /// - **Shapes**: `(a, b, c) → (c, b, a)` for `..`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: axes that are no permutation.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).transpose(..).to_string(), "[[1 3]\n [2 4]]");
    /// ```
    transpose / try_transpose (self, axes: impl IntoAxes) -> Array {
        let axes = match axes.into_axes().axes {
            None => (0..self.ndim()).rev().collect(),
            Some(axes) if axes.len() != self.ndim() => {
                let expected = format!("{} dimensions for {} axes", axes.len(), axes.len());
                return Err(Error::Shape { op: "transpose", expected, got: self.shape().into() });
            }
            Some(axes) => axis_indices("transpose", &axes, self.ndim())?,
        };
        Ok(self.with_layout(self.layout().permute(&axes)))
    }

    /// Reverses the order of the axes, as `np.ndarray.T`; a view.
    ///
    /// - **Shapes**: `(a, b, c) → (c, b, a)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).t().to_string(), "[[1 3]\n [2 4]]");
    /// ```
    t / try_t (self) -> Array {
        self.try_transpose(..)
    }

    /// Moves axes to new positions and keeps the others in their order, as `np.moveaxis`; a view.
    ///
    /// - **Shapes**: `(a, b, c) → (b, c, a)` for `moveaxis(0, 2)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range or given twice, lists of different lengths.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(zeros((2, 3, 4), ..).moveaxis(0, 2).shape(), [3, 4, 2]);
    /// ```
    moveaxis / try_moveaxis (self, source: impl IntoAxes, destination: impl IntoAxes) -> Array {
        const OP: &str = "moveaxis";
        let ndim = self.ndim();
        let source = axis_indices(OP, source.into_axes().listed(OP)?, ndim)?;
        let destination = axis_indices(OP, destination.into_axes().listed(OP)?, ndim)?;
        if source.len() != destination.len() {
            let expected = format!("{} destinations", source.len());
            return Err(Error::Shape { op: "moveaxis", expected, got: destination.as_slice().into() });
        }
        let mut rest = (0..ndim).filter(|axis| !source.contains(axis));
        let order: SmallVec<[usize; 4]> = (0..ndim)
            .filter_map(|position| match destination.iter().position(|&to| to == position) {
                Some(moved) => Some(source[moved]),
                None => rest.next(),
            })
            .collect();
        Ok(self.with_layout(self.layout().permute(&order)))
    }

    /// Exchanges two axes, as `np.swapaxes`; a view.
    ///
    /// - **Shapes**: `(a, b, c) → (c, b, a)` for `swapaxes(0, 2)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).swapaxes(0, 1).to_string(), "[[1 3]\n [2 4]]");
    /// ```
    swapaxes / try_swapaxes (self, first: impl IntoAxis, second: impl IntoAxis) -> Array {
        const OP: &str = "swapaxes";
        let first = axis_index(OP, first.into_axis().one(OP)?, self.ndim())?;
        let second = axis_index(OP, second.into_axis().one(OP)?, self.ndim())?;
        let mut order: SmallVec<[usize; 4]> = (0..self.ndim()).collect();
        order.swap(first, second);
        Ok(self.with_layout(self.layout().permute(&order)))
    }

    /// Removes axes of extent 1, all of them for `..`, as `np.squeeze`; a view.
    ///
    /// - **Shapes**: `(1, n, 1) → (n,)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis of another extent, an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2]]).squeeze(0).to_string(), "[1 2]");
    /// ```
    squeeze / try_squeeze (self, axes: impl IntoAxes) -> Array {
        let shape = self.shape();
        let dropped: SmallVec<[usize; 4]> = match axes.into_axes().axes {
            None => (0..self.ndim()).filter(|&axis| shape[axis] == 1).collect(),
            // As in NumPy, a 0-d array has an axis to squeeze.
            Some(axes) if self.ndim() == 0 && matches!(axes.as_slice(), [0 | -1]) => SmallVec::new(),
            Some(axes) => axis_indices("squeeze", &axes, self.ndim())?,
        };
        if dropped.iter().any(|&axis| shape[axis] != 1) {
            let expected = "extent 1 in every axis to squeeze".to_string();
            return Err(Error::Shape { op: "squeeze", expected, got: shape.into() });
        }
        let kept: SmallVec<[usize; 4]> = (0..self.ndim()).filter(|axis| !dropped.contains(axis)).collect();
        Ok(self.with_layout(self.layout().permute(&kept)))
    }

    /// Inserts axes of extent 1 at these positions of the result, as `np.expand_dims`; a view.
    ///
    /// - **Shapes**: `(n,) → (1, n)` for axis 0.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range or given twice, more than 64 axes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).expand_dims(0).to_string(), "[[1 2]]");
    /// ```
    expand_dims / try_expand_dims (self, axes: impl IntoAxes) -> Array {
        let options = axes.into_axes();
        let axes = options.listed("expand_dims")?;
        let ndim = self.ndim() + axes.len();
        if ndim > shape::MAX_NDIM {
            return Err(Error::TooManyDimensions { op: "expand_dims", ndim });
        }
        let new = axis_indices("expand_dims", axes, ndim)?;
        let mut layout = self.layout().clone();
        for axis in (0..ndim).filter(|axis| new.contains(axis)) {
            layout.shape.insert(axis, 1);
            layout.strides.insert(axis, 0);
        }
        Ok(self.with_layout(layout))
    }

    /// Repeats the array along axes of extent 1 and new leading axes, as `np.broadcast_to`; a view.
    ///
    /// - **Shapes**: `(1, n) → (m, n)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a shape to which the array does not broadcast.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).broadcast_to((2, 2)).to_string(), "[[1 2]\n [1 2]]");
    /// ```
    broadcast_to / try_broadcast_to (self, shape: impl IntoShape) -> Array {
        let shape = shape.into_shape().extents("broadcast_to")?;
        shape::checked_size("broadcast_to", &shape, self.dtype())?;
        if shape::broadcast("broadcast_to", self.shape(), &shape)? != shape {
            let (left, right) = (self.shape().into(), shape.as_slice().into());
            return Err(Error::Broadcast { op: "broadcast_to", left, right });
        }
        Ok(self.broadcast_view(&shape))
    }

    /// Exchanges the last two axes, as `np.matrix_transpose`; a view.
    ///
    /// - **Shapes**: `(…, m, n) → (…, n, m)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: fewer than two axes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).matrix_transpose().to_string(), "[[1 3]\n [2 4]]");
    /// ```
    matrix_transpose / try_matrix_transpose (self) -> Array {
        needs_axes("matrix_transpose", self, 2)?;
        self.try_swapaxes(-1, -2)
    }

    /// Returns the array with at least one axis, as `np.atleast_1d`; a view.
    ///
    /// - **Shapes**: `() → (1,)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Array::scalar(5).atleast_1d().to_string(), "[5]");
    /// ```
    atleast_1d / try_atleast_1d (self) -> Array {
        if self.ndim() == 0 { self.try_expand_dims(0) } else { Ok(self.clone()) }
    }

    /// Returns the array with at least two axes, the new ones first, as `np.atleast_2d`; a view.
    ///
    /// - **Shapes**: `(n,) → (1, n)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).atleast_2d().to_string(), "[[1 2]]");
    /// ```
    atleast_2d / try_atleast_2d (self) -> Array {
        match self.ndim() {
            0 => self.try_expand_dims([0, 1]),
            1 => self.try_expand_dims(0),
            _ => Ok(self.clone()),
        }
    }

    /// Returns the array with at least three axes, as `np.atleast_3d`; a view.
    ///
    /// - **Shapes**: `(n,) → (1, n, 1)`, `(m, n) → (m, n, 1)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).atleast_3d().shape(), [1, 2, 1]);
    /// ```
    atleast_3d / try_atleast_3d (self) -> Array {
        match self.ndim() {
            0 => self.try_expand_dims([0, 1, 2]),
            1 => self.try_expand_dims([0, 2]),
            2 => self.try_expand_dims(2),
            _ => Ok(self.clone()),
        }
    }

    /// Reverses the order along the first axis, as `np.flipud`; a view.
    ///
    /// - **Shapes**: `(n, …) → (n, …)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a 0-d array.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3]).flipud().to_string(), "[3 2 1]");
    /// ```
    flipud / try_flipud (self) -> Array {
        needs_axes("flipud", self, 1)?;
        self.try_flip(0)
    }

    /// Reverses the order along the second axis, as `np.fliplr`; a view.
    ///
    /// - **Shapes**: `(m, n, …) → (m, n, …)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: fewer than two axes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).fliplr().to_string(), "[[2 1]\n [4 3]]");
    /// ```
    fliplr / try_fliplr (self) -> Array {
        needs_axes("fliplr", self, 2)?;
        self.try_flip(1)
    }

    /// Rotates by `turns` times 90 degrees in the plane of two axes (`..`: axes 0 and 1), as `np.rot90`; a view.
    ///
    /// The rotation goes from the first axis towards the second.
    ///
    /// - **Shapes**: `(m, n) → (n, m)` for odd `turns`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a number of axes that is not 2, an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).rot90(1, ..).to_string(), "[[2 4]\n [1 3]]");
    /// ```
    rot90 / try_rot90 (self, turns: i64, axes: impl IntoAxes) -> Array {
        const OP: &str = "rot90";
        let axes = axes.into_axes().axes.unwrap_or_else(|| SmallVec::from_slice(&[0, 1]));
        if axes.len() != 2 {
            let (left, right) = (axes.len(), 2);
            return Err(Error::Lengths { op: OP, left, right });
        }
        // NumPy says ValueError of every axis that will not do.
        let axes = axis_indices(OP, &axes, self.ndim()).map_err(|_| {
            let expected = format!("two different axes, not {axes:?}");
            Error::Shape { op: OP, expected, got: self.shape().into() }
        })?;
        let (first, second) = (axes[0] as isize, axes[1] as isize);
        match turns.rem_euclid(4) {
            0 => Ok(self.clone()),
            1 => self.try_flip(second)?.try_swapaxes(first, second),
            2 => self.try_flip([first, second]),
            _ => self.try_swapaxes(first, second)?.try_flip(second),
        }
    }

    /// Reverses the order along these axes, all of them for `..`, as `np.flip`; a view.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).flip(..).to_string(), "[[4 3]\n [2 1]]");
    /// ```
    flip / try_flip (self, axes: impl IntoAxes) -> Array {
        let axes = match axes.into_axes().axes {
            None => (0..self.ndim()).collect(),
            Some(axes) => axis_indices("flip", &axes, self.ndim())?,
        };
        let mut layout = self.layout().clone();
        for axis in axes.into_iter().filter(|&axis| self.shape()[axis] > 0) {
            let last = (layout.shape[axis] - 1) as isize * layout.strides[axis];
            layout.offset = (layout.offset as isize + last) as usize;
            layout.strides[axis] = -layout.strides[axis];
        }
        Ok(self.with_layout(layout))
    }
}

pub(in crate::array) fn needs_axes(op: &'static str, array: &Array, count: usize) -> Result<()> {
    if array.ndim() >= count {
        return Ok(());
    }
    let expected = format!("at least {count} axes");
    Err(Error::Shape { op, expected, got: array.shape().into() })
}

functions! {
    /// Broadcasts arrays to one common shape, as `np.broadcast_arrays`; views.
    ///
    /// - **Shapes**: `(m, 1), (n,) → (m, n), (m, n)`.
    /// - **Dtypes**: any; each result has that of its array.
    /// - **Errors**: shapes that do not broadcast.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::broadcast_arrays([array([[1], [2]]), array([3, 4])])[0].to_string(), "[[1 1]\n [2 2]]");
    /// ```
    broadcast_arrays / try_broadcast_arrays (arrays: impl IntoIterator<Item: AsRef<Array>>) -> Arrays {
        list!(arrays);
        const OP: &str = "broadcast_arrays";
        let mut shape = Shape::new();
        for array in arrays {
            shape = shape::broadcast(OP, &shape, array.shape())?;
        }
        arrays.iter().map(|array| array.try_broadcast_to(shape.as_slice())).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::Array;

    /// `np.squeeze(np.array(1.0), 0)`.
    #[test]
    fn a_number_has_an_axis_to_squeeze() {
        let number = Array::scalar(1.0);
        assert_eq!(number.squeeze(0).ndim(), 0);
        assert_eq!(number.squeeze(-1).ndim(), 0);
        assert_eq!(crate::checked::squeeze(&number, 1).expect_err("no axis").class(), "AxisError");
    }
}
