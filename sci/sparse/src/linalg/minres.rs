//! Minimal residuals of Hermitian operators (Paige & Saunders 1975).

use ndany_array::{Array, Result, zeros};

use super::{
    Iteration, Operator, Solution, System, ask_ahead, dot, ends, freeze, length, number, run,
    truth, zero_of,
};

/// Solves `A x = b` of a Hermitian operator, which may be indefinite, by minimal residuals, as `scipy.sparse.linalg.minres`.
///
/// It ends where the norm of the residual is within the tolerances of [`Iteration`]. (SciPy's compares it with the norms of the
/// operator and of the solution.)
///
/// - **Shapes**: `(n, n), (n,) → (n,)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[2.0, 1.0], [1.0, -3.0]]), ..);
/// let found = sparse::linalg::minres(&a, &array([3.0, -2.0]), ..)?;
/// assert_eq!((format!("{:.4}", found.x), found.converged), ("[1. 1.]".into(), true));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn minres(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let options = options.into();
    ask_ahead(a, b, &options, |a, b, options| minres(a, b, options));
    let system = System::new("minres", a, b, options)?;
    let part = system.dtype.part();
    let real = |x: Array| if x.dtype().is_complex() { x.real() } else { x };
    let mut x = system.x.clone();
    let first = system.residual();
    run(&[&first])?;
    let mut y = system.precondition(&first);
    let mut beta = real(dot(&first, &y)).sqrt();
    run(&[&y, &beta])?;
    let mut steps = zero_of(&first);
    let [zero, one] = {
        let _guard = first.device().enter();
        [zeros((), part), ndany_array::ones((), part)]
    };
    let [mut w, mut before] = {
        let _guard = first.device().enter();
        [(); 2].map(|()| zeros(x.shape(), system.dtype))
    };
    // Residuals of this step and the one before it.
    let (mut r, mut r_before) = (first.clone(), first.zeros_like());
    let (mut beta_before, mut phi_bar) = (one.clone(), beta.clone());
    let (mut delta_bar, mut epsilon) = (zero.clone(), zero.clone());
    let (mut cos, mut sin) = (-&one, zero.clone());
    for step in 0..system.maxiter {
        let active = system.is_active(&phi_bar);
        run(&[&active])?;
        if ends(step, &active)? {
            break;
        }
        let v = &y / &beta;
        let product = system.a.matvec(&v) - (&beta / &beta_before) * &r_before;
        run(&[&v, &product])?;
        let alpha = real(dot(&v, &product));
        let next = product - (&alpha / &beta) * &r;
        run(&[&next, &alpha])?;
        (r_before, r) = (r, next);
        y = system.precondition(&r);
        beta_before = beta;
        beta = real(dot(&r, &y)).sqrt();
        run(&[&y, &beta])?;
        let old = epsilon;
        let delta = &cos * &delta_bar + &sin * &alpha;
        let gamma_bar = &sin * &delta_bar - &cos * &alpha;
        epsilon = &sin * &beta;
        delta_bar = -(&cos * &beta);
        let gamma = gamma_bar.hypot(&beta).maximum(f64::MIN_POSITIVE);
        run(&[&delta, &gamma_bar, &epsilon, &delta_bar, &gamma])?;
        cos = &gamma_bar / &gamma;
        sin = &beta / &gamma;
        let phi = &cos * &phi_bar;
        run(&[&cos, &sin, &phi])?;
        phi_bar = freeze(&active, &sin * &phi_bar, &phi_bar);
        let turned = (&v - &old * &before - &delta * &w) / &gamma;
        (before, w) = (w, turned);
        run(&[&w, &phi_bar])?;
        x = freeze(&active, &x + &phi * &w, &x);
        steps += &active;
        run(&[&x, &steps])?;
    }
    let residual = number(&phi_bar)?;
    let converged = !truth(&system.is_active(&phi_bar))? && !residual.is_nan();
    Ok(Solution { x, iterations: steps.item::<i64>()? as usize, residual, converged })
}

impl System<'_> {
    /// Whether a residual of this norm is beyond the tolerance.
    #[track_caller]
    pub(super) fn is_active(&self, residual: &Array) -> Array {
        residual.greater_equal(&self.tolerance).logical_and(residual.greater(0))
    }

    /// The same of a residual.
    #[track_caller]
    pub(super) fn goes_on(&self, r: &Array) -> Array {
        self.is_active(&length(r))
    }
}
