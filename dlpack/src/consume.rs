//! Arrays of tensors.

use ndany_array::exchange::{ForeignArray, Layout, Shape, Strides};
use ndany_array::{Array, Device, checked};
use ndany_core::{DType, Error, Result};

use crate::abi::{DLDataType, DLTensor, VERSION};
use crate::produce::{Export, export, name_of, type_of};
use crate::tensor::Tensor;

const OP: &str = "from_dlpack";

/// What is asked of [`import`], as the arguments of NumPy's `from_dlpack`.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// Whether the elements are copied: always (`true`), never (`false`), or where it is needed.
    pub copy: Option<bool>,
    /// The device of the result, the tensor's by default.
    pub device: Option<Device>,
}

/// Makes an array of a tensor, as `np.from_dlpack`.
///
/// It shares the tensor's memory, whose deleter is called when no array and no work uses it, or before the call returns if nothing is shared. A
/// write to the array goes into the memory, or to a copy if the tensor is [read-only](crate::abi::READ_ONLY). Page-locked memory of a vendor is memory of
/// the CPU, managed memory is memory of its device.
///
/// - **Errors**: a type that is no dtype, or several numbers in an element; a device that is not here; extents or steps that are
///   negative or too large, or no memory where there are elements; `copy` is `false` where elements lie at addresses at which they
///   cannot be read, or on another device than the one asked for. The deleter is called.
///
/// # Safety
/// The elements that the tensor describes lie in memory of its device until the deleter is called. Their values are there for work of the
/// thread's current stream: the producer was given that stream, or nothing is left to be done. Nothing writes them while a call
/// that uses the array runs. Booleans are 0 or 1.
///
/// ```
/// use ndany::dlpack::{Export, Import, export, import};
/// use ndany::prelude::*;
/// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
/// let tensor = export(&mut arange(3).to_device(&device)?, Export::default())?;
/// // SAFETY: the tensor is one of this library's.
/// assert_eq!(unsafe { import(tensor, Import::default()) }?.to_string(), "[0 1 2]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub unsafe fn import(tensor: Tensor, options: Import) -> Result<Array> {
    let DLTensor { data, device, ndim, dtype, byte_offset, .. } = *tensor.tensor();
    let wrong = |reason: String| Error::ArgumentValue { op: OP.to_string(), reason };
    let dtype = dtype_of(dtype)?;
    let device = Device::open(&name_of(device)?)?;
    let ndim = usize::try_from(ndim)
        .map_err(|_| wrong(format!("expected a number of axes, got {ndim}")))?;
    if ndim > ndany_core::shape::MAX_NDIM {
        return Err(Error::TooManyDimensions { op: OP, ndim });
    }
    // SAFETY: the caller vouches that the tensor is as the header says: `shape` and `strides` have an element for each axis.
    let (extents, steps) = unsafe {
        let list = |first: *mut i64| match (first.is_null(), ndim) {
            (false, 1..) => Some(std::slice::from_raw_parts(first.cast_const(), ndim)),
            _ => None,
        };
        (list(tensor.tensor().shape), list(tensor.tensor().strides))
    };
    let extents = match extents {
        None if ndim > 0 => return Err(wrong(format!("no extents for {ndim} axes"))),
        extents => extents.unwrap_or_default(),
    };
    let shape = extents
        .iter()
        .map(|&extent| {
            usize::try_from(extent).map_err(|_| {
                wrong(format!("expected extents that are not negative, got {extents:?}"))
            })
        })
        .collect::<Result<Shape>>()?;
    let size = ndany_core::shape::checked_size(OP, &shape, dtype)?;
    let strides: Strides = match steps {
        None => Layout::contiguous(&shape).strides,
        Some(steps) => steps.iter().map(|&step| step as isize).collect(),
    };
    if size > 0 && data.is_null() {
        return Err(wrong(format!("no memory for {size} elements")));
    }
    let address = (data.expose_provenance() as u64)
        .checked_add(byte_offset)
        .ok_or_else(|| wrong(format!("the offset {byte_offset} leaves the addresses")))?;
    let elsewhere = options.device.filter(|wanted| *wanted != device);
    let is_misaligned = size > 0 && !address.is_multiple_of(alignment(dtype, &device));
    if options.copy == Some(false) && (elsewhere.is_some() || is_misaligned) {
        let why = if is_misaligned { "the address of the elements" } else { "another device" };
        return Err(wrong(format!("{why} needs a copy, which copy=False forbids")));
    }
    if is_misaligned && device.name() != "cpu" {
        return Err(wrong(format!("elements of {dtype} at the address {address:#x}")));
    }
    let is_writable = !tensor.is_read_only();
    // Bytes can be read at any address.
    let (read_as, shape, strides) = match is_misaligned {
        false => (dtype, shape, strides),
        true => in_bytes(dtype, shape, strides)?,
    };
    let owner = Box::new(tensor);
    let foreign =
        ForeignArray { device, address, dtype: read_as, shape, strides, is_writable, owner };
    // SAFETY: the caller vouches for the tensor's memory, and the owner calls its deleter.
    let mut array = unsafe { foreign.into_array() }?;
    if is_misaligned {
        array = of_bytes(array.copy(), dtype);
        array.eval()?;
    }
    match elsewhere {
        Some(wanted) => array.to_device(&wanted),
        None if options.copy == Some(true) && !is_misaligned => {
            let copy = array.copy();
            copy.eval()?;
            Ok(copy)
        }
        None => Ok(array),
    }
}

