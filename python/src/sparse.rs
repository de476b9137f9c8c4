//! Sparse arrays: values of the engine. The classes of `ndany.sparse` hold one each, and take another one when they are changed.

mod csgraph;
mod linalg;

use ndany::call::Value;
use ndany::exchange::{View, known_error};
use ndany::sparse::{self, Along, Format, Other, Source, Sparse as Inner, SparseNd};
use ndany::{Array, Compression, DType, Device, Error, Index, Operand, Scalar, attempt};
use ndany_core::ShapeText;
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
    /// Of other than two axes: all elements in one row, in coordinates, or in compressed rows if there is one axis.
    inner: Inner,
    /// The extents, if there are other than two.
    axes: Option<Vec<usize>>,
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
    Sparse { inner, axes: None }
}

/// The elements of an array of two axes, in their order, in other axes. It may raise.
fn in_axes(inner: &Inner, shape: Vec<usize>) -> Sparse {
    if let [m, n] = *shape {
        return made(if inner.shape() == [m, n] { inner.clone() } else { inner.reshape([m, n]) });
    }
    let size = shape.iter().try_fold(1usize, |size, &extent| size.checked_mul(extent));
    let is_kept = match inner.format() {
        Format::Coo => true,
        Format::Csr => shape.len() == 1,
        Format::Csc | Format::Dia | Format::Bsr => false,
    };
    if is_kept && size.is_some_and(|size| inner.shape() == [1, size]) {
        return Sparse { inner: inner.clone(), axes: Some(shape) };
    }
    of_axes(&SparseNd::from(inner).reshape(shape))
}

fn of_axes(array: &SparseNd) -> Sparse {
    match array.shape().len() {
        2 => made(array.to_sparse()),
        _ => Sparse { inner: array.flat().clone(), axes: Some(array.shape().to_vec()) },
    }
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
    fn extents(&self) -> Vec<usize> {
        self.axes.clone().unwrap_or_else(|| self.inner.shape().to_vec())
    }

    /// The array, which must have two axes.
    fn matrix(&self) -> PyResult<&Inner> {
        match &self.axes {
            None => Ok(&self.inner),
            Some(axes) => Err(PyValueError::new_err(format!(
                "[sparse] expected two axes, got shape {}",
                ShapeText::from(axes.as_slice())
            ))),
        }
    }

    /// The array with all its axes. It may raise.
    fn with_axes(&self) -> SparseNd {
        SparseNd::from(&self.inner).reshape(self.extents())
    }

    /// The result of work on elements, which has the axes of this array.
    fn elementwise(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Inner) -> Inner + Send,
    ) -> PyResult<Sparse> {
        let one_axis = self.axes.as_ref().is_none_or(|axes| axes.len() == 1);
        let work = || {
            let result = work(&self.inner);
            let is_kept = self.axes.is_none() || one_axis && result.format() == Format::Csr;
            if is_kept { result } else { result.to_coo() }
        };
        Ok(Sparse { inner: run(py, work)?, axes: self.axes.clone() })
    }

    /// The result of work on an array of two axes.
    fn sparse(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Inner) -> Inner + Send,
    ) -> PyResult<Sparse> {
        let own = self.matrix()?;
        run(py, || work(own)).map(made)
    }

    /// The dense result of work on an array of two axes.
    fn array(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Inner) -> Array + Send,
    ) -> PyResult<NdArray> {
        let own = self.matrix()?;
        dense(run(py, || work(own)))
    }

    /// Refuses another shape than that of this array, if one of both has other than two axes.
    fn expect_shape(&self, other: &Sparse) -> PyResult<()> {
        match self.axes == other.axes {
            true => Ok(()),
            false => Err(PyValueError::new_err(format!(
                "[sparse] inconsistent shapes: {} and {}",
                ShapeText(self.extents()),
                ShapeText(other.extents())
            ))),
        }
    }

    /// The other operand of an elementwise operation, in the shape of the row of all elements where this array is one.
    fn operand(&self, py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<Other> {
        if let Ok(sparse) = given.cast::<Sparse>() {
            self.expect_shape(sparse.get())?;
        }
        match (other_of(given)?, &self.axes) {
            (Other::Dense(dense), Some(axes)) => {
                let row = || dense.broadcast_to(axes.as_slice()).reshape(self.inner.shape());
                run(py, row).map(Other::Dense)
            }
            (other, _) => Ok(other),
        }
    }
}

