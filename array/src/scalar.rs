//! Scalars: one value, weak (a Rust number, which follows the array it meets) or strong (typed).
//!
//! NEP 50: a weak integer keeps any integer or float dtype, a weak float any float or complex dtype;
//! a weak integer that the dtype cannot hold is an error.

use half::{bf16, f16};
use num_complex::Complex;

use ndany_core::{DType, Error, Kind, Number, Result};

/// A number that meets an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalar {
    value: Number,
    dtype: Option<DType>,
}

impl Scalar {
    /// Makes a weak scalar of a bool, as Python's `True` in NumPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(full(1, Scalar::weak_bool(true), ..).dtype(), Bool);
    /// ```
    #[doc(hidden)]
    pub const fn weak_bool(value: bool) -> Self {
        Self { value: Number::Bool(value), dtype: None }
    }
    /// Makes a weak scalar of an integer, which takes the dtype of the array that it meets, as Python's `int` in NumPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!((array([1u8]) + Scalar::weak_int(1)).dtype(), U8);
    /// ```
    #[doc(hidden)]
    pub const fn weak_int(value: i128) -> Self {
        Self { value: Number::Int(value), dtype: None }
    }
    /// Makes a weak scalar of a float, as Python's `float` in NumPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!((array([1.0f32]) + Scalar::weak_float(0.5)).dtype(), F32);
    /// ```
    #[doc(hidden)]
    pub const fn weak_float(value: f64) -> Self {
        Self { value: Number::Float(value), dtype: None }
    }
    /// Makes a weak scalar of a complex number, as Python's `complex` in NumPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!((array([1.0f32]) + Scalar::weak_complex(0.0, 1.0)).dtype(), C64);
    /// ```
    #[doc(hidden)]
    pub const fn weak_complex(re: f64, im: f64) -> Self {
        Self { value: Number::Complex(re, im), dtype: None }
    }
    /// Makes a strong scalar, which promotes as a 0-d array of `dtype`, as `np.float64(1)`.
    ///
    /// ```
    /// use ndany::{DType, Scalar};
    /// let one = Scalar::typed(DType::F64, 1.0);
    /// assert_eq!(one.dtype(), Some(DType::F64));
    /// assert_eq!(Scalar::from(1.0).dtype(), None);
    /// ```
    pub fn typed(dtype: DType, value: impl Into<Scalar>) -> Self {
        Self { value: value.into().value, dtype: Some(dtype) }
    }
    /// The strong scalar of a number that a table gives.
    pub(crate) const fn strong((dtype, value): (DType, Number)) -> Self {
        Self { value, dtype: Some(dtype) }
    }
    /// Returns the dtype of a strong scalar, `None` of a weak one.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Scalar::typed(F32, 1).dtype(), Some(F32));
    /// ```
    pub const fn dtype(&self) -> Option<DType> {
        self.dtype
    }
    /// Returns the number.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Scalar::from(1).number(), ndany::Number::Int(1));
    /// ```
    pub const fn number(&self) -> Number {
        self.value
    }
    /// Returns the kind of the number: bool, integer, float or complex.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Scalar::from(1.5).kind(), ndany::Kind::Float);
    /// ```
    pub const fn kind(&self) -> Kind {
        match (self.dtype, self.value) {
            (Some(dtype), _) => dtype.kind(),
            (None, Number::Bool(_)) => Kind::Bool,
            (None, Number::Int(_)) => Kind::Int,
            (None, Number::Float(_)) => Kind::Float,
            (None, Number::Complex(..)) => Kind::Complex,
        }
    }

    /// Returns the dtype of an array made of this scalar alone, as `np.array(number).dtype`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Scalar::from(1.5).natural_dtype(), F64);
    /// ```
    pub const fn natural_dtype(&self) -> DType {
        match (self.dtype, self.value) {
            (Some(dtype), _) => dtype,
            (None, Number::Bool(_)) => DType::Bool,
            (None, Number::Int(value)) => {
                if value > i64::MAX as i128 {
                    DType::U64
                } else {
                    DType::I64
                }
            }
            (None, Number::Float(_)) => DType::F64,
            (None, Number::Complex(..)) => DType::C128,
        }
    }

