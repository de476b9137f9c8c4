//! Elements at positions: advanced indices through an array, and reading, writing and picking along them.
//!
//! What every form of indexing by data is made of. An advanced index says which elements; [`gather`] reads them,
//! [`scatter`] writes them, [`select`] and [`flat_positions`] pick what a mask shows. All run when they are
//! asked for: their pending operands are computed first, fused. An index out of range fails
//! the result of a gather, where the next call that returns an error finds it; a scatter says so at once
//! and changes nothing. Which elements an index expression means is `index`'s and `fancy`'s business.

#[cfg(test)]
mod tests;

use smallvec::SmallVec;

use crate::array::Array;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::elementwise::try_where;
use crate::graph::node::Node;
use crate::launch_counts;
use ndany_core::backend::{self, Checked, Origin, Positions, StridedView};
use ndany_core::program::Prim;
use ndany_core::shape::{self, Layout, Shape, Strides, collapse};
use ndany_core::{CallSite, DType, Error, Result, dry_run};

/// An axis of an array that positions walk.
#[derive(Clone, Debug)]
pub(crate) struct IndexedAxis {
    /// Of the shape of the advanced index (broadcast), and I64; where elements are only read, all may be I32. Negative ones
    /// count from the end.
    pub(crate) index: Array,
    /// Extent of the axis.
    pub(crate) extent: usize,
    /// Step of the axis, in elements.
    pub(crate) stride: isize,
    /// Its number, for the error.
    pub(crate) axis: usize,
    /// Whether all positions are in range, or need no check.
    pub(crate) bounds_checked: bool,
}

/// A way through the elements of an array: by steps along a space, and by positions besides.
#[derive(Clone, Debug)]
pub(crate) struct AdvancedIndex {
    /// The space.
    pub(crate) shape: Shape,
    /// First element.
    pub(crate) offset: usize,
    /// Steps along the space, 0 along axes that only the positions walk.
    pub(crate) strides: Strides,
    /// The axes that positions walk.
    pub(crate) indexed_axes: SmallVec<[IndexedAxis; 2]>,
}

impl AdvancedIndex {
    /// Along one axis of an array by an array of positions, whose axes stand in that axis's place (as
    /// `np.take` goes).
    pub(crate) fn along(array: &Array, axis: usize, index: &Array) -> Result<AdvancedIndex> {
        let layout = array.layout();
        let (before, after) = (&layout.shape[..axis], &layout.shape[axis + 1..]);
        let shape: Shape = before.iter().chain(index.shape()).chain(after).copied().collect();
        let mut strides = Strides::from_slice(&layout.strides[..axis]);
        strides.extend(std::iter::repeat_n(0, index.ndim()));
        strides.extend_from_slice(&layout.strides[axis + 1..]);
        let mut walk = Layout {
            shape: Shape::from_slice(index.shape()),
            strides: index.layout().strides.clone(),
            offset: index.layout().offset,
        };
        walk.shape.extend(std::iter::repeat_n(1, after.len()));
        walk.strides.extend(std::iter::repeat_n(0, after.len()));
        shape::checked_size("index", &shape, array.dtype())?;
        let index = index.with_layout(walk.broadcast_to(&shape));
        // As NumPy, which looks at positions once for each part before the axis.
        let nothing = shape::size_of(before) == 0;
        Ok(AdvancedIndex::by(array, shape, strides, axis, index, nothing))
    }

    /// Along one axis of an array by positions for each element: the array's other axes and the
    /// positions' broadcast to `shape` (as `np.take_along_axis` goes).
    pub(crate) fn beside(
        array: &Array,
        axis: usize,
        index: &Array,
        shape: &[usize],
    ) -> AdvancedIndex {
        let mut layout = array.layout().clone();
        // Along the axis itself only the positions walk.
        layout.shape[axis] = 1;
        let strides = layout.broadcast_to(shape).strides;
        let nothing = shape::size_of(shape) == 0;
        let index = index.broadcast_view(shape);
        AdvancedIndex::by(array, Shape::from_slice(shape), strides, axis, index, nothing)
    }

    fn by(
        array: &Array,
        shape: Shape,
        strides: Strides,
        axis: usize,
        index: Array,
        bounds_checked: bool,
    ) -> AdvancedIndex {
        let layout = array.layout();
        let (extent, stride) = (layout.shape[axis], layout.strides[axis]);
        let indexed_axes =
            SmallVec::from_iter([IndexedAxis { index, extent, stride, axis, bounds_checked }]);
        AdvancedIndex { shape, offset: layout.offset, strides, indexed_axes }
    }

