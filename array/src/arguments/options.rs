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
//! a.sort(along(0).n(2)); // `Points` is not among `FlatAxis`
//! ```
//! ```compile_fail,E0277
//! # use ndany::Array;
//! # let a = Array::from([1.0, 2.0]);
//! a.swapaxes(0, ..); // this function needs an axis
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

/// A set of functions along one axis that take `..`: the elements in C order as one axis, or the function's default.
#[diagnostic::on_unimplemented(
    message = "this function needs an axis",
    label = "expected one integer such as `0` or `-1`, or `along(…)`"
)]
pub trait WithDefault {}

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
    /// `discont(…)`.
    Discont;
    /// `period(…)`.
    Period;
    /// `order(…)`.
    MemoryOrder;
}

macro_rules! sets {
    ($($(#[$doc:meta])+ $set:ident: $($option:ident)*;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug)]
        pub struct $set;
        $(impl OptionOf<$set> for $option {})*

        #[cfg(test)]
        impl $set {
            /// The names of the options.
            #[allow(dead_code, reason = "not every set is asked for its names")]
            pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($option)),*];
        }
    )+};
}

sets! {
    /// Axes alone: `diagonal`, `transpose`, `flip`, `squeeze`, `roll`, `moveaxis`.
    AxesOnly: ;
    /// `argmax`, `argmin`, `count_nonzero`, `median`, `nanargmax`, `nanargmin`, `nanmedian`, `ptp`.
    KeepOptions: Keepdims;
    /// `all`, `any`.
    TruthOptions: Keepdims Where;
    /// `max`, `min`, `nanmax`, `nanmin`.
    ExtremumOptions: Keepdims Where Initial;
    /// `nanprod`, `nansum`, `prod`, `sum`, and `reduce` of the values in `ufunc`.
    SumOptions: Keepdims Where Initial Dtype;
    /// `mean`, `nanmean`.
    MeanOptions: Keepdims Where Dtype;
    /// `nanstd`, `nanvar`, `std`, `var`.
    SpreadOptions: Keepdims Where Dtype Ddof Mean;
    /// `average`.
    AverageOptions: Keepdims Weights;
    /// `nanpercentile`, `nanquantile`, `percentile`, `quantile`.
    QuantileOptions: Keepdims Method Weights;
    /// `matrix_norm`, `norm` and `vector_norm` of `linalg`.
    NormOptions: Keepdims Ord;
    /// The transforms of `fft`, along one axis or several.
    TransformOptions: Points Scaling;
    /// `gradient`.
    GradientOptions: EdgeOrder;
    /// `trace`.
    TraceOptions: Dtype;
    /// One axis alone: `stack`, `swapaxes`, `unstack`.
    AxisOnly: ;
    /// One axis, or `..` for the elements in C order: `argsort`, `compress`, `sort`, `take_along_axis`.
    FlatAxis: ;
    /// `cummax`, `cummin`, `cumprod`, `cumsum`, `nancumprod`, `nancumsum`; `accumulate` and `reduceat` of the values in
    /// `ufunc`.
    ScanOptions: Dtype;
    /// `cumulative_prod`, `cumulative_sum`.
    CumulativeOptions: Dtype IncludeInitial;
    /// `diff`.
    DifferenceOptions: Points Ends;
    /// `take`.
    TakeOptions: Mode;
    /// `unique`, `unique_all`, `unique_counts`, `unique_inverse`.
    UniqueOptions: EqualNan;
    /// `unwrap_phase`.
    PhaseOptions: Discont Period;
    /// Shapes alone: `broadcast_to`, `resize`.
    ShapeOnly: ;
    /// `empty`, `full`, `ones`, `ravel_multi_index`, `reshape`, `unravel_index`, `zeros`. To the two that convert positions the
    /// order says how they are counted.
    OrderedShape: MemoryOrder;
    /// What a generator draws.
    DrawShape: Dtype;
}

macro_rules! with_default {
    ($($set:ident)+) => { $(impl WithDefault for $set {})+ };
}
with_default! { FlatAxis ScanOptions CumulativeOptions TakeOptions UniqueOptions TransformOptions }

/// The set of all options, for reductions within the crate whose row says which of them there are.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct AnyOptions;
impl<O> OptionOf<AnyOptions> for O {}
