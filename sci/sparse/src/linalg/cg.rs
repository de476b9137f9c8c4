//! Conjugate gradients (Hestenes & Stiefel 1952).

use std::sync::LazyLock;

use ndany_array::kernel::{Elementwise, elementwise};
use ndany_array::{Array, Result, ones, zeros};

use super::{
    Iteration, LOOK, Operator, Solution, System, ask_ahead, dot, ends, run, square, zero_of,
};

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
    let options = options.into();
    ask_ahead(a, b, &options, |a, b, options| cg(a, b, options));
    let system = System::new("cg", a, b, options)?;
    let mut x = system.x.clone();
    let mut r = system.residual();
    let mut steps = zero_of(&r);
    let (mut p, mut rho) = {
        let _guard = r.device().enter();
        // The first direction is the residual: nothing of one before.
        (zeros(x.shape(), system.dtype), ones((), system.dtype))
    };
    let is_plain = system.preconditioner.is_none() && !system.dtype.is_complex();
    for step in 0..system.maxiter {
        let square = square(&r);
        run(&[&r, &square])?;
        // Its truth is found where it is read, and steps are counted at each look.
        let active = system.is_active(&square.sqrt());
        if step % LOOK == 0 {
            run(&[&active, &steps])?;
        }
        if ends(step, &active)? {
            break;
        }
        let z = system.precondition(&r);
        let next = if is_plain { square.clone() } else { dot(&r, &z) };
        run(&[&z, &next])?;
        [p] = DIRECTION.call((&next, &rho, &z, &p));
        run(&[&p])?;
        let q = system.a.matvec(&p);
        let size = dot(&p, &q);
        run(&[&q, &size])?;
        [x, r] = UPDATE.call((&square, &system.tolerance, &next, &size, &x, &p, &r, &q));
        steps += &active;
        rho = next;
        run(&[&x, &r])?;
    }
    system.finish(x, &r, &steps)
}

/// The next direction: `next, rho, z, p`. Numbers are divided where they are read, not in a launch of their own.
static DIRECTION: LazyLock<Elementwise<4, 1>> =
    LazyLock::new(|| elementwise("cg.direction", |_, [next, rho, z, p]| [z + (next / rho) * p]));

/// A step along a direction, unless the iteration has ended: `square, tolerance, next, size, x, p, r, q`. It has ended where the residual,
/// of which the square is given, is as [`System::is_active`] says.
static UPDATE: LazyLock<Elementwise<8, 2>> = LazyLock::new(|| {
    elementwise("cg.update", |_, [square, tolerance, next, size, x, p, r, q]| {
        let (residual, alpha) = (square.sqrt(), next / size);
        let active = residual.greater_equal(tolerance) & residual.greater(0);
        [active.select(x + alpha * p, x), active.select(r - alpha * q, r)]
    })
});
