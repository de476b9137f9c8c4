//! Quasi-minimal residuals (Freund & Nachtigal 1991), in the coupled form of Barrett and others (1994).

use ndany_array::{Array, Result};

use super::{
    Iteration, Operator, Solution, System, are_finite, ask_ahead, dot, ends, freeze, length, run,
    scalar, vectors, zero_of,
};

/// Solves `A x = b` by quasi-minimal residuals, as `scipy.sparse.linalg.qmr` with the preconditioner as `M1`.
///
/// `Aᴴ` is applied, too, and that of a preconditioner. An iteration that breaks down ends there, and its solution is not `converged`.
///
/// - **Shapes**: `(n, n), (n,) → (n,)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[4.0, 1.0], [2.0, 3.0]]), ..);
/// let found = sparse::linalg::qmr(&a, &array([1.0, 2.0]), ..)?;
/// assert_eq!((format!("{:.4}", found.x), found.converged), ("[0.1 0.6]".into(), true));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn qmr(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let options = options.into();
    ask_ahead(a, b, &options, |a, b, options| qmr(a, b, options));
    let system = System::new("qmr", a, b, options)?;
    let part = system.dtype.part();
    let mut x = system.x.clone();
    let mut r = system.residual();
    run(&[&r])?;
    let (mut v, mut w) = (r.clone(), r.clone());
    let mut y = system.precondition(&v);
    let (mut rho, mut xi) = (length(&y), length(&w));
    run(&[&y, &rho, &xi])?;
    let [mut p, mut q] = vectors(&x);
    let [mut d, mut s] = vectors(&x);
    let [mut epsilon, mut eta] = [scalar(&x, 1.0), scalar(&x, -1.0)];
    let [mut gamma, mut theta] = [1.0, 0.0].map(|value| scalar(&x, value).real().astype(part));
    let mut steps = zero_of(&x);
    let mut whole = steps.equal(0);
    for step in 0..system.maxiter {
        let active = system.goes_on(&r).logical_and(&whole);
        run(&[&active])?;
        if ends(step, &active)? {
            break;
        }
        (v, y) = (&v / &rho, &y / &rho);
        w = &w / &xi;
        run(&[&v, &y, &w])?;
        let delta = dot(&w, &y);
        let shadow = system.precondition_adjoint(&w);
        run(&[&delta, &shadow])?;
        let ratio = &delta / &epsilon;
        run(&[&ratio])?;
        p = &y - (&xi * &ratio) * &p;
        q = &shadow - (&rho * ratio.conj()) * &q;
        run(&[&p, &q])?;
        let image = system.a.matvec(&p);
        epsilon = dot(&q, &image);
        run(&[&image, &epsilon])?;
        let beta = &epsilon / &delta;
        run(&[&beta])?;
        v = &image - &beta * &v;
        run(&[&v])?;
        y = system.precondition(&v);
        let next_rho = length(&y);
        w = system.a.rmatvec(&q) - beta.conj() * &w;
        run(&[&y, &next_rho, &w])?;
        let next_xi = length(&w);
        let next_theta = &next_rho / (&gamma * beta.abs());
        run(&[&next_xi, &next_theta])?;
        let next_gamma = (next_theta.square() + 1.0).sqrt().reciprocal();
        run(&[&next_gamma])?;
        eta = -(&eta * (&rho / &beta) * (&next_gamma / &gamma).square());
        let kept = (&theta * &next_gamma).square();
        run(&[&eta, &kept])?;
        whole = whole.logical_and(are_finite(&[&ratio, &eta, &kept]));
        let active = active.logical_and(&whole);
        d = &eta * &p + &kept * &d;
        s = &eta * &image + &kept * &s;
        run(&[&active, &whole, &d, &s])?;
        x = freeze(&active, &x + &d, &x);
        r = freeze(&active, &r - &s, &r);
        steps += &active;
        (rho, xi, gamma, theta) = (next_rho, next_xi, next_gamma, next_theta);
        run(&[&x, &r, &steps])?;
    }
    system.finish(x, &r, &steps)
}
