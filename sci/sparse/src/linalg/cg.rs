//! Conjugate gradients (Hestenes & Stiefel 1952).

use ndany_array::{Array, Result, ones, zeros};

use super::{Iteration, LOOK, Operator, Solution, System, dot, freeze, run, truth, zero_of};

/// Solves `A x = b` of a Hermitian positive definite operator by conjugate gradients, as `scipy.sparse.linalg.cg`.
///
/// - **Shapes**: `(n, n), (n,) → (n,)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[4.0, 1.0], [1.0, 3.0]]), ..);
/// let found = sparse::linalg::cg(&a, &array([1.0, 2.0]), ..)?;
/// assert_eq!(format!("{:.4}", found.x), "[0.0909 0.6364]");
/// assert!(found.converged && found.iterations == 2);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn cg(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let system = System::new("cg", a, b, options.into())?;
    let mut x = system.x.clone();
    let mut r = system.residual();
    let mut steps = zero_of(&r);
    let (mut p, mut rho) = {
        let _guard = r.device().enter();
        // The first direction is the residual: nothing of one before.
        (zeros(x.shape(), system.dtype), ones((), system.dtype))
    };
    for step in 0..system.maxiter {
        let active = system.goes_on(&r);
        run(&[&r, &active])?;
        if step % LOOK == 0 && !truth(&active)? {
            break;
        }
        let z = system.precondition(&r);
        let next = dot(&r, &z);
        p = &z + (&next / &rho) * &p;
        run(&[&p])?;
        let q = system.a.matvec(&p);
        let alpha = &next / dot(&p, &q);
        x = freeze(&active, &x + &alpha * &p, &x);
        r = freeze(&active, &r - &alpha * &q, &r);
        steps += &active;
        rho = next;
        run(&[&r, &x, &steps, &rho])?;
    }
    system.finish(x, &r, &steps)
}
