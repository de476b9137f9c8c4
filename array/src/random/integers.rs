//! Whole numbers from a range, each as likely as the other; one range for all, or one an element.

use std::ops::{
    Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

use super::parameter::{number, require_integers};
use super::proposal::Method;
use super::samplers::{Sampler, Variate};
use super::{Draw, Generator, draws, wrong};
use crate::arguments::IntoShape;
use crate::arguments::options::*;
use crate::array::Array;
use crate::elementwise::checked_binary;
use crate::graph::{Operand, device_of};
use crate::scalar::Scalar;
use ndany_core::shape::Shape;
use ndany_core::{DType, Error, Number, Result};

/// A range of whole numbers: `0..10`, `1..=6`, `5..` (up to the dtype's largest), `..`; or of arrays of them, which
/// broadcast: `&low..&high`, `&low..=&high`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no range of integers",
    label = "expected `0..10`, `1..=6`, `5..`, or such a range of arrays"
)]
pub trait Bounds {
    /// The lowest and highest number; `None` for the dtype's own.
    #[doc(hidden)]
    fn bounds(&self) -> (Option<i128>, Option<i128>);

    /// Where the ends are arrays: the lowest numbers, the ends, and whether these belong to the range.
    #[doc(hidden)]
    fn arrays(&self) -> Option<(Operand, Operand, bool)> {
        None
    }
}

macro_rules! array_bounds {
    ($($operand:ty),+) => {$(
        impl Bounds for Range<$operand> {
            fn bounds(&self) -> (Option<i128>, Option<i128>) {
                (None, None)
            }
            fn arrays(&self) -> Option<(Operand, Operand, bool)> {
                Some((Operand::from(&self.start), Operand::from(&self.end), false))
            }
        }
        impl Bounds for RangeInclusive<$operand> {
            fn bounds(&self) -> (Option<i128>, Option<i128>) {
                (None, None)
            }
            fn arrays(&self) -> Option<(Operand, Operand, bool)> {
                Some((Operand::from(self.start()), Operand::from(self.end()), true))
            }
        }
    )+};
}
array_bounds!(Array, Operand);

impl Bounds for Range<&Array> {
    fn bounds(&self) -> (Option<i128>, Option<i128>) {
        (None, None)
    }
    fn arrays(&self) -> Option<(Operand, Operand, bool)> {
        Some((self.start.into(), self.end.into(), false))
    }
}
impl Bounds for RangeInclusive<&Array> {
    fn bounds(&self) -> (Option<i128>, Option<i128>) {
        (None, None)
    }
    fn arrays(&self) -> Option<(Operand, Operand, bool)> {
        Some(((*self.start()).into(), (*self.end()).into(), true))
    }
}

/// The smallest and the largest integer of a range.
macro_rules! bounds {
    ($int:ident: $($range:ty, |$own:ident| $low:expr, $high:expr;)+) => {$(
        impl Bounds for $range {
            fn bounds(&self) -> (Option<i128>, Option<i128>) {
                let $own = self;
                ($low, $high)
            }
        }
    )+};
    ($($int:ident),+) => {$(
        bounds! { $int:
            Range<$int>, |own| Some(own.start as i128), Some(own.end as i128 - 1);
            RangeInclusive<$int>, |own| Some(*own.start() as i128), Some(match own.end_bound() {
                // An iterator that has ended.
                Bound::Excluded(&end) => end as i128 - 1,
                Bound::Included(&end) => end as i128,
                Bound::Unbounded => unreachable!("such a range has an end"),
            });
            RangeFrom<$int>, |own| Some(own.start as i128), None;
            RangeTo<$int>, |own| None, Some(own.end as i128 - 1);
            RangeToInclusive<$int>, |own| None, Some(own.end as i128);
        }
    )+};
}
bounds!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl Bounds for RangeFull {
    fn bounds(&self) -> (Option<i128>, Option<i128>) {
        (None, None)
    }
}