    /// An advanced index over nothing still has to name positions that exist.
    fn check_empty(&self, op: &'static str) -> Result<()> {
        let unseen = |indexed: &&IndexedAxis| indexed.index.size() == 0 && !indexed.bounds_checked;
        self.indexed_axes.iter().filter(unseen).try_for_each(|indexed| indexed.check(op))
    }

    /// Which elements an advanced index of I64 through a C-ordered array visits, counted in C order (I64). All exist: that
    /// is looked at on the device.
    #[track_caller]
    pub(crate) fn positions(&self, op: &'static str, device: &Device) -> Result<Array> {
        let _guard = device.enter();
        let along = |axis: usize, values: Array| {
            let mut shape: SmallVec<[isize; 4]> = SmallVec::from_elem(1, self.shape.len());
            shape[axis] = values.size() as isize;
            values.try_reshape(shape.as_slice())
        };
        let mut sum =
            crate::array::try_full(self.shape.as_slice(), self.offset as i64, DType::I64)?;
        for (axis, &stride) in self.strides.iter().enumerate().filter(|(_, stride)| **stride != 0) {
            let steps = crate::array::try_arange(self.shape[axis] as i64)?;
            sum = sum.try_add(along(axis, steps.try_multiply(stride as i64)?)?)?;
        }
        for indexed in &self.indexed_axes {
            indexed.check(op)?;
            let (index, extent) = (&indexed.index, indexed.extent as i64);
            let counted = try_where(index.try_less(0)?, index.try_add(extent)?, index)?;
            sum = sum.try_add(counted.try_multiply(indexed.stride as i64)?)?;
        }
        Ok(sum)
    }
}

impl IndexedAxis {
    /// Whether all positions are in range.
    fn check(&self, op: &'static str) -> Result<()> {
        let mut layout = self.index.layout().clone();
        for (extent, stride) in layout.shape.iter_mut().zip(&layout.strides) {
            // Axes that the positions do not walk themselves do not matter.
            if *stride == 0 {
                *extent = 1;
            }
        }
        let index = self.index.with_layout(layout).try_astype(DType::I64)?;
        let extent = self.extent as i64;
        let outside = index.try_less(-extent)?.try_logical_or(index.try_greater_equal(extent)?)?;
        if outside.try_any(..)?.item::<bool>()? {
            let (axis, size) = (self.axis, self.extent);
            let first = select(&index, &outside)?.to_vec::<i64>()?[0];
            return Err(Error::Index { op, index: first as isize, axis, size });
        }
        Ok(())
    }
}

/// What a backend is given: the space without idle axes, and the operands' steps along it.
struct StridedOperands {
    shape: Shape,
    strides: std::vec::IntoIter<Strides>,
}

impl StridedOperands {
    fn new(shape: &[usize], operands: Vec<Strides>) -> Self {
        let (mut shape, mut operands) = (Shape::from_slice(shape), operands);
        collapse(&mut shape, &mut operands, 0);
        Self { shape, strides: operands.into_iter() }
    }

    fn place<'a>(&mut self, buffer: &'a Buffer, dtype: DType, offset: usize) -> StridedView<'a> {
        let strides = self.strides.next().unwrap_or_default();
        StridedView { memory: buffer.memory(), dtype, offset, strides }
    }

    fn positions<'a>(
        &mut self,
        indexed_axes: &[IndexedAxis],
        buffers: &'a [Buffer],
    ) -> SmallVec<[Positions<'a>; 2]> {
        let position = |(indexed, buffer): (&IndexedAxis, &'a Buffer)| Positions {
            place: self.place(buffer, indexed.index.dtype(), indexed.index.layout().offset),
            extent: indexed.extent,
            stride: indexed.stride,
            axis: indexed.axis,
            bounds_checked: indexed.bounds_checked,
        };
        indexed_axes.iter().zip(buffers).map(position).collect()
    }
}

/// A backend does not know what its work is for.
fn named(op: &'static str, error: Error) -> Error {
    match error {
        Error::Index { index, axis, size, .. } => Error::Index { op, index, axis, size },
        other => other,
    }
}

pub(in crate::array) fn same_device(op: &'static str, left: &Array, right: &Array) -> Result<()> {
    if left.device() == right.device() {
        return Ok(());
    }
    Err(Error::TwoDevices { op, left: left.device().name(), right: right.device().name() })
}

