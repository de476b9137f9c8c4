//! Whole numbers from a range, each as likely as the other.

use std::ops::{
    Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

use super::recipe::{Recipe, Variate};
use super::{Draw, Generator, draws, wrong};
use crate::array::{Array, IntoShape};
use crate::dtype::DType;
use crate::error::{Error, Result};

/// A range of whole numbers: `0..10`, `1..=6`, `5..` (up to the dtype's largest), `..`.
pub trait Bounds {
    /// The lowest and highest number; `None` for the dtype's own.
    fn bounds(&self) -> (Option<i128>, Option<i128>);
}

/// Both ends of a range, of any integer type.
fn ends<T: Copy>(
    range: &impl RangeBounds<T>,
    value: impl Fn(T) -> i128,
) -> (Option<i128>, Option<i128>) {
    let low = match range.start_bound() {
        Bound::Included(&low) => Some(value(low)),
        Bound::Excluded(&low) => Some(value(low) + 1),
        Bound::Unbounded => None,
    };
    let high = match range.end_bound() {
        Bound::Included(&high) => Some(value(high)),
        Bound::Excluded(&high) => Some(value(high) - 1),
        Bound::Unbounded => None,
    };
    (low, high)
}

macro_rules! bounds {
    ($int:ident: $($range:ty),+) => {$(
        impl Bounds for $range {
            fn bounds(&self) -> (Option<i128>, Option<i128>) {
                ends(self, |end: $int| end as i128)
            }
        }
    )+};
    ($($int:ident),+) => {$(
        bounds!($int: Range<$int>, RangeInclusive<$int>, RangeFrom<$int>, RangeTo<$int>, RangeToInclusive<$int>);
    )+};
}
bounds!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl Bounds for RangeFull {
    fn bounds(&self) -> (Option<i128>, Option<i128>) {
        (None, None)
    }
}

draws! {
    /// Whole numbers from a range, all equally likely (without any bias), as NumPy's `Generator.integers`;
    /// `0..10` is its `endpoint=False`, `0..=9` its `endpoint=True`. The dtype is int64 unless chosen, bool or
    /// an integer.
    integers / try_integers (self, range: impl Bounds, shape: impl IntoShape) {
        const OP: &str = "integers";
        let dtype = self.dtype.unwrap_or(DType::I64);
        if !dtype.is_int() && dtype != DType::Bool {
            return Err(Error::DTypes { op: OP, dtypes: dtype.to_string(), remedy: "draw integers" });
        }
        let (least, most) = if dtype == DType::Bool { (0, 1) } else { dtype.int_range() };
        let (low, high) = range.bounds();
        let (low, high) = (low.unwrap_or(least), high.unwrap_or(most));
        if low < least || high > most {
            return Err(wrong(OP, format!("{low} to {high} is more than {dtype} can hold")));
        }
        if low > high {
            return Err(wrong(OP, format!("no number is from {low} to {high}")));
        }
        let (variate, parameters) = below((high - low) as u128 + 1, dtype, low);
        let recipe = Recipe { variate, dtype, scaled: false };
        self.draw(OP, recipe, &parameters, shape.into_shape())
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
