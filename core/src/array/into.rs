//! Results written into arrays that are there: all elements, or those where a mask holds.
//!
//! If the handle is the only one and its value has been computed, the result is computed at once and
//! written in place. Otherwise nothing can be saved by that, and the handle gets the (lazy) result as its
//! new value. Other handles keep the old values either way.

use super::Array;
use crate::dtype::{Casting, DType};
use crate::error::{Error, Result};
use crate::graph::evaluate::evaluate_into;
use crate::graph::node::Expr;
use crate::graph::{Operand, elementwise, pair};
use crate::ops::{Row, rows};
use crate::shape;

/// Where a result goes: into a whole array (`&mut a` converts), where a mask holds ([`Array::masked`]), by
/// a rule of casting of choice ([`Target::casting`]).
///
/// ```
/// use ndany::{Array, Device};
/// # let _guard = Device::open("reference")?.enter();
/// let a = Array::from([1.0, 4.0, 9.0]);
/// let mut out = Array::from([0.0, 0.0, 0.0]);
/// a.sqrt_into(&mut out);
/// assert_eq!(out.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
/// a.add_into(10.0, out.masked(&a.greater(3.0)));
/// assert_eq!(out.to_vec::<f64>()?, [1.0, 14.0, 19.0]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Debug)]
pub struct Target<'a> {
    array: &'a mut Array,
    mask: Option<Array>,
    casting: Casting,
}

impl<'a> From<&'a mut Array> for Target<'a> {
    fn from(array: &'a mut Array) -> Self {
        Target { array, mask: None, casting: Casting::SameKind }
    }
}

impl Array {
    /// This array as the place of a result, where the mask (of bool, broadcast to it) holds; the other
    /// elements keep their values, and nothing is computed for them. NumPy's `out=` and `where=`.
    pub fn masked(&mut self, mask: &Array) -> Target<'_> {
        Target { mask: Some(mask.clone()), ..Target::from(self) }
    }
}

impl Target<'_> {
    /// Lets the result be converted to the array's dtype by another rule than
    /// [`Casting::SameKind`].
    pub fn casting(self, casting: Casting) -> Self {
        Self { casting, ..self }
    }

    /// Lets only elements through where the mask holds.
    #[cfg(feature = "call")]
    pub(crate) fn with_mask(self, mask: Option<Array>) -> Self {
        Self { mask, ..self }
    }

    /// Checks what comes in, and writes it.
    #[track_caller]
    pub(crate) fn put(self, op: &'static str, value: Array) -> Result<()> {
        let Target { array, mask, casting } = self;
        let (from, to) = (value.dtype(), array.dtype());
        if !from.can_cast(to, casting) {
            let dtypes = format!("a result of {from} in an array of {to}");
            return Err(Error::DTypes { op, dtypes, remedy: "ask for another rule of casting" });
        }
        for operand in std::iter::once(&value).chain(&mask) {
            if operand.device() != array.device() {
                let (left, right) = (operand.device().name(), array.device().name());
                return Err(Error::TwoDevices { op, left, right });
            }
            let fits = operand.ndim() <= array.ndim()
                && shape::broadcast(op, operand.shape(), array.shape())?.as_slice()
                    == array.shape();
            if !fits {
                let (left, right) = (operand.shape().into(), array.shape().into());
                return Err(Error::Broadcast { op, left, right });
            }
        }
        if let Some(mask) = &mask {
            expect_mask(op, mask)?;
        }
        let value = value.try_astype(to)?.broadcast_view(array.shape());
        let alone = array.node().is_held_by(1) && !array.layout().may_overlap();
        let ready = matches!(array.node().outcome(), Some(Ok(_)));
        let value = match mask {
            Some(mask) => {
                let kept = Operand::Array(array.clone());
                elementwise(&rows::WHERE, &mut [mask.into(), value.into(), kept])?
            }
            None => value,
        };
        if alone && ready {
            let (device, buffer) = (array.device().clone(), array.buffer()?);
            evaluate_into(&device, &Expr::Cast(value), to, &buffer, array.layout())
        } else {
            *array = value;
            Ok(())
        }
    }
}

fn expect_mask(op: &'static str, mask: &Array) -> Result<()> {
    if mask.dtype() == DType::Bool {
        return Ok(());
    }
    let dtypes = format!("a mask of {}", mask.dtype());
    Err(Error::DTypes { op, dtypes, remedy: "make it bool, by a comparison or astype" })
}

/// Computes a row into a target.
#[track_caller]
pub(crate) fn into(row: &'static Row, operands: &mut [Operand], target: Target<'_>) -> Result<()> {
    if let Some(mask) = &target.mask {
        expect_mask(row.name, mask)?;
        harmless(row, operands, mask)?;
    }
    let value = elementwise(row, operands)?;
    target.put(row.name, value)
}