/// The elements of `source` along an advanced index, as an array of the advanced index's shape. What fails, fails the result.
#[track_caller]
pub(crate) fn gather(
    op: &'static str,
    source: &Array,
    advanced_index: &AdvancedIndex,
) -> Result<Array> {
    for indexed in &advanced_index.indexed_axes {
        same_device(op, source, &indexed.index)?;
    }
    launch_counts::count(|counts| &mut counts.operations);
    let (shape, dtype) = (advanced_index.shape.clone(), source.dtype());
    let size = shape::checked_size(op, &shape, dtype)?;
    let device = source.device().clone();
    let origin = Origin { op, shape: &shape, dtype, location: CallSite::caller(), meaning: None };
    let outcome = (|| {
        let out = |bytes| Buffer::allocate(op, device.backend(), bytes);
        if size == 0 {
            advanced_index.check_empty(op)?;
            return out(0);
        }
        let from = source.buffer()?;
        let indices: Vec<Buffer> = advanced_index
            .indexed_axes
            .iter()
            .map(|indexed| indexed.index.buffer())
            .collect::<Result<_>>()?;
        let out = out(size * dtype.size())?;
        let mut strides = vec![advanced_index.strides.clone(), shape::contiguous_strides(&shape)];
        strides.extend(
            advanced_index
                .indexed_axes
                .iter()
                .map(|indexed| indexed.index.layout().strides.clone()),
        );
        let mut walks = StridedOperands::new(&shape, strides);
        let source = walks.place(&from, dtype, advanced_index.offset);
        let to = walks.place(&out, dtype, 0);
        let positions = walks.positions(&advanced_index.indexed_axes, &indices);
        let launch = backend::Gather { shape: walks.shape, source, positions, out: to, origin };
        launch_counts::count(|counts| &mut counts.gathers);
        let _span = crate::spans::launch_of(device.backend(), "gather", &launch.shape);
        device.backend().gather(Checked::new(&launch)?).map_err(|error| named(op, error))?;
        drop(launch);
        Ok(out)
    })();
    Ok(Array::of_node(Node::done(op, shape, dtype, device, outcome)))
}

/// Writes `values`, broadcast to the advanced index's shape and of the target's dtype, along an advanced index through
/// `target`: as if one after the other in C order, the last one winning, or combined by a primitive whose
/// result does not depend on the order (see [`backend::Scatter`]). The target is copied first where it
/// is shared, and the advanced index is asked for then, since a copy lies otherwise.
///
/// # Errors
/// An index out of range, then nothing has changed; what fails on the device.
#[track_caller]
pub(crate) fn scatter(
    op: &'static str,
    target: &mut Array,
    advanced_index: &dyn Fn(&Array) -> Result<AdvancedIndex>,
    values: &Array,
    combine: Option<Prim>,
) -> Result<()> {
    let asked = advanced_index(target)?;
    same_device(op, target, values)?;
    let mut values = values.try_astype(target.dtype())?;
    shape::checked_size(op, &asked.shape, target.dtype())?;
    launch_counts::count(|counts| &mut counts.operations);
    if shape::size_of(&asked.shape) == 0 {
        return asked.check_empty(op);
    }
    if target.node().is_pinned() {
        // Operands that lie in the memory to be written are copied.
        let written = target.buffer()?;
        if values.meets(&written) {
            values = values.try_copy()?;
        }
        if asked.indexed_axes.iter().any(|indexed| indexed.index.meets(&written)) {
            let mut changed = target.try_copy()?;
            scatter(op, &mut changed, advanced_index, &values, combine)?;
            return target.in_its_memory(|target| {
                *target = changed;
                Ok(())
            });
        }
    }
    // Operands first: once computed they no longer hold the target.
    let from = values.buffer()?;
    for indexed in &asked.indexed_axes {
        same_device(op, target, &indexed.index)?;
        indexed.index.eval()?;
    }
    let before = target.layout().clone();
    target.make_sole()?;
    let advanced_index = if *target.layout() == before { asked } else { advanced_index(target)? };
    let indices: Vec<Buffer> = advanced_index
        .indexed_axes
        .iter()
        .map(|indexed| indexed.index.buffer())
        .collect::<Result<_>>()?;
    let (buffer, dtype) = (target.buffer()?, target.dtype());
    let origin =
        Origin { op, shape: target.shape(), dtype, location: CallSite::caller(), meaning: None };
    let from_layout = values.layout().broadcast_to(&advanced_index.shape);
    let mut strides = vec![advanced_index.strides.clone(), from_layout.strides];
    strides.extend(
        advanced_index.indexed_axes.iter().map(|indexed| indexed.index.layout().strides.clone()),
    );
    let mut walks = StridedOperands::new(&advanced_index.shape, strides);
    let launch = backend::Scatter {
        target: walks.place(&buffer, dtype, advanced_index.offset),
        values: walks.place(&from, dtype, from_layout.offset),
        positions: walks.positions(&advanced_index.indexed_axes, &indices),
        shape: walks.shape,
        combine,
        origin,
    };
    launch_counts::count(|counts| &mut counts.scatters);
    let _span = crate::spans::launch_of(target.device().backend(), "scatter", &launch.shape);
    let scatter = Checked::new(&launch);
    let done = scatter.and_then(|scatter| target.device().backend().scatter(scatter));
    done.map_err(|error| origin.failed(named(op, error)))
}

