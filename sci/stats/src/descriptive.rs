//! What describes a sample: moments, means, spreads, ranks, as functions of `scipy.stats`, made of reductions and sorts.
//!
//! Axes are those of NumPy's reductions: `..` is all elements (SciPy's default is axis 0), `over(0).keepdims()` keeps the axis. NaN propagates, as with
//! `nan_policy="propagate"`.

use std::ops::RangeFull;

use ndany_array::api::{DType, Error, OneOf, Result, Side, over, special, where_};
use ndany_array::extend::expect;
use ndany_array::options::KeepOptions;
use ndany_array::{Array, Axes, Ellipsis, IntoAxes, Operand};
use ndany_special::rel_entr;

use crate::declare::wrong;

ndany_array::one_of!(Bias, Ties, Kind);

/// Whether a moment is corrected for its bias as an estimate: the argument `bias` of SciPy. `..` is [`Bias::Kept`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bias {
    /// The moment of the sample.
    #[default]
    Kept,
    /// An estimate without bias, of samples that are large enough.
    Corrected,
}

/// Which ranks equal elements have: the argument `method` of [`rankdata`]. `..` is [`Ties::Average`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The mean of the ranks that they have together.
    #[default]
    Average,
    /// The least of them.
    Min,
    /// The largest of them.
    Max,
    /// The least, and the next larger element has the next rank.
    Dense,
    /// Each its own, in the order in which they stand.
    Ordinal,
}

/// What a percentile of a score counts: the argument `kind` of [`percentileofscore`]. `..` is [`Kind::Rank`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Elements that are less, and half of those that are equal, counted as SciPy does.
    #[default]
    Rank,
    /// Elements that are less or equal.
    Weak,
    /// Elements that are less.
    Strict,
    /// The mean of both.
    Mean,
}

/// Real floats: integers give float64.
fn floats(op: &'static str, x: &Array) -> Array {
    let dtype = x.dtype();
    if dtype.is_complex() {
        expect::<()>(Err(wrong(op, format!("expected real numbers, got {dtype}"))));
    }
    if dtype.is_float() { x.clone() } else { x.astype(DType::F64) }
}

/// How many elements there are for each result.
fn count(x: &Array, reduced: &Array) -> f64 {
    x.size() as f64 / reduced.size().max(1) as f64
}

/// A sample beside its mean: the second central moment, and where the sample is constant but for rounding.
struct Centered {
    axes: Axes,
    apart: Array,
    second: Array,
    is_constant: Array,
    count: f64,
}

impl Centered {
    fn new(x: &Array, axes: &Axes) -> Self {
        let mean = x.mean(axes.clone().keepdims());
        let apart = x - &mean;
        let second = apart.square().mean(axes);
        // As SciPy's `resolution` of a dtype.
        let rounding = if x.dtype() == DType::F64 { 1e-15 } else { 1e-6 };
        let limit = (mean.reshape(second.shape()) * rounding).square();
        let is_constant = second.less_equal(limit);
        let count = count(x, &second);
        Self { axes: axes.clone(), apart, second, is_constant, count }
    }

    fn skew(&self, bias: Bias) -> Array {
        let third = (self.apart.square() * &self.apart).mean(&self.axes);
        let value = third / (&self.second * self.second.sqrt());
        let n = self.count;
        let value = match bias {
            Bias::Corrected if n > 2.0 => value * ((n * (n - 1.0)).sqrt() / (n - 2.0)),
            _ => value,
        };
        where_(&self.is_constant, f64::NAN, value)
    }

    fn kurtosis(&self, bias: Bias) -> Array {
        let fourth = self.apart.square().square().mean(&self.axes);
        let value = fourth / self.second.square();
        let n = self.count;
        let value = match bias {
            Bias::Corrected if n > 3.0 => {
                (value * (n * n - 1.0) - 3.0 * (n - 1.0) * (n - 1.0)) / ((n - 2.0) * (n - 3.0))
            }
            _ => value - 3.0,
        };
        where_(&self.is_constant, f64::NAN, value)
    }
}

