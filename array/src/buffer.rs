//! The memory of arrays.

use std::sync::{Arc, Weak};

use crate::element::Element;
use crate::recording;
use ndany_core::Result;
use ndany_core::backend::{Backend, ContiguousView, ForeignMemory, Memory};

/// The memory of an array: shared by its views, given back when the last one goes.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    memory: Arc<dyn Memory>,
    sharing: Sharing,
}

/// Who uses memory beside arrays.
#[derive(Clone, Debug)]
enum Sharing {
    /// Nobody.
    None,
    /// Holders of the lease read and write it. Once none is left, arrays have it to themselves again.
    Leased(Weak<Lease>),
    /// Another library has allocated it.
    Foreign(Foreign),
}

/// What happens to memory of another library while arrays use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// Nothing writes it.
    Constant,
    /// The other library may write it, arrays do not.
    ReadOnly,
    /// The other library and arrays write it.
    Writable,
}

/// Memory of arrays in the hands of others, who read and write it.
#[derive(Debug)]
pub(crate) struct Lease {
    _memory: Arc<dyn Memory>,
}

impl Buffer {
    /// Memory for the result of `op`.
    #[inline]
    pub(crate) fn allocate(op: &'static str, backend: &dyn Backend, bytes: usize) -> Result<Self> {
        let _span = crate::spans::allocate(backend, op, bytes);
        match backend.allocate(bytes) {
            Ok(memory) => {
                recording::taken(&memory);
                Ok(Self { memory, sharing: Sharing::None })
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
            Ok(memory) => return Ok(Self { memory, sharing: Sharing::None }),
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
        Self { memory, sharing: Sharing::None }
    }

    /// Memory of another library, and the number of its bytes before the address.
    pub(crate) fn foreign(
        backend: &dyn Backend,
        memory: ForeignMemory,
        kind: Foreign,
    ) -> Result<(Self, usize)> {
        let (memory, before) = backend.foreign(memory)?;
        Ok((Self { memory, sharing: Sharing::Foreign(kind) }, before))
    }

    /// The same memory and a lease of it. It has no other handle, or is pinned.
    pub(crate) fn leased(&self) -> (Self, Option<Arc<Lease>>) {
        if let Sharing::Foreign(Foreign::Writable) = self.sharing {
            return (self.clone(), None);
        }
        if let Sharing::Leased(lease) = &self.sharing
            && let Some(lease) = lease.upgrade()
        {
            return (self.clone(), Some(lease));
        }
        let lease = Arc::new(Lease { _memory: self.memory.clone() });
        let sharing = Sharing::Leased(Arc::downgrade(&lease));
        (Self { memory: self.memory.clone(), sharing }, Some(lease))
    }

    /// Whether arrays and others write it: a write never replaces it by a copy.
    #[inline]
    pub(crate) fn is_pinned(&self) -> bool {
        match &self.sharing {
            Sharing::None => false,
            Sharing::Leased(lease) => lease.strong_count() > 0,
            Sharing::Foreign(kind) => *kind == Foreign::Writable,
        }
    }

    /// Whether others may write it at any time: what is made of it is computed before the call that asks for it returns.
    #[inline]
    pub(crate) fn is_exposed(&self) -> bool {
        match &self.sharing {
            Sharing::None => false,
            Sharing::Leased(lease) => lease.strong_count() > 0,
            Sharing::Foreign(kind) => *kind != Foreign::Constant,
        }
    }

    /// Whether it is memory of arrays, or another library's that may be written.
    pub(crate) fn may_be_leased(&self) -> bool {
        match &self.sharing {
            Sharing::None | Sharing::Leased(_) => true,
            Sharing::Foreign(kind) => *kind == Foreign::Writable,
        }
    }

    /// Whether arrays alone use it. After `true` the caller reads what the last holder of a lease has written only behind a fence
    /// (`Node::is_held_by`).
    pub(crate) fn is_of_arrays(&self) -> bool {
        match &self.sharing {
            Sharing::None => true,
            Sharing::Leased(lease) => lease.strong_count() == 0,
            Sharing::Foreign(_) => false,
        }
    }

    /// Whether both may have bytes in common. Another library's memory can be part of any that others use.
    pub(crate) fn may_meet(&self, other: &Buffer) -> bool {
        let is_foreign = |buffer: &Buffer| matches!(buffer.sharing, Sharing::Foreign(_));
        let same = std::ptr::addr_eq(Arc::as_ptr(&self.memory), Arc::as_ptr(&other.memory));
        let exposed = self.is_exposed() && other.is_exposed();
        same || (exposed && (is_foreign(self) || is_foreign(other)))
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
