//! Sparse arrays of any number of axes: coordinates in C order, which are one row of a sparse array of two axes.

use std::ops::{Add, Mul, Neg, RangeFull, Sub};
use std::sync::Arc;

use ndany_array::extend::expect;
use ndany_array::{Array, DType, Error, Scalar, stack};

use crate::array::{Sparse, Storage};
use crate::create::{as_indices, in_range, same_length};
use crate::support::{index_dtype, refuse, wide};

/// A sparse array of one axis or more in coordinates, as `scipy.sparse.coo_array` with other than two axes.
///
/// The operators `+ - *` act on elements. [`SparseNd::flat`] has all elements in one row, with the elementwise functions and reductions of
/// [`Sparse`]; [`SparseNd::reshape`] gives it back its axes. There are at most 2⁶³ - 1 places.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::SparseNd::from(&array([[[0, 5], [0, 0]], [[7, 0], [0, 1]]]));
/// assert_eq!((a.nnz(), a.sum([0, 2]).to_string()), (3, "[12  1]".into()));
/// assert_eq!((&a + &a).to_dense().i((1, 0)).to_string(), "[14  0]");
/// ```
#[derive(Clone, Debug)]
pub struct SparseNd {
    shape: Vec<usize>,
    /// In coordinates, of one row.
    flat: Sparse,
}

/// The axes of a function of [`SparseNd`]: one, a list, or `..` for all; negative ones count from the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisList(Option<Vec<isize>>);

impl From<RangeFull> for AxisList {
    fn from(_: RangeFull) -> Self {
        AxisList(None)
    }
}
impl From<i32> for AxisList {
    fn from(axis: i32) -> Self {
        AxisList(Some(vec![axis as isize]))
    }
}
impl From<isize> for AxisList {
    fn from(axis: isize) -> Self {
        AxisList(Some(vec![axis]))
    }
}
impl<const N: usize> From<[isize; N]> for AxisList {
    fn from(axes: [isize; N]) -> Self {
        AxisList(Some(axes.to_vec()))
    }
}
impl From<&[isize]> for AxisList {
    fn from(axes: &[isize]) -> Self {
        AxisList(Some(axes.to_vec()))
    }
}

impl AxisList {
    /// The axes from 0 on, each once.
    #[track_caller]
    fn of(self, op: &'static str, ndim: usize) -> Vec<usize> {
        let Some(axes) = self.0 else { return (0..ndim).collect() };
        let mut found = Vec::new();
        for axis in axes {
            let own = if axis < 0 { axis + ndim as isize } else { axis };
            if own < 0 || own >= ndim as isize {
                return expect(Err(Error::Axis { op, axis, ndim }));
            }
            if found.contains(&(own as usize)) {
                return refuse(op, format!("expected each axis once, got {axis} twice"));
            }
            found.push(own as usize);
        }
        found
    }
}

impl From<&Array> for SparseNd {
    #[track_caller]
    fn from(dense: &Array) -> Self {
        let flat = crate::coo_array(dense.reshape((1, dense.size())), ..);
        Self { shape: axes_of("SparseNd", dense.shape().to_vec()), flat }
    }
}
impl From<&Sparse> for SparseNd {
    #[track_caller]
    fn from(sparse: &Sparse) -> Self {
        let [m, n] = sparse.shape;
        let shape = axes_of("SparseNd", vec![m, n]);
        Self { shape, flat: sparse.reshape([1, m * n]) }
    }
}

/// Refuses shapes without axes, and those of more places than int64 counts.
#[track_caller]
fn axes_of(op: &str, shape: Vec<usize>) -> Vec<usize> {
    let places = shape
        .iter()
        .try_fold(1i64, |places, &extent| places.checked_mul(i64::try_from(extent).ok()?));
    if shape.is_empty() || places.is_none() {
        let reason =
            format!("expected axes with fewer than 2⁶³ places in all, got shape {shape:?}");
        return refuse(op, reason);
    }
    shape
}

/// Places from one element to the next along each axis.
fn strides(shape: &[usize]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as i64;
    }
    strides
}

