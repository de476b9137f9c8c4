//! Reductions: over which axes, with which options, and the methods.

#[cfg(test)]
mod tests;

use std::ops::RangeFull;
use std::panic::Location;

use smallvec::SmallVec;

use super::Array;
use crate::declare::array_functions;
use crate::dtype::{DType, Kind, iinfo};
use crate::error::{Error, Result};
use crate::graph::node::{Constant, ReduceExpr};
use crate::graph::{self, Operand};
use crate::ops::reductions::{self as table, Reduce, ReductionRow};
use crate::ops::rows::try_where;
use crate::scalar::{Number, Scalar};
use crate::shape::{self, axis_indices};

/// Which axes a reduction goes over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axes {
    /// All of them.
    All,
    /// These.
    Some(SmallVec<[isize; 4]>),
}

/// Axes and options of a reduction: what NumPy takes as `axis`, `keepdims`, `dtype`, `initial`,
/// `where` and `ddof`.
///
/// An axis, an array of axes or `..` (all) converts into it; [`over`] starts one with options.
///
/// ```
/// use ndany::{Array, Device, over};
/// # let _guard = Device::open("reference")?.enter();
/// let a = Array::from([[1.0, 2.0], [3.0, 5.0]]);
/// assert_eq!(a.sum(1).to_vec::<f64>()?, [3.0, 8.0]);
/// assert_eq!(a.max(..).item::<f64>()?, 5.0);
/// assert_eq!(a.mean(over(0).keepdims()).shape(), [1, 2]);
/// assert_eq!(a.var(over(0).correction(1.0)).to_vec::<f64>()?, [2.0, 4.5]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Over {
    axes: Axes,
    keepdims: bool,
    dtype: Option<DType>,
    initial: Option<Scalar>,
    from_first: bool,
    mask: Option<Array>,
    correction: Option<f64>,
    mean: Option<Array>,
}

/// An option of [`Over`] beside the axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Keepdims,
    Dtype,
    Initial,
    FromFirst,
    Where,
    Correction,
    Mean,
}

impl Choice {
    /// The method of [`Over`] that sets it.
    fn name(self) -> &'static str {
        match self {
            Choice::Keepdims => "keepdims",
            Choice::Dtype => "dtype",
            Choice::Initial => "initial",
            Choice::FromFirst => "from_first",
            Choice::Where => "where_",
            Choice::Correction => "correction",
            Choice::Mean => "mean",
        }
    }
}

/// The options that a reduction by this row takes: NumPy's keywords of the function.
pub(super) fn choices(kind: Reduce) -> &'static [Choice] {
    use Choice::{Correction, Dtype, FromFirst, Initial, Keepdims, Mean, Where};
    match kind {
        Reduce::Sum | Reduce::Prod | Reduce::Ufunc(_) => {
            &[Keepdims, Dtype, Initial, FromFirst, Where]
        }
        Reduce::Min | Reduce::Max => &[Keepdims, Initial, FromFirst, Where],
        Reduce::Any | Reduce::All => &[Keepdims, Where],
        Reduce::ArgMin | Reduce::ArgMax => &[Keepdims],
        Reduce::Mean => &[Keepdims, Dtype, Where],
        Reduce::Var | Reduce::Std => &[Keepdims, Dtype, Where, Correction, Mean],
    }
}

/// Starts the options of a reduction over these axes.
pub fn over(axes: impl Into<Over>) -> Over {
    axes.into()
}

impl Over {
    fn axes(axes: Axes) -> Self {
        Self {
            axes,
            keepdims: false,
            dtype: None,
            initial: None,
            from_first: false,
            mask: None,
            correction: None,
            mean: None,
        }
    }

    /// Reduced axes stay, with extent 1.
    pub fn keepdims(mut self) -> Self {
        self.keepdims = true;
        self
    }

    /// Converts to this dtype first, and returns it.
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// Starts from this value (it is combined last).
    pub fn initial(mut self, value: impl Into<Scalar>) -> Self {
        self.initial = Some(value.into());
        self
    }

    /// Starts from the first element, not from what a reduction of nothing is: NumPy's `initial=None`. Then
    /// nothing to reduce is an error.
    pub fn from_first(mut self) -> Self {
        self.from_first = true;
        self
    }

    /// Counts only elements where the mask, broadcast to the array, is true.
    pub fn where_(mut self, mask: &Array) -> Self {
        self.mask = Some(mask.clone());
        self
    }

