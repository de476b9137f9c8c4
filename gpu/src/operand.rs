//! Arrays as kernels take them: an address and strides; and the arguments of a kernel.

use ndany_core::DType;
use ndany_core::backend::{ContiguousView, StridedView};
use ndany_core::shape::{Shape, Strides};
use ndany_kernels::layout::{IndexMap, Stride, StridePattern};
use smallvec::SmallVec;

use crate::driver::Address;
use crate::memory::{GpuMemory, memory_of};

/// An array of a launch.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    /// Its first element.
    pub(crate) address: Address,
    /// Type of its elements.
    pub(crate) dtype: DType,
    /// Step of each axis of the launch, in elements.
    pub(crate) strides: Strides,
}

impl Operand {
    pub(crate) fn new(place: &StridedView<'_>) -> Self {
        let StridedView { memory, offset, dtype, .. } = *place;
        Self {
            address: first(&ContiguousView { memory, offset }, dtype),
            dtype: place.dtype,
            strides: Strides::from_slice(&place.strides),
        }
    }

    /// A row of packed elements.
    pub(crate) fn of_row(address: Address, dtype: DType, length: usize) -> Self {
        Self { address, dtype, strides: Strides::from_slice(&[length as isize, 1]) }
    }

    /// The same, stepping along these axes only.
    pub(crate) fn along(&self, strides: &[isize]) -> Self {
        Self { strides: Strides::from_slice(strides), ..*self }
    }
}

/// The address of the first element.
pub(crate) fn first(place: &ContiguousView<'_>, dtype: DType) -> Address {
    let memory: &GpuMemory = memory_of(place.memory);
    memory.address() + (place.offset * dtype.size()) as u64
}

/// The words of a kernel's parameter, in the order of its fields. It knows which of them are addresses, for a recording puts
/// others in their place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    words: SmallVec<[u64; 24]>,
    /// Where addresses are.
    addresses: SmallVec<[u16; 12]>,
    /// Where the scalars of a program begin, and how many they are.
    scalars: (u16, u16),
    /// The slot of a recording that moves the first of them.
    slot: Option<usize>,
}

impl Arguments {
    /// Arguments that are addresses, for tests.
    #[cfg(test)]
    pub(crate) fn of_places(addresses: impl IntoIterator<Item = Address>) -> Self {
        let mut arguments = Self::default();
        arguments.places(addresses);
        arguments
    }

    /// Adds a word that is no address.
    #[inline]
    pub(crate) fn push(&mut self, word: u64) {
        self.words.push(word);
    }

    /// Adds words that are no addresses.
    pub(crate) fn extend(&mut self, words: impl IntoIterator<Item = u64>) {
        self.words.extend(words);
    }

    /// Adds the words of others.
    pub(crate) fn append(&mut self, others: &Arguments) {
        let before = self.words.len() as u16;
        self.addresses.extend(others.addresses.iter().map(|at| before + at));
        if others.scalars.1 > 0 {
            self.scalars = (before + others.scalars.0, others.scalars.1);
            self.slot = others.slot;
        }
        self.words.extend_from_slice(&others.words);
    }

    /// Adds an address; 0 where there is nothing.
    #[inline]
    pub(crate) fn address(&mut self, address: Address) {
        self.addresses.push(self.words.len() as u16);
        self.words.push(address);
    }

    /// Adds addresses.
    pub(crate) fn places(&mut self, addresses: impl IntoIterator<Item = Address>) {
        addresses.into_iter().for_each(|address| self.address(address));
    }

    /// Adds the addresses of operands.
    pub(crate) fn addresses<'o>(&mut self, operands: impl IntoIterator<Item = &'o Operand>) {
        self.places(operands.into_iter().map(|operand| operand.address));
    }

    /// Adds the scalars of a program, the first of which a slot may move.
    pub(crate) fn scalars(&mut self, scalars: &[u64], slot: Option<usize>) {
        self.scalars = (self.words.len() as u16, scalars.len() as u16);
        self.slot = slot;
        self.words.extend_from_slice(scalars);
    }

    /// Where its addresses are.
    pub(crate) fn address_positions(&self) -> &[u16] {
        &self.addresses
    }

    /// Where the scalars of a program are.
    pub(crate) fn scalar_positions(&self) -> std::ops::Range<usize> {
        let (first, count) = self.scalars;
        usize::from(first)..usize::from(first + count)
    }

    /// The slot of a recording that moves the first scalar.
    pub(crate) fn slot(&self) -> Option<usize> {
        self.slot
    }

    /// An extent to divide by.
    pub(crate) fn divisor(&mut self, extent: usize, wide: bool) {
        if wide {
            self.words.push(extent as u64);
        } else {
            self.words.extend(divisor(extent as u32));
        }
    }

    pub(crate) fn as_slice(&self) -> &[u64] {
        &self.words
    }
}

