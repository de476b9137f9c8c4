//! Numerical ranges: by a step, by a count, and along a logarithm.
//!
//! Computed as NumPy computes them, operation by operation, and lazily.

use num_complex::Complex;

use crate::arguments::Arange;
use crate::array::{Array, try_full};
use crate::declare::{expect, functions};
use crate::device::Device;
use crate::elementwise::{elementwise, try_where};
use crate::graph::node::Expr;
use crate::graph::{self, Operand};
use crate::scalar::Scalar;
use ndany_core::float::rounded;
use ndany_core::shape::{self, Shape, axis_index};
use ndany_core::{CallSite, DType, Error, Kind, Number, Result};

/// Makes the numbers `start, start + step, …` below `stop`, as `np.arange`.
///
/// Takes `stop`, `(start, stop)`, `start..stop`, `(start, stop, step)`, or an [`Arange`] with a dtype.
///
/// - **Shapes**: `() → (n,)`.
/// - **Dtypes**: that of the numbers, or of the option `dtype`.
/// - **Errors**: a step of zero, bounds that are not finite, first elements that an integer dtype cannot hold.
///
/// ```
/// use ndany::{Device, arange};
/// # let _guard = Device::open("reference")?.enter();
/// assert_eq!(arange((0, 10, 3)).to_vec::<i64>()?, [0, 3, 6, 9]);
/// # Ok::<(), ndany::Error>(())
/// ```
///
/// # Panics
/// Where [`checked::arange`](fn@crate::checked::arange) returns an error.
#[track_caller]
pub fn arange(range: impl Into<Arange>) -> Array {
    expect(try_arange(range))
}

/// [`arange`], with a step of zero, bounds that are not finite and first elements that an integer dtype cannot hold as
/// errors.
#[track_caller]
pub fn try_arange(range: impl Into<Arange>) -> Result<Array> {
    progression_of(range.into())
}

#[track_caller]
fn progression_of(Arange { start, stop, step, dtype }: Arange) -> Result<Array> {
    const OP: &str = "arange";
    let operands = [start, stop, step].map(graph::Operand::Scalar);
    // NumPy starts from its default integer: bounds of a small dtype do not make a small range.
    let dtype = dtype.unwrap_or_else(|| DType::promote(DType::I64, graph::promote(&operands)));
    // Python's numbers: the first two elements and the length, before any dtype comes in.
    let kind = start.kind().max(stop.kind()).max(step.kind());
    if step.dtype().is_none() && kind != Kind::Complex && float(step) == 0.0 {
        // Python's numbers are divided, and that is what NumPy reports.
        return Err(Error::ZeroDivision { op: OP });
    }
    let (first, next, length) = match kind {
        Kind::Bool | Kind::Int => {
            let int = |scalar: Scalar| match scalar.number() {
                Number::Bool(value) => i128::from(value),
                Number::Int(value) => value,
                Number::Float(value) | Number::Complex(value, _) => value as i128,
            };
            let (start, stop, step) = (int(start), int(stop), int(step));
            if step == 0 {
                return Err(Error::Range { op: OP, reason: "the step is zero" });
            }
            let (span, stride) =
                if step > 0 { (stop - start, step) } else { (start - stop, -step) };
            let length = if span <= 0 { 0 } else { (span - 1) / stride + 1 };
            (Number::Int(start), Number::Int(start.saturating_add(step)), length as f64)
        }
        Kind::Float => {
            let (span, steps, next) = float_steps(start, stop, step);
            // A span that vanishes beside the step is one element all the same.
            let length = match steps == 0.0 && span != 0.0 {
                true => f64::from(u8::from(steps.is_sign_positive())),
                false => steps.ceil(),
            };
            (Number::Float(float(start)), Number::Float(next), length)
        }
        Kind::Complex => return complex_range([start, stop, step], dtype),
    };
    if length.is_nan() {
        return Err(Error::Range { op: OP, reason: "the number of elements is not defined" });
    }
    if length > isize::MAX as f64 {
        return Err(Error::Range { op: OP, reason: "more elements than can be addressed" });
    }
    if dtype == DType::Bool && length > 2.0 {
        let reason = "no range of more than two truth values".to_string();
        return Err(Error::Arguments { op: OP.to_string(), reason });
    }
    let shape = Shape::from_slice(&[length.max(0.0) as usize]);
    shape::checked_size(OP, &shape, dtype)?;
    // The step to an element that is not there may be too large to count in.
    let next = if length > 1.0 { next } else { first };
    if length > 0.0 && dtype.is_int() {
        holds(OP, first, dtype)?;
        holds(OP, next, dtype)?;
    }
    let [start, step] = progression(first, next, dtype).map(|value| {
        let compute = progression_dtype(dtype);
        graph::constant(OP, &Scalar::typed(compute, value), compute)
    });
    let (start, step) = (start?, step?);
    let expr = Expr::Range { start, step };
    Ok(graph::submit(shape, dtype, Device::current(), CallSite::caller(), expr))
}

