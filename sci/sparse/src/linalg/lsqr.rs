//! Least squares by bidiagonalization (Paige & Saunders 1982).

use ndany_array::{Array, Error, Result};

use super::{Iteration, Operator, Solution, Start, ask_ahead, ends, freeze, length, run, zero_of};

/// Finds the `x` of the least `|A x - b|`, as `scipy.sparse.linalg.lsqr`.
///
/// It ends where the residual is within `rtol` of the right side and `atol`, or where `Aᴴ r` is within `rtol` of the norms of both.
/// A preconditioner is not used.
///
/// - **Shapes**: `(m, n), (m,) → (n,)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), ..);
/// let found = sparse::linalg::lsqr(&a, &array([1.0, 3.0, 5.0]), ..)?;
/// assert_eq!((format!("{:.4}", found.x), found.converged), ("[1. 2.]".into(), true));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn lsqr(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let options = options.into();
    ask_ahead(a, b, &options, |a, b, options| lsqr(a, b, options));
    let (mut sides, mut x, limits) = Bidiagonal::new("lsqr", a, b, options)?;
    let mut w = sides.v.clone();
    let (mut rho_bar, mut phi_bar) = (sides.alpha.clone(), sides.beta.clone());
    // The square of the operator's norm, as far as it is known, and the norm of the gradient.
    let mut size = sides.alpha.square();
    let mut gradient = &sides.alpha * &sides.beta;
    let mut steps = zero_of(&w);
    run(&[&w, &size, &gradient])?;
    for step in 0..limits.maxiter {
        let active = limits.is_active(&phi_bar, &gradient, &size);
        run(&[&active])?;
        if ends(step, &active)? {
            break;
        }
        let before = sides.next()?;
        let (alpha, beta) = (&sides.alpha, &sides.beta);
        size = freeze(&active, &size + beta.square() + before.square(), &size);
        let rho = rho_bar.hypot(beta);
        run(&[&size, &rho])?;
        let (cos, sin) = (&rho_bar / &rho, beta / &rho);
        run(&[&cos, &sin])?;
        let (theta, phi) = (&sin * alpha, &cos * &phi_bar);
        rho_bar = -(&cos * alpha);
        phi_bar = freeze(&active, &sin * &phi_bar, &phi_bar);
        gradient = freeze(&active, (&phi_bar * alpha * &cos).abs(), &gradient);
        x = freeze(&active, &x + (&phi / &rho) * &w, &x);
        run(&[&x, &rho_bar, &phi_bar, &gradient])?;
        w = &sides.v - (&theta / &rho) * &w;
        steps += &active;
        run(&[&w, &steps])?;
    }
    limits.finish(x, [&phi_bar, &gradient, &size], &steps)
}

/// Golub's and Kahan's bidiagonalization: unit vectors of both sides, and the numbers between them.
pub(super) struct Bidiagonal<'a, A> {
    a: &'a A,
    u: Array,
    pub(super) v: Array,
    pub(super) alpha: Array,
    pub(super) beta: Array,
}

/// When a least squares iteration ends.
pub(super) struct Limits {
    tolerance: Array,
    rtol: f64,
    pub(super) maxiter: usize,
}

impl<'a, A: Operator> Bidiagonal<'a, A> {
    /// The first vectors, what the iteration starts from, and when it ends.
    #[track_caller]
    pub(super) fn new(
        op: &'static str,
        a: &'a A,
        b: &Array,
        options: Iteration,
    ) -> Result<(Self, Array, Limits)> {
        let [m, n] = a.shape();
        if b.shape() != [m] {
            let expected = format!("a vector of as many elements as the operator has rows, {m}");
            return Err(Error::Shape { op, expected, got: b.shape().into() });
        }
        let Start { b, x, tolerance } = options.start(op, a, b)?;
        let maxiter = options.maxiter.unwrap_or(2 * n.max(1));
        let mut u = &b - a.matvec(&x);
        let beta = length(&u);
        run(&[&tolerance, &u, &beta])?;
        u = freeze(&beta.greater(0), &u / &beta, &u);
        let mut v = a.rmatvec(&u);
        let alpha = length(&v);
        run(&[&v, &alpha])?;
        v = freeze(&alpha.greater(0), &v / &alpha, &v);
        let limits = Limits { tolerance, rtol: options.rtol, maxiter };
        Ok((Self { a, u, v, alpha, beta }, x, limits))
    }

    /// The next vectors; returns the last `alpha`.
    #[track_caller]
    pub(super) fn next(&mut self) -> Result<Array> {
        let next = self.a.matvec(&self.v) - &self.alpha * &self.u;
        self.beta = length(&next);
        run(&[&next, &self.beta])?;
        self.u = freeze(&self.beta.greater(0), &next / &self.beta, &next);
        run(&[&self.u])?;
        let next = self.a.rmatvec(&self.u) - &self.beta * &self.v;
        let alpha = length(&next);
        run(&[&next, &alpha])?;
        self.v = freeze(&alpha.greater(0), &next / &alpha, &next);
        run(&[&self.v])?;
        Ok(std::mem::replace(&mut self.alpha, alpha))
    }
}

impl Limits {
    /// Whether neither the residual nor the gradient is small; `size` is the square of the operator's norm.
    #[track_caller]
    pub(super) fn is_active(&self, residual: &Array, gradient: &Array, size: &Array) -> Array {
        let beyond = residual.greater_equal(&self.tolerance).logical_and(residual.greater(0));
        beyond.logical_and(gradient.greater(size.sqrt() * residual * self.rtol))
    }

    #[track_caller]
    pub(super) fn finish(
        &self,
        x: Array,
        [residual, gradient, size]: [&Array; 3],
        steps: &Array,
    ) -> Result<Solution> {
        Solution::new(x, residual, &self.is_active(residual, gradient, size), steps)
    }
}
