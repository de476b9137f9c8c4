//! Eigenvalues of operators without symmetry by the method of Krylov and Schur (Stewart 2001).

use ndany_array::{Array, Complex64, DType, Error, Result, concatenate, s};

use super::eigsh::{Spectrum, Start, Which, random};
use super::schur::{C, Schur, largest, norm};
use super::{Operator, combinations, inner, length, less, rows_of_zeros, run, scaled, square};

/// Products with an inverse before the first vector.
const INVERSIONS: usize = 2;

/// Restarts that find nothing but rounding, after which it ends.
const ROUNDED: usize = 10;

/// What an operator may have beside a space that it maps to itself, in roundings of its norm.
const ROUNDINGS: f64 = 100.0;

/// Returns `k` eigenvalues of an operator, the most wanted first, and their vectors in columns, as `scipy.sparse.linalg.eigs`.
///
/// The basis is made as in [`eigsh`](fn@super::eigsh); of a real operator it stays real, and complex eigenvalues come in pairs, of
/// which the last one may be alone. With [`Spectrum::sigma`] they are those of the inverse, and with [`Spectrum::m`] those of
/// `A x = λ M x`; vectors have unit length.
///
/// - **Shapes**: `(n, n) → (k,), (n, k)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64. Eigenvalues and vectors are complex.
/// - **Errors**: an operator that is not square, `k` not from 1 to `n - 1`, an `M` without a solver, no convergence.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::sparse::linalg::{Spectrum, Which, eigs};
/// let a = sparse::csr_array(&array([[0.0, -2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), ..);
/// let (values, vectors) = eigs(&a, 2, ..)?;
/// assert_eq!((format!("{:.4}", values.abs()), vectors.shape()), ("[2. 2.]".into(), &[3, 2][..]));
/// let (values, _) = eigs(&a, 1, Spectrum::new().which(Which::Largest))?;
/// assert_eq!(format!("{:.4}", values.real()), "[1.]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn eigs(a: &impl Operator, k: usize, options: impl Into<Spectrum>) -> Result<(Array, Array)> {
    let options = options.into();
    let dtype = options.dtype(a.dtype());
    let sigma = options.shifted.as_ref().map(|(sigma, _)| *sigma);
    options.with_operator("eigs", a, |operator| {
        let is_complex =
            operator.dtype().is_complex() || sigma.is_some_and(|sigma| sigma.im != 0.0);
        let dtype = if is_complex { DType::promote(dtype, DType::C64) } else { dtype };
        krylov_schur(operator, k, dtype, &options, |theta| match sigma {
            None => theta,
            Some(sigma) => sigma + theta.inv(),
        })
    })
}

