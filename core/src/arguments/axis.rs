//! One axis, with options.

use std::marker::PhantomData;
use std::ops::RangeFull;

use smallvec::SmallVec;

use super::AxisOptions;
use super::integers::{Integer, Integers};
use super::options::*;
use crate::array::IndexMode;
use crate::dtype::DType;
use crate::fft;
use crate::graph::Operand;
use crate::scalar::Scalar;

/// One axis with options. [`along`] makes one; `G` lists the options given.
///
/// ```
/// use ndany::{Array, Device, IndexMode, along};
/// # let _guard = Device::open("reference")?.enter();
/// let a = Array::from([1, 2, 4, 7, 0]);
/// assert_eq!(a.diff(-1).to_vec::<i32>()?, [1, 2, 3, -7]);
/// assert_eq!(a.diff(along(-1).n(2)).to_vec::<i32>()?, [1, 1, -10]);
/// assert_eq!(a.take([5, -1], along(0).mode(IndexMode::Wrap)).to_vec::<i32>()?, [1, 0]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Axis<G = ()> {
    options: AxisOptions,
    given: PhantomData<G>,
}

/// Starts the options of a function along this axis: `along(0).n(2)`, `along(-1).dtype(DType::F32)`; `along(..)` where the
/// function takes `..`.
pub fn along(axis: impl IntoAxis<FlatAxis>) -> Axis {
    Axis::of(axis.into_axis())
}

impl<G> Axis<G> {
    fn of(options: AxisOptions) -> Self {
        Self { options, given: PhantomData }
    }

    /// The dtype in which a scan computes, and which it returns.
    pub fn dtype(self, dtype: DType) -> Axis<(Dtype, G)> {
        Axis::of(self.options.dtype(dtype))
    }

    /// How often differences are taken; points of a transform (what is longer is cut off, what is missing counts as zero;
    /// those of a result where the transform is to real numbers).
    pub fn n(self, n: impl Integer) -> Axis<(Points, G)> {
        Axis::of(self.options.n(SmallVec::from_slice(&[n.integer()])))
    }

    /// How a transform is scaled.
    pub fn norm(self, norm: fft::Norm) -> Axis<(Scaling, G)> {
        Axis::of(self.options.norm(norm))
    }

    /// Values in front of the axis.
    pub fn prepend(self, values: impl Into<Operand>) -> Axis<(Ends, G)> {
        Axis::of(self.options.prepend(values.into()))
    }

    /// Values after the end of the axis.
    pub fn append(self, values: impl Into<Operand>) -> Axis<(Ends, G)> {
        Axis::of(self.options.append(values.into()))
    }

    /// A running sum or product starts with what it is of nothing.
    pub fn include_initial(self) -> Axis<(IncludeInitial, G)> {
        Axis::of(self.options.include_initial())
    }

    /// What becomes of a position out of range.
    pub fn mode(self, mode: IndexMode) -> Axis<(Mode, G)> {
        Axis::of(self.options.mode(mode))
    }

    /// Do all NaNs count as one value (in parts along an axis they never do)?
    pub fn equal_nan(self, equal: bool) -> Axis<(EqualNan, G)> {
        Axis::of(self.options.equal_nan(equal))
    }

    /// The least jump between phases that is taken out: half the period unless given, and no less.
    pub fn discont(self, jump: impl Into<f64>) -> Axis<(Discont, G)> {
        Axis::of(self.options.discont(jump.into()))
    }

    /// The distance after which phases repeat: 2 π unless given.
    pub fn period(self, period: impl Into<Scalar>) -> Axis<(Period, G)> {
        Axis::of(self.options.period(period.into()))
    }
}

/// One axis: `0`, `-1`, or [`along`] with options of `F`; `..` where `F` has it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not one axis",
    label = "expected one integer such as `0` or `-1`, or `along(…)`"
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
impl<F, G: OptionsOf<F>> IntoAxis<F> for Axis<G> {
    fn into_axis(self) -> AxisOptions {
        self.options
    }
}
impl<F, G: OptionsOf<F>> IntoAxis<F> for &Axis<G> {
    fn into_axis(self) -> AxisOptions {
        self.options.clone()
    }
}
impl<F: WithDefault> IntoAxis<F> for RangeFull {
    fn into_axis(self) -> AxisOptions {
        AxisOptions::default()
    }
}

macro_rules! axis {
    ($($int:ty),+) => {$(
        impl<F> IntoAxis<F> for $int {
            fn into_axis(self) -> AxisOptions { AxisOptions::new(Some(self.integers())) }
        }
    )+};
}
axis!(i32, i64, isize, u32, u64, usize);
