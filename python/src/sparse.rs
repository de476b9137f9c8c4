//! Sparse arrays: values of the engine. The classes of `ndany.sparse` hold one each, and take another one when they are changed.

mod csgraph;
mod linalg;

use ndany::call::Value;
use ndany::exchange::{View, known_error};
use ndany::sparse::{self, Along, Format, Other, Source, Sparse as Inner};
use ndany::{Array, Compression, DType, Device, Error, Index, Operand, Scalar, attempt};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::cell::NdArray;
use crate::error::Raised;
use crate::random::Random;
use crate::{index, numpy, site, value};

/// A sparse array, which does not change.
#[pyclass(module = "ndany", name = "_Sparse", frozen)]
pub(crate) struct Sparse {
    inner: Inner,
}

/// Registers the classes and functions.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Sparse>()?;
    linalg::register(module)?;
    csgraph::register(module)
}

/// Runs what may raise, without Python's lock.
fn run<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let _site = site::enter(py);
    py.detach(|| attempt(work)).raised(py)
}

/// Runs what returns errors and may raise, too.
fn try_run<T: Send>(py: Python<'_>, work: impl FnOnce() -> ndany::Result<T> + Send) -> PyResult<T> {
    let _site = site::enter(py);
    py.detach(|| attempt(work).and_then(|outcome| outcome)).raised(py)
}

fn format_named(name: &str) -> PyResult<Format> {
    let formats = [Format::Csr, Format::Csc, Format::Coo, Format::Dia, Format::Bsr];
    let found = formats.into_iter().find(|format| format.to_string() == name);
    found.ok_or_else(|| {
        PyValueError::new_err(format!(
            "[sparse] unknown format: expected csr, csc, coo, dia or bsr, got {name}"
        ))
    })
}

fn read(py: Python<'_>, array: &Bound<'_, NdArray>) -> PyResult<Array> {
    array.get().read(py)
}

fn made(inner: Inner) -> Sparse {
    Sparse { inner }
}

fn dense(array: PyResult<Array>) -> PyResult<NdArray> {
    array.map(NdArray::own)
}

/// No shape is the least that holds all entries.
fn extents(shape: Option<[usize; 2]>) -> sparse::Extents {
    shape.map_or_else(|| (..).into(), Into::into)
}

fn along(axis: Option<isize>) -> Along {
    axis.map_or_else(|| (..).into(), Into::into)
}

fn unknown(name: &str) -> PyErr {
    PyTypeError::new_err(format!("[sparse] no function of sparse arrays: {name}"))
}

/// The other operand of an elementwise operation: sparse, dense or a number.
fn other_of(given: &Bound<'_, PyAny>) -> PyResult<Other> {
    if let Ok(sparse) = given.cast::<Sparse>() {
        return Ok(Other::Sparse(sparse.get().inner.clone()));
    }
    match value::value_of(given)? {
        Value::Array(array) => Ok(Other::Dense(array)),
        Value::Scalar(number) => Ok(Other::Number(number)),
        Value::Bool(truth) => Ok(Other::Number(Scalar::weak_bool(truth))),
        _ => Err(value::refused(given)),
    }
}

fn number_of(given: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    match other_of(given)? {
        Other::Number(number) => Ok(number),
        Other::Sparse(_) | Other::Dense(_) => {
            Err(PyTypeError::new_err("[sparse] expected a number, got an array"))
        }
    }
}

impl Sparse {
    fn sparse(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Inner) -> Inner + Send,
    ) -> PyResult<Sparse> {
        run(py, || work(&self.inner)).map(made)
    }

    fn array(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Inner) -> Array + Send,
    ) -> PyResult<NdArray> {
        dense(run(py, || work(&self.inner)))
    }
}

