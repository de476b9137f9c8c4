//! Schur's form of small matrices on the host, in complex numbers: the same bits wherever the large ones are.

use num_complex::Complex;

pub(super) type C = Complex<f64>;

/// Steps of the iteration for one eigenvalue at most; two or three are usual.
const STEPS: usize = 60;

/// Powers at which coefficients of an eigenvector are scaled down.
const LARGE: f64 = 1e100;

/// The absolute value, with the same bits on every system.
pub(super) fn norm(z: C) -> f64 {
    libm::hypot(z.re, z.im)
}

/// The largest absolute value of an element.
pub(super) fn largest(t: &[Vec<C>]) -> f64 {
    t.iter().flatten().fold(0.0, |size: f64, z| size.max(norm(*z)))
}

/// A matrix as `Q T Qᴴ`: `Q` is unitary, and `T` an upper triangle. Both are lists of rows.
pub(super) struct Schur {
    pub(super) t: Vec<Vec<C>>,
    pub(super) q: Vec<Vec<C>>,
}

/// The rotation that takes `(a, b)` to `(r, 0)`: a cosine and a complex sine.
fn rotation(a: C, b: C) -> (f64, C) {
    let size = libm::hypot(norm(a), norm(b));
    match (norm(a) == 0.0, size == 0.0) {
        (_, true) => (1.0, C::ZERO),
        (true, _) => (0.0, b.conj() / norm(b)),
        (false, _) => (norm(a) / size, a / norm(a) * b.conj() / size),
    }
}

/// Rotates the columns `p` and `p + 1` of a matrix.
fn turn_columns(matrix: &mut [Vec<C>], p: usize, (cos, sin): (f64, C)) {
    for row in matrix {
        let (x, y) = (row[p], row[p + 1]);
        (row[p], row[p + 1]) = (x * cos + sin.conj() * y, y * cos - sin * x);
    }
}

impl Schur {
    /// Schur's form of a square matrix, if its elements are finite and the iteration ends.
    pub(super) fn of(matrix: Vec<Vec<C>>) -> Option<Self> {
        let n = matrix.len();
        let one = |i: usize, j: usize| if i == j { C::ONE } else { C::ZERO };
        let q = (0..n).map(|i| (0..n).map(|j| one(i, j)).collect()).collect();
        if matrix.iter().flatten().any(|z| !z.re.is_finite() || !z.im.is_finite()) {
            return None;
        }
        let mut schur = Self { t: matrix, q };
        // Hessenberg's form: one rotation for each element.
        for column in 0..n.saturating_sub(2) {
            for row in (column + 2..n).rev() {
                if schur.t[row][column] != C::ZERO {
                    let turn = rotation(schur.t[row - 1][column], schur.t[row][column]);
                    schur.turn(row - 1, turn);
                    schur.t[row][column] = C::ZERO;
                }
            }
        }
        schur.triangle().then_some(schur)
    }

    /// Rotates rows and columns `p` and `p + 1`.
    fn turn(&mut self, p: usize, (cos, sin): (f64, C)) {
        for column in 0..self.t.len() {
            let (x, y) = (self.t[p][column], self.t[p + 1][column]);
            self.t[p][column] = x * cos + sin * y;
            self.t[p + 1][column] = y * cos - sin.conj() * x;
        }
        turn_columns(&mut self.t, p, (cos, sin));
        turn_columns(&mut self.q, p, (cos, sin));
    }

    /// Makes a triangle of Hessenberg's form by shifted QR steps (Francis 1961); whether it has ended.
    fn triangle(&mut self) -> bool {
        let size = largest(&self.t);
        let mut last = self.t.len().saturating_sub(1);
        let mut steps = 0;
        while last > 0 {
            // An element below the diagonal that is nothing beside its neighbours splits the matrix.
            let mut first = last;
            while first > 0 {
                let t = &self.t;
                let beside = norm(t[first][first]) + norm(t[first - 1][first - 1]);
                let beside = if beside == 0.0 { size } else { beside };
                if norm(t[first][first - 1]) <= f64::EPSILON * beside {
                    self.t[first][first - 1] = C::ZERO;
                    break;
                }
                first -= 1;
            }
            if first == last {
                (last, steps) = (last - 1, 0);
                continue;
            }
            steps += 1;
            if steps > STEPS {
                return false;
            }
            // Every tenth step has another shift: the usual ones may come again and again.
            let t = &self.t;
            let shift = match steps % 10 {
                0 => t[last][last] + norm(t[last][last - 1]),
                _ => wilkinson(t, last),
            };
            let mut pair = (t[first][first] - shift, t[first + 1][first]);
            for p in first..last {
                self.turn(p, rotation(pair.0, pair.1));
                if p > first {
                    self.t[p + 1][p - 1] = C::ZERO;
                }
                if p + 2 <= last {
                    pair = (self.t[p + 1][p], self.t[p + 2][p]);
                }
            }
        }
        true
    }

    /// The eigenvalues, in the order of the diagonal.
    pub(super) fn values(&self) -> Vec<C> {
        (0..self.t.len()).map(|i| self.t[i][i]).collect()
    }

    /// Brings the eigenvalues of these numbers to the front, in this order.
    pub(super) fn bring(&mut self, order: &[usize]) {
        let mut numbers: Vec<usize> = (0..self.t.len()).collect();
        for (to, number) in order.iter().enumerate() {
            let from = numbers.iter().position(|own| own == number).unwrap_or(to);
            for p in (to..from).rev() {
                self.swap(p);
                numbers.swap(p, p + 1);
            }
        }
    }

