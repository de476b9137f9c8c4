//! The options that ride on axes and shapes, and the sets of them: which functions take which.
//!
//! Each option is a type that the method of [`Axes`](crate::Axes), [`Axis`](crate::Axis) or [`Shape`](crate::Shape) of its
//! name adds; each set is a type that functions name in their signature.
//!
//! What a function does not have does not compile, and the message names the set:
//!
//! ```compile_fail,E0277
//! # use ndany::{Array, over};
//! # let a = Array::from([1.0, 2.0]);
//! a.sum(over(0).ddof(1)); // `Ddof` is not among `SumOptions`
//! ```
//! ```compile_fail,E0277
//! # use ndany::{Array, over};
//! # let a = Array::from([1.0, 2.0]);
//! a.count_nonzero(over(0).where_(&a)); // `Where` is not among `KeepOptions`
//! ```
//! ```compile_fail,E0277
//! # use ndany::{Array, along};
//! # let a = Array::from([1.0, 2.0]);
//! a.sort(along(0).n(2)); // `Points` is not among `SortOptions`
//! ```
//! ```compile_fail,E0277
//! # use ndany::Array;
//! # let a = Array::from([1.0, 2.0]);
//! a.swapaxes(0, ..); // this function needs an axis
//! ```
//!
//! An integer by itself is an axis, but not where NumPy's argument in this place is another one: a number that means something
//! else there does not compile here.
//!
//! ```compile_fail,E0277
//! # use ndany::{Array, fft};
//! # let a = Array::from([1.0, 2.0]);
//! fft::rfft(&a, 8); // `np.fft.rfft(a, 8)` has 8 points: `along(-1).n(8)`
//! ```
//! ```compile_fail,E0277
//! # use ndany::{Array, fft};
//! # let a = Array::from([[1.0, 2.0]]);
//! fft::fft2(&a, (4, 4)); // `np.fft.fft2(a, (4, 4))` has 4 by 4 points: `over((-2, -1)).n((4, 4))`
//! ```
//! ```compile_fail,E0277
//! # use ndany::Array;
//! # let a = Array::from([1.0, 2.0]);
//! a.diff(2); // `np.diff(a, 2)` takes differences of differences: `along(-1).n(2)`
//! ```
//! ```compile_fail,E0277
//! # use ndany::{Array, linalg};
//! # let a = Array::from([[1.0, 2.0]]);
//! linalg::norm(&a, 1); // `np.linalg.norm(a, 1)` is a norm of order 1: `over(..).ord(1)`
//! ```
//! ```compile_fail,E0277
//! # use ndany::Array;
//! # let a = Array::from([1.0, 2.0]);
//! a.unwrap_phase(1); // `np.unwrap(a, 1)` has a least jump of 1: `along(-1).discont(1)`
//! ```
//! ```compile_fail,E0277
//! # use ndany::Array;
//! # let a = Array::from([[1.0, 2.0, 3.0]]);
//! a.cross(&a, 0); // `np.cross(a, a, 0)` is the axis of the first operand alone: `along(0)`
//! ```
//! ```compile_fail,E0277
//! # use ndany::{DType, zeros};
//! zeros((2, 3.0), DType::F32); // `{float}` is no axis, extent or shift
//! ```
//! ```compile_fail,E0277
//! # use ndany::{Array, Order, Shape};
//! # let a = Array::from([1.0, 2.0]);
//! a.broadcast_to(Shape::new((2, 2)).order(Order::F)); // `MemoryOrder` is not among `ShapeOnly`
//! ```

/// Option `Self` is in the set `F`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not among `{F}`",
    label = "this option does not exist here",
    note = "the page of this set lists its options and the functions that take it"
)]
pub trait OptionOf<F> {}

/// All options of a list are in the set `F`.
#[diagnostic::on_unimplemented(
    message = "not all of these options are among `{F}`",
    label = "an option does not exist here",
    note = "the page of this set lists its options and the functions that take it"
)]
pub trait OptionsOf<F> {}
impl<F> OptionsOf<F> for () {}
impl<F, O: OptionOf<F>, G: OptionsOf<F>> OptionsOf<F> for (O, G) {}

