//! Values without vectors, of matrices in bidiagonal or tridiagonal form, in doubles. If the iteration does not
//! converge it returns `None`, and the caller uses another algorithm.
//!
//! Eigenvalues by QL steps without square roots (Pal, Walker & Kahan, in Parlett, "The Symmetric Eigenvalue
//! Problem", 8.15). A step processes two rows' elements and a quotient on the way to the next row, each
//! depending on the one before.
//!
//! Singular values, which must be accurate to their own last places, by the differential quotient-difference
//! algorithm with shifts (Fernando & Parlett, "Accurate singular values and differential qd algorithms", 1994).
//! A step transforms `q` and `e`, the squares of a bidiagonal matrix's elements, into those of a matrix whose
//! squared singular values are less by the shift. A shift that is too large makes one negative, and the step is
//! repeated with a smaller shift.

use super::scale::worse;

/// Off-diagonal elements this small, relative to the value that they split off, count as zero.
const CLOSE: f64 = 16.0 * f64::EPSILON * f64::EPSILON;

/// Maximum number of steps per value; two or three are usual.
const MAX_ITERATIONS: usize = 30;

/// Eigenvalues, ascending, of the symmetric matrix with these diagonal and off-diagonal elements.
pub(super) fn tridiagonal(diagonal: &[f64], beside: &[f64]) -> Option<Vec<f64>> {
    let most = diagonal.iter().chain(beside).fold(0.0, |most, x| worse(most, x.abs()));
    if !most.is_finite() {
        return None;
    }
    // A power of two for which products of three elements are finite.
    let scale = f64::from_bits(most.max(f64::MIN_POSITIVE).to_bits() >> 52 << 52);
    let mut d: Vec<f64> = diagonal.iter().map(|x| x / scale).collect();
    let mut squares: Vec<f64> = beside.iter().map(|x| (x / scale) * (x / scale)).collect();
    // Elements below this change no value by more than a part of the largest one's last place.
    let nothing = (f64::EPSILON / 8.0) * (f64::EPSILON / 8.0);
    let mut steps = MAX_ITERATIONS * d.len();
    let mut begin = 0;
    while begin < d.len() {
        let last = (begin..squares.len()).find(|&i| squares[i] <= nothing).unwrap_or(squares.len());
        if last == begin {
            begin += 1;
            continue;
        }
        steps = steps.checked_sub(1)?;
        let (d, squares) = (&mut d[begin..=last], &mut squares[begin..last]);
        if d[0].abs() > d[last - begin].abs() {
            // Small values converge first.
            d.reverse();
            squares.reverse();
        }
        ql_sweep(d, squares);
    }
    d.sort_by(f64::total_cmp);
    Some(d.into_iter().map(|x| x * scale).collect())
}

/// One QL step from the last row to the first, shifted by the eigenvalue of the first two rows that is nearer
/// the first.
fn ql_sweep(d: &mut [f64], squares: &mut [f64]) {
    let beside = squares[0].sqrt();
    let half = (d[1] - d[0]) / (2.0 * beside);
    let shift = d[0] - beside / (half + half.hypot(1.0).copysign(half));
    let (mut cosine, mut sine) = (1.0, 0.0);
    let mut left = d[squares.len()] - shift;
    let mut square = left * left;
    for i in (0..squares.len()).rev() {
        let (beside, own, before) = (squares[i], d[i], left);
        let sum = square + beside;
        if let Some(next) = squares.get_mut(i + 1) {
            *next = sine * sum;
        }
        // Both quotients at once: they are the critical path from one row to the next.
        let back = sum / square;
        let old = cosine;
        (cosine, sine) = (square / sum, beside / sum);
        left = (square * (own - shift) - beside * before) / sum;
        d[i + 1] = before + (own - left);
        square = if back < f64::INFINITY { left * left * back } else { old * beside };
    }
    squares[0] = sine * square;
    d[0] = shift + left;
}

/// Singular values, ascending, of the bidiagonal matrix with these elements.
pub(super) fn bidiagonal(diagonal: &[f64], beside: &[f64]) -> Option<Vec<f64>> {
    let square = |x: &f64| x * x;
    let values =
        squares(diagonal.iter().map(square).collect(), beside.iter().map(square).collect())?;
    Some(values.into_iter().map(f64::sqrt).collect())
}

/// An unreduced part of the matrix, with its total shift: the rounded sum and its rounding error.
struct Part {
    begin: usize,
    last: usize,
    sum: f64,
    lost: f64,
}

