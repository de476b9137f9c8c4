//! Page-locked memory of the host, and copies that go on while the host does other things.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::arguments::IntoShape;
use crate::array::Array;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::element::Element;
use crate::graph::node::Node;
use ndany_core::backend::{HostMemory, Transfer};
use ndany_core::shape;
use ndany_core::{Error, Result, host};

/// Elements in page-locked memory of the host, as `cupyx.zeros_pinned`.
///
/// A GPU copies from and to such memory while the host goes on. A copy takes the buffer and gives it back when it is done
/// ([`Pending::wait`]), so it is neither changed nor freed too early. Page-locked memory is slow to obtain: make a buffer once and
/// use it again. On the CPU it is a `Vec`, and copies are done at once.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::HostBuffer;
/// let device = Device::current();
/// let mut buffer = HostBuffer::<f32>::new(&device, 4)?;
/// buffer.copy_from_slice(&[1.0, 2.0, 3.0, 4.0]);
/// let (x, sent) = buffer.upload((2, 2))?;
/// let root = x.sqrt();                  // waits for the copy on the device
/// let buffer = sent.wait()?;            // the buffer is free again
/// let received = root.download(buffer)?;
/// assert_eq!(received.wait()?[3], 2.0);
/// # Ok::<(), ndany::Error>(())
/// ```
pub struct HostBuffer<T> {
    device: Device,
    values: Values<T>,
}

enum Values<T> {
    Owned(Vec<T>),
    Pinned(Box<dyn HostMemory>),
}

/// A copy under way, which owns its [`HostBuffer`].
///
/// Dropping it waits for the copy.
pub struct Pending<T> {
    device: Device,
    state: State<T>,
}

enum State<T> {
    Done(Vec<T>),
    Copying(Box<dyn Transfer>),
}

impl<T: Element> HostBuffer<T> {
    /// Makes a buffer of zeros for copies from and to a device, as `cupyx.zeros_pinned`.
    ///
    /// - **Errors**: no memory left, what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let buffer = ndany::HostBuffer::<i16>::new(&Device::current(), 3)?;
    /// assert_eq!(buffer[..], [0, 0, 0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn new(device: &Device, len: usize) -> Result<HostBuffer<T>> {
        let bytes = shape::checked_size("host_buffer", &[len], T::DTYPE)? * size_of::<T>();
        let values = match device.backend().control() {
            Some(control) => Values::Pinned(control.host_memory(bytes)?),
            None => {
                host::ensure_memory("host_buffer", bytes)?;
                // Zeros, as they are made.
                Values::Owned(T::filled(len, |_| Ok::<(), Error>(()))?)
            }
        };
        Ok(HostBuffer { device: device.clone(), values })
    }

    /// Copies the buffer into a new array of a shape on its device, as `cupy.asarray` of pinned memory; does not wait.
    ///
    /// The copy runs in the thread's current stream. The array may be used at once; the buffer comes back by [`Pending::wait`]. If
    /// the call errs, the buffer is dropped.
    ///
    /// - **Shapes**: `len → shape`.
    /// - **Dtypes**: that of the Rust type.
    /// - **Errors**: elements that do not fill the shape, no memory left on the device, what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut buffer = ndany::HostBuffer::<i32>::new(&Device::current(), 2)?;
    /// buffer[1] = 7;
    /// let (array, sent) = buffer.upload(2)?;
    /// assert_eq!(array.to_string(), "[0 7]");
    /// assert_eq!(sent.wait()?[..], [0, 7]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn upload(self, shape: impl IntoShape) -> Result<(Array, Pending<T>)> {
        const OP: &str = "upload";
        let HostBuffer { device, values } = self;
        let shape = shape.into_shape().extents(OP)?;
        let len = values.as_slice().len();
        if len != shape::checked_size(OP, &shape, T::DTYPE)? {
            return Err(Error::Length { op: OP, len, shape: shape.as_slice().into() });
        }
        let buffer = Buffer::allocate(OP, device.backend(), size_of_val(values.as_slice()))?;
        let state = match (values, device.backend().control()) {
            (Values::Pinned(memory), Some(control)) => {
                State::Copying(control.upload(buffer.memory(), memory)?)
            }
            (Values::Owned(values), _) => {
                device.backend().write(buffer.memory(), &T::as_bytes(&values))?;
                State::Done(values)
            }
            (Values::Pinned(_), None) => unreachable!("a device without streams pins nothing"),
        };
        let array = Array::of_node(Node::done(OP, shape, T::DTYPE, device.clone(), Ok(buffer)));
        Ok((array, Pending { device, state }))
    }
}

