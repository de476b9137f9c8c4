//! The table from instructions to loops.

use ndany_core::DType;
use ndany_core::program::{Known, Op, Prim, RegType};

use super::complex::{ComplexAbs, ComplexProduct, ComplexQuotient, Conjugate};
use super::each::{
    Binary, Deinterleave, Fill, Fma, IntPow, Interleave, Iota, Reinterpret, Select, Unary,
};
use super::exists::{AnyCompared, AnyTrue, FirstTruth};
use super::extremes::Extreme;
use super::fold::{
    Accumulate, FoldLoop, FoldProducts, FoldUnordered, RunningFold, Segments, SumRows, TreeFold,
};
use super::formula::Formulas;
use super::fused::{PackBits, Range, UnpackBits};
use super::limits::{Clamp, Sign};
use super::narrow::*;
use super::philox::Words;
use super::products::Sum;
use super::ratio::IntDivision;
use super::scalars::*;
use super::state::{ArgExtremum, FirstExtremum, Moments, flips};
use super::{LoopFn, Loops, Simd, StateFns, V1};

/// A loop over types whose sign does not matter.
macro_rules! by_width {
    ($s:ident, $ty:expr, $loop:ident, $op:ident) => {
        match $ty.size() {
            1 => $s::compiled::<$loop<$op<u8>>>(),
            2 => $s::compiled::<$loop<$op<u16>>>(),
            4 => $s::compiled::<$loop<$op<u32>>>(),
            _ => $s::compiled::<$loop<$op<u64>>>(),
        }
    };
}

macro_rules! floats {
    ($s:ident, $ty:expr, $loop:ident, $op:ident) => {
        match $ty {
            RegType::F32 => $s::compiled::<$loop<$op<f32>>>(),
            RegType::F64 => $s::compiled::<$loop<$op<f64>>>(),
            other => unreachable!("{} of {other:?}", stringify!($op)),
        }
    };
}

/// A loop over the float of this many bytes.
macro_rules! by_float {
    ($s:ident, $size:expr, $loop:ident) => {
        match $size {
            4 => $s::compiled::<$loop<f32>>(),
            _ => $s::compiled::<$loop<f64>>(),
        }
    };
}

/// Floats by type, integers as unsigned.
macro_rules! arithmetic {
    ($s:ident, $ty:expr, $loop:ident, $op:ident) => {
        if $ty.is_float() { floats!($s, $ty, $loop, $op) } else { by_width!($s, $ty, $loop, $op) }
    };
}

/// Every integer; bool counts as a byte.
macro_rules! every_integer {
    ($s:ident, $ty:expr, $loop:ident, $op:ident) => {
        match $ty {
            RegType::I8 => $s::compiled::<$loop<$op<i8>>>(),
            RegType::I16 => $s::compiled::<$loop<$op<i16>>>(),
            RegType::I32 => $s::compiled::<$loop<$op<i32>>>(),
            RegType::I64 => $s::compiled::<$loop<$op<i64>>>(),
            RegType::Bool | RegType::U8 => $s::compiled::<$loop<$op<u8>>>(),
            RegType::U16 => $s::compiled::<$loop<$op<u16>>>(),
            RegType::U32 => $s::compiled::<$loop<$op<u32>>>(),
            RegType::U64 => $s::compiled::<$loop<$op<u64>>>(),
            RegType::F32 | RegType::F64 => unreachable!("{} of {:?}", stringify!($op), $ty),
        }
    };
}

/// Every numeric type; bool counts as a byte.
macro_rules! every {
    ($s:ident, $ty:expr, $loop:ident, $op:ident) => {
        if $ty.is_float() {
            floats!($s, $ty, $loop, $op)
        } else {
            every_integer!($s, $ty, $loop, $op)
        }
    };
}

macro_rules! signed_or_float {
    ($s:ident, $ty:expr, $loop:ident, $op:ident) => {
        match $ty {
            RegType::I8 => $s::compiled::<$loop<$op<i8>>>(),
            RegType::I16 => $s::compiled::<$loop<$op<i16>>>(),
            RegType::I32 => $s::compiled::<$loop<$op<i32>>>(),
            RegType::I64 => $s::compiled::<$loop<$op<i64>>>(),
            RegType::F32 => $s::compiled::<$loop<$op<f32>>>(),
            RegType::F64 => $s::compiled::<$loop<$op<f64>>>(),
            other => unreachable!("{} of {other:?}", stringify!($op)),
        }
    };
}

