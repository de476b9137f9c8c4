//! Joining: arrays written side by side into one, each in one pass.
//!
//! `Assembly` is the tool for every result that is made of parts; its parts are computed where they
//! belong. Nothing here looks at values.

use crate::arguments::options::*;
use crate::arguments::{IntoAxis, list};
use crate::array::manipulation::manipulate::needs_axes;
use crate::array::{Array, AxisOrder, common_order};
use crate::buffer::Buffer;
use crate::declare::functions;
use crate::device::Device;
use crate::graph::evaluate::evaluate_into;
use crate::graph::node::{Constant, Expr, Node};
use crate::launch_counts;
use ndany_core::shape::{self, Layout, Shape, axis_index};
use ndany_core::{Casting, DType, Error, Result};

/// An array that is being written, window by window.
pub(crate) struct Assembly {
    op: &'static str,
    dtype: DType,
    device: Device,
    order: Option<AxisOrder>,
    /// Where each element goes, by the axes of the result.
    whole: Layout,
    buffer: Buffer,
    outcome: Result<()>,
}

impl Assembly {
    /// An array of this shape and axis order, nothing of which is written.
    pub(crate) fn new(
        op: &'static str,
        shape: &[usize],
        dtype: DType,
        device: &Device,
        order: Option<AxisOrder>,
    ) -> Result<Self> {
        let size = shape::checked_size(op, shape, dtype)?;
        let buffer = Buffer::allocate(op, device.backend(), size * dtype.size())?;
        let whole = match &order {
            None => Layout::contiguous(shape),
            Some(order) => {
                let ordered: Shape = order.iter().map(|&axis| shape[axis]).collect();
                Layout::contiguous(&ordered).permute(&crate::graph::order::inverse(order))
            }
        };
        let device = device.clone();
        Ok(Self { op, dtype, device, order, whole, buffer, outcome: Ok(()) })
    }

    /// Where each element lies.
    pub(crate) fn layout(&self) -> &Layout {
        &self.whole
    }

    /// The box of the result that begins at `start` and has these extents.
    pub(crate) fn window(&self, start: &[usize], shape: &[usize]) -> Layout {
        let steps = start.iter().zip(&self.whole.strides);
        let offset = steps.map(|(&start, &stride)| start as isize * stride).sum::<isize>();
        Layout {
            shape: Shape::from_slice(shape),
            strides: self.whole.strides.clone(),
            offset: offset as usize,
        }
    }

    /// Writes an array, converted, into a window of its shape.
    pub(crate) fn put(&mut self, window: &Layout, array: &Array) {
        debug_assert_eq!(window.shape.as_slice(), array.shape());
        self.write(window, &Expr::Cast(array.clone()));
    }

    /// Writes one value everywhere in a window.
    pub(crate) fn fill(&mut self, window: &Layout, value: Constant) {
        self.write(window, &Expr::Fill(value.into()));
    }

    fn write(&mut self, window: &Layout, expr: &Expr) {
        if self.outcome.is_ok() && window.size() > 0 {
            launch_counts::count(|counts| &mut counts.operations);
            self.outcome = evaluate_into(&self.device, expr, self.dtype, &self.buffer, window);
        }
    }

    /// The array; a failure of a part is the failure of the whole.
    #[track_caller]
    pub(crate) fn finish(self) -> Array {
        let shape = match &self.order {
            None => self.whole.shape,
            Some(order) => order.iter().map(|&axis| self.whole.shape[axis]).collect(),
        };
        let outcome = self.outcome.map(|()| self.buffer);
        let node = Node::done(self.op, shape, self.dtype, self.device, outcome);
        Array::of_node(node).unordered(self.order.as_deref())
    }
}

/// The one device of arrays of which there is at least one.
pub(crate) fn one_device(op: &'static str, arrays: &[&Array]) -> Result<Device> {
    let first = arrays.first().ok_or(Error::NoArrays { op })?.device();
    match arrays.iter().find(|array| array.device() != first) {
        None => Ok(first.clone()),
        Some(other) => {
            let (left, right) = (first.name(), other.device().name());
            Err(Error::TwoDevices { op, left, right })
        }
    }
}

/// The dtype of a join: the one asked for, where the rule allows it, or what all promote to.
fn joined_dtype(
    op: &'static str,
    arrays: &[&Array],
    dtype: Option<DType>,
    casting: Casting,
) -> Result<DType> {
    let promoted = DType::promote_all(arrays.iter().map(|array| array.dtype()));
    let dtype = dtype.or(promoted).ok_or(Error::NoArrays { op })?;
    match arrays.iter().find(|array| !array.dtype().can_cast(dtype, casting)) {
        None => Ok(dtype),
        Some(array) => {
            let dtypes = format!("{} becoming {dtype} by the rule {casting:?}", array.dtype());
            Err(Error::DTypes { op, dtypes, remedy: "convert with astype first" })
        }
    }
}

