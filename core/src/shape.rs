//! Shapes and strided layouts: broadcasting, axis numbers, views, and the collapsing of axes.
//!
//! Pure integer work. Strides and offsets count elements, not bytes. Every product is checked.

use smallvec::SmallVec;

use crate::dtype::DType;
pub use crate::error::MAX_NDIM;
use crate::error::{Error, Result};

/// Extents of the axes.
pub type Shape = SmallVec<[usize; 4]>;
/// Steps of the axes, in elements.
pub type Strides = SmallVec<[isize; 4]>;

/// Number of elements of a shape that has passed [`checked_size`].
#[inline]
pub fn size_of(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Number of elements, if the array fits the address space and the dimension limit.
#[inline]
pub fn checked_size(op: &'static str, shape: &[usize], dtype: DType) -> Result<usize> {
    // Zero extents do not excuse the others: NumPy refuses (2^40, 2^40, 0) too.
    let mut bytes = Some(dtype.size());
    for &extent in shape {
        bytes = bytes.and_then(|bytes| bytes.checked_mul(extent.max(1)));
    }
    match bytes {
        Some(bytes) if bytes <= isize::MAX as usize && shape.len() <= MAX_NDIM => {
            Ok(size_of(shape))
        }
        _ => Err(refused_size(op, shape, dtype)),
    }
}

#[cold]
fn refused_size(op: &'static str, shape: &[usize], dtype: DType) -> Error {
    match shape.len() > MAX_NDIM {
        true => Error::TooManyDimensions { op, ndim: shape.len() },
        false => Error::TooLarge { op, shape: shape.into(), dtype },
    }
}

/// The shape to which two shapes broadcast.
pub fn broadcast(op: &'static str, left: &[usize], right: &[usize]) -> Result<Shape> {
    if left == right {
        return Ok(Shape::from_slice(left));
    }
    let ndim = left.len().max(right.len());
    let extent = |shape: &[usize], axis: usize| {
        (axis + shape.len()).checked_sub(ndim).map_or(1, |axis| shape[axis])
    };
    (0..ndim)
        .map(|axis| match (extent(left, axis), extent(right, axis)) {
            (a, b) if a == b => Ok(a),
            (1, b) => Ok(b),
            (a, 1) => Ok(a),
            _ => Err(Error::Broadcast { op, left: left.into(), right: right.into() }),
        })
        .collect()
}

/// The axis counted from the front.
#[inline]
pub fn axis_index(op: &'static str, axis: isize, ndim: usize) -> Result<usize> {
    let counted = if axis < 0 { axis + ndim as isize } else { axis };
    usize::try_from(counted).ok().filter(|&axis| axis < ndim).ok_or(Error::Axis { op, axis, ndim })
}

/// Several different axes, counted from the front, in the order given.
pub fn axis_indices(op: &'static str, axes: &[isize], ndim: usize) -> Result<SmallVec<[usize; 4]>> {
    let mut seen: SmallVec<[usize; 4]> = SmallVec::new();
    for &axis in axes {
        let axis = axis_index(op, axis, ndim)?;
        if seen.contains(&axis) {
            return Err(Error::AxisTwice { op, axis });
        }
        seen.push(axis);
    }
    Ok(seen)
}

/// As many steps of 0.
#[inline]
pub fn zero_strides(ndim: usize) -> Strides {
    match ndim {
        0..=4 => Strides::from_buf_and_len([0; 4], ndim),
        _ => Strides::from_elem(0, ndim),
    }
}

/// The strides of a C-ordered array.
#[inline]
pub fn contiguous_strides(shape: &[usize]) -> Strides {
    let mut strides = zero_strides(shape.len());
    let mut step = 1isize;
    for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
        *stride = step;
        step *= extent.max(1) as isize;
    }
    strides
}

/// Where the elements of a view lie in its buffer.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// Extents.
    pub shape: Shape,
    /// Steps, in elements.
    pub strides: Strides,
    /// First element.
    pub offset: usize,
}

