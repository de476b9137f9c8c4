//! Kernels of a user's own C++ text or machine code, as CuPy's `RawModule`.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use ndany::kernel::{Argument, KernelAttributes, RawKernel};
use ndany::{Array, DType, Scalar};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt};

use crate::cell::{Changed, NdArray};
use crate::error::Raised;
use crate::function::device_of;
use crate::{numpy, site, value};

/// Maximum number of arguments of a kernel.
const MOST_ARGUMENTS: usize = 32;

/// A name that lives as long as the program, one for equal ones.
fn kept(name: &str) -> &'static str {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    match names.get(name) {
        Some(known) => known,
        None => {
            let name: &'static str = Box::leak(name.into());
            names.insert(name);
            name
        }
    }
}

/// Text or machine code with kernels in it.
#[pyclass(module = "ndany", name = "_RawModule", frozen)]
pub(crate) struct RawModule {
    module: ndany::kernel::RawModule,
}

/// What a parameter takes.
enum Given {
    Number(Scalar),
    /// The position among the arrays.
    Array(usize),
}

#[pymethods]
impl RawModule {
    /// A module of text, or of bytes that are machine code.
    #[new]
    fn new(
        name: &str,
        code: &Bound<'_, PyAny>,
        options: Vec<String>,
        expressions: Vec<String>,
    ) -> PyResult<Self> {
        let name = kept(name);
        let mut module = match code.cast::<PyBytes>() {
            Ok(image) => ndany::kernel::RawModule::binary(name, image.as_bytes()),
            Err(_) => ndany::kernel::RawModule::source(name, code.extract::<String>()?),
        };
        for option in options {
            module = module.option(option);
        }
        for expression in expressions {
            module = module.name_expression(expression);
        }
        Ok(RawModule { module })
    }

    /// Launches a kernel; arrays are read and written where they are, numbers have the dtypes given, or their own.
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn launch(
        &self,
        py: Python<'_>,
        name: &str,
        device: &Bound<'_, PyAny>,
        grid: [u32; 3],
        block: [u32; 3],
        shared: usize,
        is_cooperative: bool,
        arguments: Vec<(Bound<'_, PyAny>, Option<Bound<'_, PyAny>>)>,
    ) -> PyResult<()> {
        let device = device_of(device)?;
        let mut kernel = self.kernel(name, shared, is_cooperative);
        if arguments.len() > MOST_ARGUMENTS {
            return Err(PyValueError::new_err(format!(
                "{name}: expected at most {MOST_ARGUMENTS} arguments, got {}",
                arguments.len()
            )));
        }
        let mut given = Vec::with_capacity(arguments.len());
        let mut arrays: Vec<Bound<'_, NdArray>> = Vec::new();
        for (position, (argument, dtype)) in arguments.iter().enumerate() {
            // Kernels of Python have positions alone.
            let parameter = kept(&format!("argument{position}"));
            if let Ok(array) = argument.cast::<NdArray>() {
                kernel = kernel.inout(parameter, array.get().dtype_of(py));
                given.push(Given::Array(arrays.len()));
                arrays.push(array.clone());
                continue;
            }
            let (scalar, dtype) = number(argument, dtype.as_ref())?;
            kernel = kernel.scalar(parameter, dtype);
            given.push(Given::Number(scalar));
        }
        let _site = site::enter(py);
        NdArray::change_all(py, &arrays, |changed: Changed<'_>| {
            let mut slots: Vec<Option<&mut Array>> = changed.into_iter().map(Some).collect();
            let arguments: Vec<Argument<'_>> = given
                .into_iter()
                .filter_map(|one| match one {
                    Given::Number(scalar) => Some(Argument::Number(scalar)),
                    Given::Array(position) => slots[position].take().map(Argument::InOut),
                })
                .collect();
            // SAFETY: the caller in Python states that the kernel stays within these arguments; Python has no word for it.
            unsafe { kernel.launch(&device, grid, block, arguments) }.map(drop)
        })
    }

    /// What the compiler made of a kernel: threads of a block, registers, bytes of static shared, constant and local memory.
    fn attributes(
        &self,
        py: Python<'_>,
        name: &str,
        device: &Bound<'_, PyAny>,
        is_cooperative: bool,
    ) -> PyResult<(u32, u32, usize, usize, usize)> {
        let device = device_of(device)?;
        let kernel = self.kernel(name, 0, is_cooperative);
        let found: KernelAttributes = py.detach(|| kernel.attributes(&device, 32)).raised(py)?;
        Ok((
            found.max_threads_per_block,
            found.registers,
            found.shared_bytes,
            found.constant_bytes,
            found.local_bytes,
        ))
    }

    /// Writes the bytes of a variable of the module.
    fn write(
        &self,
        py: Python<'_>,
        device: &Bound<'_, PyAny>,
        variable: &str,
        bytes: Vec<u8>,
    ) -> PyResult<()> {
        let device = device_of(device)?;
        py.detach(|| self.module.write(&device, variable, &bytes)).raised(py)
    }

    /// The bytes of a variable of the module.
    fn read<'py>(
        &self,
        py: Python<'py>,
        device: &Bound<'_, PyAny>,
        variable: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let device = device_of(device)?;
        let bytes = py.detach(|| self.module.read::<u8>(&device, variable)).raised(py)?;
        Ok(PyBytes::new(py, &bytes))
    }
}

impl RawModule {
    fn kernel(&self, name: &str, shared: usize, is_cooperative: bool) -> RawKernel {
        let kernel = self.module.kernel(kept(name)).shared(shared);
        if is_cooperative { kernel.cooperative() } else { kernel }
    }
}

/// A number as a parameter of a dtype; without one, NumPy's scalars have their own, and Python's are of 64 bits.
fn number(given: &Bound<'_, PyAny>, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<(Scalar, DType)> {
    let own = if given.is_instance_of::<PyBool>() {
        DType::Bool
    } else if given.is_instance_of::<PyInt>() {
        DType::I64
    } else if given.is_exact_instance_of::<PyFloat>() {
        DType::F64
    } else if given.is_exact_instance_of::<PyComplex>() {
        DType::C128
    } else {
        let Ok(dtype) = given.getattr("dtype").and_then(|dtype| numpy::dtype_of(&dtype)) else {
            let name = given.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "a kernel takes arrays and numbers, got {name}"
            )));
        };
        return Ok((value::scalar_of(given)?, dtype));
    };
    let dtype = match dtype {
        Some(wanted) => value::dtype_named(wanted)?,
        None => own,
    };
    Ok((Scalar::typed(dtype, value::number_of(given)?), dtype))
}
