//! What `numpy.polynomial.polynomial` computes beside values and matrices of powers: arithmetic, calculus, roots and fits
//! of coefficients with the lowest power first, and values of polynomials of two and three variables.
//!
//! Rust has these as methods of [`Polynomial`](super::Polynomial); here they are as NumPy states them, for calls by name.

use super::series::{try_as_series, try_polycompanion, try_polyval, try_polyvander, try_trimseq};
use super::{part, value_error};
use crate::arguments::Arange;
use crate::array::{Array, Overlap, try_arange, try_concatenate, try_full, try_ones, try_zeros};
use crate::elementwise::try_where;
use crate::linalg::Lstsq;
use crate::scalar::Scalar;
use ndany_core::host;
use ndany_core::shape::checked_size;
use ndany_core::{Casting, DType, Error, Kind, Result};

/// Two polynomials of one dtype, without zeros at the end.
fn two(c1: &Array, c2: &Array) -> Result<[Array; 2]> {
    let both = try_as_series(&[c1.clone(), c2.clone()], true)?;
    let second = both[1].clone();
    Ok([both[0].clone(), second])
}

/// One polynomial without zeros at the end.
fn one(c: &Array) -> Result<Array> {
    Ok(try_as_series([c], true)?[0].clone())
}

/// A zero of the dtype of the coefficients, NaN where the first one is infinite or NaN.
fn no_coefficients(c: &Array) -> Result<Array> {
    part(c, 0, 1)?.try_multiply(0)
}

/// The sum, or the difference.
pub(crate) fn sum(c1: &Array, c2: &Array, subtract: bool) -> Result<Array> {
    let [c1, c2] = two(c1, c2)?;
    let c2 = if subtract { c2.try_negative()? } else { c2 };
    let (long, short) = if c1.size() > c2.size() { (c1, c2) } else { (c2, c1) };
    let count = short.size();
    let both = part(&long, 0, count)?.try_add(&short)?;
    try_trimseq(&try_concatenate(&[&both, &part(&long, count, long.size())?], 0)?)
}

/// The product with the variable.
pub(crate) fn times_x(c: &Array) -> Result<Array> {
    let c = one(c)?;
    if c.size() == 1 && c.try_equal(0)?.item::<bool>()? {
        return Ok(c);
    }
    try_concatenate(&[&no_coefficients(&c)?, &c], 0)
}

/// The product.
pub(crate) fn product(c1: &Array, c2: &Array) -> Result<Array> {
    let [c1, c2] = two(c1, c2)?;
    try_trimseq(&c1.try_convolve(&c2, Overlap::Full)?)
}

/// Quotient and remainder.
pub(crate) fn divided(c1: &Array, c2: &Array) -> Result<[Array; 2]> {
    let [mut rest, divisor] = two(c1, c2)?;
    let (mut count, below) = (rest.size(), divisor.size() - 1);
    let scale = part(&divisor, below, below + 1)?;
    if scale.try_equal(0)?.item::<bool>()? {
        return Err(Error::ZeroDivision { op: "polydiv" });
    }
    if count <= below {
        return Ok([no_coefficients(&rest)?, rest]);
    }
    if below == 0 {
        return Ok([rest.try_divide(&scale)?, no_coefficients(&rest)?]);
    }
    let lower = part(&divisor, 0, below)?.try_divide(&scale)?;
    let mut quotient = Vec::new();
    while count > below {
        count -= 1;
        let first = count - below;
        let factor = part(&rest, count, count + 1)?;
        let less = part(&rest, first, count)?.try_subtract(lower.try_multiply(&factor)?)?;
        // Computed now, or each step would compute those before it again.
        let _ = less.eval();
        rest = try_concatenate(&[&part(&rest, 0, first)?, &less], 0)?;
        quotient.push(factor);
    }
    let quotient = try_concatenate(&quotient.iter().rev().collect::<Vec<_>>(), 0)?;
    Ok([quotient.try_divide(&scale)?, try_trimseq(&rest)?])
}

/// A power with a whole exponent.
pub(crate) fn power(c: &Array, exponent: usize) -> Result<Array> {
    let c = one(c)?;
    let mut power: Option<Array> = None;
    for bit in (0..usize::BITS - exponent.leading_zeros()).rev() {
        power = Some(match power {
            None => c.clone(),
            Some(power) => {
                let square = power.try_convolve(&power, Overlap::Full)?;
                match exponent >> bit & 1 {
                    1 => square.try_convolve(&c, Overlap::Full)?,
                    _ => square,
                }
            }
        });
    }
    match power {
        Some(power) => Ok(power),
        None => {
            let _guard = c.device().enter();
            try_ones(1, c.dtype())
        }
    }
}

