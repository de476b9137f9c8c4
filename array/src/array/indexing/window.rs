//! Writing through an index: assignments, and exclusive windows that change part of an array in place.
//!
//! Values are not aliases: what another handle holds is copied first, so no handle sees a value change. Memory that is pinned
//! (others use it, too) is the exception: every write goes into it, and what reads it is computed at once.

use std::cell::Cell;
use std::ops::{
    AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, Deref, DerefMut, DivAssign, MulAssign,
    RemAssign, ShlAssign, ShrAssign, SubAssign,
};
use std::sync::Arc;

use crate::array::Array;
use crate::array::indexing::fancy::Plan;
use crate::array::indexing::gather;
use crate::array::indexing::index::IntoIndex;
use crate::attempt::raise;
use crate::buffer::Buffer;
use crate::declare::expect;
use crate::graph::evaluate::{evaluate, evaluate_into};
use crate::graph::node::{Expr, Node, pending_handles};
use crate::graph::{self, Operand, submit};
use crate::launch_counts;
use crate::recording;
use ndany_core::ops::{UfuncDef, rows};
use ndany_core::shape::{self, Layout, Shape};
use ndany_core::{CallSite, DType, Error, Result};

impl Array {
    /// Writes a value, converted and broadcast, into part of the array, as NumPy's `a[index] = value`.
    ///
    /// Where an index array names a place twice, the last value stays. Other handles keep the old values: the array is copied
    /// first where it is shared.
    ///
    /// - **Errors**: a bad index, shapes that do not broadcast, a weak integer out of range, two devices, what fails on the
    ///   device.
    ///
    /// ```
    /// use ndany::{Array, Device, s};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut a = Array::from([1.0, 2.0, 3.0, 4.0]);
    /// let before = a.clone();
    /// a.set(s![..;2], 0);
    /// assert_eq!(a.to_vec::<f64>()?, [0.0, 2.0, 0.0, 4.0]);
    /// assert_eq!(before.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`checked::set`](fn@crate::checked::set) returns an error, but for one of memory or the device, and one that a value
    /// brings along: these stay with the array.
    #[track_caller]
    pub fn set(&mut self, index: impl IntoIndex, value: impl Into<Operand>) {
        let outcome = self.try_set(index, value);
        self.settle("set", outcome);
    }

    #[track_caller]
    pub(crate) fn try_set(
        &mut self,
        index: impl IntoIndex,
        value: impl Into<Operand>,
    ) -> Result<()> {
        let plan = Plan::new("set", self, index.into_index())?;
        plan.assign("set", self, value.into())
    }

