//! Tensors of arrays.

use std::ffi::c_void;
use std::ptr::NonNull;

use ndany_array::exchange::Export as Exported;
use ndany_array::{Array, Device, Stream};
use ndany_core::{DType, Error, Result};

use crate::abi::{
    self, DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
    IS_COPIED, READ_ONLY, VERSION,
};
use crate::tensor::Tensor;

const OP: &str = "dlpack";

/// What a consumer asks of [`export`], as the arguments of Python's `__dlpack__`.
#[derive(Clone, Copy, Debug)]
pub struct Export<'s> {
    /// The latest version that the consumer takes; below 1.0, or `None`, the tensor has none.
    pub max_version: Option<DLPackVersion>,
    /// Whether the elements are copied: always (`true`), never (`false`), or where it is needed.
    pub copy: Option<bool>,
    /// The device on which the consumer wants them, the array's own by default.
    pub device: Option<DLDevice>,
    /// The stream for whose work the values must be there; [`stream_of`] makes it of a number. Without one, the call waits until they are there.
    pub stream: Option<&'s Stream>,
}

impl Default for Export<'_> {
    fn default() -> Self {
        Self { max_version: Some(VERSION), copy: None, device: None, stream: None }
    }
}

/// Exports an array as a tensor, as Python's `__dlpack__`.
///
/// The consumer and the array share memory: what one writes the other sees, until the tensor's deleter is called. Other handles on the
/// array keep their values, for which the array's memory is copied if there are any. The tensor is [read-only](abi::READ_ONLY) where
/// elements share places, where another library's memory is, and where `copy` is `false` and there are other handles. A tensor without a
/// version cannot say so, and gets a copy. Another device gets a copy, unless it [reaches](is_accessible_from) the memory. A tensor on the
/// CPU of managed memory shows what is written to the array later once the device has done it ([`Device::synchronize`]).
///
/// - **Errors**: `copy` is `false` and a copy is needed; a device that is not here; what failed on the way.
///
/// ```
/// use ndany::dlpack::{Export, abi, export};
/// use ndany::prelude::*;
/// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
/// let mut a = zeros((2, 3), F32).to_device(&device)?;
/// let tensor = export(&mut a, Export { copy: Some(true), ..Export::default() })?;
/// assert_eq!(tensor.flags(), abi::IS_COPIED);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn export(array: &mut Array, options: Export<'_>) -> Result<Tensor> {
    let Export { max_version, copy, device, stream } = options;
    let versioned = max_version.is_some_and(|version| version.major >= VERSION.major);
    let own = device_of(array.device())?;
    let on = device.unwrap_or(own);
    let refused = |what: &str| {
        let reason = format!("{what} needs a copy, which copy=False forbids");
        Err(Error::ArgumentValue { op: OP.to_string(), reason })
    };
    if on != own && (copy == Some(true) || !is_accessible_from(array, on)?) {
        if copy == Some(false) {
            return refused("another device");
        }
        let target = Device::open(&name_of(on)?)?;
        let mut moved = array.to_device(&target)?;
        return Ok(tensor_of(Exported::write(&mut moved, stream)?, versioned, IS_COPIED, on));
    }
    // The host has no streams: the values are there when the call returns.
    let stream = stream.filter(|_| on == own);
    let copied = |array: &Array| {
        let mut copy = array.copy();
        copy.eval()?;
        Ok(tensor_of(Exported::write(&mut copy, stream)?, versioned, IS_COPIED, on))
    };
    if copy == Some(true) {
        return copied(array);
    }
    match Exported::try_write(array, copy.is_none(), stream)? {
        Some(export) => Ok(tensor_of(export, versioned, 0, on)),
        None if versioned => Ok(tensor_of(Exported::read(array, stream)?, versioned, 0, on)),
        None if copy == Some(false) => refused("memory that may not be written"),
        None => copied(array),
    }
}

