//! Basic indexing: integers, slices with any step, new axes and ellipses, for reading (views at no
//! cost) and for writing.

use std::ops::{
    AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, Deref, DerefMut, DivAssign, MulAssign,
    Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive, RemAssign, ShlAssign,
    ShrAssign, SubAssign,
};
use std::sync::Arc;

use smallvec::SmallVec;

use super::Array;
use crate::error::{Error, Result};
use crate::graph::evaluate::evaluate_into;
use crate::graph::node::Expr;
use crate::graph::{self, Operand};
use crate::ops::{Row, rows};
use crate::shape::{self, Layout, Shape, Strides};
use crate::statistics;
use crate::twins::expect;

/// One item of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// One position, counted from the end if negative; the axis goes.
    At(isize),
    /// `start:stop:step` as in NumPy: bounds are clipped, negative ones count from the end.
    Slice {
        /// First position.
        start: Option<isize>,
        /// Position to stop before.
        stop: Option<isize>,
        /// Step, not zero.
        step: isize,
    },
    /// An axis of extent 1.
    NewAxis,
    /// As many whole axes as are left; at most one.
    Ellipsis,
}

/// An axis of extent 1 in an index.
#[derive(Clone, Copy, Debug)]
pub struct NewAxis;

/// All axes that are left, in an index.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsis;

impl Index {
    /// This slice with another step.
    ///
    /// # Panics
    /// The item is not a slice.
    pub fn step_by(self, step: isize) -> Index {
        match self {
            Index::Slice { start, stop, .. } => Index::Slice { start, stop, step },
            Index::At(_) | Index::NewAxis | Index::Ellipsis => {
                panic!("[s!] a step needs a slice, got {self:?}")
            }
        }
    }
}

impl From<NewAxis> for Index {
    fn from(_: NewAxis) -> Self {
        Index::NewAxis
    }
}
impl From<Ellipsis> for Index {
    fn from(_: Ellipsis) -> Self {
        Index::Ellipsis
    }
}
impl From<RangeFull> for Index {
    fn from(_: RangeFull) -> Self {
        Index::Slice { start: None, stop: None, step: 1 }
    }
}

/// The position after an inclusive bound: past -1 there is no bound, as Python's `[:]`.
fn after(position: isize) -> Option<isize> {
    if position == -1 { None } else { Some(position + 1) }
}

macro_rules! positions {
    ($($int:ty),+) => {$(
        impl From<$int> for Index {
            fn from(position: $int) -> Self { Index::At(position as isize) }
        }
        impl From<Range<$int>> for Index {
            fn from(range: Range<$int>) -> Self {
                Index::Slice { start: Some(range.start as isize), stop: Some(range.end as isize), step: 1 }
            }
        }
        impl From<RangeInclusive<$int>> for Index {
            fn from(range: RangeInclusive<$int>) -> Self {
                Index::Slice { start: Some(*range.start() as isize), stop: after(*range.end() as isize), step: 1 }
            }
        }
        impl From<RangeFrom<$int>> for Index {
            fn from(range: RangeFrom<$int>) -> Self {
                Index::Slice { start: Some(range.start as isize), stop: None, step: 1 }
            }
        }
        impl From<RangeTo<$int>> for Index {
            fn from(range: RangeTo<$int>) -> Self {
                Index::Slice { start: None, stop: Some(range.end as isize), step: 1 }
            }
        }
        impl From<RangeToInclusive<$int>> for Index {
            fn from(range: RangeToInclusive<$int>) -> Self {
                Index::Slice { start: None, stop: after(range.end as isize), step: 1 }
            }
        }
    )+};
}
positions!(i32, i64, isize, usize);

/// What indexes an array: one item, a tuple of items, or what [`s!`](crate::s) makes.
pub trait IntoIndex {
    /// The items.
    fn into_index(self) -> SmallVec<[Index; 4]>;
}

impl<T: Into<Index>> IntoIndex for T {
    fn into_index(self) -> SmallVec<[Index; 4]> {
        SmallVec::from_slice(&[self.into()])
    }
}
impl<const N: usize> IntoIndex for [Index; N] {
    fn into_index(self) -> SmallVec<[Index; 4]> {
        SmallVec::from_slice(&self)
    }
}
impl IntoIndex for &[Index] {
    fn into_index(self) -> SmallVec<[Index; 4]> {
        SmallVec::from_slice(self)
    }
}