macro_rules! integers {
    ($s:ident, $ty:expr, $make:ident) => {
        match $ty {
            RegType::I8 => $s::compiled::<$make!(i8)>(),
            RegType::I16 => $s::compiled::<$make!(i16)>(),
            RegType::I32 => $s::compiled::<$make!(i32)>(),
            RegType::I64 => $s::compiled::<$make!(i64)>(),
            RegType::U8 => $s::compiled::<$make!(u8)>(),
            RegType::U16 => $s::compiled::<$make!(u16)>(),
            RegType::U32 => $s::compiled::<$make!(u32)>(),
            RegType::U64 => $s::compiled::<$make!(u64)>(),
            other => unreachable!("integers only, not {other:?}"),
        }
    };
}

macro_rules! cast_to {
    ($s:ident, $from:ty, $to:expr) => {
        match $to {
            RegType::I8 | RegType::U8 => $s::compiled::<Unary<Cast<$from, i8>>>(),
            RegType::I16 | RegType::U16 => $s::compiled::<Unary<Cast<$from, i16>>>(),
            RegType::I32 | RegType::U32 => $s::compiled::<Unary<Cast<$from, i32>>>(),
            RegType::I64 | RegType::U64 => $s::compiled::<Unary<Cast<$from, i64>>>(),
            RegType::F32 => $s::compiled::<Unary<Cast<$from, f32>>>(),
            RegType::F64 => $s::compiled::<Unary<Cast<$from, f64>>>(),
            RegType::Bool => unreachable!("a truth value is no cast"),
        }
    };
}

/// A signed integer as a wider integer or as a float.
macro_rules! cast_signed {
    ($s:ident, $from:ty, $to:expr, [$($wider:pat => $wide:ty),*]) => {
        match $to {
            $($wider => $s::compiled::<Unary<Cast<$from, $wide>>>(),)*
            RegType::F32 => $s::compiled::<Unary<Cast<$from, f32>>>(),
            RegType::F64 => $s::compiled::<Unary<Cast<$from, f64>>>(),
            other => unreachable!("{other:?} has bits of the integer, whatever its sign"),
        }
    };
}

macro_rules! cast_float {
    ($s:ident, $from:ty, $to:expr) => {
        match $to {
            RegType::U8 => $s::compiled::<Unary<Cast<$from, u8>>>(),
            RegType::U16 => $s::compiled::<Unary<Cast<$from, u16>>>(),
            RegType::U32 => $s::compiled::<Unary<Cast<$from, u32>>>(),
            RegType::U64 => $s::compiled::<Unary<Cast<$from, u64>>>(),
            RegType::I8 => $s::compiled::<Unary<Cast<$from, i8>>>(),
            RegType::I16 => $s::compiled::<Unary<Cast<$from, i16>>>(),
            RegType::I32 => $s::compiled::<Unary<Cast<$from, i32>>>(),
            RegType::I64 => $s::compiled::<Unary<Cast<$from, i64>>>(),
            RegType::F32 => $s::compiled::<Unary<Cast<$from, f32>>>(),
            RegType::F64 => $s::compiled::<Unary<Cast<$from, f64>>>(),
            RegType::Bool => unreachable!("a truth value is no cast"),
        }
    };
}

fn cast<S: Simd>(from: RegType, to: RegType) -> LoopFn {
    use RegType::*;
    // To an integer that is no wider, the sign does not matter.
    let truncates = !from.is_float() && !to.is_float() && to.size() <= from.size();
    match (from, to) {
        (from, Bool) => arithmetic!(S, from, Unary, ToBool),
        (I8, to) if !truncates => {
            cast_signed!(S, i8, to, [I16 | U16 => i16, I32 | U32 => i32, I64 | U64 => i64])
        }
        (I16, to) if !truncates => cast_signed!(S, i16, to, [I32 | U32 => i32, I64 | U64 => i64]),
        (I32, to) if !truncates => cast_signed!(S, i32, to, [I64 | U64 => i64]),
        (I64, to) if !truncates => cast_signed!(S, i64, to, []),
        (Bool | U8 | I8, to) => cast_to!(S, u8, to),
        (U16 | I16, to) => cast_to!(S, u16, to),
        (U32 | I32, to) => cast_to!(S, u32, to),
        (U64 | I64, to) => cast_to!(S, u64, to),
        (F32, to) => cast_float!(S, f32, to),
        (F64, to) => cast_float!(S, f64, to),
    }
}