#[track_caller]
fn krylov_schur(
    a: &dyn Operator,
    k: usize,
    dtype: DType,
    options: &Spectrum,
    value_of: impl Fn(C) -> C,
) -> Result<(Array, Array)> {
    const OP: &str = "eigs";
    let Start { n, ncv, epsilon, mut rng, mut first } = options.start(OP, a, k, dtype, 20)?;
    let is_real = !dtype.is_complex();
    let tol = options.tol.max(epsilon);
    // An inverse may be far larger on any vector than on those that it returns: the error of the first columns would stay.
    for _ in 0..if options.shifted.is_some() { INVERSIONS } else { 0 } {
        let next = a.matvec(&first).astype(dtype);
        first = &next / length(&next);
        run(&[&first])?;
    }
    // Written row by row, in place: nothing else holds it then.
    let mut basis = rows_of_zeros(ncv + 1, &first);
    basis.set(s![0, ..], first);
    // The operator between the vectors of the basis: column `j` is its value of vector `j`.
    let mut t = vec![vec![C::ZERO; ncv]; ncv];
    let mut kept = 0;
    let maxiter = options.maxiter.unwrap_or(10 * n).max(1);
    let least = libm::pow(epsilon, 2.0 / 3.0);
    let mut rounded = 0;
    for _ in 0..maxiter {
        let mut last = 0.0;
        while kept < ncv {
            let columns = extend(a, &mut basis, kept, ncv)?;
            let mut size = largest(&t);
            for column in columns {
                let j = kept;
                kept += 1;
                if column.iter().any(|z| !z.re.is_finite() || !z.im.is_finite()) {
                    return Err(Error::Convergence { op: OP, steps: kept });
                }
                size = column.iter().fold(size, |size, z| size.max(norm(*z)));
                for (row, value) in column[..=j].iter().enumerate() {
                    t[row][j] = *value;
                }
                // The element below the diagonal ends a column.
                last = column[kept].re;
                if last <= epsilon * size * 8.0 {
                    // The basis is invariant: it goes on with any other vector.
                    last = 0.0;
                    let own = basis.i(s![..kept as isize, ..]);
                    let more = match kept < n {
                        true => random(n, dtype, &mut rng, Some(&own), None)?,
                        false => own.i(s![0, ..]).zeros_like(),
                    };
                    run(&[&more])?;
                    drop(own);
                    basis.set(s![kept, ..], more);
                    break;
                }
                if kept < ncv {
                    t[kept][j] = C::from(last);
                }
            }
        }
        let Some(mut schur) = Schur::of(t.clone()) else {
            return Err(Error::Convergence { op: OP, steps: kept });
        };
        let size = norm_of(&t);
        let mut groups = wanted(&schur.values(), options.which, is_real);
        for pair in groups.iter_mut().filter(|group| group.len() == 2) {
            // The upper one of what they stand for comes first.
            pair.sort_by(|&a, &b| {
                let [a, b] = [a, b].map(|i| value_of(schur.t[i][i]).im);
                b.total_cmp(&a)
            });
        }
        let order = groups.concat();
        schur.bring(&order);
        let values = schur.values();
        let vectors: Vec<Vec<C>> = (0..k).map(|place| schur.vector(place)).collect();
        let error = |place: usize| last * norm(vectors[place][ncv - 1]);
        // ARPACK's bound; where rounding of the operator hides it, what rounding leaves is the least that some restarts reach.
        let is_good = |place: usize| error(place) <= tol * norm(values[place]).max(least);
        let is_rounding = (0..k).all(|place| error(place) <= epsilon * size);
        rounded = if is_rounding { rounded + 1 } else { 0 };
        if (0..k).all(is_good) || rounded > ROUNDED {
            let found: Vec<Complex64> = values[..k].iter().map(|&value| value_of(value)).collect();
            let complex = DType::promote(dtype, DType::C64);
            let small = matrix(&vectors, &basis).astype(complex);
            let x = combinations(&small, &basis.i(s![..ncv as isize, ..])).t();
            let _guard = basis.device().enter();
            let found = Array::from(found.as_slice()).astype(complex);
            run(&[&x, &found])?;
            return Ok((found, x));
        }
        // More are kept than asked for, so that the next ones do not hold them back.
        let count = (k + (ncv - k) / 2).min(ncv - 1).max(k);
        let rows = space(&t, &schur, count, is_real);
        let rotate = |rows: &[Vec<C>], basis: &Array| {
            combinations(&matrix(rows, basis).astype(dtype), &basis.i(s![..ncv as isize, ..]))
        };
        let like = basis.i(s![0, ..]);
        match rows {
            Some(rows) => {
                kept = rows.len();
                let rest = rows_of_zeros(ncv - kept, &like);
                let next = basis.i(s![ncv, ..]).reshape((1, n));
                basis = concatenate([&rotate(&rows, &basis), &next, &rest], 0);
                t = project(&t, &rows);
                for (column, row) in rows.iter().enumerate() {
                    t[kept][column] = row[ncv - 1] * last;
                }
            }
            None => {
                // Conjugates cannot be told apart: it starts again from the sum of what is wanted.
                kept = 0;
                let part =
                    |row: usize| C::from(vectors.iter().map(|vector| vector[row].re).sum::<f64>());
                let first = rotate(&[(0..ncv).map(part).collect()], &basis);
                let first = &first / length(&first.ravel());
                basis = concatenate([&first, &rows_of_zeros(ncv, &like)], 0);
                t = vec![vec![C::ZERO; ncv]; ncv];
            }
        }
        drop(like);
        run(&[&basis])?;
    }
    Err(Error::Convergence { op: OP, steps: maxiter })
}