fn join(
    op: &'static str,
    arrays: &[&Array],
    axis: isize,
    dtype: Option<DType>,
    casting: Casting,
) -> Result<Array> {
    let first = arrays.first().ok_or(Error::NoArrays { op })?;
    let axis = match axis_index(op, axis, first.ndim()) {
        Err(_) if first.ndim() == 0 => {
            let expected = "at least one axis".to_string();
            return Err(Error::Shape { op, expected, got: first.shape().into() });
        }
        other => other?,
    };
    let mut shape = Shape::from_slice(first.shape());
    shape[axis] = 0;
    for array in arrays {
        let fits = array.ndim() == shape.len()
            && (0..shape.len()).all(|other| other == axis || array.shape()[other] == shape[other]);
        if !fits {
            let expected = format!("{:?} besides axis {axis}", first.shape());
            return Err(Error::Shape { op, expected, got: array.shape().into() });
        }
        shape[axis] = shape[axis].saturating_add(array.shape()[axis]);
    }
    let dtype = joined_dtype(op, arrays, dtype, casting)?;
    let device = one_device(op, arrays)?;
    let order = common_order(shape.len(), arrays.iter().map(|array| array.layout()));
    let mut joined = Assembly::new(op, &shape, dtype, &device, order)?;
    let mut start: Shape = smallvec::smallvec![0; shape.len()];
    for array in arrays {
        joined.put(&joined.window(&start, array.shape()), array);
        start[axis] += array.shape()[axis];
    }
    Ok(joined.finish())
}