macro_rules! of_values {
    ($($name:ident)+) => {
        #[pymethods]
        impl Sparse {
            /// An elementwise function whose value of zero is zero, by its name.
            fn unary(&self, py: Python<'_>, name: &str) -> PyResult<Sparse> {
                match name {
                    $(stringify!($name) => self.sparse(py, |a| a.$name()),)+
                    "negative" => self.sparse(py, |a| -a),
                    _ => Err(unknown(name)),
                }
            }
        }
    };
}
of_values! {
    abs sqrt sin tan asin atan sinh tanh asinh atanh expm1 log1p floor ceil trunc rint sign deg2rad rad2deg conj real
}

/// How a sparse array is made.
#[pymethods]
impl Sparse {
    /// Of a dense array: what is not zero.
    #[staticmethod]
    fn of_dense(py: Python<'_>, format: &str, array: &Bound<'_, NdArray>) -> PyResult<Sparse> {
        let (format, array) = (format_named(format)?, read(py, array)?);
        run(py, || sparse::coo_array(&array, ..).asformat(format)).map(made)
    }

    /// Of compressed rows, columns, or rows of blocks.
    #[staticmethod]
    fn compressed(
        py: Python<'_>,
        format: &str,
        parts: [Bound<'_, NdArray>; 3],
        shape: Option<[usize; 2]>,
    ) -> PyResult<Sparse> {
        let format = format_named(format)?;
        let [data, indices, indptr] = &parts;
        let parts = (read(py, data)?, read(py, indices)?, read(py, indptr)?);
        let make = || match format {
            Format::Csr | Format::Coo | Format::Dia => sparse::csr_array(parts, extents(shape)),
            Format::Csc => sparse::csc_array(parts, extents(shape)),
            Format::Bsr => sparse::bsr_array(parts, extents(shape)),
        };
        run(py, || make().asformat(format)).map(made)
    }

    /// Of coordinates.
    #[staticmethod]
    fn coordinates(
        py: Python<'_>,
        parts: [Bound<'_, NdArray>; 3],
        shape: Option<[usize; 2]>,
    ) -> PyResult<Sparse> {
        let [data, rows, columns] = &parts;
        let parts = (read(py, data)?, (read(py, rows)?, read(py, columns)?));
        run(py, || sparse::coo_array(parts, extents(shape))).map(made)
    }

    /// Of diagonals, as `dia_array` has them.
    #[staticmethod]
    fn diagonals(
        py: Python<'_>,
        data: &Bound<'_, NdArray>,
        offsets: Vec<i64>,
        shape: Option<[usize; 2]>,
    ) -> PyResult<Sparse> {
        let data = read(py, data)?;
        run(py, || sparse::dia_array(Source::from((data, offsets)), extents(shape))).map(made)
    }

    /// Of diagonals, each from its first element on.
    #[staticmethod]
    fn diags(
        py: Python<'_>,
        diagonals: Vec<Bound<'_, NdArray>>,
        offsets: Vec<i64>,
        shape: Option<[usize; 2]>,
    ) -> PyResult<Sparse> {
        let diagonals =
            diagonals.iter().map(|part| read(py, part)).collect::<PyResult<Vec<_>>>()?;
        run(py, || sparse::diags_array(diagonals, offsets, extents(shape))).map(made)
    }

    #[staticmethod]
    fn random(
        py: Python<'_>,
        generator: &Bound<'_, Random>,
        shape: [usize; 2],
        density: f64,
    ) -> PyResult<Sparse> {
        let made_of = |generator: &mut ndany::Generator| {
            run(py, || sparse::random_array(generator, shape, density))
        };
        generator.get().lend(py, made_of).map(made)
    }

    #[staticmethod]
    fn kron(py: Python<'_>, a: &Bound<'_, Sparse>, b: &Bound<'_, Sparse>) -> PyResult<Sparse> {
        let (a, b) = (&a.get().inner, &b.get().inner);
        run(py, || sparse::kron(a, b)).map(made)
    }

    #[staticmethod]
    fn kronsum(py: Python<'_>, a: &Bound<'_, Sparse>, b: &Bound<'_, Sparse>) -> PyResult<Sparse> {
        let (a, b) = (&a.get().inner, &b.get().inner);
        run(py, || sparse::kronsum(a, b)).map(made)
    }

    /// Of rows of blocks, in which `None` has no entries.
    #[staticmethod]
    fn blocks(py: Python<'_>, rows: Vec<Vec<Option<Bound<'_, Sparse>>>>) -> PyResult<Sparse> {
        let row = |row: &Vec<Option<Bound<'_, Sparse>>>| {
            row.iter()
                .map(|block| block.as_ref().map(|block| block.get().inner.clone()))
                .collect::<Vec<Option<Inner>>>()
        };
        let rows: Vec<Vec<Option<Inner>>> = rows.iter().map(row).collect();
        run(py, || sparse::block_array(rows.iter().map(|row| row.iter().map(Option::as_ref))))
            .map(made)
    }

    /// Side by side, above each other, or along the diagonal.
    #[staticmethod]
    fn joined(py: Python<'_>, how: &str, arrays: Vec<Bound<'_, Sparse>>) -> PyResult<Sparse> {
        let arrays: Vec<Inner> = arrays.iter().map(|array| array.get().inner.clone()).collect();
        match how {
            "hstack" => run(py, || sparse::hstack(&arrays)).map(made),
            "vstack" => run(py, || sparse::vstack(&arrays)).map(made),
            "block_diag" => run(py, || sparse::block_diag(&arrays)).map(made),
            _ => Err(unknown(how)),
        }
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: &str) -> PyResult<Sparse> {
        try_run(py, || sparse::load_npz(path)).map(made)
    }

    fn save(&self, py: Python<'_>, path: &str, compressed: bool) -> PyResult<()> {
        let compression = if compressed { Compression::Deflated } else { Compression::Stored };
        try_run(py, || sparse::save_npz(path, &self.inner, compression))
    }
}

/// What a sparse array is made of.
#[pymethods]
impl Sparse {
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.inner.shape().into()
    }
    #[getter]
    fn format(&self) -> String {
        self.inner.format().to_string()
    }
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy::dtype_object(py, self.inner.dtype())
    }
    #[getter]
    fn device(&self) -> String {
        self.inner.device().name()
    }
    #[getter]
    fn nnz(&self) -> usize {
        self.inner.nnz()
    }
    #[getter]
    fn data(&self) -> NdArray {
        NdArray::own(self.inner.data())
    }
    #[getter]
    fn indices(&self, py: Python<'_>) -> PyResult<NdArray> {
        self.array(py, Inner::indices)
    }
    #[getter]
    fn indptr(&self, py: Python<'_>) -> PyResult<NdArray> {
        self.array(py, Inner::indptr)
    }
    #[getter]
    fn coords(&self, py: Python<'_>) -> PyResult<(NdArray, NdArray)> {
        let (rows, columns) = run(py, || self.inner.coords())?;
        Ok((NdArray::own(rows), NdArray::own(columns)))
    }
    #[getter]
    fn offsets(&self, py: Python<'_>) -> PyResult<Vec<i64>> {
        run(py, || self.inner.offsets())
    }
    /// Whether places are sorted and none comes twice.
    #[getter]
    fn is_canonical(&self, py: Python<'_>) -> PyResult<bool> {
        run(py, || self.inner.has_canonical_format())
    }
    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        run(py, || self.inner.to_string())
    }
}

