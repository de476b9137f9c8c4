//! The array: a handle on a value of the graph, seen through a strided layout.

use std::fmt;
use std::sync::Arc;

use super::evaluate::{evaluate, reserve};
use super::node::{Node, NodeKind};
use crate::buffer::Buffer;
use crate::device::Device;
use ndany_core::shape::{Layout, Shape, size_of};
use ndany_core::{DType, Error, Result};

/// An n-dimensional array: any of fifteen dtypes, up to 64 dimensions, on any device.
///
/// Cloning copies a handle. Arithmetic is lazy and fused; it runs when a value is read or
/// [`Array::eval`] is called. Comparison with `==` is deliberately absent: `equal` is elementwise,
/// [`Array::array_equal`] is one bool.
///
/// ```
/// use ndany::{Array, Device};
/// # let _guard = Device::open("reference")?.enter();
/// let a = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
/// let b = (&a * 2.0 + 1.0).sum(0);
/// assert_eq!(b.to_vec::<f32>()?, [10.0, 14.0]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone)]
pub struct Array {
    node: Arc<Node>,
    /// How it sees the node's buffer, unless as the node itself lies. A handle is two words, so that operands and
    /// expressions, which hold handles, are cheap to move.
    view: Option<Arc<Layout>>,
}

impl AsRef<Array> for Array {
    fn as_ref(&self) -> &Array {
        self
    }
}

impl Array {
    /// The whole of a node.
    pub(crate) fn of_node(node: Arc<Node>) -> Self {
        Self { node, view: None }
    }

    /// The same buffer under another layout.
    pub(crate) fn with_layout(&self, layout: Layout) -> Self {
        let view = (layout != self.node.layout).then(|| Arc::new(layout));
        Self { node: self.node.clone(), view }
    }

    /// Broadcast to a shape that has been checked.
    pub(crate) fn broadcast_view(&self, shape: &[usize]) -> Self {
        self.with_layout(self.layout().broadcast_to(shape))
    }

    pub(crate) fn node(&self) -> &Arc<Node> {
        &self.node
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.view.as_deref().unwrap_or(&self.node.layout)
    }

    pub(crate) fn buffer(&self) -> Result<Buffer> {
        evaluate(&self.node)
    }

    /// What an operation makes of data that it cannot compute with: an array like this one that holds the error, which comes out
    /// when the array is read, and goes on to what is made of it.
    #[track_caller]
    pub(crate) fn with_error(&self, op: &'static str, error: Error) -> Self {
        let shape = Shape::from_slice(self.shape());
        Self::of_node(Node::done(op, shape, self.dtype(), self.device().clone(), Err(error)))
    }

    /// Returns the extents of the axes, as `np.ndarray.shape`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2, 3]]).shape(), [1, 3]);
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.layout().shape
    }

    /// Returns the steps of the axes in elements, as `np.ndarray.strides` over `itemsize`.
    ///
    /// A pending array answers how it will lie.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2, 3], [4, 5, 6]]).strides(), [3, 1]);
    /// ```
    pub fn strides(&self) -> &[isize] {
        &self.layout().strides
    }

    /// Returns the number of axes, as `np.ndarray.ndim`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2, 3]]).ndim(), 2);
    /// ```
    pub fn ndim(&self) -> usize {
        self.layout().shape.len()
    }

    /// Returns the number of elements, as `np.ndarray.size`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 2, 3]]).size(), 3);
    /// ```
    pub fn size(&self) -> usize {
        size_of(&self.layout().shape)
    }

    /// Returns the dtype of the elements, as `np.ndarray.dtype`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.5]).dtype(), F64);
    /// ```
    pub fn dtype(&self) -> DType {
        self.node.dtype
    }

    /// Returns the device that holds the array, as `cupy.ndarray.device`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.5]).device().name(), Device::current().name());
    /// ```
    pub fn device(&self) -> &Device {
        &self.node.device
    }

    /// Computes what is pending for this array without waiting for the device.
    ///
    /// - **Errors**: what failed here, or in an operation that this array depends on: out of memory, a lost device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([1.0, 4.0]).sqrt();
    /// a.eval()?;
    /// assert_eq!(a.to_string(), "[1. 2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn eval(&self) -> Result<()> {
        match self.node.nature {
            NodeKind::Constant { blank: true, .. } => reserve(&self.node),
            NodeKind::Constant { blank: false, .. }
            | NodeKind::Range
            | NodeKind::Reduced
            | NodeKind::Fallible
            | NodeKind::Positioned
            | NodeKind::Values => self.buffer().map(drop),
        }
    }
}

impl fmt::Debug for Array {
    /// Shape, strides, dtype, device and state; never evaluates, never waits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.node.outcome() {
            None => "pending",
            Some(Ok(_)) => "ready",
            Some(Err(_)) => "failed",
        };
        f.debug_struct("Array")
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("dtype", &self.dtype())
            .field("device", self.device())
            .field("state", &format_args!("{state}"))
            .finish()
    }
}
