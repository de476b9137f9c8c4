//! Memory in common with other libraries: arrays over theirs, and theirs to read or write what arrays hold.

use std::any::Any;
use std::fmt;

use crate::arguments::IntoShape;
use crate::array::Array;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::graph::node::Node;
use ndany_core::shape::checked_size;
use ndany_core::{DType, Error, Result};

/// An array's memory for another library to read, which [`Array::lend`] gives.
///
/// The array keeps its value as long as this lives.
pub struct Lent<'a> {
    array: &'a Array,
    address: usize,
}

/// An array's memory for another library to write, which [`Array::lend_mut`] gives.
pub struct LentMut<'a> {
    array: &'a mut Array,
    address: usize,
}

impl Lent<'_> {
    /// Returns the address of the first element, as `cupy.ndarray.data.ptr`; the others lie by [`Array::strides`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// # let _guard = device.enter();
    /// let x = array([1.5f64, 2.5]);
    /// assert_ne!(x.lend()?.address(), 0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn address(&self) -> usize {
        self.address
    }
}

impl LentMut<'_> {
    /// Returns the address of the first element; the others lie in C order.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// # let _guard = device.enter();
    /// let mut x = zeros(2, F64);
    /// let lent = x.lend_mut()?;
    /// let first = std::ptr::with_exposed_provenance_mut::<f64>(lent.address());
    /// // SAFETY: the memory has two elements, and no other user as long as it is lent.
    /// unsafe { first.add(1).write(7.0) };
    /// assert_eq!(x.to_string(), "[0. 7.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn address(&self) -> usize {
        self.address
    }
}

impl fmt::Debug for Lent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lent({:#x}, {:?})", self.address, self.array)
    }
}

impl fmt::Debug for LentMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LentMut({:#x}, {:?})", self.address, self.array)
    }
}

impl Array {
    /// Makes an array over memory that another library has taken, as `cupy.cuda.UnownedMemory`; nothing is copied.
    ///
    /// The elements lie in C order from `address` on: an address of the device, or of the host for the CPU. They are read and never
    /// written: what would write an array in place copies it first. `owner` is dropped when no array has the memory any more and the
    /// device has done the work that reads it.
    ///
    /// - **Shapes**: `shape`.
    /// - **Errors**: an address that is no multiple of the element's size (on the CPU, of 8); a device that has no memory in common
    ///   with other libraries (`reference`).
    ///
    /// # Safety
    /// The memory is the device's and holds that many elements of the dtype (bools are 0 or 1) as long as `owner` lives, and nothing
    /// writes it meanwhile. The work that has written it is done, or was submitted to the thread's current stream.
    ///
    /// ```
    /// use ndany::{Array, Device, DType};
    /// # let Ok(_) = Device::open("cpu") else { return Ok(()) };
    /// let device = Device::open("cpu")?;
    /// let theirs = vec![1.0f64, 2.0, 3.0];
    /// let address = theirs.as_ptr().expose_provenance();
    /// // SAFETY: the vector's elements stay where they are as long as it is the owner.
    /// let x = unsafe { Array::from_foreign(&device, address, 3, DType::F64, theirs)? };
    /// assert_eq!((x * 2).to_vec::<f64>()?, [2.0, 4.0, 6.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[allow(
        unsafe_code,
        reason = "the caller's promise is passed on to the backend (`Provider::open`)"
    )]
    #[track_caller]
    pub unsafe fn from_foreign(
        device: &Device,
        address: usize,
        shape: impl IntoShape,
        dtype: DType,
        owner: impl Any + Send + Sync,
    ) -> Result<Array> {
        const OP: &str = "from_foreign";
        let shape = shape.into_shape().extents(OP)?;
        let bytes = checked_size(OP, &shape, dtype)? * dtype.size();
        if bytes == 0 {
            let _guard = device.enter();
            return crate::array::try_zeros(shape.as_slice(), dtype);
        }
        if address == 0 || !address.is_multiple_of(dtype.size()) {
            let size = dtype.size();
            let reason =
                format!("address {address:#x}: expected a multiple of {size} that is not 0");
            return Err(Error::Arguments { op: OP.to_string(), reason });
        }
        let memory = device.backend().foreign(address, bytes, Box::new(owner))?;
        let buffer = Buffer::of_memory(memory);
        Ok(Array::of_node(Node::done(OP, shape, dtype, device.clone(), Ok(buffer))))
    }

    /// Lends the array's memory to another library to read, in the thread's current stream.
    ///
    /// What is pending is computed. The stream comes after the work that makes the values, and what the other library submits to it
    /// as long as this lives reads them; the memory is not used for anything else before the stream is past that work. Enter the
    /// other library's stream first ([`Stream::external`](crate::Stream::external)).
    ///
    /// - **Errors**: what failed in the array; a device that has no memory in common with other libraries (`reference`).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
    /// # let _guard = device.enter();
    /// let x = array([1.5f64, 2.5]);
    /// let lent = x.lend()?;
    /// let first = std::ptr::with_exposed_provenance::<f64>(lent.address());
    /// // SAFETY: the memory has two elements, and is not written as long as it is lent.
    /// assert_eq!(unsafe { first.add(1).read() }, 2.5);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn lend(&self) -> Result<Lent<'_>> {
        let address = self.lent(false)?;
        Ok(Lent { array: self, address })
    }

    /// Lends the array's memory to another library to write, in the thread's current stream.
    ///
    /// The array is made the only holder of its values, in C order: other handles keep what they see. Work here that reads it later
    /// comes after what the stream has by then. Any error that it carried stays.
    ///
    /// - **Errors**: as [`Array::lend`]; no memory for a copy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(Device::open("reference").is_ok_and(|device| {
    ///     let _guard = device.enter();
    ///     zeros(2, F64).lend_mut().is_err()
    /// }));
    /// ```
    #[track_caller]
    pub fn lend_mut(&mut self) -> Result<LentMut<'_>> {
        self.make_sole()?;
        if !self.is_c_contiguous() {
            *self = self.try_copy()?.packed()?;
        }
        let address = self.lent(true)?;
        Ok(LentMut { array: self, address })
    }

    /// The address of the first element, for work in the thread's current stream.
    fn lent(&self, writes: bool) -> Result<usize> {
        let buffer = self.buffer()?;
        let address = self.device().backend().lend(buffer.memory(), writes)?;
        Ok(address + self.layout().offset * self.dtype().size())
    }
}
