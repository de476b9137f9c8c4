//! Where the bins of a histogram are: NumPy's rules for their number and the numbers between them.

use super::bin_rules;
use crate::array::Array;
use std::hash::{Hash, Hasher};
use std::ops::RangeFull;

use crate::arguments::Arange;
use crate::extend::{StandIn, guess, magnitude};
use crate::scalar::Scalar;
use ndany_core::{DType, Error, Kind, Result};

const OP: &str = "histogram";

/// The bins of a histogram, and what is counted in them: `..` for ten of one width, a number of them, edges, or a rule, by
/// itself or with options.
///
/// ```
/// use ndany::{Array, BinRule, Bins, Device};
/// # let _guard = Device::open("reference")?.enter();
/// let x = Array::from([0.1, 0.2, 0.7]);
/// let (density, _) = x.histogram(Bins::new(2).range(0, 1).density());
/// assert_eq!(density.to_vec::<f64>()?, [4.0 / 3.0, 2.0 / 3.0]);
/// let (counts, edges) = x.histogram(BinRule::Sturges);
/// assert_eq!((counts.size(), edges.size()), (3, 4));
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bins {
    pub(crate) cuts: BinCuts,
    pub(crate) range: Option<(Scalar, Scalar)>,
    pub(crate) weights: Option<Array>,
    pub(crate) density: bool,
}

/// Where bins are.
#[derive(Clone, Debug)]
pub(crate) enum BinCuts {
    /// This many, equally wide.
    Count(usize),
    /// Between these edges, one more than bins, none below the one before.
    Edges(Array),
    /// As many equally wide ones as a rule says.
    Rule(BinRule),
}

impl Bins {
    /// Starts the options of [`Array::histogram`](crate::Array::histogram) with bins, as `bins` of `np.histogram`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0.0, 1.0, 2.0]).histogram(ndany::Bins::new(2)).0.to_string(), "[1 2]");
    /// ```
    pub fn new(bins: impl Into<Bins>) -> Self {
        bins.into()
    }

    /// Sets where the first bin begins and the last one ends, as `range` of `np.histogram`.
    ///
    /// Without it they are the smallest and the largest element. Edges that are given say so themselves.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0.0, 1.0, 2.0]).histogram(ndany::Bins::new(2).range(0, 4)).0.to_string(), "[2 1]");
    /// ```
    pub fn range(self, first: impl Into<Scalar>, last: impl Into<Scalar>) -> Self {
        Self { range: Some((first.into(), last.into())), ..self }
    }

    /// Sets a weight for each element, whose sums take the place of counts, as `weights` of `np.histogram`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0.0, 1.0]).histogram(ndany::Bins::new(2).weights(&array([2.0, 3.0]))).0.to_string(), "[2. 3.]");
    /// ```
    pub fn weights(self, weights: impl AsRef<Array>) -> Self {
        Self { weights: Some(weights.as_ref().clone()), ..self }
    }

    /// Returns densities, whose integral is 1, in place of counts, as `density` of `np.histogram`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0.0, 1.0]).histogram(ndany::Bins::new(2).density()).0.to_string(), "[1. 1.]");
    /// ```
    pub fn density(self) -> Self {
        Self { density: true, ..self }
    }

    /// Hashes what the kernels of a histogram depend on.
    pub(in crate::array) fn hash_into(&self, state: &mut impl Hasher) {
        let Self { cuts, range, weights, density } = self;
        std::mem::discriminant(cuts).hash(state);
        match cuts {
            BinCuts::Count(count) => magnitude(*count).hash(state),
            BinCuts::Edges(edges) => edges.hash_into(state),
            BinCuts::Rule(rule) => (*rule as u8).hash(state),
        }
        range.map(|(first, last)| [first, last].map(|edge| edge.natural_dtype())).hash(state);
        weights.iter().for_each(|weights| weights.hash_into(state));
        (weights.is_some(), *density).hash(state);
    }

    /// The same with stand-ins for edges and weights.
    pub(in crate::array) fn stand_in(&self) -> Result<Self> {
        let cuts = match &self.cuts {
            BinCuts::Edges(edges) => BinCuts::Edges(edges.stand_in()?),
            BinCuts::Count(_) | BinCuts::Rule(_) => self.cuts.clone(),
        };
        let weights = self.weights.as_ref().map(StandIn::stand_in).transpose()?;
        Ok(Self { cuts, range: self.range, weights, density: self.density })
    }

    /// An error if there are weights or densities, which `op` does not take here.
    pub(crate) fn plain(&self, op: &'static str) -> Result<()> {
        let option = match (&self.weights, self.density) {
            (None, false) => return Ok(()),
            (Some(_), _) => "weights",
            (None, true) => "density",
        };
        let reason = format!("the option {option} of bins has no effect here");
        Err(Error::Arguments { op: op.to_string(), reason })
    }
}

