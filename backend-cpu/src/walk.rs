//! Walking through strided memory: from the elements of a block to a packed slot and back.

use ndany_core::backend::Place;
use ndany_core::shape::contiguous_strides;
use smallvec::SmallVec;

use crate::memory::{ALIGN, address, prefetch};
use crate::turn::turn_sized;

/// Elements of the last axis up to which stretches along it cost more than they copy.
const SHORT: usize = 16;

/// Elements of a block that are worth its steps.
const WORTH_A_BLOCK: usize = 256;

/// How an operand's elements lie, seen along the flat index of an iteration space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    /// Element `i` of the space is element `i` of the memory.
    Packed,
    /// Every element of the space is the same one.
    Constant,
    /// Element `i` of the space is element `2 * i` of the memory: a part of packed complex numbers.
    Halves,
    /// Packed within each run of the last axes whose extents multiply to this.
    PackedRuns(usize),
    /// Anything else.
    Strided,
}

/// A part (the whole, or the real or imaginary half) of an operand along an iteration space.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// Address of the element at index 0.
    start: *mut u8,
    /// Bytes of a part.
    size: usize,
    shape: SmallVec<[usize; 4]>,
    /// Steps in parts.
    strides: SmallVec<[isize; 4]>,
    pub(crate) lie: Lie,
}

// SAFETY: a walk is an address and numbers; each use of the address states why it is allowed.
unsafe impl Send for Walk {}
// SAFETY: as above.
unsafe impl Sync for Walk {}

impl Walk {
    /// Part `part` of the operand at `place`, whose axes are those of `shape`.
    pub(crate) fn new(place: &Place<'_>, shape: &[usize], part: usize) -> Self {
        let parts = if place.dtype.is_complex() { 2 } else { 1 };
        let size = place.dtype.part().size();
        let offset = (place.offset * parts + part) * size;
        // SAFETY: core places the first element inside the memory.
        let start = unsafe { address(place.memory).add(offset) };
        let strides: SmallVec<[isize; 4]> =
            place.strides.iter().map(|&stride| stride * parts as isize).collect();
        Walk::of(start, size, shape, strides, parts)
    }

    /// A packed array of the worker's own.
    pub(crate) fn packed(start: *mut u8, size: usize, shape: &[usize]) -> Self {
        let strides = contiguous_strides(shape).iter().copied().collect();
        Walk::of(start, size, shape, strides, 1)
    }

    fn of(
        start: *mut u8,
        size: usize,
        shape: &[usize],
        strides: SmallVec<[isize; 4]>,
        parts: usize,
    ) -> Self {
        let mut run = 1;
        let mut packed_axes = 0;
        for (&extent, &stride) in shape.iter().zip(&strides).rev() {
            if extent != 1 && stride != run as isize {
                break;
            }
            run *= extent;
            packed_axes += 1;
        }
        let lie = if packed_axes == shape.len() {
            Lie::Packed
        } else if parts == 2 && every_second(shape, &strides) {
            Lie::Halves
        } else if strides.iter().all(|&stride| stride == 0) {
            Lie::Constant
        } else if run > 1 {
            Lie::PackedRuns(run)
        } else {
            Lie::Strided
        };
        Self { start, size, shape: SmallVec::from_slice(shape), strides, lie }
    }

    /// The imaginary part, given the real one of a complex operand.
    pub(crate) fn next_part(&self) -> Self {
        // SAFETY: a complex element has a second part behind its first.
        Self { start: unsafe { self.start.add(self.size) }, ..self.clone() }
    }

    /// Is every second element of a stretch of memory here, and each one between them there?
    pub(crate) fn alternates(&self, between: &Walk) -> bool {
        let next = self.start.wrapping_add(self.size);
        (self.size, next) == (between.size, between.start)
            && self.strides == between.strides
            && every_second(&self.shape, &self.strides)
    }

