//! What programs read by position: the inputs as they lie in memory, and the check of positions.

use ndany_core::backend::StridedView;
use ndany_core::program::Fault;
use ndany_core::{DType, float};

use crate::compiled::Kind;
use crate::memory::address;

/// An input that is read by position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatheredInput {
    /// Address of its first element.
    start: *const u8,
    dtype: DType,
}

// SAFETY: it is an address and a dtype; each use of the address states why it is allowed.
unsafe impl Send for GatheredInput {}
// SAFETY: as above.
unsafe impl Sync for GatheredInput {}

impl GatheredInput {
    pub(crate) fn new(place: &StridedView<'_>) -> Self {
        let start = address(place.memory).wrapping_add(place.offset * place.dtype.size());
        Self { start: start.cast_const(), dtype: place.dtype }
    }

    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    /// The element at a position, zero if that is not below the size.
    ///
    /// # Safety
    /// Elements below the size are values of `T` in memory that nothing writes meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn element<T: Copy + Default>(&self, position: u64, size: u64) -> T {
        if position < size {
            // SAFETY: the position is below the size; memory of an input is aligned to its dtype.
            unsafe { self.start.cast::<T>().add(position as usize).read() }
        } else {
            T::default()
        }
    }

    /// `count` elements from a position on, if all are below the size.
    ///
    /// # Safety
    /// As [`GatheredInput::element`].
    #[inline(always)]
    pub(crate) unsafe fn elements<T>(
        &self,
        position: u64,
        count: usize,
        size: u64,
    ) -> Option<&[T]> {
        let end = position.checked_add(count as u64)?;
        // SAFETY: all are below the size, so they are there.
        (end <= size).then(|| unsafe {
            std::slice::from_raw_parts(self.start.cast::<T>().add(position as usize), count)
        })
    }

    /// Reads a part of the elements at `count` positions. Positions outside of the size give zeros.
    ///
    /// # Safety
    /// `args` are good for reads of `count` positions and one size, which elements from the start on are in memory that nothing
    /// writes meanwhile; `out` is good for writes of `count` registers of the dtype.
    unsafe fn read(&self, part: u8, args: [*const u8; 2], count: usize, out: *mut u8) {
        let [positions, size] = args.map(|arg| arg.cast::<i64>());
        // SAFETY: the caller upholds this.
        let (positions, size) = unsafe { (std::slice::from_raw_parts(positions, count), *size) };
        let size = u64::try_from(size).unwrap_or(0);
        let start = self.start.wrapping_add(usize::from(part) * self.dtype.part().size());
        let gather = Gather { start, stride: self.dtype.size(), positions, size, out };
        // SAFETY: elements below the size are in memory, and have the type's parts.
        unsafe {
            match self.dtype {
                DType::Bool => gather.run(|byte: u8| u8::from(byte != 0)),
                DType::I8 | DType::U8 => gather.run(|value: u8| value),
                DType::I16 | DType::U16 => gather.run(|value: u16| value),
                DType::I32 | DType::U32 | DType::F32 | DType::C64 => gather.run(|value: u32| value),
                DType::I64 | DType::U64 | DType::F64 | DType::C128 => {
                    gather.run(|value: u64| value)
                }
                DType::F16 | DType::BF16 => {
                    gather.run(|bits: u16| float::widened(self.dtype, bits).map_or(0, f32::to_bits))
                }
            }
        }
    }
}

/// Elements to be read.
struct Gather<'g> {
    start: *const u8,
    /// Bytes from element to element.
    stride: usize,
    positions: &'g [i64],
    size: u64,
    out: *mut u8,
}

impl Gather<'_> {
    /// Reads each element as a `T` and writes it as an `R`.
    ///
    /// # Safety
    /// Elements below the size are in memory that nothing writes meanwhile and begin with a `T`; `out` is good for writes of an
    /// `R` for each position.
    unsafe fn run<T: Copy, R: Default>(&self, register: impl Fn(T) -> R) {
        let out = self.out.cast::<R>();
        for (k, &position) in self.positions.iter().enumerate() {
            let value = if (position as u64) < self.size {
                let from = self.start.wrapping_add(position as usize * self.stride);
                // SAFETY: the position is below the size. Parts are as wide as their alignment, which an offset in elements
                // keeps.
                register(unsafe { from.cast::<T>().read() })
            } else {
                R::default()
            };
            // SAFETY: the caller upholds this.
            unsafe { out.add(k).write(value) };
        }
    }
}

/// Checks `count` positions: one that is not at least 0 and below the size is a fault and becomes 0.
///
/// # Safety
/// `args` are good for reads of `count` positions and one size; `out` is good for writes of `count` positions.
unsafe fn check(operand: u8, axis: u8, args: [*const u8; 2], count: usize, out: *mut u8) -> Fault {
    let [positions, size] = args.map(|arg| arg.cast::<i64>());
    // SAFETY: the caller upholds this.
    let (positions, size) = unsafe { (std::slice::from_raw_parts(positions, count), *size) };
    let (out, mut outside) = (out.cast::<i64>(), false);
    for (k, &position) in positions.iter().enumerate() {
        let inside = (0..size).contains(&position);
        outside |= !inside;
        // SAFETY: as above.
        unsafe { out.add(k).write(if inside { position } else { 0 }) };
    }
    if !outside {
        return Fault::NONE;
    }
    let outside = positions.iter().filter(|&position| !(0..size).contains(position));
    outside.fold(Fault::NONE, |fault, &position| fault.or(Fault::position(operand, axis, position)))
}

/// Reads by position, or checks positions.
///
/// # Safety
/// As [`GatheredInput::read`] and [`check`] say.
pub(crate) unsafe fn by_position(
    kind: Kind,
    inputs: &[GatheredInput],
    args: [*const u8; 2],
    count: usize,
    out: *mut u8,
) -> Fault {
    match kind {
        Kind::Gather { input, part } => {
            // SAFETY: the caller upholds this.
            unsafe { inputs[usize::from(input)].read(part, args, count, out) };
            Fault::NONE
        }
        Kind::BoundsCheck { operand, axis } => {
            // SAFETY: the caller upholds this.
            unsafe { check(operand, axis, args, count, out) }
        }
        _ => unreachable!("{kind:?} needs no position"),
    }
}

/// The fault of a step that computes powers of integers.
pub(crate) fn power(failed: bool) -> Fault {
    if failed { Fault::NEGATIVE_POWER } else { Fault::NONE }
}