/// Conversions.
#[pymethods]
impl Sparse {
    fn to_format(&self, py: Python<'_>, format: &str) -> PyResult<Sparse> {
        let format = format_named(format)?;
        self.sparse(py, |a| a.asformat(format))
    }
    fn to_bsr(&self, py: Python<'_>, blocksize: (usize, usize)) -> PyResult<Sparse> {
        self.sparse(py, |a| a.to_bsr(blocksize))
    }
    fn to_dense(&self, py: Python<'_>) -> PyResult<NdArray> {
        self.array(py, Inner::to_dense)
    }
    fn transpose(&self, py: Python<'_>) -> PyResult<Sparse> {
        self.sparse(py, Inner::transpose)
    }
    fn astype(&self, py: Python<'_>, dtype: &Bound<'_, PyAny>) -> PyResult<Sparse> {
        let dtype: DType = value::dtype_named(dtype)?;
        self.sparse(py, |a| a.astype(dtype))
    }
    fn with_data(&self, py: Python<'_>, data: &Bound<'_, NdArray>) -> PyResult<Sparse> {
        let data = read(py, data)?;
        self.sparse(py, |a| a.with_data(data))
    }
    /// The array with values that may have been changed, `None` where they have not.
    fn synced(&self, py: Python<'_>, data: &Bound<'_, NdArray>) -> PyResult<Option<Sparse>> {
        let now = read(py, data)?;
        let own = self.inner.data();
        // Memory that others see may change without a new value.
        let is_same = !data.get().is_shared()
            && View::of(&now, &own).is_some_and(|view| View::of(&own, &own) == Some(view));
        match is_same {
            true => Ok(None),
            false => self.sparse(py, |a| a.with_data(now)).map(Some),
        }
    }
    fn to_device(&self, py: Python<'_>, name: &str) -> PyResult<Sparse> {
        let device = py.detach(|| Device::open(name)).raised(py)?;
        self.sparse(py, |a| a.to_device(&device))
    }
    fn sum_duplicates(&self, py: Python<'_>) -> PyResult<Sparse> {
        self.sparse(py, Inner::sum_duplicates)
    }
    fn sort_indices(&self, py: Python<'_>) -> PyResult<Sparse> {
        self.sparse(py, Inner::sort_indices)
    }
    fn eliminate_zeros(&self, py: Python<'_>) -> PyResult<Sparse> {
        self.sparse(py, Inner::eliminate_zeros)
    }
    /// The part on a diagonal and below it, or above it.
    fn triangle(&self, py: Python<'_>, is_upper: bool, k: isize) -> PyResult<Sparse> {
        match is_upper {
            true => self.sparse(py, |a| sparse::triu(a, k)),
            false => self.sparse(py, |a| sparse::tril(a, k)),
        }
    }
    /// Rows, columns and values that are not zero.
    fn find(&self, py: Python<'_>) -> PyResult<(NdArray, NdArray, NdArray)> {
        let (rows, columns, values) = run(py, || sparse::find(&self.inner))?;
        Ok((NdArray::own(rows), NdArray::own(columns), NdArray::own(values)))
    }
}

