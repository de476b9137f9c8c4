//! The memory of arrays read as another dtype, and shapes that broadcast.

use super::Array;
use crate::declare::{array_functions, functions};
use crate::graph::node::Node;
use ndany_core::shape::{self, Layout, Shape};
use ndany_core::{DType, Error, Result};

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

    /// Reads the bytes of the elements as another dtype, as `np.ndarray.view`.
    ///
    /// The last axis shrinks or grows with the size of an element. The result shares the array's memory, which is computed first, but
    /// where steps are no multiples of the new size, and where bytes of another dtype become booleans (true where not 0).
    ///
    /// - **Shapes**: `(…, n) → (…, n · size / new size)`.
    /// - **Dtypes**: any; the result has `dtype`.
    /// - **Errors**: an element of another size and an array without axes, or whose last axis has gaps; a last axis that does not hold
    ///   a whole number of the new elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0f32, -2.0]).view(U32).to_string(), "[1065353216 3221225472]");
    /// assert_eq!(array([1u32, 2]).view(U16).to_string(), "[1 0 2 0]");
    /// ```
    view / try_view (self, dtype: DType) -> Array {
        const OP: &str = "view";
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        if dtype == DType::Bool {
            return self.try_view(DType::U8)?.try_not_equal(0);
        }
        let (own, other) = (self.dtype().size(), dtype.size());
        let layout = self.layout();
        let wrong = |reason: String| Error::ArgumentValue { op: OP.to_string(), reason };
        let mut shape = layout.shape.clone();
        if own != other {
            let (Some(last), Some(&step)) = (shape.last_mut(), layout.strides.last()) else {
                let reason = format!(
                    "expected an element of {own} bytes for an array without axes, got {dtype}"
                );
                return Err(wrong(reason));
            };
            if step != 1 && *last != 1 && layout.size() != 0 {
                let reason = format!(
                    "expected a last axis without gaps for an element of another size, got the step {step}: copy the array"
                );
                return Err(wrong(reason));
            }
            if !(*last * own).is_multiple_of(other) {
                let reason = format!(
                    "expected a last axis whose {} bytes are a multiple of {other}",
                    *last * own
                );
                return Err(wrong(reason));
            }
            *last = *last * own / other;
        }
        shape::checked_size(OP, &shape, dtype)?;
        let outer = layout.strides.len().saturating_sub(usize::from(own != other));
        let converted = |step: isize| {
            let bytes = step * own as isize;
            (bytes % other as isize == 0).then_some(bytes / other as isize)
        };
        let strides: Option<shape::Strides> =
            layout.strides[..outer].iter().map(|&step| converted(step)).collect();
        let offset = converted(layout.offset as isize);
        let memory = shape::size_of(self.node().shape()) * own;
        let (Some(mut strides), Some(offset)) = (strides, offset) else {
            return self.try_copy()?.try_view(dtype);
        };
        if own != other {
            strides.push(1);
        }
        let whole = Shape::from_slice(&[memory / other]);
        let node = Node::done(OP, whole, dtype, self.device().clone(), self.buffer());
        let layout = Layout { shape, strides, offset: offset as usize };
        Ok(Array::of_node(node).with_layout(layout))
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
