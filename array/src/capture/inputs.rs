//! What a graph takes: arrays like those that were recorded, and a generator.

use std::sync::Arc;

use crate::array::Array;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::graph::node::Node;
use crate::random::Generator;
use ndany_core::shape::Shape;
use ndany_core::{DType, Error, Result};

/// What [`Graph::capture`](crate::Graph::capture) and [`Graph::launch`](crate::Graph::launch) take: `[&x, &y]`, or
/// `(&mut generator, [&x, &y])`; a capture also takes `(&generator, …)`.
pub trait GraphInputs<const I: usize> {
    #[doc(hidden)]
    fn arrays(&self) -> [&Array; I];

    #[doc(hidden)]
    fn generator(&self) -> Option<&Generator> {
        None
    }

    #[doc(hidden)]
    fn generator_mut(&mut self) -> Option<&mut Generator> {
        None
    }
}

impl<const I: usize> GraphInputs<I> for [&Array; I] {
    fn arrays(&self) -> [&Array; I] {
        *self
    }
}

impl<const I: usize> GraphInputs<I> for &[Array; I] {
    fn arrays(&self) -> [&Array; I] {
        self.each_ref()
    }
}

impl<const I: usize> GraphInputs<I> for (&Generator, [&Array; I]) {
    fn arrays(&self) -> [&Array; I] {
        self.1
    }

    fn generator(&self) -> Option<&Generator> {
        Some(self.0)
    }
}

impl<const I: usize> GraphInputs<I> for (&mut Generator, [&Array; I]) {
    fn arrays(&self) -> [&Array; I] {
        self.1
    }

    fn generator(&self) -> Option<&Generator> {
        Some(self.0)
    }

    fn generator_mut(&mut self) -> Option<&mut Generator> {
        Some(self.0)
    }
}

/// The one device of the inputs; the current one if there are none.
pub(super) fn device_of(op: &'static str, arrays: &[&Array]) -> Result<Device> {
    let Some((first, others)) = arrays.split_first() else { return Ok(Device::current()) };
    match others.iter().find(|other| other.device() != first.device()) {
        None => Ok(first.device().clone()),
        Some(other) => Err(two_devices(op, first.device(), other.device())),
    }
}

fn two_devices(op: &'static str, left: &Device, right: &Device) -> Error {
    Error::TwoDevices { op, left: left.to_string(), right: right.to_string() }
}

/// What an input has to be.
pub(super) struct Checks {
    shape: Shape,
    dtype: DType,
}

impl Checks {
    /// The input as launches read it: in C order from the first byte of a memory of its own size.
    pub(super) fn bind(
        &self,
        op: &'static str,
        number: usize,
        array: &Array,
        device: &Device,
    ) -> Result<Array> {
        if array.device() != device {
            return Err(two_devices(op, device, array.device()));
        }
        if array.shape() != self.shape.as_slice() {
            let expected =
                format!("input {number} of {}", ndany_core::ShapeText::from(self.shape.as_slice()));
            return Err(Error::Shape { op, expected, got: array.shape().into() });
        }
        if array.dtype() != self.dtype {
            let (expected, got) = (self.dtype, array.dtype());
            let reason =
                format!("input {number}: expected {expected}, got {got}: convert it with astype");
            return Err(Error::Arguments { op: op.to_string(), reason });
        }
        placed(array)
    }
}

/// The array in C order from the first byte of a memory of its own size: itself, or a copy.
fn placed(array: &Array) -> Result<Array> {
    let own = |array: &Array| -> Result<bool> {
        let bytes = array.size() * array.dtype().size();
        let layout = array.layout();
        Ok(layout.is_contiguous()
            && layout.offset == 0
            && array.node().layout.size() == layout.size()
            && array.buffer()?.handle().bytes() == bytes)
    };
    if own(array)? {
        return Ok(array.clone());
    }
    let copy = array.try_copy()?;
    copy.eval()?;
    Ok(copy)
}

/// An input while the closure is recorded.
pub(super) struct Given {
    /// What the closure gets.
    pub(super) array: Array,
    pub(super) buffer: Buffer,
    pub(super) checks: Checks,
}

impl Given {
    pub(super) fn all<const I: usize>(
        op: &'static str,
        device: &Device,
        arrays: &[&Array; I],
    ) -> Result<[Given; I]> {
        let mut all = Vec::with_capacity(I);
        for array in arrays {
            // A copy, which has no memory in common with another input or with what the closure captures.
            let buffer = array.try_copy()?.buffer()?;
            let (shape, dtype) = (Shape::from_slice(array.shape()), array.dtype());
            let node = Node::done(op, shape.clone(), dtype, device.clone(), Ok(buffer.clone()));
            let checks = Checks { shape, dtype };
            all.push(Given { array: Array::of_node(node), buffer, checks });
        }
        match all.try_into() {
            Ok(all) => Ok(all),
            Err(_) => unreachable!("there is one for each"),
        }
    }

    /// Whether an array is this input, or a view of it.
    pub(super) fn is(&self, array: &Array) -> bool {
        Arc::ptr_eq(self.array.node(), array.node())
    }
}