impl SparseNd {
    /// Makes an array of values and one list of indices for each axis, as `coo_array((data, coords), shape)` of SciPy.
    ///
    /// - **Shapes**: `(nnz,)` each.
    /// - **Dtypes**: any; indices are integers.
    /// - **Errors**: parts of other shapes, an index out of range, no axes, more than 2⁶³ - 1 places.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::SparseNd::new(array([5, 7]), [array([0, 2])], [4]);
    /// assert_eq!(a.to_dense().to_string(), "[5 0 7 0]");
    /// ```
    #[track_caller]
    pub fn new(
        data: impl AsRef<Array>,
        coords: impl IntoIterator<Item: AsRef<Array>>,
        shape: impl IntoIterator<Item = usize>,
    ) -> Self {
        const OP: &str = "SparseNd";
        let shape = axes_of(OP, shape.into_iter().collect());
        let data = data.as_ref().clone();
        let coords: Vec<Array> = coords.into_iter().map(|part| part.as_ref().clone()).collect();
        if data.ndim() != 1 || coords.len() != shape.len() {
            let (expected, got) = (shape.len(), coords.len());
            let reason = format!(
                "expected values along one axis and indices of {expected} axes, got shape {:?} and {got}",
                data.shape()
            );
            return refuse(OP, reason);
        }
        for (axis, part) in coords.iter().enumerate() {
            let name = format!("coords[{axis}]");
            as_indices(OP, [(&name, part)], 0);
            same_length(OP, &name, data.size(), part.size());
        }
        if data.size() > 0 {
            let facts: Vec<Array> =
                coords.iter().flat_map(|part| [wide(&part.min(..)), wide(&part.max(..))]).collect();
            let facts: Vec<i64> = expect(stack(&facts, 0).to_vec());
            for (axis, limits) in facts.chunks(2).enumerate() {
                in_range(OP, &format!("coords[{axis}]"), limits[0], limits[1], shape[axis]);
            }
        }
        Self::of_places(shape, &coords, data)
    }

    /// Of indices within the shape.
    #[track_caller]
    fn of_places(shape: Vec<usize>, coords: &[Array], data: Array) -> Self {
        let terms = coords.iter().zip(strides(&shape)).map(|(part, stride)| wide(part) * stride);
        let place = terms.reduce(|sum, term| sum + term).unwrap_or_else(|| wide(&data));
        let place = place.astype(index_dtype(&[], shape.iter().product()));
        // Computed once, not again by all that reads it.
        expect(place.eval());
        Self::of_row(shape, place, data)
    }

    /// Of the numbers of places in C order.
    #[track_caller]
    fn of_row(shape: Vec<usize>, place: Array, data: Array) -> Self {
        let size = shape.iter().product();
        let columns = place.astype(index_dtype(&[], size));
        let storage = Storage::Coordinates { rows: columns.zeros_like(), columns, data };
        Self { shape, flat: Sparse::of([1, size], storage, Arc::default()) }
    }

