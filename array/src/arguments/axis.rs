//! One axis, with options.

use std::marker::PhantomData;
use std::ops::RangeFull;

use smallvec::SmallVec;

use super::AxisOptions;
use super::choices::{IndexMode, fft};
use super::integers::{Integer, Integers};
use super::options::*;
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::DType;

/// One axis with options. [`along`] makes one; `G` lists the options given.
///
/// ```
/// use ndany::{Array, Device, IndexMode, along};
/// # let _guard = Device::open("reference")?.enter();
/// let a = Array::from([1, 2, 4, 7, 0]);
/// assert_eq!(a.diff(..).to_vec::<i32>()?, [1, 2, 3, -7]);
/// assert_eq!(a.diff(along(-1).n(2)).to_vec::<i32>()?, [1, 1, -10]);
/// assert_eq!(a.take([5, -1], along(0).mode(IndexMode::Wrap)).to_vec::<i32>()?, [1, 0]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Axis<G = ()> {
    options: AxisOptions,
    given: PhantomData<G>,
}

/// Starts the options of a function along an axis, as `axis=` of NumPy's functions along one axis.
///
/// `along(0).n(2)`, `along(-1).dtype(DType::F32)`; `along(..)` where the function takes `..`.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(array([1, 4, 9]).diff(along(0).n(2)).to_string(), "[2]");
/// ```
pub fn along(axis: impl IntoAxis<FlatAxis>) -> Axis {
    Axis::of(axis.into_axis())
}

impl<G> Axis<G> {
    fn of(options: AxisOptions) -> Self {
        Self { options, given: PhantomData }
    }

    /// Sets the dtype in which a scan computes, and which it returns, as `dtype=` of `np.cumsum`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).cumsum(along(0).dtype(F64)).to_string(), "[1. 3.]");
    /// ```
    pub fn dtype(self, dtype: DType) -> Axis<(Dtype, G)> {
        Axis::of(self.options.dtype(dtype))
    }

    /// Sets how often differences are taken, or the points of a transform, as `n=` of `np.diff` and `np.fft.fft`.
    ///
    /// A transform cuts off what is longer and counts what is missing as zero; where it is to real numbers the points are those of the
    /// result.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 4, 9, 16]).diff(along(0).n(2)).to_string(), "[2 2]");
    /// ```
    pub fn n(self, n: impl Integer) -> Axis<(Points, G)> {
        Axis::of(self.options.n(SmallVec::from_slice(&[n.integer()])))
    }

    /// Chooses how a transform is scaled, as `norm=` of `np.fft.fft`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(fft::fft(&array([1.0, 1.0]), along(0).norm(fft::Norm::Forward)).real().to_string(), "[1. 0.]");
    /// ```
    pub fn norm(self, norm: fft::Norm) -> Axis<(Scaling, G)> {
        Axis::of(self.options.norm(norm))
    }

    /// Puts values in front of the axis, as `prepend=` of `np.diff`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 4]).diff(along(0).prepend(0)).to_string(), "[1 3]");
    /// ```
    pub fn prepend(self, values: impl Into<Operand>) -> Axis<(Ends, G)> {
        Axis::of(self.options.prepend(values.into()))
    }

    /// Puts values after the end of the axis, as `append=` of `np.diff`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 4]).diff(along(0).append(9)).to_string(), "[3 5]");
    /// ```
    pub fn append(self, values: impl Into<Operand>) -> Axis<(Ends, G)> {
        Axis::of(self.options.append(values.into()))
    }

    /// Starts a running sum with 0 and a product with 1, as `include_initial=True` of `np.cumulative_sum`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).cumulative_sum(along(0).include_initial()).to_string(), "[0 1 3]");
    /// ```
    pub fn include_initial(self) -> Axis<(IncludeInitial, G)> {
        Axis::of(self.options.include_initial())
    }

    /// Sorts from the largest to the smallest, as `descending=True` of the array API standard's `sort`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, f64::NAN, 3.0]).sort(along(0).descending()).to_string(), "[ 3.  1. nan]");
    /// ```
    pub fn descending(self) -> Axis<(Descending, G)> {
        Axis::of(self.options.descending(true))
    }

    /// Chooses what becomes of a position out of range, as `mode=` of `np.take`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).take(5, along(0).mode(ndany::IndexMode::Clip)).to_string(), "2");
    /// ```
    pub fn mode(self, mode: IndexMode) -> Axis<(Mode, G)> {
        Axis::of(self.options.mode(mode))
    }

    /// Says whether all NaNs count as one value, as `equal_nan=` of `np.unique`.
    ///
    /// In parts along an axis they never do.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([f64::NAN, f64::NAN]).unique(along(..).equal_nan(false)).to_string(), "[nan nan]");
    /// ```
    pub fn equal_nan(self, equal: bool) -> Axis<(EqualNan, G)> {
        Axis::of(self.options.equal_nan(equal))
    }

    /// Sets the least jump between phases that is removed, as `discont=` of `np.unwrap`; at least half the period.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0.0, 4.0]).unwrap_phase(along(0).discont(5.0)).to_string(), "[0. 4.]");
    /// ```
    pub fn discont(self, jump: impl Into<f64>) -> Axis<(Discont, G)> {
        Axis::of(self.options.discont(jump.into()))
    }

    /// Sets the period of phases, 2 π unless given, as `period=` of `np.unwrap`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0, 3]).unwrap_phase(along(0).period(4)).to_string(), "[ 0 -1]");
    /// ```
    pub fn period(self, period: impl Into<Scalar>) -> Axis<(Period, G)> {
        Axis::of(self.options.period(period.into()))
    }
}

/// One axis: `0`, `-1`, or [`along`] with options of `F`; `..` for NumPy's default where there is one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not one axis for a function of `{F}`",
    label = "expected `..`, `along(0)`, or an integer such as `-1` where NumPy's argument in this place is the axis",
    note = "where NumPy's argument in this place is another one, an integer is no axis, and that one is an option: `along(-1).n(8)` \
            for NumPy's `n`, `along(-1).discont(1)` for its `discont`"
)]
pub trait IntoAxis<F = AxisOnly>: Sized {
    /// The plain values.
    #[doc(hidden)]
    fn into_axis(self) -> AxisOptions;
}

impl<F> IntoAxis<F> for AxisOptions {
    fn into_axis(self) -> AxisOptions {
        self
    }
}
impl<F: DefaultAxis, G: OptionsOf<F>> IntoAxis<F> for Axis<G> {
    fn into_axis(self) -> AxisOptions {
        self.options.or_axis(F::AXIS)
    }
}
impl<F: DefaultAxis, G: OptionsOf<F>> IntoAxis<F> for &Axis<G> {
    fn into_axis(self) -> AxisOptions {
        self.options.clone().or_axis(F::AXIS)
    }
}
impl<F: WithDefault + DefaultAxis> IntoAxis<F> for RangeFull {
    fn into_axis(self) -> AxisOptions {
        AxisOptions::from(F::AXIS)
    }
}

macro_rules! axis {
    ($($int:ty),+) => {$(
        impl<F: TakesIntegers> IntoAxis<F> for $int {
            fn into_axis(self) -> AxisOptions { AxisOptions::new(Some(self.integers())) }
        }
    )+};
}
axis!(i32, i64, isize, u32, u64, usize);