    /// Opens a window through which part of the array is changed in place: `*a.view_mut(s![1..3]) += &b`.
    ///
    /// In place means: where this is the only handle on the array. Other handles, and views, keep their values, so the whole
    /// array is copied first where there are any ([`Statistics::copies`](crate::Statistics) counts these copies). A right side
    /// that is still pending over the array itself, as a stencil's is, holds it as well; where it is the only one that does, it
    /// is computed by itself first, into memory as large as the window, and nothing is copied.
    ///
    /// - **Errors**: a bad index panics.
    ///
    /// ```
    /// use ndany::{Array, Device, s};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut a = Array::from([[1, 2], [3, 4]]);
    /// *a.view_mut(s![.., 0]) *= 10;
    /// assert_eq!(a.to_vec::<i32>()?, [10, 2, 30, 4]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where one of these is met.
    #[track_caller]
    pub fn view_mut(&mut self, index: impl IntoIndex) -> ViewMut<'_> {
        let plan = expect(Plan::new("view_mut", self, index.into_index()));
        expect(plan.check("view_mut", self));
        ViewMut(Window { array: self, plan })
    }

    /// Ends a write. An error that the caller could have known is raised. One of memory or the device, or that a value brings
    /// along, stays with the array.
    #[track_caller]
    pub(crate) fn settle(&mut self, op: &'static str, outcome: Result<()>) {
        match outcome {
            Ok(()) => {}
            Err(
                error @ (Error::Failed { .. }
                | Error::OutOfMemory { .. }
                | Error::Device { .. }
                | Error::Launch { .. }),
            ) => *self = self.with_error(op, error),
            Err(error) => raise(error),
        }
    }

    /// Makes this handle the only one of its value: copies it where others, or pending operations,
    /// hold it too, and where elements of the view share a place (as windows do). Pinned memory stays.
    #[track_caller]
    pub(crate) fn make_sole(&mut self) -> Result<()> {
        if self.buffer()?.is_pinned() {
            if self.layout().may_overlap() {
                return Err(Error::ArgumentValue {
                    op: "set".to_string(),
                    reason: "elements of this view share places in memory that others use: \
                             expected a view without repetitions, or a copy"
                        .to_string(),
                });
            }
            return recording::refuse("set", "a write to memory that others use, too");
        }
        if !self.node().is_held_by(self.own_handles(), 0) || self.layout().may_overlap() {
            launch_counts::count(|counts| &mut counts.copies);
            let copy = self.try_copy()?;
            copy.eval()?;
            *self = copy;
        }
        Ok(())
    }

    /// Makes this handle the only one as far as a value that is about to be written stands in the way: one that is pending
    /// over this very array (a stencil's right side) holds it until it is computed. Where nothing else does, it is computed
    /// first, into memory as large as the part to be written; else [`make_sole`](Self::make_sole) would copy the whole.
    #[track_caller]
    pub(in crate::array) fn compute_before(&self, value: &Array) -> Result<()> {
        let own = self.own_handles();
        if !value.node().is_pending() || self.node().is_held_by(own, 0) {
            return Ok(());
        }
        let (handles, holders) = pending_handles(value.node(), self.node());
        if self.node().is_held_by(own + handles, 0) {
            value.eval()?;
            // What others hold too may have gone back, to be computed again when they read it.
            for holder in holders.iter().filter(|holder| holder.is_pending()) {
                // A failure of theirs stays with them.
                let _ = evaluate(holder);
            }
        }
        Ok(())
    }

    /// Computes an expression of this array's dtype into part of its buffer. The handle is sole but for
    /// the expression, which reads the buffer, if at all, through this very part. Pinned memory may be read through any part.
    #[track_caller]
    pub(crate) fn write(&mut self, window: &Layout, expr: &Expr) -> Result<()> {
        self.write_as(self.dtype(), window, expr)
    }

    /// [`write`](Self::write) of elements of another dtype, in which the window is counted.
    #[track_caller]
    pub(crate) fn write_as(&mut self, dtype: DType, window: &Layout, expr: &Expr) -> Result<()> {
        let buffer = self.buffer()?;
        let mut meets = false;
        if buffer.is_pinned() {
            expr.arrays(|array| {
                let in_place = array.dtype() == dtype && array.layout() == window;
                meets |= array.meets(&buffer) && !(in_place && array.is_on(&buffer));
            });
        }
        if meets {
            // What is read is computed first, into memory of its own.
            let (shape, device) = (window.shape.clone(), self.device().clone());
            let value = submit(shape, dtype, device, CallSite::caller(), expr.clone());
            value.eval()?;
            let value = Expr::Cast(value);
            return evaluate_into(self.device(), &value, dtype, &buffer, window);
        }
        evaluate_into(self.device(), expr, dtype, &buffer, window)
    }

    /// Refuses to replace the array by a copy in C order where its memory is pinned.
    pub(crate) fn expect_unpinned(&self, op: &'static str) -> Result<()> {
        if self.node().is_pinned() {
            let reason = "expected elements in C order, since others use the memory, too: \
                          write a copy, and assign it"
                .to_string();
            return Err(Error::Arguments { op: op.to_string(), reason });
        }
        Ok(())
    }

    /// This handle, and the one that waits while a window is written ([`change_through`](Self::change_through)).
    fn own_handles(&self) -> usize {
        1 + usize::from(CHANGING.get() == Arc::as_ptr(self.node()))
    }

    /// Whether no other handle holds its value.
    pub(crate) fn is_alone(&self) -> bool {
        self.node().is_held_by(1, 0)
    }

    /// [`make_sole`](Self::make_sole) of all the memory that the value has, so that the layout stays.
    #[track_caller]
    pub(crate) fn make_whole_sole(&mut self) -> Result<()> {
        let layout = self.layout().clone();
        *self = Array::of_node(self.node().clone());
        let outcome = self.make_sole();
        *self = self.with_layout(layout);
        outcome
    }

    /// Writes a value, converted and broadcast, into elements of a dtype along a layout in the array's memory. The array's own
    /// layout stays.
    #[track_caller]
    pub(crate) fn set_through(
        &mut self,
        op: &'static str,
        dtype: DType,
        layout: &Layout,
        value: Operand,
    ) -> Result<()> {
        let value = match value {
            Operand::Scalar(scalar) => {
                let constant = graph::constant(op, &scalar, dtype)?;
                graph::filled(Shape::new(), constant, self.device().clone())
            }
            Operand::Array(value) => {
                gather::same_device(op, self, &value)?;
                value
            }
        };
        let fitted = Expr::Cast(fit(op, &value, &layout.shape)?);
        self.compute_before(&value)?;
        drop(value);
        self.make_whole_sole()?;
        launch_counts::count(|counts| &mut counts.operations);
        self.write_as(dtype, layout, &fitted)
    }

    /// Does a write to a part of the array's memory, which `write` sees as an array with this layout. What it puts in the place of
    /// that array is written back into the part. The array's own layout stays.
    ///
    /// `write` changes the memory in place where this is the only handle; its operands may be other handles.
    #[track_caller]
    pub(crate) fn change_through(
        &mut self,
        op: &'static str,
        layout: &Layout,
        write: impl FnOnce(&mut Array) -> Result<()>,
    ) -> Result<()> {
        self.make_whole_sole()?;
        let mut window = self.with_layout(layout.clone());
        let outcome = {
            let _changing = Changing::new(self.node());
            write(&mut window)
        };
        if Arc::ptr_eq(window.node(), self.node()) {
            return outcome;
        }
        outcome?;
        self.set_through(op, self.dtype(), layout, Operand::Array(window))
    }

    /// Whether both are views of one value.
    pub(crate) fn shares_node(&self, other: &Array) -> bool {
        Arc::ptr_eq(self.node(), other.node())
    }

    /// Whether the memory of both, computed, is the same.
    pub(crate) fn shares_buffer(&self, other: &Array) -> bool {
        match other.node().outcome() {
            Some(Ok(buffer)) => self.is_on(buffer),
            Some(Err(_)) | None => false,
        }
    }

    /// Whether it lies in this memory.
    fn is_on(&self, buffer: &Buffer) -> bool {
        matches!(self.node().outcome(), Some(Ok(own)) if Arc::ptr_eq(own.handle(), buffer.handle()))
    }

    /// Whether a write to this memory may change its elements.
    pub(in crate::array) fn meets(&self, buffer: &Buffer) -> bool {
        matches!(self.node().outcome(), Some(Ok(own)) if own.may_meet(buffer))
    }

    /// Puts values where a mask is true, both broadcast to the array.
    ///
    /// It is lazy where the array has memory of its own, which goes to the result if no other handle needs it. Memory that others use,
    /// and an array in the place of a window ([`change_through`](Self::change_through)), are changed at once, in one pass.
    #[track_caller]
    pub(in crate::array) fn replace_where(&mut self, mask: &Array, value: &Array) -> Result<()> {
        let chosen = |array: &Array| crate::elementwise::try_where(mask, value, array);
        if !self.node().is_pinned() && self.own_handles() == 1 {
            *self = chosen(&*self)?;
            return Ok(());
        }
        self.compute_before(mask)?;
        self.compute_before(value)?;
        self.make_sole()?;
        let written = self.buffer()?;
        let lies_apart = !mask.meets(&written) && !value.meets(&written);
        drop(written);
        // The elements are read where they are written, in one pass, unless others lie among them.
        let changed = match self.node().is_pinned() && lies_apart {
            true => graph::written_at_once(|| chosen(&*self))?,
            false => chosen(&*self)?,
        };
        let window = self.layout().clone();
        self.write(&window, &Expr::Cast(changed))
    }

    /// Does a write that may replace the array by a changed copy. The copy of pinned memory is written back into it.
    #[track_caller]
    pub(crate) fn in_its_memory(
        &mut self,
        write: impl FnOnce(&mut Array) -> Result<()>,
    ) -> Result<()> {
        if !self.node().is_pinned() {
            return write(self);
        }
        let place = self.clone();
        let outcome = write(self);
        self.back_in_its_memory(place, outcome)
    }

    #[track_caller]
    fn back_in_its_memory(&mut self, place: Array, outcome: Result<()>) -> Result<()> {
        if Arc::ptr_eq(self.node(), place.node()) {
            return outcome;
        }
        let changed = std::mem::replace(self, place);
        outcome?;
        self.make_sole()?;
        let window = self.layout().clone();
        self.write(&window, &Expr::Cast(changed))
    }
}

