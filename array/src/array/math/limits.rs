//! Keeping values inside limits: clipping, rounding to decimals, replacing what is not finite.
//!
//! Everything is lazy and made of rows of the table; nothing here looks at values.

use std::ops::RangeFull;

use smallvec::{SmallVec, smallvec};

use crate::array::Array;
use crate::declare::array_functions;
use crate::elementwise::elementwise;
use crate::graph::{self, Operand, elementwise_as};
use crate::scalar::Scalar;
use ndany_core::float::Format;
use ndany_core::ops::rows::{self, CLIP, NAN_TO_NUM, ROUND_COARSE, ROUND_FINE};
use ndany_core::{DType, Error, Kind, Number, Result};

/// A limit of [`Array::clip`]: a number, an array, or `..` for none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no limit",
    label = "expected a number, an array, or `..` for no limit"
)]
pub trait IntoLimit {
    /// The limit, `None` for none.
    #[doc(hidden)]
    fn into_limit(self) -> Option<Operand>;
}

impl IntoLimit for RangeFull {
    fn into_limit(self) -> Option<Operand> {
        None
    }
}
impl<T: IntoLimit> IntoLimit for Option<T> {
    fn into_limit(self) -> Option<Operand> {
        self.and_then(IntoLimit::into_limit)
    }
}

macro_rules! limits {
    ($($ty:ty),+) => {$(
        impl IntoLimit for $ty {
            fn into_limit(self) -> Option<Operand> { Some(self.into()) }
        }
    )+};
}
limits!(
    &Array, Array, Operand, &Operand, Scalar, bool, i8, i16, i32, i64, u8, u16, u32, u64, usize,
    f32, f64
);

/// What [`Array::nan_to_num`] puts in the place of NaN and infinities; `..` stands for the defaults:
/// 0 for NaN, the largest and least finite numbers of the dtype for the infinities.
#[derive(Clone, Debug, Default)]
pub struct NonFinite {
    pub(crate) nan: Option<Operand>,
    pub(crate) posinf: Option<Operand>,
    pub(crate) neginf: Option<Operand>,
}

impl NonFinite {
    /// Starts the options of [`Array::nan_to_num`](crate::Array::nan_to_num) with NumPy's defaults.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([f64::NAN]).nan_to_num(ndany::NonFinite::new()).to_string(), "[0.]");
    /// ```
    pub fn new() -> Self {
        NonFinite::default()
    }

    /// Sets what replaces NaN, as `nan` of `np.nan_to_num`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([f64::NAN]).nan_to_num(ndany::NonFinite::new().nan(5)).to_string(), "[5.]");
    /// ```
    pub fn nan(mut self, value: impl Into<Operand>) -> Self {
        self.nan = Some(value.into());
        self
    }

    /// Sets what replaces positive infinity, as `posinf` of `np.nan_to_num`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([f64::INFINITY]).nan_to_num(ndany::NonFinite::new().posinf(9)).to_string(), "[9.]");
    /// ```
    pub fn posinf(mut self, value: impl Into<Operand>) -> Self {
        self.posinf = Some(value.into());
        self
    }

    /// Sets what replaces negative infinity, as `neginf` of `np.nan_to_num`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([-f64::INFINITY]).nan_to_num(ndany::NonFinite::new().neginf(-9)).to_string(), "[-9.]");
    /// ```
    pub fn neginf(mut self, value: impl Into<Operand>) -> Self {
        self.neginf = Some(value.into());
        self
    }
}

impl From<RangeFull> for NonFinite {
    fn from(_: RangeFull) -> Self {
        NonFinite::default()
    }
}

array_functions! {
    checked limits, free free_limits;

    /// Limits elements to the range from `low` to `high`, as `np.clip`.
    ///
    /// `..` is no limit, and a weak integer beyond the range of an integer array limits nothing. NaN stays, and a NaN limit
    /// wins; an element equal to a limit stays as it is (`-0.0` between 0 and 1).
    ///
    /// - **Shapes**: `(…), (…), (…) → (…)`, broadcast.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: shapes that do not broadcast, operands on two devices.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([-3, 1, 7]);
    /// assert_eq!(a.clip(0, 5).to_vec::<i32>()?, [0, 1, 5]);
    /// assert_eq!(a.clip(.., 5).to_vec::<i32>()?, [-3, 1, 5]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    clip / try_clip (self, low: impl IntoLimit, high: impl IntoLimit) -> Array {
        clip(self, low.into_limit(), high.into_limit())
    }

    /// Rounds to a number of decimals, halves to even, as `np.round`.
    ///
    /// Elements are scaled by a power of ten, rounded, and scaled back in the dtype of the array. Integers change for negative
    /// decimals only.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same, but bool gives float16.
    /// - **Errors**: decimals of bool.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.25, 2.75]).round(1).to_string(), "[1.2 2.8]");
    /// ```
    round / try_round (self, decimals: i32) -> Array {
        if self.dtype().is_int() && decimals >= 0 {
            return Ok(self.clone());
        }
        if decimals == 0 {
            return self.try_rint();
        }
        let dtype = match self.dtype() {
            DType::Bool => {
                let (dtypes, remedy) = (self.dtype().to_string(), "convert to a number with astype");
                return Err(Error::DTypes { op: "round", dtypes, remedy });
            }
            dtype if dtype.is_int() => DType::F64,
            dtype => dtype,
        };
        // A product of tens, as NumPy has it, which is a little off for more than 22.
        let tens = decimals.unsigned_abs().min(400);
        let scale = (0..tens).fold(1.0, |product, _| product * 10.0);
        let row = if decimals > 0 { &ROUND_FINE } else { &ROUND_COARSE };
        let dtypes = SmallVec::from_slice(&[dtype, dtype.part()]);
        let operands = &mut [Operand::from(self), Operand::from(scale)];
        elementwise_as(row, operands, dtypes, dtype, None)?.try_astype(self.dtype())
    }

    /// Replaces NaN and infinities by numbers, as `np.nan_to_num`.
    ///
    /// Both parts of a complex number are replaced. `..` stands for NumPy's replacements: 0 and the largest numbers.
    ///
    /// - **Shapes**: `(…) → (…)`, replacements broadcast.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: replacements that do not broadcast to the array.
    ///
    /// ```
    /// use ndany::{Array, Device, NonFinite};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([f64::NAN, 1.0, f64::INFINITY]);
    /// assert_eq!(a.nan_to_num(..).to_vec::<f64>()?, [0.0, 1.0, f64::MAX]);
    /// assert_eq!(a.nan_to_num(NonFinite::new().nan(-1).posinf(9)).to_vec::<f64>()?, [-1.0, 1.0, 9.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    nan_to_num / try_nan_to_num (self, instead: impl Into<NonFinite>) -> Array {
        nan_to_num(self, instead.into())
    }
}