    /// Divides by the count less this (NumPy's `ddof` and `correction`).
    pub fn correction(mut self, correction: f64) -> Self {
        self.correction = Some(correction);
        self
    }

    /// Takes this mean, which broadcasts to the array, for a variance or standard deviation, which is then
    /// the mean squared distance from it (NumPy's `mean=`).
    pub fn mean(mut self, mean: &Array) -> Self {
        self.mean = Some(mean.clone());
        self
    }

    /// The mean that was given.
    pub(super) fn given_mean(&self) -> Option<&Array> {
        self.mean.as_ref()
    }

    /// The axes of a reduction, increasing.
    pub(super) fn reduced_axes(
        &self,
        op: &'static str,
        ndim: usize,
        kind: Reduce,
    ) -> Result<SmallVec<[usize; 4]>> {
        let mut axes: SmallVec<[usize; 4]> = match &self.axes {
            Axes::All => (0..ndim).collect(),
            // As NumPy's ufuncs: a 0-d array has an axis 0 to reduce, but not for the statistics.
            Axes::Some(axes)
                if ndim == 0
                    && matches!(axes.as_slice(), [0 | -1])
                    && !matches!(kind, Reduce::Mean | Reduce::Var | Reduce::Std) =>
            {
                SmallVec::new()
            }
            Axes::Some(axes) => axis_indices(op, axes, ndim)?,
        };
        axes.sort_unstable();
        Ok(axes)
    }

    /// The mask, as truth values over an array that it broadcasts to.
    pub(super) fn mask_of(&self, op: &'static str, array: &Array) -> Result<Option<Array>> {
        match &self.mask {
            Some(mask) if mask.device() != array.device() => {
                let (left, right) = (array.device().name(), mask.device().name());
                Err(Error::TwoDevices { op, left, right })
            }
            Some(mask) => {
                let shape = shape::broadcast(op, array.shape(), mask.shape())?;
                if shape.as_slice() != array.shape() {
                    let (left, right) = (array.shape().into(), mask.shape().into());
                    return Err(Error::Broadcast { op, left, right });
                }
                Ok(Some(mask.try_astype(DType::Bool)?.broadcast_view(&shape)))
            }
            None => Ok(None),
        }
    }

    /// The result over the axes kept, with the reduced ones back as extents of 1 if they are to stay.
    pub(super) fn expanded(&self, reduced: Array, axes: &[usize]) -> Result<Array> {
        let kept: SmallVec<[isize; 4]> = axes.iter().map(|&axis| axis as isize).collect();
        if self.keepdims { reduced.try_expand_dims(kept.as_slice()) } else { Ok(reduced) }
    }

    /// Refuses every option that is not among these. An operation that takes an `Over` calls this first, so
    /// that no option is ignored.
    pub(super) fn only(&self, op: &str, takes: &[Choice]) -> Result<()> {
        let given = [
            (Choice::Keepdims, self.keepdims),
            (Choice::Dtype, self.dtype.is_some()),
            (Choice::Initial, self.initial.is_some()),
            (Choice::FromFirst, self.from_first),
            (Choice::Where, self.mask.is_some()),
            (Choice::Correction, self.correction.is_some()),
            (Choice::Mean, self.mean.is_some()),
        ];
        let refused = |&(choice, given): &(Choice, bool)| given && !takes.contains(&choice);
        let Some((choice, _)) = given.into_iter().find(refused) else { return Ok(()) };
        let names: Vec<&str> = takes.iter().map(|taken| taken.name()).collect();
        let expected = match names.as_slice() {
            [] => "axes only".to_string(),
            names => format!("axes and {}", names.join(", ")),
        };
        let reason = format!("takes no such option: expected {expected}, got {}", choice.name());
        Err(Error::Arguments { op: op.to_string(), reason })
    }

    /// Refuses every option but `keepdims`.
    pub(super) fn only_axes(&self, op: &str) -> Result<()> {
        self.only(op, &[Choice::Keepdims])
    }

    /// The value to start from that was given.
    pub(super) fn initial_value(&self) -> Option<Scalar> {
        self.initial
    }

    /// Is the first element what it starts from?
    pub(super) fn is_from_first(&self) -> bool {
        self.from_first
    }

    /// Axes and whether they stay, without the other options.
    pub(super) fn geometry(&self) -> Over {
        let plain = Over::axes(self.axes.clone());
        if self.keepdims { plain.keepdims() } else { plain }
    }

    /// Do the reduced axes stay?
    pub(super) fn keeps(&self) -> bool {
        self.keepdims
    }

