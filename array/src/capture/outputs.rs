//! What a graph makes: new arrays, views of its inputs, or arrays that were there.

use std::sync::Arc;

use super::inputs::Given;
use crate::array::Array;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::graph::node::Node;
use crate::recording::Tracking;
use ndany_core::backend::Memory;
use ndany_core::shape::{Layout, Shape};
use ndany_core::{DType, Error, Result};

/// What the closure of [`Graph::capture`](crate::Graph::capture) returns: `[x, y]`, or a `Result` of such.
pub trait GraphOutputs<const O: usize> {
    #[doc(hidden)]
    fn outputs(self) -> Result<[Array; O]>;
}

impl<const O: usize> GraphOutputs<O> for [Array; O] {
    fn outputs(self) -> Result<[Array; O]> {
        Ok(self)
    }
}

impl<const O: usize> GraphOutputs<O> for Result<[Array; O]> {
    fn outputs(self) -> Result<[Array; O]> {
        self
    }
}

/// An output of the recorded run, computed.
pub(super) struct Made {
    array: Array,
    buffer: Buffer,
    /// The input whose view it is.
    input: Option<usize>,
}

impl Made {
    /// All outputs. Nodes with one memory would be written through each other, so all but the first are copied.
    pub(super) fn all<const O: usize>(
        op: &'static str,
        arrays: [Array; O],
        device: &Device,
        given: &[Given],
    ) -> Result<Vec<Made>> {
        let mut all: Vec<Made> = Vec::with_capacity(O);
        for array in arrays {
            if array.device() != device {
                let (left, right) = (device.to_string(), array.device().to_string());
                return Err(Error::TwoDevices { op, left, right });
            }
            let buffer = array.buffer()?;
            let input = given.iter().position(|given| given.is(&array));
            let shared = all.iter().any(|other| {
                Arc::ptr_eq(other.buffer.handle(), buffer.handle())
                    && !Arc::ptr_eq(other.array.node(), array.node())
            });
            all.push(if shared {
                let copy = array.try_copy()?;
                Made { buffer: copy.buffer()?, array: copy, input: None }
            } else {
                Made { array, buffer, input }
            });
        }
        Ok(all)
    }
}

/// Where a launch finds an output.
enum Source {
    /// A view of an input.
    Input { number: usize, layout: Layout },
    /// An array that was there before.
    Outside(Array),
    /// A view of what the launch makes.
    Own { node: usize, layout: Layout },
}

/// The outputs of a graph.
pub(super) struct Outputs {
    sources: Vec<Source>,
    /// Shapes and dtypes of what a launch makes, one for each memory that a replay returns.
    nodes: Vec<(Shape, DType)>,
}

impl Outputs {
    /// The outputs, and the memories of what is made.
    pub(super) fn of(made: Vec<Made>, tracking: &Tracking) -> (Self, Vec<Arc<dyn Memory>>) {
        let mut outputs = Self { sources: Vec::new(), nodes: Vec::new() };
        let mut memories: Vec<Arc<dyn Memory>> = Vec::new();
        for Made { array, buffer, input } in made {
            let (layout, handle) = (array.layout().clone(), buffer.handle());
            outputs.sources.push(match input {
                Some(number) => Source::Input { number, layout },
                None if !tracking.is_own(handle) => Source::Outside(array),
                None => {
                    let known = memories.iter().position(|memory| Arc::ptr_eq(memory, handle));
                    let node = known.unwrap_or_else(|| {
                        memories.push(handle.clone());
                        let node = array.node();
                        outputs.nodes.push((Shape::from_slice(node.shape()), node.dtype));
                        memories.len() - 1
                    });
                    Source::Own { node, layout }
                }
            });
        }
        (outputs, memories)
    }

    /// The arrays of a launch, over the memories that it has returned.
    #[track_caller]
    pub(super) fn arrays<const O: usize>(
        &self,
        op: &'static str,
        device: &Device,
        inputs: &[Array],
        memories: Vec<Arc<dyn Memory>>,
    ) -> [Array; O] {
        let mut made = Vec::with_capacity(memories.len());
        for ((shape, dtype), memory) in self.nodes.iter().zip(memories) {
            let buffer = Buffer::of_memory(memory);
            let node = Node::done(op, shape.clone(), *dtype, device.clone(), Ok(buffer));
            made.push(Array::of_node(node));
        }
        let array = |number: usize| match &self.sources[number] {
            Source::Input { number, layout } => inputs[*number].with_layout(layout.clone()),
            Source::Outside(array) => array.clone(),
            Source::Own { node, layout } => made[*node].with_layout(layout.clone()),
        };
        std::array::from_fn(array)
    }
}