/// Returns the mean of the power `order` of what elements are apart from their mean, as `scipy.stats.moment`.
///
/// - **Shapes**: `(m, n) → (n,)` over axis 0; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: complex numbers, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(stats::moment(array([1.0, 2.0, 3.0, 6.0]), 3, ..).to_string(), "4.5");
/// ```
#[track_caller]
pub fn moment(x: impl AsRef<Array>, order: u32, axes: impl IntoAxes<KeepOptions>) -> Array {
    let x = floats("moment", x.as_ref());
    let axes = over(axes.into_axes());
    let apart = &x - x.mean(axes.clone().keepdims());
    match order {
        // Exactly 1 and 0.
        0 => (apart * 0.0 + 1.0).mean(axes),
        1 => (apart * 0.0).mean(axes),
        2 => apart.square().mean(axes),
        order => apart.pow(f64::from(order)).mean(axes),
    }
}

/// Returns the skewness of a sample, as `scipy.stats.skew`; NaN of a constant one.
///
/// - **Shapes**: `(m, n) → (n,)` over axis 0; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: complex numbers, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// let x = array([2.0, 8.0, 0.0, 4.0, 1.0, 9.0, 9.0, 0.0]);
/// assert_eq!(format!("{:.6}", stats::skew(&x, 0, ..)), "0.265055");
/// assert_eq!(format!("{:.6}", stats::skew(&x, 0, stats::Bias::Corrected)), "0.330582");
/// ```
#[track_caller]
pub fn skew(
    x: impl AsRef<Array>,
    axes: impl IntoAxes<KeepOptions>,
    bias: impl OneOf<Bias>,
) -> Array {
    let x = floats("skew", x.as_ref());
    Centered::new(&x, &over(axes.into_axes())).skew(bias.or(Bias::Kept))
}

/// Returns the excess kurtosis of a sample, as `scipy.stats.kurtosis`: 0 of a normal distribution; NaN of a constant one.
///
/// - **Shapes**: `(m, n) → (n,)` over axis 0; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: complex numbers, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// let x = array([2.0, 8.0, 0.0, 4.0, 1.0, 9.0, 9.0, 0.0]);
/// assert_eq!(format!("{:.6}", stats::kurtosis(&x, 0, ..)), "-1.666001");
/// assert_eq!(format!("{:.6}", stats::kurtosis(&x, 0, stats::Bias::Corrected)), "-2.098602");
/// ```
#[track_caller]
pub fn kurtosis(
    x: impl AsRef<Array>,
    axes: impl IntoAxes<KeepOptions>,
    bias: impl OneOf<Bias>,
) -> Array {
    let x = floats("kurtosis", x.as_ref());
    Centered::new(&x, &over(axes.into_axes())).kurtosis(bias.or(Bias::Kept))
}

/// What [`describe`] returns.
#[derive(Clone, Debug)]
pub struct Description {
    /// How many elements each number is of.
    pub nobs: usize,
    /// The least and the largest element.
    pub minmax: [Array; 2],
    /// The mean.
    pub mean: Array,
    /// The variance, of `n - 1` degrees of freedom.
    pub variance: Array,
    /// The skewness.
    pub skewness: Array,
    /// The excess kurtosis.
    pub kurtosis: Array,
}

/// Returns count, extremes, mean, variance, skewness and kurtosis of a sample, as `scipy.stats.describe`.
///
/// - **Shapes**: `(m, n) → (n,)` each over axis 0; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64 but for the extremes.
/// - **Errors**: complex numbers, no elements, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// let d = stats::describe(arange(10), .., ..);
/// assert_eq!(format!("{} {} {} {} {:.4}", d.nobs, d.minmax[1], d.mean, d.skewness, d.variance), "10 9 4.5 0.0 9.1667");
/// ```
#[track_caller]
pub fn describe(
    x: impl AsRef<Array>,
    axes: impl IntoAxes<KeepOptions>,
    bias: impl OneOf<Bias>,
) -> Description {
    let (given, axes, bias) = (x.as_ref(), over(axes.into_axes()), bias.or(Bias::Kept));
    let x = floats("describe", given);
    let mean = x.mean(axes.clone());
    let minmax = [given.min(axes.clone()), given.max(axes.clone())];
    let sample = Centered::new(&x, &axes);
    Description {
        nobs: count(&x, &mean) as usize,
        minmax,
        variance: x.var(axes.clone().ddof(1)),
        skewness: sample.skew(bias),
        kurtosis: sample.kurtosis(bias),
        mean,
    }
}