impl Clone for Layout {
    /// Copies the extents and steps as they lie; element by element it costs a good part of a small operation.
    #[inline]
    fn clone(&self) -> Self {
        Self {
            shape: Shape::from_slice(&self.shape),
            strides: Strides::from_slice(&self.strides),
            offset: self.offset,
        }
    }
}

impl Layout {
    /// Returns the layout of an array in C order from the start of its memory.
    ///
    /// ```
    /// use ndany::exchange::Layout;
    /// assert_eq!(Layout::contiguous(&[2, 3]).strides.as_slice(), [3, 1]);
    /// ```
    #[inline]
    pub fn contiguous(shape: &[usize]) -> Self {
        Self { shape: Shape::from_slice(shape), strides: contiguous_strides(shape), offset: 0 }
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// use ndany::exchange::Layout;
    /// assert_eq!(Layout::contiguous(&[2, 3]).size(), 6);
    /// ```
    #[inline]
    pub fn size(&self) -> usize {
        size_of(&self.shape)
    }

    /// Returns whether the view runs through its elements in C order without gaps.
    ///
    /// ```
    /// use ndany::exchange::Layout;
    /// assert!(Layout::contiguous(&[2, 3]).is_contiguous());
    /// ```
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        is_packed(self.shape.iter().zip(&self.strides).rev()) || self.shape.contains(&0)
    }

    /// Returns whether the view runs through its elements in Fortran order without gaps.
    ///
    /// ```
    /// use ndany::exchange::Layout;
    /// assert!(!Layout::contiguous(&[2, 3]).is_fortran());
    /// ```
    #[inline]
    pub fn is_fortran(&self) -> bool {
        is_packed(self.shape.iter().zip(&self.strides)) || self.shape.contains(&0)
    }

    /// Returns the layout of the same elements under a larger shape, with stride 0 where an axis repeats.
    ///
    /// The shape must be one that [`broadcast`] allows.
    ///
    /// ```
    /// use ndany::exchange::Layout;
    /// assert_eq!(Layout::contiguous(&[3]).broadcast_to(&[2, 3]).strides.as_slice(), [0, 1]);
    /// ```
    pub fn broadcast_to(&self, shape: &[usize]) -> Layout {
        if shape == self.shape.as_slice() {
            return self.clone();
        }
        let missing = shape.len() - self.shape.len();
        let mut strides: Strides = SmallVec::from_elem(0, shape.len());
        for axis in 0..self.shape.len() {
            if self.shape[axis] != 1 || shape[axis + missing] == 1 {
                strides[axis + missing] = self.strides[axis];
            }
        }
        Layout { shape: Shape::from_slice(shape), strides, offset: self.offset }
    }

    /// Returns the layout with its axes in a new order.
    ///
    /// ```
    /// use ndany::exchange::Layout;
    /// assert_eq!(Layout::contiguous(&[2, 3]).permute(&[1, 0]).strides.as_slice(), [1, 3]);
    /// ```
    pub fn permute(&self, axes: &[usize]) -> Layout {
        Layout {
            shape: axes.iter().map(|&axis| self.shape[axis]).collect(),
            strides: axes.iter().map(|&axis| self.strides[axis]).collect(),
            offset: self.offset,
        }
    }

    /// Returns the layout of the same elements, in C order, under another shape of the same size, if strides can say so.
    ///
    /// ```
    /// use ndany::exchange::Layout;
    /// let turned = Layout::contiguous(&[2, 3]).permute(&[1, 0]);
    /// assert!(turned.reshape(&[3, 1, 2]).is_some() && turned.reshape(&[6]).is_none());
    /// ```
    pub fn reshape(&self, shape: &[usize]) -> Option<Layout> {
        if self.size() == 0 || self.is_contiguous() {
            return Some(Layout { offset: self.offset, ..Layout::contiguous(shape) });
        }
        let mut strides: Strides = SmallVec::from_elem(1, shape.len());
        // Old axes of extent 1 say nothing; walk runs of old and new axes with equal products.
        let old: SmallVec<[(usize, isize); 4]> = self
            .shape
            .iter()
            .copied()
            .zip(self.strides.iter().copied())
            .filter(|&(extent, _)| extent != 1)
            .collect();
        let (mut from, mut to) = (0, 0);
        while from < old.len() {
            let (first_from, first_to) = (from, to);
            let (mut have, mut want) = (old[from].0, 1);
            from += 1;
            while have != want {
                if want < have {
                    want *= shape[to];
                    to += 1;
                } else {
                    have *= old[from].0;
                    from += 1;
                }
            }
            for pair in old[first_from..from].windows(2) {
                if pair[0].1 != pair[1].0 as isize * pair[1].1 {
                    return None;
                }
            }
            let mut step = old[from - 1].1;
            for axis in (first_to..to).rev() {
                strides[axis] = step;
                step *= shape[axis] as isize;
            }
        }
        Some(Layout { shape: Shape::from_slice(shape), strides, offset: self.offset })
    }