/// Returns whether a tensor on a device may share the memory of an array.
///
/// It may on the array's own device. It may on the CPU where the array is in [managed memory](ndany_array::exchange::MemorySource::Managed)
/// and the device allows the host to use it while it works; what is pending is computed first then.
///
/// - **Errors**: a device that DLPack does not have (the reference); what failed on the way.
///
/// ```
/// use ndany::dlpack::{abi, is_accessible_from};
/// use ndany::prelude::*;
/// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
/// let a = zeros(2, F32).to_device(&device)?;
/// assert!(is_accessible_from(&a, abi::DLDevice { device_type: abi::CPU, device_id: 0 })?);
/// assert!(!is_accessible_from(&a, abi::DLDevice { device_type: abi::CUDA, device_id: 0 })?);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn is_accessible_from(array: &Array, device: DLDevice) -> Result<bool> {
    if device == device_of(array.device())? {
        return Ok(true);
    }
    let is_host = device == DLDevice { device_type: abi::CPU, device_id: 0 };
    Ok(is_host && Exported::read(array, None)?.is_host_accessible())
}

/// Returns what DLPack calls a device, as Python's `__dlpack_device__`.
///
/// - **Errors**: a device that DLPack does not have (the reference).
///
/// ```
/// use ndany::dlpack::{abi, device_of};
/// # let Ok(device) = ndany::Device::open("cpu") else { return Ok(()) };
/// assert_eq!(device_of(&device)?, abi::DLDevice { device_type: abi::CPU, device_id: 0 });
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn device_of(device: &Device) -> Result<DLDevice> {
    let name = device.name();
    let (vendor, number) = name.split_once(':').unwrap_or((&name, "0"));
    let device_type = match vendor {
        "cpu" => Some(abi::CPU),
        "cuda" => Some(abi::CUDA),
        "hip" => Some(abi::ROCM),
        _ => None,
    };
    match (device_type, number.parse()) {
        (Some(device_type), Ok(device_id)) => Ok(DLDevice { device_type, device_id }),
        _ => {
            let reason = format!("{name} is no device of DLPack's");
            Err(Error::Unsupported { op: OP.to_string(), reason })
        }
    }
}

/// The name of a device here.
pub(crate) fn name_of(device: DLDevice) -> Result<String> {
    let DLDevice { device_type, device_id } = device;
    match device_type {
        abi::CPU | abi::CUDA_HOST | abi::ROCM_HOST => Ok("cpu".to_string()),
        abi::CUDA | abi::CUDA_MANAGED if device_id >= 0 => Ok(format!("cuda:{device_id}")),
        abi::ROCM if device_id >= 0 => Ok(format!("hip:{device_id}")),
        _ => {
            let reason = format!("no device has the type {device_type} and the number {device_id}");
            Err(Error::Unsupported { op: OP.to_string(), reason })
        }
    }
}

/// Makes a stream of the number that Python's `__dlpack__` is given: one for [`Export::stream`].
///
/// `None` stands for the default stream of the driver, as 1 does on CUDA (0 is taken for it, too) and 0 on ROCm. The result is `None` where
/// the call must wait instead: on the CPU, for −1 (the consumer wants no order), and for 2 on CUDA, a stream of each thread.
///
/// - **Errors**: a number on the CPU, 1 and 2 on ROCm, numbers below −1.
///
/// # Safety
/// A number above 2 is the handle of a stream of the device, which lives as long as the result.
///
/// ```
/// use ndany::dlpack::stream_of;
/// # let Ok(device) = ndany::Device::open("cpu") else { return Ok(()) };
/// // SAFETY: the CPU has no streams.
/// assert!(unsafe { stream_of(&device, None) }?.is_none());
/// // SAFETY: as above.
/// assert!(unsafe { stream_of(&device, Some(1)) }.is_err());
/// # Ok::<(), ndany::Error>(())
/// ```
pub unsafe fn stream_of(device: &Device, stream: Option<i64>) -> Result<Option<Stream>> {
    let DLDevice { device_type, .. } = device_of(device)?;
    let handle = match (device_type, stream) {
        (abi::CPU, None) | (abi::CUDA | abi::ROCM, Some(-1)) | (abi::CUDA, Some(2)) => {
            return Ok(None);
        }
        (abi::CUDA, None | Some(0 | 1)) | (abi::ROCM, None | Some(0)) => 0,
        (abi::CUDA | abi::ROCM, Some(handle)) if handle > 2 => handle as u64,
        (_, stream) => {
            let number = stream.map_or("None".to_string(), |number| number.to_string());
            let reason = format!("{device} has no stream {number}");
            return Err(Error::ArgumentValue { op: OP.to_string(), reason });
        }
    };
    // SAFETY: 0 is the driver's default stream; the caller vouches for other handles.
    unsafe { Stream::external(device, handle) }.map(Some)
}

