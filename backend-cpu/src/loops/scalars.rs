//! Operations on single values, in Rust's types.
//!
//! Written without branches where a loop should vectorize. The definitions are those of
//! `ndany_core::program::Prim`; the reference implements them independently.

use std::marker::PhantomData;

/// A function of one value.
pub(super) trait Op1 {
    type In: Copy;
    type Out: Copy;
    fn apply(x: Self::In) -> Self::Out;
}

/// A function of two values of one type.
pub(super) trait Op2 {
    type In: Copy;
    type Out: Copy;
    fn apply(x: Self::In, y: Self::In) -> Self::Out;
}

macro_rules! types {
    ($($name:ident)+) => {$(
        pub(super) struct $name<T>(PhantomData<T>);
    )+};
}
types! { Add Sub Mul Div Rem Min Max MinNumber MaxNumber And Or Xor Shl Shr MulHigh Gcd Neg Abs Not Sqrt Floor Ceil Trunc Rint Lt Le Eq }

/// Conversion from one register type to another.
pub(super) struct Cast<From, To>(PhantomData<(From, To)>);

macro_rules! op1 {
    ($($name:ident for $($ty:ty),+ => $out:ty: |$x:ident| $body:expr;)+) => {$($(
        impl Op1 for $name<$ty> {
            type In = $ty;
            type Out = $out;
            #[inline(always)]
            fn apply($x: $ty) -> $out { $body }
        }
    )+)+};
}

macro_rules! op2 {
    ($($name:ident for $($ty:ty),+: |$x:ident, $y:ident| $body:expr;)+) => {$($(
        impl Op2 for $name<$ty> {
            type In = $ty;
            type Out = $ty;
            #[inline(always)]
            fn apply($x: $ty, $y: $ty) -> $ty { $body }
        }
    )+)+};
}

macro_rules! compare {
    ($($ty:ty),+; equal $($equal:ty),+) => {$(
        impl Op2 for Lt<$ty> {
            type In = $ty;
            type Out = u8;
            #[inline(always)]
            fn apply(x: $ty, y: $ty) -> u8 { u8::from(x < y) }
        }
        impl Op2 for Le<$ty> {
            type In = $ty;
            type Out = u8;
            #[inline(always)]
            fn apply(x: $ty, y: $ty) -> u8 { u8::from(x <= y) }
        }
    )+$(
        impl Op2 for Eq<$equal> {
            type In = $equal;
            type Out = u8;
            #[inline(always)]
            fn apply(x: $equal, y: $equal) -> u8 { u8::from(x == y) }
        }
    )+};
}
compare!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64; equal u8, u16, u32, u64, f32, f64);

op2! {
    // These do not depend on the sign, so they serve both kinds of integer.
    Add for u8, u16, u32, u64: |x, y| x.wrapping_add(y);
    Sub for u8, u16, u32, u64: |x, y| x.wrapping_sub(y);
    Mul for u8, u16, u32, u64: |x, y| x.wrapping_mul(y);
    And for u8, u16, u32, u64: |x, y| x & y;
    Or for u8, u16, u32, u64: |x, y| x | y;
    Xor for u8, u16, u32, u64: |x, y| x ^ y;
    Add for f32, f64: |x, y| x + y;
    Sub for f32, f64: |x, y| x - y;
    Mul for f32, f64: |x, y| x * y;
    Div for f32, f64: |x, y| x / y;
    Rem for f32, f64: |x, y| x % y;
    Div for i8, i16, i32, i64: |x, y| if y == 0 { 0 } else { x.wrapping_div(y) };
    Rem for i8, i16, i32, i64: |x, y| if y == 0 { 0 } else { x.wrapping_rem(y) };
    Div for u8, u16, u32, u64: |x, y| x.checked_div(y).unwrap_or(0);
    Rem for u8, u16, u32, u64: |x, y| x.checked_rem(y).unwrap_or(0);
    Min for i8, i16, i32, i64, u8, u16, u32, u64: |x, y| if x < y { x } else { y };
    Max for i8, i16, i32, i64, u8, u16, u32, u64: |x, y| if x > y { x } else { y };
}

