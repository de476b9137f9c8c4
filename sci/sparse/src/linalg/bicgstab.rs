//! Stabilized biconjugate gradients (van der Vorst 1992).

use ndany_array::{Array, Result, zeros};

use super::{
    Iteration, Operator, Solution, System, ask_ahead, dot, ends, freeze, length, run, zero_of,
};

/// Solves `A x = b` by stabilized biconjugate gradients, as `scipy.sparse.linalg.bicgstab`.
///
/// An iteration that breaks down ends there, and its solution is not `converged`.
///
/// - **Shapes**: `(n, n), (n,) → (n,)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[4.0, 1.0], [2.0, 3.0]]), ..);
/// let found = sparse::linalg::bicgstab(&a, &array([1.0, 2.0]), ..)?;
/// assert_eq!((format!("{:.4}", found.x), found.converged), ("[0.1 0.6]".into(), true));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn bicgstab(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let options = options.into();
    ask_ahead(a, b, &options, |a, b, options| bicgstab(a, b, options));
    let system = System::new("bicgstab", a, b, options)?;
    let mut x = system.x.clone();
    let mut r = system.residual();
    run(&[&r])?;
    let shadow = r.clone();
    let mut steps = zero_of(&r);
    let [mut p, mut v] = {
        let _guard = r.device().enter();
        [(); 2].map(|()| zeros(x.shape(), system.dtype))
    };
    let [zero, one] = {
        let _guard = r.device().enter();
        [zeros((), system.dtype), ndany_array::ones((), system.dtype)]
    };
    let [mut rho, mut alpha, mut omega] = [&one, &one, &one].map(Array::clone);
    // SciPy's bound of a breakdown.
    let epsilon =
        if system.dtype.part().size() == 8 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let tiny = epsilon * epsilon;
    let mut whole = zero_of(&r).equal(0);
    for step in 0..system.maxiter {
        let next = dot(&shadow, &r);
        let goes_on = next.abs().greater_equal(tiny).logical_and(omega.abs().greater_equal(tiny));
        whole = whole.logical_and(goes_on);
        let active = system.goes_on(&r).logical_and(&whole);
        run(&[&next, &whole, &active])?;
        if ends(step, &active)? {
            break;
        }
        let beta = (&next / &rho) * (&alpha / &omega);
        p = &r + &beta * (&p - &omega * &v);
        run(&[&p])?;
        let direction = system.precondition(&p);
        v = system.a.matvec(&direction);
        run(&[&v])?;
        alpha = &next / dot(&shadow, &v);
        let s = &r - &alpha * &v;
        run(&[&s, &alpha])?;
        let smoothed = system.precondition(&s);
        let t = system.a.matvec(&smoothed);
        run(&[&t])?;
        // Half a step may be enough.
        let half = length(&s).less(&system.tolerance);
        omega = freeze(&half, zero.clone(), &(dot(&t, &s) / dot(&t, &t)));
        x = freeze(&active, &x + &alpha * &direction + &omega * &smoothed, &x);
        r = freeze(&active, &s - &omega * &t, &r);
        steps += &active;
        rho = next;
        run(&[&x, &r, &omega, &steps])?;
    }
    system.finish(x, &r, &steps)
}
