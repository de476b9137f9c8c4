//! Least squares by minimal residuals of the normal equations (Fong & Saunders 2011).

use ndany_array::{Array, Result};

use super::lsqr::Bidiagonal;
use super::{Iteration, Operator, Solution, ask_ahead, ends, freeze, run, scalar, zero_of};

/// Finds the `x` of the least `|A x - b|`, as `scipy.sparse.linalg.lsmr`; the gradient `Aᴴ r` falls in each step.
///
/// It ends as [`lsqr`](fn@super::lsqr) does. A preconditioner is not used.
///
/// - **Shapes**: `(m, n), (m,) → (n,)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), ..);
/// let found = sparse::linalg::lsmr(&a, &array([1.0, 3.0, 5.0]), ..)?;
/// assert_eq!((format!("{:.4}", found.x), found.converged), ("[1. 2.]".into(), true));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn lsmr(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let options = options.into();
    ask_ahead(a, b, &options, |a, b, options| lsmr(a, b, options));
    let (mut sides, mut x, limits) = Bidiagonal::new("lsmr", a, b, options)?;
    let part = sides.alpha.dtype();
    let [zero, one] = [0.0, 1.0].map(|value| scalar(&sides.alpha, value).astype(part));
    let mut h = sides.v.clone();
    let mut h_bar = h.zeros_like();
    let mut alpha_bar = sides.alpha.clone();
    let mut zeta_bar = &sides.alpha * &sides.beta;
    let [mut rho, mut rho_bar, mut cos_bar] = [(); 3].map(|()| one.clone());
    let mut sin_bar = zero.clone();
    // What the norm of the residual is made of.
    let mut rest = sides.beta.clone();
    let [mut turned, mut tau, mut theta, mut zeta] = [(); 4].map(|()| zero.clone());
    let mut rho_rest = one;
    let mut size = sides.alpha.square();
    let (mut residual, mut gradient) = (sides.beta.clone(), zeta_bar.abs());
    let mut steps = zero_of(&x);
    run(&[&zeta_bar, &size, &gradient, &h_bar])?;
    for step in 0..limits.maxiter {
        let active = limits.is_active(&residual, &gradient, &size);
        run(&[&active])?;
        if ends(step, &active)? {
            break;
        }
        let before = sides.next()?;
        let (alpha, beta) = (&sides.alpha, &sides.beta);
        size = freeze(&active, &size + beta.square() + before.square(), &size);
        let next_rho = alpha_bar.hypot(beta);
        run(&[&size, &next_rho])?;
        let (cos, sin) = (&alpha_bar / &next_rho, beta / &next_rho);
        let theta_new = &sin * alpha;
        alpha_bar = &cos * alpha;
        run(&[&cos, &sin, &theta_new, &alpha_bar])?;
        let (theta_bar, corner) = (&sin_bar * &next_rho, &cos_bar * &next_rho);
        let next_rho_bar = corner.hypot(&theta_new);
        run(&[&theta_bar, &corner, &next_rho_bar])?;
        let scale = (&theta_bar * &next_rho) / (&rho * &rho_bar);
        (cos_bar, sin_bar) = (&corner / &next_rho_bar, &theta_new / &next_rho_bar);
        run(&[&scale, &cos_bar, &sin_bar])?;
        let zeta_before = zeta;
        zeta = &cos_bar * &zeta_bar;
        zeta_bar = -(&sin_bar * &zeta_bar);
        (rho, rho_bar) = (next_rho, next_rho_bar);
        h_bar = &h - &scale * &h_bar;
        run(&[&zeta, &zeta_bar, &h_bar])?;
        x = freeze(&active, &x + (&zeta / (&rho * &rho_bar)) * &h_bar, &x);
        h = &sides.v - (&theta_new / &rho) * &h;
        run(&[&x, &h])?;
        // The residual, by rotations of the triangle from the other side.
        let turned_now = &cos * &rest;
        rest = -(&sin * &rest);
        let long = rho_rest.hypot(&theta_bar);
        run(&[&turned_now, &rest, &long])?;
        let (cos_rest, sin_rest) = (&rho_rest / &long, &theta_bar / &long);
        tau = (&zeta_before - &theta * &tau) / &long;
        run(&[&cos_rest, &sin_rest, &tau])?;
        theta = &sin_rest * &rho_bar;
        rho_rest = &cos_rest * &rho_bar;
        turned = &cos_rest * &turned_now - &sin_rest * &turned;
        run(&[&theta, &rho_rest, &turned])?;
        let last = (&zeta - &theta * &tau) / &rho_rest;
        let now = (&turned - &last).hypot(&rest);
        residual = freeze(&active, now, &residual);
        gradient = freeze(&active, zeta_bar.abs(), &gradient);
        steps += &active;
        run(&[&residual, &gradient, &steps])?;
    }
    limits.finish(x, [&residual, &gradient, &size], &steps)
}
