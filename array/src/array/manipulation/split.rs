//! Splitting along an axis: always views.

use smallvec::SmallVec;

use crate::arguments::Arrays;
use crate::arguments::IntoAxis;
use crate::arguments::options::FirstAxis;
use crate::array::Array;
use crate::array::manipulation::join::parts;
use crate::array::manipulation::manipulate::needs_axes;
use crate::declare::array_functions;
use ndany_core::host;
use ndany_core::shape::axis_index;
use ndany_core::{Error, Result};

/// Where to cut: into how many parts, or before which positions.
#[derive(Clone, Debug)]
pub enum Cuts {
    /// This many parts.
    Parts(isize),
    /// Before each of these positions, which are bounds of slices: negative ones count from the end,
    /// those outside are clipped.
    Before(SmallVec<[isize; 4]>),
}

impl From<i32> for Cuts {
    fn from(parts: i32) -> Self {
        Cuts::Parts(parts as isize)
    }
}
impl From<usize> for Cuts {
    fn from(parts: usize) -> Self {
        Cuts::Parts(isize::try_from(parts).unwrap_or(isize::MAX))
    }
}
impl From<&[isize]> for Cuts {
    fn from(positions: &[isize]) -> Self {
        Cuts::Before(SmallVec::from_slice(positions))
    }
}
impl<const N: usize> From<[isize; N]> for Cuts {
    fn from(positions: [isize; N]) -> Self {
        Cuts::Before(SmallVec::from_slice(&positions))
    }
}

array_functions! {
    checked split, free free_split;

    /// Splits into parts along an axis, the first ones longer by one if need be, as `np.array_split`; views.
    ///
    /// Takes the number of parts, or the positions where parts begin.
    ///
    /// - **Shapes**: `(n, …) → (n / k, …), …` for axis 0.
    /// - **Dtypes**: any; the results have the same.
    /// - **Errors**: no parts, an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(arange(5).array_split(2, 0)[0].to_string(), "[0 1 2]");
    /// ```
    array_split / try_array_split (self, cuts: impl Into<Cuts>, axis: impl IntoAxis<FirstAxis>) -> Arrays {
        const OP: &str = "array_split";
        let ndim = self.ndim();
        // NumPy asks the shape for this item.
        let axis = axis_index(OP, axis.into_axis().one(OP)?, ndim)
            .map_err(|_| Error::IndexForm { op: OP, reason: "no such axis", ndim })?;
        let size = self.shape()[axis];
        let bounds: Vec<(usize, usize)> = match cuts.into() {
            Cuts::Parts(count) => {
                let count = usize::try_from(count).ok().filter(|&count| count > 0);
                let count = count.ok_or(Error::Range { op: OP, reason: "no parts at all" })?;
                // A list of bounds and one of arrays.
                let entry = size_of::<(usize, usize)>() + size_of::<Array>();
                host::ensure_memory(OP, count.saturating_mul(entry))?;
                let (each, longer) = (size / count, size % count);
                (0..count)
                    .map(|part| {
                        let start = part * each + part.min(longer);
                        (start, start + each + usize::from(part < longer))
                    })
                    .collect()
            }
            Cuts::Before(positions) => {
                let clip = |position: isize| {
                    let counted = if position < 0 { position + size as isize } else { position };
                    counted.clamp(0, size as isize) as usize
                };
                let mut ends: Vec<usize> = positions.iter().map(|&position| clip(position)).collect();
                ends.push(size);
                let starts = std::iter::once(0).chain(ends.iter().copied());
                starts.zip(ends.iter().copied()).collect()
            }
        };
        parts(OP, self, &bounds, axis).map(Arrays::from)
    }

    /// Splits into equal parts along an axis, or at these positions, as `np.split`; views.
    ///
    /// - **Shapes**: `(n, …) → (n / k, …), …` for axis 0.
    /// - **Dtypes**: any; the results have the same.
    /// - **Errors**: parts that are not equal, no parts, an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(arange(4).split(2, 0)[1].to_string(), "[2 3]");
    /// ```
    split / try_split (self, cuts: impl Into<Cuts>, axis: impl IntoAxis<FirstAxis>) -> Arrays {
        let (cuts, axis) = (cuts.into(), axis.into_axis().one("split")?);
        if let (Cuts::Parts(count), Ok(axis)) = (&cuts, axis_index("split", axis, self.ndim())) {
            if *count == 0 {
                return Err(Error::ZeroDivision { op: "split" });
            }
            if (self.shape()[axis] as isize) % *count != 0 {
                let expected = format!("an extent of axis {axis} that {count} divides");
                return Err(Error::Shape { op: "split", expected, got: self.shape().into() });
            }
        }
        self.try_array_split(cuts, axis)
    }

    /// Splits along the second axis, a 1-d array along the first, as `np.hsplit`; views.
    ///
    /// - **Shapes**: `(m, n) → (m, n / k), …`.
    /// - **Dtypes**: any; the results have the same.
    /// - **Errors**: a 0-d array, parts that are not equal.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(arange(4).hsplit(2)[0].to_string(), "[0 1]");
    /// ```
    hsplit / try_hsplit (self, cuts: impl Into<Cuts>) -> Arrays {
        needs_axes("hsplit", self, 1)?;
        self.try_split(cuts, isize::from(self.ndim() > 1))
    }

    /// Splits along the first axis of an array with at least two axes, as `np.vsplit`; views.
    ///
    /// - **Shapes**: `(m, n) → (m / k, n), …`.
    /// - **Dtypes**: any; the results have the same.
    /// - **Errors**: fewer than two axes, parts that are not equal.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).vsplit(2)[1].to_string(), "[[3 4]]");
    /// ```
    vsplit / try_vsplit (self, cuts: impl Into<Cuts>) -> Arrays {
        needs_axes("vsplit", self, 2)?;
        self.try_split(cuts, 0)
    }

    /// Splits along the third axis, as `np.dsplit`; views.
    ///
    /// - **Shapes**: `(l, m, n) → (l, m, n / k), …`.
    /// - **Dtypes**: any; the results have the same.
    /// - **Errors**: fewer than three axes, parts that are not equal.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(zeros((2, 2, 4), ..).dsplit(2)[1].shape(), [2, 2, 2]);
    /// ```
    dsplit / try_dsplit (self, cuts: impl Into<Cuts>) -> Arrays {
        needs_axes("dsplit", self, 3)?;
        self.try_split(cuts, 2)
    }

    /// Splits into the parts at each position of an axis, which goes, as `np.unstack`; views.
    ///
    /// - **Shapes**: `(k, …) → (…), …` for axis 0.
    /// - **Dtypes**: any; the results have the same.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2], [3, 4]]).unstack(0)[1].to_string(), "[3 4]");
    /// ```
    unstack / try_unstack (self, axis: impl IntoAxis<FirstAxis>) -> Arrays {
        needs_axes("unstack", self, 1)?;
        let axis = axis_index("unstack", axis.into_axis().one("unstack")?, self.ndim())?;
        let others: SmallVec<[usize; 4]> = (0..self.ndim()).filter(|&other| other != axis).collect();
        let one = self.layout().permute(&others);
        let step = self.layout().strides[axis];
        let at = |position: usize| {
            let mut layout = one.clone();
            if layout.size() > 0 {
                layout.offset = (layout.offset as isize + position as isize * step) as usize;
            }
            self.with_layout(layout)
        };
        Ok((0..self.shape()[axis]).map(at).collect())
    }
}

