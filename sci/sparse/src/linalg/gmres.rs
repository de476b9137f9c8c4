//! Generalized minimal residuals (Saad & Schultz 1986).

use std::collections::VecDeque;

use ndany_array::extend::guess;
use ndany_array::{Array, DType, Result, concatenate, eye, s};
use num_complex::Complex;

use super::{
    Iteration, LOOK, Operator, Solution, System, ask_ahead, combination, conj, inner_of_two,
    length, less, number, rows_of_zeros, run, scaled, square,
};

/// Solves `A x = b` by generalized minimal residuals with restarts, as `scipy.sparse.linalg.gmres`.
///
/// The basis is made by modified Gram–Schmidt in two reads of it a step (Świrydowicz et al. 2021). Its small matrix is read at every
/// eighth step, and solved on the host; `maxiter` counts steps, and a preconditioner acts on the right, so residuals are those of the
/// system.
///
/// - **Shapes**: `(n, n), (n,) → (n,)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[4.0, 1.0], [2.0, 3.0]]), ..);
/// let found = sparse::linalg::gmres(&a, &array([1.0, 2.0]), ..)?;
/// assert_eq!((format!("{:.4}", found.x), found.converged), ("[0.1 0.6]".into(), true));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn gmres(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let options = options.into();
    ask_ahead(a, b, &options, |a, b, options| gmres(a, b, options));
    restarted("gmres", a, b, options, 0)
}

/// Solves `A x = b` by generalized minimal residuals that keep the last three corrections, as `scipy.sparse.linalg.lgmres` (Baker,
/// Jessup & Manteuffel 2005).
///
/// Each restart takes the steps of [`gmres`](fn@gmres), and those along the corrections of the last three restarts, which would
/// otherwise come again. `maxiter` counts steps.
///
/// - **Shapes**: `(n, n), (n,) → (n,)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[4.0, 1.0], [2.0, 3.0]]), ..);
/// let found = sparse::linalg::lgmres(&a, &array([1.0, 2.0]), ..)?;
/// assert_eq!((format!("{:.4}", found.x), found.converged), ("[0.1 0.6]".into(), true));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn lgmres(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let options = options.into();
    ask_ahead(a, b, &options, |a, b, options| lgmres(a, b, options));
    restarted("lgmres", a, b, options, 3)
}

/// Minimal residuals with restarts, each of which goes along the last `outer` corrections, too.
#[track_caller]
fn restarted(
    op: &'static str,
    a: &impl Operator,
    b: &Array,
    options: Iteration,
    outer: usize,
) -> Result<Solution> {
    let restart = options.restart.min(b.size().max(1));
    let system = System::new(op, a, b, options)?;
    let tolerance = number(&system.tolerance)?;
    let mut x = system.x.clone();
    let mut r = system.residual();
    let mut iterations = 0;
    let mut residual = guess(number(&length(&r))?, 1.0);
    let mut corrections: VecDeque<Array> = VecDeque::new();
    while iterations < system.maxiter && residual >= tolerance && residual > 0.0 {
        let first = &r / length(&r);
        run(&[&first])?;
        // What each vector has along those before it, and the square of the length of what is left.
        let mut columns: Vec<[Array; 2]> = Vec::new();
        // A space has no more dimensions than the unknowns.
        let most = (restart + corrections.len()).min(b.size().max(1));
        let wanted = most.min(system.maxiter - iterations);
        // Written row by row, in place: nothing else holds it then.
        let mut basis = rows_of_zeros(wanted + 1, &first);
        basis.set(s![0, ..], first);
        let mut projection = Projection::new(wanted, &basis);
        let mut small = Small::new(residual);
        while small.steps() < wanted {
            let count = columns.len();
            let w = match count.checked_sub(restart) {
                Some(kept) => system.a.matvec(&corrections[kept]),
                None => system.a.matvec(&system.precondition(&basis.i(s![count, ..]))),
            };
            run(&[&w])?;
            let own = basis.i(s![..count as isize + 1, ..]);
            let h = projection.coefficients(&own, &w)?;
            let w = less(&w, &h, &own)?;
            // The basis is written in place: nothing else holds it then.
            drop(own);
            let square = square(&w);
            run(&[&square])?;
            basis.set(s![count + 1, ..], scaled(&w, &square));
            columns.push([h, square.reshape(1)]);
            if small.read(&columns, wanted, tolerance)? {
                break;
            }
        }
        let (y, steps) = (small.solution(&r), small.steps());
        let within = steps.min(restart) as isize;
        let update = combination(&y.i(s![..within]), &basis.i(s![..within, ..]));
        let mut update = system.precondition(&update);
        for (number, correction) in
            corrections.iter().take(steps.saturating_sub(restart)).enumerate()
        {
            update = &update + y.i(restart + number) * correction;
        }
        x = &x + &update;
        run(&[&x])?;
        r = &system.b - system.a.matvec(&x);
        run(&[&r])?;
        iterations += steps;
        let before = residual;
        residual = number(&length(&r))?;
        // What does not move any more does not converge.
        if steps == 0 || residual.is_nan() || (small.is_exhausted() && residual >= before) {
            break;
        }
        if outer > 0 {
            let correction = &update / length(&update);
            run(&[&correction])?;
            corrections.push_front(correction);
            corrections.truncate(outer);
        }
    }
    let converged = residual < tolerance || residual == 0.0;
    Ok(Solution { x, iterations, residual, converged })
}

/// Modified Gram–Schmidt against all vectors of a basis at once.
///
/// One vector after the other, it solves `(I + L) h = Vᴴ w`, where `L` is the lower triangle of the products of the basis with itself.
/// The inverse of `I + L` gets a row with each vector, whose products with the others come in the same read as those with `w`.
struct Projection {
    inverse: Array,
}