impl Array {
    /// Copies the elements in C order into a buffer, as `cupy.ndarray.get(out=…, blocking=False)`; does not wait.
    ///
    /// Computes what is pending first. The copy runs in the thread's current stream, and the buffer comes back by
    /// [`Pending::wait`], which reports what failed on the way. If the call errs, the buffer is dropped.
    ///
    /// - **Errors**: a buffer of another number of elements or of another device, a `T` that is not the dtype's Rust type, what
    ///   failed here.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = arange(4).astype(F64).reshape((2, 2)).t();
    /// let buffer = ndany::HostBuffer::new(&Device::current(), 4)?;
    /// let received = x.download::<f64>(buffer)?;
    /// assert_eq!(received.wait()?[..], [0.0, 2.0, 1.0, 3.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn download<T: Element>(&self, buffer: HostBuffer<T>) -> Result<Pending<T>> {
        const OP: &str = "download";
        self.expect_element::<T>(OP)?;
        let HostBuffer { device, values } = buffer;
        if device != *self.device() {
            let (left, right) = (self.device().name(), device.name());
            return Err(Error::TwoDevices { op: OP, left, right });
        }
        let len = values.as_slice().len();
        if len != self.size() {
            return Err(Error::Length { op: OP, len, shape: self.shape().into() });
        }
        let packed = self.packed()?;
        let state = match (values, device.backend().control()) {
            (Values::Pinned(memory), Some(control)) => {
                let buffer = packed.buffer()?;
                let first = if len == 0 { 0 } else { packed.layout().offset * size_of::<T>() };
                State::Copying(control.download(buffer.memory(), first, memory)?)
            }
            (Values::Owned(mut values), _) => {
                values.copy_from_slice(&packed.to_vec::<T>()?);
                State::Done(values)
            }
            (Values::Pinned(_), None) => unreachable!("a device without streams pins nothing"),
        };
        Ok(Pending { device, state })
    }
}

impl<T: Element> Pending<T> {
    /// Tests whether the copy is done; does not wait.
    ///
    /// - **Errors**: what failed on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let device = Device::current();
    /// let (array, sent) = ndany::HostBuffer::<u8>::new(&device, 2)?.upload(2)?;
    /// device.synchronize()?;
    /// assert!(sent.is_completed()?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn is_completed(&self) -> Result<bool> {
        match &self.state {
            State::Done(_) => Ok(true),
            State::Copying(transfer) => transfer.is_completed(),
        }
    }

    /// Waits until the copy is done and returns its buffer, as `cupy.cuda.Stream.synchronize` after an asynchronous copy.
    ///
    /// - **Errors**: what failed on the device, in the copy or in the work that makes the values.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let buffer = ndany::HostBuffer::<i32>::new(&Device::current(), 1)?;
    /// let received = array([5]).download(buffer)?;
    /// assert_eq!(received.wait()?[0], 5);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn wait(self) -> Result<HostBuffer<T>> {
        let values = match self.state {
            State::Done(values) => Values::Owned(values),
            State::Copying(transfer) => Values::Pinned(transfer.wait()?),
        };
        Ok(HostBuffer { device: self.device, values })
    }
}

impl<T: Element> Values<T> {
    fn as_slice(&self) -> &[T] {
        match self {
            Values::Owned(values) => values,
            Values::Pinned(memory) => T::view(memory.bytes()),
        }
    }
}

impl<T: Element> Deref for HostBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.values.as_slice()
    }
}

impl<T: Element> DerefMut for HostBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.values {
            Values::Owned(values) => values,
            Values::Pinned(memory) => T::view_mut(memory.bytes_mut()),
        }
    }
}

impl<T: Element> fmt::Debug for HostBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBuffer")
            .field("device", &self.device)
            .field("len", &self.len())
            .finish()
    }
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("device", &self.device).finish_non_exhaustive()
    }
}