impl From<BinCuts> for Bins {
    fn from(cuts: BinCuts) -> Self {
        Self { cuts, range: None, weights: None, density: false }
    }
}
impl From<RangeFull> for Bins {
    fn from(_: RangeFull) -> Self {
        BinCuts::Count(10).into()
    }
}
impl From<usize> for Bins {
    fn from(count: usize) -> Self {
        BinCuts::Count(count).into()
    }
}
impl From<i32> for Bins {
    /// A negative number is 0 bins, which histograms refuse.
    fn from(count: i32) -> Self {
        BinCuts::Count(count.try_into().unwrap_or(0)).into()
    }
}
impl From<&Array> for Bins {
    fn from(edges: &Array) -> Self {
        BinCuts::Edges(edges.clone()).into()
    }
}
impl From<Array> for Bins {
    fn from(edges: Array) -> Self {
        BinCuts::Edges(edges).into()
    }
}
impl From<BinRule> for Bins {
    fn from(rule: BinRule) -> Self {
        BinCuts::Rule(rule).into()
    }
}

/// Rules that choose the width of bins from the data, with NumPy's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinRule {
    /// The narrower of `Sturges` and `Fd`, which is kept from being far narrower than `Sqrt`.
    Auto,
    /// Freedman and Diaconis: by the distance of the quartiles.
    Fd,
    /// Doane: Sturges with the skewness.
    Doane,
    /// Scott: by the standard deviation.
    Scott,
    /// Stone: the least estimated loss.
    Stone,
    /// Rice: by the cube root of the number of elements.
    Rice,
    /// Sturges: by the logarithm of it.
    Sturges,
    /// By the square root of it.
    Sqrt,
}

impl BinRule {
    /// Every rule.
    const ALL: [(&'static str, BinRule); 8] = [
        ("auto", BinRule::Auto),
        ("fd", BinRule::Fd),
        ("doane", BinRule::Doane),
        ("scott", BinRule::Scott),
        ("stone", BinRule::Stone),
        ("rice", BinRule::Rice),
        ("sturges", BinRule::Sturges),
        ("sqrt", BinRule::Sqrt),
    ];

    /// The rule that NumPy calls `name`.
    pub(crate) fn from_name(name: &str) -> Option<BinRule> {
        BinRule::ALL.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule)
    }
}

/// The array as numbers that can be subtracted: booleans as U8. Complex numbers have no bins.
pub(in crate::array) fn numeric(array: &Array) -> Result<Array> {
    match array.dtype().kind() {
        Kind::Bool => array.try_astype(DType::U8),
        Kind::Int | Kind::Float => Ok(array.clone()),
        Kind::Complex => {
            let dtypes = array.dtype().to_string();
            Err(Error::DTypes { op: OP, dtypes, remedy: "histograms are of real numbers" })
        }
    }
}

/// The edges of all bins.
#[track_caller]
pub(in crate::array) fn edges(array: &Array, bins: &Bins) -> Result<Array> {
    let _guard = array.device().enter();
    let range = bins.range;
    match &bins.cuts {
        BinCuts::Edges(edges) => given(edges),
        BinCuts::Count(0) => Err(wrong("bins must be positive, when a number")),
        BinCuts::Count(count) => Outer::of(array, range)?.spaced(*count),
        BinCuts::Rule(_) if bins.weights.is_some() => Err(Error::Arguments {
            op: OP.to_string(),
            reason: "no rule finds the number of bins of weighted data".to_string(),
        }),
        BinCuts::Rule(rule) => {
            let outer = Outer::of(array, range)?;
            outer.spaced(bin_rules::count(array, *rule, &outer, range.is_some())?)
        }
    }
}

pub(in crate::array) fn wrong(reason: impl Into<String>) -> Error {
    Error::ArgumentValue { op: OP.to_string(), reason: reason.into() }
}

/// Edges that were given.
pub(in crate::array) fn given(edges: &Array) -> Result<Array> {
    if edges.ndim() != 1 {
        return Err(wrong("bins must have one dimension, when an array"));
    }
    let (before, after) = (edges.try_i(crate::s![..-1])?, edges.try_i(crate::s![1..])?);
    let mut falls = before.try_greater(&after)?;
    if edges.dtype().is_float() {
        // In order NaN is last, and a search goes by order.
        let leaves_nan =
            before.try_isnan()?.try_logical_and(after.try_isnan()?.try_logical_not()?)?;
        falls = falls.try_logical_or(&leaves_nan)?;
    }
    if falls.try_any(..)?.item::<bool>()? {
        return Err(wrong("bins must increase monotonically, when an array"));
    }
    Ok(edges.clone())
}