macro_rules! pow_of {
    ($ty:ty) => { IntPow<$ty> };
}
macro_rules! shr_of {
    ($ty:ty) => { Binary<Shr<$ty>> };
}

/// The loop of integer division by floats, at levels with an instruction that truncates these.
fn ratio<S: Simd, const REST: bool>(ty: RegType) -> Option<LoopFn> {
    if const { !S::FUSED } {
        return None;
    }
    Some(match ty {
        RegType::I32 => S::compiled::<IntDivision<i32, REST>>(),
        RegType::I64 => S::compiled::<IntDivision<i64, REST>>(),
        RegType::U32 => S::compiled::<IntDivision<u32, REST>>(),
        RegType::U64 => S::compiled::<IntDivision<u64, REST>>(),
        RegType::Bool
        | RegType::I8
        | RegType::I16
        | RegType::U8
        | RegType::U16
        | RegType::F32
        | RegType::F64 => return None,
    })
}

/// Counts trailing zeros, one value at a time.
fn gcd<S: Simd>(ty: RegType) -> LoopFn {
    by_width!(S, ty, Binary, Gcd)
}

/// Remainders of floats, quotients and remainders of integers and powers of integers are computed one at a time at every
/// level, so they have the loops of the first, but for those that `ratio` has.
fn prim<S: Simd>(prim: Prim, ty: RegType) -> LoopFn {
    match prim {
        Prim::Add => arithmetic!(S, ty, Binary, Add),
        Prim::Sub => arithmetic!(S, ty, Binary, Sub),
        Prim::Mul => arithmetic!(S, ty, Binary, Mul),
        Prim::Div if ty.is_float() => floats!(S, ty, Binary, Div),
        Prim::Div => ratio::<S, false>(ty).unwrap_or_else(|| every!(V1, ty, Binary, Div)),
        Prim::Rem => ratio::<S, true>(ty).unwrap_or_else(|| every!(V1, ty, Binary, Rem)),
        Prim::IntPow => integers!(V1, ty, pow_of),
        Prim::Min => every!(S, ty, Binary, Min),
        Prim::Max => every!(S, ty, Binary, Max),
        Prim::And => by_width!(S, ty, Binary, And),
        Prim::Or => by_width!(S, ty, Binary, Or),
        Prim::Xor => by_width!(S, ty, Binary, Xor),
        Prim::Shl => by_width!(S, ty, Binary, Shl),
        Prim::Shr => integers!(S, ty, shr_of),
        Prim::MulHigh if ty == RegType::U32 => S::compiled::<Binary<MulHigh<u32>>>(),
        Prim::MulHigh => S::compiled::<Binary<MulHigh<u64>>>(),
        Prim::Gcd => gcd::<S::Long>(ty),
        Prim::Neg => arithmetic!(S, ty, Unary, Neg),
        Prim::Abs => signed_or_float!(S, ty, Unary, Abs),
        Prim::Not if ty == RegType::Bool => S::compiled::<Unary<NotBool>>(),
        Prim::Not => by_width!(S, ty, Unary, Not),
        Prim::Sqrt => floats!(S, ty, Unary, Sqrt),
        Prim::Floor => floats!(S, ty, Unary, Floor),
        Prim::Ceil => floats!(S, ty, Unary, Ceil),
        Prim::Trunc => floats!(S, ty, Unary, Trunc),
        Prim::Rint => floats!(S, ty, Unary, Rint),
        Prim::RoundF16 => S::compiled::<Unary<Round<F16>>>(),
        Prim::RoundBf16 => S::compiled::<Unary<Round<Bf16>>>(),
        Prim::NarrowF16 => S::compiled::<Unary<Narrow<F16>>>(),
        Prim::NarrowBf16 => S::compiled::<Unary<Narrow<Bf16>>>(),
        Prim::Fma if ty == RegType::F32 => S::compiled::<Fma<f32>>(),
        Prim::Fma => S::compiled::<Fma<f64>>(),
        Prim::Lt => every!(S, ty, Binary, Lt),
        Prim::Le => every!(S, ty, Binary, Le),
        Prim::Eq => arithmetic!(S, ty, Binary, Eq),
        Prim::Select | Prim::SelectSlowPath => match ty.size() {
            1 => S::compiled::<Select<u8>>(),
            2 => S::compiled::<Select<u16>>(),
            4 => S::compiled::<Select<u32>>(),
            _ => S::compiled::<Select<u64>>(),
        },
    }
}