/// Makes a tensor of zeros with memory of its own, of a prototype's device, type and extents.
///
/// - **Errors**: a type that is no dtype, a device that is not here, extents that are negative or too large, no memory.
///
/// # Safety
/// The prototype's `shape` has an element for each axis; its other pointers are not read.
///
/// ```
/// use ndany::dlpack::{Export, Import, allocate, export, import};
/// use ndany::prelude::*;
/// # let Ok(device) = Device::open("cpu") else { return Ok(()) };
/// let prototype = export(&mut arange(3).to_device(&device)?, Export::default())?;
/// // SAFETY: the tensors are of this library.
/// let zeros = unsafe { import(allocate(prototype.tensor())?, Import::default()) }?;
/// assert_eq!(zeros.to_string(), "[0 0 0]");
/// # Ok::<(), ndany::Error>(())
/// ```
pub unsafe fn allocate(prototype: &DLTensor) -> Result<Tensor> {
    let wrong = |reason: String| Error::ArgumentValue { op: OP.to_string(), reason };
    let extents = match usize::try_from(prototype.ndim) {
        Ok(0) => &[][..],
        // SAFETY: the caller vouches for an element of `shape` for each axis.
        Ok(ndim) if !prototype.shape.is_null() => unsafe {
            std::slice::from_raw_parts(prototype.shape.cast_const(), ndim)
        },
        Ok(_) | Err(_) => return Err(wrong("a prototype without extents".to_string())),
    };
    let shape = extents.iter().map(|&extent| usize::try_from(extent)).collect::<Result<Shape, _>>();
    let shape = shape.map_err(|_| wrong(format!("negative extents: {extents:?}")))?;
    let _guard = Device::open(&name_of(prototype.device)?)?.enter();
    let mut made = checked::zeros(shape.as_slice(), dtype_of(prototype.dtype)?)?;
    let version = Some(VERSION);
    export(&mut made, Export { max_version: version, ..Export::default() })
}

/// Of which number of bytes the address of an element is a multiple, for loops and kernels.
fn alignment(dtype: DType, device: &Device) -> u64 {
    match (dtype.size(), device.name() == "cpu") {
        // The CPU reads a complex number of 16 bytes as two words.
        (16, true) => 8,
        (size, _) => size as u64,
    }
}

/// Elements as bytes along one more axis.
fn in_bytes(dtype: DType, shape: Shape, strides: Strides) -> Result<(DType, Shape, Strides)> {
    let (mut shape, size) = (shape, dtype.size());
    let bytes = |step: isize| step.checked_mul(size as isize);
    let mut strides = strides
        .into_iter()
        .map(|step| bytes(step).ok_or(Error::Range { op: OP, reason: "steps that are too large" }))
        .collect::<Result<Strides>>()?;
    shape.push(size);
    strides.push(1);
    Ok((DType::U8, shape, strides))
}

/// Bytes along the last axis as elements. Booleans are bytes anyway.
fn of_bytes(bytes: Array, dtype: DType) -> Array {
    bytes.view(dtype).squeeze(-1)
}

/// The dtype of a type.
fn dtype_of(given: DLDataType) -> Result<DType> {
    let known = DType::ALL.into_iter().find(|&dtype| type_of(dtype) == given);
    known.ok_or_else(|| {
        let DLDataType { code, bits, lanes } = given;
        let reason = match lanes {
            1 => format!("no dtype has the code {code} and {bits} bits"),
            _ => format!("expected one number in an element, got {lanes}"),
        };
        Error::Unsupported { op: OP.to_string(), reason }
    })
}