/// The elements of `source` for which `mask`, of its shape and dtype Bool, is true, in C order.
#[track_caller]
pub(crate) fn select(source: &Array, mask: &Array) -> Result<Array> {
    select_elements("select", Some(source), mask, None)
}

/// [`select`] of a mask that is known to have `count` true elements.
#[track_caller]
pub(in crate::array) fn select_counted(
    source: &Array,
    mask: &Array,
    count: usize,
) -> Result<Array> {
    select_elements("select", Some(source), mask, Some(count))
}

/// Positions (I64, in C order) of the true elements of a Bool array, counted over all its axes.
#[track_caller]
pub(crate) fn flat_positions(mask: &Array) -> Result<Array> {
    select_elements("nonzero", None, mask, None)
}

/// [`flat_positions`] of a mask that is known to have `count` true elements.
#[track_caller]
pub(in crate::array) fn positions_counted(mask: &Array, count: usize) -> Result<Array> {
    select_elements("nonzero", None, mask, Some(count))
}

#[track_caller]
fn select_elements(
    op: &'static str,
    source: Option<&Array>,
    mask: &Array,
    count: Option<usize>,
) -> Result<Array> {
    if let Some(source) = source {
        same_device(op, source, mask)?;
    }
    launch_counts::count(|counts| &mut counts.operations);
    let device = mask.device().clone();
    let dtype = source.map_or(DType::I64, Array::dtype);
    // A mask is written out rather than computed twice: it is a byte an element.
    let shown = mask.buffer()?;
    let count = match count {
        Some(count) => count,
        None if mask.size() == 0 => 0,
        // The device tells no count.
        None if dry_run::is_active() => {
            mask.try_sum(..)?.eval()?;
            mask.size()
        }
        None => mask.try_sum(..)?.item::<i64>()? as usize,
    };
    let out = Buffer::allocate(op, device.backend(), count * dtype.size())?;
    if count > 0 {
        let from = source.map(Array::buffer).transpose()?;
        let mut strides = vec![mask.layout().strides.clone()];
        strides.extend(source.map(|source| source.layout().strides.clone()));
        let mut walks = StridedOperands::new(mask.shape(), strides);
        let place = StridedView {
            memory: out.memory(),
            dtype,
            offset: 0,
            strides: SmallVec::from_slice(&[1]),
        };
        let launch = backend::Select {
            mask: walks.place(&shown, DType::Bool, mask.layout().offset),
            source: from
                .as_ref()
                .zip(source)
                .map(|(buffer, source)| walks.place(buffer, dtype, source.layout().offset)),
            count,
            out: place,
            shape: walks.shape,
        };
        launch_counts::count(|counts| &mut counts.selects);
        let _span = crate::spans::launch_of(device.backend(), "select", &launch.shape);
        device.backend().select(Checked::new(&launch)?)?;
    }
    let shape = SmallVec::from_slice(&[count]);
    Ok(Array::of_node(Node::done(op, shape, dtype, device, Ok(out))))
}

/// For each axis of `shape`, the coordinates (I64) of flat positions in C order. Lazy.
#[track_caller]
pub(crate) fn coordinates(positions: &Array, shape: &[usize]) -> Result<Vec<Array>> {
    let steps = shape::contiguous_strides(shape);
    (0..shape.len())
        .map(|axis| {
            let mut coordinate = positions.clone();
            if steps[axis] != 1 {
                coordinate = coordinate.try_floor_divide(steps[axis] as i64)?;
            }
            if shape[..axis].iter().any(|&extent| extent != 1) {
                coordinate = coordinate.try_remainder(shape[axis].max(1) as i64)?;
            }
            Ok(coordinate)
        })
        .collect()
}
