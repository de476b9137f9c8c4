//! Memory of another library as an array.

use std::any::Any;
use std::fmt;

use crate::array::Array;
use crate::buffer::{Buffer, Foreign};
use crate::device::Device;
use crate::graph::node::Node;
use ndany_core::backend::ForeignMemory;
use ndany_core::shape::{self, Layout, Shape, Strides};
use ndany_core::{DType, Error, Result};

/// Elements in memory that another library has allocated, and may change at any time.
pub struct ForeignArray {
    /// The device whose memory it is; the CPU's is that of this process.
    pub device: Device,
    /// The address of the element whose indices are all 0. It is not read if there are no elements.
    pub address: u64,
    /// The dtype.
    pub dtype: DType,
    /// Extents.
    pub shape: Shape,
    /// Steps, in elements.
    pub strides: Strides,
    /// Whether arrays may write it. Where not, a write goes to a copy.
    pub is_writable: bool,
    /// Keeps the memory, and may give it back when it is dropped, which is after all work that uses the memory, on any thread.
    pub owner: Box<dyn Any + Send>,
}

impl fmt::Debug for ForeignArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { device, address, dtype, shape, strides, is_writable, owner: _ } = self;
        f.debug_struct("ForeignArray")
            .field("device", device)
            .field("address", &format_args!("{address:#x}"))
            .field("dtype", dtype)
            .field("shape", shape)
            .field("strides", strides)
            .field("is_writable", is_writable)
            .finish_non_exhaustive()
    }
}

/// The lowest element from the first, in elements and at most 0, and the number of elements from there to the highest.
pub(super) fn extent(
    op: &'static str,
    shape: &[usize],
    strides: &[isize],
) -> Result<(isize, usize)> {
    let too_large = || Error::Range { op, reason: "steps that leave the addresses of the machine" };
    let (mut low, mut high) = (0isize, 0isize);
    for (&extent, &stride) in shape.iter().zip(strides) {
        let last = isize::try_from(extent).map_err(|_| too_large())? - 1;
        let reach = stride.checked_mul(last.max(0)).ok_or_else(too_large)?;
        let end = if reach < 0 { &mut low } else { &mut high };
        *end = end.checked_add(reach).ok_or_else(too_large)?;
    }
    let span = high.checked_sub(low).and_then(|span| span.checked_add(1)).ok_or_else(too_large)?;
    Ok((low, span as usize))
}

impl ForeignArray {
    /// Makes an array over the memory, without a copy, as `np.asarray` of an object with `__array_interface__`.
    ///
    /// It is read at once by what is computed of it, and written in place where that is allowed. If the call errs, the owner is
    /// dropped.
    ///
    /// - **Shapes**: `shape`.
    /// - **Dtypes**: `dtype`, any.
    /// - **Errors**: numbers of extents and steps that differ, an array that is too large, an address that is 0 or no multiple of the
    ///   element's size (of its parts' on GPUs, if it is complex), a device whose memory has no addresses (the reference).
    ///
    /// # Safety
    /// The elements of the layout lie at the address, in memory of the device, until the owner is dropped. Their values are there
    /// for work in the thread's current stream: what makes them is done, or the stream waits for it
    /// ([`Stream::wait`](crate::Stream::wait)). Nothing writes them while a call that uses the array runs, and arrays are not written
    /// while others read the memory. Booleans are 0 or 1.
    ///
    /// ```
    /// use ndany::exchange::{ForeignArray, Shape, Strides};
    /// use ndany::prelude::*;
    /// # let Ok(_) = Device::open("cpu") else { return Ok(()) };
    /// let mut values = vec![1.0f64, 2.0, 3.0, 4.0];
    /// let last = values[3..].as_mut_ptr().expose_provenance() as u64;
    /// let foreign = ForeignArray {
    ///     device: Device::open("cpu")?,
    ///     address: last,
    ///     dtype: F64,
    ///     shape: Shape::from_slice(&[4]),
    ///     strides: Strides::from_slice(&[-1]),
    ///     is_writable: true,
    ///     owner: Box::new(values),
    /// };
    /// // SAFETY: the vector is the owner, and moving it moves no elements.
    /// let a = unsafe { foreign.into_array() }?;
    /// assert_eq!(a.to_vec::<f64>()?, [4.0, 3.0, 2.0, 1.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub unsafe fn into_array(self) -> Result<Array> {
        const OP: &str = "from_foreign";
        let Self { device, address, dtype, shape, strides, is_writable, owner } = self;
        if shape.len() != strides.len() {
            return Err(Error::Lengths { op: OP, left: shape.len(), right: strides.len() });
        }
        let size = shape::checked_size(OP, &shape, dtype)?;
        let of_node = |shape: Shape, buffer| {
            Array::of_node(Node::done(OP, shape, dtype, device.clone(), Ok(buffer)))
        };
        if size == 0 {
            return Ok(of_node(shape, Buffer::allocate(OP, device.backend(), 0)?));
        }
        let (low, span) = extent(OP, &shape, &strides)?;
        let width = dtype.size();
        let refused = |reason| Err(Error::Arguments { op: OP.to_string(), reason });
        let bytes = span.checked_mul(width).filter(|&bytes| bytes <= isize::MAX as usize);
        let first = (low as i64)
            .checked_mul(width as i64)
            .and_then(|low| address.checked_add_signed(low))
            .filter(|&first| address != 0 && first != 0);
        let ends = |first: u64, bytes: usize| first.checked_add(bytes as u64);
        let (Some(first), Some(bytes)) = (first, bytes) else {
            return refused(format!("expected the address of {size} elements, got {address:#x}"));
        };
        if ends(first, bytes).is_none() {
            return refused(format!("expected the address of {bytes} bytes, got {first:#x}"));
        }
        let misaligned = |multiple: usize| {
            format!(
                "expected an address that is a multiple of {multiple} bytes, got {address:#x}: copy the values"
            )
        };
        // Complex numbers lie as their parts do.
        let alignment = if dtype.is_complex() { width / 2 } else { width };
        if !first.is_multiple_of(alignment as u64) {
            return refused(misaligned(alignment));
        }
        let kind = if is_writable { Foreign::Writable } else { Foreign::ReadOnly };
        let memory = ForeignMemory { address: first, bytes, owner };
        let (buffer, before) = Buffer::foreign(device.backend(), memory, kind)?;
        if !before.is_multiple_of(width) {
            return refused(misaligned(width));
        }
        let skipped = before / width;
        let offset = skipped + low.unsigned_abs();
        let whole = of_node(Shape::from_slice(&[skipped + span]), buffer);
        Ok(whole.with_layout(Layout { shape, strides, offset }))
    }
}
