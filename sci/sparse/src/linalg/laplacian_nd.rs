//! The Laplacian of a grid of points in any number of dimensions.

use std::f64::consts::PI;

use ndany_array::{Array, DType};

use crate::Sparse;
use crate::support::refuse;

/// What lies beside the points at the edges of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundary {
    /// The same value as at the edge.
    #[default]
    Neumann,
    /// Zero.
    Dirichlet,
    /// The values of the other edge.
    Periodic,
}

/// The Laplacian of a grid, whose points are numbered in C order, as `scipy.sparse.linalg.LaplacianNd`.
///
/// An axis of one point has no neighbours, so that it adds nothing, but with zeros beside it.
///
/// ```
/// use ndany::sparse::linalg::{Boundary, LaplacianNd};
/// let grid = LaplacianNd::new([2, 2], Boundary::Dirichlet);
/// assert_eq!(grid.to_sparse().to_dense().to_string(), "[[-4  1  1  0]\n [ 1 -4  0  1]\n [ 1  0 -4  1]\n [ 0  1  1 -4]]");
/// assert_eq!(format!("{:.4}", grid.eigenvalues()), "[-6. -4. -4. -2.]");
/// ```
#[derive(Clone, Debug)]
pub struct LaplacianNd {
    grid_shape: Vec<usize>,
    boundary: Boundary,
}

impl LaplacianNd {
    /// Describes the grid.
    ///
    /// - **Errors**: no axes, an axis without points, more points than int64 counts.
    ///
    /// ```
    /// use ndany::sparse::linalg::{Boundary, LaplacianNd};
    /// let line = LaplacianNd::new([3], Boundary::Neumann).to_sparse();
    /// assert_eq!(line.to_dense().to_string(), "[[-1  1  0]\n [ 1 -2  1]\n [ 0  1 -1]]");
    /// ```
    #[track_caller]
    pub fn new(grid_shape: impl IntoIterator<Item = usize>, boundary: Boundary) -> Self {
        let grid_shape: Vec<usize> = grid_shape.into_iter().collect();
        let points = grid_shape
            .iter()
            .try_fold(1i64, |points, &extent| points.checked_mul(i64::try_from(extent).ok()?));
        if grid_shape.is_empty() || points.is_none_or(|points| points == 0) {
            let reason = format!(
                "expected axes with points, fewer than 2⁶³ in all, got shape {grid_shape:?}"
            );
            return refuse("LaplacianNd", reason);
        }
        Self { grid_shape, boundary }
    }

    /// Makes the array on the current device, as `tosparse` of SciPy, in compressed rows.
    ///
    /// - **Shapes**: as many rows and columns as there are points.
    /// - **Dtypes**: int8.
    /// - **Errors**: more than 42 axes, whose sums int8 does not hold.
    ///
    /// ```
    /// use ndany::sparse::linalg::{Boundary, LaplacianNd};
    /// let ring = LaplacianNd::new([3], Boundary::Periodic).to_sparse();
    /// assert_eq!(ring.to_dense().to_string(), "[[-2  1  1]\n [ 1 -2  1]\n [ 1  1 -2]]");
    /// ```
    #[track_caller]
    pub fn to_sparse(&self) -> Sparse {
        if self.grid_shape.len() > 42 {
            let axes = self.grid_shape.len();
            return refuse("LaplacianNd", format!("expected at most 42 axes, got {axes}"));
        }
        let along = self.grid_shape.iter().map(|&points| self.along(points));
        let sum = along.reduce(|before, next| crate::kronsum(next, before));
        sum.unwrap_or_else(|| self.along(1))
    }

    /// The Laplacian along one axis.
    #[track_caller]
    fn along(&self, points: usize) -> Sparse {
        let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for point in 0..points {
            let mut add = |column: usize, value: i8| {
                rows.push(point as i64);
                columns.push(column as i64);
                values.push(value);
            };
            let neighbours = [point.checked_sub(1), Some(point + 1).filter(|&next| next < points)];
            add(point, -2);
            for (side, neighbour) in neighbours.into_iter().enumerate() {
                match (neighbour, self.boundary) {
                    (Some(neighbour), _) => add(neighbour, 1),
                    (None, Boundary::Periodic) => add([points - 1, 0][side], 1),
                    (None, Boundary::Neumann) => add(point, 1),
                    (None, Boundary::Dirichlet) => {}
                }
            }
        }
        let [rows, columns] = [rows, columns].map(|part| Array::from_slice(&part, part.len()));
        let values = Array::from_slice(&values, values.len());
        crate::coo_array((values, (rows, columns)), (points, points)).to_csr()
    }

    /// Returns the eigenvalues, the least first, as `eigenvalues` of SciPy, on the current device.
    ///
    /// - **Shapes**: `(points,)`.
    /// - **Dtypes**: float64.
    /// - **Errors**: what fails on the device.
    ///
    /// ```
    /// use ndany::sparse::linalg::{Boundary, LaplacianNd};
    /// let ring = LaplacianNd::new([4], Boundary::Periodic);
    /// assert_eq!(format!("{:.4}", ring.eigenvalues()), "[-4. -2. -2.  0.]");
    /// ```
    #[track_caller]
    pub fn eigenvalues(&self) -> Array {
        let mut sums = ndany_array::zeros(1, DType::F64);
        for &points in &self.grid_shape {
            let n = points as f64;
            let own: Vec<f64> = (0..points)
                .map(|number| {
                    let number = number as f64;
                    let angle = match self.boundary {
                        Boundary::Dirichlet => (number + 1.0) / (2.0 * (n + 1.0)),
                        Boundary::Neumann => number / (2.0 * n),
                        Boundary::Periodic => libm::floor((number + 1.0) / 2.0) / n,
                    };
                    let sine = libm::sin(PI * angle);
                    0.0 - 4.0 * sine * sine
                })
                .collect();
            sums = (sums.reshape((-1, 1)) + Array::from_slice(&own, points)).ravel();
        }
        sums.sort(..)
    }
}
