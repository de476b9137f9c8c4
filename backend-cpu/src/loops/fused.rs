//! Several instructions of a map in one loop: see `crate::fused`.

use std::marker::PhantomData;

use super::Loop;
use super::each::{block, block_mut};
use super::scalars::{Cast, Op1, Op2, Shr};

/// The operands of such a loop; `args[0]` is the address of one `Sources`.
#[derive(Debug)]
pub(crate) struct Sources {
    /// Index of the first element.
    first: i64,
    /// Registers. A register that is the same for every element is read once.
    pub(crate) registers: [*const u8; Sources::MAX],
}

impl Sources {
    /// Maximum number of registers.
    pub(crate) const MAX: usize = 6;

    pub(crate) fn new(first: usize) -> Self {
        Self { first: first as i64, registers: [std::ptr::null(); Self::MAX] }
    }

    /// The value of a register that is the same for every element.
    ///
    /// # Safety
    /// The register holds a `T`.
    #[inline(always)]
    unsafe fn one<T: Copy>(&self, register: usize) -> T {
        // SAFETY: the caller upholds this.
        unsafe { *self.registers[register].cast::<T>() }
    }
}

/// The element type of a range.
pub(super) trait Ranged: Copy {
    /// `start + at * step`, each operation rounded.
    fn at(start: Self, step: Self, at: i64) -> Self;
}

impl Ranged for i64 {
    #[inline(always)]
    fn at(start: i64, step: i64, at: i64) -> i64 {
        start.wrapping_add(at.wrapping_mul(step))
    }
}

macro_rules! ranged {
    ($($ty:ty),+) => {$(
        impl Ranged for $ty {
            #[inline(always)]
            fn at(start: $ty, step: $ty, at: i64) -> $ty {
                start + Cast::<i64, $ty>::apply(at) * step
            }
        }
    )+};
}
ranged!(f32, f64);

/// `out[i] = start + (first + i) * step`; with `EXCEPT`, `other` where an integer range has the wanted value.
/// Registers: start, step, other, start and step of the integer range, the wanted value.
pub(super) struct Range<T, const EXCEPT: bool>(PhantomData<T>);

impl<T: Ranged, const EXCEPT: bool> Loop for Range<T, EXCEPT> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives sources whose registers are those of this loop, and `count` values at `out`.
        unsafe {
            let (out, sources) = (block_mut::<T>(out, count), &*args[0].cast::<Sources>());
            let (start, step) = (sources.one::<T>(0), sources.one::<T>(1));
            for (out, at) in out.iter_mut().zip(sources.first..) {
                *out = T::at(start, step, at);
            }
            if EXCEPT {
                let other = sources.one::<T>(2);
                let [first, stride, wanted] =
                    [3, 4, 5].map(|register| sources.one::<i64>(register));
                let first = i64::at(first, stride, sources.first);
                // With step 1, each value occurs once.
                if stride == 1 {
                    if let Some(out) = out.get_mut(wanted.wrapping_sub(first) as u64 as usize) {
                        *out = other;
                    }
                    return false;
                }
                for (out, at) in out.iter_mut().zip(0..) {
                    if i64::at(first, stride, at) == wanted {
                        *out = other;
                    }
                }
            }
        }
        false
    }
}

/// `out[i] = (a[i] * factor >> shift) & mask`, of bytes as words. Registers: bytes, factor, shift, mask.
pub(super) struct UnpackBits;

impl Loop for UnpackBits {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: as in `Range`.
        unsafe {
            let (out, sources) = (block_mut::<u64>(out, count), &*args[0].cast::<Sources>());
            let [factor, shift, mask] = [1, 2, 3].map(|register| sources.one::<u64>(register));
            for (out, &byte) in out.iter_mut().zip(block::<u8>(sources.registers[0], count)) {
                let product = u64::from(byte).wrapping_mul(factor);
                *out = Shr::<u64>::apply(product, shift) & mask;
            }
        }
        false
    }
}

/// The low bytes of `a[i] * factor >> shift`. Registers: words, factor, shift.
pub(super) struct PackBits;

impl Loop for PackBits {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: as in `Range`.
        unsafe {
            let (out, sources) = (block_mut::<u8>(out, count), &*args[0].cast::<Sources>());
            let [factor, shift] = [1, 2].map(|register| sources.one::<u64>(register));
            for (out, &word) in out.iter_mut().zip(block::<u64>(sources.registers[0], count)) {
                *out = Shr::<u64>::apply(word.wrapping_mul(factor), shift) as u8;
            }
        }
        false
    }
}
