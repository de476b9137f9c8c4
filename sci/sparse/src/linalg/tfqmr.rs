//! Quasi-minimal residuals without the adjoint (Freund 1993).

use ndany_array::{Array, Result};

use super::{
    Iteration, Operator, Solution, System, are_finite, ask_ahead, dot, ends, freeze, length, run,
    scalar, vectors, zero_of,
};

/// Solves `A x = b` by quasi-minimal residuals without the adjoint, as `scipy.sparse.linalg.tfqmr`.
///
/// It ends where the bound of the residual, `τ √steps`, is within the tolerances. A preconditioner acts on the right. A step has one
/// product; an iteration that breaks down ends there, and its solution is not `converged`.
///
/// - **Shapes**: `(n, n), (n,) → (n,)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[4.0, 1.0], [2.0, 3.0]]), ..);
/// let found = sparse::linalg::tfqmr(&a, &array([1.0, 2.0]), ..)?;
/// assert_eq!((format!("{:.4}", found.x), found.converged), ("[0.1 0.6]".into(), true));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn tfqmr(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let options = options.into();
    ask_ahead(a, b, &options, |a, b, options| tfqmr(a, b, options));
    let system = System::new("tfqmr", a, b, options)?;
    let part = system.dtype.part();
    let mut x = system.x.clone();
    let shadow = system.residual();
    run(&[&shadow])?;
    let product = |u: &Array| system.a.matvec(&system.precondition(u));
    let (mut u, mut w) = (shadow.clone(), shadow.clone());
    let mut image = product(&u);
    let mut v = image.clone();
    let mut tau = length(&shadow);
    let mut rho = dot(&shadow, &shadow);
    run(&[&image, &tau, &rho])?;
    let [mut d, _] = vectors(&x);
    let [mut alpha, mut eta] = [scalar(&x, 1.0), scalar(&x, 0.0)];
    let mut theta = scalar(&x, 0.0).real().astype(part);
    let mut bound = tau.clone();
    let mut steps = zero_of(&x);
    let mut whole = steps.equal(0);
    for step in 0..system.maxiter {
        let active = system.is_active(&bound).logical_and(&whole);
        run(&[&active])?;
        if ends(step, &active)? {
            break;
        }
        if step % 2 == 0 {
            alpha = &rho / dot(&shadow, &v);
            run(&[&alpha])?;
        }
        w = &w - &alpha * &image;
        d = &u + (theta.square() / &alpha) * &eta * &d;
        run(&[&w, &d])?;
        theta = length(&w) / &tau;
        run(&[&theta])?;
        let squared = (theta.square() + 1.0).reciprocal();
        run(&[&squared])?;
        let next_tau = &tau * &theta * squared.sqrt();
        eta = &squared * &alpha;
        run(&[&eta, &next_tau])?;
        whole = whole.logical_and(are_finite(&[&alpha, &eta, &next_tau]));
        let active = active.logical_and(&whole);
        run(&[&active, &whole])?;
        x = freeze(&active, &x + &eta * system.precondition(&d), &x);
        bound = freeze(&active, &next_tau * ((step + 1) as f64).sqrt(), &bound);
        steps += &active;
        tau = next_tau;
        run(&[&x, &bound, &steps])?;
        if step % 2 == 0 {
            u = &u - &alpha * &v;
            run(&[&u])?;
            image = product(&u);
            run(&[&image])?;
        } else {
            let next = dot(&shadow, &w);
            let beta = &next / &rho;
            rho = next;
            run(&[&rho, &beta])?;
            u = &w + &beta * &u;
            run(&[&u])?;
            let before = image;
            image = product(&u);
            run(&[&image])?;
            v = &image + &beta * (&before + &beta * &v);
            run(&[&v])?;
        }
    }
    let r = &system.b - system.a.matvec(&x);
    system.finish(x, &r, &steps)
}
