//! Several axes, with options.

use std::marker::PhantomData;
use std::ops::RangeFull;

use super::AxisOptions;
use super::choices::linalg::Norm;
use super::choices::{QuantileMethod, fft};
use super::integers::{Integer, Integers, for_integers};
use super::options::*;
use crate::graph::{Array, Operand};
use crate::scalar::Scalar;
use ndany_core::DType;

/// Axes with options: what NumPy takes as `axis` and further keywords. [`over`] makes one; `G` lists the options given.
///
/// An integer, a list of integers or `..` (all axes) is an argument by itself. An option that a function does not have does
/// not compile; which function has which is on the pages of the sets in [`options`](crate::options).
///
/// ```
/// use ndany::{Array, Device, over};
/// # let _guard = Device::open("reference")?.enter();
/// let a = Array::from([[1.0, 2.0], [3.0, 5.0]]);
/// assert_eq!(a.sum(1).to_vec::<f64>()?, [3.0, 8.0]);
/// assert_eq!(a.max(..).item::<f64>()?, 5.0);
/// assert_eq!(a.mean(over(0).keepdims()).shape(), [1, 2]);
/// assert_eq!(a.var(over(0).ddof(1)).to_vec::<f64>()?, [2.0, 4.5]);
/// let rows = over(1).keepdims();
/// assert_eq!((a.max(&rows) - a.min(&rows)).shape(), [2, 1]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Axes<G = ()> {
    options: AxisOptions,
    given: PhantomData<G>,
}

/// Starts the options of a function over axes, as `axis=` of NumPy's reductions.
///
/// `over(0)`, `over((0, 1)).keepdims()`, `over(..).ddof(1)`.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(array([[1, 2], [3, 4]]).sum(over(0).keepdims()).to_string(), "[[4 6]]");
/// ```
pub fn over(axes: impl IntoAxes) -> Axes {
    Axes::of(axes.into_axes())
}

impl<G> Axes<G> {
    fn of(options: AxisOptions) -> Self {
        Self { options, given: PhantomData }
    }

    /// Keeps reduced axes with extent 1, as `keepdims=True` of NumPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).sum(over(1).keepdims()).to_string(), "[[3]\n [7]]");
    /// ```
    pub fn keepdims(self) -> Axes<(Keepdims, G)> {
        Axes::of(self.options.keepdims())
    }

    /// Converts to this dtype first, and returns it, as `dtype=` of NumPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).sum(over(..).dtype(F64)).to_string(), "3.0");
    /// ```
    pub fn dtype(self, dtype: DType) -> Axes<(Dtype, G)> {
        Axes::of(self.options.dtype(dtype))
    }

    /// Starts from this value, as `initial=` of NumPy; it is combined last.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).max(over(..).initial(5)).to_string(), "5");
    /// ```
    pub fn initial(self, value: impl Into<Scalar>) -> Axes<(Initial, G)> {
        Axes::of(self.options.initial(value.into()))
    }

    /// Starts from the first element, so that no elements are an error, as `initial=None` of NumPy's ufuncs.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).sum(over(..).from_first()).to_string(), "3");
    /// ```
    pub fn from_first(self) -> Axes<(Initial, G)> {
        Axes::of(self.options.initial_none())
    }

    /// Counts only elements where a mask, broadcast to the array, is true, as `where=` of NumPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3]).sum(over(..).where_(&array([true, false, true]))).to_string(), "4");
    /// ```
    pub fn where_(self, mask: &Array) -> Axes<(Where, G)> {
        Axes::of(self.options.where_(mask))
    }

    /// Divides by the count less this, as `ddof=` and `correction=` of NumPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, 3.0]).var(over(..).ddof(1)).to_string(), "2.0");
    /// ```
    pub fn ddof(self, ddof: impl Into<f64>) -> Axes<(Ddof, G)> {
        Axes::of(self.options.ddof(ddof.into()))
    }

    /// Takes this mean for a variance, as `mean=` of `np.var`: a number, or an array that broadcasts to the elements.
    ///
    /// The variance is then the mean squared distance from it.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, 3.0]).var(over(..).mean(1.0)).to_string(), "2.0");
    /// ```
    pub fn mean(self, mean: impl Into<Operand>) -> Axes<(Mean, G)> {
        Axes::of(self.options.mean(mean.into()))
    }

