//! Results stored into arrays that exist: all elements, those of a window, or those where a mask holds.
//!
//! If the handle is the only one and its value has been computed, the result is computed at once and
//! written in place. Otherwise that saves nothing, and the handle gets the (lazy) result as its
//! new value. Other handles keep the old values in both cases.

use smallvec::SmallVec;

use super::{Array, ViewMut};
use crate::array::indexing::window::Window;
use crate::declare::expect;
use crate::elementwise::elementwise;
use crate::graph::evaluate::evaluate_into;
use crate::graph::node::{Arg, Expr};
use crate::graph::{Operand, submit};
#[cfg(feature = "call")]
use ndany_core::ops::UfuncDef;
use ndany_core::ops::rows;
use ndany_core::shape::{self, Layout, Shape};
use ndany_core::{CallSite, Casting, DType, Error, Result};

/// Where [`Array::store`] writes: a whole array (`&mut a` converts), a window of one ([`Array::view_mut`] converts), only
/// the elements where a mask holds ([`Array::masked`]), with a rule of casting ([`Target::casting`]).
#[derive(Debug)]
pub struct Target<'a> {
    destination: Destination<'a>,
    mask: Option<Array>,
    casting: Casting,
}

#[derive(Debug)]
enum Destination<'a> {
    Whole(&'a mut Array),
    Window(Window<'a>),
}

impl<'a> Destination<'a> {
    fn target(self) -> Target<'a> {
        Target { destination: self, mask: None, casting: Casting::SameKind }
    }
}

impl<'a> From<&'a mut Array> for Target<'a> {
    fn from(array: &'a mut Array) -> Self {
        Destination::Whole(array).target()
    }
}

impl<'a> From<ViewMut<'a>> for Target<'a> {
    fn from(view: ViewMut<'a>) -> Self {
        Destination::Window(view.into_window()).target()
    }
}