fn each<'a>(
    arrays: &[&'a Array],
    change: impl Fn(&'a Array) -> Result<Array>,
) -> Result<Vec<Array>> {
    arrays.iter().map(|array| change(array)).collect()
}

/// [`concatenate`] with NumPy's `axis=None` (the arrays as flat ones), `dtype` and `casting`.
///
/// # Errors
/// No arrays; shapes that differ besides the axis; two devices; an array that the rule does not let
/// become `dtype`.
#[track_caller]
pub fn try_concatenate_as(
    arrays: &[&Array],
    axis: Option<isize>,
    dtype: Option<DType>,
    casting: Casting,
) -> Result<Array> {
    match axis {
        Some(axis) => join("concatenate", arrays, axis, dtype, casting),
        None => {
            let flat = each(arrays, Array::try_ravel)?;
            join("concatenate", &flat.iter().collect::<Vec<_>>(), 0, dtype, casting)
        }
    }
}

functions! {
    /// Joins arrays along an axis that they have, as `np.concatenate`.
    ///
    /// - **Shapes**: `(m, k), (n, k) → (m + n, k)`; with `..` all are flattened first.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: no arrays, other extents that differ, an axis out of range, operands on two devices.
    ///
    /// ```
    /// use ndany::{Array, Device, concatenate};
    /// # let _guard = Device::open("reference")?.enter();
    /// let joined = concatenate(&[&Array::from([1, 2]), &Array::from([3])], ..);
    /// assert_eq!(joined.to_vec::<i32>()?, [1, 2, 3]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    concatenate / try_concatenate (arrays: impl IntoIterator<Item: AsRef<Array>>, axis: impl IntoAxis<FirstAxis>) -> Array {
        list!(arrays);
        let Some(axis) = axis.into_axis().axis("concatenate")? else {
            let flat = each(arrays, Array::try_ravel)?;
            return join("concatenate", &flat.iter().collect::<Vec<_>>(), 0, None, Casting::SameKind);
        };
        join("concatenate", arrays, axis, None, Casting::SameKind)
    }

    /// Joins arrays of one shape along a new axis, the first one for `..`, as `np.stack`.
    ///
    /// - **Shapes**: `(…), (…) → (2, …)` for axis 0.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: no arrays, shapes that differ, an axis out of range, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(stack([array([1, 2]), array([3, 4])], ..).to_string(), "[[1 2]\n [3 4]]");
    /// ```
    stack / try_stack (arrays: impl IntoIterator<Item: AsRef<Array>>, axis: impl IntoAxis<FirstAxis>) -> Array {
        list!(arrays);
        let axis = axis.into_axis().one("stack")?;
        let first = arrays.first().ok_or(Error::NoArrays { op: "stack" })?;
        if let Some(other) = arrays.iter().find(|array| array.shape() != first.shape()) {
            let expected = format!("{:?}", first.shape());
            return Err(Error::Shape { op: "stack", expected, got: other.shape().into() });
        }
        let expanded = each(arrays, |array| array.try_expand_dims(axis))?;
        join("stack", &expanded.iter().collect::<Vec<_>>(), axis, None, Casting::SameKind)
    }

    /// Stacks arrays as rows, along the first axis, as `np.vstack`.
    ///
    /// - **Shapes**: `(n,), (n,) → (2, n)`, `(k, n), (m, n) → (k + m, n)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: no arrays, other extents that differ, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::vstack([array([1, 2]), array([3, 4])]).to_string(), "[[1 2]\n [3 4]]");
    /// ```
    vstack / try_vstack (arrays: impl IntoIterator<Item: AsRef<Array>>) -> Array {
        list!(arrays);
        let rows = each(arrays, Array::try_atleast_2d)?;
        join("vstack", &rows.iter().collect::<Vec<_>>(), 0, None, Casting::SameKind)
    }

    /// Joins arrays along the second axis, 1-d arrays along the first, as `np.hstack`.
    ///
    /// - **Shapes**: `(m,), (n,) → (m + n,)`, `(k, m), (k, n) → (k, m + n)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: no arrays, other extents that differ, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::hstack([array([1, 2]), array([3])]).to_string(), "[1 2 3]");
    /// ```
    hstack / try_hstack (arrays: impl IntoIterator<Item: AsRef<Array>>) -> Array {
        list!(arrays);
        let parts = each(arrays, Array::try_atleast_1d)?;
        let axis = isize::from(parts.first().is_some_and(|array| array.ndim() > 1));
        join("hstack", &parts.iter().collect::<Vec<_>>(), axis, None, Casting::SameKind)
    }

    /// Joins arrays along the third axis, as `np.dstack`.
    ///
    /// - **Shapes**: `(n,), (n,) → (1, n, 2)`, `(m, n), (m, n) → (m, n, 2)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: no arrays, other extents that differ, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::dstack([array([1, 2]), array([3, 4])]).to_string(), "[[[1 3]\n  [2 4]]]");
    /// ```
    dstack / try_dstack (arrays: impl IntoIterator<Item: AsRef<Array>>) -> Array {
        list!(arrays);
        let parts = each(arrays, Array::try_atleast_3d)?;
        join("dstack", &parts.iter().collect::<Vec<_>>(), 2, None, Casting::SameKind)
    }

    /// Stacks 1-d arrays as the columns of a matrix, as `np.column_stack`.
    ///
    /// - **Shapes**: `(m,), (m,) → (m, 2)`, `(m, k), (m,) → (m, k + 1)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: no arrays, numbers of rows that differ, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::column_stack([array([1, 2]), array([3, 4])]).to_string(), "[[1 3]\n [2 4]]");
    /// ```
    column_stack / try_column_stack (arrays: impl IntoIterator<Item: AsRef<Array>>) -> Array {
        list!(arrays);
        let parts = each(arrays, |array| match array.ndim() {
            0 => array.try_expand_dims([0, 1]),
            1 => array.try_expand_dims(1),
            _ => Ok(array.clone()),
        })?;
        join("column_stack", &parts.iter().collect::<Vec<_>>(), 1, None, Casting::SameKind)
    }

    /// Appends `values` to the end of `array` along an axis, as `np.append`.
    ///
    /// - **Shapes**: `(m, k), (n, k) → (m + n, k)`; with `..` both are flattened first.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: other extents that differ, an axis out of range, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::append(&array([1, 2]), &array([3]), ..).to_string(), "[1 2 3]");
    /// ```
    append / try_append (array: &Array, values: &Array, axis: impl IntoAxis<FlatAxis>) -> Array {
        try_concatenate_as(&[array, values], axis.into_axis().axis("append")?, None, Casting::SameKind)
    }

    /// Joins nested lists of blocks, as `np.block`.
    ///
    /// The innermost lists are joined along the last axis, the lists around them along the axis before, and so on.
    ///
    /// - **Shapes**: `[[(a, c), (a, d)], [(b, c), (b, d)]] → (a + b, c + d)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: empty lists, lists of different depths, extents that do not fit, operands on two devices.
    ///
    /// ```
    /// use ndany::{Array, Block, DType, Device, Eye, block, eye, zeros};
    /// # let _guard = Device::open("reference")?.enter();
    /// let (a, z) = (eye(Eye::new(2).dtype(DType::I64)), zeros((2, 1), DType::I64));
    /// let b = block(&Block::from(vec![vec![&a, &z]]));
    /// assert_eq!(b.to_string(), "[[1 0 0]\n [0 1 0]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    block / try_block (blocks: &Block) -> Array {
        const OP: &str = "block";
        let depth = blocks.depth()?;
        let mut leaves = Vec::new();
        blocks.leaves(&mut leaves);
        let ndim = leaves.iter().map(|array| array.ndim()).fold(depth, usize::max);
        let mut placed = Vec::new();
        let shape = blocks.place(&mut placed, Shape::from_elem(0, ndim), ndim - depth, ndim)?;
        let dtype = joined_dtype(OP, &leaves, None, Casting::SameKind)?;
        let device = one_device(OP, &leaves)?;
        // NumPy: Fortran order where every block lies so and not in C order.
        let fortran = leaves.iter().all(|array| array.is_f_contiguous())
            && !leaves.iter().all(|array| array.is_c_contiguous());
        let order = fortran.then(|| (0..ndim).rev().collect());
        let mut joined = Assembly::new(OP, &shape, dtype, &device, order)?;
        for (start, array) in &placed {
            joined.put(&joined.window(start, array.shape()), array);
        }
        Ok(joined.finish())
    }
}