    /// The dtype in which this scalar and an array of `dtype` meet.
    /// The number, if it is an integer.
    pub(crate) fn as_int(&self) -> Option<i128> {
        match self.value {
            Number::Int(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn promote_with(&self, dtype: DType) -> DType {
        if let Some(own) = self.dtype {
            return DType::promote(own, dtype);
        }
        match (self.value, dtype.kind()) {
            (Number::Bool(_), _) => dtype,
            (Number::Int(_), Kind::Bool) => DType::I64,
            (Number::Int(_), _) => dtype,
            (Number::Float(_), Kind::Bool | Kind::Int) => DType::F64,
            (Number::Float(_), _) => dtype,
            (Number::Complex(..), Kind::Complex) => dtype,
            (Number::Complex(..), Kind::Float) => dtype.to_complex(),
            (Number::Complex(..), _) => DType::C128,
        }
    }

    /// The bit patterns (real and imaginary part) of this value as an element of `dtype`; f16 and bf16
    /// give their own 16 bits.
    ///
    /// # Errors
    /// A weak integer that an integer `dtype` cannot hold.
    pub(crate) fn bits_as(&self, op: &'static str, dtype: DType) -> Result<[u64; 2]> {
        if let (DType::Bool, Number::Complex(re, im)) = (dtype, self.value) {
            return Ok([u64::from(re != 0.0 || im != 0.0), 0]);
        }
        let real = match self.value {
            Number::Bool(value) => Number::Int(i128::from(value)),
            Number::Complex(re, _) => Number::Float(re),
            other => other,
        };
        let imaginary = match self.value {
            Number::Complex(_, im) => im,
            _ => 0.0,
        };
        if let (Number::Int(value), true) = (real, dtype.is_int()) {
            let (low, high) = dtype.int_range();
            if (value < low || value > high) && self.dtype.is_none() {
                return Err(Error::WeakOverflow { op, value, dtype });
            }
        }
        Ok([
            number_bits(real, dtype),
            match dtype {
                DType::C64 => u64::from((imaginary as f32).to_bits()),
                DType::C128 => imaginary.to_bits(),
                _ => 0,
            },
        ])
    }
}

fn number_bits(value: Number, dtype: DType) -> u64 {
    let float = match value {
        Number::Int(value) => value as f64,
        Number::Float(value) => value,
        Number::Bool(_) | Number::Complex(..) => unreachable!("reduced to a real number before"),
    };
    let int = match value {
        Number::Int(value) => value,
        _ => float as i128, // truncates and saturates, NaN gives 0
    };
    match dtype.kind() {
        Kind::Bool => u64::from(float != 0.0),
        Kind::Int => saturate(value, int, dtype) as u64 & (u64::MAX >> (64 - 8 * dtype.size())),
        Kind::Float | Kind::Complex => ndany_core::float::to_bits(dtype, float),
    }
}

/// The infinity on its side, of an integer that no integer dtype holds.
pub(crate) fn beyond_integers(value: i128) -> Option<f64> {
    match value {
        value if value > i128::from(u64::MAX) => Some(f64::INFINITY),
        value if value < i128::from(i64::MIN) => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// Floats saturate as a cast does; strong integers wrap as a cast does.
fn saturate(value: Number, int: i128, dtype: DType) -> i128 {
    let (low, high) = dtype.int_range();
    match value {
        Number::Float(_) => int.clamp(low, high),
        _ => int,
    }
}

macro_rules! weak {
    ($($ty:ty => $make:ident($via:ty)),+) => {$(
        impl From<$ty> for Scalar {
            fn from(value: $ty) -> Self { Scalar::$make(<$via>::from(value)) }
        }
    )+};
}
weak!(bool => weak_bool(bool), i8 => weak_int(i128), i16 => weak_int(i128), i32 => weak_int(i128),
    i64 => weak_int(i128), u8 => weak_int(i128), u16 => weak_int(i128), u32 => weak_int(i128),
    u64 => weak_int(i128), f32 => weak_float(f64), f64 => weak_float(f64), f16 => weak_float(f64),
    bf16 => weak_float(f64));

/// Weak.
impl From<Number> for Scalar {
    fn from(value: Number) -> Self {
        Self { value, dtype: None }
    }
}
impl From<usize> for Scalar {
    fn from(value: usize) -> Self {
        Scalar::weak_int(value as i128)
    }
}
impl From<isize> for Scalar {
    fn from(value: isize) -> Self {
        Scalar::weak_int(value as i128)
    }
}
impl From<Complex<f32>> for Scalar {
    fn from(value: Complex<f32>) -> Self {
        Scalar::weak_complex(f64::from(value.re), f64::from(value.im))
    }
}
impl From<Complex<f64>> for Scalar {
    fn from(value: Complex<f64>) -> Self {
        Scalar::weak_complex(value.re, value.im)
    }
}
