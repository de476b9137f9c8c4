//! Sparse arrays that are filled element by element on the host.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use ndany_array::{Array, Element};

use crate::array::{Sparse, Storage, Structure};
use crate::create::Extents;
use crate::support::{index_dtype, refuse};

/// Elements of a sparse array on the host, as `scipy.sparse.dok_array` and `lil_array`; [`Builder::finish`] makes the array.
///
/// ```
/// use ndany::prelude::*;
/// let mut builder = sparse::Builder::new((2, 3));
/// builder.set(0, 2, 5.0);
/// builder.add(1, 0, 1.0);
/// builder.add(1, 0, 2.0);
/// assert_eq!(builder.finish().to_dense().to_string(), "[[0. 0. 5.]\n [3. 0. 0.]]");
/// ```
#[derive(Clone)]
pub struct Builder<T> {
    shape: [usize; 2],
    entries: BTreeMap<(usize, usize), T>,
}

impl<T> fmt::Debug for Builder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [m, n] = self.shape;
        write!(f, "Builder({m} by {n}, {} entries)", self.entries.len())
    }
}

impl<T: Element + Copy + Default> Builder<T> {
    /// Starts an array without entries.
    ///
    /// - **Errors**: `..` in place of a shape.
    ///
    /// ```
    /// let builder = ndany::sparse::Builder::<f64>::new((2, 3));
    /// assert_eq!(builder.finish().nnz(), 0);
    /// ```
    #[track_caller]
    pub fn new(shape: impl Into<Extents>) -> Self {
        Self { shape: shape.into().given("Builder"), entries: BTreeMap::new() }
    }

    #[track_caller]
    fn check(&self, i: usize, j: usize) {
        let [m, n] = self.shape;
        if i >= m || j >= n {
            refuse::<()>("Builder", format!("expected a place within {m} by {n}, got ({i}, {j})"));
        }
    }

    /// Sets an element.
    ///
    /// - **Errors**: a place out of range.
    ///
    /// ```
    /// let mut builder = ndany::sparse::Builder::new((2, 3));
    /// builder.set(1, 2, 7);
    /// assert_eq!(builder.get(1, 2), 7);
    /// ```
    #[track_caller]
    pub fn set(&mut self, i: usize, j: usize, value: T) {
        self.check(i, j);
        self.entries.insert((i, j), value);
    }

    /// Adds to an element.
    ///
    /// - **Errors**: a place out of range.
    ///
    /// ```
    /// let mut builder = ndany::sparse::Builder::new((2, 3));
    /// builder.add(1, 2, 7);
    /// builder.add(1, 2, 1);
    /// assert_eq!(builder.get(1, 2), 8);
    /// ```
    #[track_caller]
    pub fn add(&mut self, i: usize, j: usize, value: T)
    where
        T: AddAssign,
    {
        self.check(i, j);
        *self.entries.entry((i, j)).or_default() += value;
    }

    /// Returns an element, zero where none is stored.
    ///
    /// - **Errors**: a place out of range.
    ///
    /// ```
    /// assert_eq!(ndany::sparse::Builder::<i32>::new((2, 3)).get(1, 2), 0);
    /// ```
    #[track_caller]
    pub fn get(&self, i: usize, j: usize) -> T {
        self.check(i, j);
        self.entries.get(&(i, j)).copied().unwrap_or_default()
    }

    /// Makes the array, in coordinates on the current device.
    ///
    /// - **Shapes**: that of the builder.
    /// - **Dtypes**: that of the Rust type.
    ///
    /// ```
    /// let mut builder = ndany::sparse::Builder::new((2, 3));
    /// builder.set(1, 2, 7i32);
    /// assert_eq!(builder.finish().nnz(), 1);
    /// ```
    #[track_caller]
    pub fn finish(self) -> Sparse {
        let [m, n] = self.shape;
        let index = index_dtype(&[], m.max(n));
        let part = |of: &dyn Fn(&(usize, usize)) -> usize| {
            let part: Vec<i64> = self.entries.keys().map(|place| of(place) as i64).collect();
            Array::from_slice(&part, part.len()).astype(index)
        };
        let (rows, columns) = (part(&|place| place.0), part(&|place| place.1));
        let values: Vec<T> = self.entries.values().copied().collect();
        let data = Array::from_slice(&values, values.len());
        Sparse::of(self.shape, Storage::Coordinates { rows, columns, data }, Structure::canonical())
    }
}