    /// Bytes of a part.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Address of element `index` of the space.
    pub(crate) fn at(&self, mut index: usize) -> *mut u8 {
        let position = match self.lie {
            Lie::Packed => index as isize,
            Lie::Halves => 2 * index as isize,
            Lie::Constant => 0,
            Lie::PackedRuns(_) | Lie::Strided => {
                let mut position = 0;
                for (&extent, &stride) in self.shape.iter().zip(&self.strides).rev() {
                    position += (index % extent) as isize * stride;
                    index /= extent;
                }
                position
            }
        };
        // SAFETY: core promises that every element of the space lies in the memory.
        unsafe { self.start.offset(position * self.size as isize) }
    }

    /// The address of `count` elements from `index` on, if they lie packed.
    pub(crate) fn direct(&self, index: usize, count: usize) -> Option<*mut u8> {
        match self.lie {
            Lie::Packed => Some(self.at(index)),
            Lie::PackedRuns(run) if index % run + count <= run => Some(self.at(index)),
            Lie::Halves | Lie::PackedRuns(_) | Lie::Constant | Lie::Strided => None,
        }
    }

    /// For how many elements from `index` on [`Walk::direct`] has an answer.
    pub(crate) fn packed_from(&self, index: usize) -> usize {
        match self.lie {
            Lie::Packed => usize::MAX,
            Lie::PackedRuns(run) => run - index % run,
            Lie::Halves | Lie::Constant | Lie::Strided => 0,
        }
    }

    /// Where a block of up to `count` elements from `index` on had better end so that they lie packed: at the end of
    /// their run, if that is not too near.
    pub(crate) fn cut(&self, index: usize, count: usize) -> usize {
        match self.lie {
            Lie::PackedRuns(run) if run - index % run >= WORTH_A_BLOCK => {
                count.min(run - index % run)
            }
            Lie::PackedRuns(_) | Lie::Strided => match self.short_rows() {
                // Whole rows, which are walked by columns.
                Some((_, columns)) if index.is_multiple_of(columns) && count >= columns => {
                    count / columns * columns
                }
                _ => count,
            },
            Lie::Packed | Lie::Halves | Lie::Constant => count,
        }
    }

    /// Rows and columns of the last two axes, where rows are so short that they are better walked side by side.
    fn short_rows(&self) -> Option<(usize, usize)> {
        let [.., rows, columns] = *self.shape.as_slice() else { return None };
        (columns <= SHORT && rows > columns).then_some((rows, columns))
    }

    /// Does [`Walk::direct`] have an answer for all elements of any row of `row` elements?
    pub(crate) fn holds_rows(&self, row: usize) -> bool {
        match self.lie {
            Lie::Packed => true,
            Lie::PackedRuns(run) => run % row == 0,
            Lie::Halves | Lie::Constant | Lie::Strided => false,
        }
    }

    /// Asks for the cache lines of `count` elements from `index` on, where they lie packed. Without it a
    /// walk in short stretches waits for memory at the start of each.
    pub(crate) fn prefetch(&self, index: usize, count: usize) {
        if let Some(start) = self.direct(index, count) {
            for line in 0..(count * self.size).div_ceil(ALIGN) {
                prefetch(start.wrapping_add(line * ALIGN));
            }
        }
    }

    /// Calls `run(address, step, first, length)` for each stretch of `count` elements from `index` on
    /// along the last axis: elements `first..first + length` of the block lie `step` parts apart.
    fn runs(&self, index: usize, count: usize, mut run: impl FnMut(*mut u8, isize, usize, usize)) {
        let Some(last) = self.shape.len().checked_sub(1) else {
            return run(self.start, 0, 0, count);
        };
        let mut coordinates: SmallVec<[usize; 4]> = SmallVec::from_elem(0, self.shape.len());
        let mut rest = index;
        for axis in (0..self.shape.len()).rev() {
            coordinates[axis] = rest % self.shape[axis];
            rest /= self.shape[axis];
        }
        let mut position: isize =
            coordinates.iter().zip(&self.strides).map(|(&at, &stride)| at as isize * stride).sum();
        let mut done = 0;
        while done < count {
            let length = (self.shape[last] - coordinates[last]).min(count - done);
            // SAFETY: core promises that every element of the space lies in the memory.
            let address = unsafe { self.start.offset(position * self.size as isize) };
            run(address, self.strides[last], done, length);
            done += length;
            // On to the next stretch: the last axis starts again, an outer one steps.
            position -= coordinates[last] as isize * self.strides[last];
            coordinates[last] = 0;
            for axis in (0..last).rev() {
                coordinates[axis] += 1;
                position += self.strides[axis];
                if coordinates[axis] < self.shape[axis] {
                    break;
                }
                position -= coordinates[axis] as isize * self.strides[axis];
                coordinates[axis] = 0;
            }
        }
    }

