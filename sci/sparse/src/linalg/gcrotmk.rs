//! Generalized conjugate residuals with an inner orthogonalization (de Sturler 1999; Hicken & Zingg 2010).

use std::collections::VecDeque;

use ndany_array::{Array, Result, s, stack};

use super::gmres::Small;
use super::{
    Iteration, Operator, Solution, System, combination, dot, inner, length, less, number,
    rows_of_zeros, run, scaled, square,
};

/// Solves `A x = b` by generalized conjugate residuals, as `scipy.sparse.linalg.gcrotmk`, which keep the directions of some cycles.
///
/// Each cycle takes the steps of [`gmres`](fn@super::gmres) in what is orthogonal to the images of the directions that are kept:
/// [`Iteration::restart`] says how many steps a cycle has, and how many directions are kept. A cycle before as many are there is
/// longer by those that are missing. `maxiter` counts steps; a preconditioner acts on the right.
///
/// - **Shapes**: `(n, n), (n,) → (n,)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[4.0, 1.0], [2.0, 3.0]]), ..);
/// let found = sparse::linalg::gcrotmk(&a, &array([1.0, 2.0]), ..)?;
/// assert_eq!((format!("{:.4}", found.x), found.converged), ("[0.1 0.6]".into(), true));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn gcrotmk(a: &impl Operator, b: &Array, options: impl Into<Iteration>) -> Result<Solution> {
    let options = options.into();
    let (kept, n) = (options.restart, b.size().max(1));
    let system = System::new("gcrotmk", a, b, options)?;
    let tolerance = number(&system.tolerance)?;
    let mut x = system.x.clone();
    let mut r = system.residual();
    let mut residual = number(&length(&r))?;
    let mut iterations = 0;
    // Directions, and their images, which are orthonormal.
    let mut directions: VecDeque<Array> = VecDeque::new();
    let mut images: VecDeque<Array> = VecDeque::new();
    while iterations < system.maxiter && residual >= tolerance && residual > 0.0 {
        let outer = match images.is_empty() {
            true => None,
            false => Some([&images, &directions].map(|rows| stack(rows.iter(), 0))),
        };
        let most = (kept + kept.saturating_sub(images.len())).min(n);
        let wanted = most.min(system.maxiter - iterations);
        let first = &r / residual;
        run(&[&first])?;
        // Written row by row, in place: nothing else holds it then.
        let mut basis = rows_of_zeros(wanted + 1, &first);
        basis.set(s![0, ..], first);
        let mut columns: Vec<[Array; 2]> = Vec::new();
        // What each step has along the images.
        let mut along: Vec<Array> = Vec::new();
        let mut small = Small::new(residual);
        while small.steps() < wanted {
            let count = columns.len();
            let mut w = system.a.matvec(&system.precondition(&basis.i(s![count, ..])));
            w = w.astype(system.dtype);
            run(&[&w])?;
            if let Some([images, _]) = &outer {
                let (part, rest) = orthogonal(images, w)?;
                along.push(part);
                w = rest;
            }
            let (h, rest) = orthogonal(&basis.i(s![..count as isize + 1, ..]), w)?;
            let square = square(&rest);
            run(&[&h, &square])?;
            basis.set(s![count + 1, ..], scaled(&rest, &square));
            columns.push([h, square.reshape(1)]);
            if small.read(&columns, wanted, tolerance)? {
                break;
            }
        }
        let (y, steps) = (small.solution(&r), small.steps());
        iterations += steps;
        let mut direction =
            system.precondition(&combination(&y, &basis.i(s![..steps as isize, ..])));
        if let Some([_, directions]) = &outer {
            let part = combination(&y, &stack(&along[..steps], 0));
            direction = &direction - combination(&part, directions);
        }
        // Its image is made again, so that rounding does not part the two.
        run(&[&direction])?;
        let mut image = system.a.matvec(&direction).astype(system.dtype);
        run(&[&image])?;
        if let Some([images, directions]) = &outer {
            let (part, rest) = orthogonal(images, image)?;
            direction = &direction - combination(&part, directions);
            image = rest;
        }
        let size = length(&image);
        let (image, direction) = (&image / &size, &direction / &size);
        let step = dot(&image, &r);
        run(&[&image, &direction, &step])?;
        let (next, rest) = (&x + &step * &direction, &r - &step * &image);
        run(&[&next, &rest])?;
        let before = residual;
        residual = number(&length(&rest))?;
        // What does not move any more does not converge; a direction without an image is no step.
        if steps == 0 || residual.is_nan() || residual >= before {
            residual = before;
            break;
        }
        (x, r) = (next, rest);
        if residual < tolerance {
            // The residual itself, of which steps leave rounding.
            r = &system.b - system.a.matvec(&x);
            run(&[&r])?;
            residual = number(&length(&r))?;
        }
        directions.push_back(direction);
        images.push_back(image);
        if images.len() > kept {
            directions.pop_front();
            images.pop_front();
        }
    }
    let converged = residual < tolerance || residual == 0.0;
    Ok(Solution { x, iterations, residual, converged })
}

/// What a vector has along each row of an orthonormal basis, and what is left of it, in two passes.
#[track_caller]
fn orthogonal(basis: &Array, mut w: Array) -> Result<(Array, Array)> {
    let mut pass = || -> Result<Array> {
        let part = inner(basis, &w);
        run(&[&part])?;
        w = less(&w, &part, basis)?;
        Ok(part)
    };
    let parts = pass()? + pass()?;
    Ok((parts, w))
}
