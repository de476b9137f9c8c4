//! Eigenvalues and vectors of a small real matrix, in doubles: Hessenberg form by rotations, Schur form by
//! Francis double shifts, vectors by substitution (Golub & Van Loan, "Matrix Computations", 7.4 to 7.6).
//!
//! With so few rows no vector overflows a double. Deliberately absent: balancing, and complex matrices.

use num_complex::Complex64;

/// Maximum number of steps per value; two or three are usual.
const MAX_ITERATIONS: usize = 30;

/// A matrix during its reduction to Schur form.
pub(super) struct Schur {
    n: usize,
    /// In row order.
    h: Vec<f64>,
    /// The basis, one contiguous vector after the other; empty if no vectors are wanted.
    basis: Vec<f64>,
    values: Vec<Complex64>,
}

impl Schur {
    /// The Schur form of a row-order matrix whose largest element is about 1; `None` if the iteration does
    /// not converge.
    pub(super) fn of(h: Vec<f64>, n: usize, vectors: bool) -> Option<Self> {
        let mut basis = vec![0.0; if vectors { n * n } else { 0 }];
        basis.iter_mut().step_by(n + 1).for_each(|x| *x = 1.0);
        let mut schur = Self { n, h, basis, values: vec![Complex64::ZERO; n] };
        for k in 0..n.saturating_sub(2) {
            for i in k + 2..n {
                let x = [schur.h[(k + 1) * n + k], schur.h[i * n + k]];
                schur.rotate(x, [k + 1, i], k);
                schur.h[i * n + k] = 0.0;
            }
        }
        schur.iterate()?;
        Some(schur)
    }

    /// Eigenvalues. Of a complex pair, the one with positive imaginary part comes first.
    pub(super) fn values(&self) -> &[Complex64] {
        &self.values
    }