impl Projection {
    /// For at most so many vectors of a basis.
    #[track_caller]
    fn new(most: usize, basis: &Array) -> Self {
        let _guard = basis.device().enter();
        Self { inverse: eye(most).astype(basis.dtype()) }
    }

    /// The coefficients of `w` along the vectors of a basis, of which the last one is new.
    #[track_caller]
    fn coefficients(&mut self, basis: &Array, w: &Array) -> Result<Array> {
        if let Some(h) = crate::threads::coefficients(basis, w, &mut self.inverse)? {
            return Ok(h);
        }
        let last = basis.shape()[0] - 1;
        let newest = basis.i(s![last, ..]);
        let [products, overlaps] = inner_of_two(basis, w, &newest)?;
        if last > 0 {
            let before = s![..last as isize, ..];
            let overlaps = conj(&overlaps.i(s![..last as isize]));
            let row = combination(&overlaps, &self.inverse.i(before));
            run(&[&row])?;
            self.inverse.set(s![last, ..], self.inverse.i(s![last, ..]) - row);
        }
        let end = last as isize + 1;
        let h = (self.inverse.i(s![..end, ..end]) * products).sum(1);
        run(&[&h])?;
        Ok(h)
    }
}

/// The absolute value, with the same bits on every system.
fn norm(z: &Complex<f64>) -> f64 {
    libm::hypot(z.re, z.im)
}

/// The least squares problem of a Hessenberg matrix, by Givens' rotations as columns come.
pub(super) struct Small {
    /// Columns of the triangle.
    triangle: Vec<Vec<Complex<f64>>>,
    rotations: Vec<(f64, Complex<f64>)>,
    right: Vec<Complex<f64>>,
    /// Whether a vector of the basis was zero: nothing follows it.
    ended: bool,
}

impl Small {
    pub(super) fn new(residual: f64) -> Self {
        let right = vec![Complex::new(residual, 0.0)];
        Self { triangle: Vec::new(), rotations: Vec::new(), right, ended: false }
    }

    pub(super) fn steps(&self) -> usize {
        self.triangle.len()
    }

    fn residual(&self) -> f64 {
        self.right.last().map_or(0.0, norm)
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.ended
    }

    fn push(&mut self, mut column: Vec<Complex<f64>>) {
        for (row, &(cos, sin)) in self.rotations.iter().enumerate() {
            let (a, b) = (column[row], column[row + 1]);
            column[row] = a * cos + sin * b;
            column[row + 1] = b * cos - sin.conj() * a;
        }
        let last = column.len() - 1;
        let (a, b) = (column[last - 1], column[last]);
        let size = libm::hypot(norm(&a), norm(&b));
        self.ended = norm(&b) <= f64::EPSILON * size;
        let (cos, sin) = match (norm(&a) == 0.0, size == 0.0) {
            (_, true) => (1.0, Complex::new(0.0, 0.0)),
            (true, _) => (0.0, b.conj() / norm(&b)),
            (false, _) => (norm(&a) / size, a / norm(&a) * b.conj() / size),
        };
        column[last - 1] = a * cos + sin * b;
        column.truncate(last);
        let Some(top) = self.right.pop() else { return };
        self.right.push(top * cos);
        self.right.push(-sin.conj() * top);
        self.rotations.push((cos, sin));
        self.triangle.push(column);
    }

    /// Takes the columns that came since, each without its last element and the square of that, at every eighth one and at the last. Whether nothing follows: the residual is below the
    /// tolerance, or the space is exhausted.
    pub(super) fn read(
        &mut self,
        columns: &[[Array; 2]],
        wanted: usize,
        tolerance: f64,
    ) -> Result<bool> {
        let new = &columns[self.steps()..];
        if (!columns.len().is_multiple_of(LOOK) && columns.len() != wanted) || new.is_empty() {
            return Ok(false);
        }
        // One read of all.
        let read = concatenate(new.as_flattened(), 0).astype(DType::C128);
        let read = read.to_vec::<Complex<f64>>()?;
        let mut rest = read.as_slice();
        for [along, left] in new {
            let (column, others) = rest.split_at(along.size() + left.size());
            rest = others;
            if self.is_done(tolerance) {
                break;
            }
            let mut column = column.to_vec();
            if let Some(square) = column.last_mut() {
                *square = Complex::from(square.re.sqrt());
            }
            self.push(column);
        }
        Ok(self.is_done(tolerance))
    }

    /// Whether nothing follows; in a dry run, which has no numbers, all wanted steps do.
    fn is_done(&self, tolerance: f64) -> bool {
        guess(self.residual() < tolerance || self.is_exhausted(), false)
    }

    /// The coefficients, on the device of an array and of its dtype.
    pub(super) fn solution(&self, like: &Array) -> Array {
        let _guard = like.device().enter();
        let y = Array::from(self.solve().as_slice());
        if like.dtype().is_complex() { y } else { y.real() }.astype(like.dtype())
    }

    fn solve(&self) -> Vec<Complex<f64>> {
        let count = self.steps();
        let mut y = vec![Complex::new(0.0, 0.0); count];
        for row in (0..count).rev() {
            let mut rest = self.right[row];
            for (column, y) in self.triangle.iter().zip(&y).skip(row + 1) {
                rest -= column[row] * y;
            }
            let pivot = self.triangle[row][row];
            y[row] = if pivot == Complex::ZERO { Complex::new(0.0, 0.0) } else { rest / pivot };
        }
        y
    }
}
