//! Shapes as arguments.

use std::marker::PhantomData;

use smallvec::SmallVec;

use super::integers::{Integer, Integers, for_integers};
use super::options::{Dtype, MemoryOrder, OptionsOf, ShapeOnly};
use crate::graph::order::Order;
use ndany_core::{DType, Error, Result};

/// A shape with options; `G` lists those given.
///
/// An integer, an array, a slice, a `Vec` or a tuple of integers is a shape by itself. This type is for what rides on it: the
/// order in memory, and the dtype of a draw.
///
/// ```
/// use ndany::{DType, Device, Generator, Order, Shape};
/// # let _guard = Device::open("reference")?.enter();
/// let mut rng = Generator::new(7);
/// let bytes = rng.integers(0..256, Shape::new((2, 3)).dtype(DType::U8));
/// assert_eq!((bytes.dtype(), bytes.shape()), (DType::U8, [2, 3].as_slice()));
/// let columns = bytes.reshape(Shape::new((3, -1)).order(Order::F));
/// assert_eq!(columns.i((0, 1)).item::<u8>()?, bytes.i((1, 1)).item::<u8>()?);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shape<G = ()> {
    options: ShapeOptions,
    given: PhantomData<G>,
}

/// A shape and its options as plain values: what the body of a function gets.
#[derive(Clone, Debug, Default)]
pub struct ShapeOptions {
    pub(crate) asked: SmallVec<[isize; 4]>,
    pub(crate) order: Order,
    pub(crate) dtype: Option<DType>,
}

impl ShapeOptions {
    /// The extents, none of which may be negative.
    #[inline]
    pub(crate) fn extents(&self, op: &'static str) -> Result<ndany_core::shape::Shape> {
        extents(op, &self.asked)
    }
}

/// Extents, none of which may be negative.
#[inline]
pub(crate) fn extents(op: &'static str, asked: &[isize]) -> Result<ndany_core::shape::Shape> {
    if asked.iter().any(|&extent| extent < 0) {
        return Err(Error::Range { op, reason: "a negative extent" });
    }
    // The largest number stands for what no isize holds: too large in any case.
    let extent = |extent: isize| if extent == isize::MAX { usize::MAX } else { extent as usize };
    let mut extents = ndany_core::shape::Shape::with_capacity(asked.len());
    for &asked in asked {
        extents.push(extent(asked));
    }
    Ok(extents)
}

impl Shape {
    /// Makes a shape without options.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(zeros(Shape::new((2, 3)), ..).shape(), [2, 3]);
    /// ```
    pub fn new(extents: impl Integers) -> Self {
        let options = ShapeOptions { asked: extents.integers(), ..ShapeOptions::default() };
        Self { options, given: PhantomData }
    }
}

impl<G> Shape<G> {
    /// Sets the order in which elements are counted, or lie in memory, as `order=` of NumPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3, 4]).reshape(Shape::new((2, 2)).order(ndany::Order::F)).to_string(), "[[1 3]\n [2 4]]");
    /// ```
    pub fn order(mut self, order: Order) -> Shape<(MemoryOrder, G)> {
        self.options.order = order;
        Shape { options: self.options, given: PhantomData }
    }

    /// Sets the dtype of what is drawn, as `dtype=` of NumPy's generators.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Generator::new(7).random(Shape::new(3).dtype(F32)).dtype(), F32);
    /// ```
    pub fn dtype(mut self, dtype: DType) -> Shape<(Dtype, G)> {
        self.options.dtype = Some(dtype);
        Shape { options: self.options, given: PhantomData }
    }
}

/// A shape: `3`, `()`, `[2, 3]`, `(n, -1)`, `a.shape()`, or [`Shape::new`] with options of `F`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no shape",
    label = "expected `3`, `()`, `[2, 3]`, `(n, 3)`, `a.shape()` or `Shape::new(…)`"
)]
pub trait IntoShape<F = ShapeOnly>: Sized {
    /// The plain values.
    #[doc(hidden)]
    fn into_shape(self) -> ShapeOptions;
}

impl<F> IntoShape<F> for ShapeOptions {
    fn into_shape(self) -> ShapeOptions {
        self
    }
}
impl<F, G: OptionsOf<F>> IntoShape<F> for Shape<G> {
    fn into_shape(self) -> ShapeOptions {
        self.options
    }
}
impl<F, G: OptionsOf<F>> IntoShape<F> for &Shape<G> {
    fn into_shape(self) -> ShapeOptions {
        self.options.clone()
    }
}

macro_rules! shapes {
    ($([$($generic:tt)*] $ty:ty;)+) => {$(
        impl<Family, $($generic)*> IntoShape<Family> for $ty {
            #[inline]
            fn into_shape(self) -> ShapeOptions {
                ShapeOptions { asked: self.integers(), ..ShapeOptions::default() }
            }
        }
    )+};
}
for_integers!(shapes);
shapes! { [] (); }
