//! Squared conjugate gradients (Sonneveld 1989).

use ndany_array::{Array, Result};

use super::{
    Iteration, Operator, Solution, System, are_finite, ask_ahead, dot, ends, freeze, run, scalar,
    vectors, zero_of,
};

/// Solves `A x = b` by squared conjugate gradients, as `scipy.sparse.linalg.cgs`.
///
/// The residual is computed from the solution in each step, as SciPy's is. An iteration that breaks down ends there, and its solution
/// is not `converged`.
///
/// - **Shapes**: `(n, n), (n,) → (n,)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[4.0, 1.0], [2.0, 3.0]]), ..);
/// let found = sparse::linalg::cgs(&a, &array([1.0, 2.0]), ..)?;
/// assert_eq!((format!("{:.4}", found.x), found.converged), ("[0.1 0.6]".into(), true));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn cgs(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let options = options.into();
    ask_ahead(a, b, &options, |a, b, options| cgs(a, b, options));
    let system = System::new("cgs", a, b, options)?;
    let mut x = system.x.clone();
    let mut r = system.residual();
    run(&[&r])?;
    let shadow = r.clone();
    let mut steps = zero_of(&r);
    let [mut p, mut q] = vectors(&x);
    let mut rho = scalar(&x, 1.0);
    let mut whole = zero_of(&r).equal(0);
    for step in 0..system.maxiter {
        let active = system.goes_on(&r).logical_and(&whole);
        run(&[&active])?;
        if ends(step, &active)? {
            break;
        }
        let next = dot(&shadow, &r);
        let beta = &next / &rho;
        run(&[&next, &beta])?;
        let u = &r + &beta * &q;
        p = &u + &beta * (&q + &beta * &p);
        run(&[&u, &p])?;
        let v = system.a.matvec(&system.precondition(&p));
        let alpha = &next / dot(&shadow, &v);
        run(&[&v, &alpha])?;
        whole = whole.logical_and(are_finite(&[&beta, &alpha]));
        let active = active.logical_and(&whole);
        q = &u - &alpha * &v;
        run(&[&q, &whole, &active])?;
        let direction = system.precondition(&(&u + &q));
        x = freeze(&active, &x + &alpha * &direction, &x);
        run(&[&x])?;
        r = &system.b - system.a.matvec(&x);
        steps += &active;
        rho = next;
        run(&[&r, &steps])?;
    }
    system.finish(x, &r, &steps)
}
