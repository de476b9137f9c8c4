//! Functions of the engine as callables of Python: arguments converted, results where `out=` says, errors when they are made.

use ndany::call::parameters::Passing;
use ndany::call::{Callable, Value, resolve};
use ndany::{Array, Device, attempt};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::cell::NdArray;
use crate::device::current;
use crate::error::{Raised, raise};
use crate::site;
use crate::value::{self, to_python, value_of};

/// A function by its NumPy name.
#[pyclass(module = "ndany", name = "function", subclass, dict, frozen)]
pub(crate) struct Function {
    callable: &'static Callable,
    /// Positions of the parameters for results.
    outs: Vec<(usize, &'static str)>,
    /// The parameter whose array is changed.
    changed: Option<(usize, &'static str)>,
    /// The position of the parameter `dtype`.
    dtype: Option<usize>,
}

impl Function {
    fn named(name: &str) -> ndany::Result<Function> {
        let callable = resolve(name)?;
        let mut outs = Vec::new();
        let (mut changed, mut dtype) = (None, None);
        for (position, parameter) in callable.parameters().iter().enumerate() {
            let position = match parameter.passing {
                Passing::PositionalOrKeyword => position,
                Passing::Keyword | Passing::Rest => usize::MAX,
            };
            if matches!(parameter.name, "out" | "out1" | "out2") {
                outs.push((position, parameter.name));
            }
            if parameter.is_changed {
                changed = Some((position, parameter.name));
            }
            if parameter.name == "dtype" {
                dtype = Some(position);
            }
        }
        Ok(Function { callable, outs, changed, dtype })
    }

    fn takes(&self, name: &str) -> bool {
        self.callable.parameters().iter().any(|parameter| parameter.name == name)
    }

    /// The arguments of a call.
    fn given<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Given<'py>> {
        let mut given = Given {
            positional: Vec::with_capacity(args.len()),
            named: Vec::new(),
            targets: Vec::new(),
            changed: None,
            device: None,
        };
        for (position, arg) in args.iter_borrowed().enumerate() {
            if self.outs.iter().any(|(at, _)| *at == position) && !arg.is_none() {
                given.targets.push(arg.to_owned());
            }
            let value = match arg.cast::<NdArray>() {
                // A handle of its own would keep the memory from being written in place.
                Ok(array) if self.changed.is_some_and(|(at, _)| at == position) => {
                    given.changed = Some(array.to_owned());
                    Value::None
                }
                _ if self.dtype == Some(position) && !arg.is_none() && !is_no_value(&arg)? => {
                    Value::DType(value::dtype_named(&arg)?)
                }
                _ => value_of(&arg)?,
            };
            given.positional.push(value);
        }
        for (key, item) in kwargs.into_iter().flatten() {
            let name = key.cast::<PyString>()?.to_string_lossy().into_owned();
            self.give_named(&mut given, name, &item)?;
        }
        for target in given.targets.iter().filter(|target| !target.is_none()) {
            expect_target(target)?;
        }
        Ok(given)
    }

    /// Adds an argument that has a name.
    fn give_named<'py>(
        &self,
        given: &mut Given<'py>,
        name: String,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        match name.as_str() {
            "device" if self.takes("device") => {
                if !item.is_none() {
                    given.device = Some(device_of(item)?);
                }
                return Ok(());
            }
            "like" if self.takes("like") => return Ok(()),
            "dtype" if !item.is_none() => {
                given.named.push((name, Value::DType(value::dtype_named(item)?)));
                return Ok(());
            }
            _ if is_no_value(item)? => return Ok(()),
            _ if self.changed.is_some_and(|(_, changed)| changed == name) => {
                if let Ok(array) = item.cast::<NdArray>() {
                    given.changed = Some(array.to_owned());
                    given.named.push((name, Value::None));
                    return Ok(());
                }
            }
            _ => {}
        }
        let is_out = self.outs.iter().any(|(_, out)| *out == name);
        if is_out && !item.is_none() && !item.is(item.py().Ellipsis()) {
            match item.cast::<PyTuple>() {
                Ok(several) => given.targets.extend(several.iter()),
                Err(_) => given.targets.push(item.clone()),
            }
        }
        given.named.push((name, value_of(item)?));
        Ok(())
    }
}

