//! Advanced indexing: index arrays and masks, mixed with everything that basic indexing has.
//!
//! A [`Plan`] is an index made ready for one array: masks have been read, what is written out lies on the
//! device. It becomes an `AdvancedIndex` (see `advanced_index` and `gather`) when it is used. A mask over the whole array needs
//! no positions and is not turned into any.

#[cfg(test)]
mod tests;

use smallvec::SmallVec;

use crate::array::Array;
use crate::array::indexing::advanced_index::{Part, advanced_index, window};
use crate::array::indexing::gather::{self, AdvancedIndex};
use crate::array::indexing::index::{Index, IndexList, apply};
use crate::array::indexing::take::positions;
use crate::array::indexing::window::fit;
use crate::device::Device;
use crate::elementwise::elementwise;
use crate::graph::node::Expr;
use crate::graph::{self, Operand};
use crate::launch_counts;
use ndany_core::ops::UfuncDef;
use ndany_core::shape::{self, Layout, Shape};
use ndany_core::{Casting, DType, Error, Kind, Result};

/// Index arrays, masks and booleans of one index, at most: as many as NumPy takes. One less where they leave no axis of
/// the array to slices.
const MAX_ADVANCED: usize = 64;

/// An index of one array.
#[derive(Debug)]
pub(in crate::array) enum Plan {
    /// Changes the layout only.
    Basic(SmallVec<[Index; 4]>),
    /// Where this mask, of the array's shape, is true.
    Masked(Array),
    /// With positions.
    Routed(Vec<Part>),
}

impl IndexList {
    fn to_array(&self, device: &Device) -> Result<Array> {
        let array = positions(&self.values, &self.shape, device)?;
        if self.is_mask { array.try_astype(DType::Bool) } else { Ok(array) }
    }
}

impl Plan {
    /// Reads masks; checks what does not depend on the layout.
    #[track_caller]
    pub(in crate::array) fn new(
        op: &'static str,
        array: &Array,
        items: SmallVec<[Index; 4]>,
    ) -> Result<Plan> {
        if items.iter().all(Index::is_basic) {
            return Ok(Plan::Basic(items));
        }
        let advanced = items.iter().filter(|item| !item.is_basic()).count();
        if advanced > MAX_ADVANCED {
            let reason = "more than 64 index arrays and truth values";
            return Err(Error::IndexForm { op, reason, ndim: array.ndim() });
        }
        let mut parts: Vec<Part> = Vec::new();
        let alone = items.len() == 1;
        for item in items {
            let index = match item {
                Index::Array(index) => *index,
                Index::List(list) => list.to_array(array.device())?,
                Index::Bool(truth) => {
                    parts.push(Part::Extent(usize::from(truth)));
                    continue;
                }
                basic => {
                    parts.push(Part::Basic(basic));
                    continue;
                }
            };
            gather::same_device(op, array, &index)?;
            match index.dtype().kind() {
                Kind::Int => parts.push(Part::Positions { index, axes: 1 }),
                Kind::Bool if index.ndim() == 0 => {
                    parts.push(Part::Extent(usize::from(index.item::<bool>()?)));
                }
                Kind::Bool if alone && index.shape() == array.shape() => {
                    return Ok(Plan::Masked(index));
                }
                Kind::Bool => {
                    let axes = index.ndim();
                    parts.push(Part::Positions { index, axes });
                }
                Kind::Float | Kind::Complex => {
                    return Err(Error::IndexDType { op, dtype: index.dtype() });
                }
            }
        }
        let counted = |part: &Part| match part {
            Part::Positions { index, axes } if index.ndim() > 0 => *axes,
            Part::Extent(_) => 1,
            Part::Positions { .. } | Part::Basic(_) => 0,
        };
        let walked = |part: &Part| !matches!(part, Part::Basic(Index::Slice { .. }));
        let taken: usize = parts.iter().filter(|part| walked(part)).map(Part::axes).sum();
        if taken == array.ndim() && parts.iter().map(counted).sum::<usize>() >= MAX_ADVANCED {
            let reason = "more than 63 index arrays and truth values that leave no axis";
            return Err(Error::IndexForm { op, reason, ndim: array.ndim() });
        }
        fit_masks(op, array, &parts)?;
        for part in &mut parts {
            match part {
                Part::Positions { index, .. } if index.dtype() == DType::Bool => {
                    *index = gather::flat_positions(index)?;
                }
                Part::Positions { .. } | Part::Basic(_) | Part::Extent(_) => {}
            }
        }
        // A gather reads I32 as it is.
        let is_narrow = |part: &Part| match part {
            Part::Positions { index, .. } => index.dtype() == DType::I32,
            Part::Basic(_) | Part::Extent(_) => true,
        };
        Ok(Plan::Routed(if parts.iter().all(is_narrow) { parts } else { widened(&parts)? }))
    }