    /// Returns the extents of the axes, as `shape` of SciPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::SparseNd::from(&array([0, 5, 7])).shape(), [3]);
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the number of stored entries, as `nnz` of SciPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::SparseNd::from(&array([0, 5, 7])).nnz(), 2);
    /// ```
    pub fn nnz(&self) -> usize {
        self.flat.nnz()
    }

    /// Returns the dtype of the values, as `dtype` of SciPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::SparseNd::from(&array([0.0, 5.0])).dtype(), F64);
    /// ```
    pub fn dtype(&self) -> DType {
        self.flat.dtype()
    }

    /// Returns the stored values, as `data` of SciPy.
    ///
    /// - **Shapes**: `(nnz,)`.
    /// - **Dtypes**: that of the array.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::SparseNd::from(&array([0, 5, 7])).data().to_string(), "[5 7]");
    /// ```
    pub fn data(&self) -> Array {
        self.flat.data()
    }

    /// Returns the indices of the entries along each axis, as `coords` of SciPy.
    ///
    /// - **Shapes**: `(nnz,)` each.
    /// - **Dtypes**: int32 or int64.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let coords = sparse::SparseNd::from(&array([[[0, 5], [7, 0]]])).coords();
    /// assert_eq!(format!("{} {} {}", coords[0], coords[1], coords[2]), "[0 0] [0 1] [1 0]");
    /// ```
    #[track_caller]
    pub fn coords(&self) -> Vec<Array> {
        let dtype = index_dtype(&[], self.shape.iter().copied().max().unwrap_or(0));
        (0..self.shape.len()).map(|axis| self.along(&[axis]).astype(dtype)).collect()
    }

    /// The number of each entry's place among those of some axes, in C order. Neighbouring axes are divided as one.
    #[track_caller]
    fn along(&self, axes: &[usize]) -> Array {
        let place = self.flat.places_in_row();
        if self.nnz() == 0 {
            return place;
        }
        let count = |axes: &[usize]| axes.iter().product::<usize>() as i64;
        let mut runs: Vec<[usize; 2]> = Vec::new();
        for &axis in axes {
            match runs.last_mut() {
                Some([_, end]) if *end == axis => *end += 1,
                _ => runs.push([axis, axis + 1]),
            }
        }
        let mut behind: i64 = axes.iter().map(|&axis| self.shape[axis] as i64).product();
        let mut places: Option<Array> = None;
        for [first, end] in runs {
            let extent = count(&self.shape[first..end]);
            behind /= extent;
            let mut own = place.clone();
            let after = count(&self.shape[end..]);
            if after > 1 {
                own = own.floor_divide(after);
            }
            if count(&self.shape[..first]) > 1 {
                own = own.remainder(extent);
            }
            if behind > 1 {
                own *= behind;
            }
            places = Some(match places {
                Some(before) => before + own,
                None => own,
            });
        }
        places.unwrap_or_else(|| place.zeros_like())
    }

    /// Returns all elements as one row of a sparse array, in C order.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::SparseNd::from(&array([[[0.0, 4.0]], [[9.0, 0.0]]]));
    /// let roots = sparse::SparseNd::from(&a.flat().sqrt()).reshape([2, 1, 2]);
    /// assert_eq!((roots.data().to_string(), a.flat().max(..).to_string()), ("[2. 3.]".into(), "9.0".into()));
    /// ```
    pub fn flat(&self) -> &Sparse {
        &self.flat
    }

    /// Makes a dense array, as `toarray` of SciPy; duplicates are summed.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::SparseNd::from(&array([[[0, 5]]])).to_dense().to_string(), "[[[0 5]]]");
    /// ```
    #[track_caller]
    pub fn to_dense(&self) -> Array {
        self.flat.to_dense().reshape(self.shape.clone())
    }

    /// Makes a sparse array of two axes, in coordinates.
    ///
    /// - **Shapes**: two axes.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: other axes: [`SparseNd::reshape`] makes two.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::SparseNd::from(&array([[0, 5], [7, 0]])).to_sparse().to_csr();
    /// assert_eq!(a.indices().to_string(), "[1 0]");
    /// ```
    #[track_caller]
    pub fn to_sparse(&self) -> Sparse {
        match *self.shape {
            [m, n] => self.flat.reshape([m, n]),
            _ => {
                let reason = format!("expected two axes, got shape {:?}", self.shape);
                refuse("to_sparse", reason)
            }
        }
    }

    /// Changes the shape, as `reshape` of SciPy; elements keep their order, and nothing is moved.
    ///
    /// - **Shapes**: another one of as many elements.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: another number of elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::SparseNd::from(&array([0, 5, 7, 0])).reshape([2, 1, 2]);
    /// assert_eq!(a.to_dense().to_string(), "[[[0 5]]\n\n [[7 0]]]");
    /// ```
    #[track_caller]
    pub fn reshape(&self, shape: impl IntoIterator<Item = usize>) -> SparseNd {
        let shape = axes_of("reshape", shape.into_iter().collect());
        let size: usize = shape.iter().product();
        if size != self.flat.shape[1] {
            let own = &self.shape;
            return refuse("reshape", format!("{own:?} has not as many elements as {shape:?}"));
        }
        Self { shape, flat: self.flat.clone() }
    }

    /// Returns the array with its axes in another order, reversed for `..`, as `transpose` of SciPy.
    ///
    /// - **Shapes**: `(a, b, c) → (c, b, a)`.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: a list that has not each axis once.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::SparseNd::from(&array([[[0, 5], [0, 7]]]));
    /// assert_eq!((a.transpose(..).shape(), a.transpose([1, 0, 2]).shape()), (&[2, 2, 1][..], &[2, 1, 2][..]));
    /// ```
    #[track_caller]
    pub fn transpose(&self, axes: impl Into<AxisList>) -> SparseNd {
        let axes = axes.into();
        let order = match axes.0.is_some() {
            true => axes.of("transpose", self.shape.len()),
            false => (0..self.shape.len()).rev().collect(),
        };
        if order.len() != self.shape.len() {
            let (expected, got) = (self.shape.len(), order.len());
            return refuse("transpose", format!("expected {expected} axes, got {got}"));
        }
        self.ordered(&order)
    }

    #[track_caller]
    fn ordered(&self, order: &[usize]) -> SparseNd {
        if order.is_sorted() {
            return self.clone();
        }
        let shape = order.iter().map(|&axis| self.shape[axis]).collect();
        Self::of_row(shape, self.along(order), self.data())
    }

    /// The axes that are left by some, then these, as rows and columns; and the extents of those that are left.
    #[track_caller]
    fn split(&self, columns: &[usize], columns_last: bool) -> (Sparse, Vec<usize>) {
        let left: Vec<usize> =
            (0..self.shape.len()).filter(|axis| !columns.contains(axis)).collect();
        let order = match columns_last {
            true => [&left[..], columns].concat(),
            false => [columns, &left[..]].concat(),
        };
        let extents: Vec<usize> = left.iter().map(|&axis| self.shape[axis]).collect();
        let count: usize = extents.iter().product();
        let others: usize = columns.iter().map(|&axis| self.shape[axis]).product();
        let shape = if columns_last { [count, others] } else { [others, count] };
        if order.is_sorted() {
            return (self.flat.reshape(shape), extents);
        }
        let sides = if columns_last { [&left[..], columns] } else { [columns, &left[..]] };
        let dtype = index_dtype(&[], shape[0].max(shape[1]));
        let [rows, columns] = sides.map(|axes| self.along(axes).astype(dtype));
        let storage = Storage::Coordinates { rows, columns, data: self.data() };
        (Sparse::of(shape, storage, Arc::default()), extents)
    }

    /// Returns the sums of elements along axes, or of all for `..`, as `sum` of SciPy; dense.
    ///
    /// - **Shapes**: the axes that are left.
    /// - **Dtypes**: as [`Array::sum`]: bool and integers give 64 bits.
    /// - **Errors**: an axis out of range, or twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::SparseNd::from(&array([[[0, 5], [3, 7]]]));
    /// assert_eq!((a.sum(2).to_string(), a.sum(..).to_string()), ("[[ 5 10]]".into(), "15".into()));
    /// ```
    #[track_caller]
    pub fn sum(&self, axes: impl Into<AxisList>) -> Array {
        let axes = axes.into().of("sum", self.shape.len());
        if axes.len() == self.shape.len() {
            return self.data().sum(..);
        }
        let kept: Vec<usize> = (0..self.shape.len()).filter(|axis| !axes.contains(axis)).collect();
        let extents: Vec<usize> = kept.iter().map(|&axis| self.shape[axis]).collect();
        let count: usize = extents.iter().product();
        // All in one column, so that no memory is needed for each of many.
        let rows = self.along(&kept).astype(index_dtype(&[], count));
        let storage = Storage::Coordinates { columns: rows.zeros_like(), rows, data: self.data() };
        Sparse::of([count, 1], storage, Arc::default()).sum(1).reshape(extents)
    }

    /// Sums products along axes of this array and of another one, as `tensordot` of SciPy.
    ///
    /// Sums are those of [`Sparse::matmul`]: with a sparse array the result is sparse, with a dense one dense.
    ///
    /// - **Shapes**: the axes that are left of this array, then those of the other one.
    /// - **Dtypes**: the one to which both promote.
    /// - **Errors**: axes of other extents, an axis out of range or twice, no axes left of both, two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::SparseNd::from(&array([[[0, 5], [3, 7]]]));
    /// assert_eq!(a.tensordot(&array([1, 10]), [2], [0]).to_string(), "[[50 73]]");
    /// assert_eq!(a.tensordot(&a, [0, 1], [0, 1]).to_dense().to_string(), "[[ 9 21]\n [21 74]]");
    /// ```
    #[track_caller]
    pub fn tensordot<F: Contracted>(
        &self,
        other: F,
        axes: impl Into<AxisList>,
        others: impl Into<AxisList>,
    ) -> F::Contraction {
        let axes = axes.into().of("tensordot", self.shape.len());
        other.contracted(self, &axes, others.into())
    }

    #[track_caller]
    fn like(
        &self,
        op: &str,
        other: &SparseNd,
        flat: impl FnOnce(&Sparse, &Sparse) -> Sparse,
    ) -> Self {
        if self.shape != other.shape {
            let (left, right) = (&self.shape, &other.shape);
            return refuse(op, format!("expected arrays of one shape, got {left:?} and {right:?}"));
        }
        Self { shape: self.shape.clone(), flat: flat(&self.flat, &other.flat).to_coo() }
    }
}