macro_rules! of_values {
    ($($name:ident)+) => {
        #[pymethods]
        impl Sparse {
            /// An elementwise function whose value of zero is zero, by its name.
            fn unary(&self, py: Python<'_>, name: &str) -> PyResult<Sparse> {
                match name {
                    $(stringify!($name) => self.elementwise(py, |a| a.$name()),)+
                    "negative" => self.elementwise(py, |a| -a),
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
        run(py, || match array.ndim() {
            2 => made(sparse::coo_array(&array, ..).asformat(format)),
            _ => {
                let made = of_axes(&SparseNd::from(&array));
                Sparse { inner: made.inner.asformat(format), axes: made.axes }
            }
        })
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

    /// Of values and the coordinates along each axis; the shape may be left out of two.
    #[staticmethod]
    fn coordinates(
        py: Python<'_>,
        data: &Bound<'_, NdArray>,
        coords: Vec<Bound<'_, NdArray>>,
        shape: Option<Vec<usize>>,
    ) -> PyResult<Sparse> {
        let data = read(py, data)?;
        let coords = coords.iter().map(|part| read(py, part)).collect::<PyResult<Vec<_>>>()?;
        let axes = shape.as_ref().map_or(coords.len(), Vec::len);
        if let ([rows, columns], 2) = (&coords[..], axes) {
            let shape = shape.map(|shape| [shape[0], shape[1]]);
            return run(py, || sparse::coo_array((data, (rows, columns)), extents(shape)))
                .map(made);
        }
        let Some(shape) = shape else {
            return Err(PyValueError::new_err("[coo_array] expected a shape, got none"));
        };
        run(py, || of_axes(&SparseNd::new(data, coords, shape)))
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
        let (a, b) = (a.get().matrix()?, b.get().matrix()?);
        run(py, || sparse::kron(a, b)).map(made)
    }

    #[staticmethod]
    fn kronsum(py: Python<'_>, a: &Bound<'_, Sparse>, b: &Bound<'_, Sparse>) -> PyResult<Sparse> {
        let (a, b) = (a.get().matrix()?, b.get().matrix()?);
        run(py, || sparse::kronsum(a, b)).map(made)
    }

    /// Of rows of blocks, in which `None` has no entries.
    #[staticmethod]
    fn blocks(py: Python<'_>, rows: Vec<Vec<Option<Bound<'_, Sparse>>>>) -> PyResult<Sparse> {
        let block = |block: &Option<Bound<'_, Sparse>>| {
            block.as_ref().map(|block| block.get().matrix().cloned()).transpose()
        };
        let row = |row: &Vec<Option<Bound<'_, Sparse>>>| row.iter().map(block).collect();
        let rows: Vec<Vec<Option<Inner>>> = rows.iter().map(row).collect::<PyResult<_>>()?;
        run(py, || sparse::block_array(rows.iter().map(|row| row.iter().map(Option::as_ref))))
            .map(made)
    }

    /// Side by side, above each other, or along the diagonal.
    #[staticmethod]
    fn joined(py: Python<'_>, how: &str, arrays: Vec<Bound<'_, Sparse>>) -> PyResult<Sparse> {
        let arrays: Vec<Inner> =
            arrays.iter().map(|array| array.get().matrix().cloned()).collect::<PyResult<_>>()?;
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
        let own = self.matrix()?;
        try_run(py, || sparse::save_npz(path, own, compression))
    }
}

/// What a sparse array is made of.
#[pymethods]
impl Sparse {
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.extents())
    }
    #[getter]
    fn ndim(&self) -> usize {
        self.axes.as_ref().map_or(2, Vec::len)
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
        dense(run(py, || self.inner.indices()))
    }
    #[getter]
    fn indptr(&self, py: Python<'_>) -> PyResult<NdArray> {
        dense(run(py, || self.inner.indptr()))
    }
    /// The coordinates along each axis; of more than two axes int64, as SciPy's are.
    #[getter]
    fn coords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = run(py, || {
            let (rows, columns) = self.inner.coords();
            match self.axes.as_ref().map_or(2, Vec::len) {
                1 => vec![columns],
                2 => vec![rows, columns],
                _ => self.with_axes().coords().iter().map(|part| part.astype(DType::I64)).collect(),
            }
        })?;
        PyTuple::new(py, parts.into_iter().map(NdArray::own))
    }
    /// The number of each entry's place along the axes from `first` to `end`, in C order.
    fn along(&self, py: Python<'_>, first: usize, end: usize) -> PyResult<NdArray> {
        let extents = self.extents();
        let count = |axes: &[usize]| axes.iter().product();
        let parts = [&extents[..first], &extents[first..end], &extents[end..]].map(count);
        dense(run(py, || self.with_axes().reshape(parts).coords().swap_remove(1)))
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
        run(py, || match self.axes.is_none() {
            true => self.inner.to_string(),
            false => {
                let text = self.with_axes().to_string();
                match self.inner.format() {
                    Format::Csr => text.replacen("COOrdinate", "Compressed Sparse Row", 1),
                    _ => text,
                }
            }
        })
    }
}