    /// Returns whether two indices may name one element of the memory, so that a write at one shows at the other.
    ///
    /// Sorted by stride, each stride must exceed the reach of all smaller ones together; then every element has one index,
    /// as every number has one notation in mixed radix. This holds of every slice and permutation of an array without
    /// repetitions. Of other layouts that happen not to overlap (strides 2 and 3 over 2 x 2 elements) the answer is `true`
    /// as well: it costs a copy, where `false` for one that overlaps would cost a value.
    ///
    /// ```
    /// use ndany::exchange::Layout;
    /// assert!(Layout::contiguous(&[3]).broadcast_to(&[2, 3]).may_overlap());
    /// ```
    pub fn may_overlap(&self) -> bool {
        if self.is_contiguous() {
            return false;
        }
        let axes = self.strides.iter().zip(&self.shape).filter(|&(_, &extent)| extent > 1);
        let mut axes: SmallVec<[(usize, usize); 4]> =
            axes.map(|(stride, &extent)| (stride.unsigned_abs(), extent)).collect();
        axes.sort_unstable();
        let mut reach = 0;
        axes.iter().any(|&(step, extent)| {
            let overlaps = step <= reach;
            reach += step * (extent - 1);
            overlaps
        })
    }

    /// Returns the lowest and highest element that the view touches; `None` when it has none.
    ///
    /// ```
    /// use ndany::exchange::Layout;
    /// assert_eq!(Layout::contiguous(&[2, 3]).span(), Some((0, 5)));
    /// ```
    pub fn span(&self) -> Option<(usize, usize)> {
        if self.size() == 0 {
            return None;
        }
        let (mut low, mut high) = (self.offset as isize, self.offset as isize);
        for (&stride, &extent) in self.strides.iter().zip(&self.shape) {
            let reach = stride * (extent as isize - 1);
            if reach < 0 { low += reach } else { high += reach }
        }
        Some((low as usize, high as usize))
    }
}

/// Whether the axes, from the fastest on, are packed one in the other.
fn is_packed<'a>(axes: impl Iterator<Item = (&'a usize, &'a isize)>) -> bool {
    let mut step = 1isize;
    for (&extent, &stride) in axes {
        if extent != 1 {
            if stride != step {
                return false;
            }
            step *= extent as isize;
        }
    }
    true
}

