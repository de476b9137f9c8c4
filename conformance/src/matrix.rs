//! Small complex matrices for the checks of `property`: plain loops, obviously right, never fast.

use crate::host::HostArray;

/// A matrix of complex doubles, in C order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<(f64, f64)>,
}

impl Matrix {
    fn from_fn(rows: usize, columns: usize, value: impl Fn(usize, usize) -> (f64, f64)) -> Self {
        let positions = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Self { rows, columns, values: positions.map(|(row, column)| value(row, column)).collect() }
    }

    /// The matrices of the last two axes.
    pub(crate) fn stack(array: &HostArray) -> Result<Vec<Matrix>, String> {
        let [.., rows, columns] = *array.shape() else {
            return Err(format!("shape {:?} holds no matrix", array.shape()));
        };
        let values = array.complex_values();
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let chunks = values.chunks_exact(rows * columns);
        Ok(chunks.map(|values| Matrix { rows, columns, values: values.to_vec() }).collect())
    }

    /// The diagonal matrices of the rows of the last axis.
    pub(crate) fn diagonals(array: &HostArray) -> Result<Vec<Matrix>, String> {
        let [.., size] = *array.shape() else { return Err("a scalar is no diagonal".to_owned()) };
        let values = array.complex_values();
        let rows = values.chunks_exact(size.max(1));
        Ok(rows
            .map(|row| Matrix::from_fn(size, size, |i, j| if i == j { row[i] } else { (0.0, 0.0) }))
            .collect())
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> (f64, f64) {
        self.values[row * self.columns + column]
    }

    /// Conjugate transpose.
    pub(crate) fn adjoint(&self) -> Matrix {
        Matrix::from_fn(self.columns, self.rows, |row, column| {
            let (re, im) = self.at(column, row);
            (re, -im)
        })
    }

    pub(crate) fn identity_alike(&self) -> Matrix {
        Matrix::from_fn(self.rows, self.columns, |row, column| {
            (if row == column { 1.0 } else { 0.0 }, 0.0)
        })
    }

    pub(crate) fn times(&self, other: &Matrix) -> Result<Matrix, String> {
        if self.columns != other.rows {
            return Err(format!(
                "a matrix of {} columns meets one of {} rows",
                self.columns, other.rows
            ));
        }
        Ok(Matrix::from_fn(self.rows, other.columns, |row, column| {
            (0..self.columns).fold((0.0, 0.0), |sum, k| {
                let (a, b) = (self.at(row, k), other.at(k, column));
                (sum.0 + (a.0 * b.0 - a.1 * b.1), sum.1 + (a.0 * b.1 + a.1 * b.0))
            })
        }))
    }

    /// Largest difference of two elements; NaN if any is.
    pub(crate) fn distance(&self, other: &Matrix) -> Result<f64, String> {
        if (self.rows, self.columns) != (other.rows, other.columns) {
            return Err(format!(
                "sides of {}×{} and {}×{}",
                self.rows, self.columns, other.rows, other.columns
            ));
        }
        let pairs = self.values.iter().zip(&other.values);
        Ok(pairs.map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1)).fold(0.0, worst))
    }

    /// Lengths of the columns.
    pub(crate) fn lengths(&self) -> Vec<f64> {
        let square = |(re, im): (f64, f64)| re * re + im * im;
        let sum = |column| (0..self.rows).map(|row| square(self.at(row, column))).sum::<f64>();
        (0..self.columns).map(|column| sum(column).sqrt()).collect()
    }

    /// Largest element outside the triangle; NaN if any is.
    pub(crate) fn largest_outside(&self, upper: bool) -> f64 {
        let outside = |row: usize, column: usize| if upper { row > column } else { row < column };
        let positions = (0..self.rows).flat_map(|row| (0..self.columns).map(move |c| (row, c)));
        positions
            .filter(|&(row, column)| outside(row, column))
            .map(|(row, column)| self.at(row, column))
            .map(|(re, im)| re.hypot(im))
            .fold(0.0, worst)
    }
}

/// The maximum, except that a NaN stays: `f64::max` would drop it, and the check would pass.
fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
