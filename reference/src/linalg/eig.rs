//! Eigenvalues of any square matrix: Hessenberg's form by Householder's reflections, then QR steps with Wilkinson's shift
//! on the complex triangle (Golub & Van Loan, "Matrix Computations", 7.4 to 7.6); vectors by substitution backwards.

use num_complex::Complex64 as C;

use super::{Dense, MAX_ITERATIONS, dot, largest, length};

/// Eigenvalues, and the vectors in columns (an empty matrix where none are wanted); nothing for NaN and infinities.
/// Those of a real matrix that are real to within its roundings are made so, and their vectors real.
pub(super) fn eig(a: Dense, vectors: bool, real: bool) -> Option<(Vec<C>, Dense)> {
    let n = a.rows;
    let (mut t, scale) = a.scaled()?;
    let mut q = Dense::identity(n);
    hessenberg(&mut t, &mut q);
    triangle(&mut t, &mut q)?;
    let mut values: Vec<C> = (0..n).map(|i| t[(i, i)]).collect();
    if real {
        // What is so near to the axis that roundings may have moved it there stands on it.
        let near = 1e3 * f64::EPSILON * n as f64;
        for value in &mut values {
            if value.im.abs() <= near {
                value.im = 0.0;
            }
        }
    }
    let pairs = if real { pair(&mut values) } else { Vec::new() };
    let mut sought = Dense::zeros(0, 0);
    if vectors {
        sought = Dense::zeros(n, n);
        for j in 0..n {
            let mut x = q.times(&Dense::new(n, 1, substitute(&t, j))).at;
            if real && values[j].im == 0.0 {
                // Turned so that its largest element is real; then the rest is, too.
                let most = x
                    .iter()
                    .copied()
                    .fold(C::ZERO, |most, x| if x.norm_sqr() > most.norm_sqr() { x } else { most });
                let turn = most.conj() / most.norm();
                x.iter_mut().for_each(|x| *x = C::from((*x * turn).re));
            }
            let size = length(&x);
            x.iter().enumerate().for_each(|(i, x)| sought[(i, j)] = x / size);
        }
    }
    for (one, other) in pairs.into_iter().filter(|_| vectors) {
        (0..n).for_each(|i| sought[(i, other)] = sought[(i, one)].conj());
    }
    values.iter_mut().for_each(|value| *value *= scale);
    Some((values, sought))
}

/// Complex eigenvalues of a real matrix come in pairs: each above the axis and the one nearest to its mirror image,
/// which is made that image.
fn pair(values: &mut [C]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for one in (0..values.len()).filter(|&one| values[one].im > 0.0) {
        let image = values[one].conj();
        let free = |&other: &usize| {
            values[other].im < 0.0 && pairs.iter().all(|&(_, taken)| taken != other)
        };
        let apart = |other: usize| (values[other] - image).norm();
        let nearest = (0..values.len()).filter(free).min_by(|&p, &q| apart(p).total_cmp(&apart(q)));
        pairs.extend(nearest.map(|other| (one, other)));
    }
    pairs.iter().for_each(|&(one, other)| values[other] = values[one].conj());
    pairs
}

/// Zeros below the first subdiagonal: `a` becomes `qʰ a q`.
fn hessenberg(a: &mut Dense, q: &mut Dense) {
    let n = a.rows;
    for k in 0..n.saturating_sub(2) {
        let mut v: Vec<C> = (k + 1..n).map(|i| a[(i, k)]).collect();
        let norm = length(&v);
        if length(&v[1..]) == 0.0 {
            continue;
        }
        let phase = if v[0] == C::ZERO { C::ONE } else { v[0] / v[0].norm() };
        v[0] += phase * norm;
        let size = length(&v);
        v.iter_mut().for_each(|x| *x /= size);
        for j in 0..n {
            let below: Vec<C> = (k + 1..n).map(|i| a[(i, j)]).collect();
            let part = dot(&v, &below) * 2.0;
            v.iter().enumerate().for_each(|(i, v)| a[(k + 1 + i, j)] -= part * v);
        }
        for matrix in [&mut *a, &mut *q] {
            for i in 0..n {
                let part: C = v.iter().enumerate().map(|(j, v)| matrix[(i, k + 1 + j)] * v).sum();
                for (j, v) in v.iter().enumerate() {
                    matrix[(i, k + 1 + j)] -= part * 2.0 * v.conj();
                }
            }
        }
        (k + 2..n).for_each(|i| a[(i, k)] = C::ZERO);
    }
}