/// The elements of the first axis, one view after the other: what Python's `for row in a` gives.
#[derive(Debug)]
pub struct Outer<'a> {
    array: &'a Array,
    next: usize,
}

impl Iterator for Outer<'_> {
    type Item = Array;

    fn next(&mut self) -> Option<Array> {
        let position = (self.next < self.array.shape()[0]).then_some(self.next)?;
        self.next += 1;
        Some(self.array.i(position))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.array.shape()[0] - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Outer<'_> {}

impl Array {
    /// Iterates over the parts at each position of the first axis, by views, as `for part in a` of NumPy.
    ///
    /// Panics for a 0-d array.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1, 2], [3, 4]]);
    /// let sums: Vec<String> = a.outer_iter().map(|row| row.sum(..).to_string()).collect();
    /// assert_eq!(sums, ["3", "7"]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn outer_iter(&self) -> Outer<'_> {
        crate::declare::expect(needs_axes("outer_iter", self, 1));
        Outer { array: self, next: 0 }
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = Array;
    type IntoIter = Outer<'a>;

    /// As [`Array::outer_iter`].
    #[track_caller]
    fn into_iter(self) -> Outer<'a> {
        self.outer_iter()
    }
}

/// The elements in C order as Rust values.
impl Array {
    /// Iterates over the elements in C order, as `np.ndarray.flat`; waits for the device once.
    ///
    /// - **Errors**: a `T` that is not the dtype's Rust type, what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3]).elements::<i32>()?.sum::<i32>(), 6);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn elements<T: crate::Element>(&self) -> Result<std::vec::IntoIter<T>> {
        Ok(self.to_vec::<T>()?.into_iter())
    }
}
