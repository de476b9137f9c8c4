//! Stencils: a map over the interior of an array, whose operands are views at shifted offsets, and maps over its borders, which
//! read by position.
//!
//! All parts are written into one memory, which nothing reads before they are launched. They run when they are asked for.

use smallvec::SmallVec;

use super::node::{Constant, Node};
use super::{Array, launch_counts};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::spans;
use ndany_core::backend::{Checked, Launch, Map, Origin, StridedView};
use ndany_core::program::Program;
use ndany_core::shape::{self, Shape, Strides, collapse, contiguous_strides};
use ndany_core::{CallSite, DType, Error, Result};

/// An element that a stencil reads: of an operand, at an offset along each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) operand: u8,
    pub(crate) offsets: SmallVec<[i32; 4]>,
}

/// The code of a stencil for operands of certain dtypes.
#[derive(Debug)]
pub(crate) struct TracedStencil {
    /// Its name, for errors.
    pub(crate) name: &'static str,
    pub(crate) outputs: SmallVec<[DType; 2]>,
    /// What it reads. The inputs of `interior` are these, in this order.
    pub(crate) reads: Vec<Read>,
    /// Where all that it reads is within the operands. Its scalars are the numbers of the call.
    pub(crate) interior: Program,
    /// Where it may not be; none if there is no rule for that. Its inputs are the operands, read by position. Its scalars are the
    /// numbers of the call, then those of [`Region::scalars`] for each axis, then the stride along each axis and the number of
    /// elements of each operand.
    pub(crate) border: Option<Program>,
}

/// A call of a stencil.
pub(crate) struct StencilCall<'a> {
    pub(crate) kernel: &'a TracedStencil,
    /// The operands, in the shape to which they broadcast, without negative strides.
    pub(crate) operands: &'a [Array],
    /// Parameters, and what is asked of the launch.
    pub(crate) numbers: &'a [Constant],
    pub(crate) shape: &'a [usize],
    pub(crate) device: &'a Device,
}

/// Bytes of the widest loads and stores of a device.
const PIECE: usize = 16;

/// The elements along an axis that a launch computes: `extent` from `origin` on; from `split` on `jump` further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    origin: usize,
    extent: usize,
    split: usize,
    jump: usize,
}

impl Range {
    fn plain(origin: usize, extent: usize) -> Self {
        Self { origin, extent, split: extent, jump: 0 }
    }
}

/// A box of results, possibly two boxes on both sides along an axis.
type Region = SmallVec<[Range; 4]>;

/// Elements along an axis that are left to the borders: before the interior, and after it.
type Margins = SmallVec<[(usize, usize); 4]>;

/// How far reads go beyond an element: before and after it along each axis.
fn halo(reads: &[Read], ndim: usize) -> Margins {
    let mut halo: Margins = SmallVec::from_elem((0, 0), ndim);
    for read in reads {
        for ((before, after), &offset) in halo.iter_mut().zip(&read.offsets) {
            *before = (*before).max((-i64::from(offset)).max(0) as usize);
            *after = (*after).max(offset.max(0) as usize);
        }
    }
    halo
}

/// The margins of a result with borders: at least the halo, on both sides alike so that one launch computes both, and along the
/// last axis so that rows of the interior begin and end at pieces of `piece` elements.
fn margins(halo: &Margins, shape: &[usize], piece: usize) -> Margins {
    let mut margins = halo.clone();
    for (axis, (margin, &extent)) in margins.iter_mut().zip(shape).enumerate() {
        let (before, after) = *margin;
        if before.max(after) == 0 {
            continue;
        }
        let last = axis + 1 == shape.len();
        let aligned = before.max(after).next_multiple_of(piece);
        // Where rows are short, the borders would be most of them.
        *margin = match last && extent.is_multiple_of(piece) && extent >= 8 * aligned {
            true => (aligned, aligned),
            false if before > 0 && after > 0 => (before.max(after), before.max(after)),
            false => (before, after),
        };
    }
    margins
}

/// The interior, if there is one, and the borders, which are all of the rest.
fn regions(margins: &Margins, shape: &[usize]) -> (Option<Region>, Vec<Region>) {
    let fits = margins.iter().zip(shape).all(|(&(before, after), &extent)| before + after < extent);
    let full = || shape.iter().map(|&extent| Range::plain(0, extent)).collect::<Region>();
    if !fits {
        return (None, vec![full()]);
    }
    let inner = |axis: usize| {
        let (before, after) = margins[axis];
        Range::plain(before, shape[axis] - before - after)
    };
    let mut borders = Vec::new();
    for (axis, &(before, after)) in margins.iter().enumerate() {
        let extent = shape[axis];
        let own = match (before, after) {
            (0, 0) => continue,
            (0, after) => Range::plain(extent - after, after),
            (before, 0) => Range::plain(0, before),
            (before, after) => Range {
                origin: 0,
                extent: before + after,
                split: before,
                jump: extent - before - after,
            },
        };
        let mut region = full();
        region[axis] = own;
        (0..axis).for_each(|before| region[before] = inner(before));
        borders.push(region);
    }
    (Some((0..shape.len()).map(inner).collect()), borders)
}