/// Operations.
#[pymethods]
impl Sparse {
    /// An elementwise operation of two sparse arrays, by its name.
    fn merge(&self, py: Python<'_>, name: &str, other: &Bound<'_, Sparse>) -> PyResult<Sparse> {
        let other = &other.get().inner;
        match name {
            "add" => self.sparse(py, |a| a + other),
            "subtract" => self.sparse(py, |a| a - other),
            "maximum" => self.sparse(py, |a| a.maximum(other)),
            "minimum" => self.sparse(py, |a| a.minimum(other)),
            _ => Err(unknown(name)),
        }
    }
    fn multiply(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Sparse> {
        let other = other_of(other)?;
        self.sparse(py, |a| a.multiply(other))
    }
    fn divide(&self, py: Python<'_>, number: &Bound<'_, PyAny>) -> PyResult<Sparse> {
        let number = number_of(number)?;
        self.sparse(py, |a| a / number)
    }
    fn power(&self, py: Python<'_>, number: &Bound<'_, PyAny>) -> PyResult<Sparse> {
        let number = number_of(number)?;
        try_run(py, || {
            let result = self.inner.power(Operand::Scalar(number));
            known_error(&result.data())?;
            Ok(result)
        })
        .map(made)
    }
    fn compare(&self, py: Python<'_>, name: &str, other: &Bound<'_, PyAny>) -> PyResult<Sparse> {
        let other = other_of(other)?;
        match name {
            "equal" => self.sparse(py, |a| a.equal(other)),
            "not_equal" => self.sparse(py, |a| a.not_equal(other)),
            "less" => self.sparse(py, |a| a.less(other)),
            "less_equal" => self.sparse(py, |a| a.less_equal(other)),
            "greater" => self.sparse(py, |a| a.greater(other)),
            "greater_equal" => self.sparse(py, |a| a.greater_equal(other)),
            _ => Err(unknown(name)),
        }
    }
    fn matmul<'py>(
        &self,
        py: Python<'py>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(other) = other.cast::<Sparse>() {
            let other = &other.get().inner;
            let product = self.sparse(py, |a| a.matmul(other))?;
            return Ok(Bound::new(py, product)?.into_any());
        }
        let other = read(py, other.cast::<NdArray>()?)?;
        Ok(Bound::new(py, self.array(py, |a| a.matmul(&other))?)?.into_any())
    }
    fn rmatmul(&self, py: Python<'_>, other: &Bound<'_, NdArray>) -> PyResult<NdArray> {
        let other = read(py, other)?;
        self.array(py, |a| a.rmatmul(&other))
    }
    fn matrix_power(&self, py: Python<'_>, power: u32) -> PyResult<Sparse> {
        self.sparse(py, |a| a.matrix_power(power))
    }

    /// A reduction along an axis, or of all elements, by its name.
    fn reduce(&self, py: Python<'_>, name: &str, axis: Option<isize>) -> PyResult<NdArray> {
        let axis = along(axis);
        match name {
            "sum" => self.array(py, |a| a.sum(axis)),
            "mean" => self.array(py, |a| a.mean(axis)),
            "min" => self.array(py, |a| a.min(axis)),
            "max" => self.array(py, |a| a.max(axis)),
            "nanmin" => self.array(py, |a| a.nanmin(axis)),
            "nanmax" => self.array(py, |a| a.nanmax(axis)),
            "argmin" => self.array(py, |a| a.argmin(axis)),
            "argmax" => self.array(py, |a| a.argmax(axis)),
            "count_nonzero" => self.array(py, |a| a.count_nonzero(axis)),
            _ => Err(unknown(name)),
        }
    }
    fn reshape(&self, py: Python<'_>, shape: [usize; 2]) -> PyResult<Sparse> {
        self.sparse(py, |a| a.reshape(shape))
    }
    fn diagonal(&self, py: Python<'_>, k: isize) -> PyResult<NdArray> {
        self.array(py, |a| a.diagonal(k))
    }
    fn trace(&self, py: Python<'_>, k: isize) -> PyResult<NdArray> {
        self.array(py, |a| a.trace(k))
    }
}

