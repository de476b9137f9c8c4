//! Dtype rules: which dtypes an operation takes, in which one it computes, which one it returns.

use super::lowering::LoweredValue;
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::program::SsaValue;

/// How bool operands are converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bools {
    /// Computed as bool.
    Kept,
    /// Computed as int8, as NumPy does where it has no loop for bool.
    AsInt8,
    /// Refused.
    Refused,
}

/// The dtype in which integers are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ints {
    /// As integers.
    Kept,
    /// As the float of NumPy's choice: f16 for 8 bits, f32 for 16, f64 above.
    AsFloat,
    /// As f64 (true division).
    AsF64,
    /// Refused.
    Refused,
}

/// Which floats are computed in a wider format (and complex numbers in that of their part).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widens {
    /// None.
    Nothing,
    /// Those of 16 bits, as SciPy does, which has loops for f32 and f64 and takes f16 as f64.
    Half,
    /// All, to f64 and complex128.
    Everything,
}

/// The dtype of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// The dtype computed in.
    Same,
    /// Bool.
    Bool,
    /// The part of a complex dtype; else the dtype computed in.
    Part,
    /// Always this one.
    Fixed(DType),
}

/// The dtype rule of an operation, applied to the promoted dtype of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Bool operands.
    pub bools: Bools,
    /// Integer operands.
    pub ints: Ints,
    /// Whether floats are accepted.
    pub floats: bool,
    /// Floats computed in a wider format.
    pub widens: Widens,
    /// Whether complex numbers are accepted.
    pub complex: bool,
    /// Whether the last operand is an integer exponent, which takes no part in promotion.
    pub exponent: bool,
    /// The result.
    pub returns: Returns,
}

const ANY: Signature = Signature {
    bools: Bools::Kept,
    ints: Ints::Kept,
    floats: true,
    widens: Widens::Nothing,
    complex: true,
    exponent: false,
    returns: Returns::Same,
};

impl Signature {
    /// Every dtype, computed in itself.
    pub const ANY: Signature = ANY;
    /// Numbers, not bool.
    pub const NUMBERS: Signature = Signature { bools: Bools::Refused, ..ANY };
    /// Numbers; bool counts as int8.
    pub const WIDENED: Signature = Signature { bools: Bools::AsInt8, ..ANY };
    /// Real numbers; bool counts as int8.
    pub const WIDENED_REAL: Signature = Signature { bools: Bools::AsInt8, complex: false, ..ANY };
    /// Every real dtype, bool included.
    pub const REAL: Signature = Signature { complex: false, ..ANY };
    /// Floats and complex numbers; integers become floats.
    pub const INEXACT: Signature = Signature { bools: Bools::AsInt8, ints: Ints::AsFloat, ..ANY };
    /// As [`Signature::INEXACT`], integers always f64.
    pub const DIVISION: Signature = Signature { bools: Bools::AsInt8, ints: Ints::AsF64, ..ANY };
    /// As [`Signature::INEXACT`], without complex numbers.
    pub const INEXACT_REAL: Signature = Signature { complex: false, ..Self::INEXACT };
    /// Everything in f64 or complex128.
    pub const WIDEST: Signature = Signature { widens: Widens::Everything, ..Self::DIVISION };
    /// As the ufuncs of `scipy.special` on real numbers: f32 and f64 in themselves, the rest in f64.
    pub const SPECIAL: Signature =
        Signature { widens: Widens::Half, complex: false, ..Self::DIVISION };
    /// As [`Signature::DIVISION`], without complex numbers.
    pub const DIVISION_REAL: Signature = Signature { complex: false, ..Self::DIVISION };
    /// Every dtype to bool.
    pub const TRUTH: Signature = Signature { returns: Returns::Bool, ..ANY };
    /// Real dtypes to bool.
    pub const TRUTH_REAL: Signature = Signature { complex: false, returns: Returns::Bool, ..ANY };
    /// Bool and integers.
    pub const BITS: Signature = Signature { floats: false, complex: false, ..ANY };
    /// Integers; bool counts as int8.
    pub const SHIFTS: Signature =
        Signature { bools: Bools::AsInt8, floats: false, complex: false, ..ANY };
    /// Integers, not bool.
    pub const INTEGERS: Signature =
        Signature { bools: Bools::Refused, floats: false, complex: false, ..ANY };
    /// A float (integers become floats) and, apart from it, an integer exponent.
    pub const SCALED: Signature = Signature { exponent: true, ..Signature::INEXACT_REAL };
    /// Integers; bool counts as int8; the result is a small count.
    pub const COUNTED: Signature =
        Signature { returns: Returns::Fixed(DType::U8), ..Signature::SHIFTS };
    /// As [`Signature::INEXACT_REAL`]; the result is a binary exponent.
    pub const EXPONENT: Signature =
        Signature { returns: Returns::Fixed(DType::I32), ..Signature::INEXACT_REAL };
    /// Every dtype; complex numbers return their part's dtype.
    pub const MAGNITUDE: Signature = Signature { returns: Returns::Part, ..ANY };

