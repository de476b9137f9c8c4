//! The class `ndarray`: a cell with a value of the engine, or a view that reads and writes the cell of another.
//!
//! The engine has values; NumPy's arrays alias. So an array that owns its memory is a cell, whose value changes, and a view is a
//! base with one layout: a view of a view has the same base. A view holds no value between calls, so that a write to its base finds
//! the only handle and needs no copy.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ndany::call::Value;
use ndany::exchange::{self, Export, Layout, Shape, Strides, View};
use ndany::{Array, DType, Device, Error, Index, Kind, checked};
use ndany_core::shape;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyList, PyTuple};
use smallvec::SmallVec;

use crate::device::current;
use crate::error::Raised;
use crate::{index, numpy, site, value};

/// An array of Python.
#[pyclass(name = "ndarray", module = "ndany", subclass, weakref, frozen, freelist = 64)]
pub struct NdArray {
    state: State,
    /// Whether others may see the memory of a cell: a new value is written into it then.
    shared: AtomicBool,
    /// Whether a program has cleared its WRITEABLE flag.
    read_only: AtomicBool,
}

/// Arrays that may be changed, in the order in which they were asked for.
pub(crate) type Changed<'a> = SmallVec<[&'a mut Array; 8]>;

enum State {
    /// Memory of its own.
    Own(Mutex<Array>),
    /// Part of the memory of another array, which is no view.
    View { base: Py<NdArray>, view: View, is_writeable: bool },
}

/// A value that lies in memory as another did, so that views of that one stay true.
fn aligned(value: Array, to: &Layout) -> ndany::Result<Array> {
    if View::of(&value, &value).is_some_and(|value| value.layout == *to) {
        return Ok(value);
    }
    let mut order: SmallVec<[isize; 6]> = (0..to.strides.len() as isize).collect();
    order.sort_by_key(|&axis| -to.strides[axis as usize]);
    let mut back: SmallVec<[isize; 6]> = SmallVec::from_elem(0, order.len());
    for (at, &axis) in order.iter().enumerate() {
        back[axis as usize] = at as isize;
    }
    let ordered = checked::transpose(&value, order.as_slice())?;
    checked::transpose(&checked::copy(&ordered)?, back.as_slice())
}

/// Where an array lies in its memory.
fn layout_of(array: &Array) -> Layout {
    match View::of(array, array) {
        Some(view) => view.layout,
        None => unreachable!("an array shares its memory with itself"),
    }
}

/// An array that fills its memory from the start, its axes in some order: what a cell holds once it has views.
fn is_packed(array: &Array) -> bool {
    let Some(View { layout, .. }) = View::of(array, array) else { return false };
    let mut order: SmallVec<[usize; 6]> = (0..layout.shape.len()).collect();
    order.sort_by_key(|&axis| (-layout.strides[axis], usize::from(layout.shape[axis] == 1)));
    layout.offset == 0 && layout.permute(&order).is_contiguous()
}

impl NdArray {
    fn of(state: State) -> Self {
        NdArray { state, shared: AtomicBool::new(false), read_only: AtomicBool::new(false) }
    }

    /// A new cell.
    pub(crate) fn own(array: Array) -> Self {
        Self::of(State::Own(Mutex::new(array)))
    }

    /// A cell of memory that others use, too.
    pub(crate) fn theirs(array: Array) -> Self {
        let cell = Self::own(array);
        cell.shared.store(true, Ordering::Release);
        cell
    }

    /// Lends the memory of a cell.
    pub(crate) fn lend(&self, py: Python<'_>, may_write: bool) -> PyResult<Export> {
        let State::Own(cell) = &self.state else { unreachable!("the base of a view is no view") };
        let mut array = Self::lock(py, cell);
        let array = &mut *array;
        let writes = may_write;
        self.shared.store(true, Ordering::Release);
        py.detach(|| match writes {
            true => Export::write(array, None),
            false => Export::read(array, None),
        })
        .raised(py)
    }