impl Array {
    /// Writes this value, converted and broadcast, into an existing array, as `out=` and `where=` of NumPy's ufuncs.
    ///
    /// One pass computes and writes a pending expression, in place where the target is the only handle of its value.
    ///
    /// - **Shapes**: `(…) →` the target's, to which this value broadcasts.
    /// - **Dtypes**: any; the conversion must be allowed by the target's rule of casting, [`Casting::SameKind`] unless said
    ///   otherwise.
    /// - **Errors**: a value that does not broadcast to the target, a conversion that is not allowed, two devices.
    ///
    /// ```
    /// use ndany::{Array, Device, s};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([1.0, 4.0, 9.0]);
    /// let mut out = Array::from([0.0, 0.0, 0.0]);
    /// a.sqrt().store(&mut out); // np.sqrt(a, out=out)
    /// assert_eq!(out.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
    /// (&a + 10.0).store(out.masked(&a.greater(3.0))); // np.add(a, 10, out=out, where=a > 3)
    /// assert_eq!(out.to_vec::<f64>()?, [1.0, 14.0, 19.0]);
    /// a.i(..2).negative().store(out.view_mut(s![1..])); // np.negative(a[:2], out=out[1:])
    /// assert_eq!(out.to_vec::<f64>()?, [1.0, -1.0, -4.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`checked::store`](crate::checked::store) returns an error.
    #[track_caller]
    pub fn store<'a>(self, target: impl Into<Target<'a>>) {
        expect(try_store(self, target))
    }

    /// Returns this array as the target of a result where a mask holds, as `out=` and `where=` of NumPy's ufuncs.
    ///
    /// The other elements keep their values, and nothing is computed for them.
    ///
    /// - **Errors**: a mask that is not bool or does not broadcast is refused by [`Array::store`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = array([1, 2, 3]);
    /// array([7, 8, 9]).store(a.masked(&array([true, false, true])));
    /// assert_eq!(a.to_string(), "[7 2 9]");
    /// ```
    pub fn masked(&mut self, mask: &Array) -> Target<'_> {
        Target::from(self).masked(mask)
    }

    /// A pending power of integers with its exponents replaced by 1 where the mask does not hold: NumPy does not compute
    /// masked elements, so they must not fail. Whatever else this is stays as it is.
    #[track_caller]
    fn harmless_where_masked(self, mask: &Array) -> Result<Array> {
        let power = self.node().peek(|expr| match expr {
            Expr::Map(map) if std::ptr::eq(map.row, &rows::power) && map.compute[1].is_int() => {
                Some(map.clone())
            }
            _ => None,
        });
        let (Some(Some(mut power)), Some(axes)) = (power, self.axes_of_node()) else {
            return Ok(self);
        };
        let Arg::Array(exponent) = &power.args[1] else { return Ok(self) };
        if expect_broadcast("store", mask, self.shape()).is_err() || mask.device() != self.device()
        {
            // `put` says what is wrong.
            return Ok(self);
        }
        let mask = mask.broadcast_view(self.shape());
        let mask = mask.with_layout(mask.layout().permute(&axes));
        power.args[1] = Arg::Array(one_where_masked(exponent, &mask)?);
        power.siblings = None;
        let shape = Shape::from_slice(self.node().shape());
        let device = self.device().clone();
        let power = submit(shape, self.dtype(), device, CallSite::caller(), Expr::Map(power));
        Ok(power.with_layout(self.layout().clone()))
    }

    /// For each axis of the node the axis of this handle that shows it; none where the handle shows anything else than the
    /// whole node.
    fn axes_of_node(&self) -> Option<SmallVec<[usize; 6]>> {
        let whole = Layout::contiguous(self.node().shape());
        let layout = self.layout();
        let mut free: SmallVec<[usize; 6]> = (0..layout.shape.len()).collect();
        let axes: Option<SmallVec<[usize; 6]>> = (0..whole.shape.len())
            .map(|axis| {
                let shows = |&other: &usize| {
                    layout.shape[other] == whole.shape[axis]
                        && (layout.shape[other] == 1
                            || layout.strides[other] == whole.strides[axis])
                };
                let found = free.iter().position(shows)?;
                Some(free.remove(found))
            })
            .collect();
        axes.filter(|_| free.is_empty() && layout.offset == whole.offset)
    }
}

/// [`Array::store`], with errors as values.
///
/// # Errors
/// A shape that does not broadcast to the target's; a dtype that the rule of casting refuses; two devices; what fails
/// on the device. The target keeps its values then.
#[track_caller]
pub fn try_store<'a>(value: Array, target: impl Into<Target<'a>>) -> Result<()> {
    const OP: &str = "store";
    let target = target.into();
    let value = match &target.mask {
        Some(mask) => {
            expect_mask(OP, mask)?;
            value.harmless_where_masked(mask)?
        }
        None => value,
    };
    target.put(OP, value)
}

