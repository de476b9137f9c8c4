//! Memory of an array in the hands of others.

use std::sync::Arc;

use crate::array::Array;
use crate::buffer::Lease;
use crate::device::{Device, Stream};
use crate::graph::node::Node;
use ndany_core::backend::{Access, Priority};
use ndany_core::shape::{Layout, Shape};
use ndany_core::{DType, Error, Result};

const OP: &str = "export";

/// Elements of an array that another library uses: their memory stays until this is dropped, on any thread.
///
/// On a GPU, drop it after the work of the other library that uses the memory: in the stream for which it was exported its
/// submission is enough, in any other it has to be done.
#[derive(Debug)]
pub struct Export {
    array: Array,
    address: u64,
    is_writable: bool,
    /// Pins the memory while it lives.
    _lease: Option<Arc<Lease>>,
}

impl Export {
    /// Exports the elements for reading. What is pending is computed first.
    ///
    /// Without a stream the call waits until the values are there. With one it does not; the stream comes after the work that makes them.
    /// A write to the array goes to a copy while the export lives, unless the memory is pinned.
    ///
    /// - **Errors**: a stream of another device, a device whose memory has no addresses (the reference), what failed on the way.
    ///
    /// ```
    /// use ndany::exchange::Export;
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// # let _here = device.enter();
    /// let a = arange(6).reshape([2, 3]).transpose(..);
    /// let export = Export::read(&a, None)?;
    /// assert_eq!(export.layout().strides.as_slice(), [1, 3]);
    /// let second = std::ptr::with_exposed_provenance::<i64>(export.address() as usize).wrapping_add(3);
    /// // SAFETY: the array has this element.
    /// assert_eq!(unsafe { second.read() }, 3);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn read(array: &Array, stream: Option<&Stream>) -> Result<Export> {
        array.buffer()?;
        let address = address_in(array, stream, Access::Read)?;
        Ok(Export { array: array.clone(), address, is_writable: false, _lease: None })
    }

    /// Exports the elements for reading and writing, and pins the memory while the export lives.
    ///
    /// What the other library writes shows in the array, and what is written to the array shows there. Other handles on the array
    /// and pending results keep the values of now: if there are any, the array gets memory of its own first. As [`Export::read`]
    /// otherwise. The other library leaves booleans 0 or 1.
    ///
    /// - **Errors**: as [`Export::read`]; memory of another library that is read-only; elements that share places.
    ///
    /// ```
    /// use ndany::exchange::Export;
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// # let _here = device.enter();
    /// let mut a = arange(3);
    /// let export = Export::write(&mut a, None)?;
    /// let first = std::ptr::with_exposed_provenance_mut::<i64>(export.address() as usize);
    /// // SAFETY: the array has this element, and no call uses it meanwhile.
    /// unsafe { first.write(7) };
    /// a.set(1, 8);
    /// assert_eq!(a.to_string(), "[7 8 2]");
    /// // SAFETY: the array has this element.
    /// assert_eq!(unsafe { first.add(1).read() }, 8);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn write(array: &mut Array, stream: Option<&Stream>) -> Result<Export> {
        if !Export::is_writable_memory(array)? {
            let reason = "expected elements that may be written, got another library's that are read-only, or a view whose elements share places";
            return Err(Error::ArgumentValue { op: OP.to_string(), reason: reason.to_string() });
        }
        if !array.node().is_pinned() && !array.is_alone() {
            array.make_whole_sole()?;
        }
        Export::write_sole(array, stream)
    }

    /// Whether others may write the elements at all: each has a place of its own, in memory that is not another library's alone.
    #[track_caller]
    fn is_writable_memory(array: &Array) -> Result<bool> {
        let buffer = array.buffer()?;
        Ok(!array.layout().may_overlap() && (buffer.is_pinned() || buffer.may_be_leased()))
    }

    /// Exports the elements for reading and writing, if that is possible.
    ///
    /// As [`Export::write`]. `None` where elements share places, where another library's memory is read-only, and, unless `copies`, where other
    /// handles hold the value.
    ///
    /// - **Errors**: as [`Export::read`].
    ///
    /// ```
    /// use ndany::exchange::Export;
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let mut a = zeros(1, F32).to_device(&device)?;
    /// let held = a.clone();
    /// assert!(Export::try_write(&mut a, false, None)?.is_none());
    /// drop(held);
    /// assert!(Export::try_write(&mut a, false, None)?.is_some());
    /// assert!(Export::try_write(&mut a.broadcast_to([3]), true, None)?.is_none());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn try_write(
        array: &mut Array,
        copies: bool,
        stream: Option<&Stream>,
    ) -> Result<Option<Export>> {
        let is_free = Export::is_writable_memory(array)?
            && (copies || array.node().is_pinned() || array.is_alone());
        if is_free { Export::write(array, stream).map(Some) } else { Ok(None) }
    }

    /// The export of an array whose memory is pinned or has one handle.
    #[track_caller]
    fn write_sole(array: &mut Array, stream: Option<&Stream>) -> Result<Export> {
        let was_pinned = array.node().is_pinned();
        let (buffer, lease) = array.buffer()?.leased();
        if !was_pinned {
            // What the graph knows of the old values (that all are equal, say) goes with their node.
            let (shape, layout) = (Shape::from_slice(array.node().shape()), array.layout().clone());
            let node = Node::done(OP, shape, array.dtype(), array.device().clone(), Ok(buffer));
            *array = Array::of_node(node).with_layout(layout);
        }
        let address = address_in(array, stream, Access::Write)?;
        Ok(Export { array: array.clone(), address, is_writable: true, _lease: lease })
    }

    /// Returns the address of the element whose indices are all 0; 0 if there are no elements.
    ///
    /// ```
    /// use ndany::exchange::Export;
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let none = zeros(0, F64).to_device(&device)?;
    /// assert_eq!(Export::read(&none, None)?.address(), 0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns extents and steps, in elements. The [address](Export::address) includes the offset.
    ///
    /// ```
    /// use ndany::exchange::Export;
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let a = zeros((2, 3), F64).to_device(&device)?;
    /// assert_eq!(Export::read(&a, None)?.layout().shape.as_slice(), [2, 3]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn layout(&self) -> &Layout {
        self.array.layout()
    }

    /// Returns the dtype.
    ///
    /// ```
    /// use ndany::exchange::Export;
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// assert_eq!(Export::read(&zeros(2, F32).to_device(&device)?, None)?.dtype(), F32);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn dtype(&self) -> DType {
        self.array.dtype()
    }

    /// Returns the device whose memory it is.
    ///
    /// ```
    /// use ndany::exchange::Export;
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// assert_eq!(Export::read(&zeros(2, F32).to_device(&device)?, None)?.device(), &device);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        self.array.device()
    }

    /// Returns whether the host may use the elements where they are.
    ///
    /// It may on the CPU, and in managed memory where the device allows the host to use it while it works. The host then sees what is written to the array later once the device has done it ([`Device::synchronize`]).
    ///
    /// ```
    /// use ndany::exchange::{Export, MemorySource, allocate_from};
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// let _managed = allocate_from(&device, MemorySource::Managed)?;
    /// let a = zeros(2, F32).to_device(&device)?;
    /// assert!(Export::read(&a, None)?.is_host_accessible());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn is_host_accessible(&self) -> bool {
        let Ok(buffer) = self.array.buffer() else { return false };
        match self.device().backend().pool() {
            Some(pool) => pool.is_host_accessible(buffer.memory()),
            None => true,
        }
    }

    /// Returns whether the other library may write the elements.
    ///
    /// ```
    /// use ndany::exchange::Export;
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// assert!(!Export::read(&zeros(2, F32).to_device(&device)?, None)?.is_writable());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn is_writable(&self) -> bool {
        self.is_writable
    }
}

/// The address of the first element, for work in a stream; without one, once the values are there.
fn address_in(array: &Array, stream: Option<&Stream>, access: Access) -> Result<u64> {
    let address = match stream {
        Some(stream) => {
            array.expect_device_of(OP, stream)?;
            array.address_for(stream, access)?
        }
        None => {
            let stream = array.device().stream(Priority::default())?;
            let address = array.address_for(&stream, access)?;
            stream.synchronize()?;
            address
        }
    };
    Ok(if array.size() == 0 { 0 } else { address })
}