fn float(scalar: Scalar) -> f64 {
    match scalar.number() {
        Number::Bool(value) => f64::from(u8::from(value)),
        Number::Int(value) => value as f64,
        Number::Float(value) | Number::Complex(value, _) => value,
    }
}

/// How far it is to the end of a range, how many steps that is, and the second element. Each is rounded to the dtype of its
/// two operands, as between NumPy's own numbers.
fn float_steps(start: Scalar, stop: Scalar, step: Scalar) -> (f64, f64, f64) {
    let apply = |a: Scalar, b: Scalar, operation: fn(f64, f64) -> f64| {
        let dtype = graph::promote(&[a, b].map(Operand::Scalar));
        let value = rounded(dtype, operation(rounded(dtype, float(a)), rounded(dtype, float(b))));
        // Between weak numbers the result is weak.
        match a.dtype().or(b.dtype()) {
            Some(_) => Scalar::typed(dtype, value),
            None => Scalar::weak_float(value),
        }
    };
    let span = apply(stop, start, |a, b| a - b);
    let steps = apply(span, step, |a, b| a / b);
    (float(span), float(steps), float(apply(start, step, |a, b| a + b)))
}

/// A range between complex bounds: as many elements as there are steps in both parts.
#[track_caller]
fn complex_range(numbers: [Scalar; 3], dtype: DType) -> Result<Array> {
    const OP: &str = "arange";
    // NumPy counts by both parts but where its own complex64 says how many steps there are.
    let single = graph::promote(&numbers.map(graph::Operand::Scalar)) == DType::C64;
    let [start, stop, step] = numbers.map(|scalar| match scalar.number() {
        Number::Bool(value) => Complex::from(f64::from(u8::from(value))),
        Number::Int(value) => Complex::from(value as f64),
        Number::Float(value) => Complex::from(value),
        Number::Complex(re, im) => Complex::new(re, im),
    });
    let steps = (stop - start) / step;
    let length = if single { steps.re } else { steps.re.min(steps.im) }.ceil();
    if steps.re.is_nan() || steps.im.is_nan() || length > isize::MAX as f64 {
        return Err(Error::Range { op: OP, reason: "the number of elements is not defined" });
    }
    if !dtype.is_complex() {
        let dtypes = format!("complex bounds of a range of {dtype}");
        return Err(Error::DTypes { op: OP, dtypes, remedy: "ask for a complex dtype" });
    }
    let places = try_arange(Arange::of(0, length.max(0.0) as usize, 1, Some(DType::C128)))?;
    places.try_multiply(step)?.try_add(start)?.try_astype(dtype)
}

/// Whether a number has a value in an integer dtype, once it is truncated.
fn holds(op: &'static str, number: Number, dtype: DType) -> Result<()> {
    let value = match number {
        Number::Bool(value) => i128::from(value),
        Number::Int(value) => value,
        Number::Float(value) | Number::Complex(value, _) => value as i128,
    };
    let (low, high) = dtype.int_range();
    match (low..=high).contains(&value) {
        true => Ok(()),
        false => Err(Error::WeakOverflow { op, value, dtype }),
    }
}

/// The dtype in which the elements of a range are computed.
fn progression_dtype(dtype: DType) -> DType {
    match dtype.part() {
        DType::F64 => DType::F64,
        part if part.is_float() => DType::F32,
        _ => DType::I64,
    }
}

/// Start and step of a range. NumPy converts the first two elements to the dtype and goes on by their
/// difference there, so that `arange((1, 2, 0.1))` has steps of 1.1 - 1.
fn progression(first: Number, next: Number, dtype: DType) -> [Scalar; 2] {
    let int = |number| match number {
        Number::Bool(value) => i128::from(value),
        Number::Int(value) => value,
        Number::Float(value) | Number::Complex(value, _) => value as i128,
    };
    let float = |number| match number {
        Number::Bool(value) => f64::from(u8::from(value)),
        Number::Int(value) => value as f64,
        Number::Float(value) | Number::Complex(value, _) => value,
    };
    match (progression_dtype(dtype), dtype) {
        (DType::F64, _) => [float(first), float(next) - float(first)].map(Scalar::from),
        (DType::F32, _) => {
            let narrow = |number| rounded(dtype, float(number)) as f32;
            [narrow(first), narrow(next) - narrow(first)].map(Scalar::from)
        }
        _ => [int(first), int(next) - int(first)].map(Scalar::weak_int),
    }
}

