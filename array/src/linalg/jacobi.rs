//! Singular values by one-sided Jacobi rotations (Hestenes 1958; the rotation of Rutishauser 1966; rounds of
//! disjoint pairs as in a tournament, after Brent and Luk 1985), over batches of matrices at once.
//!
//! The columns lie in two halves whose partners are turned against each other until all are orthogonal;
//! their lengths are the singular values, each to within a few ulp of its own size where the columns allow
//! it. A round is a handful of launches over the whole batch, so this suits small matrices and many of them.

use super::factors::empty;
use super::task::{extents, inexact, is_infinite};
use crate::arguments::over;
use crate::array::squares;
use crate::array::{Array, try_concatenate};
use crate::elementwise::try_where;
use crate::{Ellipsis, Index};
use ndany_core::ops::reductions as table;
use ndany_core::{DType, Error, Result};

/// Sweeps after which a matrix counts as one that does not converge; ordinary ones need 5 to 10.
const SWEEPS: usize = 40;

/// The singular values of the matrices in the last two axes, as [`settling`] finds them; NaN for those with infinities, and an
/// error for those with NaN.
#[track_caller]
pub(crate) fn singular_values(op: &'static str, matrices: &Array) -> Result<Array> {
    match settling(op, matrices) {
        Err(Error::Convergence { .. }) => {}
        checked_or_nan => return checked_or_nan,
    }
    let taken = is_infinite(matrices)?;
    let rest = try_where(taken.try_expand_dims([-2, -1])?, 0, matrices)?;
    let values = settling(op, &rest.try_astype(matrices.dtype())?)?;
    try_where(taken.try_expand_dims(-1)?, f64::NAN, &values)?.try_astype(values.dtype())
}

/// The singular values of the matrices in the last two axes, largest first, as `np.linalg.svdvals`; of the
/// dtype of the matrices' parts. floats of 16 bits are a `TypeError`, as in NumPy, integers count as f64. Waits
/// for the device once a sweep.
#[track_caller]
fn settling(op: &'static str, matrices: &Array) -> Result<Array> {
    let a = inexact(op, matrices)?;
    let tall = match a.shape() {
        [.., rows, columns] if rows >= columns => a,
        _ => a.try_swapaxes(-1, -2)?,
    };
    let columns = *tall.shape().last().unwrap_or(&0);
    if tall.size() == 0 {
        // As many as columns, whose matrices may have no rows.
        let (outer, _) = extents(op, &tall)?;
        return empty(&tall, outer, &[columns], tall.dtype().part());
    }
    // As LAPACK scales: squares neither overflow nor vanish.
    let largest = tall.try_absolute()?.reduce(&table::MAX, over([-2, -1]).keepdims())?;
    let scale = try_where(&largest.try_equal(0.0)?, 1.0, &largest)?;
    let scaled = tall.try_divide(&scale)?;
    let squares = match columns {
        1 => lengths(&scaled)?,
        _ => orthogonalize(op, scaled)?,
    };
    let values = squares.try_sqrt()?.try_multiply(scale.try_squeeze(-2)?)?;
    let sorted = values.try_sort(-1)?.try_flip(-1)?;
    sorted.try_i((Ellipsis, ..columns))
}

/// Squares of the lengths of columns, once they are orthogonal.
fn orthogonalize(op: &'static str, matrices: Array) -> Result<Array> {
    let dtype = matrices.dtype().part();
    let (rows, columns) = match *matrices.shape() {
        [.., rows, columns] => (rows, columns),
        _ => unreachable!("matrices have two axes"),
    };
    // A column of zeros gives everybody a partner.
    let half = columns.div_ceil(2);
    let mut left = matrices.try_i((Ellipsis, ..half))?;
    let mut right = matrices.try_i((Ellipsis, half..))?;
    if columns % 2 == 1 {
        let zeros = left.try_i((Ellipsis, ..1))?.try_zeros_like()?;
        right = try_concatenate(&[&right, &zeros], -1)?;
    }
    let step = if dtype == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let near = step * (rows as f64).sqrt();
    for _ in 0..SWEEPS {
        let mut worst: Option<Array> = None;
        for _ in 0..2 * half - 1 {
            let cosine;
            (left, right, cosine) = rotate(&left, &right, near)?;
            let cosine = cosine.reduce(&table::MAX, over(..))?;
            worst = Some(match worst {
                None => cosine,
                Some(worst) => worst.try_maximum(cosine)?,
            });
            if half > 1 {
                (left, right) = next_round(&left, &right)?;
            }
        }
        let worst: f64 = match worst {
            Some(worst) => worst.try_astype(DType::F64)?.item()?,
            None => 0.0,
        };
        if worst.is_nan() {
            break;
        }
        if worst <= near {
            return try_concatenate(&[&lengths(&left)?, &lengths(&right)?], -1);
        }
    }
    Err(Error::Convergence { op, steps: SWEEPS })
}