thread_local! {
    /// The node whose memory [`Array::change_through`] changes on this thread. It is held there, so its address is no other node's.
    static CHANGING: Cell<*const Node> = const { Cell::new(std::ptr::null()) };
}

/// Says which node is being changed through a window, until it is dropped.
struct Changing(*const Node);

impl Changing {
    fn new(node: &Arc<Node>) -> Self {
        Self(CHANGING.replace(Arc::as_ptr(node)))
    }
}

impl Drop for Changing {
    fn drop(&mut self) {
        CHANGING.set(self.0);
    }
}

/// `array` broadcast to exactly this shape; extra leading axes of extent 1 are dropped, as NumPy does.
pub(in crate::array) fn fit(op: &'static str, array: &Array, shape: &[usize]) -> Result<Array> {
    let mut layout = array.layout().clone();
    while layout.shape.len() > shape.len() && layout.shape[0] == 1 {
        layout.shape.remove(0);
        layout.strides.remove(0);
    }
    let common = shape::broadcast(op, &layout.shape, shape)?;
    if common.as_slice() != shape {
        return Err(Error::Broadcast { op, left: array.shape().into(), right: shape.into() });
    }
    Ok(array.with_layout(layout.broadcast_to(shape)))
}

/// An exclusive window into an array; see [`Array::view_mut`].
#[derive(Debug)]
pub struct ViewMut<'a>(Window<'a>);