macro_rules! tuples {
    ($(($($item:ident),*))+) => {$(
        impl<$($item: Into<Index>),*> IntoIndex for ($($item,)*) {
            #[allow(non_snake_case)]
            fn into_index(self) -> SmallVec<[Index; 4]> {
                let ($($item,)*) = self;
                [$($item.into()),*].into_iter().collect()
            }
        }
    )+};
}
tuples! { () (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) }

/// Index items, with steps after a semicolon: `s![1..3, ..;2, -1, NewAxis]`.
///
/// ```
/// use ndany::{Array, Device, arange, s};
/// # let _guard = Device::open("reference")?.enter();
/// let a = arange(0, 12, 1).reshape([3, 4]);
/// assert_eq!(a.i(s![..;-1, 1..;2]).to_vec::<i64>()?, [9, 11, 5, 7, 1, 3]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[macro_export]
macro_rules! s {
    (@items [$($done:expr,)*]) => { [$($done,)*] };
    (@items [$($done:expr,)*] $item:expr ; $step:expr) => {
        $crate::s!(@items [$($done,)* $crate::Index::from($item).step_by($step),])
    };
    (@items [$($done:expr,)*] $item:expr ; $step:expr, $($rest:tt)*) => {
        $crate::s!(@items [$($done,)* $crate::Index::from($item).step_by($step),] $($rest)*)
    };
    (@items [$($done:expr,)*] $item:expr) => {
        $crate::s!(@items [$($done,)* $crate::Index::from($item),])
    };
    (@items [$($done:expr,)*] $item:expr, $($rest:tt)*) => {
        $crate::s!(@items [$($done,)* $crate::Index::from($item),] $($rest)*)
    };
    ($($items:tt)*) => { $crate::s!(@items [] $($items)*) };
}

/// The layout that an index makes of another.
fn apply(op: &'static str, layout: &Layout, items: &[Index]) -> Result<Layout> {
    let ndim = layout.shape.len();
    let form = |reason| Error::IndexForm { op, reason, ndim };
    let used =
        items.iter().filter(|item| matches!(item, Index::At(_) | Index::Slice { .. })).count();
    if used > ndim {
        return Err(form("too many indices"));
    }
    if items.iter().filter(|item| matches!(item, Index::Ellipsis)).count() > 1 {
        return Err(form("more than one ellipsis"));
    }
    let (mut shape, mut strides, mut offset) =
        (Shape::new(), Strides::new(), layout.offset as isize);
    let mut axis = 0;
    let whole = |axes: usize, axis: &mut usize, shape: &mut Shape, strides: &mut Strides| {
        shape.extend_from_slice(&layout.shape[*axis..*axis + axes]);
        strides.extend_from_slice(&layout.strides[*axis..*axis + axes]);
        *axis += axes;
    };
    for item in items {
        match *item {
            Index::NewAxis => {
                shape.push(1);
                strides.push(0);
            }
            Index::Ellipsis => whole(ndim - used, &mut axis, &mut shape, &mut strides),
            Index::At(index) => {
                let size = layout.shape[axis];
                let position = if index < 0 { index + size as isize } else { index };
                if position < 0 || position >= size as isize {
                    return Err(Error::Index { op, index, axis, size });
                }
                offset += position * layout.strides[axis];
                axis += 1;
            }
            Index::Slice { start, stop, step } => {
                if step == 0 {
                    return Err(Error::ZeroStep { op });
                }
                let (first, extent) = slice(layout.shape[axis] as isize, start, stop, step);
                if extent > 0 {
                    offset += first * layout.strides[axis];
                }
                shape.push(extent);
                strides.push(layout.strides[axis].saturating_mul(step));
                axis += 1;
            }
        }
    }
    whole(ndim - axis, &mut axis, &mut shape, &mut strides);
    if shape.len() > shape::MAX_NDIM {
        return Err(Error::TooManyDimensions { op, ndim: shape.len() });
    }
    Ok(Layout { shape, strides, offset: offset as usize })
}

