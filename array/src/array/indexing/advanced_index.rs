//! From the items of an advanced index to the advanced index that it takes through an array.
//!
//! NumPy's rules: index arrays, and integers beside them, broadcast together; their axes stand where they
//! stood if nothing separates them, and first otherwise; what is broadcast to nothing is not looked at.

use smallvec::SmallVec;

use crate::array::Array;
use crate::array::indexing::gather::{self, AdvancedIndex, IndexedAxis};
use crate::array::indexing::index::{Index, apply, bounded};
use ndany_core::shape::{self, Layout, Shape, Strides};
use ndany_core::{Error, Result};

/// One item of a plan with positions.
#[derive(Clone, Debug)]
pub(in crate::array) enum Part {
    /// An item of a basic index.
    Basic(Index),
    /// Positions (I64, or I32 in all parts) along this many axes, counted in C order over them.
    Positions { index: Array, axes: usize },
    /// An axis of this extent that stands for no axis of the array: a boolean.
    Extent(usize),
}

impl Part {
    /// How many axes of the array it stands for (an ellipsis: what is left).
    pub(in crate::array) fn axes(&self) -> usize {
        match self {
            Part::Positions { axes, .. } => *axes,
            Part::Basic(Index::At(_) | Index::Slice { .. }) => 1,
            Part::Basic(_) | Part::Extent(_) => 0,
        }
    }
}

/// The layout that an advanced index without positions is.
pub(in crate::array) fn window(advanced_index: &AdvancedIndex) -> Option<Layout> {
    let AdvancedIndex { shape, offset, strides, indexed_axes } = advanced_index;
    indexed_axes.is_empty().then(|| Layout {
        shape: shape.clone(),
        strides: strides.clone(),
        offset: *offset,
    })
}

/// Positions along some axes of the array that basic items have been applied to.
struct Pointed<'a> {
    index: &'a Array,
    /// The first axis, in the view.
    first: usize,
    axes: usize,
    /// The first axis, in the array.
    axis: usize,
}

/// The advanced index that an index takes through an array.
#[track_caller]
pub(in crate::array) fn advanced_index(
    op: &'static str,
    array: &Array,
    parts: &[Part],
) -> Result<AdvancedIndex> {
    let whole = || Index::from(..);
    let basic: SmallVec<[Index; 8]> = parts
        .iter()
        .flat_map(|part| match part {
            Part::Basic(item) => SmallVec::from_iter([item.clone()]),
            other => std::iter::repeat_with(whole).take(other.axes()).collect::<SmallVec<[_; 4]>>(),
        })
        .collect();
    let view = apply(op, array.layout(), &basic)?;
    let rest = array.ndim() - parts.iter().map(Part::axes).sum::<usize>();
    // Axes of the view that stay as they are, and those that positions walk.
    let mut kept: SmallVec<[usize; 8]> = SmallVec::new();
    let mut pointed: SmallVec<[Pointed<'_>; 2]> = SmallVec::new();
    let mut common = Shape::new();
    let (mut axis, mut own) = (0, 0);
    // Where the first advanced item stood, and whether others came after a basic one.
    let (mut first, mut ended, mut separated) = (None, false, false);
    for part in parts {
        let stays = match part {
            Part::Basic(Index::At(_)) => None,
            Part::Basic(Index::Ellipsis) => Some(rest),
            Part::Basic(_) => Some(1),
            Part::Extent(extent) => {
                common = join(op, &common, &[*extent])?;
                None
            }
            Part::Positions { index, axes } => {
                common = join(op, &common, index.shape())?;
                pointed.push(Pointed { index, first: axis, axes: *axes, axis: own });
                axis += axes;
                None
            }
        };
        match stays {
            Some(axes) => {
                ended |= first.is_some();
                kept.extend(axis..axis + axes);
                axis += axes;
            }
            None => {
                separated |= ended;
                first.get_or_insert(kept.len());
            }
        }
        own += match part {
            Part::Basic(Index::Ellipsis) => rest,
            other => other.axes(),
        };
    }
    kept.extend(axis..view.shape.len());
    let place = if separated { 0 } else { first.unwrap_or(0) };
    let (before, after) = kept.split_at(place);
    let extents = |axes: &[usize]| axes.iter().map(|&axis| view.shape[axis]).collect::<Shape>();
    let mut shape = extents(before);
    shape.extend_from_slice(&common);
    shape.extend_from_slice(&extents(after));
    bounded(op, &shape, array.ndim())?;
    shape::checked_size(op, &shape, array.dtype())?;
    let mut strides: Strides = before.iter().map(|&axis| view.strides[axis]).collect();
    strides.extend(std::iter::repeat_n(0, common.len()));
    strides.extend(after.iter().map(|&axis| view.strides[axis]));
    let mut indexed_axes = SmallVec::new();
    // Where index arrays are broadcast to nothing, they are not read, except those that are integers.
    let nothing = shape::size_of(&common) == 0;
    for part in pointed.iter().filter(|part| !nothing || part.index.ndim() == 0) {
        for mut indexed in part.indexed_axes(&view)? {
            indexed.index = broadcast_index(&indexed.index, &common, after.len(), &shape);
            indexed_axes.push(indexed);
        }
    }
    Ok(AdvancedIndex { shape, offset: view.offset, strides, indexed_axes })
}

/// The shape to which index arrays broadcast.
fn join(op: &'static str, left: &[usize], right: &[usize]) -> Result<Shape> {
    let error = |_| Error::IndexShapes { op, left: left.into(), right: right.into() };
    shape::broadcast(op, left, right).map_err(error)
}

/// An index array along the common axes of an advanced index, which `after` others follow.
fn broadcast_index(index: &Array, common: &[usize], after: usize, shape: &[usize]) -> Array {
    let mut layout = index.layout().broadcast_to(common);
    layout.shape.extend(std::iter::repeat_n(1, after));
    layout.strides.extend(std::iter::repeat_n(0, after));
    index.with_layout(layout.broadcast_to(shape))
}

impl Pointed<'_> {
    /// One pointer, or one for each axis where no single step walks them all.
    #[track_caller]
    fn indexed_axes(&self, view: &Layout) -> Result<SmallVec<[IndexedAxis; 2]>> {
        let axes = self.first..self.first + self.axes;
        let extents = &view.shape[axes.clone()];
        let part = Layout {
            shape: Shape::from_slice(extents),
            strides: Strides::from_slice(&view.strides[axes.clone()]),
            offset: 0,
        };
        let size = part.size();
        if let Some(flat) = part.reshape(&[size]) {
            let (index, stride) = (self.index.clone(), flat.strides[0]);
            return Ok(SmallVec::from_iter([IndexedAxis {
                index,
                extent: size,
                stride,
                axis: self.axis,
                bounds_checked: false,
            }]));
        }
        let coordinates = gather::coordinates(self.index, extents)?.into_iter();
        let indexed = |(number, index): (usize, Array)| IndexedAxis {
            index,
            extent: extents[number],
            stride: part.strides[number],
            axis: self.axis + number,
            bounds_checked: false,
        };
        Ok(coordinates.enumerate().map(indexed).collect())
    }
}