/// Schur's triangle out of Hessenberg's form.
fn triangle(t: &mut Dense, q: &mut Dense) -> Option<()> {
    let n = t.rows;
    let mut last = n.saturating_sub(1);
    let mut steps = 0;
    while last > 0 {
        // A subdiagonal element that is nothing beside its neighbours splits the matrix.
        let mut first = last;
        while first > 0 {
            let beside = t[(first, first)].norm() + t[(first - 1, first - 1)].norm();
            let beside = if beside == 0.0 { 1.0 } else { beside };
            if t[(first, first - 1)].norm() <= f64::EPSILON * beside {
                t[(first, first - 1)] = C::ZERO;
                break;
            }
            first -= 1;
        }
        if first == last {
            last -= 1;
            steps = 0;
            continue;
        }
        steps += 1;
        if steps > MAX_ITERATIONS {
            return None;
        }
        let shift = match steps % 10 {
            // Where it goes round in circles, another one.
            0 => t[(last, last)] + t[(last, last - 1)].norm(),
            _ => wilkinson(t, last),
        };
        step(t, q, first, last, shift);
    }
    Some(())
}

/// The eigenvalue of the last two rows and columns that is nearer to the last element.
fn wilkinson(t: &Dense, last: usize) -> C {
    let (a, b) = (t[(last - 1, last - 1)], t[(last - 1, last)]);
    let (c, d) = (t[(last, last - 1)], t[(last, last)]);
    let half = (a - d) * 0.5;
    let root = (half * half + b * c).sqrt();
    let [one, other] = [d + half + root, d + half - root];
    if (one - d).norm() < (other - d).norm() { one } else { other }
}

/// One step by rotations of neighbouring rows and columns.
fn step(t: &mut Dense, q: &mut Dense, first: usize, last: usize, shift: C) {
    let n = t.rows;
    (first..=last).for_each(|i| t[(i, i)] -= shift);
    let mut rotations = Vec::new();
    for k in first..last {
        let (x, y) = (t[(k, k)], t[(k + 1, k)]);
        let size = length(&[x, y]);
        let (c, s) = if size == 0.0 { (C::ONE, C::ZERO) } else { (x / size, y / size) };
        for j in k..n {
            let (x, y) = (t[(k, j)], t[(k + 1, j)]);
            t[(k, j)] = c.conj() * x + s.conj() * y;
            t[(k + 1, j)] = c * y - s * x;
        }
        rotations.push((c, s));
    }
    for (k, (c, s)) in (first..last).zip(rotations) {
        for (matrix, rows) in [(&mut *t, (k + 2).min(last + 1)), (&mut *q, n)] {
            for i in 0..rows {
                let (x, y) = (matrix[(i, k)], matrix[(i, k + 1)]);
                matrix[(i, k)] = x * c + y * s;
                matrix[(i, k + 1)] = y * c.conj() - x * s.conj();
            }
        }
    }
    (first..=last).for_each(|i| t[(i, i)] += shift);
}

/// The eigenvector of a triangle for the value at this place of its diagonal.
fn substitute(t: &Dense, at: usize) -> Vec<C> {
    let mut x = vec![C::ZERO; t.rows];
    x[at] = C::ONE;
    let least = f64::EPSILON * largest(&t.at).max(f64::MIN_POSITIVE);
    for i in (0..at).rev() {
        let known: C = (i + 1..=at).map(|k| t[(i, k)] * x[k]).sum();
        let apart = t[(at, at)] - t[(i, i)];
        // Equal eigenvalues: as LAPACK, a little apart.
        x[i] = known / if apart.norm() < least { C::from(least) } else { apart };
        // Each of many equal ones makes it larger by as much: what has grown is made small in time.
        let size = x[i].norm();
        if size > 1e100 {
            x[i..=at].iter_mut().for_each(|x| *x /= size);
        }
    }
    x
}
