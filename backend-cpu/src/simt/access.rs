//! Elements of arrays and shared memory, for the threads of a block.
//!
//! Other threads of the host may read and write an array that the kernel writes, in any order: a kernel that races has
//! some result, but no undefined behaviour. So these elements are read and written as relaxed atomics.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use ndany_core::DType;
use ndany_core::float;
use ndany_core::simt::Atomic;
use ndany_core::{bf16, f16};

/// `out[i]` is the element at `positions[i]`, or zero where that is [`OUTSIDE`].
///
/// # Safety
/// `start` has every position of `positions[..count]` that is not [`OUTSIDE`]; `out` has room for `count` registers.
pub(super) type LoadFn =
    unsafe fn(start: *const u8, positions: *const u64, out: *mut u8, count: usize);

/// Writes `values[i]` at `positions[i]` where `mask[i]` is not 0 and the position is not [`OUTSIDE`].
///
/// # Safety
/// As [`LoadFn`]; `values` and `mask` have `count` values.
pub(super) type StoreFn = unsafe fn(
    start: *mut u8,
    positions: *const u64,
    values: *const u8,
    mask: *const u8,
    count: usize,
);

/// No position.
pub(super) const OUTSIDE: u64 = u64::MAX;

/// The functions for the elements of a dtype.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accesses {
    pub(super) load: LoadFn,
    pub(super) store: StoreFn,
}

/// An element in memory and as a register.
trait Stored {
    /// The bits in memory.
    type Bits: Word;
    /// The register.
    type Register: Copy + Default;
    fn widen(bits: Self::Bits) -> Self::Register;
    fn narrow(register: Self::Register) -> Self::Bits;
}

/// Bits of an element.
trait Word: Copy {
    /// Reads as other threads may write.
    ///
    /// # Safety
    /// `at` is aligned and valid for reads, and written by atomics alone.
    unsafe fn read(at: *const Self) -> Self;
    /// Writes as other threads may read and write.
    ///
    /// # Safety
    /// As [`Word::read`], for writes.
    unsafe fn write(at: *mut Self, bits: Self);
}

macro_rules! word {
    ($($word:ty, $atomic:ty;)+) => {$(
        impl Word for $word {
            unsafe fn read(at: *const Self) -> Self {
                // SAFETY: the caller upholds this.
                unsafe { <$atomic>::from_ptr(at.cast_mut()) }.load(Ordering::Relaxed)
            }
            unsafe fn write(at: *mut Self, bits: Self) {
                // SAFETY: the caller upholds this.
                unsafe { <$atomic>::from_ptr(at) }.store(bits, Ordering::Relaxed);
            }
        }
    )+};
}
word! { u8, AtomicU8; u16, AtomicU16; u32, AtomicU32; u64, AtomicU64; }

/// Elements that are registers as they are.
macro_rules! plain {
    ($($name:ident, $word:ty;)+) => {$(
        struct $name;
        impl Stored for $name {
            type Bits = $word;
            type Register = $word;
            fn widen(bits: $word) -> $word { bits }
            fn narrow(register: $word) -> $word { register }
        }
    )+};
}
plain! { Byte, u8; Half, u16; Single, u32; Double, u64; }

struct Truth;
impl Stored for Truth {
    type Bits = u8;
    type Register = u8;
    fn widen(bits: u8) -> u8 {
        u8::from(bits != 0)
    }
    fn narrow(register: u8) -> u8 {
        register
    }
}

struct F16;
impl Stored for F16 {
    type Bits = u16;
    type Register = f32;
    fn widen(bits: u16) -> f32 {
        f16::from_bits(bits).to_f32()
    }
    fn narrow(register: f32) -> u16 {
        float::f32_to_f16(register).to_bits()
    }
}

struct Bf16;
impl Stored for Bf16 {
    type Bits = u16;
    type Register = f32;
    fn widen(bits: u16) -> f32 {
        bf16::from_bits(bits).to_f32()
    }
    fn narrow(register: f32) -> u16 {
        float::f32_to_bf16(register).to_bits()
    }
}

unsafe fn load<S: Stored, const CONTENDED: bool>(
    start: *const u8,
    positions: *const u64,
    out: *mut u8,
    count: usize,
) {
    let (start, out) = (start.cast::<S::Bits>(), out.cast::<S::Register>());
    for lane in 0..count {
        // SAFETY: the caller upholds this.
        unsafe {
            let position = *positions.add(lane);
            let value = match position {
                OUTSIDE => S::Register::default(),
                _ => {
                    let at = start.add(position as usize);
                    S::widen(if CONTENDED { S::Bits::read(at) } else { *at })
                }
            };
            *out.add(lane) = value;
        }
    }
}