    fn lock<'a>(py: Python<'_>, cell: &'a Mutex<Array>) -> MutexGuard<'a, Array> {
        cell.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// The value now.
    #[inline]
    pub(crate) fn read(&self, py: Python<'_>) -> PyResult<Array> {
        match &self.state {
            State::Own(cell) => Ok(Self::lock(py, cell).clone()),
            State::View { base, view, .. } => match &base.get().state {
                State::Own(cell) => {
                    let base = Self::lock(py, cell);
                    view.read(&base).raised(py)
                }
                State::View { .. } => unreachable!("the base of a view is no view"),
            },
        }
    }

    /// What of the value is known without looking through a view.
    pub(crate) fn dtype_of(&self, py: Python<'_>) -> DType {
        match &self.state {
            State::Own(cell) => Self::lock(py, cell).dtype(),
            State::View { view, .. } => view.dtype,
        }
    }

    pub(crate) fn device_of(&self, py: Python<'_>) -> Device {
        match &self.state {
            State::Own(cell) => Self::lock(py, cell).device().clone(),
            State::View { base, .. } => base.get().device_of(py),
        }
    }

    fn with_shape<T>(&self, py: Python<'_>, run: impl FnOnce(&[usize], &[isize]) -> T) -> T {
        match &self.state {
            State::Own(cell) => {
                let array = Self::lock(py, cell);
                run(array.shape(), array.strides())
            }
            State::View { view, .. } => run(&view.layout.shape, &view.layout.strides),
        }
    }

    pub(crate) fn extents(&self, py: Python<'_>) -> Shape {
        self.with_shape(py, |shape, _| Shape::from_slice(shape))
    }

    /// The cell whose memory this is, where in it, and whether it may be written.
    pub(crate) fn place(slf: &Bound<'_, Self>) -> PyResult<(Py<NdArray>, View, bool)> {
        let py = slf.py();
        match &slf.get().state {
            State::Own(cell) => {
                let mut array = Self::lock(py, cell);
                if !is_packed(&array) && !slf.get().is_shared() {
                    *array = checked::copy(&array).raised(py)?;
                }
                match View::of(&array, &array) {
                    Some(view) => Ok((slf.clone().unbind(), view, slf.get().is_writeable())),
                    None => unreachable!("an array shares its memory with itself"),
                }
            }
            State::View { base, view, is_writeable } => {
                let is_writeable = *is_writeable && !slf.get().is_read_only();
                Ok((base.clone_ref(py), view.clone(), is_writeable))
            }
        }
    }

    /// A view of a part of this array's memory.
    fn view(
        slf: &Bound<'_, Self>,
        part: impl FnOnce(&Layout) -> ndany::Result<Layout>,
    ) -> PyResult<NdArray> {
        let (base, whole, is_writeable) = Self::place(slf)?;
        let layout = part(&whole.layout).raised(slf.py())?;
        let view = View { dtype: whole.dtype, layout };
        Ok(NdArray::of(State::View { base, view, is_writeable }))
    }

    /// A result as the view of this array's memory that it is, `None` where it has memory of its own.
    pub(crate) fn shown(slf: &Bound<'_, Self>, result: &Array) -> PyResult<Option<NdArray>> {
        let py = slf.py();
        let (base, _, may_write) = Self::place(slf)?;
        let State::Own(cell) = &base.get().state else {
            unreachable!("the base of a view is no view")
        };
        let view = View::of(result, &Self::lock(py, cell));
        let state = view.map(|view| {
            let mut axes = view.layout.strides.iter().zip(&view.layout.shape);
            let is_writeable = may_write && !axes.any(|(&step, &extent)| step == 0 && extent > 1);
            State::View { base: base.clone_ref(py), view, is_writeable }
        });
        Ok(state.map(NdArray::of))
    }

    pub(crate) fn is_writeable(&self) -> bool {
        self.expect_writeable().is_ok()
    }

    fn is_read_only(&self) -> bool {
        self.read_only.load(Ordering::Acquire)
    }

    fn expect_writeable(&self) -> PyResult<()> {
        let is_view = matches!(self.state, State::View { is_writeable: false, .. });
        if is_view || self.is_read_only() {
            return Err(PyValueError::new_err("assignment destination is read-only"));
        }
        Ok(())
    }

    /// Takes a value of the same shape over, converted to the same dtype.
    pub(crate) fn put(&self, py: Python<'_>, new: Array) -> PyResult<()> {
        self.expect_writeable()?;
        match &self.state {
            State::Own(cell) => {
                let mut array = Self::lock(py, cell);
                let new = checked::astype(&new, array.dtype()).raised(py)?;
                if self.is_shared() {
                    // Others see the memory, so that a new value goes into it.
                    let whole = View::of(&array, &array);
                    let array = &mut *array;
                    return py
                        .detach(|| whole.map_or(Ok(()), |whole| whole.write(array, new)))
                        .raised(py);
                }
                *array = aligned(new, &layout_of(&array)).raised(py)?;
                Ok(())
            }
            State::View { base, view, .. } => base.get().write(py, view, new),
        }
    }

    /// Writes a value, converted and broadcast, into a part of the memory of a cell.
    fn write(&self, py: Python<'_>, view: &View, new: Array) -> PyResult<()> {
        let State::Own(cell) = &self.state else { unreachable!("the base of a view is no view") };
        let mut array = Self::lock(py, cell);
        let array = &mut *array;
        py.detach(|| view.write(array, new)).raised(py)
    }

    /// Lets `run` change the memory of several arrays. Those that own theirs lend the only handle, so that nothing is copied; a view,
    /// and memory that others see, is copied, and written back. No two may share memory, and each lies in C order.
    pub(crate) fn change_all(
        py: Python<'_>,
        arrays: &[Bound<'_, Self>],
        run: impl FnOnce(Changed<'_>) -> ndany::Result<()> + Send,
    ) -> PyResult<()> {
        let cells: Vec<*const NdArray> = arrays.iter().map(|array| array.get().cell()).collect();
        let mut order: Vec<usize> = (0..arrays.len()).collect();
        order.sort_by_key(|&number| cells[number]);
        if let Some(twice) = order.windows(2).find(|pair| cells[pair[0]] == cells[pair[1]]) {
            let [first, second] = [twice[0].min(twice[1]), twice[0].max(twice[1])];
            return Err(PyValueError::new_err(format!(
                "arrays {first} and {second} share memory: copy one of them first"
            )));
        }
        let mut locked: Vec<Option<MutexGuard<'_, Array>>> = arrays.iter().map(|_| None).collect();
        let mut copies: Vec<Option<Array>> = arrays.iter().map(|_| None).collect();
        // In the order of their places, so that threads do not wait for each other.
        for number in order {
            let this = arrays[number].get();
            this.expect_writeable()?;
            let is_in_order = this.with_shape(py, |shape, strides| {
                let (shape, strides) = (Shape::from_slice(shape), Strides::from_slice(strides));
                Layout { shape, strides, offset: 0 }.is_contiguous()
            });
            if !is_in_order {
                return Err(PyValueError::new_err(format!(
                    "array {number} does not lie in C order: pass ascontiguousarray of it"
                )));
            }
            match &this.state {
                State::Own(cell) if !this.is_shared() => {
                    locked[number] = Some(Self::lock(py, cell))
                }
                // Others see the memory, so that a new value goes into it.
                State::Own(_) | State::View { .. } => copies[number] = Some(this.read(py)?),
            }
        }
        let changed: Changed<'_> = locked
            .iter_mut()
            .zip(&mut copies)
            .filter_map(|(locked, copy)| match (locked, copy) {
                (Some(guard), _) => Some(&mut **guard),
                (None, copy) => copy.as_mut(),
            })
            .collect();
        let outcome = py.detach(|| run(changed));
        drop(locked);
        outcome.raised(py)?;
        for (array, copy) in arrays.iter().zip(copies) {
            if let Some(new) = copy {
                array.get().put(py, new)?;
            }
        }
        Ok(())
    }

    /// Where the cell is whose memory this array has.
    fn cell(&self) -> *const NdArray {
        match &self.state {
            State::Own(_) => self,
            State::View { base, .. } => base.get(),
        }
    }

    /// Whether others may see this memory: it was lent, or is theirs.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Acquire)
    }

    /// Looks at the array whose memory this one has.
    fn with_whole<T>(&self, py: Python<'_>, look: impl FnOnce(&Array) -> T) -> T {
        match &self.state {
            State::Own(cell) => look(&Self::lock(py, cell)),
            State::View { base, .. } => base.get().with_whole(py, look),
        }
    }

    /// Lets `write` change the array, in its memory: the cell lends the only handle, so that a write of a few elements copies nothing.
    pub(crate) fn change(
        &self,
        py: Python<'_>,
        write: impl FnOnce(&mut Array) -> ndany::Result<()> + Send,
    ) -> PyResult<()> {
        self.expect_writeable()?;
        match &self.state {
            State::Own(cell) => {
                let mut array = Self::lock(py, cell);
                let layout = layout_of(&array);
                let array = &mut *array;
                py.detach(|| {
                    write(array)?;
                    if layout_of(array) != layout {
                        *array = aligned(array.clone(), &layout)?;
                    }
                    Ok(())
                })
                .raised(py)
            }
            State::View { base, view, .. } => {
                let State::Own(cell) = &base.get().state else {
                    unreachable!("the base of a view is no view")
                };
                let mut array = Self::lock(py, cell);
                let array = &mut *array;
                py.detach(|| view.change(array, write)).raised(py)
            }
        }
    }

    /// Writes a value at an index with arrays.
    fn assign_at(&self, py: Python<'_>, items: &[Index], new: Array) -> PyResult<()> {
        let _site = site::enter(py);
        // A value that is pending over this memory, or a part of it, would keep it from being written in place.
        let is_part = self.with_whole(py, |whole| View::of(&new, whole).is_some());
        let new = py.detach(|| {
            let new = if is_part { checked::copy(&new)? } else { new };
            new.eval()?;
            Ok(new)
        });
        let new = new.raised(py)?;
        self.change(py, |array| {
            checked::set(array, items, new)?;
            // Positions that do not exist are told here, where the device knows them.
            exchange::known_error(array)
        })
    }

    /// Writes a value, converted and broadcast, at a key.
    fn assign(
        slf: &Bound<'_, Self>,
        key: &Bound<'_, PyAny>,
        given: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (py, this) = (slf.py(), slf.get());
        this.expect_writeable()?;
        let (device, dtype) = (this.device_of(py), this.dtype_of(py));
        let items = index::items_of(key, &device)?;
        let basic = index::is_basic(&items);
        let new = match assigned(given, dtype, &device) {
            Ok(new) => new,
            // A key that is none is said first.
            Err(error) => {
                if basic {
                    this.with_shape(py, |shape, _| {
                        index::apply(&Layout::contiguous(shape), &items)
                    })
                    .raised(py)?;
                }
                return Err(error);
            }
        };
        if !basic {
            return this.assign_at(py, &items, new);
        }
        let (base, whole, _) = Self::place(slf)?;
        let layout = index::apply(&whole.layout, &items).raised(py)?;
        let new = fitted(&new, &layout.shape).raised(py)?;
        base.get().write(py, &View { dtype, layout }, new)
    }
}

/// A value that is written into an array of this dtype: of numbers and lists each is converted by itself.
fn assigned(given: &Bound<'_, PyAny>, dtype: DType, device: &Device) -> PyResult<Array> {
    let py = given.py();
    if let Ok(array) = given.cast::<NdArray>() {
        return array.get().read(py);
    }
    let is_array = given.is_instance(numpy::class(py, numpy::Class::NdArray)?)?;
    if is_array {
        return value::array_of(given, device);
    }
    let _guard = device.enter();
    match value::value_of(given)? {
        Value::Array(array) => Ok(array),
        list @ (Value::List(_) | Value::Tuple(_)) => {
            let made = ndany::call::call("np.asarray", &[list, Value::DType(dtype)], &[]);
            made.raised(py)?.into_array().ok_or_else(|| value::refused(given))
        }
        // What each dtype of these holds needs no check.
        Value::Scalar(scalar)
            if matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128)
                && scalar.dtype().is_none()
                && scalar.kind() == Kind::Float =>
        {
            checked::full((), scalar, dtype).raised(py)
        }
        number => {
            let mut zero = checked::zeros((), dtype).raised(py)?;
            let set = ndany::call::resolve("setitem");
            let set = set.and_then(|set| {
                set.change(&mut zero, &[Value::None, number, Value::Ellipsis], &[])
            });
            set.raised(py).map(|()| zero)
        }
    }
}

/// An array broadcast to a shape; more leading axes of extent 1 are dropped, as NumPy does.
fn fitted(array: &Array, to: &[usize]) -> ndany::Result<Array> {
    if array.shape() == to {
        return Ok(array.clone());
    }
    let mut array = array.clone();
    while array.ndim() > to.len() && array.shape()[0] == 1 {
        array = array.try_i(Index::At(0))?;
    }
    if array.ndim() > to.len() {
        return Err(Error::Broadcast { op: "set", left: array.shape().into(), right: to.into() });
    }
    checked::broadcast_to(&array, to)
}

#[pymethods]
impl NdArray {
    /// An array of zeros, or of the memory of a buffer of the host's, or of a `MemoryPointer`, which CuPy calls `memptr`.
    #[new]
    #[pyo3(signature = (shape, dtype=None, buffer=None, offset=0, strides=None, order=None, *, memptr=None))]
    #[allow(clippy::too_many_arguments, reason = "those of NumPy and CuPy")]
    fn new(
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        buffer: Option<&Bound<'_, PyAny>>,
        offset: isize,
        strides: Option<&Bound<'_, PyAny>>,
        order: Option<&str>,
        memptr: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let plain = py.import("numpy")?;
        let dtype = dtype.map_or(Ok(DType::F64), value::dtype_named)?;
        if let Some(pointer) = memptr.or(buffer)
            && let Some(arranged) = pointer.getattr_opt("_arranged")?
        {
            let dtype = numpy::dtype_object(py, dtype)?;
            let (interface, device): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
                arranged.call1((shape, dtype, offset, strides, order))?.extract()?;
            return crate::exchange::share(&interface, Some(&device));
        }
        if buffer.is_some() || strides.is_some() {
            let class = plain.getattr("ndarray")?;
            let dtype = numpy::dtype_object(py, dtype)?;
            // NumPy's constructor does not hold the buffer, which its owner could shrink then; `frombuffer` does.
            let bytes = |buffer| plain.call_method1("frombuffer", (buffer, "u1"));
            let buffer = buffer.map(bytes).transpose()?;
            let array = class.call1((shape, dtype, &buffer, offset, strides, order))?;
            return match buffer {
                Some(_) => crate::exchange::share(&array, None),
                None => value::array_of(&array, &current(py)?).map(NdArray::own),
            };
        }
        let extents = match shape.extract::<usize>() {
            Ok(extent) => vec![extent],
            Err(_) => shape.extract::<Vec<usize>>()?,
        };
        let _guard = current(py)?.enter();
        let zeros = checked::zeros(extents.as_slice(), dtype).raised(py)?;
        if !order.is_some_and(|order| order.eq_ignore_ascii_case("F")) {
            return Ok(NdArray::own(zeros));
        }
        let turned: Vec<usize> = extents.into_iter().rev().collect();
        let zeros = checked::zeros(turned.as_slice(), dtype).raised(py)?;
        checked::transpose(&zeros, ..).raised(py).map(NdArray::own)
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.extents(py))
    }

    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let size = self.dtype_of(py).size() as isize;
        let strides = self.with_shape(py, |_, strides| Strides::from_slice(strides));
        PyTuple::new(py, strides.iter().map(|stride| stride * size))
    }

    #[getter]
    fn ndim(&self, py: Python<'_>) -> usize {
        self.with_shape(py, |shape, _| shape.len())
    }

    #[getter]
    fn size(&self, py: Python<'_>) -> usize {
        self.with_shape(py, |shape, _| shape::size_of(shape))
    }

    #[getter]
    fn itemsize(&self, py: Python<'_>) -> usize {
        self.dtype_of(py).size()
    }

    #[getter]
    fn nbytes(&self, py: Python<'_>) -> usize {
        self.size(py) * self.itemsize(py)
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy::dtype_object(py, self.dtype_of(py))
    }

    #[getter]
    fn device(&self, py: Python<'_>) -> String {
        self.device_of(py).name()
    }

    /// The array whose memory this one shows, `None` for one with memory of its own.
    #[getter]
    fn base(&self, py: Python<'_>) -> Option<Py<NdArray>> {
        match &self.state {
            State::Own(_) => None,
            State::View { base, .. } => Some(base.clone_ref(py)),
        }
    }

    #[getter]
    fn _is_writeable(&self) -> bool {
        self.expect_writeable().is_ok()
    }

    /// Sets the WRITEABLE flag. A view of what may not be written stays read-only, and views keep the flag with which they were made.
    fn _set_writeable(&self, value: bool) -> PyResult<()> {
        let may_write = match &self.state {
            State::Own(_) => true,
            State::View { base, is_writeable, .. } => *is_writeable && base.get().is_writeable(),
        };
        if value && !may_write {
            return Err(PyValueError::new_err("cannot set WRITEABLE flag to True of this array"));
        }
        self.read_only.store(!value, Ordering::Release);
        Ok(())
    }

    #[getter(T)]
    fn transposed(slf: &Bound<'_, Self>) -> PyResult<NdArray> {
        Self::view(slf, |whole| {
            let axes: SmallVec<[usize; 6]> = (0..whole.shape.len()).rev().collect();
            Ok(whole.permute(&axes))
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let first = self.with_shape(py, |shape, _| shape.first().copied());
        first.ok_or_else(|| PyTypeError::new_err("len() of unsized object"))
    }

    fn __getitem__(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<NdArray> {
        let (py, this) = (slf.py(), slf.get());
        let items = index::items_of(key, &this.device_of(py))?;
        if index::is_basic(&items) {
            return Self::view(slf, |whole| index::apply(whole, &items));
        }
        let array = this.read(py)?;
        let _site = site::enter(py);
        let found = py.detach(|| {
            let found = array.try_i(items.as_slice())?;
            exchange::known_error(&found)?;
            Ok(found)
        });
        found.raised(py).map(NdArray::own)
    }

    fn __setitem__(
        slf: &Bound<'_, Self>,
        key: &Bound<'_, PyAny>,
        given: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        Self::assign(slf, key, given)
    }

    /// An iterator: numbers of a one-dimensional array, which is read once, and views of the others.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        match slf.get().ndim(py) {
            0 => Err(PyTypeError::new_err("iteration over a 0-d array")),
            1 => value::to_numpy(py, &slf.get().read(py)?)?.try_iter().map(Bound::into_any),
            _ => {
                // Rows are read one by one, and a pending value would be computed for each.
                slf.get().eval(py)?;
                let rows = (0..slf.get().__len__(py)?).map(|row| {
                    let items = [Index::At(row as isize)];
                    Bound::new(py, Self::view(slf, |whole| index::apply(whole, &items))?)
                });
                PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)?
                    .try_iter()
                    .map(Bound::into_any)
            }
        }
    }

    /// Whether the value is still to be computed.
    #[getter]
    fn _is_pending(&self, py: Python<'_>) -> bool {
        self.with_whole(py, exchange::is_pending)
    }

    /// Whether others may see the memory.
    #[getter]
    fn _is_shared(&self) -> bool {
        match &self.state {
            State::Own(_) => self.is_shared(),
            State::View { base, .. } => base.get().is_shared(),
        }
    }

    /// Computes what is pending, without waiting for the device.
    #[pyo3(name = "_eval")]
    fn eval(&self, py: Python<'_>) -> PyResult<()> {
        let array = self.read(py)?;
        py.detach(|| array.eval()).raised(py)
    }

    /// A view with the axes in another order.
    fn _permuted(slf: &Bound<'_, Self>, axes: Vec<isize>) -> PyResult<NdArray> {
        Self::view(slf, |whole| {
            let ndim = whole.shape.len();
            let counted = shape::axis_indices("transpose", &axes, ndim)?;
            if counted.len() != ndim {
                let reason = "axes don't match array".to_string();
                return Err(Error::ArgumentValue { op: "transpose".to_string(), reason });
            }
            Ok(whole.permute(&counted))
        })
    }

    /// A view under another shape of as many elements, `None` where the elements must be copied for it.
    fn _reshaped(slf: &Bound<'_, Self>, shape: Vec<usize>) -> PyResult<Option<NdArray>> {
        let (base, whole, is_writeable) = Self::place(slf)?;
        let view = whole.reshape(&shape, ndany::Order::C);
        Ok(view.map(|view| NdArray::of(State::View { base, view, is_writeable })))
    }

    /// A view with these extents and steps in bytes, `offset` bytes after the first element.
    fn _strided(
        slf: &Bound<'_, Self>,
        shape: Vec<usize>,
        strides: Vec<isize>,
        offset: isize,
        writeable: bool,
    ) -> PyResult<NdArray> {
        let py = slf.py();
        let size = slf.get().dtype_of(py).size() as isize;
        if shape.len() != strides.len()
            || strides.iter().chain([&offset]).any(|step| step % size != 0)
        {
            return Err(PyValueError::new_err(
                "strides must be multiples of the element's size, one for each axis",
            ));
        }
        let (base, whole, may_write) = Self::place(slf)?;
        let view = View {
            dtype: whole.dtype,
            layout: Layout {
                shape: Shape::from_vec(shape),
                strides: strides.iter().map(|step| step / size).collect(),
                offset: whole.layout.offset.wrapping_add_signed(offset / size),
            },
        };
        let view = NdArray::of(State::View { base, view, is_writeable: may_write && writeable });
        // What leaves the memory is an error here.
        view.read(py)?;
        Ok(view)
    }

    /// A view of the same bytes as elements of another dtype, of one that needs no copy.
    fn _viewed(slf: &Bound<'_, Self>, dtype: &Bound<'_, PyAny>) -> PyResult<NdArray> {
        let py = slf.py();
        let dtype = value::dtype_named(dtype)?;
        let array = slf.get().read(py)?;
        let result = py.detach(|| checked::view(&array, dtype)).raised(py)?;
        let part = Self::shown(slf, &result)?;
        Ok(part.unwrap_or_else(|| NdArray::own(result)))
    }

    /// A view of the real or the imaginary parts of complex numbers.
    fn _part(slf: &Bound<'_, Self>, imaginary: bool) -> PyResult<NdArray> {
        let (base, whole, is_writeable) = Self::place(slf)?;
        slf.get().eval(slf.py())?;
        let Layout { shape, strides, offset } = whole.layout;
        let strides = strides.iter().map(|stride| 2 * stride).collect();
        let layout = Layout { shape, strides, offset: 2 * offset + usize::from(imaginary) };
        let view = View { dtype: whole.dtype.part(), layout };
        Ok(NdArray::of(State::View { base, view, is_writeable }))
    }

    /// The first element's place in the memory of the base, in elements.
    #[getter]
    fn _offset(&self) -> usize {
        match &self.state {
            State::Own(_) => 0,
            State::View { view, .. } => view.layout.offset,
        }
    }

    /// Takes over the value of another array of the same shape.
    #[pyo3(name = "_put")]
    fn put_array(&self, py: Python<'_>, other: &NdArray) -> PyResult<()> {
        let new = other.read(py)?;
        let same = self.with_shape(py, |shape, _| shape == new.shape());
        if !same {
            return Err(PyValueError::new_err("a value of another shape"));
        }
        self.put(py, new)
    }

    /// A new array with the value of now.
    fn _fresh(&self, py: Python<'_>) -> PyResult<NdArray> {
        self.read(py).map(NdArray::own)
    }

    fn _to_device(&self, py: Python<'_>, name: &str) -> PyResult<NdArray> {
        let array = self.read(py)?;
        py.detach(|| array.to_device(&Device::open(name)?)).raised(py).map(NdArray::own)
    }

    /// A copy as an array of NumPy's.
    fn _numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        value::to_numpy(py, &self.read(py)?)
    }

    fn _bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let array = self.read(py)?;
        let bytes = py.detach(|| array.to_bytes()).raised(py)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The one element as a number of Python's.
    fn _item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let array = self.read(py)?;
        if array.size() != 1 {
            return Err(PyValueError::new_err(
                "can only convert an array of size 1 to a Python scalar",
            ));
        }
        value::number_to_python(py, value::number_in(py, &array)?)
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        let array = self.read(py)?;
        match array.size() {
            1 => value::number_to_python(py, value::number_in(py, &array)?)?.is_truthy(),
            0 => Err(PyValueError::new_err(
                "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.",
            )),
            _ => Err(PyValueError::new_err(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
            )),
        }
    }
}