/// A set of functions along one axis that take `..`: NumPy's default, which may be the elements in C order as one axis.
#[diagnostic::on_unimplemented(
    message = "this function needs an axis",
    label = "expected one integer such as `0` or `-1`, or `along(…)`"
)]
pub trait WithDefault {}

/// A set of functions that take an integer, or a list of them, by itself as axes. In the other sets NumPy's argument in this
/// place is another one (`n`, `s`, `ord`, `discont`, `axisa`), so that an integer could be either.
#[diagnostic::on_unimplemented(
    message = "an integer by itself is no axis for a function of `{Self}`, whose argument in this place is another one in NumPy",
    label = "expected `..`, `along(0)` or `over((0, 1))`, or an option: `along(-1).n(8)`, `over(..).ord(2)`",
    note = "the page of this set lists its options and the functions that take it"
)]
pub trait TakesIntegers {}

/// The axis that `..` is.
#[doc(hidden)]
pub trait DefaultAxis {
    /// `None` for all axes, the elements in C order, or what the function's body decides.
    const AXIS: Option<isize>;
}

macro_rules! options {
    ($($(#[$doc:meta])+ $name:ident;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
    )+};
}

options! {
    /// `keepdims()`.
    Keepdims;
    /// `dtype(…)`.
    Dtype;
    /// `initial(…)` and `from_first()`.
    Initial;
    /// `where_(…)`.
    Where;
    /// `ddof(…)`.
    Ddof;
    /// `mean(…)`.
    Mean;
    /// `method(…)`.
    Method;
    /// `weights(…)`.
    Weights;
    /// `ord(…)`.
    Ord;
    /// `n(…)`.
    Points;
    /// `norm(…)`.
    Scaling;
    /// `edge_order(…)`.
    EdgeOrder;
    /// `prepend(…)` and `append(…)`.
    Ends;
    /// `include_initial()`.
    IncludeInitial;
    /// `mode(…)`.
    Mode;
    /// `equal_nan(…)`.
    EqualNan;
    /// `descending()`.
    Descending;
    /// `discont(…)`.
    Discont;
    /// `period(…)`.
    Period;
    /// `order(…)`.
    MemoryOrder;
}

macro_rules! sets {
    (@default) => { None };
    (@default $axis:literal) => { Some($axis) };
    ($($(#[$doc:meta])+ $set:ident $(= $axis:literal)?: $($option:ident)*;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug)]
        pub struct $set;
        $(impl OptionOf<$set> for $option {})*
        impl DefaultAxis for $set {
            const AXIS: Option<isize> = sets!(@default $($axis)?);
        }

        #[cfg(test)]
        impl $set {
            /// The names of the options.
            #[allow(dead_code, reason = "not every set is asked for its names")]
            pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($option)),*];
        }
    )+};
}

