//! Arrays over memory of other libraries, and memory of arrays lent to other libraries.

#![allow(unsafe_code, reason = "the caller's promise about memory is passed on to the backend")]

use std::marker::PhantomData;

use crate::arguments::IntoShape;
use crate::array::Array;
use crate::buffer::{Buffer, Foreign};
use crate::device::{Device, Stream};
use crate::graph::node::Node;
use ndany_core::backend::{Access, ForeignMemory};
use ndany_core::shape::{self, Layout, Shape};
use ndany_core::{DType, Error, Result};

impl Array {
    /// Makes an array over memory that another library has allocated on a device, as `cupy.cuda.UnownedMemory`.
    ///
    /// Nothing is copied. The elements lie in C order. For another layout, make the array one-dimensional over all of the memory and
    /// view it by [`as_strided`](Array::as_strided). The memory is only read: what writes the array in place, or its views, copies it first.
    ///
    /// `owner` keeps the memory alive, and may give it back when it is dropped. On a GPU it is dropped after all work that uses the
    /// memory, on a thread that uses or synchronizes the device then; on the CPU with the last array. If the call errs, it is
    /// dropped at once.
    ///
    /// - **Shapes**: `shape`.
    /// - **Dtypes**: `dtype`, any.
    /// - **Errors**: an address that is 0 or no multiple of the element's size, a shape that is too large, a device whose memory has
    ///   no addresses (the reference).
    ///
    /// # Safety
    /// From `address` on, the elements of the shape lie in memory of the device (`cuda:…`, `hip:…`), or of this process (`cpu`),
    /// until `owner` is dropped, and nothing writes them. Their values are there for work in the thread's current stream: what makes
    /// them is done, or the stream waits for it ([`Stream::wait`]). Booleans are 0 or 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let values = vec![1.0f64, 2.0, 3.0, 4.0];
    /// let address = values.as_ptr().expose_provenance() as u64;
    /// # let Ok(_) = Device::open("cpu") else { return Ok(()) };
    /// let device = Device::open("cpu")?;
    /// // SAFETY: the vector is the owner, and moving it moves no elements.
    /// let a = unsafe { Array::from_device(&device, address, (2, 2), F64, values) }?;
    /// assert_eq!(a.sum(0).to_vec::<f64>()?, [4.0, 6.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub unsafe fn from_device(
        device: &Device,
        address: u64,
        shape: impl IntoShape,
        dtype: DType,
        owner: impl Send + 'static,
    ) -> Result<Array> {
        const OP: &str = "from_device";
        let shape = shape.into_shape().extents(OP)?;
        let bytes = shape::checked_size(OP, &shape, dtype)? * dtype.size();
        let of_node = |buffer| {
            Array::of_node(Node::done(OP, shape.clone(), dtype, device.clone(), Ok(buffer)))
        };
        if bytes == 0 {
            return Ok(of_node(Buffer::allocate(OP, device.backend(), 0)?));
        }
        let refused = |reason| Err(Error::Arguments { op: OP.to_string(), reason });
        if address == 0 || address.checked_add(bytes as u64).is_none() {
            let reason = format!("expected the address of {bytes} bytes, got {address:#x}");
            return refused(reason);
        }
        let size = dtype.size();
        // Complex numbers lie as their parts do.
        let alignment = if dtype.is_complex() { size / 2 } else { size };
        let misaligned = |multiple: usize| {
            format!(
                "expected an address that is a multiple of {multiple} bytes, got {address:#x}: copy the values"
            )
        };
        if !address.is_multiple_of(alignment as u64) {
            return refused(misaligned(alignment));
        }
        let memory = ForeignMemory { address, bytes, owner: Box::new(owner) };
        let (buffer, before) = Buffer::foreign(device.backend(), memory, Foreign::Constant)?;
        if !before.is_multiple_of(size) {
            return refused(misaligned(size));
        }
        let layout = Layout { offset: before / size, ..Layout::contiguous(&shape) };
        Ok(of_node(buffer).with_layout(layout))
    }

    /// Lends the elements to another library that reads them by work in a stream; does not wait.
    ///
    /// It waits only where the values may carry an error that is not known yet. What is pending is computed first. The stream comes
    /// after the work that makes the values, and the guard keeps the memory. Drop
    /// the guard when the other library has submitted its work, which need not be done: the memory is not used for anything else
    /// before it. Elements that do not lie in C order are copied, and the copy is lent.
    ///
    /// - **Shapes**: `(…)`, in C order.
    /// - **Dtypes**: any.
    /// - **Errors**: a stream of another device, a device whose memory has no addresses (the reference), what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// # let Ok(_) = Device::open("cpu") else { return Ok(()) };
    /// let device = Device::open("cpu")?;
    /// let _here = device.enter();
    /// let (a, stream) = (arange(3), device.stream(..)?);
    /// let lent = a.lend(&stream)?;
    /// let first = std::ptr::with_exposed_provenance::<i64>(lent.address() as usize);
    /// // SAFETY: the array has three elements.
    /// assert_eq!(unsafe { first.add(2).read() }, 2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn lend<'s>(&self, stream: &'s Stream) -> Result<Lent<'s>> {
        const OP: &str = "lend";
        self.expect_device_of(OP, stream)?;
        let packed = self.packed()?;
        let address = packed.address_for(stream, Access::Read)?;
        Ok(Lent { address, held: Some(packed), _borrowed: PhantomData })
    }

    /// Lends the elements to another library that writes them by work in a stream; does not wait.
    ///
    /// As [`lend`](Array::lend), but the stream comes after all work on the memory, and the array cannot be used while the guard
    /// lives. Later work on the array comes after the stream's work of that time. An array whose memory others hold too, or whose
    /// elements do not lie in C order, gets memory of its own first.
    ///
    /// The other library must leave booleans 0 or 1.
    ///
    /// - **Shapes**: `(…)`, in C order.
    /// - **Dtypes**: any.
    /// - **Errors**: as [`lend`](Array::lend).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// # let Ok(_) = Device::open("cpu") else { return Ok(()) };
    /// let device = Device::open("cpu")?;
    /// let _here = device.enter();
    /// let (mut a, stream) = (arange(3), device.stream(..)?);
    /// let before = a.clone();
    /// let lent = a.lend_mut(&stream)?;
    /// let first = std::ptr::with_exposed_provenance_mut::<i64>(lent.address() as usize);
    /// // SAFETY: the array has three elements, which nothing else uses.
    /// unsafe { first.write(7) };
    /// drop(lent);
    /// assert_eq!((a.to_string(), before.to_string()), ("[7 1 2]".into(), "[0 1 2]".into()));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn lend_mut<'s>(&'s mut self, stream: &'s Stream) -> Result<Lent<'s>> {
        const OP: &str = "lend_mut";
        self.expect_device_of(OP, stream)?;
        if !self.layout().is_contiguous() {
            self.expect_unpinned(OP)?;
            *self = self.packed()?;
        }
        self.make_sole()?;
        // What the graph knows of the old values (that all are equal, say) goes with their node.
        let (shape, layout) = (Shape::from_slice(self.node().shape()), self.layout().clone());
        let outcome = self.buffer();
        let node = Node::done(OP, shape, self.dtype(), self.device().clone(), outcome);
        *self = Array::of_node(node).with_layout(layout);
        let address = self.address_for(stream, Access::Write)?;
        Ok(Lent { address, held: None, _borrowed: PhantomData })
    }

    pub(crate) fn expect_device_of(&self, op: &'static str, stream: &Stream) -> Result<()> {
        if stream.device() == self.device() {
            return Ok(());
        }
        let (left, right) = (self.device().name(), stream.device().name());
        Err(Error::TwoDevices { op, left, right })
    }

    /// The address of the first element, for work of another library in a stream.
    pub(crate) fn address_for(&self, stream: &Stream, access: Access) -> Result<u64> {
        let buffer = self.buffer()?;
        let backend = self.device().backend();
        let start = backend.lend(buffer.memory(), stream.of_backend(), access)?;
        let offset = if self.size() == 0 { 0 } else { self.layout().offset * self.dtype().size() };
        Ok(start + offset as u64)
    }
}

/// Elements that are lent to another library until it is dropped; see [`Array::lend`] and [`Array::lend_mut`].
#[derive(Debug)]
#[must_use = "the memory is lent while the guard lives"]
pub struct Lent<'s> {
    address: u64,
    /// Keeps what is read from being written or given back. What is written is borrowed.
    held: Option<Array>,
    _borrowed: PhantomData<(&'s Stream, &'s mut Array)>,
}

/// The borrow of what is written lasts until the guard goes, not only until its last use.
impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.held = None;
    }
}

impl Lent<'_> {
    /// Returns the address of the first element, as `cupy.ndarray.data.ptr`; the others follow in C order.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// # let Ok(_) = Device::open("cpu") else { return Ok(()) };
    /// let device = Device::open("cpu")?;
    /// let a = arange(3).to_device(&device)?;
    /// assert_ne!(a.lend(&device.stream(..)?)?.address(), 0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn address(&self) -> u64 {
        self.address
    }
}