/// What a tensor keeps until its deleter is called, and the tensor itself.
struct Held<T> {
    managed: T,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    _export: Exported,
}

/// A tensor of exported elements.
fn tensor_of(export: Exported, versioned: bool, flags: u64, device: DLDevice) -> Tensor {
    let layout = export.layout();
    let shape: Box<[i64]> = layout.shape.iter().map(|&extent| extent as i64).collect();
    let strides: Box<[i64]> = layout.strides.iter().map(|&stride| stride as i64).collect();
    let tensor = DLTensor {
        data: std::ptr::with_exposed_provenance_mut(export.address() as usize),
        device,
        ndim: shape.len() as i32,
        dtype: type_of(export.dtype()),
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    let flags = flags | if export.is_writable() { 0 } else { READ_ONLY };
    // The pointers are those of the boxes, which do not move with what holds them.
    let lies = |held_shape: &mut [i64], held_strides: &mut [i64]| DLTensor {
        shape: held_shape.as_mut_ptr(),
        strides: held_strides.as_mut_ptr(),
        ..tensor
    };
    if versioned {
        let managed = DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx: std::ptr::null_mut(),
            deleter: Some(delete_versioned),
            flags,
            dl_tensor: tensor,
        };
        let mut held = Box::new(Held { managed, shape, strides, _export: export });
        held.managed.dl_tensor = lies(&mut held.shape, &mut held.strides);
        let held = NonNull::from(Box::leak(held));
        // SAFETY: the box was just leaked, so the pointer is to live memory that nothing else uses.
        let managed = unsafe {
            (*held.as_ptr()).managed.manager_ctx = held.as_ptr().cast::<c_void>();
            &raw mut (*held.as_ptr()).managed
        };
        // SAFETY: the tensor has this one owner, and its version is the own one.
        return match unsafe { Tensor::from_versioned(managed) } {
            Ok(tensor) => tensor,
            Err(error) => unreachable!("of the own version: {error}"),
        };
    }
    let managed = DLManagedTensor {
        dl_tensor: tensor,
        manager_ctx: std::ptr::null_mut(),
        deleter: Some(delete_legacy),
    };
    let mut held = Box::new(Held { managed, shape, strides, _export: export });
    held.managed.dl_tensor = lies(&mut held.shape, &mut held.strides);
    let held = NonNull::from(Box::leak(held));
    // SAFETY: as above.
    let managed = unsafe {
        (*held.as_ptr()).managed.manager_ctx = held.as_ptr().cast::<c_void>();
        &raw mut (*held.as_ptr()).managed
    };
    // SAFETY: the tensor has this one owner.
    match unsafe { Tensor::from_legacy(managed) } {
        Ok(tensor) => tensor,
        Err(error) => unreachable!("not null: {error}"),
    }
}

/// # Safety
/// The tensor is one of [`tensor_of`], with a version, and its deleter has not been called.
unsafe extern "C" fn delete_versioned(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: `manager_ctx` is the box that `tensor_of` has leaked, and this is the one call.
    drop(unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Held<DLManagedTensorVersioned>>()) });
}

/// # Safety
/// The tensor is one of [`tensor_of`], without a version, and its deleter has not been called.
unsafe extern "C" fn delete_legacy(tensor: *mut DLManagedTensor) {
    // SAFETY: as above.
    drop(unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Held<DLManagedTensor>>()) });
}

/// What DLPack calls a dtype.
pub(crate) fn type_of(dtype: DType) -> DLDataType {
    let code = match dtype {
        DType::Bool => abi::BOOL,
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => abi::INT,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => abi::UINT,
        DType::F16 | DType::F32 | DType::F64 => abi::FLOAT,
        DType::BF16 => abi::BFLOAT,
        DType::C64 | DType::C128 => abi::COMPLEX,
    };
    DLDataType { code, bits: (8 * dtype.size()) as u8, lanes: 1 }
}