/// The polynomial with these roots.
pub(crate) fn from_roots(roots: &Array) -> Result<Array> {
    let _guard = roots.device().enter();
    if roots.ndim() == 1 && roots.size() == 0 {
        return try_ones(1, DType::F64);
    }
    let roots = try_as_series([roots], false)?[0].try_sort(0)?;
    let dtype = DType::promote(roots.dtype(), DType::F64);
    let below = roots.try_negative()?.try_astype(dtype)?;
    let unit = try_ones(1, dtype)?;
    let factor = |k: usize| try_concatenate(&[&part(&below, k, k + 1)?, &unit], 0);
    let mut factors = (0..below.size()).map(factor).collect::<Result<Vec<_>>>()?;
    // Halves are multiplied with each other, so that roundings are few.
    while factors.len() > 1 {
        let half = factors.len() / 2;
        let times = |a: &Array, b: &Array| a.try_convolve(b, Overlap::Full);
        let pairs = (0..half).map(|k| times(&factors[k], &factors[k + half]));
        let mut products = pairs.collect::<Result<Vec<_>>>()?;
        if factors.len() % 2 == 1 {
            products[0] = times(&products[0], &factors[2 * half])?;
        }
        factors = products;
    }
    Ok(factors.remove(0))
}

/// The roots, the least first.
pub(crate) fn roots(c: &Array) -> Result<Array> {
    let c = one(c)?;
    match c.size() {
        1 => part(&c, 0, 0),
        2 => part(&c, 0, 1)?.try_negative()?.try_divide(part(&c, 1, 2)?),
        _ => try_polycompanion(&c)?.try_eigvals()?.try_sort(0),
    }
}

/// Coefficients along the first axis, floats or complex numbers.
fn along_first(c: &Array, axis: isize) -> Result<Array> {
    let c = c.try_atleast_1d()?;
    let c = match c.dtype().kind() {
        Kind::Bool | Kind::Int => c.try_add(0.0)?,
        Kind::Float | Kind::Complex => c,
    };
    c.try_moveaxis(axis, 0)
}

/// Coefficients times a number, in their own dtype.
fn scaled(op: &'static str, c: &Array, scale: Scalar) -> Result<Array> {
    let product = c.try_multiply(scale)?;
    if !product.dtype().can_cast(c.dtype(), Casting::SameKind) {
        let dtypes = format!("coefficients of {} times a number of {}", c.dtype(), product.dtype());
        return Err(Error::DTypes { op, dtypes, remedy: "convert the coefficients with astype" });
    }
    product.try_astype(c.dtype())
}

/// The numbers 1 to `count` along the first of `ndim` axes.
fn powers(count: usize, ndim: usize, dtype: DType) -> Result<Array> {
    let numbers = try_arange(Arange::of(1i64, count as i64 + 1, 1i64, Some(DType::I64)))?
        .try_astype(dtype)?;
    let mut shape = vec![1isize; ndim];
    shape[0] = count as isize;
    numbers.try_reshape(shape.as_slice())
}

/// Rows of a first axis.
fn rows(c: &Array, from: usize, to: usize) -> Result<Array> {
    c.try_i(from as isize..to as isize)
}

/// The `times`-th derivative with respect to a variable that is `scale` times the polynomial's.
pub(crate) fn derivative(c: &Array, times: usize, scale: Scalar, axis: isize) -> Result<Array> {
    let mut c = along_first(c, axis)?;
    let _guard = c.device().enter();
    if times > 0 && times >= c.shape()[0] {
        c = rows(&c, 0, 1)?.try_multiply(0)?;
    } else {
        for _ in 0..times {
            let degree = c.shape()[0] - 1;
            let upper = rows(&scaled("polyder", &c, scale)?, 1, degree + 1)?;
            c = upper.try_multiply(powers(degree, c.ndim(), c.dtype())?)?;
        }
    }
    c.try_moveaxis(0, axis)
}