/// First position and number of positions, as Python's `slice.indices`.
fn slice(size: isize, start: Option<isize>, stop: Option<isize>, step: isize) -> (isize, usize) {
    let (low, high) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let clip = |position: isize| {
        let counted = if position < 0 { position.saturating_add(size) } else { position };
        counted.clamp(low, high)
    };
    let first = start.map_or(if step > 0 { low } else { high }, clip);
    let last = stop.map_or(if step > 0 { high } else { low }, clip);
    let span = if step > 0 { last - first } else { first - last };
    let extent = if span <= 0 { 0 } else { (span - 1) / step.saturating_abs() + 1 };
    (first, extent as usize)
}

impl Array {
    /// A view of part of the array: integers, ranges, [`NewAxis`], [`Ellipsis`], `..` for a whole axis;
    /// steps with [`s!`](crate::s). As NumPy's basic indexing; costs nothing.
    ///
    /// ```
    /// use ndany::{Array, Device, NewAxis, arange};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = arange(0, 24, 1).reshape([2, 3, 4]);
    /// assert_eq!(a.i((1, .., NewAxis, -1)).to_vec::<i64>()?, [15, 19, 23]);
    /// assert!(a.try_i((5, 0)).is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`Array::try_i`] errs.
    #[track_caller]
    pub fn i(&self, index: impl IntoIndex) -> Array {
        expect(self.try_i(index))
    }

    /// [`Array::i`], with a position out of range, too many items, a second ellipsis or a step of zero
    /// as errors.
    pub fn try_i(&self, index: impl IntoIndex) -> Result<Array> {
        Ok(self.with_layout(apply("index", self.layout(), &index.into_index())?))
    }

    /// Writes `value`, converted and broadcast, into part of the array, as `a[index] = value`.
    ///
    /// Other handles keep the old values: the array is copied first where it is shared.
    ///
    /// ```
    /// use ndany::{Array, Device, s};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut a = Array::from([1.0, 2.0, 3.0, 4.0]);
    /// let before = a.clone();
    /// a.set(s![..;2], 0)?;
    /// assert_eq!(a.to_vec::<f64>()?, [0.0, 2.0, 0.0, 4.0]);
    /// assert_eq!(before.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Errors
    /// A bad index; shapes that do not broadcast; a weak integer out of range; two devices; what fails
    /// on the device.
    #[track_caller]
    pub fn set(&mut self, index: impl IntoIndex, value: impl Into<Operand>) -> Result<()> {
        let (items, dtype) = (index.into_index(), self.dtype());
        let window = apply("set", self.layout(), &items)?;
        let expr = match value.into() {
            Operand::Scalar(scalar) => Expr::Fill(graph::constant("set", &scalar, dtype)?),
            Operand::Array(array) => {
                if array.device() != self.device() {
                    let (left, right) = (self.device().name(), array.device().name());
                    return Err(Error::TwoDevices { op: "set", left, right });
                }
                Expr::Cast(fit("set", &array, &window.shape)?)
            }
        };
        self.make_sole()?;
        statistics::count(|counts| &mut counts.operations);
        self.write(&items, &expr)
    }

    /// A window through which part of the array is changed in place: `*a.view_mut(s![1..3]) += &b`.
    ///
    /// ```
    /// use ndany::{Array, Device, s};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut a = Array::from([[1, 2], [3, 4]]);
    /// *a.view_mut(s![.., 0]) *= 10;
    /// assert_eq!(a.to_vec::<i32>()?, [10, 2, 30, 4]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// A bad index.
    #[track_caller]
    pub fn view_mut(&mut self, index: impl IntoIndex) -> ViewMut<'_> {
        let items = index.into_index();
        expect(apply("view_mut", self.layout(), &items));
        ViewMut(Window { array: self, items })
    }

    /// Makes this handle the only one of its value: copies it where others, or pending operations,
    /// hold it too, and where it repeats elements.
    #[track_caller]
    pub(super) fn make_sole(&mut self) -> Result<()> {
        self.eval()?;
        let repeats = self
            .layout
            .shape
            .iter()
            .zip(&self.layout.strides)
            .any(|(&extent, &stride)| extent > 1 && stride == 0);
        if Arc::strong_count(&self.node) > 1 || repeats {
            let copy = self.copy();
            copy.eval()?;
            *self = copy;
        }
        Ok(())
    }

    /// Computes an expression of this array's dtype into part of its buffer. The handle is sole but for
    /// the expression, which reads the buffer, if at all, through this very part.
    fn write(&mut self, items: &[Index], expr: &Expr) -> Result<()> {
        let window = apply("set", self.layout(), items)?;
        evaluate_into(self.device(), expr, self.dtype(), &self.buffer()?, &window)
    }
}

