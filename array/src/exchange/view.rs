//! Parts of an array's memory: read and written through a layout.

use crate::array::Array;
use crate::exchange::foreign::extent;
use crate::graph::Operand;
use crate::graph::node::Node;
use crate::graph::order::Order;
use ndany_core::shape::{self, Layout, Shape};
use ndany_core::{DType, Error, Result};

/// A part of the memory of an array: elements of a dtype along a layout, whose offset and steps count elements of that dtype.
///
/// A binding whose views alias keeps one base array and a view for each part of it. It makes the view by any function of arrays
/// ([`View::of`] the result says where that lies in the base), reads it by [`View::read`] and writes it by [`View::write`]
/// or [`View::change`]. The base changes in
/// place if it is the only handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The dtype of the elements.
    pub dtype: DType,
    /// Where they lie.
    pub layout: Layout,
}

impl View {
    /// Says where a part lies in the memory of a base, if it is a view of it.
    ///
    /// It computes nothing: a result that shares its operand's memory is a view of it from the call on. So
    /// `View::of(&a.reshape(shape), &a)` answers whether a reshape is a view.
    ///
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::exchange::View;
    /// use ndany::prelude::*;
    /// let a = arange(6).reshape([2, 3]);
    /// let column = View::of(&a.i(s![.., 1]), &a).expect("a view");
    /// assert_eq!((column.layout.offset, column.layout.strides.as_slice()), (1, &[3isize][..]));
    /// assert!(View::of(&(&a + 1), &a).is_none());
    /// ```
    pub fn of(part: &Array, base: &Array) -> Option<View> {
        (part.shares_node(base) || part.shares_buffer(base))
            .then(|| View { dtype: part.dtype(), layout: part.layout().clone() })
    }

