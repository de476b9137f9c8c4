//! Reductions: over which axes, with which options, and the methods.

#[cfg(test)]
mod tests;

use smallvec::SmallVec;

use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxes};
use crate::array::Array;
use crate::declare::array_functions;
use crate::elementwise::try_where;
use crate::graph::node::{Arg, Constant, ReduceExpr, ReduceKind, TableReduction};
use crate::graph::{self, Operand};
use crate::scalar::Scalar;
use ndany_core::ops::reductions::{self as table, Masked, ReductionDef, ReductionOption};
use ndany_core::shape::{self, axis_indices};
use ndany_core::{CallSite, DType, Error, Kind, Number, Result, iinfo};

impl AxisOptions {
    /// The axes of a reduction, increasing. As in NumPy's ufuncs, a 0-d array may have an axis 0 to reduce.
    pub(crate) fn reduced_axes(
        &self,
        op: &'static str,
        ndim: usize,
        takes_axis_of_scalar: bool,
    ) -> Result<SmallVec<[usize; 4]>> {
        let mut axes: SmallVec<[usize; 4]> = match &self.axes {
            None => (0..ndim).collect(),
            Some(axes)
                if takes_axis_of_scalar && ndim == 0 && matches!(axes.as_slice(), [0 | -1]) =>
            {
                SmallVec::new()
            }
            Some(axes) => axis_indices(op, axes, ndim)?,
        };
        axes.sort_unstable();
        Ok(axes)
    }

