//! Options of transforms: axes, lengths, scaling.

use std::ops::RangeFull;

use smallvec::SmallVec;

use crate::array::Array;
use crate::error::{Error, Result};
use crate::shape::axis_index;

/// Which way divides by the number of points, so that both together change nothing: NumPy's `norm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Norm {
    /// The inverse.
    #[default]
    Backward,
    /// Each by the square root, so that lengths of vectors stay.
    Ortho,
    /// The transform.
    Forward,
}

impl Norm {
    /// What a transform of `n` points is multiplied by.
    pub(super) fn scale(self, forward: bool, n: usize) -> f64 {
        match (self, forward) {
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0,
            (Norm::Backward, false) | (Norm::Forward, true) => 1.0 / n as f64,
            (Norm::Ortho, _) => 1.0 / (n as f64).sqrt(),
        }
    }

    /// With the ways exchanged.
    pub(super) fn swapped(self) -> Self {
        match self {
            Norm::Backward => Norm::Forward,
            Norm::Ortho => Norm::Ortho,
            Norm::Forward => Norm::Backward,
        }
    }
}

/// Axes, lengths and scaling of a transform: what NumPy takes as `axis` or `axes`, `n` or `s`, and `norm`.
///
/// `..` is the default (the last axis, the last two, or all, by the function), an axis or an array of axes stands for
/// itself; [`along`] starts one with options. Axes are transformed the last first; one that is given twice, twice.
///
/// ```
/// use ndany::fft::along;
/// use ndany::{Array, Device};
/// # let _guard = Device::open("reference")?.enter();
/// let x = Array::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(x.fft(0).shape(), [2, 3]);
/// assert_eq!(x.rfftn(along([0, 1]).lengths(&[4, -1])).shape(), [4, 2]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Along {
    axes: Option<SmallVec<[isize; 4]>>,
    lengths: Option<SmallVec<[isize; 4]>>,
    pub(super) norm: Norm,
}

/// Starts the options of a transform along these axes.
pub fn along(axes: impl Into<Along>) -> Along {
    axes.into()
}

impl Along {
    /// Points of a transform along one axis: what is longer is cut off, what is missing counts as zero. Those of a result
    /// where the transform is to real numbers.
    pub fn length(self, points: usize) -> Self {
        // More than an isize are refused as any that no memory holds.
        self.lengths(&[isize::try_from(points).unwrap_or(isize::MAX)])
    }

    /// Points along each axis, -1 for as many as there are.
    pub fn lengths(mut self, points: &[isize]) -> Self {
        self.lengths = Some(SmallVec::from_slice(points));
        self
    }

    /// How results are scaled.
    pub fn norm(mut self, norm: Norm) -> Self {
        self.norm = norm;
        self
    }

    /// The one axis, by default the last, and the points along it, if said.
    pub(super) fn one(&self, op: &'static str, array: &Array) -> Result<(usize, Option<isize>)> {
        let axes = self.axes.as_deref().unwrap_or(&[-1]);
        let lengths = self.lengths.as_deref();
        match (axes, lengths) {
            (&[axis], None) => Ok((axis_index(op, axis, array.ndim())?, None)),
            (&[axis], Some(&[points])) => Ok((axis_index(op, axis, array.ndim())?, Some(points))),
            _ => {
                let (left, right) = (axes.len(), lengths.map_or(1, <[isize]>::len));
                Err(Error::Lengths { op, left, right })
            }
        }
    }

    /// Each axis with its points, as many as `default` axes from the end, or all. `halved` for transforms to real numbers,
    /// whose last axis has half of its points.
    pub(super) fn each(
        &self,
        op: &'static str,
        array: &Array,
        default: Option<usize>,
        halved: bool,
    ) -> Result<SmallVec<[(usize, isize); 4]>> {
        let last = |count: usize| (-(count as isize)..0).collect::<SmallVec<[isize; 4]>>();
        let axes = match (&self.axes, default, &self.lengths) {
            (Some(axes), _, _) => axes.clone(),
            (None, Some(count), _) => last(count),
            (None, None, Some(lengths)) => last(lengths.len()),
            (None, None, None) => last(array.ndim()),
        };
        if let Some(lengths) = &self.lengths
            && lengths.len() != axes.len()
        {
            return Err(Error::Lengths { op, left: axes.len(), right: lengths.len() });
        }
        let count = axes.len();
        let each = axes.iter().enumerate().map(|(number, &axis)| {
            let axis = axis_index(op, axis, array.ndim())?;
            let extent = array.shape()[axis] as isize;
            let points = match &self.lengths {
                Some(lengths) if lengths[number] != -1 => lengths[number],
                None if halved && number + 1 == count => 2 * (extent - 1),
                Some(_) | None => extent,
            };
            Ok((axis, points))
        });
        each.collect()
    }
}

impl From<RangeFull> for Along {
    fn from(_: RangeFull) -> Self {
        Self::default()
    }
}
impl From<isize> for Along {
    fn from(axis: isize) -> Self {
        Self::from([axis])
    }
}
impl<const N: usize> From<[isize; N]> for Along {
    fn from(axes: [isize; N]) -> Self {
        Self::from(axes.as_slice())
    }
}
impl From<&[isize]> for Along {
    fn from(axes: &[isize]) -> Self {
        Self { axes: Some(SmallVec::from_slice(axes)), ..Self::default() }
    }
}
