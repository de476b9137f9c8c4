//! Memory of arrays and of launches, given back when dropped.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex};

use ndany_core::backend::Memory;

use crate::driver::{Address, Driver};
use crate::fault::Fault;
use crate::runtime::Runtime;

/// The memory of an array.
pub(crate) struct GpuMemory<D: Driver> {
    runtime: Arc<Runtime<D>>,
    address: Address,
    bytes: usize,
    pub(crate) faults: Mutex<Vec<Fault>>,
}

impl<D: Driver> GpuMemory<D> {
    pub(crate) fn new(runtime: Arc<Runtime<D>>, address: Address, bytes: usize) -> Self {
        Self { runtime, address, bytes, faults: Mutex::default() }
    }

    /// The first byte, as the device sees it.
    pub(crate) fn address(&self) -> Address {
        self.address
    }

    /// Bytes asked for.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl<D: Driver> Memory for GpuMemory<D> {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<D: Driver> fmt::Debug for GpuMemory<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GpuMemory({} bytes at {:#x})", self.bytes, self.address)
    }
}

impl<D: Driver> Drop for GpuMemory<D> {
    fn drop(&mut self) {
        self.runtime.give_back(self.address);
    }
}

/// Memory of a launch.
#[derive(Debug)]
pub(crate) struct Scratch<D: Driver>(Arc<GpuMemory<D>>);

impl<D: Driver> Scratch<D> {
    pub(crate) fn new(memory: Arc<GpuMemory<D>>) -> Self {
        Self(memory)
    }

    /// The first byte, as the device sees it.
    pub(crate) fn address(&self) -> Address {
        self.0.address()
    }
}

/// The memory behind core's handle.
pub(crate) fn memory_of<D: Driver>(memory: &dyn Memory) -> &GpuMemory<D> {
    match memory.as_any().downcast_ref() {
        Some(memory) => memory,
        None => unreachable!("memory of another device"),
    }
}