/// Returns the geometric mean, as `scipy.stats.gmean`.
///
/// - **Shapes**: `(m, n) → (n,)` over axis 0; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: complex numbers, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(format!("{:.6}", stats::gmean(array([2.0, 3.0]), ..)), "2.44949");
/// ```
#[track_caller]
pub fn gmean(x: impl AsRef<Array>, axes: impl IntoAxes<KeepOptions>) -> Array {
    floats("gmean", x.as_ref()).log().mean(axes.into_axes()).exp()
}

/// Returns the harmonic mean, as `scipy.stats.hmean`: NaN where an element is negative.
///
/// - **Shapes**: `(m, n) → (n,)` over axis 0; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: complex numbers, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(format!("{:.6}", stats::hmean(array([1.0, 4.0]), ..)), "1.6");
/// ```
#[track_caller]
pub fn hmean(x: impl AsRef<Array>, axes: impl IntoAxes<KeepOptions>) -> Array {
    let x = floats("hmean", x.as_ref());
    let inverse = where_(x.less(0.0), f64::NAN, 1.0 / &x);
    1.0 / inverse.mean(axes.into_axes())
}

/// Returns how many standard deviations elements are above their mean, as `scipy.stats.zscore`; NaN of a constant sample.
///
/// - **Shapes**: that of the elements; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: complex numbers, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(stats::zscore(array([1.0, 2.0, 3.0]), .., 1.0).to_string(), "[-1.  0.  1.]");
/// ```
#[track_caller]
pub fn zscore(
    x: impl AsRef<Array>,
    axes: impl IntoAxes<KeepOptions>,
    ddof: impl Into<f64>,
) -> Array {
    let x = floats("zscore", x.as_ref());
    let axes = over(axes.into_axes()).keepdims();
    let mean = x.mean(&axes);
    let deviation = x.std(axes.ddof(ddof));
    let rounding = if x.dtype() == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let is_constant = deviation.less_equal((&mean * rounding).abs());
    where_(is_constant, f64::NAN, (&x - mean) / deviation)
}

/// Returns the standard error of the mean, as `scipy.stats.sem`, whose `ddof` is 1 by default.
///
/// - **Shapes**: `(m, n) → (n,)` over axis 0; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: complex numbers, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(format!("{:.6}", stats::sem(array([1.0, 2.0, 3.0, 6.0]), .., 1.0)), "1.080123");
/// ```
#[track_caller]
pub fn sem(x: impl AsRef<Array>, axes: impl IntoAxes<KeepOptions>, ddof: impl Into<f64>) -> Array {
    let x = floats("sem", x.as_ref());
    let deviation = x.std(over(axes.into_axes()).ddof(ddof));
    let n = count(&x, &deviation);
    deviation / n.sqrt()
}

/// Returns the standard deviation over the mean, as `scipy.stats.variation`, whose `ddof` is 0 by default.
///
/// - **Shapes**: `(m, n) → (n,)` over axis 0; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: complex numbers, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(stats::variation(array([1.0, 3.0]), .., 0.0).to_string(), "0.5");
/// ```
#[track_caller]
pub fn variation(
    x: impl AsRef<Array>,
    axes: impl IntoAxes<KeepOptions>,
    ddof: impl Into<f64>,
) -> Array {
    let x = floats("variation", x.as_ref());
    let axes = over(axes.into_axes());
    x.std(axes.clone().ddof(ddof)) / x.mean(axes)
}