    /// Exchanges the eigenvalues `p` and `p + 1`.
    fn swap(&mut self, p: usize) {
        let (upper, lower) = (self.t[p][p], self.t[p + 1][p + 1]);
        self.turn(p, rotation(self.t[p][p + 1], lower - upper));
        (self.t[p][p], self.t[p + 1][p + 1]) = (lower, upper);
        self.t[p + 1][p] = C::ZERO;
    }

    /// The eigenvector of the eigenvalue at a place of the diagonal, of unit length.
    pub(super) fn vector(&self, place: usize) -> Vec<C> {
        let size = largest(&self.t);
        let least = (f64::EPSILON * size).max(f64::MIN_POSITIVE);
        let mut inner = vec![C::ZERO; place + 1];
        inner[place] = C::ONE;
        for row in (0..place).rev() {
            let terms = self.t[row][row + 1..].iter().zip(&inner[row + 1..]);
            let rest: C = terms.map(|(a, b)| a * b).sum();
            let apart = self.t[row][row] - self.t[place][place];
            let apart = if norm(apart) < least { C::from(least) } else { apart };
            inner[row] = -rest / apart;
            if norm(inner[row]) > LARGE {
                inner.iter_mut().for_each(|z| *z /= LARGE);
            }
        }
        let of = |row: &Vec<C>| row.iter().zip(&inner).map(|(a, b)| a * b).sum::<C>();
        let vector: Vec<C> = self.q.iter().map(of).collect();
        let length = vector.iter().fold(0.0, |length, z| libm::hypot(length, norm(*z)));
        vector.into_iter().map(|z| z / length).collect()
    }
}

/// The eigenvalue of the last two rows and columns that is nearer to the last element.
fn wilkinson(t: &[Vec<C>], last: usize) -> C {
    let (a, b) = (t[last - 1][last - 1], t[last - 1][last]);
    let (c, d) = (t[last][last - 1], t[last][last]);
    let half = (a - d) * 0.5;
    let root = square_root(half * half + b * c);
    // The sum that does not cancel: the nearer eigenvalue is the product over it.
    let sum = if norm(half + root) >= norm(half - root) { half + root } else { half - root };
    if sum == C::ZERO { d } else { d - b * c / sum }
}

/// A square root, with the same bits on every system.
fn square_root(z: C) -> C {
    let size = norm(z);
    let (re, im) = (((size + z.re) * 0.5).max(0.0).sqrt(), ((size - z.re) * 0.5).max(0.0).sqrt());
    C::new(re, if z.im < 0.0 { -im } else { im })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(a: &[Vec<C>], b: &[Vec<C>]) -> Vec<Vec<C>> {
        let n = a.len();
        let entry = |i: usize, j: usize| (0..n).map(|k| a[i][k] * b[k][j]).sum();
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    }

    fn most(a: impl Iterator<Item = C>) -> f64 {
        a.fold(0.0, |most: f64, z| most.max(norm(z)))
    }

    /// Matrices without symmetry: full ones, a rotation of all axes, and one block of Jordan's form.
    fn matrices() -> Vec<Vec<Vec<C>>> {
        let of = |n: usize, entry: &dyn Fn(usize, usize) -> C| -> Vec<Vec<C>> {
            (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
        };
        vec![
            of(1, &|_, _| C::new(2.0, -1.0)),
            of(9, &|i, j| C::new(((i * 7 + j * 3) % 11) as f64 - 4.0, 0.0)),
            of(12, &|i, j| C::new(((i * 5 + j * j) % 13) as f64, ((i + 2 * j) % 7) as f64)),
            of(8, &|i, j| C::from(f64::from(u8::from((i + 1) % 8 == j)))),
            of(6, &|i, j| C::from(f64::from(u8::from(i == j || i + 1 == j)))),
            of(5, &|_, _| C::ZERO),
        ]
    }

    #[test]
    fn the_triangle_is_that_of_the_matrix_and_may_be_reordered() {
        for a in matrices() {
            let n = a.len();
            let size = most(a.iter().flatten().copied()).max(1e-300) * n as f64;
            let mut schur = Schur::of(a.clone()).expect("a triangle");
            let before = schur.values();
            schur.bring(&(0..n).rev().collect::<Vec<_>>());
            for (now, before) in schur.values().iter().rev().zip(&before) {
                assert!(norm(now - before) <= 1e-14 * size, "{now} {before}");
            }
            let adjoint: Vec<Vec<C>> =
                (0..n).map(|i| (0..n).map(|j| schur.q[j][i].conj()).collect()).collect();
            let unit = product(&schur.q, &adjoint);
            for (i, row) in unit.iter().enumerate() {
                let off = row.iter().enumerate();
                let off = off.map(|(j, z)| z - if i == j { C::ONE } else { C::ZERO });
                assert!(most(off) < 1e-13, "row {i} of {n}");
            }
            let back = product(&product(&schur.q, &schur.t), &adjoint);
            let apart = back.iter().flatten().zip(a.iter().flatten()).map(|(x, y)| x - y);
            assert!(most(apart) <= 1e-13 * size, "{n}");
            let below = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
            assert!(most(below.map(|(i, j)| schur.t[i][j])) <= 1e-14 * size, "{n}");
            for place in 0..n {
                let (value, vector) = (schur.values()[place], schur.vector(place));
                let image = |row: &Vec<C>| row.iter().zip(&vector).map(|(a, b)| a * b).sum::<C>();
                let apart = a.iter().zip(&vector).map(|(row, x)| image(row) - value * x);
                assert!(most(apart) <= 1e-13 * size, "{place} of {n}");
            }
        }
    }

    #[test]
    fn what_is_not_finite_has_no_triangle() {
        assert!(Schur::of(vec![vec![C::from(f64::NAN)]]).is_none());
    }
}
