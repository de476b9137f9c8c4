//! The memory of arrays.

use std::sync::Arc;

use crate::element::Element;
use crate::recording;
use ndany_core::Result;
use ndany_core::backend::{Backend, ContiguousView, ForeignMemory, Memory};

/// The memory of an array: shared by its views, given back when the last one goes.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    memory: Arc<dyn Memory>,
    /// Whether another library has allocated it, so that nothing here may write it.
    is_foreign: bool,
}

impl Buffer {
    /// Memory for the result of `op`.
    #[inline]
    pub(crate) fn allocate(op: &'static str, backend: &dyn Backend, bytes: usize) -> Result<Self> {
        let _span = crate::spans::allocate(backend, op, bytes);
        match backend.allocate(bytes) {
            Ok(memory) => {
                recording::taken(&memory);
                Ok(Self { memory, is_foreign: false })
            }
            Err(error) => Err(error.of_memory_for(op)),
        }
    }

    /// Memory with these values, by taking it over where the device can.
    pub(crate) fn of_values<T: Element>(
        op: &'static str,
        backend: &dyn Backend,
        values: Vec<T>,
    ) -> Result<Self> {
        let values = match backend.adopt(T::DTYPE, Box::new(values)) {
            Ok(memory) => return Ok(Self { memory, is_foreign: false }),
            Err(values) => values,
        };
        let Ok(values) = values.downcast::<Vec<T>>() else {
            unreachable!("values that were not taken come back")
        };
        let bytes = T::as_bytes(&values);
        let buffer = Self::allocate(op, backend, bytes.len())?;
        backend.write(buffer.memory(), &bytes)?;
        Ok(buffer)
    }

    /// Memory that a device has made of its own accord.
    pub(crate) fn of_memory(memory: Arc<dyn Memory>) -> Self {
        Self { memory, is_foreign: false }
    }

    /// Memory of another library, and the number of its bytes before the address.
    pub(crate) fn foreign(backend: &dyn Backend, memory: ForeignMemory) -> Result<(Self, usize)> {
        let (memory, before) = backend.foreign(memory)?;
        Ok((Self { memory, is_foreign: true }, before))
    }

    /// Whether another library has allocated it.
    pub(crate) fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// The memory, for a request.
    #[inline]
    pub(crate) fn memory(&self) -> &dyn Memory {
        recording::used(&self.memory);
        self.memory.of_device()
    }

    /// The handle on the memory.
    pub(crate) fn handle(&self) -> &Arc<dyn Memory> {
        &self.memory
    }

    /// Pieces that begin after this number of elements.
    pub(crate) fn packed(&self, offset: usize) -> ContiguousView<'_> {
        ContiguousView { memory: self.memory(), offset }
    }
}