    /// The mask, as truth values over an array that it broadcasts to.
    pub(in crate::array) fn mask_of(
        &self,
        op: &'static str,
        array: &Array,
    ) -> Result<Option<Array>> {
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
    pub(crate) fn expanded(&self, reduced: Array, axes: &[usize]) -> Result<Array> {
        if self.keepdims { reduced.try_expand_dims(axes) } else { Ok(reduced) }
    }

    /// Refuses every option that is not among these. Types do that for calls in Rust; calls by name and methods of ufuncs
    /// know their options when they run.
    pub(in crate::array) fn only(&self, op: &str, takes: &[ReductionOption]) -> Result<()> {
        let given = [
            (ReductionOption::Keepdims, self.keepdims),
            (ReductionOption::Dtype, self.dtype.is_some()),
            (ReductionOption::Initial, self.initial.is_some()),
            (ReductionOption::FromFirst, self.from_first),
            (ReductionOption::Where, self.mask.is_some()),
            (ReductionOption::Ddof, self.ddof.is_some()),
            (ReductionOption::Mean, self.given_mean().is_some()),
        ];
        let refused =
            |&(option, given): &(ReductionOption, bool)| given && !takes.contains(&option);
        let Some((option, _)) = given.into_iter().find(refused) else { return Ok(()) };
        let names: Vec<&str> = takes.iter().map(|taken| taken.name()).collect();
        let expected = match names.as_slice() {
            [] => "axes only".to_string(),
            names => format!("axes and {}", names.join(", ")),
        };
        let reason = format!("takes no such option: expected {expected}, got {}", option.name());
        Err(Error::Arguments { op: op.to_string(), reason })
    }
}

array_functions! {
    checked reductions, free free_reductions;

    /// Sums the elements over axes, as `np.sum`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `() ` over `..`.
    /// - **Dtypes**: bool and integers add up and give 64 bits; floats and complex numbers keep theirs (16-bit floats add up
    ///   in float32), or the option `dtype`.
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).sum(0).to_string(), "[4 6]");
    /// ```
    sum / try_sum (self, axes: impl IntoAxes<SumOptions>) -> Array { self.reduce(&table::SUM, axes.into_axes()) }
    /// Multiplies the elements over axes, as `np.prod`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: bool and integers give 64 bits; floats and complex numbers keep theirs, or the option `dtype`.
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).prod(1).to_string(), "[ 2 12]");
    /// ```
    prod / try_prod (self, axes: impl IntoAxes<SumOptions>) -> Array { self.reduce(&table::PROD, axes.into_axes()) }
    /// Returns the smallest element over axes, as `np.min`; NaN wins.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range or given twice, no elements without the option `initial`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 5], [3, 2]]).min(0).to_string(), "[1 2]");
    /// ```
    min / try_min (self, axes: impl IntoAxes<ExtremumOptions>) -> Array { self.reduce(&table::MIN, axes.into_axes()) }
    /// Returns the largest element over axes, as `np.max`; NaN wins.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range or given twice, no elements without the option `initial`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 5], [3, 2]]).max(0).to_string(), "[3 5]");
    /// ```
    max / try_max (self, axes: impl IntoAxes<ExtremumOptions>) -> Array { self.reduce(&table::MAX, axes.into_axes()) }
    /// Tests whether any element over axes is different from zero, as `np.any`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: any; the result is bool.
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[0, 0], [0, 2]]).any(0).to_string(), "[False  True]");
    /// ```
    any / try_any (self, axes: impl IntoAxes<MaskOptions>) -> Array { self.reduce(&table::ANY, axes.into_axes()) }
    /// Tests whether all elements over axes are different from zero, as `np.all`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: any; the result is bool.
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 0], [1, 2]]).all(0).to_string(), "[ True False]");
    /// ```
    all / try_all (self, axes: impl IntoAxes<MaskOptions>) -> Array { self.reduce(&table::ALL, axes.into_axes()) }
    /// Returns the position of the first smallest element, or of the first NaN, as `np.argmin`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`, positions in C order of the axes.
    /// - **Dtypes**: any; the result is int64.
    /// - **Errors**: an axis out of range or given twice, no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 5], [3, 2]]).argmin(0).to_string(), "[0 1]");
    /// ```
    argmin / try_argmin (self, axes: impl IntoAxes<KeepOptions>) -> Array { self.reduce(&table::ARGMIN, axes.into_axes()) }
    /// Returns the position of the first largest element, or of the first NaN, as `np.argmax`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`, positions in C order of the axes.
    /// - **Dtypes**: any; the result is int64.
    /// - **Errors**: an axis out of range or given twice, no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 5], [3, 2]]).argmax(0).to_string(), "[1 0]");
    /// ```
    argmax / try_argmax (self, axes: impl IntoAxes<KeepOptions>) -> Array { self.reduce(&table::ARGMAX, axes.into_axes()) }
    /// Returns the arithmetic mean over axes, as `np.mean`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: bool and integers give float64; floats and complex numbers keep theirs, or the option `dtype`. Of integers
    ///   it makes the sum of the elements converted to it, over their number, converted again.
    /// - **Errors**: an axis out of range or given twice, an option `dtype` of bool.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).mean(0).to_string(), "[2. 3.]");
    /// ```
    mean / try_mean (self, axes: impl IntoAxes<MeanOptions>) -> Array { self.mean_by(axes.into_axes()) }
    /// Returns the variance over axes in one pass (Chan, Golub & LeVeque 1979), as `np.var`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: bool and integers give float64, floats keep theirs, complex numbers give the dtype of their parts.
    /// - **Errors**: an axis out of range or given twice, an option `dtype` that is neither float nor complex.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3, 4]).var(..).to_string(), "1.25");
    /// ```
    var / try_var (self, axes: impl IntoAxes<SpreadOptions>) -> Array { self.reduce(&table::VAR, axes.into_axes()) }
    /// Returns the standard deviation over axes, as `np.std`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: bool and integers give float64, floats keep theirs, complex numbers give the dtype of their parts.
    /// - **Errors**: an axis out of range or given twice, an option `dtype` that is neither float nor complex.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 3]).std(..).to_string(), "1.0");
    /// ```
    std / try_std (self, axes: impl IntoAxes<SpreadOptions>) -> Array { self.reduce(&table::STD, axes.into_axes()) }
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
    pub(crate) fn reduce(
        &self,
        row: &'static dyn ReductionDef,
        axes: impl IntoAxes<AnyOptions>,
    ) -> Result<Array> {
        self.reduce_by(row, axes.into_axes())
    }

    #[track_caller]
    fn reduce_by(&self, row: &'static dyn ReductionDef, options: AxisOptions) -> Result<Array> {
        let facts = row.facts();
        let op = facts.name;
        options.only(op, facts.options)?;
        if let (true, Some(ufunc)) = (options.from_first, facts.from_first) {
            return self.reduce_by(ufunc, options);
        }
        if let Some(complex) = options.dtype.filter(|asked| asked.is_complex())
            && !row.dtypes(self.dtype(), Some(complex))?.output.is_complex()
        {
            let real = self.try_astype(complex)?.reduce(row, options.without_dtype())?;
            // NaN by a complex number is NaN in both parts.
            let nan = Scalar::weak_complex(f64::NAN, f64::NAN);
            return try_where(real.try_isnan()?, nan, real)?.try_astype(complex);
        }
        let axes = options.reduced_axes(op, self.ndim(), facts.takes_axis_of_scalar)?;
        if options.given_mean().is_some() {
            return self.moment_about(row, &options);
        }
        let dtypes = row.dtypes(self.dtype(), options.dtype)?;
        let initial = match options.initial {
            None if !options.from_first => row.start(dtypes.input).map(Scalar::strong),
            initial => initial,
        };
        let initial: Option<Constant> =
            initial.map(|initial| graph::constant(op, &initial, dtypes.input)).transpose()?;
        if let Some(initial) = &options.initial {
            fits(op, initial, dtypes.input)?;
        }
        let mask = options.mask_of(op, self)?;
        if mask.is_some()
            && initial.is_none()
            && (options.from_first || row.masked_as(dtypes.input) == Masked::Initial)
        {
            return Err(Error::EmptyReduction { op, shape: self.shape().into() });
        }
        let correction = options.ddof.unwrap_or(0.0);
        let empty = axes.iter().any(|&axis| self.shape()[axis] == 0);
        let reduced = if empty {
            let identity = row.over_nothing(dtypes.output, correction);
            let identity = identity.filter(|_| !options.from_first).map(Scalar::strong);
            let Some(value) = options.initial.or(identity) else {
                return Err(Error::EmptyReduction { op, shape: self.shape().into() });
            };
            let kept: SmallVec<[usize; 4]> = (0..self.ndim())
                .filter(|axis| !axes.contains(axis))
                .map(|axis| self.shape()[axis])
                .collect();
            let _guard = self.device().enter();
            crate::array::try_full(kept.as_slice(), value, dtypes.output)?
        } else {
            let table = TableReduction { row, input: dtypes.input, initial, correction };
            let args = std::iter::once(self.clone()).chain(mask).map(Arg::Array).collect();
            let expr = ReduceExpr { kind: ReduceKind::Table(table), args, axes: axes.clone() };
            graph::reduction(expr, dtypes.output, self.device().clone(), CallSite::caller())
        };
        options.expanded(reduced, &axes)
    }

    /// The mean. In a dtype of integers NumPy adds up the elements converted to it, divides, and converts again.
    #[track_caller]
    pub(in crate::array) fn mean_by(&self, options: AxisOptions) -> Result<Array> {
        let Some(integers) = options.dtype.filter(|asked| asked.is_int()) else {
            return self.reduce(&table::MEAN, options);
        };
        let facts = table::MEAN.facts();
        options.only(facts.name, facts.options)?;
        let axes = options.reduced_axes(facts.name, self.ndim(), facts.takes_axis_of_scalar)?;
        let count = match options.mask_of(facts.name, self)? {
            Some(mask) => Operand::Array(mask.reduce(&table::SUM, options.geometry())?),
            None => {
                let extents = axes.iter().map(|&axis| self.shape()[axis]);
                Operand::from(extents.product::<usize>() as f64)
            }
        };
        self.reduce(&table::SUM, options)?.try_divide(count)?.try_astype(integers)
    }

    /// Keeps elements where a condition holds and takes the others from `other`, as `np.where(condition, a, other)`.
    ///
    /// - **Shapes**: `(…), (…), (…) → (…)`, broadcast.
    /// - **Dtypes**: a condition of any dtype; array and `other` promote as NumPy's; a number that their dtype does not hold wraps.
    /// - **Errors**: shapes that do not broadcast, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([1, -2, 3]);
    /// assert_eq!(a.where_(&a.greater(0), 0).to_string(), "[1 0 3]");
    /// ```
    ///
    /// # Panics
    /// Where [`checked::where_`](fn@crate::checked::where_) returns an error.
    #[track_caller]
    pub fn where_(&self, condition: &Array, other: impl Into<Operand>) -> Array {
        crate::declare::expect(try_where(condition, self, other))
    }
}