/// The `times`-th integral from `lower` on, with constants of integration, the first one's first.
pub(crate) fn integral(
    c: &Array,
    times: usize,
    constants: &[Array],
    lower: &Array,
    scale: Scalar,
    axis: isize,
) -> Result<Array> {
    const OP: &str = "polyint";
    if constants.len() > times {
        let reason = format!("{} constants for {times} integrals", constants.len());
        return Err(Error::ArgumentValue { op: OP.to_string(), reason });
    }
    let mut c = along_first(c, axis)?;
    let _guard = c.device().enter();
    let dtype = c.dtype();
    // A coefficient more in each round: the last result, before the first is computed.
    let size = checked_size(OP, &[c.size().saturating_add(times)], dtype)?;
    host::ensure_memory(OP, size.saturating_mul(dtype.size()))?;
    for round in 0..times {
        c = scaled(OP, &c, scale)?;
        let count = c.shape()[0];
        if count == 0 {
            return Err(Error::Index { op: OP, index: 0, axis: 0, size: 0 });
        }
        let constant = constants.get(round);
        let first = rows(&c, 0, 1)?;
        if count == 1 && first.try_equal(0)?.try_all(..)?.item::<bool>()? {
            c = match constant {
                Some(constant) => first.try_add(constant)?.try_astype(dtype)?,
                None => first,
            };
            continue;
        }
        let upper = c.try_divide(powers(count, c.ndim(), dtype)?)?;
        let zero = first.try_multiply(0)?;
        let raised = try_concatenate(&[&zero, &upper], 0)?;
        let at_lower = try_polyval(lower, &raised, true)?;
        let constant = match constant {
            Some(constant) => constant.try_subtract(at_lower)?,
            None => at_lower.try_negative()?.try_add(0)?,
        };
        let start = zero.try_add(constant)?.try_astype(dtype)?;
        c = try_concatenate(&[&start, &upper], 0)?;
        // Computed now, or each round would compute those before it again.
        let _ = c.eval();
    }
    c.try_moveaxis(0, axis)
}

/// Values of a polynomial of as many variables as there are arrays, at the points of which they are the coordinates.
pub(crate) fn values(c: &Array, points: &[Array]) -> Result<Array> {
    const OP: &str = "polyval";
    if points.iter().any(|array| array.shape() != points[0].shape()) {
        return Err(value_error(OP, "the coordinates must have one shape"));
    }
    let mut c = c.clone();
    for (axis, x) in points.iter().enumerate() {
        c = try_polyval(x, &c, axis == 0)?;
    }
    Ok(c)
}

/// Powers of coordinates, multiplied with each other, for all combinations up to these degrees.
pub(crate) fn vander(points: &[Array], degrees: &[usize]) -> Result<Array> {
    const OP: &str = "polyvander";
    let count = points.len();
    if degrees.len() != count {
        let reason = format!("expected {count} degrees, got {}", degrees.len());
        return Err(value_error(OP, reason));
    }
    if points.iter().any(|array| array.shape() != points[0].shape()) {
        return Err(value_error(OP, "the coordinates must have one shape"));
    }
    let dtype = points.iter().map(Array::dtype).reduce(DType::promote).unwrap_or(DType::F64);
    let mut all: Option<Array> = None;
    for (place, (x, &degree)) in points.iter().zip(degrees).enumerate() {
        let powers = try_polyvander(&x.try_astype(dtype)?.try_add(0.0)?, degree)?;
        let mut shape: Vec<isize> = powers.shape().iter().map(|&extent| extent as isize).collect();
        let extent = shape.pop().unwrap_or(1);
        shape.extend((0..count).map(|axis| if axis == place { extent } else { 1 }));
        let powers = powers.try_reshape(shape.as_slice())?;
        all = Some(match all {
            None => powers,
            Some(all) => all.try_multiply(&powers)?,
        });
    }
    let all = match all {
        Some(all) => all,
        None => return Err(value_error(OP, "no coordinates")),
    };
    let mut shape: Vec<isize> = all.shape().iter().map(|&extent| extent as isize).collect();
    shape.truncate(all.ndim() - count);
    shape.push(-1);
    all.try_reshape(shape.as_slice())
}

/// A polynomial through points: coefficients, residuals, rank, singular values, and the part up to which these count as
/// zero.
pub(crate) struct Fitted {
    pub(crate) coefficients: Array,
    pub(crate) residuals: Array,
    pub(crate) rank: usize,
    pub(crate) singular_values: Array,
    pub(crate) cutoff: f64,
}