    /// Whether it has integers only, one for each axis.
    fn is_element(&self, array: &Array) -> bool {
        match self {
            Plan::Basic(items) => {
                items.len() == array.ndim() && items.iter().all(|item| matches!(item, Index::At(_)))
            }
            Plan::Masked(_) => false,
            Plan::Routed(parts) => {
                let is_integer = |part: &Part| match part {
                    Part::Basic(item) => matches!(item, Index::At(_)),
                    Part::Positions { index, axes } => index.ndim() == 0 && *axes == 1,
                    Part::Extent(_) => false,
                };
                parts.len() == array.ndim() && parts.iter().all(is_integer)
            }
        }
    }

    /// Whether this is a valid index of the array.
    pub(in crate::array) fn check(&self, op: &'static str, array: &Array) -> Result<()> {
        match self {
            Plan::Basic(items) => apply(op, array.layout(), items).map(|_| ()),
            Plan::Masked(_) => Ok(()),
            Plan::Routed(parts) => advanced_index(op, array, parts).map(|_| ()),
        }
    }

    /// The elements.
    #[track_caller]
    pub(in crate::array) fn read(&self, op: &'static str, array: &Array) -> Result<Array> {
        match self {
            Plan::Basic(items) => Ok(array.with_layout(apply(op, array.layout(), items)?)),
            Plan::Masked(mask) => gather::select(array, mask),
            Plan::Routed(parts) => {
                let advanced_index = advanced_index(op, array, parts)?;
                match window(&advanced_index) {
                    Some(layout) => Ok(array.with_layout(layout)),
                    None => gather::gather(op, array, &advanced_index),
                }
            }
        }
    }

    /// Which elements it names, counted in C order (I64); all of them exist.
    #[track_caller]
    pub(in crate::array) fn positions(&self, op: &'static str, array: &Array) -> Result<Array> {
        let ordered = array.with_layout(Layout::contiguous(array.shape()));
        let advanced_index = match self {
            Plan::Basic(items) => {
                let Layout { shape, strides, offset } = apply(op, ordered.layout(), items)?;
                AdvancedIndex { shape, offset, strides, indexed_axes: SmallVec::new() }
            }
            Plan::Masked(mask) => return gather::flat_positions(mask),
            Plan::Routed(parts) => advanced_index(op, &ordered, &widened(parts)?)?,
        };
        advanced_index.positions(op, array.device())
    }

    /// What walks a 1-d array, where that is one array of positions: as given, not looked at yet.
    #[track_caller]
    pub(in crate::array) fn indexed(
        &self,
        op: &'static str,
        array: &Array,
    ) -> Result<Option<Array>> {
        let (Plan::Routed(parts), [_]) = (self, array.shape()) else { return Ok(None) };
        let advanced_index = advanced_index(op, array, &widened(parts)?)?;
        match (
            advanced_index.indexed_axes.as_slice(),
            advanced_index.strides.iter().all(|&step| step == 0),
        ) {
            ([indexed], true) => Ok(Some(indexed.index.clone())),
            _ => Ok(None),
        }
    }

    /// Writes a value, converted and broadcast.
    #[track_caller]
    pub(in crate::array) fn assign(
        &self,
        op: &'static str,
        array: &mut Array,
        value: Operand,
    ) -> Result<()> {
        let value = match value {
            Operand::Scalar(scalar) => {
                let constant = graph::constant(op, &scalar, array.dtype())?;
                graph::filled(Shape::new(), constant, array.device().clone())
            }
            Operand::Array(value) => {
                gather::same_device(op, array, &value)?;
                value
            }
        };
        if value.ndim() > 0 && self.is_element(array) {
            self.check(op, array)?;
            let expected = "a 0-d value for one element".to_string();
            return Err(Error::Shape { op, expected, got: value.shape().into() });
        }
        match self {
            Plan::Basic(items) => {
                let shape = apply(op, array.layout(), items)?.shape;
                let fitted = Expr::Cast(fit(op, &value, &shape)?);
                array.compute_before(&value)?;
                drop(value);
                let value = fitted;
                array.make_sole()?;
                launch_counts::count(|counts| &mut counts.operations);
                let layout = apply(op, array.layout(), items)?;
                array.write(&layout, &value)
            }
            Plan::Masked(mask) if matches!(value.shape(), [] | [1]) => {
                // No positions are needed, and the mask may still be fused with the choice.
                let value = value.try_reshape([0isize; 0])?.try_astype(array.dtype())?;
                array.replace_where(mask, &value)
            }
            Plan::Masked(mask) => {
                let index = gather::flat_positions(mask)?;
                if value.ndim() > 1 {
                    let reason =
                        format!("a mask takes 0-d or 1-d values, got {} axes", value.ndim());
                    return Err(Error::Arguments { op: op.to_string(), reason });
                }
                let value = fit(op, &value, index.shape())?;
                array.scatter_flat(op, &index, &value)
            }
            Plan::Routed(parts) => {
                let parts = &widened(parts)?;
                let asked = advanced_index(op, array, parts)?;
                let value = fit(op, &value, &asked.shape)?;
                if asked.indexed_axes.is_empty() {
                    array.compute_before(&value)?;
                    array.make_sole()?;
                    launch_counts::count(|counts| &mut counts.operations);
                    return match window(&advanced_index(op, array, parts)?) {
                        Some(layout) => array.write(&layout, &Expr::Cast(value)),
                        None => unreachable!("an advanced index without positions is a window"),
                    };
                }
                drop(asked);
                gather::scatter(
                    op,
                    array,
                    &|target| advanced_index(op, target, parts),
                    &value,
                    None,
                )
            }
        }
    }

