//! The module `ndany._core`: arrays of the engine as a class of Python, its functions as callables.
//!
//! What is written in Python (`ndany/`) is how NumPy's names, signatures and protocols come from these.

mod callback;
mod cell;
mod device;
mod error;
mod exchange;
mod exchange_api;
mod function;
mod index;
mod numpy;
mod operators;
mod profile;
mod random;
mod raw;
mod site;
mod sparse;
mod stream;
mod value;

use pyo3::prelude::*;

/// The names of all functions of the engine.
#[pyfunction]
fn names() -> Vec<&'static str> {
    ndany::call::names().collect()
}

/// Whether a function is an elementwise operation, with the methods of ufuncs.
#[pyfunction]
fn is_elementwise(name: &str) -> bool {
    let name = ndany::call::support::first_name(name);
    let pairs = ndany_core::ops::PAIRS.iter();
    ndany_core::ops::UfuncDef::by_numpy_name(name).is_some()
        || pairs.into_iter().any(|row| row.numpy == name)
}

#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<cell::NdArray>()?;
    module.add_class::<function::Function>()?;
    module.add_class::<function::Ufunc>()?;
    module.add_class::<device::Entered>()?;
    module.add_class::<device::Managed>()?;
    module.add_class::<exchange::Exported>()?;
    module.add_class::<profile::NamedRange>()?;
    module.add_class::<random::Random>()?;
    module.add_class::<raw::RawModule>()?;
    sparse::register(module)?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<stream::EnteredStream>()?;
    module.add_class::<stream::Event>()?;
    module.add_function(wrap_pyfunction!(exchange::share, module)?)?;
    module.add_function(wrap_pyfunction!(exchange::from_capsule, module)?)?;
    module.add_function(wrap_pyfunction!(names, module)?)?;
    module.add_function(wrap_pyfunction!(is_elementwise, module)?)?;
    module.add_function(wrap_pyfunction!(function::from_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(function::from_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(profile::eval_all, module)?)?;
    module.add_function(wrap_pyfunction!(profile::launches, module)?)?;
    module.add_function(wrap_pyfunction!(device::devices, module)?)?;
    module.add_function(wrap_pyfunction!(device::current_device, module)?)?;
    module.add_function(wrap_pyfunction!(device::synchronize, module)?)?;
    module.add_function(wrap_pyfunction!(device::memory, module)?)?;
    module.add_function(wrap_pyfunction!(device::free_memory, module)?)?;
    module.add_function(wrap_pyfunction!(device::release_memory, module)?)?;
    module.add_function(wrap_pyfunction!(device::limit_memory, module)?)?;
    module.add_function(wrap_pyfunction!(device::attributes, module)?)?;
    module.add_function(wrap_pyfunction!(device::pci_bus_id, module)?)?;
    module.add_function(wrap_pyfunction!(device::describe, module)?)?;
    Ok(())
}