/// The squared singular values, ascending, from squares; the last of `e` is not read.
fn squares(mut q: Vec<f64>, mut e: Vec<f64>) -> Option<Vec<f64>> {
    let Some(last) = q.len().checked_sub(1) else { return Some(q) };
    let most = q.iter().chain(&e).fold(0.0, |most: f64, &x| most.max(x));
    if q.iter().any(|&x| x.is_nan() || x < 0.0) || !most.is_finite() {
        return None;
    }
    let nothing = CLOSE * most / 64.0;
    let mut parts = vec![Part { begin: 0, last, sum: 0.0, lost: 0.0 }];
    let zeros = || vec![0.0; last + 1];
    let mut next = Next { q: zeros(), e: zeros(), least: zeros() };
    while let Some(mut part) = parts.pop() {
        let Part { begin, last, .. } = part;
        if q[last] > 1.5 * q[begin] {
            // Small values converge first, at the end.
            q[begin..=last].reverse();
            e[begin..last].reverse();
        }
        let mut steps = MAX_ITERATIONS * (last - begin + 1);
        let (mut known, mut share) = (false, 0.25);
        loop {
            let small = |e: f64, q: f64| e <= nothing || e <= CLOSE * (part.sum + q);
            while part.last > begin && small(e[part.last - 1], q[part.last]) {
                q[part.last] += part.sum;
                part.last -= 1;
            }
            let last = part.last;
            if last == begin {
                q[begin] += part.sum;
                break;
            }
            let cut = (begin..last - 1).rev().find(|&i| small(e[i], q[i].min(q[i + 1])));
            if let Some(cut) = cut {
                parts.push(Part { last: cut, ..part });
                parts.push(Part { begin: cut + 1, ..part });
                break;
            }
            // The first step estimates the smallest value.
            let mut shift = match known {
                true => guess(&q[begin..=last], &e[begin..last], next.least[last], share),
                false => 0.0,
            };
            known = true;
            while let Err(end) = next.step(&q, &e, begin, last, shift) {
                steps = steps.checked_sub(1)?;
                share = 0.25;
                shift = match end {
                    // The excess of the shift.
                    Some(end) if end > -0.5 * shift => (shift + end) * (1.0 - 4.0 * f64::EPSILON),
                    _ if shift < f64::EPSILON * q[last] => 0.0,
                    _ => shift / 4.0,
                };
            }
            steps = steps.checked_sub(1)?;
            share =
                if next.least[last] < next.q[last] { share + (1.0 - share) / 4.0 } else { 0.25 };
            q[begin..=last].copy_from_slice(&next.q[begin..=last]);
            e[begin..last].copy_from_slice(&next.e[begin..last]);
            part.shifted(shift);
        }
    }
    q.sort_by(f64::total_cmp);
    Some(q)
}

impl Part {
    fn shifted(&mut self, shift: f64) {
        let total = self.sum + shift;
        let added = total - self.sum;
        self.lost += (self.sum - (total - added)) + (shift - added);
        self.sum = total + self.lost;
        self.lost -= self.sum - total;
    }
}

/// The result of a step.
struct Next {
    q: Vec<f64>,
    e: Vec<f64>,
    /// The minimum so far of each `q` before its neighbour was added: an upper bound of the least value.
    least: Vec<f64>,
}

impl Next {
    /// One step on a part. If the shift exceeded a value, returns the last element if all before it were
    /// positive.
    fn step(
        &mut self,
        q: &[f64],
        e: &[f64],
        begin: usize,
        last: usize,
        shift: f64,
    ) -> Result<(), Option<f64>> {
        let mut left = q[begin] - shift;
        let (mut least, mut before) = (left, f64::INFINITY);
        self.least[begin] = least;
        for (i, &beside) in (begin..last).zip(&e[begin..last]) {
            let sum = left + beside;
            let ratio = q[i + 1] / sum;
            (self.q[i], self.e[i]) = (sum, beside * ratio);
            left = left * ratio - shift;
            before = least;
            // NaN is kept, since no comparison with it holds.
            least = if least < left { least } else { left };
            self.least[i + 1] = least;
        }
        self.q[last] = left;
        match (before >= 0.0, least >= 0.0) {
            (true, true) => Ok(()),
            (true, false) => Err((!left.is_nan()).then_some(left)),
            (false, _) => Err(None),
        }
    }
}

/// A shift slightly below the least value: the smaller eigenvalue of the last two rows, less the possible
/// contribution of the row above; or a share of an upper bound.
fn guess(q: &[f64], e: &[f64], least: f64, share: f64) -> f64 {
    let last = q.len() - 1;
    let gap = q[last - 1] + e[last - 1] - q[last];
    if least < 0.999 * q[last] || gap <= 0.0 {
        return least * share;
    }
    let product = q[last] * e[last - 1];
    let value = q[last] - product / (gap / 2.0 + (gap * gap / 4.0 + product).sqrt());
    let gap = q[last - 1] + e[last - 1] - value;
    let above = if last > 1 { q[last - 1] * e[last - 2] * (product / (gap * gap)) } else { 0.0 };
    let shift = value - above.sqrt().min(2.0 * above / gap);
    if shift > 0.0 { shift } else { least / 4.0 }
}