/// `Σ|x|²` of every column.
fn lengths(columns: &Array) -> Result<Array> {
    squares(columns)?.reduce(&table::SUM, over(-2))
}

/// Turns each column of the left half against its partner on the right, so that they become orthogonal; and
/// the cosines of the angles that they had between them; 0 of a column so short, next to the longest, that it
/// is nothing but the roundings of others.
fn rotate(left: &Array, right: &Array, near: f64) -> Result<(Array, Array, Array)> {
    let rows = || over(-2).keepdims();
    let a = squares(left)?.reduce(&table::SUM, rows())?;
    let b = squares(right)?.reduce(&table::SUM, rows())?;
    let product = left.try_conjugate()?.try_multiply(right)?.reduce(&table::SUM, rows())?;
    let size = product.try_absolute()?;
    let at_right = size.try_equal(0.0)?;
    // A complex product is made real by a turn of the right column's phase.
    let right = match product.dtype().is_complex() {
        false => right.try_multiply(sign(&product)?)?,
        true => {
            let phase = product.try_conjugate()?.try_divide(&size)?;
            right.try_multiply(try_where(&at_right, 1.0, phase)?)?
        }
    };
    let cosine = size.try_divide(a.try_sqrt()?.try_multiply(b.try_sqrt()?)?)?;
    // The largest element is 1, so the longest column is at least that long.
    let nothing = a.try_minimum(&b)?.try_less_equal(near * near)?;
    let cosine = try_where(at_right.try_logical_or(nothing)?, 0.0, cosine)?;
    let zeta = b.try_subtract(&a)?.try_divide(size.try_multiply(2.0)?)?;
    let root = zeta.try_square()?.try_add(1.0)?.try_sqrt()?;
    let tangent = sign(&zeta)?.try_divide(zeta.try_absolute()?.try_add(root)?)?;
    let tangent = try_where(&at_right, 0.0, tangent)?;
    let c = tangent.try_square()?.try_add(1.0)?.try_sqrt()?.try_reciprocal()?;
    let s = c.try_multiply(&tangent)?;
    let turned_left = left.try_multiply(&c)?.try_subtract(right.try_multiply(&s)?)?;
    let turned_right = left.try_multiply(&s)?.try_add(right.try_multiply(&c)?)?;
    Ok((turned_left, turned_right, cosine))
}

/// -1 where `x` is negative, else 1, in its dtype.
fn sign(x: &Array) -> Result<Array> {
    try_where(x.try_less(0.0)?, -1.0, 1.0)?.try_astype(x.dtype())
}

/// Partners of the next round of a tournament: the first stays, the others move on by one seat.
fn next_round(left: &Array, right: &Array) -> Result<(Array, Array)> {
    let columns = |array: &Array, range: Index| array.try_i((Ellipsis, range));
    let first = || Index::from(..1);
    let last = left.shape()[left.ndim() - 1] as isize - 1;
    let moving = columns(left, Index::from(1..last))?;
    let next_left = [&columns(left, first())?, &columns(right, first())?, &moving];
    let next_right = [&columns(right, Index::from(1..))?, &columns(left, Index::from(-1..))?];
    Ok((try_concatenate(&next_left, -1)?, try_concatenate(&next_right, -1)?))
}