impl Target<'_> {
    /// Restricts the target to elements where a mask of bool, broadcast to it, holds, as `where=` of NumPy's ufuncs.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = array([1, 2, 3]);
    /// array([7, 8, 9]).store(ndany::Target::from(&mut a).masked(&array([true, false, true])));
    /// assert_eq!(a.to_string(), "[7 2 9]");
    /// ```
    pub fn masked(self, mask: &Array) -> Self {
        Self { mask: Some(mask.clone()), ..self }
    }

    /// Sets the rule of conversion to the array's dtype, as `casting=` of NumPy's ufuncs.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = array([1, 2]);
    /// array([1.7, 2.7]).store(ndany::Target::from(&mut a).casting(ndany::Casting::Unsafe));
    /// assert_eq!(a.to_string(), "[1 2]");
    /// ```
    pub fn casting(self, casting: Casting) -> Self {
        Self { casting, ..self }
    }

    /// Lets only elements through where the mask holds, if there is one.
    #[cfg(feature = "call")]
    pub(crate) fn with_mask(self, mask: Option<Array>) -> Self {
        Self { mask, ..self }
    }

    /// Checks what comes in, and writes it.
    #[track_caller]
    pub(crate) fn put(self, op: &'static str, value: Array) -> Result<()> {
        let Target { destination, mask, casting } = self;
        let shown = match &destination {
            Destination::Whole(array) => (*array).clone(),
            Destination::Window(window) => window.try_get(op)?,
        };
        let (dtype, device) = (shown.dtype(), shown.device());
        if !value.dtype().can_cast(dtype, casting) {
            let dtypes = format!("a result of {} in an array of {dtype}", value.dtype());
            return Err(Error::DTypes { op, dtypes, remedy: "ask for another rule of casting" });
        }
        for operand in std::iter::once(&value).chain(&mask) {
            if operand.device() != device {
                let (left, right) = (operand.device().name(), device.name());
                return Err(Error::TwoDevices { op, left, right });
            }
            expect_broadcast(op, operand, shown.shape())?;
        }
        if let Some(mask) = &mask {
            expect_mask(op, mask)?;
        }
        // A value with one handle is computed into its target; with two it would get memory of its own.
        let value = {
            let converted = value.try_astype(dtype)?.broadcast_view(shown.shape());
            drop(value);
            converted
        };
        let array = match destination {
            Destination::Window(mut window) => {
                return window.try_assign(kept_where_not(mask, value, shown)?);
            }
            Destination::Whole(array) => array,
        };
        drop(shown);
        if array.node().is_pinned() {
            let value = kept_where_not(mask, value, array.clone())?;
            array.make_sole()?;
            let window = array.layout().clone();
            return array.write(&window, &Expr::Cast(value));
        }
        let alone = array.node().is_held_by(1, 0) && !array.layout().may_overlap();
        let ready = matches!(array.node().outcome(), Some(Ok(_)));
        let value = kept_where_not(mask, value, array.clone())?;
        if alone && ready {
            let (device, buffer) = (array.device().clone(), array.buffer()?);
            evaluate_into(&device, &Expr::Cast(value), dtype, &buffer, array.layout())
        } else {
            *array = value;
            Ok(())
        }
    }
}

/// The value where the mask holds, if there is one, and what is kept elsewhere.
#[track_caller]
fn kept_where_not(mask: Option<Array>, value: Array, kept: Array) -> Result<Array> {
    match mask {
        Some(mask) => elementwise(&rows::WHERE, &mut [mask.into(), value.into(), kept.into()]),
        None => Ok(value),
    }
}

/// Fails unless an operand broadcasts to exactly this shape.
fn expect_broadcast(op: &'static str, operand: &Array, shape: &[usize]) -> Result<()> {
    let common = shape::broadcast(op, operand.shape(), shape)?;
    if operand.ndim() <= shape.len() && common.as_slice() == shape {
        return Ok(());
    }
    Err(Error::Broadcast { op, left: operand.shape().into(), right: shape.into() })
}

fn expect_mask(op: &'static str, mask: &Array) -> Result<()> {
    if mask.dtype() == DType::Bool {
        return Ok(());
    }
    let dtypes = format!("a mask of {}", mask.dtype());
    Err(Error::DTypes { op, dtypes, remedy: "make it bool, by a comparison or astype" })
}

/// Masked elements are not computed in NumPy, so they must not fail: their exponents become 1.
#[cfg(feature = "call")]
#[track_caller]
pub(crate) fn harmless(
    row: &'static UfuncDef,
    operands: &mut [Operand],
    mask: &Array,
) -> Result<()> {
    if std::ptr::eq(row, &rows::power)
        && let Operand::Array(exponent) = &operands[1]
        && exponent.dtype().is_int()
    {
        operands[1] = one_where_masked(exponent, mask)?.into();
    }
    Ok(())
}

/// Exponents where the mask holds, and 1 elsewhere.
#[track_caller]
fn one_where_masked(exponent: &Array, mask: &Array) -> Result<Array> {
    elementwise(&rows::WHERE, &mut [mask.into(), exponent.into(), Operand::from(1)])
}