/// A loop for each primitive that reductions combine by.
macro_rules! combining {
    ($s:ident, $prim:expr, $ty:expr, $loop:ident) => {
        match $prim {
            Prim::Add => arithmetic!($s, $ty, $loop, Add),
            Prim::Mul => arithmetic!($s, $ty, $loop, Mul),
            Prim::Min => every!($s, $ty, $loop, Min),
            Prim::Max => every!($s, $ty, $loop, Max),
            Prim::And => by_width!($s, $ty, $loop, And),
            Prim::Or => by_width!($s, $ty, $loop, Or),
            Prim::Xor => by_width!($s, $ty, $loop, Xor),
            other => unreachable!("no reduction combines by {other:?}"),
        }
    };
}

/// The loop of a left fold by one primitive: `out[i + 1] = f(out[i], a[i])`, with `count + 1` values at
/// `out`. Each element depends on the one before, so no level is faster than the first.
pub(crate) fn running(prim: Prim, ty: RegType) -> Option<LoopFn> {
    Some(match prim {
        Prim::Add => arithmetic!(V1, ty, RunningFold, Add),
        Prim::Sub => arithmetic!(V1, ty, RunningFold, Sub),
        Prim::Mul => arithmetic!(V1, ty, RunningFold, Mul),
        Prim::Div => every!(V1, ty, RunningFold, Div),
        Prim::Rem => every!(V1, ty, RunningFold, Rem),
        Prim::Shl => by_width!(V1, ty, RunningFold, Shl),
        _ => return None,
    })
}

impl<S: Simd> Loops for S {
    fn step(&self, op: &Op, ty: RegType, arg: RegType) -> LoopFn {
        match op {
            Op::Prim(which @ (Prim::Select | Prim::SelectSlowPath)) => prim::<S>(*which, ty),
            Op::Prim(which) => prim::<S>(*which, arg),
            Op::Cast { from } => cast::<S>(*from, ty),
            Op::Bitcast { .. } => by_width!(S, ty, Unary, Reinterpret),
            Op::Call(formula) => formula.visit(Formulas::<S>::new(ty == RegType::F64)),
            Op::Load { .. }
            | Op::Scalar(_)
            | Op::Const(_)
            | Op::Index
            | Op::Argument(_)
            | Op::Gather { .. }
            | Op::BoundsCheck { .. }
            | Op::Table(_)
            | Op::Reduced { .. }
            | Op::Running(_)
            | Op::Loop(_)
            | Op::LoopState(_)
            | Op::CallOpen(_)
            | Op::CallResult(_) => unreachable!("{op:?} is not a step"),
        }
    }

    fn fold(&self, prim: Prim, ty: RegType) -> LoopFn {
        combining!(S, prim, ty, FoldLoop)
    }

    fn unordered(&self, prim: Prim, ty: RegType) -> Option<LoopFn> {
        match prim {
            Prim::Min if ty.is_float() => Some(floats!(S, ty, Extreme, Min)),
            Prim::Max if ty.is_float() => Some(floats!(S, ty, Extreme, Max)),
            Prim::Min => Some(every_integer!(S, ty, FoldUnordered, Min)),
            Prim::Max => Some(every_integer!(S, ty, FoldUnordered, Max)),
            Prim::Add if !ty.is_float() => Some(by_width!(S, ty, FoldUnordered, Add)),
            _ => None,
        }
    }

