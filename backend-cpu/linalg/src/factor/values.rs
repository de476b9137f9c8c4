//! Values alone, of matrices that two diagonals are left of: the differential quotient-difference algorithm with shifts
//! (Fernando & Parlett, "Accurate singular values and differential qd algorithms", 1994), in doubles.
//!
//! A step makes of `q` and `e`, the squares of a bidiagonal matrix's elements, those of another whose squared singular
//! values are less by the shift; where that was too much, one comes out negative, and the step is tried with a smaller
//! shift. Nothing is done about vectors; where the steps do not converge it says so, and somebody else has to iterate.

/// Elements beside the diagonal that are this small, beside the value that they split off, are nothing.
const CLOSE: f64 = 16.0 * f64::EPSILON * f64::EPSILON;

/// Steps for each value: two or three are usual.
const PATIENCE: usize = 30;

/// Eigenvalues, ascending, of the symmetric matrix with this diagonal and these elements beside it.
pub(super) fn tridiagonal(diagonal: &[f64], beside: &[f64]) -> Option<Vec<f64>> {
    let n = diagonal.len();
    let next = |i: usize| beside.get(i).map_or(0.0, |x| x.abs());
    let discs = || (0..n).map(|i| (diagonal[i], next(i) + if i > 0 { next(i - 1) } else { 0.0 }));
    let most = discs().fold(0.0, |most, (center, radius)| f64::max(most, center.abs() + radius));
    let least = discs().fold(most, |least, (center, radius)| least.min(center - radius));
    // Below all of them, so that what is left is positive.
    let least = least - most * f64::EPSILON * n as f64;
    let (mut q, mut e) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut before = 0.0;
    for (i, own) in diagonal.iter().enumerate() {
        let own = own - least - before;
        before = if next(i) == 0.0 { 0.0 } else { next(i) * (next(i) / own) };
        q.push(own);
        e.push(before);
    }
    let values = squares(q, e)?;
    Some(values.into_iter().map(|x| x + least).collect())
}

/// Singular values, ascending, of the bidiagonal matrix with these elements.
pub(super) fn bidiagonal(diagonal: &[f64], beside: &[f64]) -> Option<Vec<f64>> {
    let square = |x: &f64| x * x;
    let values =
        squares(diagonal.iter().map(square).collect(), beside.iter().map(square).collect())?;
    Some(values.into_iter().map(f64::sqrt).collect())
}

/// A part whose elements beside the diagonal are something, and by how much all of it has been shifted: rounded, and what
/// that lost.
struct Part {
    begin: usize,
    last: usize,
    sum: f64,
    lost: f64,
}

/// The squared singular values, ascending, from squares; the last of `e` is not looked at.
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
            // Small values come out first, and at the end.
            q[begin..=last].reverse();
            e[begin..last].reverse();
        }
        let mut steps = PATIENCE * (last - begin + 1);
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
            // The first step shows how small the values are.
            let mut shift = match known {
                true => guess(&q[begin..=last], &e[begin..last], next.least[last], share),
                false => 0.0,
            };
            known = true;
            while let Err(end) = next.step(&q, &e, begin, last, shift) {
                steps = steps.checked_sub(1)?;
                share = 0.25;
                shift = match end {
                    // By how much it was too much.
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

/// What a step makes.
struct Next {
    q: Vec<f64>,
    e: Vec<f64>,
    /// The least of what was left of each `q` up to here, before its neighbour was added: no value is larger.
    least: Vec<f64>,
}

impl Next {
    /// One step on a part. Where the shift was larger than a value, what came out in the end if all before was positive.
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
            // NaN stays: nothing is less.
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

/// A shift that is hardly more than the least value: the lesser one of the last two rows, less what the row above can take
/// from it; or a share of what no value is above.
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
