//! What an index is made of, and basic indexing: integers, slices with any step, new axes and ellipses.
//!
//! Basic indexing changes the layout only and costs nothing. Index arrays and masks are `fancy`'s, writing
//! through an index is `window`'s.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use smallvec::SmallVec;

use crate::array::Array;
use crate::array::indexing::fancy::Plan;
use crate::declare::expect;
use ndany_core::shape::{self, Layout, Shape, Strides};
use ndany_core::{Error, Result};

/// One item of an index.
#[derive(Clone, Debug)]
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
    /// Positions (integers), or the places of a mask's true elements (bool).
    Array(Box<Array>),
    /// The same, written out: an index array of the device of the array that is indexed.
    List(Box<IndexList>),
    /// A mask without axes: a new axis of extent 1 or 0.
    Bool(bool),
}

/// An index array that is written out, such as `[2, 0, -1]`.
#[derive(Clone, Debug)]
pub struct IndexList {
    pub(in crate::array) values: Vec<i64>,
    pub(in crate::array) shape: Shape,
    /// Whether the values are booleans.
    pub(in crate::array) is_mask: bool,
}

/// An axis of extent 1 in an index.
#[derive(Clone, Copy, Debug)]
pub struct NewAxis;

/// All axes that are left, in an index.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsis;

impl Index {
    /// Returns this slice with another step, as `start:stop:step` of NumPy.
    ///
    /// Panics for an item that is not a slice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(arange(6).i(ndany::Index::from(0..6).step_by(2)).to_string(), "[0 2 4]");
    /// ```
    pub fn step_by(self, step: isize) -> Index {
        match self {
            Index::Slice { start, stop, .. } => Index::Slice { start, stop, step },
            Index::At(_)
            | Index::NewAxis
            | Index::Ellipsis
            | Index::Array(_)
            | Index::List(_)
            | Index::Bool(_) => {
                panic!("[s!] a step needs a slice, got {self:?}")
            }
        }
    }

    /// Whether it changes the layout only.
    pub(in crate::array) fn is_basic(&self) -> bool {
        match self {
            Index::At(_) | Index::Slice { .. } | Index::NewAxis | Index::Ellipsis => true,
            Index::Array(_) | Index::List(_) | Index::Bool(_) => false,
        }
    }
}

impl From<&Array> for Index {
    fn from(array: &Array) -> Self {
        Index::Array(Box::new(array.clone()))
    }
}
impl From<Array> for Index {
    fn from(array: Array) -> Self {
        Index::Array(Box::new(array))
    }
}
impl From<bool> for Index {
    fn from(truth: bool) -> Self {
        Index::Bool(truth)
    }
}

/// Index arrays that are written out, of one element type.
macro_rules! lists {
    ($($item:ty, $is_mask:literal;)+) => {$(
        impl From<&[$item]> for Index {
            fn from(items: &[$item]) -> Self {
                let values = items.iter().map(|&item| item as i64).collect();
                let shape = Shape::from_slice(&[items.len()]);
                Index::List(Box::new(IndexList { values, shape, is_mask: $is_mask }))
            }
        }
        impl From<Vec<$item>> for Index {
            fn from(items: Vec<$item>) -> Self { Index::from(items.as_slice()) }
        }
        impl<const N: usize> From<[$item; N]> for Index {
            fn from(items: [$item; N]) -> Self { Index::from(items.as_slice()) }
        }
        impl<const M: usize, const N: usize> From<[[$item; N]; M]> for Index {
            fn from(items: [[$item; N]; M]) -> Self {
                let values = items.as_flattened().iter().map(|&item| item as i64).collect();
                let shape = Shape::from_slice(&[M, N]);
                Index::List(Box::new(IndexList { values, shape, is_mask: $is_mask }))
            }
        }
    )+};
}
lists! { i32, false; i64, false; isize, false; usize, false; bool, true; }

/// `None` is a new axis, as in NumPy.
impl From<Option<NewAxis>> for Index {
    fn from(_: Option<NewAxis>) -> Self {
        Index::NewAxis
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index",
    label = "expected `0`, `1..3`, `..`, `s![…]`, a tuple of such, an array of positions or a mask"
)]
pub trait IntoIndex {
    /// The items.
    #[doc(hidden)]
    fn into_index(self) -> SmallVec<[Index; 4]>;
}

