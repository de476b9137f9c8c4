//! Memory of arrays in the hands of other libraries, and theirs as arrays, without copies.

use std::ffi::{CStr, c_int, c_void};

use ndany::dlpack::abi::{DLDevice, DLPackVersion};
use ndany::dlpack::{self, Tensor};
use ndany::exchange::{ArrayInterface, Export, ForeignArray, Layout, Shape, Strides};
use ndany::{DType, Device, Stream};
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::cell::NdArray;
use crate::error::Raised;
use crate::{exchange_api, numpy, value};

/// Memory of an array that is lent while this object lives. NumPy's arrays over it hold it as their base.
#[pyclass(module = "ndany", name = "_Exported", frozen)]
pub(crate) struct Exported {
    /// Keeps the memory lent.
    export: Export,
    /// The place of the part that is lent, whose memory may be more.
    address: u64,
    shape: Shape,
    strides: Strides,
    dtype: DType,
    is_writeable: bool,
    _base: Py<NdArray>,
}

impl Exported {
    fn typestr(&self) -> String {
        let kind = match self.dtype {
            DType::Bool => 'b',
            // Bytes, which are seen as what they are afterwards.
            DType::BF16 => 'u',
            dtype if dtype.is_complex() => 'c',
            dtype if dtype.is_unsigned() => 'u',
            dtype if dtype.is_int() => 'i',
            _ => 'f',
        };
        let order = if self.dtype.size() == 1 { '|' } else { '<' };
        format!("{order}{kind}{}", self.dtype.size())
    }

    fn dictionary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let size = self.dtype.size() as isize;
        let dictionary = PyDict::new(py);
        dictionary.set_item("version", ArrayInterface::VERSION)?;
        dictionary.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        dictionary.set_item("typestr", self.typestr())?;
        dictionary.set_item("data", (self.address, !self.is_writeable))?;
        let strides = self.strides.iter().map(|stride| stride * size);
        dictionary.set_item("strides", PyTuple::new(py, strides)?)?;
        Ok(dictionary)
    }
}

#[pymethods]
impl Exported {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.dictionary(py)
    }

    /// The address of the first element.
    #[getter]
    fn _address(&self) -> u64 {
        self.address
    }

    /// The address of the memory of which the array is a part, and its bytes.
    #[getter]
    fn _memory(&self) -> (u64, usize) {
        let size = self.export.layout().size() * self.export.dtype().size();
        (self.export.address(), size)
    }

    #[getter]
    fn _dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy::dtype_object(py, self.dtype)
    }
}

/// Lends the memory of an array.
fn exported(array: &Bound<'_, NdArray>) -> PyResult<Exported> {
    let py = array.py();
    let (base, view, is_writeable) = NdArray::place(array)?;
    let export = base.get().lend(py, is_writeable)?;
    let size = view.dtype.size() as u64;
    let address = match view.layout.size() {
        0 => 0,
        _ => export.address() + view.layout.offset as u64 * size,
    };
    Ok(Exported {
        export,
        address,
        shape: view.layout.shape,
        strides: view.layout.strides,
        dtype: view.dtype,
        is_writeable,
        _base: base,
    })
}

/// Whether it lies in the host's memory, and its dtype is one of Python's buffers.
fn is_plain(array: &Bound<'_, NdArray>) -> bool {
    let (py, array) = (array.py(), array.get());
    array.device_of(py).name().starts_with("cpu") && array.dtype_of(py) != DType::BF16
}

/// An array of NumPy's in the same memory, which is the host's.
fn shared<'py>(array: &Bound<'py, NdArray>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    if array.get().device_of(py).name() == "reference" || array.get().extents(py).contains(&0) {
        return value::to_numpy(py, &array.get().read(py)?);
    }
    let exported = exported(array)?;
    let dtype = exported.dtype;
    let memory = Bound::new(py, exported)?;
    let plain = py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "asarray"), (memory,))?;
    match dtype {
        DType::BF16 => plain.call_method1("view", (numpy::dtype_object(py, dtype)?,)),
        _ => Ok(plain),
    }
}

#[pymethods]
impl NdArray {
    /// An array of NumPy's that shares the memory.
    fn _shared<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shared(slf)
    }

    /// The memory, lent while the result lives.
    fn _exported(slf: &Bound<'_, Self>) -> PyResult<Exported> {
        exported(slf)
    }

    #[getter]
    fn __array_interface__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        if !is_plain(slf) {
            return Err(PyAttributeError::new_err(
                "__array_interface__ is of arrays in the host's memory, of dtypes that it has",
            ));
        }
        shared(slf)?.getattr("__array_interface__")
    }

    #[getter]
    fn __cuda_array_interface__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let py = slf.py();
        if !slf.get().device_of(py).name().starts_with("cuda") {
            return Err(PyAttributeError::new_err(
                "__cuda_array_interface__ is of arrays on NVIDIA's devices",
            ));
        }
        let exported = exported(slf)?;
        let dictionary = exported.dictionary(py)?;
        dictionary.set_item("stream", py.None())?;
        // The memory is lent as long as somebody holds the dictionary.
        dictionary.set_item("owner", Bound::new(py, exported)?)?;
        Ok(dictionary)
    }

    /// # Safety
    /// Python passes a buffer structure to be filled.
    unsafe fn __getbuffer__(
        slf: &Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let py = slf.py();
        if !is_plain(slf) {
            return Err(PyBufferError::new_err(
                "only arrays in the host's memory are buffers, of dtypes that these have: use `.get()`",
            ));
        }
        let array = shared(slf)?;
        // SAFETY: `view` is Python's own, and NumPy's array, which fills it, becomes the object that it belongs to.
        match unsafe { ffi::PyObject_GetBuffer(array.as_ptr(), view, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(py)),
        }
    }
}

