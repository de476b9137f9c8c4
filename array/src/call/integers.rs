//! Arguments that are whole numbers: counts, extents, shapes, axes, and which forms of them NumPy takes where.

use num_complex::Complex;
use smallvec::SmallVec;

use super::Value;
use super::bind::Bound;
use crate::array::Array;
use crate::scalar::Scalar;
use ndany_core::shape::Shape;
use ndany_core::{DType, Error, Kind, Number, Result};

impl Bound<'_> {
    /// A whole number.
    pub(super) fn int_of(&self, name: &str, value: &Value) -> Result<i128> {
        let number = match value {
            Value::Scalar(scalar) => scalar.number(),
            Value::Bool(value) => Number::Bool(*value),
            // NumPy takes it, too, and a count is needed here and now.
            Value::Array(array) if array.ndim() == 0 && array.dtype().is_int() => {
                number_of(array)?.number()
            }
            _ => return Err(self.type_error(format!("{name} must be an integer"))),
        };
        match number {
            Number::Int(value) => Ok(value),
            Number::Bool(value) => Ok(i128::from(value)),
            Number::Float(_) | Number::Complex(..) => {
                Err(self.type_error(format!("{name} must be an integer")))
            }
        }
    }

    /// A whole number, or a real one truncated.
    pub(super) fn truncated(&self, name: &str, value: &Value) -> Result<i128> {
        match value {
            Value::Scalar(scalar) => match scalar.number() {
                Number::Float(value) if value.is_finite() => Ok(value as i128),
                Number::Float(_) => {
                    Err(self.value_error(format!("{name} has no value as an integer")))
                }
                _ => self.int_of(name, value),
            },
            _ => self.int_of(name, value),
        }
    }

    /// A whole number that may be missing, in which form ever.
    pub(super) fn offset(&self, name: &str) -> Result<isize> {
        match self.get(name) {
            None => Ok(0),
            Some(Value::Scalar(scalar)) if matches!(scalar.number(), Number::Float(value) if value == value.trunc()) => {
                self.in_range(self.truncated(name, &Value::Scalar(*scalar))?)
            }
            Some(value) => self.isize_of(name, value),
        }
    }

    /// A whole number that may be missing.
    pub(super) fn int(&self, name: &str) -> Result<Option<isize>> {
        self.get(name).map(|value| self.isize_of(name, value)).transpose()
    }

    /// A whole number that may be missing or `None`.
    pub(super) fn some_int(&self, name: &str) -> Result<Option<isize>> {
        self.some(name).map(|value| self.isize_of(name, value)).transpose()
    }

    fn isize_of(&self, name: &str, value: &Value) -> Result<isize> {
        self.in_range(self.int_of(name, value)?)
    }

    fn in_range(&self, value: i128) -> Result<isize> {
        let beyond = |_| Error::WeakOverflow { op: self.op(), value, dtype: DType::I64 };
        isize::try_from(value).map_err(beyond)
    }

    /// A number of elements.
    pub(super) fn count(&self, name: &str, value: &Value) -> Result<usize> {
        let count = self.int_of(name, value)?;
        usize::try_from(count)
            .map_err(|_| self.value_error(format!("{name} is {count}: no such extent is possible")))
    }

    /// A number of elements that may be missing or `None`.
    pub(super) fn some_count(&self, name: &str) -> Result<Option<usize>> {
        self.some(name).map(|value| self.count(name, value)).transpose()
    }

    /// The same, with its default.
    pub(super) fn count_or(&self, name: &str, default: usize) -> Result<usize> {
        Ok(self.some_count(name)?.unwrap_or(default))
    }

    /// One or several whole numbers.
    pub(super) fn ints(&self, name: &str, value: &Value) -> Result<SmallVec<[isize; 4]>> {
        match value {
            Value::Tuple(items) | Value::List(items) => {
                items.iter().map(|item| self.isize_of(name, item)).collect()
            }
            Value::Array(array) if array.ndim() == 1 && array.dtype().is_int() => {
                let values = array.try_astype(DType::I64)?.to_vec::<i64>()?;
                Ok(values.into_iter().map(|value| value as isize).collect())
            }
            one => Ok(SmallVec::from_slice(&[self.isize_of(name, one)?])),
        }
    }

    /// The axes of a reduction as ufuncs take them: one whole number, or a tuple of them. Neither a list nor a truth value is
    /// an axis there.
    pub(super) fn folded(&self, name: &str) -> Result<Option<SmallVec<[isize; 4]>>> {
        match self.some(name) {
            None => Ok(None),
            Some(Value::Tuple(items)) => {
                let axes = items.iter().map(|item| self.axis_of(name, item));
                Ok(Some(axes.collect::<Result<_>>()?))
            }
            Some(one) => Ok(Some(SmallVec::from_slice(&[self.axis_of(name, one)?]))),
        }
    }

    /// One axis, where no truth value is one; missing or `None`.
    pub(super) fn axis(&self, name: &str) -> Result<Option<isize>> {
        self.some(name).map(|value| self.axis_of(name, value)).transpose()
    }

    fn axis_of(&self, name: &str, value: &Value) -> Result<isize> {
        self.no_flag(name, value)?;
        self.isize_of(name, value)
    }

    /// Several axes; `None` where none were given.
    pub(super) fn axes(&self, name: &str) -> Result<Option<SmallVec<[isize; 4]>>> {
        self.some(name).map(|value| self.ints(name, value)).transpose()
    }

    /// The axes of functions that take every sequence for several.
    pub(super) fn reduced(&self, name: &str) -> Result<Option<SmallVec<[isize; 4]>>> {
        self.axes(name)
    }

    /// A number of elements, which a truth value is not.
    pub(super) fn extent(&self, name: &str, value: &Value) -> Result<usize> {
        self.no_flag(name, value)?;
        self.count(name, value)
    }

    /// Refuses truth values where NumPy does: they stand for no extents and axes.
    fn no_flag(&self, name: &str, value: &Value) -> Result<()> {
        let flag = match value {
            Value::Bool(_) => true,
            Value::Scalar(scalar) => scalar.kind() == Kind::Bool,
            _ => false,
        };
        if flag { Err(self.type_error(format!("{name} is a truth value"))) } else { Ok(()) }
    }

    /// One or several whole numbers, none of them a truth value.
    pub(super) fn numbers(&self, name: &str, value: &Value) -> Result<SmallVec<[isize; 4]>> {
        match value {
            Value::Tuple(items) | Value::List(items) => {
                items.iter().try_for_each(|item| self.no_flag(name, item))?;
            }
            one => self.no_flag(name, one)?,
        }
        self.ints(name, value)
    }

    /// Refuses a single number.
    pub(super) fn sequence(&self, name: &str) -> Result<()> {
        let single = match self.required(name) {
            Value::Array(array) => array.ndim() == 0,
            Value::Scalar(_) | Value::Bool(_) => true,
            _ => false,
        };
        if single { Err(self.type_error(format!("{name} must be a sequence"))) } else { Ok(()) }
    }

    /// Extents.
    pub(super) fn shape(&self, name: &str) -> Result<Shape> {
        match self.required(name) {
            Value::Tuple(items) | Value::List(items) => {
                items.iter().map(|item| self.extent(name, item)).collect()
            }
            Value::Array(array) if array.ndim() == 1 && array.dtype().is_int() => {
                let extent = |extent: isize| {
                    let reason = || self.value_error(format!("{name} has a negative extent"));
                    usize::try_from(extent).map_err(|_| reason())
                };
                self.ints(name, self.required(name))?.into_iter().map(extent).collect()
            }
            one => Ok(Shape::from_slice(&[self.extent(name, one)?])),
        }
    }
}

/// The number that a 0-d array is.
pub(super) fn number_of(array: &Array) -> Result<Scalar> {
    let dtype = array.dtype();
    let number: Scalar = match dtype.kind() {
        Kind::Bool => array.item::<bool>()?.into(),
        Kind::Int if dtype.is_unsigned() => array.try_astype(DType::U64)?.item::<u64>()?.into(),
        Kind::Int => array.try_astype(DType::I64)?.item::<i64>()?.into(),
        Kind::Float => array.try_astype(DType::F64)?.item::<f64>()?.into(),
        Kind::Complex => array.try_astype(DType::C128)?.item::<Complex<f64>>()?.into(),
    };
    Ok(Scalar::typed(dtype, number))
}
