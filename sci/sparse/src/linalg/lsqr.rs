//! Least squares by bidiagonalization (Paige & Saunders 1982).

use ndany_array::{Array, DType, Error, Result, zeros};

use super::{Iteration, LOOK, Operator, Solution, freeze, length, number, run, truth, zero_of};

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
    const OP: &str = "lsqr";
    let (options, [m, n]) = (options.into(), a.shape());
    if b.shape() != [m] {
        let expected = format!("a vector of as many elements as the operator has rows, {m}");
        return Err(Error::Shape { op: OP, expected, got: b.shape().into() });
    }
    let dtype = DType::promote(DType::promote(a.dtype(), b.dtype()).to_inexact(), DType::F32);
    let b = b.astype(dtype);
    let mut x = match &options.x0 {
        Some(x0) if x0.shape() == [n] => x0.astype(dtype),
        Some(x0) => {
            let expected = format!("{n} elements to start from");
            return Err(Error::Shape { op: OP, expected, got: x0.shape().into() });
        }
        None => {
            let _guard = b.device().enter();
            zeros(n, dtype)
        }
    };
    let tolerance = (length(&b) * options.rtol).maximum(options.atol);
    let maxiter = options.maxiter.unwrap_or(2 * n.max(1));
    let mut u = &b - a.matvec(&x);
    let mut beta = length(&u);
    run(&[&u, &beta])?;
    u = freeze(&beta.greater(0), &u / &beta, &u);
    let mut v = a.rmatvec(&u);
    let mut alpha = length(&v);
    run(&[&v, &alpha])?;
    v = freeze(&alpha.greater(0), &v / &alpha, &v);
    let mut w = v.clone();
    let (mut rho_bar, mut phi_bar) = (alpha.clone(), beta.clone());
    // The square of the operator's norm, as far as it is known, and the norm of the gradient.
    let mut size = alpha.square();
    let mut gradient = &alpha * &beta;
    let mut steps = zero_of(&u);
    run(&[&w, &size, &gradient, &tolerance])?;
    let is_active = |phi_bar: &Array, gradient: &Array, size: &Array| {
        let beyond = phi_bar.greater_equal(&tolerance).logical_and(phi_bar.greater(0));
        let bound = size.sqrt() * phi_bar * options.rtol;
        beyond.logical_and(gradient.greater(bound))
    };
    for step in 0..maxiter {
        let active = is_active(&phi_bar, &gradient, &size);
        run(&[&active])?;
        if step % LOOK == 0 && !truth(&active)? {
            break;
        }
        let next = a.matvec(&v) - &alpha * &u;
        beta = length(&next);
        run(&[&next, &beta])?;
        u = freeze(&beta.greater(0), &next / &beta, &next);
        run(&[&u])?;
        let next = a.rmatvec(&u) - &beta * &v;
        size = freeze(&active, &size + beta.square() + alpha.square(), &size);
        alpha = length(&next);
        run(&[&next, &alpha, &size])?;
        v = freeze(&alpha.greater(0), &next / &alpha, &next);
        let rho = rho_bar.hypot(&beta);
        run(&[&v, &rho])?;
        let (cos, sin) = (&rho_bar / &rho, &beta / &rho);
        run(&[&cos, &sin])?;
        let (theta, phi) = (&sin * &alpha, &cos * &phi_bar);
        rho_bar = -(&cos * &alpha);
        phi_bar = freeze(&active, &sin * &phi_bar, &phi_bar);
        gradient = freeze(&active, (&phi_bar * &alpha * &cos).abs(), &gradient);
        x = freeze(&active, &x + (&phi / &rho) * &w, &x);
        run(&[&x, &rho_bar, &phi_bar, &gradient])?;
        w = &v - (&theta / &rho) * &w;
        steps += &active;
        run(&[&w, &steps])?;
    }
    let residual = number(&phi_bar)?;
    let converged = !truth(&is_active(&phi_bar, &gradient, &size))? && !residual.is_nan();
    Ok(Solution { x, iterations: steps.item::<i64>()? as usize, residual, converged })
}
