//! Means and relative exponentials.

use ndany_core::formulas::algebra::Algebra;

/// The arithmetic-geometric mean of two numbers of one sign (Gauss's iteration, which doubles the digits at each step).
pub fn agm<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let apart = |a: &A, [x, y]: [A::F; 2]| a.lt(a.abs(x) * a.f(2.0f64.powi(-26)), a.abs(x - y));
    let step = |a: &A, [x, y]: [A::F; 2]| [(x + y) * a.f(0.5), a.sqrt(x) * a.sqrt(y)];
    let [x, y] = a.repeat_while(64, [x, y], apart, step);
    // The step that is left is exact to the last bits.
    (x + y) * a.f(0.5)
}