fn clip(array: &Array, low: Option<Operand>, high: Option<Operand>) -> Result<Array> {
    let dtype = array.dtype();
    // NEP 50 has no value beyond the range of a dtype; as a limit it is simply no limit.
    let beyond = |limit: &Operand, reached: fn(i128, (i128, i128)) -> bool| match limit {
        Operand::Scalar(scalar) if dtype.is_int() && scalar.dtype().is_none() => {
            matches!(scalar.number(), Number::Int(value) if reached(value, dtype.int_range()))
        }
        Operand::Scalar(_) | Operand::Array(_) => false,
    };
    let (low, high) = match (low, high) {
        // As NumPy, which then asks for `positive`.
        (None, None) => return array.try_positive(),
        limits => limits,
    };
    let low = low.filter(|limit| !beyond(limit, |value, (least, _)| value <= least));
    let high = high.filter(|limit| !beyond(limit, |value, (_, most)| value >= most));
    let mut operands: SmallVec<[Operand; 3]> = smallvec![Operand::from(array)];
    operands.extend(low.iter().chain(&high).cloned());
    // All three promote together.
    let compute = graph::promote(&operands);
    let strong = |operand: Operand| match operand {
        Operand::Array(array) => array.try_astype(compute).map(Operand::Array),
        Operand::Scalar(scalar) => Ok(Operand::Scalar(scalar)),
    };
    let own = Operand::from(array.try_astype(compute)?);
    match (low, high) {
        (Some(low), Some(high)) => {
            let operands = &mut [own, strong(low)?, strong(high)?];
            elementwise_as(&CLIP, operands, SmallVec::from_elem(compute, 3), compute, None)
        }
        (Some(low), None) => elementwise(&rows::maximum, &mut [own, strong(low)?]),
        (None, Some(high)) => elementwise(&rows::minimum, &mut [own, strong(high)?]),
        (None, None) => array.try_astype(compute),
    }
}

/// The largest finite number.
fn largest(dtype: DType) -> f64 {
    Format::of(dtype.part()).map_or(f64::MAX, Format::largest)
}

fn nan_to_num(array: &Array, instead: NonFinite) -> Result<Array> {
    const OP: &str = "nan_to_num";
    let (dtype, part) = (array.dtype(), array.dtype().part());
    if !matches!(dtype.kind(), Kind::Float | Kind::Complex) {
        return Ok(array.clone());
    }
    let limit = largest(dtype);
    let defaults = [0.0, limit, -limit].map(Operand::from);
    let given = [instead.nan, instead.posinf, instead.neginf];
    let mut operands: SmallVec<[Operand; 4]> = smallvec![Operand::from(array)];
    for (given, default) in given.into_iter().zip(defaults) {
        let value = given.unwrap_or(default);
        let kind = match &value {
            Operand::Array(value) => value.dtype().kind(),
            Operand::Scalar(scalar) => scalar.kind(),
        };
        if kind == Kind::Complex {
            let dtypes = format!("a complex replacement in {dtype}");
            return Err(Error::DTypes { op: OP, dtypes, remedy: "give a real one" });
        }
        if let Operand::Array(value) = &value
            && ndany_core::shape::broadcast(OP, value.shape(), array.shape())?.as_slice()
                != array.shape()
        {
            let (left, right) = (array.shape().into(), value.shape().into());
            return Err(Error::Broadcast { op: OP, left, right });
        }
        operands.push(value);
    }
    let dtypes = SmallVec::from_slice(&[dtype, part, part, part]);
    elementwise_as(&NAN_TO_NUM, &mut operands, dtypes, dtype, None)
}