/// How a range of a given number of elements is made.
#[derive(Clone, Copy, Debug)]
pub struct Linspace {
    /// Number of elements.
    pub count: usize,
    /// Whether the end is the last element. Otherwise it is the one that would follow.
    pub endpoint: bool,
    /// Dtype of the result; without it, the float or complex dtype of the ends.
    pub dtype: Option<DType>,
    /// Where the new axis goes, when the ends are arrays.
    pub axis: isize,
}

impl From<usize> for Linspace {
    fn from(count: usize) -> Self {
        Self::new(count)
    }
}
impl From<i32> for Linspace {
    /// A negative number is as many as no memory holds.
    fn from(count: i32) -> Self {
        Self::new(usize::try_from(count).unwrap_or(usize::MAX))
    }
}

/// The numbers of [`logspace`](fn@crate::logspace): how many of them, or [`Linspace`], by itself or with another base than 10.
#[derive(Clone, Debug)]
pub struct Logspace {
    spacing: Linspace,
    base: Operand,
}

impl<T: Into<Linspace>> From<T> for Logspace {
    fn from(spacing: T) -> Self {
        Self::new(spacing)
    }
}

impl Logspace {
    /// Starts the options of [`logspace`](fn@crate::logspace) with a number of elements, or with [`Linspace`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(logspace(0, 2, ndany::Logspace::new(3)).to_string(), "[  1.  10. 100.]");
    /// ```
    pub fn new(spacing: impl Into<Linspace>) -> Self {
        Self { spacing: spacing.into(), base: Scalar::from(10.0).into() }
    }

    /// Sets the base of the powers, as `base=` of `np.logspace`; several bases broadcast with the ends.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(logspace(0, 2, ndany::Logspace::new(3).base(2)).to_string(), "[1. 2. 4.]");
    /// ```
    pub fn base(self, base: impl Into<Operand>) -> Self {
        Self { base: base.into(), ..self }
    }
}

impl Linspace {
    /// Starts the options of [`linspace`](fn@crate::linspace): `count` elements with the end included, along the first axis.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linspace(0, 4, ndany::Linspace { endpoint: false, ..ndany::Linspace::new(2) }).to_string(), "[0. 2.]");
    /// ```
    pub fn new(count: usize) -> Self {
        Self { count, endpoint: true, dtype: None, axis: 0 }
    }
}