    /// Rows of the last axis that are so short that they are better walked side by side: calls
    /// `column(address, step, first, length)` for each column of those of the `count` elements from `index` on that
    /// begin with such a row, and says how many they are. Elements `first + k * columns` of the block lie `step` apart.
    fn columns(
        &self,
        index: usize,
        count: usize,
        mut column: impl FnMut(*mut u8, isize, usize, usize),
    ) -> usize {
        let Some((rows, columns)) =
            self.short_rows().filter(|(_, columns)| index.is_multiple_of(*columns))
        else {
            return 0;
        };
        let [.., down, right] = *self.strides.as_slice() else { return 0 };
        let mut done = 0;
        while count - done >= columns {
            let row = (index + done) / columns % rows;
            let length = (rows - row).min((count - done) / columns);
            let start = self.at(index + done);
            for k in 0..columns {
                // SAFETY: core promises that every element of the space lies in the memory.
                let address = unsafe { start.offset(k as isize * right * self.size as isize) };
                column(address, down, done + k, length);
            }
            done += length * columns;
        }
        done
    }

    /// Rows and columns of the tile that these elements are, if the last two axes are one and it is
    /// better walked column by column.
    fn upright_tile(&self, index: usize, count: usize) -> Option<(usize, usize)> {
        let [.., rows, columns] = *self.shape.as_slice() else { return None };
        let [.., down, right] = *self.strides.as_slice() else { return None };
        let upright = down != 0 && down.unsigned_abs() < right.unsigned_abs();
        let one = rows * columns == count && index.is_multiple_of(count);
        (upright && one).then_some((rows, columns))
    }

    /// Packs `count` elements from `index` on.
    ///
    /// # Safety
    /// `out` is aligned for the part and good for `count` of them; nobody writes the elements meanwhile.
    pub(crate) unsafe fn gather(&self, index: usize, count: usize, out: *mut u8) {
        if let Some((rows, columns)) = self.upright_tile(index, count) {
            let (start, size) = (self.at(index), self.size as isize);
            let steps =
                [self.strides.len() - 2, self.strides.len() - 1].map(|axis| self.strides[axis]);
            if steps[0] == 1 {
                let step = [steps[1], columns as isize];
                // SAFETY: the tile's elements lie in the memory, and its places in the block.
                return unsafe { turn_sized(self.size, [start, out], step, rows, columns) };
            }
            for column in 0..columns {
                // SAFETY: the tile's elements lie in the memory, and its places in the block.
                unsafe {
                    let from = start.offset(column as isize * steps[1] * size);
                    let to = out.add(column * self.size);
                    copy_sized(self.size, from, steps[0], to, columns as isize, rows);
                }
            }
            return;
        }
        let across = self.shape.last().map_or(1, |&columns| columns as isize);
        let done = self.columns(index, count, |address, step, first, length| {
            // SAFETY: the column lies in the memory, and its places in the block.
            unsafe {
                copy_sized(self.size, address, step, out.add(first * self.size), across, length);
            }
        });
        self.runs(index + done, count - done, |address, step, first, length| {
            // SAFETY: the stretch lies in the memory, `done + first + length` is at most `count`.
            unsafe {
                let to = out.add((done + first) * self.size);
                copy_sized(self.size, address, step, to, 1, length);
            }
        });
    }