/// What [`block`] joins: an array, or a list of blocks.
#[derive(Clone, Debug)]
pub enum Block {
    /// An array.
    Array(Array),
    /// Blocks, all as deeply nested.
    List(Vec<Block>),
}

impl From<Array> for Block {
    fn from(array: Array) -> Self {
        Block::Array(array)
    }
}
impl From<&Array> for Block {
    fn from(array: &Array) -> Self {
        Block::Array(array.clone())
    }
}
impl<T: Into<Block>> From<Vec<T>> for Block {
    fn from(blocks: Vec<T>) -> Self {
        Block::List(blocks.into_iter().map(Into::into).collect())
    }
}

impl Block {
    /// How many lists are around each array.
    fn depth(&self) -> Result<usize> {
        let Block::List(blocks) = self else { return Ok(0) };
        let mut depths = blocks.iter().map(Block::depth);
        let first = depths.next().ok_or(Error::NoArrays { op: "block" })??;
        for depth in depths {
            if depth? != first {
                return Err(Error::Nesting { op: "block" });
            }
        }
        Ok(first + 1)
    }

    fn leaves<'a>(&'a self, found: &mut Vec<&'a Array>) {
        match self {
            Block::Array(array) => found.push(array),
            Block::List(blocks) => blocks.iter().for_each(|block| block.leaves(found)),
        }
    }

    /// Finds the place of each array from `start` on, lists being joined along `axis`; returns the
    /// extents of the whole.
    fn place(
        &self,
        placed: &mut Vec<(Shape, Array)>,
        start: Shape,
        axis: usize,
        ndim: usize,
    ) -> Result<Shape> {
        match self {
            Block::Array(array) => {
                let missing: Vec<isize> = (0..(ndim - array.ndim()) as isize).collect();
                let array = array.try_expand_dims(missing.as_slice())?;
                let shape = Shape::from_slice(array.shape());
                placed.push((start, array));
                Ok(shape)
            }
            Block::List(blocks) => {
                let mut whole: Option<Shape> = None;
                let mut next = start;
                for block in blocks {
                    let shape = block.place(placed, next.clone(), axis + 1, ndim)?;
                    next[axis] += shape[axis];
                    match &mut whole {
                        None => whole = Some(shape),
                        Some(whole) => {
                            let fits = (0..ndim).all(|a| a == axis || whole[a] == shape[a]);
                            if !fits {
                                let expected = format!("{whole:?} besides axis {axis}");
                                let got = shape.as_slice().into();
                                return Err(Error::Shape { op: "block", expected, got });
                            }
                            whole[axis] += shape[axis];
                        }
                    }
                }
                whole.ok_or(Error::NoArrays { op: "block" })
            }
        }
    }
}

/// Parts of an array along an axis, as views.
pub(in crate::array) fn parts(
    op: &'static str,
    array: &Array,
    bounds: &[(usize, usize)],
    axis: usize,
) -> Result<Vec<Array>> {
    needs_axes(op, array, axis + 1)?;
    let part = |&(start, end): &(usize, usize)| {
        let mut layout = array.layout().clone();
        layout.shape[axis] = end.saturating_sub(start);
        if layout.shape[axis] > 0 {
            let offset = layout.offset as isize + start as isize * layout.strides[axis];
            layout.offset = offset as usize;
        }
        Ok(array.with_layout(layout))
    };
    bounds.iter().map(part).collect()
}