macro_rules! shifts {
    ($($unsigned:ty, $signed:ty;)+) => {$(
        impl Op2 for Shl<$unsigned> {
            type In = $unsigned;
            type Out = $unsigned;
            #[inline(always)]
            fn apply(x: $unsigned, y: $unsigned) -> $unsigned {
                // As an unsigned number, a negative count is larger than any width.
                let shifted = x.wrapping_shl(y as u32);
                if y < <$unsigned>::BITS as $unsigned { shifted } else { 0 }
            }
        }
        impl Op2 for Shr<$unsigned> {
            type In = $unsigned;
            type Out = $unsigned;
            #[inline(always)]
            fn apply(x: $unsigned, y: $unsigned) -> $unsigned {
                let shifted = x.wrapping_shr(y as u32);
                if y < <$unsigned>::BITS as $unsigned { shifted } else { 0 }
            }
        }
        impl Op2 for Shr<$signed> {
            type In = $signed;
            type Out = $signed;
            #[inline(always)]
            fn apply(x: $signed, y: $signed) -> $signed {
                let last = <$unsigned>::BITS - 1;
                let count = if (y as $unsigned) < last as $unsigned { y as u32 } else { last };
                x.wrapping_shr(count)
            }
        }
    )+};
}
shifts! { u8, i8; u16, i16; u32, i32; u64, i64; }

op2! {
    MulHigh for u32: |x, y| ((u64::from(x) * u64::from(y)) >> 32) as u32;
    MulHigh for u64: |x, y| mul_high(x, y);
}

/// The high half of a product, computed from products of halves: 128-bit products are computed one at a time,
/// these in vectors.
#[inline(always)]
fn mul_high(x: u64, y: u64) -> u64 {
    let low = |word: u64| word & u64::from(u32::MAX);
    let middle = low(x) * (y >> 32) + ((low(x) * low(y)) >> 32);
    // As a sum with an explicit carry: the compiler would turn sums of halves back into a 128-bit product.
    let (middle, carry) = middle.overflowing_add((x >> 32) * low(y));
    (x >> 32) * (y >> 32) + (middle >> 32) + (u64::from(carry) << 32)
}

macro_rules! divisors {
    ($($ty:ty),+) => {$(
        impl Op2 for Gcd<$ty> {
            type In = $ty;
            type Out = $ty;
            /// Stein's algorithm: shifts and differences instead of remainders.
            #[inline(always)]
            fn apply(x: $ty, y: $ty) -> $ty {
                if x == 0 || y == 0 {
                    return x | y;
                }
                let twos = (x | y).trailing_zeros();
                let (mut low, mut high) = (x >> x.trailing_zeros(), y >> y.trailing_zeros());
                while low != high {
                    if low > high {
                        (low, high) = (high, low);
                    }
                    high -= low;
                    high >>= high.trailing_zeros();
                }
                low << twos
            }
        }
    )+};
}
divisors!(u8, u16, u32, u64);

macro_rules! extrema {
    ($($ty:ty),+) => {$(
        impl Op2 for Min<$ty> {
            type In = $ty;
            type Out = $ty;
            #[inline(always)]
            fn apply(x: $ty, y: $ty) -> $ty {
                // Zeros of both signs compare equal; combining their bits gives the sign.
                let equal = <$ty>::from_bits(x.to_bits() | y.to_bits());
                let less = if x < y { x } else { y };
                let number = if x == y { equal } else { less };
                if x.is_nan() { x } else { number }
            }
        }
        impl Op2 for Max<$ty> {
            type In = $ty;
            type Out = $ty;
            #[inline(always)]
            fn apply(x: $ty, y: $ty) -> $ty {
                let equal = <$ty>::from_bits(x.to_bits() & y.to_bits());
                let more = if x > y { x } else { y };
                let number = if x == y { equal } else { more };
                if x.is_nan() { x } else { number }
            }
        }
        // Numbers only: NaN loses.
        impl Op2 for MinNumber<$ty> {
            type In = $ty;
            type Out = $ty;
            #[inline(always)]
            fn apply(x: $ty, y: $ty) -> $ty {
                let better = Min::<$ty>::apply(x, y);
                let better = if x.is_nan() { y } else { better };
                if y.is_nan() { x } else { better }
            }
        }
        impl Op2 for MaxNumber<$ty> {
            type In = $ty;
            type Out = $ty;
            #[inline(always)]
            fn apply(x: $ty, y: $ty) -> $ty {
                let better = Max::<$ty>::apply(x, y);
                let better = if x.is_nan() { y } else { better };
                if y.is_nan() { x } else { better }
            }
        }
    )+};
}
extrema!(f32, f64);