    /// Replaces the elements by `row(elements, other)`. Where an index array names a place twice, the last
    /// result stays: nothing adds up.
    #[track_caller]
    pub(in crate::array) fn update(
        &self,
        row: &'static UfuncDef,
        array: &mut Array,
        other: Operand,
    ) -> Result<()> {
        let op = row.name;
        // One value for all: no positions are needed, and the mask may still be fused with the choice.
        if let Plan::Masked(mask) = self
            && matches!(other.shape(), [] | [1])
        {
            let other = match other {
                Operand::Array(other) => Operand::Array(other.try_reshape([0isize; 0])?),
                scalar @ Operand::Scalar(_) => scalar,
            };
            let value = updated(row, array, array.clone(), other)?;
            return array.replace_where(mask, &value.try_astype(array.dtype())?);
        }
        let fits = |shape: &[usize]| match shape::broadcast(op, shape, other.shape())?.as_slice() {
            common if common == shape => Ok(()),
            _ => Err(Error::Broadcast { op, left: shape.into(), right: other.shape().into() }),
        };
        if let Plan::Basic(items) = self {
            fits(&apply(op, array.layout(), items)?.shape)?;
            if let Operand::Array(other) = &other {
                gather::same_device(op, array, other)?;
                array.compute_before(other)?;
            }
            array.make_sole()?;
            let elements = self.read(op, array)?;
            // The elements are read where they are written, in one pass, unless the other operand lies among them.
            let written = array.buffer()?;
            let lies_apart = match &other {
                Operand::Array(other) => !other.meets(&written),
                Operand::Scalar(_) => true,
            };
            drop(written);
            let value = match array.node().is_pinned() && lies_apart {
                true => graph::written_at_once(|| updated(row, array, elements, other))?,
                false => updated(row, array, elements, other)?,
            };
            let layout = apply(op, array.layout(), items)?;
            return array.write(&layout, &Expr::Cast(value));
        }
        let elements = self.read(op, array)?;
        fits(elements.shape())?;
        let value = updated(row, array, elements, other)?;
        self.assign(op, array, Operand::Array(value))
    }
}

/// The parts with positions of I64, converted before they are broadcast.
#[track_caller]
fn widened(parts: &[Part]) -> Result<Vec<Part>> {
    let widen = |part: &Part| match part {
        Part::Positions { index, axes } => {
            Ok(Part::Positions { index: index.try_astype(DType::I64)?, axes: *axes })
        }
        other => Ok(other.clone()),
    };
    parts.iter().map(widen).collect()
}

/// `row(elements, other)`, if the array's dtype can hold its kind.
#[track_caller]
fn updated(
    row: &'static UfuncDef,
    array: &Array,
    elements: Array,
    other: Operand,
) -> Result<Array> {
    let value = elementwise(row, &mut [Operand::Array(elements), other])?;
    let dtype = array.dtype();
    if !value.dtype().can_cast(dtype, Casting::SameKind) {
        let dtypes = format!("{} assigned to {dtype}", value.dtype());
        let remedy = "convert the array with astype first";
        return Err(Error::DTypes { op: row.name, dtypes, remedy });
    }
    Ok(value)
}

/// Masks must be shaped like the axes they stand for, or be empty.
fn fit_masks(op: &'static str, array: &Array, parts: &[Part]) -> Result<()> {
    let mut axis = 0;
    let used: usize = parts.iter().map(Part::axes).sum();
    for part in parts {
        match part {
            Part::Positions { index, .. } if index.dtype() == DType::Bool => {
                let axes = array.shape().get(axis..axis + index.ndim());
                // NumPy: an extent of 0 fits any axis.
                let fits = |(&axis, &own): (&usize, &usize)| own == 0 || own == axis;
                if axes.is_some_and(|axes| !axes.iter().zip(index.shape()).all(fits)) {
                    let (mask, shape) = (index.shape().into(), array.shape().into());
                    return Err(Error::MaskShape { op, mask, first: axis, shape });
                }
            }
            Part::Basic(Index::Ellipsis) => axis += array.ndim().saturating_sub(used),
            Part::Positions { .. } | Part::Basic(_) | Part::Extent(_) => {}
        }
        axis += part.axes();
    }
    Ok(())
}