    /// What is taken from the count.
    pub(super) fn correction_value(&self) -> f64 {
        self.correction.unwrap_or(0.0)
    }

    /// The axes as they were given, counted from the front; `None` for all.
    pub(super) fn axes_in_order(
        &self,
        op: &'static str,
        ndim: usize,
    ) -> Result<Option<SmallVec<[usize; 4]>>> {
        match &self.axes {
            Axes::All => Ok(None),
            Axes::Some(axes) => axis_indices(op, axes, ndim).map(Some),
        }
    }

    /// The same without a dtype.
    pub(super) fn without_dtype(self) -> Self {
        Self { dtype: None, ..self }
    }

    /// The dtype asked for.
    pub(super) fn asked_dtype(&self) -> Option<DType> {
        self.dtype
    }

    /// The one axis, or `None` for all; anything else is not what a scan takes.
    pub(super) fn single_axis(&self, op: &'static str, ndim: usize) -> Result<Option<usize>> {
        match &self.axes {
            Axes::All => Ok(None),
            Axes::Some(axes) if axes.len() == 1 => Ok(Some(shape::axis_index(op, axes[0], ndim)?)),
            Axes::Some(axes) => Err(Error::Arguments {
                op: op.to_string(),
                reason: format!("expected one axis, got {}", axes.len()),
            }),
        }
    }
}

impl From<RangeFull> for Over {
    fn from(_: RangeFull) -> Self {
        Over::axes(Axes::All)
    }
}
impl From<isize> for Over {
    fn from(axis: isize) -> Self {
        Over::axes(Axes::Some(SmallVec::from_slice(&[axis])))
    }
}
impl From<i32> for Over {
    fn from(axis: i32) -> Self {
        Over::from(axis as isize)
    }
}
impl From<usize> for Over {
    fn from(axis: usize) -> Self {
        Over::from(axis as isize)
    }
}
impl<const N: usize> From<[isize; N]> for Over {
    fn from(axes: [isize; N]) -> Self {
        Over::axes(Axes::Some(SmallVec::from_slice(&axes)))
    }
}
impl From<&[isize]> for Over {
    fn from(axes: &[isize]) -> Self {
        Over::axes(Axes::Some(SmallVec::from_slice(axes)))
    }
}

array_functions! {
    checked reductions;

    /// The sum, as `np.sum`: bool and integers add up in 64 bits, 16-bit floats in f32.
    sum / try_sum (self, over: impl Into<Over>) -> Array { self.reduce(&table::SUM, over.into()) }
    /// The product, as `np.prod`.
    prod / try_prod (self, over: impl Into<Over>) -> Array { self.reduce(&table::PROD, over.into()) }
    /// The smallest element, as `np.min`; NaN wins. Over no elements it needs `initial`.
    min / try_min (self, over: impl Into<Over>) -> Array { self.reduce(&table::MIN, over.into()) }
    /// The largest element, as `np.max`; NaN wins. Over no elements it needs `initial`.
    max / try_max (self, over: impl Into<Over>) -> Array { self.reduce(&table::MAX, over.into()) }
    /// Is any element different from zero? As `np.any`.
    any / try_any (self, over: impl Into<Over>) -> Array { self.reduce(&table::ANY, over.into()) }
    /// Are all elements different from zero? As `np.all`.
    all / try_all (self, over: impl Into<Over>) -> Array { self.reduce(&table::ALL, over.into()) }
    /// Position of the first smallest element (or first NaN) in C order of the axes, as `np.argmin`.
    argmin / try_argmin (self, over: impl Into<Over>) -> Array { self.reduce(&table::ARGMIN, over.into()) }
    /// Position of the first largest element (or first NaN) in C order of the axes, as `np.argmax`.
    argmax / try_argmax (self, over: impl Into<Over>) -> Array { self.reduce(&table::ARGMAX, over.into()) }
    /// The arithmetic mean, as `np.mean`; integers in f64.
    mean / try_mean (self, over: impl Into<Over>) -> Array { self.reduce(&table::MEAN, over.into()) }
    /// The variance, as `np.var`, in one pass (Chan, Golub & LeVeque 1979).
    var / try_var (self, over: impl Into<Over>) -> Array { self.reduce(&table::VAR, over.into()) }
    /// The standard deviation, as `np.std`.
    std / try_std (self, over: impl Into<Over>) -> Array { self.reduce(&table::STD, over.into()) }
}

