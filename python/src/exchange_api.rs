//! The table of C functions of the class `ndarray`, by which extensions exchange tensors without calls of Python (DLPack 1.3).

use std::ffi::{CStr, CString, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ndany::dlpack::abi::{
    self, DLDevice, DLManagedTensorVersioned, DLPackExchangeAPI, DLPackExchangeAPIHeader, DLTensor,
    EXCHANGE_API_VERSION, SetError,
};
use ndany::dlpack::{self, Tensor};
use ndany::{Device, Stream};
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::{ffi, intern};

use crate::cell::NdArray;
use crate::error::Raised;
use crate::exchange::buffer_error;

const NAME: &CStr = c"dlpack_exchange_api";

/// The table. A tensor for the time of a call is absent: an array has no extents in DLPack's form that it could lend.
static TABLE: DLPackExchangeAPI = DLPackExchangeAPI {
    header: DLPackExchangeAPIHeader { version: EXCHANGE_API_VERSION, prev_api: std::ptr::null() },
    managed_tensor_allocator: allocator,
    managed_tensor_from_py_object_no_sync: from_object,
    managed_tensor_to_py_object_no_sync: to_object,
    dltensor_from_py_object_no_sync: None,
    current_work_stream,
};

/// The table in a capsule.
pub(crate) fn capsule(py: Python<'_>) -> PyResult<Py<PyAny>> {
    let table: *const DLPackExchangeAPI = &TABLE;
    // SAFETY: the table and the name are static, and nothing is to be destroyed.
    unsafe {
        let capsule = ffi::PyCapsule_New(table.cast_mut().cast(), NAME.as_ptr(), None);
        Bound::from_owned_ptr_or_err(py, capsule).map(Bound::unbind)
    }
}

/// Runs a function of the table: a panic is an error, which C cannot catch, and an exception becomes Python's current one.
fn guarded(run: impl FnOnce(Python<'_>) -> PyResult<()>) -> c_int {
    Python::attach(|py| {
        let outcome = catch_unwind(AssertUnwindSafe(|| run(py)));
        let failed = || Err(PyRuntimeError::new_err("a function of DLPack's table has panicked"));
        match outcome.unwrap_or_else(|_| failed()) {
            Ok(()) => 0,
            Err(error) => {
                error.restore(py);
                -1
            }
        }
    })
}

/// The handle of the current stream of a device, null for the driver's default one.
fn current_handle(py: Python<'_>, device: DLDevice) -> PyResult<u64> {
    let name = match device.device_type {
        abi::CUDA | abi::CUDA_MANAGED => format!("cuda:{}", device.device_id),
        abi::ROCM => format!("hip:{}", device.device_id),
        abi::CPU | abi::CUDA_HOST | abi::ROCM_HOST => return Ok(0),
        other => return Err(PyBufferError::new_err(format!("no device has the type {other}"))),
    };
    let streams = py.import(intern!(py, "ndany.cuda"))?;
    streams.call_method1(intern!(py, "_current_handle"), (name,))?.extract()
}

/// The current stream of a device as one to wait for or to be waited for, `None` where calls return when their work is done.
fn current_stream(py: Python<'_>, device: DLDevice) -> PyResult<Option<Stream>> {
    let handle = current_handle(py, device)?;
    if matches!(device.device_type, abi::CPU | abi::CUDA_HOST | abi::ROCM_HOST) {
        return Ok(None);
    }
    let vendor = if device.device_type == abi::ROCM { "hip" } else { "cuda" };
    let opened = Device::open(&format!("{vendor}:{}", device.device_id)).raised(py)?;
    // SAFETY: 0 is the driver's default stream; any other one is entered in this thread, and lives meanwhile.
    unsafe { Stream::external(&opened, handle) }.raised(py).map(Some)
}

/// # Safety
/// As the header says: `object` is an object of Python, and `out` is written.
unsafe extern "C" fn from_object(
    object: *mut c_void,
    out: *mut *mut DLManagedTensorVersioned,
) -> c_int {
    guarded(|py| {
        // SAFETY: the caller passes an object that it holds.
        let object = unsafe { Bound::from_borrowed_ptr_or_opt(py, object.cast()) };
        let array = object.as_ref().and_then(|object| object.cast::<NdArray>().ok());
        let array = array.ok_or_else(|| PyTypeError::new_err("expected an array of ndany"))?;
        let device = dlpack::device_of(&array.get().device_of(py)).map_err(buffer_error)?;
        let stream = current_stream(py, device)?;
        let tensor = crate::exchange::tensor(array, stream.as_ref(), Some((1, 3)), None, None)?;
        let pointer = tensor
            .into_versioned()
            .map_err(|_| PyBufferError::new_err("a tensor of a version before 1.0"))?;
        // SAFETY: the caller passes a place for the pointer.
        unsafe { out.write(pointer) };
        Ok(())
    })
}

/// # Safety
/// As the header says: `tensor` is the callee's from now on, and `out` is written.
unsafe extern "C" fn to_object(
    tensor: *mut DLManagedTensorVersioned,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|py| {
        // SAFETY: the caller gives the tensor away.
        let tensor = unsafe { Tensor::from_versioned(tensor) }.map_err(buffer_error)?;
        if let Some(stream) = current_stream(py, tensor.tensor().device)? {
            py.detach(|| stream.synchronize()).map_err(buffer_error)?;
        }
        // SAFETY: the tensor is as the header says, and the stream that makes its values has been waited for.
        let array = py.detach(|| unsafe { dlpack::import(tensor, dlpack::Import::default()) });
        let object = Bound::new(py, NdArray::theirs(array.map_err(buffer_error)?))?;
        // SAFETY: the caller passes a place for the pointer, and owns the object.
        unsafe { out.write(object.into_ptr().cast()) };
        Ok(())
    })
}

/// # Safety
/// As the header says: the prototype has extents, `out` is written, and `set_error` takes the context. Python's lock need not be held.
unsafe extern "C" fn allocator(
    prototype: *mut DLTensor,
    out: *mut *mut DLManagedTensorVersioned,
    context: *mut c_void,
    set_error: Option<SetError>,
) -> c_int {
    let made = catch_unwind(|| {
        // SAFETY: the caller passes a prototype, whose extents are read.
        unsafe { dlpack::allocate(&*prototype) }
    });
    let failure = match made {
        Ok(Ok(tensor)) => match tensor.into_versioned() {
            Ok(pointer) => {
                // SAFETY: the caller passes a place for the pointer.
                unsafe { out.write(pointer) };
                return 0;
            }
            Err(_) => "a tensor of a version before 1.0".to_string(),
        },
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the allocation has panicked".to_string(),
    };
    let message = CString::new(failure.replace('\0', " ")).unwrap_or_default();
    if let Some(set_error) = set_error {
        // SAFETY: the function takes this context, and texts that it copies.
        unsafe { set_error(context, c"BufferError".as_ptr(), message.as_ptr()) };
    }
    -1
}

/// # Safety
/// As the header says: `out` is written.
unsafe extern "C" fn current_work_stream(
    device_type: i32,
    device_id: i32,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|py| {
        let handle = current_handle(py, DLDevice { device_type, device_id })?;
        // SAFETY: the caller passes a place for the handle, which is the driver's pointer.
        unsafe { out.write(std::ptr::with_exposed_provenance_mut(handle as usize)) };
        Ok(())
    })
}
