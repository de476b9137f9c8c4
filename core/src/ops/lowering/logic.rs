//! Booleans, and integers bit by bit.

use super::LoweredValue;
use super::LoweredValue::{Complex, Real};
use crate::program::{Builder, Prim, RegType, SsaValue};

/// Whether it is different from zero (in either part).
pub fn is_nonzero(value: LoweredValue<'_>) -> SsaValue<'_> {
    match value {
        Real(x) => x.cast(RegType::Bool),
        Complex(re, im) => re.cast(RegType::Bool) | im.cast(RegType::Bool),
    }
}

macro_rules! logical {
    ($($(#[$doc:meta])* $name:ident $op:tt;)+) => {$(
        $(#[$doc])*
        pub fn $name<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
            Real(is_nonzero(v[0]) $op is_nonzero(v[1]))
        }
    )+};
}

logical! {
    /// Both true.
    logical_and &;
    /// Either true.
    logical_or |;
    /// Exactly one true.
    logical_xor ^;
}

/// Not true.
pub fn logical_not<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(!is_nonzero(v[0]))
}

macro_rules! bitwise {
    ($($(#[$doc:meta])* $name:ident $prim:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
            Real(b.prim(Prim::$prim, &[v[0].real(), v[1].real()]))
        }
    )+};
}

bitwise! {
    /// x & y.
    bitwise_and And;
    /// x | y.
    bitwise_or Or;
    /// x ^ y.
    bitwise_xor Xor;
    /// x << y; 0 past the width.
    left_shift Shl;
    /// x >> y; 0 or the sign past the width.
    right_shift Shr;
}