impl StencilCall<'_> {
    /// The results. What fails stays with them.
    #[track_caller]
    pub(crate) fn run(&self, fits: bool) -> SmallVec<[Array; 2]> {
        launch_counts::count(|counts| &mut counts.operations);
        let (name, location) = (self.kernel.name, CallSite::caller());
        let halo = halo(&self.kernel.reads, self.shape.len());
        // Without a rule for what is outside, the result is the interior.
        let shape: Shape = match self.kernel.border {
            Some(_) => Shape::from_slice(self.shape),
            None => self
                .shape
                .iter()
                .zip(&halo)
                .map(|(&extent, &(a, b))| extent.saturating_sub(a + b))
                .collect(),
        };
        let origin = Origin {
            op: name,
            shape: &shape,
            dtype: self.kernel.outputs[0],
            location,
            meaning: None,
        };
        let outcome = self.outcome(&shape, &halo, fits, origin);
        let mut results = SmallVec::new();
        for (number, &dtype) in self.kernel.outputs.iter().enumerate() {
            let buffer = outcome.as_ref().map(|buffers| buffers[number].clone());
            let (shape, device) = (shape.clone(), self.device.clone());
            let node = Node::done(name, shape, dtype, device, buffer.map_err(Error::clone));
            results.push(Array::of_node(node));
        }
        results
    }

    fn outcome(
        &self,
        shape: &Shape,
        halo: &Margins,
        fits: bool,
        origin: Origin<'_>,
    ) -> Result<SmallVec<[Buffer; 2]>> {
        let backend = self.device.backend();
        let size = shape::size_of(shape);
        let allocate = |dtype: &DType| {
            let bytes = shape::checked_size(self.kernel.name, shape, *dtype)? * dtype.size();
            Buffer::allocate(self.kernel.name, backend, bytes)
        };
        let inputs: SmallVec<[Buffer; 4]> =
            self.operands.iter().map(Array::buffer).collect::<Result<_>>()?;
        let outputs: SmallVec<[Buffer; 2]> =
            self.kernel.outputs.iter().map(allocate).collect::<Result<_>>()?;
        if size == 0 {
            return Ok(outputs);
        }
        let parts = Parts { call: self, inputs: &inputs, outputs: &outputs, shape, origin };
        let Some(border) = &self.kernel.border else {
            let before: Region = halo
                .iter()
                .zip(shape)
                .map(|(&(before, _), &extent)| Range::plain(before, extent))
                .collect();
            parts.interior(&before, &SmallVec::from_elem(0, shape.len()))?;
            return Ok(outputs);
        };
        let largest = self.kernel.outputs.iter().map(|dtype| dtype.size()).max().unwrap_or(1);
        let (interior, borders) = match fits {
            true => regions(&margins(halo, shape, (PIECE / largest).max(1)), shape),
            false => (None, vec![shape.iter().map(|&extent| Range::plain(0, extent)).collect()]),
        };
        if let Some(interior) = interior {
            let start = interior.iter().map(|range| range.origin).collect();
            parts.interior(&interior, &start)?;
        }
        for region in &borders {
            parts.border(border, region)?;
        }
        Ok(outputs)
    }
}

/// The launches of a call.
struct Parts<'p> {
    call: &'p StencilCall<'p>,
    inputs: &'p [Buffer],
    outputs: &'p [Buffer],
    /// The shape of the results.
    shape: &'p [usize],
    origin: Origin<'p>,
}