functions! {
    /// Makes evenly spaced numbers between two ends, as `np.linspace`.
    ///
    /// Takes the number of them, or [`Linspace`] with options.
    ///
    /// - **Shapes**: `(…), (…) → (count, …)`, ends broadcast.
    /// - **Dtypes**: real and complex ends; floats keep their dtype, integers give float64.
    /// - **Errors**: ends that do not broadcast, an axis out of range.
    ///
    /// ```
    /// use ndany::{Array, Device, Linspace, linspace};
    /// # let _guard = Device::open("reference")?.enter();
    /// assert_eq!(linspace(0, 1, 5).to_vec::<f64>()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// let ends = Array::from([1.0, 10.0]);
    /// let ramps = linspace(0, &ends, Linspace { endpoint: false, ..Linspace::new(2) });
    /// assert_eq!(ramps.to_vec::<f64>()?, [0.0, 0.0, 0.5, 5.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    linspace / try_linspace (start: impl Into<Operand>, stop: impl Into<Operand>, spacing: impl Into<Linspace>) -> Array {
        Ok(spaced("linspace", start.into(), stop.into(), spacing.into())?.0)
    }

    /// Makes powers of a base whose exponents are evenly spaced, as `np.logspace`.
    ///
    /// Takes the number of them, or [`Logspace`] with another base than 10.
    ///
    /// - **Shapes**: `(…), (…), (…) → (count, …)`, ends and base broadcast.
    /// - **Dtypes**: as [`linspace`](fn@crate::linspace).
    /// - **Errors**: ends that do not broadcast, an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(logspace(0, 2, 3).to_string(), "[  1.  10. 100.]");
    /// ```
    logspace / try_logspace (start: impl Into<Operand>, stop: impl Into<Operand>, spacing: impl Into<Logspace>) -> Array {
        let Logspace { spacing, mut base } = spacing.into();
        let (mut start, mut stop) = (start.into(), stop.into());
        // A base of several numbers takes part in what the axes are.
        if let Operand::Array(array) = &base && array.ndim() > 0 {
            let ndim = array.ndim().max(start.shape().len()).max(stop.shape().len());
            let widen = |operand: &Operand| -> Result<Operand> {
                let array = match operand {
                    Operand::Array(array) => array.clone(),
                    Operand::Scalar(scalar) => try_full((), *scalar, scalar.natural_dtype())?,
                };
                let missing: Vec<isize> = (0..(ndim - array.ndim()) as isize).collect();
                array.try_expand_dims(missing.as_slice()).map(Operand::Array)
            };
            (start, stop) = (widen(&start)?, widen(&stop)?);
            if let Operand::Array(wide) = widen(&base)? {
                base = Operand::Array(wide.try_expand_dims(spacing.axis)?);
            }
        }
        let exponents = spaced("logspace", start, stop, Linspace { dtype: None, ..spacing })?.0;
        let powers = elementwise(&ndany_core::ops::rows::power, &mut [base, exponents.into()])?;
        powers.try_astype(spacing.dtype.unwrap_or(powers.dtype()))
    }

    /// Makes numbers with a constant ratio of neighbours, as `np.geomspace`.
    ///
    /// - **Shapes**: `(…), (…) → (count, …)`, ends broadcast.
    /// - **Dtypes**: as [`linspace`](fn@crate::linspace).
    /// - **Errors**: an end of zero, ends that do not broadcast, an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::geomspace(1, 8, 4).to_string(), "[1. 2. 4. 8.]");
    /// ```
    geomspace / try_geomspace (start: impl Into<Operand>, stop: impl Into<Operand>, spacing: impl Into<Linspace>) -> Array {
        const OP: &str = "geomspace";
        let spacing = spacing.into();
        let (start, stop) = (start.into(), stop.into());
        let float = Operand::Scalar(Scalar::weak_float(1.0));
        let compute = graph::promote(&[start.clone(), stop.clone(), float]);
        let compute = DType::promote(compute, spacing.dtype.unwrap_or(DType::F64));
        let (start, stop) = (end(&start, compute)?, end(&stop, compute)?);
        for end in [&start, &stop] {
            // A flag of one byte, which says whether there is a result at all.
            if end.try_equal(0)?.try_any(..)?.item::<bool>()? {
                return Err(Error::Range { op: OP, reason: "a geometric sequence cannot include zero" });
            }
        }
        // Turned to positive real numbers and back, so that negative and complex ends have logarithms.
        let sign = start.try_sign()?;
        let (first, last) = (start.try_divide(&sign)?, stop.try_divide(&sign)?);
        let inner = Linspace { dtype: Some(compute), axis: 0, ..spacing };
        let middle = try_logspace(&first.try_log10()?, &last.try_log10()?, inner)?;
        let last = (spacing.endpoint && spacing.count > 1).then_some(last);
        let ends = with_ends(middle, Some(first), last)?;
        let values = ends.try_multiply(&sign)?;
        values.try_moveaxis(0, spacing.axis)?.try_astype(spacing.dtype.unwrap_or(compute))
    }
}

/// [`linspace`](fn@linspace) and the step between its elements, as `np.linspace` with
/// `retstep`.
#[track_caller]
#[cfg(feature = "call")]
pub(crate) fn try_linspace_step(
    start: impl Into<Operand>,
    stop: impl Into<Operand>,
    spacing: Linspace,
) -> Result<(Array, Array)> {
    spaced("linspace", start.into(), stop.into(), spacing)
}

/// An end of a range in the dtype in which the range is computed.
fn end(operand: &Operand, dtype: DType) -> Result<Array> {
    match operand {
        Operand::Array(array) => array.try_astype(dtype),
        Operand::Scalar(scalar) => try_full((), Scalar::typed(dtype, *scalar), dtype),
    }
}

/// A range along a first axis with its first and last elements replaced.
fn with_ends(values: Array, first: Option<Array>, last: Option<Array>) -> Result<Array> {
    let count = values.shape()[0];
    let ones = values.ndim() - 1;
    let shape: Vec<isize> =
        std::iter::once(count as isize).chain(std::iter::repeat_n(1, ones)).collect();
    let index =
        try_arange(Arange::of(0, count, 1, Some(DType::I64)))?.try_reshape(shape.as_slice())?;
    let mut values = values;
    for (position, end) in [(0, first), (count.saturating_sub(1), last)] {
        if let Some(end) = end {
            values = try_where(index.try_equal(position)?, end, values)?;
        }
    }
    Ok(values)
}

