//! Axes, lengths and scaling of transforms.

use smallvec::SmallVec;

use crate::arguments::AxisOptions;
pub use crate::arguments::choices::fft::Norm;
use crate::array::Array;
use ndany_core::shape::axis_index;
use ndany_core::{Error, Result};

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

impl AxisOptions {
    /// How the results of a transform are scaled.
    pub(super) fn scaling(&self) -> Norm {
        self.given_norm().unwrap_or_default()
    }

    /// The one axis, by default the last, and the points along it, if said.
    pub(super) fn transformed_axis(
        &self,
        op: &'static str,
        array: &Array,
    ) -> Result<(usize, Option<isize>)> {
        let axes = self.axes.as_deref().unwrap_or(&[-1]);
        let lengths = self.given_n();
        let lengths = lengths.as_deref();
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
        let lengths = self.given_n();
        let axes = match (&self.axes, default, &lengths) {
            (Some(axes), _, _) => axes.clone(),
            (None, Some(count), _) => last(count),
            (None, None, Some(lengths)) => last(lengths.len()),
            (None, None, None) => last(array.ndim()),
        };
        if let Some(lengths) = &lengths
            && lengths.len() != axes.len()
        {
            return Err(Error::Lengths { op, left: axes.len(), right: lengths.len() });
        }
        let count = axes.len();
        let each = axes.iter().enumerate().map(|(number, &axis)| {
            let axis = axis_index(op, axis, array.ndim())?;
            let extent = array.shape()[axis] as isize;
            let points = match &lengths {
                Some(lengths) if lengths[number] != -1 => lengths[number],
                None if halved && number + 1 == count => 2 * (extent - 1),
                Some(_) | None => extent,
            };
            Ok((axis, points))
        });
        each.collect()
    }
}
