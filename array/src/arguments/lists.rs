//! Lists of arrays: as arguments, and as results.

use std::ops::Deref;

use crate::graph::Array;

/// Makes a slice of references of an argument `impl IntoIterator<Item: AsRef<Array>>`, under the argument's name.
macro_rules! list {
    ($arrays:ident) => {
        let $arrays: Vec<_> = $arrays.into_iter().collect();
        let $arrays: Vec<&crate::Array> = $arrays.iter().map(AsRef::as_ref).collect();
        let $arrays = $arrays.as_slice();
    };
}
pub(crate) use list;

/// Several arrays, as results with an array for each axis or each part.
///
/// It is a slice of arrays, an iterator over them, or, with [`Arrays::parts`], a pattern.
///
/// ```
/// use ndany::{Array, Device};
/// # let _guard = Device::open("reference")?.enter();
/// let [rows, columns] = Array::from([[0, 5], [7, 0]]).nonzero().parts();
/// assert_eq!((rows.to_vec::<i64>()?, columns.to_vec::<i64>()?), (vec![0, 1], vec![1, 0]));
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Arrays(Vec<Array>);

impl Arrays {
    /// Returns the arrays as a Rust array of `N`, so that a pattern can name them, as Python's unpacking.
    ///
    /// - **Shapes**: each as it is.
    /// - **Dtypes**: each as it is.
    /// - **Errors**: another number of arrays panics.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let [rows, columns] = array([[0, 1], [1, 0]]).nonzero().parts();
    /// assert_eq!((rows + columns).to_string(), "[1 1]");
    /// ```
    ///
    /// # Panics
    /// Where one of these is met.
    #[track_caller]
    pub fn parts<const N: usize>(self) -> [Array; N] {
        let count = self.0.len();
        match self.0.try_into() {
            Ok(parts) => parts,
            Err(_) => crate::attempt::raise(crate::Error::Range {
                op: "parts",
                reason: if count < N { "there are fewer arrays" } else { "there are more arrays" },
            }),
        }
    }
}

impl Deref for Arrays {
    type Target = [Array];
    fn deref(&self) -> &[Array] {
        &self.0
    }
}
impl From<Vec<Array>> for Arrays {
    fn from(arrays: Vec<Array>) -> Self {
        Self(arrays)
    }
}
impl From<Arrays> for Vec<Array> {
    fn from(arrays: Arrays) -> Self {
        arrays.0
    }
}
impl FromIterator<Array> for Arrays {
    fn from_iter<I: IntoIterator<Item = Array>>(arrays: I) -> Self {
        Self(arrays.into_iter().collect())
    }
}
impl IntoIterator for Arrays {
    type Item = Array;
    type IntoIter = std::vec::IntoIter<Array>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
impl<'a> IntoIterator for &'a Arrays {
    type Item = &'a Array;
    type IntoIter = std::slice::Iter<'a, Array>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