/// What a call is given.
struct Given<'py> {
    positional: Vec<Value>,
    named: Vec<(String, Value)>,
    /// Arrays for results, by `out=`.
    targets: Vec<Bound<'py, PyAny>>,
    /// The array that the function changes.
    changed: Option<Bound<'py, NdArray>>,
    device: Option<Device>,
}

/// Results written where `out=` says, and those for which it says nothing.
fn delivered<'py>(
    py: Python<'py>,
    result: Value,
    targets: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let results = match result {
        Value::Tuple(results) => results,
        one => vec![one],
    };
    let mut delivered = Vec::with_capacity(results.len());
    for (place, result) in results.into_iter().enumerate() {
        delivered.push(match targets.get(place).filter(|target| !target.is_none()) {
            Some(target) => {
                deliver(target, result)?;
                target.clone()
            }
            None => to_python(py, result)?,
        });
    }
    match delivered.len() {
        1 => Ok(delivered.remove(0)),
        _ => Ok(PyTuple::new(py, delivered)?.into_any()),
    }
}

#[pymethods]
impl Function {
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        Self::named(name).raised(py)
    }

    /// The name by which the engine knows the function.
    #[getter]
    fn _name(&self) -> &'static str {
        self.callable.name()
    }

    /// Names of the parameters in order, with `*` in front of what takes all further arguments, and `=` after what may be left out.
    #[getter]
    fn _parameters(&self) -> Vec<String> {
        use ndany::call::parameters::Takes;
        let said = |parameter: &ndany::call::parameters::Parameter| {
            let (before, after) = match (parameter.passing, parameter.takes) {
                (Passing::Rest, _) => ("*", ""),
                (_, Takes::Required) => ("", ""),
                (Passing::PositionalOrKeyword, _) => ("", "="),
                (Passing::Keyword, _) => ("", "=="),
            };
            format!("{before}{}{after}", parameter.name)
        };
        self.callable.parameters().iter().map(said).collect()
    }

    /// Whether NumPy's result shares memory with the argument.
    #[getter]
    fn _is_view(&self) -> bool {
        self.callable.gives_views()
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _site = site::enter(py);
        let given = self.given(args, kwargs)?;
        if let Some(array) = given.changed {
            let (positional, named) = (&given.positional, &given.named);
            array
                .get()
                .change(py, |array| attempt(|| self.callable.change(array, positional, named))?)?;
            return Ok(py.None().into_bound(py));
        }
        let result = {
            py.detach(|| {
                let _guard = given.device.map(|device: Device| device.enter());
                attempt(|| self.callable.call(&given.positional, &given.named))?
            })
            .map_err(|error: ndany::Error| raise(py, error))?
        };
        // Handles on the memory that is written next.
        drop((given.positional, given.named));
        if let Some((position, name)) = self.changed {
            let target = match kwargs.map(|kwargs| kwargs.get_item(name)).transpose()?.flatten() {
                Some(target) => target,
                None => args.get_item(position)?,
            };
            deliver(&target, result)?;
            return Ok(py.None().into_bound(py));
        }
        if given.targets.iter().any(|target| !target.is_none()) {
            return delivered(py, result, &given.targets);
        }
        // Diagonals and transpositions by einsum are views, too.
        match self.callable.gives_views() || self.callable.name() == "np.einsum" {
            true => shown(args, result),
            false => to_python(py, result),
        }
    }

    fn __repr__(&self) -> String {
        format!("<ndany function {}>", self.callable.name())
    }
}

/// A result whose arrays are views of arguments, where they lie in the memory of one.
fn shown<'py>(args: &Bound<'py, PyTuple>, result: Value) -> PyResult<Bound<'py, PyAny>> {
    let py = args.py();
    let mut arrays: Vec<Bound<'py, NdArray>> = Vec::new();
    for arg in args.iter() {
        if let Ok(array) = arg.cast_into::<NdArray>() {
            arrays.push(array);
        }
    }
    shown_of(py, &arrays, result)
}