/// Continues a basis of `begin` vectors and the one after them up to `ncv`: the columns of the operator between them, each of which
/// ends with the length of what is left.
#[track_caller]
fn extend(a: &dyn Operator, basis: &mut Array, begin: usize, ncv: usize) -> Result<Vec<Vec<C>>> {
    let dtype = basis.dtype();
    let mut columns: Vec<Array> = Vec::new();
    for j in begin..ncv {
        let mut w = a.matvec(&basis.i(s![j, ..])).astype(dtype);
        run(&[&w])?;
        let mut h: Option<Array> = None;
        for _ in 0..2 {
            let own = basis.i(s![..j as isize + 1, ..]);
            let part = inner(&own, &w);
            run(&[&part])?;
            w = less(&w, &part, &own)?;
            h = Some(h.map_or(part.clone(), |h| h + &part));
        }
        let square = square(&w);
        run(&[&square])?;
        let size = square.sqrt().astype(dtype).reshape(1);
        let column = h.map_or(size.clone(), |h| concatenate([&h, &size], 0));
        run(&[&column])?;
        basis.set(s![j + 1, ..], scaled(&w, &square));
        columns.push(column);
    }
    let read: Vec<Complex64> = concatenate(&columns, 0).astype(DType::C128).to_vec()?;
    let mut read = read.into_iter();
    Ok((begin..ncv).map(|j| read.by_ref().take(j + 2).collect()).collect())
}

/// Rows of numbers on the device of a basis.
#[track_caller]
fn matrix(rows: &[Vec<C>], basis: &Array) -> Array {
    let flat: Vec<Complex64> = rows.iter().flatten().copied().collect();
    let _guard = basis.device().enter();
    let matrix = Array::from(flat.as_slice()).reshape((rows.len(), rows[0].len()));
    if basis.dtype().is_complex() || flat.iter().any(|z| z.im != 0.0) {
        return matrix;
    }
    matrix.real()
}

/// Frobenius' norm.
fn norm_of(t: &[Vec<C>]) -> f64 {
    t.iter().flatten().fold(0.0, |size, z| libm::hypot(size, norm(*z)))
}