/// A real number and how far another one is from it, where that is computed in F64 and known before anything runs.
fn known_ends(start: &Operand, stop: &Operand, compute: DType) -> Option<[f64; 2]> {
    let number = |operand: &Operand| match operand {
        Operand::Scalar(scalar) if compute == DType::F64 => {
            scalar.bits_as("linspace", compute).ok().map(|bits| f64::from_bits(bits[0]))
        }
        Operand::Scalar(_) | Operand::Array(_) => None,
    };
    let start = number(start)?;
    Some([start, number(stop)? - start])
}

/// The distance of each element of a range of `intervals` intervals from the first one, and the step.
fn stepped(index: &Array, delta: &Array, intervals: usize) -> Result<(Array, Array)> {
    if intervals == 0 {
        return Ok((index.try_multiply(delta)?, try_full((), f64::NAN, DType::F64)?));
    }
    let step = delta.try_divide(intervals)?;
    // Steps too small for the dtype: NumPy multiplies by the whole instead, everywhere if anywhere.
    let vanishes = step.try_equal(0)?.try_any(..)?;
    let whole = index.try_divide(intervals)?.try_multiply(delta)?;
    Ok((try_where(vanishes, whole, index.try_multiply(&step)?)?, step))
}

/// NumPy's `linspace`, step by step, and its step.
fn spaced(
    op: &'static str,
    start: Operand,
    stop: Operand,
    spacing: Linspace,
) -> Result<(Array, Array)> {
    let Linspace { count, endpoint, dtype, axis } = spacing;
    // Integers become float64; a typed float or complex number stays what it is.
    let float = Operand::Scalar(Scalar::weak_float(1.0));
    let compute = graph::promote(&[start.clone(), stop.clone(), float]);
    let device = graph::device_of(op, &[start.clone(), stop.clone()])?;
    let _guard = device.enter();
    let known = known_ends(&start, &stop, compute);
    let (start, stop) = (end(&start, compute)?, end(&stop, compute)?);
    let axes = start.ndim().max(stop.ndim());
    shape::checked_size(op, &[count], compute)?;
    let axis = axis_index(op, axis, axes + 1)?;
    let intervals = if endpoint { count.saturating_sub(1) } else { count };
    let known = known.map(|[start, delta]| [start, delta / intervals as f64]);
    let (values, step) = match known.filter(|[_, step]| intervals != 0 && *step != 0.0) {
        // The same numbers, in one expression.
        Some([first, step]) => {
            let constant = |x: f64| graph::constant(op, &Scalar::from(x), compute);
            let expr = Expr::Range { start: constant(first)?, step: constant(step)? };
            let shape = Shape::from_slice(&[count]);
            let range = graph::submit(shape, compute, device.clone(), CallSite::caller(), expr);
            (range, try_full((), step, compute)?)
        }
        None => {
            let shape: Vec<isize> =
                std::iter::once(count as isize).chain(std::iter::repeat_n(1, axes)).collect();
            let index = try_arange(Arange::of(0, count, 1, Some(compute)))?
                .try_reshape(shape.as_slice())?;
            let (scaled, step) = stepped(&index, &stop.try_subtract(&start)?, intervals)?;
            (scaled.try_add(&start)?, step)
        }
    };
    let last = (endpoint && count > 1).then_some(stop);
    let values = with_ends(values, None, last)?.try_moveaxis(0, axis as isize)?;
    let dtype = dtype.unwrap_or(compute);
    // NumPy rounds down on the way to integers; the other conversions are `astype`.
    let values = if dtype.is_int() { values.try_floor()? } else { values };
    Ok((values.try_astype(dtype)?, step))
}

#[cfg(test)]
mod tests {
    use crate::arguments::Arange;
    use crate::{DType, checked};

    /// `np.arange(0, 5, 0)` divides by zero; `np.arange(3, dtype=bool)` has no third truth value.
    #[test]
    fn ranges_that_numpy_refuses() {
        for error in [checked::arange((0, 5, 0)), checked::arange((0.0, 5.0, 0.0))] {
            assert_eq!(error.expect_err("no step").class(), "ZeroDivisionError");
        }
        let truth = |stop: i64| checked::arange(Arange::of(0, stop, 1, Some(DType::Bool)));
        assert_eq!(truth(2).expect("two values").to_string(), "[False  True]");
        assert_eq!(truth(3).expect_err("three").class(), "TypeError");
        assert_eq!(checked::indices((2, 3), DType::Bool).expect_err("three").class(), "TypeError");
    }
}