const VERSIONED: &CStr = c"dltensor_versioned";
const LEGACY: &CStr = c"dltensor";

/// Calls the deleter of a capsule's tensor, if nobody has taken it.
///
/// # Safety
/// Python calls it once, with a capsule of [`capsule_of`].
unsafe extern "C" fn drop_capsule(capsule: *mut ffi::PyObject) {
    for name in [VERSIONED, LEGACY] {
        // SAFETY: the capsule is alive, and the names are those of the tensors that it can hold; it has another one once it is taken.
        unsafe {
            if ffi::PyCapsule_IsValid(capsule, name.as_ptr()) != 0 {
                drop(tensor_in(capsule, name));
            }
        }
    }
}

/// The tensor of a capsule, which is the caller's from now on.
///
/// # Safety
/// The capsule is valid under this name, which is one of the two of DLPack.
unsafe fn tensor_in(capsule: *mut ffi::PyObject, name: &CStr) -> ndany::Result<Tensor> {
    // SAFETY: DLPack says what a capsule of this name points to, and the caller takes it over.
    unsafe {
        let pointer = ffi::PyCapsule_GetPointer(capsule, name.as_ptr());
        match name == VERSIONED {
            true => Tensor::from_versioned(pointer.cast()),
            false => Tensor::from_legacy(pointer.cast()),
        }
    }
}

/// A capsule that owns a tensor.
fn capsule_of(py: Python<'_>, tensor: Tensor) -> PyResult<Bound<'_, PyAny>> {
    let (pointer, name): (*mut c_void, _) = match tensor.into_versioned() {
        Ok(pointer) => (pointer.cast(), VERSIONED),
        Err(legacy) => match legacy.into_legacy() {
            Ok(pointer) => (pointer.cast(), LEGACY),
            Err(_) => unreachable!("a tensor is of one kind or the other"),
        },
    };
    // SAFETY: the name is static, and the destructor takes the tensor that the capsule owns.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer, name.as_ptr(), Some(drop_capsule));
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// A tensor of an array, for work of a stream.
pub(crate) fn tensor(
    array: &Bound<'_, NdArray>,
    stream: Option<&Stream>,
    max_version: Option<(u32, u32)>,
    dl_device: Option<(i32, i32)>,
    copy: Option<bool>,
) -> PyResult<Tensor> {
    let py = array.py();
    let (base, _, is_writeable) = NdArray::place(array)?;
    let wanted = dl_device.map(|(device_type, device_id)| DLDevice { device_type, device_id });
    let own = dlpack::device_of(&array.get().device_of(py)).map_err(buffer_error)?;
    let elsewhere = wanted.filter(|&wanted| wanted != own);
    let is_copied = copy == Some(true)
        || match elsewhere {
            None => false,
            Some(device) => {
                let base = base.get().read(py)?;
                let asked = py.detach(|| dlpack::is_accessible_from(&base, device));
                !asked.map_err(buffer_error)?
            }
        };
    // The part is exported as it lies in the memory of its base, which is lent first.
    let lent = match is_copied {
        true => None,
        false => Some(base.get().lend(py, is_writeable)?),
    };
    let mut part = array.get().read(py)?;
    let options = dlpack::Export {
        max_version: max_version.map(|(major, minor)| DLPackVersion { major, minor }),
        copy,
        device: wanted,
        // On another device the values are there when the call returns.
        stream: stream.filter(|_| elsewhere.is_none()),
    };
    let tensor = py.detach(|| dlpack::export(&mut part, options)).map_err(buffer_error)?;
    drop(lent);
    Ok(tensor)
}

/// What an exchange cannot do is Python's `BufferError`.
pub(crate) fn buffer_error(error: ndany::Error) -> PyErr {
    PyBufferError::new_err(error.to_string())
}

#[pymethods]
impl NdArray {
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let device = slf.get().device_of(py);
        // SAFETY: who asks for a tensor for a stream says that the stream lives.
        let stream = unsafe { dlpack::stream_of(&device, stream) }.raised(py)?;
        capsule_of(py, tensor(slf, stream.as_ref(), max_version, dl_device, copy)?)
    }

    /// The functions of C that exchange tensors of this class (DLPack 1.3).
    #[classattr]
    fn __dlpack_c_exchange_api__(py: Python<'_>) -> PyResult<Py<PyAny>> {
        exchange_api::capsule(py)
    }

    fn __dlpack_device__(&self, py: Python<'_>) -> PyResult<(i32, i32)> {
        let DLDevice { device_type, device_id } =
            dlpack::device_of(&self.device_of(py)).map_err(buffer_error)?;
        Ok((device_type, device_id))
    }
}

/// Waits for the driver's default stream, for which producers on a GPU are asked to make their values.
fn wait_for(py: Python<'_>, device: DLDevice) -> PyResult<()> {
    let vendor = match device.device_type {
        dlpack::abi::CUDA | dlpack::abi::CUDA_MANAGED => "cuda",
        dlpack::abi::ROCM => "hip",
        _ => return Ok(()),
    };
    let waited = py.detach(|| {
        let device = Device::open(&format!("{vendor}:{}", device.device_id))?;
        // SAFETY: the driver's default stream always lives.
        match unsafe { dlpack::stream_of(&device, None) }? {
            Some(stream) => stream.synchronize(),
            None => device.synchronize(),
        }
    });
    waited.map_err(buffer_error)
}

/// The array of a capsule of `__dlpack__`, which is consumed.
#[pyfunction]
#[pyo3(signature = (capsule, device=None, copy=None))]
pub(crate) fn from_capsule(
    py: Python<'_>,
    capsule: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
    copy: Option<bool>,
) -> PyResult<NdArray> {
    let device = device.map(crate::function::device_of).transpose()?;
    let known = [(VERSIONED, c"used_dltensor_versioned"), (LEGACY, c"used_dltensor")];
    // SAFETY: any object may be asked.
    let valid =
        |name: &CStr| unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) != 0 };
    let Some((name, used)) = known.into_iter().find(|(name, _)| valid(name)) else {
        return Err(PyValueError::new_err(
            "expected a capsule of DLPack that has not been consumed",
        ));
    };
    // SAFETY: the capsule is valid under this name, and is given another one, so that nobody takes its tensor again.
    let tensor = unsafe {
        let tensor = tensor_in(capsule.as_ptr(), name);
        if ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) != 0 {
            return Err(PyErr::fetch(py));
        }
        tensor
    };
    let tensor = tensor.map_err(buffer_error)?;
    wait_for(py, tensor.tensor().device)?;
    let import = dlpack::Import { copy, device };
    // SAFETY: the producer made the tensor by the rules of DLPack, for the stream that it was asked for.
    let array = py.detach(|| unsafe { dlpack::import(tensor, import) }).map_err(buffer_error)?;
    Ok(NdArray::theirs(array))
}