impl Parts<'_> {
    fn numbers(&self) -> SmallVec<[u64; 4]> {
        let bits = self.call.numbers.iter().flat_map(|number| {
            let parts = if number.dtype.is_complex() { 2 } else { 1 };
            number.bits.into_iter().take(parts)
        });
        bits.collect()
    }

    /// The map over a box of the operands, whose first result is at `start`.
    fn interior(&self, region: &Region, start: &SmallVec<[usize; 4]>) -> Result<()> {
        let kernel = self.call.kernel;
        let mut shape: Shape = region.iter().map(|range| range.extent).collect();
        let steps = contiguous_strides(self.shape);
        let mut walks: SmallVec<[Strides; 8]> = SmallVec::new();
        let mut offsets: SmallVec<[usize; 8]> = SmallVec::new();
        for read in &kernel.reads {
            let layout = self.call.operands[usize::from(read.operand)].layout();
            let axes = region.iter().zip(&read.offsets).zip(&layout.strides);
            let moved = axes.map(|((range, &offset), &stride)| {
                (range.origin as isize + offset as isize) * stride
            });
            offsets.push((layout.offset as isize + moved.sum::<isize>()) as usize);
            walks.push(layout.strides.clone());
        }
        let first = start.iter().zip(&steps).map(|(&start, &step)| start * step as usize).sum();
        walks.extend(self.outputs.iter().map(|_| steps.clone()));
        collapse(&mut shape, &mut walks, 0);
        let mut walks = walks.into_iter();
        let mut inputs = SmallVec::new();
        for ((read, offset), strides) in kernel.reads.iter().zip(offsets).zip(&mut walks) {
            inputs.push(self.input(usize::from(read.operand), offset, strides));
        }
        let outputs = self.written(first, walks);
        self.launch(&kernel.interior, shape, inputs, self.numbers(), outputs)
    }

    /// The map over a region whose operands are read by position.
    fn border(&self, program: &Program, region: &Region) -> Result<()> {
        let mut scalars = self.numbers();
        let mut inner: usize = region.iter().map(|range| range.extent).product();
        for (range, &extent) in region.iter().zip(self.call.shape) {
            inner /= range.extent;
            let Range { origin, extent: own, split, jump } = *range;
            scalars.extend([inner, own, origin, split, jump, extent].map(|number| number as u64));
        }
        let steps = contiguous_strides(self.shape);
        let (mut shape, mut walk, mut first) = (Shape::new(), Strides::new(), 0);
        for (range, &step) in region.iter().zip(&steps) {
            first += range.origin * step as usize;
            if range.split < range.extent {
                // Both sides: as wide as each other.
                shape.push(range.extent / range.split);
                walk.push((range.split + range.jump) as isize * step);
                shape.push(range.split);
            } else {
                shape.push(range.extent);
            }
            walk.push(step);
        }
        let mut inputs: SmallVec<[(usize, usize); 4]> = SmallVec::new();
        for (operand, array) in self.call.operands.iter().enumerate() {
            let layout = array.layout();
            let axes = || layout.shape.iter().zip(&layout.strides);
            // A position along an axis of one element is that element's.
            scalars.extend(axes().map(|(_, &stride)| stride as u64));
            let last: usize = axes().map(|(&extent, &stride)| (extent - 1) * stride as usize).sum();
            scalars.push(last as u64 + 1);
            inputs.push((operand, layout.offset));
        }
        let mut walks: SmallVec<[Strides; 8]> = SmallVec::new();
        walks.extend(inputs.iter().map(|_| SmallVec::from_elem(0, shape.len())));
        walks.extend(self.outputs.iter().map(|_| walk.clone()));
        collapse(&mut shape, &mut walks, 0);
        let mut walks = walks.into_iter();
        let inputs = inputs.into_iter().zip(&mut walks);
        let inputs = inputs.map(|((operand, offset), walk)| self.input(operand, offset, walk));
        let inputs = inputs.collect();
        let outputs = self.written(first, walks);
        self.launch(program, shape, inputs, scalars, outputs)
    }

    fn input(&self, operand: usize, offset: usize, strides: Strides) -> StridedView<'_> {
        let dtype = self.call.operands[operand].dtype();
        StridedView { memory: self.inputs[operand].memory(), dtype, offset, strides }
    }

    fn written(
        &self,
        offset: usize,
        walks: impl Iterator<Item = Strides>,
    ) -> SmallVec<[StridedView<'_>; 2]> {
        let outputs = walks.zip(self.outputs.iter().zip(&self.call.kernel.outputs));
        outputs
            .map(|(strides, (buffer, &dtype))| StridedView {
                memory: buffer.memory(),
                dtype,
                offset,
                strides,
            })
            .collect()
    }

    fn launch<'a>(
        &'a self,
        program: &'a Program,
        shape: Shape,
        inputs: SmallVec<[StridedView<'a>; 4]>,
        scalars: SmallVec<[u64; 4]>,
        outputs: SmallVec<[StridedView<'a>; 2]>,
    ) -> Result<()> {
        let (backend, origin) = (self.call.device.backend(), Some(self.origin));
        let program = Checked::new(program)?;
        let made_of = Vec::new();
        let launch = Launch {
            program,
            prepared: None,
            shape,
            row_axes: 0,
            inputs,
            scalars,
            outputs,
            made_of,
            origin,
            slot: None,
        };
        launch_counts::count(|counts| &mut counts.maps);
        let _span = spans::launch(backend, "map", &launch.shape, &program);
        backend.map(Checked::new(&Map { launch: &launch })?)
    }
}

#[cfg(test)]
mod tests;
