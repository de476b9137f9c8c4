//! One launch of a sampler: a new array whose elements are the words of consecutive counters.
//!
//! The space of the launch is the blocks. Value `k` of block `i` is element `4i + k`, so four outputs of
//! step 4 share one memory, and no word is computed twice. This is why a draw runs when it is asked for
//! rather than in the tape of what follows: there, each element would compute a whole block.

use smallvec::SmallVec;

use super::samplers::{Counter, Sampler, Variate};
use crate::array::Array;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::graph::node::Node;
use crate::launch_counts;
use crate::recording;
use ndany_core::backend::{Checked, Launch, Map, StridedView};
use ndany_core::shape::{self, Shape, Strides, size_of};
use ndany_core::{DType, Result};

/// Blocks that values of this sampler take.
pub(super) fn blocks(sampler: &Sampler, size: usize) -> u64 {
    size.div_ceil(sampler.values_per_block()) as u64
}

/// An array of values; `parameters` are register bits.
#[track_caller]
pub(super) fn draw(
    op: &'static str,
    sampler: Sampler,
    counter: Counter,
    parameters: &[u64],
    shape: Shape,
) -> Result<Array> {
    shape::checked_size(op, &shape, sampler.dtype)?;
    let device = Device::current();
    launch_counts::count(|counts| &mut counts.operations);
    let outcome = match sampler.variate {
        Variate::Below { wide } => bounded(op, &device, sampler, wide, counter, parameters, &shape),
        _ => filled(op, &device, sampler, counter, parameters, &shape),
    };
    Ok(Array::of_node(Node::done(op, shape, sampler.dtype, device, outcome)))
}

fn filled(
    op: &'static str,
    device: &Device,
    sampler: Sampler,
    counter: Counter,
    parameters: &[u64],
    shape: &Shape,
) -> Result<Buffer> {
    let blocks = blocks(&sampler, size_of(shape)) as usize;
    let size = blocks * sampler.values_per_block();
    let out = Buffer::allocate(op, device.backend(), size * sampler.dtype.size())?;
    launch(device, sampler, counter, parameters, blocks, &[], &[(&out, sampler.dtype)])?;
    Ok(out)
}

/// Why draws that may be refused are not recorded.
pub(super) const WAITS: &str = "its values are drawn until none is refused, which waits for the device: draw before the graph, or \
                                uniform, normal or exponential variates";

/// Draws, and draws again where a value was refused, until none is.
fn bounded(
    op: &'static str,
    device: &Device,
    sampler: Sampler,
    wide: bool,
    counter: Counter,
    parameters: &[u64],
    shape: &Shape,
) -> Result<Buffer> {
    let blocks = blocks(&sampler, size_of(shape)) as usize;
    let size = blocks * sampler.values_per_block();
    let out = Buffer::allocate(op, device.backend(), size * sampler.dtype.size())?;
    let refused = Buffer::allocate(op, device.backend(), size)?;
    let both = [(&out, sampler.dtype), (&refused, DType::Bool)];
    launch(device, sampler, counter, parameters, blocks, &[], &both)?;
    let mut counter = counter;
    if parameters[1] != 0 {
        recording::refuse(op, WAITS)?;
    }
    // A threshold of zero refuses nothing.
    while parameters[1] != 0 && size > 0 && any(op, device, &refused, size)? {
        counter.attempt += 1;
        let again = Sampler { variate: Variate::Again { wide }, ..sampler };
        launch(device, again, counter, parameters, blocks, &both, &both)?;
    }
    Ok(out)
}

/// Whether any of these booleans is true. Reads one byte from the device.
fn any(op: &'static str, device: &Device, flags: &Buffer, size: usize) -> Result<bool> {
    let shape = Shape::from_slice(&[size]);
    let node = Node::done(op, shape, DType::Bool, device.clone(), Ok(flags.clone()));
    Array::of_node(node).try_any(..)?.item::<bool>()
}

fn launch<'a>(
    device: &Device,
    sampler: Sampler,
    counter: Counter,
    parameters: &[u64],
    blocks: usize,
    inputs: &[(&'a Buffer, DType)],
    outputs: &[(&'a Buffer, DType)],
) -> Result<()> {
    if blocks == 0 {
        return Ok(());
    }
    let width = sampler.values_per_block();
    // A space of one element has no axes.
    let axes: &[usize] = if blocks == 1 { &[] } else { &[blocks] };
    let strides: Strides = axes.iter().map(|_| width as isize).collect();
    let places = |buffers: &[(&'a Buffer, DType)]| -> Vec<StridedView<'a>> {
        let lane = |&(buffer, dtype): &(&'a Buffer, DType), offset| StridedView {
            memory: buffer.memory(),
            dtype,
            offset,
            strides: strides.clone(),
        };
        buffers.iter().flat_map(|one| (0..width).map(move |offset| lane(one, offset))).collect()
    };
    let program = sampler.program();
    let mut scalars: SmallVec<[u64; 4]> = SmallVec::from_slice(&counter.scalars());
    scalars.extend_from_slice(parameters);
    let launch = Launch {
        program: program.by_ref(),
        prepared: None,
        shape: Shape::from_slice(axes),
        row_axes: 0,
        inputs: places(inputs).into(),
        scalars,
        outputs: places(outputs).into(),
        made_of: Vec::new(),
        origin: None,
        slot: counter.slot(),
    };
    launch_counts::count(|counts| &mut counts.maps);
    device.backend().map(Checked::new(&Map { launch: &launch })?)
}
