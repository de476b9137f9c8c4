//! One value at a time: the meaning of every primitive, conversion and element format.
//!
//! Registers are 64 bits wide; a value occupies the low bits of its type, the rest is zero.

use std::cell::Cell;
use std::cmp::Ordering;

use ndany_core::DType;
use ndany_core::float;
use ndany_core::program::{Fault, Op, Prim, RegType};

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn bits32(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// A primitive on values of type `ty` (the type of its arguments; for `Select` that of the choices).
#[inline]
pub(super) fn prim(prim: Prim, ty: RegType, args: [u64; 3], fault: &Cell<Fault>) -> u64 {
    let [a, b, c] = args;
    match prim {
        Prim::Select | Prim::SelectSlowPath => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Prim::RoundF16 => bits32(float::f32_to_f16(f32_of(a)).to_f32()),
        Prim::RoundBf16 => bits32(float::f32_to_bf16(f32_of(a)).to_f32()),
        Prim::NarrowF16 => bits32(float::f64_to_f16(f64::from_bits(a)).to_f32()),
        Prim::NarrowBf16 => bits32(float::f64_to_bf16(f64::from_bits(a)).to_f32()),
        _ => match ty {
            RegType::F32 => float32(prim, f32_of(a), f32_of(b), f32_of(c)),
            RegType::F64 => float64(prim, f64::from_bits(a), f64::from_bits(b), f64::from_bits(c)),
            _ => integer(prim, ty, a, b, fault),
        },
    }
}

macro_rules! float {
    ($name:ident, $ty:ty, $bits:expr) => {
        #[inline]
        fn $name(prim: Prim, a: $ty, b: $ty, c: $ty) -> u64 {
            // The order of min and max: NaN wins, and the sign tells zeros apart.
            let extremum = |wanted: Ordering| {
                if a.is_nan() || b.is_nan() {
                    <$ty>::NAN
                } else if a.total_cmp(&b) == wanted {
                    a
                } else {
                    b
                }
            };
            $bits(match prim {
                Prim::Add => a + b,
                Prim::Sub => a - b,
                Prim::Mul => a * b,
                Prim::Div => a / b,
                Prim::Rem => a % b,
                Prim::Min => extremum(Ordering::Less),
                Prim::Max => extremum(Ordering::Greater),
                Prim::Neg => -a,
                Prim::Abs => a.abs(),
                Prim::Sqrt => a.sqrt(),
                Prim::Floor => a.floor(),
                Prim::Ceil => a.ceil(),
                Prim::Trunc => a.trunc(),
                Prim::Rint => a.round_ties_even(),
                Prim::Fma => a.mul_add(b, c),
                Prim::Lt => return u64::from(a < b),
                Prim::Le => return u64::from(a <= b),
                Prim::Eq => return u64::from(a == b),
                Prim::IntPow
                | Prim::And
                | Prim::Or
                | Prim::Xor
                | Prim::Not
                | Prim::Shl
                | Prim::Shr
                | Prim::MulHigh
                | Prim::Gcd
                | Prim::Select
                | Prim::SelectSlowPath
                | Prim::RoundF16
                | Prim::RoundBf16
                | Prim::NarrowF16
                | Prim::NarrowBf16 => {
                    unreachable!("{prim:?} of a float")
                }
            })
        }
    };
}
float!(float32, f32, bits32);
float!(float64, f64, f64::to_bits);

/// Notes a fault; of several one counts.
fn note(fault: &Cell<Fault>, new: Fault) {
    fault.set(fault.get().or(new));
}

fn integer(prim: Prim, ty: RegType, a: u64, b: u64, fault: &Cell<Fault>) -> u64 {
    let (x, y) = (ty.integer(a), ty.integer(b));
    let width = 8 * ty.size() as i128;
    let in_width = (0..width).contains(&y);
    let value: i128 = match prim {
        Prim::Add => x + y,
        Prim::Sub => x - y,
        Prim::Mul => return ty.trimmed((x as u64).wrapping_mul(y as u64)),
        Prim::Div => {
            if y == 0 {
                0
            } else {
                x / y
            }
        }
        Prim::Rem => {
            if y == 0 {
                0
            } else {
                x % y
            }
        }
        Prim::IntPow => {
            let Ok(exponent) = u64::try_from(y) else {
                note(fault, Fault::NEGATIVE_POWER);
                return 0;
            };
            return ty.trimmed(wrapping_pow(x as u64, exponent));
        }
        Prim::Min => x.min(y),
        Prim::Max => x.max(y),
        Prim::And => x & y,
        Prim::Or => x | y,
        Prim::Xor => x ^ y,
        Prim::Shl => {
            if in_width {
                x << y
            } else {
                0
            }
        }
        Prim::Shr => x >> if in_width { y } else { width },
        Prim::MulHigh => ((a as u128 * b as u128) >> width) as i128,
        Prim::Gcd => {
            let (mut divisor, mut rest) = (x, y);
            while rest != 0 {
                (divisor, rest) = (rest, divisor % rest);
            }
            divisor
        }
        Prim::Neg => -x,
        Prim::Abs => x.abs(),
        Prim::Not => !x,
        Prim::Lt => i128::from(x < y),
        Prim::Le => i128::from(x <= y),
        Prim::Eq => i128::from(x == y),
        Prim::Sqrt
        | Prim::Floor
        | Prim::Ceil
        | Prim::Trunc
        | Prim::Rint
        | Prim::Fma
        | Prim::Select
        | Prim::SelectSlowPath
        | Prim::RoundF16
        | Prim::RoundBf16
        | Prim::NarrowF16
        | Prim::NarrowBf16 => unreachable!("{prim:?} of an integer"),
    };
    ty.trimmed(value as u64)
}

fn wrapping_pow(mut base: u64, mut exponent: u64) -> u64 {
    let mut power = 1u64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    power
}

/// Conversion between register types.
pub(super) fn cast(from: RegType, to: RegType, bits: u64) -> u64 {
    match (from, to) {
        (RegType::F32, RegType::F32) | (RegType::F64, RegType::F64) => bits,
        (RegType::F32, RegType::F64) => f64::from(f32_of(bits)).to_bits(),
        (RegType::F64, RegType::F32) => bits32(f64::from_bits(bits) as f32),
        (RegType::F32, RegType::Bool) => u64::from(f32_of(bits) != 0.0),
        (RegType::F64, RegType::Bool) => u64::from(f64::from_bits(bits) != 0.0),
        (RegType::F32, _) => from_float(f64::from(f32_of(bits)), to),
        (RegType::F64, _) => from_float(f64::from_bits(bits), to),
        (_, RegType::F32) => bits32(from.integer(bits) as f32),
        (_, RegType::F64) => (from.integer(bits) as f64).to_bits(),
        (_, RegType::Bool) => u64::from(bits != 0),
        (_, _) => to.trimmed(from.integer(bits) as u64),
    }
}

/// Truncates, saturates, NaN gives 0: what Rust's `as` promises.
fn from_float(value: f64, to: RegType) -> u64 {
    let value = match to {
        RegType::I8 => i128::from(value as i8),
        RegType::I16 => i128::from(value as i16),
        RegType::I32 => i128::from(value as i32),
        RegType::I64 => i128::from(value as i64),
        RegType::U8 => i128::from(value as u8),
        RegType::U16 => i128::from(value as u16),
        RegType::U32 => i128::from(value as u32),
        RegType::U64 => i128::from(value as u64),
        RegType::Bool | RegType::F32 | RegType::F64 => unreachable!("handled by the caller"),
    };
    to.trimmed(value as u64)
}

/// What an instruction without faults computes from constants; `arg_ty` is the type of the first.
pub fn constant_step(op: &Op, ty: RegType, arg_ty: RegType, args: [u64; 3]) -> u64 {
    step(op, ty, arg_ty, args, &Cell::new(Fault::NONE))
}

/// An instruction that computes something from its arguments alone.
#[inline]
pub(super) fn step(
    op: &Op,
    ty: RegType,
    arg_ty: RegType,
    args: [u64; 3],
    fault: &Cell<Fault>,
) -> u64 {
    match op {
        Op::Const(bits) => *bits,
        Op::Prim(which) => prim(*which, arg_ty, args, fault),
        Op::Cast { from } => cast(*from, ty, args[0]),
        Op::Bitcast { .. } => args[0],
        Op::Table(table) => {
            let last = table.words.len() - 1;
            ty.trimmed(table.words[usize::try_from(args[0]).unwrap_or(last).min(last)])
        }
        &Op::BoundsCheck { operand, axis } => {
            let [position, size] = [args[0], args[1]].map(|bits| bits as i64);
            if (0..size).contains(&position) {
                return args[0];
            }
            note(fault, Fault::position(operand, axis, position));
            0
        }
        Op::Load { .. }
        | Op::Scalar(_)
        | Op::Index
        | Op::Argument(_)
        | Op::Gather { .. }
        | Op::Call(_)
        | Op::CallOpen(_)
        | Op::CallResult(_)
        | Op::Reduced { .. }
        | Op::Running(_)
        | Op::Loop(_)
        | Op::LoopState(_) => unreachable!("{op:?} is not a step"),
    }
}

/// Reads part `part` of an element into a register.
pub(super) fn load(dtype: DType, element: &[u8], part: u8) -> u64 {
    let size = dtype.part().size();
    let bytes = &element[usize::from(part) * size..][..size];
    let mut word = [0; 8];
    word[..size].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(word);
    match dtype {
        DType::Bool => u64::from(bits != 0),
        _ => float::widened(dtype, bits as u16).map_or(bits, bits32),
    }
}

/// Writes registers as an element.
pub(super) fn store(dtype: DType, parts: [u64; 2], element: &mut [u8]) {
    let size = dtype.part().size();
    let bits = |value: u64| float::narrowed(dtype, f32_of(value)).map_or(value, u64::from);
    for (part, bytes) in element.chunks_mut(size).enumerate() {
        bytes.copy_from_slice(&bits(parts[part]).to_le_bytes()[..size]);
    }
}