    /// Reads the part of a base, without a copy.
    ///
    /// - **Shapes**: the extents of the layout.
    /// - **Dtypes**: that of the view.
    /// - **Errors**: a layout that leaves the memory of the base; bytes of another dtype as booleans; where the dtype is not the
    ///   base's, what failed on the way.
    ///
    /// ```
    /// use ndany::exchange::View;
    /// use ndany::prelude::*;
    /// let a = arange(6).reshape([2, 3]);
    /// let column = View::of(&a.i(s![.., 1]), &a).expect("a view");
    /// assert_eq!(column.read(&a)?.to_string(), "[1 4]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn read(&self, base: &Array) -> Result<Array> {
        const OP: &str = "view";
        self.check(OP, base)?;
        if self.dtype == base.dtype() {
            return Ok(base.with_layout(self.layout.clone()));
        }
        let whole = Shape::from_slice(&[elements(base, self.dtype)]);
        let node = Node::done(OP, whole, self.dtype, base.device().clone(), base.buffer());
        Ok(Array::of_node(node).with_layout(self.layout.clone()))
    }

    /// Writes a value, converted and broadcast, into the part of a base, in one pass.
    ///
    /// It writes in place if `base` is the only handle on its value, and into pinned memory always; otherwise the base is copied first. The
    /// layout of the base stays.
    ///
    /// - **Errors**: a layout that leaves the memory of the base, elements that share places, shapes that do not broadcast, a weak
    ///   integer out of range, two devices, bytes of another dtype into booleans, what fails on the device.
    ///
    /// ```
    /// use ndany::exchange::View;
    /// use ndany::prelude::*;
    /// let mut a = arange(6).reshape([2, 3]);
    /// let column = View::of(&a.i(s![.., 1]), &a).expect("a view");
    /// column.write(&mut a, 9)?;
    /// assert_eq!(a.to_string(), "[[0 9 2]\n [3 9 5]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn write(&self, base: &mut Array, value: impl Into<Operand>) -> Result<()> {
        const OP: &str = "set";
        self.check_write(OP, base)?;
        base.set_through(OP, self.dtype, &self.layout, value.into())
    }

    /// Lets a function change the part of a base, which it sees as an array of the view's shape.
    ///
    /// A write of a few elements changes these alone: it goes into the memory of the base if `base` is the only handle on its value, and
    /// into pinned memory always; otherwise the base is copied first. What the function puts in the place of the array
    /// is written into the part. The layout of the base stays.
    ///
    /// - **Errors**: those of [`View::write`], and the function's.
    ///
    /// ```
    /// use ndany::exchange::View;
    /// use ndany::prelude::*;
    /// let mut a = arange(6).reshape([2, 3]);
    /// let column = View::of(&a.i(s![.., 1]), &a).expect("a view");
    /// column.change(&mut a, |part| ndany::checked::set(part, [1], 9))?;
    /// assert_eq!(a.to_string(), "[[0 1 2]\n [3 9 5]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn change(
        &self,
        base: &mut Array,
        write: impl FnOnce(&mut Array) -> Result<()>,
    ) -> Result<()> {
        const OP: &str = "set";
        self.check_write(OP, base)?;
        if self.dtype != base.dtype() {
            let mut part = self.read(base)?;
            write(&mut part)?;
            return base.set_through(OP, self.dtype, &self.layout, Operand::Array(part));
        }
        base.change_through(OP, &self.layout, write)
    }

    /// Fails unless each element of the part may be written.
    fn check_write(&self, op: &'static str, base: &Array) -> Result<()> {
        self.check(op, base)?;
        if self.layout.may_overlap() {
            let reason = "expected a view whose elements have places of their own".to_string();
            return Err(Error::ArgumentValue { op: op.to_string(), reason });
        }
        if base.dtype() == DType::Bool && self.dtype != DType::Bool {
            let reason = format!("booleans written as {}: write booleans", self.dtype);
            return Err(Error::Unsupported { op: op.to_string(), reason });
        }
        Ok(())
    }

    /// Returns the view of the same elements under another shape, if steps can say it, as `np.reshape(…, copy=False)`.
    ///
    /// `order` is that of the elements; [`Order::K`] counts as [`Order::C`]. `None` also if the numbers of elements differ.
    ///
    /// ```
    /// use ndany::exchange::View;
    /// use ndany::prelude::*;
    /// let a = arange(6).reshape([2, 3]);
    /// let all = View::of(&a, &a).expect("itself");
    /// assert!(all.reshape(&[6], Order::C).is_some());
    /// assert!(all.reshape(&[6], Order::F).is_none());
    /// ```
    pub fn reshape(&self, shape: &[usize], order: Order) -> Option<View> {
        let fortran = match order {
            Order::C | Order::K => false,
            Order::F => true,
            Order::A => self.layout.is_fortran() && !self.layout.is_contiguous(),
        };
        shape::checked_size("reshape", shape, self.dtype)
            .ok()
            .filter(|&size| size == self.layout.size())?;
        let backwards = |ndim: usize| (0..ndim).rev().collect::<Vec<usize>>();
        let layout = match fortran {
            false => self.layout.reshape(shape)?,
            true => {
                let turned = self.layout.permute(&backwards(self.layout.shape.len()));
                let shape: Shape = shape.iter().rev().copied().collect();
                turned.reshape(&shape)?.permute(&backwards(shape.len()))
            }
        };
        Some(View { dtype: self.dtype, layout })
    }

    /// Fails unless the layout stays in the memory of the base.
    fn check(&self, op: &'static str, base: &Array) -> Result<()> {
        let Layout { shape, strides, offset } = &self.layout;
        if shape.len() != strides.len() {
            return Err(Error::Lengths { op, left: shape.len(), right: strides.len() });
        }
        if self.dtype == DType::Bool && base.dtype() != DType::Bool {
            let reason = format!("bytes of {} as booleans: compare with 0", base.dtype());
            return Err(Error::Unsupported { op: op.to_string(), reason });
        }
        if shape::checked_size(op, shape, self.dtype)? == 0 {
            return Ok(());
        }
        let (low, span) = extent(op, shape, strides)?;
        let first = offset.checked_sub(low.unsigned_abs());
        let end = first.and_then(|first| first.checked_add(span));
        match end {
            Some(end) if end <= elements(base, self.dtype) => Ok(()),
            Some(_) | None => {
                Err(Error::Range { op, reason: "steps that leave the array's memory" })
            }
        }
    }
}

/// How many elements of a dtype the memory of an array has.
fn elements(base: &Array, dtype: DType) -> usize {
    shape::size_of(base.node().shape()) * base.dtype().size() / dtype.size()
}
