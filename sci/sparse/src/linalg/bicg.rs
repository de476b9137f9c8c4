//! Biconjugate gradients (Fletcher 1976).

use ndany_array::{Array, Result};

use super::{
    Iteration, Operator, Solution, System, are_finite, ask_ahead, dot, ends, freeze, run, scalar,
    vectors, zero_of,
};

/// Solves `A x = b` by biconjugate gradients, as `scipy.sparse.linalg.bicg`.
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
/// let found = sparse::linalg::bicg(&a, &array([1.0, 2.0]), ..)?;
/// assert_eq!((format!("{:.4}", found.x), found.converged), ("[0.1 0.6]".into(), true));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn bicg(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let options = options.into();
    ask_ahead(a, b, &options, |a, b, options| bicg(a, b, options));
    let system = System::new("bicg", a, b, options)?;
    let mut x = system.x.clone();
    let mut r = system.residual();
    run(&[&r])?;
    let mut shadow = r.clone();
    let mut steps = zero_of(&r);
    let [mut p, mut shadow_p] = vectors(&x);
    let mut rho = scalar(&x, 1.0);
    let mut whole = zero_of(&r).equal(0);
    for step in 0..system.maxiter {
        let active = system.goes_on(&r).logical_and(&whole);
        run(&[&active])?;
        if ends(step, &active)? {
            break;
        }
        let (z, shadow_z) = (system.precondition(&r), system.precondition_adjoint(&shadow));
        let next = dot(&shadow, &z);
        let beta = &next / &rho;
        run(&[&z, &shadow_z, &next, &beta])?;
        p = &z + &beta * &p;
        shadow_p = &shadow_z + beta.conj() * &shadow_p;
        run(&[&p, &shadow_p])?;
        let (q, shadow_q) = (system.a.matvec(&p), system.a.rmatvec(&shadow_p));
        let alpha = &next / dot(&shadow_p, &q);
        run(&[&q, &shadow_q, &alpha])?;
        whole = whole.logical_and(are_finite(&[&beta, &alpha]));
        let active = active.logical_and(&whole);
        x = freeze(&active, &x + &alpha * &p, &x);
        r = freeze(&active, &r - &alpha * &q, &r);
        shadow = &shadow - alpha.conj() * &shadow_q;
        steps += &active;
        rho = next;
        run(&[&x, &r, &shadow, &steps, &whole])?;
    }
    system.finish(x, &r, &steps)
}