impl Draw<'_> {
    /// Of a range an element.
    #[track_caller]
    fn between(
        &mut self,
        dtype: DType,
        (low, high, closed): (Operand, Operand, bool),
        shape: &Shape,
    ) -> Result<Array> {
        const OP: &str = "integers";
        require_integers(OP, &low)?;
        require_integers(OP, &high)?;
        let _guard = device_of(OP, &[low.clone(), high.clone()])?.enter();
        let (least, most) = if dtype == DType::Bool { (0, 1) } else { dtype.int_range() };
        let most = if closed { most } else { most + 1 };
        let any = |broken: Array| broken.try_any(..)?.item::<bool>();
        for (end, must) in [(&low, "low"), (&high, "high")] {
            let outside = match end {
                Operand::Scalar(_) => {
                    let value = number(OP, end)?.unwrap_or(0.0);
                    value < least as f64 || value > most as f64
                }
                Operand::Array(array) => {
                    let (smallest, largest) = array.dtype().int_range();
                    let below = smallest < least && any(array.try_less(least as i64)?)?;
                    below || largest > most && any(array.try_greater(most as u64)?)?
                }
            };
            if outside {
                return Err(wrong(OP, format!("{must} is out of bounds for {dtype}")));
            }
        }
        let empty = match closed {
            true => checked_binary::greater(&low, &high)?,
            false => checked_binary::greater_equal(&low, &high)?,
        };
        if any(empty)? {
            return Err(wrong(OP, "no number is from low to high"));
        }
        let wide = |end: &Operand| match end {
            Operand::Array(array) => array.try_astype(DType::U64),
            Operand::Scalar(scalar) => {
                let dtype = if dtype == DType::U64 { DType::U64 } else { DType::I64 };
                crate::array::try_full((), *scalar, dtype)?.try_astype(DType::U64)
            }
        };
        let (low, high) = (wide(&low)?, wide(&high)?);
        let count = high.try_subtract(&low)?;
        let count = if closed { count.try_add(1u64)? } else { count };
        self.propose(OP, Method::Below, dtype, &[count.into(), low.into()], shape)
    }
}

draws! {
    mod checked;

    /// Draws integers from a range, all equally likely, as NumPy's `Generator.integers`.
    ///
    /// `0..10` is its `endpoint=False`, `0..=9` its `endpoint=True`; a range of arrays has one for each element. Nothing is biased.
    ///
    /// - **Shapes**: `(…) → shape`, bounds broadcast to it.
    /// - **Dtypes**: int64, or the option `dtype`: bool or an integer.
    /// - **Errors**: an empty range, bounds that the dtype cannot hold, a dtype that is neither bool nor an integer.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).integers(0..10, 1000);
    /// assert_eq!((x.min(..).item::<i64>()?, x.max(..).item::<i64>()?), (0, 9));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    integers / try_integers (self, range: impl Bounds, shape: impl IntoShape<DrawShape>) {
        const OP: &str = "integers";
        let shape = self.shape(OP, shape)?;
        let dtype = self.dtype.unwrap_or(DType::I64);
        if !dtype.is_int() && dtype != DType::Bool {
            return Err(Error::DTypes { op: OP, dtypes: dtype.to_string(), remedy: "draw integers" });
        }
        let (low, high) = match range.arrays() {
            None => range.bounds(),
            Some((Operand::Scalar(low), Operand::Scalar(high), closed)) => {
                let (low, high) = (int(OP, &low)?, int(OP, &high)?);
                (Some(low), Some(if closed { high } else { high - 1 }))
            }
            Some(ends) => return self.between(dtype, ends, &shape),
        };
        let (least, most) = if dtype == DType::Bool { (0, 1) } else { dtype.int_range() };
        let (low, high) = (low.unwrap_or(least), high.unwrap_or(most));
        if low < least || high > most {
            return Err(wrong(OP, format!("{low} to {high} is more than {dtype} can hold")));
        }
        if low > high {
            return Err(wrong(OP, format!("no number is from {low} to {high}")));
        }
        let (variate, parameters) = below((high - low) as u128 + 1, dtype, low);
        let sampler = Sampler { variate, dtype, scaled: false };
        self.draw(OP, sampler, &parameters, shape)
    }
}

/// A whole number.
fn int(op: &'static str, scalar: &Scalar) -> Result<i128> {
    match scalar.number() {
        Number::Int(value) => Ok(value),
        Number::Bool(value) => Ok(i128::from(value)),
        Number::Float(_) | Number::Complex(..) => {
            let dtypes = scalar.natural_dtype().to_string();
            Err(Error::DTypes { op, dtypes, remedy: "give whole numbers" })
        }
    }
}

/// How to draw one of `count` numbers from `low` on.
fn below(count: u128, dtype: DType, low: i128) -> (Variate, Vec<u64>) {
    let width = if dtype.size() == 8 { 64 } else { 32 };
    if count == 1 << width {
        return (Variate::Bits, Vec::new());
    }
    // Products whose low half is below this are one too many for their number. Where that happens more
    // often than once in 2^24 words of 32 bits, drawing all over costs more than words of 64 bits, which
    // are hardly ever refused.
    let rest = |bits: u32| (1u128 << bits) % count;
    let wide = count >= 1 << 32 || rest(32) > 1 << 8;
    let threshold = rest(if wide { 64 } else { 32 });
    let low = match dtype.size() {
        8 => low as u64,
        size => low as u64 & ((1 << (8 * size)) - 1),
    };
    (Variate::Below { wide }, vec![count as u64, threshold as u64, low])
}