/// Merges axes of an iteration space, in place, wherever every operand steps through both as through one.
///
/// `fixed` trailing axes are kept apart from the rest (they are the row of a reduction) and merged
/// among themselves. Returns how many trailing axes the row has afterwards. Axes of extent 1 vanish.
pub fn collapse(shape: &mut Shape, operands: &mut [Strides], fixed: usize) -> usize {
    let boundary = shape.len() - fixed;
    let mut kept = 0;
    let mut row_axes = 0;
    for axis in 0..shape.len() {
        if shape[axis] == 1 {
            continue;
        }
        let in_row = axis >= boundary;
        let same_side = kept > 0 && (in_row == (row_axes > 0));
        let merges = same_side
            && operands
                .iter()
                .all(|strides| strides[kept - 1] == strides[axis] * shape[axis] as isize);
        if merges {
            shape[kept - 1] *= shape[axis];
            for strides in operands.iter_mut() {
                strides[kept - 1] = strides[axis];
            }
        } else {
            shape[kept] = shape[axis];
            for strides in operands.iter_mut() {
                strides[kept] = strides[axis];
            }
            kept += 1;
            row_axes += usize::from(in_row);
        }
    }
    shape.truncate(kept);
    for strides in operands.iter_mut() {
        strides.truncate(kept);
    }
    row_axes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reshape_of_a_strided_view_is_a_view_when_strides_can_say_it() {
        let rows = Layout {
            shape: [4, 6].into_iter().collect(),
            strides: [12, 1].into_iter().collect(),
            offset: 3,
        };
        let split = rows.reshape(&[2, 2, 3, 2]).expect("splits inside each axis");
        assert_eq!(split.strides.as_slice(), [24, 12, 2, 1]);
        assert!(rows.reshape(&[24]).is_none());
        let column = Layout {
            shape: [4, 1].into_iter().collect(),
            strides: [-12, 5].into_iter().collect(),
            offset: 40,
        };
        assert_eq!(column.reshape(&[2, 1, 2]).expect("one axis").strides[2], -12);
    }

    #[test]
    fn layouts_that_may_overlap_are_all_that_do() {
        // Every layout of three axes with small extents and strides, against a count of its places.
        let extents = 0..4usize;
        let strides = -4..5isize;
        let (mut overlapping, mut cautious) = (0, 0);
        for (a, b, c) in extents.clone().flat_map(|a| {
            let extents = extents.clone();
            extents.clone().flat_map(move |b| extents.clone().map(move |c| (a, b, c)))
        }) {
            for (x, y, z) in strides.clone().flat_map(|x| {
                let strides = strides.clone();
                strides.clone().flat_map(move |y| strides.clone().map(move |z| (x, y, z)))
            }) {
                let layout = Layout {
                    shape: [a, b, c].into_iter().collect(),
                    strides: [x, y, z].into_iter().collect(),
                    offset: 100,
                };
                let mut places = std::collections::BTreeSet::new();
                let mut repeats = false;
                for (i, j, k) in (0..a).flat_map(|i| {
                    (0..b).flat_map(move |j| {
                        (0..c).map(move |k| (i as isize, j as isize, k as isize))
                    })
                }) {
                    repeats |= !places.insert(i * x + j * y + k * z);
                }
                assert!(layout.may_overlap() || !repeats, "{layout:?}");
                overlapping += usize::from(repeats);
                cautious += usize::from(layout.may_overlap() && !repeats);
            }
        }
        assert!(overlapping > 1000, "{overlapping} layouts overlap");
        assert!(cautious < overlapping / 10, "{cautious} layouts are copied for nothing");
        // Slices and permutations of what does not overlap.
        for strides in [[60, 12, 1], [1, 60, 12], [-12, 2, -60]] {
            let shape: Shape =
                if strides[2] == -60 { [5, 3, 4] } else { [2, 2, 2] }.into_iter().collect();
            let layout = Layout { shape, strides: strides.into_iter().collect(), offset: 300 };
            assert!(!layout.may_overlap(), "{layout:?}");
        }
    }

    #[test]
    fn collapse_merges_what_all_operands_agree_on() {
        let mut shape: Shape = [2, 1, 3, 4].into_iter().collect();
        let mut operands = [contiguous_strides(&shape), [0, 0, 4, 1].into_iter().collect()];
        assert_eq!(collapse(&mut shape, &mut operands, 0), 0);
        assert_eq!(shape.as_slice(), [2, 12]);
        assert_eq!(operands[1].as_slice(), [0, 1]);
        let mut shape: Shape = [2, 3, 4].into_iter().collect();
        let mut operands = [contiguous_strides(&shape)];
        assert_eq!(collapse(&mut shape, &mut operands, 2), 1);
        assert_eq!(shape.as_slice(), [2, 12]);
    }

    #[test]
    fn sizes_are_checked() {
        assert!(checked_size("zeros", &[1 << 40, 1 << 40], DType::F64).is_err());
        assert!(checked_size("zeros", &[1 << 62], DType::F64).is_err());
        assert!(checked_size("zeros", &[1 << 40, 1 << 40, 0], DType::U8).is_err());
        assert_eq!(checked_size("zeros", &[3, 0], DType::F64).ok(), Some(0));
    }
}