op1! {
    Neg for u8, u16, u32, u64 => Self::In: |x| x.wrapping_neg();
    Neg for f32, f64 => Self::In: |x| -x;
    Abs for i8, i16, i32, i64 => Self::In: |x| x.wrapping_abs();
    Abs for f32, f64 => Self::In: |x| x.abs();
    Not for u8, u16, u32, u64 => Self::In: |x| !x;
    Sqrt for f32, f64 => Self::In: |x| x.sqrt();
    Floor for f32, f64 => Self::In: |x| x.floor();
    Ceil for f32, f64 => Self::In: |x| x.ceil();
    Trunc for f32, f64 => Self::In: |x| x.trunc();
    Rint for f32, f64 => Self::In: |x| x.round_ties_even();
}

macro_rules! casts {
    ($from:ty => $($to:ty),+) => {$(
        impl Op1 for Cast<$from, $to> {
            type In = $from;
            type Out = $to;
            // `as` wraps integers.
            #[inline(always)]
            fn apply(x: $from) -> $to { x as $to }
        }
    )+};
}
casts!(i8 => i16, i32, i64, f32, f64);
casts!(i16 => i32, i64, f32, f64);
casts!(i32 => i64, f32, f64);
casts!(i64 => f32, f64);
casts!(u8 => i8, i16, i32, i64, f32, f64);
casts!(u16 => i8, i16, i32, i64, f32, f64);
casts!(u32 => i8, i16, i32, i64, f32, f64);
casts!(u64 => i8, i16, i32, i64, f32, f64);
casts!(f32 => f32, f64);
casts!(f64 => f32, f64);

macro_rules! casts_to_integers {
    ($from:ty => $($to:ty),+) => {$(
        impl Op1 for Cast<$from, $to> {
            type In = $from;
            type Out = $to;
            /// `as`: truncates and saturates, and NaN gives 0. The compiler converts `as` one element at a
            /// time for 64-bit integers.
            #[inline(always)]
            fn apply(x: $from) -> $to {
                // A power of two (or 0), so both bounds are exact.
                let (least, beyond) = (<$to>::MIN as $from, (<$to>::MAX / 2 + 1) as $from * 2.0);
                let inside = if x >= least && x < beyond { x } else { 0.0 };
                // SAFETY: the value is not NaN, and truncated it lies between the type's least and largest
                // value.
                let inside = unsafe { inside.to_int_unchecked::<$to>() };
                let value = if x >= beyond { <$to>::MAX } else { inside };
                if x < least { <$to>::MIN } else { value }
            }
        }
    )+};
}
casts_to_integers!(f32 => i8, i16, i32, i64, u8, u16, u32, u64);
casts_to_integers!(f64 => i8, i16, i32, i64, u8, u16, u32, u64);

/// Any value as a boolean byte.
pub(super) struct ToBool<T>(PhantomData<T>);

op1! {
    ToBool for u8, u16, u32, u64 => u8: |x| u8::from(x != 0);
    ToBool for f32, f64 => u8: |x| u8::from(x != 0.0);
}

/// The complement of a boolean.
pub(super) struct NotBool;

impl Op1 for NotBool {
    type In = u8;
    type Out = u8;
    #[inline(always)]
    fn apply(x: u8) -> u8 {
        x ^ 1
    }
}

/// Pseudorandom words.
#[cfg(test)]
pub(super) fn samples() -> impl Iterator<Item = u64> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    (0..2_000_000).map(move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! same_as_as {
        ($from:ty: $x:expr => $($to:ty)+) => {
            $(assert_eq!(Cast::<$from, $to>::apply($x), $x as $to, "{:e} to {}", $x, stringify!($to));)+
        };
    }

    #[test]
    fn floats_become_integers_as_by_as() {
        let edges = [7, 8, 15, 16, 31, 32, 63, 64].map(|bits| 2f64.powi(bits));
        let near = |x: f64| [x, x.next_up(), x.next_down(), x - 1.0, x - 0.5, x + 0.5];
        let edges = edges.into_iter().flat_map(near).flat_map(|x| [x, -x]);
        let others = [0.0, -0.0, -0.5, 0.99, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let random = samples().take(10_000).map(f64::from_bits);
        for x in edges.chain(others).chain(random) {
            same_as_as!(f64: x => i8 i16 i32 i64 u8 u16 u32 u64);
            for x in [x as f32, (x as f32).next_down(), (x as f32).next_up()] {
                same_as_as!(f32: x => i8 i16 i32 i64 u8 u16 u32 u64);
            }
        }
    }
}