/// The polynomial whose squared distances from points are least: of all powers up to a degree, or of chosen ones.
pub(crate) fn fitted(
    x: &Array,
    y: &Array,
    degrees: Degrees<'_>,
    cutoff: Option<f64>,
    weights: Option<&Array>,
) -> Result<Fitted> {
    const OP: &str = "polyfit";
    let wrong = |reason: &str| Error::Arguments { op: OP.to_string(), reason: reason.to_string() };
    let (x, y) = (x.try_add(0.0)?, y.try_add(0.0)?);
    let _guard = x.device().enter();
    if x.ndim() != 1 || x.size() == 0 {
        return Err(wrong("x must have one axis, and elements"));
    }
    if !(1..=2).contains(&y.ndim()) || y.shape()[0] != x.size() {
        return Err(wrong("y must have one axis or two, and as many rows as x has elements"));
    }
    let mut matrix = try_polyvander(&x, degrees.highest())?;
    if let Degrees::Chosen(chosen) = degrees {
        let columns: Vec<i64> = chosen.iter().map(|&degree| degree as i64).collect();
        matrix = matrix.try_take(columns, 1)?;
    }
    let mut values = y.clone();
    if let Some(weights) = weights {
        let weights = weights.try_add(0.0)?;
        if weights.shape() != x.shape() {
            return Err(wrong("weights must have one axis, and as many elements as x"));
        }
        let column = weights.try_expand_dims(1)?;
        matrix = matrix.try_multiply(&column)?;
        values = y.try_multiply(if y.ndim() == 2 { &column } else { &weights })?;
    }
    let squares = match matrix.dtype().is_complex() {
        true => matrix.try_real()?.try_square()?.try_add(matrix.try_imag()?.try_square()?)?,
        false => matrix.try_square()?,
    };
    let scale = squares.try_sum(0)?.try_sqrt()?;
    let ones = try_ones(scale.shape(), scale.dtype())?;
    let scale = try_where(scale.try_equal(0)?, &ones, &scale)?;
    let roundoff = ndany_core::finfo(x.dtype().part()).map_or(f64::EPSILON, |info| info.eps);
    let cutoff = cutoff.unwrap_or(x.size() as f64 * roundoff);
    let Lstsq { x: solution, residuals, rank, s: singular_values } =
        matrix.try_divide(&scale)?.try_lstsq(&values, cutoff)?;
    let across = if y.ndim() == 2 { scale.try_expand_dims(1)? } else { scale };
    let mut coefficients = solution.try_divide(&across)?;
    if let Degrees::Chosen(chosen) = degrees {
        let mut shape = coefficients.shape().to_vec();
        shape[0] = degrees.highest() + 1;
        let mut all = try_zeros(shape.as_slice(), coefficients.dtype())?;
        let rows: Vec<i64> = chosen.iter().map(|&degree| degree as i64).collect();
        all.try_set(Array::try_from_slice(&rows, [rows.len()])?, &coefficients)?;
        coefficients = all;
    }
    Ok(Fitted { coefficients, residuals, rank, singular_values, cutoff })
}

/// The powers of which a fitted polynomial is made.
#[derive(Clone, Copy)]
pub(crate) enum Degrees<'a> {
    /// All up to this one.
    UpTo(usize),
    /// These, in rising order.
    Chosen(&'a [usize]),
}

impl Degrees<'_> {
    fn highest(self) -> usize {
        match self {
            Degrees::UpTo(degree) => degree,
            Degrees::Chosen(chosen) => chosen.last().copied().unwrap_or(0),
        }
    }
}

/// The number, as an array of the dtype of coefficients where it is a plain one.
pub(crate) fn place(x: Scalar, coefficients: DType) -> Result<Array> {
    let dtype = match coefficients.kind() {
        Kind::Bool | Kind::Int => DType::F64,
        Kind::Float | Kind::Complex => coefficients,
    };
    try_full((), x, x.promote_with(dtype))
}

#[cfg(test)]
mod tests {
    use super::integral;
    use crate::{Array, Scalar};

    /// `np.polynomial.polynomial.polyint(c, 1, k=[1, 2])`.
    #[test]
    fn more_constants_than_integrals_are_refused() {
        let (c, number) = (Array::from([1.0, 2.0]), Array::scalar(0.0));
        let integrated = |times: usize| {
            integral(&c, times, &[number.clone(), number.clone()], &number, Scalar::from(1), 0)
        };
        assert_eq!(integrated(1).expect_err("one integral").class(), "ValueError");
        assert_eq!(integrated(2).expect("two integrals").size(), 4);
    }
}