/// A start that the elements' dtype can hold at all: floats become integers, but what is not finite does not.
fn fits(op: &'static str, initial: &Scalar, dtype: DType) -> Result<()> {
    match (initial.number(), dtype.kind()) {
        (Number::Complex(..), Kind::Int | Kind::Float) if initial.dtype().is_none() => {
            let dtypes = format!("{dtype} with a complex initial value");
            Err(Error::DTypes { op, dtypes, remedy: "start from a real number" })
        }
        (Number::Float(value), Kind::Int) if value.is_nan() => {
            let reason = "initial is NaN, which is no integer".to_string();
            Err(Error::ArgumentValue { op: op.to_string(), reason })
        }
        (Number::Float(value), Kind::Int) => {
            let range = iinfo(dtype)?;
            // Limits are powers of two, of which floats have the first that is too much.
            match value.trunc() < range.min as f64 || value >= (range.max + 1) as f64 {
                true => Err(Error::ArgumentOverflow { op: op.to_string(), value }),
                false => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

impl Array {
    /// Asks for a reduction.
    #[track_caller]
    pub(crate) fn reduce(&self, row: &ReductionRow, over: Over) -> Result<Array> {
        let op = row.name;
        over.only(op, choices(row.kind))?;
        if let (Reduce::Var | Reduce::Std, Some(complex)) = (row.kind, over.dtype)
            && complex.is_complex()
        {
            let spread = self.try_astype(complex)?.reduce(row, over.without_dtype())?;
            // NaN by a complex number is NaN in both parts.
            let nan = Scalar::weak_complex(f64::NAN, f64::NAN);
            return try_where(spread.try_isnan()?, nan, spread)?.try_astype(complex);
        }
        let axes = over.reduced_axes(op, self.ndim(), row.kind)?;
        if over.mean.is_some() {
            return self.spread_about(row, &over);
        }
        let dtypes = row.dtypes(self.dtype(), over.dtype)?;
        let initial = match (over.initial, row.kind) {
            (None, Reduce::Ufunc(row)) if !over.from_first => row.fold.identity(dtypes.input),
            (initial, _) => initial,
        };
        let initial: Option<Constant> =
            initial.map(|initial| graph::constant(op, &initial, dtypes.input)).transpose()?;
        if let Some(initial) = &over.initial {
            fits(op, initial, dtypes.input)?;
        }
        let mask = over.mask_of(op, self)?;
        let needs_initial =
            over.from_first || matches!(row.kind, Reduce::Min | Reduce::Max | Reduce::Ufunc(_));
        if mask.is_some() && needs_initial && initial.is_none() {
            return Err(Error::EmptyReduction { op, shape: self.shape().into() });
        }
        let empty = axes.iter().any(|&axis| self.shape()[axis] == 0);
        let reduced = if empty {
            self.reduce_nothing(row, &axes, dtypes.output, &over)?
        } else {
            let (array, correction) = (self.clone(), over.correction_value());
            let expr = ReduceExpr {
                row: *row,
                input: dtypes.input,
                array,
                mask,
                initial,
                axes: axes.clone(),
                correction,
            };
            graph::reduction(expr, dtypes.output, Location::caller())
        };
        over.expanded(reduced, &axes)
    }

    /// The result over rows without elements: the identity, or `initial`.
    #[track_caller]
    fn reduce_nothing(
        &self,
        row: &ReductionRow,
        axes: &[usize],
        dtype: DType,
        over: &Over,
    ) -> Result<Array> {
        let kept: SmallVec<[usize; 4]> = (0..self.ndim())
            .filter(|axis| !axes.contains(axis))
            .map(|axis| self.shape()[axis])
            .collect();
        let identity = match row.kind {
            // No distances from a mean, by a number of degrees that is not zero.
            Reduce::Var | Reduce::Std if over.correction_value() < 0.0 => Some(Scalar::from(0.0)),
            _ => row.of_nothing(dtype).filter(|_| !over.from_first),
        };
        let value = match over.initial.or(identity) {
            Some(value) => value,
            None => return Err(Error::EmptyReduction { op: row.name, shape: self.shape().into() }),
        };
        let _guard = self.device().enter();
        super::try_full(kept.as_slice(), value, dtype)
    }

    /// Keeps elements where the condition holds, as `np.where(condition, self, other)`.
    ///
    /// # Panics
    /// Where [`checked::where_`](fn@crate::checked::where_) errs.
    #[track_caller]
    pub fn where_(&self, condition: &Array, other: impl Into<Operand>) -> Array {
        crate::declare::expect(try_where(condition, self, other))
    }
}