fn shown_of<'py>(
    py: Python<'py>,
    arrays: &[Bound<'py, NdArray>],
    result: Value,
) -> PyResult<Bound<'py, PyAny>> {
    match result {
        Value::Array(array) => {
            for own in arrays {
                if let Some(view) = NdArray::shown(own, &array)? {
                    return Ok(Bound::new(py, view)?.into_any());
                }
            }
            to_python(py, Value::Array(array))
        }
        Value::Tuple(items) => {
            let items = items.into_iter().map(|item| shown_of(py, arrays, item));
            Ok(PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
        Value::List(items) => {
            let items = items.into_iter().map(|item| shown_of(py, arrays, item));
            Ok(pyo3::types::PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
        other => to_python(py, other),
    }
}

/// NumPy's mark of an argument that is not given.
pub(crate) fn is_no_value(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = item.py();
    static MARK: pyo3::sync::PyOnceLock<Py<PyAny>> = pyo3::sync::PyOnceLock::new();
    let make = || py.import("numpy")?.getattr("_NoValue").map(Bound::unbind);
    Ok(item.is(MARK.get_or_try_init(py, make)?))
}

fn expect_target(target: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = target.py();
    if let Ok(array) = target.cast::<NdArray>() {
        return match array.get().is_writeable() {
            true => Ok(()),
            false => Err(PyValueError::new_err("output array is read-only")),
        };
    }
    match target.is_instance(crate::numpy::class(py, crate::numpy::Class::NdArray)?)? {
        true => Ok(()),
        false => Err(PyTypeError::new_err("return arrays must be of ArrayType")),
    }
}

/// Puts a result into the array that was given for it.
fn deliver(target: &Bound<'_, PyAny>, result: Value) -> PyResult<()> {
    let py = target.py();
    let Value::Array(result) = result else {
        return Err(PyTypeError::new_err("a result that is no array has no place in one"));
    };
    match target.cast::<NdArray>() {
        Ok(cell) => cell.get().put(py, result),
        Err(_) => {
            let copy = value::to_numpy(py, &result)?;
            target.set_item(py.Ellipsis(), copy)
        }
    }
}

/// A device by name or object.
pub(crate) fn device_of(given: &Bound<'_, PyAny>) -> PyResult<Device> {
    let py = given.py();
    let name: String = given.str()?.extract()?;
    Device::open(&name).map_err(|error| raise(py, error))
}

/// A function with the methods of NumPy's ufuncs.
#[pyclass(module = "ndany", name = "ufunc", extends = Function, dict, frozen)]
pub(crate) struct Ufunc {}

#[pymethods]
impl Ufunc {
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyClassInitializer::from(Function::named(name).raised(py)?).add_subclass(Ufunc {}))
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        let name = slf.as_super().callable.name();
        format!("<ufunc '{}'>", name.rsplit('.').next().unwrap_or(name))
    }
}

/// An array of bytes that are elements of a dtype in C order.
#[pyfunction]
pub(crate) fn from_bytes(
    py: Python<'_>,
    dtype: &Bound<'_, PyAny>,
    shape: Vec<usize>,
    bytes: &[u8],
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<NdArray> {
    let device = device.map_or_else(|| current(py), device_of)?;
    Array::from_bytes(value::dtype_named(dtype)?, &shape, bytes, &device)
        .raised(py)
        .map(NdArray::own)
}

/// A copy of what NumPy makes an array of.
#[pyfunction]
#[pyo3(signature = (object, device=None))]
pub(crate) fn from_numpy(
    object: &Bound<'_, PyAny>,
    device: Option<&Bound<'_, PyAny>>,
) -> PyResult<NdArray> {
    let device = device.map_or_else(|| current(object.py()), device_of)?;
    value::array_of(object, &device).map(NdArray::own)
}