/// The numbers of eigenvalues, the most wanted first. Of a real operator conjugates are one group.
fn wanted(values: &[C], which: Which, is_real: bool) -> Vec<Vec<usize>> {
    let key = |z: C| match which {
        Which::LargestMagnitude => -norm(z),
        Which::SmallestMagnitude => norm(z),
        Which::Largest => -z.re,
        Which::Smallest => z.re,
        // A real operator has pairs.
        Which::LargestImaginary if is_real => -z.im.abs(),
        Which::SmallestImaginary if is_real => z.im.abs(),
        Which::LargestImaginary => -z.im,
        Which::SmallestImaginary => z.im,
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut is_taken = vec![false; values.len()];
    // The farthest from the real axis first: their conjugates are the most certain ones.
    let mut numbers: Vec<usize> = (0..values.len()).collect();
    numbers.sort_by(|&a, &b| values[b].im.abs().total_cmp(&values[a].im.abs()));
    for &i in &numbers {
        if std::mem::replace(&mut is_taken[i], true) {
            continue;
        }
        let mut group = vec![i];
        let apart = |&j: &usize| norm(values[j] - values[i].conj());
        let others = numbers.iter().copied().filter(|&j| is_real && !is_taken[j]);
        // A value that is nearer to its own conjugate is real but for rounding.
        let nearest = others.min_by(|a, b| apart(a).total_cmp(&apart(b)));
        if let Some(j) = nearest.filter(|j| apart(j) < values[i].im.abs()) {
            is_taken[j] = true;
            group.push(j);
        }
        groups.push(group);
    }
    groups.sort_by(|a, b| key(values[a[0]]).total_cmp(&key(values[b[0]])));
    groups
}

/// An orthonormal basis, in rows of coefficients, of a space of about `count` dimensions that the operator maps to itself: that of the
/// first eigenvalues. Of a real operator it is real, if there is one that parts no conjugates.
fn space(t: &[Vec<C>], schur: &Schur, count: usize, is_real: bool) -> Option<Vec<Vec<C>>> {
    let ncv = t.len();
    let vector = |place: usize| schur.q.iter().map(|row| row[place]).collect::<Vec<C>>();
    if !is_real {
        return Some((0..count).map(vector).collect());
    }
    let most = ROUNDINGS * f64::EPSILON * norm_of(t);
    let near = [count, count + 1, count.saturating_sub(1), count + 2];
    near.into_iter().filter(|count| (1..ncv).contains(count)).find_map(|count| {
        let rows = real_space(&(0..count).map(vector).collect::<Vec<_>>());
        let small = project(t, &rows);
        let is_within = rows.iter().enumerate().all(|(j, row)| {
            let rest = t.iter().enumerate().map(|(at, own)| {
                let along: C = rows.iter().enumerate().map(|(i, row)| row[at] * small[i][j]).sum();
                own.iter().zip(row).map(|(a, b)| a * b).sum::<C>() - along
            });
            rest.fold(0.0, |size, z| libm::hypot(size, norm(z))) <= most
        });
        is_within.then_some(rows)
    })
}

/// As many real vectors that span the real and the imaginary parts of these, if these are a space of conjugates; by Gram's and
/// Schmidt's method with pivots.
fn real_space(vectors: &[Vec<C>]) -> Vec<Vec<C>> {
    let part = |of: fn(&C) -> f64| vectors.iter().map(move |v| v.iter().map(of).collect());
    let mut parts: Vec<Vec<f64>> = part(|z| z.re).chain(part(|z| z.im)).collect();
    let size = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for _ in vectors {
        let Some(longest) = (0..parts.len())
            .max_by(|&a, &b| size(&parts[a]).total_cmp(&size(&parts[b])))
            .filter(|&place| size(&parts[place]) > 0.0)
        else {
            break;
        };
        let mut own = parts[longest].clone();
        for _ in 0..2 {
            for row in &rows {
                let along: f64 = row.iter().zip(&own).map(|(a, b)| a * b).sum();
                own.iter_mut().zip(row).for_each(|(x, r)| *x -= along * r);
            }
        }
        let length = size(&own);
        own.iter_mut().for_each(|x| *x /= length);
        for other in &mut parts {
            let along: f64 = own.iter().zip(&*other).map(|(a, b)| a * b).sum();
            other.iter_mut().zip(&own).for_each(|(x, r)| *x -= along * r);
        }
        rows.push(own);
    }
    let complex = |row: Vec<f64>| row.into_iter().map(C::from).collect();
    rows.into_iter().map(complex).collect()
}

/// The operator between the vectors of a smaller space, at the top left of zeros.
fn project(t: &[Vec<C>], rows: &[Vec<C>]) -> Vec<Vec<C>> {
    let ncv = t.len();
    let product = |a: &[C], b: &[C]| a.iter().zip(b).map(|(a, b)| a * b).sum::<C>();
    let images: Vec<Vec<C>> =
        rows.iter().map(|x| t.iter().map(|row| product(row, x)).collect()).collect();
    let mut small = vec![vec![C::ZERO; ncv]; ncv];
    for (i, row) in rows.iter().enumerate() {
        let adjoint: Vec<C> = row.iter().map(C::conj).collect();
        for (j, image) in images.iter().enumerate() {
            small[i][j] = product(&adjoint, image);
        }
    }
    small
}