impl<'a> ViewMut<'a> {
    pub(in crate::array) fn into_window(self) -> Window<'a> {
        self.0
    }
}

impl<'a> Deref for ViewMut<'a> {
    type Target = Window<'a>;
    fn deref(&self) -> &Window<'a> {
        &self.0
    }
}
impl<'a> DerefMut for ViewMut<'a> {
    fn deref_mut(&mut self) -> &mut Window<'a> {
        &mut self.0
    }
}

/// The part of an array that a [`ViewMut`] shows: assignments to it change the array.
#[derive(Debug)]
pub struct Window<'a> {
    array: &'a mut Array,
    plan: Plan,
}

impl Window<'_> {
    /// Returns the values that the window shows now, as NumPy's `a[index]`.
    ///
    /// - **Shapes**: `window → window`.
    /// - **Dtypes**: that of the array.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = array([1, 2, 3]);
    /// assert_eq!(a.view_mut(s![1..]).get().to_string(), "[2 3]");
    /// ```
    pub fn get(&self) -> Array {
        expect(self.try_get("view_mut"))
    }

    #[track_caller]
    pub(in crate::array) fn try_get(&self, op: &'static str) -> Result<Array> {
        self.plan.read(op, self.array)
    }

    /// Writes a value, converted and broadcast, into the window, as NumPy's `a[index] = value`.
    ///
    /// - **Errors**: shapes that do not broadcast, a weak integer out of range, two devices, what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = array([1, 2, 3]);
    /// a.view_mut(s![1..]).assign(0);
    /// assert_eq!(a.to_string(), "[1 0 0]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where one of these is met; an error of memory or the device stays with the array.
    #[track_caller]
    pub fn assign(&mut self, value: impl Into<Operand>) {
        let outcome = self.try_assign(value);
        self.array.settle("set", outcome);
    }

    #[track_caller]
    pub(crate) fn try_assign(&mut self, value: impl Into<Operand>) -> Result<()> {
        self.plan.assign("set", self.array, value.into())
    }

    /// Replaces the window by `row(window, other)`.
    ///
    /// # Errors
    /// As the operation; also a result of a kind that the array's dtype cannot hold, as NumPy refuses it.
    #[track_caller]
    pub(crate) fn update(&mut self, row: &'static UfuncDef, other: Operand) -> Result<()> {
        self.plan.update(row, self.array, other)
    }
}

macro_rules! assigning {
    ($($trait:ident $method:ident $row:ident;)+) => {$(
        impl<T: Into<Operand>> $trait<T> for Window<'_> {
            /// # Panics
            /// Where the operation errs.
            #[track_caller]
            fn $method(&mut self, other: T) {
                expect(self.update(&rows::$row, other.into()));
            }
        }
    )+};
}
assigning! {
    AddAssign add_assign add;
    SubAssign sub_assign subtract;
    MulAssign mul_assign multiply;
    DivAssign div_assign divide;
    RemAssign rem_assign remainder;
    BitAndAssign bitand_assign bitwise_and;
    BitOrAssign bitor_assign bitwise_or;
    BitXorAssign bitxor_assign bitwise_xor;
    ShlAssign shl_assign left_shift;
    ShrAssign shr_assign right_shift;
}