impl<T: Into<Index>> IntoIndex for T {
    fn into_index(self) -> SmallVec<[Index; 4]> {
        let mut items = SmallVec::new();
        items.push(self.into());
        items
    }
}
impl<const N: usize> IntoIndex for [Index; N] {
    fn into_index(self) -> SmallVec<[Index; 4]> {
        self.into_iter().collect()
    }
}
impl<const N: usize> IntoIndex for &[Index; N] {
    fn into_index(self) -> SmallVec<[Index; 4]> {
        self.iter().cloned().collect()
    }
}
impl IntoIndex for &[Index] {
    fn into_index(self) -> SmallVec<[Index; 4]> {
        self.iter().cloned().collect()
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
tuples! {
    () (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F)
    (A, B, C, D, E, F, G) (A, B, C, D, E, F, G, H)
}

/// Index items, with steps after a semicolon: `s![1..3, ..;2, -1, NewAxis, &mask, [2, 0]]`.
///
/// ```
/// use ndany::{Array, Device, arange, s};
/// # let _guard = Device::open("reference")?.enter();
/// let a = arange(12).reshape([3, 4]);
/// assert_eq!(a.i(s![..;-1, 1..;2]).to_vec::<i64>()?, [9, 11, 5, 7, 1, 3]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[macro_export]
macro_rules! s {
    (@items [$($done:expr,)*]) => {{
        // `1..-1` ends before the last element.
        #[allow(clippy::reversed_empty_ranges)]
        let items = [$($done,)*];
        items
    }};
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

/// Refuses results of more dimensions than there are: an error of the index, as in NumPy.
pub(in crate::array) fn bounded(op: &'static str, shape: &[usize], ndim: usize) -> Result<()> {
    let reason = "a result of more than 64 dimensions";
    match shape.len() > shape::MAX_NDIM {
        true => Err(Error::IndexForm { op, reason, ndim }),
        false => Ok(()),
    }
}

/// The layout that a basic index makes of another.
pub(in crate::array) fn apply(
    op: &'static str,
    layout: &Layout,
    items: &[Index],
) -> Result<Layout> {
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
        match item {
            Index::NewAxis => {
                shape.push(1);
                strides.push(0);
            }
            Index::Ellipsis => whole(ndim - used, &mut axis, &mut shape, &mut strides),
            &Index::At(index) => {
                let size = layout.shape[axis];
                let position = if index < 0 { index + size as isize } else { index };
                if position < 0 || position >= size as isize {
                    return Err(Error::Index { op, index, axis, size });
                }
                offset += position * layout.strides[axis];
                axis += 1;
            }
            &Index::Slice { start, stop, step } => {
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
            Index::Array(_) | Index::List(_) | Index::Bool(_) => {
                unreachable!("no basic index")
            }
        }
    }
    whole(ndim - axis, &mut axis, &mut shape, &mut strides);
    bounded(op, &shape, ndim)?;
    Ok(Layout { shape, strides, offset: offset as usize })
}

/// First position and number of positions, as Python's `slice.indices`.
pub(in crate::array) fn slice(
    size: isize,
    start: Option<isize>,
    stop: Option<isize>,
    step: isize,
) -> (isize, usize) {
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
    /// Selects part of the array, as NumPy's `a[index]`.
    ///
    /// Integers, ranges, [`NewAxis`], [`Ellipsis`] and `..` for a whole axis (steps with [`s!`](crate::s)) make a view, which
    /// costs nothing. Index arrays, written out or computed, and masks make an array of its own: index arrays broadcast
    /// together, and their axes stand where they stood, or first where something separates them; a mask stands for the
    /// positions of its true elements and is read at once, since the shape depends on it.
    ///
    /// - **Shapes**: as NumPy's basic and advanced indexing.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a position out of range (in an index array an error of the result, found where it is read), too many
    ///   items, a second ellipsis, a step of zero, index arrays that do not broadcast, masks that do not fit, two devices.
    ///
    /// ```
    /// use ndany::{Array, Device, NewAxis, arange};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = arange(24).reshape([2, 3, 4]);
    /// assert_eq!(a.i((1, .., NewAxis, -1)).to_vec::<i64>()?, [15, 19, 23]);
    /// assert!(a.try_i((5, 0)).is_err());
    /// assert_eq!(a.i((.., [2, 0], -1)).to_vec::<i64>()?, [11, 3, 23, 15]);
    /// assert_eq!(a.i(a.remainder(10).equal(1)).to_vec::<i64>()?, [1, 11, 21]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`Array::try_i`] errs.
    #[doc(alias("get", "slice", "index", "[]", "getitem"))]
    #[track_caller]
    pub fn i(&self, index: impl IntoIndex) -> Array {
        expect(self.try_i(index))
    }

    /// Selects part of the array, as [`Array::i`] and NumPy's `a[index]`, with errors as values.
    ///
    /// - **Shapes**: as NumPy's basic and advanced indexing.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: those of [`Array::i`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).try_i((.., 0))?.to_string(), "[1 3]");
    /// assert!(array([1, 2]).try_i(5).is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn try_i(&self, index: impl IntoIndex) -> Result<Array> {
        self.indexed(index.into_index())
    }

    #[track_caller]
    fn indexed(&self, items: SmallVec<[Index; 4]>) -> Result<Array> {
        if items.iter().all(Index::is_basic) {
            return Ok(self.with_layout(apply("index", self.layout(), &items)?));
        }
        Plan::new("index", self, items)?.read("index", self)
    }
}