/// Returns the distance between the quartiles, as `scipy.stats.iqr`.
///
/// - **Shapes**: `(m, n) → (n,)` over axis 0; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: complex numbers, no elements, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(stats::iqr(array([[10, 7, 4], [3, 2, 1]]), 1).to_string(), "[3. 1.]");
/// ```
#[track_caller]
pub fn iqr(x: impl AsRef<Array>, axes: impl IntoAxes<KeepOptions>) -> Array {
    let quartiles = floats("iqr", x.as_ref()).quantile([0.25, 0.75], over(axes.into_axes()));
    quartiles.i(1) - quartiles.i(0)
}

/// Returns the median of what elements are apart from their median, over `scale`, as `scipy.stats.median_abs_deviation`.
///
/// A scale of 1 leaves it as it is; one of 0.6744897501960817 makes it an estimate of a normal distribution's standard deviation.
///
/// - **Shapes**: `(m, n) → (n,)` over axis 0; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: complex numbers, no elements, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(stats::median_abs_deviation(array([1.0, 2.0, 4.0, 9.0]), .., 1.0).to_string(), "1.5");
/// ```
#[track_caller]
pub fn median_abs_deviation(
    x: impl AsRef<Array>,
    axes: impl IntoAxes<KeepOptions>,
    scale: f64,
) -> Array {
    let x = floats("median_abs_deviation", x.as_ref());
    let axes = over(axes.into_axes());
    let apart = (&x - x.median(axes.clone().keepdims())).abs();
    apart.median(axes) / scale
}

/// One axis, as an integer, or `..` for all elements in C order: what [`mode`], [`trim_mean`] and [`rankdata`] work along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line(Option<isize>);

impl From<isize> for Line {
    fn from(axis: isize) -> Self {
        Self(Some(axis))
    }
}

impl From<i32> for Line {
    fn from(axis: i32) -> Self {
        Self(Some(axis as isize))
    }
}

impl From<RangeFull> for Line {
    fn from(_: RangeFull) -> Self {
        Self(None)
    }
}

/// The axis as the last one, and where it was.
fn lined(op: &'static str, x: &Array, axis: impl Into<Line>) -> Result<(Array, isize)> {
    let (Line(axis), ndim) = (axis.into(), x.ndim() as isize);
    match axis {
        None => Ok((x.reshape(-1), -1)),
        Some(axis) if (-ndim..ndim).contains(&axis) => Ok((x.moveaxis(axis, -1), axis)),
        Some(axis) => Err(Error::Axis { op, axis, ndim: x.ndim() }),
    }
}

/// Where runs of equal elements begin, along the last axis of sorted elements. NaN are equal here.
fn beginnings(sorted: &Array) -> Array {
    let n = sorted.shape()[sorted.ndim() - 1] as isize;
    let (before, after) = (sorted.i((Ellipsis, ..n - 1)), sorted.i((Ellipsis, 1..)));
    let both_nan = before.not_equal(&before).logical_and(after.not_equal(&after));
    let differs = before.not_equal(&after).logical_and(both_nan.logical_not());
    let first = sorted.i((Ellipsis, ..1)).zeros_like().astype(DType::Bool).logical_not();
    ndany_array::api::concatenate(&[&first, &differs], -1)
}

/// Of each element of sorted ones the places where its run begins and ends, as int64.
fn runs(sorted: &Array) -> [Array; 2] {
    let n = sorted.shape()[sorted.ndim() - 1] as i64;
    let places = ndany_array::api::arange(n);
    let begins = beginnings(sorted);
    let first = where_(&begins, &places, 0).cummax(-1);
    // The last place of a run is one before the next run.
    let next = begins.i((Ellipsis, 1..));
    let end = begins.i((Ellipsis, ..1));
    let ends = ndany_array::api::concatenate(&[&next, &end], -1);
    let last = where_(ends, &places, n - 1).flip(-1).cummin(-1).flip(-1);
    [first, last]
}