/// The first and the last edge.
pub(in crate::array) struct Outer {
    /// In `compute`, 0-d.
    first: Array,
    last: Array,
    /// The same two, as f64.
    pub(in crate::array) values: (f64, f64),
    /// The dtype in which NumPy computes the edges between them.
    compute: DType,
    /// The dtype of the edges.
    dtype: DType,
}

impl Outer {
    /// Of a range, or of what is in the array; apart where that would be a single number.
    pub(in crate::array) fn of(array: &Array, range: Option<(Scalar, Scalar)>) -> Result<Self> {
        let natural = |scalar: &Scalar| scalar.promote_with(array.dtype());
        let ((first, last), strong) = match range {
            Some((first, last)) => {
                let dtype = DType::promote(natural(&first), natural(&last));
                let own = DType::promote(first.natural_dtype(), last.natural_dtype());
                let edge = |scalar: Scalar| crate::array::try_full((), scalar, own);
                ((edge(first)?, edge(last)?), dtype)
            }
            None if array.size() == 0 => {
                let edge = |value: i64| crate::array::try_full((), value, DType::I64);
                ((edge(0)?, edge(1)?), array.dtype())
            }
            None => ((array.try_min(..)?, array.try_max(..)?), array.dtype()),
        };
        let float = |dtype: DType| if dtype.is_float() { dtype } else { DType::F64 };
        let (compute, dtype) = (float(first.dtype()), float(strong));
        let (first, last) = (first.try_astype(compute)?, last.try_astype(compute)?);
        let wide = |edge: &Array| edge.try_astype(DType::F64);
        let read = [wide(&first)?, wide(&last)?];
        // The device computes both before the host waits for one.
        read[1].eval()?;
        // Most data are not all equal.
        let values = (guess(read[0].item::<f64>()?, 0.0), guess(read[1].item::<f64>()?, 1.0));
        if range.is_some() && values.0 > values.1 {
            return Err(wrong("the range must not end before it begins"));
        }
        if !(values.0.is_finite() && values.1.is_finite()) {
            return Err(wrong(format!(
                "the range from {} to {} is not finite",
                values.0, values.1
            )));
        }
        if values.0 == values.1 {
            let (first, last) = (first.try_subtract(0.5)?, last.try_add(0.5)?);
            let values = (wide(&first)?.item::<f64>()?, wide(&last)?.item::<f64>()?);
            return Ok(Self { first, last, values, compute, dtype });
        }
        Ok(Self { first, last, values, compute, dtype })
    }

    /// From the first to the last, rounded as their dtype is.
    pub(in crate::array) fn extent(&self) -> Result<f64> {
        self.last.try_subtract(&self.first)?.try_astype(DType::F64)?.item::<f64>()
    }

    /// The edges of this number of bins, one more than bins, as `np.linspace` has them, in the dtype in which it computes them.
    pub(in crate::array) fn linspace(&self, count: usize) -> Result<Array> {
        let index = crate::array::try_arange(Arange::of(
            0,
            count.saturating_add(1),
            1,
            Some(self.compute),
        ))?;
        let bins = count as f64;
        let delta = self.last.try_subtract(&self.first)?;
        let step = delta.try_divide(bins)?;
        // A step that underflows would put all edges in one place.
        let scaled = crate::elementwise::try_where(
            step.try_equal(0)?,
            index.try_divide(bins)?.try_multiply(&delta)?,
            index.try_multiply(&step)?,
        )?;
        let mut edges = scaled.try_add(&self.first)?;
        edges.try_set(-1, &self.last)?;
        Ok(edges)
    }

    /// The edges of a histogram of one variable: in the dtype of its data, none equal to the one before.
    pub(in crate::array) fn spaced(&self, count: usize) -> Result<Array> {
        let edges = self.linspace(count)?.try_astype(self.dtype)?;
        let (before, after) = (edges.try_i(crate::s![..-1])?, edges.try_i(crate::s![1..])?);
        if before.try_greater_equal(&after)?.try_any(..)?.item::<bool>()? {
            return Err(wrong(format!("no {count} bins of any width fit between the outer edges")));
        }
        Ok(edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn edges_are_in_the_order_of_a_search() {
        let _guard = Device::open("reference").expect("always there").enter();
        let nan = f64::NAN;
        for edges in [vec![0.0], vec![0.0, 0.0, 1.0], vec![0.0, 1.0, nan], vec![nan, nan]] {
            assert!(given(&Array::from(edges)).is_ok());
        }
        for edges in [vec![1.0, 0.0], vec![nan, 1.0], vec![0.0, nan, nan, 1.0]] {
            assert!(given(&Array::from(edges)).is_err());
        }
        assert!(given(&Array::from([1, 2, 2])).is_ok());
        assert!(given(&Array::from([[1, 2]])).is_err());
    }
}
