//! Out of the array and between dtypes and devices.

use super::{Array, Order};
use crate::buffer::Buffer;
use crate::declare::array_functions;
use crate::device::Device;
use crate::element::Element;
use crate::graph::node::Node;
use crate::graph::{self, Operand};
use ndany_core::host;
use ndany_core::shape::{Shape, checked_size, size_of};
use ndany_core::{CallSite, DType, Error, Kind, Result};

array_functions! {
    checked convert, free free_convert;

    /// Converts elements to another dtype, as `np.ndarray.astype`.
    ///
    /// Integers wrap; floats to integers truncate and saturate, NaN gives 0; bool is `x != 0`; the rest rounds to nearest even
    /// once. The result is the same array where the dtype is the same, and otherwise lies in memory as this one does.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has `dtype`.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.7, -1.7]).astype(I32).to_string(), "[ 1 -1]");
    /// ```
    astype / try_astype (self, dtype: DType) -> Array {
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        checked_size("astype", self.shape(), dtype)?;
        Ok(graph::cast(self, dtype, Order::K, CallSite::caller()))
    }

    /// Copies the values into a C-ordered array of its own, as `np.ndarray.copy`.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).copy().to_string(), "[1 2]");
    /// ```
    copy / try_copy (self) -> Array {
        Ok(graph::cast(self, self.dtype(), Order::C, CallSite::caller()))
    }
}

/// Complex numbers of their parts, which are real, of one dtype (F32 or F64) and one shape. Unlike `re + im * i`, it
/// keeps an infinite or NaN part from spoiling the other, and signs of zero.
#[track_caller]
pub(crate) fn complex_of(real: &Array, imaginary: &Array) -> Result<Array> {
    let dtype = DType::promote(real.dtype(), DType::C64);
    let pairs = super::try_stack(&[real, imaginary], -1)?;
    let pairs = if pairs.layout().offset == 0 { pairs } else { pairs.try_copy()? }.packed()?;
    // A pair of neighbours has the bytes of one complex number.
    let buffer = pairs.buffer()?;
    let (shape, device) = (Shape::from_slice(real.shape()), real.device().clone());
    Ok(Array::of_node(Node::done("complex", shape, dtype, device, Ok(buffer))))
}

impl Array {
    /// The array itself if it is one of floats or complex numbers, otherwise its elements as float64.
    #[track_caller]
    pub(crate) fn as_floats(&self) -> Result<Array> {
        match self.dtype().kind() {
            Kind::Bool | Kind::Int => self.try_astype(DType::F64),
            Kind::Float | Kind::Complex => Ok(self.clone()),
        }
    }

    /// Returns the elements in C order as little-endian bytes, as `np.ndarray.tobytes`; waits for the device.
    ///
    /// - **Errors**: what failed here, or in an operation that this array depends on.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1u16, 2]).to_bytes()?, [1, 0, 2, 0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let packed = self.packed()?;
        let size = packed.size() * packed.dtype().size();
        host::ensure_memory("to_bytes", size)?;
        let mut bytes = vec![0; size];
        packed.read_bytes(&mut bytes)?;
        Ok(bytes)
    }

    /// This array, or a contiguous copy of it where its elements do not lie in C order.
    #[track_caller]
    pub(crate) fn packed(&self) -> Result<Array> {
        let packed = if self.layout().is_contiguous() { self.clone() } else { self.try_copy()? };
        packed.eval()?;
        Ok(packed)
    }

    /// Fills `bytes` from a contiguous array.
    fn read_bytes(&self, bytes: &mut [u8]) -> Result<()> {
        let buffer = self.buffer()?;
        // Also of no bytes (which lie nowhere): what failed on the way comes out here.
        let offset = if bytes.is_empty() { 0 } else { self.layout().offset * self.dtype().size() };
        self.device().backend().read(buffer.memory(), offset, bytes)
    }

    /// Returns the elements in C order, as `a.ravel().tolist()` of NumPy; waits for the device.
    ///
    /// - **Errors**: a `T` that is not the dtype's Rust type, what failed on the way.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1i32, 2], [3, 4]]);
    /// assert_eq!(a.transpose(..).to_vec::<i32>()?, [1, 3, 2, 4]);
    /// assert!(a.to_vec::<f32>().is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.expect_element::<T>("to_vec")?;
        let packed = self.packed()?;
        host::ensure_memory("to_vec", packed.size() * std::mem::size_of::<T>())?;
        T::filled(packed.size(), |bytes| packed.read_bytes(bytes))
    }

    /// Returns the one element, as `np.ndarray.item`; waits for the device.
    ///
    /// - **Errors**: a number of elements that is not 1, a `T` that is not the dtype's Rust type, what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.5, 2.5]).sum(..).item::<f64>()?, 4.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn item<T: Element>(&self) -> Result<T> {
        self.expect_element::<T>("item")?;
        if size_of(self.shape()) != 1 {
            return Err(Error::NotScalar { op: "item", shape: self.shape().into() });
        }
        Ok(T::read(&self.to_bytes()?))
    }

    pub(crate) fn expect_element<T: Element>(&self, op: &'static str) -> Result<()> {
        if T::DTYPE == self.dtype() {
            Ok(())
        } else {
            Err(Error::ElementType { op, expected: T::DTYPE, got: self.dtype() })
        }
    }

    /// Copies the values to another device; an array that is there already is returned as it is.
    ///
    /// Devices of one vendor copy from each other; otherwise the values pass through the host, which waits for them.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: what failed on the way, no memory left on the other device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let there = array([1, 2]).to_device(&Device::open("reference")?)?;
    /// assert_eq!(there.device().name(), "reference");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn to_device(&self, device: &Device) -> Result<Array> {
        if device == self.device() {
            return Ok(self.clone());
        }
        let packed = self.packed()?;
        let bytes = packed.size() * packed.dtype().size();
        let to = Buffer::allocate("to_device", device.backend(), bytes)?;
        let offset = if bytes == 0 { 0 } else { packed.layout().offset * packed.dtype().size() };
        let from = packed.buffer()?;
        if !device.backend().copy_from(to.memory(), from.memory(), offset, bytes)? {
            device.backend().write(to.memory(), &packed.to_bytes()?)?;
        }
        let shape = Shape::from_slice(self.shape());
        let node = Node::done("to_device", shape, self.dtype(), device.clone(), Ok(to));
        Ok(Array::of_node(node))
    }

    /// Tests whether shapes and all elements are equal, as `np.array_equal`; waits for the device.
    ///
    /// Elements of different dtypes are compared as numbers; NaN is not equal to itself.
    ///
    /// - **Errors**: operands on two devices, what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(array([1, 2]).array_equal(&array([1.0, 2.0]))?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn array_equal(&self, other: impl Into<Operand>) -> Result<bool> {
        let other = other.into();
        if self.shape() != other.shape() {
            return Ok(false);
        }
        crate::array::logic::all_of(self.try_equal(other)?)
    }
}