/// The fields extent, magic, shift of `Divisor` (device/prelude.h): `n / extent` is `(high(n * magic) + n) >> shift`
/// for all `n` below 2^31.
fn divisor(extent: u32) -> [u64; 2] {
    let shift = u32::BITS - (extent - 1).leading_zeros();
    let magic = ((1u64 << 32) * ((1u64 << shift) - u64::from(extent))) / u64::from(extent) + 1;
    [u64::from(extent) | magic << 32, u64::from(shift)]
}

/// How operands lie along the axes `from..to` of a launch: what the text depends on. Adds its arguments.
pub(crate) fn index_map(
    shape: &[usize],
    operands: &[Operand],
    axes: std::ops::Range<usize>,
    wide: bool,
    arguments: &mut Arguments,
) -> IndexMap {
    for axis in axes.clone().skip(1).rev() {
        arguments.divisor(shape[axis], wide);
    }
    let mut steps = SmallVec::with_capacity(operands.len());
    let innermost = axes.end;
    for operand in operands {
        let mut own = StridePattern::new();
        for axis in axes.clone() {
            let step = match Stride::of(operand.strides[axis]) {
                // Neighbours matter along the innermost axis; elsewhere fewer kinds of text are worth more.
                Stride::One if axis + 1 != innermost => Stride::Any,
                step => step,
            };
            if step.asks() {
                arguments.push(operand.strides[axis] as i64 as u64);
            }
            own.push(step);
        }
        steps.push(own);
    }
    IndexMap { axes: axes.len(), steps, wide }
}

/// How operands lie under rows: over the axes in front of a row, and along its own; the arguments of both, in this
/// order.
pub(crate) struct RowIndexMaps {
    pub(crate) outer: IndexMap,
    pub(crate) row: IndexMap,
    pub(crate) arguments: Arguments,
}

/// The index maps of operands over rows of which the last `row_axes` axes are made.
pub(crate) fn row_index_maps(
    shape: &[usize],
    operands: &[Operand],
    row_axes: usize,
    wide: bool,
) -> RowIndexMaps {
    let (axes, outer_axes) = (shape.len(), shape.len() - row_axes);
    let mut arguments = Arguments::default();
    let outer = index_map(shape, operands, 0..outer_axes, wide, &mut arguments);
    let row = index_map(shape, operands, outer_axes..axes, wide, &mut arguments);
    RowIndexMaps { outer, row, arguments }
}

/// Extents from here on need more than 31 bits.
pub(crate) const WIDE: usize = 1 << 31;

/// Whether positions or offsets need more than 31 bits.
pub(crate) fn is_wide(shape: &[usize], operands: &[Operand]) -> bool {
    let span = |operand: &Operand| -> usize {
        let axes = shape.iter().zip(&operand.strides);
        axes.map(|(&extent, stride)| (extent - 1) * stride.unsigned_abs()).sum()
    };
    shape.iter().product::<usize>() >= WIDE || operands.iter().any(|operand| span(operand) >= WIDE)
}

/// Strides of a C-ordered array over these axes, in elements, each of `unit`.
pub(crate) fn packed(shape: &[usize], unit: usize) -> Strides {
    let mut strides: Strides = Strides::from_elem(0, shape.len());
    let mut step = unit as isize;
    for axis in (0..shape.len()).rev() {
        strides[axis] = step;
        step *= shape[axis] as isize;
    }
    strides
}

/// A shape without its row, and with another one.
pub(crate) fn with_row(outer: &[usize], row: usize) -> Shape {
    let mut shape = Shape::from_slice(outer);
    shape.push(row);
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_divide() {
        let divide = |n: u32, [first, second]: [u64; 2]| -> u32 {
            let (magic, shift) = (first >> 32, second);
            ((((u64::from(n) * magic) >> 32) + u64::from(n)) >> shift) as u32
        };
        let top = (1u32 << 31) - 1;
        for extent in [1, 2, 3, 5, 7, 10, 127, 128, 129, 641, 4096, 65537, 1 << 30, top - 1, top] {
            let words = divisor(extent);
            for n in [0, 1, extent - 1, extent, extent.saturating_add(1), 12345, top - 1, top] {
                if n <= top {
                    assert_eq!(divide(n, words), n / extent, "{n} / {extent}");
                }
            }
            for step in 0..1000u32 {
                let n = step.wrapping_mul(2_654_435_761) >> 1;
                assert_eq!(divide(n, words), n / extent, "{n} / {extent}");
            }
        }
    }
}
