//! The structures of `dlpack.h`, versions 1.x and before, with sizes and offsets as there.

use std::ffi::{c_char, c_int, c_void};

/// A version of the protocol: structures of another major version have another layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct DLPackVersion {
    /// Changes when the layout does.
    pub major: u32,
    /// Changes when values are added.
    pub minor: u32,
}

/// The version of the tensors that are made here.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 2 };

/// Memory of the host.
pub const CPU: i32 = 1;
/// Memory of a CUDA device.
pub const CUDA: i32 = 2;
/// Page-locked memory of the host, by CUDA.
pub const CUDA_HOST: i32 = 3;
/// Memory of a ROCm device.
pub const ROCM: i32 = 10;
/// Page-locked memory of the host, by ROCm.
pub const ROCM_HOST: i32 = 11;
/// Managed memory, by CUDA.
pub const CUDA_MANAGED: i32 = 13;

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDevice {
    /// The kind of the device.
    pub device_type: i32,
    /// Its number.
    pub device_id: i32,
}

/// Signed integers.
pub const INT: u8 = 0;
/// Unsigned integers.
pub const UINT: u8 = 1;
/// IEEE floats.
pub const FLOAT: u8 = 2;
/// bfloat16.
pub const BFLOAT: u8 = 4;
/// Complex numbers of two floats.
pub const COMPLEX: u8 = 5;
/// Booleans of a byte.
pub const BOOL: u8 = 6;

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDataType {
    /// The kind of number.
    pub code: u8,
    /// Bits of a number.
    pub bits: u8,
    /// Numbers of an element.
    pub lanes: u16,
}

/// A tensor in somebody's memory.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DLTensor {
    /// The memory, in the device's addresses.
    pub data: *mut c_void,
    /// The device.
    pub device: DLDevice,
    /// Number of axes.
    pub ndim: i32,
    /// The type of the elements.
    pub dtype: DLDataType,
    /// Extents.
    pub shape: *mut i64,
    /// Steps in elements. Null stands for C order.
    pub strides: *mut i64,
    /// Bytes from `data` to the first element.
    pub byte_offset: u64,
}

/// A tensor that is handed over, before version 1.0.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// What the producer keeps.
    pub manager_ctx: *mut c_void,
    /// Called once by the consumer, on any thread, when it needs the tensor no more. May be null.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// Nobody may write the memory through the tensor.
pub const READ_ONLY: u64 = 1 << 0;
/// The producer has made a copy.
pub const IS_COPIED: u64 = 1 << 1;

/// A tensor that is handed over, from version 1.0 on.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensorVersioned {
    /// The version. Of another major version only the next two fields are known.
    pub version: DLPackVersion,
    /// What the producer keeps.
    pub manager_ctx: *mut c_void,
    /// Called once by the consumer, on any thread, when it needs the tensor no more. May be null.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// [`READ_ONLY`] and [`IS_COPIED`].
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

/// The version of the table of functions that is made here.
pub const EXCHANGE_API_VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 3 };

/// What a table of functions begins with, in each version.
#[derive(Debug)]
#[repr(C)]
pub struct DLPackExchangeAPIHeader {
    /// The version of the table.
    pub version: DLPackVersion,
    /// A table of an earlier major version, or null.
    pub prev_api: *const DLPackExchangeAPIHeader,
}

/// Told the kind of an error and its message, with the context of the call.
pub type SetError = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char);

/// The table of functions that a class of Python has as `__dlpack_c_exchange_api__`: an exchange without calls of Python. Objects are
/// pointers to `PyObject`; functions that fail return −1, those of objects with an exception of Python.
#[derive(Debug)]
#[repr(C)]
pub struct DLPackExchangeAPI {
    /// Version and earlier tables.
    pub header: DLPackExchangeAPIHeader,
    /// Makes a tensor with memory of its own of the prototype's device, type and extents. It tells its error by the last argument.
    pub managed_tensor_allocator: unsafe extern "C" fn(
        *mut DLTensor,
        *mut *mut DLManagedTensorVersioned,
        *mut c_void,
        Option<SetError>,
    ) -> c_int,
    /// The tensor of an object, for work of the current stream.
    pub managed_tensor_from_py_object_no_sync:
        unsafe extern "C" fn(*mut c_void, *mut *mut DLManagedTensorVersioned) -> c_int,
    /// An object of a tensor, whose values work of the current stream makes.
    pub managed_tensor_to_py_object_no_sync:
        unsafe extern "C" fn(*mut DLManagedTensorVersioned, *mut *mut c_void) -> c_int,
    /// A tensor that the object keeps, for the time of a call. May be absent.
    pub dltensor_from_py_object_no_sync:
        Option<unsafe extern "C" fn(*mut c_void, *mut DLTensor) -> c_int>,
    /// The current stream of a device, null for the driver's default one and on the CPU.
    pub current_work_stream: unsafe extern "C" fn(i32, i32, *mut *mut c_void) -> c_int,
}

// SAFETY: a table is never written; its functions may be called on any thread, and its pointer is null or to another table.
unsafe impl Sync for DLPackExchangeAPI {}

// The sizes and offsets of the header on machines with pointers of 64 bits.
#[cfg(target_pointer_width = "64")]
const _: () = {
    use std::mem::offset_of;

    assert!(size_of::<DLPackVersion>() == 8);
    assert!(size_of::<DLDevice>() == 8);
    assert!(size_of::<DLDataType>() == 4);
    assert!(offset_of!(DLDataType, bits) == 1 && offset_of!(DLDataType, lanes) == 2);
    assert!(size_of::<DLTensor>() == 48);
    assert!(offset_of!(DLTensor, device) == 8 && offset_of!(DLTensor, ndim) == 16);
    assert!(offset_of!(DLTensor, dtype) == 20 && offset_of!(DLTensor, shape) == 24);
    assert!(offset_of!(DLTensor, strides) == 32 && offset_of!(DLTensor, byte_offset) == 40);
    assert!(size_of::<DLManagedTensor>() == 64);
    assert!(offset_of!(DLManagedTensor, manager_ctx) == 48);
    assert!(offset_of!(DLManagedTensor, deleter) == 56);
    assert!(size_of::<DLManagedTensorVersioned>() == 80);
    assert!(offset_of!(DLManagedTensorVersioned, manager_ctx) == 8);
    assert!(offset_of!(DLManagedTensorVersioned, deleter) == 16);
    assert!(offset_of!(DLManagedTensorVersioned, flags) == 24);
    assert!(offset_of!(DLManagedTensorVersioned, dl_tensor) == 32);
    assert!(size_of::<DLPackExchangeAPIHeader>() == 16 && size_of::<DLPackExchangeAPI>() == 56);
    assert!(offset_of!(DLPackExchangeAPIHeader, prev_api) == 8);
    assert!(offset_of!(DLPackExchangeAPI, managed_tensor_allocator) == 16);
    assert!(offset_of!(DLPackExchangeAPI, current_work_stream) == 48);
};
