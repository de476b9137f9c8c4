//! The patterns that move elements: reading and writing at positions that arrays name, and picking what
//! a mask shows.
//!
//! They know nothing of dtypes but the size of an element (only a [`Scatter`] that combines computes),
//! and nothing of index expressions: core turns those into steps and positions. Which elements move is
//! decided by data, so these are the patterns that can find an index out of range.

use smallvec::SmallVec;

use super::StridedView;
use crate::error::{Error, Origin};
use crate::program::Prim;
use crate::shape::Shape;

/// An axis of an array that positions walk instead of steps.
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    /// The positions, of dtype I64, along the axes of the launch. Negative ones count from the end.
    pub place: StridedView<'a>,
    /// Extent of the axis: positions are in `-extent..extent`, or there is no such element.
    pub extent: usize,
    /// Step of the axis, in elements of the array.
    pub stride: isize,
    /// Which axis of its array it is, for the error.
    pub axis: usize,
    /// Has core made or looked at all positions, so that none is outside? Then a backend need not look.
    pub known: bool,
}

impl Positions<'_> {
    /// The error about a position that is not there.
    pub fn out_of_range(&self, index: i64) -> Error {
        Error::Index { op: "index", index: index as isize, axis: self.axis, size: self.extent }
    }

    /// The position counted from the front, if there is such an element.
    pub fn resolve(&self, index: i64) -> Option<isize> {
        let extent = self.extent as i64;
        let counted = if index < 0 { index.wrapping_add(extent) } else { index };
        (0..extent).contains(&counted).then_some(counted as isize)
    }
}

/// Reads elements at positions: element `i` of `out` is the element of `source` that lies at its first
/// one, plus the source's steps along `i`, plus `stride * position` for each of `positions`.
///
/// A position out of range is [`Error::Index`] with its value (of the first one, in C order of the
/// space and then in the order of `positions`); nothing is read outside the source. What `out` holds
/// then is not defined.
#[derive(Clone, Debug)]
pub struct Gather<'a> {
    /// The iteration space. No extent is 0 or 1.
    pub shape: Shape,
    /// What is read. Its steps are 0 along axes that only the positions walk.
    pub source: StridedView<'a>,
    /// At least one.
    pub positions: SmallVec<[Positions<'a>; 2]>,
    /// Of the source's dtype; its elements are all different, and none lies in the source.
    pub out: StridedView<'a>,
    /// What the output is, for an error that turns up later. Errors that operands carry count in this order: the
    /// source, then the positions.
    pub origin: Origin<'a>,
}

/// Writes elements at positions, as if in C order of the space: the last writer of an element wins, or,
/// with `combine`, each value is combined into what is there.
///
/// A position out of range is [`Error::Index`] as in [`Gather`], and then **nothing** is written: a
/// backend looks at all positions first.
#[derive(Clone, Debug)]
pub struct Scatter<'a> {
    /// The iteration space. No extent is 0 or 1.
    pub shape: Shape,
    /// What is written. Different steps and positions lead to different elements.
    pub target: StridedView<'a>,
    /// At least one.
    pub positions: SmallVec<[Positions<'a>; 2]>,
    /// Of the target's dtype; none lies in the target.
    pub values: StridedView<'a>,
    /// A primitive whose result does not depend on the order: `Add` and `Mul` of integers, `And`, `Or` and
    /// `Xor` of integers and bool, `Min` and `Max` of anything real. On a device with
    /// [ordered additions](super::DeviceProfile::ordered_scatter_add) also `Add` of F32 and F64.
    pub combine: Option<Prim>,
    /// What the target is, for an error that turns up later. Errors that operands carry count in this order: the
    /// values, the positions, the target.
    pub origin: Origin<'a>,
}

/// Picks what a mask shows: the elements of `source` (or, without one, the positions in the space, as
/// I64) for which the mask is true, in C order of the space, one after the other.
#[derive(Clone, Debug)]
pub struct Select<'a> {
    /// The iteration space. No extent is 0 or 1.
    pub shape: Shape,
    /// Of dtype Bool.
    pub mask: StridedView<'a>,
    /// What is picked from.
    pub source: Option<StridedView<'a>>,
    /// Packed, over one axis, which has exactly as many elements as the mask has true ones: core has
    /// counted them. None lies in the source or the mask.
    pub out: StridedView<'a>,
}