    fn of_numbers(&self, largest: bool, ty: RegType) -> [LoopFn; 3] {
        if largest {
            [
                floats!(S, ty, FoldLoop, MaxNumber),
                floats!(S, ty, Accumulate, MaxNumber),
                floats!(S, ty, Extreme, MaxNumber),
            ]
        } else {
            [
                floats!(S, ty, FoldLoop, MinNumber),
                floats!(S, ty, Accumulate, MinNumber),
                floats!(S, ty, Extreme, MinNumber),
            ]
        }
    }

    fn tree_fold(&self, prim: Prim, ty: RegType) -> Option<LoopFn> {
        Some(match prim {
            Prim::Add => arithmetic!(S, ty, TreeFold, Add),
            Prim::Mul => arithmetic!(S, ty, TreeFold, Mul),
            Prim::Min if !ty.is_float() => every_integer!(S, ty, TreeFold, Min),
            Prim::Max if !ty.is_float() => every_integer!(S, ty, TreeFold, Max),
            // They read some hundred bytes, which no instruction set makes faster by much, and are rare.
            Prim::And => by_width!(V1, ty, TreeFold, And),
            Prim::Or => by_width!(V1, ty, TreeFold, Or),
            Prim::Xor => by_width!(V1, ty, TreeFold, Xor),
            _ => return None,
        })
    }

    fn sum_of_products(&self, ty: RegType) -> LoopFn {
        by_float!(S, ty.size(), FoldProducts)
    }

    fn exists(&self, prim: Prim, arg: RegType) -> Option<LoopFn> {
        Some(match prim {
            Prim::Lt => every!(S, arg, AnyCompared, Lt),
            Prim::Le => every!(S, arg, AnyCompared, Le),
            Prim::Eq => arithmetic!(S, arg, AnyCompared, Eq),
            _ => return None,
        })
    }

    fn any_true(&self) -> LoopFn {
        S::compiled::<AnyTrue>()
    }

    fn sum_of_rows(&self, ty: RegType) -> LoopFn {
        by_float!(S, ty.size(), SumRows)
    }

    fn deinterleave(&self, size: usize) -> [LoopFn; 2] {
        match size {
            4 => [S::compiled::<Deinterleave<u32, 0>>(), S::compiled::<Deinterleave<u32, 1>>()],
            _ => [S::compiled::<Deinterleave<u64, 0>>(), S::compiled::<Deinterleave<u64, 1>>()],
        }
    }

    fn interleave(&self, size: usize) -> LoopFn {
        match size {
            1 => S::compiled::<Interleave<u8>>(),
            2 => S::compiled::<Interleave<u16>>(),
            4 => S::compiled::<Interleave<u32>>(),
            _ => S::compiled::<Interleave<u64>>(),
        }
    }

    fn accumulate(&self, prim: Prim, ty: RegType) -> LoopFn {
        combining!(S, prim, ty, Accumulate)
    }

    fn complex_product(&self, size: usize) -> LoopFn {
        by_float!(S, size, ComplexProduct)
    }

    fn complex_quotient(&self, size: usize) -> LoopFn {
        by_float!(S, size, ComplexQuotient)
    }

    fn conjugate(&self, size: usize) -> LoopFn {
        by_float!(S, size, Conjugate)
    }

    fn complex_abs(&self, size: usize) -> LoopFn {
        by_float!(S, size, ComplexAbs)
    }

    fn sign(&self, ty: RegType) -> LoopFn {
        floats!(S, ty, Unary, Sign)
    }

    fn clamp(&self, ty: RegType) -> LoopFn {
        match ty {
            RegType::I8 => S::compiled::<Clamp<i8>>(),
            RegType::I16 => S::compiled::<Clamp<i16>>(),
            RegType::I32 => S::compiled::<Clamp<i32>>(),
            RegType::I64 => S::compiled::<Clamp<i64>>(),
            RegType::Bool | RegType::U8 => S::compiled::<Clamp<u8>>(),
            RegType::U16 => S::compiled::<Clamp<u16>>(),
            RegType::U32 => S::compiled::<Clamp<u32>>(),
            RegType::U64 => S::compiled::<Clamp<u64>>(),
            RegType::F32 => S::compiled::<Clamp<f32>>(),
            RegType::F64 => S::compiled::<Clamp<f64>>(),
        }
    }

