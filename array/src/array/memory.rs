//! The memory of arrays read as another dtype, and shapes that broadcast.

use super::Array;
use crate::declare::{array_functions, functions};
use crate::graph::node::Node;
use ndany_core::shape::{self, Layout, Shape};
use ndany_core::{DType, Result};

impl Array {
    /// The same bytes as elements of another dtype, in C order and of a shape that takes as many bytes; a copy only where
    /// the elements do not lie so. It shares this array's memory without knowing of it: what is computed of it must be
    /// there before this array can change, and must not be of its dtype, or the memory would be taken for its result.
    #[track_caller]
    pub(super) fn reread(&self, op: &'static str, dtype: DType, shape: Shape) -> Result<Array> {
        let (own, other) = (self.dtype().size(), dtype.size());
        debug_assert_eq!(self.size() * own, shape::size_of(&shape) * other);
        let fits = |layout: &Layout| {
            let first =
                (layout.offset * own).is_multiple_of(other).then_some(layout.offset * own / other);
            first.filter(|_| layout.is_contiguous())
        };
        let (array, offset) = match fits(self.layout()) {
            Some(offset) => (self.clone(), offset),
            None => (self.try_copy()?, 0),
        };
        let outcome = array.buffer();
        let whole = Node::done(op, shape.clone(), dtype, self.device().clone(), outcome);
        Ok(Array::of_node(whole).with_layout(Layout { offset, ..Layout::contiguous(&shape) }))
    }
}

array_functions! {
    checked requirements, free free_requirements;

    /// Returns one over the square root, as `cupyx.rsqrt`, with two roundings.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: as [`Array::sqrt`](crate::Array::sqrt).
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([4.0, 16.0]).rsqrt().to_string(), "[0.5  0.25]");
    /// ```
    rsqrt / try_rsqrt (self) -> Array {
        self.try_sqrt()?.try_reciprocal()
    }
}

functions! {
    /// Returns the shape to which shapes broadcast, as `np.broadcast_shapes`.
    ///
    /// - **Errors**: shapes that do not broadcast.
    ///
    /// ```
    /// assert_eq!(ndany::broadcast_shapes(&[&[3, 1], &[4]]).as_slice(), [3, 4]);
    /// assert!(ndany::checked::broadcast_shapes(&[&[3], &[4]]).is_err());
    /// ```
    broadcast_shapes / try_broadcast_shapes (shapes: &[&[usize]]) -> Shape {
        let mut whole = Shape::new();
        for shape in shapes {
            whole = shape::broadcast("broadcast_shapes", &whole, shape)?;
        }
        Ok(whole)
    }
}