/// Parts by position.
#[pymethods]
impl Sparse {
    fn get(&self, py: Python<'_>, i: isize, j: isize) -> PyResult<NdArray> {
        self.array(py, |a| a.get(i, j))
    }
    /// Values at pairs of positions.
    fn at(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, NdArray>,
        columns: &Bound<'_, NdArray>,
    ) -> PyResult<NdArray> {
        let (rows, columns) = (read(py, rows)?, read(py, columns)?);
        self.array(py, |a| a.at(&rows, &columns))
    }
    /// Rows and columns by slices, lists and masks, each along its axis.
    fn select(&self, py: Python<'_>, key: &Bound<'_, PyTuple>) -> PyResult<Sparse> {
        let items = index::items_of(key.as_any(), self.inner.device())?;
        self.sparse(py, |a| a.i(items.as_slice()))
    }
    /// The array with other values in rows and columns.
    fn replaced(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyTuple>,
        given: &Bound<'_, PyAny>,
    ) -> PyResult<Sparse> {
        let items = index::items_of(key.as_any(), self.inner.device())?;
        for (axis, item) in items.iter().enumerate() {
            // A position out of range is an error before any value is read.
            if let (Index::At(index), Some(&size)) = (item, self.inner.shape().get(axis))
                && !(-(size as isize)..size as isize).contains(index)
            {
                return Err(Error::Index { op: "set", index: *index, axis, size }).raised(py);
            }
        }
        let given = other_of(given)?;
        self.sparse(py, |a| {
            let mut changed = a.clone();
            changed.set(items.as_slice(), given);
            changed
        })
    }
}