    /// Spreads `count` packed elements to where they belong, from `index` on.
    ///
    /// # Safety
    /// `values` is aligned for the part and good for `count` of them; nobody else uses the elements.
    pub(crate) unsafe fn scatter(&self, index: usize, count: usize, values: *const u8) {
        if let Some((rows, columns)) = self.upright_tile(index, count) {
            let (start, size) = (self.at(index), self.size as isize);
            let steps =
                [self.strides.len() - 2, self.strides.len() - 1].map(|axis| self.strides[axis]);
            if steps[0] == 1 {
                let (values, step) = (values.cast_mut(), [columns as isize, steps[1]]);
                // SAFETY: the tile's elements lie in the memory, and its values in the block.
                return unsafe { turn_sized(self.size, [values, start], step, columns, rows) };
            }
            for column in 0..columns {
                // SAFETY: the tile's elements lie in the memory, and its values in the block.
                unsafe {
                    let from = values.add(column * self.size).cast_mut();
                    let to = start.offset(column as isize * steps[1] * size);
                    copy_sized(self.size, from, columns as isize, to, steps[0], rows);
                }
            }
            return;
        }
        self.runs(index, count, |address, step, first, length| {
            // SAFETY: the stretch lies in the memory, `first + length` is at most `count`.
            unsafe {
                let from = values.add(first * self.size).cast_mut();
                copy_sized(self.size, from, 1, address, step, length);
            }
        });
    }
}

/// Is element `i` of such a space element `2 * i` of the memory?
fn every_second(shape: &[usize], strides: &[isize]) -> bool {
    let mut step = 2;
    shape.iter().zip(strides).rev().all(|(&extent, &stride)| {
        let fits = extent == 1 || stride == step;
        step *= extent as isize;
        fits
    })
}

/// Copies `length` values, each side in steps of its own.
///
/// # Safety
/// Both sides are aligned for `T` and good for `length` elements at their steps, without overlap.
unsafe fn copy<T: Copy>(
    from: *mut u8,
    from_step: isize,
    to: *mut u8,
    to_step: isize,
    length: usize,
) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    // SAFETY: the caller's promise covers every address below.
    unsafe {
        match (from_step, to_step) {
            (1, 1) => std::ptr::copy_nonoverlapping(from, to, length),
            (0, 1) => std::slice::from_raw_parts_mut(to, length).fill(*from),
            (1, _) => {
                for k in 0..length as isize {
                    *to.offset(k * to_step) = *from.offset(k);
                }
            }
            _ => {
                for k in 0..length as isize {
                    *to.offset(k * to_step) = *from.offset(k * from_step);
                }
            }
        }
    }
}

/// [`copy`] of values of `size` bytes.
///
/// # Safety
/// As [`copy`], for the integer of that size.
unsafe fn copy_sized(
    size: usize,
    from: *mut u8,
    from_step: isize,
    to: *mut u8,
    to_step: isize,
    length: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            1 => copy::<u8>(from, from_step, to, to_step, length),
            2 => copy::<u16>(from, from_step, to, to_step, length),
            4 => copy::<u32>(from, from_step, to, to_step, length),
            _ => copy::<u64>(from, from_step, to, to_step, length),
        }
    }
}

/// Fills `count` values of `size` bytes with one value's bits.
///
/// # Safety
/// `out` is aligned for the size and good for `count` values.
pub(crate) unsafe fn splat(out: *mut u8, size: usize, bits: u64, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            1 => std::slice::from_raw_parts_mut(out, count).fill(bits as u8),
            2 => std::slice::from_raw_parts_mut(out.cast::<u16>(), count).fill(bits as u16),
            4 => std::slice::from_raw_parts_mut(out.cast::<u32>(), count).fill(bits as u32),
            _ => std::slice::from_raw_parts_mut(out.cast::<u64>(), count).fill(bits),
        }
    }
}

/// The bits of one value of `size` bytes.
///
/// # Safety
/// `value` is aligned for the size and good for reading.
pub(crate) unsafe fn bits(value: *const u8, size: usize) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            1 => u64::from(*value),
            2 => u64::from(*value.cast::<u16>()),
            4 => u64::from(*value.cast::<u32>()),
            _ => *value.cast::<u64>(),
        }
    }
}