/// Memory that an array interface describes as an array: NumPy's in the host's memory, CUDA's (version 3) on a device. Writes on
/// either side show on the other.
#[pyfunction]
#[pyo3(signature = (object, device=None))]
pub(crate) fn share(
    object: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<NdArray> {
    let py = object.py();
    let device = match device {
        Some(device) => crate::function::device_of(device)?,
        None => Device::open("cpu").raised(py)?,
    };
    let on_host = device.name().starts_with("cpu");
    let name = if on_host { "__array_interface__" } else { "__cuda_array_interface__" };
    let interface = object.getattr(name)?;
    let item = |key: &str| interface.call_method1(intern!(py, "get"), (key,));
    let typestr = item("typestr")?;
    let dtype = value::dtype_named(&match object.getattr_opt(intern!(py, "dtype"))? {
        // The interface has no name for some dtypes.
        Some(dtype) if dtype.is_instance(numpy::class(py, numpy::Class::DType)?)? => dtype,
        _ => typestr,
    })?;
    if !on_host && !item("mask")?.is_none() {
        return Err(PyBufferError::new_err("masked arrays are not taken"));
    }
    let (address, is_read_only): (u64, bool) = item("data")?.extract()?;
    let shape: Vec<usize> = item("shape")?.extract()?;
    let size = dtype.size() as isize;
    let strides = match item("strides")? {
        strides if strides.is_none() => Layout::contiguous(&shape).strides,
        strides => {
            let strides: Vec<isize> = strides.extract()?;
            if strides.iter().any(|stride| stride % size != 0) {
                let text = "strides that are no multiples of an element: copy the array";
                return Err(PyBufferError::new_err(text));
            }
            strides.into_iter().map(|stride| stride / size).collect()
        }
    };
    if !on_host {
        let stream: Option<i64> = item("stream")?.extract()?;
        if let Some(stream) = stream {
            // SAFETY: the interface says that work of this stream makes the values, so the stream lives.
            let stream = unsafe { dlpack::stream_of(&device, Some(stream)) }.raised(py)?;
            let waited = py.detach(|| {
                stream.map_or_else(|| device.synchronize(), |stream| stream.synchronize())
            });
            waited.raised(py)?;
        }
    }
    let foreign = ForeignArray {
        device,
        address,
        dtype,
        shape: Shape::from_vec(shape),
        strides,
        is_writable: !is_read_only,
        owner: Box::new(object.clone().unbind()),
    };
    // SAFETY: the object has the memory that its interface describes, and the array holds the object.
    let array = unsafe { foreign.into_array() }.raised(py)?;
    Ok(NdArray::theirs(array))
}