sets! {
    /// Axes alone: `diagonal`, `transpose`, `flip`, `squeeze`, `roll`, `moveaxis`, `softmax` and
    /// `log_softmax` of `special`.
    AxesOnly: ;
    /// `argmax`, `argmin`, `count_nonzero`, `median`, `nanargmax`, `nanargmin`, `nanmedian`, `ptp`; `call` of
    /// reductions made of closures.
    KeepOptions: Keepdims;
    /// `all`, `any`; `logsumexp` of `special`.
    MaskOptions: Keepdims Where;
    /// `max`, `min`, `nanmax`, `nanmin`.
    ExtremumOptions: Keepdims Where Initial;
    /// `nanprod`, `nansum`, `prod`, `sum`.
    SumOptions: Keepdims Where Initial Dtype;
    /// `reduce` of the values in `ufunc`; `..` is axis 0.
    ReduceOptions = 0: Keepdims Where Initial Dtype;
    /// `reduce` of kernels made of closures; `..` is axis 0.
    KernelReduceOptions = 0: Keepdims;
    /// `mean`, `nanmean`.
    MeanOptions: Keepdims Where Dtype;
    /// `nanstd`, `nanvar`, `std`, `var`.
    SpreadOptions: Keepdims Where Dtype Ddof Mean;
    /// `average`.
    AverageOptions: Keepdims Weights;
    /// `nanpercentile`, `nanquantile`, `percentile`, `quantile`.
    QuantileOptions: Keepdims Method Weights;
    /// `matrix_norm`, `norm` and `vector_norm` of `linalg`. Axes by `over`: an integer is NumPy's `ord`.
    NormOptions: Keepdims Ord;
    /// The transforms of `fft`, along one axis or several. Axes by `along` and `over`: an integer is NumPy's `n`, a list is its
    /// `s`.
    TransformOptions: Points Scaling;
    /// `gradient`.
    GradientOptions: EdgeOrder;
    /// `trace`.
    TraceOptions: Dtype;
    /// One axis alone: `apply_along_axis`, `swapaxes`.
    AxisOnly: ;
    /// One axis, or `..` for the elements in C order: `append`, `compress`, `delete`, `insert`, `packbits`, `permuted`,
    /// `put_along_axis`, `repeat`, `unpackbits`.
    FlatAxis: ;
    /// One axis, or `..` for the first: `array_split`, `concatenate`, `shuffle`, `shuffled`, `split`, `stack`, `unstack`;
    /// `accumulate` of kernels made of closures, `call` of scans by closures.
    FirstAxis = 0: ;
    /// One axis, or `..` for the last: `argpartition`, `lexsort`, `partition`, `take_along_axis`, `trapezoid`, `vecdot`.
    LastAxis = -1: ;
    /// `argsort`, `sort`: one axis, or `..` for the last.
    SortOptions = -1: Descending;
    /// `cross`: one axis of both operands and of the result, or `..` for the last. By `along`: an integer is NumPy's `axisa`.
    CrossAxis = -1: ;
    /// `cummax`, `cummin`, `cumprod`, `cumsum`, `nancumprod`, `nancumsum`; `..` is the elements in C order.
    ScanOptions: Dtype;
    /// `accumulate` and `reduceat` of the values in `ufunc`; `..` is axis 0.
    AccumulateOptions = 0: Dtype;
    /// `cumulative_prod`, `cumulative_sum`.
    CumulativeOptions: Dtype IncludeInitial;
    /// `diff`; `..` is the last axis. An axis by `along`: an integer is NumPy's `n`.
    DifferenceOptions = -1: Points Ends;
    /// `take`.
    TakeOptions: Mode;
    /// `unique`, `unique_all`, `unique_counts`, `unique_inverse`.
    UniqueOptions: EqualNan;
    /// `unwrap_phase`; `..` is the last axis. An axis by `along`: an integer is NumPy's `discont`.
    PhaseOptions = -1: Discont Period;
    /// Shapes alone: `broadcast_to`, `resize`.
    ShapeOnly: ;
    /// `empty`, `full`, `ones`, `ravel_multi_index`, `reshape`, `unravel_index`, `zeros`. To the two that convert positions the
    /// order says how they are counted.
    OrderedShape: MemoryOrder;
    /// What a generator draws.
    DrawShape: Dtype;
}

macro_rules! sets_that {
    ($property:ident: $($set:ident)+) => { $(impl $property for $set {})+ };
}
sets_that! { WithDefault:
    AccumulateOptions CrossAxis CumulativeOptions DifferenceOptions FirstAxis FlatAxis LastAxis PhaseOptions ScanOptions
    SortOptions TakeOptions TransformOptions UniqueOptions
}
sets_that! { TakesIntegers:
    AccumulateOptions AnyOptions AverageOptions AxesOnly AxisOnly CumulativeOptions ExtremumOptions FirstAxis FlatAxis
    GradientOptions KeepOptions KernelReduceOptions LastAxis MeanOptions QuantileOptions ReduceOptions
    ScanOptions SortOptions SpreadOptions
    SumOptions TakeOptions TraceOptions MaskOptions UniqueOptions
}

/// The set of all options, for reductions within the crate whose row says which of them there are.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct AnyOptions;
impl<O> OptionOf<AnyOptions> for O {}
impl DefaultAxis for AnyOptions {
    const AXIS: Option<isize> = None;
}