/// Returns the most frequent element and how often it stands there, as `scipy.stats.mode`: the least of several. NaN count as equal.
///
/// - **Shapes**: `(m, n) → (n,), (n,)` along axis 0; `..` is the elements in C order.
/// - **Dtypes**: that of the elements, int64.
/// - **Errors**: complex numbers, no elements, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// let [value, count] = stats::mode(array([[3, 0, 3], [3, 2, 6], [1, 7, 6]]), 0);
/// assert_eq!((value.to_string(), count.to_string()), ("[3 0 6]".into(), "[2 1 2]".into()));
/// ```
#[track_caller]
pub fn mode(x: impl AsRef<Array>, axis: impl Into<Line>) -> [Array; 2] {
    const OP: &str = "mode";
    let x = x.as_ref();
    if x.dtype().is_complex() || x.size() == 0 {
        expect::<()>(Err(wrong(OP, "expected real elements, at least one")));
    }
    let (lines, _) = expect(lined(OP, x, axis));
    let sorted = lines.sort(-1);
    let [first, last] = runs(&sorted);
    let counts = last - first + 1;
    // Of equal counts the first one.
    let place = counts.argmax(over(-1).keepdims());
    let value = sorted.take_along_axis(&place, -1).i((Ellipsis, 0));
    [value, counts.max(-1)]
}

/// Returns the mean without a part of the elements at either end, as `scipy.stats.trim_mean`.
///
/// - **Shapes**: `(m, n) → (n,)` along axis 0; `..` is the elements in C order.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: a negative part, or one that leaves no element, complex numbers, an axis out of range. Panics;
///   [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(stats::trim_mean(array([1, 2, 3, 5, 100]), 0.2, 0).to_string(), "3.3333333333333335");
/// ```
#[track_caller]
pub fn trim_mean(x: impl AsRef<Array>, part: f64, axis: impl Into<Line>) -> Array {
    const OP: &str = "trim_mean";
    let (lines, _) = expect(lined(OP, &floats(OP, x.as_ref()), axis));
    let n = lines.shape()[lines.ndim() - 1];
    let cut = (part * n as f64).floor();
    if !(part >= 0.0 && 2.0 * cut < n as f64) {
        expect::<()>(Err(wrong(OP, format!("a part of {part} leaves nothing of {n} elements"))));
    }
    let cut = cut as isize;
    lines.sort(-1).i((Ellipsis, cut..n as isize - cut)).mean(-1)
}

/// Returns the ranks of elements, from 1 on, as `scipy.stats.rankdata`; NaN in a sample makes all its ranks NaN, which are float64 then.
///
/// - **Shapes**: that of the elements; `..` gives the ranks of all elements in C order, `(m, n) → (mn,)`.
/// - **Dtypes**: float64 of [`Ties::Average`] and of floats, else int64 (SciPy: int64 of floats too).
/// - **Errors**: complex numbers, an axis out of range. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::stats::Ties;
/// let x = array([0, 2, 3, 2]);
/// assert_eq!(stats::rankdata(&x, .., ..).to_string(), "[1.  2.5 4.  2.5]");
/// assert_eq!(stats::rankdata(&x, Ties::Min, ..).to_string(), "[1 2 4 2]");
/// assert_eq!(stats::rankdata(&x, Ties::Dense, ..).to_string(), "[1 2 3 2]");
/// ```
#[track_caller]
pub fn rankdata(x: impl AsRef<Array>, ties: impl OneOf<Ties>, axis: impl Into<Line>) -> Array {
    const OP: &str = "rankdata";
    let x = x.as_ref();
    if x.dtype().is_complex() {
        expect::<()>(Err(wrong(OP, "complex numbers have no order")));
    }
    let (lines, axis) = expect(lined(OP, x, axis));
    let ties = ties.or(Ties::Average);
    if x.size() == 0 {
        let dtype = if ties == Ties::Average { DType::F64 } else { DType::I64 };
        return lines.astype(dtype).moveaxis(-1, axis);
    }
    let order = lines.argsort(-1);
    let sorted = lines.take_along_axis(&order, -1);
    let places = order.argsort(-1);
    let ranks = match ties {
        Ties::Ordinal => &places + 1,
        Ties::Dense => {
            beginnings(&sorted).astype(DType::I64).cumsum(-1).take_along_axis(&places, -1)
        }
        _ => {
            let [first, last] = runs(&sorted);
            let ranks = match ties {
                Ties::Min => first + 1,
                Ties::Max => last + 1,
                _ => (first + last).astype(DType::F64) * 0.5 + 1.0,
            };
            ranks.take_along_axis(&places, -1)
        }
    };
    let ranks = match lines.dtype().is_float() {
        true => {
            let has_nan = lines.isnan().any(over(-1).keepdims());
            where_(has_nan, f64::NAN, ranks.astype(DType::F64))
        }
        false => ranks,
    };
    ranks.moveaxis(-1, axis)
}