    fn fill(&self, size: usize) -> LoopFn {
        match size {
            1 => S::compiled::<Fill<u8>>(),
            2 => S::compiled::<Fill<u16>>(),
            4 => S::compiled::<Fill<u32>>(),
            _ => S::compiled::<Fill<u64>>(),
        }
    }

    fn iota(&self) -> LoopFn {
        S::compiled::<Iota>()
    }

    fn range(&self, ty: RegType, except: bool) -> LoopFn {
        match (ty, except) {
            (RegType::F32, false) => S::compiled::<Range<f32, false>>(),
            (RegType::F32, true) => S::compiled::<Range<f32, true>>(),
            (RegType::F64, false) => S::compiled::<Range<f64, false>>(),
            (RegType::F64, true) => S::compiled::<Range<f64, true>>(),
            (_, false) => S::compiled::<Range<i64, false>>(),
            (_, true) => S::compiled::<Range<i64, true>>(),
        }
    }

    fn bits(&self, spread: bool) -> LoopFn {
        if spread { S::compiled::<UnpackBits>() } else { S::compiled::<PackBits>() }
    }

    fn philox(&self) -> LoopFn {
        S::compiled::<Words>()
    }

    fn known(&self, known: Known, ty: RegType) -> StateFns {
        match known {
            Known::FirstSmallest => first::<S, false>(ty),
            Known::FirstLargest => first::<S, true>(ty),
            Known::Moments if ty == RegType::F32 => S::combining::<Moments<f32>>(),
            Known::Moments => S::combining::<Moments<f64>>(),
        }
    }

    fn gain<T: Sum>(&self) -> LoopFn {
        T::gain::<S>()
    }

    fn along<T: Sum>(&self) -> [LoopFn; 2] {
        T::along::<S>()
    }

    fn segments(&self, prim: Prim, ty: RegType) -> LoopFn {
        combining!(S, prim, ty, Segments)
    }

    fn widen(&self, dtype: DType) -> Option<LoopFn> {
        match dtype {
            DType::F16 => Some(S::compiled::<Unary<Load16<F16>>>()),
            DType::BF16 => Some(S::compiled::<Unary<Load16<Bf16>>>()),
            _ => None,
        }
    }

    fn narrow(&self, dtype: DType) -> Option<LoopFn> {
        match dtype {
            DType::F16 => Some(S::compiled::<Unary<Store16<F16>>>()),
            DType::BF16 => Some(S::compiled::<Unary<Store16<Bf16>>>()),
            _ => None,
        }
    }
}

fn first<S: Simd, const LARGEST: bool>(ty: RegType) -> StateFns {
    let combining = match ty {
        RegType::F32 => S::combining::<ArgExtremum<f32>>(),
        RegType::F64 => S::combining::<ArgExtremum<f64>>(),
        _ => match ty.size() {
            1 => S::combining::<ArgExtremum<i8>>(),
            2 => S::combining::<ArgExtremum<i16>>(),
            4 => S::combining::<ArgExtremum<i32>>(),
            _ => S::combining::<ArgExtremum<i64>>(),
        },
    };
    // Rows are searched without flipped bits: that takes two thirds of the time.
    let locate = match ty {
        RegType::Bool => S::locating::<FirstTruth<LARGEST>>(),
        RegType::U8 => S::locating::<FirstExtremum<u8, LARGEST>>(),
        RegType::U16 => S::locating::<FirstExtremum<u16, LARGEST>>(),
        RegType::U32 => S::locating::<FirstExtremum<u32, LARGEST>>(),
        RegType::U64 => S::locating::<FirstExtremum<u64, LARGEST>>(),
        RegType::I8 => S::locating::<FirstExtremum<i8, LARGEST>>(),
        RegType::I16 => S::locating::<FirstExtremum<i16, LARGEST>>(),
        RegType::I32 => S::locating::<FirstExtremum<i32, LARGEST>>(),
        RegType::I64 => S::locating::<FirstExtremum<i64, LARGEST>>(),
        RegType::F32 => S::locating::<FirstExtremum<f32, LARGEST>>(),
        RegType::F64 => S::locating::<FirstExtremum<f64, LARGEST>>(),
    };
    StateFns { locate: Some(locate), flips: flips(ty, LARGEST), ..combining }
}