/// `array` broadcast to exactly this shape; extra leading axes of extent 1 are dropped, as NumPy does.
pub(super) fn fit(op: &'static str, array: &Array, shape: &[usize]) -> Result<Array> {
    let mut layout = array.layout().clone();
    while layout.shape.len() > shape.len() && layout.shape[0] == 1 {
        layout.shape.remove(0);
        layout.strides.remove(0);
    }
    let common = shape::broadcast(op, &layout.shape, shape)?;
    if common.as_slice() != shape {
        return Err(Error::Broadcast { op, left: array.shape().into(), right: shape.into() });
    }
    Ok(array.with_layout(layout.broadcast_to(shape)))
}

/// An exclusive window into an array; see [`Array::view_mut`].
#[derive(Debug)]
pub struct ViewMut<'a>(Window<'a>);

impl<'a> Deref for ViewMut<'a> {
    type Target = Window<'a>;
    fn deref(&self) -> &Window<'a> {
        &self.0
    }
}
impl<'a> DerefMut for ViewMut<'a> {
    fn deref_mut(&mut self) -> &mut Window<'a> {
        &mut self.0
    }
}

/// The part of an array that a [`ViewMut`] shows: assignments to it change the array.
#[derive(Debug)]
pub struct Window<'a> {
    array: &'a mut Array,
    items: SmallVec<[Index; 4]>,
}

impl Window<'_> {
    /// The values that the window shows now.
    pub fn get(&self) -> Array {
        expect(self.array.try_i(self.items.as_slice()))
    }

    /// Writes `value`, converted and broadcast, into the window.
    ///
    /// # Errors
    /// As [`Array::set`].
    #[track_caller]
    pub fn assign(&mut self, value: impl Into<Operand>) -> Result<()> {
        self.array.set(self.items.as_slice(), value)
    }

    /// Replaces the window by `row(window, other)`.
    ///
    /// # Errors
    /// As the operation; also a result of a kind that the array's dtype cannot hold, as NumPy refuses it.
    #[track_caller]
    pub(crate) fn update(&mut self, row: &'static Row, other: Operand) -> Result<()> {
        let operand_shape = match &other {
            Operand::Array(array) => Shape::from_slice(array.shape()),
            Operand::Scalar(_) => Shape::new(),
        };
        let shape = apply(row.name, self.array.layout(), &self.items)?.shape;
        if shape::broadcast(row.name, &shape, &operand_shape)? != shape {
            let (left, right) = (shape.as_slice().into(), operand_shape.as_slice().into());
            return Err(Error::Broadcast { op: row.name, left, right });
        }
        self.array.make_sole()?;
        let value = graph::elementwise(row, &mut [Operand::Array(self.get()), other])?;
        let dtype = self.array.dtype();
        if value.dtype().kind() > dtype.kind() {
            let dtypes = format!("{} assigned to {dtype}", value.dtype());
            let remedy = "convert the array with astype first";
            return Err(Error::DTypes { op: row.name, dtypes, remedy });
        }
        self.array.write(&self.items, &Expr::Cast(value))
    }
}

macro_rules! assigning {
    ($($trait:ident $method:ident $row:ident;)+) => {$(
        impl<T: Into<Operand>> $trait<T> for Window<'_> {
            /// # Panics
            /// Where the operation errs.
            #[track_caller]
            fn $method(&mut self, other: T) {
                expect(self.update(&rows::$row, other.into()));
            }
        }
    )+};
}
assigning! {
    AddAssign add_assign add;
    SubAssign sub_assign subtract;
    MulAssign mul_assign multiply;
    DivAssign div_assign divide;
    RemAssign rem_assign remainder;
    BitAndAssign bitand_assign bitwise_and;
    BitOrAssign bitor_assign bitwise_or;
    BitXorAssign bitxor_assign bitwise_xor;
    ShlAssign shl_assign left_shift;
    ShrAssign shr_assign right_shift;
}