/// Returns the entropy in nats of frequencies, which are divided by their sum, as `scipy.stats.entropy`.
///
/// With other frequencies it is the Kullback-Leibler divergence from them.
///
/// - **Shapes**: `(m, n) → (n,)` over axis 0, broadcast with the others; lazy.
/// - **Dtypes**: floats keep theirs, integers give float64.
/// - **Errors**: complex numbers, shapes that do not broadcast, an axis out of range. Panics;
///   [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// let p = array([9.0, 1.0]);
/// assert_eq!(format!("{:.6}", stats::entropy(&p, None, 0)), "0.325083");
/// assert_eq!(format!("{:.6}", stats::entropy(&p, Some(&array([5.0, 5.0])), 0)), "0.368064");
/// ```
#[track_caller]
pub fn entropy(
    p: impl AsRef<Array>,
    from: Option<&Array>,
    axes: impl IntoAxes<KeepOptions>,
) -> Array {
    let axes = over(axes.into_axes());
    let share = |x: &Array| {
        let x = floats("entropy", x);
        &x / x.sum(axes.clone().keepdims())
    };
    match from {
        None => special::entr(share(p.as_ref())).sum(axes.clone()),
        Some(from) => {
            let (p, from) = (p.as_ref(), from);
            let [p, from] = match p.shape() == from.shape() {
                true => [p.clone(), from.clone()],
                false => {
                    let mut both = ndany_array::api::broadcast_arrays([p, from]).into_iter();
                    std::array::from_fn(|_| both.next().unwrap_or_else(|| p.clone()))
                }
            };
            rel_entr(share(&p), share(&from)).sum(axes.clone())
        }
    }
}

/// Returns which percentage of elements is below a score, as `scipy.stats.percentileofscore`; NaN where a NaN is among them.
///
/// - **Shapes**: `(…), (s…) → (s…)`: all elements are one sample; lazy.
/// - **Dtypes**: real numbers; the result is float64.
/// - **Errors**: complex numbers, no elements. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
///
/// ```
/// use ndany::prelude::*;
/// let x = array([1, 2, 3, 3, 4]);
/// assert_eq!(stats::percentileofscore(&x, array([3, 9]), ..).to_string(), "[ 70. 100.]");
/// assert_eq!(stats::percentileofscore(&x, 3, stats::Kind::Strict).to_string(), "40.0");
/// ```
#[track_caller]
pub fn percentileofscore(
    x: impl AsRef<Array>,
    score: impl Into<Operand>,
    kind: impl OneOf<Kind>,
) -> Array {
    const OP: &str = "percentileofscore";
    let x = floats(OP, x.as_ref()).reshape(-1);
    if x.size() == 0 {
        expect::<()>(Err(wrong(OP, "there are no elements")));
    }
    let score = expect(ndany_array::checked::add(score, 0)).astype(x.dtype());
    let sorted = x.sort(-1);
    let [below, reached] =
        [Side::Left, Side::Right].map(|side| sorted.searchsorted(&score, side).astype(DType::F64));
    let part = 100.0 / x.size() as f64;
    let value = match kind.or(Kind::Rank) {
        Kind::Rank => {
            let equal = below.less(&reached).astype(DType::F64);
            (below + reached + equal) * (0.5 * part)
        }
        Kind::Weak => reached * part,
        Kind::Strict => below * part,
        Kind::Mean => (below + reached) * (0.5 * part),
    };
    let is_nan = x.isnan().any(..).logical_or(score.isnan());
    where_(is_nan, f64::NAN, value)
}
