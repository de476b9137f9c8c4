//! Launches proposals until every element has a value: a first one for all, then rounds for those that are left, with
//! their places and parameters picked out, so that each round has less to do.
//!
//! Whether any are left is read from the device, a number a round; values are not.

use smallvec::SmallVec;

use super::draw::WAITS;
use super::proposal::Proposal;
use super::samplers::Counter;
use crate::array::Array;
use crate::array::indexing::gather::{AdvancedIndex, flat_positions, scatter, select};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::graph::node::Node;
use crate::launch_counts;
use crate::recording;
use ndany_core::backend::{Checked, Launch, Map, StridedView};
use ndany_core::shape::{self, Layout, Shape, Strides, collapse, size_of};
use ndany_core::{DType, Error, Result};

/// Rounds after which something is wrong: each takes half of what is left or more.
const ROUNDS: usize = 500;

/// A parameter, in the dtype that the method computes in.
#[derive(Clone, Debug)]
pub(super) enum Parameter {
    /// Register bits.
    Bits(u64),
    /// Broadcast to the shape of the draw.
    Array(Array),
}

/// An array of values.
#[track_caller]
pub(super) fn draw(
    op: &'static str,
    proposal: Proposal,
    counter: Counter,
    parameters: Vec<Parameter>,
    shape: &Shape,
) -> Result<Array> {
    let size = shape::checked_size(op, shape, proposal.dtype).map(|_| size_of(shape))?;
    launch_counts::count(|counts| &mut counts.operations);
    let device = Device::current();
    recording::refuse(op, WAITS)?;
    let first = launch(op, &device, proposal, counter, &parameters, None, shape)?;
    let (mut values, mut left) = (first.values.try_reshape(-1isize)?, first.refused);
    let (mut places, mut parameters) = (None, parameters);
    let mut counter = counter;
    let mut proposal = proposal;
    let mut rounds = 0;
    while let Some(refused) = left.take() {
        // What is left is looked for before anything is picked out: mostly nothing is.
        let which = flat_positions(&refused)?;
        if which.size() == 0 || size == 0 {
            break;
        }
        if rounds == ROUNDS {
            return Err(Error::Refused { op, rounds });
        }
        rounds += 1;
        counter.attempt += proposal.tries() * proposal.blocks();
        proposal.again = true;
        for parameter in &mut parameters {
            if let Parameter::Array(array) = parameter {
                *array = match places {
                    None => select(array, &refused)?,
                    Some(_) => array.try_take(&which, 0isize)?,
                };
            }
        }
        let at = match &places {
            None => which,
            Some(before) => Array::try_take(before, &which, 0isize)?,
        };
        let few = Shape::from_slice(at.shape());
        let round = launch(op, &device, proposal, counter, &parameters, Some(&at), &few)?;
        let route = |target: &Array| AdvancedIndex::along(target, 0, &at);
        scatter(op, &mut values, &route, &round.values, None)?;
        left = round.refused;
        places = Some(at);
    }
    values.try_reshape(shape.as_slice())
}

struct Round {
    values: Array,
    /// Where the values are not to be used; `None` where all are.
    refused: Option<Array>,
}

#[track_caller]
fn launch(
    op: &'static str,
    device: &Device,
    proposal: Proposal,
    counter: Counter,
    parameters: &[Parameter],
    places: Option<&Array>,
    shape: &Shape,
) -> Result<Round> {
    let size = size_of(shape);
    let out = |dtype: DType| Buffer::allocate(op, device.backend(), size * dtype.size());
    let program = proposal.program();
    let outputs: SmallVec<[(Buffer, DType); 2]> = program
        .outputs
        .iter()
        .map(|output| Ok((out(output.dtype)?, output.dtype)))
        .collect::<Result<_>>()?;
    let mut scalars: SmallVec<[u64; 4]> = SmallVec::from_slice(&counter.scalars());
    let mut arrays: SmallVec<[&Array; 4]> = places.into_iter().collect();
    for parameter in parameters {
        match parameter {
            Parameter::Bits(bits) => scalars.push(*bits),
            Parameter::Array(array) => arrays.push(array),
        }
    }
    if size > 0 {
        let inputs: SmallVec<[Buffer; 4]> =
            arrays.iter().map(|array| array.buffer()).collect::<Result<_>>()?;
        let mut space = shape.clone();
        let mut walks: Vec<Strides> = vec![Layout::contiguous(shape).strides];
        walks.extend(arrays.iter().map(|array| array.layout().strides.clone()));
        collapse(&mut space, &mut walks, 0);
        let input = |((array, buffer), strides): ((&&Array, _), &Strides)| {
            let buffer: &Buffer = buffer;
            StridedView {
                memory: buffer.memory(),
                dtype: array.dtype(),
                offset: array.layout().offset,
                strides: strides.clone(),
            }
        };
        let launch = Launch {
            program: program.by_ref(),
            prepared: None,
            shape: space,
            row_axes: 0,
            inputs: arrays.iter().zip(&inputs).zip(&walks[1..]).map(input).collect(),
            scalars,
            outputs: outputs
                .iter()
                .map(|(buffer, dtype)| StridedView {
                    memory: buffer.memory(),
                    dtype: *dtype,
                    offset: 0,
                    strides: walks[0].clone(),
                })
                .collect(),
            made_of: Vec::new(),
            origin: None,
            slot: counter.slot(),
        };
        launch_counts::count(|counts| &mut counts.maps);
        device.backend().map(Checked::new(&Map { launch: &launch })?)?;
    }
    let mut made = outputs.into_iter().map(|(buffer, dtype)| {
        Array::of_node(Node::done(op, shape.clone(), dtype, device.clone(), Ok(buffer)))
    });
    match (made.next(), made.next()) {
        (Some(values), refused) => Ok(Round { values, refused }),
        (None, _) => unreachable!("a program has a value"),
    }
}