unsafe fn store<S: Stored, const CONTENDED: bool>(
    start: *mut u8,
    positions: *const u64,
    values: *const u8,
    mask: *const u8,
    count: usize,
) {
    let (start, values) = (start.cast::<S::Bits>(), values.cast::<S::Register>());
    for lane in 0..count {
        // SAFETY: the caller upholds this.
        unsafe {
            let position = *positions.add(lane);
            if *mask.add(lane) != 0 && position != OUTSIDE {
                let (at, bits) = (start.add(position as usize), S::narrow(*values.add(lane)));
                if CONTENDED { S::Bits::write(at, bits) } else { *at = bits }
            }
        }
    }
}

fn of<S: Stored>(contended: bool) -> Accesses {
    match contended {
        true => Accesses { load: load::<S, true>, store: store::<S, true> },
        false => Accesses { load: load::<S, false>, store: store::<S, false> },
    }
}

/// The functions for a dtype that is not complex.
pub(super) fn accesses(dtype: DType, contended: bool) -> Accesses {
    match dtype {
        DType::Bool => of::<Truth>(contended),
        DType::F16 => of::<F16>(contended),
        DType::BF16 => of::<Bf16>(contended),
        other => match other.size() {
            1 => of::<Byte>(contended),
            2 => of::<Half>(contended),
            4 => of::<Single>(contended),
            _ => of::<Double>(contended),
        },
    }
}

macro_rules! atomics {
    ($name:ident, $word:ty, $signed:ty, $float:ty, $atomic:ty, $is_signed:pat, $is_float:pat) => {
        /// Changes an element; returns what was there.
        ///
        /// # Safety
        /// `at` is aligned and valid, and written by atomics alone, or by this thread alone.
        unsafe fn $name(at: *mut u8, op: Atomic, dtype: DType, value: u64, expected: u64) -> u64 {
            // SAFETY: the caller upholds this.
            let at = unsafe { <$atomic>::from_ptr(at.cast()) };
            let (value, expected, order) = (value as $word, expected as $word, Ordering::Relaxed);
            let change = |f: &dyn Fn($word) -> $word| {
                let mut was = at.load(order);
                loop {
                    match at.compare_exchange_weak(was, f(was), order, order) {
                        Ok(was) => return was,
                        Err(found) => was = found,
                    }
                }
            };
            let was = match (op, dtype) {
                (Atomic::Add, $is_float) => {
                    change(&|was| (<$float>::from_bits(was) + <$float>::from_bits(value)).to_bits())
                }
                (Atomic::Add, _) => at.fetch_add(value, order),
                (Atomic::Min, $is_signed) => {
                    change(&|was| (was as $signed).min(value as $signed) as $word)
                }
                (Atomic::Max, $is_signed) => {
                    change(&|was| (was as $signed).max(value as $signed) as $word)
                }
                (Atomic::Min, _) => at.fetch_min(value, order),
                (Atomic::Max, _) => at.fetch_max(value, order),
                (Atomic::And, _) => at.fetch_and(value, order),
                (Atomic::Or, _) => at.fetch_or(value, order),
                (Atomic::Xor, _) => at.fetch_xor(value, order),
                (Atomic::Exchange, _) => at.swap(value, order),
                (Atomic::CompareExchange, _) => {
                    match at.compare_exchange(expected, value, order, order) {
                        Ok(was) | Err(was) => was,
                    }
                }
            };
            u64::from(was)
        }
    };
}
atomics!(atomic32, u32, i32, f32, AtomicU32, DType::I32, DType::F32);
atomics!(atomic64, u64, i64, f64, AtomicU64, DType::I64, DType::F64);

/// Changes an element of a dtype of 32 or 64 bits; returns what was there.
///
/// # Safety
/// `at` is aligned and valid, and written by atomics alone, or by this thread alone.
pub(super) unsafe fn atomic(
    at: *mut u8,
    op: Atomic,
    dtype: DType,
    value: u64,
    expected: u64,
) -> u64 {
    // SAFETY: the caller upholds this.
    unsafe {
        match dtype.size() {
            4 => atomic32(at, op, dtype, value, expected),
            _ => atomic64(at, op, dtype, value, expected),
        }
    }
}