/// Conversions.
#[pymethods]
impl Sparse {
    fn to_format(&self, py: Python<'_>, format: &str) -> PyResult<Sparse> {
        let format = format_named(format)?;
        match &self.axes {
            Some(axes) if format != Format::Coo && (format != Format::Csr || axes.len() != 1) => {
                let (name, count) = (format.to_string().to_uppercase(), axes.len());
                let expected = if format == Format::Csr { "1D or 2D" } else { "2D" };
                Err(PyValueError::new_err(format!(
                    "Cannot convert. {name} format must be {expected}. Got {count}D"
                )))
            }
            _ => self.elementwise(py, |a| a.asformat(format)),
        }
    }
    /// The elements in other axes, in their order.
    fn shaped(&self, py: Python<'_>, shape: Vec<usize>) -> PyResult<Sparse> {
        run(py, || in_axes(&self.inner, shape))
    }
    /// The axes in another order.
    fn permuted(&self, py: Python<'_>, axes: Vec<isize>) -> PyResult<Sparse> {
        run(py, || of_axes(&self.with_axes().transpose(axes.as_slice())))
    }
    fn to_bsr(&self, py: Python<'_>, blocksize: (usize, usize)) -> PyResult<Sparse> {
        self.sparse(py, |a| a.to_bsr(blocksize))
    }
    fn to_dense(&self, py: Python<'_>) -> PyResult<NdArray> {
        dense(run(py, || match &self.axes {
            None => self.inner.to_dense(),
            Some(axes) => self.inner.to_dense().reshape(axes.as_slice()),
        }))
    }
    fn transpose(&self, py: Python<'_>) -> PyResult<Sparse> {
        self.sparse(py, Inner::transpose)
    }
    fn astype(&self, py: Python<'_>, dtype: &Bound<'_, PyAny>) -> PyResult<Sparse> {
        let dtype: DType = value::dtype_named(dtype)?;
        self.elementwise(py, |a| a.astype(dtype))
    }
    fn with_data(&self, py: Python<'_>, data: &Bound<'_, NdArray>) -> PyResult<Sparse> {
        let data = read(py, data)?;
        self.elementwise(py, |a| a.with_data(data))
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
            false => self.elementwise(py, |a| a.with_data(now)).map(Some),
        }
    }
    fn to_device(&self, py: Python<'_>, name: &str) -> PyResult<Sparse> {
        let device = py.detach(|| Device::open(name)).raised(py)?;
        self.elementwise(py, |a| a.to_device(&device))
    }
    fn sum_duplicates(&self, py: Python<'_>) -> PyResult<Sparse> {
        self.elementwise(py, Inner::sum_duplicates)
    }
    fn sort_indices(&self, py: Python<'_>) -> PyResult<Sparse> {
        self.elementwise(py, Inner::sort_indices)
    }
    fn eliminate_zeros(&self, py: Python<'_>) -> PyResult<Sparse> {
        self.elementwise(py, Inner::eliminate_zeros)
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
        let own = self.matrix()?;
        let (rows, columns, values) = run(py, || sparse::find(own))?;
        Ok((NdArray::own(rows), NdArray::own(columns), NdArray::own(values)))
    }
}

/// Operations.
#[pymethods]
impl Sparse {
    /// An elementwise operation of two sparse arrays, by its name.
    fn merge(&self, py: Python<'_>, name: &str, other: &Bound<'_, Sparse>) -> PyResult<Sparse> {
        self.expect_shape(other.get())?;
        let other = &other.get().inner;
        match name {
            "add" => self.elementwise(py, |a| a + other),
            "subtract" => self.elementwise(py, |a| a - other),
            "maximum" => self.elementwise(py, |a| a.maximum(other)),
            "minimum" => self.elementwise(py, |a| a.minimum(other)),
            _ => Err(unknown(name)),
        }
    }
    fn multiply(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Sparse> {
        let other = self.operand(py, other)?;
        self.elementwise(py, |a| a.multiply(other))
    }
    fn divide(&self, py: Python<'_>, number: &Bound<'_, PyAny>) -> PyResult<Sparse> {
        let number = number_of(number)?;
        self.elementwise(py, |a| a / number)
    }
    fn power(&self, py: Python<'_>, number: &Bound<'_, PyAny>) -> PyResult<Sparse> {
        let number = number_of(number)?;
        try_run(py, || {
            let result = self.inner.power(Operand::Scalar(number));
            known_error(&result.data())?;
            Ok(Sparse { inner: result, axes: self.axes.clone() })
        })
    }
    fn compare(&self, py: Python<'_>, name: &str, other: &Bound<'_, PyAny>) -> PyResult<Sparse> {
        let other = self.operand(py, other)?;
        match name {
            "equal" => self.elementwise(py, |a| a.equal(other)),
            "not_equal" => self.elementwise(py, |a| a.not_equal(other)),
            "less" => self.elementwise(py, |a| a.less(other)),
            "less_equal" => self.elementwise(py, |a| a.less_equal(other)),
            "greater" => self.elementwise(py, |a| a.greater(other)),
            "greater_equal" => self.elementwise(py, |a| a.greater_equal(other)),
            _ => Err(unknown(name)),
        }
    }
    fn matmul<'py>(
        &self,
        py: Python<'py>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(other) = other.cast::<Sparse>() {
            let other = other.get().matrix()?;
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
    /// The sums along some axes.
    fn sum_axes(&self, py: Python<'_>, axes: Vec<isize>) -> PyResult<NdArray> {
        dense(run(py, || self.with_axes().sum(axes.as_slice())))
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
        self.matrix()?;
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