    /// Chooses where between two elements a quantile lies, as `method=` of `np.quantile`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).quantile(0.5, over(..).method(ndany::QuantileMethod::Lower)).to_string(), "1");
    /// ```
    pub fn method(self, method: QuantileMethod) -> Axes<(Method, G)> {
        Axes::of(self.options.method(method))
    }

    /// Sets a weight for each element, or for each place along the axes, as `weights=` of `np.average`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, 4.0]).average(over(..).weights(&array([2.0, 1.0]))).to_string(), "2.0");
    /// ```
    pub fn weights(self, weights: &Array) -> Axes<(Weights, G)> {
        Axes::of(self.options.weights(weights))
    }

    /// Chooses the norm by a number or a name of [`Norm`](crate::linalg::Norm), as `ord=` of `np.linalg.norm`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::norm(&array([3.0, -4.0]), over(0).ord(1)).to_string(), "7.0");
    /// ```
    pub fn ord(self, ord: impl Into<Norm>) -> Axes<(Ord, G)> {
        Axes::of(self.options.ord(ord.into()))
    }

    /// Sets the points of a transform along each axis, -1 for the axis's extent, as `s=` of `np.fft.fftn`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(fft::fft2(&ones((2, 2), ..), over((0, 1)).n((4, 4))).shape(), [4, 4]);
    /// ```
    pub fn n(self, points: impl Integers) -> Axes<(Points, G)> {
        Axes::of(self.options.n(points.integers()))
    }

    /// Chooses how a transform is scaled, as `norm=` of `np.fft.fftn`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(fft::fft2(&ones((2, 2), ..), over((0, 1)).norm(fft::Norm::Forward)).real().to_string(), "[[1. 0.]\n [0. 0.]]");
    /// ```
    pub fn norm(self, norm: fft::Norm) -> Axes<(Scaling, G)> {
        Axes::of(self.options.norm(norm))
    }

    /// Sets the order of the differences at the ends of an axis, 1 or 2, as `edge_order=` of `np.gradient`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, 2.0, 4.0]).gradient(.., over(0).edge_order(2))[0].to_string(), "[0.5 1.5 2.5]");
    /// ```
    pub fn edge_order(self, order: usize) -> Axes<(EdgeOrder, G)> {
        Axes::of(self.options.edge_order(order))
    }
}

/// Axes: `0`, `-1`, `[0, 1]`, `(0, 1)`, `..` (NumPy's default, mostly all), or [`over`] with options of `F`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say axes for a function of `{F}`",
    label = "expected `..`, `over(0)`, `over((0, 1))`, or `-1`, `[0, 1]`, `(0, 1)` where NumPy's argument in this place is the axis",
    note = "where NumPy's argument in this place is another one, integers are no axes, and that one is an option: `over(..).ord(1)` \
            for NumPy's `ord`, `over((-2, -1)).n((4, 4))` for its `s`"
)]
pub trait IntoAxes<F = AxesOnly>: Sized {
    /// The plain values.
    #[doc(hidden)]
    fn into_axes(self) -> AxisOptions;
}

impl<F> IntoAxes<F> for AxisOptions {
    fn into_axes(self) -> AxisOptions {
        self
    }
}
impl<F: DefaultAxis> IntoAxes<F> for RangeFull {
    fn into_axes(self) -> AxisOptions {
        AxisOptions::from(F::AXIS)
    }
}
impl<F: DefaultAxis, G: OptionsOf<F>> IntoAxes<F> for Axes<G> {
    fn into_axes(self) -> AxisOptions {
        self.options.or_axis(F::AXIS)
    }
}
impl<F: DefaultAxis, G: OptionsOf<F>> IntoAxes<F> for &Axes<G> {
    fn into_axes(self) -> AxisOptions {
        self.options.clone().or_axis(F::AXIS)
    }
}

macro_rules! axes {
    ($([$($generic:tt)*] $ty:ty;)+) => {$(
        impl<Family: TakesIntegers, $($generic)*> IntoAxes<Family> for $ty {
            fn into_axes(self) -> AxisOptions { AxisOptions::new(Some(self.integers())) }
        }
    )+};
}
for_integers!(axes);