/// What [`SparseNd::tensordot`] takes: a sparse array, which gives a sparse one, or a dense array, which gives a dense one.
pub trait Contracted {
    /// The sums.
    type Contraction;
    /// Sums products with the axes of an array.
    #[doc(hidden)]
    #[track_caller]
    fn contracted(self, left: &SparseNd, axes: &[usize], others: AxisList) -> Self::Contraction;
}

/// Refuses axes of which the extents differ.
#[track_caller]
fn meet(left: &[usize], axes: &[usize], right: &[usize], others: &[usize]) {
    let extents =
        |shape: &[usize], axes: &[usize]| axes.iter().map(|&axis| shape[axis]).collect::<Vec<_>>();
    let (own, other) = (extents(left, axes), extents(right, others));
    if own != other {
        let reason = format!("expected axes of one extent each, got {own:?} and {other:?}");
        refuse::<()>("tensordot", reason);
    }
    if axes.len() == left.len() && others.len() == right.len() {
        let reason = "expected an axis that is left: multiply and sum give a number".to_string();
        refuse::<()>("tensordot", reason);
    }
}

impl Contracted for &SparseNd {
    type Contraction = SparseNd;
    #[track_caller]
    fn contracted(self, left: &SparseNd, axes: &[usize], others: AxisList) -> SparseNd {
        let others = others.of("tensordot", self.shape.len());
        meet(&left.shape, axes, &self.shape, &others);
        let (a, mut shape) = left.split(axes, true);
        let (b, rest) = self.split(&others, false);
        shape.extend(rest);
        SparseNd::from(&a.matmul(&b)).reshape(shape)
    }
}