    /// Rotates two rows and columns so that `x` becomes a multiple of the first axis.
    fn rotate(&mut self, x: [f64; 2], [p, q]: [usize; 2], from: usize) {
        let n = self.n;
        let length = (x[0] * x[0] + x[1] * x[1]).sqrt();
        if length == 0.0 {
            return;
        }
        let (c, s) = (x[0] / length, x[1] / length);
        let rotate = |x: &mut f64, y: &mut f64| (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
        let (above, below) = self.h.split_at_mut(q * n);
        let rows = above[p * n + from..][..n - from].iter_mut().zip(&mut below[from..n]);
        rows.for_each(|(x, y)| rotate(x, y));
        for row in self.h.chunks_exact_mut(n) {
            let (left, right) = row.split_at_mut(q);
            rotate(&mut left[p], &mut right[0]);
        }
        if !self.basis.is_empty() {
            let (before, after) = self.basis.split_at_mut(q * n);
            before[p * n..][..n].iter_mut().zip(after).for_each(|(x, y)| rotate(x, y));
        }
    }

    /// Reflects adjacent rows, and columns down to a last row, so that `x` becomes a multiple of the first
    /// axis.
    fn reflect<const K: usize>(&mut self, x: [f64; K], first: usize, last: usize) {
        let n = self.n;
        let most = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if x[1..].iter().all(|&x| x == 0.0) || most == 0.0 {
            return;
        }
        let length = x.iter().map(|x| (x / most) * (x / most)).sum::<f64>().sqrt() * most;
        let pivot = -length.copysign(x[0]);
        let apart = x[0] - pivot;
        // I - v wᵗ, which equals its transpose.
        let (mut v, mut w) = (x.map(|x| x / apart), x.map(|x| -x / pivot));
        (v[0], w[0]) = (1.0, -apart / pivot);
        along(&mut self.h[first * n..], n, first.saturating_sub(1), &v, &w);
        for row in self.h[..(last + 1) * n].chunks_exact_mut(n) {
            let row = &mut row[first..first + K];
            let sum: f64 = row.iter().zip(&w).map(|(x, w)| x * w).sum();
            row.iter_mut().zip(&v).for_each(|(x, v)| *x -= sum * v);
        }
        if !self.basis.is_empty() {
            along(&mut self.basis[first * n..], n, 0, &v, &w);
        }
    }

    /// Iterates to the Schur form: a triangle except for 2x2 blocks with complex values.
    fn iterate(&mut self) -> Option<()> {
        let n = self.n;
        let (mut end, mut steps) = (n, 0);
        while end > 0 {
            let hi = end - 1;
            let at = |i: usize, j: usize| self.h[i * n + j];
            let mut lo = hi;
            while lo > 0 {
                let beside = at(lo - 1, lo - 1).abs() + at(lo, lo).abs();
                let beside = if beside == 0.0 { 1.0 } else { beside };
                if at(lo, lo - 1).abs() <= f64::EPSILON * beside {
                    break;
                }
                lo -= 1;
            }
            if lo > 0 {
                self.h[lo * n + lo - 1] = 0.0;
            }
            if lo == hi {
                self.values[hi] = Complex64::from(self.h[hi * n + hi]);
                (end, steps) = (hi, 0);
            } else if lo + 1 == hi {
                self.pair(lo);
                (end, steps) = (lo, 0);
            } else {
                steps += 1;
                if steps > MAX_ITERATIONS {
                    return None;
                }
                self.step(lo, hi, steps % 10 == 0);
            }
        }
        Some(())
    }

    /// One step on the rows `lo..=hi`, shifted by the eigenvalues of the last two, or by other numbers if
    /// those cycle.
    fn step(&mut self, lo: usize, hi: usize, other: bool) {
        let n = self.n;
        let at = |i: usize, j: usize| self.h[i * n + j];
        let (mut sum, mut product) = (
            at(hi - 1, hi - 1) + at(hi, hi),
            at(hi - 1, hi - 1) * at(hi, hi) - at(hi - 1, hi) * at(hi, hi - 1),
        );
        if other {
            let size = at(hi, hi - 1).abs() + at(hi - 1, hi - 2).abs();
            (sum, product) = (1.5 * size, size * size);
        }
        let (first, below) = (at(lo, lo), at(lo + 1, lo));
        let mut x = [
            first * (first - sum) + product + at(lo, lo + 1) * below,
            below * (first + at(lo + 1, lo + 1) - sum),
            below * at(lo + 2, lo + 1),
        ];
        for k in lo..hi - 1 {
            self.reflect(x, k, hi.min(k + 3));
            if k > lo {
                (self.h[(k + 1) * n + k - 1], self.h[(k + 2) * n + k - 1]) = (0.0, 0.0);
            }
            let below = |i: usize| if i <= hi { self.h[i * n + k] } else { 0.0 };
            x = [below(k + 1), below(k + 2), below(k + 3)];
        }
        self.reflect([x[0], x[1]], hi - 1, hi);
        self.h[hi * n + hi - 2] = 0.0;
    }

    /// The values of a 2x2 block, which becomes a triangle if they are real.
    fn pair(&mut self, p: usize) {
        let (n, q) = (self.n, p + 1);
        let [a, b] = [self.h[p * n + p], self.h[p * n + q]];
        let [c, d] = [self.h[q * n + p], self.h[q * n + q]];
        let half = (a - d) / 2.0;
        let square = half * half + b * c;
        if square < 0.0 {
            let value = Complex64::new(d + half, (-square).sqrt());
            (self.values[p], self.values[q]) = (value, value.conj());
            return;
        }
        let apart = half + square.sqrt().copysign(half);
        self.rotate([apart, c], [p, q], p);
        self.h[q * n + p] = 0.0;
        for i in [p, q] {
            self.values[i] = Complex64::from(self.h[i * n + i]);
        }
    }

    /// The eigenvector of value `j`, not normalized. The conjugate value has the conjugate vector.
    pub(super) fn vector(&self, j: usize) -> Vec<Complex64> {
        let n = self.n;
        let at = |i: usize, j: usize| self.h[i * n + j];
        let value = self.values[j];
        let mut x = vec![Complex64::ZERO; n];
        x[j] = Complex64::ONE;
        let mut end = j;
        if value.im != 0.0 {
            // The first of the two rows is j; the element below is not zero.
            x[j] = (value - at(j + 1, j + 1)) / at(j + 1, j);
            x[j + 1] = Complex64::ONE;
        }
        let last = if value.im != 0.0 { j + 1 } else { j };
        // Equal values are perturbed, as in LAPACK.
        let least = f64::EPSILON;
        let some =
            |x: Complex64| if x.norm_sqr() < least * least { Complex64::from(least) } else { x };
        while end > 0 {
            let i = end - 1;
            let known = |i: usize| (end..=last).map(|k| x[k] * at(i, k)).sum::<Complex64>();
            if self.values[i].im == 0.0 {
                x[i] = -known(i) / some(at(i, i) - value);
                end = i;
            } else {
                let (p, q) = (i - 1, i);
                let (a, d) = (at(p, p) - value, at(q, q) - value);
                let (b, c) = (at(p, q), at(q, p));
                let (r, s) = (known(p), known(q));
                let size = some(a * d - b * c);
                (x[p], x[q]) = ((s * b - r * d) / size, (r * c - s * a) / size);
                end = p;
            }
        }
        let mut whole = vec![Complex64::ZERO; n];
        for (basis, x) in self.basis.chunks_exact(n).zip(&x[..=last]) {
            whole.iter_mut().zip(basis).for_each(|(to, basis)| *to += x * basis);
        }
        whole
    }
}

/// `a -= v wᵗ a`, on the first rows, from a column on.
fn along<const K: usize>(a: &mut [f64], n: usize, begin: usize, v: &[f64; K], w: &[f64; K]) {
    for j in begin..n {
        let sum: f64 = (0..K).map(|k| w[k] * a[k * n + j]).sum();
        (0..K).for_each(|k| a[k * n + j] -= v[k] * sum);
    }
}