    /// The dtypes computed in and returned, for operands that promote to `promoted`.
    pub fn resolve(&self, op: &'static str, promoted: DType) -> Result<(DType, DType)> {
        let refused = |remedy| Error::DTypes { op, dtypes: promoted.to_string(), remedy };
        let widen = |dtype: DType| match self.ints {
            Ints::Kept => Ok(dtype),
            Ints::AsFloat => Ok(dtype.to_inexact()),
            Ints::AsF64 => Ok(DType::F64),
            Ints::Refused => Err(refused("convert to a float with astype")),
        };
        let compute = match promoted.kind() {
            Kind::Bool => match self.bools {
                Bools::Kept => DType::Bool,
                Bools::AsInt8 => widen(DType::I8)?,
                Bools::Refused => {
                    return Err(refused("use the logical or bitwise operation, or astype(int8)"));
                }
            },
            Kind::Int => widen(promoted)?,
            Kind::Float if self.floats => match self.widens {
                Widens::Everything => DType::F64,
                Widens::Half if promoted == DType::F16 => DType::F64,
                Widens::Half if promoted == DType::BF16 => DType::F32,
                Widens::Nothing | Widens::Half => promoted,
            },
            Kind::Complex if self.complex => match self.widens {
                Widens::Everything => DType::C128,
                Widens::Nothing | Widens::Half => promoted,
            },
            Kind::Float => return Err(refused("convert to an integer with astype")),
            Kind::Complex => return Err(refused("take real(), imag() or absolute() first")),
        };
        let returned = match self.returns {
            Returns::Same => compute,
            Returns::Bool => DType::Bool,
            Returns::Part => compute.part(),
            Returns::Fixed(dtype) => dtype,
        };
        Ok((compute, returned))
    }
}

/// Conversion of a value from one dtype to another, as `astype` does it.
pub fn cast<'b>(value: LoweredValue<'b>, from: DType, to: DType) -> LoweredValue<'b> {
    if from == to {
        return value;
    }
    let real = |term: SsaValue<'b>| {
        use crate::program::{Prim, RegType};
        let wide = term.ty() == RegType::F64;
        match Prim::narrowing(to) {
            Some(narrow) if wide => term.builder().prim(narrow, &[term]),
            // Integers pass through f64 so that they, too, round once.
            Some(narrow) if !term.ty().is_float() && term.ty().size() > 2 => {
                term.builder().prim(narrow, &[sticky(term).cast(RegType::F64)])
            }
            _ => term.cast(RegType::of(to)).round_to(to),
        }
    };
    match value {
        LoweredValue::Real(term) if to.is_complex() => {
            LoweredValue::Complex(real(term), real(term).zero())
        }
        LoweredValue::Real(term) => LoweredValue::Real(real(term)),
        LoweredValue::Complex(re, im) if to == DType::Bool => {
            LoweredValue::Real(!(re.equals(re.zero()) & im.equals(im.zero())))
        }
        LoweredValue::Complex(re, im) if to.is_complex() => {
            LoweredValue::Complex(real(re), real(im))
        }
        LoweredValue::Complex(re, _) => LoweredValue::Real(real(re)),
    }
}

/// A 64-bit integer that f64 holds exactly and that rounds to any shorter format as `term` does: what
/// 53 bits cannot hold is rounded to odd (Boldo & Melquiond 2008).
fn sticky(term: SsaValue<'_>) -> SsaValue<'_> {
    let ty = term.ty();
    if ty.size() < 8 {
        return term;
    }
    let b = term.builder();
    let low = b.int(ty, 0x7FF);
    let exact = (term & low).equals(term.zero());
    let odd = (term & !low) | exact.select(term.zero(), b.int(ty, 0x800));
    let high = term >> 53;
    let fits = high.equals(term.zero());
    let fits = if ty.is_signed() { fits | high.equals(b.int(ty, -1)) } else { fits };
    fits.select(term, odd)
}