/// Masked elements are not computed in NumPy, so they must not fail: their exponents become 1.
#[track_caller]
pub(crate) fn harmless(row: &'static Row, operands: &mut [Operand], mask: &Array) -> Result<()> {
    if std::ptr::eq(row, &rows::power)
        && let Operand::Array(exponent) = &operands[1]
        && exponent.dtype().is_int()
    {
        let exponent = [mask.into(), exponent.into(), Operand::from(1)];
        operands[1] = elementwise(&rows::WHERE, &mut exponent.clone())?.into();
    }
    Ok(())
}

/// Computes two rows over the same operands into two targets.
#[track_caller]
pub(crate) fn pair_into(
    rows: [&'static Row; 2],
    operands: &mut [Operand],
    first: Target<'_>,
    second: Target<'_>,
) -> Result<()> {
    let (one, two) = pair(rows, operands)?;
    first.put(rows[0].name, one)?;
    second.put(rows[1].name, two)
}

/// Methods and free functions that write the result of a row into a target; used by the table of rows.
macro_rules! into_functions {
    (unary; $($numpy:literal $row:ident $name:ident $try_name:ident;)+) => {
        impl crate::Array { $(
            #[doc = concat!("[`Array::", stringify!($row), "`](crate::Array::", stringify!($row), "), written into an array that is there: `", $numpy, "` with `out=` and `where=`.")]
            ///
            /// # Panics
            #[doc = concat!("Where [`Array::", stringify!($try_name), "`](crate::Array::", stringify!($try_name), ") errs.")]
            #[track_caller]
            pub fn $name<'a>(&self, out: impl Into<crate::Target<'a>>) {
                crate::twins::expect(self.$try_name(out))
            }

            #[doc = concat!("[`Array::", stringify!($name), "`](crate::Array::", stringify!($name), "), with errors as values: also a result that does not fit the array's shape, or its dtype by the rule of casting, and what fails on the device.")]
            #[track_caller]
            pub fn $try_name<'a>(&self, out: impl Into<crate::Target<'a>>) -> crate::Result<()> {
                crate::array::into::into(&$row, &mut [self.into()], out.into())
            }
        )+ }

        /// The operations of one operand, written into arrays, as free functions.
        pub mod unary_into { $(
            #[doc = concat!("As [`Array::", stringify!($name), "`](crate::Array::", stringify!($name), "); also takes a scalar.")]
            #[track_caller]
            pub fn $name<'a>(x: impl Into<crate::Operand>, out: impl Into<crate::Target<'a>>) {
                crate::twins::expect($try_name(x, out))
            }

            #[doc = concat!("[`", stringify!($name), "`], with errors as values.")]
            #[track_caller]
            pub fn $try_name<'a>(x: impl Into<crate::Operand>, out: impl Into<crate::Target<'a>>) -> crate::Result<()> {
                crate::array::into::into(&super::$row, &mut [x.into()], out.into())
            }
        )+ }
    };
    (binary; $($numpy:literal $row:ident $name:ident $try_name:ident;)+) => {
        impl crate::Array { $(
            #[doc = concat!("[`Array::", stringify!($row), "`](crate::Array::", stringify!($row), "), written into an array that is there: `", $numpy, "` with `out=` and `where=`.")]
            ///
            /// # Panics
            #[doc = concat!("Where [`Array::", stringify!($try_name), "`](crate::Array::", stringify!($try_name), ") errs.")]
            #[track_caller]
            pub fn $name<'a>(&self, other: impl Into<crate::Operand>, out: impl Into<crate::Target<'a>>) {
                crate::twins::expect(self.$try_name(other, out))
            }

            #[doc = concat!("[`Array::", stringify!($name), "`](crate::Array::", stringify!($name), "), with errors as values: also a result that does not fit the array's shape, or its dtype by the rule of casting, and what fails on the device.")]
            #[track_caller]
            pub fn $try_name<'a>(&self, other: impl Into<crate::Operand>, out: impl Into<crate::Target<'a>>) -> crate::Result<()> {
                crate::array::into::into(&$row, &mut [self.into(), other.into()], out.into())
            }
        )+ }

        /// The operations of two operands, written into arrays, as free functions.
        pub mod binary_into { $(
            #[doc = concat!("As [`Array::", stringify!($name), "`](crate::Array::", stringify!($name), "); either operand may be a scalar.")]
            #[track_caller]
            pub fn $name<'a>(x: impl Into<crate::Operand>, y: impl Into<crate::Operand>, out: impl Into<crate::Target<'a>>) {
                crate::twins::expect($try_name(x, y, out))
            }

            #[doc = concat!("[`", stringify!($name), "`], with errors as values.")]
            #[track_caller]
            pub fn $try_name<'a>(x: impl Into<crate::Operand>, y: impl Into<crate::Operand>, out: impl Into<crate::Target<'a>>) -> crate::Result<()> {
                crate::array::into::into(&super::$row, &mut [x.into(), y.into()], out.into())
            }
        )+ }
    };
}
pub(crate) use into_functions;
