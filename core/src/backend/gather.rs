//! The patterns that move elements: reading and writing at positions that arrays name, and picking what
//! a mask shows.
//!
//! They know nothing of dtypes but the size of an element (only a [`Scatter`] that combines computes),
//! and nothing of index expressions: core turns those into steps and positions. Which elements move is
//! decided by data, so these are the patterns that can find an index out of range.

use smallvec::SmallVec;

use super::StridedView;
use super::checked::{Check, Refusal};
use crate::dtype::DType;
use crate::error::{Error, Origin, Result};
use crate::program::Prim;
use crate::shape::Shape;

/// An axis of an array that positions walk instead of steps.
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    /// The positions, along the axes of the launch: I64, of a [`Gather`] also I32, then all of them. Negative ones count
    /// from the end.
    pub place: StridedView<'a>,
    /// Extent of the axis: positions are in `-extent..extent`, or there is no such element.
    pub extent: usize,
    /// Step of the axis, in elements of the array.
    pub stride: isize,
    /// Which axis of its array it is, for the error.
    pub axis: usize,
    /// Whether core has computed or checked all positions, so that none is out of range. Then a backend need not check,
    /// and nothing else does: see [`Provider::open`](crate::Provider::open).
    pub bounds_checked: bool,
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
    /// At least one. All are I32, or all are I64.
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
    /// At least one. All are I64.
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
    /// The elements to select from.
    pub source: Option<StridedView<'a>>,
    /// Number of true elements of the mask, counted by core: at least 1. Nothing is written beyond them, even where the
    /// mask shows more.
    pub count: usize,
    /// Packed, over one axis of `count` elements. None lies in the source or the mask.
    pub out: StridedView<'a>,
}

impl Gather<'_> {
    /// The dtype of the positions: I32 or I64.
    pub fn position_dtype(&self) -> DType {
        self.positions.first().map_or(DType::I64, |first| first.place.dtype)
    }
}

impl Select<'_> {
    /// Returns an error unless the mask shows `count` elements, for a backend that has counted them before it writes.
    ///
    /// # Errors
    /// [`Error::Launch`].
    pub fn check_shown(&self, shown: usize) -> Result<()> {
        let Self { count, .. } = *self;
        Refusal("select")
            .unless(shown == count, || format!("the mask shows {shown} elements: expected {count}"))
    }
}

impl Refusal {
    /// Positions are of the dtype and lie in their memories; the array that they walk lies in its own, whatever they are.
    fn walked(
        &self,
        what: &str,
        view: &StridedView<'_>,
        positions: &[Positions<'_>],
        dtype: DType,
        shape: &[usize],
    ) -> Result<()> {
        self.shape(shape)?;
        self.unless(!positions.is_empty(), || "expected positions, got none".into())?;
        let (mut below, mut above, mut exists) = (0usize, 0usize, true);
        for (number, &Positions { ref place, extent, stride, .. }) in positions.iter().enumerate() {
            let name = format!("positions {number}");
            self.dtype(&name, place, dtype)?;
            self.view(&name, place, shape)?;
            let last = extent.saturating_sub(1).min(isize::MAX as usize);
            let reach = last.saturating_mul(stride.unsigned_abs());
            let end = if stride < 0 { &mut below } else { &mut above };
            *end = end.saturating_add(reach);
            exists &= extent > 0;
        }
        // Of an axis of no elements every position is outside, so nothing is read or written.
        if exists { self.view_around(what, view, shape, below, above) } else { Ok(()) }
    }
}

impl Check for Gather<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("gather");
        refusal.dtype("out", &self.out, self.source.dtype)?;
        let dtype = self.position_dtype();
        refusal.unless(matches!(dtype, DType::I32 | DType::I64), || {
            format!("expected positions of int32 or int64, got {dtype}")
        })?;
        refusal.walked("source", &self.source, &self.positions, dtype, &self.shape)?;
        refusal.view("out", &self.out, &self.shape)
    }
}

impl Check for Scatter<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("scatter");
        refusal.dtype("values", &self.values, self.target.dtype)?;
        refusal.walked("target", &self.target, &self.positions, DType::I64, &self.shape)?;
        refusal.view("values", &self.values, &self.shape)?;
        refusal.unless(self.combine.is_none_or(Prim::combines), || {
            format!("expected a primitive that combines in any order, got {:?}", self.combine)
        })
    }
}

impl Check for Select<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("select");
        refusal.shape(&self.shape)?;
        refusal.dtype("mask", &self.mask, DType::Bool)?;
        refusal.view("mask", &self.mask, &self.shape)?;
        let dtype = self.source.as_ref().map_or(DType::I64, |source| source.dtype);
        refusal.dtype("out", &self.out, dtype)?;
        if let Some(source) = &self.source {
            refusal.view("source", source, &self.shape)?;
        }
        refusal.shape(&[self.count])?;
        refusal.unless(self.out.strides.as_slice() == [1] || self.count == 1, || {
            format!("out: expected packed elements, got strides {:?}", self.out.strides)
        })?;
        refusal.view("out", &self.out, &[self.count])
    }
}