impl Contracted for &Array {
    type Contraction = Array;
    #[track_caller]
    fn contracted(self, left: &SparseNd, axes: &[usize], others: AxisList) -> Array {
        let others = others.of("tensordot", self.ndim());
        meet(&left.shape, axes, self.shape(), &others);
        let (a, mut shape) = left.split(axes, true);
        let kept: Vec<usize> = (0..self.ndim()).filter(|axis| !others.contains(axis)).collect();
        shape.extend(kept.iter().map(|&axis| self.shape()[axis]));
        let order: Vec<isize> = others.iter().chain(&kept).map(|&axis| axis as isize).collect();
        let columns: usize = kept.iter().map(|&axis| self.shape()[axis]).product();
        let b = self.transpose(order).reshape((a.shape()[1], columns));
        a.matmul(b).reshape(shape)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:tt;)+) => {$(
        impl $trait<&SparseNd> for &SparseNd {
            type Output = SparseNd;
            #[track_caller]
            fn $method(self, other: &SparseNd) -> SparseNd {
                self.like(stringify!($method), other, |a, b| a $op b)
            }
        }
    )+};
}
operators! {
    Add add +;
    Sub sub -;
    Mul mul *;
}

macro_rules! by_numbers {
    ($($number:ty),+) => {$(
        impl Mul<$number> for &SparseNd {
            type Output = SparseNd;
            #[track_caller]
            fn mul(self, number: $number) -> SparseNd {
                let flat = self.flat.multiply(Scalar::from(number));
                SparseNd { shape: self.shape.clone(), flat }
            }
        }
    )+};
}
by_numbers! { i32, i64, f32, f64 }

impl Neg for &SparseNd {
    type Output = SparseNd;
    #[track_caller]
    fn neg(self) -> SparseNd {
        SparseNd { shape: self.shape.clone(), flat: -&self.flat }
    }
}
